//! Products that call an external server and mention an AI to users.
//!
//! The code of that server is not in the project, so "no AI found" would claim too much.

use engine_model::{Applicability, Statement, StatementKind};

/// The verdict where nothing was found, with the calls of an external server.
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
        "{}:{} calls `{}` on a server, and {}:{} mentions an AI to users (“{}”); the code of that server was not found here: \
         scan it as well",
        asked.file, asked.line, asked.value, told.file, told.line, told.value
    );
    (Applicability::Undetermined, reason)
}

#[cfg(test)]
mod tests {
    use engine_model::{Applicability, Date, fixture};

    use crate::{Settings, scan_memory};

    #[test]
    fn external_ai_request_with_ai_text_is_undetermined() {
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
