//! Prints the bill of materials of some manifests and lockfiles: `bom FILE...`. It reads the files it is given and nothing
//! beside them, and takes their names without folders.
#![expect(clippy::disallowed_methods, reason = "an example reads its files from disk")]
#![expect(clippy::print_stdout, reason = "the document is its output")]

use engine_model::{Inventory, SourceFile};
use engine_sbom::{Subject, cyclonedx};
use engine_scan_dependencies::{join, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut facts = Vec::new();
    for path in std::env::args().skip(1) {
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let file = SourceFile::new(name, std::fs::read(&path)?);
        facts.push((file.info(), read(&file)));
    }
    let joined = join(&facts);
    let inventory = Inventory {
        packages: joined.packages.into(),
        mcp_servers: joined.mcp_servers,
        ..Inventory::default()
    };
    let subject = Subject {
        name: "example".to_owned(),
        version: None,
    };
    let document = cyclonedx(
        &inventory,
        &subject,
        "00000000-0000-4000-8000-000000000000",
        "1970-01-01T00:00:00Z",
    );
    println!("{document}");
    Ok(())
}
