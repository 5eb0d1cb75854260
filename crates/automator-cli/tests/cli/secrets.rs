//! Values of variables are found nowhere but in the page.

use std::path::Path;
use std::process::Stdio;

use automator_testing::{Answer, Fault, Request, SHOP_EMAIL, SHOP_PASSWORD, ScriptedModel, Shop, Site};
use tokio::io::AsyncWriteExt as _;

use crate::command::{Outcome, TELL, World, action, asking, attached_with_key};

const SECRET: &str = "velvet-lantern";

fn fill(request: &Request) -> Answer {
    action(request, "textbox: Code", "fill", &["%code%"])
}

/// Runs a command with something on its standard input.
async fn run_with_input(world: &World, arguments: &[&str], input: &str) -> Outcome {
    let mut child = world.automator(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A command that is refused does not read it.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    Outcome::of(child.wait_with_output().await.unwrap())
}

#[tokio::test]
async fn a_value_reaches_the_page_from_each_source() {
    let site = Site::start().await;
    let page = site.put(format!(
        "{TELL}<label>Code <input oninput=\"tell('/typed/' + this.value)\"></label>"
    ));
    let world = World::attached().set("SECRET_CODE", SECRET);
    let exact = [
        "act",
        &page.url,
        "--selector",
        "input",
        "--method",
        "fill",
        "--argument",
        "%code%",
    ];
    let typed = format!("/typed/{SECRET}");
    for variable in [
        ["--variable", &format!("code={SECRET}")],
        ["--variable-from-env", "code=SECRET_CODE"],
        ["--variable", "code=-"],
    ] {
        let before = site.hits_of(&typed).len();
        let outcome = run_with_input(&world, &[&exact[..], &variable].concat(), &format!("{SECRET}\n")).await;
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(site.hits_of(&typed).len() > before, "{variable:?}");
        assert!(!format!("{outcome:?}").contains(SECRET), "{outcome:?}");
        world.assert_nothing_left();
    }
}

#[tokio::test]
async fn a_value_is_in_no_output_error_log_or_file() {
    let site = Site::start().await;
    let page = site.put("<label>Code <input></label>");
    let model = ScriptedModel::start().await;
    let [option, base_url] = asking(&model);
    let world = attached_with_key().set("SECRET_CODE", SECRET);
    let secret = [
        "--variable-from-env",
        "code=SECRET_CODE",
        "--cache-dir",
        "memory",
        &option,
        &base_url,
    ];
    let act = ["act", &page.url, "type %code% into the field"];
    model.script(fill);
    for more in [&["-vvv"][..], &["--json", "-vv"]] {
        let outcome = world.run(&[&act[..], &secret, more].concat()).await;
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(!format!("{outcome:?}").contains(SECRET), "{outcome:?}");
    }
    for request in model.requests() {
        assert!(!request.raw.contains(SECRET), "{}", request.raw);
    }
    assert_no_file_holds(&world.work(), SECRET);

    model.fault_always(Some(Fault::ServerError(500)));
    let other = ["act", &page.url, "put %code% there", "--timeout", "3", "-vvv"];
    let outcome = world.run(&[&other[..], &secret].concat()).await;
    assert_ne!(outcome.code, 0, "{outcome:?}");
    assert!(!format!("{outcome:?}").contains(SECRET), "{outcome:?}");
}

fn assert_no_file_holds(folder: &Path, text: &str) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_no_file_holds(&path, text);
        } else {
            let content = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert!(!content.contains(text), "{}", path.display());
        }
    }
}

#[tokio::test]
async fn wrong_use_of_variables_repeats_no_value() {
    let world = World::attached();
    for arguments in [
        &["--variable", SECRET][..],
        &["--variable", "a b=velvet-lantern"],
        &["--variable", "=velvet-lantern"],
        &["--variable", "a=velvet-lantern", "--variable", "a=velvet-lantern"],
        &["--variable", "a=velvet-lantern", "--colour"],
        &["--variable-from-env", SECRET],
        &["--variable-from-env", "a=velvet-lantern"],
        &["--variable", "a=velvet-lantern", "--selector", "#a["],
    ] {
        let outcome = world
            .run(&[&["act", "x.test", "do it"][..], arguments].concat())
            .await;
        outcome.assert_failed(2, &[]);
        assert!(!outcome.stderr.contains(SECRET), "{outcome:?}");
    }
    let twice = ["act", "x.test", "do it", "--variable", "a=-", "--variable", "b=-"];
    let outcome = run_with_input(&world, &twice, SECRET).await;
    outcome.assert_failed(2, &["standard input"]);
}

#[tokio::test]
async fn somebody_signs_in_over_several_commands() {
    let shop = Shop::start().await;
    let world = World::new().set("SHOP_PASSWORD", SHOP_PASSWORD);
    let login = format!("{}login", shop.url);
    world.run_beside(&["open", &login, "--keep"]).await.result();
    let email = format!("email={SHOP_EMAIL}");
    let steps: [&[&str]; 3] = [
        &[
            "--selector",
            "input[name=email]",
            "--method",
            "fill",
            "--argument",
            "%email%",
            "--variable",
            &email,
        ],
        &[
            "--selector",
            "[name=password]",
            "--method",
            "fill",
            "--argument",
            "%password%",
            "--variable-from-env",
            "password=SHOP_PASSWORD",
        ],
        &["--selector", "form.login button", "--method", "click"],
    ];
    for step in steps {
        let outcome = world.run_beside(&[&["act"][..], step].concat()).await;
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(!format!("{outcome:?}").contains(SHOP_PASSWORD), "{outcome:?}");
    }
    let read = world.run_beside(&["snapshot", "--selector", "main"]).await;
    assert!(read.result().contains("You are signed in"), "{read:?}");
    let state = std::fs::read_to_string(world.state_file("default")).unwrap();
    assert!(
        !state.contains(SHOP_PASSWORD) && !state.contains(SHOP_EMAIL),
        "{state}"
    );
    world.run(&["close"]).await.result();
}
