//! Asking before what cannot be taken back, whichever tool it is done with.

use std::time::Duration;

use automator::{AgentConfig, AgentConfirm, AgentConfirmKind, AgentResult, DownloadState};
use automator_testing::{Answer, Request, Route};
use serde_json::json;

use crate::rig::Rig;
use crate::script::{Asked, Step, act_on, action, answering, call, hybrid, noting, play, results};

/// Everything that is pressed, sent or dropped on is noted in the title.
const PAGE: &str = "<style>body { margin: 0 } #trash, #item { position: absolute; width: 80px; height: 40px; left: 0 }\
    #item { top: 400px } #trash { top: 500px }</style>\
    <button onclick=\"note('bought')\">Buy now</button><button onclick=\"note('went')\">Go on</button>\
    <button onclick=\"note('deleted')\" aria-label='Delete the entry'>x</button>\
    <form onsubmit=\"note('sent'); return false\" method=post><textarea aria-label=Text></textarea>\
    <input aria-label=Subject><button>Send</button></form>\
    <input type=file aria-label=Files onchange=\"note('uploaded')\">\
    <a download href='data:text/plain,x' onclick=\"note('saved'); return false\">Report</a>\
    <div id=item draggable=true role=button aria-label=Item>Item</div><div id=trash role=button aria-label=Trash>Trash</div>\
    <script>function note(what) { document.title = what }\
    trash.ondragover = (event) => event.preventDefault(); trash.ondrop = () => note('dropped');</script>";

/// Runs these steps with somebody who says always yes, or always no.
async fn run_with(rig: &Rig, config: AgentConfig, steps: Vec<Step>, answer: bool) -> (AgentResult, Asked) {
    let at = rig.show(PAGE).await;
    play(rig, steps, |request| match request.kind {
        automator_testing::Kind::Act => action(request, "button: Buy now", "click", &[]),
        _ => Answer::value(json!([
            { "elementId": request.id_of("textbox: Subject"), "method": "fill", "arguments": ["x"] },
            { "elementId": request.id_of("button: Buy now"), "method": "click" },
        ])),
    });
    let (confirm, asked) = answering(answer);
    let result = rig
        .automator
        .agent(config)
        .execute("go")
        .confirm(confirm)
        .await
        .unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    for request in asked.lock().unwrap().iter() {
        assert_eq!(request.url, at.url);
    }
    (result, asked)
}

/// What is done, with which tool, what is asked, and what the page notes when the answer is yes.
fn cases() -> Vec<(Step, AgentConfig, AgentConfirmKind, &'static str)> {
    use AgentConfirmKind as K;
    let dom = AgentConfig::default;
    vec![
        (
            call("act", json!({ "action": "buy it" })),
            dom(),
            K::Purchase,
            "bought",
        ),
        (
            act_on("click {}", "button: Buy now"),
            dom(),
            K::Purchase,
            "bought",
        ),
        (
            act_on("press Enter in {}", "button: Buy now"),
            dom(),
            K::Purchase,
            "bought",
        ),
        (
            act_on("click {}", "button: Delete the entry"),
            dom(),
            K::Delete,
            "deleted",
        ),
        (act_on("click {}", "button: Send"), dom(), K::Send, "sent"),
        (
            act_on("press Enter in {}", "textbox: Subject"),
            dom(),
            K::Send,
            "sent",
        ),
        (act_on("click {}", "link: Report"), dom(), K::Download, "saved"),
        (drag(), dom(), K::Delete, "dropped"),
        (
            call(
                "fillForm",
                json!({ "fields": [{ "action": "the subject" }, { "action": "buy" }] }),
            ),
            dom(),
            K::Purchase,
            "bought",
        ),
        (
            call("click", json!({ "describe": "buy", "coordinates": [30, 10] })),
            hybrid(),
            K::Purchase,
            "bought",
        ),
        (
            call(
                "dragAndDrop",
                json!({ "describe": "x", "startCoordinates": [30, 420], "endCoordinates": [30, 520] }),
            ),
            hybrid(),
            K::Delete,
            "dropped",
        ),
    ]
}

/// Two ids, which only the page knows.
fn drag() -> Step {
    Box::new(|request: &Request| {
        let (item, trash) = (request.id_of("button: Item"), request.id_of("button: Trash"));
        Answer::tool(
            "act",
            json!({ "action": format!("drag [{item}] onto [{trash}]") }),
        )
    })
}

#[tokio::test]
async fn a_no_means_that_it_is_not_done_and_the_model_is_told() {
    let rig = Rig::start().await;
    for (index, (step, config, kind, _)) in cases().into_iter().enumerate() {
        let (result, asked) = run_with(&rig, config, vec![step], false).await;
        let asked = asked.lock().unwrap().clone();
        assert_eq!(
            asked.iter().map(|request| request.kind).collect::<Vec<_>>(),
            [kind],
            "{index}: {result:?}"
        );
        rig.becomes("document.title", "fixture").await;
        let told = results(&rig);
        assert!(told[0].contains("not confirmed"), "{index}: {told:?}");
        assert_eq!(result.actions[0].details["success"], false, "{index}");
    }
    rig.close().await;
}

#[tokio::test]
async fn a_yes_means_that_it_is_done() {
    let rig = Rig::start().await;
    for (index, (step, config, kind, noted)) in cases().into_iter().enumerate() {
        let (_, asked) = run_with(&rig, config, vec![step], true).await;
        assert_eq!(
            asked.lock().unwrap().first().map(|request| request.kind),
            Some(kind),
            "{index}"
        );
        rig.becomes("document.title", noted).await;
    }
    rig.close().await;
}

#[tokio::test]
async fn keys_are_asked_about_by_what_has_the_focus() {
    let rig = Rig::start().await;
    let steps = vec![
        act_on("click {}", "textbox: Subject"),
        call("keys", json!({ "method": "type", "value": "hello" })),
        call("keys", json!({ "method": "press", "value": "Enter" })),
        call("keys", json!({ "method": "type", "value": "again\n" })),
    ];
    let (result, asked) = run_with(&rig, AgentConfig::default(), steps, false).await;
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked.iter().all(|request| request.kind == AgentConfirmKind::Send));
    assert!(asked[0].description.contains("Enter \"Send\""), "{asked:?}");
    rig.becomes("document.title", "fixture").await;
    rig.becomes("document.querySelector('input').value", "hello")
        .await;
    assert_eq!(result.actions[1].details["success"], true);
    rig.close().await;
}

#[tokio::test]
async fn a_text_with_a_line_break_at_a_place_is_asked_about() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    let place = rig
        .page
        .evaluate("(() => { const box = document.querySelector('input').getBoundingClientRect(); return [box.x + 5, box.y + 5] })()")
        .await
        .unwrap();
    let steps = vec![call(
        "type",
        json!({ "describe": "x", "text": "hello\n", "coordinates": place }),
    )];
    let (_, asked) = run_with(&rig, hybrid(), steps, false).await;
    assert_eq!(asked.lock().unwrap().len(), 1);
    rig.becomes("document.title", "fixture").await;
    rig.close().await;
}

/// What says only in its markup what it is for; all of it is called alike. What is last does nothing grave.
const UNNAMED: &str = "<form id=one action=/items/5 method=post onsubmit='return false'>\
    <input type=hidden name=_method value=DELETE><button>OK 1</button></form>\
    <a href=/items/5 data-method=delete onclick='return false'>OK 2</a>\
    <button hx-delete=/items/5>OK 3</button>\
    <div role=tree><div tabindex=0 role=treeitem aria-label='OK 4'>Mail</div></div>\
    <form method=post onsubmit='return false'><input type=hidden name=_method value=patch>\
    <a href=/items/5 data-method=delete onclick='return false'>OK 5</a></form>\
    <form method=post onsubmit='return false'><input type=hidden name=_method value=delete><input aria-label=Why>\
    <button type=button>Keep it</button><a href=/items>Back</a></form>";

#[tokio::test]
async fn what_the_markup_says_is_done_is_asked_about() {
    let rig = Rig::start().await;
    rig.show(UNNAMED).await;
    let steps = vec![
        act_on("click {}", "button: OK 1"),
        act_on("click {}", "link: OK 2"),
        act_on("click {}", "button: OK 3"),
        act_on("press Delete in {}", "treeitem: OK 4"),
        act_on("click {}", "link: OK 5"),
        act_on("click {}", "treeitem: OK 4"),
        call("keys", json!({ "method": "press", "value": "Delete" })),
        act_on("click {}", "textbox: Why"),
        call("keys", json!({ "method": "press", "value": "Delete" })),
        act_on("click {}", "button: Keep it"),
        act_on("click {}", "link: Back"),
    ];
    play(&rig, steps, |request| {
        panic!("nothing else is asked: {}", request.text)
    });
    let (confirm, asked) = answering(false);
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("tidy up").confirm(confirm).await.unwrap();
    let kinds: Vec<AgentConfirmKind> = asked.lock().unwrap().iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [AgentConfirmKind::Delete; 6], "{:#?}", result.actions);
    rig.close().await;
}

#[tokio::test]
async fn what_is_harmless_is_not_asked_about() {
    let rig = Rig::start().await;
    let steps = vec![
        act_on("click {}", "button: Go on"),
        act_on("type \"Delete and buy now\" into {}", "textbox: Subject"),
        act_on("press Tab in {}", "textbox: Subject"),
    ];
    let (result, asked) = run_with(&rig, AgentConfig::default(), steps, false).await;
    assert!(asked.lock().unwrap().is_empty());
    assert!(
        result.actions[..2]
            .iter()
            .all(|action| action.details["success"] == true),
        "{result:?}"
    );
    rig.close().await;
}

#[tokio::test]
async fn an_error_is_a_no_and_without_anybody_to_ask_all_is_allowed() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    let buy = || vec![act_on("click {}", "button: Buy now")];
    play(&rig, buy(), |_| panic!("nothing else is asked"));
    let agent = rig.automator.agent(AgentConfig::default());
    let failing = AgentConfirm::new(|_| async { Err("nobody is there".into()) });
    agent.execute("buy").confirm(failing).await.unwrap();
    rig.becomes("document.title", "fixture").await;
    play(&rig, buy(), |_| panic!("nothing else is asked"));
    agent.execute("buy").await.unwrap();
    rig.becomes("document.title", "bought").await;
    rig.close().await;
}

#[tokio::test]
async fn people_may_take_longer_to_answer_than_tools_to_work() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    play(&rig, vec![act_on("click {}", "button: Buy now")], |_| {
        panic!("nothing else is asked")
    });
    let slow = AgentConfirm::new(|_| async {
        tokio::time::sleep(Duration::from_millis(2500)).await;
        Ok(true)
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let task = agent
        .execute("buy")
        .confirm(slow)
        .tool_timeout(Duration::from_secs(2));
    let result = task.await.unwrap();
    assert_eq!(result.actions[0].details["success"], true, "{result:?}");
    rig.becomes("document.title", "bought").await;
    rig.close().await;
}

#[tokio::test]
async fn giving_a_file_is_asked_about() {
    let rig = Rig::start().await;
    rig.show(PAGE).await;
    play(&rig, vec![act_on("click {}", "input, file: Files")], |_| {
        panic!("nothing else is asked")
    });
    let (confirm, asked) = answering(false);
    let agent = rig.automator.agent(AgentConfig::default());
    agent.execute("upload").confirm(confirm).await.unwrap();
    let kinds: Vec<AgentConfirmKind> = asked.lock().unwrap().iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [AgentConfirmKind::Upload]);
    rig.close().await;
}

#[tokio::test]
async fn a_yes_to_one_download_is_none_to_another() {
    let rig = Rig::with_own_browser().await;
    rig.site.route("/other", Route::download("other.exe", "words"));
    rig.show("<button>Download</button><button onclick=\"location = '/other'\">Next</button>")
        .await;
    let steps = vec![
        act_on("click {}", "button: Download"),
        act_on("click {}", "button: Next"),
    ];
    play(&rig, steps, |request| {
        panic!("nobody expected this: {}", request.text)
    });
    let asked: Asked = Asked::default();
    let confirm = noting(&asked, |request| request.description.contains("Download"));
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("get it").confirm(confirm).await.unwrap();
    assert_eq!(asked.lock().unwrap().len(), 2, "{asked:?}");
    let downloads = rig.automator.context().unwrap().downloads();
    assert_eq!(downloads.len(), 1, "{downloads:?}");
    assert_eq!(downloads[0].state(), DownloadState::Canceled);
    // What is told of it is told in the result, too.
    let next = &result.actions[1].details;
    assert_eq!(next["success"], json!(false));
    assert!(
        next["message"].as_str().unwrap().contains("other.exe"),
        "{next:?}"
    );
    rig.close().await;
}
