//! The two doors to `extract()`: a request that is awaited, and an options struct.

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use automator_llm::ModelOptions;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ExtractRequest, Manner, extract, page_text};
use crate::options::ExtractOptions;
use crate::page::Page;
use crate::provenance::Provenance;
use crate::session::Session;
use crate::{Error, ErrorKind, Result};

/// Whether the remote platform answered from its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CacheStatus {
    /// From the cache.
    Hit,
    /// Computed now.
    Miss,
}

/// The result of an extraction without a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extraction {
    /// What was asked for, as text.
    pub extraction: String,
    /// Present only on the remote platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_status: Option<CacheStatus>,
}

/// The page as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageText {
    /// An indented outline, one element or piece of text a line.
    pub page_text: String,
    /// Present only on the remote platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_status: Option<CacheStatus>,
}

/// A value and where on the page it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WithProvenance<T> {
    /// The value.
    pub value: T,
    /// For each part of it the places on the page.
    pub provenance: Provenance,
}

/// A value, and whether the remote platform answered from its cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WithCacheStatus<T> {
    /// What came of it.
    pub value: T,
    /// Present only when the remote platform has answered, and its cache was not kept out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_status: Option<CacheStatus>,
}

/// The future of a request.
pub type RequestFuture<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// An extraction to be awaited. What comes of it follows the request: text, or what the schema says.
///
/// # Errors
/// Awaiting it gives [`ErrorKind::SchemaValidation`] and [`ErrorKind::LlmResponse`] for bad answers,
/// [`ErrorKind::MissingLlmConfiguration`], [`ErrorKind::UnsupportedModel`] and [`ErrorKind::InvalidModelFormat`]
/// for the model, [`ErrorKind::XPathResolution`], [`ErrorKind::ElementNotFound`], [`ErrorKind::Iframe`],
/// [`ErrorKind::ContentFrameNotFound`] and [`ErrorKind::ShadowRootMissing`] for the selector,
/// [`ErrorKind::InvalidArgument`], [`ErrorKind::ExtractTimeout`], [`ErrorKind::NotInitialized`],
/// [`ErrorKind::PageNotFound`], [`ErrorKind::Closed`] and [`ErrorKind::CdpConnectionClosed`].
#[must_use = "nothing is extracted until the request is awaited"]
pub struct Extract<T> {
    session: Arc<Session>,
    request: ExtractRequest,
    result: PhantomData<fn() -> T>,
}

impl Extract<Extraction> {
    pub(crate) fn new(session: Arc<Session>, instruction: &str) -> Self {
        let request = ExtractRequest {
            instruction: instruction.to_owned(),
            schema: None,
            options: ExtractOptions::default(),
            with_provenance: false,
            manner: Manner::default(),
        };
        Self {
            session,
            request,
            result: PhantomData,
        }
    }

    /// The result is a `T`, and the model is told what that is.
    pub fn schema<T: JsonSchema + DeserializeOwned>(self) -> Extract<T> {
        self.typed(schema_of::<T>())
    }

    /// The result is a JSON value that fits this JSON Schema.
    pub fn json_schema(self, schema: Value) -> Extract<Value> {
        self.typed(schema)
    }
}

impl<T> Extract<T> {
    fn typed<U>(mut self, schema: Value) -> Extract<U> {
        self.request.schema = Some(schema);
        Extract {
            session: self.session,
            request: self.request,
            result: PhantomData,
        }
    }

    /// All options at once.
    pub fn options(mut self, options: ExtractOptions) -> Self {
        self.request.options = options;
        self
    }

    /// Limits the extraction to one part of the page; see [`ExtractOptions::selector`].
    pub fn selector(mut self, selector: impl Into<String>) -> Self {
        self.request.options.selector = Some(selector.into());
        self
    }

    /// Leaves out all that the selector matches. Can be called several times.
    pub fn ignore_selector(mut self, selector: impl Into<String>) -> Self {
        self.request.options.ignore_selectors.push(selector.into());
        self
    }

    /// The model of this call.
    pub fn model(mut self, model: impl Into<ModelOptions>) -> Self {
        self.request.options.model = Some(model.into());
        self
    }

    /// The limit of time; zero is none.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.request.options.timeout = Some(limit);
        self
    }

    /// Sends a PNG of the viewport with the page text.
    pub fn screenshot(mut self, screenshot: bool) -> Self {
        self.request.options.screenshot = screenshot;
        self
    }

    /// The page to read.
    pub fn page(mut self, page: &Page) -> Self {
        self.request.options.page = Some(page.clone());
        self
    }

    /// Says also whether the remote platform answered from its cache.
    pub fn with_cache_status(self) -> ExtractWithCacheStatus<T> {
        ExtractWithCacheStatus(self)
    }

    /// Says also where on the page each part of the result stands. No further model call.
    pub fn with_provenance(mut self) -> ExtractWithProvenance<T> {
        self.request.with_provenance = true;
        ExtractWithProvenance(self)
    }
}

impl<T: DeserializeOwned + 'static> IntoFuture for Extract<T> {
    type Output = Result<T>;
    type IntoFuture = RequestFuture<T>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut extracted = extract(&self.session, &self.request).await?;
            // Without a schema the value is the library's own object, which has a place for it.
            if let (None, Some(status), Value::Object(members)) =
                (&self.request.schema, extracted.cache_status, &mut extracted.value)
            {
                members.insert("cacheStatus".to_owned(), serde_json::json!(status));
            }
            typed(extracted.value)
        })
    }
}

/// An extraction that says also whether the platform answered from its cache; see [`Extract::with_cache_status`].
#[must_use = "nothing is extracted until the request is awaited"]
pub struct ExtractWithCacheStatus<T>(Extract<T>);

impl<T: DeserializeOwned + 'static> IntoFuture for ExtractWithCacheStatus<T> {
    type Output = Result<WithCacheStatus<T>>;
    type IntoFuture = RequestFuture<WithCacheStatus<T>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let extracted = extract(&self.0.session, &self.0.request).await?;
            Ok(WithCacheStatus {
                value: typed(extracted.value)?,
                cache_status: extracted.cache_status,
            })
        })
    }
}

/// An extraction that says also where its parts stand; see [`Extract::with_provenance`].
#[must_use = "nothing is extracted until the request is awaited"]
pub struct ExtractWithProvenance<T>(Extract<T>);

impl<T: DeserializeOwned + 'static> IntoFuture for ExtractWithProvenance<T> {
    type Output = Result<WithProvenance<T>>;
    type IntoFuture = RequestFuture<WithProvenance<T>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let extracted = extract(&self.0.session, &self.0.request).await?;
            let provenance = extracted.provenance.unwrap_or_default();
            Ok(WithProvenance {
                value: typed(extracted.value)?,
                provenance,
            })
        })
    }
}

/// The JSON Schema of a type.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// The checked value as the caller's type, which may ask for more than its schema says.
pub(crate) fn typed<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        Error::new(
            ErrorKind::SchemaValidation,
            format!("the value does not fit the type at `{path}`: {}", error.inner()),
        )
        .with("pointer", path)
        .during("extract")
    })
}

/// The page as text, to be awaited; no model is asked.
#[must_use = "nothing is read until the request is awaited"]
pub struct PageTextRequest {
    session: Arc<Session>,
    options: ExtractOptions,
}

impl PageTextRequest {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self {
            session,
            options: ExtractOptions::default(),
        }
    }

    /// All options at once; those that concern a model have no effect.
    pub fn options(mut self, options: ExtractOptions) -> Self {
        self.options = options;
        self
    }

    /// Limits the text to one part of the page; see [`ExtractOptions::selector`].
    pub fn selector(mut self, selector: impl Into<String>) -> Self {
        self.options.selector = Some(selector.into());
        self
    }

    /// Leaves out all that the selector matches. Can be called several times.
    pub fn ignore_selector(mut self, selector: impl Into<String>) -> Self {
        self.options.ignore_selectors.push(selector.into());
        self
    }

    /// The limit of time; zero is none.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.timeout = Some(limit);
        self
    }

    /// The page to read.
    pub fn page(mut self, page: &Page) -> Self {
        self.options.page = Some(page.clone());
        self
    }
}

impl IntoFuture for PageTextRequest {
    type Output = Result<PageText>;
    type IntoFuture = RequestFuture<PageText>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (page_text, cache_status) =
                page_text(&self.session, &self.options, Manner::default()).await?;
            Ok(PageText {
                page_text,
                cache_status,
            })
        })
    }
}
