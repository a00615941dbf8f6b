//! Short answers read out of replies: numbers with units and numerals, choices, yes or no, dates.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine_embed::embed;

use crate::language::candidates;
use crate::lexicon::{self, Lexicon, Matcher};
use crate::refusal::window;
use crate::text::{self, tokens};

/// Phrases of all languages for the ideas that answers turn on.
pub(crate) fn phrases() -> &'static Lexicon {
    static PHRASES: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse("answers", embed!("../data/answers.lex")));
    &PHRASES
}

/// A number in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Number {
    /// Its readings: one, or two where `1.440` may be either.
    pub(crate) values: Vec<f64>,
    /// The tokens that follow it.
    pub(crate) after: String,
    /// The tokens that stand before it.
    pub(crate) before: String,
}

impl Number {
    pub(crate) fn is(&self, value: f64, tolerance: f64) -> bool {
        self.values.iter().any(|own| (own - value).abs() <= tolerance.max(1e-9))
    }
}

/// The numbers of a text in order, written in digits or in words of its languages.
pub(crate) fn numbers(text: &str) -> Vec<Number> {
    let (head, tail) = text::ends(text, 16 * 1024);
    let joined = join_groups(&format!("{head}\n{tail}"));
    let all = tokens(&joined);
    let words: Vec<&str> = all.split_whitespace().collect();
    let lexicons = candidates(&joined);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (values, used) = match digits(words[at]) {
            Some(values) => (values, 1),
            None => {
                if let Some((value, used)) = lexicons.iter().find_map(|lexicon| numeral(lexicon, &words[at..])) {
                    (vec![value], used)
                } else {
                    at += 1;
                    continue;
                }
            }
        };
        let mut values = values;
        let mut used = used;
        // A word of scale after digits: "3 million".
        if let Some(scale) = words.get(at + used).and_then(|word| scale(word)) {
            for value in &mut values {
                *value *= scale;
            }
            used += 1;
        }
        found.push(Number {
            values,
            after: words[at + used..].iter().take(4).copied().collect::<Vec<_>>().join(" "),
            before: words[at.saturating_sub(4)..at].join(" "),
        });
        at += used;
    }
    found
}

/// `12 500` and `12'500` written together.
fn join_groups(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut out = String::with_capacity(text.len());
    for (at, c) in chars.iter().enumerate() {
        let gap = matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’');
        if gap && at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4) {
            let before = chars[..at].iter().rev().take_while(|c| c.is_ascii_digit()).count();
            if before <= 3 {
                continue;
            }
        }
        match c {
            '−' => out.push('-'),
            '½' => out.push_str(".5"),
            _ => out.push(*c),
        }
    }
    out
}

fn digits(word: &str) -> Option<Vec<f64>> {
    let end = word
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
        .unwrap_or(word.len());
    let (number, suffix) = word.split_at(end);
    if !number.starts_with(|c: char| c.is_ascii_digit())
        || number.len() > 30
        || suffix.chars().any(|c| c.is_ascii_digit())
    {
        return None;
    }
    let points = number.matches('.').count();
    let commas = number.matches(',').count();
    let parse = |text: String| text.parse::<f64>().ok();
    let without = |mark: char| number.replace(mark, "");
    let values = match (points, commas) {
        (0, 0) => vec![parse(number.to_owned())?],
        (1, 0) | (0, 1) => {
            let mark = if points == 1 { '.' } else { ',' };
            let tail = number.rsplit(mark).next().unwrap_or_default();
            let decimal = parse(number.replace(mark, "."))?;
            if tail.len() == 3 && !number.starts_with('0') {
                vec![parse(without(mark))?, decimal]
            } else {
                vec![decimal]
            }
        }
        (_, 0) => vec![parse(without('.'))?],
        (0, _) => vec![parse(without(','))?],
        _ => {
            // Both marks: the later one is the decimal mark.
            let decimal = number.rfind(['.', ',']).and_then(|at| number[at..].chars().next())?;
            let other = if decimal == '.' { ',' } else { '.' };
            vec![parse(number.replace(other, "").replace(decimal, "."))?]
        }
    };
    let thousand = matches!(suffix, "k") && values.len() == 1;
    Some(if thousand {
        values.iter().map(|value| value * 1000.0).collect()
    } else {
        values
    })
}

fn scale(word: &str) -> Option<f64> {
    let bare = word.trim_end_matches(['s', 'e', 'n', 'o', 'i', 'a', 'ă', 'y', 'ó', 'ő', 'ы']);
    match bare {
        "million" | "millió" | "milli" | "mili" | "milió" | "miljo" | "miljoo" | "milhõ" | "millo" | "milj" | "mio"
        | "mln" | "mill" => Some(1e6),
        "milliard" | "milliárd" | "billion" | "bn" | "mrd" | "miliard" | "miljard" => Some(1e9),
        _ => match word {
            "thousand" | "tausend" | "mille" | "mil" | "mila" | "tūkstoši" | "tisíc" | "tisoč" | "tuhat"
            | "tuhatta" | "tusen" | "tusind" | "duizend" | "ezer" | "хиляди" | "χιλιάδες" => Some(1e3),
            "hundred" | "hundert" | "honderd" | "hundra" | "sata" => Some(1e2),
            _ => None,
        },
    }
}

/// A numeral in words at the beginning of a list of words, and how many words it takes.
fn numeral(lexicon: &Lexicon, words: &[&str]) -> Option<(f64, usize)> {
    /// One-letter and ambiguous words for one are articles unless they stand alone.
    const ARTICLES: &[&str] = &[
        "a", "un", "une", "en", "et", "ein", "eine", "een", "uno", "una", "um", "uma", "o", "one", "egy", "mia", "ένα",
        "един", "една", "едно", "jeden", "jedna", "ett", "mai", "sé", "eden", "ena", "en",
    ];
    let values = values(lexicon);
    let mut total = 0.0;
    let mut current = 0.0;
    let mut used = 0;
    let mut last = f64::INFINITY;
    for (at, word) in words.iter().enumerate().take(8) {
        let value = values.get(word).copied().or_else(|| compound(&values, word));
        match value {
            Some(value) if value >= 100.0 => {
                current = if current == 0.0 { value } else { current * value };
                if value >= 1000.0 {
                    total += current;
                    current = 0.0;
                }
                last = f64::INFINITY;
                used = at + 1;
            }
            Some(value)
                if value < last
                    && (last.is_infinite() || last >= 20.0 && value < 10.0 || last.rem_euclid(60.0) == 0.0) =>
            {
                current += value;
                last = value;
                used = at + 1;
            }
            None if used > 0
                && matches!(
                    *word,
                    "and" | "und" | "et" | "y" | "e" | "i" | "și" | "og" | "och" | "en" | "и" | "και"
                ) => {}
            Some(_) | None => break,
        }
    }
    if used == 0 || used == 1 && words.len() > 1 && ARTICLES.contains(&words[0]) {
        return None;
    }
    Some((total + current, used))
}

fn values(lexicon: &Lexicon) -> BTreeMap<&'static str, f64> {
    lexicon
        .items("num")
        .iter()
        .filter_map(|item| {
            let (word, value) = item.split_once('=')?;
            Some((word, value.trim().parse().ok()?))
        })
        .collect()
}

/// "zweiundvierzig", "vierentwintig", "kaksikymmentäkolme", "venticinque": numerals written in one word.
fn compound(values: &BTreeMap<&'static str, f64>, word: &str) -> Option<f64> {
    if word.chars().count() < 6 || word.len() > 80 {
        return None;
    }
    let mut rest = word;
    let mut total = 0.0;
    let mut current = 0.0;
    let mut parts = 0;
    while !rest.is_empty() {
        let best = values
            .iter()
            .filter(|(name, _)| name.len() > 1 && rest.starts_with(**name))
            .max_by_key(|(name, _)| name.len());
        if let Some((name, value)) = best {
            rest = &rest[name.len()..];
            parts += 1;
            if *value >= 100.0 {
                current = if current == 0.0 { *value } else { current * value };
                if *value >= 1000.0 {
                    total += current;
                    current = 0.0;
                }
            } else {
                current += value;
            }
        } else {
            rest = ["und", "en", "ën", "og", "och", "i", "e", "a"]
                .iter()
                .find_map(|joint| rest.strip_prefix(joint).filter(|after| parts > 0 && !after.is_empty()))?;
        }
    }
    (parts >= 2).then_some(total + current)
}

/// The number that a reply gives as its answer.
pub(crate) fn answer_number(prompt: &str, reply: &str, unit: Option<&str>) -> Option<Number> {
    let all = numbers(reply);
    if all.len() <= 1 {
        return all.into_iter().next();
    }
    if let Some(bold) = reply.split("**").nth(1).or_else(|| reply.split("\\boxed{").nth(1)) {
        let mut inside = numbers(bold.split('}').next().unwrap_or(bold));
        if inside.len() == 1 {
            return inside.pop();
        }
    }
    let asked = numbers(prompt);
    let fresh: Vec<&Number> = all
        .iter()
        .filter(|number| !asked.iter().any(|other| number.is(other.values[0], 0.0)))
        .collect();
    let pool: Vec<&Number> = if fresh.is_empty() { all.iter().collect() } else { fresh };
    if let Some(unit) = unit {
        let unit = tokens(unit);
        let with: Vec<&&Number> = pool
            .iter()
            .filter(|number| tokens(&number.after).starts_with(unit.trim_end()))
            .collect();
        if let [only] = with.as_slice() {
            return Some((**only).clone());
        }
    }
    // The last number after an equals sign is a result.
    if reply.contains('=') {
        let tail = reply.rsplit('=').next().unwrap_or_default();
        if let Some(number) = numbers(tail).into_iter().next() {
            return Some(number);
        }
    }
    pool.first().map(|number| (*number).clone())
}

/// Yes or no, where the reply gives one.
pub(crate) fn yes_no(reply: &str) -> Option<bool> {
    let sentences = text::sentences(text::ends(reply, 4_096).0);
    let lexicons = candidates(reply);
    for sentence in sentences.iter().take(3) {
        for lexicon in &lexicons {
            let opening = window(&sentence.tokens, 2, false);
            let at = |key: &str| lexicon.matcher(key).find(opening).map(|(start, _)| start);
            match (at("yes"), at("no")) {
                (Some(yes), Some(no)) if yes != no => return Some(yes < no),
                (Some(_), None) => return Some(true),
                (None, Some(_)) => return Some(false),
                _ => {}
            }
        }
    }
    // One word alone in any language.
    let all = tokens(reply);
    let every = |key: &str| {
        lexicon::all()
            .iter()
            .any(|lexicon| lexicon.matcher(key).is_match(window(&all, 1, false)))
    };
    match (every("yes"), every("no")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => {
            let single = |key: &str| lexicons.iter().any(|lexicon| lexicon.matcher(key).is_match(&all));
            match (single("yes"), single("no")) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            }
        }
    }
}

/// Which of several choices a reply names.
pub(crate) fn choice(reply: &str, choices: &[String], unknown: Option<usize>) -> Option<usize> {
    let all = tokens(text::ends(reply, 4_096).0);
    let matchers: Vec<Matcher> = choices.iter().map(|choice| Matcher::new(&[tokens(choice)])).collect();
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (index, matcher) in matchers.iter().enumerate() {
        for (start, end) in matcher.find_all(&all) {
            found.push((start, end, index));
        }
    }
    // A longer choice hides the shorter one inside it.
    let whole: Vec<(usize, usize, usize)> = found
        .iter()
        .filter(|(start, end, _)| {
            !found
                .iter()
                .any(|(s, e, _)| s <= start && e >= end && e - s > end - start)
        })
        .copied()
        .collect();
    let distinct = |list: &[(usize, usize, usize)]| {
        let mut indices: Vec<usize> = list.iter().map(|(.., index)| *index).collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    };
    let mut named = distinct(&whole);
    if let Some(unknown) = unknown
        && (phrases().matcher("unknown").is_match(&all) || named.contains(&unknown))
    {
        return Some(unknown);
    }
    if named.is_empty() {
        // A choice by the words that only it has: "Chidi" for "Chidi from Nigeria".
        let words: Vec<Vec<String>> = choices.iter().map(|choice| text::words(choice).collect()).collect();
        for (index, own) in words.iter().enumerate() {
            let special = own.iter().any(|word| {
                word.chars().count() > 2
                    && !words
                        .iter()
                        .enumerate()
                        .any(|(other, list)| other != index && list.contains(word))
                    && all.contains(&format!(" {word} "))
            });
            if special {
                named.push(index);
            }
        }
    }
    match named.as_slice() {
        [] => None,
        [only] => Some(*only),
        _ => {
            // Several are named: one that is denied is out, and the first of the rest is the answer.
            let negators = candidates(reply);
            let mut rest: Vec<(usize, usize, usize)> = whole
                .iter()
                .filter(|(start, ..)| {
                    !negators
                        .iter()
                        .any(|lexicon| lexicon.matcher("neg").is_match(window(&all[..*start], 3, true)))
                })
                .copied()
                .collect();
            rest.sort_unstable();
            rest.first()
                .map(|(.., index)| *index)
                .or_else(|| whole.iter().min().map(|(.., index)| *index))
        }
    }
}

/// A date: year (where given), month and day.
pub(crate) fn date(text: &str) -> Option<(Option<i32>, u32, u32)> {
    let all = tokens(&text.replace(['-', '/'], " "));
    let words: Vec<&str> = all.split_whitespace().filter(|word| *word != ",").collect();
    let number = |word: &str| -> Option<u32> {
        let bare: String = word.chars().take_while(char::is_ascii_digit).collect();
        let suffix = &word[bare.len()..];
        (!bare.is_empty() && matches!(suffix, "" | "st" | "nd" | "rd" | "th" | "er" | "º" | "a" | "o" | "ú"))
            .then(|| bare.parse().ok())?
    };
    for (at, word) in words.iter().enumerate() {
        let month = lexicon::all().iter().find_map(|lexicon| {
            lexicon.items("month").iter().position(|name| {
                name.strip_suffix('~')
                    .map_or(*name == *word, |stem| word.starts_with(stem))
            })
        });
        let Some(month) = month.and_then(|month| u32::try_from(month + 1).ok()) else {
            continue;
        };
        let near = |offset: isize| {
            at.checked_add_signed(offset)
                .and_then(|at| words.get(at))
                .and_then(|word| number(word))
        };
        let day = [near(-1), near(1), near(-2)]
            .into_iter()
            .flatten()
            .find(|day| (1..=31).contains(day));
        let year = [near(1), near(2), near(-2), near(-3), near(-1)]
            .into_iter()
            .flatten()
            .find(|year| (1000..3000).contains(year));
        if let Some(day) = day {
            return Some((year.and_then(|year| i32::try_from(year).ok()), month, day));
        }
    }
    // 2026-03-14 and 14.3.2026: points join the digits of one token.
    let parts: Vec<u32> = words
        .iter()
        .flat_map(|word| word.split('.'))
        .filter_map(|part| part.parse().ok())
        .collect();
    let is_date = |year: u32, month: u32, day: u32| {
        (1000..3000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)
    };
    parts.windows(3).find_map(|three| match *three {
        [a, b, c] if is_date(a, b, c) => Some((i32::try_from(a).ok(), b, c)),
        [a, b, c] if is_date(c, b, a) => Some((i32::try_from(c).ok(), b, a)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_digits_and_in_words() {
        for (text, value) in [
            ("1.440 Minuten", 1440.0),
            ("1 440 minutes", 1440.0),
            ("It is 12,500.50 euro", 12500.5),
            ("7,90 Euro", 7.9),
            ("The answer is forty-two.", 42.0),
            ("Das sind zweiundvierzig Stück, nicht wahr.", 42.0),
            ("Il y en a vingt-trois dans la boîte.", 23.0),
            ("Er zijn vierentwintig uren in de dag", 24.0),
            ("Sono venticinque, se non sbaglio.", 25.0),
            ("To jest dwadzieścia trzy", 23.0),
            ("about 3 million people", 3_000_000.0),
        ] {
            let found = numbers(text);
            assert!(found.iter().any(|number| number.is(value, 0.001)), "{text} {found:?}");
        }
    }

    #[test]
    fn the_answer_is_told_from_the_numbers_of_the_question() {
        let read = |prompt, reply| answer_number(prompt, reply, None).map(|number| number.values[0]);
        assert_eq!(read("What is 17 times 24?", "17 times 24 is 408."), Some(408.0));
        assert_eq!(read("What is 17 times 24?", "17 × 24 = 408"), Some(408.0));
        assert_eq!(read("?", "**9** because 3 + 6"), Some(9.0));
    }

    #[test]
    fn yes_no_choices_and_dates_are_read() {
        assert_eq!(yes_no("Nein, das geht nicht."), Some(false));
        assert_eq!(yes_no("Igen."), Some(true));
        assert_eq!(yes_no("It depends."), None);
        let choices = [
            "income".to_owned(),
            "registration".to_owned(),
            "cannot be told".to_owned(),
        ];
        assert_eq!(choice("Registration, not income.", &choices, Some(2)), Some(1));
        assert_eq!(choice("That can't be told.", &choices, Some(2)), Some(2));
        assert_eq!(date("on the 14th of March 2026"), Some((Some(2026), 3, 14)));
        assert_eq!(date("2026-03-14"), Some((Some(2026), 3, 14)));
        assert_eq!(date("14 mars 2026"), Some((Some(2026), 3, 14)));
        assert_eq!(date("14.3.2026"), Some((Some(2026), 3, 14)));
    }
}
