//! Faces that a plain classifier tells apart: what finds faces in a picture gives a crop, the crop goes into a model of the project's own, and
//! what it answers is a person.

use engine_catalogue::words_of;
use engine_model::{CallKind, Zone};
use rustc_hash::FxHashMap as HashMap;
use rustc_hash::FxHashSet as HashSet;

use crate::calls::Found;
use crate::facts::{callee_name, object_name, symbols};
use crate::flow::Flow;
use crate::values::{ExprRef, FunctionRef, id};
use crate::world::World;

/// Calls by which a classifier gives a class.
const CLASSIFIES: [&str; 5] = [
    "predict",
    "predict_proba",
    "predict_classes",
    "kneighbors",
    "predict_label",
];

/// Words of a function that says who somebody is.
const IDENTIFIES: [&str; 9] = [
    "identify",
    "identifies",
    "identified",
    "recognize",
    "recognise",
    "recognizes",
    "recognition",
    "recognizer",
    "recognized",
];

/// Words of what is told apart.
const WHO: [&str; 11] = [
    "face",
    "faces",
    "person",
    "people",
    "student",
    "employee",
    "user",
    "visitor",
    "attendance",
    "attendee",
    "suspect",
];

/// The calls of classifiers that are given faces and say whose they are.
pub(crate) fn told_apart(world: &World<'_>, handlers: &HashSet<FunctionRef>, found: &[Found]) -> Vec<usize> {
    let wanted: Vec<usize> = (0..found.len())
        .filter(|at| {
            let call = &found[*at].call;
            call.kind == CallKind::Call
                && call.zone == Zone::Product
                && call.capabilities.is_empty()
                && call
                    .symbol
                    .rsplit('.')
                    .next()
                    .is_some_and(|last| CLASSIFIES.contains(&last))
                && says_who(world, &found[*at])
        })
        .collect();
    if wanted.is_empty() {
        return wanted;
    }
    let mut finders = HashMap::default();
    for unit in 0..id(world.units.len()) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            if finds_faces(world, at) {
                finders.insert(at, finders.len());
            }
        }
    }
    if finders.is_empty() {
        return Vec::new();
    }
    let faces = Flow::new(world, finders, handlers.clone());
    wanted
        .into_iter()
        .filter(|at| !faces.of_arguments(found[*at].at).answers.is_empty())
        .collect()
}

/// Whether a model, or the function that asks it, is named for saying who somebody is.
fn says_who(world: &World<'_>, found: &Found) -> bool {
    let tells = |name: &str| {
        let words = words_of(name);
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        has(&IDENTIFIES) && has(&WHO)
    };
    let model = found.call.model.as_deref().and_then(|model| model.rsplit('/').next());
    model.is_some_and(tells)
        || world
            .named_function_of(found.at)
            .and_then(|function| world.function(function).name.as_deref())
            .is_some_and(tells)
}

/// Whether a call finds the faces in a picture.
fn finds_faces(world: &World<'_>, at: ExprRef) -> bool {
    let about_faces = || object_name(world, at).to_ascii_lowercase().contains("face");
    match callee_name(world, at) {
        "detectMultiScale" => {
            about_faces()
                || symbols(world, at)
                    .iter()
                    .any(|symbol| symbol.contains("CascadeClassifier"))
                    && world.index(at.0).module.exprs.iter().any(
                        |expr| matches!(&expr.kind, engine_syntax::ir::Expr::Str(text) if text.contains("frontalface")),
                    )
        }
        "detect_faces" | "face_locations" | "detectAllFaces" => true,
        "detect" | "process" | "detectFaces" => about_faces(),
        _ => symbols(world, at)
            .iter()
            .any(|symbol| symbol.ends_with("get_frontal_face_detector()")),
    }
}
