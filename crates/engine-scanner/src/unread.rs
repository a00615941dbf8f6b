//! Code that was not analysed: if it names a model service, the verdict cannot be "no AI". Languages that are not parsed are
//! searched line by line.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine_catalogue::catalogue;
use engine_model::{Applicability, FileInfo, LineRange, SourceText, Zone};
use engine_scan_code::{CodeFacts, literal_in, may_name_a_service, named_service, unread_language};

use crate::applicability::count;

/// Languages that are named in the reason.
const SHOWN_MAX: usize = 3;

/// Files that are looked through for the name of a model service.
const NAMING_MAX: usize = 200;

/// A file of settings beyond this length holds data.
const SETTINGS_BYTES_MAX: u64 = 256 * 1024;

/// A file with lines that its grammar could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotParsed {
    /// Path relative to the project's root.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// The lines, in order.
    pub lines: Vec<LineRange>,
    /// Whether it is part of the product.
    pub product: bool,
}

/// The files with lines that no grammar could read: those that were read by themselves, and those that only resolution asked for.
pub(crate) fn not_parsed(code: &[(FileInfo, Arc<CodeFacts>)], resolved: &[(String, Vec<LineRange>)]) -> Vec<NotParsed> {
    let resolved: BTreeMap<&str, &[LineRange]> = resolved
        .iter()
        .map(|(path, lines)| (path.as_str(), lines.as_slice()))
        .collect();
    code.iter()
        .filter_map(|(info, facts)| {
            let lines = match facts.unparsed.as_slice() {
                [] => *resolved.get(info.path.as_str())?,
                lines => lines,
            };
            Some(NotParsed {
                path: info.path.clone(),
                bytes: info.size,
                lines: lines.to_vec(),
                product: info.zone == Zone::Product,
            })
        })
        .collect()
}

/// The first line that was not understood and names a library for models or a model service.
fn told_unparsed(files: &[NotParsed], source: &dyn SourceText) -> Option<(String, u32, String)> {
    files
        .iter()
        .filter(|file| file.product)
        .take(NAMING_MAX)
        .find_map(|file| {
            let text = source.file(&file.path)?;
            let text = text.text()?;
            (1_u32..).zip(text.lines()).find_map(|(number, line)| {
                let lost = file
                    .lines
                    .iter()
                    .any(|lines| (lines.first..=lines.last).contains(&number));
                let what = literal_in(&file.path, line).filter(|_| lost)?;
                Some((file.path.clone(), number, what))
            })
        })
}

/// The verdict with what was not read as code, or not understood.
pub(crate) fn weigh(
    decided: (Applicability, String),
    code: &[(FileInfo, Arc<CodeFacts>)],
    unparsed: &[NotParsed],
    source: &dyn SourceText,
) -> (Applicability, String) {
    let (applicability, reason) = decided;
    let language = |info: &FileInfo| unread_language(&info.path, info.language, info.zone);
    let telling = code.iter().find_map(|(info, facts)| {
        let told = facts.unread.as_ref()?;
        Some((info, told, language(info)?))
    });
    if let Some((info, told, language)) = telling {
        let place = format!(
            "{}:{} names `{}` in {language}, a language that is not analysed as code",
            info.path, told.line, told.what
        );
        return if applicability == Applicability::NoAiFound {
            let reason = format!("{place}: could not determine whether it calls a model");
            (Applicability::Undetermined, reason)
        } else {
            (applicability, format!("{reason}; {place}"))
        };
    }
    if applicability != Applicability::NoAiFound {
        return (applicability, reason);
    }
    if let Some((path, line, what)) = told_unparsed(unparsed, source) {
        let reason = format!(
            "{path}:{line} could not be parsed and names `{what}`: could not determine whether it calls a model"
        );
        return (Applicability::Undetermined, reason);
    }
    let named = code
        .iter()
        .filter(|(info, facts)| may_name_a_service(info, facts))
        .take(NAMING_MAX)
        .find_map(|(info, _)| {
            let named = named_service(info, source)?;
            let idle = named
                .table
                .as_ref()
                .is_some_and(|names| !is_reached(&info.path, names, code, source));
            (!idle).then_some((info, named))
        });
    let named = named.map(|(info, named)| (info.path.as_str(), named.line, named.what));
    if let Some((path, line, what)) = named.or_else(|| configured(code, source)) {
        let reason = format!("{path}:{line} names `{what}`, but no model call was found in the code");
        return (Applicability::Undetermined, reason);
    }
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for language in code.iter().filter_map(|(info, _)| language(info)) {
        *numbers.entry(language).or_default() += 1;
    }
    if numbers.is_empty() {
        return (applicability, reason);
    }
    let mut numbers: Vec<(&str, usize)> = numbers.into_iter().collect();
    numbers.sort_by_key(|(name, number)| (std::cmp::Reverse(*number), *name));
    let shown: Vec<String> = numbers
        .iter()
        .take(SHOWN_MAX)
        .map(|(name, number)| format!("{} in {name}", count(*number, "file")))
        .collect();
    let more = if numbers.len() > SHOWN_MAX { " and others" } else { "" };
    let reason = format!(
        "{reason}; searched only for the names of model services, not analysed as code: {}{more}",
        shown.join(", ")
    );
    (applicability, reason)
}

/// Whether other code of the product names what a file hands out.
fn is_reached(path: &str, names: &[String], code: &[(FileInfo, Arc<CodeFacts>)], source: &dyn SourceText) -> bool {
    code.iter()
        .filter(|(info, _)| info.zone == Zone::Product && info.path != path && info.language.is_code())
        .take(NAMING_MAX)
        .any(|(info, _)| {
            let file = source.file(&info.path);
            let text = file.as_ref().and_then(engine_model::SourceFile::text);
            text.is_some_and(|text| names.iter().any(|name| has_word(&text, name)))
        })
}

/// Whether a text has a name as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// The first setting of the product that is the address of a model service: file, line and host. What stands around the host may be a
/// secret.
fn configured<'a>(code: &'a [(FileInfo, Arc<CodeFacts>)], source: &dyn SourceText) -> Option<(&'a str, u32, String)> {
    code.iter()
        .filter(|(info, _)| info.zone == Zone::Product && info.size <= SETTINGS_BYTES_MAX && is_settings(&info.path))
        .take(NAMING_MAX)
        .find_map(|(info, _)| {
            let file = source.file(&info.path)?;
            let text = file.text()?;
            let (line, host) = (1..).zip(text.lines()).find_map(|(number, line)| {
                let line = line.trim();
                let (_, value) = line.split_once(['=', ':']).filter(|_| !line.starts_with(['#', '/']))?;
                let value = value.trim().trim_end_matches(',').trim_matches(['"', '\'']);
                let host = catalogue()
                    .host_of_a_model_service(value)
                    .filter(|_| value.contains("://"))?;
                Some((number, host.to_owned()))
            })?;
            Some((info.path.as_str(), line, host))
        })
}

/// Whether a file holds the settings of a program, by its name: those that a framework reads, and environments with their samples.
fn is_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let of_spring =
        name.starts_with("application") && [".properties", ".yml", ".yaml"].iter().any(|end| name.contains(end));
    let of_dotnet = name.starts_with("appsettings") && name.contains(".json");
    of_spring || of_dotnet || name == ".env" || name.starts_with(".env.")
}

#[cfg(test)]
mod tests {
    use engine_model::{Applicability, Date, LineRange, fixture};

    use super::NAMING_MAX;
    use crate::{Settings, scan_memory};

    fn decided(tree: &str) -> (Applicability, String) {
        let tree = fixture(tree).unwrap();
        let evaluation = scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20)));
        assert!(evaluation.systems.is_empty() && evaluation.findings.is_empty());
        (evaluation.applicability, evaluation.reason)
    }

    #[test]
    fn model_host_in_unparsed_language_is_undetermined() {
        let (applicability, reason) = decided(
            "//- lib/chat.dart\nimport 'package:http/http.dart' as http;\n\nFuture<String> ask(String text) async {\n  final reply = await \
             http.post(Uri.parse('https://api.openai.com/v1/chat/completions'), body: text);\n  return reply.body;\n}\n",
        );
        assert_eq!(applicability, Applicability::Undetermined);
        assert!(
            reason.starts_with("lib/chat.dart:4 names `api.openai.com` in Dart"),
            "{reason}"
        );
    }

    #[test]
    fn unparsed_language_without_model_host_is_no_ai_with_note() {
        let (applicability, reason) = decided(
            "//- lib/chat.dart\nimport 'package:chat_ui/chat_ui.dart';\n// like https://api.openai.com/v1/chat/completions\nvoid main() => \
             run('https://chat.example/api');\n//- lib/agent.dart\nclass Agent {}\n",
        );
        assert_eq!(applicability, Applicability::NoAiFound);
        assert!(
            reason.ends_with("; searched only for the names of model services, not analysed as code: 2 files in Dart"),
            "{reason}"
        );
    }

    #[test]
    fn search_for_model_hosts_has_file_limit() {
        // Files that may name one and do not come before the one that does.
        let code = |before: usize| {
            let lists: Vec<String> = (0..before)
                .map(|at| ["//- a", &format!("{at:04}"), ".py\nKEYS = [\"OPENAI_API_KEY\"]\n"].concat())
                .collect();
            let lists = lists.concat();
            format!("{lists}//- z.py\nclient = connect(key(\"OPENAI_API_KEY\"))\n")
        };
        let settings = |before: usize| {
            let plain: Vec<String> = (0..before)
                .map(|at| ["//- a", &format!("{at:04}"), "/application.properties\nname=Desk\n"].concat())
                .collect();
            let plain = plain.concat();
            format!("{plain}//- z/application.properties\nurl=https://api.openai.com/v1\n//- a.go\npackage main\n")
        };
        for tree in [code(NAMING_MAX - 1), settings(NAMING_MAX - 1)] {
            assert_eq!(decided(&tree).0, Applicability::Undetermined);
        }
        for tree in [code(NAMING_MAX), settings(NAMING_MAX)] {
            assert_eq!(decided(&tree).0, Applicability::NoAiFound);
        }
    }

    #[test]
    fn model_host_in_parsed_code_is_undetermined() {
        for (tree, place) in [
            (
                "//- Assets/Ask.cs\nclass Ask {\n  void Run(string text) {\n    var request = new WebCall(\"https://api.openai.com/v1/chat/completions\", text);\n    request.Go();\n  }\n}\n",
                "Assets/Ask.cs:3 names `api.openai.com`",
            ),
            (
                "//- main.go\npackage main\n\nimport (\n\t\"os\"\n\t\"example.org/chat\"\n)\n\nfunc main() {\n\tclient := chat.New(os.Getenv(\"OPENAI_API_KEY\"))\n\tclient.Ask(\"hello\")\n}\n",
                "main.go:9 names `OPENAI_API_KEY`",
            ),
            (
                "//- src/ask.ts\nimport { client } from 'unheard-of';\nexport const model = client(process.env.VITE_GEMINI_API_KEY);\n",
                "src/ask.ts:2 names `VITE_GEMINI_API_KEY`",
            ),
            (
                "//- src/main/resources/application.properties\nbot.name=Desk\nbot.url=https://api.openai.com/v1/completions?key=secret\n//- src/main/java/a/A.java\nclass A {}\n",
                "src/main/resources/application.properties:2 names `api.openai.com`, but",
            ),
            (
                "//- .env.example\n# LLM=https://api.mistral.ai/v1\nLLM=\"https://api.groq.com/openai/v1\"\n//- a.go\npackage main\n",
                ".env.example:2 names `api.groq.com`",
            ),
        ] {
            let (applicability, reason) = decided(tree);
            assert_eq!(applicability, Applicability::Undetermined, "{tree}");
            assert!(reason.starts_with(place), "{reason}");
        }
    }

    #[test]
    fn settings_of_spring_and_ballerina_name_a_model_service() {
        let java = |name: &str| {
            format!(
                "//- src/main/java/A.java\nimport org.springframework.beans.factory.annotation.Value;\nclass A {{\n  @Value(\"${{{name}}}\")\n  private String token;\n}}\n"
            )
        };
        let (verdict, reason) = decided(&java("huggingface.api.token"));
        assert_eq!(verdict, Applicability::Undetermined, "{reason}");
        assert_eq!(decided(&java("mail.api.token")).0, Applicability::NoAiFound);
        let ballerina = |import: &str| format!("//- main.bal\nimport ballerina/http;\nimport {import};\n");
        let (verdict, reason) = decided(&ballerina("ballerinax/openai.chat"));
        assert_eq!(verdict, Applicability::Undetermined, "{reason}");
        assert_eq!(decided(&ballerina("ballerinax/mysql")).0, Applicability::NoAiFound);
    }

    #[test]
    fn browser_automation_of_model_page_is_undetermined() {
        let python = |import: &str, page: &str| {
            format!("//- ask.py\nfrom {import} import start\nPAGE = start()\nPAGE.goto(\"{page}\")\n")
        };
        let (verdict, reason) = decided(&python("playwright.sync_api", "https://chat.openai.com/"));
        assert_eq!(verdict, Applicability::Undetermined, "{reason}");
        assert!(reason.starts_with("ask.py:3 names `chat.openai.com`"), "{reason}");
        // A page of something else, and a link that no browser is sent to.
        for (import, page) in [
            ("playwright.sync_api", "https://shop.example/"),
            ("playwright.sync_api", "https://openai.com/blog"),
            ("links", "https://chat.openai.com/"),
        ] {
            assert_eq!(decided(&python(import, page)).0, Applicability::NoAiFound, "{page}");
        }
    }

    #[test]
    fn user_script_header_names_model_host() {
        // Written as one text with the file, so that no line of this file names a host by itself.
        for (begin, named) in [
            (
                "//- beside.user.js\n// ==UserScript==\n// @name Beside\n// @connect api.openai.com\n",
                true,
            ),
            (
                "//- beside.user.js\n// ==UserScript==\n// @name Beside\n// @connect api.weather.example\n",
                false,
            ),
            (
                "//- beside.js\n// ==UserScript==\n// @name Beside\n// @connect api.openai.com\n",
                false,
            ),
        ] {
            let rest = "// ==/UserScript==\nconst reply = load('answers').url\nenv.xhr({ url: reply })\n";
            let (verdict, reason) = decided(&[begin, rest].concat());
            if named {
                assert_eq!(verdict, Applicability::Undetermined, "{reason}");
                assert!(
                    reason.starts_with("beside.user.js:3 names `api.openai.com`"),
                    "{reason}"
                );
            } else {
                assert_eq!(verdict, Applicability::NoAiFound, "{begin}");
            }
        }
    }

    #[test]
    fn lists_comments_and_tests_name_no_model_host() {
        let (applicability, reason) = decided(
            "//- src/redact.py\nHIDDEN = [\"OPENAI_API_KEY\", \"https://api.openai.com/v1/chat/completions\"]\nLABELS = {\"OPENAI_API_KEY\": \"key\"}\n\
             # https://api.openai.com/v1/chat/completions\n//- tests/test_ask.py\nimport os\n\ndef test_key():\n    assert os.environ[\"OPENAI_API_KEY\"]\n",
        );
        assert_eq!(applicability, Applicability::NoAiFound, "{reason}");
    }

    #[test]
    fn constant_table_of_hosts_names_no_model_host() {
        for table in [
            "//- hosts.ts\nexport const HOSTS = { openai: \"api.openai.com\", anthropic: \"api.anthropic.com\" };\n",
            "//- hosts.ts\nexport const HOSTS = Object.freeze({ openai: { host: \"api.openai.com\" } } as const);\nexport const known = (host: string) => Object.keys(HOSTS).includes(host);\n",
            "//- hosts.py\nHOSTS = {\"openai\": \"api.openai.com\", \"anthropic\": \"api.anthropic.com\"}\n",
            "//- hosts.go\npackage hosts\n\nvar Hosts = map[string]string{\"openai\": \"api.openai.com\"}\n",
            "//- Hosts.java\nimport java.util.Map;\nclass Hosts { static final Map<String, String> ALL = Map.of(\"openai\", \"api.openai.com\"); }\n",
            "//- Hosts.kt\nval HOSTS = mapOf(\"openai\" to \"api.openai.com\")\n",
            "//- Hosts.cs\npublic static class Hosts { public static readonly Dictionary<string, string> All = new() { [\"openai\"] = \"api.openai.com\" }; }\n",
            "//- hosts.rb\nHOSTS = { openai: \"api.openai.com\" }.freeze\n",
            "//- hosts.php\n<?php\nconst HOSTS = ['openai' => 'api.openai.com'];\n",
        ] {
            let (verdict, reason) = decided(table);
            assert_eq!(verdict, Applicability::NoAiFound, "{reason}\n{table}");
        }
        // What is taken out of the table may be called.
        let used = "//- hosts.ts\nexport const HOSTS = { openai: \"api.openai.com\" };\n//- send.ts\nimport { HOSTS } from './hosts';\nimport { post } from 'unheard-of';\nexport const send = (name: string, text: string) => post(HOSTS[name], text);\n";
        assert_eq!(decided(used).0, Applicability::Undetermined);
        let same = "//- hosts.ts\nconst HOSTS = { openai: \"api.openai.com\" };\nexport const send = (name: string, text: string) => post(HOSTS[name], text);\n";
        assert_eq!(decided(same).0, Applicability::Undetermined);
    }

    #[test]
    fn unread_line_with_model_library_is_undetermined() {
        let scanned = |tree: &str| {
            let tree = fixture(tree).unwrap();
            scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20)))
        };
        let broken = scanned("//- a.py\nx = 1\nfrom openai import (OpenAI,, y = = 3\n");
        assert_eq!(broken.applicability, Applicability::Undetermined, "{}", broken.reason);
        assert!(
            broken.reason.contains("a.py:2 could not be parsed"),
            "{}",
            broken.reason
        );
        let listed: Vec<_> = broken
            .not_parsed
            .iter()
            .map(|file| (file.path.as_str(), &file.lines[..]))
            .collect();
        assert_eq!(listed, [("a.py", &[LineRange::new(2, 2)][..])]);
    }

    #[test]
    fn broken_cell_of_notebook_is_listed_and_other_cells_are_read() {
        let notebook = [
            "{\"cells\": [",
            "{\"cell_type\": \"code\", \"source\": [\"from openai import OpenAI\\n\", \"client = OpenAI()\"]},",
            "{\"cell_type\": \"code\", \"source\": [\"table = {'a': 1,,\\n\", \"print(table\"]},",
            "{\"cell_type\": \"code\", \"source\": [\"client.responses.create(model='gpt-4.1', input='a')\"]}",
            "], \"metadata\": {\"kernelspec\": {\"language\": \"python\"}}, \"nbformat\": 4, \"nbformat_minor\": 5}",
        ];
        for (text, call, lost) in [(notebook.join("\n"), 4, 3), (notebook.join(" "), 1, 1)] {
            let mut tree = engine_model::MemoryTree::default();
            tree.insert("nb.ipynb", text.into_bytes());
            let found = scan_memory(&tree, &Settings::on(Date::constant(2026, 11, 20)));
            let calls = found.inventory.calls.iter().filter(|call| call.model.is_some());
            let calls: Vec<_> = calls.map(|call| (call.line, call.cell)).collect();
            assert_eq!(calls, [(call, Some(3))]);
            let [file] = &found.not_parsed[..] else { unreachable!() };
            assert!(!file.lines.is_empty());
            for lines in &file.lines {
                assert_eq!((lines.first, lines.cell), (lost, Some(2)));
            }
        }
    }

    #[test]
    fn tests_in_unparsed_language_are_ignored() {
        let (applicability, reason) = decided(
            "//- test/chat_test.dart\nimport 'package:dart_openai/dart_openai.dart';\n//- README.md\n# A library of shapes\n",
        );
        assert_eq!(applicability, Applicability::NoAiFound);
        assert!(!reason.contains("Dart"), "{reason}");
    }
}
