//! How the answer of a call gets out of the program: the handlers around it, their routes, and the templates that they draw.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine_model::{Language, Zone};
use engine_syntax::tree::Node;

use crate::Site;
use crate::code::{Code, children};

use super::document::ending;
use super::front::{has_word, places_of, quoted, text_of};

/// Calls between a handler and the call of the model that are followed.
const STEPS_MAX: usize = 5;
/// Places of one name that are followed.
pub(super) const PLACES_MAX: usize = 24;

/// The place of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// Its file.
    pub(super) file: &'a str,
    /// Its line, from 1.
    pub(super) line: u32,
    /// Its column, from 1.
    pub(super) column: u32,
}

/// How the answer of a call gets out of the program.
#[derive(Debug, Default)]
pub(super) struct Origin {
    /// Routes of the handlers, as their parts.
    routes: BTreeSet<Vec<String>>,
    /// Functions on the way, the handlers among them, and names of routes.
    pub(super) names: BTreeSet<String>,
    /// Names of templates that these draw.
    templates: BTreeSet<String>,
    /// Files on the way.
    pub(super) files: BTreeSet<String>,
}

/// Follows a call to the handlers around it.
pub(super) fn origin(site: &Site<'_>, at: &Place<'_>) -> Origin {
    let mut out = Origin::default();
    let Ok(code) = site.code(at.file) else { return out };
    let Some(offset) = code.offset(at.line, at.column) else {
        return out;
    };
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut next: Vec<(Rc<Code>, usize)> = vec![(code, offset)];
    for _ in 0..STEPS_MAX {
        let mut further = Vec::new();
        for (code, offset) in next {
            let climbed = climb(&code, offset);
            let own = routes_of_path(&code.path, &code.text);
            let is_handler = !climbed.routes.is_empty() || !own.is_empty();
            out.files.insert(code.path.clone());
            out.routes.extend(climbed.routes);
            out.routes.extend(own);
            out.templates.extend(climbed.templates);
            out.templates.extend(templates_of_path(&code.path));
            out.names.extend(climbed.endpoints);
            for name in climbed.functions {
                // Who serves a route is called by requests.
                if !is_handler && seen.insert((code.path.clone(), name.clone())) {
                    further.extend(references(site, &code, &name, &climbed.classes));
                }
                out.names.insert(name);
            }
            if climbed.is_root {
                out.routes.extend(mounted(site, &code));
            }
        }
        next = further;
    }
    out
}

/// The routes under which other files mount the router of a file whose own route is the root.
fn mounted(site: &Site<'_>, code: &Code) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let file = code.path.rsplit('/').next().unwrap_or(&code.path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    for path in site
        .paths
        .iter()
        .filter(|path| family(Language::of_path(path)) == family(code.language))
    {
        let Some(text) = text_of(site, path).filter(|text| *path != code.path && text.contains(stem)) else {
            continue;
        };
        // The name that the import gives it: `import desk from "./routes/desk.js"`.
        let names = text
            .lines()
            .filter(|line| {
                quoted(line).any(|said| said.trim_end_matches(".js").trim_end_matches(".ts").ends_with(stem))
            })
            .filter_map(|line| {
                let mut words = line
                    .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
                    .filter(|word| !word.is_empty());
                words
                    .next()
                    .filter(|word| matches!(*word, "import" | "const" | "let" | "var"))?;
                words.next()
            });
        for name in names {
            for (at, _) in text.match_indices("use(") {
                let arguments: String = text.get(at + 4..).unwrap_or("").chars().take(120).collect();
                let arguments = arguments.split(';').next().unwrap_or("");
                if has_word(arguments, name) {
                    out.extend(quoted(arguments).next().and_then(parts));
                }
            }
        }
    }
    out
}

/// Languages whose files call each other.
fn family(language: Language) -> u8 {
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => 1,
        Language::Java | Language::Kotlin => 2,
        Language::Python => 3,
        Language::CSharp => 4,
        Language::Go => 5,
        Language::Php => 6,
        Language::Ruby => 7,
        Language::Rust => 8,
        _ => 0,
    }
}

/// What is around a place in a file.
#[derive(Default)]
pub(super) struct Climbed {
    routes: BTreeSet<Vec<String>>,
    /// Functions, the innermost first.
    pub(super) functions: Vec<String>,
    /// Classes, the innermost first.
    pub(super) classes: Vec<String>,
    templates: BTreeSet<String>,
    endpoints: Vec<String>,
    /// Whether the route is the root of what holds it.
    is_root: bool,
}

/// Names of calls that register a handler.
const REGISTERS: [&str; 24] = [
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "route",
    "any",
    "match",
    "all",
    "handle",
    "handlefunc",
    "path",
    "re_path",
    "url",
    "mapget",
    "mappost",
    "mapput",
    "mapmethods",
    "add_url_rule",
    "add_route",
    "add_api_route",
    "websocket",
    "on",
    "group",
];

/// Collects what is around a place: functions, their routes and the templates that they draw.
pub(super) fn climb(code: &Code, offset: usize) -> Climbed {
    let mut out = Climbed::default();
    let Some(tree) = code.tree() else { return out };
    let end = code.text.len().min(offset + 1);
    let mut at = tree.root_node().descendant_for_byte_range(offset, end);
    let mut prefixes: Vec<Vec<String>> = Vec::new();
    let mut is_served = false;
    while let Some(node) = at {
        match node.kind() {
            "arguments" | "argument_list" => registered(code, node, offset, &mut out),
            "function_definition"
            | "function_declaration"
            | "method_declaration"
            | "method_definition"
            | "function_item"
            | "method"
            | "local_function_statement"
            | "generator_function_declaration" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let own = code.of_node(name).to_owned();
                    let (served, routes) = routes_in_head(code, node, name);
                    is_served |= served;
                    out.routes.extend(routes);
                    out.templates.extend(templates_in(code.of_node(node)));
                    out.functions.push(own);
                }
            }
            "variable_declarator" | "pair" | "assignment_expression" | "public_field_definition" => {
                let name = ["name", "key", "left"]
                    .iter()
                    .find_map(|field| node.child_by_field_name(field))
                    .filter(|name| name.end_byte() <= offset);
                if let Some(name) = name {
                    let own = code.of_node(name).rsplit('.').next().unwrap_or("").to_owned();
                    let is_function = node
                        .child_by_field_name("value")
                        .or_else(|| node.child_by_field_name("right"))
                        .is_some_and(|value| {
                            code.of_node(value).contains("=>") || code.of_node(value).contains("function")
                        });
                    if is_function && own.chars().all(|c| c.is_alphanumeric() || c == '_') {
                        out.templates.extend(templates_in(code.of_node(node)));
                        out.functions.push(own);
                    }
                }
            }
            "class_definition" | "class_declaration" | "record_declaration" | "object_declaration" => {
                if let Some(name) = node.child_by_field_name("name") {
                    prefixes.extend(routes_in_head(code, node, name).1);
                    out.classes.push(code.of_node(name).to_owned());
                }
            }
            _ => {}
        }
        at = node.parent();
    }
    conventions(code, &mut out, &prefixes, is_served);
    out
}

/// The route of a call that registers the function around a place, or the function named there.
fn registered(code: &Code, arguments: Node<'_>, offset: usize, out: &mut Climbed) {
    let Some(call) = arguments.parent() else { return };
    let all = children(arguments);
    let Some(first) = all.first() else { return };
    // `router.route("/ask").post(handler)`
    let receiver = code.text.get(call.start_byte()..arguments.start_byte()).unwrap_or("");
    if let Some((_, rest)) = receiver.rsplit_once(".route(")
        && receiver.len() < 200
        && let Some(said) = quoted(rest).next()
    {
        out.is_root |= said == "/";
        out.routes.extend(parts(said));
        return;
    }
    if first.start_byte() <= offset && offset < first.end_byte() {
        return;
    }
    let said = code.of_node(*first).trim_matches(['"', '\'', '`']);
    let is_text = code.of_node(*first).starts_with(['"', '\'', '`', 'r']) && !said.contains(char::is_whitespace);
    let callee = code
        .text
        .get(call.start_byte()..arguments.start_byte())
        .unwrap_or("")
        .rsplit(['.', ':', '>'])
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    // A verb may stand before the path: `mux.HandleFunc("POST /chat", …)`.
    let (said, is_text) = match code.of_node(*first).trim_matches(['"', '`']).split_once(" /") {
        Some((verb, rest)) if verb.chars().all(|c| c.is_ascii_uppercase()) => (rest, true),
        _ => (said, is_text),
    };
    if is_text && (said.starts_with('/') || REGISTERS.contains(&callee.as_str())) {
        out.is_root |= said == "/";
        out.routes.extend(parts(said));
        // The name under which templates ask for it.
        let behind: String = code
            .text
            .get(arguments.end_byte()..)
            .unwrap_or("")
            .chars()
            .take(60)
            .collect();
        if let Some(rest) = behind.trim_start().strip_prefix("->name(") {
            out.endpoints.extend(quoted(rest).next().map(str::to_owned));
        }
        for argument in all {
            let text = code.of_node(argument);
            if text.starts_with("name=") || text.starts_with("name =") {
                out.endpoints.extend(quoted(text).next().map(str::to_owned));
            }
        }
    }
}

/// Routes that a framework makes of names.
fn conventions(code: &Code, out: &mut Climbed, prefixes: &[Vec<String>], is_served: bool) {
    let bare = |class: &str| class.strip_suffix("Controller").unwrap_or(class).to_owned();
    let resolved: Vec<Vec<String>> = prefixes
        .iter()
        .map(|parts| {
            parts
                .iter()
                .map(|part| match (part.as_str(), out.classes.first()) {
                    ("[controller]", Some(class)) => bare(class).to_lowercase(),
                    _ => part.clone(),
                })
                .collect()
        })
        .collect();
    if out.routes.is_empty() && is_served {
        out.routes.extend(resolved);
    }
    if code.language == Language::CSharp
        && let (Some(class), Some(function)) = (out.classes.first(), out.functions.last())
        && class.ends_with("Controller")
        && code.text.contains("ActionResult")
    {
        out.routes.insert(vec![bare(class), function.clone()]);
        out.templates.insert(format!("{}/{function}", bare(class)));
    }
}

/// Words of decorators, annotations and attributes with which a function says its route.
const HEADS: [&str; 28] = [
    "mapping",
    "route",
    "@post(",
    "@get(",
    "@put(",
    "@patch(",
    "@delete(",
    "@all(",
    "httppost",
    "httpget",
    "httpput",
    "@path",
    "controller",
    "websocket",
    ".post(",
    ".get(",
    ".put(",
    ".patch(",
    ".delete(",
    "#[post",
    "#[get",
    "#[put",
    ".api_route(",
    "@sse(",
    "http_post",
    "http_get",
    "@view_config",
    "@expose(",
];

/// Routes in the decorators or annotations of a function or a class, and whether they register a handler.
fn routes_in_head(code: &Code, node: Node<'_>, name: Node<'_>) -> (bool, Vec<Vec<String>>) {
    let mut start = node;
    while let Some(parent) = start.parent() {
        if matches!(parent.kind(), "decorated_definition" | "export_statement") {
            start = parent;
        } else {
            break;
        }
    }
    let mut from = start.start_byte();
    let mut sibling = start.prev_named_sibling();
    while let Some(before) = sibling {
        if !matches!(
            before.kind(),
            "decorator" | "attribute_item" | "attribute_list" | "annotation" | "marker_annotation"
        ) {
            break;
        }
        from = before.start_byte();
        sibling = before.prev_named_sibling();
    }
    let head = code.text.get(from..name.start_byte()).unwrap_or("");
    let lower = head.to_lowercase();
    let is_marked = lower.contains('@') || lower.contains('[');
    if !is_marked || !HEADS.iter().any(|word| lower.contains(word)) {
        return (false, Vec::new());
    }
    let routes = quoted(head)
        .filter(|said| {
            !said.is_empty()
                && said.chars().all(|c| {
                    c.is_alphanumeric() || matches!(c, '/' | '{' | '}' | ':' | '-' | '_' | '.' | '<' | '>' | '[' | ']')
                })
                && !matches!(*said, "POST" | "GET" | "PUT" | "application/json")
        })
        .filter_map(parts)
        .collect();
    (true, routes)
}

/// The parts of a route; nothing for the root.
fn parts(route: &str) -> Option<Vec<String>> {
    let route = route.split(['?', '#']).next().unwrap_or(route);
    let parts: Vec<String> = route
        .trim_start_matches('^')
        .trim_end_matches('$')
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .map(str::to_owned)
        .collect();
    let is_fixed = |part: &String| !is_open(part);
    parts.iter().any(is_fixed).then_some(parts)
}

/// Whether a part of a route is a parameter.
fn is_open(part: &str) -> bool {
    part.starts_with(['{', ':', '<', '[', '*', '$']) || part.contains("${") || part.contains("{{")
}

/// The routes that a framework makes of the path of a file.
fn routes_of_path(path: &str, text: &str) -> Vec<Vec<String>> {
    let all: Vec<&str> = path.split('/').collect();
    let Some((file, folders)) = all.split_last() else {
        return Vec::new();
    };
    let stem = file.split('.').next().unwrap_or(file);
    let is_script = matches!(ending(path), "ts" | "js" | "mjs");
    let below = |root: &str| {
        let at = folders.iter().rposition(|folder| *folder == root)?;
        let inner = folders.get(at + 1..)?;
        let inner: Vec<String> = inner
            .iter()
            .filter(|part| !part.starts_with('('))
            .map(|part| (*part).to_owned())
            .collect();
        Some(inner)
    };
    let mut out = Vec::new();
    let mut add = |inner: Option<Vec<String>>, last: Option<&str>| {
        if let Some(mut inner) = inner {
            inner.extend(last.filter(|last| *last != "index").map(str::to_owned));
            if !inner.is_empty() {
                out.push(inner);
            }
        }
    };
    match stem {
        "route" if is_script => add(below("app"), None),
        "+server" => add(below("routes"), None),
        _ if is_script && folders.contains(&"pages") && folders.contains(&"api") => add(below("pages"), Some(stem)),
        _ if is_script && folders.windows(2).any(|pair| pair == ["server", "api"]) => add(below("server"), Some(stem)),
        _ if is_script && folders.windows(2).any(|pair| pair == ["netlify", "functions"]) => {
            add(below("netlify"), Some(stem));
        }
        _ if is_script && folders.first() == Some(&"api") => {
            let mut inner: Vec<String> = folders.iter().map(|part| (*part).to_owned()).collect();
            inner.push(stem.to_owned());
            out.push(inner);
        }
        // A file with classes is loaded by another.
        _ if ending(path) == "php"
            && !text.contains("\nclass ")
            && !text.contains("\nnamespace ")
            && !folders.contains(&"routes") =>
        {
            out.push(vec![(*file).to_owned()]);
        }
        _ => {}
    }
    out
}

/// The pages that a framework draws with a file of code.
fn templates_of_path(path: &str) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(page) = path
        .strip_suffix(".cs")
        .filter(|page| matches!(ending(page), "cshtml" | "razor"))
    {
        out.push(page.to_owned());
    }
    if let Some((folder, file)) = path.rsplit_once('/')
        && file.starts_with("+page.server.")
    {
        out.push(format!("{folder}/+page.svelte"));
    }
    out
}

/// The templates that a function draws.
fn templates_in(function: &str) -> Vec<String> {
    const DRAWS: [&str; 13] = [
        "render_template(",
        "TemplateResponse(",
        "render(",
        ".render(",
        "View(",
        "view(",
        ".HTML(",
        "ExecuteTemplate(",
        "ParseFiles(",
        "ParseGlob(",
        "renderView(",
        "get_template(",
        "PartialView(",
    ];
    let mut out = Vec::new();
    for draws in DRAWS {
        for (at, _) in function.match_indices(draws) {
            let rest = function.get(at + draws.len()..).unwrap_or("");
            let arguments: String = rest.chars().take(200).collect();
            let arguments = arguments.split(';').next().unwrap_or("");
            out.extend(
                quoted(arguments)
                    .take(3)
                    .filter(|said| {
                        !said.is_empty()
                            && said
                                .chars()
                                .all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_'))
                    })
                    .map(str::to_owned),
            );
        }
    }
    out
}

/// Where a function is called or handed over: in its own file, and in files that name it with its file or its class.
fn references(site: &Site<'_>, code: &Rc<Code>, name: &str, classes: &[String]) -> Vec<(Rc<Code>, usize)> {
    const PLAIN: [&str; 8] = [
        "main",
        "__init__",
        "constructor",
        "__construct",
        "init",
        "run",
        "handler",
        "default",
    ];
    let mut out: Vec<(Rc<Code>, usize)> = Vec::new();
    if name.len() < 2 || PLAIN.contains(&name) {
        return out;
    }
    let definitions = |code: &Rc<Code>, offset: usize| {
        let tree = code.tree()?;
        let node = tree
            .root_node()
            .descendant_for_byte_range(offset, offset + name.len())?;
        let parent = node.parent()?;
        let is_name = parent
            .child_by_field_name("name")
            .is_some_and(|name| name.id() == node.id());
        let kind = parent.kind();
        let defines = kind.contains("definition")
            || kind.contains("declaration")
            || matches!(kind, "function_item" | "variable_declarator" | "method");
        (is_name && defines).then_some(())
    };
    let mut take = |code: &Rc<Code>| {
        for at in places_of(&code.text, name).take(PLACES_MAX) {
            if out.len() < PLACES_MAX && definitions(code, at).is_none() {
                out.push((Rc::clone(code), at));
            }
        }
    };
    take(code);
    let (folder, file) = code.path.rsplit_once('/').unwrap_or(("", &code.path));
    let stem = file.split('.').next().unwrap_or(file);
    let stem = if matches!(stem, "index" | "__init__" | "mod") {
        folder.rsplit('/').next().unwrap_or(stem)
    } else {
        stem
    };
    for path in site.paths {
        let language = Language::of_path(path);
        if *path == code.path || family(language) != family(code.language) || Zone::of_path(path, "") != Zone::Product {
            continue;
        }
        let same_folder = path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder
            && matches!(language, Language::Go | Language::Kotlin);
        let Some(text) = text_of(site, path).filter(|text| has_word(text, name)) else {
            continue;
        };
        let knows = same_folder
            || match language {
                Language::JavaScript | Language::TypeScript | Language::Tsx => {
                    quoted(&text).any(|said| said.trim_end_matches(".js").rsplit('/').next() == Some(stem))
                }
                Language::Python => text.lines().any(|line| {
                    let line = line.trim_start();
                    (line.starts_with("from ") || line.starts_with("import ")) && has_word(line, stem)
                }),
                _ => has_word(&text, stem) || classes.iter().any(|class| has_word(&text, class)),
            };
        if knows && let Ok(other) = site.code(path) {
            take(&other);
        }
    }
    out
}

impl Origin {
    /// Whether a text asks for one of the routes.
    pub(super) fn asks(&self, text: &str) -> bool {
        !self.asked(text).is_empty()
    }

    /// The places of a text that ask for one of the routes.
    pub(super) fn asked(&self, text: &str) -> Vec<usize> {
        let mut out = self.asked_by_name(text);
        // A hook of a library asks for this route unless it is told another.
        let hook = ["api".to_owned(), "chat".to_owned()];
        if self.routes.contains(hook.as_slice())
            && !text.contains("api:")
            && let Some(at) = text.find("useChat(")
        {
            out.push(at);
        }
        if self.routes.is_empty() {
            return out;
        }
        out.extend(
            tokens(text)
                .filter(|(_, token, before)| self.routes.iter().any(|route| fits(route, token, before)))
                .map(|(at, ..)| at),
        );
        out
    }

    /// Where a template asks by the name of a function or of a route.
    fn asked_by_name(&self, text: &str) -> Vec<usize> {
        const BY_NAME: [&str; 7] = [
            "url_for(",
            "{% url ",
            "asp-action=",
            "asp-page-handler=",
            "Url.Action(",
            "route(",
            "Html.BeginForm(",
        ];
        let names = |at: usize| {
            let near: String = text.get(at..).unwrap_or("").chars().take(80).collect();
            quoted(&near).next().is_some_and(|said| {
                let last = said.rsplit(['.', ':']).next().unwrap_or(said);
                self.names.contains(said) || self.names.contains(last)
            })
        };
        BY_NAME
            .iter()
            .flat_map(|mark| text.match_indices(mark))
            .filter(|(at, mark)| names(at + mark.len()))
            .map(|(at, _)| at)
            .collect()
    }

    /// Whether a function on the way draws a page.
    pub(super) fn draws(&self, path: &str) -> bool {
        self.templates.iter().any(|name| {
            let endings = [
                "",
                ".html",
                ".ejs",
                ".hbs",
                ".cshtml",
                ".blade.php",
                ".twig",
                ".njk",
                ".erb",
                ".html.erb",
                ".php",
            ];
            let slashed = name.replace('.', "/");
            endings.iter().any(|end| {
                [name.as_str(), slashed.as_str()].iter().any(|name| {
                    let whole = format!("{name}{end}");
                    path == whole || path.ends_with(&format!("/{whole}"))
                })
            })
        })
    }
}

/// Tokens of a text that may be an address, each with its offset and the text before it.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let apart = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | ';' | '<' | '>' | '\\');
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let skipped = rest.find(|c: char| !apart(c))?;
            let start = at + skipped;
            let token = text.get(start..)?;
            let length = token.find(apart).unwrap_or(token.len());
            at = start + length;
            let token = token.get(..length)?;
            if token.len() > 1
                && token.len() < 300
                && (token.contains('/') || ending(token) == "php" || !token.contains('.'))
            {
                let mut from = start.saturating_sub(24);
                while !text.is_char_boundary(from) {
                    from += 1;
                }
                return Some((start, token, text.get(from..start).unwrap_or("")));
            }
        }
    })
}

/// Whether a part of a text is the address of a route.
fn fits(route: &[String], token: &str, before: &str) -> bool {
    const ASKS: [&str; 14] = [
        "fetch(",
        ".post(",
        ".get(",
        ".put(",
        "action=",
        "hx-post=",
        "hx-get=",
        "request(",
        "EventSource(",
        "WebSocket(",
        "url:",
        "axios(",
        "ajax(",
        "endpoint",
    ];
    // A link leads to a page, and asks for no answer.
    const LINKS: [&str; 6] = ["href=", "to=", "push(", "navigate(", "src=", "redirect("];
    if LINKS.iter().any(|link| before.contains(link)) {
        return false;
    }
    let is_asked = ASKS.iter().any(|asks| before.contains(asks));
    let plain = token.trim_end_matches(['}', '/']);
    let is_address = plain.starts_with('/')
        || plain.contains("://")
        || plain.starts_with("${")
        || plain.starts_with("@{")
        || plain.starts_with('{')
        || plain.contains("}/");
    let address = plain.split(['?', '#']).next().unwrap_or(plain);
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let own: Vec<&str> = address
        .trim_start_matches(['@', '{', '.'])
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    if own.is_empty() {
        return false;
    }
    let same = |route: &String, own: &&str| is_open(route) || is_open(own) || route.eq_ignore_ascii_case(own);
    let fixed = |parts: &mut dyn Iterator<Item = (&String, &&str)>| {
        let mut any = false;
        for (route, own) in parts {
            if !same(route, own) {
                return false;
            }
            any |= !is_open(route) && !is_open(own);
        }
        any
    };
    if own.len() >= route.len() {
        // A route with one part is a word; it needs the sign of an address.
        let counts = is_address || is_asked || route.len() > 1 || ending(token) == "php";
        return counts && fixed(&mut route.iter().rev().zip(own.iter().rev()));
    }
    // A client may put what all routes begin with before it.
    is_asked && is_address && fixed(&mut route.iter().rev().zip(own.iter().rev()))
}
