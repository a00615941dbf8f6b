//! Tells which outlines are documents of the law, by what they say.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use engine_model::{Document, DocumentSection, DocumentState, FileInfo, SectionState, Zone};

use crate::facts::{DocumentFacts, SectionFacts};
use crate::kinds::{Fit, Kind, kinds, similarity};
use crate::words::{fold, tokens};

/// Headings of one file that are compared with sections.
const HEADINGS_MAX: usize = 300;
/// Score of a title that names the kind.
const TITLE_STRONG: u32 = 820;
/// Score of a title that comes near.
const TITLE_NEAR: u32 = 550;

/// The documents among the files, in the order of their paths.
pub fn join<F: Borrow<DocumentFacts>>(facts: &[(FileInfo, F)]) -> Vec<Document> {
    let mut out: Vec<Document> = facts
        .iter()
        .filter_map(|(file, facts)| document(file, facts.borrow()))
        .collect();
    out.sort_by(|a, b| a.file.cmp(&b.file));
    out
}

fn document(file: &FileInfo, facts: &DocumentFacts) -> Option<Document> {
    if !matches!(file.zone, Zone::Product | Zone::Docs) || facts.sections.is_empty() && facts.front.doc_type.is_none() {
        return None;
    }
    let outline = Outline::of(&file.path, facts);
    let mut best: Option<(u8, usize, usize, BTreeMap<usize, usize>)> = None;
    for (index, kind) in kinds().all.iter().enumerate() {
        let Some((confidence, assigned)) = outline.judge(index, kind) else {
            continue;
        };
        let better = best
            .as_ref()
            .is_none_or(|(known, matched, _, _)| (confidence, assigned.len()) > (*known, *matched));
        if better {
            best = Some((confidence, assigned.len(), index, assigned));
        }
    }
    let (confidence, _, index, assigned) = best?;
    Some(outline.build(file, &kinds().all[index], confidence, &assigned))
}

struct Outline<'a> {
    facts: &'a DocumentFacts,
    /// Sections with all that stands below them.
    merged: Vec<SectionFacts>,
    /// The words of the title, in full and by its parts.
    titles: Vec<BTreeSet<String>>,
    /// The words of the file's name.
    stem: BTreeSet<String>,
    line: u32,
    /// Sections that headings may stand for, by kind: score, section, heading, whether specific.
    fits: BTreeMap<usize, Vec<(Fit, usize, usize)>>,
    /// A file that tells about something else by its place or its form.
    foreign: bool,
    readme: bool,
    /// It says how software is put up and run.
    operations: bool,
    article_headings: usize,
}

/// Names of files that every project has and that are no documents of the law.
const FOREIGN_STEMS: &[&str] = &[
    "changelog",
    "changes",
    "history",
    "contributing",
    "license",
    "licence",
    "copying",
    "notice",
    "authors",
    "code_of_conduct",
    "security",
    "support",
    "roadmap",
    "agents",
    "claude",
];
/// What a title or a file's name speaks of where it says how software is built, put up and run: whoever does that reads it, and a document of
/// the law only where it cites the law.
const OF_OPERATIONS: &[&str] = &[
    "deploy",
    "deployment",
    "deploying",
    "install",
    "installation",
    "installing",
    "setup",
    "build",
    "building",
    "hosting",
    "docker",
    "kubernetes",
    "configuration",
    "migration",
    "upgrade",
    "upgrading",
    "troubleshooting",
    "development",
    // What was mended is told to those who build on.
    "fix",
    "fixes",
    "bug",
    "bugs",
    "bugfix",
    "bugfixes",
    "issues",
];
/// Folders of articles.
const ARTICLE_FOLDERS: &[&str] = &["blog", "blogs", "posts", "_posts", "articles", "news"];
/// How headings of articles and software manuals begin, folded.
const ARTICLE_HEADINGS: &[&str] = &[
    "what is",
    "what are",
    "why ",
    "how to",
    "how do",
    "conclusion",
    "introduction",
    "further reading",
    "who needs",
    "key takeaways",
    "tl;dr",
    "installation",
    "getting started",
    "quick start",
    "quickstart",
    "license",
    "contributing",
    "api reference",
    "faq",
    "fazit",
    "was ist",
    "warum",
    "examples",
    "features",
];

impl<'a> Outline<'a> {
    fn of(path: &str, facts: &'a DocumentFacts) -> Self {
        let mut merged = facts.sections.clone();
        let mut open: Vec<usize> = Vec::new();
        for index in 0..facts.sections.len() {
            let level = facts.sections[index].level;
            while open.last().is_some_and(|above| facts.sections[*above].level >= level) {
                open.pop();
            }
            // Levels rise along the open headings, so there are at most six.
            for above in &open {
                merged[*above].add(&facts.sections[index]);
            }
            open.push(index);
        }
        let first = facts.sections.first();
        let title = facts
            .front
            .title
            .as_deref()
            .or(first.map(|section| section.heading.as_str()))
            .unwrap_or("");
        let mut titles = vec![tokens(title)];
        titles.extend(
            title
                .split([':', '|', '(', '–', '—'])
                .flat_map(|part| part.split(" - "))
                .map(tokens),
        );
        if facts.front.title.is_some()
            && let Some(first) = first
        {
            titles.push(tokens(&first.heading));
        }
        titles.retain(|title| !title.is_empty());
        let lower = path.to_ascii_lowercase();
        let (folder, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let stem = name.split('.').next().unwrap_or(name);
        // The one heading above all others is the title and no section.
        let lone_title =
            first.is_some_and(|first| facts.sections.iter().skip(1).all(|section| section.level > first.level));
        let skip = usize::from(lone_title && facts.sections.len() > 1);
        let mut fits: BTreeMap<usize, Vec<(Fit, usize, usize)>> = BTreeMap::new();
        let mut article_headings = 0;
        for (index, section) in facts.sections.iter().enumerate().skip(skip).take(HEADINGS_MAX) {
            let plain_heading = fold(&section.heading);
            article_headings += usize::from(
                ARTICLE_HEADINGS.iter().any(|start| plain_heading.starts_with(start)) || plain_heading.ends_with('?'),
            );
            for ((kind, part), fit) in kinds().fits(&tokens(&section.heading)) {
                fits.entry(kind).or_default().push((fit, part, index));
            }
            for (kind, part, fit) in kinds().own(&plain_heading, section.key.as_deref()) {
                fits.entry(kind).or_default().push((fit, part, index));
            }
        }
        Self {
            facts,
            merged,
            titles,
            stem: tokens(&stem.replace(['-', '_'], " ")),
            line: first.map_or(1, |section| section.line),
            fits,
            foreign: facts.front.article
                || FOREIGN_STEMS.contains(&stem)
                || folder.split('/').any(|folder| ARTICLE_FOLDERS.contains(&folder)),
            readme: stem == "readme" || stem == "index",
            operations: fold(title)
                .split(|c: char| !c.is_alphanumeric())
                .chain(stem.split(['-', '_', ' ']))
                .any(|word| OF_OPERATIONS.contains(&word)),
            article_headings,
        }
    }

    /// How sure it is that the outline is a document of a kind, and which heading stands for which section.
    fn judge(&self, index: usize, kind: &Kind) -> Option<(u8, BTreeMap<usize, usize>)> {
        let declared = self.facts.front.doc_type.as_deref() == Some(kind.id);
        if self.facts.front.doc_type.is_some() && !declared {
            return None;
        }
        let title = self
            .titles
            .iter()
            .map(|title| title_score(kind, title))
            .max()
            .unwrap_or(0);
        let fits = self.fits.get(&index).map_or(&[][..], Vec::as_slice);
        if !declared && title < TITLE_NEAR && fits.len() < 3 {
            return None;
        }
        let (assigned, specific) = assign(fits);
        if declared {
            return Some((95, assigned));
        }
        let matched = assigned.len();
        let required = assigned
            .keys()
            .filter(|section| kind.sections[**section].required)
            .count();
        let share = (required * 100).checked_div(kind.required).unwrap_or(0);
        let about = self.facts.speaks_of_ai || share >= 60 && kind.required >= 5;
        let tells =
            !kind.generic || self.facts.cites_act || assigned.keys().any(|section| kind.telling.contains(section));
        if self.foreign
            || kind.generic && (!(about && tells) || self.operations && !self.facts.cites_act)
            || self.article_headings >= 2 && share < 50
        {
            return None;
        }
        // The evidence of one file is small, so the figures stay well below certainty.
        let part = |full: usize| u8::try_from(share * full / 100).unwrap_or(0);
        let enough = if kind.generic {
            matched >= 2 && share >= 15
        } else {
            matched >= 1
        };
        if title >= TITLE_STRONG && enough && !(self.readme && share < 50) {
            return Some((70 + part(25), assigned));
        }
        let named = title >= TITLE_NEAR || title_score(kind, &self.stem) >= TITLE_STRONG;
        // "AI module documentation" tells of a module; what shares half of a title that others use too must name the act besides.
        let meant = !kind.generic || self.facts.cites_act;
        if named && meant && about && matched >= 3 && share >= 35 && !self.readme {
            return Some((60 + part(25), assigned));
        }
        let needed = if self.readme { 80 } else { 60 };
        let structure =
            kind.required >= 5 && share >= needed && matched >= 5 && specific * 2 >= matched && specific >= 3;
        (structure && self.facts.speaks_of_ai).then(|| (50 + part(30), assigned))
    }

    fn build(&self, file: &FileInfo, kind: &Kind, confidence: u8, assigned: &BTreeMap<usize, usize>) -> Document {
        let mut sections = Vec::with_capacity(kind.sections.len());
        for (index, section) in kind.sections.iter().enumerate() {
            let heading = assigned.get(&index).map(|heading| &self.merged[*heading]);
            sections.push(DocumentSection {
                key: section.key.to_owned(),
                title: section.title.to_owned(),
                source: section.source.to_owned(),
                required: section.required,
                state: heading.map_or(SectionState::Missing, SectionFacts::state),
                heading: heading.map(|heading| heading.heading.clone()),
                line: heading.map(|heading| heading.line),
            });
        }
        let filled = sections
            .iter()
            .filter(|section| section.required && section.state == SectionState::Filled)
            .count();
        let state = match filled {
            0 => DocumentState::Scaffold,
            filled if filled == kind.required => DocumentState::Filled,
            _ => DocumentState::Partial,
        };
        let finished = self
            .facts
            .front
            .status
            .as_deref()
            .is_some_and(|status| status == "final" || status == "approved");
        let engine = self.facts.front.generated || file.path.contains(".compliance/documents/");
        Document {
            file: file.path.clone(),
            kind: kind.id.to_owned(),
            confidence,
            sections,
            completeness: u8::try_from(filled * 100 / kind.required.max(1)).unwrap_or(100),
            state,
            line: self.line,
            draft: engine && !finished,
            digest: hex(&file.digest),
            dates: self.facts.dates.clone(),
        }
    }
}

/// Gives each section the heading that fits it best, each heading to one section; ties go to what comes first.
fn assign(fits: &[(Fit, usize, usize)]) -> (BTreeMap<usize, usize>, usize) {
    let mut order: Vec<&(Fit, usize, usize)> = fits.iter().collect();
    order.sort_by_key(|(fit, section, heading)| (std::cmp::Reverse(fit.score), *section, *heading));
    let mut assigned = BTreeMap::new();
    let mut used = BTreeSet::new();
    let mut specific = 0;
    for (fit, section, heading) in order {
        if assigned.contains_key(section) || used.contains(heading) {
            continue;
        }
        assigned.insert(*section, *heading);
        used.insert(*heading);
        specific += usize::from(fit.specific);
    }
    (assigned, specific)
}

/// Words that titles carry or leave out without meaning something else.
const LIGHT_WORDS: &[&str] = &["ai", "system", "file", "record", "plan", "description"];

/// How well a title names a kind, per mille.
fn title_score(kind: &Kind, title: &BTreeSet<String>) -> u32 {
    let mut best = 0;
    for known in &kind.titles {
        let shared = known.intersection(title).count();
        if shared == 0 {
            continue;
        }
        let dice = u32::try_from(2000 * shared / (known.len() + title.len())).unwrap_or(0);
        best = best.max(dice);
        if shared == known.len() && shared >= 3 {
            best = best.max(similarity(shared, known.len(), title.len()).max(TITLE_STRONG));
        }
        // Without the light words, where enough is left to tell the kind.
        let heavy = |set: &BTreeSet<String>| {
            set.iter()
                .filter(|word| !LIGHT_WORDS.contains(&word.as_str()))
                .cloned()
                .collect::<BTreeSet<_>>()
        };
        let (known, title) = (heavy(known), heavy(title));
        if known.len() >= 2 {
            let shared = known.intersection(&title).count();
            best = best.max(u32::try_from(1900 * shared / (known.len() + title.len())).unwrap_or(0));
        }
    }
    best
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
