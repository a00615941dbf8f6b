//! Pages of Blazor: markup with blocks of C# in between.

/// Blocks of one page that are taken out; pages have one or two.
const BLOCKS_MAX: usize = 16;

/// Whether a file is such a page.
pub(crate) fn is_page(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("razor"))
}

/// The code of a page as a class of C#, each line where it stands in the page; none where the page holds no code.
///
/// What the page brings in and what is handed to it stands in front of the first line.
pub(crate) fn as_csharp(text: &str) -> Option<String> {
    let blocks = blocks(text);
    if blocks.is_empty() {
        return None;
    }
    let mut using = String::new();
    let mut fields = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(module) = line.strip_prefix("@using ") {
            using.push_str("using ");
            using.push_str(module.trim_end_matches(';'));
            using.push_str("; ");
        } else if let Some(field) = line.strip_prefix("@inject ") {
            fields.push_str(field.trim_end_matches(';'));
            fields.push_str("; ");
        }
    }
    let mut out = format!("{using}public class Page : ComponentBase {{ {fields}");
    let mut from = 0;
    for (start, end) in blocks {
        out.extend(text[from..start].chars().filter(|c| *c == '\n'));
        out.push_str(&text[start..end]);
        from = end;
    }
    out.push_str(" }\n");
    Some(out)
}

/// The insides of the blocks of code, from behind the opening to before the closing brace.
fn blocks(text: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut from = 0;
    while out.len() < BLOCKS_MAX {
        let found = ["@code", "@functions"]
            .iter()
            .filter_map(|word| text[from..].find(word).map(|at| (from + at, from + at + word.len())))
            .min();
        let Some((at, behind)) = found else { break };
        let rest = &text[behind..];
        let open = rest.len() - rest.trim_start().len();
        // The word may also stand in an address or in the text of the page.
        let begins = text[..at].ends_with(['\n', '\r', ' ', '\t', '}']) || at == 0;
        if !begins || !rest[open..].starts_with('{') {
            from = behind;
            continue;
        }
        let start = behind + open + 1;
        let end = closing(text, start);
        out.push((start, end));
        from = end;
    }
    out
}

/// Where the brace stands that closes a block, or the end of the text.
fn closing(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..]
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .unwrap_or(bytes.len() - at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            b'"' => {
                at = behind_text(text, at);
                continue;
            }
            // A brace or a quote by itself.
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\\') && bytes.get(at + 3) == Some(&b'\'') => at += 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Where a text ends that begins at a quote.
fn behind_text(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    if text[at..].starts_with("\"\"\"") {
        return text[at + 3..]
            .find("\"\"\"")
            .map_or(bytes.len(), |end| at + 3 + end + 3);
    }
    let verbatim = at > 0 && (bytes[at - 1] == b'@' || at > 1 && bytes[at - 1] == b'$' && bytes[at - 2] == b'@');
    let mut next = at + 1;
    while let Some(byte) = bytes.get(next) {
        match byte {
            b'\\' if !verbatim => next += 1,
            b'"' if verbatim && bytes.get(next + 1) == Some(&b'"') => next += 1,
            b'"' => return next + 1,
            b'\n' if !verbatim => return next,
            _ => {}
        }
        next += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::as_csharp;

    #[test]
    fn code_stands_on_its_lines() {
        let page = "@page \"/\"\n@using A.B\n@inject IChat Chat\n<p>@answer</p>\n@code {\n    string answer = \"}\"; // }\n    void Ask() { }\n}\n<p>end</p>\n";
        let code = as_csharp(page).expect("a page with code");
        let lines: Vec<&str> = code.lines().collect();
        assert_eq!(lines[0], "using A.B; public class Page : ComponentBase { IChat Chat; ");
        assert_eq!(lines[5], "    string answer = \"}\"; // }");
        assert_eq!(lines[6], "    void Ask() { }");
        assert!(!code.contains("end"));
    }

    #[test]
    fn pages_without_code_hold_none() {
        assert_eq!(as_csharp("<p>mail@code.example {x}</p>"), None);
        assert_eq!(as_csharp("@inject IChat Chat\n<p>hello</p>"), None);
    }
}
