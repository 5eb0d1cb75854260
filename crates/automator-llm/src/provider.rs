//! The registry of providers: one line each.
//!
//! A new provider is a new [`Provider`] in [`PROVIDERS`]. What only one provider needs (header names, the
//! form of an address) is in `route.rs`, under its name.

use crate::dialect::Structured;

/// A provider that this crate knows by name.
#[derive(Debug)]
pub struct Provider {
    name: &'static str,
    aliases: &'static [&'static str],
    key_variables: &'static [&'static str],
    key_needed: bool,
    pub(crate) wire: Wire,
    /// Default endpoint; `{…}` is filled from the provider's settings.
    pub(crate) endpoint: &'static str,
    pub(crate) settings: &'static [Setting],
    pub(crate) structured: fn(&str) -> Structured,
    /// Whether models nobody knows take images.
    pub(crate) images: bool,
}

/// The forms of HTTP interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// OpenAI `POST …/responses`
    Responses,
    /// OpenAI `POST …/chat/completions`
    Chat,
    /// Anthropic `POST …/messages`
    Anthropic,
    /// Google `POST …/models/M:generateContent`
    Google,
    /// Google Vertex AI, for Gemini and Claude
    Vertex,
    /// Amazon Bedrock `POST …/model/M/converse`
    Bedrock,
}

/// Something that an endpoint is made of.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The member of the model object, and the name in the endpoint.
    pub(crate) option: &'static str,
    /// What it is, for the error.
    pub(crate) what: &'static str,
    pub(crate) variables: &'static [&'static str],
    pub(crate) default: Option<&'static str>,
}

impl Provider {
    /// The provider of a name or of one of its other names, in lower case.
    pub fn lookup(name: &str) -> Option<&'static Self> {
        PROVIDERS
            .iter()
            .find(|provider| provider.name == name || provider.aliases.contains(&name))
    }

    /// All known providers.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        PROVIDERS.iter()
    }

    /// The name before the `/` of a model.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Environment variables that hold its key, best first.
    pub fn key_variables(&self) -> &'static [&'static str] {
        self.key_variables
    }

    /// Whether a call without a key is refused before it is sent.
    pub fn key_needed(&self) -> bool {
        self.key_needed
    }
}

/// What a provider is that nobody knows, reached by its `baseURL`.
pub(crate) static COMPATIBLE: Provider = Provider {
    key_needed: false,
    structured: |_| Structured::COMPATIBLE,
    ..chat("compatible", &[], "")
};

/// Most providers speak Chat Completions and have one key.
const fn chat(
    name: &'static str,
    key_variables: &'static [&'static str],
    endpoint: &'static str,
) -> Provider {
    Provider {
        name,
        aliases: &[],
        key_variables,
        key_needed: true,
        wire: Wire::Chat,
        endpoint,
        settings: &[],
        structured: |_| Structured::COMPATIBLE,
        images: true,
    }
}

static PROVIDERS: &[Provider] = &[
    Provider {
        wire: Wire::Responses,
        structured: openai,
        ..chat("openai", &["OPENAI_API_KEY"], "https://api.openai.com/v1/")
    },
    Provider {
        wire: Wire::Anthropic,
        structured: claude,
        ..chat(
            "anthropic",
            &["ANTHROPIC_API_KEY"],
            "https://api.anthropic.com/v1/",
        )
    },
    Provider {
        aliases: &["gemini"],
        wire: Wire::Google,
        structured: gemini,
        ..chat(
            "google",
            &["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
            "https://generativelanguage.googleapis.com/v1beta/",
        )
    },
    Provider {
        aliases: &["google-vertex", "vertexai"],
        wire: Wire::Vertex,
        structured: vertex,
        settings: &[
            Setting {
                option: "project",
                what: "project id",
                variables: &[
                    "VERTEX_PROJECT_ID",
                    "GOOGLE_VERTEX_PROJECT",
                    "GOOGLE_CLOUD_PROJECT",
                ],
                default: None,
            },
            Setting {
                option: "location",
                what: "location",
                variables: &[
                    "VERTEX_LOCATION",
                    "GOOGLE_VERTEX_LOCATION",
                    "GOOGLE_CLOUD_LOCATION",
                ],
                default: Some("global"),
            },
        ],
        ..chat(
            "vertex",
            &["VERTEX_API_KEY", "GOOGLE_VERTEX_ACCESS_TOKEN"],
            "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/",
        )
    },
    Provider {
        wire: Wire::Bedrock,
        aliases: &["amazon-bedrock"],
        // The Converse interface has neither a schema option nor, in the client we use, a forced tool.
        structured: |_| Structured::PROMPT,
        settings: &[Setting {
            option: "region",
            what: "region",
            variables: &["AWS_REGION", "AWS_DEFAULT_REGION"],
            default: Some("us-east-1"),
        }],
        ..chat(
            "bedrock",
            &["AWS_BEARER_TOKEN_BEDROCK", "BEDROCK_API_KEY"],
            "https://bedrock-runtime.{region}.amazonaws.com/",
        )
    },
    Provider {
        structured: openai,
        settings: &[
            Setting {
                option: "resourceName",
                what: "resource name",
                variables: &["AZURE_RESOURCE_NAME"],
                default: None,
            },
            Setting {
                option: "apiVersion",
                what: "API version",
                variables: &["AZURE_API_VERSION"],
                default: Some(""),
            },
        ],
        ..chat(
            "azure",
            &["AZURE_API_KEY"],
            "https://{resourceName}.openai.azure.com/openai/v1/",
        )
    },
    Provider {
        structured: groq,
        ..chat("groq", &["GROQ_API_KEY"], "https://api.groq.com/openai/v1/")
    },
    Provider {
        structured: |_| Structured::MINIMAL,
        images: false,
        ..chat("cerebras", &["CEREBRAS_API_KEY"], "https://api.cerebras.ai/v1/")
    },
    Provider {
        structured: |_| Structured::STRICT,
        ..chat("mistral", &["MISTRAL_API_KEY"], "https://api.mistral.ai/v1/")
    },
    Provider {
        structured: |_| Structured::JSON_MODE,
        images: false,
        ..chat("deepseek", &["DEEPSEEK_API_KEY"], "https://api.deepseek.com/v1/")
    },
    Provider {
        structured: |_| Structured::MINIMAL,
        ..chat("xai", &["XAI_API_KEY"], "https://api.x.ai/v1/")
    },
    Provider {
        aliases: &["togetherai", "together-ai"],
        ..chat(
            "together",
            &["TOGETHER_AI_API_KEY", "TOGETHER_API_KEY"],
            "https://api.together.xyz/v1/",
        )
    },
    Provider {
        aliases: &["fireworks-ai", "fireworksai"],
        ..chat(
            "fireworks",
            &["FIREWORKS_API_KEY"],
            "https://api.fireworks.ai/inference/v1/",
        )
    },
    chat(
        "openrouter",
        &["OPENROUTER_API_KEY", "OPEN_ROUTER_API_KEY"],
        "https://openrouter.ai/api/v1/",
    ),
    chat(
        "perplexity",
        &["PERPLEXITY_API_KEY"],
        "https://api.perplexity.ai/",
    ),
    Provider {
        key_needed: false,
        ..chat("ollama", &["OLLAMA_API_KEY"], "http://127.0.0.1:11434/v1/")
    },
];

/// OpenAI's early models know no schemas, the earliest reasoning models no JSON mode either.
fn openai(model: &str) -> Structured {
    let early = ["gpt-3.5", "gpt-4-", "chatgpt-"];
    if model == "gpt-4" || model.starts_with("o1-preview") || model.starts_with("o1-mini") {
        Structured::PROMPT
    } else if early.iter().any(|prefix| model.starts_with(prefix)) {
        Structured::JSON_MODE
    } else {
        Structured::OPENAI
    }
}

/// Schemas came to Claude with Sonnet 4.5, Haiku 4.5 and Opus 4.1.
fn claude(model: &str) -> Structured {
    let old = [
        "claude-2",
        "claude-instant",
        "claude-3",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2025",
        "claude-opus-4-0",
        "claude-opus-4-2025",
    ];
    if old.iter().any(|prefix| model.starts_with(prefix))
        || model == "claude-sonnet-4"
        || model == "claude-opus-4"
    {
        Structured::FORCED_TOOL
    } else {
        Structured::ANTHROPIC
    }
}

/// Gemini took JSON Schema with 2.5; Gemma takes none.
fn gemini(model: &str) -> Structured {
    if ["gemini-1", "gemini-2.0", "gemma"]
        .iter()
        .any(|prefix| model.starts_with(prefix))
    {
        Structured::PROMPT
    } else {
        Structured::GEMINI
    }
}

/// On Vertex the client we use passes neither schema nor tool choice to Claude.
fn vertex(model: &str) -> Structured {
    if model.starts_with("claude") {
        Structured::PROMPT
    } else {
        gemini(model)
    }
}

/// Groq binds the decoder only for these models.
fn groq(model: &str) -> Structured {
    if model.starts_with("openai/gpt-oss") {
        Structured::MINIMAL
    } else {
        Structured::JSON_MODE
    }
}

/// Options of OpenAI that travel as headers.
pub(crate) fn openai_header(provider: &Provider, option: &str) -> Option<&'static str> {
    match (provider.name(), option) {
        ("openai", "organization") => Some("openai-organization"),
        ("openai", "project") => Some("openai-project"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    #[test]
    fn every_provider_is_found_by_every_name() {
        for provider in Provider::all() {
            for name in provider.aliases.iter().chain([&provider.name]) {
                assert_eq!(Provider::lookup(name).unwrap().name(), provider.name());
                assert_eq!(*name, name.to_lowercase());
            }
        }
        assert!(Provider::lookup("nosuchprovider").is_none());
    }

    #[test]
    fn endpoints_end_in_a_slash_so_that_paths_can_be_joined() {
        for provider in Provider::all() {
            assert!(provider.endpoint.ends_with('/'), "{}", provider.name);
        }
    }

    #[test]
    fn only_local_servers_need_no_key() {
        let free: Vec<_> = Provider::all()
            .filter(|p| !p.key_needed())
            .map(Provider::name)
            .collect();
        assert_eq!(free, ["ollama"]);
    }

    #[test]
    fn dialect_follows_the_model() {
        assert!(matches!(openai("gpt-4.1-mini").dialect, Dialect::Schema(_)));
        assert!(matches!(openai("gpt-4-turbo").dialect, Dialect::JsonMode));
        assert!(matches!(claude("claude-sonnet-4-5").dialect, Dialect::Schema(_)));
        assert!(matches!(
            claude("claude-opus-4-1-20250805").dialect,
            Dialect::Schema(_)
        ));
        assert!(matches!(
            claude("claude-sonnet-4-20250514").dialect,
            Dialect::ForcedTool
        ));
        assert!(matches!(
            claude("claude-3-7-sonnet-latest").dialect,
            Dialect::ForcedTool
        ));
        assert!(matches!(gemini("gemini-2.5-flash").dialect, Dialect::Schema(_)));
        assert!(matches!(
            groq("llama-3.3-70b-versatile").dialect,
            Dialect::JsonMode
        ));
        assert!(matches!(vertex("claude-sonnet-4-5").dialect, Dialect::Prompt));
    }
}
