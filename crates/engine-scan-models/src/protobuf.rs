//! A walk over the fields of a protocol buffer, without its schema.

use crate::source::Stream;

/// One field: its number and its value. Bytes are still in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// A number.
    Number(u32, u64),
    /// Bytes, text or a message of this length, to be read next.
    Bytes(u32, u64),
    /// A fixed number that nobody asks for.
    Fixed(u32),
}

/// Visits the fields of a message of `length` bytes. What the visitor leaves of a field is passed over. `None` when the
/// bytes are no message, or end before it does.
pub(crate) fn walk(
    stream: &mut Stream<'_>,
    length: u64,
    visit: &mut dyn FnMut(&mut Stream<'_>, Field) -> Option<()>,
) -> Option<()> {
    let end = stream.position().checked_add(length)?;
    while stream.position() < end {
        let tag = varint(stream)?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| *number > 0)?;
        match tag & 7 {
            0 => {
                let value = varint(stream)?;
                visit(stream, Field::Number(number, value))?;
            }
            1 => {
                stream.skip(8).then_some(())?;
                visit(stream, Field::Fixed(number))?;
            }
            5 => {
                stream.skip(4).then_some(())?;
                visit(stream, Field::Fixed(number))?;
            }
            2 => {
                let length = varint(stream)?;
                let after = stream.position().checked_add(length).filter(|after| *after <= end)?;
                visit(stream, Field::Bytes(number, length))?;
                let rest = after.checked_sub(stream.position())?;
                stream.skip(rest).then_some(())?;
            }
            _ => return None,
        }
    }
    (stream.position() == end).then_some(())
}

pub(crate) fn varint(stream: &mut Stream<'_>) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..70).step_by(7) {
        let byte = stream.byte()?;
        value |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A text of a field, cut at 256 bytes.
pub(crate) fn text(stream: &mut Stream<'_>, length: u64) -> Option<String> {
    const TEXT_BYTES_MAX: usize = 256;
    let bytes = stream.take(length, TEXT_BYTES_MAX)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
