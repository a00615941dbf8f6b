//! The inventory of AI components in code, manifests and configuration; all results derive from it.

use std::sync::Arc;

use jiff::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Date, Evidence, Location, Structure, Zone};

/// All AI components that were found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inventory {
    /// One record per place that sends data to a model, builds a client, declares an agent or loads a model.
    pub calls: Vec<Call>,
    /// Packages named by manifests and lockfiles. Results of several scans share the list.
    pub packages: Arc<Vec<Package>>,
    /// Models named in code or configuration.
    pub models: Vec<ModelUse>,
    /// Data sets loaded or named.
    pub datasets: Vec<DataComponent>,
    /// Hosted AI services that are called.
    pub services: Vec<Service>,
    /// Servers of the Model Context Protocol, declared or configured.
    pub mcp_servers: Vec<McpServer>,
    /// Prompts kept as files or long constants.
    pub prompts: Vec<Prompt>,
    /// Files with model weights.
    pub model_files: Vec<ModelFile>,
    /// Places connected by data flow that are legally relevant together.
    #[serde(default)]
    pub structures: Vec<Structure>,
}

/// The kind of use of a model in code.
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

/// The error handling of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorHandling {
    /// Handled at the call site.
    Yes,
    /// Propagated to the caller (`?`, `return err`).
    Propagate,
    /// None found.
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
    /// No log found.
    #[default]
    No,
}

/// The source of the data that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sends {
    /// User input: a request, a parameter of a handler, a prompt on the terminal.
    UserInput,
    /// The content of a file.
    File,
    /// A row of a database.
    Database,
    /// Text in the code.
    Constant,
    /// Could not be determined.
    Unknown,
}

/// The destination of the output of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// A tool that the model may call.
    Tool,
    /// A shell, an interpreter, a process.
    Shell,
    /// A write to a database.
    Database,
    /// An email or a message to a person.
    Mail,
    /// A user interface or a reply to a person.
    Page,
    /// A branch of the program that depends on the output.
    Branch,
}

/// The kind of AI, if it is legally relevant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Identifies a person among many by face, voice or body.
    BiometricIdentification,
    /// Confirms the claimed identity of a person.
    BiometricVerification,
    /// Creates a biometric template of a face or a voice.
    BiometricTemplate,
    /// Categorises people by face, voice or body, for example by age or sex.
    BiometricCategorisation,
    /// Categorises people by a trait named in Art. 5(1)(g), for example race.
    SensitiveCategorisation,
    /// Infers emotions from face, voice or body. Sentiment analysis of text alone does not count.
    EmotionInference,
    /// Generates or alters images.
    ImageGeneration,
    /// Generates sound or music.
    AudioGeneration,
    /// Generates or alters video.
    VideoGeneration,
    /// Converts text to speech.
    TextToSpeech,
    /// Imitates the voice of a given person.
    VoiceCloning,
    /// Puts the face or lips of one person into another image.
    FaceSwap,
    /// Generates images of people naked or in sexual acts.
    IntimateImagery,
    /// Transcribes speech.
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

    /// Whether the result is a generated image, sound or video.
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

    /// Whether Art. 50(3) covers it.
    pub const fn exposes_people(self) -> bool {
        matches!(
            self,
            Self::EmotionInference | Self::BiometricCategorisation | Self::SensitiveCategorisation
        )
    }

    /// Whether Annex III point 1 can cover it; verification of a claimed identity is excluded there.
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

/// A legally relevant fact about a call, derived from data flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    /// The output is stored with data that identifies a worker or an applicant.
    WorkerRecord,
    /// The output is stored with data that identifies a pupil or a student.
    PupilRecord,
    /// The output is stored with data that identifies another person.
    PersonRecord,
    /// The input comes from a camera of this machine.
    LiveCamera,
    /// The input comes from a network camera.
    RemoteCamera,
    /// The input comes from images collected from web pages.
    CrawledPages,
    /// The output is added to a store of biometric templates.
    FaceIndex,
    /// The name of the reference data indicates a watch list.
    WatchList,
    /// The safety filter of the generator is switched off.
    SafetyOff,
    /// A log of the call contains a time.
    LogTime,
    /// A log of the call names the reference database.
    LogDatabase,
    /// A log of the call contains the compared input.
    LogInput,
    /// A log of the call names the person who verified the result.
    LogVerifier,
    /// Two persons must confirm before an action.
    TwoPersons,
    /// People are informed that emotions or traits are inferred.
    Notice,
    /// A page mentions the inference of emotions or traits, but does not address the affected people.
    NamedOnPage,
    /// Weights are loaded in a format that can run code.
    RunsCodeOnLoad,
    /// The output is stored: in a database, in a file, or by the receiver of the reply.
    Kept,
    /// A person writes to the model and reads its output.
    Conversation,
    /// An AI disclosure is shown to people.
    ToldOfAi,
    /// The call is dead code: nothing in the project leads to its function, its class, its file or the holder of its result.
    Unreached,
    /// No file imports the file of the call, but the program may load files dynamically.
    Unimported,
    /// Only the operator of the program can trigger the call: a condition compares the user with the owner.
    OwnerOnly,
    /// The import of the library is optional.
    Optional,
    /// The function around the call is a callback, or a method that a library calls.
    HandedOver,
    /// The last place to which the output could be traced.
    Lost,
    /// The place that names the model.
    ModelNamed,
    /// The place where a command or an interpreter runs the output.
    RunsAnswer,
    /// The place where a failure of the model is returned as a result, swallowed or handled.
    FailureAnswered,
    /// The generated speech is only played on this machine.
    PlayedHere,
    /// The place where an action of a person decides whether the output has an effect.
    Approved,
}

/// A [`TraceKind`] with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// The fact.
    pub kind: TraceKind,
    /// The places in the order of the data flow; the call comes first if it is part of the chain.
    pub chain: Vec<Evidence>,
}

/// One use of a model in code.
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
    /// The kind of use.
    pub kind: CallKind,
    /// The provider of the model: `openai`, `anthropic`, `local`, `openai-compatible` and so on.
    pub provider: Option<String>,
    /// The library; none for a direct HTTP request.
    pub sdk: Option<String>,
    /// The name of the model, if it could be resolved.
    pub model: Option<String>,
    /// Whether the name pins one version; `null` if the name is unknown.
    pub model_pinned: Option<bool>,
    /// The source of the data that is sent.
    pub sends: Vec<Sends>,
    /// The error handling.
    pub error_handling: ErrorHandling,
    /// Whether the interaction is logged.
    pub logging: Logging,
    /// Whether a person approves before the output has an effect; `null` if it could not be determined.
    pub human_approval: Option<bool>,
    /// Whether the user gets an AI disclosure; `null` if it could not be determined.
    pub disclosure: Option<bool>,
    /// The place of the AI disclosure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disclosure_at: Option<Location>,
    /// The destinations of the output.
    pub effects: Vec<Effect>,
    /// The kinds of AI, if legally relevant.
    pub capabilities: Vec<Capability>,
    /// Legally relevant facts about the call, derived from data flow.
    pub traces: Vec<Trace>,
    /// The system that the call belongs to; none outside product code.
    pub system: Option<String>,
    /// The zone of the file; only `product` counts.
    pub zone: CallZone,
    /// The function or method around the call.
    pub function: Option<String>,
    /// The resolved path of the called function, such as `openai.OpenAI().responses.create`.
    pub symbol: String,
    /// The host, if it could be resolved and is not the default of the library.
    pub host: Option<String>,
    /// Names of tools that the model may call.
    pub tools: Vec<String>,
    /// The confidence of the record, 0 to 100.
    pub confidence: u8,
}

impl Call {
    /// Whether the place uses this kind of AI.
    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether the call is reachable; dead code raises no finding.
    pub fn runs(&self) -> bool {
        self.traced(TraceKind::Unreached).is_none()
    }

    /// Whether the call uses the protocol of another provider at an address that only the environment knows, so that the provider and its
    /// retirement dates are unknown. A model name with a provider prefix belongs to a router, which calls that provider.
    pub fn is_of_unknown_host(&self) -> bool {
        let routed = self.model.as_deref().is_some_and(|model| model.contains('/'));
        self.provider.as_deref() == Some("openai-compatible") && self.host.is_none() && !routed
    }

    /// The trace of one kind, if there is one.
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

/// The scope in which a package is needed.
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
    /// Provided by the user of the package.
    Peer,
    /// The file does not state it.
    Unknown,
}

/// How a package came into the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DependencyRelation {
    /// Named by the project itself.
    Direct,
    /// Required by another package.
    Transitive,
    /// The file does not state it.
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
    /// How it came into the project.
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
    /// Names of its dependencies (`name@version` if several versions are locked), if the file contains the graph.
    pub dependencies: Vec<Dependency>,
    /// The kind of AI package in the catalogue, if it is one.
    pub ai_kind: Option<String>,
    /// The provider in the catalogue, if there is one.
    pub provider: Option<String>,
    /// The zone of the manifest; only `product` counts.
    pub zone: Zone,
}

/// An edge of the dependency graph in one lockfile.
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
    /// The provider or maker of the model.
    pub provider: Option<String>,
    /// The family in the catalogue.
    pub family: Option<String>,
    /// Whether the name pins one version.
    pub pinned: Option<bool>,
    /// The date on which the provider retires it, if known.
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

/// Whether a day is past or at most a month away: action is needed now.
pub fn is_close(date: Date, as_of: Date) -> bool {
    date <= as_of.saturating_add(Span::new().months(1))
}

/// A data set that is loaded or named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataComponent {
    /// The name or path as written.
    pub name: String,
    /// The file that names it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// A hosted AI service that is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// Its provider.
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
    /// The command or address, without arguments that may contain secrets.
    pub target: Option<String>,
    /// The file that declares it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// A prompt kept as a file or a long constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// Its file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// The name of the constant or file.
    pub name: String,
    /// BLAKE3 of its text, in hex.
    pub digest: String,
}

/// A model file, detected by its content; it is never loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelFile {
    /// Its path.
    pub file: String,
    /// The format of its content, such as `pickle`, `pytorch`, `gguf` or `safetensors`.
    pub format: String,
    /// Length in bytes.
    pub bytes: u64,
    /// The zone of the file; only `product` counts.
    pub zone: Option<Zone>,
    /// Version of the format, where it states one.
    pub version: Option<String>,
    /// The library that wrote it, if the content shows it.
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
    /// Whether it certainly contains a model; serialised objects alone may be any data.
    pub is_model: bool,
    /// How much of it was read.
    pub read: ModelReading,
    /// BLAKE3 of the content in hex, where the whole file was read.
    pub digest: Option<String>,
    /// Its imports on loading, in order, each once.
    pub imports: Vec<ModelImport>,
    /// External files that it reads data from, as written.
    pub external: Vec<String>,
    /// Its problems.
    pub problems: Vec<ModelFileProblem>,
}

/// How much of a model file was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelReading {
    /// Everything that determines its behaviour on loading; weights are skipped.
    #[default]
    Structure,
    /// Only a part: a limit was reached, or the content is packed in an unsupported way.
    Part,
}

/// A name that a model file would import when it is loaded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelImport {
    /// The dotted path, such as `os.system`.
    pub name: String,
    /// The risk of the import.
    pub kind: ModelImportKind,
    /// Whether it is called on loading, not only referenced.
    pub called: bool,
    /// The member of the archive that holds it, if any.
    pub member: Option<String>,
}

/// The risk of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelImportKind {
    /// It can run code, or access processes, files or the network.
    Dangerous,
    /// It is not in the catalogue.
    Unknown,
    /// It only rebuilds data, as far as known.
    Known,
}

/// A problem of a model file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelFileProblem {
    /// The kind of problem.
    pub kind: ModelFileProblemKind,
    /// The observation, in a few words.
    pub message: String,
    /// The member of the archive, if any.
    pub member: Option<String>,
}

/// Kinds of problems of model files, the most serious first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelFileProblemKind {
    /// It calls a function that can run code when it is loaded.
    RunsCode,
    /// It imports a function that can run code, or hides its imports.
    ReachesCode,
    /// It reads or writes files outside its own folder.
    ReachesFiles,
    /// It contains code that the framework runs on loading or on use.
    HoldsCode,
    /// Its chat template accesses the interpreter.
    HostileTemplate,
    /// It imports a function that is not in the catalogue.
    UnknownImport,
    /// A part of it was not examined.
    NotRead,
    /// The format of its content differs from its file name.
    WrongSuffix,
    /// It states wrong lengths, offsets or checksums.
    Lying,
    /// It is truncated or cannot be parsed.
    Broken,
}
