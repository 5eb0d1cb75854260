use super::*;
use serde_json::json;

fn read(value: Value) -> Result<ModelOptions, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn name_is_split_at_the_first_slash() {
    let name: ModelName = " OpenRouter/anthropic/claude-sonnet-4.5 ".parse().unwrap();
    assert_eq!(
        (name.provider(), name.model(), name.as_str()),
        (
            "openrouter",
            "anthropic/claude-sonnet-4.5",
            "OpenRouter/anthropic/claude-sonnet-4.5"
        )
    );
}

#[test]
fn name_without_provider_or_model_is_refused_and_quoted() {
    for given in ["just-a-name", "", "/", "openai/", "/gpt", " / "] {
        let error = given.parse::<ModelName>().unwrap_err();
        assert_eq!(
            error,
            LlmError::InvalidModelFormat {
                given: given.to_owned()
            }
        );
        assert!(error.to_string().contains(given));
    }
}

#[test]
fn options_read_from_a_string() {
    assert_eq!(read(json!("a/b")).unwrap(), ModelOptions::new("a/b"));
}

#[test]
fn options_read_every_member_and_keep_unknown_ones() {
    let options = read(json!({
        "modelName": "openai/gpt-5", "apiKey": "sk-1", "baseUrl": "http://h/v1",
        "openaiEndpointFormat": "chat", "contextWindow": 1000, "maxOutputTokens": 200,
        "headers": {"x-a": "1"}, "temperature": 0, "reasoningEffort": "low",
        "price": {"input": 1}, "top_p": 0.5, "organization": null
    }))
    .unwrap();
    assert_eq!(options.api_key.as_ref().unwrap().expose(), "sk-1");
    assert_eq!(options.base_url.as_deref(), Some("http://h/v1"));
    assert_eq!(options.openai_endpoint_format, Some(OpenAiEndpointFormat::Chat));
    assert_eq!(
        (options.context_window, options.max_output_tokens),
        (Some(1000), Some(200))
    );
    assert_eq!(options.headers["x-a"].expose(), "1");
    assert_eq!(options.temperature, Some(0.0));
    assert_eq!(options.reasoning_effort, Some(ReasoningEffort::Low));
    assert_eq!(options.price, Some(json!({"input": 1})));
    assert_eq!(Value::Object(options.extra), json!({"top_p": 0.5}));
}

#[test]
fn options_that_cannot_be_used_name_the_member() {
    for (given, word) in [
        (json!({}), "modelName"),
        (json!({"apiKey": "k"}), "modelName"),
        (json!({"modelName": 3}), "modelName"),
        (json!({"modelName": "a/b", "apiKey": 1}), "apiKey"),
        (
            json!({"modelName": "a/b", "openaiEndpointFormat": "both"}),
            "openaiEndpointFormat",
        ),
        (json!({"modelName": "a/b", "contextWindow": 0}), "contextWindow"),
        (
            json!({"modelName": "a/b", "maxOutputTokens": -1}),
            "maxOutputTokens",
        ),
        (json!({"modelName": "a/b", "temperature": "hot"}), "temperature"),
        (json!({"modelName": "a/b", "headers": {"x": 1}}), "headers.x"),
        (
            json!({"modelName": "a/b", "reasoningEffort": "lots"}),
            "reasoningEffort",
        ),
        (json!(["a/b"]), "an array"),
    ] {
        let error = read(given.clone()).unwrap_err();
        assert!(error.contains(word), "{given} gave {error}");
    }
}

#[test]
fn secrets_never_print() {
    let options = read(json!({
        "modelName": "openai/gpt-5", "apiKey": "sk-secret",
        "baseURL": "http://user:secret@h/v1?key=secret#secret",
        "headers": {"authorization": "secret"},
        "secretAccessKey": "secret", "sessionToken": "secret", "credentials": {"a": "secret"},
        "max_tokens": 5
    }))
    .unwrap();
    for text in [format!("{options:?}"), serde_json::to_string(&options).unwrap()] {
        assert!(!text.contains("secret\""), "{text}");
        assert!(!text.contains("sk-secret") && !text.contains("=secret"), "{text}");
        assert!(text.contains("\"baseURL\":\"http://h/v1\""), "{text}");
        assert!(text.contains("\"max_tokens\":5"), "{text}");
    }
}

#[test]
fn same_provider_inherits_key_address_and_headers() {
    let session = read(json!({
        "modelName": "openai/gpt-4.1-mini", "apiKey": "sk", "baseURL": "http://h/v1",
        "contextWindow": 10, "temperature": 0.5, "headers": {"a": "1", "b": "1"}
    }))
    .unwrap();
    let call = read(json!({"modelName": "openai/gpt-5", "headers": {"b": "2"}}))
        .unwrap()
        .inheriting(&session);
    assert_eq!(call.api_key, session.api_key);
    assert_eq!(call.base_url, session.base_url);
    assert_eq!(call.temperature, Some(0.5));
    assert_eq!(call.context_window, None, "a window belongs to its model");
    assert_eq!(call.headers["a"].expose(), "1");
    assert_eq!(call.headers["b"].expose(), "2");
}

#[test]
fn other_provider_or_own_key_inherits_nothing() {
    let session = read(json!({"modelName": "openai/a", "apiKey": "sk", "baseURL": "http://h"})).unwrap();
    let other = ModelOptions::new("google/gemini-2.5-flash");
    assert_eq!(other.clone().inheriting(&session), other);
    let own = read(json!({"modelName": "openai/a", "apiKey": "mine"})).unwrap();
    assert_eq!(own.clone().inheriting(&session), own);
}

#[test]
fn reasoning_effort_reads_words_and_budgets() {
    assert_eq!(
        ReasoningEffort::from_value(&json!("xhigh")),
        Some(ReasoningEffort::ExtraHigh)
    );
    assert_eq!(
        ReasoningEffort::from_value(&json!(2048)),
        Some(ReasoningEffort::Budget(2048))
    );
    assert_eq!(ReasoningEffort::from_value(&json!(-1)), None);
    assert_eq!(ReasoningEffort::Max.to_value(), json!("max"));
}
