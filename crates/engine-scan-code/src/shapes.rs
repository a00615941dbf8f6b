//! Call shapes: which access paths of which libraries send data to a model. The shapes are data in `shapes/`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use engine_embed::{Packed, embed};
use engine_model::{CallKind, Ecosystem, Language};
use rustc_hash::FxHashMap as HashMap;
use rustc_hash::FxHashSet;
use serde::Deserialize;

use crate::ManifestNames;
use crate::values::{Path, Root, Seg};

mod clients;

/// Languages that share libraries and the way of naming them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Family {
    Python,
    Script,
    Go,
    Rust,
    Jvm,
    DotNet,
    Php,
    Ruby,
    Shell,
}

impl Family {
    pub(crate) const fn of(language: Language) -> Option<Self> {
        Some(match language {
            Language::Python | Language::Notebook => Self::Python,
            Language::JavaScript | Language::TypeScript | Language::Tsx => Self::Script,
            Language::Go => Self::Go,
            Language::Rust => Self::Rust,
            Language::Java | Language::Kotlin => Self::Jvm,
            Language::CSharp => Self::DotNet,
            Language::Php => Self::Php,
            Language::Ruby => Self::Ruby,
            Language::Shell => Self::Shell,
            _ => return None,
        })
    }

    const fn ecosystem(self) -> Ecosystem {
        match self {
            Self::Python | Self::Shell => Ecosystem::PyPI,
            Self::Script => Ecosystem::Npm,
            Self::Go => Ecosystem::Go,
            Self::Rust => Ecosystem::Cargo,
            Self::Jvm => Ecosystem::Maven,
            Self::DotNet => Ecosystem::NuGet,
            Self::Php => Ecosystem::Composer,
            Self::Ruby => Ecosystem::RubyGems,
        }
    }
}

/// A library as the shapes describe it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sdk {
    /// The name in reports.
    pub(crate) name: String,
    /// Import roots.
    #[serde(default)]
    pub(crate) roots: Vec<String>,
    /// Names that need no import.
    #[serde(default)]
    pub(crate) globals: Vec<String>,
    /// Who serves its models unless something else says so.
    pub(crate) provider: Option<String>,
    /// Who serves its models when neither a client, nor the model's name says so.
    pub(crate) fallback: Option<String>,
    /// Providers by a name along the path.
    #[serde(default)]
    pub(crate) providers: BTreeMap<String, String>,
    /// The package whose presence in a manifest settles an ambiguous root.
    #[serde(default)]
    packages: Vec<String>,
    /// Names that only this library has; importing one settles an ambiguous root.
    #[serde(default)]
    distinctive: Vec<String>,
    /// Whether the root is an ordinary word.
    #[serde(default)]
    ambiguous: bool,
    /// Classes that are recognised without an import (global usings).
    #[serde(default)]
    implicit: Vec<String>,
    #[serde(default)]
    call: Vec<String>,
    #[serde(default)]
    construct: Vec<String>,
    #[serde(default)]
    declare: Vec<String>,
    #[serde(default)]
    model_load: Vec<String>,
    #[serde(default)]
    mcp_server: Vec<String>,
    #[serde(default)]
    mcp_client: Vec<String>,
    /// Places that name a data set.
    #[serde(default)]
    dataset: Vec<String>,
    /// HTTP requests, with where address and body stand.
    #[serde(default)]
    http: Vec<HttpRow>,
    /// Paths that are none of these, although a pattern fits.
    #[serde(default)]
    not: Vec<String>,
    /// Further places in which the model's name stands.
    #[serde(default)]
    model: Vec<String>,
    /// Details for some paths.
    #[serde(default)]
    shape: Vec<ShapeRow>,
    /// A text in which a place must be found: the table test reads it.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the table test"))]
    pub(crate) example: Option<String>,
    /// The kind and symbol that the example must give, as `call openai.OpenAI().responses.create`.
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the table test"))]
    pub(crate) expect: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeRow {
    path: Vec<String>,
    #[serde(default = "call_kind")]
    kind: CallKind,
    provider: Option<String>,
    #[serde(default)]
    model: Vec<String>,
    output: Option<Output>,
}

/// What a call gives, where that matters to the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Output {
    Image,
    Audio,
    Video,
    Vector,
    Class,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpRow {
    path: Vec<String>,
    url: Vec<String>,
    #[serde(default)]
    base: Vec<String>,
    #[serde(default)]
    body: Vec<String>,
}

const fn call_kind() -> CallKind {
    CallKind::Call
}

#[derive(Deserialize)]
struct File {
    sdk: Vec<Sdk>,
}

/// One pattern, ready for matching.
#[derive(Debug)]
pub(crate) struct Shape {
    pattern: Vec<Token>,
    /// What a hit means.
    pub(crate) hit: Hit,
    /// Who serves the model, whatever else says.
    pub(crate) provider: Option<String>,
    /// Where the model's name stands beyond the usual places.
    pub(crate) model: Vec<String>,
    /// Where the address of a request stands.
    pub(crate) url: Vec<String>,
    /// Where the base address stands.
    pub(crate) base: Vec<String>,
    /// Where the body stands.
    pub(crate) body: Vec<String>,
    /// What a call gives.
    pub(crate) output: Option<Output>,
}

/// What a hit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    Place(CallKind),
    McpClient,
    Dataset,
    Http,
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// Names, with a star for any text.
    Names(Vec<String>),
    AnyName,
    Any,
    Call,
    Index,
}

#[derive(Debug)]
struct Entry {
    sdk: Sdk,
    family: Family,
    roots: Vec<(Vec<String>, bool)>,
    shapes: Vec<Shape>,
    not: Vec<Vec<Token>>,
    names: BTreeSet<String>,
}

struct Table {
    entries: Vec<Entry>,
    /// Entries by family and first part of the root.
    buckets: HashMap<(Family, String), Vec<usize>>,
}

const FILES: [(Family, Packed); 29] = [
    (Family::Python, embed!("../shapes/python/providers.toml")),
    (Family::Python, embed!("../shapes/python/frameworks.toml")),
    (Family::Python, embed!("../shapes/python/local.toml")),
    (Family::Python, embed!("../shapes/python/classical.toml")),
    (Family::Python, embed!("../shapes/python/http.toml")),
    (Family::Script, embed!("../shapes/javascript/providers.toml")),
    (Family::Script, embed!("../shapes/javascript/frameworks.toml")),
    (Family::Script, embed!("../shapes/javascript/http.toml")),
    (Family::Go, embed!("../shapes/go/libraries.toml")),
    (Family::Go, embed!("../shapes/go/http.toml")),
    (Family::Rust, embed!("../shapes/rust/libraries.toml")),
    (Family::Rust, embed!("../shapes/rust/http.toml")),
    (Family::Jvm, embed!("../shapes/jvm/libraries.toml")),
    (Family::Jvm, embed!("../shapes/jvm/http.toml")),
    (Family::DotNet, embed!("../shapes/dotnet/libraries.toml")),
    (Family::DotNet, embed!("../shapes/dotnet/http.toml")),
    (Family::Php, embed!("../shapes/php/libraries.toml")),
    (Family::Php, embed!("../shapes/php/http.toml")),
    (Family::Ruby, embed!("../shapes/ruby/libraries.toml")),
    (Family::Ruby, embed!("../shapes/ruby/http.toml")),
    (Family::Shell, embed!("../shapes/shell/commands.toml")),
    (Family::Python, embed!("../shapes/python/biometrics.toml")),
    (Family::Script, embed!("../shapes/javascript/biometrics.toml")),
    (Family::Go, embed!("../shapes/go/biometrics.toml")),
    (Family::Jvm, embed!("../shapes/jvm/biometrics.toml")),
    (Family::DotNet, embed!("../shapes/dotnet/biometrics.toml")),
    (Family::DotNet, embed!("../shapes/dotnet/services.toml")),
    (Family::Go, embed!("../shapes/go/services.toml")),
    (Family::Jvm, embed!("../shapes/jvm/services.toml")),
];

static TABLE: LazyLock<Table> = LazyLock::new(load);

#[expect(
    clippy::panic,
    reason = "the data is embedded and parsed in a test, so a mistake never ships"
)]
fn load() -> Table {
    let mut entries = Vec::new();
    for (family, packed) in FILES {
        let file: File = match engine_embed::from_toml(&packed.text()) {
            Ok(file) => file,
            Err(error) => panic!("a shape file of {family:?} is malformed: {error}"),
        };
        entries.extend(file.sdk.into_iter().map(|sdk| entry(family, sdk)));
    }
    let is_described = |family: Family, module: &str| {
        let parts: Vec<&str> = split_module(language_of(family), module).collect();
        entries.iter().filter(|entry| entry.family == family).any(|entry| {
            entry.roots.iter().any(|(root, _)| {
                let same = root.iter().zip(&parts).all(|(a, b)| a == b);
                same || matches!(family, Family::Script | Family::Go)
                    && (root[0].starts_with(module) || module.starts_with(root[0].as_str()))
            })
        })
    };
    let others = clients::undescribed(&is_described);
    entries.extend(others.into_iter().map(|(family, sdk)| entry(family, sdk)));
    let mut buckets: HashMap<(Family, String), Vec<usize>> = HashMap::default();
    for (at, entry) in entries.iter().enumerate() {
        for (root, _) in &entry.roots {
            let key = (entry.family, root[0].clone());
            let bucket = buckets.entry(key).or_default();
            if !bucket.contains(&at) {
                bucket.push(at);
            }
        }
    }
    Table { entries, buckets }
}

fn entry(family: Family, sdk: Sdk) -> Entry {
    let mut shapes = Vec::new();
    for row in &sdk.shape {
        for path in &row.path {
            shapes.push(Shape {
                pattern: tokens(path),
                hit: Hit::Place(row.kind),
                provider: row.provider.clone(),
                model: row.model.iter().chain(&sdk.model).cloned().collect(),
                url: Vec::new(),
                base: Vec::new(),
                body: Vec::new(),
                output: row.output,
            });
        }
    }
    let lists = [
        (&sdk.call, Hit::Place(CallKind::Call)),
        (&sdk.mcp_server, Hit::Place(CallKind::McpServer)),
        (&sdk.model_load, Hit::Place(CallKind::ModelLoad)),
        (&sdk.declare, Hit::Place(CallKind::Declare)),
        (&sdk.construct, Hit::Place(CallKind::Construct)),
        (&sdk.mcp_client, Hit::McpClient),
        (&sdk.dataset, Hit::Dataset),
    ];
    for (paths, hit) in lists {
        for path in paths {
            shapes.push(Shape {
                pattern: tokens(path),
                hit,
                provider: None,
                model: sdk.model.clone(),
                url: Vec::new(),
                base: Vec::new(),
                body: Vec::new(),
                output: None,
            });
        }
    }
    for row in &sdk.http {
        for path in &row.path {
            shapes.push(Shape {
                pattern: tokens(path),
                hit: Hit::Http,
                provider: None,
                model: Vec::new(),
                url: row.url.clone(),
                base: row.base.clone(),
                body: row.body.clone(),
                output: None,
            });
        }
    }
    let mut names = BTreeSet::new();
    for shape in &shapes {
        for token in &shape.pattern {
            if let Token::Names(list) = token {
                names.extend(list.iter().cloned());
            }
        }
    }
    names.extend(sdk.providers.keys().cloned());
    let language = language_of(family);
    let split = |root: &String| split_module(language, root).map(str::to_owned).collect::<Vec<_>>();
    let roots = sdk
        .roots
        .iter()
        .map(|root| (split(root), false))
        .chain(sdk.globals.iter().map(|root| (split(root), true)))
        .collect();
    Entry {
        not: sdk.not.iter().map(|path| tokens(path)).collect(),
        family,
        roots,
        shapes,
        names,
        sdk,
    }
}

const fn language_of(family: Family) -> Language {
    match family {
        Family::Python => Language::Python,
        Family::Script => Language::TypeScript,
        Family::Go => Language::Go,
        Family::Rust => Language::Rust,
        Family::Jvm => Language::Java,
        Family::DotNet => Language::CSharp,
        Family::Php => Language::Php,
        Family::Ruby => Language::Ruby,
        Family::Shell => Language::Shell,
    }
}

/// The parts of a module name, in the way of its language.
pub(crate) fn split_module(language: Language, module: &str) -> impl Iterator<Item = &str> {
    let separator = match language {
        Language::Rust | Language::Ruby => "::",
        Language::Php => "\\",
        Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Go | Language::Shell => "\u{0}",
        _ => ".",
    };
    module.split(separator).filter(|part| !part.is_empty())
}

fn tokens(path: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if let Some(after) = rest.strip_prefix("()") {
            out.push(Token::Call);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("[]") {
            out.push(Token::Index);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after.split_once('}').unwrap_or((after, ""));
            out.push(Token::Names(
                inside.split(',').map(|name| name.trim().to_owned()).collect(),
            ));
            rest = after;
        } else {
            let end = rest.find(['.', '(', '[', '{']).unwrap_or(rest.len()).max(1);
            let (name, after) = rest.split_at(end);
            out.push(match name {
                "**" => Token::Any,
                "*" => Token::AnyName,
                _ => Token::Names(vec![name.to_owned()]),
            });
            rest = after;
        }
    }
    out
}

/// Whether a name is the known one. A star stands for any text; what ends like a type must begin like one.
fn name_fits(known: &str, name: &str) -> bool {
    let Some((before, after)) = known.split_once('*') else {
        return known == name;
    };
    name.len() >= before.len() + after.len()
        && name.starts_with(before)
        && name.ends_with(after)
        && (!before.is_empty()
            || !after.starts_with(|c: char| c.is_uppercase())
            || name.starts_with(|c: char| c.is_uppercase()))
}

fn fits(pattern: &[Token], segs: &[&Seg]) -> bool {
    let Some((token, rest)) = pattern.split_first() else {
        return segs.is_empty();
    };
    if *token == Token::Any {
        return (0..=segs.len()).any(|skip| fits(rest, &segs[skip..]));
    }
    let Some((seg, after)) = segs.split_first() else {
        return false;
    };
    let this = match (token, seg) {
        (Token::Names(names), Seg::Name(name)) => names.iter().any(|known| name_fits(known, name)),
        (Token::AnyName, Seg::Name(_))
        | (Token::Call, Seg::Call(_) | Seg::Typed)
        | (Token::Index, Seg::Index | Seg::Key(_)) => true,
        _ => false,
    };
    this && fits(rest, after)
}

/// The steps of a path that count for matching: fixed arguments and the `default` of a module are left out.
fn plain(family: Family, path: &Path) -> Vec<&Seg> {
    let mut segs: Vec<&Seg> = path.segs.iter().filter(|seg| !matches!(seg, Seg::With(_))).collect();
    if family == Family::Script && path.root == Root::Import {
        while matches!(segs.get(1), Some(Seg::Name(name)) if &**name == "default") {
            segs.remove(1);
        }
    }
    segs
}

/// How many leading steps a root covers, if the path starts with it.
fn covers(family: Family, root: &[String], segs: &[&Seg]) -> Option<usize> {
    if matches!(family, Family::Script | Family::Go) {
        let Some(Seg::Name(module)) = segs.first() else {
            return None;
        };
        let module = module.strip_prefix("npm:").unwrap_or(module);
        let module = module.strip_prefix("node:").unwrap_or(module);
        // A copy of a library keeps the last part of its name.
        if family == Family::Go && fork_of(module) == Some(root[0].as_str()) {
            return Some(1);
        }
        let rest = module.strip_prefix(root[0].as_str())?;
        return (rest.is_empty() || rest.starts_with('/') || rest.starts_with('@') && rest.len() > 1).then_some(1);
    }
    let fits = root.len() <= segs.len()
        && root
            .iter()
            .zip(segs)
            .all(|(part, seg)| matches!(seg, Seg::Name(name) if **name == **part));
    fits.then_some(root.len())
}

/// A shape that fits, with its library.
#[derive(Clone, Copy)]
pub(crate) struct Match {
    pub(crate) sdk: &'static Sdk,
    pub(crate) shape: &'static Shape,
}

/// What settles ambiguous roots for one file.
pub(crate) struct Settled<'a> {
    pub(crate) manifest: &'a ManifestNames,
    /// Items that the file imports, by module.
    pub(crate) items: &'a FxHashSet<&'a str>,
}

/// The shape that fits the path of a callee.
pub(crate) fn find(family: Family, path: &Path, settled: &Settled<'_>) -> Option<Match> {
    if matches!(path.root, Root::Param(..)) {
        return None;
    }
    let (family, path) = &match command_of(path) {
        Some(command) => (Family::Shell, std::borrow::Cow::Owned(command)),
        None => (family, std::borrow::Cow::Borrowed(path)),
    };
    let family = *family;
    let segs = plain(family, path);
    let Some(Seg::Name(first)) = segs.first() else {
        return None;
    };
    let table = &*TABLE;
    let mut best: Option<(usize, u8, Match)> = None;
    let mut visit = |at: usize| {
        let entry = &table.entries[at];
        for (root, global) in &entry.roots {
            // A fully qualified name needs no import in these languages.
            let qualified = matches!(family, Family::Rust | Family::Jvm | Family::DotNet) && !*global;
            if *global != (path.root == Root::Global) && !qualified {
                continue;
            }
            let Some(skip) = covers(family, root, &segs) else {
                continue;
            };
            let rest = &segs[skip..];
            if entry.not.iter().any(|pattern| fits(pattern, rest)) || !is_settled(entry, settled) {
                continue;
            }
            for shape in &entry.shapes {
                if fits(&shape.pattern, rest) {
                    let rank = match shape.hit {
                        Hit::Place(CallKind::Call) => 5,
                        Hit::Place(CallKind::McpServer | CallKind::ModelLoad) => 4,
                        Hit::Place(CallKind::Declare) => 3,
                        Hit::Place(CallKind::Construct) => 2,
                        _ => 1,
                    };
                    let weight = root.iter().map(String::len).sum::<usize>();
                    if best
                        .as_ref()
                        .is_none_or(|(known, kind, _)| (weight, rank) > (*known, *kind))
                    {
                        best = Some((weight, rank, Match { sdk: &entry.sdk, shape }));
                    }
                    break;
                }
            }
        }
    };
    if matches!(family, Family::Script | Family::Go) {
        let fork = fork_of(first).filter(|_| family == Family::Go);
        for prefix in module_prefixes(first).chain(fork) {
            if let Some(bucket) = table.buckets.get(&(family, prefix.to_owned())) {
                bucket.iter().copied().for_each(&mut visit);
            }
        }
    } else if let Some(bucket) = table.buckets.get(&(family, first.to_string())) {
        bucket.iter().copied().for_each(&mut visit);
    }
    best.map(|(_, _, hit)| hit)
}

/// The command of the system shell that a path in a notebook means.
fn command_of(path: &Path) -> Option<Path> {
    let Some(Seg::Name(first)) = path.segs.first() else {
        return None;
    };
    let name = first.strip_prefix('!')?;
    let mut segs = path.segs.clone();
    segs[0] = Seg::Name(name.into());
    Some(Path { root: path.root, segs })
}

/// A module name and its prefixes at borders, longest first.
fn module_prefixes(module: &str) -> impl Iterator<Item = &str> {
    let module = module.strip_prefix("npm:").unwrap_or(module);
    let module = module.strip_prefix("node:").unwrap_or(module);
    std::iter::once(module).chain(
        module
            .char_indices()
            .rev()
            .filter(|(at, c)| *at > 0 && matches!(c, '/' | '@'))
            .map(|(at, _)| &module[..at]),
    )
}

/// The last part of a module that lies at a host: `go-openai` of `github.com/somebody/go-openai/v2`.
fn fork_of(module: &str) -> Option<&str> {
    let (host, path) = module.split_once('/')?;
    let version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    host.contains('.')
        .then(|| path.rsplit('/').find(|part| !version(part)))
        .flatten()
}

fn is_settled(entry: &Entry, settled: &Settled<'_>) -> bool {
    if !entry.sdk.ambiguous {
        return true;
    }
    entry
        .sdk
        .packages
        .iter()
        .any(|package| settled.manifest.contains(entry.family.ecosystem(), package))
        || entry
            .sdk
            .distinctive
            .iter()
            .any(|name| settled.items.contains(name.as_str()))
}

/// Whether a module belongs to a library that the shapes know.
pub(crate) fn knows_root(language: Language, module: &str) -> bool {
    let Some(family) = Family::of(language) else {
        return false;
    };
    let table = &*TABLE;
    if matches!(family, Family::Script | Family::Go) {
        let fork = fork_of(module).filter(|_| family == Family::Go);
        return module_prefixes(module)
            .chain(fork)
            .any(|prefix| table.buckets.contains_key(&(family, prefix.to_owned())));
    }
    let parts: Vec<&str> = split_module(language, module).collect();
    let Some(first) = parts.first() else {
        return false;
    };
    table
        .buckets
        .get(&(family, (*first).to_owned()))
        .into_iter()
        .flatten()
        .any(|at| {
            table.entries[*at]
                .roots
                .iter()
                .any(|(root, _)| root.iter().zip(&parts).all(|(a, b)| a == b) && root.len() <= parts.len())
        })
}

/// Whether a library that the shapes know has a member of that name in that module.
pub(crate) fn knows_member(language: Language, module: &str, name: &str) -> bool {
    let Some(family) = Family::of(language) else {
        return false;
    };
    if matches!(family, Family::Script | Family::Go) {
        return false;
    }
    let parts: Vec<&str> = split_module(language, module).collect();
    let Some(first) = parts.first() else {
        return false;
    };
    let table = &*TABLE;
    table
        .buckets
        .get(&(family, (*first).to_owned()))
        .into_iter()
        .flatten()
        .any(|at| {
            let entry = &table.entries[*at];
            entry.names.contains(name)
                && entry
                    .roots
                    .iter()
                    .any(|(root, _)| root.len() <= parts.len() && root.iter().zip(&parts).all(|(a, b)| a == b))
        })
}

/// The module of a class that is told by its own name.
pub(crate) fn module_of_class(language: Language, name: &str) -> Option<&'static str> {
    let family = Family::of(language)?;
    TABLE
        .entries
        .iter()
        .find(|entry| entry.family == family && entry.sdk.implicit.iter().any(|class| class == name))
        .and_then(|entry| entry.sdk.roots.first())
        .map(String::as_str)
}

/// Providers by the names with which a library registers them.
pub(crate) fn providers_of(language: Language, sdk: &str) -> Option<&'static BTreeMap<String, String>> {
    let family = Family::of(language)?;
    TABLE
        .entries
        .iter()
        .find(|entry| entry.family == family && entry.sdk.name == sdk)
        .map(|entry| &entry.sdk.providers)
        .filter(|providers| !providers.is_empty())
}

/// Literals of which a file with one of the libraries holds at least one.
pub(crate) fn literals() -> Vec<String> {
    let mut out = Vec::new();
    for entry in &TABLE.entries {
        if entry.shapes.iter().all(|shape| shape.hit == Hit::Http) {
            continue;
        }
        for root in &entry.sdk.roots {
            let language = language_of(entry.family);
            let parts: Vec<&str> = split_module(language, root).collect();
            let literal = match entry.family {
                // Short or ordinary names are looked for where they are imported.
                Family::Python => {
                    let first = parts[0];
                    if matches!(first, "google" | "azure") && parts.len() > 1 {
                        if parts[1].len() > 4 && parts[1] != "cloud" {
                            parts[1].to_owned()
                        } else {
                            parts[..2].join(".")
                        }
                    } else if first.contains('_') || (first.len() > 8 && !entry.sdk.ambiguous) || first.contains("ai") {
                        first.to_owned()
                    } else {
                        for form in ["import ", "from ", "\"", "'"] {
                            out.push(format!("{form}{first}").to_ascii_lowercase());
                        }
                        continue;
                    }
                }
                Family::Script if root.len() < 9 => {
                    for quote in ['\'', '"'] {
                        out.push(format!("{quote}{root}{quote}"));
                        out.push(format!("{quote}{root}/"));
                    }
                    continue;
                }
                Family::Rust if root.len() < 6 => {
                    out.push(format!("{root}::"));
                    continue;
                }
                _ => root.clone(),
            };
            out.push(literal.to_ascii_lowercase());
        }
        out.extend(entry.sdk.implicit.iter().map(|class| class.to_ascii_lowercase()));
        out.extend(
            entry
                .sdk
                .globals
                .iter()
                .filter(|name| name.len() > 4)
                .map(|name| name.to_ascii_lowercase()),
        );
    }
    out
}

/// First parts of the roots of libraries other than those for plain requests, and names that need no import.
struct Beginnings {
    /// Roots by family and first part.
    roots: HashMap<(Family, String), Vec<&'static [String]>>,
    /// Names that stand for a library by themselves.
    names: BTreeSet<(Family, &'static str)>,
}

static BEGINNINGS: LazyLock<Beginnings> = LazyLock::new(|| {
    let mut roots: HashMap<(Family, String), Vec<&'static [String]>> = HashMap::default();
    let mut names = BTreeSet::new();
    for entry in &TABLE.entries {
        // A request proves nothing by itself: an address does.
        if !entry.shapes.is_empty() && entry.shapes.iter().all(|shape| shape.hit == Hit::Http) {
            continue;
        }
        if VERSATILE.contains(&entry.sdk.name.as_str()) {
            continue;
        }
        for (root, global) in &entry.roots {
            if *global {
                names.insert((entry.family, root[0].as_str()));
            } else {
                let key = (entry.family, root[0].clone());
                roots.entry(key).or_default().push(root);
            }
        }
        names.extend(entry.sdk.implicit.iter().map(|name| (entry.family, name.as_str())));
    }
    Beginnings { roots, names }
});

/// Libraries for many things: importing one says little, as long as none of the methods that ask a model is named.
const VERSATILE: [&str; 3] = ["boto3", "joblib", "vscode"];

/// The methods of each versatile library that ask a model; every shape of it ends in one.
pub(crate) fn versatile_methods() -> impl Iterator<Item = (u8, &'static str)> {
    VERSATILE.iter().enumerate().flat_map(|(bit, name)| {
        let entries = TABLE.entries.iter().filter(move |entry| entry.sdk.name == *name);
        let last = entries.flat_map(|entry| &entry.shapes).filter_map(|shape| {
            shape.pattern.iter().rev().find_map(|token| match token {
                Token::Names(names) => Some(names),
                _ => None,
            })
        });
        last.flatten().map(move |method| (1_u8 << bit, method.as_str()))
    })
}

/// The versatile libraries to which importing a module leads, as bits.
pub(crate) fn versatile(language: Language, module: &str) -> u8 {
    let Some(family) = Family::of(language) else {
        return 0;
    };
    let first = split_module(language, module).next().unwrap_or("");
    let bucket = TABLE.buckets.get(&(family, first.to_owned()));
    bucket.into_iter().flatten().fold(0, |bits, at| {
        let sdk = &TABLE.entries[*at].sdk;
        bits | VERSATILE
            .iter()
            .position(|name| sdk.name == *name)
            .map_or(0, |bit| 1 << bit)
    })
}

/// Whether importing a module, or an item of it, can lead to a library that asks models.
///
/// A part of a root counts: the rest may follow in the code.
pub(crate) fn may_lead(language: Language, module: &str, item: Option<&str>) -> bool {
    let Some(family) = Family::of(language) else {
        return false;
    };
    let known = &BEGINNINGS.roots;
    if matches!(family, Family::Script | Family::Go) {
        let fork = fork_of(module).filter(|_| family == Family::Go);
        return module_prefixes(module)
            .chain(fork)
            .any(|prefix| known.contains_key(&(family, prefix.to_owned())));
    }
    let mut parts = split_module(language, module)
        .chain(item.into_iter().flat_map(|item| split_module(language, item)))
        .filter(|part| *part != "*");
    let Some(first) = parts.next() else {
        return false;
    };
    let Some(roots) = known.get(&(family, first.to_owned())) else {
        return false;
    };
    let rest: Vec<&str> = parts.collect();
    roots
        .iter()
        .any(|root| root[1..].iter().zip(&rest).all(|(known, part)| known == part))
}

/// Whether a bare name can be the beginning of a path into a library that asks models.
pub(crate) fn may_begin(language: Language, name: &str) -> bool {
    let Some(family) = Family::of(language) else {
        return false;
    };
    BEGINNINGS.names.contains(&(family, name))
}

/// Whether a bare name can be the first part of the full name of such a library, where no import is needed.
pub(crate) fn begins_root(language: Language, name: &str) -> bool {
    match Family::of(language) {
        Some(family @ (Family::Rust | Family::Jvm | Family::DotNet | Family::Php)) => {
            BEGINNINGS.roots.contains_key(&(family, name.to_owned()))
        }
        _ => false,
    }
}

#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = (Family, &'static Sdk)> {
    TABLE.entries.iter().map(|entry| (entry.family, &entry.sdk))
}
