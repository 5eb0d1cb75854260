//! Variables that look like settings and are none: a misspelt limit must not pass for one that holds.

use clap::{Args as _, Command};

use super::ServeArguments;
use super::settings::nearest;
use crate::exit::Failure;

/// What the variables of settings begin with.
const PREFIX: &str = "AUTOMATOR_SERVE_";

/// Refuses names that begin as those of settings do and belong to none.
pub(super) fn check(names: impl IntoIterator<Item = String>) -> Result<(), Failure> {
    let command = ServeArguments::augment_args(Command::new("serve"));
    let known: Vec<&str> = command
        .get_arguments()
        .filter_map(|argument| argument.get_env()?.to_str())
        .collect();
    let unknown = names
        .into_iter()
        .find(|name| name.starts_with(PREFIX) && !known.contains(&name.as_str()));
    match unknown {
        Some(name) => {
            // All of them begin alike.
            let end = name.strip_prefix(PREFIX).unwrap_or(&name);
            let ends = known.iter().filter_map(|name| name.strip_prefix(PREFIX));
            Err(match nearest(end, ends) {
                Some(nearest) => Failure::usage(format!(
                    "the variable {name} sets nothing; the nearest one that does is {PREFIX}{nearest}"
                )),
                None => Failure::usage(format!("the variable {name} sets nothing"))
                    .hint("`automator serve --help` lists those that do"),
            })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_settings_may_begin_like_them() {
        let check = |names: &[&str]| check(names.iter().map(ToString::to_string));
        let fine = [
            "PATH",
            "AUTOMATOR_SERVE_EGRESS",
            "AUTOMATOR_SERVE_CONFIG",
            "AUTOMATOR_SERVER",
        ];
        check(&fine).expect("they are known, or no settings");
        let problem = check(&["PATH", "AUTOMATOR_SERVE_EGRES"]).expect_err("misspelt");
        let words =
            "AUTOMATOR_SERVE_EGRES sets nothing; the nearest one that does is AUTOMATOR_SERVE_EGRESS\n";
        assert!(problem.to_string().ends_with(words), "{problem}");
        let problem = check(&["AUTOMATOR_SERVE_API_KEY"]).expect_err("nothing like it");
        let words =
            "AUTOMATOR_SERVE_API_KEY sets nothing\nhint: `automator serve --help` lists those that do\n";
        assert!(problem.to_string().ends_with(words), "{problem}");
    }
}
