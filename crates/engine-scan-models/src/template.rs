//! Templates of chats: Jinja text that a runner renders with what people write.
//!
//! The expressions are read as tokens, so that comments, raw blocks and words in string literals say nothing, and a name in a
//! subscript counts like one behind a dot.

use std::collections::BTreeMap;

/// Attributes by which an expression leaves the sandbox of a template.
const ATTRIBUTES: &[&str] = &[
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
    "__getattr__",
    "__getitem__",
    "__dict__",
    "__code__",
    "__reduce__",
    "__reduce_ex__",
    "__loader__",
    "__spec__",
    "__self__",
    "__func__",
    "__call__",
    "__closure__",
    "__wrapped__",
    "__module__",
    "__new__",
    "_TemplateReference__context",
    "gi_frame",
    "cr_frame",
    "f_globals",
    "f_builtins",
    "f_back",
    "func_globals",
    "importlib",
    "subprocess",
    "get_flashed_messages",
];

/// Functions that run code, wherever they are called.
const CALLS: &[&str] = &["popen", "eval", "exec"];

/// Attributes of a name that no template of a chat needs.
const CHAINS: &[(&str, &str, &str)] = &[
    ("os", "system", "os.system"),
    ("os", "popen", "os.popen"),
    ("request", "application", "request.application"),
];

/// Filters that access an attribute whose name is an argument.
const BY_ATTRIBUTE: &[&str] = &[
    "map",
    "selectattr",
    "rejectattr",
    "groupby",
    "sort",
    "sum",
    "min",
    "max",
    "unique",
    "join",
];

/// Tokens of one template.
const TOKENS_MAX: usize = 200_000;
/// Variables of one template that are known to be text.
const VARIABLES_MAX: usize = 256;
/// Characters of a text that is put together.
const TEXT_CHARS_MAX: usize = 512;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Other(char),
}

/// The first access by which a template leaves its sandbox, if there is one.
pub(crate) fn reaches_out(template: &str) -> Option<&'static str> {
    let mut variables = BTreeMap::new();
    let mut left = TOKENS_MAX;
    let mut rest = template;
    let mut raw = false;
    while let Some((at, kind)) = opening(rest) {
        let inner = rest.get(at + 2..)?;
        if kind == '#' && !raw {
            rest = inner.find("#}").and_then(|end| inner.get(end + 2..))?;
            continue;
        }
        let (tokens, end) = tokens(inner, kind, &mut left);
        let word = match tokens.first() {
            Some(Token::Name(word)) if kind == '%' && tokens.len() == 1 => word.as_str(),
            _ => "",
        };
        if raw {
            // Inside a raw block everything is text up to its end; an opening brace is passed over by itself.
            raw = word != "endraw";
            rest = if raw { inner } else { inner.get(end..)? };
            continue;
        }
        raw = word == "raw";
        if let Some(mark) = access(&tokens, &mut variables) {
            return Some(mark);
        }
        rest = inner.get(end..)?;
    }
    None
}

/// Where the next expression, statement or comment begins.
fn opening(text: &str) -> Option<(usize, char)> {
    let at = text
        .as_bytes()
        .windows(2)
        .position(|pair| pair[0] == b'{' && matches!(pair[1], b'{' | b'%' | b'#'))?;
    Some((at, char::from(text.as_bytes()[at + 1])))
}

/// The tokens of an expression or statement, and where the text behind its end begins.
fn tokens(text: &str, kind: char, left: &mut usize) -> (Vec<Token>, usize) {
    let close = if kind == '{' { "}}" } else { "%}" };
    let mut out = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut braces = 0_usize;
    while let Some((at, letter)) = chars.next() {
        if braces == 0 && text[at..].starts_with(close) {
            return (out, at + 2);
        }
        if *left == 0 {
            break;
        }
        *left -= 1;
        match letter {
            '\'' | '"' => out.push(Token::Text(literal(&mut chars, letter))),
            c if c.is_alphanumeric() || c == '_' => {
                let mut name = String::from(c);
                while let Some((_, next)) = chars.next_if(|(_, c)| c.is_alphanumeric() || *c == '_') {
                    name.push(next);
                }
                out.push(Token::Name(name));
            }
            c if c.is_whitespace() => {}
            // Marks that trim white space are no operators.
            '-' | '+' if text[at + 1..].starts_with(close) || at == 0 => {}
            c => {
                braces = match c {
                    '{' => braces + 1,
                    '}' => braces.saturating_sub(1),
                    _ => braces,
                };
                out.push(Token::Other(c));
            }
        }
    }
    (out, text.len())
}

/// The text of a literal, with the escapes of Python.
fn literal(chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>, quote: char) -> String {
    let mut out = String::new();
    while let Some((_, letter)) = chars.next() {
        match letter {
            c if c == quote => break,
            '\\' => {
                let Some((_, escape)) = chars.next() else { break };
                let digits = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                if digits == 0 {
                    out.push(escape);
                    continue;
                }
                let mut code = String::new();
                while code.len() < digits {
                    let Some((_, digit)) = chars.next_if(|(_, c)| c.is_ascii_hexdigit()) else {
                        break;
                    };
                    code.push(digit);
                }
                out.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            }
            c => out.push(c),
        }
    }
    out
}

/// The first access in an expression or statement that leaves the sandbox; variables that become text are remembered.
fn access(tokens: &[Token], variables: &mut BTreeMap<String, String>) -> Option<&'static str> {
    let name = |at: usize| match tokens.get(at) {
        Some(Token::Name(name)) => Some(name.as_str()),
        _ => None,
    };
    let is = |at: usize, wanted: char| tokens.get(at) == Some(&Token::Other(wanted));
    for (at, token) in tokens.iter().enumerate() {
        let found = match token {
            Token::Name(word) => {
                let called = is(at + 1, '(');
                let filter = at > 0 && is(at - 1, '|');
                let attribute = ATTRIBUTES.iter().find(|known| *known == word).copied();
                let call = CALLS.iter().find(|known| called && *known == word).copied();
                let chain = CHAINS
                    .iter()
                    .find(|(root, inner, _)| word == root && is(at + 1, '.') && name(at + 2) == Some(*inner))
                    .map(|(.., mark)| *mark);
                // A key of an argument is no access.
                let key = is(at + 1, '=') && !is(at + 2, '=') || is(at + 1, ':');
                attribute
                    .filter(|_| !key)
                    .or(call)
                    .or(chain)
                    .or_else(|| (filter && word == "attr").then_some("|attr("))
                    .or_else(|| {
                        (filter && called && BY_ATTRIBUTE.contains(&word.as_str()))
                            .then(|| within(tokens, at + 1, variables))
                            .flatten()
                    })
            }
            // A subscript follows a value; a list stands by itself.
            Token::Other('[') if at > 0 && is_value(tokens.get(at - 1)) => within(tokens, at, variables),
            // Text that reads attributes of what is put into it.
            Token::Text(text) if is(at + 1, '.') && matches!(name(at + 2), Some("format" | "format_map")) => {
                attribute_in(text).filter(|_| text.contains('{'))
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    if name(0) == Some("set")
        && let Some(variable) = name(1)
        && is(2, '=')
        && variables.len() < VARIABLES_MAX
    {
        let text = joined(tokens.get(3..).unwrap_or_default(), variables);
        variables.insert(variable.to_owned(), text);
    }
    None
}

fn is_value(token: Option<&Token>) -> bool {
    match token {
        Some(Token::Name(name)) => !matches!(
            name.as_str(),
            "in" | "if" | "else" | "elif" | "and" | "or" | "not" | "is" | "set" | "for"
        ),
        Some(Token::Text(_)) => true,
        Some(Token::Other(c)) => matches!(c, ')' | ']' | '}'),
        None => false,
    }
}

/// The attribute that the text within a bracket names, put together from literals and variables.
fn within(tokens: &[Token], open: usize, variables: &BTreeMap<String, String>) -> Option<&'static str> {
    let mut depth = 0_usize;
    let mut end = open;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Other('[' | '(' | '{') => depth += 1,
            Token::Other(']' | ')' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        end = at;
        // What a bracket holds is short; a long one is read as far as this.
        if depth == 0 || at > open + 64 {
            break;
        }
    }
    attribute_in(&joined(tokens.get(open + 1..end).unwrap_or_default(), variables))
}

/// The texts of an expression in a row, variables that are text among them.
fn joined(tokens: &[Token], variables: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for token in tokens {
        let text = match token {
            Token::Text(text) => text,
            Token::Name(name) => match variables.get(name) {
                Some(text) => text,
                None => continue,
            },
            Token::Other(_) => continue,
        };
        out.extend(text.chars().take(TEXT_CHARS_MAX.saturating_sub(out.len())));
    }
    out
}

/// The attribute of the list that a text holds.
fn attribute_in(text: &str) -> Option<&'static str> {
    ATTRIBUTES
        .iter()
        .filter(|known| known.starts_with('_') || known.contains("_frame") || known.starts_with("f_"))
        .find(|known| text.contains(**known))
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_of_chats_are_quiet() {
        for template in [
            "{% for message in messages %}{{ '<|im_start|>' + message['role'] }}{% endfor %}",
            "{# __class__ #} subprocess is a word here",
            "{% raw %}{{ cycler.__init__ }}{% endraw %}",
            "{%- raw -%}{{ ''.__class__ }}{{{%- endraw -%}{{ messages[0].content }}",
            "{{ 'call os.system or __import__ with {{ x.__class__ }}' }}",
            "{% if 'subprocess' in message.content %}{{ \"eval(\" }}{% endif %}",
            "{% set ns = namespace(found='__init__') %}{{ ns.found }}",
            "{{ {'__class__': 1, 'exec(': 2} | tojson }}",
            "{% if x in ['__class__', '__init__'] %}no{% endif %}",
            "{{ messages | map(attribute='content') | join('__') }}",
            "{{ 'a \\' __class__' }}",
        ] {
            assert_eq!(reaches_out(template), None, "{template}");
        }
    }

    #[test]
    fn access_to_the_interpreter_is_reported() {
        for (template, mark) in [
            ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "__class__"),
            ("{% set x = cycler|attr('a') %}", "|attr("),
            ("{{ cycler.__init__.__globals__.os.popen('id') }}", "__init__"),
            ("{{ x['__class__'] }}", "__class__"),
            ("{{ x['\\x5f\\x5fclass\\x5f\\x5f'] }}", "__class__"),
            ("{{ x['__cla' ~ 'ss__'] }}", "__class__"),
            ("{% set a = '__glob' %}{{ x[a + 'als__'] }}", "__globals__"),
            ("{{ xs | map(attribute='__class__') | list }}", "__class__"),
            ("{{ '{0.__class__}'.format(x) }}", "__class__"),
            ("{{ lipsum . __globals__ }}", "__globals__"),
            ("{% raw %}quiet{% endraw %}{{ os.system('id') }}", "os.system"),
            ("{{ '}}' }}{{ x.__dict__ }}", "__dict__"),
            ("{# {{ #}{{ config.__init__ }}", "__init__"),
            ("{{ {'a': {}} }}{{ x.__code__ }}", "__code__"),
        ] {
            assert_eq!(reaches_out(template), Some(mark), "{template}");
        }
    }

    #[test]
    fn broken_templates_are_read_to_their_end() {
        for template in [
            "{{",
            "{% raw",
            "{% raw %}{{",
            "{#",
            "{{ 'abc",
            "{{ x[",
            "{{ \"\\u12",
            "{{ é.__class__",
        ] {
            let _ = reaches_out(template);
        }
    }
}
