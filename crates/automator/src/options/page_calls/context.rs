//! What holds for all pages: cookies, scripts, domains; and how they are closed.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{form, read_by_form, schema_of};
use crate::context::{CookieFilter, DomainPolicy, InitScript, NewCookie, SameSite, TextFilter};
use crate::options::ReadOptions;
use crate::{CloseOptions, Error, Result};

/// With which requests from other sites a cookie goes out.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
enum SameSiteName {
    Strict,
    Lax,
    None,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewCookieForm {
    /// Its name.
    name: String,
    /// Its value.
    value: String,
    /// The address that it is for, in place of `domain` and `path`.
    #[serde(default)]
    url: Option<String>,
    /// The host that gets it; with a dot in front, also the hosts below.
    #[serde(default)]
    domain: Option<String>,
    /// The path that gets it, with all below.
    #[serde(default)]
    path: Option<String>,
    /// When it ends, in seconds since 1970. Default, and −1: with the browser.
    #[serde(default)]
    expires: Option<f64>,
    /// Whether scripts do not see it. Default: false.
    #[serde(default)]
    http_only: bool,
    /// Whether it goes out over secure connections only. Default: whether `url` is `https:`.
    #[serde(default)]
    secure: Option<bool>,
    /// With which requests from other sites it goes out. Default: the browser's, which is `Lax`.
    #[serde(default)]
    same_site: Option<SameSiteName>,
}

impl From<NewCookieForm> for NewCookie {
    fn from(form: NewCookieForm) -> Self {
        let mut cookie = Self::new(form.name, form.value);
        cookie.url = form.url;
        cookie.domain = form.domain;
        cookie.path = form.path;
        cookie.expires = form.expires;
        cookie.http_only = form.http_only;
        cookie.secure = form.secure;
        cookie.same_site = form.same_site.map(|name| match name {
            SameSiteName::Strict => SameSite::Strict,
            SameSiteName::Lax => SameSite::Lax,
            SameSiteName::None => SameSite::None,
        });
        cookie
    }
}

/// Which texts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum TextFilterForm {
    /// Just this one.
    Exact(String),
    /// Those in which a regular expression matches somewhere.
    Pattern(PatternForm),
}

/// A regular expression.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PatternForm {
    /// Its source.
    pattern: String,
}

impl From<TextFilterForm> for TextFilter {
    fn from(form: TextFilterForm) -> Self {
        match form {
            TextFilterForm::Exact(text) => Self::Exact(text),
            TextFilterForm::Pattern(PatternForm { pattern }) => Self::Pattern(pattern),
        }
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct CookieFilterForm {
    /// By name.
    name: Option<TextFilterForm>,
    /// By domain, as the cookie has it, with or without its dot in front.
    domain: Option<TextFilterForm>,
    /// By path.
    path: Option<TextFilterForm>,
}

impl From<CookieFilterForm> for CookieFilter {
    fn from(form: CookieFilterForm) -> Self {
        Self {
            name: form.name.map(Into::into),
            domain: form.domain.map(Into::into),
            path: form.path.map(Into::into),
        }
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct DomainPolicyForm {
    /// The only hosts that are allowed. Default: all.
    allowed_domains: Option<Vec<String>>,
    /// Hosts that are not allowed. Default: none.
    blocked_domains: Vec<String>,
    /// Whether the only hosts that are allowed are so for every request, not for documents alone. Default: false.
    all_requests: bool,
}

impl From<DomainPolicyForm> for DomainPolicy {
    fn from(form: DomainPolicyForm) -> Self {
        let mut policy = Self::default();
        policy.allowed_domains = form.allowed_domains;
        policy.blocked_domains = form.blocked_domains;
        policy.all_requests = form.all_requests;
        policy
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct CloseForm {
    /// Cuts the browser off instead of asking it to end, also while another close is under way. Default: false.
    force: bool,
}

impl From<CloseForm> for CloseOptions {
    fn from(form: CloseForm) -> Self {
        Self { force: form.force }
    }
}

read_by_form!(
    CloseOptions: CloseForm,
    NewCookie: NewCookieForm,
    CookieFilter: CookieFilterForm,
    DomainPolicy: DomainPolicyForm,
);

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct InitScriptForm {
    /// The source of a script.
    content: Option<String>,
    /// A file that holds the source of a script.
    path: Option<PathBuf>,
    /// The source of a function, which is called.
    function: Option<String>,
    /// The argument of the function. Default: none.
    argument: Option<Value>,
}

impl ReadOptions for InitScript {
    fn read(what: &str, options: &Value) -> Result<Self> {
        let given: InitScriptForm = form(what, options)?;
        if given.argument.is_some() && given.function.is_none() {
            return Err(Error::invalid_argument(format!(
                "{what}.argument is for a function, and none is given"
            )));
        }
        match (given.content, given.path, given.function) {
            (Some(content), None, None) => Ok(Self::Text(content)),
            (None, Some(path), None) => Ok(Self::File(path)),
            (None, None, Some(source)) => Ok(Self::Function {
                source,
                argument: given.argument,
            }),
            _ => Err(Error::invalid_argument(format!(
                "{what} must have either content, path or function"
            ))),
        }
    }

    fn schema() -> Value {
        schema_of::<InitScriptForm>()
    }
}
