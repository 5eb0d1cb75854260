//! The server's HTTP interface.

mod cdp;
mod failure;
mod guard;
mod names;
mod operations;
mod sessions;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, post};

use crate::operations::Operations;
use crate::platform::Platform;
use crate::store::Store;

pub use guard::AllowedNames;

/// The largest body of a request, in bytes.
const BODY_LIMIT: usize = 1 << 20;

/// What requests are answered from.
#[derive(Debug, Clone)]
struct Shared {
    platform: Platform,
    operations: Operations,
    store: Arc<dyn Store>,
    /// The secret that keys are hashed under.
    key_secret: Arc<[u8]>,
    names: Arc<AllowedNames>,
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
    names: AllowedNames,
) -> Result<Router, crate::store::StoreError> {
    let key_secret = store.secret(KEY_SECRET).await?.into();
    let shared = Shared {
        platform,
        operations,
        store,
        key_secret,
        names: Arc::new(names),
    };
    Ok(Router::new()
        .route("/v1/sessions", post(sessions::create).get(sessions::list))
        .route(
            "/v1/sessions/{id}",
            get(sessions::retrieve).post(sessions::update),
        )
        .route("/v1/sessions/start", post(operations::start))
        .route("/v1/sessions/{id}/act", post(operations::act))
        .route("/v1/sessions/{id}/extract", post(operations::extract))
        .route("/v1/sessions/{id}/observe", post(operations::observe))
        .route("/v1/sessions/{id}/navigate", post(operations::navigate))
        .route("/v1/sessions/{id}/end", post(operations::end))
        .route("/v1/sessions/{id}/replay", get(operations::replay))
        .route("/v1/cdp/{id}", any(cdp::connect))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(shared.clone(), guard::check_names))
        .with_state(shared))
}

/// Whether sessions can be created now.
async fn ready(
    axum::extract::State(shared): axum::extract::State<Shared>,
) -> Result<&'static str, failure::Failure> {
    shared.store.now().await?;
    Ok("ok")
}
