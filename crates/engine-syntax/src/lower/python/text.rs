//! Python pieces that are read from their text: types, dotted names, the content of strings.

use ecow::EcoString;
use std::iter::Peekable;
use std::str::CharIndices;
use thin_vec::{ThinVec, thin_vec};

use crate::ir::{Pattern, TypeRef};
use crate::lower::builder::{Unknown, unescape};

/// Brackets in a type beyond which the rest is left out.
const TYPE_DEPTH_MAX: u32 = 24;

/// A dotted name without the white space that Python allows in it.
pub(super) fn dotted(text: &str) -> String {
    text.chars().filter(|ch| !ch.is_whitespace() && *ch != '\\').collect()
}

/// What a bare name in a `match` pattern binds.
pub(super) fn bound(name: &str) -> Pattern {
    if name == "_" {
        Pattern::Ignore
    } else {
        Pattern::Name(name.into())
    }
}

/// A pattern of parts, nothing when no part binds.
pub(super) fn tuple(parts: ThinVec<Pattern>) -> Pattern {
    if parts.iter().all(|part| *part == Pattern::Ignore) {
        Pattern::Ignore
    } else {
        Pattern::Tuple(parts)
    }
}

/// A pattern of named parts, nothing when no part binds.
pub(super) fn object(parts: ThinVec<(EcoString, Pattern)>) -> Pattern {
    if parts.iter().all(|(_, part)| *part == Pattern::Ignore) {
        Pattern::Ignore
    } else {
        Pattern::Object(parts)
    }
}

/// The text between plain quotes.
pub(super) fn unquoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|ch| matches!(ch, '"' | '\''))?;
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// The text that the content of a string literal means.
pub(super) fn content(text: &str, raw: bool, format: bool) -> String {
    let resolved = if raw {
        text.to_owned()
    } else {
        unescape(text, Unknown::Kept)
    };
    if format && resolved.contains(['{', '}']) {
        return resolved.replace("{{", "{").replace("}}", "}");
    }
    resolved
}

/// Reads a type: `Optional[OpenAI]`, `a.B | None`, `"Forward"`, `Callable[[A], B]`. `None` leaves a union.
pub(super) fn type_ref(text: &str) -> TypeRef {
    let mut reader = Reader {
        text,
        chars: text.char_indices().peekable(),
        depth: 0,
    };
    reader.union()
}

struct Reader<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    depth: u32,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        while self
            .chars
            .next_if(|(_, ch)| ch.is_whitespace() || matches!(ch, '\'' | '"' | '(' | ')' | '*'))
            .is_some()
        {}
    }

    fn union(&mut self) -> TypeRef {
        let first = self.single();
        let mut members = thin_vec![first];
        loop {
            self.skip_space();
            if self.chars.next_if(|(_, ch)| *ch == '|').is_none() {
                break;
            }
            members.push(self.single());
        }
        if members.len() > 1 {
            members.retain(|member| &*member.name != "None");
        }
        match <[TypeRef; 1]>::try_from(members) {
            Ok([only]) => only,
            Err(members) => TypeRef {
                name: "|".into(),
                args: members,
            },
        }
    }

    fn single(&mut self) -> TypeRef {
        self.skip_space();
        let start = self.chars.peek().map_or(self.text.len(), |(at, _)| *at);
        let mut end = start;
        while let Some((at, ch)) = self
            .chars
            .next_if(|(_, ch)| !ch.is_whitespace() && !matches!(ch, '[' | ']' | ',' | '|' | '"' | '\'' | '(' | ')'))
        {
            end = at + ch.len_utf8();
        }
        let name = &self.text[start..end];
        self.skip_space();
        let mut args = ThinVec::new();
        if self.chars.peek().is_some_and(|(_, ch)| *ch == '[') && self.depth < TYPE_DEPTH_MAX {
            self.chars.next();
            self.depth += 1;
            loop {
                self.skip_space();
                match self.chars.peek() {
                    None => break,
                    Some((_, ']')) => {
                        self.chars.next();
                        break;
                    }
                    Some((_, ',' | '|')) => {
                        self.chars.next();
                    }
                    Some(_) => {
                        let before = self.chars.peek().map(|(at, _)| *at);
                        args.push(self.union());
                        if self.chars.peek().map(|(at, _)| *at) == before {
                            self.chars.next();
                        }
                    }
                }
            }
            self.depth -= 1;
        }
        let name = if name.is_empty() && !args.is_empty() {
            "[]"
        } else {
            name
        };
        TypeRef {
            name: name.into(),
            args,
        }
    }
}
