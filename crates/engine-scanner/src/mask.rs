//! Masks what looks like a secret before a line of code leaves the scanner.

/// The shortest run of key characters that is looked at.
const RUN_MIN: usize = 20;

/// How many characters of a masked run stay readable, so that a person can tell which key is meant.
const SHOWN: usize = 4;

/// Replaces the middle of every run that looks like a key, a token or a password in a connection string.
///
/// It errs on the side of masking: a digest or a long id in a line of code is masked as well.
pub fn mask_secrets(line: &str) -> String {
    // First what the rules know for a secret, then, as a wider net, whatever looks like one.
    let line = mask_userinfo(&engine_scan_secrets::mask(line));
    let mut out = String::with_capacity(line.len());
    let mut run = String::new();
    for c in line.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '/' | '=' | '.' | '~') {
            run.push(c);
        } else {
            flush(&mut out, &mut run);
            out.push(c);
        }
    }
    flush(&mut out, &mut run);
    out
}

fn flush(out: &mut String, run: &mut String) {
    // `name=value` and `path/key` are one run of characters: each part is judged alone.
    let mut rest = run.as_str();
    while !rest.is_empty() {
        let end = rest.find(['=', '/']).map_or(rest.len(), |at| at + 1);
        let (part, after) = rest.split_at(end);
        let word = part.trim_end_matches(['=', '/']);
        if looks_secret(word) {
            out.push_str(&word[..SHOWN]);
            out.push_str("****");
            out.push_str(&part[word.len()..]);
        } else {
            out.push_str(part);
        }
        rest = after;
    }
    run.clear();
}

/// Marks with which keys begin. What follows them is a secret whatever it looks like.
const MARKS: &[&str] = &[
    "sk-",
    "sk_",
    "pk_live",
    "rk_live",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "AKIA",
    "ASIA",
    "AIza",
    "hf_",
    "gsk_",
    "r8_",
    "pplx-",
    "xai-",
    "eyJ",
    "nvapi-",
    "sg.",
    "SG.",
    "npm_",
    "pypi-",
    "dop_v1_",
];

fn looks_secret(word: &str) -> bool {
    if word.len() < 12 || !word.is_ascii() {
        return false;
    }
    if MARKS.iter().any(|mark| word.starts_with(mark)) && word.bytes().any(|b| b.is_ascii_digit()) {
        return true;
    }
    // A dotted name is code, unless it is a token of three long parts.
    if word.len() < RUN_MIN || word.contains('.') {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let upper = word.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = word.bytes().filter(u8::is_ascii_lowercase).count();
    let hex = word.bytes().all(|b| b.is_ascii_hexdigit());
    if hex {
        return word.len() >= 32 && digits > 0 && upper + lower > 0;
    }
    let words = word
        .split(['_', '-'])
        .filter(|part| part.len() > 2 && part.bytes().all(|b| b.is_ascii_alphabetic()));
    if words.map(str::len).sum::<usize>() * 2 > word.len() {
        return false;
    }
    digits >= 3 && upper + lower >= 3 && changes(word) * 5 >= word.len() && !names_a_model(word)
}

/// Names of models change between letters and digits as often as keys do: `Qwen3-VL-2B-Instruct-Q4_K_M`.
fn names_a_model(word: &str) -> bool {
    word.contains('-') && engine_catalogue::catalogue().model(word).is_some()
}

/// How often the class of characters changes: names change rarely, random text all the time.
fn changes(word: &str) -> usize {
    let class = |b: u8| match b {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        _ => 3,
    };
    word.as_bytes()
        .windows(2)
        .filter(|pair| class(pair[0]) != class(pair[1]))
        .count()
}

/// Masks the password of `scheme://user:password@host`.
fn mask_userinfo(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after
            .find(['/', ' ', '"', '\'', '?', '#', ')', '>'])
            .unwrap_or(after.len());
        let authority = &after[..end];
        match authority
            .rsplit_once('@')
            .and_then(|(user, host)| user.split_once(':').map(|(user, _)| (user, host)))
        {
            Some((user, host)) => {
                out.push_str(user);
                out.push_str(":****@");
                out.push_str(host);
            }
            None => out.push_str(authority),
        }
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::mask_secrets;

    #[test]
    fn keys_and_passwords_are_masked_and_code_is_not() {
        let key = format!("sk-{}", "abcD1234efGH5678ijKL");
        assert_eq!(mask_secrets(&format!("key = \"{key}\"")), "key = \"sk-a****\"");
        assert_eq!(
            mask_secrets("url=postgres://app:hunter2@db/x"),
            "url=postgres://app:****@db/x"
        );
        for line in [
            "client.chat.completions.create(model=MODEL)",
            "from app.services.customer_support_assistant import run",
            "distilbert-base-uncased-finetuned-sst-2-english",
            "SOME_VERY_LONG_CONSTANT_NAME_FOR_2026 = 1",
            "https://example.org/a/b?c=d",
            "model = \"Qwen3-VL-2B-Instruct-Q4_K_M\"",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
