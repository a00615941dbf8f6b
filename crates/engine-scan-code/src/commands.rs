//! Shell commands that call a model, in scripts and in notebook cells.

use engine_catalogue::catalogue;
use engine_model::{CallKind, Language};
use engine_syntax::ir::Expr;

use crate::calls::Reading;
use crate::facts::{callee_name, list_of, symbols};
use crate::identity::Identity;
use crate::shapes::Output;
use crate::values::{ExprRef, Path, Root, Seg, Value, render};
use crate::world::World;

/// When a command asks a model.
#[derive(Clone, Copy)]
enum Asks {
    /// Whenever it is run with something.
    Always,
    /// When the first word is one of these.
    Word(&'static [&'static str]),
    /// When one of these flags is given.
    Flag(&'static [&'static str]),
    /// When a flag of each list is given: what a name of an ordinary word means only together with them.
    Flags(&'static [&'static [&'static str]]),
    /// Unless the first word manages something.
    Unless(&'static [&'static str]),
    /// When the first word names a service and the second begins an inference.
    Service(&'static [(&'static str, &'static str, &'static str)]),
}

/// A command with who serves it, unless the model's name says otherwise.
struct Command {
    name: &'static str,
    provider: Option<&'static str>,
    asks: Asks,
}

const fn command(name: &'static str, provider: Option<&'static str>, asks: Asks) -> Command {
    Command { name, provider, asks }
}

/// Words of commands that manage keys, models and plug-ins.
const MANAGES: &[&str] = &[
    "keys",
    "install",
    "uninstall",
    "models",
    "logs",
    "plugins",
    "templates",
    "aliases",
    "collections",
    "fragments",
    "schemas",
    "tools",
    "similar",
    "config",
    "login",
    "logout",
    "update",
    "help",
    "--help",
    "--version",
    "version",
    "mcp",
];

/// Services of a cloud's command line with the beginning of the verbs that ask a model, and the provider.
const AWS: &[(&str, &str, &str)] = &[
    ("bedrock-runtime", "invoke-model", "aws-bedrock"),
    ("bedrock-runtime", "converse", "aws-bedrock"),
    ("bedrock-agent-runtime", "retrieve-and-generate", "aws-bedrock"),
    ("bedrock-agent-runtime", "invoke-", "aws-bedrock"),
    ("sagemaker-runtime", "invoke-endpoint", "aws-sagemaker"),
    ("rekognition", "detect-", "aws"),
    ("rekognition", "compare-faces", "aws"),
    ("rekognition", "search-faces", "aws"),
    ("rekognition", "recognize-", "aws"),
    ("comprehend", "detect-", "aws"),
    ("comprehend", "classify-", "aws"),
    ("transcribe", "start-transcription-job", "aws"),
    ("polly", "synthesize-speech", "aws"),
    ("translate", "translate-", "aws"),
    ("textract", "analyze-", "aws"),
];

const OPENAI: &[(&str, &str, &str)] = &[
    ("api", "chat", "openai"),
    ("api", "completions", "openai"),
    ("api", "responses", "openai"),
    ("api", "audio", "openai"),
    ("api", "image", "openai"),
    ("api", "embeddings", "openai"),
];

const GITHUB: &[(&str, &str, &str)] = &[
    ("copilot", "suggest", "github"),
    ("copilot", "explain", "github"),
    ("models", "run", "github-models"),
];

const PROMPT_FLAGS: &[&str] = &["-p", "--prompt", "--print", "-f", "--file"];

/// Flags with which the program named piper is handed a voice and where it puts what it says.
const PIPER: &[&[&str]] = &[
    &["-m", "--model"],
    &[
        "-f",
        "--output_file",
        "--output-file",
        "--output_raw",
        "--output-raw",
        "-d",
        "--output_dir",
        "--output-dir",
    ],
];

/// Flags that llama.cpp has, and other programs with a model and a prompt hardly.
const LLAMA_FLAGS: &[&str] = &[
    "--n-predict",
    "--n_predict",
    "--ctx-size",
    "--ctx_size",
    "-ngl",
    "--n-gpu-layers",
    "--no-display-prompt",
];

/// Flags that the command line of Claude has, and other programs that are handed a prompt hardly.
const CLAUDE_FLAGS: &[&str] = &[
    "stream-json",
    "--dangerously-skip-permissions",
    "--permission-mode",
    "--allowedTools",
    "--allowed-tools",
    "--append-system-prompt",
];

/// Commands whose names mean nothing else, so that a program that starts one asks a model.
const OF_MODELS: &[&str] = &[
    "ollama",
    "llama-cli",
    "llama-run",
    "llama-simple",
    "llama-embedding",
    "llama-mtmd-cli",
    "llamafile",
    "whisper-cli",
    "whisper-cpp",
    "whisper-stream",
    "whisperx",
    "piper",
    "mlx_lm.generate",
    "claude",
    "codex",
];

static COMMANDS: &[Command] = &[
    command("ollama", Some("ollama"), Asks::Word(&["run"])),
    command("llm", Some("openai"), Asks::Unless(MANAGES)),
    command("claude", Some("anthropic"), Asks::Flag(&["-p", "--print"])),
    command("gemini", Some("google"), Asks::Flag(&["-p", "--prompt"])),
    command("qwen", Some("alibaba"), Asks::Flag(&["-p", "--prompt"])),
    command("codex", Some("openai"), Asks::Word(&["exec", "-q", "--quiet"])),
    command("aider", None, Asks::Flag(&["--message", "-m", "--message-file"])),
    command("goose", None, Asks::Word(&["run"])),
    command("opencode", None, Asks::Word(&["run"])),
    command("crush", None, Asks::Word(&["run"])),
    command("cursor-agent", None, Asks::Flag(&["-p", "--print"])),
    command("copilot", Some("github"), Asks::Flag(&["-p", "--prompt"])),
    command("amp", None, Asks::Flag(&["-x", "--execute"])),
    command("sgpt", Some("openai"), Asks::Unless(MANAGES)),
    command("fabric", None, Asks::Flag(&["-p", "--pattern"])),
    command("tgpt", None, Asks::Unless(MANAGES)),
    command("openai", Some("openai"), Asks::Service(OPENAI)),
    command("gh", Some("github"), Asks::Service(GITHUB)),
    command("llama-cli", Some("local"), Asks::Flag(PROMPT_FLAGS)),
    command("llama-run", Some("local"), Asks::Always),
    command("llama-simple", Some("local"), Asks::Always),
    command("llama-embedding", Some("local"), Asks::Always),
    command("llama-mtmd-cli", Some("local"), Asks::Always),
    command("llamafile", Some("local"), Asks::Flag(PROMPT_FLAGS)),
    command("whisper", Some("local"), Asks::Unless(MANAGES)),
    command("whisper-cli", Some("local"), Asks::Always),
    command("whisper-cpp", Some("local"), Asks::Always),
    command("whisper-stream", Some("local"), Asks::Always),
    command("piper", Some("local"), Asks::Flags(PIPER)),
    command("whisperx", Some("local"), Asks::Unless(MANAGES)),
    command("mlx_lm.generate", Some("local"), Asks::Always),
    command("mlx_lm", Some("local"), Asks::Word(&["generate", "chat"])),
    command("vllm", Some("local"), Asks::Word(&["chat", "complete", "run-batch"])),
    command("aws", Some("aws-bedrock"), Asks::Service(AWS)),
];

/// Commands that run another one.
const RUNNERS: &[&str] = &[
    "exec", "sudo", "env", "nohup", "time", "command", "nice", "xargs", "npx", "uvx", "pipx", "bunx", "timeout",
    "stdbuf", "poetry", "uv", "pnpm", "builtin", "setsid",
];

/// Names of known commands that stand in a text as words.
pub(crate) fn mentioned(text: &str) -> impl Iterator<Item = &'static str> {
    let words: std::collections::BTreeSet<&str> = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .collect();
    COMMANDS
        .iter()
        .map(|command| command.name)
        .filter(move |name| words.contains(name))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Whether a text of a program names what starts other programs.
pub(crate) fn starts_programs(language: Language, text: &str) -> bool {
    match language {
        Language::Python => text.contains("subprocess"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => text.contains("child_process"),
        Language::Go => text.contains("os/exec"),
        _ => false,
    }
}

/// What tells in the text of a program that it starts a model: names of commands that mean nothing else, and flags of llama.cpp.
pub(crate) fn mentioned_by_programs(text: &str) -> impl Iterator<Item = &'static str> {
    let flags = LLAMA_FLAGS
        .iter()
        .chain(CLAUDE_FLAGS)
        .copied()
        .filter(|flag| flag.len() > 4 && text.contains(flag));
    let kept = KEPT_UNDER.iter().copied().filter(|name| {
        text.match_indices(name)
            .any(|(at, _)| text[at + name.len()..].starts_with('_'))
            || text.contains(&format!("{}_", name.to_ascii_uppercase()))
    });
    mentioned(text)
        .filter(|name| OF_MODELS.contains(name))
        .chain(flags.collect::<Vec<_>>())
        .chain(kept.collect::<Vec<_>>())
}

/// Whether a text of a program is the name of a command that means a model, a line that begins with one, or a flag of llama.cpp.
pub(crate) fn names_program(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("");
    let name = first.rsplit('/').next().unwrap_or("");
    OF_MODELS.contains(&name) || LLAMA_FLAGS.contains(&first) || CLAUDE_FLAGS.contains(&first)
}

/// Words of names under which a program keeps where the command line of a model lies: `claude_bin`, `CODEX_PATH`.
const KEPT_UNDER: &[&str] = &["claude", "codex", "ollama"];

/// Whether a name may hold such a program.
pub(crate) fn may_hold_a_program(name: &str) -> bool {
    let words = engine_catalogue::words_of(name);
    words.len() > 1
        && words.iter().any(|word| KEPT_UNDER.contains(&word.as_str()))
        && words.iter().any(|word| {
            matches!(
                word.as_str(),
                "bin" | "path" | "cmd" | "command" | "cli" | "exe" | "executable" | "binary"
            )
        })
}

/// Whether a path in a notebook means a command of the system shell.
pub(crate) fn is_command(path: &Path) -> bool {
    path.root == Root::Global && matches!(path.segs.first(), Some(Seg::Name(name)) if name.starts_with('!'))
}

/// What a command asks, if it asks a model.
pub(crate) fn read(world: &World<'_>, at: ExprRef) -> Option<Reading> {
    let Expr::Call { callee, args, .. } = world.expr(at) else {
        return None;
    };
    let shell = match (world.expr(ExprRef(at.0, *callee)), world.unit(at.0).language) {
        (Expr::Name(name), Language::Shell) => Some(&**name),
        (Expr::Name(name), Language::Notebook) if name.starts_with('!') => name.strip_prefix('!'),
        (_, Language::Shell) => return None,
        _ => None,
    };
    let Some(name) = shell else {
        return started(world, at).iter().find_map(|words| asked(world, at, words));
    };
    // A script may have a function of that name.
    if world.has_function(at.0, name) {
        return None;
    }
    let mut words: Vec<String> = vec![name.rsplit('/').next().unwrap_or(name).to_owned()];
    for arg in args.iter().filter(|arg| arg.name.is_none()).take(40) {
        let values = world.eval(ExprRef(at.0, arg.value));
        words.push(
            world
                .text(&values)
                .map_or_else(|| "{}".to_owned(), |parts| render(&parts)),
        );
    }
    asked(world, at, &words)
}

/// Functions that start a program, by what their path ends in.
const STARTERS: [&str; 17] = [
    "run",
    "Popen",
    "call",
    "check_output",
    "check_call",
    "getoutput",
    "system",
    "popen",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "spawn",
    "spawnSync",
    "exec",
    "execSync",
    "execFile",
    "execFileSync",
    "Command",
];

/// Lists of words that callers hand to a function which starts programs, of which one may ask a model.
const LISTS_MAX: usize = 8;

/// The words of the commands that a program starts in one place: `subprocess.run(["ollama", "run", model])`, `spawn("ollama", ["run", model])`,
/// `exec.Command("ollama", "run", model)`. A function that is handed the words starts what its callers name.
fn started(world: &World<'_>, at: ExprRef) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    if !STARTERS.contains(&callee_name(world, at)) {
        return out;
    }
    let starts = symbols(world, at).iter().any(|symbol| {
        let direct = !symbol.contains("()");
        direct
            && [
                "subprocess.",
                "os.system",
                "os.popen",
                "asyncio.create_subprocess",
                "child_process.",
                "node:child_process.",
                "os/exec.Command",
            ]
            .iter()
            .any(|known| symbol.starts_with(known))
    });
    let Expr::Call { args, .. } = world.expr(at) else {
        return out;
    };
    if !starts {
        return out;
    }
    let given: Vec<ExprRef> = args
        .iter()
        .filter(|arg| arg.name.is_none())
        .take(40)
        .map(|arg| ExprRef(at.0, arg.value))
        .collect();
    let text = |at: ExprRef| {
        world
            .text(&world.eval(at))
            .map_or_else(|| "{}".to_owned(), |parts| render(&parts))
    };
    let mut words: Vec<String> = Vec::new();
    for value in &given {
        match list_of(world, *value) {
            Some(list) => words.extend(list.into_iter().take(40).map(text)),
            None if given.len() == 1 || words.is_empty() => {
                words.extend(text(*value).split_whitespace().take(40).map(str::to_owned));
            }
            None => words.push(text(*value)),
        }
    }
    out.push(words);
    if let [value, ..] = given.as_slice() {
        let handed = world.expand(&world.eval(*value));
        let lists = handed.iter().filter_map(|value| match value {
            Value::Literal(list) => list_of(world, *list),
            _ => None,
        });
        out.extend(
            lists
                .take(LISTS_MAX)
                .map(|list| list.into_iter().take(40).map(text).collect()),
        );
    }
    for words in &mut out {
        if let Some(first) = words.first_mut() {
            *first = first.rsplit('/').next().unwrap_or("").to_owned();
        }
    }
    out.retain(|words| !words.is_empty());
    out
}

/// What the words of a command ask, if they ask a model.
fn asked(world: &World<'_>, at: ExprRef, words: &[String]) -> Option<Reading> {
    let scripted = matches!(world.unit(at.0).language, Language::Shell | Language::Notebook);
    let mut from = 0;
    while RUNNERS.contains(&words[from].as_str()) {
        // The command stands behind flags, variables and durations of the one that runs it.
        let next = (from + 1..words.len().min(from + 6)).find(|at| {
            let name = words[*at].rsplit('/').next().unwrap_or("");
            RUNNERS.contains(&name) || COMMANDS.iter().any(|command| command.name == name)
        })?;
        from = next;
    }
    let name = words[from].rsplit('/').next().unwrap_or("").to_owned();
    let behind: Vec<&str> = words[from + 1..].iter().map(String::as_str).collect();
    let (program, provider) = match COMMANDS.iter().find(|known| known.name == name) {
        Some(known) if matches!(known.asks, Asks::Service(_)) => (known.name, Some(service(known, &behind)?)),
        // A program that starts another means a short name less surely than a line in a script does.
        Some(known) if !scripted && !OF_MODELS.contains(&known.name) => return None,
        Some(known) => {
            if !asks(known, &behind) {
                return None;
            }
            (known.name, known.provider)
        }
        // The name of the program is known only when it runs; its flags are those of one program.
        None if name == "{}"
            && behind.iter().any(|word| matches!(*word, "-p" | "--print"))
            && behind.iter().any(|word| CLAUDE_FLAGS.contains(word)) =>
        {
            ("claude", Some("anthropic"))
        }
        None if name == "{}"
            && behind.iter().any(|word| PROMPT_FLAGS.contains(word))
            && behind.iter().any(|word| matches!(*word, "-m" | "--model"))
            && behind.iter().any(|word| LLAMA_FLAGS.contains(word)) =>
        {
            ("llama.cpp", Some("local"))
        }
        // The example program of a library for local models keeps its old name. What moves or removes such a file has flags
        // of the same letters, and none for a model.
        None if behind.iter().any(|word| PROMPT_FLAGS.contains(word))
            && behind
                .windows(2)
                .any(|pair| matches!(pair[0], "-m" | "--model") && is_weights(pair[1])) =>
        {
            ("llama.cpp", Some("local"))
        }
        None => return None,
    };
    let model = model(program, &behind);
    let known = model.as_deref().and_then(|model| catalogue().model(model));
    let provider = match (provider, &known) {
        (Some("openai") | None, Some(info)) => Some(info.via.unwrap_or(info.provider).to_owned()),
        (provider, _) => provider.map(str::to_owned),
    };
    let path = Path {
        root: Root::Global,
        segs: vec![Seg::Name(program.into())],
    };
    let identity = Identity {
        provider,
        model,
        output: (program == "piper").then_some(Output::Audio),
        ..Identity::default()
    };
    Some((path, CallKind::Call, identity, Some(program.to_owned())))
}

/// Whether these words ask a model.
fn asks(command: &Command, rest: &[&str]) -> bool {
    let first = rest.first().copied().unwrap_or("");
    let given = |flags: &[&str]| {
        rest.iter().any(|word| {
            flags
                .iter()
                .any(|flag| word == flag || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')))
        })
    };
    match command.asks {
        Asks::Always => !first.is_empty() && !first.starts_with("--h") && !first.starts_with("--v"),
        Asks::Word(words) => words.contains(&first),
        Asks::Flag(flags) => given(flags),
        Asks::Flags(all) => all.iter().all(|flags| given(flags)),
        Asks::Unless(words) => !first.is_empty() && !words.contains(&first),
        Asks::Service(_) => service(command, rest).is_some(),
    }
}

/// Who answers at the service of a cloud that the words name.
fn service(command: &Command, rest: &[&str]) -> Option<&'static str> {
    let Asks::Service(services) = command.asks else {
        return None;
    };
    services
        .iter()
        .find(|(service, verb, _)| {
            rest.windows(2)
                .any(|pair| pair[0] == *service && pair[1].starts_with(verb))
        })
        .map(|(.., provider)| *provider)
}

/// Words of a command that writes a body.
const JQ_WORDS_MAX: usize = 60;

/// A body that a shell has `jq` write: the filter, with what is handed to it in place of its variables.
pub(crate) fn put_together(world: &World<'_>, at: ExprRef) -> Option<String> {
    let path = world.eval(at).iter().find_map(|value| match value {
        Value::Path(path) if path.has_name("jq") => Some(path.clone()),
        _ => None,
    })?;
    let call = path.calls().next()?;
    let Expr::Call { args, .. } = world.expr(call) else {
        return None;
    };
    let words: Vec<String> = args
        .iter()
        .take(JQ_WORDS_MAX)
        .map(|arg| {
            world
                .text(&world.eval(ExprRef(call.0, arg.value)))
                .map_or_else(String::new, |parts| render(&parts))
        })
        .collect();
    let mut filter = words.iter().rev().find(|word| word.contains('{'))?.clone();
    for given in words.windows(3).filter(|given| given[0] == "--arg") {
        filter = filter.replace(&format!("${}", given[1]), &format!("\"{}\"", given[2]));
    }
    Some(with_quoted_keys(&filter))
}

/// A filter of `jq` with its keys written as in JSON: `{prompt: $p}` becomes `{"prompt": $p}`.
fn with_quoted_keys(filter: &str) -> String {
    let mut out = String::with_capacity(filter.len() + 16);
    let mut rest = filter;
    while let Some(at) = rest.find(['{', ',']) {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let key = after.trim_start();
        out.push_str(&after[..after.len() - key.len()]);
        let end = key
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(key.len());
        if end > 0 && key[end..].trim_start().starts_with(':') {
            out.push('"');
            out.push_str(&key[..end]);
            out.push('"');
            rest = &key[end..];
        } else {
            rest = key;
        }
    }
    out.push_str(rest);
    out
}

/// Whether a word names a file of weights.
fn is_weights(word: &str) -> bool {
    word.rsplit_once('.')
        .is_some_and(|(_, ending)| matches!(ending.to_ascii_lowercase().as_str(), "gguf" | "ggml" | "bin"))
}

/// The model that the words name.
fn model(command: &str, rest: &[&str]) -> Option<String> {
    let named = rest.windows(2).find_map(|pair| {
        matches!(pair[0], "-m" | "--model" | "--model-id" | "--model-path").then(|| pair[1].to_owned())
    });
    let named = named.or_else(|| {
        rest.iter()
            .find_map(|word| word.strip_prefix("--model=").or_else(|| word.strip_prefix("-m=")))
            .map(str::to_owned)
    });
    let named = match command {
        "ollama" => rest
            .get(1)
            .filter(|word| !word.starts_with('-'))
            .map(|word| (*word).to_owned()),
        // The flag of this one gives the message.
        "aider" if rest.contains(&"--model") => rest
            .windows(2)
            .find_map(|pair| (pair[0] == "--model").then(|| pair[1].to_owned())),
        "aider" => None,
        _ => named,
    }?;
    let named = if is_weights(&named) {
        named.rsplit('/').next().unwrap_or(&named).to_owned()
    } else {
        named
    };
    (!named.contains("{}") && !named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::with_quoted_keys;

    #[test]
    fn keys_of_a_filter_are_quoted_and_nothing_else() {
        assert_eq!(
            with_quoted_keys("{model: $m, messages: [{role: \"user\", content: $p}]}"),
            "{\"model\": $m, \"messages\": [{\"role\": \"user\", \"content\": $p}]}"
        );
        for same in ["{\"prompt\": $p}", ".items[] | {id}", "a, b", "{", "é,{ü: 1}"] {
            assert_eq!(with_quoted_keys(same), same);
        }
    }
}
