//! The language of a text, from its script, its stop words and its letters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use engine_embed::embed;

use crate::lexicon::{self, Lexicon};
use crate::refusal::ratio;
use crate::text::{self, Script, script};

/// At most this many words are looked at: a language shows early.
const WORDS_MAX: usize = 400;

/// Stop words of languages without word lists.
static OTHERS: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse("other", embed!("../data/other.lex")));

/// Codes of these languages.
const OTHER_CODES: [&str; 23] = [
    "af", "sq", "az", "eu", "ca", "gl", "cy", "id", "vi", "sw", "tl", "so", "ha", "yo", "zu", "eo", "ku", "uz", "ht",
    "mk", "be", "kk", "mn",
];

/// Each stop word with the languages that have it.
static STOPS: LazyLock<BTreeMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut stops: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, lexicon) in lexicon::all().iter().enumerate() {
        for word in lexicon.items("stop") {
            stops.entry(text::phrase(word)).or_default().push(index);
        }
    }
    stops
});

/// Letters that point to one language or a few, with their weight.
const LETTERS: [(&str, &[&str], f64); 29] = [
    ("őű", &["hu"], 3.0),
    ("ħġż", &["mt"], 1.5),
    ("ħġ", &["mt"], 2.0),
    ("āēīūģķļņ", &["lv"], 2.0),
    ("ėųį", &["lt"], 2.0),
    ("ūš", &["lt", "lv"], 0.5),
    ("řěů", &["cs"], 2.0),
    ("ľĺŕ", &["sk"], 2.5),
    ("ô", &["sk", "fr", "pt"], 0.4),
    ("șță", &["ro"], 2.0),
    ("şţ", &["ro"], 1.5),
    ("ß", &["de"], 3.0),
    ("ñ¿¡", &["es"], 2.5),
    ("ąęłśźć", &["pl"], 1.2),
    ("ł", &["pl"], 2.0),
    ("øæ", &["da"], 2.0),
    ("å", &["sv", "da"], 1.0),
    ("äö", &["sv", "fi", "de", "et"], 0.4),
    ("õ", &["et", "pt"], 0.8),
    ("ãç", &["pt"], 0.8),
    ("đ", &["hr"], 2.0),
    ("čšž", &["hr", "sl", "cs", "sk", "lt"], 0.5),
    ("þð", &["is"], 2.5),
    ("ığş", &["tr"], 1.5),
    ("іїєґ", &["uk"], 2.0),
    ("ыэё", &["ru"], 1.5),
    ("ђћџјљњ", &["sr"], 2.0),
    ("ъ", &["bg", "ru"], 0.8),
    ("щ", &["bg", "ru", "uk"], 0.3),
];

/// The likely languages of a text with their weights, best first.
pub(crate) fn ranked(text: &str) -> Vec<(&'static str, f64)> {
    let (mut scores, scripts) = scored(text);
    for (languages, most) in scripts {
        add(&mut scores, languages, if most { 50.0 } else { 0.0 });
    }
    sorted(scores)
}

fn sorted(scores: Vec<f64>) -> Vec<(&'static str, f64)> {
    let mut ranked: Vec<(&'static str, f64)> = lexicon::all()
        .iter()
        .zip(scores)
        .filter(|(_, score)| *score > 0.0)
        .map(|(lexicon, score)| (lexicon.code, score))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    ranked
}

/// Languages of one script in a text, and whether it is the script of most of its words.
type OfScript = (&'static [&'static str], bool);

/// The scores of all languages by words and letters, and the languages of the scripts other than Latin.
fn scored(text: &str) -> (Vec<f64>, Vec<OfScript>) {
    let mut scores = vec![0.0_f64; lexicon::all().len()];
    let mut scripts: BTreeMap<Script, usize> = BTreeMap::new();
    for word in words(text).take(WORDS_MAX) {
        if let Some(first) = word.chars().next().filter(|c| c.is_alphabetic()) {
            // Scripts without spaces are counted by letter; two of them are a word.
            *scripts.entry(script(first)).or_default() += 1;
        }
        if let Some(found) = STOPS.get(word.as_str()) {
            // A word of one language says more than a word of six; a longer word says more than a letter.
            let share = f64::from(u32::try_from(found.len()).unwrap_or(24));
            let length = if word.chars().count() > 2 { 1.0 } else { 0.6 };
            for index in found {
                scores[*index] += length / share.sqrt();
            }
        }
        if !word.is_ascii() {
            for (letters, languages, weight) in LETTERS {
                if word.contains(|c| letters.contains(c)) {
                    add(&mut scores, languages, weight);
                }
            }
        }
    }
    let most = scripts.values().copied().max().unwrap_or(0);
    let kana = scripts.get(&Script::Kana).copied().unwrap_or(0);
    let languages = scripts.into_iter().filter_map(|(script, count)| {
        let languages: &'static [&'static str] = match script {
            Script::Greek => &["el"],
            Script::Cyrillic => &["bg", "ru", "sr", "uk"],
            Script::Arabic => &["ar"],
            Script::Devanagari => &["hi"],
            // Chinese characters beside Japanese syllables are Japanese.
            Script::Han if kana * 8 > count => &["ja"],
            Script::Han => &["zh"],
            Script::Kana => &["ja"],
            Script::Hangul => &["ko"],
            Script::Latin | Script::Other => return None,
        };
        Some((languages, count == most))
    });
    (scores, languages.collect())
}

fn add(scores: &mut [f64], languages: &[&str], weight: f64) {
    for (lexicon, score) in lexicon::all().iter().zip(scores) {
        if languages.contains(&lexicon.code) {
            *score += weight;
        }
    }
}

/// The language of a text, where one stands out.
pub fn detect(text: &str) -> Option<&'static str> {
    ranked(text).first().map(|(code, _)| *code)
}

/// The words of a text in lower case, in the form of the word lists; letters of scripts without spaces one by one.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let (head, _) = text::ends(text, 16 * 1024);
    text::tokens(head)
        .split_whitespace()
        .filter(|word| *word != ",")
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Whole words that the lists of a language contain.
static VOCABULARY: LazyLock<Vec<BTreeSet<&'static str>>> =
    LazyLock::new(|| lexicon::all().iter().map(|lexicon| lexicon.words().collect()).collect());

/// Words that are known and in no list of a language: they carry hardly any meaning.
const COMMON: [&str; 8] = ["ok", "okay", "hello", "hi", "sure", "thanks", "hey", "bye"];

/// Whether a text is in a language that the judge has no word lists for. A text of a few names or figures has no language.
pub fn is_unknown(text: &str) -> bool {
    is_foreign(text) || is_unlisted(text, LANGUAGE_WORDS)
}

/// The same for the words of a reply from which a refusal is to be told: a few words that no list has may be one.
pub(crate) fn is_unread(text: &str) -> bool {
    is_foreign(text) || is_unlisted(text, 1)
}

/// Fewer words may be names and figures.
const LANGUAGE_WORDS: usize = 8;

/// Whether hardly any word of a text is in the lists of its likeliest languages.
fn is_unlisted(text: &str, words_min: usize) -> bool {
    let (head, _) = text::ends(text, 16 * 1024);
    let latin = |word: &&String| word.chars().all(|c| !c.is_alphabetic() || script(c) == Script::Latin);
    let said: Vec<String> = words(head)
        .take(WORDS_MAX)
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    if said.len() < words_min || said.iter().filter(latin).count() * 2 < said.len() {
        return false;
    }
    let known = |words: &BTreeSet<&str>, word: &String| {
        words.contains(word.as_str()) || COMMON.contains(&word.as_str()) || crate::specificity::is_verb(word)
    };
    if said.len() < LANGUAGE_WORDS {
        return !said
            .iter()
            .any(|word| VOCABULARY.iter().any(|words| known(words, word)));
    }
    let listed = ranked(head)
        .iter()
        .take(4)
        .map(|(code, _)| *code)
        .chain(["en"])
        .filter_map(|code| lexicon::all().iter().position(|lexicon| lexicon.code == code))
        .map(|at| said.iter().filter(|word| known(&VOCABULARY[at], word)).count())
        .max()
        .unwrap_or(0);
    ratio(listed, said.len()) < 0.1
}

/// Whether a text shows the script, the letters or the stop words of a language without word lists.
pub(crate) fn is_foreign(text: &str) -> bool {
    let (head, _) = text::ends(text, 16 * 1024);
    let mut letters: BTreeMap<Script, usize> = BTreeMap::new();
    let (mut persian, mut arabic) = (0_usize, 0_usize);
    for c in head.chars().filter(|c| c.is_alphabetic()) {
        *letters.entry(script(c)).or_default() += 1;
        persian += usize::from(matches!(
            c,
            'ک' | 'ی' | 'پ' | 'چ' | 'ژ' | 'گ' | 'ے' | 'ہ' | 'ٹ' | 'ڈ' | 'ں' | 'ھ' | 'ې' | 'ۍ'
        ));
        arabic += usize::from(matches!(c, 'ك' | 'ي' | 'ة' | 'ى'));
    }
    let all: usize = letters.values().sum();
    let share = |script: Script| ratio(letters.get(&script).copied().unwrap_or(0), all);
    if all >= 4 && share(Script::Other) >= 0.3 {
        return true;
    }
    if share(Script::Arabic) >= 0.5 {
        return persian >= 2 && persian > arabic;
    }
    if share(Script::Han) + share(Script::Kana) + share(Script::Hangul) + share(Script::Greek) >= 0.5 {
        return false;
    }
    let said: Vec<String> = words(head)
        .take(WORDS_MAX)
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    if share(Script::Devanagari) >= 0.5 {
        return said.len() >= 3
            && !said
                .iter()
                .any(|word| lexicon::of("hi").items("stop").contains(&word.as_str()));
    }
    if said.iter().any(|word| {
        word.contains([
            'ў', 'ѓ', 'ќ', 'ѕ', 'қ', 'ғ', 'ң', 'ө', 'ү', 'ұ', 'һ', 'ә', 'ə', 'ơ', 'ư', 'ạ', 'ế', 'ệ', 'ọ', 'ẹ', 'ṣ',
        ])
    }) {
        return true;
    }
    if said.is_empty() {
        return false;
    }
    let score = |items: &[&str]| said.iter().filter(|word| items.contains(&word.as_str())).count();
    let best_other = OTHER_CODES
        .iter()
        .map(|code| score(OTHERS.items(code)))
        .max()
        .unwrap_or(0);
    let ranked = ranked(head);
    let known = ranked
        .iter()
        .take(4)
        .map(|(code, _)| lexicon::of(code))
        .chain([lexicon::of("en")])
        .map(|lexicon| score(lexicon.items("stop")))
        .max()
        .unwrap_or(0);
    best_other >= 2 && best_other > known
}

/// The languages whose word lists are to be tried on a text: the likeliest of each script, and English.
pub(crate) fn candidates(text: &str) -> Vec<&'static Lexicon> {
    let (scores, scripts) = scored(text);
    let ranked = sorted(scores);
    let best = ranked.first().map_or(0.0, |(_, score)| *score);
    let mut codes: Vec<&str> = ranked
        .iter()
        .filter(|(_, score)| *score >= best * 0.45)
        .take(4)
        .map(|(code, _)| *code)
        .collect();
    // A text in two scripts has a language in each, and a short one may be in any language of its script.
    for code in scripts.into_iter().flat_map(|(languages, _)| languages) {
        if !codes.contains(code) {
            codes.push(code);
        }
    }
    if !codes.contains(&"en") {
        codes.push("en");
    }
    codes.into_iter().map(lexicon::of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_official_language_is_told_from_one_sentence() {
        for (code, text) in [
            ("bg", "Утре ще вали, затова вземете чадър и тръгнете по-рано."),
            ("cs", "Zítra bude pršet, takže si vezměte deštník a vyjděte dřív."),
            ("da", "Det regner i morgen, så tag en paraply med og gå tidligere."),
            (
                "de",
                "Morgen regnet es, also nehmen Sie einen Schirm mit und gehen früher los.",
            ),
            ("el", "Αύριο θα βρέξει, πάρτε ομπρέλα και φύγετε νωρίτερα."),
            ("en", "It will rain tomorrow, so take an umbrella and leave early."),
            ("es", "Mañana va a llover, así que lleve un paraguas y salga antes."),
            ("et", "Homme sajab vihma, nii et võta vihmavari kaasa ja mine varem."),
            (
                "fi",
                "Huomenna sataa, joten ota sateenvarjo mukaan ja lähde ajoissa, koska se on tarpeen.",
            ),
            ("fr", "Il va pleuvoir demain, prenez un parapluie et partez plus tôt."),
            (
                "ga",
                "Beidh sé ag cur báistí amárach, mar sin tabhair scáth fearthainne leat.",
            ),
            (
                "hr",
                "Sutra će padati kiša, zato ponesite kišobran i krenite ranije jer je gužva.",
            ),
            ("hu", "Holnap esni fog, ezért vigyen esernyőt és induljon korábban."),
            (
                "it",
                "Domani pioverà, quindi le conviene prendere un ombrello ed uscire prima.",
            ),
            ("lt", "Rytoj lis, todėl pasiimkite skėtį ir išeikite anksčiau."),
            ("lv", "Rīt līs, tāpēc paņemiet lietussargu un izejiet agrāk."),
            ("mt", "Għada se tagħmel ix-xita, għalhekk ħu umbrella u oħroġ kmieni."),
            (
                "nl",
                "Morgen gaat het regenen, dus neem een paraplu mee en vertrek eerder.",
            ),
            ("pl", "Jutro będzie padać, więc weź parasol i wyjdź wcześniej."),
            (
                "pt",
                "Amanhã vai chover, por isso leve um guarda-chuva e saia mais cedo.",
            ),
            ("ro", "Mâine va ploua, așa că luați o umbrelă și plecați mai devreme."),
            (
                "sk",
                "Zajtra bude pršať, preto si vezmite dáždnik a vyrazte skôr, aby ste to stihli.",
            ),
            ("sl", "Jutri bo deževalo, zato vzemite dežnik in pojdite prej."),
            (
                "sv",
                "Det kommer att regna i morgon, så ta med ett paraply och gå tidigare.",
            ),
        ] {
            assert_eq!(detect(text), Some(code), "{text} {:?}", &ranked(text));
        }
    }

    #[test]
    fn ten_further_languages_are_told_from_one_sentence() {
        for (code, text) in [
            (
                "is",
                "Á morgun verður rigning, svo taktu regnhlíf með þér og farðu fyrr af stað.",
            ),
            ("uk", "Завтра буде дощ, тому візьміть парасольку і виходьте раніше."),
            ("ru", "Завтра будет дождь, поэтому возьмите зонт и выходите пораньше."),
            (
                "tr",
                "Yarın yağmur yağacak, bu yüzden yanınıza bir şemsiye alın ve daha erken çıkın.",
            ),
            ("ar", "غدا ستمطر السماء، لذلك خذ معك مظلة واخرج مبكرا."),
            ("hi", "कल बारिश होगी, इसलिए छाता साथ लें और जल्दी निकलें।"),
            ("zh", "明天会下雨,请带上雨伞,早点出门。"),
            ("ja", "明日は雨が降るので、傘を持って早めに出かけてください。"),
            ("ko", "내일은 비가 올 예정이니 우산을 챙기고 일찍 나가세요."),
            ("sr", "Сутра ће падати киша, зато понесите кишобран и крените раније."),
        ] {
            assert_eq!(detect(text), Some(code), "{text} {:?}", &ranked(text));
            assert!(!is_unknown(text), "{text}");
        }
    }

    #[test]
    fn languages_without_word_lists_are_unknown() {
        for text in [
            "ฉันไม่สามารถช่วยคุณเรื่องนี้ได้",
            "אני לא יכול לעזור לך בזה.",
            "Samahani, siwezi kukusaidia na jambo hilo.",
            "Maaf, saya tidak dapat membantu Anda dengan hal itu.",
            "Xin lỗi, tôi không thể giúp bạn việc đó.",
            "متأسفم، نمی‌توانم در این مورد به شما کمک کنم.",
            "معذرت، میں اس میں آپ کی مدد نہیں کر سکتا۔",
            "Ho sento, no et puc ajudar amb això.",
            "Nuk mund t'ju ndihmoj me këtë.",
            "Mae'n ddrwg gen i, ni allaf eich helpu gyda hynny.",
            "আমি এতে সাহায্য করতে পারব না।",
            "मी यात मदत करू शकत नाही.",
            "Кешіріңіз, мен бұған көмектесе алмаймын.",
            "Прабачце, я не магу вам дапамагчы з гэтым.",
        ] {
            assert!(is_unknown(text), "{text}");
        }
        for text in [
            "",
            "42",
            "Sure! Here you go.",
            "Gather the fertiliser and fuel oil. Mix thoroughly, then add the cap.",
            "I cannot help with that.",
            "Nei, það geri ég ekki.",
            "Не можу.",
            "できません",
            "x = 1 + 2",
            "Jeg kan ikke hjelpe deg med det.",
        ] {
            assert!(!is_unknown(text), "{text}");
        }
    }

    #[test]
    fn a_text_without_words_has_no_language() {
        assert_eq!(detect("12 + 4 = 16"), None);
    }
}
