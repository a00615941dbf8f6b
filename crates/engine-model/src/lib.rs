//! The words of the engine: wire shapes, ids, error codes, source files, and how a check is declared.
//!
//! This crate does nothing: it opens no file, reads no clock and decides no question. Every other crate depends on it,
//! so that one idea has one type and one name on the wire.

mod action;
mod check;
mod document;
mod error;
mod event;
mod external;
mod finding;
mod gate;
mod inventory;
mod list_text;
mod nearest;
mod obligation;
mod outside;
mod read_at;
mod scan;
mod source;
mod statement;
mod status;
mod structure;
mod system;

pub use action::{Action, ActionKind, is_urgent};
pub use check::{Check, CheckContext, Example, Observation, ObservationBuilder, Outcome, Report};
pub use document::{
    Artefact, ArtefactKind, Document, DocumentDate, DocumentDateKind, DocumentSection, DocumentState, SecretPlace,
    SectionState,
};
pub use error::{ErrorBody, ErrorCode, Failure};
pub use event::{Event, EventBody};
pub use external::{ExternalFinding, ExternalToolResult, ToolRecord, ToolRunStatus};
pub use finding::{
    CodeContext, CodeLine, ConfidenceLevel, Evidence, EvidenceKind, Explanation, Finding, FindingType, Impact, Layer,
    Location, Severity, Suppression,
};
pub use gate::{
    BaselineEntry, BaselineReport, Baselined, GateResult, GateVerdict, SuppressionRecord, SuppressionSource,
    SuppressionStatus,
};
pub use inventory::{
    Call, CallKind, CallZone, Capability, DataComponent, Dependency, DependencyRelation, DependencyScope, Ecosystem,
    Effect, ErrorHandling, Inventory, Logging, McpServer, ModelFile, ModelFileProblem, ModelFileProblemKind,
    ModelImport, ModelImportKind, ModelReading, ModelUse, Package, Prompt, Sends, Service, Trace, TraceKind, is_close,
    is_soon,
};
pub use jiff::civil::Date;
pub use list_text::ListText;
pub use nearest::{closest, nearest};
pub use obligation::{Applies, ObligationRecord, ObligationStatus, PossibleStart, UpcomingObligation};
pub use outside::{QUOTED_CHARS_MAX, outside_text, printed_text, quoted};
pub use read_at::ReadAt;
pub use scan::{
    Agent, Applicability, AutonomyReason, AutonomySignal, CacheStats, CategoryScore, FrameworkScore, LayerDetail,
    LayerStatus, LineRange, ProfileRecord, ProfileStatus, ProjectObligation, ScanDiffResult, ScanResult, Score,
    ScoreCap, ScoreTerm, SkippedRecord, Summary, milliseconds, whole,
};
pub use source::{
    FileInfo, FixtureError, Language, MemoryTree, SkipReason, SkippedFile, SourceFile, SourceText, Zone, fixture,
};
pub use statement::{Statement, StatementKind};
pub use status::{EngineStatus, LastScan};
pub use structure::{PersonArea, StepRole, Structure, StructureKind, StructureStep};
pub use system::{
    EntryPoint, EntryPointKind, OpenQuestion, Question, QuestionOption, StatedAnswer, Suggestion, System, effect_of,
    open_questions,
};
