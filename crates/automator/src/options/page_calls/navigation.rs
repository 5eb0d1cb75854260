//! Where a page goes, and what is waited for.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::read_by_form;
use crate::locator::{ElementState, SelectorWaitOptions};
use crate::options::read;
use crate::page::{GotoOptions, ReloadOptions, WaitUntil};

/// How far a page must come.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum WaitUntilName {
    Commit,
    DomContentLoaded,
    Load,
    NetworkIdle,
}

impl From<WaitUntilName> for WaitUntil {
    fn from(name: WaitUntilName) -> Self {
        match name {
            WaitUntilName::Commit => Self::Commit,
            WaitUntilName::DomContentLoaded => Self::DomContentLoaded,
            WaitUntilName::Load => Self::Load,
            WaitUntilName::NetworkIdle => Self::NetworkIdle,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
struct GotoForm {
    /// How far the page must come. Default: `domcontentloaded`.
    wait_until: Option<WaitUntilName>,
    /// The limit of time; zero is none. Default: 15 s. In JSON: milliseconds.
    #[serde(rename = "timeoutMs", deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
}

impl From<GotoForm> for GotoOptions {
    fn from(form: GotoForm) -> Self {
        let default = Self::default();
        Self {
            wait_until: form.wait_until.map_or(default.wait_until, Into::into),
            timeout: form.timeout.unwrap_or(default.timeout),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
struct ReloadForm {
    /// How far the page must come. Default: `domcontentloaded`.
    wait_until: Option<WaitUntilName>,
    /// The limit of time; zero is none. Default: 15 s. In JSON: milliseconds.
    #[serde(rename = "timeoutMs", deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
    /// Asks the servers again for what is in the browser's cache. Default: false.
    ignore_cache: bool,
}

impl From<ReloadForm> for ReloadOptions {
    fn from(form: ReloadForm) -> Self {
        let default = Self::default();
        Self {
            wait_until: form.wait_until.map_or(default.wait_until, Into::into),
            timeout: form.timeout.unwrap_or(default.timeout),
            ignore_cache: form.ignore_cache,
        }
    }
}

/// What an element is waited to be.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StateName {
    Attached,
    Detached,
    Visible,
    Hidden,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
struct SelectorWaitForm {
    /// What the element must be. Default: `visible`.
    state: Option<StateName>,
    /// The limit of time. Default: 30 s. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
    /// Whether shadow roots are looked into, which they always are. Default: true, and nothing else.
    pierce_shadow: Option<Always>,
}

/// Only `true`.
#[derive(Debug, Clone, Copy)]
struct Always;

impl<'de> Deserialize<'de> for Always {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if bool::deserialize(deserializer)? {
            return Ok(Self);
        }
        Err(serde::de::Error::custom("it is always true"))
    }
}

impl JsonSchema for Always {
    fn schema_name() -> Cow<'static, str> {
        "Always".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": true })
    }
}

impl From<SelectorWaitForm> for SelectorWaitOptions {
    fn from(form: SelectorWaitForm) -> Self {
        let mut options = Self::default();
        if let Some(state) = form.state {
            options.state = match state {
                StateName::Attached => ElementState::Attached,
                StateName::Detached => ElementState::Detached,
                StateName::Visible => ElementState::Visible,
                StateName::Hidden => ElementState::Hidden,
            };
        }
        options.timeout = form.timeout.unwrap_or(options.timeout);
        options
    }
}

read_by_form!(
    GotoOptions: GotoForm,
    ReloadOptions: ReloadForm,
    SelectorWaitOptions: SelectorWaitForm,
);

/// How far a page must come, as an option on its own.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WaitUntilForm {
    /// How far the page must come.
    state: WaitUntilName,
}

impl From<WaitUntilForm> for WaitUntil {
    fn from(form: WaitUntilForm) -> Self {
        form.state.into()
    }
}

read_by_form!(WaitUntil: WaitUntilForm);
