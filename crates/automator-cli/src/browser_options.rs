//! The options of the browser, the same for every command.

use std::path::PathBuf;

use automator::{LocalBrowserLaunchOptions, ProxyOptions, ViewportOptions};
use clap::Args;
use url::Url;

use crate::exit::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Browser")]
pub(crate) struct BrowserOptions {
    /// Show the browser's window
    #[arg(long, conflicts_with = "cdp_url")]
    headed: bool,
    /// The browser's executable [default: a Chromium that is found; CHROME_PATH names one]
    #[arg(long, value_name = "FILE", conflicts_with = "cdp_url")]
    executable_path: Option<PathBuf>,
    /// Use a running browser: the ws: address or http: address of its DevTools port. A page of its own is
    /// opened there and closed again
    #[arg(long, value_name = "URL")]
    cdp_url: Option<String>,
    /// The profile folder, with its cookies and sign-ins; made when it is missing, and kept [default: a temporary
    /// one]
    #[arg(long, value_name = "FOLDER", conflicts_with = "cdp_url")]
    user_data_dir: Option<PathBuf>,
    /// The size of the page in CSS pixels [default: 1288x711]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = read_viewport)]
    viewport: Option<ViewportOptions>,
    /// A further argument for the browser, as in --arg=--lang=de; can be given several times
    #[arg(
        long = "arg",
        value_name = "ARGUMENT",
        allow_hyphen_values = true,
        conflicts_with = "cdp_url"
    )]
    args: Vec<String>,
    /// The proxy for all of the browser's traffic, as in http://proxy.example:3128
    #[arg(long, value_name = "SERVER", conflicts_with = "cdp_url")]
    proxy: Option<String>,
    /// User name and password for the proxy, better given by the environment variable
    #[arg(
        long,
        value_name = "USER:PASSWORD",
        env = "AUTOMATOR_PROXY_USER",
        hide_env_values = true
    )]
    proxy_user: Option<Login>,
}

/// A user name and a password as they were typed, checked only when they are used: what clap refuses it also
/// prints.
#[derive(Clone)]
struct Login(String);

impl From<String> for Login {
    fn from(typed: String) -> Self {
        Self(typed)
    }
}

impl std::fmt::Debug for Login {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Login")
    }
}

impl BrowserOptions {
    /// The first option that only means something for a browser that is started or attached to.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.headed, "--headed"),
            (self.executable_path.is_some(), "--executable-path"),
            (self.cdp_url.is_some(), "--cdp-url"),
            (self.user_data_dir.is_some(), "--user-data-dir"),
            (self.viewport.is_some(), "--viewport"),
            (!self.args.is_empty(), "--arg"),
            (self.proxy.is_some(), "--proxy"),
        ];
        given
            .into_iter()
            .find_map(|(is_given, option)| is_given.then_some(option))
    }

    /// Whether a browser is used that is not ours to end.
    pub(crate) fn is_attached(&self) -> bool {
        self.cdp_url.is_some()
    }

    /// What the library is told.
    pub(crate) fn to_launch(&self) -> Result<LocalBrowserLaunchOptions, Failure> {
        if let Some(path) = self.executable_path.as_ref().filter(|path| path.is_dir()) {
            return Err(Failure::usage(format!("{} is a folder", path.display()))
                .hint("--executable-path names the browser's program file"));
        }
        Ok(LocalBrowserLaunchOptions {
            headless: !self.headed,
            executable_path: self.executable_path.clone(),
            cdp_url: self.cdp_url.clone(),
            user_data_dir: self.user_data_dir.clone(),
            viewport: self.viewport,
            args: self.args.clone(),
            proxy: self
                .proxy
                .as_deref()
                .map(|server| proxy(server, self.proxy_user.as_ref()))
                .transpose()?,
            ..LocalBrowserLaunchOptions::default()
        })
    }
}

/// A value of an option that cannot be used; clap puts the option and the value in front.
#[derive(Debug)]
pub(crate) struct InvalidValue(&'static str);

impl InvalidValue {
    pub(crate) fn new(problem: &'static str) -> Self {
        Self(problem)
    }
}

impl std::fmt::Display for InvalidValue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0)
    }
}

impl std::error::Error for InvalidValue {}

fn read_viewport(text: &str) -> Result<ViewportOptions, InvalidValue> {
    const FORM: InvalidValue = InvalidValue("a size is two numbers of pixels joined by x, as in 1280x720");
    let (width, height) = text.split_once(['x', 'X']).ok_or(FORM)?;
    let side = |text: &str| match text.parse::<u32>() {
        Ok(side @ 1..=10_000_000) => Ok(side),
        _ => Err(FORM),
    };
    Ok(ViewportOptions {
        width: side(width)?,
        height: side(height)?,
    })
}

/// Chromium knows no user in a proxy's address. The errors repeat nothing that may hold a password.
fn proxy(server: &str, login: Option<&Login>) -> Result<ProxyOptions, Failure> {
    let address = if server.contains("://") {
        server.to_owned()
    } else {
        format!("http://{server}")
    };
    let url = Url::parse(&address).ok().filter(Url::has_host).ok_or_else(|| {
        Failure::usage("--proxy is no address of a proxy").hint("for example http://proxy.example:3128")
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::usage("--proxy must not hold a user name or password")
            .hint("give them in the environment variable AUTOMATOR_PROXY_USER, as USER:PASSWORD"));
    }
    let login = match login {
        None => None,
        Some(Login(typed)) => Some(typed.split_once(':').ok_or_else(|| {
            Failure::usage("the login for the proxy has no password")
                .hint("join user name and password by a colon")
        })?),
    };
    Ok(ProxyOptions {
        server: server.to_owned(),
        bypass: None,
        username: login.map(|(name, _)| name.to_owned()),
        password: login.map(|(_, password)| password.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewport_is_two_positive_numbers() {
        let size = read_viewport("1280x720").unwrap();
        assert_eq!((size.width, size.height), (1280, 720));
        for text in [
            "",
            "1280",
            "x",
            "1280x",
            "0x0",
            "-1x5",
            "1280x720x3",
            "99999999999x1",
            "a×b",
        ] {
            assert!(read_viewport(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_proxy_has_a_host_and_no_user_in_its_address() {
        for server in [
            "http://proxy.example:3128",
            "socks5://127.0.0.1:1080",
            "proxy.example:3128",
        ] {
            assert_eq!(proxy(server, None).unwrap().server, server);
        }
        for server in ["", "http://", "http://me:secret@proxy.example", "a b"] {
            let error = proxy(server, None).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_proxy_password_may_hold_colons_and_is_not_printed() {
        let login = Login::from("me:se:cret".to_owned());
        let given = proxy("proxy.example:3128", Some(&login)).unwrap();
        assert_eq!(given.username.as_deref(), Some("me"));
        assert_eq!(given.password.as_deref(), Some("se:cret"));
        assert!(!format!("{login:?}").contains("cret"));
        let error = proxy("proxy.example", Some(&Login::from("secret".to_owned()))).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
