//! What the fuzz targets share: how an input says which of several things it is.

/// The bytes that part one file of an input from the next; they occur in no UTF-8 text.
const BETWEEN_FILES: u8 = 0xFF;

/// Takes the first byte as a choice among `choices`: `A` is the first of them, so that seeds stay readable.
pub fn choose<'a, T>(choices: &'a [T], data: &'a [u8]) -> Option<(&'a T, &'a [u8])> {
    let (first, rest) = data.split_first()?;
    let index = usize::from(first.wrapping_sub(b'A')) % choices.len();
    Some((&choices[index], rest))
}

/// Splits an input into files, of which each chooses its name among `names` by its first byte.
pub fn files<'a>(names: &'a [&'a str], data: &'a [u8]) -> impl Iterator<Item = (&'a str, &'a [u8])> {
    data.split(|byte| *byte == BETWEEN_FILES)
        .filter_map(|file| choose(names, file))
        .map(|(name, bytes)| (*name, bytes))
}

/// Reads a model file under the name that its first byte chooses, and asserts what holds for every record.
pub fn model_file(names: &[&str], data: &[u8]) {
    let Some((name, bytes)) = choose(names, data) else {
        return;
    };
    let Some(facts) = engine_scan_models::read(&engine_model::SourceFile::new(*name, bytes)) else {
        return;
    };
    let model = facts.model;
    assert!(!model.format.is_empty(), "a record names its format");
    assert!(
        model.imports.len() <= 400 && model.problems.len() <= 400 && model.external.len() <= 400,
        "a record is short"
    );
    let shown = model.problems.iter().all(|problem| problem.message.len() < 4096);
    assert!(shown, "a message is short");
}
