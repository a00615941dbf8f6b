//! The dialogue in a terminal: one question at a time, and each answer is written at once.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use engine::{AnswerReply, AnswerRequest, Engine};
use engine_model::{Applies, Date, ErrorCode, Failure, ProfileStatus, Question, ScanResult, System};
use engine_profile::ALL_SYSTEMS;
use serde_json::Value;

use super::asked::{Asked, Input, about, is_practice, system_name};
use super::frame::known;
use super::open_questions;
use super::talk::{Talk, count};

/// The check that reports answers contradicted by the code.
const CONTRADICTED: &str = "cross-contradicted-answer";

/// The settings of a dialogue.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// The project's folder, as given on the command line.
    pub(super) path: String,
    /// The name of the person behind the answers, if given.
    pub(super) by: Option<String>,
    /// The suggested name, from git.
    pub(super) offered: Option<String>,
    /// The day of the answers; today if absent.
    pub(super) on: Option<Date>,
}

/// The reason why a dialogue failed.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The terminal was closed.
    Terminal(io::Error),
    /// The engine reported a failure.
    Engine(Failure),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Terminal(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Engine(failure)
    }
}

/// A question of this dialogue.
struct Turn {
    system: System,
    question: Question,
    /// The answer; none if it was skipped.
    answer: Option<Vec<String>>,
}

/// The next step of the dialogue.
enum Step {
    /// Ask the next question.
    Next,
    /// Ask this question again.
    Again(Box<Turn>),
    /// End the dialogue.
    Stop,
}

/// A dialogue under way.
pub(super) struct Session<'a> {
    engine: &'a Engine,
    pub(super) setting: Setting,
    pub(super) talk: Talk<'a>,
    pub(super) scan: ScanResult,
    pub(super) open: Vec<(System, Question)>,
    /// The questions asked so far, in order.
    turns: Vec<Turn>,
    /// Keys that were answered.
    pub(super) answered: BTreeSet<String>,
    /// Keys that were answered with "I do not know".
    pub(super) unknown: BTreeSet<String>,
    /// Keys that were skipped once, and keys that were skipped twice.
    skipped: BTreeSet<String>,
    left: BTreeSet<String>,
    /// The number of evidence entries saved.
    pub(super) evidence: u64,
}

/// Leads a dialogue to its end.
pub(super) fn run<'a>(engine: &'a Engine, setting: Setting, mut talk: Talk<'a>) -> Result<(), Trouble> {
    talk.say("Scanning the project.")?;
    let (scan, open) = open_questions(engine, &setting.path)?;
    if let (ProfileStatus::Broken, Some(error)) = (scan.profile.status, &scan.profile.error) {
        let details = format!("{error}; correct the file first, so that its content is not lost");
        return Err(Failure::new(ErrorCode::StateConflict, details).into());
    }
    let mut session = Session {
        engine,
        setting,
        talk,
        scan,
        open,
        turns: Vec::new(),
        answered: BTreeSet::new(),
        unknown: BTreeSet::new(),
        skipped: BTreeSet::new(),
        left: BTreeSet::new(),
        evidence: 0,
    };
    session.lead()
}

impl Session<'_> {
    fn lead(&mut self) -> Result<(), Trouble> {
        if self.scan.systems.is_empty() {
            self.no_system()?;
            return Ok(());
        }
        let before = undetermined(&self.scan);
        let duties = self.duties().len() as u64 + self.screenings().len() as u64;
        self.begin(before)?;
        if self.open.is_empty() && duties == 0 {
            self.talk.gap()?;
            self.talk.say("No open questions or missing evidence today.")?;
            return self.next_command(false);
        }
        let finished = self.name()? && self.questions()? && self.only_you()?;
        self.end(before, finished)
    }

    /// Asks for the name. False if the person wants to stop.
    fn name(&mut self) -> Result<bool, Trouble> {
        if self.setting.by.is_some() {
            return Ok(true);
        }
        self.talk.gap()?;
        let prompt = match &self.setting.offered {
            Some(name) => format!("Your name, saved with each answer (Enter for {name}, from git):"),
            None => "Your name, saved with each answer (Enter to answer without a name):".to_owned(),
        };
        loop {
            let Some(line) = self.talk.ask(&prompt)? else {
                return Ok(false);
            };
            match line.chars().count() {
                0 => {
                    self.setting.by.clone_from(&self.setting.offered);
                    return Ok(true);
                }
                1 if line == "q" => return Ok(false),
                1 => self
                    .talk
                    .say("This name is too short. It is saved with each answer, so that others can contact you. Type q to stop.")?,
                _ => {
                    self.setting.by = Some(line);
                    return Ok(true);
                }
            }
        }
    }

    /// Asks for a name if evidence needs one and none was given.
    pub(super) fn evidence_name(&mut self) -> Result<Asking, Trouble> {
        if self.setting.by.is_some() {
            return Ok(Asking::Given(String::new()));
        }
        let asked = self.line("Evidence needs a name. Your name (Enter to skip, q to stop):")?;
        if let Asking::Given(name) = &asked {
            self.setting.by = Some(name.clone());
        }
        Ok(asked)
    }

    /// A line that can be skipped.
    pub(super) fn line(&mut self, prompt: &str) -> Result<Asking, Trouble> {
        Ok(match self.talk.ask(prompt)?.as_deref() {
            None | Some("q" | "Q") => Asking::Stop,
            Some("" | "s" | "S") => Asking::Skip,
            Some(line) => Asking::Given(line.to_owned()),
        })
    }

    /// Asks the open questions. False if the person wants to stop.
    fn questions(&mut self) -> Result<bool, Trouble> {
        let mut again: Option<Turn> = None;
        loop {
            let Some(turn) = again.take().or_else(|| self.next()) else {
                return Ok(true);
            };
            match self.turn(turn)? {
                Step::Next => {}
                Step::Again(turn) => again = Some(*turn),
                Step::Stop => return Ok(false),
            }
        }
    }

    /// Whether a question is still to be asked in this dialogue.
    fn waits(&self, question: &Question) -> bool {
        !self.answered.contains(&question.key) && !self.left.contains(&question.key)
    }

    /// The remaining question that decides most obligations; skipped questions come last.
    fn next(&self) -> Option<Turn> {
        let waiting = || self.open.iter().filter(|(_, question)| self.waits(question));
        let fresh = waiting().find(|(_, question)| !self.skipped.contains(&question.key));
        let (system, question) = fresh.or_else(|| waiting().next())?;
        Some(Turn {
            system: system.clone(),
            question: question.clone(),
            answer: None,
        })
    }

    /// Asks one question until it is answered or skipped.
    fn turn(&mut self, turn: Turn) -> Result<Step, Trouble> {
        let asked = Asked::new(&turn.question);
        let still = self.open.iter().filter(|(_, question)| self.waits(question));
        let still = still.filter(|(_, question)| question.key != turn.question.key).count();
        let number = self.turns.len() + 1;
        self.talk.heading(&format!(
            "Question {number} of about {} · {}",
            number + still,
            about(&turn.system, &turn.question)
        ))?;
        if self.skipped.contains(&turn.question.key) {
            self.talk.say("You skipped this question before.")?;
        }
        if turn.question.key.starts_with(&format!("{ALL_SYSTEMS}.")) {
            let id = &turn.question.id;
            let system = self.scan.systems.first().map_or("", |system| system.id.as_str());
            self.talk.say(&format!(
                "Your answer applies to every system. To answer for one system, skip and use `--set\u{a0}{system}.{id}=VALUE`."
            ))?;
        }
        asked.show(&mut self.talk)?;
        if let Some(answer) = &turn.answer {
            let answer = answer.join(", ");
            self.talk
                .say(&format!("Your answer was `{answer}`. Press Enter to keep it."))?;
        }
        loop {
            let Some(line) = self.talk.ask(&asked.prompt())? else {
                return Ok(Step::Stop);
            };
            match asked.read(&line, turn.answer.is_some()) {
                Input::Words(words) => {
                    if let Some(step) = self.reason_and_keep(&asked, &turn, words)? {
                        return Ok(step);
                    }
                }
                Input::Keep => {
                    self.turns.push(turn);
                    return Ok(Step::Next);
                }
                Input::Skip => {
                    if let Some(answer) = &turn.answer {
                        let answer = answer.join(", ");
                        self.talk.say(&format!("The answer is still `{answer}`."))?;
                    } else if !self.skipped.insert(turn.question.key.clone()) {
                        self.left.insert(turn.question.key.clone());
                    }
                    self.turns.push(turn);
                    return Ok(Step::Next);
                }
                Input::Back => match self.turns.pop() {
                    Some(previous) => {
                        self.skipped.remove(&previous.question.key);
                        self.left.remove(&previous.question.key);
                        return Ok(Step::Again(Box::new(previous)));
                    }
                    None => self.talk.say("This is the first question, so you cannot go back.")?,
                },
                Input::Stop => return Ok(Step::Stop),
                Input::Help => self.help(&asked)?,
                Input::Unclear(why) => self.talk.say(&why)?,
            }
        }
    }

    /// Asks for a reason if one is needed, and saves the answer. None if the question is asked again.
    fn reason_and_keep(&mut self, asked: &Asked<'_>, turn: &Turn, words: Vec<String>) -> Result<Option<Step>, Trouble> {
        let excluded = is_practice(&turn.question) && words == ["no"];
        let mut stop = false;
        let mut why = None;
        if asked.needs_reason(&words) {
            if excluded {
                self.talk
                    .say("With a reason and your name, this `no` counts as a screening for this practice.")?;
            }
            match self.talk.ask("Reason (Enter to leave it empty):")?.as_deref() {
                None | Some("q" | "Q") => stop = true,
                Some("b" | "B") => return Ok(None),
                Some("" | "s" | "S") => {}
                Some(reason) => why = Some(reason.to_owned()),
            }
        }
        if !self.keep(turn, words, why)? {
            return Ok(None);
        }
        Ok(Some(if stop { Step::Stop } else { Step::Next }))
    }

    /// Saves an answer and reports its effects. False if it was rejected.
    fn keep(&mut self, turn: &Turn, words: Vec<String>, why: Option<String>) -> Result<bool, Trouble> {
        let key = turn.question.key.clone();
        let value = match words.as_slice() {
            [word] => Value::String(word.clone()),
            words => Value::from(words.to_vec()),
        };
        let answers = BTreeMap::from([(key.clone(), value)]);
        let excluded = is_practice(&turn.question) && words == ["no"];
        let screened = excluded && why.is_some() && self.setting.by.is_some();
        let Some(reply) = self.write(AnswerRequest {
            answers,
            why,
            ..AnswerRequest::default()
        })?
        else {
            return Ok(false);
        };
        if words == ["unknown"] {
            self.talk.say("Saved as unknown. The question stays open.")?;
            self.unknown.insert(key.clone());
        } else {
            self.say_kept(&reply)?;
            self.unknown.remove(&key);
        }
        if screened {
            self.talk.say("This answer counts as a screening for this practice.")?;
        }
        self.warn(&reply)?;
        self.look()?;
        self.answered.insert(key);
        self.turns.push(Turn {
            system: turn.system.clone(),
            question: turn.question.clone(),
            answer: Some(words),
        });
        Ok(true)
    }

    /// Sends a request with the name and the date. None if the engine rejects the input; the reason is shown.
    pub(super) fn write(&mut self, request: AnswerRequest) -> Result<Option<AnswerReply>, Trouble> {
        let request = AnswerRequest {
            path: Some(self.setting.path.clone()),
            by: self.setting.by.clone(),
            on: self.setting.on,
            ..request
        };
        match self.engine.answer(&request) {
            Ok(reply) => {
                self.evidence += reply.evidenced.len() as u64;
                Ok(Some(reply))
            }
            Err(failure) if matches!(failure.code, ErrorCode::InvalidRequest | ErrorCode::Impossible) => {
                self.talk
                    .say(&format!("Not saved: {}.", failure.details.trim_end_matches('.')))?;
                Ok(None)
            }
            Err(failure) => Err(failure.into()),
        }
    }

    fn say_kept(&mut self, reply: &AnswerReply) -> io::Result<()> {
        for (key, words) in &reply.answered {
            self.talk.say(&format!("Saved: `{key}` = {}.", words.join(", ")))?;
        }
        let before = undetermined(&self.scan);
        if before > reply.undetermined {
            let settled = before - reply.undetermined;
            self.talk
                .say(&format!("This answer settles {}.", count(settled, "obligation")))?;
        }
        Ok(())
    }

    /// Shows warnings about an answer, above all about prohibited practices.
    fn warn(&mut self, reply: &AnswerReply) -> io::Result<()> {
        for warning in &reply.warnings {
            self.talk.heading("Warning: prohibited practice")?;
            self.talk.say(warning)?;
        }
        Ok(())
    }

    /// Scans again and reports changed risk classes and answers contradicted by the code.
    pub(super) fn look(&mut self) -> Result<(), Trouble> {
        let (scan, open) = open_questions(self.engine, &self.setting.path)?;
        for system in &scan.systems {
            let before = self.scan.systems.iter().find(|before| before.id == system.id);
            if before.is_some_and(|before| before.risk_class != system.risk_class) {
                let (name, class) = (system_name(system), known(&system.risk_class));
                self.talk.say(&format!("The risk class of {name} is now: {class}."))?;
            }
        }
        let contradicted = |scan: &ScanResult| -> BTreeMap<String, String> {
            let findings = scan.findings.iter().filter(|finding| finding.check_id == CONTRADICTED);
            findings
                .map(|finding| (finding.id.clone(), finding.message.clone()))
                .collect()
        };
        let known = contradicted(&self.scan);
        for (id, message) in contradicted(&scan) {
            if !known.contains_key(&id) {
                self.talk.heading("Note: the code contradicts this answer")?;
                self.talk.say(&format!("{}.", message.trim_end_matches('.')))?;
                self.talk.say(
                    "The engine uses your answer. If it is wrong, type b to correct it; otherwise change the code.",
                )?;
            }
        }
        (self.scan, self.open) = (scan, open);
        Ok(())
    }

    fn help(&mut self, asked: &Asked<'_>) -> io::Result<()> {
        self.talk.say(&asked.hint())?;
        for line in [
            "?  I do not know. This is saved, and the question stays open.",
            "s  Skip. The question returns at the end.",
            "b  Back to the previous question. The new answer replaces the old one.",
            "q  Stop. All answers so far are saved.",
        ] {
            self.talk.item(2, 5, line)?;
        }
        Ok(())
    }

    /// Counts answers that were saved outside the questions.
    pub(super) fn count_answers(&mut self, reply: &AnswerReply) {
        self.answered.extend(reply.answered.keys().cloned());
    }
}

/// The input to a prompt that can be skipped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// A text.
    Given(String),
    /// Nothing.
    Skip,
    /// End the dialogue.
    Stop,
}

/// The undetermined obligations of all systems.
pub(super) fn undetermined(scan: &ScanResult) -> u64 {
    let records = scan.systems.iter().flat_map(|system| &system.obligations);
    records.filter(|record| record.applies == Applies::Undetermined).count() as u64
}
