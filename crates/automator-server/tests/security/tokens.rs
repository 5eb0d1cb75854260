//! Tokens on every route: those that it takes, and forged, expired, re-purposed ones and those of other sessions.

use automator_server::token::{Purpose, Signer};

use super::fake::Rig;
use super::routes::{Route, all, belongings};
use super::{ask, patient};

const PURPOSES: [Purpose; 4] = [Purpose::Cdp, Purpose::View, Purpose::Control, Purpose::Files];

/// The name of the secret that the server signs addresses with.
const SECRET: &str = "addresses 1";

/// What a token has to be made for to open a route; none if no token does.
fn opened_by(route: &Route) -> Option<Purpose> {
    match route.path {
        "/v1/cdp/{id}" | "/v1/cdp/{id}/page/{target}" => Some(Purpose::Cdp),
        "/sessions/{id}" | "/v1/sessions/{id}/view" => Some(Purpose::View),
        path if path.contains("/uploads") || path.contains("/downloads") => Some(Purpose::Files),
        _ => None,
    }
}

struct Asked {
    rig: Rig,
    session: String,
    context: String,
}

impl Asked {
    /// Whether a route is open to whoever has nothing but a token.
    async fn opens(&self, route: &Route, token: &str) -> bool {
        let path = route.about(&self.session, &self.context);
        let path = format!("{path}?token={token}");
        let (status, answer) = ask(self.rig.server.address(), route.method, &path, &[], &route.body()).await;
        assert!(token.len() < 20 || !answer.contains(token), "{answer}");
        match (status, route.takes_only_tokens()) {
            (401 | 404, _) => false,
            // It has no files, which only those hear who were let in.
            (501, false) | (101 | 200, true) => true,
            _ => panic!("{route:?}: {answer}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_opens_what_it_was_made_for_and_nothing_else() {
    let rig = patient().await;
    let (session, context) = belongings(&rig.client).await;
    let (other, _) = belongings(&rig.client).await;
    let secret = rig.server.store().secret(SECRET).await.expect("a secret");
    let signer = Signer::new(1, &secret);
    let now = rig.server.store().now().await.expect("a time") / 1000;
    let asked = Asked {
        rig,
        session,
        context,
    };
    let session = asked.session.as_str();
    let mut opened = 0;
    for route in all().iter().filter(|route| !route.is_open()) {
        for purpose in PURPOSES {
            let token = signer.sign(session, purpose, now + 600);
            let expected = opened_by(route).is_some_and(|wanted| purpose.covers(wanted));
            assert_eq!(
                asked.opens(route, &token).await,
                expected,
                "{route:?} {purpose:?}"
            );
            opened += usize::from(expected);
        }
        let purpose = opened_by(route).unwrap_or(Purpose::Control);
        let right = signer.sign(session, purpose, now + 600);
        let (head, mac) = right.rsplit_once('.').expect("a MAC");
        let others = PURPOSES.into_iter().filter(|other| *other != purpose);
        let mut wrong: Vec<String> = others
            .map(|other| right.replacen(purpose.name(), other.name(), 1))
            .collect();
        wrong.extend([
            String::new(),
            "nonsense".to_owned(),
            head.to_owned(),
            format!("{head}."),
            format!(
                "{head}.{}",
                mac.to_ascii_lowercase()
                    .replace(|letter: char| letter.is_ascii_digit(), "a")
            ),
            format!("{head}.{}", &mac[1..]),
            right.replacen(&(now + 600).to_string(), &(now + 601).to_string(), 1),
            right.replacen("v1.1.", "v1.2.", 1),
            right.replacen("v1.", "v2.", 1),
            signer.sign(session, purpose, now - 1),
            signer.sign(session, purpose, 0),
            signer.sign(&other, purpose, now + 600),
            signer.sign("", purpose, now + 600),
            Signer::new(1, b"another secret").sign(session, purpose, now + 600),
            Signer::new(1, b"").sign(session, purpose, now + 600),
        ]);
        for token in wrong {
            assert!(!asked.opens(route, &token).await, "{route:?} with `{token}`");
        }
    }
    // cdp; page and view, each for two purposes; five about files.
    assert!(opened >= 10, "{opened}");
    asked.rig.server.stop().await;
}
