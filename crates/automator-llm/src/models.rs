//! What is known of models: windows, output limits, eyes.

/// What is known of one family of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Family {
    /// Beginning of the model's name, after any publisher prefix.
    prefix: &'static str,
    /// Tokens of prompt and answer together.
    pub(crate) context_window: u32,
    /// Tokens of the answer.
    pub(crate) max_output_tokens: u32,
    /// Whether it takes images.
    pub(crate) images: bool,
}

/// The family of a model, `None` when nobody knows it.
///
/// The longest prefix wins. Names may carry a publisher (`openai/gpt-4o`, `us.anthropic.claude-…`).
pub(crate) fn family(model: &str) -> Option<&'static Family> {
    let name = model.to_lowercase();
    name_tails(&name)
        .filter_map(|tail| {
            FAMILIES
                .iter()
                .filter(|family| tail.starts_with(family.prefix))
                .max_by_key(|family| family.prefix.len())
        })
        .next()
}

/// The name, then what follows each `/`, then what follows each `.` of a regional prefix.
fn name_tails(name: &str) -> impl Iterator<Item = &str> {
    let whole = std::iter::once(name);
    let after = name
        .char_indices()
        .filter(|(_, character)| matches!(character, '/' | '.' | ':'))
        .filter_map(move |(at, _)| name.get(at + 1..));
    whole.chain(after)
}

const fn sees(prefix: &'static str, context_window: u32, max_output_tokens: u32) -> Family {
    Family {
        prefix,
        context_window,
        max_output_tokens,
        images: true,
    }
}

const fn reads(prefix: &'static str, context_window: u32, max_output_tokens: u32) -> Family {
    Family {
        prefix,
        context_window,
        max_output_tokens,
        images: false,
    }
}

/// Published limits. Where a family has several sizes the smallest is written, because a page that is cut into
/// one piece too many costs a call, and one too few fails. Only models that surely take no images are said to
/// take none: for the others the provider may decide.
const FAMILIES: &[Family] = &[
    sees("gpt-4.1", 1_047_576, 32_768),
    sees("gpt-4o", 128_000, 16_384),
    sees("gpt-4.5", 128_000, 16_384),
    sees("gpt-4-turbo", 128_000, 4_096),
    reads("gpt-4", 8_192, 4_096),
    reads("gpt-3.5", 16_385, 4_096),
    sees("gpt-5", 400_000, 128_000),
    sees("gpt-5-chat", 128_000, 16_384),
    sees("gpt-6", 400_000, 128_000),
    reads("gpt-oss", 131_072, 32_768),
    sees("chatgpt-4o", 128_000, 16_384),
    sees("o1", 200_000, 100_000),
    reads("o1-mini", 128_000, 65_536),
    reads("o1-preview", 128_000, 32_768),
    sees("o3", 200_000, 100_000),
    reads("o3-mini", 200_000, 100_000),
    sees("o4-mini", 200_000, 100_000),
    sees("codex-mini", 200_000, 100_000),
    sees("claude", 200_000, 64_000),
    sees("claude-3-opus", 200_000, 4_096),
    sees("claude-3-haiku", 200_000, 4_096),
    sees("claude-3-sonnet", 200_000, 4_096),
    sees("claude-3-5", 200_000, 8_192),
    sees("claude-opus-4", 200_000, 32_000),
    sees("claude-opus-4-5", 200_000, 64_000),
    sees("claude-opus-4-6", 200_000, 64_000),
    sees("claude-opus-4-7", 200_000, 64_000),
    sees("claude-opus-4-8", 200_000, 64_000),
    sees("gemini", 1_048_576, 65_536),
    sees("gemini-1.5", 1_048_576, 8_192),
    sees("gemini-2.0", 1_048_576, 8_192),
    sees("gemma-3", 131_072, 8_192),
    reads("deepseek", 128_000, 8_192),
    reads("deepseek-reasoner", 128_000, 64_000),
    sees("mistral-large", 128_000, 32_768),
    sees("mistral-medium", 128_000, 32_768),
    sees("mistral-small", 128_000, 32_768),
    sees("pixtral", 128_000, 32_768),
    reads("codestral", 128_000, 32_768),
    sees("magistral", 40_000, 32_768),
    sees("ministral", 128_000, 32_768),
    sees("devstral", 128_000, 32_768),
    sees("grok-4", 256_000, 64_000),
    reads("grok-3", 131_072, 32_768),
    reads("grok-code", 256_000, 32_768),
    sees("grok-2-vision", 32_768, 8_192),
    reads("grok-2", 131_072, 8_192),
    sees("llama-4", 131_072, 8_192),
    reads("llama-3.1", 128_000, 8_192),
    reads("llama-3.3", 128_000, 8_192),
    reads("llama3.1", 128_000, 8_192),
    reads("llama-3.1-8b", 128_000, 8_192),
    sees("kimi-k2", 131_072, 16_384),
    reads("qwen3", 131_072, 32_768),
    reads("qwen-3", 131_072, 32_768),
    sees("qwen3-vl", 131_072, 32_768),
    sees("qwen3.5", 131_072, 32_768),
    sees("glm-4", 128_000, 32_768),
    sees("sonar", 128_000, 8_000),
    sees("sonar-pro", 200_000, 8_000),
    sees("nova-pro", 300_000, 5_000),
    sees("nova-lite", 300_000, 5_000),
    reads("nova-micro", 128_000, 5_000),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn window(model: &str) -> Option<u32> {
        family(model).map(|family| family.context_window)
    }

    #[test]
    fn longest_prefix_wins() {
        assert_eq!(window("gpt-4.1-mini-2025-04-14"), Some(1_047_576));
        assert_eq!(window("gpt-4-0613"), Some(8_192));
        assert_eq!(window("gpt-4o-mini"), Some(128_000));
        assert_eq!(
            family("claude-3-5-sonnet-latest").unwrap().max_output_tokens,
            8_192
        );
    }

    #[test]
    fn publishers_and_regions_are_seen_through() {
        assert_eq!(window("openai/gpt-4o"), Some(128_000));
        assert_eq!(
            window("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
            Some(200_000)
        );
        assert_eq!(window("meta-llama/Llama-3.3-70B-Instruct-Turbo"), Some(128_000));
        assert_eq!(window("accounts/fireworks/models/deepseek-v3"), Some(128_000));
    }

    #[test]
    fn unknown_model_has_no_family() {
        assert_eq!(family("something-new"), None);
        assert_eq!(family(""), None);
    }

    #[test]
    fn text_only_models_are_known() {
        assert!(!family("o3-mini").unwrap().images);
        assert!(!family("deepseek-chat").unwrap().images);
        assert!(family("gpt-4.1-mini").unwrap().images);
    }
}
