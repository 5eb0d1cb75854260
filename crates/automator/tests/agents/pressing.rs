//! Keys and presses that reach something else than what was judged when their action began: the page moves the focus,
//! or makes another element of it, between two of them or between the halves of one.

use automator::{AgentConfig, AgentConfirm, AgentConfirmKind};
use serde_json::json;

use crate::rig::Rig;
use crate::script::{Asked, Step, act_on, action, answering, call, hybrid, play, results};

/// A button that is another one once it was pressed.
const TWO_STEPS: &str = "<button id=b onclick=\"if (textContent == 'Buy now') document.title = 'bought'; textContent = 'Buy now'\">Next</button>\
    <script>b.focus()</script>";

/// A field that hands the focus on as soon as something was typed.
const HANDS_ON: &str = "<input id=a aria-label=Name oninput=\"b.focus()\"><button id=b onclick=\"document.title = 'bought'\">Buy now</button>\
    <script>a.focus()</script>";

/// A field that listens to keys and takes nothing else, as a mask does, and hands the focus on after some of them.
const KEYS_ALONE: &str = "<input id=a aria-label=Name><button id=b onclick=\"document.title = 'bought'\">Buy now</button>\
    <script>keys = ''; passed = 0; a.oninput = () => { a.value = keys }; a.onkeydown = (event) => { event.preventDefault(); \
    if (event.key == 'Backspace') keys = ''; else if (event.key.length == 1) keys += event.key; a.value = keys; \
    if ((passed += 1) > 2) b.focus() }</script>";

struct Case {
    name: &'static str,
    page: &'static str,
    step: Step,
    config: AgentConfig,
    /// What an act by words does: the method and its argument.
    by_words: (&'static str, &'static [&'static str]),
}

fn case(name: &'static str, page: &'static str, step: Step) -> Case {
    Case {
        name,
        page,
        step,
        config: AgentConfig::default(),
        by_words: ("click", &[]),
    }
}

fn keys(method: &'static str, value: &'static str, repeat: u32) -> Step {
    call(
        "keys",
        json!({ "method": method, "value": value, "repeat": repeat }),
    )
}

fn click_at_the_corner() -> Step {
    call("click", json!({ "describe": "next", "coordinates": [30, 20] }))
}

/// An act that the model of the test does on the button, or the field, of the page.
fn by_words(
    name: &'static str,
    page: &'static str,
    method: &'static str,
    arguments: &'static [&'static str],
) -> Case {
    Case {
        by_words: (method, arguments),
        ..case(name, page, call("act", json!({ "action": "do it" })))
    }
}

const RENAMED_BY_ITS_PRESS: &str = "<button style='position: absolute; left: 0; top: 0; width: 100px; height: 40px' \
    onmousedown=\"textContent = 'Buy now'\" onclick=\"document.title = 'bought'\">Next</button>";

const LAID_OVER: &str = "<button id=b style='position: absolute; left: 0; top: 0; width: 100px; height: 40px' \
    onmouseenter=\"o.style.display = 'block'\">Next</button><button id=o style='display: none; position: absolute; left: 0; \
    top: 0; width: 100px; height: 40px' onclick=\"document.title = 'bought'\">Buy now</button>";

/// All of these end in a purchase when nobody looks; what was asked is told by whether it came to a question.
fn cases() -> Vec<(Case, bool)> {
    let keydown = "<input id=a aria-label=Name onkeydown=\"b.focus()\"><button id=b onclick=\"document.title = 'bought'\">Buy now</button>";
    let renamed = "<button id=b onkeydown=\"textContent = 'Buy now'\" onclick=\"document.title = 'bought'\">Next</button><script>b.focus()</script>";
    let at_place = |name, page| Case {
        config: hybrid(),
        ..case(name, page, click_at_the_corner())
    };
    vec![
        (case("Enter again", TWO_STEPS, keys("press", "Enter", 3)), true),
        (
            case("the space bar again", TWO_STEPS, keys("press", "Space", 3)),
            true,
        ),
        (case("two blanks", TWO_STEPS, keys("type", "  ", 1)), true),
        (
            case("a blank after a letter", HANDS_ON, keys("type", "x ", 1)),
            true,
        ),
        (
            case("a line break after a letter", HANDS_ON, keys("type", "x\n", 1)),
            true,
        ),
        (by_words("a text with a blank", HANDS_ON, "type", &["x y"]), true),
        (
            by_words("a field that takes keys alone", KEYS_ALONE, "fill", &["x y"]),
            true,
        ),
        (by_words("a double click", TWO_STEPS, "doubleClick", &[]), true),
        (
            by_words("a key that moves the focus", keydown, "press", &["Enter"]),
            false,
        ),
        (
            case("a key that renames by Enter", renamed, keys("press", "Enter", 1)),
            false,
        ),
        (
            case("a key that renames by a blank", renamed, keys("type", " ", 1)),
            false,
        ),
        (
            by_words("a press that renames", RENAMED_BY_ITS_PRESS, "click", &[]),
            false,
        ),
        (
            at_place("a press at a place that renames", RENAMED_BY_ITS_PRESS),
            false,
        ),
        (
            at_place("a place where another element is by then", LAID_OVER),
            true,
        ),
    ]
}

async fn run(rig: &Rig, case: Case, confirm: AgentConfirm) {
    rig.show(&format!("<style>body {{ margin: 0 }}</style>{}", case.page))
        .await;
    let (method, arguments) = case.by_words;
    play(rig, vec![case.step], move |request| {
        let is_field = request.text.contains("textbox: Name");
        let line = if is_field { "textbox: Name" } else { "button: Next" };
        action(request, line, method, arguments)
    });
    let agent = rig.automator.agent(case.config);
    agent.execute("go on").confirm(confirm).await.unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new(), "{}", case.name);
}

fn kinds(asked: &Asked) -> Vec<AgentConfirmKind> {
    asked.lock().unwrap().iter().map(|request| request.kind).collect()
}

#[tokio::test]
async fn whatever_a_page_does_between_two_keys_nothing_is_bought_unasked() {
    let rig = Rig::start().await;
    for (case, is_asked) in cases() {
        let name = case.name;
        let (confirm, asked) = answering(false);
        run(&rig, case, confirm).await;
        let told = results(&rig);
        let expected = if is_asked {
            "not confirmed"
        } else {
            "has changed while it was pressed"
        };
        assert!(told[0].contains(expected), "{name}: {told:?}");
        let expected = if is_asked {
            vec![AgentConfirmKind::Purchase]
        } else {
            Vec::new()
        };
        assert_eq!(kinds(&asked), expected, "{name}");
        rig.becomes("document.title", "fixture").await;
    }
    rig.close().await;
}

#[tokio::test]
async fn with_a_yes_the_keys_and_presses_go_on() {
    let rig = Rig::start().await;
    for (case, _) in cases().into_iter().filter(|(_, is_asked)| *is_asked) {
        let name = case.name;
        let (confirm, asked) = answering(true);
        run(&rig, case, confirm).await;
        assert!(!kinds(&asked).is_empty(), "{name}");
        rig.becomes("document.title", "bought").await;
    }
    rig.close().await;
}

#[tokio::test]
async fn each_repetition_of_a_key_is_asked_about() {
    let rig = Rig::start().await;
    let page = "<button id=b onclick=\"document.title += '+'\">Buy now</button><script>document.title = ''; b.focus()</script>";
    let (confirm, asked) = answering(true);
    run(&rig, case("a row", page, keys("press", "Enter", 3)), confirm).await;
    assert_eq!(kinds(&asked), [AgentConfirmKind::Purchase; 3]);
    rig.becomes("document.title", "+++").await;
    rig.close().await;
}

#[tokio::test]
async fn keys_that_are_looked_at_do_what_they_do_otherwise() {
    let rig = Rig::start().await;
    let page = "<form onsubmit=\"sent += 1; return false\"><input id=field aria-label=Name></form>\
        <textarea id=text></textarea><input type=checkbox id=box><button id=b onclick=\"clicked += 1\">Go on</button>\
        <script>sent = clicked = 0; heard = []; for (const type of ['keydown', 'keypress', 'keyup']) \
        addEventListener(type, (event) => heard.push(type + ' ' + event.key)); field.focus()</script>";
    rig.show(page).await;
    let on = || keys("press", "Tab", 1);
    let steps: Vec<Step> = vec![
        keys("type", "a b", 1),
        keys("press", "Enter", 1),
        on(),
        keys("type", "c d\ne", 1),
        on(),
        keys("press", "Space", 1),
        on(),
        keys("press", "Space", 1),
        keys("press", "Enter", 1),
    ];
    play(&rig, steps, |_| panic!("nothing else is asked"));
    let (confirm, asked) = answering(false);
    let agent = rig.automator.agent(AgentConfig::default());
    agent.execute("write").confirm(confirm).await.unwrap();
    assert_eq!(kinds(&asked), Vec::new());
    let state = rig
        .page
        .evaluate("JSON.stringify([field.value, sent, text.value, box.checked, clicked, heard.slice(0, 12)])")
        .await
        .unwrap();
    let heard = |key: &str| ["keydown", "keypress", "keyup"].map(|kind| format!("{kind} {key}"));
    let heard = [heard("a"), heard(" "), heard("b"), heard("Enter")].concat();
    let expected = json!(["a b", 1, "c d\ne", true, 2, heard]);
    assert_eq!(state, expected.to_string());
    rig.close().await;
}

#[tokio::test]
async fn a_key_that_was_kept_back_is_not_down_any_more() {
    let rig = Rig::start().await;
    let page = "<button id=b onkeydown=\"textContent = 'Buy now'\" onclick=\"document.title = 'bought'\">Next</button>\
        <input id=i><script>b.focus()</script>";
    let steps: Vec<Step> = vec![
        keys("press", "Space", 1),
        act_on("type \"a b\" into {}", "textbox"),
    ];
    rig.show(page).await;
    play(&rig, steps, |_| panic!("nothing else is asked"));
    let (confirm, _) = answering(false);
    let agent = rig.automator.agent(AgentConfig::default());
    agent.execute("write").confirm(confirm).await.unwrap();
    rig.becomes("i.value", "a b").await;
    rig.becomes("document.title", "fixture").await;
    rig.close().await;
}

#[tokio::test]
async fn elements_are_known_by_all_that_people_see_of_them() {
    let rig = Rig::start().await;
    let bought = "onclick=\"document.title = 'bought'; return false\"";
    let pages = [
        format!("<style>#t::before {{ content: 'Buy now' }}</style><button id=t {bought}></button>"),
        format!(
            "<style>#t i::after {{ content: attr(data-say) }}</style><button id=t {bought}><i data-say='Buy now'></i></button>"
        ),
        format!(
            "<style>#t::after {{ content: 'Place order' }}</style><div id=t role=button tabindex=0 {bought}>€ 5</div>"
        ),
        format!("<p id=d>Buy now</p><button id=t aria-describedby=d {bought}>Go</button>"),
        format!("<button id=t aria-description='Buy now' {bought}>Go</button>"),
        format!(
            "<img usemap='#m' width=100 height=100 src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='>\
            <map name=m><area id=t shape=rect coords='0,0,100,100' href='#' alt='Buy now' {bought}></map>"
        ),
        "<button id=t commandfor=d command='--buy-now'>Next</button><div id=d></div>\
            <script>d.addEventListener('command', () => { document.title = 'bought' })</script>"
            .to_owned(),
        format!("<button id=t {bought}>8uy n0w</button>"),
    ];
    for page in pages {
        rig.show(&page).await;
        let (confirm, asked) = answering(false);
        let place = rig
            .page
            .evaluate("(() => { const box = document.getElementById('t').localName === 'area' ? { x: 10, y: 10, width: 50, height: 50 } : t.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] })()")
            .await
            .unwrap();
        let at_place = call("click", json!({ "describe": "go on", "coordinates": place }));
        play(&rig, vec![at_place], |_| panic!("nothing else is asked"));
        let agent = rig.automator.agent(hybrid());
        agent.execute("go on").confirm(confirm).await.unwrap();
        let told = results(&rig);
        assert_eq!(kinds(&asked), [AgentConfirmKind::Purchase], "{page}: {told:?}");
        rig.becomes("document.title", "fixture").await;
    }
    rig.close().await;
}
