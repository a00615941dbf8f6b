//! Templates: their strict parser.

use engine_regulation::Document;
use serde::Deserialize;
use thiserror::Error;

use crate::condition::Condition;
use crate::fact::Fact;
use crate::request::RequestField;
use crate::table_names::TableName;

/// What a document consists of, section by section.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// The id of the document.
    pub id: String,
    /// What the document is, who makes it and when the law asks for it.
    pub purpose: String,
    /// The sections, in the order of the law data.
    pub sections: Vec<Section>,
}

/// One section.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The key in the law data.
    pub key: String,
    /// What the provision asks for, in our own words.
    pub law: String,
    /// The parts.
    pub parts: Vec<Part>,
}

/// One part of a section.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// A short noun phrase; empty for a sentence.
    pub label: String,
    /// All must hold for the part to be printed.
    pub only_if: Vec<Condition>,
    /// What is printed.
    pub body: Body,
    /// What a person is asked.
    pub question: Option<Question>,
}

/// What a part prints besides its question.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Nothing; only the question.
    None,
    /// A sentence about the law or the method.
    Text(String),
    /// A value that the engine knows.
    Fact(Fact),
    /// A table, limited to an article or not.
    Table {
        /// The table.
        name: TableName,
        /// The article, such as `Art. 14`.
        article: Option<String>,
        /// What is printed where the table is empty.
        none: Option<String>,
    },
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// What a good answer contains.
    pub hint: Option<String>,
    /// The field of the request that answers it.
    pub request: Option<RequestField>,
}

/// Why a text is not a template of a document.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// It is not TOML of this form.
    #[error("{0}")]
    Toml(String),
    /// It belongs to another document.
    #[error("the id is `{found}` and should be `{expected}`")]
    Id {
        /// The id in the template.
        found: String,
        /// The id of the document.
        expected: String,
    },
    /// Its sections are not those of the law data.
    #[error("the sections should be: {expected}; found: {found}")]
    Sections {
        /// The keys in the template.
        found: String,
        /// The keys of the law data.
        expected: String,
    },
    /// A name in it is unknown, or a part is not one of the known kinds.
    #[error("section `{section}`, part `{part}`: {why}")]
    Part {
        /// The key of the section.
        section: String,
        /// The label of the part.
        part: String,
        /// What is wrong.
        why: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateFile {
    id: String,
    purpose: String,
    section: Vec<SectionFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SectionFile {
    key: String,
    law: String,
    #[serde(default)]
    part: Vec<PartFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartFile {
    #[serde(default)]
    label: String,
    fact: Option<String>,
    table: Option<String>,
    none: Option<String>,
    text: Option<String>,
    question: Option<String>,
    hint: Option<String>,
    request: Option<String>,
    only_if: Option<OneOrMore>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Template {
    /// Parses the template of a document.
    ///
    /// # Errors
    ///
    /// [`TemplateError`].
    pub fn parse(text: &str, document: &Document) -> Result<Self, TemplateError> {
        let file: TemplateFile =
            engine_embed::from_toml(text).map_err(|error| TemplateError::Toml(error.to_string()))?;
        if file.id != document.id {
            return Err(TemplateError::Id {
                found: file.id,
                expected: document.id.clone(),
            });
        }
        let found: Vec<&str> = file.section.iter().map(|section| section.key.as_str()).collect();
        let expected: Vec<&str> = document.sections.iter().map(|section| section.key.as_str()).collect();
        if found != expected {
            return Err(TemplateError::Sections {
                found: found.join(", "),
                expected: expected.join(", "),
            });
        }
        let mut sections = Vec::with_capacity(file.section.len());
        for section in file.section {
            let mut parts = Vec::with_capacity(section.part.len());
            for part in section.part {
                let label = part.label.clone();
                parts.push(part.read(&document.id).map_err(|why| TemplateError::Part {
                    section: section.key.clone(),
                    part: label,
                    why,
                })?);
            }
            sections.push(Section {
                key: section.key,
                law: section.law,
                parts,
            });
        }
        Ok(Self {
            id: file.id,
            purpose: file.purpose,
            sections,
        })
    }
}

impl PartFile {
    fn read(self, document: &str) -> Result<Part, String> {
        let kinds =
            usize::from(self.fact.is_some()) + usize::from(self.table.is_some()) + usize::from(self.text.is_some());
        if kinds > 1 {
            return Err("`fact`, `table` and `text` exclude each other".to_owned());
        }
        if self.none.is_some() && self.table.is_none() {
            return Err("`none` needs `table`".to_owned());
        }
        if self.question.is_none() && (self.hint.is_some() || self.request.is_some()) {
            return Err("`hint` and `request` need `question`".to_owned());
        }
        if self.text.is_some() && self.question.is_some() {
            return Err("`text` and `question` exclude each other".to_owned());
        }
        if self.label.is_empty() && self.text.is_none() {
            return Err("`label` is missing".to_owned());
        }
        let body = match (self.fact, self.table, self.text) {
            (Some(name), ..) => Body::Fact(Fact::from_name(&name).ok_or_else(|| format!("unknown fact `{name}`"))?),
            (_, Some(name), _) => {
                let (name, article) = match name.split_once(':') {
                    Some((name, article)) => (name.to_owned(), Some(article.trim().to_owned())),
                    None => (name, None),
                };
                let table = TableName::from_name(&name).ok_or_else(|| format!("unknown table `{name}`"))?;
                if article.is_some() && !table.takes_article() {
                    return Err(format!("the table `{name}` takes no article"));
                }
                Body::Table {
                    name: table,
                    article,
                    none: self.none,
                }
            }
            (.., Some(text)) => Body::Text(text),
            _ => Body::None,
        };
        if body == Body::None && self.question.is_none() {
            return Err("a part needs `fact`, `table`, `text` or `question`".to_owned());
        }
        let request = match self.request {
            Some(name) => Some(
                RequestField::from_name(&name)
                    .filter(|field| RequestField::of_document(document).contains(field))
                    .ok_or_else(|| format!("the request for this document has no field `{name}`"))?,
            ),
            None => None,
        };
        let names = match self.only_if {
            Some(OneOrMore::One(name)) => vec![name],
            Some(OneOrMore::More(names)) => names,
            None => Vec::new(),
        };
        let mut only_if = Vec::with_capacity(names.len());
        for name in names {
            only_if.push(
                Condition::from_name(&name)
                    .filter(|condition| condition.is_for(document))
                    .ok_or_else(|| format!("unknown condition `{name}`"))?,
            );
        }
        Ok(Part {
            label: self.label,
            only_if,
            body,
            question: self.question.map(|text| Question {
                text,
                hint: self.hint,
                request,
            }),
        })
    }
}
