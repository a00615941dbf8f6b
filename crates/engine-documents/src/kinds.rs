//! The documents, each with its template.

use std::sync::LazyLock;

use engine_messages::Messages;
use engine_regulation::{Document, DocumentSection, regulation};

use crate::template::Template;

/// The templates, in the order of the law data.
pub(crate) const TEMPLATES: &[(&str, &str)] = &[
    ("fria", include_str!("../templates/fria.toml")),
    (
        "tech-documentation",
        include_str!("../templates/tech-documentation.toml"),
    ),
    (
        "declaration-of-conformity",
        include_str!("../templates/declaration-of-conformity.toml"),
    ),
    (
        "instructions-for-use",
        include_str!("../templates/instructions-for-use.toml"),
    ),
    (
        "risk-management-file",
        include_str!("../templates/risk-management-file.toml"),
    ),
    ("risk-register", include_str!("../templates/risk-register.toml")),
    ("data-governance", include_str!("../templates/data-governance.toml")),
    (
        "bias-processing-record",
        include_str!("../templates/bias-processing-record.toml"),
    ),
    ("qms", include_str!("../templates/qms.toml")),
    (
        "human-oversight-plan",
        include_str!("../templates/human-oversight-plan.toml"),
    ),
    (
        "log-retention-spec",
        include_str!("../templates/log-retention-spec.toml"),
    ),
    (
        "worker-notification",
        include_str!("../templates/worker-notification.toml"),
    ),
    (
        "affected-person-notice",
        include_str!("../templates/affected-person-notice.toml"),
    ),
    (
        "explanation-procedure",
        include_str!("../templates/explanation-procedure.toml"),
    ),
    (
        "post-market-monitoring-plan",
        include_str!("../templates/post-market-monitoring-plan.toml"),
    ),
    ("incident-report", include_str!("../templates/incident-report.toml")),
    (
        "corrective-action-record",
        include_str!("../templates/corrective-action-record.toml"),
    ),
    (
        "registration-dossier",
        include_str!("../templates/registration-dossier.toml"),
    ),
    (
        "classification-assessment",
        include_str!("../templates/classification-assessment.toml"),
    ),
    ("art5-screening", include_str!("../templates/art5-screening.toml")),
    (
        "ai-literacy-record",
        include_str!("../templates/ai-literacy-record.toml"),
    ),
    (
        "transparency-notice",
        include_str!("../templates/transparency-notice.toml"),
    ),
    (
        "content-marking-spec",
        include_str!("../templates/content-marking-spec.toml"),
    ),
    (
        "gpai-technical-documentation",
        include_str!("../templates/gpai-technical-documentation.toml"),
    ),
    (
        "gpai-downstream-information",
        include_str!("../templates/gpai-downstream-information.toml"),
    ),
    (
        "gpai-training-summary",
        include_str!("../templates/gpai-training-summary.toml"),
    ),
    (
        "gpai-copyright-policy",
        include_str!("../templates/gpai-copyright-policy.toml"),
    ),
    (
        "gpai-systemic-risk-file",
        include_str!("../templates/gpai-systemic-risk-file.toml"),
    ),
    (
        "representative-mandate",
        include_str!("../templates/representative-mandate.toml"),
    ),
    (
        "value-chain-agreement",
        include_str!("../templates/value-chain-agreement.toml"),
    ),
    (
        "distribution-check-record",
        include_str!("../templates/distribution-check-record.toml"),
    ),
    (
        "biometric-use-record",
        include_str!("../templates/biometric-use-record.toml"),
    ),
    (
        "real-world-testing-plan",
        include_str!("../templates/real-world-testing-plan.toml"),
    ),
    ("dpia-link", include_str!("../templates/dpia-link.toml")),
    ("ai-usage-policy", include_str!("../templates/ai-usage-policy.toml")),
    (
        "statement-of-applicability",
        include_str!("../templates/statement-of-applicability.toml"),
    ),
];

/// A kind of document.
#[derive(Debug)]
pub struct Kind {
    /// Its record in the law data.
    pub document: &'static Document,
    /// Its template.
    pub template: Template,
}

impl Kind {
    /// Its id.
    pub fn id(&self) -> &'static str {
        &self.document.id
    }

    /// Its title.
    pub fn title(&self) -> &'static str {
        &self.document.title
    }

    /// Its title in a language.
    pub fn title_in<'m>(&self, messages: &'m Messages) -> &'m str {
        messages.document_title(self.id()).unwrap_or(self.title())
    }

    /// The title of one of its sections in a language.
    pub(crate) fn section_title<'m>(&self, section: &'m DocumentSection, messages: &'m Messages) -> &'m str {
        messages
            .section_title(self.id(), &section.key)
            .unwrap_or(&section.title)
    }

    /// The section of a heading: by its mark, else by its title in any language.
    pub(crate) fn section_of(&self, mark: Option<&str>, heading: &str) -> Option<&'static DocumentSection> {
        let mut sections = self.document.sections.iter();
        if let Some(known) = mark.and_then(|key| sections.find(|section| section.key == key)) {
            return Some(known);
        }
        self.document.sections.iter().find(|section| {
            engine_messages::Language::ALL
                .iter()
                .any(|language| self.section_title(section, Messages::of(*language)) == heading)
        })
    }
}

/// Every kind, in the order of the law data.
pub fn kinds() -> &'static [Kind] {
    static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
        TEMPLATES
            .iter()
            .filter_map(|(id, text)| {
                let document = regulation().document(id)?;
                #[expect(
                    clippy::expect_used,
                    reason = "the templates are part of the program and are parsed in a test"
                )]
                let template = Template::parse(text, document).expect("the template is valid");
                Some(Kind { document, template })
            })
            .collect()
    });
    &KINDS
}

/// The kind with an id.
pub fn kind(id: &str) -> Option<&'static Kind> {
    kinds().iter().find(|kind| kind.id() == id)
}
