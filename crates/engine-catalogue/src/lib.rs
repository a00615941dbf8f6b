//! The AI world as dated, sourced data: packages, hosts, request paths, models and agent configuration files.
//!
//! The rows live in `data/*.toml`, are embedded at compile time and parsed once. A lookup answers what a *name* is
//! known to be; whether code really calls it is for the scanner to find out. Every row states when and from which kind
//! of source it was written down, and every row is exercised by a table test with a match and a near miss.

mod agent_configs;
mod capabilities;
mod ecosystem;
mod glob;
mod hosts;
mod interfaces;
mod keys;
mod models;
mod origin;
mod packages;
mod providers;
mod rehearsals;
mod unread;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

pub use agent_configs::{AgentConfig, AgentConfigKind};
pub use capabilities::{
    Capabilities, CapabilityCall, CapabilityLabels, CapabilityModel, CapabilityRequest, DataSource, GeneratorFilter,
    NameKind, SourceKind, UnsafeLoad, fits, words_of,
};
pub use ecosystem::{ecosystem, normalize_name};
pub use engine_model::Ecosystem;
pub use hosts::{Host, HostKind, PathShape, RequestTarget};
pub use interfaces::Interface;
pub use keys::is_setting_of_a_model_service;
pub use models::{ModelInfo, ModelRow, Pinned, Replacement, pinned_shape};
pub use origin::{Origin, PersonTrait};
pub use packages::{Package, PackageKind};
pub use providers::Provider;
pub use rehearsals::rehearsal;
pub use unread::UnreadLanguage;

use agent_configs::AgentConfigs;
use hosts::Hosts;
use interfaces::Interfaces;
use models::Models;
use packages::Packages;
use providers::Providers;
use unread::Unread;

/// The edition of the data: the date of the last review and a counter for several editions on one day.
const VERSION: &str = "2026-11-20.1";

/// Everything the engine knows about AI packages, hosts, models and agent configuration files.
#[derive(Debug)]
pub struct Catalogue {
    packages: Packages,
    hosts: Hosts,
    interfaces: Interfaces,
    models: Models,
    agent_configs: AgentConfigs,
    providers: Providers,
    capabilities: Capabilities,
    unread: Unread,
    literals: Vec<String>,
}

/// The embedded catalogue, parsed on first use.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::load);
    &CATALOGUE
}

/// The edition of the catalogue, for instance `2026-11-20.1`; part of every cache key that depends on it.
pub fn version() -> &'static str {
    VERSION
}

/// Finds the package that `name` means in a manifest of `ecosystem`. See [`Catalogue::package`].
pub fn package(ecosystem: Ecosystem, name: &str) -> Option<&'static Package> {
    catalogue().package(ecosystem, name)
}

/// Finds the package an import belongs to. See [`Catalogue::package_by_import`].
pub fn package_by_import(ecosystem: Ecosystem, import_path: &str) -> Option<(&'static Package, bool)> {
    catalogue().package_by_import(ecosystem, import_path)
}

/// Finds the host of a URL or authority. See [`Catalogue::host`].
pub fn host(authority: &str) -> Option<&'static Host> {
    catalogue().host(authority)
}

/// Finds the protocol a request path gives away. See [`Catalogue::path_shape`].
pub fn path_shape(path: &str) -> Option<&'static PathShape> {
    catalogue().path_shape(path)
}

/// Judges a whole URL: host and path together. See [`Catalogue::request`].
pub fn request(url: &str) -> Option<RequestTarget<'static>> {
    catalogue().request(url)
}

/// Says who made a model and whether its name is pinned. See [`Catalogue::model`].
pub fn model(name: &str) -> Option<ModelInfo<'static>> {
    catalogue().model(name)
}

/// Recognises a configuration file of a coding agent or MCP client. See [`Catalogue::agent_config`].
pub fn agent_config(path: &str) -> Option<&'static AgentConfig> {
    catalogue().agent_config(path)
}

/// Finds the title of a provider id. See [`Catalogue::provider`].
pub fn provider(id: &str) -> Option<&'static Provider> {
    catalogue().provider(id)
}

/// All strings of which a file with an AI import, host or request path holds at least one.
pub fn literals() -> &'static [String] {
    catalogue().literals()
}

/// Whether a text may hold an AI import, host or request path. See [`Catalogue::may_mention_ai`].
pub fn may_mention_ai(text: &[u8]) -> bool {
    catalogue().may_mention_ai(text)
}

/// A ready automaton over [`literals`] that ignores ASCII case.
pub fn prefilter() -> &'static AhoCorasick {
    catalogue().prefilter()
}

/// Built when it is first asked for: the engine itself looks for more than these literals at once.
#[expect(
    clippy::expect_used,
    reason = "the literals are embedded data and a test builds the automaton"
)]
static PREFILTER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(&catalogue().literals)
        .expect("the literals of the catalogue fit into one automaton")
});

impl Catalogue {
    fn load() -> Self {
        let packages = Packages::load();
        let hosts = Hosts::load();
        let literals = literals_of(&packages, &hosts);
        let unread = Unread::load(hosts.literals());
        Self {
            packages,
            hosts,
            interfaces: Interfaces::load(),
            models: Models::load(),
            agent_configs: AgentConfigs::load(),
            providers: Providers::load(),
            capabilities: Capabilities::load(),
            unread,
            literals,
        }
    }

    /// The edition of the data.
    pub fn version(&self) -> &'static str {
        VERSION
    }

    /// Where each data file comes from and when it was reviewed.
    pub fn origins(&self) -> impl Iterator<Item = &Origin> {
        let single = [
            self.hosts.origin(),
            self.interfaces.origin(),
            self.models.origin(),
            self.agent_configs.origin(),
            self.providers.origin(),
            self.capabilities.origin(),
            self.unread.origin(),
        ];
        self.packages.origins().iter().chain(single)
    }

    /// The language of a file that is code and is not parsed.
    pub fn unread_language(&self, path: &str) -> Option<&UnreadLanguage> {
        self.unread.of_path(path)
    }

    /// The first line of a text in such a language that tells the use of a model, counted from 1, and what it names: a
    /// library that it brings in, or the address of a model service.
    pub fn first_told_unread<'a>(&'a self, language: &UnreadLanguage, text: &'a str) -> Option<(u32, &'a str)> {
        self.unread.first_told(language, text)
    }

    /// The host of a text that is the address of a model service, or its name alone where the name needs no more: what stands
    /// around it may be a secret.
    pub fn host_of_a_model_service<'a>(&self, text: &'a str) -> Option<&'a str> {
        unread::host_of_a_model_service(text)
    }

    /// What kinds of AI calls, requests, models and labels stand for.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// All packages, ecosystem by ecosystem, in file order.
    pub fn packages(&self) -> &[Package] {
        self.packages.rows()
    }

    /// All hosts in file order.
    pub fn hosts(&self) -> &[Host] {
        self.hosts.rows()
    }

    /// All request path fragments in file order.
    pub fn path_shapes(&self) -> &[PathShape] {
        self.hosts.shapes()
    }

    /// All model patterns in file order.
    pub fn models(&self) -> &[ModelRow] {
        self.models.rows()
    }

    /// What providers recommend instead of names that they retire, in file order.
    pub fn successors(&self) -> &[Replacement] {
        self.models.successors()
    }

    /// The dated snapshots of aliases, in file order.
    pub fn snapshots(&self) -> &[Replacement] {
        self.models.snapshots()
    }

    /// All agent configuration patterns in file order.
    pub fn agent_configs(&self) -> &[AgentConfig] {
        self.agent_configs.rows()
    }

    /// All providers in file order.
    pub fn providers(&self) -> &[Provider] {
        self.providers.rows()
    }

    /// Finds the package that `name` means in a manifest of `ecosystem`.
    ///
    /// Names are compared the way the registry compares them. A Go name may also be a package inside a module or carry
    /// a major version suffix; Maven names are `group:artifact`, with a Scala version suffix ignored. A package without a
    /// row of its own is found by the row of its namespace (`@ai-sdk/*`).
    pub fn package(&self, ecosystem: Ecosystem, name: &str) -> Option<&Package> {
        self.packages.by_name(ecosystem, name)
    }

    /// Finds the package an import belongs to: the longest known import root that ends on a segment border.
    ///
    /// The flag is true when the root is a generic word (`agents`, `ai`) that other packages use too; such a hit counts
    /// only when the manifest names the package or the calls have the shape of its interface.
    pub fn package_by_import(&self, ecosystem: Ecosystem, import_path: &str) -> Option<(&Package, bool)> {
        self.packages.by_import(ecosystem, import_path)
    }

    /// Finds the host of a URL or authority.
    ///
    /// Scheme, user information, path and a trailing dot are removed the way a browser would; interpolations such as
    /// `{region}` or `${region}` stand for some text without a dot. For a [`Host`] with `needs_path`, only a request
    /// whose path has a known shape is a model call.
    pub fn host(&self, authority: &str) -> Option<&Host> {
        self.hosts.host(authority)
    }

    /// Finds the protocol a request path gives away whatever the host: the longest fragment on segment borders.
    pub fn path_shape(&self, path: &str) -> Option<&PathShape> {
        self.hosts.path_shape(path)
    }

    /// Judges a whole URL, or a path alone: which provider it addresses and whether it is a model call.
    pub fn request(&self, url: &str) -> Option<RequestTarget<'_>> {
        self.hosts.request(url)
    }

    /// Says who made a model, which family it belongs to, and whether the name pins a version.
    ///
    /// Understands the forms in which names travel: gateway prefixes (`azure/gpt-4o`, `openai:gpt-4o`), Bedrock ids,
    /// Vertex versions, Ollama tags, Hugging Face repositories and model files.
    pub fn model(&self, name: &str) -> Option<ModelInfo<'_>> {
        self.models.model(name)
    }

    /// The interface of a provider over which a call goes, where the provider has switched it off or named the day.
    pub fn interface(&self, provider: &str, symbol: &str, host: Option<&str>) -> Option<&Interface> {
        self.interfaces.find(provider, symbol, host)
    }

    /// Recognises a configuration file of a coding agent or MCP client by its path in the project.
    pub fn agent_config(&self, path: &str) -> Option<&AgentConfig> {
        self.agent_configs.find(path)
    }

    /// Finds the title of a provider id such as `openai`.
    pub fn provider(&self, id: &str) -> Option<&Provider> {
        self.providers.find(id)
    }

    /// All strings of which a file with an AI import, host or request path holds at least one, sorted, in lower case.
    pub fn literals(&self) -> &[String] {
        &self.literals
    }

    /// The pieces of host names, ports and request paths that tell a model service by themselves, in lower case.
    pub fn address_literals(&self) -> Vec<String> {
        self.hosts.telling_literals()
    }

    /// The pieces of the names of general hosts, in lower case, with the paths and names of services of which one stands beside them where a
    /// request is a model call.
    pub fn general_host_literals(&self) -> Vec<(String, Vec<String>)> {
        self.hosts.general_literals()
    }

    /// A ready automaton over [`Catalogue::literals`] that ignores ASCII case.
    pub fn prefilter(&self) -> &AhoCorasick {
        &PREFILTER
    }

    /// Whether a text holds one of the [`Catalogue::literals`] as a word of its own.
    ///
    /// Many roots are short (`ort`, `mcp`), so a bare automaton hit inside another word says nothing. Linear in the
    /// text; a text without a hit needs no parsing to know that it imports nothing of the catalogue.
    pub fn may_mention_ai(&self, text: &[u8]) -> bool {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        PREFILTER.find_overlapping_iter(text).any(|hit| {
            let before = hit.start().checked_sub(1).and_then(|at| text.get(at));
            let inside_a_word = before.is_some_and(is_word) && text.get(hit.start()).is_some_and(is_word);
            // A literal that ends in an underscore is the beginning of many names (`langchain_`).
            let goes_on = text.get(hit.end()).is_some_and(is_word)
                && text.get(hit.end() - 1).is_some_and(u8::is_ascii_alphanumeric);
            !inside_a_word && !goes_on
        })
    }
}

fn literals_of(packages: &Packages, hosts: &Hosts) -> Vec<String> {
    let mut literals = packages.literals();
    literals.extend(hosts.literals());
    literals.sort_unstable();
    literals.dedup();
    literals
}

/// Parses one embedded data file.
#[expect(
    clippy::panic,
    reason = "the data is embedded and parsed in a test, so a mistake never ships"
)]
fn parse<T: serde::de::DeserializeOwned>(file: &str, packed: engine_embed::Packed) -> T {
    match engine_embed::from_toml(&packed.text()) {
        Ok(rows) => rows,
        Err(error) => panic!("the catalogue file `{file}` is malformed: {error}"),
    }
}
