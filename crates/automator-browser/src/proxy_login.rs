//! User name and password for a proxy.
//!
//! The browser takes them only as an answer to `Fetch.authRequired`, which it sends while requests are
//! intercepted. On the session of the browser itself that covers every page, frame and worker. Interception
//! costs a round trip per request, so it is on only until the proxy has accepted: from then on the browser
//! remembers the login by itself.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use automator_cdp::Session;
use automator_cdp::protocol::fetch::{
    AuthChallengeResponse, AuthRequiredEvent, ContinueWithAuth, auth_challenge_response_response,
    auth_challenge_source,
};

use crate::interception::Interception;

/// How long nobody may ask for the login before interception ends.
const QUIET: Duration = Duration::from_secs(2);

/// The login of one browser.
pub(crate) struct ProxyLogin {
    server: String,
    username: String,
    password: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Requests that have been given the login: a second question means that the proxy refused it.
    answered: HashSet<String>,
    is_refused: bool,
    /// Counts the questions, to see whether one came during the quiet time.
    questions: u64,
}

impl std::fmt::Debug for ProxyLogin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ProxyLogin")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl ProxyLogin {
    pub(crate) fn new(server: &str, username: &str, password: &str) -> Self {
        Self {
            server: server.to_owned(),
            username: username.to_owned(),
            password: password.to_owned(),
            state: Mutex::default(),
        }
    }

    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Whether the proxy has refused the login.
    pub(crate) fn is_refused(&self) -> bool {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_refused
    }

    /// Handles `Fetch.authRequired` of the browser's session.
    pub(crate) fn handle(
        self: &Arc<Self>,
        interception: &Arc<Interception>,
        root: &Session,
        required: AuthRequiredEvent,
    ) {
        let answer = self.answer(&required);
        if answer.response == auth_challenge_response_response::PROVIDE_CREDENTIALS {
            tokio::spawn(Arc::clone(self).end_when_quiet(Arc::clone(interception), root.clone()));
        }
        let request_id = required.request_id;
        drop(root.send(&ContinueWithAuth {
            request_id,
            auth_challenge_response: answer,
        }));
    }

    fn answer(&self, required: &AuthRequiredEvent) -> AuthChallengeResponse {
        let answer = |response: &str| AuthChallengeResponse {
            response: response.to_owned(),
            username: None,
            password: None,
        };
        if required.auth_challenge.source.as_deref() != Some(auth_challenge_source::PROXY) {
            return answer(auth_challenge_response_response::DEFAULT);
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.questions += 1;
        if !state.answered.insert(required.request_id.clone()) {
            state.is_refused = true;
            return answer(auth_challenge_response_response::CANCEL_AUTH);
        }
        AuthChallengeResponse {
            username: Some(self.username.clone()),
            password: Some(self.password.clone()),
            ..answer(auth_challenge_response_response::PROVIDE_CREDENTIALS)
        }
    }

    async fn end_when_quiet(self: Arc<Self>, interception: Arc<Interception>, root: Session) {
        let questions = || {
            self.state
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .questions
        };
        let before = questions();
        tokio::time::sleep(QUIET).await;
        if questions() == before && !self.is_refused() {
            self.state
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .answered
                .clear();
            interception.listen_for_login(&root, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(request: &str, source: &str) -> AuthRequiredEvent {
        let mut event = AuthRequiredEvent {
            request_id: request.to_owned(),
            ..AuthRequiredEvent::default()
        };
        event.auth_challenge.source = Some(source.to_owned());
        event
    }

    #[test]
    fn login_is_given_once_per_request_and_to_the_proxy_only() {
        let login = ProxyLogin::new("http://proxy", "me", "secret");
        assert_eq!(login.answer(&question("1", "Server")).response, "Default");
        let given = login.answer(&question("1", "Proxy"));
        assert_eq!(
            (given.username.as_deref(), given.password.as_deref()),
            (Some("me"), Some("secret"))
        );
        assert_eq!(
            login.answer(&question("2", "Proxy")).response,
            "ProvideCredentials"
        );
        assert!(!login.is_refused());
        let again = login.answer(&question("1", "Proxy"));
        assert_eq!((again.response.as_str(), again.password), ("CancelAuth", None));
        assert!(login.is_refused());
        assert!(!format!("{login:?}").contains("secret"));
    }
}
