//! Tells what a file is by its content, and joins what was told.

#![no_main]

use engine_fuzz::choose;
use engine_model::SourceFile;
use engine_scan_files::{join, read, wants};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 24] = [
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    "Dockerfile",
    "docker-compose.yml",
    "CODEOWNERS",
    ".env",
    ".env.example",
    ".gitignore",
    "infra/main.tf",
    "logging.conf",
    "config/logging.yaml",
    "prometheus.yml",
    "alerts/rules.yml",
    "deploy/service.yaml",
    "LICENSE",
    "SECURITY.md",
    "docs/index.html",
    "web/src/page.tsx",
    "web/src/page.jsx",
    "config.toml",
    "settings.json",
    "log4j2.xml",
    "Jenkinsfile",
    "schedule.rb",
];

fuzz_target!(|data: &[u8]| {
    if let Some((name, bytes)) = choose(&NAMES, data) {
        let file = SourceFile::new(*name, bytes);
        // A mark of a generator and a first line that names a program tell it otherwise than its name.
        if !wants(name, file.language, file.zone) {
            return;
        }
        join(&[(file.info(), read(&file))], &[]);
    }
});
