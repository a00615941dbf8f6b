//! What every lowering shares: the module under construction, places, and the limit of depth.

use ecow::EcoString;
use std::cell::{Cell, RefCell};
use std::num::NonZeroU16;
use std::ops::ControlFlow;
use std::thread::LocalKey;
use thin_vec::{ThinVec, thin_vec};

use engine_model::Language;
use rustc_hash::FxHashMap;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::losses::Losses;
use crate::ir::{
    Arg, Class, ClassId, Expr, ExprId, ExprNode, Function, FunctionId, Module, Pattern, Span, Stmt, StmtKind, TypeRef,
};

/// Nesting beyond which text is left out: real code stays far below, hostile text must not exhaust the stack.
pub(crate) const DEPTH_MAX: u32 = 160;

/// Expressions beyond which a file is cut: a bundle or a table of data, not code that a person wrote.
pub(crate) const EXPRS_MAX: usize = 400_000;

/// `else if` branches beyond which a chain becomes one `Match`: nested statements are dropped and walked recursively.
const ELSE_IF_MAX: usize = 40;

/// A parser that a thread keeps for one grammar.
pub(crate) type ParserSlot = LocalKey<RefCell<Option<Parser>>>;

/// Bytes handed to the parser at a time: small enough that reading far ahead is noticed, and that a text can end early.
const CHUNK_BYTES: usize = 4 * 1024;

/// Whether a name is written like one of a constant: `USE_OPENAI`.
fn is_constant_name(name: &str) -> bool {
    name.len() > 3
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Calls of the parser's callback, one for each hundred steps, between two looks at its log.
const LOOK_EVERY: u32 = 128;

/// Errors that one text may make a parser recover from, as far as the looks tell, times the tokens and rules of its grammar. Each costs as much as
/// hundreds of steps, since every token of the language is tried in its place; ordinary text has a handful.
const TRIED_MAX: usize = 600_000;

/// Calls that are left to a parser to finish what it has when the text ends early.
const STEPS_TO_END: usize = 1_000;

thread_local! {
    /// Errors that a parser of the thread told while its log was listened to.
    static ERRORS: Cell<u32> = const { Cell::new(0) };
    /// Whether a text of the thread was parsed in part only since it was asked last.
    static IN_PART: Cell<bool> = const { Cell::new(false) };
    /// What the grammar could not read in the text that the thread parsed last.
    static LOSSES: RefCell<Losses> = const { RefCell::new(Losses::NONE) };
}

/// What the grammar could not read in the text that was parsed last; asked once.
pub(crate) fn losses() -> Losses {
    LOSSES.replace(Losses::NONE)
}

/// Errors that a grammar with so many tokens and rules may recover from.
fn errors_max(kinds: usize) -> u32 {
    u32::try_from(TRIED_MAX / kinds.max(1)).unwrap_or(u32::MAX)
}

/// Whether a text was parsed in part only since this was asked last.
pub(crate) fn parsed_in_part() -> bool {
    IN_PART.take()
}

/// Parses a text with the thread's parser for the grammar; none when the text defeats the parser.
///
/// The work is limited by counts and not by a clock, so that the same text always gives the same answer. A text with errors or steps without end counts
/// as if it ended where their number is reached: `parsed_in_part` tells.
pub(crate) fn parse(
    slot: &'static ParserSlot,
    grammar: impl FnOnce() -> tree_sitter::Language,
    text: &str,
) -> Option<Tree> {
    slot.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&grammar()).ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        parser.reset();
        let bytes = text.as_bytes();
        // The callback comes every hundred steps of the parser. Ordinary code takes about one step a byte and at most two; error
        // recovery on hostile text takes many more.
        let mut steps_left = STEPS_TO_END + 500 + bytes.len() / 30;
        // A scanner that looks ahead to the end of the file for each token reads the text many times over; ordinary code is read twice.
        let bytes_left = Cell::new(3_000_000 + bytes.len().saturating_mul(24));
        let ended = Cell::new(false);
        let mut errors = 0_u32;
        let errors_max = parser
            .language()
            .map_or(1, |language| errors_max(language.node_kind_count()));
        let mut listens = false;
        let tree = loop {
            // How many errors a parser meets only its log tells, and a log of all steps would take longer than parsing: every so often it stops, and
            // goes on with its log for one call.
            let mut until_look = if listens { 1 } else { LOOK_EVERY };
            let mut looks = false;
            let mut progress = |_: &ParseState| {
                steps_left = steps_left.saturating_sub(1);
                if steps_left <= STEPS_TO_END {
                    ended.set(true);
                }
                until_look = until_look.saturating_sub(1);
                looks = until_look == 0 && !ended.get();
                if looks || steps_left == 0 || bytes_left.get() == 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let tree = parser.parse_with_options(
                &mut |byte, _| {
                    let rest = bytes.get(byte..).unwrap_or_default();
                    let chunk = rest.get(..CHUNK_BYTES).unwrap_or(rest);
                    bytes_left.set(bytes_left.get().saturating_sub(chunk.len()));
                    if bytes_left.get() == 0 || ended.get() {
                        &[]
                    } else {
                        chunk
                    }
                },
                None,
                Some(ParseOptions::new().progress_callback(&mut progress)),
            );
            if tree.is_some() || !looks || steps_left == 0 || bytes_left.get() == 0 {
                break tree;
            }
            if listens {
                errors = errors.saturating_add(ERRORS.take().saturating_mul(LOOK_EVERY));
                parser.set_logger(None);
                ended.set(errors > errors_max);
            } else {
                ERRORS.set(0);
                parser.set_logger(Some(Box::new(|_, message| {
                    if message.starts_with("resume version") {
                        ERRORS.set(ERRORS.get() + 1);
                    }
                })));
            }
            listens = !listens;
        };
        if listens {
            parser.set_logger(None);
        }
        if ended.get() {
            IN_PART.set(true);
        }
        let tree = tree.filter(|_| bytes_left.get() > 0);
        LOSSES.set(tree.as_ref().map_or(Losses::NONE, |tree| Losses::of(tree, text)));
        tree
    })
}

/// The numbers of the fields of one grammar, as they were looked up before.
type FieldIds = FxHashMap<EcoString, Option<NonZeroU16>>;

thread_local! {
    /// A grammar looks for the name of a field through the list of all its names, each time it is asked.
    static FIELDS: RefCell<Vec<(tree_sitter::Language, FieldIds)>> = const { RefCell::new(Vec::new()) };
}

/// The number of a field in the grammar of a node.
fn field_id(node: Node<'_>, name: &str) -> Option<NonZeroU16> {
    let language = node.language();
    FIELDS.with_borrow_mut(|known| {
        let at = known.iter().position(|(of, _)| *of == *language).unwrap_or_else(|| {
            known.push(((*language).clone(), FieldIds::default()));
            known.len() - 1
        });
        let (_, ids) = known.get_mut(at)?;
        if let Some(known) = ids.get(name) {
            return *known;
        }
        let id = language.field_id_for_name(name);
        ids.insert(name.into(), id);
        id
    })
}

/// The child of a node that stands in a field.
pub(crate) fn field<'n>(node: Node<'n>, name: &str) -> Option<Node<'n>> {
    node.child_by_field_id(field_id(node, name)?.get())
}

/// The named children of a node without comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let mut found = Vec::new();
    if cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if child.is_named() && (!child.is_extra() || child.is_error()) {
                found.push(child);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    found
}

/// All children of a node, tokens and comments too.
pub(crate) fn all_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The children of a node that stand in a field.
pub(crate) fn fields<'n>(node: Node<'n>, name: &str) -> Vec<Node<'n>> {
    let Some(id) = field_id(node, name) else {
        return Vec::new();
    };
    let mut cursor = node.walk();
    node.children_by_field_id(id, &mut cursor)
        .filter(Node::is_named)
        .collect()
}

/// Whether a token of this kind is a direct child among the first few.
pub(crate) fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(12).any(|child| child.kind() == token)
}

/// A type that is only a name.
pub(crate) fn named_type(name: &str) -> TypeRef {
    TypeRef {
        name: name.into(),
        args: ThinVec::new(),
    }
}

/// How a language spells escapes that do not exist.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The backslash stays (Python).
    Kept,
    /// The backslash goes (JavaScript and most others).
    Dropped,
}

/// The text behind a literal's content, with the usual escapes resolved.
pub(crate) fn unescape(content: &str, unknown: Unknown) -> String {
    let Some(first) = content.find('\\') else {
        return content.to_owned();
    };
    let mut out = String::with_capacity(content.len());
    out.push_str(&content[..first]);
    let mut rest = &content[first..];
    while let Some(ch) = rest.chars().next() {
        if ch != '\\' {
            let until = rest.find('\\').unwrap_or(rest.len());
            out.push_str(&rest[..until]);
            rest = &rest[until..];
            continue;
        }
        rest = &rest[1..];
        let Some(escape) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        rest = &rest[escape.len_utf8()..];
        match escape {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            '\\' | '\'' | '"' | '`' => out.push(escape),
            '\n' => {}
            '\r' => rest = rest.strip_prefix('\n').unwrap_or(rest),
            'x' => rest = push_code(&mut out, rest, 2, 16),
            'u' if rest.starts_with('{') => {
                let inner = rest[1..].split('}').next().unwrap_or("");
                out.push(
                    u32::from_str_radix(inner, 16)
                        .ok()
                        .and_then(char::from_u32)
                        .unwrap_or('\u{fffd}'),
                );
                rest = rest.get(inner.len() + 2..).unwrap_or("");
            }
            'u' => rest = push_utf16(&mut out, rest),
            'U' => rest = push_code(&mut out, rest, 8, 16),
            '0'..='7' => {
                let digits = rest
                    .bytes()
                    .take(2)
                    .take_while(|byte| (b'0'..=b'7').contains(byte))
                    .count();
                let mut code = u32::from(escape) - u32::from('0');
                for digit in rest[..digits].bytes() {
                    code = code * 8 + u32::from(digit - b'0');
                }
                out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                rest = &rest[digits..];
            }
            other => {
                if unknown == Unknown::Kept {
                    out.push('\\');
                }
                out.push(other);
            }
        }
    }
    out
}

/// Pushes the character of a code of so many digits and gives what follows.
fn push_code<'t>(out: &mut String, rest: &'t str, digits: usize, radix: u32) -> &'t str {
    let code = rest
        .get(..digits)
        .and_then(|code| u32::from_str_radix(code, radix).ok());
    let Some(code) = code else {
        out.push('\u{fffd}');
        return rest;
    };
    out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
    &rest[digits..]
}

/// Pushes the character of `uXXXX`, which two escapes may spell together, and gives what follows.
fn push_utf16<'t>(out: &mut String, rest: &'t str) -> &'t str {
    let unit = |text: &str| text.get(..4).and_then(|code| u16::from_str_radix(code, 16).ok());
    if let (Some(high), Some(low)) = (
        unit(rest),
        rest.get(4..).and_then(|text| text.strip_prefix("\\u")).and_then(unit),
    ) && let Some(Ok(pair)) = char::decode_utf16([high, low]).next()
        && u32::from(pair) > 0xffff
    {
        out.push(pair);
        return &rest[10..];
    }
    push_code(out, rest, 4, 16)
}

/// A module under construction.
pub(crate) struct Builder<'t> {
    /// The text that the tree was parsed from.
    pub(crate) text: &'t str,
    /// The module so far.
    pub(crate) module: Module,
    /// How deep the current node is nested.
    pub(crate) depth: u32,
    /// For each row of the text the line and the cell it has in its file, when the text is a part of a notebook.
    pub(crate) rows: Vec<(u32, u32)>,
    /// Whether a byte is a character everywhere, so that columns need no counting.
    ascii: bool,
}

impl<'t> Builder<'t> {
    /// Begins the module of a text.
    pub(crate) fn new(language: Language, text: &'t str) -> Self {
        Self {
            text,
            module: Module::new(language),
            depth: 0,
            rows: Vec::new(),
            ascii: text.is_ascii(),
        }
    }

    /// The text of a node.
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The place of a node. Columns count characters, not bytes.
    pub(crate) fn span(&self, node: Node<'_>) -> Span {
        let (start, end) = (node.start_position(), node.end_position());
        let (line, cell) = self.line(start.row);
        Span {
            line,
            column: self.column(node.start_byte(), start.column),
            end_line: self.line(end.row).0,
            end_column: self.column(node.end_byte(), end.column),
            cell,
        }
    }

    /// The line of a row in the file, and its cell.
    fn line(&self, row: usize) -> (u32, u32) {
        match self.rows.get(row).or(self.rows.last()) {
            Some(mapped) => *mapped,
            None => (u32::try_from(row + 1).unwrap_or(u32::MAX), 0),
        }
    }

    fn column(&self, byte: usize, column_bytes: usize) -> u32 {
        // A line of megabytes is not counted character by character for each of its nodes.
        let chars = if self.ascii || column_bytes > 4096 {
            column_bytes
        } else {
            self.text
                .get(byte.saturating_sub(column_bytes)..byte)
                .map_or(column_bytes, |line| line.chars().count())
        };
        u32::try_from(chars + 1).unwrap_or(u32::MAX)
    }

    /// Adds an expression.
    pub(crate) fn expr(&mut self, kind: Expr, span: Span) -> ExprId {
        let id = ExprId(u32::try_from(self.module.exprs.len()).unwrap_or(u32::MAX));
        self.module.exprs.push(ExprNode {
            kind,
            place: span.into(),
        });
        id
    }

    /// Adds an expression at the place of a node.
    pub(crate) fn at(&mut self, node: Node<'_>, kind: Expr) -> ExprId {
        let span = self.span(node);
        self.expr(kind, span)
    }

    /// Adds the name that a node spells.
    pub(crate) fn name(&mut self, node: Node<'_>) -> ExprId {
        let name = self.text_of(node).into();
        self.at(node, Expr::Name(name))
    }

    /// Stands for what was left out.
    pub(crate) fn left_out(&mut self, node: Node<'_>) -> ExprId {
        self.at(node, Expr::Other(ThinVec::new()))
    }

    /// Makes a statement at the place of a node.
    pub(crate) fn stmt(&self, node: Node<'_>, kind: StmtKind) -> Stmt {
        Stmt {
            kind,
            span: self.span(node),
        }
    }

    /// Adds a function.
    pub(crate) fn function(&mut self, function: Function) -> FunctionId {
        let id = FunctionId(u32::try_from(self.module.functions.len()).unwrap_or(u32::MAX));
        self.module.functions.push(function);
        id
    }

    /// Adds an empty function to be filled in, so that functions stand in the order of the text.
    pub(crate) fn reserve_function(&mut self, span: Span) -> FunctionId {
        self.function(Function {
            name: None,
            params: ThinVec::new(),
            receiver: None,
            extends: None,
            decorators: ThinVec::new(),
            body: ThinVec::new(),
            returns: None,
            is_async: false,
            exported: false,
            class: None,
            span,
        })
    }

    /// The function that was reserved.
    pub(crate) fn function_mut(&mut self, id: FunctionId) -> &mut Function {
        &mut self.module.functions[id.0 as usize]
    }

    /// Adds a class.
    pub(crate) fn class(&mut self, class: Class) -> ClassId {
        let id = ClassId(u32::try_from(self.module.classes.len()).unwrap_or(u32::MAX));
        self.module.classes.push(class);
        id
    }

    /// Adds an empty class to be filled in: its methods need its id.
    pub(crate) fn reserve_class(&mut self, span: Span) -> ClassId {
        self.class(Class {
            name: None,
            within: EcoString::new(),
            bases: ThinVec::new(),
            decorators: ThinVec::new(),
            fields: ThinVec::new(),
            methods: ThinVec::new(),
            is_interface: false,
            span,
        })
    }

    /// The class that was reserved.
    pub(crate) fn class_mut(&mut self, id: ClassId) -> &mut Class {
        &mut self.module.classes[id.0 as usize]
    }

    /// Goes one level deeper; `leave` must follow when it says that there is room.
    pub(crate) fn enter(&mut self) -> bool {
        if self.depth >= DEPTH_MAX || self.module.exprs.len() >= EXPRS_MAX {
            self.module.truncated = true;
            return false;
        }
        self.depth += 1;
        true
    }

    /// Comes back from a level.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Joins two texts: parts of templates are taken over, so that a long chain of `+` stays one flat template.
    pub(crate) fn concat(&mut self, node: Node<'_>, left: ExprId, right: ExprId) -> ExprId {
        let span = self.span(node);
        let right_parts = if let Expr::Template(parts) = &mut self.module.exprs[right.0 as usize].kind {
            std::mem::take(parts)
        } else {
            thin_vec![right]
        };
        let entry = &mut self.module.exprs[left.0 as usize];
        if let Expr::Template(parts) = &mut entry.kind {
            parts.extend(right_parts);
            entry.place = span.into();
            return left;
        }
        let parts = std::iter::once(left).chain(right_parts).collect();
        self.expr(Expr::Template(parts), span)
    }

    /// Adds a template, or a plain text when all its parts are constant.
    pub(crate) fn template(&mut self, node: Node<'_>, parts: ThinVec<ExprId>) -> ExprId {
        let id = self.at(node, Expr::Template(parts));
        self.fold(id);
        id
    }

    /// Turns a template of constant parts into one text.
    pub(crate) fn fold(&mut self, id: ExprId) {
        let Expr::Template(parts) = self.module.expr(id) else {
            return;
        };
        let mut joined = String::new();
        for part in parts {
            let Expr::Str(text) = self.module.expr(*part) else {
                return;
            };
            joined.push_str(text);
        }
        self.module.exprs[id.0 as usize].kind = Expr::Str(joined.into());
    }

    /// Adds a choice, taking over the values of a choice without condition on the left: `a or b or c` is flat.
    pub(crate) fn either(&mut self, node: Node<'_>, left: ExprId, right: ExprId) -> ExprId {
        self.forget_required(node);
        let span = self.span(node);
        let entry = &mut self.module.exprs[left.0 as usize];
        if let Expr::Choice {
            condition: None,
            values,
        } = &mut entry.kind
        {
            values.push(right);
            entry.place = span.into();
            return left;
        }
        self.expr(
            Expr::Choice {
                condition: None,
                values: thin_vec![left, right],
            },
            span,
        )
    }

    /// Adds `left and right`: a test when the right side is one, else the right side on the condition of the left.
    pub(crate) fn both(&mut self, node: Node<'_>, left: ExprId, right: ExprId) -> ExprId {
        self.note_required([left, right]);
        if matches!(self.module.expr(right), Expr::Test(_) | Expr::Bool(_)) {
            let span = self.span(node);
            let entry = &mut self.module.exprs[left.0 as usize];
            if let Expr::Test(parts) = &mut entry.kind
                && parts.len() > 2
            {
                parts.push(right);
                entry.place = span.into();
                return left;
            }
            return self.expr(Expr::Test(thin_vec![left, right]), span);
        }
        self.at(
            node,
            Expr::Choice {
                condition: Some(left),
                values: thin_vec![right],
            },
        )
    }

    /// Notes the sides of an `and` that are names of constants.
    pub(crate) fn note_required(&mut self, sides: [ExprId; 2]) {
        for side in sides {
            if let Expr::Name(name) = self.module.expr(side)
                && is_constant_name(name)
            {
                self.module.required.push(side);
            }
        }
    }

    /// Takes out what stands inside of an `or`: one side of it is enough.
    pub(crate) fn forget_required(&mut self, node: Node<'_>) {
        let whole = self.span(node);
        let module = &mut self.module;
        while module.required.last().is_some_and(|last| {
            let span = module.exprs[last.0 as usize].span();
            (span.line, span.column) >= (whole.line, whole.column)
        }) {
            module.required.pop();
        }
    }

    /// Turns a choice that stands where a condition is asked into a test: only whether it holds matters there.
    pub(crate) fn as_condition(&mut self, id: ExprId) -> ExprId {
        if let Expr::Choice { condition, values } = &mut self.module.exprs[id.0 as usize].kind {
            let parts = condition.iter().copied().chain(std::mem::take(values)).collect();
            self.module.exprs[id.0 as usize].kind = Expr::Test(parts);
        }
        id
    }

    /// Puts an `if` with its `else if` branches together, from the conditions and blocks in order.
    pub(crate) fn if_chain(
        &self,
        branches: ThinVec<(ExprId, ThinVec<Stmt>, Span)>,
        otherwise: ThinVec<Stmt>,
    ) -> Option<Stmt> {
        if branches.len() > ELSE_IF_MAX {
            let span = branches[0].2;
            let mut arms: Vec<ThinVec<Stmt>> = Vec::with_capacity(branches.len() + 1);
            for (condition, body, _) in branches {
                let asked = Stmt {
                    kind: StmtKind::Expr(condition),
                    span: self.module.span(condition),
                };
                arms.push(std::iter::once(asked).chain(body).collect());
            }
            arms.push(otherwise);
            return Some(Stmt {
                kind: StmtKind::Match {
                    subject: None,
                    arms: arms.into(),
                },
                span,
            });
        }
        let mut rest = otherwise;
        let mut whole = None;
        for (condition, then, span) in branches.into_iter().rev() {
            if let Some(inner) = whole.take() {
                rest = thin_vec![inner];
            }
            let kind = StmtKind::If {
                condition,
                then,
                otherwise: std::mem::take(&mut rest),
            };
            whole = Some(Stmt { kind, span });
        }
        whole
    }

    /// A pattern that binds an existing place, or the name when it is one.
    pub(crate) fn place(&self, id: ExprId) -> Pattern {
        match self.module.expr(id) {
            Expr::Name(name) => Pattern::Name(name.clone()),
            _ => Pattern::Place(id),
        }
    }
}

/// An argument without a name.
pub(crate) fn plain(value: ExprId) -> Arg {
    Arg {
        name: None,
        value,
        spread: false,
    }
}
