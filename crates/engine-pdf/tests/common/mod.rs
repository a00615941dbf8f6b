//! A reader that knows just enough of the format to check what was written.

use std::io::Read;

/// The objects of a file: the bytes between `obj` and `endobj`.
pub(crate) fn objects(pdf: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = pdf;
    while let Some(start) = find(rest, b" 0 obj\n") {
        rest = &rest[start + 7..];
        let end = find(rest, b"\nendobj").unwrap_or(rest.len());
        found.push(rest[..end].to_vec());
        rest = &rest[end..];
    }
    found
}

/// The dictionary of an object as text.
pub(crate) fn dictionary(object: &[u8]) -> String {
    let end = find(object, b"\nstream").unwrap_or(object.len());
    String::from_utf8_lossy(&object[..end]).into_owned()
}

/// The structure elements: their kind and their dictionary.
pub(crate) fn elements(pdf: &[u8]) -> Vec<(String, String)> {
    objects(pdf)
        .iter()
        .map(|object| dictionary(object))
        .filter(|text| text.contains("/Type/StructElem"))
        .map(|text| {
            let kind = text
                .split("/S/")
                .nth(1)
                .and_then(|kind| kind.split(['/', ' ', '>', '<']).next());
            (kind.unwrap_or_default().to_owned(), text)
        })
        .collect()
}

/// The streams of drawings, inflated.
pub(crate) fn contents(pdf: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for object in objects(pdf) {
        let Some(start) = find(&object, b"stream\n") else {
            continue;
        };
        let mut inflated = Vec::new();
        let mut reader = flate2::read::ZlibDecoder::new(&object[start + 7..]);
        if reader.read_to_end(&mut inflated).is_ok() && find(&inflated, b"BDC").is_some() {
            found.push(inflated);
        }
    }
    found
}

/// The operators of a stream, without numbers, names and strings.
fn operators(content: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut bytes = content.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'(' => {
                let mut depth = 1;
                while depth > 0 {
                    match bytes.next() {
                        Some(b'\\') => drop(bytes.next()),
                        Some(b'(') => depth += 1,
                        Some(b')') => depth -= 1,
                        Some(_) => {}
                        None => return found,
                    }
                }
            }
            b'<' if bytes.next_if_eq(&b'<').is_none() => while bytes.next().is_some_and(|byte| byte != b'>') {},
            b'/' => while bytes.next_if(u8::is_ascii_alphanumeric).is_some() {},
            _ if byte.is_ascii_alphabetic() => {
                let mut operator = String::from(char::from(byte));
                while let Some(byte) = bytes.next_if(|byte| byte.is_ascii_alphanumeric() || *byte == b'*') {
                    operator.push(char::from(byte));
                }
                found.push(operator);
            }
            _ => {}
        }
    }
    found
}

/// How many pages a file has.
pub(crate) fn pages(pdf: &[u8]) -> usize {
    objects(pdf)
        .iter()
        .filter(|object| dictionary(object).contains("/Type/Page/"))
        .count()
}

/// Checks what each file must have, whatever it says.
pub(crate) fn check(pdf: &[u8]) {
    assert!(pdf.starts_with(b"%PDF-1.7"));
    let text = String::from_utf8_lossy(pdf);
    for part in [
        "/MarkInfo<</Marked true",
        "/StructTreeRoot",
        "/DisplayDocTitle true",
        "/Lang(",
        "/Outlines ",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains("<pdfuaid:part>1</pdfuaid:part>"));
    assert!(text.contains("<dc:title>"));
    for (kind, element) in elements(pdf) {
        match kind.as_str() {
            "Figure" => assert!(element.contains("/Alt(") || element.contains("/Alt<"), "{element}"),
            "TH" => assert!(element.contains("/Scope/"), "{element}"),
            "L" => assert!(element.contains("/ListNumbering/"), "{element}"),
            _ => {}
        }
    }
    for object in objects(pdf) {
        let object = dictionary(&object);
        if object.contains("/Subtype/Link") {
            assert!(object.contains("/Contents"), "{object}");
            assert!(object.contains("/StructParent "), "{object}");
        }
        if object.contains("/Type/Page/") {
            assert!(object.contains("/Tabs/S"), "{object}");
        }
    }
    let contents = contents(pdf);
    assert!(!contents.is_empty());
    for content in contents {
        let mut depth = 0_i32;
        for operator in operators(&content) {
            match operator.as_str() {
                "BDC" | "BMC" => depth += 1,
                "EMC" => depth -= 1,
                "Tj" | "TJ" | "f" | "f*" | "S" | "B" | "Do" | "sh" => {
                    assert!(depth > 0, "drawn outside the structure: {operator}");
                }
                _ => {}
            }
        }
        assert_eq!(depth, 0);
    }
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
