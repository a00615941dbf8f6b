//! Interfaces that providers switch off, whatever model is asked over them.

use serde::Deserialize;

use crate::{Origin, glob};

/// An interface that its provider has switched off, or will.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// What the provider calls it.
    pub title: String,
    /// Whose it is; the same interface in a cloud has days of its own.
    pub provider: String,
    /// The day from which it answers no more.
    pub ended: String,
    /// Whether that is only the day by which it was seen to be gone: its provider names none.
    #[serde(default)]
    pub at_latest: bool,
    /// What took its place.
    pub instead: String,
    /// Paths of calls that go over it.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// Hosts that served it alone.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// A path or host that must be recognised.
    pub example: String,
    /// One that must not be.
    pub near: String,
    /// The page that names the day.
    pub page: String,
    /// The day on which the page was read.
    pub read: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InterfaceFile {
    source: String,
    as_of: String,
    interface: Vec<Interface>,
}

#[derive(Debug)]
pub(crate) struct Interfaces {
    origin: Origin,
    rows: Vec<Interface>,
}

impl Interfaces {
    pub(crate) fn load() -> Self {
        let file: InterfaceFile = crate::parse("interfaces.toml", engine_embed::embed!("../data/interfaces.toml"));
        let origin = Origin {
            file: "interfaces.toml",
            source: file.source,
            as_of: file.as_of,
        };
        Self {
            origin,
            rows: file.interface,
        }
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) fn find(&self, provider: &str, symbol: &str, host: Option<&str>) -> Option<&Interface> {
        self.rows.iter().find(|row| {
            let symbol = || {
                let mut patterns = row.symbols.iter();
                patterns.any(|pattern| glob::matches(pattern, symbol, |_| true))
            };
            let host = || host.is_some_and(|host| row.hosts.iter().any(|known| known == host));
            row.provider == provider && (symbol() || host())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Interfaces;

    #[test]
    fn each_row_knows_its_example_and_not_what_is_near() {
        let interfaces = Interfaces::load();
        assert!(!interfaces.rows.is_empty());
        for row in &interfaces.rows {
            let find = |provider: &str, what: &str| {
                if row.hosts.is_empty() {
                    interfaces.find(provider, what, None)
                } else {
                    interfaces.find(provider, "requests.post", Some(what))
                }
            };
            assert_eq!(find(&row.provider, &row.example), Some(row));
            assert_eq!(find(&row.provider, &row.near), None);
            assert_eq!(find("azure-openai", &row.example), None);
            assert!(!row.symbols.is_empty() || !row.hosts.is_empty(), "{row:?}");
            let day = |text: &str| text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
            assert!(day(&row.ended) && day(&row.read), "{row:?}");
            assert!(row.page.starts_with("https://"), "{row:?}");
        }
    }
}
