//! The archive is written in one way and read in no other; tables hold no formulas; statements fit their schemas.

use engine_signing::{Digest, SecretKey};
use flate2::Compression;
use proptest::prelude::*;
use serde_json::Value;
use std::io::Write as _;

use crate::*;

fn pack(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for (path, bytes) in files {
        writer.add(path, bytes).unwrap();
    }
    writer.finish().unwrap().out
}

fn unpack(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, ArchiveError> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let records = read(bytes, &mut |path, _, piece| {
        match files.last_mut() {
            Some((last, content)) if last == path => content.extend_from_slice(piece),
            _ => files.push((path.to_owned(), piece.to_vec())),
        }
        Ok(())
    })?;
    assert_eq!(records.len(), files.len());
    for (record, (path, content)) in records.iter().zip(&files) {
        assert_eq!(*record, FileRecord::of(path, content));
    }
    Ok(files)
}

#[test]
fn the_same_files_give_the_same_bytes_and_come_back() {
    let large = vec![7; 100_000];
    let files: &[(&str, &[u8])] = &[("README.md", b"hello"), ("evidence/a", b""), ("scans/b.json", &large)];
    let bytes = pack(files);
    assert_eq!(bytes, pack(files));
    let back = unpack(&bytes).unwrap();
    assert_eq!(back.len(), 3);
    assert_eq!(back[2].1, large);
}

#[test]
fn a_path_that_leads_elsewhere_cannot_be_written() {
    let long = "x".repeat(PATH_BYTES_MAX + 1);
    for path in [
        "",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a//b",
        ".env",
        "a/.git",
        "a\\b",
        "a:b",
        "a b",
        "é",
        "x.",
        &long,
    ] {
        assert!(!path_is_plain(path), "{path}");
        assert!(Writer::new(Vec::new()).unwrap().add(path, b"").is_err(), "{path}");
    }
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.add("b", b"").unwrap();
    assert!(writer.add("b", b"").is_err() && writer.add("a", b"").is_err());
}

#[test]
fn evidence_comes_before_other_files_and_checksums_come_after_them() {
    let order = [
        paths::README,
        paths::ENTRIES,
        paths::HEADS,
        paths::MATRIX_CSV,
        paths::SCAN,
        paths::CHECKSUMS,
        paths::MANIFEST,
        paths::STATEMENT,
    ];
    let mut sorted = order;
    sorted.sort_by_key(|path| path_order(path));
    assert_eq!(sorted, order);
    let files: Vec<(&str, &[u8])> = order.iter().map(|path| (*path, b"x".as_slice())).collect();
    assert_eq!(unpack(&pack(&files)).unwrap().len(), order.len());
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.add(paths::CHECKSUMS, b"").unwrap();
    assert!(writer.add(paths::SCAN, b"").is_err(), "a file after the checksums");
}

/// An archive of one entry whose header was changed by hand, with its sum made right again.
fn forged(change: impl Fn(&mut [u8; 512])) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(pack(&[("a", b"content")]).as_slice()).read_to_end_into(&mut plain);
    let mut block: [u8; 512] = plain[..512].try_into().unwrap();
    change(&mut block);
    block[148..156].copy_from_slice(b"        ");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    plain[..512].copy_from_slice(&block);
    gzip(&plain)
}

trait ReadAll {
    fn read_to_end_into(self, out: &mut Vec<u8>);
}

impl<R: std::io::Read> ReadAll for R {
    fn read_to_end_into(mut self, out: &mut Vec<u8>) {
        self.read_to_end(out).unwrap();
    }
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::GzBuilder::new()
        .mtime(0)
        .operating_system(255)
        .write(Vec::new(), Compression::new(6));
    gzip.write_all(plain).unwrap();
    gzip.finish().unwrap()
}

type Change = Box<dyn Fn(&mut [u8; 512])>;

#[test]
fn links_folders_owners_times_and_escaping_paths_are_refused() {
    assert!(unpack(&forged(|_| {})).is_ok(), "what is not changed is read");
    let name = |block: &mut [u8; 512], name: &[u8]| {
        block[..100].fill(0);
        block[..name.len()].copy_from_slice(name);
    };
    let changes: Vec<Change> = vec![
        Box::new(|block| block[156] = b'1'),
        Box::new(|block| block[156] = b'2'),
        Box::new(|block| block[156] = b'5'),
        Box::new(|block| block[156] = b'x'),
        Box::new(|block| block[157] = b'/'),
        Box::new(|block| block[135] = b' '),
        Box::new(|block| block[146] = b'1'),
        Box::new(|block| block[106] = b'7'),
        Box::new(|block| block[265] = b'r'),
        Box::new(|block| block[345] = b'p'),
        Box::new(|block| block[500] = 1),
        Box::new(move |block| name(block, b"audit-package/../a")),
        Box::new(move |block| name(block, b"/audit-package/a")),
        Box::new(move |block| name(block, b"a")),
        Box::new(|block| block[124..136].copy_from_slice(b"77777777777\0")),
    ];
    for (number, change) in changes.iter().enumerate() {
        let read = unpack(&forged(change));
        assert!(read.is_err(), "{number}: {read:?}");
    }
}

#[test]
fn what_is_no_gzip_is_told_from_what_is_damaged() {
    assert!(matches!(unpack(b""), Err(ArchiveError::NotAPackage)));
    assert!(matches!(
        unpack(b"PK\x03\x04 not a tar"),
        Err(ArchiveError::NotAPackage)
    ));
    let bytes = pack(&[("a", b"content")]);
    for length in 10..bytes.len() {
        assert!(
            matches!(unpack(&bytes[..length]), Err(ArchiveError::Damaged(_))),
            "cut after {length}"
        );
    }
    let longer = [&bytes[..], b"more"].concat();
    assert!(matches!(unpack(&longer), Err(ArchiveError::Form(_))));
    let twice = [&bytes[..], &bytes[..]].concat();
    assert!(
        matches!(unpack(&twice), Err(ArchiveError::Form(_))),
        "a second member is not read"
    );
    for at in 3..10 {
        let mut timed = bytes.clone();
        timed[at] ^= 1;
        assert!(
            matches!(unpack(&timed), Err(ArchiveError::Form(_))),
            "another header of gzip, byte {at}"
        );
    }
}

#[test]
fn a_bomb_is_read_in_pieces_and_stopped_at_the_announced_length() {
    let bytes = pack(&[("a", &vec![0; 50_000_000])]);
    assert!(bytes.len() < 100_000);
    let mut most = 0;
    read(bytes.as_slice(), &mut |_, _, piece| {
        most = most.max(piece.len());
        Ok(())
    })
    .unwrap();
    assert!(most <= 16 * 1024);
}

#[test]
fn no_cell_begins_a_formula() {
    for text in [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r\n=1",
        "  =1",
        "|cmd",
        "\u{ff1d}1",
    ] {
        let cell = matrix::cell(text);
        assert!(cell.starts_with("\"'"), "{cell}");
    }
    assert_eq!(matrix::cell("a \"b\", c"), "\"a \"\"b\"\", c\"");
}

fn manifest() -> Manifest {
    Manifest {
        version: Manifest::VERSION,
        chain: Some("chain".to_owned()),
        entries: 2,
        newest_entry: Some("2026-11-20T10:00:00.000Z".to_owned()),
        scan: None,
        engine_version: "0.1.0".to_owned(),
        regulation_version: "1".to_owned(),
        files: vec![FileRecord::of("README.md", b"x")],
    }
}

fn schema(text: &str) -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
}

#[test]
fn the_statement_fits_the_published_schemas_and_its_key_and_manifest_only() {
    let key = SecretKey::from_seed(&[1; 32]);
    let manifest = manifest();
    let bytes = serde_json::to_vec_pretty(&manifest).unwrap();
    let text = Statement::about(&manifest, &bytes).sign(&key).unwrap();
    let envelope: Value = serde_json::from_str(&text).unwrap();
    let dsse = schema(include_str!("../tests/schemas/dsse-envelope.schema.json"));
    assert!(dsse.is_valid(&envelope), "{envelope}");
    let payload = data_encoding::BASE64
        .decode(envelope["payload"].as_str().unwrap().as_bytes())
        .unwrap();
    let statement: Value = serde_json::from_slice(&payload).unwrap();
    let in_toto = schema(include_str!("../tests/schemas/in-toto-statement-v1.schema.json"));
    assert!(in_toto.is_valid(&statement), "{statement}");
    let verify =
        |text: &str, key: &SecretKey, bytes: &[u8]| Statement::verify(text.as_bytes(), &key.public(), &manifest, bytes);
    assert_eq!(verify(&text, &key, &bytes), Ok(()));
    assert_eq!(verify(&text, &key, b"{}"), Err(StatementError::OtherManifest));
    let other = SecretKey::from_seed(&[2; 32]);
    assert!(matches!(
        verify(&text, &other, &bytes),
        Err(StatementError::Unsigned(_))
    ));
}

#[test]
fn every_changed_byte_of_an_envelope_is_noticed() {
    let key = SecretKey::from_seed(&[1; 32]);
    let manifest = manifest();
    let bytes = serde_json::to_vec_pretty(&manifest).unwrap();
    let text = Statement::about(&manifest, &bytes).sign(&key).unwrap().into_bytes();
    for at in 0..text.len() {
        let mut changed = text.clone();
        changed[at] ^= 1;
        assert!(
            Statement::verify(&changed, &key.public(), &manifest, &bytes).is_err(),
            "byte {at}"
        );
    }
}

#[test]
fn the_lines_of_checksums_are_those_of_the_usual_tool() {
    let line = checksums(&[FileRecord::of("README.md", b"abc")]);
    assert_eq!(
        line,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  README.md\n"
    );
    assert_eq!(Digest::of(b"abc").to_string(), FileRecord::of("x", b"abc").blake3);
}

proptest! {
    #[test]
    fn a_changed_bit_is_refused_or_changes_nothing(at in 0usize..400, bit in 0u8..8) {
        let files: &[(&str, &[u8])] = &[("README.md", b"hello"), ("scans/a.json", b"{\"a\": 1}")];
        let bytes = pack(files);
        let mut changed = bytes.clone();
        let at = at % bytes.len();
        changed[at] ^= 1 << bit;
        // The last bits of a deflate stream are filling: they hold nothing.
        if let Ok(read) = unpack(&changed) {
            prop_assert_eq!(read, unpack(&bytes).unwrap());
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = unpack(&bytes);
        let _ = unpack(&gzip(&bytes));
    }
}
