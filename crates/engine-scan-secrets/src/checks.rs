//! Checks on secrets in the files of a project.

#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    ArtefactKind, Check, CheckContext, EvidenceKind, FileInfo, Language, Location, Report, SecretPlace, Severity, Zone,
    declare_check,
};

use crate::facts::{Secret, SecretFacts};
use crate::name;

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

/// Below this confidence a place is a notice: it may be a sample.
const SURE_MIN: u8 = 50;

/// Below this confidence a place is dropped.
const CONFIDENCE_MIN: u8 = 30;

/// Characters of a fingerprint that distinguish two secrets of a file.
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

/// Reports the secrets of one check. Without an AI system no obligation applies, so the finding is a notice.
///
/// A value at several places is one secret: it is reported once, at the place with the highest confidence. The other places are
/// evidence. A key and its name or its secret are also one finding.
/// A number of places with its noun.
fn more_places(number: usize) -> String {
    if number == 1 {
        "1 more place".to_owned()
    } else {
        format!("{number} more places")
    }
}

fn report_all(id: &str, context: &CheckContext<'_>, report: &mut Report) {
    // A scan runs this for each check, and few projects have secrets of all kinds.
    if !context.secrets.iter().any(|place| place.check == id) {
        return;
    }
    let told = told(context);
    for places in secrets(context, &told) {
        let Some(place) = places.first().filter(|place| place.check == id) else {
            continue;
        };
        // Places that a finding about a whole file covers are named and not counted again.
        let (again, new): (Vec<&SecretPlace>, Vec<&SecretPlace>) = places
            .iter()
            .copied()
            .partition(|place| told.contains(place.file.as_str()));
        let kinds = kinds_in_one_file(&new);
        let mut others = match new.len() {
            0 | 1 => String::new(),
            _ if kinds > 1 => format!(", and {} more of the same kind in this file", kinds - 1),
            // Places of one secret, in the order of their paths; the first one is named with the finding.
            count => {
                let other = new
                    .iter()
                    .find(|other| (&other.file, other.line) != (&place.file, place.line));
                let other = other.map_or_else(String::new, |other| format!(" at {}:{}", other.file, other.line));
                match count {
                    2 => format!("; the same secret is also{other}"),
                    _ => format!("; the same secret is also{other} and at {}", more_places(count - 2)),
                }
            }
        };
        if let Some(known) = again.first() {
            others += "; the same value is in `";
            others += &known.file;
            others.push('`');
        }
        let message = format!("{} {} in `{}`{others}", place.title, place.masked, place.file);
        let system = context
            .systems
            .iter()
            .find(|system| context.in_scope(system, &place.file))
            // The key of an AI service or of a cloud belongs to the only system of the project, wherever the key is.
            .or(match context.systems {
                [only] if matches!(id, "secret-ai-key" | "secret-cloud-key") => Some(only),
                _ => None,
            });
        let mut observation = if place.confidence >= SURE_MIN {
            report.fail(place.confidence, message)
        } else {
            report.info(place.confidence, message)
        };
        observation = match system {
            Some(system) => observation.system(system),
            // A secret outside every system can be abused today all the same, and is no gap of an obligation.
            None if place.confidence >= SURE_MIN => observation.obligation(""),
            None => observation,
        };
        observation = observation
            .at(Location {
                file: place.file.clone(),
                line: place.line,
                column: place.column,
                cell: None,
            })
            .end_line(place.end_line.max(place.line))
            .anchor(format!("{}#{}", place.rule, place.fingerprint));
        if is_of_demo_data(&places) {
            observation = observation.severity(Severity::Medium);
        }
        for place in places {
            observation =
                observation.evidence(EvidenceKind::Configuration, place.rule.clone(), &place.file, place.line);
        }
    }
}

/// The number of different secrets where all places are of one rule and one file, else 0.
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

/// Whether the format of a secret identifies it.
fn is_of_a_form(place: &SecretPlace) -> bool {
    !NAMED.contains(&place.rule.as_str()) && place.rule != PRIVATE_KEY_RULE
}

/// Environment files that are reported as a whole.
fn told<'a>(context: &CheckContext<'a>) -> BTreeSet<&'a str> {
    context
        .artefacts
        .iter()
        .filter(|artefact| context.has_systems() && artefact.kind == ArtefactKind::SecretsFile)
        .map(|artefact| artefact.file.as_str())
        .collect()
}

/// The secrets with their places, highest confidence first: code and settings before documents.
///
/// Skipped are test values of low confidence or of a dummy key, and secrets that are only in environment files reported as a whole.
fn secrets<'a>(context: &CheckContext<'a>, told: &BTreeSet<&str>) -> Vec<Vec<&'a SecretPlace>> {
    let mut values: BTreeMap<&str, Vec<&SecretPlace>> = BTreeMap::new();
    for place in context.secrets {
        let counts_anywhere = place.confidence >= SURE_MIN && !is_stand_in(place);
        if counts_anywhere || Zone::of_path(&place.file, "") != Zone::Test {
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
        // The longer part is the secret itself; its mask shows the first characters.
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

/// Whether a file only mentions a secret and does not use it: a document, a log.
fn is_read_only(file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    Language::of_path(file) == Language::Markup || ending.eq_ignore_ascii_case("log")
}

/// Whether a secret is the password of a demo, seed or load-test user: it opens only data made up for that purpose, unless it is used elsewhere
/// too. Documents that name it as well change nothing.
fn is_of_demo_data(places: &[&SecretPlace]) -> bool {
    let made_up = |place: &&SecretPlace| PASSWORDS.contains(&place.rule.as_str()) && makes_demo_data(&place.file);
    places.iter().any(made_up) && places.iter().all(|place| made_up(place) || is_read_only(&place.file))
}

/// Rules that identify a password by the name or the command next to it.
const PASSWORDS: [&str; 2] = ["secret-password", "secret-command-password"];

/// Whether a file is a demo, fills a database with made-up data, or runs a load test: `seed_demo.py`, `DatabaseSeeder.php`,
/// `loadtests/locustfile.py`.
fn makes_demo_data(file: &str) -> bool {
    let says = |part: &str, wanted: &[&str]| {
        let (flat, words) = name::words(part);
        flat.contains("loadtest") || words.iter().any(|word| wanted.contains(&word.as_str()))
    };
    let (folder, own) = file.rsplit_once('/').unwrap_or(("", file));
    // `com/example/demo/DemoApplication.java` below `src/main` is how a plain application of Spring is named.
    let demo = folder.split('/').any(|part| matches!(part, "demo" | "demos")) || says(own, &["demo"]);
    demo && !file.contains("src/main/") || file.split('/').any(|part| says(part, &MADE_UP_DATA))
}

/// Words in the names of files and folders that make up data or load.
const MADE_UP_DATA: [&str; 9] = [
    "seed",
    "seeds",
    "seeder",
    "seeders",
    "seeding",
    "locust",
    "locustfile",
    "k6",
    "jmeter",
];

/// Lines between the parts of one credential.
const PAIR_WITHIN: u32 = 2;

/// Lines between the passwords of one list of users.
const LIST_WITHIN: u32 = 12;

/// Rules that identify a secret by its name only: adjacent hits belong together.
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

/// Whether the file name of a private key marks it as a dummy key: `test/fixtures/mock-cert.pem`.
fn is_stand_in(place: &SecretPlace) -> bool {
    if place.rule != PRIVATE_KEY_RULE {
        return false;
    }
    let name = place
        .file
        .rsplit('/')
        .next()
        .unwrap_or(&place.file)
        .to_ascii_lowercase();
    let mut words = name.split(['-', '_', '.']);
    words.any(|word| matches!(word, "mock" | "mocked" | "fake" | "dummy" | "snakeoil"))
}

/// Whether two secrets are parts of one credential: a key, its secret, its token.
fn is_pair(before: &[&SecretPlace], after: &[&SecretPlace]) -> bool {
    let [.., last] = before else { return false };
    let [first] = after else { return false };
    // The keys of one folder are generated and replaced together.
    if last.rule == PRIVATE_KEY_RULE && first.rule == PRIVATE_KEY_RULE {
        return folder(&last.file) == folder(&first.file);
    }
    // Keys of one service in one file are removed and replaced together.
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
    /// Committed AI service key.
    ///
    /// Anyone who can read the file can use the model at the owner's cost. With many providers, they can also read earlier requests.
    /// Art. 15(5) requires high-risk systems to be protected against attacks on confidentiality.
    /// This finding is reported in every project, with or without an AI system, because the secret can be abused today.
    /// The report contains only a mask of the key.
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
        impact: Exposes,
        fix: "Revoke the key at the provider. Remove it from the file and from the Git history. Load it from an environment variable or a secrets vault.",
        run: ai_key,
    }
}

fn ai_key(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-ai-key", context, report);
}

declare_check! {
    /// Committed cloud credential.
    ///
    /// Such a key gives access to the models, data and logs of a system in the cloud.
    /// This finding is reported in every project, with or without an AI system, because the secret can be abused today.
    /// Keys that providers publish as samples are not reported.
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
        impact: Exposes,
        fix: "Revoke the key. Remove it from the file and from the Git history. Use a workload role or a secrets vault instead.",
        run: cloud_key,
    }
}

fn cloud_key(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-cloud-key", context, report);
}

declare_check! {
    /// Committed source host or registry token.
    ///
    /// This covers tokens of source hosts, package registries and build services.
    /// Anyone who has the token can change the code or packages that the project builds and ships.
    /// This finding is reported in every project, with or without an AI system, because the secret can be abused today.
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
        impact: Exposes,
        fix: "Revoke the token. Remove it from the file and from the Git history. Use the short-lived token that the build service provides for each run.",
        run: source_host_token,
    }
}

fn source_host_token(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-source-host-token", context, report);
}

declare_check! {
    /// Committed service token.
    ///
    /// Anyone who has the token can use the service in the name of the system, for example to send messages, mail or payments.
    /// This finding is reported in every project, with or without an AI system, because the secret can be abused today.
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
        impact: Exposes,
        fix: "Revoke the token. Remove it from the file and from the Git history. Load it from an environment variable or a secrets vault.",
        run: service_token,
    }
}

fn service_token(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-service-token", context, report);
}

declare_check! {
    /// Committed private key.
    ///
    /// Anyone who has the key can impersonate its owner or decrypt data.
    /// This finding is reported in every project, with or without an AI system, because the secret can be abused today.
    /// A header line without a key after it, a public key and a certificate are not reported.
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
        impact: Exposes,
        fix: "Generate a new key pair and revoke the certificates of the old one. Store the private key outside the repository.",
        run: private_key,
    }
}

fn private_key(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-private-key", context, report);
}

declare_check! {
    /// Password in connection string or URL.
    ///
    /// Anyone who has the password can read and change the stored data of the system, including personal data.
    /// This finding is reported in every project, with or without an AI system, because the secret can be abused today.
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
        impact: Exposes,
        fix: "Change the password. Remove it from the file and from the Git history. Load the connection string from an environment variable or a secrets vault.",
        run: connection_string,
    }
}

fn connection_string(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-connection-string", context, report);
}

declare_check! {
    /// Committed secret of unknown service.
    ///
    /// A token, key or password is assigned to a variable or setting. The name indicates a secret.
    /// The value looks machine-generated, or like a password with letters and digits.
    /// This finding is reported in every project, with or without an AI system, because the secret can be abused today.
    /// Placeholders, paths, digests, public keys and values loaded from elsewhere are not reported.
    /// A placeholder in base64 is not reported either.
    /// A password in a demo, seed or load-test file has severity medium, because it opens only invented data.
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
        severity: High,
        impact: Exposes,
        fix: "Replace the secret. Remove it from the file and from the Git history. Load it from an environment variable or a secrets vault.",
        run: generic_assignment,
    }
}

fn generic_assignment(context: &CheckContext<'_>, report: &mut Report) {
    report_all("secret-generic-assignment", context, report);
}
