//! Reads on where a grammar gives up, so that an error costs its own statement and not the file.
//!
//! Only a text with errors comes here. First what a grammar does not know yet is written in an older form with the same meaning. Where a
//! parser still loses its way over more than a row, rows are left out one after another, as long as more calls, functions, classes and
//! imports come of it. Lines stay what they are; what was not read is noted in the module.

use engine_model::{Language, LineRange};

use super::builder;
use super::losses::{self, Losses};
use super::older;
use crate::ir::{Expr, Module};

/// Bytes that are parsed once more in all while rows of one text are left out.
const AGAIN_BYTES_MAX: usize = 192 * 1024;

/// Rows that are left out one after another in one text.
const ROUNDS_MAX: usize = 6;

/// Rows at which one round begins.
const STARTS_MAX: usize = 4;

/// Bytes of a text in which rows are left out where its errors stay within one row each.
const SMALL_BYTES_MAX: usize = 32 * 1024;

/// Tries for such a text.
const TRIES_IN_ROW: usize = 4;

/// Rows that may be left out for a text without errors, as long as no call is.
const ROWS_MAX: usize = 3;

/// How far around a row what it belongs to is left out.
const WIDER_MAX: usize = 4;

/// Ranges of lines that one module names.
pub(super) const RANGES_MAX: usize = 50;

/// One way to read a text.
struct Reading {
    text: String,
    module: Module,
    losses: Losses,
    /// Rows that were left out.
    out: Vec<(u32, u32)>,
}

impl Reading {
    /// What was understood, as a number that grows with it.
    fn worth(&self) -> usize {
        let module = &self.module;
        self.calls() + 2 * (module.functions.len() + module.classes.len()) + 4 * module.imports.len()
    }

    fn calls(&self) -> usize {
        let exprs = self.module.exprs.iter();
        exprs.filter(|node| matches!(node.kind, Expr::Call { .. })).count()
    }

    /// Whether the rest of a text is whole without a few rows, and nothing that matters is lost with them: an error over several rows
    /// takes classes and functions apart.
    fn is_whole_beside(&self, other: &Self, left_out: &[&str]) -> bool {
        let (own, before) = (&self.module, &other.module);
        // What is called is followed by a bracket: without one, a call less was none.
        let keeps_calls = self.calls() >= other.calls() || !left_out.iter().any(|row| row.contains('('));
        left_out.len() <= ROWS_MAX
            && self.losses.is_none()
            && !other.losses.torn.is_empty()
            && keeps_calls
            && own.imports.len() >= before.imports.len()
            && own.functions.len() + 1 >= before.functions.len()
            && own.classes.len() + 1 >= before.classes.len()
    }

    /// Whether less is lost than before, and hardly less understood: what was misread can look like more calls.
    fn is_better_than(&self, other: &Self) -> bool {
        let fewer = self.losses.bytes < other.losses.bytes;
        fewer && (self.losses.is_none() || self.worth() * 10 >= other.worth() * 9)
    }
}

/// Lowers a text, with what its grammar does not know read another way.
pub(super) fn lower(language: Language, text: &str) -> Option<Module> {
    let older = older::misread(language, text);
    let text = older.as_deref().unwrap_or(text);
    builder::losses();
    let module = super::lower_once(language, text)?;
    let losses = builder::losses();
    // The cells of a notebook are read one by one.
    if losses.is_none() || language == Language::Notebook {
        return Some(module);
    }
    let mut in_part = builder::parsed_in_part();
    let mut best = Reading {
        text: text.to_owned(),
        module,
        losses,
        out: Vec::new(),
    };
    let mut read = |text: String, out: Vec<(u32, u32)>| {
        let module = super::lower_once(language, &text)?;
        let losses = builder::losses();
        let whole = !builder::parsed_in_part();
        let reading = Reading {
            text,
            module,
            losses,
            out,
        };
        whole.then_some(reading)
    };
    if !in_part {
        for rewrite in older::rewrites(language) {
            if let Some(text) = rewrite(language, &best.text)
                && let Some(reading) = read(text, Vec::new())
                && reading.is_better_than(&best)
            {
                best = reading;
            }
            if best.losses.is_none() {
                break;
            }
        }
        if !best.losses.is_none()
            && let Some((text, rows)) = older::closed_texts(language, &best.text)
            && let Some(reading) = read(text, rows)
            && reading.is_better_than(&best)
        {
            best = reading;
        }
        // A command of a shell goes on as long as its text does: a row left out says little.
        if language != Language::Shell {
            best = without_rows(best, &mut read);
        }
    }
    in_part |= builder::parsed_in_part();
    let mut module = best.module;
    module.truncated |= in_part;
    let mut lines = best.losses.lines();
    lines.extend(best.out.iter().map(|(first, last)| (first + 1, last + 1)));
    let mut lines = losses::joined(lines);
    lines.truncate(RANGES_MAX);
    module.unparsed = lines
        .into_iter()
        .map(|(first, last)| LineRange::new(first, last))
        .collect();
    Some(module)
}

/// Leaves out rows as long as more is understood without them.
fn without_rows(mut best: Reading, read: &mut impl FnMut(String, Vec<(u32, u32)>) -> Option<Reading>) -> Reading {
    let mut left = AGAIN_BYTES_MAX;
    if best.losses.torn.is_empty() {
        left = left.min(TRIES_IN_ROW * best.text.len());
    }
    for _ in 0..ROUNDS_MAX {
        let mut starts = best.losses.torn.clone();
        if starts.is_empty() && best.text.len() <= SMALL_BYTES_MAX {
            starts.extend(best.losses.rows.iter().map(|(first, _)| *first));
        }
        starts.dedup();
        if starts.is_empty() {
            break;
        }
        let mut next: Option<Reading> = None;
        let rows: Vec<&str> = best.text.split_inclusive('\n').collect();
        let mut tried: Vec<(usize, usize)> = Vec::new();
        for start in starts.iter().take(STARTS_MAX) {
            for (first, last) in around(&rows, *start as usize) {
                if tried.contains(&(first, last)) || left < best.text.len() {
                    continue;
                }
                tried.push((first, last));
                left -= best.text.len();
                let mut out = best.out.clone();
                out.push((number(first), number(last)));
                let Some(reading) = read(blanked(&rows, first, last), out) else {
                    continue;
                };
                let than = next.as_ref().unwrap_or(&best);
                let more = (reading.worth(), than.losses.bytes) > (than.worth(), reading.losses.bytes)
                    && reading.worth() > best.worth();
                if more || next.is_none() && reading.is_whole_beside(&best, &rows[first..=last]) {
                    next = Some(reading);
                }
            }
        }
        match next {
            Some(reading) => best = reading,
            None => break,
        }
    }
    best
}

fn number(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

/// The text without some rows. What they open and do not close, or the other way round, stays where a bracket of a block is concerned.
fn blanked(rows: &[&str], first: usize, last: usize) -> String {
    let mut out = String::new();
    let mut open = String::new();
    for (at, row) in rows.iter().enumerate() {
        if at < first || at > last {
            out.push_str(row);
            continue;
        }
        for byte in row.bytes().filter(|byte| matches!(byte, b'{' | b'}')) {
            if byte == b'}' && open.ends_with('{') {
                open.pop();
            } else {
                open.push(char::from(byte));
            }
        }
        if at == last {
            out.push_str(&open);
        }
        if row.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

fn indent(row: &str) -> Option<usize> {
    let trimmed = row.trim_start();
    (!trimmed.is_empty()).then(|| row.len() - trimmed.len())
}

/// A row, the row with what is indented below it, and the same for the rows that it is indented below, from the smallest on.
fn around(rows: &[&str], start: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let Some(mut own) = rows.get(start).and_then(|row| indent(row)) else {
        return out;
    };
    out.push((start, start));
    let mut first = start;
    for _ in 0..WIDER_MAX {
        let mut last = first;
        for (at, row) in rows.iter().enumerate().skip(first + 1) {
            match indent(row) {
                Some(deep) if deep > own => last = at,
                Some(deep) => {
                    // What closes the block belongs to it.
                    let closes = row.trim_start().starts_with(['}', ')', ']']) || row.trim() == "end";
                    if deep == own && closes {
                        last = at;
                    }
                    break;
                }
                None => {}
            }
        }
        out.push((first, last));
        let above = (0..first)
            .rev()
            .find(|at| indent(rows[*at]).is_some_and(|deep| deep < own));
        let Some(above) = above else { break };
        first = above;
        own = indent(rows[above]).unwrap_or(0);
    }
    out
}
