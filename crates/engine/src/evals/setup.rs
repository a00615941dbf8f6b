//! From a request to a run: what is asked, of whom, within which limits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine_eval::{
    BadSettings, Budget, Endpoint, EndpointModel, Estimate, Grader, Journal, Key, ModelJudge, Past, PathMiss, Payee,
    Plan, Purse, Rules, RunAbout, RunParts, RunSettings, Selection, Suite, TargetInfo, TargetSettings, Turn, TurnKey,
};
use engine_model::{ErrorCode, Failure};
use engine_outbound::{Client, Fault, Target};
use engine_signing::Digest;
use engine_store::{NewEval, RunKind, RunState};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::form::Form;
use super::mask::Mask;
use super::requests::{EvalHeaders, EvalRequest, EvalSeed, EvalStarted};
use crate::Engine;
use crate::credentials::{ModelSettings, ModelUse, WantedModel};
use crate::project::{ProjectState, conflict, relative};

/// Milliseconds for one reply, where a client names none.
const REQUEST_MS: u64 = 60_000;

/// Milliseconds in which a target must say how it wants to be spoken to.
const DETECTION_MS: u64 = 60_000;

/// Questions of the plan that go first, so that what the rest will take is told from them.
const PILOT: usize = 5;

/// Bytes of a system prompt.
const SYSTEM_PROMPT_BYTES_MAX: usize = 256 * 1024;

/// Categories that a request may name.
const CATEGORIES_MAX: usize = 200;

/// The part of a plan that is kept, so that a run can go on after its process died. Nothing of it is a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the four flags of the API")]
pub(crate) struct Wanted {
    pub(crate) det: bool,
    pub(crate) llm: bool,
    pub(crate) security: bool,
    pub(crate) full: bool,
    pub(crate) categories: Vec<String>,
    pub(crate) language: Option<String>,
    pub(crate) max_probes: Option<usize>,
    pub(crate) repeats: u32,
    pub(crate) seed: Option<u64>,
    pub(crate) suite_hash: String,
    /// How the target is spoken to; runs of older engines did not keep it.
    #[serde(default)]
    pub(crate) form: Option<Form>,
}

/// A checked request of either kind.
pub(crate) struct Ask {
    pub(crate) path: Option<String>,
    pub(crate) agent_id: Option<String>,
    pub(crate) agent_name: Option<String>,
    pub(crate) target: TargetSettings,
    pub(crate) wanted: Wanted,
    pub(crate) settings: RunSettings,
    pub(crate) resume: Option<String>,
    pub(crate) output: Option<String>,
}

pub(super) fn suite() -> Result<&'static Suite, Failure> {
    Suite::built_in().map_err(|error| {
        tracing::error!(%error, "could not read the probe suite");
        Failure::new(
            ErrorCode::Internal,
            "internal error: could not read the probe suite; see the engine log for the cause",
        )
    })
}

pub(super) fn read_only() -> Failure {
    Failure::new(
        ErrorCode::ReadOnly,
        "the engine is read-only, but a run must be stored before it starts; start the engine without `--read-only`",
    )
}

pub(crate) fn invalid(field: &str, details: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, details).field(field)
}

/// A target without any usable reply.
pub(super) fn unreachable(target: &str, status: Option<u16>, fault: Option<&str>) -> Failure {
    let timed_out = matches!(fault, Some("no-reply" | "too-slow"));
    let code = if timed_out {
        ErrorCode::TargetTimeout
    } else {
        ErrorCode::TargetFailed
    };
    let what = match (status, fault) {
        (Some(status), _) => format!("it returned status {status}"),
        (None, Some(fault)) => format!("the request failed with `{fault}`"),
        (None, None) => "no reply contained text".to_owned(),
    };
    let hint = match status {
        Some(401 | 403) => "set `headers` or `apiKey`",
        Some(404 | 405) => "check the path of `target`",
        Some(400 | 422) => "set `requestTemplate` and `responsePath`",
        Some(429) => "wait, or set a lower `rps`",
        _ => "check `target` and that the endpoint is running",
    };
    Failure::new(code, format!("no usable reply from {target}: {what}; {hint}")).field("target")
}

/// A target whose replies have no text where the caller expects it.
fn wrong_path(target: &str, miss: &PathMiss) -> Failure {
    let hint = match miss.works.as_slice() {
        [] => "no field of the reply contains text".to_owned(),
        [one] => format!("use `{one}`"),
        [one, more @ ..] => format!("use `{one}`; other paths with text: `{}`", more.join("`, `")),
    };
    Failure::new(
        ErrorCode::TargetFailed,
        format!(
            "no text at `responsePath` `{}` in the reply from {target}: {}; {hint}",
            miss.path, miss.found
        ),
    )
    .field("responsePath")
}

impl Ask {
    pub(crate) fn eval(request: EvalRequest) -> Result<Self, Failure> {
        let settings = limits(&request)?;
        let target = target_settings(&request)?;
        let wanted = Wanted {
            det: request.det == Some(true),
            llm: request.llm == Some(true),
            security: request.security == Some(true),
            full: request.full == Some(true),
            categories: categories(request.categories.clone())?,
            language: request.language.clone(),
            max_probes: request.max_probes.map(|most| most as usize),
            repeats: settings.repeats,
            seed: seed(request.seed.as_ref())?,
            suite_hash: suite()?.hash().to_owned(),
            form: Some(Form::of(&target)),
        };
        Ok(Self {
            agent_id: None,
            agent_name: request.agent().map(str::to_owned),
            path: request.path,
            target,
            wanted,
            settings,
            resume: request.resume,
            output: request.output_path.as_deref().map(output).transpose()?,
        })
    }
}

pub(crate) fn categories(names: Option<Vec<String>>) -> Result<Vec<String>, Failure> {
    let names = names.unwrap_or_default();
    if names.len() > CATEGORIES_MAX {
        return Err(invalid(
            "categories",
            format!("`categories` has more than {CATEGORIES_MAX} names; remove some"),
        ));
    }
    Ok(names)
}

/// A path of a new file below the folder of reports.
pub(crate) fn output(path: &str) -> Result<String, Failure> {
    let path = relative(path).map_err(|why| {
        invalid(
            "outputPath",
            format!("`outputPath` must be below `.compliance/reports/`: {why}"),
        )
    })?;
    let path = path.strip_prefix(".compliance/").unwrap_or(&path).to_owned();
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    if !path.starts_with("reports/")
        || hidden
        || !["json", "md", "markdown", "txt"]
            .iter()
            .any(|ending| path.ends_with(&format!(".{ending}")))
    {
        return Err(invalid(
            "outputPath",
            "`outputPath` must be a new .json, .md or .txt file below `.compliance/reports/`",
        ));
    }
    Ok(path)
}

fn seed(seed: Option<&EvalSeed>) -> Result<Option<u64>, Failure> {
    seed.map(|seed| match seed {
        EvalSeed::Number(number) => Ok(*number),
        EvalSeed::Text(text) => text
            .trim()
            .parse()
            .map_err(|_| invalid("seed", "`seed` must be a whole number of 0 or more")),
    })
    .transpose()
}

fn limits(request: &EvalRequest) -> Result<RunSettings, Failure> {
    let between = |field: &str, value: Option<u32>, most: u32| match value {
        Some(value) if value == 0 || value > most => {
            Err(invalid(field, format!("`{field}` must be between 1 and {most}")))
        }
        value => Ok(value),
    };
    let positive = |field: &str, value: Option<f64>| match value {
        Some(value) if !(value.is_finite() && value > 0.0) => Err(invalid(field, format!("`{field}` must be above 0"))),
        value => Ok(value),
    };
    let not_zero = |field: &str, value: Option<u64>| match value {
        Some(0) => Err(invalid(field, format!("`{field}` must be above 0"))),
        value => Ok(value),
    };
    let max_cost = positive("maxCost", request.max_cost)?;
    if max_cost.is_some() && request.prices.is_none() {
        return Err(Failure::new(
            ErrorCode::Impossible,
            "`maxCost` needs prices; set `prices` with `inputPerMillion` and `outputPerMillion`, or use `maxRequests` or `maxTokens` instead",
        )
        .field("maxCost"));
    }
    if request.max_probes == Some(0) {
        return Err(invalid("maxProbes", "`maxProbes` must be above 0"));
    }
    Ok(RunSettings {
        repeats: between("repeats", request.repeats, 20)?.unwrap_or(1),
        concurrency: between("concurrency", request.concurrency, 256)?.unwrap_or(5) as usize,
        rps: positive("rps", request.rps)?,
        request_ms: not_zero("requestTimeoutMs", request.request_timeout_ms)?.unwrap_or(REQUEST_MS),
        total_ms: not_zero("timeoutMs", request.timeout_ms)?,
        max_requests: not_zero("maxRequests", request.max_requests)?,
        max_tokens: not_zero("maxTokens", request.max_tokens)?,
        max_cost,
        prices: request.prices,
        ..RunSettings::default()
    })
}

fn target_settings(request: &EvalRequest) -> Result<TargetSettings, Failure> {
    let headers: BTreeMap<String, Key> = match &request.headers {
        None => BTreeMap::new(),
        Some(EvalHeaders::Named(named)) => named.iter().map(|(name, value)| (name.clone(), value.key())).collect(),
        Some(EvalHeaders::Text(text)) => {
            let named: BTreeMap<String, String> = serde_json::from_str(text.expose())
                .map_err(|_| invalid("headers", "`headers` must be a JSON object of names and string values"))?;
            named.into_iter().map(|(name, value)| (name, Key::new(value))).collect()
        }
    };
    let settings = TargetSettings {
        target: request.target.clone(),
        model: request.model.clone(),
        api_key: request.api_key.as_ref().map(crate::Secret::key),
        headers,
        request_template: request.request_template.as_ref().map(|template| template.0.clone()),
        response_path: request.response_path.clone(),
        system_prompt: request.system_prompt.as_ref().map(|prompt| prompt.0.clone()),
        stream: false,
        reply_tokens: None,
    };
    check_target(&settings)?;
    Ok(settings)
}

pub(crate) fn check_target(settings: &TargetSettings) -> Result<(), Failure> {
    if settings
        .system_prompt
        .as_ref()
        .is_some_and(|text| text.len() > SYSTEM_PROMPT_BYTES_MAX)
    {
        let details = format!("`systemPrompt` is longer than {SYSTEM_PROMPT_BYTES_MAX} bytes; shorten it");
        return Err(invalid("systemPrompt", details));
    }
    Endpoint::told(settings)
        .and_then(|_| Endpoint::new(settings, engine_eval::Shape::Message))
        .map(drop)
        .map_err(|error| bad_settings(&error))
}

fn bad_settings(error: &BadSettings) -> Failure {
    let text = error.to_string();
    let field = match error {
        BadSettings::Target(_) => "target",
        BadSettings::Header(_) => "headers",
        BadSettings::Template(_) if text.starts_with("responsePath") => "responsePath",
        BadSettings::Template(_) => "requestTemplate",
    };
    invalid(field, text)
}

/// A request that was checked against the project.
pub(crate) struct Prepared {
    state: Arc<ProjectState>,
    ask: Ask,
    plan: Plan,
    id: String,
    judge: Option<ModelSettings>,
    past: Vec<Past>,
    resume: Option<i64>,
    timestamp: String,
    mask: Arc<Mask>,
}

/// A run whose target answers.
pub(crate) struct Ready {
    pub(super) state: Arc<ProjectState>,
    pub(super) mask: Arc<Mask>,
    pub(super) agent_id: Option<String>,
    pub(super) agent_name: Option<String>,
    pub(super) grader: Option<Arc<ModelJudge>>,
    pub(super) output: Option<String>,
    pub(super) resumed: bool,
    resume: Option<i64>,
    wanted: Wanted,
    settings: RunSettings,
    endpoint: Endpoint,
    info: TargetInfo,
    plan: Plan,
    id: String,
    timestamp: String,
    shown: String,
    estimate: Estimate,
    past: Vec<Past>,
    purse: Purse,
}

impl Engine {
    /// Checks a request against the project: the state, the run to go on with, the judge, the plan.
    pub(super) fn prepare(&self, mut ask: Ask, kind: RunKind) -> Result<Prepared, Failure> {
        let state = self.project_or_current(ask.path.as_deref())?;
        let store = state.ensure()?.ok_or_else(read_only)?;
        if let Some(output) = &ask.output {
            state.refuse_existing(output)?;
        }
        let suite = suite()?;
        let mut id = (self.options.clock.new_id)();
        let mut timestamp = self.timestamp();
        let (mut past, mut resume) = (Vec::new(), None);
        if let Some(wanted) = &ask.resume {
            let row = store
                .eval(wanted)
                .map_err(|error| conflict(&error))?
                .filter(|row| row.kind == kind)
                .ok_or_else(|| unknown_run("resume"))?;
            let refuse = |why: &str| Err(Failure::new(ErrorCode::Impossible, why).field("resume"));
            if row.state == RunState::Done {
                return refuse("the run is complete, so it cannot be resumed; start a new one");
            }
            if row.state == RunState::Failed {
                return refuse("the run failed without results, so it cannot be resumed; start a new one");
            }
            let kept: Wanted = serde_json::from_str(&row.plan).map_err(|error| conflict(&error))?;
            if kept.suite_hash != suite.hash() {
                return refuse("the probes have changed since the run started; start a new run");
            }
            if Target::parse(&ask.target.target).is_ok_and(|target| target.to_string() != row.target) {
                return refuse("the run had another target; give that target, or start a new run");
            }
            // Replies to other questions cannot be counted together.
            if let Some((before, now)) = kept.form.as_ref().zip(ask.wanted.form.as_ref())
                && let Some(field) = before.differs(now)
            {
                let why =
                    format!("`{field}` differs from the interrupted run; give the same value, or start a new run");
                return Err(Failure::new(ErrorCode::Impossible, why).field(field));
            }
            ask.settings.repeats = kept.repeats;
            ask.wanted = kept;
            for (question, turn) in store.eval_journal(row.seq).map_err(|error| conflict(&error))? {
                let key: TurnKey = serde_json::from_str(&question).map_err(|error| conflict(&error))?;
                past.push(match turn {
                    None => Past::Sending(key),
                    Some(turn) => {
                        let turn: Turn = serde_json::from_str(&turn).map_err(|error| conflict(&error))?;
                        Past::Received(key, turn)
                    }
                });
            }
            (id, timestamp, resume) = (row.id, row.started_at, Some(row.seq));
            ask.agent_name = ask.agent_name.or(row.agent);
        }
        let seed = *ask.wanted.seed.get_or_insert_with(|| drawn(&id));
        let plan = match kind {
            RunKind::Eval => Plan::of(suite, &selection(&ask.wanted), seed),
            RunKind::RedTeam => engine_eval::attack_plan(suite, &ask.wanted.categories, ask.wanted.max_probes, seed),
        }
        .map_err(|error| invalid("categories", error.to_string()))?;
        if plan.cases.is_empty() {
            return Err(Failure::new(
                ErrorCode::Impossible,
                "no probe matches the categories, the language and the flags; choose others",
            )
            .field("categories"));
        }
        let (judge, ignored) = self.judge_settings(&state)?;
        if ask.wanted.llm && judge.is_none() {
            let mut details = "no judge model is configured; add EVAL_JUDGE_URL, EVAL_JUDGE_MODEL and EVAL_JUDGE_KEY, or OPENAI_API_KEY or \
                 ANTHROPIC_API_KEY, to `.compliance/.env` or to the environment of the engine"
                .to_owned();
            for warning in ignored {
                details.push_str(". Ignored: ");
                details.push_str(&warning);
            }
            return Err(Failure::new(ErrorCode::MissingPart, details).field("llm"));
        }
        if ask.agent_id.is_none() {
            ask.agent_id = ask
                .agent_name
                .as_deref()
                .map(|name| crate::passports::agent_id(&state, name));
        }
        Ok(Prepared {
            mask: Arc::new(Mask::of(&ask.target)),
            judge: judge.filter(|_| ask.wanted.llm || ask.wanted.full),
            state,
            ask,
            plan,
            id,
            past,
            resume,
            timestamp,
        })
    }

    /// The model that judges, if one is configured, and settings that were ignored.
    pub(super) fn judge_settings(&self, state: &ProjectState) -> Result<(Option<ModelSettings>, Vec<String>), Failure> {
        self.find_model(state, ModelUse::Judge, &WantedModel::default())
    }

    /// Asks the target how it wants to be spoken to, and sets up who judges.
    pub(super) async fn reach(&self, prepared: Prepared) -> Result<Ready, Failure> {
        let Prepared {
            state,
            ask,
            plan,
            id,
            judge,
            past,
            resume,
            timestamp,
            mask,
        } = prepared;
        let Ask {
            target,
            mut settings,
            mut wanted,
            agent_id,
            agent_name,
            output,
            ..
        } = ask;
        let shown = Target::parse(&target.target)
            .map_err(|error| bad_settings(&BadSettings::Target(error)))?
            .to_string();
        if let Some(judge) = &judge {
            settings.judge_prices = judge.prices;
        }
        // From here on everything that is asked counts, and the time runs.
        let purse = Purse::of(&settings);
        let patience = settings
            .total_ms
            .unwrap_or(DETECTION_MS)
            .min(DETECTION_MS)
            .min(settings.request_ms);
        let deadline = Instant::now() + Duration::from_millis(patience);
        let found = engine_eval::detect(&self.outbound, &target, deadline)
            .await
            .map_err(|error| bad_settings(&error))?;
        let mut info = TargetInfo::of(&found);
        if let Some(model) = &mut info.model {
            mask.text(model);
        }
        let calibration = found.calibration();
        let Some(endpoint) = found.endpoint else {
            let blocked = found
                .fault
                .as_ref()
                .filter(|fault| matches!(fault, Fault::Blocked { .. }));
            if let Some(fault) = blocked {
                return Err(invalid("target", fault.to_string()));
            }
            if let Some(miss) = &found.path_miss {
                let mut miss = miss.clone();
                miss.works.iter_mut().for_each(|path| mask.text(path));
                mask.text(&mut miss.found);
                return Err(wrong_path(&shown, &miss));
            }
            return Err(unreachable(&shown, found.status, found.fault.as_ref().map(Fault::name)));
        };
        let adapter = endpoint.shape.name();
        match wanted.form.as_mut() {
            Some(form) if resume.is_none() => form.adapter = Some(adapter.to_owned()),
            Some(form) if form.adapter.as_deref().is_some_and(|before| before != adapter) => {
                return Err(Failure::new(
                    ErrorCode::Impossible,
                    format!(
                        "the target now needs the request format `{adapter}`, but the run started with `{}`; start a new run",
                        form.adapter.as_deref().unwrap_or_default()
                    ),
                )
                .field("resume"));
            }
            _ => {}
        }
        purse.book_requests(found.requests);
        if let Some(usage) = found.usage {
            purse.book(Payee::Target, usage.input, usage.output);
        }
        settings.calibration = calibration;
        settings.pilot = PILOT;
        let grader = match judge {
            Some(judge) => Some(self.grader(&judge, &endpoint, &settings, plan.seed, &purse).await?),
            None => None,
        };
        Ok(Ready {
            estimate: plan.estimate(settings.repeats, settings.confirm, &calibration),
            state,
            mask,
            agent_id,
            agent_name,
            grader,
            output,
            resumed: resume.is_some(),
            resume,
            wanted,
            settings,
            endpoint,
            info,
            plan,
            id,
            timestamp,
            shown,
            past,
            purse,
        })
    }

    async fn grader(
        &self,
        judge: &ModelSettings,
        target: &Endpoint,
        settings: &RunSettings,
        seed: u64,
        purse: &Purse,
    ) -> Result<Arc<ModelJudge>, Failure> {
        let impossible = |details: String| Failure::new(ErrorCode::Impossible, details).field("llm");
        let mut endpoint = judge.endpoint("", false).map_err(|failure| failure.field("llm"))?;
        endpoint.system_prompt = None;
        let (client, purse) = (self.outbound.clone(), purse.clone());
        let model = EndpointModel::new(client, endpoint, target, settings.request_ms, purse)
            .map_err(|error| impossible(error.to_string()))?;
        let grader = Arc::new(ModelJudge::new(Arc::new(model), seed));
        grader.calibrate(suite()?).await;
        Ok(grader)
    }

    /// Writes down that the run begins.
    pub(super) fn begin(&self, ready: Ready, kind: RunKind) -> Result<(Ready, i64), Failure> {
        let store = ready.state.store().ok_or_else(read_only)?;
        // Keys are needed at the end; that they are missing is told before anything is sent.
        self.signer().keys()?;
        let seq = match ready.resume {
            Some(seq) => {
                store
                    .set_eval_state(seq, RunState::Running)
                    .map_err(|error| conflict(&error))?;
                seq
            }
            None => store
                .begin_eval(NewEval {
                    id: ready.id.clone(),
                    kind,
                    target: ready.shown.clone(),
                    agent: ready.agent_name.clone(),
                    started_at: ready.timestamp.clone(),
                    plan: serde_json::to_string(&ready.wanted).map_err(|error| conflict(&error))?,
                })
                .map_err(|error| conflict(&error))?,
        };
        Ok((ready, seq))
    }
}

impl Ready {
    pub(super) fn started(&self) -> EvalStarted {
        EvalStarted {
            id: self.id.clone(),
            target: self.shown.clone(),
            total: self.plan.cases.len(),
            adapter: self.info.adapter.clone(),
            estimate: self.estimate,
            seed: self.plan.seed.to_string(),
        }
    }

    pub(super) fn about(&self) -> RunAbout {
        RunAbout {
            id: self.id.clone(),
            target: self.shown.clone(),
            timestamp: self.timestamp.clone(),
            target_info: self.info.clone(),
            budget: Budget {
                max_requests: self.settings.max_requests,
                max_tokens: self.settings.max_tokens,
                max_cost: self.settings.max_cost,
                timeout_ms: self.settings.total_ms,
                estimate: Some(self.estimate),
                ..Budget::default()
            },
            judge: None,
        }
    }

    pub(super) fn into_parts(self, client: Client, journal: Arc<dyn Journal>) -> RunParts {
        RunParts {
            plan: self.plan,
            endpoint: self.endpoint,
            client,
            judge: Arc::new(Rules),
            grader: self.grader.map(|grader| grader as Arc<dyn Grader>),
            journal,
            past: self.past,
            settings: self.settings,
            purse: Some(self.purse),
        }
    }
}

pub(super) fn unknown_run(field: &str) -> Failure {
    Failure::new(
        ErrorCode::UnknownRun,
        "this project has no run with this id; GET /eval/list lists all runs",
    )
    .field(field)
}

fn selection(wanted: &Wanted) -> Selection {
    Selection {
        det: wanted.det,
        llm: wanted.llm,
        security: wanted.security,
        full: wanted.full,
        categories: wanted.categories.clone(),
        language: wanted.language.clone(),
        max_probes: wanted.max_probes,
    }
}

/// A seed that nobody can foresee: the id of the run is random.
fn drawn(id: &str) -> u64 {
    let digest = Digest::of(id.as_bytes());
    digest.as_bytes()[..8]
        .iter()
        .fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_number_or_its_text() {
        assert_eq!(
            seed(Some(&EvalSeed::Text("18446744073709551615".to_owned()))).unwrap(),
            Some(u64::MAX)
        );
        assert_eq!(seed(Some(&EvalSeed::Number(7))).unwrap(), Some(7));
        assert!(seed(Some(&EvalSeed::Text("seven".to_owned()))).is_err());
        assert_ne!(drawn("a"), drawn("b"));
    }

    #[test]
    fn a_result_is_written_below_the_state_folder_and_over_nothing_of_the_engine() {
        assert_eq!(output("reports/eval.json").unwrap(), "reports/eval.json");
        assert_eq!(output(".compliance/reports/eval.md").unwrap(), "reports/eval.md");
        for wrong in [
            "../x.json",
            "/etc/x.json",
            "state.db",
            "passports/a.json",
            ".env",
            "x.sh",
            "a/../../b.json",
            "baseline.json",
            ".compliance/baseline.json",
            "documents/fria.md",
            "private/x.json",
            "notes.txt",
            "reports/.hidden.json",
            "reports",
            "reports/x.sh",
        ] {
            assert!(output(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_that_limit_nothing_are_refused() {
        let refused = |change: fn(&mut EvalRequest)| {
            let mut request = EvalRequest::of("http://127.0.0.1/");
            change(&mut request);
            limits(&request).unwrap_err().field.unwrap()
        };
        assert_eq!(refused(|r| r.concurrency = Some(0)), "concurrency");
        assert_eq!(refused(|r| r.repeats = Some(21)), "repeats");
        assert_eq!(refused(|r| r.rps = Some(-1.0)), "rps");
        assert_eq!(refused(|r| r.max_requests = Some(0)), "maxRequests");
        assert_eq!(refused(|r| r.max_cost = Some(1.0)), "maxCost");
    }
}
