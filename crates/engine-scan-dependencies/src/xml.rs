//! XML into a flat tree of elements. Document types are stepped over: nothing is expanded and nothing is fetched.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::node::{Lines, Parsed};

/// Elements beyond this count end the reading; the largest real manifests have some ten thousand.
const ELEMENTS_MAX: usize = 500_000;

/// Deeper elements are skipped.
const DEPTH_MAX: usize = 256;

/// An element with its place in the tree.
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) children: Vec<usize>,
}

/// All elements; the first one stands for the document.
pub(crate) struct Document {
    pub(crate) elements: Vec<Element>,
}

/// An element and the document it stands in.
#[derive(Clone, Copy)]
pub(crate) struct At<'d> {
    document: &'d Document,
    index: usize,
}

impl Document {
    pub(crate) fn root(&self) -> At<'_> {
        At {
            document: self,
            index: 0,
        }
    }
}

impl<'d> At<'d> {
    pub(crate) fn element(self) -> &'d Element {
        &self.document.elements[self.index]
    }

    pub(crate) fn name(self) -> &'d str {
        &self.element().name
    }

    pub(crate) fn line(self) -> u32 {
        self.element().line
    }

    pub(crate) fn children(self) -> impl Iterator<Item = At<'d>> {
        self.element().children.iter().map(move |index| At {
            document: self.document,
            index: *index,
        })
    }

    pub(crate) fn child(self, name: &str) -> Option<At<'d>> {
        self.children().find(|child| child.name().eq_ignore_ascii_case(name))
    }

    /// The trimmed text of a child, unless it is empty.
    pub(crate) fn text_of(self, name: &str) -> Option<&'d str> {
        self.child(name)
            .map(|child| child.element().text.trim())
            .filter(|text| !text.is_empty())
    }

    pub(crate) fn attribute(self, name: &str) -> Option<&'d str> {
        self.element()
            .attributes
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    }

    /// All elements below, in the order of the file.
    pub(crate) fn descendants(self) -> impl Iterator<Item = At<'d>> {
        // Elements are stored in the order of the file, so everything after this one up to its end lies below it.
        let mut stack = vec![self.index];
        let document = self.document;
        std::iter::from_fn(move || {
            let index = stack.pop()?;
            stack.extend(document.elements[index].children.iter().rev());
            Some(At { document, index })
        })
        .skip(1)
    }
}

/// Reads XML; what stands before a mistake is kept.
pub(crate) fn xml(text: &str) -> Parsed<Document> {
    let lines = Lines::new(text);
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let root = Element {
        name: String::new(),
        attributes: Vec::new(),
        text: String::new(),
        line: 1,
        children: Vec::new(),
    };
    let mut elements = vec![root];
    let mut open = vec![0_usize];
    let mut too_deep = 0_usize;
    let mut broken = None;
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                if open.len() > DEPTH_MAX {
                    too_deep += 1;
                } else {
                    let index = push(&mut elements, &open, &start, lines.of(at));
                    open.push(index);
                }
            }
            Ok(Event::Empty(start)) => {
                if open.len() <= DEPTH_MAX {
                    push(&mut elements, &open, &start, lines.of(at));
                }
            }
            Ok(Event::End(_)) => {
                if too_deep > 0 {
                    too_deep -= 1;
                } else if open.len() > 1 {
                    open.pop();
                }
            }
            Ok(Event::Text(text)) => append(&mut elements, &open, too_deep, &text),
            Ok(Event::CData(text)) => append(&mut elements, &open, too_deep, &text),
            Ok(Event::GeneralRef(reference)) => {
                let text = match reference.resolve_char_ref() {
                    Ok(Some(c)) => c.to_string(),
                    _ => match &*reference {
                        "lt" => "<".to_owned(),
                        "gt" => ">".to_owned(),
                        "amp" => "&".to_owned(),
                        "quot" => "\"".to_owned(),
                        "apos" => "'".to_owned(),
                        _ => String::new(),
                    },
                };
                append(&mut elements, &open, too_deep, &text);
            }
            Ok(Event::Eof) => break,
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Err(_) => {
                broken = Some(lines.of(at));
                break;
            }
        }
        if elements.len() > ELEMENTS_MAX {
            broken = Some(lines.of(at));
            break;
        }
    }
    Parsed {
        value: Document { elements },
        broken,
    }
}

fn push(elements: &mut Vec<Element>, open: &[usize], start: &BytesStart<'_>, line: u32) -> usize {
    let attributes = start
        .attributes()
        .with_checks(false)
        .flatten()
        .map(|attribute| {
            let key = attribute.key.local_name().as_ref().to_owned();
            let value = attribute
                .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                .map_or_else(|_| attribute.value.to_string(), std::borrow::Cow::into_owned);
            (key, value)
        })
        .collect();
    let name = start.local_name().as_ref().to_owned();
    let index = elements.len();
    elements.push(Element {
        name,
        attributes,
        text: String::new(),
        line,
        children: Vec::new(),
    });
    if let Some(parent) = open.last() {
        elements[*parent].children.push(index);
    }
    index
}

fn append(elements: &mut [Element], open: &[usize], too_deep: usize, text: &str) {
    if too_deep == 0
        && let Some(index) = open.last()
        && *index > 0
    {
        elements[*index].text.push_str(text);
    }
}
