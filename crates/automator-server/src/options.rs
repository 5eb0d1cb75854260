//! How a server is set up.

use std::time::Duration;

use crate::egress::policy::{EgressMode, EgressPolicy};
use crate::slots::SlotLimits;

/// How a platform is set up. The defaults are those of one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformOptions {
    /// How many browsers run, and how many requests wait for one. Default: 10 browsers, all of them for one owner if
    /// nobody else asks; 100 requests.
    pub slots: SlotLimits,
    /// The label of the place that browsers run in. Default: `local`.
    pub region: String,
    /// Where clients reach the server, without a slash at the end. Default: `http://127.0.0.1:4800`.
    pub public_url: String,
    /// What browsers may reach. Default: everything but link-local addresses and those of cloud metadata.
    pub egress: EgressPolicy,
    /// How long a session without `keepAlive` goes on when its last DevTools socket has gone. Default: 30 s.
    pub grace: Duration,
    /// How long a session without `keepAlive` that never had a socket goes on without a call. Default: 10 min.
    pub idle: Duration,
    /// How often sessions are looked after. Default: 1 s.
    pub round: Duration,
}

impl Default for PlatformOptions {
    fn default() -> Self {
        Self {
            slots: SlotLimits {
                slots: 10,
                per_owner: 10,
                waiting: 100,
            },
            region: "local".to_owned(),
            public_url: "http://127.0.0.1:4800".to_owned(),
            egress: EgressPolicy::new(EgressMode::Open),
            grace: Duration::from_secs(30),
            idle: Duration::from_secs(600),
            round: Duration::from_secs(1),
        }
    }
}
