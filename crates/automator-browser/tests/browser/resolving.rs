//! Selectors through frames and shadow roots.

use automator_browser::{BrowserError, Matches, Page, Selector};
use automator_cdp::protocol::dom::ResolveNode;
use automator_cdp::protocol::runtime::CallFunctionOn;
use automator_testing::Site;

use crate::{browser_at, frame_at};

/// The `data-n` of all elements that a selector leads to, in their order.
async fn all(page: &Page, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    let elements = page.resolve(&selector, Matches::All, None).await.unwrap();
    let mut names = Vec::new();
    for element in elements {
        let command = ResolveNode {
            backend_node_id: Some(element.backend_node_id),
            ..ResolveNode::default()
        };
        let object = element.session.send(&command).await.unwrap().object;
        let call = CallFunctionOn {
            function_declaration: "function() { return this.dataset.n ?? this.localName }".to_owned(),
            object_id: object.object_id,
            return_by_value: Some(true),
            ..CallFunctionOn::default()
        };
        let name = element.session.send(&call).await.unwrap().result.value.unwrap();
        names.push(name.as_str().unwrap().to_owned());
    }
    names
}

async fn first(page: &Page, selector: &str) -> Result<String, BrowserError> {
    let parsed = Selector::parse(selector)?;
    let element = page.resolve(&parsed, Matches::First, None).await?.remove(0);
    let among = all(page, selector).await;
    Ok(format!("{} of {}", element.tag, among.len()))
}

const SHADOWS: &str = "
    <p data-n=1></p>
    <x-open data-n=2><template shadowrootmode=open>
        <p data-n=3></p>
        <div data-n=4><template shadowrootmode=closed><p data-n=5 class=deep>deep text</p><p data-n=6></p></template></div>
    </template><p data-n=7></p></x-open>
    <div data-n=8 id=host><template shadowrootmode=closed><section data-n=9><p data-n=10 title='it&apos;s'></p></section></template></div>
    <p data-n=11></p>";

#[tokio::test]
async fn css_sees_through_open_and_closed_shadow_roots_in_the_order_of_the_page() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(SHADOWS).url).await;
    assert_eq!(all(&page, "p").await, ["1", "3", "5", "6", "7", "10", "11"]);
    assert_eq!(all(&page, "section > p").await, ["10"]);
    assert_eq!(first(&page, ".deep").await.unwrap(), "p of 1");
    assert_eq!(first(&page, "p").await.unwrap(), "p of 7");
    assert_eq!(all(&page, ".nothing").await, Vec::<String>::new());
    // Roots that scripts make later are seen as well.
    page.evaluate_in_page(
        "void (document.body.appendChild(document.createElement('span')).attachShadow({ mode: 'closed' }).innerHTML \
         = '<p data-n=12>')",
    )
    .await
    .unwrap();
    assert_eq!(all(&page, "p").await.last().map(String::as_str), Some("12"));
    browser.close().await;
}

#[tokio::test]
async fn xpath_sees_through_shadow_roots() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(SHADOWS).url).await;
    let cases: [(&str, &[&str]); 14] = [
        ("//p", &["1", "3", "5", "6", "7", "10", "11"]),
        ("//p[2]", &["6", "11"]),
        ("(//p)[2]", &["3"]),
        ("(//p)[last()]", &["11"]),
        ("//p[@data-n='5' or @data-n='10']", &["5", "10"]),
        ("//p[@data-n > 9]", &["10", "11"]),
        ("//p[contains(text(), 'deep') and not(@title)]", &["5"]),
        ("//p[.='deep text'][1]", &["5"]),
        ("//*[@title=\"it's\"]", &["10"]),
        ("//section/p", &["10"]),
        ("//x-open/p", &["7"]),
        ("/html/body/p[position()>1]", &["11"]),
        ("//p[starts-with(@class, 'de')]/text()", &["5"]),
        ("//body//x-open//p", &["3", "5", "6", "7"]),
    ];
    for (selector, expected) in cases {
        assert_eq!(all(&page, selector).await, expected, "{selector}");
    }
    browser.close().await;
}

#[tokio::test]
async fn indexed_path_leads_to_exactly_one_element() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(SHADOWS).url).await;
    let cases = [
        ("/html[1]/body[1]/p[2]", "11"),
        ("/html[1]/body[1]/x-open[1]/p[1]", "7"),
        ("/html[1]/body[1]/x-open[1]//p[1]", "3"),
        ("/html[1]/body[1]/x-open[1]//div[1]//p[2]", "6"),
        ("xpath=/html[1]/body[1]/div[1]//section[1]/p[1]", "10"),
    ];
    for (selector, expected) in cases {
        assert_eq!(all(&page, selector).await, [expected], "{selector}");
    }
    browser.close().await;
}

#[tokio::test]
async fn hops_go_into_frames_of_any_process_and_into_shadow_roots() {
    let site = Site::start().await;
    let leaf = site.put_at("/leaf", format!("<p data-n=leaf></p>{SHADOWS}"));
    let third = site.put_at("/third", format!("<iframe src='{}'></iframe>", leaf.url));
    let second = site.put_at(
        "/second",
        format!(
            "<x-box><template shadowrootmode=closed><iframe src='{}'></iframe></template></x-box>",
            third.cross_url
        ),
    );
    let at = site.put(format!(
        "<div><iframe id=f src='{}'></iframe></div><p data-n=top></p>",
        second.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    frame_at(&page, "/leaf").await;
    let cases: [(&str, &[&str]); 9] = [
        ("p", &["top"]),
        ("#f >> iframe >> iframe >> p[data-n=leaf]", &["leaf"]),
        ("#f >> iframe >> iframe >> .deep", &["5"]),
        ("#f >> x-box >> iframe >> iframe >> #host >> section >> p", &[]),
        ("#f >> x-box >> iframe >> iframe >> #host >> p", &["10"]),
        ("#f >> x-box >> iframe >> iframe >> #host >> //section/p", &["10"]),
        (
            "//iframe//iframe/html/body/iframe[1]//p[@data-n='leaf']",
            &["leaf"],
        ),
        (
            "/html[1]/body[1]/div[1]/iframe[1]/html[1]/body[1]/x-box[1]//iframe[1]/html[1]/body[1]/iframe[1]/html[1]/body[1]/p[1]",
            &["leaf"],
        ),
        ("xpath=//iframe >> x-box >> //iframe", &["iframe"]),
    ];
    for (selector, expected) in cases {
        if expected.is_empty() {
            let parsed = Selector::parse(selector).unwrap();
            let error = page.resolve(&parsed, Matches::All, None).await.unwrap_err();
            assert!(
                matches!(error, BrowserError::NotAFrame { .. }),
                "{selector}: {error}"
            );
        } else {
            assert_eq!(all(&page, selector).await, expected, "{selector}");
        }
    }
    browser.close().await;
}

#[tokio::test]
async fn failures_say_which_part_led_nowhere() {
    let site = Site::start().await;
    let at = site.put("<div id=plain></div><x-plain></x-plain><object></object><iframe></iframe>");
    let (browser, page) = browser_at(&at.url).await;
    let error = async |selector: &str| match Selector::parse(selector) {
        Ok(parsed) => page.resolve(&parsed, Matches::First, None).await.unwrap_err(),
        Err(error) => error,
    };
    assert!(
        matches!(error("#missing").await, BrowserError::ElementNotFound { selector } if selector == "#missing")
    );
    assert!(
        matches!(error("//table").await, BrowserError::XPathNotFound { selector } if selector == "//table")
    );
    assert!(matches!(
        error("//table/following::p").await,
        BrowserError::XPathNotFound { .. }
    ));
    assert!(matches!(
        error("#missing >> p").await,
        BrowserError::ElementNotFound { .. }
    ));
    assert!(matches!(
        error("iframe >> p").await,
        BrowserError::ElementNotFound { .. }
    ));
    let not_a_frame = error("#plain >> p").await;
    assert!(
        matches!(&not_a_frame, BrowserError::NotAFrame { segment, tag, .. } if segment == "#plain" && tag == "div")
    );
    let no_root = error("x-plain >> p").await;
    assert!(
        matches!(&no_root, BrowserError::NoShadowRoot { segment, .. } if segment == "x-plain"),
        "{no_root}"
    );
    let no_document = error("object >> p").await;
    assert!(
        matches!(no_document, BrowserError::FrameWithoutDocument { .. }),
        "{no_document}"
    );
    for selector in [
        "p[",
        "p:no-such-thing",
        "p >>",
        "//p[",
        "//p[no-such-function()]",
        "xpath=//p[@a=",
        "text=",
    ] {
        let error = error(selector).await;
        assert!(
            matches!(error, BrowserError::InvalidSelector { .. }),
            "{selector}: {error}"
        );
    }
    browser.close().await;
}

#[tokio::test]
async fn all_matches_of_a_frame_part_are_gone_into() {
    let site = Site::start().await;
    let one = site.put_at("/one", "<p data-n=1></p>");
    let two = site.put_at("/two", "<p data-n=2></p>");
    let at = site.put(format!(
        "<iframe src='{}'></iframe><iframe src='{}'></iframe>",
        one.url, two.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    frame_at(&page, "/two").await;
    frame_at(&page, "/one").await;
    assert_eq!(all(&page, "iframe >> p").await, ["1", "2"]);
    assert_eq!(all(&page, "iframe >> .none").await, Vec::<String>::new());
    browser.close().await;
}

#[tokio::test]
async fn deep_and_wide_pages_are_searched() {
    let site = Site::start().await;
    let deep = format!("{}<i data-n=deep></i>", "<div>".repeat(3_000));
    let wide = "<span></span>".repeat(20_000);
    let (browser, page) = browser_at(&site.put(format!("{deep}{wide}<b data-n=end></b>")).url).await;
    assert_eq!(all(&page, "i").await, ["deep"]);
    assert_eq!(all(&page, "//i").await, ["deep"]);
    assert_eq!(all(&page, "//b[1]").await, ["end"]);
    let many = Selector::parse("span").unwrap();
    assert_eq!(
        page.resolve(&many, Matches::All, None).await.unwrap().len(),
        20_000
    );
    browser.close().await;
}
