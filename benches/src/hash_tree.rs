//! Walks a tree, reads and hashes its files, and does nothing else: the floor under the cost of a scan.

use std::path::Path;
use std::process::ExitCode;

#[expect(clippy::print_stdout, reason = "a measuring program speaks on standard output")]
fn main() -> ExitCode {
    let Some(dir) = std::env::args().nth(1) else {
        println!("usage: hash-tree DIR");
        return ExitCode::from(2);
    };
    let root = match engine_project::open(Path::new(&dir)) {
        Ok(root) => root,
        Err(error) => {
            println!("{error}");
            return ExitCode::from(2);
        }
    };
    let walked = engine_project::read(&root, &engine_project::Options::default(), &|| false, &|file| {
        file.digest[0]
    });
    println!("{} files {} bytes", walked.files.len(), walked.bytes);
    ExitCode::SUCCESS
}
