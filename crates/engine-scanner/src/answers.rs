//! What people stated, as evidence, as a gap, and where code contradicts it.

use std::collections::BTreeMap;

use engine_model::{
    Call, Check, CheckContext, Evidence, EvidenceKind, Location, Outcome, Report, Severity, System, declare_check,
};
use engine_profile::{Profile, Value, practices, question};
use engine_regulation::TransparencyCase;

use crate::ask::{Assessed, DISCLOSED};
use crate::findings::Observed;

/// The checks of this module.
pub(crate) const CHECKS: &[Check] = &[STATED_PRACTICE, STATED_EVIDENCE, CONTRADICTED_ANSWER, UNDECLARED_SYSTEM];

/// The file of the answers, as it is named in results.
const PROFILE: &str = ".compliance/profile.toml";

/// How sure a statement is: a named person said so.
const STATED: u8 = 90;

declare_check! {
    /// Prohibited practice stated in the profile.
    ///
    /// Art. 5 prohibits the practice, and the owner answered `yes` to its question in `.compliance/profile.toml`. An answer
    /// `no` with a name and a reason is not reported: it counts as evidence of a screening for twelve months.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- .compliance/profile.toml
    /// [systems.main]
    /// art-5-social-scoring = { value = "yes", by = "A. Person", on = 2026-11-01 }
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- .compliance/profile.toml
    /// [systems.main]
    /// art-5-social-scoring = { value = "no", by = "A. Person", on = 2026-11-01, why = "it answers questions on invoices" }
    /// ```
    STATED_PRACTICE {
        id: "cross-stated-practice",
        layer: L4,
        obligation: "OBL-004",
        evidence: "Prohibited practice excluded by named person",
        severity: Critical,
        impact: Exposes,
        fix: "Stop the practice, or document which exception of the article covers it. Consult legal counsel before the system runs again.",
        run: after_the_join,
    }
}

declare_check! {
    /// Obligation stated as not met.
    ///
    /// Some obligations are met outside the repository, for example by training, by contracts, by an assessment kept
    /// elsewhere or by a notice in another application. A named person can state such evidence in
    /// `.compliance/profile.toml` with a reference. It counts until its last day, and it never closes a gap that was found.
    /// An answer that users do not know about the AI is reported as a gap.
    ///
    /// Reported:
    /// ```text
    /// //- api.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    ///
    ///
    /// @app.post("/chat")
    /// def chat(message: str):
    ///     return {"reply": OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=message).output_text}
    /// //- .compliance/profile.toml
    /// [systems.main]
    /// direct-interaction = "yes"
    /// ai-is-obvious = { value = "no", by = "A. Person", on = 2026-11-01 }
    /// ```
    /// Not reported:
    /// ```text
    /// //- api.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    ///
    ///
    /// @app.post("/chat")
    /// def chat(message: str):
    ///     return {"reply": OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=message).output_text}
    /// //- .compliance/profile.toml
    /// [systems.main]
    /// direct-interaction = "yes"
    /// ai-is-obvious = { value = "yes", by = "A. Person", on = 2026-11-01, why = "the page around the chat says so" }
    /// ```
    STATED_EVIDENCE {
        id: "cross-stated-evidence",
        layer: L2,
        obligation: "OBL-094",
        evidence: "Evidence stated by a named person",
        severity: High,
        impact: Misleads,
        fix: "Meet the requirement of the article, then update the answer.",
        run: after_the_join,
    }
}

declare_check! {
    /// Answer contradicted by code.
    ///
    /// The owner ruled out a use in `.compliance/profile.toml`, but the code shows it. The finding names both places. The
    /// answer still counts: correct it, change the code, or suppress the finding with a reason.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- .compliance/profile.toml
    /// [systems.main]
    /// synthetic-content = { value = "no", by = "A. Person", on = 2026-11-01 }
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- .compliance/profile.toml
    /// [systems.main]
    /// synthetic-content = { value = "yes", by = "A. Person", on = 2026-11-01 }
    /// ```
    CONTRADICTED_ANSWER {
        id: "cross-contradicted-answer",
        layer: L4,
        obligation: "OBL-095",
        severity: Medium,
        impact: Misleads,
        fix: "Compare the answer with the code. Correct the answer with `engine-server answer`, or change the code.",
        run: after_the_join,
    }
}

declare_check! {
    /// Model call outside the declared systems.
    ///
    /// The owner declared in `.compliance/profile.toml` which folders belong to which system. This model call is in none of
    /// these folders. It counts as a separate system until it is declared.
    ///
    /// Reported:
    /// ```text
    /// //- chat/app.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- jobs/rank.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- .compliance/profile.toml
    /// [systems.chat]
    /// paths = ["chat"]
    /// ```
    /// Not reported:
    /// ```text
    /// //- chat/app.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- jobs/rank.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- .compliance/profile.toml
    /// [systems.chat]
    /// paths = ["chat", "jobs"]
    /// ```
    UNDECLARED_SYSTEM {
        id: "cross-undeclared-system",
        layer: L4,
        obligation: "OBL-125",
        severity: Medium,
        impact: Prepares,
        fix: "Add the folder to the `paths` of a system in `.compliance/profile.toml`, declare a new system, or leave the folder out with a reason.",
        run: after_the_join,
    }
}

/// These checks read the answers, which no file of the tree holds; [`observe`] runs after the join.
fn after_the_join(_: &CheckContext<'_>, _: &mut Report) {}

/// What the answers of all systems amount to.
pub(crate) fn observe(
    systems: &[System],
    assessed: &[Assessed],
    profile: &Profile,
    observed: &[Observed],
    undeclared: &[&Call],
) -> Vec<Observed> {
    let mut out = Vec::new();
    let mut add = |check: &'static Check, report: Report| {
        out.extend(
            report
                .into_observations()
                .into_iter()
                .map(|observation| Observed::new(check, observation)),
        );
    };
    for (system, assessed) in systems.iter().zip(assessed) {
        add(&CHECKS[0], stated_practices(system, assessed));
        add(&CHECKS[1], stated_evidence(system, assessed, profile));
        add(&CHECKS[2], contradictions(system, assessed, observed));
    }
    let mut report = Report::default();
    for call in undeclared {
        report
            .info(
                85,
                format!("the model call `{}` is outside the declared systems", call.symbol),
            )
            .call(call);
    }
    add(&CHECKS[3], report);
    out
}

fn place(line: u32) -> Location {
    Location {
        file: PROFILE.to_owned(),
        line: line.max(1),
        column: 1,
        cell: None,
    }
}

fn person(reference: String, line: u32) -> Evidence {
    Evidence {
        kind: EvidenceKind::Person,
        reference,
        file: Some(PROFILE.to_owned()),
        line: Some(line.max(1)),
        hash: None,
    }
}

fn stated_practices(system: &System, assessed: &Assessed) -> Report {
    let mut report = Report::default();
    for (spec, obligation) in practices() {
        let Some((_, answer)) = assessed.stated.get(spec.id) else {
            continue;
        };
        let Some(value) = assessed.plan.counts(spec.id) else {
            continue;
        };
        let line = answer.place.line;
        if value.is_yes() {
            report
                .fail(
                    STATED,
                    format!(
                        "answered `yes` {}: {} {} prohibits this practice. {}",
                        answer.by_and_on(),
                        spec.text,
                        spec.provision,
                        spec.why
                    ),
                )
                .system(system)
                .at(place(line))
                .obligation(obligation)
                .title(spec.title)
                .anchor(format!("{}#{}", system.id, spec.id))
                .because(person(format!("{} = yes, {}", spec.id, answer.by_and_on()), line));
        } else if let (true, Some(_), Some(why)) = (value.is_no(), &answer.by, &answer.why)
            && answer
                .screened_until()
                .is_some_and(|until| until >= assessed.plan.query.as_of)
        {
            report
                .pass(
                    STATED,
                    format!("the practice was excluded {}: {why}", answer.by_and_on()),
                )
                .system(system)
                .at(place(line))
                .obligation(obligation)
                .anchor(format!("{}#{}", system.id, spec.id))
                .because(person(format!("{} = no, {}: {why}", spec.id, answer.by_and_on()), line));
        }
    }
    report
}

fn stated_evidence(system: &System, assessed: &Assessed, profile: &Profile) -> Report {
    let mut report = Report::default();
    let as_of = assessed.plan.query.as_of;
    for evidence in profile
        .evidence_of(&system.id)
        .filter(|evidence| evidence.until >= as_of)
    {
        let (by, on, until) = (&evidence.by, evidence.on, evidence.until);
        report
            .pass(
                STATED,
                format!("stated by {by} on {on}, until {until}: {}", evidence.reference),
            )
            .system(system)
            .at(place(evidence.place.line))
            .obligation(evidence.obligation.clone())
            .anchor(format!("{}#{}", system.id, evidence.obligation))
            .because(person(
                format!("stated by {by} on {on}, until {until}: {}", evidence.reference),
                evidence.place.line,
            ));
    }
    let disclosed = assessed.plan.counts(DISCLOSED).zip(assessed.stated.get(DISCLOSED));
    if let Some((value, (_, answer))) = disclosed {
        let line = answer.place.line;
        let anchor = format!("{}#{DISCLOSED}", system.id);
        let because = person(format!("{DISCLOSED} = {value}, {}", answer.by_and_on()), line);
        let why = answer.why.as_deref().map_or_else(String::new, |why| format!(": {why}"));
        if value.is_yes() {
            let said = format!(
                "users know that they interact with an AI, as stated {}{why}",
                answer.by_and_on()
            );
            report
                .pass(STATED, said)
                .system(system)
                .at(place(line))
                .anchor(anchor)
                .because(because);
        } else if value.is_no() {
            let said = format!(
                "users do not know that they interact with an AI, as stated {}{why}",
                answer.by_and_on()
            );
            report
                .fail(STATED, said)
                .system(system)
                .at(place(line))
                .anchor(anchor)
                .title("Undisclosed AI interaction")
                .fix("Disclose next to each answer that it comes from an AI, in the language of the users.")
                .because(because);
        }
    }
    report
}

fn contradictions(system: &System, assessed: &Assessed, observed: &[Observed]) -> Report {
    let mut report = Report::default();
    let mut contradict = |id: &str, obligation: &str, severity: Severity, does: String, code: Evidence| {
        let Some((_, answer)) = assessed.stated.get(id) else {
            return;
        };
        let title = question(id).map_or("", |spec| spec.title);
        let line = answer.place.line;
        let at = match (&code.file, code.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => String::new(),
        };
        report
            .fail(
                80,
                format!(
                    "`{}.{id}` was answered `{}` {} ({PROFILE}:{line}), but {does} ({at})",
                    system.id,
                    answer.value,
                    answer.by_and_on()
                ),
            )
            .system(system)
            .at(Location {
                file: code.file.clone().unwrap_or_else(|| PROFILE.to_owned()),
                line: code.line.unwrap_or(1),
                column: 1,
                cell: None,
            })
            .obligation(obligation)
            .severity(severity)
            .title(format!("Answer contradicted by code: {}", title.to_lowercase()))
            .anchor(format!("{}#{id}", system.id))
            .because(code)
            .because(person(format!("{id} = {}", answer.value), line));
    };
    let counts = |id: &str| assessed.plan.counts(id);
    let mut decided: BTreeMap<&str, _> = BTreeMap::new();
    for (id, step) in &assessed.assessment.decisions {
        decided.entry(*id).or_insert(step);
    }
    for (id, step) in &decided {
        let code = Evidence {
            kind: EvidenceKind::Code,
            reference: step.reference.clone(),
            file: Some(step.file.clone()),
            line: Some(step.line),
            hash: None,
        };
        let does = format!(
            "`{}` decides about people based on the output of a model",
            step.reference
        );
        if counts(id).is_some_and(Value::is_no) {
            contradict(id, "OBL-015", Severity::High, does.clone(), code.clone());
        }
        let excluded = |value: &Value| !value.has("decisions") && !value.has(engine_profile::UNKNOWN);
        if counts("use").is_some_and(excluded) {
            contradict("use", "OBL-120", Severity::High, does, code);
        }
    }
    for (case, obligation) in [
        (TransparencyCase::DirectInteraction, "OBL-094"),
        (TransparencyCase::SyntheticContent, "OBL-095"),
        (TransparencyCase::EmotionOrBiometric, "OBL-096"),
    ] {
        let id = engine_profile::question_for(
            engine_regulation::Fact::Case(case),
            &BTreeMap::new(),
            &std::collections::BTreeSet::new(),
        );
        if let Some((code, does)) = assessed.assessment.cases.get(&case)
            && counts(id).is_some_and(Value::is_no)
        {
            contradict(id, obligation, Severity::Medium, (*does).to_owned(), code.clone());
        }
    }
    for (spec, obligation) in practices() {
        let shown = observed.iter().find(|item| {
            item.observation.outcome == Outcome::Fail
                && item.obligation() == obligation
                && item.observation.system.as_deref() == Some(system.id.as_str())
        });
        if let Some(item) = shown
            && counts(spec.id).is_some_and(Value::is_no)
            && let Some(location) = &item.observation.location
        {
            let code = Evidence {
                kind: EvidenceKind::Code,
                reference: item.check.id.to_owned(),
                file: Some(location.file.clone()),
                line: Some(location.line),
                hash: None,
            };
            let does = item.observation.message.trim_end_matches('.').to_owned();
            contradict(spec.id, obligation, Severity::Critical, does, code);
        }
    }
    report
}

/// Turns what code holds against a disclosure into a notice where a person stated that people know.
pub(crate) fn mind_the_disclosed(observed: &mut [Observed], systems: &[System], assessed: &[Assessed]) {
    let disclosed: Vec<&str> = systems
        .iter()
        .zip(assessed)
        .filter(|(_, assessed)| assessed.plan.counts(DISCLOSED).is_some_and(Value::is_yes))
        .map(|(system, _)| system.id.as_str())
        .collect();
    for item in observed {
        let of_disclosed = item
            .observation
            .system
            .as_deref()
            .is_some_and(|system| disclosed.contains(&system));
        if of_disclosed && item.obligation() == STATED_EVIDENCE.obligation && item.observation.outcome == Outcome::Fail
        {
            item.observation.outcome = Outcome::Info;
        }
    }
}

/// Whether a check is one of this module that speaks whatever the law asks of the system.
pub(crate) fn is_about_answers(observation_check: &Check) -> bool {
    [CONTRADICTED_ANSWER.id, UNDECLARED_SYSTEM.id].contains(&observation_check.id)
}
