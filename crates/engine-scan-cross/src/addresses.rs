//! Addresses of services that code names: whoever answers there gets what is sent.

use engine_model::StatementKind;

use crate::interface::{is_remark, line_of};
use crate::patterns::pattern;
use crate::read::Out;

/// Addresses of one file that are kept.
const ADDRESSES_MAX: usize = 20;

// A host that is made for programs by its name or by the path behind it.
pattern!(
    ADDRESS,
    r#"["'`]https?://([a-z0-9.-]+\.[a-z]{2,})(?::\d+)?(/[^\s"'`]*)?["'`]"#
);
pattern!(PATH, r"/(api|v\d+|graphql|rest|inference|completions)(/|$)");

// A request to a path behind an address that is known elsewhere: axios.post(`${API}/chat/chat_with_ai`.
pattern!(
    BEHIND,
    r#"(?:\bfetch|\baxios|\.post|\brequest|\.ajax)\s*(?:<[^<>()]{0,80}>)?\(\s*[fF]?["'`](?:\$?\{[^}`"']{1,60}\}|https?://[^"'`\s/]{3,80})(/[\w/.-]{1,80})["'`?${]"#
);

/// Words of paths under which a server answers with a model.
const OF_AI: [&str; 9] = [
    "ai", "gpt", "chatgpt", "llm", "gemini", "openai", "claude", "chatbot", "copilot",
];
/// Requests of one file that are kept.
const ASKED_MAX: usize = 3;

/// Reads requests to servers whose code lies elsewhere, by the words of their paths.
fn asked(text: &str, out: &mut Out<'_>) {
    let found = BEHIND.captures_iter(text).filter_map(|found| found.get(1));
    let of_ai = found.filter(|path| {
        let words = engine_catalogue::words_of(path.as_str());
        words.iter().any(|word| OF_AI.contains(&word.as_str())) && !is_remark(text, path.start())
    });
    for path in of_ai.take(ASKED_MAX) {
        out.say(StatementKind::AsksForAi, line_of(text, path.start()), path.as_str());
    }
}

/// Reads the addresses in texts of code.
pub(crate) fn read(text: &str, out: &mut Out<'_>) {
    if text.contains('/') {
        asked(text, out);
    }
    if !text.contains("://") {
        return;
    }
    let mut kept = 0;
    for found in ADDRESS.captures_iter(text) {
        let (Some(whole), Some(host)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let path = found.get(2).map_or("", |path| path.as_str());
        let named = host.as_str().split('.').any(|label| label == "api");
        if !(named || PATH.is_match(path)) || is_remark(text, whole.start()) {
            continue;
        }
        out.say(
            StatementKind::ServiceAddress,
            line_of(text, whole.start()),
            host.as_str(),
        );
        kept += 1;
        if kept == ADDRESSES_MAX {
            return;
        }
    }
}
