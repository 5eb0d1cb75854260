//! Notices when a run goes round in circles. Pure.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use serde_json::Value;

/// How often one thing may be done on one state of a page before the run is stopped; the model is told before that.
const PATIENCE: u32 = 2;

/// The same for tools that are there to be called again.
const PATIENCE_WITH_WAITING: u32 = 8;

/// What is to be done about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing.
    New,
    /// The model should hear that it has done this before, and that it came to the same.
    Repeated,
    /// The run is going in circles.
    Circles,
}

/// What was done so far, as hashes.
#[derive(Debug, Default)]
pub(super) struct Repeats(HashMap<u64, u32>);

impl Repeats {
    /// Notes a call that is over: what was called, what it said, and the state of the page after it.
    pub(super) fn note(&mut self, tool: &str, arguments: &Value, line: &str, state: &impl Hash) -> Verdict {
        let mut hasher = DefaultHasher::new();
        // Members of objects are sorted, so equal arguments are written alike.
        (tool, arguments.to_string(), line, state).hash(&mut hasher);
        let count = self.0.entry(hasher.finish()).or_default();
        *count += 1;
        let patience = match tool {
            "wait" => PATIENCE_WITH_WAITING,
            _ => PATIENCE,
        };
        match *count {
            1 => Verdict::New,
            // Waiting on and on is fine for a while.
            count if count < patience => Verdict::New,
            count if count == patience => Verdict::Repeated,
            _ => Verdict::Circles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_call_on_the_same_page_is_told_once_and_then_stopped() {
        let mut repeats = Repeats::default();
        let mut act = |state: u64| repeats.note("act", &json!({ "action": "press go" }), "done", &state);
        assert_eq!(act(1), Verdict::New);
        assert_eq!(act(2), Verdict::New, "the page has changed");
        assert_eq!(act(1), Verdict::Repeated, "as before, with something between");
        assert_eq!(act(1), Verdict::Circles);
        assert_eq!(act(3), Verdict::New);
    }

    #[test]
    fn another_outcome_is_another_thing() {
        let mut repeats = Repeats::default();
        let mut scroll = |line: &str| repeats.note("scroll", &json!({ "direction": "down" }), line, &1);
        assert_eq!(scroll("at 20 %"), Verdict::New);
        assert_eq!(scroll("at 40 %"), Verdict::New);
        assert_eq!(scroll("at 40 %"), Verdict::Repeated);
    }

    #[test]
    fn waiting_may_be_repeated() {
        let mut repeats = Repeats::default();
        let verdicts: Vec<Verdict> = (0..9)
            .map(|_| repeats.note("wait", &json!({ "timeMs": 500 }), "waited", &1))
            .collect();
        assert!(verdicts[..7].iter().all(|verdict| *verdict == Verdict::New));
        assert_eq!(verdicts[7..], [Verdict::Repeated, Verdict::Circles]);
    }
}
