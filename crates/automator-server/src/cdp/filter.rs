//! Which commands of clients reach the browser; pure.
//!
//! A client may do with its browser what it likes, but not with the machine that the browser runs on: no files of that
//! machine, no pages of the browser's own, no way around the proxy, no end of the browser that the platform does not
//! know of. Everything else goes through as it came.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use url::Url;

/// The code of answers that are not the browser's: "server error" in JSON-RPC, as Chromium itself uses it.
const REFUSED: i64 = -32_000;

/// Schemes that a page may be brought to. `blob:` and `data:` hold their content themselves.
const SCHEMES: [&str; 5] = ["http", "https", "about", "blob", "data"];

/// What becomes of a message of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It goes on to the browser as it is.
    Forward,
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

/// Judges a message. What is no command is left to the browser, which refuses it.
#[must_use]
pub(crate) fn judge(text: &str) -> Judgement {
    let Ok(message) = serde_json::from_str::<Message<'_>>(text) else {
        return Judgement::Forward;
    };
    let method = message.method.as_deref().unwrap_or_default();
    let parameters = || {
        let text = message.params.map_or("null", RawValue::get);
        serde_json::from_str::<Value>(text).unwrap_or_default()
    };
    let problem = match method {
        "Browser.close" => return Judgement::Close(answer(&message, "result", &json!({}))),
        "Browser.crash" | "Browser.crashGpuProcess" => Some("the browser is not to be crashed".to_owned()),
        "Page.navigate" | "Target.createTarget" | "Fetch.continueRequest" => parameters()
            .get("url")
            .and_then(Value::as_str)
            .and_then(address_problem),
        "DOM.setFileInputFiles" | "Input.dispatchDragEvent" => file_problem(&parameters()),
        "Browser.setDownloadBehavior" | "Page.setDownloadBehavior" => download_problem(&parameters()),
        "Target.createBrowserContext" => parameters()
            .get("proxyServer")
            .filter(|proxy| !proxy.is_null())
            .map(|_| "the proxy of a session is named when it is created".to_owned()),
        // These would carry commands that are not judged here.
        "Target.sendMessageToTarget" | "Target.exposeDevToolsProtocol" => {
            Some("attach to the target with `flatten: true` instead".to_owned())
        }
        "Extensions.loadUnpacked" => Some("extensions of the server's machine cannot be loaded".to_owned()),
        _ => None,
    };
    problem.map_or(Judgement::Forward, |problem| {
        let error = json!({ "code": REFUSED, "message": format!("`{method}` is refused: {problem}") });
        Judgement::Answer(answer(&message, "error", &error))
    })
}

fn answer(message: &Message<'_>, member: &str, value: &Value) -> String {
    let mut answer = json!({ "id": message.id, member: value });
    if let (Some(members), Some(session)) = (answer.as_object_mut(), &message.session_id) {
        members.insert("sessionId".to_owned(), json!(session));
    }
    answer.to_string()
}

pub(crate) fn address_problem(address: &str) -> Option<String> {
    // What is no address the browser refuses itself, or reads as that of a host.
    let scheme = Url::parse(address).ok()?.scheme().to_owned();
    let is_allowed = SCHEMES.contains(&scheme.as_str());
    (!is_allowed).then(|| format!("addresses with `{scheme}:` cannot be reached from here"))
}

/// Finds files of the server's machine: in `files`, also of what is dragged.
fn file_problem(parameters: &Value) -> Option<String> {
    let files = ["/files", "/data/files"]
        .into_iter()
        .filter_map(|pointer| parameters.pointer(pointer)?.as_array());
    let names_some = files.into_iter().any(|files| !files.is_empty());
    names_some.then(|| "files of the server's machine cannot be named".to_owned())
}

fn download_problem(parameters: &Value) -> Option<String> {
    parameters
        .get("downloadPath")
        .filter(|path| !path.is_null())
        .map(|_| "folders of the server's machine cannot be named".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        match judge(text) {
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
            "no JSON",
            "[]",
        ] {
            assert_eq!(judge(text), Judgement::Forward, "{text}");
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
            r#"{"id":7,"method":"Browser.setDownloadBehavior","params":{"downloadPath":"/root"}}"#,
            r#"{"id":7,"method":"Target.createBrowserContext","params":{"proxyServer":"http://127.0.0.1:1"}}"#,
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
    fn closing_the_browser_ends_the_session() {
        let judgement = judge(r#"{"id":9,"method":"Browser.close"}"#);
        assert_eq!(judgement, Judgement::Close(r#"{"id":9,"result":{}}"#.to_owned()));
    }
}
