//! The authorities of a member state, with the state of their designation.

use engine_messages::Key;
use engine_pdf::{Block, Cell, Column, Row, Span, Table};
use engine_regulation::{Authority, Designation};

use super::Page;

impl Page<'_> {
    pub(super) fn authorities(&mut self) {
        let Some(place) = self.facts.jurisdiction else { return };
        let messages = self.messages;
        let country = messages.country(&place.code).unwrap_or(&place.name);
        self.heading(1, messages.fill(Key::PlaceHeading, &[("country", country)]));
        let status = messages.text(match place.status.value {
            Designation::DesignatedInLaw => Key::PlaceStatusLaw,
            Designation::Designated => Key::PlaceStatusDesignated,
            Designation::Announced => Key::PlaceStatusAnnounced,
            Designation::Pending => Key::PlaceStatusPending,
        });
        let mut rows: Vec<(Key, Vec<Span>)> = Vec::new();
        if place.market_surveillance_authorities.is_empty() {
            let none = messages.text(Key::PlaceAuthorityNone);
            rows.push((Key::PlaceAuthority, vec![Span::text(none)]));
        }
        for authority in &place.market_surveillance_authorities {
            rows.push((Key::PlaceAuthority, named(authority)));
        }
        if let Some(contact) = &place.contact {
            rows.push((Key::PlaceContact, vec![Span::text(contact.clone())]));
        }
        for (key, authority) in [
            (Key::PlaceNotifying, &place.notifying_authority),
            (Key::PlaceSingle, &place.single_point_of_contact),
        ] {
            if let Some(authority) = authority {
                rows.push((key, named(authority)));
            }
        }
        rows.push((Key::PlaceDataProtection, named(&place.data_protection_authority)));
        if let Some(sandbox) = &place.sandbox {
            rows.push((
                Key::PlaceSandbox,
                vec![Span::text(format!("{} ({})", sandbox.name, sandbox.state))],
            ));
        }
        let law = place
            .status
            .law
            .as_ref()
            .map_or_else(String::new, |law| format!(": {law}"));
        rows.push((Key::PlaceStatus, vec![Span::text(format!("{status}{law}"))]));
        rows.push((Key::PlaceLanguages, vec![Span::text(place.languages.join(", "))]));
        self.blocks.push(Block::Table(Table {
            caption: String::new(),
            columns: vec![Column::left(2.4), Column::left(6.0)],
            header: vec![messages.text(Key::ReportJurisdiction).to_owned(), country.to_owned()],
            rows: rows
                .into_iter()
                .map(|(key, spans)| Row::from(vec![Cell::text(messages.text(key)), Cell::spans(spans)]))
                .collect(),
            row_headers: true,
        }));
        let languages = place.languages.join(", ");
        let note = messages.fill(Key::PlaceLanguageNote, &[("languages", &languages)]);
        self.paragraph(&note);
        let source = messages.fill(Key::PlaceSource, &[("date", &place.status.latest_source_date)]);
        self.paragraph(&source);
    }
}

/// An authority with its addresses.
fn named(authority: &Authority) -> Vec<Span> {
    let mut spans = vec![Span::text(authority.name.clone())];
    if let Some(role) = &authority.role {
        spans.push(Span::text(format!(" ({role})")));
    }
    if let Some(email) = &authority.contact_email {
        spans.push(Span::text(format!(", {email}")));
    }
    if let Some(website) = &authority.website {
        spans.push(Span::text(", "));
        spans.push(Span::link(website.clone(), website.clone()));
    }
    spans
}
