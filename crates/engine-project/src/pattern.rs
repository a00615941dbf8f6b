//! One rule of an ignore file, and whether it holds for a path, byte by byte as git has it.
//!
//! A pattern is a sequence of pieces. All ways to fit them on a name are followed at once, so that the work is the product of
//! both lengths at most, whatever a hostile rule repeats.

/// Letters that make a pattern more than a name.
const WILD: &[u8] = b"*?[\\";

/// A rule: what it does, and which names it fits.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// Whether it keeps what earlier rules ignore.
    pub(crate) keeps: bool,
    /// Whether it fits folders only.
    folders_only: bool,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    /// The last part of a path, as it stands.
    Name(Vec<u8>),
    /// The end of the last part: `*.log`.
    End(Vec<u8>),
    /// The last part of a path, by pieces.
    Pieces(Vec<Piece>),
    /// The whole path below the folder of the rules: how it starts, and the pieces behind that.
    Path(Vec<u8>, Vec<Piece>),
    /// Nothing fits.
    Nothing,
}

#[derive(Clone, Debug)]
enum Piece {
    Byte(u8),
    /// Any one byte within a part of a path.
    Any,
    /// A set of bytes.
    Set(Box<[bool; 256]>),
    /// Any number of bytes within a part of a path.
    Star,
    /// Any number of bytes.
    Stars,
    /// The two pieces that come next, any number of bytes and a slash, may be missing together.
    Skip,
}

impl Rule {
    /// Reads a line of an ignore file; `None` for a comment and an empty line.
    pub(crate) fn parse(line: &[u8], fold: bool) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            return None;
        }
        // The text of a rule ends like that of git at a zero byte.
        let line = line.split(|byte| *byte == 0).next().unwrap_or_default();
        let line = without_spaces(line);
        let (keeps, pattern) = match line.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (folders_only, short) = match pattern.strip_suffix(b"/") {
            Some(short) => (true, short),
            None => (false, pattern),
        };
        Some(Self {
            keeps,
            folders_only,
            shape: Shape::of(short, fold),
        })
    }

    /// Whether the rule fits an entry, given its path below the folder of the rules.
    pub(crate) fn fits(&self, path: &[u8], is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        let name = || path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        match &self.shape {
            Shape::Name(wanted) => name() == wanted.as_slice(),
            Shape::End(wanted) => name().ends_with(wanted),
            Shape::Pieces(pieces) => fit(pieces, name()),
            Shape::Path(start, pieces) => path
                .strip_prefix(start.as_slice())
                .is_some_and(|rest| fit(pieces, rest)),
            Shape::Nothing => false,
        }
    }

    /// The name that an entry needs for the rule to fit, where it is one alone.
    pub(crate) fn name(&self) -> Option<&[u8]> {
        match &self.shape {
            Shape::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Whether the rule is slow to try.
    pub(crate) fn is_wild(&self) -> bool {
        matches!(self.shape, Shape::Pieces(_) | Shape::Path(..) | Shape::End(_))
    }

    /// Whether no path can fit.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.shape, Shape::Nothing)
    }
}

impl Shape {
    fn of(pattern: &[u8], fold: bool) -> Self {
        if pattern.is_empty() {
            return Self::Nothing;
        }
        let plain = |pattern: &[u8]| !pattern.iter().any(|byte| WILD.contains(byte));
        let text = |text: &[u8]| if fold { text.to_ascii_lowercase() } else { text.to_vec() };
        if !pattern.contains(&b'/') {
            if plain(pattern) {
                return Self::Name(text(pattern));
            }
            return match pattern.split_first() {
                Some((b'*', rest)) if plain(rest) => Self::End(text(rest)),
                _ => pieces(pattern, fold).map_or(Self::Nothing, Self::Pieces),
            };
        }
        // A slash at the start ties the rule to its folder and is no part of the path.
        let pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
        let start = pattern
            .iter()
            .position(|byte| WILD.contains(byte))
            .unwrap_or(pattern.len());
        let (start, rest) = pattern.split_at(start);
        pieces(rest, fold).map_or(Self::Nothing, |pieces| Self::Path(text(start), pieces))
    }
}

/// A line without the spaces at its end; one behind a backslash stays.
fn without_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => at += 1,
            b'\\' => {
                // With nothing behind the backslash the line stays as it is.
                if at + 1 >= line.len() {
                    return line;
                }
                at += 2;
                end = at;
            }
            _ => {
                at += 1;
                end = at;
            }
        }
    }
    &line[..end]
}

/// The pieces of a pattern; `None` for one that is broken, which nothing fits.
fn pieces(pattern: &[u8], fold: bool) -> Option<Vec<Piece>> {
    let mut out = Vec::with_capacity(pattern.len());
    let mut at = 0;
    while let Some(byte) = pattern.get(at) {
        match byte {
            b'\\' => {
                out.push(Piece::Byte(*pattern.get(at + 1)?));
                at += 2;
            }
            b'?' => {
                out.push(Piece::Any);
                at += 1;
            }
            b'*' => {
                let start = at;
                while pattern.get(at) == Some(&b'*') {
                    at += 1;
                }
                let rest = &pattern[at..];
                // Two stars are more than one only where they are a whole part of the path.
                let whole = at - start > 1
                    && (start == 0 || pattern[start - 1] == b'/')
                    && (rest.is_empty() || rest[0] == b'/' || rest.starts_with(b"\\/"));
                if whole && rest.first() == Some(&b'/') {
                    out.push(Piece::Skip);
                }
                out.push(if whole { Piece::Stars } else { Piece::Star });
            }
            b'[' => {
                let (set, next) = set(pattern, at + 1, fold)?;
                out.push(Piece::Set(set));
                at = next;
            }
            byte => {
                out.push(Piece::Byte(if fold { byte.to_ascii_lowercase() } else { *byte }));
                at += 1;
            }
        }
    }
    Some(out)
}

/// The set of bytes behind a bracket, and where the pattern goes on.
fn set(pattern: &[u8], from: usize, fold: bool) -> Option<(Box<[bool; 256]>, usize)> {
    let mut set = Box::new([false; 256]);
    let mut at = from;
    let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    if negated {
        at += 1;
    }
    let mut before: Option<u8> = None;
    let mut first = true;
    loop {
        let byte = *pattern.get(at)?;
        if byte == b']' && !first {
            break;
        }
        first = false;
        let next = pattern.get(at + 1).copied();
        match (byte, before) {
            (b'\\', _) => {
                let escaped = next?;
                set[usize::from(escaped)] = true;
                before = Some(escaped);
                at += 2;
            }
            (b'-', Some(low)) if next.is_some_and(|next| next != b']') => {
                at += 1;
                let mut high = *pattern.get(at)?;
                if high == b'\\' {
                    at += 1;
                    high = *pattern.get(at)?;
                }
                for byte in low..=high {
                    set[usize::from(byte)] = true;
                    // Only a range holds letters of both cases; what a set or a backslash names holds as it stands.
                    if fold {
                        set[usize::from(byte.to_ascii_lowercase())] = true;
                    }
                }
                before = None;
                at += 1;
            }
            (b'[', _) if next == Some(b':') => {
                let start = at + 2;
                let end = start + pattern.get(start..)?.iter().position(|byte| *byte == b']')?;
                if let Some(name) = pattern.get(start..end).and_then(|text| text.strip_suffix(b":")) {
                    add_class(&mut set, name, fold)?;
                    before = None;
                    at = end + 1;
                } else {
                    // No class after all, but a bracket like any other letter.
                    set[usize::from(b'[')] = true;
                    before = Some(b'[');
                    at += 1;
                }
            }
            (byte, _) => {
                set[usize::from(byte)] = true;
                before = Some(byte);
                at += 1;
            }
        }
    }
    if negated {
        for member in set.iter_mut() {
            *member = !*member;
        }
    }
    set[usize::from(b'/')] = false;
    Some((set, at + 1))
}

/// Adds a class of the C library; `None` for a name that it does not have.
fn add_class(set: &mut [bool; 256], name: &[u8], fold: bool) -> Option<()> {
    let belongs: fn(u8) -> bool = match name {
        b"alnum" => |byte| byte.is_ascii_alphanumeric(),
        b"alpha" => |byte| byte.is_ascii_alphabetic(),
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => |byte| byte.is_ascii_control(),
        b"digit" => |byte| byte.is_ascii_digit(),
        b"graph" => |byte| byte.is_ascii_graphic(),
        b"lower" => |byte| byte.is_ascii_lowercase(),
        b"print" => |byte| byte.is_ascii_graphic() || byte == b' ',
        b"punct" => |byte| byte.is_ascii_punctuation(),
        b"space" => |byte| matches!(byte, b' ' | b'\t'..=b'\r'),
        b"upper" if fold => |byte| byte.is_ascii_alphabetic(),
        b"upper" => |byte| byte.is_ascii_uppercase(),
        b"xdigit" => |byte| byte.is_ascii_hexdigit(),
        _ => return None,
    };
    for (byte, member) in (0_u8..=255).zip(set.iter_mut()) {
        *member |= belongs(byte);
    }
    Some(())
}

/// Whether pieces fit a text from its start to its end.
fn fit(pieces: &[Piece], text: &[u8]) -> bool {
    // The piece that each way has come to; the last place stands for the end.
    let mut now = vec![false; pieces.len() + 1];
    let mut next = vec![false; pieces.len() + 1];
    now[0] = true;
    pass_empty(pieces, &mut now);
    for byte in text {
        next.fill(false);
        let mut alive = false;
        for (at, piece) in pieces.iter().enumerate() {
            if !now[at] {
                continue;
            }
            let to = match piece {
                Piece::Byte(wanted) if wanted == byte => at + 1,
                Piece::Any if *byte != b'/' => at + 1,
                Piece::Set(set) if set[usize::from(*byte)] => at + 1,
                Piece::Star if *byte != b'/' => at,
                Piece::Stars => at,
                _ => continue,
            };
            next[to] = true;
            alive = true;
        }
        if !alive {
            return false;
        }
        pass_empty(pieces, &mut next);
        std::mem::swap(&mut now, &mut next);
    }
    now[pieces.len()]
}

/// Goes past the pieces that fit nothing at all.
fn pass_empty(pieces: &[Piece], ways: &mut [bool]) {
    for (at, piece) in pieces.iter().enumerate() {
        if ways[at] {
            match piece {
                Piece::Star | Piece::Stars => ways[at + 1] = true,
                Piece::Skip => {
                    ways[at + 1] = true;
                    ways[at + 3] = true;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    /// Whether a rule fits a file; `None` where the line is no rule.
    fn fits(line: &str, path: &str) -> Option<bool> {
        Rule::parse(line.as_bytes(), false).map(|rule| rule.fits(path.as_bytes(), false))
    }

    #[test]
    fn lines_without_a_pattern_fit_nothing() {
        assert_eq!(fits("", "a"), None);
        assert_eq!(fits("# a", "# a"), None);
        for line in ["!", "! ", "/", "!/", "   ", "[", "a[", "[[:none:]]", "a\\"] {
            assert_eq!(fits(line, "a"), Some(false), "{line:?}");
        }
    }

    #[test]
    fn patterns_fit_as_git_has_it() {
        for (line, path, wanted) in [
            ("a", "b/a", true),
            ("/a", "b/a", false),
            ("a/b", "a/b", true),
            ("a/b", "c/a/b", false),
            ("*.log", "x/y.log", true),
            ("a ", "a", true),
            ("a\\ ", "a ", true),
            ("a\t", "a", false),
            ("a\t", "a\t", true),
            ("\\#a", "#a", true),
            ("\\!a", "!a", true),
            ("{a,b}", "a", false),
            ("{a,b}", "{a,b}", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[^a]x", "bx", true),
            ("[]a]", "]", true),
            ("[\\]]", "]", true),
            ("[[:digit:]]x", "1x", true),
            ("a[!x]b", "a/b", false),
            ("?", "é", false),
            ("??", "é", true),
            ("**/a", "a", true),
            ("**/a", "x/y/a", true),
            ("**/?", ".git", false),
            ("**/?", "x/a", true),
            ("a/**", "a/x/y", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a**b", "axxb", true),
            ("/a**b", "ax/xb", false),
            ("a/*/b", "a/x/y/b", false),
            ("a/*b*", "a/xbx", true),
            ("*/a", "x/y/a", false),
        ] {
            assert_eq!(fits(line, path), Some(wanted), "{line:?} {path:?}");
        }
    }

    #[test]
    fn a_rule_of_many_stars_ends() {
        let rule = Rule::parse("*a".repeat(2_000).as_bytes(), false).unwrap();
        assert!(!rule.fits("a".repeat(4_000).replace("aa", "ab").as_bytes(), false));
    }
}
