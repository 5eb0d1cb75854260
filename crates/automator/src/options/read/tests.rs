#![expect(clippy::needless_pass_by_value, reason = "test functions take json! literals")]

use std::time::Duration;

use serde_json::json;

use crate::{AutomatorOptions, Env, ErrorKind, ExtractOptions, SnapshotOptions, Verbosity};

#[test]
fn options_are_read_by_their_interface_names() {
    let options = AutomatorOptions::from_json(&json!({
        "env": "LOCAL", "verbose": 2, "selfHeal": false, "domSettleTimeout": 1500, "cacheDir": null,
        "model": { "modelName": "openai/gpt-4.1-mini", "apiKey": "k", "anything": [1] },
        "localBrowserLaunchOptions": { "ignoreDefaultArgs": ["--mute-audio"], "viewport": { "width": 1, "height": 2 } }
    }))
    .unwrap();
    assert_eq!(
        (options.env, options.verbose, options.self_heal),
        (Env::Local, Verbosity::Detailed, false)
    );
    assert_eq!(options.dom_settle_timeout, Duration::from_millis(1500));
    assert!(options.local_browser_launch_options.headless);
    let call: ExtractOptions =
        super::from_json("options", &json!({ "timeout": 700, "ignoreSelectors": ["a"] })).unwrap();
    assert_eq!(call.timeout, Some(Duration::from_millis(700)));
}

#[test]
fn an_unknown_member_is_named_with_the_nearest_known_one() {
    let error = AutomatorOptions::from_json(&json!({ "env": "LOCAL", "selfheal": true })).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "options has no member \"selfheal\" (did you mean \"selfHeal\"?)"
    );
    let nested = json!({ "env": "LOCAL", "localBrowserLaunchOptions": { "viewPort": {} } });
    let error = AutomatorOptions::from_json(&nested).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("localBrowserLaunchOptions has no member \"viewPort\""),
        "{error}"
    );
    assert!(error.to_string().contains("\"viewport\""), "{error}");
}

#[test]
fn a_name_that_is_like_no_other_gets_no_suggestion() {
    for (given, meant) in [
        ("timeoutMs", Some("timeout")),
        ("screenshots", Some("screenshot")),
        ("instruction", None),
        ("mode", Some("model")),
        ("x", None),
        ("verbosity", None),
    ] {
        let error = super::from_json::<ExtractOptions>("options", &json!({ given: 1 })).unwrap_err();
        let hint = meant.map(|meant| format!("did you mean \"{meant}\"?"));
        assert_eq!(error.hint_text(), hint.as_deref(), "{given}");
    }
}

#[test]
fn an_unknown_env_is_an_environment_error_and_an_ill_typed_option_an_argument_error() {
    let error = AutomatorOptions::from_json(&json!({ "env": "NOWHERE" })).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Environment);
    assert!(error.to_string().contains("NOWHERE"));
    for wrong in [
        json!({ "env": "LOCAL", "verbose": 3 }),
        json!({ "env": "LOCAL", "selfHeal": "yes" }),
        json!({}),
    ] {
        let error = AutomatorOptions::from_json(&wrong).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{wrong}");
    }
}

#[track_caller]
fn refused(options: serde_json::Value) -> String {
    let error = AutomatorOptions::from_json(&options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    error.to_string()
}

#[test]
fn an_ill_typed_option_is_named_with_its_path_and_what_it_must_be() {
    for (options, message) in [
        (
            json!({ "env": "LOCAL", "verbose": -1 }),
            "options.verbose must be a whole number from 0 to 2, not -1",
        ),
        (
            json!({ "env": "LOCAL", "verbose": 3 }),
            "options.verbose must be a whole number from 0 to 2, not 3",
        ),
        (
            json!({ "env": "LOCAL", "verbose": 1.5 }),
            "options.verbose must be a whole number from 0 to 2, not 1.5",
        ),
        (
            json!({ "env": 3 }),
            "options.env must be \"LOCAL\" or \"REMOTE\", not 3",
        ),
        (
            json!({}),
            "options.env is missing: it must be \"LOCAL\" or \"REMOTE\"",
        ),
        (
            json!({ "env": "LOCAL", "domSettleTimeout": 1e300 }),
            "options.domSettleTimeout must be a number of milliseconds from 0 to 9007199254740991, not 1e+300",
        ),
        (
            json!({ "env": "LOCAL", "domSettleTimeout": -5 }),
            "options.domSettleTimeout must be a number of milliseconds from 0 to 9007199254740991, not -5",
        ),
    ] {
        assert_eq!(refused(options), message);
    }
}

#[test]
fn an_option_within_another_is_named_with_its_whole_path() {
    let launch = |launch: serde_json::Value| json!({ "env": "LOCAL", "localBrowserLaunchOptions": launch });
    for (options, message) in [
        (
            launch(json!("headless")),
            "options.localBrowserLaunchOptions must be an object, not \"headless\"",
        ),
        (
            launch(json!({ "port": 99999 })),
            "options.localBrowserLaunchOptions.port must be a whole number from 0 to 65535, not 99999",
        ),
        (
            launch(json!({ "port": "9222" })),
            "options.localBrowserLaunchOptions.port must be a whole number from 0 to 65535, not \"9222\"",
        ),
        (
            launch(json!({ "headless": "no" })),
            "options.localBrowserLaunchOptions.headless must be true or false, not \"no\"",
        ),
        (
            launch(json!({ "args": ["--mute-audio", 5] })),
            "options.localBrowserLaunchOptions.args[1] must be a string, not 5",
        ),
        (
            launch(json!({ "args": "--mute-audio" })),
            "options.localBrowserLaunchOptions.args must be a list of strings, not \"--mute-audio\"",
        ),
        (
            launch(json!({ "viewport": { "width": 1280.5, "height": 720 } })),
            "options.localBrowserLaunchOptions.viewport.width must be a whole number from 0 to 4294967295, not 1280.5",
        ),
        (
            launch(json!({ "viewport": { "width": 1280 } })),
            "options.localBrowserLaunchOptions.viewport.height is missing: it must be a whole number from 0 to \
             4294967295",
        ),
        (
            launch(json!({ "viewport": [1, 2] })),
            "options.localBrowserLaunchOptions.viewport must be an object with width and height, not a list",
        ),
        (
            launch(json!({ "ignoreDefaultArgs": 1 })),
            "options.localBrowserLaunchOptions.ignoreDefaultArgs must be true or false or a list of strings, not 1",
        ),
        (
            launch(json!({ "cdpHeaders": { "authorization": 7 } })),
            "options.localBrowserLaunchOptions.cdpHeaders.authorization must be a string, not a number",
        ),
        (
            json!({ "env": "LOCAL", "model": { "modelName": "a/b", "apiKey": 5 } }),
            "options.model.apiKey must be a string, not a number",
        ),
        (
            json!({ "env": "LOCAL", "model": 5 }),
            "options.model must be a string \"provider/model\" or an object with modelName, not a number",
        ),
    ] {
        assert_eq!(refused(options), message);
    }
}

#[test]
fn options_of_a_call_are_named_as_those_of_a_session_are() {
    let error = super::from_json::<ExtractOptions>("options", &json!({ "ignoreSelectors": "nav" }));
    assert_eq!(
        error.unwrap_err().to_string(),
        "options.ignoreSelectors must be a list of strings, not \"nav\""
    );
    let error = super::from_json::<SnapshotOptions>("options", &json!({ "timeout": "5s" }));
    assert_eq!(
        error.unwrap_err().to_string(),
        "options.timeout must be a number of milliseconds from 0 to 9007199254740991, not \"5s\""
    );
    let error = super::from_json::<SnapshotOptions>("options", &json!([]));
    assert_eq!(
        error.unwrap_err().to_string(),
        "options must be an object, not a list"
    );
}

#[test]
fn what_may_be_secret_is_not_repeated() {
    let message = refused(json!({ "env": "LOCAL", "apiKey": ["sk-secret"] }));
    assert_eq!(message, "options.apiKey must be a string, not a list");
    let message = refused(json!({ "env": "LOCAL", "remoteSessionCreateParams": "https://me:secret@h/" }));
    assert!(!message.contains("secret"), "{message}");
}

#[test]
fn addresses_and_keys_of_no_use_are_refused_where_options_are_made() {
    let launch = |launch: serde_json::Value| json!({ "env": "LOCAL", "localBrowserLaunchOptions": launch });
    let model = |name: &str, value: &str| json!({ "env": "LOCAL", "model": { "modelName": "openai/m", name: value } });
    for (options, words) in [
        (
            launch(json!({ "cdpUrl": "nonsense" })),
            [
                "localBrowserLaunchOptions.cdpUrl",
                "\"nonsense\"",
                "ws://127.0.0.1",
            ],
        ),
        (
            launch(json!({ "cdpUrl": "" })),
            ["localBrowserLaunchOptions.cdpUrl", "\"\"", "ws://127.0.0.1"],
        ),
        (
            launch(json!({ "cdpUrl": "ftp://h/" })),
            [
                "localBrowserLaunchOptions.cdpUrl",
                "\"ftp://h/\"",
                "ws://127.0.0.1",
            ],
        ),
        (
            launch(json!({ "proxy": { "server": "a b" } })),
            [
                "localBrowserLaunchOptions.proxy.server",
                "\"a b\"",
                "http://proxy.example:3128",
            ],
        ),
        (
            launch(json!({ "proxy": { "server": "" } })),
            [
                "localBrowserLaunchOptions.proxy.server",
                "\"\"",
                "http://proxy.example:3128",
            ],
        ),
        (
            launch(json!({ "proxy": { "server": "http://me:secret@proxy.example" } })),
            [
                "localBrowserLaunchOptions.proxy.server",
                "username",
                "proxy.password",
            ],
        ),
        (
            launch(json!({ "viewport": { "width": 0, "height": 720 } })),
            ["localBrowserLaunchOptions.viewport", "0 × 720", "1280 × 720"],
        ),
        (
            launch(json!({ "deviceScaleFactor": 0 })),
            ["localBrowserLaunchOptions.deviceScaleFactor", "above 0", "not 0"],
        ),
        (
            model("baseURL", "::"),
            ["model.baseURL", "\"::\"", "http://127.0.0.1:8080/v1"],
        ),
        (
            model("apiKey", ""),
            ["model.apiKey", "empty", "variable that is not set"],
        ),
        (
            json!({ "env": "REMOTE", "apiKey": "" }),
            ["apiKey", "empty", "variable that is not set"],
        ),
    ] {
        let message = refused(options.clone());
        for word in words {
            assert!(message.contains(word), "{word} is not in {message}");
        }
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn addresses_of_browsers_and_proxies_may_have_every_form_that_the_browser_takes() {
    for address in [
        "ws://127.0.0.1:9222/devtools/browser/1",
        "wss://grid.example/?token=1",
        "http://localhost:9222",
        " http://[::1]:9222 ",
    ] {
        let options = json!({ "env": "LOCAL", "localBrowserLaunchOptions": { "cdpUrl": address } });
        assert!(AutomatorOptions::from_json(&options).is_ok(), "{address}");
    }
    for server in [
        "http://proxy.example:3128",
        "proxy.example:3128",
        "socks5://127.0.0.1:1080",
        "[::1]:3128",
        "direct://",
        "http=a.example:80;https=b.example:81",
        "a.example:80,direct://",
    ] {
        let options =
            json!({ "env": "LOCAL", "localBrowserLaunchOptions": { "proxy": { "server": server } } });
        assert!(AutomatorOptions::from_json(&options).is_ok(), "{server}");
    }
}
