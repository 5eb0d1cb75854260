//! A search that runs on the platform of a remote session.

use serde_json::{Map, json};

use super::{Found, ObserveRequest};
use crate::Result;
use crate::page::Page;
use crate::remote::{Accounts, Away, Common};
use crate::variables::Variables;

/// Runs the call on the platform.
pub(super) async fn observe_away(
    away: &Away<'_>,
    page: &Page,
    request: &ObserveRequest,
    variables: &Variables,
    accounts: Accounts<'_>,
) -> Result<Found> {
    let given = &request.options;
    let mut body = Map::new();
    if !request.instruction.is_empty() {
        body.insert("instruction".to_owned(), request.instruction.clone().into());
    }
    let mut options = Map::new();
    if let Some(selector) = &given.selector {
        options.insert("selector".to_owned(), selector.clone().into());
    }
    if !given.ignore_selectors.is_empty() {
        options.insert("ignoreSelectors".to_owned(), json!(given.ignore_selectors));
    }
    if !variables.is_empty() {
        options.insert("variables".to_owned(), variables.revealed());
    }
    let common = Common {
        model: given.model.as_ref(),
        timeout: given.timeout,
        server_cache: given.server_cache,
    };
    let (actions, cache_status) = away
        .call("observe", page, body, options, common, accounts)
        .await?;
    Ok(Found {
        actions,
        cache_status,
    })
}
