//! The data files, read once into typed tables with their indexes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine_embed::{Packed, embed};
use jiff::civil::Date;
use serde::Deserialize;

use crate::articles::{Annex, Article};
use crate::documents::Document;
use crate::frameworks::{CrosswalkRow, Framework, FrameworkSummary};
use crate::jurisdictions::{Jurisdiction, lookup_key};
use crate::obligations::Obligation;
use crate::penalties::{Penalties, PenaltyTier};
use crate::risk::{
    AnnexIiiArea, AnnexIiiPoint, Article6Exemption, Article50Case, GpaiThresholds, ProhibitedPractice, RiskClassRecord,
    RiskTables,
};
use crate::sources::{Head, Source};
use crate::timeline::{DigitalOmnibus, Milestone, OpenReading, RegulationVersion, SupportingInstrument};

pub(crate) const OBLIGATIONS: Packed = embed!("../data/eu-ai-act/obligations.json");
pub(crate) const ARTICLES: Packed = embed!("../data/eu-ai-act/articles.json");
pub(crate) const PENALTIES: Packed = embed!("../data/eu-ai-act/penalties.json");
pub(crate) const RISK_CLASSES: Packed = embed!("../data/eu-ai-act/risk-classes.json");
pub(crate) const TIMELINE: Packed = embed!("../data/eu-ai-act/timeline.json");
pub(crate) const DOCUMENTS: Packed = embed!("../data/documents.json");
pub(crate) const FRAMEWORKS: Packed = embed!("../data/frameworks.json");
pub(crate) const JURISDICTIONS: Packed = embed!("../data/jurisdictions.json");

static REGULATION: LazyLock<Regulation> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the files are part of the program and a test reads every one of them"
    )]
    Regulation::read().expect("the data files of the law fit their types")
});

/// The law as the program knows it; read on first use and then shared.
pub fn regulation() -> &'static Regulation {
    &REGULATION
}

/// All tables of the law with lookups by id.
#[derive(Debug)]
pub struct Regulation {
    version: RegulationVersion,
    data_as_of: Date,
    notice: String,
    obligations: Vec<Obligation>,
    articles: Vec<Article>,
    annexes: Vec<Annex>,
    penalties: Penalties,
    risk: RiskTables,
    omnibus: DigitalOmnibus,
    milestones: Vec<Milestone>,
    open_readings: Vec<OpenReading>,
    supporting_instruments: Vec<SupportingInstrument>,
    documents: Vec<Document>,
    frameworks: Vec<Framework>,
    crosswalk: BTreeMap<String, CrosswalkRow>,
    jurisdictions: Vec<Jurisdiction>,
    sources: BTreeMap<String, Source>,
    obligation_index: BTreeMap<String, usize>,
    article_index: BTreeMap<String, usize>,
    document_index: BTreeMap<String, usize>,
    jurisdiction_index: BTreeMap<String, usize>,
}

impl Regulation {
    /// Which state of the Act the data describes.
    pub fn version(&self) -> &RegulationVersion {
        &self.version
    }

    /// The day the data was compiled.
    pub fn data_as_of(&self) -> Date {
        self.data_as_of
    }

    /// What the data is and is not; belongs on every report.
    pub fn notice(&self) -> &str {
        &self.notice
    }

    /// All obligations in the order of their ids.
    pub fn obligations(&self) -> &[Obligation] {
        &self.obligations
    }

    /// The obligation with this id, for example `OBL-094`.
    pub fn obligation(&self, id: &str) -> Option<&Obligation> {
        self.obligation_index.get(id).map(|&index| &self.obligations[index])
    }

    /// All articles in the order of the Act.
    pub fn articles(&self) -> &[Article] {
        &self.articles
    }

    /// The article with this number, for example `4a`.
    pub fn article(&self, number: &str) -> Option<&Article> {
        let number = number.trim().to_ascii_lowercase();
        self.article_index.get(&number).map(|&index| &self.articles[index])
    }

    /// All annexes in the order of the Act.
    pub fn annexes(&self) -> &[Annex] {
        &self.annexes
    }

    /// The annex with this Roman number, for example `III`.
    pub fn annex(&self, number: &str) -> Option<&Annex> {
        let number = number.trim().to_ascii_uppercase();
        self.annexes.iter().find(|annex| annex.number == number)
    }

    /// The fines and what surrounds them.
    pub fn penalties(&self) -> &Penalties {
        &self.penalties
    }

    /// The tier of fines with this id.
    pub fn penalty(&self, tier: &str) -> Option<&PenaltyTier> {
        self.penalties.tiers.iter().find(|candidate| candidate.id == tier)
    }

    /// All kinds of documents.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The kind of document with this id, for example `fria`.
    pub fn document(&self, id: &str) -> Option<&Document> {
        self.document_index.get(id).map(|&index| &self.documents[index])
    }

    /// All frameworks; the Act itself comes first and has the obligations as its controls.
    pub fn frameworks(&self) -> &[Framework] {
        &self.frameworks
    }

    /// The framework with this id, for example `iso-42001`.
    pub fn framework(&self, id: &str) -> Option<&Framework> {
        self.frameworks.iter().find(|framework| framework.id == id)
    }

    /// The frameworks as a list shows them; the Act counts its obligations as controls.
    pub fn framework_summaries(&self) -> Vec<FrameworkSummary> {
        let mut summaries: Vec<_> = self.frameworks.iter().map(Framework::summary).collect();
        for summary in summaries.iter_mut().filter(|summary| summary.id == ACT_FRAMEWORK) {
            summary.control_count = self.obligations.len();
        }
        summaries
    }

    /// Control ids related to an obligation, by framework id.
    pub fn crosswalk(&self, obligation_id: &str) -> Option<&BTreeMap<String, Vec<String>>> {
        self.crosswalk.get(obligation_id).map(|row| &row.controls)
    }

    /// All rows of the crosswalk, by obligation id.
    pub fn crosswalk_rows(&self) -> impl Iterator<Item = &CrosswalkRow> {
        self.crosswalk.values()
    }

    /// The obligations related to one control of a framework, in the order of their ids.
    pub fn obligations_for_control<'law>(
        &'law self,
        framework_id: &'law str,
        control_id: &'law str,
    ) -> impl Iterator<Item = &'law Obligation> {
        self.crosswalk_rows()
            .filter(move |row| {
                row.controls
                    .get(framework_id)
                    .is_some_and(|controls| controls.iter().any(|id| id == control_id))
            })
            .filter_map(|row| self.obligation(&row.obligation_id))
    }

    /// The thirty jurisdictions in the order of the data.
    pub fn jurisdictions(&self) -> &[Jurisdiction] {
        &self.jurisdictions
    }

    /// The jurisdiction with this code; case and surrounding space do not matter, and `EL` is `GR`.
    pub fn jurisdiction(&self, code: &str) -> Option<&Jurisdiction> {
        self.jurisdiction_index
            .get(&lookup_key(code))
            .map(|&index| &self.jurisdictions[index])
    }

    /// Everything on how a system or model gets its class.
    pub fn risk(&self) -> &RiskTables {
        &self.risk
    }

    /// The classes of risk with their rank.
    pub fn risk_classes(&self) -> &[RiskClassRecord] {
        &self.risk.classes
    }

    /// The practices banned by Art. 5.
    pub fn prohibited_practices(&self) -> &[ProhibitedPractice] {
        &self.risk.prohibited
    }

    /// The areas of Annex III with their points.
    pub fn annex_iii_areas(&self) -> &[AnnexIiiArea] {
        &self.risk.annex_iii
    }

    /// The point of Annex III with this id, for example `ANNEX-III-4a`, and its area.
    pub fn annex_iii_point(&self, id: &str) -> Option<(&AnnexIiiArea, &AnnexIiiPoint)> {
        self.risk.annex_iii.iter().find_map(|area| {
            area.points
                .iter()
                .find(|point| point.id == id)
                .map(|point| (area, point))
        })
    }

    /// The cases of Art. 50.
    pub fn article_50_cases(&self) -> &[Article50Case] {
        &self.risk.article_50_cases
    }

    /// The exemption of Art. 6(3).
    pub fn article_6_3(&self) -> &Article6Exemption {
        &self.risk.article_6_3
    }

    /// Thresholds for general-purpose AI models.
    pub fn gpai_thresholds(&self) -> &GpaiThresholds {
        &self.risk.gpai
    }

    /// All milestones, by date and then by id.
    pub fn timeline(&self) -> &[Milestone] {
        &self.milestones
    }

    /// The milestones after a day, the next one first.
    pub fn milestones_after(&self, as_of: Date) -> &[Milestone] {
        let first = self.milestones.partition_point(|milestone| milestone.date <= as_of);
        &self.milestones[first..]
    }

    /// The dates of the Act itself that lie after a day, without voluntary, administrative and foreign ones.
    pub fn upcoming(&self, as_of: Date) -> impl Iterator<Item = &Milestone> {
        self.milestones_after(as_of)
            .iter()
            .filter(|milestone| milestone.legal_status.is_law_of_the_act())
    }

    /// Questions of interpretation on which readers differ, with the reading used here.
    pub fn open_readings(&self) -> &[OpenReading] {
        &self.open_readings
    }

    /// Guidelines, codes, standards and templates.
    pub fn supporting_instruments(&self) -> &[SupportingInstrument] {
        &self.supporting_instruments
    }

    /// The amending act and what it changed.
    pub fn digital_omnibus(&self) -> &DigitalOmnibus {
        &self.omnibus
    }

    /// The source with this id.
    pub fn source(&self, id: &str) -> Option<&Source> {
        self.sources.get(id)
    }

    /// All sources, by id.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.values()
    }

    fn read() -> serde_json::Result<Self> {
        let obligations: ObligationsFile = serde_json::from_str(&OBLIGATIONS.text())?;
        let articles: ArticlesFile = serde_json::from_str(&ARTICLES.text())?;
        let penalties: Penalties = serde_json::from_str(&PENALTIES.text())?;
        let risk: RiskTables = serde_json::from_str(&RISK_CLASSES.text())?;
        let timeline: TimelineFile = serde_json::from_str(&TIMELINE.text())?;
        let documents: DocumentsFile = serde_json::from_str(&DOCUMENTS.text())?;
        let frameworks: FrameworksFile = serde_json::from_str(&FRAMEWORKS.text())?;
        let jurisdictions: JurisdictionsFile = serde_json::from_str(&JURISDICTIONS.text())?;

        let mut sources = BTreeMap::new();
        for head in [
            &obligations.meta,
            &articles.meta,
            &penalties.meta,
            &risk.meta,
            &timeline.meta,
            &documents.meta,
            &frameworks.meta,
            &jurisdictions.meta,
        ] {
            for source in &head.sources {
                sources.entry(source.id.clone()).or_insert_with(|| source.clone());
            }
        }
        let mut milestones = timeline.milestones;
        milestones.sort_by(|a, b| (a.date, &a.id).cmp(&(b.date, &b.id)));

        Ok(Self {
            version: timeline.regulation_version,
            data_as_of: timeline.meta.as_of,
            notice: timeline.meta.notice,
            obligation_index: index(&obligations.obligations, |obligation| &obligation.id),
            article_index: index(&articles.articles, |article| &article.number),
            document_index: index(&documents.documents, |document| &document.id),
            jurisdiction_index: index(&jurisdictions.jurisdictions, |jurisdiction| &jurisdiction.code),
            obligations: obligations.obligations,
            articles: articles.articles,
            annexes: articles.annexes,
            penalties,
            risk,
            omnibus: timeline.digital_omnibus_on_ai,
            milestones,
            open_readings: timeline.open_readings,
            supporting_instruments: timeline.supporting_instruments,
            documents: documents.documents,
            frameworks: frameworks.frameworks,
            crosswalk: frameworks
                .crosswalk
                .into_iter()
                .map(|row| (row.obligation_id.clone(), row))
                .collect(),
            jurisdictions: jurisdictions.jurisdictions,
            sources,
        })
    }
}

/// The framework entry that stands for the Act.
const ACT_FRAMEWORK: &str = "eu-ai-act";

fn index<T>(rows: &[T], key: impl Fn(&T) -> &String) -> BTreeMap<String, usize> {
    rows.iter()
        .enumerate()
        .map(|(position, row)| (key(row).clone(), position))
        .collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObligationsFile {
    meta: Head,
    obligations: Vec<Obligation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArticlesFile {
    meta: Head,
    articles: Vec<Article>,
    annexes: Vec<Annex>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimelineFile {
    meta: Head,
    regulation_version: RegulationVersion,
    digital_omnibus_on_ai: DigitalOmnibus,
    milestones: Vec<Milestone>,
    open_readings: Vec<OpenReading>,
    supporting_instruments: Vec<SupportingInstrument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentsFile {
    meta: Head,
    documents: Vec<Document>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameworksFile {
    meta: Head,
    frameworks: Vec<Framework>,
    crosswalk: Vec<CrosswalkRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JurisdictionsFile {
    meta: Head,
    jurisdictions: Vec<Jurisdiction>,
}
