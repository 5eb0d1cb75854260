//! JavaScript in pages, and dialogs that get into its way.

use std::sync::{Arc, Mutex};

use automator_browser::{Argument, BrowserError, DialogAnswer};
use automator_testing::Site;
use serde_json::json;

use crate::{browser_at, frame_at, load};

#[tokio::test]
async fn values_promises_and_errors_come_out_of_the_page() {
    let site = Site::start().await;
    let at = site.put("<script>function broken() { throw new TypeError('no such thing') }</script>");
    let (browser, page) = browser_at(&at.url).await;
    let evaluate = async |expression: &str| page.evaluate_in_page(expression).await;
    assert_eq!(
        evaluate("({a: [1, null, 'x'], b: undefined})").await.unwrap(),
        json!({ "a": [1, null, "x"] })
    );
    assert_eq!(evaluate("Promise.resolve(7)").await.unwrap(), 7);
    assert_eq!(evaluate("undefined").await.unwrap(), json!(null));
    assert_eq!(evaluate("'\\ud800'").await.unwrap(), "\u{fffd}");
    let BrowserError::Evaluation { message, stack, .. } = evaluate("broken()").await.unwrap_err() else {
        panic!()
    };
    assert_eq!(message, "TypeError: no such thing");
    assert!(stack.unwrap().contains("at broken"));
    let thrown = |outcome| match outcome {
        Err(BrowserError::Evaluation { message, .. }) => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(thrown(evaluate("Promise.reject('just text')").await), "just text");
    assert!(thrown(evaluate("1 +").await).starts_with("SyntaxError"));
    let nested = |levels: u32| {
        format!("(() => {{ let v = 1; for (let i = 0; i < {levels}; i++) v = [v]; return v }})()")
    };
    assert!(evaluate(&nested(200)).await.is_ok());
    let refused = ["(() => { const a = {}; a.a = a; return a })()", &nested(5_000)];
    for expression in refused {
        assert!(!thrown(evaluate(expression).await).is_empty());
    }
    browser.close().await;
}

#[tokio::test]
async fn functions_take_values_and_handles_in_a_world_of_our_own() {
    let site = Site::start().await;
    let inner = site.put_at("/inner", "<p>inside</p>");
    let at = site.put(format!(
        "<script>Array.prototype.map = () => 'hostile'; document.title = 'x'</script><iframe src='{}'></iframe>",
        inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    let frame = page.main_frame();
    let list = [json!([1, 2]).into()];
    let doubled = frame
        .call_function("function(list) { return list.map((n) => n * 2) }", &list)
        .await;
    assert_eq!(doubled.unwrap(), json!([2, 4]));
    let body = frame
        .call_function_for_handle("function() { return document.body }", &[])
        .await
        .unwrap()
        .unwrap();
    let tag = frame
        .call_function(
            "(node, suffix) => node.localName + suffix",
            &[(&body).into(), "!".into()],
        )
        .await;
    assert_eq!(tag.unwrap(), "body!");
    assert!(
        frame
            .call_function_for_handle("() => 1", &[])
            .await
            .unwrap()
            .is_none()
    );
    let async_function = "async function() { await null; return document.body.innerText }";
    let other = frame_at(&page, "/inner").await;
    assert_eq!(other.call_function(async_function, &[]).await.unwrap(), "inside");
    let foreign = other
        .call_function("(node) => node", &[Argument::Handle(&body)])
        .await;
    assert!(foreign.is_err(), "a handle is of use in its own frame only");
    browser.close().await;
}

#[tokio::test]
async fn worlds_are_made_anew_after_every_navigation() {
    let site = Site::start().await;
    let at = site.put("<title>same</title>");
    let (browser, page) = browser_at(&at.url).await;
    let mark = "() => { const before = globalThis.mark ?? 'new'; globalThis.mark = 'old'; return before }";
    for url in [&at.url, &at.url, &at.cross_url, &at.url] {
        page.goto(url, load()).await.unwrap();
        assert_eq!(page.main_frame().call_function(mark, &[]).await.unwrap(), "new");
        assert_eq!(page.main_frame().call_function(mark, &[]).await.unwrap(), "old");
        assert_eq!(page.title().await.unwrap(), "same");
    }
    // Reading on while the page moves never meets a stale world.
    let reading = async {
        for _ in 0..60 {
            page.title().await.unwrap();
        }
    };
    let moving = async {
        for url in [&at.cross_url, &at.url, &at.cross_url, &at.url] {
            page.goto(url, load()).await.unwrap();
        }
    };
    tokio::join!(reading, moving);
    browser.close().await;
}

#[tokio::test]
async fn dialogs_are_answered_by_policy_or_by_a_listener() {
    let site = Site::start().await;
    let inner = site.put_at("/inner", "<p>x</p>");
    let at = site.put(format!("<iframe src='{}'></iframe>", inner.cross_url));
    let (browser, page) = browser_at(&at.url).await;
    let ask = "[alert('a'), confirm('b'), prompt('c', 'd')]";
    assert_eq!(
        page.evaluate_in_page(ask).await.unwrap(),
        json!([null, false, null])
    );
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hearing = Arc::clone(&heard);
    browser.set_dialog_listener(Some(Arc::new(move |dialog| {
        hearing
            .lock()
            .unwrap()
            .push(format!("{} {}", dialog.kind, dialog.message));
        (dialog.kind != "alert").then(|| DialogAnswer::Accept(Some("typed".to_owned())))
    })));
    assert_eq!(
        page.evaluate_in_page(ask).await.unwrap(),
        json!([null, true, "typed"])
    );
    let frame = frame_at(&page, "/inner").await;
    assert_eq!(
        frame.evaluate_in_page("confirm('from a frame')").await.unwrap(),
        true
    );
    let expected = ["alert a", "confirm b", "prompt c", "confirm from a frame"];
    assert_eq!(*heard.lock().unwrap(), expected);
    browser.set_dialog_listener(None);
    assert_eq!(page.evaluate_in_page("confirm('e')").await.unwrap(), false);
    browser.close().await;
}

#[tokio::test]
async fn functions_are_called_with_the_argument_and_expressions_evaluated() {
    let site = Site::start().await;
    let inner = site.put_at("/inner", "<script>var here = 'inner'</script>");
    let sibling = site.put_at("/sibling", "<script>var here = 'sibling'</script>");
    let at = site.put(format!(
        "<script>var here = 'outer'</script><iframe src='{}'></iframe><iframe src='{}'></iframe>",
        inner.cross_url, sibling.url
    ));
    let (browser, page) = browser_at(&at.url).await;
    let argument = json!({ "a": [1, "é", null] });
    let cases = [
        ("(x) => x.a", json!([1, "é", null])),
        ("x => here + x.a.length", json!("outer3")),
        (
            "function f(x) { return [this === window, x.a[0]] }",
            json!([true, 1]),
        ),
        ("async ({ a }) => (await Promise.resolve(a))[1]", json!("é")),
        ("() => undefined", json!(null)),
        ("(function (x) { return arguments.length })", json!(1)),
        ("here", json!("outer")),
        ("(() => 5)()", json!(5)),
        ("function g() { return 3 } g()", json!(3)),
        ("function g() { return 3 }; g() + 1", json!(4)),
        ("let unheard = 2; unheard * 2", json!(4)),
        ("Promise.resolve(here)", json!("outer")),
    ];
    for (source, expected) in cases {
        let value = page.evaluate(source, Some(&argument)).await;
        assert_eq!(value.unwrap(), expected, "{source}");
    }
    let count = page
        .evaluate("function () { return arguments.length }", None)
        .await;
    assert_eq!(count.unwrap(), 0);
    for path in ["/inner", "/sibling"] {
        let frame = frame_at(&page, path).await;
        let value = frame.evaluate("(x) => here + x", Some(&json!(1))).await;
        assert_eq!(value.unwrap(), format!("{}1", path.trim_start_matches('/')));
    }
    // The world that is remembered goes with its document.
    page.goto(&site.put("<script>var here = 'next'</script>").url, load())
        .await
        .unwrap();
    assert_eq!(page.evaluate("() => here", None).await.unwrap(), "next");
    browser.close().await;
}

#[tokio::test]
async fn what_a_page_throws_comes_with_name_message_stack_and_place() {
    let site = Site::start().await;
    site.route(
        "/x.js",
        automator_testing::Route::typed(
            "text/javascript",
            "class Refusal extends Error {}\n\nfunction refuse() {\n  throw new Refusal('no way');\n}",
        ),
    );
    let at = site.put("<script src='/x.js'></script>");
    let (browser, page) = browser_at(&at.url).await;
    for source in ["() => refuse()", "refuse()", "async () => refuse()"] {
        let error = page.evaluate(source, None).await.unwrap_err();
        let BrowserError::Evaluation {
            message, name, stack, ..
        } = error
        else {
            panic!("{source}")
        };
        assert!(message.contains("no way"), "{message}");
        assert!(matches!(name.as_deref(), Some("Refusal" | "Error")), "{name:?}");
        assert!(stack.unwrap().contains("/x.js:4:"), "{source}");
    }
    let error = page.evaluate("refuse()", None).await.unwrap_err();
    let BrowserError::Evaluation {
        place: Some(place), ..
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((place.url, place.line), (site.url("/x.js"), 4));
    // A function that cannot be read is told as such, one that throws such an error is not called twice.
    let unread = page.evaluate("() => { return 1 +", None).await.unwrap_err();
    assert!(matches!(&unread, BrowserError::Evaluation { name: Some(name), .. } if name == "SyntaxError"));
    page.evaluate("window.calls = 0", None).await.unwrap();
    let thrown = page
        .evaluate("() => { calls++; JSON.parse('{') }", None)
        .await
        .unwrap_err();
    assert!(
        matches!(&thrown, BrowserError::Evaluation { message, .. } if message.contains("JSON")),
        "{thrown:?}"
    );
    assert_eq!(page.evaluate("calls", None).await.unwrap(), 1);
    browser.close().await;
}
