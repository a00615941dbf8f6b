//! Where on a page a sentence goes: above the form or the row of the field with which a person uses the system.

use crate::NoFix;

use super::document::{Element, Kind, Page};

/// What people do on the page that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// They write to the system.
    Talk,
    /// They send a form about themselves.
    Form,
    /// They give a picture, a film or their voice.
    Recording,
}

/// Where a sentence goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// Before the child of a container that begins there.
    Before(usize),
    /// As the first child of an element.
    First(usize),
}

/// Words of fields in which people talk.
const SAID: [&str; 18] = [
    "message",
    "question",
    "query",
    "prompt",
    "chat",
    "ask",
    "frage",
    "nachricht",
    "pregunta",
    "mensaje",
    "domanda",
    "messaggio",
    "vraag",
    "bericht",
    "pytani",
    "wiadomo",
    "pergunta",
    "mensagem",
];

/// Words of fields in which people may talk.
const WRITTEN: [&str; 13] = [
    "msg",
    "input",
    "text",
    "fråga",
    "meddelande",
    "besked",
    "dotaz",
    "zpráv",
    "kysy",
    "viesti",
    "kérdés",
    "user",
    "send",
];

/// The last part of the name of an element.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether people write into an element.
pub(super) fn is_field(page: &Page, element: &Element) -> bool {
    let name = last(&element.name);
    let lower = name.to_ascii_lowercase();
    if lower == "textarea" || element.has("contenteditable") || element.has("contentEditable") {
        return true;
    }
    if lower == "input" {
        let kind = element.attribute("type");
        return kind.is_none_or(|kind| {
            kind.dynamic
                || kind
                    .value
                    .as_ref()
                    .is_none_or(|value| matches!(page.text(value), "" | "text" | "search"))
        });
    }
    let other = [
        "file", "search", "hidden", "date", "number", "password", "otp", "color", "checkbox",
    ];
    let is_named = ["input", "textfield", "inputbase"]
        .iter()
        .any(|end| lower.ends_with(end))
        || lower.contains("textarea")
        || ["-input", "-textarea", "-text-field"]
            .iter()
            .any(|end| lower.ends_with(end));
    is_named && !other.iter().any(|word| lower.contains(word))
}

/// Whether an element is pressed.
fn is_button(page: &Page, element: &Element) -> bool {
    let lower = last(&element.name).to_ascii_lowercase();
    lower.ends_with("button")
        || lower.ends_with("-btn")
        || matches!(lower.as_str(), "pressable" | "touchableopacity" | "fab")
        || lower == "input"
            && page
                .literal(element, "type")
                .is_some_and(|kind| matches!(kind, "submit" | "button" | "image"))
}

/// Whether an element is a form.
pub(super) fn is_form(page: &Page, element: &Element) -> bool {
    let name = last(&element.name);
    name.eq_ignore_ascii_case("form")
        || name.ends_with("Form") && element.close.is_some()
        || name.eq_ignore_ascii_case("editform")
        || page.literal(element, "component") == Some("form")
}

/// Whether an element takes a recording or an upload.
fn is_recorder(page: &Page, element: &Element) -> bool {
    let lower = last(&element.name).to_ascii_lowercase();
    matches!(lower.as_str(), "video" | "webcam")
        || lower == "input" && page.literal(element, "type") == Some("file")
        || lower.ends_with("fileinput")
}

/// The forms or rows of a page with which people use a system.
fn blocks(page: &Page, wanted: Use) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    for (index, element) in page.elements.iter().enumerate() {
        let takes = match wanted {
            Use::Talk => is_field(page, element),
            Use::Form => is_form(page, element),
            Use::Recording => is_recorder(page, element),
        };
        if takes && let Some(block) = block_of(page, index, wanted) {
            let block = if wanted == Use::Form { index } else { block };
            if !out.contains(&block) {
                out.push(block);
            }
        }
    }
    out.retain(|block| !signs_in(page, *block));
    out
}

/// Whether a form is a sign-in or a search.
fn signs_in(page: &Page, block: usize) -> bool {
    let inside = page
        .elements
        .iter()
        .enumerate()
        .filter(|(index, _)| page.is_within(*index, block));
    let mut fields = 0;
    let mut searches = 0;
    for (_, element) in inside {
        let tag = page.text(&element.open).to_lowercase();
        if tag.contains("password") {
            return true;
        }
        if is_field(page, element) {
            fields += 1;
            searches += usize::from(tag.contains("search") || tag.contains("such") && tag.contains("suche"));
        }
    }
    fields > 0 && fields == searches
}

/// The form around an element, or the smallest part of the page with a button.
fn block_of(page: &Page, index: usize, wanted: Use) -> Option<usize> {
    let mut at = Some(index);
    while let Some(this) = at {
        let element = page.elements.get(this)?;
        if is_form(page, element) {
            return Some(this);
        }
        at = element.parent;
    }
    if wanted == Use::Form {
        return None;
    }
    let mut at = page.elements.get(index)?.parent;
    for _ in 0..4 {
        let Some(this) = at else { break };
        let element = page.elements.get(this)?;
        if matches!(element.name.as_str(), "body" | "main" | "html" | "template") {
            break;
        }
        let mut inside = page
            .elements
            .iter()
            .enumerate()
            .filter(|(at, _)| page.is_within(*at, this));
        let has_button = inside.clone().any(|(_, element)| is_button(page, element));
        let is_whole = inside.any(|(_, element)| matches!(element.name.as_str(), "h1" | "nav" | "header" | "main"));
        if is_whole {
            break;
        }
        if has_button {
            return Some(this);
        }
        at = element.parent;
    }
    // A field without a button sends by a key.
    Some(index)
}

/// Whether a part of a page has a field with one of some words in its tag.
fn is_named(page: &Page, block: usize, words: &[&str]) -> bool {
    page.elements.iter().enumerate().any(|(index, element)| {
        page.is_within(index, block)
            && is_field(page, element)
            && element.attributes.iter().any(|attribute| {
                let name = attribute.name.as_str();
                let is_style = matches!(name, "class" | "className" | "type" | "style")
                    || ["on", "@", "(", "v-on"].iter().any(|start| name.starts_with(start));
                let value = attribute.value.as_ref().map(|value| page.text(value).to_lowercase());
                !is_style && value.is_some_and(|value| words.iter().any(|word| value.contains(word)))
            })
    })
}

/// Whether a text may hold a part with which people use a system.
pub(super) fn may_have_block(text: &str, wanted: Use) -> bool {
    let marks: &[&str] = match wanted {
        Use::Talk => &[
            "<textarea",
            "<input",
            "Input",
            "-input",
            "extarea",
            "TextArea",
            "TextField",
            "-text-field",
            "contenteditable",
            "contentEditable",
        ],
        Use::Form => &["<form", "Form", "\"form\"", "-form"],
        Use::Recording => &["<video", "Webcam", "<input", "FileInput"],
    };
    marks.iter().any(|mark| text.contains(mark))
}

/// Whether a page has a part with which people use a system.
pub(super) fn has_block(page: &Page, wanted: Use) -> bool {
    !blocks(page, wanted).is_empty()
}

/// Whether a page has a field that is named for a message, or may be one.
pub(super) fn has_message_field(page: &Page, is_sure: bool) -> bool {
    blocks(page, Use::Talk).into_iter().any(|block| {
        let is_area = || {
            page.elements
                .iter()
                .enumerate()
                .any(|(index, element)| element.name.eq_ignore_ascii_case("textarea") && page.is_within(index, block))
        };
        is_named(page, block, &SAID) || !is_sure && (is_named(page, block, &WRITTEN) || is_area())
    })
}

/// The form or row of a page with which people use a system.
///
/// # Errors
///
/// Where there is none, or where there are several.
pub(super) fn block(page: &Page, wanted: Use, uses: &dyn Fn(&str) -> bool) -> Result<usize, NoFix> {
    let all = blocks(page, wanted);
    let path = &page.code.path;
    let whole = |block: &usize| {
        let element = page.elements.get(*block);
        element
            .and_then(|element| page.code.text.get(element.open.start..element.end()))
            .unwrap_or("")
    };
    // What sends to the route, what is named for a message, and what may be.
    let mut left = all;
    let tests: [&dyn Fn(&usize) -> bool; 3] = [
        &|block| uses(whole(block)),
        &|block| wanted == Use::Talk && is_named(page, *block, &SAID),
        &|block| wanted == Use::Talk && is_named(page, *block, &WRITTEN),
    ];
    for test in tests {
        let fitting: Vec<usize> = left.iter().copied().filter(test).collect();
        if !fitting.is_empty() && left.len() > 1 {
            left = fitting;
        }
    }
    match left.as_slice() {
        [only] => Ok(*only),
        [] => Err(NoFix::here(format!(
            "`{path}` has no separate field, so it is not clear where the sentence belongs"
        ))),
        [first, second, ..] => Err(NoFix::here(format!(
            "`{path}` has several forms (lines {} and {}); choose the one that uses the AI system",
            line_of(page, *first),
            line_of(page, *second)
        ))),
    }
}

fn line_of(page: &Page, index: usize) -> u32 {
    page.elements
        .get(index)
        .map_or(0, |element| page.code.line_of(element.open.start))
}

/// Where the sentence is inserted, so that it is read before the form is used.
///
/// # Errors
///
/// Where no container around it takes a paragraph without another change.
pub(super) fn spot(page: &Page, block: usize) -> Result<Spot, NoFix> {
    const STEPS_MAX: usize = 6;
    let mut at = block;
    for _ in 0..STEPS_MAX {
        let Some(element) = page.elements.get(at) else { break };
        let parent = element
            .parent
            .and_then(|parent| Some((parent, page.elements.get(parent)?)));
        let first = takes_text(element) && !is_row(page, element) && element.close.is_some() && !element.repeated;
        let Some((index, parent)) = parent else {
            // A component has one root; a page or a part of one may have several elements.
            let is_plain = element
                .name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
            if page.kind == Kind::Markup && !element.has("v-else") && is_plain && element.name != "html" {
                return Ok(Spot::Before(element.open.start));
            }
            if first {
                return Ok(Spot::First(at));
            }
            break;
        };
        // A wrapper that opens in one branch and closes after it is not certain to be the parent.
        if parent.close.is_none()
            && !matches!(
                parent.name.as_str(),
                "body" | "html" | "main" | "p" | "li" | "td" | "tr"
            )
        {
            break;
        }
        let is_root_of_vue = page.kind == Kind::Vue && parent.name == "template" && parent.parent.is_none();
        if is_root_of_vue {
            if first {
                return Ok(Spot::First(at));
            }
            break;
        }
        let is_alternative = element.has("v-else") || element.has("v-else-if");
        if !element.is_child() && first && is_form(page, element) {
            return Ok(Spot::First(at));
        }
        if takes_text(parent) && !is_row(page, parent) && !is_alternative && !element.repeated {
            return Ok(Spot::Before(element.outer));
        }
        if is_alternative && first {
            return Ok(Spot::First(at));
        }
        at = index;
    }
    Err(NoFix::here(format!(
        "no container around the field in `{}` takes a paragraph without a change of the layout",
        page.code.path
    )))
}

/// Whether an element takes a paragraph among its children.
fn takes_text(element: &Element) -> bool {
    const HOLD: [&str; 22] = [
        "",
        "div",
        "main",
        "section",
        "article",
        "form",
        "body",
        "header",
        "footer",
        "aside",
        "fieldset",
        "dialog",
        "td",
        "li",
        "details",
        "figure",
        "center",
        "template",
        "nav",
        "fragment",
        "react.fragment",
        "ng-container",
    ];
    const COMPONENTS: [&str; 34] = [
        "Content",
        "Container",
        "Box",
        "Stack",
        "Flex",
        "Paper",
        "Layout",
        "Wrapper",
        "Section",
        "Main",
        "Page",
        "Body",
        "Panel",
        "Card",
        "Column",
        "Col",
        "Grid",
        "View",
        "Center",
        "Footer",
        "Header",
        "Fragment",
        "Suspense",
        "Form",
        "Div",
        "Group",
        "Shell",
        "Screen",
        "Row",
        "div",
        "form",
        "section",
        "main",
        "footer",
    ];
    let name = element.name.as_str();
    // What a component of Blade holds is put into its slot.
    if HOLD.contains(&name.to_ascii_lowercase().as_str()) || name.starts_with("x-") {
        return true;
    }
    let is_component = name.contains('.') || name.starts_with(|c: char| c.is_ascii_uppercase());
    let is_vue = [
        "v-card",
        "v-container",
        "v-col",
        "v-sheet",
        "v-form",
        "v-main",
        "el-form",
        "el-card",
        "q-card",
        "q-page",
    ];
    is_component && COMPONENTS.iter().any(|end| name.ends_with(end)) || is_vue.contains(&name)
}

/// Whether the children of an element stand side by side.
pub(super) fn is_row(page: &Page, element: &Element) -> bool {
    let name = last(&element.name);
    if matches!(name, "HStack" | "Row" | "Group" | "Inline" | "v-row" | "el-row" | "nav") {
        return true;
    }
    let direction = page
        .written(element, "direction")
        .or_else(|| page.written(element, "flexDirection"));
    let is_flex = name.starts_with("Flex")
        || page
            .written(element, "display")
            .is_some_and(|value| value.contains("flex"));
    if is_flex && direction.is_none_or(|value| value.contains("row"))
        || name == "Stack" && direction.is_some_and(|value| value.contains("row"))
        || page.written(element, "horizontal").is_some()
    {
        return true;
    }
    let class = page
        .written(element, "class")
        .or_else(|| page.written(element, "className"))
        .unwrap_or("");
    let tokens: Vec<&str> = class
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':')))
        .collect();
    let has = |known: &[&str]| tokens.iter().any(|token| known.contains(token));
    let sideways = has(&[
        "flex",
        "inline-flex",
        "d-flex",
        "d-inline-flex",
        "row",
        "grid",
        "input-group",
        "hstack",
        "form-inline",
        "columns",
        "is-flex",
        "flex-row",
        "field-body",
        "has-addons",
    ]);
    let below = has(&[
        "flex-col",
        "flex-column",
        "flex-col-reverse",
        "grid-cols-1",
        "vstack",
        "is-flex-direction-column",
    ]);
    let style = ["style", "sx"]
        .iter()
        .filter_map(|name| page.written(element, name))
        .collect::<String>()
        .replace(' ', "");
    let by_style = (style.contains("display:flex")
        || style.contains("display:'flex'")
        || style.contains("display:\"flex\"")
        || style.contains("flexDirection:'row'")
        || style.contains("flexDirection:\"row\""))
        && !style.contains("column");
    sideways && !below || by_style
}
