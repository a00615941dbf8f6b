//! C# 13 and 14.

use std::ops::Range;

use engine_model::Language;

use super::EXTENSION_CLASS;
use crate::lower::code::{Code, Edit, is_word};

/// Words that may stand in front of a declaration of a type.
const BEFORE_TYPES: [&str; 7] = [
    "public",
    "private",
    "protected",
    "internal",
    "file",
    "partial",
    "readonly",
];

/// Operators that an assignment may begin with.
const COMPOUND: [&str; 12] = [
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "??=", "<<=", ">>=", ">>>=",
];

/// `#:package OpenAI@2.6.0` and `#!/usr/bin/env dotnet` in a program of one file are left out.
pub(super) fn directives(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let end = code.line_end(at);
        let line = code.slice(at..end).trim_start();
        if line.starts_with("#:") || line.starts_with("#!") {
            edits.push(code.blank(at..end));
        }
        at = end + 1;
    }
    code.edited(edits)
}

/// `extension<T>(IChatClient client) where T : class { … }` becomes a class with a primary constructor; its name tells what it was.
pub(super) fn extension_blocks(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        if code.slice(word.clone()) != "extension" {
            continue;
        }
        let begins = code.last(word.start).and_then(|last| code.at(last));
        if !matches!(begins, Some(b'{' | b'}' | b';' | b']')) {
            continue;
        }
        let Some((open, close)) = receiver_list(&code, word.end) else {
            continue;
        };
        edits.push(code.put(word.clone(), &format!("class {EXTENSION_CLASS}")));
        let list = code.slice(open + 1..close);
        if names_nothing(list) {
            edits.push(code.blank(open..close + 1));
        }
    }
    code.edited(edits)
}

/// The round brackets behind the word, where a block follows them.
fn receiver_list(code: &Code<'_>, from: usize) -> Option<(usize, usize)> {
    let mut open = code.next(from)?;
    if code.at(open) == Some(b'<') {
        open = code.next(code.closing_angle(open)? + 1)?;
    }
    if code.at(open) != Some(b'(') {
        return None;
    }
    let close = code.closing(open)?;
    let mut at = code.next(close + 1)?;
    while code.at(at) != Some(b'{') {
        if matches!(code.at(at), Some(b';' | b'=' | b'}')) {
            return None;
        }
        at = code.next(at + 1)?;
    }
    Some((open, close))
}

/// Whether a receiver has a type and no name: its members are static.
fn names_nothing(list: &str) -> bool {
    let mut depth = 0_usize;
    let mut spaces = 0;
    let mut list = list.trim();
    while let Some(end) = list.strip_prefix('[').and_then(|_| list.find(']')) {
        list = list[end + 1..].trim_start();
    }
    for word in ["scoped ", "ref ", "readonly ", "in "] {
        list = list.strip_prefix(word).unwrap_or(list).trim_start();
    }
    for byte in list.bytes() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            b' ' | b'\n' if depth == 0 => spaces += 1,
            _ => {}
        }
    }
    spaces == 0
}

/// `union Reply(string, Error);` becomes a class without a list: its cases are types without names.
pub(super) fn unions(language: Language, text: &str) -> Option<String> {
    if !text.contains("union") {
        return None;
    }
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        if code.slice(word.clone()) != "union" {
            continue;
        }
        let begins = match code.last(word.start).and_then(|last| code.at(last)) {
            None | Some(b'{' | b'}' | b';' | b']') => true,
            Some(_) => BEFORE_TYPES.contains(&code.word_before(word.start)),
        };
        if let Some((open, close)) = cases(&code, word.end).filter(|_| begins) {
            edits.push(code.put(word.clone(), "class"));
            edits.push(code.blank(open..close + 1));
        }
    }
    code.edited(edits)
}

/// The round brackets with the cases of a union, behind its name and the parameters of its type.
fn cases(code: &Code<'_>, from: usize) -> Option<(usize, usize)> {
    let name = code.next(from).filter(|at| code.at(*at).is_some_and(is_word))?;
    let mut open = code.next(name + code.word_from(name).len())?;
    if code.at(open) == Some(b'<') {
        open = code.next(code.closing_angle(open)? + 1)?;
    }
    if code.at(open) != Some(b'(') {
        return None;
    }
    let close = code.closing(open)?;
    // A method of a type `union` names its parameters.
    let are_types = code.parts(open + 1..close).into_iter().all(|part| {
        let part = code.slice(part);
        !part.trim().is_empty() && names_nothing(part)
    });
    are_types.then_some((open, close))
}

/// Assignments through `?.`, parameters of lambdas with a modifier and no type, `operator +=`, and `allows ref struct`.
pub(super) fn expressions(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits: Vec<Edit> = Vec::new();
    for word in code.words() {
        match code.slice(word.clone()) {
            "operator" => {
                let Some(from) = code.next(word.end) else { continue };
                let rest = code.slice(from..(from + 4).min(code.len()));
                if let Some(operator) = COMPOUND.iter().find(|operator| rest.starts_with(**operator)) {
                    let end = from + operator.len();
                    edits.push(code.blank(end - 1..end));
                }
            }
            "allows" => {
                let rest = code.slice(word.start..code.line_end(word.start));
                if let Some(length) = ["allows ref struct", "allows  ref struct"]
                    .iter()
                    .find(|spelling| rest.starts_with(**spelling))
                    .map(|spelling| spelling.len())
                {
                    edits.push(code.put(word.start..word.start + length, "class"));
                }
            }
            _ => {}
        }
    }
    for at in 0..code.len() {
        match code.at(at) {
            Some(b'?') if matches!(code.at(at + 1), Some(b'.' | b'[')) && is_assigned_to(&code, at) => {
                edits.push(code.blank(at..at + 1));
            }
            Some(b'=') if code.at(at + 1) == Some(b'>') => edits.extend(modifiers(&code, at)),
            _ => {}
        }
    }
    code.edited(edits)
}

/// Whether the member or element behind `?` is assigned to.
fn is_assigned_to(code: &Code<'_>, question: usize) -> bool {
    let mut at = question;
    loop {
        match code.at(at) {
            Some(b'?') if matches!(code.at(at + 1), Some(b'.' | b'[')) => at += 1,
            Some(b'.' | b'!') => at += 1,
            Some(b'(' | b'[') => {
                let Some(close) = code.closing(at) else { return false };
                at = close + 1;
            }
            Some(byte) if is_word(byte) => at += 1,
            Some(byte) if byte.is_ascii_whitespace() => break,
            _ => break,
        }
    }
    let Some(at) = code.next(at) else { return false };
    let rest = code.slice(at..(at + 4).min(code.len()));
    COMPOUND.iter().any(|operator| rest.starts_with(operator))
        || rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
}

/// Modifiers of parameters without a type in front of an arrow: `(text, out value) =>`.
fn modifiers(code: &Code<'_>, arrow: usize) -> Vec<Edit> {
    let list = || -> Option<Range<usize>> {
        let close = code.last(arrow).filter(|at| code.at(*at) == Some(b')'))?;
        Some(code.opening(close)? + 1..close)
    };
    let Some(list) = list() else { return Vec::new() };
    let mut edits = Vec::new();
    for part in code.parts(list) {
        let text = code.slice(part.clone());
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((name, before)) = words.split_last() else {
            continue;
        };
        let modifies = |word: &&str| matches!(*word, "ref" | "out" | "in" | "scoped" | "readonly" | "params");
        if !before.is_empty() && before.iter().all(modifies) && name.bytes().all(is_word) {
            let from = part.start + (text.len() - text.trim_start().len());
            let to = part.start + text.rfind(name).unwrap_or(0);
            edits.push(code.blank(from..to));
        }
    }
    edits
}
