//! The package: which parts of the archive are unpacked, and how much of them.

use std::io::{Cursor, Read};

use quick_xml::events::Event;
use zip::ZipArchive;
use zip::result::ZipError;

use super::{ENTRIES_MAX, MAIN_BYTES_MAX, PACKED_BYTES_MAX, RATIO_FREE_BYTES, RATIO_MAX, SIDE_BYTES_MAX, xml};
use crate::facts::Unread;

/// The parts that are read.
pub(crate) struct Package {
    /// The main part.
    pub(crate) main: String,
    /// The styles; empty where there are none.
    pub(crate) styles: String,
    /// Whether a part was longer than what was unpacked.
    pub(crate) cut: bool,
}

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// Begin of the files in which Word stores an encrypted document.
const COMPOUND_FILE: [u8; 4] = [0xD0, 0xCF, 0x11, 0xE0];

/// Unpacks the parts of a document.
pub(crate) fn open(bytes: &[u8]) -> Result<Package, Unread> {
    if bytes.starts_with(&COMPOUND_FILE) {
        return Err(Unread::Encrypted);
    }
    if bytes.len() > PACKED_BYTES_MAX {
        return Err(Unread::Limit);
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Unread::Damaged)?;
    if archive.len() > ENTRIES_MAX {
        return Err(Unread::Limit);
    }
    let types = part(&mut archive, "[Content_Types].xml", SIDE_BYTES_MAX)?
        .map(|(text, _)| text)
        .unwrap_or_default();
    let (main, styles) = names(&types);
    let main = main.as_deref().unwrap_or("word/document.xml");
    let Some((main, cut)) = part(&mut archive, main, MAIN_BYTES_MAX)? else {
        return Err(Unread::Damaged);
    };
    let styles = styles.as_deref().unwrap_or("word/styles.xml");
    let styles = part(&mut archive, styles, SIDE_BYTES_MAX)?
        .map(|(text, _)| text)
        .unwrap_or_default();
    Ok(Package { main, styles, cut })
}

/// Unpacks one part up to a limit; says whether there was more. The stated length is not trusted.
fn part(archive: &mut Archive<'_>, name: &str, max: usize) -> Result<Option<(String, bool)>, Unread> {
    let entry = match archive.by_name(name) {
        Ok(entry) => entry,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(ZipError::UnsupportedArchive(reason)) if reason == ZipError::PASSWORD_REQUIRED => {
            return Err(Unread::Encrypted);
        }
        Err(_) => return Err(Unread::Damaged),
    };
    let allowed = entry.compressed_size().saturating_mul(RATIO_MAX);
    let allowed = usize::try_from(allowed).unwrap_or(usize::MAX).max(RATIO_FREE_BYTES);
    let limit = allowed.min(max);
    let mut bytes = Vec::new();
    let read = entry
        .take(u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1))
        .read_to_end(&mut bytes);
    if bytes.len() > limit {
        // More than any text packs to is no document but a bomb.
        if limit == allowed {
            return Err(Unread::Limit);
        }
        bytes.truncate(limit);
        return Ok(Some((text_of(&bytes), true)));
    }
    if read.is_err() {
        return Err(Unread::Damaged);
    }
    Ok(Some((text_of(&bytes), false)))
}

/// XML parts are UTF-8, or UTF-16 with a mark.
fn text_of(bytes: &[u8]) -> String {
    let units = |pair: fn([u8; 2]) -> u16| {
        let units = bytes[2..].as_chunks::<2>().0.iter().map(|two| pair(*two));
        char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes {
        [0xFF, 0xFE, ..] => units(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => units(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').to_owned(),
    }
}

/// The names of the main part and of the styles, as the list of content types gives them.
fn names(types: &str) -> (Option<String>, Option<String>) {
    let (mut main, mut styles) = (None, None);
    let mut reader = xml::Reader::new(types);
    while let Some(event) = reader.next() {
        let (Event::Start(tag) | Event::Empty(tag)) = event else {
            continue;
        };
        if tag.local_name().as_ref() != "Override" {
            continue;
        }
        let kind = xml::attribute(&tag, "ContentType").unwrap_or_default();
        let name = xml::attribute(&tag, "PartName").map(|name| name.trim_start_matches('/').to_owned());
        if kind.ends_with("document.main+xml") || kind.ends_with("template.main+xml") {
            main = main.or(name);
        } else if kind.ends_with("wordprocessingml.styles+xml") {
            styles = styles.or(name);
        }
    }
    (main, styles)
}
