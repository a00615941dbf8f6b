//! Statements of files about the product, for comparison between layers.

use serde::{Deserialize, Serialize};

/// A statement of a file about the product, with its line.
///
/// A statement is a claim, not a fact: checks compare the claim with the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Statement {
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// The kind of statement.
    pub kind: StatementKind,
    /// The named item: a model, a provider, a package with its version, a path; empty if there is none.
    pub value: String,
    /// Days, where a period is stated.
    pub days: Option<u32>,
}

/// Kinds of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StatementKind {
    /// A text says that every interaction with the model is recorded.
    Logging,
    /// A text states the retention period of logs.
    LogRetention,
    /// A text names a model.
    Model,
    /// A text names the provider of a model.
    Provider,
    /// A text names a provider of models, in a sentence that may be about the past or about others.
    Mention,
    /// A text names a package with its version.
    PackageVersion,
    /// A text says that a person approves before something happens.
    Approval,
    /// A text says that an evaluation runs with each change or release.
    EvaluationInPipeline,
    /// A text says that no personal data is processed.
    NoPersonalData,
    /// A text calls the risk of the system minimal or limited.
    MinimalRisk,
    /// A text says that no AI is used.
    NoAi,
    /// A text says that people are informed about the AI.
    AiNotice,
    /// A list of suppliers or processors begins.
    SupplierList,
    /// A text describes the response to an incident; the value is the part: `procedure`, `report` or `suspend`.
    Incident,
    /// A text states which changes of the model or the system require a new assessment.
    ChangeRule,
    /// A name with a way to reach it: an imprint, a contact.
    Contact,
    /// A text says that the user interface is in another repository.
    FrontElsewhere,
    /// A person or organisation responsible for the product is named, possibly without contact details.
    Responsible,
    /// A text states how much computation a training took.
    Compute,
    /// A user interface: a page or component.
    Page,
    /// A user interface with a conversation.
    ChatInterface,
    /// A text of the interface names an AI; the value is the text.
    AiNamed,
    /// The default text of a component names an AI; the value is the text.
    AiNamedByDefault,
    /// The title or description of an API names an AI on its documentation page; the value is the text.
    ServiceNamesAi,
    /// A prompt of the product orders the model to hide that it is an AI; the value is the order.
    ConcealedAi,
    /// A part of a page that assistive technology announces.
    LiveRegion,
    /// A field without a name for assistive technology.
    UnlabelledField,
    /// A page that does not name its language.
    PageWithoutLanguage,
    /// A CE marking in the interface.
    CeMarking,
    /// A step of a pipeline that tests accessibility.
    AccessibilityTest,
    /// An evaluation in a pipeline that is switched off.
    EvaluationDisabled,
    /// A step of a pipeline that runs an evaluation kept in a file; the value is its path.
    EvaluationFile,
    /// A bill of materials; the value is its format.
    BillOfMaterials,
    /// An AI package or model that a bill of materials lists.
    Component,
    /// A configuration setting that switches the AI off.
    StopSwitch,
    /// Code that trains a language model; the value says how.
    Training,
    /// Code or a pipeline that publishes weights of a model.
    WeightsPublished,
    /// Code that counts the computation of a training.
    ComputeTracking,
    /// Code that evaluates or attacks a model with a harness.
    ModelEvaluation,
    /// Code that runs code of a model repository without naming its revision; the value is the repository.
    RemoteCode,
    /// Weights that are saved in a format which can run code when it is loaded.
    UnsafeWeights,
    /// Storage of weights with public read or write access.
    PublicStorage,
    /// Code names the address of an API; the value is its host.
    ServiceAddress,
    /// Code sends a request to a path that names an AI, at a server from configuration; the value is the path.
    AsksForAi,
    /// A text of the interface addresses people about their own CV or cover letter; the value is the text.
    OwnPaper,
    /// A text of the interface addresses people who select applicants; the value is the text.
    ChoosesPeople,
}
