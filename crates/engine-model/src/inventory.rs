//! The inventory: what was observed in code, manifests and configuration, from which everything else is derived.

use std::sync::Arc;

use jiff::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Date, Evidence, Location, Structure, Zone};

/// Everything that was observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inventory {
    /// One record per place that sends data to a model, builds a client, declares an agent or loads a model.
    pub calls: Vec<Call>,
    /// Packages named by manifests and lockfiles. A large tree has thousands, the same from one scan to the next, so results share them.
    pub packages: Arc<Vec<Package>>,
    /// Models named in code or configuration.
    pub models: Vec<ModelUse>,
    /// Data sets loaded or named.
    pub datasets: Vec<DataComponent>,
    /// Hosted services that are reached.
    pub services: Vec<Service>,
    /// Servers of the Model Context Protocol, declared or configured.
    pub mcp_servers: Vec<McpServer>,
    /// Prompts kept as files or long constants.
    pub prompts: Vec<Prompt>,
    /// Files that hold model weights.
    pub model_files: Vec<ModelFile>,
    /// Places that data flow connects and that matter to the law together.
    #[serde(default)]
    pub structures: Vec<Structure>,
}

/// What a place in code does with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// Sends data to a model.
    Call,
    /// Builds a client.
    Construct,
    /// Declares an agent, a chain or a tool.
    Declare,
    /// Loads a model into the process.
    ModelLoad,
    /// Serves the Model Context Protocol.
    McpServer,
}

/// The zone of a call; only `product` counts.
pub type CallZone = Zone;

/// What is done about a failing call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorHandling {
    /// Handled where it happens.
    Yes,
    /// Handed on to the caller in the language's own way (`?`, `return err`).
    Propagate,
    /// Nothing.
    #[default]
    No,
}

/// Whether the interaction is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Logging {
    /// Through a logger, a table or a tracing library.
    Yes,
    /// Printed to the console only.
    Console,
    /// Not at all.
    #[default]
    No,
}

/// Where the data that is sent comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sends {
    /// Text or data that a person gave: a request, a parameter of a handler, a prompt on the terminal.
    UserInput,
    /// The content of a file.
    File,
    /// A row of a database.
    Database,
    /// Text that stands in the code.
    Constant,
    /// It could not be told.
    Unknown,
}

/// What the answer of a model reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// A tool that the model may call.
    Tool,
    /// A shell, an interpreter, a process.
    Shell,
    /// A write to a database.
    Database,
    /// A mail or a message to a person.
    Mail,
    /// A page or reply shown to a person.
    Page,
    /// A branch of the program: the answer decides.
    Branch,
}

/// What kind of AI a place uses, where the law makes a difference of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Finds out who a person is among many by face, voice or body.
    BiometricIdentification,
    /// Confirms that a person is who they say they are.
    BiometricVerification,
    /// Makes a template of a face or a voice, from which people can be recognised.
    BiometricTemplate,
    /// Sorts people by face, voice or body, for instance by age or sex.
    BiometricCategorisation,
    /// Sorts people by a trait that Art. 5(1)(g) names, for instance race.
    SensitiveCategorisation,
    /// Infers emotions from face, voice or body. What reads moods from text alone is none.
    EmotionInference,
    /// Makes or changes pictures.
    ImageGeneration,
    /// Makes sounds or music.
    AudioGeneration,
    /// Makes or changes moving pictures.
    VideoGeneration,
    /// Reads texts aloud.
    TextToSpeech,
    /// Speaks with the voice of a given person.
    VoiceCloning,
    /// Puts one person's face or lips into another picture.
    FaceSwap,
    /// Makes people appear naked or in sexual acts.
    IntimateImagery,
    /// Writes down what is said.
    Transcription,
}

impl Capability {
    /// The words for a sentence: `the call <words>`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::BiometricIdentification => "identifies people among many",
            Self::BiometricVerification => "verifies who a person is",
            Self::BiometricTemplate => "makes a biometric template",
            Self::BiometricCategorisation => "sorts people by biometrics",
            Self::SensitiveCategorisation => "sorts people by a sensitive trait",
            Self::EmotionInference => "infers emotions",
            Self::ImageGeneration => "makes pictures",
            Self::AudioGeneration => "makes sound",
            Self::VideoGeneration => "makes video",
            Self::TextToSpeech => "reads aloud",
            Self::VoiceCloning => "clones a voice",
            Self::FaceSwap => "swaps a face",
            Self::IntimateImagery => "makes intimate imagery",
            Self::Transcription => "writes down speech",
        }
    }

    /// Whether the result is a picture, a sound or a video made by a machine.
    pub const fn is_media(self) -> bool {
        matches!(
            self,
            Self::ImageGeneration
                | Self::AudioGeneration
                | Self::VideoGeneration
                | Self::TextToSpeech
                | Self::VoiceCloning
                | Self::FaceSwap
                | Self::IntimateImagery
        )
    }

    /// Whether Art. 50(3) speaks of it.
    pub const fn exposes_people(self) -> bool {
        matches!(
            self,
            Self::EmotionInference | Self::BiometricCategorisation | Self::SensitiveCategorisation
        )
    }

    /// Whether Annex III point 1 may speak of it; the mere confirmation of an identity is left out there.
    pub const fn is_biometric(self) -> bool {
        matches!(
            self,
            Self::BiometricIdentification
                | Self::BiometricTemplate
                | Self::BiometricCategorisation
                | Self::SensitiveCategorisation
        )
    }
}

/// Something around a call that an article of the law speaks of, told by data flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    /// The answer is kept beside what names a worker or an applicant.
    WorkerRecord,
    /// The answer is kept beside what names a pupil or a student.
    PupilRecord,
    /// The answer is kept beside what names some other person.
    PersonRecord,
    /// What is sent comes from a camera of this machine.
    LiveCamera,
    /// What is sent comes from a camera that is reached over a network.
    RemoteCamera,
    /// What is sent comes from pictures that were collected from web pages.
    CrawledPages,
    /// The answer is added to a store of templates.
    FaceIndex,
    /// What is compared against is named for people who are searched for.
    WatchList,
    /// The filter of the generator is switched off.
    SafetyOff,
    /// A record of the call holds a time.
    LogTime,
    /// A record of the call names the reference database.
    LogDatabase,
    /// A record of the call holds what was compared.
    LogInput,
    /// A record of the call names the person who verified.
    LogVerifier,
    /// Two persons confirm before something happens.
    TwoPersons,
    /// People are told that emotions or traits are read.
    Notice,
    /// A page names the reading of emotions or traits, and speaks to nobody whose are read.
    NamedOnPage,
    /// A file of weights is read in a format that can run code.
    RunsCodeOnLoad,
    /// The answer is kept: in a row, in a file, or by whoever gets it as a reply in a tree that keeps rows.
    Kept,
    /// A person writes to the model and reads its answer.
    Conversation,
    /// People read that an AI answers.
    ToldOfAi,
    /// Nothing in the tree leads to the call: to its function, its class, its file, or to what keeps what it makes.
    Unreached,
    /// No text of the tree brings in the file of the call, while the program may load files by other names.
    Unimported,
    /// Only the one who runs the program can ask for it: a condition compares who asks with its owner.
    OwnerOnly,
    /// The library is brought in where it may be missing without harm.
    Optional,
    /// The function around the call is handed to something that runs it, or is a method that a library calls.
    HandedOver,
    /// The last place to which an answer is followed that is not seen to reach anybody.
    Lost,
    /// The name of the model is written there.
    ModelNamed,
    /// A command or an interpreter runs the answer there.
    RunsAnswer,
    /// Where the model fails, that is given back as if it had judged, the failure is swallowed, or its status is dealt with.
    FailureAnswered,
    /// What is read aloud is played on this machine at once, and handed to nobody.
    PlayedHere,
    /// A person's own act there decides whether the answer has an effect.
    Approved,
}

/// A [`TraceKind`] with the places that show it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// What it shows.
    pub kind: TraceKind,
    /// The places in the order of the data: the call first where it is part of the chain.
    pub chain: Vec<Evidence>,
}

/// One place in code that deals with a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1; in a notebook the line of the file.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Cell of a notebook, from 1 over all cells.
    pub cell: Option<u32>,
    /// What the place does.
    pub kind: CallKind,
    /// Who serves the model: `openai`, `anthropic`, `local`, `openai-compatible` and so on.
    pub provider: Option<String>,
    /// The library that is used; none for a bare HTTP request.
    pub sdk: Option<String>,
    /// The model's name, where it could be resolved.
    pub model: Option<String>,
    /// Whether the name fixes one version; `null` if the name is not known.
    pub model_pinned: Option<bool>,
    /// Where the data that is sent comes from.
    pub sends: Vec<Sends>,
    /// What is done about failure.
    pub error_handling: ErrorHandling,
    /// Whether the interaction is logged.
    pub logging: Logging,
    /// Whether a person approves before the answer has an effect; `null` if that could not be told.
    pub human_approval: Option<bool>,
    /// Whether the person on the other side is told that an AI answers; `null` if that could not be told.
    pub disclosure: Option<bool>,
    /// Where the text stands that tells them so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disclosure_at: Option<Location>,
    /// What the answer reaches.
    pub effects: Vec<Effect>,
    /// What kind of AI it is, where the law makes a difference of it.
    pub capabilities: Vec<Capability>,
    /// What data flow shows around the call, where an article of the law speaks of it.
    pub traces: Vec<Trace>,
    /// The system that the call belongs to; none outside product code.
    pub system: Option<String>,
    /// The part that the file plays; only `product` counts.
    pub zone: CallZone,
    /// The function or method around the call.
    pub function: Option<String>,
    /// The resolved path of what is called, such as `openai.OpenAI().responses.create`.
    pub symbol: String,
    /// The host that is reached, where it could be resolved and is not the library's own default.
    pub host: Option<String>,
    /// Names of tools that the model may call.
    pub tools: Vec<String>,
    /// How sure the record is, 0 to 100.
    pub confidence: u8,
}

impl Call {
    /// Whether the place uses this kind of AI.
    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether something in the tree may lead to the call; what nothing leads to raises no finding.
    pub fn runs(&self) -> bool {
        self.traced(TraceKind::Unreached).is_none()
    }

    /// Whether it goes to a service that speaks the protocol of another and whose address only the environment knows: whose days hold there
    /// is not told. A name with its maker in front of it is one of a router, which asks the maker.
    pub fn is_of_unknown_host(&self) -> bool {
        let routed = self.model.as_deref().is_some_and(|model| model.contains('/'));
        self.provider.as_deref() == Some("openai-compatible") && self.host.is_none() && !routed
    }

    /// What was observed of one kind around the call.
    pub fn traced(&self, kind: TraceKind) -> Option<&Trace> {
        self.traces.iter().find(|trace| trace.kind == kind)
    }
}

/// A package registry and its rules for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    /// Python packages.
    PyPI,
    /// Node packages.
    Npm,
    /// Rust crates.
    Cargo,
    /// Go modules.
    Go,
    /// Java packages, from Maven or Gradle files.
    Maven,
    /// .NET packages.
    NuGet,
    /// PHP packages.
    Composer,
    /// Ruby gems.
    RubyGems,
    /// Packages of conda channels.
    Conda,
}

impl Ecosystem {
    /// All of them, in a stable order.
    pub const ALL: [Self; 9] = [
        Self::PyPI,
        Self::Npm,
        Self::Cargo,
        Self::Go,
        Self::Maven,
        Self::NuGet,
        Self::Composer,
        Self::RubyGems,
        Self::Conda,
    ];

    /// The type in a package URL.
    pub const fn purl_type(self) -> &'static str {
        match self {
            Self::PyPI => "pypi",
            Self::Npm => "npm",
            Self::Cargo => "cargo",
            Self::Go => "golang",
            Self::Maven => "maven",
            Self::NuGet => "nuget",
            Self::Composer => "composer",
            Self::RubyGems => "gem",
            Self::Conda => "conda",
        }
    }
}

/// When a package is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DependencyScope {
    /// At run time.
    #[default]
    Required,
    /// At run time, if wanted.
    Optional,
    /// For building or testing only.
    Development,
    /// Expected from the one who uses the package.
    Peer,
    /// The file does not say.
    Unknown,
}

/// How a package came into the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DependencyRelation {
    /// Named by the project itself.
    Direct,
    /// Brought by another package.
    Transitive,
    /// The file does not say.
    #[default]
    Unknown,
}

/// A package that a manifest or lockfile names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Package {
    /// The registry.
    pub ecosystem: Ecosystem,
    /// The name as its registry spells it; for Maven `group:artifact`.
    pub name: String,
    /// The exact version, where the file fixes one.
    pub version: Option<String>,
    /// The requirement as written, where there is no exact version.
    pub requirement: Option<String>,
    /// When it is needed.
    pub scope: DependencyScope,
    /// How it came in.
    pub relation: DependencyRelation,
    /// The manifest or lockfile, relative to the project's root.
    pub file: String,
    /// Line of the entry, from 1, where known.
    pub line: Option<u32>,
    /// Package URL.
    pub purl: String,
    /// Licence expression, where the file has it.
    pub license: Option<String>,
    /// Digests as `algorithm:hex`, where the file has them.
    pub hashes: Vec<String>,
    /// Names (`name@version` where several versions are locked) of what it needs, where the file has the graph.
    pub dependencies: Vec<Dependency>,
    /// The kind of AI package in the catalogue, if it is one.
    pub ai_kind: Option<String>,
    /// The provider in the catalogue, if there is one.
    pub provider: Option<String>,
    /// The part that the manifest plays; only `product` counts.
    pub zone: Zone,
}

/// An arrow of the dependency graph inside one lockfile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Dependency {
    /// The name of the package that is needed.
    pub name: String,
    /// The version it resolves to, where the file says so.
    pub version: Option<String>,
}

/// A model that is named in code or configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelUse {
    /// The name as written.
    pub name: String,
    /// Who serves or made it.
    pub provider: Option<String>,
    /// The family in the catalogue.
    pub family: Option<String>,
    /// Whether the name fixes one version.
    pub pinned: Option<bool>,
    /// The date on which the provider retires it, where known.
    pub retired: Option<String>,
    /// Places, as `file:line`.
    pub occurrences: Vec<String>,
}

impl ModelUse {
    /// The date of its retirement, where that is past or less than a year away: a reason to act now.
    pub fn retirement(&self, as_of: Date) -> Option<Date> {
        let date: Date = self.retired.as_deref()?.parse().ok()?;
        (date <= as_of.saturating_add(Span::new().years(1))).then_some(date)
    }

    /// Whether it is past or less than three months away: a reason to act for every system.
    pub fn retires_soon(&self, as_of: Date) -> bool {
        self.retirement(as_of).is_some_and(|date| is_soon(date, as_of))
    }
}

/// Whether a day is past or less than three months away.
pub fn is_soon(date: Date, as_of: Date) -> bool {
    date <= as_of.saturating_add(Span::new().months(3))
}

/// Whether a day is past or a month away at most: whoever is told has to act now.
pub fn is_close(date: Date, as_of: Date) -> bool {
    date <= as_of.saturating_add(Span::new().months(1))
}

/// A data set that is loaded or named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataComponent {
    /// The name or path as written.
    pub name: String,
    /// Where it is named.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// A hosted service that is reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// Who runs it.
    pub provider: String,
    /// The host, where it is known.
    pub host: Option<String>,
    /// Places, as `file:line`.
    pub occurrences: Vec<String>,
}

/// A server of the Model Context Protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// `stdio`, `http`, `sse`, or `code` when this project implements it.
    pub transport: String,
    /// The command or address, without arguments that may hold secrets.
    pub target: Option<String>,
    /// Where it is declared.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// A prompt kept as a file or a long constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// Where it stands.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// The name of the constant or file.
    pub name: String,
    /// BLAKE3 of its text, in hex.
    pub digest: String,
}

/// A file that holds a model, told by its content; it is never loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelFile {
    /// Where it lies.
    pub file: String,
    /// The format told by its content, such as `pickle`, `pytorch`, `gguf` or `safetensors`.
    pub format: String,
    /// Length in bytes.
    pub bytes: u64,
    /// The part that the file plays; only `product` counts.
    pub zone: Option<Zone>,
    /// Version of the format, where it states one.
    pub version: Option<String>,
    /// The library that wrote it, where the content tells.
    pub framework: Option<String>,
    /// The name that the model gives itself.
    pub name: Option<String>,
    /// The architecture that it states.
    pub architecture: Option<String>,
    /// The licence that it states.
    pub license: Option<String>,
    /// The quantisation or the type of most of its tensors.
    pub quantization: Option<String>,
    /// The number of parameters, counted from the shapes of its tensors.
    pub parameters: Option<u64>,
    /// The number of tensors.
    pub tensors: Option<u64>,
    /// Whether it holds a model beyond doubt: serialised objects alone may be any data.
    pub is_model: bool,
    /// How much of it was read.
    pub read: ModelReading,
    /// BLAKE3 of the content in hex, where the whole file was read.
    pub digest: Option<String>,
    /// What it would import when loaded, in order, each once.
    pub imports: Vec<ModelImport>,
    /// Files beside it that it takes data from, as written.
    pub external: Vec<String>,
    /// What is wrong with it.
    pub problems: Vec<ModelFileProblem>,
}

/// How much of a model file was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelReading {
    /// All that decides what happens on loading; weights are passed over.
    #[default]
    Structure,
    /// A budget ended the reading, or the content is packed in a way that is not read.
    Part,
}

/// A name that a model file would import when it is loaded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelImport {
    /// The dotted path, such as `os.system`.
    pub name: String,
    /// What is known of it.
    pub kind: ModelImportKind,
    /// Whether it is called on loading, and not only named.
    pub called: bool,
    /// The member of the archive that holds it, if any.
    pub member: Option<String>,
}

/// What is known of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelImportKind {
    /// It can run code, or reach processes, files or the network.
    Dangerous,
    /// Nothing is known of it.
    Unknown,
    /// It rebuilds data and does nothing else, as far as known.
    Known,
}

/// Something that is wrong with a model file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelFileProblem {
    /// What kind of thing.
    pub kind: ModelFileProblemKind,
    /// What was observed, in a few words.
    pub message: String,
    /// The member of the archive, if any.
    pub member: Option<String>,
}

/// Kinds of problems of model files, the grave ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelFileProblemKind {
    /// It calls something that can run code when it is loaded.
    RunsCode,
    /// It imports something that can run code, or hides what it imports.
    ReachesCode,
    /// It reads or writes files beyond its own folder.
    ReachesFiles,
    /// It holds code that the framework runs on loading or on use.
    HoldsCode,
    /// The template of its chat reaches into the interpreter.
    HostileTemplate,
    /// It imports something of which nothing is known.
    UnknownImport,
    /// Part of it was not looked at.
    NotRead,
    /// Its content is of another format than its name says.
    WrongSuffix,
    /// It states lengths, offsets or checksums that are not true.
    Lying,
    /// It ends early or cannot be read as what it is.
    Broken,
}
