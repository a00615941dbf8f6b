//! Pages: the texts that the content of a page shows, with their places.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hayro_syntax::content::UntypedIter;
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::{Page, Resources};

use super::fonts::{self, Font};
use super::{OPERATORS_MAX, TEXT_BYTES_MAX, filters};

/// Forms within forms.
const FORMS_DEPTH_MAX: usize = 4;
/// Kinds of resources, each of which is looked up for a form of its own.
const RESOURCES: usize = 8;
/// Forms of all pages that are read.
const FORMS_MAX: usize = 2000;
/// States that are put aside.
const STATES_MAX: usize = 64;
/// Parts of the content of one page.
const PARTS_MAX: usize = 1000;
/// Fonts of all pages that are read.
const FONTS_MAX: usize = 1000;
/// A gap that parts words, in thousandths of the size.
const GAP_MIN: f32 = 180.0;

/// A piece of text on a page.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// Page from 0.
    pub(crate) page: usize,
    /// Where it begins.
    pub(crate) x: f32,
    /// Where it ends.
    pub(crate) end: f32,
    /// Its base line; larger is higher.
    pub(crate) y: f32,
    /// Height of its letters.
    pub(crate) size: f32,
    /// Whether it is bold.
    pub(crate) bold: bool,
    /// The text.
    pub(crate) text: String,
}

/// A matrix of six numbers.
type Matrix = [f32; 6];

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// Reads the pages of a document.
pub(crate) struct Reader {
    spans: Vec<Span>,
    budget: usize,
    operators: usize,
    bytes: usize,
    forms: usize,
    /// References that may still be followed; each can lead to an object that is as long as the longest of the file.
    lookups: usize,
    pages: usize,
    fonts: BTreeMap<(u32, i32), Rc<Font>>,
    /// Objects that are shown and are no forms.
    pictures: BTreeSet<(u32, i32)>,
    read_fonts: usize,
    full: bool,
}

/// How text is shown.
#[derive(Clone)]
struct State {
    space: Matrix,
    font: Option<Rc<Font>>,
    size: f32,
    leading: f32,
    between: f32,
    words: f32,
}

impl Reader {
    pub(crate) fn new(budget: usize, lookups: usize) -> Self {
        Self {
            spans: Vec::new(),
            budget,
            operators: 0,
            bytes: 0,
            forms: 0,
            lookups,
            pages: 0,
            fonts: BTreeMap::new(),
            pictures: BTreeSet::new(),
            read_fonts: 0,
            full: false,
        }
    }

    /// Whether a limit was reached.
    pub(crate) const fn is_full(&self) -> bool {
        self.full
    }

    /// The pieces of text in the order of the contents.
    pub(crate) fn spans(self) -> Vec<Span> {
        self.spans
    }

    /// Reads one page.
    pub(crate) fn read(&mut self, page: &Page<'_>) {
        let content = self.content(page.raw());
        let state = State {
            space: IDENTITY,
            font: None,
            size: 0.0,
            leading: 0.0,
            between: 0.0,
            words: 0.0,
        };
        self.run(&content, page.resources(), state, 0);
        self.pages += 1;
    }

    /// The content of a page, which can be in several streams.
    fn content(&mut self, page: &Dict<'_>) -> Vec<u8> {
        let mut content = Vec::new();
        if !self.looks_up() {
            return content;
        }
        match page.get::<Object<'_>>("Contents") {
            Some(Object::Stream(stream)) => self.part(&stream, &mut content),
            Some(Object::Array(array)) => {
                // Each part takes its length off the budget before the next one is looked for.
                for part in array.iter::<Stream<'_>>().take(PARTS_MAX) {
                    if self.full || !self.looks_up() {
                        break;
                    }
                    self.part(&part, &mut content);
                }
            }
            _ => {}
        }
        content
    }

    fn part(&mut self, part: &Stream<'_>, content: &mut Vec<u8>) {
        match filters::unpack(part, &mut self.budget) {
            Some(bytes) => content.extend_from_slice(&bytes),
            None => self.full |= self.budget == 0,
        }
        content.push(b'\n');
    }

    /// Takes one off the references that may still be followed.
    fn looks_up(&mut self) -> bool {
        let rest = self.lookups.checked_sub(1);
        self.full |= rest.is_none();
        self.lookups = rest.unwrap_or(0);
        rest.is_some()
    }

    fn run(&mut self, content: &[u8], resources: &Resources<'_>, mut state: State, depth: usize) {
        let mut kept: Vec<State> = Vec::new();
        let (mut text, mut line) = (IDENTITY, IDENTITY);
        let mut operators = UntypedIter::new(content);
        while let Some(instruction) = operators.next() {
            self.operators += 1;
            if self.operators > OPERATORS_MAX || self.bytes > TEXT_BYTES_MAX {
                self.full = true;
                return;
            }
            let operands: Vec<&Object<'_>> = instruction.operands().collect();
            let number = |at: usize| match operands.get(at) {
                Some(Object::Number(number)) => number.as_f32(),
                _ => 0.0,
            };
            let six = || [number(0), number(1), number(2), number(3), number(4), number(5)];
            match &**instruction.operator {
                b"q" if kept.len() < STATES_MAX => kept.push(state.clone()),
                b"Q" => {
                    if let Some(known) = kept.pop() {
                        state = known;
                    }
                }
                b"cm" => state.space = product(&six(), &state.space),
                b"BT" => (text, line) = (IDENTITY, IDENTITY),
                b"Tf" => {
                    if let Some(Object::Name(name)) = operands.first() {
                        state.font = self.font(name, resources);
                    }
                    state.size = number(1);
                }
                b"TL" => state.leading = number(0),
                b"Tc" => state.between = number(0),
                b"Tw" => state.words = number(0),
                b"Td" | b"TD" => {
                    if &**instruction.operator == b"TD" {
                        state.leading = -number(1);
                    }
                    line = product(&[1.0, 0.0, 0.0, 1.0, number(0), number(1)], &line);
                    text = line;
                }
                b"Tm" => {
                    line = six();
                    text = line;
                }
                b"T*" => {
                    line = product(&[1.0, 0.0, 0.0, 1.0, 0.0, -state.leading], &line);
                    text = line;
                }
                b"Tj" | b"TJ" => self.show(operands.first().copied(), &state, &mut text),
                b"'" | b"\"" => {
                    line = product(&[1.0, 0.0, 0.0, 1.0, 0.0, -state.leading], &line);
                    text = line;
                    self.show(operands.last().copied(), &state, &mut text);
                }
                b"Do" => {
                    if let Some(Object::Name(name)) = operands.first() {
                        self.form(name, resources, &state, depth);
                    }
                }
                _ => {}
            }
        }
    }

    /// Reads a form, which is content that several pages can share.
    fn form(&mut self, name: &Name<'_>, resources: &Resources<'_>, state: &State, depth: usize) {
        let id = resources.x_objects.get_ref(name).map(|id| {
            let id: ObjectIdentifier = id.into();
            (id.obj_number, id.gen_number)
        });
        let is_known = id.is_some_and(|id| self.pictures.contains(&id));
        if is_known || depth >= FORMS_DEPTH_MAX || self.forms >= FORMS_MAX || !self.looks_up() {
            return;
        }
        let form = resources.get_x_object(name);
        let is_form = |form: &Stream<'_>| form.dict().get::<Name<'_>>("Subtype").as_deref() == Some(b"Form");
        let Some(form) = form.filter(is_form) else {
            // A picture on every page is looked up once.
            self.pictures.extend(id);
            return;
        };
        self.forms += 1;
        let Some(content) = filters::unpack(&form, &mut self.budget) else {
            self.full |= self.budget == 0;
            return;
        };
        let mut state = state.clone();
        if let Some(matrix) = form.dict().get::<Array<'_>>("Matrix") {
            let mut six = IDENTITY;
            for (slot, number) in six.iter_mut().zip(matrix.iter::<f32>()) {
                *slot = number;
            }
            state.space = product(&six, &state.space);
        }
        match form.dict().get::<Dict<'_>>("Resources") {
            Some(own) => {
                // Each kind of resource can be an object of its own.
                self.lookups = self.lookups.saturating_sub(RESOURCES);
                self.run(&content, &Resources::new(own), state, depth + 1);
            }
            None => self.run(&content, resources, state, depth + 1),
        }
    }

    fn font(&mut self, name: &Name<'_>, resources: &Resources<'_>) -> Option<Rc<Font>> {
        let id = resources.fonts.get_ref(name).map(|id| {
            let id: ObjectIdentifier = id.into();
            (id.obj_number, id.gen_number)
        });
        if let Some(known) = id.and_then(|id| self.fonts.get(&id)) {
            return Some(Rc::clone(known));
        }
        if self.read_fonts >= FONTS_MAX || !self.looks_up() {
            self.full = true;
            return None;
        }
        self.read_fonts += 1;
        let font = Rc::new(Font::read(&resources.get_font(name)?, &mut self.budget));
        if let Some(id) = id {
            self.fonts.insert(id, Rc::clone(&font));
        }
        Some(font)
    }

    /// Shows a text, or an array of texts with moves between them.
    fn show(&mut self, operand: Option<&Object<'_>>, state: &State, text: &mut Matrix) {
        let Some(font) = &state.font else {
            return;
        };
        let begin = product(text, &state.space);
        let size = (begin[2].hypot(begin[3]) * state.size).abs();
        let mut shown = String::new();
        let mut passed = 0.0_f32;
        let put = |bytes: &[u8], shown: &mut String, passed: &mut f32| {
            font.decode(bytes, |characters, width| {
                if shown.len() < TEXT_BYTES_MAX {
                    shown.push_str(characters);
                }
                *passed += width / 1000.0 * state.size + state.between;
                if characters == " " {
                    *passed += state.words;
                }
            });
        };
        match operand {
            Some(Object::String(string)) => put(fonts::bytes(string), &mut shown, &mut passed),
            Some(Object::Array(array)) => {
                for object in array.iter::<Object<'_>>() {
                    match object {
                        Object::String(string) => put(fonts::bytes(&string), &mut shown, &mut passed),
                        Object::Number(number) => {
                            let back = number.as_f32();
                            if back < -GAP_MIN && !shown.ends_with(' ') {
                                shown.push(' ');
                            }
                            passed -= back / 1000.0 * state.size;
                        }
                        _ => {}
                    }
                }
            }
            _ => return,
        }
        *text = product(&[1.0, 0.0, 0.0, 1.0, passed, 0.0], text);
        let end = product(text, &state.space);
        self.bytes = self.bytes.saturating_add(shown.len());
        if shown.is_empty() || !(begin[4].is_finite() && begin[5].is_finite() && end[4].is_finite() && size.is_finite())
        {
            return;
        }
        self.spans.push(Span {
            page: self.pages,
            x: begin[4],
            end: end[4],
            y: begin[5],
            size,
            bold: font.bold,
            text: shown,
        });
    }
}

/// The product of two matrices: the first is applied first.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    ]
}
