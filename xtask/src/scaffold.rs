//! Skeletons for a check and an endpoint, in the place where each belongs.

use anyhow::{Result, bail};

use crate::root;

/// `cargo xtask new check ID`.
pub(crate) fn check(id: &str) -> Result<()> {
    let (layer, crate_name) = match id.split_once('-') {
        Some(("l1", _)) => ("L1", "engine-scan-files"),
        Some(("l2", _)) => ("L2", "engine-scan-documents"),
        Some(("l3", _)) => ("L3", "engine-scan-dependencies"),
        Some(("l4", _)) => ("L4", "engine-scan-code"),
        _ => bail!("`{id}` does not begin with a layer; write an id such as l4-some-thing"),
    };
    let module = id.split_once('-').map_or(id, |(_, rest)| rest).replace('-', "_");
    let path = root().join(format!("crates/{crate_name}/src/checks/{module}.rs"));
    if path.exists() {
        bail!("{} exists already", path.display());
    }
    let name = module.to_uppercase();
    let text = format!(
        "//! `{id}`: name in one sentence the problem that it reports.\n\n\
         use engine_model::{{CheckContext, Report, declare_check}};\n\n\
         declare_check! {{\n    /// The problem in 3 to 7 words.\n    ///\n    /// What it means for the reader, with the article.\n    ///\n    \
         /// Reported:\n    /// ```python\n    /// ```\n    /// Not reported:\n    /// ```python\n    /// ```\n    \
         {name} {{\n        id: \"{id}\",\n        layer: {layer},\n        obligation: \"OBL-094\",\n        severity: Medium,\n        \
         impact: Prepares,\n        fix: \"Say what to do.\",\n        run: run,\n    }}\n}}\n\n\
         fn run(context: &CheckContext<'_>, report: &mut Report) {{\n    for system in context.systems {{\n        \
         for call in context.model_calls(system) {{\n            report.fail(80, \"The fact, then the place.\").call(call);\n        }}\n    }}\n}}\n"
    );
    std::fs::write(&path, text)?;
    println!("wrote {}", path.display());
    println!("Next: add `mod {module};` and the entry `{module}::{name}` in crates/{crate_name}/src/checks.rs,");
    println!("and examples in the documentation. Then run `cargo xtask codegen`.");
    Ok(())
}

/// `cargo xtask new endpoint NAME`.
pub(crate) fn endpoint(name: &str) -> Result<()> {
    let module = name.replace('-', "_");
    let path = root().join(format!("crates/engine-api/src/endpoints/{module}.rs"));
    if path.exists() {
        bail!("{} exists already", path.display());
    }
    let (verb, rest) = name.split_once('-').unwrap_or(("get", name));
    let kind: String = name.split('-').map(capitalised).collect();
    let method = if verb == "get" { "GET" } else { "POST" };
    let effect = if verb == "get" { "Read" } else { "Write" };
    let text = format!(
        "//! Name in one sentence the purpose of `/{rest}`.\n\n\
         use engine_model::{{ErrorCode, Failure}};\nuse http::Method;\n\n\
         use crate::{{Context, Effect, Empty, Endpoint, Example, Json}};\n\n\
         /// `{method} /{rest}`\npub(super) enum {kind} {{}}\n\n\
         impl Endpoint for {kind} {{\n    const METHOD: Method = Method::{method};\n    \
         const PATH: &'static str = \"/{rest}\";\n    const SUMMARY: &'static str = \"The action in a few words\";\n    \
         const EFFECT: Effect = Effect::{effect};\n    const ERRORS: &'static [ErrorCode] = &[];\n    \
         const EXAMPLES: &'static [Example] = &[Example {{ name: \"plain\", request: \"/{rest}\", status: 200 }}];\n\n    \
         type Input = Empty;\n    type Output = Json<String>;\n\n    \
         async fn call(context: Context, _: Empty) -> Result<Self::Output, Failure> {{\n        \
         Json::of(&context.engine().status().version)\n    }}\n}}\n"
    );
    std::fs::write(&path, text)?;
    println!("wrote {}", path.display());
    println!(
        "Next: add `mod {module};` and an entry of ROUTES in crates/engine-api/src/endpoints.rs. Then run `cargo xtask codegen`."
    );
    Ok(())
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
        .unwrap_or_default()
}
