//! The beginning and the end of a dialogue: the open questions and the saved answers.

use std::io;

use engine_model::Applicability;

use super::asked::{KEYS, system_name};
use super::session::{Session, Trouble, undetermined};
use super::talk::count;
use crate::command::shell_word;

/// Average seconds per question.
const SECONDS_PER_QUESTION: u64 = 20;

/// The most open questions that are listed at the end.
const KEYS_SHOWN: usize = 6;

impl Session<'_> {
    /// Reports that there is nothing to answer, with the reason.
    pub(super) fn no_system(&mut self) -> io::Result<()> {
        let found = match self.scan.applicability {
            Applicability::Library => "This project is a library that uses AI models, not an AI system",
            Applicability::Undetermined => {
                "AI packages or model files were found, but no code that uses them as an AI system"
            }
            Applicability::NoAiFound | Applicability::SystemsFound => "No AI system was found in this project",
        };
        self.talk.say(&format!("{found}, so there is nothing to answer."))?;
        let reason = self.scan.applicability_reason.trim_end_matches('.').to_owned();
        self.talk.say(&format!("Reason: {reason}."))
    }

    /// Reports the systems found and explains how to answer.
    pub(super) fn begin(&mut self, waiting: u64) -> Result<(), Trouble> {
        let path = &self.scan.project_path;
        let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path);
        self.talk.heading(&format!("Questions on the EU AI Act for {name}"))?;
        let systems = count(self.scan.systems.len() as u64, "AI system");
        self.talk.say(&format!("{systems} found:"))?;
        self.say_systems()?;
        for warning in &self.scan.profile.warnings {
            self.talk.say(&format!("Note: {warning}"))?;
        }
        self.talk.gap()?;
        let open = self.open.len() as u64;
        if open == 0 {
            self.talk.say("No question is open.")?;
            return Ok(());
        }
        let is = if open == 1 { "is" } else { "are" };
        let minutes = (open * SECONDS_PER_QUESTION).div_ceil(60);
        self.talk.say(&format!(
            "{} {is} open, about {}. {}.",
            count(open, "question"),
            count(minutes, "minute"),
            depend(waiting)
        ))?;
        self.talk
            .say("Each answer is saved at once. You can stop at any time and continue later.")?;
        self.talk.say(&format!(
            "Type the number of an answer and press Enter. Other keys: {KEYS}."
        ))?;
        Ok(())
    }

    /// Prints each system on its own line.
    fn say_systems(&mut self) -> io::Result<()> {
        for system in &self.scan.systems {
            let place = match system.scope.as_str() {
                "" => "the whole project".to_owned(),
                scope => format!("`{scope}/`"),
            };
            let line = format!(
                "{}: {place}, role {}, risk class {}",
                system_name(system),
                known(&system.role),
                known(&system.risk_class)
            );
            self.talk.item(2, 4, &line)?;
        }
        Ok(())
    }

    /// Reports the saved answers and the next command.
    pub(super) fn end(&mut self, before: u64, finished: bool) -> Result<(), Trouble> {
        self.talk.heading(if finished { "Done" } else { "Stopped" })?;
        let answers = self.answered.len() as u64;
        if answers + self.evidence == 0 {
            self.talk.say("No answers were saved.")?;
        } else {
            let mut parts = Vec::new();
            if answers > 0 {
                parts.push(count(answers, "answer"));
            }
            if self.evidence > 0 {
                parts.push(count(self.evidence, "piece of evidence"));
            }
            let file = &self.scan.profile.file;
            self.talk.say(&format!(
                "Saved: {} in `{file}`. Review this file in a pull request.",
                parts.join(" and ")
            ))?;
            self.say_systems()?;
        }
        let now = undetermined(&self.scan);
        self.talk
            .say(&format!("Undetermined obligations: {before} before, {now} now."))?;
        if self.open.is_empty() {
            self.talk.say("No question is open.")?;
        } else {
            let keys = self.open.iter().map(|(_, question)| format!("`{}`", question.key));
            let mut shown: Vec<String> = keys.take(KEYS_SHOWN).collect();
            if self.open.len() > KEYS_SHOWN {
                shown.push(format!("and {} more", self.open.len() - KEYS_SHOWN));
            }
            let open = count(self.open.len() as u64, "open question");
            self.talk.say(&format!("{open}: {}.", shown.join(", ")))?;
        }
        self.next_command(!finished || !self.open.is_empty())
    }

    /// Prints the next command.
    pub(super) fn next_command(&mut self, more: bool) -> Result<(), Trouble> {
        let path = shell_word(&self.setting.path);
        if more {
            self.talk
                .say(&format!("To continue with the questions: engine-server answer {path}"))?;
        }
        self.talk.say(&format!("Next: engine-server scan {path}"))?;
        Ok(())
    }
}

/// The number of undetermined obligations, as a clause.
pub(super) fn depend(number: u64) -> String {
    let depend = if number == 1 { "depends" } else { "depend" };
    format!("{} {depend} on the answers", count(number, "obligation"))
}

/// A word for an unknown value.
pub(super) fn known(word: &str) -> &str {
    match word {
        "" | "unknown" => "not yet known",
        word => word,
    }
}
