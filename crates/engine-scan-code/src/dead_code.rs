//! Dead-code detection: is a call site reachable?
//!
//! A record is idle where one of the things around it is never asked for: the class that holds it, the method, the variable that keeps
//! what is made, or the file, where a file holds nothing but definitions and nobody brings it in. A name counts as asked for wherever it stands
//! in the tree outside of comments and prose, and whatever is not plain counts as run: what a framework starts by an annotation, by a base class, by
//! the place or the name of a file, by reflection or by a list of folders. What is idle stays in the inventory with a mark.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{CallKind, EntryPointKind, Evidence, EvidenceKind, FileInfo, Language, Trace, TraceKind, Zone};
use engine_syntax::ir::{Class, Expr, ExprId, Function, Module, Pattern, Span, StmtKind, TypeRef};
use rustc_hash::FxHashMap as HashMap;

use crate::CodeFacts;
use crate::calls::Found;
use crate::entry::Entry;
use crate::mentions::{How, Kind, Mentioned, Token, searched};
use crate::modules::Texts;
use crate::project::{is_jvm, is_python, is_script};
use crate::values::{ExprRef, Value};
use crate::world::World;

mod definitions;
mod disabled_branches;
mod holders;
mod routes;
#[cfg(test)]
mod tests;
mod unread_values;

use definitions::only_defines;

/// Shorter names stand for too much.
const NAME_CHARS_MIN: usize = 4;

/// Bases that call nothing by a name of their own.
const PLAIN_BASES: [&str; 14] = [
    "object",
    "Object",
    "Any",
    "ABC",
    "IDisposable",
    "IAsyncDisposable",
    "Serializable",
    "Closeable",
    "AutoCloseable",
    "ObservableObject",
    "INotifyPropertyChanged",
    "ViewModel",
    "AndroidViewModel",
    "Protocol",
];

/// Annotations that start nothing.
const PLAIN_MARKS: [&str; 37] = [
    "abstractmethod",
    "dataclass",
    "final",
    "overload",
    "retry",
    "lru_cache",
    "cached_property",
    "no_grad",
    "traceable",
    "observe",
    "cache_data",
    "cache_resource",
    "override",
    "Override",
    "Async",
    "Transactional",
    "Nullable",
    "NonNull",
    "NotNull",
    "Deprecated",
    "Obsolete",
    "Throws",
    "SuppressWarnings",
    "Suppress",
    "Cacheable",
    "Retryable",
    "Retry",
    "RequiresApi",
    "JvmStatic",
    "OptIn",
    "Slf4j",
    "Log4j2",
    "RequiredArgsConstructor",
    "AllArgsConstructor",
    "staticmethod",
    "classmethod",
    "property",
];

/// Methods that a platform calls by their names, without an annotation or a base.
const CALLED_BY_NAME: [&str; 16] = [
    "Main",
    "main",
    "Configure",
    "ConfigureServices",
    "Invoke",
    "InvokeAsync",
    "invoke",
    "Handle",
    "HandleAsync",
    "handle",
    "handleRequest",
    "FunctionHandler",
    "Consume",
    "Execute",
    "ExecuteAsync",
    "Dispose",
];

/// Names of folders for what is no longer in use.
const PUT_AWAY: [&str; 25] = [
    "versões anteriores",
    "versoes anteriores",
    "versao anterior",
    "versiones anteriores",
    "anciennes versions",
    "alte versionen",
    "old versions",
    "old_versions",
    "old-versions",
    "previous versions",
    "previous_versions",
    "antigo",
    "old",
    "legacy",
    "legacy_code",
    "backup",
    "backups",
    "bak",
    "deprecated",
    "archive",
    "archived",
    "unused",
    "obsolete",
    "attic",
    "graveyard",
];

/// Files of code in a tree of which each is looked at for who brings it in, where it only prepares something or code is loaded by names.
const UNITS_MAX: usize = 800;

/// Classes and functions between a record and whoever asks for it that are looked at.
const BETWEEN_MAX: usize = 3;

/// Something around a record that has to be asked for by its name.
struct Holder {
    token: Token,
    /// The number of the token among all that are searched for.
    number: usize,
    /// Bases of the class, which have to be of the tree.
    bases: Vec<usize>,
    line: u32,
    /// Lines of the own file on which the name says nothing.
    span: (u32, u32),
    /// Whether lines that declare the name count for nothing.
    is_method: bool,
    /// Whether lines that hand it out count for nothing, as others ask for what is handed out by its name.
    is_class: bool,
    /// Whether a list at the end of its file may hand it out as well.
    is_handed_out: bool,
    /// Of a function that belongs to no class, the files in which its name stands for something of another file.
    others: Option<Vec<String>>,
}

impl Holder {
    fn new(world: &World<'_>, unit: u32, kind: Kind, name: &str, span: Span) -> Self {
        Self {
            token: Token {
                text: name.to_owned(),
                own: world.unit(unit).path.to_owned(),
                kind,
            },
            number: 0,
            bases: Vec::new(),
            line: span.line,
            span: (span.line, span.end_line),
            is_method: false,
            is_class: false,
            is_handed_out: false,
            others: None,
        }
    }

    /// Whether its name stands for something of another file in this one.
    fn is_another_in(&self, file: &str) -> bool {
        self.others
            .as_ref()
            .is_some_and(|others| others.iter().any(|other| other == file))
    }
}

/// Marks the records that nothing runs.
///
/// Nothing is said of a tree in which no record would be left: how such a tree starts is not understood.
pub(crate) fn mark(
    world: &World<'_>,
    entries: &[Entry],
    files: &[(&FileInfo, &CodeFacts)],
    unused: &BTreeSet<String>,
    texts: &Texts<'_>,
    found: &mut [Found],
) {
    let candidates: Vec<usize> = (0..found.len()).filter(|at| may_be_idle(world, &found[*at])).collect();
    if candidates.is_empty() {
        return;
    }
    let mut off: BTreeMap<usize, (String, String, u32)> = BTreeMap::new();
    for at in &candidates {
        let index = world.index(found[*at].at.0);
        if let Some((name, line)) = disabled_branches::switched_off(index, found[*at].at.1)
            && !is_set_elsewhere(index, name)
        {
            off.insert(*at, (name.to_owned(), found[*at].call.file.clone(), line));
        }
    }
    for at in &candidates {
        if !off.contains_key(at)
            && let Some((name, line)) = disabled_branches::replaced(world, found[*at].at)
        {
            off.insert(*at, (name, found[*at].call.file.clone(), line));
        }
    }
    for at in &candidates {
        if !off.contains_key(at)
            && let Some((name, line)) = unread_values::unread(world, &found[*at])
        {
            off.insert(*at, (name.to_owned(), found[*at].call.file.clone(), line));
        }
    }
    let mut idle = Files::new(world, entries, files);
    let mut holders: Vec<Holder> = Vec::new();
    let mut tokens: Vec<Token> = Vec::new();
    let mut known: HashMap<Token, usize> = HashMap::default();
    let mut add = |token: Token, tokens: &mut Vec<Token>| {
        *known.entry(token.clone()).or_insert_with(|| {
            tokens.push(token);
            tokens.len() - 1
        })
    };
    // Which holders each record has, by their numbers.
    let mut around: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut by_token: BTreeMap<usize, usize> = BTreeMap::new();
    let named = Named::new(world);
    for at in &candidates {
        for (mut holder, bases) in holders_of(world, &found[*at]) {
            if holder.others.is_some() {
                let others = named.of_others(world, &holder.token.text, &holder.token.own);
                holder.others = Some(others.into_iter().map(str::to_owned).collect());
            }
            let mut between = Vec::new();
            if named.elsewhere(world, &holder, &idle, BETWEEN_MAX, &mut between) {
                continue;
            }
            let own = holder.token.clone();
            between.push((holder, bases));
            for (mut holder, bases) in between {
                let is_own = holder.token == own;
                let token = add(holder.token.clone(), &mut tokens);
                let number = *by_token.entry(token).or_insert_with(|| {
                    holder.number = token;
                    holder.bases = bases.iter().map(|base| add(Token::base(base), &mut tokens)).collect();
                    holders.push(holder);
                    holders.len() - 1
                });
                if is_own {
                    around.entry(*at).or_default().push(number);
                }
            }
        }
    }
    let stems: BTreeMap<&str, usize> = idle
        .alone
        .iter()
        .map(|path| (*path, add(Token::file(path), &mut tokens)))
        .collect();
    // Files in which a name stands for something of another file.
    let mut others: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    let handed: BTreeMap<&str, Vec<usize>> = idle
        .alone
        .iter()
        .map(|path| {
            let shared = names_of(world, path).into_iter();
            let shared = shared
                .map(|name| {
                    let token = add(Token::name(path, name), &mut tokens);
                    others.insert(token, named.of_others(world, name, path));
                    token
                })
                .collect();
            (*path, shared)
        })
        .collect();
    let answering: BTreeSet<&str> = candidates.iter().map(|at| found[*at].call.file.as_str()).collect();
    let routes = routes::Routes::new(world, &answering, |token| add(token, &mut tokens));
    let folders: BTreeMap<String, usize> = candidates
        .iter()
        .filter_map(|at| put_away(&found[*at].call.file))
        .map(|folder| (folder.to_owned(), add(Token::folder(folder), &mut tokens)))
        .collect();
    let mentioned = if tokens.is_empty() {
        Some(Mentioned::default())
    } else {
        searched(files, tokens, texts)
    };
    // A tree that is too large to be searched is taken to run.
    let Some(mentioned) = mentioned else { return };
    idle.settle(&stems, &handed, &others, &mentioned);
    idle.put_away = folders
        .into_iter()
        .filter(|(folder, token)| {
            mentioned
                .of(*token)
                .iter()
                .all(|place| mentioned.file(place).starts_with(folder))
        })
        .map(|(folder, _)| folder)
        .collect();
    let unasked = routes.unasked(&mentioned);
    let runs = running(world, &holders, &mentioned, &idle);
    let mut marked = off;
    for at in &candidates {
        if marked.contains_key(at) {
            continue;
        }
        let call = &found[*at].call;
        let path = call.file.as_str();
        let holder = around
            .get(at)
            .into_iter()
            .flatten()
            .map(|number| (&holders[*number], runs[*number]))
            .find(|(_, runs)| !runs);
        if let Some((holder, _)) = holder {
            marked.insert(*at, (holder.token.text.clone(), path.to_owned(), holder.line));
        } else if unused.contains(path) || idle.is_idle(path) || idle.is_put_away(path) || unasked.contains(path) {
            let name = path.rsplit('/').next().unwrap_or(path);
            marked.insert(*at, (name.to_owned(), path.to_owned(), 1));
        }
    }
    for at in &candidates {
        let call = &mut found[*at].call;
        if idle.unimported.contains(call.file.as_str()) && !marked.contains_key(at) {
            call.traces.push(Trace {
                kind: TraceKind::Unimported,
                chain: vec![Evidence {
                    kind: EvidenceKind::Code,
                    reference: name_of(&call.file).to_owned(),
                    file: Some(call.file.clone()),
                    line: Some(1),
                    hash: None,
                }],
            });
            call.traces.sort();
        }
    }
    let lives = |at: usize| {
        found[at].call.kind == CallKind::Call
            && found[at].call.zone == Zone::Product
            && found[at].call.traced(TraceKind::Unreached).is_none()
            && !marked.contains_key(&at)
    };
    if !(0..found.len()).any(lives) {
        return;
    }
    for (at, (reference, file, line)) in marked {
        let call = &mut found[at].call;
        call.traces.retain(|trace| trace.kind != TraceKind::HandedOver);
        call.traces.push(Trace {
            kind: TraceKind::Unreached,
            chain: vec![Evidence {
                kind: EvidenceKind::Code,
                reference,
                file: Some(file),
                line: Some(line),
                hash: None,
            }],
        });
        call.traces.sort();
    }
}

/// Whether a statement inside of a function of the file sets a name: `global USE_OPENAI`.
fn is_set_elsewhere(index: &crate::index::Index<'_>, name: &str) -> bool {
    let sets = |kind: &StmtKind| match kind {
        StmtKind::Assign { target, .. } => match target {
            Pattern::Name(known) => **known == *name,
            Pattern::Place(place) => {
                matches!(index.module.expr(*place), Expr::Member { name: known, .. } if **known == *name)
            }
            _ => false,
        },
        _ => false,
    };
    // Where it is declared counts once, unless it is a field.
    index.stmts.iter().filter(|info| sets(&info.stmt.kind)).count() > 1
}

/// Marks the records of libraries that a file brings in only where they may be missing.
pub(crate) fn mark_optional(world: &World<'_>, found: &mut [Found]) {
    for found in found {
        let unit = found.at.0;
        let imports = &world.module(unit).imports;
        if !imports.iter().any(|import| import.optional) {
            continue;
        }
        let symbol = found.call.symbol.split(['(', '[']).next().unwrap_or("");
        let root = symbol.split('.').next().unwrap_or(symbol);
        let mut own = imports
            .iter()
            .filter(|import| import.module.split('.').next() == Some(root))
            .peekable();
        let Some(line) = own.peek().map(|import| import.span.line) else {
            continue;
        };
        if own.all(|import| import.optional) {
            found.call.traces.push(Trace {
                kind: TraceKind::Optional,
                chain: vec![Evidence {
                    kind: EvidenceKind::Code,
                    reference: root.to_owned(),
                    file: Some(world.unit(unit).path.to_owned()),
                    line: Some(line),
                    hash: None,
                }],
            });
            found.call.traces.sort();
        }
    }
}

/// Whether a record is of a kind and a place of which something can be said.
fn may_be_idle(world: &World<'_>, found: &Found) -> bool {
    let language = world.unit(found.at.0).language;
    found.call.zone == Zone::Product
        && found.call.cell.is_none()
        && found.call.kind != CallKind::McpServer
        && found.call.traced(TraceKind::Unreached).is_none()
        && (is_python(language)
            || is_script(language)
            || is_jvm(language)
            || matches!(language, Language::CSharp | Language::Php))
}

/// Names and members that stand in resolved code, with the unit and the line of a few of their places.
struct Named<'m> {
    places: HashMap<&'m str, Vec<(u32, u32, ExprId)>>,
    /// Names that units bring in, with the module that each brings them from.
    imported: HashMap<&'m str, Vec<(u32, &'m str)>>,
}

impl<'m> Named<'m> {
    /// Places of one name that are kept.
    const PLACES_MAX: usize = 16;

    fn new(world: &World<'m>) -> Self {
        let mut places: HashMap<&'m str, Vec<(u32, u32, ExprId)>> = HashMap::default();
        let mut imported: HashMap<&'m str, Vec<(u32, &'m str)>> = HashMap::default();
        for unit in 0..crate::values::id(world.units.len()) {
            if world.unit(unit).zone == Zone::Test {
                continue;
            }
            for binding in world.module(unit).imports.iter().flat_map(|import| &import.bindings) {
                if let Some(item) = &binding.item {
                    imported.entry(item).or_default().push((unit, &binding.module));
                }
            }
            for (at, expr) in world.module(unit).exprs.iter().enumerate() {
                if let Expr::Name(name) | Expr::Member { name, .. } = &expr.kind {
                    let of = places.entry(name).or_default();
                    if of.len() < Self::PLACES_MAX {
                        of.push((unit, expr.span().line, ExprId(crate::values::id(at))));
                    }
                }
            }
        }
        Self { places, imported }
    }

    /// The files in which a name of one file stands for something of another file alone.
    fn of_others(&self, world: &World<'m>, name: &str, own: &str) -> BTreeSet<&'m str> {
        let places = self.places.get(name).map_or(&[][..], Vec::as_slice);
        if places.len() >= Self::PLACES_MAX {
            return BTreeSet::new();
        }
        let (mut away, mut here): (BTreeSet<&str>, BTreeSet<&str>) = (BTreeSet::new(), BTreeSet::new());
        for (unit, _, at) in places {
            let path = world.unit(*unit).path;
            if path == own {
                continue;
            }
            if is_of_another(world, ExprRef(*unit, *at), own) {
                away.insert(path);
            } else {
                here.insert(path);
            }
        }
        // Who only brings it in, and does nothing with it, names what is brought in.
        let brought_in = self.imported.get(name).filter(|_| world.units.len() <= UNITS_MAX);
        for (unit, module) in brought_in.into_iter().flatten().take(Self::PLACES_MAX) {
            let (path, language) = (world.unit(*unit).path, world.unit(*unit).language);
            match world.paths.resolve(path, language, module) {
                Some(from) if from != own && path != own => drop(away.insert(path)),
                Some(_) => drop(here.insert(path)),
                None => {}
            }
        }
        away.retain(|path| !here.contains(path));
        away
    }

    /// Whether resolved code that may run names a holder outside of itself: then no text need be searched.
    ///
    /// What only something names that nothing names itself is no use; `by` takes what stands between.
    fn elsewhere(
        &self,
        world: &World<'_>,
        holder: &Holder,
        idle: &Files<'_>,
        rounds: usize,
        by: &mut Vec<(Holder, Vec<String>)>,
    ) -> bool {
        let Some(places) = self.places.get(holder.token.text.as_str()) else {
            return false;
        };
        let is_own = |unit: u32| world.unit(unit).path == holder.token.own;
        // A list at the end of a file hands out what is above.
        let own: BTreeSet<u32> = places
            .iter()
            .filter(|(unit, line, _)| is_own(*unit) && !(holder.span.0..=holder.span.1).contains(line))
            .map(|(_, line, _)| *line)
            .collect();
        let mut between = Vec::new();
        for (unit, line, _) in places {
            if holder.is_another_in(world.unit(*unit).path) {
                continue;
            }
            if is_own(*unit) {
                let inside = (holder.span.0..=holder.span.1).contains(line);
                if inside || holder.is_class || holder.is_handed_out && own.len() == 1 {
                    continue;
                }
            } else if idle.is_idle(world.unit(*unit).path) {
                continue;
            }
            if rounds == 0 || places.len() == Self::PLACES_MAX {
                return true;
            }
            let mut further = Vec::new();
            let unnamed = holders::around(world, *unit, *line).into_iter().find(|(outer, _)| {
                further.clear();
                outer.token != holder.token && !self.elsewhere(world, outer, idle, rounds - 1, &mut further)
            });
            let Some(unnamed) = unnamed else { return true };
            between.append(&mut further);
            between.push(unnamed);
        }
        by.append(&mut between);
        false
    }
}

/// Whether a name or a member is known to stand for a function or a class of another file than the one that is named.
fn is_of_another(world: &World<'_>, at: ExprRef, own: &str) -> bool {
    let values = world.eval(at);
    let file = |value: &Value| match value {
        Value::Function(function) => Some(function.0),
        Value::Class(class) | Value::Instance(class, _) => Some(class.0),
        _ => None,
    };
    !values.is_empty()
        && values
            .iter()
            .all(|value| file(value).is_some_and(|unit| world.unit(unit).path != own))
}

/// What has to be asked for so that a record comes to life, with the bases of its class.
fn holders_of(world: &World<'_>, found: &Found) -> Vec<(Holder, Vec<String>)> {
    let unit = found.at.0;
    let mut out = holders::around(world, unit, world.span(found.at).line);
    out.extend(holders::provided(world, unit, found.at.1));
    // Of PHP only classes are known well enough.
    if world.unit(unit).language != Language::Php
        && found.call.kind == CallKind::Construct
        && let Some((name, span)) = kept_as(world, found)
        && name.len() >= NAME_CHARS_MIN
    {
        out.push((Holder::new(world, unit, Kind::Value, name, span), Vec::new()));
    }
    out
}

/// The variable or field of the object itself that keeps what a record makes, where nothing else is done with it.
fn kept_as<'w>(world: &World<'w>, found: &Found) -> Option<(&'w str, Span)> {
    let index = world.index(found.at.0);
    let stmt = index.expr_stmt[found.at.1.0 as usize];
    if stmt == crate::index::NONE {
        return None;
    }
    let stmt = &index.stmts[stmt as usize].stmt;
    let StmtKind::Assign {
        target,
        value: Some(value),
        ..
    } = &stmt.kind
    else {
        return None;
    };
    let mut value = *value;
    while let Expr::Await(inner) | Expr::Cast { value: inner, .. } = index.module.expr(value) {
        value = *inner;
    }
    if value != found.at.1 {
        return None;
    }
    match target {
        Pattern::Name(name) => Some((name, stmt.span)),
        Pattern::Place(place) => match index.module.expr(ExprId(place.0)) {
            Expr::Member { object, name } => {
                matches!(index.module.expr(*object), Expr::Name(own) if matches!(&**own, "self" | "this"))
                    .then_some((name.as_str(), stmt.span))
            }
            _ => None,
        },
        _ => None,
    }
}

fn bases_of(class: &Class) -> Vec<String> {
    let last = |base: &TypeRef| base.name.rsplit(['.', ':']).next().unwrap_or(&base.name).to_owned();
    class
        .bases
        .iter()
        .map(last)
        .filter(|base| !PLAIN_BASES.contains(&base.as_str()))
        .collect()
}

/// Whether a function is the constructor of its class.
fn names_its_class(module: &Module, function: &Function) -> bool {
    function.class.is_some_and(|class| {
        let name = function.name.as_deref().unwrap_or("");
        module.class(class).name == function.name || name.starts_with('<') || matches!(name, "constructor" | "init")
    })
}

/// Whether nothing is started by the annotations of something.
pub(crate) fn is_plain(module: &Module, marks: &[ExprId]) -> bool {
    marks.iter().all(|mark| {
        let callee = match module.expr(*mark) {
            Expr::Call { callee, .. } => *callee,
            _ => *mark,
        };
        matches!(module.expr(callee), Expr::Name(name) | Expr::Member { name, .. } if PLAIN_MARKS.contains(&&**name))
    })
}

/// Which holders something asks for: what only an idle one names is idle itself.
fn running(world: &World<'_>, holders: &[Holder], mentioned: &Mentioned, idle: &Files<'_>) -> Vec<bool> {
    let mut out: Vec<bool> = vec![true; holders.len()];
    let numbers: HashMap<&str, usize> = mentioned
        .files()
        .iter()
        .enumerate()
        .map(|(number, path)| (path.as_str(), number))
        .collect();
    let mut said = SaidOf {
        mentioned,
        is_idle: mentioned.files().iter().map(|path| idle.is_idle(path)).collect(),
        dead: Vec::new(),
    };
    for _ in 0..=BETWEEN_MAX {
        said.dead = vec![Vec::new(); mentioned.files().len()];
        for (holder, _) in holders.iter().zip(&out).filter(|(_, runs)| !**runs) {
            if let Some(number) = numbers.get(holder.token.own.as_str()) {
                said.dead[*number].push(holder);
            }
        }
        let next: Vec<bool> = holders
            .iter()
            .map(|holder| {
                let own = numbers.get(holder.token.own.as_str()).copied();
                runs(world, holder, own, idle, &said)
            })
            .collect();
        let settled = next == out;
        out = next;
        if settled {
            break;
        }
    }
    out
}

/// What is known of the files that were searched, by their numbers.
struct SaidOf<'h> {
    mentioned: &'h Mentioned,
    is_idle: Vec<bool>,
    /// Holders that nothing asks for.
    dead: Vec<Vec<&'h Holder>>,
}

/// Whether something asks for a holder, apart from what is known to be idle. `own` is the number of its file.
fn runs(world: &World<'_>, holder: &Holder, own: Option<usize>, idle: &Files<'_>, said: &SaidOf<'_>) -> bool {
    let mentioned = said.mentioned;
    let language = world
        .by_path
        .get(holder.token.own.as_str())
        .map_or(Language::Other, |unit| world.unit(*unit).language);
    // What is looked up while the program runs has no name in the code.
    if mentioned.looks_up(language) && holder.token.kind != Kind::Value {
        return true;
    }
    let is_function = holder.token.kind == Kind::Function;
    if is_function && (mentioned.looks_up_functions(language) || idle.is_packaged(&holder.token.own)) {
        return true;
    }
    let of_tree = |base: &usize| mentioned.of(*base).iter().any(|place| place.how == How::Declares);
    if !holder.bases.iter().all(of_tree) {
        return true;
    }
    mentioned.of(holder.number).iter().any(|place| {
        let is_elsewhere = own != Some(place.file);
        if is_elsewhere {
            let says_nothing =
                holder.is_method && place.how == How::Declares || is_function && place.how == How::Exports;
            if said.is_idle[place.file] || says_nothing {
                return false;
            }
        }
        let of_dead =
            |dead: &&Holder| dead.number != holder.number && (dead.span.0..=dead.span.1).contains(&place.line);
        if said.dead[place.file].iter().any(of_dead) || holder.is_another_in(mentioned.file(place)) {
            return false;
        }
        if is_elsewhere {
            return true;
        }
        if (holder.span.0..=holder.span.1).contains(&place.line) {
            return false;
        }
        match place.how {
            How::Declares => !holder.is_method,
            How::Exports => !(holder.is_class || is_function),
            How::Uses => true,
        }
    })
}

/// Files that hold nothing but definitions, and that nobody brings in.
struct Files<'m> {
    /// Whether the tree is small enough to look at each of its files.
    few: bool,
    alone: BTreeSet<&'m str>,
    /// The same, whether or not the program may load files by other names.
    unimported: BTreeSet<&'m str>,
    /// Folders for what is no longer in use that nothing names.
    put_away: BTreeSet<String>,
    /// Folders of what is packed for others.
    packaged: Vec<String>,
}

impl<'m> Files<'m> {
    fn new(world: &World<'m>, entries: &[Entry], files: &[(&FileInfo, &CodeFacts)]) -> Self {
        let packaged: Vec<String> = files
            .iter()
            .filter(|(info, _)| matches!(name_of(&info.path), "setup.py" | "setup.cfg"))
            .map(|(info, _)| crate::project::folder(&info.path).to_owned())
            .collect();
        // A file that is run as a script, and only prepares something before it defines the rest, starts nothing.
        // In a large tree whatever is run counts as started, for who asks for each of its files would take too long to find out.
        let few = world.units.len() <= UNITS_MAX;
        let starts = |entry: &&Entry| !few || entry.kind != EntryPointKind::Main || entry.function.is_some();
        let started: BTreeSet<u32> = entries.iter().filter(starts).map(|entry| entry.unit).collect();
        let mut alone: BTreeSet<&'m str> = BTreeSet::new();
        for at in 0..crate::values::id(world.units.len()) {
            let unit = world.unit(at);
            let language = unit.language;
            if unit.zone == Zone::Product
                && (is_python(language) || is_script(language))
                && !started.contains(&at)
                && !definitions::is_started_by_place(unit.path)
                && !is_below(&packaged, unit.path)
                && only_defines(world.module(at))
            {
                alone.insert(unit.path);
            }
        }
        let mut out = Self {
            few,
            alone,
            unimported: BTreeSet::new(),
            put_away: BTreeSet::new(),
            packaged,
        };
        // What the lines of others import is in use, unless only what is itself idle imports it.
        let mut importers: HashMap<&str, Vec<(&str, &str)>> = HashMap::default();
        for (info, facts) in files.iter().filter(|(info, _)| info.zone != Zone::Test) {
            for module in &facts.imports {
                for part in module.split(['.', '/', ':']).filter(|part| !part.is_empty()) {
                    let of = importers.entry(part).or_default();
                    let this = (info.path.as_str(), module.as_str());
                    if of.last() != Some(&this) {
                        of.push(this);
                    }
                }
            }
        }
        loop {
            let in_use: Vec<&str> = out
                .alone
                .iter()
                .copied()
                .filter(|path| {
                    let stem = stem_of(path);
                    let last = stem.rsplit('.').next().unwrap_or(stem);
                    importers.get(last).into_iter().flatten().any(|(from, module)| {
                        from != path
                                && !out.alone.contains(from)
                                // By a relative path a script brings in that file or none.
                                && (!module.starts_with('.')
                                    || !is_script(Language::of_path(path))
                                    || crate::unused_components::leads_to(from, module, path))
                    })
                })
                .collect();
            if in_use.is_empty() {
                break;
            }
            for path in in_use {
                out.alone.remove(path);
            }
        }
        out
    }

    /// Takes out what some text of the tree names.
    fn settle(
        &mut self,
        stems: &BTreeMap<&'m str, usize>,
        handed: &BTreeMap<&'m str, Vec<usize>>,
        others: &BTreeMap<usize, BTreeSet<&'m str>>,
        mentioned: &Mentioned,
    ) {
        if self.few {
            self.unimported = self.alone.clone();
            named_by_others(&mut self.unimported, stems, handed, others, mentioned);
        }
        self.alone
            .retain(|path| !mentioned.looks_up_files(Language::of_path(path)));
        named_by_others(&mut self.alone, stems, handed, others, mentioned);
    }

    fn is_idle(&self, path: &str) -> bool {
        self.alone.contains(path)
    }

    fn is_packaged(&self, path: &str) -> bool {
        is_below(&self.packaged, path)
    }

    fn is_put_away(&self, path: &str) -> bool {
        self.put_away.iter().any(|folder| path.starts_with(folder.as_str()))
    }
}

/// Takes out of some files those that a text outside of them names.
fn named_by_others(
    alone: &mut BTreeSet<&str>,
    stems: &BTreeMap<&str, usize>,
    handed: &BTreeMap<&str, Vec<usize>>,
    others: &BTreeMap<usize, BTreeSet<&str>>,
    mentioned: &Mentioned,
) {
    loop {
        let files = mentioned.files();
        let is_alone: Vec<bool> = files.iter().map(|path| alone.contains(path.as_str())).collect();
        let in_use: Vec<&str> = alone
            .iter()
            .copied()
            .filter(|path| {
                let of_names = handed.get(path).map_or(&[][..], Vec::as_slice);
                let asked = |token: &usize| {
                    let others = others.get(token);
                    mentioned.of(*token).iter().any(|place| {
                        // The file itself is one of those that are alone.
                        !is_alone[place.file] && others.is_none_or(|others| !others.contains(mentioned.file(place)))
                    })
                };
                stems.get(path).is_none_or(&asked) || of_names.iter().any(&asked)
            })
            .collect();
        if in_use.is_empty() {
            break;
        }
        for path in in_use {
            alone.remove(path);
        }
    }
}

fn is_below(folders: &[String], path: &str) -> bool {
    folders
        .iter()
        .any(|folder| folder.is_empty() || path.starts_with(folder))
}

/// What a script holds under names that others can use where a page, a bundler or a framework puts several scripts into one scope.
fn names_of<'m>(world: &World<'m>, path: &str) -> Vec<&'m str> {
    /// A file with more is one of a kind that is not known.
    const NAMES_MAX: usize = 60;
    let Some(unit) = world.by_path.get(path).copied() else {
        return Vec::new();
    };
    if !is_script(world.unit(unit).language) {
        return Vec::new();
    }
    let module = world.module(unit);
    let classes = module.classes.iter().filter_map(|class| class.name.as_deref());
    let functions = module
        .functions
        .iter()
        .filter(|function| function.class.is_none())
        .filter_map(|function| function.name.as_deref());
    let mut names: Vec<&str> = classes
        .chain(functions)
        .filter(|name| name.len() >= NAME_CHARS_MIN)
        .take(NAMES_MAX)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The folder of a file, with its last `/`, that is for what is no longer in use.
fn put_away(path: &str) -> Option<&str> {
    let mut end = 0;
    for part in path.split_inclusive('/') {
        end += part.len();
        let is_folder = part.ends_with('/');
        if is_folder && PUT_AWAY.contains(&part.trim_matches(['_', '/', '-']).to_ascii_lowercase().as_str()) {
            return Some(&path[..end]);
        }
    }
    None
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name of a file without its last ending.
pub(crate) fn stem_of(path: &str) -> &str {
    let name = name_of(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
