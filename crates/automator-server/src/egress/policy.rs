//! Where browsers may connect to: decisions, without any input or output.
//!
//! A decision has two steps. [`EgressPolicy::judge_host`] looks at what was asked for, before a name is resolved;
//! [`EgressPolicy::judge_address`] looks at each address that the name leads to. Both have to allow it.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use url::Host;

use super::address::AddressClass;
pub use super::rule::{AllowRule, InvalidRule, RuleProblem};
use super::target::relative_name;

/// What is allowed without a rule.
///
/// Link-local addresses, metadata services (by address and by name), multicast and broadcast are refused in each
/// mode, and no rule changes that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EgressMode {
    /// The internet, this machine and private networks.
    Open,
    /// The internet.
    Public,
    /// Nothing.
    List,
}

/// A text that is no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no egress mode; there are `open`, `public` and `list`")]
pub struct UnknownMode(pub String);

/// Where browsers may connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EgressPolicy {
    /// What is allowed without a rule.
    pub mode: EgressMode,
    /// What is allowed besides.
    pub allow: Vec<AllowRule>,
}

/// Why a connection is not made. The text is for the owner of the browser, so it tells what kind of address a name
/// leads to and not which one: that would show the names of the server's own network to everybody.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The host is, or leads to, an address that is not allowed.
    #[error("{host} {} {class}", if matches!(host, Host::Domain(_)) { "leads to" } else { "is" })]
    Address {
        /// The host that was asked for.
        host: Host,
        /// What its address is.
        class: AddressClass,
    },
    /// The name is one that clouds give to their metadata services.
    #[error("{0} is the name of a metadata service")]
    MetadataName(Host),
    /// The session blocks it.
    #[error("{0} is on the list of hosts of advertisements, and the session blocks them")]
    Blocked(Host),
    /// No rule lists it, in the mode `list`.
    #[error("{host}:{port} is not listed")]
    NotListed {
        /// The host that was asked for.
        host: Host,
        /// The port that was asked for.
        port: u16,
    },
    /// The address belongs to the proxy that was asked.
    #[error("{host}:{port} is the proxy itself")]
    ProxyItself {
        /// The host that was asked for.
        host: Host,
        /// The port of the proxy.
        port: u16,
    },
    /// The scheme is neither `http` nor `https`.
    #[error("only http and https are let through, and not {0}")]
    Scheme(String),
}

impl EgressMode {
    /// The mode of a server that listens on this address and was told none: `open` on loopback, where only its own
    /// user reaches it, and `public` anywhere else.
    #[must_use]
    pub fn for_listener(address: IpAddr) -> Self {
        match AddressClass::of(address) {
            AddressClass::Loopback => Self::Open,
            _ => Self::Public,
        }
    }
}

impl FromStr for EgressMode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        match text {
            "open" => Ok(Self::Open),
            "public" => Ok(Self::Public),
            "list" => Ok(Self::List),
            _ => Err(UnknownMode(text.to_owned())),
        }
    }
}

impl fmt::Display for EgressMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Open => "open",
            Self::Public => "public",
            Self::List => "list",
        })
    }
}

impl EgressPolicy {
    /// A policy without rules.
    #[must_use]
    pub fn new(mode: EgressMode) -> Self {
        Self {
            mode,
            allow: Vec::new(),
        }
    }

    /// Judges a host as it was asked for. An address is judged for good; a name that passes still has to lead to an
    /// allowed address. In the mode `list`, a name that no rule can allow is refused here, so that it is not even
    /// resolved.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn judge_host(&self, host: &Host, port: u16) -> Result<(), Refusal> {
        match host {
            Host::Ipv4(address) => self.judge_address(host, port, IpAddr::V4(*address)),
            Host::Ipv6(address) => self.judge_address(host, port, IpAddr::V6(*address)),
            Host::Domain(name) if is_metadata_name(name) => Err(Refusal::MetadataName(host.clone())),
            Host::Domain(_) => {
                let is_hopeless = self.mode == EgressMode::List
                    && !self.allow.iter().any(|rule| rule.may_cover(host, port));
                if is_hopeless {
                    return Err(not_listed(host, port));
                }
                Ok(())
            }
        }
    }

    /// Judges an address that a host leads to.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn judge_address(&self, host: &Host, port: u16, address: IpAddr) -> Result<(), Refusal> {
        let class = AddressClass::of(address);
        let refused = || Refusal::Address {
            host: host.clone(),
            class,
        };
        if class.is_always_refused() {
            return Err(refused());
        }
        if self.allow.iter().any(|rule| rule.covers(host, port, address)) {
            return Ok(());
        }
        match self.mode {
            EgressMode::List => Err(not_listed(host, port)),
            EgressMode::Open if class == AddressClass::Public || class.is_inner() => Ok(()),
            EgressMode::Public if class == AddressClass::Public => Ok(()),
            EgressMode::Open | EgressMode::Public => Err(refused()),
        }
    }
}

fn not_listed(host: &Host, port: u16) -> Refusal {
    Refusal::NotListed {
        host: host.clone(),
        port,
    }
}

/// Names that lead to a metadata service inside of a cloud. Their addresses are refused as well; the names are, too,
/// because a proxy of the session may see other addresses.
fn is_metadata_name(name: &str) -> bool {
    const NAMES: [&str; 6] = [
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.internal",
        "metadata.tencentyun.com",
        "instance-data.ec2.internal",
        "metadata.platformequinix.com",
    ];
    let name = relative_name(name).to_ascii_lowercase();
    NAMES
        .iter()
        .filter_map(|known| name.strip_suffix(known))
        .any(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(mode: EgressMode, rules: &[&str]) -> EgressPolicy {
        EgressPolicy {
            mode,
            allow: rules.iter().map(|rule| rule.parse().unwrap()).collect(),
        }
    }

    fn allows(policy: &EgressPolicy, host: &str, port: u16, address: &str) -> bool {
        let host = Host::parse(host).unwrap();
        policy.judge_host(&host, port).is_ok()
            && policy
                .judge_address(&host, port, address.parse().unwrap())
                .is_ok()
    }

    #[test]
    fn modes_without_rules() {
        let cases = [
            ("8.8.8.8", true, true),
            ("2606:4700::1", true, true),
            ("127.0.0.1", true, false),
            ("::1", true, false),
            ("0.0.0.0", true, false),
            ("10.0.0.1", true, false),
            ("100.64.0.1", true, false),
            ("198.18.0.1", true, false),
            ("fd12::1", true, false),
            ("fec0::1", true, false),
            ("::ffff:127.0.0.1", true, false),
            ("64:ff9b::10.0.0.1", true, false),
            ("64:ff9b:1::1", true, false),
            ("2002:a00:1::1", true, false),
            ("0.0.0.1", false, false),
            ("192.0.2.1", false, false),
            ("240.0.0.1", false, false),
            ("2001:db8::1", false, false),
            ("4000::1", false, false),
            ("169.254.1.1", false, false),
            ("fe80::1", false, false),
            ("169.254.169.254", false, false),
            ("::ffff:169.254.169.254", false, false),
            ("64:ff9b::169.254.169.254", false, false),
            ("2002:a9fe:a9fe::1", false, false),
            ("fd00:ec2::254", false, false),
            ("100.100.100.200", false, false),
            ("168.63.129.16", false, false),
            ("192.0.0.192", false, false),
            ("224.0.0.1", false, false),
            ("ff02::1", false, false),
            ("255.255.255.255", false, false),
        ];
        for (address, open, public) in cases {
            for (mode, expected) in [
                (EgressMode::Open, open),
                (EgressMode::Public, public),
                (EgressMode::List, false),
            ] {
                let actual = allows(&policy(mode, &[]), "a.test", 80, address);
                assert_eq!(actual, expected, "{mode} {address}");
            }
        }
    }

    #[test]
    fn rules_allow_private_and_reserved_addresses_in_each_mode() {
        for mode in [EgressMode::Open, EgressMode::Public, EgressMode::List] {
            let policy = policy(
                mode,
                &["intranet.test", "10.1.0.0/16", "[fd12::1]:8080", "192.0.2.1"],
            );
            assert!(allows(&policy, "INTRANET.test.", 80, "192.168.1.1"), "{mode}");
            assert!(allows(&policy, "other.test", 80, "10.1.2.3"), "{mode}");
            assert!(allows(&policy, "other.test", 8080, "fd12::1"), "{mode}");
            assert!(allows(&policy, "192.0.2.1", 80, "192.0.2.1"), "{mode}");
            let is_open = mode == EgressMode::Open;
            assert_eq!(allows(&policy, "other.test", 80, "10.2.0.1"), is_open, "{mode}");
            assert_eq!(allows(&policy, "other.test", 80, "fd12::1"), is_open, "{mode}");
            assert_eq!(
                allows(&policy, "a.intranet.test", 80, "192.168.1.1"),
                is_open,
                "{mode}"
            );
        }
    }

    #[test]
    fn nothing_overrides_link_local_and_metadata() {
        let rules = [
            "0.0.0.0/0",
            "::/0",
            "169.254.0.0/16",
            "169.254.169.254",
            "fe80::/10",
            "fd00:ec2::254",
            "a.test",
            "metadata.google.internal",
            "224.0.0.0/4",
        ];
        for mode in [EgressMode::Open, EgressMode::Public, EgressMode::List] {
            let policy = policy(mode, &rules);
            for address in [
                "169.254.169.254",
                "169.254.0.1",
                "fe80::1",
                "fd00:ec2::254",
                "168.63.129.16",
                "224.0.0.1",
                "255.255.255.255",
                "::ffff:169.254.169.254",
            ] {
                assert!(!allows(&policy, "a.test", 80, address), "{mode} {address}");
            }
            assert!(!allows(&policy, "metadata.google.internal", 80, "8.8.8.8"));
        }
    }

    #[test]
    fn metadata_names_are_known_however_they_are_written() {
        for name in [
            "metadata.google.internal",
            "METADATA.google.internal.",
            "x.metadata.google.internal",
            "metadata.goog",
        ] {
            assert!(is_metadata_name(name), "{name}");
        }
        for name in [
            "google.internal",
            "mymetadata.google.internal",
            "metadata.google.internal.test",
            "ü",
        ] {
            assert!(!is_metadata_name(name), "{name}");
        }
    }

    #[test]
    fn a_list_refuses_names_before_they_are_resolved_unless_a_range_may_cover_them() {
        let host = Host::parse("a.test").unwrap();
        let names_only = policy(EgressMode::List, &["b.test"]);
        assert!(names_only.judge_host(&host, 80).is_err());
        let with_range = policy(EgressMode::List, &["b.test", "10.0.0.0/8"]);
        assert!(with_range.judge_host(&host, 80).is_ok());
        let with_address = policy(EgressMode::List, &["10.0.0.1:443"]);
        assert!(with_address.judge_host(&host, 80).is_err());
        assert!(with_address.judge_host(&host, 443).is_ok());
    }

    #[test]
    fn refusals_say_why_and_do_not_show_what_a_name_leads_to() {
        let public = policy(EgressMode::Public, &[]);
        let refusal = |host: &str, address: &str| {
            let host = Host::parse(host).unwrap();
            public
                .judge_address(&host, 80, address.parse().unwrap())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refusal("intranet.test", "10.0.0.1"),
            "intranet.test leads to a private address"
        );
        assert_eq!(
            refusal("127.0.0.1", "127.0.0.1"),
            "127.0.0.1 is a loopback address"
        );
        assert_eq!(
            refusal("[fe80::1]", "fe80::1"),
            "[fe80::1] is a link-local address"
        );
        let host = Host::parse("a.test").unwrap();
        let not_listed = policy(EgressMode::List, &[]).judge_host(&host, 443).unwrap_err();
        assert_eq!(not_listed.to_string(), "a.test:443 is not listed");
    }

    #[test]
    fn modes_are_read_and_chosen_by_the_listener() {
        for mode in [EgressMode::Open, EgressMode::Public, EgressMode::List] {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert!("Open".parse::<EgressMode>().is_err());
        for (address, expected) in [
            ("127.0.0.1", EgressMode::Open),
            ("::1", EgressMode::Open),
            ("0.0.0.0", EgressMode::Public),
            ("::", EgressMode::Public),
            ("10.0.0.1", EgressMode::Public),
            ("8.8.8.8", EgressMode::Public),
        ] {
            assert_eq!(EgressMode::for_listener(address.parse().unwrap()), expected);
        }
    }
}
