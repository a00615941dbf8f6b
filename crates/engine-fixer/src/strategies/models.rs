//! Names of models: a successor for a retired one, a dated snapshot for a floating one.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use engine_catalogue::{Replacement, catalogue};
use engine_model::{Call, Language, TraceKind, Zone};
use engine_syntax::tree::Node;

use crate::code::{Code, around};
use crate::strategy::{Site, declare_strategy};
use crate::{Draft, NoFix};

declare_strategy! {
    /// Replaces the name of a retired model by the successor that its provider names.
    ///
    /// The name is replaced at every place that the finding lists. Embeddings are refused, since the stored index would have to be
    /// built again. So are calls over a cloud or a router, which has names of its own, and tables whose keys are model names.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// import anthropic
    ///
    /// client = anthropic.Anthropic()
    ///
    /// def answer(question):
    ///     return client.messages.create(
    ///         model="claude-3-5-sonnet-20241022",  # the smaller model was too short
    ///         max_tokens=500,
    ///         messages=[{"role": "user", "content": question}],
    ///     )
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// ```
    /// After:
    /// ```text
    /// //- app.py
    /// import anthropic
    ///
    /// client = anthropic.Anthropic()
    ///
    /// def answer(question):
    ///     return client.messages.create(
    ///         model="claude-sonnet-4-6",  # the smaller model was too short
    ///         max_tokens=500,
    ///         messages=[{"role": "user", "content": question}],
    ///     )
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- src/config.ts
    /// export const MODEL = 'claude-3-opus-20240229';
    /// //- src/chat.ts
    /// import Anthropic from '@anthropic-ai/sdk';
    /// import { MODEL } from './config';
    ///
    /// const client = new Anthropic();
    ///
    /// export async function POST(request: Request) {
    ///   const { question } = await request.json();
    ///   const reply = await client.messages.create({
    ///     model: MODEL,
    ///     max_tokens: 500,
    ///     messages: [{ role: 'user', content: question }],
    ///   });
    ///   return Response.json({ answer: reply.content });
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- src/config.ts
    /// export const MODEL = 'claude-opus-4-8';
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// import os
    ///
    /// from google import genai
    ///
    /// client = genai.Client()
    /// NAME = os.getenv("GEMINI_MODEL", "gemini-2.0-flash")
    ///
    /// async def answer(question):
    ///     reply = await client.aio.models.generate_content(model=NAME, contents=question)
    ///     return reply.text
    ///
    /// if __name__ == "__main__":
    ///     import asyncio
    ///     print(asyncio.run(answer(input())))
    /// ```
    /// After:
    /// ```text
    /// //- app.py
    /// import os
    ///
    /// from google import genai
    ///
    /// client = genai.Client()
    /// NAME = os.getenv("GEMINI_MODEL", "gemini-3.6-flash")
    ///
    /// async def answer(question):
    ///     reply = await client.aio.models.generate_content(model=NAME, contents=question)
    ///     return reply.text
    ///
    /// if __name__ == "__main__":
    ///     import asyncio
    ///     print(asyncio.run(answer(input())))
    /// ```
    SUCCESSOR_MODEL {
        id: "successor-model",
        checks: ["l3-retired-model"],
        kind: Code,
        languages: [],
        plan: successor,
    }
}

declare_strategy! {
    /// Replaces a floating model name by the dated snapshot that it points to.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-5.5", input=input()).output_text)
    /// ```
    /// After:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-5.5-2026-04-23", input=input()).output_text)
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- src/chat.ts
    /// import Anthropic from '@anthropic-ai/sdk';
    ///
    /// const client = new Anthropic();
    /// const model = process.env.CLAUDE_MODEL ?? "claude-haiku-4-5";
    ///
    /// export async function POST(request: Request) {
    ///   const { question } = await request.json();
    ///   const reply = await client.messages.create({
    ///     model,
    ///     max_tokens: 500,
    ///     messages: [{ role: 'user', content: question }],
    ///   });
    ///   return Response.json({ answer: reply.content });
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- src/chat.ts
    /// import Anthropic from '@anthropic-ai/sdk';
    ///
    /// const client = new Anthropic();
    /// const model = process.env.CLAUDE_MODEL ?? "claude-haiku-4-5-20251001";
    ///
    /// export async function POST(request: Request) {
    ///   const { question } = await request.json();
    ///   const reply = await client.messages.create({
    ///     model,
    ///     max_tokens: 500,
    ///     messages: [{ role: 'user', content: question }],
    ///   });
    ///   return Response.json({ answer: reply.content });
    /// }
    /// ```
    PINNED_MODEL {
        id: "pinned-model",
        checks: ["l4-floating-model"],
        kind: Code,
        languages: [],
        plan: snapshot,
    }
}

/// Steps from a name to the one that is still served.
const STEPS_MAX: usize = 8;

fn successor(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let message = site.finding.message.as_str();
    let name = message
        .strip_prefix("The model `")
        .and_then(|rest| rest.split('`').next())
        .ok_or_else(|| NoFix::here("the provider switched off the API itself; another model name does not help"))?;
    let known = catalogue().model(name);
    if name.to_ascii_lowercase().contains("embed") || known.is_some_and(|known| known.family.contains("embed")) {
        return Err(NoFix::here(
            "vectors of another embedding model do not fit the stored ones: choose a model, then build the index again",
        ));
    }
    let row = last_successor(name).ok_or_else(|| {
        NoFix::here(format!(
            "the catalogue names no single successor for `{name}`; choose a model and test with it"
        ))
    })?;
    check_provider(site, name, row)?;
    // A high-risk system needs a name that always means the same model.
    let pin = catalogue().model(&row.model).and_then(|known| known.snapshot);
    let pin = pin.filter(|_| is_high_risk(site, name));
    let new = in_the_same_form(name, pin.map_or(&row.model, |pin| &pin.model))?;
    let changed = replace(site, draft, name, &new)?;
    if let Some(word) = changed.iter().find_map(|place| named_after(line_at(place), name)) {
        return Err(NoFix::here(format!(
            "`{word}` is named after the model; rename it wherever it is used, and set the new model there"
        )));
    }
    let title = provider_title(&row.provider);
    draft.describe(match pin {
        Some(_) => format!("Use `{new}`, a fixed version of the model that {title} recommends instead of `{name}`."),
        None => format!("Use the model `{new}`, which {title} recommends instead of `{name}`."),
    });
    draft.manual(format!(
        "Test the system with `{new}`: its answers, speed and price differ. {title} names `{}` at {} (as of {}).",
        row.model, row.page, row.read
    ));
    draft.manual(format!(
        "Check that `{new}` accepts the parameters of the calls{}. A newer model may reason first, and its reasoning counts against the \
         token limit of the call.",
        rejected(row, &changed)
    ));
    if let Some(note) = &row.note {
        draft.manual(note.clone());
    }
    remarks(site, draft, name, &changed);
    Ok(())
}

/// Whether a high-risk system calls the model.
fn is_high_risk(site: &Site<'_>, name: &str) -> bool {
    let high = |id: &str| {
        site.systems
            .iter()
            .any(|system| system.id == id && system.risk_class == "high")
    };
    let calls = site.inventory.calls.iter();
    let mut calls = calls.filter(|call| call.model.as_deref() == Some(name));
    calls.any(|call| call.system.as_deref().is_some_and(high))
}

fn snapshot(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let call = site.call().ok_or(NoFix::NoPlace)?;
    let name = call.model.as_deref().ok_or(NoFix::NoPlace)?;
    let row = catalogue()
        .model(name)
        .and_then(|known| known.snapshot)
        .ok_or_else(|| {
            NoFix::here(format!(
                "the catalogue names no snapshot for `{name}`; take the dated name that you tested"
            ))
        })?;
    check_provider(site, name, row)?;
    let new = in_the_same_form(name, &row.model)?;
    let changed = replace(site, draft, name, &new)?;
    draft.describe(format!("Pin the model to its snapshot `{new}`."));
    draft.manual(format!(
        "Confirm that `{name}` still points to `{new}`, and that you tested this snapshot ({}, as of {}).",
        row.page, row.read
    ));
    remarks(site, draft, name, &changed);
    Ok(())
}

/// The end of the chain of successors of a name.
fn last_successor(name: &str) -> Option<&'static Replacement> {
    let first = catalogue().model(name)?.successor?;
    let mut last = first;
    for _ in 0..STEPS_MAX {
        match catalogue().model(&last.model).and_then(|known| known.successor) {
            Some(next) if next.provider == first.provider => last = next,
            Some(_) => return None,
            None => return Some(last),
        }
    }
    None
}

fn provider_title(id: &str) -> &str {
    catalogue().provider(id).map_or(id, |known| known.title.as_str())
}

/// The new name with what stands before the old one: `models/gemini-2.0-flash`.
fn in_the_same_form(name: &str, new: &str) -> Result<String, NoFix> {
    // A name of two parts is one name at the services that have such names.
    let bare = catalogue()
        .model(name)
        .and_then(|known| known.successor.or(known.snapshot));
    if bare.is_some_and(|row| row.of.iter().any(|of| of.eq_ignore_ascii_case(name))) {
        return Ok(new.to_owned());
    }
    let at = name.rfind(['/', ':']).map_or(0, |at| at + 1);
    let (prefix, rest) = name.split_at(at);
    let fits = bare.is_some_and(|row| row.of.iter().any(|of| of.eq_ignore_ascii_case(rest)));
    if fits && !new.contains('/') {
        Ok(format!("{prefix}{new}"))
    } else {
        Err(NoFix::here(format!(
            "the form of the name `{name}` is not that of the provider"
        )))
    }
}

/// All calls of the model must go to the provider whose names these are.
fn check_provider(site: &Site<'_>, name: &str, row: &Replacement) -> Result<(), NoFix> {
    let via = catalogue().model(name).and_then(|known| known.via);
    let foreign =
        |provider: &str| NoFix::here(format!("the calls go over `{provider}`, which has its own model names"));
    if let Some(via) = via.filter(|via| *via != row.provider) {
        return Err(foreign(via));
    }
    let calls = &site.inventory.calls;
    for call in calls
        .iter()
        .filter(|call| call.model.as_deref() == Some(name) && call.zone == Zone::Product)
    {
        match call.provider.as_deref() {
            Some(provider) if provider != row.provider => return Err(foreign(provider)),
            _ => {}
        }
        if let Some(host) = call.host.as_deref() {
            let own = catalogue()
                .host(host)
                .is_some_and(|known| known.provider == row.provider);
            if !own {
                return Err(foreign(host));
            }
        }
    }
    Ok(())
}

/// A place of a name that is replaced.
struct Changed {
    code: Rc<Code>,
    line: u32,
}

/// Replaces the name wherever the finding lists it.
fn replace(site: &Site<'_>, draft: &mut Draft, name: &str, new: &str) -> Result<Vec<Changed>, NoFix> {
    let mut places: Vec<(&str, u32)> = Vec::new();
    if let (Some(file), Some(line)) = (site.finding.file.as_deref(), site.finding.line) {
        places.push((file, line));
    }
    for evidence in &site.finding.evidence {
        if let (Some(file), Some(line)) = (evidence.file.as_deref(), evidence.line) {
            places.push((file, line));
        }
    }
    let mut done: BTreeSet<(String, usize)> = BTreeSet::new();
    let mut out = Vec::new();
    let mut visited: BTreeSet<(&str, u32)> = BTreeSet::new();
    // The trace of a call leads to the place of the name, which may be in another file.
    while let Some((file, line)) = places.pop() {
        if !visited.insert((file, line)) {
            continue;
        }
        let calls = site.inventory.calls.iter();
        let calls: Vec<&Call> = calls
            .filter(|call| call.file == file && call.line == line && call.model.as_deref() == Some(name))
            .collect();
        for trace in calls.iter().filter_map(|call| call.traced(TraceKind::ModelNamed)) {
            for place in trace.chain.iter().filter(|place| place.reference == name) {
                if let (Some(file), Some(line)) = (place.file.as_deref(), place.line) {
                    places.push((file, line));
                }
            }
        }
        let Ok(code) = site.code(file) else {
            if Some(file) == site.finding.file.as_deref() {
                return Err(NoFix::Gone);
            }
            continue;
        };
        if !matches!(code.zone, Zone::Product | Zone::Docs) || Language::of_path(file) == Language::Notebook {
            continue;
        }
        let mut ranges = in_line(&code, line, name);
        if ranges.is_empty()
            && let Some(call) = calls.first()
        {
            ranges = in_call(&code, call, name);
        }
        // A variable of the same file, if the name is in the file only once.
        if ranges.is_empty() && !calls.is_empty() {
            ranges = whole_names(&code, 0..code.text.len(), name);
            if ranges.len() > 1 {
                ranges.clear();
            }
        }
        for range in ranges {
            match use_of(&code, &range) {
                Use::Key => {
                    return Err(NoFix::here(format!(
                        "`{name}` is the key of a table ({file}:{line}); change the table by hand"
                    )));
                }
                Use::Compared => continue,
                Use::Value => {}
            }
            if done.insert((file.to_owned(), range.start)) {
                draft.replace(&code, range.clone(), new);
                out.push(Changed {
                    line: code.line_of(range.start),
                    code: Rc::clone(&code),
                });
            }
        }
    }
    if out.is_empty() {
        return Err(NoFix::here(format!(
            "the name `{name}` is not written at this place as one text"
        )));
    }
    // The same name as a model elsewhere in these files is changed with it.
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let files: Vec<Rc<Code>> = out.iter().map(|place| Rc::clone(&place.code)).collect();
    for code in files.into_iter().filter(|code| code.language.is_code()) {
        if !seen.insert(code.path.clone()) {
            continue;
        }
        for range in whole_names(&code, 0..code.text.len(), name) {
            let line = code.text.get(code.line_start(range.start)..range.start).unwrap_or("");
            let of_model = line.to_ascii_lowercase().contains("model") && !is_in_list(&code, &range);
            if of_model && matches!(use_of(&code, &range), Use::Value) && done.insert((code.path.clone(), range.start))
            {
                draft.replace(&code, range.clone(), new);
                out.push(Changed {
                    line: code.line_of(range.start),
                    code: Rc::clone(&code),
                });
            }
        }
    }
    Ok(out)
}

/// Whether a text is one of several in a list: a choice that the program offers.
fn is_in_list(code: &Code, range: &Range<usize>) -> bool {
    const LISTS: [&str; 8] = [
        "list",
        "array",
        "tuple",
        "set",
        "array_initializer",
        "literal_value",
        "initializer_expression",
        "array_creation_expression",
    ];
    node_of(code, range)
        .and_then(|node| around(node, &LISTS))
        .is_some_and(|list| list.named_child_count() > 1)
}

/// The places of a name in one line, as a whole text or setting.
fn in_line(code: &Code, line: u32, name: &str) -> Vec<Range<usize>> {
    let Some(start) = code.offset(line, 1) else {
        return Vec::new();
    };
    whole_names(code, start..code.next_line(start), name)
}

/// The places of a name in the arguments of a call, or in the request whose text begins there.
fn in_call(code: &Code, call: &Call, name: &str) -> Vec<Range<usize>> {
    let kinds = [
        "call",
        "call_expression",
        "new_expression",
        "method_invocation",
        "invocation_expression",
        "object_creation_expression",
        "function_call_expression",
        "member_call_expression",
        "scoped_call_expression",
        "macro_invocation",
        "composite_literal",
    ];
    let Some(node) = code
        .node_at(call.line, call.column)
        .and_then(|node| around(node, &kinds))
    else {
        return Vec::new();
    };
    whole_names(code, node.byte_range(), name)
}

/// Places where a name is a whole text: between quotes, a plain value of YAML or of a file of settings, or the model in a URL.
fn whole_names(code: &Code, within: Range<usize>, name: &str) -> Vec<Range<usize>> {
    let Some(text) = code.text.get(within.clone()) else {
        return Vec::new();
    };
    let found = text.match_indices(name).map(|(at, _)| within.start + at);
    found
        .map(|start| start..start + name.len())
        .filter(|range| is_whole_name(code, range))
        .collect()
}

fn is_whole_name(code: &Code, range: &Range<usize>) -> bool {
    let before = code.text.get(..range.start).and_then(|text| text.chars().next_back());
    let after = code.text.get(range.end..).and_then(|text| text.chars().next());
    if node_of(code, range).is_some_and(|node| node.kind().contains("comment")) {
        return false;
    }
    let quote = |c: Option<char>| c.filter(|c| matches!(c, '"' | '\'' | '`'));
    if quote(before).is_some() && quote(before) == quote(after) {
        return true;
    }
    // `https://…/v1beta/models/gemini-pro:generateContent`
    let head = code.text.get(..range.start).unwrap_or("");
    if head.ends_with("/models/") && after == Some(':') {
        return true;
    }
    match code.language {
        Language::Yaml => node_of(code, range).is_some_and(|node| {
            let plain = around(node, &["plain_scalar"]);
            plain.is_some_and(|plain| plain.byte_range() == *range)
        }),
        // `OPENAI_MODEL=gpt-4`
        Language::Other => {
            let start = code.line_start(range.start);
            let line = code.text.get(start..code.next_line(start)).unwrap_or("").trim_end();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let key = line.split('=').next().unwrap_or("");
            let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            is_key
                && line
                    .split_once('=')
                    .is_some_and(|(_, value)| value.trim().len() == range.len())
                && before == Some('=')
        }
        _ => false,
    }
}

fn node_of<'c>(code: &'c Code, range: &Range<usize>) -> Option<Node<'c>> {
    code.tree()?
        .root_node()
        .descendant_for_byte_range(range.start, range.end)
}

/// What a text is in its place.
enum Use {
    Value,
    /// The key of a table.
    Key,
    /// One side of a comparison.
    Compared,
}

fn use_of(code: &Code, range: &Range<usize>) -> Use {
    const PAIRS: [&str; 8] = [
        "pair",
        "keyed_element",
        "block_mapping_pair",
        "flow_pair",
        "array_element_initializer",
        "hash_pair",
        "match_arm",
        "when_entry",
    ];
    const TESTS: [&str; 8] = [
        "comparison_operator",
        "switch_case",
        "case_statement",
        "expression_case",
        "case_clause",
        "switch_label",
        "when",
        "case_switch_label",
    ];
    let mut at = node_of(code, range);
    let mut steps = 0;
    while let Some(node) = at {
        let kind = node.kind();
        let first = node.named_child(0).filter(|_| node.named_child_count() > 1);
        let leads = first.is_some_and(|first| first.byte_range().contains(&range.start));
        if PAIRS.contains(&kind) {
            return if leads { Use::Key } else { Use::Value };
        }
        if TESTS.contains(&kind) && (kind == "comparison_operator" || leads) {
            return Use::Compared;
        }
        if kind.starts_with("binary") {
            let operator = node
                .child_by_field_name("operator")
                .map_or("", |operator| code.of_node(operator));
            if matches!(operator, "==" | "===" | "!=" | "!==" | "<>") {
                return Use::Compared;
            }
        }
        if steps > 6 || kind.contains("argument") || kind.contains("call") || kind.contains("statement") {
            break;
        }
        steps += 1;
        at = node.parent();
    }
    Use::Value
}

/// Parameters of the changed files that the new model is known to reject.
fn rejected(row: &Replacement, changed: &[Changed]) -> String {
    // Reasoning models of OpenAI reject these in Chat Completions.
    let reasons = row.provider == "openai" && (row.model.starts_with("gpt-5") || row.model.starts_with("gpt-6"));
    let seen: Vec<String> = [
        "max_tokens",
        "temperature",
        "top_p",
        "presence_penalty",
        "frequency_penalty",
    ]
    .iter()
    .filter(|name| reasons && changed.iter().any(|place| has_word(&place.code.text, name)))
    .map(|name| format!("`{name}`"))
    .collect();
    if seen.is_empty() {
        String::new()
    } else {
        format!("; reasoning models reject some, for example {}", seen.join(", "))
    }
}

/// What else depends on the old name.
fn remarks(site: &Site<'_>, draft: &mut Draft, name: &str, changed: &[Changed]) {
    let mut named: BTreeSet<String> = BTreeSet::new();
    for place in changed {
        let here: BTreeSet<u32> = changed
            .iter()
            .filter(|other| other.code.path == place.code.path)
            .map(|other| other.line)
            .collect();
        for (index, line) in place.code.text.lines().enumerate() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            if !here.contains(&number) && has_word(line, name) {
                named.insert(format!("{}:{number}", place.code.path));
            }
        }
    }
    // Other files decide too: deployment files override what the code says, and other code has its own default.
    for path in site.paths.iter().filter(|path| may_name_a_model(path)) {
        if named.len() > NAMED_SHOWN || changed.iter().any(|place| place.code.path == **path) {
            continue;
        }
        let Some(file) = site.source.file(path).filter(|file| file.zone == Zone::Product) else {
            continue;
        };
        // Read and not parsed: most files do not name the model.
        let Some(text) = file.text().filter(|text| text.contains(name)) else {
            continue;
        };
        let lines = text.lines().zip(1_u32..).filter(|(line, _)| has_word(line, name));
        named.extend(lines.map(|(_, number)| format!("{path}:{number}")));
    }
    let named: Vec<String> = named.into_iter().take(NAMED_SHOWN).collect();
    if !named.is_empty() {
        draft.manual(format!(
            "`{name}` is still named at {}. Change these places if they mean the same model.",
            named.join(", ")
        ));
    }
    if changed
        .iter()
        .any(|place| place.code.text.contains("encoding_for_model"))
    {
        draft.manual(
            "Check that the installed `tiktoken` knows the new name; otherwise `encoding_for_model` raises an error.",
        );
    }
    if changed.iter().any(|place| is_default_of_setting(line_at(place), name)) {
        draft.manual(format!(
            "Where the environment sets `{name}`, change it there too: the name in the code is only the default."
        ));
    }
}

/// The line of a replaced name.
fn line_at(place: &Changed) -> &str {
    place.code.offset(place.line, 1).map_or("", |start| {
        place.code.text.get(start..place.code.next_line(start)).unwrap_or("")
    })
}

/// Whether a line reads an environment variable and gives the name as its default: `getenv("MODEL", "name")`, `env.MODEL || "name"`.
fn is_default_of_setting(line: &str, name: &str) -> bool {
    let Some((before, _)) = line.split_once(name) else {
        return false;
    };
    let lower = before.to_ascii_lowercase();
    let Some(at) = ["getenv", "environ", "env.", "env["]
        .iter()
        .filter_map(|word| lower.rfind(word))
        .max()
    else {
        return false;
    };
    // A bracket that closes more than what opened there, or another argument, has nothing to do with the variable.
    let mut depth = 0_i32;
    lower[at..].chars().all(|c| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        depth >= 0 && !(depth == 0 && c == ',')
    })
}

/// A constant, field or case of the same line that is named after the model: `GPT_3_5_TURBO = "gpt-3.5-turbo"`.
fn named_after(line: &str, name: &str) -> Option<String> {
    const LETTERS_MIN: usize = 4;
    let bare = |text: &str| -> String {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect()
    };
    // The date of a snapshot is seldom a part of the name of a constant.
    let undated = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let models = [bare(name), bare(undated)];
    line.replace(name, " ")
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .find(|word| {
            let word = bare(word);
            models
                .iter()
                .any(|model| model.len() >= LETTERS_MIN && word.contains(model.as_str()))
                && word.chars().any(|c| c.is_ascii_digit())
        })
        .map(str::to_owned)
}

/// Places with the same name that a manual step lists.
const NAMED_SHOWN: usize = 8;

/// Whether a file is code, a setting or a deployment file, by its name.
fn may_name_a_model(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_data = matches!(
        Language::of_path(path),
        Language::Json | Language::Yaml | Language::Toml
    ) && !name.contains("lock");
    Language::of_path(path).is_code() || is_data || name.starts_with(".env") || name.starts_with("Dockerfile")
}

/// Whether a text names something that is no part of a longer name.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}
