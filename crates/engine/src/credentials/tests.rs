//! Settings of language models: sources, trust and addresses.

#![expect(clippy::disallowed_methods, reason = "tests lay out their own projects")]

use std::fs;
use std::path::Path;

use jiff::Timestamp;

use super::*;
use crate::{Clock, Options, Signing};

const LOCAL: &str = "LLM_URL=http://127.0.0.1:9/v1\nLLM_MODEL=small\nLLM_KEY=file-key-0001\n";
const FOREIGN: &str = "LLM_URL=https://collector.example/v1\nLLM_MODEL=small\nLLM_KEY=file-key-0001\n";

/// An engine whose data directory lies beside the project.
fn engine(top: &Path, environment: &[(&str, &str)]) -> Engine {
    let values: BTreeMap<String, String> = environment
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Engine::start(Options {
        working_dir: top.to_owned(),
        project: None,
        read_only: false,
        clock: Clock {
            now: || Timestamp::UNIX_EPOCH,
            new_id: || "id".to_owned(),
        },
        signing: Signing {
            data_dir: Some(top.join("user")),
            key: None,
        },
    })
    .unwrap()
    .with_environment(Environment::of(|name| values.get(name).cloned()))
}

/// An index of git, version 2, as git writes it.
fn index(paths: &[&str]) -> Vec<u8> {
    let mut out = b"DIRC".to_vec();
    out.extend(2_u32.to_be_bytes());
    out.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
    for path in paths {
        let start = out.len();
        out.extend([0; 60]);
        out.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
        out.extend(path.as_bytes());
        out.push(0);
        while !(out.len() - start).is_multiple_of(8) {
            out.push(0);
        }
    }
    out.extend([0; 20]);
    out
}

struct Place {
    top: tempfile::TempDir,
    project: String,
}

impl Place {
    /// A project in a folder of its own, with a file of settings, in a repository that tracks these paths.
    fn new(project: &str, env: &str, tracked: Option<&[&str]>) -> Self {
        let top = tempfile::tempdir().unwrap();
        let state = top.path().join(project).join(".compliance");
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join(".env"), env).unwrap();
        if let Some(paths) = tracked {
            fs::create_dir(top.path().join(".git")).unwrap();
            fs::write(top.path().join(".git/index"), index(paths)).unwrap();
        }
        Self {
            top,
            project: project.to_owned(),
        }
    }

    fn engine(&self, environment: &[(&str, &str)]) -> Engine {
        engine(self.top.path(), environment)
    }

    fn info(&self, engine: &Engine) -> LlmInfo {
        engine.llm_info(Some(&self.project)).unwrap()
    }
}

#[test]
fn an_untracked_file_in_a_work_tree_is_used() {
    let place = Place::new("app", FOREIGN, Some(&["app/main.py"]));
    let info = place.info(&place.engine(&[]));
    assert_eq!(
        (info.configured, info.env_var.as_deref(), info.source),
        (true, Some("LLM_URL"), Some(SettingSource::File))
    );
    assert!(info.warnings.is_empty(), "{info:?}");
}

#[test]
fn a_tracked_file_is_named_and_ignored_until_a_person_trusts_its_content() {
    let place = Place::new("app", LOCAL, Some(&["app/.compliance/.env"]));
    let engine = place.engine(&[]);
    let info = place.info(&engine);
    assert!(!info.configured, "{info:?}");
    assert!(info.warnings[0].contains("git tracks it"), "{info:?}");
    let file = engine.settings_file(&place.project).unwrap().unwrap();
    assert!(file.needs_trust && !file.trusted, "{file:?}");
    assert_eq!(file.addresses, ["http://127.0.0.1:9/v1"]);
    assert!(!format!("{file:?}").contains("file-key-0001"));

    engine.trust_settings(&place.project).unwrap();
    let info = place.info(&engine);
    assert!(info.configured && info.warnings.is_empty(), "{info:?}");

    let env = place.top.path().join("app/.compliance/.env");
    fs::write(&env, FOREIGN).unwrap();
    assert!(!place.info(&engine).configured, "a changed file is asked about again");
    fs::write(&env, LOCAL).unwrap();
    assert!(place.info(&engine).configured);
    assert!(engine.distrust_settings(&place.project).unwrap());
    assert!(!place.info(&engine).configured);
}

#[test]
fn the_judge_obeys_the_same_rule() {
    let env = "EVAL_JUDGE_URL=https://collector.example/v1\nEVAL_JUDGE_MODEL=m\nEVAL_JUDGE_KEY=judge-key-1\n";
    for (tracked, used) in [
        (Some(&["app/.compliance/.env"][..]), false),
        (Some(&["app/main.py"][..]), true),
        (None, false),
    ] {
        let place = Place::new("app", env, tracked);
        let engine = place.engine(&[]);
        let state = engine.project(&place.project).unwrap();
        let (found, warnings) = engine
            .find_model(&state, ModelUse::Judge, &WantedModel::default())
            .unwrap();
        assert_eq!((found.is_some(), warnings.is_empty()), (used, used), "{tracked:?}");
    }
}

#[test]
fn without_git_keys_are_used_and_foreign_addresses_are_not() {
    let place = Place::new("app", FOREIGN, None);
    let info = place.info(&place.engine(&[]));
    assert!(!info.configured && info.warnings[0].contains("an address"), "{info:?}");
    for env in [
        LOCAL,
        "LLM_MODEL=m\nOPENAI_API_KEY=k-0001-0001\n",
        "LLM_URL=https://api.mistral.ai/v1\nLLM_MODEL=m\n",
        "LLM_MODEL=m\nOLLAMA_HOST=127.0.0.1\n",
    ] {
        let place = Place::new("app", env, None);
        let info = place.info(&place.engine(&[]));
        assert!(info.configured && info.warnings.is_empty(), "{env}: {info:?}");
    }
    // The key of the address goes with it; another key of the file is used.
    let mixed = format!("{FOREIGN}ANTHROPIC_API_KEY=k-0002-0002\n");
    let place = Place::new("app", &mixed, None);
    let info = place.info(&place.engine(&[]));
    assert_eq!(info.env_var.as_deref(), Some("ANTHROPIC_API_KEY"), "{info:?}");
}

#[test]
fn a_key_of_the_environment_never_goes_to_an_address_of_the_file() {
    let env = "LLM_URL=http://127.0.0.1:9/v1\nLLM_MODEL=small\n";
    let place = Place::new("app", env, Some(&["app/main.py"]));
    let engine = place.engine(&[
        ("LLM_KEY", "environment-key-1"),
        ("OPENAI_API_KEY", "environment-key-2"),
    ]);
    let state = engine.project(&place.project).unwrap();
    let model = engine.assistant(&state, &WantedModel::default()).unwrap();
    assert_eq!(model.source, SettingSource::File);
    assert!(model.target.api_key.is_none());
    // A tracked file leaves the environment as it is.
    let place = Place::new("app", FOREIGN, Some(&["app/.compliance/.env"]));
    let engine = place.engine(&[("OPENAI_API_KEY", "environment-key-2"), ("LLM_MODEL", "gpt-4o")]);
    let info = place.info(&engine);
    assert_eq!(
        (info.provider.as_deref(), info.source, info.warnings.len()),
        (Some("openai"), Some(SettingSource::Environment), 1)
    );
}

#[test]
fn a_request_chooses_among_what_is_configured() {
    let env = "LLM_MODEL=a\nOPENAI_API_KEY=k-0001-0001\nANTHROPIC_API_KEY=k-0002-0002\n";
    let place = Place::new("app", env, None);
    let engine = place.engine(&[]);
    let state = engine.project(&place.project).unwrap();
    let wanted = WantedModel {
        provider: Some(Provider::Anthropic),
        model: Some("claude-haiku-4-5".to_owned()),
        key: None,
    };
    let model = engine.assistant(&state, &wanted).unwrap();
    assert_eq!(
        (model.env_var, model.model()),
        ("ANTHROPIC_API_KEY", "claude-haiku-4-5")
    );
    assert!(model.prices.is_some_and(|prices| prices.input_per_million > 0.0));
    let wanted = WantedModel {
        provider: Some(Provider::Ollama),
        ..WantedModel::default()
    };
    let failure = engine.assistant(&state, &wanted).unwrap_err();
    assert_eq!(failure.code, ErrorCode::MissingPart);
    assert!(!failure.details.contains("k-0001"), "{failure}");
    // A key of the request goes to the provider that it names, and nowhere else.
    let key = || Some(Key::new("request-key-1"));
    let wanted = WantedModel {
        provider: Some(Provider::OpenAi),
        key: key(),
        ..WantedModel::default()
    };
    let model = engine.assistant(&state, &wanted).unwrap();
    assert_eq!((model.source, model.target.api_key), (SettingSource::Request, key()));
    assert!(model.target.target.starts_with("https://api.openai.com/"));
    let wanted = WantedModel {
        key: key(),
        ..WantedModel::default()
    };
    let model = engine.assistant(&state, &wanted).unwrap();
    assert_eq!(model.source, SettingSource::File);
}

#[test]
fn addresses_are_completed_by_their_service() {
    for (url, provider, full) in [
        (
            "http://localhost:11434/v1/",
            Provider::Compatible,
            "http://localhost:11434/v1/chat/completions",
        ),
        (
            "http://localhost:8080",
            Provider::Compatible,
            "http://localhost:8080/v1/chat/completions",
        ),
        (
            "https://api.openai.com/v1",
            Provider::OpenAi,
            "https://api.openai.com/v1/chat/completions",
        ),
        (
            "https://api.anthropic.com",
            Provider::Anthropic,
            "https://api.anthropic.com/v1/messages",
        ),
        (
            "https://llm.example/api/generate",
            Provider::Ollama,
            "https://llm.example/api/generate",
        ),
        (
            "http://127.0.0.1:11434/api/chat",
            Provider::Ollama,
            "http://127.0.0.1:11434/api/chat",
        ),
    ] {
        let (found, _, address) = service(url);
        assert_eq!((found, address.as_str()), (provider, full), "{url}");
    }
    assert_eq!(ollama("0.0.0.0"), "http://127.0.0.1:11434/api/chat");
    assert_eq!(ollama("box:1234/"), "http://box:1234/api/chat");
    assert_eq!(ollama("https://ollama.example"), "https://ollama.example/api/chat");
}

#[test]
fn known_addresses_are_those_of_this_machine_and_of_providers() {
    for known in [
        "http://127.0.0.1:8000/v1",
        "http://localhost/v1",
        "http://[::1]:11434",
        "127.0.0.1:11434",
        "https://api.openai.com/v1",
        "https://api.anthropic.com",
    ] {
        assert!(is_known(known), "{known}");
    }
    for foreign in [
        "https://api.openai.com.collector.example/v1",
        "http://api.openai.com/v1",
        "https://collector.example",
        "http://10.0.0.5:11434",
        "https://my-space.hf.space/v1",
        "nonsense",
    ] {
        assert!(!is_known(foreign), "{foreign}");
    }
}

#[test]
fn values_are_hidden_when_printed() {
    let environment = Environment::of(|name| (name == "LLM_KEY").then(|| "very-secret-value".to_owned()));
    let shown = format!("{environment:?}");
    assert!(shown.contains("LLM_KEY") && !shown.contains("very-secret"), "{shown}");
    let place = Place::new("app", LOCAL, None);
    let engine = place.engine(&[]);
    let state = engine.project(&place.project).unwrap();
    let model = engine.assistant(&state, &WantedModel::default()).unwrap();
    assert!(!format!("{model:?}").contains("file-key-0001"));
}
