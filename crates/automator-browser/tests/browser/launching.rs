//! Starting and ending browsers.

use crate::browser;

#[tokio::test]
async fn started_browser_has_a_page_of_the_default_size() {
    let t = std::time::Instant::now();
    let browser = browser().await;
    println!("start {:?}", t.elapsed());
    let page = browser.context().active_page().unwrap();
    let size = page.evaluate_in_page("[innerWidth, innerHeight]").await.unwrap();
    assert_eq!(size, serde_json::json!([1288, 711]));
    let t = std::time::Instant::now();
    browser.close().await;
    println!("close {:?}", t.elapsed());
}
