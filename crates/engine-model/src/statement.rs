//! What files of a project say about the product, so that one layer can be held against another.

use serde::{Deserialize, Serialize};

/// One thing that a file says or shows about the product, with the line that does.
///
/// A statement is what is claimed, not what is so: whether code keeps the claim is for a check to compare.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Statement {
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// What is said.
    pub kind: StatementKind,
    /// What is named: a model, a provider, a package with its version, a path; empty where nothing is.
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
    /// A text says how long logs are kept.
    LogRetention,
    /// A text names a model.
    Model,
    /// A text names who serves a model.
    Provider,
    /// A text names who serves models, in a sentence that may be about the past or about others.
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
    /// A text says that people are told about the AI.
    AiNotice,
    /// A list of suppliers or processors begins.
    SupplierList,
    /// A text says what is done after an incident; the value tells which part: `procedure`, `report` or `suspend`.
    Incident,
    /// A text says which changes of the model or the system are assessed anew.
    ChangeRule,
    /// A name with a way to reach it: an imprint, a contact.
    Contact,
    /// A text says that what people see of the product is kept in another repository.
    FrontElsewhere,
    /// Somebody is named who is behind the product, be it without a way to reach them.
    Responsible,
    /// A text states how much computation a training took.
    Compute,
    /// A page or component that people see.
    Page,
    /// A page or component with a conversation.
    ChatInterface,
    /// A text of the interface names an AI; the value is the text.
    AiNamed,
    /// A text that a component shows where whoever uses it gives no other names an AI; the value is the text.
    AiNamedByDefault,
    /// The title or description of a service of programs names an AI, which the page with its documentation shows; the value is the text.
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
    /// A switch in configuration that turns the AI off.
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
    /// Storage of weights that everybody can read or write.
    PublicStorage,
    /// Code names the address of a service that programs call; the value is its host.
    ServiceAddress,
    /// Code sends a request to a path that names an AI, at a server whose address comes from outside; the value is the path.
    AsksForAi,
    /// A text of the interface speaks to those whose own CV or cover letter is read or written; the value is the text.
    OwnPaper,
    /// A text of the interface speaks to those who choose among applicants; the value is the text.
    ChoosesPeople,
}
