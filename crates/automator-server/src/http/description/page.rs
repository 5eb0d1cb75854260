//! The description as a page for people.

use std::fmt::Write as _;

use super::endpoints::{Auth, Endpoint};

const HEAD: &str = include_str!("page.html");

/// The page. It is made of the table alone, so nothing in it comes from a request.
pub(super) fn render(endpoints: &[Endpoint]) -> String {
    let mut list = String::new();
    for endpoint in endpoints {
        let auth = match endpoint.auth {
            Auth::Key => "needs an API key",
            Auth::Token => "needs a token in its address",
            Auth::KeyOrToken => "needs an API key or a token in its address",
            Auth::None => "needs no key",
        };
        // Writing into a string cannot fail.
        let _ = write!(
            list,
            "<article id=\"{name}\"><h2><span class=\"method\">{method}</span> <code>{path}</code></h2><p>{summary}</p><p class=\"auth\">{auth}</p>",
            name = escaped(endpoint.name),
            method = escaped(&endpoint.method.to_uppercase()),
            path = escaped(endpoint.path),
            summary = escaped(endpoint.summary),
        );
        let rows = endpoint
            .query
            .iter()
            .map(|(name, meaning)| (format!("?{name}"), *meaning))
            .chain(
                endpoint
                    .errors
                    .iter()
                    .map(|(status, meaning)| (status.to_string(), *meaning)),
            );
        let rows: String = rows
            .map(|(name, meaning)| {
                format!(
                    "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
                    escaped(&name),
                    escaped(meaning)
                )
            })
            .collect();
        if !rows.is_empty() {
            let _ = write!(list, "<table>{rows}</table>");
        }
        list.push_str("</article>");
    }
    HEAD.replace("<!-- endpoints -->", &list)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_texts_and_no_markup() {
        assert_eq!(escaped("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
    }
}
