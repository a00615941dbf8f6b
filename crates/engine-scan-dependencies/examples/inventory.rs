//! Prints what the manifests and lockfiles of a folder say together, as JSON: `inventory DIR`.
#![expect(clippy::disallowed_methods, reason = "an example reads its files from disk")]
#![expect(clippy::print_stdout, reason = "the inventory is its output")]

use std::path::{Path, PathBuf};

use engine_model::SourceFile;
use engine_scan_dependencies::{join, read, wants};

fn files(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut folders, mut found) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let skipped = entry.file_name() == "node_modules" || entry.file_name() == ".git";
            if entry.file_type()?.is_dir() {
                if !skipped {
                    folders.push(entry.path());
                }
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
    let mut facts = Vec::new();
    for path in files(&root)? {
        let name = path.strip_prefix(&root)?.to_string_lossy().into_owned();
        if wants(&name) {
            let file = SourceFile::new(name, std::fs::read(&path)?);
            facts.push((file.info(), read(&file)));
        }
    }
    let joined = join(&facts);
    let notes: Vec<String> = joined
        .notes
        .iter()
        .map(|(file, note)| format!("{file}:{}: {}", note.line, note.text))
        .collect();
    let document = serde_json::json!({
        "packages": joined.packages,
        "mcpServers": joined.mcp_servers,
        "notes": notes,
    });
    println!("{}", serde_json::to_string_pretty(&document)?);
    Ok(())
}
