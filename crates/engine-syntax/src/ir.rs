//! The intermediate form: one small shape of module, function, statement and expression for every language.
//!
//! It keeps what data flow needs and drops the rest: operators, visibility and types that name nothing are gone.
//! Arenas and numeric ids keep a module flat, so that it is cheap to walk and to drop. A large tree holds millions of expressions at
//! once: names lie inside of them, lists take a word, and what is rare and wide stands behind a box.

use std::hash::{Hash, Hasher};

use ecow::EcoString;
use engine_model::{Language, LineRange};
use thin_vec::ThinVec;

/// A place in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First line, from 1, of the file (of the notebook file too).
    pub line: u32,
    /// Column of the first character, from 1.
    pub column: u32,
    /// Last line, from 1.
    pub end_line: u32,
    /// Column after the last character.
    pub end_column: u32,
    /// Cell of a notebook, from 1 over all cells; 0 elsewhere.
    pub cell: u32,
}

/// A place of an expression in twelve bytes: a large tree holds millions of them.
///
/// Files are parsed up to 256 KiB, so lines, columns and heights have room to spare; what lies beyond is told as the largest that fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place([u32; 3]);

impl Place {
    /// Bits of a line, of the lines from the first to the last, of a column and of a cell.
    const LINE: u32 = 24;
    const HEIGHT: u32 = 18;
    const COLUMN: u32 = 19;
    const CELL: u32 = 16;

    /// The place in full.
    pub fn span(self) -> Span {
        let [low, middle, high] = self.0.map(u128::from);
        let mut rest = low | middle << 32 | high << 64;
        let mut take = |bits: u32| {
            let part = rest & ((1 << bits) - 1);
            rest >>= bits;
            u32::try_from(part).unwrap_or(u32::MAX)
        };
        let line = take(Self::LINE);
        let height = take(Self::HEIGHT);
        Span {
            line,
            column: take(Self::COLUMN),
            end_line: line + height,
            end_column: take(Self::COLUMN),
            cell: take(Self::CELL),
        }
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        let mut all = 0_u128;
        let mut at = 0;
        let mut put = |value: u32, bits: u32| {
            all |= u128::from(value.min((1 << bits) - 1)) << at;
            at += bits;
        };
        put(span.line, Self::LINE);
        put(span.end_line.saturating_sub(span.line), Self::HEIGHT);
        put(span.column, Self::COLUMN);
        put(span.end_column, Self::COLUMN);
        put(span.cell, Self::CELL);
        let part = |from: u32| u32::try_from(all >> from & u128::from(u32::MAX)).unwrap_or(u32::MAX);
        Self([part(0), part(32), part(64)])
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.span().fmt(f)
    }
}

/// Index of an expression in [`Module::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// Index of a function in [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// Index of a class in [`Module::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// One lowered file.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Module {
    /// The language it was written in.
    pub language: Language,
    /// The package or namespace it declares (Java, Kotlin, Go, C#, PHP).
    pub package: Option<EcoString>,
    /// All imports, also those inside functions.
    pub imports: Vec<Import>,
    /// Names handed out under another name or from another module (JavaScript, TypeScript, Rust `pub use`).
    pub exports: Vec<Export>,
    /// All functions, methods and lambdas.
    pub functions: Vec<Function>,
    /// All classes, structs, interfaces, objects.
    pub classes: Vec<Class>,
    /// The arena of expressions.
    pub exprs: Vec<ExprNode>,
    /// Statements at the top, in order.
    pub body: ThinVec<Stmt>,
    /// Names in capitals that stand on a side of an `and`: a test does not tell whether all of it has to hold. An `or` around them takes them out.
    pub required: Vec<ExprId>,
    /// Whether something was left out because the text is too deep or too long.
    pub truncated: bool,
    /// Lines that the grammar could not read, first and last, in order.
    pub unparsed: ThinVec<LineRange>,
}

/// An import, in whatever way the language spells it.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Import {
    /// What is imported, as written: `openai`, `.client`, `./lib/llm`, `github.com/a/b`, `dev.langchain4j.model.chat`.
    /// Python keeps its leading dots; Rust paths are joined with `::`.
    pub module: EcoString,
    /// The names it binds.
    pub bindings: ThinVec<Binding>,
    /// Whether it brings every name of the module into scope (`import *`, `using X;`, `use x::*`, Java `.*`).
    pub star: bool,
    /// Whether it brings types only (`import type`, `if TYPE_CHECKING:`).
    pub type_only: bool,
    /// Whether it may fail without harm (inside a `try` that catches the import error).
    pub optional: bool,
    /// Where it stands.
    pub span: Span,
}

/// A local name for something imported.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Binding {
    /// The name in this file.
    pub local: EcoString,
    /// The module that is meant; differs from the import's own for Python's `import a.b.c`, which binds `a`.
    pub module: EcoString,
    /// The item of the module, `default` for a default export; none for the module as a whole.
    pub item: Option<EcoString>,
    /// Whether this name is a type only.
    pub type_only: bool,
}

/// A name that a module hands out.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Export {
    /// The name outside; `default` for a default export, `*` for everything.
    pub name: EcoString,
    /// What stands behind it.
    pub source: ExportSource,
}

/// What stands behind an export.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum ExportSource {
    /// A name of this module.
    Local(EcoString),
    /// An item of another module; none for the module as a whole.
    From {
        /// The other module, as written.
        module: EcoString,
        /// Its item; `*` for everything.
        item: Option<EcoString>,
    },
    /// An expression.
    Expr(ExprId),
}

/// A type as written, reduced to its name and arguments: `ILogger<Planner>`, `Optional[OpenAI]`, `*openai.Client`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeRef {
    /// The dotted name, without pointers, references and nullability marks.
    pub name: EcoString,
    /// Its arguments; members of a union are arguments of the name `|`.
    pub args: ThinVec<TypeRef>,
}

/// A function, method or lambda.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Function {
    /// Its name; none for a lambda.
    pub name: Option<EcoString>,
    /// Its parameters, without an explicit receiver (`self`, `this`, a Go receiver).
    pub params: ThinVec<Param>,
    /// The name of the receiver inside the body, where the language lets one choose: `self`, `cls`, Go's `s`.
    pub receiver: Option<EcoString>,
    /// The type that an extension function extends. In Kotlin its members are in scope inside the body, in C# it is that of the first
    /// parameter.
    pub extends: Option<TypeRef>,
    /// Decorators, annotations, attributes, as expressions.
    pub decorators: ThinVec<ExprId>,
    /// What it does. The body of an expression lambda is one `Return`.
    pub body: ThinVec<Stmt>,
    /// The declared result.
    pub returns: Option<TypeRef>,
    /// Whether it is asynchronous.
    pub is_async: bool,
    /// Whether it is visible outside its file or class.
    pub exported: bool,
    /// The class it belongs to.
    pub class: Option<ClassId>,
    /// Where it stands.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Param {
    /// What it binds.
    pub pattern: Pattern,
    /// Its declared type.
    pub annotation: Option<TypeRef>,
    /// Its default.
    pub default: Option<ExprId>,
    /// Annotations on it (Spring's `@RequestBody`; `FastAPI`'s `Depends` stands in the default).
    pub decorators: ThinVec<ExprId>,
    /// Whether it takes all that is left (`*args`, `...rest`).
    pub rest: bool,
}

/// A class, struct, interface, record, object, trait or impl block.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Class {
    /// Its name.
    pub name: Option<EcoString>,
    /// The modules and classes around it, as `A::B`, where a full name needs them and no package tells them (Ruby).
    pub within: EcoString,
    /// What it extends and implements.
    pub bases: ThinVec<TypeRef>,
    /// Decorators, annotations, attributes.
    pub decorators: ThinVec<ExprId>,
    /// Fields with types or values; parameters of a primary constructor are fields too.
    pub fields: ThinVec<Field>,
    /// Its methods.
    pub methods: ThinVec<FunctionId>,
    /// Whether it only describes (interface, protocol, trait): its methods have no bodies.
    pub is_interface: bool,
    /// Where it stands.
    pub span: Span,
}

/// A field of a class.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Field {
    /// Its name.
    pub name: EcoString,
    /// Its declared type.
    pub annotation: Option<TypeRef>,
    /// Its initial value.
    pub value: Option<ExprId>,
    /// Annotations on it.
    pub decorators: ThinVec<ExprId>,
    /// Where it stands.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum StmtKind {
    /// An expression for its effect; the last one of a Rust block is its value.
    Expr(ExprId),
    /// A binding or an assignment. `a, b := f()` has one tuple pattern.
    Assign {
        /// What is bound.
        target: Pattern,
        /// The value, if there is one.
        value: Option<ExprId>,
        /// The declared type.
        annotation: Option<Box<TypeRef>>,
        /// Whether it declares a new name, and for what; never in Python.
        declares: Declares,
    },
    /// Leaves the function.
    Return(Option<ExprId>),
    /// Throws, raises, panics.
    Raise(Option<ExprId>),
    /// A condition.
    If {
        /// What is asked. Go's `if err := f(); err != nil` has its statement before the `If`.
        condition: ExprId,
        /// When it holds.
        then: ThinVec<Stmt>,
        /// When it does not.
        otherwise: ThinVec<Stmt>,
    },
    /// A choice between several branches.
    Match {
        /// What is looked at.
        subject: Option<ExprId>,
        /// The branches.
        arms: ThinVec<ThinVec<Stmt>>,
    },
    /// A loop.
    Loop {
        /// What each round binds.
        pattern: Option<Pattern>,
        /// What is looped over, or the condition.
        subject: Option<ExprId>,
        /// Each round.
        body: ThinVec<Stmt>,
    },
    /// A block with resources (`with`, `using`, try-with-resources, Go's `defer` is an `Expr`).
    With {
        /// The resources and what they are bound to.
        items: ThinVec<(ExprId, Option<Pattern>)>,
        /// The block.
        body: ThinVec<Stmt>,
    },
    /// A block whose failures are handled.
    Try {
        /// The block.
        body: ThinVec<Stmt>,
        /// What is done about failures.
        handlers: ThinVec<Handler>,
        /// What is done in any case.
        finally: ThinVec<Stmt>,
    },
    /// A function is declared here.
    Function(FunctionId),
    /// A class is declared here.
    Class(ClassId),
    /// An import stands here; index into [`Module::imports`].
    Import(u32),
    /// Statements that belong together without meaning more.
    Block(ThinVec<Stmt>),
}

/// Whether an assignment declares a name, and where the name holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Declares {
    /// It gives a value to a name that is there.
    Nothing,
    /// The name holds in the block: `let`, `:=`, a typed local.
    InBlock,
    /// The name holds in the whole function: `var` of JavaScript.
    InFunction,
}

/// What is done about failures of a block.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Handler {
    /// The kinds of failure; empty for all.
    pub types: ThinVec<TypeRef>,
    /// The name of the failure inside.
    pub name: Option<EcoString>,
    /// What is done.
    pub body: ThinVec<Stmt>,
    /// Where it stands.
    pub span: Span,
}

/// What an assignment binds.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Pattern {
    /// A name.
    Name(EcoString),
    /// Something that exists already: `self.client`, `cache["x"]`.
    Place(ExprId),
    /// Parts in order.
    Tuple(ThinVec<Pattern>),
    /// Parts by name: `const { default: OpenAI, ...rest } = x`.
    Object(ThinVec<(EcoString, Pattern)>),
    /// Nothing.
    Ignore,
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct ExprNode {
    /// What it is.
    pub kind: Expr,
    /// Where it stands, packed.
    pub place: Place,
}

impl ExprNode {
    /// Where it stands.
    pub fn span(&self) -> Span {
        self.place.span()
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Expr {
    /// A name: local, parameter, field, class, function. `this` and `self` too.
    Name(EcoString),
    /// `object.name`, `object?.name`, `object->name`, `Type::name`. `a::b::c` is `c` of `b` of `a`.
    Member {
        /// What it is a member of.
        object: ExprId,
        /// Which.
        name: EcoString,
    },
    /// `object[key]`.
    Index {
        /// What is looked into.
        object: ExprId,
        /// Where.
        key: ExprId,
    },
    /// A call, a construction, a macro. A command of a shell script is a call of the command's name.
    Call {
        /// What is called.
        callee: ExprId,
        /// With what. A trailing lambda or object initialiser is the last argument.
        args: ThinVec<Arg>,
        /// Whether an object is made (`new T()`, a Rust or Go struct literal with its fields as named arguments).
        new: bool,
    },
    /// A constant text, escapes resolved.
    Str(EcoString),
    /// A text put together: interpolation, concatenation with `+`, `format!`, `Sprintf` stays a call.
    Template(ThinVec<ExprId>),
    /// A number as written.
    Number(EcoString),
    /// True or false.
    Bool(bool),
    /// Nothing: `None`, `null`, `nil`, `undefined`.
    Null,
    /// A list, tuple, set, array.
    List(ThinVec<ExprId>),
    /// A map or object literal.
    Map(ThinVec<MapEntry>),
    /// A lambda or function expression.
    Function(FunctionId),
    /// A class expression.
    Class(ClassId),
    /// Waiting for a promise or future.
    Await(ExprId),
    /// Handing a failure on: Rust's `?`.
    Propagate(ExprId),
    /// One of several values: `a or b`, `a ?? b`, `c ? a : b`; the condition, if any, comes apart.
    Choice {
        /// The condition.
        condition: Option<ExprId>,
        /// The values.
        values: ThinVec<ExprId>,
    },
    /// A comparison or logical test.
    Test(ThinVec<ExprId>),
    /// A module brought in at run time with a constant name: `require("x")`, `await import("x")`, `importlib.import_module("x")`.
    Import(EcoString),
    /// An assignment inside an expression.
    Assign {
        /// What is bound.
        target: Box<Pattern>,
        /// The value.
        value: ExprId,
    },
    /// A conversion to a named type.
    Cast {
        /// What is converted.
        value: ExprId,
        /// To what.
        to: Box<TypeRef>,
    },
    /// An element of JSX or a template: attributes by name, children in order, text as `Str`.
    Element(Box<Element>),
    /// Statements with a value: Rust blocks, Kotlin `when`, comprehension bodies. The value is the last `Expr`.
    Block(ThinVec<Stmt>),
    /// A comprehension or generator: what is looped over, then the value.
    Comprehension {
        /// What each round binds, and over what.
        loops: ThinVec<(Pattern, ExprId)>,
        /// The value of each round.
        value: ExprId,
    },
    /// Anything else, with its parts.
    Other(ThinVec<ExprId>),
}

/// An element of JSX or a template.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Element {
    /// The tag or component.
    pub name: EcoString,
    /// Its attributes.
    pub attributes: ThinVec<(EcoString, ExprId)>,
    /// What it holds.
    pub children: ThinVec<ExprId>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Arg {
    /// Its name, where it has one.
    pub name: Option<EcoString>,
    /// Its value.
    pub value: ExprId,
    /// Whether it is spread: `*a`, `**k`, `...a`.
    pub spread: bool,
}

/// An entry of a map.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct MapEntry {
    /// Its key; a bare key of an object literal is a `Str`. None when a whole map is spread into this one.
    pub key: Option<ExprId>,
    /// Its value. A method of an object literal is a `Function`.
    pub value: ExprId,
}

/// Feeds what is hashed to BLAKE3 in pieces that are worth its while.
#[derive(Default)]
struct Feed {
    digest: blake3::Hasher,
    waiting: Vec<u8>,
}

impl Feed {
    const PIECE: usize = 16 * 1024;

    fn end(mut self) -> [u8; 32] {
        self.digest.update(&self.waiting);
        *self.digest.finalize().as_bytes()
    }
}

impl Hasher for Feed {
    fn write(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= Self::PIECE {
            self.digest.update(&self.waiting);
            self.waiting.clear();
        }
    }

    fn finish(&self) -> u64 {
        0
    }
}

impl Module {
    /// Digest of all that was lowered, places included: two texts with the same one are the same code on the same lines.
    pub fn digest(&self) -> [u8; 32] {
        let mut feed = Feed::default();
        self.hash(&mut feed);
        feed.end()
    }

    /// An empty module.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            package: None,
            imports: Vec::new(),
            exports: Vec::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            exprs: Vec::new(),
            body: ThinVec::new(),
            required: Vec::new(),
            truncated: false,
            unparsed: ThinVec::new(),
        }
    }

    /// The expression behind an id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize].kind
    }

    /// The place of an expression.
    pub fn span(&self, id: ExprId) -> Span {
        self.exprs[id.0 as usize].span()
    }

    /// The function behind an id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The class behind an id.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// The ids of the direct parts of an expression that are expressions, in the order of the text.
    pub fn children(&self, id: ExprId) -> Vec<ExprId> {
        match self.expr(id) {
            Expr::Member { object, .. } => vec![*object],
            Expr::Index { object, key } => vec![*object, *key],
            Expr::Call { callee, args, .. } => std::iter::once(*callee)
                .chain(args.iter().map(|arg| arg.value))
                .collect(),
            Expr::Template(parts) | Expr::List(parts) | Expr::Test(parts) | Expr::Other(parts) => parts.to_vec(),
            Expr::Map(entries) => entries
                .iter()
                .flat_map(|entry| entry.key.into_iter().chain([entry.value]))
                .collect(),
            Expr::Await(value) | Expr::Propagate(value) | Expr::Cast { value, .. } | Expr::Assign { value, .. } => {
                vec![*value]
            }
            Expr::Choice { condition, values } => condition.iter().chain(values).copied().collect(),
            Expr::Element(element) => element
                .attributes
                .iter()
                .map(|(_, value)| *value)
                .chain(element.children.iter().copied())
                .collect(),
            Expr::Comprehension { loops, value } => loops.iter().map(|(_, over)| *over).chain([*value]).collect(),
            Expr::Name(_)
            | Expr::Str(_)
            | Expr::Number(_)
            | Expr::Bool(_)
            | Expr::Null
            | Expr::Function(_)
            | Expr::Class(_)
            | Expr::Import(_)
            | Expr::Block(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use engine_model::Language;

    #[test]
    fn the_digest_tells_code_and_its_places_and_nothing_else() {
        let digest = |text: &str| crate::lower(Language::Python, text).unwrap().digest();
        let text = "def ask(q):\n    return client.ask(q, 'ab', 'c')\n";
        assert_eq!(digest(text), digest(&format!("{text}\n# a remark\n\n")));
        for other in [
            format!("\n{text}"),
            text.replace("'ab', 'c'", "'a', 'bc'"),
            text.replace("client.ask", "client.put"),
            text.replace("(q):", "(q, r):"),
            format!("{text}x = 1\n"),
        ] {
            assert_ne!(digest(text), digest(&other), "{other}");
        }
    }
}
