//! Where the package runner is, where tools are installed, and what else the caller passes in.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use thiserror::Error;

use crate::process::{self, Ended, Limits};

/// The folder of the tools in the user's data directory.
const FOLDER: &str = "tools";

/// The file that is locked: shared while tools run, alone while they are installed.
const LOCK: &str = "lock";

/// Time for the version of the runner.
const VERSION_TIME: Duration = Duration::from_secs(20);

/// What the caller passes in; this crate reads no environment.
#[derive(Clone, Default)]
pub struct Place {
    /// The user's data directory; none where the system names none.
    pub data_dir: Option<PathBuf>,
    /// The setting `UV`: the runner, by path or name. Empty or wrong: there is no runner.
    pub runner: Option<OsString>,
    /// The setting `PATH`.
    pub search: Option<OsString>,
    /// Settings of the network and of uv that an installation needs: proxies, certificates, package index.
    pub network: Vec<(OsString, OsString)>,
    /// A shorter time than the usual for one run of a tool.
    pub time_max: Option<Duration>,
}

impl std::fmt::Debug for Place {
    // An index or a proxy may name a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place")
            .field("data_dir", &self.data_dir)
            .field("runner", &self.runner)
            .field("network", &self.network.len())
            .field("time_max", &self.time_max)
            .finish_non_exhaustive()
    }
}

/// Why tools cannot be used or installed.
#[derive(Debug, Error)]
pub enum ToolsError {
    /// The user has no data directory.
    #[error("no data directory found for the external tools; set ENGINE_DATA_DIR to a folder")]
    NoFolder,
    /// Another process installs tools, or tools are running.
    #[error("the external tools are in use by another scan or update; try again when it has finished")]
    InUse,
    /// The disk refused.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// Path of the file or folder.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

/// Why there is no package runner.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct NoRunner {
    /// What is wrong and what to do next.
    pub reason: String,
}

/// The package runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    /// Its program.
    pub path: PathBuf,
    /// Its version.
    pub version: String,
}

/// The hosts that uv uses where no index is set.
const INDEX_HOSTS: [&str; 2] = ["files.pythonhosted.org:443", "pypi.org:443"];

/// Variables that name a proxy, the deciding one first.
const PROXIES: [&str; 6] = [
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "HTTP_PROXY",
    "http_proxy",
];

/// Variables that an installation may need from the environment of the engine. A run of a tool gets none of them.
pub const NETWORK_VARIABLES: [&str; 26] = [
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "UV_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_OFFLINE",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
    "UV_HTTP_TIMEOUT",
    "UV_PYTHON",
    "UV_PYTHON_PREFERENCE",
    "UV_PYTHON_INSTALL_DIR",
    "HOME",
    "XDG_DATA_HOME",
    "APPDATA",
    "LOCALAPPDATA",
];

/// How the runner is installed.
const HOW: &str = "install it, for example with `pipx install uv` or `pip install uv`, and start the engine again with uv on PATH or with UV set to its path";

/// A lock on the installed tools; dropped, it is released.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "held for its lock")] File);

impl Place {
    /// The folder of all tools.
    ///
    /// # Errors
    ///
    /// [`ToolsError::NoFolder`].
    pub fn folder(&self) -> Result<PathBuf, ToolsError> {
        let data_dir = self.data_dir.as_ref().ok_or(ToolsError::NoFolder)?;
        Ok(data_dir.join(FOLDER))
    }

    /// Finds the package runner and asks it for its version.
    ///
    /// # Errors
    ///
    /// Why there is none, and how to install it.
    pub fn runner(&self) -> Result<Runner, NoRunner> {
        let missing = |reason: String| NoRunner { reason };
        let path = match &self.runner {
            Some(given) => {
                let path = PathBuf::from(given);
                let found = if path.components().count() > 1 {
                    Some(path).filter(|path| is_program(path))
                } else {
                    self.on_path(given)
                };
                found.ok_or_else(|| {
                    missing(format!(
                        "the setting UV names no program, so the package runner uv cannot be used; {HOW}"
                    ))
                })?
            }
            None => self
                .on_path(&OsString::from("uv"))
                .ok_or_else(|| missing(format!("the package runner uv was not found; {HOW}")))?,
        };
        let mut command = Command::new(&path);
        command.arg("--version").env_clear().current_dir(std::env::temp_dir());
        keep_system(&mut command);
        let limits = Limits {
            time: VERSION_TIME,
            output: 4096,
        };
        let ran = process::run(&mut command, limits, &|| false);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        let version = text.trim().strip_prefix("uv ").and_then(|rest| rest.split(' ').next());
        match (&ran.ended, version) {
            (Ended::Exited(0), Some(version)) if version.starts_with(|c: char| c.is_ascii_digit()) => Ok(Runner {
                path,
                version: version.chars().take(40).collect(),
            }),
            _ => Err(missing(format!(
                "`{}` does not answer as the package runner uv; {HOW}",
                path.display()
            ))),
        }
    }

    /// Hosts that an installation connects to, as far as they are known before: the package index with its file host, and a
    /// proxy. Another index may name further hosts for its files.
    pub fn destinations(&self) -> Vec<String> {
        let set = |names: &[&str]| {
            names.iter().find_map(|wanted| {
                let (_, value) = self.network.iter().find(|(name, _)| name == wanted)?;
                value.to_str().filter(|value| !value.is_empty())
            })
        };
        let mut out: Vec<String> = Vec::new();
        out.extend(set(&PROXIES).and_then(host_and_port));
        match set(&["UV_DEFAULT_INDEX", "UV_INDEX_URL"]) {
            Some(index) => out.extend(host_and_port(index)),
            None => out.extend(INDEX_HOSTS.map(str::to_owned)),
        }
        for more in [set(&["UV_INDEX"]), set(&["UV_EXTRA_INDEX_URL"])].into_iter().flatten() {
            out.extend(more.split_whitespace().filter_map(host_and_port));
        }
        out.sort();
        out.dedup();
        out
    }

    fn on_path(&self, name: &OsString) -> Option<PathBuf> {
        if name.is_empty() {
            return None;
        }
        let mut file = name.clone();
        file.push(std::env::consts::EXE_SUFFIX);
        std::env::split_paths(self.search.as_ref()?)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&file))
            .find(|path| is_program(path))
    }

    /// Locks the tools while they run.
    ///
    /// # Errors
    ///
    /// [`ToolsError::InUse`] during an update.
    pub fn lock_for_run(&self) -> Result<Option<Lock>, ToolsError> {
        let folder = self.folder()?;
        if !folder.is_dir() {
            return Ok(None);
        }
        let file = open_lock(&folder)?;
        locked(file.try_lock_shared(), &folder).map(|()| Some(Lock(file)))
    }

    /// Locks the tools while they are installed, in a folder that is made for it.
    pub(crate) fn lock_for_update(&self) -> Result<(PathBuf, Lock), ToolsError> {
        let folder = self.folder()?;
        make_folder(&folder)?;
        let file = open_lock(&folder)?;
        locked(file.try_lock(), &folder)?;
        Ok((folder, Lock(file)))
    }
}

/// Host and port of an address, without user, password and path. `name=address` is an index with a name.
fn host_and_port(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let default = if scheme.ends_with("http") { 80 } else { 443 };
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    if host.is_empty() {
        return None;
    }
    let has_port = host
        .rsplit_once(':')
        .is_some_and(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    Some(if has_port {
        host.to_owned()
    } else {
        format!("{host}:{default}")
    })
}

fn open_lock(folder: &Path) -> Result<File, ToolsError> {
    let path = folder.join(LOCK);
    let opened = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    opened.map_err(|source| ToolsError::Io { path, source })
}

fn locked(result: Result<(), TryLockError>, folder: &Path) -> Result<(), ToolsError> {
    match result {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(ToolsError::InUse),
        Err(TryLockError::Error(source)) => Err(ToolsError::Io {
            path: folder.join(LOCK),
            source,
        }),
    }
}

/// Makes a folder that only its owner can use.
pub(crate) fn make_folder(path: &Path) -> Result<(), ToolsError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path).map_err(|source| ToolsError::Io {
        path: path.to_path_buf(),
        source,
    })
}

/// Whether a file can be started.
pub(crate) fn is_program(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

/// Windows programs do not start without the folder of the system.
pub(crate) fn keep_system(command: &mut Command) {
    #[cfg(windows)]
    for name in ["SYSTEMROOT", "TEMP", "TMP"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    #[cfg(not(windows))]
    {
        let _ = command;
    }
}
