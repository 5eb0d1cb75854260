//! What a run did, so that it can be done again without a model.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::run::Run;
use super::tools::{Direction, Keys, Planned, Toolbox};
use super::vouching::vouched_for;
use crate::cache::{Cache, KnownAction, Question, digits};
use crate::options::AgentMode;
use crate::replay::without_ids;

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
        /// What it gave then, as the result of the run told it.
        #[serde(default)]
        value: Value,
    },
}

impl PlanStep {
    /// Whether it leaves everything as it is, so that it can be done whatever the steps before have read.
    pub(super) fn only_reads(&self) -> bool {
        matches!(
            self,
            Self::Extract { .. } | Self::Scroll { .. } | Self::Wait { .. }
        )
    }
}

/// A step, and the page that it was decided on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptStep {
    #[serde(flatten)]
    pub(crate) step: PlanStep,
    /// What the page said before it, as a hash. None where nothing depends on it, and for all but the first of what one
    /// call has done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<String>,
}

/// What a run did and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub(crate) steps: Vec<KeptStep>,
    /// What the page said at the end, as a hash. None where nothing depends on it, or where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_page: Option<String>,
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<Value>,
}

impl Plan {
    /// Whether its output was read off the pages themselves, so that it holds only where they say the same.
    pub(super) fn rests_on_pages(&self) -> bool {
        let extracted = self.steps.iter().filter_map(|kept| match &kept.step {
            PlanStep::Extract { value, .. } => Some(value),
            _ => None,
        });
        self.output
            .as_ref()
            .is_some_and(|output| !vouched_for(output, extracted))
    }
}

/// The steps of a run so far; none when one of them cannot be told.
#[derive(Debug)]
pub(super) struct Recorder {
    steps: Option<Vec<KeptStep>>,
    knows_pages: bool,
}

impl Recorder {
    /// One that takes steps, or one that takes none.
    pub(super) fn new(records: bool) -> Self {
        Self {
            steps: records.then(Vec::new),
            knows_pages: true,
        }
    }

    pub(super) fn records(&self) -> bool {
        self.steps.is_some()
    }

    /// Adds what one call has done, on a page that said this.
    pub(super) fn add(&mut self, planned: Planned, page: Option<String>) {
        match (planned, &mut self.steps) {
            (Planned::Steps(more), Some(steps)) => {
                let pages = std::iter::once(page).chain(std::iter::repeat(None));
                steps.extend(
                    more.into_iter()
                        .zip(pages)
                        .map(|(step, page)| KeptStep { step, page }),
                );
            }
            (Planned::Unknown, steps) => *steps = None,
            _ => {}
        }
    }

    /// Of some steps it is not known what the pages said.
    pub(super) fn forget_pages(&mut self) {
        self.knows_pages = false;
    }

    /// The plan of a run that has ended with this. Of the pages only what the end rests on is kept, and what an
    /// extraction may need.
    pub(super) fn into_plan(self, message: String, output: Option<Value>, last_page: String) -> Option<Plan> {
        let mut plan = Plan {
            steps: self.steps?,
            last_page: Some(last_page).filter(|_| self.knows_pages),
            message,
            output,
        };
        if !plan.rests_on_pages() {
            plan.last_page = None;
            for kept in &mut plan.steps {
                kept.page = kept
                    .page
                    .take()
                    .filter(|_| matches!(kept.step, PlanStep::Extract { .. }));
            }
        }
        Some(plan)
    }
}

/// What a page says, as a hash: without ids, which change from one load to the next.
pub(super) fn hash_of(run: &Run<'_>, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(without_ids).collect();
    digits(&run.mask(&lines.join("\n")))
}

/// Where the plan of a run is kept: by its task, the page it begins on, and what else bears on what it does. The
/// model is not among it: a plan is for doing without one.
pub(super) fn question(run: &Run<'_>, toolbox: &Toolbox, url: &str) -> Question {
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
        "tools": toolbox.own_names(),
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

    fn plan_of(recorder: Recorder, output: Option<Value>) -> Option<Plan> {
        recorder.into_plan("done".to_owned(), output, "last".to_owned())
    }

    #[test]
    fn a_plan_is_complete_or_none() {
        let mut recorder = Recorder::new(true);
        recorder.add(goto("http://a.test/"), None);
        recorder.add(Planned::Nothing, None);
        recorder.add(goto("http://b.test/"), None);
        assert_eq!(plan_of(recorder, None).unwrap().steps.len(), 2);
        let mut recorder = Recorder::new(true);
        recorder.add(goto("http://a.test/"), None);
        recorder.add(Planned::Unknown, None);
        recorder.add(goto("http://b.test/"), None);
        assert_eq!(plan_of(recorder, None), None);
        let mut recorder = Recorder::new(false);
        recorder.add(goto("http://a.test/"), None);
        assert_eq!(plan_of(recorder, None), None);
    }

    #[test]
    fn pages_are_kept_where_the_output_was_read_off_them() {
        let recorded = || {
            let mut recorder = Recorder::new(true);
            recorder.add(goto("http://a.test/"), Some("first".to_owned()));
            let extract = PlanStep::Extract {
                instruction: "the price".to_owned(),
                schema: None,
                value: json!({ "price": 5 }),
            };
            recorder.add(
                Planned::Steps(vec![extract.clone(), extract]),
                Some("second".to_owned()),
            );
            recorder
        };
        let pages = |plan: &Plan| -> Vec<Option<String>> {
            let steps = plan.steps.iter().map(|kept| kept.page.clone());
            steps.chain([plan.last_page.clone()]).collect()
        };
        let told = |page: &str| Some(page.to_owned());
        let plan = plan_of(recorded(), Some(json!({ "stock": 5 }))).unwrap();
        assert!(plan.rests_on_pages());
        assert_eq!(pages(&plan), [told("first"), told("second"), None, told("last")]);
        for output in [None, Some(json!({ "price": 5 }))] {
            let plan = plan_of(recorded(), output).unwrap();
            assert!(!plan.rests_on_pages());
            assert_eq!(pages(&plan), [None, told("second"), None, None]);
        }
        let mut recorder = recorded();
        recorder.forget_pages();
        let plan = plan_of(recorder, Some(json!({ "stock": 5 }))).unwrap();
        assert_eq!(plan.last_page, None);
    }

    #[test]
    fn a_plan_is_written_as_it_is_read() {
        let steps = vec![
            PlanStep::Navback,
            PlanStep::Wait { time_ms: 5 },
            PlanStep::Scroll {
                direction: Direction::Down,
                percentage: 80.0,
            },
            PlanStep::Extract {
                instruction: "the price".to_owned(),
                schema: None,
                value: json!(5),
            },
        ];
        let plan = Plan {
            steps: steps
                .into_iter()
                .map(|step| KeptStep {
                    step,
                    page: Some("0a".to_owned()),
                })
                .collect(),
            last_page: None,
            message: "done".to_owned(),
            output: Some(json!({ "total": 42 })),
        };
        let written = serde_json::to_value(&plan).unwrap();
        assert_eq!(
            written["steps"][1],
            json!({ "type": "wait", "timeMs": 5, "page": "0a" })
        );
        assert_eq!(serde_json::from_value::<Plan>(written).unwrap(), plan);
    }
}
