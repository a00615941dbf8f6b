//! What `POST /agent/init` with `force` would change in a passport now.

use std::collections::BTreeMap;

use engine_model::Failure;
use engine_passport::regenerate;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::reading::readable;
use super::{NamedRequest, choose, stored};
use crate::Engine;

/// Fields that change with every write and say nothing about the agent.
const UNTOLD: [&str; 3] = ["updated", "provenance", "signature"];

/// Fields whose change alters what the agent may do, or which duties it has.
const GRAVE: [&str; 5] = ["autonomy_level", "permissions", "model", "role", "compliance"];

/// Reply of `GET /agent/diff`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassportChanges {
    /// The name of the agent.
    pub name: String,
    /// Its id.
    pub agent_id: String,
    /// Whether the agent was found in the code. If not, `changes` is empty.
    pub found_in_code: bool,
    /// The number of changed fields.
    pub total_changes: u64,
    /// Fields that get a value.
    pub added: u64,
    /// Fields that lose their value.
    pub removed: u64,
    /// Fields that get another value.
    pub modified: u64,
    /// Whether a change has the severity `high`, or the agent was not found.
    pub has_breaking_changes: bool,
    /// The changes, in order of their paths.
    pub changes: Vec<FieldChange>,
}

/// A changed field.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The dotted path of the field.
    pub path: String,
    /// `added`, `removed` or `modified`.
    pub change_type: String,
    /// `high` for autonomy, permissions, model, role and compliance; `low` for other fields.
    pub severity: String,
    /// The value in the passport.
    pub before: Value,
    /// The value that the code gives now.
    pub after: Value,
}

impl Engine {
    /// Compares a passport with what the code gives now, entries by people kept. Nothing changes.
    pub fn passport_changes(&self, request: &NamedRequest) -> Result<PassportChanges, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let all = stored(&state)?;
        let document = readable(choose(&all, request.name.as_deref())?)?;
        let (_, seen) = self.seen(&state, &all)?;
        let fresh = seen
            .iter()
            .find(|seen| seen.agent.agent_id == document.agent_id())
            .map(|seen| regenerate(document, &seen.fresh));
        let changes = fresh.as_ref().map_or_else(Vec::new, |fresh| {
            between(&fields(&document.to_value()), &fields(&fresh.to_value()))
        });
        let count = |kind: &str| changes.iter().filter(|change| change.change_type == kind).count() as u64;
        Ok(PassportChanges {
            name: document.name().to_owned(),
            agent_id: document.agent_id().to_owned(),
            found_in_code: fresh.is_some(),
            total_changes: changes.len() as u64,
            added: count("added"),
            removed: count("removed"),
            modified: count("modified"),
            has_breaking_changes: fresh.is_none() || changes.iter().any(|change| change.severity == "high"),
            changes,
        })
    }
}

/// The values of a passport by dotted path; a list is one value.
fn fields(passport: &Value) -> BTreeMap<String, Value> {
    fn collect(prefix: &str, value: &Value, all: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let path = if prefix.is_empty() {
                        name.clone()
                    } else {
                        format!("{prefix}.{name}")
                    };
                    if !UNTOLD.contains(&path.as_str()) {
                        collect(&path, value, all);
                    }
                }
            }
            other => drop(all.insert(prefix.to_owned(), other.clone())),
        }
    }
    let mut all = BTreeMap::new();
    collect("", passport, &mut all);
    all
}

fn between(before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) -> Vec<FieldChange> {
    let paths: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let value = |side: &BTreeMap<String, Value>, path: &str| side.get(path).cloned().unwrap_or_default();
    paths
        .into_iter()
        .filter_map(|path| {
            let (old, new) = (value(before, path), value(after, path));
            if old == new || (empty(&old) && empty(&new)) {
                return None;
            }
            let change_type = match (empty(&old), empty(&new)) {
                (true, _) => "added",
                (_, true) => "removed",
                _ => "modified",
            };
            let grave = GRAVE.contains(&path.split('.').next().unwrap_or_default());
            Some(FieldChange {
                path: path.clone(),
                change_type: change_type.to_owned(),
                severity: if grave { "high" } else { "low" }.to_owned(),
                before: old,
                after: new,
            })
        })
        .collect()
}

fn empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn added_removed_and_modified_fields_are_told_apart_and_times_are_left_out() {
        let before =
            json!({"name": "a", "updated": "1", "model": {"name": "x", "pinned": null}, "source_files": ["a"]});
        let after = json!({"name": "a", "updated": "2", "model": {"name": "y", "pinned": true}, "source_files": []});
        let changes = between(&fields(&before), &fields(&after));
        let told: Vec<(&str, &str, &str)> = changes
            .iter()
            .map(|one| (one.path.as_str(), one.change_type.as_str(), one.severity.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("model.name", "modified", "high"),
                ("model.pinned", "added", "high"),
                ("source_files", "removed", "low"),
            ]
        );
    }
}
