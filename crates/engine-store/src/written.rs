//! The result of a scan as JSON, with its inventory, its systems and its obligations apart: those are nearly all of its bytes, and the same
//! from one scan to the next.

use std::sync::Arc;

use engine_model::{Call, Inventory, ListText, ProjectObligation, ScanResult, System};

/// A result as JSON in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenScan {
    /// The result with its parts empty; readable by itself.
    pub(crate) result: Vec<u8>,
    /// The inventory.
    pub(crate) inventory: Arc<WrittenPart>,
    /// The systems and the obligations, as the members of an object.
    pub(crate) law: WrittenPart,
    lists: WrittenLists,
}

/// A part of a result as JSON, with its digest: the key under which it is kept once, however many results have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenPart {
    pub(crate) json: Vec<u8>,
    pub(crate) digest: blake3::Hash,
}

impl From<Vec<u8>> for WrittenPart {
    fn from(json: Vec<u8>) -> Self {
        Self {
            digest: blake3::hash(&json),
            json,
        }
    }
}

/// What of a written result the next one takes over where it is equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLists {
    inventory: Arc<WrittenPart>,
    calls: Arc<ListText>,
    findings: Arc<ListText>,
}

impl WrittenLists {
    /// Bytes that are held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.inventory.json.len() + self.calls.json().len() + self.findings.json().len()
    }
}

impl WrittenScan {
    /// Writes a result, and with `also` what else is made of it while its inventory is set aside. Each part is written once;
    /// what is equal to a part of `before`, the result before with its texts, is not written again.
    ///
    /// # Errors
    ///
    /// What the writer of JSON answers.
    pub fn of<T: Send>(
        scan: &mut ScanResult,
        before: Option<(&ScanResult, &WrittenLists)>,
        also: impl FnOnce(&ScanResult) -> serde_json::Result<T> + Send,
    ) -> serde_json::Result<(Self, T)> {
        let mut inventory = std::mem::take(&mut scan.inventory);
        let same = before.filter(|(known, _)| known.inventory == inventory);
        let calls = std::mem::take(&mut inventory.calls);
        let parts: &ScanResult = scan;
        let ((written, law), (findings, also)) = rayon::join(
            || {
                let written = match same {
                    Some((_, texts)) => Ok((Arc::clone(&texts.inventory), Arc::clone(&texts.calls))),
                    None => inventory_text(&inventory, &calls, before),
                };
                (written, law(&parts.systems, &parts.obligations))
            },
            || {
                let findings = || {
                    let before = before.map(|(scan, texts)| (&*scan.findings, &*texts.findings));
                    ListText::of(&parts.findings, before, |out, finding| {
                        serde_json::to_writer(out, finding)
                    })
                };
                rayon::join(findings, || also(parts))
            },
        );
        let (systems, obligations) = (std::mem::take(&mut scan.systems), std::mem::take(&mut scan.obligations));
        let (findings, kept) = (findings?, std::mem::take(&mut scan.findings));
        let rest = serde_json::to_vec(scan);
        scan.findings = kept;
        // What was written beside the others goes into its place; where that is not found, all is written once more.
        let result = match with_findings(&rest?, findings.json()) {
            Some(result) => Ok(result),
            None => serde_json::to_vec(scan),
        };
        inventory.calls = calls;
        (scan.inventory, scan.systems, scan.obligations) = (inventory, systems, obligations);
        let (inventory, calls) = written?;
        let lists = WrittenLists {
            inventory: Arc::clone(&inventory),
            calls,
            findings: Arc::new(findings),
        };
        let written = Self {
            result: result?,
            inventory,
            law: law?,
            lists,
        };
        Ok((written, also?))
    }

    /// What the next result takes over where it is equal.
    #[must_use]
    pub const fn lists(&self) -> &WrittenLists {
        &self.lists
    }

    /// The JSON of a result that was written without its inventory, systems, obligations and findings, with them. `None` where it has no empty
    /// ones.
    #[must_use]
    pub fn with_all(&self, result: &[u8], findings: &ListText) -> Option<Vec<u8>> {
        let result = with_findings(result, findings.json())?;
        whole(&result, Some(&self.inventory.json), Some(&self.law.json))
    }

    /// The JSON of a result that was written without its inventory, with it. `None` where it has no empty one.
    #[must_use]
    pub fn with_inventory(&self, result: &[u8]) -> Option<Vec<u8>> {
        whole(result, Some(&self.inventory.json), None)
    }

    /// The whole result as JSON.
    #[must_use]
    pub fn whole(&self) -> Option<Vec<u8>> {
        whole(&self.result, Some(&self.inventory.json), Some(&self.law.json))
    }
}

/// The inventory as JSON, whose calls are apart, and the calls by themselves.
fn inventory_text(
    rest: &Inventory,
    calls: &[Call],
    before: Option<(&ScanResult, &WrittenLists)>,
) -> serde_json::Result<(Arc<WrittenPart>, Arc<ListText>)> {
    let known = before.map(|(known, texts)| (&*known.inventory.calls, &*texts.calls));
    let text = ListText::of(calls, known, |out, call| serde_json::to_writer(out, call))?;
    let json = match serde_json::to_vec(rest)?.strip_prefix(br#"{"calls":[]"#) {
        Some(rest) => [br#"{"calls":"#, text.json(), rest].concat(),
        None => serde_json::to_vec(&Inventory {
            calls: calls.to_vec(),
            ..rest.clone()
        })?,
    };
    Ok((Arc::new(json.into()), Arc::new(text)))
}

/// The systems and the obligations as they stand in a result, side by side.
fn law(systems: &[System], obligations: &[ProjectObligation]) -> serde_json::Result<WrittenPart> {
    let mut out = br#""systems":"#.to_vec();
    serde_json::to_writer(&mut out, systems)?;
    out.extend_from_slice(br#","obligations":"#);
    serde_json::to_writer(&mut out, obligations)?;
    Ok(out.into())
}

/// Puts the findings in their place behind the empty systems and obligations.
fn with_findings(result: &[u8], findings: &[u8]) -> Option<Vec<u8>> {
    let mut before = law(&[], &[]).ok()?.json;
    before.extend_from_slice(br#","findings":"#);
    let empty = [before.as_slice(), b"[]"].concat();
    let text = std::str::from_utf8(result).ok()?;
    let at = text.find(std::str::from_utf8(&empty).ok()?)?;
    let (head, tail) = (result.get(..at + before.len())?, result.get(at + empty.len()..)?);
    Some([head, findings, tail].concat())
}

/// Puts parts in the places of the empty ones; those that are not given stay as they are. No text can look like such a place: quotes in texts
/// are escaped, and no other part of a result has these names.
pub(crate) fn whole(result: &[u8], inventory: Option<&[u8]>, with: Option<&[u8]>) -> Option<Vec<u8>> {
    // As texts, since searching those skips ahead.
    let text = std::str::from_utf8(result).ok()?;
    let mut places: Vec<(usize, usize, &[u8])> = Vec::new();
    if let Some(with) = with {
        let empty = law(&[], &[]).ok()?.json;
        places.push((text.find(std::str::from_utf8(&empty).ok()?)?, empty.len(), with));
    }
    if let Some(inventory) = inventory {
        let name = br#""inventory":"#;
        let empty = serde_json::to_string(&Inventory::default()).ok()?;
        let at = text.find(&[std::str::from_utf8(name).ok()?, &empty].concat())?;
        places.push((at + name.len(), empty.len(), inventory));
    }
    places.sort_unstable();
    let mut out = Vec::with_capacity(result.len() + places.iter().map(|(.., part)| part.len()).sum::<usize>());
    let mut done = 0;
    for (at, length, part) in places {
        out.extend_from_slice(result.get(done..at)?);
        out.extend_from_slice(part);
        done = at + length;
    }
    out.extend_from_slice(result.get(done..)?);
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
        result
            .summary
            .by_status
            .insert(r#""systems":[],"obligations":[],"findings":[]"#.to_owned(), 1);
        let before = result.clone();
        let (written, id) = WrittenScan::of(&mut result, None, |scan| Ok(scan.id.clone())).unwrap();
        assert_eq!(id, "one");
        let known = (&before, written.lists());
        let (again, ()) = WrittenScan::of(&mut result, Some(known), |_| Ok(())).unwrap();
        assert_eq!(again, written);
        assert!(Arc::ptr_eq(&again.inventory, &written.inventory));
        result.inventory.prompts[0].line = 2;
        let (other, ()) = WrittenScan::of(&mut result, Some(known), |_| Ok(())).unwrap();
        assert_eq!(other.whole().unwrap(), serde_json::to_vec(&result).unwrap());
        result.inventory.prompts[0].line = 1;
        assert_eq!(result, before);
        assert_eq!(written.whole().unwrap(), serde_json::to_vec(&result).unwrap());
        assert!(written.with_inventory(b"{}").is_none());
        // Parts that are longer than nothing go where they belong, whatever texts look like them.
        let law = br#""systems":[1],"obligations":[2]"#;
        let full = whole(&written.result, None, Some(law)).unwrap();
        let full = String::from_utf8(full).unwrap();
        assert!(full.contains(
            r#""applicabilityReason":"\"inventory\":{\"calls\":[],","systems":[1],"obligations":[2],"findings""#
        ));
    }
}
