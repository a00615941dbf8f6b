//! Names of files for names of agents: whatever a name is made of, the file lies in its folder on every system.

use std::collections::BTreeSet;

use engine_signing::Digest;

/// Characters of a name.
pub const NAME_CHARS_MAX: usize = 1024;

/// Characters of a slug before its digest.
const STEM_CHARS_MAX: usize = 60;

/// Names that mean a device on Windows, with any suffix.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Why a text cannot be a name, or nothing.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() {
        Err("it is empty")
    } else if name.chars().count() > NAME_CHARS_MAX {
        Err("it has more than 1024 characters")
    } else if name.chars().any(char::is_control) {
        Err("it contains control characters")
    } else {
        Ok(())
    }
}

/// The name of a file for a name, without its suffix. It has only `a` to `z`, digits and `-`, is no device, and is none of
/// those that are taken. A name that loses something on the way is told from others by a digest.
pub fn slug(name: &str, taken: &BTreeSet<String>) -> String {
    let mut stem = String::new();
    let mut lossless = true;
    for c in name.trim().chars() {
        match c {
            'a'..='z' | '0'..='9' => stem.push(c),
            'A'..='Z' => stem.push(c.to_ascii_lowercase()),
            '-' | '_' | ' ' | '.' if !stem.ends_with('-') && !stem.is_empty() => stem.push('-'),
            _ => {
                lossless = false;
                if !stem.ends_with('-') && !stem.is_empty() {
                    stem.push('-');
                }
            }
        }
    }
    if stem.len() > STEM_CHARS_MAX {
        stem.truncate(STEM_CHARS_MAX);
        lossless = false;
    }
    let stem = stem.trim_end_matches('-');
    if lossless && !stem.is_empty() && !is_device(stem) && !taken.contains(stem) {
        return stem.to_owned();
    }
    let stem = if stem.is_empty() || is_device(stem) {
        "agent"
    } else {
        stem
    };
    let digest = Digest::of(name.as_bytes()).to_string();
    // Longer and longer pieces of the digest: two names share one only if they are one name, which a number settles.
    let mut candidates = (8..=digest.len()).filter_map(|end| Some(format!("{stem}-{}", digest.get(..end)?)));
    candidates
        .find(|candidate| !taken.contains(candidate))
        .unwrap_or_else(|| {
            let free = (2_u64..).map(|number| format!("{stem}-{digest}-{number}"));
            free.into_iter()
                .find(|candidate| !taken.contains(candidate))
                .unwrap_or_default()
        })
}

fn is_device(stem: &str) -> bool {
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    DEVICES.contains(&stem) || numbered("com") || numbered("lpt")
}
