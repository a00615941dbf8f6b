//! The glossary of plain English: words to avoid, each with the words to write instead.

use super::sentence::{Sentence, Word};

/// One row of the glossary.
pub(crate) struct Rule {
    /// The words to avoid, in the notation of [`Pattern`].
    pub(crate) words: &'static str,
    /// The words to write instead.
    pub(crate) instead: &'static str,
}

/// Every row. A hit fails `cargo xtask tidy`.
pub(crate) const RULES: &[Rule] = &[
    Rule {
        words: "tell|tells|telling|told",
        instead: "report, identify, disclose to, inform",
    },
    Rule {
        words: "stand|stands|standing|stood !alone",
        instead: "is in, is listed under, is next to, covers",
    },
    Rule {
        words: "hang|hangs|hanging on",
        instead: "depends on",
    },
    Rule {
        words: "depend|depends|depending on an answer",
        instead: "depends on question 2",
    },
    Rule {
        words: "is|are|was|were held",
        instead: "contains, compares with, is kept",
    },
    Rule {
        words: "hold|holds|held|holding against",
        instead: "compare with",
    },
    Rule {
        words: "holds no|the|a|an|what|all",
        instead: "contains, lacks, keeps",
    },
    Rule {
        words: "ask|asks|asked|asking a|the|an|its|their|no|any|this|that|one|some ?* ?language model|models",
        instead: "call",
    },
    Rule {
        words: "model|models is|are|was|were asked",
        instead: "call",
    },
    Rule {
        words: "who is|was|are asked",
        instead: "the provider, the model",
    },
    Rule {
        words: "who answers",
        instead: "the provider, the model",
    },
    Rule {
        words: "nobody|everybody|whoever|whomever",
        instead: "the user, every caller, no caller",
    },
    Rule {
        words: "come|comes|came to life",
        instead: "is reachable, is dead code",
    },
    Rule {
        words: "of one's|its|their|your|his|her|our|my own",
        instead: "custom, in-house, first-party, its own …",
    },
    Rule {
        words: "<there is|are no !longer|more|less|later|earlier|other|need|place|way|such|further|evidence|answer *",
        instead: "is not a",
    },
    Rule {
        words: "say|says who",
        instead: "an AI disclosure",
    },
    Rule {
        words: "page|pages that people read",
        instead: "a user interface",
    },
    Rule {
        words: "record|records that is|are kept",
        instead: "a persistent log",
    },
    Rule {
        words: "words of people",
        instead: "user input",
    },
    Rule {
        words: "is|are known to come",
        instead: "upcoming obligations",
    },
    Rule {
        words: "made up !of|from",
        instead: "dummy, invented, test fixture",
    },
    Rule {
        words: "made-up",
        instead: "dummy, invented, test fixture",
    },
    Rule {
        words: "set|sets|setting aside",
        instead: "suppress, suppressed",
    },
    Rule {
        words: "lying",
        instead: "mislabelled",
    },
    Rule {
        words: "a|the switch !statement|expression|case",
        instead: "a feature flag, an off switch",
    },
    Rule {
        words: "a|the look at",
        instead: "an evaluation of",
    },
    Rule {
        words: "fresh applications",
        instead: "unseen applications",
    },
    Rule {
        words: "^ Who|What|Whatever|Whoever !is|are|was|were|to|do|does|did|would|can|could|should|will|must|has|have|happens|happened|this|it|the|you|if|kind|else|changes|changed *",
        instead: "a noun; no relative clause as the subject of a sentence",
    },
];

/// A row, ready to match.
///
/// Words of a pattern are separated by spaces. `a|b` is either word; with a capital letter it matches that case only, else
/// any case. `*` is any word. `?a|b` is an optional word, `?*` any optional word. `!a|b` says that the next word is neither,
/// `<a|b` that the word before is neither. `^` is the beginning of a sentence or of a clause after a colon or a
/// semicolon; a pattern with it leaves questions alone.
pub(crate) struct Pattern {
    elements: Vec<Element>,
    pub(crate) rule: &'static Rule,
}

enum Element {
    Start,
    Any,
    One(Vec<&'static str>),
    MaybeAny,
    Maybe(Vec<&'static str>),
    NotNext(Vec<&'static str>),
    NotBefore(Vec<&'static str>),
}

/// Every row, ready to match.
pub(crate) fn patterns() -> Vec<Pattern> {
    RULES.iter().map(Pattern::new).collect()
}

impl Pattern {
    pub(crate) fn new(rule: &'static Rule) -> Self {
        let elements = rule.words.split(' ').map(element).collect();
        Self { elements, rule }
    }

    /// The words of a sentence that match first, as they were written.
    pub(crate) fn find(&self, sentence: &Sentence<'_>) -> Option<String> {
        if sentence.question && matches!(self.elements.first(), Some(Element::Start)) {
            return None;
        }
        let words = &sentence.words;
        (0..words.len()).find_map(|start| {
            let end = end_of_match(&self.elements, words, start)?;
            let shown: Vec<&str> = words[start..end].iter().map(|word| word.text).collect();
            Some(shown.join(" "))
        })
    }
}

fn element(text: &'static str) -> Element {
    let alternatives = |text: &'static str| text.split('|').collect();
    match (text, text.as_bytes().first()) {
        ("^", _) => Element::Start,
        ("*", _) => Element::Any,
        ("?*", _) => Element::MaybeAny,
        (_, Some(b'?')) => Element::Maybe(alternatives(&text[1..])),
        (_, Some(b'!')) => Element::NotNext(alternatives(&text[1..])),
        (_, Some(b'<')) => Element::NotBefore(alternatives(&text[1..])),
        _ => Element::One(alternatives(text)),
    }
}

/// The end of a match that begins at a word. Patterns are short, so the work per word is bounded.
fn end_of_match(elements: &[Element], words: &[Word<'_>], at: usize) -> Option<usize> {
    let Some((first, rest)) = elements.split_first() else {
        return Some(at);
    };
    let here = words.get(at);
    match first {
        Element::Start => here.filter(|word| word.starts_clause)?,
        Element::Any => return here.and_then(|_| end_of_match(rest, words, at + 1)),
        Element::One(any) => {
            here.filter(|word| is_one(word, any))?;
            return end_of_match(rest, words, at + 1);
        }
        Element::MaybeAny => {
            let with = here.and_then(|_| end_of_match(rest, words, at + 1));
            return with.or_else(|| end_of_match(rest, words, at));
        }
        Element::Maybe(any) => {
            let with = here.filter(|word| is_one(word, any));
            let with = with.and_then(|_| end_of_match(rest, words, at + 1));
            return with.or_else(|| end_of_match(rest, words, at));
        }
        Element::NotNext(any) if here.is_some_and(|word| is_one(word, any)) => return None,
        Element::NotBefore(any) if at > 0 && is_one(&words[at - 1], any) => return None,
        Element::NotNext(_) | Element::NotBefore(_) => return end_of_match(rest, words, at),
    };
    end_of_match(rest, words, at)
}

fn is_one(word: &Word<'_>, any: &[&str]) -> bool {
    !word.code
        && any.iter().any(|one| {
            if one.starts_with(|c: char| c.is_ascii_uppercase()) {
                word.text == *one
            } else {
                word.text.eq_ignore_ascii_case(one)
            }
        })
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    /// For each rule in order: texts that it reports, and near misses that no rule reports.
    const CASES: &[(&[&str], &[&str])] = &[
        (
            &[
                "Tell people that an AI answers",
                "It tells them",
                "the user was told so",
            ],
            &["A telltale name", "`tell` is a function", "The teller machine"],
        ),
        (
            &[
                "The name stands in the file",
                "Bytes stand behind the end",
                "It stood there",
            ],
            &[
                "A stand-in for the id",
                "A long-standing gap",
                "Stand alone servers",
                "An outstanding task",
            ],
        ),
        (
            &["It hangs on question 2", "Hang on"],
            &["The request hangs", "A hanging call on port 80"],
        ),
        (
            &["It depends on an answer"],
            &["It depends on question 2", "It depends on answers"],
        ),
        (
            &["The files are held in memory", "The lock was held"],
            &["It is withheld", "The hearing will be held", "A lock that it held"],
        ),
        (
            &["One layer held against another", "Hold against it"],
            &["Hold the door", "Against all odds"],
        ),
        (
            &[
                "The package holds no key",
                "It holds a value",
                "A file holds what matters",
            ],
            &["The date holds", "It holds for two hours"],
        ),
        (
            &[
                "It asks a model",
                "Ask the large language model",
                "asked no other model",
            ],
            &["It asks a person", "Ask for a model card", "The user asks"],
        ),
        (&["The model is asked twice"], &["The model asked", "The user is asked"]),
        (&["Name who is asked"], &["The user is asked", "Who asked?"]),
        (&["Name who answers"], &["The model answers", "Who answered?"]),
        (
            &[
                "Nobody reads it",
                "It is there for everybody",
                "It ends for whoever reads",
            ],
            &["Every caller reads it", "No caller handles it", "body"],
        ),
        (&["It comes to life"], &["It comes to an end", "A product life"]),
        (
            &["A task of its own", "a rule of one's own"],
            &["Its own task", "The owner of its files"],
        ),
        (
            &["The text is no JSON", "These are no gaps"],
            &[
                "It is no longer there",
                "There is no file",
                "The answer is no",
                "It is not a file",
                "there are no keys",
            ],
        ),
        (
            &["A text that says who did it"],
            &["It says when it ends", "Say what was found"],
        ),
        (&["A page that people read"], &["A page that users open"]),
        (&["A record that is kept"], &["A record that was kept"]),
        (&["Words of people"], &["Words of the law"]),
        (&["Duties that are known to come"], &["It is known to users"]),
        (
            &["A name that was made up"],
            &["A bill made up of parts", "It was made by hand"],
        ),
        (&["A made-up key"], &["A ready-made key"]),
        (
            &["Findings set aside", "A rule sets aside"],
            &["A set of findings", "An aside"],
        ),
        (&["A lying model file"], &["An underlying file", "A lie"]),
        (
            &["Look for the switch"],
            &["An off switch", "A switch statement", "They switch it off"],
        ),
        (&["A look at the code"], &["Look at the code", "A look ahead"]),
        (&["Fresh applications"], &["Unseen applications", "A fresh application"]),
        (
            &[
                "What a model says counts",
                "A rule: Who uses it decides",
                "It ends. Whatever comes counts",
            ],
            &[
                "Who uses the system?",
                "What it means for you",
                "What is found is listed",
                "It shows what a model says",
            ],
        ),
    ];

    fn found(pattern: &Pattern, text: &str) -> bool {
        sentences(text, 1)
            .iter()
            .any(|sentence| pattern.find(sentence).is_some())
    }

    #[test]
    fn given_each_rule_then_its_examples_match_and_near_misses_do_not() {
        assert_eq!(CASES.len(), RULES.len(), "every rule needs examples");
        for (rule, (hits, misses)) in RULES.iter().zip(CASES) {
            let pattern = Pattern::new(rule);
            for text in *hits {
                assert!(found(&pattern, text), "`{}` misses: {text}", rule.words);
            }
            for text in *misses {
                for other in patterns() {
                    assert!(!found(&other, text), "`{}` reports: {text}", other.rule.words);
                }
            }
        }
    }

    #[test]
    fn given_a_match_then_the_words_are_shown_as_written() {
        let all = sentences("It is Held here.", 1);
        let pattern = Pattern::new(&RULES[4]);
        assert_eq!(pattern.find(&all[0]).as_deref(), Some("is Held"));
    }
}
