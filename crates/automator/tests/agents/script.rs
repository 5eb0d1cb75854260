//! What a scripted model says to an agent: a list of steps, then words, then the judgement.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use automator::{AgentConfig, AgentConfirm, AgentConfirmRequest, AgentMode, AgentResult, Builder};
use automator_testing::{Answer, Kind, Request};
use serde_json::{Value, json};

use crate::rig::Rig;

/// What somebody was asked.
pub(crate) type Asked = Arc<Mutex<Vec<AgentConfirmRequest>>>;

pub(crate) type Step = Box<dyn Fn(&Request) -> Answer + Send + Sync>;

/// A call of a tool.
pub(crate) fn call(tool: &'static str, arguments: Value) -> Step {
    Box::new(move |_| Answer::tool(tool, arguments.clone()))
}

/// A call of `act` on the element that a line of the page tells of.
pub(crate) fn act_on(verb: &'static str, line: &'static str) -> Step {
    Box::new(move |request| {
        let action = verb.replace("{}", &format!("[{}]", request.id_of(line)));
        Answer::tool("act", json!({ "action": action }))
    })
}

pub(crate) fn is_closing(request: &Request) -> bool {
    request.tools.len() == 1 && request.tools[0].name == "done"
}

/// The judgement.
pub(crate) fn done(reasoning: &str) -> Answer {
    Answer::tool("done", json!({ "reasoning": reasoning, "taskComplete": true }))
}

/// Somebody who says always yes, or always no.
pub(crate) fn answering(answer: bool) -> (AgentConfirm, Asked) {
    let asked: Asked = Arc::default();
    (noting(&asked, move |_| answer), asked)
}

/// Somebody who says yes to some of what is asked, and notes all of it.
pub(crate) fn noting(
    asked: &Asked,
    says_yes: impl Fn(&AgentConfirmRequest) -> bool + Send + Sync + 'static,
) -> AgentConfirm {
    let asked = Arc::clone(asked);
    AgentConfirm::new(move |request| {
        let answer = says_yes(&request);
        asked.lock().unwrap().push(request);
        async move { Ok(answer) }
    })
}

/// Plays the steps to an agent, then ends the run; what operations inside ask goes to `inner`.
pub(crate) fn play(rig: &Rig, steps: Vec<Step>, inner: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
    let steps: Mutex<VecDeque<Step>> = Mutex::new(steps.into());
    rig.model.script(move |request| {
        if request.kind != Kind::Agent {
            return inner(request);
        }
        if is_closing(request) {
            return done("all finished");
        }
        let step = steps.lock().unwrap().pop_front();
        match step {
            Some(step) => step(request),
            None => Answer::text("all finished"),
        }
    });
}

/// As [`play`], for runs in which nothing else is asked.
pub(crate) fn play_alone(rig: &Rig, steps: Vec<Step>) {
    play(rig, steps, |request| {
        panic!("nobody expected this: {}", request.text)
    });
}

/// One action of `act()`, on the line that holds a text.
pub(crate) fn action(request: &Request, line: &str, method: &str, arguments: &[&str]) -> Answer {
    Answer::value(json!({
        "action": {
            "elementId": request.id_of(line), "description": format!("the {line}"), "method": method,
            "arguments": arguments,
        },
        "twoStep": false,
    }))
}

pub(crate) fn experimental(builder: Builder) -> Builder {
    builder.with(|options| options.experimental = true)
}

pub(crate) fn hybrid() -> AgentConfig {
    AgentConfig {
        mode: Some(AgentMode::Hybrid),
        ..AgentConfig::default()
    }
}

pub(crate) async fn run(rig: &Rig, instruction: &str) -> AgentResult {
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute(instruction).await.unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    result
}

/// What the model was told last by a tool.
pub(crate) fn last_result(request: &Request) -> String {
    request.tool_results.last().cloned().unwrap_or_default()
}

/// What the model was told by its tools at the end of the run.
pub(crate) fn results(rig: &Rig) -> Vec<String> {
    let requests = rig.model.requests_of(Kind::Agent);
    let last = requests.iter().rfind(|request| !is_closing(request));
    last.map(|request| request.tool_results.clone())
        .unwrap_or_default()
}
