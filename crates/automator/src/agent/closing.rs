//! The last question: what came of the task.

use automator_llm::{
    GenerateRequest, Image, Message, Part, ResponseSchema, RetryPolicy, Tool, ToolCall, ToolChoice,
    ToolResult, Urls, repair, take_turn,
};
use automator_snapshot::ElementId;
use serde_json::{Map, Value, json};

use super::conversation::Pages;
use super::progress::Progress;
use super::run::Run;
use super::tools::DONE;
use crate::Result;
use crate::prompts::agent as prompts;

/// How often it is asked.
const TRIES: usize = 2;

/// Members that hold the definitions of a schema, at its root.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// What the model judges.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Closing {
    pub(super) reasoning: String,
    pub(super) is_complete: bool,
    pub(super) output: Option<Value>,
}

/// The data that is asked for at the end.
pub(super) struct Output {
    given: Value,
    schema: ResponseSchema,
}

impl Output {
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a schema that cannot be used.
    pub(super) fn new(given: &Value) -> Result<Self> {
        Ok(Self {
            given: given.clone(),
            schema: ResponseSchema::new(given)?,
        })
    }

    /// The value as the schema has it; else what is wrong with it.
    fn read(&self, value: Value, address: &(dyn Fn(&str) -> Option<String> + Sync)) -> Result<Value, String> {
        let answer = repair(&value.to_string(), &self.schema).unwrap_or_else(|| self.schema.as_answer(value));
        let urls = Urls {
            by_id: &|id| address(id),
            // The model has addresses from what tools have returned.
            is_known: &|_| true,
        };
        self.schema.restore(answer, &urls).map_err(|violations| {
            let lines: Vec<String> = violations
                .iter()
                .map(|violation| format!("- output{}: {}", violation.pointer, violation.message))
                .collect();
            lines.join("\n")
        })
    }
}

/// Asks what came of the task, with a picture of how it has ended, if any; else says why there is no answer.
pub(super) async fn close(
    run: &Run<'_>,
    progress: &Progress,
    output: Option<&Output>,
    picture: Option<Image>,
) -> Result<Closing, String> {
    // The facts of an answer may stand on the page; a judgement needs what was done.
    let pages = if output.is_some() {
        Pages::Current
    } else {
        Pages::None
    };
    let mut messages = progress.conversation.messages(pages, progress.view.epoch());
    let asked = [Part::text(prompts::closing())].into_iter();
    messages.push(Message::user(asked.chain(picture.map(Part::Image)).collect()));
    let address = |id: &str| {
        let id: ElementId = id.parse().ok()?;
        progress.view.last()?.urls().get(&id).cloned()
    };
    let mut problems = String::new();
    for _ in 0..TRIES {
        let request = GenerateRequest {
            tools: vec![spec(output)],
            tool_choice: ToolChoice::Tool(DONE.to_owned()),
            ..GenerateRequest::new(messages.clone())
        };
        let reply = take_turn(run.client.as_ref(), &request, RetryPolicy::default(), &run.meter)
            .await
            .map_err(|error| error.to_string())?;
        let call = reply.tool_calls.iter().find(|call| call.name == DONE);
        match read(call, output, &address) {
            Ok(closing) => return Ok(closing),
            Err(why) => problems = why,
        }
        let again = prompts::closing_again(&problems);
        let mut said = reply.to_message();
        // Only its own call can be answered.
        said.parts
            .retain(|part| !matches!(part, Part::ToolCall(call) if call.name != DONE));
        if !said.parts.is_empty() {
            messages.push(said);
        }
        match call {
            Some(call) => messages.push(Message::tool(vec![ToolResult {
                call_id: call.id.clone(),
                name: call.name.clone(),
                content: again,
            }])),
            None => messages.push(Message::user(vec![Part::text(again)])),
        }
    }
    Err(problems.replace('\n', "; "))
}

fn read(
    call: Option<&ToolCall>,
    output: Option<&Output>,
    address: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Result<Closing, String> {
    let call = call.ok_or("- `done` was not called")?;
    let mut members = match &call.arguments {
        Value::Object(members) => members.clone(),
        Value::String(text) => {
            serde_json::from_str(text).map_err(|_| "- the arguments are no JSON".to_owned())?
        }
        _ => return Err("- the arguments are no object".to_owned()),
    };
    let is_complete = match members.get("taskComplete") {
        Some(Value::Bool(is_complete)) => *is_complete,
        Some(Value::String(text)) if text == "true" || text == "false" => text == "true",
        _ => return Err("- taskComplete: it must be true or false".to_owned()),
    };
    let reasoning = members
        .get("reasoning")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let output = match (output, members.remove("output")) {
        (None, _) => None,
        (Some(output), Some(value)) if !value.is_null() => Some(output.read(value, address)?),
        // What could not be done has nothing to show.
        (Some(_), _) if !is_complete => None,
        (Some(output), value) => Some(
            output
                .read(value.unwrap_or_default(), address)
                .map_err(|_| "- output: it is missing".to_owned())?,
        ),
    };
    Ok(Closing {
        reasoning,
        is_complete,
        output,
    })
}

/// The only tool of the last question.
fn spec(output: Option<&Output>) -> Tool {
    let mut properties = Map::from_iter([
        ("reasoning".to_owned(), json!({ "type": "string" })),
        ("taskComplete".to_owned(), json!({ "type": "boolean" })),
    ]);
    let mut required = vec!["reasoning", "taskComplete"];
    let mut parameters = json!({ "type": "object" });
    if let Some(output) = output {
        let mut schema = output.given.clone();
        // References lead to the root, which is another one here.
        if let (Value::Object(members), Value::Object(root)) = (&mut schema, &mut parameters) {
            for name in DEFINITIONS {
                if let Some(definitions) = members.remove(name) {
                    root.insert(name.to_owned(), definitions);
                }
            }
            members.remove("$schema");
        }
        properties.insert("output".to_owned(), schema);
        required.push("output");
    }
    parameters["properties"] = properties.into();
    parameters["required"] = json!(required);
    Tool {
        name: DONE.to_owned(),
        description: "Ends the run.".to_owned(),
        parameters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: Value) -> ToolCall {
        ToolCall {
            id: "c".to_owned(),
            name: DONE.to_owned(),
            arguments,
            signatures: Vec::new(),
        }
    }

    fn closed(arguments: Value, schema: Option<Value>) -> Result<Closing, String> {
        let output = schema.map(|schema| Output::new(&schema).unwrap());
        let address = |id: &str| (id == "0-3").then(|| "http://a.test/3".to_owned());
        read(Some(&call(arguments)), output.as_ref(), &address)
    }

    #[test]
    fn the_judgement_is_read() {
        let closing = closed(json!({ "reasoning": "all finished", "taskComplete": true }), None).unwrap();
        assert!(closing.is_complete && closing.reasoning == "all finished" && closing.output.is_none());
        assert!(
            !closed(json!({ "taskComplete": "false" }), None)
                .unwrap()
                .is_complete
        );
        for odd in [json!({}), json!({ "taskComplete": 1 }), json!("{"), json!([])] {
            assert!(closed(odd.clone(), None).is_err(), "{odd}");
        }
        assert!(read(None, None, &|_| None).is_err());
    }

    #[test]
    fn data_is_held_against_its_schema_and_repaired_where_it_is_plain() {
        let total = json!({ "type": "object", "properties": { "total": { "type": "number" } }, "required": ["total"] });
        let done = |output: Value| json!({ "reasoning": "", "taskComplete": true, "output": output });
        let read = |output: Value| closed(done(output), Some(total.clone())).map(|closing| closing.output);
        assert_eq!(
            read(json!({ "total": 42 })).unwrap(),
            Some(json!({ "total": 42 }))
        );
        assert_eq!(
            read(json!("{\"total\": 42}")).unwrap(),
            Some(json!({ "total": 42 }))
        );
        assert!(read(json!({ "sum": "none" })).unwrap_err().contains("output"));
        let missing = closed(json!({ "taskComplete": true }), Some(total.clone()));
        assert_eq!(missing.unwrap_err(), "- output: it is missing");
        let given_up = closed(json!({ "taskComplete": false }), Some(total.clone())).unwrap();
        assert_eq!(given_up.output, None);
        let list = closed(
            done(json!([1, 2])),
            Some(json!({ "type": "array", "items": { "type": "number" } })),
        );
        assert_eq!(list.unwrap().output, Some(json!([1, 2])));
    }

    #[test]
    fn addresses_may_be_given_as_they_are_or_by_an_id_of_the_page() {
        let link =
            json!({ "type": "object", "properties": { "link": { "type": "string", "format": "uri" } } });
        for (given, expected) in [("http://b.test/", "http://b.test/"), ("0-3", "http://a.test/3")] {
            let done = json!({ "taskComplete": true, "output": { "link": given } });
            let closing = closed(done, Some(link.clone())).unwrap();
            assert_eq!(closing.output.unwrap()["link"], expected);
        }
    }

    #[test]
    fn references_of_a_schema_lead_to_where_it_is_sent() {
        let schema = json!({
            "$schema": "x", "$defs": { "Row": { "type": "string" } }, "type": "array", "items": { "$ref": "#/$defs/Row" }
        });
        let output = Output::new(&json!({
            "$defs": { "Row": { "type": "string" } }, "type": "array", "items": { "$ref": "#/$defs/Row" }
        }));
        let output = Output {
            given: schema,
            ..output.unwrap()
        };
        let sent = spec(Some(&output)).parameters;
        assert_eq!(sent["$defs"]["Row"]["type"], "string");
        assert!(sent["properties"]["output"].get("$defs").is_none());
        assert_eq!(sent["required"], json!(["reasoning", "taskComplete", "output"]));
    }
}
