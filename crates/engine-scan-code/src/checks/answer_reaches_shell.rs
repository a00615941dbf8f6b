//! `l4-answer-reaches-shell`: answers of a model that are run as commands.

use engine_model::{CheckContext, Effect, EvidenceKind, Report, declare_check};

use super::{calls, named};

declare_check! {
    /// Answers of a model that are run as commands or code.
    ///
    /// Article 15(5): a high-risk system withstands attempts to misuse its weaknesses. Whoever can put words into the prompt
    /// can put commands into the answer.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import subprocess
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=input("task: "))
    ///     subprocess.run(answer.output_text, shell=True)
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import subprocess
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=input("task: "))
    ///     subprocess.run(["git", "status"])
    ///     print(answer.output_text)
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import subprocess
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=input("task: "))
    ///     command = ["espeak", "-v", "en", answer.output_text]
    ///     subprocess.run(command, check=True)
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// import subprocess
    /// import sys
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=input("task: "))
    ///     subprocess.run([sys.executable, "-c", answer.output_text])
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import subprocess
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     answer = client.responses.create(model="gpt-4.1-2025-04-14", input=input("task: "))
    ///     print(answer.output_text)
    ///     if input("Run it? [y/N] ") == "y":
    ///         subprocess.run(answer.output_text, shell=True)
    /// ```
    ANSWER_REACHES_SHELL {
        id: "l4-answer-reaches-shell",
        layer: L4,
        obligation: "OBL-047",
        severity: High,
        fix: "Let the model choose from a list of allowed actions instead of writing commands; where code must run, run it in a sandbox and after approval.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let reaching: Vec<_> = calls(context, system)
            .into_iter()
            // Who is asked before it runs has read it.
            .filter(|call| call.effects.contains(&Effect::Shell) && call.human_approval != Some(true))
            .collect();
        let Some(first) = reaching.first() else { continue };
        let message = match reaching.len() {
            1 => format!("The answer of {} flows into a command or an interpreter.", named(first)),
            count => format!(
                "The answers of {count} calls of a model flow into a command or an interpreter, first of {}.",
                named(first)
            ),
        };
        let mut finding = report.fail(68, message).call(first).system(system);
        for call in reaching.iter().take(PLACES_MAX) {
            finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
        }
    }
}

/// Places named as evidence; more say nothing new.
const PLACES_MAX: usize = 20;
