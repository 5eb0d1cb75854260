//! Options that have the right type and still cannot be used are refused where they are made, and not when the
//! browser starts or the model is asked.

use automator_llm::LlmError;
use url::Url;

use super::expectation::quoted;
use super::{
    AgentConfig, AutomatorOptions, ExtractOptions, LocalBrowserLaunchOptions, ProxyOptions, SnapshotOptions,
    ViewportOptions,
};
use crate::Error;
use crate::agent::Price;

/// Larger pages than this the browser does not make.
const LARGEST_SIDE: u32 = 10_000_000;

/// How the scheme of each proxy of a list is told apart, as in `http=a.example:80;https=b.example:81`.
const SCHEMES_OF_A_LIST: [&str; 4] = ["http=", "https=", "ftp=", "socks="];

impl AutomatorOptions {
    /// Looks at everything that can be judged without a browser and a model.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.api_key.as_deref().is_some_and(|key| key.trim().is_empty()) {
            return Err(Error::invalid_argument("apiKey must not be empty").hint(
                "a variable that is not set is the usual cause; without apiKey, REMOTE_API_KEY is read",
            ));
        }
        if self
            .remote_session_id
            .as_deref()
            .is_some_and(|id| id.trim().is_empty())
        {
            return Err(Error::invalid_argument("remoteSessionID must not be empty")
                .hint("leave it out to create a session"));
        }
        if let (Some(model), None) = (&self.model, &self.llm_client) {
            model.check()?;
        }
        if let Some(address) = &self.remote_base_url {
            check_remote_base_url(address)?;
        }
        self.local_browser_launch_options.check()
    }
}

impl ExtractOptions {
    /// Looks at everything that can be judged without a page and a model: the selectors and the model object.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument),
    /// [`ErrorKind::InvalidModelFormat`](crate::ErrorKind::InvalidModelFormat).
    pub fn check(&self) -> Result<(), Error> {
        if let Some(model) = &self.model {
            model.check()?;
        }
        check_selectors(self.selector.iter().chain(&self.ignore_selectors))
    }
}

impl AgentConfig {
    /// Looks at everything that can be judged without a session: the models and their prices.
    ///
    /// ```
    /// use automator::{AgentConfig, ErrorKind};
    ///
    /// let config = AgentConfig { execution_model: Some("x".into()), ..AgentConfig::default() };
    /// let error = config.check().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    /// assert_eq!(
    ///     error.message(),
    ///     r#"executionModel must have the form provider/model, for example openai/gpt-4.1-mini, not "x""#
    /// );
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) that names the member;
    /// [`ErrorKind::InvalidModelFormat`](crate::ErrorKind::InvalidModelFormat) for the name of `model`.
    pub fn check(&self) -> Result<(), Error> {
        for (member, model) in [("model", &self.model), ("executionModel", &self.execution_model)] {
            let Some(model) = model else {
                continue;
            };
            model.check().map_err(|error| of_model(member, error))?;
            Price::of(model, member)?;
        }
        Ok(())
    }
}

/// What is wrong with a model object, as that of the member that it was given as.
pub(super) fn of_model(member: &str, error: LlmError) -> Error {
    match error {
        // That of the model has a kind of its own.
        LlmError::InvalidModelFormat { given } if member != "model" => Error::invalid_argument(format!(
            "{member} must have the form provider/model, for example openai/gpt-4.1-mini, not {}",
            quoted(&given)
        )),
        LlmError::InvalidModelOption { option, reason } => {
            let rest = option.strip_prefix("model").unwrap_or(&option);
            Error::invalid_argument(format!("{member}{rest} {reason}"))
        }
        other => other.into(),
    }
}

impl SnapshotOptions {
    /// Looks at everything that can be judged without a page: the selectors.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
    pub fn check(&self) -> Result<(), Error> {
        check_selectors(self.selector.iter().chain(&self.ignore_selectors))
    }
}

fn check_selectors<'s>(selectors: impl Iterator<Item = &'s String>) -> Result<(), Error> {
    for selector in selectors {
        automator_browser::Selector::parse(selector)?;
    }
    Ok(())
}

impl LocalBrowserLaunchOptions {
    fn check(&self) -> Result<(), Error> {
        if let Some(address) = &self.cdp_url {
            check_cdp_url(address)?;
        }
        if let Some(proxy) = &self.proxy {
            check_proxy(proxy)?;
        }
        if let Some(ViewportOptions { width, height }) = self.viewport
            && ![width, height]
                .iter()
                .all(|side| (1..=LARGEST_SIDE).contains(side))
        {
            return Err(refused(
                "viewport",
                &format!("each side from 1 to {LARGEST_SIDE} CSS pixels, such as 1280 × 720"),
                &format!("{width} × {height}"),
            ));
        }
        match self.device_scale_factor {
            Some(factor) if !(factor.is_finite() && factor > 0.0) => Err(refused(
                "deviceScaleFactor",
                "a number above 0, such as 2",
                &factor.to_string(),
            )),
            _ => Ok(()),
        }
    }
}

fn check_cdp_url(address: &str) -> Result<(), Error> {
    let url = Url::parse(address.trim()).ok();
    let is_usable = url.is_some_and(|url| {
        matches!(url.scheme(), "ws" | "wss" | "http" | "https") && url.host_str().is_some()
    });
    if is_usable {
        return Ok(());
    }
    Err(refused(
        "cdpUrl",
        "the address of a running browser, such as ws://127.0.0.1:9222/devtools/browser/… or \
         http://127.0.0.1:9222",
        &quoted(address),
    ))
}

/// Which addresses can be that of a platform is decided where it is used.
fn check_remote_base_url(address: &str) -> Result<(), Error> {
    match crate::remote::read_base_url(address) {
        Some(_) => Ok(()),
        None => Err(Error::invalid_argument(format!(
            "remoteBaseURL must be the address of a platform, such as http://127.0.0.1:4800, or the ws:// or wss:// \
             address of a browser, not {}",
            quoted(address)
        ))),
    }
}

/// One proxy, or a list of them as Chromium takes it.
fn check_proxy(proxy: &ProxyOptions) -> Result<(), Error> {
    for entry in proxy.server.split([';', ',']) {
        let entry = entry.trim();
        let entry = SCHEMES_OF_A_LIST
            .iter()
            .find_map(|scheme| entry.strip_prefix(scheme))
            .unwrap_or(entry);
        if entry == "direct://" {
            continue;
        }
        let address = if entry.contains("://") {
            entry.to_owned()
        } else {
            format!("http://{entry}")
        };
        let Some(url) = Url::parse(&address).ok().filter(Url::has_host) else {
            return Err(refused(
                "proxy.server",
                "the address of a proxy, such as http://proxy.example:3128 or socks5://127.0.0.1:1080",
                &quoted(&proxy.server),
            ));
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::invalid_argument(
                "localBrowserLaunchOptions.proxy.server must not hold a user name or password",
            )
            .hint("give them as proxy.username and proxy.password"));
        }
    }
    Ok(())
}

fn refused(member: &str, wanted: &str, given: &str) -> Error {
    Error::invalid_argument(format!(
        "localBrowserLaunchOptions.{member} must be {wanted}, not {given}"
    ))
}
