//! Glyphs: characters by the codes and the names that fonts with one byte for each character use.

/// A code of the usual Latin encoding of PDF, which is that of Windows.
pub(crate) fn latin(code: u32) -> char {
    const HIGH: [char; 32] = [
        '€', '•', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '•', 'Ž', '•', '•', '‘', '’', '“', '”', '•',
        '–', '—', '˜', '™', 'š', '›', 'œ', '•', 'ž', 'Ÿ',
    ];
    match code {
        0..=31 => ' ',
        128..=159 => usize::try_from(code - 128)
            .ok()
            .and_then(|at| HIGH.get(at))
            .copied()
            .unwrap_or(' '),
        _ => char::from_u32(code).unwrap_or(' '),
    }
}

/// The characters of a glyph by its name.
pub(crate) fn glyph(name: &str) -> Option<String> {
    let base = name.split('.').next().unwrap_or(name);
    let mut letters = base.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Some(letter.to_string());
    }
    if let Some((_, found)) = GLYPHS.iter().find(|(known, _)| *known == base) {
        return Some((*found).to_owned());
    }
    for (accent, mark) in ACCENTS {
        // The accent is put after its letter, as decomposed text has it.
        if let Some(letter) = base.strip_suffix(accent)
            && letter.len() == 1
        {
            return Some(format!("{letter}{mark}"));
        }
    }
    let hex = base.strip_prefix("uni").or_else(|| base.strip_prefix('u'))?;
    let code = u32::from_str_radix(hex.get(..4.min(hex.len()))?, 16).ok()?;
    char::from_u32(code).map(|c| c.to_string())
}

const ACCENTS: &[(&str, char)] = &[
    ("grave", '\u{300}'),
    ("acute", '\u{301}'),
    ("circumflex", '\u{302}'),
    ("tilde", '\u{303}'),
    ("breve", '\u{306}'),
    ("dotaccent", '\u{307}'),
    ("dieresis", '\u{308}'),
    ("ring", '\u{30A}'),
    ("hungarumlaut", '\u{30B}'),
    ("caron", '\u{30C}'),
    ("cedilla", '\u{327}'),
    ("ogonek", '\u{328}'),
];

const GLYPHS: &[(&str, &str)] = &[
    ("space", " "),
    ("exclam", "!"),
    ("quotedbl", "\""),
    ("numbersign", "#"),
    ("dollar", "$"),
    ("percent", "%"),
    ("ampersand", "&"),
    ("quotesingle", "'"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("asterisk", "*"),
    ("plus", "+"),
    ("comma", ","),
    ("hyphen", "-"),
    ("minus", "-"),
    ("period", "."),
    ("slash", "/"),
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("colon", ":"),
    ("semicolon", ";"),
    ("less", "<"),
    ("equal", "="),
    ("greater", ">"),
    ("question", "?"),
    ("at", "@"),
    ("bracketleft", "["),
    ("bracketright", "]"),
    ("backslash", "\\"),
    ("underscore", "_"),
    ("braceleft", "{"),
    ("braceright", "}"),
    ("bar", "|"),
    ("quoteleft", "\u{2018}"),
    ("quoteright", "\u{2019}"),
    ("quotedblleft", "\u{201C}"),
    ("quotedblright", "\u{201D}"),
    ("quotedblbase", "\u{201E}"),
    ("quotesinglbase", "\u{201A}"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("endash", "–"),
    ("emdash", "—"),
    ("bullet", "•"),
    ("periodcentered", "·"),
    ("ellipsis", "…"),
    ("section", "§"),
    ("paragraph", "¶"),
    ("degree", "°"),
    ("Euro", "€"),
    ("fi", "fi"),
    ("fl", "fl"),
    ("ff", "ff"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("germandbls", "ß"),
    ("dotlessi", "i"),
    ("ae", "æ"),
    ("AE", "Æ"),
    ("oe", "œ"),
    ("OE", "Œ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("lslash", "ł"),
    ("Lslash", "Ł"),
    ("eth", "ð"),
    ("thorn", "þ"),
];
