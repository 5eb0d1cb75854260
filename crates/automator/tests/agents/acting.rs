//! `act`: by id at once, in words by way of a model; and what a run reports.

use automator::{AgentConfig, ErrorKind, HistoryMethod};
use automator_testing::{Answer, Kind, Usage};
use serde_json::json;

use crate::rig::Rig;
use crate::script::{act_on, action, call, play, play_alone, results, run};

const BUTTON: &str = "<button onclick=\"document.title = 'agent hit'\">Go</button>";

#[tokio::test]
async fn a_task_is_done_and_reported() {
    let rig = Rig::start().await;
    rig.show(BUTTON).await;
    play(
        &rig,
        vec![call("act", json!({ "action": "press go" }))],
        |request| action(request, "button: Go", "click", &[]),
    );
    let result = run(&rig, "press the go button").await;
    assert_eq!(rig.page.title().await.unwrap(), "agent hit");
    assert!(result.success && result.completed, "{result:?}");
    assert_eq!(result.message, "all finished");
    let kinds: Vec<&str> = result.actions.iter().map(|action| action.kind.as_str()).collect();
    assert_eq!(kinds, ["act", "done"]);
    assert!(
        result.actions[0].page_url.starts_with("http://127.0.0.1"),
        "{result:?}"
    );
    assert_eq!(result.actions[0].details["action"], "press go");
    assert_eq!(result.actions[0].details["success"], true);
    assert!(result.actions[1].task_completed && !result.actions[0].task_completed);
    let first = &rig.model.requests_of(Kind::Agent)[0];
    assert!(first.text.contains("press the go button") && first.text.contains("button: Go"));
    rig.close().await;
}

#[tokio::test]
async fn usage_is_the_agents_own_and_inner_calls_count_in_their_groups() {
    let rig = Rig::start().await;
    rig.show(BUTTON).await;
    let usage = |input| Usage {
        input,
        output: 10,
        reasoning: 2,
        cached: 1,
    };
    play(
        &rig,
        vec![call("act", json!({ "action": "press go" }))],
        move |request| action(request, "button: Go", "click", &[]).usage(usage(7)),
    );
    rig.model.set_usage(usage(100));
    let result = run(&rig, "press go").await;
    // Two steps and the judgement.
    assert_eq!((result.usage.input_tokens, result.usage.output_tokens), (300, 30));
    assert_eq!(
        (result.usage.reasoning_tokens, result.usage.cached_input_tokens),
        (6, 3)
    );
    let metrics = rig.automator.metrics();
    assert_eq!(
        (metrics.agent_prompt_tokens, metrics.agent_completion_tokens),
        (300, 30)
    );
    assert_eq!(metrics.agent_inference_time_ms, result.usage.inference_time_ms);
    assert_eq!((metrics.act_prompt_tokens, metrics.total_prompt_tokens), (7, 307));
    let history = rig.automator.history();
    let methods: Vec<HistoryMethod> = history.iter().map(|entry| entry.method).collect();
    assert_eq!(methods.last(), Some(&HistoryMethod::Act));
    assert!(
        methods
            .iter()
            .all(|method| matches!(method, HistoryMethod::Act | HistoryMethod::Navigate))
    );
    rig.close().await;
}

#[tokio::test]
async fn an_element_that_is_named_by_its_id_needs_no_question() {
    let rig = Rig::start().await;
    rig.show(
        "<input aria-label=Name><select aria-label=Colour><option>Blue<option>Red</select>\
         <button onclick=\"document.title = document.querySelector('input').value + document.querySelector('select').value\">Go</button>",
    )
    .await;
    play_alone(
        &rig,
        vec![
            act_on("type \"Ada\" into {}", "textbox: Name"),
            act_on("select \"Red\" in {}", "select: Colour"),
            act_on("click {}", "button: Go"),
        ],
    );
    let result = run(&rig, "fill it in").await;
    assert!(result.success);
    assert_eq!(rig.page.title().await.unwrap(), "AdaRed");
    let told = results(&rig);
    assert!(
        told[0].contains("~ ") && told[0].contains("textbox: Name = Ada"),
        "{told:?}"
    );
    rig.close().await;
}

#[tokio::test]
async fn an_id_that_is_not_on_the_page_is_told_and_the_page_is_shown() {
    let rig = Rig::start().await;
    rig.show(BUTTON).await;
    play_alone(&rig, vec![call("act", json!({ "action": "click [0-99]" }))]);
    run(&rig, "press").await;
    let told = results(&rig);
    assert!(
        told[0].contains("no element [0-99]") && told[0].contains("button: Go"),
        "{told:?}"
    );
    rig.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_element_that_was_drawn_anew_is_not_taken_for_another() {
    let rig = Rig::start().await;
    rig.show("<div id=list><button onclick=\"document.title = 'first'\">First</button></div>")
        .await;
    let page = rig.page.clone();
    let runtime = tokio::runtime::Handle::current();
    let swap = Box::new(move |request: &automator_testing::Request| {
        let id = request.id_of("button: First");
        // What stands at its path now is another button.
        let source = "document.getElementById('list').innerHTML = '<button onclick=\"document.title = `other`\">Other</button>'";
        tokio::task::block_in_place(|| runtime.block_on(page.evaluate(source))).unwrap();
        Answer::tool("act", json!({ "action": format!("click [{id}]") }))
    });
    play_alone(&rig, vec![swap]);
    run(&rig, "press first").await;
    let told = results(&rig);
    assert!(
        told[0].contains("not on the page any more") && told[0].contains("button: Other"),
        "{told:?}"
    );
    assert_ne!(rig.page.title().await.unwrap(), "other");
    rig.close().await;
}

#[tokio::test]
async fn what_cannot_be_done_is_told_and_the_run_goes_on() {
    let rig = Rig::start().await;
    rig.show("<p>nothing here</p>").await;
    play(&rig, vec![call("act", json!({ "action": "press go" }))], |_| {
        Answer::value(json!({ "action": null, "twoStep": false }))
    });
    let result = run(&rig, "press go").await;
    assert!(result.success, "the model decides");
    assert_eq!(result.actions[0].details["success"], false);
    assert!(results(&rig)[0].starts_with("failed: "), "{:?}", results(&rig));
    rig.close().await;
}

#[tokio::test]
async fn a_tab_that_a_click_opens_is_followed() {
    let rig = Rig::start().await;
    let other = rig.site.put("<title>Other</title><h1>in the other tab</h1>");
    rig.show(format!("<a target=_blank href=\"{}\">Open</a>", other.url))
        .await;
    for page in [None, Some(rig.page.clone())] {
        play_alone(&rig, vec![act_on("click {}", "link: Open")]);
        let agent = rig.automator.agent(AgentConfig::default());
        let mut task = agent.execute("open it");
        if let Some(page) = &page {
            task = task.page(page);
        }
        let result = task.await.unwrap();
        assert!(
            results(&rig)[0].contains("in the other tab"),
            "{:?}",
            results(&rig)
        );
        assert_eq!(result.actions[0].page_url, other.url);
        rig.automator
            .context()
            .unwrap()
            .active_page()
            .unwrap()
            .close()
            .await
            .unwrap();
    }
    rig.close().await;
}

#[tokio::test]
async fn before_init_there_is_nothing_to_run_on() {
    let automator = automator::Automator::builder(automator::Env::Local)
        .model("openai/gpt-4.1-mini")
        .build()
        .unwrap();
    let error = automator
        .agent(AgentConfig::default())
        .execute("go")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotInitialized);
}
