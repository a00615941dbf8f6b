//! Badge and reports: made from the last scan and from what is kept beside it.
//!
//! A report is recorded in the chain: its digest, and the file where it is kept. Nothing that is written here counts for a score.

mod gather;
mod shapes;

use std::sync::Arc;

use engine_evidence::{Artifact, EntryType};
use engine_messages::Language;
use engine_model::{ErrorCode, Failure, ScanResult};
use engine_project::{EditError, Root};
use engine_report::{Badge, COMPLIANCE_MD_MARK, Edition, badge, compliance_md};
use engine_signing::Digest;
use engine_store::FileChange;
use serde_json::json;

pub use shapes::{
    BadgeGenerateRequest, BadgeReply, BadgeRequest, ReportFile, ReportFormat, ReportReply, ReportRequest, SavedReport,
};

pub(crate) use gather::Gathered;

use crate::Engine;
use crate::project::{ProjectState, conflict};

/// Where the badge is kept, relative to the state directory.
const BADGE_FILE: &str = "badge.svg";

/// The note beside the project.
const NOTE_FILE: &str = "COMPLIANCE.md";

/// Where new contents lie until they are put in their place.
const BESIDE: &str = ".compliance/tmp";

/// Bytes of the name of an organisation.
const NAME_BYTES_MAX: usize = 200;

impl Engine {
    /// The badge of the last scan as SVG; before the first scan it says so.
    pub fn badge(&self, request: &BadgeRequest) -> Result<Vec<u8>, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let scan = last(&state)?;
        let svg = badge(&Badge {
            scan: scan.as_deref(),
            today: self.today(),
            language: request.language.unwrap_or_default(),
        });
        Ok(svg.into_bytes())
    }

    /// Writes the badge and `COMPLIANCE.md`, and records them.
    pub fn generate_badge(&self, request: &BadgeGenerateRequest) -> Result<BadgeReply, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        self.refuse_read_only_report()?;
        let scan = scanned(&state)?;
        let language = request.language.unwrap_or_default();
        let today = self.today();
        let svg = badge(&Badge {
            scan: Some(&scan),
            today,
            language,
        });
        let image = format!(".compliance/{BADGE_FILE}");
        let note = compliance_md(&scan, today, language, &image);
        let mut reply = BadgeReply {
            path: NOTE_FILE.to_owned(),
            badge_path: image.clone(),
            markdown: note.clone(),
            svg: svg.clone(),
            scan_id: scan.id.clone(),
            changed: false,
            evidence_id: None,
        };
        // One at a time: what is read before the change must still be there when it is written.
        let _one_at_a_time = state.passports();
        let root = state.root();
        let present = root.present(NOTE_FILE).map_err(|error| edit_failure(&error))?;
        if let Some(present) = &present
            && !present.bytes.starts_with(COMPLIANCE_MD_MARK.as_bytes())
        {
            let details = format!(
                "`{NOTE_FILE}` was not written by the engine, so it was left as it is; move it away and try again"
            );
            return Err(Failure::new(ErrorCode::StateConflict, details));
        }
        let before = state.state_file(BADGE_FILE)?;
        let same_note = present.as_ref().is_some_and(|present| present.bytes == note.as_bytes());
        if same_note && before.as_deref() == Some(svg.as_bytes()) {
            return Ok(reply);
        }
        let keys = self.signer().keys()?;
        let staged = staged(root, &note, present.as_ref().map(|present| present.mode))?;
        let payload = json!({
            "action": "badge",
            "scanId": scan.id,
            "language": language.code(),
            "file": NOTE_FILE,
            "blake3": Digest::of(note.as_bytes()),
        });
        let artifacts = vec![Artifact {
            path: image,
            blake3: Digest::of(svg.as_bytes()),
        }];
        let draft = self.draft(EntryType::Report, None, payload, artifacts);
        let change = FileChange {
            path: BADGE_FILE.to_owned(),
            before,
            after: Some(svg),
        };
        let added = state.change_files(vec![change], Vec::new(), draft, &self.chain_name(), &keys.secret)?;
        self.recorded(&state, &added);
        staged.put(present.is_none()).map_err(|error| edit_failure(&error))?;
        reply.changed = true;
        reply.evidence_id = added.entries.last().map(|entry| entry.id.clone());
        Ok(reply)
    }

    /// The report as Markdown. It is kept as a file and recorded, unless the engine is read-only.
    pub fn report_markdown(&self, request: &ReportRequest) -> Result<ReportReply, Failure> {
        let made = self.made(request)?;
        let markdown = engine_report::report_markdown(&made.gathered.report(made.edition));
        let file = match &request.output_path {
            Some(path) => output(path, "md")?,
            None => file_name(made.edition, made.language),
        };
        if !is_own(&file) {
            made.state.refuse_existing(&file)?;
        }
        let evidence_id = if self.options.read_only {
            None
        } else {
            Some(self.keep_report(&made, "markdown", markdown.as_bytes(), Some((&file, &markdown)))?)
        };
        Ok(ReportReply {
            path: evidence_id.is_some().then(|| format!(".compliance/{file}")),
            markdown,
            format: ReportFormat::Markdown,
            language: made.language,
            jurisdiction: made.gathered.jurisdiction.map(|place| place.code),
            is_free: made.edition == Edition::Short,
            scan_id: made.gathered.scan.id.clone(),
            scanned_at: made.gathered.scan.scanned_at.clone(),
            regulation_version: made.gathered.scan.regulation_version.clone(),
            evidence_id,
        })
    }

    /// The report as PDF. Its digest is recorded, unless the engine is read-only.
    pub fn report_pdf(&self, request: &ReportRequest) -> Result<ReportFile, Failure> {
        let output = request
            .output_path
            .as_deref()
            .map(|path| output(path, "pdf"))
            .transpose()?;
        let made = self.made(request)?;
        if let Some(path) = output.as_deref().filter(|path| !is_own(path)) {
            made.state.refuse_existing(path)?;
        }
        let bytes = engine_pdf::to_pdf(&made.gathered.report(made.edition)).map_err(|error| {
            tracing::error!(%error, "a report cannot be written as PDF");
            Failure::new(
                ErrorCode::Internal,
                "the report could not be written as PDF; use POST /report/markdown, and report this with the engine log",
            )
        })?;
        self.keep_file(&made, "pdf", bytes, output)
    }

    /// The report as a PDF file below `.compliance/reports/`, and where it is.
    pub fn save_report_pdf(&self, request: &ReportRequest) -> Result<SavedReport, Failure> {
        self.saved(request, "pdf", ReportFormat::Pdf, Self::report_pdf)
    }

    /// The report as one self-contained page below `.compliance/reports/`, and where it is.
    pub fn save_report_page(&self, request: &ReportRequest) -> Result<SavedReport, Failure> {
        self.saved(request, "html", ReportFormat::Html, Self::report_html)
    }

    fn saved(
        &self,
        request: &ReportRequest,
        ending: &str,
        format: ReportFormat,
        make: fn(&Self, &ReportRequest) -> Result<ReportFile, Failure>,
    ) -> Result<SavedReport, Failure> {
        self.refuse_read_only_report()?;
        let path = match &request.output_path {
            Some(path) => output(path, ending)?,
            None => format!("reports/status-report.{ending}"),
        };
        let request = ReportRequest {
            output_path: Some(path.clone()),
            ..request.clone()
        };
        let file = make(self, &request)?;
        Ok(SavedReport {
            path: format!(".compliance/{path}"),
            format,
            bytes: file.bytes.len() as u64,
            evidence_id: file.evidence_id,
        })
    }

    /// The report as one self-contained page.
    pub fn report_html(&self, request: &ReportRequest) -> Result<ReportFile, Failure> {
        let output = request
            .output_path
            .as_deref()
            .map(|path| output(path, "html"))
            .transpose()?;
        let made = self.made(request)?;
        if let Some(path) = output.as_deref().filter(|path| !is_own(path)) {
            made.state.refuse_existing(path)?;
        }
        let document = made.gathered.report(made.edition);
        let page = engine_report::report_page(&document, made.language);
        self.keep_file(&made, "html", page.into_bytes(), output)
    }

    fn keep_file(
        &self,
        made: &Made,
        format: &str,
        bytes: Vec<u8>,
        output: Option<String>,
    ) -> Result<ReportFile, Failure> {
        let evidence_id = if self.options.read_only {
            None
        } else {
            let id = self.keep_report(made, format, &bytes, None)?;
            if let Some(path) = output {
                if is_own(&path) {
                    made.state.write_file(&path, &bytes)?;
                } else {
                    made.state.write_new(&path, &bytes)?;
                }
            }
            Some(id)
        };
        Ok(ReportFile { bytes, evidence_id })
    }

    /// What a report is made of.
    fn made(&self, request: &ReportRequest) -> Result<Made, Failure> {
        if let Some(name) = &request.organization
            && name.len() > NAME_BYTES_MAX
        {
            let details = format!("`organization` is longer than {NAME_BYTES_MAX} bytes; shorten it");
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("organization"));
        }
        let jurisdiction = request
            .jurisdiction
            .as_deref()
            .map(|code| self.jurisdiction(code).map_err(|failure| failure.field("jurisdiction")))
            .transpose()?;
        let state = self.project_or_current(request.path.as_deref())?;
        let scan = scanned(&state)?;
        let language = request.language.unwrap_or_default();
        let organisation = request
            .organization
            .as_deref()
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(engine_scanner::mask_secrets);
        let mut gathered = self.gather(&state, &scan)?;
        gathered.language = language;
        gathered.organisation = organisation;
        gathered.jurisdiction = jurisdiction;
        Ok(Made {
            state,
            language,
            edition: if request.is_free == Some(true) {
                Edition::Short
            } else {
                Edition::Full
            },
            gathered,
        })
    }

    /// Records a report, and keeps it as a file of the state directory where one is named.
    fn keep_report(
        &self,
        made: &Made,
        format: &str,
        bytes: &[u8],
        file: Option<(&str, &str)>,
    ) -> Result<String, Failure> {
        let keys = self.signer().keys()?;
        let state = &made.state;
        let _one_at_a_time = state.passports();
        let path = file.map(|(path, _)| format!(".compliance/{path}"));
        let payload = json!({
            "action": "report",
            "format": format,
            "scanId": made.gathered.scan.id,
            "language": made.language.code(),
            "short": made.edition == Edition::Short,
            "jurisdiction": made.gathered.jurisdiction.as_ref().map(|place| place.code.clone()),
            "file": path,
            "report": {"blake3": Digest::of(bytes), "bytes": bytes.len()},
        });
        let artifacts: Vec<Artifact> = path
            .into_iter()
            .map(|path| Artifact {
                path,
                blake3: Digest::of(bytes),
            })
            .collect();
        let changes = match file {
            Some((path, text)) => vec![FileChange {
                path: path.to_owned(),
                before: state.state_file(path)?,
                after: Some(text.to_owned()),
            }],
            None => Vec::new(),
        };
        let draft = self.draft(EntryType::Report, None, payload, artifacts);
        let added = state.change_files(changes, Vec::new(), draft, &self.chain_name(), &keys.secret)?;
        self.recorded(state, &added);
        Ok(added.entries.last().map(|entry| entry.id.clone()).unwrap_or_default())
    }

    pub(crate) fn refuse_read_only_report(&self) -> Result<(), Failure> {
        if self.options.read_only {
            return Err(Failure::new(
                ErrorCode::ReadOnly,
                "the engine is read-only and changed nothing; start it without `--read-only`",
            ));
        }
        Ok(())
    }
}

/// What a report is made of, and for whom.
struct Made {
    state: Arc<ProjectState>,
    language: Language,
    edition: Edition,
    gathered: Gathered,
}

/// The last scan, also where nothing may be written.
pub(crate) fn last(state: &ProjectState) -> Result<Option<Arc<ScanResult>>, Failure> {
    if let Some(scan) = state.last_scan()? {
        return Ok(Some(scan));
    }
    if state.opened().is_some() {
        return Ok(None);
    }
    // Another engine may own the state; its last scan can be read all the same.
    match state.reading(engine_store::Store::last_scan)? {
        Ok(scan) => Ok(scan.map(Arc::new)),
        Err(engine_store::StoreError::UnreadableResult { .. }) => Ok(None),
        Err(error) => Err(conflict(&error)),
    }
}

/// The last scan, or what to do where there is none.
pub(crate) fn scanned(state: &ProjectState) -> Result<Arc<ScanResult>, Failure> {
    last(state)?.ok_or_else(|| {
        Failure::new(
            ErrorCode::NoScanYet,
            "this project has no stored scan yet; scan it with POST /scan",
        )
    })
}

/// The name of a kept report.
fn file_name(edition: Edition, language: Language) -> String {
    let short = if edition == Edition::Short { "-short" } else { "" };
    let tongue = if language == Language::En {
        String::new()
    } else {
        format!("-{}", language.code())
    };
    format!("reports/status-report{short}{tongue}.md")
}

/// Whether the engine names a report so by itself, and writes it anew each time.
fn is_own(path: &str) -> bool {
    path.strip_prefix("reports/status-report")
        .is_some_and(|rest| !rest.contains('/'))
}

/// Where a client wants a report: a new file of its kind in the folder of reports.
fn output(path: &str, ending: &str) -> Result<String, Failure> {
    let refused = |why: String| Failure::new(ErrorCode::InvalidRequest, why).field("outputPath");
    let path = crate::project::relative(path)
        .map_err(|why| refused(format!("`outputPath` must be below `.compliance/reports/`: {why}")))?;
    let path = path.strip_prefix(".compliance/").unwrap_or(&path);
    let path = if path.contains('/') {
        path.to_owned()
    } else {
        format!("reports/{path}")
    };
    let inside = path
        .strip_prefix("reports/")
        .is_some_and(|rest| !rest.starts_with('.') && !rest.contains("/."));
    if inside && path.ends_with(&format!(".{ending}")) {
        Ok(path)
    } else {
        Err(refused(format!(
            "`outputPath` must be a .{ending} file below `.compliance/reports/`"
        )))
    }
}

/// The note, written beside the tree and not yet in its place.
fn staged(root: &Root, note: &str, mode: Option<u32>) -> Result<engine_project::Staged, Failure> {
    root.create_folders(&format!("{BESIDE}/x"))
        .and_then(|_| root.stage(BESIDE, NOTE_FILE, note.as_bytes(), mode))
        .map_err(|error| edit_failure(&error))
}

fn edit_failure(error: &EditError) -> Failure {
    Failure::new(ErrorCode::StateConflict, error.to_string())
}

#[cfg(test)]
mod tests;
