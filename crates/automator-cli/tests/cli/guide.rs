//! `docs/guides/command-line.md`: every command in it is run, and gives what the guide says.

use automator_testing::{Answer, Kind, Request, SHOP_PASSWORD, ScriptedModel, Shop};
use serde_json::json;

use crate::command::{BINARY, action, choice, world_with_key};

const GUIDE: &str = include_str!("../../../../docs/guides/command-line.md");

/// The made-up shop of the guide.
const SHOP: &str = "lamps.example";

/// The script with a model for the commands that act by words.
fn asking(script: &str, model: &str) -> String {
    let lines = script.lines().map(|line| {
        if line.contains("--selector") {
            line.to_owned()
        } else {
            line.replace("automator act ", &format!("automator act {model}"))
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// What a model would choose for the instructions of the guide.
fn choose(request: &Request) -> Answer {
    let asked = |words: &str| request.text.contains(words);
    if request.kind == Kind::Agent {
        do_the_task(request)
    } else if asked("the ways into the shop") {
        let elements = [choice(request, "link: Sign in", "click", &[])];
        Answer::value(json!({ "elements": elements }))
    } else if asked("put the lamp in the basket") {
        action(request, "button: Add to basket", "click", &[])
    } else if asked("type %email%") {
        action(request, "textbox: Email", "fill", &["%email%"])
    } else if asked("type %password%") {
        action(request, "textbox: Password", "fill", &["%password%"])
    } else {
        action(request, "button: Sign in", "click", &[])
    }
}

/// The same for its task of many steps.
fn do_the_task(request: &Request) -> Answer {
    if request.tools.len() == 1 {
        let said = "The basket holds one arc lamp, for € 49.00.";
        return Answer::tool("done", json!({ "reasoning": said, "taskComplete": true }));
    }
    let click = |line: &str| {
        let action = format!("click [{}]", request.id_of(line));
        Answer::tool("act", json!({ "action": action }))
    };
    match request.tool_results.len() {
        0 => click("link: Arc lamp"),
        1 => click("button: Add to basket"),
        _ => Answer::text("That is all."),
    }
}

/// A fenced block: what stands behind the fence, and its text.
fn blocks(guide: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in guide.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => open = Some((kind.trim().to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

#[tokio::test]
async fn every_command_of_the_guide_gives_what_it_says() {
    let shop = Shop::start().await;
    let model = ScriptedModel::for_shop().await;
    let other_model = ScriptedModel::start().await;
    other_model.answers([Answer::value(json!({ "heading": "Ready" }))]);
    let host = format!("127.0.0.1:{}", shop.site().port());
    let acting_model = ScriptedModel::start().await;
    acting_model.script(choose);
    let world = world_with_key().set("SHOP_PASSWORD", SHOP_PASSWORD);
    let folder = std::path::Path::new(BINARY).parent().unwrap();
    let found_first = format!("PATH='{}':\"$PATH\"\n", folder.display());
    let mut printed = String::new();
    let mut commands = 0;
    for (kind, text) in blocks(GUIDE) {
        match kind.split_once(' ') {
            None if kind == "sh" => {
                let by = |model: &ScriptedModel| format!("--base-url {} ", model.base_url());
                let script = asking(&text, &by(&acting_model))
                    .replace("automator extract ", &format!("automator extract {}", by(&model)))
                    .replace(
                        "automator observe ",
                        &format!("automator observe {}", by(&acting_model)),
                    )
                    .replace(
                        "automator agent ",
                        &format!("automator agent {}", by(&acting_model)),
                    )
                    .replace(
                        "automator doctor",
                        &format!("automator doctor {}", by(&other_model)),
                    )
                    .replace(SHOP, &host);
                let output = world
                    .program("sh")
                    .args(["-e", "-c", &(found_first.clone() + &script)])
                    .output()
                    .await
                    .unwrap();
                let errors = String::from_utf8(output.stderr).unwrap();
                assert!(output.status.success(), "{script}\n{errors}");
                printed = String::from_utf8(output.stdout)
                    .unwrap()
                    .replace(&format!("http://{host}"), &format!("https://{SHOP}"));
                commands += text.lines().filter(|line| line.contains("automator ")).count();
            }
            None if kind == "text" || kind == "json" => assert_lines_in_order(&printed, &text),
            Some(("json", file)) => world.write(file, &text),
            _ => panic!("a block of an unknown kind: {kind}"),
        }
    }
    assert!(commands >= 19, "only {commands} commands were found");
    assert_eq!(model.failures(), Vec::<String>::new());
    world.assert_nothing_left();
}

/// Each line of the guide stands in the output, in this order; `…` is what the guide leaves out.
fn assert_lines_in_order(printed: &str, expected: &str) {
    let mut rest = printed.lines();
    for wanted in expected.lines().filter(|line| line.trim() != "…") {
        assert!(
            rest.any(|line| line.trim_end() == wanted.trim_end()),
            "{wanted:?} is not, or not at its place, in\n{printed}"
        );
    }
}
