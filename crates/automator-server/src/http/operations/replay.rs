//! `/v1/sessions/{id}/replay`: what was done in a session, page by page, and what it cost.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::super::Shared;
use super::super::extract::Path;
use super::super::guard::Owner;
use super::OperationFailure;
use crate::store::OperationRecord;

/// What was done, also in a session that has ended.
pub(in crate::http) async fn replay(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(id): Path<String>,
) -> Result<Json<Value>, OperationFailure> {
    let operations = shared.platform.operations(&owner, &id).await?;
    Ok(Json(
        json!({ "success": true, "data": { "pages": pages(&operations) } }),
    ))
}

/// Operations that follow each other on one address are one page.
fn pages(operations: &[OperationRecord]) -> Vec<Value> {
    operations
        .chunk_by(|one, next| one.url == next.url)
        .map(|page| {
            let begun = page.first().map_or(0, |first| first.started_at);
            let ended = page.last().map_or(begun, |last| last.ended_at);
            json!({
                "url": page.first().map_or("", |first| first.url.as_str()),
                "timestamp": begun,
                "duration": ended.saturating_sub(begun),
                "actions": page.iter().map(action).collect::<Vec<_>>(),
            })
        })
        .collect()
}

fn action(operation: &OperationRecord) -> Value {
    // Readers of the hosted contract expect an object.
    let result = match &operation.result {
        Value::Object(_) => operation.result.clone(),
        other => json!({ "result": other }),
    };
    json!({
        "id": operation.id,
        "method": operation.kind,
        "parameters": operation.parameters,
        "result": result,
        "timestamp": operation.started_at,
        "endTime": operation.ended_at,
        "tokenUsage": {
            "inputTokens": operation.usage.prompt_tokens,
            "outputTokens": operation.usage.completion_tokens,
            "reasoningTokens": operation.usage.reasoning_tokens,
            "cachedInputTokens": operation.usage.cached_input_tokens,
            "timeMs": operation.usage.inference_time_ms,
        },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::store::OperationUsage;

    fn operation(url: &str, started_at: i64, ended_at: i64) -> OperationRecord {
        OperationRecord {
            id: "o".to_owned(),
            session: "s".to_owned(),
            kind: "observe".to_owned(),
            parameters: Map::new(),
            result: json!([]),
            url: url.to_owned(),
            started_at,
            ended_at,
            usage: OperationUsage::default(),
        }
    }

    #[test]
    fn operations_are_told_page_by_page() {
        let pages = pages(&[
            operation("https://a.example/", 10, 15),
            operation("https://a.example/", 20, 50),
            operation("https://b.example/", 60, 61),
        ]);
        assert_eq!(pages.len(), 2);
        assert_eq!(
            (&pages[0]["duration"], &pages[0]["timestamp"]),
            (&json!(40), &json!(10))
        );
        assert_eq!(pages[0]["actions"].as_array().map(Vec::len), Some(2));
        assert_eq!(pages[1]["actions"][0]["result"], json!({ "result": [] }));
    }
}
