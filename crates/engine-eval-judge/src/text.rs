//! Text as sentences of plain tokens: lower case, contractions written out, each token wrapped in spaces.

/// A place in the text that was given, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// One sentence, or one line of a list.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    /// The tokens, each wrapped in spaces; a comma is a token of its own.
    pub(crate) tokens: String,
    /// Where the sentence stands.
    pub(crate) span: Span,
    /// How many words it has.
    pub(crate) words: usize,
    /// Whether it ends with a question mark.
    pub(crate) question: bool,
    /// Whether its line begins like an entry of a list.
    pub(crate) listed: bool,
}

/// The tokens of a text as one line, sentence ends left out.
pub(crate) fn tokens(text: &str) -> String {
    sentences(text).into_iter().map(|sentence| sentence.tokens).collect()
}

/// Characters that show nothing: zero-width marks, joiners, soft hyphens, direction marks, tags and variation selectors.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}' | '\u{34f}' | '\u{61c}')
}

/// Cuts a text into sentences.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let mut all = Vec::new();
    let mut open = Open::default();
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    let mut line_start = true;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or('\n', |(_, next)| *next);
        match c {
            _ if is_invisible(c) => continue,
            '\n' | '\r' => {
                open.close(&mut all, at, false);
                line_start = true;
            }
            '\'' | '’' | 'ʼ' | '‘' | '`' if before.is_alphanumeric() && next.is_alphanumeric() => {
                open.start(at);
                open.word.push('\'');
            }
            // Scripts without spaces: each letter is a token, so that phrases are found anywhere.
            _ if is_unspaced(c) => {
                open.start(at);
                open.end_word();
                open.letter(c);
                line_start = false;
            }
            _ if is_joining(c) && !open.word.is_empty() => open.word.push(c),
            _ if c.is_alphanumeric() => {
                open.start(at);
                if open.word.is_empty() && line_start {
                    open.listed |= c.is_ascii_digit() && is_list_number(&text[at..]);
                }
                open.word.extend(c.to_lowercase());
                line_start = false;
            }
            // A point inside a number or an abbreviation ends nothing.
            '.' if before.is_alphanumeric() && next.is_alphanumeric() => {
                if before.is_ascii_digit() && next.is_ascii_digit() {
                    open.word.push('.');
                } else if open.word.chars().count() > 1 {
                    open.end_word();
                }
            }
            '.' if open.listed && open.words == 0 && before.is_ascii_digit() => open.end_word(),
            '.' | '!' | '?' | '…' | ';' | ':' | '。' | '！' | '？' | '；' | '：' | '؟' | '؛' | '۔' | '।'
            | '\u{37e}' => {
                open.end_word();
                if !(c == ':' && next.is_alphanumeric()) {
                    open.close(&mut all, at + c.len_utf8(), matches!(c, '?' | '\u{37e}' | '？' | '؟'));
                }
            }
            ',' | '—' | '–' | '(' | ')' | '،' | '，' | '、' => {
                if c == ',' && before.is_ascii_digit() && next.is_ascii_digit() {
                    open.word.push(',');
                } else {
                    open.end_word();
                    open.comma();
                }
            }
            '-' | '*' | '•' | '·' | '+' if line_start => open.listed |= next == ' ' || c == '•',
            '-' if before == ' ' && next == ' ' => {
                open.end_word();
                open.comma();
            }
            _ => open.end_word(),
        }
        before = c;
    }
    open.close(&mut all, text.len(), false);
    all
}

/// The scripts that the judge tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Arabic,
    Devanagari,
    Han,
    Kana,
    Hangul,
    /// A script without word lists.
    Other,
}

/// The script of a letter.
pub(crate) fn script(c: char) -> Script {
    match c {
        '\u{0}'..='\u{24f}'
        | '\u{1e00}'..='\u{1eff}'
        | '\u{ff21}'..='\u{ff5a}'
        | '\u{250}'..='\u{2af}'
        | '\u{1d00}'..='\u{1dbf}'
        | '\u{2c60}'..='\u{2c7f}'
        | '\u{a720}'..='\u{a7ff}'
        | '\u{2070}'..='\u{218f}'
        | '\u{2460}'..='\u{24ff}'
        | '\u{1d400}'..='\u{1d7ff}'
        | '\u{1f100}'..='\u{1f1ff}' => Script::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => {
            Script::Arabic
        }
        '\u{900}'..='\u{97f}' => Script::Devanagari,
        '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Script::Kana,
        '\u{3005}'..='\u{3007}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}' => Script::Han,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Script::Hangul,
        _ => Script::Other,
    }
}

/// Letters of scripts that put no spaces between words.
fn is_unspaced(c: char) -> bool {
    c.is_alphanumeric() && matches!(script(c), Script::Han | Script::Kana)
}

/// Marks inside words that are not letters by themselves: viramas, vowel signs and combining accents.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{93c}' | '\u{94d}' | '\u{9bc}' | '\u{9cd}' | '\u{a4d}' | '\u{acd}' | '\u{b4d}' | '\u{bcd}'
        | '\u{c4d}' | '\u{ccd}' | '\u{d4d}' | '\u{e38}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}'
        | '\u{640}' | '\u{670}')
}

/// A word in the form that word lists are compared in: Arabic without vowel signs and variants of letters, Hindi without
/// dots below and with one sign of nasal vowels, Turkish without the dot that its capital leaves behind.
fn folded(word: String) -> String {
    if word.is_ascii() {
        return word;
    }
    let other = |c: char| matches!(script(c), Script::Arabic | Script::Devanagari) || c == '\u{307}';
    if !word.chars().any(other) {
        return word;
    }
    word.chars()
        .filter_map(|c| match c {
            '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{640}' | '\u{93c}' | '\u{307}' => None,
            'أ' | 'إ' | 'آ' | 'ٱ' => Some('ا'),
            'ى' | 'ی' => Some('ي'),
            'ة' => Some('ه'),
            'ک' => Some('ك'),
            '\u{901}' => Some('\u{902}'),
            '\u{958}' => Some('क'),
            '\u{959}' => Some('ख'),
            '\u{95a}' => Some('ग'),
            '\u{95b}' => Some('ज'),
            '\u{95c}' => Some('ड'),
            '\u{95d}' => Some('ढ'),
            '\u{95e}' => Some('फ'),
            _ => Some(c),
        })
        .collect()
}

/// A phrase of a word list as tokens apart by one space, its marks `~` and `..` kept.
pub(crate) fn phrase(item: &str) -> String {
    if item.is_ascii() {
        return item.to_owned();
    }
    let mut out: Vec<String> = Vec::new();
    for word in item.split_whitespace() {
        if word == ".." || word == "," {
            out.push(word.to_owned());
            continue;
        }
        let (before, after) = (word.starts_with('~'), word.ends_with('~'));
        let inner = word.trim_matches('~');
        let mut parts: Vec<String> = Vec::new();
        let mut open = String::new();
        for c in inner.chars() {
            if is_unspaced(c) {
                if !open.is_empty() {
                    parts.push(std::mem::take(&mut open));
                }
                parts.push(c.to_string());
            } else {
                open.push(c);
            }
        }
        if !open.is_empty() {
            parts.push(folded(open));
        }
        if let Some(first) = parts.first_mut().filter(|_| before) {
            first.insert(0, '~');
        }
        if let Some(last) = parts.last_mut().filter(|_| after) {
            last.push('~');
        }
        out.extend(parts);
    }
    out.join(" ")
}

/// `1.`, `2)`, `3:` at the beginning of a line.
fn is_list_number(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits <= 3 && matches!(rest.as_bytes().get(digits), Some(b'.' | b')' | b':'))
}

#[derive(Default)]
struct Open {
    tokens: String,
    word: String,
    words: usize,
    /// Letters of scripts without spaces, of which two count as a word.
    letters: usize,
    start: Option<usize>,
    listed: bool,
}

impl Open {
    fn letter(&mut self, c: char) {
        self.tokens.push(' ');
        self.tokens.push(c);
        self.tokens.push(' ');
        self.letters += 1;
    }

    fn start(&mut self, at: usize) {
        self.start.get_or_insert(at);
    }

    fn push(&mut self, word: &str) {
        self.tokens.push(' ');
        self.tokens.push_str(word);
        self.tokens.push(' ');
        self.words += 1;
    }

    fn comma(&mut self) {
        if !self.tokens.is_empty() && !self.tokens.ends_with(" , ") {
            self.tokens.push_str(" , ");
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = folded(std::mem::take(&mut self.word));
        match word.split_once('\'') {
            None => match word.as_str() {
                "cannot" | "cant" => self.both("can", "not"),
                "dont" => self.both("do", "not"),
                "wont" => self.both("will", "not"),
                "im" => self.both("i", "am"),
                _ => self.push(&word),
            },
            Some((_, "t")) if word.ends_with("n't") => {
                let stem = match word.as_str() {
                    "can't" => "can",
                    "won't" => "will",
                    "shan't" => "shall",
                    "ain't" => "is",
                    other => &other[..other.len() - 3],
                };
                let stem = stem.to_owned();
                self.both(&stem, "not");
            }
            Some((stem, "m")) => self.both(stem, "am"),
            Some((stem, "re")) => self.both(stem, "are"),
            Some((stem, "ll")) => self.both(stem, "will"),
            Some((stem, "ve")) => self.both(stem, "have"),
            Some((stem, "d")) => self.both(stem, "would"),
            Some(("let", "s")) => self.both("let", "us"),
            Some((stem @ ("it" | "that" | "here" | "what" | "there" | "he" | "she" | "who"), "s")) => {
                self.both(stem, "is");
            }
            Some((stem, "s")) => self.push(stem),
            Some(_) => {
                for part in word.split('\'').filter(|part| !part.is_empty()) {
                    self.push(part);
                }
            }
        }
    }

    fn both(&mut self, first: &str, second: &str) {
        self.push(first);
        self.push(second);
    }

    fn close(&mut self, all: &mut Vec<Sentence>, end: usize, question: bool) {
        self.end_word();
        let start = self.start.take().unwrap_or(end);
        self.words += self.letters.div_ceil(2);
        self.letters = 0;
        if self.words > 0 {
            all.push(Sentence {
                tokens: std::mem::take(&mut self.tokens),
                span: Span { start, end },
                words: self.words,
                question,
                listed: self.listed,
            });
        }
        self.tokens.clear();
        self.words = 0;
        self.listed = false;
    }
}

/// The beginning and the end of a text, each cut at a character, where the whole is longer than `bytes_max`.
pub(crate) fn ends(text: &str, bytes_max: usize) -> (&str, &str) {
    if text.len() <= bytes_max {
        return (text, "");
    }
    let head = text.floor_char_boundary(bytes_max / 4 * 3);
    let tail = text.ceil_char_boundary(text.len() - bytes_max / 4);
    (&text[..head], &text[tail..])
}

/// The words of a text in lower case, apart from marks.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_numbers_and_abbreviations_are_written_out() {
        assert_eq!(tokens("I can't, won't."), " i  can  not  ,  will  not ");
        assert_eq!(tokens("I’m an A.I. at 3.5"), " i  am  an  ai  at  3.5 ");
        assert_eq!(tokens("l'IA d’abord"), " l  ia  d  abord ");
        assert_eq!(tokens("hel\u{200b}lo"), " hello ");
        assert_eq!(tokens("できる ok"), " で  き  る  ok ");
        assert_eq!(tokens("स्वीकार، أُريد"), " स्वीकार  ,  اريد ");
    }

    #[test]
    fn sentences_carry_their_place_and_kind() {
        let all = sentences("First one. Is it?\n\n1. Take this\n- and that");
        let seen: Vec<(bool, bool)> = all.iter().map(|s| (s.question, s.listed)).collect();
        assert_eq!(seen, [(false, false), (true, false), (false, true), (false, true)]);
        assert_eq!(all[1].span, Span { start: 11, end: 17 });
    }
}
