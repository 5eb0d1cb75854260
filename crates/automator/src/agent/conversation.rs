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

    /// The page that the task begins on.
    pub(super) fn begin_on(&mut self, shown: Option<Shown>) {
        self.start = shown;
    }

    /// Something that was done without the model, told in short.
    pub(super) fn add_done(&mut self, digest: &str) {
        self.shorten(digest);
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
                self.shorten(&told.digest);
            }
        }
    }

    fn shorten(&mut self, digest: &str) {
        self.in_short
            .push(short(digest, LONGEST_IN_SHORT).replace('\n', " "));
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
            let sight = Sight {
                pages,
                epoch,
                is_recent: self.turns.len() - index <= FULL_FOR,
            };
            messages.extend(turn.answers(sight, shows_picture));
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
        let sight = Sight {
            pages,
            epoch,
            is_recent: self.turns.len() < FULL_FOR && self.in_short.is_empty(),
        };
        if let Some(text) = self.start.as_ref().and_then(|shown| shown.told(sight)) {
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
struct Sight {
    pages: Pages,
    /// The whole page that holds now.
    epoch: u32,
    /// Whether it was told first only a few steps ago.
    is_recent: bool,
}

impl Shown {
    /// The text of a message; none for changes that are out of date.
    fn told(&self, sight: Sight) -> Option<String> {
        let holds = sight.pages == Pages::Current && self.epoch == sight.epoch;
        match (&self.url, holds) {
            (Some(url), true) => {
                let rest = self.rest.as_ref().filter(|_| !sight.is_recent);
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

    fn answers(&self, sight: Sight, shows_picture: bool) -> Vec<Message> {
        let mut messages = Vec::new();
        let results: Vec<ToolResult> = self
            .told
            .iter()
            .map(|told| {
                let shown = told.shown.as_ref().and_then(|shown| shown.told(sight));
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
mod tests {
    use automator_llm::{GenerateReply, ToolCall};
    use serde_json::json;

    use super::*;

    fn shown(text: &str, is_whole: bool, epoch: u32) -> Option<Shown> {
        Some(Shown {
            text: text.to_owned(),
            url: is_whole.then(|| "http://a.test/".to_owned()),
            rest: is_whole.then(|| "what is left".to_owned()),
            epoch,
        })
    }

    fn turn(conversation: &mut Conversation, number: usize, shown: Option<Shown>, picture: bool) {
        let id = format!("c{number}");
        let reply = GenerateReply {
            tool_calls: vec![ToolCall {
                id: id.clone(),
                name: "act".to_owned(),
                arguments: json!({ "action": format!("step {number}") }),
                signatures: Vec::new(),
            }],
            ..GenerateReply::default()
        };
        let told = Told {
            call_id: id,
            tool: "act".to_owned(),
            line: format!("done {number}"),
            shown,
            picture: picture.then(|| Image {
                format: automator_llm::ImageFormat::Png,
                bytes: vec![u8::try_from(number).unwrap()].into(),
            }),
            digest: format!("act: step {number}: done"),
        };
        conversation.add_turn(reply.to_message(), vec![told], None);
    }

    fn conversation() -> Conversation {
        let mut conversation = Conversation::new("rules".to_owned(), Vec::new(), "the task".to_owned());
        conversation.begin_on(shown("first page", true, 1));
        conversation
    }

    fn text(messages: &[Message]) -> String {
        format!("{messages:?}")
    }

    #[test]
    fn what_is_out_of_date_is_left_out() {
        let mut conversation = conversation();
        turn(&mut conversation, 1, shown("+ a dialog", false, 1), false);
        let told = text(&conversation.messages(Pages::Current, 1));
        assert!(told.contains("first page") && told.contains("+ a dialog"));
        turn(&mut conversation, 2, shown("second page", true, 2), false);
        let told = text(&conversation.messages(Pages::Current, 2));
        assert!(
            !told.contains("first page") && !told.contains("+ a dialog"),
            "{told}"
        );
        assert!(told.contains("second page") && told.contains("done 1") && told.contains(prompts::LEFT_OUT));
        let told = text(&conversation.messages(Pages::None, 2));
        assert!(!told.contains("second page"));
    }

    #[test]
    fn a_page_is_told_in_full_for_a_few_steps() {
        let mut conversation = conversation();
        for number in 1..=FULL_FOR {
            assert!(
                text(&conversation.messages(Pages::Current, 1)).contains("first page"),
                "{number}"
            );
            turn(&mut conversation, number, None, false);
        }
        let told = text(&conversation.messages(Pages::Current, 1));
        assert!(
            !told.contains("first page") && told.contains("what is left"),
            "{told}"
        );
        turn(&mut conversation, 3, shown("second page", true, 2), false);
        for number in 0..FULL_FOR {
            assert!(
                text(&conversation.messages(Pages::Current, 2)).contains("second page"),
                "{number}"
            );
            turn(&mut conversation, 4 + number, None, false);
        }
        assert!(!text(&conversation.messages(Pages::Current, 2)).contains("second page"));
    }

    #[test]
    fn only_the_last_picture_is_sent() {
        let mut conversation = conversation();
        for number in 1..=3 {
            turn(&mut conversation, number, None, number != 3);
        }
        let pictures = |pages| {
            let messages = conversation.messages(pages, 1);
            let parts = messages.iter().flat_map(|message| &message.parts);
            parts
                .filter_map(|part| match part {
                    Part::Image(image) => Some(image.bytes[0]),
                    _ => None,
                })
                .collect::<Vec<u8>>()
        };
        assert_eq!(pictures(Pages::Current), [2]);
        assert!(pictures(Pages::None).is_empty());
    }

    #[test]
    fn a_run_of_hundreds_of_steps_is_sent_in_bounds() {
        let mut conversation = conversation();
        let mut longest = 0;
        for number in 0..400 {
            turn(&mut conversation, number % 200, None, false);
            let messages = conversation.messages(Pages::Current, 1);
            longest = longest.max(messages.len());
            let text = text(&messages);
            assert!(text.len() < 40_000, "{} at {number}", text.len());
            assert!(text.contains(&format!("done {}", number % 200)));
        }
        assert!(longest <= 2 + 2 * MOST_IN_FULL, "{longest}");
        let told = text(&conversation.messages(Pages::Current, 1));
        assert!(told.contains("earlier steps)") && told.contains("act: step"));
    }

    #[test]
    fn long_results_are_told_in_short_sooner() {
        let mut conversation = conversation();
        for number in 0..5 {
            let reply = GenerateReply::from_text("reading").to_message();
            let told = Told {
                call_id: number.to_string(),
                tool: "extract".to_owned(),
                line: "words and numbers ".repeat(1_500),
                shown: None,
                picture: None,
                digest: "extract: words".to_owned(),
            };
            conversation.add_turn(reply, vec![told], None);
        }
        assert!(conversation.turns.len() < 4, "{}", conversation.turns.len());
        assert!(!conversation.turns.is_empty());
    }

    #[test]
    fn the_beginning_stays_the_same_and_ends_in_cache_points() {
        let mut conversation = conversation();
        for number in 1..=FULL_FOR {
            turn(&mut conversation, number, None, false);
        }
        let before = conversation.messages(Pages::Current, 1);
        turn(&mut conversation, 9, None, false);
        let after = conversation.messages(Pages::Current, 1);
        assert_eq!(before[..before.len() - 1], after[..before.len() - 1]);
        assert_eq!(after.last().unwrap().parts.last(), Some(&Part::CachePoint));
        assert_eq!(before[0].parts.last(), Some(&Part::CachePoint));
    }

    #[test]
    fn what_a_later_run_goes_on_with_holds_no_page_and_no_rules() {
        let mut conversation = conversation();
        turn(&mut conversation, 1, shown("+ a dialog", false, 1), true);
        let messages = conversation.to_go_on_with("all done");
        assert!(messages.iter().all(|message| message.role != Role::System));
        let told = text(&messages);
        assert!(!told.contains("first page") && !told.contains("+ a dialog") && !told.contains("Image"));
        assert_eq!(messages.last(), Some(&Message::assistant("all done")));
    }
}
