//! One more package in a manifest: which package a name means, and the text of the manifest with it.

use engine_catalogue::{Package, catalogue, normalize_name};
use engine_model::{Ecosystem, ErrorCode, Failure, nearest};
use serde_json::Value;

use crate::simulate::shown;

/// Longest name of a package.
const NAME_CHARS_MAX: usize = 214;

/// A registry for which a package can be added to a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registry {
    /// The Python package index.
    PyPi,
    /// The registry of Node packages.
    Npm,
}

impl Registry {
    const ALL: [Self; 2] = [Self::PyPi, Self::Npm];

    /// The manifest at the root of the project.
    pub(super) const fn manifest(self) -> &'static str {
        match self {
            Self::PyPi => "requirements.txt",
            Self::Npm => "package.json",
        }
    }

    pub(super) const fn registry(self) -> Ecosystem {
        match self {
            Self::PyPi => Ecosystem::PyPI,
            Self::Npm => Ecosystem::Npm,
        }
    }

    fn of(ecosystem: Ecosystem) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.registry() == ecosystem)
    }

    /// Whether a name can stand in the manifest as it is.
    fn takes(self, name: &str) -> bool {
        let allowed = |c: char| match self {
            Self::PyPi => c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'),
            Self::Npm => c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '/' | '~'),
        };
        name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@') && name.chars().all(allowed)
    }
}

/// A package that a request names, in every registry that has it.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    name: String,
    found: Vec<(Registry, &'static Package)>,
}

/// A package together with its manifest.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    /// Where it comes from.
    pub(super) ecosystem: Registry,
    /// Its name, as the registry writes it.
    pub(super) name: String,
    package: &'static Package,
}

/// What adding a package comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// The manifest names it in this line already.
    Already {
        /// Line, from 1.
        line: usize,
    },
    /// The manifest with the package.
    Edit {
        /// The whole text.
        text: String,
        /// Line of the package, from 1.
        line: usize,
    },
}

impl Wanted {
    /// Looks a name up: `openai`, `npm:openai` or `pkg:npm/openai`.
    pub(super) fn read(given: &str) -> Result<Self, Failure> {
        let (prefix, name) = split(given.trim());
        let ecosystems: Vec<Ecosystem> = match prefix {
            Some(ecosystem) => vec![ecosystem],
            // What a channel of conda serves is in the Python index as well.
            None => Ecosystem::ALL
                .into_iter()
                .filter(|one| *one != Ecosystem::Conda)
                .collect(),
        };
        let known: Vec<(Ecosystem, &'static Package)> = ecosystems
            .into_iter()
            .filter(|_| name.chars().count() <= NAME_CHARS_MAX)
            .filter_map(|ecosystem| Some((ecosystem, engine_catalogue::package(ecosystem, name)?)))
            .collect();
        if known.is_empty() {
            return Err(unknown(name, prefix));
        }
        let found: Vec<(Registry, &'static Package)> = known
            .iter()
            .filter_map(|(ecosystem, package)| Some((Registry::of(*ecosystem)?, *package)))
            .filter(|(registry, _)| registry.takes(name))
            .collect();
        if found.is_empty() {
            let kinds: Vec<&str> = known.iter().map(|(ecosystem, _)| ecosystem.purl_type()).collect();
            let details = format!(
                "`{}` comes from {}; only packages of PyPI (`requirements.txt`) and npm (`package.json`) are supported",
                shown(name),
                kinds.join(", ")
            );
            return Err(impossible(details));
        }
        Ok(Self {
            name: name.to_owned(),
            found,
        })
    }

    /// The package of the one registry that is meant: the only one that has it, else the only one whose manifest is at the
    /// root of the project, else the only one of which the project uses packages.
    pub(super) fn choose(
        &self,
        has_manifest: impl Fn(Registry) -> bool,
        is_used: impl Fn(Registry) -> bool,
    ) -> Result<Tool, Failure> {
        let only = |wanted: &dyn Fn(Registry) -> bool| {
            let mut found = self.found.iter().filter(|(registry, _)| wanted(*registry));
            found.next().filter(|_| found.next().is_none())
        };
        let chosen = only(&|_| true)
            .or_else(|| only(&has_manifest))
            .or_else(|| only(&is_used));
        let Some((ecosystem, package)) = chosen else {
            let names: Vec<String> = self
                .found
                .iter()
                .map(|(registry, _)| format!("`{}:{}`", registry.registry().purl_type(), self.name))
                .collect();
            let details = format!(
                "several registries have a package `{}`; write {}",
                shown(&self.name),
                names.join(" or ")
            );
            return Err(impossible(details));
        };
        let registry = ecosystem.registry();
        let is_same = normalize_name(registry, &package.name) == normalize_name(registry, &self.name);
        Ok(Tool {
            ecosystem: *ecosystem,
            // A row for a whole namespace has no name of its own.
            name: if is_same {
                package.name.clone()
            } else {
                self.name.clone()
            },
            package,
        })
    }
}

/// The registry that a name begins with, and the rest.
fn split(given: &str) -> (Option<Ecosystem>, &str) {
    let rest = given.strip_prefix("pkg:");
    let separator = if rest.is_some() { '/' } else { ':' };
    let text = rest.unwrap_or(given);
    match text.split_once(separator) {
        Some((prefix, name)) => match engine_catalogue::ecosystem(&prefix.to_lowercase()) {
            Some(ecosystem) => (Some(ecosystem), name.trim()),
            None => (None, text),
        },
        None => (None, text),
    }
}

fn impossible(details: String) -> Failure {
    Failure::new(ErrorCode::Impossible, details).field("params.name")
}

fn unknown(name: &str, prefix: Option<Ecosystem>) -> Failure {
    let nearest_of = |wanted: &dyn Fn(&Package) -> bool| {
        let known = || {
            let rows = catalogue().packages().iter();
            rows.filter(|package| !package.name.ends_with('*') && wanted(package))
        };
        let meant = nearest(name, known().map(|package| package.name.as_str()))?;
        let package = known().find(|package| package.name == meant)?;
        Some(format!(
            "; did you mean `{}:{}`?",
            package.ecosystem.purl_type(),
            package.name
        ))
    };
    // What can be added comes first.
    let meant = match prefix {
        Some(prefix) => nearest_of(&|package| package.ecosystem == prefix),
        None => nearest_of(&|package| Registry::of(package.ecosystem).is_some()).or_else(|| nearest_of(&|_| true)),
    };
    impossible(format!(
        "unknown AI package `{}`{} Give its name as in the manifest, such as `pypi:openai`.",
        shown(name),
        meant.unwrap_or_else(|| ".".to_owned())
    ))
}

impl Tool {
    /// What is written into the manifest.
    pub(super) fn declaration(&self) -> String {
        match self.ecosystem {
            Registry::PyPi => self.name.clone(),
            Registry::Npm => format!("{}: \"*\"", Value::from(self.name.as_str())),
        }
    }

    /// What the catalogue says about it.
    pub(super) fn known_as(&self) -> Option<String> {
        let provider = self.package.provider.as_deref()?;
        let who = match provider {
            "local" => "runs models locally".to_owned(),
            id => {
                let title = engine_catalogue::provider(id).map_or(id, |provider| provider.title.as_str());
                format!("calls models of {title}")
            }
        };
        Some(format!("`{}` {who}.", self.name))
    }

    /// The manifest with the package; a new one where there is none.
    pub(super) fn added_to(&self, text: Option<&str>) -> Result<Added, Failure> {
        let before = text.unwrap_or_default();
        match self.ecosystem {
            Registry::PyPi => Ok(self.as_requirement(before)),
            Registry::Npm if before.trim().is_empty() => self.as_dependency("{}\n"),
            Registry::Npm => self.as_dependency(before),
        }
    }

    fn as_requirement(&self, before: &str) -> Added {
        let own = normalize_name(Ecosystem::PyPI, &self.name);
        let is_own = |line: &str| {
            let line = line.trim_start();
            let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
            normalize_name(Ecosystem::PyPI, &line[..end.unwrap_or(line.len())]) == own
        };
        if let Some(at) = before.lines().position(is_own) {
            return Added::Already { line: at + 1 };
        }
        let end = line_end(before);
        let mut text = before.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(end);
        }
        let line = text.lines().count() + 1;
        text.push_str(&self.name);
        text.push_str(end);
        Added::Edit { text, line }
    }

    fn as_dependency(&self, before: &str) -> Result<Added, Failure> {
        let broken = |why: &str| {
            impossible(format!(
                "`package.json` {why}, so `{}` cannot be added to it; correct the file",
                self.name
            ))
        };
        let parsed: Value =
            serde_json::from_str(before.trim_start_matches('\u{feff}')).map_err(|_| broken("is not valid JSON"))?;
        let Value::Object(root) = parsed else {
            return Err(broken("is not a JSON object"));
        };
        let open = before.find('{').ok_or_else(|| broken("is not a JSON object"))? + 1;
        let declared = root.get("dependencies");
        if declared.is_some_and(|value| !value.is_object()) {
            return Err(broken("has `dependencies` that are not an object"));
        }
        let members = declared.and_then(|_| members_of(before, "dependencies"));
        if declared.is_some_and(|value| value.get(&self.name).is_some()) {
            let key = Value::from(self.name.as_str()).to_string();
            let from = members.unwrap_or(open);
            let at = before[from..].find(&key).map_or(from, |at| from + at);
            return Ok(Added::Already {
                line: line_of(before, at),
            });
        }
        let layout = Layout::of(before, open);
        let member = self.declaration();
        let (text, at) = if let Some(members) = members {
            layout.insert(before, members, &member, 1)
        } else {
            let (end, unit) = (layout.end, layout.unit);
            let whole = format!("\"dependencies\": {{{end}{unit}{unit}{member}{end}{unit}}}");
            let (text, at) = layout.insert(before, open, &whole, 0);
            let inside = whole.find(&member).unwrap_or(0);
            (text, at + inside)
        };
        let line = line_of(&text, at);
        Ok(Added::Edit { text, line })
    }
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The line of a place, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// How a JSON text is laid out.
#[derive(Clone, Copy)]
struct Layout<'t> {
    end: &'static str,
    /// What one level is indented by.
    unit: &'t str,
}

impl<'t> Layout<'t> {
    /// The layout that the first member shows; two spaces where it shows none.
    fn of(text: &'t str, open: usize) -> Self {
        let blank = blank(&text[open..]);
        let unit = blank.rsplit_once('\n').map_or("", |(_, unit)| unit);
        Self {
            end: line_end(text),
            unit: if unit.is_empty() { "  " } else { unit },
        }
    }

    /// Puts a member first into the object whose members begin at a place. Gives the text and the place of the member.
    fn insert(self, text: &str, open: usize, member: &str, depth: usize) -> (String, usize) {
        let (head, tail) = text.split_at(open);
        let blank = blank(tail);
        let rest = &tail[blank.len()..];
        let Self { end, unit } = self;
        if rest.starts_with('}') {
            let (outer, inner) = (unit.repeat(depth), unit.repeat(depth + 1));
            let before = format!("{head}{end}{inner}");
            return (format!("{before}{member}{end}{outer}{rest}"), before.len());
        }
        let before = format!("{head}{blank}");
        let between = if blank.is_empty() { " " } else { blank };
        (format!("{before}{member},{between}{rest}"), before.len())
    }
}

/// The white space at the start of a text.
fn blank(text: &str) -> &str {
    &text[..text.len() - text.trim_start().len()]
}

/// Where the members of the object begin that a key of the outermost object has. The text is valid JSON; of a repeated key
/// the last one counts, as for every reader.
fn members_of(text: &str, key: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut found) = (0_usize, 0_usize, None);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = string_end(bytes, at)?;
                let rest = text.get(end..)?;
                let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
                let is_key = depth == 1
                    && value.is_some()
                    && serde_json::from_str::<String>(text.get(at..end)?).is_ok_and(|name| name == key);
                if let Some(value) = value.filter(|_| is_key) {
                    found = value.starts_with('{').then(|| text.len() - value.len() + 1);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The place behind the string that begins at a place.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}
