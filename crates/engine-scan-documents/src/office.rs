//! The outline of Word documents (`.docx`): paragraphs, lists and tables of the main part, without running anything.
//!
//! Only the list of content types, the styles and the main part are unpacked. Relationships, macros, field codes, comments,
//! headers and embedded files are not read, so nothing outside of the file is opened.

mod body;
mod package;
mod styles;
mod xml;

#[cfg(test)]
mod tests;

use crate::facts::Unread;
use crate::read::Builder;

/// Bytes of a packed document that are looked at.
const PACKED_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Entries of the package.
const ENTRIES_MAX: usize = 4096;
/// Bytes of the main part after unpacking.
const MAIN_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of the styles and of the list of content types after unpacking.
const SIDE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Unpacked bytes for each packed byte. Text of Word packs 10 to 30 times.
const RATIO_MAX: u64 = 200;
/// Unpacked bytes below which the ratio does not matter: short repetitive parts pack very well.
const RATIO_FREE_BYTES: usize = 1024 * 1024;
/// Elements that may be open at one place.
const DEPTH_MAX: usize = 256;
/// Paragraphs that are read.
const PARAGRAPHS_MAX: u32 = 20_000;
/// Bytes of text that are read.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Styles that are read.
const STYLES_MAX: usize = 4096;
/// Styles of which one can be based on the next.
const BASED_ON_MAX: usize = 16;

/// Walks through a Word document and gives its text. The lines of the outline are numbers of paragraphs.
pub(crate) fn outline(bytes: &[u8], builder: &mut Builder) -> (String, Option<Unread>) {
    let package = match package::open(bytes) {
        Ok(package) => package,
        Err(unread) => return (String::new(), Some(unread)),
    };
    let styles = styles::read(&package.styles);
    let mut walk = body::Walk::new(&styles, builder);
    let mut unread = walk.read(&package.main);
    if unread.is_none() && package.cut {
        unread = Some(Unread::Limit);
    }
    (walk.text(), unread)
}
