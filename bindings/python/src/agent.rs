//! Agents, and the functions of the user that they call.

use std::sync::Arc;

use automator::{
    AbortSignal, Agent, AgentCallbacks, AgentConfig, AgentConfirm, AgentExecuteOptions, AgentTool, Automator,
    FunctionTool, from_json,
};
use pyo3::prelude::*;
use serde_json::Value;

use crate::callback::{asked, tell};
use crate::error::Handed as _;
use crate::json::{parsed, written};
use crate::messenger::deliver;
use crate::session::page_of;
use crate::work::{Work, work};

/// A tool of the user's own: name, description, the JSON Schema of its arguments, and what calls it.
pub(crate) type OwnTool = (String, String, String, Py<PyAny>);

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeAgent {
    automator: Automator,
    agent: Agent,
}

impl NativeAgent {
    pub(crate) fn new(automator: &Automator, given: &str, tools: Vec<OwnTool>) -> PyResult<Self> {
        let mut config: AgentConfig = from_json("config", &parsed(given)?).handed()?;
        config.check().handed()?;
        for tool in tools {
            config.tools.push(own_tool(tool)?);
        }
        Ok(Self {
            automator: automator.clone(),
            agent: automator.agent(config),
        })
    }
}

#[pymethods]
impl NativeAgent {
    /// Does a task. The listener gets events as JSON, `confirm` a question as JSON. The result is JSON.
    #[pyo3(signature = (given, page, listener, confirm, signal))]
    fn execute(
        &self,
        given: &str,
        page: Option<String>,
        listener: Option<Py<PyAny>>,
        confirm: Option<Py<PyAny>>,
        signal: Option<&NativeSignal>,
    ) -> PyResult<Work> {
        let mut options: AgentExecuteOptions = from_json("options", &parsed(given)?).handed()?;
        options.callbacks = listener.map(callbacks);
        options.confirm = confirm.map(confirming);
        options.signal = signal.map(|signal| signal.0.clone());
        let (automator, agent) = (self.automator.clone(), self.agent.clone());
        Ok(work(async move {
            options.page = page_of(&automator, page).await?;
            written(&agent.execute(options).await.handed()?)
        }))
    }
}

/// What ends runs from outside.
#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeSignal(AbortSignal);

#[pymethods]
impl NativeSignal {
    #[new]
    fn new() -> Self {
        Self(AbortSignal::new())
    }

    fn abort(&self, py: Python<'_>, reason: String) {
        py.detach(|| self.0.abort(reason));
    }

    fn reason(&self) -> Option<String> {
        self.0.reason()
    }
}

fn callbacks(listener: Py<PyAny>) -> AgentCallbacks {
    let listener = Arc::new(listener);
    AgentCallbacks::new(move |event| {
        let Ok(text) = serde_json::to_string(event) else {
            return;
        };
        let listener = Arc::clone(&listener);
        deliver(move |py| tell(py, &listener, (text,)));
    })
}

/// A no, too, is what cannot be asked.
fn confirming(confirm: Py<PyAny>) -> AgentConfirm {
    let confirm = Arc::new(confirm);
    AgentConfirm::new(move |request| {
        let confirm = Arc::clone(&confirm);
        async move { Ok(asked(&confirm, serde_json::to_string(&request)?).await? == "true") }
    })
}

fn own_tool((name, description, parameters, call): OwnTool) -> PyResult<Arc<dyn AgentTool>> {
    let call = Arc::new(call);
    let calling = move |arguments: Value| {
        let call = Arc::clone(&call);
        async move {
            let answer: Value = serde_json::from_str(&asked(&call, arguments.to_string()).await?)?;
            Ok(answer.into())
        }
    };
    let parameters = parsed(&parameters)?;
    Ok(Arc::new(FunctionTool::new(
        name,
        description,
        parameters,
        calling,
    )))
}
