//! What a callable does by its own name, whatever package it lies in. The rules are data, in `data/imports.toml`.

use serde::Deserialize;

/// What calling a name leads to. The order is that of the harm in a configuration that a person wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Effect {
    /// It opens network connections.
    Network,
    /// It accesses files.
    Files,
    /// It loads further serialised objects, or code that they hold.
    Objects,
    /// It starts processes, or runs or loads code.
    #[default]
    Code,
}

/// A rule on the names of callables.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Behaviour {
    pub(crate) why: String,
    #[serde(default)]
    pub(crate) effect: Effect,
    /// Whole names, without underscores at their ends.
    #[serde(default)]
    names: Vec<String>,
    /// Words of a name.
    #[serde(default)]
    words: Vec<String>,
    /// Words in a row.
    #[serde(default)]
    phrases: Vec<String>,
    /// Words of the module that a function lies in.
    #[serde(default)]
    modules: Vec<String>,
    /// Whether the rule holds for classes too.
    #[serde(default)]
    classes: bool,
    /// Whether the name says something only where it is called.
    #[serde(default)]
    pub(crate) generic: bool,
}

/// A longer name is no name of a function.
const WORDS_MAX: usize = 32;

impl Behaviour {
    /// Whether the rule holds for a path.
    pub(crate) fn covers(&self, path: &str) -> bool {
        let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
        let class = is_class(name);
        if class && !self.classes {
            return false;
        }
        let words = words(name);
        let whole = words.join("_");
        self.names.contains(&whole)
            || self.names.iter().any(|known| known == name.trim_matches('_'))
            || words.iter().any(|word| self.words.contains(word))
            || self.phrases.iter().any(|phrase| {
                let phrase: Vec<&str> = phrase.split(' ').collect();
                words.windows(phrase.len()).any(|part| part.iter().eq(phrase.iter()))
            })
            || !class
                && !self.modules.is_empty()
                && module
                    .split('.')
                    .flat_map(self::words)
                    .any(|word| self.modules.contains(&word))
    }
}

/// Whether a name is that of a class.
pub(crate) fn is_class(name: &str) -> bool {
    name.trim_start_matches('_')
        .starts_with(|c: char| c.is_ascii_uppercase())
}

/// The words of a name in snake or camel case, in small letters.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let letters: Vec<char> = name.chars().take(1024).collect();
    let mut open = false;
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            open = false;
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let starts = letter.is_uppercase()
            && (before.is_some_and(|c| c.is_lowercase() || c.is_numeric())
                || before.is_some_and(|c| c.is_uppercase()) && after.is_some_and(|c| c.is_lowercase()));
        if !open || starts {
            if words.len() == WORDS_MAX {
                break;
            }
            words.push(String::new());
            open = true;
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_split_at_underscores_and_capitals() {
        assert_eq!(words("_run_entry_point"), ["run", "entry", "point"]);
        assert_eq!(words("PythonREPL"), ["python", "repl"]);
        assert_eq!(words("ModifiedInterpreter"), ["modified", "interpreter"]);
        assert_eq!(words("__import__"), ["import"]);
        assert!(words("__").is_empty());
    }
}
