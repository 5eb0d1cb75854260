//! Our own library.

use std::path::Path;

use anyhow::Result;
use automator::{Automator, Env, GotoOptions, LocalBrowserLaunchOptions, ModelOptions, Page, WaitUntil};
use serde_json::Value;

/// A session of ours, attached to a browser.
pub(crate) struct Ours {
    automator: Automator,
    page: Page,
}

impl Ours {
    /// With `memory`, the folder for what it remembers.
    pub(crate) async fn open(browser: &str, model: &str, memory: Option<&Path>) -> Result<Self> {
        let mut model_options = ModelOptions::new("openai/gpt-4.1-mini");
        model_options.api_key = Some("none".into());
        model_options.base_url = Some(model.to_owned());
        let launch = LocalBrowserLaunchOptions {
            cdp_url: Some(browser.to_owned()),
            ..LocalBrowserLaunchOptions::default()
        };
        let mut builder = Automator::builder(Env::Local)
            .model(model_options)
            .local_browser(launch);
        if let Some(memory) = memory {
            builder = builder.cache_dir(memory);
        }
        let automator = builder.build()?;
        automator.init().await?;
        let page = automator.context()?.active_page()?;
        Ok(Self { automator, page })
    }

    pub(crate) async fn goto(&self, url: &str) -> Result<()> {
        let options = GotoOptions {
            wait_until: WaitUntil::Load,
            ..GotoOptions::default()
        };
        self.page.goto_with(url, options).await?;
        Ok(())
    }

    pub(crate) fn automator(&self) -> &Automator {
        &self.automator
    }

    pub(crate) async fn evaluate(&self, expression: &str) -> Result<Value> {
        Ok(self.page.evaluate(expression).await?)
    }

    pub(crate) async fn close(self) -> Result<()> {
        Ok(self.automator.close().await?)
    }
}
