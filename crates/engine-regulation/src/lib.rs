//! The law as dated, sourced data with typed lookups and a law-by-date query.
//!
//! [`regulation`] gives the tables; [`LawQuery`] says which obligations bind whom on which day, which are to come, and
//! why. The crate holds facts about the law and no facts about any project; it reads no file and no clock.

mod articles;
mod conditions;
mod data;
mod documents;
mod evaluate;
mod facts;
mod frameworks;
mod jurisdictions;
mod known;
mod obligations;
mod penalties;
mod query;
mod references;
mod risk;
mod routes;
mod sources;
mod span;
mod special;
mod timeline;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use articles::{Annex, Article};
pub use conditions::Condition;
pub use data::{Regulation, regulation};
pub use documents::{Document, DocumentKind, DocumentSection};
pub use facts::{Exclusion, Fact, RiskFacts, RoleFacts, ScopeFacts, TransparencyCase};
pub use frameworks::{Control, CrosswalkRow, Framework, FrameworkSummary};
pub use jurisdictions::{
    Authority, Designation, DesignationStatus, FundamentalRightsBodies, Jurisdiction, JurisdictionRecord, Sandbox,
};
pub use known::Known;
pub use obligations::{CheckableBy, Evidence, Obligation};
pub use penalties::{Limitation, Penalties, PenaltyTier, SettingFactor, SizeDefinitions};
pub use query::{Applies, DatedObligation, LawQuery, Start};
pub use references::{ArticleRef, ParseArticleRefError, Provision, cited};
pub use risk::{
    AnnexIAct, AnnexIiiArea, AnnexIiiPoint, Article6Exemption, Article6ProductTest, Article50Case, Article50Exception,
    ExemptionCondition, GpaiThresholds, ProhibitedPractice, RiskClassRecord, RiskTables, SpecialRule,
};
pub use routes::annex_iii_points;
pub use sources::Source;
pub use timeline::{
    DigitalOmnibus, LegalStatus, Milestone, OmnibusChange, OpenReading, ProcedureStep, RegulationVersion,
    SupportingInstrument,
};
pub use vocabulary::{ApplicationStatus, Confidence, RiskClass, Role, Route, Severity};
