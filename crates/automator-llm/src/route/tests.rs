use super::*;
use serde_json::json;

fn options(value: Value) -> ModelOptions {
    serde_json::from_value(value).unwrap()
}

fn nothing(_: &str) -> Option<String> {
    None
}

fn route(value: Value, environment: &[(&str, &str)]) -> Route {
    let owned: BTreeMap<String, String> = environment
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    Route::resolve(&options(value), &move |name: &str| owned.get(name).cloned()).unwrap()
}

fn address(value: Value, environment: &[(&str, &str)]) -> String {
    route(value, environment).ready().unwrap().url.to_string()
}

#[test]
fn each_provider_has_its_address() {
    for (model, expected) in [
        ("openai/gpt-5", "https://api.openai.com/v1/responses"),
        (
            "anthropic/claude-sonnet-4-5",
            "https://api.anthropic.com/v1/messages",
        ),
        (
            "google/gemini-2.5-flash",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
        ),
        (
            "groq/openai/gpt-oss-120b",
            "https://api.groq.com/openai/v1/chat/completions",
        ),
        (
            "cerebras/llama-3.3-70b",
            "https://api.cerebras.ai/v1/chat/completions",
        ),
        (
            "mistral/mistral-medium",
            "https://api.mistral.ai/v1/chat/completions",
        ),
        (
            "deepseek/deepseek-chat",
            "https://api.deepseek.com/v1/chat/completions",
        ),
        ("xai/grok-4", "https://api.x.ai/v1/chat/completions"),
        ("togetherai/m/n", "https://api.together.xyz/v1/chat/completions"),
        ("openrouter/a/b", "https://openrouter.ai/api/v1/chat/completions"),
        ("perplexity/sonar", "https://api.perplexity.ai/chat/completions"),
        (
            "fireworks/m",
            "https://api.fireworks.ai/inference/v1/chat/completions",
        ),
        ("ollama/llama3.2", "http://127.0.0.1:11434/v1/chat/completions"),
    ] {
        assert_eq!(address(json!({"modelName": model, "apiKey": "k"}), &[]), expected);
    }
}

#[test]
fn cloud_endpoints_are_made_from_settings() {
    let azure = [("AZURE_API_KEY", "k"), ("AZURE_RESOURCE_NAME", "acme")];
    assert_eq!(
        address(json!("azure/my-deployment"), &azure),
        "https://acme.openai.azure.com/openai/v1/chat/completions"
    );
    assert_eq!(
        address(
            json!({"modelName": "azure/d", "apiKey": "k", "resourceName": "other", "apiVersion": "preview"}),
            &azure
        ),
        "https://other.openai.azure.com/openai/v1/chat/completions?api-version=preview"
    );
    let vertex = [("VERTEX_API_KEY", "t"), ("GOOGLE_VERTEX_PROJECT", "p1")];
    assert_eq!(
        address(json!("vertex/gemini-2.5-pro"), &vertex),
        "https://aiplatform.googleapis.com/v1/projects/p1/locations/global/publishers/google/models/\
         gemini-2.5-pro:generateContent"
    );
    assert_eq!(
        address(
            json!({"modelName": "vertex/claude-sonnet-4-5", "location": "europe-west1"}),
            &vertex
        ),
        "https://europe-west1-aiplatform.googleapis.com/v1/projects/p1/locations/europe-west1/publishers/\
         anthropic/models/claude-sonnet-4-5:rawPredict"
    );
    assert_eq!(
        address(
            json!("bedrock/anthropic.claude-sonnet-4-5-v1:0"),
            &[("AWS_BEARER_TOKEN_BEDROCK", "t"), ("AWS_REGION", "eu-central-1")]
        ),
        "https://bedrock-runtime.eu-central-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-v1:0/converse"
    );
}

#[test]
fn model_name_cannot_leave_its_place_in_the_address() {
    let url = address(json!({"modelName": "google/../../x?y#z", "apiKey": "k"}), &[]);
    assert!(
        url.starts_with("https://generativelanguage.googleapis.com/v1beta/models/"),
        "{url}"
    );
    assert!(url.contains("%3Fy%23z") && !url.contains("/../"), "{url}");
}

#[test]
fn custom_base_may_end_anyhow_and_keeps_its_query() {
    for base in [
        "http://h:1/v1",
        "http://h:1/v1/",
        "http://h:1/v1/responses",
        " http://h:1/v1// ",
    ] {
        assert_eq!(
            address(
                json!({"modelName": "openai/m", "apiKey": "k", "baseURL": base}),
                &[]
            ),
            "http://h:1/v1/responses"
        );
    }
    assert_eq!(
        address(
            json!({"modelName": "x/m", "baseURL": "https://h/deployments/d/chat/completions?api-version=1"}),
            &[]
        ),
        "https://h/deployments/d/chat/completions?api-version=1"
    );
    assert_eq!(
        address(
            json!({"modelName": "ollama/m", "baseURL": "http://127.0.0.1:1"}),
            &[]
        ),
        "http://127.0.0.1:1/v1/chat/completions"
    );
}

#[test]
fn base_that_is_no_address_names_the_option() {
    for base in ["localhost:8080", "ftp://h/", "not an address", ""] {
        let error = Route::resolve(&options(json!({"modelName": "a/m", "baseURL": base})), &nothing);
        let Err(LlmError::InvalidModelOption { option, .. }) = error else {
            panic!("{base}: {error:?}")
        };
        assert_eq!(option, "model.baseURL");
    }
}

#[test]
fn an_empty_key_is_no_key() {
    let error = Route::resolve(
        &options(json!({"modelName": "openai/m", "apiKey": " "})),
        &nothing,
    )
    .unwrap_err();
    assert!(
        error.to_string().starts_with("model.apiKey must not be empty"),
        "{error}"
    );
}

#[test]
fn a_base_that_is_no_address_is_shown_unless_it_may_hold_a_secret() {
    for (base, shown) in [
        ("::", "\"::\""),
        ("me:secret@h", "what was given"),
        ("h?key=secret", "what was given"),
    ] {
        let error = endpoint::parse(base).unwrap_err();
        let expected =
            format!("model.baseURL must be an address such as http://127.0.0.1:8080/v1, not {shown}");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn unknown_provider_needs_a_base() {
    let error = Route::resolve(&options(json!("nosuchprovider/model-1")), &nothing).unwrap_err();
    assert!(matches!(error, LlmError::UnsupportedModel { .. }));
    assert!(error.to_string().contains("nosuchprovider"));
    let route = route(
        json!({"modelName": "my-gateway/m", "baseURL": "http://h/v1"}),
        &[],
    );
    assert_eq!(route.wire, Wire::Chat);
    assert!(route.ready().unwrap().headers.is_empty(), "no key is demanded");
}

#[test]
fn unknown_provider_reads_the_variable_of_its_name() {
    let route = route(
        json!({"modelName": "my-gateway/m", "baseURL": "http://h/v1"}),
        &[("MY_GATEWAY_API_KEY", "k9")],
    );
    assert_eq!(
        route.ready().unwrap().headers["authorization"].expose(),
        "Bearer k9"
    );
}

#[test]
fn keys_come_from_the_option_then_from_the_variables_in_order() {
    let google = |environment: &[(&str, &str)], given: Value| {
        route(given, environment).ready().unwrap().headers["x-goog-api-key"]
            .expose()
            .to_owned()
    };
    let both = [
        ("GOOGLE_API_KEY", "third"),
        ("GOOGLE_GENERATIVE_AI_API_KEY", "second"),
    ];
    assert_eq!(google(&both, json!("google/gemini-2.5-pro")), "second");
    assert_eq!(
        google(&both, json!({"modelName": "google/g", "apiKey": "own"})),
        "own"
    );
}

#[test]
fn missing_key_is_reported_when_the_route_is_used() {
    let route = route(json!("togetherai/m"), &[]);
    let LlmError::MissingKey { variables, .. } = route.ready().unwrap_err() else {
        panic!()
    };
    assert_eq!(variables, ["TOGETHER_AI_API_KEY", "TOGETHER_API_KEY"]);
}

#[test]
fn missing_setting_is_reported_like_a_missing_key() {
    let route = route(json!("azure/d"), &[("AZURE_API_KEY", "k")]);
    let LlmError::MissingKey {
        variables, option, ..
    } = route.ready().unwrap_err()
    else {
        panic!()
    };
    assert_eq!(
        (variables[0].as_str(), option.as_str()),
        ("AZURE_RESOURCE_NAME", "resourceName")
    );
}

#[test]
fn known_provider_needs_its_key_also_at_another_address() {
    let route = route(
        json!({"modelName": "openai/m", "baseURL": "http://127.0.0.1:1/v1"}),
        &[],
    );
    assert!(matches!(route.ready(), Err(LlmError::MissingKey { .. })));
}

#[test]
fn own_headers_win_whatever_their_case() {
    let route = route(
        json!({"modelName": "openai/m", "apiKey": "k", "headers": {"Authorization": "Custom 1", "X-A": "2"},
               "organization": "org-1"}),
        &[],
    );
    let headers = route.ready().unwrap().headers;
    assert_eq!(headers["authorization"].expose(), "Custom 1");
    assert_eq!(headers["x-a"].expose(), "2");
    assert_eq!(headers["openai-organization"].expose(), "org-1");
    assert!(route.extra_body.is_empty());
}

#[test]
fn endpoint_format_switches_openai_and_is_refused_elsewhere() {
    let chat = json!({"modelName": "openai/m", "apiKey": "k", "openaiEndpointFormat": "chat"});
    assert_eq!(route(chat, &[]).wire, Wire::Chat);
    let wrong = json!({"modelName": "anthropic/m", "openaiEndpointFormat": "chat"});
    assert!(matches!(
        Route::resolve(&options(wrong), &nothing),
        Err(LlmError::InvalidModelOption { .. })
    ));
}

#[test]
fn limits_come_from_the_options_then_from_what_is_known() {
    let known = route(json!("anthropic/claude-sonnet-4-5"), &[]);
    assert_eq!(known.context_window, Some(200_000));
    assert_eq!(known.output_limit, Some(64_000), "Anthropic demands a limit");
    let given = route(
        json!({"modelName": "openai/gpt-4.1", "contextWindow": 9000, "maxOutputTokens": 500}),
        &[],
    );
    assert_eq!(
        (given.context_window, given.output_limit),
        (Some(9000), Some(500))
    );
    assert_eq!(given.output_ceiling, Some(32_768));
    assert_eq!(route(json!("ollama/llama3.1"), &[]).context_window, Some(4_096));
}

#[test]
fn settings_with_foreign_characters_are_refused() {
    let error = route(
        json!({"modelName": "azure/d", "apiKey": "k", "resourceName": "evil.com/#"}),
        &[],
    )
    .ready()
    .unwrap_err();
    assert!(matches!(error, LlmError::InvalidModelOption { .. }), "{error:?}");
}

#[test]
fn loopback_is_recognised() {
    for (base, expected) in [
        ("http://localhost:1/", true),
        ("http://127.1.2.3/", true),
        ("http://[::1]:8/", true),
        ("http://127.0.0.1.example.com/", false),
        ("https://api.openai.com/", false),
    ] {
        let route = route(json!({"modelName": "x/m", "baseURL": base}), &[]);
        assert_eq!(route.is_loopback(), expected, "{base}");
    }
}
