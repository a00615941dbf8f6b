//! Statements of files, and what makes none.

#[path = "../../../tests/growth.rs"]
mod growth;

use std::collections::BTreeSet;

use engine_model::{
    CheckContext, Date, FileInfo, Inventory, MemoryTree, Outcome, Report, SourceFile, Statement, StatementKind, System,
    fixture,
};
use proptest::prelude::*;

use self::growth::grows_with_length;
use crate::{CHECKS, join, read, trains_and_publishes, wants};

fn statements(tree: &MemoryTree) -> Vec<Statement> {
    let facts: Vec<_> = tree
        .files()
        .filter(|file| wants(&file.path, file.language, file.zone))
        .map(|file| (file.info(), read(&file)))
        .collect();
    join(&facts)
}

fn of(path: &str, text: &str) -> Vec<Statement> {
    let mut tree = MemoryTree::default();
    tree.insert(path, text);
    statements(&tree)
}

fn kinds(path: &str, text: &str) -> BTreeSet<StatementKind> {
    of(path, text)
        .into_iter()
        .filter(|statement| statement.kind != StatementKind::Mention)
        .map(|statement| statement.kind)
        .collect()
}

/// Sentences that make a statement, with the kind.
const PLAIN: &[(StatementKind, &str)] = &[
    (
        StatementKind::Approval,
        "Each refund is approved by two members of staff.",
    ),
    (
        StatementKind::Approval,
        "Human confirmation is required before a message is sent.",
    ),
    (
        StatementKind::Logging,
        "Every request and each answer is logged with its time.",
    ),
    (
        StatementKind::Logging,
        "The service records every prompt and the answer.",
    ),
    (
        StatementKind::Logging,
        "Jede Anfrage und jede Antwort wird mit Zeitpunkt protokolliert.",
    ),
    (StatementKind::LogRetention, "Logs are kept for 12 months."),
    (StatementKind::LogRetention, "We retain the audit log for 180 days."),
    (
        StatementKind::LogRetention,
        "Protokolle werden sechs Monate aufbewahrt.",
    ),
    (
        StatementKind::Approval,
        "A recruiter approves every letter before it is sent.",
    ),
    (
        StatementKind::Approval,
        "No mail leaves the house without approval by a person.",
    ),
    (
        StatementKind::Approval,
        "Jede Ablehnung wird von einem Mitarbeiter freigegeben.",
    ),
    (
        StatementKind::EvaluationInPipeline,
        "The model is evaluated on every release against 400 cases.",
    ),
    (
        StatementKind::EvaluationInPipeline,
        "The pipeline runs the evaluation and fails below 0.9.",
    ),
    (
        StatementKind::NoPersonalData,
        "No personal data is processed by the system.",
    ),
    (
        StatementKind::NoPersonalData,
        "The service does not process personal data.",
    ),
    (
        StatementKind::NoPersonalData,
        "Es werden keine personenbezogenen Daten verarbeitet.",
    ),
    (StatementKind::MinimalRisk, "The system is classified as minimal risk."),
    (StatementKind::MinimalRisk, "Risk class: minimal"),
    (StatementKind::NoAi, "No AI is used in this product."),
    (
        StatementKind::NoAi,
        "This service does not use any artificial intelligence.",
    ),
    (StatementKind::NoAi, "Wir verwenden keine KI."),
    (
        StatementKind::AiNotice,
        "Users are told above the chat that they write with an AI.",
    ),
    (
        StatementKind::ChangeRule,
        "A substantial modification is assessed again before its release.",
    ),
    (
        StatementKind::ChangeRule,
        "A change of the model is tested on 400 cases and approved by the owner.",
    ),
    (StatementKind::Compute, "Training took 3.2e21 FLOPs on 64 cards."),
    (
        StatementKind::CeMarking,
        "The CE marking is shown on the page about the product.",
    ),
    (StatementKind::Provider, "The text goes to Anthropic."),
    (StatementKind::Model, "The text goes to `gpt-4.1-2025-04-14`."),
    (StatementKind::PackageVersion, "The client is openai 1.30 on Python."),
];

/// Sentences that come near and make none of their kind.
const NEAR: &[(StatementKind, &str)] = &[
    (
        StatementKind::Approval,
        "Give tools the narrowest permissions that work, require human approval for irreversible actions, and log every action.",
    ),
    (
        StatementKind::Approval,
        "Manual approval before the second job is proxied by a reviewer of the environment.",
    ),
    (
        StatementKind::Approval,
        "Human oversight is proxied by approval before a job, not by human review of each decision.",
    ),
    (
        StatementKind::Approval,
        "A maintainer confirms every pull request before it is merged.",
    ),
    (StatementKind::Logging, "Not every request is logged."),
    (StatementKind::Logging, "Every request should be logged."),
    (StatementKind::Logging, "Describe how every request is logged."),
    (StatementKind::Logging, "Is every request logged?"),
    (StatementKind::Logging, "All HTTP requests are logged by the proxy."),
    (
        StatementKind::LogRetention,
        "Backups of the log server are kept for 14 days.",
    ),
    (StatementKind::LogRetention, "Applications are kept for 6 months."),
    (
        StatementKind::LogRetention,
        "Logs are kept for 14 days in the service and 12 months in the archive.",
    ),
    (
        StatementKind::LogRetention,
        "The law requires that logs are kept for 6 months.",
    ),
    (
        StatementKind::LogRetention,
        "Logs are kept for [number] months, at least 6 months.",
    ),
    (
        StatementKind::Approval,
        "Letters are sent without approval by a person.",
    ),
    (StatementKind::Approval, "A person could approve each letter."),
    (StatementKind::Approval, "Not every letter is approved by a person."),
    (StatementKind::Approval, "The manager approved the budget."),
    (
        StatementKind::EvaluationInPipeline,
        "The evaluation is planned for each release.",
    ),
    (StatementKind::EvaluationInPipeline, "The model was evaluated in March."),
    (StatementKind::NoPersonalData, "No personal data is used for training."),
    (
        StatementKind::NoPersonalData,
        "No personal data is written to the logs.",
    ),
    (
        StatementKind::NoPersonalData,
        "Personal data is processed on our servers.",
    ),
    (StatementKind::MinimalRisk, "The residual risk class is minimal risk."),
    (
        StatementKind::MinimalRisk,
        "The system is not classified as minimal risk.",
    ),
    (StatementKind::NoAi, "No AI is used to train on what customers write."),
    (StatementKind::NoAi, "This service does not use AI for billing."),
    (StatementKind::NoAi, "No AI experience is needed."),
    (StatementKind::AiNotice, "Users are not told that an AI answers."),
    (StatementKind::ChangeRule, "We will change the model soon."),
    (StatementKind::Compute, "It runs on 64 cards."),
    (StatementKind::CeMarking, "The CE marking is a mark of the Union."),
    (
        StatementKind::Provider,
        "The text was sent to Anthropic until the spring.",
    ),
    (StatementKind::Model, "It replaced `gpt-4.1-2025-04-14` in the spring."),
    (StatementKind::Model, "See section-4 of ISO-27001 and utf-8."),
    (StatementKind::PackageVersion, "See section 1.30 of the handbook."),
];

#[test]
fn plain_sentences_make_statement() {
    for (kind, text) in PLAIN {
        let found = kinds("docs/a.md", &format!("# Title\n\n{text}\n"));
        assert!(found.contains(kind), "{text}: {found:?}");
    }
}

#[test]
fn near_miss_sentences_make_no_statement() {
    for (kind, text) in NEAR {
        let found = kinds("docs/a.md", &format!("# Title\n\n{text}\n"));
        assert!(!found.contains(kind), "{text}: {found:?}");
    }
}

#[test]
fn periods_are_days_and_a_table_below_its_heading_is_read() {
    let found = of(
        "docs/logging.md",
        "# Logging\n\n## Retention of logs\n\n| Kind | Kept |\n| --- | --- |\n| Application log | 6 months |\n| Traces | two weeks |\n",
    );
    let days: Vec<_> = found
        .iter()
        .filter_map(|statement| Some((statement.line, statement.days?)))
        .collect();
    assert_eq!(days, [(7, 180), (8, 14)]);
}

#[test]
fn prompts_changelogs_tests_and_reports_make_no_statement() {
    let text = "# T\n\nNo AI is used in this product. Every request is logged.\n";
    for path in [
        "prompts/system.md",
        "CHANGELOG.md",
        "tests/data/a.md",
        "vendor/x/README.md",
        ".compliance/report.md",
        "COMPLIANCE.md",
        "blog/post.md",
        "examples/README.md",
    ] {
        assert_eq!(of(path, text), [], "{path}");
    }
    assert!(!of(".compliance/documents/log.md", text).is_empty());
    assert!(!of("README.md", text).is_empty());
}

#[test]
fn fields_pages_and_conversations_are_recognised_by_tags() {
    use StatementKind::{ChatInterface, Contact, LiveRegion, PageWithoutLanguage, UnlabelledField};
    let check = |path: &str, text: &str, expected: &[StatementKind]| {
        let mut found = kinds(path, text);
        found.remove(&StatementKind::Page);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{text}");
    };
    check("a.html", "<html><body><p>x</p></body></html>", &[PageWithoutLanguage]);
    check("a.html", "<html lang=\"de\"><body><p>x</p></body></html>", &[]);
    check(
        "a.html",
        "<html lang=\"de\"><p>Name <input type=\"text\"></p>",
        &[UnlabelledField],
    );
    check(
        "a.html",
        "<html lang=\"de\"><p><input type=\"text\" placeholder=\"Name\"></p>",
        &[],
    );
    check(
        "app/layout.tsx",
        "// The class of <html> is set here.\nconst a = <main><p>x</p></main>;",
        &[],
    );
    check(
        "app/layout.tsx",
        "const a = <html><body><p>x</p></body></html>;",
        &[PageWithoutLanguage],
    );
    check(
        "a.html",
        "<html lang=\"de\"><p><label>Name <input type=\"text\"></label></p>",
        &[],
    );
    check(
        "a.html",
        "<html lang=\"de\"><p><label for=\"n\">Name</label><input id=\"n\"></p>",
        &[],
    );
    check(
        "a.html",
        "<html lang=\"de\"><p><input type=\"hidden\"><input type=\"submit\"></p>",
        &[],
    );
    check(
        "a.html",
        "<html lang=\"de\"><!-- <textarea></textarea> --><p>x</p>",
        &[],
    );
    check("src/A.tsx", "const a = <div><textarea {...props} /></div>;", &[]);
    check(
        "src/A.tsx",
        "const a = <div><textarea aria-label=\"Message\" /></div>;",
        &[],
    );
    check(
        "src/A.tsx",
        "const a = <div>{messages.map((m) => <p key={m.id}>{m.text}</p>)}<textarea aria-label=\"Message\" /></div>;",
        &[ChatInterface],
    );
    check(
        "src/A.tsx",
        "const a = <div role=\"log\">{messages.map((m) => <p>{m.text}</p>)}<input aria-label=\"Message\" /></div>;",
        &[ChatInterface, LiveRegion],
    );
    check(
        "src/Prices.tsx",
        "const a = <div>{history.map((h) => <p key={h.id}>{h.price}</p>)}<input aria-label=\"Reason\" /></div>;",
        &[],
    );
    check(
        "src/Chat.tsx",
        "const a = <div>{history.map((h) => <p className={h.role}>{h.text}</p>)}<input aria-label=\"Message\" /></div>;",
        &[ChatInterface],
    );
    // A list of React Native is handed its entries.
    check(
        "src/App.tsx",
        "const a = <View><FlatList data={messages} renderItem={({ item }) => <Text style={item.sender === \"user\" ? me : it}>{item.text}</Text>} /><TextInput accessibilityLabel=\"Message\" /></View>;",
        &[ChatInterface],
    );
    check(
        "src/Log.tsx",
        "const a = <View><FlatList data={messages} renderItem={({ item }) => <Text>{item.text}</Text>} /></View>;",
        &[],
    );
    // A page of Blazor is named for a talk, or shows who says what.
    check(
        "Pages/ChatWithAI.razor",
        "@page \"/chatwithai\"\n<textarea @bind=\"input\"></textarea>\n<p>@answer</p>",
        &[ChatInterface],
    );
    check(
        "Pages/Talk.razor",
        "@page \"/talk\"\n@foreach (var m in messages)\n{\n  <p class=\"@m.Role\">@m.Content</p>\n}\n<input @bind=\"input\" />",
        &[ChatInterface],
    );
    check(
        "Pages/Orders.razor",
        "@page \"/orders\"\n@foreach (var m in orders)\n{\n  <p>@m.Name</p>\n}\n<input @bind=\"input\" />",
        &[],
    );
    check("Pages/ChatLog.razor", "@page \"/chat/log\"\n<p>@text</p>", &[]);
    // The field to write one stands in another component.
    check(
        "src/Messages.tsx",
        "const a = <div>{visibleMessages.map((m) => <p className={m.role === \"user\" ? \"me\" : \"it\"}>{m.text}</p>)}</div>;",
        &[ChatInterface],
    );
    check(
        "src/Errors.tsx",
        "const a = <div>{errorMessages.map((m) => <p key={m}>{m}</p>)}<input aria-label=\"Name\" /></div>;",
        &[],
    );
    check(
        "map.html",
        "<html><body><div class=\"map\"></div><script>draw()</script></body></html>",
        &[],
    );
    check(
        "index.html",
        "<html><body><div id=\"root\"></div></body></html>",
        &[PageWithoutLanguage],
    );
    check("src/A.tsx", "const f = (a: Array<input>) => a < b && c > d;", &[]);
    check(
        "src/Footer.tsx",
        "const a = <footer><a href=\"/imprint\">Imprint</a></footer>;",
        &[Contact],
    );
    check(
        "src/Footer.tsx",
        "const a = <footer><a href=\"/important\">News</a></footer>;",
        &[],
    );
    check(
        "src/Footer.tsx",
        "const a = <footer>\n<h3>Contact us</h3>\n<p>desk@brightwater.org</p></footer>;",
        &[Contact],
    );
    check(
        "src/People.tsx",
        "const a = <ul>\n<li>jo@brightwater.org</li></ul>;",
        &[],
    );
    check(
        "src/Help.tsx",
        "const a = <p>Contact desk@brightwater.org for questions.</p>;",
        &[Contact],
    );
    check(
        "src/Help.tsx",
        "const a = <p>Contact support@university.edu for questions, or mailto:you@example.com.</p>;",
        &[],
    );
}

#[test]
fn placeholder_address_is_no_contact() {
    let contact = |text: &str| of("README.md", text).iter().any(|s| s.kind == StatementKind::Contact);
    assert!(contact("# Tool\n\n## Contact\n\nMail desk@brightwater.org.\n"));
    assert!(contact("# Tool\n\n## Contact\n\nMail desk [at] brightwater.org.\n"));
    assert!(!contact(
        "# Tool\n\n## Contact\n\nMail desk@brightwater.org (if applicable).\n"
    ));
    assert!(!contact("# Tool\n\n## Contact\n\nMail your.email@brightwater.org.\n"));
    assert!(!contact(
        "# Tool\n\n## Contact\n\n[Add contact information here, desk@brightwater.org]\n"
    ));
}

#[test]
fn service_addresses_are_called_by_programs() {
    let hosts = |path: &str, text: &str| -> Vec<String> {
        let found = of(path, text).into_iter();
        found
            .filter(|s| s.kind == StatementKind::ServiceAddress)
            .map(|s| s.value)
            .collect()
    };
    assert_eq!(
        hosts("src/a.ts", "const url = env.URL || 'https://api.relay.ai';\n"),
        ["api.relay.ai"]
    );
    assert_eq!(hosts("a.go", "url := \"https://relay.ai/v1/answers\"\n"), ["relay.ai"]);
    assert!(
        hosts(
            "src/a.ts",
            "// 'https://api.relay.ai'\nopen('https://relay.ai/docs');\n"
        )
        .is_empty()
    );
    assert!(hosts("src/a.ts", "fetch('http://localhost:3000/api/chat');\n").is_empty());
}

/// The places that a check reports for a page and more files around it, with one system.
fn gaps(id: &str, tree: &str) -> Vec<String> {
    let tree = fixture(tree).unwrap();
    let files: Vec<FileInfo> = tree.files().map(|file| file.info()).collect();
    let statements = statements(&tree);
    let systems = [System {
        id: "app".to_owned(),
        name: "app".to_owned(),
        scope: String::new(),
        entry_points: Vec::new(),
        providers: Vec::new(),
        models: Vec::new(),
        role: "unknown".to_owned(),
        role_basis: String::new(),
        risk_class: "unknown".to_owned(),
        risk_basis: String::new(),
        questions: Vec::new(),
        obligations: Vec::new(),
        files: vec!["app.py".to_owned()],
        ..System::default()
    }];
    let context = CheckContext {
        as_of: Date::constant(2027, 12, 2),
        files: &files,
        manifests: &[],
        inventory: &Inventory::default(),
        systems: &systems,
        documents: &[],
        artefacts: &[],
        secrets: &[],
        statements: &statements,
        unimported: &BTreeSet::new(),
    };
    let mut report = Report::default();
    let check = CHECKS.iter().find(|check| check.id == id).unwrap();
    (check.run)(&context, &mut report);
    let found = report.into_observations().into_iter();
    found
        .filter_map(|gap| Some(format!("{:?} {}", gap.outcome, gap.location?.file)))
        .collect()
}

#[test]
fn page_without_contact_is_reported_at_page_frame() {
    let id = "l1-nameless-interface";
    let page = "const a = <main><p>x</p></main>;\n";
    let whole = "const a = <html lang=\"en\"><body><p>x</p></body></html>;\n";
    assert_eq!(
        gaps(
            id,
            &format!(
                "//- src/app/global-error.tsx\n{whole}//- src/app/layout.tsx\n{whole}//- src/app/chat/page.tsx\n{page}"
            )
        ),
        ["Fail src/app/layout.tsx"]
    );
    assert_eq!(
        gaps(
            id,
            &format!("//- src/components/BulkSendModal.jsx\n{page}//- src/pages/_app.js\nexport default App;\n")
        ),
        ["Fail src/pages/_app.js"],
        "a part is no page where the file that holds the parts is known"
    );
    assert_eq!(
        gaps(
            id,
            &format!("//- admin/app/layout.tsx\n{whole}//- portal/app/layout.tsx\n{whole}")
        ),
        ["Fail portal/app/layout.tsx"]
    );
    assert_eq!(
        gaps(
            id,
            &format!("//- a.html\n{page}//- b.html\n<p>Write to <a href=\"mailto:desk@brightwater.org\">us</a></p>\n")
        ),
        ["Pass b.html"]
    );
    assert!(gaps(id, "//- a.html\n<footer>\n<h6>desk@brightwater.org</h6></footer>\n").is_empty());
    let issues = format!(
        "//- a.html\n{page}//- README.md\n# Tool\n\n## Support & Contact\n\nOpen one of our [issues](https://github.com/a/b/issues).\n"
    );
    assert!(gaps(id, &issues).is_empty(), "somebody can be reached");
    assert_eq!(gaps(id, &issues.replace("Support & Contact", "Roadmap")).len(), 1);
    let author = format!(
        "//- a.html\n<html lang=\"en\"><head><meta name=\"author\" content=\"Jo Brook\"></head><body>{page}</body></html>\n"
    );
    assert!(gaps(id, &author).is_empty());
    // A link leads to somebody and names nobody: neither a gap nor evidence.
    assert!(gaps(id, "//- a.html\n<main><a href=\"/contact\">Contact</a></main>\n").is_empty());
}

#[test]
fn single_field_outside_form_is_minor() {
    let id = "l1-inaccessible-interface";
    let one = "const a = <div><textarea value={code} /></div>;\n";
    assert!(gaps(id, &format!("//- src/Cell.tsx\n{one}")).is_empty());
    let two = "const a = <div><textarea value={code} />\n<input value={name} /></div>;\n";
    assert_eq!(gaps(id, &format!("//- src/Cell.tsx\n{two}")), ["Fail src/Cell.tsx"]);
    assert!(gaps(id, &format!("//- src/components/ui/field.tsx\n{two}")).is_empty());
    let form = "const a = <form><textarea value={code} /></form>;\n";
    assert_eq!(gaps(id, &format!("//- src/Ask.tsx\n{form}")), ["Fail src/Ask.tsx"]);
    let page = "<html><body>{% block main %}<p>x</p>{% endblock %}</body></html>\n";
    assert_eq!(
        gaps(
            id,
            &format!("//- templates/admin/master.html\n{page}//- templates/base.html\n{page}")
        ),
        ["Fail templates/base.html"]
    );
}

#[test]
fn bills_of_materials_are_read_by_name_and_package_address() {
    let bill = r#"{
  "bomFormat": "CycloneDX",
  "components": [
    {"name": "sdk", "group": "@anthropic-ai", "purl": "pkg:npm/%40anthropic-ai/sdk@0.60.0"},
    {"name": "openai"}
  ]
}"#;
    let found = of("sbom.json", bill);
    let names: Vec<&str> = found
        .iter()
        .filter(|statement| statement.kind == StatementKind::Component)
        .map(|statement| statement.value.as_str())
        .collect();
    assert_eq!(names, ["@anthropic-ai/sdk", "openai"]);
    assert_eq!(of("data.json", "{\"name\": \"openai\"}"), []);
}

#[test]
fn training_and_publishing_belong_together() {
    let train = "from transformers import AutoModelForCausalLM, Trainer\nmodel = AutoModelForCausalLM.from_pretrained(\"a/b\")\ntrainer = Trainer(model=model)\ntrainer.train()\n";
    let published = format!("{train}trainer.push_to_hub(\"a/c\")\n");
    assert!(trains_and_publishes(&of("train.py", &published), "").is_some());
    assert!(trains_and_publishes(&of("ml/train.py", &published), "ml").is_some());
    assert!(trains_and_publishes(&of("ml/train.py", &published), "web").is_none());
    assert!(trains_and_publishes(&of("train.py", train), "").is_none());
    for near in [
        // A classifier is no general-purpose model, and a mode is no training.
        "from transformers import AutoModelForSequenceClassification, Trainer\ntrainer = Trainer(model=AutoModelForSequenceClassification.from_pretrained(\"a/b\"))\ntrainer.train()\ntrainer.push_to_hub()\n",
        "from transformers import AutoModelForCausalLM\nmodel = AutoModelForCausalLM.from_pretrained(\"a/b\")\nmodel.train()\nmodel.push_to_hub(\"a/c\")\n",
        "# trainer.train()\n# model.push_to_hub(\"a\")\nTEXT = \"AutoModelForCausalLM trainer.train() push_to_hub\"\n",
    ] {
        assert!(trains_and_publishes(&of("train.py", near), "").is_none(), "{near}");
    }
    let data = format!("{train}dataset.push_to_hub(\"a/d\")\ntokenizer.push_to_hub(\"a/c\")\n");
    assert!(trains_and_publishes(&of("train.py", &data), "").is_none());
}

#[test]
fn remote_code_counts_where_a_repository_is_named_and_no_commit_is() {
    let loads = |arguments: &str| {
        kinds("a.py", &format!("from transformers import AutoModel\nREPO = \"acme/model\"\nm = AutoModel.from_pretrained({arguments})\n"))
            .contains(&StatementKind::RemoteCode)
    };
    assert!(loads("\"acme/model\", trust_remote_code=True"));
    assert!(loads("REPO, trust_remote_code=True"));
    assert!(loads("REPO, trust_remote_code=True, revision=\"main\""));
    assert!(!loads(
        "REPO, trust_remote_code=True, revision=\"8f3b1c2d4e5f60718293a4b5c6d7e8f901234567\""
    ));
    assert!(!loads("REPO, trust_remote_code=False"));
    assert!(!loads("\"./models/own\", trust_remote_code=True"));
    assert!(!loads("args.path, trust_remote_code=True"));
}

#[test]
fn disabled_pipeline_steps_are_detected() {
    let pipeline = |step: &str| {
        kinds(
            ".github/workflows/ci.yml",
            &format!("on: push\njobs:\n  build:\n    runs-on: x\n    steps:\n      - run: make\n{step}"),
        )
    };
    let off = StatementKind::EvaluationDisabled;
    assert!(pipeline("      - name: evaluation\n        if: false\n        run: promptfoo eval\n").contains(&off));
    assert!(pipeline("      - if: ${{ false }}\n        run: python evals/run.py\n").contains(&off));
    assert!(
        !pipeline("      - name: deploy\n        if: false\n        run: make deploy\n      - run: promptfoo eval\n")
            .contains(&off)
    );
    assert!(!pipeline("      - if: github.ref == 'main'\n        run: promptfoo eval\n").contains(&off));
    assert!(!pipeline("      # if: false\n      - run: promptfoo eval\n").contains(&off));
}

#[test]
fn a_list_of_suppliers_needs_entries_and_a_text_about_data() {
    let list = |path: &str, text: &str| kinds(path, text).contains(&StatementKind::SupplierList);
    let entries = "## Sub-processors\n\n- Hetzner, servers\n- Postmark, mail\n";
    assert!(list("docs/privacy.md", entries));
    assert!(list("a.md", &format!("# Privacy policy\n\n{entries}")));
    assert!(!list("docs/architecture.md", &format!("# Architecture\n\n{entries}")));
    assert!(!list("docs/privacy.md", "## Sub-processors\n\nSome are used.\n"));
}

#[test]
fn checks_report_nothing_without_system() {
    for check in CHECKS {
        for example in check.examples() {
            let tree = fixture(&example.tree).unwrap();
            let files: Vec<FileInfo> = tree.files().map(|file| file.info()).collect();
            let statements = statements(&tree);
            let context = CheckContext {
                as_of: Date::constant(2026, 11, 20),
                files: &files,
                manifests: &[],
                inventory: &Inventory::default(),
                systems: &[] as &[System],
                documents: &[],
                artefacts: &[],
                secrets: &[],
                statements: &statements,
                unimported: &BTreeSet::new(),
            };
            let mut report = Report::default();
            (check.run)(&context, &mut report);
            let gaps = report.into_observations();
            assert!(
                gaps.iter().all(|gap| gap.outcome != Outcome::Fail),
                "{}: {gaps:?}",
                check.id
            );
            assert!(gaps.is_empty(), "{}: {gaps:?}", check.id);
        }
    }
}

#[test]
fn ids_are_unique_and_obligations_are_in_the_law() {
    let mut seen = BTreeSet::new();
    for check in CHECKS {
        assert!(seen.insert(check.id), "{}", check.id);
        for id in std::iter::once(&check.obligation).chain(check.also) {
            assert!(
                engine_regulation::regulation().obligation(id).is_some(),
                "{}: {id}",
                check.id
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn reader_never_panics(text in "[a-zA-Z0-9<>{}\"'`#|\\-*=\\[\\]().:;/ \n\u{e4}\u{20ac}]{0,600}", at in 0_usize..8) {
        let path = ["a.md", "a.html", "a.tsx", ".github/workflows/a.yml", "a.json", "a.py", "a.tf", ".env.example"][at];
        let file = SourceFile::new(path, text.into_bytes());
        let lines = u32::try_from(file.text().map_or(0, |text| text.lines().count())).unwrap_or(u32::MAX).saturating_add(1);
        for statement in read(&file).statements {
            prop_assert!(statement.line >= 1 && statement.line <= lines, "{statement:?}");
        }
    }
}

/// Reads texts that invite quadratic work: of their full length, or of a part of it.
fn read_hostile_texts(part: usize) {
    for text in [
        "<a{".repeat(300_000 / part),
        "<a\"".repeat(300_000 / part),
        "<!--".repeat(200_000 / part),
        "| a ".repeat(200_000 / part),
        "# a\n".repeat(100_000 / part),
        "every request ".repeat(60_000 / part),
        "a. B".repeat(200_000 / part),
        "[".repeat(500_000 / part),
        "if: false\n".repeat(100_000 / part),
        "      - if: false\n".repeat(60_000 / part),
    ] {
        for path in ["a.md", "a.html", "a.tsx", ".github/workflows/a.yml"] {
            let padded = format!("jobs:\nmessages.map(\n{text}");
            grows_with_length(path, padded.len(), |length| {
                read(&SourceFile::new(path, &padded.as_bytes()[..length]))
            });
        }
    }
}

#[test]
fn hostile_texts_are_read_in_linear_time() {
    read_hostile_texts(10);
}

#[test]
#[ignore = "slow: texts of about a megabyte in four formats"]
fn long_hostile_texts_are_read_in_linear_time() {
    read_hostile_texts(1);
}

#[test]
fn generated_documents_state_only_what_a_person_wrote_and_finalised() {
    let draft = "---\ndocType: log-retention-spec\nstatus: draft\ngeneratedBy: engine-documents\n---\n# Logs\n\n\
                 > Logs are kept for 180 days.\n\nOur logs are kept for 200 days.\n";
    let path = ".compliance/documents/log-retention-spec.md";
    assert!(of(path, draft).is_empty());
    let done = draft.replace("status: draft", "status: final");
    let statements = of(path, &done);
    assert!(!statements.is_empty());
    assert!(statements.iter().all(|one| one.line == 10), "{statements:?}");
}
