//! The tools of an agent: which there are, and what a call of one comes to. One tool, one file.

mod act;
mod aria_tree;
mod click;
mod click_and_hold;
mod direct;
pub(super) mod drag_and_drop;
mod extract;
mod fill_form;
mod fill_form_vision;
mod goto;
pub(super) mod keys;
pub(super) mod navback;
pub(super) mod pointing;
pub(super) mod screenshot;
pub(super) mod scroll;
mod think;
mod type_text;
mod wait;

use std::sync::Arc;

use automator_llm::{Image, Tool};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::own_tool::{AgentTool, AgentToolOutput};
use super::plan::PlanStep;
use super::run::Run;
use super::view::{View, Want};
use crate::options::{AgentConfig, AgentMode, misfit, out_of_range};
use crate::page::Page;
use crate::{Error, Result};

pub(super) use extract::told as extracted;
pub(super) use goto::go;
pub(super) use keys::{Keys, press};
pub(super) use scroll::{Direction, scroll};

/// The name of the call that ends a run, which nothing else may have.
pub(super) const DONE: &str = "done";

/// Tools that other programs of this kind have and this one has not; leaving them out is fine.
const KNOWN_ELSEWHERE: [&str; 1] = ["search"];

/// Where a tool is called.
pub(super) struct Place<'p> {
    pub(super) run: &'p Run<'p>,
    pub(super) page: &'p Page,
    /// What the model has seen.
    pub(super) view: &'p View,
}

/// What came of a call.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) is_success: bool,
    /// What the model is told.
    pub(super) line: String,
    /// What the page said, for the model; marked as data.
    pub(super) data: Option<String>,
    /// Whether the page is looked at afterwards, and how much of it is told.
    pub(super) look: Option<Want>,
    pub(super) picture: Option<Image>,
    /// What is told of it in the result of the run.
    pub(super) details: Map<String, Value>,
    pub(super) planned: Planned,
    /// The tab that the run goes on in; none for the one that it is in.
    pub(super) turns_to: Option<Page>,
}

/// What a plan has to hold of a call.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) enum Planned {
    /// Nothing: it has only looked, or not worked.
    #[default]
    Nothing,
    /// These steps.
    Steps(Vec<PlanStep>),
    /// It cannot be told, so there can be no plan of the run.
    Unknown,
}

impl Outcome {
    /// It worked.
    pub(super) fn done(line: impl Into<String>) -> Self {
        Self {
            is_success: true,
            line: line.into(),
            ..Self::default()
        }
    }

    /// It did not, and the model is told why.
    pub(super) fn failed(why: impl Into<String>) -> Self {
        Self {
            line: format!("failed: {}", why.into()),
            ..Self::default()
        }
    }

    /// It did after all come to nothing.
    pub(super) fn fail(&mut self, why: &str) {
        self.is_success = false;
        self.line = format!("failed: {why}");
        self.details.remove("message");
    }

    pub(super) fn looking(mut self, want: Want) -> Self {
        self.look = Some(want);
        self
    }

    pub(super) fn planned(mut self, steps: Vec<PlanStep>) -> Self {
        self.planned = Planned::Steps(steps);
        self
    }

    pub(super) fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

/// A tool that is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltIn {
    Act,
    AriaTree,
    Click,
    ClickAndHold,
    DragAndDrop,
    Extract,
    FillForm,
    FillFormVision,
    Goto,
    Keys,
    Navback,
    Screenshot,
    Scroll,
    Think,
    Type,
    Wait,
}

const DOM: [BuiltIn; 11] = [
    BuiltIn::Act,
    BuiltIn::AriaTree,
    BuiltIn::Extract,
    BuiltIn::FillForm,
    BuiltIn::Goto,
    BuiltIn::Keys,
    BuiltIn::Navback,
    BuiltIn::Screenshot,
    BuiltIn::Scroll,
    BuiltIn::Think,
    BuiltIn::Wait,
];

const HYBRID: [BuiltIn; 15] = [
    BuiltIn::Act,
    BuiltIn::AriaTree,
    BuiltIn::Click,
    BuiltIn::ClickAndHold,
    BuiltIn::DragAndDrop,
    BuiltIn::Extract,
    BuiltIn::FillFormVision,
    BuiltIn::Goto,
    BuiltIn::Keys,
    BuiltIn::Navback,
    BuiltIn::Screenshot,
    BuiltIn::Scroll,
    BuiltIn::Think,
    BuiltIn::Type,
    BuiltIn::Wait,
];

/// What windows have beside the page, which pictures do not show.
const CUA: [BuiltIn; 2] = [BuiltIn::Goto, BuiltIn::Navback];

impl BuiltIn {
    fn spec(self) -> Tool {
        match self {
            Self::Act => act::spec(),
            Self::AriaTree => aria_tree::spec(),
            Self::Click => click::spec(),
            Self::ClickAndHold => click_and_hold::spec(),
            Self::DragAndDrop => drag_and_drop::spec(),
            Self::Extract => extract::spec(),
            Self::FillForm => fill_form::spec(),
            Self::FillFormVision => fill_form_vision::spec(),
            Self::Goto => goto::spec(),
            Self::Keys => keys::spec(),
            Self::Navback => navback::spec(),
            Self::Screenshot => screenshot::spec(),
            Self::Scroll => scroll::spec(),
            Self::Think => think::spec(),
            Self::Type => type_text::spec(),
            Self::Wait => wait::spec(),
        }
    }

    async fn call(self, place: &Place<'_>, arguments: &Value) -> Result<Outcome> {
        let schema = &self.spec().parameters;
        match self {
            Self::Act => Box::pin(act::run(place, input(arguments, schema)?)).await,
            Self::AriaTree => Ok(aria_tree::run()),
            Self::Click => Box::pin(click::run(place, input(arguments, schema)?)).await,
            Self::ClickAndHold => Box::pin(click_and_hold::run(place, input(arguments, schema)?)).await,
            Self::DragAndDrop => Box::pin(drag_and_drop::run(place, input(arguments, schema)?)).await,
            Self::Extract => Box::pin(extract::run(place, input(arguments, schema)?)).await,
            Self::FillForm => Box::pin(fill_form::run(place, input(arguments, schema)?)).await,
            Self::FillFormVision => Box::pin(fill_form_vision::run(place, input(arguments, schema)?)).await,
            Self::Goto => Box::pin(goto::run(place, input(arguments, schema)?)).await,
            Self::Keys => Box::pin(keys::run(place, input(arguments, schema)?)).await,
            Self::Navback => Box::pin(navback::run(place)).await,
            Self::Screenshot => Box::pin(screenshot::run(place)).await,
            Self::Scroll => Box::pin(scroll::run(place, input(arguments, schema)?)).await,
            Self::Think => Ok(think::run(&input(arguments, schema)?)),
            Self::Type => Box::pin(type_text::run(place, input(arguments, schema)?)).await,
            Self::Wait => Box::pin(wait::run(place, input(arguments, schema)?)).await,
        }
    }
}

/// A tool that is offered.
#[derive(Clone)]
enum Kind {
    BuiltIn(BuiltIn),
    Own(Arc<dyn AgentTool>),
}

/// The tools that a run offers.
pub(super) struct Toolbox {
    specs: Vec<Tool>,
    kinds: Vec<Kind>,
}

impl Toolbox {
    /// The tools of a mode, without those that are left out, and with those of the caller.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a name that is taken, that is none, or
    /// that is to be left out and nobody knows.
    pub(super) fn new(mode: AgentMode, config: &AgentConfig, excluded: &[String]) -> Result<Self> {
        let built_in: &[BuiltIn] = match mode {
            AgentMode::Dom => &DOM,
            AgentMode::Hybrid => &HYBRID,
            AgentMode::Cua => &CUA,
        };
        let mut all: Vec<(Tool, Kind)> = built_in
            .iter()
            .map(|tool| (tool.spec(), Kind::BuiltIn(*tool)))
            .collect();
        for own in &config.tools {
            let name = own.name();
            check_name(name)?;
            if name == DONE || all.iter().any(|(spec, _)| spec.name == name) {
                let message = format!("there is a tool \"{name}\" already");
                return Err(Error::invalid_argument(message).hint("give yours another name"));
            }
            all.push((spec_of(own.as_ref()), Kind::Own(Arc::clone(own))));
        }
        for name in excluded {
            let is_known = all.iter().any(|(spec, _)| spec.name == *name)
                || DOM.iter().chain(&HYBRID).any(|tool| tool.spec().name == *name)
                || KNOWN_ELSEWHERE.contains(&name.as_str())
                // Theirs are not known yet.
                || !config.integrations.is_empty();
            if !is_known {
                let names: Vec<&str> = all.iter().map(|(spec, _)| spec.name.as_str()).collect();
                return Err(Error::invalid_argument(format!(
                    "excludeTools names \"{name}\", and there is no such tool"
                ))
                .hint(format!("there are {}", names.join(", "))));
            }
        }
        all.retain(|(spec, _)| !excluded.contains(&spec.name));
        let (specs, kinds) = all.into_iter().unzip();
        Ok(Self { specs, kinds })
    }

    /// The names of all, and that of the last question.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.specs.iter().map(|spec| spec.name.clone());
        names.chain([DONE.to_owned()]).collect()
    }

    /// The names of those that are not built in, in order.
    pub(super) fn own_names(&self) -> Vec<&str> {
        let all = self.specs.iter().zip(&self.kinds);
        let own = all.filter(|(_, kind)| matches!(kind, Kind::Own(_)));
        let mut names: Vec<&str> = own.map(|(spec, _)| spec.name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// Adds tools whose names are free.
    pub(super) fn add(&mut self, tools: &[Arc<dyn AgentTool>], excluded: &[String]) {
        for tool in tools {
            let spec = spec_of(tool.as_ref());
            if !excluded.contains(&spec.name) {
                self.specs.push(spec);
                self.kinds.push(Kind::Own(Arc::clone(tool)));
            }
        }
    }

    /// What the model is offered.
    pub(super) fn specs(&self) -> &[Tool] {
        &self.specs
    }

    /// Whether a tool is there to be called again: it waits or looks, it is the user's own, whose effects are elsewhere,
    /// or it does what pages need not show, as keys may.
    pub(super) fn is_to_be_repeated(&self, name: &str) -> bool {
        self.only_looks(name) || matches!(name, "goto" | "keys" | "holdKey")
    }

    /// Whether a tool does nothing to the page as far as is known.
    pub(super) fn only_looks(&self, name: &str) -> bool {
        let position = self.specs.iter().position(|spec| spec.name == name);
        let kind = position.and_then(|position| self.kinds.get(position));
        matches!(kind, Some(Kind::Own(_)))
            || matches!(
                name,
                "ariaTree" | "cursorPosition" | "extract" | "screenshot" | "think" | "wait"
            )
    }

    /// Calls a tool. What goes wrong in it is for the model to read.
    ///
    /// # Errors
    /// Those of the tool; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for arguments that are
    /// none, and for a tool that is not offered.
    pub(super) async fn call(&self, place: &Place<'_>, name: &str, arguments: &Value) -> Result<Outcome> {
        let position = self.specs.iter().position(|spec| spec.name == name);
        match position.and_then(|position| self.kinds.get(position)) {
            Some(Kind::BuiltIn(tool)) => tool.call(place, arguments).await,
            Some(Kind::Own(tool)) => own(place, tool.as_ref(), arguments).await,
            None => {
                let names: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
                let message = format!("there is no tool \"{name}\", but {}", names.join(", "));
                Err(Error::invalid_argument(message))
            }
        }
    }
}

fn spec_of(tool: &dyn AgentTool) -> Tool {
    Tool {
        name: tool.name().to_owned(),
        description: tool.description().to_owned(),
        parameters: tool.parameters(),
    }
}

fn check_name(name: &str) -> Result<()> {
    let fits = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !name.is_empty() && name.len() <= 64 && name.chars().all(fits) {
        return Ok(());
    }
    Err(
        Error::invalid_argument(format!("\"{name}\" cannot be the name of a tool"))
            .hint("use letters, digits, _ and -, at most 64"),
    )
}

/// The arguments of a call; what the model has written may be anything. What does not fit is told as the tool's schema
/// has it.
///
/// # Errors
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
fn input<T: DeserializeOwned>(arguments: &Value, schema: &Value) -> Result<T> {
    if let Value::String(text) = arguments {
        let read: Value = serde_json::from_str(text)
            .map_err(|_| Error::invalid_argument("the arguments of the call are no JSON"))?;
        if read.is_object() {
            return input(&read, schema);
        }
    }
    let empty = json!({});
    let arguments = if arguments.is_null() { &empty } else { arguments };
    if !arguments.is_object() {
        return Err(Error::invalid_argument(
            "the arguments of the call must be an object",
        ));
    }
    if let Some(error) = out_of_range("", arguments, schema) {
        return Err(error);
    }
    serde_path_to_error::deserialize(arguments).map_err(|error| misfit("", arguments, schema, &error))
}

/// Calls a tool of the caller's. What it does to pages nobody knows.
async fn own(place: &Place<'_>, tool: &dyn AgentTool, arguments: &Value) -> Result<Outcome> {
    let arguments: Map<String, Value> = input(arguments, &json!({ "type": "object" }))?;
    let called = tool.call(Value::Object(arguments)).await;
    let mut outcome = match called {
        Ok(AgentToolOutput { value, png }) => {
            let value = place.run.mask_value(value);
            let text = match &value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let mut outcome = Outcome::done("done").detail("output", value);
            outcome.data = Some(text);
            outcome.picture = png.map(|png| Image {
                format: automator_llm::ImageFormat::Png,
                bytes: png.into(),
            });
            outcome
        }
        Err(error) => Outcome::failed(place.run.mask(&error.to_string())),
    }
    .looking(Want::Change);
    outcome.planned = Planned::Unknown;
    Ok(outcome)
}

/// A tool's description for the model.
fn spec(name: &str, description: &str, properties: Value, required: &[&str]) -> Tool {
    let mut parameters = json!({ "type": "object" });
    parameters["properties"] = properties;
    if !required.is_empty() {
        parameters["required"] = json!(required);
    }
    Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters,
    }
}

#[cfg(test)]
mod tests;
