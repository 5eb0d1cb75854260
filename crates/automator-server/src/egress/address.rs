//! What kind of address an IP address is.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for, as far as it matters to who may reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressClass {
    /// On the internet.
    Public,
    /// This machine: 127.0.0.0/8, ::1.
    Loopback,
    /// This machine as well, to most systems: 0.0.0.0, ::.
    Unspecified,
    /// A network of its owner's: RFC 1918, fc00::/7, fec0::/10, 64:ff9b:1::/48.
    Private,
    /// Between a provider and its customers, and the addresses of some private networks: 100.64.0.0/10.
    Shared,
    /// For measurements, and what some tunnels answer in place of real addresses: 198.18.0.0/15, 2001:2::/48.
    Benchmarking,
    /// The network segment: 169.254.0.0/16, fe80::/10.
    LinkLocal,
    /// Where clouds tell a machine its credentials.
    Metadata,
    /// Many machines at once: 224.0.0.0/4, ff00::/8.
    Multicast,
    /// All machines of the segment: 255.255.255.255.
    Broadcast,
    /// For examples in texts: 192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24, 2001:db8::/32, 3fff::/20.
    Documentation,
    /// For no use, or for one that is no server: 240.0.0.0/4, the rest of 0.0.0.0/8, 192.0.0.0/24, 192.88.99.0/24,
    /// the rest of 2001::/23, and IPv6 outside 2000::/3.
    Reserved,
}

impl AddressClass {
    /// The class of an address. One that carries an IPv4 address is what that one is: IPv4-mapped, -compatible and
    /// -translated, NAT64, 6to4 and Teredo addresses.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => class_of_v4(address),
            IpAddr::V6(address) => class_of_v6(address),
        }
    }

    /// Whether no rule can allow it.
    #[must_use]
    pub fn is_always_refused(self) -> bool {
        matches!(
            self,
            Self::LinkLocal | Self::Metadata | Self::Multicast | Self::Broadcast
        )
    }

    /// Whether it is on this machine or in a network of its owner's, and not among what is always refused.
    #[must_use]
    pub fn is_inner(self) -> bool {
        matches!(
            self,
            Self::Loopback | Self::Unspecified | Self::Private | Self::Shared | Self::Benchmarking
        )
    }
}

impl fmt::Display for AddressClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Public => "a public address",
            Self::Loopback => "a loopback address",
            Self::Unspecified => "an unspecified address",
            Self::Private => "a private address",
            Self::Shared => "a shared address",
            Self::Benchmarking => "a benchmarking address",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "the address of a metadata service",
            Self::Multicast => "a multicast address",
            Self::Broadcast => "the broadcast address",
            Self::Documentation => "a documentation address",
            Self::Reserved => "a reserved address",
        })
    }
}

/// The IPv4 address that an IPv6 address stands for. The prefixes of private translators are not known, so
/// addresses under 64:ff9b:1::/48 have none here.
pub(super) fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let octets = address.octets();
    let last = [12, 13, 14, 15];
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        // Compatible, mapped, translated (RFC 2765), and NAT64.
        [0, 0, 0, 0, 0, 0, ..]
        | [0, 0, 0, 0, 0, 0xffff, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(v4_at(octets, last)),
        [0x2002, ..] => Some(v4_at(octets, [2, 3, 4, 5])),
        // Teredo has the client's address inverted.
        [0x2001, 0, ..] => Some(v4_at(octets.map(|octet| !octet), last)),
        _ => None,
    }
}

fn v4_at(octets: [u8; 16], places: [usize; 4]) -> Ipv4Addr {
    Ipv4Addr::from(places.map(|place| octets[place]))
}

fn class_of_v4(address: Ipv4Addr) -> AddressClass {
    match address.octets() {
        // Of Alibaba, Azure and Oracle; the one of all others, 169.254.169.254, is named for the message.
        [169, 254, 169, 254] | [100, 100, 100, 200] | [168, 63, 129, 16] | [192, 0, 0, 192] => {
            AddressClass::Metadata
        }
        [0, 0, 0, 0] => AddressClass::Unspecified,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => AddressClass::Private,
        [100, 64..=127, ..] => AddressClass::Shared,
        [127, ..] => AddressClass::Loopback,
        [169, 254, ..] => AddressClass::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => AddressClass::Documentation,
        [198, 18 | 19, ..] => AddressClass::Benchmarking,
        [224..=239, ..] => AddressClass::Multicast,
        [255, 255, 255, 255] => AddressClass::Broadcast,
        [0 | 240..=255, ..] | [192, 0, 0, _] | [192, 88, 99, _] => AddressClass::Reserved,
        _ => AddressClass::Public,
    }
}

fn class_of_v6(address: Ipv6Addr) -> AddressClass {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => AddressClass::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressClass::Loopback,
        // Of Amazon, Google and Scaleway.
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254] | [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42] => {
            AddressClass::Metadata
        }
        [0x64, 0xff9b, 1, ..] => class_of_private_nat64(address),
        [0x2001, 0, server_high, server_low, ..] => class_of_teredo(address, server_high, server_low),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressClass::Documentation,
        [0x2001, 2, 0, ..] => AddressClass::Benchmarking,
        [0x2001, 0..=0x1ff, ..] => AddressClass::Reserved,
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] => AddressClass::Private,
        [0xfe80..=0xfebf, ..] => AddressClass::LinkLocal,
        [0xff00..=0xffff, ..] => AddressClass::Multicast,
        [first, ..] => match embedded_v4(address) {
            Some(address) => class_of_v4(address),
            None if (0x2000..=0x3fff).contains(&first) => AddressClass::Public,
            None => AddressClass::Reserved,
        },
    }
}

/// The operator of the translator chooses how long its prefix is, so the IPv4 address may be at any of four places
/// (RFC 6052; octet 8 stays empty).
fn class_of_private_nat64(address: Ipv6Addr) -> AddressClass {
    let octets = address.octets();
    [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]]
        .into_iter()
        .map(|places| class_of_v4(v4_at(octets, places)))
        .find(|class| class.is_always_refused())
        .unwrap_or(AddressClass::Private)
}

/// A Teredo address names a client and the server that helps to reach it; both have to be public.
fn class_of_teredo(address: Ipv6Addr, server_high: u16, server_low: u16) -> AddressClass {
    let client = embedded_v4(address).map_or(AddressClass::Reserved, class_of_v4);
    let server = Ipv4Addr::from_bits(u32::from(server_high) << 16 | u32::from(server_low));
    if client == AddressClass::Public {
        class_of_v4(server)
    } else {
        client
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_classes(cases: &[(&str, AddressClass)]) {
        for (text, expected) in cases {
            assert_eq!(AddressClass::of(text.parse().unwrap()), *expected, "{text}");
        }
    }

    #[test]
    fn addresses_are_what_the_registries_say() {
        use AddressClass::*;
        assert_classes(&[
            ("8.8.8.8", Public),
            ("1.1.1.1", Public),
            ("126.255.255.255", Public),
            ("128.0.0.0", Public),
            ("127.0.0.1", Loopback),
            ("127.255.255.254", Loopback),
            ("0.0.0.0", Unspecified),
            ("0.0.0.1", Reserved),
            ("9.255.255.255", Public),
            ("10.0.0.0", Private),
            ("10.255.255.255", Private),
            ("11.0.0.0", Public),
            ("172.15.255.255", Public),
            ("172.16.0.0", Private),
            ("172.31.255.255", Private),
            ("172.32.0.0", Public),
            ("192.168.0.1", Private),
            ("192.167.255.255", Public),
            ("192.169.0.0", Public),
            ("100.63.255.255", Public),
            ("100.64.0.0", Shared),
            ("100.127.255.255", Shared),
            ("100.128.0.0", Public),
            ("100.100.100.200", Metadata),
            ("169.253.255.255", Public),
            ("169.254.0.0", LinkLocal),
            ("169.254.170.2", LinkLocal),
            ("169.254.169.254", Metadata),
            ("169.255.0.0", Public),
            ("168.63.129.16", Metadata),
            ("168.63.129.17", Public),
            ("192.0.0.192", Metadata),
            ("192.0.0.8", Reserved),
            ("192.0.1.0", Public),
            ("192.0.2.1", Documentation),
            ("198.51.100.1", Documentation),
            ("203.0.113.255", Documentation),
            ("192.88.99.1", Reserved),
            ("198.17.255.255", Public),
            ("198.18.0.0", Benchmarking),
            ("198.19.255.255", Benchmarking),
            ("198.20.0.0", Public),
            ("223.255.255.255", Public),
            ("224.0.0.1", Multicast),
            ("239.255.255.255", Multicast),
            ("240.0.0.0", Reserved),
            ("255.255.255.254", Reserved),
            ("255.255.255.255", Broadcast),
        ]);
    }

    #[test]
    fn v6_addresses_are_what_the_registries_say() {
        use AddressClass::*;
        assert_classes(&[
            ("::", Unspecified),
            ("::1", Loopback),
            ("2606:4700:4700::1111", Public),
            ("2000::", Public),
            ("3ffe:ffff::1", Public),
            ("1fff::1", Reserved),
            ("4000::1", Reserved),
            ("100::1", Reserved),
            ("5f00::1", Reserved),
            ("fbff::1", Reserved),
            ("fc00::1", Private),
            ("fdff:ffff::1", Private),
            ("fe00::1", Reserved),
            ("fe80::1", LinkLocal),
            ("febf::1", LinkLocal),
            ("fec0::1", Private),
            ("feff::1", Private),
            ("ff02::1", Multicast),
            ("fd00:ec2::254", Metadata),
            ("fd00:ec2::23", Metadata),
            ("fd20:ce::254", Metadata),
            ("fd20:ce::253", Private),
            ("fd00:42::42", Metadata),
            ("2001:db8::1", Documentation),
            ("3fff:fff::1", Documentation),
            ("3fff:1000::1", Public),
            ("2001:2::1", Benchmarking),
            ("2001:2:1::1", Reserved),
            ("2001:10::1", Reserved),
            ("2001:1ff::1", Reserved),
            ("2001:200::1", Public),
        ]);
    }

    #[test]
    fn embedded_addresses_are_judged_as_what_they_embed() {
        use AddressClass::*;
        assert_classes(&[
            ("::ffff:8.8.8.8", Public),
            ("::ffff:127.0.0.1", Loopback),
            ("::ffff:169.254.169.254", Metadata),
            ("::ffff:0.0.0.0", Unspecified),
            ("::ffff:10.0.0.1", Private),
            ("::127.0.0.1", Loopback),
            ("::a00:1", Private),
            ("::2", Reserved),
            ("::ffff:0:169.254.1.1", LinkLocal),
            ("64:ff9b::8.8.8.8", Public),
            ("64:ff9b::169.254.169.254", Metadata),
            ("64:ff9b::192.168.1.1", Private),
            ("64:ff9b:0:1::1", Reserved),
            ("64:ff9b:1::8.8.8.8", Private),
            ("64:ff9b:1::169.254.169.254", Metadata),
            ("64:ff9b:1:a9fe:a9:fe00::", Metadata),
            ("64:ff9b:1:a9:fe:a9fe::", Metadata),
            ("64:ff9b:1:0:a9:fea9:fe00:0", Metadata),
            ("64:ff9b:2::1", Reserved),
            ("2002:808:808::1", Public),
            ("2002:7f00:1::1", Loopback),
            ("2002:a9fe:a9fe::1", Metadata),
            ("2002:c0a8:101::1", Private),
            // 65.54.227.120 serves, 192.0.2.45 and 8.8.8.8 are the clients.
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", Documentation),
            ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", Public),
            ("2001:0:4136:e378:8000:63bf:80ff:fffe", Loopback),
            ("2001:0:a9fe:a9fe:8000:63bf:f7f7:f7f7", Metadata),
        ]);
    }
}
