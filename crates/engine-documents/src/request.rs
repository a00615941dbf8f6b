//! What a caller states with the request for a document.

use std::collections::BTreeMap;

use engine_messages::Language;
use engine_model::Date;
use serde::{Deserialize, Serialize};

use crate::names::names;

names! {
    /// A field of a request that answers a question.
    RequestField {
        /// The organisation that makes the document.
        Organization => "organization";
        /// Who carried out the assessment.
        Assessor => "assessor";
        /// The impact on people.
        Impact => "impact";
        /// The measures against harm.
        Mitigation => "mitigation";
        /// Who approves the document.
        Approval => "approval";
        /// The employer.
        CompanyName => "companyName";
        /// The person to contact.
        ContactName => "contactName";
        /// The address to contact.
        ContactEmail => "contactEmail";
        /// The day on which use begins.
        DeploymentDate => "deploymentDate";
        /// The roles of the affected workers.
        AffectedRoles => "affectedRoles";
        /// The impact on workers.
        ImpactDescription => "impactDescription";
        /// Who approves the policy.
        Approver => "approver";
    }
}

impl RequestField {
    /// The fields that the request for a document can have.
    pub fn of_document(id: &str) -> &'static [Self] {
        match id {
            "fria" => &[
                Self::Organization,
                Self::Assessor,
                Self::Impact,
                Self::Mitigation,
                Self::Approval,
            ],
            "worker-notification" => &[
                Self::Organization,
                Self::CompanyName,
                Self::ContactName,
                Self::ContactEmail,
                Self::DeploymentDate,
                Self::AffectedRoles,
                Self::ImpactDescription,
            ],
            "ai-usage-policy" => &[Self::Organization, Self::Approver],
            _ => &[Self::Organization],
        }
    }
}

names! {
    /// The industry of a policy: the five of the interface and the other areas of Annex III.
    Industry {
        /// Employment and management of workers (Annex III point 4).
        Hr => "hr";
        /// Credit and insurance (Annex III point 5(b) and (c)).
        Finance => "finance";
        /// Health care (Annex I, and Annex III point 5(d)).
        Healthcare => "healthcare";
        /// Education and vocational training (Annex III point 3).
        Education => "education";
        /// Legal services.
        Legal => "legal";
        /// Biometrics (Annex III point 1).
        Biometrics => "biometrics";
        /// Critical infrastructure (Annex III point 2).
        Infrastructure => "infrastructure";
        /// Public benefits and services (Annex III point 5(a)).
        Benefits => "benefits";
        /// Law enforcement (Annex III point 6).
        LawEnforcement => "law-enforcement";
        /// Migration, asylum and border control (Annex III point 7).
        Migration => "migration";
        /// Administration of justice (Annex III point 8).
        Justice => "justice";
    }
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The words.
    pub text: String,
    /// When they were stated.
    pub on: Date,
}

/// What callers state, now and earlier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// Statements by field.
    pub fields: BTreeMap<RequestField, Statement>,
    /// The industry of a policy.
    pub industry: Option<Industry>,
    /// The language of headings and fixed labels; English without one.
    pub language: Option<Language>,
}

impl Request {
    /// Adds a statement; a blank one states nothing.
    pub fn state(&mut self, field: RequestField, text: Option<&str>, on: Date) {
        if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
            self.fields.insert(
                field,
                Statement {
                    text: text.to_owned(),
                    on,
                },
            );
        }
    }

    /// These statements, and the earlier ones where nothing new is stated. The same words keep their earlier date.
    #[must_use]
    pub fn over(self, earlier: &Self) -> Self {
        let mut fields = earlier.fields.clone();
        for (field, statement) in self.fields {
            let known = fields.get(&field).is_some_and(|known| known.text == statement.text);
            if !known {
                fields.insert(field, statement);
            }
        }
        Self {
            fields,
            industry: self.industry.or(earlier.industry),
            language: self.language.or(earlier.language),
        }
    }

    /// The statement of a field, where there is one.
    pub(crate) fn get(&self, field: RequestField) -> Option<&Statement> {
        self.fields.get(&field)
    }

    /// The name of the organisation, under either of its fields.
    pub(crate) fn organization(&self) -> Option<(RequestField, &Statement)> {
        [RequestField::Organization, RequestField::CompanyName]
            .into_iter()
            .find_map(|field| Some((field, self.get(field)?)))
    }
}
