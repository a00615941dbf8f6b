//! What may be sent: the stored forms, without secrets and without paths of this machine. What contains one stays here.

use std::path::Path;

use engine_model::{Failure, ScanResult};
use engine_signing::Digest;
use engine_sync::Outgoing;
use engine_sync::wire::{DocumentItem, PassportItem, ScanItem};
use serde_json::Value;

use super::Parcel;
use super::requests::{SyncAction, SyncItem};
use crate::audit_package::holds_a_secret;
use crate::project::{ProjectState, conflict};

/// Documents and passports, each; further ones are not sent.
const ITEMS_MAX: usize = 2_000;

/// The folders above a person's own folder.
const HOMES: [&str; 4] = ["/home/", "/Users/", ":\\Users\\", ":/Users/"];

/// Paths of people's folders begin after one of these, or at the start of a line.
const BEFORE_PATH: [char; 9] = [' ', '\t', '"', '\'', '`', '(', '[', '=', '\n'];

/// The passports. A changed passport would lose its signature, so it is sent as it is or stays here.
pub(super) fn passports(state: &ProjectState) -> Result<Parcel, Failure> {
    let mut parcel = Parcel::new();
    for stored in crate::passports::stored(state)?.into_iter().take(ITEMS_MAX) {
        let path = format!(".compliance/passports/{}.json", stored.slug);
        let Ok(document) = &stored.document else {
            let why = "the file is not a readable passport";
            parcel.withhold(&stored.slug, &stored.slug, why);
            continue;
        };
        let (id, name) = (stored.slug.clone(), document.name().to_owned());
        if let Some(why) = why_not(state.path(), &path, &stored.bytes) {
            parcel.withhold(&id, &name, why);
            continue;
        }
        let passport: Value = serde_json::from_slice(&stored.bytes).map_err(|error| conflict(&error))?;
        let item = PassportItem {
            id: id.clone(),
            name: name.clone(),
            agent_id: document.agent_id().to_owned(),
            digest: Digest::of(&stored.bytes),
            passport,
        };
        parcel.add(id, name, &item)?;
    }
    Ok(parcel)
}

/// The documents, or those of one type.
pub(super) fn documents(state: &ProjectState, doc_type: Option<&str>) -> Result<Parcel, Failure> {
    let mut parcel = Parcel::new();
    let names = state.state_files("documents")?;
    for id in names.iter().filter_map(|name| name.strip_suffix(".md")).take(ITEMS_MAX) {
        let path = format!("documents/{id}.md");
        let Some(bytes) = state.state_file(&path)? else {
            continue;
        };
        let id = id.to_owned();
        let outline = engine_documents::Outline::of(&String::from_utf8_lossy(&bytes));
        let kind = outline.as_ref().map(|outline| outline.kind.as_str());
        if doc_type.is_some() && doc_type != kind {
            continue;
        }
        if let Some(why) = why_not(state.path(), &format!(".compliance/{path}"), &bytes) {
            parcel.withhold(&id, &id, why);
            continue;
        }
        let digest = Digest::of(&bytes);
        let Ok(content) = String::from_utf8(bytes) else {
            parcel.withhold(&id, &id, "it is not text in UTF-8");
            continue;
        };
        let item = DocumentItem {
            id: id.clone(),
            doc_type: outline.as_ref().map(|outline| outline.kind.clone()),
            status: outline.as_ref().map(|outline| match outline.status {
                engine_documents::Status::Draft => "draft".to_owned(),
                engine_documents::Status::Final => "final".to_owned(),
            }),
            digest,
            content,
        };
        parcel.add(id.clone(), id, &item)?;
    }
    Ok(parcel)
}

/// A scan: the bytes whose digest its entry states.
pub(super) fn scan(state: &ProjectState, scan: &ScanResult) -> Result<Parcel, Failure> {
    let mut result = engine_package::portable_bytes(scan).map_err(|error| conflict(&error))?;
    // Nothing in a result should name the place of the project; where something does, the place goes and the digest differs.
    let place = serde_json::to_string(&state.path().to_string_lossy()).map_err(|error| conflict(&error))?;
    let place = place.trim_matches('"');
    if place.len() > 1 && String::from_utf8_lossy(&result).contains(place) {
        result = String::from_utf8_lossy(&result).replace(place, ".").into_bytes();
    }
    let item = ScanItem {
        id: scan.id.clone(),
        scanned_at: scan.scanned_at.clone(),
        digest: Digest::of(&result),
        result: Value::Null,
    };
    // The result is put in as it was written: read and written again, its bytes could be others.
    let mut json = serde_json::to_vec(&item).map_err(|error| conflict(&error))?;
    let end = b"null}";
    json.truncate(json.len().saturating_sub(end.len()));
    json.extend_from_slice(&result);
    json.push(b'}');
    let mut parcel = Parcel::new();
    parcel.items.push(Outgoing {
        id: scan.id.clone(),
        name: format!("scan of {}", scan.scanned_at),
        json,
    });
    Ok(parcel)
}

impl Parcel {
    const fn new() -> Self {
        Self {
            items: Vec::new(),
            withheld: Vec::new(),
        }
    }

    fn add<T: serde::Serialize>(&mut self, id: String, name: String, item: &T) -> Result<(), Failure> {
        let json = serde_json::to_vec(item).map_err(|error| conflict(&error))?;
        self.items.push(Outgoing { id, name, json });
        Ok(())
    }

    fn withhold(&mut self, id: &str, name: &str, why: &str) {
        self.withheld.push(SyncItem {
            id: id.to_owned(),
            name: engine_scanner::mask_secrets(name),
            action: SyncAction::Withheld,
            error: Some(format!("not sent: {why}")),
        });
    }
}

/// Why a file stays here.
fn why_not(project: &Path, path: &str, bytes: &[u8]) -> Option<&'static str> {
    if holds_a_secret(path, bytes) {
        Some("it contains text that looks like a secret; remove the secret and send it again")
    } else if names_a_folder(project, &String::from_utf8_lossy(bytes)) {
        Some("it names a folder of this machine; write the path relative to the project and send it again")
    } else {
        None
    }
}

/// Whether a text names the folder of the project, or the folder of a person.
fn names_a_folder(project: &Path, text: &str) -> bool {
    let place = project.to_string_lossy();
    if place.len() > 1 && text.contains(&*place) {
        return true;
    }
    HOMES.iter().any(|home| {
        text.match_indices(home).any(|(at, _)| {
            // `C:\Users\` begins with the letter of the drive.
            let at = if home.starts_with(':') {
                at.saturating_sub(1)
            } else {
                at
            };
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            before.is_none_or(|before| BEFORE_PATH.contains(&before))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_path_of_this_machine_then_it_is_found_and_addresses_are_not() {
        let project = Path::new("/srv/desk");
        for text in [
            "see /srv/desk/app.py",
            "see /home/erika/notes",
            "`/Users/erika/notes`",
            "C:\\Users\\erika",
            "(C:/Users/erika)",
            "a\n/home/x",
        ] {
            assert!(names_a_folder(project, text), "{text}");
        }
        for text in [
            "https://example.org/home/erika",
            "the /homepage",
            "app/home/index.html",
            "users",
        ] {
            assert!(!names_a_folder(project, text), "{text}");
        }
    }
}
