//! Names, paths, types and texts that several languages spell alike.

use thin_vec::ThinVec;
use tree_sitter::Node;

use super::builder::Builder;
use crate::ir::{Expr, ExprId, TypeRef};

/// A type with its arguments.
pub(super) fn type_of(name: &str, args: ThinVec<TypeRef>) -> TypeRef {
    TypeRef {
        name: name.into(),
        args,
    }
}

/// A path as a chain of members: `a.b.C` is `C` of `b` of `a`.
pub(super) fn path(b: &mut Builder<'_>, node: Node<'_>, text: &str, separator: &str) -> ExprId {
    let mut parts = text.split(separator).map(str::trim).filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default().into();
    let mut object = b.at(node, Expr::Name(first));
    for name in parts {
        object = b.at(
            node,
            Expr::Member {
                object,
                name: name.into(),
            },
        );
    }
    object
}

/// The text before type arguments.
#[cfg(any(feature = "java", feature = "csharp", feature = "kotlin"))]
pub(super) fn without_arguments(text: &str) -> &str {
    text.split(['<', '(']).next().unwrap_or(text).trim()
}

/// Removes the indentation that a text block shares with its closing quotes: the first line break and the least
/// indentation of all lines go.
#[cfg(any(feature = "java", feature = "csharp"))]
pub(super) fn text_block(content: &str, keep_end: bool) -> String {
    let content = content
        .strip_prefix("\r\n")
        .or_else(|| content.strip_prefix('\n'))
        .unwrap_or(content);
    let lines: Vec<&str> = content.lines().collect();
    let last = content.rsplit('\n').next().unwrap_or("");
    let closing_alone = content.contains('\n') && last.trim().is_empty();
    let indent_of = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let indent = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| indent_of(line))
        .chain(closing_alone.then(|| indent_of(last)))
        .min()
        .unwrap_or(0);
    let body = if closing_alone && !last.is_empty() {
        &lines[..lines.len() - 1]
    } else {
        &lines[..]
    };
    let mut out = String::with_capacity(content.len());
    for (index, line) in body.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(line.get(indent..).unwrap_or("").trim_end());
    }
    if closing_alone && keep_end && !body.is_empty() {
        out.push('\n');
    }
    out
}
