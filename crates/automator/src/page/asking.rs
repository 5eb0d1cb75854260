//! Operations with a model, called on the page that they are about.

use std::future::IntoFuture;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Page;
use crate::Result;
use crate::act::{Act, ActInput};
use crate::extract::{Extraction, RequestFuture, extract_on_page, schema_of, typed};
use crate::observe::Observe;
use crate::options::PageExtractOptions;

impl Page {
    /// Does something on this page; see [`Automator::act`](crate::Automator::act).
    pub fn act(&self, input: impl Into<ActInput>) -> Act {
        Act::new(Arc::clone(&self.session), input.into()).page(self)
    }

    /// Finds what can be done on this page; see [`Automator::observe`](crate::Automator::observe).
    pub fn observe(&self, instruction: &str) -> Observe {
        Observe::new(Arc::clone(&self.session), instruction).page(self)
    }

    /// Extracts what the instruction describes from this page, as version 2 of the interface has it: only objects,
    /// and frames only on request. [`Automator::extract`](crate::Automator::extract) can do more.
    ///
    /// ```no_run
    /// # async fn example(page: automator::Page) -> automator::Result<()> {
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Stories {
    ///     titles: Vec<String>,
    /// }
    /// let stories = page.extract("the top stories").schema::<Stories>().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn extract(&self, instruction: &str) -> PageExtract<Extraction> {
        let options = PageExtractOptions {
            instruction: Some(instruction.to_owned()),
            ..PageExtractOptions::default()
        };
        PageExtract {
            page: self.clone(),
            options,
            result: PhantomData,
        }
    }

    /// As [`extract`](Self::extract), with all options at once. Gives what the schema says, `{ "extraction": text }`
    /// without one, and `{ "pageText": text }` without an instruction, for which no model is asked.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a schema that is not one of objects or
    /// comes without an instruction; else as [`Extract`](crate::Extract).
    pub async fn extract_with(&self, options: &PageExtractOptions) -> Result<Value> {
        extract_on_page(&self.session, self, options).await
    }
}

/// An extraction from one page, to be awaited; see [`Page::extract`].
///
/// # Errors
/// As [`Page::extract_with`].
#[must_use = "nothing is extracted until the request is awaited"]
pub struct PageExtract<T> {
    page: Page,
    options: PageExtractOptions,
    result: PhantomData<fn() -> T>,
}

impl PageExtract<Extraction> {
    /// The result is a `T`, which must be an object in JSON, and the model is told what that is.
    pub fn schema<T: JsonSchema + DeserializeOwned>(self) -> PageExtract<T> {
        self.typed(schema_of::<T>())
    }

    /// The result is an object that fits this JSON Schema.
    pub fn json_schema(self, schema: Value) -> PageExtract<Value> {
        self.typed(schema)
    }
}

impl<T> PageExtract<T> {
    fn typed<U>(mut self, schema: Value) -> PageExtract<U> {
        self.options.schema = Some(schema);
        PageExtract {
            page: self.page,
            options: self.options,
            result: PhantomData,
        }
    }

    /// Limits the extraction to one part of the page; see [`PageExtractOptions::selector`].
    pub fn selector(mut self, selector: impl Into<String>) -> Self {
        self.options.selector = Some(selector.into());
        self
    }

    /// Whether the content of frames is read, too.
    pub fn iframes(mut self, iframes: bool) -> Self {
        self.options.iframes = iframes;
        self
    }

    /// The model of this call.
    pub fn model_name(mut self, name: impl Into<String>) -> Self {
        self.options.model_name = Some(name.into());
        self
    }

    /// How long the page may take to come to rest; zero reads it as it is.
    pub fn dom_settle_timeout(mut self, limit: Duration) -> Self {
        self.options.dom_settle_timeout = Some(limit);
        self
    }
}

impl<T: DeserializeOwned + 'static> IntoFuture for PageExtract<T> {
    type Output = Result<T>;
    type IntoFuture = RequestFuture<T>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { typed(self.page.extract_with(&self.options).await?) })
    }
}
