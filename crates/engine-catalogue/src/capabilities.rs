//! What kind of AI a call, a request, a model or a list of labels means, and the names by which data flow is read.

use engine_model::Capability;
use serde::Deserialize;

use crate::Origin;

/// Model names and labels are short; longer texts are neither.
const NAME_BYTES_MAX: usize = 256;

/// Calls whose path fits give these capabilities, if the argument agrees.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapabilityCall {
    /// Patterns of paths; a star stands for any text.
    pub symbols: Vec<String>,
    /// What the call does.
    pub gives: Vec<Capability>,
    /// Where the argument stands that decides.
    #[serde(default)]
    pub argument: Vec<String>,
    /// Texts or last names of paths of which one must stand in the argument; a star alone asks for any value.
    #[serde(default)]
    pub any: Vec<String>,
    /// Whether the row counts too when the argument is not given.
    #[serde(default)]
    pub absent: bool,
    /// Whether the service keeps what it is given.
    #[serde(default)]
    pub keeps: bool,
    /// Whether the argument must be a list with one element, or must not be one.
    pub single: Option<bool>,
    /// A path that must fit.
    pub example: String,
    /// A path that must not fit.
    pub near: String,
}

/// Requests to these addresses give these capabilities.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapabilityRequest {
    /// Patterns of addresses.
    pub urls: Vec<String>,
    /// What the service does there.
    pub gives: Vec<Capability>,
    /// What must be asked for: one of these, as a whole or as one of several between commas.
    #[serde(default)]
    pub asked: Vec<String>,
    /// An address that must fit.
    pub example: String,
    /// An address that must not fit.
    pub near: String,
}

/// Models with these names give these capabilities.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapabilityModel {
    /// Patterns of names in lower case.
    pub names: Vec<String>,
    /// What the model does.
    pub gives: Vec<Capability>,
    /// A name that must fit.
    pub example: String,
    /// A name that must not fit.
    pub near: String,
}

/// The classes of a classifier of one's own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapabilityLabels {
    /// What a classifier with such classes does, where a picture or a sound goes in.
    pub gives: Vec<Capability>,
    /// The classes in lower case.
    pub words: Vec<String>,
    /// How many of them a list must hold.
    pub at_least: usize,
    /// Classes that tell that something else is sorted.
    #[serde(default)]
    pub not_with: Vec<String>,
    /// A list that must fit.
    pub example: Vec<String>,
    /// A list that must not fit.
    pub near: Vec<String>,
}

/// Where data can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A camera of this machine.
    LiveCamera,
    /// A camera that is reached over a network.
    RemoteCamera,
    /// A picture or a sound from anywhere.
    Picture,
    /// Pictures collected from web pages.
    Crawled,
}

/// Calls that bring such data in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSource {
    /// What comes in.
    pub kind: SourceKind,
    /// Patterns of paths.
    pub symbols: Vec<String>,
    /// Patterns of texts of which one must be given.
    #[serde(default)]
    pub any: Vec<String>,
    /// Whether what is opened must be given as a number, as devices of a machine are; a name may be that of a file.
    #[serde(default)]
    pub number: bool,
    /// A path that must fit.
    pub example: String,
}

/// Whose name, or what, an identifier stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameKind {
    /// A worker or an applicant.
    Worker,
    /// A pupil or a student.
    Pupil,
    /// Some other person.
    Person,
    /// People who are searched for.
    WatchList,
    /// A trait that Art. 5(1)(g) names.
    Sensitive,
    /// A time in a record.
    LogTime,
    /// The reference database in a record.
    LogDatabase,
    /// What was compared, in a record.
    LogInput,
    /// Who verified, in a record.
    LogVerifier,
    /// Several confirmations.
    Confirmations,
    /// Who confirms.
    Confirmer,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    kind: NameKind,
    words: Vec<String>,
    pairs: Vec<String>,
}

/// A setting that switches the filter of a generator off.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorFilter {
    /// The name of the setting.
    pub name: String,
    /// The value that switches it off: `null`, `true` or `false`.
    pub off: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Store {
    names: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Notice {
    addresses: Vec<String>,
    topics: Vec<String>,
    acts: Vec<String>,
}

/// A way to read weights that can run code.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnsafeLoad {
    /// Patterns of paths.
    pub symbols: Vec<String>,
    /// The setting that makes it safe.
    pub unless: Option<String>,
    /// The version of the package from which the safe setting is the default.
    pub safe_since: Option<String>,
    /// The package that this version is of.
    pub package: Option<String>,
    /// A path that must fit.
    pub example: String,
    /// A path that must not fit.
    pub near: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: String,
    as_of: String,
    call: Vec<CapabilityCall>,
    request: Vec<CapabilityRequest>,
    model: Vec<CapabilityModel>,
    labels: Vec<CapabilityLabels>,
    #[serde(rename = "source_of_data")]
    sources: Vec<DataSource>,
    store: Vec<Store>,
    filter: Vec<GeneratorFilter>,
    names: Vec<Names>,
    notice: Vec<Notice>,
    unsafe_load: Vec<UnsafeLoad>,
}

/// The table of capabilities.
#[derive(Debug)]
pub struct Capabilities {
    origin: Origin,
    calls: Vec<CapabilityCall>,
    requests: Vec<CapabilityRequest>,
    models: Vec<CapabilityModel>,
    labels: Vec<CapabilityLabels>,
    sources: Vec<DataSource>,
    stores: Vec<String>,
    filters: Vec<GeneratorFilter>,
    names: Vec<Names>,
    notice: Vec<Notice>,
    unsafe_loads: Vec<UnsafeLoad>,
}

impl Capabilities {
    pub(crate) fn load() -> Self {
        let file: File = crate::parse("capabilities.toml", engine_embed::embed!("../data/capabilities.toml"));
        Self {
            origin: Origin {
                file: "capabilities.toml",
                source: file.source,
                as_of: file.as_of,
            },
            calls: file.call,
            requests: file.request,
            models: file.model,
            labels: file.labels,
            sources: file.sources,
            stores: file.store.into_iter().flat_map(|row| row.names).collect(),
            filters: file.filter,
            names: file.names,
            notice: file.notice,
            unsafe_loads: file.unsafe_load,
        }
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// All rows that fit the path of a call; whether an argument agrees is for the caller to find out.
    pub fn calls<'a>(&'a self, symbol: &str) -> impl Iterator<Item = &'a CapabilityCall> {
        self.calls
            .iter()
            .filter(move |row| row.symbols.iter().any(|pattern| fits(pattern, symbol)))
    }

    /// What a request to an address gives; `texts` are those of the code around it, looked at only where a row asks for one.
    pub fn request<'t, T: IntoIterator<Item = &'t str>>(&self, url: &'t str, texts: impl Fn() -> T) -> Vec<Capability> {
        let is_asked = |row: &CapabilityRequest| {
            row.asked.is_empty()
                || texts().into_iter().chain([url]).any(|text| {
                    text.split([',', '=', '&', '?'])
                        .any(|part| row.asked.iter().any(|wanted| part.trim() == wanted))
                })
        };
        gather(
            self.requests
                .iter()
                .filter(|row| row.urls.iter().any(|pattern| fits(pattern, url)) && is_asked(row))
                .map(|row| row.gives.as_slice()),
        )
    }

    /// What a model of that name gives.
    pub fn model(&self, name: &str) -> Vec<Capability> {
        if name.len() > NAME_BYTES_MAX {
            return Vec::new();
        }
        let name = name.to_lowercase();
        gather(
            self.models
                .iter()
                .filter(|row| row.names.iter().any(|pattern| fits(pattern, &name)))
                .map(|row| row.gives.as_slice()),
        )
    }

    /// What a classifier with these classes gives, if it is about people.
    pub fn labels(&self, classes: &[&str]) -> Vec<Capability> {
        let classes: Vec<String> = classes
            .iter()
            .filter(|class| class.len() <= NAME_BYTES_MAX)
            .map(|class| class.trim().to_lowercase())
            .collect();
        gather(
            self.labels
                .iter()
                .filter(|row| {
                    row.words.iter().filter(|word| classes.contains(word)).count() >= row.at_least
                        && !row.not_with.iter().any(|word| classes.contains(word))
                })
                .map(|row| row.gives.as_slice()),
        )
    }

    /// Rows of data sources that fit the path of a call.
    pub fn sources<'a>(&'a self, symbol: &'a str) -> impl Iterator<Item = &'a DataSource> + 'a {
        self.sources
            .iter()
            .filter(move |row| row.symbols.iter().any(|pattern| fits(pattern, symbol)))
    }

    /// Whether a method of that name keeps what it is given.
    pub fn is_store(&self, name: &str) -> bool {
        self.stores.iter().any(|known| known == name)
    }

    /// Settings that switch filters of generators off.
    pub fn filters(&self) -> &[GeneratorFilter] {
        &self.filters
    }

    /// The ways to read weights that can run code.
    pub fn unsafe_load(&self, symbol: &str) -> Option<&UnsafeLoad> {
        self.unsafe_loads
            .iter()
            .find(|row| row.symbols.iter().any(|pattern| fits(pattern, symbol)))
    }

    /// Whether an identifier stands for something of that kind, told by its whole words.
    pub fn names(&self, kind: NameKind, identifier: &str) -> bool {
        if identifier.len() > NAME_BYTES_MAX {
            return false;
        }
        let words = words_of(identifier);
        let Some(row) = self.names.iter().find(|row| row.kind == kind) else {
            return false;
        };
        let paired = |pair: &str| {
            let mut parts = pair.split(' ');
            let (Some(first), Some(second)) = (parts.next(), parts.next()) else {
                return false;
            };
            words.windows(2).any(|two| two[0] == first && two[1] == second)
        };
        words.iter().any(|word| row.words.contains(word)) || row.pairs.iter().any(|pair| paired(pair))
    }

    /// Whether a text tells people that their emotions or traits are read.
    pub fn tells_of_biometrics(&self, text: &str) -> bool {
        if text.len() > 1_500 || text.split_whitespace().count() < 4 {
            return false;
        }
        let lower = text.to_lowercase();
        // The words one by one with a space around each, so that an address is a whole word or several.
        let spaced = format!(
            " {} ",
            lower
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        );
        self.notice.iter().any(|row| {
            row.topics.iter().any(|topic| lower.contains(topic))
                && row.acts.iter().any(|act| lower.contains(act))
                && row.addresses.iter().any(|who| spaced.contains(&format!(" {who} ")))
        })
    }
}

impl Capabilities {
    /// Whether a text that people read names the reading of emotions or traits, whomever it speaks to.
    pub fn names_biometrics(&self, text: &str) -> bool {
        /// What is done with them, in words that a notice in full would not need.
        const DONE: [&str; 6] = ["predict", "check", "read", "captur", "classif", "track"];
        if text.len() > 1_500 || text.split_whitespace().count() < 2 {
            return false;
        }
        let lower = text.to_lowercase();
        self.notice.iter().any(|row| {
            row.topics.iter().any(|topic| lower.contains(topic))
                && (row.acts.iter().any(|act| lower.contains(act)) || DONE.iter().any(|act| lower.contains(act)))
        })
    }
}

impl Capabilities {
    /// Whether the texts of one page together, a line each, tell whoever uses it that a mood or an emotion is found out from a picture: one speaks of
    /// it to that person, another of the camera or the face.
    pub fn names_biometrics_over(&self, page: &str) -> bool {
        const TAKEN: [&str; 9] = [
            "camera",
            "webcam",
            "your face",
            "picture",
            "selfie",
            "photo",
            "kamera",
            "caméra",
            "cámara",
        ];
        let lower = page.to_lowercase();
        let addressed = |line: &str| {
            let words: Vec<&str> = line
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .collect();
            self.notice.iter().any(|row| {
                row.topics.iter().any(|topic| line.contains(topic))
                    && row.addresses.iter().any(|who| words.contains(&who.as_str()))
            })
        };
        lower.lines().any(addressed) && TAKEN.iter().any(|word| lower.contains(word))
    }
}

fn gather<'a>(rows: impl Iterator<Item = &'a [Capability]>) -> Vec<Capability> {
    let mut out: Vec<Capability> = rows.flatten().copied().collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// The words of an identifier in lower case: `employeeId` and `employee_id` are the same.
pub fn words_of(identifier: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut lower_before = false;
    for c in identifier.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            out.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Whether a text fits a pattern in which a star stands for any text, also for none.
///
/// Runs in time proportional to the product of both lengths; patterns are short embedded data.
pub fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    // Most patterns end with a name, and most texts with another one.
    let tail = pattern.rsplit(|byte| *byte == b'*').next().unwrap_or(pattern);
    if !text.ends_with(tail) {
        return false;
    }
    let (mut at, mut reached) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while reached < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                at += 1;
                retry = Some((at, reached));
            }
            Some(byte) if *byte == text[reached] => {
                at += 1;
                reached += 1;
            }
            _ => {
                let Some((after, from)) = retry else { return false };
                at = after;
                reached = from + 1;
                retry = Some((after, reached));
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn every_row_fits_its_example_and_not_the_near_miss() {
        let table = catalogue().capabilities();
        let mut wrong = Vec::new();
        let any = |patterns: &[String], text: &str| patterns.iter().any(|pattern| fits(pattern, text));
        for row in &table.calls {
            if !any(&row.symbols, &row.example) || any(&row.symbols, &row.near) || row.gives.is_empty() {
                wrong.push(row.example.clone());
            }
        }
        for row in &table.requests {
            if !any(&row.urls, &row.example) || any(&row.urls, &row.near) {
                wrong.push(row.example.clone());
            }
        }
        for row in &table.models {
            let gives = |name: &str| table.model(name);
            if !row.gives.iter().all(|given| gives(&row.example).contains(given))
                || row.gives.iter().any(|given| gives(&row.near).contains(given))
            {
                wrong.push(row.example.clone());
            }
        }
        for row in &table.labels {
            let list = |words: &[String]| table.labels(&words.iter().map(String::as_str).collect::<Vec<_>>());
            if list(&row.example) != row.gives || row.gives.iter().any(|given| list(&row.near).contains(given)) {
                wrong.push(format!("{:?}", row.example));
            }
        }
        for row in &table.sources {
            if !any(&row.symbols, &row.example) {
                wrong.push(row.example.clone());
            }
        }
        for row in &table.unsafe_loads {
            if !any(&row.symbols, &row.example) || any(&row.symbols, &row.near) {
                wrong.push(row.example.clone());
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_model_that_reads_moods_from_text_infers_no_emotions_in_the_sense_of_the_act() {
        let table = catalogue().capabilities();
        for name in [
            "j-hartmann/emotion-english-distilroberta-base",
            "bhadresh-savani/distilbert-base-uncased-emotion",
            "SamLowe/roberta-base-go_emotions",
            "cardiffnlp/twitter-roberta-base-sentiment",
        ] {
            assert!(table.model(name).is_empty(), "{name}");
        }
        assert_eq!(
            table.model("trpakov/vit-face-expression"),
            [Capability::EmotionInference]
        );
    }

    #[test]
    fn identifiers_are_read_by_whole_words() {
        let table = catalogue().capabilities();
        for name in ["employee_id", "EmployeeMood", "staffMember", "applicant.email"] {
            assert!(table.names(NameKind::Worker, name), "{name}");
        }
        for name in ["unemployed", "candidate", "candidates", "worked", "staffless"] {
            assert!(!table.names(NameKind::Worker, name), "{name}");
        }
        assert!(table.names(NameKind::Worker, "candidateId"));
        assert!(table.names(NameKind::Pupil, "roll_no") && !table.names(NameKind::Pupil, "scroll_no"));
    }

    #[test]
    fn a_star_stands_for_any_text_also_for_none() {
        assert!(fits("*inswapper*", "inswapper_128.onnx"));
        assert!(fits("a*b*c", "aXbYbZc") && !fits("a*b*c", "aXbYbZ"));
        assert!(fits("joblib.load*", "joblib.load") && !fits("joblib.load", "joblib.loads"));
    }

    #[test]
    fn a_notice_speaks_of_the_matter_and_of_what_is_done() {
        let table = catalogue().capabilities();
        assert!(table.tells_of_biometrics("This camera analyses your facial expressions to estimate emotions."));
        assert!(!table.tells_of_biometrics("emotion"));
        assert!(!table.tells_of_biometrics("../Image Based Emotion Analysis/Model/Transfer Learning Model.h5"));
        assert!(!table.tells_of_biometrics("Please enter the name of your team here"));
        assert!(table.names_biometrics_over("Let's find your mood today\nFace towards the camera"));
        assert!(!table.names_biometrics_over("Let's find your mood today\nType how you feel"));
        assert!(!table.names_biometrics_over("Songs for every mood\nFace towards the camera"));
    }
}
