//! Whether anything was assessed: a project of which nothing was evaluated must look clean in no format.

use engine_model::{Applicability, ScanResult};

/// Whether no obligation was evaluated of a project that has some, or may have some. That nothing wrong was found is then no pass.
pub fn needs_assessment(scan: &ScanResult) -> bool {
    match scan.applicability {
        Applicability::NoAiFound | Applicability::Library => false,
        Applicability::SystemsFound => !scan.score.assessed && scan.score.applicable > 0,
        Applicability::Undetermined => true,
    }
}

/// Why a project counts as not assessed, and what to do.
pub fn not_assessed(scan: &ScanResult) -> String {
    match scan.applicability {
        Applicability::Undetermined => {
            "not assessed: whether the project has an AI system could not be determined".to_owned()
        }
        _ => format!(
            "not assessed: {} of {} obligations in force were evaluated; answer the questions with `engine-server answer`",
            scan.score.evaluated, scan.score.applicable
        ),
    }
}

/// What a format says where it has nothing else to say: that nothing was assessed, or that there is nothing to assess.
pub(crate) fn nothing_assessed(scan: &ScanResult) -> Option<String> {
    match scan.applicability {
        Applicability::NoAiFound => Some("nothing to assess: no AI system was found".to_owned()),
        Applicability::Library => Some("nothing to assess: a library is not an AI system itself".to_owned()),
        _ if needs_assessment(scan) => Some(not_assessed(scan)),
        _ => None,
    }
}
