//! `l4-answer-reaches-shell`: model output that is executed as a command.

use engine_model::{Call, CheckContext, Effect, Evidence, EvidenceKind, Report, TraceKind, declare_check};

use super::{calls, named};

declare_check! {
    /// Model output executed as command or code.
    ///
    /// Article 15(5): a high-risk system must withstand attempts to exploit its vulnerabilities. Anyone who can
    /// influence the prompt can inject commands into the output.
    ///
    /// Code that runs in a container which the project starts for this purpose is not reported: it cannot harm the
    /// host.
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
        impact: Exposes,
        fix: "Let the model choose from a list of allowed actions instead of writing commands. If code must run, run it in a sandbox and after human approval.",
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
        let at = sink(first)
            .and_then(|sink| Some(format!(" at {}:{}", sink.file.as_ref()?, sink.line?)))
            .unwrap_or_default();
        let message = match reaching.len() {
            1 => format!(
                "The output of {} flows into a command or an interpreter{at}.",
                named(first)
            ),
            count => format!(
                "The output of {count} model calls flows into a command or an interpreter, first: {}{at}.",
                named(first)
            ),
        };
        let mut finding = report.fail(68, message).call(first).system(system);
        for call in reaching.iter().take(PLACES_MAX) {
            finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            if let Some(sink) = sink(call) {
                finding = finding.because(sink.clone());
            }
        }
    }
}

/// Where the answer of a call is run.
fn sink(call: &Call) -> Option<&Evidence> {
    call.traced(TraceKind::RunsAnswer)?.chain.first()
}

/// Places named as evidence; more say nothing new.
const PLACES_MAX: usize = 20;
