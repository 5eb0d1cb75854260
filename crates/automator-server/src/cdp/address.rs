//! Which addresses pages of a session may have; pure.

use url::Url;

/// Schemes that a page may be brought to. `blob:` and `data:` hold their content themselves.
const SCHEMES: [&str; 5] = ["http", "https", "about", "blob", "data"];

/// The pages of `about:` that are empty. The browser makes others pages of its own: `about:version` is
/// `chrome://version`.
const EMPTY: [&str; 2] = ["blank", "srcdoc"];

/// Pages of the browser's own that are shown in the place of, or within, a page of a site, and can do nothing: that of
/// an error, and the reader of PDF documents.
const HARMLESS: [&str; 2] = [
    "chrome-error://chromewebdata/",
    "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/",
];

/// What is wrong with an address that a page is to be brought to.
pub(crate) fn address_problem(address: &str) -> Option<String> {
    // What is no address the browser refuses itself, or reads as that of a host.
    let url = Url::parse(address).ok()?;
    let scheme = url.scheme();
    if !SCHEMES.contains(&scheme) {
        return Some(format!("addresses with `{scheme}:` cannot be reached from here"));
    }
    let is_own = scheme == "about" && !EMPTY.contains(&url.path());
    is_own.then(|| format!("`about:{}` is a page of the browser's own", url.path()))
}

/// Whether the address of a target is that of a page of the browser's own, or of a file: its tools for developers, its
/// settings, a file of the machine. Such a page can do what no page of a site can.
pub(crate) fn is_of_the_browser(address: &str) -> bool {
    !HARMLESS.iter().any(|start| address.starts_with(start)) && address_problem(address).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_browser_and_files_are_known() {
        for address in [
            "chrome://newtab/",
            "chrome-untrusted://new-tab-page/",
            "chrome-extension://nkeimhogjdpnpccoofpliimaahmaaome/background.html",
            "devtools://devtools/bundled/devtools_app.html?remoteBase=x",
            "file:///etc/passwd",
            "view-source:https://shop.example/",
            "about:version",
            "ABOUT:Settings",
        ] {
            assert!(is_of_the_browser(address), "{address}");
        }
        for address in [
            "",
            "about:blank",
            "about:blank#there",
            "about:srcdoc",
            "https://shop.example/chrome://version",
            "data:text/html,<p>Hi",
            "blob:https://shop.example/1-2",
            "chrome-error://chromewebdata/",
            "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html",
        ] {
            assert!(!is_of_the_browser(address), "{address}");
        }
    }
}
