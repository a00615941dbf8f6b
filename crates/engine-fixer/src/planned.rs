//! Plans: what a strategy wants, checked before anybody sees it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use diffy::DiffOptions;
use engine_model::{Date, Finding, FindingType, Inventory, Language, SourceFile, SourceText, System, Zone};
use engine_syntax::tree;
use thiserror::Error;

use crate::code::Code;
use crate::edit::{Edit, StaleFile, edited, inverse};
use crate::strategy::{FixKind, Site};
use crate::{Draft, Drafts, STRATEGIES, Strategy};

/// Files that one fix may change or create.
pub(crate) const FILES_MAX: usize = 16;

/// What a plan is made from.
#[derive(Clone, Copy)]
pub struct FixInput<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// What the scan observed.
    pub inventory: &'a Inventory,
    /// The systems of the project.
    pub systems: &'a [System],
    /// The date for which the law is evaluated.
    pub as_of: Date,
    /// Paths of all files that the scan read, sorted.
    pub paths: &'a [&'a str],
    /// Gives the texts.
    pub source: &'a dyn SourceText,
    /// Writes drafts of documents.
    pub documents: &'a dyn Drafts,
}

/// Why there is no fix for a finding.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoFix {
    /// No strategy knows the check.
    #[error("no fix is known for this check; follow the fix text of the finding")]
    NoStrategy,
    /// No strategy knows the language.
    #[error("no fix is known for this check in {0} files; follow the fix text of the finding")]
    Language(&'static str),
    /// It is evidence, and there is nothing to fix.
    #[error("the finding is evidence, so there is nothing to fix")]
    Evidence,
    /// A person has set it aside.
    #[error("the finding is suppressed; remove the suppression first")]
    Suppressed,
    /// The file is a test, an example, vendored or generated.
    #[error("the file is {0}, and only product files are edited")]
    Zone(&'static str),
    /// The file is gone or has changed.
    #[error("the file is gone or has changed since the scan; scan again")]
    Gone,
    /// The finding names no place.
    #[error("the finding names no place in a file")]
    NoPlace,
    /// The text is not UTF-8.
    #[error("the file is not UTF-8 text, so it is not edited")]
    Encoding,
    /// The file is very large.
    #[error("the file is larger than 2 MiB, so it is not edited")]
    TooLarge,
    /// The file cannot be parsed.
    #[error("the file cannot be parsed, so it is not edited")]
    Unparsed,
    /// A cell of a notebook.
    #[error("cells of notebooks are not edited; change the cell by hand")]
    Notebook,
    /// The code at this place has a form that no strategy handles.
    #[error("{0}")]
    NotHere(String),
    /// The edited file would have new syntax errors.
    #[error("the edited file would not parse, so the fix is withheld")]
    Broken,
    /// The plan wants to create a file that is there already, or to change nothing.
    #[error("the fix is already in place")]
    Done,
}

impl NoFix {
    /// A reason that is about the code at this place.
    pub fn here(why: impl Into<String>) -> Self {
        Self::NotHere(why.into())
    }
}

/// A fix that can be shown, applied and undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The finding.
    pub finding_id: String,
    /// Its check.
    pub check_id: String,
    /// Its obligation.
    pub obligation_id: Option<String>,
    /// The provision, such as `Art. 50(1)`.
    pub article: Option<String>,
    /// The strategy.
    pub strategy: &'static str,
    /// What it changes.
    pub kind: FixKind,
    /// Whether it may be applied unattended.
    pub safe: bool,
    /// Whether a person must finish what it begins: the finding stays until then, and the score does not change.
    pub leaves_open: bool,
    /// What it does, in a sentence.
    pub description: String,
    /// What a person must still do or decide.
    pub manual: Vec<String>,
    /// The files, sorted by path; at least one.
    pub files: Vec<FileChange>,
    /// The line of the finding, else of the first edit in the first file.
    pub line: u32,
}

impl Plan {
    /// The file that a person looks at first.
    pub fn file(&self, finding: &Finding) -> &str {
        let of_finding = self.files.iter().find(|file| Some(&file.path) == finding.file.as_ref());
        of_finding.or(self.shown().next()).map_or("", |file| &file.path)
    }

    /// The files that a person is shown.
    pub fn shown(&self) -> impl Iterator<Item = &FileChange> {
        self.files.iter().filter(|file| !file.is_internal())
    }
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Path relative to the project's root.
    pub path: String,
    /// BLAKE3 of the file that the edits were made for; none where the file is created.
    pub before: Option<[u8; 32]>,
    /// The edits, sorted, none overlapping. A created file is one insertion.
    pub edits: Vec<Edit>,
}

impl FileChange {
    /// Whether it is a file of the engine beside a document: it is written and removed with the fix, and no diff shows it.
    pub fn is_internal(&self) -> bool {
        self.path.starts_with(".compliance/private/")
    }

    /// The file with the edits made.
    ///
    /// # Errors
    ///
    /// Where the bytes are not those that the edits were made for.
    pub fn apply(&self, bytes: &[u8]) -> Result<Vec<u8>, StaleFile> {
        if self
            .before
            .is_some_and(|digest| digest != *blake3::hash(bytes).as_bytes())
        {
            return Err(StaleFile);
        }
        edited(bytes, &self.edits)
    }

    /// The bytes that the edits take away, edit by edit.
    ///
    /// # Errors
    ///
    /// Where the bytes are not those that the edits were made for.
    pub fn removed(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, StaleFile> {
        self.edits
            .iter()
            .map(|edit| bytes.get(edit.start..edit.end).map(<[u8]>::to_vec).ok_or(StaleFile))
            .collect()
    }

    /// The edits that lead back, given the bytes that were taken away: start, end and bytes of each.
    pub fn inverse(&self, removed: &[Vec<u8>]) -> Vec<(usize, usize, Vec<u8>)> {
        inverse(&self.edits, removed)
    }

    /// The change as a unified diff.
    pub fn diff(&self, before: &[u8], after: &[u8]) -> String {
        let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
        let (from, to) = match self.before {
            Some(_) => (format!("a/{}", self.path), format!("b/{}", self.path)),
            None => ("/dev/null".to_owned(), format!("b/{}", self.path)),
        };
        DiffOptions::new()
            .set_context_len(3)
            .set_original_filename(from)
            .set_modified_filename(to)
            .create_patch(before.as_ref(), after.as_ref())
            .to_string()
    }
}

/// Whether a strategy exists for findings like this one. Whether it fits the code at the place, only [`plan`] says.
pub fn is_fixable(finding: &Finding) -> bool {
    finding.kind != FindingType::Pass && strategies_for(finding).next().is_some()
}

/// Whether a fix for findings like this one only begins what a person must finish.
pub fn leaves_open(finding: &Finding) -> bool {
    let mut strategies = strategies_for(finding).peekable();
    strategies.peek().is_some() && strategies.all(|strategy| strategy.leaves_open)
}

fn strategies_for(finding: &Finding) -> impl Iterator<Item = &'static Strategy> + use<> {
    let check = finding.check_id.clone();
    let language = finding.file.as_deref().map(Language::of_path);
    STRATEGIES.iter().copied().filter(move |strategy| {
        strategy.checks.contains(&check.as_str())
            && (strategy.languages.is_empty()
                || language.is_some_and(|language| strategy.languages.contains(&language)))
    })
}

/// Plans the fix for a finding: the first strategy that fits.
///
/// # Errors
///
/// Why there is no fix.
pub fn plan(input: FixInput<'_>) -> Result<Plan, NoFix> {
    let finding = input.finding;
    if finding.kind == FindingType::Pass {
        return Err(NoFix::Evidence);
    }
    if finding.suppressed.is_some() {
        return Err(NoFix::Suppressed);
    }
    if !STRATEGIES
        .iter()
        .any(|strategy| strategy.checks.contains(&finding.check_id.as_str()))
    {
        return Err(NoFix::NoStrategy);
    }
    let in_notebook =
        finding.cell.is_some() || finding.file.as_deref().map(Language::of_path) == Some(Language::Notebook);
    if in_notebook && !leaves_open(finding) {
        return Err(NoFix::Notebook);
    }
    let language = finding.file.as_deref().map_or(Language::Other, Language::of_path);
    let mut why: Vec<NoFix> = Vec::new();
    let site = Site {
        finding,
        inventory: input.inventory,
        systems: input.systems,
        as_of: input.as_of,
        paths: input.paths,
        source: input.source,
        documents: input.documents,
        read: RefCell::new(BTreeMap::new()),
    };
    for strategy in strategies_for(finding) {
        let mut draft = Draft::default();
        let tried = (strategy.plan)(&site, &mut draft).and_then(|()| finished(&site, strategy, draft));
        match tried {
            Ok(plan) => return Ok(plan),
            Err(error) if !why.contains(&error) => why.push(error),
            Err(_) => {}
        }
    }
    // Every strategy has its own reason, and each is true.
    match why.as_slice() {
        [] => Err(NoFix::Language(language.name())),
        [one] => Err(one.clone()),
        [one, other, ..] => Err(NoFix::here(format!("{one}; {other}"))),
    }
}

/// A change that somebody else proposes, such as a language model. It passes the same checks as the plan of a strategy and is never safe.
const PROPOSED: Strategy = Strategy {
    id: "model",
    checks: &[],
    kind: FixKind::Code,
    languages: &[],
    docs: "A proposed change.",
    leaves_open: false,
    plan: |_, _| Err(NoFix::NoStrategy),
};

/// Makes a plan of edits that somebody proposed for one file. Their places are byte offsets into the text without the byte order mark.
///
/// # Errors
///
/// Why the change is refused.
pub fn proposed(input: FixInput<'_>, path: &str, edits: Vec<Edit>, description: String) -> Result<Plan, NoFix> {
    let site = Site {
        finding: input.finding,
        inventory: input.inventory,
        systems: input.systems,
        as_of: input.as_of,
        paths: input.paths,
        source: input.source,
        documents: input.documents,
        read: RefCell::new(BTreeMap::new()),
    };
    let code = site.code(path)?;
    let mut draft = Draft::default();
    for edit in edits {
        draft.replace(&code, edit.start..edit.end, &edit.text);
    }
    draft.describe(description);
    draft.manual("Read the change before you keep it: a language model proposed it.");
    finished(&site, &PROPOSED, draft)
}

/// Checks what a strategy wrote down and makes a plan of it.
fn finished(site: &Site<'_>, strategy: &Strategy, draft: Draft) -> Result<Plan, NoFix> {
    if draft.edits.len() + draft.created.len() > FILES_MAX {
        return Err(NoFix::here(format!("the fix would change more than {FILES_MAX} files")));
    }
    let mut files = Vec::new();
    for (path, mut edits) in draft.edits {
        let code = site.code(&path)?;
        refuse_foreign(code.zone)?;
        edits.sort();
        edits.dedup();
        if edits.windows(2).any(|pair| pair[0].end > pair[1].start) {
            return Err(NoFix::Broken);
        }
        let file = site.source.file(&path).ok_or(NoFix::Gone)?;
        let after = edited(&file.bytes, &edits).map_err(|_| NoFix::Gone)?;
        if after == *file.bytes {
            return Err(NoFix::Done);
        }
        still_parses(&code, &after)?;
        files.push(FileChange {
            path,
            before: Some(code.digest),
            edits,
        });
    }
    for (path, text) in draft.created {
        if site.source.file(&path).is_some() || site.has(&path) {
            return Err(NoFix::Done);
        }
        files.push(FileChange {
            path,
            before: None,
            edits: vec![Edit { start: 0, end: 0, text }],
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let first = files
        .iter()
        .find(|file| Some(&file.path) == site.finding.file.as_ref())
        .or(files.iter().find(|file| !file.is_internal()))
        .ok_or(NoFix::Done)?;
    let own = site
        .finding
        .line
        .filter(|_| Some(&first.path) == site.finding.file.as_ref());
    let line = match (first.before, first.edits.first()) {
        _ if own.is_some() => own.unwrap_or(1),
        (Some(_), Some(edit)) => site.code(&first.path)?.line_of(edit.start),
        _ => 1,
    };
    let finding = site.finding;
    Ok(Plan {
        finding_id: finding.id.clone(),
        check_id: finding.check_id.clone(),
        obligation_id: finding.obligation_id.clone(),
        article: finding.explanation.as_ref().map(|law| law.article.clone()),
        strategy: strategy.id,
        kind: strategy.kind,
        safe: draft.safe,
        leaves_open: strategy.leaves_open,
        description: if draft.description.is_empty() {
            strategy.title()
        } else {
            draft.description
        },
        manual: draft.manual,
        line,
        files,
    })
}

fn refuse_foreign(zone: Zone) -> Result<(), NoFix> {
    match zone {
        Zone::Product | Zone::Docs => Ok(()),
        Zone::Test => Err(NoFix::Zone("a test")),
        Zone::Example => Err(NoFix::Zone("an example")),
        Zone::Vendored => Err(NoFix::Zone("vendored")),
        Zone::Generated => Err(NoFix::Zone("generated")),
    }
}

/// An edited file has no more errors than before.
pub(crate) fn still_parses(before: &Code, after: &[u8]) -> Result<(), NoFix> {
    let Some(tree) = before.tree() else { return Ok(()) };
    let file = SourceFile::new(before.path.as_str(), after);
    let after = Code::of(&file).map_err(|_| NoFix::Broken)?;
    let new = after.tree().ok_or(NoFix::Broken)?;
    if tree::errors(new) > tree::errors(tree) {
        return Err(NoFix::Broken);
    }
    Ok(())
}

/// The fix as a short instruction for a coding agent or a person who makes it by hand.
pub fn instruction(plan: &Plan, finding: &Finding, diff: &str) -> String {
    let article = plan
        .article
        .as_ref()
        .map_or_else(String::new, |article| format!(" ({article})"));
    let mut out = format!(
        "{}:{}: {}\nWhy: {}{article}.\nMake exactly this change and no other:\n\n{diff}",
        plan.file(finding),
        plan.line,
        plan.description,
        finding.title
    );
    if !plan.manual.is_empty() {
        out.push_str("\nThen, by hand:\n");
        for step in &plan.manual {
            out.push_str("- ");
            out.push_str(step);
            out.push('\n');
        }
    }
    out
}
