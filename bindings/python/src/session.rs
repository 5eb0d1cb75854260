//! The session: `Automator` and `AsyncAutomator` of the Python half stand on this.

use std::sync::Arc;

use automator::{
    ActInput, ActOptions, Action, Automator, AutomatorOptions, CloseOptions, ExtractOptions, ObserveOptions,
    Page, WithCacheStatus, from_json,
};
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::agent::{NativeAgent, OwnTool};
use crate::callback;
use crate::context::NativeContext;
use crate::error::Handed as _;
use crate::json::{options, parsed, written};
use crate::runtime::check_process;
use crate::work::{Work, work};

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeSession {
    automator: Automator,
}

/// A model client without its function: name, whether it takes images, the size of its window.
type ClientTraits = (String, bool, Option<u32>);

#[pymethods]
impl NativeSession {
    #[new]
    #[pyo3(signature = (given, logger, client_traits, ask))]
    fn new(
        given: &str,
        logger: Option<Py<PyAny>>,
        client_traits: Option<ClientTraits>,
        ask: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        check_process()?;
        let mut options = AutomatorOptions::from_json(&parsed(given)?).handed()?;
        options.language = "python";
        options.logger = logger.map(callback::logger);
        if let (Some((name, accepts_images, window)), Some(ask)) = (client_traits, ask) {
            let client = callback::client(name, accepts_images, window, ask, &options);
            options.llm_client = Some(Arc::new(client));
        }
        Ok(Self {
            automator: Automator::new(options).handed()?,
        })
    }

    fn init(&self) -> Work {
        let automator = self.automator.clone();
        work(async move { automator.init().await.handed() })
    }

    #[pyo3(signature = (given))]
    fn close(&self, given: Option<&str>) -> PyResult<Work> {
        let options: CloseOptions = options(given)?;
        let automator = self.automator.clone();
        Ok(work(async move { automator.close_with(options).await.handed() }))
    }

    fn context(&self, py: Python<'_>) -> PyResult<NativeContext> {
        py.detach(|| self.automator.context().handed().map(NativeContext::new))
    }

    fn connect_url(&self) -> Work {
        let automator = self.automator.clone();
        work(async move { automator.connect_url().await.handed() })
    }

    /// Either an instruction or an action. The result is JSON.
    #[pyo3(signature = (instruction, action, given, page))]
    fn act(
        &self,
        instruction: Option<String>,
        action: Option<&str>,
        given: &str,
        page: Option<String>,
    ) -> PyResult<Work> {
        let input = match action {
            Some(action) => {
                let action: Action = from_json("action", &parsed(action)?).handed()?;
                ActInput::from(action)
            }
            None => ActInput::from(instruction.unwrap_or_default()),
        };
        let mut options: ActOptions = from_json("options", &parsed(given)?).handed()?;
        let automator = self.automator.clone();
        Ok(work(async move {
            options.page = page_of(&automator, page).await?;
            written(&automator.act(input).options(options).await.handed()?)
        }))
    }

    /// The actions as JSON; and what the cache says, as JSON.
    #[pyo3(signature = (instruction, given, page))]
    fn observe(&self, instruction: String, given: &str, page: Option<String>) -> PyResult<Work> {
        let mut options: ObserveOptions = from_json("options", &parsed(given)?).handed()?;
        let automator = self.automator.clone();
        Ok(work(async move {
            options.page = page_of(&automator, page).await?;
            let observing = automator.observe(&instruction).options(options);
            told(&observing.with_cache_status().await.handed()?)
        }))
    }

    /// The value that the schema describes, as JSON; without a schema `{ extraction }`. And what the cache says, as JSON.
    #[pyo3(signature = (instruction, schema, given, page))]
    fn extract(
        &self,
        instruction: String,
        schema: Option<&str>,
        given: &str,
        page: Option<String>,
    ) -> PyResult<Work> {
        let schema: Option<Value> = schema.map(parsed).transpose()?;
        let mut options = extract_options(given)?;
        let automator = self.automator.clone();
        Ok(work(async move {
            options.page = page_of(&automator, page).await?;
            let request = automator.extract(&instruction).options(options);
            match schema {
                None => told(&request.with_cache_status().await.handed()?),
                Some(schema) => told(&request.json_schema(schema).with_cache_status().await.handed()?),
            }
        }))
    }

    /// `{ value, provenance }` as JSON; without a schema the value is a text.
    #[pyo3(signature = (instruction, schema, given, page))]
    fn extract_with_provenance(
        &self,
        instruction: String,
        schema: Option<&str>,
        given: &str,
        page: Option<String>,
    ) -> PyResult<Work> {
        let schema = match schema {
            Some(schema) => parsed(schema)?,
            None => serde_json::json!({ "type": "string" }),
        };
        let mut options = extract_options(given)?;
        let automator = self.automator.clone();
        Ok(work(async move {
            options.page = page_of(&automator, page).await?;
            let request = automator.extract(&instruction).json_schema(schema);
            let found = request.options(options).with_provenance().await;
            written(&found.handed()?)
        }))
    }

    /// The text as it is, since it may have megabytes; and what the cache says, as JSON.
    #[pyo3(signature = (given, page))]
    fn page_text(&self, given: &str, page: Option<String>) -> PyResult<Work> {
        let mut options = extract_options(given)?;
        let automator = self.automator.clone();
        Ok(work(async move {
            options.page = page_of(&automator, page).await?;
            let read = automator.page_text().options(options).await.handed()?;
            let cache_status = read.cache_status.as_ref().map(written).transpose()?;
            Ok((read.page_text, cache_status))
        }))
    }

    #[pyo3(signature = (given, tools))]
    fn agent(&self, given: &str, tools: Vec<OwnTool>) -> PyResult<NativeAgent> {
        NativeAgent::new(&self.automator, given, tools)
    }

    fn remote_session_id(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.automator.remote_session_id())
    }

    fn remote_session_url(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.automator.remote_session_url())
    }

    fn remote_debug_url(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.automator.remote_debug_url())
    }

    /// JSON.
    fn metrics(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| written(&self.automator.metrics()))
    }

    /// JSON.
    fn history(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| written(&self.automator.history()))
    }
}

/// A value as JSON, and what the cache says of it, as JSON.
fn told<T: Serialize>(found: &WithCacheStatus<T>) -> PyResult<(String, Option<String>)> {
    let cache_status = found.cache_status.as_ref().map(written).transpose()?;
    Ok((written(&found.value)?, cache_status))
}

fn extract_options(given: &str) -> PyResult<ExtractOptions> {
    from_json("options", &parsed(given)?).handed()
}

/// The page with this target id.
pub(crate) async fn page_of(automator: &Automator, target_id: Option<String>) -> PyResult<Option<Page>> {
    let Some(id) = target_id else { return Ok(None) };
    let context = automator.context().handed()?;
    context.page_of_target(&id).await.handed().map(Some)
}
