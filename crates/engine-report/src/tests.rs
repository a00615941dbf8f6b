//! Tests of the reports over results that are built by hand.

mod actions;
mod badge;
mod compliance_md;
mod external;
mod fixtures;
mod full;
mod hostile_text;
mod junit;
mod layout;
mod markdown;
mod not_assessed;
mod order;
mod sarif;
mod sentences;
mod share_page;
mod text;

use crate::TextOptions;

/// The widths at which the text report is tested.
const WIDTHS: [usize; 4] = [60, 80, 100, 120];

fn plain() -> TextOptions {
    TextOptions::default()
}

fn verbose() -> TextOptions {
    TextOptions {
        verbose: true,
        ..plain()
    }
}

/// Text without its escape codes.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    out.push_str(rest);
    out
}

/// Text on one line: wrapping does not matter.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
