//! The bundled fonts: which of them draws a character, and how wide a word becomes.

use std::rc::Rc;
use std::sync::LazyLock;

use engine_embed::{Packed, embed};
use krilla::text::{Font, GlyphId};
use rustc_hash::FxHashMap;
use rustybuzz::{Direction, Face, ShapePlan, UnicodeBuffer, script};

use crate::PdfError;

/// Drawn in place of a character that no font has.
const MARK: char = '\u{fffd}';

/// A bundled font.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FontId {
    Sans,
    Bold,
    Mono,
    Symbols,
    Math,
}

const ALL: [(FontId, &str, Packed); 5] = [
    (FontId::Sans, "Noto Sans", embed!("../fonts/sans.ttf")),
    (FontId::Bold, "Noto Sans Bold", embed!("../fonts/sans-bold.ttf")),
    (FontId::Mono, "Noto Sans Mono", embed!("../fonts/mono.ttf")),
    (FontId::Symbols, "Noto Sans Symbols 2", embed!("../fonts/symbols.ttf")),
    (FontId::Math, "Noto Sans Math", embed!("../fonts/math.ttf")),
];

impl FontId {
    /// Fonts to look into, in this order.
    const fn order(self) -> [Self; 5] {
        match self {
            Self::Sans | Self::Symbols | Self::Math => [Self::Sans, Self::Math, Self::Symbols, Self::Mono, Self::Bold],
            Self::Bold => [Self::Bold, Self::Math, Self::Symbols, Self::Mono, Self::Sans],
            Self::Mono => [Self::Mono, Self::Sans, Self::Math, Self::Symbols, Self::Bold],
        }
    }
}

/// A glyph. Lengths are parts of the size of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glyph {
    id: u32,
    pub(crate) advance: f32,
    dx: f32,
    dy: f32,
    /// Bytes of the text that the glyph draws.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Glyph {
    /// The same glyph in a text that has `by` bytes more in front.
    pub(crate) const fn moved(mut self, by: usize) -> Self {
        self.start += by;
        self.end += by;
        self
    }

    /// The same glyph in a text that has lost its first `by` bytes.
    pub(crate) const fn moved_back(mut self, by: usize) -> Self {
        self.start = self.start.saturating_sub(by);
        self.end = self.end.saturating_sub(by);
        self
    }
}

impl krilla::text::Glyph for Glyph {
    fn glyph_id(&self) -> GlyphId {
        GlyphId::new(self.id)
    }

    fn text_range(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    fn x_advance(&self, size: f32) -> f32 {
        self.advance * size
    }

    fn x_offset(&self, size: f32) -> f32 {
        self.dx * size
    }

    fn y_offset(&self, size: f32) -> f32 {
        self.dy * size
    }

    fn y_advance(&self, _size: f32) -> f32 {
        0.0
    }

    fn location(&self) -> Option<krilla::surface::Location> {
        None
    }
}

/// Text in one font.
#[derive(Clone, Debug)]
pub(crate) struct Shaped {
    pub(crate) font: FontId,
    pub(crate) text: String,
    pub(crate) glyphs: Vec<Glyph>,
}

impl Shaped {
    /// Width in parts of the size.
    pub(crate) fn width(&self) -> f32 {
        self.glyphs.iter().map(|glyph| glyph.advance).sum()
    }
}

struct Loaded {
    id: FontId,
    face: Face<'static>,
    font: Font,
    latin: ShapePlan,
    greek: ShapePlan,
    cyrillic: ShapePlan,
}

/// The fonts, and the words that they have shaped.
pub(crate) struct Fonts {
    loaded: Vec<Loaded>,
    choices: FxHashMap<(FontId, char), Option<FontId>>,
    words: FxHashMap<(FontId, String), Rc<[Shaped]>>,
}

impl Fonts {
    pub(crate) fn load() -> Result<Self, PdfError> {
        static FILES: LazyLock<[Vec<u8>; ALL.len()]> = LazyLock::new(|| ALL.map(|(_, _, packed)| packed.bytes()));
        let mut loaded = Vec::with_capacity(ALL.len());
        for ((id, name, _), bytes) in ALL.into_iter().zip(FILES.iter()) {
            let face = Face::from_slice(bytes, 0).ok_or(PdfError::Font(name))?;
            let font = Font::new(bytes.as_slice().into(), 0).ok_or(PdfError::Font(name))?;
            let plan = |script| ShapePlan::new(&face, Direction::LeftToRight, Some(script), None, &[]);
            let (latin, greek, cyrillic) = (plan(script::LATIN), plan(script::GREEK), plan(script::CYRILLIC));
            loaded.push(Loaded {
                id,
                face,
                font,
                latin,
                greek,
                cyrillic,
            });
        }
        Ok(Self {
            loaded,
            choices: FxHashMap::default(),
            words: FxHashMap::default(),
        })
    }

    /// The font as the writer takes it.
    pub(crate) fn font(&self, id: FontId) -> Option<Font> {
        self.loaded
            .iter()
            .find(|loaded| loaded.id == id)
            .map(|loaded| loaded.font.clone())
    }

    /// Width of a text in points.
    pub(crate) fn measure(&mut self, font: FontId, size: f32, text: &str) -> f32 {
        self.shape(font, text).iter().map(Shaped::width).sum::<f32>() * size
    }

    /// Shapes a short text: each part in the first font that has its characters.
    pub(crate) fn shape(&mut self, font: FontId, text: &str) -> Rc<[Shaped]> {
        if let Some(shaped) = self.words.get(&(font, text.to_owned())) {
            return Rc::clone(shaped);
        }
        let mut parts: Vec<Shaped> = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let choice = self.choose(font, first);
            let end = rest
                .char_indices()
                .find(|(_, character)| self.choose(font, *character) != choice)
                .map_or(rest.len(), |(at, _)| at);
            let (part, after) = rest.split_at(end);
            parts.push(match choice {
                Some(choice) => self.shape_in(choice, part),
                None => self.mark(part),
            });
            rest = after;
        }
        let shaped: Rc<[Shaped]> = parts.into();
        if text.len() <= 64 {
            self.words.insert((font, text.to_owned()), Rc::clone(&shaped));
        }
        shaped
    }

    fn choose(&mut self, font: FontId, character: char) -> Option<FontId> {
        let loaded = &self.loaded;
        *self.choices.entry((font, character)).or_insert_with(|| {
            font.order().into_iter().find(|id| {
                loaded
                    .iter()
                    .any(|loaded| loaded.id == *id && loaded.face.glyph_index(character).is_some_and(|g| g.0 != 0))
            })
        })
    }

    fn shape_in(&self, font: FontId, text: &str) -> Shaped {
        let mut shaped = Shaped {
            font,
            text: text.to_owned(),
            glyphs: Vec::new(),
        };
        let Some(loaded) = self.loaded.iter().find(|loaded| loaded.id == font) else {
            return shaped;
        };
        let (script, plan) = match text.chars().find(|character| character.is_alphabetic()) {
            Some('\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}') => (script::GREEK, &loaded.greek),
            Some('\u{400}'..='\u{52f}') => (script::CYRILLIC, &loaded.cyrillic),
            _ => (script::LATIN, &loaded.latin),
        };
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.set_direction(Direction::LeftToRight);
        buffer.set_script(script);
        let output = rustybuzz::shape_with_plan(&loaded.face, plan, buffer);
        let units = units_per_em(&loaded.face);
        let mut end = text.len();
        let mut cluster = text.len();
        for (info, position) in output.glyph_infos().iter().zip(output.glyph_positions()).rev() {
            let start = info.cluster as usize;
            if start != cluster {
                end = cluster;
                cluster = start;
            }
            shaped.glyphs.push(Glyph {
                id: info.glyph_id,
                advance: unit(position.x_advance) / units,
                dx: unit(position.x_offset) / units,
                dy: unit(position.y_offset) / units,
                start,
                end,
            });
        }
        shaped.glyphs.reverse();
        shaped
    }

    /// One visible mark for each character. What is read out or copied is the character itself.
    fn mark(&self, text: &str) -> Shaped {
        let mut shaped = Shaped {
            font: FontId::Sans,
            text: text.to_owned(),
            glyphs: Vec::new(),
        };
        let Some(loaded) = self.loaded.first() else {
            return shaped;
        };
        let Some(glyph) = loaded.face.glyph_index(MARK) else {
            return shaped;
        };
        let advance = f32::from(loaded.face.glyph_hor_advance(glyph).unwrap_or(600)) / units_per_em(&loaded.face);
        for (start, character) in text.char_indices() {
            let end = start + character.len_utf8();
            shaped.glyphs.push(Glyph {
                id: u32::from(glyph.0),
                advance,
                dx: 0.0,
                dy: 0.0,
                start,
                end,
            });
        }
        shaped
    }
}

fn units_per_em(face: &Face<'_>) -> f32 {
    u16::try_from(face.units_per_em()).map_or(1000.0, f32::from).max(1.0)
}

/// Lengths inside a font fit 16 bits.
fn unit(length: i32) -> f32 {
    i16::try_from(length).map_or(0.0, f32::from)
}
