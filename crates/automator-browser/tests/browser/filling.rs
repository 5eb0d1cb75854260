//! Text, files and states of fields.

use std::time::Duration;

use automator_browser::{BrowserError, ElementClickOptions, FilePayload, Files, ObstacleKind, Page};
use automator_testing::Site;
use serde_json::json;

use crate::{browser_at, load};

async fn value(page: &Page, expression: &str) -> serde_json::Value {
    page.evaluate_in_page(expression).await.unwrap()
}

#[tokio::test]
async fn text_replaces_what_is_in_every_field_that_takes_text() {
    let site = Site::start().await;
    let types = ["text", "email", "number", "password", "search", "tel", "url"];
    let inputs: String = types
        .iter()
        .map(|kind| {
            let old = if *kind == "number" { "1" } else { "old" };
            format!("<input id={kind} type={kind} value={old}>")
        })
        .collect();
    let at = site.put(format!(
        "{inputs}<textarea id=area>old</textarea><div id=rich contenteditable><p>old <i>rich</i> text</p></div>
        <label id=lab>Name <input id=named></label><div id=wrap><span>x</span><input id=wrapped></div>
        <script>window.inputs=0;addEventListener('input',()=>inputs++)</script>"
    ));
    let (browser, page) = browser_at(&at.url).await;
    for kind in types {
        let text = match kind {
            "email" => "a@b.test",
            "number" => "12.5",
            "url" => "http://u.test/",
            _ => "new välue 漢",
        };
        let field = page.locator(&format!("#{kind}"));
        field.fill(text, None).await.unwrap();
        assert_eq!(field.input_value().await.unwrap(), text);
    }
    assert_eq!(value(&page, "inputs").await, types.len());
    page.locator("#area").fill("two\nlines", None).await.unwrap();
    assert_eq!(page.locator("#area").input_value().await.unwrap(), "two\nlines");
    page.locator("#rich").fill("brand new", None).await.unwrap();
    assert_eq!(
        page.locator("#rich").inner_text().await.unwrap().trim(),
        "brand new"
    );
    page.locator("#lab").fill("by label", None).await.unwrap();
    page.locator("#wrap").fill("by wrapper", None).await.unwrap();
    assert_eq!(
        value(&page, "[named.value, wrapped.value]").await,
        json!(["by label", "by wrapper"])
    );
    for selector in ["#text", "#area", "#rich"] {
        page.locator(selector).fill("", None).await.unwrap();
        assert_eq!(
            page.locator(selector).input_value().await.unwrap().trim(),
            "",
            "{selector}"
        );
    }
    browser.close().await;
}

#[tokio::test]
async fn values_of_pickers_are_set_and_checked() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=d type=date><input id=t type=time><input id=l type=datetime-local><input id=m type=month>
        <input id=w type=week><input id=c type=color><input id=r type=range min=0 max=10>
        <script>window.seen=[];for(const t of ['input','change'])addEventListener(t,e=>seen.push(e.target.id+' '+t))</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let cases = [
        ("#d", "2024-02-29"),
        ("#t", "13:45"),
        ("#l", "2024-02-29T13:45"),
        ("#m", "2024-02"),
        ("#w", "2024-W09"),
        ("#c", "#a1b2c3"),
        ("#r", "7"),
    ];
    for (selector, text) in cases {
        page.locator(selector).fill(text, None).await.unwrap();
        assert_eq!(page.locator(selector).input_value().await.unwrap(), text);
    }
    assert_eq!(value(&page, "seen.length").await, 14);
    for (selector, text, expected) in [
        ("#d", "2023-02-29", "malformed-value"),
        ("#d", "not a date", "malformed-value"),
        ("#c", "reddish", "malformed-value"),
        ("#r", "11", "malformed-value"),
        ("#r", "much", "invalid-number-value"),
    ] {
        let error = page.locator(selector).fill(text, None).await.unwrap_err();
        assert!(
            matches!(&error, BrowserError::Unsuitable { reason, .. } if reason == expected),
            "{selector} {text}: {error}"
        );
    }
    assert_eq!(page.locator("#d").input_value().await.unwrap(), "2024-02-29");
    browser.close().await;
}

#[tokio::test]
async fn what_takes_no_text_is_refused_with_the_reason() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=c type=checkbox><input id=f type=file><p id=p>x</p><input id=n type=number>
        <input id=ro readonly><input id=off disabled><input id=short maxlength=3><select id=s></select>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for (selector, expected) in [
        ("#c", "unsupported-input-type:checkbox"),
        ("#f", "unsupported-input-type:file"),
        ("#p", "unsupported-element"),
        ("#s", "unsupported-element"),
        ("#n", "invalid-number-value"),
    ] {
        let error = page.locator(selector).fill("x", None).await.unwrap_err();
        assert!(
            matches!(&error, BrowserError::Unsuitable { reason, .. } if reason == expected),
            "{selector}: {error}"
        );
        assert!(error.to_string().contains("Failed to fill element"));
    }
    for (selector, kind) in [("#ro", ObstacleKind::ReadOnly), ("#off", ObstacleKind::Disabled)] {
        let error = page
            .locator(selector)
            .fill("x", Some(Duration::from_millis(100)))
            .await
            .unwrap_err();
        assert!(
            matches!(&error, BrowserError::NotActionable { obstacle, .. } if obstacle.kind == kind),
            "{selector}: {error}"
        );
    }
    let error = page.locator("#short").fill("too long", None).await.unwrap_err();
    assert!(error.may_have_happened(), "{error}");
    assert!(
        error
            .to_string()
            .contains("holds `too` (it takes at most 3 characters)"),
        "{error}"
    );
    browser.close().await;
}

#[tokio::test]
async fn fields_with_a_mind_of_their_own_get_the_text() {
    let site = Site::start().await;
    let at = site.put(r"
        <input id=tracked value=ann>
        <input id=mask>
        <input id=keys>
        <div id=model contenteditable></div>
        <div id=again><input class=fresh></div>
        <input id=stubborn value=fixed>
        <script>
        // As frameworks do: a setter of the page's own remembers what the script has set.
        const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value'); let known = 'ann';
        Object.defineProperty(tracked, 'value', { get() { return native.get.call(this) }, set(v) { known = v; native.set.call(this, v) } });
        tracked.oninput = () => { if (native.get.call(tracked) !== known) window.heard = known = native.get.call(tracked) };
        // A telephone number in groups.
        mask.oninput = () => { const d = mask.value.replace(/\D/g, ''); mask.value = d.replace(/^(\d{3})(\d{3})(\d*)$/, '($1) $2-$3') };
        // Listens to keys only, and takes nothing else.
        keys.onbeforeinput = e => e.preventDefault();
        keys.onkeydown = e => { if (e.key.length === 1) keys.value += e.key; else if (e.key === 'Backspace') keys.value = '' };
        // Keeps its own text, and undoes all changes by others.
        let text = 'old words'; const paint = () => { model.textContent = text }; paint();
        const watch = new MutationObserver(() => { if (model.textContent !== text) paint() });
        watch.observe(model, { subtree: true, childList: true, characterData: true });
        model.onbeforeinput = e => { e.preventDefault(); const all = !getSelection().isCollapsed;
          if (e.inputType.startsWith('insert')) text = (all ? '' : text) + (e.data ?? ''); else text = all ? '' : text.slice(0, -1);
          paint(); getSelection().selectAllChildren(model); getSelection().collapseToEnd() };
        // Is drawn anew with each letter.
        again.oninput = e => { const v = e.target.value; again.innerHTML = '<input class=fresh>'; again.firstChild.value = v };
        // Does not want to be changed.
        stubborn.oninput = () => { stubborn.value = 'fixed' };
        </script>");
    let (browser, page) = browser_at(&at.url).await;
    page.locator("#tracked").fill("bob", None).await.unwrap();
    assert_eq!(value(&page, "window.heard").await, "bob");
    page.locator("#mask").fill("5551234567", None).await.unwrap();
    assert_eq!(
        page.locator("#mask").input_value().await.unwrap(),
        "(555) 123-4567"
    );
    page.locator("#keys").fill("by key", None).await.unwrap();
    assert_eq!(page.locator("#keys").input_value().await.unwrap(), "by key");
    page.locator("#model").fill("fresh words", None).await.unwrap();
    assert_eq!(value(&page, "text").await, "fresh words");
    page.locator(".fresh").fill("again", None).await.unwrap();
    assert_eq!(page.locator(".fresh").input_value().await.unwrap(), "again");
    let error = page.locator("#stubborn").fill("bent", None).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::NoEffect { found, .. } if found == "the field holds `fixed`"),
        "{error}"
    );
    browser.close().await;
}

#[tokio::test]
async fn typing_goes_behind_what_is_there_and_keys_arrive() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=i value=one><div id=box tabindex=0>box</div><script>window.keys=[];
        addEventListener('keydown',e=>keys.push(e.target.id+' '+e.key+' '+e.isTrusted))</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let field = page.locator("#i");
    field.type_text(" two", &Default::default()).await.unwrap();
    assert_eq!(field.input_value().await.unwrap(), "one two");
    assert_eq!(value(&page, "keys.length").await, 4);
    value(&page, "keys.length = 0").await;
    page.locator("#box")
        .press("Enter", &Default::default())
        .await
        .unwrap();
    assert_eq!(value(&page, "keys").await, json!(["box Enter true"]));
    field.focus().await.unwrap();
    assert_eq!(value(&page, "document.activeElement.id").await, "i");
    browser.close().await;
}

#[tokio::test]
async fn a_field_that_gives_the_focus_away_again_is_focused_once() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=i onfocus='window.times = (window.times ?? 0) + 1; this.blur()'><p id=p>no field</p>",
    );
    let (browser, page) = browser_at(&at.url).await;
    page.locator("#i").focus().await.unwrap();
    assert_eq!(value(&page, "times").await, 1);
    let error = page.locator("#p").focus().await.unwrap_err();
    assert!(matches!(error, BrowserError::NotActionable { .. }), "{error}");
    browser.close().await;
}

#[tokio::test]
async fn boxes_are_checked_once_and_seen_to_be() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=c type=checkbox><input id=r1 type=radio name=r checked><input id=r2 type=radio name=r>
        <button id=s role=switch aria-checked=false onclick=\"this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')\">Dark</button>
        <label id=l><input type=checkbox style='opacity:0;position:absolute'> Terms</label>
        <input id=no type=checkbox onclick='return false'><p id=p>x</p>
        <script>window.clicks=0;addEventListener('click',()=>clicks++)</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let options = ElementClickOptions::default();
    for selector in ["#c", "#r2", "#s", "#l"] {
        let target = page.locator(selector);
        assert!(!target.is_checked().await.unwrap(), "{selector}");
        target.check(&options).await.unwrap();
        let clicks = value(&page, "clicks").await;
        target.check(&options).await.unwrap();
        assert_eq!(
            value(&page, "clicks").await,
            clicks,
            "{selector} was clicked again"
        );
        assert!(target.is_checked().await.unwrap(), "{selector}");
    }
    page.locator("#c").uncheck(&options).await.unwrap();
    assert!(!page.locator("#c").is_checked().await.unwrap());
    let error = page.locator("#no").check(&options).await.unwrap_err();
    assert!(matches!(error, BrowserError::NoEffect { .. }), "{error}");
    for error in [
        page.locator("#r2").uncheck(&options).await.unwrap_err(),
        page.locator("#p").check(&options).await.unwrap_err(),
    ] {
        assert!(matches!(error, BrowserError::Unsuitable { .. }), "{error}");
    }
    browser.close().await;
}

#[tokio::test]
async fn files_come_from_disk_and_from_memory() {
    let site = Site::start().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("note.txt");
    std::fs::write(&path, "from disk").unwrap();
    let at = site.put(
        "<input id=f type=file multiple style='display:none'><input id=one type=file>
        <input id=eager type=file><script>window.changes=0;f.onchange=()=>changes++;
        eager.onchange=()=>{window.taken=eager.files[0].name;eager.value=''}</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    page.goto(&at.url, load()).await.unwrap();
    let read = "Promise.all([...f.files].map(async x => [x.name, x.type, await x.text()]))";
    let field = page.locator("#f");
    field
        .set_input_files(&Files::Paths(vec![path.clone()]))
        .await
        .unwrap();
    assert_eq!(
        value(&page, read).await,
        json!([["note.txt", "text/plain", "from disk"]])
    );
    let payload = |name: &str, kind: &str, text: &str| FilePayload {
        name: name.to_owned(),
        mime_type: kind.to_owned(),
        bytes: text.into(),
        last_modified: Some(86_400_000),
    };
    let payloads = vec![
        payload("made.csv", "text/csv", "x,y"),
        payload("b.txt", "text/plain", "plain"),
    ];
    field
        .set_input_files(&Files::Payloads(payloads.clone()))
        .await
        .unwrap();
    assert_eq!(
        value(&page, read).await,
        json!([["made.csv", "text/csv", "x,y"], ["b.txt", "text/plain", "plain"]])
    );
    field.set_input_files(&Files::Paths(Vec::new())).await.unwrap();
    assert_eq!(value(&page, "[f.files.length, changes]").await, json!([0, 3]));
    page.locator("#eager")
        .set_input_files(&Files::Paths(vec![path]))
        .await
        .unwrap();
    assert_eq!(value(&page, "taken").await, "note.txt");
    let error = page
        .locator("#one")
        .set_input_files(&Files::Payloads(payloads))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, BrowserError::Unsuitable { reason, .. } if reason == "one-file-only"),
        "{error}"
    );
    let missing = Files::Paths(vec![folder.path().join("none")]);
    let error = page.locator("#one").set_input_files(&missing).await.unwrap_err();
    assert!(matches!(error, BrowserError::UnreadableFile { .. }), "{error}");
    browser.close().await;
}

#[tokio::test]
async fn files_are_given_to_what_a_button_opens() {
    let site = Site::start().await;
    let at = site.put(
        "<input type=file hidden id=f><button id=b onclick='f.click()'>Upload</button>
        <div id=zone onclick='picker = document.createElement(`input`); picker.type = `file`; picker.click()'>Drop here</div>
        <button id=none onclick='pressed = true'>Other</button>
        <form><button id=send>Send</button></form>
        <script>var pressed = false, picker; onsubmit = () => { pressed = true }</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    std::fs::write(&path, "text").unwrap();
    let files = Files::Paths(vec![path]);
    page.locator("#b").set_input_files(&files).await.unwrap();
    assert_eq!(value(&page, "f.files[0].name").await, "a.txt");
    page.locator("#zone").set_input_files(&files).await.unwrap();
    assert_eq!(value(&page, "picker.files[0].name").await, "a.txt");
    let error = page.locator("#none").set_input_files(&files).await.unwrap_err();
    assert!(error.may_have_happened(), "{error}");
    let error = page.locator("#send").set_input_files(&files).await.unwrap_err();
    assert!(matches!(error, BrowserError::Unsuitable { .. }), "{error}");
    assert_eq!(
        value(&page, "pressed").await,
        true,
        "only the one that could have opened a chooser"
    );
    browser.close().await;
}

#[tokio::test]
async fn what_one_call_leaves_in_a_new_document_is_there_for_the_next() {
    let site = Site::start().await;
    let at = site.put("<input type=file id=f>");
    let (browser, page) = browser_at("about:blank").await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    std::fs::write(&path, "text").unwrap();
    let files = Files::Paths(vec![path]);
    // The library comes to a new document by itself, maybe while it is asked for.
    for _ in 0..40 {
        page.goto(&at.url, load()).await.unwrap();
        page.locator("#f").set_input_files(&files).await.unwrap();
    }
    browser.close().await;
}
