//! What the command says to input that it cannot use, and when there is no page or no browser.

use automator_testing::{Route, Site};

use crate::command::{World, path_text};

/// A command, and words of what is said to it.
type Case = (&'static [&'static str], &'static [&'static str]);

const READING: &[Case] = &[
    (&["paint", "x"], &["paint"]),
    (&["snapshot", "x.test", "--colour"], &["--colour"]),
    (
        &["snapshot", "the price of the lamp"],
        &["no valid address", "hint: "],
    ),
    (&["snapshot", ""], &["empty"]),
    (&["snapshot", "mailto:a@x.test"], &["mailto:a@x.test"]),
    (&["snapshot", "missing.html"], &["there is no file missing.html"]),
    (&["snapshot", "/nowhere/at/all"], &["there is no file"]),
    (&["snapshot", "x.test", "--viewport", "big"], &["big", "1280x720"]),
    (&["snapshot", "x.test", "--viewport", "0x10"], &["0x10"]),
    (&["snapshot", "x.test", "--timeout", "soon"], &["soon", "seconds"]),
    (&["snapshot", "x.test", "--timeout=-1"], &["-1"]),
    (&["snapshot", "x.test", "--timeout", "-1"], &["seconds"]),
    (
        &["snapshot", "x.test", "--wait-until", "lunch"],
        &["lunch", "network-idle"],
    ),
    (
        &["snapshot", "x.test", "--cdp-url", "ws://a", "--headed"],
        &["--headed", "--cdp-url"],
    ),
    (
        &["snapshot", "x.test", "--executable-path", "/"],
        &["is a folder"],
    ),
    (&["snapshot", "x.test", "-v", "-q"], &["cannot be used with"]),
    (&["extract", "x.test", "  "], &["the instruction is empty"]),
    (&["extract", "x.test", "--schema", "{}"], &["INSTRUCTION"]),
    (&["extract", "x.test", "--screenshot"], &["INSTRUCTION"]),
    (&["extract", "x.test", "--provenance"], &["INSTRUCTION"]),
    (
        &["extract", "x.test", "it", "--schema", "{\"type\": }"],
        &["line 1 column 10"],
    ),
    (
        &["extract", "x.test", "it", "--schema", "broken.json"],
        &["broken.json", "line 3 column 18"],
    ),
    (
        &["extract", "x.test", "it", "--schema", "list.json"],
        &["list.json", "must be an object"],
    ),
    (
        &["extract", "x.test", "it", "--schema", "none.json"],
        &["none.json", "hint: "],
    ),
    (&["extract", "x.test", "it", "--schema", "."], &["cannot be read"]),
    (
        &["extract", "x.test", "it", "--schema", "false"],
        &["--schema false", "must be an object, or a file"],
    ),
    (
        &["extract", "x.test", "it", "--schema", "[]"],
        &["--schema []", "must be an object, or a file"],
    ),
    (
        &["extract", "x.test", "it", "--schema", r#"{"type": 5}"#],
        &["schema is not valid at /type"],
    ),
    (
        &[
            "extract",
            "x.test",
            "it",
            "--schema",
            r#"{"type": "string", "enum": []}"#,
        ],
        &["schema is not valid at /enum", "no value can fit it"],
    ),
    (
        &["snapshot", "x.test", "--selector", "//a["],
        &["//a[", "not a valid selector"],
    ),
    (
        &["extract", "x.test", "it", "--ignore-selector", "a >>"],
        &["a >>", "not a valid selector"],
    ),
    (
        &["snapshot", "x.test", "--cdp-url", "nonsense"],
        &["--cdp-url must be", "\"nonsense\"", "ws://"],
    ),
    (
        &["extract", "x.test", "it", "--base-url", "::"],
        &["--base-url must be", "\"::\"", "http://"],
    ),
    (&["doctor", "--timeout", "x"], &["--timeout"]),
    (
        &["doctor", "--timeout", "-1"],
        &["'-1' for '--timeout", "0 seconds"],
    ),
];

const ACTING: &[Case] = &[
    (&["agent"], &["it is not said what to do"]),
    (&["agent", "x.test"], &["it is not said what to do at x.test"]),
    (&["agent", "x.test", " "], &["the instruction is empty"]),
    (&["agent", "x.test", "go", "--max-steps", "0"], &["--max-steps"]),
    (
        &["agent", "x.test", "go", "--max-steps", "-1"],
        &["'-1' for '--max-steps", "a whole number from 1"],
    ),
    (
        &["agent", "x.test", "go", "--max-tokens", "many"],
        &["'many' for '--max-tokens", "a whole number from 1"],
    ),
    (
        &["agent", "x.test", "go", "--price", "1/2", "--max-cost", "dear"],
        &["'dear' for '--max-cost", "as in 0.5"],
    ),
    (
        &["agent", "x.test", "go", "--price", "-1"],
        &["'-1' for '--price"],
    ),
    (&["agent", "x.test", "go", "--mode", "fast"], &["cua", "hybrid"]),
    (&["agent", "x.test", "go", "--max-cost", "1"], &["--price"]),
    (
        &["agent", "x.test", "go", "--price", "1"],
        &["two or three numbers"],
    ),
    (&["agent", "x.test", "go", "--confirm", "yes"], &["allow"]),
    (&["agent", "x.test", "go", "--output", "[]"], &["--output []"]),
    (&["act"], &["it is not said what to do", "INSTRUCTION"]),
    (&["act", " "], &["the instruction is empty"]),
    (&["act", "x.test", ""], &["the instruction is empty"]),
    (
        &["act", "x.test"],
        &["it is not said what to do at x.test", "--selector"],
    ),
    (&["act", "the lamp", "buy it"], &["the lamp"]),
    (&["act", "x.test", "--selector", "a"], &["--method"]),
    (&["act", "x.test", "--method", "click"], &["--selector"]),
    (&["act", "x.test", "--argument", "a"], &["--selector"]),
    (
        &["act", "x.test", "--selector", "a", "--method", "fly"],
        &["there is no method \"fly\"", "click"],
    ),
    (
        &["act", "x.test", "--selector", "//a[", "--method", "click"],
        &["//a[", "not a valid selector"],
    ),
    (
        &["act", "x.test", "--selector", "", "--method", "click"],
        &["empty"],
    ),
    (
        &["act", "x.test", "buy it", "--selector", "a", "--method", "click"],
        &["\"buy it\" is an instruction"],
    ),
    (
        &["act", "buy it", "--selector", "a", "--method", "click"],
        &["\"buy it\" is an instruction"],
    ),
    (
        &[
            "act",
            "x.test",
            "--selector",
            "a",
            "--method",
            "click",
            "--model",
            "a/b",
        ],
        &["--model", "asks none"],
    ),
    (
        &["act", "buy it", "--headed"],
        &["--headed is for a browser that is started"],
    ),
    (
        &["act", "buy it", "--cdp-url", "ws://a"],
        &["--cdp-url", "give the URL"],
    ),
    (&["act", "buy it", "--wait-until", "load"], &["--wait-until"]),
    (&["act", "buy it", "--name", "../x"], &["../x", "letters"]),
    (
        &["act", "x.test", "buy it", "--name", "shop", "--headed"],
        &["--headed"],
    ),
    (
        &["act", "x.test", "buy it", "--variable", "user"],
        &["NAME=VALUE"],
    ),
    (&["act", "x.test", "buy it", "--variable", "a b=c"], &["\"a b\""]),
    (
        &[
            "act",
            "x.test",
            "buy it",
            "--variable",
            "a=b",
            "--variable",
            "a=c",
        ],
        &["given twice"],
    ),
    (
        &[
            "act",
            "x.test",
            "buy it",
            "--variable-from-env",
            "a=NOT_SET_ANYWHERE",
        ],
        &["%a% is not set"],
    ),
    (&["observe", ""], &["the instruction is empty"]),
    (&["observe", "x.test", "it", "--selector", "//a["], &["//a["]),
    (&["open"], &["<URL>"]),
    (&["open", "two words"], &["no valid address"]),
    (&["open", "x.test", "--cdp-url", "ws://a"], &["open already"]),
    (&["open", "x.test", "--name", ""], &["letters"]),
    (&["close", "x.test"], &["x.test"]),
];

#[tokio::test]
async fn input_that_cannot_be_used_ends_with_code_2_before_a_browser_starts() {
    let world = World::new();
    world.write(
        "broken.json",
        "{\n  \"type\": \"object\",\n  \"properties\": {,\n}",
    );
    world.write("list.json", "[1, 2]");
    // A browser that would betray itself by its own exit code.
    let world = world.set("CHROME_PATH", "/nonexistent/browser");
    for (arguments, words) in READING.iter().chain(ACTING) {
        world.run(arguments).await.assert_failed(2, words);
    }
}

#[tokio::test]
async fn a_proxy_login_that_cannot_be_used_is_not_repeated() {
    let cases: &[(&str, &[&str])] = &[
        (
            "only-a-secret",
            &["snapshot", "x.test", "--proxy", "http://proxy.test:1"],
        ),
        (
            "",
            &["snapshot", "x.test", "--proxy", "http://me:a-secret@proxy.test:1"],
        ),
    ];
    for (login, arguments) in cases {
        let mut world = World::new();
        if !login.is_empty() {
            world = world.set("AUTOMATOR_PROXY_USER", login);
        }
        let outcome = world.run(arguments).await;
        outcome.assert_failed(2, &["error: "]);
        assert!(!outcome.stderr.contains("secret"), "{outcome:?}");
    }
}

#[tokio::test]
async fn selectors_that_only_the_page_can_refuse_end_with_code_2() {
    let site = Site::start().await;
    let page = site.put("<p>Hi</p>");
    let world = World::new().set("OPENAI_API_KEY", "unused");
    world
        .run(&["snapshot", &page.url, "--selector", "p[["])
        .await
        .assert_failed(2, &["p[[", "selector"]);
    world
        .run(&["snapshot", &page.url, "--ignore-selector", "p[["])
        .await
        .assert_failed(2, &["p[["]);
    for (option, selector) in [
        ("--selector", "xpath=count(//p)"),
        ("--ignore-selector", "xpath=string(//p)"),
    ] {
        let command = ["snapshot", &page.url, option, selector];
        let words = [selector, "does not lead to elements", "hint: ", "//h1"];
        world.run(&command).await.assert_failed(2, &words);
        let command = ["extract", &page.url, option, selector];
        world.run(&command).await.assert_failed(2, &words);
    }
}

#[tokio::test]
async fn no_browser_ends_with_code_3() {
    let world = World::new();
    world.write("not-a-browser", "#!/bin/sh\necho 'I am no browser' >&2\nexit 7\n");
    let script = world.work().join("not-a-browser");
    make_executable(&script);
    world
        .run(&["snapshot", "x.test", "--executable-path", &path_text(&script)])
        .await
        .assert_failed(3, &["did not start", "exit status: 7"]);
    world
        .run(&["snapshot", "x.test", "--executable-path", "/nonexistent/browser"])
        .await
        .assert_failed(3, &["/nonexistent/browser"]);
    // A port that was free a moment ago.
    let port = Site::start().await.port();
    world
        .run(&[
            "snapshot",
            "x.test",
            "--cdp-url",
            &format!("http://127.0.0.1:{port}"),
        ])
        .await
        .assert_failed(3, &["no browser at"]);
}

#[tokio::test]
async fn a_page_that_cannot_be_loaded_ends_with_code_5() {
    let world = World::new();
    let port = Site::start().await.port();
    world
        .run(&["snapshot", &format!("127.0.0.1:{port}")])
        .await
        .assert_failed(5, &["cannot load", "ERR_CONNECTION_REFUSED"]);
    let site = Site::start().await;
    let file = site.route("/file", Route::download("lamps.csv", "a,b\n"));
    world
        .run(&["snapshot", &file.url])
        .await
        .assert_failed(5, &["download"]);
}

#[tokio::test]
async fn a_page_that_never_answers_ends_with_code_6() {
    let site = Site::start().await;
    let page = site.route("/silent", Route::never());
    World::new()
        .run(&["snapshot", &page.url, "--timeout", "0.5"])
        .await
        .assert_failed(6, &["hint: --timeout"]);
}

fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
