//! Where Ruby is started or reached: controllers, routes, channels, jobs, tasks, callbacks, bots, and files by themselves.

use engine_model::{EntryPointKind, Language};
use engine_syntax::ir::{ClassId, Expr};

use super::Entry;
use crate::facts::ruby::{extends, is_controller, said};
use crate::facts::{callee_name, object_name};
use crate::values::{ClassRef, ExprRef, FunctionRef, id};
use crate::world::World;

/// Words by which a route is declared.
const VERBS: [&str; 6] = ["get", "post", "put", "patch", "delete", "route"];

/// Words by which a class says what is done when something happens to it.
const CALLBACKS: [&str; 20] = [
    "after_action",
    "after_commit",
    "after_create",
    "after_create_commit",
    "after_destroy",
    "after_find",
    "after_initialize",
    "after_save",
    "after_save_commit",
    "after_touch",
    "after_update",
    "after_update_commit",
    "around_action",
    "around_perform",
    "before_action",
    "before_create",
    "before_save",
    "before_update",
    "before_validation",
    "validate",
];

/// All entry points of a file of Ruby.
pub(super) fn entries(world: &World<'_>, unit: u32, speaks: bool, out: &mut Vec<Entry>) {
    if world.unit(unit).language != Language::Ruby {
        return;
    }
    for class in 0..world.module(unit).classes.len() {
        of_class(world, ClassRef(unit, ClassId(id(class))), out);
    }
    registered(world, unit, speaks, out);
    started(world, unit, out);
}

/// What the methods of a class are called by, if a framework calls them.
fn called_by(world: &World<'_>, class: ClassRef) -> Option<(EntryPointKind, &'static [&'static str])> {
    let path = world.unit(class.0).path;
    let is = |wanted: &[&str]| extends(world, class, wanted);
    if is_controller(world, class) {
        return Some((EntryPointKind::Http, &[]));
    }
    if is(&[
        "ApplicationJob",
        "ActiveJob.Base",
        "Sidekiq.Worker",
        "Sidekiq.Job",
        "Sidekiq.IterableJob",
        "ApplicationWorker",
        "Que.Job",
        "SuckerPunch.Job",
        "Shoryuken.Worker",
        "Jobs.Base",
        "Jobs.Scheduled",
    ]) || path.contains("app/jobs/")
        || path.contains("app/workers/")
        || path.contains("app/sidekiq/")
    {
        return Some((EntryPointKind::Job, &["perform", "execute"]));
    }
    if is(&["Thor", "Rails.Command.Base", "Dry.CLI.Command"]) {
        return Some((EntryPointKind::Command, &[]));
    }
    if path.contains("graphql/") {
        return Some((EntryPointKind::Http, &["resolve"]));
    }
    if is(&["ApplicationReflex", "StimulusReflex.Reflex"]) {
        return Some((EntryPointKind::Http, &[]));
    }
    // What views call, and components that are views themselves.
    if path.contains("app/helpers/") || path.contains("app/components/") || is(&["ViewComponent.Base", "Phlex.HTML"]) {
        return Some((EntryPointKind::Page, &[]));
    }
    None
}

fn of_class(world: &World<'_>, class: ClassRef, out: &mut Vec<Entry>) {
    let module = world.module(class.0);
    let node = module.class(class.1);
    let mut add = |kind: EntryPointKind, function: FunctionRef| {
        let method = world.function(function);
        out.push(Entry {
            kind,
            name: format!(
                "{}.{}",
                node.name.as_deref().unwrap_or(""),
                method.name.as_deref().unwrap_or("")
            ),
            unit: class.0,
            line: method.span.line,
            function: Some(function),
        });
    };
    let called = called_by(world, class);
    if let Some((kind, names)) = called {
        for method in &node.methods {
            let of = module.function(*method);
            let name = of.name.as_deref().unwrap_or("");
            if of.exported && !name.starts_with('<') && (names.is_empty() || names.contains(&name)) {
                add(kind, FunctionRef(class.0, *method));
            }
        }
    }
    // `after_create :reply`
    for call in said(world, class) {
        if !CALLBACKS.contains(&callee_name(world, call)) {
            continue;
        }
        let Expr::Call { args, .. } = world.expr(call) else {
            continue;
        };
        let kind = match called {
            Some((EntryPointKind::Http, _)) => EntryPointKind::Http,
            _ => EntryPointKind::Job,
        };
        for arg in args.iter().filter(|arg| arg.name.is_none()) {
            if let Expr::Str(name) = module.expr(arg.value) {
                for function in world.method(class, name) {
                    add(kind, function);
                }
            }
        }
    }
}

/// What a call is handed to be done when it is asked for: routes, tasks, messages of bots.
fn registered(world: &World<'_>, unit: u32, speaks: bool, out: &mut Vec<Entry>) {
    let module = world.module(unit);
    for call in &world.index(unit).calls {
        let at = ExprRef(unit, *call);
        let Expr::Call { callee, args, .. } = world.expr(at) else {
            continue;
        };
        let Some(block) = args.iter().find_map(|arg| match module.expr(arg.value) {
            Expr::Function(function) if arg.name.as_deref() == Some("block") => Some(FunctionRef(unit, *function)),
            _ => None,
        }) else {
            continue;
        };
        let name = callee_name(world, at);
        let bare = matches!(module.expr(*callee), Expr::Name(_));
        // `task ask: :environment` names the task first.
        let text = args.first().and_then(|arg| match (&arg.name, module.expr(arg.value)) {
            (Some(name), _) => Some(name.to_string()),
            (None, Expr::Str(text)) => Some(text.to_string()),
            _ => None,
        });
        let path = text.as_deref().is_some_and(|text| text.starts_with('/'));
        let object = object_name(world, at);
        let kind = if bare && VERBS.contains(&name) && (path || is_api(world, at))
            || matches!(object, "r" | "app" | "router") && VERBS.contains(&name)
        {
            EntryPointKind::Http
        } else if bare && name == "task" && text.is_some() {
            EntryPointKind::Command
        } else if speaks
            && matches!(
                name,
                "listen"
                    | "message"
                    | "command"
                    | "mention"
                    | "application_command"
                    | "on"
                    | "pm"
                    | "match"
                    | "direct_message"
                    | "event"
            )
        {
            EntryPointKind::Message
        } else {
            continue;
        };
        out.push(Entry {
            kind,
            name: text.unwrap_or_else(|| name.to_owned()),
            unit,
            line: world.span(at).line,
            function: Some(block),
        });
    }
}

/// Whether a call stands in a class that declares routes without slashes.
fn is_api(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    let class = index.class_of_scope(index.expr_scope[at.1.0 as usize]);
    class.is_some_and(|class| extends(world, ClassRef(at.0, class), &["Grape.API", "Sinatra.Base", "Roda"]))
}

/// A file that does something when it is run.
fn started(world: &World<'_>, unit: u32, out: &mut Vec<Entry>) {
    let index = world.index(unit);
    let path = world.unit(unit).path;
    let runs = index.calls.iter().any(|call| index.function_of(*call).is_none());
    if runs {
        out.push(Entry {
            kind: EntryPointKind::Main,
            name: path.to_owned(),
            unit,
            line: 1,
            function: None,
        });
    }
}
