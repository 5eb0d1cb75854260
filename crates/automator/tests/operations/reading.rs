//! `page_text()`: what stands in the text and how.

use automator::{ElementId, ErrorKind};

use crate::rig::{Rig, id_on, line};

#[tokio::test]
async fn the_text_is_an_outline_with_ids_roles_names_values_and_states() {
    let rig = Rig::start().await;
    rig.show(
        r#"<title>Lamp shop</title>
        <nav aria-label="Main"><ul><li><a href="/sale" aria-current="page">Sale</a></li></ul></nav>
        <main>
          <h1>Desk lamps</h1>
          <p>Prices include tax. See <a href="/delivery">delivery times</a></p>
          <ul><li><a href="/arc">Arc lamp</a><p>€ 49.00</p><button>Add to basket</button></li></ul>
          <table><caption>Stock</caption><tr><th>Arc<td>9<td><a href="/arc.pdf">PDF</a></tr></table>
          <label>Amount <input type="number" value="1" required></label>
          <label><input type="checkbox" checked> Gift</label>
          <input type="password" value="secret" aria-label="Code">
          <select aria-label="Size"><option>Small<option selected>Large</select>
          <input type="file" aria-label="Photo" style="display:none">
        </main>"#,
    )
    .await;
    let expected = "\
[0-0] RootWebArea: Lamp shop
  navigation: Main
    [0-1] link: Sale [current]
  main
    [0-2] heading: Desk lamps
    Prices include tax. See
    [0-3] link: delivery times
    -
      [0-4] link: Arc lamp
      € 49.00
      [0-5] button: Add to basket
    table: Stock
      row: Arc | 9 | [0-6] link: PDF
    [0-7] spinbutton: Amount = 1 [required]
    [0-8] checkbox: Gift [checked]
    [0-9] textbox: Code = ••••
    [0-10] select: Size
      [0-11] option: Small
      [0-12] option: Large [selected]
    [0-13] input, file: Photo";
    assert_eq!(rig.text().await, expected);
    rig.close().await;
}

#[tokio::test]
async fn the_same_page_loaded_twice_gives_the_same_bytes() {
    let rig = Rig::start().await;
    let html = "<h1>Twice</h1><button>One</button><iframe title=f srcdoc='<a href=x>inside</a>'></iframe>";
    let at = rig.show(html).await;
    let first = rig.text_with(&["inside"]).await;
    rig.open(&at.url).await;
    assert_eq!(rig.text_with(&["inside"]).await, first);
    rig.close().await;
}

#[tokio::test]
async fn a_node_keeps_its_id_while_the_page_changes_around_it() {
    let rig = Rig::start().await;
    rig.show("<button id=a>First</button><button id=b>Second</button>")
        .await;
    let before = rig.text().await;
    let change =
        "a.before(Object.assign(document.createElement('button'), {textContent: 'New'})); a.remove()";
    rig.page.evaluate(change).await.unwrap();
    let after = rig.text().await;
    assert_eq!(id_on(&before, "Second"), id_on(&after, "Second"));
    assert!(
        !before.contains(id_on(&after, "New")),
        "a new node takes no number of an old one"
    );
    rig.close().await;
}

#[tokio::test]
async fn every_id_leads_to_its_element() {
    let rig = Rig::start().await;
    let inner = rig.site.put("<button>Far</button>");
    rig.show(format!(
        "<a href=/x>Near</a><iframe src='{}'></iframe><input aria-label=Field>",
        inner.cross_url
    ))
    .await;
    rig.text_with(&["Far", "Near"]).await;
    let snapshot = rig.page.snapshot().await.unwrap();
    let ids: Vec<ElementId> = snapshot.elements().map(|element| element.id).collect();
    assert!(ids.len() >= 6, "{ids:?}");
    for id in ids {
        assert!(snapshot.xpaths().contains_key(&id), "{id} has no path");
    }
    let near = snapshot
        .elements()
        .find(|element| element.name == "Near")
        .unwrap();
    assert!(snapshot.urls()[&near.id].ends_with("/x"));
    assert_eq!(
        snapshot.xpaths()[&near.id].counted(),
        Some("/html[1]/body[1]/a[1]")
    );
    let far = snapshot.elements().find(|element| element.name == "Far").unwrap();
    assert_eq!(
        snapshot.xpaths()[&far.id].counted(),
        Some("/html[1]/body[1]/iframe[1]/html[1]/body[1]/button[1]")
    );
    rig.close().await;
}

#[tokio::test]
async fn a_selector_keeps_one_subtree_and_ignored_ones_go_with_their_descendants() {
    let rig = Rig::start().await;
    rig.show(
        "<main><section id=one><h2>Uno</h2></section>
        <section id=two><h2>Dos</h2><p class=ad>buy <b>now</b></p><p>more <b>bold</b></p></section></main>",
    )
    .await;
    let whole = rig.text().await;
    for selector in ["#two", "xpath=/html/body/main/section[2]", "//section[@id='two']"] {
        let text = rig
            .automator
            .page_text()
            .selector(selector)
            .ignore_selector(".ad")
            .await
            .unwrap()
            .page_text;
        assert_eq!(
            text,
            format!("[{}] heading: Dos\nmore bold", id_on(&whole, "Dos")),
            "{selector}"
        );
    }
    let without = rig
        .automator
        .page_text()
        .ignore_selector(".none")
        .ignore_selector("//h2")
        .await
        .unwrap()
        .page_text;
    assert!(
        without.contains("more bold") && !without.contains("Uno") && !without.contains("Dos"),
        "{without}"
    );
    rig.close().await;
}

#[tokio::test]
async fn a_selector_that_matches_nothing_or_cannot_be_read_is_an_error_that_names_it() {
    let rig = Rig::start().await;
    rig.show("<p>whole page</p><div id=plain></div>").await;
    let cases = [
        ("#nothing", ErrorKind::ElementNotFound),
        ("xpath=//article", ErrorKind::XPathResolution),
        ("div[", ErrorKind::InvalidArgument),
        ("//div[", ErrorKind::InvalidArgument),
        ("#plain >> p", ErrorKind::Iframe),
    ];
    for (selector, kind) in cases {
        let error = rig.automator.page_text().selector(selector).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{selector}: {error}");
        assert!(
            error.to_string().contains(selector.trim_start_matches("xpath=")),
            "{error}"
        );
    }
    let error = rig.automator.page_text().ignore_selector("p[").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    rig.close().await;
}

#[tokio::test]
async fn frames_and_shadow_roots_of_every_kind_stand_where_they_belong() {
    let rig = Rig::start().await;
    let deepest = rig.site.put(
        "<x-box></x-box><script>
        customElements.define('x-box', class extends HTMLElement { constructor() { super();
          this.attachShadow({mode: 'closed'}).innerHTML = '<button>Closed in far</button>' } })</script>",
    );
    let middle = rig.site.put(format!(
        "<h2>Middle</h2><iframe title=deepest src='{}'></iframe>",
        deepest.url
    ));
    rig.show(format!(
        "<h1>Top</h1><x-open></x-open><iframe title=near srcdoc='<button>Near</button>'></iframe><p>end</p><script>
        customElements.define('x-open', class extends HTMLElement {{ constructor() {{ super();
          this.attachShadow({{mode: 'open'}}).innerHTML = '<p>In the open</p><iframe title=middle src=\"{}\"></iframe>' }} }})
        </script>",
        middle.cross_url
    ))
    .await;
    let text = rig.text_with(&["Closed in far", "Near"]).await;
    let depth = |part: &str| {
        text.lines()
            .find(|line| line.contains(part))
            .map(|line| line.len() - line.trim_start().len())
    };
    assert!(depth("Iframe: middle") < depth("heading: Middle"));
    assert!(depth("Iframe: deepest") < depth("button: Closed in far"));
    let order: Vec<usize> = ["Top", "In the open", "Middle", "Closed in far", "Near", "end"]
        .iter()
        .map(|part| {
            text.find(part)
                .unwrap_or_else(|| panic!("no {part:?} in\n{text}"))
        })
        .collect();
    assert!(order.is_sorted(), "{text}");
    let frames =
        ["Top", "Middle", "Closed in far", "Near"].map(|part| id_on(&text, part).split('-').next().unwrap());
    assert_eq!(frames[0], "0");
    assert!(
        frames.iter().collect::<std::collections::HashSet<_>>().len() == 4,
        "{frames:?}"
    );
    let hop = "x-open >> iframe >> h2";
    let scoped = rig.automator.page_text().selector(hop).await.unwrap().page_text;
    assert_eq!(line(&scoped, "Middle"), line(&text, "heading: Middle"));
    rig.close().await;
}
