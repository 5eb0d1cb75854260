//! What changes over a run.

use super::conversation::Conversation;
use super::plan::Recorder;
use super::repeats::Repeats;
use super::result::AgentAction;
use super::tabs::Tabs;
use super::view::View;

/// What has been done so far, and what is known by now.
pub(super) struct Progress {
    pub(super) conversation: Conversation,
    pub(super) view: View,
    pub(super) actions: Vec<AgentAction>,
    pub(super) repeats: Repeats,
    pub(super) recorder: Recorder,
    pub(super) tabs: Tabs,
    /// What the model said last.
    pub(super) last_words: String,
    /// How many characters of what tools have read the rest of this turn may hold.
    pub(super) data_room: usize,
    /// The call that is under way, as it is told when the run ends in the midst of it.
    pub(super) under_way: Option<AgentAction>,
}
