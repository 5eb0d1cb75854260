//! Complaints from the field about processes, connections and starting up.
//!
//! | case | test |
//! |---|---|
//! | L01 nothing is left of a session | `descriptors_stay_flat_over_many_sessions` in `enduring`; processes and profiles: `launching_and_closing_again_and_again_leaves_nothing` of automator-browser |
//! | L02 killed host | `browser_goes_when_its_host_is_killed_and_the_next_start_removes_the_profile` of automator-browser |
//! | L03 thread that ends | `browser_outlives_the_thread_that_started_it` of automator-browser |
//! | L04 kept alive and attached to | `browser_that_is_kept_alive_keeps_its_page_for_the_next_session` |
//! | L05 foreign browser | `every_form_of_address_works_and_the_browser_is_never_ended` of automator-browser |
//! | L06 browser that dies | `browser_that_dies_ends_the_calls_that_wait` |
//! | L07 page that hangs or crashes | `page_that_hangs_and_page_that_crashes_leave_the_others_working` |
//! | L08 proxy with a password | `password_of_the_proxy_is_in_no_log_line` |
//! | L09 root without a sandbox | `root_starts_without_a_hint_and_is_told_once` of automator-browser |
//! | L10 picture of a page in the background | `page_in_the_background_is_pictured_and_extracted_with_a_picture` |
//! | L11 side by side | `pages_and_sessions_side_by_side_do_not_mix` |
//! | L12 long session | `memory_stays_flat_over_many_pages_read` in `enduring` |

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use automator::{
    Action, Automator, CloseOptions, Env, ErrorKind, GotoOptions, ProxyOptions, Verbosity, WaitUntil,
};
use automator_testing::{Answer, Fault, ProfileFolder, ProxyServer, Route, Site};
use serde_json::json;

use crate::place::Place;
use crate::rig::{Rig, id_of_nth, model_options, quiet};

/// The browser that runs on a profile.
fn browser_on(profile: &Path) -> u32 {
    let flag = format!("--user-data-dir={}", profile.display());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let found = processes.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        let mut words = command.split(|byte| *byte == 0);
        let is_child = words.clone().any(|word| word.starts_with(b"--type="));
        (!is_child && words.any(|word| word == flag.as_bytes())).then_some(id)
    });
    found.min().unwrap()
}

fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(status.unwrap().success());
}

#[tokio::test]
async fn browser_that_is_kept_alive_keeps_its_page_for_the_next_session() {
    let profile = ProfileFolder::new();
    let rig = Rig::with(|builder| {
        let mut launch = quiet();
        launch.user_data_dir = Some(profile.path().to_owned());
        builder.keep_alive(true).local_browser(launch)
    })
    .await;
    let at = rig
        .show("<title>kept</title><script>window.state = 'before'</script>")
        .await;
    rig.page.evaluate("window.state = 'set'").await.unwrap();
    let address = rig.automator.connect_url().await.unwrap();
    rig.automator.close().await.unwrap();
    for is_last in [false, true] {
        let mut launch = quiet();
        launch.cdp_url = Some(address.clone());
        let next = Automator::builder(Env::Local)
            .local_browser(launch)
            .build()
            .unwrap();
        next.init().await.unwrap();
        let pages = next.context().unwrap().pages();
        let page = pages.iter().find(|page| page.url() == at.url).unwrap();
        assert_eq!(page.evaluate("window.state").await.unwrap(), "set");
        if is_last {
            // By itself, so that it takes its temporary files along. It may be gone before it has answered.
            let _ = next
                .context()
                .unwrap()
                .send_cdp("Browser.close", &json!({}))
                .await;
        }
        next.close().await.unwrap();
    }
    let lock = profile.path().join("SingletonLock");
    let patience = Instant::now() + Duration::from_secs(10);
    while lock.symlink_metadata().is_ok() && Instant::now() < patience {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn browser_that_dies_ends_the_calls_that_wait() {
    for asks_model in [true, false] {
        let profile = ProfileFolder::new();
        let rig = Rig::with(|builder| {
            let mut launch = quiet();
            launch.user_data_dir = Some(profile.path().to_owned());
            builder.local_browser(launch)
        })
        .await;
        rig.show("<button>Go</button>").await;
        rig.model
            .script(|_| Answer::value(json!({ "extraction": "late" })));
        rig.model.fault_always(Some(Fault::Slow(Duration::from_secs(60))));
        let automator = rig.automator.clone();
        let page = rig.page.clone();
        let waiting = tokio::spawn(async move {
            if asks_model {
                automator.extract("it").await.map(drop)
            } else {
                page.evaluate("window.waits = true, new Promise(() => {})")
                    .await
                    .map(drop)
            }
        });
        if asks_model {
            rig.model.wait_for_requests(1).await;
        } else {
            rig.becomes("window.waits === true", true).await;
        }
        signal(browser_on(profile.path()), "-KILL");
        let killed = Instant::now();
        let error = waiting.await.unwrap().unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::CdpConnectionClosed | ErrorKind::Closed),
            "{error:?}"
        );
        rig.automator.close().await.unwrap();
        rig.automator
            .close_with(CloseOptions { force: true })
            .await
            .unwrap();
        assert!(killed.elapsed() < Duration::from_secs(20), "it ends at once");
    }
}

#[tokio::test]
async fn page_that_hangs_and_page_that_crashes_leave_the_others_working() {
    let rig = Rig::with_own_browser().await;
    let fine = rig.site.put("<h1>All is well</h1>");
    let works = async || {
        let page = rig.new_page().await;
        page.goto(&fine.url).await.unwrap();
        let text = rig.automator.page_text().page(&page).await.unwrap().page_text;
        assert!(text.contains("All is well"), "{text}");
        page
    };
    rig.show("<p>x</p>").await;
    rig.page
        .evaluate("setTimeout(() => { for (;;); }, 100), 1")
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    let started = Instant::now();
    let reading = rig.automator.page_text().page(&rig.page);
    let error = reading.timeout(Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExtractTimeout);
    let page = works().await;
    let options = GotoOptions {
        wait_until: WaitUntil::Load,
        timeout: Duration::from_secs(3),
    };
    page.goto_with("chrome://crash", options).await.unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(30));
    works().await;
    rig.close().await;
}

#[tokio::test]
async fn password_of_the_proxy_is_in_no_log_line() {
    let site = Site::start().await;
    site.put_at("/end", "<h1>Behind the proxy</h1>");
    site.route("/hop", Route::redirect("/hop2"));
    site.route("/hop2", Route::redirect("/end"));
    let proxy = ProxyServer::start("steward", "candle-stick-77").await;
    proxy.map_host("case.test", site.port());
    for (password, is_right) in [("candle-stick-77", true), ("lamp-oil-88", false)] {
        let lines: Arc<Mutex<String>> = Arc::default();
        let kept = Arc::clone(&lines);
        let mut launch = quiet();
        launch.args.retain(|argument| !argument.contains("NOTFOUND"));
        launch.proxy = Some(ProxyOptions {
            server: proxy.url(),
            bypass: None,
            username: Some("steward".to_owned()),
            password: Some(password.to_owned()),
        });
        let automator = Automator::builder(Env::Local)
            .local_browser(launch)
            .verbose(Verbosity::Detailed)
            .logger(move |line| kept.lock().unwrap().push_str(&format!("{line:?}\n")))
            .build()
            .unwrap();
        automator.init().await.unwrap();
        let page = automator.context().unwrap().active_page().unwrap();
        if is_right {
            for path in ["/end", "/hop"] {
                page.goto(&format!("http://case.test{path}")).await.unwrap();
                assert_eq!(page.url(), "http://case.test/end");
            }
        } else {
            let error = page.goto("http://case.test/end").await.unwrap_err();
            assert!(error.to_string().to_lowercase().contains("proxy"), "{error}");
            assert!(!error.to_string().contains(password));
        }
        automator.close().await.unwrap();
        let lines = lines.lock().unwrap();
        assert!(!lines.is_empty() && !lines.contains(password), "{lines}");
    }
}

#[tokio::test]
async fn page_in_the_background_is_pictured_and_extracted_with_a_picture() {
    let rig = Rig::with_own_browser().await;
    rig.show("<body style='background:teal'><h1>Behind</h1>").await;
    let context = rig.automator.context().unwrap();
    let front = context.new_page("about:blank").await.unwrap();
    front.goto(&rig.site.put("<h1>In front</h1>").url).await.unwrap();
    let started = Instant::now();
    assert!(rig.page.screenshot().await.unwrap().starts_with(b"\x89PNG"));
    rig.model.script(|request| {
        assert!(
            request.images == 1 && request.text.contains("Behind"),
            "{request:?}"
        );
        Answer::value(json!({ "extraction": "teal" }))
    });
    let extract = rig.automator.extract("the colour").screenshot(true);
    let found = extract.page(&rig.page).await.unwrap();
    assert_eq!(found.extraction, "teal");
    assert!(started.elapsed() < Duration::from_secs(15));
    rig.close().await;
}

#[tokio::test]
async fn pages_and_sessions_side_by_side_do_not_mix() {
    let rig = Rig::with_own_browser().await;
    let buttons = rig.site.put(
        ["Ash", "Elm", "Oak"]
            .map(|tree| {
                format!("<li>Order {tree} <button onclick=\"window.result='{tree}'\">Cancel</button>")
            })
            .concat(),
    );
    let field = rig
        .site
        .put("<input id=f value=old><script>f.oninput = () => { window.result = f.value }</script>");
    rig.model.script(|request| {
        let id = id_of_nth(request, "button: Cancel", 2);
        Answer::value(json!({ "elementId": id, "description": "cancel", "method": "click", "arguments": [] }))
    });
    let both = async |one: &Automator, other: &Automator| {
        let first = one.context().unwrap().new_page(&buttons.url).await.unwrap();
        let second = other.context().unwrap().new_page(&field.url).await.unwrap();
        let pressing = one.act("cancel the order for elm").page(&first);
        let filling = other.act(Action::new("#f", "fill").argument("br")).page(&second);
        let (pressed, filled) = tokio::join!(pressing, filling);
        assert!(pressed.unwrap().success && filled.unwrap().success);
        assert_eq!(first.evaluate("window.result").await.unwrap(), "Elm");
        assert_eq!(second.evaluate("window.result").await.unwrap(), "br");
    };
    both(&rig.automator, &rig.automator).await;
    let other = Place::of_this_run()
        .builder()
        .model(model_options(&rig.model))
        .build()
        .unwrap();
    other.init().await.unwrap();
    both(&rig.automator, &other).await;
    both(&other, &rig.automator).await;
    let (one, two) = (rig.automator.metrics(), other.metrics());
    let tokens = one.act_prompt_tokens / 2;
    assert!(tokens > 0);
    assert_eq!(
        (one.act_prompt_tokens, two.act_prompt_tokens),
        (2 * tokens, tokens)
    );
    assert_eq!(rig.model.requests().len(), 3);
    other.close().await.unwrap();
    rig.close().await;
}
