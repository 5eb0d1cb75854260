//! Agents, and runs of them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use automator::{
    AbortSignal, Agent, AgentCallbacks, AgentConfig, AgentConfirm, AgentExecuteOptions, AgentTool,
    AgentToolError, Automator, FunctionTool, from_json,
};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi::{Error, Status};
use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::callback::{Answering, Listener, tell};
use crate::error::{Handed as _, Result};
use crate::json::{parsed, written};
use crate::session::page_of;

/// A tool of the user's own, without its function.
#[napi(object)]
pub struct ToolTraits {
    pub name: String,
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: String,
}

#[napi]
pub struct NativeAgent {
    automator: Automator,
    agent: Agent,
}

impl NativeAgent {
    pub(crate) fn new(
        automator: &Automator,
        config: &str,
        tools: Vec<ToolTraits>,
        calling: Option<Answering>,
    ) -> Result<Self> {
        let mut config: AgentConfig = from_json("config", &parsed(config)?).handed()?;
        config.check().handed()?;
        if let Some(calling) = calling {
            let calling = Arc::new(calling);
            for tool in tools {
                config.tools.push(own_tool(tool, &calling)?);
            }
        }
        Ok(Self {
            automator: automator.clone(),
            agent: automator.agent(config),
        })
    }
}

#[napi]
impl NativeAgent {
    /// A run that begins once it is waited for.
    #[napi]
    pub fn execute(
        &self,
        options: String,
        page: Option<String>,
        listener: Option<Listener>,
        confirm: Option<Answering>,
        has_signal: bool,
    ) -> Result<NativeAgentRun> {
        let mut options: AgentExecuteOptions = from_json("options", &parsed(&options)?).handed()?;
        let signal = AbortSignal::new();
        options.signal = has_signal.then(|| signal.clone());
        options.confirm = confirm.map(confirming);
        let listener = listener.map(Arc::new);
        options.callbacks = listener
            .clone()
            .map(|listener| AgentCallbacks::new(move |event| tell(&listener, event)));
        Ok(NativeAgentRun {
            automator: self.automator.clone(),
            agent: self.agent.clone(),
            asked: Mutex::new(Some((options, page))),
            listener,
            signal,
        })
    }
}

#[napi]
pub struct NativeAgentRun {
    automator: Automator,
    agent: Agent,
    /// The options and the target id of the page, until it is run.
    asked: Mutex<Option<(AgentExecuteOptions, Option<String>)>>,
    listener: Option<Arc<Listener>>,
    signal: AbortSignal,
}

#[napi]
impl NativeAgentRun {
    #[napi]
    pub fn abort(&self, reason: String) {
        self.signal.abort(reason);
    }

    /// Runs it, once. The listener has heard everything by then.
    #[napi]
    pub async fn result(&self) -> Result<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((mut options, page)) = asked else {
            return Err(Error::new(Status::GenericFailure, "the run has begun already"));
        };
        options.page = page_of(&self.automator, page).await?;
        let outcome = self.agent.execute(options).await;
        if let Some(listener) = &self.listener {
            // Its calls come in their order, and this one is waited for. An empty text is no event.
            drop(listener.call_async_catch(String::new()).await);
        }
        written(&outcome.handed()?)
    }
}

/// A no, too, is what cannot be asked.
fn confirming(confirm: Answering) -> AgentConfirm {
    let confirm = Arc::new(confirm);
    AgentConfirm::new(move |request| {
        let confirm = Arc::clone(&confirm);
        async move {
            let request = serde_json::to_string(&request)?;
            Ok(confirm.call_async_catch(request).await?.await? == "true")
        }
    })
}

/// What `agent-tools.ts` makes of a call: it never rejects.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Outcome {
    Value(Value),
    Failure(String),
}

fn own_tool(traits: ToolTraits, calling: &Arc<Answering>) -> Result<Arc<dyn AgentTool>> {
    let name = traits.name.clone();
    let calling = Arc::clone(calling);
    let call = move |arguments: Value| {
        let call = Call::new(&calling);
        let request = json!({ "id": call.id, "tool": name, "input": arguments });
        async move {
            let answer = call.answer(request.to_string()).await?;
            match serde_json::from_str(&answer)? {
                Outcome::Value(value) => Ok(value.into()),
                Outcome::Failure(words) => Err(AgentToolError::from(words)),
            }
        }
    };
    let parameters = parsed(&traits.parameters)?;
    Ok(Arc::new(FunctionTool::new(
        traits.name,
        traits.description,
        parameters,
        call,
    )))
}

static LAST_CALL: AtomicU32 = AtomicU32::new(0);

/// A call of a tool. When it is dropped without an answer, JavaScript is told that nobody waits for it any more.
struct Call {
    id: u32,
    calling: Arc<Answering>,
    is_open: bool,
}

impl Call {
    fn new(calling: &Arc<Answering>) -> Self {
        Self {
            id: LAST_CALL.fetch_add(1, Ordering::Relaxed),
            calling: Arc::clone(calling),
            is_open: true,
        }
    }

    async fn answer(mut self, request: String) -> napi::Result<String> {
        let answer = self.calling.call_async_catch(request).await?.await;
        self.is_open = false;
        answer
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.is_open {
            let message = json!({ "id": self.id, "isOver": true }).to_string();
            self.calling
                .call(message, ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}
