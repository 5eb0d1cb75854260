//! The proxies that a session reaches hosts through.

use serde_json::{Value, json};

use super::ParameterError;
use super::reading::{list, members, shown, text, unknown, wrong};
use crate::egress::upstream::{ProxySettings, UpstreamProxy};

/// How many a session may have.
const LIMIT: usize = 32;

/// Reads the list, each entry as far as it can be used.
pub(super) fn read_proxies(path: &str, value: &Value) -> Result<Vec<ProxySettings>, ParameterError> {
    list(path, value, LIMIT, |path, entry| {
        let settings = read_proxy(path, entry)?;
        UpstreamProxy::new(&settings).map_err(|error| wrong(path, error.to_string()))?;
        Ok(settings)
    })
}

/// Values are not repeated in messages: any of them may be a password that was put in the wrong place.
fn read_proxy(path: &str, value: &Value) -> Result<ProxySettings, ParameterError> {
    let (mut kind, mut server, mut username, mut password, mut domain_pattern) =
        (None, None, None, None, None);
    if !value.is_object() {
        return Err(wrong(path, "it is no object".to_owned()));
    }
    for (name, value) in members(path, value)? {
        let path = format!("{path}.{name}");
        let member = match name.as_str() {
            "type" => &mut kind,
            "server" => &mut server,
            "username" => &mut username,
            "password" => &mut password,
            "domainPattern" => &mut domain_pattern,
            // Only a managed one has it, which is refused by its type.
            "geolocation" => continue,
            _ => return Err(unknown(&path)),
        };
        *member = Some(text(&path, value).map_err(|_| wrong(&path, "it is no text".to_owned()))?);
    }
    match kind.as_deref() {
        Some("external") => {
            let server =
                server.ok_or_else(|| wrong(path, "an external proxy needs a `server`".to_owned()))?;
            Ok(ProxySettings::External {
                server,
                username,
                password,
                domain_pattern,
            })
        }
        Some("none") if server.is_some() || username.is_some() || password.is_some() => {
            Err(wrong(path, "`none` has only a `domainPattern`".to_owned()))
        }
        Some("none") => Ok(ProxySettings::None { domain_pattern }),
        Some(other) => {
            let problem = format!(
                "there are no proxies of the type {} here; give one of your own as `external` with its `server`, or \
                 `none`",
                shown(&json!(other))
            );
            Err(wrong(&format!("{path}.type"), problem))
        }
        None => Err(wrong(path, "it needs a `type`: `external` or `none`".to_owned())),
    }
}

/// As they may be shown to anybody.
pub(super) fn without_credentials(proxies: &[ProxySettings]) -> Value {
    let shown = proxies.iter().map(|proxy| match proxy {
        ProxySettings::External {
            server,
            domain_pattern,
            ..
        } => json!({ "type": "external", "server": server, "domainPattern": domain_pattern }),
        ProxySettings::None { domain_pattern } => json!({ "type": "none", "domainPattern": domain_pattern }),
    });
    shown.collect()
}

/// As only the server itself keeps them, to go on with a session that another process has begun.
pub(super) fn to_secret(proxies: &[ProxySettings]) -> Vec<u8> {
    let entries = proxies.iter().map(|proxy| match proxy {
        ProxySettings::External {
            server,
            username,
            password,
            domain_pattern,
        } => json!({
            "type": "external", "server": server, "username": username, "password": password,
            "domainPattern": domain_pattern,
        }),
        ProxySettings::None { domain_pattern } => json!({ "type": "none", "domainPattern": domain_pattern }),
    });
    entries.collect::<Value>().to_string().into_bytes()
}

/// Reads what [`to_secret`] has written.
pub(super) fn of_secret(path: &str, secret: &[u8]) -> Result<Vec<ProxySettings>, ParameterError> {
    let value = serde_json::from_slice(secret)
        .map_err(|_| wrong(path, "what is kept of them cannot be read".to_owned()))?;
    read_proxies(path, &value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_without_what_was_given() {
        let words = |entry: Value| {
            let error = read_proxies("proxies", &json!([entry])).expect_err("wrong");
            assert!(!error.to_string().contains("secret"), "{error}");
            error.to_string()
        };
        let managed = words(json!({ "type": "browserbase", "geolocation": { "country": "DE" } }));
        assert!(managed.starts_with("proxies[0].type: "), "{managed}");
        assert!(
            managed.contains("`external`") && managed.contains("`none`"),
            "{managed}"
        );
        assert!(words(json!({ "server": "http://p.example" })).contains("`type`"));
        assert!(words(json!({ "type": "external" })).contains("`server`"));
        assert!(words(json!({ "type": "none", "password": "secret" })).contains("domainPattern"));
        assert!(
            words(json!({ "type": "external", "server": "http://u:secret@p.example" })).contains("username")
        );
        assert!(words(json!({ "type": "external", "server": "ftp://p.example" })).contains("socks5"));
        let password = json!({ "type": "external", "server": "p.example", "password": ["secret"] });
        assert!(words(password).starts_with("proxies[0].password: "));
        assert!(words(json!("http://u:secret@p.example")).contains("object"));
    }

    #[test]
    fn a_secret_is_read_as_it_was_written() {
        let value = json!([
            { "type": "none", "domainPattern": "a.example" },
            { "type": "external", "server": "p.example:80", "username": "u", "password": "p" },
            { "type": "external", "server": "socks5://p.example" },
        ]);
        let proxies = read_proxies("proxies", &value).expect("right");
        assert_eq!(of_secret("proxies", &to_secret(&proxies)), Ok(proxies));
        assert!(of_secret("proxies", b"{").is_err());
    }

    #[test]
    fn there_is_a_largest_number() {
        let many = vec![json!({ "type": "none" }); LIMIT + 1];
        assert!(read_proxies("proxies", &Value::from(many)).is_err());
    }
}
