//! Texts of an interface that name an AI in plain words: titles, headings, labels, hints, descriptions of commands.
//!
//! Such a text is no notice that an AI answers. It is what a well-informed person may take from the page, and whether that is enough is for
//! a person to say. Remarks, imports, names of variables and what a model is sent are not read.

mod settings;

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_model::{Language, StatementKind};
use regex::Regex;

pub(crate) use self::settings::is_app_of_slack;
use self::settings::{
    IN_JSON, defines_commands, holds_messages, is_welcome_of_chainlit, names_the_product, of_chainlit, of_product,
    of_said_json, of_settings, of_slack, values_of_json, values_of_lines,
};
use crate::interface::{Tag, is_remark, line_of, tags};
use crate::own_paper;
use crate::patterns::pattern;
use crate::quoted::{LITERAL, Quoted};
use crate::read::{Out, ends_in};

/// Names of one file that are kept.
const NAMES_MAX: usize = 5;
/// Names of one table of texts that are kept; it holds those of many pages.
const TRANSLATED_MAX: usize = 40;
/// Bytes of a text of an interface; what is longer is an article or a prompt.
const TEXT_BYTES_MAX: usize = 400;
/// Bytes of a part of a page that a script puts together.
const TEMPLATE_BYTES_MAX: usize = 20_000;
/// Texts of one file that are looked at.
const LITERALS_MAX: usize = 4_000;
/// Bytes of the arguments of one call that are looked at.
const ARGUMENTS_BYTES_MAX: usize = 800;

pattern!(
    NAMED,
    r"(?x)
    (?:^|[^A-Za-z0-9_.@/-])(?:AI|A\.I\.|KI|IA|GPT|LLM|GenAI)(?:$|[^A-Za-z0-9_@/:=(]) | (?-u:\b)[A-Za-z]{0,16}[a-z]GPT(?-u:\b) | (?-u:\b)(?i:gpt\s+(?:agent|assistant|bot|model)s?)(?-u:\b) | (?-u:\b)[A-Za-z][a-z]+[A-Z][a-z]+A[Ii](?-u:\b) | (?-u:\b)GPT-?[345o]
    | (?-u:\b)[A-Za-z]{1,16}Chat[Bb]ot(?-u:\b) | (?i:(?-u:\b)chat\s?-?(?:bots?|gpt)(?-u:\b) | (?-u:\b)artificial\s+intelligence(?-u:\b) | (?-u:\b)language\s+models?(?-u:\b) | (?-u:\b)(?:virtual|automated|digital|voice)\s+assistant(?-u:\b)
    | (?-u:\b)ai[\s-](?:agent|assistant|powered|generated|chat|tutor|coach|writer|model|system|analysis|response|answer)s?(?-u:\b)
    | (?:^|[^A-Za-z0-9_.@/-])(?:AI|KI|IA):(?:\s|$)
    | (?-u:\b)Ollama(?-u:\b)
    | (?-u:\b)claude\s+(?:sonnet|opus|haiku|code|\d)
    | (?-u:\b)(?:i['’]?m|i\s+am|welcome\s+to|this\s+is)\s+(?:google\s+)?(?:claude|gemini|llama|deepseek|mistral|qwen|grok)(?-u:\b)
    | (?-u:\b)gemini\s+(?:pro|flash|\d)
    | (?-u:\b)(?:gemini|claude|openai|deepseek|mistral|llama|qwen|grok)\s+(?:api\s+)?(?:chat\s?)?bot(?-u:\b)
    | (?-u:\b)(?:gemini|claude|gpt|deepseek|mistral|llama|qwen)\s+models?(?-u:\b)
    | (?-u:\b)(?:gemini|claude|deepseek|mistral|llama|qwen|grok|copilot)\s+(?:can|may|is)\s+(?:make|be|thinking)(?-u:\b)
    | (?i:(?-u:\b)(?:chat|talk|speak|powered|driven|answered)\s+(?:with|to|by)\s+(?:google\s+)?(?:gemini|claude|llama|openai|mistral|deepseek|qwen|grok|ollama)(?-u:\b))
    | k(?:ü|ue)nstliche[rn]?\s+intelligenz | intelligence\s+artificielle | inteligencia\s+artificial | inteligência\s+artificial
    | yapay\s+zek\w+ | kecerdasan\s+buatan | trí\s+tuệ\s+nhân\s+tạo | الذكاء\s+الاصطناعي | ปัญญาประดิษฐ์
    | intelligenza\s+artificiale | kunstmatige\s+intelligentie | sztuczn\w+\s+inteligencj\w+ | uměl\w+\s+inteligenc\w+
    | artificiell\s+intelligens | kunstig\s+intelligens | tekoäly | mesterséges\s+intelligencia | inteligență\s+artificială
    | τεχνητή\s+νοημοσύνη | tehisintellekt | mākslīgā\s+intelekta | dirbtinio\s+intelekto | изкуствен\s+интелект
    | umjetna\s+inteligencija | искусственн\w+\s+интеллек\w* | (?:^|\P{Cyrillic})нейросет\w+ | (?:^|\P{Cyrillic})ИИ(?:$|\P{Cyrillic}) | 模型的?回[复答] | 人工智能 | 人工智慧 | 人工知能 | 大模型 | 聊天机器人 | 聊天機器人 | チャットボット | 챗봇 | 인공지능 | (?:^|\P{Cyrillic})чат-?бот\w* | asystent\s+ai | assistent[e]?\s+ai)"
);
// A text that says that there is none, and one that gives a model its part.
pattern!(
    DENIED,
    r"(?ix)\b(?:no|without|never\ an?|not\ an?|ohne|sans|sin)\s+(?:an?\s+)?(?:ai|ki|ia|chatbot|artificial)\b
    | \b(?:not|n't)\ (?:allowed|authori[sz]ed|permitted)\b | \baccess\s+(?:is\s+)?denied\b | доступ\w*\s+(?:запрещ|закрыт|к\s+бот) | нет\s+доступа | для\s+доступа | подписк\w+\s+на\s+канал
    | \b(?:possibl[ey]|likely|suspected|detect\w*|flagged)\s+(?:as\s+)?ai[\s-](?:generated|written|content)\b
    | \bai[\s-](?:(?:generated|written)\s+)?(?:content\s+|text\s+|writing\s+)?detect(?:ed|or|ion)\b"
);
pattern!(
    ROLE,
    r"(?i)^\s*(you are an?|you're an?|act as|your (task|role|job)|du bist|tu es|vous êtes|eres)\b"
);
// Code that follows the last tag of a component.
pattern!(
    CODE,
    r"//|/\*|=>|;|\s=\s|\b(const|return|function|import|export|class|await)\s"
);
// What a component shows under names that are for people.
pattern!(
    SHOWN,
    r#"(?:^|[\s{(,:])(?:title|heading|headline|subtitle|subheading|label|placeholder|emptyPlaceholder|tagline|header|tooltip|caption|aria-label|alt|buttonText|welcomeMessage|greeting|siteName|[a-z]+(?:Title|Label|Placeholder|Text|Heading))\s*[=:]\s*\{?\s*["'`]"#
);
// Texts that a component chooses between.
pattern!(CHOSEN, r#"(?:\?|&&|\|\||\?\s*\(|:)\s*["']"#);
pattern!(BEHIND_CHOSEN, r"^\s*(?::[^:]|\)|\})");
pattern!(TEMPLATE, r"`([^`]+)`");
/// Texts as components hold them.
const IN_COMPONENT: Quoted = Quoted {
    quotes: b"\"'`",
    length: (2, 400),
    escapes: false,
    lines: false,
};
/// Texts between which a component chooses.
const IN_CHOICE: Quoted = Quoted {
    quotes: b"\"'",
    length: (4, 200),
    escapes: false,
    lines: false,
};
pattern!(
    CALLS_OF_PYTHON,
    r"(?x)
    \b(?:st|sidebar|streamlit|ui|ft|page|col\d?)\s*\.\s*(?:title|header|subheader|set_page_config|caption|markdown|chat_input|text_input|text_area|button|label|info|tabs)\s*\(
    | \bgr\s*\.\s*(?:Blocks|ChatInterface|Interface|TabbedInterface|Markdown|HTML|Label|Button|Textbox|Tab|Chatbot)\s*\(
    | \b(?:root|window|win|self|app|master|dlg)\s*\.\s*(?:title|setWindowTitle)\s*\(
    | \b(?:tk|ttk|ctk|customtkinter|QtWidgets)\s*\.\s*(?:CTk)?(?:Label|Button|LabelFrame|QLabel|QPushButton)\s*\(
    | \b(?:Label|QLabel|QPushButton|CTkLabel|BotCommand|(?:Inline)?KeyboardButton)\s*\(
    | @[\w.]+\.(?:command|slash_command|hybrid_command)\s*\(
    | \b(?:click|typer)\s*\.\s*(?:echo|secho)\s*\( | \bconsole\s*\.\s*(?:print|rule)\s*\( | \b(?:Panel|Panel\.fit)\s*\(
    | \bset_my_(?:commands|name|description|short_description)\s*\("
);
pattern!(PRINTS, r"\bprint\s*\(");
pattern!(
    LINES,
    r"\b(?:println|System\.out\.print(?:ln|f)?|Console\.Write(?:Line)?|AnsiConsole\.\w{4,20}|fmt\.Print(?:ln|f)?)!?\s*\("
);
pattern!(
    CALLS_OF_SCRIPTS,
    r"\.(?:setName|setDescription|setMyCommands|setMyDescription|setMyName|setTitle|setFooter)\s*\(|\bnew\s+TextBlock\s*\(|\b(?:add|append|display|show|render)(?:Bot|AI|Ai|Assistant|Chat)?(?:Message|Msg|Bubble)\s*\("
);
// What a bot sends or answers, and what an app writes into its screens.
pattern!(
    SENT,
    r"(?x)
    \b(?:[A-Za-z_]*[Rr]eply[A-Za-z_]*|[A-Za-z_]*[Ss]end_?(?:[Mm]essage|[Tt]ext|[Mm]sg)[A-Za-z_]*|ChannelMessageSend\w*|editMessageText|editReply
    |followUp|followup|say|setText|SetText|NewMessage|NewTextMessage|TextSendMessage|TextMessage|RespondAsync|FollowupAsync)\s*\("
);
// What follows such a name where texts or lists of texts are kept under it.
pattern!(
    MESSAGE,
    r"(?x)
    ^[A-Za-z_]+
    (?:\s*:\s*[\w&'\[\]<>,\x20]{1,40})? \s* :?= \s* (?:map\[string\]string|\[\]string|&?\[?|dict\(|f|r)? (?:[{\[(]|[rf]?[\x22\x27`])"
);
// Among them what a model is sent, what tells of a failure, and the messages of a conversation.
pattern!(
    NO_MESSAGE,
    r"(?i)prompt|system|instruct|user|human|assistant|bot_?message|error|err(or)?_?msg|fail|model|role|log|commit|^messages?$|history|input|schema|restart|start_?(time|date|at|url)"
);
// What a screen of an app shows.
pattern!(
    SCREEN,
    r"\b(?:Text|TopAppBar|Toast\.makeText|Label|TextBlock|MessageBox\.Show)\s*\("
);
// What a screen says in a talk.
pattern!(
    BUBBLE,
    r"\b(?:[A-Z]\w{0,20})?Message(?:Item|Model|UiState|ViewModel)?\s*\("
);
// The blocks of a message, as Slack takes them.
pattern!(
    BLOCK,
    r#"["']?type["']?\s*:\s*["'](?:mrkdwn|plain_text|TextBlock)["']\s*,\s*["']?text["']?\s*:\s*\(?\s*["'`]"#
);
// The menu of commands of a bot, as messengers take it.
pattern!(
    MENU,
    r#"["']command["']\s*:\s*["'][a-z_/0-9]{1,32}["']\s*,\s*["']description["']\s*:\s*["'`]"#
);
// The name of a bot on Telegram, which ends in `bot` there.
pattern!(
    HANDLE,
    r#"(?i)["'`](@?[a-z][a-z0-9_]{0,24}(?:gpt|openai|claude|gemini|llm)[a-z0-9_]{0,24}bot|@?(?:gpt|openai|claude|gemini|llm|chatgpt)[a-z0-9_]{0,24}bot)["'`]"#
);
// What a messenger shows beside a command that people pick: `Description: "Ask the AI"` of an application command.
pattern!(DESCRIBED, r#"\b[Dd]escription["']?\s*[:=]\s*["'`]"#);
// A command that people type, called after a model: `.setName('gpt')`, `@bot.command(name="chatgpt")`, `command: "gemini"`.
pattern!(
    COMMAND,
    r#"(?:\.setName\s*\(\s*|\b(?:command|slash_command|hybrid_command|tree\.command)\s*\(\s*(?:name\s*=\s*)?|["']?\bcommand["']?\s*:\s*|\bBotCommand\s*\(\s*(?:command\s*=\s*)?)["'`]/?((?:ask)?[_-]?(?:chat)?(?:gpt|claude|gemini|openai|llama|deepseek|mistral|ollama)[_-]?\d?)["'`]"#
);
// What describes a service on the page with its documentation.
pattern!(SERVICE, r"\b(?:FastAPI|Litestar|NinjaAPI|APIFlask|Robyn)\s*\(");
// Letters of a title that Streamlit colours: `Chat:blue[BOT]`.
pattern!(
    COLOURED,
    r":(?:red|blue|green|orange|violet|gray|grey|yellow|primary|rainbow|small)(?:-background|-badge)?\[([^\[\]\n]{0,80})\]"
);
// What is said of a failure.
pattern!(
    FAILED,
    r"(?i)\b(error|fail(ed|ure)?|could not|couldn't|cannot|unable|invalid|missing|trouble|unsuccessful|(?:not|wasn't|isn't) successful)\b|失败|错误|エラー|ошибк"
);
// What a call takes that no person sees.
pattern!(HIDDEN, r"(?:key|name|type|value|id|variant|css|theme|fn)\s*=\s*$");
pattern!(
    TRANSLATIONS,
    r"(?ix)
    (^|/)(locales?|i18n|_locales|messages|translations?|langs?|languages|l10n|dictionaries|locali[sz]ations?)/
    | (^|/)(translations?|strings|i18n|locales?|dictionar(y|ies))([.-][a-z_-]+)?\.(json|xml|tsx?|jsx?|ya?ml)$
    | (^|/)(strings|resources?|messages?)([._-][a-z_-]+)?\.(resx|properties)$"
);

/// Whether a file holds the texts of an interface apart from its pages.
pub(crate) fn is_translation(path: &str) -> bool {
    TRANSLATIONS.is_match(path)
}

/// Whether a file of no language is a template of a page or a screen.
pub(crate) fn is_template(path: &str) -> bool {
    ends_in(
        path,
        &[
            "ejs",
            "hbs",
            "handlebars",
            "jinja",
            "jinja2",
            "j2",
            "twig",
            "cshtml",
            "razor",
            "jsp",
            "erb",
            "mustache",
            "jte",
            "kte",
            "ftlh",
            "gohtml",
            "njk",
            "xaml",
            "axaml",
            "fxml",
        ],
    ) || ends_in(path, &["xml", "resx"]) && is_translation(path)
        || ends_in(path, &["xml"]) && path.contains("res/values") && path.ends_with("strings.xml")
}

/// Whether a file of PHP is a page with code in between: a template of Blade, or what lies among the views. A table of texts counts as one.
pub(crate) fn is_php_template(path: &str) -> bool {
    is_translation(path)
        || path.strip_suffix(".php").is_some_and(|stem| {
            stem.rsplit_once('.')
                .is_some_and(|(_, kind)| matches!(kind, "blade" | "tpl"))
                || path
                    .rsplit('/')
                    .skip(1)
                    .any(|folder| matches!(folder, "views" | "templates" | "template" | "partials"))
        })
}

/// Short names as they are written, and pieces without which no longer name is written.
static PIECES: LazyLock<[AhoCorasick; 2]> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the pieces are part of the program")]
    let build = |pieces: &[&str], any_case: bool| {
        AhoCorasick::builder()
            .ascii_case_insensitive(any_case)
            .build(pieces)
            .expect("a few pieces fit into one automaton")
    };
    [
        build(&["AI", "Ai", "A.I.", "KI", "IA", "GPT", "LLM", "gpt ", "Gpt "], false),
        build(
            &[
                "chat",
                "language",
                "assistant",
                "asystent",
                "assistent",
                "intelli",
                "intelig",
                "intelekt",
                "intellekt",
                "teko",
                "llama",
                "gemini",
                "claude",
                "openai",
                "mistral",
                "deepseek",
                "qwen",
                "grok",
                "ai ",
                "ai-",
                "ai\n",
                "ai\t",
                "ai\r",
                "yapay",
                "buatan",
                "nhân tạo",
                "الاصطناعي",
                "ปัญญาประดิษฐ์",
                "νοημοσ",
                "ΝΟΗΜΟΣ",
                "интелект",
                "Интелект",
                "ИНТЕЛЕКТ",
                "скусственн",
                "чат-бот",
                "чатбот",
                "Чат-бот",
                "Чатбот",
                "大模型",
                "聊天机器人",
                "聊天機器人",
                "チャットボット",
                "챗봇",
                "ейросет",
                "ИИ",
                "人工",
                "模型",
                "인공",
            ],
            true,
        ),
    ]
});

/// Bytes around a piece in which the whole name stands.
const NAME_BYTES_MAX: usize = 100;

/// Whether a file may name an AI: the pattern is asked about the few places that hold a piece of a name, for it is slow where a text
/// holds letters beyond ASCII.
fn may_name(text: &str) -> bool {
    let [short, long] = &*PIECES;
    short.find_iter(text).chain(long.find_iter(text)).any(|hit| {
        let follows = |letter: u8| {
            let rest = text.as_bytes()[hit.end()..].iter().copied();
            rest.take(NAME_BYTES_MAX)
                .find(|byte| !byte.is_ascii_whitespace() && *byte != b'-' && byte.is_ascii())
                .is_some_and(|byte| byte.eq_ignore_ascii_case(&letter))
        };
        let fits = match &text.as_bytes()[hit.range()] {
            piece if piece.eq_ignore_ascii_case(b"chat") => follows(b'b') || follows(b'g'),
            piece if piece.eq_ignore_ascii_case(b"language") => follows(b'm'),
            _ => true,
        };
        if !fits {
            return false;
        }
        let mut from = hit.start().saturating_sub(NAME_BYTES_MAX);
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        let mut to = text.len().min(hit.end() + NAME_BYTES_MAX);
        while !text.is_char_boundary(to) {
            to += 1;
        }
        NAMED.is_match(&text[from..to])
    })
}

/// A text without the marks by which Streamlit colours a part of it.
fn uncoloured(text: &str) -> Cow<'_, str> {
    if text.contains('[') && text.contains(':') {
        COLOURED.replace_all(text, "$1")
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a text names an AI in plain words.
fn names(text: &str) -> bool {
    let text = &*uncoloured(text);
    // The name of a library says what a page is built with.
    let without: String;
    let text = if text.contains("Spring AI") {
        // The heading of a talk names what answers; elsewhere it is the name of a library.
        without = text.replace("Spring AI Chat", "AI Chat").replace("Spring AI", "");
        &without
    } else {
        text
    };
    text.len() <= TEXT_BYTES_MAX && NAMED.is_match(text) && !DENIED.is_match(text) && !ROLE.is_match(text)
}

/// Reads the names in a file of an interface.
pub(crate) fn read(path: &str, language: Language, text: &str, out: &mut Out<'_>) {
    // Most files name nothing of the kind, and only the others are taken apart.
    let coloured = || language == Language::Python && text.contains("streamlit") && COLOURED.is_match(text);
    if language.is_code() {
        handle(text, out);
        command(text, out);
    }
    let names_ai = may_name(text) || coloured() && may_name(&uncoloured(text));
    let speaks = own_paper::may_speak(text);
    if !names_ai && !speaks {
        return;
    }
    let mut found: Vec<(usize, &str)> = Vec::new();
    match language {
        Language::Other if ends_in(path, &["properties"]) && is_translation(path) => {
            values_of_lines(text, "=", &mut found);
        }
        Language::Php if is_translation(path) => found.extend(LITERAL.all(text).take(LITERALS_MAX)),
        Language::Html | Language::Other | Language::Xml | Language::Php => {
            marked_up(text, true, &mut found);
            scripted(text, &mut found);
            if ends_in(path, &["vue", "svelte", "astro"]) {
                IN_COMPONENT.behind(&SHOWN, None, text, LITERALS_MAX, &mut found);
            }
        }
        Language::Tsx | Language::JavaScript | Language::TypeScript => {
            if language == Language::Tsx || ends_in(path, &["jsx", "js"]) {
                marked_up(text, false, &mut found);
            }
            if language == Language::Tsx || ends_in(path, &["jsx"]) || is_layout(path) {
                IN_COMPONENT.behind(&SHOWN, None, text, LITERALS_MAX, &mut found);
                if text.contains("</") {
                    IN_CHOICE.behind(&CHOSEN, Some(&BEHIND_CHOSEN), text, LITERALS_MAX, &mut found);
                }
            }
            if is_translation(path) {
                found.extend(LITERAL.all(text).take(LITERALS_MAX));
            }
            calls(&CALLS_OF_SCRIPTS, text, &mut found);
            sent(&SENT, text, &mut found);
        }
        Language::Go => {
            sent(&SENT, text, &mut found);
            if asks_at_terminal(text) {
                sent(&LINES, text, &mut found);
            }
        }
        Language::Rust => {
            sent(&SENT, text, &mut found);
            if asks_at_terminal(text) {
                sent(&LINES, text, &mut found);
            }
            // Macros with which Rust draws pages: what stands in them in quotes is read.
            if ["rsx!", "view!", "html!"].iter().any(|macros| text.contains(macros)) {
                found.extend(LITERAL.all(text).take(LITERALS_MAX));
            }
        }
        Language::Java | Language::Kotlin | Language::CSharp => {
            sent(&SENT, text, &mut found);
            if asks_at_terminal(text) {
                sent(&LINES, text, &mut found);
            }
            if [
                "androidx.",
                "android.",
                "javafx.",
                "javax.swing",
                "System.Windows",
                "Maui",
                "Avalonia",
            ]
            .iter()
            .any(|library| text.contains(library))
            {
                sent(&SCREEN, text, &mut found);
                sent(&BUBBLE, text, &mut found);
                IN_COMPONENT.behind(&SHOWN, None, text, LITERALS_MAX, &mut found);
            }
        }
        Language::Yaml | Language::Json if is_app_of_slack(language, text) => of_slack(text, &mut found),
        Language::Markup if is_welcome_of_chainlit(path) => of_chainlit(text, &mut found),
        Language::Json if is_translation(path) => values_of_json(text, &mut found),
        Language::Json if defines_commands(path, text) => {
            IN_JSON.behind(&DESCRIBED, None, text, LITERALS_MAX, &mut found);
        }
        Language::Yaml if is_translation(path) => values_of_lines(text, ": ", &mut found),
        Language::Yaml | Language::Toml if holds_messages(path) => of_settings(text, &mut found),
        Language::Json if holds_messages(path) => of_said_json(text, &mut found),
        Language::Python => {
            calls(&CALLS_OF_PYTHON, text, &mut found);
            sent(&SENT, text, &mut found);
            pages(text, &mut found);
            if is_terminal(path) {
                calls(&PRINTS, text, &mut found);
            }
        }
        _ => {}
    }
    if matches!(
        language,
        Language::Python
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Go
            | Language::Rust
            | Language::Java
            | Language::Kotlin
            | Language::CSharp
    ) {
        IN_COMPONENT.behind(&MENU, None, text, LITERALS_MAX, &mut found);
        if text.contains("ApplicationCommand") {
            IN_COMPONENT.behind(&DESCRIBED, None, text, LITERALS_MAX, &mut found);
        }
        if text.contains("mrkdwn") || text.contains("TextBlock") {
            IN_COMPONENT.behind(&BLOCK, None, text, LITERALS_MAX, &mut found);
        }
        messages(text, &mut found);
    }
    if names_the_product(path, language) {
        of_product(text, &mut found);
    }
    if language == Language::Kotlin && text.contains("@Preview") {
        let drawn = previews(text);
        found.retain(|(at, _)| !drawn.iter().any(|span| span.contains(at)));
    }
    if speaks {
        found.retain(|(at, _)| !is_remark(text, *at));
        found.sort_unstable();
        found.dedup_by_key(|(at, _)| *at);
        own_paper::tell(text, &found, out);
    }
    if !names_ai {
        return;
    }
    if language == Language::Python {
        described(text, out);
    }
    found.retain(|(at, text_at)| names(text_at) && !is_remark(text, *at));
    found.sort_unstable();
    found.dedup_by_key(|(at, _)| *at);
    let kept = if is_translation(path) {
        TRANSLATED_MAX
    } else {
        NAMES_MAX
    };
    for (at, named) in found.into_iter().take(kept) {
        let shown = uncoloured(named)
            .replace("\\'", "'")
            .replace("\\\"", "\"")
            .replace("\\n", " ");
        // Pictures that a messenger draws for a word: `:robot_face:`.
        let drawn = |word: &&str| !(word.len() > 2 && word.starts_with(':') && word.ends_with(':'));
        let shown: String = shown.split_whitespace().filter(drawn).collect::<Vec<_>>().join(" ");
        // Other languages name the arguments of a call in this way.
        let component = ends_in(path, &["tsx", "jsx", "ts", "js", "svelte", "vue", "astro"]);
        let kind = if component && is_default(text, at) {
            StatementKind::AiNamedByDefault
        } else {
            StatementKind::AiNamed
        };
        out.say(kind, line_of(text, at), shown.chars().take(240).collect::<String>());
    }
}

/// Tells of commands that people type and that are called after a model: whoever types one knows what answers, or does not.
fn command(text: &str, out: &mut Out<'_>) {
    let names = ["gpt", "claude", "gemini", "openai", "llama", "deepseek", "mistral"];
    if !(text.contains("ommand") || text.contains("setName")) || !names.iter().any(|name| text.contains(name)) {
        return;
    }
    if let Some(found) = COMMAND.captures_iter(text).find_map(|captures| captures.get(1))
        && !is_remark(text, found.start())
    {
        out.say(
            StatementKind::AiNamed,
            line_of(text, found.start()),
            format!("/{}", found.as_str()),
        );
    }
}

/// Tells of the name by which people call a bot, where it names a model: `"@chatgpt_desk_bot"`. Whoever writes it knows what answers, or does not.
fn handle(text: &str, out: &mut Out<'_>) {
    if !["bot\"", "bot'", "bot`", "Bot\"", "Bot'", "Bot`"]
        .iter()
        .any(|end| text.contains(end))
    {
        return;
    }
    // Robots that fetch pages for a model are listed by their names, and are no bot of the product.
    let is_robot = |name: &str| {
        ["gptbot", "claudebot"]
            .iter()
            .any(|robot| name.eq_ignore_ascii_case(robot))
    };
    let mut all = HANDLE.captures_iter(text).take(40).filter_map(|found| found.get(1));
    if let Some(found) = all.find(|found| !is_robot(found.as_str())) {
        out.say(
            StatementKind::AiNamedByDefault,
            line_of(text, found.start()),
            found.as_str().to_owned(),
        );
    }
}

/// Where functions stand that only the workshop draws: `@Preview` of Compose.
fn previews(text: &str) -> Vec<std::ops::Range<usize>> {
    let marks = text.match_indices("@Preview").take(LITERALS_MAX);
    marks
        .filter_map(|(at, _)| {
            let head = at + text[at..].find("fun ")?;
            let open = head + text[head..].find('{')?;
            Some(at..open + block(&text[open + 1..], b'{').len() + 1)
        })
        .collect()
}

/// Whether a text is the default of what a component is given: `let { title = "AI Assistant" } = $props()`, `({ title = "AI" }: Props)`. An
/// attribute stands behind the name of its element or behind another, and no comma.
fn is_default(text: &str, at: usize) -> bool {
    let Some(before) = text.get(..at) else { return false };
    let before = before.trim_end_matches(['"', '\'', '`']).trim_end();
    let Some(before) = before.strip_suffix('=') else {
        return false;
    };
    let name = before.trim_end();
    let rest = name.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    rest.len() < name.len() && rest.trim_end().ends_with([',', '{'])
}

/// What the title or the description of a service says of an AI, which the page with its documentation shows.
fn described(text: &str, out: &mut Out<'_>) {
    let mut found = Vec::new();
    calls(&SERVICE, text, &mut found);
    let first = found
        .into_iter()
        .find(|(at, said)| names(said) && !is_remark(text, *at));
    if let Some((at, said)) = first {
        let shown: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
        out.say(
            StatementKind::ServiceNamesAi,
            line_of(text, at),
            shown.chars().take(240).collect::<String>(),
        );
    }
}

/// A file whose printed lines are what a person reads.
fn is_terminal(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["cli.", "main.", "__main__.", "console.", "terminal.", "repl."]
        .iter()
        .any(|known| name.starts_with(known))
}

/// Whether a program of a compiled language asks whoever sits at its terminal, who reads what it prints there.
fn asks_at_terminal(text: &str) -> bool {
    [
        "System.in",
        "System.`in`",
        "readLine(",
        "readln(",
        "Console.ReadLine",
        "AnsiConsole.Prompt",
        "AnsiConsole.Ask",
        "os.Stdin",
        "io::stdin",
    ]
    .iter()
    .any(|asks| text.contains(asks))
}

/// A file that holds the title of pages.
fn is_layout(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["layout.", "metadata.", "page.", "site.", "siteConfig.", "site-config."]
        .iter()
        .any(|known| name.starts_with(known))
}

/// The attributes that a person reads or hears.
const READ_ALOUD: [&str; 12] = [
    "title",
    "placeholder",
    "aria-label",
    "label",
    "alt",
    "Title",
    "Content",
    "Text",
    "Header",
    "Placeholder",
    "PlaceholderText",
    "Label",
];

/// What stands between tags, and in attributes that people read.
fn marked_up<'t>(text: &'t str, page: bool, found: &mut Vec<(usize, &'t str)>) {
    let tags = tags(text);
    // Where scripts and styles end: what looks like a tag in them is none.
    let mut hidden_until = 0;
    for (index, tag) in tags.iter().enumerate() {
        if tag.start < hidden_until {
            continue;
        }
        if matches!(tag.name, "script" | "style") && !tag.closing && !tag.empty {
            let close = if tag.name == "script" { "</script" } else { "</style" };
            hidden_until = text[tag.end..].find(close).map_or(text.len(), |at| tag.end + at);
            continue;
        }
        // A list of models to choose from names what is for sale, and not what answers.
        if tag.name == "option" && !tag.closing {
            continue;
        }
        for name in READ_ALOUD {
            if let Some(value) = tag.quoted(name) {
                found.push((tag.end.saturating_sub(1), value));
            }
        }
        let next = tags.get(index + 1).map_or(text.len(), |next| next.start);
        if next <= tag.end || !page && is_generic(tag) {
            continue;
        }
        let between = &text[tag.end..next];
        let between = if page {
            between.split('<').next().unwrap_or(between)
        } else {
            between.split(['<', '{']).next().unwrap_or(between)
        };
        let skipped = between.len() - between.trim_start().len();
        if page || !CODE.is_match(between) {
            found.push((tag.end + skipped, between.trim()));
        }
    }
}

/// Pages that stand in texts of a program: from the tag that opens one to the tag that closes it.
fn pages<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    let mut from = 0;
    while let Some(start) = text[from..].find("<html").map(|at| from + at) {
        let Some(end) = text[start..].find("</html>").map(|at| start + at) else {
            return;
        };
        let mut own = Vec::new();
        marked_up(&text[start..end], true, &mut own);
        found.extend(own.into_iter().map(|(at, text)| (start + at, text)));
        from = end;
    }
}

/// Parts of a page that its scripts put together: tags in texts between backticks.
fn scripted<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    for hit in TEMPLATE
        .captures_iter(text)
        .take(200)
        .filter_map(|captures| captures.get(1))
    {
        if hit.len() <= TEMPLATE_BYTES_MAX && hit.as_str().contains("</") {
            let mut own = Vec::new();
            marked_up(hit.as_str(), false, &mut own);
            found.extend(own.into_iter().map(|(at, text)| (hit.start() + at, text)));
        }
    }
}

/// A tag that may be a type.
fn is_generic(tag: &Tag<'_>) -> bool {
    tag.inner.trim_start().starts_with([',', '='])
}

/// The texts among the arguments of calls that draw an interface or describe a bot.
fn calls<'t>(pattern: &Regex, text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    for head in pattern.find_iter(text).take(400) {
        let arguments = arguments(&text[head.end()..]);
        for (at, said) in LITERAL.all(arguments).take(40) {
            let before = &arguments[..at.saturating_sub(1)];
            if !HIDDEN.is_match(before.trim_end_matches(['f', 'r'])) {
                found.push((head.end() + at, said));
            }
        }
    }
}

/// The texts among the arguments of calls with which something is sent, except those about a failure.
fn sent<'t>(pattern: &Regex, text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    let mut own = Vec::new();
    calls(pattern, text, &mut own);
    found.extend(own.into_iter().filter(|(_, said)| !FAILED.is_match(said)));
}

/// Parts of names that say that what is kept under them are messages to people.
static NAMES_OF_MESSAGES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the words are part of the program")]
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "msg",
            "message",
            "greeting",
            "welcome",
            "hello",
            "intro",
            "start",
            "about",
            "tariff",
            "disclaimer",
        ])
        .expect("a few words fit into one automaton")
});

/// Names that say that texts or lists of texts under them are messages to people, each with the place at which these open.
fn names_of_messages(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let bytes = text.as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let mut done = 0;
    NAMES_OF_MESSAGES.find_iter(text).filter_map(move |hit| {
        if hit.start() < done {
            return None;
        }
        let before = bytes[done..hit.start()]
            .iter()
            .rev()
            .take_while(|byte| is_letter(byte))
            .count();
        let from = hit.start() - before;
        let to = hit.end() + bytes[hit.end()..].iter().take_while(|byte| is_letter(byte)).count();
        done = to;
        let stands_alone =
            from == 0 || matches!(bytes[from - 1], b'(' | b',' | b'{' | b';') || bytes[from - 1].is_ascii_whitespace();
        let follows = bytes[to..].iter().find(|byte| !byte.is_ascii_whitespace());
        if !stands_alone || !matches!(follows, Some(b':' | b'=')) {
            return None;
        }
        let head = MESSAGE.find(&text[from..])?;
        done = from + head.end();
        Some((&text[from..to], done - 1))
    })
}

/// The texts that stand under a name for messages, wherever they are sent.
fn messages<'t>(text: &'t str, found: &mut Vec<(usize, &'t str)>) {
    for (name, opened) in names_of_messages(text).take(200) {
        // `HELLO_USER` greets whom `userInput` asks.
        let lower = name.to_ascii_lowercase();
        let greets = ["hello", "greeting", "welcome"].iter().any(|word| lower.contains(word))
            && !["prompt", "system", "log", "error", "fail"]
                .iter()
                .any(|word| lower.contains(word));
        if !greets && NO_MESSAGE.is_match(name) {
            continue;
        }
        let (from, value) = match text.as_bytes()[opened] {
            quote @ (b'"' | b'\'' | b'`') => {
                let rest = &text[opened..];
                // Three marks open a text of several lines.
                let marks = ["\"\"\"", "\'\'\'"];
                if let Some(mark) = marks.into_iter().find(|mark| rest.starts_with(mark)) {
                    let body = rest[mark.len()..].split(mark).next().unwrap_or("");
                    let mut at = opened + mark.len();
                    for line in body.split_inclusive('\n') {
                        if !FAILED.is_match(line) {
                            found.push((at, line.trim()));
                        }
                        at += line.len();
                    }
                    continue;
                }
                let end = closing(rest, quote).map_or(rest.len(), |end| end + 1);
                // A long text of several lines is read line by line.
                if quote == b'`' && end > TEXT_BYTES_MAX && rest[..end].contains('\n') {
                    let mut at = opened;
                    for line in rest[..end].split_inclusive('\n') {
                        let said = line.trim().trim_matches(['`', '"']);
                        if !FAILED.is_match(said) {
                            found.push((at + line.find(said).unwrap_or(0), said));
                        }
                        at += line.len();
                    }
                    continue;
                }
                (opened, &rest[..end])
            }
            open => (opened + 1, block(&text[opened + 1..], open)),
        };
        // What has roles is a conversation with a model.
        if value.contains("role") {
            continue;
        }
        let mut own: Vec<_> = LITERAL.all(value).take(LITERALS_MAX).collect();
        own.retain(|(_, said)| !FAILED.is_match(said));
        found.extend(own.into_iter().map(|(at, said)| (from + at, said)));
    }
}

/// Where the mark that opens a text closes it; one behind a backslash does not.
fn closing(text: &str, quote: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// What stands up to the sign that closes a list; a list that is long is cut.
fn block(rest: &str, open: u8) -> &str {
    /// Bytes of a list of messages that are looked at.
    const BLOCK_BYTES_MAX: usize = 8_000;
    let close = match open {
        b'{' => b'}',
        b'[' => b']',
        _ => b')',
    };
    let mut depth = 1_u32;
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate().take(BLOCK_BYTES_MAX) {
        match (quote, byte) {
            (Some(opened), byte) if opened == byte => quote = None,
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, byte) if byte == open => depth += 1,
            (None, byte) if byte == close => {
                depth -= 1;
                if depth == 0 {
                    return &rest[..at];
                }
            }
            _ => {}
        }
    }
    let mut end = rest.len().min(BLOCK_BYTES_MAX);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    &rest[..end]
}

/// What stands up to the parenthesis that closes a call.
fn arguments(rest: &str) -> &str {
    let mut depth = 1_u32;
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate().take(ARGUMENTS_BYTES_MAX) {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => {
                depth -= 1;
                if depth == 0 {
                    return &rest[..at];
                }
            }
            _ => {}
        }
    }
    let mut end = rest.len().min(ARGUMENTS_BYTES_MAX);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    &rest[..end]
}

#[cfg(test)]
mod tests {
    use engine_model::{SourceFile, Statement, StatementKind, Zone};

    #[test]
    fn overridable_component_default_is_distinguished() {
        let at = |text: &str| super::is_default(text, text.find("AI").unwrap());
        assert!(at("let { api, title = \"AI Assistant\" } = $props();"));
        assert!(at("function Head({ title = 'AI chat' }: Props) {"));
        assert!(!at("<Head big title=\"AI Assistant\" />"));
        assert!(!at("const head = { title: \"AI Assistant\" };"));
        assert!(!at("const title = \"AI Assistant\";"));
    }

    fn named(path: &str, text: &str) -> Vec<Statement> {
        let file = SourceFile::new(path, text.as_bytes());
        assert_eq!(file.zone, Zone::Product, "{path}");
        assert!(crate::wants(&file.path, file.language, file.zone), "{path}");
        crate::read(&file)
            .statements
            .into_iter()
            .filter(|statement| statement.kind == StatementKind::AiNamed)
            .collect()
    }

    #[test]
    fn interface_texts_name_ai_in_many_forms() {
        for (path, text, line) in [
            (
                "templates/index.html",
                "<html>\n<title>Semantic Kernel AI Agent</title></html>",
                2,
            ),
            (
                "web/index.html",
                "<body>\n\n<button>Generate AI Analysis</button></body>",
                3,
            ),
            (
                "index.html",
                "<body>\n<script>\nconst a = `<button id=\"${x.id}\">\n  Generate AI Analysis</button>`;\n</script></body>",
                4,
            ),
            (
                "src/App.tsx",
                "export const A = () => (\n  <h1>\n    AI Creative Studio\n  </h1>\n);\n",
                3,
            ),
            (
                "web.py",
                "PAGE = \"\"\"\n<!DOCTYPE html>\n<html lang='en'><body>\n<h1>myOfflineAi</h1></body></html>\"\"\"\n",
                4,
            ),
            (
                "desk.py",
                "PAGE = \"\"\"<html><head>\n<title>Voice Assistant</title></head></html>\"\"\"\n",
                2,
            ),
            (
                "src/Chat.jsx",
                "const A = () => <input\n placeholder=\"Ask the chatbot\" />;\n",
                2,
            ),
            (
                "src/Wait.tsx",
                "const A = () => <p>{busy ? 'Zitko AI is thinking' : 'Send'}</p>;\n",
                1,
            ),
            (
                "app/layout.tsx",
                "export const metadata = {\n  title: 'KI für Bewerbungen',\n};\n",
                2,
            ),
            (
                "locales/en.ts",
                "export default {\n  empty: \"Chat with the bots\",\n  b: \"Your AI mate\",\n};\n",
                3,
            ),
            ("frontend/messages/en.json", "{\n  \"redo\": \"AI Regenerate\"\n}\n", 2),
            (
                "config/locales/en.yml",
                "en:\n  chat:\n    hello: \"Ask our AI assistant\"\n",
                3,
            ),
            (
                "src/main/resources/messages_de.properties",
                "# Chat\nhello=Frag den KI-Assistenten\n",
                2,
            ),
            (
                "Resources/Strings.en.resx",
                "<root>\n<data name=\"a\"><value>Chat with AI</value></data></root>\n",
                2,
            ),
            (
                "src/Home.jsx",
                "const A = () => <p>Yapay zeka ile sağlığınızı yönetin</p>;\n",
                1,
            ),
            (
                "src/Home.vue",
                "<template><p>Asisten dengan kecerdasan buatan</p></template>",
                1,
            ),
            ("lang/en/chat.php", "<?php\nreturn ['hi' => 'Chat with our AI'];\n", 2),
            (
                "src/bot.ts",
                "const helpMessage = 'I\\'m a GPT-3.5 language model. Ask me anything'\n",
                1,
            ),
            ("src/i18n.ts", "export const en = {\n  hi: 'Chat with our AI',\n};\n", 2),
            (
                "cogs/gemini.py",
                "import discord\n@commands.hybrid_command(name=\"gemini\", description=\"Chat with Gemini\")\ndef g(): ...\n",
                2,
            ),
            ("src/Side.tsx", "const A = () => <label>Ollama Model</label>;\n", 1),
            (
                "app.py",
                "import streamlit as st\nst.title(\"AI Candidate Screening Tool\")\n",
                2,
            ),
            (
                "ui.py",
                "import gradio as gr\nwith gr.Blocks(theme=dark,\n        title='Exam GPT') as demo:\n    pass\n",
                3,
            ),
            ("gui.py", "root.title('Assistant with artificial intelligence')\n", 1),
            (
                "bot.py",
                "@bot.tree.command(name='ask', description='Ask the AI')\nasync def ask(): ...\n",
                1,
            ),
            (
                "bot.js",
                "new SlashCommandBuilder().setName('a').setDescription('Parler avec une IA')\n",
                1,
            ),
            (
                "src/Page.vue",
                "<template><h1>Votre assistant : intelligence artificielle</h1></template>",
                1,
            ),
            ("views/index.ejs", "<h1>Chat with our AI</h1>", 1),
            (
                "src/Chat.vue",
                "<template><span>{{ n }} 个模型的回复</span></template>",
                1,
            ),
            (
                "src/bot.ts",
                "await this._bot.sendMessage(\n  chatId,\n  'Hello! ' +\n    'I pass your words on to ChatGPT.'\n);\n",
                4,
            ),
            (
                "bot.go",
                "bot.ReplyMessage(t, linebot.NewTextMessage(\"Ask the AI\"))\n",
                1,
            ),
            (
                "bot/texts.py",
                "TARIFFS_MESSAGE = \"\"\"\nМодели искусственного интеллекта\n\"\"\"\n",
                2,
            ),
            (
                "bot/templates.go",
                "var msgTemplates = map[string]string{\n\t\"await\": \"Wait\",\n\t\"hello\": \"This bot is an AI.\",\n}\n",
                3,
            ),
            (
                "api/menu.py",
                "COMMANDS = [\n    {\"command\": \"set_model\", \"description\": \"Switch Gemini model\"},\n]\n",
                2,
            ),
            ("bot/main.go", "const (\n\tmsgStart = \"Answers by Claude AI\"\n)\n", 2),
            (
                "config.example.yml",
                "debug: true\nhelpText: |\n  This is a bot for the OpenAI GPT-3 API.\n  Commands: /help\nmodel: gpt-4\n",
                3,
            ),
            (
                "settings/private_en.yaml",
                "model: gpt-5\nstrings:\n  help_string: \"Bot ChatGPT in Telegram, an assistant for voice and text.\"\n",
                3,
            ),
            (
                "config/bot.toml",
                "[bot]\nwelcome_message = \"I am an AI chatbot.\"\n",
                2,
            ),
            (
                "src/page.rs",
                "use dioxus::prelude::*;\nfn page() -> Element {\n    rsx! { div { title: \"Desk\", \"AI Assistant:\" } }\n}\n",
                3,
            ),
            (
                "src/Chat.kt",
                "import androidx.compose.material3.Text\nText(\n  text = \"Health AI\")\n",
                3,
            ),
            (
                "app/ui/Talk.kt",
                "import androidx.compose.material3.Text\nText(\n  text = if (own) \"You: $said\" else \"AI: $said\")\n",
                3,
            ),
        ] {
            let found = named(path, text);
            assert!(
                found.iter().any(|statement| statement.line == line),
                "{path}: {found:?}"
            );
        }
    }

    #[test]
    fn long_greeting_is_read_by_line_without_bot_name() {
        let lines = "More of what the bot can do for you, with commands and prices.\n".repeat(12);
        let greeting =
            format!("package model\n\nconst (\n\tStartCommandString = `Hi!\nI am an AI chatbot.\n{lines}`\n)\n");
        let found = named("model/const.go", &greeting);
        assert!(found.iter().any(|statement| statement.line == 5), "{found:?}");
        let of = |text: &str| {
            let statements = crate::read(&SourceFile::new("src/Bot.cs", text.as_bytes())).statements;
            let mut found = statements
                .into_iter()
                .filter(|statement| statement.kind == StatementKind::AiNamedByDefault);
            found.next().map(|statement| statement.value)
        };
        assert_eq!(
            of("const string Name = \"@chatgpt_desk_bot\";").as_deref(),
            Some("@chatgpt_desk_bot")
        );
        assert_eq!(of("const string Name = \"@helpdesk_bot\";"), None);
        assert_eq!(of("var robots = new[] { \"GPTBot\", \"ClaudeBot\" };"), None);
    }

    #[test]
    fn terminal_output_names_ai() {
        let kotlin =
            "fun main() {\n  println(\"AI Tutor, a language learning assistant\")\n  val line = readLine()\n}\n";
        assert_eq!(named("src/Cli.kt", kotlin).len(), 1);
        // Where nobody is asked, the lines are a log.
        assert_eq!(named("src/Cli.kt", &kotlin.replace("readLine()", "load()")).len(), 0);
        let go =
            "func main() {\n\tfmt.Println(\"Chat with the AI assistant\")\n\treader := bufio.NewReader(os.Stdin)\n}\n";
        assert_eq!(named("main.go", go).len(), 1);
        let failed = go.replace("Chat with the AI assistant", "The AI assistant failed");
        assert_eq!(named("main.go", &failed).len(), 0);
        let nested = "{\"mode\": {\"ru\": \"Спросите ChatGPT\", \"en\": \"Ask the AI assistant\"}}";
        assert_eq!(named("Bot/Localization/text.localization.json", nested).len(), 2);
        assert_eq!(named("Bot/Data/text.json", nested).len(), 0);
    }

    #[test]
    fn service_description_names_ai() {
        let of = |text: &str| {
            let statements = crate::read(&SourceFile::new("app.py", text.as_bytes())).statements;
            let found = statements
                .into_iter()
                .find(|statement| statement.kind == StatementKind::ServiceNamesAi);
            found.map(|statement| statement.line)
        };
        let service =
            "app = FastAPI(\n    title=\"Stories\",\n    description=\"Interactive stories written using AI.\",\n)\n";
        assert_eq!(of(service), Some(3));
        assert_eq!(of("# app = FastAPI(title=\"AI stories\")\n"), None);
        assert_eq!(of("app = FastAPI(title=\"Stories without AI\")\n"), None);
        assert_eq!(of("app = Service(title=\"AI stories\")\n"), None);
    }

    #[test]
    fn slack_app_name_and_chainlit_welcome_name_ai() {
        let of = |path: &str, text: &str| {
            let statements = crate::read(&SourceFile::new(path, text.as_bytes())).statements;
            let found = statements
                .into_iter()
                .find(|statement| statement.kind == StatementKind::AiNamed);
            found.map(|statement| (statement.line, statement.value))
        };
        let manifest = |name: &str| {
            format!(
                "display_information:\n  name: Desk\nfeatures:\n  bot_user:\n    display_name: {name}\n    always_online: true\n"
            )
        };
        assert_eq!(
            of("docs/slack-app.yaml", &manifest("Bedrock AI Assistant")),
            Some((5, "Bedrock AI Assistant".to_owned()))
        );
        assert_eq!(of("docs/slack-app.yaml", &manifest("Desk")), None);
        assert_eq!(of("config/app.yaml", "name: Bedrock AI Assistant\n"), None);
        assert_eq!(
            of("chainlit.md", "# Welcome\n\nI'm your virtual assistant.\n"),
            Some((3, "I'm your virtual assistant.".to_owned()))
        );
        assert_eq!(of("notes.md", "I'm your virtual assistant.\n"), None);
    }

    #[test]
    fn comments_code_prompts_and_model_lists_name_no_ai() {
        for (path, text) in [
            ("config/chat.yml", "title: \"Chat with our AI\"\n"),
            (
                "config/locales/en.yml",
                "en:\n  # Chat with our AI\n  hello: \"Hello\"\n",
            ),
            ("src/main/resources/application.properties", "title=Chat with our AI\n"),
            ("app/chat.php", "<?php\nreturn ['hi' => 'Chat with our AI'];\n"),
            (
                "templates/index.html",
                "<!-- AI chat --><p>Maintain the email list</p><script>const a = 'AI chat';</script>",
            ),
            (
                "web/index.html",
                "<select><option>GPT-4</option></select><p>Ask anything</p>",
            ),
            (
                "src/App.tsx",
                "import { AI } from './ai';\nconst A = () => <AI>{/* AI chat */}<h1>Hello</h1></AI>;\n// AI\n",
            ),
            (
                "src/Route.tsx",
                "const system = { role: 'system', content: 'You are an AI assistant.' };\nconst b = <p>Hi</p>;\n",
            ),
            (
                "app.py",
                "import streamlit as st\n# AI\nst.title('Exam Grader')\nprompt = 'You are an AI tutor'\n",
            ),
            (
                "page.py",
                "PAGE = '''<html><body><h1>Desk</h1><label>OpenAI key</label></body></html>'''\nNAME = 'myOfflineAi'\n",
            ),
            (
                "ui.py",
                "gr.Blocks(title='Exam Grader')\nAI = 1\nlogger.info('AI backend')\n",
            ),
            (
                "bot.py",
                "@bot.command(name='ask', help='Ask Anything!')\nasync def ask(ctx):\n    \"\"\"AI\"\"\"\n",
            ),
            (
                "bot/chat.py",
                "messages = [{'role': 'system', 'content': 'Talk like an AI.'}]\nsystem_message = 'Answer as an AI'\nstart_time = 'AI'\n",
            ),
            (
                "bot/errors.py",
                "intro_message = 'The AI failed'\nlimit = 'The AI limit'\n",
            ),
            (
                "api/jobs.py",
                "JOBS = [{\"command\": \"run the model\", \"description\": \"Switch Gemini model\"}]\n",
            ),
            (
                "api/app.py",
                "app = FastAPI(title=\"Stories\", description=\"Stories by AI.\")\n",
            ),
            ("src/Plain.tsx", "const A = () => <h1>Made without AI</h1>;\n"),
            ("config/app.json", "{\"title\": \"AI chat\"}"),
            (
                "src/bot.ts",
                "await bot.sendMessage(id, 'The request to ChatGPT failed');\n",
            ),
            (
                "app/ui/Row.kt",
                "import androidx.compose.material3.Text\nText(text = \"AI:KEY\")\n",
            ),
            ("src/Label.kt", "val row = Text(text = \"Health AI\")\n"),
            ("bot.go", "client.SendMessage(ctx, answer) // the AI\n"),
        ] {
            let file = SourceFile::new(path, text.as_bytes());
            let found = crate::read(&file).statements;
            assert!(
                !found.iter().any(|statement| statement.kind == StatementKind::AiNamed),
                "{path}: {found:?}"
            );
        }
    }
}
