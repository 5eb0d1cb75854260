//! `goto`: another address.

use automator_browser::address_problem;
use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::{Outcome, Place, spec as tool};
use crate::agent::plan::PlanStep;
use crate::agent::view::{Want, short};
use crate::page::Page;
use crate::{Error, Result};

/// Most characters of an address that are told in an error.
const LONGEST_SHOWN: usize = 200;

/// From here on a status is an error.
const FIRST_ERROR: u16 = 400;

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    url: String,
}

pub(super) fn spec() -> Tool {
    tool(
        "goto",
        "Goes to an address.",
        json!({ "url": { "type": "string" } }),
        &["url"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let url = address(&input.url)?;
    if let Some(why) = place.run.refusal_of_address(place.page, &url).await {
        return Ok(Outcome::failed(why));
    }
    let status = go(place.page, &url).await?;
    let line = match status {
        Some(status) if status >= FIRST_ERROR => format!("done, HTTP status {status}"),
        _ => "done".to_owned(),
    };
    let outcome = Outcome::done(line).looking(Want::Change);
    Ok(outcome.planned(vec![PlanStep::Goto { url: input.url }]))
}

/// Goes to an address of the web, and gives the status of its document.
///
/// # Errors
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for other addresses; those of a navigation.
pub(in crate::agent) async fn go(page: &Page, url: &str) -> Result<Option<u16>> {
    let url = address(url)?;
    let response = page.goto(&url).await?;
    Ok(response.map(|response| response.status()))
}

/// The address as it is gone to: scripts and files of this machine are none.
fn address(given: &str) -> Result<String> {
    let given = given.trim();
    let url = match Url::parse(given) {
        Ok(url) => Ok(url),
        // A scheme of its own is not read as a host.
        Err(error) if given.contains("://") => Err(error),
        Err(_) => Url::parse(&format!("https://{given}")),
    };
    match url {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url.into()),
        Ok(url) if url.as_str() == "about:blank" => Ok(url.into()),
        // `localhost:3000` reads as a scheme of its own.
        Ok(_)
            if given.split_once(':').is_some_and(|(host, port)| {
                !host.contains('/')
                    && port
                        .split('/')
                        .next()
                        .is_some_and(|port| port.parse::<u16>().is_ok())
            }) =>
        {
            address(&format!("http://{given}"))
        }
        Ok(url) if address_problem(given).is_none() => {
            Err(refused(given, &format!("`{}` is not of the web", url.scheme())))
        }
        Ok(_) => Err(refused(given, &address_problem(given).unwrap_or_default())),
        Err(_) => {
            // What has a scheme is told by what comes after it.
            let whole = if given.is_empty() || given.contains("://") {
                given.to_owned()
            } else {
                format!("https://{given}")
            };
            Err(refused(given, &address_problem(&whole).unwrap_or_default()))
        }
    }
}

fn refused(given: &str, why: &str) -> Error {
    Error::invalid_argument(format!(
        "url must be an address of the web, such as https://example.com, not \"{}\": {why}",
        short(given, LONGEST_SHOWN)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_gone_to() {
        for (given, expected) in [
            ("https://a.test/x", "https://a.test/x"),
            (" a.test/x ", "https://a.test/x"),
            ("localhost:3000/x", "http://localhost:3000/x"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(address(given).unwrap(), expected);
        }
        for (odd, why) in [
            (
                "javascript:alert(1)",
                "not \"javascript:alert(1)\": `javascript` is not of the web",
            ),
            (
                "file:///etc/passwd",
                "not \"file:///etc/passwd\": `file` is not of the web",
            ),
            ("data:text/html,x", "`data` is not of the web"),
            ("chrome://settings", "`chrome` is not of the web"),
            ("", "not \"\": it is empty"),
            (
                "http://exa mple.test/a",
                "not \"http://exa mple.test/a\": its host has a blank in it",
            ),
            (
                "exa mple.test/a",
                "not \"exa mple.test/a\": its host has a blank in it",
            ),
            ("http://", "it names no host"),
            (
                "htp:/x",
                "not \"htp:/x\": browsers show nothing for the scheme `htp`",
            ),
        ] {
            let error = address(odd).unwrap_err().to_string();
            assert!(error.ends_with(why), "{odd}: {error}");
        }
    }
}
