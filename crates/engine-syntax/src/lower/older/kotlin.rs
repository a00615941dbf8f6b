//! Kotlin 2.2 and 2.3, and bodies on one line.

use std::ops::Range;

use engine_model::Language;

use crate::lower::code::{Code, Edit, is_word};

/// Words after `context(…)` up to the declaration that it belongs to.
const WORDS_MAX: usize = 8;

/// `is Text if text.isEmpty() ->` becomes a second condition: `is Text ,  text.isEmpty() ->`; `else if x ->` becomes `x ->`.
pub(super) fn guards(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        if code.slice(word.clone()) != "if" || !leads_to_an_arrow(&code, word.end) {
            continue;
        }
        let Some(last) = code.last(word.start) else { continue };
        if code.slice(last..word.start).contains('\n') {
            continue;
        }
        let before = code.word_up_to(last + 1);
        if before == "else" {
            edits.push(code.blank(last - 3..word.end));
        } else if code
            .at(last)
            .is_some_and(|byte| is_word(byte) || matches!(byte, b')' | b'>' | b'?'))
            && !matches!(before, "return" | "in" | "is" | "throw")
        {
            edits.push(code.put(word, ","));
        }
    }
    code.edited(edits)
}

/// Whether `->` comes before anything that ends a condition.
fn leads_to_an_arrow(code: &Code<'_>, from: usize) -> bool {
    let mut at = from;
    while let Some(next) = code.next(at) {
        match code.at(next) {
            Some(b'(' | b'[') => {
                let Some(close) = code.closing(next) else { return false };
                at = close + 1;
                continue;
            }
            Some(b'{' | b'}' | b';' | b')' | b']') => return false,
            Some(b'-') if code.at(next + 1) == Some(b'>') => return true,
            Some(byte) if is_word(byte) => {
                let word = code.word_from(next);
                if word == "else" {
                    return false;
                }
                at = next + word.len();
                continue;
            }
            _ => {}
        }
        at = next + 1;
    }
    false
}

/// Context parameters become parameters at the end of the list; in types they are left out.
pub(super) fn contexts(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        if code.slice(word.clone()) != "context" {
            continue;
        }
        let before = code.last(word.start).and_then(|last| code.at(last));
        let Some(open) = code.next(word.end).filter(|open| code.at(*open) == Some(b'(')) else {
            continue;
        };
        let Some(close) = code.closing(open) else { continue };
        if before == Some(b'.') {
            continue;
        }
        let Some(next) = code.next(close + 1) else { continue };
        let list = code.slice(open + 1..close);
        if code.at(next) == Some(b'(') {
            edits.push(code.blank(word.start..close + 1));
        } else if list.contains(':')
            && let Some(declared) = declared(&code, next)
        {
            edits.push(code.blank(word.start..close + 1));
            edits.extend(handed_on(&code, open + 1..close, declared));
        }
    }
    code.edited(edits)
}

/// The declaration that begins at a place, behind annotations and modifiers: its word.
fn declared(code: &Code<'_>, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    for _ in 0..WORDS_MAX {
        at = code.next(at)?;
        match code.at(at)? {
            b'@' => {
                at += 1;
                continue;
            }
            b'(' => {
                at = code.closing(at)? + 1;
                continue;
            }
            byte if is_word(byte) => {}
            _ => return None,
        }
        let word = code.word_from(at);
        if matches!(word, "fun" | "val" | "var" | "class" | "interface" | "object") {
            return Some(at..at + word.len());
        }
        at += word.len();
    }
    None
}

/// The context parameters with a name, behind the other parameters of a function.
fn handed_on(code: &Code<'_>, list: Range<usize>, declared: Range<usize>) -> Option<Edit> {
    if code.slice(declared.clone()) != "fun" {
        return None;
    }
    let mut at = code.next(declared.end)?;
    if code.at(at) == Some(b'<') {
        at = code.next(code.closing_angle(at)? + 1)?;
    }
    while code.at(at) != Some(b'(') {
        if matches!(code.at(at), Some(b'{' | b'}' | b'=' | b';')) {
            return None;
        }
        at = code.next(at + 1)?;
    }
    let close = code.closing(at)?;
    let own = code.slice(at + 1..close).trim();
    let named: Vec<String> = code
        .parts(list)
        .into_iter()
        .map(|part| code.slice(part).replace('\n', " ").trim().to_owned())
        .filter(|part| !part.is_empty() && !part.starts_with("_:") && !part.starts_with("_ :"))
        .collect();
    if named.is_empty() {
        return None;
    }
    let comma = if own.is_empty() || own.ends_with(',') { "" } else { ", " };
    Some(Edit {
        range: close..close,
        with: format!("{comma}{}", named.join(", ")),
    })
}

/// `@all:Email`, `$$"…"`, `val [a, b] = x` and `(val a, val b = c) = x`.
pub(super) fn names(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        match code.slice(word.clone()) {
            "all" if code.at(word.start.wrapping_sub(1)) == Some(b'@') && code.at(word.end) == Some(b':') => {
                edits.push(code.put(word, "get"));
            }
            "val" | "var" => {
                let Some(open) = code.next(word.end).filter(|open| code.at(*open) == Some(b'[')) else {
                    continue;
                };
                if let Some(close) = code.closing(open) {
                    edits.push(code.put(open..open + 1, "("));
                    edits.push(code.put(close..close + 1, ")"));
                }
            }
            _ => {}
        }
    }
    let mut at = 0;
    while at < code.len() {
        if code.at(at) == Some(b'$') {
            let from = at;
            while code.at(at) == Some(b'$') {
                at += 1;
            }
            if code.slice(at..at + 1) == "\"" && at > from + 1 {
                edits.push(code.blank(from..at));
            }
        }
        if code.at(at) == Some(b'(')
            && let Some((close, names)) = named_parts(&code, at)
        {
            let edit = code.put(at..close + 1, &format!("val ({})", names.join(", ")));
            edits.push(edit);
        }
        at += 1;
    }
    code.edited(edits)
}

/// The names that `(val a, val b = c) =` at the beginning of a statement binds.
fn named_parts(code: &Code<'_>, open: usize) -> Option<(usize, Vec<String>)> {
    let first = code.word_from(code.next(open + 1)?);
    let begins = code.slice(code.line_start(open)..open).trim().is_empty()
        || matches!(code.last(open).and_then(|last| code.at(last)), Some(b'{' | b';'));
    if !matches!(first, "val" | "var") || !begins {
        return None;
    }
    let close = code.closing(open)?;
    let equals = code.next(close + 1)?;
    if code.at(equals) != Some(b'=') || code.at(equals + 1) == Some(b'=') {
        return None;
    }
    let names = code.parts(open + 1..close).into_iter().filter_map(|part| {
        let part = code.slice(part).trim();
        let part = part
            .strip_prefix("val ")
            .or_else(|| part.strip_prefix("var "))
            .unwrap_or(part);
        let name = part.split(['=', ':']).next()?.trim();
        (!name.is_empty()).then(|| name.to_owned())
    });
    Some((close, names.collect()))
}

/// A function without a body in a body on one line: the grammar wants an end before the bracket.
pub(super) fn one_line_bodies(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        if code.slice(word.clone()) != "fun" {
            continue;
        }
        let line_end = code.line_end(word.start);
        let Some(open) = (word.end..line_end).find(|at| code.at(*at) == Some(b'(')) else {
            continue;
        };
        let Some(close) = code.closing(open).filter(|close| *close < line_end) else {
            continue;
        };
        let ends = (close + 1..line_end).find(|at| matches!(code.at(*at), Some(b'{' | b'=' | b';' | b'}')));
        if let Some(end) = ends.filter(|end| code.at(*end) == Some(b'}')) {
            edits.push(Edit {
                range: end..end,
                with: ";".to_owned(),
            });
        }
    }
    code.edited(edits)
}

/// An explicit backing field is the value of its property: the name and type of the field are left out.
pub(super) fn backing_fields(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        if code.slice(word.clone()) != "field" {
            continue;
        }
        let Some(last) = code.last(word.start) else { continue };
        let line = code.slice(code.line_start(last)..last + 1);
        let declares = line.split_whitespace().any(|word| matches!(word, "val" | "var")) && !line.contains('=');
        let line_end = code.line_end(word.start);
        let equals = (word.end..line_end).find(|at| code.at(*at) == Some(b'='));
        if let Some(equals) = equals.filter(|_| declares) {
            // The value goes to the line of the property, and the line stays as it was counted.
            let breaks = code.slice(last + 1..equals).matches('\n').count();
            let value = code.slice(equals..line_end);
            edits.push(Edit {
                range: last + 1..line_end,
                with: format!(" {value}{}", "\n".repeat(breaks)),
            });
        }
    }
    code.edited(edits)
}
