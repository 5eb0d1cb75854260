//! What a run did, so that it can be done again without a model.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::run::Run;
use super::tools::{Direction, Keys, Planned, Toolbox};
use super::vouching::vouched_for;
use crate::cache::{Cache, KnownAction, Question, digits};
use crate::options::AgentMode;
use crate::replay::without_ids;

/// Most lines that a plan keeps of what has come to the last page; of a longer page all has to be as it was.
const MOST_LINES: usize = 300;

/// Digits of the hash of a line.
const LINE_DIGITS: usize = 12;

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
    /// Whether it is more than a name: a file may have been changed by hand.
    fn does_something(&self) -> bool {
        !matches!(self, Self::Act { actions, .. } if actions.is_empty())
    }

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
    /// What had come to the page by the end that it did not say before the last deed, as hashes of its lines in words.
    /// None where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) came: Option<Vec<String>>,
    /// What the page said at the end, as a hash. None where it is not known.
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

    /// Whether what came of the last deed was read off the page afterwards, so that this says whether it came again.
    pub(super) fn reads_what_came(&self) -> bool {
        let after = self.steps.iter().rev().take_while(|kept| kept.step.only_reads());
        let mut after = after.map(|kept| &kept.step);
        after.any(|step| matches!(step, PlanStep::Extract { .. }))
    }

    /// Whether a page says what it said at the end, as far as the last deed had brought that about.
    pub(super) fn ends_on(&self, run: &Run<'_>, text: &str) -> bool {
        match &self.came {
            Some(came) => {
                let lines = lines_of(run, text);
                came.iter().all(|line| lines.contains(line))
            }
            None => self.last_page.as_deref() == Some(hash_of(run, text).as_str()),
        }
    }

    /// Whether it says what its pages said: the first step has a page then.
    pub(super) fn knows_pages(&self) -> bool {
        self.steps.first().is_some_and(|kept| kept.page.is_some())
    }
}

/// The steps of a run so far; none when one of them cannot be told.
#[derive(Debug)]
pub(super) struct Recorder {
    steps: Option<Vec<KeptStep>>,
    /// The lines of the page before the last deed, as hashes.
    before: Option<HashSet<String>>,
}

/// How a run has ended.
pub(super) struct End {
    pub(super) message: String,
    pub(super) output: Option<Value>,
    /// The lines of the last page, as hashes.
    pub(super) lines: HashSet<String>,
    /// What it says, as a hash.
    pub(super) last_page: String,
}

/// The page that something was done on.
#[derive(Default)]
pub(super) struct Before {
    /// What it said, as a hash; none where that is not known.
    pub(super) hash: Option<String>,
    /// Its lines, as hashes; none where they are not known.
    pub(super) lines: Option<HashSet<String>>,
}

impl Recorder {
    /// One that takes steps, or one that takes none.
    pub(super) fn new(records: bool) -> Self {
        Self {
            steps: records.then(Vec::new),
            before: None,
        }
    }

    pub(super) fn records(&self) -> bool {
        self.steps.is_some()
    }

    /// Adds what one call has done.
    pub(super) fn add(&mut self, planned: Planned, page: Before) {
        match (planned, &mut self.steps) {
            (Planned::Steps(more), Some(steps)) => {
                if more.iter().any(|step| !step.only_reads()) {
                    self.before = page.lines;
                }
                let pages = std::iter::once(page.hash).chain(std::iter::repeat(None));
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

    /// The plan of a run that has ended with this. Of the pages only what the end rests on is kept, and what an
    /// extraction may need.
    pub(super) fn into_plan(self, end: End) -> Option<Plan> {
        let came = self.before.map(|before| {
            let mut came: Vec<String> = end.lines.difference(&before).cloned().collect();
            came.sort_unstable();
            came
        });
        let mut plan = Plan {
            steps: self.steps?,
            came: came.filter(|came| came.len() <= MOST_LINES),
            last_page: Some(end.last_page),
            message: end.message,
            output: end.output,
        };
        if !plan.rests_on_pages() {
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

/// The lines of a page, as short hashes of what they say.
pub(super) fn lines_of(run: &Run<'_>, text: &str) -> HashSet<String> {
    let text = run.mask(text);
    let lines = text.lines().map(|line| digits(&in_words(line)));
    let shortened = lines.map(|digits| digits.chars().take(LINE_DIGITS).collect());
    shortened.collect()
}

/// What a line says in words: where the focus is, and which number an order has, says nothing of whether it was placed.
fn in_words(line: &str) -> String {
    let line = without_ids(line).replace("[focused]", "");
    let has_digit = |word: &str| word.contains(|sign: char| sign.is_ascii_digit());
    let words = line
        .split_whitespace()
        .map(|word| if has_digit(word) { "0" } else { word });
    words.collect::<Vec<_>>().join(" ")
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
    let system_prompts = [&session.system_prompt, &run.config.system_prompt]
        .map(|prompt| prompt.as_deref().map(|prompt| run.mask(prompt)));
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
        "systemPrompts": system_prompts,
    });
    Question::about_page(
        "agent",
        &run.mask(&options.instruction),
        // What earlier runs have typed is no part of it: two pages must not become one by it.
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
        .filter(|plan| !plan.steps.is_empty() && plan.steps.iter().all(|kept| kept.step.does_something()))
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
        recorder.into_plan(End {
            message: "done".to_owned(),
            output,
            lines: ["new", "old"].map(str::to_owned).into(),
            last_page: "last".to_owned(),
        })
    }

    fn on(page: &str) -> Before {
        Before {
            hash: Some(page.to_owned()),
            lines: Some(HashSet::from(["old".to_owned()])),
        }
    }

    #[test]
    fn a_plan_is_complete_or_none() {
        let mut recorder = Recorder::new(true);
        recorder.add(goto("http://a.test/"), Before::default());
        recorder.add(Planned::Nothing, Before::default());
        recorder.add(goto("http://b.test/"), Before::default());
        assert_eq!(plan_of(recorder, None).unwrap().steps.len(), 2);
        let mut recorder = Recorder::new(true);
        recorder.add(goto("http://a.test/"), Before::default());
        recorder.add(Planned::Unknown, Before::default());
        recorder.add(goto("http://b.test/"), Before::default());
        assert_eq!(plan_of(recorder, None), None);
        let mut recorder = Recorder::new(false);
        recorder.add(goto("http://a.test/"), Before::default());
        assert_eq!(plan_of(recorder, None), None);
    }

    #[test]
    fn pages_are_kept_where_the_output_was_read_off_them() {
        let recorded = || {
            let mut recorder = Recorder::new(true);
            recorder.add(goto("http://a.test/"), on("first"));
            let extract = PlanStep::Extract {
                instruction: "the price".to_owned(),
                schema: None,
                value: json!({ "price": 5 }),
            };
            recorder.add(Planned::Steps(vec![extract.clone(), extract]), on("second"));
            recorder
        };
        let pages = |plan: &Plan| -> Vec<Option<String>> {
            let steps = plan.steps.iter().map(|kept| kept.page.clone());
            steps.chain([plan.last_page.clone()]).collect()
        };
        let told = |page: &str| Some(page.to_owned());
        let plan = plan_of(recorded(), Some(json!({ "stock": 5 }))).unwrap();
        assert!(plan.rests_on_pages() && plan.knows_pages());
        assert_eq!(pages(&plan), [told("first"), told("second"), None, told("last")]);
        for output in [None, Some(json!({ "price": 5 }))] {
            let plan = plan_of(recorded(), output).unwrap();
            assert!(!plan.rests_on_pages());
            assert_eq!(pages(&plan), [None, told("second"), None, told("last")]);
            assert!(!plan.knows_pages());
            assert_eq!(
                plan.came,
                Some(vec!["new".to_owned()]),
                "what was there before the goto has not come"
            );
        }
    }

    #[test]
    fn what_came_is_read_when_an_extraction_follows_the_last_deed() {
        let extract = || PlanStep::Extract {
            instruction: "the price".to_owned(),
            schema: None,
            value: json!(5),
        };
        let wait = || PlanStep::Wait { time_ms: 5 };
        for (steps, expected) in [
            (vec![extract()], true),
            (vec![PlanStep::Navback, extract(), wait()], true),
            (vec![extract(), PlanStep::Navback], false),
            (vec![PlanStep::Navback, wait()], false),
        ] {
            let mut recorder = Recorder::new(true);
            recorder.add(Planned::Steps(steps), Before::default());
            assert_eq!(plan_of(recorder, None).unwrap().reads_what_came(), expected);
        }
    }

    #[test]
    fn lines_say_the_same_with_other_numbers_and_another_focus() {
        let said = in_words("  [0-5] heading: Order 1001 (€49.00) is placed [focused]");
        assert_eq!(said, in_words("[0-9] heading: Order 1002 (€51.00) is placed"));
        assert_ne!(said, in_words("[0-5] heading: Order 1001 (€49.00) is declined"));
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
            came: Some(vec!["0b".to_owned()]),
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
