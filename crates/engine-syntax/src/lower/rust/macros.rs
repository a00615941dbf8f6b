//! Macros and attributes of Rust, whose arguments the grammar leaves as tokens.
//!
//! The tokens are parsed again as what they mostly are: `name!(a, b)` as the call `name(a, b)`, `name![a, b]` as an
//! array, `name! { … }` as a block. The parser is shown the ranges of the file that matter, so places stay right.
//! - `format!` is a template with its arguments in place; in other macros a text with names in braces is one.
//! - `vec!` is a list, `json!` is what it spells, `matches!` is a test; any other macro is a call of the name with `!`.
//! - `panic!`, `bail!` and the like raise when they are statements.

use ecow::EcoString;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use thin_vec::{ThinVec, thin_vec};

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Range, Tree};

use super::Lowering;
use crate::ir::{Arg, Expr, ExprId, MapEntry, Stmt, StmtKind};
use crate::lower::builder::{all_children, children, field, plain};

/// Bytes of a macro's tokens beyond which they are not parsed again.
const MACRO_BYTES_MAX: usize = 64 * 1024;

/// Macros within macros beyond which tokens are not parsed again: each level reads its text anew.
const MACRO_DEPTH_MAX: u32 = 6;

/// Texts and names kept of a macro that is not parsed again.
const LOOSE_TOKENS_MAX: usize = 64;

thread_local! {
    static FRAGMENTS: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

#[cfg(test)]
thread_local! {
    /// Bytes that were parsed again on this thread.
    static PARSED_AGAIN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Parses some ranges of a text as if nothing were between them.
fn parse_ranges(text: &str, ranges: &[Range]) -> Option<Tree> {
    FRAGMENTS.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_rust::LANGUAGE.into()).ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        parser.reset();
        parser.set_included_ranges(ranges).ok()?;
        let bytes = text.as_bytes();
        let length: usize = ranges.iter().map(|range| range.end_byte - range.start_byte).sum();
        #[cfg(test)]
        PARSED_AGAIN.set(PARSED_AGAIN.get() + length);
        let mut left = 1_000 + length;
        let mut progress = |_: &ParseState| {
            left = left.saturating_sub(1);
            if left == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        parser.parse_with_options(
            &mut |byte, _| bytes.get(byte..).unwrap_or_default(),
            None,
            Some(ParseOptions::new().progress_callback(&mut progress)),
        )
    })
}

/// The first node of a kind along the left edge of a tree.
fn first_of<'n>(root: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let mut at = root;
    loop {
        if at.kind() == kind {
            return Some(at);
        }
        at = at.named_child(0)?;
    }
}

/// A piece of a format text.
enum Piece {
    Text(String),
    /// An argument by position, in order or as written.
    Next,
    Position(usize),
    /// An argument or a variable by name.
    Name(String),
}

/// Takes a format text apart; what follows the colon inside of braces says how, not what.
fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            plain.push_str(brace);
            rest = after;
            continue;
        }
        let Some(end) = rest.find('}').filter(|_| brace == "{") else {
            plain.push_str(brace);
            continue;
        };
        let name = rest[..end].split(':').next().unwrap_or("").trim();
        let identifier = !name.is_empty() && name.chars().all(|ch| ch.is_alphanumeric() || ch == '_');
        if !name.is_empty() && !identifier {
            plain.push_str(brace);
            continue;
        }
        rest = &rest[end + 1..];
        if !plain.is_empty() {
            found.push(Piece::Text(std::mem::take(&mut plain)));
        }
        found.push(match name.parse() {
            Ok(position) => Piece::Position(position),
            Err(_) if name.is_empty() => Piece::Next,
            Err(_) => Piece::Name(name.to_owned()),
        });
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        found.push(Piece::Text(plain));
    }
    found
}

impl Lowering<'_> {
    /// A macro as a statement.
    pub(super) fn macro_statement(&mut self, node: Node<'_>, out: &mut ThinVec<Stmt>) {
        let name = self.macro_name(node);
        let tokens = children(node).into_iter().rfind(|part| part.kind() == "token_tree");
        if let Some(tokens) = tokens
            && matches!(&*name, "lazy_static" | "thread_local" | "cfg_if")
            && self.b.text_of(tokens).starts_with('{')
        {
            // What these declare is meant to stand here.
            let body = self.tokens_as_block(tokens);
            out.extend(body);
            return;
        }
        let value = self.expr(node);
        let raises = matches!(&*name, "panic" | "bail" | "unreachable" | "todo" | "unimplemented");
        let kind = if raises {
            StmtKind::Raise(Some(value))
        } else {
            StmtKind::Expr(value)
        };
        out.push(self.b.stmt(node, kind));
    }

    /// The last part of a macro's path.
    fn macro_name(&self, node: Node<'_>) -> EcoString {
        field(node, "macro")
            .map_or("", |path| self.b.text_of(path))
            .rsplit("::")
            .next()
            .unwrap_or_default()
            .trim()
            .into()
    }

    /// A macro for its value.
    pub(super) fn macro_expression(&mut self, node: Node<'_>) -> ExprId {
        let (Some(path), Some(tokens)) = (
            field(node, "macro"),
            children(node).into_iter().rfind(|part| part.kind() == "token_tree"),
        ) else {
            return self.b.left_out(node);
        };
        let name = self.macro_name(node);
        match &*name {
            "json" => return self.json(tokens),
            "vec" if self.b.text_of(tokens).starts_with('[') => {
                let args = self.macro_args(path, tokens);
                return self
                    .b
                    .at(node, Expr::List(args.into_iter().map(|arg| arg.value).collect()));
            }
            _ => {}
        }
        let mut args = self.macro_args(path, tokens);
        match &*name {
            "format" | "format_args" if !args.is_empty() => return self.format(node, &args),
            "matches" if !args.is_empty() => return self.b.at(node, Expr::Test(thin_vec![args[0].value])),
            _ => {}
        }
        self.fill_texts(&mut args);
        let text = format!("{}!", super::without_turbofish(self.b.text_of(path)));
        let callee = crate::lower::names::path(&mut self.b, path, &text, "::");
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    /// An attribute: a name, or a call of it.
    pub(super) fn attribute(&mut self, node: Node<'_>) -> ExprId {
        let Some(path) = node.named_child(0) else {
            return self.b.left_out(node);
        };
        let callee = self.path_of(path);
        let args = if let Some(tokens) = field(node, "arguments") {
            self.macro_args(path, tokens)
        } else if let Some(value) = field(node, "value") {
            thin_vec![plain(self.expr(value))]
        } else {
            return callee;
        };
        self.b.at(
            node,
            Expr::Call {
                callee,
                args,
                new: false,
            },
        )
    }

    /// The arguments that a macro's tokens spell.
    fn macro_args(&mut self, path: Node<'_>, tokens: Node<'_>) -> ThinVec<Arg> {
        if let Some(args) = self.simple_tokens(tokens) {
            return args;
        }
        if self.macro_depth >= MACRO_DEPTH_MAX || tokens.byte_range().len() > MACRO_BYTES_MAX || !self.b.enter() {
            return self.loose_tokens(tokens);
        }
        self.macro_depth += 1;
        let args = match self.b.text_of(tokens).as_bytes().first() {
            Some(b'(') => {
                let name = if path.kind() == "scoped_identifier" {
                    field(path, "name").unwrap_or(path)
                } else {
                    path
                };
                let tree = parse_ranges(self.b.text, &[name.range(), tokens.range()]);
                self.args_of(tree.as_ref(), "arguments", tokens)
            }
            Some(b'[') => {
                let tree = parse_ranges(self.b.text, &[tokens.range()]);
                self.args_of(tree.as_ref(), "array_expression", tokens)
            }
            _ => {
                let body = self.tokens_as_block(tokens);
                thin_vec![plain(self.b.at(tokens, Expr::Block(body)))]
            }
        };
        self.macro_depth -= 1;
        self.b.leave();
        args
    }

    /// The statements that a macro's tokens in braces spell.
    fn tokens_as_block(&mut self, tokens: Node<'_>) -> ThinVec<Stmt> {
        if self.macro_depth >= MACRO_DEPTH_MAX || tokens.byte_range().len() > MACRO_BYTES_MAX || !self.b.enter() {
            return ThinVec::new();
        }
        self.macro_depth += 1;
        let mut body = ThinVec::new();
        if let Some(tree) = parse_ranges(self.b.text, &[tokens.range()]) {
            let root = tree.root_node();
            self.stmts(first_of(root, "block").unwrap_or(root), &mut body);
        }
        self.macro_depth -= 1;
        self.b.leave();
        body
    }

    /// Lowers the arguments in a parsed fragment.
    fn args_of(&mut self, tree: Option<&Tree>, kind: &str, tokens: Node<'_>) -> ThinVec<Arg> {
        let Some(root) = tree.map(Tree::root_node) else {
            return self.loose_tokens(tokens);
        };
        let call = if kind == "arguments" {
            first_of(root, "call_expression")
        } else {
            first_of(root, kind)
        };
        let list = match call {
            Some(call) if kind == "arguments" => field(call, "arguments"),
            other => other,
        };
        let Some(list) = list else {
            return self.loose_tokens(tokens);
        };
        let length = field(list, "length");
        let mut args = ThinVec::new();
        for item in children(list)
            .into_iter()
            .filter(|item| Some(*item) != length && item.kind() != "attribute_item")
        {
            // Signs that only the macro knows, as in `info!(%id, ?list)`, leave errors around the values.
            let values = if item.is_error() { children(item) } else { vec![item] };
            for value in values {
                args.push(self.macro_arg(value));
            }
        }
        args
    }

    /// One argument; an assignment names it.
    fn macro_arg(&mut self, node: Node<'_>) -> Arg {
        if node.kind() == "assignment_expression"
            && let (Some(left), Some(right)) = (field(node, "left"), field(node, "right"))
            && matches!(left.kind(), "identifier" | "field_expression" | "scoped_identifier")
        {
            let name = Some(self.text(left));
            let value = self.expr(right);
            return Arg {
                name,
                value,
                spread: false,
            };
        }
        plain(self.expr(node))
    }

    /// Arguments that are single tokens, as in most attributes and logs, need no second parse.
    fn simple_tokens(&mut self, tokens: Node<'_>) -> Option<ThinVec<Arg>> {
        let parts = all_children(tokens);
        let inner = parts.get(1..parts.len().saturating_sub(1))?;
        let simple = |part: &Node<'_>| {
            matches!(
                part.kind(),
                "identifier" | "string_literal" | "raw_string_literal" | "integer_literal" | "boolean_literal"
            )
        };
        if !self.b.text_of(tokens).starts_with(['(', '[']) {
            return None;
        }
        let ordered = inner.iter().enumerate().all(|(index, part)| {
            if index % 2 == 0 {
                simple(part)
            } else {
                part.kind() == "," || self.b.text_of(*part) == ","
            }
        });
        if !ordered {
            return None;
        }
        Some(inner.iter().step_by(2).map(|part| plain(self.expr(*part))).collect())
    }

    /// Texts and names of tokens that are not parsed again.
    fn loose_tokens(&mut self, tokens: Node<'_>) -> ThinVec<Arg> {
        let mut cursor = tokens.walk();
        let mut args = ThinVec::new();
        let mut depth = 0_u32;
        loop {
            let at = cursor.node();
            match at.kind() {
                "string_literal" | "raw_string_literal" | "identifier" => {
                    args.push(plain(self.expr(at)));
                    if args.len() >= LOOSE_TOKENS_MAX {
                        self.b.module.truncated = true;
                        return args;
                    }
                }
                _ => {
                    if cursor.goto_first_child() {
                        depth += 1;
                        continue;
                    }
                }
            }
            while !cursor.goto_next_sibling() {
                if depth <= 1 || !cursor.goto_parent() {
                    return args;
                }
                depth -= 1;
            }
        }
    }

    /// `format!` with its arguments in place.
    fn format(&mut self, node: Node<'_>, args: &[Arg]) -> ExprId {
        let Some((first, rest)) = args.split_first() else {
            return self.b.left_out(node);
        };
        let Expr::Str(text) = self.b.module.expr(first.value) else {
            let parts = args.iter().map(|arg| arg.value).collect();
            return self.b.template(node, parts);
        };
        let found = pieces(text);
        let by_name: BTreeMap<&str, ExprId> = rest
            .iter()
            .filter_map(|arg| Some((arg.name.as_deref()?, arg.value)))
            .collect();
        let span = self.b.module.span(first.value);
        let mut next = 0;
        let mut parts = Vec::with_capacity(found.len());
        for piece in found {
            let value = match piece {
                Piece::Text(text) => Some(self.b.expr(Expr::Str(text.into()), span)),
                Piece::Next => {
                    next += 1;
                    rest.get(next - 1).map(|arg| arg.value)
                }
                Piece::Position(position) => rest.get(position).map(|arg| arg.value),
                Piece::Name(name) => match by_name.get(name.as_str()) {
                    Some(value) => Some(*value),
                    None => Some(self.b.expr(Expr::Name(name.into()), span)),
                },
            };
            parts.extend(value);
        }
        self.b.template(node, parts.into())
    }

    /// Makes templates of the texts that name variables in braces.
    fn fill_texts(&mut self, args: &mut [Arg]) {
        for arg in args.iter_mut().filter(|arg| arg.name.is_none()) {
            let Expr::Str(text) = self.b.module.expr(arg.value) else {
                continue;
            };
            if !text.contains('{') {
                continue;
            }
            let found = pieces(text);
            if !found.iter().any(|piece| matches!(piece, Piece::Name(_))) {
                continue;
            }
            let span = self.b.module.span(arg.value);
            let mut parts = Vec::with_capacity(found.len());
            for piece in found {
                let kind = match piece {
                    Piece::Text(text) => Expr::Str(text.into()),
                    Piece::Next => Expr::Str("{}".into()),
                    Piece::Position(position) => Expr::Str(format!("{{{position}}}").into()),
                    Piece::Name(name) => Expr::Name(name.into()),
                };
                parts.push(self.b.expr(kind, span));
            }
            arg.value = self.b.expr(Expr::Template(parts.into()), span);
        }
    }

    /// What `json!` spells.
    fn json(&mut self, tokens: Node<'_>) -> ExprId {
        let parts = all_children(tokens);
        let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
        self.json_value(tokens, inner)
    }

    /// A value of `json!`: braces, brackets, or an expression.
    fn json_value(&mut self, around: Node<'_>, tokens: &[Node<'_>]) -> ExprId {
        if !self.b.enter() {
            return self.b.left_out(around);
        }
        let value = match tokens {
            [tree] if tree.kind() == "token_tree" && self.b.text_of(*tree).starts_with('{') => self.json_map(*tree),
            [tree] if tree.kind() == "token_tree" && self.b.text_of(*tree).starts_with('[') => {
                let parts = all_children(*tree);
                let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
                let mut items = ThinVec::new();
                for item in inner
                    .split(|token| self.b.text_of(*token) == ",")
                    .map(<[_]>::to_vec)
                    .collect::<Vec<_>>()
                {
                    if !item.is_empty() {
                        items.push(self.json_value(*tree, &item));
                    }
                }
                self.b.at(*tree, Expr::List(items))
            }
            [only] if self.b.text_of(*only) == "null" => self.b.at(*only, Expr::Null),
            [only] if only.kind() != "token_tree" => self.expr(*only),
            [first, .., last] => self.tokens_as_expression(*first, *last, around),
            [tree] => self.tokens_as_expression(*tree, *tree, around),
            [] => self.b.left_out(around),
        };
        self.b.leave();
        value
    }

    fn json_map(&mut self, tree: Node<'_>) -> ExprId {
        let parts = all_children(tree);
        let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
        let mut entries = ThinVec::new();
        let pairs: Vec<&[Node<'_>]> = inner.split(|token| self.b.text_of(*token) == ",").collect();
        for pair in pairs {
            let Some(colon) = pair.iter().position(|token| self.b.text_of(*token) == ":") else {
                continue;
            };
            let key = Some(self.json_value(tree, &pair[..colon]));
            let value = self.json_value(tree, &pair[colon + 1..]);
            entries.push(MapEntry { key, value });
        }
        self.b.at(tree, Expr::Map(entries))
    }

    /// Parses the text from one token to another as an expression.
    fn tokens_as_expression(&mut self, first: Node<'_>, last: Node<'_>, around: Node<'_>) -> ExprId {
        let range = Range {
            start_byte: first.start_byte(),
            end_byte: last.end_byte(),
            start_point: first.start_position(),
            end_point: last.end_position(),
        };
        if self.macro_depth >= MACRO_DEPTH_MAX || range.end_byte - range.start_byte > MACRO_BYTES_MAX {
            return self.b.left_out(around);
        }
        let Some(tree) = parse_ranges(self.b.text, &[range]) else {
            return self.b.left_out(around);
        };
        self.macro_depth += 1;
        let mut at = tree.root_node();
        while matches!(at.kind(), "source_file" | "expression_statement" | "ERROR") && at.named_child_count() == 1 {
            let Some(inner) = at.named_child(0) else {
                break;
            };
            at = inner;
        }
        let value = self.expr(at);
        self.macro_depth -= 1;
        value
    }
}

#[cfg(test)]
mod tests {
    use engine_model::Language;

    use super::{MACRO_DEPTH_MAX, PARSED_AGAIN};

    #[test]
    fn nested_macros_are_parsed_again_a_bounded_number_of_times() {
        for source in [
            format!("fn f() {{ {}c{} }}", "a!(b, ".repeat(400), ")".repeat(400)),
            format!("fn f() {{ {} }}", "info!(\"x {y}\", z = a.b());".repeat(2_000)),
            format!("fn f() {{ json!([{}]) }}", "{\"a\": b(c) },".repeat(2_000)),
        ] {
            PARSED_AGAIN.set(0);
            assert!(crate::lower(Language::Rust, &source).is_some());
            // Each level parses the tokens in it once more, and a level may be parsed as two kinds of fragment.
            let most = 2 * (MACRO_DEPTH_MAX as usize + 1) * source.len();
            let parsed = PARSED_AGAIN.get();
            assert!(parsed > 0 && parsed <= most, "{parsed} bytes for {}", source.len());
        }
    }
}
