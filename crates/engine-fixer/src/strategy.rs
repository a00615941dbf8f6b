//! How a strategy is declared, and what it sees.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use engine_model::{Call, Date, Finding, Inventory, Language, SourceText, System};
use engine_syntax::tree::Node;

use crate::code::Code;
use crate::{Draft, Drafts, NoFix};

/// What a fix changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FixKind {
    /// Source code, or a page.
    Code,
    /// A document.
    Document,
    /// Configuration: a pipeline, an ignore file, a retention setting.
    Config,
    /// A manifest of packages.
    Dependency,
    /// Machine-readable metadata.
    Metadata,
}

impl FixKind {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Document => "document",
            Self::Config => "config",
            Self::Dependency => "dependency",
            Self::Metadata => "metadata",
        }
    }
}

/// A way to fix the findings of some checks in files of some languages. Its documentation is its declaration, and the examples in it run as tests.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// A stable name.
    pub id: &'static str,
    /// The checks whose findings it can fix.
    pub checks: &'static [&'static str],
    /// What it changes.
    pub kind: FixKind,
    /// Languages of the file of a finding; any where empty.
    pub languages: &'static [Language],
    /// The documentation comment.
    pub docs: &'static str,
    /// Whether a person must finish what the fix begins: the finding stays until then, and the score does not change.
    pub leaves_open: bool,
    /// Writes down the edits, or says why there are none.
    pub plan: fn(&Site<'_>, &mut Draft) -> Result<(), NoFix>,
}

impl std::fmt::Debug for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Strategy({})", self.id)
    }
}

/// One documented example of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixExample {
    /// The files before, as one text with `//- path` headers.
    pub before: String,
    /// The files that the fix changes or creates, as they are afterwards.
    pub after: String,
}

impl Strategy {
    /// The first sentence of the documentation.
    pub fn title(&self) -> String {
        let paragraph: Vec<&str> = self
            .docs
            .trim()
            .lines()
            .map(str::trim)
            .take_while(|line| !line.is_empty())
            .collect();
        paragraph.join(" ")
    }

    /// The documented examples, in order.
    pub fn examples(&self) -> Vec<FixExample> {
        let mut out: Vec<FixExample> = Vec::new();
        let mut after = None;
        let mut open: Option<(String, String)> = None;
        for line in self.docs.lines() {
            let line = line.strip_prefix(' ').unwrap_or(line);
            if let Some((info, text)) = &mut open {
                if line.trim_end() == "```" {
                    let tree = tree(info, text);
                    match (after, out.last_mut()) {
                        (Some(false), _) => out.push(FixExample {
                            before: tree,
                            after: String::new(),
                        }),
                        (Some(true), Some(example)) => example.after = tree,
                        _ => {}
                    }
                    open = None;
                } else {
                    text.push_str(line);
                    text.push('\n');
                }
            } else if let Some(info) = line.strip_prefix("```") {
                open = Some((info.trim().to_owned(), String::new()));
            } else if line.starts_with("Before:") {
                after = Some(false);
            } else if line.starts_with("After:") {
                after = Some(true);
            }
        }
        out
    }
}

/// A block with file headers is a tree of its own; any other is the one file that the info string names after the language.
fn tree(info: &str, text: &str) -> String {
    if text.starts_with("//- ") {
        return text.to_owned();
    }
    let path = info.split_whitespace().nth(1).unwrap_or("app.py");
    format!("//- {path}\n{text}")
}

/// Declares a strategy: the doc comment becomes the reference, its examples become tests.
///
/// An example is a block after `Before:` and a block after `After:`. Each block is a tree with `//- path` headers, or one file whose
/// path stands in the info string: `text app.py`. The second block holds the files that the fix changes or creates.
macro_rules! declare_strategy {
    (
        $(#[doc = $doc:literal])+
        $name:ident {
            id: $id:literal,
            checks: [$($check:literal),+ $(,)?],
            kind: $kind:ident,
            languages: [$($language:ident),* $(,)?],
            plan: $plan:path
            $(, leaves_open: $leaves_open:literal)?
            $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        pub(crate) const $name: $crate::Strategy = $crate::Strategy {
            id: $id,
            checks: &[$($check),+],
            kind: $crate::FixKind::$kind,
            languages: &[$(::engine_model::Language::$language),*],
            docs: concat!($($doc, "\n"),+),
            leaves_open: { let leaves_open = false; $(let leaves_open = $leaves_open || leaves_open;)? leaves_open },
            plan: $plan,
        };
    };
}
pub(crate) use declare_strategy;

/// The place of a finding, with everything that a strategy may look at.
pub struct Site<'a> {
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
    pub(crate) source: &'a dyn SourceText,
    pub(crate) documents: &'a dyn Drafts,
    pub(crate) read: RefCell<BTreeMap<String, Result<Rc<Code>, NoFix>>>,
}

impl Site<'_> {
    /// A file of the project, parsed; each file is parsed once for a site.
    ///
    /// # Errors
    ///
    /// Why the file cannot be edited.
    pub fn code(&self, path: &str) -> Result<Rc<Code>, NoFix> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let read = self
            .source
            .file(path)
            .ok_or(NoFix::Gone)
            .and_then(|file| Code::of(&file).map(Rc::new));
        self.read.borrow_mut().insert(path.to_owned(), read.clone());
        read
    }

    /// The file of the finding.
    ///
    /// # Errors
    ///
    /// Why the file cannot be edited.
    pub fn file(&self) -> Result<Rc<Code>, NoFix> {
        self.code(self.finding.file.as_deref().ok_or(NoFix::NoPlace)?)
    }

    /// Line and column of the finding.
    ///
    /// # Errors
    ///
    /// Where the finding names no line.
    pub fn place(&self) -> Result<(u32, u32), NoFix> {
        let line = self.finding.line.ok_or(NoFix::NoPlace)?;
        Ok((line, self.finding.column.unwrap_or(1)))
    }

    /// The call of the inventory at the place of the finding.
    pub fn call(&self) -> Option<&Call> {
        let (file, line) = (self.finding.file.as_deref()?, self.finding.line?);
        let here = |call: &&Call| call.file == file && call.line == line;
        let column = self.finding.column;
        let calls = &self.inventory.calls;
        calls
            .iter()
            .find(|call| here(call) && column == Some(call.column))
            .or_else(|| calls.iter().find(here))
    }

    /// Whether the project has a file with this path.
    pub fn has(&self, path: &str) -> bool {
        self.paths.binary_search(&path).is_ok()
    }

    /// The smallest node of the file at the place of the finding.
    ///
    /// # Errors
    ///
    /// Where there is no tree or no place.
    pub fn node<'c>(&self, code: &'c Code) -> Result<Node<'c>, NoFix> {
        let (line, column) = self.place()?;
        code.node_at(line, column).ok_or(NoFix::Unparsed)
    }
}
