//! Where the sessions of this run are: on this machine, or, when the tests run once more, on a platform.
//!
//! `cargo xtask test remote` starts the platform and says where it is. The tests that cannot run there are named in
//! `xtask/src/remote/left_out.rs`, each with its reason.

use automator::{Automator, Builder, Env, Environment as _, EnvironmentSource};

use crate::rig::quiet;

/// Says where the sessions of a run are; `cargo xtask test remote` sets it.
const VARIABLE: &str = "AUTOMATOR_TEST_ENV";

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Place {
    /// `env: LOCAL`.
    Here,
    /// `env: REMOTE`, with the operations beside the browser.
    Served,
    /// `env: REMOTE`, with the operations here and only the browser away.
    Socket,
}

impl Place {
    pub(crate) fn of_this_run() -> Self {
        match EnvironmentSource::default().variable(VARIABLE).as_deref() {
            None => Self::Here,
            Some("served") => Self::Served,
            Some("socket") => Self::Socket,
            Some(other) => panic!("{VARIABLE} is {other:?}; it can be \"served\" or \"socket\""),
        }
    }

    /// A session there. Address and key of the platform are in their usual variables, which a test may not know of.
    pub(crate) fn builder(self) -> Builder {
        let env = match self {
            Self::Here => Env::Local,
            Self::Served | Self::Socket => Env::Remote,
        };
        Automator::builder(env).local_browser(quiet()).with(|options| {
            options.remote_base_url = options.environment.variable("REMOTE_BASE_URL");
            options.api_key = options.environment.variable("REMOTE_API_KEY");
            options.experimental = self == Self::Socket;
            // A browser of this machine has no such cache, and the tests count what reaches the model.
            options.server_cache = false;
        })
    }

    /// A session of this machine that asks nothing of its browser joins one that is lent, where there are some.
    pub(crate) fn lend(self, builder: Builder) -> Builder {
        builder.with(|options| {
            let launch = &mut options.local_browser_launch_options;
            if self == Self::Here && format!("{launch:?}") == format!("{:?}", quiet()) {
                launch.cdp_url = automator_testing::lent_browser();
            }
        })
    }

    /// Refuses what has no meaning there, so that a test does not pass without what it is about.
    pub(crate) fn check(self, builder: Builder) -> Builder {
        builder.with(|options| {
            let launch = format!("{:?}", options.local_browser_launch_options);
            assert!(
                self == Self::Here || launch == format!("{:?}", quiet()),
                "a test with launch options cannot run remotely; name it in xtask/src/remote/left_out.rs"
            );
        })
    }
}
