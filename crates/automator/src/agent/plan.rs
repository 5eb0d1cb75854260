//! What a run did, so that it can be done again without a model.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::run::Run;
use super::tools::{Direction, Keys, Planned};
use crate::cache::{Cache, KnownAction, Question};
use crate::options::AgentMode;

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum PlanStep {
    /// Actions on elements, each with what its element was.
    Act {
        /// What was asked for, for a question about a page that is not as it was.
        instruction: String,
        actions: Vec<KnownAction>,
    },
    Goto {
        url: String,
    },
    Navback,
    Scroll {
        direction: Direction,
        percentage: f64,
    },
    Keys {
        keys: Keys,
    },
    Wait {
        time_ms: u64,
    },
    Extract {
        instruction: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
    },
}

/// What a run did and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlanStep>,
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<Value>,
}

/// The steps of a run so far; none when one of them cannot be told.
#[derive(Debug)]
pub(super) struct Recorder(Option<Vec<PlanStep>>);

impl Recorder {
    /// One that takes steps, or one that takes none.
    pub(super) fn new(records: bool) -> Self {
        Self(records.then(Vec::new))
    }

    pub(super) fn add(&mut self, planned: Planned) {
        match (planned, &mut self.0) {
            (Planned::Steps(more), Some(steps)) => steps.extend(more),
            (Planned::Unknown, steps) => *steps = None,
            _ => {}
        }
    }

    pub(super) fn into_steps(self) -> Option<Vec<PlanStep>> {
        self.0
    }
}

/// Where the plan of a run is kept: by its task, the page it begins on, and what else bears on what it does. The
/// model is not among it: a plan is for doing without one.
pub(super) fn question(run: &Run<'_>, url: &str) -> Question {
    let options = run.options;
    let session = &run.session.options;
    let signature = json!({
        "output": options.output,
        "maxSteps": options.max_steps,
        "mode": match run.mode {
            AgentMode::Dom => "dom",
            AgentMode::Hybrid => "hybrid",
            AgentMode::Cua => "cua",
        },
        "excludeTools": options.exclude_tools,
        "systemPrompts": [session.system_prompt, run.config.system_prompt],
    });
    Question::about_page(
        "agent",
        &run.mask(&options.instruction),
        &run.mask(url),
        run.variables.names(),
    )
    .answered_as(signature)
}

/// The plan of an earlier run.
pub(super) async fn known(run: &Run<'_>, question: &Question) -> Option<Plan> {
    if !run.remembers() {
        return None;
    }
    Cache::of(run.session)?
        .plan(question)
        .await
        .filter(|plan| !plan.steps.is_empty())
}

/// Keeps the plan of a run that was a success.
pub(super) async fn keep(run: &Run<'_>, question: &Question, plan: Plan) {
    if let Some(cache) = Cache::of(run.session)
        && !plan.steps.is_empty()
    {
        cache.keep_plan(question, plan).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goto(url: &str) -> Planned {
        Planned::Steps(vec![PlanStep::Goto { url: url.to_owned() }])
    }

    #[test]
    fn a_plan_is_complete_or_none() {
        let mut recorder = Recorder::new(true);
        recorder.add(goto("http://a.test/"));
        recorder.add(Planned::Nothing);
        recorder.add(goto("http://b.test/"));
        assert_eq!(recorder.into_steps().unwrap().len(), 2);
        let mut recorder = Recorder::new(true);
        recorder.add(goto("http://a.test/"));
        recorder.add(Planned::Unknown);
        recorder.add(goto("http://b.test/"));
        assert_eq!(recorder.into_steps(), None);
        let mut recorder = Recorder::new(false);
        recorder.add(goto("http://a.test/"));
        assert_eq!(recorder.into_steps(), None);
    }

    #[test]
    fn a_plan_is_written_as_it_is_read() {
        let plan = Plan {
            steps: vec![
                PlanStep::Navback,
                PlanStep::Wait { time_ms: 5 },
                PlanStep::Scroll {
                    direction: Direction::Down,
                    percentage: 80.0,
                },
                PlanStep::Extract {
                    instruction: "the price".to_owned(),
                    schema: None,
                },
            ],
            message: "done".to_owned(),
            output: Some(json!({ "total": 42 })),
        };
        let written = serde_json::to_value(&plan).unwrap();
        assert_eq!(written["steps"][1], json!({ "type": "wait", "timeMs": 5 }));
        assert_eq!(serde_json::from_value::<Plan>(written).unwrap(), plan);
    }
}
