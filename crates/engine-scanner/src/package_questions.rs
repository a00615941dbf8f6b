//! Questions that packages raise by what they are made for: reading faces, voices, emotions or applications for work.
//!
//! A package shows what a system could do, not what it does. So it raises a question for people, and changes neither the
//! risk class nor an obligation.

use std::collections::BTreeMap;

use engine_catalogue::{PersonTrait, catalogue, normalize_name};
use engine_model::{
    Call, DependencyRelation, DependencyScope, Evidence, EvidenceKind, Package, Question, System, Zone,
};

/// Packages shown per question; more says nothing new.
const EVIDENCE_MAX: usize = 5;

struct Row {
    id: &'static str,
    reference: &'static str,
    text: &'static str,
    effect: &'static str,
}

const PROHIBITED: &str = "`yes`: the practice has been prohibited since 2025-02-02. `no`: nothing changes.";
const HIGH: &str =
    "`yes`: the system is high-risk unless Art. 6(3) excepts it, with duties from 2027-12-02. `no`: nothing changes.";

const BIOMETRICS: Row = Row {
    id: "annex-iii-biometrics",
    reference: "Annex III point 1",
    text: "Does the system recognise or categorise people by face, voice or body, beyond confirming who they say they are?",
    effect: HIGH,
};

const FACES: &[Row] = &[
    BIOMETRICS,
    Row {
        id: "art-5-face-scraping",
        reference: "Art. 5(1)(e)",
        text: "Is a database of faces built or extended with images gathered from the internet or from cameras without a target?",
        effect: PROHIBITED,
    },
];

const EMOTIONS: &[Row] = &[
    Row {
        id: "annex-iii-emotion",
        reference: "Annex III point 1(c)",
        text: "Does the system read emotions or intentions of people from biometric data such as face or voice?",
        effect: HIGH,
    },
    Row {
        id: "art-5-emotion",
        reference: "Art. 5(1)(f)",
        text: "Are emotions of people at work or in education inferred, for a reason that is neither medical nor safety?",
        effect: PROHIBITED,
    },
];

const APPLICANTS: &[Row] = &[Row {
    id: "annex-iii-employment",
    reference: "Annex III point 4",
    text: "Is the answer used to select, evaluate, promote, task or dismiss applicants or workers?",
    effect: HIGH,
}];

const fn rows(reads: PersonTrait) -> &'static [Row] {
    match reads {
        PersonTrait::Face => FACES,
        PersonTrait::Emotion => EMOTIONS,
        PersonTrait::Speaker => &[BIOMETRICS],
        PersonTrait::Applicant => APPLICANTS,
    }
}

/// Adds the questions that a system's packages raise and its calls have not raised already.
pub(crate) fn add(systems: &mut [System], packages: &[Package], calls: &[Call]) {
    let telling: Vec<(&Package, &[PersonTrait])> = packages
        .iter()
        .filter(|package| {
            package.ai_kind.is_some()
                && package.zone == Zone::Product
                && package.scope != DependencyScope::Development
                && package.relation != DependencyRelation::Transitive
        })
        .filter_map(|package| {
            let known = catalogue().package(package.ecosystem, &package.name)?;
            (!known.reads.is_empty()).then_some((package, known.reads.as_slice()))
        })
        .collect();
    for system in systems {
        let mut raised: BTreeMap<&str, (&Row, Vec<&Package>)> = BTreeMap::new();
        for (package, reads) in &telling {
            // Where code calls the package, the call tells what it is used for, and asks itself.
            let called = calls.iter().any(|call| {
                call.system.as_deref() == Some(&system.id)
                    && (call.sdk.as_deref().is_some_and(|sdk| same(package, sdk)) || is_of_module(call, package))
            });
            if called || !governs(system, &package.file) {
                continue;
            }
            for row in reads.iter().flat_map(|reads| rows(*reads)) {
                raised
                    .entry(row.id)
                    .or_insert_with(|| (row, Vec::new()))
                    .1
                    .push(package);
            }
        }
        for (id, (row, packages)) in raised {
            if system.questions.iter().all(|question| question.id != id) {
                system.questions.push(question(row, &packages));
            }
        }
    }
}

/// Whether a name of the catalogue and a package are the same.
fn same(package: &Package, sdk: &str) -> bool {
    let known = catalogue().package(package.ecosystem, &package.name);
    known.is_some_and(|known| normalize_name(known.ecosystem, &known.name) == normalize_name(known.ecosystem, sdk))
}

/// Whether the path of a call begins with the module of a package: `face-api.js.detectSingleFace()`.
fn is_of_module(call: &Call, package: &Package) -> bool {
    let begins = |module: &str| {
        call.symbol
            .strip_prefix(module)
            .is_some_and(|rest| rest.starts_with(['.', '(']))
    };
    let known = catalogue().package(package.ecosystem, &package.name);
    begins(&package.name) || known.is_some_and(|known| known.imports.iter().any(|module| begins(module)))
}

/// Whether a manifest stands in the system's folder or above it.
fn governs(system: &System, manifest: &str) -> bool {
    let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
    let below = |inner: &str, outer: &str| {
        outer.is_empty()
            || inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(folder, &system.scope) || below(&system.scope, folder)
}

fn question(row: &Row, packages: &[&Package]) -> Question {
    let mut names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let shown: Vec<String> = names
        .iter()
        .take(EVIDENCE_MAX)
        .map(|name| format!("`{name}`"))
        .collect();
    Question {
        id: row.id.to_owned(),
        text: row.text.to_owned(),
        why: format!(
            "{}: {} can do this; that it is used so was not observed.",
            row.reference,
            shown.join(", ")
        ),
        effect: row.effect.to_owned(),
        evidence: packages
            .iter()
            .take(EVIDENCE_MAX)
            .map(|package| Evidence {
                kind: EvidenceKind::Dependency,
                reference: package.purl.clone(),
                file: Some(package.file.clone()),
                line: package.line,
                hash: None,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use engine_model::{Date, fixture};

    use crate::{Evaluation, Settings, scan_memory};

    const APP: &str = "//- app.py
from openai import OpenAI

client = OpenAI()

def answer(question):
    return client.chat.completions.create(model=\"gpt-4o\", messages=[{\"role\": \"user\", \"content\": question}])

if __name__ == \"__main__\":
    print(answer(input()))
";

    fn scan(requirements: &str) -> Evaluation {
        let tree = fixture(&format!("{APP}//- requirements.txt\n{requirements}")).unwrap();
        scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20)))
    }

    fn ids(evaluation: &Evaluation) -> Vec<String> {
        let questions = evaluation.systems.iter().flat_map(|system| &system.questions);
        questions.map(|question| question.id.clone()).collect()
    }

    #[test]
    fn a_package_that_reads_emotions_raises_questions_and_no_verdict() {
        let plain = scan("openai==1.54.3\n");
        let with = scan("openai==1.54.3\ndeepface==0.0.93\n");
        assert!(!ids(&plain).iter().any(|id| id.starts_with("art-5-")));
        for id in ["art-5-emotion", "art-5-face-scraping", "annex-iii-biometrics"] {
            assert!(ids(&with).contains(&id.to_owned()), "{id} in {:?}", ids(&with));
        }
        assert_eq!(plain.systems[0].risk_class, with.systems[0].risk_class);
        let verdicts = |evaluation: &Evaluation| {
            let findings = evaluation.findings.iter();
            findings
                .map(|finding| (finding.check_id.clone(), finding.kind))
                .collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&plain), verdicts(&with));
    }

    #[test]
    fn a_package_whose_calls_tell_what_it_is_used_for_raises_nothing_more() {
        let app = |call: &str| {
            let tree = fixture(&format!(
                "//- app.js\nimport * as faceapi from 'face-api.js';\nexport async function find(picture) {{\n  {call}\n}}\n//- package.json\n{{\"dependencies\": {{\"face-api.js\": \"0.22.2\", \"openai\": \"4.1.0\"}}}}\n//- chat.js\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport const ask = (input) => client.responses.create({{ model: 'm', input }});\n"
            ))
            .unwrap();
            ids(&scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20))))
        };
        let called = app("return faceapi.detectSingleFace(picture).withFaceLandmarks().withFaceDescriptor();");
        assert!(!called.contains(&"art-5-emotion".to_owned()), "{called:?}");
        let idle = app("return picture;");
        assert!(idle.contains(&"art-5-emotion".to_owned()), "{idle:?}");
    }

    #[test]
    fn a_package_for_development_alone_raises_nothing() {
        let tree = fixture(&format!(
            "{APP}//- requirements.txt\nopenai==1.54.3\n//- requirements-dev.txt\ndeepface==0.0.93\n"
        ))
        .unwrap();
        let found = ids(&scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20))));
        assert!(!found.iter().any(|id| id.starts_with("art-5-")), "{found:?}");
    }
}
