//! Questions that packages raise by what they are made for: reading faces, voices, emotions or applications for work.
//!
//! A package shows what a system could do, not what it does. So it raises a question for people, and changes neither the
//! risk class nor an obligation.

use std::collections::BTreeMap;

use engine_catalogue::{PersonTrait, catalogue, normalize_name};
use engine_model::{Call, DependencyRelation, DependencyScope, Evidence, EvidenceKind, Package, Zone};

use crate::ask::RaisedQuestion;
use crate::systems::SystemDraft;

/// Packages shown per question; more says nothing new.
const EVIDENCE_MAX: usize = 5;

/// The questions that a package raises by what it reads of people.
const fn raised_by(reads: PersonTrait) -> &'static [&'static str] {
    match reads {
        PersonTrait::Face => &["annex-iii-biometrics", "art-5-face-scraping"],
        PersonTrait::Emotion => &["annex-iii-emotion", "art-5-emotion"],
        PersonTrait::Speaker => &["annex-iii-biometrics"],
        PersonTrait::Applicant => &["annex-iii-employment"],
    }
}

/// Adds the questions that a system's packages raise and its calls have not raised already.
pub(crate) fn raised(
    draft: &SystemDraft,
    already: &[RaisedQuestion],
    packages: &[Package],
    calls: &[Call],
) -> Vec<RaisedQuestion> {
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
    let mut raised: BTreeMap<&'static str, Vec<&Package>> = BTreeMap::new();
    for (package, reads) in &telling {
        // Where code calls the package, the call shows what it is used for, and raises its own questions.
        let called = calls.iter().any(|call| {
            call.system.as_deref() == Some(&draft.id)
                && (call.sdk.as_deref().is_some_and(|sdk| same(package, sdk)) || is_of_module(call, package))
        });
        if called || !governs(&draft.scope, &package.file) {
            continue;
        }
        for id in reads.iter().flat_map(|reads| raised_by(*reads)) {
            raised.entry(id).or_default().push(package);
        }
    }
    raised
        .into_iter()
        .filter(|(id, _)| already.iter().all(|question| question.id != *id))
        .map(|(id, packages)| question(id, &packages))
        .collect()
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
fn governs(scope: &str, manifest: &str) -> bool {
    let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
    let below = |inner: &str, outer: &str| {
        outer.is_empty()
            || inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(folder, scope) || below(scope, folder)
}

fn question(id: &'static str, packages: &[&Package]) -> RaisedQuestion {
    let mut names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let shown: Vec<String> = names
        .iter()
        .take(EVIDENCE_MAX)
        .map(|name| format!("`{name}`"))
        .collect();
    RaisedQuestion {
        id,
        why: format!(
            "This is a known use of {}, but no call that does it was found.",
            shown.join(", ")
        ),
        suggestion: None,
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
    fn emotion_package_raises_questions_only() {
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
    fn package_with_specific_calls_raises_no_further_question() {
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
    fn development_package_raises_no_question() {
        let tree = fixture(&format!(
            "{APP}//- requirements.txt\nopenai==1.54.3\n//- requirements-dev.txt\ndeepface==0.0.93\n"
        ))
        .unwrap();
        let found = ids(&scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20))));
        assert!(!found.iter().any(|id| id.starts_with("art-5-")), "{found:?}");
    }
}
