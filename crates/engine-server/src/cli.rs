//! The command line: what may be said, and what it leads to.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use engine_model::{Date, Severity};
use tracing::level_filters::LevelFilter;

use crate::{answer_command, command, eval_command, evidence_command};

/// The exit code for findings at or over the severity of `--fail-on`.
pub(crate) const FINDINGS: u8 = 1;

/// The exit code for everything that kept a command from doing its work.
pub(crate) const ERROR: u8 = 2;

const EXIT_CODES: &str = "Exit codes: 0 done, 1 findings at or over --fail-on, a score below --fail-under or evidence that does not hold, 2 the command could not do its work, 130 an evaluation was stopped by Ctrl-C; what came of it by then is written and kept.";

/// The exit code of a command that a person stopped, as shells tell it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Indicators, evidence and gaps of a project under the EU AI Act. Without a command it serves the HTTP interface on this
/// machine.
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
    /// Serve the HTTP interface on this machine
    Serve(ServeArgs),
    /// Scan a project once and print the result
    #[command(after_help = EXIT_CODES)]
    Scan(ScanArgs),
    /// Answer what only people can state about a project: one question at a time, or from the command line
    Answer(Box<answer_command::AnswerArgs>),
    /// Send probes to a live AI endpoint and print what came of it
    #[command(after_help = EXIT_CODES)]
    Eval(Box<eval_command::EvalArgs>),
    /// Write the gaps of a project into its baseline: known from now on, and no reason for a gate to fail
    Baseline(BaselineArgs),
    /// Verify the evidence chain of a project, or an audit package: exit code 1 when it cannot be relied on
    #[command(after_help = EXIT_CODES)]
    Verify(VerifyArgs),
    /// Pack the evidence of a project so that a stranger can check it offline with engine-verify
    AuditPackage(AuditPackageArgs),
    /// Keep, hold or erase personal data that entries of the chain name by digest
    Retention(RetentionArgs),
    /// Show, trust or replace signing keys
    Key(KeyArgs),
}

/// How a baseline is drawn.
#[derive(Debug, Args)]
pub(crate) struct BaselineArgs {
    /// The project's folder
    pub(crate) path: String,
    /// Why the gaps are left for later
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Who answers for them
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
    /// The last day on which the baseline excuses them
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<Date>,
    /// The date for which the law is evaluated; today if absent
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<Date>,
    /// The role of the operator; drawn from the code if absent
    #[arg(long, value_enum)]
    pub(crate) role: Option<RoleArg>,
    /// The class of risk of the systems, as you state it; drawn from the code, with questions, if absent
    #[arg(long, value_enum)]
    pub(crate) risk_class: Option<RiskClassArg>,
}

/// How the daemon is started.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The port on this machine; 0 picks a free one
    #[arg(long, default_value_t = 3578)]
    pub(crate) port: u16,
    /// The project to begin with; requests that name no path are about it
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Watch the files of the project and announce on GET /events what their changes do
    #[arg(long, requires = "project")]
    pub(crate) watch: bool,
    /// Write nothing, not even the state of a project
    #[arg(long)]
    pub(crate) read_only: bool,
    /// A file with a token that every request must show as `Authorization: Bearer`
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// What is told on standard error
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log: LevelFilter,
}

/// How a chain is verified.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The project's folder, or an audit package (.tar.gz)
    pub(crate) path: String,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How a package is made.
#[derive(Debug, Args)]
pub(crate) struct AuditPackageArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    pub(crate) path: String,
    /// The file to write; the same state gives the same bytes
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// What is done with personal data.
#[derive(Debug, Args)]
pub(crate) struct RetentionArgs {
    #[command(subcommand)]
    pub(crate) action: RetentionAction,
    /// The project's folder
    #[arg(long = "project", value_name = "DIR", default_value = ".", global = true)]
    pub(crate) folder: String,
}

/// One thing that is done with personal data.
#[derive(Debug, Subcommand)]
pub(crate) enum RetentionAction {
    /// List what is kept, by digest
    List {
        /// Show the data itself as well
        #[arg(long)]
        show: bool,
    },
    /// Keep what stands on standard input, and print the digest that stands for it
    Keep {
        /// Until when it is to be kept: a date or a time
        #[arg(long, value_name = "DATE")]
        until: Option<String>,
    },
    /// Erase personal data for good; the chain stays valid
    Erase(DigestArgs),
    /// Erase everything whose time is over and that nothing holds
    Expire {
        /// Why; it stays in the chain for good, so it names nobody
        #[arg(long, default_value = "the time for which it was kept is over")]
        reason: String,
    },
    /// Put personal data under a legal hold: it cannot be erased until it is released
    Hold(DigestArgs),
    /// Take personal data out of a legal hold
    Release(DigestArgs),
}

/// Which personal data, and why.
#[derive(Debug, Args)]
pub(crate) struct DigestArgs {
    /// Digests, as `list` prints them
    #[arg(required = true)]
    pub(crate) digests: Vec<String>,
    /// Why; it stays in the chain for good, so it names nobody
    #[arg(long)]
    pub(crate) reason: String,
}

/// What is done with keys.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) action: KeyAction,
}

/// One thing that is done with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyAction {
    /// Show the key that signs here and the keys that are trusted
    Show,
    /// Trust a key that you compared with its owner
    Trust {
        /// The public key: PEM, base64 or hexadecimal digits
        key: String,
        /// Whose it is, for who reads the list later
        #[arg(long, default_value = "pinned by hand")]
        origin: String,
        /// The project whose chain records it, for those who know the key of this machine
        #[arg(long, value_name = "DIR")]
        project: Option<String>,
    },
    /// Make a new signing key that takes over from the present one
    Rotate {
        /// The project whose chain records it
        #[arg(long, value_name = "DIR")]
        project: Option<String>,
        /// Why
        #[arg(long, default_value = "renewed")]
        reason: String,
    },
}

/// How a project is scanned once.
#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    /// The project's folder
    pub(crate) path: String,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Exit with 1 when there is a gap of this severity or above that is neither suppressed nor in the baseline
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<FailOn>,
    /// The baseline to use instead of the project's own, `.compliance/baseline.json`
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// The date for which the law is evaluated, such as 2027-12-02; today if absent
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<Date>,
    /// The role of the operator; drawn from the code if absent
    #[arg(long, value_enum)]
    pub(crate) role: Option<RoleArg>,
    /// The class of risk of the systems, as you state it; drawn from the code, with questions, if absent
    #[arg(long, value_enum)]
    pub(crate) risk_class: Option<RiskClassArg>,
    /// Write the result into a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the result in another format as well, from the same scan, such as `sarif=scan.sarif`; may be repeated
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = report)]
    pub(crate) reports: Vec<ReportArg>,
    /// Do not keep the result in the project's folder `.compliance`
    #[arg(long)]
    pub(crate) no_state: bool,
    /// Compare with a git revision such as `origin/main`, read from git objects without a checkout, and print what is new
    /// (text, markdown or json); with `--fail-on` only a new gap counts. Nothing is kept
    #[arg(long, value_name = "REF", conflicts_with_all = ["reports", "baseline", "role"])]
    pub(crate) diff: Option<String>,
}

/// A way to write a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a person at a terminal
    Text,
    /// The reply of POST /scan
    Json,
    /// For a page or a pull request
    Markdown,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// Code Quality JSON, for merge requests on GitLab
    CodeQuality,
    /// `JUnit` XML, for build servers: one test case per obligation
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
        .ok_or_else(|| "write it as FORMAT=FILE, such as sarif=scan.sarif".to_owned())?;
    let format =
        Format::from_str(format, false).map_err(|_| format!("`{format}` is no format; there are {}", formats()))?;
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

/// The role of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    /// Develops the system, or has it developed
    Provider,
    /// Uses the system
    Deployer,
    /// Both
    Both,
}

/// The class of risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RiskClassArg {
    /// A high-risk system (Art. 6)
    High,
    /// Duties of transparency only (Art. 50)
    Limited,
    /// None of these
    Minimal,
}

/// Runs a command line and says how the process ends.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Nothing can be told to who does not listen.
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
        Some(Command::Eval(arguments)) => eval_command::eval(&arguments),
        Some(Command::Baseline(arguments)) => command::baseline(&arguments),
        Some(Command::Serve(arguments)) => command::serve(arguments),
        Some(Command::Verify(arguments)) => evidence_command::verify(&arguments),
        Some(Command::AuditPackage(arguments)) => evidence_command::audit_package(&arguments),
        Some(Command::Retention(arguments)) => evidence_command::retention(&arguments),
        Some(Command::Key(arguments)) => evidence_command::key(&arguments),
        None => command::serve(cli.serve),
    }
}

/// Writes to standard output. A reader that has seen enough and left, like `head`, is no error.
pub(crate) fn print(text: &str) -> bool {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(&format!("cannot write to standard output: {error}"));
            false
        }
        _ => true,
    }
}

/// Says on standard error why a command could not do its work.
pub(crate) fn fail(why: &str) -> ExitCode {
    note(why);
    ExitCode::from(ERROR)
}

/// A line on standard error.
pub(crate) fn note(text: &str) {
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
