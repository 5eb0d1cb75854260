//! `cacheDir`: a run that was a success is done again without a model.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use automator::{AgentCallbacks, AgentConfig, AgentConfirm, AgentResult, AgentTool, FunctionTool, LogLine};
use automator_testing::{Answer, Kind, Request, Route};
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::script::{act_on, action, answering, call, done, experimental, is_closing, play, play_alone};

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
    assert_eq!(kinds, ["act", "extract", "act", "keys", "act", "done"]);
    assert!(again.actions[5].task_completed && !again.actions[4].task_completed);
    rig.close().await;
}

#[tokio::test]
async fn what_came_of_the_last_deed_is_judged_anew_where_the_page_says_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let at = rig
        .show(
            "<title>Shop</title><p id=said></p><button onclick=\"said.textContent = \
               localStorage.declines ? 'Your card was declined' : 'The order is placed'\">Order</button>",
        )
        .await;
    play_alone(&rig, vec![act_on("click {}", "button: Order")]);
    assert!(execute(&rig).await.success);
    rig.model
        .script(|request| panic!("nothing is to be asked: {}", request.text));
    rig.open(&at.url).await;
    assert!(execute(&rig).await.success);
    let asked = rig.model.requests().len();
    rig.page.evaluate("localStorage.declines = 1").await.unwrap();
    rig.model.script(|request| {
        assert!(is_closing(request) && request.text.contains("Your card was declined"));
        let judged = json!({ "reasoning": "the card was declined", "taskComplete": false });
        Answer::tool("done", judged)
    });
    for _ in 0..2 {
        rig.open(&at.url).await;
        let again = execute(&rig).await;
        assert!(!again.success && !again.completed, "{again:?}");
        assert_eq!(again.message, "the card was declined");
    }
    assert_eq!(
        rig.model.requests().len(),
        asked + 2,
        "what has failed is not kept"
    );
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
    rig.model.script(|request| {
        assert!(
            is_closing(request),
            "only the end is to be asked: {}",
            request.text
        );
        assert!(
            request.text.contains("Lamp 3") && request.text.contains("31"),
            "{}",
            request.text
        );
        done("read anew")
    });
    let again = execute(&rig).await;
    assert_eq!(again.message, "read anew");
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
async fn another_task_has_a_plan_of_its_own() {
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

#[tokio::test]
async fn a_plan_is_that_of_its_page_whatever_was_typed_before() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let page = "<input aria-label=City><button onclick=\"document.title = 'went'\">Go</button>";
    let urls = ["/hotels/berlin", "/hotels/paris"].map(|path| rig.site.put_at(path, page).url);
    let agent = rig.automator.agent(AgentConfig::default());
    for city in ["berlin", "paris"] {
        rig.open(&urls[0]).await;
        play(
            &rig,
            vec![act_on("type %city% into {}", "textbox: City")],
            answer_inside,
        );
        agent
            .execute("write the city")
            .variable("city", city)
            .await
            .unwrap();
    }
    let press = async |url: &str| {
        rig.open(url).await;
        rig.model.forget_requests();
        play(&rig, vec![act_on("click {}", "button: Go")], answer_inside);
        agent.execute("press go").variable("city", "rome").await.unwrap();
        rig.model.requests().len()
    };
    assert_ne!(press(&urls[0]).await, 0);
    assert_ne!(press(&urls[1]).await, 0, "another page has a plan of its own");
    assert_eq!(press(&urls[0]).await, 0);
    rig.close().await;
}

#[tokio::test]
async fn a_run_from_memory_is_told_as_it_happens() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(|builder| experimental(remembering(folder.path())(builder))).await;
    let at = rig.show(FORM).await;
    play_alone(
        &rig,
        vec![
            act_on("click {}", "button: Go"),
            call("wait", json!({ "timeMs": 1 })),
        ],
    );
    assert!(execute(&rig).await.success);
    rig.open(&at.url).await;
    let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
    let hearing = Arc::clone(&heard);
    let callbacks =
        AgentCallbacks::new(move |event| hearing.lock().unwrap().push(serde_json::to_value(event).unwrap()));
    let agent = rig.automator.agent(AgentConfig::default());
    let running = agent.execute("fill in the form").variable("name", "Ada Lovelace");
    let result = running.callbacks(callbacks).await.unwrap();
    let heard = heard.lock().unwrap().clone();
    let told: Vec<(&str, &Value)> = heard
        .iter()
        .map(|event| (event["type"].as_str().unwrap(), &event["step"]))
        .collect();
    let (one, two, none) = (json!(1), json!(2), Value::Null);
    let expected = [
        ("tool-call", &one),
        ("tool-result", &one),
        ("finish-step", &one),
        ("tool-call", &two),
        ("tool-result", &two),
        ("finish-step", &two),
        ("finish", &none),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        (&heard[0]["toolName"], &heard[3]["input"]),
        (&json!("act"), &json!({ "timeMs": 1 }))
    );
    assert_eq!(heard[0]["toolCallId"], heard[1]["toolCallId"]);
    assert_ne!(heard[0]["toolCallId"], heard[3]["toolCallId"]);
    assert_eq!(
        heard[1]["action"],
        serde_json::to_value(&result.actions[0]).unwrap()
    );
    let end = serde_json::to_value(&result.actions[2]).unwrap();
    assert_eq!(
        (&end["type"], &end["taskCompleted"], &end["fromMemory"]),
        (&json!("done"), &json!(true), &json!(true))
    );
    rig.close().await;
}

#[tokio::test]
async fn the_limit_of_a_step_stands_still_while_somebody_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(remembering(folder.path())).await;
    let at = rig
        .show("<title>Basket</title><button onclick=\"document.title = 'ordered'\">Place order</button>")
        .await;
    play_alone(&rig, vec![act_on("click {}", "button: Place order")]);
    let (yes, _) = answering(true);
    let agent = rig.automator.agent(AgentConfig::default());
    assert!(agent.execute("order").confirm(yes).await.unwrap().success);
    rig.open(&at.url).await;
    rig.model
        .script(|request| panic!("nothing is to be asked: {}", request.text));
    let asked = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&asked);
    let limit = Duration::from_secs(2);
    let slow = AgentConfirm::new(move |_| {
        counting.fetch_add(1, Ordering::Relaxed);
        async move {
            tokio::time::sleep(limit + limit / 2).await;
            Ok(true)
        }
    });
    let again = agent
        .execute("order")
        .confirm(slow)
        .tool_timeout(limit)
        .await
        .unwrap();
    assert!(again.success, "{again:?}");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    rig.becomes("document.title", "ordered").await;
    rig.close().await;
}

#[tokio::test]
async fn a_route_and_the_tools_of_ones_own_have_plans_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let rig = Rig::with(|builder| experimental(remembering(folder.path())(builder))).await;
    let at = rig.site.put(FORM);
    let tool = |name: &str| -> Arc<dyn AgentTool> {
        Arc::new(FunctionTool::new(
            name,
            "",
            json!({ "type": "object" }),
            |_| async { Ok("".into()) },
        ))
    };
    let mut plans_before = 0;
    for (route, tools) in [
        ("#/lamps/1", vec![]),
        ("#/lamps/2", vec![]),
        ("#!lamps/2", vec![]),
        ("#/lamps/1", vec![tool("ledger")]),
        ("#/lamps/1", vec![tool("ledger"), tool("post")]),
    ] {
        let agent = rig.automator.agent(AgentConfig {
            tools,
            ..AgentConfig::default()
        });
        for is_known in [false, true] {
            rig.open("about:blank").await;
            rig.open(&format!("{}{route}", at.url)).await;
            play_alone(&rig, vec![act_on("click {}", "button: Go")]);
            let asked = rig.model.requests().len();
            assert!(agent.execute("go").await.unwrap().success);
            assert_eq!(rig.model.requests().len() == asked, is_known, "{route}");
        }
        plans_before += 1;
        assert_eq!(plans(folder.path()).len(), plans_before);
    }
    rig.close().await;
}

/// Puts something in the place of an entry that is none.
#[cfg(unix)]
fn replace_by(path: &Path, what: &str) {
    let entry = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    match what {
        "pipe" => {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }
        "device" => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        _ => {
            // What it holds would do.
            let padding = vec![b' '; 17 << 20];
            std::fs::write(path, [entry, padding].concat()).unwrap();
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_entry_is_passed_over_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let logging = Arc::clone(&lines);
    let rig = Rig::with(|builder| {
        let builder = remembering(folder.path())(builder);
        builder.logger(move |line: &LogLine| logging.lock().unwrap().push(line.message.clone()))
    })
    .await;
    let at = rig.site.put(FORM);
    let all = async || {
        rig.open(&at.url).await;
        let inside = |request: &Request| match request.kind {
            Kind::Observe => {
                let choice = json!({
                    "elementId": request.id_of("button: Go"), "description": "go", "method": "click", "arguments": [],
                });
                Answer::value(json!({ "elements": [choice] }))
            }
            _ => answer_inside(request),
        };
        play(&rig, vec![call("wait", json!({ "timeMs": 1 }))], inside);
        assert!(execute(&rig).await.success);
        let automator = &rig.automator;
        automator.observe("the button").await.unwrap();
        automator
            .extract("the number of euro")
            .json_schema(price())
            .await
            .unwrap();
        assert!(automator.act("press go").await.unwrap().success);
    };
    all().await;
    let asked = rig.model.requests().len();
    all().await;
    assert_eq!(rig.model.requests().len(), asked, "all is remembered");
    let paths: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(paths.len(), 4, "{paths:?}");
    for what in ["large", "pipe", "device"] {
        for path in &paths {
            replace_by(path, what);
        }
        lines.lock().unwrap().clear();
        let before = rig.model.requests().len();
        tokio::time::timeout(Duration::from_secs(60), all())
            .await
            .expect(what);
        assert_eq!(rig.model.requests().len() - before, asked, "{what}");
        let told = lines.lock().unwrap().clone();
        let told = told
            .iter()
            .filter(|line| *line == "a file of the cache cannot be used");
        assert_eq!(told.count(), paths.len(), "{what}");
    }
    rig.close().await;
}
