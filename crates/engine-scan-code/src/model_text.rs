//! Syntax of model names: whether a text can be one.

use engine_catalogue::catalogue;

/// Letters of a longest name: one that begins with a folder or the number of an account included.
const NAME_MAX: usize = 200;

/// Whether a text can be the name of a model at all: one word of the letters that such names have, and no place for one.
pub(crate) fn is_model_name(text: &str) -> bool {
    let known = text.replace("{}", "");
    let told = known.chars().filter(|c| c.is_alphanumeric()).count();
    // Only the name of a file may be written in letters of any language.
    let letters = text.is_ascii() || is_file(text);
    !text.is_empty()
        && text.len() < NAME_MAX
        && !text.contains(char::is_whitespace)
        && !text.contains(['"', '\'', '`', '<', '>', ';', '!', '?', '|', '*'])
        && letters
        && told > 1
        && !matches!(text, "cuda" | "cpu" | "mps" | "auto" | "model")
        && !is_host(text)
        && !is_field_name(text)
        && !text.starts_with("http")
        // A place that another tool fills in: a template of Terraform, a chart, a page.
        && !["${", "{{"].iter().any(|mark| text.contains(mark))
}

/// Whether a text is the name of a machine: `localhost`, `127.0.0.1:11434`, `host.docker.internal`.
fn is_host(text: &str) -> bool {
    let name = text.split(':').next().unwrap_or(text);
    crate::identity::is_loopback(name)
        || name.split('.').count() == 4 && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether a text is no model, but a file with words or the name of the field that one would stand in: `getattr(self, "model_name")`, `form.get("model_id")`.
pub(crate) fn is_field_name(text: &str) -> bool {
    // Neither is a file with words or settings a model.
    if [".txt", ".md", ".log", ".env", ".yaml", ".yml"]
        .iter()
        .any(|end| text.ends_with(end))
    {
        return true;
    }
    let plain: String = text.chars().filter(|c| !matches!(c, '_' | '-')).collect();
    matches!(
        plain.to_ascii_lowercase().as_str(),
        "model" | "modelname" | "modelid" | "modelpath" | "modeltype" | "modelkey" | "llmmodel" | "aimodel" | "name"
    )
}

/// Constants of an enumeration whose names run together what the model's name keeps apart, or say it in another order.
const RUN_TOGETHER: [(&str, &str); 22] = [
    ("GPT4Turbo1106", "gpt-4-1106-preview"),
    ("GPT4Turbo0125", "gpt-4-0125-preview"),
    ("CreateImageModelDallE2", "dall-e-2"),
    ("CreateImageModelDallE3", "dall-e-3"),
    ("CreateImageModelGptImage1", "gpt-image-1"),
    ("TTSModel1", "tts-1"),
    ("TTSModel1HD", "tts-1-hd"),
    ("SmallEmbedding3", "text-embedding-3-small"),
    ("LargeEmbedding3", "text-embedding-3-large"),
    ("AdaEmbeddingV2", "text-embedding-ada-002"),
    ("AllMiniLML6V2", "all-MiniLM-L6-v2"),
    ("AllMiniLML12V2", "all-MiniLM-L12-v2"),
    ("BGESmallENV15", "bge-small-en-v1.5"),
    ("BGEBaseENV15", "bge-base-en-v1.5"),
    ("BGELargeENV15", "bge-large-en-v1.5"),
    ("MultilingualE5Small", "multilingual-e5-small"),
    ("MultilingualE5Base", "multilingual-e5-base"),
    ("MultilingualE5Large", "multilingual-e5-large"),
    ("NomicEmbedTextV1", "nomic-embed-text-v1"),
    ("NomicEmbedTextV15", "nomic-embed-text-v1.5"),
    ("MxbaiEmbedLargeV1", "mxbai-embed-large-v1"),
    ("ParaphraseMLMiniLML12V2", "paraphrase-multilingual-MiniLM-L12-v2"),
];

/// The name that a constant of an enumeration stands for: `GPT_4_1`, `ChatModelGPT4o`, `GPT4oMini`.
pub(crate) fn model_of_constant(name: &str) -> Option<String> {
    let quantized = name.strip_suffix('Q').unwrap_or(name);
    if let Some((_, model)) = RUN_TOGETHER.iter().find(|(constant, _)| *constant == quantized) {
        return Some((*model).to_owned());
    }
    let upper = !name.chars().any(char::is_lowercase);
    let candidates: Vec<String> = if upper && name.contains('_') {
        let dashed = name.to_ascii_lowercase().replace('_', "-");
        vec![dotted(&dashed), dashed]
    } else {
        let bare = name
            .trim_start_matches("ChatModel")
            .trim_start_matches("ResponsesModel")
            .trim_start_matches("EmbeddingModel")
            .trim_start_matches("AudioModel")
            .trim_start_matches("ImageModel")
            .trim_start_matches("SpeechModel")
            .trim_start_matches("Model")
            .trim_end_matches("Engine");
        let bare = pointed(bare);
        let mut out = String::new();
        let chars: Vec<char> = bare.chars().collect();
        for (at, c) in chars.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| chars[at]);
            let border = match (before, c) {
                (Some(before), c) if c.is_uppercase() => before.is_lowercase() || before.is_ascii_digit(),
                (Some(before), c) if c.is_ascii_digit() => {
                    let number = chars[at..].iter().take_while(|c| c.is_ascii_digit()).count();
                    before.is_alphabetic() && (before != 'o' || number > 2)
                }
                _ => false,
            };
            if border {
                out.push('-');
            }
            out.push(if *c == '_' { '-' } else { c.to_ascii_lowercase() });
        }
        vec![dated(&dotted(&out)), dotted(&out), out]
    };
    // One maker writes its versions with dashes.
    candidates
        .into_iter()
        .filter(|name| !(name.starts_with("claude") && name.contains('.')))
        .find(|name| catalogue().model(name).is_some())
}

/// A point that is written as a word between two numbers: `GPT3Dot5Turbo`.
fn pointed(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once("Dot") {
        let between = before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit());
        out.push_str(before);
        out.push_str(if between { "." } else { "Dot" });
        rest = after;
    }
    out + rest
}

/// A day at the end with its dashes: `gpt-4o-20240806` becomes `gpt-4o-2024-08-06`.
fn dated(name: &str) -> String {
    match name.rsplit_once('-') {
        // One maker writes its days without dashes.
        Some((head, day))
            if name.starts_with("gpt-")
                && day.len() == 8
                && day.starts_with("20")
                && day.bytes().all(|b| b.is_ascii_digit()) =>
        {
            format!("{head}-{}-{}-{}", &day[..4], &day[4..6], &day[6..])
        }
        _ => name.to_owned(),
    }
}

/// Joins two single numbers with a point: `gpt-4-1` becomes `gpt-4.1`.
fn dotted(name: &str) -> String {
    let parts: Vec<&str> = name.split('-').collect();
    let mut out = String::new();
    let number = |part: &str| part.len() == 1 && part.bytes().all(|byte| byte.is_ascii_digit());
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push(if number(part) && number(parts[at - 1]) {
                '.'
            } else {
                '-'
            });
        }
        out.push_str(part);
    }
    out
}

/// Endings of files that hold a model: nobody moves such a name on.
const FILE_ENDINGS: [&str; 15] = [
    "xml",
    "h5",
    "hdf5",
    "keras",
    "pt",
    "pth",
    "onnx",
    "pkl",
    "joblib",
    "tflite",
    "gguf",
    "safetensors",
    "caffemodel",
    "pb",
    "mlmodel",
];

/// Whether a name is that of a file which holds a model.
pub(crate) fn is_file(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| FILE_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Words in the names of files that prepare what a model is given, and hold none.
const PREPARES: [&str; 8] = [
    "processor",
    "scaler",
    "encoder",
    "vectorizer",
    "imputer",
    "columns",
    "features",
    "labels",
];

/// Whether a name is that of a file beside a model, which prepares its input: `preprocessor.pkl`, `label_encoder.joblib`.
pub(crate) fn is_preparation(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    is_file(&file) && !file.contains("model") && PREPARES.iter().any(|word| file.contains(word))
}

/// Whether a name fixes one version of a model; of a file, and of a name that is not known whole, nothing is said.
pub(crate) fn pinned(model: &str) -> Option<bool> {
    use engine_catalogue::{Pinned, pinned_shape};
    if is_file(model) || model.contains("{}") {
        return None;
    }
    match catalogue().model(model).map(|info| info.pinned) {
        Some(Pinned::Pinned) => Some(true),
        Some(Pinned::Floating) => Some(false),
        Some(Pinned::Unknown) | None => match pinned_shape(model) {
            Pinned::Pinned => Some(true),
            Pinned::Floating => Some(false),
            Pinned::Unknown => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{is_model_name, is_preparation, model_of_constant, pinned};

    #[test]
    fn sentences_places_and_settings_are_no_names() {
        for name in [
            "gpt-4.1",
            "models/gemini-2.0-flash:free",
            "@cf/meta/llama-3-8b",
            "{}:latest",
            "arn:aws:bedrock:eu::m/x",
            "modèle.onnx",
            "o3",
        ] {
            assert!(is_model_name(name), "{name}");
        }
        for text in [
            "请回复'连接成功'。",
            "{}/{}",
            "{}",
            "name",
            "model_name",
            "${bedrock_model_id}",
            "{{ model }}-latest",
            "Failed to read",
            "hello?",
            "",
        ] {
            assert!(!is_model_name(text), "{text}");
        }
    }

    #[test]
    fn what_prepares_the_input_is_no_model() {
        assert!(is_preparation("artifacts/proprocessor.pkl"));
        assert!(is_preparation("label_encoder.joblib"));
        for name in ["model.pkl", "encoder_model.h5", "sentence-encoder", "vision-features"] {
            assert!(!is_preparation(name), "{name}");
        }
    }

    #[test]
    fn constants_of_libraries_stand_for_names() {
        assert_eq!(model_of_constant("AudioModelWhisper1").as_deref(), Some("whisper-1"));
        assert_eq!(
            model_of_constant("TextDavinci003Engine").as_deref(),
            Some("text-davinci-003")
        );
        assert_eq!(model_of_constant("ChatModelGPT4o").as_deref(), Some("gpt-4o"));
        assert_eq!(model_of_constant("SearchEngine"), None);
        for (constant, name) in [
            ("GPT3Dot5Turbo", "gpt-3.5-turbo"),
            ("GPT3Dot5Turbo0301", "gpt-3.5-turbo-0301"),
            ("GPT4Dot1Mini", "gpt-4.1-mini"),
            ("GPT4oMini", "gpt-4o-mini"),
            ("GPT4o20240513", "gpt-4o-2024-05-13"),
            ("GPT4TurboPreview", "gpt-4-turbo-preview"),
            ("GPT4Turbo1106", "gpt-4-1106-preview"),
            ("CreateImageModelDallE3", "dall-e-3"),
        ] {
            assert_eq!(model_of_constant(constant).as_deref(), Some(name), "{constant}");
        }
        for constant in ["DotProduct", "ChatMessageRoleUser", "Dot3Matrix", "Version3Dot5"] {
            assert_eq!(model_of_constant(constant), None, "{constant}");
        }
    }

    #[test]
    fn files_and_names_in_part_are_neither_pinned_nor_floating() {
        for model in [
            "{}haarcascade_frontalface_default.xml",
            "models/latest.ONNX",
            "{}-latest",
        ] {
            assert_eq!(pinned(model), None, "{model}");
        }
        assert_eq!(pinned("chatgpt-4o-latest"), Some(false));
        assert_eq!(pinned("gpt-4.1-2025-04-14"), Some(true));
    }
}
