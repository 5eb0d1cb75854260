//! `act()`: instructions, actions, two steps, healing, failure and error, limits.

use std::time::{Duration, Instant};

use automator::{Action, ErrorKind};
use automator_testing::{Answer, Request, Route};
use serde_json::{Value, json};

use crate::rig::Rig;

/// One action on the line that holds a text.
pub(crate) fn action(request: &Request, line: &str, method: &str, arguments: &[&str]) -> Answer {
    Answer::value(json!({ "action": choice(request, line, method, arguments), "twoStep": false }))
}

pub(crate) fn choice(request: &Request, line: &str, method: &str, arguments: &[&str]) -> Value {
    json!({
        "elementId": request.id_of(line), "description": format!("the {line}"), "method": method,
        "arguments": arguments,
    })
}

#[tokio::test]
async fn an_instruction_is_carried_out_and_reported() {
    let rig = Rig::start().await;
    rig.show("<button onclick=\"document.title = 'done it'\">Go</button>")
        .await;
    rig.model
        .script(|request| action(request, "button: Go", "click", &[]));
    let result = rig.automator.act("press go").await.unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!(result.action_description, "the button: Go");
    let expected = Action::new("xpath=/html[1]/body[1]/button[1]", "click").described("the button: Go");
    assert_eq!(result.actions, [expected]);
    assert_eq!(rig.page.title().await.unwrap(), "done it");
    let requests = rig.model.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].text.contains("press go") && requests[0].text.contains("button: Go"));
    rig.close().await;
}

#[tokio::test]
async fn an_action_is_done_without_a_model() {
    let rig = Rig::start().await;
    rig.show("<input aria-label=Name><button onclick=\"document.title = document.querySelector('input').value\">Go</button>")
        .await;
    let filled = rig
        .automator
        .act(Action::new("input", "fill").argument("Ada"))
        .await
        .unwrap();
    let clicked = rig
        .automator
        .act(Action::new("xpath=//button", "click"))
        .await
        .unwrap();
    assert!(filled.success && clicked.success, "{filled:?} {clicked:?}");
    assert_eq!(rig.page.title().await.unwrap(), "Ada");
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}

#[tokio::test]
async fn the_second_step_sees_only_what_the_first_revealed() {
    let rig = Rig::start().await;
    rig.show(
        "<div role=button tabindex=0 onclick='menu.hidden = false'>Choose colour</div>\
         <ul id=menu hidden role=listbox><li role=option onclick='document.title = this.textContent'>Red\
         <li role=option onclick='document.title = this.textContent'>Blue</ul><p>static paragraph</p>",
    )
    .await;
    rig.model.script(|request| {
        if request.text.contains("option: Blue") {
            assert!(!request.text.contains("static paragraph"), "{}", request.text);
            action(request, "option: Blue", "click", &[])
        } else {
            Answer::value(
                json!({ "action": choice(request, "button: Choose colour", "click", &[]), "twoStep": true }),
            )
        }
    });
    let result = rig.automator.act("pick Blue from the colour list").await.unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!((result.actions.len(), rig.model.requests().len()), (2, 2));
    assert_eq!(rig.page.title().await.unwrap(), "Blue");
    rig.close().await;
}

#[tokio::test]
async fn a_stale_selector_is_healed_by_one_question_and_the_new_one_reported() {
    let rig = Rig::start().await;
    rig.show("<main><button onclick=\"document.title = 'healed'\">Order</button></main>")
        .await;
    rig.model
        .script(|request| action(request, "button: Order", "hover", &[]));
    let stale = Action::new("xpath=/html[1]/body[1]/div[7]/button[1]", "click").described("order button");
    let result = rig.automator.act(&stale).await.unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!(
        result.actions[0].selector,
        "xpath=/html[1]/body[1]/main[1]/button[1]"
    );
    assert_eq!(
        result.actions[0].method.as_deref(),
        Some("click"),
        "the method is the caller's"
    );
    assert_eq!(rig.page.title().await.unwrap(), "healed");
    assert_eq!(rig.model.requests().len(), 1);
    assert!(rig.model.requests()[0].text.contains("order button"));
    rig.close().await;
}

#[tokio::test]
async fn without_healing_a_stale_selector_is_a_failure_and_no_question() {
    let rig = Rig::with(|builder| builder.self_heal(false)).await;
    rig.show("<button>Order</button>").await;
    let result = rig.automator.act(Action::new("#gone", "click")).await.unwrap();
    assert!(!result.success && result.message.contains("#gone"), "{result:?}");
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}

#[tokio::test]
async fn what_cannot_be_done_is_a_failure_with_a_reason() {
    let rig = Rig::start().await;
    rig.show(
        "<button id=off disabled>Off</button><select id=s aria-label=Town><option>Rome</select>\
         <button id=under>Under</button><div id=veil style='position:fixed;inset:0'>Cookies</div>",
    )
    .await;
    rig.model
        .script(|_| Answer::value(json!({ "action": null, "twoStep": false })));
    let limit = Duration::from_millis(800);
    let act = async |action: Action| rig.automator.act(action).timeout(limit * 10).await.unwrap();
    for (action, reason) in [
        (Action::new("#under", "click"), "veil"),
        (Action::new("#off", "click"), "disabled"),
        (
            Action::new("#s", "selectOptionFromDropdown").argument("Oslo"),
            "Oslo",
        ),
        (Action::new("#under", "fly"), "fly"),
        (
            Action {
                method: None,
                ..Action::new("#under", "")
            },
            "method",
        ),
    ] {
        let result = act(action.clone()).await;
        assert!(
            !result.success && result.message.contains(reason),
            "{action:?}: {result:?}"
        );
    }
    rig.close().await;
}

#[tokio::test]
async fn an_instruction_that_nothing_fits_is_a_failure() {
    let rig = Rig::start().await;
    rig.show("<button>Go</button>").await;
    rig.model.script(|request| {
        if request.text.contains("unknown id") {
            let choice =
                json!({ "elementId": "0-999", "description": "x", "method": "click", "arguments": [] });
            return Answer::value(json!({ "action": choice, "twoStep": false }));
        }
        Answer::value(json!({ "action": null, "twoStep": false }))
    });
    for instruction in ["open the moon", "unknown id"] {
        let result = rig.automator.act(instruction).await.unwrap();
        assert!(!result.success && result.actions.is_empty(), "{result:?}");
        assert_eq!(result.action_description, instruction);
    }
    rig.close().await;
}

#[tokio::test]
async fn bad_arguments_are_errors() {
    let rig = Rig::start().await;
    rig.show("<button>Go</button>").await;
    let error = rig.automator.act("   ").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let error = rig
        .automator
        .act(Action::new("xpath=//[", "click"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let error = rig.automator.act("x").variable("a b", "v").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let unset = rig
        .automator
        .act("type %pin% into the field")
        .variable("name", "v");
    let error = unset.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("%pin% has no value"), "{error}");
    let unset = rig.automator.act(Action::new("button", "type").argument("%pin%"));
    assert_eq!(unset.await.unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}

#[tokio::test]
async fn a_request_in_flight_is_waited_for_before_the_page_is_judged() {
    let rig = Rig::start().await;
    rig.site
        .route("/late", Route::text("Arrived").delay(Duration::from_millis(600)));
    rig.show(
        "<div id=o></div><script>setTimeout(() => fetch('/late').then(r => r.text()).then(text => {\
         const b = document.createElement('button'); b.textContent = text;\
         b.onclick = () => document.title = 'late hit'; o.append(b) }), 120)</script>",
    )
    .await;
    rig.model
        .script(|request| action(request, "button: Arrived", "click", &[]));
    let result = rig.automator.act("press the late button").await.unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!(rig.page.title().await.unwrap(), "late hit");
    rig.close().await;
}

#[tokio::test]
async fn the_limit_holds_while_the_model_thinks() {
    let rig = Rig::start().await;
    rig.show("<button>Go</button>").await;
    rig.model
        .script(|request| action(request, "button: Go", "click", &[]));
    rig.model
        .fault_always(Some(automator_testing::Fault::Slow(Duration::from_secs(20))));
    let started = Instant::now();
    let error = rig
        .automator
        .act("go")
        .timeout(Duration::from_millis(1500))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ActTimeout);
    assert!(error.to_string().contains("1500 ms"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(8));
    rig.close().await;
}

#[tokio::test]
async fn frames_and_closed_roots_are_acted_on() {
    let rig = Rig::start().await;
    let far = rig
        .site
        .put("<button onclick=\"this.textContent = 'Far hit'\">Far</button>");
    rig.show(format!(
        "<iframe src='{}'></iframe><div id=h></div><script>const s = h.attachShadow({{ mode: 'closed' }});\
         s.innerHTML = '<input aria-label=\"Shadow field\">';\
         s.firstChild.oninput = e => document.title = e.target.value</script>",
        far.cross_url
    ))
    .await;
    rig.text_with(&["button: Far", "Shadow field"]).await;
    rig.model
        .script(|request| action(request, "button: Far", "click", &[]));
    let result = rig.automator.act("press far").await.unwrap();
    assert!(result.success, "{result:?}");
    rig.text_with(&["Far hit"]).await;
    rig.model
        .script(|request| action(request, "textbox: Shadow field", "fill", &["in the dark"]));
    let result = rig.automator.act("fill the shadow field").await.unwrap();
    assert!(result.success, "{result:?}");
    assert_eq!(rig.page.title().await.unwrap(), "in the dark");
    rig.close().await;
}

#[tokio::test]
async fn an_element_is_dragged_onto_another_named_by_its_id() {
    let rig = Rig::start().await;
    rig.show(
        "<button id=a style='width:80px;height:40px'>Knob</button><div style='height:150px'></div>\
         <button id=z style='width:160px;height:80px'>Slot</button><script>let on = false;\
         addEventListener('mousedown', e => on = e.target.id === 'a');\
         addEventListener('mouseup', e => { if (on) document.title = 'dropped on ' + e.target.id; on = false })</script>",
    )
    .await;
    rig.model.script(|request| {
        let slot = request.id_of("button: Slot");
        action(request, "button: Knob", "dragAndDrop", &[&slot])
    });
    let result = rig.automator.act("drag the knob to the slot").await.unwrap();
    assert!(result.success, "{result:?}");
    assert!(
        result.actions[0].arguments[0].starts_with("xpath=/html"),
        "{result:?}"
    );
    assert_eq!(rig.page.title().await.unwrap(), "dropped on z");
    rig.close().await;
}

#[tokio::test]
async fn the_page_is_scrolled_by_share_and_by_chunk() {
    let rig = Rig::start().await;
    rig.show("<div style='height:6000px'>tall</div>").await;
    let scroll = async |method: &'static str, arguments: &'static [&'static str]| {
        rig.model
            .script(move |request| action(request, "scrollable, html", method, arguments));
        let result = rig.automator.act("scroll").await.unwrap();
        assert!(result.success, "{result:?}");
        let top = rig
            .page
            .evaluate("[scrollY, innerHeight, document.scrollingElement.scrollHeight]")
            .await;
        let numbers: Vec<f64> = serde_json::from_value(top.unwrap()).unwrap();
        (numbers[0], numbers[1], numbers[2])
    };
    let (middle, height, whole) = scroll("scrollTo", &["50%"]).await;
    assert!((middle - (whole - height) / 2.0).abs() < 8.0, "{middle}");
    let (next, _, _) = scroll("nextChunk", &[]).await;
    assert!((next - middle - height).abs() < 12.0, "{next}");
    let (back, _, _) = scroll("prevChunk", &[]).await;
    assert!((back - middle).abs() < 12.0, "{back}");
    rig.close().await;
}

#[tokio::test]
async fn the_page_as_a_whole_is_taken_back_and_a_missing_text_is_an_error() {
    let rig = Rig::start().await;
    rig.show("<div style='height: 5000px'></div><input value=kept>")
        .await;
    rig.model
        .script(|request| action(request, "RootWebArea: fixture", "scrollTo", &["100%"]));
    let result = rig.automator.act("go to the end").await.unwrap();
    assert!(result.success, "{result:?}");
    rig.page.evaluate("scrollTo(0, 0)").await.unwrap();
    let again = rig.automator.act(&result.actions[0]).await.unwrap();
    assert!(again.success, "{again:?}");
    assert_ne!(rig.page.evaluate("scrollY").await.unwrap(), 0);
    let error = rig.automator.act(Action::new("input", "fill")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("needs the text"), "{error}");
    for (method, what) in [
        ("selectOptionFromDropdown", "needs the option"),
        ("scrollTo", "needs the percentage"),
        ("scrollByPixelOffset", "needs the number of pixels"),
    ] {
        let error = rig.automator.act(Action::new("#i", method)).await.unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    rig.close().await;
}

#[tokio::test]
async fn a_checkbox_that_the_page_keeps_as_it_is_is_no_success() {
    let rig = Rig::start().await;
    rig.show("<label><input type=checkbox onclick='return false'>Agree</label>")
        .await;
    let result = rig.automator.act(Action::new("input", "click")).await.unwrap();
    assert!(
        !result.success && result.message.contains("left it unchanged"),
        "{result:?}"
    );
    rig.close().await;
}
