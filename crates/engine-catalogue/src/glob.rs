//! The small pattern language of the data files.

/// Matches `text` against `pattern`, where each `*` stands for one or more characters that `allowed` accepts.
///
/// Runs in time proportional to the product of both lengths; patterns are short embedded data.
pub(crate) fn matches(pattern: &str, text: &str, allowed: fn(u8) -> bool) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at_pattern, mut at_text) = (0, 0);
    // The place to return to: the pattern after the last star, and how far that star has reached.
    let mut retry: Option<(usize, usize)> = None;
    while at_text < text.len() {
        let next = pattern.get(at_pattern);
        if next == Some(&b'*') && allowed(text[at_text]) {
            at_pattern += 1;
            at_text += 1;
            retry = Some((at_pattern, at_text));
        } else if next.is_some_and(|&byte| byte != b'*' && byte == text[at_text]) {
            at_pattern += 1;
            at_text += 1;
        } else if let Some((after_star, reached)) = retry
            && allowed(text[reached])
        {
            retry = Some((after_star, reached + 1));
            at_pattern = after_star;
            at_text = reached + 1;
        } else {
            return false;
        }
    }
    at_pattern == pattern.len()
}
