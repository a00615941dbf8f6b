//! Secrets in code: read from the environment.

mod context;
mod imports;
mod naming;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use engine_model::{Language, Zone};

use crate::code::Code;
use crate::strategy::{Site, declare_strategy};
use crate::{Draft, NoFix};

use super::settings;
use context::{Literal, Spot, literal_at, literals_in_line, spot};

declare_strategy! {
    /// Reads a committed secret from an environment variable.
    ///
    /// The text is edited only where it is the secret and nothing else. The name of the variable comes from the code, from the SDK or from
    /// an existing `.env` file. The variable is listed in `.env.example`, and `.gitignore` excludes `.env`. Code for browsers is
    /// refused, since a key cannot stay secret there.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI(api_key="{{openai_key}}")
    /// ```
    /// After:
    /// ```text
    /// //- app.py
    /// import os
    ///
    /// from openai import OpenAI
    ///
    /// client = OpenAI(api_key=os.environ["OPENAI_API_KEY"])
    /// //- .env.example
    /// OPENAI_API_KEY=
    /// //- .gitignore
    /// .env
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- service/chat.py
    /// #!/usr/bin/env python
    /// """Answers questions."""
    /// from __future__ import annotations
    ///
    /// import json
    /// import sys
    ///
    /// from anthropic import AsyncAnthropic
    ///
    /// SESSION_SECRET = '{{random_token}}'
    ///
    ///
    /// class Chat:
    ///     async def answer(self, question: str) -> str:
    ///         client = AsyncAnthropic(
    ///             api_key='{{anthropic_key}}',  # the key of the team
    ///         )
    ///         return json.dumps({"question": question, "client": str(client)})
    /// //- service/requirements.txt
    /// anthropic==0.40.0
    /// //- service/.env.example
    /// LOG_LEVEL=info
    /// //- .gitignore
    /// __pycache__/
    /// .env
    /// ```
    /// After:
    /// ```text
    /// //- service/chat.py
    /// #!/usr/bin/env python
    /// """Answers questions."""
    /// from __future__ import annotations
    ///
    /// import json
    /// import os
    /// import sys
    ///
    /// from anthropic import AsyncAnthropic
    ///
    /// SESSION_SECRET = os.environ['SESSION_SECRET']
    ///
    ///
    /// class Chat:
    ///     async def answer(self, question: str) -> str:
    ///         client = AsyncAnthropic(
    ///             api_key=os.environ['ANTHROPIC_API_KEY'],  # the key of the team
    ///         )
    ///         return json.dumps({"question": question, "client": str(client)})
    /// //- service/.env.example
    /// LOG_LEVEL=info
    /// SESSION_SECRET=
    /// ANTHROPIC_API_KEY=
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// import os
    ///
    /// import openai
    ///
    /// openai.api_key = os.getenv("OPENAI_KEY", "{{openai_key}}")
    /// //- .env.example
    /// OPENAI_KEY=
    /// //- .gitignore
    /// .env*
    /// ```
    /// After:
    /// ```text
    /// //- app.py
    /// import os
    ///
    /// import openai
    ///
    /// openai.api_key = os.environ["OPENAI_KEY"]
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app/config.py
    /// from pydantic_settings import BaseSettings
    ///
    ///
    /// class Settings(BaseSettings):
    ///     log_level: str = "info"
    ///     sync_api_key: str = "{{random_token}}"  # shared with the worker
    /// //- .env.example
    /// # SYNC_API_KEY=
    /// //- .gitignore
    /// .env
    /// ```
    /// After:
    /// ```text
    /// //- app/config.py
    /// from pydantic_settings import BaseSettings
    ///
    ///
    /// class Settings(BaseSettings):
    ///     log_level: str = "info"
    ///     sync_api_key: str  # shared with the worker
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- server/chat.ts
    /// import Anthropic from "@anthropic-ai/sdk";
    /// import { createClient } from "redis";
    ///
    /// const client = new Anthropic({ apiKey: "{{anthropic_key}}" });
    /// const sessionSecret: string = '{{random_token}}';
    /// ```
    /// After:
    /// ```text
    /// //- server/chat.ts
    /// import Anthropic from "@anthropic-ai/sdk";
    /// import { createClient } from "redis";
    ///
    /// const client = new Anthropic({ apiKey: process.env.ANTHROPIC_API_KEY });
    /// const sessionSecret: string = process.env.SESSION_SECRET!;
    /// //- .env.example
    /// ANTHROPIC_API_KEY=
    /// SESSION_SECRET=
    /// //- .gitignore
    /// .env
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- index.js
    /// const OpenAI = require('openai');
    ///
    /// const openai = new OpenAI({ apiKey: process.env.OPENAI_API_KEY || '{{openai_key}}' });
    /// //- .gitignore
    /// node_modules
    /// ```
    /// After:
    /// ```text
    /// //- index.js
    /// const OpenAI = require('openai');
    ///
    /// const openai = new OpenAI({ apiKey: process.env.OPENAI_API_KEY });
    /// //- .gitignore
    /// node_modules
    /// .env
    /// //- .env.example
    /// OPENAI_API_KEY=
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- main.go
    /// package main
    ///
    /// import (
    /// 	"fmt"
    ///
    /// 	"github.com/sashabaranov/go-openai"
    /// )
    ///
    /// const apiKey = "{{openai_key}}"
    ///
    /// func main() {
    /// 	client := openai.NewClient(apiKey)
    /// 	fmt.Println(client)
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- main.go
    /// package main
    ///
    /// import (
    /// 	"fmt"
    /// 	"os"
    ///
    /// 	"github.com/sashabaranov/go-openai"
    /// )
    ///
    /// var apiKey = os.Getenv("OPENAI_API_KEY")
    ///
    /// func main() {
    /// 	client := openai.NewClient(apiKey)
    /// 	fmt.Println(client)
    /// }
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- src/main/java/eu/acme/Chat.java
    /// package eu.acme;
    ///
    /// public class Chat {
    ///     private static final String OPENAI_API_KEY = "{{openai_key}}";
    ///
    ///     String key() {
    ///         return OPENAI_API_KEY;
    ///     }
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- src/main/java/eu/acme/Chat.java
    /// package eu.acme;
    ///
    /// public class Chat {
    ///     private static final String OPENAI_API_KEY = System.getenv("OPENAI_API_KEY");
    ///
    ///     String key() {
    ///         return OPENAI_API_KEY;
    ///     }
    /// }
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- Chat.cs
    /// using System;
    ///
    /// namespace Acme;
    ///
    /// public class Chat
    /// {
    ///     private const string ApiKey = "{{openai_key}}";
    ///
    ///     public string Key() => ApiKey;
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- Chat.cs
    /// using System;
    ///
    /// namespace Acme;
    ///
    /// public class Chat
    /// {
    ///     private static readonly string ApiKey = Environment.GetEnvironmentVariable("OPENAI_API_KEY") ?? throw new InvalidOperationException("OPENAI_API_KEY is not set");
    ///
    ///     public string Key() => ApiKey;
    /// }
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- chat.php
    /// <?php
    /// $apiKey = '{{openai_key}}';
    /// $client = OpenAI::client($apiKey);
    /// //- .gitignore
    /// .env
    /// ```
    /// After:
    /// ```text
    /// //- chat.php
    /// <?php
    /// $apiKey = getenv('OPENAI_API_KEY');
    /// $client = OpenAI::client($apiKey);
    /// //- .env.example
    /// OPENAI_API_KEY=
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- chat.rb
    /// require "openai"
    ///
    /// client = OpenAI::Client.new(access_token: "{{openai_key}}")
    /// //- .gitignore
    /// .env
    /// ```
    /// After:
    /// ```text
    /// //- chat.rb
    /// require "openai"
    ///
    /// client = OpenAI::Client.new(access_token: ENV.fetch("OPENAI_API_KEY"))
    /// //- .env.example
    /// OPENAI_API_KEY=
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- src/main/kotlin/Chat.kt
    /// package eu.acme
    ///
    /// private const val OPENAI_API_KEY = "{{openai_key}}"
    ///
    /// fun key(): String = OPENAI_API_KEY
    /// ```
    /// After:
    /// ```text
    /// //- src/main/kotlin/Chat.kt
    /// package eu.acme
    ///
    /// private val OPENAI_API_KEY = System.getenv("OPENAI_API_KEY")
    ///
    /// fun key(): String = OPENAI_API_KEY
    /// ```
    SECRET_TO_ENVIRONMENT {
        id: "secret-to-environment",
        checks: [
            "secret-ai-key", "secret-cloud-key", "secret-service-token", "secret-source-host-token", "secret-connection-string",
            "secret-generic-assignment",
        ],
        kind: Code,
        languages: [],
        plan: plan,
    }
}

/// Files in which a secret is replaced at most.
const SPOTS_MAX: usize = 24;

fn plan(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let file = site.finding.file.as_deref().ok_or(NoFix::NoPlace)?;
    let (line, column) = site.place()?;
    let first_code = editable(site, file, line)?;
    let first = literal_at(&first_code, line, column, &site.finding.check_id)?;
    let value = first.content(&first_code).to_owned();

    // Every place of the finding, each with its literal.
    let mut spots: Vec<Spot> = vec![spot(&first_code, &first)?];
    for evidence in &site.finding.evidence {
        let (Some(path), Some(at)) = (evidence.file.as_deref(), evidence.line) else {
            continue;
        };
        // A file of environment values is where the secret may stay.
        if is_environment_file(path) {
            continue;
        }
        let code = editable(site, path, at)?;
        let here = literals_in_line(&code, at);
        let same: Vec<&Literal> = here.iter().filter(|literal| literal.content(&code) == value).collect();
        let literals = if same.is_empty() {
            here.iter()
                .filter(|literal| looks_like_a_secret(literal.content(&code)))
                .collect()
        } else {
            same
        };
        if literals.is_empty() || (literals.len() > 1 && literals.iter().any(|literal| literal.content(&code) != value))
        {
            return Err(NoFix::here(format!(
                "the secret at {path}:{at} is only part of a string; remove it by hand"
            )));
        }
        for literal in literals {
            let there = |known: &Spot| known.code.path == *path && known.literal == literal.range;
            if !spots.iter().any(there) {
                spots.push(spot(&code, literal)?);
            }
        }
    }
    if spots.len() > SPOTS_MAX {
        return Err(NoFix::here("the secrets are in too many places; move them by hand"));
    }

    // One variable for each value.
    let rule = site
        .finding
        .evidence
        .first()
        .map_or("", |evidence| evidence.reference.as_str());
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for spot in &spots {
        if let Some(given) = &spot.given {
            names.entry(spot.value.clone()).or_insert_with(|| given.clone());
        }
    }
    for spot in &spots {
        if !names.contains_key(&spot.value) {
            let name = naming::name(site, spot, rule)?;
            names.insert(spot.value.clone(), name);
        }
    }
    let mut taken: Vec<&String> = names.values().collect();
    taken.sort();
    if taken.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(NoFix::here(
            "two secrets would get the same variable; give them different names",
        ));
    }
    for spot in &spots {
        let name = names.get(&spot.value).ok_or(NoFix::NoPlace)?;
        if let Some(given) = spot.given.as_ref().filter(|given| *given != name) {
            return Err(NoFix::here(format!(
                "the same secret has two variables, `{name}` and `{given}`"
            )));
        }
        naming::refuse_collision(site, &spot.code.path, name, &spot.value)?;
        spot.edit(site, name, draft)?;
    }

    let shown: Vec<String> = names.values().map(|name| format!("`{name}`")).collect();
    let shown = shown.join(" and ");
    let of = if names.len() == 1 {
        "secret from the environment variable"
    } else {
        "secrets from the environment variables"
    };
    draft.describe(format!("Read the {of} {shown}."));
    draft.manual("Revoke the secret where it was issued and create a new one: the old one stays in the Git history.");
    draft.manual(format!(
        "Set {shown} wherever the program runs: on this machine, in the pipeline and at the host."
    ));
    if spots.iter().any(Spot::is_lenient) {
        draft.manual(format!("Let the program stop with a clear message where {shown} is missing: an empty value must never count as a match."));
    }
    let listed: Vec<&str> = names.values().map(String::as_str).collect();
    list_names(site, &first_code, &listed, draft)
}

/// A file of code whose literals are known, in the product.
fn editable(site: &Site<'_>, path: &str, line: u32) -> Result<Rc<Code>, NoFix> {
    let code = site.code(path)?;
    let by_hand = |why: &str| Err(NoFix::here(format!("{why} ({path}:{line})")));
    match code.zone {
        Zone::Product => {}
        _ => return by_hand("the secret is outside the code of the product; remove it there by hand"),
    }
    match code.language {
        Language::Python
        | Language::Go
        | Language::Java
        | Language::Kotlin
        | Language::CSharp
        | Language::Php
        | Language::Ruby => {}
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            if context::runs_in_browser(site, &code) {
                return by_hand(
                    "this code runs in the browser, where no key stays secret: call the service from a server",
                );
            }
        }
        Language::Other if is_environment_file(path) => {
            return by_hand(
                "the file contains the values of one machine: take it out of version control, and replace the secret",
            );
        }
        Language::Yaml | Language::Json | Language::Toml | Language::Xml | Language::Other => {
            return by_hand(
                "settings are not edited: replace the value by a reference to the environment or to a vault",
            );
        }
        Language::Markup | Language::Html | Language::Notebook | Language::Shell | Language::Rust => {
            return by_hand("the secret is in a file that is not edited; remove it by hand");
        }
    }
    Ok(code)
}

/// Whether a text has the form of a key: long, in one piece, with letters and digits.
fn looks_like_a_secret(text: &str) -> bool {
    text.len() >= 12
        && !text.contains(char::is_whitespace)
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(|c: char| c.is_ascii_alphabetic())
}

fn is_environment_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == ".env" || name.starts_with(".env.") || name.rsplit('.').next() == Some("env")
}

/// Names of files that list the variables of a project.
const SAMPLES: [&str; 8] = [
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    "env.example",
    "example.env",
    "sample.env",
    ".env-example",
];

/// Lists the variables in the sample of the environment, and keeps `.env` out of version control.
fn list_names(site: &Site<'_>, code: &Code, names: &[&str], draft: &mut Draft) -> Result<(), NoFix> {
    let mut here = folder(&code.path);
    let sample = loop {
        let found = SAMPLES.iter().map(|name| below(here, name)).find(|path| site.has(path));
        if found.is_some() || here.is_empty() {
            break found;
        }
        here = folder(here);
    };
    // Programs of these languages are started with variables, and seldom with a file of them.
    let by_file = matches!(
        code.language,
        Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Php | Language::Ruby
    );
    let base = match &sample {
        Some(path) => {
            let sample = site.code(path)?;
            let known = |name: &&str| {
                sample.text.lines().any(|line| {
                    let line = line.trim_start_matches(['#', ' ']).trim_start_matches("export ");
                    line.split('=').next().is_some_and(|key| key.trim() == *name) && line.contains('=')
                })
            };
            let missing: Vec<&str> = names.iter().copied().filter(|name| !known(name)).collect();
            let mut text = lines(&missing);
            if !text.is_empty() {
                if !sample.text.is_empty() && !sample.text.ends_with('\n') {
                    text.insert(0, '\n');
                }
                draft.insert(&sample, sample.text.len(), &text);
            }
            folder(path).to_owned()
        }
        None if by_file => {
            let base = base_folder(site, &code.path);
            draft.create(below(&base, ".env.example"), lines(names));
            base
        }
        None => return Ok(()),
    };
    match settings::ignore(site, draft, &[&below(&base, ".env")]) {
        Ok(_) => {}
        Err(_) => draft.manual("Check that version control ignores `.env`."),
    }
    Ok(())
}

/// Variables without values, one a line.
fn lines(names: &[&str]) -> String {
    names.iter().fold(String::new(), |text, name| text + name + "=\n")
}

/// The nearest folder of a file with a manifest, else the root.
fn base_folder(site: &Site<'_>, path: &str) -> String {
    const MANIFESTS: [&str; 7] = [
        "package.json",
        "requirements.txt",
        "pyproject.toml",
        "Pipfile",
        "setup.py",
        "composer.json",
        "Gemfile",
    ];
    let mut here = folder(path);
    while !here.is_empty() {
        if MANIFESTS.iter().any(|name| site.has(&below(here, name))) {
            break;
        }
        here = folder(here);
    }
    here.to_owned()
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
