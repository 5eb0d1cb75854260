//! The tabs that pages open: which are followed, and how a run comes back from them.

use automator::{AgentConfig, AgentResult, DomainPolicy};
use automator_testing::Site;
use serde_json::json;

use crate::rig::Rig;
use crate::script::{Step, act_on, call, play_alone, results};

/// Plays the steps on the page that is active, or on one that the run is given.
async fn run(rig: &Rig, is_given: bool, steps: Vec<Step>) -> AgentResult {
    play_alone(rig, steps);
    let agent = rig.automator.agent(AgentConfig::default());
    let mut task = agent.execute("look around");
    if is_given {
        task = task.page(&rig.page);
    }
    let result = task.await.unwrap();
    assert_eq!(rig.model.failures(), Vec::<String>::new());
    result
}

fn back() -> Step {
    call("navback", json!({ "reasoningText": "back" }))
}

/// Closes all pages but the rig's own.
async fn close_others(rig: &Rig) {
    for page in rig.automator.context().unwrap().pages() {
        if page != rig.page {
            page.close().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_pop_up_that_stays_empty_is_not_followed() {
    let rig = Rig::start().await;
    let at = rig
        .show("<button onclick=\"window.open('about:blank'); count++\">Add</button><script>var count = 0</script>")
        .await;
    for is_given in [false, true] {
        let steps = vec![
            act_on("click {}", "button: Add"),
            act_on("click {}", "button: Add"),
        ];
        let result = run(&rig, is_given, steps).await;
        let told = results(&rig);
        assert!(
            told[0].starts_with("done; the tab that it opened is empty"),
            "{told:?}"
        );
        assert!(
            result.actions.iter().all(|action| action.page_url == at.url),
            "{result:?}"
        );
        if !is_given {
            assert_eq!(rig.automator.context().unwrap().active_page().unwrap(), rig.page);
        }
        close_others(&rig).await;
    }
    rig.becomes("count", 4).await;
    rig.close().await;
}

#[tokio::test]
async fn a_pop_up_that_is_filled_later_is_followed() {
    let rig = Rig::start().await;
    let other = rig.site.put("<h1>Filled at last</h1>");
    rig.show(format!(
        "<button onclick=\"const w = window.open(); setTimeout(() => {{ w.location = '{}' }}, 1500)\">Go</button>",
        other.url
    ))
    .await;
    for is_given in [false, true] {
        let steps = vec![
            act_on("click {}", "button: Go"),
            call("wait", json!({ "timeMs": 2500 })),
        ];
        let result = run(&rig, is_given, steps).await;
        let told = results(&rig);
        assert!(told[1].contains("Filled at last"), "{told:?}");
        assert_eq!(result.actions[1].page_url, other.url);
        close_others(&rig).await;
    }
    rig.close().await;
}

#[tokio::test]
async fn back_from_a_tab_without_a_page_before_is_the_tab_that_opened_it() {
    let rig = Rig::start().await;
    let third = rig.site.put("<h1>The third</h1>");
    let second = rig.site.put(format!(
        "<h1>The second</h1><a target=_blank href='{}'>Further</a>",
        third.url
    ));
    let first = rig
        .show(format!(
            "<h1>The first</h1><a target=_blank href='{}'>Open</a>",
            second.url
        ))
        .await;
    for is_given in [false, true] {
        let steps = vec![
            act_on("click {}", "link: Open"),
            act_on("click {}", "link: Further"),
            back(),
            back(),
        ];
        let result = run(&rig, is_given, steps).await;
        let urls: Vec<&str> = result
            .actions
            .iter()
            .map(|action| action.page_url.as_str())
            .collect();
        let (first, second, third) = (first.url.as_str(), second.url.as_str(), third.url.as_str());
        assert_eq!(urls[..4], [second, third, second, first]);
        let told = results(&rig);
        assert!(
            told[2].starts_with("done: back in the tab that opened this one"),
            "{told:?}"
        );
        assert!(told[3].contains("The first"), "{told:?}");
        close_others(&rig).await;
    }
    rig.close().await;
}

#[tokio::test]
async fn when_a_tab_closes_the_run_goes_back_to_the_one_that_opened_it() {
    let rig = Rig::start().await;
    let second = rig.site.put("<button onclick='window.close()'>Close</button>");
    let first = rig
        .show(format!(
            "<h1>The first</h1><button onclick=\"window.open('{}')\">Open</button>",
            second.url
        ))
        .await;
    for is_given in [false, true] {
        let steps = vec![
            act_on("click {}", "button: Open"),
            act_on("click {}", "button: Close"),
            call("ariaTree", json!({})),
        ];
        let result = run(&rig, is_given, steps).await;
        assert_eq!(result.actions[0].page_url, second.url);
        assert_eq!(result.actions[2].page_url, first.url);
        let told = results(&rig);
        assert!(told[2].contains("The first"), "{told:?}");
        let closed = "the tab was closed, and this is the one before it";
        assert_eq!(told.join("\n").matches(closed).count(), 1, "{told:?}");
    }
    rig.close().await;
}

#[tokio::test]
async fn where_the_domain_policy_does_not_let_a_page_go_is_told() {
    let rig = Rig::start().await;
    let elsewhere = Site::start().await;
    let away = format!("http://localhost:{}", elsewhere.port());
    let at = rig
        .show(format!(
            "<a href='{away}/link'>Link</a><button onclick=\"window.open('{away}/open')\">Opens</button>\
             <a target=_blank href='{away}/tab'>Tab</a>\
             <form action='{away}/form'><input aria-label=Name><button>Send</button></form>"
        ))
        .await;
    let mut policy = DomainPolicy::default();
    policy.allowed_domains = Some(vec!["127.0.0.1".to_owned()]);
    let context = rig.automator.context().unwrap();
    context.set_domain_policy(&policy).await.unwrap();
    for is_given in [false, true] {
        let steps = vec![
            act_on("click {}", "link: Link"),
            act_on("click {}", "button: Send"),
            act_on("click {}", "textbox: Name"),
            call("keys", json!({ "method": "press", "value": "Enter" })),
            act_on("click {}", "button: Opens"),
            act_on("click {}", "link: Tab"),
            act_on("click {}", "textbox: Name"),
        ];
        let result = run(&rig, is_given, steps).await;
        let told = results(&rig);
        let why = "`localhost` is not among the allowed domains (127.0.0.1)";
        for (index, path) in [
            (0, "/link"),
            (1, "/form"),
            (3, "/form"),
            (4, "/open"),
            (5, "/tab"),
        ] {
            let forbids = format!("the domain policy forbids {away}{path}");
            assert!(
                told[index].contains(&forbids) && told[index].contains(why),
                "{told:?}"
            );
        }
        for index in [0, 1, 3] {
            assert!(told[index].starts_with("failed: "), "{told:?}");
            assert_eq!(result.actions[index].details["success"], false);
        }
        for index in [4, 5] {
            assert!(
                told[index].starts_with("done; the tab that it opened was refused: "),
                "{told:?}"
            );
        }
        for index in [2, 6] {
            assert!(
                told[index].starts_with("done") && !told[index].contains("policy"),
                "{told:?}"
            );
        }
        assert!(
            result.actions.iter().all(|action| action.page_url == at.url),
            "{result:?}"
        );
        close_others(&rig).await;
    }
    assert!(elsewhere.hits().is_empty());
    rig.close().await;
}
