//! The command line: its commands, options and help texts.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use engine_model::{Date, Severity};
use tracing::level_filters::LevelFilter;

use crate::{
    answer_command, command, doc_command, eval_command, evidence_command, fix_command, model_command, report_command,
    sync_command, tools_command,
};

/// The exit code for a failed check: findings at or above the severity of `--fail-on`, for example.
pub(crate) const FINDINGS: u8 = 1;

/// The exit code for every error that stopped a command.
pub(crate) const ERROR: u8 = 2;

const EXIT_CODES: &str = concat!(
    "Exit codes:\n",
    "  0    Success.\n",
    "  1    Check failed: gaps or FIX NOW findings at or above --fail-on, a score below --fail-under, or invalid evidence.\n",
    "  2    Error: the command could not run or could not finish.\n",
    "  3    Not assessed: a scan with --fail-on found no gap, but evaluated no obligation. This is not a pass.\n",
    "  130  Evaluation stopped with Ctrl-C; the results so far are printed and stored.",
);

/// The exit code of a scan with `--fail-on` that found no gap but evaluated no obligation.
pub(crate) const NOT_ASSESSED: u8 = 3;

/// The exit code of a command that was stopped with Ctrl-C, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Find gaps and evidence under the EU AI Act in a project. Without a command, start the HTTP API on this machine.
#[derive(Debug, Parser)]
#[command(name = "engine-server", after_help = EXIT_CODES, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArgs,
    /// Print the versions of the engine and of the regulation data
    #[arg(short = 'V', long)]
    version: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the HTTP API on this machine
    Serve(ServeArgs),
    /// Scan a project once and print the result
    #[command(after_help = EXIT_CODES)]
    Scan(ScanArgs),
    /// Answer the open questions about a project, one by one in a terminal or on the command line
    Answer(Box<answer_command::AnswerArgs>),
    /// Show the fixes for the open findings as diffs, and write them with --apply
    Fix(fix_command::FixArgs),
    /// Undo a fix: every changed file gets its bytes and permissions back, or nothing changes
    Undo(fix_command::UndoArgs),
    /// Generate compliance documents with their sources and open questions, or make a draft final
    Doc(doc_command::DocArgs),
    /// Write the report of a project as Markdown, PDF or one HTML page
    Report(Box<report_command::ReportArgs>),
    /// Test a live AI endpoint with probes and print the results
    #[command(after_help = EXIT_CODES)]
    Eval(Box<eval_command::EvalArgs>),
    /// Show or install the external tools of `scan --tier2`
    Tools(tools_command::ToolsArgs),
    /// Record the current gaps as the baseline, so that only new gaps fail the gate
    Baseline(BaselineArgs),
    /// Verify the evidence chain of a project or of an audit package; exit code 1 if verification fails
    #[command(after_help = EXIT_CODES)]
    Verify(VerifyArgs),
    /// Create an audit package that anyone can verify offline with engine-verify
    AuditPackage(AuditPackageArgs),
    /// Store, hold or erase the personal data behind evidence entries
    Retention(RetentionArgs),
    /// Show, trust or replace signing keys
    Key(KeyArgs),
    /// Trust the file `.compliance/.env` of a project, which names language models and their keys
    Trust(model_command::TrustArgs),
    /// Ask about the results of a project with a language model; the answer is AI-generated
    Chat(model_command::ChatArgs),
    /// Send stored results to a dashboard
    Sync(sync_command::SyncArgs),
}

/// The options of `baseline`.
#[derive(Debug, Args)]
pub(crate) struct BaselineArgs {
    /// The project's folder
    pub(crate) path: String,
    /// The reason why the gaps are accepted for now
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// The person who must fix the accepted gaps; the name is saved in the baseline
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
    /// The last day on which the gaps are accepted, such as 2027-12-31; after it, they fail the gate again (default: no
    /// end)
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<Date>,
    /// Check against the obligations that apply on this date, such as 2027-12-02 (default: today)
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<Date>,
    /// Your role under the EU AI Act (default: derived from the code)
    #[arg(long, value_enum)]
    pub(crate) role: Option<RoleArg>,
    /// The risk class of every system, in place of your saved answers (default: derived from the code and your answers)
    #[arg(long, value_enum)]
    pub(crate) risk_class: Option<RiskClassArg>,
}

/// The options of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The port to listen on; 0 selects a free port
    #[arg(long, default_value_t = 3578)]
    pub(crate) port: u16,
    /// The default project: loaded at the start, and used by requests that give no path
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Watch the files of the project and report the effect of each change on GET /events
    #[arg(long, requires = "project")]
    pub(crate) watch: bool,
    /// Write no files, not even the state of a project
    #[arg(long)]
    pub(crate) read_only: bool,
    /// A file that contains a token; every request must send this token as `Authorization: Bearer <token>`
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// The log level on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log: LevelFilter,
}

/// The options of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The project's folder, or an audit package (.tar.gz)
    pub(crate) path: String,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The options of `audit-package`.
#[derive(Debug, Args)]
pub(crate) struct AuditPackageArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    pub(crate) path: String,
    /// The file to write; the same project state always gives the same bytes
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// The options of `retention`.
#[derive(Debug, Args)]
pub(crate) struct RetentionArgs {
    #[command(subcommand)]
    pub(crate) action: RetentionAction,
    /// The project's folder
    #[arg(long = "project", value_name = "DIR", default_value = ".", global = true)]
    pub(crate) folder: String,
}

/// The actions of `retention`.
#[derive(Debug, Subcommand)]
pub(crate) enum RetentionAction {
    /// List the stored personal data; each item is shown by its digest (hash), not by its content
    List {
        /// Show the content of each item too
        #[arg(long)]
        show: bool,
    },
    /// Store standard input as personal data and print its digest (hash)
    Keep {
        /// Keep the data until this date or time in UTC, such as 2027-12-31 or 2027-12-31T18:00:00Z; `retention expire`
        /// then erases it (default: no end)
        #[arg(long, value_name = "DATE")]
        until: Option<String>,
    },
    /// Erase personal data permanently; the evidence chain stays valid
    Erase(DigestArgs),
    /// Erase all data whose retention period is over, except data under legal hold
    Expire {
        /// The reason, without personal names: it stays in the evidence chain permanently
        #[arg(long, default_value = "retention period is over")]
        reason: String,
    },
    /// Put personal data under legal hold, so that it cannot be erased until its release
    Hold(DigestArgs),
    /// Release personal data from legal hold
    Release(DigestArgs),
}

/// The personal data to change, and the reason.
#[derive(Debug, Args)]
pub(crate) struct DigestArgs {
    /// The digests of the data, as printed by `list`
    #[arg(required = true)]
    pub(crate) digests: Vec<String>,
    /// The reason, without personal names: it stays in the evidence chain permanently
    #[arg(long)]
    pub(crate) reason: String,
}

/// The options of `key`.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) action: KeyAction,
}

/// The actions of `key`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyAction {
    /// Show the signing key of this machine and all trusted keys
    Show,
    /// Trust a public key; first confirm with its owner that the key is genuine
    Trust {
        /// The public key: PEM, base64 or hexadecimal digits
        key: String,
        /// A note on who owns the key
        #[arg(long, default_value = "pinned by hand")]
        origin: String,
        /// The project whose evidence chain records the new trust
        #[arg(long, value_name = "DIR")]
        project: Option<String>,
    },
    /// Create a new signing key that replaces the current one
    Rotate {
        /// The project whose evidence chain records the new key
        #[arg(long, value_name = "DIR")]
        project: Option<String>,
        /// The reason for the new key
        #[arg(long, default_value = "renewed")]
        reason: String,
    },
}

/// The options of `scan`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    /// The project's folder
    pub(crate) path: String,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Show all findings and reasons; without this option, the text report has at most 60 lines
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Exit with code 1 if a gap, or a finding under FIX NOW in the report, has at least this severity. Suppressed
    /// findings and findings in the baseline do not count. Exit with code 3 if no obligation was evaluated
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<FailOn>,
    /// Read the accepted gaps from this file; `--fail-on` ignores them (default: `.compliance/baseline.json` of the
    /// project)
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Check against the obligations that apply on this date, such as 2027-12-02 (default: today)
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<Date>,
    /// Your role under the EU AI Act (default: derived from the code)
    #[arg(long, value_enum)]
    pub(crate) role: Option<RoleArg>,
    /// The risk class of every system, in place of your saved answers (default: derived from the code and your answers)
    #[arg(long, value_enum)]
    pub(crate) risk_class: Option<RiskClassArg>,
    /// Write the result to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the result of the same scan in a further format too, such as `sarif=scan.sarif`; repeatable
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = report)]
    pub(crate) reports: Vec<ReportArg>,
    /// Do not store the result in the folder `.compliance` of the project
    #[arg(long)]
    pub(crate) no_state: bool,
    /// Run the external tools too: semgrep, bandit, detect-secrets and modelscan; install them with `engine-server tools
    /// update`
    #[arg(long, conflicts_with = "diff")]
    pub(crate) tier2: bool,
    /// Compare with a git revision such as `origin/main` and print the differences; `--fail-on` then counts new gaps only.
    /// Needs no checkout and stores nothing. Formats: text, markdown, json or sarif
    #[arg(long, value_name = "REF", conflicts_with_all = ["reports", "baseline", "role"])]
    pub(crate) diff: Option<String>,
    /// Have the configured language model look again at findings with a confidence of 50 to 80. Code around them is sent to
    /// it with secrets masked. Its verdicts are AI-generated and change no status
    #[arg(long, conflicts_with_all = ["diff", "no_state", "reports", "baseline"])]
    pub(crate) deep: bool,
    /// The maximum cost of --deep in US dollars
    #[arg(long, value_name = "USD", requires = "deep")]
    pub(crate) max_cost: Option<f64>,
    /// The maximum number of findings for --deep (default: 25)
    #[arg(long, value_name = "NUMBER", requires = "deep")]
    pub(crate) max_findings: Option<u32>,
}

/// The output formats of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal
    Text,
    /// The same as the reply of POST /scan
    Json,
    /// For a web page or a pull request
    Markdown,
    /// Version 2.1.0, for code hosts and editors
    Sarif,
    /// JSON for GitLab merge requests
    CodeQuality,
    /// XML for build servers, with one test case per obligation
    Junit,
}

/// One more file to write from a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReportArg {
    pub(crate) format: Format,
    pub(crate) file: PathBuf,
}

fn report(text: &str) -> Result<ReportArg, String> {
    let formats = || {
        let names: Vec<String> = Format::value_variants()
            .iter()
            .filter_map(|format| format.to_possible_value().map(|value| value.get_name().to_owned()))
            .collect();
        names.join(", ")
    };
    let (format, file) = text
        .split_once('=')
        .filter(|(_, file)| !file.is_empty())
        .ok_or_else(|| "expected FORMAT=FILE, such as sarif=scan.sarif".to_owned())?;
    let format =
        Format::from_str(format, false).map_err(|_| format!("unknown format `{format}`; use one of {}", formats()))?;
    Ok(ReportArg {
        format,
        file: PathBuf::from(file),
    })
}

/// The lowest severity that makes a scan fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Critical,
    High,
    Medium,
    Low,
    Info,
}

impl FailOn {
    pub(crate) const fn severity(self) -> Severity {
        match self {
            Self::Critical => Severity::Critical,
            Self::High => Severity::High,
            Self::Medium => Severity::Medium,
            Self::Low => Severity::Low,
            Self::Info => Severity::Info,
        }
    }
}

/// The role of the user under the EU AI Act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    /// You develop the system or have it developed, and place it on the market or put it into service under your own
    /// name or trademark
    Provider,
    /// You use the system under your authority, and not in a personal non-professional activity
    Deployer,
    /// You are provider and deployer
    Both,
}

/// The risk classes of the EU AI Act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RiskClassArg {
    /// A use or product that Art. 6 classifies as high-risk
    High,
    /// Not high-risk, but with transparency obligations (Art. 50)
    Limited,
    /// Neither high-risk nor subject to Art. 50
    Minimal,
}

/// Runs a command line and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // An error while printing cannot be reported anywhere.
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::from(ERROR)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    if cli.version {
        print(&format!("engine-server {}\n", command::versions()));
        return ExitCode::SUCCESS;
    }
    match cli.command {
        Some(Command::Scan(arguments)) => command::scan(&arguments),
        Some(Command::Answer(arguments)) => answer_command::answer(&arguments),
        Some(Command::Fix(arguments)) => fix_command::fix(&arguments),
        Some(Command::Undo(arguments)) => fix_command::undo(&arguments),
        Some(Command::Doc(arguments)) => doc_command::doc(&arguments),
        Some(Command::Report(arguments)) => report_command::report(&arguments),
        Some(Command::Eval(arguments)) => eval_command::eval(&arguments),
        Some(Command::Tools(arguments)) => tools_command::tools(&arguments),
        Some(Command::Baseline(arguments)) => command::baseline(&arguments),
        Some(Command::Serve(arguments)) => command::serve(arguments),
        Some(Command::Verify(arguments)) => evidence_command::verify(&arguments),
        Some(Command::AuditPackage(arguments)) => evidence_command::audit_package(&arguments),
        Some(Command::Retention(arguments)) => evidence_command::retention(&arguments),
        Some(Command::Key(arguments)) => evidence_command::key(&arguments),
        Some(Command::Trust(arguments)) => model_command::trust(&arguments),
        Some(Command::Chat(arguments)) => model_command::chat(&arguments),
        Some(Command::Sync(arguments)) => sync_command::sync(&arguments),
        None => command::serve(cli.serve),
    }
}

/// Writes to standard output. A closed pipe, as with `head`, is not an error.
pub(crate) fn print(text: &str) -> bool {
    let mut out = io::stdout().lock();
    let text = engine_model::printed_text(text);
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(&format!("could not write to standard output: {error}"));
            false
        }
        _ => true,
    }
}

/// Reports on standard error why a command failed.
pub(crate) fn fail(why: &str) -> ExitCode {
    note(why);
    ExitCode::from(ERROR)
}

/// A line on standard error.
pub(crate) fn note(text: &str) {
    let text = engine_model::outside_text(text);
    let _ = writeln!(io::stderr().lock(), "engine-server: {text}");
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_report_names_its_format_and_its_file() {
        let parsed = |text| Cli::try_parse_from(["engine-server", "scan", ".", "--report", text]);
        let Some(Command::Scan(arguments)) = parsed("code-quality=out/a=b.json").unwrap().command else {
            panic!("a scan");
        };
        assert_eq!(arguments.reports[0].format, Format::CodeQuality);
        assert_eq!(arguments.reports[0].file, PathBuf::from("out/a=b.json"));
        for wrong in ["sarif", "sarif=", "pdf=x.pdf", "=x"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn serving_needs_no_name() {
        let cli = Cli::try_parse_from(["engine-server", "--port", "0", "--read-only"]).unwrap();
        assert!(cli.command.is_none() && cli.serve.port == 0 && cli.serve.read_only);
        let cli = Cli::try_parse_from(["engine-server", "serve", "--port", "1"]).unwrap();
        assert!(matches!(cli.command, Some(Command::Serve(arguments)) if arguments.port == 1));
        assert_eq!(Cli::try_parse_from(["engine-server"]).unwrap().serve.port, 3578);
    }
}
