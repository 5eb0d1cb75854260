//! Going to addresses.

use automator_testing::Site;

use crate::browser_at;

#[tokio::test]
async fn title_and_address_are_those_of_the_page() {
    let site = Site::start().await;
    let at = site.put("<title>Hello</title>");
    let (browser, page) = browser_at(&at.url).await;
    assert_eq!(page.title().await.unwrap(), "Hello");
    assert_eq!(page.url(), at.url);
    browser.close().await;
}
