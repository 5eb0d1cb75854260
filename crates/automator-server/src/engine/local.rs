//! Chromium on this machine.
//!
//! Each session has a folder with its browser's profile and a file that says how to find the browser again. Browsers
//! outlive the server; one that is started again on the same folder has them all.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use automator_browser::{Browser, BrowserError, KeptBrowser, LaunchOptions, Viewport, release_profiles};
use automator_cdp::protocol::browser::Close;
use automator_cdp::{Connection, WebSocketOptions, WebSocketTransport};
use serde_json::Value;

use super::unfinished::{self, Starting};
use super::{BrowserSettings, Engine, EngineBrowser, EngineError, EngineFuture, Profile, profile};

/// The file in a session's folder that says how to find its browser.
const BROWSER_FILE: &str = "browser.json";

/// The profile in a session's folder, when it is none of a temporary kind.
const PROFILE: &str = "profile";

/// How long a browser may take to save its profile and end by itself.
const GOODBYE: Duration = Duration::from_secs(10);

/// How browsers are started on this machine.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// Where the folders of sessions are made.
    pub folder: PathBuf,
    /// The executable. Default: a Chromium that is found.
    pub executable: Option<PathBuf>,
    /// Runs without a window. Default: true.
    pub headless: bool,
}

impl LocalOptions {
    /// The defaults, with the folders of sessions in this one.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            executable: None,
            headless: true,
        }
    }
}

/// An engine that starts Chromium on this machine.
#[derive(Debug)]
pub struct LocalChromium {
    options: LocalOptions,
    starting: Starting,
}

impl LocalChromium {
    /// An engine that keeps its browsers below a folder, which is made when it is missing.
    ///
    /// # Errors
    /// [`EngineError::Failed`] when the folder cannot be made.
    pub fn new(options: LocalOptions) -> Result<Self, EngineError> {
        std::fs::create_dir_all(&options.folder).map_err(|error| {
            EngineError::Failed(format!(
                "the folder `{}` cannot be made: {error}",
                options.folder.display()
            ))
        })?;
        Ok(Self {
            options,
            starting: Starting::default(),
        })
    }

    /// The folder of a session. Its id becomes a name of a file, so it must be one of ours.
    fn folder_of(&self, session: &str) -> Result<PathBuf, EngineError> {
        if session.is_empty()
            || !session
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            return Err(EngineError::Failed(format!("`{session}` is no id of a session")));
        }
        Ok(self.options.folder.join(session))
    }

    fn launch_options(&self, folder: &Path, settings: &BrowserSettings) -> LaunchOptions {
        let (width, height) = settings.viewport;
        let mut options = LaunchOptions::default();
        options.headless = self.options.headless;
        options.executable_path.clone_from(&self.options.executable);
        options.temporary_folder = folder.to_owned();
        options.viewport = Some(Viewport { width, height });
        options.ignore_https_errors = settings.ignore_certificate_errors;
        options.keep_alive = true;
        if settings.profile != Profile::Temporary {
            options.user_data_dir = Some(folder.join(PROFILE));
        }
        options.args = settings.proxy.map(proxy_arguments).unwrap_or_default();
        options
    }
}

/// Sends all traffic through a proxy: loopback is no exception, nothing goes by other ways than TCP, and no name is
/// resolved by the browser itself.
fn proxy_arguments(proxy: SocketAddr) -> Vec<String> {
    vec![
        format!("--proxy-server=http://{proxy}"),
        "--proxy-bypass-list=<-loopback>".to_owned(),
        "--disable-quic".to_owned(),
        // The name of the switch has changed.
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        "--webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        "--dns-prefetch-disable".to_owned(),
    ]
}

async fn begin_profile(folder: &Path, profile: Profile) -> std::io::Result<()> {
    let Profile::CopyOf(from) = profile else {
        return Ok(());
    };
    let to = folder.join(PROFILE);
    let copying = tokio::task::spawn_blocking(move || profile::copy(&from, &to));
    copying.await.map_err(std::io::Error::other)?
}

/// Asks a browser to end, and waits until it has. Gives whether it did.
async fn say_goodbye(kept: &KeptBrowser) -> bool {
    if !kept.is_alive().await {
        return false;
    }
    let asked = async {
        let transport = WebSocketTransport::connect(kept.address(), &WebSocketOptions::default()).await;
        let connection = Connection::new(transport.ok()?);
        drop(connection.root().send(&Close {}));
        connection.closed().await;
        while kept.is_alive().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Some(())
    };
    matches!(tokio::time::timeout(GOODBYE, asked).await, Ok(Some(())))
}

/// Starts a browser, and writes down how to find it. Without the file nobody would, so it is ended then.
async fn start(folder: &Path, options: &LaunchOptions) -> Result<Value, EngineError> {
    let browser = Browser::start(options).await.map_err(did_not_start)?;
    let kept = browser.kept().await.map_err(did_not_start)?;
    // It stays; only the connection goes.
    browser.close().await;
    let written = serde_json::to_value(&kept)
        .map_err(|error| error.to_string())
        .and_then(|handle| match write_file(&folder.join(BROWSER_FILE), &handle) {
            Ok(()) => Ok(handle),
            Err(error) => Err(error.to_string()),
        });
    match written {
        Ok(handle) => Ok(handle),
        Err(problem) => {
            kept.end().await;
            Err(EngineError::Start(problem))
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn did_not_start(error: BrowserError) -> EngineError {
    EngineError::Start(error.to_string())
}

/// Writes a file that is whole or not there. It is a key to the browser, so nobody else may read it.
fn write_file(path: &Path, value: &Value) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(value.to_string().as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn read_kept(handle: &Value) -> Result<KeptBrowser, EngineError> {
    serde_json::from_value(handle.clone())
        .map_err(|error| EngineError::Failed(format!("the handle of a browser cannot be read: {error}")))
}

impl Engine for LocalChromium {
    fn name(&self) -> &'static str {
        "local"
    }

    fn create<'a>(&'a self, session: &'a str, settings: &'a BrowserSettings) -> EngineFuture<'a, Value> {
        Box::pin(async move {
            let folder = self.folder_of(session)?;
            let begun = self.starting.begin(session);
            std::fs::create_dir_all(&folder).map_err(|error| EngineError::Start(error.to_string()))?;
            let options = self.launch_options(&folder, settings);
            let profile = settings.profile.clone();
            // In a task of its own, so that a caller who gives up does not leave a browser that nobody knows.
            let starting = tokio::spawn(async move {
                let _begun = begun;
                let started = match begin_profile(&folder, profile).await {
                    Ok(()) => start(&folder, &options).await,
                    Err(error) => Err(EngineError::Start(format!(
                        "its profile cannot be copied: {error}"
                    ))),
                };
                if started.is_err() {
                    remove(&folder).await;
                }
                started
            });
            starting
                .await
                .unwrap_or_else(|error| Err(EngineError::Failed(error.to_string())))
        })
    }

    fn break_off<'a>(&'a self, session: &'a str) -> EngineFuture<'a, ()> {
        Box::pin(async move {
            unfinished::end_processes(&self.folder_of(session)?).await;
            Ok(())
        })
    }

    fn address<'a>(&'a self, handle: &'a Value) -> EngineFuture<'a, String> {
        Box::pin(async move {
            if unfinished::session(handle).is_some() {
                return Err(EngineError::Gone);
            }
            let kept = read_kept(handle)?;
            if kept.is_alive().await {
                Ok(kept.address().to_owned())
            } else {
                Err(EngineError::Gone)
            }
        })
    }

    fn is_alive<'a>(&'a self, handle: &'a Value) -> EngineFuture<'a, bool> {
        Box::pin(async move {
            if unfinished::session(handle).is_some() {
                return Ok(false);
            }
            Ok(read_kept(handle)?.is_alive().await)
        })
    }

    fn folder(&self, session: &str) -> Option<PathBuf> {
        self.folder_of(session).ok()
    }

    fn end<'a>(&'a self, handle: &'a Value) -> EngineFuture<'a, bool> {
        Box::pin(async move {
            if let Some(session) = unfinished::session(handle) {
                let folder = self.folder_of(session)?;
                let lived = unfinished::end_processes(&folder).await;
                remove(&folder).await;
                return Ok(lived);
            }
            let lived = read_kept(handle)?.end().await;
            for browser in self.list().await? {
                if browser.handle == *handle {
                    remove(&self.folder_of(&browser.session)?).await;
                }
            }
            Ok(lived)
        })
    }

    fn end_saving<'a>(&'a self, handle: &'a Value, profile: &'a Path) -> EngineFuture<'a, bool> {
        Box::pin(async move {
            let browsers = self.list().await?;
            let browser = browsers.iter().find(|browser| browser.handle == *handle);
            let mut is_saved = false;
            if let Some(browser) = browser
                && say_goodbye(&read_kept(handle)?).await
            {
                let from = self.folder_of(&browser.session)?.join(PROFILE);
                let to = profile.to_owned();
                let saving = tokio::task::spawn_blocking(move || profile::save(&from, &to));
                match saving.await.map_err(std::io::Error::other).flatten() {
                    Ok(()) => is_saved = true,
                    Err(error) => tracing::warn!(%error, "a profile could not be saved"),
                }
            }
            self.end(handle).await?;
            Ok(is_saved)
        })
    }

    fn list(&self) -> EngineFuture<'_, Vec<EngineBrowser>> {
        Box::pin(async move {
            let failed = |error: std::io::Error| EngineError::Failed(error.to_string());
            let mut folders = tokio::fs::read_dir(&self.options.folder).await.map_err(failed)?;
            let mut browsers = Vec::new();
            while let Some(folder) = folders.next_entry().await.map_err(failed)? {
                let text = tokio::fs::read(folder.path().join(BROWSER_FILE)).await;
                let session = folder.file_name().to_string_lossy().into_owned();
                let handle = text.ok().and_then(|text| serde_json::from_slice(&text).ok());
                // One that is being started has none yet.
                let handle = match handle {
                    Some(handle) => handle,
                    None if self.starting.has(&session) => continue,
                    None => unfinished::handle(&session),
                };
                browsers.push(EngineBrowser { session, handle });
            }
            Ok(browsers)
        })
    }
}

/// Removes the folder of a session. The last processes of its browser may still write to it, so it is tried more than
/// once.
async fn remove(folder: &Path) {
    const ATTEMPTS: u32 = 20;
    const PAUSE: Duration = Duration::from_millis(100);
    let profiles = folder.to_owned();
    drop(tokio::task::spawn_blocking(move || release_profiles(&profiles)).await);
    for attempt in 1..=ATTEMPTS {
        match tokio::fs::remove_dir_all(folder).await {
            Ok(()) => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) if attempt == ATTEMPTS => {
                tracing::warn!(folder = %folder.display(), %error, "the folder of a session could not be removed");
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}
