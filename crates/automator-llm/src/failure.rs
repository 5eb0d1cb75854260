//! What providers and connections report, as our errors. Pure, except that a date in `retry-after` is compared with
//! the date of the answer or, without one, with the clock.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::connections::ProxyFailure;
use crate::error::{LlmError, RetryAdvice};
use crate::preview::preview;
use crate::retry::is_passing;
use crate::route::Route;
use crate::secret::scrub;
use crate::usage::TokenCounts;

/// An error that came with HTTP 200: gateways do this, and a response of OpenAI may have failed.
pub(crate) fn inside(route: &Route, body: &Value) -> Option<LlmError> {
    let error = ["/error", "/choices/0/error", "/response/error"]
        .iter()
        .filter_map(|place| body.pointer(place))
        .find(|error| !error.is_null())?;
    let code = error.get("code").or_else(|| error.get("status"));
    let status = code.and_then(|code| match code {
        Value::Number(number) => number.as_u64().and_then(|code| u16::try_from(code).ok()),
        Value::String(text) => match text.as_str() {
            "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => Some(429),
            "server_error" | "INTERNAL" | "UNAVAILABLE" | "overloaded_error" => Some(503),
            _ => text.parse().ok(),
        },
        _ => None,
    });
    let wrapped = serde_json::json!({ "error": error }).to_string();
    match status.filter(|status| (400..600).contains(status)) {
        Some(status) => Some(of_status(route, status, &wrapped, &HeaderMap::new())),
        None => Some(LlmError::Provider {
            model: route.name.to_string(),
            status: None,
            message: message(route, &wrapped),
            retry: RetryAdvice::Never,
        }),
    }
}

pub(crate) fn invalid_reply(route: &Route, reason: &str, body: &Value, tokens: TokenCounts) -> LlmError {
    let shown = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    LlmError::InvalidReply {
        model: route.name.to_string(),
        message: reason.to_owned(),
        preview: preview(&clean(route, &shown)),
        tokens,
    }
}

/// The deepest cause of an error, which names what happened and no address.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    preview(&cause.to_string())
}

/// An error of the connection.
pub(crate) fn of_connection(route: &Route, error: reqwest::Error) -> LlmError {
    // The address may carry a key.
    let error = error.without_url();
    if error.is_builder() {
        return LlmError::invalid_option(
            "headers",
            format!(
                "are nothing that a request can be made from: {}",
                clean(route, &innermost(&error))
            ),
        );
    }
    if error.is_connect()
        && let Some(failure) = route.proxy_failure()
    {
        return of_proxy(route, failure);
    }
    no_answer(route, &innermost(&error), !error.is_connect())
}

fn no_answer(route: &Route, message: &str, reached: bool) -> LlmError {
    LlmError::Connection {
        model: route.name.to_string(),
        endpoint: route.origin(),
        message: clean(route, message),
        reached,
    }
}

/// What a proxy in between has failed with.
fn of_proxy(route: &Route, failure: ProxyFailure) -> LlmError {
    match failure {
        ProxyFailure::Refused(why) => {
            LlmError::invalid_option("baseURL", format!("cannot be used: {}", clean(route, &why)))
        }
        ProxyFailure::Unreached(why) => no_answer(route, &why, false),
        ProxyFailure::BrokenOff(why) => no_answer(route, &why, true),
    }
}

/// An answer that a proxy in between has given in the place of the provider.
fn of_own_answer(route: &Route, headers: &HeaderMap) -> Option<LlmError> {
    let told = headers.get(route.shared()?.proxy().own_answers())?;
    let failure = route
        .proxy_failure()
        .unwrap_or_else(|| ProxyFailure::Unreached(preview(&String::from_utf8_lossy(told.as_bytes()))));
    Some(of_proxy(route, failure))
}

/// An answer with the status of an error.
pub(crate) fn of_status(route: &Route, status: u16, body: &str, headers: &HeaderMap) -> LlmError {
    if let Some(error) = of_own_answer(route, headers) {
        return error;
    }
    let model = route.name.to_string();
    let message = message(route, body);
    let asked = retry_after(headers);
    match status {
        401 | 403 => LlmError::Auth {
            model,
            status,
            message,
        },
        429 if !is_out_of_credit(body) => LlmError::RateLimited {
            model,
            message,
            retry_after: asked,
        },
        _ => {
            // A 429 that comes here says that the account is empty.
            let passing = status != 429 && is_passing(status);
            let told_not_to = headers
                .get("x-should-retry")
                .is_some_and(|value| value == "false");
            LlmError::Provider {
                model,
                status: Some(status),
                message,
                retry: match (passing && !told_not_to, asked) {
                    (false, _) => RetryAdvice::Never,
                    (true, None) => RetryAdvice::Backoff,
                    (true, Some(pause)) => RetryAdvice::After(pause),
                },
            }
        }
    }
}

/// A 429 that waiting does not cure.
fn is_out_of_credit(body: &str) -> bool {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    ["/error/code", "/error/type"]
        .iter()
        .filter_map(|place| body.pointer(place)?.as_str())
        .any(|code| matches!(code, "insufficient_quota" | "billing_hard_limit_reached"))
}

/// The provider's words in the body of an error, or its beginning.
fn message(route: &Route, body: &str) -> String {
    let parsed: Value = serde_json::from_str(body).unwrap_or_default();
    // Google wraps it in a list.
    let parsed = parsed.get(0).unwrap_or(&parsed);
    let words = [
        "/error/message",
        "/message",
        "/error",
        "/detail",
        "/error/metadata/raw",
    ]
    .iter()
    .find_map(|place| parsed.pointer(place)?.as_str())
    .unwrap_or(body);
    let words = preview(&clean(route, words));
    if words.is_empty() {
        "it gave no reason".to_owned()
    } else {
        words
    }
}

/// A text from outside without keys.
pub(crate) fn clean(route: &Route, text: &str) -> String {
    scrub(text, route.secrets())
}

/// How long the provider asks us to wait: milliseconds, seconds or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str| {
        text.parse::<f64>()
            .ok()
            .filter(|number| number.is_finite() && *number >= 0.0)
    };
    if let Some(milliseconds) = text("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(milliseconds / 1_000.0).ok();
    }
    let asked = text("retry-after")?;
    if let Some(seconds) = number(asked) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = httpdate::parse_http_date(asked).ok()?;
    let now = text("date")
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or_else(SystemTime::now);
    // A moment that has passed means now.
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::connections::{ModelConnections, ModelProxy};
    use crate::model::ModelOptions;
    use reqwest::header::HeaderValue;

    fn route() -> Route {
        let mut options = ModelOptions::new("openai/gpt-4.1-mini");
        options.api_key = Some("sk-very-secret".into());
        Route::resolve(&options, &|_: &str| None).unwrap()
    }

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        list.iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn pauses_are_read_in_every_form() {
        let date = [
            ("date", "Fri, 27 Nov 2026 10:00:00 GMT"),
            ("retry-after", "Fri, 27 Nov 2026 10:00:30 GMT"),
        ];
        for (list, seconds) in [
            (&[("retry-after", "7")][..], Some(7.0)),
            (&[("retry-after", " 0.5 ")], Some(0.5)),
            (&[("retry-after-ms", "1500"), ("retry-after", "9")], Some(1.5)),
            (&date, Some(30.0)),
            (&[("retry-after", "Fri, 27 Nov 2015 10:00:30 GMT")], Some(0.0)),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "1e400")], None),
            (&[], None),
        ] {
            let pause = retry_after(&headers(list));
            assert_eq!(pause.map(|pause| pause.as_secs_f64()), seconds, "{list:?}");
        }
    }

    #[test]
    fn statuses_become_kinds() {
        let none = HeaderMap::new();
        let of = |status| of_status(&route(), status, "{\"error\":{\"message\":\"no\"}}", &none);
        assert!(matches!(of(401), LlmError::Auth { .. }));
        assert!(matches!(of(403), LlmError::Auth { .. }));
        assert!(matches!(of(429), LlmError::RateLimited { .. }));
        for (status, advice) in [
            (400, RetryAdvice::Never),
            (404, RetryAdvice::Never),
            (408, RetryAdvice::Backoff),
            (409, RetryAdvice::Backoff),
            (425, RetryAdvice::Backoff),
            (500, RetryAdvice::Backoff),
            (501, RetryAdvice::Never),
            (529, RetryAdvice::Backoff),
        ] {
            assert_eq!(of(status).retry_advice(), advice, "{status}");
        }
        let told = of_status(&route(), 503, "", &headers(&[("x-should-retry", "false")]));
        assert_eq!(told.retry_advice(), RetryAdvice::Never);
    }

    #[derive(Debug)]
    struct Proxy(Option<ProxyFailure>);

    impl ModelProxy for Proxy {
        fn address(&self) -> String {
            "http://127.0.0.1:9".to_owned()
        }

        fn own_answers(&self) -> &'static str {
            "x-own"
        }

        fn failure(&self, host: &str, port: u16) -> Option<ProxyFailure> {
            assert_eq!((host, port), ("api.openai.com", 443));
            self.0.clone()
        }
    }

    #[test]
    fn what_a_proxy_in_between_answers_is_no_answer_of_the_provider() {
        let of = |failure: Option<ProxyFailure>, list: &[(&'static str, &'static str)]| {
            let connections = ModelConnections::through_proxy(Arc::new(Proxy(failure))).unwrap();
            of_status(&route().over(Some(connections)), 502, "no", &headers(list))
        };
        let own = [("x-own", "nobody listens there")];
        let refused_connection = "Connection refused".to_owned();
        for (failure, message, was_reached) in [
            (
                Some(ProxyFailure::Unreached(refused_connection.clone())),
                "Connection refused",
                false,
            ),
            (Some(ProxyFailure::BrokenOff("reset".to_owned())), "reset", true),
            (None, "nobody listens there", false),
        ] {
            assert_eq!(
                of(failure, &own),
                LlmError::Connection {
                    model: "openai/gpt-4.1-mini".to_owned(),
                    endpoint: "https://api.openai.com".to_owned(),
                    message: message.to_owned(),
                    reached: was_reached,
                }
            );
        }
        let refused = of(Some(ProxyFailure::Refused("not for callers".to_owned())), &own);
        assert_eq!(
            refused.to_string(),
            "model.baseURL cannot be used: not for callers"
        );
        assert_eq!(refused.retry_advice(), RetryAdvice::Never);
        let from_provider = of(Some(ProxyFailure::Unreached(refused_connection)), &[]);
        assert!(matches!(
            from_provider,
            LlmError::Provider {
                status: Some(502),
                ..
            }
        ));
    }

    #[test]
    fn empty_account_is_not_tried_again() {
        let body = "{\"error\":{\"message\":\"quota\",\"code\":\"insufficient_quota\"}}";
        let error = of_status(&route(), 429, body, &HeaderMap::new());
        assert_eq!(error.retry_advice(), RetryAdvice::Never);
        assert!(matches!(
            error,
            LlmError::Provider {
                status: Some(429),
                ..
            }
        ));
    }

    #[test]
    fn keys_never_show_up_in_messages() {
        let body = "{\"error\":{\"message\":\"Incorrect key: sk-very-secret.\"}}";
        let error = of_status(&route(), 401, body, &HeaderMap::new());
        let text = format!("{error} {error:?}");
        assert!(
            text.contains("Incorrect key: ***.") && !text.contains("sk-very-secret"),
            "{text}"
        );
    }

    #[test]
    fn words_are_found_in_the_usual_places() {
        for (body, words) in [
            (r#"{"error":{"message":"a"}}"#, "a"),
            (r#"{"error":"b"}"#, "b"),
            (r#"{"message":"c"}"#, "c"),
            (r#"{"detail":"d"}"#, "d"),
            (r#"[{"error":{"message":"e"}}]"#, "e"),
            ("<html>f</html>", "<html>f</html>"),
            ("", "it gave no reason"),
        ] {
            assert_eq!(message(&route(), body), words);
        }
    }

    #[test]
    fn errors_inside_answers_are_found() {
        let gateway = serde_json::json!({"error": {"code": 429, "message": "slow down"}});
        assert!(matches!(
            inside(&route(), &gateway),
            Some(LlmError::RateLimited { .. })
        ));
        let failed = serde_json::json!({"status": "failed", "error": {"code": "server_error", "message": "x"}, "output": []});
        assert_eq!(
            inside(&route(), &failed).map(|error| error.retry_advice()),
            Some(RetryAdvice::Backoff)
        );
        let fine = serde_json::json!({"status": "completed", "error": null, "output": []});
        assert_eq!(inside(&route(), &fine), None);
    }
}
