//! `ariaTree`: the page once more, whole.

use automator_llm::Tool;
use serde_json::json;

use super::{Outcome, spec as tool};
use crate::agent::view::Want;

pub(super) fn spec() -> Tool {
    tool("ariaTree", "Shows the whole page anew.", json!({}), &[])
}

pub(super) fn run() -> Outcome {
    Outcome::done("done").looking(Want::Whole)
}
