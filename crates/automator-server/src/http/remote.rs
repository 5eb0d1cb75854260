//! Where a request comes from.

use std::net::IpAddr;

use axum::http::Extensions;
use axum::http::HeaderMap;

use crate::accept::Peer;

/// Lists the addresses that a request has come through, the nearest last.
const FORWARDED: &str = "x-forwarded-for";

/// Where a request comes from: the address of its connection, or, when that is a proxy which is trusted, the one that
/// the proxy names. None for a request that came over no connection.
pub(super) fn remote(extensions: &Extensions, headers: &HeaderMap, trusted: &[IpAddr]) -> Option<IpAddr> {
    let Peer(peer) = extensions.get::<Peer>()?;
    let forwarded = headers.get_all(FORWARDED);
    let named = forwarded.iter().filter_map(|value| value.to_str().ok());
    Some(behind(peer.ip(), named, trusted))
}

/// The nearest address that is no trusted proxy. What lies beyond it could be made up by whoever is there.
fn behind<'a>(peer: IpAddr, forwarded: impl Iterator<Item = &'a str>, trusted: &[IpAddr]) -> IpAddr {
    let mut nearest = peer.to_canonical();
    let named: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
    for name in named.iter().rev() {
        if !trusted.contains(&nearest) {
            break;
        }
        match name.trim().parse::<IpAddr>() {
            Ok(address) => nearest = address.to_canonical(),
            Err(_) => break,
        }
    }
    nearest
}

/// Whom a rate is counted for: an address, or the network of an IPv6 address, of which everybody has many.
pub(super) fn counted_as(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let network = u128::from(address) & !(u128::MAX >> 64);
            IpAddr::from(network.to_be_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn only_what_trusted_proxies_say_counts() {
        let trusted = [address("127.0.0.1"), address("10.0.0.1")];
        for (peer, forwarded, expected) in [
            ("192.0.2.9", &["203.0.113.5"][..], "192.0.2.9"),
            ("127.0.0.1", &[], "127.0.0.1"),
            ("::ffff:127.0.0.1", &["203.0.113.5"], "203.0.113.5"),
            ("127.0.0.1", &["198.51.100.1, 203.0.113.5"], "203.0.113.5"),
            (
                "127.0.0.1",
                &["198.51.100.1", "203.0.113.5, 10.0.0.1"],
                "203.0.113.5",
            ),
            ("127.0.0.1", &["203.0.113.5, nonsense"], "127.0.0.1"),
        ] {
            let found = behind(address(peer), forwarded.iter().copied(), &trusted);
            assert_eq!(found, address(expected), "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one() {
        assert_eq!(
            counted_as(address("2001:db8:1:2:3::4")),
            address("2001:db8:1:2::")
        );
        assert_eq!(counted_as(address("192.0.2.1")), address("192.0.2.1"));
    }
}
