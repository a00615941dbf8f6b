//! Texts of a page that people read, ranked by how clearly they disclose the AI.

use engine_catalogue::words_of;
use engine_syntax::ir::{Expr, ExprId};

use crate::values::ExprRef;
use crate::world::World;

/// Attributes whose text nobody sees on a page: for machines, for assistive technology alone, or only while a pointer rests or a field is empty.
const HIDDEN: [&str; 23] = [
    "title",
    "alt",
    "class",
    "className",
    "id",
    "key",
    "name",
    "href",
    "src",
    "style",
    "role",
    "htmlFor",
    "content",
    "testID",
    "accessibilityHint",
    "accessibilityLabel",
    "tooltip",
    "Tooltip",
    "rel",
    "type",
    "property",
    "keywords",
    "placeholder",
];

/// What a text speaks of when no model answers: it failed, it is still at work, or it is not there.
const ASIDE: [&str; 67] = [
    "being generated",
    "being prepared",
    "being processed",
    "being analy",
    "critical:",
    "guardrail",
    "system prompt",
    "lacks ai",
    "lacks an ai",
    "missing ai disclosure",
    "unavailable",
    "not available",
    "temporarily",
    "failed",
    "error",
    "could not",
    "couldn't",
    "try again",
    "went wrong",
    "timed out",
    "took too long",
    "no response",
    "disabled",
    "not configured",
    "waiting for",
    "loading",
    "generating",
    "thinking",
    "processing",
    "analyzing",
    "please wait",
    "will be available",
    "coming soon",
    "upgrade to",
    "fehlgeschlagen",
    "fehler",
    "nicht verfügbar",
    "nicht erreichbar",
    "indisponible",
    "indisponível",
    "non disponibile",
    "niet beschikbaar",
    "niedostępn",
    "échec",
    "échoué",
    "erreur",
    "falló",
    "no disponible",
    "ошибк",
    "не удалось",
    "недоступ",
    "失败",
    "失敗",
    "错误",
    "エラー",
    "正在生成",
    "正在思考",
    "正在处理",
    "正在處理",
    "正在分析",
    "正在加载",
    "正在查询",
    "wasn't successful",
    "was not successful",
    "unsuccessful",
    "실패",
    "오류",
];

/// Things that a model makes beside a conversation; a text about them says nothing of who answers.
const MEDIA: [&str; 20] = [
    "зображен",
    "изображен",
    "картинк",
    "imagen",
    "imagem",
    "图片",
    "music",
    "image",
    "picture",
    "photo",
    "artwork",
    "avatar",
    "video",
    "illustration",
    "icon",
    "logo",
    "thumbnail",
    "bild",
    "musik",
    "song",
];

/// Parts of the path of pages on which nobody talks with a model: papers of law, settings, help for those who build.
const ELSEWHERE: [&str; 31] = [
    "privacy",
    "terms",
    "policy",
    "policies",
    "legal",
    "imprint",
    "impressum",
    "datenschutz",
    "cookie",
    "cookies",
    "admin",
    "settings",
    "cms",
    "pricing",
    "blog",
    "changelog",
    "docs",
    "test",
    "tests",
    "scripts",
    "stories",
    "story",
    "examples",
    "marketing",
    "seo",
    "merchant",
    "login",
    "signup",
    "help",
    "faq",
    "about",
];

/// Parts of the path of pages that are about something else as well: there only what speaks to those who talk counts.
const ASIDE_PAGES: [&str; 17] = [
    // What follows a talk tells nobody before it.
    "success",
    "results",
    "thanks",
    "completed",
    "creator",
    "editor",
    "builder",
    "new",
    "wizard",
    "preview",
    "dashboard",
    "guide",
    "guides",
    "learn",
    "features",
    "landing",
    "demo",
];

/// Parts of the path of pages on which people talk with a model.
const TALK_PLACES: [&str; 23] = [
    "answer",
    "chat",
    "chats",
    "chatbot",
    "conversation",
    "conversations",
    "assistant",
    "ask",
    "message",
    "messages",
    "interview",
    "bot",
    "tutor",
    "companion",
    "coach",
    "copilot",
    "support",
    "talk",
    "session",
    "call",
    "widget",
    "dialog",
    "agent",
];

/// How well a text of a page tells that an AI answers; the greater the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// It names an AI on some page.
    Names,
    /// It says that an AI answers.
    Tells,
    /// It names an AI on a page where people talk with a model.
    NamesThere,
    /// It says so on a page where people talk with a model.
    TellsThere,
    /// It says to those who talk that they do so with an AI.
    Addresses,
}

/// Words with which a text speaks to those who talk with a model.
const ADDRESSES: [&str; 60] = [
    "i'm a gpt",
    "i am a gpt",
    "i'm a language model",
    "i'm a large language model",
    "i am a language model",
    "i am a large language model",
    "gpt-powered assistant",
    "ai-powered assistant",
    "i'm your ai",
    "i’m your ai",
    "i am your ai",
    "i'm an ai ",
    "i am an ai ",
    "ich bin dein ki",
    "you are interacting",
    "you're interacting",
    "you are chatting",
    "you're chatting",
    "you are talking",
    "you're talking",
    "you are speaking",
    "interacting with an",
    "talking to an ai",
    "can make mistakes",
    "may make mistakes",
    "sie sprechen mit",
    "перед вами чат-бот",
    "перед вами бот",
    "перед вами ии",
    "перед вами нейросет",
    "вы общаетесь с",
    "ви спілкуєтесь з",
    "ви спілкуєтеся з",
    "rozmawiasz z",
    "estás hablando con",
    "está hablando con",
    "stai parlando con",
    "sta parlando con",
    "está a falar com",
    "você está falando com",
    "je praat met",
    "u praat met",
    "du chattest mit",
    "sie chatten mit",
    "du sprichst mit",
    "vous parlez avec",
    "vous discutez avec",
    "vous échangez avec",
    "будет вам отвечать",
    "我是",
    "저는",
    "私は",
    "ich bin dein",
    "ich bin ihr",
    "soy tu",
    "je suis votre",
    "je suis ton",
    "sono il tuo",
    "sou seu",
    "sou o seu",
];

/// Texts about a failure or about waiting are shorter; a longer one is asked by its sentences.
const ASIDE_BYTES_MAX: usize = 300;

/// Whether a text speaks of a failure or of waiting.
///
/// In a greeting that explains a bot at length a word about errors says nothing of the sentence that names an AI.
pub(crate) fn is_aside(text: &str) -> bool {
    let lower = text.to_lowercase();
    let speaks = |text: &str| ASIDE.iter().any(|word| text.contains(word));
    // What is said of the choice of a model tells nobody that it answers: "You have changed your AI model".
    let chooses = lower.contains("model")
        && [
            "changed",
            "switched",
            "selected",
            "updated your",
            "choose ",
            "select ",
            "switch to",
        ]
        .iter()
        .any(|word| lower.contains(word))
        && !introduces(text);
    // Neither does what is said of a text that somebody handed in: "Possible AI-generated content — flagged for review".
    let suspects = [
        "ai-generated",
        "ai generated",
        "ai-written",
        "written by ai",
        "ai content",
    ]
    .iter()
    .any(|word| lower.contains(word))
        && [
            "possible ",
            "possibly ",
            "likely ",
            "suspected",
            "detected",
            "flagged",
            "plagiar",
            "probability",
        ]
        .iter()
        .any(|word| lower.contains(word));
    (chooses || suspects) && text.len() <= ASIDE_BYTES_MAX
        || speaks(&lower)
            && !(text.len() > ASIDE_BYTES_MAX
                && lower
                    .split(['.', '!', '?', '\n'])
                    .any(|sentence| !speaks(sentence) && super::disclosure::tells_of_ai(sentence)))
}

/// Whether a page shows how trials of a model went, by its path: `app/eval/page.tsx`. Nobody talks there.
pub(crate) fn is_of_trials(path: &str) -> bool {
    path.split(['/', '.', '-', '_'])
        .any(|part| matches!(part, "eval" | "evals" | "benchmark" | "benchmarks"))
}

/// Whether a text speaks of pictures, sound or the like: beside them it is their label, elsewhere it says nothing of answers.
pub(crate) fn is_of_media(text: &str) -> bool {
    let lower = text.to_lowercase();
    MEDIA.iter().any(|word| lower.contains(word))
}

/// Whether a text speaks of pictures, sound or the like, and introduces nobody to those who talk.
pub(crate) fn is_label(text: &str) -> bool {
    let lower = text.to_lowercase();
    let introduces = [
        "assist",
        "асист",
        "ассист",
        "chatbot",
        "chat bot",
        "asistent",
        "asistente",
    ];
    is_of_media(text)
        && !introduces.iter().any(|word| lower.contains(word))
        && !ADDRESSES.iter().any(|words| lower.contains(words))
}

/// Words with which a bot tells those who write to it what it is, beside the ones that speak to them anywhere.
const IS_YOURS: [&str; 25] = [
    "saya adalah asisten",
    "saya asisten",
    "твій ai",
    "твій ші",
    "ваш ai",
    "ваш ші",
    "твой ai",
    "твой ии",
    "ваш ии",
    "soy tu ",
    "soy un asistente",
    "sono il tuo",
    "je suis ton",
    "je suis votre",
    "ich bin ihr",
    "sou seu ",
    "sou o seu ",
    "je suis une ia",
    "soy una ia",
    "sono un'ia",
    "ik ben je ",
    "jestem twoim ",
    "я твой ",
    "я ваш ",
    "я твій ",
];

/// Whether a text introduces the one who answers to those who talk.
pub(crate) fn introduces(text: &str) -> bool {
    let lower = text.to_lowercase();
    ADDRESSES.iter().chain(&IS_YOURS).any(|words| lower.contains(words)) || names_itself(&lower)
}

/// Whether somebody says a name and then what it is: "I'm Clara, your AI cooking assistant".
fn names_itself(lower: &str) -> bool {
    /// Bytes of the longest name.
    const NAME_BYTES_MAX: usize = 40;
    // "I'm your Aven AI support assistant": the name stands in between.
    let is_yours = ["i'm your ", "i’m your ", "i am your "].iter().any(|start| {
        lower.match_indices(start).any(|(at, start)| {
            let rest = &lower[at + start.len()..];
            let sentence = rest.split(['.', '!', '?', '\n']).next().unwrap_or(rest);
            sentence.find(" ai ").is_some_and(|at| at <= NAME_BYTES_MAX)
        })
    });
    is_yours
        || ["i'm ", "i’m ", "i am ", "my name is ", "this is "]
            .iter()
            .any(|start| {
                lower.match_indices(start).any(|(at, start)| {
                    let rest = &lower[at + start.len()..];
                    [", your ai ", ", an ai ", ", your virtual ", ", your personal ai"]
                        .iter()
                        .any(|is| rest.find(is).is_some_and(|at| at <= NAME_BYTES_MAX))
                })
            })
}

/// The words of the name of a file that say what it is about.
fn words_of_name(path: &str) -> Vec<String> {
    // What a file is, and not what it is about.
    const PARTS: [&str; 18] = [
        "page",
        "index",
        "route",
        "routes",
        "router",
        "service",
        "services",
        "controller",
        "handler",
        "api",
        "server",
        "client",
        "app",
        "main",
        "view",
        "views",
        "component",
        "ai",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut words = words_of(name.split('.').next().unwrap_or(name));
    words.retain(|word| !PARTS.contains(&word.as_str()));
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether a page and a file of code are named for the same thing: `CareerAdvisor.jsx` and `careerAdvisorRoutes.js`.
pub(crate) fn is_named_alike(page: &str, code: &str) -> bool {
    const WORDS_MIN: usize = 2;
    let own = words_of_name(page);
    own.len() >= WORDS_MIN && {
        let code = words_of_name(code);
        own.iter().filter(|word| code.contains(word)).count() >= WORDS_MIN
    }
}

/// Whether a text is the name of its page: "AI Career Advisor" in `CareerAdvisor.jsx`.
pub(crate) fn names_its_page(text: &str, page: &str) -> bool {
    let lower = text.to_lowercase();
    let said: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let own = words_of_name(page);
    !own.is_empty() && own.iter().all(|word| said.contains(&word.as_str()))
}

/// Whether a part of a page is there to ask what people think of an answer, or to let them in, by its name: it is shown to those alone who
/// are asked, or apart from the talk.
fn is_apart(path: &str) -> bool {
    const ASKS: [&str; 10] = [
        "user", "actions", "form", "button", "buttons", "rating", "vote", "survey", "dialog", "modal",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let words = words_of(name.split('.').next().unwrap_or(name));
    let signs_in = words
        .iter()
        .any(|word| matches!(word.as_str(), "auth" | "signin" | "register"));
    signs_in || words.iter().any(|word| word == "feedback") && words.iter().any(|word| ASKS.contains(&word.as_str()))
}

/// What a text is worth on the page of a path; nothing where people go for something else.
///
/// `drawn` holds for a script that draws its own page: whoever uses it reads what it puts there.
pub(crate) fn rank(path: &str, text: &str, drawn: bool) -> Option<Rank> {
    if is_apart(path) {
        return None;
    }
    // Who introduces itself to those who write may say that it draws as well.
    if is_aside(text) || is_of_media(text) && !introduces(text) {
        return None;
    }
    let words: Vec<String> = path.split(['/', '.']).flat_map(words_of).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&ELSEWHERE) {
        return None;
    }
    let tells = super::disclosure::speaks_to_a_person(text);
    // What speaks to those who talk does so on a page for settings or an overview as well.
    if (tells || super::disclosure::tells_of_ai(text)) && introduces(text) {
        return Some(Rank::Addresses);
    }
    if has(&ASIDE_PAGES) {
        return None;
    }
    Some(match (tells, drawn || has(&TALK_PLACES)) {
        (true, true) => Rank::TellsThere,
        (true, false) => Rank::Tells,
        (false, true) => Rank::NamesThere,
        (false, false) => Rank::Names,
    })
}

/// Whether a text is seen in an element of a page.
pub(crate) fn is_visible(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    let mut child = id;
    let mut shown = false;
    for parent in world.index(unit).ancestors(id) {
        if let Expr::Element(element) = world.module(unit).expr(parent) {
            let hidden = element.attributes.iter().any(|(name, value)| {
                *value == child
                    && (HIDDEN.contains(&&**name)
                        || name.starts_with("aria")
                        || name.starts_with("data-")
                        || name.starts_with("on"))
            });
            if hidden {
                return false;
            }
            shown = true;
        }
        child = parent;
    }
    shown
}

/// Whether a text is kept under a key for notices, from which a page takes it: `{ aiNotice: "You are …" }`.
pub(super) fn is_keyed(world: &World<'_>, unit: u32, id: ExprId) -> bool {
    let module = world.module(unit);
    world.index(unit).ancestors(id).next().is_some_and(|parent| {
        matches!(module.expr(parent), Expr::Map(entries) if entries.iter().any(|entry| {
            entry.value == id && entry.key.is_some_and(|key| {
                matches!(module.expr(key), Expr::Str(name) | Expr::Name(name) if {
                    let lower = name.to_lowercase();
                    ["notice", "disclaim", "disclos", "hinweis"].iter().any(|word| lower.contains(word))
                })
            })
        }))
    })
}

/// Whether a place puts out what it is given on the console of a program, and not into a page or a message.
pub(super) fn is_console(world: &World<'_>, at: ExprRef) -> bool {
    let name = super::callee_name(world, at);
    // What PHP prints is the page.
    if world.unit(at.0).language == engine_model::Language::Php && !super::php::is_run_by_hand(world, at.0) {
        return false;
    }
    match super::object_name(world, at) {
        "" => matches!(
            name,
            "print" | "println" | "printf" | "eprintln" | "pprint" | "echo" | "puts" | "pp"
        ),
        "console" => matches!(name, "log" | "info" | "debug"),
        "Console" => matches!(name, "WriteLine" | "Write"),
        "fmt" => matches!(name, "Print" | "Println" | "Printf"),
        "out" | "stdout" => matches!(name, "print" | "println" | "printf" | "write"),
        _ => false,
    }
}

/// The first words of a notice, for the sentence of a finding.
pub(crate) fn excerpt(text: &str) -> String {
    /// Characters that are shown.
    const CHARS_MAX: usize = 80;
    let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if whole.chars().count() <= CHARS_MAX {
        return whole;
    }
    let cut: String = whole.chars().take(CHARS_MAX).collect();
    format!("{}…", cut.trim_end())
}

/// Whether a text that a page shows tells of an AI.
pub(crate) fn tells_on_page(shown: &str) -> bool {
    let tells =
        super::disclosure::speaks_to_a_person(shown) || super::disclosure::tells_of_ai(shown) && introduces(shown);
    tells && !is_aside(shown) && !is_of_media(shown)
}

/// The texts that a page shows with their lines: what stands between the tags of a template, not in scripts or remarks.
pub(crate) fn shown_on_page(text: &str) -> Vec<(u32, String)> {
    let lower = text.to_ascii_lowercase();
    let mut out = Vec::new();
    let (mut at, mut counted, mut line) = (0, 0, 1);
    while at < lower.len() {
        let rest = &lower[at..];
        // What stands in these is not shown.
        let hidden = [
            ("<script", "</script"),
            ("<style", "</style"),
            ("<!--", "-->"),
            ("<title", "</title"),
        ]
        .iter()
        .find(|(open, _)| rest.starts_with(open));
        if let Some((open, close)) = hidden {
            let end = rest.find(close).unwrap_or(rest.len());
            // A script may greet whoever opens the page.
            if *open == "<script" {
                for (start, shown) in greetings(&text[at..at + end]) {
                    line += text[counted..at + start].matches('\n').count();
                    counted = at + start;
                    out.push((crate::values::id(line), shown.to_owned()));
                }
            }
            at += end;
            at += lower[at..].find('>').map_or(lower.len() - at, |end| end + 1);
            continue;
        }
        // What a template of PHP writes between its tags.
        if rest.starts_with("<?") {
            let end = rest.find("?>").map_or(rest.len(), |end| end + 2);
            for (start, shown) in translated(&text[at..at + end]) {
                line += text[counted..at + start].matches('\n').count();
                counted = at + start;
                out.push((crate::values::id(line), shown.to_owned()));
            }
            at += end;
            continue;
        }
        if rest.starts_with('<') {
            at += rest.find('>').map_or(rest.len(), |end| end + 1);
            continue;
        }
        let end = rest.find('<').unwrap_or(rest.len());
        let shown = &text[at..at + end];
        // Between the elements of a component stands code as well.
        let code = shown.contains([';', '=', '{', '}']) || shown.contains("//");
        if !shown.trim().is_empty() && !code {
            let start = at + shown.len() - shown.trim_start().len();
            line += text[counted..start].matches('\n').count();
            counted = start;
            out.push((crate::values::id(line), shown.trim().to_owned()));
        }
        at += end.max(1);
    }
    out
}

/// The texts of a script that introduce an AI to whoever opens the page, with their places.
fn greetings(script: &str) -> Vec<(usize, &str)> {
    /// Texts of one script that are looked at, and the bytes of the longest.
    const TEXTS_MAX: usize = 2_000;
    const BYTES_MAX: usize = 600;
    let mut out = Vec::new();
    let mut at = 0;
    for _ in 0..TEXTS_MAX {
        let Some(open) = script[at..].find(['"', '\'', '`']).map(|next| at + next) else {
            break;
        };
        let quote = &script[open..=open];
        let Some(length) = script[open + 1..].find(quote) else {
            break;
        };
        // A quote that nothing closes on its line is an apostrophe.
        let said = &script[open + 1..open + 1 + length];
        if said.contains('\n') && quote != "`" {
            at = open + 1;
            continue;
        }
        at = open + length + 2;
        // It is handed to what shows it, or put into a part of the page.
        let before = script[..open].trim_end();
        let shown = before.ends_with(['(', ','])
            || ["innerHTML =", "innerText =", "textContent ="]
                .iter()
                .any(|end| before.ends_with(end));
        if shown
            && said.len() <= BYTES_MAX
            && introduces(said)
            && super::disclosure::tells_of_ai(said)
            && !is_aside(said)
        {
            out.push((open + 1, said));
        }
    }
    out
}

/// The first messages with which a component fills its talk, with their lines: `useState([{ text: "Hi, I'm Clara, your AI cook!" }])`.
pub(crate) fn said_in_states(text: &str) -> Vec<(u32, String)> {
    /// Keys under which a message is kept.
    const KEYS: [&str; 5] = ["text:", "content:", "message:", "body:", "parts:"];
    /// What makes a state.
    const STATES: [&str; 6] = ["useState", "ref(", "reactive(", "$state", "signal(", "useChat"];
    /// Bytes of the longest text, and bytes around one in which its role stands.
    const BYTES_MAX: usize = 600;
    const AROUND: usize = 120;
    if !STATES.iter().any(|made| text.contains(made)) {
        return Vec::new();
    }
    let mut found: Vec<(usize, String)> = Vec::new();
    for key in KEYS {
        for (at, _) in text.match_indices(key) {
            let behind = &text[at + key.len()..];
            let from = at + key.len() + (behind.len() - behind.trim_start().len());
            let Some(quote) = text[from..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else {
                continue;
            };
            let rest = &text[from + 1..];
            let mut escaped = false;
            let end = rest.find(|c: char| {
                let ends = c == quote && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let Some(said) = end
                .and_then(|end| rest.get(..end))
                .filter(|said| said.len() <= BYTES_MAX)
            else {
                continue;
            };
            let plain = said.replace("\\'", "'").replace("\\\"", "\"");
            if !introduces(&plain) || !super::disclosure::tells_of_ai(&plain) || is_aside(&plain) {
                continue;
            }
            // What a person or a setting says is no greeting.
            let mut start = at.saturating_sub(AROUND);
            while !text.is_char_boundary(start) {
                start += 1;
            }
            let object = text[start..at].rsplit('{').next().unwrap_or("");
            let behind: &str = rest.get(said.len()..).unwrap_or("").split('}').next().unwrap_or("");
            let of_others = |part: &str| {
                ["system", "\"user\"", "'user'", "developer", "isUser: true"]
                    .iter()
                    .any(|role| part.contains(role))
            };
            if !of_others(object) && !of_others(behind) {
                found.push((from, plain));
            }
        }
    }
    found.sort_unstable();
    let (mut line, mut counted) = (1, 0);
    found
        .into_iter()
        .map(|(at, said)| {
            line += text[counted..at].matches('\n').count();
            counted = at;
            (crate::values::id(line), said)
        })
        .collect()
}

/// The texts that a piece of PHP writes into its page, with their places: `_e('Hello', 'desk')`, `echo 'Hello'`.
fn translated(code: &str) -> Vec<(usize, &str)> {
    /// What stands before such a text.
    const WRITES: [&str; 6] = ["_e(", "__(", "esc_html_e(", "esc_html__(", "echo ", "<?="];
    /// Texts of one piece.
    const TEXTS_MAX: usize = 40;
    let mut out: Vec<(usize, &str)> = WRITES
        .iter()
        .flat_map(|writes| code.match_indices(writes))
        .filter_map(|(at, writes)| {
            let from = at + writes.len();
            let behind = &code[from..];
            let skipped = behind.len() - behind.trim_start().len();
            let quote = behind
                .trim_start()
                .chars()
                .next()
                .filter(|quote| matches!(quote, '"' | '\''))?;
            let start = from + skipped + 1;
            let said = code[start..].split(quote).next()?;
            (!said.trim().is_empty()).then_some((start, said))
        })
        .take(TEXTS_MAX)
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::{Rank, introduces, is_aside, is_named_alike, is_of_media, rank, shown_on_page, tells_on_page};

    #[test]
    fn a_greeting_at_length_may_speak_of_errors() {
        let greeting = "Welcome! You are talking to the artificial intelligence of the town library. It answers your questions \
            about books, opening hours and events in whatever language you write.\n\nShould you find an error in your last message, \
            send it once more. Lists of commands are in /help, and what you write is kept for thirty days.";
        assert!(!is_aside(greeting));
        assert!(is_aside("The artificial intelligence made an error. Try again."));
        let failed = "The artificial intelligence of the town library failed with an error. ".repeat(5);
        assert!(is_aside(&failed));
    }

    #[test]
    fn a_page_is_named_like_the_code_behind_it() {
        assert!(is_named_alike("src/CareerAdvisor.jsx", "routes/careerAdvisorRoutes.js"));
        assert!(!is_named_alike("src/Chat.jsx", "routes/chatRoutes.js"));
        assert!(!is_named_alike(
            "src/InterviewSimulator.jsx",
            "routes/careerAdvisorRoutes.js"
        ));
        assert!(introduces("Hello! I’m your AI assistant."));
        assert!(introduces("Hello! I'm your Aven AI support assistant. How can I help?"));
        assert!(!introduces("I'm your neighbour. What is this AI for?"));
        assert!(!introduces("Your prompt will be improved with the help of AI."));
    }

    #[test]
    fn a_page_tells_where_a_person_reads_and_nowhere_else() {
        let line = |page: &str| {
            let told = shown_on_page(page).into_iter().find(|(_, shown)| tells_on_page(shown));
            told.map(|(line, _)| line)
        };
        assert_eq!(line("<body>\n<p>You are chatting with an AI.</p>"), Some(2));
        assert_eq!(line("<p>\n  Answers are AI-generated.</p>"), Some(2));
        assert_eq!(
            line("<div>\n<?php if ($a > 1) { ?>\n<p><?php _e('¡Hola! Soy tu asistente de IA.', 'desk'); ?></p>"),
            Some(3)
        );
        assert_eq!(line("<p>Bonjour! Je suis votre assistant IA.</p>"), Some(1));
        assert_eq!(
            line("<p>Desk</p>\n<script>\nit's(1);\nappendMessage('bot', 'Hi! I am your AI assistant.');</script>"),
            Some(4)
        );
        for page in [
            "<?php $prompt = 'Soy tu asistente de IA.'; ?>",
            "<h1>Chat with any AI model</h1>",
            "<!-- You are chatting with an AI. -->",
            "<script>const notice = 'You are chatting with an AI.';</script><p>Hello</p>",
            "<title>You are chatting with an AI</title>",
            "<p>Email us your answers</p>",
        ] {
            assert_eq!(line(page), None, "{page}");
        }
    }

    #[test]
    fn failures_waiting_and_pictures_are_no_notice() {
        assert!(is_aside("The AI assistant is temporarily unavailable."));
        // What a review says to those who keep the program.
        assert!(is_aside(
            "CRITICAL: AI generated illegal interview questions. Add an instruction."
        ));
        assert!(is_aside(
            "Email template lacks AI disclosure. The footer should state that content is AI-assisted."
        ));
        assert!(is_aside("Waiting for AI response..."));
        assert!(is_aside("AI生成失败"));
        assert!(!is_aside("本回答由AI生成"));
        assert!(is_of_media("Play AI generated music"));
        assert!(!is_aside("You are chatting with an AI assistant."));
    }

    #[test]
    fn the_place_of_a_page_counts() {
        let notice = "You are chatting with an AI assistant.";
        assert_eq!(rank("src/app/chat/page.tsx", notice, false), Some(Rank::Addresses));
        assert_eq!(
            rank("src/app/page.tsx", "Our AI assistant answers.", false),
            Some(Rank::Tells)
        );
        assert_eq!(
            rank("src/chat/page.tsx", "Our AI assistant answers.", false),
            Some(Rank::TellsThere)
        );
        // What stands beneath an answer is read with it; on a page of prices it may be about anything.
        let below = "AI-generated content may be incorrect";
        for (path, worth) in [
            ("src/components/Answer/Answer.tsx", Rank::TellsThere),
            ("src/components/Prices/Prices.tsx", Rank::Tells),
        ] {
            assert_eq!(rank(path, below, false), Some(worth), "{path}");
        }
        assert_eq!(rank("src/app/privacy/page.tsx", notice, false), None);
        assert_eq!(rank("src/DashboardPage.js", notice, false), Some(Rank::Addresses));
        assert_eq!(rank("src/DashboardPage.js", "Our AI assistant answers.", false), None);
        assert_eq!(
            rank("views/reader.blade.php", "Bonjour! Je suis votre assistant IA.", false),
            Some(Rank::Addresses)
        );
        assert_eq!(
            rank("src/ChatWindow.tsx", "AI assistant", false),
            Some(Rank::NamesThere)
        );
    }
}
