//! Which commands of clients reach the browser; pure.
//!
//! A client may do with its browser what it likes, but not with the machine that the browser runs on: no files of that
//! machine, no pages of the browser's own, no way around the proxy, no end of the browser that the platform does not
//! know of. Files that it names are those of its session. Of the domains that reach beyond a page, only commands that
//! are known here go through, so that one that a later browser brings does not; everything else goes through as it came.

mod files;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use url::Url;

use super::ClientRules;
use super::address::address_problem;
use super::sessions::Sessions;
use files::{Rewritten, into_own_folder, with_paths};

/// The code of answers that are not the browser's: "server error" in JSON-RPC, as Chromium itself uses it.
const REFUSED: i64 = -32_000;

/// The code of the answer to what cannot be read, in JSON-RPC.
const UNREADABLE: i64 = -32_700;

/// The code that Chromium answers with when a session is not there.
const NO_SESSION: i64 = -32_001;

/// Commands of the browser itself that go through; the rest of its domain opens windows of its own or ends it.
const OF_THE_BROWSER: [&str; 12] = [
    "Browser.cancelDownload",
    "Browser.getBrowserCommandLine",
    "Browser.getHistogram",
    "Browser.getHistograms",
    "Browser.getVersion",
    "Browser.getWindowBounds",
    "Browser.getWindowForTarget",
    "Browser.grantPermissions",
    "Browser.resetPermissions",
    "Browser.setContentsSize",
    "Browser.setPermission",
    "Browser.setWindowBounds",
];

/// Commands about targets that go through; the rest opens a way to what is not judged here.
const OF_TARGETS: [&str; 12] = [
    "Target.activateTarget",
    "Target.attachToBrowserTarget",
    "Target.attachToTarget",
    "Target.autoAttachRelated",
    "Target.closeTarget",
    "Target.detachFromTarget",
    "Target.disposeBrowserContext",
    "Target.getBrowserContexts",
    "Target.getTargetInfo",
    "Target.getTargets",
    "Target.setAutoAttach",
    "Target.setDiscoverTargets",
];

/// Domains that are refused whole: they reach the machine and its network, not a page.
const REFUSED_DOMAINS: [(&str, &str); 4] = [
    ("Cast", "devices near the server's machine are not for sessions"),
    (
        "Extensions",
        "extensions of the server's machine are not for sessions",
    ),
    ("PWA", "programs of the server's machine are not for sessions"),
    ("Tethering", "ports of the server's machine are not for sessions"),
];

/// Commands that are judged by their parameters.
const JUDGED: [&str; 9] = [
    "Browser.setDownloadBehavior",
    "DOM.setFileInputFiles",
    "Fetch.continueRequest",
    "Input.dispatchDragEvent",
    "Input.dispatchKeyEvent",
    "Page.navigate",
    "Page.setDownloadBehavior",
    "Target.createBrowserContext",
    "Target.createTarget",
];

/// What becomes of a message of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It goes on to the browser as it is.
    Forward,
    /// It goes on in this form.
    Rewrite(String),
    /// It does not, and the client gets this answer.
    Answer(String),
    /// The session is to be ended, and the client gets this answer before.
    Close(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    id: Option<i64>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Judges a message by what the session of the client is held to, and by the sessions that it has with targets.
#[must_use]
pub(crate) fn judge(text: &str, rules: &ClientRules, sessions: &Sessions) -> Judgement {
    let Ok(message) = serde_json::from_str::<Message<'_>>(text) else {
        // Not left to the browser: what it would make of it is not known here, as of one that names two methods.
        let error = json!({ "code": UNREADABLE, "message": "the message is no command that can be read" });
        return Judgement::Answer(json!({ "error": error }).to_string());
    };
    if let Some(session) = &message.session_id
        && !sessions.has(session)
    {
        let error = json!({ "code": NO_SESSION, "message": "Session with given id not found." });
        return Judgement::Answer(answer(&message, "error", &error));
    }
    let method = message.method.as_deref().unwrap_or_default();
    if method == "Browser.close" {
        return Judgement::Close(answer(&message, "result", &json!({})));
    }
    let judged = if JUDGED.contains(&method) {
        let text = message.params.map_or("null", RawValue::get);
        serde_json::from_str(text)
            .map_err(|_| "its parameters cannot be read".to_owned())
            .and_then(|parameters| judge_parameters(method, parameters, rules))
    } else {
        refusal_of(method).map_or(Ok(None), |problem| Err(problem.to_owned()))
    };
    match judged {
        Ok(None) => Judgement::Forward,
        Ok(Some(parameters)) => Judgement::Rewrite(rewritten(&message, &parameters)),
        Err(problem) => {
            let error = json!({ "code": REFUSED, "message": format!("`{method}` is refused: {problem}") });
            Judgement::Answer(answer(&message, "error", &error))
        }
    }
}

/// Why a command does not go through, whatever its parameters.
fn refusal_of(method: &str) -> Option<&'static str> {
    let domain = method.split('.').next().unwrap_or_default();
    match domain {
        "Target" if method == "Target.sendMessageToTarget" => {
            Some("attach to the target with `flatten: true` instead")
        }
        "Target" if !OF_TARGETS.contains(&method) => Some("it is no command about targets for sessions"),
        "Browser" if !OF_THE_BROWSER.contains(&method) => Some("it is no command for sessions"),
        _ => REFUSED_DOMAINS
            .iter()
            .find(|(refused, _)| *refused == domain)
            .map(|(_, problem)| *problem),
    }
}

/// Judges one of [`JUDGED`] by its parameters. Gives others in their place, if there are to be.
fn judge_parameters(method: &str, parameters: Value, rules: &ClientRules) -> Rewritten {
    let address = parameters.get("url").and_then(Value::as_str);
    let problem =
        match method {
            "DOM.setFileInputFiles" | "Input.dispatchDragEvent" => return with_paths(parameters, rules),
            "Browser.setDownloadBehavior" | "Page.setDownloadBehavior" => {
                return into_own_folder(parameters, rules);
            }
            "Input.dispatchKeyEvent" => return Ok(without_native_code(parameters)),
            "Target.createBrowserContext" => ["proxyServer", "proxyBypassList"]
                .into_iter()
                .find_map(|name| parameters.get(name).filter(|proxy| !proxy.is_null()))
                .map(|_| "the proxy of a session is named when it is created".to_owned()),
            "Page.navigate" if parameters.get("frameId").is_none_or(Value::is_null) => address
                .and_then(|address| address_problem(address).or_else(|| domain_problem(address, rules))),
            "Target.createTarget" => address
                .and_then(|address| address_problem(address).or_else(|| domain_problem(address, rules))),
            _ => address.and_then(address_problem),
        };
    problem.map_or(Ok(None), Err)
}

/// A key for the page alone: with the code that the system knows it by, the browser takes it for one of its own, and
/// opens its developer tools, history and settings.
fn without_native_code(mut parameters: Value) -> Option<Value> {
    let members = parameters.as_object_mut()?;
    let before = members.len();
    members.retain(|name, _| !["nativeVirtualKeyCode", "isSystemKey"].contains(&name.as_str()));
    (members.len() < before).then_some(parameters)
}

/// The same command with other parameters.
fn rewritten(message: &Message<'_>, parameters: &Value) -> String {
    let mut command = json!({ "id": message.id, "method": message.method, "params": parameters });
    if let (Some(members), Some(session)) = (command.as_object_mut(), &message.session_id) {
        members.insert("sessionId".to_owned(), json!(session));
    }
    command.to_string()
}

fn answer(message: &Message<'_>, member: &str, value: &Value) -> String {
    let mut answer = json!({ "id": message.id, member: value });
    if let (Some(members), Some(session)) = (answer.as_object_mut(), &message.session_id) {
        members.insert("sessionId".to_owned(), json!(session));
    }
    answer.to_string()
}

/// Tells why a page does not go to an address. The browser is held to it in any case; this is for the words.
fn domain_problem(address: &str, rules: &ClientRules) -> Option<String> {
    let allowed = rules.allowed_domains.as_ref()?;
    // What the browser would complete to an address is left to it.
    Url::parse(address).ok()?;
    (!allowed.allows(address)).then(|| {
        let domains: Vec<&str> = allowed.texts().collect();
        format!("`allowedDomains` of the session are {}", domains.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Judgement {
        let sessions = Sessions::default();
        sessions.hear(
            r#"{"method":"Target.attachedToTarget","params":{"sessionId":"A1","targetInfo":{"url":""}}}"#,
        );
        judge(text, &ClientRules::default(), &sessions)
    }

    fn refusal(text: &str) -> String {
        match judged(text) {
            Judgement::Answer(answer) => answer,
            other => panic!("{text} is {other:?}"),
        }
    }

    #[test]
    fn ordinary_commands_go_through() {
        for text in [
            r#"{"id":1,"method":"Page.navigate","params":{"url":"https://shop.example/"}}"#,
            r#"{"id":1,"method":"Page.navigate","params":{"url":"shop.example"}}"#,
            r#"{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}"#,
            r#"{"id":1,"method":"Target.createBrowserContext","params":{"proxyServer":null}}"#,
            r#"{"id":1,"method":"Target.createBrowserContext"}"#,
            r#"{"id":1,"method":"DOM.setFileInputFiles","params":{"files":[],"nodeId":5}}"#,
            r#"{"id":1,"method":"Browser.setDownloadBehavior","params":{"behavior":"deny"}}"#,
            r#"{"id":1,"method":"Runtime.evaluate","params":{"expression":"Browser.close"}}"#,
            r#"{"id":1,"method":"Input.insertText","params":{"text":"\ud800"}}"#,
        ] {
            assert_eq!(judged(text), Judgement::Forward, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_does_not_reach_the_browser() {
        for text in [
            "no JSON",
            r#"{"id":1,"method":"Page.enable","method":"Page.navigate","params":{"url":"file:///etc/passwd"}}"#,
            r#"{"id":"x","method":"Page.navigate","params":{"url":"file:///etc/passwd"}}"#,
        ] {
            let answer: Value = serde_json::from_str(&refusal(text)).expect("JSON");
            assert_eq!(answer["error"]["code"], UNREADABLE, "{text}");
        }
        let text = r#"{"id":1,"method":"Page.navigate","params":{"url":"file:///etc/passwd","x":"\ud800"}}"#;
        assert!(refusal(text).contains("parameters"));
    }

    #[test]
    fn pages_are_kept_on_the_domains_of_the_session() {
        let mut domains = crate::egress::hosts::HostList::default();
        domains.add("shop.example").expect("a host");
        let rules = ClientRules {
            allowed_domains: Some(domains),
            files: None,
        };
        for (text, goes) in [
            (
                r#"{"id":1,"method":"Page.navigate","params":{"url":"https://www.shop.example/"}}"#,
                true,
            ),
            (
                r#"{"id":1,"method":"Page.navigate","params":{"url":"about:blank"}}"#,
                true,
            ),
            (
                r#"{"id":1,"method":"Page.navigate","params":{"url":"https://a.example/","frameId":"F"}}"#,
                true,
            ),
            (
                r#"{"id":1,"method":"Page.navigate","params":{"url":"https://a.example/"}}"#,
                false,
            ),
            (
                r#"{"id":1,"method":"Target.createTarget","params":{"url":"https://a.example/"}}"#,
                false,
            ),
        ] {
            assert_eq!(
                judge(text, &rules, &Sessions::default()) == Judgement::Forward,
                goes,
                "{text}"
            );
        }
    }

    #[test]
    fn the_machine_of_the_browser_is_out_of_reach() {
        for text in [
            r#"{"id":7,"method":"Page.navigate","params":{"url":"file:///etc/passwd"}}"#,
            r#"{"id":7,"method":"Page.navigate","params":{"url":"  FILE:/etc/passwd"}}"#,
            r#"{"id":7,"method":"Page.navigate","params":{"url":"f\nile:///etc/passwd"}}"#,
            r#"{"id":7,"method":"Page.navigate","params":{"url":"view-source:file:///etc/passwd"}}"#,
            r#"{"id":7,"method":"Target.createTarget","params":{"url":"chrome://version"}}"#,
            r#"{"id":7,"method":"Fetch.continueRequest","params":{"url":"file:///etc/passwd"}}"#,
            r#"{"id":7,"method":"DOM.setFileInputFiles","params":{"files":["/etc/passwd"]}}"#,
            r#"{"id":7,"method":"Input.dispatchDragEvent","params":{"data":{"files":["/etc/passwd"]}}}"#,
            r#"{"id":7,"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","downloadPath":"/root"}}"#,
            r#"{"id":7,"method":"Target.createBrowserContext","params":{"proxyServer":"http://127.0.0.1:1"}}"#,
            r#"{"id":7,"method":"Target.createBrowserContext","params":{"proxyBypassList":"*"}}"#,
            r#"{"id":7,"method":"Target.setRemoteLocations","params":{"locations":[{"host":"127.0.0.1","port":1}]}}"#,
            r#"{"id":7,"method":"Tethering.bind","params":{"port":4802}}"#,
            r#"{"id":7,"method":"Target.exposeDevToolsProtocol","params":{"targetId":"x"}}"#,
            r#"{"id":7,"method":"Target.sendMessageToTarget","params":{"message":"{}"}}"#,
            r#"{"id":7,"method":"Browser.crash"}"#,
            r#"{"id":7,"method":"Browser.executeBrowserCommand","params":{"commandId":"openTabSearch"}}"#,
            r#"{"id":7,"method":"Target.openDevTools","params":{"targetId":"x"}}"#,
            r#"{"id":7,"method":"Target.whatALaterBrowserBrings"}"#,
            r#"{"id":7,"method":"Extensions.loadUnpacked","params":{"path":"/root"}}"#,
            r#"{"id":7,"method":"PWA.launch","params":{"manifestId":"x"}}"#,
            r#"{"id":7,"method":"Cast.enable"}"#,
            r#"{"id":7,"method":"Page.navigate","params":{"url":"about:version"}}"#,
            r#"{"id":7,"method":"Page.navig\u0061te","params":{"url":"file:///etc/passwd"}}"#,
        ] {
            let answer: Value = serde_json::from_str(&refusal(text)).expect("JSON");
            assert_eq!(answer["id"], 7, "{text}");
            assert_eq!(answer["error"]["code"], REFUSED, "{text}");
        }
    }

    #[test]
    fn an_answer_goes_to_the_session_that_asked() {
        let text = r#"{"id":7,"method":"Browser.crash","sessionId":"A1"}"#;
        let answer: Value = serde_json::from_str(&refusal(text)).expect("JSON");
        assert_eq!(answer["sessionId"], "A1");
    }

    #[test]
    fn only_sessions_that_the_client_was_told_of_are_used() {
        let answer = refusal(r#"{"id":7,"method":"Runtime.enable","sessionId":"B2"}"#);
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(
            (&answer["error"]["code"], &answer["sessionId"]),
            (&json!(NO_SESSION), &json!("B2"))
        );
        let known = r#"{"id":7,"method":"Runtime.enable","sessionId":"A1"}"#;
        assert_eq!(judged(known), Judgement::Forward);
    }

    #[test]
    fn keys_are_for_the_page_and_not_for_the_browser() {
        let text = r#"{"id":7,"method":"Input.dispatchKeyEvent","sessionId":"A1",
            "params":{"type":"keyDown","key":"F12","windowsVirtualKeyCode":123,"nativeVirtualKeyCode":123}}"#;
        let Judgement::Rewrite(command) = judged(text) else {
            panic!("it names the code of the system");
        };
        let command: Value = serde_json::from_str(&command).expect("JSON");
        assert_eq!(
            command["params"],
            json!({ "type": "keyDown", "key": "F12", "windowsVirtualKeyCode": 123 })
        );
        let plain = r#"{"id":7,"method":"Input.dispatchKeyEvent","params":{"type":"keyDown","key":"a"}}"#;
        assert_eq!(judged(plain), Judgement::Forward);
    }

    #[test]
    fn a_command_that_is_rewritten_stays_the_same_otherwise() {
        let text = r#"{"id":7,"method":"Browser.setDownloadBehavior","sessionId":"A1",
            "params":{"behavior":"deny","downloadPath":"/root","eventsEnabled":true}}"#;
        let Judgement::Rewrite(command) = judged(text) else {
            panic!("it names a folder");
        };
        let command: Value = serde_json::from_str(&command).expect("JSON");
        let expected = json!({
            "id": 7, "method": "Browser.setDownloadBehavior", "sessionId": "A1",
            "params": { "behavior": "deny", "eventsEnabled": true },
        });
        assert_eq!(command, expected);
    }

    #[test]
    fn closing_the_browser_ends_the_session() {
        let judgement = judged(r#"{"id":9,"method":"Browser.close"}"#);
        assert_eq!(judgement, Judgement::Close(r#"{"id":9,"result":{}}"#.to_owned()));
    }
}
