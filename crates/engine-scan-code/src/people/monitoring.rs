//! Cameras that watch people while they are examined: Annex III point 3(d).

use std::collections::BTreeSet;

use engine_model::{CallKind, PersonArea, StepRole, StructureStep, Zone};
use engine_syntax::ir::Expr;

use super::areas::split;
use crate::calls::Found;
use crate::world::World;
use crate::{Signal, SignalKind};

/// Libraries that see faces, eyes, poses and things in pictures.
const SEES: [&str; 12] = [
    "mediapipe",
    "face-recognition",
    "face-api",
    "ultralytics",
    "deepface",
    "dlib",
    "opencv-face",
    "opencv-models",
    "hsemotion",
    "fer-video",
    "tensorflow-models",
    "torchvision",
];

/// What is looked for, where an examination is named too.
const CHEATS: [&str; 5] = ["cheat", "cheating", "cheater", "malpractice", "misconduct"];

/// An examination, and who sits it.
const EXAMS: [&str; 9] = [
    "exam",
    "exams",
    "examination",
    "examinee",
    "student",
    "students",
    "quiz",
    "invigilator",
    "invigilation",
];

/// Names of the code that say so, by the calls that see. Words of texts and remarks count for nothing.
pub(super) fn signals(world: &World<'_>, found: &[Found]) -> Vec<Signal> {
    let sees = |record: &&(usize, &Found)| {
        let call = &record.1.call;
        call.kind == CallKind::Call
            && call.zone == Zone::Product
            && call.sdk.as_deref().is_some_and(|sdk| SEES.contains(&sdk))
    };
    let records: Vec<(usize, &Found)> = found.iter().enumerate().collect();
    let Some((call, _)) = records.iter().find(sees) else {
        return Vec::new();
    };
    let Some(step) = named(world) else { return Vec::new() };
    vec![Signal {
        kind: SignalKind::from(PersonArea::Education),
        file: step.file,
        line: step.line,
        detail: step.reference,
        call: *call,
    }]
}

/// The first name of the product that tells of the watching: of a function, a class or what is made of one.
fn named(world: &World<'_>) -> Option<StructureStep> {
    let mut of_exams = false;
    let mut cheats: Option<StructureStep> = None;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for unit in 0..crate::values::id(world.units.len()) {
        let here = world.unit(unit);
        if here.zone != Zone::Product {
            continue;
        }
        of_exams |= split(here.path).iter().any(|word| EXAMS.contains(&word.as_str()));
        let module = world.module(unit);
        let functions = module
            .functions
            .iter()
            .filter_map(|function| Some((function.name.as_deref()?, function.span.line)));
        let classes = module
            .classes
            .iter()
            .filter_map(|class| Some((class.name.as_deref()?, class.span.line)));
        let used = module.exprs.iter().filter_map(|node| match &node.kind {
            Expr::Name(name) | Expr::Member { name, .. } => Some((&**name, node.span().line)),
            _ => None,
        });
        for (name, line) in functions.chain(classes).chain(used) {
            if !seen.insert(name) {
                continue;
            }
            let words = split(name);
            of_exams |= words.iter().any(|word| EXAMS.contains(&word.as_str()));
            let proctors = words.iter().any(|word| word.starts_with("proctor"));
            let place = || StructureStep {
                role: StepRole::Record,
                reference: name.to_owned(),
                file: here.path.to_owned(),
                line,
            };
            if proctors {
                return Some(place());
            }
            if cheats.is_none() && words.iter().any(|word| CHEATS.contains(&word.as_str())) {
                cheats = Some(place());
            }
        }
    }
    cheats.filter(|_| of_exams)
}
