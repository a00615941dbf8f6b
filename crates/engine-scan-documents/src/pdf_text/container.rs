//! Object streams: packed objects are written out, so that a library without limits finds nothing that it could unpack.

use std::collections::BTreeMap;
use std::io::Write as _;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Name, ObjectIdentifier, Stream};

use super::extent::Extents;
use super::index::{self, Id, is_regular};
use super::{OBJECTS_MAX, filters};
use crate::facts::Unread;

/// The type of object streams, and what it is called while the library reads the file.
const CONTAINER: &[u8] = b"/ObjStm";
const OPENED: &[u8] = b"/ObjStX";

/// A file without object streams and without tables that could not be trusted.
pub(crate) struct Rebuilt {
    bytes: Vec<u8>,
    objects: BTreeMap<Id, usize>,
    /// Objects that are named as the catalogue.
    pub(crate) roots: Vec<Id>,
    /// Whether objects were left out for a limit.
    pub(crate) cut: bool,
    /// References of pages that can be followed.
    pub(crate) lookups: usize,
}

impl Rebuilt {
    /// The file with a table of its objects and one of its catalogues.
    pub(crate) fn file(&self, root: Id) -> Vec<u8> {
        with_table(self.bytes.clone(), &self.objects, root)
    }
}

/// Finds the objects of a file and writes out those in object streams.
pub(crate) fn rebuild(bytes: &[u8], budget: &mut usize) -> Result<Rebuilt, Unread> {
    let head = &bytes[..bytes.len().min(1024)];
    if index::find(head, b"%PDF-").is_none() {
        return Err(Unread::Damaged);
    }
    let mut bytes = bytes.to_vec();
    mask(&mut bytes);
    let found = index::read(&bytes, OBJECTS_MAX);
    if found.encrypted {
        return Err(Unread::Encrypted);
    }
    if found.found > OBJECTS_MAX {
        return Err(Unread::Limit);
    }
    if found.objects.is_empty() {
        return Err(Unread::Damaged);
    }
    let mut extents = Extents::default();
    let mut objects = BTreeMap::new();
    for (id, from) in found.objects {
        if extents.add(id, &bytes[from..]).ok_or(Unread::Limit)? {
            objects.insert(id, from);
        }
    }
    let before = *budget;
    let (packed, cut) = unpack(&bytes, &objects, budget);
    bytes.push(b'\n');
    for (number, object) in packed {
        let id = (number, 0);
        // An object of its own is taken for the newer one.
        if objects.contains_key(&id) {
            continue;
        }
        let from = bytes.len();
        // Writing into memory does not fail.
        let _written = writeln!(bytes, "{number} 0 obj");
        bytes.extend_from_slice(&object);
        bytes.extend_from_slice(b"\nendobj\n");
        if extents.add(id, &bytes[from..]).ok_or(Unread::Limit)? {
            objects.insert(id, from);
        }
    }
    // What was packed can name further object streams, which are in no valid file.
    mask(&mut bytes);
    let cut = cut || *budget == 0 && before > 0;
    let mut roots = found.roots;
    roots.retain(|root| objects.contains_key(root));
    if roots.is_empty() {
        return Err(if cut { Unread::Limit } else { Unread::Damaged });
    }
    let lookups = extents.lookups().ok_or(Unread::Limit)?;
    Ok(Rebuilt {
        bytes,
        objects,
        roots,
        cut,
        lookups,
    })
}

/// The objects in the object streams of a file.
fn unpack(bytes: &[u8], objects: &BTreeMap<Id, usize>, budget: &mut usize) -> (BTreeMap<u32, Vec<u8>>, bool) {
    let mut out = BTreeMap::new();
    if index::find(bytes, OPENED).is_none() {
        return (out, false);
    }
    // Two objects of our own stand for catalogue and pages while the file is looked through.
    let mut file = bytes.to_vec();
    let mut table = objects.clone();
    file.push(b'\n');
    for (number, text) in [
        (CATALOGUE, "<</Type/Catalog/Pages 4294967290 0 R>>"),
        (PAGES, "<</Type/Pages/Kids[]/Count 0>>"),
    ] {
        table.insert((number, 0), file.len());
        let _written = write!(file, "{number} 0 obj\n{text}\nendobj\n");
    }
    let Ok(pdf) = Pdf::new(with_table(file, &table, (CATALOGUE, 0))) else {
        return (out, false);
    };
    let mut cut = false;
    // Later object streams come with later changes, and the file tells by their place which these are.
    let mut order: Vec<(usize, Id)> = objects.iter().map(|(id, at)| (*at, *id)).collect();
    order.sort_unstable();
    for (at, (number, generation)) in order {
        let head = &bytes[at..bytes.len().min(at + HEAD_BYTES)];
        let Ok(generation) = i32::try_from(generation) else {
            continue;
        };
        if index::find(head, OPENED).is_none() {
            continue;
        }
        let Some(stream) = pdf.xref().get::<Stream<'_>>(ObjectIdentifier::new(number, generation)) else {
            continue;
        };
        if stream.dict().get::<Name<'_>>("Type").as_deref() != Some(&OPENED[1..]) {
            continue;
        }
        let Some(content) = filters::unpack(&stream, budget) else {
            cut = true;
            continue;
        };
        let number = |key: &str| usize::try_from(stream.dict().get::<i32>(key)?).ok();
        if let (Some(count), Some(first)) = (number("N"), number("First")) {
            cut |= !split(&content, count, first, budget, &mut out);
        }
    }
    (out, cut)
}

/// Bytes after the begin of an object in which its type is found.
const HEAD_BYTES: usize = 4096;
/// Numbers of the objects that are put into a file to look through it.
const CATALOGUE: u32 = 4_294_967_291;
const PAGES: u32 = 4_294_967_290;

/// Takes the content of an object stream apart; false where objects were left out for the limit.
fn split(content: &[u8], count: usize, first: usize, budget: &mut usize, out: &mut BTreeMap<u32, Vec<u8>>) -> bool {
    let Some(body) = content.get(first..) else {
        return true;
    };
    let head = String::from_utf8_lossy(&content[..first]);
    let numbers: Vec<usize> = head
        .split_ascii_whitespace()
        .take(count.saturating_mul(2).min(2 * OBJECTS_MAX))
        .map_while(|word| word.parse().ok())
        .collect();
    let pairs: Vec<(usize, usize)> = numbers.as_chunks::<2>().0.iter().map(|two| (two[0], two[1])).collect();
    for (at, (number, from)) in pairs.iter().enumerate() {
        if out.len() >= OBJECTS_MAX {
            return false;
        }
        let to = pairs.get(at + 1).map_or(body.len(), |next| next.1).min(body.len());
        let (Ok(number), Some(object)) = (u32::try_from(*number), body.get(*from..to)) else {
            continue;
        };
        // Offsets that do not rise can name the same bytes again and again.
        let Some(rest) = budget.checked_sub(object.len()) else {
            return false;
        };
        *budget = rest;
        out.insert(number, object.to_vec());
    }
    true
}

/// Renames object streams, also where letters of the name are written as numbers.
fn mask(bytes: &mut [u8]) {
    /// Bytes of the name when each letter is written as a number.
    const NAME_BYTES_MAX: usize = 3 * CONTAINER.len();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'/' {
            at += 1;
            continue;
        }
        let length = bytes[at + 1..]
            .iter()
            .take(NAME_BYTES_MAX)
            .take_while(|byte| is_regular(**byte))
            .count();
        let name = &mut bytes[at..=at + length];
        if name == CONTAINER {
            name.copy_from_slice(OPENED);
        } else if name.contains(&b'#') && Name::new(&name[1..]).as_deref() == Some(&CONTAINER[1..]) {
            name[1..].fill(b'X');
        }
        at += length + 1;
    }
}

/// A file with a table of its objects at its end, which is where the library looks for one.
fn with_table(mut bytes: Vec<u8>, objects: &BTreeMap<Id, usize>, root: Id) -> Vec<u8> {
    let at = bytes.len() + 1;
    let _written = write!(bytes, "\nxref\n");
    for ((number, generation), from) in objects {
        let _written = write!(bytes, "{number} 1\n{from:010} {generation:05} n \n");
    }
    let size = objects.len();
    let (number, generation) = root;
    let _written = write!(
        bytes,
        "trailer\n<</Size {size}/Root {number} {generation} R>>\nstartxref\n{at}\n%%EOF\n"
    );
    bytes
}
