//! Go 1.26, Java 25, TypeScript 5.9, PHP 8.5, Python 3.13, Ruby 4.0 and Rust 2024.

use engine_model::Language;

use crate::lower::code::{Code, Edit, is_word};

/// `new(len(q) + 1)` is handed a value and no type; a function of another name may be.
pub(super) fn go(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        if code.slice(word.clone()) != "new" || code.at(word.end) != Some(b'(') {
            continue;
        }
        let Some(close) = code.closing(word.end) else { continue };
        let inside = code.slice(word.end + 1..close).trim();
        let value = inside.starts_with(|first: char| first.is_ascii_digit())
            || inside.contains(['(', '"', '`', '\'', '+', '-', '/', '%', '&', '|', '!', '<', '>']);
        if value && !inside.starts_with("func(") && !inside.starts_with("chan ") {
            edits.push(code.put(word, "ptr"));
        }
    }
    code.edited(edits)
}

/// `import module a.b;`, and a call of `super` or `this` behind other statements of a constructor.
pub(super) fn java(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        match code.slice(word.clone()) {
            "module" if code.word_before(word.start) == "import" => edits.push(code.blank(word)),
            name @ ("super" | "this") if code.next(word.end).is_some_and(|next| code.at(next) == Some(b'(')) => {
                let before = code.last(word.start).and_then(|last| code.at(last));
                if matches!(before, Some(b';' | b'}')) {
                    edits.push(code.put(word, if name == "super" { "supeR" } else { "thiS" }));
                }
            }
            _ => {}
        }
    }
    code.edited(edits)
}

/// `import defer * as`, `import source`, `static accessor`, `in out T`, and `export type *`.
pub(super) fn javascript(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        let next = code.next(word.end);
        let follows = next.map_or("", |next| code.word_from(next));
        let before = code.word_before(word.start);
        let byte = next.and_then(|next| code.at(next));
        let leave_out = match code.slice(word.clone()) {
            "defer" | "source" => before == "import" && (byte == Some(b'*') || !matches!(follows, "" | "from")),
            "accessor" => {
                !follows.is_empty() && !matches!(follows, "in" | "instanceof" | "as" | "satisfies")
                    || matches!(byte, Some(b'#'))
            }
            "in" => follows == "out",
            "out" => before == "in",
            "type" => before == "export" && byte == Some(b'*'),
            _ => false,
        };
        if leave_out {
            edits.push(code.blank(word));
        }
    }
    code.edited(edits)
}

/// `(void) call()`, and `final` in front of a parameter.
pub(super) fn php(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        let before = code.last(word.start);
        match code.slice(word.clone()) {
            "final" if before.is_some_and(|last| matches!(code.at(last), Some(b'(' | b',' | b']'))) => {
                edits.push(code.blank(word));
            }
            "void" => {
                if let Some(open) = before.filter(|last| code.at(*last) == Some(b'('))
                    && let Some(close) = code.next(word.end).filter(|next| code.at(*next) == Some(b')'))
                    && code
                        .last(open)
                        .is_none_or(|last| matches!(code.at(last), Some(b';' | b'{' | b'}')))
                {
                    edits.push(code.blank(open..close + 1));
                }
            }
            _ => {}
        }
    }
    code.edited(edits)
}

/// Defaults of type parameters: `class Desk[T = str]`.
pub(super) fn python(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        if !matches!(code.slice(word.clone()), "class" | "def" | "type") {
            continue;
        }
        let Some(name) = code.next_in_line(word.end) else {
            continue;
        };
        let open = name + code.word_from(name).len();
        if open == name || code.at(open) != Some(b'[') {
            continue;
        }
        let Some(close) = code.closing(open) else { continue };
        for part in code.parts(open + 1..close) {
            let equals = part.clone().find(|at| code.at(*at) == Some(b'='));
            if let Some(equals) = equals {
                edits.push(code.blank(equals..part.end));
            }
        }
    }
    code.edited(edits)
}

/// `&&`, `||`, `and` or `or` at the beginning of a line goes to the end of the line before.
pub(super) fn ruby(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let end = code.line_end(at);
        let first = (at..end).find(|place| !code.slice(*place..place + 1).trim().is_empty());
        if let Some(first) = first {
            let operator = ["&&", "||", "and ", "or "]
                .into_iter()
                .find(|operator| code.has(first, operator));
            if let Some(operator) = operator
                && let Some(last) = code.last(first)
            {
                // A comment behind the line before stays where it is.
                let whole = code.slice(last + 1..first);
                let written_out = code.slice(last + 1..code.line_end(last));
                if written_out.trim().is_empty() || !whole.contains('"') {
                    edits.push(Edit {
                        range: last + 1..last + 1,
                        with: format!(" {}", operator.trim_end()),
                    });
                    edits.push(code.blank(first..first + operator.trim_end().len()));
                }
            }
        }
        at = end + 1;
    }
    code.edited(edits)
}

/// `safe fn`, `unsafe static`, `const trait`, `impl const`, and `Limits { rounds: 2, .. }`.
pub(super) fn rust(language: Language, text: &str) -> Option<String> {
    let code = Code::new(language, text);
    let mut edits = Vec::new();
    for word in code.words() {
        let next = code.next(word.end);
        let follows = next.map_or("", |next| code.word_from(next));
        let before = code.word_before(word.start);
        let leave_out = match code.slice(word.clone()) {
            "safe" => matches!(follows, "fn" | "static"),
            "unsafe" => follows == "static",
            "const" => follows == "trait" || before == "impl",
            _ => false,
        };
        if leave_out {
            edits.push(code.blank(word));
        }
    }
    for at in 0..code.len() {
        let ends = || code.next(at + 2).and_then(|next| code.at(next)) == Some(b'}');
        let behind = || code.last(at).and_then(|last| code.at(last)) == Some(b',');
        if code.has(at, "..") && !code.at(at + 2).is_some_and(is_word) && ends() && behind() {
            edits.push(code.blank(at..at + 2));
        }
    }
    code.edited(edits)
}
