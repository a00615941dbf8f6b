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

/// A metadata service outside the link-local range: where it answers, and where that is documented.
struct Metadata<T> {
    first: T,
    /// Bits of `first` that count.
    bits: u32,
    /// The cloud, and the page or release that names the address.
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever checks or extends the table"))]
    source: &'static str,
}

const fn v4(first: Ipv4Addr, source: &'static str) -> Metadata<Ipv4Addr> {
    Metadata {
        first,
        bits: 32,
        source,
    }
}

const fn v6(first: Ipv6Addr, bits: u32, source: &'static str) -> Metadata<Ipv6Addr> {
    Metadata { first, bits, source }
}

const METADATA_V4: [Metadata<Ipv4Addr>; 3] = [
    v4(
        Ipv4Addr::new(100, 100, 100, 200),
        "Alibaba Cloud, ECS: instance metadata",
    ),
    v4(
        Ipv4Addr::new(168, 63, 129, 16),
        "Azure: what is IP address 168.63.129.16",
    ),
    v4(Ipv4Addr::new(192, 0, 0, 192), "Oracle Cloud Classic: instance metadata"),
];

const METADATA_V6: [Metadata<Ipv6Addr>; 5] = [
    // Instance metadata is at `::254`, credentials of pods are at `::23`; name and time servers share the prefix.
    v6(
        Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0),
        32,
        "AWS, EC2: instance metadata; EKS: pod identity",
    ),
    v6(
        Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0),
        32,
        "Google Cloud, Compute Engine: metadata over IPv6",
    ),
    v6(
        Ipv6Addr::new(0xfd00, 0x00c1, 0, 0, 0, 0, 0, 0),
        32,
        "Oracle Cloud Infrastructure: metadata over IPv6",
    ),
    v6(
        Ipv6Addr::new(0xfd00, 0x0042, 0, 0, 0, 0, 0, 0),
        32,
        "Scaleway: instance metadata over IPv6",
    ),
    v6(
        Ipv6Addr::new(0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 0),
        48,
        "Akamai (Linode): metadata over IPv6",
    ),
];

/// The address of nearly every metadata service; clouds that offer one over IPv6 like to end it with these digits.
const METADATA: Ipv4Addr = Ipv4Addr::new(169, 254, 169, 254);

/// How an IPv6 address carries an IPv4 address.
#[derive(Clone, Copy)]
enum Carries {
    /// In its last 32 bits.
    Low,
    /// From bit 16 on.
    At16,
    /// In one of the places of RFC 6052, section 2.2, for prefixes of 48, 56, 64 and 96 bits.
    AnyOf6052,
    /// The server from bit 32 on, and the client inverted in the last 32 bits.
    Teredo,
}

/// Prefixes that lead to IPv4: the first address, the bits that count, and the standard.
const TO_V4: [(Ipv6Addr, u32, Carries); 7] = [
    // RFC 4291, section 2.5.5.1: compatible.
    (Ipv6Addr::UNSPECIFIED, 96, Carries::Low),
    // RFC 4291, section 2.5.5.2: mapped.
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, Carries::Low),
    // RFC 2765: translated.
    (Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96, Carries::Low),
    // RFC 6052: the well-known prefix of NAT64.
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96, Carries::Low),
    // RFC 8215: the prefix of NAT64 for local use, of which a network may take any part.
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, Carries::AnyOf6052),
    // RFC 4380: Teredo.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, Carries::Teredo),
    // RFC 3056: 6to4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, Carries::At16),
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
    } else if METADATA_V4.iter().any(|one| one.first == address && one.bits == 32) {
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
    let ends_like_metadata = address.is_unique_local() && bits(address, 96) == METADATA;
    if ends_like_metadata || METADATA_V6.iter().any(|one| within(address, one.first, one.bits)) {
        return Some(Refused::Metadata);
    }
    if address.is_loopback() {
        return None;
    }
    let parts = address.segments();
    // RFC 5214: an ISATAP address ends with the IPv4 address behind it, whatever its prefix.
    if matches!(parts[4..6], [0 | 0x200, 0x5efe])
        && let Some(why) = refused_v4(bits(address, 96))
    {
        return Some(why);
    }
    TO_V4
        .into_iter()
        .filter(|(first, count, _)| within(address, *first, *count))
        .find_map(|(_, _, carries)| match carries {
            Carries::Low => refused_v4(bits(address, 96)),
            Carries::At16 => refused_v4(bits(address, 16)),
            Carries::AnyOf6052 => {
                // Bits 64 to 71 are zero and belong to no part of the IPv4 address.
                let octets = address.octets();
                let skipping = |from: usize| {
                    let mut kept = (from..16).filter(|at| *at != 8).map(|at| octets[at]);
                    let mut next = || kept.next().unwrap_or(0);
                    Ipv4Addr::new(next(), next(), next(), next())
                };
                let places = [skipping(6), skipping(7), skipping(9), bits(address, 96)];
                // Zeros around the address are no wildcard here.
                places
                    .into_iter()
                    .filter_map(refused_v4)
                    .find(|why| *why != Refused::NotAHost)
            }
            Carries::Teredo => {
                let client = Ipv4Addr::from(!u32::from(bits(address, 96)));
                refused_v4(client).or_else(|| refused_v4(bits(address, 32)))
            }
        })
}

/// Whether the first bits of two addresses are the same.
fn within(address: Ipv6Addr, first: Ipv6Addr, count: u32) -> bool {
    let mask = u128::MAX.checked_shl(128 - count).unwrap_or(0);
    u128::from(address) & mask == u128::from(first) & mask
}

/// The 32 bits of an address that begin at a place.
fn bits(address: Ipv6Addr, from: usize) -> Ipv4Addr {
    let octets = address.octets();
    let at = from / 8;
    Ipv4Addr::new(octets[at], octets[at + 1], octets[at + 2], octets[at + 3])
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
            "fd00:ec2::23",
            "fd20:ce::254",
            "fd00:42::42",
            "fd00:c1::a9fe:a9fe",
            "fd00:a9fe:a9fe::1",
            "fd12:3456::a9fe:a9fe",
            "::ffff:0:a9fe:a9fe",
            "64:ff9b:1::a9fe:a9fe",
            "64:ff9b:1:a9fe:00a9:fe00::",
            "64:ff9b:1:00a9:00fe:a9fe::",
            "64:ff9b:1:0:00a9:fea9:fe00:0",
            "64:ff9b:1::6464:64c8",
            "2001:0:0:0:0:0:5601:5601",
            "2001:0:a9fe:a9fe::f7f7:f7f7",
            "2001:db8::5efe:a9fe:a9fe",
            "2001:db8::200:5efe:a9fe:a9fe",
            "2002:6464:64c8::1",
            "64:ff9b::a83f:8110",
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
            "64:ff9b::808:808",
            "64:ff9b:1::808:808",
            "2002:808:808::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:db8::5efe:808:808",
            "::ffff:127.0.0.1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(refused(address), None, "{text} was refused");
        }
    }

    #[test]
    fn every_row_of_the_table_names_its_source_and_is_refused() {
        for row in &METADATA_V4 {
            assert!(row.source.len() > 10);
            assert_eq!(refused(row.first.into()), Some(Refused::Metadata));
        }
        for row in &METADATA_V6 {
            assert!(row.source.len() > 10);
            assert_eq!(refused(row.first.into()), Some(Refused::Metadata));
        }
    }
}
