//! The thirty states of the Union and the EEA with their authorities under the Act.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::Confidence;

/// A state and its authorities, as known on the day of the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Jurisdiction {
    /// ISO 3166-1 code of two letters; Greece is `GR`.
    pub code: String,
    /// Name in English.
    pub name: String,
    /// `EU` or `EEA_EFTA`.
    pub membership: String,
    /// Official languages as ISO 639-1 codes, the main one first.
    pub languages: Vec<String>,
    /// Market surveillance authorities, the leading one first.
    pub market_surveillance_authorities: Vec<Authority>,
    /// The notifying authority, where one is known.
    pub notifying_authority: Option<Authority>,
    /// The single point of contact, where one is known.
    pub single_point_of_contact: Option<Authority>,
    /// Bodies that protect fundamental rights (Art. 77).
    pub fundamental_rights_bodies: FundamentalRightsBodies,
    /// The data protection authority.
    pub data_protection_authority: Authority,
    /// A regulatory sandbox, where one is known.
    pub sandbox: Option<Sandbox>,
    /// How far the state is with naming its authorities, with sources and date.
    pub status: DesignationStatus,
    /// A remark on the state.
    pub note: Option<String>,
}

impl Jurisdiction {
    /// The authority to name first: the leading market surveillance authority, else the single point of contact.
    pub fn lead_authority(&self) -> Option<&Authority> {
        self.market_surveillance_authorities
            .first()
            .or(self.single_point_of_contact.as_ref())
    }

    /// The record as it is served: the short fields of the interface first, then everything in the data.
    pub fn record(&self) -> JurisdictionRecord {
        let lead = self.lead_authority();
        let contact = self
            .single_point_of_contact
            .iter()
            .chain(lead)
            .find_map(|authority| authority.contact_email.clone().or_else(|| authority.website.clone()));
        JurisdictionRecord {
            authority: lead.map(|authority| authority.name.clone()),
            contact,
            language: self.languages.first().cloned().unwrap_or_default(),
            code: self.code.clone(),
            name: self.name.clone(),
            membership: self.membership.clone(),
            languages: self.languages.clone(),
            market_surveillance_authorities: self.market_surveillance_authorities.clone(),
            notifying_authority: self.notifying_authority.clone(),
            single_point_of_contact: self.single_point_of_contact.clone(),
            fundamental_rights_bodies: self.fundamental_rights_bodies.clone(),
            data_protection_authority: self.data_protection_authority.clone(),
            sandbox: self.sandbox.clone(),
            status: self.status.clone(),
            note: self.note.clone(),
        }
    }
}

/// A jurisdiction as it is served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JurisdictionRecord {
    /// ISO code of two letters.
    pub code: String,
    /// Name in English.
    pub name: String,
    /// Name of the leading authority, where one is known.
    pub authority: Option<String>,
    /// E-mail address, else web address, of the point of contact or the leading authority.
    pub contact: Option<String>,
    /// Main official language as an ISO 639-1 code.
    pub language: String,
    /// `EU` or `EEA_EFTA`.
    pub membership: String,
    /// All official languages.
    pub languages: Vec<String>,
    /// Market surveillance authorities, the leading one first.
    pub market_surveillance_authorities: Vec<Authority>,
    /// The notifying authority, where one is known.
    pub notifying_authority: Option<Authority>,
    /// The single point of contact, where one is known.
    pub single_point_of_contact: Option<Authority>,
    /// Bodies that protect fundamental rights.
    pub fundamental_rights_bodies: FundamentalRightsBodies,
    /// The data protection authority.
    pub data_protection_authority: Authority,
    /// A regulatory sandbox, where one is known.
    pub sandbox: Option<Sandbox>,
    /// How far the state is with naming its authorities, with sources and date.
    pub status: DesignationStatus,
    /// A remark on the state.
    pub note: Option<String>,
}

/// An authority and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Authority {
    /// Name in its own language or in English.
    pub name: String,
    /// Web address.
    pub website: Option<String>,
    /// General office address.
    pub contact_email: Option<String>,
    /// How sure the contact is.
    pub contact_confidence: Option<Confidence>,
    /// What it is in charge of.
    pub role: Option<String>,
}

/// The bodies of Art. 77 as far as a list is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FundamentalRightsBodies {
    /// How many there are, where a source says so.
    pub count: Option<u32>,
    /// Their names, where known.
    pub names: Vec<String>,
    /// Id of the source.
    pub source: Option<String>,
}

/// A regulatory sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// Name.
    pub name: String,
    /// Its current state.
    pub state: String,
    /// Id of the source.
    pub source: String,
}

/// How far a state is with naming its authorities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignationStatus {
    /// The stage reached.
    pub value: Designation,
    /// The national act, where there is one.
    pub law: Option<String>,
    /// Its entry into force, where known.
    pub law_in_force: Option<Date>,
    /// Ids of sources.
    pub sources: Vec<String>,
    /// Date of the newest source, as exact as it is known.
    pub latest_source_date: String,
    /// How sure the record is.
    pub confidence: Confidence,
}

/// The stage of the designation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Designation {
    /// A national act or decree names the authorities.
    DesignatedInLaw,
    /// Named by the government or notified; the law is not confirmed.
    Designated,
    /// Proposed, drafted or expected.
    Announced,
    /// No authority is known.
    Pending,
}

/// The key under which a code is looked up: trimmed, upper case, with the Union's `EL` read as `GR`.
pub(crate) fn lookup_key(code: &str) -> String {
    let key = code.trim().to_ascii_uppercase();
    if key == "EL" { "GR".to_owned() } else { key }
}
