//! Writes the Rust module of one protocol domain.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use super::{HEADER, Protocol, Use, Uses, Wanted, flag, items, qualified, text, without_omitted};

/// Writes the module of one domain.
pub(super) struct DomainWriter<'a> {
    protocol: &'a Protocol,
    wanted: &'a Wanted,
    uses: &'a Uses,
    domain: &'a str,
    out: String,
    names: BTreeSet<String>,
}

/// What a struct is for; decides its derives and how its optional members look.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    sent: bool,
    received: bool,
}

impl<'a> DomainWriter<'a> {
    pub(super) fn new(protocol: &'a Protocol, wanted: &'a Wanted, uses: &'a Uses, domain: &'a str) -> Self {
        Self {
            protocol,
            wanted,
            uses,
            domain,
            out: String::new(),
            names: BTreeSet::new(),
        }
    }

    pub(super) fn write(mut self, domain: &Value) -> Result<String> {
        let description = text(domain, "description");
        self.out.push_str(HEADER);
        let summary = if description.is_empty() {
            "What the browser offers under this name."
        } else {
            description
        };
        for line in format!("The `{}` domain.\n\n{summary}", self.domain).lines() {
            writeln!(self.out, "//! {}", prose(line))?;
        }
        self.out.push_str("\nIMPORTS");
        for definition in items(domain, "types") {
            let full_name = format!("{}.{}", self.domain, text(definition, "id"));
            if let Some(usage) = self.uses.types.get(&full_name).copied() {
                self.write_type(&without_omitted(definition, &full_name, self.wanted), usage)?;
            }
        }
        for command in items(domain, "commands") {
            if let Some(command) = self.wanted(command) {
                self.write_command(&command)?;
            }
        }
        for event in items(domain, "events") {
            if let Some(event) = self.wanted(event) {
                self.write_event(&event)?;
            }
        }
        let used = |names: &[&'static str], marker: &str| -> Vec<&'static str> {
            names
                .iter()
                .copied()
                .filter(|name| self.out.contains(&marker.replace('_', name)))
                .collect()
        };
        let serde = used(&["Deserialize", "Serialize"], ", _)]").into_iter();
        let serde = serde
            .chain(used(&["Serialize"], ", _, Deserialize)]"))
            .collect::<BTreeSet<_>>();
        let serde = serde.into_iter().collect::<Vec<_>>().join(", ");
        let traits = used(&["Command", "EventType"], "impl _ for ").join(", ");
        let imports = format!("use serde::{{{serde}}};\n\nuse crate::{{{traits}}};\n\n");
        Ok(self.out.replacen("IMPORTS", &imports, 1))
    }

    fn wanted(&self, item: &Value) -> Option<Value> {
        let full_name = format!("{}.{}", self.domain, text(item, "name"));
        self.wanted
            .names
            .contains(&full_name)
            .then(|| without_omitted(item, &full_name, self.wanted))
    }

    fn write_type(&mut self, definition: &Value, usage: Use) -> Result<()> {
        let name = camel(text(definition, "id"));
        if definition.get("enum").is_some() {
            return self.write_constants(
                &name,
                definition,
                &format!("Values of `{}`.", text(definition, "id")),
            );
        }
        if text(definition, "type") == "object" && definition.get("properties").is_some() {
            let shape = Shape {
                sent: usage.sent,
                received: usage.received,
            };
            return self.write_struct(&name, definition, "properties", shape);
        }
        self.claim(&name)?;
        self.write_docs(definition, text(definition, "id"))?;
        let target = self.rust_type(definition, &name)?;
        writeln!(self.out, "pub type {name} = {target};\n")?;
        Ok(())
    }

    fn write_command(&mut self, command: &Value) -> Result<()> {
        let name = camel(text(command, "name"));
        let full_name = format!("{}.{}", self.domain, text(command, "name"));
        self.write_struct(
            &name,
            command,
            "parameters",
            Shape {
                sent: true,
                received: false,
            },
        )?;
        let reply = format!("{name}Reply");
        let answer = json!({
            "description": format!("The reply to [`{name}`]."),
            "returns": command.get("returns").cloned().unwrap_or(json!([])),
        });
        self.write_struct(
            &reply,
            &answer,
            "returns",
            Shape {
                sent: false,
                received: true,
            },
        )?;
        writeln!(
            self.out,
            "impl Command for {name} {{\n    const METHOD: &'static str = \"{full_name}\";\n    type Reply = {reply};\n}}\n"
        )?;
        Ok(())
    }

    fn write_event(&mut self, event: &Value) -> Result<()> {
        let name = format!("{}Event", camel(text(event, "name")));
        let full_name = format!("{}.{}", self.domain, text(event, "name"));
        self.write_struct(
            &name,
            event,
            "parameters",
            Shape {
                sent: false,
                received: true,
            },
        )?;
        writeln!(
            self.out,
            "impl EventType for {name} {{\n    const METHOD: &'static str = \"{full_name}\";\n}}\n"
        )?;
        Ok(())
    }

    fn write_struct(&mut self, name: &str, item: &Value, section: &str, shape: Shape) -> Result<()> {
        self.claim(name)?;
        self.write_docs(item, name)?;
        let mut derives = vec!["Debug", "Clone", "Default", "PartialEq"];
        if shape.sent {
            derives.push("Serialize");
        }
        if shape.received {
            derives.push("Deserialize");
        }
        writeln!(
            self.out,
            "#[derive({})]\n#[serde(rename_all = \"camelCase\")]",
            derives.join(", ")
        )?;
        writeln!(self.out, "pub struct {name} {{")?;
        let mut constants = Vec::new();
        for member in items(item, section) {
            self.write_member(name, member, shape)?;
            if member.get("enum").is_some() {
                constants.push(member.clone());
            }
        }
        writeln!(self.out, "}}\n")?;
        for member in constants {
            let module = format!("{name}{}", camel(text(&member, "name")));
            // rustdoc names a field without the mark of a raw identifier.
            let field = field(text(&member, "name"));
            let summary = format!("Values of [`{name}::{}`].", field.trim_start_matches("r#"));
            self.write_constants(&module, &json!({ "enum": member["enum"] }), &summary)?;
        }
        Ok(())
    }

    fn write_member(&mut self, owner: &str, member: &Value, shape: Shape) -> Result<()> {
        let name = text(member, "name");
        let optional = flag(member, "optional");
        self.write_docs(member, name)?;
        let mut attributes = Vec::new();
        let mut rust_type = self.rust_type(member, owner)?;
        let is_list = rust_type.starts_with("Vec<");
        let as_option = optional && (shape.sent || !is_list);
        if as_option {
            rust_type = format!("Option<{rust_type}>");
        }
        if to_camel_case(&field(name)) != name {
            attributes.push(format!("rename = \"{name}\""));
        }
        if shape.received {
            if as_option {
                attributes.push("default".to_owned());
            } else if optional || !is_id(member) {
                attributes.push("default, deserialize_with = \"crate::lenient::null_as_default\"".to_owned());
            }
        }
        if shape.sent && as_option {
            attributes.push("skip_serializing_if = \"Option::is_none\"".to_owned());
        }
        if !attributes.is_empty() {
            writeln!(self.out, "#[serde({})]", attributes.join(", "))?;
        }
        writeln!(self.out, "pub {}: {rust_type},", field(name))?;
        Ok(())
    }

    fn write_constants(&mut self, name: &str, definition: &Value, summary: &str) -> Result<()> {
        let module = snake(name);
        self.claim(&module)?;
        let description = text(definition, "description");
        let docs = if description.is_empty() {
            summary.to_owned()
        } else {
            format!("{summary}\n\n{description}")
        };
        self.write_prose(&docs)?;
        writeln!(self.out, "pub mod {module} {{")?;
        for value in items(definition, "enum").filter_map(Value::as_str) {
            let name = value
                .strip_prefix('-')
                .map_or_else(|| value.to_owned(), |rest| format!("minus_{rest}"));
            let constant = snake(&name).to_uppercase();
            writeln!(
                self.out,
                "/// `{value}`\npub const {constant}: &str = \"{value}\";"
            )?;
        }
        writeln!(self.out, "}}\n")?;
        Ok(())
    }

    fn rust_type(&self, item: &Value, owner: &str) -> Result<String> {
        if let Some(reference) = item.get("$ref").and_then(Value::as_str) {
            return self.referenced(reference, owner);
        }
        Ok(match text(item, "type") {
            "string" | "binary" => "String".to_owned(),
            "integer" => "i64".to_owned(),
            "number" => "f64".to_owned(),
            "boolean" => "bool".to_owned(),
            "any" | "object" => "serde_json::Value".to_owned(),
            "array" => {
                let element = item
                    .get("items")
                    .ok_or_else(|| anyhow!("an array without items in {owner}"))?;
                format!("Vec<{}>", self.rust_type(element, "")?)
            }
            other => bail!("unknown protocol type `{other}` in {owner}"),
        })
    }

    fn referenced(&self, reference: &str, owner: &str) -> Result<String> {
        let full_name = qualified(self.domain, reference);
        let definition = self
            .protocol
            .find("types", &full_name)
            .ok_or_else(|| anyhow!("the protocol description has no type `{full_name}`"))?;
        if definition.get("enum").is_some() {
            return Ok("String".to_owned());
        }
        let (home, id) = full_name.split_once('.').unwrap_or_default();
        let name = camel(id);
        let is_recursive = self.reaches(&full_name, &format!("{}.{owner}", self.domain));
        let path = if home == self.domain {
            name
        } else {
            format!("super::{}::{name}", snake(home))
        };
        let is_struct = definition.get("properties").is_some();
        Ok(if is_recursive && is_struct && !owner.is_empty() {
            format!("Box<{path}>")
        } else {
            path
        })
    }

    /// Whether a struct holds another one in place, directly or through others: then one of them needs a box.
    fn reaches(&self, from: &str, to: &str) -> bool {
        let mut open = vec![from.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(name) = open.pop() {
            if name == to {
                return true;
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            let domain = name.split('.').next().unwrap_or_default().to_owned();
            let definition = self.protocol.find("types", &name);
            let definition = definition.map(|found| without_omitted(found, &name, self.wanted));
            for property in definition
                .iter()
                .flat_map(|definition| items(definition, "properties"))
            {
                if let Some(next) = property.get("$ref").and_then(Value::as_str) {
                    open.push(qualified(&domain, next));
                }
            }
        }
        false
    }

    fn claim(&mut self, name: &str) -> Result<()> {
        ensure!(
            self.names.insert(name.to_owned()),
            "two items named `{name}` in domain {}",
            self.domain
        );
        Ok(())
    }

    fn write_docs(&mut self, item: &Value, name: &str) -> Result<()> {
        let mut docs = text(item, "description").to_owned();
        if docs.is_empty() {
            docs = format!("`{name}`.");
        }
        if text(item, "type") == "binary" {
            docs.push_str("\n\nBase64.");
        }
        for (key, note) in [("experimental", "Experimental."), ("deprecated", "Deprecated.")] {
            if flag(item, key) {
                write!(docs, "\n\n{note}")?;
            }
        }
        self.write_prose(&docs)
    }

    fn write_prose(&mut self, docs: &str) -> Result<()> {
        for line in docs.lines() {
            writeln!(self.out, "/// {}", prose(line))?;
        }
        Ok(())
    }
}

/// Text of the protocol description as rustdoc: angle brackets and square brackets would be markup.
fn prose(line: &str) -> String {
    let line = line.trim().replace('<', "\\<").replace('>', "\\>");
    let line = line.replace('[', "\\[").replace(']', "\\]");
    let line = line.replace("\\[`", "[`").replace("`\\]", "`]");
    let mut escaped = String::new();
    for (index, word) in line.split(' ').enumerate() {
        if index > 0 {
            escaped.push(' ');
        }
        let word = word.strip_prefix('(').map_or(word, |word| {
            escaped.push('(');
            word
        });
        if word.starts_with("http://") || word.starts_with("https://") {
            let end = word.trim_end_matches(['.', ',', ')']).len();
            let _ = write!(escaped, "<{}>{}", &word[..end], &word[end..]);
        } else {
            escaped.push_str(word);
        }
    }
    escaped
}

/// An id that a message is worthless without.
fn is_id(member: &Value) -> bool {
    const IDS: [&str; 9] = [
        "BackendNodeId",
        "BrowserContextID",
        "ExecutionContextId",
        "FrameId",
        "NodeId",
        "RemoteObjectId",
        "RequestId",
        "SessionID",
        "TargetID",
    ];
    let reference = member.get("$ref").and_then(Value::as_str).unwrap_or_default();
    IDS.contains(&reference.rsplit('.').next().unwrap_or_default())
}

fn field(name: &str) -> String {
    let snake = snake(name);
    if ["type", "override", "final", "match", "ref", "box", "gen"].contains(&snake.as_str()) {
        format!("r#{snake}")
    } else {
        snake
    }
}

/// What serde's `camelCase` makes of a field name.
fn to_camel_case(field: &str) -> String {
    let pascal = camel(field.trim_start_matches("r#"));
    let mut letters = pascal.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_ascii_lowercase().to_string() + letters.as_str()
    })
}

/// A name as Rust writes types: `printToPDF` is `PrintToPdf`.
fn camel(name: &str) -> String {
    let mut result = String::new();
    for word in snake(name).split('_') {
        let mut letters = word.chars();
        result.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        result.push_str(letters.as_str());
    }
    result
}

pub(super) fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut result = String::new();
    for (index, &letter) in letters.iter().enumerate() {
        let previous = index
            .checked_sub(1)
            .and_then(|index| letters.get(index))
            .copied()
            .unwrap_or('_');
        let next_is_lower = letters.get(index + 1).is_some_and(char::is_ascii_lowercase);
        let begins_word = letter.is_ascii_uppercase()
            && (previous.is_ascii_lowercase()
                || previous.is_ascii_digit()
                || (previous.is_ascii_uppercase() && next_is_lower));
        if begins_word {
            result.push('_');
        }
        result.push(if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '_'
        });
    }
    result
}
