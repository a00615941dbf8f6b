//! The question whether people know that they interact with an AI, which code cannot settle.

use engine_model::{Applies, ObligationStatus, System};
use engine_profile::question;

use crate::ask::{Assessed, DISCLOSED, RaisedQuestion};
use crate::findings::Observed;

/// Raises the question of disclosure if the interface only hints at an AI or was not found in the project.
pub(crate) fn ask(system: &mut System, assessed: &mut Assessed, observed: &[Observed]) {
    if assessed.plan.counts(DISCLOSED).is_some() {
        return;
    }
    let hinted = observed.iter().find(|item| {
        item.asks_people()
            && item.observation.system.as_ref() == Some(&system.id)
            && system
                .obligations
                .iter()
                .any(|record| record.obligation_id == item.obligation() && record.applies != Applies::DoesNotApply)
    });
    if let Some(item) = hinted {
        let obligation = item.obligation().to_owned();
        let why = format!("{}.", item.observation.message.trim_end_matches('.'));
        raise(system, assessed, &obligation, why, item.observation.evidence.clone());
        return;
    }
    let unseen = system.obligations.iter().any(|record| {
        record.obligation_id == DISCLOSURE
            && record.applies == Applies::Applies
            && record.status == ObligationStatus::NotEvaluated
            && record.question.is_none()
    });
    if unseen {
        let why = "Users interact with the system, but no user interface that shows its answers was found.".to_owned();
        raise(system, assessed, DISCLOSURE, why, Vec::new());
    }
}

fn raise(
    system: &mut System,
    assessed: &mut Assessed,
    obligation: &str,
    why: String,
    evidence: Vec<engine_model::Evidence>,
) {
    for record in &mut system.obligations {
        if record.obligation_id == obligation
            && record.question.is_none()
            && let Some(spec) = question(DISCLOSED)
        {
            record.question = Some(spec.text.to_owned());
            record.question_id = Some(spec.id.to_owned());
        }
    }
    assessed.assessment.raised.push(RaisedQuestion {
        id: DISCLOSED,
        why,
        suggestion: None,
        evidence,
    });
}

/// The obligation to disclose an AI interaction, Art. 50(1).
const DISCLOSURE: &str = "OBL-094";
