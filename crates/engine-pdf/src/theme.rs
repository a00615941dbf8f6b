//! Sizes and colours. All lengths are in points.

use crate::model::Tone;

/// Red, green, blue.
pub(crate) type Colour = [u8; 3];

pub(crate) const PAGE_WIDTH: f32 = 595.28;
pub(crate) const PAGE_HEIGHT: f32 = 841.89;
pub(crate) const LEFT: f32 = 56.7;
pub(crate) const RIGHT: f32 = PAGE_WIDTH - 56.7;
pub(crate) const TOP: f32 = 68.0;
pub(crate) const BOTTOM: f32 = PAGE_HEIGHT - 62.0;
/// Width of the text.
pub(crate) const WIDTH: f32 = RIGHT - LEFT;
/// Height of the text.
pub(crate) const HEIGHT: f32 = BOTTOM - TOP;

pub(crate) const INK: Colour = [0x1c, 0x20, 0x26];
pub(crate) const MUTED: Colour = [0x53, 0x5b, 0x66];
pub(crate) const ACCENT: Colour = [0x1b, 0x3f, 0x6b];
pub(crate) const LINK: Colour = [0x0b, 0x57, 0xa4];
pub(crate) const RULE: Colour = [0xd3, 0xd8, 0xdf];
pub(crate) const SHADE: Colour = [0xf3, 0xf5, 0xf8];
pub(crate) const TRACK: Colour = [0xe6, 0xe9, 0xee];
pub(crate) const WHITE: Colour = [0xff, 0xff, 0xff];

/// Colour of a tone: dark enough on white for text of any size.
pub(crate) const fn colour(tone: Tone) -> Colour {
    match tone {
        Tone::Red => [0xb3, 0x26, 0x1e],
        Tone::Amber => [0x9a, 0x5b, 0x00],
        Tone::Green => [0x1a, 0x73, 0x37],
        Tone::Grey => [0x5b, 0x63, 0x6e],
        Tone::Blue => [0x0b, 0x57, 0xa4],
    }
}

/// Light colour of a tone, for the ground below text.
pub(crate) const fn ground(tone: Tone) -> Colour {
    match tone {
        Tone::Red => [0xfc, 0xf0, 0xef],
        Tone::Amber => [0xfd, 0xf5, 0xe6],
        Tone::Green => [0xed, 0xf7, 0xf0],
        Tone::Grey => [0xf3, 0xf4, 0xf6],
        Tone::Blue => [0xee, 0xf4, 0xfc],
    }
}

/// A count as a length. Counts beyond 32 bits do not occur on a page.
pub(crate) fn float(count: usize) -> f32 {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let [a, b, c, d] = count.to_be_bytes();
    f32::from(u16::from_be_bytes([a, b])) * 65536.0 + f32::from(u16::from_be_bytes([c, d]))
}
