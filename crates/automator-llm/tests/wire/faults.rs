//! Every fault ends in the right value or the right error, in every form of interface.

use std::time::Duration;

use automator_llm::{LlmError, RetryAdvice};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wiremock::{MockServer, ResponseTemplate};

use crate::forms::{ALL, Form};
use crate::server::{ask, bodies, client_of, ok, provider, status};

const GOOD: &str = "{\"keeper\":\"Odile\",\"height\":41}";

fn odile() -> Value {
    json!({"keeper": "Odile", "height": 41})
}

async fn provider_of(
    form: Form,
    script: Vec<ResponseTemplate>,
) -> (MockServer, std::sync::Arc<dyn automator_llm::LlmClient>) {
    let server = provider(script).await;
    let client = client_of(form.model(), &format!("{}/v1", server.uri()));
    (server, client)
}

/// The answer to texts, one a round.
async fn answer(form: Form, texts: &[&str]) -> Result<Value, LlmError> {
    let script = texts.iter().map(|text| ok(form.text(text))).collect();
    let (_server, client) = provider_of(form, script).await;
    ask(client.as_ref())
        .await
        .map(|answered| answered.value)
        .map_err(|failure| failure.error)
}

#[tokio::test]
async fn odd_writings_of_a_good_answer_are_read() {
    let encoded = serde_json::to_string(GOOD).unwrap();
    for form in ALL {
        for text in [
            GOOD,
            &format!("```json\n{GOOD}\n```"),
            &format!("Here is what I found:\n{GOOD}\nAnything else?"),
            &format!("<think>The reply could be {{\"keeper\":\"X\"}} but no.</think>\n{GOOD}"),
            &format!("<reasoning>hm</reasoning>{GOOD}"),
            &format!("\u{feff}  {GOOD} "),
            &encoded,
            &format!("{{\"result\": {GOOD}}}"),
            &format!("[{GOOD}]"),
            "{\"keeper\":\"Odile\",\"height\":\"41\",\"link\":null}",
            "{'keeper': 'Odile', 'height': 41,}",
        ] {
            assert_eq!(answer(form, &[text]).await, Ok(odile()), "{form:?} {text}");
        }
    }
}

#[tokio::test]
async fn wrong_ids_are_corrected_or_refused() {
    let wrong = "{\"keeper\":\"Odile\",\"height\":41,\"link\":\"0-99\"}";
    let right = "{\"keeper\":\"Odile\",\"height\":41,\"link\":\"[0-1]\"}";
    for form in ALL {
        let corrected = answer(form, &[wrong, right]).await.unwrap();
        assert_eq!(corrected["link"], "https://coast.example/lighthouse", "{form:?}");
        let Err(LlmError::SchemaValidation { violations, .. }) = answer(form, &[wrong, wrong]).await else {
            panic!("{form:?}")
        };
        assert_eq!(violations[0].pointer, "/link");
    }
}

#[tokio::test]
async fn correction_repeats_the_question_and_adds_the_problem() {
    for form in ALL {
        let script = vec![ok(form.text("{\"keeper\":\"Odile\"}")), ok(form.text(GOOD))];
        let (server, client) = provider_of(form, script).await;
        assert_eq!(ask(client.as_ref()).await.unwrap().attempts, 2);
        let bodies = bodies(&server).await;
        let (first, second) = (form.texts(&bodies[0]), form.texts(&bodies[1]));
        assert!(second.starts_with(&first), "{form:?}\n{first}\n---\n{second}");
        let added = &second[first.len()..];
        assert!(
            added.contains("{\"keeper\":\"Odile\"}") && added.contains("\"height\" is a required property"),
            "{added}"
        );
    }
}

#[tokio::test]
async fn prose_alone_is_unusable() {
    for form in ALL {
        let error = answer(form, &["I would rather chat"]).await.unwrap_err();
        assert!(
            matches!(&error, LlmError::UnusableReply { preview, .. } if preview == "I would rather chat"),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn empty_answer_is_asked_again_and_then_unusable() {
    for form in ALL {
        let (_server, client) = provider_of(form, vec![ok(form.empty()), ok(form.text(GOOD))]).await;
        assert_eq!(ask(client.as_ref()).await.unwrap().value, odile(), "{form:?}");
        let (server, client) = provider_of(form, vec![ok(form.empty())]).await;
        let failure = ask(client.as_ref()).await.unwrap_err();
        assert!(
            matches!(failure.error, LlmError::UnusableReply { .. }),
            "{form:?} {failure}"
        );
        assert_eq!(bodies(&server).await.len(), 2);
        assert_eq!(failure.usage.tokens.prompt, 200, "{form:?}");
    }
}

#[tokio::test]
async fn cut_off_answer_is_given_more_room() {
    for form in ALL {
        let script = vec![ok(form.cut_off("{\"keeper\":\"Odi")), ok(form.text(GOOD))];
        let (server, client) = provider_of(form, script).await;
        assert_eq!(ask(client.as_ref()).await.unwrap().value, odile(), "{form:?}");
        let limit = |body: &Value| {
            [
                "/max_output_tokens",
                "/max_tokens",
                "/generationConfig/maxOutputTokens",
            ]
            .iter()
            .find_map(|place| body.pointer(place)?.as_u64())
            .unwrap_or(0)
        };
        let bodies = bodies(&server).await;
        // Anthropic demands a limit, so that the first is the largest already.
        let first = if form == Form::Anthropic { 64_000 } else { 0 };
        assert_eq!(limit(&bodies[0]), first, "{form:?}");
        assert!(limit(&bodies[1]) >= 32_768, "{form:?}");
    }
}

#[tokio::test]
async fn answer_cut_off_twice_is_reported() {
    for form in ALL {
        let mut model = form.model();
        model["maxOutputTokens"] = json!(50);
        let server = provider(vec![ok(form.cut_off("{\"keeper\":\"Odi"))]).await;
        let failure = ask(client_of(model, &format!("{}/v1", server.uri())).as_ref())
            .await
            .unwrap_err();
        assert!(
            matches!(failure.error, LlmError::CutOff { .. }),
            "{form:?} {failure}"
        );
        assert_eq!(
            (bodies(&server).await.len(), failure.usage.tokens.completion),
            (2, 40),
            "{form:?}"
        );
    }
}

#[tokio::test]
async fn refusal_is_reported_in_the_models_words() {
    for form in ALL {
        let (server, client) = provider_of(form, vec![ok(form.refusal("I must not."))]).await;
        let failure = ask(client.as_ref()).await.unwrap_err();
        let LlmError::Refused { message, .. } = &failure.error else {
            panic!("{form:?} {failure}")
        };
        assert!(message.contains("I must not."), "{form:?} {message}");
        assert_eq!(
            (bodies(&server).await.len(), failure.usage.tokens.prompt),
            (1, 100),
            "{form:?}"
        );
    }
}

#[tokio::test]
async fn rate_limit_is_waited_out() {
    for form in ALL {
        let limited = status(429).insert_header("retry-after", "1");
        let (server, client) = provider_of(form, vec![limited, ok(form.text(GOOD))]).await;
        let started = std::time::Instant::now();
        let answered = ask(client.as_ref()).await.unwrap();
        assert!(started.elapsed() >= Duration::from_secs(1), "{form:?}");
        assert_eq!((answered.usage.calls, bodies(&server).await.len()), (2, 2));
        assert!(
            answered.usage.inference_time < started.elapsed(),
            "pauses are not inference"
        );
    }
}

#[tokio::test]
async fn lasting_rate_limit_is_reported() {
    for form in ALL {
        let limited = status(429).insert_header("retry-after", "3600");
        let (server, client) = provider_of(form, vec![limited]).await;
        let failure = ask(client.as_ref()).await.unwrap_err();
        let LlmError::RateLimited { retry_after, .. } = failure.error else {
            panic!("{form:?} {failure}")
        };
        assert_eq!(retry_after, Some(Duration::from_secs(3600)));
        assert_eq!(bodies(&server).await.len(), 1, "an hour is not waited");
    }
}

#[tokio::test]
async fn server_errors_are_tried_again_a_few_times() {
    for form in ALL {
        let (_server, client) = provider_of(form, vec![status(500), status(529), ok(form.text(GOOD))]).await;
        assert_eq!(ask(client.as_ref()).await.unwrap().usage.calls, 3, "{form:?}");
        let (server, client) = provider_of(form, vec![status(503)]).await;
        let failure = ask(client.as_ref()).await.unwrap_err();
        assert!(
            matches!(
                failure.error,
                LlmError::Provider {
                    status: Some(503),
                    ..
                }
            ),
            "{form:?} {failure}"
        );
        assert_eq!(
            (failure.usage.calls, bodies(&server).await.len()),
            (4, 4),
            "{form:?}"
        );
    }
}

#[tokio::test]
async fn requests_that_the_provider_refuses_are_not_tried_again() {
    for form in ALL {
        for code in [400, 404, 422] {
            let (server, client) = provider_of(form, vec![status(code)]).await;
            let failure = ask(client.as_ref()).await.unwrap_err();
            let LlmError::Provider {
                status,
                message,
                retry,
                ..
            } = &failure.error
            else {
                panic!("{form:?} {failure}")
            };
            assert_eq!(
                (*status, message.as_str(), *retry),
                (Some(code), &*format!("scripted {code}"), RetryAdvice::Never)
            );
            assert_eq!(bodies(&server).await.len(), 1);
        }
    }
}

#[tokio::test]
async fn refused_key_is_reported_without_the_key() {
    for form in ALL {
        for code in [401, 403] {
            let refused = ResponseTemplate::new(code)
                .set_body_json(json!({"error": {"message": "Incorrect API key provided: sk-very-secret"}}));
            let (_server, client) = provider_of(form, vec![refused]).await;
            let failure = ask(client.as_ref()).await.unwrap_err();
            assert!(matches!(failure.error, LlmError::Auth { .. }), "{form:?}");
            let text = format!("{failure} {failure:?}");
            assert!(
                !text.contains("very-secret") && text.contains("Incorrect API key"),
                "{text}"
            );
        }
    }
}

#[tokio::test]
async fn answers_that_are_none_are_unreadable() {
    for form in ALL {
        for body in [
            ResponseTemplate::new(200).set_body_raw("<html>busy</html>", "text/html"),
            ResponseTemplate::new(200).set_body_raw("{\"id\": \"cut", "application/json"),
            ok(json!({"hello": 1})),
            ok(json!([])),
            ok(Value::Null),
        ] {
            let (_server, client) = provider_of(form, vec![body]).await;
            let failure = ask(client.as_ref()).await.unwrap_err();
            assert!(
                matches!(failure.error, LlmError::InvalidReply { .. }),
                "{form:?} {failure:?}"
            );
            assert_eq!(failure.usage.calls, 1);
        }
    }
}

#[tokio::test]
async fn errors_inside_an_answer_are_errors() {
    for form in ALL {
        let gateway = ok(json!({"error": {"code": 502, "message": "upstream is down"}}));
        let (_server, client) = provider_of(form, vec![gateway, ok(form.text(GOOD))]).await;
        assert_eq!(ask(client.as_ref()).await.unwrap().usage.calls, 2, "{form:?}");
    }
}

#[tokio::test]
async fn slow_answer_is_waited_for_and_a_deadline_ends_it() {
    for form in ALL {
        let slow = |delay: u64| ok(form.text(GOOD)).set_delay(Duration::from_millis(delay));
        let (_server, client) = provider_of(form, vec![slow(150)]).await;
        assert_eq!(ask(client.as_ref()).await.unwrap().value, odile());
        let (server, client) = provider_of(form, vec![slow(60_000)]).await;
        let ended = tokio::time::timeout(Duration::from_millis(300), ask(client.as_ref())).await;
        assert!(ended.is_err());
        assert_eq!(
            bodies(&server).await.len(),
            1,
            "nothing is sent after the deadline"
        );
    }
}

#[tokio::test]
async fn nobody_there_is_a_connection_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for form in ALL {
        let failure = ask(client_of(form.model(), &format!("http://{address}/v1")).as_ref())
            .await
            .unwrap_err();
        let LlmError::Connection {
            endpoint, reached, ..
        } = &failure.error
        else {
            panic!("{form:?} {failure:?}")
        };
        assert_eq!(
            (endpoint.as_str(), *reached),
            (&*format!("http://{address}"), false)
        );
        assert_eq!(failure.usage.calls, 0, "the provider was never reached");
    }
}

/// Answers the first connections with what is given, as bytes, and then like a provider.
async fn raw_provider(first: Vec<&'static [u8]>, then: Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut first = first.into_iter();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = vec![0_u8; 65_536];
            let _ = stream.read(&mut buffer).await;
            match first.next() {
                Some(bytes) => {
                    let _ = stream.write_all(bytes).await;
                }
                None => {
                    let body = then.to_string();
                    let head = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                        body.len()
                    );
                    let _ = stream.write_all(head.as_bytes()).await;
                    let _ = stream.write_all(body.as_bytes()).await;
                }
            }
        }
    });
    format!("http://{address}/v1")
}

#[tokio::test]
async fn connection_that_breaks_is_tried_again() {
    const HALF: &[u8] =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{\"id\":";
    const NONSENSE: &[u8] = b"not http at all\r\n\r\n";
    for form in ALL {
        let base = raw_provider(vec![b"", HALF, NONSENSE], form.text(GOOD)).await;
        let answered = ask(client_of(form.model(), &base).as_ref()).await.unwrap();
        assert_eq!((answered.value, answered.usage.calls), (odile(), 4), "{form:?}");
    }
}

#[tokio::test]
async fn connection_that_keeps_breaking_is_reported() {
    for form in ALL {
        let base = raw_provider(vec![b""; 20], Value::Null).await;
        let failure = ask(client_of(form.model(), &base).as_ref()).await.unwrap_err();
        assert!(
            matches!(failure.error, LlmError::Connection { reached: true, .. }),
            "{form:?} {failure:?}"
        );
        assert_eq!(failure.usage.calls, 4);
    }
}

#[tokio::test]
async fn handshake_that_fails_is_a_connection_error() {
    let base = raw_provider(vec![b"no encryption here\r\n"; 20], Value::Null)
        .await
        .replace("http:", "https:");
    let failure = ask(client_of(Form::Responses.model(), &base).as_ref())
        .await
        .unwrap_err();
    assert!(
        matches!(failure.error, LlmError::Connection { reached: false, .. }),
        "{failure:?}"
    );
}
