//! The checks over a joined tree with one system in it.

use engine_model::{
    Call, CallKind, CheckContext, Date, ErrorHandling, Evidence, EvidenceKind, FileInfo, Inventory, Logging, ModelUse,
    Outcome, Report, Sends, Statement, StatementKind, System, Trace, TraceKind, Zone, fixture,
};

use super::joined;
use crate::CHECKS;

fn call(file: &str, sdk: Option<&str>, provider: Option<&str>, model: Option<&str>) -> Call {
    Call {
        file: file.to_owned(),
        line: 5,
        column: 1,
        cell: None,
        kind: CallKind::Call,
        provider: provider.map(str::to_owned),
        sdk: sdk.map(str::to_owned),
        model: model.map(str::to_owned),
        model_pinned: None,
        sends: vec![Sends::UserInput],
        error_handling: ErrorHandling::No,
        logging: Logging::No,
        human_approval: None,
        disclosure: None,
        disclosure_at: None,
        effects: Vec::new(),
        capabilities: Vec::new(),
        traces: Vec::new(),
        system: Some("main".to_owned()),
        zone: Zone::Product,
        function: None,
        symbol: "chat".to_owned(),
        host: None,
        tools: Vec::new(),
        confidence: 90,
    }
}

fn system(scope: &str, file: &str) -> System {
    System {
        id: "main".to_owned(),
        name: "Main".to_owned(),
        scope: scope.to_owned(),
        entry_points: Vec::new(),
        providers: Vec::new(),
        models: Vec::new(),
        role: "unknown".to_owned(),
        role_basis: String::new(),
        risk_class: "unknown".to_owned(),
        risk_basis: String::new(),
        questions: Vec::new(),
        obligations: Vec::new(),
        files: vec![file.to_owned()],
        ..System::default()
    }
}

/// What one check reports, as `outcome file:line message`; what stands with its obligation only is in brackets.
fn reports(id: &str, tree: &str, call: Call, scope: &str, models: Vec<ModelUse>) -> Vec<String> {
    of_calls(id, tree, vec![call], scope, models, &[])
}

/// The same for a system with several calls, and files that say something.
fn of_calls(
    id: &str,
    tree: &str,
    calls: Vec<Call>,
    scope: &str,
    models: Vec<ModelUse>,
    statements: &[Statement],
) -> Vec<String> {
    let tree = fixture(tree).unwrap();
    let joined = joined(&tree);
    let files: Vec<FileInfo> = tree.files().map(|file| file.info()).collect();
    let manifests: Vec<&str> = files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| crate::wants(path))
        .collect();
    let systems = [system(scope, &calls[0].file)];
    let inventory = Inventory {
        calls,
        packages: joined.packages.into(),
        models,
        ..Inventory::default()
    };
    let context = CheckContext {
        as_of: "2026-08-02".parse::<Date>().unwrap(),
        files: &files,
        manifests: &manifests,
        inventory: &inventory,
        systems: &systems,
        documents: &[],
        artefacts: &[],
        secrets: &[],
        statements,
        unimported: &std::collections::BTreeSet::new(),
    };
    let check = CHECKS.iter().find(|check| check.id == id).unwrap();
    let mut report = Report::default();
    (check.run)(&context, &mut report);
    let empty = CheckContext {
        systems: &[],
        ..context
    };
    let mut silent = Report::default();
    (check.run)(&empty, &mut silent);
    assert!(silent.into_observations().is_empty(), "{id} speaks without a system");
    report
        .into_observations()
        .iter()
        .map(|seen| {
            assert_eq!(seen.system.as_deref(), Some("main"));
            assert!(!seen.evidence.is_empty());
            let place = seen
                .location
                .as_ref()
                .map(|place| format!("{}:{}", place.file, place.line))
                .unwrap_or_default();
            let outcome = match seen.outcome {
                Outcome::Fail => "fail",
                Outcome::Pass => "pass",
                Outcome::Info => "info",
            };
            let text = format!("{outcome} {place} {}", seen.message);
            if seen.aside { format!("[{text}]") } else { text }
        })
        .collect()
}

fn openai(file: &str) -> Call {
    call(file, Some("openai"), Some("openai"), Some("gpt-4o"))
}

#[test]
fn loose_ai_packages_give_one_gap_for_each_manifest() {
    let id = "l3-unpinned-ai-dependency";
    let tree = "//- requirements.txt\nflask\nopenai>=1\nlangchain\n//- tests/requirements.txt\nanthropic\n";
    assert_eq!(
        reports(id, tree, openai("app.py"), "", Vec::new()),
        ["fail requirements.txt:2 No exact version is set for `langchain`, `openai`."]
    );
    let tree = "//- requirements.txt\nflask\nopenai==1.54.3\n";
    assert_eq!(
        reports(id, tree, openai("app.py"), "", Vec::new()),
        ["[pass requirements.txt:2 Exact versions are set for `openai`.]"]
    );
}

#[test]
fn a_manifest_of_another_folder_is_not_the_systems() {
    let id = "l3-unpinned-ai-dependency";
    let tree = "//- web/requirements.txt\nopenai>=1\n//- api/requirements.txt\nopenai>=1\n";
    assert_eq!(
        reports(id, tree, openai("api/app.py"), "api", Vec::new()),
        ["fail api/requirements.txt:1 No exact version is set for `openai`."]
    );
}

#[test]
fn exact_versions_need_no_lockfile_and_a_lockfile_is_evidence() {
    let id = "l3-missing-lockfile";
    let package = "//- package.json\n{\"dependencies\": {\n\"openai\": \"4.0.0\"}}\n";
    assert!(reports(id, package, openai("app.js"), "", Vec::new()).is_empty());
    let locked = format!(
        "{package}//- package-lock.json\n{{\"lockfileVersion\": 3, \"packages\": {{\"node_modules/openai\": {{\"version\": \"4.0.0\"}}}}}}\n"
    );
    assert_eq!(
        reports(id, &locked, openai("app.js"), "", Vec::new()),
        ["[pass package-lock.json:1 The lockfile `package-lock.json` pins the npm packages.]"],
        "the exact versions are told with their places in it"
    );
    let partly = format!("{locked}//- requirements.txt\nanthropic\n");
    assert_eq!(
        reports(id, &partly, openai("app.js"), "", Vec::new()),
        ["[pass package-lock.json:1 The lockfile `package-lock.json` pins the npm packages.]"],
        "of the loose list that is said with its versions"
    );
    let exact = "//- requirements.txt\nopenai==1.0\n";
    assert!(reports(id, exact, openai("app.py"), "", Vec::new()).is_empty());
    let direct = "//- requirements.txt\nfastapi==0.104.1\nhttpx==0.27.0\nopenai==1.51.0\n";
    assert!(
        reports(id, direct, openai("app.py"), "", Vec::new()).is_empty(),
        "one package that is drawn in may also be asked for"
    );
    let whole = "//- requirements.txt\nanyio==4.6.2\nh11==0.14.0\nhttpcore==1.0.6\nhttpx==0.27.2\nopenai==1.54.3\n";
    assert_eq!(
        reports(id, whole, openai("app.py"), "", Vec::new()),
        ["[pass requirements.txt:5 `requirements.txt` pins every package, including transitive dependencies.]"]
    );
    // Before its first release the package drew in others.
    let old = "//- requirements.txt\nopenai==0.28.1\nrequests==2.31.0\nurllib3==2.0.7\n";
    assert!(reports(id, old, openai("app.py"), "", Vec::new())[0].starts_with("[pass"));
    // Whether a list of packages that nobody knows is complete cannot be told.
    let open = "//- requirements.txt\ndeepface==0.0.93\n";
    assert!(reports(id, open, openai("app.py"), "", Vec::new()).is_empty());
    assert!(
        reports(
            id,
            "//- go.mod\nmodule x\nrequire github.com/sashabaranov/go-openai v1.0.0\n",
            openai("m.go"),
            "",
            Vec::new()
        )
        .is_empty()
    );
}

#[test]
fn an_sdk_that_no_manifest_names_is_a_gap_only_where_there_is_a_manifest() {
    let id = "l3-undeclared-ai-dependency";
    assert_eq!(
        reports(
            id,
            "//- requirements.txt\nflask==3.0\n",
            openai("app.py"),
            "",
            Vec::new()
        ),
        ["fail app.py:5 No Python manifest declares `openai`, which the code uses at app.py:5."]
    );
    assert!(
        reports(
            id,
            "//- requirements.txt\nOpenAI==1.0\n",
            openai("app.py"),
            "",
            Vec::new()
        )
        .is_empty()
    );
    assert!(
        reports(
            id,
            "//- package.json\n{\"dependencies\": {\"x\": \"1.0.0\"}}\n",
            openai("app.py"),
            "",
            Vec::new()
        )
        .is_empty()
    );
    assert!(reports(id, "//- README.md\nx\n", openai("app.py"), "", Vec::new()).is_empty());
}

#[test]
fn a_retired_api_is_reported_at_its_first_call() {
    let id = "l3-retired-model";
    let of = |symbol: &str, provider: &str| {
        let call = Call {
            symbol: symbol.to_owned(),
            ..call("app.py", Some("openai"), Some(provider), None)
        };
        reports(id, "//- app.py\nx = 1\n", call, "", Vec::new())
    };
    // On the day of the tests it still answers, and will for less than three months.
    assert_eq!(
        of("openai.OpenAI().beta.threads.runs.create", "openai"),
        [
            "info app.py:5 The Assistants API of OpenAI (app.py:5) will be switched off on 2026-08-26: calls will then fail with every model. The Responses API takes its place. Source: https://developers.openai.com/api/docs/assistants/migration (as of 2026-11-23)."
        ]
    );
    assert!(of("openai.OpenAI().beta.chat.completions.parse", "openai").is_empty());
    // In a cloud with days of its own nothing is known of it.
    assert!(of("openai.AzureOpenAI().beta.threads.runs.create", "azure-openai").is_empty());
}

#[test]
fn a_retired_model_is_a_gap_from_its_date_on() {
    let id = "l3-retired-model";
    let model = |date: &str| {
        vec![ModelUse {
            name: "gpt-4o".to_owned(),
            provider: Some("openai".to_owned()),
            family: None,
            pinned: Some(false),
            retired: Some(date.to_owned()),
            occurrences: vec!["tests/x.py:1".to_owned(), "app.py:5".to_owned()],
        }]
    };
    let tree = "//- app.py\nx = 1\n";
    assert_eq!(
        reports(id, tree, openai("app.py"), "", model("2026-08-02")),
        [
            "fail app.py:5 The model `gpt-4o` (app.py:5) was retired by its provider on 2026-08-02: calls fail, or another model answers; the name is also not pinned to a version. Source: https://developers.openai.com/api/docs/deprecations (as of 2026-11-23)."
        ]
    );
    assert_eq!(
        reports(id, tree, openai("app.py"), "", model("2026-08-03")),
        [
            "info app.py:5 The model `gpt-4o` (app.py:5) will be retired by its provider on 2026-08-03; the name is also not pinned to a version. Source: https://developers.openai.com/api/docs/deprecations (as of 2026-11-23)."
        ]
    );
    // Nothing binds this system: what is still far away is in the inventory.
    assert!(reports(id, tree, openai("app.py"), "", model("2026-12-02")).is_empty());
    // Nor is a name known to a provider that has models of its own.
    let elsewhere = call("app.py", None, Some("deepseek"), Some("gpt-4o"));
    assert!(reports(id, tree, elsewhere, "", model("2026-08-02")).is_empty());
    let relayed = call("app.py", None, Some("openrouter"), Some("gpt-4o"));
    assert_eq!(reports(id, tree, relayed, "", model("2026-08-02")).len(), 1);
    let on_google = call("app.py", None, Some("google-vertex"), Some("gpt-4o"));
    assert!(reports(id, tree, on_google, "", model("2026-08-02")).is_empty());
    // Nothing need be done today about a date that is more than a year away.
    assert!(reports(id, tree, openai("app.py"), "", model("2027-09-01")).is_empty());
    // The place to change is where the name is written.
    let mut configured = openai("app.py");
    configured.traces = vec![Trace {
        kind: TraceKind::ModelNamed,
        chain: vec![Evidence {
            kind: EvidenceKind::Code,
            reference: "gpt-4o".to_owned(),
            file: Some("settings.py".to_owned()),
            line: Some(3),
            hash: None,
        }],
    }];
    assert_eq!(
        reports(id, tree, configured, "", model("2026-08-02")),
        [
            "fail settings.py:3 The model `gpt-4o` (settings.py:3, called at app.py:5) was retired by its provider on 2026-08-02: calls fail, or another model answers; the name is also not pinned to a version. Source: https://developers.openai.com/api/docs/deprecations (as of 2026-11-23)."
        ]
    );
    // What nothing runs asks for nothing.
    let mut idle = openai("app.py");
    idle.traces = vec![Trace {
        kind: TraceKind::Unreached,
        chain: Vec::new(),
    }];
    assert!(reports(id, tree, idle, "", model("2026-08-02")).is_empty());
    // A script that is run once to set something up is no part of what runs.
    let once = vec![ModelUse {
        occurrences: vec!["setup-key.py:5".to_owned()],
        ..model("2026-08-02").remove(0)
    }];
    assert!(reports(id, "//- setup-key.py\nx = 1\n", openai("setup-key.py"), "", once).is_empty());
}

#[test]
fn each_of_a_few_systems_gets_its_own_finding() {
    let of = |files: &[&str]| -> Vec<String> {
        let systems: Vec<System> = files
            .iter()
            .map(|file| System {
                id: (*file).to_owned(),
                ..system("", file)
            })
            .collect();
        let inventory = Inventory {
            calls: files
                .iter()
                .map(|file| Call {
                    system: Some((*file).to_owned()),
                    ..openai(file)
                })
                .collect(),
            models: vec![ModelUse {
                name: "gpt-4o".to_owned(),
                provider: Some("openai".to_owned()),
                family: None,
                pinned: Some(false),
                retired: Some("2026-08-03".to_owned()),
                occurrences: files.iter().map(|file| format!("{file}:5")).collect(),
            }],
            ..Inventory::default()
        };
        let context = CheckContext {
            as_of: "2026-08-02".parse::<Date>().unwrap(),
            files: &[],
            manifests: &[],
            inventory: &inventory,
            systems: &systems,
            documents: &[],
            artefacts: &[],
            secrets: &[],
            statements: &[],
            unimported: &std::collections::BTreeSet::new(),
        };
        let check = CHECKS.iter().find(|check| check.id == "l3-retired-model").unwrap();
        let mut report = Report::default();
        (check.run)(&context, &mut report);
        report
            .into_observations()
            .iter()
            .map(|seen| {
                seen.location
                    .as_ref()
                    .map(|place| place.file.clone())
                    .unwrap_or_default()
            })
            .collect()
    };
    assert_eq!(of(&["a/main.py", "b/main.py"]), ["a/main.py", "b/main.py"]);
    // A repository full of systems learns it once for some of them.
    let many = ["a.py", "b.py", "c.py", "d.py", "e.py", "f.py"];
    assert_eq!(of(&many), many[..4]);
}

#[test]
fn a_list_above_that_fixes_a_version_fixes_it_for_its_parts() {
    let id = "l3-unpinned-ai-dependency";
    let tree =
        |root: &str| format!("//- requirements.txt\n{root}\n//- part/requirements.txt\nopenai\n//- app.py\nx = 1\n");
    let seen = reports(id, &tree("openai==1.54.3"), openai("app.py"), "", Vec::new());
    assert!(seen.iter().all(|seen| seen.starts_with("[pass ")), "{seen:?}");
    let seen = reports(id, &tree("openai>=1"), openai("app.py"), "", Vec::new());
    assert!(seen.iter().any(|seen| seen.starts_with("fail ")), "{seen:?}");
}

#[test]
fn unknown_suppliers_are_reported() {
    let id = "l3-unknown-supplier";
    assert_eq!(
        reports(
            id,
            "//- requirements.txt\nopenai==1.54.3\n",
            openai("app.py"),
            "",
            Vec::new()
        ),
        ["[pass app.py:5 Model suppliers identified: `openai`.]"]
    );
    assert_eq!(
        reports(
            id,
            "//- app.py\nx = 1\n",
            call("app.py", None, None, None),
            "",
            Vec::new()
        ),
        ["fail app.py:5 The supplier of the model behind `chat` (app.py:5) could not be determined from the project."]
    );
    // A model of one's own has no supplier, and a file is no name of one.
    for model in [None, Some("model/credit.pkl")] {
        let own = call("app.py", Some("scikit-learn"), Some("local"), model);
        assert!(reports(id, "//- requirements.txt\nscikit-learn==1.5.1\n", own, "", Vec::new()).is_empty());
    }
}

#[test]
fn a_supplier_is_the_called_provider_or_the_weights_publisher() {
    let id = "l3-unknown-supplier";
    let told = |calls: Vec<Call>, statements: &[Statement]| {
        of_calls(id, "//- app.py\nx = 1\n", calls, "", Vec::new(), statements)
    };
    let reached = |provider: &str, host: Option<&str>, model: Option<&str>| Call {
        host: host.map(str::to_owned),
        ..call("app.py", None, Some(provider), model)
    };
    assert_eq!(
        told(
            vec![reached("openai-compatible", Some("api.relay.ai"), Some("gpt-4o"))],
            &[]
        ),
        ["[pass app.py:5 Model suppliers identified: `api.relay.ai`.]"]
    );
    assert_eq!(
        told(vec![reached("huggingface", None, Some("meta-llama/Llama-3.1-8B"))], &[]),
        ["[pass app.py:5 Model suppliers identified: `meta-llama via huggingface`.]"]
    );
    assert_eq!(
        told(
            vec![reached(
                "huggingface",
                Some("api-inference.huggingface.co"),
                Some("meta-llama/Llama-3.1-8B")
            )],
            &[]
        ),
        ["[pass app.py:5 Model suppliers identified: `huggingface`.]"],
        "there the hub itself answers"
    );
    assert_eq!(
        told(vec![reached("ollama", Some("localhost:11434"), Some("llama3"))], &[]),
        ["[pass app.py:5 Model suppliers identified: `meta`.]"]
    );
    // It stands with its obligation in any case.
    let open = vec![openai("app.py"), reached("openai-compatible", None, Some("gpt-4o"))];
    let aside = ["[pass app.py:5 Model suppliers identified: `openai`.]"];
    assert_eq!(told(open, &[]), aside);
    let address = |file: &str, host: &str| Statement {
        file: file.to_owned(),
        line: 9,
        kind: StatementKind::ServiceAddress,
        value: host.to_owned(),
        days: None,
    };
    assert_eq!(
        told(vec![openai("app.py")], &[address("app.py", "api.relay.ai")]),
        aside
    );
    let mut weights = call("app.py", Some("torch"), Some("local"), None);
    weights.kind = CallKind::ModelLoad;
    assert_eq!(told(vec![openai("app.py"), weights.clone()], &[]), aside);
    let whole = ["[pass app.py:5 Model suppliers identified: `openai`.]"];
    weights.sdk = Some("joblib-load".to_owned());
    assert_eq!(
        told(vec![openai("app.py"), weights], &[]),
        whole,
        "what the project made itself"
    );
    // A framework runs the clients that are made beside it.
    let graph = call("app.py", Some("langgraph"), Some("openai"), None);
    let relayed = ["[pass app.py:5 Model suppliers identified: `api.relay.ai`.]"];
    assert_eq!(
        told(
            vec![
                reached("openai-compatible", Some("api.relay.ai"), Some("gpt-4o")),
                graph.clone()
            ],
            &[]
        ),
        relayed
    );
    assert_eq!(told(vec![graph], &[]), whole);
    // A name that nobody vouches for is neither a supplier nor the lack of one.
    assert!(told(vec![reached("openai-compatible", None, Some("gpt-4o"))], &[]).is_empty());
    assert_eq!(
        told(vec![openai("app.py")], &[address("weather.py", "api.relay.ai")]),
        whole
    );
    assert_eq!(
        told(vec![openai("app.py")], &[address("app.py", "api.openai.com")]),
        whole
    );
}

#[test]
fn packages_that_no_manifest_names_are_one_finding() {
    let mut second = call("app.py", Some("anthropic"), Some("anthropic"), None);
    second.line = 9;
    second.symbol = "anthropic.Anthropic().messages.create".to_owned();
    assert_eq!(
        of_calls(
            "l3-undeclared-ai-dependency",
            "//- requirements.txt\nflask==3.0\n",
            vec![openai("app.py"), second],
            "",
            Vec::new(),
            &[]
        ),
        ["fail app.py:5 No Python manifest declares `anthropic`, `openai`, which the code uses at app.py:5."]
    );
}

#[test]
fn lists_for_several_platforms_in_one_folder_are_one_finding() {
    let tree = "//- requirements-cpu.txt\nopenai>=1\n//- requirements-gpu.txt\nopenai>=1\ntorch\n";
    assert_eq!(
        reports("l3-unpinned-ai-dependency", tree, openai("app.py"), "", Vec::new()),
        ["fail requirements-cpu.txt:1 No exact version is set for `openai`, `torch`."]
    );
    assert_eq!(
        reports("l3-missing-lockfile", tree, openai("app.py"), "", Vec::new()),
        [""; 0],
        "a lockfile answers both, so it is said once"
    );
    let tree = "//- requirements-cpu.txt\nopenai==1.51.0\n//- requirements-gpu.txt\nopenai==1.51.0\ntorch==2.4.1\n";
    assert!(reports("l3-missing-lockfile", tree, openai("app.py"), "", Vec::new()).is_empty());
}

#[test]
fn a_lockfile_that_does_not_name_a_package_does_not_fix_it() {
    let id = "l3-missing-lockfile";
    let manifest = "//- package.json\n{\"dependencies\": {\"openai\": \"^4.0.0\"}}\n";
    let stale = format!("{manifest}//- package-lock.json\n{{\"lockfileVersion\": 3, \"packages\": {{\"\": {{}}}}}}\n");
    assert_eq!(
        reports(id, &stale, openai("app.js"), "", Vec::new()),
        ["fail package.json:1 No lockfile pins `openai`: `package-lock.json` does not match `package.json`."]
    );
    let exact = stale.replace('^', "");
    assert!(
        reports(id, &exact, openai("app.js"), "", Vec::new()).is_empty(),
        "the manifest fixes it"
    );
    let binary = format!("{manifest}//- bun.lockb\nx\n");
    assert_eq!(
        reports(id, &binary, openai("app.js"), "", Vec::new()),
        ["[pass bun.lockb:1 The lockfile `bun.lockb` pins the npm packages.]"]
    );
}

#[test]
fn a_shape_shared_by_several_modules_misses_the_package_of_the_module_that_is_imported() {
    let id = "l3-undeclared-ai-dependency";
    let tree = "//- requirements.txt\nflask==3.0\n";
    let asked = |sdk: &str, symbol: &str| {
        let mut call = call("app.py", Some(sdk), None, None);
        call.symbol = symbol.to_owned();
        reports(id, tree, call, "", Vec::new())
    };
    assert_eq!(
        asked("joblib", "joblib.load().predict"),
        ["fail app.py:5 No Python manifest declares `joblib`, which the code uses at app.py:5."]
    );
    assert!(asked("joblib", "pickle.load().predict").is_empty());
    let other = asked("TTS", "chatterbox.tts.ChatterboxTTS.from_pretrained().generate");
    assert!(!other.iter().any(|message| message.contains("`TTS`")), "{other:?}");
    assert_eq!(asked("TTS", "TTS.api.TTS().tts").len(), 1);
}

#[test]
fn clients_with_the_same_call_shape_are_declared_by_package_name() {
    let asked = |declared: &str, symbol: &str| {
        let mut call = call("src/a.ts", Some("@google/generative-ai"), None, None);
        call.symbol = symbol.to_owned();
        let tree = format!("//- package.json\n{{\"dependencies\": {{\"{declared}\": \"1.10.0\"}}}}\n");
        reports("l3-undeclared-ai-dependency", &tree, call, "", Vec::new()).len()
    };
    let vertex = "@google-cloud/vertexai.VertexAI().getGenerativeModel().generateContent";
    assert_eq!(asked("@google-cloud/vertexai", vertex), 0);
    assert_eq!(asked("left-pad", vertex), 1);
}

#[test]
fn an_environment_of_conda_declares_what_python_imports() {
    let id = "l3-undeclared-ai-dependency";
    let tree = "//- environment.yml\ndependencies:\n  - conda-forge::openai=1.54\n";
    assert!(reports(id, tree, openai("app.py"), "", Vec::new()).is_empty());
    let other = "//- environment.yml\ndependencies:\n  - flask\n";
    assert_eq!(
        reports(id, other, openai("app.py"), "", Vec::new()),
        ["fail app.py:5 No Python manifest declares `openai`, which the code uses at app.py:5."]
    );
}

#[test]
fn a_name_that_a_registry_has_given_up_still_names_its_package() {
    let id = "l3-undeclared-ai-dependency";
    let scikit = || call("app.py", Some("scikit-learn"), None, None);
    let alias = "//- requirements.txt\nflask==3.0\nsklearn\n";
    assert!(reports(id, alias, scikit(), "", Vec::new()).is_empty());
    let other = "//- requirements.txt\nflask==3.0\nsklearn-pandas==2.2.0\n";
    assert_eq!(reports(id, other, scikit(), "", Vec::new()).len(), 1);
}

#[test]
fn gems_that_code_names_alike_are_one() {
    let id = "l3-undeclared-ai-dependency";
    let asked = |gem: &str| {
        let tree = format!("//- Gemfile\ngem \"rails\"\ngem \"{gem}\"\n");
        reports(id, &tree, openai("app/models/a.rb"), "", Vec::new())
    };
    assert!(asked("ruby-openai").is_empty());
    assert!(asked("openai").is_empty());
    assert_eq!(asked("faraday").len(), 1);
}

#[test]
fn node_packages_pinned_in_a_parent_folder_count_as_pinned() {
    let root = "//- package.json\n{\"dependencies\": {\"openai\": \"^4.0.0\"}}\n//- package-lock.json\n{\"lockfileVersion\": 3, \"packages\": \
                {\"node_modules/openai\": {\"version\": \"4.0.0\"}}}\n";
    let copy = format!("{root}//- src/package.json\n{{\"dependencies\": {{\"openai\": \"latest\"}}}}\n");
    let other = format!("{root}//- src/package.json\n{{\"dependencies\": {{\"@anthropic-ai/sdk\": \"latest\"}}}}\n");
    for id in ["l3-missing-lockfile", "l3-unpinned-ai-dependency"] {
        let fails = |tree: &str| {
            let told = reports(id, tree, openai("src/app.js"), "", Vec::new());
            told.iter().any(|line| line.starts_with("fail src/package.json"))
        };
        assert!(!fails(&copy), "{id}");
        assert!(fails(&other), "{id}");
    }
}

#[test]
fn a_transitive_package_counts_as_declared() {
    let id = "l3-undeclared-ai-dependency";
    let call = |sdk: &str| {
        let mut call = openai("app.py");
        call.sdk = Some(sdk.to_owned());
        call.symbol = format!("{sdk}.load");
        call
    };
    let with = "//- requirements.txt\nscikit-learn==1.5.0\n";
    assert!(reports(id, with, call("joblib"), "", Vec::new()).is_empty());
    let without = "//- requirements.txt\nflask==3.0.0\n";
    assert_eq!(reports(id, without, call("joblib"), "", Vec::new()).len(), 1);
}
