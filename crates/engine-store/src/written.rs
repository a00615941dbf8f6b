//! The result of a scan as JSON, with its inventory apart: that is nearly all of its bytes, and the same from one scan to the next.

use engine_model::{Inventory, ScanResult};

/// A result as JSON in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenScan {
    /// The result with an empty inventory; readable by itself.
    pub(crate) result: Vec<u8>,
    /// The inventory.
    pub(crate) inventory: Vec<u8>,
}

impl WrittenScan {
    /// Writes a result, and with `also` what else is made of it while its inventory is set aside. Each part is written once.
    ///
    /// # Errors
    ///
    /// What the writer of JSON answers.
    pub fn of<T>(
        scan: &mut ScanResult,
        also: impl FnOnce(&ScanResult) -> serde_json::Result<T>,
    ) -> serde_json::Result<(Self, T)> {
        let inventory = std::mem::take(&mut scan.inventory);
        let written = serde_json::to_vec(&inventory);
        let result = serde_json::to_vec(scan);
        let also = also(scan);
        scan.inventory = inventory;
        let written = Self {
            result: result?,
            inventory: written?,
        };
        Ok((written, also?))
    }

    /// The JSON of a result that was written without its inventory, with it. `None` where it has no empty one.
    #[must_use]
    pub fn with_inventory(&self, result: &[u8]) -> Option<Vec<u8>> {
        whole(result, &self.inventory)
    }

    /// The whole result as JSON.
    #[must_use]
    pub fn whole(&self) -> Option<Vec<u8>> {
        self.with_inventory(&self.result)
    }
}

/// Puts an inventory in the place of the empty one. No text can look like that place: quotes in texts are escaped, and no other part of
/// a result has this name.
pub(crate) fn whole(result: &[u8], inventory: &[u8]) -> Option<Vec<u8>> {
    let mut empty = br#""inventory":"#.to_vec();
    let name = empty.len();
    empty.extend(serde_json::to_vec(&Inventory::default()).ok()?);
    let at = result.windows(empty.len()).position(|window| window == empty)?;
    let mut out = Vec::with_capacity(result.len() + inventory.len());
    out.extend_from_slice(&result[..at + name]);
    out.extend_from_slice(inventory);
    out.extend_from_slice(&result[at + empty.len()..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use engine_model::Prompt;

    use super::*;
    use crate::tests::scan;

    #[test]
    fn both_parts_together_are_the_result_as_it_is_written_at_once() {
        let mut result = scan("one", 1.0);
        result.applicability_reason = r#""inventory":{"calls":[],"#.to_owned();
        result.inventory.prompts.push(Prompt {
            file: "a.py".to_owned(),
            line: 1,
            name: r#"x","inventory":{}"#.to_owned(),
            digest: "0".repeat(64),
        });
        let before = result.clone();
        let (written, id) = WrittenScan::of(&mut result, |scan| Ok(scan.id.clone())).unwrap();
        assert_eq!(id, "one");
        assert_eq!(result, before);
        assert_eq!(written.whole().unwrap(), serde_json::to_vec(&result).unwrap());
        assert!(written.with_inventory(b"{}").is_none());
    }
}
