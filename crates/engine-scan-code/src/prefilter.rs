//! The literal prefilter: a text without any of the literals cannot hold an AI call of its own.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use engine_model::Language;

use crate::shapes;

/// Imports beyond this number are not remembered for a file that is not parsed.
const IMPORTS_MAX: usize = 400;

/// Paths of small servers, and addresses from which browsers load packages.
pub(crate) const FURTHER: [&str; 15] = [
    "/completion",
    "/infill",
    "/generate_stream",
    "esm.sh/",
    "esm.run/",
    "cdn.skypack.dev/",
    "cdn.jsdelivr.net/npm/",
    "deno.land/x/openai",
    "@cf/",
    "@hf/",
    "/webhook/",
    "/webhook-test/",
    "make.com/",
    "/api/v1/prediction/",
    "/predict",
];

/// What names a client that another file made, a body that asks a model, or a setting for its address.
const PARSED: [&str; 58] = [
    "acts_as_chat",
    ".chat_input",
    "loadlayersmodel",
    "loadgraphmodel",
    "/completions",
    "chat.completions",
    "messages.create",
    "responses.create",
    "images.generate",
    ".generatecontent",
    ".getgenerativemodel",
    "choices[0]",
    "max_tokens",
    "negative_prompt",
    "gpt-3.5",
    "gpt-4",
    "openai_",
    "openai:",
    "chatgpt_",
    "ollama_",
    "anthropic_",
    "claude_",
    "codex_",
    "gemini_",
    "groq_",
    "deepseek_",
    "openrouter_",
    "mistral_",
    "vite_openai_",
    "vite_gemini_",
    "next_public_openai_",
    "next_public_gemini_",
    "react_app_openai_",
    "react_app_gemini_",
    "expo_public_openai_",
    "expo_public_gemini_",
    "llm_",
    "tts_",
    "embedding_",
    "vite_embedding_",
    "ocp-apim-subscription-key",
    "n8n_",
    "vite_n8n_",
    "next_public_n8n_",
    "flowise_",
    "langflow_",
    // Settings of Spring: `@Value("${huggingface.api.token}")`.
    "${openai.",
    "${gemini.",
    "${anthropic.",
    "${claude.",
    "${mistral.",
    "${deepseek.",
    "${groq.",
    "${huggingface.",
    "${cohere.",
    "${openrouter.",
    "chatbot_webhook_url",
    "ai_webhook_url",
];

/// How a worker of Cloudflare reaches models.
pub(crate) const BINDING: &str = "env.ai";

struct Prefilter {
    automaton: AhoCorasick,
    literals: Vec<String>,
    /// Behind the literals come methods of versatile libraries; for each the bit of its library.
    methods: Vec<u8>,
}

/// Literals of the shapes and of the catalogue together.
#[expect(
    clippy::expect_used,
    reason = "the literals are embedded data and a test builds the automaton"
)]
static PREFILTER: LazyLock<Prefilter> = LazyLock::new(|| {
    let mut literals: BTreeSet<String> = engine_catalogue::literals().iter().cloned().collect();
    literals.extend(shapes::literals());
    literals.extend(FURTHER.map(str::to_owned));
    literals.insert(BINDING.to_owned());
    literals.extend(PARSED.map(str::to_owned));
    literals.retain(|literal| literal.len() > 2);
    let literals: Vec<String> = literals.into_iter().collect();
    let methods: Vec<(u8, &str)> = shapes::versatile_methods().collect();
    // Every file of code goes through it: the larger automaton is the faster one.
    let automaton = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(
            literals
                .iter()
                .map(String::as_str)
                .chain(methods.iter().map(|(_, method)| *method)),
        )
        .expect("the literals fit into one automaton");
    Prefilter {
        automaton,
        literals,
        methods: methods.into_iter().map(|(bit, _)| bit).collect(),
    }
});

/// What one pass over a text finds.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    /// The literals that the text holds as words of their own, sorted.
    pub(crate) literals: Vec<String>,
    /// Versatile libraries of which the text names a method that asks a model, as bits.
    pub(crate) methods: u8,
}

/// Looks for all literals in one pass.
///
/// Many roots are short (`ort`, `mcp`): inside another word (`import`) they say nothing.
pub(crate) fn mentions(language: Language, text: &str) -> Mentions {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut seen = BTreeSet::new();
    let mut methods = 0;
    for hit in PREFILTER.automaton.find_overlapping_iter(text) {
        let before = hit.start().checked_sub(1).and_then(|at| bytes.get(at));
        let inside_a_word = before.is_some_and(is_word) && bytes.get(hit.start()).is_some_and(is_word);
        // A literal that ends in an underscore is the beginning of many names (`langchain_`).
        let goes_on = bytes.get(hit.end()).is_some_and(is_word)
            && bytes.get(hit.end() - 1).is_some_and(u8::is_ascii_alphanumeric);
        if !inside_a_word && !goes_on {
            let pattern = hit.pattern().as_usize();
            if let Some(bit) = pattern
                .checked_sub(PREFILTER.literals.len())
                .and_then(|at| PREFILTER.methods.get(at))
            {
                methods |= bit;
            } else {
                seen.insert(pattern);
            }
        }
    }
    let mut out: BTreeSet<String> = seen
        .into_iter()
        .map(|index| PREFILTER.literals[index].clone())
        .collect();
    if matches!(language, Language::Shell | Language::Notebook) {
        out.extend(crate::commands::mentioned(text).map(str::to_owned));
    } else if crate::commands::starts_programs(language, text) {
        out.extend(crate::commands::mentioned_by_programs(text).map(str::to_owned));
    }
    Mentions {
        literals: out.into_iter().collect(),
        methods,
    }
}

/// The full names behind `use A\B\{C, D as E};`, or behind the first line of such a list.
fn names_of_php(rest: &str, out: &mut BTreeSet<String>) {
    let rest = rest.trim_end_matches(';').trim();
    let rest = rest
        .strip_prefix("function ")
        .or_else(|| rest.strip_prefix("const "))
        .unwrap_or(rest);
    // A closure takes variables from around it by the same word.
    if rest.starts_with('(') {
        return;
    }
    let (prefix, list) = rest.split_once('{').map_or(("", rest), |(prefix, list)| (prefix, list));
    for name in list.trim_end_matches('}').split(',') {
        let name = name.split_whitespace().next().unwrap_or("");
        if !name.is_empty() || !prefix.is_empty() {
            out.insert(format!("{prefix}{name}").trim_matches('\\').to_owned());
        }
    }
}

/// The end of the path that a line of PHP requires: `require_once __DIR__ . '/lib/llm.php';`.
fn required_by_php(line: &str) -> Option<String> {
    let word = ["require_once", "require", "include_once", "include"]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let path = word.rsplit(['\'', '"']).nth(1)?.trim_start_matches(['.', '/']);
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "php")
        .then(|| {
            let up = word.matches("../").count();
            format!("./{}{path}", "../".repeat(up))
        })
}

/// The constants that a line of Ruby names, and the file that it requires.
fn names_of_ruby(line: &str, out: &mut BTreeSet<String>) {
    if line.starts_with('#') {
        return;
    }
    for (word, relative) in [("require_relative ", true), ("require ", false)] {
        if let Some(rest) = line.strip_prefix(word) {
            let path = rest.trim_matches(|c: char| matches!(c, '"' | '\'' | '(' | ')' | ' '));
            out.insert(if relative {
                format!("./{}", path.trim_start_matches("./"))
            } else {
                path.to_owned()
            });
            return;
        }
    }
    if line.starts_with("acts_as_chat") {
        out.insert("RubyLLM::ActsAsChat".to_owned());
    }
    let bytes = line.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && is_part(bytes[at]) {
            at += 1;
        }
        let name = line.get(start..at).unwrap_or("").trim_matches(':');
        let begins = name.starts_with(|c: char| c.is_ascii_uppercase());
        // A constant in capitals holds a client where something is asked of it: `AI.chat(…)`.
        let asked = bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let named = name.contains("::") || asked || name.bytes().any(|b| b.is_ascii_lowercase());
        if begins && out.len() < IMPORTS_MAX && named {
            out.insert(name.to_owned());
        }
        at += 1;
    }
}

/// What a file imports, told from its lines alone: enough to know which files stand near another.
pub(crate) fn imports(language: Language, text: &str) -> Vec<String> {
    let mut out = BTreeSet::new();
    for line in text.lines() {
        if out.len() >= IMPORTS_MAX {
            break;
        }
        let line = line.trim();
        match language {
            Language::Python | Language::Notebook => {
                if let Some(rest) = line.strip_prefix("from ") {
                    let mut words = rest.split_whitespace();
                    let module = words.next().unwrap_or("");
                    out.insert(module.to_owned());
                    let dot = if module.ends_with('.') { "" } else { "." };
                    for name in words.skip(1).map(|word| word.trim_matches([',', '(', ')'])) {
                        if !name.is_empty() && name != "as" {
                            out.insert(format!("{module}{dot}{name}"));
                        }
                    }
                } else if let Some(rest) = line.strip_prefix("import ") {
                    out.extend(
                        rest.split(',')
                            .filter_map(|part| part.split_whitespace().next())
                            .map(str::to_owned),
                    );
                }
            }
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                // The name of a module stands in quotes: most lines have none.
                if !line.bytes().any(|byte| matches!(byte, b'\'' | b'"')) {
                    continue;
                }
                for mark in ["from ", "require(", "import(", "import "] {
                    if let Some(at) = line.find(mark) {
                        let rest = line[at + mark.len()..].trim_start();
                        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))
                            && let Some(module) = rest[1..].split(quote).next()
                        {
                            out.insert(module.to_owned());
                        }
                    }
                }
            }
            Language::Go => {
                let rest = line.strip_prefix("import ").unwrap_or(line);
                if let Some(at) = rest.find('"')
                    && rest.ends_with('"')
                    && rest[..at].split_whitespace().count() < 2
                {
                    out.insert(rest[at..].trim_matches('"').to_owned());
                }
            }
            Language::Rust => {
                let rest = line.strip_prefix("pub ").unwrap_or(line);
                if let Some(rest) = rest.strip_prefix("use ") {
                    let path = rest.split(['{', ';', ' ']).next().unwrap_or("");
                    out.insert(path.trim_end_matches("::").trim_end_matches("::*").to_owned());
                }
                if let Some(rest) = rest.strip_prefix("mod ") {
                    out.insert(format!("self::{}", rest.trim_end_matches(';')));
                }
            }
            Language::Java | Language::Kotlin => {
                if let Some(rest) = line.strip_prefix("import ") {
                    let path = rest.strip_prefix("static ").unwrap_or(rest);
                    let path = path.split([';', ' ']).next().unwrap_or("");
                    out.insert(path.trim_end_matches(".*").to_owned());
                } else {
                    out.extend(kept_types(language, line));
                }
            }
            Language::CSharp => {
                if let Some(rest) = line.strip_prefix("using ") {
                    out.insert(rest.trim_end_matches(';').to_owned());
                } else {
                    out.extend(services(line));
                }
            }
            Language::Ruby => names_of_ruby(line, &mut out),
            Language::Php => {
                if let Some(rest) = line.strip_prefix("use ") {
                    names_of_php(rest, &mut out);
                } else if line.contains("require") || line.contains("include") {
                    out.extend(required_by_php(line));
                }
            }
            _ => {}
        }
    }
    out.retain(|name| !name.is_empty());
    out.into_iter().collect()
}

/// Ends of names of classes that others are handed.
const SERVICES: [&str; 8] = [
    "Service",
    "Client",
    "Manager",
    "Agent",
    "Provider",
    "Helper",
    "Engine",
    "Generator",
];

/// Classes of C# that a line names as the type of something, by what their names end in, interfaces, and whatever a field holds for good:
/// namespaces tell no files. Of an
/// interface the class is meant that is called like it.
fn services(line: &str) -> Vec<String> {
    if line.starts_with("//") {
        return Vec::new();
    }
    let mut out = Vec::new();
    // What is handed in is kept: `private readonly Summary _summary;`.
    let is_kept = line.contains("readonly ") && line.ends_with(';') && !line.contains('=');
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').peekable();
    while let Some(word) = words.next() {
        if word.len() < 3 || !word.starts_with(char::is_uppercase) {
            continue;
        }
        // `IChat`, and no constant such as `IDS`.
        let bare = word
            .strip_prefix('I')
            .filter(|bare| bare.starts_with(char::is_uppercase) && bare.contains(char::is_lowercase));
        let typed = is_kept || word.len() > 8 && SERVICES.iter().any(|end| word.ends_with(end));
        // A type stands before a name: `IChatService chats`, `IChatService? chats`, and a property of a page has a capital.
        let Some(name) = words.peek().filter(|next| !next.is_empty()) else {
            continue;
        };
        let named = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        if named && typed || bare.is_some() && (named || name.starts_with(char::is_uppercase)) {
            out.extend(bare.map(str::to_owned));
            out.push(word.to_owned());
        }
    }
    out
}

/// The types of what a class of Java or Kotlin keeps, by the line of a field: a class of the same package is imported nowhere.
fn kept_types(language: Language, line: &str) -> Vec<String> {
    /// Fields of one line.
    const FIELDS_MAX: usize = 8;
    let is_type = |word: &str| word.len() > 2 && word.starts_with(|c: char| c.is_ascii_uppercase());
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if language == Language::Java {
        // `private final AnswerService answers;`
        let field = line.strip_suffix(';').filter(|line| {
            ["private ", "protected ", "public ", "final "]
                .iter()
                .any(|word| line.starts_with(word))
        });
        let words: Vec<&str> = field.unwrap_or("").split(' ').collect();
        return match words.as_slice() {
            [.., of, name] if is_type(of) && of.chars().all(word) && name.chars().all(word) => vec![(*of).to_owned()],
            _ => Vec::new(),
        };
    }
    // `class Chats(private val answers: AnswerService)`, `lateinit var answers: AnswerService`
    let mut out = Vec::new();
    for mark in ["val ", "var "] {
        for part in line.split(mark).skip(1).take(FIELDS_MAX) {
            let Some((name, rest)) = part.split_once(':') else {
                continue;
            };
            let rest = rest.trim_start();
            let of = &rest[..rest.find(|c| !word(c)).unwrap_or(rest.len())];
            if name.chars().all(word) && is_type(of) {
                out.push(of.to_owned());
            }
        }
    }
    out
}

#[cfg(test)]
mod service_tests {
    use engine_model::Language;

    #[test]
    fn classes_of_services_are_told_by_the_types_of_parameters() {
        let text = "using Acme.Services;\nroute.MapPost(\"/chat\", async ([FromBody] Dto message, IAnswerService answers) =>\n";
        let imports = super::imports(Language::CSharp, text);
        assert_eq!(imports, ["Acme.Services", "AnswerService", "IAnswerService"]);
        let page = "@inject IAnswers Answers\nprivate readonly IBook _book;\nvar ids = IDS count;\n";
        assert_eq!(
            super::imports(Language::CSharp, page),
            ["Answers", "Book", "IAnswers", "IBook"]
        );
        let other = "var serviceName = options.Service;\n// IAnswerService answers\n";
        assert!(super::imports(Language::CSharp, other).is_empty());
        let kept = "private readonly Summary _summary;\nprivate static readonly Summary Empty = new();\n";
        assert_eq!(super::imports(Language::CSharp, kept), ["Summary"]);
    }

    #[test]
    fn what_a_class_keeps_names_classes_of_its_own_package() {
        let java = "import x.a.Base;\nprivate final AnswerService answers;\nprivate String name;\nreturn answers;\nprivate final int count;\nprivate final Answers made = new Answers();\n";
        assert_eq!(
            super::imports(Language::Java, java),
            ["AnswerService", "String", "x.a.Base"]
        );
        let kotlin = "class Chats(private val answers: AnswerService, var size: Int)\nlateinit var book: Book\nfun ask(of: Other) = value: Thing\n";
        assert_eq!(
            super::imports(Language::Kotlin, kotlin),
            ["AnswerService", "Book", "Int"]
        );
    }
}
