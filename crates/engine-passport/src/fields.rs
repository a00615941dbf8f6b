//! The fields: their order at the top, and the ones whose origin is kept.

/// The 36 fields of a passport, in their order.
pub const TOP_LEVEL: [&str; 36] = [
    "passport_version",
    "agent_id",
    "name",
    "display_name",
    "description",
    "version",
    "created",
    "updated",
    "owner",
    "provider",
    "role",
    "type",
    "autonomy_level",
    "autonomy_evidence",
    "intended_purpose",
    "domain",
    "affected_persons",
    "framework",
    "model",
    "source_files",
    "endpoints",
    "interop",
    "permissions",
    "constraints",
    "data",
    "compliance",
    "oversight",
    "disclosure",
    "logging",
    "security",
    "evaluation",
    "supply_chain",
    "jurisdictions",
    "lifecycle",
    "provenance",
    "signature",
];

/// Fields that only the engine writes. Nobody overrides them.
pub(crate) const MECHANICAL: [&str; 6] = [
    "passport_version",
    "agent_id",
    "created",
    "updated",
    "provenance",
    "signature",
];

/// A field whose origin is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its dotted path.
    pub path: &'static str,
    /// Whether a passport without it is incomplete.
    pub required: bool,
    /// Whether code can tell it.
    pub from_code: bool,
    /// Whether a difference between passport and code is worth telling.
    pub drifts: bool,
}

const fn seen(path: &'static str) -> Field {
    Field {
        path,
        required: true,
        from_code: true,
        drifts: true,
    }
}

/// Told by code, and not asked for: a list of places, or a detail of another field.
const fn detail(path: &'static str, drifts: bool) -> Field {
    Field {
        path,
        required: false,
        from_code: true,
        drifts,
    }
}

/// Only a person can say it.
const fn asked(path: &'static str) -> Field {
    Field {
        path,
        required: true,
        from_code: false,
        drifts: false,
    }
}

/// Only a person can say it, and need not.
const fn offered(path: &'static str) -> Field {
    Field {
        path,
        required: false,
        from_code: false,
        drifts: false,
    }
}

/// Every field whose origin is kept, in the order of the passport.
pub const FIELDS: &[Field] = &[
    detail("name", false),
    offered("display_name"),
    asked("description"),
    asked("version"),
    asked("owner.organization"),
    offered("owner.team"),
    asked("owner.contact"),
    asked("provider.organization"),
    offered("provider.url"),
    asked("role"),
    seen("type"),
    seen("autonomy_level"),
    detail("autonomy_evidence", false),
    asked("intended_purpose"),
    asked("domain"),
    asked("affected_persons"),
    seen("framework.name"),
    detail("framework.packages", true),
    seen("model.provider"),
    seen("model.name"),
    detail("model.pinned", true),
    detail("model.used", true),
    seen("source_files"),
    seen("endpoints"),
    detail("interop.mcp_servers", true),
    seen("permissions.tools"),
    detail("permissions.data_access", true),
    detail("permissions.hosts", true),
    asked("constraints.limits"),
    offered("constraints.human_approval"),
    offered("constraints.approval_required"),
    offered("constraints.denied"),
    seen("data.inputs"),
    detail("data.datasets", true),
    asked("data.personal_data"),
    asked("data.retention"),
    asked("compliance.eu_ai_act.risk_class"),
    detail("compliance.eu_ai_act.risk_basis", false),
    detail("compliance.eu_ai_act.observed_class", false),
    detail("compliance.eu_ai_act.role_basis", false),
    detail("compliance.eu_ai_act.system", false),
    detail("compliance.eu_ai_act.obligations", true),
    detail("compliance.eu_ai_act.obligations_basis", false),
    detail("compliance.eu_ai_act.open_questions", false),
    seen("oversight.human_approval"),
    detail("oversight.evidence", false),
    asked("oversight.responsible"),
    seen("disclosure.informed"),
    detail("disclosure.evidence", false),
    seen("logging.interactions"),
    asked("logging.retention"),
    seen("security.error_handling"),
    asked("security.contact"),
    asked("evaluation.last_run"),
    offered("evaluation.score"),
    detail("supply_chain.packages", true),
    asked("jurisdictions"),
    asked("lifecycle.status"),
    asked("lifecycle.review_due"),
    offered("lifecycle.deployed"),
];

/// The field of a path, where its origin is kept.
pub(crate) fn field(path: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.path == path)
}
