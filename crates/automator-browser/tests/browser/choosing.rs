//! Options of native and custom lists.

use std::time::Duration;

use automator_browser::{BrowserError, ObstacleKind, OptionChoice, Page};
use automator_testing::Site;
use serde_json::json;

use crate::{browser_at, frame_at};

async fn choose(page: &Page, selector: &str, options: &[&str]) -> Result<Vec<String>, BrowserError> {
    let options: Vec<OptionChoice> = options.iter().map(|text| OptionChoice::from(*text)).collect();
    page.deep_locator(selector)
        .select_option(&options, Some(Duration::from_millis(500)))
        .await
}

#[tokio::test]
async fn native_options_are_selected_by_value_label_and_text_with_one_pair_of_events() {
    let site = Site::start().await;
    let at = site.put(
        "<select id=s><option value=1>One<option value=2>Two<option value=3 label=Third>Three<option disabled>Four</select>
        <select id=m multiple><option value=a>A<option value=b selected>B<option value=c> C  c </select>
        <select id=back><option>x<option>y</select>
        <script>window.seen=[];for(const t of ['input','change'])s.addEventListener(t,()=>seen.push(t+s.value));
        back.onchange=()=>back.value='x'</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    assert_eq!(choose(&page, "#s", &["2"]).await.unwrap(), ["2"]);
    assert_eq!(choose(&page, "#s", &["Third"]).await.unwrap(), ["3"]);
    assert_eq!(choose(&page, "#s", &["Three"]).await.unwrap(), ["3"]);
    assert_eq!(choose(&page, "#s", &["one"]).await.unwrap(), ["1"]);
    let seen = page.evaluate_in_page("seen").await.unwrap();
    assert_eq!(
        seen,
        json!(["input2", "change2", "input3", "change3", "input1", "change1"])
    );
    assert_eq!(choose(&page, "#m", &["a", "C c"]).await.unwrap(), ["a", "c"]);
    assert_eq!(choose(&page, "#m", &[]).await.unwrap(), Vec::<String>::new());
    let error = choose(&page, "#s", &["Five"]).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::OptionNotFound { wanted, offered, .. } if wanted == "Five" && offered.len() == 4),
        "{error}"
    );
    let error = choose(&page, "#s", &["Four"]).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::NotActionable { obstacle, .. } if obstacle.kind == ObstacleKind::OptionDisabled),
        "{error}"
    );
    let error = choose(&page, "#back", &["y"]).await.unwrap_err();
    assert!(error.may_have_happened(), "{error}");
    browser.close().await;
}

#[tokio::test]
async fn lists_in_frames_and_shadow_roots_and_options_that_come_late_are_selected() {
    let site = Site::start().await;
    let inner = site.put_at("/inner", "<select id=s><option>A<option>B</select>");
    let at = site.put(format!(
        "<iframe id=x src='{}'></iframe>
        <x-a><template shadowrootmode=closed><select id=shaded><option>C<option>D</select></template></x-a>
        <select id=late></select><script>setTimeout(()=>late.innerHTML='<option>E<option>F',200)</script>",
        inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    frame_at(&page, "/inner").await;
    assert_eq!(choose(&page, "#x >> #s", &["B"]).await.unwrap(), ["B"]);
    assert_eq!(choose(&page, "#shaded", &["D"]).await.unwrap(), ["D"]);
    assert_eq!(choose(&page, "#late", &["F"]).await.unwrap(), ["F"]);
    browser.close().await;
}

#[tokio::test]
async fn custom_list_is_opened_and_its_option_clicked() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=t aria-haspopup=listbox onclick='setTimeout(()=>menu.hidden=false,150)'>Colour</button>
        <ul id=menu hidden role=listbox><li role=option>Red<li role=option>Blue</ul>
        <script>for (const o of menu.children) o.onclick = () => { t.textContent = o.textContent; menu.hidden = true }</script>
        <div id=open role=listbox><div role=option aria-selected=false onclick=\"this.setAttribute('aria-selected','true')\">Left</div></div>
        <button id=mute>Mute</button>",
    );
    let (browser, page) = browser_at(&at.url).await;
    assert_eq!(choose(&page, "#t", &["Blue"]).await.unwrap(), ["Blue"]);
    assert_eq!(page.locator("#t").text_content().await.unwrap(), "Blue");
    choose(&page, "#open", &["Left"]).await.unwrap();
    let error = choose(&page, "#t", &["Green"]).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::OptionNotFound { offered, .. } if offered.contains(&"Red".to_owned())),
        "{error}"
    );
    browser.close().await;
}

#[tokio::test]
async fn list_that_is_a_field_shows_its_options_when_the_text_is_typed() {
    let site = Site::start().await;
    let at = site.put(
        "<li>Corby</li><input id=q role=combobox aria-controls=lb autocomplete=off><ul id=lb role=listbox hidden></ul>
        <script>let keys = 0, timer; q.onkeydown = e => keys += e.isTrusted;
        q.oninput = () => { clearTimeout(timer); timer = setTimeout(() => { lb.innerHTML = '';
          for (const s of ['Ashford', 'Corby'].filter(s => keys && s.startsWith(q.value))) {
            const li = document.createElement('li'); li.setAttribute('role', 'option'); li.textContent = s;
            li.onmousedown = e => { e.preventDefault(); window.chosen = s; lb.hidden = true; q.value = s }; lb.append(li) }
          lb.hidden = false }, 100) }</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let wanted = [OptionChoice::from("Corby")];
    page.locator("#q").select_option(&wanted, None).await.unwrap();
    assert_eq!(page.evaluate_in_page("window.chosen").await.unwrap(), "Corby");
    browser.close().await;
}
