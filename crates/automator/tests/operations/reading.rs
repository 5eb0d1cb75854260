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
async fn what_is_drawn_as_marks_never_leaves_the_page() {
    let rig = Rig::start().await;
    rig.show(
        "<style>.veiled { -webkit-text-security: disc }</style>
        <input class=veiled aria-label=Card value='4242 4242'><textarea class=veiled aria-label=Note>the dog</textarea>
        <p>Key: <b class=veiled>k-12345</b></p><div id=host></div>
        <script>host.attachShadow({mode: 'open'}).innerHTML =
          '<input style=\"-webkit-text-security: square\" aria-label=Shade value=hidden>'</script>",
    )
    .await;
    let expected = "\
[0-0] RootWebArea: fixture
  [0-1] textbox: Card = ••••
  [0-2] textbox: Note = ••••
  Key: ••••
  [0-3] textbox: Shade = ••••";
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

#[tokio::test]
async fn states_are_those_that_people_see() {
    let rig = Rig::start().await;
    rig.show(
        "<fieldset disabled><legend>Frozen <input aria-label='In legend'></legend>
          <input aria-label=Inside><a href=/x>Link inside</a></fieldset>
        <input type=checkbox id=third aria-label=Third><form id=form onsubmit='return false'><input id=wrong type=email required aria-label=Mail></form>
        <details open><summary>Open details</summary>shown</details><details><summary>Shut details</summary>gone</details>
        <button aria-expanded=true>Menu</button><button aria-pressed=true>Bold</button>
        <div role=switch aria-checked=true tabindex=0>Night</div>
        <div aria-disabled=true><button>Off by its parent</button></div>
        <input id=here aria-label=Here>
        <script>third.indeterminate = true</script>",
    )
    .await;
    let attempt = "wrong.value = 'no mail'; form.requestSubmit(); here.focus(); 1";
    rig.page.evaluate(attempt).await.unwrap();
    let text = rig.text().await;
    let ends = |part: &str, end: &str| {
        let line = line(&text, part);
        assert!(
            line.ends_with(&format!("{part}{end}")),
            "{line:?} should end in {end:?}\n{text}"
        );
    };
    ends("textbox: In legend", "");
    ends("textbox: Inside", " [disabled]");
    ends("link: Link inside", "");
    ends("checkbox: Third", " [mixed]");
    ends("textbox: Mail", " = no mail [required] [invalid]");
    ends("DisclosureTriangle: Open details", " [expanded]");
    ends("DisclosureTriangle: Shut details", "");
    ends("button: Menu", " [expanded]");
    ends("button: Bold", " [pressed]");
    ends("switch: Night", " [checked]");
    ends("button: Off by its parent", " [disabled]");
    ends("textbox: Here", " [focused]");
    rig.close().await;
}

#[tokio::test]
async fn tables_lists_and_scrollable_boxes_have_their_form() {
    let rig = Rig::start().await;
    rig.show(
        "<table><tr><th>Name<th>Stock<th>Actions</tr>
          <tr><td><a href=/arc>Arc</a><td>9<td><button>Edit</button> <button>Delete</button></tr>
          <tr><td>Elm <b>new</b> <a href=/elm>more</a><td>-<td></tr></table>
        <table><tr><td>Weight</td><td>73 kg</td></tr><tr><td><h2>Big</h2><p>One</p><p>Two</p></td></tr></table>
        <ul><li>plain</li><li><a href=/a>link</a></li><li>both <a href=/b>kinds</a></li></ul><ol><li>second list</li></ol>
        <dl><dt>Height</dt><dd>41 cm</dd><dt>Keeper</dt><dd>Odile</dd><dd>Arno</dd></dl>
        <div style='overflow:auto;height:40px;width:200px'><p>one</p><p>two</p><p>three</p></div>
        <div style='overflow:auto;height:400px'><p>fits</p></div>
        <pre>first line\n  second line</pre>
        <p>[0-1] trap</p>",
    )
    .await;
    let text = rig.text().await;
    let body = text.split_once('\n').unwrap().1;
    let expected = "  table
    row: Name | Stock | Actions
    row: [0-1] link: Arc | 9 | [0-2] button: Edit | [0-3] button: Delete
    row: Elm new | [0-4] link: more |  |
  row: Weight | 73 kg
  [0-5] heading: Big
  One
  Two
  - plain
  [0-6] link: link
  -
    both
    [0-7] link: kinds
  list
    - second list
  Height
    41 cm
  Keeper
    Odile
    Arno
  [0-8] scrollable, div
    one
    two
    three
  fits
  first line
  second line
  text: [0-1] trap";
    assert_eq!(body, expected);
    rig.close().await;
}

#[tokio::test]
async fn generated_text_stands_where_it_is_seen_and_options_of_every_select_have_their_words() {
    let rig = Rig::start().await;
    rig.show(
        "<style>.price::after{content:' EUR'} .note::before{content:'Note: '}</style>
        <p>now <span class=price>49</span></p><p class=note>He said <q>quoted</q> loudly</p>
        <a href=/x class=price>77</a>
        <select size=3 aria-label=Few><option>alpha<option selected>beta</select>
        <select multiple aria-label=Many><optgroup label=Group><option>gamma</option></optgroup></select>
        <div contenteditable aria-label=Notes>plain</div>",
    )
    .await;
    let text = rig.text().await;
    for expected in [
        "now 49 EUR",
        "Note: He said “quoted” loudly",
        "link: 77 EUR",
        "option: alpha",
        "option: beta [selected]",
        "option: gamma",
        "textbox: Notes = plain",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    rig.close().await;
}
