//! A tar archive in gzip, written in one way only and read in no other.
//!
//! The form is that of POSIX ustar, so that any `tar` unpacks it. Links, folders, devices, owners, times and long names
//! do not occur; a reader that meets them refuses the archive instead of deciding what they mean.

use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::contents::{FileRecord, path_order};

/// The folder that holds everything, so that unpacking litters nothing.
const ROOT: &str = "audit-package/";

/// Files of an archive.
pub const FILES_MAX: usize = 10_000;

/// Bytes of one file.
pub const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// Bytes of all files together, unpacked.
pub const TOTAL_BYTES_MAX: u64 = 8 * 1024 * 1024 * 1024;

/// Bytes of a path inside the archive, without its root folder.
pub const PATH_BYTES_MAX: usize = 80;

/// Folders above a file, its own name included.
const PATH_PARTS_MAX: usize = 4;

const BLOCK: usize = 512;

/// The gzip header: deflate, no name, no time, no system.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// Is handed each file in pieces: its path, its length, and the next of its bytes.
pub type Visit<'a> = dyn FnMut(&str, u64, &[u8]) -> Result<(), ArchiveError> + 'a;

/// Why an archive is refused, or cannot be read.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// It does not even begin like a package.
    #[error("not an audit package: the file does not begin like a gzip archive of this format")]
    NotAPackage,
    /// It ends too early or cannot be unpacked.
    #[error("the archive is damaged or truncated: {0}")]
    Damaged(String),
    /// It is written in another way than packages are.
    #[error("the archive does not have the format of an audit package: {0}")]
    Form(String),
    /// It is larger than is read.
    #[error("the archive exceeds a limit: {0}")]
    Limit(String),
    /// The system cannot read the file.
    #[error("could not read the archive")]
    Io(#[source] io::Error),
}

/// Whether a path may stand in an archive: plain names of letters, digits, `.`, `_` and `-`, joined by `/`.
pub fn path_is_plain(path: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    path.len() <= PATH_BYTES_MAX && path.split('/').count() <= PATH_PARTS_MAX && path.split('/').all(part)
}

/// The one header that a file of this name and length has; none where it cannot have one.
fn header(path: &str, bytes: u64) -> Option<[u8; BLOCK]> {
    if !path_is_plain(path) || bytes > FILE_BYTES_MAX {
        return None;
    }
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, ROOT.as_bytes());
    put(ROOT.len(), path.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{bytes:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Some(block)
}

const fn padding(bytes: u64) -> usize {
    match bytes.to_le_bytes() {
        // The length of a block is a power of two, so the lowest bytes tell the remainder.
        [low, high, ..] => BLOCK.wrapping_sub(u16::from_le_bytes([low, high]) as usize % BLOCK) % BLOCK,
    }
}

/// What an archive came to.
#[derive(Debug)]
pub struct Finished<W> {
    /// Where it was written to.
    pub out: W,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its bytes.
    pub sha256: [u8; 32],
}

/// Counts and hashes what goes through.
struct Tally<W> {
    out: W,
    bytes: u64,
    sha256: Sha256,
}

impl<W: Write> Write for Tally<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.bytes += count as u64;
        self.sha256.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes an archive, file by file in the order of [`path_order`].
pub struct Writer<W: Write> {
    gzip: DeflateEncoder<Tally<W>>,
    crc: Crc,
    files: Vec<FileRecord>,
}

/// A file that is being written; its bytes come in pieces.
pub struct Written<'a, W: Write> {
    writer: &'a mut Writer<W>,
    path: String,
    bytes: u64,
    left: u64,
    blake3: blake3::Hasher,
    sha256: Sha256,
}

fn comes_after(path: &str, last: &str) -> bool {
    path_order(path) > path_order(last)
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

impl<W: Write> Writer<W> {
    /// Begins an archive.
    ///
    /// # Errors
    ///
    /// What the output answers.
    pub fn new(out: W) -> io::Result<Self> {
        let mut out = Tally {
            out,
            bytes: 0,
            sha256: Sha256::new(),
        };
        out.write_all(&GZIP)?;
        Ok(Self {
            gzip: DeflateEncoder::new(out, Compression::new(6)),
            crc: Crc::new(),
            files: Vec::new(),
        })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.gzip.write_all(bytes)
    }

    /// Adds a file.
    ///
    /// # Errors
    ///
    /// A path that an archive cannot contain or that does not come after the one before, or what the output answers.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.begin(path, bytes.len() as u64)?;
        file.write(bytes)?;
        file.end()
    }

    /// Begins a file of a known length.
    ///
    /// # Errors
    ///
    /// As for [`Writer::add`].
    pub fn begin(&mut self, path: &str, bytes: u64) -> io::Result<Written<'_, W>> {
        let header =
            header(path, bytes).ok_or_else(|| invalid("a package cannot contain a file with this path or length"))?;
        if self.files.last().is_some_and(|last| !comes_after(path, &last.path)) || self.files.len() >= FILES_MAX {
            return Err(invalid("files must be added once each, in the order of a package"));
        }
        self.put(&header)?;
        Ok(Written {
            writer: self,
            path: path.to_owned(),
            bytes,
            left: bytes,
            blake3: blake3::Hasher::new(),
            sha256: Sha256::new(),
        })
    }

    /// The files so far, with their digests.
    pub fn files(&self) -> &[FileRecord] {
        &self.files
    }

    /// Ends the archive.
    ///
    /// # Errors
    ///
    /// What the output answers.
    pub fn finish(mut self) -> io::Result<Finished<W>> {
        self.put(&[0; 2 * BLOCK])?;
        let mut out = self.gzip.finish()?;
        out.write_all(&self.crc.sum().to_le_bytes())?;
        out.write_all(&self.crc.amount().to_le_bytes())?;
        out.flush()?;
        Ok(Finished {
            bytes: out.bytes,
            sha256: out.sha256.finalize().into(),
            out: out.out,
        })
    }
}

impl<W: Write> Written<'_, W> {
    /// The next bytes of the file.
    ///
    /// # Errors
    ///
    /// More bytes than were announced, or what the output answers.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.left = self
            .left
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| invalid("the file is longer than its declared length"))?;
        self.blake3.update(bytes);
        self.sha256.update(bytes);
        self.writer.put(bytes)
    }

    /// Ends the file.
    ///
    /// # Errors
    ///
    /// Fewer bytes than were announced, or what the output answers.
    pub fn end(self) -> io::Result<()> {
        if self.left > 0 {
            return Err(invalid("the file is shorter than its declared length"));
        }
        let block = [0; BLOCK];
        self.writer.put(&block[..padding(self.bytes)])?;
        self.writer
            .files
            .push(FileRecord::new(self.path, self.bytes, &self.blake3, self.sha256));
        Ok(())
    }
}

/// Unpacks a gzip member and keeps count of what came out of it.
struct Unpacked<R: BufRead> {
    inner: DeflateDecoder<R>,
    crc: Crc,
    total: u64,
}

impl<R: BufRead> Unpacked<R> {
    fn exact(&mut self, bytes: &mut [u8]) -> Result<(), ArchiveError> {
        self.inner.read_exact(bytes).map_err(|error| damaged(&error))?;
        self.count(bytes)
    }

    fn count(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.crc.update(bytes);
        self.total += bytes.len() as u64;
        if self.total > TOTAL_BYTES_MAX {
            return Err(ArchiveError::Limit(format!(
                "more than {TOTAL_BYTES_MAX} bytes unpacked"
            )));
        }
        Ok(())
    }
}

fn damaged(error: &io::Error) -> ArchiveError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ArchiveError::Damaged("unexpected end of the archive".to_owned()),
        _ => ArchiveError::Damaged(error.to_string()),
    }
}

/// Reads an archive and hands each file to `visit` in pieces: first its path and length with no bytes, then its bytes.
/// Memory does not grow with the archive.
///
/// # Errors
///
/// [`ArchiveError`]; files before the fault have been handed over by then.
pub fn read(input: impl Read, visit: &mut Visit<'_>) -> Result<Vec<FileRecord>, ArchiveError> {
    let mut input = BufReader::with_capacity(64 * 1024, input);
    let mut begin = [0; GZIP.len()];
    match input.read_exact(&mut begin) {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(ArchiveError::Io(error)),
        Ok(()) if begin == GZIP => {}
        Ok(()) if begin[..3] == GZIP[..3] => {
            return Err(ArchiveError::Form(
                "its gzip header contains a time, a name or a system".to_owned(),
            ));
        }
        _ => return Err(ArchiveError::NotAPackage),
    }
    let mut unpacked = Unpacked {
        inner: DeflateDecoder::new(input),
        crc: Crc::new(),
        total: 0,
    };
    let mut files: Vec<FileRecord> = Vec::new();
    loop {
        let mut block = [0; BLOCK];
        unpacked.exact(&mut block)?;
        if block.iter().all(|byte| *byte == 0) {
            break;
        }
        let (path, bytes) = entry(&block)?;
        if files.len() >= FILES_MAX {
            return Err(ArchiveError::Limit(format!("more than {FILES_MAX} files")));
        }
        if files.last().is_some_and(|last| !comes_after(&path, &last.path)) {
            return Err(ArchiveError::Form(format!("`{path}` occurs twice or out of order")));
        }
        files.push(file(&mut unpacked, path, bytes, visit)?);
    }
    end(unpacked)?;
    Ok(files)
}

/// Path and length of a file, from a header that is written as the writer above would write it.
fn entry(block: &[u8; BLOCK]) -> Result<(String, u64), ArchiveError> {
    let form = |what: &str| ArchiveError::Form(what.to_owned());
    let name = block[..100].split(|byte| *byte == 0).next().unwrap_or_default();
    let path = std::str::from_utf8(name)
        .ok()
        .and_then(|name| name.strip_prefix(ROOT))
        .filter(|path| path_is_plain(path))
        .ok_or_else(|| form("a path in it has forbidden characters or leaves the package folder"))?;
    let bytes = std::str::from_utf8(&block[124..135])
        .ok()
        .and_then(|digits| u64::from_str_radix(digits, 8).ok())
        .ok_or_else(|| form("a length in it is not a number"))?;
    match header(path, bytes) {
        Some(expected) if expected == *block => Ok((path.to_owned(), bytes)),
        Some(_) => Err(form(&format!("the header of `{path}` does not describe a plain file"))),
        None => Err(ArchiveError::Limit(format!("`{path}` has {bytes} bytes"))),
    }
}

fn file<R: BufRead>(
    unpacked: &mut Unpacked<R>,
    path: String,
    bytes: u64,
    visit: &mut Visit<'_>,
) -> Result<FileRecord, ArchiveError> {
    let (mut blake3, mut sha256) = (blake3::Hasher::new(), Sha256::new());
    visit(&path, bytes, &[])?;
    let mut buffer = [0; 16 * 1024];
    let mut left = bytes;
    while left > 0 {
        let count = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let piece = &mut buffer[..count];
        unpacked.exact(piece)?;
        blake3.update(piece);
        sha256.update(&*piece);
        visit(&path, bytes, piece)?;
        left -= count as u64;
    }
    let mut rest = [0; BLOCK];
    let rest = &mut rest[..padding(bytes)];
    unpacked.exact(rest)?;
    if rest.iter().any(|byte| *byte != 0) {
        return Err(ArchiveError::Form(format!("unexpected bytes after `{path}`")));
    }
    Ok(FileRecord::new(path, bytes, &blake3, sha256))
}

/// The second empty block, the sums of the gzip member, and then nothing.
fn end<R: BufRead>(mut unpacked: Unpacked<R>) -> Result<(), ArchiveError> {
    let mut block = [0; BLOCK];
    unpacked.exact(&mut block)?;
    let mut one = [0];
    let more = unpacked.inner.read(&mut one).map_err(|error| damaged(&error))?;
    if more > 0 || block.iter().any(|byte| *byte != 0) {
        return Err(ArchiveError::Form("unexpected bytes after the last file".to_owned()));
    }
    let (sum, amount) = (unpacked.crc.sum(), unpacked.crc.amount());
    let mut input = unpacked.inner.into_inner();
    let mut trailer = [0; 8];
    input.read_exact(&mut trailer).map_err(|error| damaged(&error))?;
    if trailer[..4] != sum.to_le_bytes() || trailer[4..] != amount.to_le_bytes() {
        return Err(ArchiveError::Damaged("its checksum does not match".to_owned()));
    }
    if !input.fill_buf().map_err(ArchiveError::Io)?.is_empty() {
        return Err(ArchiveError::Form(
            "unexpected bytes after the end of the archive".to_owned(),
        ));
    }
    Ok(())
}
