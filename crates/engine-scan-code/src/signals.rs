//! What the data of a call is about, told by the names that carry it in code, never by words of prose.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::CallKind;
use engine_syntax::ir::Expr;

use crate::calls::Found;
use crate::index::{BindSource, NONE};
use crate::values::ExprRef;
use crate::world::World;
use crate::{Signal, SignalKind};

/// Words of identifiers by kind; each is a whole word of a name.
const WORDS: [(SignalKind, &[&str]); 11] = [
    (
        SignalKind::Employment,
        &[
            "applicant",
            "applicants",
            "candidate",
            "candidates",
            "resume",
            "resumes",
            "cv",
            "cvs",
            "employee",
            "employees",
            "recruiter",
            "hiring",
            "hire",
            "jobseeker",
        ],
    ),
    (
        SignalKind::Education,
        &[
            "student",
            "students",
            "pupil",
            "pupils",
            "exam",
            "exams",
            "essay",
            "essays",
            "admission",
            "admissions",
            "grading",
        ],
    ),
    (
        SignalKind::Credit,
        &["loan", "loans", "credit", "borrower", "creditworthiness", "mortgage"],
    ),
    (
        SignalKind::Insurance,
        &["insurance", "policyholder", "underwriting", "insured"],
    ),
    (SignalKind::Benefits, &["benefit", "benefits", "welfare", "claimant"]),
    (SignalKind::Emergency, &["triage", "emergency", "ambulance"]),
    (
        SignalKind::Health,
        &["patient", "patients", "diagnosis", "symptom", "symptoms"],
    ),
    (
        SignalKind::LawEnforcement,
        &["suspect", "suspects", "offender", "offenders", "recidivism", "convict"],
    ),
    (SignalKind::Migration, &["visa", "asylum", "migrant", "refugee"]),
    (
        SignalKind::Justice,
        &["defendant", "verdict", "sentencing", "voter", "voters"],
    ),
    (SignalKind::Infrastructure, &["powergrid", "substation", "waterworks"]),
];

/// The words of a name: `candidateCv` and `candidate_cv` are the same.
fn words(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            out.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    out.retain(|word| !word.is_empty());
    out
}

pub(crate) fn find(world: &World<'_>, found: &[Found]) -> Vec<Signal> {
    let mut out = BTreeSet::new();
    for (which, record) in found.iter().enumerate() {
        if record.call.kind != CallKind::Call {
            continue;
        }
        let mut names: BTreeMap<String, u32> = BTreeMap::new();
        carried(world, record.at, &mut names);
        for (name, line) in &names {
            let parts = words(name);
            for (kind, known) in WORDS {
                // Answers of some libraries have candidates too; a bare word says less than one with a neighbour.
                let hit = parts.iter().any(|word| known.contains(&word.as_str()));
                if hit {
                    out.insert(Signal {
                        kind,
                        file: record.call.file.clone(),
                        line: *line,
                        detail: name.clone(),
                        call: which,
                    });
                }
            }
        }
    }
    out.into_iter().collect()
}

/// The names that carry what a call sends, two bindings back.
pub(crate) fn carried(world: &World<'_>, at: ExprRef, names: &mut BTreeMap<String, u32>) {
    let Expr::Call { args, .. } = world.expr(at) else {
        return;
    };
    let mut stack: Vec<(ExprRef, u32)> = args.iter().map(|arg| (ExprRef(at.0, arg.value), 0)).collect();
    let mut seen = BTreeSet::new();
    while let Some((part, depth)) = stack.pop() {
        if seen.len() > 1_500 || !seen.insert(part) {
            continue;
        }
        match world.expr(part) {
            Expr::Name(name) => {
                names.entry(name.to_string()).or_insert(world.span(part).line);
                if depth < 2 {
                    let index = world.index(part.0);
                    let mut scope = index.expr_scope[part.1.0 as usize];
                    while scope != NONE {
                        if let Some(bindings) = index.scopes[scope as usize].names.get(&**name) {
                            for binding in bindings {
                                if let BindSource::Value(value) | BindSource::Each(value) = binding.source {
                                    stack.push((ExprRef(part.0, value), depth + 1));
                                }
                            }
                            break;
                        }
                        scope = index.scopes[scope as usize].parent;
                    }
                }
            }
            Expr::Member { name, object } => {
                names.entry(name.to_string()).or_insert(world.span(part).line);
                stack.push((ExprRef(part.0, *object), depth));
            }
            _ => stack.extend(
                world
                    .module(part.0)
                    .children(part.1)
                    .into_iter()
                    .map(|id| (ExprRef(part.0, id), depth)),
            ),
        }
    }
}
