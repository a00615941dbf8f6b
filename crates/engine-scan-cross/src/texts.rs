//! What documents claim: sentences that state a fact about the product in plain words.

use std::cell::LazyCell;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use engine_model::{Ecosystem, StatementKind};
use regex::{Regex, RegexSet};

use crate::interface::{SHOWN, is_somebody};
use crate::patterns::{compile, pattern};
use crate::prose::{Prose, Sentence, of_html, of_markup};
use crate::read::Out;

/// Names of files that tell about other things than the product as it is.
const FOREIGN_STEMS: &[&str] = &[
    "changelog",
    "changes",
    "history",
    "releases",
    "release-notes",
    "release_notes",
    "news",
    "contributing",
    "license",
    "licence",
    "copying",
    "notice",
    "authors",
    "code_of_conduct",
    "roadmap",
    "todo",
    "agents",
    "claude",
    "gemini",
    "robots",
    "requirements",
    "cmakelists",
];
/// Folders of texts that are not about the product: prompts, articles, templates, data.
const FOREIGN_FOLDERS: &[&str] = &[
    "prompts",
    "prompt",
    "blog",
    "blogs",
    "posts",
    "_posts",
    "articles",
    "news",
    "templates",
    "template",
    "examples",
    "example",
    "samples",
    "thesis",
    "data",
    "datasets",
    "benchmark_data",
    "i18n",
    "locales",
    ".github",
    ".cursor",
    ".claude",
    "skills",
];

/// Reads the statements of a document.
pub(crate) fn read(path: &str, text: &str, out: &mut Out<'_>) {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if FOREIGN_STEMS.iter().any(|known| stem.starts_with(known))
        || lower
            .rsplit('/')
            .skip(1)
            .any(|folder| FOREIGN_FOLDERS.contains(&folder))
    {
        return;
    }
    let prose = if matches!(ending, "html" | "htm") {
        of_html(text)
    } else {
        of_markup(text)
    };
    for sentence in &prose.sentences {
        claims(&prose, sentence, out);
    }
    suppliers(stem, &prose, out);
    incidents(&prose, out);
    contact(stem, &prose, out);
}

/// What is sent to a model or comes back.
const EXCHANGE: &str = r"\b(requests?|calls?|prompts?|answers?|responses?|interactions?|decisions?|outputs?|inferences?|events?|exchanges?|conversations?|predictions?|queries|results?|anfragen?|antwort(en)?|aufrufe?|entscheidung(en)?|eingaben?)\b";
const ALL: &str = r"\b(every|each|all|jeder|jede|jedes|alle)\b";

static LOGGING: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r"{ALL}.{{0,60}}{EXCHANGE}.{{0,80}}\b(is|are|gets|get|wird|werden)\b.{{0,40}}\b(logged|recorded|protokolliert|aufgezeichnet)\b|\b(logs|records|protokolliert)\b.{{0,12}}{ALL}.{{0,60}}{EXCHANGE}"
    ))
});
pattern!(
    PERIOD,
    r"\b(\d{1,4}|one|two|three|six|seven|ten|twelve|eighteen|drei|sechs|zehn|zwölf)[ -]?(days?|weeks?|months?|years?|tagen?|tage|wochen?|monaten?|monate|jahren?|jahre)\b"
);
pattern!(
    KEPT,
    r"\b(kept|keeps?|retain(ed|s)?|retention|stored|preserved|deleted|held|purged|aufbewahrt|aufbewahrung\w*|gelöscht|gespeichert)\b"
);
pattern!(LOG_WORD, r"\b(logs?|logging|logged|protokolle?\w*|audit trail)\b");
pattern!(
    OTHER_STORE,
    r"\b(backups?|snapshots?|artifacts?|artefacts?|invoices?|contracts?|cookies?|documentation|technical documentation|sicherung(en)?)\b"
);
/// People who can approve.
const PERSON: &str = r"(persons?|humans?|people|recruiters?|reviewers?|staff|employees?|operators?|clerks?|officers?|managers?|supervisors?|analysts?|caseworkers?|editors?|nurses?|doctors?|physicians?|teachers?|moderators?|(team )?leads?|mensch(en)?|mitarbeiter\w*|sachbearbeiter\w*|personalabteilung)";
/// A person as the one who approves, or nothing that happens without one; a list of measures says neither.
static APPROVAL: LazyLock<Regex> = LazyLock::new(|| {
    let ways = [
        r"\b{PERSON}\b[^,;:]{0,30}\b(approves?|confirms?|signs? off( on)?|releases|authori[sz]es?|genehmig(t|en)|bestätig(t|en)|gibt .{0,40}\bfrei)\b.{0,60}\b(before|every|each|all|any|until|bevor|jeder|jede|jedes|alle)\b",
        r"\b(every|each|all|no)\b[^,;:]{0,60}\b(is|are|must be)\b[^,;:]{0,40}\b(approved|confirmed|released|authori[sz]ed|signed off)\b[^,;:]{0,20}\bby\b[^,;:]{0,30}\b{PERSON}\b",
        r"\b(jeder|jede|jedes|alle)\b.{0,60}\bvon\b.{0,40}\b{PERSON}\b.{0,30}\b(freigegeben|genehmigt|bestätigt)\b",
        r"\b(no|nothing|never|none|not|kein\w*|nie|nichts)\b.{0,80}\b(without|unless|ohne)\b.{0,30}\b(approval|confirmation|sign-off|freigabe|genehmigung|bestätigung)\b.{0,30}\b{PERSON}\b",
        r"\b(no|nothing|never|none|not)\b.{0,80}\bwithout (prior )?(human|manual) (approval|confirmation|sign-off)\b",
        r"\b(human|manual) (approval|confirmation|sign-off) is (always )?(required|needed|mandatory)\b",
    ];
    compile(&ways.join("|").replace("{PERSON}", PERSON))
});
pattern!(
    ABOUT_RELEASES,
    r"\b(deploy\w*|merg\w*|pull requests?|commits?|releases? (job|gate|candidate|of the software)|gates?|budgets?|invoices?|environment)\b"
);
pattern!(
    EVALUATES,
    r"\b(evaluations?|evaluated|evals?|eval suite|red[- ]team\w*|bias tests?|golden set|quality suite)\b"
);
pattern!(
    WITH_EACH_CHANGE,
    r"\b(on|with|at|before|after|for) (every|each) (commit|release|build|push|pull request|merge|deployment|change|version)\b|\bin (the |our )?(ci|pipeline|continuous integration)\b|\b(the |our )?(ci|pipeline) runs\b"
);
pattern!(
    NO_PERSONAL_DATA,
    r"\bno personal(ly identifiable)? (data|information)( of [a-z ]{1,30})? (is|are) (\w+ )?(processed|sent|used|transmitted|involved|handled)\b|\b(does not|do not|doesn't|never) (process|send|use|handle|transmit)e?s? (any )?personal(ly identifiable)? (data|information)\b|\bkeine personenbezogenen daten\b.{0,40}(\b(verarbeitet|verwendet|gesendet)|übermittelt)\b|(\b(verarbeitet|verwendet)|übermittelt) keine personenbezogenen daten\b"
);
pattern!(
    ONLY_FOR,
    r"\b(train\w*|retrain\w*|marketing|advertis\w*|profil\w*|third part\w*|fine-?tun\w*|logs?|logged|urls?|telemetry|analytics|metrics|cookies?|werbung)\b"
);
pattern!(
    MINIMAL_RISK,
    r"\brisk (class|category|level)\b[ :|*]*(is |= ?)?[*_]*(minimal|limited|no risk)\b|\b(classified|rated|falls|categori[sz]ed)\b.{0,40}\b(minimal|limited)[ -]risk\b|\bis an? (minimal|limited)[ -]risk (ai )?system\b|\brisikoklasse\b[ :|*]*(ist )?(minimal|gering|begrenzt)\b"
);
pattern!(
    NO_AI,
    r"\bno (ai|artificial intelligence|machine learning|language models?) (is|are) (used|involved|employed)( (in|by|anywhere in) (this|the) (product|service|software|app|application|website|site|system|tool|project))?( at all)?\s*[.!]?$|\b(this|the|our) (product|service|software|app|application|website|site|system|tool|project) (does not use|doesn't use|uses no|contains no|does not contain|works without)( any)? (ai|artificial intelligence|machine learning|language models?)( at all| of any kind| or machine learning| or artificial intelligence)?\s*[.!]?$|\bwe (do not|don't) use( any)? (ai|artificial intelligence|language models?)( at all| of any kind)?\s*[.!]?$|\b(es wird|wir verwenden|wir nutzen|es kommt) keine (ki|künstliche intelligenz)( verwendet| eingesetzt| zum einsatz)?\s*[.!]?$"
);
pattern!(
    TOLD,
    r"\b(users?|people|persons?|customers?|visitors?|applicants?|candidates|citizens|nutzer\w*|kunden)\b.{0,30}\b(are|is|werden)\b.{0,20}\b(told|informed|notified|made aware|informiert|hingewiesen)\b.{0,90}\b(ai|artificial intelligence|chatbot|bot|machine|automated|ki)\b|\b(notice|banner|label|hint|hinweis)\b.{0,60}\b(says|tells|states|informs|sagt|informiert)\b.{0,90}\b(ai|artificial intelligence|chatbot|machine|ki)\b"
);
pattern!(
    CHANGE_RULE,
    r"\b(substantial(ly)? modif\w+|substantial change|significant change|predetermined change\w*|wesentliche änderung\w*|(change|switch|upgrade|replacement|update) (of|to) (the|a|another) (language )?(model|prompt|provider))\b"
);
pattern!(
    ASSESSED,
    r"\b(assess\w*|reassess\w*|re-assess\w*|conformity|classified|re-?evaluat\w*|evaluat\w*|re-?test\w*|tested|approv\w*|review\w*|bewert\w*|geprüft)\b"
);
pattern!(
    COMPUTE,
    r"\b\d[\d.,]*\s*(x|×|e|\*)?\s*[\d^]*\s*(peta|tera|exa|zetta|yotta)?flops?\b|\b(training compute|flops?)\b.{0,40}\d|\b\d[\d.,]*\s*gpu[- ]?hours?\b"
);
pattern!(
    CE_MARK,
    r"\bce[- ]mark(ing)?\b.{0,40}\b(shown|affixed|displayed|visible|stands|appears)\b|\bce-kennzeichnung\b.{0,40}\b(angebracht|sichtbar|angezeigt)\b"
);
pattern!(
    HEDGED,
    r"\b(sometimes|should|could|would|might|plan(s|ned)?|intends?|not yet|going to|in future|in the future|todo|tbd|sollte[nt]?|könnte[n]?|geplant|künftig|beispiel|for example|e\.g\.|optionally|can be configured|if enabled|wenn aktiviert)\b"
);
pattern!(
    NEGATED,
    r"\b(not|never|neither|cannot|don't|doesn't|isn't|aren't|except|nicht|kein|keine|keinen|nie|no longer)\b"
);
pattern!(
    REQUEST,
    r"^(describe|explain|state|list|specify|say|document|name|give|provide|insert|add|note|make sure|ensure|beschreiben|nennen|geben)\b"
);
pattern!(
    PAST,
    r"\b(previous(ly)?|former(ly)?|replaced|replaces|instead of|earlier|until (19|20)\d\d|used to|was|were|migrated|no longer|deprecated|compared (with|to)|alternatives?|other(s| providers)?|fall ?back|früher|ersetzt|statt|bisher)\b"
);
pattern!(
    EMAIL,
    r"\b[a-z0-9._%+-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}\b|\[at\]|\(at\)"
);
pattern!(
    PACKAGE,
    r"(@?[a-z][a-z0-9_.-]{1,40}(?:/[a-z0-9_.-]{1,40})?)`?\s*(?:==|@|\|)?\s*(?:version |v)?`?(\d{1,4}\.\d{1,4}(?:\.\d{1,5})?)\b"
);

/// One pass that most sentences end with: which families of words a sentence holds at all.
static FAMILIES: LazyLock<RegexSet> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the patterns are part of the program")]
    RegexSet::new([
        r"log|record|protokoll|aufge|kept|keep|ret[ae]|stored|held|purged|aufbew|gelösch|gespeich",
        r"approv|confirm|sign|releas|author|genehm|bestätig|frei",
        r"personal|personenbez|risk|risiko",
        r"\bai\b|artificial|machine|\bki\b|künstlich|model|chatbot",
        r"eval|red.team|\bce\b|bias test|golden|quality suite|modif|change|änderung|switch|upgrade|update|flop|gpu",
    ])
    .expect("the patterns are valid")
});

/// Beginnings of words without which nothing is approved.
static APPROVES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the words are part of the program")]
    AhoCorasick::new([
        "approv",
        "confirm",
        "sign",
        "releas",
        "author",
        "genehm",
        "bestätig",
        "frei",
    ])
    .expect("a few words fit into one automaton")
});

fn claims(prose: &Prose, sentence: &Sentence, out: &mut Out<'_>) {
    names(sentence, out);
    let text = sentence.text.as_str();
    // A row below a heading on retention may hold no word but the name of a log.
    let row = sentence.entry && PERIOD.is_match(text);
    let long = text.len() > CLAIM_BYTES_MAX;
    if long || !row && !FAMILIES.is_match(text) || text.ends_with('?') || is_template(text) {
        return;
    }
    let line = sentence.line;
    let negated = NEGATED.is_match(text);
    let hedged = HEDGED.is_match(text);
    // What is denied is plain even where other words of the sentence are not.
    if !hedged {
        if NO_PERSONAL_DATA.is_match(text) && !ONLY_FOR.is_match(text) {
            out.say(StatementKind::NoPersonalData, line, "");
        }
        if NO_AI.is_match(text) {
            out.say(StatementKind::NoAi, line, "");
        }
        if MINIMAL_RISK.is_match(text) && !negated && !text.contains("residual") {
            out.say(StatementKind::MinimalRisk, line, "");
        }
        // `Not every letter is approved` denies; `nothing is sent without approval` does not.
        let denied = negated
            && !["without", "unless", "until", "before", "ohne", "bevor"]
                .iter()
                .any(|word| text.contains(word));
        if APPROVES.is_match(text) && APPROVAL.is_match(text) && !denied && !ABOUT_RELEASES.is_match(text) {
            out.say(StatementKind::Approval, line, "");
        }
    }
    if hedged || negated {
        return;
    }
    if LOGGING.is_match(text) && !text.contains("http ") {
        out.say(StatementKind::Logging, line, "");
    }
    if EVALUATES.is_match(text) && WITH_EACH_CHANGE.is_match(text) {
        out.say(StatementKind::EvaluationInPipeline, line, "");
    }
    if TOLD.is_match(text) {
        out.say(StatementKind::AiNotice, line, "");
    }
    if CHANGE_RULE.is_match(text) && ASSESSED.is_match(text) {
        out.say(StatementKind::ChangeRule, line, "");
    }
    if CE_MARK.is_match(text) {
        out.say(StatementKind::CeMarking, line, "");
    }
    if COMPUTE.is_match(text) {
        out.say(StatementKind::Compute, line, "");
    }
    retention(prose, sentence, out);
}

/// A claim is a short sentence; a long one says many things at once, and which belong together is open.
const CLAIM_BYTES_MAX: usize = 400;

/// A place to fill in, or the request of a template.
fn is_template(text: &str) -> bool {
    REQUEST.is_match(text)
        || [
            "tbd",
            "todo",
            "lorem ipsum",
            "____",
            "{{",
            "to be completed",
            "to be defined",
        ]
        .iter()
        .any(|mark| text.contains(mark))
        || text.contains('[') && text.contains(']') && !text.contains("](")
}

fn retention(prose: &Prose, sentence: &Sentence, out: &mut Out<'_>) {
    let text = sentence.text.as_str();
    let Some(period) = PERIOD.captures(text) else { return };
    // Two periods in one sentence leave open which is which.
    if PERIOD.find_iter(text).count() > 1 || OTHER_STORE.is_match(text) || text.contains(" requires") {
        return;
    }
    let above = || prose.above(sentence).into_iter().map(|heading| heading.text.as_str());
    let logs = LOG_WORD.is_match(text) || above().any(|heading| LOG_WORD.is_match(heading));
    let kept = KEPT.is_match(text) || sentence.entry && above().take(1).any(|heading| KEPT.is_match(heading));
    if !logs || !kept {
        return;
    }
    let number = match &period[1] {
        "one" => 1,
        "two" => 2,
        "three" | "drei" => 3,
        "six" | "sechs" => 6,
        "seven" => 7,
        "ten" | "zehn" => 10,
        "twelve" | "zwölf" => 12,
        "eighteen" => 18,
        digits => digits.parse().unwrap_or(0),
    };
    let unit = match period[2].as_bytes().first() {
        Some(b'd' | b't') => 1,
        Some(b'w') => 7,
        Some(b'm') => 30,
        _ => 365,
    };
    let days = u32::saturating_mul(number, unit);
    if days > 0 {
        out.period(StatementKind::LogRetention, sentence.line, days);
    }
}

/// Names of those who serve models, with the ids under which code knows them.
const PROVIDERS: &[(&str, &str)] = &[
    ("azure openai", "azure-openai"),
    ("openai", "openai"),
    ("anthropic", "anthropic"),
    ("vertex ai", "google-vertex"),
    ("google gemini", "google"),
    ("gemini", "google"),
    ("google", "google-cloud"),
    ("mistral", "mistral"),
    ("cohere", "cohere"),
    ("groq", "groq"),
    ("deepseek", "deepseek"),
    ("amazon bedrock", "aws-bedrock"),
    ("aws bedrock", "aws-bedrock"),
    ("bedrock", "aws-bedrock"),
    ("amazon web services", "aws"),
    ("aws", "aws"),
    ("azure", "azure-ai"),
    ("microsoft", "microsoft"),
    ("hugging face", "huggingface"),
    ("huggingface", "huggingface"),
    ("together ai", "together"),
    ("fireworks ai", "fireworks"),
    ("perplexity ai", "perplexity"),
    ("xai", "xai"),
    ("openrouter", "openrouter"),
    ("elevenlabs", "elevenlabs"),
    ("assemblyai", "assemblyai"),
    ("deepgram", "deepgram"),
    ("stability ai", "stability"),
    ("voyage ai", "voyage"),
    ("ollama", "ollama"),
    ("ibm watsonx", "ibm"),
    ("nvidia", "nvidia"),
    ("meta llama", "meta"),
    ("aleph alpha", "aleph-alpha"),
];

/// Models, providers and packages that a sentence names; what it says about the past names none.
fn names(sentence: &Sentence, out: &mut Out<'_>) {
    let text = sentence.text.as_str();
    // Most sentences name nothing, and of those nobody needs to know.
    let now = LazyCell::new(|| !PAST.is_match(text) && !is_template(text));
    for found in PROVIDER_SEARCH.find_iter(text) {
        let (name, id) = PROVIDERS[found.pattern().as_usize()];
        if stands_alone(text, found.start(), found.end()) {
            out.say(StatementKind::Mention, sentence.line, id);
            if *now && !(name == "openai" && text[..found.start()].ends_with("azure ")) {
                out.say(StatementKind::Provider, sentence.line, id);
            }
        }
    }
    for token in sentence
        .written
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '`' | '"' | '\'' | '|' | '*'))
    {
        let token = token.trim_matches(['.', ':', '_']);
        let shaped = token.len() >= 4
            && token.contains('-')
            && token.contains(|c: char| c.is_ascii_digit())
            && token.starts_with(|c: char| c.is_ascii_alphabetic())
            && !token.contains("://");
        if shaped && engine_catalogue::model(token).is_some_and(|known| !known.generic) && *now {
            out.say(StatementKind::Model, sentence.line, token.to_ascii_lowercase());
        }
    }
    if !text.contains(|c: char| c.is_ascii_digit()) || !text.contains('.') || !*now {
        return;
    }
    for found in PACKAGE.captures_iter(text).take(20) {
        let (name, version) = (&found[1], &found[2]);
        if Ecosystem::ALL
            .iter()
            .any(|ecosystem| engine_catalogue::package(*ecosystem, name).is_some())
        {
            out.say(
                StatementKind::PackageVersion,
                sentence.line,
                format!("{name} {version}"),
            );
        }
    }
}

/// All names of providers, the longest at a place first.
static PROVIDER_SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the names are part of the program")]
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(PROVIDERS.iter().map(|(name, _)| name))
        .expect("the names make an automaton")
});

/// Whether no letter or digit stands next to a part of a text.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

pattern!(
    SUPPLIER_HEADING,
    r"\b(sub-?processors?|processors|third[- ]party (services|providers|processors|vendors)|service providers|suppliers|vendors|auftragsverarbeiter|unterauftragsverarbeiter|dienstleister|sous-traitants|recipients of (your |personal )?data|empfänger)\b"
);
pattern!(
    PRIVACY_TITLE,
    r"\b(privacy|data protection|data processing|sub-?processors?|suppliers?|vendors?|value chain|datenschutz\w*|auftragsverarbeit\w*|record of processing)\b|\bpolitique de confidentialité"
);

/// A list of those who receive data: at least two entries under such a heading, in a text that is about that.
fn suppliers(stem: &str, prose: &Prose, out: &mut Out<'_>) {
    let spaced = stem.replace(['-', '_'], " ");
    let about = PRIVACY_TITLE.is_match(&spaced)
        || prose
            .headings
            .iter()
            .take(1)
            .any(|heading| PRIVACY_TITLE.is_match(&heading.text));
    if !about {
        return;
    }
    for (index, heading) in prose.headings.iter().enumerate().take(300) {
        if SUPPLIER_HEADING.is_match(&heading.text) {
            let entries = prose
                .below(index)
                .filter(|sentence| sentence.entry && !is_template(&sentence.text))
                .count();
            if entries >= 2 {
                out.say(StatementKind::SupplierList, heading.line, heading.text.clone());
                return;
            }
        }
    }
}

pattern!(
    INCIDENT_HEADING,
    r"\b(incidents?|vorfälle?n?|zwischenfälle?|störfälle?)\b"
);
pattern!(
    INFORMS,
    r"\b(report(s|ed)?|inform(s|ed)?|notif(y|ies|ied)|melde[nt]?|meldung|informier\w*)\b"
);
pattern!(
    RECIPIENT,
    r"\b(authorit(y|ies)|providers?|regulators?|market surveillance|distributor|importer|behörden?|anbieter|marktüberwachung\w*)\b"
);
pattern!(
    SUSPENDS,
    r"\b(suspend(s|ed)?|stop(s|ped)?|switch(es|ed)? (\w+ ){0,2}off|turn(s|ed)? (\w+ ){0,2}off|disable[sd]?|take[ns]? (\w+ ){0,2}offline|abschalt\w*|abgeschaltet|ausgesetzt|aussetzen)\b"
);

/// What a section on incidents says: that somebody is told, and that the system is stopped.
fn incidents(prose: &Prose, out: &mut Out<'_>) {
    for (index, heading) in prose.headings.iter().enumerate().take(300) {
        if !INCIDENT_HEADING.is_match(&heading.text) {
            continue;
        }
        let mut words = 0;
        for sentence in prose.below(index).take(200) {
            let text = sentence.text.as_str();
            if is_template(text) || HEDGED.is_match(text) {
                continue;
            }
            words += text.split_whitespace().count();
            if INFORMS.is_match(text) && RECIPIENT.is_match(text) && !NEGATED.is_match(text) {
                out.say(StatementKind::Incident, sentence.line, "report");
            }
            if SUSPENDS.is_match(text) && !NEGATED.is_match(text) {
                out.say(StatementKind::Incident, sentence.line, "suspend");
            }
        }
        if words >= 12 {
            out.say(StatementKind::Incident, heading.line, "procedure");
        }
    }
}

pattern!(
    CONTACT_TITLE,
    r"\b(imprint|impressum|legal notice|contact|kontakt|mentions légales|provider|manufacturer|anbieter|hersteller|about us|support)\b"
);

pattern!(
    REACHED,
    r"(?i)\b(issues?|discussions?|discord|forum|telegram|linkedin|twitter|contact form|slack)\b"
);
// What is still to be filled in.
pattern!(
    STANDS_FOR,
    r"\bif (applicable|available)\b|\b(todo|tbd|placeholder)\b|\[(add|your|insert)\b|<your|\byour[-_. ]?(name|e-?mail|company)\b"
);

/// An imprint or a contact: a title that says so, and a mail address below it.
fn contact(stem: &str, prose: &Prose, out: &mut Out<'_>) {
    // A mailbox for vulnerabilities is none for those who use the system.
    if stem == "security" {
        return;
    }
    let page = CONTACT_TITLE.is_match(&stem.replace(['-', '_'], " "));
    // A way to reach somebody that is no address: a list of issues, a forum, a form.
    let reached = prose.sentences.iter().find(|sentence| {
        let titled = prose
            .above(sentence)
            .first()
            .is_some_and(|heading| CONTACT_TITLE.is_match(&heading.text));
        titled && REACHED.is_match(&sentence.written) && !STANDS_FOR.is_match(&sentence.text)
    });
    if let Some(sentence) = reached {
        out.say(StatementKind::Contact, sentence.line, SHOWN);
    }
    for sentence in &prose.sentences {
        let Some(found) = EMAIL.find(&sentence.text) else {
            continue;
        };
        // `[at]` hides an address from machines, and a person reads it.
        let hidden = !found.as_str().contains('@');
        if !hidden && !is_somebody(found.as_str()) || STANDS_FOR.is_match(&sentence.text) {
            continue;
        }
        let titled = prose
            .above(sentence)
            .iter()
            .take(2)
            .any(|heading| CONTACT_TITLE.is_match(&heading.text));
        if page || titled {
            let value = if hidden { "[at]" } else { found.as_str() };
            out.say(StatementKind::Contact, sentence.line, value);
            return;
        }
    }
}
