//! `observe()`: actions that `act()` takes back, scopes, variables.

use automator::ErrorKind;
use automator_testing::Answer;
use serde_json::json;

use crate::acting::choice;
use crate::rig::Rig;

#[tokio::test]
async fn what_is_found_comes_in_the_models_order_and_is_done_without_a_model() {
    let rig = Rig::start().await;
    rig.show("<button onclick=\"document.title = 'hit save'\">Save</button><a href='#x'>More</a>")
        .await;
    rig.model.script(|request| {
        let elements = [
            choice(request, "link: More", "click", &[]),
            choice(request, "button: Save", "click", &[]),
        ];
        Answer::value(json!({ "elements": elements }))
    });
    let found = rig.automator.observe("things to press").await.unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].selector, "xpath=/html[1]/body[1]/button[1]");
    assert!(rig.model.requests()[0].text.contains("things to press"));
    let result = rig.automator.act(&found[1]).await.unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!(rig.page.title().await.unwrap(), "hit save");
    assert_eq!(rig.model.requests().len(), 1);
    rig.close().await;
}

#[tokio::test]
async fn without_an_instruction_the_model_is_asked_for_anything() {
    let rig = Rig::start().await;
    rig.show("<button>One</button>").await;
    rig.model.script(|request| {
        Answer::value(json!({ "elements": [choice(request, "button: One", "click", &[])] }))
    });
    assert_eq!(rig.automator.observe("").await.unwrap().len(), 1);
    rig.close().await;
}

#[tokio::test]
async fn ids_that_are_not_there_are_left_out() {
    let rig = Rig::start().await;
    rig.show("<button>One</button>").await;
    rig.model.script(|request| {
        let mut odd = choice(request, "button: One", "click", &[]);
        odd["elementId"] = "7-7".into();
        Answer::value(json!({ "elements": [odd, choice(request, "button: One", "click", &[])] }))
    });
    assert_eq!(rig.automator.observe("x").await.unwrap().len(), 1);
    rig.close().await;
}

#[tokio::test]
async fn a_selector_limits_what_is_sent() {
    let rig = Rig::start().await;
    rig.show("<main><button>In</button><i>Ad</i></main><button>Out</button>")
        .await;
    rig.model.script(|request| {
        assert!(
            !request.text.contains("button: Out") && !request.text.contains("Ad"),
            "{}",
            request.text
        );
        Answer::value(json!({ "elements": [choice(request, "button: In", "click", &[])] }))
    });
    let found = rig
        .automator
        .observe("buttons")
        .selector("main")
        .ignore_selector("i")
        .await
        .unwrap();
    assert_eq!(found[0].selector, "xpath=/html[1]/body[1]/main[1]/button[1]");
    let error = rig
        .automator
        .observe("buttons")
        .selector("#none")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ElementNotFound);
    rig.close().await;
}

#[tokio::test]
async fn selectors_lead_into_frames_and_closed_roots() {
    let rig = Rig::start().await;
    rig.show(
        "<iframe srcdoc=\"<button onclick='parent.document.title = &quot;frame hit&quot;'>Framed</button>\"></iframe>\
         <div id=h></div><script>const s = h.attachShadow({ mode: 'closed' }); s.innerHTML = '<button>Hidden</button>';\
         s.firstChild.onclick = () => document.title = 'shadow hit'</script>",
    )
    .await;
    rig.text_with(&["button: Framed", "button: Hidden"]).await;
    rig.model.script(|request| {
        let elements = [
            choice(request, "button: Framed", "click", &[]),
            choice(request, "button: Hidden", "click", &[]),
        ];
        Answer::value(json!({ "elements": elements }))
    });
    let found = rig.automator.observe("buttons").await.unwrap();
    assert!(found[0].selector.contains("iframe[1]"), "{found:?}");
    for (action, title) in found.iter().zip(["frame hit", "shadow hit"]) {
        let result = rig.automator.act(action).await.unwrap();
        assert!(result.success, "{result:?}");
        assert_eq!(rig.page.title().await.unwrap(), title);
    }
    rig.close().await;
}
