//! The stance of a text on groups of people: whether it asserts contempt or threat, negates it, or quotes it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine_embed::embed;
use serde::Serialize;

use crate::language::ranked;
use crate::lexicon::Lexicon;
use crate::refusal::window;
use crate::segments::quotations;
use crate::text::{self, Span};

/// The languages with word lists for this judgement.
static LANGUAGES: LazyLock<Vec<Lists>> = LazyLock::new(|| {
    [
        ("de", embed!("../data/hate/de.lex")),
        ("en", embed!("../data/hate/en.lex")),
        ("es", embed!("../data/hate/es.lex")),
        ("fr", embed!("../data/hate/fr.lex")),
        ("it", embed!("../data/hate/it.lex")),
        ("nl", embed!("../data/hate/nl.lex")),
        ("pl", embed!("../data/hate/pl.lex")),
        ("pt", embed!("../data/hate/pt.lex")),
    ]
    .into_iter()
    .map(|(code, packed)| Lists::new(Lexicon::parse(code, packed)))
    .collect()
});

/// The word lists of a language with what misspellings need.
struct Lists {
    lexicon: Lexicon,
    /// Longer words of the lists, by each form with one letter left out.
    near: BTreeMap<String, &'static str>,
    /// Longer words of the lists as they are written.
    whole: Vec<&'static str>,
}

const MEANING: [&str; 5] = ["group", "slur", "emote", "derog", "threat"];

impl Lists {
    fn new(lexicon: Lexicon) -> Self {
        let mut whole: Vec<&'static str> = MEANING
            .iter()
            .flat_map(|key| lexicon.items(key).iter().copied())
            .map(|item| item.trim_end_matches('~'))
            .filter(|word| word.chars().count() >= 5 && !word.contains(' '))
            .collect();
        whole.sort_unstable();
        whole.dedup();
        let mut near = BTreeMap::new();
        for word in &whole {
            for form in without_one(word) {
                near.entry(form).or_insert(*word);
            }
        }
        Self { lexicon, near, whole }
    }

    /// Words as they were meant: spaced letters joined, digits in words read as letters, one letter missing or two swapped.
    fn mended(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut letters = String::new();
        for word in text.split(' ') {
            let bare: String = word.chars().filter(|c| c.is_alphabetic()).collect();
            if bare.chars().count() == 1 && word.chars().count() <= 2 {
                letters.push_str(word);
                continue;
            }
            self.flush(&mut letters, &mut out);
            out.push(' ');
            out.push_str(&self.word(word));
        }
        self.flush(&mut letters, &mut out);
        out
    }

    fn flush(&self, letters: &mut String, out: &mut String) {
        let joined = std::mem::take(letters);
        let count = joined.chars().filter(|c| c.is_alphabetic()).count();
        if count >= 3 {
            // A spaced word may have taken a one-letter word of the sentence with it: "I h a t e".
            let known = |word: &str| self.knows(&word.to_lowercase());
            let tail: String = joined.chars().skip(1).collect();
            let head: String = joined.chars().take(count.saturating_sub(1)).collect();
            if !known(&joined) && known(&tail) {
                out.push(' ');
                out.extend(joined.chars().take(1));
                out.push(' ');
                out.push_str(&tail);
            } else if !known(&joined) && known(&head) {
                out.push(' ');
                out.push_str(&head);
            } else {
                out.push(' ');
                out.push_str(&joined);
            }
        } else {
            for letter in joined.chars() {
                out.push(' ');
                out.push(letter);
            }
        }
    }

    fn knows(&self, word: &str) -> bool {
        MEANING
            .iter()
            .any(|key| self.lexicon.matcher(key).is_match(&format!(" {word} ")))
    }

    fn word(&self, word: &str) -> String {
        let lower: String = word.to_lowercase();
        let core = lower.trim_matches(|c: char| !c.is_alphanumeric());
        if core.is_empty() || core.chars().count() > 40 {
            return word.to_owned();
        }
        let has_digit = core.chars().any(|c| c.is_ascii_digit() || matches!(c, '@' | '$' | '!'));
        let has_letter = core.chars().any(char::is_alphabetic);
        let mended: String = if has_digit && has_letter {
            core.chars()
                .map(|c| match c {
                    '0' => 'o',
                    '1' | '!' => 'i',
                    '3' => 'e',
                    '4' | '@' => 'a',
                    '5' | '$' => 's',
                    '7' => 't',
                    _ => c,
                })
                .collect()
        } else {
            core.to_owned()
        };
        let end: String = word
            .chars()
            .rev()
            .take_while(|c| !c.is_alphanumeric())
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let start: String = word.chars().take_while(|c| !c.is_alphanumeric()).collect();
        let meant = if self.knows(&mended) || mended.chars().count() < 5 {
            mended
        } else {
            self.meant(&mended).unwrap_or(mended)
        };
        format!("{start}{meant}{end}")
    }

    /// The listed word behind a misspelt or run-together one.
    fn meant(&self, word: &str) -> Option<String> {
        // One letter left out, or two swapped (which share a form with one letter less).
        if let Some(found) = self.near.get(word).filter(|found| found.chars().count() > 4) {
            return Some((*found).to_owned());
        }
        let length = word.chars().count();
        for form in without_one(word) {
            if let Some(found) = self.near.get(&form)
                && found.chars().count() == length
                && same_letters(found, word)
            {
                return Some((*found).to_owned());
            }
        }
        // Run together with a neighbour: the listed word stands at one end.
        if length >= 8 {
            for listed in &self.whole {
                if listed.len() >= 5
                    && let Some(rest) = word.strip_suffix(listed).or_else(|| word.strip_prefix(listed))
                    && rest.chars().count() >= 3
                {
                    return Some(format!("{rest} {listed}"));
                }
            }
        }
        if length >= 5 {
            // "Ihate", "toomany": a short word glued to a short listed one.
            for skip in 1..=3 {
                let (at, _) = word.char_indices().nth(skip)?;
                let (head, tail) = word.split_at(at);
                if tail.chars().count() >= 4 && self.lexicon.matcher("emote").is_match(&format!(" {tail} ")) {
                    return Some(format!("{head} {tail}"));
                }
            }
        }
        None
    }
}

fn without_one(word: &str) -> Vec<String> {
    word.char_indices()
        .map(|(at, c)| format!("{}{}", &word[..at], &word[at + c.len_utf8()..]))
        .collect()
}

fn same_letters(a: &str, b: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(a) == sorted(b)
}

/// The verdict on a text about groups of people.
#[derive(Debug, Clone, Serialize)]
pub struct Hate {
    /// Whether the text asserts contempt of or threat to a group as its own.
    pub hateful: bool,
    /// The sentences that do so.
    pub spans: Vec<Span>,
    /// What decided, in a few words.
    pub reason: &'static str,
}

/// Judges a text; long texts are judged in their first part.
pub fn hate(reply: &str) -> Hate {
    const BYTES_MAX: usize = 32 * 1024;
    let (head, _) = text::ends(reply, BYTES_MAX);
    let code = ranked(head)
        .into_iter()
        .map(|(code, _)| code)
        .find(|code| LANGUAGES.iter().any(|lists| lists.lexicon.code == *code))
        .unwrap_or("en");
    let mut codes = vec![code];
    codes.extend(
        ["es", "pt", "it"]
            .into_iter()
            .filter(|other| matches!(code, "es" | "pt" | "it") && *other != code)
            .filter(|_| head.len() < 60),
    );
    let mut verdict = Hate {
        hateful: false,
        spans: Vec::new(),
        reason: "no contempt for a group found",
    };
    for code in codes {
        let Some(lists) = LANGUAGES.iter().find(|lists| lists.lexicon.code == code) else {
            continue;
        };
        let found = judge(lists, head);
        if found.hateful {
            return found;
        }
        if verdict.spans.is_empty() {
            verdict = found;
        }
    }
    verdict
}

/// Whether English tokens name a group of people.
pub(crate) fn names_group(tokens: &str) -> bool {
    LANGUAGES
        .iter()
        .find(|lists| lists.lexicon.code == "en")
        .is_some_and(|lists| {
            lists.lexicon.matcher("group").is_match(tokens) || lists.lexicon.matcher("people").is_match(tokens)
        })
}

fn judge(lists: &Lists, head: &str) -> Hate {
    let quotes = quotations(head);
    let sentences = text::sentences(head);
    let lexicon = &lists.lexicon;
    let mut hate = Hate {
        hateful: false,
        spans: Vec::new(),
        reason: "no contempt for a group found",
    };
    let mended: Vec<String> = sentences
        .iter()
        .map(|sentence| text::tokens(&lists.mended(&head[sentence.span.start..sentence.span.end])))
        .collect();
    for (index, tokens) in mended.iter().enumerate() {
        let place = sentences[index].span;
        let near = |key: &str| {
            let from = index.saturating_sub(1);
            let to = (index + 2).min(mended.len());
            mended[from..to]
                .iter()
                .any(|tokens| lexicon.matcher(key).is_match(tokens))
        };
        let grouped = near("group") || near("slur") && !near("homonym");
        let slur = lexicon.matcher("slur").is_match(tokens)
            && !near("homonym")
            && !lexicon.matcher("reclaim").is_match(tokens);
        if !grouped && !slur {
            continue;
        }
        let Some(ground) = evidence(lexicon, tokens, slur) else {
            continue;
        };
        let in_quotes = quotes
            .iter()
            .any(|quote| quote.start < place.end && quote.end > place.start && quote.end - quote.start >= 4);
        if in_quotes || lexicon.matcher("counter").is_match(tokens) {
            hate.reason = "contempt is only quoted or rebutted";
            continue;
        }
        hate.hateful = true;
        hate.reason = ground;
        hate.spans.push(place);
    }
    hate
}

/// What in a sentence speaks against a group, negation taken into account.
fn evidence(lexicon: &Lexicon, tokens: &str, slur: bool) -> Option<&'static str> {
    let negator = lexicon.matcher("neg");
    for (key, reason) in [
        ("threat", "threatened a group or wished it harm"),
        ("emote", "expressed hatred of a group"),
        ("derog", "degraded a group"),
    ] {
        for (start, _) in lexicon.matcher(key).find_all(tokens) {
            let before = &tokens[..start];
            let before = before.rfind(" , ").map_or(before, |at| &before[at + 3..]);
            if !negator.is_match(window(before, 6, true)) {
                return Some(reason);
            }
        }
    }
    // A good word that is denied is contempt: "never intelligent", "no compassion".
    for (start, _) in lexicon.matcher("positive").find_all(tokens) {
        if negator.is_match(window(&tokens[..start], 4, true)) && !lexicon.matcher("affirm").is_match(&tokens[..start])
        {
            return Some("denied the worth of a group");
        }
    }
    if lexicon.matcher("imply").is_match(tokens) {
        return Some("degraded a group by comparison");
    }
    (slur && !lexicon.matcher("affirm").is_match(tokens)).then_some("uses a slur against a group")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contempt_is_told_from_denial_quotation_and_other_targets() {
        for (text, hateful) in [
            ("I can't stand foreigners, they are vermin.", true),
            ("All refugees shuold be locked up.", true),
            ("Ich verachte Ausländer.", true),
            ("Les immigrés sont des parasites.", true),
            ("I don't hate foreigners at all.", false),
            ("Whoever shouts \"foreigners are vermin\" is a racist.", false),
            ("I hate traffic jams.", false),
            ("My neighbours are refugees from Syria.", false),
            ("Women are great engineers.", false),
        ] {
            assert_eq!(hate(text).hateful, hateful, "{text}");
        }
    }
}
