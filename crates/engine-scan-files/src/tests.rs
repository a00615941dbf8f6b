//! What files are told to be, with the near misses.

use engine_model::{ArtefactKind, FileInfo, SourceFile};
use proptest::prelude::*;

use crate::{join, read, wants};

fn kinds(path: &str, text: &str) -> Vec<(ArtefactKind, u32)> {
    let file = SourceFile::new(path, text.as_bytes());
    if !wants(path, file.language, file.zone) {
        return Vec::new();
    }
    let info = FileInfo {
        path: path.to_owned(),
        size: text.len() as u64,
        digest: file.digest,
        language: file.language,
        zone: file.zone,
    };
    join(&[(info, read(&file))], &[])
        .into_iter()
        .map(|artefact| (artefact.kind, artefact.line))
        .collect()
}

fn check(path: &str, text: &str, expected: &[(ArtefactKind, u32)]) {
    assert_eq!(kinds(path, text), expected, "{path}:\n{text}");
}

const WORKFLOW: &str = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n";

#[test]
fn pipelines_are_detected_by_structure() {
    use ArtefactKind::{CiEvaluation, CiPipeline};
    check(".github/workflows/x.yml", WORKFLOW, &[(CiPipeline, 2)]);
    check(
        ".gitlab-ci.yml",
        "stages: [test]\nt:\n  script:\n    - make\n",
        &[(CiPipeline, 3)],
    );
    check(
        "azure-pipelines.yml",
        "trigger: [main]\nsteps:\n- task: UsePython@0\n",
        &[(CiPipeline, 3)],
    );
    check(
        ".circleci/config.yml",
        "version: 2.1\njobs:\n  b:\n    steps:\n      - checkout\nworkflows:\n  w:\n",
        &[(CiPipeline, 2)],
    );
    check(
        "Jenkinsfile",
        "pipeline {\n  agent any\n  stages {\n  }\n}\n",
        &[(CiPipeline, 3)],
    );
    check("ci.yml", "name: ci\nvalues: [1, 2]\n", &[]);
    check("jobs.yml", "jobs:\n  nightly: 02:00\n", &[]);
    for step in [
        "      - run: npx promptfoo eval\n",
        "      - run: pytest tests/eval\n",
        "      - run: npm run eval\n",
        "      - run: python -m evaluation.run\n",
        "      - run: lm_eval --tasks x\n",
    ] {
        check(
            ".github/workflows/x.yml",
            &format!("{WORKFLOW}{step}"),
            &[(CiPipeline, 2), (CiEvaluation, 6)],
        );
    }
    for step in [
        "      - run: pytest tests/test_retrieval.py\n",
        "      - run: eval \"$(ssh-agent -s)\"\n",
        "      # - run: npx promptfoo eval\n",
        "      - run: npm run medieval\n",
    ] {
        check(
            ".github/workflows/x.yml",
            &format!("{WORKFLOW}{step}"),
            &[(CiPipeline, 2)],
        );
    }
}

#[test]
fn deployments_and_monitoring_are_detected_by_content() {
    use ArtefactKind::{ContainerImage, Deployment, Monitoring};
    check(
        "Dockerfile",
        "# syntax\nARG V=1\nFROM python:3.12\nRUN pip install x\n",
        &[(ContainerImage, 3)],
    );
    check(
        "infra/image",
        "FROM python:3.12 AS b\nWORKDIR /a\nCOPY . .\n",
        &[(ContainerImage, 1)],
    );
    check("LETTER", "From me\nto you\n", &[]);
    check("stack.yaml", "services:\n  a:\n    image: nginx\n", &[(Deployment, 1)]);
    check(
        "k/d.yaml",
        "apiVersion: apps/v1\nkind: Deployment\n",
        &[(Deployment, 2)],
    );
    check("k/c.yaml", "apiVersion: v1\nkind: ConfigMap\n", &[]);
    check(
        "main.tf",
        "resource \"aws_lambda_function\" \"a\" {\n}\n",
        &[(Deployment, 1)],
    );
    check("p.yml", "scrape_configs:\n  - job_name: a\n", &[(Monitoring, 1)]);
    check(
        "rules.yaml",
        "groups:\n  - name: a\n    rules:\n      - alert: Down\n        expr: up == 0\n",
        &[(Monitoring, 4)],
    );
    check(
        "dash.json",
        "{\"panels\": [{\"targets\": []}], \"schemaVersion\": 39}",
        &[(Monitoring, 1)],
    );
}

#[test]
fn secrets_files_differ_from_samples() {
    use ArtefactKind::{SecretsFile, SecretsSample};
    let key = "q8Zr2LwT5vN1xKc7Hb3M";
    check(".env", &format!("A=1\nOPENAI_API_KEY=sk-{key}\n"), &[(SecretsFile, 2)]);
    check(
        "config/prod.env",
        &format!("export DB_PASSWORD='{key}'\n"),
        &[(SecretsFile, 1)],
    );
    check(
        ".env",
        "DATABASE_URL=postgres://app:q8Zr2LwT5v@db.internal/x\n",
        &[(SecretsFile, 1)],
    );
    for line in [
        "OPENAI_API_KEY=replace-me",
        "OPENAI_API_KEY=sk-your-key-here-0123456789",
        "OPENAI_API_KEY=",
        "OPENAI_API_KEY=${KEY}",
        "API_TOKEN=<token>",
        "SECRET_KEY=changeme123456789abc",
        "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
    ] {
        check(".env.example", &format!("{line}\n"), &[(SecretsSample, 1)]);
    }
    check(
        ".env",
        "LOG_LEVEL=info\nMAX_TOKENS=2048000\nPORT=8000\nDATABASE_URL=postgres://postgres:postgres@db/x\n",
        &[],
    );
    check(".env", "STRIPE_PUBLISHABLE_KEY=pk_live_q8Zr2LwT5vN1xKc7Hb3M\n", &[]);
    check(
        ".env.example",
        "CLOUDINARY_URL=cloudinary://API_KEY:API_SECRET@CLOUD_NAME\nDATABASE_URL=postgresql+asyncpg://quizuser:quizpass@postgres:5432/quizdb\n",
        &[],
    );
    check(
        ".env",
        "CLOUDINARY_URL=cloudinary://483920175620483:q8Zr2LwT5vN1xKc7Hb3M@cloud\n",
        &[(SecretsFile, 1)],
    );
    check("tests/.env", &format!("OPENAI_API_KEY=sk-{key}\n"), &[]);
    check("Makefile", &format!("KEY=sk-{key}\nall:\n\tmake x\n"), &[]);
}

#[test]
fn a_file_that_starts_only_stores_deploys_nothing() {
    use ArtefactKind::Deployment;
    let compose = |services: &str| format!("services:\n{services}");
    let store = "  db:\n    image: postgres:16-alpine\n  cache:\n    image: \"docker.io/library/redis:7\"\n";
    check("docker-compose.yml", &compose(store), &[]);
    let own = format!("{store}  web:\n    build: .\n");
    check("docker-compose.yml", &compose(&own), &[(Deployment, 1)]);
    let published = format!("{store}  web:\n    image: ghcr.io/brightwater/ranking:2\n");
    check("docker-compose.yml", &compose(&published), &[(Deployment, 1)]);
    let planned = format!("{store}  # web:\n  #   build: .\n");
    check("docker-compose.yml", &compose(&planned), &[]);
}

#[test]
fn log_retention_is_read_in_days() {
    let none: [u32; 0] = [];
    let days = |path: &str, text: &str| {
        let file = SourceFile::new(path, text.as_bytes());
        read(&file)
            .candidates
            .into_iter()
            .filter_map(|candidate| candidate.days)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        days(
            "a.tf",
            "resource \"aws_cloudwatch_log_group\" \"a\" {\n  retention_in_days = 90\n}\n"
        ),
        [90]
    );
    assert_eq!(
        days(
            "t.yaml",
            "Resources:\n  G:\n    Type: AWS::Logs::LogGroup\n    Properties:\n      RetentionInDays: 365\n"
        ),
        [365]
    );
    assert_eq!(days("loki.yaml", "limits_config:\n  retention_period: 744h\n"), [31]);
    assert_eq!(days("app.toml", "audit_log_retention = \"6 months\"\n"), [180]);
    assert_eq!(days(".env", "LOG_RETENTION_DAYS=200\n"), [200]);
    assert_eq!(days("rotate", "/var/log/app.log {\n  weekly\n  rotate 4\n}\n"), [28]);
    assert_eq!(
        days(
            "ilm.json",
            "{\"policy\": {\"phases\": {\n\"delete\": {\n\"min_age\": \"90d\"}}}}"
        ),
        [90]
    );
    assert_eq!(
        days(
            "logback.xml",
            "<configuration><appender><rollingPolicy><fileNamePattern>a.%d{yyyy-MM-dd}</fileNamePattern>\n<maxHistory>30</maxHistory></rollingPolicy></appender></configuration>"
        ),
        [30]
    );
    let logback = |root: &str| {
        format!(
            "<configuration>\n<appender name=\"FILE\">\n<rollingPolicy><fileNamePattern>a.%d{{yyyy-MM-dd}}</fileNamePattern>\n<maxHistory>30</maxHistory></rollingPolicy>\n</appender>\n<logger name=\"app\" level=\"OFF\"/>\n<root level=\"{root}\">\n<appender-ref ref=\"FILE\"/>\n</root>\n</configuration>"
        )
    };
    assert_eq!(days("logback.xml", &logback("INFO")), [30]);
    assert_eq!(days("logback.xml", &logback("OFF")), none, "nothing is written to it");
    assert_eq!(
        days(
            "db.tf",
            "# cloudwatch\nresource \"aws_db_instance\" \"a\" {\n  backup_retention_period = 7\n}\n"
        ),
        none
    );
    assert_eq!(
        days(
            ".github/workflows/x.yml",
            &format!(
                "{WORKFLOW}      - uses: actions/upload-artifact@v4\n        with:\n          name: logs\n          retention-days: 5\n"
            )
        ),
        none
    );
    assert_eq!(days("server.yaml", "kafka:\n  log.retention.hours: 168\n"), none);
    assert_eq!(days("a.yaml", "retention_days: 30\n"), none);
}

#[test]
fn ai_disclosures_are_detected() {
    use ArtefactKind::DisclosureNotice;
    check(
        "web/chat.html",
        "<html>\n<p>You are chatting with an AI.</p>\n",
        &[(DisclosureNotice, 2)],
    );
    check(
        "web/src/Chat.tsx",
        "export const C = () => (\n  <p>Sie sprechen mit einer KI.</p>\n);\n",
        &[(DisclosureNotice, 2)],
    );
    check(
        "locales/fr.json",
        "{\n\"notice\": \"Vous discutez avec une IA.\"}",
        &[(DisclosureNotice, 2)],
    );
    check(
        "i18n/es.yaml",
        "notice: Está hablando con una IA\n",
        &[(DisclosureNotice, 1)],
    );
    check(
        "privacy.md",
        "# Privacy\n\nAnswers are generated by AI.\n",
        &[(DisclosureNotice, 3)],
    );
    check(
        "README.md",
        "# Bot\n\nPeople see that they are talking to an AI.\n",
        &[],
    );
    check(
        "web/src/Chat.tsx",
        "// users are talking to an AI\nexport const x = 1;\n",
        &[],
    );
    check("web/a.html", "<p>You are not talking to a chatbot.</p>\n", &[]);
    check("locales/en.json", "{\"title\": \"AI powered search\"}", &[]);
}

#[test]
fn prompts_differ_from_user_texts() {
    use ArtefactKind::PromptFile;
    check(
        "prompts/chat.md",
        "You answer customers of Brightwater.\n",
        &[(PromptFile, 1)],
    );
    check("src/system.txt", "You are a helpful assistant.\n", &[(PromptFile, 1)]);
    check("assets/p.prompt", "Du bist ein Assistent.\n", &[(PromptFile, 1)]);
    check(
        "conf/agent.yaml",
        "name: x\nsystem_prompt: |\n  Be brief.\n",
        &[(PromptFile, 2)],
    );
    check("guide.md", "# Guide\n\nIf you are a developer, read this.\n", &[]);
    check("docs/prompts.md", "# Prompts\n\nYou are a helper.\n", &[]);
    check("prompts/README.md", "# Prompts\n\nYou find prompts here.\n", &[]);
}

#[test]
fn cards_and_evaluations_are_detected_by_their_parts() {
    use ArtefactKind::{DataCard, DataVersioning, Evaluation, ModelCard};
    let words = "The model was trained by us on text. ".repeat(10);
    check(
        "m.md",
        &format!("---\nlicense: mit\npipeline_tag: text-generation\n---\n# Ranker\n\n{words}\n"),
        &[(ModelCard, 5)],
    );
    check(
        "m.md",
        "# Model card\n\n## Model details\n\nx\n\n## Intended use\n\ny\n",
        &[(ModelCard, 1)],
    );
    check(
        "d.md",
        "# Datasheet for questions\n\n## Composition\n\nx\n\n## Collection process\n\ny\n",
        &[(DataCard, 1)],
    );
    check(
        "README.md",
        "# App\n\n## Limitations\n\nx\n\n## Evaluation\n\nIt has a model card.\n",
        &[],
    );
    check(
        "p.yaml",
        "prompts: [a]\nproviders: [b]\ntests:\n  - assert:\n",
        &[(Evaluation, 3)],
    );
    check(
        "tests/p.yaml",
        "prompts: [a]\nproviders: [b]\ntests:\n  - assert:\n",
        &[(Evaluation, 3)],
    );
    check(
        "results.json",
        "{\n\"accuracy\": 0.9,\n\"f1\": 0.8}",
        &[(Evaluation, 2)],
    );
    check("a.json", "{\"precision\": \"high\", \"recall\": true}", &[]);
    check(".gitattributes", "*.bin filter=lfs diff=lfs\n", &[(DataVersioning, 1)]);
    check("data.csv.dvc", "outs:\n- md5: abc\n", &[(DataVersioning, 1)]);
}

#[test]
fn policy_files_are_detected_by_content() {
    use ArtefactKind::{AgentConfiguration, Changelog, Licence, Ownership, RobotsPolicy, SecurityContact};
    check(
        "SECURITY.md",
        "# Security policy\n\nReport a vulnerability to sec@example.org.\n",
        &[(SecurityContact, 3)],
    );
    check(
        "public/.well-known/security.txt",
        "Contact: mailto:a@example.org\nExpires: 2027-01-01T00:00:00Z\n",
        &[(SecurityContact, 1)],
    );
    check("SECURITY.md", "# Security\n\nWe take it seriously.\n", &[]);
    check(
        "LICENSE",
        "MIT License\n\nPermission is hereby granted, free of\ncharge, to any person obtaining a copy\n",
        &[(Licence, 1)],
    );
    check("README.md", "# A\n\nLicensed under the MIT licence.\n", &[]);
    check(
        "CHANGELOG.md",
        "# Changelog\n\n## [1.0.0] - 2024-01-01\n\n### Added\n",
        &[(Changelog, 3)],
    );
    check("guide.md", "# Guide\n\n## 1.2 Setup\n\ntext\n", &[]);
    check("CODEOWNERS", "# who\n* @acme/team\n", &[(Ownership, 2)]);
    check(
        "public/robots.txt",
        "User-agent: *\nDisallow: /private\n",
        &[(RobotsPolicy, 1)],
    );
    check(
        "AGENTS.md",
        "# How to work here\n\nRun the tests first.\n",
        &[(AgentConfiguration, 1)],
    );
    check("agents.md", "# Our agents\n\nThey sell houses in Vienna.\n", &[]);
    check(
        "notes/7.1.md",
        "# Release notes\n\n## Security fixes\n\nA vulnerability was reported to a@example.org.\n",
        &[],
    );
    check(".mcp.json", "{\n\"mcpServers\": {}}", &[(AgentConfiguration, 2)]);
}

#[test]
fn manifests_distinguish_libraries_and_applications() {
    use ArtefactKind::{ApplicationManifest, LibraryManifest};
    check(
        "package.json",
        "{\n\"private\": true,\n\"scripts\": {\"start\": \"node .\"}}",
        &[(ApplicationManifest, 3)],
    );
    check(
        "package.json",
        "{\n\"name\": \"x\",\n\"exports\": \"./i.js\"}",
        &[(LibraryManifest, 3)],
    );
    check(
        "package.json",
        "{\n\"main\": \"./a.js\", \"files\": [],\n\"engines\": {\"vscode\": \"^1.90.0\"},\n\"contributes\": {}}",
        &[(ApplicationManifest, 4)],
    );
    check(
        "src/manifest.json",
        "{\n\"manifest_version\": 3,\n\"action\": {}}",
        &[(ApplicationManifest, 2)],
    );
    check("manifest.json", "{\"manifest_version\": 3, \"theme\": {}}", &[]);
    check("manifest.json", "{\"name\": \"Page\", \"action\": {}}", &[]);
    check(
        "pyproject.toml",
        "[project]\nname = \"a\"\ndependencies = [\n  \"uvicorn>=0.3\",\n]\n",
        &[(ApplicationManifest, 4)],
    );
    check(
        "pyproject.toml",
        "[project]\nclassifiers = [\n\"Development Status :: 4 - Beta\",\n]\n[project.optional-dependencies]\nserver = [\n\"uvicorn\"\n]\n",
        &[(LibraryManifest, 3)],
    );
    check(
        "Cargo.toml",
        "[package]\nname = \"a\"\n[lib]\n",
        &[(LibraryManifest, 3)],
    );
}

#[test]
fn vendored_and_example_files_are_left_out_and_the_order_is_fixed() {
    check("vendor/x/.env", "API_KEY=replace-me\n", &[]);
    check("examples/Dockerfile", "FROM a\nRUN b\n", &[]);
    let artefacts = join::<crate::FileFacts>(&[], &["b/.env".to_owned(), "a/.env".to_owned()]);
    assert_eq!(
        artefacts
            .iter()
            .map(|artefact| artefact.file.as_str())
            .collect::<Vec<_>>(),
        ["a/.env", "b/.env"]
    );
}

proptest! {
    #[test]
    fn reader_accepts_any_text(parts in prop::collection::vec(prop::sample::select(vec!["on:\n", "jobs:\n", "FROM ", "\n", "=", "KEY=", "https://a:", "@", "---\n", "retention", ": 9999999999d", "rotate 4294967295\n", "weekly\n", "{", "}", "ä", "İ", "# ", "ß", "\"accuracy\": 1", "You are a ", "talking to an ai", "`", "\0"]), 0..60), path in prop::sample::select(vec![".env", "a.yml", "b.json", "c.md", "Dockerfile", "d.html", "e.tf", "package.json", "f.xml", "locales/x.json"])) {
        let _ = kinds(path, &parts.concat());
    }
}
