//! States of a session and what it says in each.

use std::time::{Duration, Instant};

use automator::{Automator, CloseOptions, Env, EnvironmentSource, ErrorKind, LocalBrowserLaunchOptions};

use crate::place::Place;
use crate::rig::Rig;

#[tokio::test]
async fn calls_before_init_and_after_close_say_so() {
    let automator = Place::of_this_run().builder().build().unwrap();
    assert_eq!(automator.context().unwrap_err().kind(), ErrorKind::NotInitialized);
    assert_eq!(
        automator.extract("x").await.unwrap_err().kind(),
        ErrorKind::NotInitialized
    );
    assert_eq!(
        automator.page_text().await.unwrap_err().kind(),
        ErrorKind::NotInitialized
    );
    automator.close().await.unwrap();
    automator.init().await.unwrap();
    automator.init().await.unwrap();
    assert_eq!(automator.context().unwrap().pages().len(), 1);
    automator.close().await.unwrap();
    automator.close().await.unwrap();
    automator.close_with(CloseOptions { force: true }).await.unwrap();
    let error = automator.page_text().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotInitialized);
    assert_eq!(
        error.to_string(),
        "extract: the session is not initialised (call init() first)"
    );
}

#[tokio::test]
async fn a_closed_session_can_be_opened_again() {
    let rig = Rig::with_own_browser().await;
    rig.automator.close().await.unwrap();
    rig.automator.init().await.unwrap();
    let page = rig.automator.context().unwrap().active_page().unwrap();
    page.goto(&rig.site.put("<h1>second life</h1>").url)
        .await
        .unwrap();
    assert!(rig.text().await.contains("second life"));
    rig.close().await;
}

#[tokio::test]
async fn closing_ends_what_runs_and_says_so() {
    let rig = Rig::with_own_browser().await;
    rig.show("<p>x</p>").await;
    let page = rig.page.clone();
    let waiting = tokio::spawn({
        let page = page.clone();
        async move { page.wait_for_timeout(Duration::from_secs(60)).await }
    });
    let evaluating = tokio::spawn({
        let page = page.clone();
        async move { page.evaluate("new Promise(() => {})").await.map(drop) }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    rig.close().await;
    for pending in [waiting, evaluating] {
        let error = pending.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Closed, "{error}");
    }
    let error = page.title().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed, "{error}");
    assert!(error.to_string().contains("the session was closed"), "{error}");
}

#[tokio::test]
async fn a_lost_browser_ends_pending_calls_and_refuses_later_ones() {
    let rig = Rig::with_own_browser().await;
    rig.show("<p>x</p><script>setTimeout(() => { for (;;); }, 100)</script>")
        .await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let automator = rig.automator.clone();
    let pending = tokio::spawn(async move { automator.page_text().await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let started = Instant::now();
    rig.automator
        .close_with(CloseOptions { force: true })
        .await
        .unwrap();
    let error = pending.await.unwrap().unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::CdpConnectionClosed | ErrorKind::Closed),
        "{error:?}"
    );
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(
        rig.automator.page_text().await.unwrap_err().kind(),
        ErrorKind::NotInitialized
    );
}

#[tokio::test]
async fn a_browser_that_cannot_be_started_is_an_init_error_that_says_what_to_do() {
    let launch = LocalBrowserLaunchOptions {
        executable_path: Some("/nonexistent/browser".into()),
        ..LocalBrowserLaunchOptions::default()
    };
    let automator = Automator::builder(Env::Local)
        .local_browser(launch)
        .build()
        .unwrap();
    let error = automator.init().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Init);
    assert!(error.to_string().contains("/nonexistent/browser"), "{error}");
}

#[tokio::test]
async fn the_remote_environment_asks_for_its_key() {
    let without = |key: Option<&str>| {
        let key = key.map(str::to_owned);
        Automator::builder(Env::Remote)
            .with(|options| {
                options.environment =
                    EnvironmentSource::new(move |name| key.clone().filter(|_| name == "REMOTE_API_KEY"));
                // Nothing listens there.
                options.remote_base_url = Some("http://127.0.0.1:1".to_owned());
            })
            .build()
            .unwrap()
    };
    let error = without(None).init().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingEnvironmentVariable);
    assert!(error.to_string().contains("REMOTE_API_KEY"), "{error}");
    let error = without(Some("key")).init().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Init);
    let text = error.to_string();
    assert!(
        text.contains("127.0.0.1:1") && text.contains("automator serve"),
        "{text}"
    );
}

#[tokio::test]
async fn a_model_name_without_a_provider_is_refused_at_once() {
    let error = Automator::builder(Env::Local)
        .model("just-a-name")
        .build()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidModelFormat);
    assert!(error.to_string().contains("just-a-name"));
}
