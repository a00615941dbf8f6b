//! Fills a template: what is known with its source, what is not as a question.

use engine_signing::Digest;

use crate::applicability::{Due, duty_of};
use crate::escape;
use crate::facts::{Facts, in_words};
use crate::front::{Front, GENERATOR};
use crate::kinds::Kind;
use crate::marks::{STATUS, open_mark};
use crate::outline::Outline;
use crate::request::Request;
use crate::table::{ROWS_MAX, source, table};
use crate::template::{Body, Part, Question};

/// A document that was generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The id of its kind.
    pub kind: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The text with its front matter.
    pub content: String,
    /// Sections and labels that are filled with a value of the engine or of the request.
    pub prefilled_fields: Vec<String>,
    /// Sections and labels that a person must answer.
    pub manual_fields: Vec<String>,
    /// Share of the required sections that are answered, in per cent; a new document has none.
    pub completeness: u8,
}

/// Generates a document. The same facts and the same request give the same bytes.
pub fn generate(kind: &'static Kind, facts: &Facts<'_>, request: &Request) -> Generated {
    let mut page = Page {
        kind,
        facts,
        request,
        front: Front::default(),
        body: String::new(),
        prefilled: Vec::new(),
        manual: Vec::new(),
    };
    page.head();
    for (section, law) in kind.template.sections.iter().zip(&kind.document.sections) {
        page.block(&format!("## {}", law.title));
        page.quote(&provision(&law.source, &section.law));
        for part in &section.parts {
            if part.only_if.iter().all(|condition| condition.holds(facts, request)) {
                page.part(&law.title, part);
            }
        }
    }
    let content = format!("{}\n{}", page.front.markdown(), page.body);
    Generated {
        kind: kind.id(),
        title: kind.title(),
        completeness: Outline::of(&content).map_or(0, |outline| outline.completeness),
        content,
        prefilled_fields: page.prefilled,
        manual_fields: page.manual,
    }
}

/// What a provision asks for, with the provision in bold once.
fn provision(source: &str, law: &str) -> String {
    match law.strip_prefix(source) {
        Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric() || c == '(') => format!("**{source}**{rest}"),
        _ => format!("**{source}.** {law}"),
    }
}

/// A short digest of a value, by which a later run sees that it changed.
pub(crate) fn short_digest(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string().chars().take(16).collect()
}

struct Page<'p> {
    kind: &'static Kind,
    facts: &'p Facts<'p>,
    request: &'p Request,
    front: Front,
    body: String,
    prefilled: Vec<String>,
    manual: Vec<String>,
}

impl Page<'_> {
    /// Adds a block, set apart by a blank line so that edits of neighbours do not collide.
    fn block(&mut self, text: &str) {
        if !self.body.is_empty() {
            self.body.push('\n');
        }
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// Adds a line of the engine.
    fn quote(&mut self, text: &str) {
        self.block(&format!("> {text}"));
    }

    fn head(&mut self) {
        let facts = self.facts;
        let document = self.kind.document;
        let today = in_words(facts.as_of);
        let duty = duty_of(self.kind, facts);
        let from = match &duty.due {
            Due::Applies { since: Some(date) } | Due::Upcoming { from: date } => Some(*date),
            Due::Applies { since: None } | Due::Open { .. } | Due::OnEvent { .. } | Due::Not { .. } => {
                document.applies_from
            }
        };
        self.front.word("docType", &document.id);
        self.front.text("title", &document.title);
        self.front.text("system", &facts.system.id);
        self.front.word("status", "draft");
        self.front.text("law", facts.law_version);
        self.front.word("generated", &facts.as_of.to_string());
        self.front.word("generatedBy", GENERATOR);
        self.block(&format!("# {}: {}", document.title, escape::inline(&facts.system.name)));
        self.block(&self.kind.template.purpose);
        let status = format!(
            "{STATUS}Draft of {today}. An open question counts as missing. The document counts in full once a named person has made it final."
        );
        self.block(&status);
        let required = from.map_or_else(String::new, |date| format!(" Applies from {}.", in_words(date)));
        self.quote(&format!(
            "**Basis:** {}.{required} Law data, version {}.",
            document.legal_basis.join(", "),
            escape::inline(facts.law_version)
        ));
        if let Due::Open { reason, .. } = &duty.due {
            self.quote(&format!("**Open:** {}", escape::inline(reason)));
        }
        self.quote(&format!("**When:** {}.", document.when.trim_end_matches('.')));
        if let Some(retention) = &document.retention {
            self.quote(&format!("**Keep:** {}.", retention.trim_end_matches('.')));
        }
        self.quote(
            "**How to read it:** A quotation was written by the engine and names its source. Replace each mark in square \
             brackets with your answer. Text outside quotations is yours and is kept when the document is generated again.",
        );
    }

    fn part(&mut self, section: &str, part: &Part) {
        let field = format!("{section}: {}", part.label);
        match &part.body {
            Body::Text(text) => {
                let label = if part.label.is_empty() {
                    String::new()
                } else {
                    format!("**{}:** ", part.label)
                };
                self.quote(&format!("{label}{text}"));
            }
            Body::Fact(fact) => match self.facts.value(*fact, self.kind.id(), self.request) {
                Some(value) => {
                    self.front
                        .source(&fact.name(), &short_digest(&value.text), &value.source_text());
                    self.quote(&format!("**{}:** {}", part.label, value.markdown()));
                    self.prefilled.push(field);
                }
                None => match &part.question {
                    Some(question) => self.question(field, part, question),
                    None => self.quote(&format!("**{}:** not known.", part.label)),
                },
            },
            Body::Table { name, article, none } => {
                self.table(&field, part, *name, article.as_deref(), none.as_deref());
                if let Some(question) = &part.question {
                    self.question(field, part, question);
                }
            }
            Body::None => {
                if let Some(question) = &part.question {
                    self.question(field, part, question);
                }
            }
        }
    }

    fn table(&mut self, field: &str, part: &Part, name: crate::TableName, article: Option<&str>, none: Option<&str>) {
        let found = table(name, article, self.facts);
        let words = source(name, self.facts);
        let key = match article {
            Some(article) => format!("table.{}:{article}", name.name()),
            None => format!("table.{}", name.name()),
        };
        self.front.source(&key, &short_digest(&found.identity()), &words);
        let words = escape::inline(&words);
        if found.rows.is_empty() {
            let none = none.unwrap_or("None found in the files that were read.");
            self.quote(&format!("**{}:** {none} ({words})", part.label));
            return;
        }
        let mut lines = vec![format!("> **{}** ({words}):", part.label), ">".to_owned()];
        lines.extend(found.markdown().into_iter().map(|line| format!("> {line}")));
        if found.more() > 0 {
            lines.push(">".to_owned());
            lines.push(format!(
                "> The table shows {ROWS_MAX} rows and leaves out {} more.",
                found.more()
            ));
        }
        self.block(&lines.join("\n"));
        self.prefilled.push(field.to_owned());
    }

    fn question(&mut self, field: String, part: &Part, question: &Question) {
        let hint = question
            .hint
            .as_ref()
            .map_or_else(String::new, |hint| format!(" *{}*", hint.trim()));
        let stated = question.request.and_then(|one| Some((one, self.request.get(one)?)));
        let Some((name, statement)) = stated else {
            self.quote(&format!("**{}:** {}{hint}", part.label, question.text));
            self.block(&open_mark(&part.label));
            self.manual.push(field);
            return;
        };
        let words = format!("stated in the request of {}", in_words(statement.on));
        self.front.source(
            &format!("request.{}", name.name()),
            &short_digest(&statement.text),
            &words,
        );
        self.quote(&format!("**{}:** {} ({words})", part.label, question.text));
        self.block(&escape::statement(&statement.text));
        self.prefilled.push(field);
    }
}
