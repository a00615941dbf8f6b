//! `engine-server answer`: answers open questions, on the command line or one by one in a terminal.

mod asked;
mod evidence;
mod frame;
mod git_name;
mod list;
mod session;
mod talk;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use engine::{AnswerReply, AnswerRequest, Engine, EvidenceRequest};
use engine_model::{Date, Failure, Question, ScanResult, System};
use engine_profile::ALL_SYSTEMS;
use engine_regulation::regulation;
use engine_report::{TextOptions, paragraph};
use serde_json::{Value, json};

use crate::cli::{self, fail, note};
use crate::command;
use crate::command::shell_word;
use session::{Setting, Trouble};
use talk::{Talk, count};

/// The hint of the HTTP API that the command line replaces with its own.
const LIST_BY_HTTP: &str = "GET /onboarding/questions lists all";

/// The options of `answer`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct AnswerArgs {
    /// The project's folder, followed by answers such as `main.role=both` or `Q1=yes`
    #[arg(value_name = "PATH | KEY=VALUE")]
    words: Vec<String>,
    /// Answer a question, such as `main.role=deployer` or `Q1=yes`; repeatable. `main` is the id of a system, and `all`
    /// means every system. `--list` shows the numbers, keys and possible answers
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Withdraw an answer, such as `main.role`; repeatable
    #[arg(long, value_name = "KEY")]
    unset: Vec<String>,
    /// Record evidence that is kept outside the project, such as `OBL-001=staff training, HR wiki`; repeatable
    #[arg(long, value_name = "OBLIGATION=REFERENCE")]
    evidence: Vec<String>,
    /// The system that the evidence covers (default: all systems)
    #[arg(long, value_name = "ID", requires = "evidence")]
    system: Option<String>,
    /// The name of the person behind the answers (default: `user.name` of git)
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// The reason for the answers
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// The date of the answers (default: today)
    #[arg(long, value_name = "DATE")]
    on: Option<Date>,
    /// The last day on which the answers and the evidence are valid, such as 2027-12-31
    #[arg(long, value_name = "DATE")]
    until: Option<Date>,
    /// List the open questions, the possible answers and the effect of each answer
    #[arg(long, conflicts_with_all = ["set", "unset", "evidence"])]
    list: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

const HELP: &str = concat!(
    "Without answers, the command asks one question at a time in a terminal; outside a terminal it lists all questions. ",
    "A value is a word, a comma-separated list, a date or a text; `unknown` means that you do not know. ",
    "Answers are saved in `.compliance/profile.toml`.\n\n",
    "Exit codes: 0 success, 2 error.",
);

/// The parsed arguments.
struct Sorted {
    path: String,
    request: AnswerRequest,
}

/// Saves answers, lists the open questions, or asks them in a dialogue.
pub(crate) fn answer(arguments: &AnswerArgs) -> ExitCode {
    let mut sorted = match sort(arguments) {
        Ok(sorted) => sorted,
        Err(why) => return fail(&why),
    };
    let request = &sorted.request;
    let given = !(request.answers.is_empty() && request.withdraw.is_empty() && request.evidence.is_empty());
    if arguments.list && given {
        return fail(
            "`--list` cannot be combined with answers; leave out `--list` to answer, or leave out the answers to list",
        );
    }
    if !given && (arguments.why.is_some() || arguments.until.is_some()) {
        return fail("`--why` and `--until` need an answer; add one, such as `--set main.role=both`");
    }
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !given && !arguments.list && !arguments.json && terminal {
        return ask(arguments, sorted.path);
    }
    if !given {
        return list(arguments, &sorted.path);
    }
    let from_git = sorted.request.by.is_none() && needs_name(&sorted.request);
    if from_git {
        sorted.request.by = git_name::git_name(Path::new(&sorted.path));
    }
    if sorted.request.by.is_none() && !sorted.request.evidence.is_empty() {
        return fail("evidence needs the name of a person; add it with `--by NAME`");
    }
    let reply = match command::with_engine(|engine| engine.answer(&sorted.request).map_err(in_words)) {
        Ok(reply) => reply,
        Err(why) => return fail(&why),
    };
    let text = if arguments.json {
        match serde_json::to_string_pretty(&reply) {
            Ok(text) => text + "\n",
            Err(error) => {
                return fail(&format!(
                    "could not write the reply as JSON: {error}; use the text format"
                ));
            }
        }
    } else {
        kept(&reply, &sorted, from_git)
    };
    printed(&text)
}

fn printed(text: &str) -> ExitCode {
    if cli::print(text) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(cli::ERROR)
    }
}

/// Parses the arguments into a path and a request.
fn sort(arguments: &AnswerArgs) -> Result<Sorted, String> {
    let mut path = None;
    let mut answers = BTreeMap::new();
    let mut add = |word: &str| {
        let (key, value) = word
            .split_once('=')
            .filter(|(key, _)| !key.trim().is_empty())
            .ok_or_else(|| format!("`{word}` is not an answer; write it as KEY=VALUE, such as main.role=both"))?;
        let value = match arguments.until {
            Some(until) => json!({"value": value, "until": until}),
            None => Value::from(value),
        };
        match answers.insert(key.trim().to_owned(), value) {
            Some(_) => Err(format!("`{}` is answered twice; give only one answer", key.trim())),
            None => Ok(()),
        }
    };
    for word in &arguments.words {
        if word.contains('=') {
            add(word)?;
        } else if let Some(path) = path.replace(word.clone()) {
            return Err(format!(
                "two folders given, `{path}` and `{word}`; give one folder, and write an answer as KEY=VALUE"
            ));
        }
    }
    for word in &arguments.set {
        add(word)?;
    }
    let mut evidence = Vec::new();
    for word in &arguments.evidence {
        let (obligation, reference) = word.split_once('=').ok_or_else(|| {
            format!(
                "`{word}` is not evidence; write it as OBLIGATION=REFERENCE, such as OBL-001=staff training, HR wiki"
            )
        })?;
        evidence.push(EvidenceRequest {
            system: arguments.system.clone(),
            obligation: obligation.trim().to_uppercase(),
            reference: reference.trim().to_owned(),
            until: arguments.until,
        });
    }
    let path = path.unwrap_or_else(|| ".".to_owned());
    let request = AnswerRequest {
        path: Some(path.clone()),
        answers,
        withdraw: arguments.unset.clone(),
        evidence,
        by: arguments.by.clone(),
        why: arguments.why.clone(),
        on: arguments.on,
    };
    Ok(Sorted { path, request })
}

/// Whether the request contains answers or evidence, which need a name.
fn needs_name(request: &AnswerRequest) -> bool {
    !request.answers.is_empty() || !request.evidence.is_empty()
}

/// A failure in the words of the command line.
fn in_words(failure: Failure) -> Failure {
    Failure {
        details: failure
            .details
            .replace(LIST_BY_HTTP, "`engine-server answer --list` lists the open questions"),
        ..failure
    }
}

/// The text layout for standard output.
fn layout() -> TextOptions {
    let terminal = io::stdout().is_terminal();
    TextOptions {
        colour: terminal && !command::no_colour(),
        width: if terminal {
            command::terminal_width()
        } else {
            command::WIDTH_DEFAULT
        },
        path_prefix: None,
        verbose: false,
    }
}

/// Reports the saved answers and their effects.
fn kept(reply: &AnswerReply, sorted: &Sorted, from_git: bool) -> String {
    let layout = layout();
    let mut text = String::new();
    let mut say = |first: usize, line: &str| text.push_str(&paragraph(line, first, first + 2, false, &layout));
    let file = &reply.profile_path;
    if reply.changed {
        say(0, &format!("Saved in {file}:"));
    } else {
        say(0, &format!("Nothing changed: {file} already contains these answers."));
    }
    for (key, words) in &reply.answered {
        say(2, &format!("{key} = {}", words.join(", ")));
    }
    for key in &reply.withdrawn {
        say(2, &format!("{key}: withdrawn"));
    }
    for id in &reply.evidenced {
        let of = regulation().obligation(id).map_or_else(String::new, |obligation| {
            format!(" ({}, {})", obligation.citation(), obligation.title)
        });
        say(2, &format!("evidence for {id}{of}"));
    }
    match &sorted.request.by {
        Some(by) if from_git => say(0, &format!("Name: {by}, from git. Use --by to give another name.")),
        None if needs_name(&sorted.request) => say(0, "No name was saved. Use --by to give one."),
        _ => {}
    }
    for warning in &reply.warnings {
        say(0, &format!("Warning: prohibited practice. {warning}"));
    }
    let excluded = reply
        .answered
        .iter()
        .filter(|(key, words)| words.as_slice() == ["no"] && key.contains(".art-5-"));
    let excluded = excluded.count() as u64;
    if excluded > 0 && (sorted.request.why.is_none() || sorted.request.by.is_none()) {
        say(
            0,
            "Note: a `no` on a practice of Art. 5 counts as a screening only with a name and a reason. Add --by and --why.",
        );
    }
    let path = shell_word(&sorted.path);
    say(0, &standing(reply.open, reply.undetermined));
    let next = if reply.open > 0 { "answer" } else { "scan" };
    say(0, &format!("Next: engine-server {next} {path}"));
    text
}

/// The open questions of a project. A question for all systems adds up its effects on each system.
fn open_questions(engine: &Engine, path: &str) -> Result<(ScanResult, Vec<(System, Question)>), Failure> {
    let (scan, mut open) = engine.open_questions(Some(path))?;
    for (_, question) in &mut open {
        if !question
            .key
            .strip_prefix(ALL_SYSTEMS)
            .is_some_and(|rest| rest.starts_with('.'))
        {
            continue;
        }
        for option in &mut question.options {
            let of_each = scan
                .systems
                .iter()
                .flat_map(|system| &system.questions)
                .filter(|own| own.id == question.id)
                .filter_map(|own| own.options.iter().find(|own| own.value == option.value));
            (option.adds, option.removes, option.gaps, option.evidenced) = (0, 0, 0, 0);
            for own in of_each {
                option.adds += own.adds;
                option.removes += own.removes;
                option.gaps += own.gaps;
                option.evidenced += own.evidenced;
                option.from = option.from.into_iter().chain(own.from).min();
            }
        }
    }
    Ok((scan, open))
}

/// The number of open questions and undetermined obligations, as a sentence.
fn standing(open: u64, undetermined: u64) -> String {
    let is = if open == 1 { "is" } else { "are" };
    match open {
        0 => format!("No question is open. Undetermined obligations: {undetermined}."),
        open => format!(
            "{} {is} open, and {}.",
            count(open, "question"),
            frame::depend(undetermined)
        ),
    }
}

/// Lists the open questions. It writes nothing, so it can run next to a daemon.
fn list(arguments: &AnswerArgs, path: &str) -> ExitCode {
    let engine = match command::reading_engine() {
        Ok(engine) => engine,
        Err(why) => return fail(&why),
    };
    let looked = open_questions(&engine, path);
    engine.stop();
    let (scan, open) = match looked {
        Ok(looked) => looked,
        Err(failure) => return fail(&failure.details),
    };
    // Without its answers the list would not be true.
    if let Some(error) = &scan.profile.error {
        return fail(error);
    }
    if arguments.json {
        return match serde_json::to_string_pretty(&list::json(&scan, &open)) {
            Ok(text) => printed(&(text + "\n")),
            Err(error) => fail(&format!(
                "could not write the list as JSON: {error}; use the text format"
            )),
        };
    }
    for warning in &scan.profile.warnings {
        note(warning);
    }
    let mut text = list::text(&scan, &open, path, &layout());
    if !arguments.list && !open.is_empty() {
        let path = shell_word(path);
        let hint = format!(
            "To answer, run `engine-server answer {path}` in a terminal, or pass answers such as `--set {}=VALUE`.",
            open[0].1.key
        );
        text.push_str(&paragraph(&hint, 0, 0, false, &layout()));
    }
    printed(&text)
}

/// Asks the open questions in the terminal.
fn ask(arguments: &AnswerArgs, path: String) -> ExitCode {
    let engine = match command::engine() {
        Ok(engine) => engine,
        Err(why) => return fail(&why),
    };
    let setting = Setting {
        by: arguments.by.clone(),
        offered: git_name::git_name(Path::new(&path)),
        on: arguments.on,
        path,
    };
    let mut input = io::stdin().lock();
    let mut out = io::stdout().lock();
    let ended = session::run(&engine, setting, Talk::new(&mut input, &mut out, layout()));
    engine.stop();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble::Engine(failure)) => fail(&in_words(failure).details),
        // The terminal was closed; every answer was written when it was given.
        Err(Trouble::Terminal(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Trouble::Terminal(error)) => fail(&format!(
            "could not use the terminal: {error}; use `--list` and `--set` instead"
        )),
    }
}
