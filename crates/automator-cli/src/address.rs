//! What a user types as an address, as the URL that is meant.

use std::path::Path;

use url::{Host, Url};

use crate::exit::Failure;

/// Schemes that go to the browser as they are. Whether it opens them is its own decision.
const SCHEMES: [&str; 8] = [
    "http",
    "https",
    "file",
    "data",
    "about",
    "blob",
    "chrome",
    "view-source",
];

/// Endings by which a name that is no file is still taken for one, and not for a host.
const PAGE_ENDINGS: [&str; 5] = [".html", ".htm", ".xhtml", ".mhtml", ".svg"];

/// The URL that is meant by `text`.
///
/// In this order: a URL with one of the known schemes stays as it is; the path of a file becomes a `file:` URL;
/// a host becomes `http:` when it is this computer or an IP address, and `https:` otherwise.
pub(crate) fn read(text: &str) -> Result<String, Failure> {
    read_in(text, &|path| std::path::absolute(path), &Path::is_file)
}

fn read_in(
    text: &str,
    absolute: &dyn Fn(&Path) -> std::io::Result<std::path::PathBuf>,
    is_file: &dyn Fn(&Path) -> bool,
) -> Result<String, Failure> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Failure::usage("the address is empty"));
    }
    if let Some(scheme) = scheme_of(text) {
        return with_scheme(text, &scheme);
    }
    let path = Path::new(text);
    let is_path = path.is_absolute() || text.starts_with("./") || text.starts_with("../");
    if is_file(path) {
        let path = absolute(path).map_err(|error| Failure::usage(format!("{text}: {error}")))?;
        return Url::from_file_path(&path)
            .map(String::from)
            .map_err(|()| Failure::usage(format!("{} is no path of a file", path.display())));
    }
    if is_path || is_page_name(text) {
        return Err(Failure::usage(format!("there is no file {text}")));
    }
    from_host(text)
}

/// Whether a text that stands alone is meant as an address, and not as what to do in words.
///
/// An address is what begins with a scheme, `localhost`, a host with a dot or a port, an IP address, and the path of
/// a file. What is left, everything with a blank above all, is words.
pub(crate) fn is_meant(text: &str) -> bool {
    is_meant_in(text, &Path::is_file)
}

fn is_meant_in(text: &str, is_file: &dyn Fn(&Path) -> bool) -> bool {
    let text = text.trim();
    let looks_like_a_file = text.contains(['.', '/']) && is_file(Path::new(text));
    if looks_like_a_file || text.starts_with("./") || text.starts_with("../") {
        return true;
    }
    if let Some(scheme) = scheme_of(text) {
        let is_known = SCHEMES.contains(&scheme.as_str());
        let after = text.get(scheme.len() + 1..).unwrap_or_default();
        return after.starts_with("//")
            || is_known && !after.is_empty() && !after.starts_with(char::is_whitespace);
    }
    if text.contains(char::is_whitespace) {
        return false;
    }
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.split(':').next().unwrap_or_default();
    let has_inner_dot = name.trim_matches('.').contains('.');
    Path::new(text).is_absolute()
        || has_inner_dot
        || name.eq_ignore_ascii_case("localhost")
        || host.contains(':') && scheme_of(text).is_none()
        || is_page_name(text)
}

/// The scheme in lower case. `localhost:3000` has none, and neither has `example.com:8080/a`.
fn scheme_of(text: &str) -> Option<String> {
    let (before, after) = text.split_once(':')?;
    let is_scheme = before.starts_with(|first: char| first.is_ascii_alphabetic())
        && before
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    let port = after.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = !port.is_empty() && port.chars().all(|digit| digit.is_ascii_digit());
    (is_scheme && !is_port).then(|| before.to_ascii_lowercase())
}

fn with_scheme(text: &str, scheme: &str) -> Result<String, Failure> {
    if !SCHEMES.contains(&scheme) {
        return Err(Failure::usage(format!("{text} is no address of a page"))
            .hint("addresses begin with https://, http:// or file://, or are a host or a file"));
    }
    match Url::parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(Failure::usage(format!("{text} is no valid address: {error}"))),
    }
}

/// Whether it can only be meant as a file: `page.html`, `build/index.html`, but not `example.com/index.html`.
fn is_page_name(text: &str) -> bool {
    let has_ending = PAGE_ENDINGS
        .iter()
        .any(|ending| text.to_ascii_lowercase().ends_with(ending));
    match text.split_once('/') {
        None => has_ending,
        Some((first, _)) => {
            has_ending && !first.contains(['.', ':']) && !first.eq_ignore_ascii_case("localhost")
        }
    }
}

fn from_host(text: &str) -> Result<String, Failure> {
    let invalid = |error: url::ParseError| {
        Failure::usage(format!("{text} is no valid address: {error}"))
            .hint("quote an address with blanks or & in it; the address comes before the instruction")
    };
    let secure = Url::parse(&format!("https://{text}")).map_err(invalid)?;
    let is_plain = match secure.host() {
        Some(Host::Domain(domain)) => domain == "localhost" || domain.ends_with(".localhost"),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    };
    if !is_plain {
        return Ok(secure.into());
    }
    // Parsed anew: port 443 is the default of https and would be dropped above.
    Url::parse(&format!("http://{text}"))
        .map(String::from)
        .map_err(invalid)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// With the files `page one.html` and `example.com` in `/home/me`, and nothing else.
    fn read_here(text: &str) -> Result<String, String> {
        let absolute = |path: &Path| Ok(PathBuf::from("/home/me").join(path));
        let files = [
            "page one.html",
            "./page one.html",
            "/home/me/page one.html",
            "shop.test",
        ];
        let is_file = |path: &Path| files.iter().any(|file| Path::new(file) == path);
        read_in(text, &absolute, &is_file).map_err(|failure| failure.to_string())
    }

    #[test]
    fn urls_stay_as_they_are() {
        for url in [
            "https://example.com/a?b=c d",
            "http://localhost:3000",
            "file:///tmp/a.html",
            "data:text/html,<h1>Hi</h1>",
            "about:blank",
            "HTTPS://Example.com",
        ] {
            assert_eq!(read_here(url).as_deref(), Ok(url));
        }
    }

    #[test]
    fn hosts_become_https() {
        for (typed, meant) in [
            ("example.com", "https://example.com/"),
            (" example.com/a?b#c ", "https://example.com/a?b#c"),
            ("example.com:8443/a", "https://example.com:8443/a"),
            ("intranet", "https://intranet/"),
            ("example.com/index.html", "https://example.com/index.html"),
            ("bücher.example", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(read_here(typed).as_deref(), Ok(meant));
        }
    }

    #[test]
    fn this_computer_and_ip_addresses_become_http() {
        for (typed, meant) in [
            ("localhost", "http://localhost/"),
            ("localhost:3000/a", "http://localhost:3000/a"),
            ("localhost:443", "http://localhost:443/"),
            ("localhost/index.html", "http://localhost/index.html"),
            ("app.localhost:80", "http://app.localhost/"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
            ("192.168.1.1", "http://192.168.1.1/"),
            ("[::1]:3000", "http://[::1]:3000/"),
        ] {
            assert_eq!(read_here(typed).as_deref(), Ok(meant));
        }
    }

    #[test]
    fn files_become_file_urls_and_win_over_hosts() {
        for (typed, meant) in [
            ("page one.html", "file:///home/me/page%20one.html"),
            ("/home/me/page one.html", "file:///home/me/page%20one.html"),
            ("shop.test", "file:///home/me/shop.test"),
        ] {
            assert_eq!(read_here(typed).as_deref(), Ok(meant));
        }
    }

    #[test]
    fn addresses_and_words_are_told_apart() {
        let is_file = |path: &Path| {
            ["page one.html", "notes", "data/list"]
                .iter()
                .any(|file| Path::new(file) == path)
        };
        let is_meant = |text: &str| is_meant_in(text, &is_file);
        for address in [
            "https://lamps.example/a b",
            "HTTP://lamps.example",
            "ftp://lamps.example",
            "about:blank",
            "data:text/html,<h1>Hi there</h1>",
            "lamps.example",
            " lamps.example/a?b ",
            "lamps.example:8443",
            "localhost",
            "localhost:3000/a",
            "intranet:8080",
            "127.0.0.1",
            "[::1]:3000",
            "page one.html",
            "data/list",
            "./missing",
            "../missing",
            "/tmp/missing",
            "missing.html",
        ] {
            assert!(is_meant(address), "{address}");
        }
        for words in [
            "",
            "checkout",
            "notes",
            "the price of the lamp",
            "what does https://lamps.example say",
            "open lamps.example",
            "price: the lowest",
            "about: the shop",
            "Prices.",
            "press Add/remove",
            "click \u{201e}Weiter\u{201c}",
        ] {
            assert!(!is_meant(words), "{words}");
        }
    }

    #[test]
    fn a_file_that_is_missing_is_not_looked_up_as_a_host() {
        for typed in ["missing.html", "build/index.html", "/nowhere", "./example.com"] {
            let error = read_here(typed).unwrap_err();
            assert_eq!(error, format!("error: there is no file {typed}\n"));
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for typed in [
            "",
            "  ",
            "the price of the lamp",
            "mailto:a@example.com",
            "javascript:alert(1)",
            "user:secret@example.com",
            "https://",
            "http://[1:2",
            "example.com:99999",
        ] {
            let error = read_here(typed).unwrap_err();
            assert!(error.starts_with("error: "), "{typed}: {error}");
        }
    }
}
