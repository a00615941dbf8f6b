//! The sentence that an AI answers, in the language of a greeting.

/// A language with words that greetings in it have, and its sentence.
struct Known {
    words: &'static [&'static str],
    sentence: &'static str,
    /// Words that speak to somebody in the other way, familiar or polite, and the sentence for it.
    other: (&'static [&'static str], &'static str),
}

const ENGLISH: &str = "You are chatting with an AI assistant.";

const ENGLISH_WORDS: [&str; 28] = [
    "hello",
    "hi",
    "hey",
    "welcome",
    "i",
    "i'm",
    "am",
    "you",
    "your",
    "ask",
    "anything",
    "how",
    "can",
    "help",
    "the",
    "to",
    "send",
    "message",
    "type",
    "and",
    "bot",
    "what",
    "let's",
    "start",
    "with",
    "any",
    "question",
    "questions",
];

const KNOWN: [Known; 8] = [
    Known {
        words: &[
            "hallo",
            "willkommen",
            "ich",
            "bin",
            "und",
            "der",
            "die",
            "das",
            "dein",
            "deine",
            "deinen",
            "ihr",
            "ihre",
            "ihren",
            "wie",
            "kann",
            "helfen",
            "dir",
            "ihnen",
            "stell",
            "stellen",
            "frag",
            "fragen",
            "frage",
            "mir",
            "mich",
            "sie",
            "ein",
            "eine",
            "guten",
            "tag",
            "schreib",
            "schreiben",
            "nachricht",
        ],
        sentence: "Sie chatten mit einer KI.",
        other: (
            &[
                "du", "dir", "dich", "dein", "deine", "deinen", "deiner", "stell", "frag", "schreib",
            ],
            "Du chattest mit einer KI.",
        ),
    },
    Known {
        words: &[
            "bonjour",
            "bienvenue",
            "salut",
            "je",
            "suis",
            "vous",
            "votre",
            "vos",
            "posez",
            "pose",
            "comment",
            "puis",
            "aider",
            "moi",
            "une",
            "les",
            "des",
            "pour",
            "écrivez",
            "envoyez",
            "est",
            "quoi",
            "tes",
            "ton",
        ],
        sentence: "Vous échangez avec un assistant IA.",
        other: (
            &["tu", "toi", "ton", "tes", "ta", "pose"],
            "Tu échanges avec un assistant IA.",
        ),
    },
    Known {
        words: &[
            "hola",
            "bienvenido",
            "bienvenida",
            "bienvenidos",
            "soy",
            "tu",
            "puedo",
            "ayudarte",
            "ayudarle",
            "pregunta",
            "preguntas",
            "pregúntame",
            "cómo",
            "el",
            "los",
            "para",
            "una",
            "qué",
            "hazme",
            "escribe",
            "envíame",
            "mensaje",
        ],
        sentence: "Estás hablando con un asistente de IA.",
        other: (
            &["usted", "ayudarle", "puede", "escriba", "su"],
            "Está hablando con un asistente de IA.",
        ),
    },
    Known {
        words: &[
            "ciao",
            "benvenuto",
            "benvenuta",
            "benvenuti",
            "sono",
            "come",
            "posso",
            "aiutarti",
            "aiutarla",
            "chiedimi",
            "tuo",
            "tua",
            "scrivi",
            "scrivimi",
            "domanda",
            "domande",
            "il",
            "per",
            "qualsiasi",
            "cosa",
            "messaggio",
            "buongiorno",
        ],
        sentence: "Stai parlando con un assistente IA.",
        other: (
            &["lei", "aiutarla", "può", "scriva"],
            "Sta parlando con un assistente IA.",
        ),
    },
    Known {
        words: &[
            "olá",
            "oi",
            "bem-vindo",
            "bem-vinda",
            "sou",
            "seu",
            "sua",
            "como",
            "posso",
            "ajudar",
            "ajudá-lo",
            "pergunte",
            "você",
            "para",
            "uma",
            "pergunta",
            "perguntas",
            "envie",
            "escreva",
            "mensagem",
            "o",
            "que",
        ],
        sentence: "Está a falar com um assistente de IA.",
        other: (&["você", "oi"], "Você está falando com um assistente de IA."),
    },
    Known {
        words: &[
            "hallo", "welkom", "ik", "ben", "je", "jouw", "jou", "stel", "vraag", "vragen", "hoe", "kan", "helpen",
            "een", "het", "mij", "uw", "u", "bericht", "typ",
        ],
        sentence: "Je praat met een AI-assistent.",
        other: (&["u", "uw"], "U praat met een AI-assistent."),
    },
    Known {
        words: &[
            "cześć", "witaj", "witam", "jestem", "twój", "twoje", "jak", "mogę", "pomóc", "zapytaj", "napisz",
            "pytanie", "pytania", "dzień", "dobry", "mi", "mnie", "się", "wyślij", "zadaj",
        ],
        sentence: "Rozmawiasz z asystentem AI.",
        other: (&[], ""),
    },
    Known {
        words: &[
            "привет",
            "здравствуйте",
            "добро",
            "пожаловать",
            "напишите",
            "напиши",
            "задайте",
            "задай",
            "вопрос",
            "вопросы",
            "могу",
            "помочь",
            "меня",
            "вам",
            "мне",
            "что",
            "как",
            "бот",
            "я",
            "ты",
            "вы",
        ],
        sentence: "Вы общаетесь с искусственным интеллектом.",
        other: (
            &["ты", "тебе", "тебя", "напиши", "задай"],
            "Ты общаешься с искусственным интеллектом.",
        ),
    },
];

const UKRAINIAN: &str = "Ви спілкуєтеся зі штучним інтелектом.";

/// The sentence in the language of a text; nothing where that is not clear.
pub(super) fn sentence(text: &str) -> Option<&'static str> {
    let lower = text.replace("\\n", " ").replace('’', "'").to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let is_cyrillic = lower.chars().any(|c| ('а'..='я').contains(&c));
    if is_cyrillic && lower.contains(['і', 'ї', 'є', 'ґ']) {
        return (!lower.contains(['ы', 'э', 'ъ', 'ё'])).then_some(UKRAINIAN);
    }
    let count = |known: &[&str]| words.iter().filter(|word| known.contains(word)).count();
    let english = count(&ENGLISH_WORDS);
    let mut scores: Vec<(usize, &Known)> = KNOWN.iter().map(|known| (count(known.words), known)).collect();
    scores.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let (best, known) = scores.first()?;
    let next = scores.get(1).map_or(0, |(score, _)| *score);
    if *best >= 2 && *best > next && *best > english {
        let (marks, other) = known.other;
        return Some(if count(marks) > 0 { other } else { known.sentence });
    }
    let latin = !lower.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
    (latin && (english > 0 || *best == 0) && english >= *best).then_some(ENGLISH)
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn greeting_language_decides_sentence() {
        let begins = |text: &str, begin: &str| {
            let said = sentence(text).unwrap_or("nothing");
            assert!(said.starts_with(begin), "{text}: {said}");
        };
        begins("Welcome! Ask me anything.", "You are");
        begins("Welcome", "You are");
        begins("👋", "You are");
        begins("Hallo! Ich bin Ihre Hilfe. Stellen Sie Ihre Frage.", "Sie chatten");
        begins("Hallo! Wie kann ich dir helfen?", "Du chattest");
        begins("Hallo! Ik ben Sam. Stel je vraag.", "Je praat");
        begins("Bonjour ! Posez votre question.", "Vous échangez");
        begins("¡Hola! ¿En qué puedo ayudarte?", "Estás");
        begins("Ciao! Come posso aiutarti?", "Stai");
        begins("Olá! Como posso ajudar?", "Está a falar");
        begins("Olá! Como posso ajudar você?", "Você");
        begins("Cześć! Jak mogę pomóc?", "Rozmawiasz");
        begins("Привет! Задай мне вопрос.", "Ты общаешься");
        begins("Здравствуйте! Чем могу помочь? Задайте вопрос.", "Вы общаетесь");
        begins("Вітаю! Чим можу допомогти?", "Ви спілкуєтеся");
        for text in [
            "こんにちは",
            "Здраво! Како могу да помогнем?",
            "Hallo!",
            "Merhaba! Nasıl yardımcı olabilirim?",
            "Buenas",
        ] {
            assert!(
                sentence(text).is_none() || text.is_ascii() && sentence(text) == Some(super::ENGLISH),
                "{text}"
            );
        }
    }
}
