//! What an expression can stand for, as far as it can be told without running it.

use std::fmt::Write as _;
use std::rc::Rc;

use engine_syntax::ir::{ClassId, ExprId, FunctionId};

/// An index of an arena as the ids keep it; arenas stay far below the limit.
pub(crate) fn id(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// An expression of a project: unit and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ExprRef(pub(crate) u32, pub(crate) ExprId);

/// A function of a project: unit and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FunctionRef(pub(crate) u32, pub(crate) FunctionId);

/// A class of a project: unit and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClassRef(pub(crate) u32, pub(crate) ClassId);

/// An abstract value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// Something reached from an import, a global name or a parameter.
    Path(Rc<Path>),
    /// A constant text, or one with unknown parts.
    Text(Rc<[Part]>),
    /// A number as written.
    Number(Rc<str>),
    /// True or false.
    Bool(bool),
    /// Nothing.
    Null,
    /// A function of the project.
    Function(FunctionRef),
    /// A class of the project.
    Class(ClassRef),
    /// An instance of a class of the project, with the call that made it.
    Instance(ClassRef, Option<ExprRef>),
    /// A module of the project.
    Module(u32),
    /// A package or folder of the project: all units with this key.
    Package(Rc<str>),
    /// An environment variable.
    Env(Rc<str>),
    /// A list or map literal.
    Literal(ExprRef),
    /// It could not be told.
    Unknown,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// Known text.
    Known(Rc<str>),
    /// An environment variable.
    Env(Rc<str>),
    /// What a parameter holds, or what is reached from it: callers tell.
    Open(Rc<Path>),
    /// Unknown text.
    Unknown,
}

/// An access path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Path {
    /// Where it starts.
    pub(crate) root: Root,
    /// Its steps; for an import the module name comes first, split where the language splits it.
    pub(crate) segs: Vec<Seg>,
}

/// Where an access path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// An imported module.
    Import,
    /// A name that nothing in the project binds.
    Global,
    /// A parameter.
    Param(FunctionRef, u32),
}

/// A step of an access path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Seg {
    /// A member.
    Name(Rc<str>),
    /// The result of a call.
    Call(ExprRef),
    /// An instance known by its declared type only.
    Typed,
    /// An element.
    Index,
    /// The element under a key of what a function is handed: `config["model"]`.
    Key(Rc<str>),
    /// Arguments fixed in advance; it changes nothing else.
    With(ExprRef),
}

/// Paths longer than this are no longer followed.
const SEGS_MAX: usize = 48;

impl Path {
    /// The path one step further.
    pub(crate) fn then(&self, seg: Seg) -> Option<Self> {
        if self.segs.len() >= SEGS_MAX {
            return None;
        }
        let mut segs = Vec::with_capacity(self.segs.len() + 1);
        segs.extend_from_slice(&self.segs);
        segs.push(seg);
        Some(Self { root: self.root, segs })
    }

    /// The path as a reader would write it: `openai.OpenAI().responses.create`.
    pub(crate) fn symbol(&self) -> String {
        let mut out = String::new();
        if let Root::Param(_, at) = self.root {
            let _ = write!(out, "parameter{at}");
        }
        for seg in &self.segs {
            match seg {
                Seg::Name(name) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(name);
                }
                Seg::Call(_) | Seg::Typed => out.push_str("()"),
                Seg::Index | Seg::Key(_) => out.push_str("[]"),
                Seg::With(_) => {}
            }
        }
        out
    }

    /// The last member name.
    pub(crate) fn last_name(&self) -> Option<&str> {
        self.segs.iter().rev().find_map(|seg| match seg {
            Seg::Name(name) => Some(&**name),
            _ => None,
        })
    }

    /// The calls along the path, last first.
    pub(crate) fn calls(&self) -> impl Iterator<Item = ExprRef> + '_ {
        self.segs.iter().rev().filter_map(|seg| match seg {
            Seg::Call(call) | Seg::With(call) => Some(*call),
            _ => None,
        })
    }

    /// The calls along the path with the name before each, last first.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (&str, ExprRef)> + '_ {
        (1..self.segs.len())
            .rev()
            .filter_map(|at| match (&self.segs[at - 1], &self.segs[at]) {
                (Seg::Name(name), Seg::Call(call)) => Some((&**name, *call)),
                _ => None,
            })
    }

    /// Whether any step has this name.
    pub(crate) fn has_name(&self, wanted: &str) -> bool {
        self.segs
            .iter()
            .any(|seg| matches!(seg, Seg::Name(name) if &**name == wanted))
    }
}

/// The known text of parts, unknown parts written as `{}`.
pub(crate) fn render(parts: &[Part]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Known(text) => out.push_str(text),
            Part::Env(_) | Part::Open(_) | Part::Unknown => out.push_str("{}"),
        }
    }
    out
}

/// The text, if all of it is known.
pub(crate) fn constant(parts: &[Part]) -> Option<String> {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Known(text) => out.push_str(text),
            Part::Env(_) | Part::Open(_) | Part::Unknown => return None,
        }
    }
    Some(out)
}
