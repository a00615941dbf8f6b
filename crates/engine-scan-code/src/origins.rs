//! Where the names of models are written that their providers retire: carried along while texts are resolved.
//!
//! Only names with a date are kept, each once for the place where it stands; a text that was handed on is told again by its address.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use engine_catalogue::catalogue;
use rustc_hash::FxHashMap as HashMap;

use crate::values::{ExprRef, Part, Value};
use crate::world::World;

/// Letters of a longest name that has a date.
const NAME_MAX: usize = 80;

/// Beginnings of names that have neither a number nor a version in them.
const UNNUMBERED: [&str; 5] = ["deepseek-", "command-", "gemini-", "kimi-", "codex-"];

/// Where a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// An expression of the code.
    Code(ExprRef),
    /// A line of a file of settings, by the number of the file.
    File(u32, u32),
}

/// What is known of the places of such names.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// Files of settings by number.
    files: RefCell<Vec<String>>,
    /// The text of a place: kept, so that its address stays its own.
    texts: RefCell<HashMap<Origin, Rc<str>>>,
    /// Places by the address of their text.
    places: RefCell<HashMap<usize, Origin>>,
    /// Names that were read since somebody began to ask.
    seen: RefCell<Vec<Origin>>,
}

fn address(text: &Rc<str>) -> usize {
    Rc::as_ptr(text).cast::<u8>().addr()
}

/// Whether a text is the name of a model that its provider retires.
pub(crate) fn may_end(text: &str) -> bool {
    (4..=NAME_MAX).contains(&text.len())
        && text.contains('-')
        && (text.bytes().any(|byte| byte.is_ascii_digit()) || UNNUMBERED.iter().any(|start| text.starts_with(start)))
        && catalogue().model(text).is_some_and(|known| known.retired.is_some())
}

impl Origins {
    /// The number of a file of settings.
    pub(crate) fn file(&self, path: &str) -> u32 {
        let mut files = self.files.borrow_mut();
        let at = files.iter().position(|known| known == path).unwrap_or_else(|| {
            files.push(path.to_owned());
            files.len() - 1
        });
        crate::values::id(at)
    }

    /// The path of a file of settings.
    pub(crate) fn path(&self, number: u32) -> Option<String> {
        self.files.borrow().get(number as usize).cloned()
    }

    /// A text with its place.
    pub(crate) fn text(&self, at: Origin, text: &str) -> Rc<str> {
        if !may_end(text) {
            return Rc::from(text);
        }
        if let Some(known) = self.texts.borrow().get(&at).filter(|known| ***known == *text) {
            return Rc::clone(known);
        }
        let new: Rc<str> = Rc::from(text);
        // A second text of one place is handed on without it.
        if let Entry::Vacant(free) = self.texts.borrow_mut().entry(at) {
            self.places.borrow_mut().insert(address(&new), at);
            free.insert(Rc::clone(&new));
        }
        new
    }

    /// Begins to note which names are read.
    pub(crate) fn begin(&self) {
        self.seen.borrow_mut().clear();
    }

    /// Notes the names in a text that is read.
    pub(crate) fn note(&self, parts: &[Part]) {
        let places = self.places.borrow();
        if places.is_empty() {
            return;
        }
        for part in parts {
            if let Part::Known(text) = part
                && let Some(at) = places.get(&address(text))
            {
                self.seen.borrow_mut().push(*at);
            }
        }
    }

    /// The place of a name among those that were read: `openai:gpt-4.1` is written for `gpt-4.1`.
    pub(crate) fn of(&self, name: &str) -> Option<Origin> {
        let texts = self.texts.borrow();
        let is = |at: &&Origin| {
            texts.get(*at).is_some_and(|text| {
                text.strip_suffix(name)
                    .is_some_and(|head| head.is_empty() || head.ends_with(['/', ':']))
            })
        };
        self.seen.borrow().iter().find(is).copied()
    }
}

impl World<'_> {
    /// A text that stands at a place.
    pub(crate) fn text_at(&self, at: Origin, text: &str) -> Value {
        Value::Text(Rc::from([Part::Known(self.origins.text(at, text))]))
    }

    /// A text that stands in a file of settings.
    pub(crate) fn text_in(&self, file: &str, line: u32, text: &str) -> Value {
        if line == 0 {
            return crate::resolve::text(text);
        }
        self.text_at(Origin::File(self.origins.file(file), line), text)
    }
}

/// The line on which a file of settings gives a key its value; 0 for what need not be found again.
pub(crate) fn line_of(text: &str, key: &str, value: &str) -> u32 {
    if !may_end(value) {
        return 0;
    }
    let mut keys = key.split('.').peekable();
    let mut first = None;
    let mut wanted = keys.next().unwrap_or(key);
    for (number, line) in (1..).zip(text.lines()) {
        let last = keys.peek().is_none();
        if line.contains(value) && line.contains(key.rsplit('.').next().unwrap_or(key)) {
            first = first.or(Some(number));
            if last && line.contains(wanted) {
                return number;
            }
        }
        if line.contains(wanted)
            && let Some(next) = keys.next()
        {
            wanted = next;
        }
    }
    first.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{line_of, may_end};

    #[test]
    fn a_key_is_found_again_below_its_section() {
        let text = "{\n  \"Claude\": {\n    \"Model\": \"gpt-4o-mini\"\n  },\n  \"OpenAI\": {\n    \"Model\": \"gpt-4o-mini\"\n  }\n}\n";
        assert_eq!(line_of(text, "OpenAI.Model", "gpt-4o-mini"), 6);
        assert_eq!(line_of(text, "Claude.Model", "gpt-4o-mini"), 3);
        assert_eq!(line_of(text, "OpenAI.Model", "gpt-6.1-sol"), 0);
    }

    #[test]
    fn only_names_with_a_date_are_kept() {
        assert!(may_end("gpt-4o") && may_end("openai:gpt-4.1-mini") && may_end("deepseek-chat"));
        assert!(!may_end("btn-4") && !may_end("gpt-6.1-sol") && !may_end("a text about gpt-4o"));
    }
}
