//! Ruby methods and frameworks: the model service, the effects and the error handling of a call.

use engine_model::{Effect, Language};
use engine_syntax::ir::{ClassId, Expr, Pattern, StmtKind};

use super::php::Source;
use super::{callee_name, object_name, root_name, texts_in};
use crate::project::folder;
use crate::shapes;
use crate::values::{ClassRef, ExprRef, Root, Seg, Value};
use crate::world::World;

/// Methods that read rows, called on a model, a relation or a table.
const READS: [&str; 28] = [
    "all",
    "distinct",
    "eager_load",
    "find",
    "find_by",
    "find_by!",
    "find_by_id",
    "find_each",
    "find_or_initialize_by",
    "find_sole_by",
    "first",
    "group",
    "includes",
    "joins",
    "last",
    "limit",
    "newest",
    "order",
    "pick",
    "pluck",
    "preload",
    "recent",
    "select",
    "sole",
    "take",
    "unscoped",
    "where",
    "with_attached_file",
];

/// Methods that write a row.
const WRITES: [&str; 23] = [
    "assign_attributes",
    "create",
    "create_or_find_by",
    "find_or_create_by",
    "first_or_create",
    "import",
    "insert",
    "insert_all",
    "insert_all!",
    "save",
    "touch",
    "update",
    "update_all",
    "update_attribute",
    "update_attributes",
    "update_column",
    "update_columns",
    "update_or_create_by",
    "upsert",
    "upsert_all",
    "store",
    "append_to",
    "toggle",
];

/// Methods that only a record or a relation has.
const ONLY_ROWS: [&str; 12] = [
    "find_or_create_by",
    "create_or_find_by",
    "first_or_create",
    "insert_all",
    "insert_all!",
    "update_all",
    "update_attribute",
    "update_column",
    "update_columns",
    "upsert_all",
    "update_attributes",
    "assign_attributes",
];

/// Methods that write into a page, called on nothing or on the controller itself.
const SHOWS: [&str; 16] = [
    "body",
    "erb",
    "flash",
    "haml",
    "halt",
    "json",
    "redirect",
    "redirect_back",
    "redirect_to",
    "render",
    "render_json",
    "send_data",
    "slim",
    "stream_chunk",
    "success",
    "turbo_stream",
];

/// Methods by which a page that is open already is told something.
const BROADCASTS: [&str; 22] = [
    "broadcast",
    "broadcast_action",
    "broadcast_action_to",
    "broadcast_after_to",
    "broadcast_append",
    "broadcast_append_later",
    "broadcast_append_later_to",
    "broadcast_append_to",
    "broadcast_before_to",
    "broadcast_prepend",
    "broadcast_prepend_to",
    "broadcast_render",
    "broadcast_render_later_to",
    "broadcast_render_to",
    "broadcast_replace",
    "broadcast_replace_later_to",
    "broadcast_replace_to",
    "broadcast_stream_to",
    "broadcast_to",
    "broadcast_update",
    "broadcast_update_later_to",
    "broadcast_update_to",
];

/// Words of a class by which failures of all of its methods are handled.
const HANDLES: [&str; 4] = ["rescue_from", "retry_on", "discard_on", "sidekiq_retries_exhausted"];

/// Classes above one another that are asked.
const BASES_MAX: usize = 4;

pub(crate) fn is_ruby(world: &World<'_>, unit: u32) -> bool {
    world.unit(unit).language == Language::Ruby
}

/// Whether a class, or one that it extends, extends one of these by name.
pub(crate) fn extends(world: &World<'_>, class: ClassRef, wanted: &[&str]) -> bool {
    let mut at = class;
    for _ in 0..BASES_MAX {
        let node = world.module(at.0).class(at.1);
        if node.bases.iter().any(|base| wanted.contains(&&*base.name)) {
            return true;
        }
        let above = node.bases.iter().find_map(|base| world.project_class(at.0, base));
        match above {
            Some(above) if above != at && above != class => at = above,
            _ => return false,
        }
    }
    false
}

/// Whether a class keeps the rows of a table.
fn is_model(world: &World<'_>, class: ClassRef) -> bool {
    let path = folder(world.unit(class.0).path);
    extends(
        world,
        class,
        &[
            "ApplicationRecord",
            "ActiveRecord.Base",
            "Sequel.Model",
            "Mongoid.Document",
        ],
    ) || path.ends_with("app/models")
        || path.contains("app/models/")
}

/// The expression that a chain of calls begins with.
fn beginning(world: &World<'_>, at: ExprRef) -> ExprRef {
    let module = world.module(at.0);
    let mut id = at.1;
    for _ in 0..48 {
        match module.expr(id) {
            // `Admin::Log` is one name.
            Expr::Member { name, .. } if name.starts_with(char::is_uppercase) => break,
            Expr::Member { object, .. } | Expr::Index { object, .. } => id = *object,
            Expr::Call { callee, new: false, .. } => id = *callee,
            _ => break,
        }
    }
    ExprRef(at.0, id)
}

/// Whether a chain begins with the name of a model, as far as one can tell.
fn is_of_rows(world: &World<'_>, callee: ExprRef) -> bool {
    let start = beginning(world, callee);
    let constant = matches!(world.expr(start), Expr::Name(name) | Expr::Member { name, .. } if name.starts_with(char::is_uppercase));
    if !constant {
        return false;
    }
    world.eval(start).iter().any(|value| match value {
        Value::Class(class) => is_model(world, *class),
        // A model that lies in a file of which nothing else is known.
        Value::Path(path) => matches!(
            path.segs.as_slice(),
            [Seg::Name(only)] if path.root == Root::Import && is_word(only) && !shapes::knows_root(Language::Ruby, only)
        ),
        _ => false,
    })
}

/// Whether a name may be one of a model, and is none of Ruby itself.
fn is_word(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_lowercase())
        && !matches!(
            name,
            "File"
                | "Dir"
                | "IO"
                | "Time"
                | "Date"
                | "Rails"
                | "Struct"
                | "Hash"
                | "Array"
                | "Set"
                | "Thread"
                | "Logger"
                | "Tempfile"
                | "Open3"
                | "Kernel"
                | "Process"
                | "Redis"
                | "Resque"
                | "Sidekiq"
                | "Nokogiri"
                | "Stripe"
                | "Faraday"
                | "Turbo"
        )
}

/// Whether what a method is called on belongs to a library of which something is known, and is no record.
fn is_foreign(world: &World<'_>, callee: ExprRef) -> bool {
    world.eval(callee).iter().any(|value| {
        matches!(value, Value::Path(path) if path.root == Root::Import
            && matches!(path.segs.first(), Some(Seg::Name(root)) if shapes::knows_root(Language::Ruby, root)
                && !path.has_name("ActsAsChat")))
    })
}

/// Where the result of calling this comes from, if it is a person, a file or a database.
pub(crate) fn source(world: &World<'_>, callee: ExprRef) -> Option<Source> {
    if !is_ruby(world, callee.0) {
        return None;
    }
    match world.expr(callee) {
        Expr::Name(name) => match &**name {
            "params" | "gets" | "cookies" | "readline" => world
                .parent(callee)
                .is_none_or(|call| world.callees(call).is_empty())
                .then_some(Source::User),
            _ => None,
        },
        Expr::Member { object, name } => {
            let of = match world.expr(ExprRef(callee.0, *object)) {
                Expr::Name(of) | Expr::Member { name: of, .. } => &**of,
                Expr::Call { callee: inner, .. } => match world.expr(ExprRef(callee.0, *inner)) {
                    Expr::Name(of) | Expr::Member { name: of, .. } => &**of,
                    _ => "",
                },
                _ => "",
            };
            match (of, &**name) {
                ("request", "body" | "raw_post" | "params" | "query_parameters" | "request_parameters" | "headers")
                | ("STDIN" | "$stdin" | "Readline" | "Reline" | "ARGF", _)
                | ("prompt" | "cli" | "HighLine" | "TTY", "ask" | "multiline")
                | ("event" | "message" | "data", "text" | "content" | "body_text") => Some(Source::User),
                ("File" | "IO" | "Pathname", "read" | "readlines" | "binread" | "foreach" | "open")
                | ("CSV", "read" | "parse") => Some(Source::File),
                _ => (READS.contains(&&**name) && is_of_rows(world, callee)).then_some(Source::Database),
            }
        }
        _ => None,
    }
}

/// What a call does with what it is handed.
pub(crate) fn sink(world: &World<'_>, at: ExprRef, interactive: bool) -> Option<Effect> {
    let Expr::Call { callee, args, new } = world.expr(at) else {
        return None;
    };
    if *new {
        return None;
    }
    let callee = ExprRef(at.0, *callee);
    let name = callee_name(world, at);
    let object = object_name(world, at);
    let given = args.iter().any(|arg| arg.name.as_deref() != Some("block"));
    let own = || !world.callees(at).is_empty();
    if matches!(world.expr(callee), Expr::Name(_)) {
        return match name {
            "system" | "exec" | "spawn" | "eval" | "instance_eval" | "class_eval" if given && !own() => {
                Some(Effect::Shell)
            }
            "mail" if given && !own() => Some(Effect::Mail),
            "transmit" if given && !own() => Some(Effect::Page),
            "puts" | "print" | "p" | "pp" | "say" | "printf" if interactive && !own() => Some(Effect::Page),
            // What one's own class does is told where it does it.
            name if BROADCASTS.contains(&name) && given && !own() => Some(Effect::Page),
            name if SHOWS.contains(&name) && given && !own() && serves(world, at) => Some(Effect::Page),
            name if WRITES.contains(&name) && given && !own() && in_model(world, at) => Some(Effect::Database),
            _ => None,
        };
    }
    if matches!(object, "Open3" | "PTY" | "Kernel" | "Process" | "IO" | "binding") && given {
        let runs = matches!(
            name,
            "capture2"
                | "capture2e"
                | "capture3"
                | "popen2"
                | "popen2e"
                | "popen3"
                | "popen"
                | "pipeline"
                | "spawn"
                | "system"
                | "exec"
                | "eval"
        );
        if runs {
            return Some(Effect::Shell);
        }
    }
    if matches!(name, "instance_eval" | "class_eval" | "module_eval") && given && !own() {
        return Some(Effect::Shell);
    }
    if matches!(name, "deliver_now" | "deliver_later" | "deliver_now!")
        || name == "deliver" && root_name(world, at).ends_with("Mailer")
    {
        return Some(Effect::Mail);
    }
    let to_people = matches!(
        name,
        "chat_postMessage"
            | "chat_postEphemeral"
            | "chat_update"
            | "send_message"
            | "send_photo"
            | "edit_message_text"
            | "reply_message"
            | "push_message"
            | "respond"
            | "send_sms"
    ) && matches!(
        object,
        "api" | "client" | "web_client" | "event" | "channel" | "bot" | "messaging_api" | "slack" | "line_bot" | "data"
    ) || name == "create"
        && object == "messages"
        && root_name(world, at) != "OpenAI"
        && of_twilio(world, callee)
        || name == "say" && object == "client" && given
        || matches!(name, "respond" | "send_message" | "edit_response") && matches!(object, "event" | "e")
        || name == "post" && object == "notifier";
    if to_people && !is_foreign(world, callee) {
        return Some(Effect::Mail);
    }
    if BROADCASTS.contains(&name) && given
        || object == "turbo_stream" && matches!(name, "append" | "prepend" | "replace" | "update" | "before" | "after")
        || matches!(name, "write" | "push")
            && matches!(object, "stream" | "sse" | "out" | "response")
            && serves(world, at)
        || object == "self" && SHOWS.contains(&name) && serves(world, at)
    {
        return Some(Effect::Page);
    }
    if matches!(name, "puts" | "print" | "write") && matches!(object, "$stdout" | "STDOUT") && interactive {
        return Some(Effect::Page);
    }
    let rows = || is_of_rows(world, callee);
    if ONLY_ROWS.contains(&name) && given && !own() && !is_foreign(world, callee) {
        return Some(Effect::Database);
    }
    if WRITES.contains(&name) && !own() && !is_foreign(world, callee) {
        let saved = name == "save" && !given;
        // `chat.messages.create!(…)` makes a row by its relation; a constant has to be a model.
        let start = beginning(world, callee);
        let constant = matches!(world.expr(start), Expr::Name(name) | Expr::Member { name, .. } if name.starts_with(char::is_uppercase));
        // A digest is updated with a text, a record with its columns.
        let columns = args
            .iter()
            .any(|arg| arg.spread || arg.name.as_deref().is_some_and(|name| name != "block"));
        let relation = matches!(name, "create" | "update") && columns && !constant && is_record_like(world, callee);
        if saved || given && (rows() || relation) {
            return Some(Effect::Database);
        }
    }
    if matches!(name, "execute" | "exec_query" | "exec_params" | "exec" | "run")
        && matches!(object, "connection" | "db" | "conn" | "DB" | "pg")
        && writes_sql(world, at)
    {
        return Some(Effect::Database);
    }
    None
}

/// Whether what a method is called on is written like a record or a relation: a field, a variable or what a method without arguments gives.
fn is_record_like(world: &World<'_>, callee: ExprRef) -> bool {
    let Expr::Member { object, .. } = world.expr(callee) else {
        return false;
    };
    let object = ExprRef(callee.0, *object);
    match world.expr(object) {
        Expr::Name(name) => !matches!(
            &**name,
            "client" | "digest" | "hash" | "sha" | "hmac" | "progress" | "bar"
        ),
        Expr::Member { .. } => true,
        Expr::Call { args, new, .. } => !*new && args.is_empty(),
        _ => false,
    }
}

fn of_twilio(world: &World<'_>, callee: ExprRef) -> bool {
    world
        .eval(callee)
        .iter()
        .any(|value| matches!(value, Value::Path(path) if path.has_name("Twilio")))
}

/// Whether a text of SQL in a call changes something.
fn writes_sql(world: &World<'_>, at: ExprRef) -> bool {
    texts_in(world, at).iter().any(|text| {
        let upper = text.trim_start().to_ascii_uppercase();
        ["INSERT", "UPDATE", "DELETE", "REPLACE"]
            .iter()
            .any(|verb| upper.starts_with(verb))
    })
}

/// Whether code answers requests: a controller, a route, or a part of one that controllers include.
fn serves(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    let Some(class) = index.class_of_scope(index.expr_scope[at.1.0 as usize]) else {
        return true;
    };
    is_controller(world, ClassRef(at.0, class))
}

/// Whether a class answers requests.
pub(crate) fn is_controller(world: &World<'_>, class: ClassRef) -> bool {
    let path = world.unit(class.0).path;
    let node = world.module(class.0).class(class.1);
    node.name.as_deref().is_some_and(|name| name.ends_with("Controller"))
        || path.contains("app/controllers/")
        || path.contains("app/channels/")
        || extends(
            world,
            class,
            &[
                "ActionController.Base",
                "ActionController.API",
                "ApplicationController",
                "Sinatra.Base",
                "Sinatra.Application",
                "Grape.API",
                "Roda",
                "Hanami.Action",
                "ApplicationCable.Channel",
                "ActionCable.Channel.Base",
            ],
        )
}

fn in_model(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    let class = index.class_of_scope(index.expr_scope[at.1.0 as usize]);
    class.is_some_and(|class| is_model(world, ClassRef(at.0, class)))
}

/// The block of a request in which a function is told to hear the pieces of its answer: `request.options.on_data = proc { |piece| … }`.
pub(crate) fn request_heard_by(world: &World<'_>, place: ExprRef) -> Option<ExprRef> {
    if !is_ruby(world, place.0) {
        return None;
    }
    let index = world.index(place.0);
    let info = index.stmts.get(index.expr_stmt[place.1.0 as usize] as usize)?;
    let StmtKind::Assign {
        target: Pattern::Place(target),
        value: Some(value),
        ..
    } = &info.stmt.kind
    else {
        return None;
    };
    let hears =
        *value == place.1 && matches!(index.module.expr(*target), Expr::Member { name, .. } if &**name == "on_data");
    let block = index.function_of(*target).filter(|_| hears)?;
    index.function_expr[block.0 as usize].map(|block| ExprRef(place.0, block))
}

/// Values that an action of a controller keeps for its view, with the place of each: `@answer = …`.
pub(crate) fn kept_for_views(world: &World<'_>, unit: u32) -> Vec<(ExprRef, ExprRef)> {
    if !is_ruby(world, unit) {
        return Vec::new();
    }
    let index = world.index(unit);
    let mut out = Vec::new();
    for info in &index.stmts {
        if let StmtKind::Assign {
            target: Pattern::Place(place),
            value: Some(value),
            ..
        } = &info.stmt.kind
            && let Expr::Member { object, .. } = index.module.expr(*place)
            && matches!(index.module.expr(*object), Expr::Name(own) if &**own == "self")
            && let Some(function) = index.function_of(*value)
            && index.module.function(function).exported
            && let Some(class) = index.module.function(function).class
            && index
                .module
                .class(class)
                .name
                .as_deref()
                .is_some_and(|name| name.ends_with("Controller"))
        {
            out.push((ExprRef(unit, *place), ExprRef(unit, *value)));
        }
    }
    out
}

/// Whether the class around a call handles failures of all of its methods: `rescue_from`, `retry_on`.
pub(crate) fn is_handled_by_class(world: &World<'_>, at: ExprRef) -> bool {
    if !is_ruby(world, at.0) {
        return false;
    }
    let index = world.index(at.0);
    let Some(class) = index.class_of_scope(index.expr_scope[at.1.0 as usize]) else {
        return false;
    };
    let mut class = ClassRef(at.0, class);
    for _ in 0..BASES_MAX {
        if says(world, class, &HANDLES) {
            return true;
        }
        let node = world.module(class.0).class(class.1);
        let above = node.bases.iter().find_map(|base| world.project_class(class.0, base));
        match above {
            Some(above) if above != class => class = above,
            _ => return false,
        }
    }
    false
}

/// Whether a class calls one of these words while it is declared.
pub(crate) fn says(world: &World<'_>, class: ClassRef, words: &[&str]) -> bool {
    said(world, class).any(|call| words.contains(&callee_name(world, call)))
}

/// What a class calls while it is declared.
pub(crate) fn said<'w>(world: &'w World<'_>, class: ClassRef) -> impl Iterator<Item = ExprRef> + 'w {
    let module = world.module(class.0);
    let methods = module.class(ClassId(class.1.0)).methods.iter().copied();
    methods
        .filter(move |method| module.function(*method).name.as_deref() == Some("<clinit>"))
        .flat_map(move |method| world.index(class.0).calls_of(Some(method)))
        .map(move |call| ExprRef(class.0, call))
}
