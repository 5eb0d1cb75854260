//! Operations that run on the platform, beside the browser.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use automator_llm::{TokenCounts, Usage, UsageMeter};
use futures_util::StreamExt as _;
use reqwest::{Method, Response};
use serde_json::Value;

use super::http::{Endpoint, Failure};
use super::stream::{Event, Events, SystemData, ToldShares, ToldUsage};
use crate::cache::KnownAction;
use crate::extract::CacheStatus;
use crate::service::UsageShares;
use crate::session::Session;
use crate::{Error, ErrorKind, Result};

/// The operations of one session.
#[derive(Debug)]
pub(crate) struct Operations {
    endpoint: Endpoint,
    /// The session, as the path of an address.
    session: String,
    /// The header that keeps the cache of the platform out of a call.
    bypass: (&'static str, &'static str),
    /// How long the platform may be silent during a call.
    silence: Option<Duration>,
}

/// One call.
pub(crate) struct Call<'c> {
    pub(crate) session: &'c Session,
    /// Its name in addresses, as `act`.
    pub(crate) operation: &'static str,
    pub(crate) body: Value,
    /// Whether the platform may answer from its cache.
    pub(crate) may_be_cached: bool,
    pub(crate) meter: &'c UsageMeter,
    pub(crate) told: &'c Told,
}

/// What came of a call.
pub(crate) struct Outcome {
    pub(crate) value: Value,
    pub(crate) cache_status: Option<CacheStatus>,
}

/// What the platform has told of a call besides its result.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The last line of the log, so that it is not told twice.
    line: Mutex<Option<(String, String)>>,
    steps: Mutex<Option<Value>>,
    shares: Mutex<Option<UsageShares>>,
}

impl Told {
    /// Whether the platform has told this line last.
    pub(crate) fn is_last(&self, category: &str, message: &str) -> bool {
        let last = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref()
            .is_some_and(|(own, text)| own == category && text == message)
    }

    /// What the steps of the action were; none from a platform that does not say it.
    pub(crate) fn steps(&self) -> Option<Vec<KnownAction>> {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        serde_json::from_value(steps).ok()
    }

    /// What a run of an agent cost, by the kinds of its operations; none from a platform that does not say it.
    pub(crate) fn shares(&self) -> Option<UsageShares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note(&self, category: &str, message: &str) {
        let last = (category.to_owned(), message.to_owned());
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
    }
}

impl Operations {
    pub(crate) fn new(
        endpoint: Endpoint,
        session: String,
        bypass: (&'static str, &'static str),
        silence: Option<Duration>,
    ) -> Self {
        Self {
            endpoint,
            session,
            bypass,
            silence,
        }
    }

    /// Waits for what the platform says next, but not for one that has fallen silent.
    async fn heard<T>(&self, next: impl Future<Output = T>) -> Result<T, Failure> {
        match self.silence {
            None => Ok(next.await),
            Some(limit) => tokio::time::timeout(limit, next)
                .await
                .map_err(|_| self.endpoint.silent(limit)),
        }
    }

    /// Runs a call. Dropping the future ends the work on the platform.
    pub(crate) async fn run(&self, call: &Call<'_>) -> Result<Outcome> {
        let path = format!("{}/{}", self.session, call.operation);
        let mut request = self
            .endpoint
            .request(Method::POST, &path)
            .header("x-stream-response", "true")
            .header("x-language", call.session.options.language)
            .header("x-sdk-version", env!("CARGO_PKG_VERSION"));
        if !call.may_be_cached {
            request = request.header(self.bypass.0, self.bypass.1);
        }
        let sending = self.endpoint.send(request.json(&call.body));
        let answer = self.heard(sending).await.and_then(|answer| answer);
        let answer = answer.map_err(refused)?;
        let header_status = cache_status(&answer);
        let end = self.follow(answer, call).await?;
        call.meter.add(usage(end.usage));
        *call.told.shares.lock().unwrap_or_else(PoisonError::into_inner) = end.shares.map(shares);
        if end.status == "error" {
            return Err(end.failure.map_or_else(
                || Error::new(ErrorKind::Protocol, end.error.unwrap_or_default()),
                Error::from,
            ));
        }
        *call.told.steps.lock().unwrap_or_else(PoisonError::into_inner) = end.steps;
        let hit = end.cache_hit.filter(|is_hit| *is_hit).map(|_| CacheStatus::Hit);
        Ok(Outcome {
            value: end.result,
            cache_status: end
                .cache_status
                .or(header_status)
                .or(hit)
                .filter(|_| call.may_be_cached),
        })
    }

    /// Hands the lines of the log on until the end comes.
    async fn follow(&self, answer: Response, call: &Call<'_>) -> Result<SystemData> {
        let mut events = Events::default();
        let mut pieces = answer.bytes_stream();
        while let Some(piece) = self.heard(pieces.next()).await.map_err(refused)? {
            let piece = piece.map_err(|error| refused(self.endpoint.broken(error)))?;
            for text in events.take(&piece) {
                match serde_json::from_str(&text) {
                    Ok(Event::Log { data }) => {
                        let line = data.message;
                        // How the platform came to its browser is no part of this session.
                        if line.category != "init" {
                            call.told.note(&line.category, &line.message);
                            call.session.log.relay(line);
                        }
                    }
                    Ok(Event::System { data }) if matches!(data.status.as_str(), "finished" | "error") => {
                        return Ok(*data);
                    }
                    Ok(Event::System { .. }) => {}
                    Err(error) => {
                        return Err(refused(self.endpoint.unreadable(error.to_string())));
                    }
                }
            }
        }
        Err(refused(self.endpoint.unreadable("it ended without a result")))
    }
}

fn cache_status(answer: &Response) -> Option<CacheStatus> {
    let headers = answer.headers();
    let header = headers
        .get("x-automator-cache-status")
        .or_else(|| headers.get("browserbase-cache-status"))?;
    serde_json::from_value(Value::from(header.to_str().ok()?.to_uppercase())).ok()
}

fn usage(told: ToldUsage) -> Usage {
    let tokens = TokenCounts {
        prompt: told.prompt_tokens,
        completion: told.completion_tokens,
        reasoning: told.reasoning_tokens,
        cached_input: told.cached_input_tokens,
        ..TokenCounts::default()
    };
    Usage {
        tokens,
        inference_time: Duration::from_millis(told.inference_time_ms),
        calls: 0,
    }
}

fn shares(told: ToldShares) -> UsageShares {
    UsageShares {
        agent: usage(told.agent),
        act: usage(told.act),
        extract: usage(told.extract),
        observe: usage(told.observe),
    }
}

/// What a call failed with that the platform did not finish.
fn refused(failure: Failure) -> Error {
    let message = failure.to_string();
    match failure {
        Failure::Refused {
            error: Some(error), ..
        } => (*error).into(),
        Failure::Refused { status: 401, .. } => {
            Error::new(ErrorKind::Environment, message).hint("check apiKey or REMOTE_API_KEY")
        }
        Failure::Refused {
            status: 404 | 410, ..
        } => Error::new(ErrorKind::RemoteSessionNotFound, message),
        Failure::Refused {
            status: 400 | 422, ..
        } => Error::new(ErrorKind::InvalidArgument, message),
        Failure::Refused { .. } | Failure::Unreadable { .. } => Error::new(ErrorKind::Protocol, message),
        Failure::Unreachable { .. } => Error::new(ErrorKind::CdpConnectionClosed, message),
        Failure::BrokenOff { .. } => Error::new(ErrorKind::CdpConnectionClosed, message)
            .hint("look at the page before trying again: an action may have had its effect"),
    }
}
