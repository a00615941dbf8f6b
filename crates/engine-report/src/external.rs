//! External tools that ran beside a scan, or failed, in the words of a language.

use engine_messages::{Counted, Key, Language, Messages};
use engine_model::{ScanResult, ToolRecord, ToolRunStatus};

use crate::foreign::clean;

/// What became of a tool.
pub(crate) fn outcome(tool: &ToolRecord, messages: &Messages) -> String {
    let mut out = match tool.status {
        ToolRunStatus::Ran => messages.fill(
            Key::ToolsRan,
            &[
                ("findings", &messages.count(Counted::CountFindings, tool.findings)),
                ("files", &messages.count(Counted::CountFiles, tool.files)),
                ("duplicates", &messages.number(tool.duplicates)),
            ],
        ),
        ToolRunStatus::Missing => messages.text(Key::ToolsMissing).to_owned(),
        ToolRunStatus::Failed => messages.text(Key::ToolsFailed).to_owned(),
        ToolRunStatus::TimedOut => messages.text(Key::ToolsTimedOut).to_owned(),
    };
    if tool.files_left_out > 0 {
        let files = messages.count(Counted::CountFiles, tool.files_left_out);
        out.push_str("; ");
        out.push_str(&messages.fill(Key::ToolsLeftOut, &[("files", &files)]));
    }
    if let Some(error) = &tool.error {
        out.push_str("; ");
        out.push_str(&clean(error));
    }
    out
}

/// Each tool of a scan with its version and outcome, in English; nothing where no tool was asked for.
pub(crate) fn lines(scan: &ScanResult) -> Vec<String> {
    let messages = Messages::of(Language::En);
    scan.tools
        .iter()
        .map(|tool| {
            let name = clean(&tool.name);
            format!("{name} {}: {}", clean(&tool.version), outcome(tool, messages))
        })
        .collect()
}
