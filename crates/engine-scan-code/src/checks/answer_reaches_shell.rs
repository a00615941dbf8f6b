//! Looks for: answer reaches shell.

use engine_model::{CheckContext, Effect, Report, declare_check};

use super::calls;

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
        for call in calls(context, system) {
            if call.effects.contains(&Effect::Shell) {
                report
                    .fail(80, "The answer of the model flows into a command or an interpreter.")
                    .call(call)
                    .system(system);
            }
        }
    }
}
