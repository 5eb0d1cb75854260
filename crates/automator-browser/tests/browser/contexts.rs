//! What holds for all pages of a browser: scripts, headers, cookies, the policy of domains, the clipboard.

use std::collections::BTreeMap;
use std::time::Duration;

use automator_browser::{
    Browser, BrowserError, Context, CookieFilter, DomainPolicy, GotoOptions, InitScript, LaunchOptions,
    NewCookie, Page, Proxy, SameSite, TextFilter,
};
use automator_testing::{ProxyServer, Route, Site};
use regex::Regex;
use serde_json::{Value, json};

use crate::{browser, browser_at, eventually, first_page, frame_at, load};

async fn evaluate(page: &Page, script: &str) -> Value {
    page.evaluate_in_page(script).await.unwrap()
}

fn headers(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// Opens a page from another one as a script does, and waits until it is there.
async fn pop_up(page: &Page, url: &str) -> Page {
    evaluate(page, &format!("window.open({url:?}); 0")).await;
    eventually("the pop-up", async || {
        let pages = page.browser().context().pages();
        pages
            .into_iter()
            .find(|other| other.opener().as_ref() == Some(page) && other.url() == url)
    })
    .await
}

#[tokio::test]
async fn scripts_run_once_before_those_of_pages_frames_and_pop_ups() {
    let site = Site::start().await;
    let inner = site.put("<script>document.title = 'inner ' + window.seed</script>");
    let at = site.put(format!(
        "<script>window.seen = [window.seed, window.given, window.order]</script><iframe src='{}'></iframe><iframe src='{}'></iframe>",
        inner.path, inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    let context = browser.context();
    let script = "window.seed = (window.seed ?? 0) + 1; window.order = (window.order ?? '') + 'c'";
    context.add_init_script(script).await.unwrap();
    context
        .add_init_script(InitScript::Function {
            source: "(given) => { window.given = given } // the end".to_owned(),
            argument: Some(json!({ "text": "</script>\u{2028}\"'" })),
        })
        .await
        .unwrap();
    assert_eq!(
        evaluate(&page, "window.seed").await,
        Value::Null,
        "not in the document that is there"
    );
    page.goto(&at.url, load()).await.unwrap();
    let expected = json!([1, { "text": "</script>\u{2028}\"'" }, "c"]);
    assert_eq!(evaluate(&page, "window.seen").await, expected);
    for part in ["127.0.0.1", "localhost"] {
        let url = format!("{part}:{}{}", site.port(), inner.path);
        let frame = frame_at(&page, &url).await;
        assert_eq!(
            frame
                .evaluate_in_page("document.title + window.given.text.length")
                .await
                .unwrap(),
            "inner 112"
        );
    }
    let later = context.new_page(&at.url).await.unwrap();
    eventually("the later page", async || {
        (evaluate(&later, "window.seen").await == expected).then_some(())
    })
    .await;
    for url in [&at.url, &at.cross_url] {
        let opened = pop_up(&page, url).await;
        eventually("the pop-up's script", async || {
            (evaluate(&opened, "window.seen").await == expected).then_some(())
        })
        .await;
    }
    page.add_init_script("window.order += 'p'").await.unwrap();
    page.goto(&at.url, load()).await.unwrap();
    assert_eq!(evaluate(&page, "window.order").await, "cp");
    later.goto(&at.url, load()).await.unwrap();
    assert_eq!(evaluate(&later, "window.order").await, "c");
    browser.close().await;
}

#[tokio::test]
async fn scripts_come_from_files_too_and_a_missing_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seed.js");
    std::fs::write(&path, "window.seed = 5").unwrap();
    let site = Site::start().await;
    let at = site.put("<script>window.seen = window.seed</script>");
    let browser = browser().await;
    let page = first_page(&browser);
    page.add_init_script(InitScript::File(path)).await.unwrap();
    page.goto(&at.url, load()).await.unwrap();
    assert_eq!(evaluate(&page, "window.seen").await, 5);
    let error = page
        .add_init_script(InitScript::File("/no/such.js".into()))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("/no/such.js"), "{error}");
    browser.close().await;
}

#[tokio::test]
async fn headers_go_out_with_documents_data_frames_and_pop_ups_and_are_replaced_as_a_whole() {
    let site = Site::start().await;
    let api = site.route("/api", Route::text("x"));
    let inner = site.put(format!("<script>fetch('{}?frame')</script>", api.path));
    let at = site.put(format!(
        "<script>fetch('{}')</script><iframe src='{}'></iframe>",
        api.path, inner.cross_url
    ));
    let other = site.put("<p>y</p>");
    let (browser, page) = browser_at("about:blank").await;
    let context = browser.context();
    context
        .set_extra_headers(&headers(&[("X-Conf", "one")]))
        .await
        .unwrap();
    page.goto(&at.url, load()).await.unwrap();
    let of = |path: &str, name: &str| -> Vec<Option<String>> {
        let hits = site.hits_of(path);
        hits.iter()
            .map(|hit| hit.header(name).map(str::to_owned))
            .collect()
    };
    let one = Some("one".to_owned());
    eventually("both requests for data", async || {
        (site.hits_of(&api.path).len() == 2).then_some(())
    })
    .await;
    assert_eq!(of(&api.path, "x-conf"), [one.clone(), one.clone()]);
    assert_eq!(of(&at.path, "x-conf"), std::slice::from_ref(&one));
    assert_eq!(of(&inner.path, "x-conf"), std::slice::from_ref(&one));
    pop_up(&page, &other.url).await;
    let later = context.new_page(&other.url).await.unwrap();
    eventually("both documents", async || {
        (site.hits_of(&other.path).len() == 2).then_some(())
    })
    .await;
    assert_eq!(of(&other.path, "x-conf"), [one.clone(), one.clone()]);
    later
        .set_extra_headers(&headers(&[("x-conf", "own")]))
        .await
        .unwrap();
    context
        .set_extra_headers(&headers(&[("x-other", "two"), ("x-conf", "all")]))
        .await
        .unwrap();
    later.goto(&other.url, load()).await.unwrap();
    assert_eq!(of(&other.path, "x-conf").pop().unwrap().as_deref(), Some("own"));
    assert_eq!(of(&other.path, "x-other").pop().unwrap().as_deref(), Some("two"));
    context.set_extra_headers(&BTreeMap::new()).await.unwrap();
    page.goto(&other.url, load()).await.unwrap();
    assert_eq!(
        (
            of(&other.path, "x-conf").pop().unwrap(),
            of(&other.path, "x-other").pop().unwrap()
        ),
        (None, None)
    );
    let error = context
        .set_extra_headers(&headers(&[("a b", "c")]))
        .await
        .unwrap_err();
    assert!(matches!(error, BrowserError::InvalidHeader { .. }), "{error}");
    browser.close().await;
}

#[tokio::test]
async fn cookies_are_set_and_read_with_all_they_have_and_by_address() {
    let site = Site::start().await;
    let at = site.route(
        "/set",
        Route::html("<p>x</p>").set_cookie("fromserver=1; HttpOnly"),
    );
    let (browser, page) = browser_at(&at.url).await;
    let context = browser.context();
    let mut by_url = NewCookie::new("u", "1");
    by_url.url = Some(site.url("/"));
    let mut by_domain = NewCookie::new("d", "2");
    by_domain.domain = Some("other.test".to_owned());
    by_domain.path = Some("/deep".to_owned());
    by_domain.expires = Some(4_000_000_000.0_f64.min(now() + 600.0));
    by_domain.http_only = true;
    by_domain.same_site = Some(SameSite::Strict);
    let mut secure = NewCookie::new("s", "3");
    secure.url = Some("https://secure.test/".to_owned());
    secure.same_site = Some(SameSite::None);
    context.add_cookies(&[by_url, by_domain, secure]).await.unwrap();
    assert_eq!(names(&context, &[]).await, ["d", "fromserver", "s", "u"]);
    assert_eq!(names(&context, &[&at.url]).await, ["fromserver", "u"]);
    assert_eq!(
        names(&context, &["http://other.test/deep/er", "https://secure.test/"]).await,
        ["d", "s"]
    );
    assert_eq!(
        names(&context, &["http://other.test/deeper", "http://secure.test/"]).await,
        Vec::<String>::new()
    );
    let all = context.cookies(&[]).await.unwrap();
    let get = |name: &str| all.iter().find(|cookie| cookie.name == name).unwrap();
    let deep = get("d");
    assert_eq!(
        (
            deep.value.as_str(),
            deep.path.as_str(),
            deep.http_only,
            deep.secure
        ),
        ("2", "/deep", true, false)
    );
    assert!(deep.same_site == SameSite::Strict && deep.expires > now());
    assert!((get("u").expires + 1.0).abs() < f64::EPSILON && get("u").same_site == SameSite::Lax);
    assert!(get("s").secure && get("s").same_site == SameSite::None);
    page.goto(&at.url, GotoOptions::default()).await.unwrap();
    let sent = site.hits_of(&at.path).pop().unwrap();
    assert!(sent.header("cookie").unwrap().contains("u=1"));

    browser.close().await;
}

#[tokio::test]
async fn cookies_are_cleared_by_filter_and_others_stay() {
    let (browser, _page) = browser_at("about:blank").await;
    let context = browser.context();
    let cookie = |name: &str, url: &str| {
        let mut cookie = NewCookie::new(name, "1");
        cookie.url = Some(url.to_owned());
        cookie
    };
    let mut deep = cookie("d", "https://other.test/deep/x");
    deep.http_only = true;
    let set = [
        deep,
        cookie("s", "https://secure.test/"),
        cookie("u", "http://u.test/"),
        cookie("d", "http://u.test/"),
    ];
    context.add_cookies(&set).await.unwrap();
    let mut filter = CookieFilter::default();
    filter.name = Some(TextFilter::Pattern(Regex::new("^(d|s)$").unwrap()));
    filter.domain = Some(TextFilter::Exact("other.test".to_owned()));
    context.clear_cookies(&filter).await.unwrap();
    assert_eq!(names(&context, &[]).await, ["d", "s", "u"]);
    filter.domain = None;
    context.clear_cookies(&filter).await.unwrap();
    assert_eq!(names(&context, &[]).await, ["u"]);
    filter.name = Some(TextFilter::Exact("none".to_owned()));
    context.clear_cookies(&filter).await.unwrap();
    assert_eq!(names(&context, &[]).await, ["u"]);
    context.clear_cookies(&CookieFilter::default()).await.unwrap();
    assert_eq!(names(&context, &[]).await, Vec::<String>::new());

    browser.close().await;
}

#[tokio::test]
async fn cookies_that_cannot_be_are_refused_by_name() {
    let (browser, _page) = browser_at("about:blank").await;
    let context = browser.context();
    let with_url = |name: &str| {
        let mut cookie = NewCookie::new(name, "1");
        cookie.url = Some("http://a.test/".to_owned());
        cookie
    };
    let error = context
        .add_cookies(&[with_url("good"), NewCookie::new("x", "1")])
        .await
        .unwrap_err();
    assert!(
        matches!(&error, BrowserError::CookieValidation { name, .. } if name == "x"),
        "{error}"
    );
    assert_eq!(
        names(&context, &[]).await,
        Vec::<String>::new(),
        "none is set when one is wrong"
    );
    // Only the browser knows that this name asks for a secure address.
    let error = context.add_cookies(&[with_url("__Host-x")]).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::CookieSet { name, .. } if name == "__Host-x"),
        "{error}"
    );
    browser.close().await;
}

/// The names of the cookies for these addresses.
async fn names(context: &Context, urls: &[&str]) -> Vec<String> {
    let cookies = context.cookies(urls).await.unwrap();
    let mut names: Vec<String> = cookies.into_iter().map(|cookie| cookie.name).collect();
    names.sort();
    names
}

fn now() -> f64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs_f64()
}

fn only(allowed: &str) -> DomainPolicy {
    let mut policy = DomainPolicy::default();
    policy.allowed_domains = Some(vec![allowed.to_owned()]);
    policy
}

async fn forbidden(page: &Page, url: &str) -> String {
    match page.goto(url, load()).await {
        Err(BrowserError::ForbiddenAddress { url, .. }) => url,
        other => panic!("{url}: {other:?}"),
    }
}

#[tokio::test]
async fn policy_holds_for_addresses_redirects_links_frames_and_pop_ups() {
    let site = Site::start().await;
    let secret = site.put("<p>secret</p>");
    let home = site.put(format!(
        "<a href='{0}' id=link>go</a><a href='{0}' target=_blank id=blank>go</a><iframe src='{0}'></iframe><img src='{0}'>",
        secret.cross_url
    ));
    let last = site.route("/last", Route::redirect(&secret.cross_url));
    let first = site.route("/first", Route::redirect(&last.path));
    let (browser, page) = browser_at("about:blank").await;
    let context = browser.context();
    context.set_domain_policy(Some(&only("127.0.0.1"))).await.unwrap();
    page.goto(&home.url, load()).await.unwrap();
    assert_eq!(forbidden(&page, &secret.cross_url).await, secret.cross_url);
    assert_eq!(forbidden(&page, &first.url).await, secret.cross_url);
    assert_eq!(
        forbidden(&page, "file:///etc/hostname").await,
        "file:///etc/hostname"
    );
    assert!(matches!(
        context.new_page(&secret.cross_url).await,
        Err(BrowserError::ForbiddenAddress { .. })
    ));
    for id in ["link", "blank"] {
        page.evaluate_in_page(&format!("{id}.click()")).await.unwrap();
    }
    // The pop-up is there, without the document.
    eventually("the pop-up", async || (context.pages().len() == 2).then_some(())).await;
    page.goto(&home.url, load()).await.unwrap();
    assert_eq!(page.url(), home.url);
    page.goto("data:text/html,fine", load()).await.unwrap();
    page.goto("about:blank", load()).await.unwrap();
    // Only the picture has been asked for: what a document loads besides is not held up.
    let documents = site
        .hits_of(&secret.path)
        .into_iter()
        .filter(|hit| hit.header("sec-fetch-dest") != Some("image"));
    assert_eq!(documents.count(), 0);
    let error = context
        .set_domain_policy(Some(&only("https://x")))
        .await
        .unwrap_err();
    assert!(matches!(error, BrowserError::InvalidDomain { .. }), "{error}");
    context.set_domain_policy(None).await.unwrap();
    page.goto(&first.url, load()).await.unwrap();
    assert_eq!(page.url(), secret.cross_url);
    browser.close().await;
}

#[tokio::test]
async fn policy_holds_for_what_a_document_loads_when_hosts_are_blocked_or_all_is_asked_for() {
    let site = Site::start().await;
    let picture = site.route("/picture", Route::text("x"));
    let home = site.put(format!(
        "<title>home ü</title><img src='{0}'><img src='{1}'>",
        picture.url, picture.cross_url
    ));
    let (browser, page) = browser_at("about:blank").await;
    let mut blocking = DomainPolicy::default();
    blocking.blocked_domains = vec!["localhost".to_owned()];
    let mut only_here = only("127.0.0.1");
    only_here.all_requests = true;
    for (policy, expected) in [(&only("127.0.0.1"), 2), (&blocking, 1), (&only_here, 1)] {
        browser.context().set_domain_policy(Some(policy)).await.unwrap();
        let before = site.hits_of("/picture").len();
        // A document that is given anew is the same document.
        page.goto(&home.url, load()).await.unwrap();
        assert_eq!(page.title().await.unwrap(), "home ü");
        assert_eq!(site.hits_of("/picture").len() - before, expected, "{policy:?}");
    }
    browser.close().await;
}

#[tokio::test]
async fn policy_and_proxy_login_work_together() {
    let site = Site::start().await;
    let allowed = site.put("<title>allowed</title>");
    let blocked = site.put("<title>blocked</title>");
    let proxy = ProxyServer::start("me", "secret").await;
    let mut options = LaunchOptions::default();
    options.proxy = Some(Proxy {
        server: proxy.url(),
        bypass: Some("<-loopback>".to_owned()),
        username: Some("me".to_owned()),
        password: Some("secret".to_owned()),
    });
    let browser = Browser::start(&options).await.unwrap();
    let page = first_page(&browser);
    let mut policy = DomainPolicy::default();
    policy.blocked_domains = vec!["localhost".to_owned()];
    browser.context().set_domain_policy(Some(&policy)).await.unwrap();
    for _ in 0..2 {
        page.goto(&allowed.url, load()).await.unwrap();
        assert_eq!(page.title().await.unwrap(), "allowed");
        forbidden(&page, &blocked.cross_url).await;
        let hop = site.route("/hop", Route::redirect(&blocked.cross_url));
        forbidden(&page, &hop.url).await;
    }
    browser.close().await;
}

#[tokio::test]
async fn clipboard_is_read_and_written_on_this_machine_and_refused_elsewhere() {
    let site = Site::start().await;
    let at = site.put("<input id=i autofocus>");
    let (browser, page) = browser_at(&at.url).await;
    let clipboard = page.clipboard();
    clipboard.write_text("Grüße 漢 😀\nline").await.unwrap();
    assert_eq!(clipboard.read_text().await.unwrap(), "Grüße 漢 😀\nline");
    let other = browser.context().new_page("about:blank").await.unwrap();
    other.goto(&at.cross_url, load()).await.unwrap();
    assert_eq!(other.clipboard().read_text().await.unwrap(), "Grüße 漢 😀\nline");
    for url in ["data:text/html,x", "about:blank"] {
        page.goto(url, load()).await.unwrap();
        let error = page.clipboard().read_text().await.unwrap_err();
        assert!(matches!(error, BrowserError::Clipboard { .. }), "{url}: {error}");
    }
    browser.close().await;
}

/// The answer to the navigation comes after what the browser tells of it, but not all of that is known by then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_was_just_opened_is_awaited_also_by_a_busy_program() {
    let site = Site::start().await;
    let at = site.put("<h1>Chairs</h1>");
    let browser = browser().await;
    let busy = (0..3).map(|_| {
        tokio::spawn(async {
            loop {
                std::thread::sleep(Duration::from_millis(2));
                tokio::task::yield_now().await;
            }
        })
    });
    let busy: Vec<_> = busy.collect();
    for _ in 0..30 {
        let page = browser.context().new_page(&at.url).await.unwrap();
        page.arrive(Duration::from_secs(15)).await;
        assert_eq!(page.url(), at.url);
        page.close().await.unwrap();
    }
    for task in busy {
        task.abort();
    }
    browser.close().await;
}
