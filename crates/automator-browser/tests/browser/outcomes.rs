//! What is told of an action is what the page made of it, and nothing happens twice.

use std::time::Duration;

use automator_browser::{
    BrowserError, ElementClickOptions, ElementDragOptions, Files, ObstacleKind, OptionChoice, Page,
    PointerOptions, TypeOptions,
};
use automator_testing::Site;
use serde_json::{Value, json};

use crate::{browser_at, load};

async fn value(page: &Page, expression: &str) -> Value {
    page.evaluate_in_page(expression).await.unwrap()
}

/// Opens a page and types into its field `#i`, which has the focus then and something to say when it is left.
async fn write_in_first_field(page: &Page, url: &str) {
    page.goto(url, load()).await.unwrap();
    let field = page.locator("#i");
    field.type_text("ab", &TypeOptions::default()).await.unwrap();
}

/// What the error says was found instead, and that the action may have happened.
fn found(error: BrowserError) -> String {
    match error {
        BrowserError::NoEffect {
            found,
            may_have_happened: true,
            ..
        } => found,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_number_must_be_the_same_one_however_it_is_written() {
    let site = Site::start().await;
    let at = site.put(
        r"<input id=digits><input id=money><input id=comma><input id=most><input id=unit><input id=zip>
        <input id=slide type=range><input id=phone>
        <script>
        digits.oninput = () => { digits.value = digits.value.replace(/\D/g, '') };
        money.oninput = () => { money.value = money.value.replace(/\D/g, '').replace(/(\d)(?=(\d{3})+$)/g, '$1,') };
        comma.oninput = () => { comma.value = comma.value.replace('.', ',') };
        most.oninput = () => { most.value = Math.max(10, most.value) };
        unit.oninput = () => { unit.value = parseFloat(unit.value).toFixed(2) + ' kg' };
        zip.oninput = () => { zip.value = Number(zip.value) };
        slide.oninput = () => { slide.value = 25 };
        phone.oninput = () => { phone.value = '+1 ' + phone.value.replace(/(...)(...)(....)/, '($1) $2-$3') };
        </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for (field, text, expected) in [
        ("digits", "150", "150"),
        ("money", "1000", "1,000"),
        ("comma", "1.5", "1,5"),
        ("most", "12", "12"),
        ("unit", "3", "3.00 kg"),
        ("unit", "3.5", "3.50 kg"),
        ("phone", "5551234567", "+1 (555) 123-4567"),
    ] {
        let field = page.locator(&format!("#{field}"));
        if let Err(error) = field.fill(text, None).await {
            panic!("{text}: {error}");
        }
        assert_eq!(field.input_value().await.unwrap(), expected);
    }
    for (field, text, held) in [
        ("digits", "1.50", "150"),
        ("digits", "-5", "5"),
        ("money", "10.00", "1,000"),
        ("most", "1", "10"),
        ("zip", "01234", "1234"),
        ("digits", "0x10", "010"),
        ("slide", "5", "25"),
    ] {
        let error = page
            .locator(&format!("#{field}"))
            .fill(text, None)
            .await
            .unwrap_err();
        assert_eq!(found(error), format!("the field holds `{held}`"), "{text}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_text_that_the_page_sends_off_at_once_is_not_put_in_again() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=code aria-label=Code><div id=chat contenteditable></div><input id=tags>
        <script>window.sent = [];
        code.oninput = () => { if (code.value.length === 6) { sent.push(code.value); code.value = '' } };
        chat.oninput = () => { if (chat.innerText.endsWith('!')) { sent.push(chat.innerText); chat.textContent = '' } };
        tags.oninput = () => { if (tags.value.endsWith(',')) { sent.push(tags.value); tags.value = '' } };
        </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for (field, text) in [("code", "123456"), ("chat", "hello!"), ("tags", "red,")] {
        let error = page
            .locator(&format!("#{field}"))
            .fill(text, None)
            .await
            .unwrap_err();
        assert!(found(error).starts_with("the field is empty"), "{field}");
    }
    assert_eq!(value(&page, "sent").await, json!(["123456", "hello!", "red,"]));
    page.locator("#tags")
        .type_text("blue,", &Default::default())
        .await
        .unwrap();
    assert_eq!(value(&page, "sent.at(-1)").await, "blue,");
    browser.close().await;
}

#[tokio::test]
async fn a_choice_that_takes_its_own_frame_away_is_made_once() {
    let site = Site::start().await;
    let inner = site.put_at(
        "/inner",
        "<select id=s onchange='parent.redo()'><option>a<option>b</select>
        <input id=d type=date onchange='parent.redo()'><button id=b onclick='parent.redo()'>b</button>",
    );
    let at = site.put(format!(
        "<div id=box></div><script>window.times = 0;
        function draw() {{ box.innerHTML = '<iframe id=f src={}></iframe>' }}
        function redo() {{ if (++times < 9) draw() }}
        draw()</script>",
        inner.url
    ));
    let (browser, page) = browser_at(&at.url).await;
    let options = [OptionChoice::from("b")];
    let chosen = page.deep_locator("#f >> #s").select_option(&options, None).await;
    assert_eq!(chosen.unwrap(), ["b"]);
    assert_eq!(value(&page, "times").await, 1);
    let performed = page
        .deep_locator("#f >> #d")
        .fill("2026-02-28", None)
        .await
        .unwrap();
    assert!(performed.has_left);
    assert_eq!(value(&page, "times").await, 2);
    page.deep_locator("#f >> #b")
        .send_click_event(&Default::default())
        .await
        .unwrap();
    assert_eq!(value(&page, "times").await, 3);
    browser.close().await;
}

#[tokio::test]
async fn a_native_drag_reaches_what_is_out_of_view_and_says_when_nothing_is_taken() {
    let site = Site::start().await;
    let at = site.put(
        "<div id=a draggable=true style='width:80px;height:40px'>a</div>
        <div id=closed style='width:80px;height:40px'>closed</div><div style='height:2500px'></div>
        <div id=far style='width:80px;height:40px' ondragover='event.preventDefault()'
          ondrop='event.preventDefault(); log.push(`drop ${event.dataTransfer.getData(`text/plain`)}`)'>far</div>
        <script>window.log = []; a.ondragstart = (e) => { log.push('start'); e.dataTransfer.setData('text/plain', 'a') }</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let a = page.locator("#a");
    a.drag_to(&page.locator("#far"), &Default::default())
        .await
        .unwrap();
    assert_eq!(value(&page, "log").await, json!(["start", "drop a"]));
    let error = a
        .drag_to(&page.locator("#closed"), &Default::default())
        .await
        .unwrap_err();
    assert_eq!(found(error), "the page lets nothing be dropped on `#closed`");
    browser.close().await;
}

#[tokio::test]
async fn a_click_tells_whether_the_page_let_the_checkbox_change() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=free type=checkbox><input id=fixed type=checkbox onclick='return false'>
        <label id=lab>x <input id=named type=checkbox onclick='return false'></label>
        <input id=asks type=checkbox onclick='event.preventDefault(); setTimeout(() => { asks.checked = true }, 60)'>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for (id, is_set_back) in [("free", false), ("fixed", true), ("lab", true), ("asks", false)] {
        let locator = page.locator(&format!("#{id}"));
        let performed = locator.click(&ElementClickOptions::default()).await.unwrap();
        assert_eq!(performed.is_set_back, is_set_back, "{id}");
    }
    browser.close().await;
}

#[tokio::test]
async fn keys_that_a_field_does_not_take_are_told_and_dates_are_set() {
    let site = Site::start().await;
    let at = site.put(
        r"<input id=digits oninput='this.value = this.value.replace(/\D/g, ``)'><input id=day type=date>
        <input id=colour type=color value='#ff8800'><input id=short maxlength=5 value=ab>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let error = page
        .locator("#digits")
        .type_text("abc", &Default::default())
        .await
        .unwrap_err();
    assert!(found(error).starts_with("the field is empty"));
    let short = page.locator("#short");
    short.type_text("cde", &Default::default()).await.unwrap();
    let error = short.type_text("fgh", &Default::default()).await.unwrap_err();
    assert_eq!(
        found(error),
        "the field holds `abcde` (it takes at most 5 characters)"
    );
    page.locator("#day")
        .type_text("2026-02-28", &Default::default())
        .await
        .unwrap();
    assert_eq!(value(&page, "day.value").await, "2026-02-28");
    let error = page.locator("#colour").fill("12:34", None).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::Unsuitable { reason, .. } if reason == "malformed-value"),
        "{error}"
    );
    assert_eq!(value(&page, "colour.value").await, "#ff8800");
    browser.close().await;
}

#[tokio::test]
async fn a_custom_list_that_keeps_its_choice_or_had_it_is_told_so() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=deaf aria-haspopup=listbox onclick='deafs.hidden = false'>Red</button>
        <ul id=deafs role=listbox hidden><li role=option onclick='deafs.hidden = true'>Red<li role=option onclick='deafs.hidden = true'>Blue</ul>
        <div id=many role=listbox aria-multiselectable=true tabindex=0><div role=option aria-selected=false>One</div>
        <div role=option aria-selected=true>Two</div></div>
        <input id=search role=combobox aria-label=City>
        <script>for (const each of many.children) each.onclick = () => each.setAttribute('aria-selected', String(each.ariaSelected !== 'true'))</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let choose = async |selector: &str, option: &str| {
        let options = [OptionChoice::from(option)];
        let limit = Some(Duration::from_millis(800));
        page.locator(selector).select_option(&options, limit).await
    };
    assert_eq!(
        found(choose("#deaf", "Blue").await.unwrap_err()),
        "the list does not show `Blue`"
    );
    choose("#many", "Two").await.unwrap();
    choose("#many", "One").await.unwrap();
    let selected = "[...many.children].map((each) => each.ariaSelected)";
    assert_eq!(value(&page, selected).await, json!(["true", "true"]));
    let error = choose("#search", "Tokyo").await.unwrap_err();
    assert!(matches!(error, BrowserError::OptionNotFound { .. }), "{error}");
    assert_eq!(value(&page, "search.value").await, "");
    browser.close().await;
}

#[tokio::test]
async fn what_takes_no_presses_and_what_is_folded_away_is_named_as_that() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=through style='pointer-events:none'>x</button><details><summary>s</summary><button id=folded>y</button></details>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for (selector, expected) in [
        ("#through", ObstacleKind::TakesNoPointer),
        ("#folded", ObstacleKind::Hidden),
    ] {
        let mut options = ElementClickOptions::default();
        options.timeout = Some(Duration::from_millis(300));
        let error = page.locator(selector).click(&options).await.unwrap_err();
        assert!(
            matches!(&error, BrowserError::NotActionable { obstacle, .. } if obstacle.kind == expected),
            "{error}"
        );
    }
    page.goto(&site.put("<input type=file id=file>").url, load())
        .await
        .unwrap();
    let files = Files::Paths(vec![std::env::temp_dir()]);
    let error = page.locator("#file").set_input_files(&files).await.unwrap_err();
    assert!(matches!(error, BrowserError::UnreadableFile { .. }), "{error}");
    browser.close().await;
}

#[tokio::test]
async fn a_list_that_is_filled_when_it_gets_the_focus_is_chosen_from() {
    let site = Site::start().await;
    let at = site.put(
        "<select id=s onfocus='if (this.options.length === 1) this.add(new Option(`late`))'><option>none</select>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let chosen = page
        .locator("#s")
        .select_option(&[OptionChoice::from("late")], None)
        .await;
    assert_eq!(chosen.unwrap(), ["late"]);
    browser.close().await;
}

#[tokio::test]
async fn a_checkbox_is_set_back_only_by_clicks_that_set_it() {
    let site = Site::start().await;
    let at = site.put("<input type=checkbox id=box><label id=label>row <input type=checkbox></label>");
    let (browser, page) = browser_at(&at.url).await;
    for selector in ["#box", "#label"] {
        let element = page.locator(selector);
        let twice = element
            .double_click(&ElementClickOptions::default())
            .await
            .unwrap();
        assert!(!twice.is_set_back, "{selector}");
        let mut right = ElementClickOptions::default();
        right.button = automator_browser::MouseButton::Right;
        assert!(!element.click(&right).await.unwrap().is_set_back, "{selector}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_checkbox_that_becomes_indeterminate_is_not_set_back() {
    let site = Site::start().await;
    let at =
        site.put("<input type=checkbox id=box checked onclick='this.indeterminate = this.checked = true'>");
    let (browser, page) = browser_at(&at.url).await;
    let checkbox = page.locator("#box");
    let clicked = checkbox.click(&ElementClickOptions::default()).await.unwrap();
    assert!(!clicked.is_set_back);
    browser.close().await;
}

#[tokio::test]
async fn a_press_on_something_else_in_the_same_shadow_root_is_kept_from_the_page() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    for mode in ["open", "closed"] {
        let at = site.put(format!(
            "<div id=h></div><script>
            const root = h.attachShadow({{ mode: '{mode}' }});
            root.innerHTML = `<button id=b style='display:block;height:30px'>Save</button>
                <button id=c style='display:block;height:30px'>Delete</button>`;
            root.getElementById('b').onmouseover = event => {{ event.target.style.display = 'none' }};
            root.getElementById('c').onclick = () => {{ window.deleted = true }};
            </script>",
        ));
        page.goto(&at.url, load()).await.unwrap();
        let mut options = ElementClickOptions::default();
        options.timeout = Some(Duration::from_millis(600));
        page.locator("#b").click(&options).await.unwrap_err();
        assert_eq!(value(&page, "window.deleted ?? false").await, false, "{mode}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_press_that_the_page_keeps_to_itself_has_arrived() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    for (script, is_tap) in [
        ("b.onmousedown = () => { b.disabled = true; count++ }", false),
        (
            "for (const type of ['mouseup', 'click']) {
                window.addEventListener(type, event => event.stopImmediatePropagation(), true)
            }
            b.onpointerdown = () => { count++ }",
            false,
        ),
        (
            "b.addEventListener('touchstart', event => { event.preventDefault(); count++ })",
            true,
        ),
        (
            "b.addEventListener('touchend', event => { event.preventDefault(); count++ })",
            true,
        ),
        (
            "window.addEventListener('click', event => { event.stopImmediatePropagation(); count++ }, true)",
            true,
        ),
    ] {
        let at = site.put(format!(
            "<button id=b>Go</button><script>var count = 0; {script}</script>"
        ));
        page.goto(&at.url, load()).await.unwrap();
        let button = page.locator("#b");
        let pressed = if is_tap {
            button.tap(&PointerOptions::default()).await
        } else {
            button.click(&ElementClickOptions::default()).await
        };
        if let Err(error) = pressed {
            panic!("{script}: {error}");
        }
        assert_eq!(value(&page, "count").await, 1, "{script}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_press_that_goes_into_a_frame_laid_over_the_element_has_not_arrived() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    let style =
        "<style>#ad { display: none; position: fixed; inset: 0; width: 100vw; height: 100vh }</style>";
    for (html, selector) in [
        (
            "<button id=b onmousemove=\"ad.style.display = 'block'\">Go</button>
            <iframe id=ad srcdoc=\"<script>onmousedown = () => { parent.ad.style.display = 'none' }</script>Ad\"></iframe>",
            "#b",
        ),
        (
            "<iframe srcdoc=\"<button id=b onmousemove=&quot;parent.ad.style.display = 'block'&quot;>Go</button>\"></iframe>
            <iframe id=ad srcdoc='Ad'></iframe>",
            "iframe >> #b",
        ),
    ] {
        let at = site.put(format!("{style}{html}"));
        page.goto(&at.url, load()).await.unwrap();
        let element = page.deep_locator(selector);
        let error = element.click(&ElementClickOptions::default()).await.unwrap_err();
        assert_eq!(found(error), "the press did not arrive at the element");
    }
    browser.close().await;
}

#[tokio::test]
async fn the_second_press_of_a_double_click_is_kept_from_what_came_in_its_place() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    let style = "<style>#c { display: none; position: fixed; inset: 0 }</style>";
    for script in [
        "b.onclick = () => { c.style.display = 'block' }",
        "b.onclick = () => { b.disabled = true }",
        "b.onclick = () => { b.style.marginTop = '200px' }",
    ] {
        let at = site.put(format!(
            "{style}<button id=b>Open</button><div id=c onclick='deleted = true'>Delete</div>
            <script>var deleted = false; {script}</script>"
        ));
        page.goto(&at.url, load()).await.unwrap();
        let button = page.locator("#b");
        let error = button
            .double_click(&ElementClickOptions::default())
            .await
            .unwrap_err();
        assert_eq!(
            found(error),
            "the press did not arrive at the element",
            "{script}"
        );
        assert_eq!(value(&page, "deleted").await, false, "{script}");
    }
    let at = site.put(
        "<div id=w></div><script>
        var twice = 0;
        const draw = () => { w.innerHTML = '<button id=b>Row</button>'; b.onclick = draw; b.ondblclick = () => { twice++ } };
        draw();
        </script>",
    );
    page.goto(&at.url, load()).await.unwrap();
    page.locator("#b")
        .double_click(&ElementClickOptions::default())
        .await
        .unwrap();
    browser.close().await;
}

#[tokio::test]
async fn a_press_whose_inside_is_drawn_anew_meanwhile_gives_no_click_and_is_told_so() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=b><span>Go</span></button>
        <script>b.onmousedown = () => { b.innerHTML = '<span>Go</span>' }; var count = 0; b.onclick = () => { count++ }</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let button = page.locator("#b");
    let error = button.click(&ElementClickOptions::default()).await.unwrap_err();
    assert_eq!(found(error), "the press did not arrive at the element");
    assert_eq!(value(&page, "count").await, 0);
    browser.close().await;
}

#[tokio::test]
async fn a_radio_button_that_the_page_does_not_let_change_is_set_back() {
    let site = Site::start().await;
    let at = site.put(
        "<input type=radio name=g id=a checked><input type=radio name=g id=b onclick='return false'>
        <input type=radio name=g id=c><input type=radio name=g id=d onchange='a.checked = true'>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for (selector, is_set_back) in [
        ("#b", true),
        ("#d", true),
        ("#a", false),
        ("#c", false),
        ("#c", false),
    ] {
        let radio = page.locator(selector);
        let performed = radio.click(&ElementClickOptions::default()).await.unwrap();
        assert_eq!(performed.is_set_back, is_set_back, "{selector}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_text_that_is_cut_off_is_put_in_once() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=i maxlength=4><script>var heard = []; i.oninput = () => { heard.push(i.value) }</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let field = page.locator("#i");
    assert!(found(field.fill("12345", None).await.unwrap_err()).contains("at most 4"));
    assert_eq!(value(&page, "heard").await, json!(["1234"]));
    browser.close().await;
}

#[tokio::test]
async fn an_option_is_known_by_what_is_seen_before_its_value() {
    let site = Site::start().await;
    let at = site
        .put("<select id=s><option value=0>1<option value=1>2<option value=2>3<option value=x>4</select>");
    let (browser, page) = browser_at(&at.url).await;
    let list = page.locator("#s");
    for (choice, expected) in [
        (OptionChoice::Shown("2".to_owned()), "1"),
        (OptionChoice::Text("2".to_owned()), "2"),
        (OptionChoice::Shown("x".to_owned()), "x"),
    ] {
        assert_eq!(list.select_option(&[choice], None).await.unwrap(), [expected]);
    }
    browser.close().await;
}

#[tokio::test]
async fn a_press_that_another_field_makes_miss_is_done_again_where_the_element_is_then() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    let hint = "i.onblur = () => { d.style.height = '60px' }";
    let count = "b.onclick = () => { count++ }";
    for (html, script) in [
        ("<button id=b>Go</button>", format!("{hint}; {count}")),
        (
            "<button id=b>Go</button>",
            format!("i.onchange = () => {{ d.innerHTML = '<p>Too short<p>Really' }}; {count}"),
        ),
        (
            "<button id=b><span>Go</span></button>",
            format!("{hint}; {count}; b.onmousedown = () => {{ b.append(document.createElement('i')) }}"),
        ),
        ("<a id=b href='#there'>Go</a>", format!("{hint}; {count}")),
        (
            "<input id=b type=checkbox>",
            format!("{hint}; b.onchange = () => {{ count += Number(b.checked) }}"),
        ),
        (
            "<label id=b><input type=radio id=r>One</label>",
            format!("{hint}; r.onchange = () => {{ count++ }}"),
        ),
        (
            "<form id=f><button id=b>Go</button></form>",
            format!("{hint}; f.onsubmit = () => {{ count++; return false }}"),
        ),
        (
            "<div id=w></div>",
            "const draw = () => { w.innerHTML = '<button id=b onclick=count++>Go</button>' }; draw(); i.onblur = draw"
                .to_owned(),
        ),
        // Above it another button comes to be where it was.
        (
            "<button id=b style='height:60px'>Go</button>",
            "i.onblur = () => { d.innerHTML = '<button style=height:60px onclick=count+=10>No</button>' }; \
             b.onclick = () => { count++ }"
                .to_owned(),
        ),
    ] {
        for is_tap in [false, true] {
            let at = site.put(format!(
                "<input id=i><div id=d></div>{html}<script>var count = 0; {script}</script>"
            ));
            write_in_first_field(&page, &at.url).await;
            let element = page.locator("#b");
            let pressed = if is_tap {
                element.tap(&PointerOptions::default()).await
            } else {
                element.click(&ElementClickOptions::default()).await
            };
            if let Err(error) = pressed {
                panic!("{html} {script}: {error}");
            }
            assert_eq!(value(&page, "count").await, 1, "{html} {script} {is_tap}");
        }
    }
    browser.close().await;
}

#[tokio::test]
async fn what_comes_of_the_focus_of_the_element_is_its_own_doing() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    for script in [
        "b.onfocus = () => { count++; c.style.display = 'block' }",
        "b.onfocus = () => { count++; b.remove() }",
        "b.onfocus = () => { count++; b.disabled = true }",
        "i.blur(); b.onfocus = () => { count++; b.blur(); c.style.display = 'block' }",
    ] {
        let at = site.put(format!(
            "<input id=i><input id=b><div id=c style='display:none;position:fixed;inset:0'>Over</div>
            <script>var count = 0; {script}</script>"
        ));
        write_in_first_field(&page, &at.url).await;
        if script.starts_with("i.blur") {
            value(&page, "i.blur()").await;
        }
        if let Err(error) = page.locator("#b").click(&ElementClickOptions::default()).await {
            panic!("{script}: {error}");
        }
        assert_eq!(value(&page, "count").await, 1, "{script}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_press_that_has_only_moved_its_element_is_told_and_not_done_again() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    for (script, downs, arrives) in [
        // A panel that is closed by a press beside it.
        ("onmousedown = () => { m.remove() }", 1, false),
        ("onpointerdown = () => { m.style.display = 'none' }", 1, false),
        // The page does something at the press itself, and a hint comes at the same time.
        (
            "b.addEventListener('mousedown', () => { m.append('!') }); i.onblur = () => { m.style.height = '200px' }",
            1,
            false,
        ),
        (
            "b.addEventListener('mousedown', () => { b.setAttribute('aria-expanded', true); m.style.height = '200px' })",
            1,
            true,
        ),
    ] {
        let at = site.put(format!(
            "<input id=i autofocus><div id=m style='height:80px'>Panel</div><button id=b>Go</button>
            <script>var downs = 0, count = 0; b.addEventListener('mousedown', () => {{ downs++ }});
            b.onclick = () => {{ count++ }}; {script}</script>"
        ));
        write_in_first_field(&page, &at.url).await;
        if script.starts_with("on") {
            // What was opened by a script is closed only by the press that is meant.
            value(&page, "b.focus()").await;
        }
        let pressed = page.locator("#b").click(&ElementClickOptions::default()).await;
        assert_eq!(pressed.is_ok(), arrives, "{script}");
        assert_eq!(
            value(&page, "[downs, count]").await,
            json!([downs, 0]),
            "{script}"
        );
    }
    browser.close().await;
}

#[tokio::test]
async fn the_label_of_a_disabled_box_is_not_pressed() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    for html in [
        "<label id=l><input type=checkbox disabled>One</label>",
        "<label id=l for=r>One</label><input id=r type=radio disabled>",
        "<fieldset disabled><label id=l><input type=checkbox>One</label></fieldset>",
    ] {
        let at = site.put(html);
        page.goto(&at.url, load()).await.unwrap();
        let mut options = ElementClickOptions::default();
        options.timeout = Some(Duration::from_millis(300));
        let error = page.locator("#l").click(&options).await.unwrap_err();
        assert!(error.to_string().contains("disabled"), "{html}: {error}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_list_that_makes_room_under_the_mouse_takes_what_is_dropped() {
    let site = Site::start().await;
    let at = site.put(
        "<ul id=u></ul><script>
        for (let i = 0; i < 5; i++) u.innerHTML += `<li draggable=true id=x${i} style='height:30px'>${i}`;
        let dragged; var dropped = 0;
        u.ondragstart = event => { dragged = event.target };
        u.ondragover = event => {
            event.preventDefault();
            const under = event.target.closest('li');
            if (under && under !== dragged) under.after(dragged);
        };
        u.ondrop = () => { dropped++ };
        </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let onto = page.locator("#x3");
    page.locator("#x0")
        .drag_to(&onto, &ElementDragOptions::default())
        .await
        .unwrap();
    assert_eq!(
        value(&page, "[u.innerText.replace(/\\s/g, ''), dropped]").await,
        json!(["12304", 1])
    );
    browser.close().await;
}

#[tokio::test]
async fn the_page_is_scrolled_by_its_box_in_the_middle_where_it_fits_its_window() {
    let site = Site::start().await;
    let at = site.put(
        "<style>html, body { overflow: hidden; height: 100%; margin: 0 } body { display: flex }</style>
        <nav id=n style='width:100px;overflow:auto'><p style='height:3000px'></nav>
        <main id=m style='flex:1;overflow:auto'><p style='height:5000px;margin:0'>Long</main>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for selector in ["html", "body"] {
        value(&page, "m.scrollTop = 0").await;
        let whole = page.locator(selector);
        whole.next_chunk().await.unwrap();
        assert_eq!(
            value(&page, "m.scrollTop === m.clientHeight").await,
            true,
            "{selector}"
        );
        whole.scroll_to(100.0).await.unwrap();
        assert_eq!(
            value(&page, "[m.scrollTop + m.clientHeight, n.scrollTop]").await,
            json!([5000, 0]),
            "{selector}"
        );
    }
    browser.close().await;
}

#[tokio::test]
async fn a_field_without_the_option_keeps_its_text() {
    let site = Site::start().await;
    let at = site.put("<input id=i value=precious>");
    let (browser, page) = browser_at(&at.url).await;
    let choice = [OptionChoice::Text("x".to_owned())];
    let limit = Some(Duration::from_millis(500));
    let field = page.locator("#i");
    let error = field.select_option(&choice, limit).await.unwrap_err();
    assert!(matches!(error, BrowserError::OptionNotFound { .. }), "{error}");
    assert_eq!(value(&page, "i.value").await, "precious");
    browser.close().await;
}
