//! The address of a dashboard, checked before anything is sent.

use engine_outbound::{BadTarget, Target};

/// Why a text is not the address of a dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// Not a URL.
    #[error("it must be a URL such as `https://dashboard.example`")]
    Malformed,
    /// A token would go over the network in clear text.
    #[error("it must begin with `https://`; `http://` is allowed for this machine only (localhost, 127.0.0.1, [::1])")]
    NotSecure,
    /// A user name or password in the address would end up in results.
    #[error("it must not contain a user name or password; give the token in its own field")]
    Credentials,
    /// A query belongs to one request, not to a dashboard.
    #[error("it must not contain a query; give host and path only")]
    Query,
}

/// The address of a dashboard: https, or http on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Target);

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    ///
    /// [`BadAddress`].
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let target = Target::parse(text).map_err(|error| match error {
            BadTarget::Credentials => BadAddress::Credentials,
            BadTarget::Scheme => BadAddress::NotSecure,
            BadTarget::Malformed | BadTarget::TooLong => BadAddress::Malformed,
        })?;
        if target.query().is_some() {
            return Err(BadAddress::Query);
        }
        if !target.is_secure() && !is_loopback(target.host()) {
            return Err(BadAddress::NotSecure);
        }
        Ok(Self(target))
    }

    /// Host and port, which is all that replies and evidence say of it.
    pub fn destination(&self) -> String {
        self.0.destination()
    }

    /// The address of one route of the contract.
    pub(crate) fn route(&self, path: &str) -> Result<Target, BadAddress> {
        let base = self.0.path().trim_end_matches('/');
        self.0
            .with_path(&format!("{base}{path}"))
            .map_err(|_| BadAddress::Malformed)
    }
}

/// Whether a host is this machine without asking a name server about it.
fn is_loopback(host: &str) -> bool {
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    match literal.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_http_then_only_this_machine_is_accepted() {
        for good in [
            "https://dashboard.example",
            "https://dashboard.example/team/",
            "http://localhost:9",
            "http://127.0.0.1:9/x",
            "http://127.8.8.8",
            "http://[::1]:9",
        ] {
            assert!(Address::parse(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("http://dashboard.example", BadAddress::NotSecure),
            ("http://localhost.dashboard.example", BadAddress::NotSecure),
            ("http://10.0.0.1", BadAddress::NotSecure),
            ("ftp://dashboard.example", BadAddress::NotSecure),
            ("https://user:pass@dashboard.example", BadAddress::Credentials),
            ("https://dashboard.example?token=x", BadAddress::Query),
            ("dashboard.example", BadAddress::Malformed),
            ("", BadAddress::Malformed),
        ] {
            assert_eq!(Address::parse(bad), Err(why), "{bad}");
        }
    }

    #[test]
    fn given_a_path_then_routes_are_below_it() {
        let address = Address::parse("https://dashboard.example/team/").unwrap();
        let route = address.route("/api/sync/scan").unwrap();
        assert_eq!(route.to_string(), "https://dashboard.example/team/api/sync/scan");
        assert_eq!(address.destination(), "dashboard.example:443");
    }
}
