//! Complaints from the field about acting, each on a page that is as bad as the one complained about.
//!
//! | case | test |
//! |---|---|
//! | C01 frame in the page's own source, away from the corner | `frame_made_of_a_string_is_read_and_clicked` |
//! | C02 closed shadow root | `closed_root_gets_a_trusted_click` |
//! | C03 banner over the target | `banner_takes_no_click_and_is_clicked_away` |
//! | C04 two scrollers, one in the other | `target_deep_in_two_scrollers_is_clicked` |
//! | C05 three buttons of one name | `second_of_three_that_are_called_alike_is_clicked` |
//! | C06 text chosen instead of its element | `text_that_the_model_picks_is_clicked` |
//! | C07 native list with options that are nearly alike | `option_is_selected_by_its_whole_label_and_no_other_is` |
//! | C08 suggestions that only keys bring | `suggestions_come_by_typing_and_are_chosen` |
//! | C09 editor with its own text | `editor_that_undoes_foreign_changes_is_filled` |
//! | C10 field that a framework watches | `field_that_remembers_what_scripts_set_hears_of_the_text` |
//! | C11 hidden file input | `hidden_file_input_is_told_and_takes_a_file` |
//! | C12 question that blocks the page | `question_of_the_page_is_answered_and_holds_nothing_up` |
//! | C13 link to a new tab | `tab_that_a_link_opens_is_read_next` |
//! | C14 one click is one click | `one_click_is_one_trusted_sequence` |
//! | C15 page that is never quiet | `page_that_never_rests_is_acted_on` |

use std::time::{Duration, Instant};

use automator::{Action, GotoOptions, WaitUntil};
use automator_testing::{Answer, Route};
use serde_json::json;

use crate::acting::{action, choice};
use crate::rig::{Rig, id_of_nth, id_on};

/// More than any of these takes, less than any limit that ends them.
const PROMPTLY: Duration = Duration::from_secs(15);

fn click(selector: &str) -> Action {
    Action::new(selector, "click")
}

/// Carries out an instruction that the model answers with a click on the line that holds a text.
async fn clicks(rig: &Rig, line: &'static str) {
    rig.model
        .script(move |request| action(request, line, "click", &[]));
    let result = rig.automator.act("do what is to be done").await.unwrap();
    assert!(result.success, "{result:?}");
}

#[tokio::test]
async fn frame_made_of_a_string_is_read_and_clicked() {
    let rig = Rig::start().await;
    rig.show(
        "<title>Left luggage</title><h1>Left luggage</h1><div style='height:160px'></div>\
         <iframe title=Locker style='margin:0 0 0 110px;border:9px solid;padding:6px;width:300px;height:150px' srcdoc=\"\
         <p>Locker 31 is taken</p><div style='height:50px'></div>\
         <button onclick='parent.window.result=&quot;locker-31&quot;'>Open locker</button>\"></iframe>",
    )
    .await;
    rig.text_with(&["Left luggage", "Locker 31 is taken", "Open locker"])
        .await;
    clicks(&rig, "button: Open locker").await;
    rig.becomes("window.result", "locker-31").await;
    rig.close().await;
}

#[tokio::test]
async fn closed_root_gets_a_trusted_click() {
    let rig = Rig::start().await;
    rig.show(
        "<h1>Boiler</h1><boiler-panel></boiler-panel><script>
        customElements.define('boiler-panel', class extends HTMLElement { constructor() { super();
          const root = this.attachShadow({ mode: 'closed' });
          root.innerHTML = '<section><p>Pressure is 1.8 bar</p><button id=again>Start again</button></section>';
          root.getElementById('again').onclick = e => { window.result = e.isTrusted ? 'started' : 'by script' } } })
        </script>",
    )
    .await;
    rig.text_with(&["Pressure is 1.8 bar", "Start again"]).await;
    clicks(&rig, "button: Start again").await;
    rig.becomes("window.result", "started").await;
    rig.close().await;
}

#[tokio::test]
async fn banner_takes_no_click_and_is_clicked_away() {
    let rig = Rig::start().await;
    rig.show(
        "<style>#shade{position:fixed;inset:0;background:#0009;z-index:99}</style>\
         <button id=send onclick=\"window.result='sent'\">Send</button>\
         <div id=shade onclick='window.strays++'><div style='background:#fff;margin:50px auto;width:240px'>We use biscuits.\
         <button id=fine onclick='event.stopPropagation();shade.remove()'>Very well</button></div></div>\
         <script>window.result = null; window.strays = 0</script>",
    )
    .await;
    let result = rig
        .automator
        .act(click("xpath=//button[@id='send']"))
        .await
        .unwrap();
    assert!(
        !result.success && result.message.contains("shade"),
        "it names what is in the way: {result:?}"
    );
    rig.becomes("[window.result, window.strays]", json!([null, 0]))
        .await;
    rig.does(click("#fine")).await;
    rig.does(click("#send")).await;
    rig.becomes("[window.result, window.strays]", json!(["sent", 0]))
        .await;
    rig.close().await;
}

#[tokio::test]
async fn target_deep_in_two_scrollers_is_clicked() {
    let rig = Rig::start().await;
    rig.show(
        "<div style='height:1700px'>above</div><div style='height:200px;overflow:auto'><div style='height:1000px'>deck 1</div>\
         <div style='height:110px;width:220px;overflow:auto'><div style='height:700px;width:1000px'>deck 2</div>\
         <button id=cabin style='margin-left:800px' onclick=\"window.result='cabin:'+event.isTrusted\">Take cabin 9</button>\
         </div></div><div style='height:800px'></div>",
    )
    .await;
    rig.does(click("#cabin")).await;
    rig.becomes("window.result", "cabin:true").await;
    rig.close().await;
}

#[tokio::test]
async fn second_of_three_that_are_called_alike_is_clicked() {
    let rig = Rig::start().await;
    rig.show(
        ["Ash", "Elm", "Oak"]
            .map(|tree| {
                format!(
                    "<li><span>Order {tree}</span> <button onclick=\"window.result='{tree}'\">Cancel</button>"
                )
            })
            .concat(),
    )
    .await;
    rig.model.script(|request| {
        let id = id_of_nth(request, "button: Cancel", 2);
        Answer::value(
            json!({ "elementId": id, "description": "cancel Elm", "method": "click", "arguments": [] }),
        )
    });
    let result = rig.automator.act("cancel the order for elm").await.unwrap();
    assert!(result.success, "{result:?}");
    rig.becomes("window.result", "Elm").await;
    let found = rig.page.deep_locator(&result.actions[0].selector);
    assert_eq!(found.count().await.unwrap(), 1, "{result:?}");
    rig.close().await;
}

#[tokio::test]
async fn text_that_the_model_picks_is_clicked() {
    let rig = Rig::start().await;
    rig.show(
        "<h1>Drawers</h1><div id=drawer style='cursor:pointer;padding:24px;border:1px solid'>Pull the blue drawer</div>\
         <script>drawer.addEventListener('click', () => { window.result = 'blue' })</script>",
    )
    .await;
    rig.model.script(|request| {
        let id = id_on(&request.text, "Pull the blue drawer");
        Answer::value(json!({ "elementId": id, "description": "drawer", "method": "click", "arguments": [] }))
    });
    let result = rig.automator.act("open the drawer").await.unwrap();
    assert!(result.success, "{result:?}");
    rig.becomes("window.result", "blue").await;
    rig.close().await;
}

#[tokio::test]
async fn option_is_selected_by_its_whole_label_and_no_other_is() {
    let rig = Rig::start().await;
    rig.show(
        "<label for=p>Port</label><select id=p><optgroup label=East><option value=e1>Bay<option value=e2>Quay</optgroup>\
         <optgroup label=West><option value=w1>Bay street<option value=w2 disabled>Lock</optgroup></select>\
         <script>window.events = []; for (const t of ['input', 'change'])\
         p.addEventListener(t, () => { events.push(t); window.result = p.value })</script>",
    )
    .await;
    let select = |option: &str| Action::new("#p", "selectOptionFromDropdown").argument(option);
    rig.does(select("Bay street")).await;
    let expected = json!(["w1", ["input", "change"]]);
    rig.becomes("[window.result, events]", expected.clone()).await;
    for option in ["Atoll", "Lock"] {
        let result = rig.automator.act(select(option)).await.unwrap();
        assert!(!result.success && result.message.contains(option), "{result:?}");
    }
    rig.becomes("[window.result, events]", expected).await;
    rig.close().await;
}

#[tokio::test]
async fn suggestions_come_by_typing_and_are_chosen() {
    let rig = Rig::start().await;
    rig.show(
        "<input id=q role=combobox aria-expanded=false aria-controls=l aria-label='Harbour name' autocomplete=off>\
         <ul id=l role=listbox hidden></ul><script>
        let keys = 0, timer; const all = ['Dover', 'Dunbar', 'Hull', 'Harwich', 'Heysham'];
        q.addEventListener('keydown', e => { keys += e.isTrusted });
        q.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(() => { l.innerHTML = '';
          const typed = q.value.toLowerCase(); l.hidden = !keys || !typed;
          for (const name of all.filter(name => !l.hidden && name.toLowerCase().startsWith(typed))) {
            const li = document.createElement('li'); li.setAttribute('role', 'option'); li.textContent = name;
            li.onmousedown = e => { e.preventDefault(); window.result = name; l.hidden = true; q.value = name }; l.append(li) }
          q.setAttribute('aria-expanded', String(!l.hidden)) }, 250) });
        q.addEventListener('blur', () => { if (!window.result) q.value = '' })</script>",
    )
    .await;
    rig.does(Action::new("#q", "type").argument("har")).await;
    rig.text_with(&["option: Harwich"]).await;
    clicks(&rig, "option: Harwich").await;
    rig.becomes("window.result", "Harwich").await;
    rig.close().await;
}

#[tokio::test]
async fn editor_that_undoes_foreign_changes_is_filled() {
    let rig = Rig::start().await;
    rig.show(
        "<div id=pad contenteditable=true role=textbox aria-label='Log entry' style='border:1px solid;min-height:50px'></div>
        <script>let text = 'rough draft'; const paint = () => { pad.textContent = text; window.result = text };
        const all = { subtree: true, childList: true, characterData: true };
        const guard = new MutationObserver(() => { if (pad.textContent !== text) draw() });
        const draw = () => { guard.disconnect(); paint(); guard.observe(pad, all) }; draw();
        pad.addEventListener('beforeinput', e => { e.preventDefault(); const s = getSelection();
          const whole = s.rangeCount > 0 && !s.isCollapsed;
          if (['insertText', 'insertFromPaste', 'insertReplacementText'].includes(e.inputType))
            text = (whole ? '' : text) + (e.data ?? e.dataTransfer?.getData('text/plain') ?? '');
          else if (e.inputType.startsWith('delete')) text = whole ? '' : text.slice(0, -1);
          draw(); s.selectAllChildren(pad); s.collapseToEnd() })</script>",
    )
    .await;
    rig.does(Action::new("#pad", "fill").argument("clean copy")).await;
    rig.becomes("window.result", "clean copy").await;
    rig.close().await;
}

#[tokio::test]
async fn field_that_remembers_what_scripts_set_hears_of_the_text() {
    let rig = Rig::start().await;
    rig.show(
        "<label>Search <input id=f value=old></label><p id=n></p><script>
        const names = ['cello', 'celesta', 'drum', 'flute']; let state = 'old', seen = 'old';
        const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
        Object.defineProperty(f, 'value', { get() { return own.get.call(this) }, set(v) { seen = String(v); own.set.call(this, v) } });
        const draw = () => { n.textContent = names.filter(name => name.startsWith(state)).length + ' found'; window.result = state;
          if (own.get.call(f) !== state) { own.set.call(f, state); seen = state } };
        f.addEventListener('input', () => { const v = own.get.call(f); if (v !== seen) { seen = state = v; draw() } }); draw()</script>",
    )
    .await;
    rig.does(Action::new("#f", "fill").argument("ce")).await;
    rig.becomes("[window.result, n.textContent]", json!(["ce", "2 found"]))
        .await;
    rig.close().await;
}

#[tokio::test]
async fn hidden_file_input_is_told_and_takes_a_file() {
    let rig = Rig::start().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.txt");
    std::fs::write(&path, "root\n").unwrap();
    rig.show(
        "<div><button onclick='up.click()'>Pick a plan</button><input id=up type=file accept='.txt' style='display:none'\
         aria-label='Plan file'></div><script>up.addEventListener('change', async () => {\
         const file = up.files[0]; window.result = file.name + ':' + (await file.text()).trim() })</script>",
    )
    .await;
    rig.model.script(|request| {
        let elements = [choice(request, "input, file: Plan file", "click", &[])];
        Answer::value(json!({ "elements": elements }))
    });
    let found = rig.automator.observe("what takes the plan").await.unwrap();
    let selector = &found[0].selector;
    rig.page
        .deep_locator(selector)
        .set_input_files([&path])
        .await
        .unwrap();
    rig.becomes("window.result", "plan.txt:root").await;
    rig.close().await;
}

#[tokio::test]
async fn question_of_the_page_is_answered_and_holds_nothing_up() {
    let rig = Rig::start().await;
    rig.show(
        "<button id=b onclick=\"window.result = confirm('Drain tank 2?') ? 'drained' : 'kept';\
         state.textContent = 'Tank is ' + window.result\">Drain</button><p id=state>Tank is full</p>",
    )
    .await;
    let started = Instant::now();
    rig.does(click("#b")).await;
    rig.becomes("window.result", "kept").await;
    assert!(rig.text().await.contains("Tank is kept"));
    assert!(started.elapsed() < PROMPTLY);
    rig.close().await;
}

#[tokio::test]
async fn tab_that_a_link_opens_is_read_next() {
    let rig = Rig::start().await;
    let sheet = rig
        .site
        .put_at("/sheet", "<title>Sheet</title><p>Total height 61 m</p>");
    rig.show(format!(
        "<h1>All sheets</h1><a id=a target=_blank rel=noopener href='{}'>Sheet two</a>",
        sheet.url
    ))
    .await;
    rig.does(click("#a")).await;
    let context = rig.automator.context().unwrap();
    assert_eq!(context.active_page().unwrap().url(), sheet.url);
    let text = rig.text_with(&["Total height 61 m"]).await;
    assert!(!text.contains("All sheets"), "{text}");
    assert_eq!(context.pages().len(), 2);
    rig.close().await;
}

#[tokio::test]
async fn one_click_is_one_trusted_sequence() {
    let rig = Rig::start().await;
    rig.show(
        "<button id=b>One more</button><script>window.seen = []; window.result = 0;\
         for (const t of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick']) b.addEventListener(t,\
         e => { seen.push(t + (e.isTrusted ? '' : '!')); if (t === 'click') window.result++ })</script>",
    )
    .await;
    rig.does(click("#b")).await;
    let sequence = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
    rig.becomes("[window.result, seen]", json!([1, sequence])).await;
    rig.does(Action::new("#b", "doubleClick")).await;
    rig.becomes(
        "[window.result, seen.filter(t => t === 'dblclick').length]",
        json!([3, 1]),
    )
    .await;
    rig.close().await;
}

#[tokio::test]
async fn page_that_never_rests_is_acted_on() {
    let rig = Rig::with(|builder| builder.dom_settle_timeout(Duration::from_secs(2))).await;
    rig.site.route("/poll", Route::never());
    let at = rig.site.put(
        "<h1>Clock</h1><p id=t>0</p><button onclick=\"window.result = 'stopped'\">Stop clock</button><script>let i = 0;\
         setInterval(() => { t.textContent = ++i; t.setAttribute('data-i', i) }, 40);\
         (function poll() { fetch('/poll?' + Math.random()).catch(() => {}).finally(poll) })()</script>",
    );
    let options = GotoOptions {
        wait_until: WaitUntil::DomContentLoaded,
        ..GotoOptions::default()
    };
    rig.page.goto_with(&at.url, options).await.unwrap();
    let started = Instant::now();
    clicks(&rig, "button: Stop clock").await;
    rig.becomes("window.result", "stopped").await;
    assert!(rig.text().await.contains("Clock"));
    assert!(started.elapsed() < PROMPTLY);
    rig.close().await;
}
