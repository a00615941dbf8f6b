//! What settings and tables of texts say to people: of a bot, of an app of a messenger, of the product itself.

use engine_model::Language;

use super::{LITERALS_MAX, TEXT_BYTES_MAX};
use crate::patterns::pattern;
use crate::quoted::Quoted;
use crate::read::ends_in;

/// Texts of JSON.
pub(super) const IN_JSON: Quoted = Quoted {
    quotes: b"\"",
    length: (2, 400),
    escapes: true,
    lines: false,
};
/// The name of a product, as a constant or a record of settings holds it.
const AS_NAME: Quoted = Quoted {
    quotes: b"\"'`",
    length: (3, 80),
    escapes: false,
    lines: false,
};
pattern!(
    PRODUCT,
    r#"(?:^|[\s{(,])["']?(?:(?:app|site|bot|product|project|brand|assistant|page|default)[_A-Za-z]{0,12}(?:[Nn]ame|NAME|[Tt]itle|TITLE)|APP_NAME|SITE_NAME|BOT_NAME|BOT_TITLE|name|title|short_name|displayName|productName|siteName)["']?\s*(?::\s*(?:string|str|&str|&'static str)\s*=|[:=])\s*["'`]"#
);
// A name that says in plain words what the product is; the name of a model in a list of them does not.
pattern!(
    OF_AN_AI,
    r"(?i)\bchat\s?-?bot\b|\b(?:ai|gpt|llm)\s?-?(?:assistant|chat|bot|agent|tutor|coach|companion)|\b[a-z]{3,16}gpt\b|\bvirtual assistant\b|\basistente virtual\b|\bassistente virtual\b|\bassistant virtuel\b"
);

// Names under which settings hold what a bot says of itself.
pattern!(
    SAID,
    r#"(?i)"(?:about|start|start_?message|help|help_?(?:text|message)|welcome|welcome_?(?:text|message)|greeting|intro|introduction|hello|disclaimer|first_?message)"\s*:\s*""#
);

/// Whether a file says how the product is called: settings, constants, the manifest of a page that can be installed.
pub(super) fn names_the_product(path: &str, language: Language) -> bool {
    if matches!(language, Language::Json | Language::Other) {
        let name = path.rsplit('/').next().unwrap_or(path);
        return matches!(name, "manifest.json" | "site.webmanifest" | "manifest.webmanifest");
    }
    language.is_code()
        && path.rsplit('/').take(2).any(|part| {
            let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
            stem.split(['-', '_']).any(|word| {
                matches!(
                    word,
                    "config"
                        | "settings"
                        | "constants"
                        | "consts"
                        | "constant"
                        | "site"
                        | "seo"
                        | "metadata"
                        | "branding"
                )
            })
        })
}

/// The names that such a file gives the product, where they say what it is.
pub(super) fn of_product<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    let from = found.len();
    AS_NAME.behind(&PRODUCT, None, text, LITERALS_MAX, found);
    let mut at = 0;
    found.retain(|(_, name)| {
        at += 1;
        at <= from || OF_AN_AI.is_match(name) && !name.contains(|c: char| c.is_ascii_digit())
    });
}

/// What settings in JSON have a bot say where it greets or tells of itself: `"start": {"about": "…"}`. Prompts and names of models stand under
/// other names.
pub(super) fn of_said_json<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    let mut values = Vec::new();
    IN_JSON.behind(&SAID, None, text, LITERALS_MAX, &mut values);
    found.extend(
        values
            .into_iter()
            .filter(|(_, said)| said.contains(char::is_whitespace)),
    );
}

/// The texts of a table in JSON: values, and what stands in their lists.
pub(super) fn values_of_json<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    let is_value = |(at, said): &(usize, &str)| {
        let behind = text.get(at + said.len() + 1..).unwrap_or("");
        !behind.trim_start().starts_with(':')
    };
    found.extend(IN_JSON.all(text).take(LITERALS_MAX).filter(is_value));
}

/// Whether a file tells Slack how an app is shown: its names stand over each of its messages.
pub(crate) fn is_app_of_slack(language: Language, text: &str) -> bool {
    matches!(language, Language::Yaml | Language::Json)
        && text.contains("display_information")
        && text.contains("bot_user")
}

/// Whether a file defines commands of a bot as a messenger takes them: `commands/chat.json` with a name, a description and options.
pub(super) fn defines_commands(path: &str, text: &str) -> bool {
    let named = path
        .split(['/', '.', '_', '-'])
        .any(|part| part.eq_ignore_ascii_case("commands") || part.eq_ignore_ascii_case("command"));
    named && text.contains("\"description\"") && text.contains("\"name\"")
}

/// What such a file says under the names of the app and of its bot.
pub(super) fn of_slack<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    let mut at = 0;
    for line in text.split_inclusive('\n').take(LITERALS_MAX) {
        let here = line.trim().trim_end_matches(',');
        if let Some((name, value)) = here.split_once(':') {
            let shown = matches!(
                name.trim_matches(['"', '\'', ' ', '-']),
                "name" | "display_name" | "description" | "long_description"
            );
            let value = value.trim().trim_matches(['"', '\'']);
            if shown && !value.is_empty() {
                let offset = line.find(value).unwrap_or(0);
                found.push((at + offset, value));
            }
        }
        at += line.len();
    }
}

/// The lines of the page that Chainlit shows before the first message.
pub(super) fn of_chainlit<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    let mut at = 0;
    for line in text.split_inclusive('\n').take(LITERALS_MAX) {
        let said = line.trim().trim_start_matches(['#', '*', '-', '>', ' ']);
        if !said.is_empty() && !said.starts_with("<!--") {
            found.push((at + line.find(said).unwrap_or(0), said));
        }
        at += line.len();
    }
}

/// Whether a file of settings may hold what a bot says: `config.example.yml`, `messages.toml`.
pub(super) fn holds_messages(path: &str) -> bool {
    // The name of the file and that of its folder: `settings/private_en.yaml`.
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let name = parts.next().unwrap_or("");
    let stem = name.split('.').next().unwrap_or("");
    let words: Vec<&str> = stem.split(['-', '_']).chain(parts.next()).collect();
    [
        "config",
        "settings",
        "messages",
        "texts",
        "strings",
        "bot",
        "prompts",
        "responses",
        "replies",
    ]
    .iter()
    .any(|known| {
        words
            .iter()
            .any(|word| word == known || known.strip_suffix('s') == Some(word))
    })
}

/// Whether settings of a name hold what a bot says: `helpText`, `welcome_message`, `start_string`.
fn is_said_by_settings(name: &str) -> bool {
    const BEGIN: [&str; 9] = [
        "help",
        "welcome",
        "greeting",
        "start",
        "introduction",
        "intro",
        "disclaimer",
        "first",
        "hello",
    ];
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    BEGIN.iter().any(|begin| {
        name.strip_prefix(begin)
            .is_some_and(|rest| matches!(rest, "" | "text" | "message" | "msg" | "string" | "str"))
    })
}

/// What settings have a bot say where it greets or helps: `helpText: |` with lines below, `welcome_message = "…"`.
pub(super) fn of_settings<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    let (mut at, mut below) = (0, None);
    for line in text.split_inclusive('\n').take(LITERALS_MAX) {
        let indent = line.len() - line.trim_start().len();
        let said = line.trim();
        let mut open = below.filter(|depth| said.is_empty() || indent > *depth);
        if open.is_none()
            && let Some((name, value)) = said.split_once([':', '='])
        {
            let value = value.trim();
            if is_said_by_settings(name) {
                let text = value.trim_matches(['"', '\'', '|', '>', '-', '+']);
                if text.is_empty() {
                    open = Some(indent);
                } else {
                    found.push((at + line.find(text).unwrap_or(0), text));
                }
            }
        } else if open.is_some() && !said.is_empty() {
            found.push((at + indent, said));
        }
        below = open;
        at += line.len();
    }
}

/// Whether Chainlit shows a file before the first message.
pub(super) fn is_welcome_of_chainlit(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "chainlit.md" || name.starts_with("chainlit_") && ends_in(name, &["md"])
}

/// What stands behind the name of each line of a table of texts: `welcome: Ask our AI`, `welcome=Ask our AI`.
pub(super) fn values_of_lines<'t>(text: &'t str, mark: &str, found: &mut Vec<(usize, &'t str)>) {
    let mut at = 0;
    for line in text.split_inclusive('\n').take(LITERALS_MAX) {
        let start = at;
        at += line.len();
        if line.trim_start().starts_with(['#', '!']) {
            continue;
        }
        let Some((name, value)) = line.split_once(mark) else {
            continue;
        };
        let value_at = start + name.len() + mark.len();
        let begin = value.len() - value.trim_start().trim_start_matches(['"', '\'']).len();
        let value = value[begin..].trim_end().trim_end_matches(['"', '\'']);
        if !value.is_empty() && value.len() <= TEXT_BYTES_MAX {
            found.push((value_at + begin, value));
        }
    }
}
