//! Passwords in URLs and in commands.

use std::ops::Range;

use crate::judge;

/// The places of a user and of a password.
pub(crate) type Credential = (Range<usize>, Range<usize>);

/// User and password of the URL whose `://` ends at `at`: the places of both, and the host.
pub(crate) fn userinfo(text: &str, at: usize) -> Option<(Range<usize>, Range<usize>, &str)> {
    let rest = &text[at..];
    let mut limit = rest.len().min(400);
    while !rest.is_char_boundary(limit) {
        limit -= 1;
    }
    let rest = &rest[..limit];
    let ends = |(at, c): &(usize, char)| {
        c.is_whitespace()
            || matches!(
                c,
                '/' | '"' | '\'' | '`' | '<' | '>' | '?' | '\\' | '|' | ',' | ';' | '(' | ')' | '{' | '}'
            )
            || *c == '$' && is_variable(rest, *at)
    };
    let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at);
    let authority = &rest[..end];
    let sign = authority.rfind('@')?;
    let colon = authority[..sign].find(':')?;
    Some((at..at + colon, at + colon + 1..at + sign, &authority[sign + 1..]))
}

/// Whether a dollar sign stands before the name of a variable, and is no sign of a password.
fn is_variable(text: &str, at: usize) -> bool {
    let begins = at == 0 || text[..at].ends_with([':', '@', '/']);
    let after = &text[at + 1..];
    let name = after
        .bytes()
        .take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        .count();
    begins || after.starts_with(['{', '(']) || name >= 3
}

/// Hosts of examples and of one's own machine.
fn is_example_host(host: &str) -> bool {
    let host = host.split(':').next().unwrap_or(host);
    host.is_empty()
        || !host.contains('.') && host.len() <= 3
        || matches!(
            host,
            "localhost" | "127.0.0.1" | "0.0.0.0" | "host" | "hostname" | "server" | "proxy" | "myhost" | "google.com"
        )
        || [
            "example.com",
            "example.org",
            "example.net",
            ".test",
            ".invalid",
            ".example",
            ".local",
            "foo.com",
            "domain.com",
            "test.com",
        ]
        .iter()
        .any(|ending| host.ends_with(ending))
}

/// How sure it is that the password of a URL is one.
pub(crate) fn password_confidence(user: &str, password: &str, host: &str, product: bool) -> Option<u8> {
    if password.len() < 6
        || password.len() > 200
        || password.eq_ignore_ascii_case(user)
        || judge::stand_in(password) == Some(judge::StandIn::Plain)
        || judge::is_sample(password)
        || !password.is_ascii()
        || password.contains(['[', '%']) && password.len() < 12
    {
        return None;
    }
    let random = judge::is_random(password);
    if random {
        return Some(if product { 88 } else { 55 });
    }
    let example = is_example_host(host) || judge::is_sample(user);
    let digit = password.bytes().any(|b| b.is_ascii_digit()) && password.bytes().any(|b| b.is_ascii_alphabetic());
    let strong =
        digit || password.bytes().any(|b| b.is_ascii_punctuation()) || password.bytes().all(|b| b.is_ascii_hexdigit());
    let real_host = host.contains('.') && !example;
    (product && strong && (real_host || digit && !is_example_host(host))).then_some(70)
}

/// Where the command `curl` at `at` ends, and the user and the password given with `-u` or `--user`.
pub(crate) fn curl_user(text: &str, at: usize) -> (usize, Option<Credential>) {
    let rest = &text[at..];
    let mut limit = rest.len().min(1500);
    while !rest.is_char_boundary(limit) {
        limit -= 1;
    }
    // A command ends with its line, unless the line ends in a backslash.
    let mut end = 0;
    while let Some(found) = rest[end..limit].find('\n') {
        let line = rest[..end + found].trim_end();
        if !line.ends_with('\\') {
            limit = end + found;
            break;
        }
        end += found + 1;
    }
    (at + limit, user_option(&rest[..limit], at))
}

fn user_option(command: &str, at: usize) -> Option<Credential> {
    for option in [
        " -u ",
        "\n-u ",
        "\n--user ",
        " --user ",
        " -u'",
        " -u\"",
        " --user=",
        " --proxy-user ",
    ] {
        let Some(found) = command.find(option) else { continue };
        let mut start = found + option.len();
        let mut quote = command[..start].chars().last().filter(|c| matches!(c, '"' | '\''));
        while let Some(c) = command[start..].chars().next() {
            if matches!(c, '"' | '\'') && quote.is_none() {
                quote = Some(c);
            } else if c != ' ' {
                break;
            }
            start += 1;
        }
        let stop = command[start..]
            .find(|c: char| quote.map_or(c.is_whitespace() || matches!(c, '"' | '\''), |quote| c == quote))
            .map_or(command.len(), |stop| start + stop);
        let colon = start + command[start..stop].find(':')?;
        return Some((at + start..at + colon, at + colon + 1..at + stop));
    }
    None
}
