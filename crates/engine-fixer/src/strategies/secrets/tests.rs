//! Secrets: what becomes a variable of the environment, and what is refused.

use engine_model::{Date, FindingType, MemoryTree, fixture};
use engine_scan_secrets::expand_examples;
use engine_scanner::{Settings, scan_memory};

use super::naming::upper_snake;
use crate::{FixInput, plan};

/// The file of a tree after the fix of its one secret, or why there is none.
fn fixed(text: &str, path: &str) -> Result<String, String> {
    let tree: MemoryTree = fixture(&expand_examples(text)).unwrap();
    let today = Date::constant(2026, 11, 20);
    let evaluation = scan_memory(&tree, &Settings::on(today));
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let finding = evaluation
        .findings
        .iter()
        .find(|finding| finding.kind != FindingType::Pass && finding.check_id.starts_with("secret-"))
        .ok_or("no finding")?;
    let planned = plan(FixInput {
        finding,
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: today,
        paths: &paths,
        source: &tree,
        documents: &crate::tests::NoDrafts,
    });
    let planned = planned.map_err(|error| error.to_string())?;
    assert!(!planned.safe);
    let change = planned
        .files
        .iter()
        .find(|file| file.path == path)
        .ok_or("another file")?;
    let before = tree.files().find(|file| file.path == path).unwrap().bytes.into_owned();
    let after = String::from_utf8(change.apply(&before).unwrap()).unwrap();
    let mut next = tree.clone();
    for change in &planned.files {
        let before = tree.files().find(|file| file.path == change.path);
        let before = before.map(|file| file.bytes.into_owned()).unwrap_or_default();
        next.insert(change.path.clone(), change.apply(&before).unwrap());
    }
    let again = scan_memory(&next, &Settings::on(today));
    assert!(
        again.findings.iter().all(|other| other.id != finding.id),
        "still there: {after}"
    );
    Ok(after)
}

fn edited(path: &str, text: &str) -> String {
    fixed(&format!("//- {path}\n{text}"), path).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn refused(path: &str, text: &str) -> String {
    match fixed(&format!("//- {path}\n{text}"), path) {
        Ok(after) => panic!("{after}"),
        Err(error) => error,
    }
}

#[test]
fn names_become_capitals_with_underscores() {
    for (name, expected) in [
        ("apiKey", "API_KEY"),
        ("x-api-key", "X_API_KEY"),
        ("OPENAI_KEY", "OPENAI_KEY"),
        ("openAIKey", "OPENAI_KEY"),
        ("dbPassword2", "DB_PASSWORD2"),
        ("HTTPToken", "HTTP_TOKEN"),
        ("_secret_", "SECRET"),
    ] {
        assert_eq!(upper_snake(name), expected, "{name}");
    }
}

#[test]
fn the_key_of_the_only_provider_of_a_file_has_the_variable_of_its_sdk() {
    // Two halves: the whole looks like a key to tools that search this repository.
    let key = ["sk-proj-", "h7Kq2mZx9Tn4Rb6Wc1Vd8Ls3Pf5Gj0Ya7Ue2Io4Qr6Tw8X"].concat();
    let text = format!(
        "from openai import OpenAI\n\n\ndef ask(question):\n    client = OpenAI(api_key=\"{key}\")\n    return client.responses.create(model=\"gpt-4.1-2025-04-14\", input=question)\n"
    );
    assert!(edited("a.py", &text).contains("OpenAI(api_key=os.environ[\"OPENAI_API_KEY\"])"));
}

#[test]
fn a_fallback_of_an_environment_variable_goes_and_a_missing_one_fails() {
    for (path, before, after) in [
        (
            "a.py",
            "import os\nk = os.getenv('OPENAI_KEY') or '{{openai_key}}'\n",
            "import os\nk = os.environ['OPENAI_KEY']\n",
        ),
        (
            "a.py",
            "import os\nk = os.environ.get(\"OPENAI_KEY\", \"{{openai_key}}\")\n",
            "import os\nk = os.environ[\"OPENAI_KEY\"]\n",
        ),
        (
            "a.py",
            "from decouple import config\nk = config(\"OPENAI_KEY\", default=\"{{openai_key}}\")\n",
            "from decouple import config\nk = config(\"OPENAI_KEY\")\n",
        ),
        (
            "a.rb",
            "k = ENV['OPENAI_KEY'] || '{{openai_key}}'\n",
            "k = ENV.fetch('OPENAI_KEY')\n",
        ),
        (
            "a.rb",
            "k = ENV.fetch('OPENAI_KEY', '{{openai_key}}')\n",
            "k = ENV.fetch('OPENAI_KEY')\n",
        ),
        (
            "a.js",
            "const k = process.env.OPENAI_KEY ?? '{{openai_key}}';\n",
            "const k = process.env.OPENAI_KEY;\n",
        ),
        (
            "a.ts",
            "const k: string = process.env.OPENAI_KEY || '{{openai_key}}';\n",
            "const k: string = process.env.OPENAI_KEY!;\n",
        ),
        (
            "a.php",
            "<?php\n$k = $_ENV['OPENAI_KEY'] ?? '{{openai_key}}';\n",
            "<?php\n$k = $_ENV['OPENAI_KEY'];\n",
        ),
        (
            "A.kt",
            "val k = System.getenv(\"OPENAI_KEY\") ?: \"{{openai_key}}\"\n",
            "val k = System.getenv(\"OPENAI_KEY\")\n",
        ),
        (
            "A.java",
            "class A {\n    String k = System.getenv().getOrDefault(\"OPENAI_KEY\", \"{{openai_key}}\");\n}\n",
            "class A {\n    String k = System.getenv(\"OPENAI_KEY\");\n}\n",
        ),
        (
            "A.cs",
            "var k = Environment.GetEnvironmentVariable(\"OPENAI_KEY\") ?? \"{{openai_key}}\";\n",
            "var k = Environment.GetEnvironmentVariable(\"OPENAI_KEY\");\n",
        ),
    ] {
        assert_eq!(edited(path, before), after);
    }
}

#[test]
fn code_that_sets_the_environment_loses_the_line() {
    let before =
        "import os\nimport openai\n\nos.environ[\"OPENAI_API_KEY\"] = \"{{openai_key}}\"  # mine\nprint(openai)\n";
    assert_eq!(edited("a.py", before), "import os\nimport openai\n\nprint(openai)\n");
    let before = "process.env.OPENAI_API_KEY = \"{{openai_key}}\";\nstart();\n";
    assert_eq!(edited("a.js", before), "start();\n");
    // The one statement of a block cannot go.
    refused(
        "a.py",
        "import os\ndef f():\n    os.environ[\"OPENAI_API_KEY\"] = \"{{openai_key}}\"\n",
    );
}

#[test]
fn imports_go_where_the_language_wants_them() {
    assert_eq!(
        edited("a.py", "# a\n\"\"\"Doc.\"\"\"\nOPENAI_KEY = \"{{openai_key}}\"\n"),
        "# a\n\"\"\"Doc.\"\"\"\nimport os\n\nOPENAI_KEY = os.environ[\"OPENAI_KEY\"]\n"
    );
    assert_eq!(
        edited("a.py", "from json import dumps\nOPENAI_KEY = \"{{openai_key}}\"\n"),
        "import os\nfrom json import dumps\nOPENAI_KEY = os.environ[\"OPENAI_KEY\"]\n"
    );
    assert_eq!(
        edited(
            "a.go",
            "package a\n\nfunc key() string {\n\treturn \"{{openai_key}}\"\n}\n"
        ),
        "package a\n\nimport \"os\"\n\nfunc key() string {\n\treturn os.Getenv(\"OPENAI_API_KEY\")\n}\n"
    );
    assert_eq!(
        edited(
            "a.go",
            "package a\n\nimport \"fmt\"\n\nvar key = \"{{openai_key}}\"\n\nfunc f() { fmt.Println(key) }\n"
        ),
        "package a\n\nimport \"fmt\"\nimport \"os\"\n\nvar key = os.Getenv(\"OPENAI_API_KEY\")\n\nfunc f() { fmt.Println(key) }\n"
    );
    assert_eq!(
        edited("A.cs", "class A\n{\n    string key = \"{{openai_key}}\";\n}\n"),
        "class A\n{\n    string key = System.Environment.GetEnvironmentVariable(\"OPENAI_API_KEY\") ?? throw new System.InvalidOperationException(\"OPENAI_API_KEY is not set\");\n}\n"
    );
}

#[test]
fn a_connection_string_moves_as_a_whole() {
    assert_eq!(
        edited("a.py", "import os\nengine = create_engine(\"{{connection_string}}\")\n"),
        "import os\nengine = create_engine(os.environ[\"DATABASE_URL\"])\n"
    );
}

#[test]
fn forms_that_need_a_person_are_refused() {
    for (path, text) in [
        ("a.py", "headers = {\"Authorization\": \"Bearer {{openai_key}}\"}\n"),
        ("a.py", "url = f\"https://api.acme.eu/?key={{openai_key}}&q={q}\"\n"),
        ("a.py", "key = \"{{openai_key}}\" + suffix\n"),
        ("a.py", "\"\"\"{{openai_key}}\"\"\"\n"),
        ("a.jsx", "const key = \"{{openai_key}}\";\n"),
        ("src/a.js", "const key = \"{{openai_key}}\";\ndocument.title = key;\n"),
        ("a.go", "package a\n\nconst (\n\tkey = \"{{openai_key}}\"\n)\n"),
        ("a.php", "<?php\nclass A {\n    private $key = '{{openai_key}}';\n}\n"),
        ("a.php", "<?php\nclass A {\n    const KEY = '{{openai_key}}';\n}\n"),
        ("A.kt", "const val OPENAI_KEY = \"{{openai_key}}\"\n"),
        (
            "A.cs",
            "class A\n{\n    public const string OpenAiKey = \"{{openai_key}}\";\n}\n",
        ),
        ("a.yaml", "openai_key: {{openai_key}}\n"),
        ("a.rs", "const KEY: &str = \"{{openai_key}}\";\n"),
    ] {
        refused(path, text);
    }
}

#[test]
fn scripts_for_the_browser_are_refused() {
    let key = "const key = \"{{openai_key}}\";\nexport default key;\n";
    for (path, other) in [
        ("src/services/openai.js", "vite.config.ts"),
        ("web/src/lib/openai.ts", "web/vite.config.js"),
        ("src/app/chat.ts", "angular.json"),
        ("src/worker.ts", "wrangler.toml"),
        ("public/chat.js", "package.json"),
    ] {
        let text = format!("//- {path}\n{key}//- {other}\n{{}}\n");
        assert!(fixed(&text, path).unwrap_err().contains("browser"), "{path}");
    }
    let server = format!("//- server/openai.js\n{key}//- vite.config.ts\n{{}}\n");
    assert_eq!(
        fixed(&server, "server/openai.js").unwrap(),
        "const key = process.env.OPENAI_API_KEY;\nexport default key;\n"
    );
}

#[test]
fn a_value_of_an_environment_file_gives_its_name() {
    let code = "import os\nfrom openai import OpenAI\n\nclient = OpenAI(api_key=KEY)\n\nif __name__ == \"__main__\":\n    \
        print(client.responses.create(model=\"gpt-5.5\", input=input()).output_text)\n";
    let before = code.replace("KEY", "\"{{openai_key}}\"");
    let text = format!("//- a.py\n{before}//- .env\nTEAM_KEY={{{{openai_key}}}}\n//- .gitignore\n.env\n");
    assert_eq!(
        fixed(&text, "a.py").unwrap(),
        code.replace("KEY", "os.environ[\"TEAM_KEY\"]")
    );
    let other = "//- a.py\nOPENAI_API_KEY = \"{{openai_key}}\"\n//- .env\nOPENAI_API_KEY={{random_token}}\n";
    assert!(fixed(other, "a.py").is_err());
}

#[test]
fn one_secret_at_several_places_is_one_variable() {
    let text = "//- a.py\nimport os\nOPENAI_KEY = \"{{openai_key}}\"\nother = OpenAI(api_key=\"{{openai_key}}\")\n";
    assert_eq!(
        fixed(text, "a.py").unwrap(),
        "import os\nOPENAI_KEY = os.environ[\"OPENAI_KEY\"]\nother = OpenAI(api_key=os.environ[\"OPENAI_KEY\"])\n"
    );
    let in_a_document =
        "//- a.py\nOPENAI_KEY = \"{{openai_key}}\"\n//- README.md\nUse the key {{openai_key}} for it.\n";
    assert!(fixed(in_a_document, "a.py").is_err());
}
