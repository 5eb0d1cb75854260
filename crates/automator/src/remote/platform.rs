//! What a platform of browsers does for a session.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::fs::File;

use super::operations::Operations;
use crate::options::{AutomatorOptions, DEFAULT_MODEL};
use crate::{Error, ErrorKind, Result};

/// A platform. Its errors are those of `init()`.
pub(crate) trait Platform: Send + Sync {
    /// Creates a session, whose browser runs afterwards, or finds the one that is wanted.
    ///
    /// [`ErrorKind::RemoteSessionNotFound`] for one that is not there, or belongs to somebody else.
    fn open<'a>(&'a self, wanted: &'a Wanted) -> BoxFuture<'a, Result<Opened>>;

    /// A session as it is now.
    ///
    /// [`ErrorKind::RemoteSessionNotFound`] for one that is not there, or belongs to somebody else.
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Found>>;

    /// Ends a session. One that has ended is fine.
    fn release<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Where a session can be watched and driven by hand; none when the platform does not say.
    fn debug<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Option<String>>;

    /// Writes a file that the browser of a session has downloaded into one of this machine.
    ///
    /// [`ErrorKind::Download`] when the platform does not hand it over.
    fn download<'a>(&'a self, id: &'a str, name: &'a str, to: &'a mut File) -> BoxFuture<'a, Result<()>>;
}

/// What a new session is to be.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Wanted {
    /// The session to go on with; none for a new one.
    pub(crate) id: Option<String>,
    /// Of a new one, as the platform takes them.
    pub(crate) parameters: Map<String, Value>,
    /// What the platform is to know of the session to run its operations; none when they run here.
    pub(crate) settings: Option<Map<String, Value>>,
}

/// A session to work with.
pub(crate) struct Opened {
    pub(crate) found: Found,
    /// None when the platform runs no operations.
    pub(crate) operations: Option<Operations>,
}

impl Wanted {
    /// The user's own parameters; the option `keepAlive` counts instead of theirs.
    pub(crate) fn of(options: &AutomatorOptions) -> Self {
        let given = options.remote_session_create_params.clone();
        let mut parameters: Map<String, Value> = given.unwrap_or_default().into_iter().collect();
        if let Some(keep_alive) = options.keep_alive {
            parameters.insert("keepAlive".to_owned(), keep_alive.into());
        }
        Self {
            id: options.remote_session_id.clone(),
            parameters,
            settings: can_travel(options).then(|| settings(options)),
        }
    }
}

/// Whether operations can run elsewhere: what is a part of this program, such as a client for models, and files that are
/// written here, cannot go there. What may change from one version to the next runs in one version.
fn can_travel(options: &AutomatorOptions) -> bool {
    options.llm_client.is_none()
        && options.model_connections.is_none()
        && !options.experimental
        && !options.log_inference_to_file
}

/// The settings of a session that its operations go by. Keys of models travel with each call, and are not kept.
fn settings(options: &AutomatorOptions) -> Map<String, Value> {
    let model = options.model.as_ref();
    let name = model.map_or(DEFAULT_MODEL, |model| model.model_name.as_str());
    let mut settings = Map::new();
    settings.insert("modelName".to_owned(), name.into());
    settings.insert("selfHeal".to_owned(), options.self_heal.into());
    settings.insert("verbose".to_owned(), u8::from(options.verbose).into());
    let settling = options.dom_settle_timeout.as_millis();
    settings.insert("domSettleTimeoutMs".to_owned(), json!(settling));
    if let Some(prompt) = &options.system_prompt {
        settings.insert("systemPrompt".to_owned(), prompt.as_str().into());
    }
    settings
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
