//! Our own library as a contender.

use std::time::Instant;

use anyhow::{Context as _, Result};
use automator::{
    Action, Automator, Env, GotoOptions, LocalBrowserLaunchOptions, ModelOptions, Page, WaitUntil,
};
use serde_json::{Value, json};

use super::task::{Done, Task, action};

/// A session of ours, attached to a browser.
pub(crate) struct Ours {
    automator: Automator,
    page: Page,
    action: Action,
}

impl Ours {
    pub(crate) async fn open(browser: &str, model: &str) -> Result<Self> {
        let mut model_options = ModelOptions::new("openai/gpt-4.1-mini");
        model_options.api_key = Some("none".into());
        model_options.base_url = Some(model.to_owned());
        let launch = LocalBrowserLaunchOptions {
            cdp_url: Some(browser.to_owned()),
            ..LocalBrowserLaunchOptions::default()
        };
        let automator = Automator::builder(Env::Local)
            .model(model_options)
            .local_browser(launch)
            .build()?;
        automator.init().await?;
        let page = automator.context()?.active_page()?;
        let action = serde_json::from_value(action()).context("the action of the task")?;
        Ok(Self {
            automator,
            page,
            action,
        })
    }

    pub(crate) async fn goto(&self, url: &str) -> Result<()> {
        let options = GotoOptions {
            wait_until: WaitUntil::Load,
            ..GotoOptions::default()
        };
        self.page.goto_with(url, options).await?;
        Ok(())
    }

    pub(crate) async fn run(&self, task: Task) -> Result<Done> {
        let start = Instant::now();
        let instruction = task.instruction();
        let (took, value) = match task {
            Task::Observe => {
                let found = self.automator.observe(instruction).await?;
                (start.elapsed(), json!(found))
            }
            Task::ActInstruction => {
                let done = self.automator.act(instruction).await?;
                (start.elapsed(), json!(done))
            }
            Task::ActAction => {
                let done = self.automator.act(&self.action).await?;
                (start.elapsed(), json!(done))
            }
            Task::Extract => {
                let extracted = self.automator.extract(instruction).await?;
                (start.elapsed(), json!({ "extraction": extracted.extraction }))
            }
        };
        Ok(Done { took, value })
    }

    pub(crate) async fn evaluate(&self, expression: &str) -> Result<Value> {
        Ok(self.page.evaluate(expression).await?)
    }

    pub(crate) async fn close(self) -> Result<()> {
        Ok(self.automator.close().await?)
    }
}
