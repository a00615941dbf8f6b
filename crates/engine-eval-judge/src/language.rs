//! The language of a text, from its script, its stop words and its letters.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::lexicon;
use crate::text::words;

/// At most this many words are looked at: a language shows early.
const WORDS_MAX: usize = 400;

/// Each stop word with the languages that have it.
static STOPS: LazyLock<BTreeMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut stops: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
    for (index, lexicon) in lexicon::all().iter().enumerate() {
        for word in lexicon.items("stop") {
            stops.entry(word).or_default().push(index);
        }
    }
    stops
});

/// Letters that point to one language or a few, with their weight.
const LETTERS: [(&str, &[&str], f64); 22] = [
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
];

/// The likely languages of a text with their weights, best first.
pub(crate) fn ranked(text: &str) -> Vec<(&'static str, f64)> {
    let mut scores = vec![0.0_f64; lexicon::all().len()];
    let mut cyrillic = 0_usize;
    let mut greek = 0_usize;
    let mut latin = 0_usize;
    for word in words(text).take(WORDS_MAX) {
        match word.chars().next() {
            Some('\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}') => greek += 1,
            Some('\u{400}'..='\u{4ff}') => cyrillic += 1,
            _ => latin += 1,
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
    if cyrillic > latin && cyrillic > greek {
        add(&mut scores, &["bg"], 50.0);
    }
    if greek > latin && greek > cyrillic {
        add(&mut scores, &["el"], 50.0);
    }
    let mut ranked: Vec<(&'static str, f64)> = lexicon::all()
        .iter()
        .zip(scores)
        .filter(|(_, score)| *score > 0.0)
        .map(|(lexicon, score)| (lexicon.code, score))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    ranked
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

/// The languages whose word lists are to be tried on a text: the three likeliest, and English.
pub(crate) fn candidates(text: &str) -> Vec<&'static lexicon::Lexicon> {
    let ranked = ranked(text);
    let best = ranked.first().map_or(0.0, |(_, score)| *score);
    let mut codes: Vec<&str> = ranked
        .iter()
        .filter(|(_, score)| *score >= best * 0.45)
        .take(4)
        .map(|(code, _)| *code)
        .collect();
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
    fn a_text_without_words_has_no_language() {
        assert_eq!(detect("12 + 4 = 16"), None);
    }
}
