//! The documents of the live view, and what they are made of: files that are part of the program.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

/// Nothing but files of this server, no script in a document, no other page around it, and no form that goes anywhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What goes with every answer. The address of a page holds a token, so no other server may hear of it and no cache may
/// keep it.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// A document.
#[derive(Debug, Clone, Copy)]
pub(super) enum Document {
    /// The list of sessions.
    Sessions,
    /// One session.
    Session,
    /// There is no session for whoever asks.
    Missing,
}

pub(super) fn document(status: StatusCode, document: Document) -> Response {
    let text = match document {
        Document::Sessions => include_str!("../../../web/sessions.html"),
        Document::Session => include_str!("../../../web/session.html"),
        Document::Missing => include_str!("../../../web/missing.html"),
    };
    answer(status, HTML, text)
}

pub(super) fn asset(name: &str) -> Response {
    let (kind, text) = match name {
        "view.css" => (STYLE, include_str!("../../../web/view.css")),
        "sessions.js" => (SCRIPT, include_str!("../../../web/sessions.js")),
        "session.js" => (SCRIPT, include_str!("../../../web/session.js")),
        "connection.js" => (SCRIPT, include_str!("../../../web/connection.js")),
        "control.js" => (SCRIPT, include_str!("../../../web/control.js")),
        "part.js" => (SCRIPT, include_str!("../../../web/part.js")),
        "picture.js" => (SCRIPT, include_str!("../../../web/picture.js")),
        "tabs.js" => (SCRIPT, include_str!("../../../web/tabs.js")),
        "words.js" => (SCRIPT, include_str!("../../../web/words.js")),
        "icon.svg" => (PICTURE, include_str!("../../../web/icon.svg")),
        _ => return document(StatusCode::NOT_FOUND, Document::Missing),
    };
    answer(StatusCode::OK, kind, text)
}

fn answer(status: StatusCode, kind: &'static str, text: &'static str) -> Response {
    let mut answer = (status, [(header::CONTENT_TYPE, kind)], text).into_response();
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_hold_no_script_and_no_style_and_name_only_files_that_are_there() {
        for text in [
            include_str!("../../../web/sessions.html"),
            include_str!("../../../web/session.html"),
            include_str!("../../../web/missing.html"),
        ] {
            assert!(!text.contains("style=") && !text.contains("<style"), "{text}");
            assert!(!text.contains(" on") || !text.contains("onclick="), "{text}");
            let mut scripts = text.match_indices("<script");
            assert!(scripts.all(|(at, _)| text[at..].starts_with("<script type=\"module\" src=")));
            let named: Vec<&str> = text
                .split('"')
                .filter_map(|word| word.strip_prefix("/sessions/assets/"))
                .collect();
            assert!(named.contains(&"view.css"), "{text}");
            for name in named {
                assert_eq!(asset(name).status(), StatusCode::OK, "{name}");
            }
        }
    }

    #[test]
    fn every_answer_keeps_the_address_to_itself() {
        for answer in [
            document(StatusCode::OK, Document::Session),
            asset("view.css"),
            asset("nothing"),
        ] {
            for (name, value) in HEADERS {
                assert_eq!(
                    answer.headers().get(&name).and_then(|given| given.to_str().ok()),
                    Some(value)
                );
            }
        }
        assert_eq!(asset("../Cargo.toml").status(), StatusCode::NOT_FOUND);
    }
}
