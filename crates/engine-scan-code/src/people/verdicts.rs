//! What an answer is called where it is handed out: a score of credit in `CreditScoreResponse(applicant_id=…, score=…)` is one of a
//! person, even where the record that went into the model came as one value without names.

use engine_model::{PersonArea, StepRole, Zone};
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};

use super::areas::{WORDS, flat, noun, split};
use super::call_inputs::last_name;
use super::decisions::{is_verdict_field, step};
use crate::facts::callee_name;
use crate::flow::Flow;
use crate::index::NONE;
use crate::values::ExprRef;
use crate::world::World;
use crate::{Signal, SignalKind};

/// Places of one project that are looked at.
const PLACES_MAX: usize = 400;

/// Words of names that tell an area together with a word of judging.
struct Told {
    area: PersonArea,
    subjects: &'static [&'static str],
    judges: &'static [&'static str],
    /// Whether a person has to be named beside: loans are given to companies too.
    beside: bool,
}

const TOLD: [Told; 5] = [
    Told {
        area: PersonArea::Credit,
        subjects: &["credit", "loan", "mortgage", "creditworthiness"],
        judges: &[
            "score",
            "scoring",
            "decision",
            "risk",
            "approval",
            "approved",
            "eligibility",
            "eligible",
            "assessment",
            "rating",
        ],
        beside: true,
    },
    Told {
        area: PersonArea::Employment,
        subjects: &[
            "applicant",
            "employee",
            "interviewee",
            "resume",
            "cv",
            "hiring",
            "screening",
        ],
        judges: &[
            "score",
            "scoring",
            "decision",
            "evaluation",
            "assessment",
            "ranking",
            "rating",
            "suitability",
            "screening",
            "shortlisted",
            "performance",
        ],
        beside: true,
    },
    Told {
        area: PersonArea::Education,
        subjects: &["student", "pupil", "exam", "essay", "admission"],
        judges: &["grade", "grading", "score", "mark", "marks", "evaluation", "decision"],
        beside: false,
    },
    Told {
        area: PersonArea::Emergency,
        subjects: &["triage"],
        judges: &[
            "level", "decision", "priority", "category", "result", "score", "urgency",
        ],
        beside: false,
    },
    Told {
        area: PersonArea::Insurance,
        subjects: &["insurance", "insured", "policyholder", "underwriting"],
        judges: &["premium", "risk", "charges", "decision", "quote", "score", "price"],
        beside: true,
    },
];

/// The area that the name of an owner and its field tell, with the names that stand beside.
fn area(owner: &str, field: &str, beside: &[&str]) -> Option<PersonArea> {
    let words: Vec<String> = split(owner).into_iter().chain(split(field)).collect();
    let is = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let person = || {
        let named = |name: &&&str| {
            let mut words = split(name);
            // `applicant_id` and `customerName` name a person.
            while words.len() > 1 && matches!(words.last().map(String::as_str), Some("id" | "name" | "email" | "no")) {
                words.pop();
            }
            let noun = noun(&words.join("_"));
            WORDS.persons.contains(&noun) || matches!(noun.as_str(), "applicant" | "candidate" | "interviewee")
        };
        beside.iter().find(named).is_some()
    };
    let told = TOLD.iter().find(|told| is(told.subjects) && is(told.judges))?;
    (!told.beside || person()).then_some(told.area)
}

/// The title under which a file sets up a service.
fn title_of(world: &World<'_>, unit: u32) -> String {
    let set_up = world.index(unit).calls.iter().find_map(|call| {
        let at = ExprRef(unit, *call);
        let Expr::Call { args, .. } = world.expr(at) else {
            return None;
        };
        if !matches!(
            callee_name(world, at),
            "FastAPI" | "NinjaAPI" | "Litestar" | "APIRouter"
        ) {
            return None;
        }
        let title = args.iter().find(|arg| arg.name.as_deref() == Some("title"))?;
        match world.expr(ExprRef(unit, title.value)) {
            Expr::Str(text) => Some(text.to_string()),
            _ => None,
        }
    });
    set_up.unwrap_or_default()
}

/// Answers that are handed out under the name of a verdict on people.
pub(super) fn signals(world: &World<'_>, flow: &Flow<'_, '_>, known: &dyn Fn(usize) -> bool) -> Vec<Signal> {
    let mut out = Vec::new();
    let mut places = 0;
    let mut add = |owner: &str, field: &str, beside: &[&str], value: ExprRef, service: &str| {
        if places >= PLACES_MAX || !is_verdict_field(field) {
            return;
        }
        // What a service is called says what its results are about: `FastAPI(title="Credit Scoring API")`.
        let of_service = || {
            let named = owner.is_empty() && !service.is_empty();
            named.then(|| area(service, field, beside)).flatten()
        };
        let Some(area) = area(owner, field, beside).or_else(of_service) else {
            return;
        };
        places += 1;
        let reference = if owner.is_empty() {
            field.to_owned()
        } else {
            format!("{owner}.{field}")
        };
        for call in flow.origins(value).answers.iter().filter(|call| !known(*call)) {
            let step = step(world, StepRole::Record, &reference, value);
            out.push(Signal {
                kind: SignalKind::from(area),
                file: step.file,
                line: step.line,
                detail: step.reference,
                call,
            });
        }
    };
    for unit in 0..crate::values::id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product {
            continue;
        }
        let module = world.module(unit);
        let index = world.index(unit);
        let service = title_of(world, unit);
        for call in &index.calls {
            let at = ExprRef(unit, *call);
            let Expr::Call { args, new, .. } = world.expr(at) else {
                continue;
            };
            let name = callee_name(world, at);
            if *new || name.starts_with(char::is_uppercase) {
                let names: Vec<&str> = args.iter().filter_map(|arg| arg.name.as_deref()).collect();
                for arg in args {
                    if let Some(field) = arg.name.as_deref() {
                        add(name, field, &names, ExprRef(unit, arg.value), &service);
                    }
                }
            }
        }
        for (id, node) in module.exprs.iter().enumerate() {
            let Expr::Map(entries) = &node.kind else { continue };
            if index.expr_scope[id] == NONE {
                continue;
            }
            let key_of = |key: Option<ExprId>| match module.expr(key?) {
                Expr::Str(key) => Some(&**key),
                _ => None,
            };
            let names: Vec<&str> = entries.iter().filter_map(|entry| key_of(entry.key)).collect();
            for entry in entries {
                if let Some(key) = key_of(entry.key) {
                    add("", key, &names, ExprRef(unit, entry.value), &service);
                }
            }
        }
        for info in &index.stmts {
            if let StmtKind::Assign {
                target: Pattern::Place(place),
                value: Some(value),
                ..
            } = &info.stmt.kind
                && let Expr::Member { object, name } = module.expr(*place)
            {
                let owner = last_name(world, ExprRef(unit, *object)).unwrap_or("");
                if !matches!(flat(owner).as_str(), "self" | "this") {
                    add(owner, name, &[owner], ExprRef(unit, *value), &service);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use engine_model::PersonArea;

    use super::area;

    #[test]
    fn names_tell_what_is_judged() {
        for (owner, field, beside, told) in [
            (
                "CreditScoreResponse",
                "score",
                &["applicant_id"][..],
                PersonArea::Credit,
            ),
            ("", "loan_decision", &["customerName"], PersonArea::Credit),
            ("TriageResult", "priority", &[], PersonArea::Emergency),
            ("EssayGrade", "score", &[], PersonArea::Education),
            ("ResumeScreening", "score", &["candidate_id"], PersonArea::Employment),
            ("InsuranceQuote", "premium", &["customer"], PersonArea::Insurance),
        ] {
            assert_eq!(area(owner, field, beside), Some(told), "{owner}.{field}");
        }
        for (owner, field, beside) in [
            // A company's loan, a passage that was found, bugs, a draft, money of an interface.
            ("LoanDecision", "score", &["company_id"][..]),
            ("Candidate", "score", &["text"]),
            ("BugTriage", "text", &[]),
            ("ResumeDraft", "score", &["text"]),
            ("Credits", "score", &["user"]),
        ] {
            assert_eq!(area(owner, field, beside), None, "{owner}.{field}");
        }
    }
}
