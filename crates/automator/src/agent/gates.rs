//! What a run may use: experimental parts, and the parts that `cua` does not have.

use crate::options::{AgentConfig, AgentExecuteOptions, AgentMode};
use crate::{Error, ErrorKind, Result};

/// What is asked of a run besides its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    /// Whether it is run as a stream.
    pub(super) is_streamed: bool,
    /// Whether the session accepts what is experimental.
    pub(super) is_experimental: bool,
    pub(super) mode: AgentMode,
}

/// Looks at everything that can be judged without a browser and a model.
///
/// # Errors
/// [`ErrorKind::InvalidArgument`], [`ErrorKind::ExperimentalNotConfigured`].
pub(super) fn check(asked: Asked, config: &AgentConfig, options: &AgentExecuteOptions) -> Result<()> {
    config.check()?;
    check_values(options)?;
    let streaming = asked.is_streamed || config.stream;
    if asked.mode == AgentMode::Cua {
        let absent = [
            (streaming, "streaming"),
            (options.signal.is_some(), "signal"),
            (options.messages.is_some(), "messages"),
            (!options.exclude_tools.is_empty(), "excludeTools"),
            (options.output.is_some(), "output"),
            (!options.variables.is_empty(), "variables"),
        ];
        if let Some((_, name)) = absent.iter().find(|(is_used, _)| *is_used) {
            return Err(
                Error::invalid_argument(format!("mode \"cua\" does not have {name}"))
                    .hint("use mode \"dom\" or \"hybrid\""),
            );
        }
    }
    if asked.is_experimental {
        return Ok(());
    }
    let experimental = [
        (streaming, "streaming"),
        (options.callbacks.is_some(), "callbacks"),
        (options.signal.is_some(), "signal"),
        (options.messages.is_some(), "messages"),
        (!options.exclude_tools.is_empty(), "excludeTools"),
        (options.output.is_some(), "output"),
        (!config.tools.is_empty(), "tools of one's own"),
        (!config.integrations.is_empty(), "integrations"),
    ];
    match experimental.iter().find(|(is_used, _)| *is_used) {
        Some((_, name)) => Err(Error::new(
            ErrorKind::ExperimentalNotConfigured,
            format!("{name} of agents may change between versions"),
        )
        .hint("set experimental: true on the session to use it all the same")),
        None => Ok(()),
    }
}

fn check_values(options: &AgentExecuteOptions) -> Result<()> {
    if options.instruction.trim().is_empty() {
        return Err(Error::invalid_argument("the instruction is empty").hint("say what to do"));
    }
    if options.max_steps == Some(0) {
        return Err(Error::invalid_argument(
            "maxSteps must be a whole number of at least 1, not 0",
        ));
    }
    if options.max_tokens == Some(0) {
        return Err(Error::invalid_argument(
            "maxTokens must be a whole number of at least 1, not 0",
        ));
    }
    if let Some(cost) = options.max_cost.filter(|cost| !cost.is_finite() || *cost <= 0.0) {
        let message = format!("maxCost must be a number above 0, not {cost}");
        return Err(Error::invalid_argument(message));
    }
    if options.use_search == Some(true) {
        return Err(Error::invalid_argument("there is no search built in")
            .hint("leave useSearch out, and give a tool of your own that searches"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::agent::{AbortSignal, AgentCallbacks, FunctionTool};

    fn kind(asked: Asked, config: &AgentConfig, options: &AgentExecuteOptions) -> Option<ErrorKind> {
        check(asked, config, options).err().map(|error| error.kind())
    }

    fn asked(mode: AgentMode, is_experimental: bool) -> Asked {
        Asked {
            is_streamed: false,
            is_experimental,
            mode,
        }
    }

    type Change = fn(&mut AgentConfig, &mut AgentExecuteOptions);

    const PARTS: [(&str, Change); 9] = [
        ("streaming", |config, _| config.stream = true),
        ("signal", |_, options| options.signal = Some(AbortSignal::new())),
        ("messages", |_, options| options.messages = Some(Vec::new())),
        ("excludeTools", |_, options| {
            options.exclude_tools = vec!["wait".to_owned()];
        }),
        ("output", |_, options| options.output = Some(json!({}))),
        ("variables", |_, options| {
            options.variables.insert("a".to_owned(), "b".into());
        }),
        ("callbacks", |_, options| {
            options.callbacks = Some(AgentCallbacks::new(|_| ()));
        }),
        ("tools", |config, _| {
            let tool = FunctionTool::new("own", "", json!({}), |_| async { Ok("".into()) });
            config.tools = vec![Arc::new(tool)];
        }),
        ("integrations", |config, _| {
            config.integrations = vec!["https://tools.test/mcp".into()];
        }),
    ];

    #[test]
    fn experimental_parts_need_the_option_and_nothing_else_does() {
        for (name, change) in PARTS {
            let (mut config, mut options) = (AgentConfig::default(), AgentExecuteOptions::new("go"));
            change(&mut config, &mut options);
            let expected = (name != "variables").then_some(ErrorKind::ExperimentalNotConfigured);
            assert_eq!(
                kind(asked(AgentMode::Dom, false), &config, &options),
                expected,
                "{name}"
            );
            assert_eq!(
                kind(asked(AgentMode::Dom, true), &config, &options),
                None,
                "{name}"
            );
        }
        let streamed = Asked {
            is_streamed: true,
            ..asked(AgentMode::Dom, false)
        };
        let options = AgentExecuteOptions::new("go");
        assert_eq!(
            kind(streamed, &AgentConfig::default(), &options),
            Some(ErrorKind::ExperimentalNotConfigured)
        );
    }

    #[test]
    fn limits_and_confirm_are_no_experiment() {
        let options = AgentExecuteOptions {
            timeout: Some(std::time::Duration::from_secs(1)),
            max_tokens: Some(5),
            max_cost: Some(0.5),
            confirm: Some(crate::agent::AgentConfirm::new(|_| async { Ok(true) })),
            ..AgentExecuteOptions::new("go")
        };
        assert_eq!(
            kind(asked(AgentMode::Dom, false), &AgentConfig::default(), &options),
            None
        );
    }

    #[test]
    fn what_cua_does_not_have_is_refused_there() {
        for (name, change) in PARTS {
            let (mut config, mut options) = (AgentConfig::default(), AgentExecuteOptions::new("go"));
            change(&mut config, &mut options);
            let expected = !matches!(name, "callbacks" | "tools" | "integrations");
            let found = kind(asked(AgentMode::Cua, true), &config, &options);
            assert_eq!(found, expected.then_some(ErrorKind::InvalidArgument), "{name}");
        }
    }

    #[test]
    fn values_that_cannot_be_used_are_refused() {
        let changes: [fn(&mut AgentExecuteOptions); 5] = [
            |options| options.instruction = " ".to_owned(),
            |options| options.max_steps = Some(0),
            |options| options.max_tokens = Some(0),
            |options| options.max_cost = Some(f64::NAN),
            |options| options.use_search = Some(true),
        ];
        for change in changes {
            let mut options = AgentExecuteOptions::new("go");
            change(&mut options);
            assert_eq!(
                kind(asked(AgentMode::Dom, true), &AgentConfig::default(), &options),
                Some(ErrorKind::InvalidArgument)
            );
        }
    }
}
