//! What a bill of materials must hold, and that it is valid against its schema.

use std::collections::BTreeSet;

use engine_model::{
    DataComponent, Dependency, DependencyRelation, DependencyScope, Ecosystem, Inventory, McpServer, ModelFile,
    ModelUse, Package, Service, Zone,
};
use serde_json::{Value, json};

use super::{Subject, cyclonedx};

const SERIAL: &str = "3e671687-395b-41f5-a30f-a58921a69b79";
const TIME: &str = "2026-08-02T10:00:00Z";

fn package(ecosystem: Ecosystem, name: &str, version: Option<&str>, file: &str) -> Package {
    let at = version.map(|version| format!("@{version}")).unwrap_or_default();
    Package {
        ecosystem,
        name: name.to_owned(),
        version: version.map(str::to_owned),
        requirement: None,
        scope: DependencyScope::Required,
        relation: DependencyRelation::Direct,
        file: file.to_owned(),
        line: Some(3),
        purl: format!(
            "pkg:{}/{}{at}",
            ecosystem.purl_type(),
            name.replace('@', "%40").replace(':', "/")
        ),
        license: None,
        hashes: Vec::new(),
        dependencies: Vec::new(),
        ai_kind: None,
        provider: None,
        zone: Zone::Product,
    }
}

fn sample() -> Inventory {
    let mut openai = package(Ecosystem::Npm, "openai", Some("4.73.0"), "package-lock.json");
    openai.license = Some("Apache-2.0".to_owned());
    openai.hashes = vec![
        format!("sha512:{}", "ab".repeat(64)),
        "h1:00".to_owned(),
        "sha512:short".to_owned(),
    ];
    openai.dependencies = vec![Dependency {
        name: "@scope/part".to_owned(),
        version: Some("1.0.0".to_owned()),
    }];
    openai.ai_kind = Some("sdk".to_owned());
    openai.provider = Some("openai".to_owned());
    let mut part = package(Ecosystem::Npm, "@scope/part", Some("1.0.0"), "package-lock.json");
    part.relation = DependencyRelation::Transitive;
    part.scope = DependencyScope::Development;
    part.license = Some("Own licence, see file".to_owned());
    let mut elsewhere = part.clone();
    elsewhere.file = "web/package-lock.json".to_owned();
    let mut loose = package(Ecosystem::PyPI, "Fast_API", None, "requirements.txt");
    loose.requirement = Some(">=0.100".to_owned());
    Inventory {
        packages: std::sync::Arc::new(vec![
            openai,
            part,
            elsewhere,
            loose,
            package(
                Ecosystem::Maven,
                "dev.langchain4j:langchain4j",
                Some("1.17.0"),
                "pom.xml",
            ),
            package(Ecosystem::Go, "github.com/BurntSushi/toml", Some("v1.2.0"), "go.mod"),
        ]),
        models: vec![ModelUse {
            name: "gpt-4o".to_owned(),
            provider: Some("openai".to_owned()),
            family: Some("gpt-4o".to_owned()),
            pinned: Some(false),
            retired: Some("2027-01-01".to_owned()),
            occurrences: vec!["src/app.js:7".to_owned(), "src/other.js:9".to_owned()],
        }],
        datasets: vec![DataComponent {
            name: "squad".to_owned(),
            file: "train.py".to_owned(),
            line: 4,
        }],
        services: vec![Service {
            provider: "openai".to_owned(),
            host: Some("api.openai.com".to_owned()),
            occurrences: vec!["src/app.js:7".to_owned()],
        }],
        mcp_servers: vec![
            McpServer {
                name: "files".to_owned(),
                transport: "stdio".to_owned(),
                target: Some("npx".to_owned()),
                file: ".mcp.json".to_owned(),
                line: 3,
            },
            McpServer {
                name: "remote".to_owned(),
                transport: "http".to_owned(),
                target: Some("https://mcp.example.org/mcp".to_owned()),
                file: ".mcp.json".to_owned(),
                line: 6,
            },
        ],
        model_files: vec![ModelFile {
            file: "weights/m.gguf".to_owned(),
            format: "gguf".to_owned(),
            bytes: 12,
            architecture: Some("llama".to_owned()),
            license: Some("apache-2.0".to_owned()),
            digest: Some("c21a7c35358a8dc967c32f87c10b72994220a83319499ae0da1768eb9907fb08".to_owned()),
            parameters: Some(7_000_000_000),
            ..ModelFile::default()
        }],
        ..Inventory::default()
    }
}

fn subject() -> Subject {
    Subject {
        name: "helper".to_owned(),
        version: Some("1.2.3".to_owned()),
    }
}

fn write(inventory: &Inventory) -> Value {
    cyclonedx(inventory, &subject(), SERIAL, TIME)
}

#[track_caller]
fn assert_valid(document: &Value) {
    let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let registry = jsonschema::Registry::new()
        .add(
            "http://cyclonedx.org/schema/spdx.schema.json",
            read(include_str!("../tests/schemas/spdx.schema.json")),
        )
        .unwrap()
        .add(
            "http://cyclonedx.org/schema/jsf-0.82.schema.json",
            read(include_str!("../tests/schemas/jsf-0.82.schema.json")),
        )
        .unwrap()
        .prepare()
        .unwrap();
    let schema = read(include_str!("../tests/schemas/bom-1.5.schema.json"));
    let validator = jsonschema::options().with_registry(&registry).build(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn component<'d>(document: &'d Value, reference: &str) -> &'d Value {
    let list = document["components"].as_array().unwrap();
    list.iter()
        .find(|component| component["bom-ref"] == reference)
        .unwrap_or(&Value::Null)
}

#[test]
fn a_full_inventory_gives_a_document_that_is_valid_against_the_schema() {
    assert_valid(&write(&sample()));
}

#[test]
fn an_empty_inventory_gives_a_valid_document_too() {
    let document = write(&Inventory::default());
    assert_valid(&document);
    assert_eq!(document["metadata"]["component"]["name"], "helper");
    assert_eq!(document["metadata"]["timestamp"], TIME);
    assert_eq!(document["serialNumber"], format!("urn:uuid:{SERIAL}"));
}

#[test]
fn strange_names_and_texts_still_give_a_valid_document() {
    let mut inventory = sample();
    for package in std::sync::Arc::make_mut(&mut inventory.packages) {
        package.license = Some("MIT OR (broken".to_owned());
        package.name.push_str("\n\t<x> \u{1F980}");
        package.purl = "not a purl".to_owned();
    }
    inventory.services[0].host = Some("a b\"c".to_owned());
    inventory.mcp_servers[1].target = Some("https://ex ample/{x}".to_owned());
    assert_valid(&write(&inventory));
}

#[test]
fn a_package_carries_purl_licence_digests_scope_and_places() {
    let document = write(&sample());
    let openai = component(&document, "pkg:npm/openai@4.73.0");
    assert_eq!(openai["type"], "library");
    assert_eq!(openai["purl"], "pkg:npm/openai@4.73.0");
    assert_eq!(openai["licenses"], json!([{ "expression": "Apache-2.0" }]));
    assert_eq!(
        openai["hashes"],
        json!([{ "alg": "SHA-512", "content": "ab".repeat(64) }])
    );
    assert_eq!(openai["scope"], "required");
    assert_eq!(
        openai["evidence"]["occurrences"],
        json!([{ "location": "package-lock.json:3" }])
    );
    let part = component(&document, "pkg:npm/%40scope/part@1.0.0");
    assert_eq!((&part["group"], &part["name"]), (&json!("@scope"), &json!("part")));
    assert_eq!(part["scope"], "excluded");
    assert_eq!(
        part["licenses"],
        json!([{ "license": { "name": "Own licence, see file" } }])
    );
    assert_eq!(part["evidence"]["occurrences"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_unknown_version_stays_unknown_and_is_said_to_be_incomplete() {
    let document = write(&sample());
    let loose = component(&document, "pkg:pypi/Fast_API");
    assert!(loose.get("version").is_none());
    assert_eq!(
        loose["properties"][1],
        json!({ "name": "engine:requirement", "value": ">=0.100" })
    );
    let incomplete = document["compositions"].as_array().unwrap().iter().any(|composition| {
        composition["aggregate"] == "incomplete" && composition["dependencies"] == json!(["pkg:pypi/Fast_API"])
    });
    assert!(incomplete, "{:#}", document["compositions"]);
}

#[test]
fn the_graph_leads_from_the_project_to_what_packages_need() {
    let document = write(&sample());
    let arrows = |reference: &str| -> Vec<String> {
        let list = document["dependencies"].as_array().unwrap();
        let row = list.iter().find(|row| row["ref"] == reference).unwrap();
        let needed = row["dependsOn"].as_array().cloned().unwrap_or_default();
        needed.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    assert!(arrows("project").contains(&"pkg:npm/openai@4.73.0".to_owned()));
    assert!(!arrows("project").contains(&"pkg:npm/%40scope/part@1.0.0".to_owned()));
    assert_eq!(arrows("pkg:npm/openai@4.73.0"), ["pkg:npm/%40scope/part@1.0.0"]);
}

#[test]
fn models_data_sets_and_weights_are_components_of_their_own_kind() {
    let document = write(&sample());
    let model = component(&document, "model:openai/gpt-4o");
    assert_eq!(model["type"], "machine-learning-model");
    assert_eq!(model["modelCard"]["modelParameters"]["architectureFamily"], "gpt-4o");
    assert_eq!(model["supplier"]["name"], "openai");
    assert_eq!(model["evidence"]["occurrences"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        component(&document, "model-file:weights/m.gguf")["type"],
        "machine-learning-model"
    );
    let data = component(&document, "data:squad");
    assert_eq!(data["type"], "data");
    assert_eq!(data["data"], json!([{ "type": "dataset", "name": "squad" }]));
}

#[test]
fn hosted_services_and_mcp_servers_are_services_with_endpoint_and_flow() {
    let document = write(&sample());
    let services = document["services"].as_array().unwrap();
    let find = |name: &str| services.iter().find(|service| service["name"] == name).unwrap();
    let hosted = find("api.openai.com");
    assert_eq!(hosted["endpoints"], json!(["https://api.openai.com"]));
    assert_eq!(hosted["x-trust-boundary"], true);
    assert_eq!(hosted["data"][0]["flow"], "bi-directional");
    assert_eq!(find("remote")["endpoints"], json!(["https://mcp.example.org/mcp"]));
    assert_eq!(find("files")["x-trust-boundary"], false);
}

#[test]
fn every_reference_is_unique_and_every_arrow_ends_somewhere() {
    let mut inventory = sample();
    // Two modules whose package URLs are the same but for the case of the name.
    let mut twin = package(Ecosystem::Go, "github.com/burntsushi/toml", Some("v1.2.0"), "go.mod");
    twin.purl.clone_from(&inventory.packages[5].purl);
    std::sync::Arc::make_mut(&mut inventory.packages).push(twin);
    let document = write(&inventory);
    assert_valid(&document);
    let mut known = BTreeSet::from(["project".to_owned()]);
    for list in ["components", "services"] {
        for item in document[list].as_array().unwrap() {
            let reference = item["bom-ref"].as_str().unwrap().to_owned();
            assert!(known.insert(reference.clone()), "{reference} stands twice");
        }
    }
    for row in document["dependencies"].as_array().unwrap() {
        assert!(known.contains(row["ref"].as_str().unwrap()));
        for needed in row["dependsOn"].as_array().into_iter().flatten() {
            assert!(known.contains(needed.as_str().unwrap()));
        }
    }
}

#[test]
fn the_same_inventory_in_another_order_gives_the_same_bytes() {
    let inventory = sample();
    let mut turned = inventory.clone();
    std::sync::Arc::make_mut(&mut turned.packages).reverse();
    turned.models.reverse();
    turned.mcp_servers.reverse();
    assert_eq!(write(&inventory).to_string(), write(&turned).to_string());
    let later = cyclonedx(
        &inventory,
        &subject(),
        "00000000-0000-4000-8000-000000000000",
        "2027-01-01T00:00:00Z",
    );
    let strip = |mut document: Value| {
        document["serialNumber"] = Value::Null;
        document["metadata"]["timestamp"] = Value::Null;
        document.to_string()
    };
    assert_eq!(strip(later), strip(write(&inventory)));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the lockfiles lie in the repository")]
fn what_real_package_managers_locked_gives_closed_and_valid_documents() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine-scan-dependencies/tests/managers");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        let mut facts = Vec::new();
        for file in std::fs::read_dir(&folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_file() && engine_scan_dependencies::wants(&name) {
                let file = engine_model::SourceFile::new(name, std::fs::read(&path).unwrap());
                facts.push((file.info(), engine_scan_dependencies::read(&file)));
            }
        }
        let inventory = Inventory {
            packages: engine_scan_dependencies::join(&facts).packages.into(),
            ..Inventory::default()
        };
        let document = write(&inventory);
        assert_valid(&document);
        let references: BTreeSet<&str> = document["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|component| component["bom-ref"].as_str().unwrap())
            .chain(["project"])
            .collect();
        assert_eq!(
            references.len(),
            document["components"].as_array().unwrap().len() + 1,
            "{folder:?}"
        );
        let mut arrows = 0;
        for dependency in document["dependencies"].as_array().unwrap() {
            let ends = dependency["dependsOn"].as_array().into_iter().flatten();
            for reference in ends.chain([&dependency["ref"]]).filter_map(Value::as_str) {
                assert!(references.contains(reference), "{folder:?}: {reference}");
                arrows += 1;
            }
        }
        assert!(arrows > 1, "{folder:?} has no graph");
        let no_place = |component: &&Value| {
            component["evidence"]["occurrences"]
                .as_array()
                .is_none_or(Vec::is_empty)
        };
        assert_eq!(
            document["components"].as_array().unwrap().iter().find(no_place),
            None,
            "{folder:?}"
        );
        seen += 1;
    }
    assert!(seen >= 15, "{seen} folders");
}
