//! Frames of this process and others, at any depth, and what becomes of them.

use automator_browser::{Frame, Page};
use automator_testing::{Route, Site};

use crate::{browser, browser_at, eventually, first_page, frame_at, load};

/// A page with a frame in a frame in a frame, each from the other of two sites.
fn nested(site: &Site) -> String {
    let leaf = site.put_at("/leaf", "<p>leaf</p>");
    let third = site.put_at("/third", format!("<iframe src='{}'></iframe>", leaf.url));
    let second = site.put_at("/second", format!("<iframe src='{}'></iframe>", third.cross_url));
    let first = format!("<iframe id=f src='{}'></iframe>", second.url);
    site.put_at("/first", first).cross_url
}

fn session_id(frame: &Frame) -> String {
    frame.session().unwrap().id().unwrap().to_owned()
}

async fn text(frame: &Frame) -> String {
    let text = frame
        .call_function("function() { return document.body.innerText }", &[])
        .await
        .unwrap();
    text.as_str().unwrap().trim().to_owned()
}

/// What the page has below its main frame, by path, with each frame's parent.
fn tree(page: &Page) -> Vec<(String, Option<String>)> {
    let path = |frame: &Frame| frame.url().splitn(4, '/').nth(3).unwrap_or_default().to_owned();
    let mut tree: Vec<_> = page
        .frames()
        .iter()
        .skip(1)
        .map(|frame| (path(frame), frame.parent().as_ref().map(path)))
        .collect();
    tree.sort();
    tree
}

#[tokio::test]
async fn frames_of_other_sites_are_attached_at_any_depth() {
    let site = Site::start().await;
    let url = nested(&site);
    let (browser, page) = browser_at(&url).await;
    let leaf = frame_at(&page, "/leaf").await;
    assert_eq!(text(&leaf).await, "leaf");
    assert_eq!(
        leaf.evaluate_in_page("document.body.innerText.trim()")
            .await
            .unwrap(),
        "leaf"
    );
    let named = |path: &str, parent: &str| (path.to_owned(), Some(parent.to_owned()));
    assert_eq!(
        tree(&page),
        [
            named("leaf", "third"),
            named("second", "first"),
            named("third", "second")
        ]
    );
    let mut sessions: Vec<String> = page.frames().iter().map(session_id).collect();
    assert_eq!(page.frame_groups().len(), 4);
    assert_eq!(page.frame_groups()[0].frames, [page.main_frame()]);
    sessions.sort();
    sessions.dedup();
    assert_eq!(sessions.len(), 4, "each site change is a process of its own");
    browser.close().await;
}

#[tokio::test]
async fn frame_goes_to_another_site_and_comes_back_as_the_same_frame() {
    let site = Site::start().await;
    let near = site.put_at("/near", "<p>near</p>");
    let deep = site.put_at("/deep", "<p>deep</p>");
    let far = site.put_at("/far", format!("<p>far</p><iframe src='{}'></iframe>", deep.url));
    let top = site.put(format!("<iframe id=f src='{}'></iframe>", near.url));
    let (browser, page) = browser_at(&top.url).await;
    let frame = frame_at(&page, "/near").await;
    let at_home = session_id(&page.main_frame());
    for round in 0..3 {
        assert_eq!(session_id(&frame), at_home);
        let before = frame.loader_id();
        page.evaluate_in_page(&format!("f.src = '{}'", far.cross_url))
            .await
            .unwrap();
        let away = frame_at(&page, "/far").await;
        assert_eq!(away, frame, "round {round}");
        assert_ne!(session_id(&frame), at_home);
        assert_ne!(frame.loader_id(), before);
        assert_eq!(text(&frame).await, "far");
        assert_eq!(text(&frame_at(&page, "/deep").await).await, "deep");
        page.evaluate_in_page(&format!("f.src = '{}'", near.url))
            .await
            .unwrap();
        frame_at(&page, "/near").await;
        assert_eq!(text(&frame).await, "near");
        assert_eq!(
            page.frames().len(),
            2,
            "the frame inside has gone with its document"
        );
    }
    page.evaluate_in_page("f.remove()").await.unwrap();
    eventually("the frame to go", async || {
        (page.frames().len() == 1).then_some(())
    })
    .await;
    let error = frame.call_function("function() {}", &[]).await.unwrap_err();
    assert!(
        matches!(error, automator_browser::BrowserError::FrameGone),
        "{error}"
    );
    browser.close().await;
}

#[tokio::test]
async fn new_main_document_leaves_no_frame_of_the_old_one() {
    let site = Site::start().await;
    let url = nested(&site);
    let plain = site.put_at("/plain", "<p>plain</p>");
    let (browser, page) = browser_at(&url).await;
    frame_at(&page, "/leaf").await;
    for target in [&plain.url, &plain.cross_url] {
        page.goto(target, load()).await.unwrap();
        assert_eq!(page.frames(), [page.main_frame()]);
        page.goto(&url, load()).await.unwrap();
        frame_at(&page, "/leaf").await;
        assert_eq!(page.frames().len(), 4);
    }
    browser.close().await;
}

#[tokio::test]
async fn frames_of_the_same_site_and_made_by_script_run_in_the_page_session() {
    let site = Site::start().await;
    let inner = site.put_at("/inner", "<script>var own = 'inner'</script>");
    let at = site.put(format!(
        "<script>var own = 'outer'</script><iframe src='{}'></iframe><iframe name=n srcdoc='<p>doc'></iframe>",
        inner.url
    ));
    let (browser, page) = browser_at(&at.url).await;
    let frame = frame_at(&page, "/inner").await;
    assert_eq!(session_id(&frame), session_id(&page.main_frame()));
    assert_eq!(frame.evaluate_in_page("own").await.unwrap(), "inner");
    assert_eq!(page.evaluate_in_page("own").await.unwrap(), "outer");
    let isolated = frame
        .call_function("function() { return typeof own }", &[])
        .await
        .unwrap();
    assert_eq!(
        isolated, "undefined",
        "our world does not see the page's variables"
    );
    let named = page
        .frames()
        .into_iter()
        .find(|frame| frame.name() == "n")
        .unwrap();
    assert_eq!(text(&named).await, "doc");
    browser.close().await;
}

#[tokio::test]
async fn frame_whose_server_never_answers_holds_up_nothing() {
    let site = Site::start().await;
    let silent = site.route("/silent", Route::never());
    let at = site.put(format!("<p>here</p><iframe src='{}'></iframe>", silent.cross_url));
    let browser = browser().await;
    let page = first_page(&browser);
    page.goto(&at.url, automator_browser::GotoOptions::default())
        .await
        .unwrap();
    assert_eq!(text(&page.main_frame()).await, "here");
    assert_eq!(page.frames().len(), 2);
    browser.close().await;
}

#[tokio::test]
async fn frame_whose_process_hangs_leaves_the_others_readable() {
    let site = Site::start().await;
    let stuck = site.put_at(
        "/stuck",
        "<script>onload = () => setTimeout(() => { navigator.sendBeacon('/spinning'); for (;;) {} })</script>",
    );
    let fine = site.put_at("/fine", "<p>fine</p>");
    let at = site.put(format!(
        "<iframe src='{}'></iframe><iframe src='{}'></iframe>",
        stuck.cross_url, fine.url
    ));
    let (browser, page) = browser_at(&at.url).await;
    site.wait_for_hit("/spinning").await;
    assert_eq!(text(&frame_at(&page, "/fine").await).await, "fine");
    assert_eq!(page.frames().len(), 3);
    browser.close().await;
}

#[tokio::test]
async fn pages_that_pages_open_join_the_list_and_closed_ones_leave_it() {
    let site = Site::start().await;
    let at = site.put("<title>opener</title>");
    let (browser, page) = browser_at(&at.url).await;
    let context = browser.context();
    page.evaluate_in_page(&format!("void open('{}')", at.cross_url))
        .await
        .unwrap();
    let popup = eventually("the popup", async || context.pages().get(1).cloned()).await;
    assert_eq!(
        context.active_page(),
        Some(page.clone()),
        "it opened without input of ours"
    );
    page.note_input();
    page.evaluate_in_page("void open('about:blank')").await.unwrap();
    let wanted = eventually("the second popup", async || context.pages().get(2).cloned()).await;
    assert_eq!(context.active_page(), Some(wanted.clone()));
    let made = context.new_page(&at.url).await.unwrap();
    assert_eq!(context.active_page(), Some(made.clone()));
    context.set_active_page(&page);
    assert_eq!(context.active_page(), Some(page.clone()));
    page.close().await.unwrap();
    assert!(page.is_closed());
    assert_eq!(context.active_page(), Some(made.clone()));
    made.close().await.unwrap();
    assert_eq!(context.active_page(), Some(wanted.clone()));
    wanted.close().await.unwrap();
    assert_eq!(context.active_page(), Some(popup.clone()));
    assert_eq!(context.pages(), std::slice::from_ref(&popup));
    let error = page.evaluate_in_page("1").await.unwrap_err();
    assert!(
        matches!(error, automator_browser::BrowserError::PageClosed),
        "{error}"
    );
    popup.close().await.unwrap();
    assert_eq!(context.active_page(), None);
    browser.close().await;
}
