//! Where the platform is and what it speaks, from options and environment; pure.

use automator_llm::{Environment as _, Secret};
use url::Url;

use super::cdp::AnyBrowser;
use super::http::Endpoint;
use super::platform::Platform;
use super::served::{HOSTED, OWN, Served};
use crate::options::{AutomatorOptions, RemotePlatform};
use crate::{Error, ErrorKind, Result};

/// Where `automator serve` listens when nothing else is said.
const DEFAULT_ADDRESS: &str = "http://127.0.0.1:4800";

/// Where a platform is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Place {
    /// Behind the HTTP interface of sessions.
    Sessions {
        /// Without `/v1` and without a slash at the end.
        address: String,
        /// Where operations are; none when that is the same.
        operations: Option<String>,
        key: Secret,
        is_hosted: bool,
    },
    /// One browser.
    Browser { address: String },
}

impl Place {
    /// The place that options and environment name.
    ///
    /// [`ErrorKind::MissingEnvironmentVariable`] without a key, where one is needed.
    pub(crate) fn of(options: &AutomatorOptions) -> Result<Self> {
        let environment = &options.environment;
        let variable = |name: &str| environment.variable(name);
        let (given, said_by) = match &options.remote_base_url {
            Some(given) => (Some(given.clone()), "remoteBaseURL"),
            None => (variable("REMOTE_BASE_URL"), "REMOTE_BASE_URL"),
        };
        let address = match &given {
            Some(given) => Some(read_base_url(given).ok_or_else(|| no_address(said_by, given))?),
            None => None,
        };
        let is_browser = address
            .as_ref()
            .is_some_and(|address| matches!(address.scheme(), "ws" | "wss"));
        let platform = options.remote_platform.unwrap_or(match is_browser {
            true => RemotePlatform::Cdp,
            false => RemotePlatform::Automator,
        });
        let address = match (platform, address) {
            (RemotePlatform::Cdp, Some(address)) => {
                let address = address.into();
                return Ok(Self::Browser { address });
            }
            (RemotePlatform::Automator | RemotePlatform::Hosted, Some(address)) if is_browser => {
                let message =
                    format!("{said_by} is the address of a browser, and remotePlatform that of a platform");
                return Err(Error::new(ErrorKind::Environment, message)
                    .hint("leave remotePlatform out, or set it to \"cdp\"")
                    .with("address", without_secrets(&address)));
            }
            (_, Some(address)) => checked_base(said_by, &address)?,
            (RemotePlatform::Automator, None) => DEFAULT_ADDRESS.to_owned(),
            (RemotePlatform::Hosted | RemotePlatform::Cdp, None) => {
                return Err(Error::new(
                    ErrorKind::MissingEnvironmentVariable,
                    "this remotePlatform needs an address, and REMOTE_BASE_URL is not set",
                )
                .hint("set REMOTE_BASE_URL or pass remoteBaseURL"));
            }
        };
        let key = options
            .api_key
            .clone()
            .filter(|key| !key.is_empty())
            .or_else(|| variable("REMOTE_API_KEY"));
        let Some(key) = key else {
            return Err(Error::new(
                ErrorKind::MissingEnvironmentVariable,
                "env REMOTE needs a key, and REMOTE_API_KEY is not set",
            )
            .hint("set REMOTE_API_KEY or pass api_key"));
        };
        if key.chars().any(|character| !character.is_ascii_graphic()) {
            return Err(Error::new(
                ErrorKind::Environment,
                "the API key has characters that no key has, such as a space or the end of a line",
            )
            .hint("check apiKey or REMOTE_API_KEY"));
        }
        let is_hosted = platform == RemotePlatform::Hosted;
        let operations = match variable("REMOTE_API_URL").filter(|_| is_hosted) {
            Some(given) => {
                let address = read_base_url(&given).ok_or_else(|| no_address("REMOTE_API_URL", &given))?;
                Some(checked_base("REMOTE_API_URL", &address)?)
            }
            None => None,
        };
        Ok(Self::Sessions {
            address,
            operations,
            key: Secret::new(key),
            is_hosted,
        })
    }

    /// Whether there are sessions, or just a browser.
    pub(crate) fn has_sessions(&self) -> bool {
        matches!(self, Self::Sessions { .. })
    }

    /// The platform at this place.
    pub(crate) fn platform(self) -> Result<Box<dyn Platform>> {
        Ok(match self {
            Self::Browser { address } => Box::new(AnyBrowser::new(address)),
            Self::Sessions {
                address,
                operations,
                key,
                is_hosted,
            } => {
                let sessions = Endpoint::new(&address, key.clone())?;
                let operations = match operations {
                    Some(address) => Endpoint::new(&address, key)?,
                    None => sessions.clone(),
                };
                let names = if is_hosted { &HOSTED } else { &OWN };
                Box::new(Served::new(sessions, operations, names))
            }
        })
    }
}

/// An address that a platform or a browser can have.
pub(crate) fn read_base_url(given: &str) -> Option<Url> {
    let url = Url::parse(given.trim()).ok()?;
    let is_usable = matches!(url.scheme(), "http" | "https" | "ws" | "wss") && url.host_str().is_some();
    is_usable.then_some(url)
}

/// The address of a platform, which has nothing but a host and a path.
fn checked_base(said_by: &str, address: &Url) -> Result<String> {
    let superfluous = if !address.username().is_empty() || address.password().is_some() {
        "a user name or a password"
    } else if address.query().is_some() || address.fragment().is_some() {
        "a query or a fragment"
    } else {
        return Ok(base_of(address));
    };
    let message = format!(
        "{said_by} has {superfluous}, which the address of a platform has not: \"{}\"",
        without_secrets(address)
    );
    Err(Error::new(kind_of(said_by), message).hint("use an address such as http://127.0.0.1:4800"))
}

/// What is wrong when an address is.
fn kind_of(said_by: &str) -> ErrorKind {
    match said_by {
        "remoteBaseURL" => ErrorKind::InvalidArgument,
        _ => ErrorKind::Environment,
    }
}

/// An address without the version, which belongs to each request, and without a slash at the end.
fn base_of(address: &Url) -> String {
    let text = address.as_str().trim_end_matches('/');
    text.strip_suffix("/v1").unwrap_or(text).to_owned()
}

fn without_secrets(address: &Url) -> String {
    let host = address.host_str().unwrap_or_default();
    let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}", address.scheme())
}

fn no_address(said_by: &str, given: &str) -> Error {
    Error::new(
        kind_of(said_by),
        format!("{said_by} is no address of a platform: \"{given}\""),
    )
    .hint("use an address such as http://127.0.0.1:4800, or the ws:// or wss:// address of a browser")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Env, EnvironmentSource};

    fn place(
        base: Option<&str>,
        platform: Option<RemotePlatform>,
        variables: &'static [(&'static str, &'static str)],
    ) -> Result<Place> {
        let mut options = AutomatorOptions::new(Env::Remote);
        options.remote_base_url = base.map(str::to_owned);
        options.remote_platform = platform;
        options.environment = EnvironmentSource::new(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        Place::of(&options)
    }

    const KEY: (&str, &str) = ("REMOTE_API_KEY", "amk_1");

    fn sessions(address: &str) -> Place {
        Place::Sessions {
            address: address.to_owned(),
            operations: None,
            key: Secret::new("amk_1"),
            is_hosted: false,
        }
    }

    #[test]
    fn the_option_comes_before_the_variable_and_both_before_the_default() {
        let found = place(None, None, &[KEY]).unwrap();
        assert_eq!(found, sessions("http://127.0.0.1:4800"));
        let found = place(None, None, &[KEY, ("REMOTE_BASE_URL", "https://a.example/")]).unwrap();
        assert_eq!(found, sessions("https://a.example"));
        let found = place(
            Some("https://b.example/x/v1/"),
            None,
            &[KEY, ("REMOTE_BASE_URL", "https://a.example/")],
        );
        assert_eq!(found.unwrap(), sessions("https://b.example/x"));
    }

    #[test]
    fn a_web_socket_address_is_that_of_a_browser_and_needs_no_key() {
        let found = place(Some("ws://127.0.0.1:9222/devtools/browser/1"), None, &[]).unwrap();
        assert!(!found.has_sessions());
        let address = "http://127.0.0.1:9222";
        assert!(
            !place(Some(address), Some(RemotePlatform::Cdp), &[])
                .unwrap()
                .has_sessions()
        );
        let error = place(Some("wss://b.example"), Some(RemotePlatform::Hosted), &[KEY]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Environment);
    }

    #[test]
    fn the_hosted_platform_has_two_addresses() {
        let variables = &[
            KEY,
            ("REMOTE_BASE_URL", "https://a.example"),
            ("REMOTE_API_URL", "https://b.example/v1"),
        ];
        let found = place(None, Some(RemotePlatform::Hosted), variables).unwrap();
        let expected = Place::Sessions {
            address: "https://a.example".to_owned(),
            operations: Some("https://b.example".to_owned()),
            key: Secret::new("amk_1"),
            is_hosted: true,
        };
        assert_eq!(found, expected);
        assert_eq!(
            place(None, None, variables).unwrap(),
            sessions("https://a.example")
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = place(None, None, &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingEnvironmentVariable);
        assert!(error.to_string().contains("REMOTE_API_KEY"), "{error}");
        let error = place(None, Some(RemotePlatform::Hosted), &[KEY]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingEnvironmentVariable);
        assert!(error.to_string().contains("REMOTE_BASE_URL"), "{error}");
        let error = place(None, None, &[KEY, ("REMOTE_BASE_URL", "nonsense")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Environment);
        assert!(error.to_string().contains("nonsense"), "{error}");
    }

    #[test]
    fn what_does_not_belong_into_an_address_or_a_key_is_refused_without_being_told() {
        for address in [
            "http://u:secret@a.example",
            "http://a.example/?key=secret",
            "http://a.example/#secret",
        ] {
            let error = place(Some(address), None, &[KEY]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
            let told = error.to_string();
            assert!(told.contains("a.example") && !told.contains("secret"), "{told}");
        }
        let error = place(None, None, &[("REMOTE_API_KEY", "amk_1\n")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Environment);
        assert!(!error.to_string().contains("amk_1"), "{error}");
    }
}
