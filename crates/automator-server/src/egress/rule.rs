//! One rule of `--egress-allow`: a host, an address, or a range of addresses.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use url::Host;

use super::address::embedded_v4;
use super::target::{parse_port, relative_name, split_port};

/// What is allowed besides. It is one of
/// - `example.com`: this host, and none below it;
/// - `*.example.com`: the hosts below it, but not it;
/// - `192.0.2.1`, `[2001:db8::1]`: this address, whatever name leads to it;
/// - any of these with a port, as `example.com:8080`: on this port only;
/// - `10.0.0.0/8`, `fd00::/8`: all addresses with this beginning, on all ports, whatever name leads to them.
///
/// Names are compared as browsers compare them: in lower case, in the ASCII form, without a dot at the end. An IPv6
/// address that carries an IPv4 address is covered by rules for either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowRule {
    subject: Subject,
    port: Option<u16>,
}

/// A rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{rule}` is no rule: {problem}")]
pub struct InvalidRule {
    /// What was given.
    pub rule: String,
    /// What is wrong with it.
    pub problem: RuleProblem,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleProblem {
    /// Nothing was given.
    #[error("it is empty")]
    Empty,
    /// It is an address of a page, or has a user name or a path.
    #[error("give the host alone, as `example.com` or `example.com:8080`")]
    NotHostAlone,
    /// What should be a host is none.
    #[error(
        "it is no host: names have letters, digits, dots and hyphens, IPv6 addresses with a port brackets"
    )]
    Host,
    /// What stands after the colon is no port.
    #[error("a port is a number from 1 to 65535")]
    Port,
    /// A star where none can be.
    #[error("a star stands for the hosts below a name, at the beginning, as in `*.example.com`")]
    Star,
    /// What stands before the slash is no address.
    #[error("a range begins with an address, as `10.0.0.0/8` or `fd00::/8`")]
    RangeAddress,
    /// What stands after the slash is no length.
    #[error("the length of a range is a number from 0 to {0}")]
    RangeLength(u8),
    /// The address has more than the length says.
    #[error("its address goes on beyond its length; the range is {first}/{length}")]
    RangeBits {
        /// The first address of the range.
        first: IpAddr,
        /// Its length.
        length: u8,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Subject {
    Host(String),
    Below(String),
    Range(Range),
}

/// All addresses that begin with the first `length` bits of `first`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    first: IpAddr,
    length: u8,
}

impl AllowRule {
    /// Whether it allows this address and port to who has asked for this host.
    pub(super) fn covers(&self, host: &Host, port: u16, address: IpAddr) -> bool {
        self.covers_host(host, port)
            || (self.covers_port(port)
                && matches!(&self.subject, Subject::Range(range) if range.has(address)))
    }

    /// Whether it may allow this host and port, once it is known what the name leads to.
    pub(super) fn may_cover(&self, host: &Host, port: u16) -> bool {
        self.covers_host(host, port) || (self.covers_port(port) && matches!(&self.subject, Subject::Range(_)))
    }

    fn covers_port(&self, port: u16) -> bool {
        self.port.is_none_or(|own| own == port)
    }

    fn covers_host(&self, host: &Host, port: u16) -> bool {
        let Host::Domain(name) = host else { return false };
        let name = relative_name(name).to_ascii_lowercase();
        let is_covered = match &self.subject {
            Subject::Host(own) => name == *own,
            Subject::Below(own) => name
                .strip_suffix(own.as_str())
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|rest| !rest.is_empty()),
            Subject::Range(_) => false,
        };
        is_covered && self.covers_port(port)
    }
}

impl FromStr for AllowRule {
    type Err = InvalidRule;

    fn from_str(text: &str) -> Result<Self, InvalidRule> {
        read_rule(text.trim()).map_err(|problem| InvalidRule {
            rule: text.to_owned(),
            problem,
        })
    }
}

impl fmt::Display for AllowRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Subject::Host(name) => formatter.write_str(name),
            Subject::Below(name) => write!(formatter, "*.{name}"),
            Subject::Range(range) if range.length != bits_of(range.first) => {
                write!(formatter, "{}/{}", range.first, range.length)
            }
            Subject::Range(range) => match range.first {
                IpAddr::V4(address) => address.fmt(formatter),
                IpAddr::V6(address) => write!(formatter, "[{address}]"),
            },
        }?;
        match self.port {
            Some(port) => write!(formatter, ":{port}"),
            None => Ok(()),
        }
    }
}

fn read_rule(text: &str) -> Result<AllowRule, RuleProblem> {
    if text.is_empty() {
        return Err(RuleProblem::Empty);
    }
    if text.contains("://") || text.contains(['@', '?', '#', '\\']) {
        return Err(RuleProblem::NotHostAlone);
    }
    if let Some((address, length)) = text.split_once('/') {
        let subject = Subject::Range(read_range(address, length)?);
        return Ok(AllowRule { subject, port: None });
    }
    if let Ok(address) = text.parse::<Ipv6Addr>() {
        let subject = Subject::Range(Range::single(address.into()));
        return Ok(AllowRule { subject, port: None });
    }
    let (host, port) = split_port(text).ok_or(RuleProblem::Host)?;
    let port = port
        .map(|port| parse_port(port).ok_or(RuleProblem::Port))
        .transpose()?;
    let subject = read_host(host)?;
    Ok(AllowRule { subject, port })
}

fn read_host(text: &str) -> Result<Subject, RuleProblem> {
    let below = text.strip_prefix("*.");
    let host = below.unwrap_or(text);
    if host.contains('*') {
        return Err(RuleProblem::Star);
    }
    let address = match Host::parse(host).map_err(|_| RuleProblem::Host)? {
        Host::Domain(name) => {
            let name = relative_name(&name);
            if name.split('.').any(str::is_empty) {
                return Err(RuleProblem::Host);
            }
            return Ok(match below {
                Some(_) => Subject::Below(name.to_owned()),
                None => Subject::Host(name.to_owned()),
            });
        }
        Host::Ipv4(address) => IpAddr::V4(address),
        Host::Ipv6(address) => IpAddr::V6(address),
    };
    match below {
        Some(_) => Err(RuleProblem::Star),
        None => Ok(Subject::Range(Range::single(address))),
    }
}

fn read_range(address: &str, length: &str) -> Result<Range, RuleProblem> {
    let address: IpAddr = match address.parse() {
        Ok(address) => address,
        // A path, most likely.
        Err(_) if parse_length(length).is_none() => return Err(RuleProblem::NotHostAlone),
        Err(_) => return Err(RuleProblem::RangeAddress),
    };
    let bits = bits_of(address);
    let length = parse_length(length)
        .filter(|length| *length <= bits)
        .ok_or(RuleProblem::RangeLength(bits))?;
    let first = first_address(address, length);
    if first == address {
        Ok(Range::new(first, length))
    } else {
        Err(RuleProblem::RangeBits { first, length })
    }
}

fn parse_length(text: &str) -> Option<u8> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// The address with all bits beyond the length cleared.
fn first_address(address: IpAddr, length: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
            Ipv4Addr::from_bits(address.to_bits() & mask).into()
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
    }
}

impl Range {
    /// IPv4-mapped addresses are IPv4 addresses.
    fn new(first: IpAddr, length: u8) -> Self {
        match first {
            IpAddr::V6(address) if length >= 96 => match address.to_ipv4_mapped() {
                Some(address) => Self {
                    first: address.into(),
                    length: length - 96,
                },
                None => Self { first, length },
            },
            _ => Self { first, length },
        }
    }

    fn single(address: IpAddr) -> Self {
        Self::new(address, bits_of(address))
    }

    /// Whether the address is in it, or the IPv4 address that it carries.
    fn has(&self, address: IpAddr) -> bool {
        let embedded = match address {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => embedded_v4(address).map(IpAddr::V4),
        };
        [Some(address), embedded]
            .into_iter()
            .flatten()
            .filter(|address| address.is_ipv4() == self.first.is_ipv4())
            .any(|address| first_address(address, self.length) == self.first)
    }
}

fn bits_of(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> AllowRule {
        text.parse().unwrap()
    }

    fn covers(text: &str, host: &str, port: u16, address: &str) -> bool {
        rule(text).covers(&Host::parse(host).unwrap(), port, address.parse().unwrap())
    }

    #[test]
    fn rules_are_shown_as_they_are_understood() {
        let cases = [
            ("example.com", "example.com"),
            (" EXAMPLE.com. ", "example.com"),
            ("bücher.test:8080", "xn--bcher-kva.test:8080"),
            ("*.Example.com", "*.example.com"),
            ("*.example.com:443", "*.example.com:443"),
            ("127.0.0.1", "127.0.0.1"),
            ("0x7f.1:80", "127.0.0.1:80"),
            ("2130706433", "127.0.0.1"),
            ("::1", "[::1]"),
            ("[::1]", "[::1]"),
            ("[::1]:9000", "[::1]:9000"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("10.0.0.1/32", "10.0.0.1"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("::/0", "::/0"),
            ("fd00::/8", "fd00::/8"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ];
        for (text, expected) in cases {
            assert_eq!(rule(text).to_string(), expected);
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let cases = [
            ("", RuleProblem::Empty),
            ("  ", RuleProblem::Empty),
            ("https://example.com", RuleProblem::NotHostAlone),
            ("me@example.com", RuleProblem::NotHostAlone),
            ("example.com/path", RuleProblem::NotHostAlone),
            ("a b", RuleProblem::Host),
            (":80", RuleProblem::Host),
            ("a..test", RuleProblem::Host),
            ("::1:x", RuleProblem::Host),
            ("256.0.0.1", RuleProblem::Host),
            ("[::1", RuleProblem::Host),
            ("example.com:", RuleProblem::Port),
            ("example.com:0", RuleProblem::Port),
            ("example.com:65536", RuleProblem::Port),
            ("example.com:http", RuleProblem::Port),
            ("*", RuleProblem::Star),
            ("*example.com", RuleProblem::Star),
            ("a.*.test", RuleProblem::Star),
            ("*.127.0.0.1", RuleProblem::Star),
            ("10/8", RuleProblem::RangeAddress),
            ("example.com/8", RuleProblem::RangeAddress),
            ("10.0.0.0/33", RuleProblem::RangeLength(32)),
            ("10.0.0.0/+8", RuleProblem::RangeLength(32)),
            ("10.0.0.0/", RuleProblem::RangeLength(32)),
            ("10.0.0.0/8:80", RuleProblem::RangeLength(32)),
            ("fd00::/129", RuleProblem::RangeLength(128)),
        ];
        for (text, expected) in cases {
            let error = text.parse::<AllowRule>().unwrap_err();
            assert_eq!((error.rule.as_str(), error.problem), (text, expected));
        }
        assert_eq!(
            "10.1.2.3/8".parse::<AllowRule>().unwrap_err().to_string(),
            "`10.1.2.3/8` is no rule: its address goes on beyond its length; the range is 10.0.0.0/8"
        );
    }

    #[test]
    fn names_cover_themselves_and_stars_those_below() {
        let cases = [
            ("example.com", "example.com", 80, true),
            ("example.com", "EXAMPLE.COM.", 80, true),
            ("example.com", "www.example.com", 80, false),
            ("example.com", "badexample.com", 80, false),
            ("example.com", "example.com.evil.test", 80, false),
            ("example.com:8080", "example.com", 8080, true),
            ("example.com:8080", "example.com", 80, false),
            ("*.example.com", "a.b.example.com", 80, true),
            ("*.example.com", "example.com", 80, false),
            ("*.example.com", "badexample.com", 80, false),
            ("*.example.com:443", "a.example.com", 80, false),
            ("bücher.test", "BÜCHER.test", 80, true),
            ("xn--bcher-kva.test", "bücher.test", 80, true),
        ];
        for (text, host, port, expected) in cases {
            assert_eq!(covers(text, host, port, "8.8.8.8"), expected, "{text} {host}");
        }
    }

    #[test]
    fn addresses_and_ranges_cover_whatever_name_leads_there() {
        let cases = [
            ("127.0.0.1", "a.test", 80, "127.0.0.1", true),
            ("127.0.0.1", "a.test", 80, "127.0.0.2", false),
            ("127.0.0.1:81", "127.0.0.1", 80, "127.0.0.1", false),
            ("10.0.0.0/8", "a.test", 80, "10.255.255.255", true),
            ("10.0.0.0/8", "a.test", 80, "11.0.0.0", false),
            ("10.0.0.0/8", "a.test", 80, "::ffff:10.1.1.1", true),
            ("10.0.0.0/8", "a.test", 80, "64:ff9b::10.1.1.1", true),
            ("64:ff9b::/96", "a.test", 80, "64:ff9b::10.1.1.1", true),
            ("0.0.0.0/0", "a.test", 80, "203.0.113.1", true),
            ("0.0.0.0/0", "a.test", 80, "2001:db8::1", false),
            ("::/0", "a.test", 80, "2001:db8::1", true),
            ("::/0", "a.test", 80, "203.0.113.1", false),
            ("::ffff:0:0/96", "a.test", 80, "203.0.113.1", true),
            ("2001:db8::/33", "a.test", 80, "2001:db8:8000::1", false),
            ("[::1]:80", "a.test", 80, "::1", true),
        ];
        for (text, host, port, address, expected) in cases {
            assert_eq!(covers(text, host, port, address), expected, "{text} {address}");
        }
    }
}
