//! Cookies of the browser: read, set, removed.

use automator_cdp::CdpError;
use automator_cdp::protocol::network::{self, CookieParam, CookiePartitionKey};
use automator_cdp::protocol::storage::{ClearCookies, GetCookies, SetCookies};
use futures_util::future::join_all;
use regex::Regex;
use url::Url;

use crate::attach::is_local;
use crate::{BrowserError, Context};

/// A cookie as the browser keeps it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host that gets it; with a dot in front, also the hosts below.
    pub domain: String,
    /// The path that gets it, with all below.
    pub path: String,
    /// When it ends, in seconds since 1970; −1 when it ends with the browser.
    pub expires: f64,
    /// Whether scripts do not see it.
    pub http_only: bool,
    /// Whether it goes out over secure connections only.
    pub secure: bool,
    /// With which requests from other sites it goes out. `Lax` when the server did not say.
    pub same_site: SameSite,
    partition_key: Option<CookiePartitionKey>,
}

/// With which requests from other sites a cookie goes out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SameSite {
    /// With none.
    Strict,
    /// When the user follows a link.
    #[default]
    Lax,
    /// With all, over secure connections only.
    None,
}

/// A cookie to set: for an address, or for a domain and a path.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct NewCookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The address that it is for, in place of `domain` and `path`: its host, its folder, and `secure` for `https:`.
    pub url: Option<String>,
    /// The host that gets it; with a dot in front, also the hosts below.
    pub domain: Option<String>,
    /// The path that gets it, with all below.
    pub path: Option<String>,
    /// When it ends, in seconds since 1970. Default, and −1: with the browser.
    pub expires: Option<f64>,
    /// Whether scripts do not see it. Default: they do.
    pub http_only: bool,
    /// Whether it goes out over secure connections only. Default: whether `url` is `https:`.
    pub secure: Option<bool>,
    /// With which requests from other sites it goes out. Default: the browser's, which is `Lax`.
    pub same_site: Option<SameSite>,
}

impl NewCookie {
    /// A cookie with this name and value; say with [`url`](Self::url) or [`domain`](Self::domain) and
    /// [`path`](Self::path) whom it is for.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            ..Self::default()
        }
    }
}

/// Which cookies; those that match every member that is given.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CookieFilter {
    /// By name.
    pub name: Option<TextFilter>,
    /// By domain, as the cookie has it, with or without its dot in front.
    pub domain: Option<TextFilter>,
    /// By path.
    pub path: Option<TextFilter>,
}

/// Which texts.
#[derive(Debug, Clone)]
pub enum TextFilter {
    /// Just this one.
    Exact(String),
    /// Those in which this matches somewhere.
    Pattern(Regex),
}

impl TextFilter {
    /// Those in which this regular expression matches somewhere.
    ///
    /// # Errors
    /// [`BrowserError::InvalidArgument`] when it is none.
    pub fn pattern(source: &str) -> Result<Self, BrowserError> {
        let pattern = Regex::new(source).map_err(|error| BrowserError::InvalidArgument {
            argument: "pattern",
            problem: problem_of(source, &error),
        })?;
        Ok(Self::Pattern(pattern))
    }
}

/// Why a regular expression cannot be used. What other engines have and this one has not is told in one sentence.
fn problem_of(source: &str, error: &regex::Error) -> String {
    let looks_around = ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|group| source.contains(group));
    match error {
        regex::Error::CompiledTooBig(_) => format!("/{source}/ is too large"),
        regex::Error::Syntax(_) if looks_around => {
            format!("/{source}/ looks ahead or behind, which patterns here cannot do")
        }
        regex::Error::Syntax(told) => {
            let reason = told
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            format!("/{source}/ cannot be read: {reason}")
        }
        other => format!("/{source}/ cannot be used: {other}"),
    }
}

impl Context {
    /// The cookies that a request to one of these addresses would carry; without any address, all.
    ///
    /// # Errors
    /// [`BrowserError::InvalidUrl`]; a protocol error.
    pub async fn cookies(&self, urls: &[&str]) -> Result<Vec<Cookie>, BrowserError> {
        let urls = urls
            .iter()
            .map(|url| cookie_url(url))
            .collect::<Result<Vec<Url>, _>>()?;
        let reply = self.browser().session().send(&GetCookies::default()).await?;
        let cookies = reply.cookies.into_iter().map(Cookie::from);
        let wanted = |cookie: &Cookie| urls.is_empty() || urls.iter().any(|url| cookie.goes_to(url));
        Ok(cookies.filter(wanted).collect())
    }

    /// Sets cookies. All are checked before the first one is set.
    ///
    /// # Errors
    /// [`BrowserError::CookieValidation`] when one of them contradicts itself, and then none is set;
    /// [`BrowserError::CookieSet`] when the browser refuses one, and then the others may be set.
    pub async fn add_cookies(&self, cookies: &[NewCookie]) -> Result<(), BrowserError> {
        let checked = cookies
            .iter()
            .map(checked)
            .collect::<Result<Vec<CookieParam>, _>>()?;
        self.set(checked).await
    }

    /// Removes the cookies that match the filter; without a member in it, all. No other cookie is touched.
    ///
    /// # Errors
    /// [`BrowserError::CookieSet`] when the browser refuses to remove one; a protocol error.
    pub async fn clear_cookies(&self, filter: &CookieFilter) -> Result<(), BrowserError> {
        if filter.is_empty() {
            self.browser().session().send(&ClearCookies::default()).await?;
            return Ok(());
        }
        let all = self.cookies(&[]).await?;
        let ended = all
            .into_iter()
            .filter(|cookie| filter.matches(cookie))
            .map(Cookie::ended);
        self.set(ended.collect()).await
    }

    /// One command for each, because the browser does not say which of several it refuses.
    async fn set(&self, cookies: Vec<CookieParam>) -> Result<(), BrowserError> {
        let setting = cookies.into_iter().map(|cookie| {
            let name = cookie.name.clone();
            let call = self.browser().session().send(&SetCookies {
                cookies: vec![cookie],
                ..SetCookies::default()
            });
            async move {
                match call.await {
                    Ok(_) => Ok(()),
                    Err(CdpError::Protocol { message, .. }) => Err(BrowserError::CookieSet {
                        name,
                        problem: message,
                    }),
                    Err(error) => Err(error.into()),
                }
            }
        });
        join_all(setting).await.into_iter().collect()
    }
}

impl From<network::Cookie> for Cookie {
    fn from(cookie: network::Cookie) -> Self {
        Self {
            name: cookie.name,
            value: cookie.value,
            domain: cookie.domain,
            path: cookie.path,
            expires: if cookie.session { -1.0 } else { cookie.expires },
            http_only: cookie.http_only,
            secure: cookie.secure,
            same_site: match cookie.same_site.as_deref() {
                Some(network::cookie_same_site::STRICT) => SameSite::Strict,
                Some(network::cookie_same_site::NONE) => SameSite::None,
                _ => SameSite::Lax,
            },
            partition_key: cookie.partition_key,
        }
    }
}

impl Cookie {
    /// The domain without the dot that says that hosts below it count too.
    fn host(&self) -> &str {
        self.domain.strip_prefix('.').unwrap_or(&self.domain)
    }

    /// Whether a request to the address carries it.
    fn goes_to(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let below = host
            .strip_suffix(self.host())
            .is_some_and(|rest| rest.ends_with('.'));
        let is_host = host == self.host() || (below && self.domain.starts_with('.'));
        let is_secure = !self.secure || url.scheme() == "https" || url.scheme() == "wss" || is_local(url);
        is_host && is_secure && is_within(url.path(), &self.path)
    }

    /// The same cookie, at its end: setting it removes it, and nothing else.
    fn ended(self) -> CookieParam {
        CookieParam {
            name: self.name,
            domain: Some(self.domain),
            path: Some(self.path),
            secure: Some(self.secure),
            http_only: Some(self.http_only),
            expires: Some(1.0),
            partition_key: self.partition_key,
            ..CookieParam::default()
        }
    }
}

impl CookieFilter {
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.domain.is_none() && self.path.is_none()
    }

    fn matches(&self, cookie: &Cookie) -> bool {
        let fits = |filter: &Option<TextFilter>, text: &str| {
            filter.as_ref().is_none_or(|filter| filter.matches(text))
        };
        let domain = fits(&self.domain, &cookie.domain) || fits(&self.domain, cookie.host());
        domain && fits(&self.name, &cookie.name) && fits(&self.path, &cookie.path)
    }
}

impl TextFilter {
    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Exact(wanted) => wanted == text,
            Self::Pattern(pattern) => pattern.is_match(text),
        }
    }
}

/// A cookie's path, and all below it: `/a` holds `/a`, `/a/` and `/a/b`, but not `/ab`.
fn is_within(path: &str, cookie_path: &str) -> bool {
    path.strip_prefix(cookie_path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || cookie_path.ends_with('/'))
}

/// An address that can have cookies.
fn cookie_url(url: &str) -> Result<Url, BrowserError> {
    match Url::parse(url) {
        Ok(parsed) if parsed.has_host() => Ok(parsed),
        Ok(_) => Err(BrowserError::InvalidUrl {
            url: url.to_owned(),
            hint: Some("it has no host, so there are no cookies for it".to_owned()),
        }),
        Err(error) => Err(BrowserError::InvalidUrl {
            url: url.to_owned(),
            hint: Some(error.to_string()),
        }),
    }
}

/// The cookie as the browser takes it, if it says what a cookie can.
fn checked(cookie: &NewCookie) -> Result<CookieParam, BrowserError> {
    let invalid = |problem: &'static str| BrowserError::CookieValidation {
        name: cookie.name.clone(),
        problem,
    };
    if cookie.name.is_empty() && cookie.value.is_empty() {
        return Err(invalid("it has neither name nor value"));
    }
    let breaks = |text: &str| text.contains(|character: char| character == ';' || character.is_control());
    if breaks(&cookie.name) || cookie.name.contains('=') || breaks(&cookie.value) {
        return Err(invalid(
            "a name or value cannot hold `;` or a control character, nor a name `=`",
        ));
    }
    let (domain, path, secure) = place(cookie).map_err(invalid)?;
    let secure = cookie.secure.unwrap_or(secure);
    if cookie.same_site == Some(SameSite::None) && !secure {
        return Err(invalid("`sameSite: None` needs `secure: true`"));
    }
    let expires = match cookie.expires {
        None | Some(-1.0) => None,
        Some(at) if at.is_finite() && at >= 0.0 => Some(at),
        Some(_) => {
            return Err(invalid(
                "`expires` is −1 (with the browser) or seconds since 1970",
            ));
        }
    };
    Ok(CookieParam {
        name: cookie.name.clone(),
        value: cookie.value.clone(),
        domain: Some(domain),
        path: Some(path),
        secure: Some(secure),
        http_only: Some(cookie.http_only),
        same_site: cookie.same_site.map(|same_site| {
            match same_site {
                SameSite::Strict => network::cookie_same_site::STRICT,
                SameSite::Lax => network::cookie_same_site::LAX,
                SameSite::None => network::cookie_same_site::NONE,
            }
            .to_owned()
        }),
        expires,
        ..CookieParam::default()
    })
}

/// Domain, path, and whether its address is a secure one.
fn place(cookie: &NewCookie) -> Result<(String, String, bool), &'static str> {
    match (&cookie.url, &cookie.domain, &cookie.path) {
        (Some(_), None, Some(_)) | (Some(_), Some(_), _) => {
            Err("it has a `url` and a `domain` or `path`; give one or the other")
        }
        (Some(url), None, None) => {
            let Ok(url) = Url::parse(url) else {
                return Err("its `url` cannot be read; it begins with its scheme, as https://");
            };
            let Some(host) = url.host_str() else {
                return Err(
                    "its `url` has no host, so it cannot have cookies (as `about:blank` and `data:`)",
                );
            };
            let folder = url.path().rfind('/').map_or("/", |at| &url.path()[..=at]);
            // The folder without its last slash, as the browser does it for cookies without a path.
            let path = if folder.len() > 1 {
                folder.trim_end_matches('/')
            } else {
                folder
            };
            Ok((host.to_owned(), path.to_owned(), url.scheme() == "https"))
        }
        (None, Some(domain), Some(path)) if !domain.is_empty() && path.starts_with('/') => {
            Ok((domain.clone(), path.clone(), false))
        }
        (None, Some(_), Some(_)) => Err("its `domain` is empty, or its `path` does not begin with `/`"),
        (None, _, _) => Err("it needs a `url`, or a `domain` and a `path`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(cookie: &NewCookie) -> &'static str {
        match checked(cookie) {
            Err(BrowserError::CookieValidation { problem, .. }) => problem,
            other => panic!("{other:?}"),
        }
    }

    fn at(url: &str) -> NewCookie {
        NewCookie {
            url: Some(url.to_owned()),
            ..NewCookie::new("n", "v")
        }
    }

    #[test]
    fn cookies_that_contradict_themselves_are_refused() {
        let with = |domain: Option<&str>, path: Option<&str>| NewCookie {
            domain: domain.map(str::to_owned),
            path: path.map(str::to_owned),
            ..NewCookie::new("n", "v")
        };
        assert!(problem(&with(None, None)).contains("needs"));
        assert!(problem(&with(Some("a.test"), None)).contains("needs"));
        assert!(problem(&with(Some("a.test"), Some("x"))).contains("begin with"));
        assert!(
            problem(&NewCookie {
                domain: Some("a.test".to_owned()),
                ..at("http://a.test")
            })
            .contains("one or the other")
        );
        assert!(
            problem(&NewCookie {
                path: Some("/".to_owned()),
                ..at("http://a.test")
            })
            .contains("one or the other")
        );
        for url in ["about:blank", "data:text/html,x"] {
            assert!(problem(&at(url)).contains("no host"), "{url}");
        }
        assert!(problem(&at("a.test")).contains("cannot be read"));
        for expires in [-2.0, -0.5, f64::NAN, f64::INFINITY] {
            assert!(
                problem(&NewCookie {
                    expires: Some(expires),
                    ..at("http://a.test")
                })
                .contains("expires")
            );
        }
        let none = |url: &str| NewCookie {
            same_site: Some(SameSite::None),
            ..at(url)
        };
        assert!(problem(&none("http://a.test")).contains("secure"));
        assert!(checked(&none("https://a.test")).is_ok());
        assert!(
            problem(&NewCookie {
                value: "a;b".to_owned(),
                ..at("http://a.test")
            })
            .contains(';')
        );
    }

    #[test]
    fn address_gives_host_folder_and_security() {
        let param = checked(&at("https://a.test/deep/page?x")).unwrap();
        assert_eq!(
            (param.domain.as_deref(), param.path.as_deref(), param.secure),
            (Some("a.test"), Some("/deep"), Some(true))
        );
        assert_eq!(checked(&at("http://a.test")).unwrap().path.as_deref(), Some("/"));
    }

    fn cookie(domain: &str, path: &str, secure: bool) -> Cookie {
        Cookie::from(network::Cookie {
            name: "session-id".to_owned(),
            domain: domain.to_owned(),
            path: path.to_owned(),
            secure,
            ..network::Cookie::default()
        })
    }

    #[test]
    fn address_filter_follows_host_path_and_security() {
        let cases = [
            ((".a.test", "/", false), "http://x.a.test/", true),
            (("a.test", "/", false), "http://x.a.test/", false),
            ((".a.test", "/", false), "http://ba.test/", false),
            (("a.test", "/deep", false), "http://a.test/deep/er", true),
            (("a.test", "/deep", false), "http://a.test/deeper", false),
            (("a.test", "/deep/", false), "http://a.test/deep/er", true),
            (("a.test", "/", true), "http://a.test/", false),
            (("a.test", "/", true), "https://a.test/", true),
            (("127.0.0.1", "/", true), "http://127.0.0.1:80/", true),
        ];
        for ((domain, path, secure), url, expected) in cases {
            let url = Url::parse(url).unwrap();
            assert_eq!(
                cookie(domain, path, secure).goes_to(&url),
                expected,
                "{domain}{path} {url}"
            );
        }
    }

    #[test]
    fn filters_take_exact_texts_and_patterns() {
        let exact = |text: &str| Some(TextFilter::Exact(text.to_owned()));
        let pattern = |text: &str| Some(TextFilter::Pattern(Regex::new(text).unwrap()));
        let cookie = cookie(".a.test", "/x", false);
        let cases = [
            (
                CookieFilter {
                    name: exact("session-id"),
                    ..CookieFilter::default()
                },
                true,
            ),
            (
                CookieFilter {
                    name: exact("session"),
                    ..CookieFilter::default()
                },
                false,
            ),
            (
                CookieFilter {
                    name: pattern("^session"),
                    domain: exact("a.test"),
                    ..CookieFilter::default()
                },
                true,
            ),
            (
                CookieFilter {
                    domain: exact(".a.test"),
                    path: exact("/x"),
                    ..CookieFilter::default()
                },
                true,
            ),
            (
                CookieFilter {
                    path: pattern("^/y"),
                    ..CookieFilter::default()
                },
                false,
            ),
        ];
        for (filter, expected) in cases {
            assert_eq!(filter.matches(&cookie), expected, "{filter:?}");
        }
    }
}
