//! The imports of a Python file, and how one is added.

use engine_syntax::tree::Node;

use super::source::{lines_of, statements, uses};
use crate::code::{Code, children};
use crate::{Draft, NoFix};

/// Modules that come with Python and stand in the first group of imports.
const STANDARD: [&str; 96] = [
    "abc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "atexit",
    "base64",
    "bisect",
    "builtins",
    "calendar",
    "cmath",
    "cmd",
    "collections",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "enum",
    "errno",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "getpass",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "imaplib",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "locale",
    "logging",
    "math",
    "mimetypes",
    "multiprocessing",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "pprint",
    "queue",
    "random",
    "re",
    "secrets",
    "select",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "smtplib",
    "socket",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sys",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
    "weakref",
    "xml",
    "zipfile",
    "zoneinfo",
];

/// The imports at the top of a file.
pub(super) struct Imports<'c> {
    code: &'c Code,
    /// All import statements at the top level.
    all: Vec<Node<'c>>,
    /// Those before the first definition.
    head: Vec<Node<'c>>,
    /// Where the last statement ends that imports something before the first definition.
    end: Option<usize>,
}

impl<'c> Imports<'c> {
    pub(super) fn of(code: &'c Code) -> Result<Self, NoFix> {
        let root = code.root()?;
        let mut out = Self {
            code,
            all: Vec::new(),
            head: Vec::new(),
            end: None,
        };
        let mut in_head = true;
        for statement in statements(root) {
            match statement.kind() {
                "import_statement" | "import_from_statement" => {
                    out.all.push(statement);
                    if in_head {
                        out.head.push(statement);
                        out.end = Some(statement.end_byte());
                    }
                }
                "future_import_statement" | "expression_statement" => {}
                // `if TYPE_CHECKING:` and `try:` with imports inside.
                "if_statement" | "try_statement" if imports_first(statement) => {
                    if in_head {
                        out.end = Some(statement.end_byte());
                    }
                }
                _ => in_head = false,
            }
        }
        Ok(out)
    }

    /// How a module is written in the code behind it: `requests`, or the name that it was given.
    pub(super) fn module(&self, module: &str, before: usize) -> Option<String> {
        self.before(before).find_map(|statement| {
            if statement.kind() != "import_statement" {
                return None;
            }
            names(statement).into_iter().find_map(|name| {
                if name.kind() == "aliased_import" {
                    let of = name.child_by_field_name("name")?;
                    let alias = name.child_by_field_name("alias")?;
                    return (self.code.of_node(of) == module).then(|| self.code.of_node(alias).to_owned());
                }
                let text = self.code.of_node(name);
                let whole = text == module || text.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'));
                whole.then(|| module.to_owned())
            })
        })
    }

    /// How something of a module is written in the code behind it.
    pub(super) fn item(&self, module: &str, item: &str, before: usize) -> Option<String> {
        self.from(module, before).find_map(|statement| {
            names(statement).into_iter().find_map(|name| {
                let of = name.child_by_field_name("name").unwrap_or(name);
                let bound = name.child_by_field_name("alias").unwrap_or(name);
                (self.code.of_node(of) == item).then(|| self.code.of_node(bound).to_owned())
            })
        })
    }

    /// The statement that binds a name by an import.
    pub(super) fn binds(&self, bound: &str) -> Option<Node<'c>> {
        self.all.iter().copied().find(|statement| {
            names(*statement).into_iter().any(|name| {
                let text = self.code.of_node(name.child_by_field_name("alias").unwrap_or(name));
                if statement.kind() == "import_statement" {
                    text.split('.').next() == Some(bound)
                } else {
                    text == bound
                }
            })
        })
    }

    /// Adds a name to an import that is there: `from openai import OpenAI` becomes `from openai import OpenAI, OpenAIError`.
    pub(super) fn add_item(&self, draft: &mut Draft, module: &str, item: &str, before: usize) -> bool {
        let code = self.code;
        if code.root().is_ok_and(|root| !uses(code, root, item).is_empty()) {
            return false;
        }
        let Some(statement) = self.from(module, before).next() else {
            return false;
        };
        let all = names(statement);
        let Some(last) = all.last().copied() else { return false };
        let key = |name: &Node<'_>| code.of_node(*name).to_lowercase();
        let sorted = all.windows(2).all(|pair| matches!(pair, [a, b] if key(a) <= key(b)));
        let next = all.iter().find(|name| sorted && key(name) > item.to_lowercase());
        let own_line = |name: Node<'_>| {
            let start = code.line_start(name.start_byte());
            let before = code.text.get(start..name.start_byte());
            name.start_position().row > statement.start_position().row
                && before.is_some_and(|before| before.trim().is_empty())
        };
        match next {
            Some(next) if own_line(*next) => {
                let indent = code.indent(next.start_byte()).to_owned();
                draft.insert(code, next.start_byte(), &format!("{item},\n{indent}"));
            }
            Some(next) => draft.insert(code, next.start_byte(), &format!("{item}, ")),
            None if own_line(last) => {
                let indent = code.indent(last.start_byte()).to_owned();
                draft.insert(code, last.end_byte(), &format!(",\n{indent}{item}"));
            }
            None => draft.insert(code, last.end_byte(), &format!(", {item}")),
        }
        true
    }

    /// Where `import logging` goes, with an empty line behind it where it is a group of its own.
    fn place_of_logging(&self) -> Result<(usize, &'static str), NoFix> {
        let code = self.code;
        let first = self
            .head
            .first()
            .copied()
            .ok_or_else(|| NoFix::here("the file has no imports at its top"))?;
        for statement in &self.head {
            lines_of(code, *statement)?;
        }
        let groups = self.groups();
        let standard = |node: &Node<'_>| STANDARD.contains(&self.root_of(*node));
        let Some(group) = groups.iter().find(|group| group.iter().any(standard)) else {
            return Ok((self.above(first), "import logging\n\n"));
        };
        let before = |node: Node<'_>| code.line_start(node.start_byte());
        let behind = |node: Node<'_>| code.next_line(node.end_byte());
        let sorted = |all: &[Node<'_>]| {
            all.windows(2)
                .all(|pair| matches!(pair, [a, b] if self.module_of(*a) <= self.module_of(*b)))
        };
        let plain: Vec<Node<'c>> = group
            .iter()
            .copied()
            .filter(|node| node.kind() == "import_statement")
            .collect();
        let later = |all: &[Node<'c>]| all.iter().copied().find(|node| self.module_of(*node) > "logging");
        // Whole modules come before parts of modules, unless the group mixes both in the order of the alphabet.
        let is_mixed = group
            .iter()
            .take(plain.len())
            .any(|node| node.kind() != "import_statement");
        let at = if plain.is_empty() {
            group.first().map_or(0, |node| before(*node))
        } else if is_mixed && sorted(group) {
            later(group).map_or_else(|| group.last().map_or(0, |node| behind(*node)), before)
        } else if sorted(&plain) {
            later(&plain).map_or_else(|| plain.last().map_or(0, |node| behind(*node)), before)
        } else {
            let last = plain.iter().rfind(|node| standard(node)).or(plain.last());
            last.map_or(0, |node| behind(*node))
        };
        Ok((at, "import logging\n"))
    }

    /// Adds a statement below the imports, and `import logging` before it where it needs that.
    pub(super) fn add_below(
        &self,
        draft: &mut Draft,
        statement: &str,
        with_logging: bool,
        before: usize,
    ) -> Result<(), NoFix> {
        let code = self.code;
        let end = self
            .end
            .ok_or_else(|| NoFix::here("the file has no imports at its top"))?;
        let at = code.next_line(end);
        if end >= before || at > before || !code.text.get(..at).is_some_and(|text| text.ends_with('\n')) {
            return Err(NoFix::here("the imports are below the call"));
        }
        let next = code.text.get(at..).unwrap_or("").lines().next().unwrap_or("");
        let gap = if next.trim().is_empty() { "" } else { "\n" };
        let mut import = "";
        if with_logging {
            let (place, line) = self.place_of_logging()?;
            if place == at {
                import = line.trim_end_matches('\n');
            } else {
                draft.insert(code, place, line);
            }
        }
        let import = if import.is_empty() {
            String::new()
        } else {
            format!("{import}\n")
        };
        draft.insert(code, at, &format!("{import}\n{statement}\n{gap}"));
        Ok(())
    }

    fn before(&self, before: usize) -> impl Iterator<Item = Node<'c>> + '_ {
        self.all
            .iter()
            .copied()
            .filter(move |statement| statement.end_byte() <= before)
    }

    /// Statements that import parts of a module by their names.
    fn from<'s>(&'s self, module: &'s str, before: usize) -> impl Iterator<Item = Node<'c>> + 's {
        self.before(before).filter(move |statement| {
            statement.kind() == "import_from_statement"
                && statement
                    .child_by_field_name("module_name")
                    .is_some_and(|name| self.code.of_node(name) == module)
                && !names(*statement).is_empty()
        })
    }

    fn module_of(&self, statement: Node<'_>) -> &'c str {
        let name = statement
            .child_by_field_name("module_name")
            .or_else(|| names(statement).into_iter().next())
            .map(|name| name.child_by_field_name("name").unwrap_or(name));
        name.map_or("", |name| self.code.of_node(name))
    }

    /// The first name of the module of an import.
    pub(super) fn root_of(&self, statement: Node<'_>) -> &'c str {
        self.module_of(statement).split('.').next().unwrap_or("")
    }

    /// Imports without an empty line, a comment or other code between them.
    fn groups(&self) -> Vec<Vec<Node<'c>>> {
        let mut out: Vec<Vec<Node<'c>>> = Vec::new();
        let mut end = None;
        for statement in &self.head {
            let joined = end.is_some_and(|end| {
                let gap = self.code.text.get(end..statement.start_byte()).unwrap_or("");
                gap.matches('\n').count() == 1
            });
            match out.last_mut() {
                Some(group) if joined => group.push(*statement),
                _ => out.push(vec![*statement]),
            }
            end = Some(statement.end_byte());
        }
        out
    }

    /// Where a group before the first import begins: above a comment that belongs to that import, and below the head of the file.
    fn above(&self, first: Node<'_>) -> usize {
        let code = self.code;
        let own = code.line_start(first.start_byte());
        let mut at = own;
        while at > 0 {
            let line = code.line_start(at - 1);
            if !code
                .text
                .get(line..at)
                .is_some_and(|text| text.trim_start().starts_with('#'))
            {
                break;
            }
            at = line;
        }
        if at == 0 { own } else { at }
    }
}

/// The names of an import statement.
fn names(statement: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = statement.walk();
    statement.children_by_field_name("name", &mut cursor).collect()
}

/// Whether the first statement inside of a compound statement is an import.
fn imports_first(statement: Node<'_>) -> bool {
    let block = children(statement).into_iter().find(|child| child.kind() == "block");
    block
        .and_then(|block| statements(block).into_iter().next())
        .is_some_and(|first| matches!(first.kind(), "import_statement" | "import_from_statement"))
}
