//! Laws of edits.

use proptest::prelude::*;

use crate::edit::{Edit, edited, inverse, merged};

fn sorted_edits(text: &str, cuts: &[(usize, usize, String)]) -> Vec<Edit> {
    let mut out: Vec<Edit> = Vec::new();
    let mut from = 0;
    for (skip, take, insert) in cuts {
        let start = from + skip % (text.len() - from + 1);
        let end = start + take % (text.len() - start + 1);
        if out.last().is_some_and(|last| last.start == start) {
            continue;
        }
        out.push(Edit {
            start,
            end,
            text: insert.clone(),
        });
        from = end;
    }
    out
}

proptest! {
    #[test]
    fn the_inverse_leads_back(text in "[a-z\n]{0,80}", cuts in prop::collection::vec((0usize..20, 0usize..10, "[A-Z]{0,5}"), 0..6)) {
        let edits = sorted_edits(&text, &cuts);
        let removed: Vec<Vec<u8>> = edits.iter().map(|edit| text.as_bytes()[edit.start..edit.end].to_vec()).collect();
        let after = edited(text.as_bytes(), &edits).unwrap();
        let mut back = Vec::new();
        let mut done = 0;
        for (start, end, bytes) in inverse(&edits, &removed) {
            back.extend_from_slice(&after[done..start]);
            back.extend_from_slice(&bytes);
            done = end;
        }
        back.extend_from_slice(&after[done..]);
        prop_assert_eq!(back, text.as_bytes());
    }
}

#[test]
fn equal_insertions_are_made_once_and_overlaps_are_refused() {
    let edit = |start, end, text: &str| Edit {
        start,
        end,
        text: text.to_owned(),
    };
    let import = [edit(0, 0, "import logging\n"), edit(9, 12, "x")];
    let other = [edit(0, 0, "import logging\n"), edit(20, 22, "y")];
    assert_eq!(merged([&import[..], &other[..]]).unwrap().len(), 3);
    assert!(merged([&[edit(3, 8, "a")][..], &[edit(5, 9, "b")][..]]).is_err());
    assert!(merged([&[edit(3, 8, "a")][..], &[edit(3, 8, "b")][..]]).is_err());
}
