//! How a local browser is started: the options of the interface, and their way to the browser crate.

use std::path::PathBuf;
use std::time::Duration;

use automator_browser::LaunchOptions;
use automator_llm::Environment;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

use super::read;

/// How the local browser is started, or attached to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the documented interface"
)]
pub struct LocalBrowserLaunchOptions {
    /// Runs without a window. Default: true.
    pub headless: bool,
    /// The browser's executable. Default: a Chromium that is found.
    pub executable_path: Option<PathBuf>,
    /// The port of the DevTools protocol. Default: a free one.
    pub port: Option<u16>,
    /// Arguments that come after those of the library.
    pub args: Vec<String>,
    /// Which default arguments to leave out: `true` for all, or a list of exact arguments. Default: none.
    pub ignore_default_args: IgnoreDefaultArgs,
    /// The profile folder, made when it is missing and kept. Default: a temporary one.
    pub user_data_dir: Option<PathBuf>,
    /// Keeps a temporary profile. Default: false.
    pub preserve_user_data_dir: bool,
    /// The size of every page. Default: 1288 × 711 CSS pixels.
    pub viewport: Option<ViewportOptions>,
    /// Device pixels per CSS pixel. Default: the browser's own.
    pub device_scale_factor: Option<f64>,
    /// Whether pages see a touch screen. Default: false.
    pub has_touch: bool,
    /// Opens DevTools for each tab. Default: false.
    pub devtools: bool,
    /// The proxy for all traffic. Default: none.
    pub proxy: Option<ProxyOptions>,
    /// Accepts any certificate. Default: false.
    #[serde(rename = "ignoreHTTPSErrors")]
    pub ignore_https_errors: bool,
    /// The language of pages and requests, such as `de-DE`. Default: the browser's own.
    pub locale: Option<String>,
    /// Whether downloads are saved. Default: true.
    pub accept_downloads: bool,
    /// Where downloads are saved. Default: a temporary folder that goes with the browser. For `REMOTE`: where `finished()`
    /// brings them; by default to a temporary folder that goes with the session.
    pub downloads_path: Option<PathBuf>,
    /// Whether Chromium's own sandbox is on. Default: on, unless it cannot be.
    pub chromium_sandbox: Option<bool>,
    /// Attaches to a running browser: its WebSocket address, or the HTTP address of its port.
    pub cdp_url: Option<String>,
    /// Headers for the requests to `cdpUrl`.
    pub cdp_headers: BTreeMap<String, String>,
    /// How long to wait for the browser. Default: 15 s to attach, 30 s to start one. In JSON: milliseconds.
    #[serde(rename = "connectTimeoutMs", deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    pub connect_timeout: Option<Duration>,
}

impl Default for LocalBrowserLaunchOptions {
    fn default() -> Self {
        Self {
            headless: true,
            executable_path: None,
            port: None,
            args: Vec::new(),
            ignore_default_args: IgnoreDefaultArgs::default(),
            user_data_dir: None,
            preserve_user_data_dir: false,
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
            cdp_headers: BTreeMap::new(),
            connect_timeout: None,
        }
    }
}

/// Default arguments that are left out.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum IgnoreDefaultArgs {
    /// `true`: all of them; `false`: none.
    All(bool),
    /// Those that equal one of these.
    Only(Vec<String>),
}

impl Default for IgnoreDefaultArgs {
    fn default() -> Self {
        Self::All(false)
    }
}

/// The size of a page in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewportOptions {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
}

/// A proxy.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProxyOptions {
    /// Its address, such as `http://proxy.example:3128`.
    pub server: String,
    /// Hosts that are reached without it, joined by commas.
    #[serde(default)]
    pub bypass: Option<String>,
    /// User name.
    #[serde(default)]
    pub username: Option<String>,
    /// Password.
    #[serde(default)]
    pub password: Option<String>,
}

impl std::fmt::Debug for ProxyOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ProxyOptions")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl LocalBrowserLaunchOptions {
    /// What the browser crate is told.
    pub(crate) fn to_launch(&self, keep_alive: bool, environment: &dyn Environment) -> LaunchOptions {
        let mut launch = LaunchOptions::default();
        launch.headless = self.headless;
        launch.executable_path.clone_from(&self.executable_path);
        launch.chrome_path = environment.variable("CHROME_PATH").map(PathBuf::from);
        launch.port = self.port;
        launch.args.clone_from(&self.args);
        launch.ignore_default_args = match &self.ignore_default_args {
            IgnoreDefaultArgs::All(true) => automator_browser::IgnoreDefaultArgs::All,
            IgnoreDefaultArgs::All(false) => automator_browser::IgnoreDefaultArgs::None,
            IgnoreDefaultArgs::Only(list) => automator_browser::IgnoreDefaultArgs::These(list.clone()),
        };
        launch.user_data_dir.clone_from(&self.user_data_dir);
        launch.preserve_user_data_dir = self.preserve_user_data_dir;
        launch.viewport = self
            .viewport
            .map(|ViewportOptions { width, height }| automator_browser::Viewport { width, height });
        launch.device_scale_factor = self.device_scale_factor;
        launch.has_touch = self.has_touch;
        launch.devtools = self.devtools;
        launch.proxy = self.proxy.clone().map(|proxy| automator_browser::Proxy {
            server: proxy.server,
            bypass: proxy.bypass,
            username: proxy.username,
            password: proxy.password,
        });
        launch.ignore_https_errors = self.ignore_https_errors;
        launch.locale.clone_from(&self.locale);
        launch.accept_downloads = self.accept_downloads;
        launch.downloads_path.clone_from(&self.downloads_path);
        launch.chromium_sandbox = self.chromium_sandbox;
        launch.cdp_url.clone_from(&self.cdp_url);
        launch.cdp_headers = self.cdp_headers.clone().into_iter().collect();
        launch.connect_timeout = self.connect_timeout;
        launch.keep_alive = keep_alive;
        launch
    }
}
