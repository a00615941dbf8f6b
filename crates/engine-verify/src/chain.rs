//! The second reading: the chain, line by line.

use std::collections::BTreeMap;
use std::io::Read;

use engine_evidence::{ENTRY_BYTES_MAX, Entry, Remembered, Report, Row, Stated, Verification};
use engine_package::{ArchiveError, paths, read as read_archive, run_of};

use crate::Trusted;

/// Entries that are verified together, so that all cores have something to do.
const ROWS_AT_ONCE: usize = 4_096;

/// Bytes of entries in memory at one time, whatever their number.
const BYTES_AT_ONCE: usize = 16 * 1024 * 1024;

/// What the second reading brings.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) report: Report,
    pub(crate) artifacts: BTreeMap<String, Stated>,
    pub(crate) last_scan: Option<Entry>,
    /// The newest entry of each evaluation and run of attacks.
    pub(crate) runs: BTreeMap<String, Entry>,
    /// The digest of the entries as they were read now.
    pub(crate) blake3: Option<String>,
}

/// Lines that are on their way to the verification.
struct Lines<'a> {
    verification: Verification<'a>,
    rows: Vec<Row>,
    held: usize,
    line: Vec<u8>,
    count: u64,
    runs: BTreeMap<String, Entry>,
}

impl Lines<'_> {
    fn take(&mut self, piece: &[u8]) {
        for (number, part) in piece.split(|byte| *byte == b'\n').enumerate() {
            if number > 0 {
                self.end_line();
            }
            // Of a line that is too long for an entry, so much is kept that it is seen to be too long.
            let room = (ENTRY_BYTES_MAX + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
        }
    }

    fn end_line(&mut self) {
        let text = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        self.held += text.len();
        self.rows.push(Row { seq: self.count, text });
        self.count += 1;
        if self.rows.len() >= ROWS_AT_ONCE || self.held >= BYTES_AT_ONCE {
            self.feed();
        }
    }

    fn feed(&mut self) {
        self.verification.feed(&self.rows);
        for row in &self.rows {
            // Few entries record runs; only those that may are read for it.
            if row.text.contains("\"runId\"")
                && let Ok(entry) = Entry::read(&row.text)
                && let Some(run) = run_of(&entry)
            {
                self.runs.insert(run.to_owned(), entry);
            }
        }
        self.rows.clear();
        self.held = 0;
    }
}

pub(crate) fn read(
    input: impl Read,
    trusted: &Trusted,
    remembered: &[Remembered],
    head: Option<&str>,
) -> Result<Chain, ArchiveError> {
    let mut lines = Lines {
        verification: Verification::new(&trusted.trust, remembered),
        rows: Vec::new(),
        held: 0,
        line: Vec::new(),
        count: 0,
        runs: BTreeMap::new(),
    };
    let files = read_archive(input, &mut |path, _, piece| {
        if path == paths::ENTRIES {
            lines.take(piece);
        }
        Ok(())
    })?;
    if !lines.line.is_empty() {
        lines.end_line();
    }
    lines.feed();
    let artifacts = lines.verification.artifacts().clone();
    let last_scan = lines.verification.last_scan().cloned();
    Ok(Chain {
        report: lines.verification.finish(head).0,
        artifacts,
        last_scan,
        runs: lines.runs,
        blake3: files
            .into_iter()
            .find(|file| file.path == paths::ENTRIES)
            .map(|file| file.blake3),
    })
}
