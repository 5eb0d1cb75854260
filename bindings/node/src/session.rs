//! The session: `Automator` of the TypeScript half stands on this.

use std::sync::Arc;

use automator::{
    ActInput, ActOptions, Action, Automator, AutomatorOptions, CloseOptions, ExtractOptions, ObserveOptions,
    Page, from_json,
};
use napi::bindgen_prelude::block_on;
use napi_derive::napi;
use serde_json::Value;

use crate::agent::{NativeAgent, ToolTraits};
use crate::callback::{self, Answering, ClientTraits, Listener};
use crate::context::NativeContext;
use crate::error::{Handed as _, Result};
use crate::json::{options, parsed, written};

#[napi]
pub struct NativeSession {
    automator: Automator,
}

/// What reading a page gives. No JSON: page texts may have megabytes, and as a text of its own one is copied once,
/// from here into the string that the program gets. As JSON it would be written, copied and read.
#[napi(object)]
pub struct Reading {
    pub page_text: String,
    /// As JSON.
    pub cache_status: Option<String>,
}

#[napi]
impl NativeSession {
    #[napi(constructor)]
    pub fn new(
        options: String,
        logger: Option<Listener>,
        client: Option<ClientTraits>,
        answering: Option<Answering>,
    ) -> Result<Self> {
        let mut options = AutomatorOptions::from_json(&parsed(&options)?).handed()?;
        options.language = "typescript";
        options.logger = logger.map(callback::logger);
        if let (Some(traits), Some(answering)) = (client, answering) {
            options.llm_client = Some(Arc::new(callback::client(traits, answering, &options)));
        }
        Ok(Self {
            automator: Automator::new(options).handed()?,
        })
    }

    #[napi]
    pub async fn init(&self) -> Result<()> {
        self.automator.init().await.handed()
    }

    #[napi]
    pub async fn close(&self, given: Option<String>) -> Result<()> {
        let options: CloseOptions = options(given.as_deref())?;
        self.automator.close_with(options).await.handed()
    }

    #[napi]
    pub fn context(&self) -> Result<NativeContext> {
        self.automator.context().handed().map(NativeContext::new)
    }

    /// The browser says its address while it starts, so nothing is waited for in practice.
    #[napi]
    pub fn connect_url(&self) -> Result<String> {
        block_on(self.automator.connect_url()).handed()
    }

    #[napi]
    pub async fn act(
        &self,
        instruction: Option<String>,
        action: Option<String>,
        options: String,
        page: Option<String>,
    ) -> Result<String> {
        let input = match action {
            Some(action) => {
                let action: Action = from_json("action", &parsed(&action)?).handed()?;
                ActInput::from(action)
            }
            None => ActInput::from(instruction.unwrap_or_default()),
        };
        let mut options: ActOptions = from_json("options", &parsed(&options)?).handed()?;
        options.page = page_of(&self.automator, page).await?;
        written(&self.automator.act(input).options(options).await.handed()?)
    }

    /// `{ value, cacheStatus }`.
    #[napi]
    pub async fn observe(
        &self,
        instruction: String,
        options: String,
        page: Option<String>,
    ) -> Result<String> {
        let mut options: ObserveOptions = from_json("options", &parsed(&options)?).handed()?;
        options.page = page_of(&self.automator, page).await?;
        let observing = self.automator.observe(&instruction).options(options);
        written(&observing.with_cache_status().await.handed()?)
    }

    /// `{ value, cacheStatus }` with the value that the schema describes; without a schema `{ extraction, cacheStatus }`.
    #[napi]
    pub async fn extract(
        &self,
        instruction: String,
        schema: Option<String>,
        options: String,
        page: Option<String>,
    ) -> Result<String> {
        let options = self.extract_options(&options, page).await?;
        let request = self.automator.extract(&instruction);
        match schema.as_deref().map(parsed).transpose()? {
            None => written(&request.options(options).await.handed()?),
            Some(schema) => {
                let request = request.json_schema(schema).options(options);
                written(&request.with_cache_status().await.handed()?)
            }
        }
    }

    /// `{ value, provenance }`; without a schema the value is a text.
    #[napi]
    pub async fn extract_with_provenance(
        &self,
        instruction: String,
        schema: Option<String>,
        options: String,
        page: Option<String>,
    ) -> Result<String> {
        let options = self.extract_options(&options, page).await?;
        let schema = match schema {
            Some(schema) => parsed(&schema)?,
            None => serde_json::json!({ "type": "string" }),
        };
        let request = self.automator.extract(&instruction).json_schema(schema);
        let found = request.options(options).with_provenance().await;
        written(&found.handed()?)
    }

    #[napi]
    pub async fn page_text(&self, options: String, page: Option<String>) -> Result<Reading> {
        let options = self.extract_options(&options, page).await?;
        let read = self.automator.page_text().options(options).await.handed()?;
        let cache_status = read.cache_status.as_ref().map(written).transpose()?;
        Ok(Reading {
            page_text: read.page_text,
            cache_status,
        })
    }

    #[napi]
    pub fn agent(
        &self,
        config: String,
        tools: Vec<ToolTraits>,
        calling: Option<Answering>,
    ) -> Result<NativeAgent> {
        NativeAgent::new(&self.automator, &config, tools, calling)
    }

    #[napi]
    pub fn remote_session_id(&self) -> Option<String> {
        self.automator.remote_session_id()
    }

    #[napi]
    pub fn remote_session_url(&self) -> Option<String> {
        self.automator.remote_session_url()
    }

    #[napi]
    pub fn remote_debug_url(&self) -> Option<String> {
        self.automator.remote_debug_url()
    }

    #[napi]
    pub fn metrics(&self) -> Result<String> {
        written(&self.automator.metrics())
    }

    #[napi]
    pub fn history(&self) -> Result<String> {
        written(&self.automator.history())
    }

    async fn extract_options(&self, options: &str, page: Option<String>) -> Result<ExtractOptions> {
        let options: Value = parsed(options)?;
        let mut options: ExtractOptions = from_json("options", &options).handed()?;
        options.page = page_of(&self.automator, page).await?;
        Ok(options)
    }
}

/// The page with this target id.
pub(crate) async fn page_of(automator: &Automator, target_id: Option<String>) -> Result<Option<Page>> {
    let Some(id) = target_id else { return Ok(None) };
    let context = automator.context().handed()?;
    context.page_of_target(&id).await.handed().map(Some)
}
