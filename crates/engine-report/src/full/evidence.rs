//! The state of the evidence chain, so that a reader can hold the report against it.

use engine_messages::{Counted, Key};
use engine_pdf::{Block, Fact, Qr};

use super::Page;
use super::cover::moment;

impl Page<'_> {
    pub(super) fn evidence_chain(&mut self) {
        let messages = self.messages;
        self.heading(1, messages.text(Key::EvidenceHeading));
        let Some(chain) = self.facts.evidence else {
            self.paragraph(messages.text(Key::EvidenceNone));
            return;
        };
        self.paragraph(messages.text(Key::EvidenceIntro));
        let text = |key| messages.text(key).to_owned();
        let mut facts = vec![
            Fact::new(
                text(Key::EvidenceEntries),
                messages.count(Counted::CountEntries, chain.entries),
            ),
            Fact::new(text(Key::EvidenceLast), moment(&chain.last_entry)),
            Fact::new(text(Key::EvidenceHash), chain.last_hash.clone()),
        ];
        if let Some(key) = &chain.key_id {
            facts.push(Fact::new(text(Key::EvidenceKey), key.clone()));
        }
        self.blocks.push(Block::Facts(facts));
        self.blocks.push(Block::Qr(Qr {
            text: chain.head.trim_end().to_owned(),
            caption: text(Key::EvidenceQr),
            alt: text(Key::EvidenceQr),
        }));
        self.paragraph(messages.text(Key::EvidenceCheck));
    }
}
