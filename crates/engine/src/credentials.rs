//! The settings that open connections or choose keys: from `.compliance/.env`, else from the environment of the engine.
//!
//! A cloned repository may bring a file `.env` that names somebody else's service, which would then receive texts of the project. So a file
//! that git tracks is ignored until a person trusts it, and every use of a model asks here.

mod addresses;

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine_llm::{Endpoint, Key, Prices, Provider, Shape, TargetSettings, price};
use engine_model::{ErrorCode, Failure};
use engine_project::Tracking;
use engine_signing::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Engine;
use crate::project::{ProjectState, conflict};
use addresses::{is_known, listed, ollama, service, shown};

/// The file in the state directory.
const FILE: &str = ".env";

/// The same as a person sees it.
pub(crate) const FILE_SHOWN: &str = ".compliance/.env";

/// A longer file is not read.
const FILE_BYTES_MAX: usize = 64 * 1024;

/// Names that are read; everything else in the environment is left alone.
pub const SETTING_NAMES: [&str; 14] = [
    "LLM_URL",
    "LLM_MODEL",
    "LLM_KEY",
    "LLM_MAX_TOKENS",
    "LLM_INPUT_PER_MILLION",
    "LLM_OUTPUT_PER_MILLION",
    "EVAL_JUDGE_URL",
    "EVAL_JUDGE_MODEL",
    "EVAL_JUDGE_KEY",
    "EVAL_JUDGE_INPUT_PER_MILLION",
    "EVAL_JUDGE_OUTPUT_PER_MILLION",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "OLLAMA_HOST",
];

/// Settings that name an address, each with the key that is sent there.
const ADDRESSES: [(&str, &str); 3] = [
    ("LLM_URL", "LLM_KEY"),
    ("EVAL_JUDGE_URL", "EVAL_JUDGE_KEY"),
    ("OLLAMA_HOST", ""),
];

/// Bounds of `LLM_MAX_TOKENS`.
const REPLY_TOKENS_MIN: u32 = 16;
const REPLY_TOKENS_MAX: u32 = 16_384;

/// Settings of the environment by name. Values are hidden when printed.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The settings that `read` finds; empty values count as none.
    pub fn of(read: impl Fn(&str) -> Option<String>) -> Self {
        let found = SETTING_NAMES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), read(name)?.trim().to_owned())))
            .filter(|(_, value)| !value.is_empty());
        Self(found.collect())
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    /// `.compliance/.env` of the project.
    File,
    /// The environment of the engine.
    Environment,
    /// The request.
    Request,
}

/// What a model is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelUse {
    /// Chat, deep analysis and proposed fixes.
    Assistant,
    /// Verdicts on replies of a target.
    Judge,
}

/// What a caller wants of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedModel {
    pub(crate) provider: Option<Provider>,
    pub(crate) model: Option<String>,
    /// A key for a provider, handed over with the request.
    pub(crate) key: Option<Key>,
}

/// A model that is configured.
#[derive(Clone, Debug)]
pub(crate) struct ModelSettings {
    pub(crate) provider: Provider,
    pub(crate) target: TargetSettings,
    shape: Shape,
    pub(crate) source: SettingSource,
    /// The setting that names the service or its key.
    pub(crate) env_var: &'static str,
    pub(crate) prices: Option<Prices>,
    pub(crate) warnings: Vec<String>,
}

impl ModelSettings {
    /// The name of the model.
    pub(crate) fn model(&self) -> &str {
        self.target.model.as_deref().unwrap_or("default")
    }

    /// The model as an endpoint with a system prompt.
    pub(crate) fn endpoint(&self, system: &str, stream: bool) -> Result<Endpoint, Failure> {
        let settings = TargetSettings {
            system_prompt: Some(system.to_owned()),
            stream,
            ..self.target.clone()
        };
        Endpoint::new(&settings, self.shape.clone()).map_err(|error| {
            let place = match self.source {
                SettingSource::File => FILE_SHOWN,
                SettingSource::Environment => "the environment",
                SettingSource::Request => "the request",
            };
            Failure::new(
                ErrorCode::Impossible,
                format!("invalid language model in {place} ({}): {error}", self.env_var),
            )
        })
    }
}

/// Reply of `GET /llm/info`: the language model that is configured. Keys are never part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmInfo {
    /// Whether a model is configured.
    pub configured: bool,
    /// The provider: `openai`, `anthropic`, `ollama` or `compatible`.
    pub provider: Option<String>,
    /// Its name.
    pub model_id: Option<String>,
    /// Where the settings come from.
    pub source: Option<SettingSource>,
    /// The setting that names the service or its key.
    pub env_var: Option<String>,
    /// Settings that were ignored, and why.
    pub warnings: Vec<String>,
}

/// A file of settings and whether it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFile {
    /// The file.
    pub path: PathBuf,
    /// The BLAKE3 digest of its content.
    pub digest: String,
    /// The names of the settings in it that the engine reads.
    pub names: Vec<String>,
    /// The addresses in it.
    pub addresses: Vec<String>,
    /// Whether it needs trust before all of it is used.
    pub needs_trust: bool,
    /// Whether a person trusts it.
    pub trusted: bool,
}

/// What `.compliance/.env` says, as far as it counts.
struct EnvFile {
    values: BTreeMap<String, String>,
    warnings: Vec<String>,
}

impl Engine {
    /// Uses these settings where a project has none of its own.
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// The language model that is configured for a project.
    pub fn llm_info(&self, path: Option<&str>) -> Result<LlmInfo, Failure> {
        let state = self.project_or_current(path)?;
        let (found, warnings) = self.find_model(&state, ModelUse::Assistant, &WantedModel::default())?;
        Ok(LlmInfo {
            configured: found.is_some(),
            provider: found.as_ref().map(|model| model.provider.name().to_owned()),
            model_id: found.as_ref().map(|model| model.model().to_owned()),
            source: found.as_ref().map(|model| model.source),
            env_var: found.as_ref().map(|model| model.env_var.to_owned()),
            warnings,
        })
    }

    /// The file of settings of a project and whether it is used.
    pub fn settings_file(&self, path: &str) -> Result<Option<SettingsFile>, Failure> {
        let state = self.project(path)?;
        let Some(bytes) = state.state_file(FILE)? else {
            return Ok(None);
        };
        let values = env_values(&bytes);
        let file = state.path().join(FILE_SHOWN);
        let digest = Digest::of(&bytes);
        Ok(Some(SettingsFile {
            digest: digest.to_string(),
            names: values.keys().filter(|name| is_read(name)).cloned().collect(),
            addresses: ADDRESSES
                .iter()
                .filter_map(|(name, _)| values.get(*name))
                .map(|address| shown(address))
                .collect(),
            needs_trust: needs_trust(engine_project::tracking(&file), &values),
            trusted: self.trusts(&file, &digest)?,
            path: file,
        }))
    }

    /// Remembers that a person trusts the file of settings of a project as it is now.
    pub fn trust_settings(&self, path: &str) -> Result<SettingsFile, Failure> {
        let Some(mut file) = self.settings_file(path)? else {
            return Err(Failure::new(
                ErrorCode::Impossible,
                format!("the project has no file `{FILE_SHOWN}`; there is nothing to trust"),
            ));
        };
        let state = self.project(path)?;
        let digest = Digest::of(&state.state_file(FILE)?.unwrap_or_default());
        if digest.to_string() != file.digest {
            return Err(Failure::new(
                ErrorCode::StateConflict,
                format!("`{FILE_SHOWN}` changed meanwhile; look at it and run the command again"),
            ));
        }
        self.user_dir()?
            .trust_settings(&file.path, &digest, &self.timestamp())
            .map_err(|error| conflict(&error))?;
        file.trusted = true;
        Ok(file)
    }

    /// Forgets that a person trusts the file of settings of a project; says whether anybody did.
    pub fn distrust_settings(&self, path: &str) -> Result<bool, Failure> {
        let state = self.project(path)?;
        self.user_dir()?
            .distrust_settings(&state.path().join(FILE_SHOWN))
            .map_err(|error| conflict(&error))
    }

    fn user_dir(&self) -> Result<&engine_store::UserDir, Failure> {
        self.signer().user.as_deref().ok_or_else(|| {
            Failure::new(
                ErrorCode::MissingPart,
                "no data directory found to remember the trust; set ENGINE_DATA_DIR to a folder",
            )
        })
    }

    fn trusts(&self, file: &std::path::Path, digest: &Digest) -> Result<bool, Failure> {
        let Some(user) = &self.signer().user else {
            return Ok(false);
        };
        user.trusts_settings(file, digest).map_err(|error| conflict(&error))
    }

    /// What is wrong with the file of settings of a project, for replies that name it.
    pub(crate) fn settings_warnings(&self, state: &ProjectState) -> Vec<String> {
        match self.env_file(state) {
            Ok(file) => file.warnings,
            Err(failure) => vec![failure.details],
        }
    }

    fn env_file(&self, state: &ProjectState) -> Result<EnvFile, Failure> {
        let mut out = EnvFile {
            values: BTreeMap::new(),
            warnings: Vec::new(),
        };
        let Some(bytes) = state.state_file(FILE)? else {
            return Ok(out);
        };
        if bytes.len() > FILE_BYTES_MAX {
            out.warnings.push(format!(
                "`{FILE_SHOWN}` is longer than {FILE_BYTES_MAX} bytes and was not used; shorten it"
            ));
            return Ok(out);
        }
        let mut values = env_values(&bytes);
        values.retain(|name, _| is_read(name));
        if values.is_empty() {
            return Ok(out);
        }
        let file = state.path().join(FILE_SHOWN);
        let tracking = engine_project::tracking(&file);
        if needs_trust(tracking, &values) && !self.trusts(&file, &Digest::of(&bytes))? {
            let command = "look at it, then run `engine-server trust` for this project";
            out.warnings.push(match tracking {
                Tracking::NoRepository => format!(
                    "an address in `{FILE_SHOWN}` was not used, because the file may come from somebody else; {command}"
                ),
                Tracking::Unknown => format!(
                    "`{FILE_SHOWN}` was not used: the git repository around it cannot be read, so the file may have come with it; {command}"
                ),
                _ => format!(
                    "`{FILE_SHOWN}` was not used: git tracks it, so it may have come with the repository; {command}"
                ),
            });
            if tracking == Tracking::NoRepository {
                for (address, key) in ADDRESSES {
                    if values.get(address).is_some_and(|value| !is_known(value)) {
                        values.remove(address);
                        values.remove(key);
                    }
                }
            } else {
                values.clear();
            }
        }
        out.values = values;
        Ok(out)
    }

    /// The model for a use, if one is configured, and what was ignored.
    pub(crate) fn find_model(
        &self,
        state: &ProjectState,
        purpose: ModelUse,
        wanted: &WantedModel,
    ) -> Result<(Option<ModelSettings>, Vec<String>), Failure> {
        let file = self.env_file(state)?;
        let names = |name: &str| file.values.get(name).or_else(|| self.environment.0.get(name));
        let model = wanted.model.clone().or_else(|| {
            let own = (purpose == ModelUse::Judge)
                .then(|| names("EVAL_JUDGE_MODEL"))
                .flatten();
            own.or_else(|| names("LLM_MODEL")).cloned()
        });
        let given = match (&wanted.key, wanted.provider) {
            (Some(key), Some(Provider::OpenAi)) => [("OPENAI_API_KEY".to_owned(), key.reveal().to_owned())].into(),
            (Some(key), Some(Provider::Anthropic)) => {
                [("ANTHROPIC_API_KEY".to_owned(), key.reveal().to_owned())].into()
            }
            _ => BTreeMap::new(),
        };
        // A key and the address that it is sent to come from one source: a file may not send a key of the environment elsewhere.
        let found = [
            (SettingSource::Request, &given),
            (SettingSource::File, &file.values),
            (SettingSource::Environment, &self.environment.0),
        ]
        .into_iter()
        .flat_map(|(source, values)| candidates(values, purpose, model.as_deref(), source))
        .find(|found| wanted.provider.is_none_or(|provider| provider == found.provider));
        let found = found.map(|mut found| {
            found.warnings.clone_from(&file.warnings);
            found
        });
        Ok((found, file.warnings))
    }

    /// The model for chat, deep analysis and fixes, or what to do to get one.
    pub(crate) fn assistant(&self, state: &ProjectState, wanted: &WantedModel) -> Result<ModelSettings, Failure> {
        let (found, warnings) = self.find_model(state, ModelUse::Assistant, wanted)?;
        found.ok_or_else(|| {
            let mut details = match wanted.provider {
                Some(provider) => format!("no language model of `{}` is configured", provider.name()),
                None => "no language model is configured".to_owned(),
            };
            details.push_str(
                "; add LLM_URL, LLM_MODEL and LLM_KEY, or LLM_MODEL with OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_HOST, to \
                 `.compliance/.env` or to the environment of the engine",
            );
            for warning in warnings {
                details.push_str(". Ignored: ");
                details.push_str(&warning);
            }
            Failure::new(ErrorCode::MissingPart, details)
        })
    }
}

fn is_read(name: &str) -> bool {
    SETTING_NAMES.contains(&name)
}

/// The models that a set of settings names, the most special first.
fn candidates(
    values: &BTreeMap<String, String>,
    purpose: ModelUse,
    model: Option<&str>,
    source: SettingSource,
) -> Vec<ModelSettings> {
    let judge = purpose == ModelUse::Judge;
    let (url, key, input, output) = if judge {
        (
            "EVAL_JUDGE_URL",
            "EVAL_JUDGE_KEY",
            "EVAL_JUDGE_INPUT_PER_MILLION",
            "EVAL_JUDGE_OUTPUT_PER_MILLION",
        )
    } else {
        ("LLM_URL", "LLM_KEY", "LLM_INPUT_PER_MILLION", "LLM_OUTPUT_PER_MILLION")
    };
    let number = |name: &str| {
        let number: Option<f64> = values.get(name).and_then(|value| value.parse().ok());
        number.filter(|number| number.is_finite() && *number >= 0.0)
    };
    let stated = number(input).zip(number(output)).map(|(input, output)| Prices {
        input_per_million: input,
        output_per_million: output,
    });
    let of = |provider: Provider, shape: Shape, address: String, key: Option<&String>, env_var| ModelSettings {
        provider,
        prices: stated.or_else(|| {
            let model = model.unwrap_or_default();
            // A judge without a price costs what the target costs; that is for the run to say.
            if judge {
                price(provider, model)
            } else {
                listed(provider, model, &address)
            }
        }),
        target: TargetSettings {
            target: address,
            model: model.map(str::to_owned),
            api_key: key.map(Key::new),
            reply_tokens: values
                .get("LLM_MAX_TOKENS")
                .filter(|_| !judge)
                .and_then(|tokens| tokens.parse().ok())
                .map(|tokens: u32| tokens.clamp(REPLY_TOKENS_MIN, REPLY_TOKENS_MAX)),
            ..TargetSettings::default()
        },
        shape,
        source,
        env_var,
        warnings: Vec::new(),
    };
    let mut out = Vec::new();
    if let Some(address) = values.get(url) {
        let (provider, shape, address) = service(address);
        out.push(of(provider, shape, address, values.get(key), url));
    }
    // Without a model's name nothing can be asked of a service with many, and a made-up one would age badly.
    if model.is_some() {
        if let Some(key) = values.get("OPENAI_API_KEY") {
            let address = "https://api.openai.com/v1/chat/completions".to_owned();
            out.push(of(
                Provider::OpenAi,
                Shape::OpenAiChat,
                address,
                Some(key),
                "OPENAI_API_KEY",
            ));
        }
        if let Some(key) = values.get("ANTHROPIC_API_KEY") {
            let address = "https://api.anthropic.com/v1/messages".to_owned();
            out.push(of(
                Provider::Anthropic,
                Shape::Anthropic,
                address,
                Some(key),
                "ANTHROPIC_API_KEY",
            ));
        }
        if let Some(host) = values.get("OLLAMA_HOST") {
            out.push(of(
                Provider::Ollama,
                Shape::OllamaChat,
                ollama(host),
                None,
                "OLLAMA_HOST",
            ));
        }
    }
    out
}

/// Whether a file needs the trust of a person before all of it is used.
fn needs_trust(tracking: Tracking, values: &BTreeMap<String, String>) -> bool {
    match tracking {
        Tracking::Untracked => false,
        Tracking::Tracked | Tracking::Unknown => values.keys().any(|name| is_read(name)),
        Tracking::NoRepository => ADDRESSES
            .iter()
            .filter_map(|(name, _)| values.get(*name))
            .any(|address| !is_known(address)),
    }
}

/// The values of a file of settings, by name.
pub(crate) fn env_values(bytes: &[u8]) -> BTreeMap<String, String> {
    String::from_utf8_lossy(bytes)
        .lines()
        .filter_map(|line| line.trim().trim_start_matches("export ").split_once('='))
        .map(|(name, value)| (name.trim(), value.trim().trim_matches(['"', '\''])))
        .filter(|(name, value)| !name.starts_with('#') && !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests;
