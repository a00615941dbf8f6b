//! Model names: who made the model, which family it belongs to, and whether the name pins a version.

use std::collections::{BTreeMap, HashMap};
use std::sync::{PoisonError, RwLock};

use engine_model::Date;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{Origin, PersonTrait};

/// No model name in use comes near this; longer texts are not names.
const NAME_BYTES_MAX: usize = 256;

/// A name carries at most this many gateway and region prefixes.
const PREFIXES_MAX: usize = 4;

/// File types that hold model weights.
const WEIGHT_FILES: [&str; 13] = [
    ".gguf",
    ".ggml",
    ".safetensors",
    ".onnx",
    ".pt",
    ".pth",
    ".ckpt",
    ".bin",
    ".tflite",
    ".mlmodel",
    ".mlpackage",
    ".engine",
    ".llamafile",
];

/// Names that routers, SDKs and hubs put in front of a model name, and the provider id each stands for.
pub(crate) const GATEWAYS: [(&str, &str); 49] = [
    ("ai21", "ai21"),
    ("anthropic", "anthropic"),
    ("anyscale", "anyscale"),
    ("azure", "azure-openai"),
    ("azure_ai", "azure-ai"),
    ("azure_openai", "azure-openai"),
    ("azure-openai", "azure-openai"),
    ("bedrock", "aws-bedrock"),
    ("bedrock_converse", "aws-bedrock"),
    ("amazon-bedrock", "aws-bedrock"),
    ("cerebras", "cerebras"),
    ("cohere", "cohere"),
    ("cohere_chat", "cohere"),
    ("databricks", "databricks"),
    ("deepinfra", "deepinfra"),
    ("deepseek", "deepseek"),
    ("fireworks", "fireworks"),
    ("fireworks_ai", "fireworks"),
    ("gemini", "google"),
    ("github", "github-models"),
    ("google", "google"),
    ("google_genai", "google"),
    ("google-gla", "google"),
    ("google-vertex", "google-vertex"),
    ("google_vertexai", "google-vertex"),
    ("googleai", "google"),
    ("groq", "groq"),
    ("hf", "huggingface"),
    ("hf.co", "huggingface"),
    ("huggingface", "huggingface"),
    ("huggingface.co", "huggingface"),
    ("litellm", "litellm"),
    ("lm_studio", "lmstudio"),
    ("mistral", "mistral"),
    ("mistralai", "mistral"),
    ("nvidia_nim", "nvidia"),
    ("ollama", "ollama"),
    ("ollama_chat", "ollama"),
    ("openai", "openai"),
    ("openrouter", "openrouter"),
    ("perplexity", "perplexity"),
    ("replicate", "replicate"),
    ("sambanova", "sambanova"),
    ("together", "together"),
    ("together_ai", "together"),
    ("vertex_ai", "google-vertex"),
    ("vertexai", "google-vertex"),
    ("vllm", "vllm"),
    ("xai", "xai"),
];

/// Regions that Bedrock inference profiles put in front of a model id.
const BEDROCK_REGIONS: [&str; 9] = ["us", "eu", "apac", "ap", "global", "us-gov", "jp", "au", "ca"];

/// Makers that Bedrock puts in front of a model name, and the provider id each stands for.
const BEDROCK_MAKERS: [(&str, &str); 17] = [
    ("ai21", "ai21"),
    ("amazon", "amazon"),
    ("anthropic", "anthropic"),
    ("cohere", "cohere"),
    ("deepseek", "deepseek"),
    ("google", "google"),
    ("luma", "luma"),
    ("meta", "meta"),
    ("minimax", "minimax"),
    ("mistral", "mistral"),
    ("moonshot", "moonshot"),
    ("nvidia", "nvidia"),
    ("openai", "openai"),
    ("qwen", "qwen"),
    ("stability", "stability"),
    ("twelvelabs", "twelvelabs"),
    ("writer", "writer"),
];

/// Clouds that serve models of others and retire them on days of their own. What a cloud of Google serves of Google goes by the days of its
/// maker where a row says nothing else.
const SEPARATE_SCHEDULES: [&str; 5] = [
    "aws-bedrock",
    "azure-ai",
    "azure-openai",
    "github-models",
    "google-vertex",
];

/// A day that a cloud keeps apart and that is not known.
const UNKNOWN: &str = "unknown";

/// Whether a model name always means the same weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pinned {
    /// The name carries a date, version number or digest that its provider does not move.
    Pinned,
    /// The name is an alias that its provider moves to newer versions.
    Floating,
    /// The name does not say; for open weights, the revision that is loaded decides.
    Unknown,
}

/// One model name or family of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRow {
    /// The name in lower case; a star at the end stands for further parts of the name.
    pub pattern: String,
    /// Who made the model.
    pub provider: String,
    /// The family, for instance `gpt-4o`.
    pub family: String,
    /// The day on which the maker stops serving it, past or announced, as an ISO date; absent when unknown.
    pub retired: Option<String>,
    /// The page that names the day; of each row with one.
    pub page: Option<String>,
    /// The day on which that page was read.
    pub read: Option<String>,
    /// The day on which a cloud stops serving it, where that is another one: provider id and ISO date.
    pub elsewhere: BTreeMap<String, String>,
    /// Whether the weights are published.
    pub open_weights: bool,
    /// Whether the name is also an ordinary word, so that it counts only where a model name is expected.
    pub generic: bool,
    /// What the model reads from people, when that is its purpose.
    pub reads: Vec<PersonTrait>,
    /// Overrides what the shape of the name says.
    pub pinned: Option<Pinned>,
}

/// What a model name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelInfo<'a> {
    /// Who made the model.
    pub provider: &'a str,
    /// The family, for instance `gpt-4o`.
    pub family: &'a str,
    /// Whether the name always means the same weights.
    pub pinned: Pinned,
    /// The day on which the maker stops serving the name, past or announced, as an ISO date.
    ///
    /// Holds for the maker's own interface; absent when the name routes through a cloud with dates of its own, and for weights that
    /// somebody has tuned, which do not end with their base.
    pub retired: Option<&'a str>,
    /// The page on which the maker names that day, and the day on which the page was read, where that was written down.
    pub source: Option<(&'a str, Option<&'a str>)>,
    /// The day on which a cloud stops serving it, where that is another one: provider id and ISO date.
    pub elsewhere: &'a BTreeMap<String, String>,
    /// Whether the weights are published.
    pub open_weights: bool,
    /// Whether the name is also an ordinary word, so that it counts only where a model name is expected.
    pub generic: bool,
    /// What the model reads from people, when that is its purpose.
    pub reads: &'a [PersonTrait],
    /// The provider that a prefix of the name routes through, for instance `azure-openai`.
    pub via: Option<&'static str>,
    /// What the provider recommends instead of the name, where it retires it; that name may have a successor too.
    pub successor: Option<&'a Replacement>,
    /// The one dated snapshot that the provider lists under an alias.
    pub snapshot: Option<&'a Replacement>,
}

/// Stands in `elsewhere` for every provider that is not named there: the day is that of the hosts which are named.
pub(crate) const ANYWHERE: &str = "*";

impl ModelInfo<'_> {
    /// The day on which a provider stops serving the name, where it is known: clouds have days of their own.
    pub fn retired_by(&self, provider: Option<&str>) -> Option<&str> {
        // A day that one host alone has set says nothing of the same weights at another.
        if self.elsewhere.contains_key(ANYWHERE)
            && provider.is_none_or(|provider| !self.elsewhere.contains_key(provider))
        {
            return None;
        }
        let Some(provider) = provider else { return self.retired };
        // What was tuned has no day, wherever it is asked.
        if let Some(day) = self.elsewhere.get(provider).filter(|_| self.retired.is_some()) {
            return Some(day.as_str()).filter(|day| *day != UNKNOWN);
        }
        let separate =
            SEPARATE_SCHEDULES.contains(&provider) && !(provider == "google-vertex" && self.provider == "google");
        self.retired.filter(|_| !separate)
    }

    /// Whether the maker had stopped serving the name on `date`.
    pub fn is_retired_on(&self, date: Date) -> bool {
        // ISO dates sort as text.
        self.retired.is_some_and(|retired| retired <= date.to_string().as_str())
    }
}

/// A name that a provider gives in place of others.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// The provider whose interface serves both names.
    pub provider: String,
    /// The name to use.
    pub model: String,
    /// The page that says so.
    pub page: String,
    /// The day of the copy of the page that was read, as an ISO date.
    pub read: String,
    /// What changes with the name, in sentences.
    pub note: Option<String>,
    /// The names that it takes the place of.
    pub of: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    source: String,
    as_of: String,
    pages: Vec<Source>,
    successors: Vec<Replacement>,
    snapshots: Vec<Replacement>,
    model: Vec<ModelGroup>,
}

/// Where a provider names the days on which its models end.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    provider: String,
    page: String,
    /// Absent where no day was written down when the rows were made.
    read: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelGroup {
    provider: String,
    family: String,
    patterns: Vec<String>,
    retired: Option<String>,
    page: Option<String>,
    read: Option<String>,
    #[serde(default)]
    elsewhere: BTreeMap<String, String>,
    #[serde(default)]
    open_weights: bool,
    #[serde(default)]
    generic: bool,
    #[serde(default)]
    reads: Vec<PersonTrait>,
    pinned: Option<Pinned>,
}

#[derive(Debug)]
pub(crate) struct Models {
    origin: Origin,
    rows: Vec<ModelRow>,
    exact: HashMap<String, usize>,
    /// Patterns that end in a star, by the text before the star.
    stems: HashMap<String, usize>,
    /// What takes the place of a name.
    successors: Replacements,
    snapshots: Replacements,
    /// Names that were asked before: a scan asks the same few at every text that could be one.
    asked: RwLock<FxHashMap<Box<str>, Option<Said>>>,
}

/// Names that are kept with their answers.
const ASKED_MAX: usize = 4096;

/// What a name says, with the numbers of its rows.
#[derive(Clone, Copy, Debug)]
struct Said {
    row: usize,
    pinned: Pinned,
    retires: bool,
    via: Option<&'static str>,
    successor: Option<usize>,
    snapshot: Option<usize>,
}

/// Replacements, found by the names that they take the place of.
#[derive(Debug)]
struct Replacements {
    rows: Vec<Replacement>,
    of: HashMap<String, usize>,
}

impl Replacements {
    fn new(rows: Vec<Replacement>) -> Self {
        let mut of = HashMap::new();
        for (index, row) in rows.iter().enumerate() {
            for name in &row.of {
                of.entry(name.clone()).or_insert(index);
            }
        }
        Self { rows, of }
    }

    /// The number of the replacement of a name.
    fn of(&self, name: &str) -> Option<usize> {
        self.of.get(name).copied()
    }
}

impl Models {
    pub(crate) fn load() -> Self {
        let file: ModelFile = crate::parse("models.toml", engine_embed::embed!("../data/models.toml"));
        let origin = Origin {
            file: "models.toml",
            source: file.source,
            as_of: file.as_of,
        };
        let mut rows = Vec::new();
        for group in file.model {
            let known = file.pages.iter().find(|page| page.provider == group.provider);
            let known = known.filter(|_| group.retired.is_some());
            let page = group.page.or_else(|| known.map(|page| page.page.clone()));
            let read = group.read.or_else(|| known.and_then(|page| page.read.clone()));
            rows.extend(group.patterns.into_iter().map(|pattern| ModelRow {
                pattern,
                provider: group.provider.clone(),
                family: group.family.clone(),
                retired: group.retired.clone(),
                page: page.clone(),
                read: read.clone(),
                elsewhere: group.elsewhere.clone(),
                open_weights: group.open_weights,
                generic: group.generic,
                reads: group.reads.clone(),
                pinned: group.pinned,
            }));
        }
        let mut exact = HashMap::new();
        let mut stems = HashMap::new();
        for (index, row) in rows.iter().enumerate() {
            match row.pattern.strip_suffix('*') {
                Some(stem) => stems.entry(stem.to_owned()).or_insert(index),
                None => exact.entry(row.pattern.clone()).or_insert(index),
            };
        }
        Self {
            origin,
            rows,
            exact,
            stems,
            successors: Replacements::new(file.successors),
            snapshots: Replacements::new(file.snapshots),
            asked: RwLock::default(),
        }
    }

    pub(crate) fn successors(&self) -> &[Replacement] {
        &self.successors.rows
    }

    pub(crate) fn snapshots(&self) -> &[Replacement] {
        &self.snapshots.rows
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) fn rows(&self) -> &[ModelRow] {
        &self.rows
    }

    pub(crate) fn model(&self, name: &str) -> Option<ModelInfo<'_>> {
        let name = name.trim();
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return None;
        }
        let said = self.asked(name)?;
        let row = self.rows.get(said.row)?;
        Some(ModelInfo {
            provider: &row.provider,
            family: &row.family,
            pinned: said.pinned,
            retired: row.retired.as_deref().filter(|_| said.retires),
            source: row.page.as_deref().map(|page| (page, row.read.as_deref())),
            elsewhere: &row.elsewhere,
            open_weights: row.open_weights,
            generic: row.generic,
            reads: &row.reads,
            via: said.via,
            successor: said.successor.and_then(|index| self.successors.rows.get(index)),
            snapshot: said.snapshot.and_then(|index| self.snapshots.rows.get(index)),
        })
    }

    /// What a name says; the answer is kept for the next time.
    fn asked(&self, name: &str) -> Option<Said> {
        let known = self.asked.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(said) = known.get(name) {
            return *said;
        }
        drop(known);
        if !name.bytes().all(is_name_byte) {
            return None;
        }
        let said = self.said(name);
        let mut known = self.asked.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < ASKED_MAX {
            known.insert(name.into(), said);
        }
        said
    }

    fn said(&self, name: &str) -> Option<Said> {
        let lower = name.to_ascii_lowercase();
        let address = lower.strip_prefix("https://").unwrap_or(&lower);
        // `ft:<base>:<organisation>:<label>:<id>` names one fine-tuned set of weights.
        let tuned = address.strip_prefix("ft:").and_then(|tuned| tuned.split(':').next());
        let (index, via, matched) = self.resolve(tuned.unwrap_or(address))?;
        let row = self.rows.get(index)?;
        Some(Said {
            row: index,
            pinned: match tuned {
                Some(_) => Pinned::Pinned,
                None => row.pinned.unwrap_or_else(|| pinned_in_row(row, matched)),
            },
            retires: tuned.is_none() && !via.is_some_and(|via| SEPARATE_SCHEDULES.contains(&via)),
            via,
            successor: self.successors.of(matched).filter(|_| tuned.is_none()),
            snapshot: self.snapshots.of(matched).filter(|_| tuned.is_none()),
        })
    }

    /// The number of the row, the gateway and the part of the name that was matched.
    pub(crate) fn resolve<'n>(&self, name: &'n str) -> Option<(usize, Option<&'static str>, &'n str)> {
        let mut rest = name;
        let mut via = None;
        for _ in 0..PREFIXES_MAX {
            if let Some(row) = self.whole(rest) {
                return Some((row, via, rest));
            }
            let Some((gateway, shorter)) = without_prefix(rest) else {
                break;
            };
            // The outermost gateway is the one that is called.
            via = via.or(gateway);
            rest = shorter;
        }
        let base = rest.rsplit('/').next().unwrap_or(rest);
        let stem = WEIGHT_FILES
            .iter()
            .find_map(|extension| base.strip_suffix(extension))
            .unwrap_or(base);
        self.whole(stem).map(|row| (row, via, rest))
    }

    /// Looks a name up without changing it. An organisation row (`org/*`) yields to a row of the same provider for the
    /// name after the slash, which knows the family better.
    fn whole(&self, name: &str) -> Option<usize> {
        let index = self.row(name)?;
        let row = &self.rows[index];
        if row.pattern.ends_with("/*")
            && let Some((_, base)) = name.rsplit_once('/')
            && let Some(better) = self.row(base)
            && self.rows[better].provider == row.provider
        {
            return Some(better);
        }
        Some(index)
    }

    /// An exact row, else the row with the longest stem that ends on a border of the name.
    fn row(&self, name: &str) -> Option<usize> {
        if let Some(&index) = self.exact.get(name) {
            return Some(index);
        }
        let bytes = name.as_bytes();
        (1..=bytes.len())
            .rev()
            // A stem ends before a separator, after one, or with the name; never inside a word or number.
            .filter(|&end| end == bytes.len() || is_separator(bytes[end]) || is_separator(bytes[end - 1]))
            .filter_map(|end| self.stems.get(&name[..end]))
            .copied()
            .find(|index| {
                // A stem that ends in a separator asks for more after it.
                let stem = self.rows[*index].pattern.len() - 1;
                bytes.len() > stem || !is_separator(bytes[stem - 1])
            })
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._:@/+".contains(&byte)
}

fn is_separator(byte: u8) -> bool {
    b"-._:@/+".contains(&byte)
}

/// Removes one prefix that says where a model is served, with the provider id it stands for if it says so.
fn without_prefix(name: &str) -> Option<(Option<&'static str>, &str)> {
    if let Some(arn) = name.strip_prefix("arn:aws") {
        return arn.rsplit_once('/').map(|(_, id)| (Some("aws-bedrock"), id));
    }
    if let Some((before, id)) = name.rsplit_once("models/")
        && (before.is_empty() || before.ends_with('/'))
    {
        let via = match before {
            _ if before.contains("publishers/") => Some("google-vertex"),
            _ if before.starts_with("accounts/fireworks") => Some("fireworks"),
            _ => None,
        };
        return Some((via, id));
    }
    if let Some((prefix, rest)) = name.split_once(['/', ':'])
        && let Some((_, provider)) = GATEWAYS.iter().find(|(gateway, _)| *gateway == prefix)
    {
        return Some((Some(provider), rest));
    }
    let (prefix, rest) = name.split_once('.')?;
    if BEDROCK_REGIONS.contains(&prefix) {
        let maker = rest.split('.').next().unwrap_or(rest);
        return BEDROCK_MAKERS
            .iter()
            .any(|(known, _)| *known == maker)
            .then_some((Some("aws-bedrock"), rest));
    }
    BEDROCK_MAKERS
        .iter()
        .any(|(known, _)| *known == prefix)
        .then_some((Some("aws-bedrock"), rest))
}

/// What the row and the shape of the name say together.
fn pinned_in_row(row: &ModelRow, name: &str) -> Pinned {
    match pinned_shape(name) {
        // A tag is a label that can be moved to other weights.
        Pinned::Unknown if row.open_weights && name.contains(':') => Pinned::Floating,
        Pinned::Unknown if row.open_weights => Pinned::Unknown,
        Pinned::Unknown => Pinned::Floating,
        known => known,
    }
}

/// Judges by shape alone whether a model name is pinned; [`Pinned::Unknown`] when the shape says nothing.
///
/// A digest, a full date, a month with a year, a four-digit month-and-day at the end, a numbered release (`-002`) or a
/// Bedrock version (`-v1:0`) pins a name; `latest`, `default` and `stable` let it float.
pub fn pinned_shape(name: &str) -> Pinned {
    if name.len() > NAME_BYTES_MAX {
        return Pinned::Unknown;
    }
    let lower = name.to_ascii_lowercase();
    if lower.contains("sha256:") || has_revision(&lower) {
        return Pinned::Pinned;
    }
    let parts: Vec<&str> = lower.split(['-', '_', '@', ':', '/', '.']).collect();
    if parts
        .iter()
        .any(|part| matches!(*part, "latest" | "default" | "stable"))
    {
        return Pinned::Floating;
    }
    let dated = parts.iter().any(|part| is_compact_date(part)) || parts.windows(3).any(is_split_date);
    if dated || ends_with_release(&lower) || is_bedrock_version(&lower) {
        return Pinned::Pinned;
    }
    Pinned::Unknown
}

/// `repository@0123abc…`: a commit of at least seven hexadecimal digits, one of them a letter or all forty given.
fn has_revision(name: &str) -> bool {
    name.rsplit_once('@').is_some_and(|(_, revision)| {
        (7..=64).contains(&revision.len())
            && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
            && (revision.len() >= 40 || revision.bytes().any(|byte| byte.is_ascii_alphabetic()))
    })
}

fn number(text: &str, digits: usize) -> Option<u32> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

fn is_month_and_day(month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// `20241022`
fn is_compact_date(part: &str) -> bool {
    number(part, 8)
        .is_some_and(|date| (2018..2040).contains(&(date / 10_000)) && is_month_and_day(date / 100 % 100, date % 100))
}

/// `2024`, `08`, `06`
fn is_split_date(parts: &[&str]) -> bool {
    let [year, month, day] = parts else { return false };
    match (number(year, 4), number(month, 2), number(day, 2)) {
        (Some(year), Some(month), Some(day)) => (2018..2040).contains(&year) && is_month_and_day(month, day),
        _ => false,
    }
}

/// `-0613`, `-2411`, `-002`, `-08-2024`, `-05-20`, each at the end of the name.
fn ends_with_release(name: &str) -> bool {
    let name = name
        .strip_suffix("-preview")
        .or_else(|| name.strip_suffix("-exp"))
        .unwrap_or(name);
    let Some((before, last)) = name.rsplit_once(['-', '@']) else {
        return false;
    };
    if let Some(release) = number(last, 3) {
        return release < 100;
    }
    if let Some(four) = number(last, 4) {
        let previous = before.rsplit('-').next().and_then(|part| number(part, 2));
        let month_and_year = (2018..2040).contains(&four) && previous.is_some_and(|month| is_month_and_day(month, 1));
        let year_and_month = (20..40).contains(&(four / 100)) && is_month_and_day(four % 100, 1);
        return month_and_year || year_and_month || is_month_and_day(four / 100, four % 100);
    }
    // Month and day without a year follow the word that says it is a preview.
    let preview = |text: &str| text.ends_with("-preview") || text.ends_with("-exp");
    match (number(last, 2), before.rsplit_once('-')) {
        (Some(day), Some((head, month))) => {
            preview(head) && number(month, 2).is_some_and(|month| is_month_and_day(month, day))
        }
        _ => false,
    }
}

/// `-v1:0`
fn is_bedrock_version(name: &str) -> bool {
    name.rsplit_once(':').is_some_and(|(before, revision)| {
        number(revision, 1).is_some()
            && before
                .rsplit_once("-v")
                .is_some_and(|(_, version)| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()))
    })
}
