//! One run: what stays the same over its steps, and the operations that its tools call.

use std::sync::Arc;
use std::time::Duration;

use automator_llm::{LlmClient, ModelOptions, Usage, UsageMeter};
use serde_json::Value;

use super::confirm::{Confirming, Pauses};
use super::coordinates::Unit;
use super::event::Listeners;
use crate::act::{ActInput, ActManner, ActRequest, Guard, act};
use crate::action::{ActResult, Action};
use crate::cache::KnownAction;
use crate::extract::{ExtractRequest, Manner, extract, extract_from_memory};
use crate::observe::{ObserveRequest, observe};
use crate::options::{
    ActOptions, AgentConfig, AgentExecuteOptions, AgentMode, ExtractOptions, ObserveOptions,
};
use crate::page::Page;
use crate::service::{Service, Steps, UsageShares};
use crate::session::Session;
use crate::variables::{Variables, with_texts};
use crate::{Error, Result};

/// The limit of a call of a tool that sets none.
const TOOL_LIMIT: Duration = Duration::from_secs(45);

/// The model calls of operations inside a run: all, and those of each kind.
#[derive(Debug)]
pub(super) struct Inner {
    all: UsageMeter,
    act: UsageMeter,
    observe: UsageMeter,
    extract: UsageMeter,
}

impl Inner {
    /// One that also counts into a meter.
    pub(super) fn part_of(meter: &UsageMeter) -> Self {
        let all = meter.part();
        Self {
            act: all.part(),
            observe: all.part(),
            extract: all.part(),
            all,
        }
    }

    pub(super) fn total(&self) -> Usage {
        self.all.total()
    }

    /// Beside what the agent itself has cost.
    pub(super) fn shares(&self, agent: Usage) -> UsageShares {
        UsageShares {
            agent,
            act: self.act.total(),
            extract: self.extract.total(),
            observe: self.observe.total(),
        }
    }
}

fn counted_by(meter: &UsageMeter) -> Service {
    Service {
        meter: meter.part(),
        ..Service::default()
    }
}

/// What stays the same over a run.
pub(super) struct Run<'r> {
    pub(super) session: &'r Arc<Session>,
    pub(super) config: &'r AgentConfig,
    pub(super) options: &'r AgentExecuteOptions,
    pub(super) mode: AgentMode,
    pub(super) unit: Unit,
    pub(super) variables: Variables,
    pub(super) client: Arc<dyn LlmClient>,
    /// The agent's own model calls.
    pub(super) meter: UsageMeter,
    /// The model calls of operations inside.
    pub(super) inner: Inner,
    pub(super) listeners: Listeners,
    pub(super) confirming: Option<Arc<Confirming>>,
    pub(super) pauses: Pauses,
}

impl Run<'_> {
    /// A text without values of the run's variables. Those of earlier calls stay where the page shows them as its own
    /// text: what one call has typed would make another's results unreadable.
    pub(super) fn mask(&self, text: &str) -> String {
        self.variables.mask(text)
    }

    /// As [`mask`](Self::mask), for an address, which may hold what an earlier call has typed.
    pub(super) fn mask_address(&self, address: &str) -> String {
        self.session.masked_with(&self.variables, address)
    }

    /// As [`mask`](Self::mask), for every text in a value.
    pub(super) fn mask_value(&self, value: Value) -> Value {
        with_texts(value, &|text| self.mask(text))
    }

    /// How long a call of a tool may take; none for as long as it likes.
    pub(super) fn tool_limit(&self) -> Option<Duration> {
        Some(self.options.tool_timeout.unwrap_or(TOOL_LIMIT)).filter(|limit| !limit.is_zero())
    }

    /// Whether what is done is to be remembered as a plan.
    pub(super) fn remembers(&self) -> bool {
        self.session.options.cache_dir.is_some() && self.options.messages.is_none()
    }

    fn execution_model(&self) -> Option<ModelOptions> {
        let config = self.config;
        config.execution_model.clone().or_else(|| config.model.clone())
    }

    /// Does something, and says to what, for a plan; none when that cannot be told.
    pub(super) async fn act(
        &self,
        page: &Page,
        input: ActInput,
    ) -> Result<(ActResult, Option<Vec<KnownAction>>)> {
        let manner = ActManner {
            is_brief: true,
            ..self.act_manner()
        };
        self.act_in(page, input, manner).await
    }

    /// Does an action whose element is known, and leaves the frames that it brings to whoever needs them.
    pub(super) async fn act_again(&self, page: &Page, action: Action) -> Result<ActResult> {
        let manner = ActManner {
            leaves_frames: true,
            ..self.act_manner()
        };
        let (result, _) = self.act_in(page, ActInput::Action(action), manner).await?;
        Ok(result)
    }

    fn act_manner(&self) -> ActManner {
        ActManner {
            guard: self
                .confirming
                .clone()
                .map(|confirming| confirming as Arc<dyn Guard>),
            task: Some(self.options.instruction.clone()),
            without_memory: true,
            ..ActManner::default()
        }
    }

    async fn act_in(
        &self,
        page: &Page,
        input: ActInput,
        manner: ActManner,
    ) -> Result<(ActResult, Option<Vec<KnownAction>>)> {
        let service = counted_by(&self.inner.act);
        let steps: Steps = service.steps.clone();
        let request = ActRequest {
            input,
            options: ActOptions {
                model: self.execution_model(),
                variables: self.options.variables.clone(),
                // The limit of the tool's call holds.
                timeout: Some(Duration::ZERO),
                page: Some(page.clone()),
                service,
                ..ActOptions::default()
            },
            manner,
        };
        let result = Box::pin(act(self.session, &request)).await?;
        let known = steps
            .told()
            .and_then(|told| serde_json::from_value(told).ok())
            .filter(|_| result.success);
        Ok((result, known))
    }

    /// Finds elements.
    pub(super) async fn observe(&self, page: &Page, instruction: String) -> Result<Vec<Action>> {
        let request = ObserveRequest {
            instruction,
            task: Some(self.options.instruction.clone()),
            options: ObserveOptions {
                model: self.execution_model(),
                variables: self.options.variables.clone(),
                timeout: Some(Duration::ZERO),
                page: Some(page.clone()),
                service: counted_by(&self.inner.observe),
                ..ObserveOptions::default()
            },
        };
        Ok(Box::pin(observe(self.session, &request)).await?.actions)
    }

    /// Reads something off the page.
    pub(super) async fn extract(
        &self,
        page: &Page,
        instruction: &str,
        schema: Option<Value>,
    ) -> Result<Value> {
        let request = self.extraction(page, instruction, schema);
        Ok(Box::pin(extract(self.session, &request)).await?.value)
    }

    /// As [`extract`](Self::extract), by what is remembered of an earlier one; none when that does not do.
    pub(super) async fn extract_from_memory(
        &self,
        page: &Page,
        instruction: &str,
        schema: Option<Value>,
    ) -> Result<Option<Value>> {
        let request = self.extraction(page, instruction, schema);
        Box::pin(extract_from_memory(self.session, &request)).await
    }

    fn extraction(&self, page: &Page, instruction: &str, schema: Option<Value>) -> ExtractRequest {
        ExtractRequest {
            instruction: instruction.to_owned(),
            schema,
            options: ExtractOptions {
                model: self.execution_model(),
                timeout: Some(Duration::ZERO),
                page: Some(page.clone()),
                service: counted_by(&self.inner.extract),
                ..ExtractOptions::default()
            },
            with_provenance: false,
            manner: Manner::default(),
        }
    }

    /// What the model is told of files that pages have saved and that must not stay; none when all may.
    pub(super) async fn refusal_of_downloads(&self, page: &Page) -> Option<String> {
        match &self.confirming {
            Some(confirming) => confirming.refusal_of_downloads(page).await,
            None => None,
        }
    }

    /// Why an address must not be gone to; none when it may.
    pub(super) async fn refusal_of_address(&self, page: &Page, url: &str) -> Option<String> {
        match &self.confirming {
            Some(confirming) => confirming.refusal_of_address(page, url).await,
            None => None,
        }
    }
}

/// Whether a run cannot go on after this, whatever its model thinks of.
pub(super) fn ends_the_run(error: &Error) -> bool {
    use crate::ErrorKind as K;
    matches!(
        error.kind(),
        K::NotInitialized | K::CdpConnectionClosed | K::RemoteSessionNotFound
    )
}
