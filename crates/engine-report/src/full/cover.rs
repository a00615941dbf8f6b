//! Cover, running header and footer.

use engine_messages::Key;
use engine_pdf::{Contents, Cover, Document, Fact, Footer, Header, Words};

use super::Page;

/// Characters of a digest in the footer.
const DIGEST_CHARS: usize = 16;

impl Page<'_> {
    /// The document around the blocks.
    pub(super) fn document(self) -> Document {
        let messages = self.messages;
        let text = |key| messages.text(key).to_owned();
        let project = self.view.project.clone();
        let title_key = if self.is_short() {
            Key::ReportTitleShort
        } else {
            Key::ReportTitle
        };
        let title = messages.fill(title_key, &[("project", &project)]);
        let date = messages.date(self.scan.as_of);
        let subtitle = messages.fill(Key::ReportSubtitle, &[("date", &date)]);
        let organisation = self.facts.organisation.map(|name| self.line(name));
        let mut facts = vec![
            Fact::new(
                text(Key::ReportOrganisation),
                organisation
                    .clone()
                    .unwrap_or_else(|| text(Key::ReportOrganisationNone)),
            ),
            Fact::new(text(Key::ReportProject), project.clone()),
            Fact::new(text(Key::ReportAsOf), date.clone()),
            Fact::new(text(Key::ReportScanned), moment(&self.scan.scanned_at)),
            Fact::new(text(Key::ReportScan), self.line(&self.scan.id)),
            Fact::new(text(Key::ReportLaw), self.line(&self.scan.regulation_version)),
            Fact::new(text(Key::ReportEngine), self.line(&self.scan.engine_version)),
            Fact::new(text(Key::ReportDigest), self.facts.digest),
        ];
        if let Some(place) = self.facts.jurisdiction {
            let country = messages.country(&place.code).unwrap_or(&place.name).to_owned();
            facts.push(Fact::new(text(Key::ReportJurisdiction), country));
        }
        let version = self.line(&self.scan.regulation_version);
        let digest: String = self.facts.digest.chars().take(DIGEST_CHARS).collect();
        let footer = vec![
            date,
            messages.fill(Key::ReportFooterLaw, &[("version", &version)]),
            messages.fill(Key::ReportFooterDigest, &[("digest", &digest)]),
        ];
        Document {
            title,
            language: messages.language().code().to_owned(),
            author: organisation.unwrap_or_default(),
            subject: subtitle.clone(),
            created: self
                .scan
                .scanned_at
                .get(..10)
                .map_or_else(|| self.scan.as_of.to_string(), str::to_owned),
            header: Header {
                left: text(Key::ReportHeader),
                right: project,
            },
            footer: Footer { parts: footer },
            cover: Some(Cover {
                kicker: text(Key::ReportKicker),
                subtitle,
                facts,
                note: text(Key::ReportNote),
            }),
            contents: (!self.is_short()).then(|| Contents {
                title: text(Key::ReportContents),
                depth: 2,
            }),
            words: Words {
                page_of: text(Key::ReportPage),
                link_to: text(Key::ReportLinkTo),
                jump_to: text(Key::ReportJumpTo),
                line: text(Key::ReportLine),
                today: text(Key::ReportToday),
            },
            blocks: self.blocks,
        }
    }
}

/// A time to the minute: `2026-11-28 10:00 UTC`.
pub(super) fn moment(text: &str) -> String {
    match (text.get(..10), text.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => text.to_owned(),
    }
}
