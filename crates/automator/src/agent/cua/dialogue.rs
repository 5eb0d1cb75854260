//! What a model that uses computers is sent: the task, its last turns as they were, those before in a line each. Pure.

use automator_llm::{ComputerRequest, ComputerTurn, Screen, Tool};

use crate::prompts::agent as prompts;

/// Most steps that are told in short; of those before only the number.
const MOST_IN_SHORT: usize = 60;

/// A turn, its steps in short, and what was called in it.
struct Turn {
    turn: ComputerTurn,
    digests: Vec<String>,
    named: Vec<(String, String)>,
}

/// The turns of a run.
pub(super) struct Dialogue {
    /// How many are told as they were.
    most: usize,
    turns: Vec<Turn>,
    in_short: Vec<String>,
    omitted: usize,
    /// The address that the model was told with the task, and the one it was told last.
    first_url: Option<String>,
    last_url: String,
}

impl Dialogue {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            turns: Vec::new(),
            in_short: Vec::new(),
            omitted: 0,
            first_url: None,
            last_url: String::new(),
        }
    }

    /// What the model said last, what came of it, the same in short, and the name and the rest of each call.
    pub(super) fn add(&mut self, turn: ComputerTurn, digests: Vec<String>, named: Vec<(String, String)>) {
        self.turns.push(Turn { turn, digests, named });
        if self.turns.len() <= self.most {
            return;
        }
        // In blocks, so that what comes before the newest ones stays the same from one request to the next.
        let left = self.most.div_ceil(2);
        for turn in self.turns.drain(..self.turns.len() - left) {
            self.in_short.extend(turn.digests);
        }
        if self.in_short.len() > MOST_IN_SHORT {
            let surplus = self.in_short.len() - MOST_IN_SHORT / 2;
            self.in_short.drain(..surplus);
            self.omitted += surplus;
        }
    }

    /// The names of what was called last, and all of it.
    pub(super) fn last_done(&self) -> Option<(String, Vec<String>)> {
        let named = &self.turns.last()?.named;
        let mut names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        names.dedup();
        let all = named
            .iter()
            .map(|(name, rest)| format!("{name} {rest}"))
            .collect();
        Some((names.join(", "), all))
    }

    /// Says something to the model after its last turn.
    pub(super) fn note(&mut self, note: String) {
        if let Some(last) = self.turns.last_mut() {
            last.turn.note = Some(match last.turn.note.take() {
                Some(before) => format!("{before}\n{note}"),
                None => note,
            });
        }
    }

    /// The request for the next turn.
    pub(super) fn request(
        &mut self,
        (system, task): (&str, &str),
        url: &str,
        screen: &Screen,
        tools: Vec<Tool>,
    ) -> ComputerRequest {
        if self.last_url != url {
            url.clone_into(&mut self.last_url);
            // Before the first turn it is told with the task.
            self.note(prompts::window(url));
        }
        let first = self.first_url.get_or_insert_with(|| url.to_owned());
        let task = format!("{task}\n\n{}", prompts::window(first));
        ComputerRequest {
            system: system.to_owned(),
            task,
            earlier: self.earlier(),
            turns: self.turns.iter().map(|turn| turn.turn.clone()).collect(),
            screen: screen.clone(),
            tools,
        }
    }

    fn earlier(&self) -> String {
        if self.in_short.is_empty() {
            return String::new();
        }
        let mut lines = Vec::new();
        if self.omitted > 0 {
            lines.push(format!("({} earlier steps)", self.omitted));
        }
        lines.extend(
            self.in_short
                .iter()
                .map(|line| format!("- {}", line.replace('\n', " "))),
        );
        prompts::done_so_far(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use automator_llm::{Image, ImageFormat};

    fn add(dialogue: &mut Dialogue, name: &str) {
        let turn = ComputerTurn {
            said: vec![name.into()],
            results: Vec::new(),
            note: None,
        };
        dialogue.add(
            turn,
            vec![format!("{name}: done")],
            vec![(name.to_owned(), "{}".to_owned())],
        );
    }

    fn asked(dialogue: &mut Dialogue, url: &str) -> ComputerRequest {
        let screen = Screen {
            picture: Image {
                format: ImageFormat::Jpeg,
                bytes: Vec::new().into(),
            },
            width: 10,
            height: 10,
        };
        dialogue.request(("You …", "The task: go"), url, &screen, Vec::new())
    }

    #[test]
    fn turns_that_are_not_told_in_full_are_told_in_a_line_each() {
        let mut dialogue = Dialogue::new(1);
        for name in ["click", "type", "scroll"] {
            add(&mut dialogue, name);
        }
        let request = asked(&mut dialogue, "http://a.test/");
        assert_eq!(request.turns.len(), 1);
        assert_eq!(request.turns[0].said, ["scroll"]);
        assert!(
            request.earlier.ends_with("- click: done\n- type: done\n</page>"),
            "{}",
            request.earlier
        );
    }

    #[test]
    fn turns_are_folded_in_blocks_and_very_old_ones_are_counted() {
        let mut dialogue = Dialogue::new(8);
        for number in 0..9 {
            add(&mut dialogue, &format!("step{number}"));
        }
        assert_eq!(asked(&mut dialogue, "").turns.len(), 4);
        for number in 9..200 {
            add(&mut dialogue, &format!("step{number}"));
        }
        let request = asked(&mut dialogue, "");
        assert!(request.turns.len() <= 8);
        assert!(request.earlier.contains("earlier steps)"), "{}", request.earlier);
        assert!(request.earlier.lines().count() <= MOST_IN_SHORT + 2);
    }

    #[test]
    fn an_address_is_told_with_the_task_and_when_it_is_another() {
        let mut dialogue = Dialogue::new(8);
        let first = asked(&mut dialogue, "http://a.test/");
        assert!(
            first.task.ends_with("The window shows http://a.test/"),
            "{}",
            first.task
        );
        add(&mut dialogue, "click");
        assert_eq!(asked(&mut dialogue, "http://a.test/").turns[0].note, None);
        add(&mut dialogue, "click");
        let later = asked(&mut dialogue, "http://b.test/");
        assert_eq!(later.task, first.task);
        assert_eq!(
            later.turns[1].note.as_deref(),
            Some("The window shows http://b.test/")
        );
    }

    #[test]
    fn what_was_done_last_is_told_by_its_names() {
        let mut dialogue = Dialogue::new(8);
        assert_eq!(dialogue.last_done(), None);
        add(&mut dialogue, "click");
        assert_eq!(
            dialogue.last_done(),
            Some(("click".to_owned(), vec!["click {}".to_owned()]))
        );
    }
}
