//! What the model is sent: the task, what was said and done since, and of the page only what still holds. Pure.
//!
//! System text, tools and task come first and never change. Page texts that a later one has taken the place of are
//! left out, so are all pictures but the last. Of a page that has been told in full for a few steps the elements and
//! short texts are left. Steps long ago are told in a line each, in blocks, so that what comes
//! before the newest ones stays the same from one request to the next.

use automator_llm::{Image, Message, Part, Role, ToolResult, estimate_tokens};

use super::view::{Shown, short};
use crate::prompts::agent as prompts;

/// Most steps that are told in full.
const MOST_IN_FULL: usize = 24;

/// Steps that stay in full when the others are told in short.
const LEFT_IN_FULL: usize = 10;

/// Most tokens of steps that are told in full, page texts not counted, with [`LEFT_IN_FULL`] of them or fewer.
const MOST_TOKENS: usize = 12_000;

/// Requests in which a page is told in full.
const FULL_FOR: usize = 2;

/// Most steps that are told in short; of those before only the number.
const MOST_IN_SHORT: usize = 60;

/// Most characters of a step in short.
const LONGEST_IN_SHORT: usize = 400;

/// Most characters of a step that was done again from memory: nothing else tells what it has read.
const LONGEST_AGAIN: usize = 8_000;

/// What came of one call.
#[derive(Debug, Clone)]
pub(super) struct Told {
    pub(super) call_id: String,
    pub(super) tool: String,
    /// What is told for as long as the step is told in full.
    pub(super) line: String,
    /// What is told for as long as it holds.
    pub(super) shown: Option<Shown>,
    pub(super) picture: Option<Image>,
    /// The step in short.
    pub(super) digest: String,
}

/// What the model said, and what came of it.
#[derive(Debug, Clone)]
struct Turn {
    reply: Message,
    told: Vec<Told>,
    /// Said to the model after it.
    note: Option<String>,
}

/// Which page texts are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pages {
    /// Those that still hold, and the last picture.
    Current,
    /// None, and no picture.
    None,
}

/// A conversation.
#[derive(Debug)]
pub(super) struct Conversation {
    system: String,
    earlier: Vec<Message>,
    task: String,
    start: Option<Shown>,
    in_short: Vec<String>,
    omitted: usize,
    turns: Vec<Turn>,
}

impl Conversation {
    pub(super) fn new(system: String, earlier: Vec<Message>, task: String) -> Self {
        Self {
            system,
            earlier,
            task,
            start: None,
            in_short: Vec::new(),
            omitted: 0,
            turns: Vec::new(),
        }
    }

    /// The system text and the task.
    pub(super) fn beginning(&self) -> (&str, &str) {
        (&self.system, &self.task)
    }

    /// The page that the task begins on.
    pub(super) fn begin_on(&mut self, shown: Option<Shown>) {
        self.start = shown;
    }

    /// Something that was done without the model, told in short.
    pub(super) fn add_done(&mut self, digest: &str) {
        self.shorten(digest, LONGEST_IN_SHORT);
    }

    /// Something that was done again from memory, with what it has read.
    pub(super) fn add_done_again(&mut self, digest: &str) {
        self.shorten(digest, LONGEST_AGAIN);
    }

    /// What the model said last and what came of its calls.
    pub(super) fn add_turn(&mut self, reply: Message, told: Vec<Told>, note: Option<String>) {
        self.turns.push(Turn { reply, told, note });
        let is_long = self.turns.len() > MOST_IN_FULL
            || (self.turns.len() > 2 && self.turns.iter().map(Turn::tokens).sum::<usize>() > MOST_TOKENS);
        if is_long {
            let left = LEFT_IN_FULL.min(self.turns.len() / 2);
            let folded = self.turns.len() - left;
            let folded: Vec<Turn> = self.turns.drain(..folded).collect();
            for told in folded.iter().flat_map(|turn| &turn.told) {
                self.shorten(&told.digest, LONGEST_IN_SHORT);
            }
        }
    }

    fn shorten(&mut self, digest: &str, most: usize) {
        self.in_short.push(short(digest, most).replace('\n', " "));
        if self.in_short.len() > MOST_IN_SHORT {
            let surplus = self.in_short.len() - MOST_IN_SHORT / 2;
            self.in_short.drain(..surplus);
            self.omitted += surplus;
        }
    }

    /// The messages of a request. `epoch` is the whole page that holds now.
    pub(super) fn messages(&self, pages: Pages, epoch: u32) -> Vec<Message> {
        let mut system = Message::system(self.system.as_str());
        system.parts.push(Part::CachePoint);
        let mut messages = vec![system];
        messages.extend(self.earlier.iter().cloned());
        messages.push(self.first(pages, epoch));
        let last_picture = self
            .turns
            .iter()
            .rposition(|turn| turn.told.iter().any(|told| told.picture.is_some()));
        for (index, turn) in self.turns.iter().enumerate() {
            messages.push(turn.reply.clone());
            let shows_picture = pages == Pages::Current && last_picture == Some(index);
            let extent = Extent {
                pages,
                epoch,
                is_recent: self.turns.len() - index <= FULL_FOR,
            };
            messages.extend(turn.answers(extent, shows_picture));
        }
        if !self.turns.is_empty()
            && let Some(last) = messages.last_mut()
        {
            last.parts.push(Part::CachePoint);
        }
        messages
    }

    /// The task, and what stands for the steps that are not told in full.
    fn first(&self, pages: Pages, epoch: u32) -> Message {
        let mut parts = vec![Part::text(self.task.as_str()), Part::CachePoint];
        if !self.in_short.is_empty() {
            let mut lines = Vec::new();
            if self.omitted > 0 {
                lines.push(format!("({} earlier steps)", self.omitted));
            }
            lines.extend(self.in_short.iter().map(|line| format!("- {line}")));
            parts.push(Part::text(prompts::done_so_far(&lines.join("\n"))));
        }
        let extent = Extent {
            pages,
            epoch,
            is_recent: self.turns.len() < FULL_FOR && self.in_short.is_empty(),
        };
        if let Some(text) = self.start.as_ref().and_then(|shown| shown.told(extent)) {
            parts.push(Part::text(text));
        }
        Message::user(parts)
    }

    /// The conversation for a run that goes on with it: without system text, page texts and pictures, and with what
    /// was said at the end.
    pub(super) fn to_go_on_with(&self, end: &str) -> Vec<Message> {
        let mut messages = self.messages(Pages::None, u32::MAX);
        messages.remove(0);
        for message in &mut messages {
            message.parts.retain(|part| *part != Part::CachePoint);
        }
        let end_part = Part::text(end);
        match messages.last_mut() {
            _ if end.is_empty() => {}
            // Two messages of the model in a row are not to every provider's liking.
            Some(last) if last.role == Role::Assistant => {
                if !last.parts.contains(&end_part) {
                    last.parts.push(end_part);
                }
            }
            _ => messages.push(Message::assistant(end)),
        }
        messages
    }
}

/// What of a page text is told.
#[derive(Debug, Clone, Copy)]
struct Extent {
    pages: Pages,
    /// The whole page that holds now.
    epoch: u32,
    /// Whether it was told first only a few steps ago.
    is_recent: bool,
}

impl Shown {
    /// The text of a message; none for changes that are out of date.
    fn told(&self, extent: Extent) -> Option<String> {
        let holds = extent.pages == Pages::Current && self.epoch == extent.epoch;
        match (&self.url, holds) {
            (Some(url), true) => {
                let rest = self.rest.as_ref().filter(|_| !extent.is_recent);
                Some(prompts::page(url, rest.unwrap_or(&self.text)))
            }
            (None, true) => Some(prompts::change(&self.text)),
            (Some(_), false) => Some(prompts::LEFT_OUT.to_owned()),
            (None, false) => None,
        }
    }
}

impl Turn {
    /// Tokens without page texts.
    fn tokens(&self) -> usize {
        let told: usize = self.told.iter().map(|told| estimate_tokens(&told.line)).sum();
        let said: usize = self
            .reply
            .parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => estimate_tokens(text),
                Part::ToolCall(call) => estimate_tokens(&call.arguments.to_string()),
                _ => 0,
            })
            .sum();
        told + said
    }

    fn answers(&self, extent: Extent, shows_picture: bool) -> Vec<Message> {
        let mut messages = Vec::new();
        let results: Vec<ToolResult> = self
            .told
            .iter()
            .map(|told| {
                let shown = told.shown.as_ref().and_then(|shown| shown.told(extent));
                let content = match shown {
                    Some(shown) => format!("{}\n{shown}", told.line),
                    None => told.line.clone(),
                };
                ToolResult {
                    call_id: told.call_id.clone(),
                    name: told.tool.clone(),
                    content,
                }
            })
            .collect();
        if !results.is_empty() {
            messages.push(Message::tool(results));
        }
        let picture = self
            .told
            .iter()
            .rev()
            .find_map(|told| told.picture.clone())
            .filter(|_| shows_picture);
        let beside: Vec<Part> = picture
            .map(Part::Image)
            .into_iter()
            .chain(self.note.as_deref().map(Part::text))
            .collect();
        if !beside.is_empty() {
            messages.push(Message::user(beside));
        }
        messages
    }
}

#[cfg(test)]
mod tests;
