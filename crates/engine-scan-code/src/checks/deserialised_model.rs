//! `l4-deserialised-model`: model files that run code when they are loaded.

use std::collections::BTreeMap;

use engine_catalogue::catalogue;
use engine_model::{CheckContext, EvidenceKind, Location, Report, TraceKind, declare_check};

use super::in_use;

declare_check! {
    /// Model loaded from unsafe file format.
    ///
    /// Article 15(5): a high-risk system must be protected against manipulated models. Loading a pickle file runs the
    /// code that its author put into it, before any check of the content.
    ///
    /// A file in the same repository that is loaded from a constant path is not reported: it came with the code.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import joblib
    ///
    /// model = joblib.load("credit.joblib")
    ///
    /// if __name__ == "__main__":
    ///     print(model.predict([[1, 2]]))
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import onnxruntime
    ///
    /// session = onnxruntime.InferenceSession("credit.onnx")
    ///
    /// if __name__ == "__main__":
    ///     print(session.run(None, {"x": [[1, 2]]}))
    /// ```
    /// Not reported:
    /// ```text
    /// //- requirements.txt
    /// torch>=2.1
    /// flask==3.1.0
    /// //- app.py
    /// import torch
    /// from flask import Flask, request
    ///
    /// app = Flask(__name__)
    /// model = torch.load("/srv/weights/rank.pt")
    ///
    /// @app.post("/rank")
    /// def rank():
    ///     return {"score": float(model(torch.tensor(request.json["values"])))}
    /// ```
    DESERIALISED_MODEL {
        id: "l4-deserialised-model",
        layer: L4,
        obligation: "OBL-047",
        severity: Medium,
        impact: Exposes,
        fix: "Store weights in a format without code (safetensors, ONNX), or load them with `weights_only=True`. Otherwise, verify a signature or digest before loading.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let mut records: Vec<_> = context.records(system).filter(|call| in_use(call)).collect();
        records.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        // Several calls ask one model, which is read once; the same habit in several places is one matter.
        let mut read: BTreeMap<(String, u32), &str> = BTreeMap::new();
        for call in records {
            let symbol = call.symbol.as_str();
            let Some(trace) = call.traced(TraceKind::RunsCodeOnLoad) else {
                continue;
            };
            // What lies beside the code came with it: who can change the one can change the other.
            if call
                .model
                .as_deref()
                .is_some_and(|model| is_of_the_tree(context, model))
            {
                continue;
            }
            let explicit = trace.chain.iter().any(|place| place.reference.ends_with("=False)"));
            if !explicit && safe_by_default(context, symbol) {
                continue;
            }
            let place = trace.chain.first();
            let file = place
                .and_then(|place| place.file.clone())
                .unwrap_or_else(|| call.file.clone());
            let line = place.and_then(|place| place.line).unwrap_or(call.line);
            read.entry((file, line))
                .or_insert_with(|| symbol.split('(').next().unwrap_or(symbol));
        }
        let mut places = read.into_iter();
        let Some(((file, line), loader)) = places.next() else {
            continue;
        };
        let others: Vec<((String, u32), &str)> = places.collect();
        let more = match others.len() {
            0 => String::new(),
            1 => ", also in 1 other place".to_owned(),
            count => format!(", also in {count} other places"),
        };
        let message = format!("`{loader}` ({file}:{line}) loads a model from a format that can run code{more}.");
        let mut finding = report
            .fail(88, message)
            .system(system)
            .at(Location::line(file.as_str(), line))
            .anchor(loader)
            .evidence(EvidenceKind::Code, loader, &file, line);
        for ((file, line), loader) in others.iter().take(40) {
            finding = finding.evidence(EvidenceKind::Code, *loader, file, *line);
        }
    }
}

/// Whether a constant path names a file that lies in the tree. Long ones are not read, and stand with the model files.
fn is_of_the_tree(context: &CheckContext<'_>, model: &str) -> bool {
    let name = model.rsplit(['/', '\\']).next().unwrap_or(model);
    if name.contains(['{', '$']) || model.contains("://") {
        return false;
    }
    let is = |path: &str| path.rsplit('/').next() == Some(name);
    name.contains('.')
        && (context.files.iter().any(|file| is(&file.path))
            || context.inventory.model_files.iter().any(|file| is(&file.file)))
}

/// Whether every version of the package that the project locks reads weights safely unless told otherwise. A requirement without an upper end
/// installs the newest one.
fn safe_by_default(context: &CheckContext<'_>, symbol: &str) -> bool {
    let Some(row) = catalogue().capabilities().unsafe_load(symbol) else {
        return false;
    };
    let (Some(package), Some(since)) = (&row.package, &row.safe_since) else {
        return false;
    };
    let mut entries = context
        .inventory
        .packages
        .iter()
        .filter(|known| known.name == *package)
        .peekable();
    entries.peek().is_some()
        && entries.all(|known| match (&known.version, &known.requirement) {
            (Some(version), _) => numbers(version) >= numbers(since),
            (None, Some(requirement)) => !requirement.contains(['<', '=', '~', '^', '*']) || is_open(requirement),
            (None, None) => true,
        })
}

/// Whether a requirement has a lower end only: `>=2.1`.
fn is_open(requirement: &str) -> bool {
    requirement.split(',').all(|part| part.trim_start().starts_with('>'))
}

/// The leading numbers of a version.
fn numbers(version: &str) -> Vec<u64> {
    version
        .split('.')
        .map_while(|part| {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        })
        .collect()
}
