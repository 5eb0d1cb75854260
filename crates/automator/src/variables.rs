//! Variables: values that the page gets and nobody else sees.
//!
//! Instructions and prompts hold `%name%`; the value takes its place at the moment of input. Everything that is
//! kept or told of a call (results, history, log, cache, errors) is [masked](crate::masking) first.

use std::collections::BTreeMap;

use automator_llm::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::masking::masked;
use crate::{Error, Result};

/// Values shorter than this are not looked for in texts: they stand in too many of them by chance.
pub(crate) const LEAST_MASKED: usize = 3;

/// A value for one `%name%`. Printing it shows `***`. One of fewer than 3 characters is not masked where pages show it.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(with = "Value")]
pub struct Variable {
    value: Secret,
    description: Option<String>,
}

impl Variable {
    /// A value that the model knows by its name alone.
    pub fn new(value: impl Into<String>) -> Self {
        Self {
            value: Secret::new(value),
            description: None,
        }
    }

    /// Tells the model what the value is for.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// What the model is told about it.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl<T: Into<String>> From<T> for Variable {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<'de> Deserialize<'de> for Variable {
    /// Takes a string, a number, a boolean, or `{ value, description }` with one of these.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let given = Value::deserialize(deserializer)?;
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        };
        let wrong = || {
            D::Error::custom(
                "a variable is a string, a number, a boolean, or { value, description } with one of these",
            )
        };
        let Value::Object(members) = &given else {
            return text(&given).map(Self::new).ok_or_else(wrong);
        };
        if let Some(name) = members
            .keys()
            .find(|name| !matches!(name.as_str(), "value" | "description"))
        {
            return Err(D::Error::custom(format!(
                "a variable has no member \"{name}\", only value and description"
            )));
        }
        let variable = members
            .get("value")
            .and_then(text)
            .map(Self::new)
            .ok_or_else(wrong)?;
        match members.get("description") {
            None | Some(Value::Null) => Ok(variable),
            Some(Value::String(description)) => Ok(variable.described(description)),
            Some(_) => Err(D::Error::custom("the description of a variable is a string")),
        }
    }
}

/// How a value of an earlier call is told.
pub(crate) enum NameOf {
    /// By the name that it had.
    Same,
    /// By the name that it has in this call.
    Own(String),
    /// By none: its name stands for another value.
    Another,
}

/// The variables of one call by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Variables(BTreeMap<String, Variable>);

impl Variables {
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a name that `%name%` cannot hold.
    pub(crate) fn new(variables: &BTreeMap<String, Variable>) -> Result<Self> {
        let wrong =
            |name: &&String| name.is_empty() || name.contains('%') || name.chars().any(char::is_whitespace);
        if let Some(name) = variables.keys().find(wrong) {
            return Err(Error::invalid_argument(format!(
                "\"{name}\" cannot be the name of a variable: it is written as %{name}% in instructions"
            ))
            .hint("use letters, digits and _"));
        }
        Ok(Self(variables.clone()))
    }

    /// The variables with their values, for the one who takes them to the page.
    pub(crate) fn revealed(&self) -> Value {
        let revealed = self.0.iter().map(|(name, variable)| {
            let mut object = serde_json::json!({ "value": variable.value.expose() });
            if let Some(description) = &variable.description {
                object["description"] = description.as_str().into();
            }
            (name.clone(), object)
        });
        Value::Object(revealed.collect())
    }

    /// The names of those whose values are too short to be masked.
    pub(crate) fn unmasked(&self) -> Vec<&str> {
        let short = self.0.iter().filter(|(_, variable)| {
            let length = variable.value.expose().chars().count();
            (1..LEAST_MASKED).contains(&length)
        });
        short.map(|(name, _)| name.as_str()).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Fails when an instruction names a variable that has no value, as one does that was to come from an environment
    /// variable which is not set. A sign of per cent may stand anywhere else.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
    pub(crate) fn check_named_in(&self, instruction: &str) -> Result<()> {
        let is_apart = |neighbour: Option<char>| neighbour.is_none_or(|c| !c.is_alphanumeric() && c != '%');
        for (start, _) in instruction.match_indices('%') {
            let Some((name, after)) = name_at(instruction.get(start..).unwrap_or_default()) else {
                continue;
            };
            let before = instruction
                .get(..start)
                .and_then(|before| before.chars().next_back());
            if is_apart(before) && is_apart(after) {
                self.check_named(name)?;
            }
        }
        Ok(())
    }

    /// As [`check_named_in`](Self::check_named_in), for an argument that is nothing but a name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
    pub(crate) fn check_argument(&self, argument: &str) -> Result<()> {
        match name_at(argument) {
            Some((name, None)) => self.check_named(name),
            _ => Ok(()),
        }
    }

    /// Whether a text is nothing but the name of a variable that has a value, and not an empty one.
    pub(crate) fn is_one(&self, text: &str) -> bool {
        let name = text.strip_prefix('%').and_then(|rest| rest.strip_suffix('%'));
        let variable = name.and_then(|name| self.0.get(name));
        variable.is_some_and(|variable| !variable.value.expose().trim().is_empty())
    }

    /// The values, for those who look whether they are files.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|variable| variable.value.expose())
    }

    fn check_named(&self, name: &str) -> Result<()> {
        if self.0.contains_key(name) {
            return Ok(());
        }
        let message = format!("the variable %{name}% has no value");
        Err(Error::invalid_argument(message).hint(
            "give it one in variables; what is to be typed with the signs of per cent is given as a value, too",
        ))
    }

    /// One line a variable, for the prompt: the name, and what it is for. Never a value.
    pub(crate) fn told(&self) -> String {
        let lines = self.0.iter().map(|(name, variable)| match &variable.description {
            Some(description) => format!("- %{name}%: {description}"),
            None => format!("- %{name}%"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The text with the values in the place of their names, in one pass: a value that looks like a name stays.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('%') {
            let (before, at) = rest.split_at(start);
            out.push_str(before);
            let inner = at.get(1..).unwrap_or_default();
            let found = inner
                .find('%')
                .and_then(|end| Some((self.0.get(inner.get(..end)?)?, inner.get(end + 1..)?)));
            if let Some((variable, after)) = found {
                out.push_str(variable.value.expose());
                rest = after;
            } else {
                out.push('%');
                rest = inner;
            }
        }
        out.push_str(rest);
        out
    }

    /// What is not to be told, and what is told instead. Of a value of several lines each may stand by itself.
    pub(crate) fn to_mask(&self) -> impl Iterator<Item = (&str, String)> {
        let pairs = self
            .0
            .iter()
            .map(|(name, variable)| (variable.value.expose(), format!("%{name}%")));
        let by_lines = pairs.flat_map(|(value, name)| {
            let lines = value.lines().filter(move |line| *line != value);
            std::iter::once(value)
                .chain(lines)
                .map(move |shown| (shown, name.clone()))
        });
        by_lines.filter(|(shown, _)| is_masked(shown))
    }

    /// A text with the names in the place of the values.
    pub(crate) fn mask(&self, text: &str) -> String {
        let pairs: Vec<(&str, String)> = self.to_mask().collect();
        let pairs: Vec<(&str, &str)> = pairs
            .iter()
            .map(|(value, name)| (*value, name.as_str()))
            .collect();
        masked(text, &pairs)
    }

    /// How a value is told that an earlier call has typed under a name.
    pub(crate) fn name_of(&self, value: &str, name: &str) -> NameOf {
        let own = self.shown_instead();
        if let Some((_, own)) = own.iter().find(|(shown, _)| shown == value) {
            return NameOf::Own(own.clone());
        }
        let bare = name.strip_prefix('%').and_then(|rest| rest.strip_suffix('%'));
        if bare.is_some_and(|bare| self.0.contains_key(bare)) {
            return NameOf::Another;
        }
        NameOf::Same
    }

    /// Pairs of what a field may show and what is told instead, for reading pages into which values were typed: each
    /// value, and since editors keep lines apart and hold spaces with other characters, each of its lines.
    pub(crate) fn shown_instead(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for (name, variable) in &self.0 {
            let value = variable.value.expose();
            for shown in std::iter::once(value).chain(value.lines()) {
                for shown in [shown.to_owned(), shown.replace(' ', "\u{a0}")] {
                    if is_masked(&shown) {
                        pairs.push((shown, format!("%{name}%")));
                    }
                }
            }
        }
        pairs
    }
}

/// Whether a value is looked for in texts. A truth value is no secret, and blanks are the page's own.
fn is_masked(value: &str) -> bool {
    let value = value.trim();
    let is_truth = ["true", "false"]
        .iter()
        .any(|truth| value.eq_ignore_ascii_case(truth));
    value.chars().count() >= LEAST_MASKED && !is_truth
}

/// The name between signs of per cent that a text begins with, and what comes after.
fn name_at(text: &str) -> Option<(&str, Option<char>)> {
    let (name, rest) = text.strip_prefix('%')?.split_once('%')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name, rest.chars().next()))
}

/// A value with others in the place of its texts; the names of members stay.
pub(crate) fn with_texts(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| with_texts(item, change)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, with_texts(value, change)))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Variable::new(*value)));
        Variables::new(&pairs.collect()).unwrap()
    }

    #[test]
    fn names_become_values_and_what_no_name_is_stays() {
        let filled = variables(&[("user", "ada"), ("code", "%user%")]).fill("%user% 100% %code% %other%%");
        assert_eq!(filled, "ada 100% %user% %other%%");
        assert_eq!(variables(&[]).fill("50%"), "50%");
        assert_eq!(variables(&[("a", "1")]).fill("é%a%é"), "é1é");
    }

    #[test]
    fn what_stands_in_texts_by_chance_is_not_masked() {
        let variables = variables(&[("a", "secret"), ("b", "xy"), ("c", "    "), ("d", "true")]);
        let masked: Vec<_> = variables.to_mask().collect();
        assert_eq!(masked, [("secret", "%a%".to_owned())]);
        let shown = variables.shown_instead();
        assert!(shown.iter().all(|(_, name)| name == "%a%"), "{shown:?}");
    }

    #[test]
    fn a_variable_is_read_in_every_form_and_never_printed() {
        let read = |value| serde_json::from_value::<Variable>(value);
        assert_eq!(read(json!("v")).unwrap(), Variable::new("v"));
        assert_eq!(read(json!(5)).unwrap(), Variable::new("5"));
        assert_eq!(read(json!(true)).unwrap(), Variable::new("true"));
        let described = read(json!({ "value": "v", "description": "the user" })).unwrap();
        assert_eq!(described.description(), Some("the user"));
        assert!(!format!("{described:?}").contains("\"v\""));
        for wrong in [
            json!(null),
            json!([]),
            json!({}),
            json!({ "value": {} }),
            json!({ "value": 1, "text": 2 }),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_that_cannot_be_written_is_refused() {
        for name in ["", "a b", "a%b"] {
            let pairs = [(name.to_owned(), Variable::new("v"))].into();
            assert!(Variables::new(&pairs).is_err(), "{name:?}");
        }
    }

    #[test]
    fn names_without_a_value_are_refused_and_other_signs_of_per_cent_are_not() {
        let variables = Variables::new(&BTreeMap::from([("city".to_owned(), "Paris".into())])).unwrap();
        for fine in [
            "fly to %city%",
            "take 50% off 20% more",
            "100%natural%",
            "%",
            "%%",
            "a %b c% d",
            "% x %",
        ] {
            assert!(variables.check_named_in(fine).is_ok(), "{fine}");
        }
        for wrong in ["%town%", "fly to \"%town%\"", "%city% or %town%, please"] {
            assert!(variables.check_named_in(wrong).is_err(), "{wrong}");
        }
        assert!(variables.check_argument("%town%").is_err());
        for fine in ["%city%", "in %town%", "%town%!", "50%"] {
            assert!(variables.check_argument(fine).is_ok(), "{fine}");
        }
    }
}
