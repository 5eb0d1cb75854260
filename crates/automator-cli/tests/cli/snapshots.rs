//! `automator snapshot`.

use std::time::Duration;

use automator_testing::{ProxyServer, Route, Shop, Site};

use crate::command::World;

const PAGE: &str = "<h1>Lamps</h1><p id=intro>Nice ones</p><nav><a href='/sale'>Sale</a></nav>";

#[tokio::test]
async fn a_page_is_printed_as_text() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let outcome = World::attached().run(&["snapshot", "-q", &page.url]).await;
    let expected = "\
[0-0] RootWebArea: fixture
  [0-1] heading: Lamps
  Nice ones
  navigation
    [0-2] link: Sale
";
    assert_eq!(outcome.result(), expected);
    assert_eq!(outcome.stderr, "");
}

#[tokio::test]
async fn json_holds_text_and_maps_on_one_line() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let outcome = World::attached().run(&["snapshot", &page.url, "--json"]).await;
    assert_eq!(outcome.result().lines().count(), 1);
    let json = outcome.json();
    assert_eq!(json["url"], page.url);
    assert_eq!(json["title"], "fixture");
    assert!(
        json["text"].as_str().unwrap().contains("[0-2] link: Sale"),
        "{json}"
    );
    assert_eq!(json["urls"]["0-2"], site.url("/sale"));
    assert_eq!(json["xpaths"]["0-1"], "/html[1]/body[1]/h1[1]");
}

#[tokio::test]
async fn xpaths_below_a_slot_are_told_too() {
    let site = Site::start().await;
    let page = site.put(
        "<div id=host><button>Slotted</button></div>
         <script>host.attachShadow({ mode: 'open' }).innerHTML = '<p><slot></slot></p>'</script>",
    );
    let json = World::attached()
        .run(&["snapshot", &page.url, "--json"])
        .await
        .json();
    assert_eq!(
        json["xpaths"]["0-1"], "/html[1]/body[1]/div[1]/button[1]",
        "{json}"
    );
}

#[tokio::test]
async fn a_selector_keeps_one_part_with_the_ids_of_the_whole_page() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let outcome = World::attached()
        .run(&["snapshot", &page.url, "--selector", "nav"])
        .await;
    assert!(outcome.result().contains("[0-2] link: Sale"), "{outcome:?}");
    assert!(!outcome.stdout.contains("Lamps"), "{outcome:?}");
    let json = World::attached()
        .run(&["snapshot", &page.url, "--selector", "nav", "--json"])
        .await
        .json();
    assert_eq!(json["urls"].as_object().unwrap().len(), 1, "{json}");
    assert_eq!(json["xpaths"]["0-2"], "/html[1]/body[1]/nav[1]/a[1]");
}

#[tokio::test]
async fn ignored_selectors_leave_parts_out() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let arguments = [
        "snapshot",
        &page.url,
        "--ignore-selector",
        "nav",
        "--ignore-selector=#intro",
        "--ignore-selector=.nothing",
    ];
    let outcome = World::attached().run(&arguments).await;
    assert_eq!(
        outcome.result(),
        "[0-0] RootWebArea: fixture\n  [0-1] heading: Lamps\n"
    );
}

#[tokio::test]
async fn a_selector_that_matches_nothing_fails() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    for selector in ["#missing", "//section"] {
        let outcome = World::attached()
            .run(&["snapshot", &page.url, "--selector", selector])
            .await;
        outcome.assert_failed(1, &[selector, "hint: "]);
    }
}

#[tokio::test]
async fn a_host_without_scheme_and_a_file_are_addresses() {
    let shop = Shop::start().await;
    let host = format!("127.0.0.1:{}", shop.site().port());
    let outcome = World::attached().run(&["snapshot", &host]).await;
    assert!(outcome.result().contains("Arc lamp"), "{outcome:?}");

    let world = World::attached();
    world.write("a page.html", "<meta charset=utf-8><h1>From a file: ü</h1>");
    let outcome = world.run(&["snapshot", "a page.html"]).await;
    assert!(
        outcome.result().contains("heading: From a file: ü"),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn an_http_error_is_read_and_told_on_standard_error() {
    let site = Site::start().await;
    let page = site.route(
        "/gone",
        Route {
            status: 410,
            ..Route::html("<h1>No longer here</h1>")
        },
    );
    let outcome = World::attached().run(&["snapshot", &page.url]).await;
    assert!(outcome.result().contains("No longer here"), "{outcome:?}");
    assert!(
        outcome.stderr.contains("warning: ") && outcome.stderr.contains("410"),
        "{outcome:?}"
    );
    let quiet = World::attached().run(&["snapshot", &page.url, "--quiet"]).await;
    assert_eq!(quiet.stderr, "");
}

#[tokio::test]
async fn waiting_for_the_network_sees_what_comes_later() {
    let site = Site::start().await;
    site.route(
        "/later",
        Route::text("Here at last").delay(Duration::from_millis(700)),
    );
    let page = site.put(
        "<p id=place></p>
         <script>fetch('/later').then(reply => reply.text()).then(text => place.textContent = text)</script>",
    );
    let outcome = World::attached()
        .run(&["snapshot", &page.url, "--wait-until", "network-idle"])
        .await;
    assert!(outcome.result().contains("Here at last"), "{outcome:?}");
}

#[tokio::test]
async fn the_viewport_has_the_size_that_is_asked_for() {
    let site = Site::start().await;
    let page =
        site.put("<p id=size></p><script>size.textContent = `${innerWidth} by ${innerHeight}`</script>");
    let outcome = World::attached()
        .run(&["snapshot", &page.url, "--viewport", "640x480"])
        .await;
    assert!(outcome.result().contains("640 by 480"), "{outcome:?}");
}

#[tokio::test]
async fn arguments_and_profile_reach_the_browser() {
    let site = Site::start().await;
    let page = site.put("<p id=agent></p><script>agent.textContent = navigator.userAgent</script>");
    let world = World::new();
    let profile = world.work().join("profile");
    let arguments = [
        "snapshot",
        &page.url,
        "--arg=--user-agent=Lamp reader",
        "--user-data-dir",
        profile.to_str().unwrap(),
    ];
    let outcome = world.run(&arguments).await;
    assert!(outcome.result().contains("Lamp reader"), "{outcome:?}");
    assert!(profile.join("Default").is_dir(), "the profile is kept");
}

#[tokio::test]
async fn a_proxy_with_a_login_is_used() {
    let site = Site::start().await;
    site.route("/", Route::html("<h1>Through the proxy</h1>"));
    let proxy = ProxyServer::start("lena", "bright:evening").await;
    proxy.map_host("lamps.test", site.port());
    let world = World::new().set("AUTOMATOR_PROXY_USER", "lena:bright:evening");
    let arguments = ["snapshot", "http://lamps.test/", "--proxy", &proxy.url()];
    let outcome = world.run(&arguments).await;
    assert!(outcome.result().contains("Through the proxy"), "{outcome:?}");
}

#[tokio::test]
async fn a_part_without_visible_text_is_told() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    for command in ["snapshot", "extract"] {
        let outcome = World::attached()
            .run(&[command, &page.url, "--selector", "title"])
            .await;
        assert_eq!(outcome.result().trim(), "");
        assert!(
            outcome
                .stderr
                .contains("warning: what `title` selects has no visible text\n"),
            "{outcome:?}"
        );
    }
}

#[tokio::test]
async fn the_status_of_an_error_page_is_told() {
    let site = Site::start().await;
    for status in [404, 500] {
        let route = Route {
            status,
            ..Route::html("<p>Sorry</p>")
        };
        let page = site.route(&format!("/{status}"), route);
        for command in ["snapshot", "extract"] {
            let outcome = World::attached().run(&[command, &page.url]).await;
            assert!(outcome.result().contains("Sorry"), "{outcome:?}");
            let warning = format!("warning: {} answers with HTTP status {status}\n", page.url);
            assert!(outcome.stderr.contains(&warning), "{outcome:?}");
        }
    }
}
