//! Products that ask a server whose code lies elsewhere, and tell people of an AI.
//!
//! That no AI was found in what is there says nothing of what answers.

use engine_model::{Applicability, Statement, StatementKind};

/// The verdict where nothing was found, with what is asked for elsewhere.
pub(crate) fn weigh(decided: (Applicability, String), statements: &[Statement]) -> (Applicability, String) {
    let (applicability, reason) = decided;
    if applicability != Applicability::NoAiFound {
        return (applicability, reason);
    }
    let of = |kind: StatementKind| statements.iter().find(|said| said.kind == kind);
    let (Some(asked), Some(told)) = (of(StatementKind::AsksForAi), of(StatementKind::AiNamed)) else {
        return (applicability, reason);
    };
    let reason = format!(
        "{}:{} asks a server for `{}`, {}:{} tells people of an AI (“{}”), and what answers lies elsewhere; scan the code of that server as well",
        asked.file, asked.line, asked.value, told.file, told.line, told.value
    );
    (Applicability::Undetermined, reason)
}

#[cfg(test)]
mod tests {
    use engine_model::{Applicability, Date, fixture};

    use crate::{Settings, scan_memory};

    #[test]
    fn who_asks_for_an_ai_elsewhere_and_tells_of_it_is_not_said_to_hold_none() {
        let of = |path: &str, told: &str| {
            let text = format!(
                "//- package.json\n{{\"dependencies\":{{\"axios\":\"1.7.0\",\"react\":\"19.0.0\"}}}}\n\
                 //- src/store.ts\nimport axios from 'axios';\nexport const ask = (message: string) => axios.post(`${{process.env.API_URL}}{path}`, {{ message }});\n\
                 //- src/Home.tsx\nexport const Home = () => <p>{told}</p>;\n"
            );
            let found = scan_memory(&fixture(&text).unwrap(), &Settings::on(Date::constant(2026, 11, 20)));
            (found.applicability, found.reason)
        };
        let (applicability, reason) = of("/chat/chat_with_ai", "Your personal AI assistant");
        assert_eq!(applicability, Applicability::Undetermined, "{reason}");
        assert!(
            reason.contains("src/store.ts:2") && reason.contains("src/Home.tsx:1"),
            "{reason}"
        );
        for (path, told) in [
            ("/chat/rooms", "Your personal AI assistant"),
            ("/chat/chat_with_ai", "Your personal assistant"),
            ("/air/quality", "How we use AI"),
        ] {
            let (applicability, reason) = of(path, told);
            assert_eq!(applicability, Applicability::NoAiFound, "{path}: {reason}");
        }
    }
}
