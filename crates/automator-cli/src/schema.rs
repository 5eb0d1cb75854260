//! JSON Schemas as they are given on the command line.

use std::io::ErrorKind;
use std::path::Path;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::exit::Failure;

/// The schema that an option gives: JSON when it begins with `{`, the path of a file otherwise.
pub(crate) fn read_schema(option: &str, given: &str) -> Result<Value, Failure> {
    if given.trim_start().starts_with('{') {
        return parse_schema("the schema", given);
    }
    match std::fs::read_to_string(Path::new(given)) {
        Ok(text) => parse_schema(&format!("the schema {given}"), &text),
        // What is JSON was not meant as the name of a file that does not exist.
        Err(error) if error.kind() == ErrorKind::NotFound && is_json(given) => {
            Err(no_object(&format!("{option} {given}")))
        }
        Err(error) => Err(
            Failure::usage(format!("the schema {given} cannot be read: {error}")).hint(format!(
                "{option} takes the path of a JSON file, or a JSON Schema that begins with {{"
            )),
        ),
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn parse_schema(what: &str, text: &str) -> Result<Value, Failure> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let schema: Value = serde_json::from_str(text)
        .map_err(|error| Failure::usage(format!("{what} is no valid JSON: {error}")))?;
    if schema.is_object() {
        Ok(schema)
    } else {
        Err(no_object(what))
    }
}

fn no_object(what: &str) -> Failure {
    Failure::usage(format!(
        "{what} is no JSON Schema: it must be an object, or a file that holds one"
    ))
    .hint(r#"for example {"type": "array", "items": {"type": "string"}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn a_schema_that_is_no_json_is_refused_with_its_line_and_column() {
        let error = read_schema("--schema", "{\n  \"type\": object }").unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        assert!(error.to_string().contains("at line 2 column 11"), "{error}");
    }

    #[test]
    fn a_schema_is_an_object_and_may_begin_with_a_byte_order_mark() {
        assert!(parse_schema("it", "\u{feff}{}").is_ok());
        for text in ["[]", "3", "\"string\"", "null", ""] {
            assert_eq!(
                parse_schema("it", text).unwrap_err().exit(),
                Exit::Usage,
                "{text}"
            );
        }
    }

    #[test]
    fn json_that_is_no_object_is_not_taken_for_the_name_of_a_file() {
        for text in ["true", "false", "[]", " [1]", "null", "5", "\"string\""] {
            let error = read_schema("--schema", text).unwrap_err();
            assert_eq!(error.exit(), Exit::Usage);
            assert!(
                error.to_string().contains("it must be an object, or a file"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_schema_file_that_is_missing_is_named() {
        let error = read_schema("--schema", "no/such/schema.json")
            .unwrap_err()
            .to_string();
        assert!(error.contains("no/such/schema.json"), "{error}");
    }
}
