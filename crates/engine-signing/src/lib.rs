//! What makes a record checkable by a stranger: canonical JSON, digests, signatures, Merkle trees, signed notes.
//!
//! Nothing here opens a file, reads a clock or draws random numbers: keys and times come in, bytes and verdicts go out.
//! That keeps the same code usable in the daemon and in a verifier that must not trust the daemon.
//!
//! | need | here | form |
//! |---|---|---|
//! | the bytes of a JSON value | [`canonical`] | RFC 8785 |
//! | the digest of bytes | [`Digest`] | BLAKE3, 256 bits |
//! | a signature | [`SecretKey::sign`], [`PublicKey::verify`] | ed25519 over a domain prefix and a message |
//! | which keys count | [`Trust`] | pinned keys, joined by signed rotations |
//! | one root for many entries | [`Tree`] | RFC 6962 |
//! | a head that others can keep | [`Checkpoint`] | C2SP checkpoint in a signed note |
//! | a signed statement for other tools | [`Envelope`] | DSSE |
//! | a signature as agent cards carry it | [`Jws`] | RFC 7515 with EdDSA, payload detached |

mod canonical;
mod checkpoint;
mod digest;
mod envelope;
mod jws;
mod key;
mod merkle;
mod note;
mod trust;

#[cfg(test)]
mod tests;

pub use canonical::{CanonicalError, INTEGER_MAX, ParseError, canonical, canonical_value, parse};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use digest::{Digest, DigestError};
pub use envelope::{Envelope, EnvelopeError, EnvelopeSignature};
pub use jws::{Jws, JwsVerdict};
pub use key::{Domain, KeyError, KeyId, PublicKey, SecretKey, Signature, SignatureError};
pub use merkle::{NodeHash, Tree, leaf_hash, verify_consistency, verify_inclusion};
pub use note::{Note, NoteError, NoteSignature};
pub use trust::{Rotation, RotationError, Trust, Trusted};
