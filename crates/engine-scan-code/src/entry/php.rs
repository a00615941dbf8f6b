//! Where PHP is started or reached: routes, controllers, commands, jobs, components, hooks of `WordPress`, and pages by themselves.

use engine_model::{EntryPointKind, Language};
use engine_syntax::ir::{Class, Expr, ExprId, StmtKind};

use super::Entry;
use crate::facts::php::is_from_users;
use crate::values::{ClassRef, ExprRef, FunctionRef, Value};
use crate::world::World;

/// Methods of a router that take a path and what answers it.
const VERBS: [&str; 14] = [
    "any",
    "apiResource",
    "delete",
    "get",
    "head",
    "map",
    "match",
    "options",
    "patch",
    "post",
    "put",
    "resource",
    "view",
    "add",
];

/// Methods of a plugin's own loader that are named after what they hook.
const HOOKS: [&str; 3] = ["add_action", "add_filter", "add_shortcode"];

/// What a router is called.
const ROUTERS: [&str; 7] = ["Route", "router", "app", "group", "routes", "r", "Router"];

/// All entry points of a file of PHP.
pub(super) fn entries(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    if world.unit(unit).language != Language::Php {
        return;
    }
    classes(world, unit, out);
    registered(world, unit, out);
    page(world, unit, out);
}

fn last(name: &str) -> &str {
    name.rsplit(['\\', '.']).next().unwrap_or(name)
}

/// What the methods of a class are called by, if a framework calls them.
fn called_by(class: &Class, path: &str) -> Option<(EntryPointKind, &'static [&'static str])> {
    let name = class.name.as_deref().unwrap_or("");
    let extends = |wanted: &[&str]| class.bases.iter().any(|base| wanted.contains(&last(&base.name)));
    if extends(&[
        "Controller",
        "AbstractController",
        "BaseController",
        "ResourceController",
        "WP_REST_Controller",
    ]) || name.ends_with("Controller")
        || path.contains("/Controllers/")
    {
        return Some((EntryPointKind::Http, &[]));
    }
    if extends(&["Component", "Page", "SimplePage", "Widget"]) {
        return Some((EntryPointKind::Page, &[]));
    }
    if extends(&["Command"]) {
        return Some((EntryPointKind::Command, &["handle", "execute", "__invoke"]));
    }
    if extends(&["ShouldQueue", "Job"]) || path.contains("/Jobs/") || path.contains("/Listeners/") {
        return Some((EntryPointKind::Job, &["handle", "__invoke"]));
    }
    if extends(&["MessageHandlerInterface"]) || path.contains("/MessageHandler/") {
        return Some((EntryPointKind::Job, &["__invoke"]));
    }
    None
}

/// Whether a framework finds a class by its name, its base or the folder that it lies in.
pub(crate) fn is_found_by_place(class: &Class, path: &str) -> bool {
    const FOLDERS: [&str; 14] = [
        "Listeners",
        "Policies",
        "Observers",
        "Subscribers",
        "EventListener",
        "EventSubscriber",
        "Middleware",
        "Filters",
        "Hooks",
        "Commands",
        "Providers",
        "Plugin",
        "Plugins",
        "Components",
    ];
    called_by(class, path).is_some() || path.split('/').any(|folder| FOLDERS.contains(&folder))
}

fn classes(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let module = world.module(unit);
    for class in &module.classes {
        let Some((kind, names)) = called_by(class, world.unit(unit).path) else {
            continue;
        };
        for method in &class.methods {
            let node = module.function(*method);
            let name = node.name.as_deref().unwrap_or("");
            let magic = name.starts_with('<') || name.starts_with("__") && name != "__invoke";
            if magic || !node.exported || !names.is_empty() && !names.contains(&name) {
                continue;
            }
            out.push(Entry {
                kind,
                name: format!("{}.{name}", class.name.as_deref().unwrap_or("")),
                unit,
                line: node.span.line,
                function: Some(FunctionRef(unit, *method)),
            });
        }
    }
    // `#[Route('/ask')]`
    for function in world.functions(unit) {
        let node = world.function(function);
        for decorator in &node.decorators {
            let Expr::Call { callee, args, .. } = module.expr(*decorator) else {
                continue;
            };
            if !matches!(module.expr(*callee), Expr::Name(name) if matches!(&**name, "Route" | "Get" | "Post" | "Put"))
            {
                continue;
            }
            let path = args.iter().find_map(|arg| match module.expr(arg.value) {
                Expr::Str(path) if path.starts_with('/') => Some(path.to_string()),
                _ => None,
            });
            out.push(Entry {
                kind: EntryPointKind::Http,
                name: path.unwrap_or_else(|| node.name.as_deref().unwrap_or("handler").to_owned()),
                unit,
                line: node.span.line,
                function: Some(function),
            });
        }
    }
}

/// What a router or a hook is handed: a closure, the name of a function, `[Class::class, 'method']`, `'Class@method'`.
fn handlers(world: &World<'_>, at: ExprRef) -> Vec<FunctionRef> {
    let method = |class: ClassRef, name: &str| world.method(class, name);
    match world.expr(at) {
        Expr::Function(function) => vec![FunctionRef(at.0, *function)],
        Expr::List(parts) => {
            let [of, name] = parts.as_slice() else {
                return Vec::new();
            };
            let Expr::Str(name) = world.expr(ExprRef(at.0, *name)) else {
                return Vec::new();
            };
            let of = match world.expr(ExprRef(at.0, *of)) {
                Expr::Member { object, name } if &**name == "class" => *object,
                _ => *of,
            };
            world
                .eval(ExprRef(at.0, of))
                .iter()
                .flat_map(|value| match value {
                    Value::Class(class) | Value::Instance(class, _) => method(*class, name),
                    _ => Vec::new(),
                })
                .collect()
        }
        Expr::Member { object, name } if &**name == "class" => world
            .eval(ExprRef(at.0, *object))
            .iter()
            .flat_map(|value| match value {
                Value::Class(class) => [method(*class, "__invoke"), method(*class, "render")].concat(),
                _ => Vec::new(),
            })
            .collect(),
        Expr::Str(text) => match text.split_once('@') {
            Some((class, name)) => world
                .class_near(at.0, last(class))
                .map(|class| method(class, name))
                .unwrap_or_default(),
            None => world
                .lookup(at.0, 0, text)
                .iter()
                .filter_map(|value| match value {
                    Value::Function(function) => Some(*function),
                    _ => None,
                })
                .collect(),
        },
        Expr::Map(entries) => entries
            .iter()
            .filter(|entry| {
                entry.key.is_some_and(
                    |key| matches!(world.module(at.0).expr(key), Expr::Str(key) if matches!(&**key, "callback" | "uses")),
                )
            })
            .flat_map(|entry| handlers(world, ExprRef(at.0, entry.value)))
            .collect(),
        _ => Vec::new(),
    }
}

/// What a loader is handed to hook later: `$this->loader->add_action('wp_ajax_ask', $plugin, 'answer')`.
fn kept_for_later(world: &World<'_>, at: ExprRef) -> Vec<FunctionRef> {
    let Expr::Call { args, .. } = world.expr(at) else {
        return Vec::new();
    };
    let [_, of, name, ..] = args.as_slice() else {
        return Vec::new();
    };
    let Expr::Str(name) = world.expr(ExprRef(at.0, name.value)) else {
        return Vec::new();
    };
    world
        .eval(ExprRef(at.0, of.value))
        .iter()
        .flat_map(|value| match value {
            Value::Class(class) | Value::Instance(class, _) => world.method(*class, name),
            _ => Vec::new(),
        })
        .collect()
}

fn registered(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let module = world.module(unit);
    for call in &world.index(unit).calls {
        let at = ExprRef(unit, *call);
        let Expr::Call { callee, args, .. } = world.expr(at) else {
            continue;
        };
        let text = args.iter().take(2).find_map(|arg| match module.expr(arg.value) {
            Expr::Str(text) => Some(&**text),
            _ => None,
        });
        let Some(text) = text else { continue };
        let kind = match module.expr(*callee) {
            Expr::Member { object, name } if VERBS.contains(&&**name) && is_router(world, unit, *object) => {
                EntryPointKind::Http
            }
            // The loader of a plugin takes what holds the method and its name apart, and hooks all it was given later.
            Expr::Member { name, .. } if HOOKS.contains(&&**name) => {
                let kind = if &**name == "add_shortcode" {
                    EntryPointKind::Page
                } else {
                    hook(text)
                };
                for handler in kept_for_later(world, at) {
                    out.push(Entry {
                        kind,
                        name: text.to_owned(),
                        unit,
                        line: world.span(at).line,
                        function: Some(handler),
                    });
                }
                continue;
            }
            Expr::Name(name) => match &**name {
                "register_rest_route" => EntryPointKind::Http,
                "add_shortcode" => EntryPointKind::Page,
                "add_action" | "add_filter" => hook(text),
                _ => continue,
            },
            _ => continue,
        };
        for arg in args.iter().skip(1) {
            for handler in handlers(world, ExprRef(unit, arg.value)) {
                out.push(Entry {
                    kind,
                    name: text.to_owned(),
                    unit,
                    line: world.span(at).line,
                    function: Some(handler),
                });
            }
        }
    }
}

/// What a hook of `WordPress` is called for.
fn hook(name: &str) -> EntryPointKind {
    if name.starts_with("wp_ajax") || name.starts_with("admin_post") || name.contains("rest_api") {
        EntryPointKind::Http
    } else if [
        "save_post",
        "publish",
        "cron",
        "schedule",
        "transition_post",
        "comment_post",
        "wp_insert",
    ]
    .iter()
    .any(|word| name.contains(word))
    {
        EntryPointKind::Job
    } else {
        EntryPointKind::Page
    }
}

/// Whether a chain begins with a router.
fn is_router(world: &World<'_>, unit: u32, object: ExprId) -> bool {
    let module = world.module(unit);
    let mut at = object;
    for _ in 0..16 {
        match module.expr(at) {
            Expr::Name(name) => return ROUTERS.contains(&&**name),
            Expr::Member { object, name } if ROUTERS.contains(&&**name) => {
                return matches!(module.expr(*object), Expr::Name(name) if &**name == "this");
            }
            Expr::Member { object, .. } => at = *object,
            Expr::Call { callee, .. } => at = *callee,
            _ => return false,
        }
    }
    false
}

/// A file that runs when it is asked for: it reads what was sent, or writes a page; else it is started by hand.
fn page(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let module = world.module(unit);
    let index = world.index(unit);
    let runs = index.calls.iter().any(|call| index.function_of(*call).is_none());
    if !runs {
        return;
    }
    let shows = module.body.iter().any(|stmt| {
        matches!(&stmt.kind, StmtKind::Expr(id) if matches!(module.expr(*id), Expr::Call { callee, .. }
            if matches!(module.expr(*callee), Expr::Name(name) if &**name == "echo")))
    });
    let by_hand = module
        .exprs
        .iter()
        .any(|expr| matches!(&expr.kind, Expr::Name(name) if matches!(&**name, "argv" | "argc" | "STDIN")));
    let asked = module.exprs.iter().any(|expr| match &expr.kind {
        Expr::Name(name) => is_from_users(world, unit, name),
        Expr::Str(text) => &**text == "php://input",
        _ => false,
    });
    let kind = if by_hand || !(shows || asked) {
        EntryPointKind::Main
    } else {
        EntryPointKind::Http
    };
    out.push(Entry {
        kind,
        name: world.unit(unit).path.to_owned(),
        unit,
        line: 1,
        function: None,
    });
}
