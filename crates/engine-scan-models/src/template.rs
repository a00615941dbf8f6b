//! Templates of chats: Jinja text that a runner renders with what people write.

/// Marks by which an expression leaves the sandbox of a template.
const MARKS: &[&str] = &[
    "__class__",
    "__base__",
    "__bases__",
    "__mro__",
    "__subclasses__",
    "__globals__",
    "__builtins__",
    "__import__",
    "__init__",
    "__getattribute__",
    "__dict__",
    "__code__",
    "__reduce__",
    "__loader__",
    "_TemplateReference__context",
    "os.system",
    "os.popen",
    "popen(",
    "subprocess",
    "eval(",
    "exec(",
    "importlib",
    "|attr(",
    "| attr(",
    "\\x5f",
    "\\u005f",
    "request.application",
    "get_flashed_messages",
];

/// The first mark inside an expression or statement of a template, if there is one.
pub(crate) fn reaches_out(template: &str) -> Option<&'static str> {
    let mut rest = template;
    let mut found: Option<usize> = None;
    while let Some(at) = delimiter(rest, b'{', [b'{', b'%'], false) {
        let inner = &rest[at + 2..];
        let end = delimiter(inner, b'}', [b'}', b'%'], true).unwrap_or(inner.len());
        let expression = &inner[..end];
        for (index, mark) in MARKS.iter().enumerate() {
            if found.is_none_or(|known| index < known) && expression.contains(mark) {
                found = Some(index);
            }
        }
        rest = &inner[end..];
    }
    found.and_then(|index| MARKS.get(index)).copied()
}

/// Where a brace stands together with one of two others, found in one pass.
fn delimiter(text: &str, brace: u8, beside: [u8; 2], brace_last: bool) -> Option<usize> {
    text.as_bytes().windows(2).position(|pair| {
        let (one, other) = if brace_last {
            (pair[1], pair[0])
        } else {
            (pair[0], pair[1])
        };
        one == brace && beside.contains(&other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_expressions_reach_out() {
        let usual = "{% for message in messages %}{{ '<|im_start|>' + message['role'] }}{% endfor %}";
        assert_eq!(reaches_out(usual), None);
        assert_eq!(reaches_out("{# __class__ #} subprocess is a word here"), None);
        assert_eq!(
            reaches_out("{{ ''.__class__.__mro__[1].__subclasses__() }}"),
            Some("__class__")
        );
        assert_eq!(reaches_out("{% set x = cycler|attr('a') %}"), Some("|attr("));
    }
}
