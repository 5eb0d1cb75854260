//! Which commands of clients reach the browser; pure.
//!
//! A client may do with its browser what it likes, but not with the machine that the browser runs on: no files of that
//! machine, no pages of the browser's own, no way around the proxy, no end of the browser that the platform does not
//! know of. Files that it names are those of its session. Everything else goes through as it came.

mod files;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use url::Url;

use super::ClientRules;
use files::{Rewritten, into_own_folder, with_paths};

/// The code of answers that are not the browser's: "server error" in JSON-RPC, as Chromium itself uses it.
const REFUSED: i64 = -32_000;

/// The code of the answer to what cannot be read, in JSON-RPC.
const UNREADABLE: i64 = -32_700;

/// Commands that are judged by their parameters.
const JUDGED: [&str; 8] = [
    "Browser.setDownloadBehavior",
    "DOM.setFileInputFiles",
    "Fetch.continueRequest",
    "Input.dispatchDragEvent",
    "Page.navigate",
    "Page.setDownloadBehavior",
    "Target.createBrowserContext",
    "Target.createTarget",
];

/// Schemes that a page may be brought to. `blob:` and `data:` hold their content themselves.
const SCHEMES: [&str; 5] = ["http", "https", "about", "blob", "data"];

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

/// Judges a message by what the session of the client is held to.
#[must_use]
pub(crate) fn judge(text: &str, rules: &ClientRules) -> Judgement {
    let Ok(message) = serde_json::from_str::<Message<'_>>(text) else {
        // Not left to the browser: what it would make of it is not known here, as of one that names two methods.
        let error = json!({ "code": UNREADABLE, "message": "the message is no command that can be read" });
        return Judgement::Answer(json!({ "error": error }).to_string());
    };
    let method = message.method.as_deref().unwrap_or_default();
    if method == "Browser.close" {
        return Judgement::Close(answer(&message, "result", &json!({})));
    }
    let judged = match method {
        "Browser.crash" | "Browser.crashGpuProcess" => Err("the browser is not to be crashed".to_owned()),
        // These would carry commands that are not judged here.
        "Target.sendMessageToTarget" | "Target.exposeDevToolsProtocol" => {
            Err("attach to the target with `flatten: true` instead".to_owned())
        }
        // These would make the browser a way to or from the machine that it runs on.
        "Tethering.bind" | "Tethering.unbind" => {
            Err("ports of the server's machine are not for sessions".to_owned())
        }
        "Target.setRemoteLocations" => Err("the browser does not look for targets elsewhere".to_owned()),
        "Extensions.loadUnpacked" => Err("extensions of the server's machine cannot be loaded".to_owned()),
        method if JUDGED.contains(&method) => {
            let text = message.params.map_or("null", RawValue::get);
            serde_json::from_str(text)
                .map_err(|_| "its parameters cannot be read".to_owned())
                .and_then(|parameters| judge_parameters(method, parameters, rules))
        }
        _ => Ok(None),
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

/// Judges one of [`JUDGED`] by its parameters. Gives others in their place, if there are to be.
fn judge_parameters(method: &str, parameters: Value, rules: &ClientRules) -> Rewritten {
    let address = parameters.get("url").and_then(Value::as_str);
    let problem =
        match method {
            "DOM.setFileInputFiles" | "Input.dispatchDragEvent" => return with_paths(parameters, rules),
            "Browser.setDownloadBehavior" | "Page.setDownloadBehavior" => {
                return into_own_folder(parameters, rules);
            }
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

/// What is wrong with an address that a page is to be brought to.
pub(crate) fn address_problem(address: &str) -> Option<String> {
    // What is no address the browser refuses itself, or reads as that of a host.
    let scheme = Url::parse(address).ok()?.scheme().to_owned();
    let is_allowed = SCHEMES.contains(&scheme.as_str());
    (!is_allowed).then(|| format!("addresses with `{scheme}:` cannot be reached from here"))
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

    fn refusal(text: &str) -> String {
        match judge(text, &ClientRules::default()) {
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
            assert_eq!(judge(text, &ClientRules::default()), Judgement::Forward, "{text}");
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
            assert_eq!(judge(text, &rules) == Judgement::Forward, goes, "{text}");
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
    fn a_command_that_is_rewritten_stays_the_same_otherwise() {
        let text = r#"{"id":7,"method":"Browser.setDownloadBehavior","sessionId":"A1",
            "params":{"behavior":"deny","downloadPath":"/root","eventsEnabled":true}}"#;
        let Judgement::Rewrite(command) = judge(text, &ClientRules::default()) else {
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
        let judgement = judge(r#"{"id":9,"method":"Browser.close"}"#, &ClientRules::default());
        assert_eq!(judgement, Judgement::Close(r#"{"id":9,"result":{}}"#.to_owned()));
    }
}
