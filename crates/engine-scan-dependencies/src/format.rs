//! Which files are read, told by their names.

use engine_model::Ecosystem;
use serde::{Deserialize, Serialize};

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// `package.json`.
    PackageJson,
    /// `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3.
    PackageLock,
    /// `yarn.lock`, classic and berry.
    YarnLock,
    /// `pnpm-lock.yaml`, versions 5 to 9.
    PnpmLock,
    /// `bun.lock`.
    BunLock,
    /// `bun.lockb`, which is binary: that it is there is all it tells.
    BunLockBinary,
    /// `requirements*.txt` and `*.in`.
    Requirements,
    /// `constraints*.txt`.
    Constraints,
    /// `pyproject.toml`.
    Pyproject,
    /// `setup.cfg`.
    SetupCfg,
    /// `setup.py`, literal lists only.
    SetupPy,
    /// `Pipfile`.
    Pipfile,
    /// `Pipfile.lock`.
    PipfileLock,
    /// `poetry.lock`.
    PoetryLock,
    /// `pdm.lock`.
    PdmLock,
    /// `uv.lock`.
    UvLock,
    /// `pylock.toml` and `pylock.*.toml`.
    PyLock,
    /// `environment.yml`: packages of channels, and its pip section.
    CondaEnvironment,
    /// `conda-lock.yml`, for several platforms.
    CondaLock,
    /// `conda-linux-64.lock`: the addresses of archives.
    CondaExplicit,
    /// `Cargo.toml`.
    CargoToml,
    /// `Cargo.lock`.
    CargoLock,
    /// `go.mod`.
    GoMod,
    /// `go.sum`.
    GoSum,
    /// `pom.xml`.
    Pom,
    /// `gradle.lockfile`.
    GradleLock,
    /// `build.gradle` and `build.gradle.kts`, literal coordinates.
    GradleBuild,
    /// `*.versions.toml`.
    VersionCatalog,
    /// `*.csproj`, `*.fsproj`, `*.vbproj`.
    DotnetProject,
    /// `Directory.Build.props` and `Directory.Build.targets`: properties and references of every project below.
    DotnetBuild,
    /// `Directory.Packages.props`.
    DotnetCentral,
    /// `packages.lock.json`.
    NugetLock,
    /// `packages.config`.
    NugetConfig,
    /// `composer.json`.
    ComposerJson,
    /// `composer.lock`.
    ComposerLock,
    /// `Gemfile`.
    Gemfile,
    /// `Gemfile.lock`.
    GemfileLock,
    /// `*.gemspec`.
    Gemspec,
    /// Configuration of a client of the Model Context Protocol.
    McpConfig,
}

/// What a format says about versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What the project asks for.
    Manifest,
    /// What it was resolved to.
    Lock,
    /// Versions or digests for other files to use.
    Support,
}

impl Format {
    /// The format that a path tells.
    pub fn of_path(path: &str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = folder.rsplit('/').next().unwrap_or(folder);
        Some(match name {
            "package.json" => Self::PackageJson,
            "package-lock.json" | "npm-shrinkwrap.json" => Self::PackageLock,
            "yarn.lock" => Self::YarnLock,
            "pnpm-lock.yaml" => Self::PnpmLock,
            "bun.lock" => Self::BunLock,
            "bun.lockb" => Self::BunLockBinary,
            "pyproject.toml" => Self::Pyproject,
            "setup.cfg" => Self::SetupCfg,
            "setup.py" => Self::SetupPy,
            "Pipfile" => Self::Pipfile,
            "Pipfile.lock" => Self::PipfileLock,
            "poetry.lock" => Self::PoetryLock,
            "pdm.lock" => Self::PdmLock,
            "uv.lock" => Self::UvLock,
            "pylock.toml" => Self::PyLock,
            "environment.yml" | "environment.yaml" => Self::CondaEnvironment,
            "conda-lock.yml" | "conda-lock.yaml" => Self::CondaLock,
            "Cargo.toml" => Self::CargoToml,
            "Cargo.lock" => Self::CargoLock,
            "go.mod" => Self::GoMod,
            "go.sum" => Self::GoSum,
            "pom.xml" => Self::Pom,
            "gradle.lockfile" | "buildscript-gradle.lockfile" => Self::GradleLock,
            "build.gradle" | "build.gradle.kts" => Self::GradleBuild,
            name if name.ends_with("Packages.props") => Self::DotnetCentral,
            "Directory.Build.props" | "Directory.Build.targets" => Self::DotnetBuild,
            "packages.lock.json" => Self::NugetLock,
            "packages.config" => Self::NugetConfig,
            "composer.json" => Self::ComposerJson,
            "composer.lock" => Self::ComposerLock,
            "Gemfile" | "gems.rb" => Self::Gemfile,
            "Gemfile.lock" | "gems.locked" => Self::GemfileLock,
            ".mcp.json"
            | "mcp.json"
            | "mcp_config.json"
            | "mcp-config.json"
            | "mcp_settings.json"
            | "cline_mcp_settings.json"
            | "claude_desktop_config.json"
            | "opencode.json" => Self::McpConfig,
            "settings.json" if matches!(parent, ".gemini" | ".zed" | ".claude") => Self::McpConfig,
            "config.toml" if parent == ".codex" => Self::McpConfig,
            _ => return Self::by_ending(parent, name),
        })
    }

    fn by_ending(parent: &str, name: &str) -> Option<Self> {
        let (stem, ending) = name.rsplit_once('.')?;
        Some(match ending {
            "txt" | "in" | "pip" if stem.contains("requirements") || stem.ends_with("-reqs") => Self::Requirements,
            "txt" | "in" if parent == "requirements" && stem != "README" => Self::Requirements,
            "txt" if stem.starts_with("constraints") || stem.ends_with("constraints") => Self::Constraints,
            "yml" | "yaml" if stem.ends_with(".conda-lock") => Self::CondaLock,
            "yml" | "yaml" if stem.starts_with("environment-") || stem.starts_with("environment_") => {
                Self::CondaEnvironment
            }
            "lock" if stem.starts_with("conda-") => Self::CondaExplicit,
            "lockfile" if parent == "dependency-locks" => Self::GradleLock,
            "csproj" | "fsproj" | "vbproj" => Self::DotnetProject,
            "gemspec" => Self::Gemspec,
            "toml" if stem.ends_with(".versions") => Self::VersionCatalog,
            "toml" if stem.starts_with("pylock.") => Self::PyLock,
            _ => return None,
        })
    }

    /// The registry whose packages it names.
    pub const fn ecosystem(self) -> Option<Ecosystem> {
        Some(match self {
            Self::PackageJson
            | Self::PackageLock
            | Self::YarnLock
            | Self::PnpmLock
            | Self::BunLock
            | Self::BunLockBinary => Ecosystem::Npm,
            Self::Requirements
            | Self::Constraints
            | Self::Pyproject
            | Self::SetupCfg
            | Self::SetupPy
            | Self::Pipfile
            | Self::PipfileLock
            | Self::PoetryLock
            | Self::PdmLock
            | Self::UvLock
            | Self::PyLock => Ecosystem::PyPI,
            Self::CondaEnvironment | Self::CondaLock | Self::CondaExplicit => Ecosystem::Conda,
            Self::CargoToml | Self::CargoLock => Ecosystem::Cargo,
            Self::GoMod | Self::GoSum => Ecosystem::Go,
            Self::Pom | Self::GradleLock | Self::GradleBuild | Self::VersionCatalog => Ecosystem::Maven,
            Self::DotnetProject | Self::DotnetBuild | Self::DotnetCentral | Self::NugetLock | Self::NugetConfig => {
                Ecosystem::NuGet
            }
            Self::ComposerJson | Self::ComposerLock => Ecosystem::Composer,
            Self::Gemfile | Self::GemfileLock | Self::Gemspec => Ecosystem::RubyGems,
            Self::McpConfig => return None,
        })
    }

    /// What it says about versions.
    pub const fn role(self) -> Role {
        match self {
            Self::PackageLock
            | Self::YarnLock
            | Self::PnpmLock
            | Self::BunLock
            | Self::BunLockBinary
            | Self::PipfileLock
            | Self::PoetryLock
            | Self::PdmLock
            | Self::UvLock
            | Self::PyLock
            | Self::CondaLock
            | Self::CondaExplicit
            | Self::CargoLock
            | Self::GradleLock
            | Self::NugetLock
            | Self::ComposerLock
            | Self::GemfileLock => Role::Lock,
            Self::GoSum | Self::DotnetCentral | Self::Constraints | Self::VersionCatalog | Self::McpConfig => {
                Role::Support
            }
            _ => Role::Manifest,
        }
    }
}
