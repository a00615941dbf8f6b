//! The name of the variable that takes the place of a secret.

use crate::NoFix;
use crate::strategy::Site;

use super::context::Spot;
use super::{below, folder};

/// Rules of the scanner with the variable that the SDK or the tools of the service read.
const KNOWN: [(&str, &str); 40] = [
    ("secret-openai-key", "OPENAI_API_KEY"),
    ("secret-anthropic-key", "ANTHROPIC_API_KEY"),
    ("secret-openrouter-key", "OPENROUTER_API_KEY"),
    ("secret-langfuse-key", "LANGFUSE_SECRET_KEY"),
    ("secret-helicone-key", "HELICONE_API_KEY"),
    ("secret-huggingface-token", "HF_TOKEN"),
    ("secret-huggingface-organisation-token", "HF_TOKEN"),
    ("secret-groq-key", "GROQ_API_KEY"),
    ("secret-xai-key", "XAI_API_KEY"),
    ("secret-perplexity-key", "PERPLEXITY_API_KEY"),
    ("secret-replicate-token", "REPLICATE_API_TOKEN"),
    ("secret-nvidia-key", "NVIDIA_API_KEY"),
    ("secret-langsmith-key", "LANGSMITH_API_KEY"),
    ("secret-google-api-key", "GOOGLE_API_KEY"),
    ("secret-elevenlabs-key", "ELEVENLABS_API_KEY"),
    ("secret-pinecone-key", "PINECONE_API_KEY"),
    ("secret-tavily-key", "TAVILY_API_KEY"),
    ("secret-fireworks-key", "FIREWORKS_API_KEY"),
    ("secret-voyage-key", "VOYAGE_API_KEY"),
    ("secret-jina-key", "JINA_API_KEY"),
    ("secret-cerebras-key", "CEREBRAS_API_KEY"),
    ("secret-together-key", "TOGETHER_API_KEY"),
    ("secret-firecrawl-key", "FIRECRAWL_API_KEY"),
    ("secret-llamacloud-key", "LLAMA_CLOUD_API_KEY"),
    ("secret-wandb-key", "WANDB_API_KEY"),
    ("secret-e2b-key", "E2B_API_KEY"),
    ("secret-aws-bedrock-key", "AWS_BEARER_TOKEN_BEDROCK"),
    ("secret-aws-access-key-id", "AWS_ACCESS_KEY_ID"),
    ("secret-databricks-token", "DATABRICKS_TOKEN"),
    ("secret-github-token", "GITHUB_TOKEN"),
    ("secret-github-fine-grained-token", "GITHUB_TOKEN"),
    ("secret-gitlab-token", "GITLAB_TOKEN"),
    ("secret-npm-token", "NPM_TOKEN"),
    ("secret-slack-token", "SLACK_BOT_TOKEN"),
    ("secret-slack-webhook", "SLACK_WEBHOOK_URL"),
    ("secret-discord-bot-token", "DISCORD_TOKEN"),
    ("secret-stripe-key", "STRIPE_SECRET_KEY"),
    ("secret-sendgrid-key", "SENDGRID_API_KEY"),
    ("secret-telegram-token", "TELEGRAM_BOT_TOKEN"),
    ("secret-resend-key", "RESEND_API_KEY"),
];

/// Names that say what a value is, and not whose.
const GENERIC: [&str; 30] = [
    "API_KEY",
    "APIKEY",
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "AUTH_TOKEN",
    "ACCESS_TOKEN",
    "API_TOKEN",
    "AUTHORIZATION",
    "X_API_KEY",
    "AUTH",
    "CREDENTIAL",
    "CREDENTIALS",
    "BEARER",
    "BEARER_TOKEN",
    "CLIENT_SECRET",
    "API_SECRET",
    "DEFAULT",
    "VALUE",
    "URL",
    "URI",
    "DSN",
    "CONNECTION_STRING",
    "DATABASE",
    "DB",
    "CONNECTION",
    "API",
];

/// Variables of the shell and the system.
const SYSTEM: [&str; 20] = [
    "PATH", "HOME", "USER", "SHELL", "PWD", "OLDPWD", "LANG", "TERM", "TMP", "TEMP", "TMPDIR", "HOSTNAME", "LOGNAME",
    "EDITOR", "DISPLAY", "MAIL", "IFS", "PS1", "UID", "RANDOM",
];

/// Chooses the variable of a secret.
pub(super) fn name(site: &Site<'_>, spot: &Spot, rule: &str) -> Result<String, NoFix> {
    if let Some(name) = in_environment_file(site, &spot.code.path, &spot.value) {
        return Ok(name);
    }
    let hint = spot.hint.as_deref().map(upper_snake).filter(|name| !name.is_empty());
    let specific = hint.as_deref().filter(|name| !GENERIC.contains(name) && name.len() > 3);
    let known = of_rule(rule, &spot.value).or_else(|| of_provider(site, &spot.code.path));
    let name = match (specific, known) {
        (Some(hint), _) if is_about_a_secret(hint) => hint.to_owned(),
        (_, Some(known)) => known.to_owned(),
        (Some(hint), None) => hint.to_owned(),
        (None, None) => {
            return Err(NoFix::here(
                "the code does not name the secret clearly; move it to an environment variable by hand",
            ));
        }
    };
    let well_formed = name.len() <= 60
        && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if !well_formed || SYSTEM.contains(&name.as_str()) {
        return Err(NoFix::here(format!(
            "`{name}` is not a suitable name for a variable; move the secret by hand"
        )));
    }
    Ok(name)
}

/// Whether a name says that its value is secret.
fn is_about_a_secret(name: &str) -> bool {
    name.split('_').any(|word| {
        matches!(
            word,
            "KEY"
                | "APIKEY"
                | "TOKEN"
                | "SECRET"
                | "PASSWORD"
                | "PASSWD"
                | "PWD"
                | "PASS"
                | "CREDENTIAL"
                | "CREDENTIALS"
                | "URL"
                | "URI"
                | "DSN"
                | "WEBHOOK"
                | "PASSPHRASE"
        )
    })
}

/// The variable for the rule that found a secret.
fn of_rule(rule: &str, value: &str) -> Option<&'static str> {
    if rule == "secret-connection-string" {
        let scheme = value.split("://").next().unwrap_or("");
        let scheme = scheme.split('+').next().unwrap_or(scheme);
        return Some(match scheme {
            "postgres" | "postgresql" | "mysql" | "mariadb" | "mssql" | "sqlserver" => "DATABASE_URL",
            "mongodb" => "MONGODB_URI",
            "redis" | "rediss" => "REDIS_URL",
            "amqp" | "amqps" => "AMQP_URL",
            _ => return None,
        });
    }
    KNOWN.iter().find(|(id, _)| *id == rule).map(|(_, name)| *name)
}

/// The variable of the one provider that the file calls, for the key of an AI service whose form does not tell whose it is.
fn of_provider(site: &Site<'_>, path: &str) -> Option<&'static str> {
    if site.finding.check_id != "secret-ai-key" {
        return None;
    }
    let here = site.inventory.calls.iter().filter(|call| call.file == path);
    let mut providers = here.filter_map(|call| call.provider.as_deref());
    let first = providers.next()?;
    if providers.any(|other| other != first) {
        return None;
    }
    let rest = |id: &'static str| id.strip_prefix("secret-")?.strip_prefix(first);
    KNOWN
        .iter()
        .find(|(id, _)| matches!(rest(id), Some("-key" | "-token")))
        .map(|(_, name)| *name)
}

/// `openaiKey`, `x-api-key` and `OPENAI_KEY` in capitals with underscores.
pub(super) fn upper_snake(name: &str) -> String {
    let mut out = String::new();
    let mut before: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_alphanumeric() {
            let small_before = before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
            let end_of_capitals =
                before.is_some_and(|c| c.is_ascii_uppercase()) && chars.peek().is_some_and(char::is_ascii_lowercase);
            if c.is_ascii_uppercase() && (small_before || end_of_capitals) && !out.is_empty() {
                out.push('_');
            }
            out.push(c.to_ascii_uppercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        before = Some(c);
    }
    let out = out.trim_end_matches('_');
    // The words that many people write as one.
    out.replace("OPEN_AI", "OPENAI")
        .replace("GIT_HUB", "GITHUB")
        .replace("GIT_LAB", "GITLAB")
}

/// The key of a `.env` file at or above a file that has the value already.
fn in_environment_file(site: &Site<'_>, path: &str, value: &str) -> Option<String> {
    let mut here = folder(path);
    loop {
        for name in [".env", ".env.local"] {
            let Ok(code) = site.code(&below(here, name)) else {
                continue;
            };
            for line in code.text.lines() {
                let Some((key, found)) = assignment(line) else { continue };
                if found == value && is_variable(key) {
                    return Some(key.to_owned());
                }
            }
        }
        if here.is_empty() {
            return None;
        }
        here = folder(here);
    }
}

fn is_variable(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (key, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    Some((key.trim(), value.trim().trim_matches(['"', '\''])))
}

/// A variable that `.env` gives another value is used for something else.
pub(super) fn refuse_collision(site: &Site<'_>, path: &str, name: &str, value: &str) -> Result<(), NoFix> {
    let mut here = folder(path);
    loop {
        if let Ok(code) = site.code(&below(here, ".env")) {
            let taken = code.text.lines().filter_map(assignment).find(|(key, _)| *key == name);
            if let Some((_, known)) = taken
                && !known.is_empty()
                && known != value
            {
                return Err(NoFix::here(format!(
                    "`{name}` has another value in `{}`; choose which of the two secrets the code needs",
                    code.path
                )));
            }
        }
        if here.is_empty() {
            return Ok(());
        }
        here = folder(here);
    }
}
