//! The commands that use a language model or say which settings may be used: `trust`, `chat` and `scan --deep`.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use engine::{ChatEvent, ChatRequest, DeepReport, DeepScanRequest, Environment, ScanHooks, SettingsFile};
use engine_model::Finding;
use engine_report::TextOptions;

use crate::cli::{self, ERROR, FINDINGS, Format, ScanArgs, fail, note};
use crate::command;

/// The options of `trust`.
#[derive(Debug, Args)]
#[command(after_help = TRUST_HELP)]
pub(crate) struct TrustArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    path: String,
    /// Show the file and whether it is used; trust nothing
    #[arg(long)]
    show: bool,
    /// Forget that the file was trusted
    #[arg(long, conflicts_with = "show")]
    forget: bool,
}

const TRUST_HELP: &str = concat!(
    "`.compliance/.env` names language models and their keys. A file that git tracks may have come with a clone and could send texts of the ",
    "project to somebody else, so it is ignored until you trust it. The trust belongs to the content: a changed file needs it again.",
);

/// The options of `chat`.
#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// The question
    question: String,
    /// The project's folder
    #[arg(long = "project", value_name = "DIR", default_value = ".")]
    path: String,
    /// The model (default: the one of the settings)
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Print the events as JSON, one on each line
    #[arg(long)]
    json: bool,
}

/// The settings of the environment that choose models and keys.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment is read here, at the edge, and passed in"
)]
pub(crate) fn environment() -> Environment {
    Environment::of(|name| std::env::var(name).ok())
}

/// Trusts the settings of a project, shows them or forgets the trust.
pub(crate) fn trust(arguments: &TrustArgs) -> ExitCode {
    let path = &arguments.path;
    let done = if arguments.forget {
        command::reading(|engine| engine.distrust_settings(path)).map(|known| {
            if known {
                "The file is no longer trusted.\n".to_owned()
            } else {
                "The file was not trusted.\n".to_owned()
            }
        })
    } else if arguments.show {
        command::reading(|engine| engine.settings_file(path)).map(|file| match file {
            None => "The project has no file `.compliance/.env`.\n".to_owned(),
            Some(file) => told(&file),
        })
    } else {
        command::reading(|engine| engine.trust_settings(path)).map(|file| told(&file))
    };
    match done {
        Ok(text) if cli::print(&text) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(ERROR),
        Err(why) => fail(&why),
    }
}

/// A file of settings in words; values are never shown.
fn told(file: &SettingsFile) -> String {
    let list = |items: &[String]| {
        if items.is_empty() {
            "none".to_owned()
        } else {
            items.join(", ")
        }
    };
    let state = match (file.trusted, file.needs_trust) {
        (true, _) => "trusted; it is used",
        (false, false) => "used; it needs no trust",
        (false, true) => "not trusted; `engine-server trust` without `--show` trusts it",
    };
    format!(
        "File:      {}\nDigest:    {}\nSettings:  {}\nAddresses: {}\nState:     {state}\n",
        file.path.display(),
        file.digest,
        list(&file.names),
        list(&file.addresses),
    )
}

/// Answers a question about the results of a project.
pub(crate) fn chat(arguments: &ChatArgs) -> ExitCode {
    match try_chat(arguments) {
        Ok(code) => code,
        Err(why) => fail(&why),
    }
}

fn try_chat(arguments: &ChatArgs) -> Result<ExitCode, String> {
    let engine = Arc::new(command::reading_engine()?);
    let request = ChatRequest {
        message: arguments.question.clone(),
        model: arguments.model.clone(),
        provider: None,
        api_key: None,
        path: Some(arguments.path.clone()),
        history: None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| format!("could not start threads: {error}"))?;
    let code = runtime.block_on(async {
        let mut run = engine.start_chat(request).await.map_err(|failure| failure.details)?;
        let mut code = ExitCode::from(ERROR);
        while let Some(event) = run.next().await {
            if arguments.json {
                let line = serde_json::to_string(&event).map_err(|error| error.to_string())?;
                if !cli::print(&(line + "\n")) {
                    break;
                }
            }
            match event {
                ChatEvent::Token { text, .. } if !arguments.json && !cli::print(&text) => break,
                ChatEvent::Error { message, .. } => {
                    note(&message);
                    return Ok(ExitCode::from(ERROR));
                }
                ChatEvent::Done(done) => {
                    for warning in &done.warnings {
                        note(&format!("{warning}."));
                    }
                    code = ExitCode::SUCCESS;
                }
                _ => {}
            }
        }
        Ok(code)
    });
    engine.stop();
    runtime.shutdown_background();
    code
}

/// Scans a project and has a language model look again at uncertain findings.
pub(crate) fn deep(arguments: &ScanArgs) -> ExitCode {
    match try_deep(arguments) {
        Ok(code) => code,
        Err(why) => fail(&why),
    }
}

fn try_deep(arguments: &ScanArgs) -> Result<ExitCode, String> {
    if !matches!(arguments.format, Format::Text | Format::Json) || arguments.output.is_some() {
        return Err(
            "`--deep` prints the formats text and json on standard output; scan without it for files and other formats"
                .to_owned(),
        );
    }
    let request = DeepScanRequest {
        as_of: arguments.as_of,
        role: arguments.role.map(command::role),
        risk_class: arguments.risk_class.map(command::risk_class),
        max_cost: arguments.max_cost,
        max_findings: arguments.max_findings,
        ..DeepScanRequest::of(&arguments.path)
    };
    let reply = command::with_engine(|engine| engine.scan_deep(&request, &ScanHooks::default()))?;
    for warning in &reply.scan.warnings {
        note(&format!("{warning}."));
    }
    let text = if arguments.format == Format::Json {
        serde_json::to_string_pretty(&reply).map_err(|error| error.to_string())? + "\n"
    } else {
        let terminal = io::stdout().is_terminal();
        let options = TextOptions {
            colour: terminal && !command::no_colour(),
            width: if terminal {
                command::terminal_width()
            } else {
                command::WIDTH_DEFAULT
            },
            verbose: arguments.verbose,
            path_prefix: (arguments.path != ".").then(|| arguments.path.clone()),
        };
        engine_report::text(&reply.scan, &options) + &report(&reply.deep, &reply.scan.findings)
    };
    if !cli::print(&text) {
        return Ok(ExitCode::from(ERROR));
    }
    let failed = arguments
        .fail_on
        .is_some_and(|least| engine::fails(&reply.scan, least.severity()));
    Ok(if failed {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    })
}

/// The verdicts in words.
fn report(deep: &DeepReport, findings: &[Finding]) -> String {
    let mut out = format!(
        "\nDEEP ANALYSIS (AI-generated by {}; it changes no status)\n{} of {} uncertain findings have a verdict.",
        deep.model, deep.analysed, deep.candidates
    );
    if let Some(cost) = deep.cost {
        let _ = write!(out, " Cost: {cost:.4} USD.");
    }
    out.push('\n');
    for verdict in &deep.verdicts {
        let place = findings
            .iter()
            .find(|finding| finding.id == verdict.finding_id)
            .map(|finding| {
                let file = finding.file.as_deref().unwrap_or_default();
                format!("{} ({file}:{})", finding.title, finding.line.unwrap_or_default())
            });
        let _ = writeln!(
            out,
            "  {:<9} {}: {}",
            format!("{:?}", verdict.verdict).to_lowercase(),
            place.unwrap_or_else(|| verdict.finding_id.clone()),
            verdict.reasoning
        );
    }
    for failure in &deep.failures {
        let _ = writeln!(out, "  no verdict on {}: {}", failure.finding_id, failure.message);
    }
    out
}
