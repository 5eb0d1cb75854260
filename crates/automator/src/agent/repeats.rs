//! Notices when a run goes round in circles. Pure.
//!
//! A call is the same as an earlier one when the tool, its arguments, what it said, and the state of the page after it
//! are. It counts as long as nothing new has happened in between: what was done on the way through pages that were not
//! seen before is no circle, however alike the calls are.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};

use serde_json::Value;

/// How often a call may be the same.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// From here on the model should know.
    told: u32,
    /// From here on the run is stopped, if the model was told in a step before.
    stopped: u32,
}

/// On a page that has been in one state all the time, and looks the same.
const STANDING_STILL: Patience = Patience { told: 2, stopped: 4 };

/// For tools that are there to be called again, and for going round among pages that were all seen before.
const GOING_ROUND: Patience = Patience { told: 6, stopped: 10 };

/// What is to be done about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// Nothing.
    New,
    /// The model should hear that it has done this before, and that it came to the same.
    Repeated,
    /// The run is going in circles.
    Circles,
}

/// A call that is over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Called<'c> {
    pub(super) step: u32,
    pub(super) tool: &'c str,
    pub(super) arguments: &'c Value,
    /// What it said.
    pub(super) line: &'c str,
    /// Whether it is there to be called again: it waits, looks, or does what pages need not show.
    pub(super) is_to_be_repeated: bool,
    /// The page after it: which one, and what the model knows of it.
    pub(super) state: u64,
    /// The picture that the model is shown.
    pub(super) picture: Option<u64>,
    /// How the page looks, where that was asked for: what the model is not told may have changed.
    pub(super) glimpse: Option<u64>,
}

/// What was done since something new has happened.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    state: Option<u64>,
    seen: HashSet<u64>,
    /// In the present state of the page.
    still: HashMap<u64, Count>,
    /// Since the last state that had not been seen before.
    round: HashMap<u64, Count>,
}

#[derive(Debug, Default)]
struct Count {
    times: u32,
    told_in: Option<u32>,
}

impl Repeats {
    /// Notes a call.
    pub(super) fn note(&mut self, called: Called<'_>) -> Verdict {
        if self.state != Some(called.state) {
            self.state = Some(called.state);
            self.still.clear();
        }
        let pictured = called.picture.map(|picture| hash_of(&(called.state, picture)));
        let is_new = self.seen.insert(called.state);
        // A picture that is known does not make another page of it.
        let looks_new = pictured.is_some_and(|pictured| self.seen.insert(pictured));
        if is_new || looks_new {
            self.still.clear();
            self.round.clear();
        }
        // Members of objects are sorted, so equal arguments are written alike.
        let call = hash_of(&(
            called.tool,
            called.arguments.to_string(),
            called.line,
            called.state,
            called.picture,
        ));
        let round = self.round.entry(call).or_default();
        let round = round.once_more(GOING_ROUND, called.step);
        if called.is_to_be_repeated {
            return round;
        }
        let still = self.still.entry(hash_of(&(call, called.glimpse))).or_default();
        still.once_more(STANDING_STILL, called.step).max(round)
    }
}

impl Count {
    fn once_more(&mut self, patience: Patience, step: u32) -> Verdict {
        self.times += 1;
        match self.told_in {
            None if self.times >= patience.told => {
                self.told_in = Some(step);
                Verdict::Repeated
            }
            // In the step in which it is told the model has not heard it yet.
            Some(told) if self.times >= patience.stopped && told < step => Verdict::Circles,
            _ => Verdict::New,
        }
    }
}

/// A value as a number that equal ones have, too.
pub(super) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Circles, New, Repeated};
    use serde_json::json;

    /// What is said of calls that differ in what the changes make of them, one a step.
    fn verdicts(
        tool: &str,
        calls: impl IntoIterator<Item = (&'static str, u64, Option<u64>)>,
    ) -> Vec<Verdict> {
        let mut repeats = Repeats::default();
        let calls = (1..).zip(calls);
        calls
            .map(|(step, (line, state, glimpse))| {
                repeats.note(Called {
                    step,
                    tool,
                    arguments: &json!({ "action": "press go" }),
                    line,
                    is_to_be_repeated: tool == "wait",
                    state,
                    picture: None,
                    glimpse,
                })
            })
            .collect()
    }

    #[test]
    fn the_same_call_on_the_same_page_is_told_and_later_stopped() {
        let calls = [("done", 1, None); 4];
        assert_eq!(verdicts("act", calls), [New, Repeated, New, Circles]);
        let other_answers = [("at 20 %", 1, None), ("at 40 %", 1, None), ("at 40 %", 1, None)];
        assert_eq!(verdicts("scroll", other_answers), [New, New, Repeated]);
    }

    #[test]
    fn nothing_is_a_circle_that_leads_to_something_new() {
        // The list, and an item of it, each time another one.
        let visits = (10..60).flat_map(|item| [("done", 1, None), ("done", item, None)]);
        assert!(verdicts("act", visits).iter().all(|verdict| *verdict == New));
        let counting = (1..50).map(|state| ("done", state, None));
        assert!(verdicts("act", counting).iter().all(|verdict| *verdict == New));
    }

    #[test]
    fn going_round_among_known_pages_is_told_and_later_stopped() {
        let round = std::iter::repeat_n([("done", 1, None), ("done", 2, None)], 12).flatten();
        let verdicts = verdicts("act", round);
        assert_eq!(verdicts.iter().position(|verdict| *verdict == Repeated), Some(11));
        assert_eq!(verdicts.iter().position(|verdict| *verdict == Circles), Some(19));
    }

    #[test]
    fn what_looks_otherwise_each_time_has_more_time() {
        let drawn = (1..12).map(|glimpse| ("done", 1, Some(glimpse)));
        let verdicts = verdicts("act", drawn);
        assert_eq!(verdicts.iter().position(|verdict| *verdict == Repeated), Some(5));
        assert_eq!(verdicts.iter().position(|verdict| *verdict == Circles), Some(9));
    }

    #[test]
    fn waiting_may_be_repeated() {
        let verdicts = verdicts("wait", [("waited", 1, None); 10]);
        assert!(verdicts[..5].iter().all(|verdict| *verdict == New));
        assert_eq!(verdicts[5..], [Repeated, New, New, New, Circles]);
    }

    #[test]
    fn a_picture_that_is_new_is_something_new_and_a_known_one_is_nothing() {
        let mut repeats = Repeats::default();
        let mut step = 0;
        let mut note = |tool, picture| {
            step += 1;
            repeats.note(Called {
                step,
                tool,
                arguments: &json!({}),
                line: "done",
                is_to_be_repeated: tool == "screenshot",
                state: 1,
                picture,
                glimpse: None,
            })
        };
        let drawn: Vec<Verdict> = (0..12).map(|picture| note("click", Some(picture))).collect();
        assert!(drawn.iter().all(|verdict| *verdict == New), "{drawn:?}");
        // Looking at a page that nothing is done to does not make it new.
        let acts: Vec<Verdict> = (0..5)
            .map(|_| {
                let verdict = note("act", None);
                note("screenshot", Some(100));
                verdict
            })
            .collect();
        assert_eq!(acts, [New, New, Repeated, New, Circles]);
    }

    #[test]
    fn many_calls_at_once_are_told_before_the_run_is_stopped() {
        let mut repeats = Repeats::default();
        let mut note = |step| {
            repeats.note(Called {
                step,
                tool: "act",
                arguments: &json!({}),
                line: "done",
                is_to_be_repeated: false,
                state: 1,
                picture: None,
                glimpse: None,
            })
        };
        let at_once: Vec<Verdict> = (0..9).map(|_| note(1)).collect();
        assert!(!at_once.contains(&Circles) && at_once.contains(&Repeated));
        assert_eq!(note(2), Circles);
    }
}
