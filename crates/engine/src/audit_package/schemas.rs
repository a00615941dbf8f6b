//! The JSON Schemas of the files in an audit package.
//!
//! They are generated into `docs/audit-package/`, and a package holds those files: the program needs no code that describes types.

use std::io;

use engine_embed::{Packed, embed};
use engine_eval::{EvalResult, RedTeamReport};
use engine_evidence::Entry;
use engine_model::ScanResult;
use engine_package::{DocumentIndex, EvalIndex, Manifest, Matrix, paths};
use schemars::{JsonSchema, schema_for};

use super::{Out, json};

/// How a schema is drawn from a type.
type Draw = fn() -> io::Result<Vec<u8>>;

/// Each schema: its name, its file, and how it is drawn.
macro_rules! schemas {
    ($($name:literal => $type:ty,)*) => {
        const FILES: &[(&str, Packed)] = &[
            $((concat!($name, ".schema.json"), embed!("../../../../docs/audit-package/" $name ".schema.json")),)*
        ];
        const DRAWN: &[(&str, Draw)] = &[$((concat!($name, ".schema.json"), drawn::<$type>),)*];
    };
}

schemas! {
    "documents" => DocumentIndex,
    "entry" => Entry,
    "eval" => EvalResult,
    "evals" => EvalIndex,
    "manifest" => Manifest,
    "matrix" => Matrix,
    "redteam" => RedTeamReport,
    "scan" => ScanResult,
}

fn drawn<T: JsonSchema>() -> io::Result<Vec<u8>> {
    json(&schema_for!(T))
}

/// Name and text of each schema in an audit package, drawn from the types; for the generated documents.
pub fn audit_package_schemas() -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    DRAWN.iter().map(|(name, draw)| Ok((*name, draw()?))).collect()
}

pub(super) fn add(out: &mut Out) -> io::Result<()> {
    for (name, file) in FILES {
        out.add(&format!("{}{name}", paths::SCHEMA_FOLDER), &file.bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_types_then_the_files_are_up_to_date() {
        let files: Vec<(&str, Vec<u8>)> = FILES.iter().map(|(name, file)| (*name, file.bytes())).collect();
        let same = files == audit_package_schemas().unwrap();
        assert!(same, "docs/audit-package/ is not up to date; run `cargo xtask codegen`");
    }
}
