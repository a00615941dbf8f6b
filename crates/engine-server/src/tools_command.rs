//! `engine-server tools`: shows or installs the external tools of `scan --tier2`.

use std::ffi::OsString;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Args, Subcommand};
use engine::{NETWORK_VARIABLES, ScanHooks, ToolPlace, ToolsReply, ToolsUpdateRequest, UpdateResult};
use engine_model::{ScanResult, ToolRecord, ToolRunStatus};

use crate::cli::{self, FINDINGS, fail, note};
use crate::command;

/// The variable with the path of the package runner.
const RUNNER_VARIABLE: &str = "UV";

/// The variable with the longest time of one tool, in seconds.
const SECONDS_VARIABLE: &str = "ENGINE_TOOL_SECONDS";

/// The options of `tools`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    action: Option<ToolsAction>,
    /// Print the reply as JSON
    #[arg(long, global = true)]
    json: bool,
}

const HELP: &str = concat!(
    "The tools are semgrep, bandit, detect-secrets and modelscan. They are installed with the package runner uv, ",
    "in pinned versions and with a check of every file, in the user's data directory. ",
    "Set UV to use a certain uv, and ENGINE_TOOL_SECONDS for a shorter time limit of each tool.\n\n",
    "Exit codes: 0 success, 1 a tool could not be installed, 2 error.",
);

/// The actions of `tools`.
#[derive(Debug, Subcommand)]
enum ToolsAction {
    /// Show which tools are installed; installs nothing and opens no connection (the default)
    Status,
    /// Install the pinned version of each tool that is not there; downloads packages
    Update {
        /// Install only these tools
        tools: Vec<String>,
        /// Install a tool again that is there already
        #[arg(long)]
        force: bool,
    },
}

/// Where the package runner and the tools are, from the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment is read here, at the edge, and passed in"
)]
pub(crate) fn place(data_dir: Option<std::path::PathBuf>) -> Result<ToolPlace, String> {
    let network = NETWORK_VARIABLES.iter().filter_map(|name| {
        let value = std::env::var_os(name)?;
        Some((OsString::from(name), value))
    });
    let seconds = std::env::var(SECONDS_VARIABLE).unwrap_or_default();
    let time_max = if seconds.is_empty() {
        None
    } else {
        let parsed = seconds.parse::<u64>().ok().filter(|seconds| *seconds > 0);
        let parsed =
            parsed.ok_or_else(|| format!("{SECONDS_VARIABLE} is not a number of seconds; correct or unset it"))?;
        Some(Duration::from_secs(parsed))
    };
    Ok(ToolPlace {
        data_dir,
        runner: std::env::var_os(RUNNER_VARIABLE),
        search: std::env::var_os("PATH"),
        network: network.collect(),
        time_max,
    })
}

/// Runs the command.
pub(crate) fn tools(arguments: &ToolsArgs) -> ExitCode {
    let done = match &arguments.action {
        None | Some(ToolsAction::Status) => command::reading(|engine| Ok(engine.tools_status())),
        Some(ToolsAction::Update { tools, force }) => {
            let request = ToolsUpdateRequest {
                tools: (!tools.is_empty()).then(|| tools.clone()),
                force: Some(*force),
            };
            let stop = interrupted();
            command::with_engine(|engine| engine.update_tools(&request, &|| stop.load(Ordering::Relaxed)))
        }
    };
    let reply = match done {
        Ok(reply) => reply,
        Err(why) => return fail(&why),
    };
    let text = if arguments.json {
        match serde_json::to_string_pretty(&reply) {
            Ok(text) => text + "\n",
            Err(error) => return fail(&error.to_string()),
        }
    } else {
        text(&reply)
    };
    if !cli::print(&text) {
        return ExitCode::from(cli::ERROR);
    }
    if reply.tools.iter().any(|tool| tool.update == Some(UpdateResult::Failed)) {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    }
}

fn text(reply: &ToolsReply) -> String {
    let mut out = match (&reply.uv_version, &reply.uv_path) {
        (Some(version), Some(path)) => format!("uv {version} ({path})\n"),
        _ => format!("uv: {}\n", reply.uv_error.as_deref().unwrap_or("not found")),
    };
    for tool in &reply.tools {
        let state = match tool.update {
            Some(UpdateResult::Installed) => "installed now",
            Some(UpdateResult::Unchanged) => "unchanged",
            Some(UpdateResult::Failed) => "could not be installed",
            None if tool.installed => "installed",
            None => "not installed",
        };
        let _ = writeln!(out, "{:<15} {:<10} {state}", tool.name, tool.expected_version);
        if let Some(error) = &tool.error {
            let _ = writeln!(out, "{:<15} {error}", "");
        }
    }
    out
}

/// Set when the user presses Ctrl-C: a tool runs in a group of its own and must be ended by this process.
pub(crate) fn interrupted() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(async {
                if let Ok(stop) = command::stop_signal() {
                    stop.await;
                    set.store(true, Ordering::Relaxed);
                }
            });
        }
    });
    flag
}

/// Scans with the external tools. Ctrl-C ends them.
pub(crate) fn scan(
    engine: &engine::Engine,
    request: &engine::ScanRequest,
    hooks: &ScanHooks<'_>,
) -> Result<ScanResult, engine_model::Failure> {
    let stop = interrupted();
    engine.scan_tier2_with(
        request,
        &ScanHooks {
            cancel: &|| stop.load(Ordering::Relaxed) || (hooks.cancel)(),
            progress: hooks.progress,
            baseline: hooks.baseline,
            external: None,
        },
    )
}

/// Says on standard error what became of each tool.
pub(crate) fn report(result: &ScanResult) {
    for tool in &result.tools {
        note(&line(tool));
    }
}

/// Whether a tool did not do its work, so that the result must not count as clean.
pub(crate) fn is_incomplete(result: &ScanResult) -> bool {
    result.tools.iter().any(|tool| tool.status != ToolRunStatus::Ran)
}

fn line(tool: &ToolRecord) -> String {
    let status = match tool.status {
        ToolRunStatus::Ran => format!(
            "{} findings in {} files, {} of them known from another source",
            tool.findings, tool.files, tool.duplicates
        ),
        ToolRunStatus::Missing => "missing".to_owned(),
        ToolRunStatus::Failed => "failed".to_owned(),
        ToolRunStatus::TimedOut => "timed out".to_owned(),
    };
    let error = tool
        .error
        .as_ref()
        .map_or_else(String::new, |error| format!("; {error}"));
    format!("{} {}: {status}{error}", tool.name, tool.version)
}
