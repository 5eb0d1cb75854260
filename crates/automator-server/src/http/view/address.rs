//! Reads what is typed into the address bar; pure.

use url::Url;

use crate::cdp::address_problem;

/// The address that is meant by a text: as it is, or as a host without a scheme.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn read(typed: &str) -> Result<String, String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err("type an address first".to_owned());
    }
    let address = if is_host(typed) {
        let scheme = if is_loopback(typed) { "http" } else { "https" };
        format!("{scheme}://{typed}")
    } else {
        typed.to_owned()
    };
    match Url::parse(&address) {
        Ok(url) => match address_problem(url.as_str()) {
            None => Ok(url.into()),
            Some(problem) => Err(problem),
        },
        Err(error) => Err(format!("`{typed}` is no address: {error}")),
    }
}

/// Whether a text begins with a host and not with a scheme: what comes after the first colon is a port.
fn is_host(text: &str) -> bool {
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() {
        return false;
    }
    if authority.starts_with('[') {
        return true;
    }
    authority
        .split_once(':')
        .is_none_or(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_loopback(text: &str) -> bool {
    ["localhost", "127.", "[::1]"]
        .iter()
        .any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_meant() {
        for (typed, meant) in [
            ("https://shop.example/lamps?x=1", "https://shop.example/lamps?x=1"),
            (" shop.example ", "https://shop.example/"),
            ("shop.example:8443/lamps", "https://shop.example:8443/lamps"),
            ("shop.example?a:b", "https://shop.example/?a:b"),
            ("localhost:3000", "http://localhost:3000/"),
            ("127.0.0.1:8080/a", "http://127.0.0.1:8080/a"),
            ("[::1]:80", "http://[::1]/"),
            ("about:blank", "about:blank"),
            ("data:text/html,hello", "data:text/html,hello"),
        ] {
            assert_eq!(read(typed).as_deref(), Ok(meant), "{typed}");
        }
    }

    #[test]
    fn what_is_out_of_reach_or_no_address_is_told() {
        for (typed, word) in [
            ("file:///etc/passwd", "file:"),
            ("FILE:/etc/passwd", "file:"),
            ("f\nile:///etc/passwd", "file:"),
            ("chrome://version", "chrome:"),
            ("view-source:https://shop.example", "view-source:"),
            ("javascript:alert(1)", "javascript:"),
            ("", "type an address"),
            ("two words", "no address"),
            ("https://", "no address"),
            ("/etc/passwd", "no address"),
        ] {
            let problem = read(typed).expect_err(typed);
            assert!(problem.contains(word), "{typed}: {problem}");
        }
    }
}
