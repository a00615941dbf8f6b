//! How a check is declared, what it sees, and what it reports.

use std::collections::BTreeSet;

use crate::{
    Artefact, Call, CallKind, Date, Document, Evidence, EvidenceKind, FileInfo, Impact, Inventory, Layer, Location,
    SecretPlace, Severity, Statement, System, Zone,
};

/// A static check. Its documentation is its declaration, and the examples in it run as tests.
#[derive(Clone, Copy)]
pub struct Check {
    /// `<layer>-<what is wrong>`.
    pub id: &'static str,
    /// Earlier ids, the first one first: suppressions, baselines and clients that stored one of them still work.
    pub aliases: &'static [&'static str],
    /// The layer that it belongs to.
    pub layer: Layer,
    /// The obligation whose status it decides, `OBL-<number>`.
    pub obligation: &'static str,
    /// Further obligations that its evidence speaks to.
    pub also: &'static [&'static str],
    /// How much a gap weighs.
    pub severity: Severity,
    /// What the problem does today, whatever the law says.
    pub impact: Impact,
    /// What to do about a gap.
    pub fix: &'static str,
    /// Whether the engine can do it.
    pub fixable: bool,
    /// What evidence of it says, for the title of such a finding; empty where the check reports none.
    pub evidence: &'static str,
    /// The documentation comment.
    pub docs: &'static str,
    /// Looks at the facts and reports; it cannot fail.
    pub run: fn(&CheckContext<'_>, &mut Report),
}

impl Check {
    /// Whether the check has this id now, or had it before.
    pub fn is_named(&self, id: &str) -> bool {
        self.id == id || self.aliases.contains(&id)
    }

    /// The id that a fingerprint is made of: the first one that the check ever had, so that a new name keeps all fingerprints.
    pub fn first_id(&self) -> &'static str {
        self.aliases.first().copied().unwrap_or(self.id)
    }

    /// The first sentence of the documentation: what the check looks for.
    pub fn title(&self) -> String {
        let paragraph: Vec<&str> = self
            .docs
            .trim()
            .lines()
            .map(str::trim)
            .take_while(|line| !line.is_empty())
            .collect();
        paragraph.join(" ").trim_end_matches('.').to_owned()
    }

    /// The title of a finding: evidence reads like evidence, and not like the gap that it closes.
    pub fn title_of(&self, outcome: Outcome) -> String {
        if outcome == Outcome::Pass && !self.evidence.is_empty() {
            self.evidence.to_owned()
        } else {
            self.title()
        }
    }

    /// The prose between the title and the examples.
    pub fn explanation(&self) -> String {
        let mut out = Vec::new();
        let mut lines = self.docs.trim().lines().map(str::trim);
        for line in lines.by_ref() {
            if line.is_empty() {
                break;
            }
        }
        for line in lines {
            if line.starts_with("Reported:") || line.starts_with("Not reported:") {
                break;
            }
            out.push(line);
        }
        out.join("\n").trim().to_owned()
    }

    /// The documented examples, in order.
    pub fn examples(&self) -> Vec<Example> {
        let mut examples = Vec::new();
        let mut reported = None;
        let mut open: Option<(String, String)> = None;
        for line in self.docs.lines() {
            let line = line.strip_prefix(' ').unwrap_or(line);
            if let Some((info, text)) = &mut open {
                if line.trim_end() == "```" {
                    if let Some(reported) = reported {
                        examples.push(Example {
                            reported,
                            tree: example_tree(info, text),
                        });
                    }
                    open = None;
                } else {
                    text.push_str(line);
                    text.push('\n');
                }
            } else if let Some(info) = line.strip_prefix("```") {
                open = Some((info.trim().to_owned(), String::new()));
            } else if line.starts_with("Reported:") {
                reported = Some(true);
            } else if line.starts_with("Not reported:") {
                reported = Some(false);
            }
        }
        examples
    }
}

/// One documented example of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Whether the check must report a gap on it.
    pub reported: bool,
    /// The files, as one text with `//- path` headers.
    pub tree: String,
}

/// A block with file headers is a tree of its own; any other is one file, named in the info string or by language.
fn example_tree(info: &str, text: &str) -> String {
    if text.starts_with("//- ") {
        return text.to_owned();
    }
    let mut words = info.split_whitespace();
    let language = words.next().unwrap_or("text");
    let path = words.next().map_or_else(
        || {
            match language {
                "python" => "app.py",
                "typescript" => "src/app.ts",
                "tsx" => "src/App.tsx",
                "javascript" => "src/app.js",
                "go" => "main.go",
                "java" => "src/main/java/App.java",
                _ => "file.txt",
            }
            .to_owned()
        },
        str::to_owned,
    );
    format!("//- {path}\n{text}")
}

/// Declares a check: the doc comment becomes the reference, its examples become tests.
///
/// `aliases`, `also`, `evidence` and `fixable` may be left out.
#[macro_export]
macro_rules! declare_check {
    (
        $(#[doc = $doc:literal])+
        $name:ident {
            id: $id:literal,
            $(aliases: $aliases:expr,)?
            layer: $layer:ident,
            obligation: $obligation:literal,
            $(also: $also:expr,)?
            $(evidence: $evidence:literal,)?
            severity: $severity:ident,
            impact: $impact:ident,
            fix: $fix:literal,
            $(fixable: $fixable:literal,)?
            run: $run:path $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        pub const $name: $crate::Check = $crate::Check {
            id: $id,
            aliases: { let aliases: &[&str] = &[]; $(let aliases: &[&str] = $aliases;)? aliases },
            layer: $crate::Layer::$layer,
            obligation: $obligation,
            also: { let also: &[&str] = &[]; $(let also: &[&str] = $also;)? also },
            severity: $crate::Severity::$severity,
            impact: $crate::Impact::$impact,
            fix: $fix,
            fixable: { let fixable = false; $(let fixable = $fixable;)? fixable },
            evidence: { let evidence = ""; $(let evidence = $evidence;)? evidence },
            docs: concat!($($doc, "\n"),+),
            run: $run,
        };
    };
}

/// What a check sees: all facts of a project, joined.
pub struct CheckContext<'a> {
    /// The date for which the law is evaluated.
    pub as_of: Date,
    /// Every file that was read, in the order of their paths.
    pub files: &'a [FileInfo],
    /// The manifests, lockfiles and other files among them that name packages, in the order of their paths.
    pub manifests: &'a [&'a str],
    /// What was observed.
    pub inventory: &'a Inventory,
    /// The AI systems.
    pub systems: &'a [System],
    /// Documents of the kinds that the law knows.
    pub documents: &'a [Document],
    /// Other things that matter.
    pub artefacts: &'a [Artefact],
    /// Places that hold a secret.
    pub secrets: &'a [SecretPlace],
    /// What files say about the product.
    pub statements: &'a [Statement],
    /// AI packages of Python, by the name in the manifest, that no file of the product brings in.
    pub unimported: &'a BTreeSet<String>,
}

impl<'a> CheckContext<'a> {
    /// The calls of a system that send data to a model.
    pub fn model_calls(&self, system: &System) -> impl Iterator<Item = &'a Call> + use<'a> {
        let id = system.id.clone();
        self.inventory
            .calls
            .iter()
            .filter(move |call| call.kind == CallKind::Call && call.system.as_deref() == Some(id.as_str()))
    }

    /// All records of a system, of any kind.
    pub fn records(&self, system: &System) -> impl Iterator<Item = &'a Call> + use<'a> {
        let id = system.id.clone();
        self.inventory
            .calls
            .iter()
            .filter(move |call| call.system.as_deref() == Some(id.as_str()))
    }

    /// Whether a path lies in the folder of a system.
    pub fn in_scope(&self, system: &System, path: &str) -> bool {
        system.scope.is_empty()
            || path
                .strip_prefix(system.scope.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The systems that a file speaks about: the one in whose folder it lies, else all of them.
    pub fn systems_of(&self, file: &str) -> Vec<&'a System> {
        let longest = self
            .systems
            .iter()
            .filter(|system| !system.scope.is_empty() && self.in_scope(system, file))
            .map(|system| system.scope.len())
            .max();
        self.systems
            .iter()
            .filter(|system| longest.is_none_or(|longest| system.scope.len() == longest && self.in_scope(system, file)))
            .collect()
    }

    /// Whether a file speaks about a system.
    pub fn speaks_of(&self, system: &System, file: &str) -> bool {
        self.systems_of(file).iter().any(|about| about.id == system.id)
    }

    /// Whether the product part of the project holds any AI system.
    pub fn has_systems(&self) -> bool {
        !self.systems.is_empty()
    }

    /// Product files only.
    pub fn product_files(&self) -> impl Iterator<Item = &'a FileInfo> + use<'a> {
        self.files.iter().filter(|file| file.zone == Zone::Product)
    }
}

/// Whether an observation speaks of a gap, of evidence, or of something to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// A gap.
    Fail,
    /// Evidence.
    Pass,
    /// Something to know.
    Info,
}

/// What a check reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Gap, evidence or notice.
    pub outcome: Outcome,
    /// The system that it belongs to; none for the project as a whole.
    pub system: Option<String>,
    /// Where.
    pub location: Option<Location>,
    /// Last line, where the place is longer than one.
    pub end_line: Option<u32>,
    /// 0 to 100.
    pub confidence: u8,
    /// What was observed.
    pub message: String,
    /// What tells two observations of one check in one file apart when lines move: a symbol, a name, a key.
    pub anchor: String,
    /// What it rests on beyond the place.
    pub evidence: Vec<Evidence>,
    /// The obligation, where that differs from the check's own.
    pub obligation: Option<String>,
    /// How much it weighs, where that differs from the check's own.
    pub severity: Option<Severity>,
    /// What it does today, where that differs from the check's own.
    pub impact: Option<Impact>,
    /// What to do, where that differs from the check's own.
    pub fix: Option<String>,
    /// Whether it stands with its obligation only, since another finding says the same.
    pub aside: bool,
    /// The title, where that differs from the check's own.
    pub title: Option<String>,
}

/// Collects what a check reports.
#[derive(Debug, Default)]
pub struct Report {
    observations: Vec<Observation>,
}

impl Report {
    /// Reports a gap.
    pub fn fail(&mut self, confidence: u8, message: impl Into<String>) -> ObservationBuilder<'_> {
        self.push(Outcome::Fail, confidence, message.into())
    }

    /// Reports evidence.
    pub fn pass(&mut self, confidence: u8, message: impl Into<String>) -> ObservationBuilder<'_> {
        self.push(Outcome::Pass, confidence, message.into())
    }

    /// Reports something to know.
    pub fn info(&mut self, confidence: u8, message: impl Into<String>) -> ObservationBuilder<'_> {
        self.push(Outcome::Info, confidence, message.into())
    }

    /// All that was reported.
    pub fn into_observations(self) -> Vec<Observation> {
        self.observations
    }

    fn push(&mut self, outcome: Outcome, confidence: u8, message: String) -> ObservationBuilder<'_> {
        self.observations.push(Observation {
            outcome,
            system: None,
            location: None,
            end_line: None,
            confidence: confidence.min(100),
            message,
            anchor: String::new(),
            evidence: Vec::new(),
            obligation: None,
            severity: None,
            impact: None,
            fix: None,
            aside: false,
            title: None,
        });
        ObservationBuilder { report: self }
    }
}

/// Adds to the observation that was reported last.
#[derive(Debug)]
pub struct ObservationBuilder<'a> {
    report: &'a mut Report,
}

#[expect(
    clippy::return_self_not_must_use,
    reason = "every step edits the report in place, so the value of the last one is dropped"
)]
impl ObservationBuilder<'_> {
    /// Names the system.
    pub fn system(self, system: &System) -> Self {
        self.edit(|o| o.system = Some(system.id.clone()))
    }

    /// Names the place.
    pub fn at(self, location: Location) -> Self {
        self.edit(|o| o.location = Some(location))
    }

    /// Names the place of a call, its system, and what tells it apart.
    pub fn call(self, call: &Call) -> Self {
        self.edit(|o| {
            o.location = Some(Location {
                file: call.file.clone(),
                line: call.line,
                column: call.column,
                cell: call.cell,
            });
            if call.system.is_some() {
                o.system.clone_from(&call.system);
            }
            o.anchor = format!("{}#{}", call.function.as_deref().unwrap_or(""), call.symbol);
        })
    }

    /// Names what tells it apart when lines move.
    pub fn anchor(self, anchor: impl Into<String>) -> Self {
        self.edit(|o| o.anchor = anchor.into())
    }

    /// Adds evidence.
    pub fn evidence(self, kind: EvidenceKind, reference: impl Into<String>, file: &str, line: u32) -> Self {
        let evidence = Evidence {
            kind,
            reference: reference.into(),
            file: Some(file.to_owned()),
            line: Some(line),
            hash: None,
        };
        self.edit(|o| o.evidence.push(evidence))
    }

    /// Adds a piece of evidence as it is.
    pub fn because(self, evidence: Evidence) -> Self {
        self.edit(|o| o.evidence.push(evidence))
    }

    /// Sets the last line.
    pub fn end_line(self, line: u32) -> Self {
        self.edit(|o| o.end_line = Some(line))
    }

    /// Sets another obligation.
    pub fn obligation(self, id: impl Into<String>) -> Self {
        self.edit(|o| o.obligation = Some(id.into()))
    }

    /// Sets another weight.
    pub fn severity(self, severity: Severity) -> Self {
        self.edit(|o| o.severity = Some(severity))
    }

    /// Sets another impact than the check's own.
    pub fn impact(self, impact: Impact) -> Self {
        self.edit(|o| o.impact = Some(impact))
    }

    /// Sets another advice.
    pub fn fix(self, fix: impl Into<String>) -> Self {
        self.edit(|o| o.fix = Some(fix.into()))
    }

    /// Sets another title.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.edit(|o| o.title = Some(title.into()))
    }

    /// Keeps it with its obligation: another finding says the same to who reads the list.
    pub fn aside(self) -> Self {
        self.edit(|o| o.aside = true)
    }

    fn edit(self, change: impl FnOnce(&mut Observation)) -> Self {
        if let Some(observation) = self.report.observations.last_mut() {
            change(observation);
        }
        self
    }
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "a declared check is public where crates declare it")]
mod tests {
    use super::*;

    fn nothing(_: &CheckContext<'_>, _: &mut Report) {}

    declare_check! {
        /// Answers that are returned as they come.
        ///
        /// Article 50(1): people must be told.
        ///
        /// Reported:
        /// ```python
        /// x = 1
        /// ```
        /// Not reported:
        /// ```text a/b.md
        /// # T
        /// ```
        SAMPLE {
            id: "l4-sample",
            layer: L4,
            obligation: "OBL-094",
            severity: High,
            impact: Prepares,
            fix: "Tell them.",
            run: nothing,
        }
    }

    #[test]
    fn the_documentation_of_a_check_is_its_declaration() {
        assert_eq!(SAMPLE.title(), "Answers that are returned as they come");
        assert_eq!(SAMPLE.explanation(), "Article 50(1): people must be told.");
        let examples = SAMPLE.examples();
        assert_eq!(examples.len(), 2);
        assert!(examples[0].reported);
        assert_eq!(examples[0].tree, "//- app.py\nx = 1\n");
        assert_eq!(examples[1].tree, "//- a/b.md\n# T\n");
    }
}
