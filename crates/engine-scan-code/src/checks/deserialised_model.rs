//! `l4-deserialised-model`: model files that run code when they are loaded.

use engine_model::{CheckContext, Report, declare_check};

declare_check! {
    /// Model files in a format that can run code when it is read.
    ///
    /// Article 15(5): a high-risk system is protected against manipulated models. A pickle runs what its author wrote into it, before
    /// any check of the content.
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
    DESERIALISED_MODEL {
        id: "l4-deserialised-model",
        layer: L4,
        obligation: "OBL-047",
        severity: Medium,
        fix: "Keep weights in a format without code (safetensors, ONNX), load with `weights_only=True`, or verify a signature or digest before reading.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let mut records: Vec<_> = context.records(system).collect();
        records.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        let mut seen = std::collections::BTreeSet::new();
        for call in records {
            let symbol = call.symbol.as_str();
            let pickled = ["joblib.load", "pickle.load", "cloudpickle.load", "dill.load"]
                .iter()
                .any(|name| symbol.starts_with(name));
            let torch = symbol.starts_with("torch.load") && !symbol.contains("weights_only");
            if (pickled || torch)
                && seen.insert((call.file.clone(), symbol.split('(').next().unwrap_or(symbol).to_owned()))
            {
                report
                    .fail(70, "A model file is read in a format that can run code.")
                    .call(call)
                    .system(system);
            }
        }
    }
}
