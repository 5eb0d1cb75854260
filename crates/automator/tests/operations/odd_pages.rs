//! Pages that are large, deep, broken or busy.

use std::time::{Duration, Instant};

use automator::{Automator, Env, ErrorKind};
use automator_testing::Route;

use crate::rig::{Rig, line, quiet};

#[tokio::test]
async fn two_thousand_levels_are_read_to_the_bottom() {
    let rig = Rig::start().await;
    rig.show(
        "<body><script>let p = document.body; for (let i = 0; i < 2000; i++) { const d = document.createElement('div');
        p.append(d); p = d } p.innerHTML = '<button>Bottom</button>'</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(text.contains("button: Bottom"), "{text}");
    rig.close().await;
}

#[tokio::test]
async fn six_hundred_nested_blocks_that_are_told_keep_their_text() {
    let rig = Rig::start().await;
    rig.show(
        "<body><script>let p = document.body; for (let i = 0; i < 600; i++) { const d = document.createElement('blockquote');
        d.append('level ' + i); p.append(d); p = d }</script>",
    )
    .await;
    let text = rig.text().await;
    let missing = (0..600).find(|level| !text.contains(&format!("level {level}")));
    assert_eq!(missing, None, "{}", &text[..2000.min(text.len())]);
    rig.close().await;
}

#[tokio::test]
async fn half_surrogates_in_text_names_and_addresses_are_made_well_formed() {
    let rig = Rig::start().await;
    rig.show(
        "<p id=p></p><button id=b>x</button><a id=a>link</a><script>p.textContent = 'odd \\ud83d end';
        b.setAttribute('aria-label', 'go \\ude00 on'); a.href = '/x\\ud800y'</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(
        text.contains("odd \u{fffd} end") && text.contains("button: go \u{fffd} on"),
        "{text}"
    );
    rig.close().await;
}

#[tokio::test]
async fn a_frame_that_never_answers_leaves_the_rest_readable() {
    let rig = Rig::start().await;
    rig.site.route("/never", Route::never());
    let at = rig.site.put(format!(
        "<h1>Still here</h1><iframe title=stuck src='{}'></iframe>",
        rig.site.cross_url("/never")
    ));
    rig.page.goto(&at.url).await.unwrap();
    let started = Instant::now();
    let text = rig.text().await;
    assert!(
        text.contains("heading: Still here") && text.contains("Iframe: stuck"),
        "{text}"
    );
    assert!(started.elapsed() < Duration::from_secs(20));
    rig.close().await;
}

#[tokio::test]
async fn a_frame_whose_script_hangs_is_told_as_unread() {
    let rig = Rig::start().await;
    let stuck = rig
        .site
        .put("<p>stuck</p><script>setTimeout(() => { for (;;); }, 300)</script>");
    rig.show(format!(
        "<h1>Around</h1><iframe title=busy src='{}'></iframe>",
        stuck.cross_url
    ))
    .await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    let text = rig
        .automator
        .page_text()
        .timeout(Duration::from_secs(12))
        .await
        .unwrap()
        .page_text;
    assert!(line(&text, "Iframe: busy").ends_with("[unread]"), "{text}");
    assert!(text.contains("heading: Around"));
    rig.close().await;
}

#[tokio::test]
async fn a_page_that_never_goes_quiet_is_read_at_once() {
    let rig = Rig::start().await;
    rig.site.route("/never", Route::never());
    rig.show(
        "<p id=p></p><script>let n = 0; setInterval(() => { p.textContent = 'tick ' + n++ }, 20);
        fetch('/never')</script>",
    )
    .await;
    let started = Instant::now();
    rig.text_with(&["tick"]).await;
    assert!(started.elapsed() < Duration::from_secs(10));
    rig.close().await;
}

#[tokio::test]
async fn the_deadline_holds_on_a_page_that_hangs() {
    let rig = Rig::start().await;
    rig.show("<p>x</p><script>setTimeout(() => { for (;;); }, 300)</script>")
        .await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    let started = Instant::now();
    let error = rig
        .automator
        .page_text()
        .timeout(Duration::from_millis(800))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExtractTimeout);
    assert_eq!(error.to_string(), "extract: timed out after 800 ms");
    assert!(started.elapsed() < Duration::from_secs(5));
    let error = rig
        .automator
        .extract("anything")
        .timeout(Duration::from_millis(800))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExtractTimeout);
    rig.close().await;
}

#[tokio::test]
async fn a_dialog_that_is_open_before_we_attach_holds_nothing_up() {
    let rig = Rig::start().await;
    let at = rig
        .site
        .put("<h1>Behind the box</h1><script>setTimeout(() => alert('first'), 100)</script>");
    // A session that cannot answer dialogs: raw navigation in a browser that only we attach to later.
    rig.page.goto(&at.url).await.unwrap();
    let mut launch = quiet();
    launch.cdp_url = Some(rig.automator.connect_url().await.unwrap());
    rig.page
        .evaluate("setTimeout(() => confirm('second'), 50), 1")
        .await
        .unwrap();
    let other = Automator::builder(Env::Local)
        .local_browser(launch)
        .build()
        .unwrap();
    let started = Instant::now();
    other.init().await.unwrap();
    let text = other
        .page_text()
        .timeout(Duration::from_secs(10))
        .await
        .unwrap()
        .page_text;
    assert!(text.contains("heading: Behind the box"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(10));
    other.close().await.unwrap();
    assert!(
        rig.text().await.contains("Behind the box"),
        "attaching and closing harmed the browser"
    );
    rig.close().await;
}

#[tokio::test]
async fn ten_megabytes_of_text_are_read_whole() {
    let rig = Rig::start().await;
    rig.show(
        "<h1>Long</h1><div id=d></div><script>const part = 'word '.repeat(1000);
        for (let i = 0; i < 2000; i++) { const p = document.createElement('p'); p.textContent = i + ' ' + part; d.append(p) }
        d.append('the very end')</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(
        text.len() > 10_000_000 && text.ends_with("the very end"),
        "{} bytes",
        text.len()
    );
    rig.close().await;
}

#[tokio::test]
async fn ten_megabytes_of_data_addresses_and_drawings_make_no_lines() {
    let rig = Rig::start().await;
    rig.show(
        "<h1>Pictures</h1><div id=d></div><script>const data = 'data:image/png;base64,' + 'A'.repeat(100000);
        const shapes = '<g>' + '<path d=\"M0 0 L1 1\"/>'.repeat(2000) + '</g>';
        for (let i = 0; i < 50; i++) { d.insertAdjacentHTML('beforeend',
          `<img src=\"${data}\"><svg width=20 height=20>${shapes}</svg><a href=\"${data}\">picture ${i}</a>`) }</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(text.contains("link: picture 49"));
    assert!(text.len() < 10_000, "{} bytes", text.len());
    rig.close().await;
}

#[tokio::test]
async fn listeners_on_the_root_make_nothing_clickable_that_is_not() {
    let rig = Rig::start().await;
    rig.show(
        "<div id=root><p>plain text</p><div id=own>has its own</div><span style='cursor:pointer'>looks like it</span></div>
        <script>for (const target of [window, document, document.documentElement, document.body])
          target.addEventListener('click', () => {});
        own.addEventListener('click', () => {})</script>",
    )
    .await;
    let text = rig.text().await;
    assert_eq!(line(&text, "plain text"), "plain text");
    assert!(
        line(&text, "has its own").ends_with("] div: has its own"),
        "{text}"
    );
    assert!(
        line(&text, "looks like it").ends_with("] span: looks like it"),
        "{text}"
    );
    assert!(!text.contains("html") && !text.contains("body"), "{text}");
    rig.close().await;
}

#[tokio::test]
async fn right_to_left_and_cjk_text_comes_through_untouched() {
    let rig = Rig::start().await;
    rig.show(
        "<html lang=ar dir=rtl><meta charset=utf-8><h1>مصباح المكتب</h1><p>السعر <b>49</b> يورو</p>
        <p lang=ja>デスク<b>ランプ</b>、四十九ユーロ</p><p lang=zh>台灯</p><button>购买</button></html>",
    )
    .await;
    let text = rig.text().await;
    for expected in [
        "heading: مصباح المكتب",
        "السعر 49 يورو",
        "デスクランプ、四十九ユーロ",
        "台灯",
        "button: 购买",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    rig.close().await;
}

#[tokio::test]
async fn off_screen_zero_size_and_clipped_elements_stay_in_and_hidden_ones_stay_out() {
    let rig = Rig::start().await;
    rig.show(
        "<button style='position:absolute;left:-9999px'>Off screen</button>
        <div style='width:0;height:0'><button>In nothing</button></div>
        <span style='position:absolute;clip:rect(0 0 0 0);width:1px;height:1px;overflow:hidden'>Clipped words</span>
        <p style='opacity:0'>Transparent</p>
        <p hidden>gone A</p><p style='display:none'>gone B</p><p style='visibility:hidden'>gone C <b style='visibility:visible'>back</b></p>
        <p aria-hidden=true>gone D</p><template><p>gone E</p></template><div inert><button>gone F</button></div>
        <details><summary>More</summary><p>gone G</p></details><!-- gone H --><noscript>gone I</noscript>",
    )
    .await;
    let text = rig.text().await;
    for expected in [
        "button: Off screen",
        "button: In nothing",
        "Clipped words",
        "Transparent",
        "back",
        "DisclosureTriangle: More",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    assert!(!text.contains("gone"), "{text}");
    rig.close().await;
}

#[tokio::test]
async fn contents_slots_and_owned_elements_stand_where_people_see_them() {
    let rig = Rig::start().await;
    rig.show(
        "<div style='display:contents'><div style='display:contents'><button>In contents</button></div></div>
        <x-card><span slot=title>Slotted title</span><p>Slotted body</p><i slot=nowhere>gone</i></x-card>
        <ul aria-owns='late' aria-label=Owner><li>own item</li></ul><p>between</p><div id=late role=listitem>late item</div>
        <script>customElements.define('x-card', class extends HTMLElement { constructor() { super();
          this.attachShadow({mode: 'open'}).innerHTML =
            '<section><p>Before</p><slot></slot><slot name=title></slot><slot name=empty><b>Fallback</b></slot></section>' } })</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(
        text.contains("button: In contents") && text.contains("Fallback") && !text.contains("gone"),
        "{text}"
    );
    let at = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("no {part:?} in\n{text}"))
    };
    assert!(
        at("Before") < at("Slotted body") && at("Slotted body") < at("Slotted title"),
        "{text}"
    );
    assert!(at("late item") < at("between"), "{text}");
    rig.close().await;
}

#[tokio::test]
async fn an_open_modal_dialog_is_all_there_is() {
    let rig = Rig::start().await;
    rig.show(
        "<h1>Behind</h1><button>Under</button><dialog id=d><h2>Question</h2><button>Yes</button></dialog>
        <script>d.showModal()</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(text.contains("dialog") && text.contains("button: Yes"), "{text}");
    assert!(!text.contains("Behind") && !text.contains("Under"), "{text}");
    rig.close().await;
}

#[tokio::test]
async fn content_that_the_browser_lays_out_late_is_read_too() {
    let rig = Rig::start().await;
    rig.show(
        "<div style='height:6000px'>tall</div>
        <iframe title=inner style='height:100px' srcdoc=\"<div style='height:6000px'>tall</div>
          <div style='content-visibility:auto'><p>Late in a frame</p></div>\"></iframe>
        <section style='content-visibility:auto'><h2>Late heading</h2><div style='content-visibility:auto'><p>Late words</p></div></section>",
    )
    .await;
    let text = rig.text().await;
    assert!(
        text.contains("heading: Late heading") && text.contains("Late words"),
        "{text}"
    );
    rig.close().await;
}

#[tokio::test]
async fn passwords_never_leave_the_page() {
    let rig = Rig::start().await;
    rig.show("<input type=password value=hunter2 aria-label=A><input type=password id=b aria-label=B><script>b.value = 'hunter3'</script>").await;
    let snapshot = rig.page.snapshot().await.unwrap();
    assert!(!snapshot.text().contains("hunter"), "{}", snapshot.text());
    assert_eq!(snapshot.text().matches("••••").count(), 2);
    rig.show(
        "<input type=checkbox id=cb><label for=cb>Remember <input type=password value=hunter4></label>
        <h2>Head <input type=password value=hunter5></h2><a href=/x>Link <input type=password value=hunter6></a>
        <button aria-labelledby=pw>B</button><input type=password id=pw value=hunter7>",
    )
    .await;
    let text = rig.text().await;
    assert!(!text.contains("hunter"), "{text}");
    rig.close().await;
}
