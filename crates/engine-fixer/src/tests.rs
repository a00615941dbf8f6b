//! What must hold for every strategy.

use std::collections::{BTreeMap, BTreeSet};

use engine_documents::Facts;
use engine_model::{Date, Finding, FindingType, MemoryTree, SourceText, fixture};
use engine_scanner::{Evaluation, Settings, StatedClass, missing_document, scan_memory};

use crate::{DocumentDraft, Drafts, FixInput, NoFix, Plan, STRATEGIES, Strategy, plan};

mod edits;
mod hostile;

/// The date of the examples.
fn today() -> Date {
    Date::constant(2026, 11, 20)
}

/// Examples are systems of high risk where the obligation asks for it, so that their gaps are reported.
fn settings(class: Option<StatedClass>) -> Settings {
    Settings {
        risk_class: class,
        ..Settings::on(today())
    }
}

fn scan(tree: &MemoryTree, class: Option<StatedClass>) -> Evaluation {
    scan_memory(tree, &settings(class))
}

fn paths(tree: &MemoryTree) -> Vec<String> {
    tree.files().map(|file| file.path.to_string()).collect()
}

/// No document generator.
pub(crate) struct NoDrafts;

impl Drafts for NoDrafts {
    fn draft(&self, _: &Finding) -> Result<DocumentDraft, NoFix> {
        Err(NoFix::NoStrategy)
    }
}

/// The document generator, over an evaluation alone.
struct Generator<'a>(&'a Evaluation);

impl Drafts for Generator<'_> {
    fn draft(&self, finding: &Finding) -> Result<DocumentDraft, NoFix> {
        let unknown = || NoFix::here("unknown document");
        let kind = missing_document(finding)
            .and_then(engine_documents::kind)
            .ok_or_else(unknown)?;
        let mut systems = self.0.systems.iter();
        let system = systems
            .find(|system| Some(&system.id) == finding.system.as_ref())
            .ok_or_else(unknown)?;
        let facts = Facts {
            as_of: today(),
            law_version: "test",
            system,
            systems: self.0.systems.len(),
            inventory: &self.0.inventory,
            findings: &self.0.findings,
            documents: &self.0.documents,
            files_read: 1,
            passport: None,
            evaluation: None,
            jurisdiction: None,
        };
        let made = engine_documents::generate(kind, &facts, &engine_documents::Request::default());
        Ok(DocumentDraft {
            title: kind.title().to_owned(),
            path: format!(".compliance/documents/{}.md", kind.id()),
            text: made.content,
            kept_beside: (
                format!(".compliance/private/documents/{}.json", kind.id()),
                "{}".to_owned(),
            ),
            questions: made.manual_fields.len(),
        })
    }
}

fn plan_of(tree: &MemoryTree, evaluation: &Evaluation, finding: &Finding) -> Result<Plan, NoFix> {
    let paths = paths(tree);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    plan(FixInput {
        finding,
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: today(),
        paths: &paths,
        source: tree,
        documents: &Generator(evaluation),
    })
}

fn applied(tree: &MemoryTree, plan: &Plan) -> MemoryTree {
    let mut out = tree.clone();
    for change in &plan.files {
        let before = tree
            .file(&change.path)
            .map(|file| file.bytes.into_owned())
            .unwrap_or_default();
        out.insert(change.path.clone(), change.apply(&before).unwrap());
    }
    out
}

fn open<'e>(evaluation: &'e Evaluation, strategy: &Strategy) -> Vec<&'e Finding> {
    evaluation
        .findings
        .iter()
        .filter(|finding| finding.kind != FindingType::Pass && strategy.checks.contains(&finding.check_id.as_str()))
        .collect()
}

fn ids(evaluation: &Evaluation) -> BTreeSet<&str> {
    let open = evaluation
        .findings
        .iter()
        .filter(|finding| finding.kind != FindingType::Pass);
    open.map(|finding| finding.id.as_str()).collect()
}

/// Texts by path.
fn texts(tree: &MemoryTree) -> BTreeMap<String, String> {
    let files = tree.files();
    files
        .map(|file| (file.path.to_string(), String::from_utf8_lossy(&file.bytes).into_owned()))
        .collect()
}

/// Begins what a person must finish, and says what is wrong with that: the finding stays, only a notice about the draft is new, and a second
/// attempt is refused. `…` in the expected text stands for further lines.
fn wrong_with_draft(strategy: &Strategy, before: &str, after: &str, class: Option<StatedClass>) -> Result<(), String> {
    let start = fixture(before).map_err(|_| "`Before` is no tree")?;
    let expected = fixture(after).map_err(|_| "`After` is no tree")?;
    let first = scan(&start, class);
    let wanted = texts(&expected);
    for (path, pattern) in &wanted {
        let mut plans = open(&first, strategy)
            .into_iter()
            .filter_map(|finding| Some((finding, plan_of(&start, &first, finding).ok()?)));
        let (finding, plan) = plans
            .find(|(_, plan)| plan.files.iter().any(|file| file.path == *path))
            .ok_or("no plan for the file")?;
        if plan.safe || plan.strategy != strategy.id {
            return Err(format!("{} is safe, or another strategy was taken", plan.strategy));
        }
        let tree = applied(&start, &plan);
        let text = &texts(&tree)[path];
        if !is_like(text, pattern) {
            return Err(format!("`{path}` is now:\n{text}"));
        }
        let next = scan(&tree, class);
        if !ids(&next).contains(finding.id.as_str()) {
            return Err("the draft closes its finding".to_owned());
        }
        let new = next.findings.iter().find(|new| {
            new.kind == FindingType::Fail && !ids(&first).contains(new.id.as_str())
                || new.kind == FindingType::Pass && !first.findings.iter().any(|known| known.id == new.id)
        });
        if let Some(new) = new {
            return Err(format!("the draft brings up {} `{}`", new.check_id, new.message));
        }
        if plan_of(&tree, &next, finding).is_ok() {
            return Err("the draft would be overwritten".to_owned());
        }
    }
    Ok(())
}

/// Whether a text is like a pattern, in which `…` on a line stands for further lines.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut lines = text.lines();
    let mut skips = false;
    for wanted in pattern.lines() {
        if wanted == "…" {
            skips = true;
            continue;
        }
        let found = if skips {
            lines.by_ref().any(|line| line == wanted)
        } else {
            lines.next() == Some(wanted)
        };
        if !found {
            return false;
        }
        skips = false;
    }
    skips || lines.next().is_none()
}

/// Applies a strategy to an example until nothing is left for it, and says what is wrong with that.
fn wrong_with(strategy: &Strategy, before: &str, after: &str, class: Option<StatedClass>) -> Result<(), String> {
    let expand = engine_scan_secrets::expand_examples;
    let start = fixture(&expand(before)).map_err(|_| "`Before` is no tree")?;
    let expected = fixture(&expand(after)).map_err(|_| "`After` is no tree")?;
    let mut tree = start.clone();
    let first = scan(&start, class);
    let mut evaluation = first.clone();
    let mut plans = 0;
    while plans < 8 {
        let mut why = String::new();
        let planned =
            open(&evaluation, strategy)
                .into_iter()
                .find_map(|finding| match plan_of(&tree, &evaluation, finding) {
                    Ok(plan) if plan.strategy == strategy.id => Some((finding.id.clone(), plan)),
                    Ok(plan) => {
                        why.push_str(plan.strategy);
                        why.push_str(" was taken; ");
                        None
                    }
                    Err(error) => {
                        why.push_str(&error.to_string());
                        why.push_str("; ");
                        None
                    }
                });
        let Some((id, plan)) = planned else {
            if plans == 0 {
                let found: Vec<&str> = evaluation
                    .findings
                    .iter()
                    .map(|finding| finding.check_id.as_str())
                    .collect();
                return Err(format!("no plan ({why}), findings: {found:?}"));
            }
            break;
        };
        plans += 1;
        tree = applied(&tree, &plan);
        let mut settings = settings(class);
        // A tree in memory knows no version control: what an ignore rule hides is taken for gone.
        if plan.files.iter().all(|file| file.path.ends_with(".gitignore")) {
            settings.resolved.insert(id.clone());
        }
        let next = scan_memory(&tree, &settings);
        if ids(&next).contains(id.as_str()) {
            return Err(format!("the finding is still there after:\n{}", shown(&start, &tree)));
        }
        let new: Vec<&Finding> = next
            .findings
            .iter()
            .filter(|f| f.kind != FindingType::Pass && !ids(&first).contains(f.id.as_str()))
            .collect();
        if let Some(new) = new.first() {
            return Err(format!(
                "new finding {} `{}` after:\n{}",
                new.check_id,
                new.message,
                shown(&start, &tree)
            ));
        }
        evaluation = next;
    }
    let (start, tree, expected) = (texts(&start), texts(&tree), texts(&expected));
    for (path, text) in &tree {
        let wanted = expected.get(path).or_else(|| start.get(path));
        if wanted != Some(text) {
            return Err(format!("`{path}` is now:\n{text}"));
        }
    }
    expected
        .keys()
        .find(|path| !tree.contains_key(*path))
        .map_or(Ok(()), |path| Err(format!("`{path}` is missing")))
}

fn shown(before: &MemoryTree, after: &MemoryTree) -> String {
    let before = texts(before);
    let changed = texts(after)
        .into_iter()
        .filter(|(path, text)| before.get(path) != Some(text));
    let shown: Vec<String> = changed.map(|(path, text)| format!("//- {path}\n{text}")).collect();
    shown.concat()
}

#[test]
fn documented_examples_end_as_documented() {
    let mut wrong = Vec::new();
    for strategy in STRATEGIES {
        let examples = strategy.examples();
        if examples.is_empty() {
            wrong.push(format!("{}: no example", strategy.id));
        }
        for (index, example) in examples.iter().enumerate() {
            // With no stated class first: most findings need none.
            let check = if strategy.leaves_open {
                wrong_with_draft
            } else {
                wrong_with
            };
            let tried = check(strategy, &example.before, &example.after, None);
            let tried = tried.or_else(|first| {
                if first.starts_with("no plan") {
                    check(strategy, &example.before, &example.after, Some(StatedClass::High))
                } else {
                    Err(first)
                }
            });
            if let Err(why) = tried {
                wrong.push(format!("{} example {}: {why}", strategy.id, index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn strategies_have_a_name_of_their_own_and_known_checks() {
    let mut seen = BTreeSet::new();
    for strategy in STRATEGIES {
        assert!(seen.insert(strategy.id), "{} twice", strategy.id);
        assert!(
            strategy
                .id
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        );
        for check in strategy.checks {
            assert!(
                engine_scanner::check(check).is_some(),
                "{}: unknown check {check}",
                strategy.id
            );
        }
    }
}
