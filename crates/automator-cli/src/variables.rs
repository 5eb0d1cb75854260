//! Values that only the page gets to see.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Read as _};

use automator::{Environment, EnvironmentSource, Variable};
use clap::Args;

use crate::exit::Failure;

/// What stands for a value that is read from standard input.
const STANDARD_INPUT: &str = "-";

#[derive(Debug, Args)]
#[command(next_help_heading = "Variables")]
pub(crate) struct VariableOptions {
    /// A value for %NAME% in the instruction and in arguments, which the model and all that is printed or remembered
    /// hold as %NAME%; can be given several times. NAME=- reads the value from standard input
    #[arg(long = "variable", value_name = "NAME=VALUE")]
    given: Vec<Assignment>,
    /// The same with the value of an environment variable, so that it does not stand in the list of processes
    #[arg(long = "variable-from-env", value_name = "NAME=ENV")]
    from_environment: Vec<Assignment>,
}

/// A name and a value as they were typed, taken apart only when they are used: what clap refuses it also prints.
#[derive(Clone)]
struct Assignment(String);

impl From<String> for Assignment {
    fn from(typed: String) -> Self {
        Self(typed)
    }
}

impl std::fmt::Debug for Assignment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Assignment")
    }
}

impl Assignment {
    fn parts(&self, option: &str, form: &str) -> Result<(&str, &str), Failure> {
        let (name, value) = self.0.split_once('=').ok_or_else(|| {
            Failure::usage(format!("{option} has no =")).hint(format!("write {option} {form}"))
        })?;
        let fits = !name.is_empty() && !name.contains('%') && !name.contains(char::is_whitespace);
        if fits {
            return Ok((name, value));
        }
        Err(Failure::usage(format!(
            "\"{name}\" cannot be the name of a variable: it is written as %{name}% in instructions"
        ))
        .hint("use letters, digits and _"))
    }
}

impl VariableOptions {
    /// The variables; reads the environment and, if it is asked for, standard input.
    pub(crate) fn read(&self) -> Result<BTreeMap<String, Variable>, Failure> {
        self.read_from(&EnvironmentSource::default(), read_standard_input)
    }

    fn read_from(
        &self,
        environment: &dyn Environment,
        standard_input: impl FnOnce(&str) -> Result<String, Failure>,
    ) -> Result<BTreeMap<String, Variable>, Failure> {
        let mut standard_input = Some(standard_input);
        let mut variables = BTreeMap::new();
        for assignment in &self.given {
            let (name, value) = assignment.parts("--variable", "NAME=VALUE")?;
            let value = if value == STANDARD_INPUT {
                let read = standard_input
                    .take()
                    .ok_or_else(|| Failure::usage("only one variable can be read from standard input"))?;
                read(name)?
            } else {
                value.to_owned()
            };
            add(&mut variables, name, value)?;
        }
        for assignment in &self.from_environment {
            let (name, variable) = assignment.parts("--variable-from-env", "NAME=ENV")?;
            let value = environment.variable(variable).ok_or_else(|| {
                Failure::usage(format!(
                    "the environment variable for %{name}% is not set, or empty"
                ))
                .hint("--variable-from-env NAME=ENV takes the name of an environment variable after the =")
            })?;
            add(&mut variables, name, value)?;
        }
        Ok(variables)
    }
}

fn add(variables: &mut BTreeMap<String, Variable>, name: &str, value: String) -> Result<(), Failure> {
    match variables.insert(name.to_owned(), Variable::new(value)) {
        None => Ok(()),
        Some(_) => Err(Failure::usage(format!("the variable {name} is given twice"))),
    }
}

/// All of standard input, without the line break at its end.
fn read_standard_input(name: &str) -> Result<String, Failure> {
    let mut input = io::stdin().lock();
    if input.is_terminal() {
        return Err(
            Failure::usage(format!("the value of {name} would be seen while it is typed"))
                .hint("pipe it into the command, or use --variable-from-env"),
        );
    }
    let mut text = String::new();
    input
        .read_to_string(&mut text)
        .map_err(|error| Failure::usage(format!("the value of {name} cannot be read: {error}")))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: &[&str], from_environment: &[&str]) -> Result<BTreeMap<String, Variable>, Failure> {
        let list = |texts: &[&str]| texts.iter().map(|text| Assignment((*text).to_owned())).collect();
        let options = VariableOptions {
            given: list(given),
            from_environment: list(from_environment),
        };
        let environment =
            EnvironmentSource::new(|name| (name == "SHOP_PASSWORD").then(|| "open sesame".to_owned()));
        options.read_from(&environment, |_| Ok("from input".to_owned()))
    }

    #[test]
    fn values_come_from_the_command_line_the_environment_and_standard_input() {
        let variables = read(&["user=ada=1", "empty=", "code=-"], &["password=SHOP_PASSWORD"]).unwrap();
        let expected = [
            ("user", "ada=1"),
            ("empty", ""),
            ("code", "from input"),
            ("password", "open sesame"),
        ];
        assert_eq!(
            variables,
            expected
                .map(|(name, value)| (name.to_owned(), Variable::new(value)))
                .into()
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused_without_its_value() {
        for (given, from_environment) in [
            (&["tell-no-one"][..], &[][..]),
            (&["=tell-no-one"], &[]),
            (&["a b=tell-no-one"], &[]),
            (&["a=tell-no-one", "a=tell-no-one"], &[]),
            (&["a=-", "b=-"], &[]),
            (&[], &["a=tell-no-one"]),
            (&[], &["tell-no-one"]),
        ] {
            let error = read(given, from_environment).unwrap_err().to_string();
            assert!(!error.contains("tell-no-one"), "{error}");
        }
        assert!(!format!("{:?}", Assignment("a=tell-no-one".to_owned())).contains("tell"));
    }
}
