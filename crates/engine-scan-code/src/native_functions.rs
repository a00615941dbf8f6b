//! Kernel functions that are code of the project: running one does not call a model.

use engine_model::Language;
use engine_syntax::ir::Expr;

use crate::values::{ExprRef, Path, Value};
use crate::world::World;

/// Methods of a kernel that run a function which it is handed or told.
const RUNS: [&str; 3] = ["InvokeAsync", "InvokeStreamingAsync", "RunAsync"];

/// Whether a kernel is told to run a function of the project: one that is made of a method, or one out of its plug-ins where
/// the project fills these with its own objects and writes no prompt as a function.
pub(crate) fn is_run(world: &World<'_>, at: ExprRef, path: &Path) -> bool {
    if !path.last_name().is_some_and(|name| RUNS.contains(&name))
        || !(path.has_name("Kernel") || path.has_name("Build"))
    {
        return false;
    }
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let Some(first) = args.first() else { return false };
    let values = world.expand(&world.eval(ExprRef(at.0, first.value)));
    if values.is_empty() {
        return false;
    }
    let made = |value: &Value| {
        matches!(value, Value::Path(path)
            if path.has_name("CreateFromMethod") || path.has_name("CreateFunctionFromMethod"))
    };
    if values.iter().all(made) {
        return true;
    }
    let taken = |value: &Value| match value {
        Value::Path(path) => path.has_name("Plugins") || path.has_name("GetFunction"),
        Value::Text(_) => args.len() > 1,
        _ => false,
    };
    values.iter().all(|value| made(value) || taken(value)) && has_only_own(world)
}

/// Whether the plug-ins of a project hold its own objects, and nothing in it makes a function of a prompt.
fn has_only_own(world: &World<'_>) -> bool {
    let mut own = false;
    for unit in world.units.iter().filter(|unit| unit.language == Language::CSharp) {
        for expr in &unit.index.module.exprs {
            let (Expr::Member { name, .. } | Expr::Name(name)) = &expr.kind else {
                continue;
            };
            let makes = ["Create", "Import", "Add"].iter().any(|verb| name.starts_with(verb));
            if makes && (name.contains("Prompt") || name.contains("Semantic") || name.contains("OpenApi")) {
                return false;
            }
            own |= matches!(
                &**name,
                "AddFromObject"
                    | "AddFromType"
                    | "AddFromFunctions"
                    | "ImportPluginFromObject"
                    | "ImportPluginFromType"
                    | "ImportPluginFromFunctions"
                    | "CreatePluginFromObject"
                    | "CreatePluginFromType"
                    | "CreateFromObject"
                    | "CreateFromType"
            );
        }
    }
    own
}
