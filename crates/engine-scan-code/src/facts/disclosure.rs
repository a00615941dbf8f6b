//! AI disclosures: whether users are informed that an AI produces the output.

mod hints;
mod reach;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine_model::EntryPointKind;
use engine_syntax::ir::{ClassId, Expr, ExprId, FunctionId, Pattern, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

use self::hints::Hints;
use self::reach::{is_interface, is_prompt_name};
use self::words::instructs;
pub(super) use self::words::is_mark;
pub(crate) use self::words::{line_for_people, marks_ai, names_maker, speaks_to_a_person, tells_of_ai};
use super::notices::{self, Rank};
use super::{callee_name, calls_in, object_name};
use crate::entry::Entry;
use crate::flow::{Flow, has_elements};
use crate::index::NONE;
use crate::memo::{Home, Memo, home};
use crate::values::{ClassRef, ExprRef, FunctionRef, Part, Value};
use crate::world::World;

/// Where a notice to people stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Notice {
    /// The file.
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: u32,
    /// How it begins.
    pub(crate) text: String,
}

/// Where the project tells people.
pub(super) struct Told<'a, 'w, 'm> {
    world: &'w World<'m>,
    flow: &'a Flow<'w, 'm>,
    /// Places of texts that tell it, by unit.
    places: BTreeMap<u32, Vec<ExprId>>,
    /// Units that show components in which it stands, with the first such place.
    shown: BTreeMap<u32, Notice>,
    /// Texts that name the maker of a model without saying more.
    hints: Hints,
    /// Pages of the product that tell it, in order.
    any_page: Vec<(Rank, Notice)>,
    /// Whether somebody else than the one who starts the program gets its answers: it serves requests, pages or messages.
    served: bool,
    /// Functions that answer messages, by the unit that registers them: a bot may introduce itself in another of them.
    greetings: BTreeMap<u32, Vec<FunctionRef>>,
    /// Functions that answer whoever looks after the service: what they say is said to nobody who talks.
    checked: FxHashSet<FunctionRef>,
    /// The units whose bots a function belongs to.
    bots: FxHashMap<FunctionRef, Vec<u32>>,
    /// The first notice of what was asked before: a function, the functions of a bot, a class, a file.
    functions: Memo<Home, Option<Notice>>,
    heard: Memo<u32, Option<Notice>>,
    greeted: Memo<ClassRef, Option<Notice>>,
    beside: Memo<ClassRef, Option<Notice>>,
    interfaces: Memo<u32, Option<Notice>>,
    /// Whether a text leaves for a person from where it stands, by the steps that led there.
    reached: Memo<(ExprRef, u32), bool>,
    /// Names that stand for texts, and members, that may tell of an AI, by unit.
    constants: Memo<u32, Rc<FxHashSet<ExprId>>>,
    /// Places of each name, by unit.
    uses: Memo<u32, Rc<FxHashMap<&'m str, Vec<ExprId>>>>,
    /// Whether a name is read by a person where it is used inside of a function.
    used: Memo<(u32, Box<str>, Option<FunctionId>, u32), bool>,
    /// Whether a file asks on its console.
    consoles: Memo<u32, bool>,
    /// Whether a map is a message of a conversation, and where the parts of maps and calls stand in them.
    roles: Memo<ExprRef, bool>,
    /// The routes by which functions are asked, and what each page asks.
    routes: FxHashMap<FunctionRef, Vec<String>>,
    page_asks: BTreeMap<String, BTreeSet<String>>,
    /// The files that a script with a page of its own leads to; nothing where it asks others over requests.
    led_to: Memo<u32, Option<Rc<FxHashSet<u32>>>>,
    parts: Memo<ExprRef, Numbered>,
}

/// Whether a place lies in a function that only the workshop draws: `@Preview` of Compose.
fn is_in_preview(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    let module = world.module(unit);
    world.unit(unit).language == engine_model::Language::Kotlin
        && world.index(unit).functions_around(id).into_iter().any(|function| {
            module.function(function).decorators.iter().any(|mark| {
                let callee = match module.expr(*mark) {
                    Expr::Call { callee, .. } => *callee,
                    _ => *mark,
                };
                matches!(module.expr(callee), Expr::Name(name) | Expr::Member { name, .. } if name.ends_with("Preview") || name.starts_with("Preview"))
            })
        })
}

/// Whether a text only tells programs where a record came from: `recipe["source"] = "ai_generated"`.
fn is_source_of_record(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    const FIELDS: [&str; 10] = [
        "source",
        "type",
        "origin",
        "quality",
        "method",
        "kind",
        "category",
        "status",
        "createdby",
        "mode",
    ];
    let index = world.index(unit);
    let module = world.module(unit);
    let named = |key: ExprId| {
        let name = match module.expr(key) {
            Expr::Str(name) | Expr::Name(name) | Expr::Member { name, .. } => name,
            Expr::Index { key, .. } => match module.expr(*key) {
                Expr::Str(name) => name,
                _ => return false,
            },
            _ => return false,
        };
        FIELDS.contains(&name.as_str().to_lowercase().replace(['_', '-'], "").as_str())
    };
    let in_record = index
        .ancestors(id)
        .next()
        .is_some_and(|parent| match module.expr(parent) {
            Expr::Map(entries) => entries
                .iter()
                .any(|entry| entry.value == id && entry.key.is_some_and(named)),
            Expr::Call { args, .. } => args.iter().any(|arg| {
                arg.value == id
                    && arg
                        .name
                        .as_deref()
                        .is_some_and(|name| FIELDS.contains(&name.to_lowercase().replace('_', "").as_str()))
            }),
            _ => false,
        });
    let stmt = index.expr_stmt[id.0 as usize];
    in_record
        || stmt != NONE
            && matches!(&index.stmts[stmt as usize].stmt.kind, StmtKind::Assign { target: Pattern::Place(target), value: Some(value), .. }
                if *value == id && named(*target))
}

/// Whether a text is handed to a function that is named for writing a log.
fn is_of_log(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    world
        .index(unit)
        .ancestors(id)
        .take(4)
        .filter(|parent| matches!(world.module(unit).expr(*parent), Expr::Call { .. }))
        // What a program prints at a terminal is read there.
        .filter(|parent| !notices::is_console(world, ExprRef(unit, *parent)))
        .any(|parent| {
            let name = callee_name(world, ExprRef(unit, parent));
            engine_catalogue::words_of(name)
                .iter()
                .any(|word| matches!(word.as_str(), "log" | "logger" | "logging" | "debug" | "trace"))
        })
}

/// Whether a place is reached only where something failed: whoever is answered as usual never reads it.
fn is_of_failures(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    let index = world.index(unit);
    index
        .statements_around(id)
        .iter()
        .any(|stmt| index.stmts[*stmt as usize].role == crate::index::Role::HandlerBody)
}

/// What pages of the product say and ask.
#[derive(Default)]
pub(crate) struct ToldOnPages {
    /// Texts that tell people that an AI answers, the best first, one of each page.
    pub(crate) told: Vec<(Rank, Notice)>,
    /// Routes that pages ask for, by the page.
    pub(crate) asks: BTreeMap<String, BTreeSet<String>>,
}

/// Texts of pages that are kept; further ones only where they tell it better.
const PAGES_MAX: usize = 200;

/// Positions of entries or arguments by the expressions that they hold.
type Numbered = Rc<FxHashMap<ExprId, Vec<usize>>>;

fn numbered<I: Iterator<Item = ExprId>>(all: impl Iterator<Item = I>) -> Numbered {
    let mut out: FxHashMap<ExprId, Vec<usize>> = FxHashMap::default();
    for (at, ids) in all.enumerate() {
        for id in ids {
            out.entry(id).or_default().push(at);
        }
    }
    Rc::new(out)
}

impl<'a, 'w, 'm> Told<'a, 'w, 'm> {
    pub(super) fn new(
        world: &'w World<'m>,
        flow: &'a Flow<'w, 'm>,
        entries: &[Entry],
        pages: &dyn Fn() -> ToldOnPages,
    ) -> Self {
        let mut places: BTreeMap<u32, Vec<ExprId>> = BTreeMap::new();
        let mut shown = BTreeMap::new();
        let mut any_page: Vec<(Rank, Notice)> = Vec::new();
        let mut hints = Hints::default();
        let served = entries.iter().any(|entry| {
            matches!(
                entry.kind,
                EntryPointKind::Http | EntryPointKind::Message | EntryPointKind::Page
            )
        });
        let mut greetings: BTreeMap<u32, Vec<FunctionRef>> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.kind == EntryPointKind::Message) {
            if let Some(function) = entry.function {
                greetings.entry(entry.unit).or_default().push(function);
            }
        }
        for unit in 0..crate::values::id(world.units.len()) {
            let module = world.module(unit);
            let elements = has_elements(world, unit);
            for (at, expr) in module.exprs.iter().enumerate() {
                let id = ExprId(crate::values::id(at));
                if world.index(unit).expr_scope[at] == NONE {
                    continue;
                }
                if let Expr::Str(text) = &expr.kind {
                    hints.look(world, unit, id, text);
                }
                let tells = match &expr.kind {
                    Expr::Str(text) => {
                        tells_of_ai(text) && !notices::is_aside(text)
                            || is_mark(text) && !is_source_of_record(world, unit, id)
                            || said_in_file(world, unit, text).is_some()
                    }
                    Expr::Call { args, .. } => args.iter().any(|arg| {
                        arg.name.as_deref().is_some_and(is_mark)
                            && !matches!(module.expr(arg.value), Expr::Bool(false) | Expr::Null)
                    }),
                    _ => false,
                };
                // What is added where an answer went too far is read by nobody who is answered as usual.
                let is_usual = || {
                    !is_guard(world.unit(unit).path)
                        || matches!(&expr.kind, Expr::Str(text) if notices::introduces(text))
                };
                let tells = tells && is_usual();
                if tells
                    && !is_in_preview(world, unit, id)
                    && !is_of_failures(world, unit, id)
                    && !is_of_log(world, unit, id)
                {
                    places.entry(unit).or_default().push(id);
                    let drawn =
                        elements && (notices::is_visible(world, unit, id) || notices::is_keyed(world, unit, id));
                    if drawn {
                        shown.entry(unit).or_insert_with(|| notice_at(world, unit, id));
                    }
                    if world.unit(unit).zone != engine_model::Zone::Product
                        || !(drawn || in_interface_call(world, unit, id))
                    {
                        continue;
                    }
                    let rank = match &expr.kind {
                        Expr::Str(text) => notices::rank(world.unit(unit).path, text, !drawn),
                        _ => Some(Rank::NamesThere),
                    };
                    // Of the many only the best are worth keeping.
                    if let Some(rank) = rank
                        && (any_page.len() < PAGES_MAX || any_page.iter().all(|(best, _)| rank > *best))
                    {
                        any_page.push((rank, notice_at(world, unit, id)));
                    }
                }
            }
        }
        for (at, notice) in described(world) {
            places.entry(at.0).or_default().push(at.1);
            if let Some(rank) = notices::rank(world.unit(at.0).path, &notice.text, true)
                && any_page.len() < PAGES_MAX
            {
                any_page.push((rank, notice));
            }
        }
        let routes = routes_of(entries);
        let mut page_asks = BTreeMap::new();
        if !routes.is_empty() || any_page.iter().all(|(best, _)| *best < Rank::Addresses) {
            let pages = pages();
            let best = any_page.iter().map(|(rank, _)| *rank).max();
            for (at, (rank, notice)) in pages.told.into_iter().enumerate() {
                // One of them stands for all, unless another is the page that asks.
                let stands = at == 0 && best.is_none_or(|best| rank > best);
                if stands || pages.asks.contains_key(&notice.file) {
                    any_page.push((rank, notice));
                }
            }
            page_asks = pages.asks;
        }
        Self {
            world,
            flow,
            places,
            shown,
            hints,
            any_page,
            served,
            checked: entries
                .iter()
                .filter(|entry| entry.kind == EntryPointKind::Http && is_for_checks(&entry.name))
                .filter_map(|entry| entry.function)
                .collect(),
            bots: {
                let mut bots: FxHashMap<FunctionRef, Vec<u32>> = FxHashMap::default();
                for (unit, functions) in &greetings {
                    for function in functions {
                        bots.entry(*function).or_default().push(*unit);
                    }
                }
                bots
            },
            greetings,
            functions: Memo::default(),
            heard: Memo::default(),
            greeted: Memo::default(),
            beside: Memo::default(),
            interfaces: Memo::default(),
            reached: Memo::default(),
            constants: Memo::default(),
            uses: Memo::default(),
            used: Memo::default(),
            consoles: Memo::default(),
            roles: Memo::default(),
            routes,
            page_asks,
            led_to: Memo::default(),
            parts: Memo::default(),
        }
    }

    /// Where the person who gets the answer of a call is told that an AI gives it.
    pub(super) fn tells(&self, at: ExprRef, page: bool, is_sent: bool) -> Option<Notice> {
        let functions = self.functions_around(at);
        let mut heard: BTreeSet<u32> = functions
            .iter()
            .filter_map(|(_, function)| self.bots.get(function.as_ref()?))
            .flatten()
            .copied()
            .collect();
        // A handler may be a function without a name that another makes.
        if heard.is_empty() && !self.bots.is_empty() {
            let callers = functions.iter().filter_map(|(_, function)| *function);
            for caller in callers.flat_map(|function| self.world.callers_of(function).to_vec()) {
                let around = self.world.index(caller.0).functions_around(caller.1).into_iter();
                heard.extend(
                    around
                        .filter_map(|function| self.bots.get(&FunctionRef(caller.0, function)))
                        .flatten(),
                );
            }
        }
        let by_nobody = heard.is_empty();
        let found = functions
            .iter()
            .find_map(|(unit, function)| self.in_function(*unit, *function))
            .or_else(|| heard.into_iter().find_map(|unit| self.in_bot(unit)))
            .or_else(|| self.in_helpers(at, &functions))
            .or_else(|| self.greeted(at))
            .or_else(|| self.in_interface(at.0))
            .or_else(|| self.beside_view_model(at))
            .or_else(|| self.shown.get(&at.0).cloned())
            .or_else(|| page.then(|| self.on_a_page(at)).flatten())
            // Between a bot and what answers may stand a queue: how the bot introduces itself is read all the same.
            .or_else(|| {
                let mut bots = self.greetings.keys().filter(|_| is_sent && by_nobody);
                bots.find_map(|unit| self.in_bot(*unit).filter(|notice| notices::introduces(&notice.text)))
            });
        // What the model is made to say itself.
        found.or_else(|| self.instructed(at))
    }

    /// A text that names the maker of the model: one around the call, or one of the product that people may read.
    ///
    /// A mark on a picture or a voice is shown with it: what another part of the product says of another thing is none.
    pub(super) fn hints(&self, at: ExprRef, is_media: bool) -> Option<Notice> {
        if self.hints.is_empty() {
            return None;
        }
        self.hints.of(self.world, at, &self.functions_around(at), is_media)
    }

    /// A setting that stands in one text with an answer: `f"{BOT_NAME}: {answer}"`. What people are told by it is up to whoever sets it.
    pub(super) fn set_beside(&self, which: usize, at: ExprRef) -> Option<Notice> {
        /// Texts that are looked at.
        const TEXTS_MAX: usize = 200;
        let world = self.world;
        self.functions_around(at).into_iter().find_map(|(unit, function)| {
            let index = world.index(unit);
            let texts = index.exprs_of(function.map(|function| function.1)).into_iter();
            texts
                .filter(|id| matches!(index.module.expr(*id), Expr::Template(_)))
                .take(TEXTS_MAX)
                .find_map(|id| {
                    let Expr::Template(parts) = index.module.expr(id) else {
                        return None;
                    };
                    let said = |part: &ExprId| self.flow.origins(ExprRef(unit, *part)).answers.contains(which);
                    let name = parts.iter().find_map(|part| setting(world, ExprRef(unit, *part)))?;
                    (parts.iter().any(said) && self.reaches(unit, id, 0)).then(|| Notice {
                        text: format!("${name}"),
                        ..notice_at(world, unit, id)
                    })
                })
        })
    }

    /// The function of a call and those that lead to it.
    fn functions_around(&self, at: ExprRef) -> Vec<(u32, Option<FunctionRef>)> {
        let mut functions: Vec<(u32, Option<FunctionRef>)> = vec![(at.0, self.world.home_of(at))];
        let mut next = 0;
        while next < functions.len() && functions.len() < 24 {
            if let (_, Some(function)) = functions[next] {
                for caller in self.world.callers_of(function).iter().copied().take(8) {
                    // What a test says is said to nobody.
                    if self.world.unit(caller.0).zone != self.world.unit(at.0).zone {
                        continue;
                    }
                    let outer = (caller.0, self.world.home_of(caller));
                    if !functions.contains(&outer) {
                        functions.push(outer);
                    }
                }
            }
            next += 1;
            if next > 8 {
                break;
            }
        }
        functions
    }

    /// A notice in one of the functions with which a bot answers: how it introduces itself comes before whatever else it says.
    fn in_bot(&self, unit: u32) -> Option<Notice> {
        self.heard.get_or(unit, || {
            let told = |unit: u32| {
                let functions = self.greetings.get(&unit).into_iter().flatten();
                functions
                    .filter_map(|function| self.in_function(function.0, Some(*function)))
                    // What labels pictures is told to those who talk only where nothing else is.
                    .min_by_key(|notice| (notices::is_label(&notice.text), !notices::introduces(&notice.text)))
            };
            let own = told(unit);
            if own.as_ref().is_some_and(|own| notices::introduces(&own.text)) {
                return own;
            }
            // The start of a bot may stand in a file beside that of its talk.
            let folder = |unit: u32| crate::project::folder(self.world.unit(unit).path);
            let beside = self
                .greetings
                .keys()
                .filter(|other| **other != unit && folder(**other) == folder(unit))
                .filter_map(|other| told(*other))
                .find(|notice| notices::introduces(&notice.text));
            beside.or(own)
        })
    }

    /// The notice of a page that is not known to show this very answer. One that is named like the code of the call comes first.
    fn on_a_page(&self, at: ExprRef) -> Option<Notice> {
        /// Whether its page asks for this answer, to whom it speaks, whose page it stands on, whether it names that page, and how well it tells.
        type Worth = (bool, bool, bool, bool, Rank);
        let mut best: Option<(Worth, &Notice)> = None;
        let functions = self.functions_around(at);
        let routes: Vec<&str> = functions
            .iter()
            .filter_map(|(_, function)| self.routes.get(function.as_ref()?))
            .flatten()
            .map(String::as_str)
            .collect();
        let asked = self.page_asks.keys().any(|page| self.asks_for(page, &routes));
        for (rank, notice) in &self.any_page {
            if !self.leads_to(&notice.file, at.0) || notices::is_of_trials(&notice.file) {
                continue;
            }
            let own = notices::is_named_alike(&notice.file, self.world.unit(at.0).path);
            // On a page of its own a text may be about anything: of another tool, or of what a model made before.
            let asks = self.asks_for(&notice.file, &routes);
            if !own && !asks && *rank <= Rank::Tells {
                continue;
            }
            // Where it is known which pages ask for this answer, what another one says is about something else, unless it speaks of the talk.
            if asked && !asks && !own && *rank != Rank::Addresses {
                continue;
            }
            let named = own && notices::names_its_page(&notice.text, &notice.file);
            let worth = (asks, *rank == Rank::Addresses, own, named, *rank);
            if best.as_ref().is_none_or(|(known, _)| worth > *known) {
                best = Some((worth, notice));
            }
        }
        best.map(|(_, notice)| notice.clone())
    }

    /// Whether a page asks one of some routes.
    fn asks_for(&self, page: &str, routes: &[&str]) -> bool {
        self.page_asks
            .get(page)
            .is_some_and(|asked| routes.iter().any(|route| asked.contains(*route)))
    }

    /// Whether a page may show what a file gives: a script that draws its own page shows what it imports, or asks for over a request, and nothing
    /// of another program beside it.
    fn leads_to(&self, page: &str, unit: u32) -> bool {
        /// Files that are looked at.
        const FILES_MAX: usize = 400;
        let Some(page) = self.world.by_path.get(page).copied() else {
            return true;
        };
        if self.world.unit(page).language != engine_model::Language::Python {
            return true;
        }
        self.led_to
            .get_or(page, || {
                let mut units = vec![page];
                let asks = self.world.module(page).imports.iter().any(|import| {
                    matches!(
                        import.module.split('.').next().unwrap_or(""),
                        "requests" | "httpx" | "aiohttp" | "websockets" | "urllib" | "websocket"
                    )
                });
                let mut next = 0;
                while next < units.len() && units.len() < FILES_MAX {
                    let from = self.world.unit(units[next]);
                    for import in &self.world.module(units[next]).imports {
                        let resolved = self.world.paths.resolve(from.path, from.language, &import.module);
                        let further = import.bindings.iter().filter_map(|binding| {
                            let whole = format!("{}.{}", import.module, binding.item.as_deref()?);
                            self.world.paths.resolve(from.path, from.language, &whole)
                        });
                        for path in resolved.into_iter().chain(further) {
                            if let Some(other) = self.world.by_path.get(path)
                                && !units.contains(other)
                            {
                                units.push(*other);
                            }
                        }
                    }
                    next += 1;
                }
                (!asks).then(|| Rc::new(units.into_iter().collect()))
            })
            .is_none_or(|units: Rc<FxHashSet<u32>>| units.contains(&unit))
    }

    /// The text that makes the model say what it is.
    fn instructed(&self, at: ExprRef) -> Option<Notice> {
        let (text, place) = self.prompts(at).into_iter().find(|(text, _)| instructs(text))?;
        let _ = text;
        Some(notice_at(self.world, place.0, place.1))
    }

    /// Texts that are sent to the model, with the places where they are given.
    fn prompts(&self, at: ExprRef) -> Vec<(String, ExprRef)> {
        let mut out = Vec::new();
        let Expr::Call { args, .. } = self.world.expr(at) else {
            return out;
        };
        let mut stack: Vec<(ExprRef, u32)> = args.iter().map(|arg| (ExprRef(at.0, arg.value), 0)).collect();
        let mut steps = 0;
        while let Some((part, depth)) = stack.pop() {
            steps += 1;
            if steps > 400 {
                break;
            }
            for value in self.world.eval(part).iter() {
                match value {
                    Value::Text(parts) => {
                        let text: String = parts
                            .iter()
                            .filter_map(|part| match part {
                                Part::Known(text) => Some(&**text),
                                _ => None,
                            })
                            .collect();
                        out.push((text, part));
                    }
                    Value::Literal(literal) if depth < 5 => {
                        stack.extend(
                            self.world
                                .module(literal.0)
                                .children(literal.1)
                                .into_iter()
                                .map(|id| (ExprRef(literal.0, id), depth + 1)),
                        );
                    }
                    Value::Path(path) if depth < 3 => {
                        for call in path.calls().take(3) {
                            if let Expr::Call { args, .. } = self.world.expr(call) {
                                stack.extend(args.iter().map(|arg| (ExprRef(call.0, arg.value), depth + 1)));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        out
    }

    /// A text in a function, or a constant that it uses, that leaves for a person.
    fn in_function(&self, unit: u32, function: Option<FunctionRef>) -> Option<Notice> {
        self.functions
            .get_or(home(unit, function), || self.find_in_function(unit, function))
    }

    fn find_in_function(&self, unit: u32, function: Option<FunctionRef>) -> Option<Notice> {
        if is_guard(self.world.unit(unit).path) {
            return None;
        }
        let index = self.world.index(unit);
        let within = |id: ExprId| match function {
            Some(function) => index.within(id, function.1),
            None => index.function_of(id).is_none(),
        };
        let own = self
            .places
            .get(&unit)
            .into_iter()
            .flatten()
            .filter(|id| within(**id) && !self.is_for_checks(unit, **id) && self.reaches(unit, **id, 0))
            .map(|id| notice_at(self.world, unit, *id))
            .min_by_key(|notice| notices::is_label(&notice.text));
        if own.is_some() {
            return own;
        }
        let module = self.world.module(unit);
        let constants = self.constants(unit);
        for id in index.exprs_of(function.map(|function| function.1)) {
            let (Expr::Name(name) | Expr::Member { name, .. }) = module.expr(id) else {
                continue;
            };
            if !constants.contains(&id) || self.is_for_checks(unit, id) {
                continue;
            }
            let tells = self.world.eval(ExprRef(unit, id)).iter().any(|value| match value {
                Value::Text(parts) => parts
                    .iter()
                    .any(|part| matches!(part, Part::Known(text) if tells_of_ai(text) && !notices::is_aside(text))),
                _ => false,
            });
            if tells && self.reaches(unit, id, 0) {
                return Some(
                    self.defined(unit, name)
                        .unwrap_or_else(|| notice_at(self.world, unit, id)),
                );
            }
        }
        None
    }

    /// Whether a place answers whoever asks how a service is doing.
    fn is_for_checks(&self, unit: u32, id: ExprId) -> bool {
        !self.checked.is_empty()
            && self
                .world
                .index(unit)
                .functions_around(id)
                .into_iter()
                .any(|function| self.checked.contains(&FunctionRef(unit, function)))
    }

    /// Names that may stand for a constant, by how they are written, and are none of a text for a model.
    fn constants(&self, unit: u32) -> Rc<FxHashSet<ExprId>> {
        self.constants.get_or(unit, || {
            let index = self.world.index(unit);
            let mut by_name: FxHashMap<&str, (bool, bool)> = FxHashMap::default();
            let mut out = FxHashSet::default();
            for (at, expr) in index.module.exprs.iter().enumerate() {
                let (name, top) = match &expr.kind {
                    Expr::Name(name) => (&**name, index.scopes[0].names.contains_key(&**name)),
                    Expr::Member { name, .. } => (&**name, false),
                    _ => continue,
                };
                if index.expr_scope[at] == NONE {
                    continue;
                }
                let (written, prompt) = *by_name
                    .entry(name)
                    .or_insert_with(|| (is_constant_name(name), is_prompt_name(&name.to_ascii_lowercase())));
                if (top || written) && !prompt {
                    out.insert(ExprId(crate::values::id(at)));
                }
            }
            Rc::new(out)
        })
    }

    /// Where a constant of a file gets a text that tells of an AI.
    fn defined(&self, unit: u32, name: &str) -> Option<Notice> {
        let id = self.places.get(&unit)?.iter().find(|id| {
            let index = self.world.index(unit);
            let stmt = index.expr_stmt[id.0 as usize];
            stmt != NONE
                && matches!(&index.stmts[stmt as usize].stmt.kind, StmtKind::Assign { target, .. }
                    if crate::flow::pattern_names(target).contains(&name))
        })?;
        Some(notice_at(self.world, unit, *id))
    }

    /// A greeting or notice that the class of the call hands out in a function of its own.
    fn greeted(&self, at: ExprRef) -> Option<Notice> {
        let index = self.world.index(at.0);
        let class = index.class_of_scope(index.expr_scope[at.1.0 as usize])?;
        self.greeted
            .get_or(ClassRef(at.0, class), || self.find_greeting(at, class))
    }

    fn find_greeting(&self, at: ExprRef, class: ClassId) -> Option<Notice> {
        self.world
            .module(at.0)
            .class(class)
            .methods
            .iter()
            .filter(|method| {
                let name = self.world.module(at.0).function(**method).name.as_deref().unwrap_or("");
                let lower = name.to_ascii_lowercase();
                [
                    "greet", "welcome", "hello", "intro", "disclos", "disclaim", "notice", "banner", "footer",
                    "opening",
                ]
                .iter()
                .any(|word| lower.contains(word))
            })
            .find_map(|method| self.in_function(at.0, Some(FunctionRef(at.0, *method))))
    }

    /// A notice on a screen of Android that shows what a view model of its package holds.
    fn beside_view_model(&self, at: ExprRef) -> Option<Notice> {
        if self.world.unit(at.0).language != engine_model::Language::Kotlin {
            return None;
        }
        let index = self.world.index(at.0);
        let class = index.class_of_scope(index.expr_scope[at.1.0 as usize])?;
        self.beside
            .get_or(ClassRef(at.0, class), || self.find_beside(at, class))
    }

    fn find_beside(&self, at: ExprRef, class: ClassId) -> Option<Notice> {
        let node = self.world.module(at.0).class(class);
        let name = node.name.as_deref()?;
        let holds = name.ends_with("ViewModel")
            || node.bases.iter().any(|base| base.name.ends_with("ViewModel"))
            || name.ends_with("Repository");
        if !holds {
            return None;
        }
        let package = &self.world.module(at.0).package;
        self.places.iter().find_map(|(unit, places)| {
            let near = *unit != at.0
                && self.world.module(*unit).language == engine_model::Language::Kotlin
                && (self.world.module(*unit).package == *package
                    || crate::project::folder(self.world.unit(*unit).path)
                        == crate::project::folder(self.world.unit(at.0).path));
            if !near {
                return None;
            }
            let id = places.iter().find(|id| {
                let composed = self
                    .world
                    .index(*unit)
                    .functions_around(**id)
                    .into_iter()
                    .any(|function| {
                        self.world
                            .module(*unit)
                            .function(function)
                            .decorators
                            .iter()
                            .any(|decorator| {
                                let module = self.world.module(*unit);
                                let named = match module.expr(*decorator) {
                                    Expr::Call { callee, .. } => *callee,
                                    _ => *decorator,
                                };
                                matches!(module.expr(named), Expr::Name(name) if &**name == "Composable")
                            })
                    });
                composed && self.reaches(*unit, **id, 0)
            })?;
            Some(notice_at(self.world, *unit, *id))
        })
    }

    /// A notice that a function of the project adds to the answer which it is handed.
    fn in_helpers(&self, at: ExprRef, functions: &[(u32, Option<FunctionRef>)]) -> Option<Notice> {
        let which = *self.flow.answers.get(&at)?;
        for (unit, function) in functions.iter().take(6) {
            for call in calls_in(self.world, *unit, *function).iter().copied().take(200) {
                let Expr::Call { callee, args, .. } = self.world.expr(call) else {
                    continue;
                };
                if call == at {
                    continue;
                }
                let carries = |id: ExprId| self.flow.origins(ExprRef(*unit, id)).answers.contains(which);
                for value in self.world.eval(ExprRef(*unit, *callee)).iter() {
                    if let Value::Function(helper) = value
                        && !functions.contains(&(helper.0, Some(*helper)))
                        && args.iter().any(|arg| carries(arg.value))
                        && let Some(notice) = self.in_function(helper.0, Some(*helper))
                    {
                        return Some(notice);
                    }
                }
            }
        }
        None
    }

    /// Titles and captions of interfaces that a script builds at its top.
    fn in_interface(&self, unit: u32) -> Option<Notice> {
        self.interfaces.get_or(unit, || self.find_in_interface(unit))
    }

    fn find_in_interface(&self, unit: u32) -> Option<Notice> {
        let places = self.places.get(&unit)?;
        let id = places.iter().find(|id| in_interface_call(self.world, unit, **id))?;
        Some(notice_at(self.world, unit, *id))
    }
}

/// Whether a text is given to a library with which a script draws its page.
pub(crate) fn in_interface_call(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    world.index(unit).ancestors(id).any(|parent| {
        let at = ExprRef(unit, parent);
        matches!(world.expr(at), Expr::Call { .. })
            && (is_interface(object_name(world, at)) || matches!(callee_name(world, at), "ChatInterface" | "Markdown"))
    })
}

/// The fixed paths of the routes that functions answer: `/api/analyze` of `POST frontend/app/api/analyze`.
fn routes_of(entries: &[Entry]) -> FxHashMap<FunctionRef, Vec<String>> {
    let mut out: FxHashMap<FunctionRef, Vec<String>> = FxHashMap::default();
    for entry in entries.iter().filter(|entry| entry.kind == EntryPointKind::Http) {
        let Some(function) = entry.function else { continue };
        let name = entry.name.rsplit(' ').next().unwrap_or(&entry.name);
        let path = match name.find("/api/") {
            Some(at) => &name[at..],
            None if name.starts_with('/') => name,
            None => continue,
        };
        let path = path.trim_end_matches('/');
        if path.len() > 3 && !path.contains(['{', '[', ':', '<', '*', '.']) {
            out.entry(function).or_default().push(path.to_owned());
        }
    }
    out
}

/// Whether a file checks what goes in and comes out, by its name.
fn is_guard(path: &str) -> bool {
    const GUARDS: [&str; 6] = [
        "guardrail",
        "guardrails",
        "safety",
        "moderation",
        "boundaries",
        "sanitizer",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    engine_catalogue::words_of(name.split('.').next().unwrap_or(name))
        .iter()
        .any(|word| GUARDS.contains(&word.as_str()))
}

/// What a page of Gradio is described with under a name: `gr.Interface(…, description=DESCRIPTION)`.
fn described(world: &World<'_>) -> Vec<(ExprRef, Notice)> {
    let mut out = Vec::new();
    for unit in 0..crate::values::id(world.units.len()) {
        let module = world.module(unit);
        let draws = |import: &engine_syntax::ir::Import| import.module.split('.').next() == Some("gradio");
        if world.unit(unit).zone != engine_model::Zone::Product || !module.imports.iter().any(draws) {
            continue;
        }
        for call in &world.index(unit).calls {
            let Expr::Call { args, .. } = module.expr(*call) else {
                continue;
            };
            if !is_interface(object_name(world, ExprRef(unit, *call))) {
                continue;
            }
            for arg in args.iter().filter(|arg| {
                matches!(arg.name.as_deref(), Some("title" | "description" | "article"))
                    && matches!(module.expr(arg.value), Expr::Name(_))
            }) {
                let at = ExprRef(unit, arg.value);
                let said = world.eval(at).iter().find_map(|value| match value {
                    Value::Text(parts) => parts.iter().find_map(|part| match part {
                        Part::Known(text) if tells_of_ai(text) && !notices::is_aside(text) => Some(text.to_string()),
                        _ => None,
                    }),
                    _ => None,
                });
                if let Some(text) = said {
                    let notice = Notice {
                        text: notices::excerpt(&text),
                        ..notice_at(world, unit, arg.value)
                    };
                    out.push((at, notice));
                }
            }
        }
    }
    out
}

/// Whether a route tells how a service is doing, by its last part.
fn is_for_checks(route: &str) -> bool {
    const CHECKS: [&str; 12] = [
        "health",
        "healthz",
        "healthcheck",
        "status",
        "metrics",
        "ping",
        "version",
        "ready",
        "readyz",
        "readiness",
        "livez",
        "liveness",
    ];
    let last = route.trim_end_matches('/').rsplit('/').next().unwrap_or(route);
    let flat: String = last.chars().filter(|c| c.is_alphanumeric()).collect();
    CHECKS.contains(&flat.to_ascii_lowercase().as_str())
}

/// The setting of the environment that a part of a text is.
fn setting(world: &World<'_>, at: ExprRef) -> Option<String> {
    if !matches!(world.expr(at), Expr::Name(_) | Expr::Member { .. } | Expr::Index { .. }) {
        return None;
    }
    let name = world.eval(at).iter().find_map(|value| match value {
        Value::Env(name) => Some(name.to_string()),
        Value::Text(parts) => parts.iter().find_map(|part| match part {
            Part::Env(name) => Some(name.to_string()),
            _ => None,
        }),
        _ => None,
    });
    name.filter(|name| is_for_people(name))
}

/// Whether a setting holds words that people read before or behind an answer, by its name.
fn is_for_people(name: &str) -> bool {
    const WORDS: [&str; 11] = [
        "prefix",
        "suffix",
        "header",
        "footer",
        "signature",
        "greeting",
        "title",
        "label",
        "notice",
        "disclaimer",
        "name",
    ];
    const OTHERS: [&str; 10] = [
        "url", "host", "db", "database", "bucket", "model", "user", "key", "file", "path",
    ];
    let words = engine_catalogue::words_of(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    has(&WORDS) && !has(&OTHERS)
}

/// Whether a name is written like that of a constant or of a notice.
fn is_constant_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    name.chars().any(char::is_uppercase)
        || [
            "disclos", "notice", "disclaim", "banner", "greeting", "footer", "hinweis",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

/// What a file tells people that a text names: `readFile("public/help.txt")`.
fn said_in_file(world: &World<'_>, unit: u32, name: &str) -> Option<Notice> {
    /// Bytes of a name of a file.
    const NAME_BYTES_MAX: usize = 200;
    if world.paths.said.is_empty() || name.len() > NAME_BYTES_MAX {
        return None;
    }
    let file = world.paths.said.find(world.unit(unit).path, name)?;
    let (at, line) = line_for_people(&file.text)?;
    Some(Notice {
        file: file.path.clone(),
        line: crate::values::id(at + 1),
        text: notices::excerpt(line),
    })
}

fn notice_at(world: &World<'_>, unit: u32, id: ExprId) -> Notice {
    if let Expr::Str(name) = world.module(unit).expr(id)
        && let Some(said) = said_in_file(world, unit, name)
    {
        return said;
    }
    let text = match world.module(unit).expr(id) {
        Expr::Str(text) => notices::excerpt(text),
        _ => String::new(),
    };
    Notice {
        file: world.unit(unit).path.to_owned(),
        line: world.module(unit).span(id).line,
        text,
    }
}
