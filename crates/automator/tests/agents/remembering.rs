//! `cacheDir`: a run that was a success is done again without a model.

use std::path::Path;
use std::time::Duration;

use automator::{AgentConfig, AgentResult};
use automator_testing::{Answer, Kind, Request, Route};
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::script::{act_on, action, call, experimental, is_closing, play, play_alone};

/// Two pages: a list whose link leads to a form.
struct Pages {
    list: String,
    form: String,
}

const FORM: &str = "<title>Form</title><input aria-label=Name><p>The price is 49 euro</p>\
    <button onclick=\"document.title = 'done ' + document.querySelector('input').value\">Go</button>";

async fn pages(rig: &Rig) -> Pages {
    let form = rig.site.put(FORM).url;
    let list = rig
        .site
        .put(format!("<title>List</title><a href=\"{form}\">To the form</a>"))
        .url;
    Pages { list, form }
}

fn remembering(folder: &Path) -> impl FnOnce(automator::Builder) -> automator::Builder {
    let folder = folder.to_owned();
    move |builder| builder.cache_dir(folder)
}

fn answer_inside(request: &Request) -> Answer {
    match request.kind {
        Kind::Act => action(request, "button: Go", "click", &[]),
        _ => Answer::value(json!({ "price": 49 })),
    }
}

fn price() -> Value {
    json!({ "type": "object", "properties": { "price": { "type": "number" } }, "required": ["price"] })
}

/// The whole task, once by the model.
async fn taught(rig: &Rig, pages: &Pages) -> AgentResult {
    rig.open(&pages.list).await;
    play(
        rig,
        vec![
            act_on("click {}", "link: To the form"),
            call(
                "extract",
                json!({ "instruction": "the number of euro", "schema": price() }),
            ),
            act_on("type %name% into {}", "textbox: Name"),
            call("keys", json!({ "method": "press", "value": "Tab" })),
            call("act", json!({ "action": "press the go button" })),
        ],
        answer_inside,
    );
    execute(rig).await
}

async fn execute(rig: &Rig) -> AgentResult {
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent
        .execute("fill in the form")
        .variable("name", "Ada Lovelace")
        .await
        .unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    result
}

fn plans(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_plan =
        |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("agent-");
    entries
        .filter(is_plan)
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

#[tokio::test]
async fn a_run_is_done_again_without_any_model_call() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let pages = pages(&rig).await;
    let first = taught(&rig, &pages).await;
    assert!(first.success, "{first:?}");
    rig.becomes("document.title", "done Ada Lovelace").await;
    let plans = plans(folder.path());
    assert_eq!(plans.len(), 1);
    assert!(
        !plans[0].contains("Lovelace") && plans[0].contains("%name%"),
        "{}",
        plans[0]
    );
    let asked = rig.model.requests().len();
    rig.model
        .script(|request| panic!("nothing is to be asked: {}", request.text));
    rig.open(&pages.list).await;
    let again = execute(&rig).await;
    assert_eq!(rig.model.requests().len(), asked);
    assert!(again.success && again.completed, "{again:?}");
    assert_eq!((again.message, again.usage.input_tokens), (first.message, 0));
    rig.becomes("document.title", "done Ada Lovelace").await;
    assert_eq!(rig.page.url(), pages.form);
    let kinds: Vec<&str> = again.actions.iter().map(|action| action.kind.as_str()).collect();
    assert_eq!(kinds, ["act", "extract", "act", "keys", "act"]);
    rig.close().await;
}

#[tokio::test]
async fn an_element_that_comes_late_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let at = rig
        .show(
            "<title>Late</title><script>setTimeout(() => {
               document.body.innerHTML = '<button onclick=\"document.title = 1\">Go</button>';
             }, 200)</script>",
        )
        .await;
    play_alone(&rig, vec![act_on("click {}", "button: Go")]);
    assert!(execute(&rig).await.success);
    rig.model
        .script(|request| panic!("nothing is to be asked: {}", request.text));
    rig.open(&at.url).await;
    let again = execute(&rig).await;
    assert!(again.success, "{again:?}");
    rig.becomes("document.title", "1").await;
    rig.close().await;
}

#[tokio::test]
async fn what_a_press_has_begun_comes_to_its_end_before_the_next_address() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let save = rig
        .site
        .route("/save", Route::text("saved").delay(Duration::from_millis(400)));
    let next = rig
        .site
        .put("<title>Next</title><script>document.title = localStorage.last ?? 'nothing'</script>");
    let at = rig
        .show(format!(
            "<title>First</title><script>localStorage.clear()</script>
             <button onclick=\"fetch('{}').then(reply => reply.text()).then(text => localStorage.last = text)\">Save</button>",
            save.path
        ))
        .await;
    let steps = vec![
        act_on("click {}", "button: Save"),
        call("goto", json!({ "url": next.url })),
    ];
    play_alone(&rig, steps);
    assert!(execute(&rig).await.success);
    rig.open(&at.url).await;
    assert!(execute(&rig).await.success);
    rig.becomes("document.title", "saved").await;
    rig.close().await;
}

#[tokio::test]
async fn what_was_extracted_is_extracted_anew() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let rows = |prices: [u32; 3]| {
        let rows: Vec<String> = (1..=3)
            .zip(prices)
            .map(|(row, price)| format!("<tr><td>Lamp {row}<td>€ {price}"))
            .collect();
        format!(
            "<title>Shop</title><table><tr><th>Name<th>Price{}</table>",
            rows.concat()
        )
    };
    let at = rig.show(rows([10, 20, 30])).await;
    let schema = json!({ "type": "array", "items": {
        "type": "object", "properties": { "name": { "type": "string" }, "price": { "type": "number" } },
        "required": ["name", "price"] } });
    let lamps = |prices: [u32; 3]| -> Value {
        (1..=3)
            .zip(prices)
            .map(|(row, price)| json!({ "name": format!("Lamp {row}"), "price": price }))
            .collect()
    };
    let answer = lamps([10, 20, 30]);
    play(
        &rig,
        vec![call(
            "extract",
            json!({ "instruction": "all lamps", "schema": schema }),
        )],
        move |_| Answer::value(answer.clone()),
    );
    let first = execute(&rig).await;
    assert_eq!(first.actions[0].details["extraction"], lamps([10, 20, 30]));
    rig.site.put_at(&at.path, rows([11, 21, 31]));
    rig.open(&at.url).await;
    rig.model
        .script(|request| panic!("nothing is to be asked: {}", request.text));
    let again = execute(&rig).await;
    assert_eq!(
        again.actions[0].details["extraction"],
        lamps([11, 21, 31]),
        "{again:?}"
    );
    rig.close().await;
}

#[tokio::test]
async fn one_element_that_has_changed_costs_one_question_and_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let at = rig.show(FORM).await;
    play(
        &rig,
        vec![
            act_on("type \"Ada\" into {}", "textbox: Name"),
            act_on("click {}", "button: Go"),
        ],
        answer_inside,
    );
    assert!(execute(&rig).await.success);
    let changed = FORM.replace(">Go<", ">Proceed<");
    rig.site.put_at(&at.path, changed);
    let asked = rig.model.requests().len();
    rig.model.script(|request| {
        assert_eq!(request.kind, Kind::Act);
        assert!(request.text.contains("click button: Go"), "{}", request.text);
        action(request, "button: Proceed", "click", &[])
    });
    for expected in [1, 1] {
        rig.open(&at.url).await;
        let again = execute(&rig).await;
        assert!(again.success, "{again:?}");
        rig.becomes("document.title", "done Ada").await;
        assert_eq!(
            rig.model.requests().len() - asked,
            expected,
            "the second time nothing is asked"
        );
    }
    rig.close().await;
}

#[tokio::test]
async fn where_a_plan_does_not_fit_the_model_goes_on_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let at = rig.show(FORM).await;
    play(
        &rig,
        vec![
            act_on("type \"Ada\" into {}", "textbox: Name"),
            act_on("click {}", "button: Go"),
        ],
        answer_inside,
    );
    assert!(execute(&rig).await.success);
    let changed = "<title>Form</title><input aria-label=Name><a href='#end' onclick=\"document.title = 'another way'\">Next</a>";
    rig.site.put_at(&at.path, changed);
    rig.open(&at.url).await;
    play(&rig, vec![act_on("click {}", "link: Next")], |_| {
        Answer::value(json!({ "action": null, "twoStep": false }))
    });
    let before = rig.model.requests_of(Kind::Agent).len();
    let again = execute(&rig).await;
    assert!(again.success, "{again:?}");
    rig.becomes("document.title", "another way").await;
    rig.becomes("document.querySelector('input').value", "Ada").await;
    let first = &rig.model.requests_of(Kind::Agent)[before];
    assert!(
        first.text.contains("Done so far") && first.text.contains("failed"),
        "{}",
        first.text
    );
    rig.close().await;
}

#[tokio::test]
async fn a_run_without_success_is_not_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    rig.show(FORM).await;
    rig.model.script(|request| {
        if is_closing(request) {
            return Answer::tool("done", json!({ "reasoning": "no", "taskComplete": false }));
        }
        match request.tool_results.len() {
            0 => Answer::tool(
                "act",
                json!({ "action": format!("click [{}]", request.id_of("button: Go")) }),
            ),
            _ => Answer::text("no"),
        }
    });
    assert!(!execute(&rig).await.success);
    assert!(plans(folder.path()).is_empty());
    rig.close().await;
}

#[tokio::test]
async fn data_of_the_end_comes_back_with_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(|builder| experimental(remembering(folder.path())(builder))).await;
    let at = rig.show(FORM).await;
    rig.model.script(
        |request| match (is_closing(request), request.tool_results.len()) {
            (true, _) => Answer::tool(
                "done",
                json!({ "reasoning": "fine", "taskComplete": true, "output": { "price": 49 } }),
            ),
            (false, 0) => Answer::tool(
                "act",
                json!({ "action": format!("click [{}]", request.id_of("button: Go")) }),
            ),
            _ => Answer::text("fine"),
        },
    );
    let agent = rig.automator.agent(AgentConfig::default());
    for _ in 0..2 {
        rig.open(&at.url).await;
        let result = agent.execute("the price").output_schema(price()).await.unwrap();
        assert_eq!(result.output, Some(json!({ "price": 49 })), "{result:?}");
    }
    assert_eq!(rig.model.requests().len(), 3);
    rig.close().await;
}

#[tokio::test]
async fn another_task_and_another_page_have_plans_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let at = rig.show(FORM).await;
    play(&rig, vec![act_on("click {}", "button: Go")], answer_inside);
    assert!(execute(&rig).await.success);
    let asked = rig.model.requests().len();
    rig.open(&at.url).await;
    play_alone(&rig, vec![]);
    rig.automator
        .agent(AgentConfig::default())
        .execute("another task")
        .await
        .unwrap();
    assert!(rig.model.requests().len() > asked);
    rig.close().await;
}
