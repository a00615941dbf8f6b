//! Manifests that tell a library from an application.

use engine_model::{ArtefactKind, Language};
use serde_json::Value;

use crate::read::Candidate;
use crate::view::{View, candidate};

pub(crate) fn detect(view: &View<'_>, out: &mut Vec<Candidate>) {
    let found = match view.name.as_str() {
        "package.json" => package_json(view),
        "pyproject.toml" => pyproject(view),
        "cargo.toml" => cargo(view),
        "manifest.json" | "manifest.v2.json" | "manifest.v3.json" => browser_extension(view),
        _ if view.language == Language::Xml => xml(view),
        _ if view.name.ends_with(".gemspec") => view
            .line_with("gem::specification")
            .map(|line| (ArtefactKind::LibraryManifest, line, "a gem that other projects install")),
        _ => None,
    };
    if let Some((kind, line, because)) = found {
        out.push(candidate(kind, line, because));
    }
}

type Found = Option<(ArtefactKind, u32, &'static str)>;

fn package_json(view: &View<'_>) -> Found {
    let value: Value = serde_json::from_str(view.text).ok()?;
    let has = |key: &str| value.get(key).is_some();
    let script = |name: &str| value.get("scripts").and_then(|scripts| scripts.get(name)).is_some();
    let private = value.get("private").and_then(Value::as_bool).unwrap_or(false);
    let line = |key: &str| view.line_with(&format!("\"{key}\"")).unwrap_or(1);
    if has("workspaces") {
        return None;
    }
    if has("contributes")
        && value
            .get("engines")
            .is_some_and(|engines| engines.get("vscode").is_some())
    {
        return Some((
            ArtefactKind::ApplicationManifest,
            line("contributes"),
            "an editor extension",
        ));
    }
    if script("start") || script("dev") || script("serve") {
        let name = if script("start") {
            "start"
        } else if script("dev") {
            "dev"
        } else {
            "serve"
        };
        // A package that is published and also has a server for its own development stays a library.
        let published = !private && (has("exports") || has("types") || has("files") || has("publishConfig"));
        if !published {
            return Some((ArtefactKind::ApplicationManifest, line(name), "a start script"));
        }
    }
    if !private
        && (has("exports")
            || has("module")
            || has("types")
            || has("typings")
            || has("main") && has("files")
            || has("publishConfig")
            || has("peerDependencies"))
    {
        let key = [
            "exports",
            "module",
            "types",
            "typings",
            "main",
            "publishConfig",
            "peerDependencies",
        ]
        .into_iter()
        .find(|key| has(key))
        .unwrap_or("name");
        return Some((
            ArtefactKind::LibraryManifest,
            line(&key.to_lowercase()),
            "entry points for projects that import it",
        ));
    }
    if has("bin") {
        return Some((ArtefactKind::ApplicationManifest, line("bin"), "an installed command"));
    }
    None
}

/// What is said of the manifest of an extension that a browser loads.
pub const BROWSER_EXTENSION: &str = "a browser extension";

/// The manifest of an extension that a browser loads. That of a page has no version of its own form, and a theme or a list of
/// icons starts nothing.
fn browser_extension(view: &View<'_>) -> Found {
    let value: Value = serde_json::from_str(view.text).ok()?;
    value.get("manifest_version")?.as_u64()?;
    let starts = [
        "background",
        "content_scripts",
        "action",
        "browser_action",
        "page_action",
        "side_panel",
        "chrome_url_overrides",
        "devtools_page",
    ]
    .iter()
    .any(|key| value.get(key).is_some());
    starts.then(|| {
        (
            ArtefactKind::ApplicationManifest,
            view.line_with("\"manifest_version\"").unwrap_or(1),
            BROWSER_EXTENSION,
        )
    })
}

/// Packages that serve a web application.
const SERVERS: &[&str] = &[
    "uvicorn",
    "gunicorn",
    "hypercorn",
    "streamlit",
    "gradio",
    "chainlit",
    "daphne",
    "flask",
    "django",
    "fastapi",
];

fn pyproject(view: &View<'_>) -> Found {
    if view.has("package-mode = false") {
        return Some((
            ArtefactKind::ApplicationManifest,
            view.line_with("package-mode").unwrap_or(1),
            "declares that it is not a package",
        ));
    }
    let server = view.line_where(|line| {
        let name = line.trim_start().trim_start_matches(['"', '\'']);
        SERVERS.iter().any(|server| {
            name.strip_prefix(server)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '\'', ' ', '=', '>', '[', '<', '~', ',']))
        })
    });
    let optional = view.line_where(|line| line.contains("optional-dependencies") || line.contains("extras]"));
    let classifiers = view
        .line_with("development status ::")
        .or(view.line_where(|line| line.starts_with("keywords =") || line.starts_with("homepage =")))
        .or(view.line_with("[project.urls]"));
    if let Some(line) = server
        && classifiers.is_none()
        && optional.is_none_or(|optional| line < optional)
    {
        return Some((
            ArtefactKind::ApplicationManifest,
            line,
            "depends on a web server package",
        ));
    }
    if let Some(line) = classifiers {
        return Some((
            ArtefactKind::LibraryManifest,
            line,
            "metadata of an installable package",
        ));
    }
    view.line_where(|line| line.trim() == "[project.scripts]" || line.trim() == "[tool.poetry.scripts]")
        .map(|line| (ArtefactKind::ApplicationManifest, line, "an installed command"))
}

fn cargo(view: &View<'_>) -> Found {
    let at = |table: &str| view.line_where(|line| line.trim() == table);
    if let Some(line) = at("[[bin]]") {
        return Some((ArtefactKind::ApplicationManifest, line, "a binary"));
    }
    at("[lib]").map(|line| (ArtefactKind::LibraryManifest, line, "a library"))
}

fn xml(view: &View<'_>) -> Found {
    if let Some(line) = view
        .line_with("spring-boot-maven-plugin")
        .or(view.line_with("quarkus-maven-plugin"))
        .or(view.line_with("<packaging>war"))
    {
        return Some((ArtefactKind::ApplicationManifest, line, "is built into a service"));
    }
    if let Some(line) = view
        .line_with("microsoft.net.sdk.web")
        .or(view.line_with("<outputtype>exe"))
    {
        return Some((ArtefactKind::ApplicationManifest, line, "is built into a program"));
    }
    view.line_with("<packageid>")
        .or(view.line_with("<ispackable>true"))
        .map(|line| (ArtefactKind::LibraryManifest, line, "is packaged for other projects"))
}
