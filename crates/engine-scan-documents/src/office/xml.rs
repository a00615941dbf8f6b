//! XML events of a part. Document types are refused and entities beyond the five of XML are left out: nothing is expanded.

use quick_xml::events::{BytesRef, BytesStart, Event};

use super::DEPTH_MAX;
use crate::facts::Unread;

/// Reads events and watches the depth.
pub(crate) struct Reader<'a> {
    inner: quick_xml::Reader<&'a [u8]>,
    depth: usize,
    stopped: Option<Unread>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            inner: quick_xml::Reader::from_str(text),
            depth: 0,
            stopped: None,
        }
    }

    /// The next event; `None` at the end and where the reading stops.
    pub(crate) fn next(&mut self) -> Option<Event<'a>> {
        let Ok(event) = self.inner.read_event() else {
            self.stopped = Some(Unread::Damaged);
            return None;
        };
        match event {
            Event::Eof => {
                if self.depth > 0 {
                    self.stopped = Some(Unread::Damaged);
                }
                return None;
            }
            // The packages of Word have no document type.
            Event::DocType(_) => {
                self.stopped = Some(Unread::Damaged);
                return None;
            }
            Event::Start(_) => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    self.stopped = Some(Unread::Limit);
                    return None;
                }
            }
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Some(event)
    }

    /// Why the reading stopped before the end.
    pub(crate) const fn stopped(&self) -> Option<Unread> {
        self.stopped
    }
}

/// The value of an attribute by its name without prefix.
pub(crate) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    tag.attributes()
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)
        .map(|attribute| match quick_xml::escape::unescape(&attribute.value) {
            Ok(value) => value.into_owned(),
            Err(_) => attribute.value.into_owned(),
        })
}

/// Whether an element that switches something on does so: `<w:b/>`, but not `<w:b w:val="0"/>`.
pub(crate) fn is_on(tag: &BytesStart<'_>) -> bool {
    !matches!(attribute(tag, "val").as_deref(), Some("0" | "false" | "off" | "none"))
}

/// The character of a reference, for numbers and for the five entities of XML.
pub(crate) fn character(reference: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return Some(c);
    }
    match &*reference.xml10_content() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}
