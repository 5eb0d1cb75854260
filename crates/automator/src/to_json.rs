//! Values of the core as plain JSON, for bindings: the counterpart of [`ReadOptions`](crate::ReadOptions).
//!
//! The names of members are decided here once, for all languages.

use serde_json::{Value, json};

use crate::{
    AnsweredDialog, ConsoleMessage, Cookie, Dialog, DialogAnswer, PageError, Response, SameSite,
    ScriptLocation,
};

/// What can be told in JSON, as other languages read it.
///
/// ```no_run
/// use automator::{Response, ToJson as _};
///
/// # fn example(response: &Response) {
/// let told = response.to_json();
/// assert_eq!(told["status"], response.status());
/// # }
/// ```
pub trait ToJson {
    /// The value as JSON.
    fn to_json(&self) -> Value;
}

/// Members: `name`, `value`, `domain`, `path`, `expires`, `httpOnly`, `secure`, `sameSite`.
impl ToJson for Cookie {
    fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "value": self.value,
            "domain": self.domain,
            "path": self.path,
            "expires": self.expires,
            "httpOnly": self.http_only,
            "secure": self.secure,
            "sameSite": match self.same_site {
                SameSite::Strict => "Strict",
                SameSite::Lax => "Lax",
                SameSite::None => "None",
            },
        })
    }
}

/// What is known of it at once; its body and all of its headers are asked for apart.
impl ToJson for Response {
    fn to_json(&self) -> Value {
        json!({
            "url": self.url(),
            "status": self.status(),
            "statusText": self.status_text(),
            "ok": self.is_ok(),
            "headers": self.headers(),
            "mimeType": self.mime_type(),
            "fromServiceWorker": self.is_from_service_worker(),
            "securityDetails": self.security_details().map(|details| json!({
                "protocol": details.protocol,
                "subjectName": details.subject_name,
                "issuer": details.issuer,
                "validFrom": details.valid_from,
                "validTo": details.valid_to,
            })),
            "serverAddr": self.server_address().map(|address| json!({
                "ipAddress": address.ip_address,
                "port": address.port,
            })),
        })
    }
}

/// Members: `url`, `lineNumber`, `columnNumber`.
impl ToJson for ScriptLocation {
    fn to_json(&self) -> Value {
        json!({ "url": self.url, "lineNumber": self.line, "columnNumber": self.column })
    }
}

/// Members: `type`, `text`, `args` (each with `value` and `objectId`), `location`, `timestamp`.
impl ToJson for ConsoleMessage {
    fn to_json(&self) -> Value {
        let arguments = self.args();
        let arguments = arguments
            .iter()
            .map(|argument| json!({ "value": argument.preview(), "objectId": argument.object_id() }));
        json!({
            "type": self.kind(),
            "text": self.text(),
            "args": arguments.collect::<Vec<Value>>(),
            "location": self.location().to_json(),
            "timestamp": self.timestamp(),
        })
    }
}

/// Members: `message`, `stack`, `location`, `timestamp`.
impl ToJson for PageError {
    fn to_json(&self) -> Value {
        json!({
            "message": self.message,
            "stack": self.stack,
            "location": self.location.to_json(),
            "timestamp": self.timestamp,
        })
    }
}

/// Members: `type`, `message`, `defaultValue`, `url`.
impl ToJson for Dialog {
    fn to_json(&self) -> Value {
        json!({
            "type": self.kind,
            "message": self.message,
            "defaultValue": self.default_prompt,
            "url": self.url,
        })
    }
}

/// The members of the dialog, and `accepted`, `answer`, `pageId`.
impl ToJson for AnsweredDialog {
    fn to_json(&self) -> Value {
        let (is_accepted, text) = match &self.answer {
            DialogAnswer::Accept(text) => (true, text.as_deref()),
            DialogAnswer::Dismiss => (false, None),
        };
        let mut told = self.dialog.to_json();
        told["accepted"] = is_accepted.into();
        told["answer"] = text.into();
        told["pageId"] = self.page_id.as_str().into();
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_is_told_with_the_names_that_other_languages_read() {
        let dialog = Dialog {
            kind: "prompt".to_owned(),
            message: "Name?".to_owned(),
            default_prompt: None,
            url: "http://localhost/".to_owned(),
        };
        let told = json!({
            "type": "prompt", "message": "Name?", "defaultValue": null, "url": "http://localhost/"
        });
        assert_eq!(dialog.to_json(), told);
    }
}
