//! Prints for each file of a folder which checks on model files report it, each file alone: `model_files DIR`.
#![expect(clippy::disallowed_methods, reason = "an example reads its files from disk")]
#![expect(clippy::print_stdout, reason = "the list is its output")]

use std::path::{Path, PathBuf};

use engine_model::{FindingType, MemoryTree};
use engine_scanner::{Settings, scan_memory};

fn files(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut folders, mut found) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::args().nth(1).ok_or("the folder is missing")?);
    let settings = Settings::on("2026-11-29".parse()?);
    for path in files(&root)? {
        let name = path.strip_prefix(&root)?.to_string_lossy().into_owned();
        let mut tree = MemoryTree::default();
        tree.insert(format!("models/{name}"), std::fs::read(&path)?);
        let evaluation = scan_memory(&tree, &settings);
        let told: Vec<String> = evaluation
            .findings
            .iter()
            .filter(|finding| finding.kind == FindingType::Fail || finding.kind == FindingType::Info)
            .map(|finding| format!("{}:{:?}:{}", finding.check_id, finding.severity, finding.message))
            .collect();
        println!("{name}\t{}", told.join("\t"));
    }
    Ok(())
}
