//! Which mode an agent has when it names none.

use crate::options::AgentMode;

/// Parts of the names of models that find places in pictures well.
const POINTING: [&str; 5] = ["gemini-3", "claude", "gpt-5.4", "gpt-5.5", "gpt-5.6"];

/// The mode for a model that is named `provider/model`.
pub(super) fn default_for(model: &str) -> AgentMode {
    let model = model.to_lowercase();
    if POINTING.iter().any(|part| model.contains(part)) {
        AgentMode::Hybrid
    } else {
        AgentMode::Dom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_point_well_are_shown_pictures() {
        for model in [
            "google/gemini-3-pro",
            "anthropic/Claude-sonnet-4-5",
            "openai/gpt-5.5",
        ] {
            assert_eq!(default_for(model), AgentMode::Hybrid, "{model}");
        }
        for model in ["openai/gpt-4.1-mini", "google/gemini-2.5-flash", "openai/gpt-5"] {
            assert_eq!(default_for(model), AgentMode::Dom, "{model}");
        }
    }
}
