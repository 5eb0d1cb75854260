//! What a session is asked to be; pure.

mod proxies;
mod reading;

use serde_json::{Map, Value};

use crate::egress::hosts::HostList;
use crate::egress::upstream::ProxySettings;
use proxies::{of_secret, read_proxies, to_secret, without_credentials};
pub(crate) use reading::kind;
use reading::{list, members, shown, text, truth, unknown, wrong};

/// How long a session may live, in seconds: at least, at most, and when nothing is said.
const SHORTEST: u64 = 60;
const LONGEST: u64 = 21_600;
const USUAL: u64 = 3_600;

/// The largest side of a viewport, in CSS pixels: that of the largest picture that Chromium makes.
const LARGEST_SIDE: u64 = 16_384;

/// How much an owner may note on a session, in bytes of JSON.
const METADATA_LIMIT: usize = 4_096;

/// How many domains may be allowed.
const DOMAINS_LIMIT: usize = 500;

/// Members of the hosted contract that are accepted and have no effect here.
const WITHOUT_EFFECT: [&str; 3] = ["extensionId", "proxySettings", "projectId"];

/// The same among the browser's settings.
const SETTINGS_WITHOUT_EFFECT: [&str; 11] = [
    "advancedStealth",
    "captchaImageSelector",
    "captchaInputSelector",
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
    /// Refuses the hosts of advertisements. Default: false.
    pub block_ads: bool,
    /// The only hosts that pages may be brought to, with those below them. Default: all.
    pub allowed_domains: Option<HostList>,
    /// The profile that the browser begins with. Default: an empty one.
    pub context: Option<ContextSettings>,
    /// The proxies that it reaches hosts through. Default: none.
    pub proxies: Vec<ProxySettings>,
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
            block_ads: false,
            allowed_domains: None,
            context: None,
            proxies: Vec::new(),
            without_effect: Vec::new(),
        }
    }
}

/// Which profile the browser of a session begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextSettings {
    /// The id of the context.
    pub id: String,
    /// Whether the context has the profile as the session leaves it, afterwards. Default: false.
    pub persist: bool,
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
                "proxies" => match value {
                    Value::Bool(false) => {}
                    // A managed one, which there is none of.
                    Value::Bool(true) => read.without_effect.push(name.to_owned()),
                    value => read.proxies = read_proxies(name, value)?,
                },
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
                "blockAds" => self.block_ads = truth(&path, value)?,
                "allowedDomains" => self.allowed_domains = domains(&path, value)?,
                "context" => self.context = Some(context(&path, value)?),
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

    /// As it is stored with the session: without the user names and passwords of proxies.
    #[must_use]
    pub fn settings(&self) -> Map<String, Value> {
        let (width, height) = self.viewport;
        let mut browser = serde_json::json!({
            "viewport": { "width": width, "height": height },
            "ignoreCertificateErrors": self.ignore_certificate_errors,
            "blockAds": self.block_ads,
        });
        if let Some(domains) = &self.allowed_domains {
            browser["allowedDomains"] = domains.texts().collect();
        }
        if let Some(ContextSettings { id, persist }) = &self.context {
            browser["context"] = serde_json::json!({ "id": id, "persist": persist });
        }
        let mut settings = Map::from_iter([
            ("timeout".to_owned(), self.timeout.into()),
            ("browserSettings".to_owned(), browser),
        ]);
        if !self.proxies.is_empty() {
            settings.insert("proxies".to_owned(), without_credentials(&self.proxies));
        }
        settings
    }

    /// What belongs to it besides [`settings`](Self::settings) and nobody is shown; none if there is nothing.
    #[must_use]
    pub fn secret(&self) -> Option<Vec<u8>> {
        (!self.proxies.is_empty()).then(|| to_secret(&self.proxies))
    }

    /// Reads what was stored with a session, as far as its browser goes on with it.
    ///
    /// # Errors
    /// [`ParameterError`] when it is not as this version writes it.
    pub fn of_stored(settings: &Map<String, Value>, secret: Option<&[u8]>) -> Result<Self, ParameterError> {
        let mut read = Self::default();
        read.read_settings(settings.get("browserSettings").unwrap_or(&Value::Null))?;
        if let Some(secret) = secret {
            read.proxies = of_secret("proxies", secret)?;
        }
        Ok(read)
    }
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

/// A list that has come out empty is more likely a mistake than the wish for no restriction.
fn domains(path: &str, value: &Value) -> Result<Option<HostList>, ParameterError> {
    let entries = list(path, value, DOMAINS_LIMIT, text)?;
    if entries.is_empty() {
        return Err(wrong(
            path,
            "it allows nothing; leave it out to allow all".to_owned(),
        ));
    }
    let mut hosts = HostList::default();
    for (place, entry) in entries.iter().enumerate() {
        hosts
            .add(entry)
            .map_err(|error| wrong(&format!("{path}[{place}]"), error.to_string()))?;
    }
    Ok(Some(hosts))
}

fn context(path: &str, value: &Value) -> Result<ContextSettings, ParameterError> {
    let (mut id, mut persist) = (None, false);
    for (name, value) in members(path, value)? {
        let path = format!("{path}.{name}");
        match name.as_str() {
            "id" => id = Some(text(&path, value)?),
            "persist" => persist = truth(&path, value)?,
            _ => return Err(unknown(&path)),
        }
    }
    let id = id.ok_or_else(|| wrong(path, "it needs the `id` of a context".to_owned()))?;
    Ok(ContextSettings { id, persist })
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
            "browserSettings": {
                "viewport": { "width": 800 }, "ignoreCertificateErrors": true, "blockAds": true,
                "allowedDomains": ["Shop.example"], "context": { "id": "c", "persist": true },
                "solveCaptchas": true,
            },
            "proxies": [
                { "type": "none", "domainPattern": "*.intern.example" },
                { "type": "external", "server": "http://p.example:3128", "username": "u", "password": "secret" },
            ],
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
        assert!(read.block_ads);
        assert_eq!(
            read.context,
            Some(ContextSettings {
                id: "c".to_owned(),
                persist: true
            })
        );
        assert_eq!(
            read.without_effect,
            ["browserSettings.solveCaptchas", "projectId"]
        );
        let stored = Value::from(read.settings());
        assert_eq!(
            stored["browserSettings"]["allowedDomains"],
            json!(["Shop.example"])
        );
        assert_eq!(stored["proxies"][1]["server"], "http://p.example:3128");
        let again = CreateParameters::of_stored(&read.settings(), read.secret().as_deref());
        let again = again.expect("what was stored");
        assert_eq!(
            (&again.allowed_domains, &again.context, &again.proxies),
            (&read.allowed_domains, &read.context, &read.proxies)
        );
        assert!(again.block_ads);
        for shown in [stored.to_string(), format!("{read:?}")] {
            assert!(!shown.contains("secret"), "{shown}");
        }
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
            (
                json!({ "browserSettings": { "allowedDomains": [] } }),
                "browserSettings.allowedDomains",
            ),
            (
                json!({ "browserSettings": { "allowedDomains": ["a.example", "https://b.example"] } }),
                "browserSettings.allowedDomains[1]",
            ),
            (
                json!({ "browserSettings": { "context": { "persist": true } } }),
                "browserSettings.context",
            ),
            (json!({ "proxies": "http://p.example" }), "proxies"),
        ] {
            let error = CreateParameters::read(&body).expect_err("wrong parameters");
            assert_eq!(error.path, path, "{body}");
        }
    }
}
