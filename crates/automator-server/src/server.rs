//! A server on one machine: local Chromium, and one SQLite file.

use std::net::IpAddr;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::accept;
use crate::audit::{Audit, AuditEvent};
use crate::engine::{Engine, EngineError, LocalChromium, LocalOptions};
use crate::http::{Access, AllowedNames, KEY_SECRET, routes};
use crate::key::{ApiKey, NoRandomness};
use crate::lock::{FolderLock, LockError};
use crate::metrics::Metrics;
use crate::operations::{ModelAccess, Operations};
use crate::options::{HttpLimits, MetricsAccess, PlatformOptions};
use crate::platform::{Platform, PlatformError, Records};
use crate::store::{KeyRecord, SqliteStore, Store, StoreError};
use crate::told_address::as_told;

/// The file that holds what outlives the server, in its folder.
pub const DATABASE: &str = "automator.db";

/// Where the folders of sessions are, in the server's folder.
const BROWSERS: &str = "browsers";

/// How a server is set up.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Where it listens; port 0 takes a free one. Default: `127.0.0.1:4800`.
    pub listen: SocketAddr,
    /// The folder for all that outlives it; made when it is missing.
    pub folder: PathBuf,
    /// The browser's executable. Default: a Chromium that is found.
    pub executable: Option<PathBuf>,
    /// Where clients reach it, without a slash at the end. Default: the address that it listens on.
    pub public_url: Option<String>,
    /// Origins whose pages may call it. Default: none but its own.
    pub origins: Vec<String>,
    /// Addresses of proxies before the server, which are believed where a request comes from. Default: none.
    pub trusted_proxies: Vec<IpAddr>,
    /// What it takes from one connection, one key and one address.
    pub limits: HttpLimits,
    /// Who may read its figures. Default: whoever has a key.
    pub metrics: MetricsAccess,
    /// How its platform is set up. Its public address is that of the server.
    pub platform: PlatformOptions,
}

impl ServerOptions {
    /// The defaults, with this folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 4800)),
            folder: folder.into(),
            executable: None,
            public_url: None,
            origins: Vec::new(),
            trusted_proxies: Vec::new(),
            limits: HttpLimits::default(),
            metrics: MetricsAccess::default(),
            platform: PlatformOptions::default(),
        }
    }

    /// Whether a server could start with these, as far as they alone tell.
    ///
    /// # Errors
    /// [`ServerError::PublicUrl`], [`ServerError::Origin`], [`ServerError::NoPublicUrl`],
    /// [`ServerError::Executable`].
    pub fn check(&self) -> Result<(), ServerError> {
        names(self.listen, &self.public_url_at(self.listen)?, &self.origins)?;
        match &self.executable {
            // A name alone is looked up when a browser starts.
            Some(path) if path.components().count() > 1 && !path.is_file() => {
                Err(ServerError::Executable(path.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Where clients reach it when it listens there.
    fn public_url_at(&self, address: SocketAddr) -> Result<String, ServerError> {
        match &self.public_url {
            Some(url) => Ok(url.clone()),
            None if address.ip().is_unspecified() => Err(ServerError::NoPublicUrl(address)),
            None => Ok(format!("http://{address}")),
        }
    }
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// It cannot listen there.
    #[error("the server cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// Its folder cannot be used.
    #[error("the folder `{folder}` cannot be used: {source}")]
    Folder {
        /// Which one.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another server works in its folder.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// The public address is none.
    #[error("the server cannot be reached under `{url}`: {problem}")]
    PublicUrl {
        /// Which one, without a user and a password.
        url: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The origin of pages that are to be let in is none.
    #[error(
        "`{0}` is no origin of pages: write a scheme and a host, as in https://panel.example, and the port if it has one"
    )]
    Origin(String),
    /// It listens on all addresses, and nobody has said which of them clients use.
    #[error(
        "a server that listens on {0} has no address of its own; say where clients reach it with --public-url"
    )]
    NoPublicUrl(SocketAddr),
    /// There is no browser where one should be.
    #[error("the browser's executable `{0}` is not there, or is no file")]
    Executable(PathBuf),
    /// Its store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its engine cannot be used.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// What an earlier server has left cannot be gone on with.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// A key cannot be called that.
    #[error("`{}` cannot be the name of a key: it is to have 1 to 100 characters, all of them visible ones or spaces", .0.escape_debug())]
    KeyName(String),
    /// No key can be made.
    #[error(transparent)]
    Key(#[from] NoRandomness),
}

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    public_url: String,
    store: Arc<dyn Store>,
    platform: Platform,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
    looking_after: JoinHandle<()>,
    _lock: FolderLock,
}

/// What a server has before anything else: options that can hold, its folder for itself, and its port.
struct Ground {
    lock: FolderLock,
    listener: TcpListener,
    address: SocketAddr,
}

impl Ground {
    async fn take(options: &ServerOptions) -> Result<Self, ServerError> {
        options.check()?;
        let ServerOptions { listen, folder, .. } = options;
        make_folder(folder).map_err(|source| ServerError::Folder {
            folder: folder.clone(),
            source,
        })?;
        // Before the port, so that a second server is told what is wrong and not that its port is taken.
        let lock = FolderLock::take(folder)?;
        let cannot_listen = |source| ServerError::Listen {
            address: *listen,
            source,
        };
        let listener = TcpListener::bind(listen).await.map_err(cannot_listen)?;
        let address = listener.local_addr().map_err(cannot_listen)?;
        Ok(Self {
            lock,
            listener,
            address,
        })
    }
}

impl Server {
    /// Starts a server: goes on with what an earlier one has left in its folder, and listens.
    ///
    /// # Errors
    /// [`ServerError`].
    pub async fn start(options: ServerOptions) -> Result<Self, ServerError> {
        let ground = Ground::take(&options).await?;
        let folder = &options.folder;
        let store = SqliteStore::open(&folder.join(DATABASE))?;
        let engine = LocalChromium::new(LocalOptions {
            executable: options.executable.clone(),
            ..LocalOptions::new(folder.join(BROWSERS))
        })?;
        Self::serve(ground, options, Arc::new(store), Arc::new(engine)).await
    }

    /// Starts a server likewise, on a store and an engine of the caller's. The folder is for the files that outlive
    /// sessions; the browser's executable is the engine's affair.
    ///
    /// # Errors
    /// [`ServerError`].
    pub async fn start_with(
        options: ServerOptions,
        store: Arc<dyn Store>,
        engine: Arc<dyn Engine>,
    ) -> Result<Self, ServerError> {
        let ground = Ground::take(&options).await?;
        Self::serve(ground, options, store, engine).await
    }

    async fn serve(
        ground: Ground,
        options: ServerOptions,
        store: Arc<dyn Store>,
        engine: Arc<dyn Engine>,
    ) -> Result<Self, ServerError> {
        let Ground {
            lock,
            listener,
            address,
        } = ground;
        let folder = &options.folder;
        let public_url = options.public_url_at(address)?;
        let names = names(address, &public_url, &options.origins)?;
        let platform_options = PlatformOptions {
            public_url: public_url.clone(),
            folder: Some(folder.clone()),
            ..options.platform.clone()
        };
        let records = Records {
            metrics: Metrics::new(),
            audit: Audit::in_folder(folder),
        };
        records.audit.record(AuditEvent::ServerStarted {
            version: env!("CARGO_PKG_VERSION"),
        });
        let platform = Platform::new(platform_options, Arc::clone(&store), engine, records).await?;
        platform.adopt().await?;
        let models = &options.platform;
        let models = ModelAccess::start(models.model_egress.clone(), models.model_keys_from_env)
            .await
            .map_err(|source| ServerError::Listen {
                address: options.listen,
                source,
            })?;
        let operations = Operations::new(platform.clone(), models, options.platform.cache);
        let access = Access {
            names,
            trusted_proxies: options.trusted_proxies.clone(),
            metrics: options.metrics,
            limits: options.limits,
        };
        let routes = routes(platform.clone(), operations, Arc::clone(&store), access).await?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(accept::serve(listener, routes, options.limits, async {
            // Whoever drops the other half wants an end as well.
            let _ = stopped.await;
        }));
        let keeper = platform.clone();
        Ok(Self {
            address,
            public_url,
            store,
            platform,
            stop: Some(stop),
            serving,
            looking_after: tokio::spawn(async move { keeper.look_after().await }),
            _lock: lock,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients reach it.
    #[must_use]
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Its platform.
    #[must_use]
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// Its store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Makes an API key when there is none that is valid, and gives it.
    ///
    /// # Errors
    /// [`ServerError::Store`], [`ServerError::Key`].
    pub async fn first_key(&self) -> Result<Option<ApiKey>, ServerError> {
        let keys = self.store.keys().await?;
        if keys.iter().any(|key| key.revoked_at.is_none()) {
            return Ok(None);
        }
        let name = "first";
        let key = create_key(self.store.as_ref(), name).await?;
        self.platform.audit().record(AuditEvent::KeyCreated {
            key: key.public(),
            name,
        });
        Ok(Some(key))
    }

    /// Ends the sessions without `keepAlive`, and then the server. The others go on, for the next one; those that are
    /// being created have 5 s to be there. Whoever waits for a session that does not come is told so.
    pub async fn stop(mut self) {
        self.looking_after.abort();
        self.platform.end_creating();
        self.platform.end_unkept().await;
        self.platform.creating_ended().await;
        drop(self.stop.take());
        // Connections that are kept open would hold it up.
        let patience = std::time::Duration::from_secs(1);
        if tokio::time::timeout(patience, &mut self.serving).await.is_err() {
            self.serving.abort();
        }
        self.platform.audit().record(AuditEvent::ServerEnded);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.looking_after.abort();
        self.serving.abort();
        self.platform.let_go();
    }
}

/// Makes the folder of a server, if there is none; on Unix only its owner can look into a new one.
///
/// # Errors
/// What the system says.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The longest name of a key, in characters.
const KEY_NAME: usize = 100;

/// Makes an API key in a store. This is the only time that it is told.
///
/// # Errors
/// [`ServerError::KeyName`], [`ServerError::Store`], [`ServerError::Key`].
pub async fn create_key(store: &dyn Store, name: &str) -> Result<ApiKey, ServerError> {
    let is_name = (1..=KEY_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if !is_name {
        return Err(ServerError::KeyName(name.to_owned()));
    }
    let key = ApiKey::generate()?;
    let secret = store.secret(KEY_SECRET).await?;
    let record = KeyRecord {
        id: key.public().to_owned(),
        hash: key.hash(&secret),
        name: name.to_owned(),
        created_at: store.now().await?,
        revoked_at: None,
    };
    store.add_key(&record).await?;
    Ok(key)
}

/// Reads the address that clients use. What is wrong with it is told in words.
fn read_public_url(text: &str) -> Result<url::Url, &'static str> {
    let url = url::Url::parse(text)
        .map_err(|_| "it is no address; write a scheme and a host, as in https://browsers.example")?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err("its scheme has to be `http` or `https`");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a user and a password do not belong into it");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("it may have a path, and nothing behind that");
    }
    Ok(url)
}

/// What a server may be called by: its public address, the one that it listens on, and, where programs on
/// this machine reach it, by their names for that.
fn names(address: SocketAddr, public_url: &str, origins: &[String]) -> Result<AllowedNames, ServerError> {
    let url = read_public_url(public_url).map_err(|problem| ServerError::PublicUrl {
        url: as_told(public_url),
        problem,
    })?;
    let host = url.host_str().unwrap_or_default();
    for origin in origins {
        let is_origin = url::Url::parse(origin).is_ok_and(|url| {
            url.has_host() && url.origin().ascii_serialization() == origin.to_ascii_lowercase()
        });
        if !is_origin {
            return Err(ServerError::Origin(as_told(origin)));
        }
    }
    let public = url
        .port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let mut names = AllowedNames::new()
        .host(&public)
        .host(&address.to_string())
        .origin(&url.origin().ascii_serialization());
    let ip = address.ip();
    if ip.is_loopback() || ip.is_unspecified() {
        // Only programs on this machine reach it by these, its own pages too.
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            let name = format!("{host}:{}", address.port());
            names = names.host(&name).origin(&format!("http://{name}"));
        }
    }
    Ok(origins.iter().fold(names, |names, origin| names.origin(origin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_public_address_is_told_without_its_password() {
        for (url, words) in [
            (
                "http://ann:sekret@a.example",
                "a user and a password do not belong",
            ),
            ("http://:sekret@a.example", "a user and a password do not belong"),
            ("http://ann@a.example", "a user and a password do not belong"),
            ("http://ann:sekret@a b", "it is no address"),
            ("ftp://ann:sekret@a.example", "`http` or `https`"),
            ("a.example", "it is no address"),
            ("a.example:80", "`http` or `https`"),
            ("http://", "it is no address"),
            ("http://a.example?sekret=1", "nothing behind that"),
            ("http://a.example/#b", "nothing behind that"),
        ] {
            let mut options = ServerOptions::new("/nowhere");
            options.public_url = Some(url.to_owned());
            let problem = options.check().expect_err(url).to_string();
            assert!(problem.contains(words), "{url}: {problem}");
            assert!(!problem.contains(":sekret"), "{url}: {problem}");
        }
        let mut options = ServerOptions::new("/nowhere");
        options.public_url = Some("https://a.example/browsers".to_owned());
        options.check().expect("an address with a path");
        options.origins = vec!["http://ann:sekret@a.example".to_owned()];
        let problem = options.check().expect_err("no origin").to_string();
        assert!(
            problem.contains("a.example") && !problem.contains("sekret"),
            "{problem}"
        );
    }
}
