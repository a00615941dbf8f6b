//! Prompts of the product that order a model to hide that it is an AI.
//!
//! Read are the constants of code and the texts that stand in a folder or file for prompts. A remark, a rule file for tools that write
//! code, a document, and the prompts of an evaluation order nothing in the product.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_model::{Language, StatementKind};
use engine_syntax::ir::Expr;

use crate::interface::line_of;
use crate::patterns::pattern;
use crate::read::{Out, ends_in, number};

/// Orders of one file that are kept.
const ORDERS_MAX: usize = 3;
/// Bytes around a word for an AI in which an order stands.
const AROUND_BYTES: usize = 240;
/// Letters of an order that are kept.
const SHOWN_MAX: usize = 160;

// Not to say it.
pattern!(
    UNSAID,
    r"(?ix)
    \b(?:do\s+not|don['’]?t|never|must\s+not|mustn['’]t|should\s+not|shouldn['’]t|shall\s+not|may\s+not|avoid|refrain\s+from|without)\b
    [^.!?;]{0,40}?
    \b(?:mention|reveal|disclos|say|admit|tell|acknowledg|stat|indicat|identify|refer|let|confess|divulg|hint|introduc|present)(?:e|es|ing|ring|s)?\b
    [^.!?;]{0,50}?
    (?:
        \b(?:(?:that\s+)?(?:you\s+are|you['’]re)|yourself\s+as|(?:yourself\s+)?to\s+be|being)\s+
        (?:(?:just|really|actually|only|in\s+fact)\s+)?
        (?: (?:an?\s+|the\s+)?(?:ai|a\.i\.|artificial(?:\s+intelligence)?|chat\s?bot|bot|robot|machine|(?:large\s+)?language\s+model|llm|automated|virtual\s+assistant|computer\s+program)\b
          | not\s+(?:an?\s+)?(?:real\s+|actual\s+)?(?:human|person)\b )
      | \byour\s+(?: (?:ai|artificial)\s+(?:nature|identity|status|origin)
                   | (?:true\s+)?(?:nature|identity|status)\s+as\s+an?\s+(?:ai|bot|chat\s?bot|language\s+model|machine) )\b
    )"
);
// To say the opposite.
pattern!(
    OPPOSITE,
    r"(?ix)
    \b(?:pretend(?:ing)?|claim(?:ing)?|insist(?:ing)?|maintain(?:ing)?|convince\s+\w+)\s+(?:to\s+be|(?:that\s+)?you\s+are|(?:that\s+)?you['’]re|being)\s+
        (?:an?\s+)?(?: (?:real|actual|living)\s+(?:human|person|man|woman) | human )\b
    | \bdeny\s+(?:that\s+you\s+are|that\s+you['’]re|being|you\s+are)\s+(?:an?\s+)?(?:ai|bot|robot|machine|chat\s?bot|language\s+model|artificial)\b
    | \byou\s*(?:\s+are|['’]re)\s+(?:an?\s+)?(?:real\s+|actual\s+)?(?:human(?:\s+being)?|person)\b[^.!?;]{0,25}\bnot\s+an?\s+(?:ai|bot|robot|machine|chat\s?bot|language\s+model)\b
    | (?:\A|[.!?\n])[\ \t]*you\s*(?:\s+are|['’]re)\s+not\s+an?\s+(?:ai|artificial\s+intelligence)(?:[\ ]+(?:language[\ ]+)?(?:model|assistant|chat\s?bot|bot|program))?[\ \t]*(?:[.!\n]|\z)
    | \byou\s*(?:\s+are|['’]re)\s+not\s+an?\s+(?:ai|bot|robot|chat\s?bot|language\s+model)\b\W{1,4}(?:(?:and|so)\s+)?
        (?:never|do\s+not|don['’]?t)\s+(?:ever\s+)*(?:mention|say|admit|reveal|tell|let|act\s+like|behave\s+like)\b"
);
// The same in other languages.
pattern!(
    ELSEWHERE,
    r"(?ix)
    \b(?:erwähne|erwähnen|sage?|sagen|verrate|verraten|offenbare|offenbaren)\b[^.!?;]{0,30}\b(?:nicht|nie|niemals|keinesfalls)\b[^.!?;]{0,30}\bdass\s+(?:du|sie)\s+(?:eine?\s+)?(?:ki|bot|chatbot|künstliche|maschine|sprachmodell)\b
    | \bgib\s+dich\s+als\s+(?:ein\s+)?(?:echter\s+)?mensch(?:en)?\s+aus\b
    | \bne\s+(?:dis|dites|mentionne|mentionnez|révèle|révélez)\s+(?:pas|jamais)\b[^.!?;]{0,30}\bque\s+(?:tu\s+es|vous\s+êtes)\s+(?:une?\s+)?(?:ia|intelligence\s+artificielle|robot|bot|chatbot)\b
    | \b(?:no|nunca)\s+(?:menciones|mencione|digas|diga|reveles|revele)\b[^.!?;]{0,30}\bque\s+(?:eres|es)\s+(?:una?\s+)?(?:ia|inteligencia\s+artificial|robot|bot|chatbot)\b
    | (?:не|никогда\s+не)\s+(?:говори|упоминай|раскрывай|признавайся|сообщай)[^.!?;]{0,30}что\s+ты\s+(?:ии|бот|робот|искусственный|нейросеть|языковая\s+модель)
    | (?:\A|[.!?\n])[\ \t*]*ты\s+(?:—\s+|-\s+)?не\s+(?:ии|бот|робот|нейросеть|искусственный\s+интеллект)[\s,][^.!?;]{0,40}?[\s,]?а\s+(?:живой|реальный|настоящий|обычный)\s+человек
    | отвечай(?:те)?\s+(?:\w+\s+)?как\s+(?:(?:обычный|живой|реальный|настоящий)\s+)?человек\s*,?\s*(?:а\s+)?не\s+(?:как\s+)?(?:ии|бот|робот|нейросеть|машина)"
);
// Orders of the other kind: not to forget it, not to hide it, not to pretend.
pattern!(
    TURNED,
    r"(?i)\b(hesitate|forget|fail|omit|neglect|hide|hiding|conceal|deny|denying|afraid|skip)\b"
);
pattern!(
    NEGATED,
    r"(?i)\b(not|never|don['’]?t|cannot|can['’]t|avoid|without|refuse|refrain|nor|or|mustn['’]t|shouldn['’]t)\b[^.!?;\n]{0,30}$"
);

/// Words for an AI or a human, one of which each order holds.
static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the words are part of the program")]
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "an ai",
            "being ai",
            "you are ai",
            "your ai",
            "a.i.",
            "artificial",
            "bot",
            "robot",
            "machine",
            "language model",
            "an llm",
            "automated",
            "virtual assistant",
            "computer program",
            "human",
            "real person",
            "actual person",
            " ki",
            "künstliche",
            "sprachmodell",
            "mensch",
            " ia",
            "ты ",
            "человек",
        ])
        .expect("a few words fit into one automaton")
});

/// Folders and files for prompts, by the words of their names.
const PROMPTS: [&str; 12] = [
    "prompt",
    "prompts",
    "instruction",
    "instructions",
    "persona",
    "personas",
    "personality",
    "personalities",
    "character",
    "characters",
    "systemprompt",
    "systemprompts",
];

/// Folders whose prompts try a model out.
const TRIALS: [&str; 16] = [
    "eval",
    "evals",
    "evaluation",
    "evaluations",
    "redteam",
    "red",
    "attacks",
    "jailbreak",
    "jailbreaks",
    "probe",
    "probes",
    "dataset",
    "datasets",
    "corpus",
    "benchmarks",
    "skills",
];

/// Texts for people and for tools that write code, whatever their folder is called.
const RULES: [&str; 10] = [
    "readme",
    "agents",
    "claude",
    "gemini",
    "copilot",
    "cursorrules",
    "contributing",
    "changelog",
    "skill",
    "security",
];

/// The words of a path's part.
fn words(part: &str) -> impl Iterator<Item = String> + use<'_> {
    part.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Whether a path lies among trials of a model, or is hidden: the folders of tools begin with a dot.
fn is_aside(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders
        .split('/')
        .any(|folder| folder.starts_with('.') || words(folder).any(|word| TRIALS.contains(&word.as_str())))
}

/// Whether a file that is no code holds prompts, by its name or that of its folder.
fn holds_prompts(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    if name.starts_with('.') || words(stem).any(|word| RULES.contains(&word.as_str())) {
        return false;
    }
    // The folder that holds it, and the one above: `instructions/sales/greeting.md`.
    folders
        .rsplit('/')
        .take(2)
        .chain([stem])
        .any(|part| words(part).any(|word| PROMPTS.contains(&word.as_str())))
}

/// Whether a file of no language may be a prompt.
pub(crate) fn is_prompt_file(path: &str) -> bool {
    ends_in(path, &["prompt", "prompty", "tmpl", "tpl", "liquid"])
        && (holds_prompts(path) || ends_in(path, &["prompt", "prompty"]))
}

/// The first order in a text, as its place and length.
pub(crate) fn order(text: &str) -> Option<(usize, usize)> {
    let mut last = 0;
    for hit in WORDS.find_iter(text) {
        // A word in the stretch that was looked at already, or a piece of another one: `bottom`, `both`.
        let ends = text[hit.end()..]
            .chars()
            .next()
            .is_none_or(|c| !c.is_alphabetic() || c == 's');
        if hit.end() <= last || !ends && !text[hit.start()..hit.end()].ends_with(' ') {
            continue;
        }
        let mut from = hit.start().saturating_sub(AROUND_BYTES);
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        let mut to = text.len().min(hit.end() + AROUND_BYTES);
        while !text.is_char_boundary(to) {
            to += 1;
        }
        last = to.saturating_sub(AROUND_BYTES);
        let part = &text[from..to];
        let found = UNSAID
            .find_iter(part)
            .find(|found| !TURNED.is_match(found.as_str()))
            .or_else(|| {
                OPPOSITE
                    .find_iter(part)
                    .find(|found| !NEGATED.is_match(&part[..found.start()]))
            })
            .or_else(|| ELSEWHERE.find(part));
        if let Some(found) = found {
            // What ends the sentence before it belongs to that one.
            let order = found.as_str().trim_start_matches(['.', '!', '?', '\n', ' ', '\t']);
            let at = from + found.end() - order.len();
            return Some((at, to_its_end(text, at, order.trim_end().len())));
        }
    }
    None
}

/// The length of an order with what ends its sentence: `…, unless the customer asks`.
fn to_its_end(text: &str, at: usize, length: usize) -> usize {
    /// Bytes that the rest of a sentence may have.
    const REST_MAX: usize = 80;
    let rest = &text[at + length..];
    match rest.find(['.', '!', '?', '\n', ';']) {
        Some(end) if end <= REST_MAX => length + rest[..end].trim_end().len(),
        None if rest.len() <= REST_MAX => length + rest.trim_end().len(),
        _ => {
            // A word is not cut.
            length + rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(0)
        }
    }
}

/// Reads the orders of a file.
pub(crate) fn read(path: &str, language: Language, text: &str, out: &mut Out<'_>) {
    if is_aside(path) {
        return;
    }
    let code = matches!(
        language,
        Language::Python
            | Language::Notebook
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Go
            | Language::Rust
            | Language::Java
            | Language::Kotlin
            | Language::CSharp
    );
    // Settings may hold the prompt beside everything else.
    let settings = || {
        matches!(language, Language::Yaml | Language::Toml)
            && ["system_prompt", "systemPrompt", "system-prompt"]
                .iter()
                .any(|key| text.contains(key))
    };
    if !code && !holds_prompts(path) && !is_prompt_file(path) && !settings() || language == Language::Html {
        return;
    }
    // Most files hold no order at all, and only the others are taken apart.
    let Some((at, length)) = order(text) else { return };
    if !code {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        // A remark of a configuration is not sent.
        let remark = matches!(language, Language::Yaml | Language::Toml) && text[line..].trim_start().starts_with('#');
        if !remark {
            out.say(
                StatementKind::ConcealedAi,
                line_of(text, at),
                shown(&text[at..at + length]),
            );
        }
        return;
    }
    let Some(module) = engine_syntax::lower(language, text) else {
        return;
    };
    let mut found: Vec<(u32, String)> = module
        .exprs
        .iter()
        .filter_map(|node| {
            let Expr::Str(text) = &node.kind else { return None };
            // A pattern looks for such orders and gives none.
            if text.contains("\\b") || text.contains("(?") || text.contains("\\s") {
                return None;
            }
            let (at, length) = order(text)?;
            let line = number(text[..at].matches('\n').count());
            Some((node.span().line + line - 1, shown(&text[at..at + length])))
        })
        .collect();
    found.sort();
    found.dedup();
    for (line, order) in found.into_iter().take(ORDERS_MAX) {
        out.say(StatementKind::ConcealedAi, line, order);
    }
}

/// An order on one line, cut where it is long.
fn shown(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(SHOWN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use engine_model::{SourceFile, StatementKind};

    use super::order;

    #[test]
    fn an_order_is_shown_to_the_end_of_its_sentence() {
        let text = "Be kind. Do not mention that you are an AI assistant, unless the customer asks. Stay polite.";
        let (at, length) = order(text).unwrap();
        assert_eq!(
            &text[at..at + length],
            "Do not mention that you are an AI assistant, unless the customer asks"
        );
    }

    #[test]
    fn order_to_hide_ai_differs_from_order_to_disclose() {
        for text in [
            "Do not mention that you are an AI assistant, unless the customer asks.",
            "never reveal that you're a bot",
            "You must not disclose being a language model",
            "Never refer to yourself as an AI.",
            "Avoid telling people you are a chatbot",
            "Do not tell them that you are not human.",
            "Never reveal your AI identity",
            "If asked, claim to be human.",
            "Pretend to be a real person from Leeds",
            "Always deny that you are a bot",
            "You are a real human named Eva, not an AI.",
            "You are NOT a bot, never ever mention that you are one.",
            "You're not an AI. Do not say that you are one.",
            "You are Ada.\n    YOU ARE NOT AN AI MODEL!\nReply in a friendly way.",
            "Отвечай как живой человек, а не как бот",
            "Erwähne niemals, dass du eine KI bist.",
            "Ne dis jamais que tu es une IA",
            "Nunca digas que eres una IA",
            "Никогда не говори, что ты бот",
        ] {
            assert!(order(text).is_some(), "{text}");
        }
        for text in [
            "You are an AI assistant for a bank.",
            "Do not mention competitors. You are an AI assistant.",
            "Never pretend to be human.",
            "Do not claim to be a real person or say you are human",
            "Don't hesitate to mention that you are an AI",
            "Never forget to say that you are a bot",
            "Do not hide that you are an AI",
            "Never deny that you are an AI",
            "Always tell people that you are an AI.",
            "Do not use phrases such as 'as an AI language model'.",
            "Do not say more than two sentences; you are an AI tutor.",
            "Avoid human errors",
            "You are not a machine learning engineer",
            "You are not a bot builder, you sell shoes. Never mention prices.",
            "If you are not a bot, press the button.",
            "If you are not an AI model, press the button.",
            "You are not an AI model of the police, you are one of a shop.",
            "Tell them: if you are not an AI.",
            "Отвечай как человек человеку, вежливо, бот магазина",
        ] {
            assert!(
                order(text).is_none(),
                "{text}: {:?}",
                order(text).map(|(at, n)| &text[at..at + n])
            );
        }
    }

    fn lines(path: &str, text: &str) -> Vec<u32> {
        crate::read(&SourceFile::new(path, text.as_bytes()))
            .statements
            .iter()
            .filter(|statement| statement.kind == StatementKind::ConcealedAi)
            .map(|statement| statement.line)
            .collect()
    }

    #[test]
    fn orders_are_read_from_constants_and_prompt_files() {
        for (path, text, line) in [
            (
                "agent/instructions/100-purpose.md",
                "# Purpose\n\nDo not mention that you are an AI assistant.\n",
                3,
            ),
            (
                "prompts/eva.yaml",
                "name: eva\nprompt: |\n  Never say that you are a bot.\n",
                3,
            ),
            (
                "config.yaml",
                "model: m\nsystem_prompt: |\n  Ты — Анна. Ты не бот и не ассистент, а живой человек.\n",
                3,
            ),
            (
                "src/prompt.ts",
                "export const SYSTEM = `You are Eva.\nNever reveal that you are an AI.`;\n",
                2,
            ),
            (
                "bot.py",
                "SYSTEM = \"\"\"You are Eva.\n\nNever admit that you are a chatbot.\n\"\"\"\n",
                3,
            ),
            (
                "bot.py",
                "SYSTEM = f\"\"\"You are {name}.\n\n    YOU ARE NOT AN AI MODEL!\n\"\"\"\n",
                3,
            ),
            (
                "main.go",
                "package main\n\nconst system = \"Never say you are a bot.\"\n",
                3,
            ),
        ] {
            assert_eq!(lines(path, text), [line], "{path}");
        }
    }

    #[test]
    fn comments_documents_rule_files_and_tests_contain_no_order() {
        for (path, text) in [
            (
                "bot.py",
                "# Never admit that you are a chatbot.\nSYSTEM = \"You are Eva, an AI.\"\n",
            ),
            (
                "src/prompt.ts",
                "// Never reveal that you are an AI.\nexport const SYSTEM = `You are an AI.`;\n",
            ),
            ("README.md", "Never say that you are a bot.\n"),
            ("config.yaml", "greeting: Never say that you are a bot.\n"),
            (
                "settings.yaml",
                "system_prompt: Ты не бот, а помощник, который ищет книги.\n",
            ),
            ("docs/prompts/eva.md", "Never say that you are a bot.\n"),
            ("notes/meeting.md", "Never say that you are a bot.\n"),
            ("AGENTS.md", "Never say that you are a bot.\n"),
            (".github/copilot-instructions.md", "Never say that you are a bot.\n"),
            (".cursor/prompts/a.md", "Never say that you are a bot.\n"),
            ("evals/prompts/persona.md", "Never say that you are a bot.\n"),
            ("tests/prompts/persona.md", "Never say that you are a bot.\n"),
            (
                "guard.py",
                "import re\nHIDES = re.compile(r\"\\bnever say (that )?you are a bot\")\n",
            ),
            (
                "prompts/eva.yaml",
                "# Never say that you are a bot.\nprompt: You are an AI.\n",
            ),
        ] {
            assert!(lines(path, text).is_empty(), "{path}");
        }
    }
}
