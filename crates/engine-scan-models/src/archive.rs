//! The members of zip and tar archives, found by their directories; checksums and flags are noted and never trusted.

use engine_model::ModelFileProblemKind;

use crate::source::{Packing, Part, Stream};

/// Members that are looked at.
const MEMBERS_MAX: usize = 20_000;
/// A longer directory is not read to its end.
const DIRECTORY_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The longest comment at the end of a zip archive, and the record before it.
const TAIL_BYTES: u64 = 65_535 + 22;

/// One member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    method: u16,
    flags: u16,
    packed: u64,
    pub(crate) size: u64,
    crc: u32,
    header: u64,
}

/// The members of an archive and what is odd about it.
#[derive(Debug, Default)]
pub(crate) struct Members {
    pub(crate) list: Vec<Member>,
    pub(crate) problems: Vec<(ModelFileProblemKind, String)>,
}

impl Members {
    fn problem(&mut self, kind: ModelFileProblemKind, message: &str) {
        if !self
            .problems
            .iter()
            .any(|(known, text)| *known == kind && text == message)
        {
            self.problems.push((kind, message.to_owned()));
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

/// Whether an archive ends here, whatever the file begins with.
pub(crate) fn ends_as_zip(part: &Part<'_>) -> bool {
    const RECORD: u64 = 22;
    part.length() > RECORD && part.bytes(part.length() - RECORD, 4) == b"PK\x05\x06"
}

/// Reads the directory of a zip archive; without one, the headers of the members one after the other.
pub(crate) fn zip(part: &Part<'_>) -> Members {
    let mut members = Members::default();
    if directory(part, &mut members).is_none() {
        members.list.clear();
        members.problem(
            ModelFileProblemKind::Broken,
            "the archive has no directory: it is truncated or altered",
        );
        headers(part, &mut members);
    }
    members
}

fn directory(part: &Part<'_>, members: &mut Members) -> Option<()> {
    let tail_start = part.length().saturating_sub(TAIL_BYTES);
    let tail = part.bytes(tail_start, usize::try_from(TAIL_BYTES).unwrap_or(0));
    let at = (0..tail.len().saturating_sub(21))
        .rev()
        .find(|at| tail[*at..].starts_with(b"PK\x05\x06"))?;
    let end = &tail[at..];
    let mut count = u64::from(u16_at(end, 10)?);
    let mut length = u64::from(u32_at(end, 12)?);
    let mut start = u64::from(u32_at(end, 16)?);
    let mut end_at = tail_start + at as u64;
    if let Some(locator) = end_at.checked_sub(20) {
        let locator = part.bytes(locator, 20);
        if locator.starts_with(b"PK\x06\x07") {
            let record_at = u64_at(&locator, 8)?;
            let record = part.bytes(record_at, 56);
            if record.starts_with(b"PK\x06\x06") {
                count = u64_at(&record, 32)?;
                length = u64_at(&record, 40)?;
                start = u64_at(&record, 48)?;
                end_at = record_at;
            }
        }
    }
    // What stands before the archive shifts all its offsets.
    let shift = end_at.checked_sub(length)?.checked_sub(start)?;
    let bytes = part.bytes(start + shift, usize::try_from(length.min(DIRECTORY_BYTES_MAX)).ok()?);
    let mut at = 0;
    while members.list.len() < MEMBERS_MAX {
        let Some(record) = bytes.get(at..).filter(|record| record.starts_with(b"PK\x01\x02")) else {
            break;
        };
        let Some((member, next)) = central(record, shift) else {
            break;
        };
        members.list.push(member);
        at += next;
    }
    if members.list.is_empty() && count > 0 {
        return None;
    }
    if (members.list.len() as u64) < count {
        if members.list.len() >= MEMBERS_MAX || length > DIRECTORY_BYTES_MAX {
            members.problem(
                ModelFileProblemKind::NotRead,
                "the archive has more members than this scan reads",
            );
        } else {
            members.problem(
                ModelFileProblemKind::Lying,
                "the archive declares more members than its directory lists",
            );
        }
    }
    Some(())
}

/// One record of the directory, and its length.
fn central(record: &[u8], shift: u64) -> Option<(Member, usize)> {
    let name_length = usize::from(u16_at(record, 28)?);
    let extra_length = usize::from(u16_at(record, 30)?);
    let comment_length = usize::from(u16_at(record, 32)?);
    let name = record.get(46..46 + name_length)?;
    let extra = record.get(46 + name_length..46 + name_length + extra_length)?;
    let mut packed = u64::from(u32_at(record, 20)?);
    let mut size = u64::from(u32_at(record, 24)?);
    let mut header = u64::from(u32_at(record, 42)?);
    let mut fields = extra;
    while let (Some(id), Some(length)) = (u16_at(fields, 0), u16_at(fields, 2)) {
        let Some(value) = fields.get(4..4 + usize::from(length)) else {
            break;
        };
        if id == 1 {
            let mut at = 0;
            for field in [&mut size, &mut packed, &mut header] {
                if *field == u64::from(u32::MAX)
                    && let Some(long) = u64_at(value, at)
                {
                    *field = long;
                    at += 8;
                }
            }
        }
        fields = &fields[4 + usize::from(length)..];
    }
    let member = Member {
        name: String::from_utf8_lossy(name).into_owned(),
        method: u16_at(record, 10)?,
        flags: u16_at(record, 8)?,
        packed,
        size,
        crc: u32_at(record, 16)?,
        header: header.checked_add(shift)?,
    };
    Some((member, 46 + name_length + extra_length + comment_length))
}

/// The members of an archive without a directory.
fn headers(part: &Part<'_>, members: &mut Members) {
    let mut at = 0;
    while members.list.len() < MEMBERS_MAX {
        let head = part.bytes(at, 30);
        if !head.starts_with(b"PK\x03\x04") {
            break;
        }
        let fields = (
            u16_at(&head, 6),
            u16_at(&head, 8),
            u32_at(&head, 14),
            u32_at(&head, 18),
            u32_at(&head, 22),
            u16_at(&head, 26),
            u16_at(&head, 28),
        );
        let (Some(flags), Some(method), Some(crc), Some(packed), Some(size), Some(name_length), Some(extra)) = fields
        else {
            break;
        };
        let name = part.bytes(at + 30, name_length.into());
        let data = at + 30 + u64::from(name_length) + u64::from(extra);
        // The length stands behind the data, or beyond the end: the member takes what is left.
        let open = packed == 0 || packed == u32::MAX || data + u64::from(packed) > part.length();
        let packed = if open {
            part.length().saturating_sub(data)
        } else {
            packed.into()
        };
        members.list.push(Member {
            name: String::from_utf8_lossy(&name).into_owned(),
            method,
            flags,
            packed,
            size: if open { packed } else { size.into() },
            crc,
            header: at,
        });
        if open {
            break;
        }
        at = data + packed;
    }
}

impl Member {
    /// Where the bytes of the member lie; what its own header says is compared with the directory.
    pub(crate) fn data<'a>(&self, part: &Part<'a>, odd: &mut Vec<&'static str>) -> Option<Part<'a>> {
        let head = part.bytes(self.header, 30);
        if !head.starts_with(b"PK\x03\x04") {
            odd.push("its header is not at the offset given in the directory");
            return None;
        }
        let name_length = u16_at(&head, 26)?;
        let start = self.header + 30 + u64::from(name_length) + u64::from(u16_at(&head, 28)?);
        let name = part.bytes(self.header + 30, name_length.into());
        if String::from_utf8_lossy(&name) != self.name {
            odd.push("its header and the directory give different names");
        }
        if u16_at(&head, 8)? != self.method {
            odd.push("its header and the directory give different compression methods");
        }
        if start.saturating_add(self.packed) > part.length() {
            odd.push("it extends beyond the end of the file");
        }
        // The bit says encrypted; loaders that do not look at it read what is there.
        if self.flags & 1 != 0 {
            odd.push("it is marked as encrypted");
        }
        Some(part.range(start, self.packed))
    }

    /// The member unpacked; `None` for a compression that is not read here.
    pub(crate) fn stream<'a>(&self, data: Part<'a>) -> Option<Stream<'a>> {
        match self.method {
            0 => Some(data.stream()),
            8 => Some(data.inflate(Packing::Deflate)),
            _ => None,
        }
    }

    pub(crate) fn is_stored(&self) -> bool {
        self.method == 0
    }

    /// Whether the checksum of a short member is the stated one; `None` when that is not worth the reading.
    pub(crate) fn checksum_holds(&self, data: Part<'_>) -> Option<bool> {
        const CHECKED_BYTES_MAX: u64 = 1024 * 1024;
        if self.size > CHECKED_BYTES_MAX {
            return None;
        }
        let mut stream = self.stream(data)?;
        let mut crc = flate2::Crc::new();
        let length = usize::try_from(self.size).ok()?;
        let bytes = stream.take(self.size, length)?;
        crc.update(&bytes);
        Some(crc.sum() == self.crc)
    }
}

/// The members of a tar archive with the ranges of their bytes.
pub(crate) fn tar<'a>(part: &Part<'a>) -> Vec<(String, Part<'a>)> {
    const BLOCK: u64 = 512;
    let mut members = Vec::new();
    let mut at = 0_u64;
    while members.len() < MEMBERS_MAX {
        let head = part.bytes(at, 512);
        if head.len() < 512 || head[0] == 0 {
            break;
        }
        let name = head[..100].split(|byte| *byte == 0).next().unwrap_or_default();
        let Some(size) = octal(&head[124..136]) else { break };
        let start = at + BLOCK;
        if matches!(head[156], b'0' | 0) {
            members.push((String::from_utf8_lossy(name).into_owned(), part.range(start, size)));
        }
        let Some(next) = size
            .checked_next_multiple_of(BLOCK)
            .and_then(|size| start.checked_add(size))
            .filter(|next| *next <= part.length())
        else {
            break;
        };
        at = next;
    }
    members
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    u64::from_str_radix(text, 8).ok()
}
