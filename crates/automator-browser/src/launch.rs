//! Starting a browser of our own.

#[cfg(unix)]
mod adopted;
pub(crate) mod arguments;
mod child;
pub(crate) mod find;
mod living;
pub(crate) mod process;
pub(crate) mod profile;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use automator_cdp::protocol::browser::GetVersion;
use automator_cdp::{CdpError, Connection, WebSocketOptions, WebSocketTransport};

use crate::{BrowserError, DialogsElsewhere};
use arguments::{LaunchFlags, arguments, given_value};
use process::BrowserProcess;
use profile::Profile;

/// How long a browser may take to answer for the first time, when the user sets no limit.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long a browser that has hung up may take to exit, so that its last words are complete.
const EXIT_LIMIT: Duration = Duration::from_secs(1);

/// How long the port of a browser is waited for whose first process has exited.
const PARTING: Duration = Duration::from_millis(500);

/// What to try with a browser that is there and does not answer in time.
const SLOW_HINT: &str = "give it more time (connectTimeoutMs), or see why it is slow in what it says";

/// What Chromium says when it cannot set up its sandbox. It has no code for that.
const SANDBOX_WORDS: [&str; 4] = [
    "without --no-sandbox",
    "No usable sandbox",
    "SUID sandbox helper",
    "move to new namespace",
];

/// How to start, or attach to, a browser. The defaults are those of the field docs.
#[derive(Clone)]
#[non_exhaustive]
pub struct LaunchOptions {
    /// Runs without a window. Default: true.
    pub headless: bool,
    /// The executable; a bare name is looked up on the search path. Default: a Chromium that is found.
    pub executable_path: Option<PathBuf>,
    /// The value of the environment variable `CHROME_PATH`, which counts when `executable_path` is not given.
    pub chrome_path: Option<PathBuf>,
    /// The port of the DevTools protocol. Default: a free one.
    pub port: Option<u16>,
    /// More arguments, after all others; a switch given here is not given by the library.
    pub args: Vec<String>,
    /// Which of the default arguments to leave out. Default: none.
    pub ignore_default_args: IgnoreDefaultArgs,
    /// The profile folder, made when it is missing, and kept. Default: a temporary one.
    pub user_data_dir: Option<PathBuf>,
    /// Keeps a temporary profile when the browser is closed. Default: false.
    pub preserve_user_data_dir: bool,
    /// Where temporary profiles are made, with all that the browser puts aside. Default: the system's folder for
    /// temporary files, as it is when the options are made.
    pub temporary_folder: PathBuf,
    /// The viewport of every page. Default: 1288×711 for a browser that is started, as it is for one that is
    /// attached to.
    pub viewport: Option<Viewport>,
    /// Device pixels per CSS pixel. Default: the browser's own.
    pub device_scale_factor: Option<f64>,
    /// Whether pages see a touch screen. Default: false.
    pub has_touch: bool,
    /// Opens DevTools for each tab; only seen with a window. Default: false.
    pub devtools: bool,
    /// The proxy for all traffic.
    pub proxy: Option<Proxy>,
    /// Accepts any certificate. Default: false.
    pub ignore_https_errors: bool,
    /// The language of pages and requests, as `de-DE`.
    pub locale: Option<String>,
    /// Whether downloads are saved. Default: true.
    pub accept_downloads: bool,
    /// Where downloads are saved. Default: a temporary folder that goes with the browser.
    pub downloads_path: Option<PathBuf>,
    /// `Some(true)` insists on Chromium's sandbox, `Some(false)` turns it off. Default: on, unless the user is
    /// root or the system cannot provide one.
    pub chromium_sandbox: Option<bool>,
    /// Attaches to a running browser: a `ws:` or `wss:` address, or the `http:` or `https:` address of its port.
    pub cdp_url: Option<String>,
    /// The browser at `cdp_url` is on another machine, also when the address is one of this machine, as that of a
    /// relay is: no path of this machine means anything to it. Default: judged by the address.
    pub is_remote: bool,
    /// Says whether another client of the browser at `cdp_url` answers its dialogs. Default: none does.
    pub dialogs_elsewhere: Option<DialogsElsewhere>,
    /// Headers for the requests to `cdp_url`.
    pub cdp_headers: Vec<(String, String)>,
    /// How long to wait for the browser. Default: 15 s to attach, 30 s to start one.
    pub connect_timeout: Option<Duration>,
    /// Leaves the browser running after [`close`](crate::Browser::close). Default: false.
    pub keep_alive: bool,
}

impl std::fmt::Debug for LaunchOptions {
    /// Without the address and the headers for attaching, which may hold keys.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("LaunchOptions")
            .field("headless", &self.headless)
            .field("executable_path", &self.executable_path)
            .field("port", &self.port)
            .field("args", &self.args)
            .field("user_data_dir", &self.user_data_dir)
            .field("viewport", &self.viewport)
            .field("proxy", &self.proxy)
            .field("attaches", &self.cdp_url.is_some())
            .field("keep_alive", &self.keep_alive)
            .finish_non_exhaustive()
    }
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            headless: true,
            executable_path: None,
            chrome_path: None,
            port: None,
            args: Vec::new(),
            ignore_default_args: IgnoreDefaultArgs::None,
            user_data_dir: None,
            preserve_user_data_dir: false,
            temporary_folder: std::env::temp_dir(),
            viewport: None,
            device_scale_factor: None,
            has_touch: false,
            devtools: false,
            proxy: None,
            ignore_https_errors: false,
            locale: None,
            accept_downloads: true,
            downloads_path: None,
            chromium_sandbox: None,
            cdp_url: None,
            is_remote: false,
            dialogs_elsewhere: None,
            cdp_headers: Vec::new(),
            connect_timeout: None,
            keep_alive: false,
        }
    }
}

/// Which default arguments to leave out. The flags that carry an option's value always stay: transport,
/// headless, profile, window size, proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum IgnoreDefaultArgs {
    /// All stay.
    #[default]
    None,
    /// None stays.
    All,
    /// These go; compared as whole strings.
    These(Vec<String>),
}

/// The size of a page's viewport in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    /// `window.innerWidth`.
    pub width: u32,
    /// `window.innerHeight`.
    pub height: u32,
}

impl Default for Viewport {
    /// 1288×711.
    fn default() -> Self {
        Self {
            width: 1288,
            height: 711,
        }
    }
}

/// The proxy for all of the browser's traffic.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxy {
    /// Its address, as `http://proxy:3128` or `socks5://proxy:1080`.
    pub server: String,
    /// Hosts that are reached without it, separated by commas.
    pub bypass: Option<String>,
    /// The user name, when it asks for one.
    pub username: Option<String>,
    /// The password that belongs to it.
    pub password: Option<String>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Proxy")
            .field("server", &self.server)
            .field("bypass", &self.bypass)
            .field("username", &self.username)
            .field("password", &self.password.as_ref().map(|_| "***"))
            .finish()
    }
}

/// A browser that has answered.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) connection: Connection,
    pub(crate) process: BrowserProcess,
    /// Things the user should hear once.
    pub(crate) notices: Vec<String>,
}

/// Starts a browser and waits for its first answer. Dropping the future ends what was started.
pub(crate) async fn launch(options: &LaunchOptions) -> Result<Launched, BrowserError> {
    let executable = find::executable(options.executable_path.as_deref(), options.chrome_path.as_deref())?;
    let folder = &options.temporary_folder;
    // Nothing waits for this: it is housekeeping after processes that could not do theirs.
    drop(tokio::task::spawn_blocking({
        let folder = folder.clone();
        move || profile::sweep(&folder)
    }));
    let mut notices = Vec::new();
    let mut without_sandbox = options.chromium_sandbox == Some(false);
    if options.chromium_sandbox.is_none() && is_root() && given_value(options, "--no-sandbox").is_none() {
        without_sandbox = true;
        notices
            .push("The browser runs without its sandbox, because Chromium refuses one to root.".to_owned());
    }
    let may_retry = options.chromium_sandbox.is_none() && !without_sandbox;
    let outcome = match attempt(options, &executable, without_sandbox).await {
        Err(BrowserError::Launch { last_words, .. }) if may_retry && names_the_sandbox(&last_words) => {
            notices
                .push("The browser runs without its sandbox, which this system cannot provide.".to_owned());
            attempt(options, &executable, true).await
        }
        outcome => outcome,
    };
    let (connection, mut process) = outcome?;
    if options.keep_alive {
        process.keep_alive();
    }
    Ok(Launched {
        connection,
        process,
        notices,
    })
}

async fn attempt(
    options: &LaunchOptions,
    executable: &Path,
    without_sandbox: bool,
) -> Result<(Connection, BrowserProcess), BrowserError> {
    let profile = profile(options)?;
    let path = profile.path().to_string_lossy().into_owned();
    let pipe = cfg!(unix) && !options.keep_alive;
    let arguments = arguments(
        options,
        &LaunchFlags {
            pipe,
            profile: &path,
            without_sandbox,
        },
    );
    let limit = options.connect_timeout.unwrap_or(START_LIMIT);
    let failed = |problem: String, last_words: String, otherwise: &str| BrowserError::Launch {
        executable: executable.to_owned(),
        hint: hint(&last_words, &path, otherwise),
        problem,
        last_words,
    };
    let started = if pipe {
        start_with_pipe(executable, &arguments, profile)
    } else {
        BrowserProcess::with_port(executable, &arguments, profile, options.keep_alive)
            .map(|process| (process, None))
    };
    let (mut process, connection) =
        started.map_err(|error| failed(error.to_string(), String::new(), find::install_hint()))?;
    let answer = async {
        let connection = match connection {
            Some(connection) => connection,
            None => connect_to_port(&mut process, limit).await?,
        };
        connection.root().send(&GetVersion {}).await?;
        Ok::<_, NoAnswer>(connection)
    };
    let (problem, otherwise) = match tokio::time::timeout(limit, answer).await {
        Ok(Ok(connection)) => {
            process.look_around();
            return Ok((connection, process));
        }
        Ok(Err(problem)) => {
            let problem = match process.exited(EXIT_LIMIT).await {
                Some(status) => {
                    process.stderr().ended(EXIT_LIMIT).await;
                    format!("it exited ({status})")
                }
                None => problem.to_string(),
            };
            (problem, find::install_hint())
        }
        Err(_) => (format!("it did not answer within {limit:?}"), SLOW_HINT),
    };
    let last_words = process.stderr().last_words();
    process.end().await;
    Err(failed(problem, last_words, otherwise))
}

#[cfg(unix)]
fn start_with_pipe(
    executable: &Path,
    arguments: &[String],
    profile: Profile,
) -> std::io::Result<(BrowserProcess, Option<Connection>)> {
    let (process, transport) = BrowserProcess::with_pipe(executable, arguments, profile)?;
    Ok((process, Some(Connection::new(transport))))
}

#[cfg(not(unix))]
fn start_with_pipe(
    executable: &Path,
    arguments: &[String],
    profile: Profile,
) -> std::io::Result<(BrowserProcess, Option<Connection>)> {
    BrowserProcess::with_port(executable, arguments, profile, false).map(|process| (process, None))
}

/// Why a browser that was started gave no first answer.
#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    #[error("it did not open its port")]
    PortClosed,
    #[error(transparent)]
    Protocol(#[from] CdpError),
}

async fn connect_to_port(process: &mut BrowserProcess, limit: Duration) -> Result<Connection, NoAnswer> {
    let stderr = Arc::clone(process.stderr());
    let url = tokio::select! {
        url = stderr.endpoint() => url,
        _ = process.exited(limit) => {
            // It may have left the browser behind. What it said in the end may not be read yet; the standard error of one
            // that is to stay has no end.
            tokio::time::timeout(PARTING, stderr.endpoint()).await.ok().flatten()
        }
    };
    let url = url.ok_or(NoAnswer::PortClosed)?;
    let options = WebSocketOptions {
        connect_timeout: Some(limit),
        ..WebSocketOptions::default()
    };
    let transport = WebSocketTransport::connect(&url, &options).await?;
    Ok(Connection::new(transport))
}

fn profile(options: &LaunchOptions) -> Result<Profile, BrowserError> {
    let folder = &options.temporary_folder;
    let given = given_value(options, "--user-data-dir")
        .map(Path::new)
        .or(options.user_data_dir.as_deref());
    match given {
        Some(path) => Profile::given(path).map_err(|source| BrowserError::Profile {
            path: path.to_owned(),
            source,
        }),
        None => Profile::temporary(folder, options.preserve_user_data_dir).map_err(|source| {
            BrowserError::Profile {
                path: folder.clone(),
                source,
            }
        }),
    }
}

fn names_the_sandbox(last_words: &str) -> bool {
    SANDBOX_WORDS.iter().any(|words| last_words.contains(words))
}

/// What to try, as far as the last words and the profile tell; else what is given.
fn hint(last_words: &str, profile: &str, otherwise: &str) -> String {
    if names_the_sandbox(last_words) {
        return "allow unprivileged user namespaces, or turn the sandbox off (chromiumSandbox: false)"
            .to_owned();
    }
    if last_words.contains("error while loading shared libraries") {
        return "install what the named library belongs to; `apt-get install chromium` brings all of them"
            .to_owned();
    }
    if last_words.contains("Missing X server") || last_words.contains("cannot open display") {
        return "there is no screen: run headless, or under a virtual one such as `xvfb-run`".to_owned();
    }
    if Path::new(profile).join("SingletonLock").is_symlink() {
        return format!("the profile {profile} may be in use by another browser");
    }
    otherwise.to_owned()
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_do_not_tell_their_secrets() {
        let options = LaunchOptions {
            cdp_url: Some("wss://grid.test/?token=secret".to_owned()),
            cdp_headers: vec![("x-key".to_owned(), "secret".to_owned())],
            proxy: Some(Proxy {
                password: Some("secret".to_owned()),
                ..Proxy::default()
            }),
            ..LaunchOptions::default()
        };
        assert!(!format!("{options:?}").contains("secret"));
    }

    #[test]
    fn hint_follows_the_last_words() {
        let cases = [
            ("FATAL: No usable sandbox!", "chromiumSandbox"),
            (
                "error while loading shared libraries: libnss3.so",
                "apt-get install chromium",
            ),
            ("Missing X server or $DISPLAY", "headless"),
            ("anything else", "install"),
        ];
        for (words, expected) in cases {
            let hint = hint(words, "/nowhere", find::install_hint());
            assert!(hint.contains(expected), "{words}: {hint}");
        }
    }
}
