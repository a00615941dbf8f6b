//! Output that people read in a place other than the call: stored turns of a chat that are shown with the others, the
//! list of a window that draws itself, messages that another part of the program sends.

use std::collections::BTreeMap;

use engine_catalogue::words_of;
use engine_model::Zone;
use engine_syntax::ir::{Expr, ExprId};
use rustc_hash::{FxHashMap as HashMap, FxHashSet};

use super::talks;
use crate::facts::messengers::Messengers;
use crate::facts::screens::is_window;
use crate::facts::{callee_name, object_name};
use crate::flow::Flow;
use crate::values::{ExprRef, FunctionRef, Value, id};
use crate::world::World;

/// Names under which a turn of a talk holds who says it.
const ROLES: [&str; 8] = [
    "role",
    "sender",
    "participant",
    "author",
    "speaker",
    "from",
    "sendertype",
    "messagetype",
];

/// Whom a turn names that a program says itself.
const ANSWERERS: [&str; 11] = [
    "assistant",
    "ai",
    "bot",
    "chatbot",
    "model",
    "gemini",
    "gpt",
    "chatgpt",
    "claude",
    "llm",
    "aibot",
];

/// Whom a turn names that somebody says to a program.
const ASKERS: [&str; 6] = ["user", "human", "customer", "visitor", "patient", "student"];

/// Marks of a turn that is not a person's, by what they say.
const MARKS: [(&str, bool); 12] = [
    ("isuser", false),
    ("fromuser", false),
    ("isfromuser", false),
    ("isme", false),
    ("ismine", false),
    ("sentbyuser", false),
    ("byuser", false),
    ("isbot", true),
    ("isai", true),
    ("frombot", true),
    ("fromai", true),
    ("isassistant", true),
];

/// Calls by which a row is made. What is added to a history (`add_message`) may be what programs say to each other.
const KEEPS: [&str; 6] = ["create", "create!", "insert", "insertOne", "insert_one", "build"];

/// Calls that draw a field in which somebody writes.
const FIELDS: [&str; 16] = [
    "text_input",
    "text_editor",
    "TextField",
    "OutlinedTextField",
    "BasicTextField",
    "TextArea",
    "JTextField",
    "JTextArea",
    "Entry",
    "CTkEntry",
    "CTkTextbox",
    "QLineEdit",
    "QTextEdit",
    "QPlainTextEdit",
    "TextInput",
    "ScrolledText",
];

/// Entries of a record that are looked into: `create({ data: { role: "assistant", content } })`.
const DEPTH_MAX: u32 = 2;

/// Where answers are seen later.
pub(super) struct Later {
    /// Answers that are kept as the turn of the one who answers, with the place.
    turns: BTreeMap<usize, ExprRef>,
    /// Functions that keep a turn of the one who writes.
    asked: FxHashSet<FunctionRef>,
    /// Files that draw a window with a field to write in, with the field.
    fields: BTreeMap<u32, ExprRef>,
    /// Functions that send something on a platform for messages, with the first place.
    senders: HashMap<FunctionRef, ExprRef>,
}

impl Later {
    pub(super) fn new(world: &World<'_>, flow: &Flow<'_, '_>) -> Self {
        let messengers = Messengers::new(world);
        let mut turns = BTreeMap::new();
        let mut asked = FxHashSet::default();
        let mut fields = BTreeMap::new();
        let mut senders = HashMap::default();
        for unit in 0..id(world.units.len()) {
            if world.unit(unit).zone != Zone::Product {
                continue;
            }
            let index = world.index(unit);
            let window = world
                .module(unit)
                .imports
                .iter()
                .any(|import| is_window(&import.module));
            let speaks = messengers.speaks(unit);
            for call in &index.calls {
                let at = ExprRef(unit, *call);
                if window && is_field(world, at) {
                    fields.entry(unit).or_insert(at);
                }
                if speaks && messengers.sends(world, at) {
                    for function in index.functions_around(*call) {
                        senders.entry(FunctionRef(unit, function)).or_insert(at);
                    }
                }
                if is_turn(world, at, &ASKERS) {
                    asked.extend(
                        index
                            .functions_around(*call)
                            .into_iter()
                            .map(|function| FunctionRef(unit, function)),
                    );
                }
                if is_turn(world, at, &ANSWERERS) {
                    for answer in flow.of_arguments(at).answers.iter() {
                        turns.entry(answer).or_insert(at);
                    }
                }
            }
        }
        Self {
            turns,
            asked,
            fields,
            senders,
        }
    }

    /// Whether the function that keeps the turn of the one who answers keeps one of the person too.
    pub(super) fn keeps_both(&self, world: &World<'_>, kept: ExprRef) -> bool {
        let around = world.index(kept.0).functions_around(kept.1);
        around
            .first()
            .is_some_and(|function| self.asked.contains(&FunctionRef(kept.0, *function)))
    }

    /// Where an answer is kept as a turn of a talk.
    pub(super) fn turn(&self, which: usize) -> Option<ExprRef> {
        self.turns.get(&which).copied()
    }

    /// The field of a window whose file hands over what was written there, in a function that is named for a talk.
    pub(super) fn field(&self, world: &World<'_>, chain: &[FunctionRef]) -> Option<ExprRef> {
        chain
            .iter()
            .filter(|function| world.function(**function).name.as_deref().is_some_and(talks))
            .find_map(|function| self.fields.get(&function.0).copied())
    }

    /// Where one of the functions that lead to a call sends a message.
    pub(super) fn sent(&self, chain: &[FunctionRef]) -> Option<ExprRef> {
        chain.iter().find_map(|function| self.senders.get(function).copied())
    }
}

/// Whether a call draws a field to write in.
fn is_field(world: &World<'_>, at: ExprRef) -> bool {
    let name = callee_name(world, at);
    FIELDS.contains(&name) || matches!(name, "multiline" | "singleline") && object_name(world, at) == "TextEdit"
}

/// Whether a call makes a record of what one of those who talk says: a row, or an object of a class of the project. What is put together for
/// the model itself is of its library.
fn is_turn(world: &World<'_>, at: ExprRef, whom: &[&str]) -> bool {
    let Expr::Call { callee, args, .. } = world.expr(at) else {
        return false;
    };
    let name = callee_name(world, at);
    let made = || {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && world
                .eval(ExprRef(at.0, *callee))
                .iter()
                .any(|value| matches!(value, Value::Class(_)))
    };
    args.iter()
        .any(|arg| names_speaker(world, at.0, arg.name.as_deref(), (arg.value, 0), whom))
        && (KEEPS.contains(&name) || name == "values" && object_name(world, at) == "insert" || made())
}

/// Whether what a record is given names one of those who talk: `role: "assistant"`, `participant = Role.GEMINI`, `isUser = false`.
fn names_speaker(
    world: &World<'_>,
    unit: u32,
    name: Option<&str>,
    (value, depth): (ExprId, u32),
    whom: &[&str],
) -> bool {
    let module = world.module(unit);
    let flat = |name: &str| -> String {
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        letters.collect::<String>().to_ascii_lowercase()
    };
    let key = name.map(flat);
    match module.expr(value) {
        Expr::Map(entries) if depth < DEPTH_MAX => entries.iter().any(|entry| {
            let key = entry.key.and_then(|key| match module.expr(key) {
                Expr::Str(key) | Expr::Name(key) => Some(&**key),
                _ => None,
            });
            names_speaker(world, unit, key, (entry.value, depth + 1), whom)
        }),
        Expr::Str(said) => key.is_some_and(|key| is_role(&key)) && whom.contains(&flat(said).as_str()),
        Expr::Bool(set) => {
            let answers = whom == ANSWERERS;
            key.is_some_and(|key| {
                MARKS
                    .iter()
                    .any(|(mark, of_program)| *mark == key && (of_program == set) == answers)
            })
        }
        Expr::Member { object, name } => {
            let of_roles = matches!(module.expr(*object), Expr::Name(kind) | Expr::Member { name: kind, .. }
                if words_of(kind).iter().any(|word| is_role(word)));
            (key.is_some_and(|key| is_role(&key)) || of_roles) && whom.contains(&flat(name).as_str())
        }
        _ => false,
    }
}

fn is_role(key: &str) -> bool {
    ROLES.contains(&key)
}
