//! `engine-server doc`: generates the documents of a system that are due, and makes a draft final.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use engine::{DocAllReply, DocAllRequest, DocReply, DocRequest, Finalisation, Language, PolicyRequest};

use crate::cli::{self, fail};
use crate::command;
use crate::report_command::language;

/// Open questions that the text output names; further ones are counted.
const QUESTIONS_SHOWN: usize = 10;

/// The options of `doc`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct DocArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    path: String,
    /// Generate or update the document of this type, such as `fria`
    #[arg(long = "type", value_name = "ID")]
    kind: Option<String>,
    /// Generate or update every document that is due
    #[arg(long, conflicts_with = "kind")]
    all: bool,
    /// The agent or system (default: the only one; with --all every one)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The organisation that makes the document
    #[arg(long, value_name = "NAME")]
    organization: Option<String>,
    /// The industry of an `ai-usage-policy`, such as `hr`
    #[arg(long, value_name = "ID", requires = "kind")]
    industry: Option<String>,
    /// The language of headings and fixed labels: en, de or fr (default: that of the existing document, else en)
    #[arg(long, value_name = "CODE", value_parser = language)]
    language: Option<Language>,
    /// Make the draft of `--type` final, today, in the name of this person; every required question must be answered
    #[arg(long, value_name = "NAME", requires = "kind", conflicts_with = "industry")]
    finalise: Option<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

const HELP: &str = concat!(
    "Documents are Markdown files in `.compliance/documents/`. Quotations in them come from the engine and name their source. Replace each ",
    "mark `[To answer: …]` with your answer. Generating a document again keeps your text.\n\n",
    "Exit codes: 0 success, 1 a document could not be generated, 2 error.",
);

/// Generates documents or makes one final.
pub(crate) fn doc(arguments: &DocArgs) -> ExitCode {
    let outcome = match (&arguments.kind, arguments.all) {
        (Some(kind), _) => one(arguments, kind),
        (None, true) => all(arguments),
        (None, false) => Ok(printed(&kinds())),
    };
    outcome.unwrap_or_else(|why| fail(&why))
}

/// Every type of document, for a person who has not named one.
fn kinds() -> String {
    let mut text = "`--all` generates every document that is due, `--type ID` one of these:\n".to_owned();
    let kinds = engine::document_kinds();
    let width = kinds.iter().map(|kind| kind.id().len()).max().unwrap_or_default();
    for kind in kinds {
        let _ = writeln!(text, "  {:width$}  {}", kind.id(), kind.title());
    }
    text
}

fn one(arguments: &DocArgs, kind: &str) -> Result<ExitCode, String> {
    let reply = if let Some(industry) = &arguments.industry {
        if kind != "ai-usage-policy" {
            return Err("`--industry` is for `--type ai-usage-policy`".to_owned());
        }
        let request = PolicyRequest {
            path: Some(arguments.path.clone()),
            name: arguments.name.clone(),
            language: arguments.language,
            industry: Some(read_industry(industry)?),
            organization: arguments.organization.clone(),
            approver: None,
        };
        command::with_engine(|engine| engine.usage_policy(&request))?
    } else {
        let request = DocRequest {
            path: Some(arguments.path.clone()),
            name: arguments.name.clone(),
            language: arguments.language,
            doc_type: kind.to_owned(),
            organization: arguments.organization.clone(),
            finalise: arguments.finalise.as_ref().map(|name| Finalisation {
                name: name.clone(),
                date: today(),
            }),
        };
        command::with_engine(|engine| engine.doc(&request))?
    };
    if arguments.json {
        return json(serde_json::to_string_pretty(&reply));
    }
    let mut text = String::new();
    document(&mut text, &reply);
    let open = &reply.manual_fields;
    for question in open.iter().take(QUESTIONS_SHOWN) {
        let _ = writeln!(text, "  Open: {}", plain(question));
    }
    if open.len() > QUESTIONS_SHOWN {
        let _ = writeln!(text, "  and {} more open questions", open.len() - QUESTIONS_SHOWN);
    }
    Ok(printed(&text))
}

fn all(arguments: &DocArgs) -> Result<ExitCode, String> {
    let request = DocAllRequest {
        path: Some(arguments.path.clone()),
        name: arguments.name.clone(),
        language: arguments.language,
        organization: arguments.organization.clone(),
    };
    let reply = command::with_engine(|engine| engine.all_docs(&request))?;
    let code = if reply.errors.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(cli::FINDINGS)
    };
    if arguments.json {
        return json(serde_json::to_string_pretty(&reply)).map(|_| code);
    }
    Ok(if printed(&summary(&reply)) == ExitCode::SUCCESS {
        code
    } else {
        ExitCode::from(cli::ERROR)
    })
}

fn summary(reply: &DocAllReply) -> String {
    let mut text = String::new();
    for one in &reply.generated {
        document(&mut text, one);
    }
    for one in &reply.kept {
        let _ = writeln!(text, "{}: kept. {}", one.saved_path, plain(&one.error));
    }
    for one in &reply.errors {
        let _ = writeln!(text, "{}: not generated. {}", one.saved_path, plain(&one.error));
    }
    if !reply.not_applicable.is_empty() {
        text.push_str("\nNot due:\n");
        for one in &reply.not_applicable {
            let _ = writeln!(
                text,
                "  {} ({}): {}",
                one.doc_type,
                plain(&one.system),
                plain(&one.reason)
            );
        }
    }
    let _ = writeln!(
        text,
        "\n{} generated, {} final, {} failed, {} not due.",
        reply.generated.len(),
        reply.kept.len(),
        reply.errors.len(),
        reply.not_applicable.len()
    );
    text
}

/// One document: its file, its state, and what to know about it.
fn document(text: &mut String, reply: &DocReply) {
    let state = if reply.changed { "written" } else { "unchanged" };
    let _ = writeln!(
        text,
        "{}: {state}, {}, {} % answered, {} open {}",
        reply.saved_path,
        reply.status,
        reply.completeness,
        reply.manual_fields.len(),
        if reply.manual_fields.len() == 1 {
            "question"
        } else {
            "questions"
        }
    );
    for note in &reply.notes {
        let _ = writeln!(text, "  Note: {}", plain(note));
    }
}

/// A text without control characters, which never reach the terminal.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

#[expect(clippy::disallowed_methods, reason = "time enters the engine here, at its edge")]
fn today() -> engine_model::Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn read_industry(name: &str) -> Result<engine::Industry, String> {
    engine::Industry::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = engine::Industry::ALL.iter().map(|one| one.name()).collect();
        format!(
            "no industry is named `{}`; choose one of {}",
            plain(name),
            known.join(", ")
        )
    })
}

fn json(text: serde_json::Result<String>) -> Result<ExitCode, String> {
    text.map(|text| printed(&(text + "\n")))
        .map_err(|error| format!("could not write the reply as JSON: {error}; use the text format"))
}

fn printed(text: &str) -> ExitCode {
    if cli::print(text) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(cli::ERROR)
    }
}
