//! `engine-server fix` and `engine-server undo`: shows each fix as a diff first, and writes nothing without `--apply`.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::Args;
use engine::{
    ApplyAllRequest, FixHistoryRequest, FixItem, FixPreview, FixPreviewRequest, FixProgress, FixRequest, FixResult,
    ScanHooks, UndoRequest,
};

use crate::cli::{self, fail, note};
use crate::command;

/// The options of `fix`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(after_help = HELP)]
pub(crate) struct FixArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    path: String,
    /// Only fixes for this check, such as `l4-unhandled-model-failure`
    #[arg(long, value_name = "ID")]
    check: Option<String>,
    /// Only the fix for the finding with this id
    #[arg(long, value_name = "ID")]
    finding: Option<String>,
    /// Write the fixes; without this option, nothing is written
    #[arg(long)]
    apply: bool,
    /// Every fix that is safe to apply unattended: the product behaves as before, apart from what the finding asks for
    #[arg(long, conflicts_with = "finding")]
    all_safe: bool,
    /// Let the language model of `.compliance/.env` propose the change; needs `--finding` or `--check`
    #[arg(long, conflicts_with = "all_safe")]
    ai: bool,
    /// Let the parser of the language, where it is installed, check the changed files before they are written; needs
    /// `--finding`
    #[arg(long, requires = "finding")]
    toolchain: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

const HELP: &str = concat!(
    "Without --apply, the command shows the changes and writes nothing. With --apply, name what to fix: --all-safe, --check or --finding. ",
    "Undo a fix with `engine-server undo`.\n\n",
    "Exit codes: 0 success, 1 a fix could not be applied, 2 error.",
);

/// The options of `undo`.
#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// The project's folder
    #[arg(default_value = ".")]
    path: String,
    /// The number of the fix (default: the newest applied fix)
    #[arg(long, value_name = "NUMBER")]
    id: Option<i64>,
    /// Undo all applied fixes, the newest first
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// List all fixes and whether they can be undone
    #[arg(long, conflicts_with_all = ["id", "all"])]
    list: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Shows or applies fixes.
pub(crate) fn fix(arguments: &FixArgs) -> ExitCode {
    if arguments.apply && !arguments.all_safe && arguments.check.is_none() && arguments.finding.is_none() {
        return fail(
            "name what to fix: `--all-safe`, `--check ID` or `--finding ID`; without `--apply` all fixes are shown",
        );
    }
    if arguments.ai && arguments.check.is_none() && arguments.finding.is_none() {
        return fail("`--ai` needs `--check ID` or `--finding ID`");
    }
    let outcome = if arguments.finding.is_some() || arguments.ai {
        one(arguments)
    } else if arguments.apply {
        all(arguments)
    } else {
        preview(arguments)
    };
    outcome.unwrap_or_else(|why| fail(&in_words(&why)))
}

fn preview(arguments: &FixArgs) -> Result<ExitCode, String> {
    let request = FixPreviewRequest {
        path: Some(arguments.path.clone()),
        check_id: arguments.check.clone(),
        as_of: None,
    };
    let mut shown = command::reading(|engine| engine.preview_fixes(&request, &ScanHooks::default()))?;
    if arguments.all_safe {
        shown.fixes.retain(|fix| fix.safe);
        shown.count = shown.fixes.len() as u64;
    }
    if arguments.json {
        return json(serde_json::to_string_pretty(&shown));
    }
    Ok(printed(&preview_text(&shown, arguments, colour())))
}

fn one(arguments: &FixArgs) -> Result<ExitCode, String> {
    let request = FixRequest {
        path: Some(arguments.path.clone()),
        check_id: arguments.check.clone(),
        finding_id: arguments.finding.clone(),
        use_ai: Some(arguments.ai),
        toolchain: Some(arguments.toolchain),
        ..FixRequest::default()
    };
    if arguments.apply {
        let result = command::with_engine(|engine| engine.apply_fix(&request, &ScanHooks::default()))?;
        if arguments.json {
            return json(serde_json::to_string_pretty(&result));
        }
        let mut text = String::new();
        applied(&mut text, &result, colour());
        for warning in &result.warnings {
            let _ = writeln!(text, "Note: {warning}");
        }
        return Ok(printed(&text));
    }
    let item = command::reading(|engine| engine.preview_fix(&request, &ScanHooks::default()))?;
    if arguments.json {
        return json(serde_json::to_string_pretty(&item));
    }
    let mut text = String::new();
    entry(&mut text, &item, colour(), usize::MAX);
    text.push_str("Nothing was written. Add --apply to write this fix.\n");
    Ok(printed(&text))
}

fn all(arguments: &FixArgs) -> Result<ExitCode, String> {
    let request = ApplyAllRequest {
        path: Some(arguments.path.clone()),
        check_id: arguments.check.clone(),
        guided: Some(!arguments.all_safe),
        ..ApplyAllRequest::default()
    };
    let terminal = io::stderr().is_terminal();
    let progress = |step: FixProgress| {
        if let FixProgress::Applying { check_id, path } = step
            && terminal
        {
            note(&format!("{check_id} in {path}"));
        }
    };
    let reply = command::with_engine(|engine| engine.apply_all(&request, &progress, &ScanHooks::default()))?;
    let failed = reply.summary.failed > 0;
    let code = if failed {
        ExitCode::from(cli::FINDINGS)
    } else {
        ExitCode::SUCCESS
    };
    if arguments.json {
        return json(serde_json::to_string_pretty(&reply)).map(|_| code);
    }
    let mut text = String::new();
    for result in &reply.results {
        applied(&mut text, result, colour());
    }
    for warning in &reply.warnings {
        let _ = writeln!(text, "Note: {warning}");
    }
    let summary = reply.summary;
    let _ = writeln!(
        text,
        "{} applied, {} failed, {} need a person. {} open {} without a fix.",
        summary.applied,
        summary.failed,
        summary.skipped,
        reply.unfixed_findings.len(),
        if reply.unfixed_findings.len() == 1 {
            "finding is"
        } else {
            "findings are"
        },
    );
    if summary.applied > 0 {
        let _ = writeln!(
            text,
            "Undo them with: engine-server undo {} --all",
            command::shell_word(&arguments.path)
        );
    }
    Ok(if printed(&text) == ExitCode::SUCCESS {
        code
    } else {
        ExitCode::from(cli::ERROR)
    })
}

/// Undoes a fix, or lists all.
pub(crate) fn undo(arguments: &UndoArgs) -> ExitCode {
    let outcome = if arguments.list {
        history(arguments)
    } else {
        undone(arguments)
    };
    outcome.unwrap_or_else(|why| fail(&in_words(&why)))
}

fn undone(arguments: &UndoArgs) -> Result<ExitCode, String> {
    let hooks = ScanHooks::default();
    let replies = command::with_engine(|engine| {
        let mut replies = Vec::new();
        let mut ids = vec![arguments.id];
        if arguments.all {
            let history = engine.fix_history(&FixHistoryRequest {
                path: Some(arguments.path.clone()),
                limit: Some(1_000),
                cursor: None,
            })?;
            let applied = history.fixes.iter().filter(|fix| fix.status == "applied");
            ids = applied.map(|fix| Some(fix.id)).collect();
        }
        for id in ids {
            let request = UndoRequest {
                path: Some(arguments.path.clone()),
                id,
            };
            match engine.undo_fix(&request, &hooks) {
                Ok(reply) => replies.push(reply),
                // What was undone before stays undone, and is said.
                Err(failure) if !replies.is_empty() => {
                    note(&failure.details);
                    break;
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(replies)
    })?;
    if arguments.json {
        return json(serde_json::to_string_pretty(&replies));
    }
    let mut text = String::new();
    for reply in &replies {
        let _ = writeln!(
            text,
            "Undone: fix {} ({}) in {}",
            reply.fix_id,
            reply.check_id,
            reply.files.join(", ")
        );
    }
    if replies.is_empty() {
        text.push_str("No fix is applied.\n");
    }
    Ok(printed(&text))
}

fn history(arguments: &UndoArgs) -> Result<ExitCode, String> {
    let request = FixHistoryRequest {
        path: Some(arguments.path.clone()),
        limit: Some(1_000),
        cursor: None,
    };
    // Beside a daemon that holds the state, the list is still read.
    let history = command::with_engine(|engine| engine.fix_history(&request))
        .or_else(|_| command::reading(|engine| engine.fix_history(&request)))?;
    if arguments.json {
        return json(serde_json::to_string_pretty(&history));
    }
    let mut text = String::new();
    for fix in &history.fixes {
        let undo = match &fix.why_not {
            None => "can be undone".to_owned(),
            Some(why) => why.clone(),
        };
        let _ = writeln!(
            text,
            "{:>4}  {}  {}  {}  {}: {undo}",
            fix.id,
            fix.timestamp,
            fix.status,
            fix.check_id,
            fix.files.join(", ")
        );
    }
    if history.fixes.is_empty() {
        text.push_str("No fix was applied in this project.\n");
    }
    Ok(printed(&text))
}

/// An error in the words of the command line.
fn in_words(why: &str) -> String {
    why.replace(
        "GET /fix/history lists all fixes",
        "`engine-server undo --list` lists all fixes",
    )
    .replace(
        "GET /fix/preview lists all fixes",
        "`engine-server fix` lists all fixes",
    )
    .replace(
        "GET /fix/preview lists the fixes of the current findings",
        "`engine-server fix` lists the fixes of the current findings",
    )
}

/// All fixes with what they do and how to go on.
fn preview_text(shown: &FixPreview, arguments: &FixArgs, colour: bool) -> String {
    let mut text = String::new();
    for item in &shown.fixes {
        entry(&mut text, item, colour, NEW_FILE_LINES);
    }
    for warning in &shown.warnings {
        let _ = writeln!(text, "Note: {warning}");
    }
    let safe = shown.fixes.iter().filter(|fix| fix.safe).count();
    let path = command::shell_word(&arguments.path);
    let _ = writeln!(
        text,
        "{} {}, {safe} of them safe to apply unattended. {} open {} without a fix.",
        shown.count,
        if shown.count == 1 { "fix" } else { "fixes" },
        shown.unfixed_findings.len(),
        if shown.unfixed_findings.len() == 1 {
            "finding is"
        } else {
            "findings are"
        },
    );
    if (shown.projected_score - shown.current_score).abs() > f64::EPSILON {
        let _ = writeln!(
            text,
            "Score with all of them: {} (now {}).",
            shown.projected_score, shown.current_score
        );
    }
    text.push_str("Nothing was written.\n");
    if safe > 0 {
        let _ = writeln!(text, "Apply the safe ones: engine-server fix {path} --all-safe --apply");
    }
    if let Some(first) = shown.fixes.iter().find(|fix| !fix.safe) {
        let _ = writeln!(
            text,
            "Apply one that needs you: engine-server fix {path} --finding {} --apply",
            first.finding_id
        );
    }
    text
}

/// One fix: what, where, the diff, and what is left to do by hand.
fn entry(text: &mut String, item: &FixItem, colour: bool, new_lines: usize) {
    let kind = if item.safe { "safe" } else { "needs you" };
    let (bold, plain) = if colour { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
    let _ = writeln!(text, "{bold}{}{plain}", item.description);
    let _ = write!(text, "  {}:{}  {}  {kind}", item.file, item.line, item.check_id);
    if let Some(article) = &item.article {
        let _ = write!(text, "  {article}");
    }
    if item.score_impact != "+0" {
        let _ = write!(text, "  score {}", item.score_impact);
    }
    text.push('\n');
    diff(text, &item.diff, colour, new_lines);
    for step in &item.manual {
        let _ = writeln!(text, "  By hand: {step}");
    }
    text.push('\n');
}

/// One result: what was written, or why nothing was.
fn applied(text: &mut String, result: &FixResult, colour: bool) {
    match (&result.error, result.fix_id) {
        (None, Some(id)) => {
            let _ = writeln!(
                text,
                "Applied: fix {id} ({}) in {}",
                result.check_id,
                result.files.join(", ")
            );
            diff(text, &result.diff, colour, NEW_FILE_LINES);
            for step in &result.manual {
                let _ = writeln!(text, "  By hand: {step}");
            }
        }
        (error, _) => {
            let _ = writeln!(
                text,
                "Not applied: {} in {}: {}",
                result.check_id,
                result.files.join(", "),
                error.as_deref().unwrap_or("unknown reason")
            );
        }
    }
    text.push('\n');
}

/// Lines of a new file that a list shows; `--finding` shows all.
const NEW_FILE_LINES: usize = 16;

/// A unified diff, indented. Control characters of foreign code never reach the terminal.
fn diff(text: &mut String, diff: &str, colour: bool, new_lines: usize) {
    let is_new = diff.starts_with("--- /dev/null");
    let shown = if is_new { new_lines } else { usize::MAX };
    let more = diff.lines().count().saturating_sub(shown);
    for line in diff.lines().take(shown) {
        let line: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let code = match line.chars().next() {
            Some('+') if colour => "\u{1b}[32m",
            Some('-') if colour => "\u{1b}[31m",
            Some('@') if colour => "\u{1b}[36m",
            _ => "",
        };
        let end = if code.is_empty() { "" } else { "\u{1b}[0m" };
        let _ = writeln!(text, "  {code}{line}{end}");
    }
    if more > 0 {
        let _ = writeln!(text, "  … {more} more lines of the new file");
    }
}

fn colour() -> bool {
    io::stdout().is_terminal() && !command::no_colour()
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
