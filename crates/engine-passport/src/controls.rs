//! Sheets of controls: AIUC-1 and the NIST AI RMF, control by control, with what the evidence for the Act says of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use engine_model::{Applies, Evidence, ObligationRecord, ObligationStatus};
use engine_regulation::{Framework, regulation};
use engine_signing::Trust;
use serde_json::{Value, json};

use crate::document::Document;
use crate::exchange::{Exported, Format, ImportError, Imported, Incoming, make_new, refuse, take_over};
use crate::schema::check;

/// The schema of a sheet.
static SHEET: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../schemas/control-sheet.schema.json")).unwrap_or_default());

/// What a sheet is, and is not.
const DISCLAIMER: &str = "A draft drawn from evidence for the AI Act by a crosswalk whose mappings are related, not equal. \
                          It is self-assessed and no statement of conformity with this framework.";

/// Writes a sheet.
pub(crate) fn export(document: &Document, format: Format, records: &[ObligationRecord], now: &str) -> Exported {
    let framework = framework(format);
    let by_id: BTreeMap<&str, &ObligationRecord> = records
        .iter()
        .filter(|record| record.applies != Applies::DoesNotApply)
        .map(|record| (record.obligation_id.as_str(), record))
        .collect();
    let stated = document.get(&format!("compliance.frameworks.{}", id(format)));
    let mut counts: BTreeMap<&str, u64> = ["evidenced", "incomplete", "gap", "not_assessed"]
        .map(|name| (name, 0))
        .into();
    let mut controls = Vec::new();
    for control in framework.into_iter().flat_map(|framework| &framework.controls) {
        let behind: Vec<&ObligationRecord> = regulation()
            .obligations_for_control(id(format), &control.id)
            .filter_map(|obligation| by_id.get(obligation.id.as_str()).copied())
            .collect();
        let status = status(&behind);
        *counts.entry(status).or_default() += 1;
        let evidence: BTreeSet<&Evidence> = behind
            .iter()
            .filter(|record| record.status != ObligationStatus::NotEvaluated)
            .flat_map(|record| &record.evidence)
            .collect();
        let obligations: Vec<Value> = behind
            .iter()
            .map(|record| {
                json!({
                    "obligationId": record.obligation_id,
                    "article": record.article,
                    "status": record.status,
                    "applies": record.applies,
                })
            })
            .collect();
        let mut one = json!({
            "id": control.id,
            "title": control.title,
            "group": control.group,
            "status": status,
            "because": because(status, &behind),
            "obligations": obligations,
            "evidence": evidence,
        });
        // What somebody else said of a control stands beside what was seen here, and not in its place.
        if let Some(stated) = stated.and_then(|stated| stated.get(&control.id)) {
            one["stated"] = stated.clone();
        }
        controls.push(one);
    }
    let data = json!({
        "format": format.as_str(),
        "framework": framework.map(Framework::summary),
        "generated": now,
        "agent": {
            "name": document.name(),
            "agent_id": document.agent_id(),
            "risk_class": document.get("compliance.eu_ai_act.risk_class"),
            "autonomy_level": document.get("autonomy_level"),
        },
        "summary": counts,
        "controls": controls,
        "disclaimer": DISCLAIMER,
        "passport": document,
    });
    Exported {
        valid: framework.is_some() && check(&SHEET, &data, false).is_empty(),
        data,
    }
}

/// Takes over a sheet: the passport that it carries, or an agent of which it says what it says.
pub(crate) fn import(format: Format, data: Value, trust: &Trust, now: &str) -> Result<Imported, ImportError> {
    refuse(check(&SHEET, &data, true))?;
    let named = data.get("format").and_then(Value::as_str);
    if named.is_some_and(|named| named != format.as_str()) {
        return Err(ImportError::Form {
            path: "format".to_owned(),
            message: format!("expected `{}`", format.as_str()),
        });
    }
    if let Some(passport) = data.get("passport").filter(|passport| passport.is_object()).cloned() {
        return take_over(Incoming::new(format, data), passport, trust, now);
    }
    let name = data
        .pointer("/agent/name")
        .and_then(Value::as_str)
        .unwrap_or("")
        .to_owned();
    let stated: BTreeMap<String, Value> = data
        .get("controls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|control| Some((control.get("id")?.as_str()?.to_owned(), control.clone())))
        .collect();
    let mut incoming = Incoming::new(format, data);
    let path = match format {
        Format::Aiuc1 => "compliance.frameworks.aiuc-1",
        _ => "compliance.frameworks.nist-ai-rmf",
    };
    incoming.added.push((path, json!(stated)));
    incoming
        .warnings
        .push("the sheet contains no passport; its statements about controls are kept as imported".to_owned());
    make_new(incoming, &name, now)
}

const fn id(format: Format) -> &'static str {
    match format {
        Format::Aiuc1 => "aiuc-1",
        _ => "nist-ai-rmf",
    }
}

fn framework(format: Format) -> Option<&'static Framework> {
    regulation().framework(id(format))
}

/// A gap anywhere is a gap; what was looked at in part is incomplete; what nobody looked at is not assessed.
fn status(behind: &[&ObligationRecord]) -> &'static str {
    let any = |wanted| behind.iter().any(|record| record.status == wanted);
    if any(ObligationStatus::Gap) {
        "gap"
    } else if any(ObligationStatus::Incomplete) {
        "incomplete"
    } else if !any(ObligationStatus::Evidenced) {
        "not_assessed"
    } else if any(ObligationStatus::NotEvaluated) {
        "incomplete"
    } else {
        "evidenced"
    }
}

fn because(status: &str, behind: &[&ObligationRecord]) -> String {
    let with = |wanted| {
        let ids: Vec<&str> = behind
            .iter()
            .filter(|record| record.status == wanted)
            .map(|record| record.obligation_id.as_str())
            .collect();
        ids.join(", ")
    };
    match status {
        "gap" => format!("gap found for {}", with(ObligationStatus::Gap)),
        "evidenced" => format!("evidence found for {}", with(ObligationStatus::Evidenced)),
        "incomplete" => "evidence found for only some of the related obligations".to_owned(),
        _ if behind.is_empty() => "no evaluated obligation relates to this control".to_owned(),
        _ => format!("{} was not evaluated", with(ObligationStatus::NotEvaluated)),
    }
}
