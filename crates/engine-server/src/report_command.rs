//! `engine-server report`: scans a project and writes the report of the result.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use engine::{Engine, Language, ReportRequest, ScanRequest};
use engine_model::Failure;

use crate::cli::{self, ERROR, fail};
use crate::command;

/// The options of `report`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ReportArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    path: String,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = ReportFormatArg::Markdown)]
    format: ReportFormatArg,
    /// The file to write; without it, Markdown and HTML go to standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The name of the organisation, for the cover
    #[arg(long, value_name = "NAME")]
    organization: Option<String>,
    /// The code of a country, such as `DE`; the report then names its authorities
    #[arg(long, value_name = "CODE")]
    jurisdiction: Option<String>,
    /// The language of headings and fixed sentences: en, de or fr
    #[arg(long, value_name = "CODE", default_value = "en", value_parser = language)]
    language: Language,
    /// The short edition: without code, passports and the list of questions
    #[arg(long)]
    short: bool,
}

const HELP: &str = concat!(
    "The command scans the project first. The report is self-assessed, a draft, and not legal advice. ",
    "It is recorded in the evidence chain of the project.\n\n",
    "Exit codes: 0 success, 2 error.",
);

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormatArg {
    /// GitHub-flavoured Markdown
    Markdown,
    /// Tagged PDF; needs `--out`
    Pdf,
    /// One self-contained page
    Html,
}

pub(crate) fn language(text: &str) -> Result<Language, String> {
    Language::of(text).ok_or_else(|| "use one of en, de, fr".to_owned())
}

/// Writes a report.
pub(crate) fn report(arguments: &ReportArgs) -> ExitCode {
    if arguments.format == ReportFormatArg::Pdf && arguments.out.is_none() {
        return fail("a PDF cannot be printed to a terminal; name a file with `--out FILE`");
    }
    let bytes = match command::with_engine(|engine| made(engine, arguments)) {
        Ok(bytes) => bytes,
        Err(why) => return fail(&why),
    };
    match &arguments.out {
        Some(path) => match write(path, &bytes) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => fail(&why),
        },
        None if cli::print(&String::from_utf8_lossy(&bytes)) => ExitCode::SUCCESS,
        None => ExitCode::from(ERROR),
    }
}

fn made(engine: &Engine, arguments: &ReportArgs) -> Result<Vec<u8>, Failure> {
    let request = ReportRequest {
        path: Some(arguments.path.clone()),
        organization: arguments.organization.clone(),
        jurisdiction: arguments.jurisdiction.clone(),
        language: Some(arguments.language),
        is_free: Some(arguments.short),
        output_path: None,
    };
    engine.scan(&ScanRequest::of(&arguments.path))?;
    match arguments.format {
        ReportFormatArg::Markdown => engine
            .report_markdown(&request)
            .map(|reply| reply.markdown.into_bytes()),
        ReportFormatArg::Pdf => engine.report_pdf(&request).map(|file| file.bytes),
        ReportFormatArg::Html => engine.report_html(&request).map(|file| file.bytes),
    }
}

#[expect(clippy::disallowed_methods, reason = "the file is given on the command line")]
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| {
        format!(
            "could not write `{}`: {error}; choose another file with --out",
            path.display()
        )
    })
}
