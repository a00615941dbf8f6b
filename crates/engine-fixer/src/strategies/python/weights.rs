//! Weights that are loaded without the code that a file may carry.

use engine_model::{EvidenceKind, Language};
use engine_syntax::tree::Node;

use super::places;
use super::source::{
    added_argument, callee, calls, function_of, has_splat, keyword, lines_of, method, statement_of, uses,
};
use crate::code::Code;
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

declare_strategy! {
    /// Loads weights with `weights_only=True`.
    ///
    /// Only calls of `torch.load` are changed whose result is used as a mapping of weights. A file that holds a whole model cannot be
    /// loaded in this way.
    ///
    /// Before:
    ///
    /// ```text app.py
    /// import torch
    /// from flask import Flask, request
    ///
    /// from net import Net
    ///
    /// app = Flask(__name__)
    /// model = Net()
    /// model.load_state_dict(torch.load("/srv/weights/rank.pt", map_location="cpu"))
    ///
    ///
    /// @app.post("/rank")
    /// def rank():
    ///     return {"score": float(model(torch.tensor(request.json["values"])))}
    /// //- net.py
    /// ```
    ///
    /// After:
    ///
    /// ```text app.py
    /// import torch
    /// from flask import Flask, request
    ///
    /// from net import Net
    ///
    /// app = Flask(__name__)
    /// model = Net()
    /// model.load_state_dict(torch.load("/srv/weights/rank.pt", map_location="cpu", weights_only=True))
    ///
    ///
    /// @app.post("/rank")
    /// def rank():
    ///     return {"score": float(model(torch.tensor(request.json["values"])))}
    /// ```
    PYTHON_WEIGHTS_ONLY {
        id: "python-weights-only",
        checks: ["l4-deserialised-model"],
        kind: Code,
        languages: [Python],
        plan: plan,
    }
}

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let finding = site.finding;
    let (first, line) = (
        finding.file.as_deref().ok_or(NoFix::NoPlace)?,
        finding.line.ok_or(NoFix::NoPlace)?,
    );
    if is_too_old(site) {
        return Err(NoFix::here(
            "the version of torch in the manifest does not know `weights_only`",
        ));
    }
    let mut all = vec![(first, line)];
    for evidence in finding
        .evidence
        .iter()
        .filter(|evidence| evidence.kind == EvidenceKind::Code)
    {
        if let (Some(file), Some(line)) = (evidence.file.as_deref(), evidence.line)
            && !all.contains(&(file, line))
        {
            all.push((file, line));
        }
    }
    let mut left = Vec::new();
    let mut count = 0_usize;
    for (index, (file, line)) in all.into_iter().enumerate() {
        match safe(site, file, line, draft) {
            Ok(()) => count += 1,
            Err(why) if index == 0 => return Err(why),
            Err(_) => left.push(format!("`{file}:{line}`")),
        }
    }
    draft.describe(match count {
        1 => "Load the weights with `weights_only=True`, so that the file cannot run code.".to_owned(),
        count => {
            format!("Load the weights in {count} places with `weights_only=True`, so that the files cannot run code.")
        }
    });
    draft.manual(
        "Load every file once: a file with objects of other classes fails now. Allow such classes with `torch.serialization.add_safe_globals`, or store the weights in `safetensors`.",
    );
    if !left.is_empty() {
        draft.manual(format!("Change these places by hand: {}.", left.join(", ")));
    }
    Ok(())
}

fn safe(site: &Site<'_>, file: &str, line: u32, draft: &mut Draft) -> Result<(), NoFix> {
    if Language::of_path(file) != Language::Python {
        return Err(NoFix::here("the file is not a Python file"));
    }
    let code = site.code(file)?;
    if !places::is_edited(code.zone) {
        return Err(NoFix::here("the file is not part of the product"));
    }
    let row = usize::try_from(line).unwrap_or(0).saturating_sub(1);
    let loads: Vec<Node<'_>> = calls(code.root()?)
        .into_iter()
        .filter(|call| call.start_position().row == row && callee(&code, *call) == "torch.load")
        .collect();
    let [call] = loads.as_slice() else {
        return Err(NoFix::here(
            "the model is not loaded with `torch.load`; store it in a format without code",
        ));
    };
    if has_splat(*call) || keyword(&code, *call, "pickle_module").is_some() {
        return Err(NoFix::here(
            "the arguments of `torch.load` have a form that is not changed",
        ));
    }
    if !holds_weights(&code, *call) {
        return Err(NoFix::here(
            "the file may hold a whole model, which cannot be loaded with `weights_only=True`; store its weights in `safetensors`",
        ));
    }
    match keyword(&code, *call, "weights_only") {
        Some(value) if code.of_node(value) == "True" => return Err(NoFix::Done),
        Some(value) => draft.replace(&code, value.byte_range(), "True"),
        None => {
            let (at, text) = added_argument(&code, *call, "weights_only=True")?;
            draft.insert(&code, at, &text);
        }
    }
    Ok(())
}

/// Whether what is loaded is used as a mapping of weights.
fn holds_weights(code: &Code, call: Node<'_>) -> bool {
    if is_mapping(code, call) {
        return true;
    }
    let Ok(statement) = statement_of(call) else {
        return false;
    };
    if lines_of(code, statement).is_err() {
        return false;
    }
    let Some(assignment) = statement.named_child(0).filter(|child| child.kind() == "assignment") else {
        return false;
    };
    let (Some(left), Some(right)) = (
        assignment.child_by_field_name("left"),
        assignment.child_by_field_name("right"),
    ) else {
        return false;
    };
    if right != call || left.kind() != "identifier" {
        return false;
    }
    let name = code.of_node(left);
    let Ok(root) = code.root() else { return false };
    let scope = function_of(statement).unwrap_or(root);
    let used: Vec<Node<'_>> = uses(code, scope, name)
        .into_iter()
        .filter(|place| *place != left)
        .collect();
    let is_model = |place: &Node<'_>| {
        place.parent().is_some_and(|parent| {
            let is_called = parent.kind() == "call" && parent.child_by_field_name("function") == Some(*place);
            let acts = parent.kind() == "attribute"
                && parent.child_by_field_name("object") == Some(*place)
                && parent.child_by_field_name("attribute").is_some_and(|attribute| {
                    !matches!(
                        code.of_node(attribute),
                        "get" | "items" | "keys" | "values" | "pop" | "copy" | "update"
                    )
                });
            is_called || acts
        })
    };
    let says = ["state", "weights", "checkpoint", "ckpt", "_dict"]
        .iter()
        .any(|word| name.to_lowercase().contains(word));
    !used.iter().any(is_model) && (says || used.iter().any(|place| is_mapping(code, *place)))
}

/// Whether a value is read like a mapping, or handed to `load_state_dict`.
fn is_mapping(code: &Code, value: Node<'_>) -> bool {
    let Some(parent) = value.parent() else { return false };
    match parent.kind() {
        "subscript" => parent.child_by_field_name("value") == Some(value),
        "attribute" => parent
            .child_by_field_name("attribute")
            .is_some_and(|attribute| matches!(code.of_node(attribute), "get" | "items" | "keys")),
        "argument_list" => parent
            .parent()
            .is_some_and(|outer| outer.kind() == "call" && method(code, outer) == "load_state_dict"),
        "comparison_operator" => parent.child(1).is_some_and(|operator| operator.kind() == "in"),
        _ => false,
    }
}

/// Whether the manifest wants a version of torch before 1.13.
fn is_too_old(site: &Site<'_>) -> bool {
    site.inventory
        .packages
        .iter()
        .filter(|package| package.name == "torch")
        .any(|package| {
            let version = package
                .version
                .as_deref()
                .or(package.requirement.as_deref())
                .unwrap_or("");
            let bare = version.trim_start_matches(['=', '~', '^', ' ']);
            if bare.starts_with(['<', '>', '!']) {
                return false;
            }
            let mut parts = bare.split('.').map(str::parse::<u32>);
            match (parts.next(), parts.next()) {
                (Some(Ok(0)), _) => true,
                (Some(Ok(1)), Some(Ok(minor))) => minor < 13,
                _ => false,
            }
        })
}
