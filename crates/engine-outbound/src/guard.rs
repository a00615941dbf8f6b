//! Addresses that no request may reach, whatever name leads there.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Reaches only what hangs on the same wire; clouds hand out keys there.
    LinkLocal,
    /// A metadata service outside the link-local range.
    Metadata,
    /// Not the address of one machine.
    NotAHost,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "a metadata service",
            Self::NotAHost => "a wildcard, broadcast or multicast address, which belongs to no single host",
        })
    }
}

/// Metadata services of clouds that lie outside the link-local range.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

const METADATA_V6: [Ipv6Addr; 2] = [
    Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254),
    Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254),
];

/// Whether an address is refused. Loopback and private networks are not: that is where people run their own endpoints.
pub fn refused(address: IpAddr) -> Option<Refused> {
    match address {
        IpAddr::V4(address) => refused_v4(address),
        IpAddr::V6(address) => refused_v6(address),
    }
}

fn refused_v4(address: Ipv4Addr) -> Option<Refused> {
    if address.is_link_local() {
        Some(Refused::LinkLocal)
    } else if METADATA_V4.contains(&address) {
        Some(Refused::Metadata)
    } else if address.octets()[0] == 0 || address.is_multicast() || address.octets()[0] >= 240 {
        Some(Refused::NotAHost)
    } else {
        None
    }
}

fn refused_v6(address: Ipv6Addr) -> Option<Refused> {
    if address.is_unspecified() || address.is_multicast() {
        return Some(Refused::NotAHost);
    }
    if address.is_unicast_link_local() {
        return Some(Refused::LinkLocal);
    }
    if METADATA_V6.contains(&address) {
        return Some(Refused::Metadata);
    }
    embedded(address).and_then(refused_v4)
}

/// The IPv4 address that an IPv6 address leads to: mapped, compatible, NAT64 and 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    if address.is_loopback() {
        return None;
    }
    let parts = address.segments();
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match parts {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_metadata_services_are_refused_in_every_notation() {
        for text in [
            "169.254.169.254",
            "169.254.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "::a9fe:a9fe",
            "fe80::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "0.0.0.0",
            "0.1.2.3",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "ff02::1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert!(refused(address).is_some(), "{text} was let through");
        }
    }

    #[test]
    fn endpoints_of_people_and_of_the_internet_are_reached() {
        for text in [
            "127.0.0.1",
            "::1",
            "10.0.0.5",
            "192.168.1.9",
            "172.16.3.4",
            "8.8.8.8",
            "2001:4860:4860::8888",
            "fd12::1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(refused(address), None, "{text} was refused");
        }
    }
}
