//! What a platform of browsers does for a session.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::options::AutomatorOptions;
use crate::{Error, ErrorKind, Result};

/// A platform. Its errors are those of `init()`.
pub(crate) trait Platform: Send + Sync {
    /// Creates a session, whose browser runs afterwards.
    fn create<'a>(&'a self, wanted: &'a Wanted) -> BoxFuture<'a, Result<Found>>;

    /// A session as it is now.
    ///
    /// [`ErrorKind::RemoteSessionNotFound`] for one that is not there, or belongs to somebody else.
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Found>>;

    /// Ends a session. One that has ended is fine.
    fn release<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Where a session can be watched and driven by hand; none when the platform does not say.
    fn debug<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Option<String>>;
}

/// What a new session is to be.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Wanted {
    /// As the platform takes them.
    pub(crate) parameters: Map<String, Value>,
}

impl Wanted {
    /// The user's own parameters; the option `keepAlive` counts instead of theirs.
    pub(crate) fn of(options: &AutomatorOptions) -> Self {
        let given = options.remote_session_create_params.clone();
        let mut parameters: Map<String, Value> = given.unwrap_or_default().into_iter().collect();
        if let Some(keep_alive) = options.keep_alive {
            parameters.insert("keepAlive".to_owned(), keep_alive.into());
        }
        Self { parameters }
    }
}

/// A session as a platform tells of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// None where there are no sessions.
    pub(crate) id: Option<String>,
    /// The address of its browser, as long as it runs.
    pub(crate) connect_url: Option<String>,
    /// What became of it: the platform's words, and its state.
    pub(crate) state: String,
    /// Whether it goes on when nobody is connected.
    pub(crate) is_kept: bool,
    /// Where it can be looked at.
    pub(crate) session_url: Option<String>,
    /// Where it can be driven by hand.
    pub(crate) debug_url: Option<String>,
}

impl Found {
    /// The address of the browser of a session that runs.
    pub(crate) fn running(&self) -> Result<&str> {
        self.connect_url.as_deref().ok_or_else(|| {
            let id = self.id.as_deref().unwrap_or_default();
            let message = format!("the remote session {id} does not run: {}", self.state);
            Error::new(ErrorKind::RemoteSessionNotFound, message)
                .with("session", id)
                .hint("leave remoteSessionID out to create a session")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Env;
    use serde_json::json;

    #[test]
    fn keep_alive_counts_instead_of_the_parameter_only_when_it_is_given() {
        let wanted = |keep_alive: Option<bool>| {
            let mut options = AutomatorOptions::new(Env::Remote);
            let parameters = [
                ("keepAlive".to_owned(), json!(true)),
                ("timeout".to_owned(), json!(90)),
            ];
            options.remote_session_create_params = Some(parameters.into());
            options.keep_alive = keep_alive;
            Value::Object(Wanted::of(&options).parameters)
        };
        assert_eq!(wanted(None), json!({ "keepAlive": true, "timeout": 90 }));
        assert_eq!(wanted(Some(false)), json!({ "keepAlive": false, "timeout": 90 }));
        assert!(
            Wanted::of(&AutomatorOptions::new(Env::Remote))
                .parameters
                .is_empty()
        );
    }
}
