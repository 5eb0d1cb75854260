//! An extraction that runs on the platform of a remote session.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{CacheStatus, ExtractRequest};
use crate::Result;
use crate::options::ExtractOptions;
use crate::page::Page;
use crate::remote::{Accounts, Away, Common};

/// Runs an extraction on the platform.
pub(super) async fn extract_away(
    away: &Away<'_>,
    page: &Page,
    request: &ExtractRequest,
    accounts: Accounts<'_>,
) -> Result<(Value, Option<CacheStatus>)> {
    let mut body = Map::new();
    body.insert("instruction".to_owned(), request.instruction.clone().into());
    if let Some(schema) = &request.schema {
        body.insert("schema".to_owned(), schema.clone());
    }
    let options = options(&request.options);
    away.call("extract", page, body, options, common(&request.options), accounts)
        .await
}

/// Reads the text of a page on the platform.
pub(super) async fn page_text_away(
    away: &Away<'_>,
    page: &Page,
    given: &ExtractOptions,
    accounts: Accounts<'_>,
) -> Result<(String, Option<CacheStatus>)> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Read {
        page_text: String,
    }
    let (read, cache_status): (Read, _) = away
        .call(
            "extract",
            page,
            Map::new(),
            options(given),
            common(given),
            accounts,
        )
        .await?;
    Ok((read.page_text, cache_status))
}

fn options(given: &ExtractOptions) -> Map<String, Value> {
    let mut options = Map::new();
    if let Some(selector) = &given.selector {
        options.insert("selector".to_owned(), selector.clone().into());
    }
    if !given.ignore_selectors.is_empty() {
        options.insert("ignoreSelectors".to_owned(), json!(given.ignore_selectors));
    }
    if given.screenshot {
        options.insert("screenshot".to_owned(), true.into());
    }
    options
}

fn common(given: &ExtractOptions) -> Common<'_> {
    Common {
        model: given.model.as_ref(),
        timeout: given.timeout,
        server_cache: given.server_cache,
    }
}
