//! The server's HTTP interface.

mod body;
mod cdp;
mod contexts;
mod debug;
mod description;
mod extract;
mod failure;
mod files;
mod guard;
mod json_body;
mod limits;
mod metrics;
mod names;
mod operations;
mod query;
mod remote;
mod sessions;
mod view;

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, get, post};

use crate::operations::{Kind, Operations};
use crate::options::{HttpLimits, MetricsAccess};
use crate::platform::Platform;
use crate::rate::Rates;
use crate::store::Store;

pub use guard::AllowedNames;

/// What requests are answered from.
#[derive(Debug, Clone)]
struct Shared {
    platform: Platform,
    operations: Operations,
    store: Arc<dyn Store>,
    /// The secret that keys are hashed under.
    key_secret: Arc<[u8]>,
    names: Arc<AllowedNames>,
    trusted_proxies: Arc<[IpAddr]>,
    metrics_access: MetricsAccess,
    limits: HttpLimits,
    /// Requests of each key.
    key_requests: Arc<Rates<String>>,
    /// Requests from each address that were not let in.
    refusals: Arc<Rates<IpAddr>>,
}

/// Who is let in, and how much is taken from them.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The names that the server may be called by.
    pub names: AllowedNames,
    /// Addresses of proxies before the server, which are believed where a request comes from.
    pub trusted_proxies: Vec<IpAddr>,
    /// Who may read the figures of the server.
    pub metrics: MetricsAccess,
    /// What is taken from one connection, one key and one address.
    pub limits: HttpLimits,
}

/// The name of the secret that keys are hashed under.
pub const KEY_SECRET: &str = "keys";

/// All routes.
///
/// # Errors
/// [`StoreError`](crate::store::StoreError) when the secret that keys are hashed under cannot be read.
pub async fn routes(
    platform: Platform,
    operations: Operations,
    store: Arc<dyn Store>,
    access: Access,
) -> Result<Router, crate::store::StoreError> {
    let key_secret = store.secret(KEY_SECRET).await?.into();
    let shared = Shared {
        platform,
        operations,
        store,
        key_secret,
        names: Arc::new(access.names),
        trusted_proxies: access.trusted_proxies.into(),
        metrics_access: access.metrics,
        limits: access.limits,
        key_requests: Arc::new(Rates::new(access.limits.key_rate)),
        refusals: Arc::new(Rates::new(access.limits.refusal_rate)),
    };
    Ok(Router::new()
        .route("/v1/sessions", post(sessions::create).get(sessions::list))
        .route(
            "/v1/sessions/{id}",
            get(sessions::retrieve).post(sessions::update),
        )
        .route("/v1/sessions/start", post(operations::start))
        .route("/v1/sessions/{id}/act", post(operations::on(Kind::Act)))
        .route("/v1/sessions/{id}/extract", post(operations::on(Kind::Extract)))
        .route("/v1/sessions/{id}/observe", post(operations::on(Kind::Observe)))
        .route("/v1/sessions/{id}/navigate", post(operations::on(Kind::Navigate)))
        .route(
            "/v1/sessions/{id}/agentExecute",
            post(operations::on(Kind::Agent)),
        )
        .route("/v1/sessions/{id}/end", post(operations::end))
        .route("/v1/sessions/{id}/replay", get(operations::replay))
        .route(
            "/v1/sessions/{id}/uploads",
            // It counts what comes in by itself.
            get(files::uploads)
                .post(files::upload)
                .layer(DefaultBodyLimit::disable()),
        )
        .route("/v1/sessions/{id}/downloads", get(files::downloads))
        .route(
            "/v1/sessions/{id}/downloads/{name}",
            get(files::download).delete(files::remove_download),
        )
        .route("/v1/contexts", post(contexts::create))
        .route(
            "/v1/contexts/{id}",
            get(contexts::retrieve).delete(contexts::remove),
        )
        .route("/v1/sessions/{id}/debug", get(debug::debug))
        .route("/v1/sessions/{id}/view", any(view::connect))
        .route("/sessions", get(view::list_page))
        .route("/sessions/{id}", get(view::session_page))
        .route("/sessions/assets/{name}", get(view::asset))
        .route("/v1/cdp/{id}", any(cdp::connect))
        .route("/v1/cdp/{id}/page/{target}", any(cdp::connect_tab))
        .route("/v1/openapi.json", get(description::openapi))
        .route("/docs", get(description::docs))
        .route("/docs/style.css", get(description::style))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics::figures))
        .fallback(unknown)
        .method_not_allowed_fallback(not_so)
        .layer(DefaultBodyLimit::max(shared.limits.body_bytes))
        .layer(from_fn(query::check_query))
        .layer(from_fn_with_state(shared.clone(), limits::limit))
        .layer(from_fn_with_state(shared.clone(), guard::check_names))
        .layer(from_fn_with_state(shared.clone(), limits::limit_refusals))
        .layer(from_fn(failure::answer_in_json))
        .layer(from_fn_with_state(shared.clone(), metrics::count))
        .with_state(shared))
}

async fn unknown(method: Method, uri: Uri) -> failure::Failure {
    if method == Method::CONNECT {
        let message = "this server is no proxy, and does not take CONNECT; /docs tells what it takes";
        return failure::Failure::new(StatusCode::METHOD_NOT_ALLOWED, message);
    }
    let message = format!("there is nothing at `{}`; /docs tells what there is", uri.path());
    failure::Failure::new(StatusCode::NOT_FOUND, message)
}

async fn not_so(method: Method, uri: Uri) -> failure::Failure {
    let message = format!(
        "`{}` does not take {method}; /docs tells what it takes",
        uri.path()
    );
    failure::Failure::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

/// Whether sessions can be created now.
async fn ready(
    axum::extract::State(shared): axum::extract::State<Shared>,
) -> Result<&'static str, failure::Failure> {
    shared.store.now().await?;
    Ok("ok")
}
