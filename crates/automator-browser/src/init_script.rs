//! Scripts that run in every document before those of the page.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::{BrowserError, Context, Page};

/// A script that runs in every document before those of the page, where the page's own scripts run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum InitScript {
    /// The source of a script.
    Text(String),
    /// A file that holds the source of a script; read once, when the script is added.
    File(PathBuf),
    /// The source of a function, as `(seed) => { window.seed = seed }`, which is called with one argument.
    Function {
        /// The source.
        source: String,
        /// The argument; `None` calls it without.
        argument: Option<Value>,
    },
}

impl From<&str> for InitScript {
    fn from(source: &str) -> Self {
        Self::Text(source.to_owned())
    }
}

impl InitScript {
    /// The source that the browser is given. It takes no arguments beside it, so they are part of the source.
    async fn source(self) -> Result<String, BrowserError> {
        match self {
            Self::Text(source) => Ok(source),
            Self::File(path) => match tokio::fs::read_to_string(&path).await {
                Ok(source) => Ok(source),
                Err(source) => Err(BrowserError::ScriptFile { path, source }),
            },
            Self::Function { source, argument } => {
                let argument = argument.map(|argument| argument.to_string()).unwrap_or_default();
                // The line break ends a comment that the source may end with.
                Ok(format!("({source}\n)({argument})"))
            }
        }
    }
}

impl Context {
    /// Adds a script to every page: those that are open (from their next document on), later ones and pop-ups, with
    /// all their frames. It runs once in each document, before the page's own scripts; of several, in the order in
    /// which they were added, those of the context first. What it throws goes to the page's console.
    ///
    /// # Errors
    /// [`BrowserError::ScriptFile`].
    pub async fn add_init_script(&self, script: impl Into<InitScript>) -> Result<(), BrowserError> {
        let source = script.into().source().await?;
        let inner = self.browser().inner();
        inner.wishes().scripts.push(source);
        inner.bring_up_to_date(&inner.pages()).await;
        Ok(())
    }
}

impl Page {
    /// As [`Context::add_init_script`], for this page only.
    ///
    /// # Errors
    /// [`BrowserError::ScriptFile`].
    pub async fn add_init_script(&self, script: impl Into<InitScript>) -> Result<(), BrowserError> {
        let source = script.into().source().await?;
        self.shared().state().wishes.scripts.push(source);
        self.browser()
            .inner()
            .bring_up_to_date(&[Arc::clone(self.shared())])
            .await;
        Ok(())
    }
}
