//! Who answers: security contacts, owners, licences, changelogs, reservations of rights, agents' instructions.

use engine_model::{ArtefactKind, Language};

use crate::read::Candidate;
use crate::view::{View, candidate, number};

pub(crate) fn detect(view: &View<'_>, out: &mut Vec<Candidate>) {
    if let Some(line) = security_contact(view) {
        out.push(candidate(
            ArtefactKind::SecurityContact,
            line,
            "contact for vulnerability reports",
        ));
    }
    if let Some((line, name)) = licence(view) {
        out.push(candidate(
            ArtefactKind::Licence,
            line,
            format!("the text of the {name} licence"),
        ));
    }
    if let Some(line) = changelog(view) {
        out.push(candidate(ArtefactKind::Changelog, line, "changes listed by version"));
    }
    if let Some((line, because)) = ownership(view) {
        out.push(candidate(ArtefactKind::Ownership, line, because));
    }
    if let Some((line, because)) = robots(view) {
        out.push(candidate(ArtefactKind::RobotsPolicy, line, because));
    }
    if let Some((line, because)) = agent(view) {
        out.push(candidate(ArtefactKind::AgentConfiguration, line, because));
    }
}

/// Headings below which security reports are asked for, by their beginnings in lower case.
const SECURITY_HEADINGS: &[&str] = &[
    "reporting a",
    "reporting security",
    "reporting vulnerab",
    "report a vulnerab",
    "report a security",
    "how to report",
    "responsible disclosure",
    "vulnerability disclosure",
    "vulnerability reporting",
    "vulnerability policy",
    "security polic",
    "security contact",
    "security report",
    "security issues",
    "security vulnerabilities",
    "sicherheitsrichtlinie",
    "sicherheitslücken melden",
    "schwachstellen melden",
    "politique de sécurité",
    "signaler une faille",
    "política de seguridad",
    "politica di sicurezza",
    "beveiligingsbeleid",
    "polityka bezpieczeństwa",
];

/// Whether a heading asks for reports. Release notes have headings on single vulnerabilities, which do not.
fn invites_reports(heading: &str) -> bool {
    matches!(
        heading,
        "security" | "sicherheit" | "sécurité" | "seguridad" | "sicurezza"
    ) || SECURITY_HEADINGS.iter().any(|start| heading.starts_with(start))
}

/// Lines below a heading in which the contact must stand.
const CONTACT_LINES_MAX: usize = 30;

fn security_contact(view: &View<'_>) -> Option<u32> {
    if !view.is_markup() {
        return None;
    }
    // The format of RFC 9116.
    if let Some(line) =
        view.line_where(|line| line.starts_with("contact: mailto:") || line.starts_with("contact: https://"))
        && (view.has("expires:") || view.name == "security.txt")
    {
        return Some(line);
    }
    for (heading, line) in view.headings().filter(|(heading, _)| invites_reports(heading)) {
        let start = usize::try_from(line).unwrap_or(0);
        let below = view.lines.iter().skip(start).take(CONTACT_LINES_MAX);
        let mut about = heading.contains("vulnerab") || heading.contains("report");
        for (offset, text) in below.enumerate() {
            about |= ["vulnerab", "report", "schwachstelle", "faille", "vulnérab", "melden"]
                .iter()
                .any(|word| text.contains(word));
            let contact = is_email_in(text)
                || text.contains("security/advisories")
                || text.contains("hackerone.com")
                || text.contains("bugcrowd.com")
                || text.contains("private vulnerability reporting");
            if about && contact {
                return Some(number(start + offset));
            }
        }
    }
    None
}

fn is_email_in(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | ',' | ';' | '[' | ']' | '`'))
        .any(|word| {
            let word = word.trim_start_matches("mailto:").trim_end_matches(['.', '*', ':']);
            word.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty()
                    && host.contains('.')
                    && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
                    && !host.starts_with('.')
            })
        })
}

/// Sentences that stand in the text of a licence and nowhere else.
const LICENCES: &[(&str, &str)] = &[
    (
        "permission is hereby granted, free of charge, to any person obtaining",
        "MIT",
    ),
    (
        "terms and conditions for use, reproduction, and distribution",
        "Apache-2.0",
    ),
    ("everyone is permitted to copy and distribute verbatim copies", "GNU"),
    ("redistribution and use in source and binary forms", "BSD"),
    ("mozilla public license version 2.0", "MPL-2.0"),
    (
        "permission to use, copy, modify, and/or distribute this software",
        "ISC",
    ),
    (
        "this is free and unencumbered software released into the public domain",
        "Unlicense",
    ),
    ("european union public licence", "EUPL"),
    ("eclipse public license - v 2.0", "EPL-2.0"),
    ("all rights reserved. this software is proprietary", "proprietary"),
];

fn licence(view: &View<'_>) -> Option<(u32, &'static str)> {
    let prose = view.is_markup() || view.language == Language::Other && !view.name.contains('.');
    if !prose || view.stem == "readme" {
        return None;
    }
    // The sentence may be wrapped over lines, so words are compared, at the head of the text only.
    let mut head = String::new();
    for word in view.lower.split_whitespace().take(400) {
        head.push_str(word);
        head.push(' ');
    }
    LICENCES
        .iter()
        .find(|(sentence, _)| head.contains(sentence))
        .map(|(_, name)| (1, *name))
}

fn changelog(view: &View<'_>) -> Option<u32> {
    if !view.is_markup() {
        return None;
    }
    let mut versions = view.headings().filter(|(heading, _)| is_version_heading(heading));
    let first = versions.next()?;
    let told = view.headings().take(3).any(|(heading, _)| {
        [
            "change",
            "release notes",
            "history",
            "what's new",
            "änderung",
            "journal des modifications",
            "zmian",
        ]
        .iter()
        .any(|word| heading.contains(word))
    }) || ["changelog", "changes", "history", "releases", "news"].contains(&view.stem.as_str());
    let kinds = view
        .headings()
        .filter(|(heading, _)| {
            matches!(
                *heading,
                "added" | "changed" | "fixed" | "removed" | "security" | "deprecated"
            )
        })
        .count();
    (told || kinds >= 2 && versions.next().is_some()).then_some(first.1)
}

/// `[1.2.0] - 2024-01-01`, `v1.2`, `Version 3.1`, `Unreleased`.
fn is_version_heading(heading: &str) -> bool {
    let text = heading
        .trim_start_matches("version")
        .trim()
        .trim_start_matches(['[', 'v']);
    if text.starts_with("unreleased") {
        return true;
    }
    let first = text
        .split(|c: char| c.is_whitespace() || matches!(c, ']' | '(' | ','))
        .next()
        .unwrap_or("");
    let parts: Vec<&str> = first.split('.').collect();
    parts.len() >= 2
        && parts
            .iter()
            .take(2)
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
}

fn ownership(view: &View<'_>) -> Option<(u32, &'static str)> {
    if view.name == "codeowners" {
        let line = view.line_where(|line| {
            let mut words = line.split_whitespace();
            words.next().is_some()
                && words.clone().next().is_some()
                && words.all(|word| word.starts_with('@') || word.contains('@'))
        })?;
        return Some((line, "file paths and their owners"));
    }
    if view.has_key("approvers") && view.has_key("reviewers") {
        return Some((view.key_line("approvers"), "named approvers"));
    }
    let maintainers = view.stem == "maintainers"
        || view.is_markup()
            && view
                .headings()
                .take(2)
                .any(|(heading, _)| heading.contains("maintainers") || heading.contains("code owners"));
    if maintainers {
        let line = view.line_where(|line| is_email_in(line) || line.contains('@') || line.contains("github.com/"))?;
        return Some((line, "named maintainers"));
    }
    None
}

fn robots(view: &View<'_>) -> Option<(u32, &'static str)> {
    if view.path.rsplit_once('.').is_some_and(|(_, ending)| ending == "txt") {
        let agent = view.line_where(|line| line.starts_with("user-agent:"))?;
        let rules = view.line_where(|line| line.starts_with("disallow:") || line.starts_with("allow:"))?;
        return (rules > agent).then_some((agent, "rules for crawlers"));
    }
    if view.language == Language::Json {
        return view
            .line_with("\"tdm-reservation\"")
            .map(|line| (line, "a reservation of rights for text and data mining"));
    }
    None
}

fn agent(view: &View<'_>) -> Option<(u32, &'static str)> {
    if view.language == Language::Json {
        if let Some(line) = view.line_with("\"mcpservers\"") {
            return Some((line, "Model Context Protocol servers"));
        }
        let permissions = view.has("\"permissions\"") && view.has("\"allow\"") && view.path.contains(".claude/");
        return permissions.then(|| {
            (
                view.line_with("\"permissions\"").unwrap_or(1),
                "permissions of a coding agent",
            )
        });
    }
    // These names are conventions that the agents themselves follow, and the text must say something.
    // They look for capitals; `agents.md` in lower case may be about people who sell houses.
    let named = matches!(view.written_name, "AGENTS.md" | "CLAUDE.md" | "GEMINI.md")
        || matches!(
            view.name.as_str(),
            "copilot-instructions.md" | ".cursorrules" | ".windsurfrules" | ".clinerules"
        )
        || view.path.contains(".cursor/rules/");
    (named && view.lower.split_whitespace().nth(4).is_some()).then_some((1, "instructions for a coding agent"))
}
