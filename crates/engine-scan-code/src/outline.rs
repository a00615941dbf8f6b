//! What is kept of a lowered file when the file itself is let go: enough to know whether it can lead to a model, and
//! which other files it hangs together with.
//!
//! Most files that mention a word of the catalogue use it as a word: in a comment, a text, a name of their own. An
//! outline tells them from the others without resolving anything. It may say "perhaps" too often and must never say
//! "no" where resolution would find a call, so it looks at every name, type and text that a path could begin with.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_catalogue::catalogue;
use engine_model::Language;
use engine_syntax::Module;
use engine_syntax::ir::{ExportSource, Expr, ExprId, Pattern, Stmt, StmtKind, TypeRef};
use serde::{Deserialize, Serialize};

use crate::prefilter::FURTHER;
use crate::resolve::modules::bare_module;
use crate::{facts, shapes};

/// A constant shorter than this is not kept as a prompt.
pub(crate) const PROMPT_BYTES_MIN: usize = 160;

/// Statements nest no deeper in code that people write.
const NESTING_MAX: u32 = 400;

/// Names of a path that are compared with the roots of libraries.
const NAMES_MAX: usize = 6;

/// What stands in a lowered file, without its statements and expressions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outline {
    /// Whether a path to a model can begin here: a library is imported or named in full, an address is written down.
    pub(crate) leads: bool,
    /// Libraries for many things that are imported, as bits; they lead to a model where one of their methods is named.
    pub(crate) versatile: u8,
    /// Whether a component of a page tells people that an AI is at work.
    pub(crate) notice: bool,
    /// Whether something is put into the context of requests, or taken out of it.
    #[serde(default)]
    pub(crate) shares: bool,
    /// The package or namespace.
    pub(crate) package: Option<Box<str>>,
    /// Modules that are imported or handed on, as written, with the items that may be modules themselves.
    pub(crate) modules: Vec<Box<str>>,
    /// Names of classes that are declared.
    pub(crate) classes: Vec<Box<str>>,
    /// Last parts of the names of what they extend.
    pub(crate) bases: Vec<Box<str>>,
    /// Constants of Ruby that stand for what a call gives, by which other files reach it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) constants: Vec<Box<str>>,
    /// Long constants that are named as prompts.
    pub(crate) prompts: Vec<PromptMark>,
}

/// A long constant that is named as a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PromptMark {
    pub(crate) line: u32,
    pub(crate) name: Box<str>,
    /// Digest of the text.
    pub(crate) digest: Box<str>,
}

/// Pieces of addresses.
struct Addresses {
    automaton: AhoCorasick,
    /// For each piece of a general host, which only counts beside one of these paths and names of services.
    general: Vec<Vec<String>>,
}

/// Pieces of addresses, as the catalogue has them and as small servers do. General hosts come first.
#[expect(
    clippy::expect_used,
    reason = "the pieces are embedded data and a test builds the automaton"
)]
static ADDRESSES: LazyLock<Addresses> = LazyLock::new(|| {
    let mut pieces = Vec::new();
    let mut general = Vec::new();
    for (piece, paths) in catalogue().general_host_literals() {
        pieces.push(piece);
        general.push(paths);
    }
    pieces.extend(catalogue().address_literals());
    pieces.extend(FURTHER.map(str::to_owned));
    Addresses {
        automaton: AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(pieces)
            .expect("the pieces of addresses fit into one automaton"),
        general,
    }
});

/// What the texts of a module say of addresses.
#[derive(Default)]
struct Addressed {
    /// General hosts that are named, by number.
    general: BTreeSet<usize>,
}

/// Whether a text outside of code can be a part of the address of a model service.
pub(crate) fn is_address(text: &str) -> bool {
    let mut addressed = Addressed::default();
    addressed.add(text) || !addressed.general.is_empty()
}

impl Addressed {
    /// Whether a text can be a part of the address of a model service.
    fn add(&mut self, text: &str) -> bool {
        // A pattern for addresses is none.
        if text.starts_with('^') || text.contains("(?") || text.contains("\\.") {
            return false;
        }
        let known = &*ADDRESSES;
        // The path of a whole address on a host that nobody knows tells a model service only where it ends.
        let foreign = text.contains("://") && catalogue().host(text).is_none();
        for hit in known.automaton.find_overlapping_iter(text) {
            let piece = hit.pattern().as_usize();
            if piece < known.general.len() {
                self.general.insert(piece);
                continue;
            }
            let path = text[hit.start()..].starts_with('/');
            let rest = &text[hit.end()..];
            let ends = rest.is_empty()
                || rest.starts_with(['?', '#', '{', '/', '"', '\'', ' '])
                    && !rest[1..].starts_with(char::is_alphabetic)
                || text[..hit.end()].ends_with(['/', ':']);
            if !(foreign && path) || ends {
                return true;
            }
        }
        false
    }

    /// Whether a general host stands beside one of the paths or names of services that ask it for a model.
    fn beside_a_path(&self, module: &Module) -> bool {
        self.general.iter().any(|host| {
            let paths = &ADDRESSES.general[*host];
            module.exprs.iter().any(
                |expr| matches!(&expr.kind, Expr::Str(text) if paths.iter().any(|path| text.contains(path.as_str()))),
            )
        })
    }
}

/// The outline of a lowered file.
pub(crate) fn of(module: &Module) -> Outline {
    let language = module.language;
    let mut bases: BTreeSet<Box<str>> = BTreeSet::new();
    for base in module.classes.iter().flat_map(|class| &class.bases) {
        bases.insert(base.name.rsplit(['.', ':']).next().unwrap_or(&base.name).into());
    }
    let modules = modules(module, language);
    Outline {
        leads: leads(module),
        versatile: modules
            .iter()
            .fold(0, |bits, name| bits | shapes::versatile(language, name)),
        notice: notice(module),
        shares: shares(module),
        package: module.package.as_deref().map(Into::into),
        modules,
        classes: module
            .classes
            .iter()
            .filter_map(|class| class.name.as_deref().map(Into::into))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        bases: bases.into_iter().collect(),
        constants: constants(module),
        prompts: prompts(module),
    }
}

/// Constants of one file that others may name.
const CONSTANTS_MAX: usize = 64;

/// Constants that a file of Ruby makes at its top by a call: `AI = OpenAI::Client.new`.
fn constants(module: &Module) -> Vec<Box<str>> {
    if module.language != Language::Ruby {
        return Vec::new();
    }
    let made = module.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Assign {
            target: Pattern::Name(name),
            value: Some(value),
            ..
        } if name.starts_with(char::is_uppercase) && matches!(module.expr(*value), Expr::Call { .. }) => {
            Some(Box::from(&**name))
        }
        _ => None,
    });
    made.take(CONSTANTS_MAX).collect::<BTreeSet<_>>().into_iter().collect()
}

fn modules(module: &Module, language: Language) -> Vec<Box<str>> {
    let mut out: BTreeSet<Box<str>> = BTreeSet::new();
    for import in &module.imports {
        out.insert((&*import.module).into());
        for binding in &import.bindings {
            out.insert((&*binding.module).into());
            if let Some(item) = &binding.item {
                let separator = match language {
                    Language::Rust | Language::Ruby => "::",
                    Language::Php => "\\",
                    Language::Python | Language::Notebook if binding.module.ends_with('.') => "",
                    Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Go => continue,
                    _ => ".",
                };
                out.insert(format!("{}{separator}{item}", binding.module).into());
            }
        }
    }
    for export in &module.exports {
        if let ExportSource::From { module, .. } = &export.source {
            out.insert((&**module).into());
        }
    }
    for expr in &module.exprs {
        if let Expr::Import(name) = &expr.kind {
            out.insert((&**name).into());
        }
    }
    out.into_iter().collect()
}

/// Whether a text names a model as the workers of Cloudflare call theirs.
pub(crate) fn is_bound_model(text: &str) -> bool {
    text.starts_with("@cf/") || text.starts_with("@hf/")
}

/// Whether an expression is the binding under which a worker of Cloudflare reaches models: `env.AI`, `c.env.AI`.
pub(crate) fn is_binding(module: &Module, at: ExprId) -> bool {
    let Expr::Member { object, name } = module.expr(at) else {
        return false;
    };
    let env = match module.expr(*object) {
        Expr::Name(name) | Expr::Member { name, .. } => &**name,
        _ => "",
    };
    &**name == "AI" && env == "env"
}

/// Whether a path to a model can begin in the module.
fn leads(module: &Module) -> bool {
    let language = module.language;
    // A script asks by running a command, and only scripts that name one were lowered.
    if language == Language::Shell {
        return true;
    }
    let may = |name: &str, item: Option<&str>| {
        shapes::may_lead(language, bare_module(name), item) || crate::unlisted_clients::may_be_a_wrapper(language, name)
    };
    let imported = module.imports.iter().any(|import| {
        may(&import.module, None)
            || import
                .bindings
                .iter()
                .any(|binding| may(&binding.module, binding.item.as_deref()))
    });
    if imported || typed(module, language) {
        return true;
    }
    for export in &module.exports {
        if let ExportSource::From { module, item } = &export.source
            && may(module, item.as_deref())
        {
            return true;
        }
    }
    // A program that starts another by a name that means a model, or with flags that only such a program has.
    let starts = module.imports.iter().any(|import| {
        matches!(
            &*import.module,
            "subprocess" | "asyncio" | "child_process" | "node:child_process" | "os/exec"
        )
    });
    if starts
        && module.exprs.iter().any(|expr| match &expr.kind {
            Expr::Str(text) => crate::commands::names_program(text),
            // The name of the program may stand in the settings: `settings.claude_bin`.
            Expr::Name(name) | Expr::Member { name, .. } => crate::commands::may_hold_a_program(name),
            _ => false,
        })
    {
        return true;
    }
    let mut addressed = Addressed::default();
    let mut loads_by_name = false;
    let mut qualifies = false;
    for (at, expr) in module.exprs.iter().enumerate() {
        let leads = match &expr.kind {
            Expr::Import(name) => may(name, None),
            Expr::Name(name) => {
                loads_by_name |= matches!(&**name, "importlib" | "import_module" | "__import__");
                qualifies |= shapes::begins_root(language, name);
                name.starts_with('!')
                    || matches!(&**name, "AiService" | "RegisterAiService")
                    || shapes::may_begin(language, name)
            }
            Expr::Str(text) => {
                addressed.add(text)
                    || text.len() < 80 && crate::senders::names_service(text)
                    || text.contains("/models/") && crate::addresses::asks_a_named_model(text).is_some()
            }
            Expr::Number(text) => addressed.add(text),
            Expr::Map(_) | Expr::Call { new: true, .. } => asks(module, ExprId(crate::values::id(at))),
            Expr::Cast { to, .. } => type_leads(to, language, 0),
            Expr::Member { name, .. } if &**name == "AI" => {
                crate::project::is_script(language) && is_binding(module, ExprId(crate::values::id(at)))
            }
            Expr::Member { name, .. } => name.contains('_') && crate::senders::names_service(name),
            _ => false,
        };
        if leads {
            return true;
        }
    }
    addressed.beside_a_path(module)
        || (qualifies && qualified(module, language))
        || loads_by_name
            && module
                .exprs
                .iter()
                .any(|expr| matches!(&expr.kind, Expr::Str(text) if text.len() < 80 && may(text, None)))
}

/// Whether an expression names a library in full, as the languages allow that need no import then.
fn qualified(module: &Module, language: Language) -> bool {
    (0..module.exprs.len()).any(|at| {
        let mut parts: Vec<&str> = Vec::new();
        let mut at = ExprId(crate::values::id(at));
        while let Expr::Member { object, name } = module.expr(at)
            && parts.len() < NAMES_MAX
        {
            parts.push(name);
            at = *object;
        }
        let Expr::Name(first) = module.expr(at) else {
            return false;
        };
        let separator = match language {
            Language::Rust | Language::Ruby => "::",
            Language::Php => "\\",
            _ => ".",
        };
        parts.push(first);
        parts.reverse();
        parts.len() > 1
            && shapes::begins_root(language, first)
            && shapes::may_lead(language, &parts.join(separator), None)
    })
}

/// Whether a declared type names a library in full, or a class that is known without an import.
fn typed(module: &Module, language: Language) -> bool {
    if !matches!(
        language,
        Language::Rust | Language::Java | Language::Kotlin | Language::CSharp
    ) {
        return false;
    }
    let leads = |of: &TypeRef| type_leads(of, language, 0);
    let of_functions = module.functions.iter().any(|function| {
        function.returns.as_ref().is_some_and(leads)
            || function.extends.as_ref().is_some_and(leads)
            || function
                .params
                .iter()
                .any(|param| param.annotation.as_ref().is_some_and(leads))
    });
    of_functions
        || module.classes.iter().any(|class| {
            class.bases.iter().any(leads)
                || class
                    .fields
                    .iter()
                    .any(|field| field.annotation.as_ref().is_some_and(leads))
        })
        || declared(module, &leads)
}

/// Whether a type of a local declaration leads to a library.
fn declared(module: &Module, leads: &dyn Fn(&TypeRef) -> bool) -> bool {
    let mut found = false;
    statements(module, &mut |stmt| {
        if let StmtKind::Assign {
            annotation: Some(annotation),
            ..
        } = &stmt.kind
        {
            found |= leads(annotation);
        }
    });
    found
}

fn type_leads(of: &TypeRef, language: Language, depth: u32) -> bool {
    let last = of.name.rsplit(['.', ':']).next().unwrap_or(&of.name);
    shapes::may_begin(language, last)
        || (of.name.contains(['.', ':']) && shapes::may_lead(language, &of.name, None))
        || (depth < 8 && of.args.iter().any(|arg| type_leads(arg, language, depth + 1)))
}

/// Whether something is put into the context of requests, or taken out of it.
fn shares(module: &Module) -> bool {
    use crate::resolve::context::{BAGS, PUTS};
    let script = crate::project::is_script(module.language);
    if !script && !crate::project::is_python(module.language) {
        return false;
    }
    let named = module.exprs.iter().any(|expr| match &expr.kind {
        Expr::Member { name, .. } => {
            BAGS.contains(&&**name) || !script && matches!(&**name, "session_state" | "user_session")
        }
        Expr::Call { callee, args, .. } => {
            script
                && matches!(module.expr(*callee), Expr::Member { name, .. } if PUTS.contains(&&**name) || &**name == "get")
                && args.first().is_some_and(|arg| matches!(module.expr(arg.value), Expr::Str(_)))
        }
        _ => false,
    });
    named
        || module.functions.iter().flat_map(|function| &function.params).any(|param| {
            matches!(&param.pattern, Pattern::Object(parts) if parts.iter().any(|(key, _)| BAGS.contains(&&**key)))
        })
}

/// Whether a body, wherever it goes, has the form in which chats are asked.
fn asks(module: &Module, at: ExprId) -> bool {
    let names: Vec<&str> = match module.expr(at) {
        Expr::Map(entries) => entries
            .iter()
            .filter_map(|entry| match module.expr(entry.key?) {
                Expr::Str(name) | Expr::Name(name) => Some(&**name),
                _ => None,
            })
            .collect(),
        Expr::Call { args, new: true, .. } => args.iter().filter_map(|arg| arg.name.as_deref()).collect(),
        _ => return false,
    };
    let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
    has("model") && (has("messages") || has("prompt")) || has("negative_prompt") && has("cfg_scale")
}

/// Whether a component of a page tells people that an AI is at work.
fn notice(module: &Module) -> bool {
    let shows = module
        .exprs
        .iter()
        .any(|expr| matches!(expr.kind, Expr::Element { .. }));
    // A page of Python with a field for a talk is where people deal with whatever answers behind a route.
    let talks = || {
        crate::project::is_python(module.language)
            && module
                .exprs
                .iter()
                .any(|expr| matches!(&expr.kind, Expr::Member { name, .. } if &**name == "chat_input"))
    };
    talks()
        || shows
            && module.exprs.iter().any(|expr| match &expr.kind {
                Expr::Str(text) => facts::marks_ai(text),
                Expr::Call { args, .. } => args.iter().any(|arg| arg.name.as_deref().is_some_and(facts::marks_ai)),
                _ => false,
            })
}

/// Calls `visit` with every statement of a module, in whatever it stands.
fn statements<'m>(module: &'m Module, visit: &mut dyn FnMut(&'m Stmt)) {
    block(&module.body, 0, visit);
    for function in &module.functions {
        block(&function.body, 0, visit);
    }
    for expr in &module.exprs {
        if let Expr::Block(stmts) = &expr.kind {
            block(stmts, 0, visit);
        }
    }
}

fn block<'m>(stmts: &'m [Stmt], depth: u32, visit: &mut dyn FnMut(&'m Stmt)) {
    if depth > NESTING_MAX {
        return;
    }
    for stmt in stmts {
        visit(stmt);
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                block(then, depth + 1, visit);
                block(otherwise, depth + 1, visit);
            }
            StmtKind::Match { arms, .. } => arms.iter().for_each(|arm| block(arm, depth + 1, visit)),
            StmtKind::Loop { body, .. } | StmtKind::With { body, .. } | StmtKind::Block(body) => {
                block(body, depth + 1, visit);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                block(body, depth + 1, visit);
                for handler in handlers {
                    block(&handler.body, depth + 1, visit);
                }
                block(finally, depth + 1, visit);
            }
            _ => {}
        }
    }
}

/// Whether a name marks what it holds as a prompt.
pub(crate) fn is_prompt_name(lower: &str) -> bool {
    ["prompt", "instruction", "system_message", "systemmessage"]
        .iter()
        .any(|word| lower.contains(word))
}

/// The text of a long constant.
pub(crate) fn long_text(module: &Module, value: ExprId) -> Option<String> {
    let text = match module.expr(value) {
        Expr::Str(text) => text.to_string(),
        Expr::Template(_) => facts::texts_of(module, value).concat(),
        _ => return None,
    };
    (text.len() >= PROMPT_BYTES_MIN).then_some(text)
}

fn prompts(module: &Module) -> Vec<PromptMark> {
    let mut out = Vec::new();
    statements(module, &mut |stmt| {
        if let StmtKind::Assign {
            target: Pattern::Name(name),
            value: Some(value),
            ..
        } = &stmt.kind
            && is_prompt_name(&name.to_ascii_lowercase())
            && let Some(text) = long_text(module, *value)
        {
            out.push(PromptMark {
                line: stmt.span.line,
                name: (&**name).into(),
                digest: blake3::hash(text.as_bytes()).to_hex().as_str().into(),
            });
        }
    });
    out
}
