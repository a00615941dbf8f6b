//! The result of a scan as JSON, with its inventory apart: that is nearly all of its bytes, and the same from one scan to the next.

use std::sync::Arc;

use engine_model::{Inventory, ScanResult};

/// A result as JSON in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenScan {
    /// The result with an empty inventory; readable by itself.
    pub(crate) result: Vec<u8>,
    /// The inventory.
    pub(crate) inventory: Arc<[u8]>,
}

impl WrittenScan {
    /// Writes a result, and with `also` what else is made of it while its inventory is set aside. Each part is written once;
    /// an inventory that is equal to the one of `before` is not written again.
    ///
    /// # Errors
    ///
    /// What the writer of JSON answers.
    pub fn of<T: Send>(
        scan: &mut ScanResult,
        before: Option<(&Inventory, &Arc<[u8]>)>,
        also: impl FnOnce(&ScanResult) -> serde_json::Result<T> + Send,
    ) -> serde_json::Result<(Self, T)> {
        let inventory = std::mem::take(&mut scan.inventory);
        let parts: &ScanResult = scan;
        let (written, (result, also)) = rayon::join(
            || match before {
                Some((known, text)) if *known == inventory => Ok(Arc::clone(text)),
                _ => serde_json::to_vec(&inventory).map(Arc::from),
            },
            || (serde_json::to_vec(parts), also(parts)),
        );
        scan.inventory = inventory;
        let written = Self {
            result: result?,
            inventory: written?,
        };
        Ok((written, also?))
    }

    /// The inventory as JSON, for the next result that has the same.
    #[must_use]
    pub const fn inventory(&self) -> &Arc<[u8]> {
        &self.inventory
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
    // As texts, since searching those skips ahead.
    let at = std::str::from_utf8(result)
        .ok()?
        .find(std::str::from_utf8(&empty).ok()?)?;
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
        let (written, id) = WrittenScan::of(&mut result, None, |scan| Ok(scan.id.clone())).unwrap();
        assert_eq!(id, "one");
        let known = (&before.inventory, written.inventory());
        let (again, ()) = WrittenScan::of(&mut result, Some(known), |_| Ok(())).unwrap();
        assert_eq!(again, written);
        assert!(Arc::ptr_eq(again.inventory(), written.inventory()));
        result.inventory.prompts[0].line = 2;
        let (other, ()) = WrittenScan::of(&mut result, Some(known), |_| Ok(())).unwrap();
        assert_eq!(other.whole().unwrap(), serde_json::to_vec(&result).unwrap());
        result.inventory.prompts[0].line = 1;
        assert_eq!(result, before);
        assert_eq!(written.whole().unwrap(), serde_json::to_vec(&result).unwrap());
        assert!(written.with_inventory(b"{}").is_none());
    }
}
