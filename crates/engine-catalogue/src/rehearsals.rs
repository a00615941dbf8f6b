//! What people call an interview or an exam that they take to practise, in languages other than English.
//!
//! English is read word by word where it is asked for; other languages put these words together in one way or few, so that phrases do.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Phrases that call an interview or an exam a rehearsal. Letters beyond ASCII stand in the cases in which they are written.
const PHRASES: [&str; 97] = [
    // German
    "probeinterview",
    "übungsinterview",
    "bewerbungstraining",
    "bewerbungscoach",
    "interviewtraining",
    "vorstellungsgespräch üben",
    "vorstellungsgespräche üben",
    "vorstellungsgespräch trainieren",
    "vorstellungsgespräche trainieren",
    "prüfungsvorbereitung",
    "probeprüfung",
    // French
    "entretien blanc",
    "entretiens blancs",
    "simulateur d'entretien",
    "simulation d'entretien",
    "simulations d'entretien",
    "entretien simulé",
    "préparation aux entretiens",
    "préparez vos entretiens",
    "préparer vos entretiens",
    "examen blanc",
    // Spanish
    "entrevista simulada",
    "entrevistas simuladas",
    "simulador de entrevista",
    "simulación de entrevista",
    "simulacro de entrevista",
    "simulacros de entrevista",
    "practica entrevista",
    "practicar entrevista",
    "preparación de entrevista",
    "preparación para entrevista",
    // Portuguese
    "simulação de entrevista",
    "simulações de entrevista",
    "treino de entrevista",
    "treinar entrevista",
    "treine entrevista",
    "praticar entrevista",
    "pratique entrevista",
    "preparação para entrevista",
    // Italian
    "simulazione di colloqui",
    "simulatore di colloqui",
    "simulazione del colloquio",
    "preparazione al colloquio",
    "preparati al colloquio",
    // Polish
    "symulacja rozmowy kwalifikacyjnej",
    "symulator rozmów",
    "próbna rozmowa",
    // Russian
    "пробное собеседование",
    "Пробное собеседование",
    "симулятор собеседован",
    "Симулятор собеседован",
    "имитация собеседован",
    "тренировка собеседован",
    "Тренировка собеседован",
    "тренажёр собеседован",
    "подготовка к собеседован",
    "Подготовка к собеседован",
    "подготовки к собеседован",
    "мок-интервью",
    "мок-собеседован",
    "Мок-собеседован",
    // Turkish
    "mülakat simülasyon",
    "mülakat pratiğ",
    "mülakat provası",
    "mülakata hazırlan",
    // Indonesian
    "simulasi wawancara",
    "latihan wawancara",
    "latihan interview",
    // Vietnamese
    "phỏng vấn thử",
    "luyện phỏng vấn",
    "luyện tập phỏng vấn",
    "luyện thi",
    // Korean
    "모의 면접",
    "모의면접",
    "면접 연습",
    "면접연습",
    "면접 코칭",
    "면접 준비",
    "면접 대비",
    "면접 훈련",
    "면접 시뮬레이",
    "모의고사",
    "모의 시험",
    // Japanese
    "模擬面接",
    "面接練習",
    "面接の練習",
    "面接対策",
    "模擬試験",
    // Chinese
    "模拟面试",
    "模擬面試",
    "面试模拟",
    "面试练习",
    "面試練習",
    "面试训练",
    "面试教练",
    "面试准备",
    "模拟考试",
];

static ANY: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the phrases are part of the program and a test reads each"
    )]
    let built = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(PHRASES)
        .expect("the phrases are valid");
    built
});

/// Where a text calls an interview or an exam a rehearsal in a language other than English, in bytes.
pub fn rehearsal(text: &str) -> Option<Range<usize>> {
    ANY.find(text).map(|found| found.range())
}

#[cfg(test)]
mod tests {
    use super::{PHRASES, rehearsal};

    #[test]
    fn every_phrase_is_found_and_an_interview_that_counts_is_not() {
        for phrase in PHRASES {
            assert_eq!(
                rehearsal(&format!("— {phrase} —")).map(|at| at.len()),
                Some(phrase.len())
            );
        }
        for text in [
            "실제 면접 결과를 저장합니다",
            "面试评分",
            "Vorstellungsgespräch bewerten",
            "évaluer l'entretien",
        ] {
            assert_eq!(rehearsal(text), None, "{text}");
        }
    }
}
