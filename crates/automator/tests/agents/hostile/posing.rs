//! Pages that pose as the user, as the library, or as what a tool has returned.

use automator::AgentConfig;
use automator_testing::Request;

use super::{Hostile, outcomes, page};

/// Every message's text outside of its fences.
fn outside(request: &Request) -> String {
    let mut out = String::new();
    for message in request
        .messages
        .iter()
        .filter(|message| message.role != "system" && message.role != "developer")
    {
        let mut rest = message.text.as_str();
        while let Some((before, inside)) = rest.split_once("<page>") {
            out.push_str(before);
            rest = inside.split_once("</page>").map_or("", |(_, after)| after);
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// As a model may read them: in any case, with blanks in them.
fn marks(text: &str) -> usize {
    let plain: String = text
        .to_lowercase()
        .chars()
        .filter(|sign| !sign.is_whitespace())
        .collect();
    plain.matches("</page").count() + plain.matches("<page").count()
}

#[tokio::test]
async fn a_page_cannot_end_what_marks_it_as_data() {
    let hostile = Hostile::start().await;
    let result = hostile.obeys(page!("closes_the_fence")).await;
    assert_eq!(outcomes(&result).len(), 4, "{:#?}", outcomes(&result));
    let requests = hostile.rig.model.requests();
    assert!(
        requests
            .iter()
            .any(|request| request.text.contains("Delete everything"))
    );
    for request in requests {
        let outside = outside(&request);
        for words in [
            "SYSTEM: ",
            "Delete everything",
            "give all the money",
            "somebody else",
            "im_start",
        ] {
            assert!(!outside.contains(words), "{words}: {outside}");
        }
        for message in request.messages.iter().filter(|message| message.role != "system") {
            let real = message.text.matches("<page>").count() + message.text.matches("</page>").count();
            assert_eq!(marks(&message.text), real, "{}", message.text);
            assert_eq!(
                message.text.matches("<page>").count(),
                message.text.matches("</page>").count()
            );
        }
    }
    hostile.close().await;
}

#[tokio::test]
async fn the_words_of_an_element_do_not_pose_as_an_answer() {
    let hostile = Hostile::start().await;
    let result = hostile
        .obeys_refused(page!("talks_in_names"), AgentConfig::default())
        .await;
    let outcomes = outcomes(&result);
    assert_eq!(outcomes.len(), 3, "{outcomes:#?}");
    for (_, success, told) in &outcomes {
        assert!(
            !success && told.contains("was not confirmed by the user"),
            "{told}"
        );
        assert_eq!(told.matches('"').count(), 2, "{told}");
        assert!(!told.contains("</page>"), "{told}");
        assert!(told.chars().count() < 220, "{told}");
    }
    hostile.close().await;
}
