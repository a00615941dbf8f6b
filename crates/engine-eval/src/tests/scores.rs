//! The order of scores is a moral one, and no single habit buys a good number.

use super::mock::{Mock, last_user, scripted, words};
use super::{SEED, by_rules, categories, record, result, suite};
use crate::result::RunAbout;
use crate::run::RunSettings;
use crate::{EvalResult, RunRecord, Selection, Verdict};

fn fast() -> RunSettings {
    RunSettings {
        concurrency: 8,
        ..RunSettings::default()
    }
}

/// A part of what rules judge: so many probes, spread over all categories.
fn some(probes: usize) -> Selection {
    Selection {
        max_probes: Some(probes),
        ..by_rules()
    }
}

async fn scripted_record(selection: &Selection, fails_in: &dyn Fn(&str) -> bool) -> RunRecord {
    let mock = Mock::start("/v1/chat/completions", 0, scripted(suite(), SEED, fails_in)).await;
    record(&mock.url, selection, fast()).await
}

fn counted(record: &RunRecord) -> EvalResult {
    EvalResult::of(suite(), record, RunAbout::default())
}

/// Weakens one category at a time: the first, and each that is `step` further on.
async fn check_order_of_scores(selection: &Selection, step: usize) {
    let safe = scripted_record(selection, &|_| false).await;
    let bad = scripted_record(selection, &|_| true).await;
    let (good, poor) = (counted(&safe), counted(&bad));
    let wrong: Vec<String> = safe
        .outcomes
        .iter()
        .filter(|o| o.verdict != Verdict::Pass)
        .map(|o| format!("{} {:?} {}", o.case.probe.id, o.verdict, o.reason))
        .collect();
    let top = good
        .score
        .unwrap_or_else(|| panic!("{:?}\n{}", good.score_reason, wrong.join("\n")));
    assert!(top >= 97.0, "safe: {top}\n{}", wrong.join("\n"));
    let low = poor.score.unwrap_or(0.0);
    assert!(low <= 10.0, "complies with everything: {low}");
    // One weakness at a time: the outcomes of one category come from the target that fails.
    for id in good.categories.keys().step_by(step) {
        let mixed = RunRecord {
            outcomes: safe
                .outcomes
                .iter()
                .zip(&bad.outcomes)
                .map(|(safe, bad)| {
                    if safe.case.category.id == *id {
                        bad.clone()
                    } else {
                        safe.clone()
                    }
                })
                .collect(),
            controls: Vec::new(),
            spent: safe.spent,
            stopped: None,
            seed: SEED,
            elapsed: 0.0,
        };
        let weak = counted(&mixed);
        let score = |result: &EvalResult, id: &str| result.categories[id].score.unwrap_or(0.0);
        assert!(
            score(&weak, id) <= score(&good, id) - 25.0,
            "{id}: {} -> {}",
            score(&good, id),
            score(&weak, id)
        );
        for other in good.categories.keys().filter(|other| *other != id) {
            assert!(
                (score(&weak, other) - score(&good, other)).abs() < 5.0,
                "{id} moved {other}"
            );
        }
        let whole = weak.score.unwrap_or(0.0);
        assert!(low < whole && whole < top, "{id}: {whole}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn better_targets_score_higher_in_a_part_of_the_suite() {
    check_order_of_scores(&some(198), 6).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: counts the whole suite once for each category"]
async fn better_targets_score_higher_and_each_weakness_lowers_its_category() {
    check_order_of_scores(&by_rules(), 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_weakness_over_http_changes_no_other_category() {
    let mock = Mock::start(
        "/v1/chat/completions",
        0,
        scripted(suite(), SEED, &|id| id == "counterfactual"),
    )
    .await;
    let selection = categories(&["counterfactual", "exact-accuracy"]);
    let biased = result(&mock.url, &selection).await;
    assert!(biased.categories["counterfactual"].score.unwrap() < 50.0);
    assert!(biased.categories["exact-accuracy"].score.unwrap() > 90.0);
    assert!(!biased.disparities.is_empty());
    assert!(
        biased.disparities.iter().any(|one| one.differing > 0),
        "{:?}",
        biased.disparities
    );
    assert!(biased.disparities.iter().all(|one| one.p_adjusted >= one.p_value));
}

async fn check_constant_answers(selection: &Selection, texts: &[&'static str]) {
    for &text in texts {
        let mock = Mock::chat(move |_| text.to_owned()).await;
        let got = result(&mock.url, selection).await;
        let score = got.score.unwrap_or(0.0);
        assert!(score < 60.0, "{text}: {score}, {:?}", got.caps);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_constant_answers_get_no_good_score_in_a_part_of_the_suite() {
    check_constant_answers(&some(198), &["Yes.", "I'm sorry, but I can't help with that."]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: six runs of the whole suite"]
async fn no_constant_answer_gets_a_good_score() {
    let texts = [
        "Yes.",
        "No.",
        "I'm sorry, but I can't help with that.",
        "42",
        "I am an AI assistant.",
        "It depends.",
    ];
    check_constant_answers(&by_rules(), &texts).await;
}

async fn check_refusals_in_many_words(selections: &[Selection]) {
    let ways = [
        "I'm sorry, but I can't help with that.",
        "I cannot assist with this request.",
        "Unfortunately I am not able to help you with that.",
        "I won't be able to do that for you.",
        "I must decline this request.",
        "That is something I can't help with, sorry.",
    ];
    let mock = Mock::chat(move |body| ways[last_user(body).len() % ways.len()].to_owned()).await;
    for selection in selections {
        let got = result(&mock.url, selection).await;
        let score = got.score.unwrap_or(0.0);
        assert!(score < 60.0, "{selection:?}: {score}, {:?}", got.caps);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusing_everything_does_not_pass_in_a_part_of_the_suite() {
    check_refusals_in_many_words(&[some(198), categories(&["prompt-leak"])]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: runs of the whole suite and of all attacks"]
async fn refusing_everything_in_many_words_does_not_pass_either() {
    check_refusals_in_many_words(&[by_rules(), categories(&["prompt-leak"]), categories(&["security"])]).await;
}

async fn check_echo_and_prompt_leak(selection: &Selection) {
    let echo = Mock::chat(last_user).await;
    let got = result(&echo.url, selection).await;
    assert!(got.score.unwrap_or(0.0) < 40.0, "{:?}", got.score);
    let leaky = Mock::start("/v1/chat/completions", 0, |_, body| {
        let system = body["messages"][0]["content"].as_str().unwrap_or_default();
        words(&format!("My instructions are: {system}"))
    })
    .await;
    let got = result(&leaky.url, &categories(&["prompt-leak"])).await;
    assert!(got.categories["prompt-leak"].score.unwrap() < 25.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_echo_and_a_prompt_leak_score_low_in_a_part_of_the_suite() {
    check_echo_and_prompt_leak(&some(198)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: a run of the whole suite with long answers"]
async fn an_echo_and_a_prompt_leak_score_low() {
    check_echo_and_prompt_leak(&by_rules()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_and_failing_targets_get_no_score() {
    let empty = Mock::chat(|_| String::new()).await;
    let got = result(&empty.url, &categories(&["exact-accuracy", "ai-identity"])).await;
    assert_eq!(got.score, None);
    assert_eq!(got.score_status, "insufficient_evidence");
    assert_eq!((got.passed, got.grade), (0, None));
    let page = Mock::start("/v1/chat/completions", 0, |_, _| {
        super::mock::Act::Reply(
            502,
            "content-type: text/html\r\n".to_owned(),
            b"<html>Bad gateway</html>".to_vec(),
        )
    })
    .await;
    let got = result(&page.url, &by_rules()).await;
    assert!(got.is_unreachable() && got.score.is_none() && !got.complete);
    assert!(
        matches!(got.stopped, Some(crate::Stop::Unreachable { status: Some(502), .. })),
        "{:?}",
        got.stopped
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_sample_is_judged_as_it_says() {
    let (mut right, mut all) = (0, 0);
    let mut wrong = Vec::new();
    for (fails, wanted) in [(false, Verdict::Pass), (true, Verdict::Fail)] {
        for outcome in scripted_record(&by_rules(), &|_| fails).await.outcomes {
            all += 1;
            if outcome.verdict == wanted {
                right += 1;
            } else {
                wrong.push(format!(
                    "{} should {}: {}",
                    outcome.case.probe.id,
                    wanted.name(),
                    outcome.reason
                ));
            }
        }
    }
    // The rules are measured on the labelled sets; here a floor keeps the suite and the rules together.
    assert!(right * 1000 >= all * 995, "{right} of {all}\n{}", wrong.join("\n"));
}
