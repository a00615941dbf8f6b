//! Puts a sentence on a page, in the way in which the page is written.

use std::rc::Rc;

use crate::code::{Code, around, children, descendants};
use crate::{Draft, NoFix, Site};

use super::document::{Element, Kind, Page, ending};
use super::front::has_word;
use super::place::{self, Spot};

/// Characters of a line after which an element is written on three lines.
const LINE_MAX: usize = 100;

/// A sentence that goes on a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sentence<'a> {
    /// What the element holds: the sentence, or an expression that gives it.
    pub(super) content: &'a str,
}

/// Puts a sentence before the part of a page with which people use the system.
///
/// # Errors
///
/// Where the page has no place for it.
pub(super) fn put(draft: &mut Draft, page: &Page, block: usize, sentence: Sentence<'_>) -> Result<(), NoFix> {
    let spot = place::spot(page, block)?;
    write(draft, page, block, spot, sentence)
}

fn write(draft: &mut Draft, page: &Page, block: usize, spot: Spot, sentence: Sentence<'_>) -> Result<(), NoFix> {
    let code = &page.code;
    let (open, close) = tags(page, block)?;
    let line = |indent: &str| {
        let whole = format!("{open}{}{close}", sentence.content);
        let is_long = indent.chars().count() + whole.chars().count() > LINE_MAX;
        // A page of plain HTML keeps its line; components are written as their formatter writes them.
        if is_long && matches!(ending(&code.path), "tsx" | "jsx" | "js" | "vue" | "svelte") {
            let inner = format!("{indent}{}", code.indent_unit());
            format!("{open}\n{inner}{}\n{indent}{close}", sentence.content)
        } else {
            whole
        }
    };
    match spot {
        Spot::Before(offset) => {
            let offset = if page.one_line {
                offset
            } else {
                before_remarks(code, offset)
            };
            let start = code.line_start(offset);
            let is_first = code
                .text
                .get(start..offset)
                .is_some_and(|before| before.trim().is_empty());
            if is_first && !page.one_line {
                let indent = code.indent(offset);
                draft.insert(code, offset, &format!("{}\n{indent}", line(indent)));
            } else {
                draft.insert(code, offset, &format!("{open}{}{close}", sentence.content));
            }
        }
        Spot::First(index) => {
            let element = page.elements.get(index).ok_or(NoFix::Unparsed)?;
            let at = element.open.end;
            let rest = code.text.get(at..).unwrap_or("");
            let blanks = rest.len() - rest.trim_start().len();
            let gap = rest.get(..blanks).unwrap_or("");
            if gap.contains('\n') && !page.one_line {
                let indent = gap.rsplit('\n').next().unwrap_or("");
                draft.insert(code, at, &format!("\n{indent}{}", line(indent)));
            } else {
                draft.insert(code, at, &format!("{open}{}{close}", sentence.content));
            }
        }
    }
    Ok(())
}

/// The place before the remarks that stand on lines of their own directly above an element.
fn before_remarks(code: &Code, offset: usize) -> usize {
    let mut at = offset;
    loop {
        let start = code.line_start(at);
        let is_first = code.text.get(start..at).is_some_and(|before| before.trim().is_empty());
        if !is_first || start == 0 {
            return at;
        }
        let above = code.line_start(start - 1);
        let line = code.text.get(above..start).unwrap_or("");
        let said = line.trim();
        let is_remark = [
            ("<!--", "-->"),
            ("{/*", "*/}"),
            ("{{--", "--}}"),
            ("@*", "*@"),
            ("{#", "#}"),
        ]
        .iter()
        .any(|(open, close)| said.starts_with(open) && said.ends_with(close) && said.matches(open).count() == 1);
        if !is_remark {
            return at;
        }
        at = above + (line.len() - line.trim_start().len());
    }
}

/// CSS classes of small text near a form.
const SMALL: [&str; 13] = [
    "text-sm",
    "text-xs",
    "small",
    "muted",
    "text-muted",
    "hint",
    "help",
    "note",
    "caption",
    "form-text",
    "subtitle",
    "lead",
    "description",
];

/// Words of classes of text that says something else than a note, or draws the eye.
const SPECIAL: [&str; 38] = [
    "error",
    "danger",
    "red",
    "warning",
    "success",
    "green",
    "absolute",
    "fixed",
    "hidden",
    "italic",
    "sr-only",
    "badge",
    "truncate",
    "animate",
    "line-clamp",
    "uppercase",
    "line-through",
    "d-none",
    "invisible",
    "message",
    "orange",
    "amber",
    "yellow",
    "blue",
    "indigo",
    "purple",
    "pink",
    "rose",
    "emerald",
    "teal",
    "cyan",
    "lime",
    "violet",
    "fuchsia",
    "accent",
    "destructive",
    "info",
    "-white",
];

/// The tags of the element that holds a sentence on a page.
fn tags(page: &Page, block: usize) -> Result<(String, String), NoFix> {
    let text = &page.code.text;
    if page.kind == Kind::Jsx {
        if text.contains("react-native\"") || text.contains("react-native'") {
            return native(page);
        }
        if let Some(tags) = component(page) {
            return Ok(tags);
        }
    }
    if page.one_line {
        return Ok(("<p>".to_owned(), "</p>".to_owned()));
    }
    let name = if page.kind == Kind::Jsx { "className" } else { "class" };
    let class = small_class(page, block, name).map_or_else(String::new, |class| format!(" {name}=\"{class}\""));
    Ok((format!("<p{class}>"), "</p>".to_owned()))
}

/// The class of a small paragraph of the page; of several the one nearest before the form.
fn small_class<'p>(page: &'p Page, block: usize, name: &str) -> Option<&'p str> {
    let from = page.elements.get(block)?.open.start;
    let fits = |element: &&Element| {
        element.name == "p"
            && !element.repeated
            && page.literal(element, name).is_some_and(|class| {
                let tokens: Vec<&str> = class.split_whitespace().collect();
                tokens.iter().any(|token| SMALL.iter().any(|small| token == small))
                    && !tokens
                        .iter()
                        .any(|token| SPECIAL.iter().any(|special| token.contains(special)))
            })
    };
    let nearest = page
        .elements
        .iter()
        .filter(fits)
        .min_by_key(|element| element.open.start.abs_diff(from))?;
    page.literal(nearest, name)
}

/// A text of React Native, if the file draws texts.
fn native(page: &Page) -> Result<(String, String), NoFix> {
    let is_imported = page.elements.iter().any(|element| element.name == "Text");
    if !is_imported {
        return Err(NoFix::here(format!(
            "`{}` is a screen of React Native without a `Text`; add the sentence by hand",
            page.code.path
        )));
    }
    let styles = ["hint", "note", "caption", "subtitle", "description", "help", "small"];
    let style = page.elements.iter().find_map(|element| {
        let style = page.written(element, "style").filter(|_| element.name == "Text")?;
        let name = style.rsplit('.').next()?.to_ascii_lowercase();
        styles.iter().any(|word| name == *word).then(|| style.to_owned())
    });
    let open = style.map_or_else(|| "<Text>".to_owned(), |style| format!("<Text style={{{style}}}>"));
    Ok((open, "</Text>".to_owned()))
}

/// The element of a library for texts, where the file uses it and no paragraph of its own.
fn component(page: &Page) -> Option<(String, String)> {
    let text = &page.code.text;
    let draws = |name: &str| page.elements.iter().any(|element| element.name == name);
    if draws("p") {
        return None;
    }
    if draws("Typography") && text.contains("@mui/material") {
        return Some(("<Typography variant=\"body2\">".to_owned(), "</Typography>".to_owned()));
    }
    if draws("Text")
        && ["@chakra-ui/", "@mantine/core"]
            .iter()
            .any(|library| text.contains(library))
    {
        let size = if text.contains("@mantine/core") {
            "size"
        } else {
            "fontSize"
        };
        return Some((format!("<Text {size}=\"sm\">"), "</Text>".to_owned()));
    }
    None
}

/// How a page gets its texts from files of translations.
#[derive(Clone, Debug)]
pub(super) struct Translated {
    /// The function that gives a text.
    function: String,
    /// Keys that the page asks for.
    keys: Vec<String>,
    /// The part of the translations that it reads.
    namespace: Option<String>,
}

/// What else shows that a page is translated.
const OTHER_TRANSLATIONS: [&str; 22] = [
    "FormattedMessage",
    "gettext(",
    "{{ T \"",
    "{{ i18n",
    "@L[\"",
    "{% trans",
    "{% translate",
    "{% blocktrans",
    "@lang(",
    "{{ __(",
    "<?php _e(",
    "<?php echo __(",
    "_e('",
    "@Localizer[",
    "th:text=\"#{",
    "{{ _(",
    "{{_(",
    "<%= t(",
    "<%= t '",
    "| translate",
    "i18n=\"",
    "<Trans",
];

/// Whether a page is translated, and how.
///
/// # Errors
///
/// Where it is translated in a way that is not edited.
pub(super) fn translated(page: &Page) -> Result<Option<Translated>, NoFix> {
    let text = &page.code.text;
    if OTHER_TRANSLATIONS.iter().any(|mark| text.contains(mark)) {
        return Err(by_hand(&page.code.path));
    }
    if !matches!(ending(&page.code.path), "tsx" | "jsx" | "js" | "vue" | "svelte") {
        return Ok(None);
    }
    let functions: &[&str] = match page.kind {
        Kind::Vue => &["$t", "t"],
        _ if ending(&page.code.path) == "svelte" => &["$_", "$t"],
        _ => &["t", "i18n.t"],
    };
    for function in functions {
        let keys = keys_of(text, function);
        if !keys.is_empty() {
            let has_source = page.kind != Kind::Jsx
                || has_word(text, "useTranslation")
                || has_word(text, "useTranslations")
                || has_word(text, "i18n")
                || has_word(text, "useI18n");
            if !has_source {
                return Err(by_hand(&page.code.path));
            }
            let namespace = ["useTranslations(", "useTranslation("]
                .iter()
                .find_map(|hook| {
                    let rest = text.split_once(hook)?.1.trim_start();
                    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
                    rest.get(1..)?.split(quote).next()
                })
                .map(str::to_owned);
            return Ok(Some(Translated {
                function: (*function).to_owned(),
                keys,
                namespace,
            }));
        }
    }
    let hooks = ["useTranslation(", "useTranslations(", "useI18n(", "$t("];
    if hooks.iter().any(|hook| text.contains(hook)) {
        return Err(by_hand(&page.code.path));
    }
    Ok(None)
}

fn by_hand(path: &str) -> NoFix {
    NoFix::here(format!(
        "the texts of `{path}` are translated; add the sentence to the translations by hand"
    ))
}

/// The constant keys that a text hands to a function for translations.
fn keys_of(text: &str, function: &str) -> Vec<String> {
    let call = format!("{function}(");
    let mut out: Vec<String> = Vec::new();
    for (at, _) in text.match_indices(&call) {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$')) {
            continue;
        }
        let rest = text.get(at + call.len()..).unwrap_or("").trim_start();
        let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            continue;
        };
        let key = rest.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or("");
        let is_key = !key.is_empty()
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':'));
        if is_key && !out.iter().any(|known| known == key) {
            out.push(key.to_owned());
        }
    }
    out
}

/// A file of translations with the place of a new text.
struct Locale {
    code: Rc<Code>,
    language: String,
    /// Where the pair of a known key ends, and where it begins.
    pair: std::ops::Range<usize>,
}

/// Adds a text to every file of translations of a page, and gives the expression that asks for it.
///
/// # Errors
///
/// Where the files do not all hold a key that the page asks for.
pub(super) fn add_to_locales(
    site: &Site<'_>,
    draft: &mut Draft,
    page: &Page,
    translated: &Translated,
    sentence: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<String, NoFix> {
    let path = &page.code.path;
    let (key, locales) = translated
        .keys
        .iter()
        .find_map(|key| {
            let locales = locales_with(site, key, translated.namespace.as_deref());
            (!locales.is_empty()).then_some((key, locales))
        })
        .ok_or_else(|| by_hand(path))?;
    // Every language of the same folder must hold the key, or a text would be missing there.
    let mut languages: Vec<&str> = locales.iter().map(|locale| locale.language.as_str()).collect();
    languages.sort_unstable();
    let expected = languages_beside(site, &locales);
    if languages.windows(2).any(|pair| pair.first() == pair.last()) || languages != expected {
        return Err(by_hand(path));
    }
    let last = key.rsplit(['.', ':']).next().unwrap_or(key);
    let prefix = key.get(..key.len() - last.len()).unwrap_or("");
    let own = if last.contains('_') || last.chars().all(|c| c.is_ascii_lowercase()) && key.contains('_') {
        "ai_notice"
    } else if last.contains('-') {
        "ai-notice"
    } else {
        "aiNotice"
    };
    for locale in &locales {
        let said = sentence(&locale.language).ok_or_else(|| by_hand(path))?;
        let pair = locale.code.text.get(locale.pair.clone()).unwrap_or("");
        let is_flat = pair.trim_start_matches('"').starts_with(key.as_str());
        let name = if is_flat {
            format!("{prefix}{own}")
        } else {
            own.to_owned()
        };
        if locale.code.text.contains(&format!("\"{name}\"")) {
            return Err(NoFix::Done);
        }
        let colon = if pair.contains("\" :") { " : " } else { ": " };
        let start = locale.code.line_start(locale.pair.start);
        let is_first = locale
            .code
            .text
            .get(start..locale.pair.start)
            .is_some_and(|before| before.trim().is_empty());
        let new = format!("\"{name}\"{colon}\"{said}\"");
        if is_first {
            let indent = locale.code.indent(locale.pair.start).to_owned();
            draft.insert(&locale.code, locale.pair.end, &format!(",\n{indent}{new}"));
        } else {
            draft.insert(&locale.code, locale.pair.end, &format!(", {new}"));
        }
    }
    let quote = if page.code.text.contains(&format!("{}('", translated.function)) {
        '\''
    } else {
        '"'
    };
    let call = format!("{}({quote}{prefix}{own}{quote})", translated.function);
    Ok(if page.kind == Kind::Vue {
        format!("{{{{ {call} }}}}")
    } else {
        format!("{{{call}}}")
    })
}

/// Folders of files of translations.
fn is_locale(path: &str) -> bool {
    let folders = [
        "locales",
        "locale",
        "i18n",
        "translations",
        "messages",
        "lang",
        "langs",
        "languages",
        "l10n",
    ];
    ending(path) == "json" && path.split('/').rev().skip(1).any(|part| folders.contains(&part))
}

/// The language of a file of translations: its name, or that of its folder.
fn language_of(path: &str) -> Option<String> {
    let mut parts = path.rsplit('/');
    let stem = parts.next()?.strip_suffix(".json")?;
    let folder = parts.next().unwrap_or("");
    let is_code = |part: &str| {
        let mut parts = part.split(['-', '_']);
        let first = parts.next().unwrap_or("");
        first.len() == 2
            && first.bytes().all(|byte| byte.is_ascii_lowercase())
            && parts.all(|part| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    [stem, folder].into_iter().find(|part| is_code(part)).map(str::to_owned)
}

/// The files of translations that hold a key.
fn locales_with(site: &Site<'_>, key: &str, namespace: Option<&str>) -> Vec<Locale> {
    let (namespace, key) = match key.split_once(':') {
        Some((namespace, key)) => (Some(namespace), key),
        None => (namespace, key),
    };
    let mut out = Vec::new();
    for path in site.paths.iter().filter(|path| is_locale(path)) {
        let Some(language) = language_of(path) else { continue };
        let Ok(code) = site.code(path) else { continue };
        let stem = path
            .rsplit('/')
            .next()
            .and_then(|name| name.strip_suffix(".json"))
            .unwrap_or("");
        let is_own_file = namespace.is_some_and(|namespace| namespace == stem);
        if let Some(pair) = pair_of(&code, key, namespace.filter(|_| !is_own_file)) {
            out.push(Locale { code, language, pair });
        }
    }
    out
}

/// The pair of a key in a file of translations.
fn pair_of(code: &Code, key: &str, namespace: Option<&str>) -> Option<std::ops::Range<usize>> {
    let root = code.root().ok().filter(|root| !root.has_error())?;
    let object = children(root).into_iter().find(|node| node.kind() == "object")?;
    let mut path: Vec<&str> = namespace
        .map(|namespace| namespace.split('.').collect())
        .unwrap_or_default();
    let flat = {
        let mut path = path.clone();
        path.push(key);
        path
    };
    path.extend(key.split('.'));
    [flat, path].into_iter().find_map(|path| {
        let mut object = object;
        let (last, folders) = path.split_last()?;
        for part in folders {
            object = value_of(code, object, part)?.1;
        }
        let (pair, value) = value_of(code, object, last)?;
        (value.kind() == "string").then(|| pair.byte_range())
    })
}

/// The pair of a name in an object, with its value.
fn value_of<'t>(
    code: &Code,
    object: engine_syntax::tree::Node<'t>,
    name: &str,
) -> Option<(engine_syntax::tree::Node<'t>, engine_syntax::tree::Node<'t>)> {
    children(object).into_iter().find_map(|pair| {
        let key = pair.child_by_field_name("key")?;
        let value = pair.child_by_field_name("value")?;
        (code.of_node(key).trim_matches('"') == name).then_some((pair, value))
    })
}

/// The languages of all files that lie where the given ones lie.
fn languages_beside(site: &Site<'_>, locales: &[Locale]) -> Vec<String> {
    let shape = |path: &str, language: &str| {
        path.replace(&format!("/{language}/"), "/*/")
            .replace(&format!("/{language}.json"), "/*.json")
    };
    let Some(first) = locales.first() else {
        return Vec::new();
    };
    let wanted = shape(&format!("/{}", first.code.path), &first.language);
    let mut out: Vec<String> = site
        .paths
        .iter()
        .filter(|path| is_locale(path))
        .filter_map(|path| {
            let language = language_of(path)?;
            (shape(&format!("/{path}"), &language) == wanted).then_some(language)
        })
        .collect();
    out.sort_unstable();
    out
}

/// The texts of a program that hold a page, with whether they stand on one line.
pub(super) fn literals(code: &Code) -> Vec<(std::ops::Range<usize>, bool)> {
    let Some(tree) = code.tree() else { return Vec::new() };
    let nodes = descendants(tree.root_node(), |node| {
        matches!(
            node.kind(),
            "string"
                | "raw_string_literal"
                | "interpreted_string_literal"
                | "template_string"
                | "string_literal"
                | "verbatim_string_literal"
        )
    });
    let mut out = Vec::new();
    for node in nodes {
        let text = code.of_node(node);
        let holds = ["<form", "<textarea", "<body"].iter().any(|tag| text.contains(tag));
        let inner = node
            .parent()
            .is_some_and(|parent| around(parent, &["template_substitution", "interpolation"]).is_some());
        if !holds || inner {
            continue;
        }
        let substituted = children(node)
            .iter()
            .any(|child| matches!(child.kind(), "template_substitution" | "interpolation"));
        if substituted {
            continue;
        }
        let open = text.find(['"', '\'', '`']).unwrap_or(0);
        let prefix = text.get(..open).unwrap_or("").to_ascii_lowercase();
        if prefix.contains('f') || prefix.contains('b') {
            continue;
        }
        let rest = text.get(open..).unwrap_or("");
        let mark = if rest.starts_with("\"\"\"") || rest.starts_with("'''") {
            3
        } else {
            1
        };
        let many = mark == 3 || rest.starts_with('`');
        let start = node.start_byte() + open + mark;
        let end = node.end_byte().saturating_sub(mark);
        if start < end {
            out.push((start..end, !many));
        }
    }
    out
}
