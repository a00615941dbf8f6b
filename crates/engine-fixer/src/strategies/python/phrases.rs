//! Sentences that tell people of an AI, and the language of a text.

/// The sentences of one language. None has a quote or an apostrophe.
#[derive(Debug)]
pub(super) struct Phrases {
    /// The English name of the language.
    pub(super) language: &'static str,
    /// What a bot says of itself.
    pub(super) bot: &'static str,
    /// What a terminal program prints before a talk.
    pub(super) terminal: &'static str,
    /// What stands on a page.
    pub(super) page: &'static str,
    /// Words that show the language.
    signs: &'static [&'static str],
}

/// English.
pub(super) const ENGLISH: &Phrases = &Phrases {
    language: "English",
    bot: "I am an AI assistant.",
    terminal: "You are talking to an AI system.",
    page: "Answers are written by an AI system.",
    signs: &[
        "hello",
        "hi",
        "hey",
        "welcome",
        "i",
        "im",
        "i'm",
        "your",
        "you",
        "how",
        "can",
        "help",
        "the",
        "ask",
        "me",
        "to",
        "send",
        "and",
        "question",
        "questions",
        "please",
        "what",
        "with",
        "type",
        "enter",
        "chat",
        "bot",
        "exit",
        "quit",
    ],
};

/// All languages that are known.
const ALL: [&Phrases; 10] = [
    ENGLISH,
    &Phrases {
        language: "German",
        bot: "Ich bin ein KI-Assistent.",
        terminal: "Hier antwortet ein KI-System.",
        page: "Hier antwortet ein KI-System.",
        signs: &[
            "hallo",
            "willkommen",
            "ich",
            "dein",
            "deine",
            "deinen",
            "ihr",
            "ihre",
            "ihnen",
            "bin",
            "wie",
            "kann",
            "helfen",
            "frage",
            "fragen",
            "schreib",
            "und",
            "der",
            "die",
            "das",
            "guten",
            "moin",
            "servus",
            "stell",
            "mir",
            "zum",
            "beenden",
            "sie",
            "bitte",
        ],
    },
    &Phrases {
        language: "French",
        bot: "Je suis un assistant IA.",
        terminal: "Les réponses sont écrites par une IA.",
        page: "Les réponses sont écrites par une IA.",
        signs: &[
            "bonjour",
            "salut",
            "bienvenue",
            "je",
            "suis",
            "votre",
            "ton",
            "vous",
            "posez",
            "puis",
            "aider",
            "comment",
            "et",
            "le",
            "les",
            "une",
            "question",
            "pour",
            "quitter",
            "des",
        ],
    },
    &Phrases {
        language: "Spanish",
        bot: "Soy un asistente de IA.",
        terminal: "Aquí responde un sistema de inteligencia artificial.",
        page: "Aquí responde un sistema de inteligencia artificial.",
        signs: &[
            "hola",
            "bienvenido",
            "bienvenida",
            "soy",
            "tu",
            "puedo",
            "ayudarte",
            "qué",
            "cómo",
            "escribe",
            "pregunta",
            "hazme",
            "y",
            "para",
            "salir",
            "una",
            "en",
            "el",
            "los",
        ],
    },
    &Phrases {
        language: "Italian",
        bot: "Sono un assistente IA.",
        terminal: "Qui risponde un sistema di intelligenza artificiale.",
        page: "Qui risponde un sistema di intelligenza artificiale.",
        signs: &[
            "ciao",
            "benvenuto",
            "benvenuta",
            "sono",
            "tuo",
            "posso",
            "aiutarti",
            "come",
            "scrivi",
            "domanda",
            "buongiorno",
            "il",
            "di",
            "per",
            "una",
            "che",
        ],
    },
    &Phrases {
        language: "Portuguese",
        bot: "Sou um assistente de IA.",
        terminal: "Aqui responde um sistema de inteligência artificial.",
        page: "Aqui responde um sistema de inteligência artificial.",
        signs: &[
            "olá", "oi", "sou", "seu", "posso", "ajudar", "você", "como", "envie", "pergunta", "uma", "para", "sair",
            "vindo", "faça", "o", "e",
        ],
    },
    &Phrases {
        language: "Dutch",
        bot: "Ik ben een AI-assistent.",
        terminal: "Hier antwoordt een AI-assistent.",
        page: "Hier antwoordt een AI-assistent.",
        signs: &[
            "welkom",
            "ik",
            "ben",
            "je",
            "jouw",
            "kan",
            "helpen",
            "stel",
            "vraag",
            "hoi",
            "een",
            "het",
            "de",
            "waarmee",
            "goedendag",
            "uw",
        ],
    },
    &Phrases {
        language: "Polish",
        bot: "Jestem asystentem AI.",
        terminal: "Odpowiada sztuczna inteligencja.",
        page: "Odpowiada sztuczna inteligencja.",
        signs: &[
            "cześć", "witaj", "witamy", "jestem", "twoim", "mogę", "pomóc", "zadaj", "pytanie", "napisz", "dzień",
            "dobry", "jak", "ci", "w", "się",
        ],
    },
    &Phrases {
        language: "Russian",
        bot: "Я ИИ-ассистент.",
        terminal: "Вам отвечает искусственный интеллект.",
        page: "Вам отвечает искусственный интеллект.",
        signs: &[
            "привет",
            "здравствуйте",
            "я",
            "бот",
            "помогу",
            "помощник",
            "вопрос",
            "задайте",
            "задай",
            "напиши",
            "напишите",
            "добро",
            "пожаловать",
            "и",
            "ваш",
            "твой",
            "могу",
            "что",
            "мне",
            "чем",
        ],
    },
    &Phrases {
        language: "Ukrainian",
        bot: "Я ШІ-асистент.",
        terminal: "Вам відповідає штучний інтелект.",
        page: "Вам відповідає штучний інтелект.",
        signs: &[
            "привіт",
            "вітаю",
            "доброго",
            "дня",
            "я",
            "бот",
            "допоможу",
            "помічник",
            "питання",
            "запитання",
            "напиши",
            "напишіть",
            "ласкаво",
            "просимо",
            "і",
            "ваш",
            "твій",
            "можу",
            "що",
            "мені",
            "чим",
        ],
    },
];

/// The language of a text; none where it is another one, or where two are as likely.
pub(super) fn language(text: &str) -> Option<&'static Phrases> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let is_cyrillic = |c: char| ('\u{400}'..='\u{4ff}').contains(&c);
    // A script of another language.
    if lower
        .chars()
        .any(|c| c.is_alphabetic() && !is_cyrillic(c) && c > '\u{24f}')
    {
        return None;
    }
    let letters = |known: &str| lower.chars().any(|c| known.contains(c));
    let cyrillic = lower.chars().any(is_cyrillic);
    let count = |phrases: &Phrases| {
        let mut seen: Vec<&str> = phrases
            .signs
            .iter()
            .copied()
            .filter(|sign| words.contains(sign))
            .collect();
        seen.dedup();
        seen.len()
    };
    let counted: Vec<(usize, &'static Phrases)> = ALL
        .into_iter()
        .filter(|phrases| matches!(phrases.language, "Russian" | "Ukrainian") == cyrillic)
        .filter(|phrases| match phrases.language {
            "Russian" => !letters("іїєґ"),
            "Ukrainian" => !letters("ыэёъ"),
            _ => true,
        })
        .map(|phrases| (count(phrases), phrases))
        .collect();
    let best = counted.iter().map(|(count, _)| *count).max()?;
    let mut first = counted.iter().filter(|(count, _)| *count == best);
    let (_, found) = first.next()?;
    if best == 0 {
        // A text of names and signs only, as a prompt `> `.
        return lower.is_ascii().then_some(ENGLISH).filter(|_| words.len() < 3);
    }
    (first.next().is_none() || found.language == "English" && lower.is_ascii()).then_some(*found)
}

/// A question in each language, with its sentences.
#[cfg(test)]
pub(super) fn samples() -> Vec<(String, &'static Phrases)> {
    ALL.into_iter()
        .map(|phrases| (phrases.signs.join(" "), phrases))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{ALL, language};

    #[test]
    fn languages_are_told_apart() {
        let known = |text: &str| language(text).map(|phrases| phrases.language);
        assert_eq!(known("Hello {name}! Ask me anything."), Some("English"));
        assert_eq!(known("Hallo! Stell mir eine Frage."), Some("German"));
        assert_eq!(known("Bonjour ! Posez votre question."), Some("French"));
        assert_eq!(known("¡Hola! ¿Qué puedo hacer?"), Some("Spanish"));
        assert_eq!(known("Ciao! Sono il bot."), Some("Italian"));
        assert_eq!(known("Olá! Como posso ajudar?"), Some("Portuguese"));
        assert_eq!(known("Hoi! Stel je vraag."), Some("Dutch"));
        assert_eq!(known("Cześć! Zadaj pytanie."), Some("Polish"));
        assert_eq!(known("Привет! Напиши вопрос."), Some("Russian"));
        assert_eq!(known("Привіт! Напиши питання."), Some("Ukrainian"));
        assert_eq!(known("Merhaba! Nasıl yardımcı olabilirim?"), None);
        assert_eq!(known("你好"), None);
        assert_eq!(known("> "), Some("English"));
    }

    #[test]
    fn sentences_have_no_quote() {
        for phrases in ALL {
            for text in [phrases.bot, phrases.terminal, phrases.page] {
                assert!(!text.contains(['"', '\'', '{', '\\']), "{text}");
            }
        }
    }
}
