//! Generates the DevTools protocol subset of `automator-cdp`.
//!
//! Inputs, both in `crates/automator-cdp/protocol/`: `wanted.txt`, the list of commands and events, and
//! `protocol.json`, the part of the public protocol description that they need. Output: one file per domain
//! in `crates/automator-cdp/src/generated/`. [`generate`] is offline; [`pin`] refreshes `protocol.json` from
//! an unpacked npm package `devtools-protocol`.
//!
//! The types are lenient on purpose, because a browser may be newer or older than the pinned description:
//! only ids are required, `null` reads as absent, enumerations stay strings, unknown members are ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

mod domain;

use domain::{DomainWriter, snake};

/// Writes the generated files, or with `check` fails when one of them differs from what would be written.
pub(crate) fn generate(root: &Path, check: bool) -> Result<()> {
    let folder = root.join("crates/automator-cdp");
    let wanted = Wanted::read(&folder.join("protocol/wanted.txt"))?;
    let protocol = Protocol::read(&[folder.join("protocol/protocol.json")])?;
    let files = render(&protocol, &wanted)?;
    let output = folder.join("src/generated");
    let mut stale = Vec::new();
    for (name, text) in &files {
        let path = output.join(name);
        if std::fs::read_to_string(&path).ok().as_deref() == Some(text) {
            continue;
        }
        if check {
            stale.push(path.display().to_string());
        } else {
            std::fs::create_dir_all(&output)?;
            std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    for path in leftovers(&output, &files)? {
        if check {
            stale.push(path.display().to_string());
        } else {
            std::fs::remove_file(&path)?;
        }
    }
    ensure!(
        stale.is_empty(),
        "not up to date, run `cargo xtask generate`: {}",
        stale.join(", ")
    );
    Ok(())
}

/// Rewrites `protocol.json` with the wanted part of the protocol description in `package`, the unpacked npm
/// package `devtools-protocol` (its `json/` folder holds the two full descriptions).
pub(crate) fn pin(root: &Path, package: &Path) -> Result<()> {
    let folder = root.join("crates/automator-cdp/protocol");
    let wanted = Wanted::read(&folder.join("wanted.txt"))?;
    let full = Protocol::read(&[
        package.join("json/browser_protocol.json"),
        package.join("json/js_protocol.json"),
    ])?;
    let manifest: Value = serde_json::from_str(&std::fs::read_to_string(package.join("package.json"))?)?;
    let trimmed = full.trim(&wanted, text(&manifest, "version"))?;
    let path = folder.join("protocol.json");
    std::fs::write(&path, serde_json::to_string_pretty(&trimmed)? + "\n")
        .with_context(|| format!("writing {}", path.display()))
}

fn leftovers(output: &Path, files: &BTreeMap<String, String>) -> Result<Vec<PathBuf>> {
    if !output.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(output)? {
        let entry = entry?;
        if !files.contains_key(entry.file_name().to_string_lossy().as_ref()) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// The lines of `wanted.txt`.
struct Wanted {
    names: Vec<String>,
    omitted: BTreeSet<String>,
}

impl Wanted {
    fn read(path: &Path) -> Result<Self> {
        let source = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let mut wanted = Self {
            names: Vec::new(),
            omitted: BTreeSet::new(),
        };
        for line in source
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim())
        {
            match line.split_once(' ') {
                None if line.is_empty() => {}
                None => wanted.names.push(line.to_owned()),
                Some(("omit", member)) => {
                    wanted.omitted.insert(member.trim().to_owned());
                }
                Some(_) => bail!("{}: cannot read the line `{line}`", path.display()),
            }
        }
        Ok(wanted)
    }
}

/// A protocol description, its items found by their full name (`Page.navigate`, `Page.Frame`).
struct Protocol {
    domains: Vec<Value>,
}

impl Protocol {
    fn read(paths: &[PathBuf]) -> Result<Self> {
        let mut domains = Vec::new();
        for path in paths {
            let source =
                std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
            let description: Value = serde_json::from_str(&source)?;
            domains.extend(items(&description, "domains").cloned());
        }
        Ok(Self { domains })
    }

    fn find(&self, section: &str, name: &str) -> Option<&Value> {
        let (domain, item) = name.split_once('.')?;
        let key = if section == "types" { "id" } else { "name" };
        self.domains
            .iter()
            .filter(|candidate| text(candidate, "domain") == domain)
            .flat_map(|candidate| items(candidate, section))
            .find(|candidate| text(candidate, key) == item)
    }

    /// The part that the wanted commands and events need, in the order of the description.
    fn trim(&self, wanted: &Wanted, version: &str) -> Result<Value> {
        let uses = Uses::new(self, wanted)?;
        let mut domains = Vec::new();
        for domain in &self.domains {
            let name = text(domain, "domain");
            let keep = |section: &str, key: &str, kept: &dyn Fn(&str) -> bool| -> Vec<Value> {
                items(domain, section)
                    .filter(|item| kept(&format!("{name}.{}", text(item, key))))
                    .map(|item| without_omitted(item, &format!("{name}.{}", text(item, key)), wanted))
                    .collect()
            };
            let types = keep("types", "id", &|full| uses.types.contains_key(full));
            let commands = keep("commands", "name", &|full| {
                wanted.names.iter().any(|line| line == full)
            });
            let events = keep("events", "name", &|full| {
                wanted.names.iter().any(|line| line == full)
            });
            if types.is_empty() && commands.is_empty() && events.is_empty() {
                continue;
            }
            domains.push(json!({
                "domain": name,
                "description": text(domain, "description"),
                "types": types,
                "commands": commands,
                "events": events,
            }));
        }
        Ok(json!({
            "source": format!("npm devtools-protocol {version}"),
            "domains": domains,
        }))
    }
}

fn without_omitted(item: &Value, full_name: &str, wanted: &Wanted) -> Value {
    let mut item = item.clone();
    for section in ["properties", "parameters", "returns"] {
        if let Some(members) = item.get_mut(section).and_then(Value::as_array_mut) {
            members.retain(|member| {
                !wanted
                    .omitted
                    .contains(&format!("{full_name}.{}", text(member, "name")))
            });
        }
    }
    item
}

/// Where a type is used: what it must be able to do follows from this.
#[derive(Clone, Copy, Default)]
struct Use {
    sent: bool,
    received: bool,
}

/// Every type reachable from the wanted commands and events.
struct Uses {
    types: BTreeMap<String, Use>,
}

impl Uses {
    fn new(protocol: &Protocol, wanted: &Wanted) -> Result<Self> {
        let mut uses = Self {
            types: BTreeMap::new(),
        };
        for name in &wanted.names {
            let domain = name.split('.').next().unwrap_or_default();
            match (protocol.find("commands", name), protocol.find("events", name)) {
                (Some(command), None) => {
                    let command = without_omitted(command, name, wanted);
                    uses.visit_members(protocol, wanted, domain, &command, "parameters", true)?;
                    uses.visit_members(protocol, wanted, domain, &command, "returns", false)?;
                }
                (None, Some(event)) => {
                    let event = without_omitted(event, name, wanted);
                    uses.visit_members(protocol, wanted, domain, &event, "parameters", false)?;
                }
                (None, None) => bail!("the protocol description has no `{name}`"),
                (Some(_), Some(_)) => bail!("`{name}` is both a command and an event"),
            }
        }
        Ok(uses)
    }

    fn visit_members(
        &mut self,
        protocol: &Protocol,
        wanted: &Wanted,
        domain: &str,
        item: &Value,
        section: &str,
        sent: bool,
    ) -> Result<()> {
        for member in items(item, section) {
            let Some(reference) = reference(member) else {
                continue;
            };
            let full_name = qualified(domain, reference);
            let entry = self.types.entry(full_name.clone()).or_default();
            let seen = if sent {
                &mut entry.sent
            } else {
                &mut entry.received
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            let definition = protocol
                .find("types", &full_name)
                .ok_or_else(|| anyhow!("the protocol description has no type `{full_name}`"))?;
            let definition = without_omitted(definition, &full_name, wanted);
            let home = full_name.split('.').next().unwrap_or_default().to_owned();
            self.visit_members(protocol, wanted, &home, &definition, "properties", sent)?;
            let alias = json!({ "target": [definition] });
            self.visit_members(protocol, wanted, &home, &alias, "target", sent)?;
        }
        Ok(())
    }
}

fn render(protocol: &Protocol, wanted: &Wanted) -> Result<BTreeMap<String, String>> {
    let uses = Uses::new(protocol, wanted)?;
    let mut files = BTreeMap::new();
    let mut index =
        format!("{HEADER}//! The generated part of the DevTools protocol, one module per domain.\n\n");
    for domain in &protocol.domains {
        let name = text(domain, "domain");
        let body = DomainWriter::new(protocol, wanted, &uses, name).write(domain)?;
        let module = snake(name);
        writeln!(index, "pub mod {module};")?;
        files.insert(format!("{module}.rs"), rustfmt(&body)?);
    }
    files.insert("mod.rs".to_owned(), rustfmt(&index)?);
    Ok(files)
}

pub(crate) const HEADER: &str =
    "// Generated by `cargo xtask generate` from protocol/; change the generator, not this file.\n\n";

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn reference(member: &Value) -> Option<&str> {
    let direct = member.get("$ref").and_then(Value::as_str);
    direct.or_else(|| member.get("items").and_then(reference))
}

fn qualified(domain: &str, reference: &str) -> String {
    if reference.contains('.') {
        reference.to_owned()
    } else {
        format!("{domain}.{reference}")
    }
}

fn rustfmt(source: &str) -> Result<String> {
    let mut child = Command::new("rustfmt")
        .args([
            "--edition",
            "2024",
            "--config",
            "max_width=110,use_field_init_shorthand=true",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("starting rustfmt")?;
    let mut stdin = child.stdin.take().context("rustfmt has no input")?;
    let source = source.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let output = child.wait_with_output()?;
    writer
        .join()
        .map_err(|_| anyhow!("writing to rustfmt panicked"))??;
    ensure!(output.status.success(), "rustfmt refused the generated code");
    Ok(String::from_utf8(output.stdout)?)
}
