//! What an action leads to is there when `act()` has returned.

use std::time::Duration;

use automator::Action;
use automator_testing::Route;

use crate::rig::Rig;

#[tokio::test]
async fn a_navigation_that_an_action_begins_is_waited_for() {
    let rig = Rig::start().await;
    let slow = || Route::html("<h1>Landed</h1>").delay(Duration::from_millis(400));
    rig.site.route("/slow", slow());
    for (html, action) in [
        ("<a href=/slow>Go</a>", Action::new("a", "click")),
        (
            "<form action=/slow><input name=q></form>",
            Action::new("input", "press").argument("Enter"),
        ),
        (
            "<form action=/slow><button>Send</button></form>",
            Action::new("button", "click"),
        ),
        (
            "<form action=/slow method=post target=_top><button>Send</button></form>",
            Action::new("button", "click"),
        ),
        (
            "<form action=/slow><p onclick='this.parentNode.submit()'>Send</p></form>",
            Action::new("p", "click"),
        ),
        (
            "<div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML = '<form action=/slow><button>Send</button></form>'</script>",
            Action::new("button", "click"),
        ),
        (
            "<a href=\"javascript:document.forms[0].submit()\">Send</a><form action=/slow></form>",
            Action::new("a", "click"),
        ),
        (
            "<form action=/slow><input name=q></form><p onclick='document.forms[0].requestSubmit()'>Send</p>",
            Action::new("p", "click"),
        ),
        (
            "<div id=host></div><p>Send</p><script>
            const root = host.attachShadow({ mode: 'closed' });
            root.innerHTML = '<form action=/slow method=post><input name=q></form>';
            document.querySelector('p').onclick = () => root.querySelector('form').submit();
            </script>",
            Action::new("p", "click"),
        ),
        (
            "<div id=host style='display: inline-block'></div>
            <script>host.attachShadow({ mode: 'closed' }).innerHTML = '<a href=/slow>Go on</a>'</script>",
            Action::new("#host", "click"),
        ),
        (
            "<a href=/slow target=inner>Go</a><iframe name=inner srcdoc=Old></iframe>",
            Action::new("a", "click"),
        ),
        (
            "<iframe srcdoc='<a href=/slow>Go</a>'></iframe>",
            Action::new("iframe >> a", "click"),
        ),
        (
            "<iframe srcdoc='<a href=/slow target=_top>Go</a>'></iframe>",
            Action::new("iframe >> a", "click"),
        ),
        (
            "<button onclick=\"location.href = '/slow'\">Go</button>",
            Action::new("button", "click"),
        ),
        (
            "<select onchange=\"location.href = '/slow'\"><option>a<option>b</select>",
            Action::new("select", "selectOption").argument("b"),
        ),
    ] {
        rig.show(html).await;
        let result = rig.automator.act(&action).await.unwrap();
        assert!(result.success, "{html}: {result:?}");
        let text = rig.text().await;
        assert!(text.contains("Landed"), "{html}: {text}");
    }
    rig.close().await;
}

#[tokio::test]
async fn a_navigation_that_never_ends_is_not_waited_for_long() {
    let rig = Rig::start().await;
    rig.site.route("/never", Route::never());
    rig.show("<a href=/never>Go</a>").await;
    let started = std::time::Instant::now();
    let result = rig.automator.act(Action::new("a", "click")).await.unwrap();
    assert!(result.success, "{result:?}");
    assert!(started.elapsed() < Duration::from_secs(20));
    rig.close().await;
}

#[tokio::test]
async fn what_listeners_put_off_is_there_for_the_next_reader() {
    let rig = Rig::start().await;
    rig.show("<button onclick='setTimeout(() => { document.body.append(\"Later\") })'>Go</button>")
        .await;
    for count in 1..=5 {
        let result = rig.automator.act(Action::new("button", "click")).await.unwrap();
        assert!(result.success, "{result:?}");
        let text = rig.text().await;
        assert_eq!(text.matches("Later").count(), count, "{text}");
    }
    rig.close().await;
}

#[tokio::test]
async fn a_way_back_is_waited_for() {
    let rig = Rig::start().await;
    rig.site.route(
        "/slow",
        Route::html("<h1>Landed</h1>")
            .header("cache-control", "no-store")
            .delay(Duration::from_millis(400)),
    );
    for script in ["history.back()", "history.go(-1)", "navigation.back()"] {
        rig.open(&rig.site.url("/slow")).await;
        rig.show(format!("<button onclick='{script}'>Back</button>"))
            .await;
        let result = rig.automator.act(Action::new("button", "click")).await.unwrap();
        assert!(result.success, "{script}: {result:?}");
        let text = rig.text().await;
        assert!(text.contains("Landed"), "{script}: {text}");
    }
    rig.close().await;
}

#[tokio::test]
async fn a_click_that_leads_nowhere_leaves_the_page_where_it_is() {
    let rig = Rig::start().await;
    for html in [
        "<a href='#below'>Go</a>",
        "<a href='mailto:someone@example.com'>Go</a>",
        "<a href=/other onclick='event.preventDefault()'>Go</a>",
        "<form action=/other onsubmit='return false'><button>Go</button></form>",
        "<a href='data:text/html,no'>Go</a>",
        "<a href=/other>Go</a><script>navigation.onnavigate = event => event.intercept({ handler: async () => {} })</script>",
        "<button onclick=\"location.href = '/other'; stop()\">Go</button>",
    ] {
        rig.show(format!("{html}<p>Still here</p>")).await;
        let action = Action::new("a, button", "click");
        let result = rig.automator.act(action).await.unwrap();
        assert!(result.success, "{html}: {result:?}");
        assert!(rig.text().await.contains("Still here"), "{html}");
    }
    rig.close().await;
}
