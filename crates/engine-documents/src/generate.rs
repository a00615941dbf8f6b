//! Fills a template: what is known with its source, what is not as a question.

use engine_messages::{Key, Messages};
use engine_signing::Digest;

use crate::applicability::{Due, duty_of};
use crate::escape;
use crate::facts::Facts;
use crate::front::{Front, GENERATOR};
use crate::kinds::Kind;
use crate::marks::{label_start, open_mark, section_mark};
use crate::outline::Outline;
use crate::request::Request;
use crate::source::{Source, english};
use crate::table::{source, table};
use crate::template::{Body, Part, Question};

/// A document that was generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The id of its kind.
    pub kind: &'static str,
    /// Its title in the language of the request.
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

/// Generates a document in the language of the request. The same facts and the same request give the same bytes.
pub fn generate(kind: &'static Kind, facts: &Facts<'_>, request: &Request) -> Generated {
    let messages = Messages::of(request.language.unwrap_or_default());
    let mut page = Page {
        kind,
        facts,
        request,
        messages,
        front: Front::default(),
        body: String::new(),
        prefilled: Vec::new(),
        manual: Vec::new(),
    };
    page.head();
    for (section, law) in kind.template.sections.iter().zip(&kind.document.sections) {
        let title = kind.section_title(law, messages);
        page.block(&format!("## {title}\n{}", section_mark(&law.key)));
        page.quote(&provision(&law.source, &section.law));
        for part in &section.parts {
            if part.only_if.iter().all(|condition| condition.holds(facts, request)) {
                page.part(title, part);
            }
        }
    }
    let content = format!("{}\n{}", page.front.markdown(), page.body);
    Generated {
        kind: kind.id(),
        title: kind.title_in(messages),
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
    messages: &'static Messages,
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

    /// Adds a line of the engine under a fixed label.
    fn labelled(&mut self, label: Key, text: &str) {
        let start = label_start(self.messages, label);
        self.block(&format!("{start}{text}"));
    }

    fn head(&mut self) {
        let (facts, messages) = (self.facts, self.messages);
        let document = self.kind.document;
        let title = self.kind.title_in(messages);
        let duty = duty_of(self.kind, facts);
        let from = match &duty.due {
            Due::Applies { since: Some(date) } | Due::Upcoming { from: date } | Due::StartOpen { from: date, .. } => {
                Some(*date)
            }
            Due::Applies { since: None } | Due::Open { .. } | Due::OnEvent { .. } | Due::Not { .. } => {
                document.applies_from
            }
        };
        self.front.word("docType", &document.id);
        self.front.text("title", title);
        self.front.word("language", messages.language().code());
        self.front.text("system", &facts.system.id);
        self.front.word("status", "draft");
        self.front.text("law", facts.law_version);
        self.front.word("generated", &facts.as_of.to_string());
        self.front.word("generatedBy", GENERATOR);
        self.block(&format!("# {title}: {}", escape::inline(&facts.system.name)));
        self.block(&self.kind.template.purpose);
        let draft = messages.fill(Key::DocDraft, &[("date", &messages.date(facts.as_of))]);
        self.labelled(Key::DocStatus, &draft);
        let required = from.map_or_else(String::new, |date| {
            let from = messages.fill(Key::DocBasisFrom, &[("date", &messages.date(date))]);
            format!(" {from}")
        });
        let law = messages.fill(Key::DocBasisLaw, &[("version", &escape::inline(facts.law_version))]);
        self.labelled(
            Key::DocBasis,
            &format!("{}.{required} {law}", document.legal_basis.join(", ")),
        );
        if let Due::Open { reason, .. } | Due::StartOpen { words: reason, .. } = &duty.due {
            self.labelled(Key::DocOpen, &escape::inline(reason));
        }
        self.labelled(Key::DocWhen, &format!("{}.", document.when.trim_end_matches('.')));
        if let Some(retention) = &document.retention {
            self.labelled(Key::DocKeep, &format!("{}.", retention.trim_end_matches('.')));
        }
        self.labelled(Key::DocHow, messages.text(Key::DocHowText));
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
                    self.quote(&format!("**{}:** {}", part.label, value.markdown(self.messages)));
                    self.prefilled.push(field);
                }
                None => {
                    if let Some(question) = &part.question {
                        self.question(field, part, question);
                    } else {
                        let unknown = self.messages.text(Key::DocNotKnown);
                        self.quote(&format!("**{}:** {unknown}", part.label));
                    }
                }
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
        let source = source(name, self.facts);
        let key = match article {
            Some(article) => format!("table.{}:{article}", name.name()),
            None => format!("table.{}", name.name()),
        };
        self.front
            .source(&key, &short_digest(&found.identity()), &source.words(english()));
        let messages = self.messages;
        let words = escape::inline(&source.words(messages));
        if found.rows.is_empty() {
            let none = none.unwrap_or(messages.text(Key::DocNone));
            self.quote(&format!("**{}:** {none} ({words})", part.label));
            return;
        }
        let mut lines = vec![format!("> **{}** ({words}):", part.label), ">".to_owned()];
        lines.extend(found.markdown(messages));
        if found.more() > 0 {
            lines.push(">".to_owned());
            let number = |count: usize| messages.number(count as u64);
            let (all, left_out) = (found.rows.len(), found.more());
            let place = format!("`engine-server scan --format json`, {}", name.whole_list());
            let more = messages.fill(
                Key::DocMore,
                &[
                    ("shown", &number(all - left_out)),
                    ("all", &number(all)),
                    ("count", &number(left_out)),
                    ("place", &place),
                ],
            );
            lines.push(format!("> {more}"));
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
            self.block(&open_mark(self.messages, &part.label));
            self.manual.push(field);
            return;
        };
        let source = Source::Request {
            on: statement.on,
            field: None,
        };
        self.front.source(
            &format!("request.{}", name.name()),
            &short_digest(&statement.text),
            &source.words(english()),
        );
        let words = source.words(self.messages);
        self.quote(&format!("**{}:** {} ({words})", part.label, question.text));
        self.block(&escape::statement(&statement.text));
        self.prefilled.push(field);
    }
}
