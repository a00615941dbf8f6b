//! Reads any text as a profile, and edits the ones that are.

#![no_main]

use engine_profile::{Answer, Change, Place, Target, edit, parse, question};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse(text) {
        Err(error) => {
            assert!(!error.problems.is_empty(), "a refusal names a place");
            assert!(error.problems.iter().all(|problem| problem.place.line >= 1 && problem.place.column >= 1));
        }
        Ok(before) => {
            let role = question("role").expect("a question of the list");
            let change = Change::Answer {
                target: Target::System("fuzzed".to_owned()),
                question: role,
                answer: Answer {
                    value: role.read(["provider"]).expect("an option"),
                    by: None,
                    on: None,
                    why: None,
                    until: None,
                    seen: None,
                    place: Place::default(),
                },
            };
            if let Ok(after) = edit(Some(text), std::slice::from_ref(&change)) {
                let after = parse(&after).expect("an edited profile is a profile");
                assert!(after.systems["fuzzed"].answers.contains_key("role"));
                // What was stated before is stated still.
                assert_eq!(before.organisation.len(), after.organisation.len());
                assert_eq!(before.left_out.len(), after.left_out.len());
            }
        }
    }
});
