//! Checks an audit package on a machine that has nothing else.
//!
//! The archive is read twice, in pieces: first for everything that is small and for the digest of everything, then for the
//! chain, once keys and heads are known. Memory is bounded by constants with names. Nothing here opens a file: the
//! package comes in through a closure that begins it anew.
//!
//! A package names keys and trusts none of them by that. With a pinned key, or with a head that was kept from an earlier
//! visit, the verdict can be `valid`; without either it is `first_use` at best.

mod chain;
mod evals;
mod gather;
mod judge;
mod outcome;
mod scan;

use std::collections::BTreeMap;
use std::io::{self, Read};

use engine_evidence::Remembered;
use engine_package::ArchiveError;
use engine_signing::{Checkpoint, PublicKey, Trust};

pub use outcome::{Check, CheckOutcome, Fault, FaultKind, Outcome};

/// What the one who checks knows already.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Keys that were compared with their owners.
    pub pins: Vec<PublicKey>,
    /// Signed heads of this very chain, kept from earlier.
    pub heads: Vec<String>,
    /// Signed heads of any chains, as a machine remembers them: those of other chains say nothing.
    pub known_heads: Vec<String>,
}

/// Checks a package. `open` begins it anew each time it is called.
///
/// # Errors
///
/// [`ArchiveError::NotAPackage`] and [`ArchiveError::Io`], where there is nothing to judge; every fault in what could be
/// read is in the outcome.
pub fn verify<R: Read>(open: &mut dyn FnMut() -> io::Result<R>, options: &Options) -> Result<Outcome, ArchiveError> {
    let mut begin = || open().map_err(ArchiveError::Io);
    let gathered = match gather::gather(begin()?) {
        Err(error @ (ArchiveError::NotAPackage | ArchiveError::Io(_))) => return Err(error),
        Err(error) => return Ok(Outcome::broken(&error)),
        Ok(gathered) => gathered,
    };
    let mut judge = judge::Judge::new(gathered);
    let manifest = judge.manifest();
    let keys = judge.keys();
    let signer = judge.statement(manifest.as_ref(), keys.as_ref());
    let (head, notes) = judge.heads();
    let trust = judge.trust(options, keys.as_ref(), signer.as_ref(), head.as_deref(), &notes);
    let remembered = remembered(options, head.as_deref(), &notes);
    let read = match chain::read(begin()?, &trust, &remembered, head.as_deref()) {
        Err(error) => return Ok(Outcome::broken(&error)),
        Ok(read) => read,
    };
    judge.chain(manifest.as_ref(), &read);
    let evals = judge.evals(&read);
    judge.scan(manifest.as_ref(), &read, evals.as_deref());
    judge.documents(&read);
    judge.passports(&trust, options, &read.report);
    Ok(judge.finish(manifest, signer, read))
}

/// The same for a package that is at hand as a whole.
///
/// # Errors
///
/// As for [`verify`].
pub fn verify_bytes(bytes: &[u8], options: &Options) -> Result<Outcome, ArchiveError> {
    verify(&mut || Ok(bytes), options)
}

/// Heads that the chain is compared with: those of the auditor, and those in the package.
fn remembered(options: &Options, head: Option<&str>, notes: &[String]) -> Vec<Remembered> {
    let chain = head.and_then(Remembered::from_note).map(|head| head.chain);
    let known = options
        .known_heads
        .iter()
        .filter_map(|note| Remembered::from_note(note))
        .filter(|head| Some(&head.chain) == chain.as_ref());
    let mut all: BTreeMap<(String, u64, [u8; 32]), Remembered> = BTreeMap::new();
    let own = options.heads.iter().chain(notes);
    for head in own.filter_map(|note| Remembered::from_note(note)).chain(known) {
        all.insert((head.chain.clone(), head.size, head.root), head);
    }
    all.into_values().collect()
}

/// Whether one of the heads that someone kept was signed by a key: then that someone has known the key for as long.
fn signed_a_kept_head(options: &Options, key: &PublicKey) -> bool {
    options.heads.iter().any(|note| Checkpoint::verify(note, key).is_ok())
}

/// The keys that count for the one who checks, and whether that is anybody's word but the package's own.
struct Trusted {
    trust: Trust,
    /// Whether a pinned key, or one that signed a saved head, signed the package.
    vouched: bool,
}
