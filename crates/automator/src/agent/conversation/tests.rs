use automator_llm::{GenerateReply, ToolCall};
use serde_json::json;

use super::*;

fn shown(text: &str, is_whole: bool, epoch: u32) -> Shown {
    Shown {
        text: text.to_owned(),
        url: is_whole.then(|| "http://a.test/".to_owned()),
        rest: is_whole.then(|| "what is left".to_owned()),
        epoch,
    }
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
    conversation.begin_on(Some(shown("first page", true, 1)));
    conversation
}

fn text(messages: &[Message]) -> String {
    format!("{messages:?}")
}

#[test]
fn what_is_out_of_date_is_left_out() {
    let mut conversation = conversation();
    turn(&mut conversation, 1, Some(shown("+ a dialog", false, 1)), false);
    let told = text(&conversation.messages(Pages::Current, 1));
    assert!(told.contains("first page") && told.contains("+ a dialog"));
    turn(&mut conversation, 2, Some(shown("second page", true, 2)), false);
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
    turn(&mut conversation, 3, Some(shown("second page", true, 2)), false);
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
    turn(&mut conversation, 1, Some(shown("+ a dialog", false, 1)), true);
    let messages = conversation.to_go_on_with("all done");
    assert!(messages.iter().all(|message| message.role != Role::System));
    let told = text(&messages);
    assert!(!told.contains("first page") && !told.contains("+ a dialog") && !told.contains("Image"));
    assert_eq!(messages.last(), Some(&Message::assistant("all done")));
}
