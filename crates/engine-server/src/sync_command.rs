//! `engine-server sync`: sends the stored results of a project to a dashboard.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use engine::{Engine, Secret, SyncAction, SyncKind, SyncReply, SyncRequest, SyncStatus};
use engine_model::Failure;

use crate::cli::{self, ERROR, FINDINGS, fail};
use crate::command;

/// The environment variable with the token of the dashboard.
const TOKEN_VARIABLE: &str = "ENGINE_SYNC_TOKEN";

/// Bytes that are read of a file with a token.
const TOKEN_BYTES_MAX: u64 = 8192;

/// The options of `sync`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct SyncArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    path: String,
    /// The address of the dashboard: https, or http on this machine
    #[arg(long, value_name = "URL")]
    url: String,
    /// Send only these results; repeatable (default: all)
    #[arg(long, value_enum, value_name = "KIND")]
    only: Vec<KindArg>,
    /// Read the token from this file, or from standard input with `-` (default: the environment variable `ENGINE_SYNC_TOKEN`)
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Check the token and show the last synchronisations; send nothing
    #[arg(long, conflicts_with = "only")]
    status: bool,
    /// The time for each kind of results, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// Print the replies as JSON
    #[arg(long)]
    json: bool,
}

const HELP: &str = concat!(
    "The command sends what is stored: run `scan` first. Secrets, machine paths and lines of code stay here. ",
    "Of the evidence chain only new entries are sent. Each synchronisation is recorded in the chain. ",
    "The token is never an argument, because other users of the machine can read those.\n\n",
    "Exit codes: 0 everything is in the dashboard, 1 the dashboard does not have every item, 2 error.",
);

/// The kinds of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindArg {
    /// The passports of agents
    Passport,
    /// The last scan
    Scan,
    /// The documents
    Documents,
    /// The evidence chain
    Evidence,
}

impl KindArg {
    const fn kind(self) -> SyncKind {
        match self {
            Self::Passport => SyncKind::Passport,
            Self::Scan => SyncKind::Scan,
            Self::Documents => SyncKind::Documents,
            Self::Evidence => SyncKind::Evidence,
        }
    }
}

/// What came of the command.
enum Done {
    Status(SyncStatus),
    Sent(Vec<SyncReply>),
}

/// Sends results.
pub(crate) fn sync(arguments: &SyncArgs) -> ExitCode {
    match try_sync(arguments) {
        Ok(code) => code,
        Err(why) => fail(&why),
    }
}

fn try_sync(arguments: &SyncArgs) -> Result<ExitCode, String> {
    let request = SyncRequest {
        token: Some(token(arguments.token_file.as_deref())?),
        saas_url: Some(arguments.url.clone()),
        path: Some(arguments.path.clone()),
        timeout_ms: Some(arguments.timeout.saturating_mul(1000)),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| format!("could not start threads: {error}; free some memory or raise the process limit"))?;
    // All requests share the connections of one runtime.
    let _entered = runtime.enter();
    let done = if arguments.status {
        command::reading(|engine| engine.sync_status(&request)).map(Done::Status)
    } else {
        command::with_engine(|engine| sent(engine, arguments, &request)).map(Done::Sent)
    }?;
    let text = if arguments.json {
        let text = match &done {
            Done::Status(status) => serde_json::to_string_pretty(status),
            Done::Sent(replies) => serde_json::to_string_pretty(replies),
        };
        text.map_err(|error| format!("could not write the reply as JSON: {error}; leave out `--json`"))? + "\n"
    } else {
        match &done {
            Done::Status(status) => status_text(status),
            Done::Sent(replies) => replies.iter().map(reply_text).collect(),
        }
    };
    if !cli::print(&text) {
        return Ok(ExitCode::from(ERROR));
    }
    let complete = match &done {
        Done::Status(_) => true,
        Done::Sent(replies) => replies.iter().all(|reply| reply.complete),
    };
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

fn sent(engine: &Engine, arguments: &SyncArgs, request: &SyncRequest) -> Result<Vec<SyncReply>, Failure> {
    SyncKind::ALL
        .into_iter()
        .filter(|kind| arguments.only.is_empty() || arguments.only.iter().any(|only| only.kind() == *kind))
        .map(|kind| engine.sync(kind, request))
        .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the token comes from the environment or from a file that the command line names"
)]
fn token(file: Option<&Path>) -> Result<Secret, String> {
    let text = match file {
        None => std::env::var(TOKEN_VARIABLE).ok().filter(|text| !text.trim().is_empty()).ok_or_else(|| {
            format!("the token of the dashboard is missing; set {TOKEN_VARIABLE}, or name a file with `--token-file FILE` (`-` for standard input)")
        })?,
        Some(path) if path == Path::new("-") => {
            limited(std::io::stdin().lock()).map_err(|error| format!("could not read the token from standard input: {error}"))?
        }
        Some(path) => {
            let shown = engine_model::quoted(&path.display().to_string());
            let wrong = |error: std::io::Error| {
                format!("could not read the token file `{shown}`: {error}; check its path and permissions")
            };
            let file = fs::File::open(path).map_err(wrong)?;
            command::refuse_readable_by_others(&file, &shown)?;
            limited(file).map_err(wrong)?
        }
    };
    Ok(Secret::new(text.trim()))
}

fn limited(from: impl Read) -> std::io::Result<String> {
    let mut text = String::new();
    from.take(TOKEN_BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}

fn reply_text(reply: &SyncReply) -> String {
    let mut text = format!(
        "{}: {} in the dashboard (new {}, updated {}, unchanged {}), conflicts {}, failed {}\n",
        reply.kind.name(),
        reply.synced,
        reply.created,
        reply.updated,
        reply.unchanged,
        reply.conflicts,
        reply.failed,
    );
    if let Some(chain) = &reply.evidence {
        let _ = writeln!(text, "  {} of {} entries are in the dashboard", chain.held, chain.total);
    }
    for item in &reply.results {
        let what = match item.action {
            SyncAction::Created | SyncAction::Updated | SyncAction::Unchanged => continue,
            SyncAction::Conflict => "conflict",
            SyncAction::Rejected => "rejected",
            SyncAction::Withheld => "withheld",
            SyncAction::Failed => "failed",
        };
        let _ = writeln!(
            text,
            "  {}: {what}: {}",
            item.name,
            item.error.as_deref().unwrap_or("no reason given")
        );
    }
    for line in reply.error.iter().chain(&reply.warnings) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

fn status_text(status: &SyncStatus) -> String {
    let mut text = format!("the dashboard {} accepts the token", status.dashboard);
    if let Some(account) = &status.account {
        let _ = write!(text, " ({account})");
    }
    text.push('\n');
    for last in status.last.iter().flatten() {
        let state = if last.complete { "complete" } else { "not complete" };
        let _ = writeln!(text, "{}: {}, {state}, to {}", last.kind, last.at, last.dashboard);
    }
    text
}
