//! The tables that a template can show.

use engine_messages::Messages;

use crate::names::names;

/// Rows of most tables that a document shows; further ones are counted.
pub(crate) const ROWS_MAX: usize = 50;

names! {
    /// A table from the inventory or the law data.
    TableName {
        /// Calls to models.
        Calls => "calls";
        /// Models that are named.
        Models => "models";
        /// Providers of models.
        Providers => "providers";
        /// Hosted AI services.
        Services => "services";
        /// AI packages.
        Packages => "packages";
        /// Data sets.
        Datasets => "datasets";
        /// Files with model weights.
        ModelFiles => "model-files";
        /// Prompts kept as files or long constants.
        Prompts => "prompts";
        /// Servers of the Model Context Protocol.
        McpServers => "mcp-servers";
        /// Sources of the data that is sent.
        DataSent => "data-sent";
        /// Destinations of the output.
        Effects => "effects";
        /// Tools that a model may call.
        Tools => "tools";
        /// Human approval per call.
        Approvals => "approvals";
        /// AI disclosure per call.
        Disclosures => "disclosures";
        /// Log per call.
        Logging => "logging";
        /// Error handling per call.
        ErrorHandling => "error-handling";
        /// Legally relevant kinds of AI.
        Capabilities => "capabilities";
        /// Open findings.
        Gaps => "gaps";
        /// Evidence found.
        Evidence => "evidence";
        /// Obligations of the system.
        Obligations => "obligations";
        /// Practices of Art. 5 with their answers.
        Practices => "practices";
        /// Categories of the last evaluation.
        Evaluations => "evaluations";
        /// Log retention settings.
        Retention => "retention";
        /// Other documents of the project.
        Documents => "documents";
        /// Controls of ISO/IEC 42001 with evidence.
        Controls => "controls";
    }
}

impl TableName {
    /// The headings of its columns.
    pub const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Calls => &["Place", "Provider", "Model", "Version pinned"],
            Self::Models => &["Model", "Provider", "Version pinned", "Places"],
            Self::Providers => &["Provider", "Places"],
            Self::Services => &["Provider", "Host", "Places"],
            Self::Packages => &["Package", "Version", "Registry", "Place"],
            Self::Datasets => &["Data set", "Place"],
            Self::ModelFiles => &["File", "Format", "Architecture", "Licence"],
            Self::Prompts => &["Prompt", "Place"],
            Self::McpServers => &["Server", "Transport", "Target", "Place"],
            Self::DataSent => &["Place", "Data sent to the model"],
            Self::Effects => &["Place", "Destination of the output"],
            Self::Tools => &["Tool", "Place"],
            Self::Approvals => &["Place", "Human approval"],
            Self::Disclosures => &["Place", "AI disclosure"],
            Self::Logging => &["Place", "Log"],
            Self::ErrorHandling => &["Place", "Error handling"],
            Self::Capabilities => &["Kind of AI", "Place"],
            Self::Gaps => &["Finding", "Place", "Severity", "Provision"],
            Self::Evidence => &["Evidence", "Kind", "Place", "Provision"],
            Self::Obligations => &["Provision", "Obligation", "Applies from", "Status"],
            Self::Practices => &["Practice", "Provision", "Answer", "Source"],
            Self::Evaluations => &["Category", "Score", "95 % interval"],
            Self::Retention => &["Setting", "Place"],
            Self::Documents => &["Document", "Place", "Required sections filled", "State"],
            Self::Controls => &["Control", "Title", "Evidence found"],
        }
    }

    /// Its first line in Markdown, in a language.
    pub(crate) fn head(self, messages: &Messages) -> String {
        let columns: Vec<&str> = self
            .columns()
            .iter()
            .map(|column| messages.column(column).unwrap_or(column))
            .collect();
        format!("> | {} |", columns.join(" | "))
    }

    /// Rows that a document shows; none for a list that would hide duties or choices if it ended early.
    pub(crate) const fn rows_max(self) -> usize {
        match self {
            Self::Obligations | Self::Practices | Self::Controls | Self::Evaluations => usize::MAX,
            _ => ROWS_MAX,
        }
    }

    /// Where the whole of a shortened list is in the result of a scan.
    pub(crate) const fn whole_list(self) -> &'static str {
        match self {
            Self::Gaps => "`findings`",
            Self::Evidence | Self::Retention => "`systems.obligations.evidence`",
            Self::Documents => "`documents`",
            Self::Models => "`inventory.models`",
            Self::Services => "`inventory.services`",
            Self::Packages => "`inventory.packages`",
            Self::Datasets => "`inventory.datasets`",
            Self::ModelFiles => "`inventory.modelFiles`",
            Self::Prompts => "`inventory.prompts`",
            Self::McpServers => "`inventory.mcpServers`",
            _ => "`inventory.calls`",
        }
    }

    /// Whether it can be limited to an article, as in `gaps:Art. 14`.
    pub const fn takes_article(self) -> bool {
        matches!(self, Self::Gaps | Self::Evidence)
    }
}
