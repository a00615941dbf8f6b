//! `engine-server eval`: evaluates an endpoint once, for scripts and terminals.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use engine::{
    Engine, EvalHeaders, EvalRequest, EvalResult, EvalSeed, EvalStarted, Hidden, Prices, RunEvent, Secret, Stop,
};
use engine_model::Failure;

use crate::cli::{self, FINDINGS, fail, note};
use crate::command;

/// The options of `eval`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of the command line")]
pub(crate) struct EvalArgs {
    /// The URL of the endpoint, such as `http://127.0.0.1:8000/chat`
    pub(crate) target: String,
    /// Run all probes: those of --det, the attacks, and those that a language model judges if a judge model is configured
    #[arg(long)]
    pub(crate) full: bool,
    /// Run the probes whose replies are judged by fixed rules, without a judge model (the default)
    #[arg(long)]
    pub(crate) det: bool,
    /// Run the probes of --det and those that a language model judges; needs a judge model in `.compliance/.env`
    #[arg(long)]
    pub(crate) llm: bool,
    /// Run the attack probes
    #[arg(long)]
    pub(crate) security: bool,
    /// Run only these categories, groups, attack names or OWASP ids, separated by commas; an unknown name prints the
    /// valid names
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(crate) categories: Vec<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = EvalFormat::Text)]
    pub(crate) format: EvalFormat,
    /// Write the result to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<std::path::PathBuf>,
    /// Exit with code 1 if the score (0 to 100) is below this value, or if there is too little evidence for a score
    #[arg(long, value_name = "SCORE")]
    pub(crate) fail_under: Option<f64>,
    /// The folder of the project in which the result is stored
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) project: String,
    /// The passport name of the agent behind the endpoint; the result is stored for this agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The model name to send in each request
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The name of the environment variable that contains the API key of the endpoint; this keeps the key out of the
    /// shell history
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) api_key_env: Option<String>,
    /// A header for every request, such as `X-Team: platform`; repeatable
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// The request body as JSON; `{{prompt}}` is replaced by the text of each probe
    #[arg(long, value_name = "JSON")]
    pub(crate) request_template: Option<String>,
    /// The path of the answer text in a reply, such as `choices.0.message.content`
    #[arg(long, value_name = "PATH")]
    pub(crate) response_path: Option<String>,
    /// The number of dialogues to run in parallel
    #[arg(long, default_value_t = 5)]
    pub(crate) concurrency: u32,
    /// Run at most this many probes, spread over the categories
    #[arg(long)]
    pub(crate) max_probes: Option<u32>,
    /// Stop the run after this many requests, including those to the judge model
    #[arg(long)]
    pub(crate) max_requests: Option<u64>,
    /// Stop the run when this many tokens have been sent and received in total, including those of the judge model
    #[arg(long)]
    pub(crate) max_tokens: Option<u64>,
    /// Stop the run when it has cost this much, including the judge model, in the currency of --price; needs --price
    #[arg(long, requires = "price")]
    pub(crate) max_cost: Option<f64>,
    /// The prices of one million tokens sent and one million tokens received, such as `2.5,10`, in any currency
    #[arg(long, value_name = "IN,OUT", value_delimiter = ',', num_args = 2)]
    pub(crate) price: Vec<f64>,
    /// Stop the whole run after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
    /// Stop waiting for a reply after this many seconds (default: 60)
    #[arg(long, value_name = "SECONDS")]
    pub(crate) request_timeout: Option<u64>,
    /// Send at most this many requests per second
    #[arg(long)]
    pub(crate) rps: Option<f64>,
    /// How many times to send each probe, from 1 to 20 (default: 1)
    #[arg(long)]
    pub(crate) repeats: Option<u32>,
    /// Run only probes in this language, such as `de`
    #[arg(long, value_name = "CODE")]
    pub(crate) language: Option<String>,
    /// A file with a system prompt for every dialogue
    #[arg(long, value_name = "FILE")]
    pub(crate) system_prompt: Option<std::path::PathBuf>,
    /// The random seed; the same seed gives the same order of probes and the same random tokens (default: random)
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Continue a run that ended early, given by its id
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<String>,
    /// When to show the expected number of requests, tokens and cost, and a progress bar, on standard error
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub(crate) progress: Progress,
}

/// When progress is displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Progress {
    /// Only if standard error is a terminal
    Auto,
    /// Even if standard error is not a terminal
    Always,
    /// Even if standard error is a terminal, show neither
    Never,
}

impl Progress {
    fn is_shown(self) -> bool {
        match self {
            Self::Auto => io::stderr().is_terminal(),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// The output formats of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalFormat {
    /// For a terminal
    Text,
    /// The same as the reply of POST /eval/run
    Json,
    /// For a web page or a pull request
    Markdown,
    /// XML for build servers, with one test case per probe
    Junit,
    /// Version 2.1.0, for code hosts
    Sarif,
}

/// Evaluates an endpoint once.
pub(crate) fn eval(arguments: &EvalArgs) -> ExitCode {
    match try_eval(arguments) {
        Ok(code) => code,
        Err(why) => fail(&why),
    }
}

fn try_eval(arguments: &EvalArgs) -> Result<ExitCode, String> {
    if arguments
        .fail_under
        .is_some_and(|least| !(0.0..=100.0).contains(&least))
    {
        return Err("--fail-under must be between 0 and 100".to_owned());
    }
    let request = request(arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| format!("could not start threads: {error}; free some memory or raise the process limit"))?;
    let engine = Arc::new(command::engine()?);
    let outcome = runtime.block_on(run(&engine, request, arguments.progress.is_shown()));
    engine.stop();
    let Some(result) = outcome.map_err(|failure| failure.details)? else {
        note("stopped before the first result; nothing was stored");
        return Ok(ExitCode::from(cli::INTERRUPTED));
    };
    let text = written(&result, arguments.format)?;
    match &arguments.output {
        Some(path) => {
            command::write_file(path, &text).map_err(|error| {
                format!(
                    "could not write `{}`: {error}; choose another file with --output",
                    path.display()
                )
            })?;
        }
        None if cli::print(&text) => {}
        None => return Ok(ExitCode::from(cli::ERROR)),
    }
    if !result.complete {
        note(&format!(
            "the run ended early; continue it with `--resume {}`",
            result.id
        ));
    }
    if result.stopped == Some(Stop::Cancelled) {
        return Ok(ExitCode::from(cli::INTERRUPTED));
    }
    let below = arguments
        .fail_under
        .is_some_and(|least| result.score.is_none_or(|score| score < least));
    Ok(if below {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    })
}

fn request(arguments: &EvalArgs) -> Result<EvalRequest, String> {
    let mut headers = std::collections::BTreeMap::new();
    for header in &arguments.headers {
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| "--header needs the form `Name: value`, such as `X-Team: platform`".to_owned())?;
        headers.insert(name.trim().to_owned(), Secret::new(value.trim()));
    }
    let template = arguments
        .request_template
        .as_deref()
        .map(|text| {
            serde_json::from_str(text).map_err(|_| {
                "--request-template is not valid JSON; correct it, such as `{\"message\": \"{{prompt}}\"}`".to_owned()
            })
        })
        .transpose()?;
    let prices = match arguments.price[..] {
        [input_per_million, output_per_million] => Some(Prices {
            input_per_million,
            output_per_million,
        }),
        _ => None,
    };
    let system_prompt = arguments.system_prompt.as_deref().map(command::read_file).transpose()?;
    let milliseconds = |seconds: Option<u64>| seconds.map(|seconds| seconds.saturating_mul(1000));
    let key = arguments.api_key_env.as_deref().map(variable).transpose()?;
    let on = |flag: bool| flag.then_some(true);
    Ok(EvalRequest {
        path: Some(arguments.project.clone()),
        det: on(arguments.det),
        llm: on(arguments.llm),
        security: on(arguments.security),
        full: on(arguments.full),
        agent: arguments.agent.clone(),
        categories: (!arguments.categories.is_empty()).then(|| arguments.categories.clone()),
        concurrency: Some(arguments.concurrency),
        request_template: template.map(Hidden::new),
        response_path: arguments.response_path.clone(),
        headers: (!headers.is_empty()).then_some(EvalHeaders::Named(headers)),
        api_key: key.map(Secret::new),
        model: arguments.model.clone(),
        max_probes: arguments.max_probes,
        max_requests: arguments.max_requests,
        max_tokens: arguments.max_tokens,
        max_cost: arguments.max_cost,
        prices,
        timeout_ms: milliseconds(arguments.timeout),
        request_timeout_ms: milliseconds(arguments.request_timeout),
        repeats: arguments.repeats,
        language: arguments.language.clone(),
        system_prompt: system_prompt.map(Hidden::new),
        rps: arguments.rps,
        seed: arguments.seed.map(EvalSeed::Number),
        resume: arguments.resume.clone(),
        ..EvalRequest::of(&arguments.target)
    })
}

#[expect(clippy::disallowed_methods, reason = "the environment is read here, at the edge")]
fn variable(name: &str) -> Result<String, String> {
    std::env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .ok_or_else(|| format!("the environment variable `{name}` is not set; set it to the API key of the endpoint"))
}

/// Runs to the end or until Ctrl-C. None if it was stopped before the run began.
async fn run(engine: &Arc<Engine>, request: EvalRequest, shown: bool) -> Result<Option<EvalResult>, Failure> {
    let mut enough = std::pin::pin!(async {
        // Without signal support, no signal ever arrives.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    });
    let mut run = tokio::select! {
        run = engine.start_eval(request) => run?,
        () = &mut enough => return Ok(None),
    };
    if shown {
        note(&expected(run.started()));
    }
    loop {
        let event = tokio::select! {
            event = run.next() => event,
            () = &mut enough => break,
        };
        match event {
            None => break,
            Some(RunEvent::ProbeResult {
                completed, total, id, ..
            }) if shown => {
                // A progress bar that cannot be written is not an error.
                let _ = write!(
                    io::stderr(),
                    "\r\x1b[K{} {completed}/{total} {id}",
                    bar(completed, total)
                );
            }
            Some(_) => {}
        }
    }
    // At the end this stops nothing any more.
    run.stop();
    if shown {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    run.done().await.map(Some)
}

/// The expected size of a run, in one line.
fn expected(started: &EvalStarted) -> String {
    let estimate = &started.estimate;
    let at_worst = if estimate.requests_max > estimate.requests {
        format!(", {} if every attack succeeds", estimate.requests_max)
    } else {
        String::new()
    };
    let judge = (estimate.judge_requests > 0).then(|| {
        format!(
            "{} requests and {:.0} tokens of the judge model",
            estimate.judge_requests, estimate.judge_tokens
        )
    });
    [
        Some(format!(
            "{} probes: about {} requests{at_worst}",
            started.total, estimate.requests
        )),
        Some(format!(
            "{:.0} tokens sent and {:.0} received",
            estimate.input_tokens, estimate.output_tokens
        )),
        judge,
        estimate.cost.map(|cost| format!("cost {cost:.2}")),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join("; ")
}

/// A bar of twenty cells.
fn bar(completed: usize, total: usize) -> String {
    let full = (completed * 20).checked_div(total).unwrap_or(0).min(20);
    format!("[{}{}]", "#".repeat(full), ".".repeat(20 - full))
}

fn written(result: &EvalResult, format: EvalFormat) -> Result<String, String> {
    let json =
        |value: Result<String, serde_json::Error>| value.map(|text| text + "\n").map_err(|error| error.to_string());
    match format {
        EvalFormat::Text => Ok(text(result)),
        EvalFormat::Json => json(serde_json::to_string_pretty(result)),
        EvalFormat::Markdown => Ok(engine::eval_markdown(result)),
        EvalFormat::Junit => Ok(engine::eval_junit(result)),
        EvalFormat::Sarif => json(serde_json::to_string_pretty(&engine::eval_sarif(
            result,
            engine::VERSION,
        ))),
    }
}

/// The result as text. It contains no replies of the target, so no control characters of theirs.
fn text(result: &EvalResult) -> String {
    use std::fmt::Write as _;

    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = writeln!(out, "Evaluation of {}\n", result.target);
    let score = result.score.map_or_else(
        || {
            format!(
                "none: {}",
                result.score_reason.as_deref().unwrap_or("too little evidence")
            )
        },
        |score| {
            format!(
                "{score:.1} of 100, grade {}; self-assessed",
                result.grade.as_deref().unwrap_or("-")
            )
        },
    );
    let _ = writeln!(out, "  score     {score}");
    let _ = writeln!(
        out,
        "  probes    {} run: {} passed, {} failed, {} without a usable reply, {} without a verdict, {} not sent",
        result.total,
        result.passed,
        result.failed,
        result.errors,
        result.inconclusive + result.not_judged,
        result.skipped
    );
    if let Some(interval) = result.interval {
        let _ = writeln!(
            out,
            "  pass rate {:.1} % to {:.1} % (95 % interval)",
            interval.low * 100.0,
            interval.high * 100.0
        );
    }
    let _ = writeln!(out, "\n  category                   score  passed  failed");
    for (name, category) in &result.categories {
        let score = category
            .score
            .map_or_else(|| "-".to_owned(), |score| format!("{score:.0}"));
        let _ = writeln!(
            out,
            "  {name:<26} {score:>5}  {:>6}  {:>6}",
            category.passed, category.failed
        );
    }
    if !result.failures.is_empty() {
        let _ = writeln!(out, "\n  failed, most severe first");
        for failure in result.failures.iter().take(15) {
            let _ = writeln!(
                out,
                "  {:<8} {} ({})",
                failure.severity.name(),
                failure.probe,
                failure.id
            );
        }
        if result.failures.len() > 15 {
            let _ = writeln!(out, "  and {} more", result.failures.len() - 15);
        }
    }
    let _ = writeln!(
        out,
        "\nRun {} of suite {}. {}",
        result.id, result.suite_version, result.disclaimer
    );
    out
}
