//! How the pages look: in the dark, on narrow screens, with the focus anywhere.

use automator_browser::Page;
use serde_json::{Value, json};

use super::{stage, until, until_coloured};

/// The least contrast of any text on the page with what is behind it, and where that is.
const LEAST_CONTRAST: &str = "(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = ([red, green, blue]) => {
        const linear = [red, green, blue].map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = parts(getComputedStyle(at).backgroundColor);
            if (colour.length === 3 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
    };
    let least = [99, 'nothing'];
    let count = 0;
    for (const element of document.querySelectorAll('body *')) {
        const hasText = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.data.trim());
        if (!element.getClientRects().length || !(hasText || element.matches('input'))) continue;
        const [one, other] = [light(parts(getComputedStyle(element).color)), light(ground(element))];
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        count += 1;
        if (contrast < least[0]) least = [contrast, element.outerHTML];
    }
    return { least: least[0], where: least[1], count, ground: ground(document.body).join() };
})()";

async fn prefer(page: &Page, scheme: &str) {
    let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
    page.send_cdp("Emulation.setEmulatedMedia", &json!({ "features": features }))
        .await
        .expect("set");
}

/// Looks at the contrast of a page in both schemes, and gives the two grounds.
async fn has_contrast(page: &Page) -> [Value; 2] {
    let mut grounds = [Value::Null, Value::Null];
    for (ground, scheme) in grounds.iter_mut().zip(["light", "dark"]) {
        prefer(page, scheme).await;
        let found = page.evaluate_in_page(LEAST_CONTRAST).await.expect("a contrast");
        assert!(
            found["least"].as_f64().is_some_and(|least| least >= 4.5),
            "{scheme}: {found}"
        );
        assert!(found["count"].as_u64().is_some_and(|count| count > 3), "{found}");
        *ground = found["ground"].clone();
    }
    grounds
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_readable_in_the_dark_on_narrow_screens_and_show_the_focus() {
    let mut stage = stage().await;
    stage.program_opens("/green").await;
    let url = stage.control_url().await;
    let page = stage.open(&url).await;
    until_coloured(&page, [0, 128, 0]).await;
    let [light, dark] = has_contrast(&page).await;
    assert_ne!(light, dark);

    let narrow = json!({ "width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": false });
    page.send_cdp("Emulation.setDeviceMetricsOverride", &narrow)
        .await
        .expect("set");
    until(&page, "innerWidth === 320").await;
    until(&page, "document.documentElement.scrollWidth <= 320").await;
    // Whatever has the focus shows it.
    for _ in 0..12 {
        page.press("Tab", std::time::Duration::ZERO)
            .await
            .expect("pressed");
        until(
            &page,
            "document.activeElement === document.body \
             || parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2",
        )
        .await;
        if page
            .evaluate_in_page("document.activeElement.id")
            .await
            .is_ok_and(|id| id == "screen")
        {
            page.press("Escape", std::time::Duration::ZERO)
                .await
                .expect("pressed");
            page.press("Escape", std::time::Duration::ZERO)
                .await
                .expect("pressed");
            break;
        }
    }
    let list = format!("{}/sessions", stage.server.public_url());
    let missing = format!("{}/sessions/none", stage.server.public_url());
    for url in [list, missing] {
        page.goto(&url, automator_browser::GotoOptions::default())
            .await
            .expect("opened");
        until(&page, "document.documentElement.scrollWidth <= 320").await;
        has_contrast(&page).await;
    }
    stage.end().await;
}
