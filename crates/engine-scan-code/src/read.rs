//! One file by itself: whether it is worth parsing, and what it brings in.

use std::sync::{Arc, OnceLock};

use engine_catalogue::catalogue;
use engine_model::{Language, LineRange, SourceFile, Zone};
use engine_syntax::Module;
use serde::{Deserialize, Serialize};

use crate::aliases::Alias;
use crate::outline::Outline;
use crate::prefilter::Mentions;

/// What is remembered of one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeFacts {
    /// The lowered file, while it is held in memory; it can be made again from the text.
    #[serde(skip)]
    pub module: Option<Arc<Module>>,
    /// Whether the text was parsed.
    pub parsed: bool,
    /// The modules that the file imports as its lines tell, sorted.
    pub imports: Vec<String>,
    /// Literals of the prefilter that the text holds, sorted; a file without any was not parsed, and a test waits.
    pub mentions: Vec<String>,
    /// Whether part of the text was not evaluated: bytes that are no text, or more work than one file may cost.
    #[serde(default)]
    pub cut: bool,
    /// Lines that the grammar could not read, first and last, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unparsed: Vec<LineRange>,
    /// Names that a manifest gives to packages and files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) aliases: Vec<Alias>,
    /// Whether the file was read as if it named packages that it knows under other names.
    #[serde(skip)]
    pub(crate) renamed: bool,
    /// Libraries for many things of which the text names a method that asks a model, as bits.
    pub(crate) methods: u8,
    /// What a text in a language that is not parsed tells all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<Box<Unread>>,
    /// What is kept of the lowered file.
    pub(crate) outline: Outline,
    /// Digest of what says which files take part in a join, once it was asked for.
    #[serde(skip)]
    pub(crate) told: Told,
}

/// A line of a file in a language that is not parsed, which names a library for models or the address of a model service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// Line, from 1.
    pub line: u32,
    /// The library or the address.
    pub what: String,
}

/// A digest that is made when it is first asked for; it says nothing that the facts do not say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(OnceLock<[u8; 32]>);

impl PartialEq for Told {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Told {
    pub(crate) fn get_or(&self, make: impl FnOnce() -> [u8; 32]) -> &[u8; 32] {
        self.0.get_or_init(make)
    }
}

impl CodeFacts {
    /// Bytes that the lowered file takes, roughly; nought where it was let go.
    pub fn held_bytes(&self) -> usize {
        self.module.as_ref().map_or(0, |module| bytes_of(module))
    }

    /// The same without the lowered file, which can be made again from the text.
    #[must_use]
    pub fn without_module(&self) -> Self {
        Self {
            module: None,
            parsed: self.parsed,
            imports: self.imports.clone(),
            mentions: self.mentions.clone(),
            methods: self.methods,
            unread: self.unread.clone(),
            outline: self.outline.clone(),
            cut: self.cut,
            unparsed: self.unparsed.clone(),
            aliases: self.aliases.clone(),
            renamed: self.renamed,
            told: self.told.clone(),
        }
    }
}

/// Bytes that a lowered file takes, roughly.
pub(crate) fn bytes_of(module: &Module) -> usize {
    const STMT: usize = 80;
    const FUNCTION: usize = 200;
    module.exprs.len() * (size_of::<engine_syntax::ir::ExprNode>() + 20)
        + module.functions.len() * (FUNCTION + 4 * STMT)
}

/// Whether a file is lowered only when the whole project is known.
pub(crate) fn waits(zone: Zone, language: Language) -> bool {
    zone == Zone::Test && !matches!(language, Language::Shell | Language::Notebook)
}

/// Reads one file. A file without any literal that an AI call needs is not parsed.
///
/// The lowered file comes along. Whoever holds many of them may let some go, for they can be made again from the text.
pub fn read(file: &SourceFile<'_>) -> CodeFacts {
    let Some(text) = file.text() else {
        return CodeFacts {
            cut: !file.bytes.is_empty(),
            ..CodeFacts::default()
        };
    };
    if !crate::wants(&file.path, file.language, file.zone) {
        return CodeFacts {
            unread: unread(&file.path, &text),
            aliases: crate::aliases::read(&file.path, &text),
            ..CodeFacts::default()
        };
    }
    let language = crate::language_of(&file.path, file.language);
    let Mentions {
        literals: mentions,
        methods,
    } = crate::prefilter::mentions(language, &text);
    let imports = crate::prefilter::imports(language, &text);
    // Tests are lowered once it is known that they bring in a library by themselves.
    if mentions.is_empty() || waits(file.zone, language) {
        return CodeFacts {
            imports,
            mentions,
            methods,
            ..CodeFacts::default()
        };
    }
    let Some(module) = crate::lower(&file.path, language, &text) else {
        return CodeFacts {
            imports,
            mentions,
            methods,
            // A component without a script holds no code.
            cut: language == file.language,
            ..CodeFacts::default()
        };
    };
    let outline = crate::outline::of(&module);
    CodeFacts {
        parsed: true,
        cut: module.truncated,
        unparsed: module.unparsed.to_vec(),
        aliases: Vec::new(),
        renamed: false,
        module: Some(Arc::new(module)),
        imports,
        mentions,
        methods,
        unread: None,
        outline,
        told: Told::default(),
    }
}

fn unread(path: &str, text: &str) -> Option<Box<Unread>> {
    let language = catalogue().unread_language(path)?;
    let (line, what) = catalogue().first_told_unread(language, text)?;
    Some(Box::new(Unread {
        line,
        what: what.to_owned(),
    }))
}
