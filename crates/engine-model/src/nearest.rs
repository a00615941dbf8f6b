//! The nearest known word to one that is not known.

/// Longer words are not compared: they are rarely typing errors, and the comparison takes the square of the length.
const COMPARED_CHARS_MAX: usize = 64;

/// The known word that a typing error most likely meant; none when all are too far away.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let best = closest(word, known)?;
    // Half of the longer word may differ, otherwise it is another word and no typing error.
    let longer = word.chars().count().max(best.1.chars().count());
    (best.0 * 2 <= longer).then_some(best.1)
}

/// The known word with the fewest differences, and how many there are.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    if word.chars().count() > COMPARED_CHARS_MAX {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (distance(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .min()
}

/// The number of characters to insert, delete or replace.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_finds_its_word() {
        let known = ["path", "saasToken", "asOf"];
        assert_eq!(nearest("pth", known), Some("path"));
        assert_eq!(nearest("saas_token", known), Some("saasToken"));
        assert_eq!(nearest("asof", known), Some("asOf"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
    }
}
