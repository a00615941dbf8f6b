//! Whether two passports could be taken for one another: by name, by id, or by letters that look alike.

use unicode_normalization::UnicodeNormalization;

use super::Stored;
use engine_passport::Document;

/// Letters of other alphabets that look like Latin ones, each with that one.
const ALIKE: [(char, char); 44] = [
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('н', 'h'),
    ('і', 'i'),
    ('ї', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('г', 'r'),
    ('ѕ', 's'),
    ('т', 't'),
    ('у', 'y'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('α', 'a'),
    ('β', 'b'),
    ('ϲ', 'c'),
    ('ε', 'e'),
    ('η', 'h'),
    ('ι', 'i'),
    ('ϳ', 'j'),
    ('κ', 'k'),
    ('μ', 'm'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'y'),
    ('χ', 'x'),
    ('ζ', 'z'),
    ('ı', 'i'),
    ('ł', 'l'),
    ('ø', 'o'),
    ('0', 'o'),
    ('1', 'l'),
];

/// A name as it is compared with others: without case, marks, signs between words and invisible characters.
fn folded(name: &str) -> String {
    let plain = name.nfkd().flat_map(char::to_lowercase);
    let letters = plain.filter(|c| c.is_alphanumeric() && !unicode_normalization::char::is_combining_mark(*c));
    let folded: String = letters
        .map(|c| ALIKE.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to))
        .collect();
    // A name of signs alone is itself.
    if folded.is_empty() { name.to_owned() } else { folded }
}

/// The passport that a name or an id could be taken for, among all but one.
pub(super) fn taken_for<'s>(
    all: &'s [Stored],
    name: &str,
    agent_id: Option<&str>,
    but_not: Option<&Stored>,
) -> Option<&'s Stored> {
    let wanted: Vec<String> = std::iter::once(name).chain(agent_id).map(folded).collect();
    all.iter()
        .filter(|one| but_not.is_none_or(|other| one.slug != other.slug))
        .find(|one| {
            let document = one.document();
            let names = document.map(Document::name).into_iter();
            names
                .chain(document.map(Document::agent_id))
                .map(folded)
                .any(|known| wanted.contains(&known))
        })
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn names_in_other_letters_are_the_same() {
        for other in [
            "REFUND desk",
            "refund-desk",
            "Refund\u{200b} Desk",
            "\u{202e}Refund desk",
            "R\u{435}fund d\u{435}sk",
            "Ｒｅｆｕｎｄ desk",
            "Réfund désk",
        ] {
            assert_eq!(folded(other), folded("Refund desk"), "{other}");
        }
        assert_ne!(folded("Refund desk 2"), folded("Refund desk"));
        assert_ne!(folded("♥"), folded("♦"));
    }
}
