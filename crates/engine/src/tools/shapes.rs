//! What goes over the wire about the tools.

use engine_scanner::mask_secrets;
use engine_tools::{Installed, NoRunner, Place, Runner, Tool, Update, UpdateOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::runner_error;

/// Reply of `GET /tools/status` and `POST /tools/update`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsReply {
    /// Whether the package runner uv was found.
    pub uv_available: bool,
    /// The version of uv.
    pub uv_version: Option<String>,
    /// The program of uv.
    pub uv_path: Option<String>,
    /// Why there is no uv, and how to install it.
    pub uv_error: Option<String>,
    /// The folder in which tools are installed.
    pub folder: Option<String>,
    /// The tools.
    pub tools: Vec<ToolView>,
}

/// One external tool.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolView {
    /// Its name.
    pub name: String,
    /// What it looks for.
    pub purpose: String,
    /// Whether the pinned version is installed.
    pub installed: bool,
    /// The version that is there.
    pub version: Option<String>,
    /// The pinned version.
    pub expected_version: String,
    /// Its program, where it is there.
    pub path: Option<String>,
    /// Why it cannot be used, or why it could not be installed.
    pub error: Option<String>,
    /// What the update did; only in the reply of `POST /tools/update`, for each tool that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<UpdateResult>,
    /// Duration of the update in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<f64>,
}

/// The outcome of an update for one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UpdateResult {
    /// It was installed.
    Installed,
    /// The pinned version was there already.
    Unchanged,
    /// It could not be installed.
    Failed,
}

/// Body of `POST /tools/update`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolsUpdateRequest {
    /// The tools to install; all if absent.
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// Whether to install a tool again that is there already.
    #[serde(default)]
    pub force: Option<bool>,
}

pub(super) fn view(tool: Installed) -> ToolView {
    ToolView {
        name: tool.name.to_owned(),
        purpose: Tool::named(tool.name).map_or_else(String::new, |known| known.purpose.to_owned()),
        installed: tool.installed,
        version: tool.version,
        expected_version: tool.expected.to_owned(),
        path: tool.path.map(|path| path.to_string_lossy().into_owned()),
        // The runner may quote an address with a password.
        error: tool.error.as_deref().map(mask_secrets),
        update: None,
        elapsed: None,
    }
}

pub(super) fn updated(update: Update) -> ToolView {
    let result = match update.outcome {
        UpdateOutcome::Installed => UpdateResult::Installed,
        UpdateOutcome::Unchanged => UpdateResult::Unchanged,
        UpdateOutcome::Failed => UpdateResult::Failed,
    };
    ToolView {
        update: Some(result),
        elapsed: Some((update.elapsed.as_secs_f64() * 1e6).round() / 1e3),
        ..view(update.tool)
    }
}

pub(super) fn reply(place: &Place, runner: Result<Runner, NoRunner>, tools: Vec<ToolView>) -> ToolsReply {
    let uv_error = runner_error(&runner);
    let runner = runner.ok();
    ToolsReply {
        uv_available: runner.is_some(),
        uv_version: runner.as_ref().map(|runner| runner.version.clone()),
        uv_path: runner.map(|runner| runner.path.to_string_lossy().into_owned()),
        uv_error,
        folder: place.folder().ok().map(|folder| folder.to_string_lossy().into_owned()),
        tools,
    }
}
