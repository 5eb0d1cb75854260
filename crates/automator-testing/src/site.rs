use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::hit::Hit;
use crate::route::Route;
use crate::server::{Handler, Server};

/// A web server for fixture pages, reachable under two site names.
///
/// Every page has two addresses, one at `127.0.0.1` and one at `localhost`. A browser takes them
/// for different sites, so a page at the one with a frame from the other has an out-of-process
/// frame. The port is free at the start; dropping the site stops the server.
///
/// Paths without a page answer 404, and `/favicon.ico` answers 204 and is not logged.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use automator_testing::{Route, Site};
///
/// let site = Site::start().await;
/// let inner = site.put("<button>Inside</button>");
/// let outer = site.put(format!("<h1>Outside</h1><iframe src='{}'></iframe>", inner.cross_url));
/// site.route("/report", Route::download("report.csv", "a,b\n"));
/// site.handler("/echo", |hit| Route::text(hit.query.clone()));
/// assert!(outer.url.starts_with("http://127.0.0.1:"));
/// assert!(site.hits().is_empty());
/// # }
/// ```
#[derive(Debug)]
pub struct Site {
    server: Server,
    state: Arc<State>,
}

/// Where a page of a [`Site`] is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAt {
    /// The address at `127.0.0.1`.
    pub url: String,
    /// The same page at `localhost`: another site for the browser.
    pub cross_url: String,
    /// The path, the same under both names.
    pub path: String,
}

type RouteFn = Arc<dyn Fn(&Hit) -> Route + Send + Sync>;

impl Site {
    /// Starts a site without pages.
    ///
    /// # Panics
    /// When no port is free on the loopback interface.
    pub async fn start() -> Self {
        let state = Arc::new(State::new());
        let server = Server::start(Arc::clone(&state) as Arc<dyn Handler>).await;
        Self { server, state }
    }

    /// The port, the same under both names.
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// The address of a path at `127.0.0.1`.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port())
    }

    /// The address of a path at `localhost`.
    pub fn cross_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port())
    }

    /// Serves a page at a new path.
    ///
    /// A fragment is wrapped into a document with a language, UTF-8 and the title `fixture` (unless it
    /// brings a `<title>`); text that begins with a doctype or `<html` is served as it is.
    pub fn put(&self, html: impl Into<String>) -> PageAt {
        let path = format!("/page-{}", self.state.next_page());
        self.put_at(&path, html)
    }

    /// Serves a page at the given path, as [`put`](Self::put) does; a page that was there is replaced.
    pub fn put_at(&self, path: &str, html: impl Into<String>) -> PageAt {
        self.route(path, Route::html(to_document(&html.into())))
    }

    /// Answers a path always alike; what was there is replaced.
    ///
    /// # Panics
    /// When the path does not begin with `/` or holds a `?`.
    pub fn route(&self, path: &str, route: Route) -> PageAt {
        self.handler(path, move |_| route.clone())
    }

    /// Answers a path by a function of the request; what was there is replaced.
    ///
    /// # Panics
    /// When the path does not begin with `/` or holds a `?`.
    pub fn handler(&self, path: &str, answer: impl Fn(&Hit) -> Route + Send + Sync + 'static) -> PageAt {
        assert!(
            path.starts_with('/') && !path.contains('?'),
            "{path:?} is no path"
        );
        self.state.routes().insert(path.to_owned(), Arc::new(answer));
        PageAt {
            url: self.url(path),
            cross_url: self.cross_url(path),
            path: path.to_owned(),
        }
    }

    /// Answers every path that has no page or route of its own.
    pub fn fallback(&self, answer: impl Fn(&Hit) -> Route + Send + Sync + 'static) {
        self.state.routes().insert(FALLBACK.to_owned(), Arc::new(answer));
    }

    /// Every request so far, oldest first.
    pub fn hits(&self) -> Vec<Hit> {
        self.state.hits.borrow().clone()
    }

    /// The requests for one path so far, oldest first.
    pub fn hits_of(&self, path: &str) -> Vec<Hit> {
        self.state
            .hits
            .borrow()
            .iter()
            .filter(|hit| hit.path == path)
            .cloned()
            .collect()
    }

    /// Waits until a path has been asked for, and gives its first request.
    ///
    /// It waits without a limit of its own; put a timeout around it where the request may not come.
    pub async fn wait_for_hit(&self, path: &str) -> Hit {
        let mut hits = self.state.hits.subscribe();
        loop {
            let found = hits
                .borrow_and_update()
                .iter()
                .find(|hit| hit.path == path)
                .cloned();
            if let Some(hit) = found {
                return hit;
            }
            if hits.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// How many requests ended because the browser hung up before it had its whole answer.
    pub fn abandoned(&self) -> usize {
        *self.state.abandoned.borrow()
    }

    /// Waits until at least `count` requests were abandoned, as [`abandoned`](Self::abandoned) counts them.
    pub async fn wait_for_abandoned(&self, count: usize) {
        let mut abandoned = self.state.abandoned.subscribe();
        // The sender lives as long as `self`, so this ends only when the number is reached.
        let _reached = abandoned.wait_for(|number| *number >= count).await;
    }
}

/// The key of the fallback among the routes; no request path can be empty.
const FALLBACK: &str = "";

struct State {
    routes: Mutex<HashMap<String, RouteFn>>,
    pages: AtomicUsize,
    hits: watch::Sender<Vec<Hit>>,
    abandoned: watch::Sender<usize>,
}

impl State {
    fn new() -> Self {
        Self {
            routes: Mutex::default(),
            pages: AtomicUsize::new(0),
            hits: watch::Sender::new(Vec::new()),
            abandoned: watch::Sender::new(0),
        }
    }

    fn routes(&self) -> MutexGuard<'_, HashMap<String, RouteFn>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_page(&self) -> usize {
        self.pages.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("State")
            .field("hits", &self.hits.borrow().len())
            .finish_non_exhaustive()
    }
}

impl Handler for State {
    fn answer(&self, hit: &Hit) -> Route {
        if hit.path == "/favicon.ico" {
            return Route::status(204);
        }
        self.hits.send_modify(|hits| hits.push(hit.clone()));
        let route = {
            let routes = self.routes();
            routes.get(&hit.path).or_else(|| routes.get(FALLBACK)).cloned()
        };
        // Called without the lock, so that a handler may add routes.
        match route {
            Some(answer) => answer(hit),
            None => Route {
                status: 404,
                ..Route::html(to_document("<h1>Not found</h1>"))
            },
        }
    }

    fn gone(&self, _hit: &Hit) {
        self.abandoned.send_modify(|count| *count += 1);
    }
}

/// Wraps a fragment into a document; a document stays as it is.
fn to_document(html: &str) -> String {
    let start: String = html
        .trim_start()
        .chars()
        .take(9)
        .collect::<String>()
        .to_ascii_lowercase();
    if start.starts_with("<!doctype") || start.starts_with("<html") {
        return html.to_owned();
    }
    let title = if html.to_ascii_lowercase().contains("<title") {
        ""
    } else {
        "<title>fixture</title>"
    };
    format!("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n{title}\n{html}\n</html>\n")
}

#[cfg(test)]
mod tests {
    use super::to_document;

    #[test]
    fn a_fragment_gets_language_encoding_and_title() {
        let document = to_document("<p>x</p>");
        assert!(document.starts_with("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">"));
        assert!(document.contains("<title>fixture</title>\n<p>x</p>"));
    }

    #[test]
    fn a_title_of_the_fragment_is_the_only_one() {
        let document = to_document("<TITLE>mine</TITLE><p>x</p>");
        assert!(!document.contains("fixture"));
    }

    #[test]
    fn a_document_is_served_as_it_is() {
        for html in ["<!DOCTYPE html><p>x", "  \n<html><p>x", "<HTML lang=de>"] {
            assert_eq!(to_document(html), html);
        }
    }
}
