//! Filters: unpacks the content of streams within a budget that all streams of a file share.

use std::io::Read;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::Filter;
use hayro_syntax::object::{Dict, Object, Stream};

/// Filters of one stream.
const FILTERS_MAX: usize = 4;

/// The content of a stream; `None` where a filter is not for text, the content is damaged, or the budget is used up.
pub(crate) fn unpack(stream: &Stream<'_>, budget: &mut usize) -> Option<Vec<u8>> {
    let filters = stream.filters();
    // A file outside of this one is never read.
    let elsewhere = matches!(
        stream.dict().get::<Object<'_>>("F"),
        Some(Object::String(_) | Object::Dict(_))
    );
    // Also what cannot be used takes its length off the budget, as it had to be found.
    let mut content = spend(stream.raw_data().into_owned(), budget)?;
    if filters.len() > FILTERS_MAX || elsewhere {
        return None;
    }
    for (at, filter) in filters.iter().enumerate() {
        let unpacked = match filter {
            Filter::FlateDecode => inflate(&content, *budget),
            Filter::AsciiHexDecode => hex(&content),
            Filter::Ascii85Decode => base85(&content),
            Filter::RunLengthDecode => run_length(&content, *budget),
            _ => return None,
        };
        content = spend(unpacked, budget)?;
        if let Some(parameters) = parameters(stream, at) {
            content = predicted(content, &parameters)?;
        }
    }
    Some(content)
}

/// Takes bytes off the budget.
fn spend(bytes: Vec<u8>, budget: &mut usize) -> Option<Vec<u8>> {
    let Some(rest) = budget.checked_sub(bytes.len()) else {
        *budget = 0;
        return None;
    };
    *budget = rest;
    Some(bytes)
}

/// The parameters of one filter.
fn parameters<'a>(stream: &Stream<'a>, at: usize) -> Option<Dict<'a>> {
    let object = stream.dict().get::<Object<'a>>("DecodeParms")?;
    match object {
        Object::Dict(dict) if at == 0 => Some(dict),
        Object::Array(array) => array.iter::<Object<'a>>().nth(at)?.into_dict(),
        _ => None,
    }
}

/// What zlib unpacks, one byte beyond the budget at most. Damaged ends keep what comes before them, as other readers do.
fn inflate(content: &[u8], budget: usize) -> Vec<u8> {
    let limit = u64::try_from(budget).unwrap_or(u64::MAX).saturating_add(1);
    let mut out = Vec::new();
    let whole = ZlibDecoder::new(content).take(limit).read_to_end(&mut out);
    if whole.is_err() && out.is_empty() {
        let _damaged = DeflateDecoder::new(content).take(limit).read_to_end(&mut out);
    }
    out
}

fn hex(content: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = content
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0))
        .collect()
}

fn base85(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len());
    let mut group: Vec<u32> = Vec::with_capacity(5);
    let flush = |group: &mut Vec<u32>, out: &mut Vec<u8>| {
        let digits = group.len();
        if digits > 1 {
            group.resize(5, 84);
            let value = group
                .iter()
                .fold(0_u32, |value, digit| value.wrapping_mul(85).wrapping_add(*digit));
            out.extend(value.to_be_bytes().iter().take(digits - 1));
        }
        group.clear();
    };
    for byte in content {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => {
                group.push(u32::from(byte - b'!'));
                if group.len() == 5 {
                    flush(&mut group, &mut out);
                }
            }
            _ => {}
        }
    }
    flush(&mut group, &mut out);
    out
}

fn run_length(content: &[u8], budget: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(length) = content.get(at)
        && *length != 128
        && out.len() <= budget
    {
        let length = usize::from(*length);
        if length < 128 {
            let end = (at + 2 + length).min(content.len());
            out.extend_from_slice(&content[at + 1..end]);
            at += 2 + length;
        } else {
            if let Some(byte) = content.get(at + 1) {
                out.resize(out.len() + 257 - length, *byte);
            }
            at += 2;
        }
    }
    out
}

/// Undoes a PNG predictor, which some writers put before objects and tables.
fn predicted(content: Vec<u8>, parameters: &Dict<'_>) -> Option<Vec<u8>> {
    let number = |key: &str, otherwise: i32| parameters.get::<i32>(key).unwrap_or(otherwise);
    match number("Predictor", 1) {
        1 => return Some(content),
        10..=15 => {}
        _ => return None,
    }
    let colours = usize::try_from(number("Colors", 1))
        .ok()
        .filter(|n| (1..=8).contains(n))?;
    let columns = usize::try_from(number("Columns", 1))
        .ok()
        .filter(|n| (1..=65_536).contains(n))?;
    if number("BitsPerComponent", 8) != 8 {
        return None;
    }
    let width = colours * columns;
    let mut out: Vec<u8> = Vec::with_capacity(content.len());
    let mut above = vec![0_u8; width];
    for row in content.chunks(width + 1) {
        let (kind, row) = row.split_first()?;
        let mut line = vec![0_u8; width];
        for (at, byte) in row.iter().enumerate() {
            let left = if at >= colours { line[at - colours] } else { 0 };
            let corner = if at >= colours { above[at - colours] } else { 0 };
            let guess = match kind {
                1 => left,
                2 => above[at],
                3 => u8::try_from(u16::midpoint(u16::from(left), u16::from(above[at]))).unwrap_or(0),
                4 => paeth(left, above[at], corner),
                _ => 0,
            };
            line[at] = byte.wrapping_add(guess);
        }
        out.extend_from_slice(&line[..row.len()]);
        above = line;
    }
    Some(out)
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(above), i16::from(corner));
    let estimate = a + b - c;
    let (to_a, to_b, to_c) = ((estimate - a).abs(), (estimate - b).abs(), (estimate - c).abs());
    if to_a <= to_b && to_a <= to_c {
        left
    } else if to_b <= to_c {
        above
    } else {
        corner
    }
}
