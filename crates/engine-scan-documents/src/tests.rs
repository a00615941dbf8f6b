//! Classification of whole texts, with the near misses.

#[path = "../../../tests/growth.rs"]
mod growth;

use std::fmt::Write as _;

use engine_model::{Document, DocumentState, FileInfo, SectionState, SourceFile};
use growth::grows_with_length;
use proptest::prelude::*;

use crate::{join, read, wants};

fn classify(path: &str, text: &str) -> Option<Document> {
    let file = SourceFile::new(path, text.as_bytes());
    assert!(wants(path, file.language, file.zone), "{path}");
    let facts = read(&file);
    let info = FileInfo {
        path: path.to_owned(),
        size: text.len() as u64,
        digest: file.digest,
        language: file.language,
        zone: file.zone,
    };
    join(&[(info, facts)]).pop()
}

fn check(path: &str, text: &str, kind: Option<&str>) {
    let found = classify(path, text);
    assert_eq!(
        found.as_ref().map(|document| document.kind.as_str()),
        kind,
        "{path}: {found:#?}"
    );
}

fn states(document: &Document) -> Vec<(&str, SectionState)> {
    document
        .sections
        .iter()
        .filter(|section| section.required)
        .map(|section| (section.key.as_str(), section.state))
        .collect()
}

/// A document of a kind with its own section titles and one sentence below each.
fn written(title: &str, kind: &str, body: &str) -> String {
    let document = engine_regulation::regulation().document(kind).unwrap();
    let mut out = format!("# {title}\n\nFor the AI system of this repository.\n\n");
    for section in &document.sections {
        let _ = write!(out, "## {}\n\n{body}\n\n", section.title);
    }
    out
}

const SENTENCE: &str =
    "Recruiters open each application, compare it with the score and write down why they differ, every week.";

#[test]
fn every_kind_is_known_by_its_own_title_and_sections_and_complete_when_filled() {
    for document in engine_regulation::regulation().documents() {
        let found = classify("docs/a.md", &written(&document.title, &document.id, SENTENCE));
        let found = found.unwrap_or_else(|| panic!("{}", document.id));
        assert_eq!(found.kind, document.id);
        assert_eq!(
            (found.state, found.completeness),
            (DocumentState::Filled, 100),
            "{found:#?}"
        );
        assert!(found.confidence >= 85, "{}: {}", document.id, found.confidence);
    }
}

#[test]
fn an_empty_template_is_a_scaffold() {
    for body in [
        "",
        "TBD",
        "[insert text]",
        "<name>",
        "____",
        "<!-- describe the process in detail, with all roles and dates of the last year -->",
        "_Describe the process._",
        "- [ ] to do\n- [ ] also to do",
        "| A | B |\n| --- | --- |\n| TBD | |",
    ] {
        let found = classify(
            "docs/fria.md",
            &written("Fundamental rights impact assessment", "fria", body),
        )
        .unwrap();
        assert_eq!(
            (found.kind.as_str(), found.state, found.completeness),
            ("fria", DocumentState::Scaffold, 0),
            "{body}: {found:#?}"
        );
    }
}

#[test]
fn a_title_in_another_language_names_the_kind() {
    let sections = |headings: &[&str]| {
        headings.iter().fold(String::new(), |out, heading| {
            out + "## " + heading + "\n\n" + SENTENCE + "\n\n"
        })
    };
    for (title, headings, kind) in [
        (
            "Risikomanagement",
            &[
                "Verfahren, Umfang und Rollen",
                "Bekannte Risiken",
                "Maßnahmen",
                "Restrisiko",
                "Tests",
            ][..],
            "risk-management-file",
        ),
        (
            "Grundrechte-Folgenabschätzung",
            &["Betroffene Personen und Gruppen", "Risiken", "Menschliche Aufsicht"],
            "fria",
        ),
        (
            "Analyse d'impact sur les droits fondamentaux",
            &["Personnes concernées", "Risques", "Contrôle humain"],
            "fria",
        ),
        (
            "Gestión de riesgos del sistema de IA",
            &["Riesgos", "Medidas", "Riesgo residual"],
            "risk-management-file",
        ),
        (
            "Piano di sorveglianza umana",
            &["Misure", "Interpretazione", "Arresto"],
            "human-oversight-plan",
        ),
        (
            "Polityka korzystania z AI",
            &["Zakres", "Szkolenia", "Incydenty"],
            "ai-usage-policy",
        ),
        (
            "AI-geletterdheid",
            &["Doelgroepen", "Systemen", "Inhoud"],
            "ai-literacy-record",
        ),
        (
            "KI-Nutzungsrichtlinie",
            &["Geltungsbereich", "Schulung", "Vorfälle"],
            "ai-usage-policy",
        ),
        (
            "Technische Dokumentation nach Anhang IV",
            &[
                "Allgemeine Beschreibung",
                "Architektur",
                "Daten",
                "Risikomanagementsystem",
            ],
            "tech-documentation",
        ),
    ] {
        let text = format!(
            "# {title}\n\nFür das KI-System / pour le système d'IA / AI.\n\n{}",
            sections(headings)
        );
        check("docs/x.md", &text, Some(kind));
    }
}

#[test]
fn texts_that_only_mention_documents_are_not_documents() {
    check(
        "README.md",
        "# Screener\n\nAn AI service. See the risk management file and the FRIA.\n\n## Installation\n\nRun it.\n\n## Risk management\n\nRead docs.\n\n## Usage\n\nCall it.\n",
        None,
    );
    check(
        "README.md",
        "# Risk management library\n\nPortfolio risk for Python with machine learning.\n\n## Features\n\n- VaR\n\n## Installation\n\npip\n\n## Usage\n\nimport\n",
        None,
    );
    check(
        "content/fria-explained.md",
        "# Fundamental rights impact assessment\n\nThe AI Act brings a new duty.\n\n## What is a FRIA?\n\nText.\n\n## Why it matters\n\nText.\n\n## Human oversight\n\nText.\n\n## Conclusion\n\nText.\n",
        None,
    );
    check(
        "blog/2026-fria.md",
        &written("Fundamental rights impact assessment", "fria", SENTENCE),
        None,
    );
    check(
        "docs/api.md",
        "# Technical documentation\n\nThe API of the AI gateway.\n\n## Overview\n\nA\n\n## Architecture\n\nB\n\n## Endpoints\n\nC\n\n## Testing\n\nD\n\n## Security\n\nE\n",
        None,
    );
    // Half of the title and a few sections that every module has.
    check(
        "docs/ai_modules.md",
        "# AI module documentation\n\nThe AI module answers customers.\n\n## Overview\n\nIt answers.\n\n## Architecture\n\nA graph of agents.\n\n## Design choices\n\nSmall models.\n\n## Data requirements\n\nManuals.\n\n## Validation and testing\n\nBy hand.\n\n## Performance\n\nFast.\n\n## Monitoring\n\nTraces.\n",
        None,
    );
    check(
        "docs/postmortem.md",
        "# Incident report\n\nThe LLM proxy was down.\n\n## Timeline\n\n10:00 down\n\n## Root cause\n\nDNS\n\n## Description\n\nx\n\n## Measures\n\nRetry.\n",
        None,
    );
    check("CHANGELOG.md", "# Changelog\n\n## AI usage policy\n\nAdded.\n", None);
    check(
        "docs/policy.md",
        "# Policy on the use of meeting rooms\n\n## Scope\n\nAll rooms.\n\n## Roles\n\nReception.\n",
        None,
    );
    check(
        "notes.txt",
        "risk management\nhuman oversight\ntransparency notice\n",
        None,
    );
}

#[test]
fn an_installation_guide_is_not_instructions_for_use() {
    let kind = "instructions-for-use";
    check(
        "docs/use.md",
        &written("Instructions for use", kind, SENTENCE),
        Some(kind),
    );
    for title in ["Deployment guide", "Deployment instructions", "Installation and setup"] {
        check("docs/use.md", &written(title, kind, SENTENCE), None);
    }
    check("DEPLOYMENT.md", &written("Instructions", kind, SENTENCE), None);
    check("README_FIXES.md", &written("Instructions", kind, SENTENCE), None);
}

#[test]
fn documents_in_tests_examples_and_vendored_folders_do_not_count() {
    let text = written("Human oversight plan", "human-oversight-plan", SENTENCE);
    check("docs/plan.md", &text, Some("human-oversight-plan"));
    for path in ["tests/plan.md", "vendor/x/plan.md", "examples/plan.md", "dist/plan.md"] {
        let file = SourceFile::new(path, text.as_bytes());
        assert!(!wants(path, file.language, file.zone), "{path}");
    }
}

#[test]
fn the_front_matter_names_the_kind_and_the_draft() {
    let text = "---\ndocType: ai-usage-policy\nstatus: draft\ngenerated_by: engine\n---\n# Notes\n\n## Scope and systems\n\nTBD\n";
    let found = classify(".compliance/documents/p.md", text).unwrap();
    assert_eq!(
        (found.kind.as_str(), found.draft, found.state, found.line),
        ("ai-usage-policy", true, DocumentState::Scaffold, 6)
    );
    let done = classify(".compliance/documents/p.md", &text.replace("draft", "final")).unwrap();
    assert!(!done.draft);
    assert!(!wants(
        ".compliance/reports/p.md",
        engine_model::Language::Markup,
        engine_model::Zone::Product
    ));
}

#[test]
fn a_policy_with_all_sections_is_known_without_its_usual_title() {
    check(
        "docs/rules.md",
        &written("How we work with machines at Brightwater", "ai-usage-policy", SENTENCE),
        Some("ai-usage-policy"),
    );
}

#[test]
fn section_state_reflects_its_content() {
    use SectionState::{Empty, Filled, Missing, Placeholder, Thin};
    let text = "# Human oversight plan\n\n## Built-in and deployer measures\n\n### Before\n\nEach result is shown with its reason, the data it rests on and its limits.\n\n## Understanding limits and anomalies\n\nSome training.\n\n## Guard against automation bias\n\n## Reading the output\n\nTODO\n\n## Override\n\n| Who | How |\n| --- | --- |\n| Recruiter | button in the list |\n\n## Stop procedure\n\n```sh\nkubectl scale deploy/screening --replicas=0\nkubectl delete cronjob screening\n```\n";
    let found = classify("docs/o.md", text).unwrap();
    assert_eq!(
        states(&found),
        [
            ("measures", Filled),
            ("understanding", Thin),
            ("automation_bias", Empty),
            ("interpretation", Placeholder),
            ("override", Filled),
            ("stop", Filled),
            ("persons", Missing)
        ]
    );
    assert_eq!((found.state, found.completeness), (DocumentState::Partial, 42));
    assert_eq!(found.sections[1].line, Some(9));
}

#[test]
fn other_formats_have_the_same_outline() {
    let rst = "Human oversight plan\n====================\n\nOverride\n--------\n\nRecruiters set each result aside in the database and write down the reason why they did.\n\nStop procedure\n--------------\n\nTBD\n";
    let adoc = "= Human oversight plan\n\n== Override\n\nRecruiters set each result aside in the database and write down the reason why they did.\n\n== Stop procedure\n\nTBD\n";
    let html = "<!doctype html><html><head><title>x</title><style>p{}</style></head><body><h1>Human oversight plan</h1>\n<h2>Override</h2><p>Recruiters set each result aside in the database and write down the reason why they did.</p><h2>Stop procedure</h2><p>TBD</p></body></html>";
    let txt = "Human oversight plan\n\n1. Override\n\nRecruiters set each result aside in the database and write down the reason why they did.\n\n2. Stop procedure\n\nTBD\n";
    for (path, text) in [("o.rst", rst), ("o.adoc", adoc), ("o.html", html), ("o.txt", txt)] {
        let found = classify(path, text).unwrap_or_else(|| panic!("{path}"));
        let state = |key: &str| {
            found
                .sections
                .iter()
                .find(|section| section.key == key)
                .map(|section| section.state)
        };
        assert_eq!(
            (found.kind.as_str(), state("override"), state("stop")),
            (
                "human-oversight-plan",
                Some(SectionState::Filled),
                Some(SectionState::Placeholder)
            ),
            "{path}: {found:#?}"
        );
    }
}

#[test]
fn the_work_on_hostile_nesting_grows_with_its_length() {
    for text in [
        ">".repeat(100_000),
        "[".repeat(200_000),
        "- ".repeat(100_000),
        "<".repeat(200_000),
        "*".repeat(200_000),
        "# a\n".repeat(100_000),
        "<!--".repeat(50_000),
        "</script".repeat(50_000),
        "<script>".repeat(50_000),
    ] {
        for path in ["a.md", "a.html", "a.rst", "a.adoc", "a.txt"] {
            let what = format!("{path}: {}", &text[..8]);
            grows_with_length(&what, text.len(), |length| classify(path, &text[..length]));
        }
    }
}

proptest! {
    #[test]
    fn reader_accepts_any_text(text in "\\PC{0,300}", path in prop::sample::select(vec!["a.md", "a.html", "a.rst", "a.adoc", "a.txt"])) {
        let _ = classify(path, &text);
    }

    #[test]
    fn reader_accepts_any_mix_of_markup(parts in prop::collection::vec(prop::sample::select(vec!["# ", "\n", "---\n", "| a | b |\n", "[x", "]", "<td>", "<!--", "-->", "```\n", "ß", "é ", "1. ", "- [ ] ", "|===\n", "====\n", "{{", "}}", "version 2024-01-01 ", "\0", "<h1>", "____"]), 0..80), path in prop::sample::select(vec!["a.md", "a.html", "a.rst", "a.adoc", "a.txt"])) {
        let _ = classify(path, &parts.concat());
    }
}
