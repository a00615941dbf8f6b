//! PHP functions and frameworks: the model service, the effects and the error handling of a call.

use std::rc::Rc;

use engine_model::{Effect, Language};
use engine_syntax::ir::{ClassId, Expr, ExprId, FunctionId, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{callee_name, object_name, root_name, texts_in};
use crate::index::NONE;
use crate::project::folder;
use crate::values::{ClassRef, ExprRef, Root, Seg, Value};
use crate::world::World;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    User,
    File,
    Database,
}

/// Variables of PHP that hold what the one at the other end sent.
const FROM_USERS: [&str; 6] = ["_POST", "_GET", "_REQUEST", "_COOKIE", "_FILES", "argv"];

/// Methods of a request that hand out a part of it.
const OF_REQUEST: [&str; 32] = [
    "all",
    "any",
    "collect",
    "file",
    "get",
    "getBody",
    "getContent",
    "getParsedBody",
    "getPost",
    "getQueryParams",
    "getVar",
    "get_body",
    "get_body_params",
    "get_json_params",
    "get_param",
    "get_params",
    "getJSON",
    "header",
    "input",
    "json",
    "only",
    "post",
    "query",
    "query_params",
    "request",
    "route",
    "safe",
    "str",
    "string",
    "toArray",
    "validate",
    "validated",
];

/// Methods that read rows, called on a model, a table or a statement.
const READS: [&str; 28] = [
    "all",
    "chunk",
    "cursor",
    "find",
    "findAll",
    "findBy",
    "findMany",
    "findOneBy",
    "findOrFail",
    "first",
    "firstOrFail",
    "firstWhere",
    "get",
    "get_col",
    "get_results",
    "get_row",
    "get_var",
    "getArrayResult",
    "getOneOrNullResult",
    "getResult",
    "latest",
    "paginate",
    "pluck",
    "select",
    "selectOne",
    "sole",
    "value",
    "where",
];

/// Functions that read rows.
const READS_ROWS: [&str; 18] = [
    "get_comment",
    "get_comments",
    "get_post",
    "get_post_field",
    "get_post_meta",
    "get_posts",
    "get_term_meta",
    "get_the_content",
    "get_the_title",
    "get_user_meta",
    "get_userdata",
    "mysqli_fetch_all",
    "mysqli_fetch_array",
    "mysqli_fetch_assoc",
    "mysqli_query",
    "pg_fetch_all",
    "pg_query",
    "wc_get_product",
];

/// Methods of a statement that hand out rows, whatever it is called.
const FETCHES: [&str; 8] = [
    "fetch",
    "fetchAll",
    "fetchAllAssociative",
    "fetchAssociative",
    "fetchColumn",
    "fetch_all",
    "fetch_assoc",
    "fetch_object",
];

/// Methods that write a row.
const WRITES: [&str; 20] = [
    "bindParam",
    "bindValue",
    "bind_param",
    "create",
    "createMany",
    "createQuietly",
    "fill",
    "firstOrCreate",
    "forceCreate",
    "forceFill",
    "insert",
    "insertGetId",
    "insertOrIgnore",
    "persist",
    "save",
    "saveMany",
    "update",
    "updateOrCreate",
    "updateOrInsert",
    "upsert",
];

/// Functions that write a row.
const WRITES_ROWS: [&str; 18] = [
    "add_comment_meta",
    "add_option",
    "add_post_meta",
    "add_user_meta",
    "mysqli_stmt_bind_param",
    "pg_insert",
    "set_transient",
    "update_comment_meta",
    "update_option",
    "update_post_meta",
    "update_term_meta",
    "update_user_meta",
    "wp_insert_comment",
    "wp_insert_post",
    "wp_insert_term",
    "wp_set_object_terms",
    "wp_set_post_tags",
    "wp_update_post",
];

/// Functions that start a program or run code.
const RUNS: [&str; 9] = [
    "eval",
    "exec",
    "passthru",
    "pcntl_exec",
    "popen",
    "proc_open",
    "shell_exec",
    "system",
    "create_function",
];

/// Functions that write into the page.
const SHOWS: [&str; 22] = [
    "back",
    "die",
    "echo",
    "exit",
    "fputs",
    "inertia",
    "jsonResponse",
    "json_response",
    "print",
    "print_r",
    "printf",
    "redirect",
    "rest_ensure_response",
    "response",
    "sendResponse",
    "send_json",
    "view",
    "vprintf",
    "wp_die",
    "wp_send_json",
    "wp_send_json_error",
    "wp_send_json_success",
];

/// Functions and methods that tell whether a request went well.
const TELLS: [&str; 32] = [
    "blank?",
    "clientError",
    "code",
    "dig",
    "error?",
    "failure?",
    "has_key?",
    "is_a?",
    "key?",
    "kind_of?",
    "nil?",
    "ok?",
    "present?",
    "server_error?",
    "success?",
    "successful?",
    "status_code",
    "curl_errno",
    "curl_error",
    "curl_getinfo",
    "failed",
    "getStatusCode",
    "is_wp_error",
    "json_last_error",
    "ok",
    "onError",
    "serverError",
    "status",
    "successful",
    "throwIf",
    "wp_remote_retrieve_response_code",
    "getReasonPhrase",
];

/// Conditions of one function that are looked through, by the parts of each.
const PARTS_MAX: usize = 120;

/// Whether a variable holds what somebody sent, by its name.
pub(crate) fn is_from_users(world: &World<'_>, unit: u32, name: &str) -> bool {
    FROM_USERS.contains(&name) && is_php(world, unit)
}

/// Whether a name stands for a variable that nothing in sight sets: `extract($data)` or a file that requires this one may.
pub(crate) fn is_open_variable(world: &World<'_>, unit: u32, name: &str) -> bool {
    is_php(world, unit) && name.starts_with(|c: char| c.is_lowercase()) && !matches!(name, "this" | "self" | "super")
}

/// Whether a receiver is a component whose fields a page binds to what people write.
pub(crate) fn is_bound_to_a_page(world: &World<'_>, receiver: ExprRef) -> bool {
    is_php(world, receiver.0) && {
        let index = world.index(receiver.0);
        let class = index.class_of_scope(index.expr_scope[receiver.1.0 as usize]);
        class.is_some_and(|class| is_component(world, ClassRef(receiver.0, class)))
    }
}

fn is_component(world: &World<'_>, class: ClassRef) -> bool {
    let module = world.module(class.0);
    module
        .class(class.1)
        .bases
        .iter()
        .any(|base| &*base.name == "Component")
        && module
            .imports
            .iter()
            .any(|import| import.module.starts_with("Livewire"))
}

/// What methods put into lists that fields hold: `$this->messages[] = […]`.
pub(crate) type PutInFields<'m> = FxHashMap<(ClassId, &'m str), Vec<ExprId>>;

/// Values of one field that are looked at.
const PUT_MAX: usize = 24;

/// What methods of the class around put into the list that a field holds.
pub(crate) fn put_into_field(world: &World<'_>, receiver: ExprRef, name: &str) -> Vec<ExprRef> {
    if !is_php(world, receiver.0) {
        return Vec::new();
    }
    let index = world.index(receiver.0);
    let Some(class) = index.class_of_scope(index.expr_scope[receiver.1.0 as usize]) else {
        return Vec::new();
    };
    let put = world.known.put_in_fields.get_or(receiver.0, || {
        let mut out = PutInFields::default();
        for info in &index.stmts {
            if let StmtKind::Assign {
                target: engine_syntax::ir::Pattern::Place(place),
                value: Some(value),
                ..
            } = &info.stmt.kind
                && let Expr::Index { object, .. } = index.module.expr(*place)
                && let Expr::Member { object, name } = index.module.expr(*object)
                && matches!(index.module.expr(*object), Expr::Name(base) if matches!(&**base, "this" | "self"))
                && let Some(class) = index.class_of_scope(index.expr_scope[value.0 as usize])
            {
                let values = out.entry((class, &**name)).or_default();
                if values.len() < PUT_MAX {
                    values.push(*value);
                }
            }
        }
        Rc::new(out)
    });
    let values = put.get(&(class, name)).into_iter().flatten();
    values.map(|value| ExprRef(receiver.0, *value)).collect()
}

/// Values that a component puts into its fields, which its page shows, with the place of each.
pub(crate) fn shown_fields(world: &World<'_>, unit: u32) -> Vec<(ExprRef, ExprRef)> {
    if !is_php(world, unit)
        || !world
            .module(unit)
            .imports
            .iter()
            .any(|import| import.module.starts_with("Livewire"))
    {
        return Vec::new();
    }
    let index = world.index(unit);
    let mut out = Vec::new();
    for info in &index.stmts {
        if let StmtKind::Assign {
            target: engine_syntax::ir::Pattern::Place(place),
            value: Some(value),
            ..
        } = &info.stmt.kind
            && matches!(crate::index::base_name(index.module, *place), Some("this"))
            && is_bound_to_a_page(world, ExprRef(unit, *place))
        {
            out.push((ExprRef(unit, *place), ExprRef(unit, *value)));
        }
    }
    out
}

fn is_php(world: &World<'_>, unit: u32) -> bool {
    world.unit(unit).language == Language::Php
}

/// The name that a chain of calls and members begins with, and whether it is called itself: `Message` of `Message::where(…)->get()`.
fn beginning<'w>(world: &World<'w>, callee: ExprRef) -> (&'w str, ExprId) {
    let module = world.module(callee.0);
    let mut at = callee.1;
    for _ in 0..48 {
        match module.expr(at) {
            Expr::Name(name) => return (name, at),
            Expr::Member { object, .. } | Expr::Index { object, .. } => at = *object,
            Expr::Call { callee, .. } => at = *callee,
            _ => break,
        }
    }
    ("", at)
}

/// Whether a class keeps the rows of a table.
fn is_model(world: &World<'_>, class: ClassRef) -> bool {
    let node = world.module(class.0).class(class.1);
    let path = folder(world.unit(class.0).path);
    node.bases.iter().any(|base| {
        let last = base.name.rsplit('\\').next().unwrap_or(&base.name);
        matches!(
            last,
            "Model" | "Authenticatable" | "Pivot" | "ActiveRecord" | "Eloquent" | "BaseModel"
        )
    }) || path.ends_with("/Models")
        || path == "Models"
}

/// Whether a chain begins with a model, a table or a store of rows.
fn is_of_rows(world: &World<'_>, callee: ExprRef) -> bool {
    let (root, at) = beginning(world, callee);
    if matches!(
        root,
        "DB" | "wpdb" | "pdo" | "PDO" | "mysqli" | "db" | "conn" | "em" | "entityManager"
    ) {
        return true;
    }
    let object = match world.expr(callee) {
        Expr::Member { object, .. } => *object,
        _ => at,
    };
    let values = [world.eval(ExprRef(callee.0, at)), world.eval(ExprRef(callee.0, object))];
    values.iter().flat_map(|values| values.iter()).any(|value| match value {
        Value::Class(class) | Value::Instance(class, _) => is_model(world, *class),
        // A model that lies in a file of which nothing else is known.
        Value::Path(path) => {
            path.root == Root::Import
                && path
                    .segs
                    .iter()
                    .any(|seg| matches!(seg, Seg::Name(name) if &**name == "Models"))
        }
        _ => false,
    })
}

/// Where the result of calling this comes from, if it is a person, a file or a database.
pub(crate) fn source(world: &World<'_>, callee: ExprRef) -> Option<Source> {
    if !is_php(world, callee.0) {
        return None;
    }
    let module = world.module(callee.0);
    let args = || match world.parent(callee).map(|call| world.expr(call)) {
        Some(Expr::Call { args, .. }) => args.as_slice(),
        _ => &[],
    };
    match module.expr(callee.1) {
        Expr::Name(name) => match &**name {
            "request" | "filter_input" | "filter_input_array" | "readline" | "get_query_var" | "old" => {
                Some(Source::User)
            }
            "fgets" => args()
                .first()
                .is_some_and(|arg| matches!(module.expr(arg.value), Expr::Name(name) if &**name == "STDIN"))
                .then_some(Source::User)
                .or(Some(Source::File)),
            "file_get_contents" | "fread" | "file" | "fgetcsv" => {
                let input = args()
                    .first()
                    .is_some_and(|arg| matches!(module.expr(arg.value), Expr::Str(path) if path.starts_with("php://")));
                let address = args().first().is_some_and(|arg| {
                    texts_in(world, ExprRef(callee.0, arg.value))
                        .iter()
                        .any(|text| text.contains("://"))
                });
                match (input, address) {
                    (true, _) => Some(Source::User),
                    (_, true) => None,
                    _ => Some(Source::File),
                }
            }
            name if READS_ROWS.contains(&name) => Some(Source::Database),
            _ => None,
        },
        Expr::Member { object, name } => {
            let object = match module.expr(*object) {
                Expr::Name(object) | Expr::Member { name: object, .. } => &**object,
                Expr::Call { callee, .. } => match module.expr(*callee) {
                    Expr::Name(object) | Expr::Member { name: object, .. } => &**object,
                    _ => "",
                },
                _ => "",
            };
            let of_request = matches!(object, "request" | "req" | "Request" | "Input" | "validator");
            if of_request && OF_REQUEST.contains(&&**name) {
                return Some(Source::User);
            }
            // What a command is started with, or asks for.
            if object == "this" && matches!(&**name, "argument" | "option" | "ask" | "secret" | "anticipate")
                || object == "input" && matches!(&**name, "getArgument" | "getOption" | "get" | "post")
            {
                return Some(Source::User);
            }
            if FETCHES.contains(&&**name) {
                return Some(Source::Database);
            }
            if matches!(object, "Storage" | "File") && matches!(&**name, "get" | "read" | "json") {
                return Some(Source::File);
            }
            (READS.contains(&&**name) && is_of_rows(world, callee)).then_some(Source::Database)
        }
        _ => None,
    }
}

/// What a call does with what it is handed.
pub(crate) fn sink(world: &World<'_>, at: ExprRef) -> Option<Effect> {
    let Expr::Call { callee, args, new } = world.expr(at) else {
        return None;
    };
    let callee = ExprRef(at.0, *callee);
    let name = callee_name(world, at);
    let object = object_name(world, at);
    let own = || !world.callees(at).is_empty();
    if let Expr::Name(_) = world.expr(callee) {
        if *new {
            return match name {
                "Response" | "JsonResponse" | "StreamedResponse" | "WP_REST_Response" | "HtmlResponse" => {
                    Some(Effect::Page)
                }
                "Process" => Some(Effect::Shell),
                _ => None,
            };
        }
        return match name {
            name if RUNS.contains(&name) => Some(Effect::Shell),
            "mail" | "wp_mail" | "mb_send_mail" => Some(Effect::Mail),
            name if WRITES_ROWS.contains(&name) => Some(Effect::Database),
            "fputs" | "echo" | "print" | "printf" | "print_r" | "vprintf" | "exit" | "die"
                if is_run_by_hand(world, at.0) =>
            {
                None
            }
            // Nothing is written to a person where a file is.
            "fputs" => None,
            name if SHOWS.contains(&name) && !own() => Some(Effect::Page),
            "mysqli_query" | "pg_query" => writes_sql(world, at).then_some(Effect::Database),
            _ => None,
        };
    }
    let root = root_name(world, at);
    let mails = matches!(root, "Mail" | "Notification" | "mailer" | "mail" | "phpmailer")
        || matches!(object, "mailer" | "mail" | "Mail");
    if mails
        && matches!(
            name,
            "send" | "raw" | "html" | "queue" | "later" | "sendNow" | "sendMessage" | "notify"
        )
        || matches!(name, "notify" | "notifyNow") && !own()
    {
        return Some(Effect::Mail);
    }
    if matches!(root, "Process" | "Artisan") && matches!(name, "run" | "fromShellCommandline" | "start") {
        return Some(Effect::Shell);
    }
    let rows = || is_of_rows(world, callee);
    // `$chat->messages()->create([…])` makes a row by its relation; a client of others is brought in by an import.
    let relation = || {
        matches!(name, "create" | "createMany" | "save" | "saveMany" | "update" | "fill")
            && !own()
            && !world
                .eval(callee)
                .iter()
                .any(|value| matches!(value, Value::Path(path) if path.root == Root::Import))
    };
    if WRITES.contains(&name) && (rows() || relation())
        || matches!(
            name,
            "execute" | "query" | "prepare" | "statement" | "exec" | "replace" | "unprepared"
        ) && (rows() || matches!(object, "stmt" | "statement" | "pdo" | "db" | "conn" | "query"))
            && (writes_sql(world, at) || name == "execute" && !args.is_empty() || name == "replace")
    {
        return Some(Effect::Database);
    }
    let replies = matches!(
        root,
        "response" | "Response" | "Inertia" | "View" | "redirect" | "back" | "res"
    ) && matches!(
        name,
        "json"
            | "make"
            | "render"
            | "stream"
            | "with"
            | "setBody"
            | "write"
            | "getBody"
            | "eventStream"
            | "send"
            | "setJSON"
    ) || object == "this"
        && matches!(
            name,
            "json" | "render" | "renderView" | "respond" | "sendResponse" | "success"
        )
        && !own()
        // A component tells its page; elsewhere a job is handed to a queue.
        || object == "this" && matches!(name, "dispatch" | "emit" | "stream") && is_bound_to_a_page(world, at);
    replies.then_some(Effect::Page)
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

/// Whether a file is run from the command line, so that what it prints is read by whoever started it.
pub(crate) fn is_run_by_hand(world: &World<'_>, unit: u32) -> bool {
    world.known.by_hand.get_or(unit, || {
        world.module(unit).exprs.iter().any(|expr| {
            matches!(&expr.kind, Expr::Name(name) if matches!(&**name, "argv" | "argc" | "STDIN" | "STDERR" | "STDOUT"))
        })
    })
}

/// A record whose fields were set before: `$message->text = $answer; $message->save();`
pub(crate) fn saved_record(world: &World<'_>, at: ExprRef) -> Option<ExprRef> {
    let Expr::Call { callee, args, .. } = world.expr(at) else {
        return None;
    };
    match world.expr(ExprRef(at.0, *callee)) {
        Expr::Member { object, name }
            if args.is_empty()
                && (is_php(world, at.0) && matches!(&**name, "save" | "saveOrFail" | "saveQuietly" | "push")
                    || super::ruby::is_ruby(world, at.0) && matches!(&**name, "save" | "save!")) =>
        {
            matches!(world.expr(ExprRef(at.0, *object)), Expr::Name(name) if &**name != "this")
                .then_some(ExprRef(at.0, *object))
        }
        _ => None,
    }
}

/// Whether the function around a request looks how it went: `if ($response === false)`, `if (is_wp_error($response))`, `$response->failed()`.
pub(crate) fn looks_how_it_went(world: &World<'_>, at: ExprRef) -> bool {
    if !is_php(world, at.0) && !super::ruby::is_ruby(world, at.0) {
        return false;
    }
    let index = world.index(at.0);
    let module = index.module;
    let stmt = index.expr_stmt[at.1.0 as usize];
    let mut names: Vec<&str> = Vec::new();
    if stmt != NONE
        && let StmtKind::Assign { target, .. } = &index.stmts[stmt as usize].stmt.kind
    {
        names = crate::flow::pattern_names(target);
    }
    // The handle of curl tells as well.
    if let Expr::Call { args, .. } = world.expr(at) {
        names.extend(args.first().and_then(|arg| match module.expr(arg.value) {
            Expr::Name(name) if callee_name(world, at) == "curl_exec" => Some(&**name),
            _ => None,
        }));
    }
    if names.is_empty() {
        return false;
    }
    let function = index.function_of(at.1);
    let asked = world.known.asked_how.get_or(at.0, || Rc::new(asked(world, at.0)));
    names.iter().any(|name| asked.contains(&(function, *name)))
}

/// Names of which a condition of a file asks how a request went, with the function around it.
fn asked<'m>(world: &World<'m>, unit: u32) -> FxHashSet<(Option<FunctionId>, &'m str)> {
    let index = world.index(unit);
    let module = index.module;
    let named = |id: ExprId| match module.expr(id) {
        Expr::Name(name) => Some(&**name),
        _ => None,
    };
    // Whose request a call asks about: `curl_errno($ch)`, `$response->failed()`.
    let about = |id: ExprId| -> Vec<&'m str> {
        let Expr::Call { callee, args, .. } = module.expr(id) else {
            return Vec::new();
        };
        let called = callee_name(world, ExprRef(unit, id));
        if !TELLS.contains(&called) && !matches!(called, "empty" | "isset") {
            return Vec::new();
        }
        let on = match module.expr(*callee) {
            Expr::Member { object, .. } => named(*object),
            _ => None,
        };
        on.into_iter()
            .chain(args.first().and_then(|arg| named(arg.value)))
            .collect()
    };
    // What such a function gives may be kept under a name that is asked later: `$error = curl_error($ch)`.
    let mut told: FxHashMap<(Option<FunctionId>, &str), Vec<&'m str>> = FxHashMap::default();
    for info in &index.stmts {
        if let StmtKind::Assign {
            target,
            value: Some(value),
            ..
        } = &info.stmt.kind
        {
            let of = about(*value);
            for name in crate::flow::pattern_names(target) {
                if !of.is_empty() {
                    told.insert((index.function_of(*value), name), of.clone());
                }
            }
        }
    }
    let mut out = FxHashSet::default();
    for (condition, _) in &index.conditions {
        let function = index.function_of(*condition);
        let mut stack = vec![*condition];
        let mut steps = 0;
        while let Some(id) = stack.pop() {
            steps += 1;
            if steps > PARTS_MAX {
                break;
            }
            match module.expr(id) {
                // `if ($response)`
                Expr::Name(name) => {
                    if id == *condition {
                        out.insert((function, &**name));
                    }
                    let of = told.get(&(function, &**name)).into_iter().flatten();
                    out.extend(of.map(|name| (function, *name)));
                }
                // `if (!$response)`, `if ($response === false)`
                Expr::Test(parts)
                    if parts
                        .iter()
                        .all(|part| matches!(module.expr(*part), Expr::Name(_) | Expr::Bool(_) | Expr::Null)) =>
                {
                    out.extend(
                        parts
                            .iter()
                            .filter_map(|part| named(*part))
                            .map(|name| (function, name)),
                    );
                }
                Expr::Call { .. } => out.extend(about(id).into_iter().map(|name| (function, name))),
                _ => {}
            }
            stack.extend(module.children(id));
        }
    }
    out
}
