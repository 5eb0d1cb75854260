//! What a session is asked to be; pure.

use serde_json::{Map, Value};

/// How long a session may live, in seconds: at least, at most, and when nothing is said.
const SHORTEST: u64 = 60;
const LONGEST: u64 = 21_600;
const USUAL: u64 = 3_600;

/// The largest side of a viewport, in CSS pixels: that of the largest picture that Chromium makes.
const LARGEST_SIDE: u64 = 16_384;

/// How much an owner may note on a session, in bytes of JSON.
const METADATA_LIMIT: usize = 4_096;

/// Members of the hosted contract that are accepted and have no effect here.
const WITHOUT_EFFECT: [&str; 4] = ["extensionId", "proxies", "proxySettings", "projectId"];

/// The same among the browser's settings.
const SETTINGS_WITHOUT_EFFECT: [&str; 14] = [
    "advancedStealth",
    "allowedDomains",
    "blockAds",
    "captchaImageSelector",
    "captchaInputSelector",
    "context",
    "extensionId",
    "fingerprint",
    "logSession",
    "os",
    "recordSession",
    "solveCaptchas",
    "stealth",
    "verified",
];

/// What a session is asked to be.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateParameters {
    /// How long it may live, in seconds. Default: 3,600.
    pub timeout: u64,
    /// Whether it goes on when nobody is connected. Default: false.
    pub keep_alive: bool,
    /// Where it is to run. Default: anywhere.
    pub region: Option<String>,
    /// What its owner notes on it.
    pub user_metadata: Map<String, Value>,
    /// The width and height of every page, in CSS pixels. Default: 1288×711.
    pub viewport: (u32, u32),
    /// Accepts any certificate. Default: false.
    pub ignore_certificate_errors: bool,
    /// Members that were given and have no effect.
    pub without_effect: Vec<String>,
}

impl Default for CreateParameters {
    fn default() -> Self {
        Self {
            timeout: USUAL,
            keep_alive: false,
            region: None,
            user_metadata: Map::new(),
            viewport: (1288, 711),
            ignore_certificate_errors: false,
            without_effect: Vec::new(),
        }
    }
}

/// A parameter that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct ParameterError {
    /// Where it is.
    pub path: String,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

impl CreateParameters {
    /// Reads the body of a request. `null` reads as absent.
    ///
    /// # Errors
    /// [`ParameterError`] for the first member that is unknown, of the wrong kind or out of its bounds.
    pub fn read(body: &Value) -> Result<Self, ParameterError> {
        let mut read = Self::default();
        for (name, value) in members("the body", body)? {
            match name.as_str() {
                "timeout" => read.timeout = lifetime(value)?,
                "keepAlive" => read.keep_alive = truth(name, value)?,
                "region" => read.region = Some(text(name, value)?),
                "userMetadata" => read.user_metadata = metadata(value)?,
                "browserSettings" => read.read_settings(value)?,
                name if WITHOUT_EFFECT.contains(&name) => read.without_effect.push(name.to_owned()),
                name => return Err(unknown(name)),
            }
        }
        Ok(read)
    }

    fn read_settings(&mut self, value: &Value) -> Result<(), ParameterError> {
        for (name, value) in members("browserSettings", value)? {
            let path = format!("browserSettings.{name}");
            match name.as_str() {
                "viewport" => self.viewport = viewport(value)?,
                "ignoreCertificateErrors" => self.ignore_certificate_errors = truth(&path, value)?,
                name if SETTINGS_WITHOUT_EFFECT.contains(&name) => self.without_effect.push(path),
                _ => return Err(unknown(&path)),
            }
        }
        Ok(())
    }

    /// Says once which members have no effect.
    pub fn warn(&self) {
        if !self.without_effect.is_empty() {
            let names = self.without_effect.join(", ");
            tracing::warn!(names, "parameters of a session that have no effect here");
        }
    }

    /// As it is stored with the session.
    #[must_use]
    pub fn settings(&self) -> Map<String, Value> {
        let (width, height) = self.viewport;
        let browser = serde_json::json!({
            "viewport": { "width": width, "height": height },
            "ignoreCertificateErrors": self.ignore_certificate_errors,
        });
        Map::from_iter([
            ("timeout".to_owned(), self.timeout.into()),
            ("browserSettings".to_owned(), browser),
        ])
    }
}

fn members<'a>(
    path: &str,
    value: &'a Value,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, ParameterError> {
    let map = match value {
        Value::Null => None,
        Value::Object(map) => Some(map),
        other => return Err(wrong(path, format!("{} is no object", shown(other)))),
    };
    Ok(map.into_iter().flatten().filter(|(_, value)| !value.is_null()))
}

fn lifetime(value: &Value) -> Result<u64, ParameterError> {
    let seconds = value.as_u64();
    seconds
        .filter(|seconds| (SHORTEST..=LONGEST).contains(seconds))
        .ok_or_else(|| {
            let problem = format!(
                "{} is no whole number of seconds from {SHORTEST} to {LONGEST}",
                shown(value)
            );
            wrong("timeout", problem)
        })
}

fn viewport(value: &Value) -> Result<(u32, u32), ParameterError> {
    let (mut width, mut height) = CreateParameters::default().viewport;
    for (name, value) in members("browserSettings.viewport", value)? {
        let path = format!("browserSettings.viewport.{name}");
        let side = match name.as_str() {
            "width" => &mut width,
            "height" => &mut height,
            _ => return Err(unknown(&path)),
        };
        *side = value
            .as_u64()
            .filter(|pixels| (1..=LARGEST_SIDE).contains(pixels))
            .and_then(|pixels| u32::try_from(pixels).ok())
            .ok_or_else(|| {
                let problem = format!("{} is no number of pixels from 1 to {LARGEST_SIDE}", shown(value));
                wrong(&path, problem)
            })?;
    }
    Ok((width, height))
}

fn metadata(value: &Value) -> Result<Map<String, Value>, ParameterError> {
    let path = "userMetadata";
    let map: Map<String, Value> = members(path, value)?
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let size = value.to_string().len();
    if size > METADATA_LIMIT {
        let problem = format!("{size} bytes are more than {METADATA_LIMIT}");
        return Err(wrong(path, problem));
    }
    Ok(map)
}

fn truth(path: &str, value: &Value) -> Result<bool, ParameterError> {
    value
        .as_bool()
        .ok_or_else(|| wrong(path, format!("{} is neither true nor false", shown(value))))
}

fn text(path: &str, value: &Value) -> Result<String, ParameterError> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| wrong(path, format!("{} is no text", shown(value))))
}

fn unknown(path: &str) -> ParameterError {
    wrong(path, "there is no such parameter".to_owned())
}

fn wrong(path: &str, problem: String) -> ParameterError {
    ParameterError {
        path: path.to_owned(),
        problem,
    }
}

/// A value as it is shown in messages: short.
fn shown(value: &Value) -> String {
    const LONGEST_SHOWN: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= LONGEST_SHOWN {
        return text;
    }
    let start: String = text.chars().take(LONGEST_SHOWN).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_and_nulls_are_the_defaults() {
        for body in [
            json!(null),
            json!({}),
            json!({ "timeout": null, "browserSettings": { "viewport": null } }),
        ] {
            assert_eq!(
                CreateParameters::read(&body),
                Ok(CreateParameters::default()),
                "{body}"
            );
        }
    }

    #[test]
    fn every_parameter_is_read() {
        let body = json!({
            "timeout": 60, "keepAlive": true, "region": "eu-central-1", "userMetadata": { "order": 5 },
            "browserSettings": { "viewport": { "width": 800 }, "ignoreCertificateErrors": true, "blockAds": true },
            "projectId": "p",
        });
        let read = CreateParameters::read(&body).expect("right parameters");
        assert_eq!(
            (read.timeout, read.keep_alive, read.viewport),
            (60, true, (800, 711))
        );
        assert_eq!(read.region.as_deref(), Some("eu-central-1"));
        assert_eq!(read.user_metadata.get("order"), Some(&json!(5)));
        assert!(read.ignore_certificate_errors);
        assert_eq!(read.without_effect, ["browserSettings.blockAds", "projectId"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let long = json!({ "userMetadata": { "text": "x".repeat(5_000) } });
        for (body, path) in [
            (json!([]), "the body"),
            (json!({ "timeout": 59 }), "timeout"),
            (json!({ "timeout": 21_601 }), "timeout"),
            (json!({ "timeout": 100.5 }), "timeout"),
            (json!({ "timeout": "60" }), "timeout"),
            (json!({ "keepAlive": "yes" }), "keepAlive"),
            (json!({ "keepalive": true }), "keepalive"),
            (json!({ "region": 5 }), "region"),
            (json!({ "userMetadata": [] }), "userMetadata"),
            (long, "userMetadata"),
            (
                json!({ "browserSettings": { "viewport": { "width": 0 } } }),
                "browserSettings.viewport.width",
            ),
            (
                json!({ "browserSettings": { "args": ["--no-sandbox"] } }),
                "browserSettings.args",
            ),
        ] {
            let error = CreateParameters::read(&body).expect_err("wrong parameters");
            assert_eq!(error.path, path, "{body}");
        }
    }
}
