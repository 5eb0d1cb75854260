//! Pages of other sites, and names that were made to point here, on every route.

use super::routes::{all, belongings};
use super::{ask, patient};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_route_answers_foreign_pages_or_under_foreign_names() {
    let rig = patient().await;
    let (session, context) = belongings(&rig.client).await;
    let address = rig.server.address();
    let port = address.port();
    let names = [
        (("origin", "http://evil.example".to_owned()), 403),
        (("origin", "null".to_owned()), 403),
        (("origin", format!("https://127.0.0.1:{port}")), 403),
        (("origin", "http://127.0.0.1".to_owned()), 403),
        (("origin", format!("http://127.0.0.1:{port}.evil.example")), 403),
        (("host", "evil.example".to_owned()), 421),
        (("host", format!("evil.example:{port}")), 421),
        (("host", "127.0.0.1".to_owned()), 421),
        // Left out.
        (("host", String::new()), 400),
    ];
    let (_, debug) = rig.client.get(&format!("/v1/sessions/{session}")).await;
    let token = super::text(&debug, "connectUrl")
        .split_once("token=")
        .expect("a token")
        .1;
    for route in all() {
        for ((name, value), expected) in &names {
            let path = format!("{}?token={token}", route.about(&session, &context));
            let headers = [("x-bb-api-key", rig.client.key()), (*name, value.as_str())];
            let (status, answer) = ask(address, route.method, &path, &headers, &route.body()).await;
            assert_eq!(status, *expected, "{route:?}, {name}: {value}: {answer}");
            assert!(
                !answer.to_ascii_lowercase().contains("access-control-allow"),
                "{answer}"
            );
        }
    }
    // The first line of a request counts for more than `host`, and the second `host` for as much as the first.
    let key = ("x-bb-api-key", rig.client.key());
    let (own, foreign) = (address.to_string(), "evil.example".to_owned());
    for (target, hosts, expected) in [
        (format!("http://{address}/v1/sessions"), &[&own][..], 200),
        (format!("http://evil.example:{port}/v1/sessions"), &[&own], 421),
        (format!("http://{address}@evil.example/v1/sessions"), &[&own], 421),
        (format!("http://{address}/v1/sessions"), &[&foreign], 421),
        ("/v1/sessions".to_owned(), &[&own, &foreign], 400),
        ("/v1/sessions".to_owned(), &[&own, &own], 400),
    ] {
        let hosts = hosts.iter().map(|host| ("host", host.as_str()));
        let headers: Vec<_> = hosts.chain([key]).collect();
        let (status, answer) = ask(address, "GET", &target, &headers, "").await;
        assert_eq!(status, expected, "{target} {headers:?}: {answer}");
    }
    let (_, after) = rig.client.get(&format!("/v1/sessions/{session}")).await;
    assert_eq!(after["status"], "RUNNING", "{after}");
    let own = [
        ("x-bb-api-key", rig.client.key()),
        ("origin", &format!("http://127.0.0.1:{port}")),
    ];
    assert_eq!(ask(address, "GET", "/v1/sessions", &own, "").await.0, 200);
    rig.server.stop().await;
}
