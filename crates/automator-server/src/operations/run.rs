//! One operation: the session's core, the page, the call, its record.

use std::sync::Arc;
use std::time::Instant;

use automator::{
    Automator, LogLine, ModelOptions, Page, Response, Secret, Service, Shares, Steps, ToJson as _, Usage,
    UsageMeter, UsageShares,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::answers::{Answers, CacheStatus, CallAnswers};
use super::automators::Automators;
use super::call::{Call, Work};
use super::counting::Counting;
use super::log::heard_by;
use super::models::{ModelAccess, ModelRefused};
use super::settings::OperationSettings;
use crate::cdp::address_problem;
use crate::options::CacheOptions;
use crate::platform::{Operating, OperationNews, Platform, PlatformError, operation_settings};
use crate::store::{OperationRecord, OperationUsage, Timestamp};
use crate::told_address::without_query;

/// Runs operations; clones are the same one.
#[derive(Debug, Clone)]
pub struct Operations {
    platform: Platform,
    models: Arc<ModelAccess>,
    automators: Arc<Automators>,
    answers: Arc<Answers>,
}

/// Who calls, and what comes with the call.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The public part of the API key.
    pub owner: String,
    /// The key of the session's model, for calls that give none.
    pub model_key: Option<Secret>,
    /// Whether kept answers are neither given nor made.
    pub without_cache: bool,
    /// Who hears the operation's log lines.
    pub listener: Option<UnboundedSender<LogLine>>,
    /// Counts what the operation costs, also when it fails.
    pub meter: UsageMeter,
}

/// An operation that was done.
#[derive(Debug, Clone)]
pub struct Done {
    /// Its id.
    pub id: String,
    /// What came of it.
    pub result: Value,
    /// What it cost.
    pub usage: OperationUsage,
    /// Whether the answer was there; none when nothing is kept for this call.
    pub cache: Option<CacheStatus>,
    /// What the steps of an action were, for the client's own memory.
    pub steps: Option<Value>,
    /// What a run of an agent cost by the kinds of its operations, for the client's own metrics.
    pub shares: Option<Value>,
}

/// Why an operation was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The session is not there.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The model must not be reached from here.
    #[error(transparent)]
    Model(#[from] ModelRefused),
    /// The address must not be reached from here.
    #[error("url: {0}")]
    Address(String),
    /// The core says why.
    #[error(transparent)]
    Core(#[from] automator::Error),
}

impl Operations {
    /// Operations in the sessions of a platform.
    #[must_use]
    pub fn new(platform: Platform, models: ModelAccess, answers: CacheOptions) -> Self {
        Self {
            platform,
            models: Arc::new(models),
            automators: Arc::default(),
            answers: Arc::new(Answers::new(answers)),
        }
    }

    /// Runs a call in a session. Dropping the future cancels it.
    ///
    /// # Errors
    /// [`OperationError`].
    pub async fn run(&self, session: &str, mut call: Call, caller: Caller) -> Result<Done, OperationError> {
        let begun = Instant::now();
        let (operating, record) = self.platform.operate(&caller.owner, session).await?;
        let settings = OperationSettings::stored(operation_settings(&record));
        give_key(&mut call, &settings, caller.model_key);
        let deadline = call.limit().and_then(|limit| begun.checked_add(limit));
        // What is not found out in time is left to the proxy.
        let checking = self.check_models(&mut call);
        before(deadline, checking).await.unwrap_or(Ok(()))?;
        if let Work::Navigate(url, _) = &call.work
            && let Some(problem) = address_problem(url)
        {
            return Err(OperationError::Address(problem));
        }
        let started_at = self.platform.now().await?;
        let keeps = !caller.without_cache && !call.refuses_cache();
        let answers = keeps.then(|| Arc::new(CallAnswers::new(&self.answers, &caller.owner)));
        let service = Service {
            meter: caller.meter.clone(),
            answers: answers.clone().map(|answers| answers as _),
            steps: Steps::default(),
            shares: Shares::default(),
            begun: Some(begun),
        };
        let counting = Counting::begin(&self.platform, session, call.kind(), service.meter.clone());
        let mut running = Running {
            id: uuid::Uuid::new_v4().to_string(),
            session: session.to_owned(),
            call,
            service,
            url: String::new(),
            started_at,
            deadline,
        };
        let mut ended = operating.ended.clone();
        let work = Box::pin(async {
            let connecting = self.automator(session, &operating, settings);
            running.carry_out(connecting).await
        });
        let outcome = tokio::select! {
            biased;
            told = ended.wait_for(Option::is_some) => Err(OperationError::Platform(PlatformError::Ended {
                id: session.to_owned(),
                reason: told.ok().and_then(|reason| reason.clone()).unwrap_or_default(),
            })),
            outcome = heard_by(caller.listener, work) => outcome,
        };
        let usage = running.usage();
        let record = running.record(outcome.as_ref(), self.platform.now().await?);
        self.platform.announce(session, news_of(&record, outcome.is_ok()));
        self.keep(record).await;
        let cache = answers.map(|answers| answers.status(running.service.meter.total().calls));
        counting.end(outcome.is_ok(), cache);
        Ok(Done {
            id: running.id,
            result: outcome?,
            usage,
            cache,
            steps: running.service.steps.told(),
            shares: running.service.shares.told().as_ref().map(shares),
        })
    }

    /// Connects with the browser of a session before its first operation, which then knows what its pages were doing
    /// meanwhile, and need not wait. A failure is left for that operation to tell.
    pub async fn prepare(&self, owner: &str, session: &str) {
        let work = async {
            let (operating, record) = self.platform.operate(owner, session).await?;
            let settings = OperationSettings::stored(operation_settings(&record));
            self.automator(session, &operating, settings).await?;
            Ok::<(), OperationError>(())
        };
        if let Err(error) = work.await {
            tracing::debug!(session, %error, "a session could not be prepared for operations");
        }
    }

    async fn check_models(&self, call: &mut Call) -> Result<(), ModelRefused> {
        if let Some(Some(model)) = call.model_mut() {
            self.models.check(model).await?;
        }
        if let Some(model) = call.inner_model_mut() {
            self.models.check(model).await?;
        }
        Ok(())
    }

    /// The session's core, connected with its browser; that the browser is there is no news to the caller.
    async fn automator(
        &self,
        session: &str,
        operating: &Operating,
        settings: OperationSettings,
    ) -> automator::Result<Automator> {
        // On the heap, for the futures of the core are large, and threads have small stacks.
        let connecting = Box::pin(self.automators.of(session, operating, settings, &self.models));
        heard_by(None, connecting).await
    }

    /// A record that cannot be kept is no reason to fail what has been done.
    async fn keep(&self, record: OperationRecord) {
        if let Err(error) = self.platform.record_operation(&record).await {
            tracing::warn!(session = record.session, %error, "an operation could not be recorded");
        }
    }
}

/// Gives the key that came with the request to the model that it is for: that of the session, or the call's if it is
/// of the same provider.
fn give_key(call: &mut Call, settings: &OperationSettings, key: Option<Secret>) {
    let (Some(model), Some(key)) = (call.model_mut(), key) else {
        return;
    };
    let session = settings.model_name().unwrap_or(automator::DEFAULT_MODEL);
    let model = model.get_or_insert_with(|| ModelOptions::new(session));
    let provider = |name: &str| name.split('/').next().map(str::to_owned);
    let give = |model: &mut ModelOptions| {
        if model.api_key.is_none() && provider(&model.model_name) == provider(session) {
            model.api_key = Some(key.clone());
        }
    };
    give(model);
    if let Some(model) = call.inner_model_mut() {
        give(model);
    }
}

/// What comes of something before a deadline; none when it does not come in time.
async fn before<T>(deadline: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match deadline {
        None => Some(work.await),
        Some(deadline) => tokio::time::timeout_at(deadline.into(), work).await.ok(),
    }
}

/// An operation under way.
struct Running {
    id: String,
    session: String,
    call: Call,
    service: Service,
    url: String,
    started_at: Timestamp,
    /// That of the call as a whole.
    deadline: Option<Instant>,
}

impl Running {
    async fn carry_out(
        &mut self,
        connecting: impl Future<Output = automator::Result<Automator>>,
    ) -> Result<Value, OperationError> {
        let target = self.call.page.as_deref();
        let finding = async {
            let automator = connecting.await?;
            let context = automator.context()?;
            let page = match target {
                Some(target) => context.page_of_target(target).await?,
                None => context.await_active_page().await?,
            };
            Ok::<_, automator::Error>((automator, page))
        };
        let Some(found) = before(self.deadline, finding).await else {
            return Ok(self.call.past_deadline()?);
        };
        let (automator, page) = found?;
        self.url = without_query(&page.url());
        Ok(self.work(&automator, &page).await?)
    }

    async fn work(&self, automator: &Automator, page: &Page) -> automator::Result<Value> {
        let (service, page_of_call) = (self.service.clone(), Some(page.clone()));
        match self.call.work.clone() {
            Work::Act(input, mut options) => {
                options.service = service;
                options.page = page_of_call;
                Ok(json!(automator.act(input).options(options).await?))
            }
            Work::Observe(instruction, mut options) => {
                options.service = service;
                options.page = page_of_call;
                Ok(json!(automator.observe(&instruction).options(options).await?))
            }
            Work::Extract(instruction, schema, mut options) => {
                options.service = service;
                options.page = page_of_call;
                match (instruction, schema) {
                    (None, _) => Ok(json!(automator.page_text().options(options).await?)),
                    (Some(instruction), None) => {
                        Ok(json!(automator.extract(&instruction).options(options).await?))
                    }
                    (Some(instruction), Some(schema)) => {
                        let extract = automator.extract(&instruction).options(options);
                        extract.json_schema(schema).await
                    }
                }
            }
            Work::Agent(config, mut options) => {
                options.service = service;
                options.page = page_of_call;
                Ok(json!(automator.agent(config).execute(*options).await?))
            }
            Work::Navigate(url, options) => {
                let going = page.goto_with(&url, options);
                match before(self.deadline, going).await {
                    Some(response) => Ok(response?.map_or(Value::Null, |response| navigated(&response))),
                    None => self.call.past_deadline(),
                }
            }
        }
    }

    fn usage(&self) -> OperationUsage {
        usage_of(&self.service.meter)
    }

    fn record(&self, outcome: Result<&Value, &OperationError>, ended_at: Timestamp) -> OperationRecord {
        OperationRecord {
            id: self.id.clone(),
            session: self.session.clone(),
            kind: self.call.kind().name().to_owned(),
            parameters: self.call.told.clone(),
            result: match outcome {
                Ok(result) => self.call.told_result(result),
                Err(error) => json!({ "error": self.call.told_error(&error.to_string()) }),
            },
            url: self.url.clone(),
            started_at: self.started_at,
            ended_at,
            usage: self.usage(),
        }
    }
}

/// An operation as it is told to those who look on.
fn news_of(record: &OperationRecord, is_done: bool) -> OperationNews {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let parameters = &record.parameters;
    let asked = ["input", "instruction", "url"]
        .into_iter()
        .find_map(|name| text(parameters.get(name)));
    // An action is told by its description; what it was done to is in the action itself, or in what came of it.
    let given = parameters.get("input").filter(|input| input.is_object());
    let described = given.and_then(|action| text(action.get("description")));
    let selector = text(given.and_then(|action| action.get("selector")))
        .or_else(|| text(record.result.pointer("/actions/0/selector")))
        .or_else(|| text(parameters.get("selector")));
    let tokens = record.usage.prompt_tokens + record.usage.completion_tokens;
    OperationNews {
        time: record.ended_at,
        method: record.kind.clone(),
        instruction: asked.or(described).unwrap_or_default(),
        selector,
        tokens: (tokens > 0).then_some(tokens),
        ok: is_done,
    }
}

/// A response as all languages of ours tell it, and beside it as clients of the hosted contract make one of it: with
/// the members of the DevTools protocol's `Network.Response`.
fn navigated(response: &Response) -> Value {
    let mut told = response.to_json();
    let security = told["securityDetails"].clone();
    told["requestId"] = response.request_id().into();
    told["response"] = json!({
        "url": response.url(),
        "status": response.status(),
        "statusText": response.status_text(),
        "headers": response.headers(),
        "mimeType": response.mime_type(),
        "fromServiceWorker": response.is_from_service_worker(),
        "remoteIPAddress": response.server_address().map(|address| &address.ip_address),
        "remotePort": response.server_address().map(|address| address.port),
        "securityDetails": security,
    });
    told
}

/// What a meter has counted, as it is told.
pub(crate) fn usage_of(meter: &UsageMeter) -> OperationUsage {
    told_usage(meter.total())
}

/// What the kinds of operations in a run of an agent cost, as it is told.
fn shares(shares: &UsageShares) -> Value {
    json!({
        "agent": told_usage(shares.agent),
        "act": told_usage(shares.act),
        "extract": told_usage(shares.extract),
        "observe": told_usage(shares.observe),
    })
}

fn told_usage(usage: Usage) -> OperationUsage {
    OperationUsage {
        prompt_tokens: usage.tokens.prompt,
        completion_tokens: usage.tokens.completion,
        reasoning_tokens: usage.tokens.reasoning,
        cached_input_tokens: usage.tokens.cached_input,
        inference_time_ms: u64::try_from(usage.inference_time.as_millis()).unwrap_or(u64::MAX),
    }
}
