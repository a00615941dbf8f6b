//! The beginning and the end of a dialogue: what is open, and what was kept.

use std::io;

use engine_model::Applicability;

use super::asked::{KEYS, system_name};
use super::session::{Session, Trouble, undetermined};
use super::talk::{count, shell_word};

/// Seconds that a person needs for a question, on average.
const SECONDS_PER_QUESTION: u64 = 20;

/// Keys of open questions that are named at the end.
const KEYS_SHOWN: usize = 6;

impl Session<'_> {
    /// Says why there is nothing to answer.
    pub(super) fn no_system(&mut self) -> io::Result<()> {
        let found = match self.scan.applicability {
            Applicability::Library => "This project is a library that uses models. It is not an AI system itself",
            Applicability::Undetermined => "AI packages or model files were found, but no use that makes an AI system",
            Applicability::NoAiFound | Applicability::SystemsFound => "No AI system was found in this project",
        };
        self.talk.say(&format!("{found}, so there is nothing to answer."))?;
        let reason = self.scan.applicability_reason.trim_end_matches('.').to_owned();
        self.talk.say(&format!("Reason: {reason}."))
    }

    /// Says what was found and how to answer.
    pub(super) fn begin(&mut self, waiting: u64) -> Result<(), Trouble> {
        let path = &self.scan.project_path;
        let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path);
        self.talk.heading(&format!("Questions on the EU AI Act for {name}"))?;
        let systems = count(self.scan.systems.len() as u64, "AI system");
        self.talk.say(&format!("{systems} found:"))?;
        self.say_systems()?;
        for warning in &self.scan.profile.warnings {
            self.talk.say(&format!("Note on {warning}"))?;
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
            waits(waiting)
        ))?;
        self.talk
            .say("Each answer is written to the profile at once. You can stop at any time and go on later.")?;
        self.talk.say(&format!(
            "Type the number of an answer and press Enter. Other keys: {KEYS}."
        ))?;
        Ok(())
    }

    /// Each system in a line.
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

    /// Says what was kept and how to go on.
    pub(super) fn end(&mut self, before: u64, finished: bool) -> Result<(), Trouble> {
        self.talk.heading(if finished { "Done" } else { "Stopped" })?;
        let answers = self.answered.len() as u64;
        if answers + self.evidence == 0 {
            self.talk.say("Nothing was changed.")?;
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
                "Kept: {} in `{file}`. Review this file in a pull request.",
                parts.join(" and ")
            ))?;
            self.say_systems()?;
        }
        let now = undetermined(&self.scan);
        self.talk.say(&format!(
            "Obligations that wait for an answer: {before} before, {now} now."
        ))?;
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

    /// Says the next command.
    pub(super) fn next_command(&mut self, more: bool) -> Result<(), Trouble> {
        let path = shell_word(&self.setting.path);
        if more {
            self.talk
                .say(&format!("To go on with the questions: engine-server answer {path}"))?;
        }
        self.talk.say(&format!("Next: engine-server scan {path}"))?;
        Ok(())
    }
}

/// How many obligations wait, as a sentence without its end.
pub(super) fn waits(number: u64) -> String {
    let wait = if number == 1 { "waits" } else { "wait" };
    format!("{} {wait} for an answer", count(number, "obligation"))
}

/// A word for what is not known.
pub(super) fn known(word: &str) -> &str {
    match word {
        "" | "unknown" => "not known yet",
        word => word,
    }
}
