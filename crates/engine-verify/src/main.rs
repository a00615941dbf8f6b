//! `engine-verify PACKAGE.tar.gz`: checks an audit package offline and says what it found.

#![expect(clippy::disallowed_methods, reason = "the files are given on the command line")]

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::process::ExitCode;

use engine_signing::PublicKey;
use engine_verify::{Options, Outcome, verify};

const USAGE: &str = "\
engine-verify PACKAGE.tar.gz [--pin KEY]... [--head FILE]... [--format text|json]

Verifies an audit package of the Local Compliance Engine offline.
It checks digests, signatures, the evidence chain and its heads, documents and passports, and recomputes the score.
It needs only the package and opens no network connection.

  --pin KEY      public key that you compared with its owner: base64, hexadecimal, or the path of a PEM file
  --head FILE    head of this chain that you saved at an earlier audit (evidence/head.note)
  --format FORM  output as text (default) or json
  -V, --version  print the versions of the verifier and of the rules

Exit codes: 0 no fault found, 1 fault found, 2 package or arguments could not be read.
";

/// Bytes of a key or a head on the disk.
const SMALL_BYTES_MAX: u64 = 64 * 1024;

/// What the command line asks for.
struct Asked {
    package: String,
    json: bool,
    options: Options,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if arguments
        .iter()
        .any(|argument| argument == "-h" || argument == "--help")
    {
        return say(USAGE, ExitCode::SUCCESS);
    }
    if arguments
        .iter()
        .any(|argument| argument == "-V" || argument == "--version")
    {
        let rules = &engine_regulation::regulation().version().id;
        let text = format!("engine-verify {} (regulation {rules})\n", env!("CARGO_PKG_VERSION"));
        return say(&text, ExitCode::SUCCESS);
    }
    match asked(&arguments).and_then(|asked| Ok((checked(&asked)?, asked.json))) {
        Ok((outcome, json)) => {
            let code = ExitCode::from(u8::from(!outcome.valid));
            if json {
                match serde_json::to_string_pretty(&outcome) {
                    Ok(text) => say(&(text + "\n"), code),
                    Err(error) => fail(&error.to_string()),
                }
            } else {
                say(&outcome.text(), code)
            }
        }
        Err(why) => fail(&why),
    }
}

fn asked(arguments: &[String]) -> Result<Asked, String> {
    let mut package = None;
    let mut json = false;
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || {
            rest.next()
                .ok_or_else(|| format!("{argument} needs a value\n\n{USAGE}"))
        };
        match argument.as_str() {
            "--pin" => options.pins.push(pin(value()?)?),
            "--head" => {
                let path = value()?;
                options.heads.push(small(path)?);
            }
            "--format" => {
                json = match value()?.as_str() {
                    "json" => true,
                    "text" => false,
                    other => return Err(format!("unknown format `{other}`; use text or json")),
                }
            }
            path if package.is_none() && !path.starts_with("--") => package = Some(path.to_owned()),
            other => return Err(format!("unexpected argument `{other}`\n\n{USAGE}")),
        }
    }
    Ok(Asked {
        package: package.ok_or_else(|| format!("give the path of the package\n\n{USAGE}"))?,
        json,
        options,
    })
}

fn pin(text: &str) -> Result<PublicKey, String> {
    PublicKey::parse(text).or_else(|_| {
        let pem = small(text).map_err(|_| format!("`{text}` is neither a public key nor a readable PEM file"))?;
        PublicKey::parse(&pem).map_err(|error| format!("no public key found in `{text}`: {error}"))
    })
}

fn small(path: &str) -> Result<String, String> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(SMALL_BYTES_MAX).read_to_string(&mut text))
        .map_err(|error| format!("cannot read `{path}`: {error}"))?;
    Ok(text)
}

fn checked(asked: &Asked) -> Result<Outcome, String> {
    let path = &asked.package;
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(format!("`{path}` is not a file; give the path of a .tar.gz package"));
    }
    verify(&mut || File::open(path), &asked.options).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|source| format!(": {source}"));
        format!("`{path}`: {error}{}", cause.unwrap_or_default())
    })
}

fn say(text: &str, code: ExitCode) -> ExitCode {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(&error.to_string()),
        _ => code,
    }
}

fn fail(why: &str) -> ExitCode {
    // Nothing can be told to who does not listen.
    let _ = writeln!(io::stderr().lock(), "engine-verify: {why}");
    ExitCode::from(2)
}
