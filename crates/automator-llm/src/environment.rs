//! Environment variables, handed in as a value.

/// Looks up environment variables.
///
/// This crate never reads the process environment: whoever builds a client passes one of these. Any
/// `Fn(&str) -> Option<String>` is one. A variable that is set but empty counts as not set.
///
/// ```
/// use automator_llm::Environment;
///
/// let environment = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-1".to_owned());
/// assert_eq!(environment.variable("OPENAI_API_KEY").as_deref(), Some("sk-1"));
/// ```
pub trait Environment {
    /// The value of a variable, `None` when it is not set.
    fn variable(&self, name: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Environment for F {
    fn variable(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// The first of the variables that is set to something, with its name.
pub(crate) fn first_set<'a>(
    environment: &dyn Environment,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<(String, String)> {
    names.into_iter().find_map(|name| {
        let value = environment.variable(name)?;
        let value = value.trim();
        (!value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_blank_variables_count_as_not_set() {
        let environment = |name: &str| match name {
            "A" => Some(String::new()),
            "B" => Some("  ".to_owned()),
            "C" => Some(" value\n".to_owned()),
            _ => None,
        };
        assert_eq!(
            first_set(&environment, ["A", "B", "C"]),
            Some(("C".to_owned(), "value".to_owned()))
        );
        assert_eq!(first_set(&environment, ["A", "B", "D"]), None);
    }
}
