//! An operation answered as server-sent events: how far it is, what it logs, and at the end what came of it.

use std::time::Duration;

use automator::LogLine;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};

use super::{OperationFailure, data};
use crate::operations::{Call, Caller, Operations, usage_of};

/// Says which language a client is written in.
const LANGUAGE_HEADER: &str = "x-language";

/// How many messages may wait for a client that does not read.
const WAITING: usize = 16;

/// How long a client may take to read one.
const READING: Duration = Duration::from_secs(60);

/// How often something is sent while nothing happens, so that whoever is in between does not hang up.
const ALIVE: Duration = Duration::from_secs(15);

/// How events are written. The two known clients exclude each other: one fails on `event:`, one ignores what has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `event:` and `data:`.
    Named,
    /// `data:` alone.
    DataAlone,
}

impl Dialect {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let is_typescript = headers
            .get(LANGUAGE_HEADER)
            .is_some_and(|language| language == "typescript");
        if is_typescript {
            Self::DataAlone
        } else {
            Self::Named
        }
    }

    fn write(self, name: &str, data: &Value) -> Bytes {
        match self {
            Self::Named => format!("event: {name}\ndata: {data}\n\n").into(),
            Self::DataAlone => format!("data: {data}\n\n").into(),
        }
    }
}

/// Runs an operation, and answers with its events. It is cancelled when the client hangs up, or does not read.
pub(super) fn respond(
    operations: Operations,
    session: String,
    call: Call,
    caller: Caller,
    dialect: Dialect,
) -> Response {
    let (send, receive) = mpsc::channel(WAITING);
    let events = Events { send, dialect };
    tokio::spawn(events.tell(operations, session, call, caller));
    let body = futures_util::stream::unfold(receive, async |mut receive: mpsc::Receiver<Bytes>| {
        let event = receive.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(event), receive))
    });
    let mut response = Response::new(Body::from_stream(body));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(
        header::CACHE_CONTROL,
        header::HeaderValue::from_static("no-store"),
    );
    response
}

struct Events {
    send: mpsc::Sender<Bytes>,
    dialect: Dialect,
}

/// The client has hung up, or does not read.
struct Gone;

impl Events {
    async fn tell(self, operations: Operations, session: String, call: Call, mut caller: Caller) {
        let (listener, mut lines) = mpsc::unbounded_channel();
        caller.listener = Some(listener);
        let meter = caller.meter.clone();
        let telling = async {
            for status in ["starting", "connected", "running"] {
                self.system(status, json!({})).await?;
            }
            let mut running = std::pin::pin!(operations.run(&session, call, caller));
            let mut alive = interval(ALIVE);
            alive.reset();
            let outcome = loop {
                tokio::select! {
                    biased;
                    Some(line) = lines.recv() => self.log(&line).await?,
                    outcome = &mut running => break outcome,
                    _ = alive.tick() => self.send(Bytes::from_static(b": alive\n\n")).await?,
                    () = self.send.closed() => return Err(Gone),
                }
            };
            while let Ok(line) = lines.try_recv() {
                self.log(&line).await?;
            }
            match outcome {
                Ok(done) => self.system("finished", data(&done)).await,
                Err(error) => {
                    let failure = OperationFailure::from(error);
                    let told = json!({ "error": failure.message, "failure": failure.error,
                        "statusCode": failure.status.as_u16(), "usage": usage_of(&meter) });
                    self.system("error", told).await
                }
            }
        };
        // Whoever has gone is told nothing.
        let _: Result<(), Gone> = telling.await;
    }

    async fn system(&self, status: &str, mut data: Value) -> Result<(), Gone> {
        data["status"] = status.into();
        self.event(status, "system", data).await
    }

    async fn log(&self, line: &LogLine) -> Result<(), Gone> {
        self.event("running", "log", json!({ "status": "running", "message": line }))
            .await
    }

    async fn event(&self, name: &str, kind: &str, data: Value) -> Result<(), Gone> {
        let event = json!({ "id": uuid::Uuid::new_v4().to_string(), "type": kind, "data": data });
        self.send(self.dialect.write(name, &event)).await
    }

    async fn send(&self, event: Bytes) -> Result<(), Gone> {
        match timeout(READING, self.send.send(event)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn each_client_gets_the_events_that_it_reads() {
        let of = |language: &'static str| {
            let headers = HeaderMap::from_iter([(
                header::HeaderName::from_static(LANGUAGE_HEADER),
                HeaderValue::from_static(language),
            )]);
            Dialect::of(&headers).write("running", &json!({ "a": "b\nc" }))
        };
        assert_eq!(of("typescript"), "data: {\"a\":\"b\\nc\"}\n\n");
        assert_eq!(of("python"), "event: running\ndata: {\"a\":\"b\\nc\"}\n\n");
        assert_eq!(Dialect::of(&HeaderMap::new()), Dialect::Named);
    }
}
