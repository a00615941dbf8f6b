//! The planning assumptions of the cost estimate, read from a data file that is part of the program.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine_model::Severity;
use engine_regulation::Obligation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const TEXT: &str = include_str!("../../data/cost-assumptions.toml");

static ASSUMPTIONS: LazyLock<Assumptions> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the file is part of the program and a test reads it in full"
    )]
    engine_embed::from_toml(TEXT).expect("the assumptions fit their type")
});

/// The assumptions; read on first use and then shared.
pub(super) fn assumptions() -> &'static Assumptions {
    &ASSUMPTIONS
}

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostRole {
    /// Changes code, tests and technical descriptions.
    Developer,
    /// Writes documents and procedures and keeps the records.
    ComplianceOfficer,
    /// Reviews legal questions and contracts.
    LegalCounsel,
    /// Decides and approves.
    Management,
    /// Runs systems, logs, keys and alerts.
    SecurityOperations,
}

/// Low, likely and high hours of one role.
pub(super) type Hours = BTreeMap<CostRole, [f64; 3]>;

/// All assumptions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Assumptions {
    /// The notice about the numbers.
    pub(super) notice: String,
    /// The least share of the hours of a new document that an incomplete one takes.
    pub(super) document_share_min: f64,
    /// Numbers of the articles with one-off assessments and registrations.
    one_off_articles: Vec<String>,
    role: Vec<RoleRate>,
    document: Vec<DocumentHours>,
    kind: Vec<KindHours>,
    check: Vec<CheckHours>,
    severity: Vec<SeverityHours>,
}

/// The rate of a role.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoleRate {
    pub(super) id: CostRole,
    pub(super) title: String,
    pub(super) hourly_rate_eur: f64,
    pub(super) basis: String,
}

/// Whether work is done for each system or once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Per {
    /// For each system.
    System,
    /// Once for the organisation.
    Organisation,
}

/// The hours of a new document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentHours {
    pub(super) id: String,
    pub(super) per: Per,
    pub(super) hours: Hours,
    pub(super) basis: String,
}

/// Kinds of work on an obligation that no finding and no document describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WorkKind {
    /// A change of code.
    CodeChange,
    /// A procedure.
    Process,
    /// A document.
    Document,
    /// One assessment, registration or appointment.
    OneOff,
    /// A review of an obligation without evidence.
    Review,
}

/// The hours of a kind of work.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KindHours {
    id: WorkKind,
    pub(super) title: String,
    pub(super) per: Per,
    pub(super) hours: Hours,
    pub(super) basis: String,
}

/// The hours of the checks with a prefix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckHours {
    prefix: String,
    title: String,
    first: Hours,
    further: Hours,
    basis: String,
}

/// The hours of checks without a prefix in the data.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeverityHours {
    id: Severity,
    first: Hours,
    further: Hours,
    basis: String,
}

/// The hours of a finding.
#[derive(Clone, Copy, Debug)]
pub(super) struct FindingHours {
    /// What the hours are for.
    pub(super) title: &'static str,
    /// Of the first place of a check.
    pub(super) first: &'static Hours,
    /// Of each further place.
    pub(super) further: &'static Hours,
    pub(super) basis: &'static str,
}

impl Assumptions {
    pub(super) fn roles(&self) -> &[RoleRate] {
        &self.role
    }

    pub(super) fn document(&self, id: &str) -> Option<&DocumentHours> {
        self.document.iter().find(|document| document.id == id)
    }

    pub(super) fn kind(&self, kind: WorkKind) -> Option<&KindHours> {
        self.kind.iter().find(|entry| entry.id == kind)
    }

    /// The hours for a finding: of the longest prefix of its check, else of its severity.
    pub(super) fn finding(&'static self, check: &str, severity: Severity) -> Option<FindingHours> {
        let by_check = self
            .check
            .iter()
            .filter(|entry| check.starts_with(&entry.prefix))
            .max_by_key(|entry| entry.prefix.len())
            .map(|entry| FindingHours {
                title: &entry.title,
                first: &entry.first,
                further: &entry.further,
                basis: &entry.basis,
            });
        by_check.or_else(|| {
            let entry = self.severity.iter().find(|entry| entry.id == severity)?;
            Some(FindingHours {
                title: match severity {
                    Severity::Critical => "Critical finding",
                    Severity::High => "High-severity finding",
                    Severity::Medium => "Medium-severity finding",
                    Severity::Low => "Low-severity finding",
                    Severity::Info => "Informational finding",
                },
                first: &entry.first,
                further: &entry.further,
                basis: &entry.basis,
            })
        })
    }

    /// The kind of work that closes the gap of an obligation.
    pub(super) fn kind_of(&self, obligation: &Obligation) -> WorkKind {
        let checkable = obligation.checkable_by;
        if self.one_off_articles.contains(&obligation.article) {
            WorkKind::OneOff
        } else if checkable.code || checkable.dynamic {
            WorkKind::CodeChange
        } else if checkable.process {
            WorkKind::Process
        } else {
            WorkKind::Document
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use engine_regulation::regulation;

    use super::*;

    /// What every basis begins with: a reader must not take a number for a statistic.
    const MARK: &str = "Planning assumption, to be replaced with your own figures: ";

    fn every_hours(data: &Assumptions) -> Vec<(&str, &Hours, &str)> {
        let mut all: Vec<(&str, &Hours, &str)> = Vec::new();
        all.extend(
            data.document
                .iter()
                .map(|e| (e.id.as_str(), &e.hours, e.basis.as_str())),
        );
        all.extend(data.kind.iter().map(|e| (e.title.as_str(), &e.hours, e.basis.as_str())));
        for entry in &data.check {
            all.push((&entry.prefix, &entry.first, &entry.basis));
            all.push((&entry.prefix, &entry.further, &entry.basis));
        }
        for entry in &data.severity {
            all.push((entry.id.name(), &entry.first, &entry.basis));
            all.push((entry.id.name(), &entry.further, &entry.basis));
        }
        all
    }

    fn distinct<T: Ord>(ids: impl Iterator<Item = T>) -> usize {
        ids.collect::<BTreeSet<_>>().len()
    }

    #[test]
    fn every_assumption_is_complete_ordered_and_marked() {
        let data = assumptions();
        assert!(data.notice.contains("our own planning assumptions"));
        assert!((0.0..=1.0).contains(&data.document_share_min));
        for (id, hours, basis) in every_hours(data) {
            assert!(!hours.is_empty(), "{id}");
            assert!(
                basis.starts_with(MARK) && basis.ends_with('.') && basis.len() > MARK.len() + 5,
                "{id}: {basis}"
            );
            for [low, likely, high] in hours.values() {
                assert!(0.0 <= *low && low <= likely && likely <= high && *high <= 400.0, "{id}");
            }
        }
        for role in data.roles() {
            assert!(role.hourly_rate_eur > 0.0 && role.basis.starts_with(MARK) && !role.title.is_empty());
        }
        // A further place never takes longer than the first one.
        let pairs = data.check.iter().map(|e| (&e.first, &e.further));
        for (first, further) in pairs.chain(data.severity.iter().map(|e| (&e.first, &e.further))) {
            for (role, hours) in further {
                assert!(
                    first
                        .get(role)
                        .is_some_and(|first| (0..3).all(|i| hours[i] <= first[i])),
                    "{role:?}"
                );
            }
        }
    }

    #[test]
    fn every_document_kind_role_and_severity_is_listed_once() {
        let data = assumptions();
        let listed: Vec<&str> = data.document.iter().map(|entry| entry.id.as_str()).collect();
        let law: Vec<&str> = regulation().documents().iter().map(|d| d.id.as_str()).collect();
        assert_eq!(listed, law, "documents in the order of the law data");
        assert_eq!((data.role.len(), distinct(data.role.iter().map(|r| r.id))), (5, 5));
        assert_eq!(
            (data.severity.len(), distinct(data.severity.iter().map(|s| s.id))),
            (5, 5)
        );
        assert_eq!(distinct(data.check.iter().map(|c| &c.prefix)), data.check.len());
        for kind in [
            WorkKind::CodeChange,
            WorkKind::Process,
            WorkKind::Document,
            WorkKind::OneOff,
            WorkKind::Review,
        ] {
            assert_eq!(data.kind.iter().filter(|entry| entry.id == kind).count(), 1, "{kind:?}");
        }
        for article in &data.one_off_articles {
            assert!(
                regulation().obligations().iter().any(|o| o.article == *article),
                "{article}"
            );
        }
    }

    #[test]
    fn the_longest_prefix_gives_the_hours_and_else_the_severity() {
        let title = |check: &str| assumptions().finding(check, Severity::High).unwrap().title;
        assert_eq!(title("l3-retired-model"), "Change of model");
        assert_eq!(title("l3-missing-lockfile"), "Dependency or configuration");
        assert_eq!(title("l4-scraped-face-index"), "High-severity finding");
    }
}
