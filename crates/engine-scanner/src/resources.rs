//! Texts of an Android app that nothing shows: a string that no screen and no code asks for.

use std::collections::BTreeSet;

use engine_model::{FileInfo, Language, SourceText, Statement, StatementKind, Zone};

/// Files that are searched for the names of strings.
const FILES_MAX: usize = 4_000;

/// Drops what is said in strings that nothing in the tree asks for. Where none of the strings of a file is asked for, its app is asked for them
/// some other way.
pub(crate) fn drop_unasked(statements: &mut Vec<Statement>, infos: &[FileInfo], source: &dyn SourceText) {
    let mut named: Vec<(usize, String)> = Vec::new();
    let mut all: BTreeSet<String> = BTreeSet::new();
    for (at, statement) in statements.iter().enumerate() {
        let told = matches!(statement.kind, StatementKind::AiNamed | StatementKind::AiNamedByDefault);
        if !told || !is_strings(&statement.file) {
            continue;
        }
        let Some(file) = source.file(&statement.file) else {
            continue;
        };
        let Some(text) = file.text() else { continue };
        if all.is_empty() {
            all.extend(text.lines().filter_map(name_of).map(str::to_owned));
        }
        let line = text.lines().nth((statement.line as usize).saturating_sub(1));
        named.extend(line.and_then(name_of).map(|name| (at, name.to_owned())));
    }
    if named.is_empty() {
        return;
    }
    let mut asked: BTreeSet<String> = BTreeSet::new();
    let screens = infos
        .iter()
        .filter(|info| info.zone == Zone::Product)
        .filter(|info| matches!(info.language, Language::Kotlin | Language::Java | Language::Xml))
        .take(FILES_MAX);
    for info in screens {
        let Some(file) = source.file(&info.path) else { continue };
        let Some(text) = file.text() else { continue };
        for mark in ["R.string.", "@string/", "Res.string.", "MR.strings."] {
            asked.extend(text.match_indices(mark).map(|(at, mark)| {
                let rest = &text[at + mark.len()..];
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(rest.len());
                rest[..end].to_owned()
            }));
        }
    }
    if !all.iter().any(|name| asked.contains(name)) {
        return;
    }
    let unasked: BTreeSet<usize> = named
        .into_iter()
        .filter(|(_, name)| !asked.contains(name))
        .map(|(at, _)| at)
        .collect();
    let mut at = 0;
    statements.retain(|_| {
        at += 1;
        !unasked.contains(&(at - 1))
    });
}

/// Whether a file holds the strings of an app.
fn is_strings(path: &str) -> bool {
    path.ends_with("strings.xml") && path.contains("res/values")
}

/// The name of the string in a line: `<string name="hello">Hello</string>`.
fn name_of(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<string ")?;
    let (_, rest) = rest.split_once("name=\"")?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use engine_model::fixture;

    #[test]
    fn unshown_string_is_no_disclosure() {
        let app = |shown: &str| {
            let tree = format!(
                "//- app/src/main/res/values/strings.xml\n<resources>\n<string name=\"app_name\">Friend</string>\n<string name=\"desc\">Talk with AI companion</string>\n</resources>\n//- app/src/main/java/a/Chat.kt\npackage a\nimport androidx.compose.material.*\nimport com.google.ai.client.generativeai.GenerativeModel\n@Composable\nfun Chat() {{\n    val model = GenerativeModel(\"gemini-3.5-flash\", \"k\")\n    Text(stringResource(R.string.app_name))\n    Text(stringResource(R.string.{shown}))\n}}\n"
            );
            let tree = fixture(&tree).unwrap();
            let mut statements = vec![engine_model::Statement {
                file: "app/src/main/res/values/strings.xml".to_owned(),
                line: 3,
                kind: engine_model::StatementKind::AiNamed,
                value: "Talk with AI companion".to_owned(),
                days: None,
            }];
            let infos: Vec<_> = tree.files().map(|file| file.info()).collect();
            super::drop_unasked(&mut statements, &infos, &tree);
            statements.len()
        };
        assert_eq!(app("desc"), 1);
        assert_eq!(app("app_name"), 0);
    }
}
