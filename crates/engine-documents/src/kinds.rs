//! The documents, each with its template.

use std::sync::LazyLock;

use engine_embed::{Packed, embed};
use engine_messages::Messages;
use engine_regulation::{Document, DocumentSection, regulation};

use crate::template::Template;

/// The templates, in the order of the law data.
pub(crate) const TEMPLATES: &[(&str, Packed)] = &[
    ("fria", embed!("../templates/fria.toml")),
    ("tech-documentation", embed!("../templates/tech-documentation.toml")),
    (
        "declaration-of-conformity",
        embed!("../templates/declaration-of-conformity.toml"),
    ),
    ("instructions-for-use", embed!("../templates/instructions-for-use.toml")),
    ("risk-management-file", embed!("../templates/risk-management-file.toml")),
    ("risk-register", embed!("../templates/risk-register.toml")),
    ("data-governance", embed!("../templates/data-governance.toml")),
    (
        "bias-processing-record",
        embed!("../templates/bias-processing-record.toml"),
    ),
    ("qms", embed!("../templates/qms.toml")),
    ("human-oversight-plan", embed!("../templates/human-oversight-plan.toml")),
    ("log-retention-spec", embed!("../templates/log-retention-spec.toml")),
    ("worker-notification", embed!("../templates/worker-notification.toml")),
    (
        "affected-person-notice",
        embed!("../templates/affected-person-notice.toml"),
    ),
    (
        "explanation-procedure",
        embed!("../templates/explanation-procedure.toml"),
    ),
    (
        "post-market-monitoring-plan",
        embed!("../templates/post-market-monitoring-plan.toml"),
    ),
    ("incident-report", embed!("../templates/incident-report.toml")),
    (
        "corrective-action-record",
        embed!("../templates/corrective-action-record.toml"),
    ),
    ("registration-dossier", embed!("../templates/registration-dossier.toml")),
    (
        "classification-assessment",
        embed!("../templates/classification-assessment.toml"),
    ),
    ("art5-screening", embed!("../templates/art5-screening.toml")),
    ("ai-literacy-record", embed!("../templates/ai-literacy-record.toml")),
    ("transparency-notice", embed!("../templates/transparency-notice.toml")),
    ("content-marking-spec", embed!("../templates/content-marking-spec.toml")),
    (
        "gpai-technical-documentation",
        embed!("../templates/gpai-technical-documentation.toml"),
    ),
    (
        "gpai-downstream-information",
        embed!("../templates/gpai-downstream-information.toml"),
    ),
    (
        "gpai-training-summary",
        embed!("../templates/gpai-training-summary.toml"),
    ),
    (
        "gpai-copyright-policy",
        embed!("../templates/gpai-copyright-policy.toml"),
    ),
    (
        "gpai-systemic-risk-file",
        embed!("../templates/gpai-systemic-risk-file.toml"),
    ),
    (
        "representative-mandate",
        embed!("../templates/representative-mandate.toml"),
    ),
    (
        "value-chain-agreement",
        embed!("../templates/value-chain-agreement.toml"),
    ),
    (
        "distribution-check-record",
        embed!("../templates/distribution-check-record.toml"),
    ),
    ("biometric-use-record", embed!("../templates/biometric-use-record.toml")),
    (
        "real-world-testing-plan",
        embed!("../templates/real-world-testing-plan.toml"),
    ),
    ("dpia-link", embed!("../templates/dpia-link.toml")),
    ("ai-usage-policy", embed!("../templates/ai-usage-policy.toml")),
    (
        "statement-of-applicability",
        embed!("../templates/statement-of-applicability.toml"),
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
            .filter_map(|(id, packed)| {
                let document = regulation().document(id)?;
                #[expect(
                    clippy::expect_used,
                    reason = "the templates are part of the program and are parsed in a test"
                )]
                let template = Template::parse(&packed.text(), document).expect("the template is valid");
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
