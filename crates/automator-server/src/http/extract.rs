//! Parts of requests that the web framework takes apart, refused in words of our own.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde::de::DeserializeOwned;

use super::failure::Failure;

/// The names in the path of an address. They are texts, so all that can be wrong with them is how they are written.
pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let names = axum::extract::Path::from_request_parts(parts, state).await;
        names.map(|axum::extract::Path(names)| Self(names)).map_err(|_| {
            Failure::bad_request("the address cannot be read: what its percent signs stand for is no UTF-8")
        })
    }
}

/// The members of the query of an address. They are texts, and each may be there once.
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let members = axum::extract::Query::try_from_uri(&parts.uri);
        members
            .map(|axum::extract::Query(members)| Self(members))
            .map_err(|_| Failure::bad_request(query_problem(parts.uri.query().unwrap_or_default())))
    }
}

fn query_problem(query: &str) -> String {
    let names: Vec<String> = url::form_urlencoded::parse(query.as_bytes())
        .map(|(name, _)| name.into_owned())
        .collect();
    let mut later = names.iter().enumerate();
    match later.find(|(place, name)| names.iter().take(*place).any(|earlier| earlier == *name)) {
        Some((_, name)) => format!("`{}` is in the query of the address twice", name.escape_debug()),
        None => "the query of the address cannot be read".to_owned(),
    }
}

/// A request that becomes a WebSocket.
pub(super) struct Upgrade(pub(super) WebSocketUpgrade);

impl<S: Send + Sync> FromRequestParts<S> for Upgrade {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let upgrade = WebSocketUpgrade::from_request_parts(parts, state).await;
        upgrade.map(Self).map_err(|rejection| {
            let status = rejection.status();
            let message = format!(
                "this is the address of a WebSocket: {}",
                upgrade_problem(&rejection)
            );
            Failure::new(status, message)
        })
    }
}

fn upgrade_problem(rejection: &WebSocketUpgradeRejection) -> &'static str {
    use WebSocketUpgradeRejection as R;
    match rejection {
        R::MethodNotGet(_) | R::MethodNotConnect(_) => "it is opened with GET",
        R::InvalidConnectionHeader(_) => "the header `connection` has to say `upgrade`",
        R::InvalidUpgradeHeader(_) => "the header `upgrade` has to say `websocket`",
        R::InvalidWebSocketVersionHeader(_) => "the header `sec-websocket-version` has to say `13`",
        R::WebSocketKeyHeaderMissing(_) => "the header `sec-websocket-key` is missing",
        _ => "the connection cannot become one",
    }
}

/// A body that has come in whole.
pub(super) struct Whole(pub(super) Bytes);

impl<S: Send + Sync> FromRequest<S> for Whole {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let body = Bytes::from_request(request, state).await;
        body.map(Self).map_err(|rejection: BytesRejection| {
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                // How large it may be is said where the limits are.
                return rejection.into_response();
            }
            tracing::debug!(error = rejection.body_text(), "a body broke off");
            Failure::bad_request("the body did not come in whole").into_response()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_that_is_there_twice_is_named() {
        let problem = query_problem("a=1&token=x&b=2&tok%65n=y&a=3");
        assert_eq!(problem, "`token` is in the query of the address twice");
        assert_eq!(query_problem("a=1"), "the query of the address cannot be read");
    }
}
