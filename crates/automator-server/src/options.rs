//! How a server is set up.

use std::path::PathBuf;
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
    /// Where the server may send the model calls of a request that names an address of its own. Default: everywhere but
    /// link-local addresses and those of cloud metadata.
    pub model_egress: EgressPolicy,
    /// Whether a request without a model key is served with the provider keys of the server's own environment.
    /// Default: false, since whoever has an API key then spends the server's money.
    pub model_keys_from_env: bool,
    /// Hosts that sessions with `blockAds` do not reach, with all hosts below them, besides the built-in ones.
    /// Default: none.
    pub block_list: Vec<String>,
    /// What the server remembers of answers. Default: 64 MiB for a day.
    pub cache: CacheOptions,
    /// How long sessions that have ended are remembered, and the records of what was done in them. Default: 30 days.
    pub retention: Duration,
    /// Where the files are that outlive sessions: contexts, and downloads for a while. Default: none, so that there are no
    /// contexts and downloads go with their sessions.
    pub folder: Option<PathBuf>,
    /// How long a session without `keepAlive` goes on when its last DevTools socket has gone. Default: 30 s.
    pub grace: Duration,
    /// How long a session without `keepAlive` that never had a socket goes on without a call. Default: 10 min.
    pub idle: Duration,
    /// How often sessions are looked after. Default: 1 s.
    pub round: Duration,
    /// How often a browser is asked whether it still answers. Default: 5 s.
    pub beat: Duration,
    /// How long a browser may take to answer that before its session ends. Default: 30 s.
    pub silence: Duration,
    /// How long a client may take to read one message of its browser before it is cut off. Default: 60 s.
    pub reading: Duration,
}

/// How much the server remembers of the answers that it has given, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheOptions {
    /// How many bytes all remembered answers have at most; 0 remembers none. Default: 64 MiB.
    pub bytes: u64,
    /// How long an answer is remembered. Default: 24 hours.
    pub time_to_live: Duration,
}

/// What a server takes from one connection, one key and one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// The largest head of a request, in bytes. Default: 32 KiB.
    pub head_bytes: usize,
    /// How many headers a request has at most. Default: 100.
    pub headers: usize,
    /// The largest body of a request that is no upload, in bytes. Default: 1 MiB.
    pub body_bytes: usize,
    /// How long the head of a request may take to come in. Default: 10 s.
    pub head_timeout: Duration,
    /// How long the body of a request may take to come in. Default: 30 s.
    pub body_timeout: Duration,
    /// How many connections are open at once. Default: 10,000.
    pub connections: usize,
    /// How many requests one key may make. Default: 50 a second, 200 at once.
    pub key_rate: Rate,
    /// How many requests with a wrong key or token one address may make. Default: one in 6 seconds, 20 at once.
    pub refusal_rate: Rate,
}

/// A rate, as a bucket that holds `burst` and is refilled by one in every `interval`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many at once.
    pub burst: u32,
    /// After how long there is another one.
    pub interval: Duration,
}

/// Who may read the figures of a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsAccess {
    /// Whoever has a valid API key.
    #[default]
    Key,
    /// Whoever reaches the server.
    Open,
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
            model_egress: EgressPolicy::new(EgressMode::Open),
            model_keys_from_env: false,
            block_list: Vec::new(),
            cache: CacheOptions::default(),
            retention: Duration::from_secs(30 * 24 * 60 * 60),
            folder: None,
            grace: Duration::from_secs(30),
            idle: Duration::from_secs(600),
            round: Duration::from_secs(1),
            beat: Duration::from_secs(5),
            silence: Duration::from_secs(30),
            reading: Duration::from_secs(60),
        }
    }
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            time_to_live: Duration::from_secs(24 * 60 * 60),
        }
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            head_bytes: 32 << 10,
            headers: 100,
            body_bytes: 1 << 20,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            connections: 10_000,
            key_rate: Rate {
                burst: 200,
                interval: Duration::from_millis(20),
            },
            refusal_rate: Rate {
                burst: 20,
                interval: Duration::from_secs(6),
            },
        }
    }
}
