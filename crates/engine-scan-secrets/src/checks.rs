//! What the places with secrets mean for the duties of a system.

#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    ArtefactKind, Check, CheckContext, EvidenceKind, FileInfo, Language, Location, Report, SecretPlace, Zone,
    declare_check,
};

use crate::facts::{Secret, SecretFacts};

/// The checks of this crate.
pub const CHECKS: &[Check] = &[
    AI_KEY,
    CLOUD_KEY,
    SOURCE_HOST_TOKEN,
    SERVICE_TOKEN,
    PRIVATE_KEY,
    CONNECTION_STRING,
    GENERIC_ASSIGNMENT,
];

/// Below this confidence a place is a notice: it may well be a sample.
const SURE_MIN: u8 = 50;

/// Below this confidence a place is not handed on.
const CONFIDENCE_MIN: u8 = 30;

/// How much of a fingerprint tells two secrets of a file apart.
const FINGERPRINT_SHOWN: usize = 16;

/// The places with secrets of all files, in the order of files and places.
pub fn join<F: Borrow<SecretFacts>>(facts: &[(FileInfo, F)]) -> Vec<SecretPlace> {
    let mut out: Vec<SecretPlace> = facts
        .iter()
        .flat_map(|(file, facts)| facts.borrow().found.iter().map(move |secret| place(file, secret)))
        .filter(|place| place.confidence >= CONFIDENCE_MIN)
        .collect();
    out.sort();
    out
}

fn place(file: &FileInfo, secret: &Secret) -> SecretPlace {
    let shown = secret.fingerprint.get(..FINGERPRINT_SHOWN);
    SecretPlace {
        file: file.path.clone(),
        line: secret.line,
        column: secret.column,
        end_line: secret.end_line,
        check: secret.check.clone(),
        rule: secret.rule.clone(),
        title: secret.title.clone(),
        provider: secret.provider.clone(),
        confidence: secret.confidence,
        masked: secret.masked.clone(),
        fingerprint: shown.unwrap_or(&secret.fingerprint).to_owned(),
    }
}

/// Reports the secrets of one check. Without an AI system there is no duty, so that a place is only something to know.
///
/// A value that stands at several places is one secret: it is reported once, where it is surest, and the other places are
/// evidence. So is a key together with its name or its secret.
fn report_all(id: &str, context: &CheckContext<'_>, report: &mut Report) {
    let told = told(context);
    for places in secrets(context, &told) {
        let Some(place) = places.first().filter(|place| place.check == id) else {
            continue;
        };
        // What a finding about a whole file tells already is named, and not counted again.
        let (again, new): (Vec<&SecretPlace>, Vec<&SecretPlace>) = places
            .iter()
            .copied()
            .partition(|place| told.contains(place.file.as_str()));
        let kinds = kinds_in_one_file(&new);
        let mut others = match new.len() {
            0 | 1 => String::new(),
            _ if kinds > 1 => format!(", and {} more of the kind in the same file", kinds - 1),
            2 => ", and at 1 place more".to_owned(),
            count => format!(", and at {} places more", count - 1),
        };
        if let Some(known) = again.first() {
            others += "; it is the value of `";
            others += &known.file;
            others.push('`');
        }
        let message = format!("observed: {} {} in `{}`{others}", place.title, place.masked, place.file);
        let system = context
            .systems
            .iter()
            .find(|system| context.in_scope(system, &place.file))
            // The key of an AI service or of a cloud opens what the only system there is runs on, wherever in the tree it stands.
            .or(match context.systems {
                [only] if matches!(id, "secret-ai-key" | "secret-cloud-key") => Some(only),
                _ => None,
            });
        let mut observation = if system.is_some() && place.confidence >= SURE_MIN {
            report.fail(place.confidence, message)
        } else {
            report.info(place.confidence, message)
        };
        if let Some(system) = system {
            observation = observation.system(system);
        }
        observation = observation
            .at(Location {
                file: place.file.clone(),
                line: place.line,
                column: place.column,
                cell: None,
            })
            .end_line(place.end_line.max(place.line))
            .anchor(format!("{}#{}", place.rule, place.fingerprint));
        for place in places {
            observation =
                observation.evidence(EvidenceKind::Configuration, place.rule.clone(), &place.file, place.line);
        }
    }
}

/// How many different secrets of one rule places of one file hold; 0 where they are not all of that kind.
fn kinds_in_one_file(places: &[&SecretPlace]) -> usize {
    let alike = places
        .windows(2)
        .all(|pair| pair[0].file == pair[1].file && pair[0].rule == pair[1].rule);
    let different: BTreeSet<&str> = places.iter().map(|place| place.fingerprint.as_str()).collect();
    if alike && places.first().is_some_and(|place| is_of_a_form(place)) {
        different.len()
    } else {
        0
    }
}

/// Whether a secret is told by its own form.
fn is_of_a_form(place: &SecretPlace) -> bool {
    !NAMED.contains(&place.rule.as_str()) && place.rule != PRIVATE_KEY_RULE
}

/// Files of environment values that are reported as a whole.
fn told<'a>(context: &CheckContext<'a>) -> BTreeSet<&'a str> {
    context
        .artefacts
        .iter()
        .filter(|artefact| context.has_systems() && artefact.kind == ArtefactKind::SecretsFile)
        .map(|artefact| artefact.file.as_str())
        .collect()
}

/// The secrets with their places, the surest first: code and settings before documents that tell of them.
///
/// Left out is what is hardly a secret, or made for it, and stands in a test, where it is a sample, and what stands nowhere but in files of environment
/// values that are reported as a whole.
fn secrets<'a>(context: &CheckContext<'a>, told: &BTreeSet<&str>) -> Vec<Vec<&'a SecretPlace>> {
    let mut values: BTreeMap<&str, Vec<&SecretPlace>> = BTreeMap::new();
    for place in context.secrets {
        let tested = Zone::of_path(&place.file, "") == Zone::Test;
        if !tested || place.confidence >= SURE_MIN && !is_stand_in(place) {
            values.entry(&place.fingerprint).or_default().push(place);
        }
    }
    let mut secrets: Vec<Vec<&SecretPlace>> = values
        .into_values()
        .filter(|places| !places.iter().all(|place| told.contains(place.file.as_str())))
        .collect();
    for places in &mut secrets {
        places.sort_by_key(|place| {
            (
                told.contains(place.file.as_str()),
                Reverse(place.confidence),
                is_read_only(&place.file),
            )
        });
    }
    // Fingerprints differ from machine to machine; places do not.
    secrets.sort_by(|a, b| a.first().cmp(&b.first()));
    let mut out: Vec<Vec<&SecretPlace>> = Vec::new();
    for places in secrets {
        match out.last_mut().filter(|before| is_pair(before, &places)) {
            Some(before) => before.extend(places),
            None => out.push(places),
        }
    }
    for places in &mut out {
        // The longer part opens the door, and is the one that shows its first characters.
        places.sort_by_key(|place| {
            (
                told.contains(place.file.as_str()),
                Reverse(place.confidence),
                is_read_only(&place.file),
                Reverse(place.masked.len()),
            )
        });
    }
    out
}

/// Whether a file only tells of a secret, and uses none: a document, a log.
fn is_read_only(file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    Language::of_path(file) == Language::Markup || ending.eq_ignore_ascii_case("log")
}

/// Lines between the parts of one credential.
const PAIR_WITHIN: u32 = 2;

/// Lines between the passwords of one list of users.
const LIST_WITHIN: u32 = 12;

/// Rules of secrets that only their names give away: those that stand side by side belong together.
const NAMED: [&str; 4] = [
    "secret-named-key",
    "secret-generic-token",
    "secret-generic-key",
    "secret-password",
];

/// The rule of private keys.
const PRIVATE_KEY_RULE: &str = "secret-private-key";

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a private key of the tests says in the name of its file that it stands in for one: `test/fixtures/mock-cert.pem`.
fn is_stand_in(place: &SecretPlace) -> bool {
    let name = place
        .file
        .rsplit('/')
        .next()
        .unwrap_or(&place.file)
        .to_ascii_lowercase();
    let mut words = name.split(['-', '_', '.']);
    place.rule == PRIVATE_KEY_RULE
        && words.any(|word| matches!(word, "mock" | "mocked" | "fake" | "dummy" | "snakeoil"))
}

/// Whether two secrets stand together as the parts of one credential: a key, its secret, its token.
fn is_pair(before: &[&SecretPlace], after: &[&SecretPlace]) -> bool {
    let [.., last] = before else { return false };
    let [first] = after else { return false };
    // The keys of one folder were made by one hand, and are made anew by one.
    if last.rule == PRIVATE_KEY_RULE && first.rule == PRIVATE_KEY_RULE {
        return folder(&last.file) == folder(&first.file);
    }
    // Keys of one service in one file are taken out, and made anew, together.
    if last.file == first.file && last.rule == first.rule && is_of_a_form(first) {
        return before.iter().all(|place| place.file == first.file);
    }
    last.file == first.file
        && last.provider == first.provider
        && NAMED.contains(&last.rule.as_str())
        && NAMED.contains(&first.rule.as_str())
        && (last.line.abs_diff(first.line) <= PAIR_WITHIN
            // The users of one list, with what each signs in with.
            || last.rule == "secret-password" && first.rule == last.rule && last.line.abs_diff(first.line) <= LIST_WITHIN)
}

declare_check! {
    /// A key of a service that runs models, written into a file.
    ///
    /// Art. 15(5) asks to protect high-risk systems against attacks on their confidentiality. Who reads the file can use the
    /// model at the owner's cost and, with many providers, read what was sent before. Only a mask of the key is kept.
    ///
    /// Reported:
    /// ```python app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI(api_key="{{openai_key}}")
    /// ```
    /// Not reported:
    /// ```python app.py
    /// import os
    /// from openai import OpenAI
    ///
    /// client = OpenAI(api_key=os.environ["OPENAI_API_KEY"])
    /// ```
    AI_KEY {
        id: "secret-ai-key",
        layer: L3,
        obligation: "OBL-047",
        severity: High,
        fix: "Revoke the key at the provider, take it out of the file and its history, and read it from the environment or a vault.",
        run: ai_key,
    }
}

fn ai_key(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-ai-key", context, report);
}

declare_check! {
    /// A key of a cloud or its services, written into a file.
    ///
    /// Models, data and logs of a system lie behind such keys. Keys that are published as samples are left alone.
    ///
    /// Reported:
    /// ```text deploy.ini
    /// AWS_ACCESS_KEY_ID={{aws_access_key_id}}
    /// AWS_SECRET_ACCESS_KEY={{aws_secret_key}}
    /// ```
    /// Not reported:
    /// ```text deploy.ini
    /// AWS_ACCESS_KEY_ID=
    /// AWS_SECRET_ACCESS_KEY=${VAULT_AWS_SECRET}
    /// ```
    CLOUD_KEY {
        id: "secret-cloud-key",
        layer: L3,
        obligation: "OBL-047",
        severity: High,
        fix: "Revoke the key, take it out of the file and its history, and use a role of the workload or a vault instead.",
        run: cloud_key,
    }
}

fn cloud_key(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-cloud-key", context, report);
}

declare_check! {
    /// A token of a source host, a package registry or a build service, written into a file.
    ///
    /// Who holds it can change what is built and shipped.
    ///
    /// Reported:
    /// ```text .github/sync.sh
    /// git clone https://{{github_token}}@github.com/company/models.git
    /// ```
    /// Not reported:
    /// ```text .github/sync.sh
    /// git clone https://$GITHUB_TOKEN@github.com/company/models.git
    /// ```
    SOURCE_HOST_TOKEN {
        id: "secret-source-host-token",
        layer: L3,
        obligation: "OBL-047",
        severity: High,
        fix: "Revoke the token, take it out of the file and its history, and use the token that the build service hands to each run.",
        run: source_host_token,
    }
}

fn source_host_token(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-source-host-token", context, report);
}

declare_check! {
    /// A token of another service, written into a file.
    ///
    /// Who holds it can read and send in the name of the system: messages, payments, mail.
    ///
    /// Reported:
    /// ```python notify.py
    /// SLACK_BOT_TOKEN = "{{slack_token}}"
    /// ```
    /// Not reported:
    /// ```python notify.py
    /// SLACK_BOT_TOKEN = "xoxb-your-token"
    /// ```
    SERVICE_TOKEN {
        id: "secret-service-token",
        layer: L3,
        obligation: "OBL-047",
        severity: High,
        fix: "Revoke the token, take it out of the file and its history, and read it from the environment or a vault.",
        run: service_token,
    }
}

fn service_token(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-service-token", context, report);
}

declare_check! {
    /// A private key as a block of lines.
    ///
    /// A first line without a key behind it, public keys and certificates are left alone.
    ///
    /// Reported:
    /// ```text deploy/server.pem
    /// {{private_key}}
    /// ```
    /// Not reported:
    /// ```text deploy/README.txt
    /// The file begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----
    /// ```
    PRIVATE_KEY {
        id: "secret-private-key",
        layer: L3,
        obligation: "OBL-047",
        severity: High,
        fix: "Make a new pair of keys, withdraw the certificates of the old one, and keep the private key outside the repository.",
        run: private_key,
    }
}

fn private_key(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-private-key", context, report);
}

declare_check! {
    /// A password in a connection string or a URL.
    ///
    /// Who holds it can read and change what the system has stored, the data of people among it.
    ///
    /// Reported:
    /// ```text settings.ini
    /// database = {{connection_string}}
    /// ```
    /// Not reported:
    /// ```text settings.ini
    /// database = postgresql://postgres:postgres@localhost:5432/app
    /// ```
    CONNECTION_STRING {
        id: "secret-connection-string",
        layer: L3,
        obligation: "OBL-047",
        severity: High,
        fix: "Change the password, take it out of the file and its history, and read the connection from the environment or a vault.",
        run: connection_string,
    }
}

fn connection_string(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-connection-string", context, report);
}

declare_check! {
    /// A token, key or password of no known service that is assigned to a name.
    ///
    /// The name must speak of a secret and the value must look made by a machine, or like a password with letters and digits.
    /// Stand-ins, paths, digests, public keys and values from elsewhere are left alone.
    ///
    /// Reported:
    /// ```text config.py
    /// SESSION_SECRET = "{{random_token}}"
    /// ```
    /// Not reported:
    /// ```text config.py
    /// SESSION_SECRET = "change-me-in-production"
    /// SECRET_NAME = "session-secret-2026"
    /// ```
    GENERIC_ASSIGNMENT {
        id: "secret-generic-assignment",
        layer: L3,
        obligation: "OBL-047",
        severity: Medium,
        fix: "Change the secret, take it out of the file and its history, and read it from the environment or a vault.",
        run: generic_assignment,
    }
}

fn generic_assignment(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-generic-assignment", context, report);
}
