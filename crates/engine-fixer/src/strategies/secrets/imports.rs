//! The import that reading the environment needs.

use engine_syntax::tree::Node;

use crate::code::{Code, children, descendants};
use crate::{Draft, NoFix};

/// Modules of the standard library of Python that programs import most.
const STANDARD: [&str; 60] = [
    "__future__",
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "collections",
    "concurrent",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "enum",
    "functools",
    "getpass",
    "glob",
    "hashlib",
    "hmac",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "mimetypes",
    "multiprocessing",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "queue",
    "random",
    "re",
    "secrets",
    "shutil",
    "signal",
    "smtplib",
    "socket",
    "sqlite3",
    "ssl",
    "statistics",
    "string",
    "subprocess",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "typing",
    "urllib",
    "uuid",
];

/// Adds `import os`.
pub(super) fn python(code: &Code, draft: &mut Draft) -> Result<(), NoFix> {
    let root = code.root()?;
    let statements: Vec<Node<'_>> = children(root)
        .into_iter()
        .filter(|node| node.kind() != "comment")
        .collect();
    let imports: Vec<Node<'_>> = statements
        .iter()
        .copied()
        .filter(|node| matches!(node.kind(), "import_statement" | "import_from_statement"))
        .collect();
    let has_os = imports
        .iter()
        .filter(|node| node.kind() == "import_statement")
        .any(|node| {
            children(*node)
                .iter()
                .any(|name| name.kind() == "dotted_name" && matches!(code.of_node(*name), "os" | "os.path"))
        });
    if has_os {
        return Ok(());
    }
    let Some(first) = imports.first() else {
        // Behind the documentation of the module and what must come first.
        let after = statements.iter().find(|node| {
            let is_doc = node.kind() == "expression_statement"
                && node.named_child(0).is_some_and(|child| child.kind() == "string");
            !is_doc && node.kind() != "future_import_statement"
        });
        let at = after.map_or(code.text.len(), |node| code.line_start(node.start_byte()));
        draft.insert(code, at, "import os\n\n");
        return Ok(());
    };
    // The first block of imports without a blank line.
    let mut block: Vec<Node<'_>> = vec![*first];
    for next in imports.iter().skip(1) {
        let last = block
            .last()
            .map_or(first.end_position().row, |node| node.end_position().row);
        if next.start_position().row == last + 1 {
            block.push(*next);
        } else {
            break;
        }
    }
    let module = |node: &Node<'_>| {
        let name = node.child_by_field_name("module_name").or(node.named_child(0));
        let text = name.map_or("", |name| code.of_node(name));
        text.split(['.', ' ', ',']).next().unwrap_or("").to_owned()
    };
    let plain: Vec<Node<'_>> = block
        .iter()
        .copied()
        .take_while(|node| node.kind() == "import_statement")
        .collect();
    let (at, text) = if !STANDARD.contains(&module(first).as_str()) {
        let standard_later = block.iter().any(|node| STANDARD.contains(&module(node).as_str()));
        (
            code.line_start(first.start_byte()),
            if standard_later { "import os\n" } else { "import os\n\n" },
        )
    } else if let Some(next) = plain.iter().find(|node| module(node).as_str() > "os") {
        (code.line_start(next.start_byte()), "import os\n")
    } else if let Some(last) = plain.last() {
        (code.next_line(last.end_byte()), "import os\n")
    } else {
        (code.line_start(first.start_byte()), "import os\n")
    };
    draft.insert(code, at, text);
    Ok(())
}

/// Adds the import of `os`.
pub(super) fn go(code: &Code, draft: &mut Draft) -> Result<(), NoFix> {
    let root = code.root()?;
    let specs = descendants(root, |node| node.kind() == "import_spec");
    let path = |spec: &Node<'_>| {
        spec.child_by_field_name("path")
            .map_or("", |path| code.of_node(path))
            .trim_matches('"')
            .to_owned()
    };
    if let Some(known) = specs.iter().find(|spec| path(spec) == "os") {
        return match known.child_by_field_name("name") {
            None => Ok(()),
            Some(_) => Err(NoFix::here("the package `os` is imported under another name")),
        };
    }
    let list = descendants(root, |node| node.kind() == "import_spec_list")
        .into_iter()
        .next();
    if let Some(list) = list {
        // Packages of the standard library have no dot in their first part.
        let standard: Vec<&Node<'_>> = specs
            .iter()
            .filter(|spec| list.byte_range().contains(&spec.start_byte()))
            .filter(|spec| {
                !path(spec).split('/').next().unwrap_or("").contains('.') && spec.child_by_field_name("name").is_none()
            })
            .collect();
        let indent = specs.first().map_or("\t", |spec| code.indent(spec.start_byte()));
        match (standard.iter().find(|spec| path(spec).as_str() > "os"), standard.last()) {
            (Some(next), _) => draft.insert(code, code.line_start(next.start_byte()), &format!("{indent}\"os\"\n")),
            (None, Some(before)) => draft.insert(code, code.next_line(before.end_byte()), &format!("{indent}\"os\"\n")),
            (None, None) => {
                let start = code.next_line(list.start_byte());
                let blank = if specs.is_empty() { "" } else { "\n" };
                draft.insert(code, start, &format!("{indent}\"os\"\n{blank}"));
            }
        }
        return Ok(());
    }
    let single = descendants(root, |node| node.kind() == "import_declaration")
        .into_iter()
        .next();
    if let Some(declaration) = single {
        draft.insert(code, code.next_line(declaration.end_byte()), "import \"os\"\n");
    } else {
        let package = children(root)
            .into_iter()
            .find(|node| node.kind() == "package_clause")
            .ok_or(NoFix::Unparsed)?;
        draft.insert(code, code.next_line(package.end_byte()), "\nimport \"os\"\n");
    }
    Ok(())
}
