//! A system of which much is known, and one of which nothing is.

use engine_model::{
    Applies, Call, CallKind, Capability, DataComponent, Date, DependencyScope, Document, DocumentState, Ecosystem,
    Effect, ErrorHandling, Evidence, EvidenceKind, Finding, FindingType, Impact, Inventory, Logging, McpServer,
    ModelFile, ModelUse, ObligationRecord, ObligationStatus, Package, Prompt, Sends, Service, Severity, StatedAnswer,
    System, Zone,
};
use engine_passport::Document as Passport;
use engine_regulation::{JurisdictionRecord, regulation};
use serde_json::json;

use crate::{EvaluationCategory, EvaluationFacts, Facts, Industry, Request, RequestField};

/// Owned facts.
pub(super) struct Fixture {
    pub(super) as_of: Date,
    pub(super) system: System,
    pub(super) inventory: Inventory,
    pub(super) findings: Vec<Finding>,
    pub(super) documents: Vec<Document>,
    passport: Option<Passport>,
    evaluation: Option<EvaluationFacts>,
    jurisdiction: Option<JurisdictionRecord>,
}

impl Fixture {
    pub(super) fn facts(&self) -> Facts<'_> {
        Facts {
            as_of: self.as_of,
            law_version: &regulation().version().id,
            system: &self.system,
            systems: 1,
            inventory: &self.inventory,
            findings: &self.findings,
            documents: &self.documents,
            files_read: 42,
            passport: self
                .passport
                .as_ref()
                .map(|one| (one, ".compliance/passports/main.json")),
            evaluation: self.evaluation.as_ref(),
            jurisdiction: self.jurisdiction.as_ref(),
        }
    }
}

/// A system of which nothing but its name is known.
pub(super) fn bare() -> Fixture {
    Fixture {
        as_of: "2026-11-28".parse().unwrap(),
        system: System {
            id: "main".to_owned(),
            name: "Main".to_owned(),
            role: "unknown".to_owned(),
            risk_class: "unknown".to_owned(),
            ..System::default()
        },
        inventory: Inventory::default(),
        findings: Vec::new(),
        documents: Vec::new(),
        passport: None,
        evaluation: None,
        jurisdiction: None,
    }
}

/// A system of which everything is known, with hostile names in it.
pub(super) fn rich() -> Fixture {
    let answer = |question: &str, value: &str| StatedAnswer {
        question: question.to_owned(),
        scope: "system".to_owned(),
        value: vec![value.to_owned()],
        by: Some("A. Person".to_owned()),
        on: Some("2026-11-20".parse().unwrap()),
        status: "answered".to_owned(),
        line: 12,
        ..StatedAnswer::default()
    };
    let answers = engine_profile::questions()
        .iter()
        .map(|spec| {
            let value = spec.options().first().map_or_else(
                || match spec.id {
                    "placed-on-market" => "2026-03-01".to_owned(),
                    id => format!("Statement on {id} with <b>markup</b> and a | bar"),
                },
                |option| option.value.clone(),
            );
            answer(spec.id, &value)
        })
        .collect();
    let obligations = regulation()
        .obligations()
        .iter()
        .map(|obligation| ObligationRecord {
            obligation_id: obligation.id.clone(),
            article: obligation.citation(),
            title: obligation.title.clone(),
            applies_from: Some(obligation.applies_from),
            applies: if obligation.applies_from > "2026-11-28".parse::<Date>().unwrap() {
                Applies::Upcoming
            } else {
                Applies::Applies
            },
            certain_from: None,
            possible_starts: Vec::new(),
            because: String::new(),
            status: ObligationStatus::Evidenced,
            evidence: vec![Evidence {
                kind: EvidenceKind::Configuration,
                reference: "the log is kept for 200 days".to_owned(),
                file: Some("deploy/logging.yaml".to_owned()),
                line: Some(7),
                hash: None,
            }],
            question: None,
            question_id: None,
            asks_for_document: false,
        })
        .collect();
    let system = System {
        id: "main".to_owned(),
        name: "Reception <script>alert(1)</script>".to_owned(),
        scope: String::new(),
        role: "provider and deployer".to_owned(),
        role_basis: "stated by A. Person on 2026-11-20".to_owned(),
        risk_class: "high".to_owned(),
        risk_basis: "Annex III point 4(a); stated by A. Person on 2026-11-20".to_owned(),
        purpose: Some("It ranks applications.".to_owned()),
        obligations,
        answers,
        ..System::default()
    };
    let passport = json!({
        "passport_version": "1.0", "agent_id": "main", "name": "Reception", "description": "Ranks applications.",
        "version": "2.1", "owner": {"organization": "Brightwater Energy", "team": "HR", "contact": "hr@example.org"},
        "domain": "employment", "affected_persons": ["applicants"], "autonomy_level": 3,
        "framework": {"name": "langchain"}, "constraints": {"limits": ["200 calls a day"]},
        "oversight": {"responsible": "head of recruiting"}, "logging": {"retention": "200 days"},
        "data": {"personal_data": true, "retention": "6 months"},
        "endpoints": [{"name": "POST /rank"}], "security": {"contact": "security@example.org"},
        "provenance": {"fields": {
            "description": "answer", "version": "answer", "owner.organization": "answer", "owner.team": "answer",
            "owner.contact": "answer", "domain": "answer", "affected_persons": "answer", "autonomy_level": "code",
            "framework.name": "code", "constraints.limits": "answer", "oversight.responsible": "answer",
            "logging.retention": "answer", "data.personal_data": "answer", "data.retention": "answer",
            "endpoints": "code", "security.contact": "answer"
        }}
    });
    Fixture {
        system,
        inventory: inventory(),
        findings: vec![finding()],
        documents: vec![Document {
            file: "docs/oversight.md".to_owned(),
            kind: "human-oversight-plan".to_owned(),
            confidence: 90,
            sections: Vec::new(),
            completeness: 50,
            state: DocumentState::Partial,
            line: 1,
            draft: false,
            digest: String::new(),
            dates: Vec::new(),
        }],
        passport: Some(Passport::of(passport).unwrap()),
        evaluation: Some(EvaluationFacts {
            on: "2026-11-25".to_owned(),
            target: "http://127.0.0.1:8000/chat".to_owned(),
            score: Some(81.5),
            categories: vec![EvaluationCategory {
                name: "transparency".to_owned(),
                score: Some(90.0),
                interval: Some((82.1, 95.0)),
            }],
        }),
        jurisdiction: regulation()
            .jurisdiction("DE")
            .map(engine_regulation::Jurisdiction::record),
        ..bare()
    }
}

/// A statement in every field of the request for a document.
pub(super) fn full_request(kind: &str) -> Request {
    let mut request = Request {
        industry: (kind == "ai-usage-policy").then_some(Industry::Hr),
        ..Request::default()
    };
    for field in RequestField::of_document(kind) {
        request.state(*field, Some(&statement(field.name())), "2026-11-28".parse().unwrap());
    }
    request
}

fn statement(field: &str) -> String {
    match field {
        "organization" | "companyName" => "Brightwater Energy".to_owned(),
        "deploymentDate" => "2027-12-02".to_owned(),
        "contactEmail" => "works-council@example.org".to_owned(),
        _ => "Jo Example states this <b>here</b>.\n\n> and there".to_owned(),
    }
}

fn inventory() -> Inventory {
    let file = "api/rank.py".to_owned();
    Inventory {
        calls: (0..60)
            .map(|index| Call {
                file: format!("api/rank_{index:02}.py"),
                line: 10 + index,
                column: 1,
                cell: None,
                kind: CallKind::Call,
                provider: Some("openai".to_owned()),
                sdk: Some("openai".to_owned()),
                model: Some("gpt-4.1".to_owned()),
                model_pinned: Some(false),
                sends: vec![Sends::UserInput, Sends::Database],
                error_handling: ErrorHandling::Propagate,
                logging: Logging::Console,
                human_approval: Some(false),
                disclosure: None,
                disclosure_at: None,
                effects: vec![Effect::Page],
                capabilities: vec![Capability::EmotionInference, Capability::ImageGeneration],
                traces: Vec::new(),
                system: Some("main".to_owned()),
                zone: Zone::Product,
                function: None,
                symbol: "openai.OpenAI().responses.create".to_owned(),
                host: None,
                tools: vec!["send_mail|`rm`".to_owned()],
                confidence: 90,
            })
            .collect(),
        packages: vec![Package {
            ecosystem: Ecosystem::PyPI,
            name: "openai".to_owned(),
            version: Some("1.2.3".to_owned()),
            requirement: None,
            scope: DependencyScope::Required,
            relation: engine_model::DependencyRelation::Direct,
            file: "requirements.txt".to_owned(),
            line: Some(1),
            purl: "pkg:pypi/openai@1.2.3".to_owned(),
            license: None,
            hashes: Vec::new(),
            dependencies: Vec::new(),
            ai_kind: Some("client".to_owned()),
            provider: Some("openai".to_owned()),
            zone: Zone::Product,
        }]
        .into(),
        models: vec![ModelUse {
            name: "gpt-4.1".to_owned(),
            provider: Some("openai".to_owned()),
            family: None,
            pinned: Some(false),
            retired: None,
            occurrences: (0..9).map(|line| format!("{file}:{line}")).collect(),
        }],
        datasets: vec![DataComponent {
            name: "applications_2024.csv".to_owned(),
            file: file.clone(),
            line: 3,
        }],
        services: vec![Service {
            provider: "openai".to_owned(),
            host: Some("api.openai.com".to_owned()),
            occurrences: vec![format!("{file}:9")],
        }],
        mcp_servers: vec![McpServer {
            name: "files".to_owned(),
            transport: "stdio".to_owned(),
            target: Some("mcp-files".to_owned()),
            file: ".mcp.json".to_owned(),
            line: 4,
        }],
        prompts: vec![Prompt {
            file: "prompts/rank.txt".to_owned(),
            line: 1,
            name: "rank.txt".to_owned(),
            digest: String::new(),
        }],
        model_files: vec![ModelFile {
            file: "models/rank.safetensors".to_owned(),
            format: "safetensors".to_owned(),
            is_model: true,
            ..ModelFile::default()
        }],
        structures: Vec::new(),
    }
}

fn finding() -> Finding {
    Finding {
        id: "finding-1".to_owned(),
        check_id: "l4-unhandled-model-failure".to_owned(),
        obligation_id: Some("OBL-045".to_owned()),
        kind: FindingType::Fail,
        layer: engine_model::Layer::L4,
        severity: Severity::Medium,
        impact: Some(Impact::Breaks),
        confidence: 90,
        confidence_level: engine_model::ConfidenceLevel::High,
        title: "Model call without error handling".to_owned(),
        message: "no error handling".to_owned(),
        explanation: None,
        file: Some("api/rank.py".to_owned()),
        line: Some(9),
        column: None,
        end_line: None,
        end_column: None,
        cell: None,
        system: Some("main".to_owned()),
        evidence: Vec::new(),
        code_context: None,
        fix: None,
        fixable: false,
        suppressed: None,
        baseline: None,
    }
}
