//! Widgets that people meet every day and that tools stumble over: each page is the smallest that shows the trick.

use automator::Action;
use serde_json::{Value, json};

use crate::rig::Rig;

/// A page, what is done to it, and what an expression gives afterwards.
struct Trick {
    page: &'static str,
    actions: Vec<Action>,
    shows: (&'static str, Value),
}

fn trick(page: &'static str, actions: Vec<Action>, expression: &'static str, value: Value) -> Trick {
    Trick {
        page,
        actions,
        shows: (expression, value),
    }
}

/// What is not healed by a model has to work at once.
async fn all_work(tricks: Vec<Trick>) {
    let rig = Rig::with(|builder| builder.self_heal(false)).await;
    rig.site.put_at("/away", "<title>away</title>");
    for Trick { page, actions, shows } in tricks {
        rig.show(format!("<!doctype html>{page}")).await;
        for action in actions {
            rig.does(action).await;
        }
        rig.becomes(shows.0, shows.1).await;
    }
    rig.close().await;
}

fn click(selector: &str) -> Action {
    Action::new(selector, "click")
}

fn fill(selector: &str, text: &str) -> Action {
    Action::new(selector, "fill").argument(text)
}

fn select(selector: &str, options: &[&str]) -> Action {
    let action = Action::new(selector, "selectOptionFromDropdown");
    options
        .iter()
        .fold(action, |action, option| action.argument(*option))
}

#[tokio::test]
async fn code_with_a_field_for_each_digit_is_filled_at_once() {
    let page = "<div id=o></div><script>for (let i = 0; i < 6; i++) { const x = document.createElement('input');
        x.id = 'o' + i; x.maxLength = 1; o.append(x);
        x.oninput = () => { x.value = x.value.replace(/\\D/g, '').slice(-1); if (x.value) x.nextSibling?.focus() } }</script>";
    let code = "[...o.children].map(x => x.value).join('')";
    let typed = Action::new("#o0", "type").argument("123456");
    all_work(vec![
        trick(page, vec![fill("#o0", "123456")], code, json!("123456")),
        trick(page, vec![typed], code, json!("123456")),
        trick(page, vec![fill("#o0", "4"), fill("#o1", "2")], code, json!("42")),
    ])
    .await;
}

#[tokio::test]
async fn button_that_waits_for_a_field_to_be_left_or_for_its_keys_is_pressed() {
    let fills = || vec![fill("#e", "good"), click("#b")];
    let done = || ("window.sent", json!("good"));
    let pages = [
        "<input id=e><button id=b disabled onclick='window.sent = e.value'>Go</button><script>e.onchange = () => { b.disabled = !e.value }</script>",
        "<input id=e><button id=b disabled onclick='window.sent = e.value'>Go</button><script>e.onblur = () => { b.disabled = !e.value }</script>",
        "<input id=e><button id=b disabled onclick='window.sent = e.value'>Go</button><script>e.onkeyup = () => { b.disabled = !e.value }</script>",
        "<input id=e><button id=b disabled onclick='window.sent = e.value'>Go</button><script>let t; e.oninput = () => { clearTimeout(t);
            t = setTimeout(() => { b.disabled = !e.value }, 600) }</script>",
        "<div id=e contenteditable></div><button id=b disabled onclick='window.sent = e.innerText.trim()'>Go</button><script>
            e.oninput = () => { b.disabled = !e.innerText.trim() }</script>",
    ];
    let tricks = pages.map(|page| Trick {
        page,
        actions: fills(),
        shows: done(),
    });
    all_work(tricks.into()).await;
}

#[tokio::test]
async fn fields_that_rewrite_guard_or_replace_themselves_are_filled() {
    all_work(vec![
        // As with a framework that renders a moment later.
        trick(
            "<input id=i><script>let s = ''; i.oninput = () => { const v = i.value; i.value = s; setTimeout(() => { i.value = s = v.toUpperCase() }) }</script>",
            vec![fill("#i", "hello")],
            "i.value",
            json!("HELLO"),
        ),
        trick(
            "<input id=i value='0.00'><script>i.oninput = () => { i.value = (Number(i.value.replace(/\\D/g, '')) / 100).toFixed(2) }</script>",
            vec![fill("#i", "1250")],
            "i.value",
            json!("12.50"),
        ),
        // A mask that keeps its blanks.
        trick(
            "<input id=m><script>let d = ''; const show = () => { let i = 0; m.value = '(___) ___-____'.replace(/_/g, () => d[i++] ?? '_');
             const p = m.value.indexOf('_'); m.setSelectionRange(p < 0 ? 14 : p, p < 0 ? 14 : p) }; m.onfocus = () => setTimeout(show);
             m.onbeforeinput = e => { e.preventDefault(); const all = m.selectionEnd - m.selectionStart > 9;
             if (e.inputType === 'insertText') d = ((all ? '' : d) + e.data.replace(/\\D/g, '')).slice(0, 10);
             else d = all ? '' : d.slice(0, -1); show() }</script>",
            vec![fill("#m", "5551234567")],
            "m.value",
            json!("(555) 123-4567"),
        ),
        // A mask that knows keys only.
        trick(
            "<input id=m><script>let d = ''; m.onkeydown = e => { if (/^\\d$/.test(e.key)) { e.preventDefault(); d = (d + e.key).slice(0, 8);
             m.value = d.replace(/^(\\d\\d)(\\d)/, '$1/$2').replace(/^(\\d\\d\\/\\d\\d)(\\d)/, '$1/$2') } else if (e.key === 'Backspace') { d = m.value = '' } };
             m.oninput = () => { m.value = d }</script>",
            vec![fill("#m", "28112026")],
            "m.value",
            json!("28/11/2026"),
        ),
        // Read-only until it has the focus, so that no browser fills it in.
        trick("<input id=i readonly onfocus='this.readOnly = false'>", vec![fill("#i", "mine")], "i.value", json!("mine")),
        trick(
            "<div id=o><input class=i></div><script>o.addEventListener('focusin', e => { if (!e.target.dataset.again) {
             o.innerHTML = '<input class=i data-again=1>'; o.firstChild.focus() } })</script>",
            vec![fill(".i", "kept")],
            "o.firstChild.value",
            json!("kept"),
        ),
        trick("<iframe id=f srcdoc='<body contenteditable>old</body>'></iframe>", vec![fill("#f >> body", "new")],
            "f.contentDocument.body.innerText.trim()", json!("new")),
    ])
    .await;
}

#[tokio::test]
async fn lists_of_every_make_are_chosen_from() {
    all_work(vec![
        // It opens at the press, elsewhere in the page, and its backdrop fades out over everything.
        trick(
            "<div id=s role=combobox aria-haspopup=listbox tabindex=0>Ten</div><button id=next onclick='window.n = 1'>Next</button><script>
             s.onmousedown = e => { e.preventDefault(); const p = document.createElement('div'); p.style = 'position:fixed;inset:0;z-index:99';
             p.innerHTML = '<ul role=listbox style=\"margin-top:60px\"><li role=option>Ten<li role=option>Twenty</ul>'; document.body.append(p);
             for (const li of p.querySelectorAll('li')) li.onclick = () => { s.textContent = li.textContent; setTimeout(() => p.remove(), 400) } }</script>",
            vec![select("#s", &["Twenty"]), click("#next")],
            "[s.textContent, window.n]",
            json!(["Twenty", 1]),
        ),
        // It stays open, as more than one may be chosen.
        trick(
            "<div id=t role=combobox aria-haspopup=listbox tabindex=0>Pick</div><div id=m role=listbox aria-multiselectable=true hidden>
             <div role=option aria-selected=false>One</div><div role=option aria-selected=false>Two</div><div role=option aria-selected=false>Three</div></div>
             <script>t.onclick = () => { m.hidden = !m.hidden };
             m.onclick = e => e.target.setAttribute('aria-selected', e.target.ariaSelected !== 'true')</script>",
            vec![select("#t", &["One", "Three"])],
            "[...m.children].map(x => x.ariaSelected)",
            json!(["true", "false", "true"]),
        ),
        trick(
            "<input id=i list=l><datalist id=l><option value=Alpha><option>Beta</datalist>",
            vec![select("#i", &["beta"])],
            "i.value",
            json!("Beta"),
        ),
        // A calendar that is drawn anew with each press.
        trick(
            "<input id=d readonly><div id=c hidden></div><script>let m = 0; const draw = () => { c.innerHTML = '<button class=next>&gt;</button>'
             + Array.from({ length: 28 }, (_, i) => '<button data-d=' + ++i + '>' + i + '</button>').join('');
             c.onmousedown = e => { e.preventDefault(); if (e.target.className) { m++; draw() } else { d.value = m + '/' + e.target.dataset.d; c.hidden = true } } };
             d.onfocus = () => { c.hidden = false; draw() }; d.onblur = () => { c.hidden = true }</script>",
            vec![click("#d"), click(".next"), click(".next"), click("[data-d='15']")],
            "d.value",
            json!("2/15"),
        ),
        // Ten thousand rows, of which fourteen elements show those in sight.
        trick(
            "<div id=s style='height:200px;overflow:auto;position:relative'><div style='height:200000px'></div></div><script>
             const pool = Array.from({ length: 14 }, () => { const d = document.createElement('div');
             d.style = 'position:absolute;height:20px;width:300px'; d.onclick = () => { window.row = d.textContent }; s.append(d); return d });
             const draw = () => { const first = Math.floor(s.scrollTop / 20); for (let n = first; n < first + 14; n++) {
             pool[n % 14].style.top = n * 20 + 'px'; pool[n % 14].textContent = 'Row ' + n } }; draw(); s.onscroll = () => requestAnimationFrame(draw)</script>",
            vec![Action::new("#s", "scrollTo").argument("50%"), click("text=Row 4998")],
            "window.row",
            json!("Row 4998"),
        ),
    ])
    .await;
}

#[tokio::test]
async fn targets_that_hide_move_or_are_hollow_are_clicked() {
    all_work(vec![
        trick(
            "<svg width=120 height=120><circle id=c cx=60 cy=60 r=50 fill=none stroke=red stroke-width=6 onclick='window.hit = 1'/></svg>",
            vec![click("#c")],
            "window.hit",
            json!(1),
        ),
        trick(
            "<button id=b style='position:absolute;left:10px;top:10px'>Catch</button><script>let n = 0;
             b.onmouseover = () => { if (n++ < 1) b.style.left = '200px' }; b.onclick = () => { window.hit = 1 }</script>",
            vec![click("#b")],
            "window.hit",
            json!(1),
        ),
        trick(
            "<div id=m style='width:120px'>Menu<ul hidden id=u><li id=x onclick='window.hit = 1'>Item</ul></div><script>let t;
             m.onmouseenter = () => { clearTimeout(t); t = setTimeout(() => { u.hidden = false }, 150) };
             m.onmouseleave = () => { clearTimeout(t); t = setTimeout(() => { u.hidden = true }, 100) }</script>",
            vec![Action::new("#m", "hover"), click("#x")],
            "window.hit",
            json!(1),
        ),
        trick(
            "<input id=out><div id=d role=dialog aria-modal=true style='position:fixed;inset:0;background:#eee'><input id=i>
             <button id=ok onclick='document.removeEventListener(\"focusin\", trap); d.remove()'>OK</button></div>
             <script>const trap = e => { if (!d.contains(e.target)) i.focus() }; document.addEventListener('focusin', trap)</script>",
            vec![fill("#i", "in"), click("#ok"), fill("#out", "out")],
            "out.value",
            json!("out"),
        ),
        trick(
            "<a id=a href='/away'>Leave</a><input id=i><script>onbeforeunload = e => { e.preventDefault() }</script>",
            vec![fill("#i", "unsaved"), click("#a")],
            "document.title",
            json!("away"),
        ),
        trick(
            "<div id=o></div><script>setTimeout(() => { o.innerHTML = '<iframe srcdoc=\"<button onclick=parent.hit=1>Late</button>\"></iframe>' }, 900)</script>",
            vec![click("xpath=/html[1]/body[1]/div[1]/iframe[1]/html[1]/body[1]/button[1]")],
            "window.hit",
            json!(1),
        ),
        // A sortable list that waits for six pixels before it believes in a drag.
        trick(
            "<ul id=l><li>A<li>B<li>C</ul><script>let g, y, on; l.onpointerdown = e => { g = e.target; y = e.clientY; on = false; e.preventDefault() };
             document.onpointermove = e => { if (!g) return; on ||= Math.abs(e.clientY - y) > 6; const o = on && document.elementFromPoint(e.clientX, e.clientY);
             if (o && o !== g && o.parentNode === l) o.after(g) }; document.onpointerup = () => { g = null }</script>",
            vec![Action::new("xpath=//li[.='A']", "dragAndDrop").argument("xpath=//li[.='C']")],
            "l.innerText.replace(/\\s/g, '')",
            json!("BCA"),
        ),
    ])
    .await;
}
