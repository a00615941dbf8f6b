//! The commands: the daemon, and one scan.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use engine::{
    BaselineFile, BaselineRequest, Clock, Compared, Engine, Options, Progress, ScanDiffRequest, ScanHooks, ScanRequest,
    Signing,
};
use engine_model::{ErrorCode, Failure, ScanResult, SuppressionStatus};
use engine_report::TextOptions;

use crate::cli::{self, BaselineArgs, FINDINGS, Format, RiskClassArg, RoleArg, ScanArgs, ServeArgs, fail, note};
use crate::{Server, Settings, Token, model_command, tools_command};

/// The engine's folder in the user's data directory.
const DATA_DIR_NAME: &str = "local-compliance-engine";

/// Longest token file.
const TOKEN_FILE_BYTES_MAX: u64 = 8192;

/// A scan that takes longer than this shows its progress.
const PROGRESS_AFTER: Duration = Duration::from_secs(1);

/// Pause between two progress updates.
const PROGRESS_PAUSE: Duration = Duration::from_millis(200);

/// Width of text outside a terminal.
pub(crate) const WIDTH_DEFAULT: usize = 100;

/// Threads that answer; scans have their own.
const ANSWERING_THREADS_MAX: usize = 4;

/// The versions of the engine and of the regulation data.
pub(crate) fn versions() -> String {
    format!(
        "{} (regulation {})",
        engine::VERSION,
        engine_regulation::regulation().version().id
    )
}

#[expect(clippy::disallowed_methods, reason = "time enters the engine here, at its edge")]
fn clock() -> Clock {
    Clock {
        now: jiff::Timestamp::now,
        new_id: || uuid::Uuid::new_v4().to_string(),
    }
}

/// The folder of the keys, and the signing key from the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment is read here, at the edge, and passed in"
)]
fn signing() -> Result<Signing, String> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let key = variable("ENGINE_SIGNING_KEY")
        .map(|text| engine::SecretKey::parse(&text))
        .transpose()
        .map_err(|error| format!("invalid ENGINE_SIGNING_KEY: {error}; correct or unset the variable"))?;
    let below = |name: &'static str, rest: &[&str]| {
        let mut path = PathBuf::from(variable(name)?);
        path.extend(rest);
        // A relative folder would move with the working directory, and the keys with it.
        path.is_absolute().then_some(path)
    };
    let data_dir = match variable("ENGINE_DATA_DIR") {
        Some(path) => Some(working_dir()?.join(path)),
        None if cfg!(windows) => below("LOCALAPPDATA", &[DATA_DIR_NAME]),
        None if cfg!(target_os = "macos") => below("HOME", &["Library", "Application Support", DATA_DIR_NAME]),
        None => below("XDG_DATA_HOME", &[DATA_DIR_NAME]).or_else(|| below("HOME", &[".local", "share", DATA_DIR_NAME])),
    };
    Ok(Signing { data_dir, key })
}

fn working_dir() -> Result<PathBuf, String> {
    std::env::current_dir()
        .map_err(|error| format!("could not use the working directory: {error}; change to an existing directory"))
}

/// Serves until a signal stops the process.
pub(crate) fn serve(arguments: ServeArgs) -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(|| crate::log_writer::LogWriter)
        .with_ansi(io::stderr().is_terminal() && !no_colour())
        .with_max_level(arguments.log)
        .init();
    match try_serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => fail(&why),
    }
}

fn try_serve(arguments: ServeArgs) -> Result<(), String> {
    let token = arguments.token_file.as_deref().map(read_token).transpose()?;
    std::panic::set_hook(Box::new(|panic| {
        // The message of a panic may hold text of a scanned file; the place is what is needed to find the mistake.
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.clamp(2, ANSWERING_THREADS_MAX))
        // A few more than the work of requests may take: long bodies are parsed and files are read there too.
        .max_blocking_threads(engine_api::WORK_MAX + 4)
        .thread_name("engine")
        .enable_all()
        .build()
        .map_err(|error| format!("could not start threads: {error}; free some memory or raise the process limit"))?;
    let watched = arguments.project.clone().filter(|_| arguments.watch);
    let options = Options {
        working_dir: working_dir()?,
        project: arguments.project,
        read_only: arguments.read_only,
        clock: clock(),
        signing: signing()?,
    };
    let engine = Engine::start(options).map_err(|failure| failure.details)?;
    let engine = engine.with_environment(model_command::environment());
    let engine = Arc::new(engine.with_tools(tools_command::place(signing()?.data_dir)?));
    let _watch = watched
        .map(|path| engine.watch(&path.to_string_lossy()))
        .transpose()
        .map_err(|failure| failure.details)?;
    let result = runtime.block_on(listen(Arc::clone(&engine), arguments.port, token));
    engine.stop();
    // Work that did not end in time is left behind: what it writes, it writes as a whole or not at all.
    runtime.shutdown_background();
    result
}

async fn listen(engine: Arc<Engine>, port: u16, token: Option<Token>) -> Result<(), String> {
    // Signals are caught before the daemon announces its port.
    let stop = stop_signal().map_err(|error| {
        format!("could not listen for stop signals such as Ctrl-C: {error}; start the engine again")
    })?;
    let settings = Settings {
        port,
        token,
        ..Settings::default()
    };
    let server =
        Server::bind(Arc::clone(&engine), settings).map_err(|error| match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        })?;
    let port = server.port();
    engine.publish_port(port);
    cli::print(&format!("listening on http://127.0.0.1:{port}\n"));
    server.run(stop).await;
    Ok(())
}

#[cfg(unix)]
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
    })
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
        tracing::info!("stopping");
    })
}

fn read_token(path: &Path) -> Result<Token, String> {
    let shown = engine_model::quoted(&path.display().to_string());
    #[expect(clippy::disallowed_methods, reason = "the token file is given on the command line")]
    let file = fs::File::open(path)
        .map_err(|error| format!("could not read the token file `{shown}`: {error}; check its path and permissions"))?;
    refuse_readable_by_others(&file, &shown)?;
    let mut text = String::new();
    let read = file.take(TOKEN_FILE_BYTES_MAX).read_to_string(&mut text);
    read.map_err(|error| format!("could not read the token file `{shown}`: {error}; check its path and permissions"))?;
    Token::parse(&text).map_err(|error| format!("invalid token file `{shown}`: {error}"))
}

/// Refuses a file with a token that other users can read. As with the signing key: a secret that others can read is none.
#[cfg(unix)]
pub(crate) fn refuse_readable_by_others(file: &fs::File, shown: &str) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;

    let Ok(metadata) = file.metadata() else { return Ok(()) };
    let mode = metadata.permissions().mode() & 0o777;
    if metadata.is_file() && mode & 0o077 != 0 {
        return Err(format!(
            "other users can read the token file `{shown}` (mode {mode:o}); run `chmod 600` on it"
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn refuse_readable_by_others(_file: &fs::File, _shown: &str) -> Result<(), String> {
    Ok(())
}

/// An engine for one command.
pub(crate) fn engine() -> Result<Engine, String> {
    start_engine(false)
}

/// A read-only engine, which can run next to a daemon.
pub(crate) fn reading_engine() -> Result<Engine, String> {
    start_engine(true)
}

fn start_engine(read_only: bool) -> Result<Engine, String> {
    let options = Options {
        working_dir: working_dir()?,
        project: None,
        read_only,
        clock: clock(),
        signing: signing()?,
    };
    let engine = Engine::start(options).map_err(|failure| failure.details)?;
    let engine = engine.with_environment(model_command::environment());
    Ok(engine.with_tools(tools_command::place(signing()?.data_dir)?))
}

/// Runs a task with a temporary engine.
pub(crate) fn with_engine<T>(work: impl FnOnce(&Engine) -> Result<T, Failure>) -> Result<T, String> {
    let engine = engine()?;
    let outcome = work(&engine).map_err(|failure| failure.details);
    engine.stop();
    outcome
}

/// Runs a task with a temporary engine that writes nothing.
pub(crate) fn reading<T>(work: impl FnOnce(&Engine) -> Result<T, Failure>) -> Result<T, String> {
    let engine = reading_engine()?;
    let outcome = work(&engine).map_err(|failure| failure.details);
    engine.stop();
    outcome
}

/// A word as a shell takes it.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Scans a project once.
pub(crate) fn scan(arguments: &ScanArgs) -> ExitCode {
    if arguments.deep {
        return model_command::deep(arguments);
    }
    if let Some(revision) = &arguments.diff {
        return match try_diff(arguments, revision) {
            Ok(code) => code,
            Err(why) => fail(&why),
        };
    }
    let result = match try_scan(arguments) {
        Ok(result) => result,
        Err(why) => return fail(&why),
    };
    report_exceptions(&result);
    tools_command::report(&result);
    for report in &arguments.reports {
        let written = render(&result, arguments, report.format, Some(&report.file)).and_then(|text| {
            write_file(&report.file, &text).map_err(|error| {
                format!(
                    "could not write `{}`: {error}; choose another file with --report",
                    report.file.display()
                )
            })
        });
        if let Err(why) = written {
            return fail(&why);
        }
    }
    let text = match render(&result, arguments, arguments.format, arguments.output.as_deref()) {
        Ok(text) => text,
        Err(why) => return fail(&why),
    };
    let written = match &arguments.output {
        Some(path) => write_file(path, &text).map_err(|error| {
            format!(
                "could not write `{}`: {error}; choose another file with --output",
                path.display()
            )
        }),
        None if cli::print(&text) => Ok(()),
        None => return ExitCode::from(cli::ERROR),
    };
    match written {
        Err(why) => fail(&why),
        Ok(())
            if arguments
                .fail_on
                .is_some_and(|least| engine::fails(&result, least.severity())) =>
        {
            ExitCode::from(FINDINGS)
        }
        Ok(()) if arguments.fail_on.is_some() && tools_command::is_incomplete(&result) => {
            note("an external tool did not do its work, so this is not a pass");
            ExitCode::from(cli::NOT_ASSESSED)
        }
        // No gap was found because no obligation was evaluated: a build server must not treat this as a pass.
        Ok(()) if arguments.fail_on.is_some() && engine_report::needs_assessment(&result) => {
            note(&engine_report::not_assessed(&result));
            ExitCode::from(cli::NOT_ASSESSED)
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}

/// Compares a project with what it was at a revision.
fn try_diff(arguments: &ScanArgs, revision: &str) -> Result<ExitCode, String> {
    if !matches!(
        arguments.format,
        Format::Text | Format::Markdown | Format::Json | Format::Sarif
    ) {
        return Err(
            "`--diff` supports the formats text, markdown, json and sarif; choose one of them or leave out `--diff`"
                .to_owned(),
        );
    }
    // The state itself is not needed, so that a comparison can be made beside a running daemon.
    let engine = Engine::start(Options {
        working_dir: working_dir()?,
        project: None,
        read_only: true,
        clock: clock(),
        signing: signing()?,
    })
    .map_err(|failure| failure.details)?;
    let request = ScanDiffRequest {
        path: Some(arguments.path.clone()),
        markdown: Some(true),
        as_of: arguments.as_of,
        base_ref: Some(revision.to_owned()),
        ..ScanDiffRequest::default()
    };
    let compared = with_progress(None, |hooks| engine.compared(&request, hooks));
    engine.stop();
    let Compared { diff, before, after } = compared.map_err(|failure| failure.details)?;
    let text = match arguments.format {
        Format::Sarif => {
            let log = engine_report::sarif_against(&before, &after);
            serde_json::to_string_pretty(&log).map_err(|error| error.to_string())? + "\n"
        }
        Format::Json => serde_json::to_string_pretty(&diff).map_err(|error| error.to_string())? + "\n",
        _ => diff.markdown.clone().unwrap_or_default(),
    };
    match &arguments.output {
        Some(path) => {
            write_file(path, &text).map_err(|error| {
                format!(
                    "could not write `{}`: {error}; choose another file with --output",
                    path.display()
                )
            })?;
        }
        None if cli::print(&text) => {}
        None => return Ok(ExitCode::from(cli::ERROR)),
    }
    let fails = arguments
        .fail_on
        .is_some_and(|least| engine::fails_anew(&diff, least.severity()));
    Ok(if fails {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    })
}

/// Reports suppressions and baseline entries that need attention.
fn report_exceptions(result: &ScanResult) {
    for record in &result.suppressions {
        if record.status != SuppressionStatus::Applied {
            let named = record
                .check_id
                .as_deref()
                .or(record.finding_id.as_deref())
                .unwrap_or("?");
            note(&format!(
                "{}:{}: suppression of `{named}`: {}",
                record.file, record.line, record.message
            ));
        }
    }
    let Some(baseline) = &result.baseline else { return };
    for entry in &baseline.expired {
        note(&format!(
            "{}: the entry `{}` ({}) expired on {}; its gap counts again, so fix it or renew the entry",
            baseline.file,
            entry.id,
            entry.check_id,
            entry.until.map(|until| until.to_string()).unwrap_or_default()
        ));
    }
    if !baseline.unmatched.is_empty() {
        note(&format!(
            "{}: {} of {} entries match no gap any more; rewrite the file with `engine-server baseline`",
            baseline.file,
            baseline.unmatched.len(),
            baseline.entries
        ));
    }
}

/// Writes the baseline of a project.
pub(crate) fn baseline(arguments: &BaselineArgs) -> ExitCode {
    match try_baseline(arguments) {
        Ok(written) => {
            let state = if written.changed { "written" } else { "unchanged" };
            let known = written.findings;
            let text = format!("{}: {state}, {known} known gaps\n", written.file.display());
            if let Some(why) = &written.unrecorded {
                note(&format!(
                    "the baseline has no entry in the evidence chain yet: {}. The next stored scan records it",
                    why.trim_end_matches('.')
                ));
            }
            if cli::print(&text) {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(cli::ERROR)
            }
        }
        Err(why) => fail(&why),
    }
}

fn try_baseline(arguments: &BaselineArgs) -> Result<engine::BaselineWritten, String> {
    // Where an engine uses the project already, the file is written beside it, and its next scan records it.
    match written_baseline(arguments, false)? {
        Err(failure) if failure.code == ErrorCode::StateConflict => written_baseline(arguments, true)?,
        written => written,
    }
    .map_err(|failure| failure.details)
}

fn written_baseline(
    arguments: &BaselineArgs,
    read_only: bool,
) -> Result<Result<engine::BaselineWritten, Failure>, String> {
    let options = Options {
        working_dir: working_dir()?,
        project: None,
        read_only,
        clock: clock(),
        signing: signing()?,
    };
    let engine = Engine::start(options).map_err(|failure| failure.details)?;
    let request = BaselineRequest {
        path: arguments.path.clone(),
        as_of: arguments.as_of,
        role: arguments.role.map(role),
        risk_class: arguments.risk_class.map(risk_class),
        reason: arguments.reason.clone(),
        owner: arguments.owner.clone(),
        until: arguments.until,
    };
    let written = with_progress(None, |hooks| engine.write_baseline(&request, hooks));
    engine.stop();
    Ok(written)
}

pub(crate) const fn role(role: RoleArg) -> engine::OperatorRole {
    match role {
        RoleArg::Provider => engine::OperatorRole::Provider,
        RoleArg::Deployer => engine::OperatorRole::Deployer,
        RoleArg::Both => engine::OperatorRole::Both,
    }
}

pub(crate) const fn risk_class(class: RiskClassArg) -> engine::RiskClass {
    match class {
        RiskClassArg::High => engine::RiskClass::High,
        RiskClassArg::Limited => engine::RiskClass::Limited,
        RiskClassArg::Minimal => engine::RiskClass::Minimal,
    }
}

/// A baseline from another file, with its name.
fn read_baseline(path: &Path) -> Result<(String, Vec<u8>), String> {
    #[expect(clippy::disallowed_methods, reason = "the file is given on the command line")]
    let bytes = fs::read(path).map_err(|error| {
        format!(
            "could not read the baseline `{}`: {error}; check the path given with --baseline",
            path.display()
        )
    })?;
    Ok((path.display().to_string(), bytes))
}

fn try_scan(arguments: &ScanArgs) -> Result<ScanResult, String> {
    let mut request = ScanRequest::of(&arguments.path);
    request.as_of = arguments.as_of;
    request.role = arguments.role.map(role);
    request.risk_class = arguments.risk_class.map(risk_class);
    let baseline = arguments.baseline.as_deref().map(read_baseline).transpose()?;
    let baseline = baseline.as_ref().map(|(name, bytes)| BaselineFile { name, bytes });
    let working_dir = working_dir()?;
    let signing = signing()?;
    let place = tools_command::place(signing.data_dir.clone())?;
    let once = |read_only| {
        let options = Options {
            working_dir: working_dir.clone(),
            project: None,
            read_only,
            clock: clock(),
            signing: signing.clone(),
        };
        let engine = Engine::start(options)?.with_tools(place.clone());
        let result = with_progress(baseline, |hooks| {
            if arguments.tier2 {
                tools_command::scan(&engine, &request, hooks)
            } else {
                engine.scan_with(&request, hooks)
            }
        });
        engine.stop();
        result
    };
    if arguments.tier2 {
        // Told before the work, and once.
        let reply = Engine::start(Options {
            working_dir: working_dir.clone(),
            project: None,
            read_only: true,
            clock: clock(),
            signing: signing.clone(),
        })
        .map_err(|failure| failure.details)?
        .with_tools(place.clone())
        .tools_status();
        if let Some(why) = reply.uv_error {
            return Err(why);
        }
    }
    let result = once(arguments.no_state).or_else(|failure: Failure| {
        let state = matches!(failure.code, ErrorCode::StateConflict | ErrorCode::MissingPart);
        if !state || arguments.no_state {
            return Err(failure);
        }
        // A daemon holds the state, it is in no state to be written, or there is no place for the key that signs. The
        // result is what was asked for.
        note(&format!(
            "{}. The result is not stored.",
            failure.details.trim_end_matches('.')
        ));
        once(true)
    });
    for warning in result.iter().flat_map(|scan| &scan.warnings) {
        note(&format!("{warning}."));
    }
    result.map_err(|failure| failure.details)
}

/// Runs a scan and shows its progress in a terminal if it takes long.
fn with_progress<T>(baseline: Option<BaselineFile<'_>>, scan: impl FnOnce(&ScanHooks<'_>) -> T) -> T {
    if !io::stderr().is_terminal() {
        return scan(&ScanHooks {
            baseline,
            ..ScanHooks::default()
        });
    }
    let (files, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let (done, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let waiting = waiting;
            let started = Instant::now();
            let mut shown = false;
            let mut pause = PROGRESS_AFTER;
            while let Err(mpsc::RecvTimeoutError::Timeout) = waiting.recv_timeout(pause) {
                shown = true;
                pause = PROGRESS_PAUSE;
                let megabytes = bytes.load(Ordering::Relaxed) / 1_000_000;
                let files = files.load(Ordering::Relaxed);
                let seconds = started.elapsed().as_secs();
                let _ = write!(
                    io::stderr().lock(),
                    "\r\x1b[Kscanning: {files} files, {megabytes} MB, {seconds} s"
                );
            }
            if shown {
                let _ = write!(io::stderr().lock(), "\r\x1b[K");
            }
        });
        let progress = |progress: Progress| {
            // Threads report out of order; the highest number is how far all of them are.
            files.fetch_max(progress.files, Ordering::Relaxed);
            bytes.fetch_max(progress.bytes, Ordering::Relaxed);
        };
        let hooks = ScanHooks {
            progress: &progress,
            baseline,
            ..ScanHooks::default()
        };
        let result = scan(&hooks);
        drop(done);
        result
    })
}

fn render(result: &ScanResult, arguments: &ScanArgs, format: Format, output: Option<&Path>) -> Result<String, String> {
    let json = |value: serde_json::Result<String>| match value {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(format!(
            "could not write the result as JSON: {error}; choose another format"
        )),
    };
    match format {
        Format::Text => {
            let terminal = output.is_none() && io::stdout().is_terminal();
            let options = TextOptions {
                colour: terminal && !no_colour(),
                width: if terminal { terminal_width() } else { WIDTH_DEFAULT },
                verbose: arguments.verbose,
                path_prefix: (arguments.path != ".").then(|| arguments.path.clone()),
            };
            Ok(engine_report::text(result, &options))
        }
        Format::Markdown => Ok(engine_report::markdown(result)),
        Format::Json => json(serde_json::to_string_pretty(result)),
        Format::Sarif => {
            let mut log = engine_report::sarif(result);
            // Fixes are a help: a project that changes meanwhile is reported without them.
            if let Ok(fixes) =
                reading(|engine| engine.sarif_fixes(&arguments.path, arguments.as_of, &ScanHooks::default()))
            {
                engine_report::add_sarif_fixes(&mut log, &fixes);
            }
            json(serde_json::to_string_pretty(&log))
        }
        Format::CodeQuality => json(serde_json::to_string_pretty(&engine_report::code_quality(result))),
        Format::Junit => Ok(engine_report::junit(result)),
    }
}

/// Whether the user wants no colours, by the convention of `NO_COLOR`, or the terminal has none.
pub(crate) fn no_colour() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "the environment of the terminal is read here, at the edge"
    )]
    let variable = |name| std::env::var(name).unwrap_or_default();
    !variable("NO_COLOR").is_empty() || variable("TERM") == "dumb"
}

pub(crate) fn terminal_width() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
    {
        return usize::from(size.ws_col).clamp(40, 140);
    }
    WIDTH_DEFAULT
}

#[expect(clippy::disallowed_methods, reason = "the file is given on the command line")]
pub(crate) fn write_file(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)
}

#[expect(clippy::disallowed_methods, reason = "the file is given on the command line")]
pub(crate) fn read_file(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| {
        format!(
            "could not read `{}`: {error}; check the path and its permissions",
            path.display()
        )
    })
}
