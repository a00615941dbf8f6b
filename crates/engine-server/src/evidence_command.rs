//! The evidence commands: verify, audit package, retention and keys.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use engine::{PublicKey, Report, RetentionStep, Verdict, VerifyRequest};
use engine_model::{ErrorCode, Failure};
use engine_verify::Outcome;

use crate::cli::{
    self, AuditPackageArgs, DigestArgs, FINDINGS, KeyAction, KeyArgs, RetentionAction, RetentionArgs, VerifyArgs, fail,
};
use crate::command::with_engine;

/// Bytes of personal data that are read from standard input.
const PERSONAL_BYTES_MAX: u64 = 128 * 1024;

/// Prints the outcome of a verification and returns its exit code.
fn answer(text: &str, valid: bool) -> ExitCode {
    if !cli::print(text) {
        ExitCode::from(cli::ERROR)
    } else if valid {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    }
}

/// Verifies the evidence chain of a project, or a package.
pub(crate) fn verify(arguments: &VerifyArgs) -> ExitCode {
    if Path::new(&arguments.path).is_file() {
        return verify_package(arguments);
    }
    let outcome = with_engine(|engine| {
        engine.verify_evidence(&VerifyRequest {
            path: Some(arguments.path.clone()),
            full: Some(true),
        })
    });
    let report = match outcome {
        Ok(report) => report,
        Err(why) => return fail(&why),
    };
    let text = if arguments.json {
        match serde_json::to_string_pretty(&report) {
            Ok(text) => text + "\n",
            Err(error) => {
                return fail(&format!(
                    "could not write the report as JSON: {error}; leave out `--json`"
                ));
            }
        }
    } else {
        report_text(&report)
    };
    answer(&text, report.valid)
}

/// The outcome of a verification, for a person.
fn report_text(report: &Report) -> String {
    use std::fmt::Write as _;

    let verdict = match report.verdict {
        Verdict::Valid => "valid: all entries, signatures and heads match",
        Verdict::FirstUse => "first use: the chain is intact, but this machine knew none of its keys before",
        Verdict::RolledBack => "rolled back: the chain was replaced by an older copy",
        Verdict::Truncated => "truncated: entries are missing at the end",
        Verdict::ForeignKey => "foreign key: an untrusted key signed at least one entry",
        Verdict::Missing => "missing: entries or the whole chain are missing",
        Verdict::Reordered => "reordered: the order of the entries was changed",
        Verdict::Tampered => "tampered: an entry or a file was changed after it was recorded",
        Verdict::Corrupt => "corrupt: the chain could not be read",
    };
    let mut text = format!("{verdict}\n");
    if let Some(seq) = report.broken_at {
        let _ = writeln!(text, "first problem at entry {seq}");
    }
    let _ = writeln!(text, "entries: {}", report.entries);
    if let (Some(first), Some(last)) = (&report.first_entry, &report.last_entry) {
        let _ = writeln!(text, "from {first} to {last}");
    }
    for key in &report.keys {
        let trust = if report.first_use_keys.contains(key) {
            " (trusted on first use, not yet compared with its owner)"
        } else {
            ""
        };
        let _ = writeln!(text, "signed by key {key}{trust}");
    }
    for issue in &report.issues {
        let _ = writeln!(text, "- {}", issue.message);
    }
    text
}

/// Shows, trusts or replaces keys.
pub(crate) fn key(arguments: &KeyArgs) -> ExitCode {
    use std::fmt::Write as _;

    let outcome = with_engine(|engine| match &arguments.action {
        KeyAction::Show => {
            let (key, trust) = engine.keys()?;
            let mut text = format!("signing key {}\n{key}\n", key.id());
            for trusted in trust.keys() {
                let _ = writeln!(text, "trusted {} ({})", trusted.key.id(), trusted.origin);
            }
            Ok(text)
        }
        KeyAction::Trust { key, origin, project } => {
            let parsed = PublicKey::parse(key).map_err(|error| {
                Failure::new(
                    ErrorCode::InvalidRequest,
                    format!("invalid public key: {error}; give it as PEM, base64 or hexadecimal digits"),
                )
            })?;
            engine.pin_key(parsed, origin, project.as_deref())?;
            Ok(format!("trusted {}\n", parsed.id()))
        }
        KeyAction::Rotate { project, reason } => {
            let key = engine.rotate_key(project.as_deref(), reason)?;
            Ok(format!("signing key {}\n{key}\n", key.id()))
        }
    });
    match outcome {
        Ok(text) if cli::print(&text) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(cli::ERROR),
        Err(why) => fail(&why),
    }
}

/// Verifies an audit package with the trusted keys and known heads of this machine.
fn verify_package(arguments: &VerifyArgs) -> ExitCode {
    let checked = with_engine(|engine| {
        let options = engine_verify::Options {
            pins: engine.keys()?.1.keys().iter().map(|trusted| trusted.key).collect(),
            heads: Vec::new(),
            known_heads: engine.known_heads(),
        };
        #[expect(clippy::disallowed_methods, reason = "the package is given on the command line")]
        let mut open = || File::open(&arguments.path);
        engine_verify::verify(&mut open, &options)
            .map_err(|error| Failure::new(ErrorCode::InvalidRequest, format!("`{}`: {error}", arguments.path)))
    });
    let told = |outcome: &Outcome| {
        if arguments.json {
            serde_json::to_string_pretty(outcome).map(|text| text + "\n")
        } else {
            Ok(outcome.text())
        }
    };
    match checked.map(|outcome| (told(&outcome), outcome.valid)) {
        Ok((Ok(text), valid)) => answer(&text, valid),
        Ok((Err(error), _)) => fail(&format!(
            "could not write the report as JSON: {error}; leave out `--json`"
        )),
        Err(why) => fail(&why),
    }
}

/// Packs the evidence of a project.
pub(crate) fn audit_package(arguments: &AuditPackageArgs) -> ExitCode {
    let target = &arguments.output;
    let made = with_engine(|engine| {
        let mut package = engine.audit_package(Some(&arguments.path))?;
        let written = write_whole(target, &mut package);
        written.map_err(|error| {
            Failure::new(
                ErrorCode::InvalidPath,
                format!(
                    "could not write `{}`: {error}; choose another file with --output",
                    target.display()
                ),
            )
        })?;
        let digest = data_encoding::HEXLOWER.encode(&package.sha256);
        Ok(format!("{digest}  {}\n", target.display()))
    });
    match made {
        Ok(text) if cli::print(&text) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(cli::ERROR),
        Err(why) => fail(&why),
    }
}

/// Writes a file atomically.
fn write_whole(target: &Path, content: &mut dyn Read) -> io::Result<()> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(content, &mut file)?;
    file.flush()?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// Keeps, holds or erases personal data.
pub(crate) fn retention(arguments: &RetentionArgs) -> ExitCode {
    let project = Some(arguments.folder.as_str());
    let outcome = with_engine(|engine| {
        let step = |step: RetentionStep, given: &DigestArgs| {
            Ok(lines(&engine.retain(project, &step, &given.digests, &given.reason)?))
        };
        match &arguments.action {
            RetentionAction::List { show } => Ok(listed(&engine.personal(project)?, *show)),
            RetentionAction::Keep { until } => {
                let mut value = String::new();
                let read = io::stdin().lock().take(PERSONAL_BYTES_MAX).read_to_string(&mut value);
                read.map_err(|error| {
                    Failure::new(
                        ErrorCode::InvalidRequest,
                        format!("could not read standard input: {error}; send the data as UTF-8 text"),
                    )
                })?;
                let digest = engine.keep_personal(project, value.trim_end_matches(['\r', '\n']), until.as_deref())?;
                Ok(lines(&[digest]))
            }
            RetentionAction::Expire { reason } => {
                Ok(lines(&engine.retain(project, &RetentionStep::Expire, &[], reason)?))
            }
            RetentionAction::Erase(given) => step(RetentionStep::Erase, given),
            RetentionAction::Hold(given) => step(RetentionStep::Hold, given),
            RetentionAction::Release(given) => step(RetentionStep::Release, given),
        }
    });
    match outcome {
        Ok(text) if cli::print(&text) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(cli::ERROR),
        Err(why) => fail(&why),
    }
}

fn lines(digests: &[String]) -> String {
    digests.iter().flat_map(|digest| [digest.as_str(), "\n"]).collect()
}

fn listed(records: &[engine::PersonalRecord], show: bool) -> String {
    use std::fmt::Write as _;

    let mut text = String::new();
    for record in records {
        let _ = write!(text, "{}", record.digest);
        let _ = match &record.kept_until {
            Some(until) => write!(text, "  until {until}"),
            None => write!(text, "  no end date"),
        };
        if let Some(reason) = &record.legal_hold {
            let _ = write!(text, "  legal hold: {reason}");
        }
        if !record.fits {
            let _ = write!(text, "  changed: the data does not match its digest");
        }
        if show {
            let _ = write!(text, "  {}", record.value.escape_debug());
        }
        text.push('\n');
    }
    text
}
