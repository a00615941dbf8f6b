//! A list as JSON that the next one takes over, element by element, as far as the elements are equal.

use serde_json::Result;

/// Elements that are looked at on both sides of where the next equal one is expected.
const NEAR: usize = 16;

/// Elements in a row that are new before those of before are passed over as well.
const NEW_IN_A_ROW: usize = 8;

/// A list as JSON, with the end of each element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListText {
    json: Vec<u8>,
    ends: Vec<usize>,
}

impl ListText {
    /// Writes a list. What `before` holds, the elements of another list with their text, is copied where it is equal; nearly all of a project
    /// is the same from one scan to the next.
    ///
    /// # Errors
    ///
    /// What the writer of an element answers.
    pub fn of<T: PartialEq>(
        items: &[T],
        before: Option<(&[T], &Self)>,
        write: impl Fn(&mut Vec<u8>, &T) -> Result<()>,
    ) -> Result<Self> {
        let (known, text) = before
            .filter(|(known, text)| known.len() == text.ends.len())
            .map_or((&[][..], None), |(known, text)| (known, Some(text)));
        let mut json = Vec::with_capacity(text.map_or(0, |text| text.json.len() + text.json.len() / 16));
        let mut ends = Vec::with_capacity(items.len());
        let (mut next, mut new) = (0_usize, 0_usize);
        json.push(b'[');
        for item in items {
            if !ends.is_empty() {
                json.push(b',');
            }
            let around =
                (next..known.len().min(next + NEAR)).chain((next.saturating_sub(NEAR)..next.min(known.len())).rev());
            let equal = around.into_iter().find(|at| known[*at] == *item);
            if let Some((at, element)) = equal.and_then(|at| Some((at, text?.element(at)?))) {
                json.extend_from_slice(element);
                (next, new) = (at + 1, 0);
            } else {
                write(&mut json, item)?;
                new += 1;
                next += usize::from(new > NEW_IN_A_ROW);
            }
            ends.push(json.len());
        }
        json.push(b']');
        Ok(Self { json, ends })
    }

    /// The list as JSON.
    #[must_use]
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// The text of one element.
    fn element(&self, at: usize) -> Option<&[u8]> {
        // Behind the bracket, or behind the comma after the one before.
        let start = match at.checked_sub(1) {
            Some(before) => self.ends.get(before)? + 1,
            None => 1,
        };
        self.json.get(start..*self.ends.get(at)?)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The text of a list, and how many elements were written anew.
    fn written(items: &[String], before: Option<(&[String], &ListText)>) -> (ListText, usize) {
        let count = Cell::new(0);
        let text = ListText::of(items, before, |out, item| {
            count.set(count.get() + 1);
            serde_json::to_writer(out, item)
        });
        (text.unwrap(), count.get())
    }

    fn numbered(range: impl Iterator<Item = usize>) -> Vec<String> {
        range.map(|number| format!("\"{number}\", [")).collect()
    }

    #[test]
    fn only_what_is_not_equal_is_written_anew() {
        let first = numbered(0..200);
        let (text, count) = written(&first, None);
        assert_eq!((text.json(), count), (&*serde_json::to_vec(&first).unwrap(), 200));
        let changed = |at: usize, count: usize| {
            let mut items = first.clone();
            for item in &mut items[at..at + count] {
                item.push('x');
            }
            items
        };
        let cases = [
            (first.clone(), 0),
            (first[1..].to_vec(), 0),
            (first[..150].to_vec(), 0),
            ([&first[..40], &first[50..]].concat(), 0),
            (changed(0, 1), 1),
            (changed(199, 1), 1),
            (changed(50, 40), 40),
            ([&first[..60], &numbered(500..505), &first[60..]].concat(), 5),
            ([&first[..60], &numbered(500..520), &first[60..]].concat(), 20),
            (Vec::new(), 0),
        ];
        for (items, new) in cases {
            let (again, count) = written(&items, Some((&first, &text)));
            assert_eq!(again.json(), serde_json::to_vec(&items).unwrap());
            assert!(count >= new && count <= new + 4, "{count} for {new}");
            let (back, _) = written(&first, Some((&items, &again)));
            assert_eq!(back, text);
        }
        // A text of another list is not used.
        let (again, count) = written(&first, Some((&first[1..], &text)));
        assert_eq!((again, count), (text, 200));
    }
}
