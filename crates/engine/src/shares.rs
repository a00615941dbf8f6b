//! Shared results: a copy without names, secrets and machine paths, under an id that nobody guesses, until a day.

use std::sync::Arc;

use engine_evidence::EntryType;
use engine_messages::Language;
use engine_model::{ErrorCode, Failure};
use engine_report::{ShareFacts, ShareKind, share_page};
use engine_signing::Digest;
use engine_store::{NewShare, ShareRow, SharedContent, new_share_id};
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::evals::cleaner;
use crate::project::{ProjectState, conflict};
use crate::reports::{Gathered, scanned};
use crate::{Engine, gate};

/// Days for which a result is shared if a client names no number, and the most.
const DAYS_DEFAULT: u32 = 30;
const DAYS_MAX: u32 = 365;

/// Shares listed where a client names no number, and the most.
const LIST_DEFAULT: u32 = 100;
const LIST_MAX: u32 = 1_000;

/// The port that an address names while no daemon listens.
const PORT_DEFAULT: u16 = 3578;

/// What is shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScanType {
    /// The last scan.
    #[default]
    Scan,
    /// The last evaluation of a live endpoint.
    Eval,
    /// Both.
    Audit,
}

impl ScanType {
    const fn kind(self) -> ShareKind {
        match self {
            Self::Scan => ShareKind::Scan,
            Self::Eval => ShareKind::Eval,
            Self::Audit => ShareKind::Audit,
        }
    }
}

/// Body of `POST /share`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShareRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The code of a country of the EU or the European Economic Area; the page then names its authorities.
    #[serde(default)]
    pub jurisdiction: Option<String>,
    /// What to share; the last scan if absent.
    #[serde(default)]
    pub scan_type: Option<ScanType>,
    /// Days until the share ends, 1 to 365; 30 if absent.
    #[serde(default)]
    pub expiration_days: Option<u32>,
    /// The language of the page; English if absent.
    #[serde(default)]
    pub language: Option<Language>,
    /// The name of the organisation, for the page.
    #[serde(default)]
    pub organization: Option<String>,
}

/// Body of `POST /share/revoke`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RevokeRequest {
    /// The id of the share.
    pub id: String,
    /// The project's folder; the project of the share, among those that are open, if absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// Query of `GET /shares`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShareListRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The maximum number of shares, 100 if absent.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Only shares before this place, `cursor` of the previous page.
    #[serde(default)]
    pub cursor: Option<i64>,
}

/// The state of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShareStatus {
    /// It can be read.
    Active,
    /// Its last day has passed.
    Expired,
    /// A person revoked it.
    Revoked,
}

/// Reply of `POST /share`, and one line of `GET /shares`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShareRecord {
    /// 128 random bits in hexadecimal digits.
    pub id: String,
    /// The address on this machine.
    pub url: String,
    /// When the share ends, RFC 3339 in UTC.
    pub expires_at: String,
    /// The score of what is shared, 0 to 100; 0 while it is not assessed.
    pub score: f64,
    /// The number of gaps, or of failed probes.
    pub findings_count: u64,
    /// Whether the score rests on an evaluated obligation, or on enough verdicts.
    pub assessed: bool,
    /// What is shared.
    pub scan_type: ScanType,
    /// When it was shared, RFC 3339 in UTC.
    pub created_at: String,
    /// The code of the country whose authorities the page names.
    pub jurisdiction: Option<String>,
    /// The state of the share.
    pub status: ShareStatus,
    /// When a person revoked it.
    pub revoked_at: Option<String>,
}

/// Reply of `GET /shares`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShareList {
    /// The shares, the newest first.
    pub shares: Vec<ShareRecord>,
    /// The number of shares in this reply.
    pub count: u64,
    /// `cursor` of the next page, if there is one.
    pub cursor: Option<i64>,
}

/// Reply of `GET /share/{id}` as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SharedResult {
    /// What is shared.
    pub scan_type: ScanType,
    /// When it was shared, RFC 3339 in UTC.
    pub created_at: String,
    /// When the share ends, RFC 3339 in UTC.
    pub expires_at: String,
    /// The code of the country whose authorities the page names.
    pub jurisdiction: Option<String>,
    /// The score of what is shared, 0 to 100; 0 while it is not assessed.
    pub score: f64,
    /// Whether the score rests on an evaluated obligation, or on enough verdicts.
    pub assessed: bool,
    /// The number of gaps, or of failed probes.
    pub findings_count: u64,
    /// The scan without lines of code, names of people and machine paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan: Option<Value>,
    /// The evaluation without its prompts and replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval: Option<Value>,
    /// The limits of the result.
    pub disclaimer: String,
}

/// A share that can be read, in the form that the client asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedForm {
    /// As JSON.
    Json(Vec<u8>),
    /// As a page.
    Page(Vec<u8>),
}

/// The numbers of what is shared.
struct Numbers {
    score: Option<f64>,
    findings: u64,
}

impl Engine {
    /// Shares a result.
    pub fn share(&self, request: &ShareRequest) -> Result<ShareRecord, Failure> {
        let days = request.expiration_days.unwrap_or(DAYS_DEFAULT);
        if days == 0 || days > DAYS_MAX {
            let details = format!("`expirationDays` must be between 1 and {DAYS_MAX}");
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("expirationDays"));
        }
        let jurisdiction = request
            .jurisdiction
            .as_deref()
            .map(|code| self.jurisdiction(code).map_err(|failure| failure.field("jurisdiction")))
            .transpose()?;
        let state = self.project_or_current(request.path.as_deref())?;
        self.refuse_read_only_report()?;
        let keys = self.signer().keys()?;
        let scan_type = request.scan_type.unwrap_or_default();
        let mut gathered = self.gather(&state, &scanned(&state)?)?;
        if scan_type != ScanType::Scan && gathered.eval.is_none() {
            let details = "this project has no stored evaluation; evaluate an endpoint with POST /eval/run first";
            return Err(Failure::new(ErrorCode::NoRunYet, details).field("scanType"));
        }
        gathered.language = request.language.unwrap_or_default();
        gathered.organisation = request
            .organization
            .as_deref()
            .map(|name| engine_scanner::mask_secrets(name.trim()))
            .filter(|name| !name.is_empty());
        gathered.jurisdiction = jurisdiction;
        let numbers = numbers(&gathered, scan_type);
        gathered.make_portable(&state);
        let now = (self.options.clock.now)();
        let expires = now
            .checked_add((i64::from(days) * 24).hours())
            .map_err(|error| conflict(&error))?;
        let (created_at, expires_at) = (crate::scan::timestamp(now), crate::scan::timestamp(expires));
        let shared = SharedResult {
            scan_type,
            created_at: created_at.clone(),
            expires_at: expires_at.clone(),
            jurisdiction: gathered.jurisdiction.as_ref().map(|place| place.code.clone()),
            score: numbers.score.unwrap_or_default(),
            assessed: numbers.score.is_some(),
            findings_count: numbers.findings,
            scan: (scan_type != ScanType::Eval).then(|| scan_of(&gathered)).transpose()?,
            eval: (scan_type != ScanType::Scan)
                .then(|| eval_of(&state, &gathered))
                .transpose()?,
            disclaimer: gathered.scan.disclaimer.clone(),
        };
        let result = serde_json::to_vec(&shared).map_err(|error| conflict(&error))?;
        let date = |time: Timestamp| time.to_zoned(jiff::tz::TimeZone::UTC).date();
        let page = share_page(
            &gathered.shared(scan_type.kind()),
            &ShareFacts {
                kind: scan_type.kind(),
                created: date(now),
                expires: date(expires),
                language: gathered.language,
            },
        );
        let id = new_share_id().map_err(|error| conflict(&error))?;
        let payload = json!({
            "action": "created",
            // The id opens the share, so the chain names it by its digest.
            "share": Digest::of(id.as_bytes()),
            "scanType": scan_type,
            "scanId": gathered.scan.id,
            "runId": gathered.eval.as_ref().filter(|_| scan_type != ScanType::Scan).map(|eval| eval.id.clone()),
            "expiresAt": expires_at,
            "jurisdiction": shared.jurisdiction,
            "content": {"blake3": Digest::of(&result), "page": Digest::of(page.as_bytes())},
        });
        let record = json!({
            "scanType": scan_type,
            "score": shared.score,
            "assessed": shared.assessed,
            "findingsCount": shared.findings_count,
            "jurisdiction": shared.jurisdiction,
        });
        let share = NewShare {
            id: id.clone(),
            created_at,
            expires_at,
            record,
            result,
            page,
        };
        let draft = self.draft(EntryType::Share, None, payload, Vec::new());
        let Some(store) = state.ensure()? else {
            return self.refuse_read_only_report().and(Err(unknown_share()));
        };
        let added = store
            .save_share_recorded(share, draft, &self.chain_name(), &keys.secret)
            .map_err(|error| conflict(&error))?;
        self.recorded(&state, &added);
        let row = store.share(&id).map_err(|error| conflict(&error))?;
        row.map(|row| self.record(row)).ok_or_else(unknown_share)
    }

    /// The shares of a project, the newest first.
    pub fn shares(&self, request: &ShareListRequest) -> Result<ShareList, Failure> {
        let limit = request.limit.unwrap_or(LIST_DEFAULT);
        if limit == 0 || limit > LIST_MAX {
            let details = format!("`limit` must be between 1 and {LIST_MAX}; use `cursor` for the next page");
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field("limit"));
        }
        let state = self.project_or_current(request.path.as_deref())?;
        let rows = state
            .reading(|store| store.shares(request.cursor, limit))?
            .map_err(|error| conflict(&error))?;
        let cursor = rows.last().filter(|_| rows.len() == limit as usize).map(|row| row.seq);
        let shares: Vec<ShareRecord> = rows.into_iter().map(|row| self.record(row)).collect();
        Ok(ShareList {
            count: shares.len() as u64,
            shares,
            cursor,
        })
    }

    /// A share, as JSON or as a page. One that has ended or was revoked is not found.
    pub fn shared(&self, id: &str, path: Option<&str>, page: bool) -> Result<SharedForm, Failure> {
        let (state, row) = self.share_row(id, path)?;
        if self.status_of(&row) != ShareStatus::Active {
            return Err(unknown_share());
        }
        let content = state
            .reading(|store| store.share_content(&row.id))?
            .map_err(|error| conflict(&error))?;
        let SharedContent { result, page: html } = content.ok_or_else(unknown_share)?;
        Ok(if page {
            SharedForm::Page(html.into_bytes())
        } else {
            SharedForm::Json(result)
        })
    }

    /// Revokes a share. It cannot be read from then on.
    pub fn revoke_share(&self, request: &RevokeRequest) -> Result<ShareRecord, Failure> {
        self.refuse_read_only_report()?;
        let (state, row) = self.share_row(&request.id, request.path.as_deref())?;
        if row.revoked_at.is_some() {
            return Ok(self.record(row));
        }
        let Some(store) = state.store() else {
            return Err(unknown_share());
        };
        let keys = self.signer().keys()?;
        let payload = json!({"action": "revoked", "share": Digest::of(row.id.as_bytes())});
        let draft = self.draft(EntryType::Share, None, payload, Vec::new());
        let added = store
            .revoke_share_recorded(&row.id, draft, &self.chain_name(), &keys.secret)
            .map_err(|error| conflict(&error))?;
        self.recorded(&state, &added);
        let row = store.share(&row.id).map_err(|error| conflict(&error))?;
        row.map(|row| self.record(row)).ok_or_else(unknown_share)
    }

    /// The row of a share: in the project that is named, else in any that is open.
    fn share_row(&self, id: &str, path: Option<&str>) -> Result<(Arc<ProjectState>, ShareRow), Failure> {
        let is_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let states = if let Some(path) = path {
            vec![self.project(path)?]
        } else {
            let current = self.project_or_current(None).ok();
            let open: Vec<Arc<ProjectState>> = self.projects().all();
            current.into_iter().chain(open).collect()
        };
        if is_id {
            for state in states {
                let found = state.reading(|store| store.share(id))?;
                if let Some(row) = found.map_err(|error| conflict(&error))? {
                    return Ok((state, row));
                }
            }
        }
        Err(unknown_share())
    }

    fn status_of(&self, row: &ShareRow) -> ShareStatus {
        if row.revoked_at.is_some() {
            return ShareStatus::Revoked;
        }
        // A time that cannot be read has passed.
        let ended = row
            .expires_at
            .parse::<Timestamp>()
            .map_or(true, |end| end <= (self.options.clock.now)());
        if ended {
            ShareStatus::Expired
        } else {
            ShareStatus::Active
        }
    }

    fn record(&self, row: ShareRow) -> ShareRecord {
        let port = match self.port.load(std::sync::atomic::Ordering::Relaxed) {
            0 => PORT_DEFAULT,
            port => port,
        };
        let field = |name: &str| row.record.get(name).cloned().unwrap_or_default();
        ShareRecord {
            url: format!("http://127.0.0.1:{port}/share/{}", row.id),
            status: self.status_of(&row),
            score: field("score").as_f64().unwrap_or_default(),
            findings_count: field("findingsCount").as_u64().unwrap_or_default(),
            assessed: field("assessed").as_bool().unwrap_or_default(),
            scan_type: serde_json::from_value(field("scanType")).unwrap_or_default(),
            jurisdiction: field("jurisdiction").as_str().map(str::to_owned),
            id: row.id,
            expires_at: row.expires_at,
            created_at: row.created_at,
            revoked_at: row.revoked_at,
        }
    }
}

fn numbers(gathered: &Gathered, scan_type: ScanType) -> Numbers {
    let scan = &gathered.scan;
    let of_scan = Numbers {
        score: scan.score.assessed.then_some(scan.score.compliance),
        findings: gate::open_gaps(scan),
    };
    let of_eval = gathered.eval.as_ref().map(|eval| Numbers {
        score: eval.score,
        findings: eval.failed as u64,
    });
    match (scan_type, of_eval) {
        (ScanType::Scan, _) | (_, None) => of_scan,
        (ScanType::Eval, Some(eval)) => eval,
        (ScanType::Audit, Some(eval)) => Numbers {
            score: of_scan
                .score
                .zip(eval.score)
                .map(|(scan, eval)| ((0.4 * scan + 0.6 * eval) * 100.0).round() / 100.0),
            findings: of_scan.findings + eval.findings,
        },
    }
}

fn scan_of(gathered: &Gathered) -> Result<Value, Failure> {
    let mut scan = serde_json::to_value(&*gathered.scan).map_err(|error| conflict(&error))?;
    scan["projectPath"] = json!(".");
    Ok(scan)
}

/// The evaluation in numbers: what was asked and said stays at home.
fn eval_of(state: &ProjectState, gathered: &Gathered) -> Result<Value, Failure> {
    let eval = serde_json::to_value(&gathered.eval).map_err(|error| conflict(&error))?;
    let mut eval = engine_package::portable_eval(eval, &cleaner(state.path()));
    if let Some(members) = eval.as_object_mut() {
        for said in ["results", "failures", "disparities", "targetInfo"] {
            members.remove(said);
        }
    }
    Ok(eval)
}

fn unknown_share() -> Failure {
    Failure::new(
        ErrorCode::UnknownShare,
        "no share with this id can be read: it does not exist, has ended or was revoked. GET /shares lists all",
    )
    .field("id")
}

#[cfg(test)]
mod tests;
