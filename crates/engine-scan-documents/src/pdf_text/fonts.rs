//! Fonts: which characters the bytes of a text stand for, how wide they are, and whether they are bold.

use std::collections::BTreeMap;

use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream, String as Bytes};

use super::filters;
use super::glyphs::{glyph, latin};

/// Characters and widths that a font can have.
const ENTRIES_MAX: usize = 70_000;
/// What an entry takes off the budget of the file, so that many fonts with short descriptions do not fill the memory.
const ENTRY_BYTES: usize = 64;
/// Width of a character that the font does not tell, in thousandths of the size.
const WIDTH_USUAL: f32 = 500.0;

/// A font as far as text needs it.
#[derive(Debug, Default)]
pub(crate) struct Font {
    /// Whether two bytes make a character.
    wide: bool,
    /// Characters by code.
    characters: BTreeMap<u32, String>,
    /// Whether codes that are not mapped are Latin letters.
    latin: bool,
    widths: BTreeMap<u32, f32>,
    usual: f32,
    /// Entries that may still be written, also over earlier ones.
    room: usize,
    /// Whether its name says that it is bold.
    pub(crate) bold: bool,
}

impl Font {
    /// Reads a font from its dictionary.
    pub(crate) fn read(dict: &Dict<'_>, budget: &mut usize) -> Self {
        let composite = dict.get::<Name<'_>>("Subtype").as_deref() == Some(b"Type0");
        let below = composite
            .then(|| dict.get::<Array<'_>>("DescendantFonts")?.iter::<Dict<'_>>().next())
            .flatten();
        let name = dict.get::<Name<'_>>("BaseFont").map(|name| name.to_ascii_lowercase());
        let mut font = Self {
            wide: composite,
            latin: !composite,
            usual: WIDTH_USUAL,
            room: ENTRIES_MAX.min(*budget / ENTRY_BYTES),
            bold: name.is_some_and(|name| {
                let name = String::from_utf8_lossy(&name).into_owned();
                ["bold", "black", "heavy", "demi"]
                    .iter()
                    .any(|mark| name.contains(mark))
            }),
            ..Self::default()
        };
        if !composite {
            font.encoding(dict);
        }
        let before = font.room;
        if let Some(map) = dict.get::<Stream<'_>>("ToUnicode")
            && let Some(text) = filters::unpack(&map, budget)
        {
            font.map(&text);
        }
        match &below {
            Some(below) => font.wide_widths(below),
            None => font.plain_widths(dict),
        }
        *budget = budget.saturating_sub((before - font.room) * ENTRY_BYTES);
        font
    }

    /// Writes a character down; false where there is no more room.
    fn character(&mut self, code: u32, characters: String) -> bool {
        let fits = self.has_room();
        if fits {
            self.characters.insert(code, characters);
        }
        fits
    }

    /// Writes a width down; false where there is no more room.
    fn width(&mut self, code: u32, width: f32) -> bool {
        let fits = self.has_room();
        if fits {
            self.widths.insert(code, width);
        }
        fits
    }

    fn has_room(&mut self) -> bool {
        let rest = self.room.checked_sub(1);
        self.room = rest.unwrap_or(0);
        rest.is_some()
    }

    /// Each code of a text with its characters and its width in thousandths of the size.
    pub(crate) fn decode(&self, text: &[u8], mut each: impl FnMut(&str, f32)) {
        let step = if self.wide { 2 } else { 1 };
        for code in text.chunks(step) {
            let code = code.iter().fold(0_u32, |code, byte| code << 8 | u32::from(*byte));
            let width = self.widths.get(&code).copied().unwrap_or(self.usual);
            match self.characters.get(&code) {
                Some(characters) => each(characters, width),
                None if self.latin => {
                    let mut buffer = [0; 4];
                    each(latin(code).encode_utf8(&mut buffer), width);
                }
                None => each("", width),
            }
        }
    }

    /// The encoding of a font with one byte for each character.
    fn encoding(&mut self, dict: &Dict<'_>) {
        let Some(differences) = dict
            .get::<Dict<'_>>("Encoding")
            .and_then(|encoding| encoding.get::<Array<'_>>("Differences"))
        else {
            return;
        };
        let mut code = 0_u32;
        for object in differences.iter::<Object<'_>>().take(1024) {
            match object {
                Object::Number(number) => code = u32::try_from(number.as_i64()).unwrap_or(0),
                Object::Name(name) => {
                    if let Some(characters) = glyph(&String::from_utf8_lossy(&name)) {
                        self.character(code, characters);
                    }
                    code = code.saturating_add(1);
                }
                _ => {}
            }
        }
    }

    /// The map from codes to characters that the font brings along.
    fn map(&mut self, text: &[u8]) {
        let mut words = Words { text, at: 0 };
        let mut pending: Vec<Vec<u8>> = Vec::new();
        let mut mode = Mode::Outside;
        while let Some(word) = words.next() {
            if self.room == 0 {
                return;
            }
            match word {
                Word::Plain(b"beginbfchar") => mode = Mode::Characters,
                Word::Plain(b"beginbfrange") => mode = Mode::Ranges,
                Word::Plain(b"begincodespacerange") => mode = Mode::Spaces,
                Word::Plain(b"endbfchar" | b"endbfrange" | b"endcodespacerange") => {
                    mode = Mode::Outside;
                    pending.clear();
                }
                Word::Open if mode == Mode::Ranges && pending.len() == 2 => {
                    let first = number(&pending[0]);
                    pending.clear();
                    // One target for each code, up to the end of the list.
                    let mut code = first.unwrap_or(0);
                    while let Some(Word::Hex(target)) = words.next() {
                        if !self.character(code, utf16(&target)) {
                            break;
                        }
                        code = code.saturating_add(1);
                    }
                }
                Word::Plain(_) | Word::Open => {}
                Word::Hex(bytes) => {
                    pending.push(bytes);
                    self.entry(mode, &mut pending);
                }
            }
        }
    }

    fn entry(&mut self, mode: Mode, pending: &mut Vec<Vec<u8>>) {
        match (mode, pending.as_slice()) {
            (Mode::Outside, _) => {}
            (Mode::Spaces, [low, _]) => {
                // The codes of other fonts have one byte, whatever the map says.
                self.wide &= low.len() > 1;
            }
            (Mode::Characters, [code, target]) => {
                if let Some(code) = number(code) {
                    self.character(code, utf16(target));
                }
            }
            (Mode::Ranges, [first, last, target]) => {
                let mut letters: Vec<char> = utf16(target).chars().collect();
                if let (Some(first), Some(last)) = (number(first), number(last)) {
                    for code in first..=last {
                        if !self.character(code, letters.iter().collect()) {
                            break;
                        }
                        if let Some(letter) = letters.last_mut() {
                            *letter = char::from_u32(u32::from(*letter) + 1).unwrap_or(*letter);
                        }
                    }
                }
            }
            _ => return,
        }
        pending.clear();
    }

    fn plain_widths(&mut self, dict: &Dict<'_>) {
        let first = dict.get::<u32>("FirstChar").unwrap_or(0);
        if let Some(widths) = dict.get::<Array<'_>>("Widths") {
            self.row(first, &widths);
        }
    }

    /// Widths of codes that follow each other.
    fn row(&mut self, first: u32, widths: &Array<'_>) {
        for (code, width) in (first..).zip(widths.iter::<Number>()) {
            if !self.width(code, width.as_f32()) {
                break;
            }
        }
    }

    fn wide_widths(&mut self, dict: &Dict<'_>) {
        self.usual = dict.get::<Number>("DW").map_or(1000.0, |width| width.as_f32());
        let Some(rows) = dict.get::<Array<'_>>("W") else {
            return;
        };
        let mut numbers: Vec<f32> = Vec::new();
        for object in rows.iter::<Object<'_>>().take(ENTRIES_MAX) {
            match object {
                Object::Number(number) => {
                    numbers.push(number.as_f32());
                    // First code, last code, and one width for all of them.
                    if let [first, last, width] = numbers[..] {
                        for code in whole(first)..=whole(last) {
                            if !self.width(code, width) {
                                return;
                            }
                        }
                        numbers.clear();
                    }
                }
                Object::Array(widths) => {
                    if let Some(first) = numbers.last() {
                        self.row(whole(*first), &widths);
                    }
                    numbers.clear();
                }
                _ => numbers.clear(),
            }
        }
    }
}

/// The bytes of a text.
pub(crate) fn bytes<'b>(text: &'b Bytes<'_>) -> &'b [u8] {
    text.as_bytes()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "codes are small whole numbers; anything else becomes one and finds no character"
)]
fn whole(number: f32) -> u32 {
    number.clamp(0.0, 65_535.0) as u32
}

/// Which part of a map is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Outside,
    Spaces,
    Characters,
    Ranges,
}

/// A word of a map.
enum Word<'a> {
    Hex(Vec<u8>),
    Open,
    Plain(&'a [u8]),
}

/// The words of a map.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            let rest = self.text.get(self.at..)?;
            let skipped = rest.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != 0)?;
            self.at += skipped;
            let rest = &rest[skipped..];
            match rest[0] {
                b'%' => {
                    let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
                    self.at += end.unwrap_or(rest.len());
                }
                b'[' => {
                    self.at += 1;
                    return Some(Word::Open);
                }
                b'<' if rest.get(1) != Some(&b'<') => {
                    let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
                    self.at += end;
                    let digits: Vec<u8> = rest[1..end]
                        .iter()
                        .filter_map(|byte| u8::try_from(char::from(*byte).to_digit(16)?).ok())
                        .collect();
                    return Some(Word::Hex(
                        digits
                            .chunks(2)
                            .map(|two| two[0] << 4 | two.get(1).copied().unwrap_or(0))
                            .collect(),
                    ));
                }
                byte if byte.is_ascii_alphanumeric() => {
                    let end = rest
                        .iter()
                        .position(|byte| !byte.is_ascii_alphanumeric())
                        .unwrap_or(rest.len());
                    self.at += end;
                    return Some(Word::Plain(&rest[..end]));
                }
                b']' => {
                    self.at += 1;
                    return Some(Word::Plain(b"]"));
                }
                _ => self.at += 1,
            }
        }
    }
}

fn number(bytes: &[u8]) -> Option<u32> {
    (bytes.len() <= 4).then(|| bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks(2).take(16).map(|two| match two {
        [high, low] => u16::from_be_bytes([*high, *low]),
        _ => u16::from(two[0]),
    });
    char::decode_utf16(units).flatten().filter(|c| *c != '\0').collect()
}
