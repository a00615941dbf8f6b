//! Reads the profile: each value with its place, so that an error names the line and column and what to write instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use engine_model::{Date, nearest};
use engine_regulation::regulation;
use toml_edit::{Array, Document, Item, TableLike};

use crate::profile::{Answer, Drawing, LeftOut, Place, Profile, StatedEvidence, SystemProfile, Warning};
use crate::questions::{QuestionSpec, Scope, question, questions};
use crate::value::{Value, ValueError};
use crate::{ALL_SYSTEMS, ORGANISATION};

/// The name of the file in the state directory.
pub const FILE: &str = "profile.toml";

/// Longest file that is read.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// Months for which stated evidence counts where no end is given.
const EVIDENCE_MONTHS: i32 = 12;

/// Why the profile cannot be read, with every place that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    /// The places, in their order; never empty.
    pub problems: Vec<Warning>,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                formatter.write_str("; ")?;
            }
            let Place { line, column } = problem.place;
            write!(formatter, "line {line}, column {column}: {}", problem.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for ProfileError {}

/// Reads a profile.
///
/// # Errors
///
/// Every place that cannot be understood, with what to write instead.
pub fn parse(text: &str) -> Result<Profile, ProfileError> {
    let one = |place: Place, message: String| ProfileError {
        problems: vec![Warning { place, message }],
    };
    if text.len() > FILE_BYTES_MAX {
        let message =
            format!("the file is longer than {FILE_BYTES_MAX} bytes; move long texts to other files and refer to them");
        return Err(one(Place { line: 1, column: 1 }, message));
    }
    let document = Document::parse(text).map_err(|error| {
        let place = error.span().map_or(Place { line: 1, column: 1 }, |span| {
            place_of(text, &starts_of(text), &span)
        });
        let what = error.message().trim().replace('\n', ", ");
        one(place, format!("this file is not valid TOML: {what}"))
    })?;
    let mut reader = Reader {
        text,
        starts: starts_of(text),
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    let mut profile = Profile::default();
    let mut for_all = Vec::new();
    for (key, item) in document.as_table() {
        match key {
            "version" => reader.version(item),
            ORGANISATION => {
                let read = reader.part(item, key, Scope::Organisation);
                (profile.organisation, profile.organisation_evidence) = (read.answers, read.evidence);
            }
            ALL_SYSTEMS => {
                let read = reader.part(item, key, Scope::System);
                profile.all = read.answers;
                // Evidence for every system is the same wherever it is written.
                for_all = read.evidence;
            }
            "systems" => profile.systems = reader.systems(item),
            "leave_out" => profile.left_out = reader.left_out(item),
            other => reader.unknown(
                item,
                other,
                &["version", ORGANISATION, ALL_SYSTEMS, "systems", "leave_out"],
            ),
        }
    }
    profile.organisation_evidence.extend(for_all);
    if !reader.problems.is_empty() {
        reader.problems.sort_by_key(|problem| problem.place);
        return Err(ProfileError {
            problems: reader.problems,
        });
    }
    reader.warnings.sort_by_key(|warning| warning.place);
    profile.warnings = reader.warnings;
    Ok(profile)
}

/// Where the lines of a text start.
fn starts_of(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect()
}

/// The place of a span. Lines are looked up and not counted: a file may name thousands of places.
fn place_of(text: &str, starts: &[usize], span: &Range<usize>) -> Place {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let line = starts.partition_point(|start| *start <= span.start);
    let start = line.checked_sub(1).and_then(|at| starts.get(at)).copied().unwrap_or(0);
    let before = text.get(start..span.start).unwrap_or("");
    Place {
        line: count(line.max(1)),
        column: count(before.chars().count() + 1),
    }
}

struct Reader<'t> {
    text: &'t str,
    starts: Vec<usize>,
    problems: Vec<Warning>,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn place(&self, item: &Item) -> Place {
        // A table that is made of dotted keys alone has no place of its own; its first value has.
        let span = item.span().or_else(|| {
            let table = item.as_table_like()?;
            table.iter().find_map(|(_, item)| item.span())
        });
        span.map_or(Place { line: 1, column: 1 }, |span| {
            place_of(self.text, &self.starts, &span)
        })
    }

    fn wrong(&mut self, item: &Item, message: impl Into<String>) {
        let place = self.place(item);
        self.problems.push(Warning {
            place,
            message: message.into(),
        });
    }

    fn unknown(&mut self, item: &Item, key: &str, known: &[&str]) {
        let key: String = key.chars().take(60).collect();
        let meant = nearest(&key, known.iter().copied());
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        let place = self.place(item);
        self.warnings.push(Warning {
            place,
            message: format!("`{key}` is not a known key, so it is kept but ignored{meant}"),
        });
    }

    fn version(&mut self, item: &Item) {
        if item.as_integer() != Some(1) {
            self.wrong(item, "this `version` is not supported; write `version = 1`");
        }
    }

    fn systems(&mut self, item: &Item) -> BTreeMap<String, SystemProfile> {
        let Some(table) = item.as_table_like() else {
            self.wrong(
                item,
                "`systems` must contain one table for each system; write `[systems.NAME]`",
            );
            return BTreeMap::new();
        };
        let mut systems = BTreeMap::new();
        for (id, item) in table.iter() {
            if id == ALL_SYSTEMS || id == ORGANISATION || id.is_empty() {
                self.wrong(
                    item,
                    format!("a system cannot be named `{id}`; for answers about all systems write `[{ALL_SYSTEMS}]`"),
                );
                continue;
            }
            let read = self.part(item, id, Scope::System);
            systems.insert(id.to_owned(), read);
        }
        systems
    }

    /// The answers and the evidence in one table, and for a system its name and what belongs to it.
    fn part(&mut self, item: &Item, name: &str, scope: Scope) -> SystemProfile {
        let mut read = SystemProfile::default();
        let Some(table) = item.as_table_like() else {
            let head = if scope == Scope::System && name != ALL_SYSTEMS {
                format!("systems.{name}")
            } else {
                name.to_owned()
            };
            self.wrong(
                item,
                format!("`{name}` must be a table of answers; write them below `[{head}]`"),
            );
            return read;
        };
        let mut paths = None;
        for (key, item) in table.iter() {
            let spec = question(key).filter(|spec| spec.scope == scope);
            match (key, spec) {
                ("name", _) => read.name = self.text(item, "name"),
                ("paths", _) if scope == Scope::System && name != ALL_SYSTEMS => {
                    paths = Some((self.paths(item), self.place(item)));
                }
                ("why", _) => {}
                ("evidence", _) => read.evidence = self.evidence(item),
                (_, Some(spec)) => {
                    if let Some(answer) = self.answer(item, spec) {
                        read.answers.insert(spec.id.to_owned(), answer);
                    }
                }
                (other, None) => {
                    let known: Vec<&str> = questions()
                        .iter()
                        .filter(|spec| spec.scope == scope)
                        .map(|spec| spec.id)
                        .chain(["name", "paths", "evidence", "why"])
                        .collect();
                    self.unknown(item, other, &known);
                }
            }
        }
        read.drawing = paths.map(|(paths, place)| Drawing {
            paths,
            why: table.get("why").and_then(Item::as_str).map(str::to_owned),
            place,
        });
        read
    }

    fn answer(&mut self, item: &Item, spec: &QuestionSpec) -> Option<Answer> {
        let table = item.as_table_like();
        let value = match table {
            None => item,
            Some(table) => {
                let Some(value) = table.get("value") else {
                    self.wrong(
                        item,
                        format!("`{}` has no `value`; write `value = …` below it", spec.id),
                    );
                    return None;
                };
                value
            }
        };
        let read = match value_of(value, spec) {
            Ok(read) => read,
            Err(error) => {
                self.wrong(value, format!("`{}`: {error}", spec.id));
                return None;
            }
        };
        let place = self.place(value);
        let mut answer = Answer {
            value: read,
            by: None,
            on: None,
            why: None,
            until: None,
            seen: None,
            place,
        };
        if let Some(table) = table {
            answer.by = self.text_of(table, "by");
            answer.why = self.text_of(table, "why");
            answer.on = self.date_of(table, "on");
            answer.until = self.date_of(table, "until");
            answer.seen = table.get("seen").and_then(|item| {
                let words = self.strings(item, "seen")?;
                Some(words.into_iter().collect::<BTreeSet<_>>())
            });
            for (key, item) in table.iter() {
                let known = ["value", "by", "on", "why", "until", "seen"];
                if !known.contains(&key) {
                    self.unknown(item, key, &known);
                }
            }
        }
        Some(answer)
    }

    fn evidence(&mut self, item: &Item) -> Vec<StatedEvidence> {
        let mut read = Vec::new();
        for (place, table) in self.rows(item, "evidence") {
            let obligation = self.text_of(table, "obligation");
            let known = obligation.as_deref().and_then(|id| regulation().obligation(id));
            let (by, reference) = (self.text_of(table, "by"), self.text_of(table, "reference"));
            let on = self.date_of(table, "on");
            let until = self.date_of(table, "until");
            let what = match (known, &reference, &by, on) {
                (None, ..) => "names no known obligation; write `obligation = \"OBL-001\"`",
                (_, None, ..) => "has no `reference`; describe the evidence and where it is kept",
                (_, _, None, _) => "has no `by`; name the person who states it",
                (_, _, _, None) => "has no `on`; write the date, such as `on = 2026-11-28`",
                _ => "",
            };
            if !what.is_empty() {
                self.problems.push(Warning {
                    place,
                    message: format!("this evidence {what}"),
                });
                continue;
            }
            if let (Some(obligation), Some(reference), Some(by), Some(on)) = (known, reference, by, on) {
                read.push(StatedEvidence {
                    obligation: obligation.id.clone(),
                    reference,
                    by,
                    on,
                    until: until.unwrap_or_else(|| on.saturating_add(jiff::Span::new().months(EVIDENCE_MONTHS))),
                    place,
                });
            }
        }
        read
    }

    fn left_out(&mut self, item: &Item) -> Vec<LeftOut> {
        let mut read = Vec::new();
        for (place, table) in self.rows(item, "leave_out") {
            let path = self.text_of(table, "path").and_then(|path| clean(&path));
            let why = self.text_of(table, "why");
            match (path, why) {
                (Some(path), Some(why)) => read.push(LeftOut {
                    path,
                    why,
                    by: self.text_of(table, "by"),
                    place,
                }),
                (None, _) => self.problems.push(Warning {
                    place,
                    message: "this entry has no `path` inside the project; write `path = \"benchmarks\"`".to_owned(),
                }),
                (_, None) => self.problems.push(Warning {
                    place,
                    message: "this entry has no `why`; state why it is not part of a product".to_owned(),
                }),
            }
        }
        read
    }

    /// The tables of an array, each with its place.
    fn rows<'i>(&mut self, item: &'i Item, name: &str) -> Vec<(Place, &'i dyn TableLike)> {
        if let Some(tables) = item.as_array_of_tables() {
            return tables
                .iter()
                .map(|table| {
                    let place = table.span().map_or(Place { line: 1, column: 1 }, |span| {
                        place_of(self.text, &self.starts, &span)
                    });
                    let table: &dyn TableLike = table;
                    (place, table)
                })
                .collect();
        }
        if let Some(array) = item.as_array() {
            let place = |span: Option<Range<usize>>| {
                span.map_or(Place { line: 1, column: 1 }, |span| {
                    place_of(self.text, &self.starts, &span)
                })
            };
            let tables: Option<Vec<_>> = array
                .iter()
                .map(|value| {
                    let table: &dyn TableLike = value.as_inline_table()?;
                    Some((place(value.span()), table))
                })
                .collect();
            if let Some(tables) = tables {
                return tables;
            }
        }
        let head = if name == "evidence" {
            "systems.main.evidence"
        } else {
            name
        };
        self.wrong(
            item,
            format!("`{name}` must be a list; start each entry with its own line, such as `[[{head}]]`"),
        );
        Vec::new()
    }

    fn paths(&mut self, item: &Item) -> Vec<String> {
        let Some(given) = self.strings(item, "paths") else {
            return Vec::new();
        };
        let mut paths = Vec::new();
        for path in given {
            match clean(&path) {
                Some(path) => paths.push(path),
                None => self.wrong(
                    item,
                    format!("`{path}` is outside the project; write paths relative to the project folder"),
                ),
            }
        }
        if paths.is_empty() {
            self.wrong(
                item,
                "`paths` is empty; list the folders of the system, or `.` for the whole project",
            );
        }
        paths
    }

    fn strings(&mut self, item: &Item, name: &str) -> Option<Vec<String>> {
        let words: Option<Vec<String>> = item
            .as_array()
            .map(Array::iter)
            .and_then(|values| values.map(|value| value.as_str().map(str::to_owned)).collect());
        if words.is_none() {
            self.wrong(
                item,
                format!("`{name}` must be a list of texts; write `{name} = [\"…\"]`"),
            );
        }
        words
    }

    fn text(&mut self, item: &Item, name: &str) -> Option<String> {
        let text = item.as_str().map(|text| text.trim().to_owned());
        if text.is_none() {
            self.wrong(item, format!("`{name}` must be a text; write `{name} = \"…\"`"));
        }
        text.filter(|text| !text.is_empty())
    }

    fn text_of(&mut self, table: &dyn TableLike, key: &str) -> Option<String> {
        let item = table.get(key)?;
        self.text(item, key)
    }

    fn date_of(&mut self, table: &dyn TableLike, key: &str) -> Option<Date> {
        let item = table.get(key)?;
        let text = item
            .as_datetime()
            .map(ToString::to_string)
            .or_else(|| item.as_str().map(str::to_owned));
        let date = text.and_then(|text| text.get(..10).unwrap_or(&text).parse().ok());
        if date.is_none() {
            self.wrong(item, format!("`{key}` must be a date; write `{key} = 2026-11-28`"));
        }
        date
    }
}

/// The value of an answer as people write it: a word, a list, a date, true or false.
fn value_of(item: &Item, spec: &QuestionSpec) -> Result<Value, ValueError> {
    if let Some(flag) = item.as_bool() {
        return spec.read([if flag { "yes" } else { "no" }]);
    }
    if let Some(date) = item.as_datetime() {
        return spec.read([date.to_string().as_str()]);
    }
    if let Some(text) = item.as_str() {
        return match spec.kind {
            crate::Kind::AnyOf => spec.read(text.split(',')),
            _ => spec.read([text]),
        };
    }
    if let Some(array) = item.as_array() {
        let words: Option<Vec<&str>> = array.iter().map(|value| value.as_str()).collect();
        if let Some(words) = words {
            let empty = words.is_empty() && spec.kind == crate::Kind::AnyOf;
            return spec.read(if empty { vec!["none"] } else { words });
        }
    }
    spec.read([item.to_string().trim()])
}

/// A path inside the project without its frame: `./api/` is `api`, `.` is empty.
fn clean(path: &str) -> Option<String> {
    let path = path.trim();
    if path.starts_with(['/', '\\', '~']) || path.get(1..2) == Some(":") {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
