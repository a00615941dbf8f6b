//! The second part of the dialogue: evidence that only people can provide, recorded with a reference.

use std::collections::BTreeMap;

use engine::{AnswerRequest, EvidenceRequest};
use engine_model::{Applies, ObligationRecord, ObligationStatus, System};
use engine_profile::{ALL_SYSTEMS, QuestionSpec};
use engine_regulation::{Obligation, RiskClass, regulation};
use serde_json::Value;

use super::asked::system_name;
use super::session::{Asking, Session, Trouble};

/// The shortest reference. A single letter is a mistyped key.
const REFERENCE_CHARS_MIN: usize = 3;

/// An obligation that needs evidence from people.
pub(super) struct Duty {
    obligation: &'static Obligation,
    /// The systems without evidence for it.
    systems: Vec<String>,
}

/// A system without a screening for practices of Art. 5.
pub(super) struct Screening {
    system: String,
    name: String,
    /// The practices that no answer has excluded.
    practices: Vec<&'static QuestionSpec>,
    /// The practices left out, because the code points to them or the answer is unknown.
    separate: Vec<&'static QuestionSpec>,
}

impl Session<'_> {
    /// Obligations that apply today, have no evidence, and cannot be shown by code.
    pub(super) fn duties(&self) -> Vec<Duty> {
        let mut duties: BTreeMap<&str, Duty> = BTreeMap::new();
        for system in &self.scan.systems {
            for record in &system.obligations {
                let Some(obligation) = regulation().obligation(&record.obligation_id) else {
                    continue;
                };
                let open = record.applies == Applies::Applies && record.status == ObligationStatus::NotEvaluated;
                let by_people = !obligation.checkable_by.code || obligation.checkable_by.process;
                // A code of conduct is voluntary, and a practice is excluded by an answer.
                let voluntary = obligation.risk_class == RiskClass::Minimal;
                if open && by_people && !voluntary && !obligation.is_prohibition() {
                    let duty = duties.entry(&obligation.id).or_insert_with(|| Duty {
                        obligation,
                        systems: Vec::new(),
                    });
                    duty.systems.push(system.id.clone());
                }
            }
        }
        duties.into_values().collect()
    }

    /// Systems with practices of Art. 5 that no answer has excluded.
    pub(super) fn screenings(&self) -> Vec<Screening> {
        let screenings = self.scan.systems.iter().map(|system| self.screening(system));
        screenings.filter(|screening| !screening.practices.is_empty()).collect()
    }

    fn screening(&self, system: &System) -> Screening {
        let unscreened = engine_profile::practices().filter(|(spec, obligation)| {
            let record = system
                .obligations
                .iter()
                .find(|record| record.obligation_id == *obligation);
            // A document that is begun screens nothing, and neither does `no` without a name or a reason.
            let stated = system.answers.iter().any(|answer| {
                let screened = answer.by.is_some() && answer.why.is_some();
                answer.question == spec.id
                    && answer.status == "answered"
                    && (answer.value == ["yes"] || answer.value == ["no"] && screened)
            });
            let open = |record: &ObligationRecord| {
                record.applies != Applies::DoesNotApply
                    && matches!(
                        record.status,
                        ObligationStatus::NotEvaluated | ObligationStatus::Incomplete
                    )
            };
            record.is_some_and(open) && !stated
        });
        // Where code points to a practice, one answer for all of them would hide it.
        let separate = |spec: &QuestionSpec| {
            let keys = [&system.id, ALL_SYSTEMS].map(|target| format!("{target}.{}", spec.id));
            let asked = |key: &String| self.open.iter().any(|(_, question)| question.key == *key);
            keys.iter().any(|key| self.unknown.contains(key) || asked(key))
        };
        let (separate, practices) = unscreened
            .map(|(spec, _)| spec)
            .partition(|spec: &&QuestionSpec| separate(spec));
        Screening {
            system: system.id.clone(),
            name: system_name(system),
            practices,
            separate,
        }
    }

    /// Asks for evidence that only people can provide. False if the person wants to stop.
    pub(super) fn only_you(&mut self) -> Result<bool, Trouble> {
        let screenings = self.screenings();
        let duties = self.duties();
        if screenings.is_empty() && duties.is_empty() {
            return Ok(true);
        }
        self.talk.heading(&format!(
            "Evidence that only you can provide ({})",
            screenings.len() + duties.len()
        ))?;
        self.talk.say(
            "These obligations apply today, and code cannot show that they are met. State the evidence and where it is kept.",
        )?;
        for screening in &screenings {
            let line = format!("Art. 5: screening for prohibited practices of {}", screening.name);
            self.talk.item(2, 4, &line)?;
        }
        for duty in &duties {
            let line = format!("{}: {}", duty.obligation.citation(), duty.obligation.title);
            self.talk.item(2, 4, &line)?;
        }
        for screening in &screenings {
            if !self.screen(screening)? {
                return Ok(false);
            }
        }
        for duty in &duties {
            if !self.state(duty)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Asks whether a system was screened for the practices of Art. 5. False if the person wants to stop.
    fn screen(&mut self, screening: &Screening) -> Result<bool, Trouble> {
        let name = &screening.name;
        self.talk.heading(&format!("Screening for Art. 5 · {name}"))?;
        let titles = |specs: &[&QuestionSpec]| {
            let titles: Vec<String> = specs
                .iter()
                .map(|spec| format!("{} ({})", spec.title.to_lowercase(), spec.provision))
                .collect();
            titles.join("; ")
        };
        self.talk
            .say(&format!("Prohibited practices: {}.", titles(&screening.practices)))?;
        if !screening.separate.is_empty() {
            self.talk.say(&format!(
                "Not covered by this screening: {}. Each has its own open question.",
                titles(&screening.separate)
            ))?;
        }
        self.talk
            .say("If you type y and give a reason, `no` is saved for each practice with your name. This counts as a screening.")?;
        loop {
            let prompt = format!("Was {name} screened for the prohibited practices of Art. 5? (y, n, q to stop):");
            match self.line(&prompt)? {
                Asking::Stop => return Ok(false),
                Asking::Given(line) if ["y", "yes"].contains(&line.to_lowercase().as_str()) => break,
                Asking::Given(line) if !["n", "no", "?"].contains(&line.to_lowercase().as_str()) => {
                    self.talk
                        .say(&format!("`{line}` is not a valid answer. Type y for yes or n for no."))?;
                }
                Asking::Given(_) | Asking::Skip => {
                    self.talk.say("Nothing was saved. The screening stays open.")?;
                    return Ok(true);
                }
            }
        }
        match self.evidence_name()? {
            Asking::Stop => return Ok(false),
            Asking::Skip => return Ok(true),
            Asking::Given(_) => {}
        }
        match self
            .line("Reason why none of these practices is used, such as who checked what (Enter to skip, q to stop):")?
        {
            Asking::Stop => Ok(false),
            Asking::Skip => {
                self.talk
                    .say("Nothing was saved, because a screening needs a reason. The screening stays open.")?;
                Ok(true)
            }
            Asking::Given(why) => {
                let answer = |spec: &&QuestionSpec| (format!("{}.{}", screening.system, spec.id), Value::from("no"));
                let reply = self.write(AnswerRequest {
                    answers: screening.practices.iter().map(answer).collect(),
                    why: Some(why),
                    ..AnswerRequest::default()
                })?;
                if let Some(reply) = reply {
                    let kept = reply.answered.len();
                    self.talk
                        .say(&format!("Saved: `no` with this reason for {kept} practices of Art. 5."))?;
                    self.count_answers(&reply);
                    self.look()?;
                }
                Ok(true)
            }
        }
    }

    /// Asks for the evidence of one obligation. False if the person wants to stop.
    fn state(&mut self, duty: &Duty) -> Result<bool, Trouble> {
        let obligation = duty.obligation;
        let everywhere = duty.systems.len() == self.scan.systems.len();
        let of = if everywhere {
            String::new()
        } else {
            format!(" for {}", duty.systems.join(", "))
        };
        self.talk.gap()?;
        let prompt = format!(
            "Evidence for {} {}{of} (what and where; Enter to skip, h help, q to stop):",
            obligation.citation(),
            obligation.title
        );
        let reference = loop {
            match self.line(&prompt)? {
                Asking::Stop => return Ok(false),
                Asking::Skip => return Ok(true),
                Asking::Given(line) if ["h", "?"].contains(&line.to_lowercase().as_str()) => {
                    self.talk.say(&obligation.description)?;
                    if !obligation.evidence.process.is_empty() {
                        let shown = obligation.evidence.process.join("; ");
                        self.talk.say(&format!("Possible evidence: {shown}."))?;
                    }
                }
                Asking::Given(line) if line.chars().count() < REFERENCE_CHARS_MIN => {
                    self.talk
                        .say("This is too short. State what the evidence is and where it is kept.")?;
                }
                Asking::Given(line) => break line,
            }
        };
        match self.evidence_name()? {
            Asking::Stop => return Ok(false),
            Asking::Skip => return Ok(true),
            Asking::Given(_) => {}
        }
        let of = |system: Option<String>| EvidenceRequest {
            system,
            obligation: obligation.id.clone(),
            reference: reference.clone(),
            until: None,
        };
        let evidence = if everywhere {
            vec![of(None)]
        } else {
            duty.systems.iter().cloned().map(Some).map(of).collect()
        };
        let reply = self.write(AnswerRequest {
            evidence,
            ..AnswerRequest::default()
        })?;
        if reply.is_some() {
            self.talk.say(&format!(
                "Saved: evidence for {}, valid for twelve months.",
                obligation.citation()
            ))?;
            self.look()?;
        }
        Ok(true)
    }
}
