//! Lists of hosts: those of advertisements, and those that a session may be brought to.

use std::collections::BTreeSet;

use url::{Host, Url};

use super::target::relative_name;

/// The hosts that `blockAds` refuses when the operator has added none.
const ADVERTISEMENTS: &str = include_str!("advertisements.txt");

/// Hosts, each with all that are below it.
///
/// An entry is a host, as `example.com`, which stands for it and every host below it; or `*.example.com`, which stands
/// for those below it alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList {
    /// With all below them.
    hosts: BTreeSet<String>,
    /// Those below them alone.
    only_below: BTreeSet<String>,
    /// As they were given.
    texts: Vec<String>,
}

/// An entry that is no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no host; give it alone, as `example.com` or `*.example.com`")]
pub struct InvalidHost(pub String);

impl HostList {
    /// The hosts of advertisements that come with the server.
    #[must_use]
    pub fn advertisements() -> Self {
        let mut list = Self::default();
        for entry in ADVERTISEMENTS.lines().filter_map(entry_of) {
            // A test reads every line of it.
            drop(list.add(entry));
        }
        list
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// [`InvalidHost`].
    pub fn add(&mut self, entry: &str) -> Result<(), InvalidHost> {
        let invalid = || InvalidHost(entry.to_owned());
        let (hosts, text) = match entry.trim().strip_prefix("*.") {
            Some(rest) => (&mut self.only_below, rest),
            None => (&mut self.hosts, entry.trim()),
        };
        let host = Host::parse(text).map_err(|_| invalid())?.to_string();
        let host = relative_name(&host);
        if host.is_empty() || host.contains('*') || host.split('.').any(str::is_empty) {
            return Err(invalid());
        }
        hosts.insert(host.to_owned());
        self.texts.push(entry.trim().to_owned());
        Ok(())
    }

    /// Whether it has no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The entries as they were given.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// Whether a host is one of them.
    #[must_use]
    pub fn contains(&self, host: &Host<&str>) -> bool {
        let host = host.to_string();
        let host = relative_name(&host);
        if self.hosts.contains(host) {
            return true;
        }
        let mut rest = host;
        while let Some((_, parent)) = rest.split_once('.') {
            if self.hosts.contains(parent) || self.only_below.contains(parent) {
                return true;
            }
            rest = parent;
        }
        false
    }

    /// Whether an address is of one of them, or of no host at all, as `about:blank` and `data:` are. The host of a
    /// `blob:` is that of the page which made it.
    #[must_use]
    pub fn allows(&self, address: &str) -> bool {
        let address = address.trim_start();
        let inner = address.strip_prefix("view-source:").unwrap_or(address);
        let inner = inner.strip_prefix("blob:").unwrap_or(inner);
        let Ok(url) = Url::parse(inner) else {
            return false;
        };
        match url.host() {
            Some(host) => self.contains(&host),
            None => matches!(url.scheme(), "about" | "data" | "javascript"),
        }
    }
}

/// The entry on a line, if there is one.
fn entry_of(line: &str) -> Option<&str> {
    let entry = line.split('#').next().unwrap_or_default().trim();
    (!entry.is_empty()).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> HostList {
        let mut list = HostList::default();
        for entry in entries {
            list.add(entry).unwrap();
        }
        list
    }

    #[test]
    fn a_host_stands_for_all_below_it() {
        let cases = [
            ("example.com", "https://example.com/", true),
            ("example.com", "https://a.b.EXAMPLE.com./x", true),
            ("example.com", "https://badexample.com/", false),
            ("example.com", "https://example.com.evil.test/", false),
            ("example.com", "https://user:x@evil.test/example.com", false),
            ("*.example.com", "https://example.com/", false),
            ("*.example.com", "https://a.example.com/", true),
            ("bücher.test", "https://xn--bcher-kva.test/", true),
            ("127.0.0.1", "http://127.1:8080/", true),
            ("127.0.0.1", "http://a.127.0.0.1.test/", false),
            ("[::1]", "http://[::1]:8080/", true),
            ("com", "https://example.com/", true),
            ("example.com", "about:blank", true),
            ("example.com", "data:text/html,x", true),
            ("example.com", "blob:https://evil.test/1", false),
            ("example.com", "blob:null/1", false),
            ("example.com", "view-source:https://evil.test/", false),
            ("example.com", "file:///etc/passwd", false),
            ("example.com", "no address", false),
        ];
        for (entry, address, expected) in cases {
            assert_eq!(list(&[entry]).allows(address), expected, "{entry} {address}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for entry in [
            "",
            "https://a.test",
            "a.test/x",
            "a b",
            "*",
            "a.*.test",
            "*.",
            "a..test",
            "a.test:80",
        ] {
            assert!(HostList::default().add(entry).is_err(), "{entry:?}");
        }
    }

    #[test]
    fn the_list_of_advertisements_is_hosts_alone() {
        for entry in ADVERTISEMENTS.lines().filter_map(entry_of) {
            list(&[entry]);
        }
        let list = HostList::advertisements();
        assert!(list.contains(&Host::Domain("ad.doubleclick.net")));
        assert!(!list.contains(&Host::Domain("example.com")));
    }
}
