//! Made-up secrets for examples and tests, put together at run time.
//!
//! A repository that held them as text would set off every scanner that looks at it, this one included. So the documented
//! examples of the checks hold names in double braces, and [`expand_examples`] puts well-formed nonsense in their place.

/// Replaces `{{openai_key}}` and its like by made-up secrets of that form, the same ones each time.
pub fn expand_examples(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let name = after[2..].split("}}").next().unwrap_or("");
        if let Some((_, form)) = FORMS.iter().find(|(known, _)| *known == name) {
            out.push_str(&fill(form, 1));
            rest = &after[name.len() + 4..];
        } else {
            out.push_str("{{");
            rest = &after[2..];
        }
    }
    out.push_str(rest);
    out
}

/// What the names stand for. `{A48}` is 48 letters and digits, `X` small hexadecimal, `U` capitals and digits of base 32,
/// `B` URL-safe base64, `S` base64, `D` digits, `L` small letters and digits, `C` letters, `G` bech32.
const FORMS: &[(&str, &str)] = &[
    ("openai_key", "sk-proj-{A74}T3Blbk{J}{A74}"),
    ("anthropic_key", "sk-ant-api03-{B93}AA"),
    ("aws_access_key_id", "AKIA{U16}"),
    ("aws_secret_key", "{S40}"),
    ("github_token", "ghp_{A36}"),
    ("gitlab_token", "glpat-{A20}"),
    ("slack_token", "xoxb-{D12}-{D13}-{A24}"),
    ("stripe_key", "sk_live_{A24}"),
    (
        "private_key",
        "-----BEGIN {P}-----\n{S64}\n{S64}\n{S64}\n-----END {P}-----",
    ),
    (
        "connection_string",
        "postgresql://app:{A20}@db.internal.company.eu:5432/app",
    ),
    ("random_token", "{A32}"),
];

/// Fills a form with characters that a seed decides.
pub(crate) fn fill(form: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    let mut next = move |count: usize| {
        // xorshift64*: any generator will do, if only it is the same each time.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let wide = state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(wide).unwrap_or(0) % count.max(1)
    };
    let mut out = String::with_capacity(form.len() * 4);
    let mut rest = form;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}') else { break };
        let field = &rest[at + 1..at + end];
        rest = &rest[at + end + 1..];
        let (kind, count) = field.split_at(1.min(field.len()));
        let alphabet: &[u8] = match kind {
            "J" => {
                out.push_str("FJ");
                continue;
            }
            "P" => {
                out.push_str("PRIVATE KEY");
                continue;
            }
            "C" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "G" => b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
            "X" => b"0123456789abcdef",
            "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "D" => b"1234567890",
            "L" => b"abcdefghijklmnopqrstuvwxyz0123456789",
            "B" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
            "S" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            _ => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        };
        for _ in 0..count.parse().unwrap_or(0) {
            out.push(char::from(alphabet[next(alphabet.len())]));
        }
    }
    out.push_str(rest);
    out
}
