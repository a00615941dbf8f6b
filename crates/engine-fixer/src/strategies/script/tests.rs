//! Fixes in JavaScript and TypeScript, form by form.

use std::cell::RefCell;

use engine_model::{Date, Finding, FindingType, MemoryTree, SourceText, fixture};
use engine_scanner::{Evaluation, Settings, StatedClass, scan_memory};

use crate::{Draft, FixInput, NoFix, Plan, Site, Strategy, plan};

const FAILURE: &str = "l4-unhandled-model-failure";
const LOG: &str = "l4-unlogged-model-call";
const DISCLOSURE: &str = "l4-undisclosed-interaction";
const SHELL: &str = "l4-answer-reaches-shell";
const MARK: &str = "l4-unmarked-synthetic-content";

fn today() -> Date {
    Date::constant(2026, 11, 20)
}

fn scan(tree: &MemoryTree) -> Evaluation {
    let settings = Settings {
        risk_class: Some(StatedClass::High),
        ..Settings::on(today())
    };
    scan_memory(tree, &settings)
}

fn open<'e>(evaluation: &'e Evaluation, check: &str) -> Vec<&'e Finding> {
    let all = evaluation.findings.iter();
    all.filter(|finding| finding.check_id == check && finding.kind != FindingType::Pass)
        .collect()
}

/// The plan for the only open finding of a check.
fn planned(tree: &MemoryTree, check: &str) -> Result<Plan, NoFix> {
    let evaluation = scan(tree);
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let found = open(&evaluation, check);
    assert_eq!(found.len(), 1, "{check} is reported once");
    plan(FixInput {
        finding: found[0],
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: today(),
        paths: &paths,
        source: tree,
        documents: &crate::tests::NoDrafts,
    })
}

/// The tree with the fix for a check, after which nothing is open for it.
fn applied(text: &str, check: &str) -> (MemoryTree, Plan) {
    let mut tree = fixture(text).unwrap();
    let plan = planned(&tree, check).unwrap_or_else(|error| panic!("{error} for:\n{text}"));
    for change in &plan.files {
        let before = tree.file(&change.path).unwrap().bytes.into_owned();
        tree.insert(change.path.clone(), change.apply(&before).unwrap());
    }
    let left = scan(&tree);
    assert!(
        open(&left, check).is_empty(),
        "{check} is still open for:\n{}",
        shown(&tree)
    );
    (tree, plan)
}

fn shown(tree: &MemoryTree) -> String {
    let files = tree.files();
    let texts: Vec<String> = files
        .map(|file| format!("//- {}\n{}", file.path, String::from_utf8_lossy(&file.bytes)))
        .collect();
    texts.concat()
}

/// The files with the fix for a check, as one text.
fn fixed(text: &str, check: &str) -> String {
    shown(&applied(text, check).0)
}

/// Why there is no fix for a check.
fn refused(text: &str, check: &str) -> String {
    match planned(&fixture(text).unwrap(), check) {
        Ok(plan) => panic!("{} plans something for:\n{text}", plan.strategy),
        Err(error) => error.to_string(),
    }
}

/// Why a strategy has no fix for the finding of its check, whatever other strategies say.
fn reason(strategy: &Strategy, text: &str) -> String {
    let tree = fixture(text).unwrap();
    let evaluation = scan(&tree);
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let site = Site {
        finding: open(&evaluation, strategy.checks[0])[0],
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: today(),
        paths: &paths,
        source: &tree,
        documents: &crate::tests::NoDrafts,
        read: RefCell::default(),
    };
    (strategy.plan)(&site, &mut Draft::default()).unwrap_err().to_string()
}

/// A service of Express with the body of its handler.
fn service(path: &str, imports: &str, body: &str) -> String {
    format!(
        "//- {path}\nimport express from \"express\";\n{imports}\nconst app = express();\n\n\
         app.post(\"/rank\", async (req, res) => {{\n{body}}});\n"
    )
}

const OPENAI: &str = "import OpenAI from \"openai\";\n\nconst client = new OpenAI();";

#[track_caller]
fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

mod failures {
    use super::*;

    #[test]
    fn chain_of_promises_ends_with_handler() {
        let text = service(
            "app.js",
            OPENAI,
            "  client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text })\n    .then(answer => res.json({ reply: answer.output_text }));\n",
        );
        assert_has(
            &fixed(&text, FAILURE),
            "    .then(answer => res.json({ reply: answer.output_text }))\n    .catch(error => {\n      console.error(\"Model call failed:\", error);\n      throw error;\n    });\n",
        );
    }

    #[test]
    fn returned_promise_of_async_function_is_handled() {
        let text = "//- ask.ts\nimport OpenAI from 'openai';\n\nconst client = new OpenAI();\n\n\
                    export const ask = async (input: string) => client.responses.create({ model: 'gpt-4.1-2025-04-14', input });\n\
                    //- app.ts\nimport express from 'express';\nimport { ask } from './ask';\n\nconst app = express();\n\
                    app.post('/rank', async (req, res) => {\n  const answer = await ask(req.body.text);\n  res.json({ reply: answer.output_text });\n});\n";
        assert_has(
            &fixed(text, FAILURE),
            "client.responses\n  .create({ model: 'gpt-4.1-2025-04-14', input })\n  .catch((error: unknown) => {\n    console.error('Model call failed:', error);\n    throw error;\n  });\n",
        );
    }

    #[test]
    fn all_calls_of_the_finding_are_handled() {
        let text = service(
            "app.ts",
            OPENAI,
            "  const [first, second] = await Promise.all([\n    client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: \"a\" }),\n    client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text }),\n  ]);\n  res.json({ first: first.output_text, second: second.output_text });\n",
        );
        assert_eq!(fixed(&text, FAILURE).matches(".catch((error: unknown) => {").count(), 2);
    }

    #[test]
    fn promises_of_a_map_are_handled() {
        let text = service(
            "app.ts",
            OPENAI,
            "  const all = await Promise.all(\n    req.body.texts.map((input: string) =>\n      client.responses.create({\n        model: \"gpt-4.1-2025-04-14\",\n        input,\n      }),\n    ),\n  );\n  res.json({ all: all.map((one) => one.output_text) });\n",
        );
        assert_has(
            &fixed(&text, FAILURE),
            "        input,\n      }).catch((error: unknown) => {\n        console.error(\"Model call failed:\", error);\n        throw error;\n      }),\n",
        );
    }

    #[test]
    fn one_fixable_call_leaves_the_other_to_a_person() {
        let text = service(
            "app.ts",
            &format!(
                "{OPENAI}\n\nexport function later(input: string) {{\n  return client.responses.create({{ model: \"gpt-4.1-2025-04-14\", input }});\n}}\n"
            ),
            "  const answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: \"a\" });\n  const other = await later(req.body.text);\n  res.json({ reply: answer.output_text + other.output_text });\n",
        );
        let tree = fixture(&text).unwrap();
        // The one that comes first is reported; it is left to a person, and with it the finding.
        assert_has(&planned(&tree, FAILURE).unwrap_err().to_string(), "does not wait");
    }

    #[test]
    fn streams_and_unawaited_calls_are_refused() {
        let anthropic = "import Anthropic from \"@anthropic-ai/sdk\";\n\nconst anthropic = new Anthropic();";
        let options = "{ model: \"claude-sonnet-4-20250514\", max_tokens: 9, messages: req.body.messages }";
        let stream = format!(
            "  const stream = await anthropic.messages.stream({options});\n  const message = await stream.finalMessage();\n  res.json({{ reply: message.content }});\n"
        );
        assert_has(&refused(&service("app.js", anthropic, &stream), FAILURE), "stream");
        let kept = format!(
            "  const waiting = anthropic.messages.create({options});\n  const message = await waiting;\n  res.json({{ reply: message.content }});\n"
        );
        assert_has(&refused(&service("app.js", anthropic, &kept), FAILURE), "does not wait");
        let chained = format!(
            "  const reply = await anthropic.messages.create({options}).toReply();\n  res.json({{ reply }});\n"
        );
        assert_has(&refused(&service("app.js", anthropic, &chained), FAILURE), "chained");
    }

    #[test]
    fn stream_of_sdk_needs_a_version_with_listener() {
        let sdk = "import { streamText } from \"ai\";\nimport { openai } from \"@ai-sdk/openai\";\n";
        let body = "  const result = streamText({ model: openai(\"gpt-4.1-2025-04-14\"), messages: req.body.messages });\n  for await (const part of result.textStream) {\n    res.write(part);\n  }\n  res.end();\n";
        let app = service("app.mjs", sdk, body);
        let with = |version: &str| {
            format!(
                "//- package.json\n{{ \"dependencies\": {{ \"ai\": \"{version}\", \"express\": \"5.1.0\" }} }}\n{app}"
            )
        };
        assert_has(&refused(&with("4.1.0"), FAILURE), "4.2");
        assert_has(
            &fixed(&with("^5.0.0"), FAILURE),
            "messages: req.body.messages, onError({ error }) { console.error(\"Model call failed:\", error); } });\n",
        );
    }

    #[test]
    fn status_that_is_checked_is_not_logged_again() {
        let request = "fetch(\"https://api.openai.com/v1/responses\", { method: \"POST\", body: JSON.stringify({ model: \"gpt-4.1-2025-04-14\", input: req.body.text }) })";
        let checked = format!(
            "  const response = await {request};\n  if (!response.ok) throw new Error(response.statusText);\n  const data = await response.json();\n  res.json({{ reply: data.output_text }});\n"
        );
        let after = fixed(&service("app.js", "", &checked), FAILURE);
        assert_has(&after, ".catch((error) => {");
        assert!(!after.contains("with status"), "{after}");
        let blind =
            format!("  const data = await (await {request}).json();\n  res.json({{ reply: data.output_text }});\n");
        assert_has(&refused(&service("app.js", "", &blind), FAILURE), "status");
    }

    #[test]
    fn loggers_are_called_as_their_library_wants_it() {
        let body = "  const answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text });\n  res.json({ reply: answer.output_text });\n";
        for (made, line) in [
            (
                "import pino from \"pino\";\nconst log = pino();",
                "log.error({ err: error }, \"Model call failed\");",
            ),
            (
                "import winston from \"winston\";\nconst logger = winston.createLogger({});",
                "logger.error(\"Model call failed\", error);",
            ),
            (
                "import { createLogger } from \"winston\";\nconst logger = createLogger({});",
                "logger.error(\"Model call failed\", error);",
            ),
            (
                "import { consola } from \"consola\";",
                "consola.error(\"Model call failed\", error);",
            ),
            (
                "import log4js from \"log4js\";\nconst logger = log4js.getLogger();",
                "logger.error(\"Model call failed\", error);",
            ),
            (
                "import { logger } from \"./own\";\nexport const f = () => logger.info(\"started\");",
                "logger.error(`Model call failed: ${String(error)}`);",
            ),
            (
                "import { logger } from \"./own\";\nexport const f = () => { try { g(); } catch (e) { logger.error(\"no\", e); } };",
                "logger.error(\"Model call failed\", error);",
            ),
            (
                "import { logger } from \"./own\";\nexport const f = () => { try { g(); } catch (error) { logger.error(\"no\", { error }); } };",
                "logger.error(\"Model call failed\", { error });",
            ),
            (
                "import { logger } from \"./own\";\nexport const f = (id) => logger.info({ id }, \"started\");",
                "logger.error({ err: error }, \"Model call failed\");",
            ),
            // Another thing of the same name, and one that is not to be seen from the call.
            (
                "export function f(logger) { logger.info(\"a\"); }",
                "console.error(\"Model call failed:\", error);",
            ),
            (
                "import { catalog } from \"./own\";\ncatalog.info(\"a\");",
                "console.error(\"Model call failed:\", error);",
            ),
        ] {
            let imports = format!("{OPENAI}\n{made}");
            assert_has(&fixed(&service("app.js", &imports, body), FAILURE), line);
        }
    }

    #[test]
    fn logger_field_of_class_is_used() {
        let text = "//- src/app.controller.ts\nimport { Body, Controller, Logger, Post } from '@nestjs/common';\nimport OpenAI from 'openai';\n\n\
                    @Controller()\nexport class AppController {\n  private readonly logger = new Logger(AppController.name);\n  private readonly openai = new OpenAI();\n\n\
                    \x20 @Post('rank')\n  async rank(@Body() body: { text: string }) {\n    const answer = await this.openai.responses.create({ model: 'gpt-4.1-2025-04-14', input: body.text });\n    return { rank: answer.output_text };\n  }\n}\n";
        assert_has(
            &fixed(text, FAILURE),
            "this.logger.error(`Model call failed: ${String(error)}`);",
        );
        assert_has(
            &fixed(text, LOG),
            "    this.logger.log(`Model call completed: model=${answer.model} responseId=${answer.id} usage=${JSON.stringify(answer.usage)}`);\n",
        );
        let injected = text
            .replace(
                "import { Body, Controller, Logger, Post } from '@nestjs/common';",
                "import { Body, Controller, Post } from '@nestjs/common';\nimport { PinoLogger } from 'nestjs-pino';",
            )
            .replace(
                "private readonly logger = new Logger(AppController.name);",
                "constructor(private readonly logger: PinoLogger) {}",
            );
        assert_has(
            &fixed(&injected, FAILURE),
            "this.logger.error({ err: error }, 'Model call failed');",
        );
    }

    #[test]
    fn browser_code_gets_no_logger_of_the_server() {
        let text = "//- src/lib/logger.ts\nimport pino from \"pino\";\n\nexport const logger = pino();\n\
                    //- src/server.ts\nimport { logger } from \"./lib/logger\";\n\nlogger.info(\"start\");\n\
                    //- src/Chat.tsx\n\"use client\";\n\nimport { useState } from \"react\";\nimport OpenAI from \"openai\";\n\n\
                    const client = new OpenAI({ dangerouslyAllowBrowser: true });\n\nexport function Chat() {\n  const [reply, setReply] = useState(\"\");\n\
                    \x20 async function ask(input: string) {\n    const answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input });\n    setReply(answer.output_text);\n  }\n\
                    \x20 return <form onSubmit={(event) => ask(event.currentTarget.question.value)}><input name=\"question\" /><p>{reply}</p></form>;\n}\n";
        let after = fixed(text, FAILURE);
        assert_has(&after, "    console.error(\"Model call failed:\", error);");
        assert_eq!(after.matches("lib/logger\"").count(), 1);
    }

    #[test]
    fn tabs_and_carriage_returns_are_kept() {
        let text = service(
            "app.js",
            OPENAI,
            "\tconst answer = await client.responses.create({\n\t\tmodel: \"gpt-4.1-2025-04-14\",\n\t\tinput: req.body.text,\n\t});\n\tres.json({ reply: answer.output_text });\n",
        );
        let mut tree = MemoryTree::default();
        let unix = fixture(&text).unwrap();
        let bytes = unix.file("app.js").unwrap().bytes.into_owned();
        tree.insert("app.js", String::from_utf8(bytes).unwrap().replace('\n', "\r\n"));
        let plan = planned(&tree, FAILURE).unwrap();
        let after = plan.files[0].apply(&tree.file("app.js").unwrap().bytes).unwrap();
        let after = String::from_utf8(after).unwrap();
        assert_has(
            &after,
            "\t}).catch((error) => {\r\n\t\tconsole.error(\"Model call failed:\", error);\r\n\t\tthrow error;\r\n\t});\r\n",
        );
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
    }
}

mod log_lines {
    use super::*;

    const LOGGER: &str = "import pino from \"pino\";\nimport OpenAI from \"openai\";\n\nconst log = pino();\nconst client = new OpenAI();";

    #[test]
    fn project_without_logger_is_left_to_a_person() {
        let body = "  const answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text });\n  res.json({ reply: answer.output_text });\n";
        assert_has(&refused(&service("app.js", OPENAI, body), LOG), "which logging library");
        let manifest = "//- package.json\n{ \"dependencies\": { \"winston\": \"3.17.0\" } }\n";
        assert_has(
            &refused(&format!("{manifest}{}", service("app.js", OPENAI, body)), LOG),
            "`winston`",
        );
    }

    #[test]
    fn line_names_only_what_is_known() {
        for (statement, line) in [
            (
                "const answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text });\n  const text = answer.output_text;",
                "log.info(\n    { model: answer.model, responseId: answer.id, usage: answer.usage },\n    \"Model call completed\"\n  );",
            ),
            (
                "const answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text, stream: true });\n  const text = answer.output_text;",
                "log.info({ model: \"gpt-4.1-2025-04-14\" }, \"Model call completed\");",
            ),
            (
                "const text = (await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text })).output_text;",
                "log.info({ model: \"gpt-4.1-2025-04-14\" }, \"Model call completed\");",
            ),
            (
                "const { output_text: text } = await client.responses.create({ model: process.env.MODEL, input: req.body.text }); // the rank",
                "// the rank\n  log.info({ model: process.env.MODEL }, \"Model call completed\");",
            ),
            (
                "const answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text }).catch((error) => {\n    throw error;\n  });\n  const text = answer.output_text;",
                "usage: answer.usage",
            ),
            (
                "let answer: Answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text });\n  const text = answer.output_text;",
                "log.info({ model: \"gpt-4.1-2025-04-14\" }, \"Model call completed\");",
            ),
            (
                "const answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text }).catch(() => null);\n  const text = answer?.output_text;",
                "log.info({ model: \"gpt-4.1-2025-04-14\" }, \"Model call completed\");",
            ),
        ] {
            let text = service("app.ts", LOGGER, &format!("  {statement}\n  res.json({{ text }});\n"));
            let after = fixed(&text, LOG);
            assert_has(&after, line);
            assert_eq!(after.matches("req.body.text").count(), 1, "{after}");
        }
    }

    #[test]
    fn calls_that_may_not_run_are_refused() {
        for statement in [
            "const answer = req.body.text ? await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text }) : null;",
            "const answer = req.body.text && (await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text }));",
            "let answer; if (req.body.text) answer = await client.responses.create({ model: \"gpt-4.1-2025-04-14\", input: req.body.text });",
            "const answer = await client.responses.create(req.body.options);",
            "const answer = await client.responses.create({ ...req.body.options });",
        ] {
            let text = service(
                "app.js",
                LOGGER,
                &format!("  {statement}\n  res.json({{ text: answer.text }});\n"),
            );
            refused(&text, LOG);
        }
    }

    #[test]
    fn request_by_hand_is_logged_with_model_and_status() {
        let imports = "import pino from \"pino\";\nconst log = pino();\nconst MODEL = \"gpt-4.1-2025-04-14\";";
        let body = |model: &str| {
            format!(
                "  const response = await fetch(\"https://api.openai.com/v1/responses\", {{\n    method: \"POST\",\n    body: JSON.stringify({{ {model}, input: req.body.text }}),\n  }});\n  const data = await response.json();\n  res.json({{ reply: data.output_text }});\n"
            )
        };
        assert_has(
            &fixed(&service("app.js", imports, &body("model: MODEL")), LOG),
            "  log.info({ model: MODEL, status: response.status }, \"Model call completed\");\n",
        );
        refused(&service("app.js", imports, &body("model: choose()")), LOG);
    }

    #[test]
    fn returned_call_is_kept_first() {
        let text = "//- ask.ts\nimport OpenAI from 'openai'\nimport winston from 'winston'\n\nconst client = new OpenAI()\nexport const logger = winston.createLogger({})\n\n\
                    export async function ask(input: string) {\n  return await client.responses.create({ model: 'gpt-4.1-2025-04-14', input })\n}\n\
                    //- app.ts\nimport express from 'express'\nimport { ask } from './ask'\n\nconst app = express()\n\
                    app.post('/rank', async (req, res) => {\n  const answer = await ask(req.body.text)\n  res.json({ reply: answer.output_text })\n})\n";
        assert_has(
            &fixed(text, LOG),
            "  const response = await client.responses.create({ model: 'gpt-4.1-2025-04-14', input })\n  logger.info('Model call completed', {\n    model: response.model,\n    responseId: response.id,\n    usage: response.usage,\n  })\n  return response\n}\n",
        );
        let taken = text
            .replace("input: string", "response: string")
            .replace("14', input }", "14', input: response }");
        assert_has(&fixed(&taken, LOG), "return modelResponse\n");
        let inside = text
            .replace("return await client", "return wrap(1, await client")
            .replace(", input })", ", input }))");
        assert_has(&refused(&inside, LOG), "evaluated before");
    }

    #[test]
    fn shared_logger_is_imported_once_and_as_others_do() {
        let app = |specifier: &str, name: &str| {
            format!(
                "//- src/lib/logger.ts\nimport pino from \"pino\";\n\nconst logger = pino();\n\nexport default logger;\n\
                 //- src/main.ts\nimport express from \"express\";\nimport {name} from \"{specifier}\";\nimport {{ rank }} from \"./rank/rank\";\n\n\
                 const app = express();\napp.post(\"/rank\", async (req, res) => {{\n  res.json({{ rank: await rank(req.body.text) }});\n}});\napp.listen(1, () => {name}.info(\"on\"));\n\
                 //- src/rank/rank.ts\n// Ranks.\nimport OpenAI from \"openai\";\n\nconst client = new OpenAI();\n\n\
                 export async function rank(input: string) {{\n  const one = await client.responses.create({{ model: \"gpt-4.1-2025-04-14\", input }});\n  const two = await client.responses.create({{ model: \"gpt-4.1-2025-04-14\", input: one.output_text }});\n  return two.output_text;\n}}\n"
            )
        };
        let after = fixed(&app("./lib/logger.js", "logger"), LOG);
        assert_has(
            &after,
            "import OpenAI from \"openai\";\nimport logger from \"../lib/logger.js\";\n\nconst client",
        );
        assert_eq!(after.matches("import logger from").count(), 2);
        // The answer of the first call goes to the second one only, so the finding does not count it.
        assert_eq!(after.matches("logger.info(").count(), 2);
        assert_has(
            &fixed(&app("@/lib/logger", "log"), LOG),
            "import log from \"@/lib/logger\";\n\nconst client",
        );
        // The name is taken.
        assert_has(&refused(&app("./lib/logger", "input"), LOG), "no logger");
    }
}

mod greetings {
    use super::*;

    /// A bot of telegraf with a greeting.
    fn bot(greeting: &str) -> String {
        format!(
            "//- bot.js\nconst {{ Telegraf }} = require('telegraf');\nconst OpenAI = require('openai');\n\nconst bot = new Telegraf(process.env.TOKEN);\nconst client = new OpenAI();\n\n\
             {greeting}\nbot.on('text', async (ctx) => {{\n  const answer = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: ctx.message.text }});\n  await ctx.reply(answer.output_text);\n}});\nbot.launch();\n"
        )
    }

    #[test]
    fn sentence_follows_the_greeting_in_its_language() {
        for (greeting, after) in [
            ("'Welcome'", "'Welcome. You are chatting with an AI assistant.'"),
            (
                "`Hi ${ctx.from.first_name}`",
                "`Hi ${ctx.from.first_name}. You are chatting with an AI assistant.`",
            ),
            (
                "'Hi! Pick a topic:'",
                "'You are chatting with an AI assistant. Hi! Pick a topic:'",
            ),
            (
                "\"Hello!\\n\\nSend /help for help\\n\"",
                "\"Hello!\\n\\nSend /help for help\\n\\nYou are chatting with an AI assistant.\\n\"",
            ),
            (
                "'Hi ' + ctx.from.first_name + ', how can I help?'",
                "', how can I help? You are chatting with an AI assistant.'",
            ),
            (
                "'Hallo! Stellen Sie mir Ihre Frage.'",
                "Frage. Sie chatten mit einer KI.'",
            ),
            (
                "'Bonjour ! Posez votre question.'",
                "question. Vous échangez avec un assistant IA.'",
            ),
            (
                "'¡Hola! ¿En qué puedo ayudarte?'",
                "ayudarte? Estás hablando con un asistente de IA.'",
            ),
            (
                "'Ciao! Come posso aiutarti?'",
                "aiutarti? Stai parlando con un assistente IA.'",
            ),
            (
                "'Olá! Como posso ajudar?'",
                "ajudar? Está a falar com um assistente de IA.'",
            ),
            (
                "'Olá! Como posso ajudar você?'",
                "você? Você está falando com um assistente de IA.'",
            ),
            ("'Hallo! Stel je vraag.'", "vraag. Je praat met een AI-assistent.'"),
            (
                "'Welkom! Hoe kan ik u helpen?'",
                "helpen? U praat met een AI-assistent.'",
            ),
            ("'Cześć! Jak mogę pomóc?'", "pomóc? Rozmawiasz z asystentem AI.'"),
            (
                "'Здравствуйте! Задайте мне вопрос.'",
                "вопрос. Вы общаетесь с искусственным интеллектом.'",
            ),
            (
                "'Привет! Задай мне вопрос.'",
                "вопрос. Ты общаешься с искусственным интеллектом.'",
            ),
            (
                "'Вітаю! Чим можу допомогти?'",
                "допомогти? Ви спілкуєтеся зі штучним інтелектом.'",
            ),
            (
                "['Hallo!', 'Wie kann ich dir helfen?'].join('\\n')",
                "'Wie kann ich dir helfen? Du chattest mit einer KI.'",
            ),
            (
                "'Salut ! Pose-moi ta question, je suis là pour toi.'",
                "toi. Tu échanges avec un assistant IA.'",
            ),
        ] {
            let text = bot(&format!("bot.start((ctx) => ctx.reply({greeting}));"));
            assert_has(&fixed(&text, DISCLOSURE), after);
        }
    }

    #[test]
    fn greetings_of_other_libraries_are_found() {
        let grammy = bot("bot.command(['start', 'help'], greet);\nasync function greet(ctx) {\n  await ctx.reply('Welcome!', { parse_mode: 'HTML' });\n}")
            .replace("const { Telegraf } = require('telegraf');", "const { Bot } = require('grammy');")
            .replace("new Telegraf", "new Bot");
        assert_has(
            &fixed(&grammy, DISCLOSURE),
            "'Welcome! You are chatting with an AI assistant.', {",
        );
        let discord = "//- bot.ts\nimport { Client, Events } from 'discord.js';\nimport OpenAI from 'openai';\n\nconst openai = new OpenAI();\nconst client = new Client({ intents: [] });\n\
             client.on(Events.GuildMemberAdd, async (member) => {\n  await member.send({ content: 'Welcome!' });\n});\n\
             client.on('messageCreate', async (message) => {\n  const answer = await openai.responses.create({ model: 'gpt-4.1-2025-04-14', input: message.content });\n  await message.reply(answer.output_text);\n});\n";
        assert_has(
            &fixed(discord, DISCLOSURE),
            "{ content: 'Welcome! You are chatting with an AI assistant.' }",
        );
        let slack = "//- app.js\nconst { App } = require('@slack/bolt');\nconst OpenAI = require('openai');\n\nconst openai = new OpenAI();\nconst app = new App({});\n\
             app.event('team_join', async ({ event, client }) => {\n  await client.chat.postMessage({ channel: event.user.id, text: 'Welcome!' });\n});\n\
             app.message(async ({ message, say }) => {\n  const answer = await openai.responses.create({ model: 'gpt-4.1-2025-04-14', input: message.text });\n  await say(answer.output_text);\n});\n";
        assert_has(
            &fixed(slack, DISCLOSURE),
            "text: 'Welcome! You are chatting with an AI assistant.'",
        );
    }

    #[test]
    fn greeting_in_another_file_of_the_bot_is_found() {
        let text = bot("require('./start')(bot);")
            + "//- start.js\nconst { Markup } = require('telegraf');\n\nmodule.exports = (bot) => {\n  bot.start((ctx) => ctx.reply('Welcome!', Markup.removeKeyboard()));\n};\n";
        assert_has(
            &fixed(&text, DISCLOSURE),
            "ctx.reply('Welcome! You are chatting with an AI assistant.', Markup",
        );
    }

    #[test]
    fn near_misses_are_refused() {
        for (greeting, why) in [
            ("", "no greeting"),
            ("bot.start((ctx) => ctx.reply(ctx.i18n.t('welcome')));", "no greeting"),
            ("bot.help((ctx) => ctx.reply('Ask me anything.'));", "no greeting"),
            ("bot.start((ctx) => ctx.replyWithMarkdownV2('Welcome'));", "no greeting"),
            (
                "bot.start((ctx) => ctx.reply('Welcome', { parse_mode: 'MarkdownV2' }));",
                "no greeting",
            ),
            (
                "let text = 'Welcome';\nbot.start((ctx) => ctx.reply(text));",
                "no greeting",
            ),
            (
                "bot.start((ctx) => { if (banned(ctx)) { return ctx.reply('No entry.'); } });",
                "no greeting",
            ),
            ("bot.start((ctx) => ctx.reply('こんにちは'));", "language"),
            ("bot.start((ctx) => ctx.reply('Welcome,'));", "middle of a sentence"),
            ("bot.start((ctx) => ctx.reply(' '));", "empty"),
        ] {
            refused(&bot(greeting), DISCLOSURE);
            assert_has(&reason(&super::super::SCRIPT_GREETING_DISCLOSURE, &bot(greeting)), why);
        }
    }
}

mod approval {
    use super::*;

    fn cli(run: &str) -> String {
        format!(
            "//- cli.mjs\nimport {{ exec, execSync }} from 'node:child_process';\nimport readline from 'node:readline/promises';\nimport OpenAI from 'openai';\n\n\
             const client = new OpenAI();\nconst rl = readline.createInterface({{ input: process.stdin, output: process.stdout }});\n\n\
             async function main() {{\n  const task = await rl.question('> ');\n  const answer = await client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: task }});\n  const command = answer.output_text;\n{run}}}\n\nmain();\n"
        )
    }

    #[test]
    fn command_that_is_shown_already_is_not_shown_again() {
        let text = cli("  console.log('Next:', command);\n  execSync(command, {\n    stdio: 'inherit',\n  });\n");
        let after = fixed(&text, SHELL);
        assert_has(
            &after,
            "  if ((await rl.question('Run this command? [y/N] ')).trim().toLowerCase() === 'y') {\n    execSync(command, {\n      stdio: 'inherit',\n    });\n  }\n}\n",
        );
        assert_eq!(after.matches("console.log").count(), 1);
        assert!(!applied(&text, SHELL).1.safe);
    }

    #[test]
    fn near_misses_are_refused() {
        for (run, why) in [
            (
                "  const out = execSync(command);\n  console.log(out.toString());\n",
                "result",
            ),
            ("  rl.close();\n  execSync(command);\n", "does not ask"),
            ("  execSync(`sh -c \"${command}\"`);\n", "put together"),
            (
                "  [command].forEach((one) => {\n    execSync(one);\n  });\n",
                "does not ask",
            ),
        ] {
            assert_has(&refused(&cli(run), SHELL), why);
        }
    }
}

mod marking {
    use super::*;

    #[test]
    fn near_misses_are_refused() {
        for body in [
            "  const result = await client.images.generate({ model: \"dall-e-2\", prompt: req.body.prompt });\n  res.redirect(result.data[0].url);\n",
            "  const result = await client.images.generate({ model: \"dall-e-2\", prompt: req.body.prompt });\n  res.json(result.data);\n",
            "  const result = await client.images.generate({ model: \"dall-e-2\", prompt: req.body.prompt });\n  if (req.body.small) return res.json({ small: result.data[0].url });\n  res.json({ url: result.data[0].url });\n",
        ] {
            assert_has(&refused(&service("app.js", OPENAI, body), MARK), "no single object");
        }
    }

    #[test]
    fn body_of_function_in_the_cloud_is_marked() {
        let text = "//- netlify/functions/image.js\nimport OpenAI from 'openai';\n\nconst client = new OpenAI();\n\n\
             export const handler = async (event) => {\n  const { prompt } = JSON.parse(event.body);\n  const result = await client.images.generate({ model: 'dall-e-2', prompt });\n  return {\n    statusCode: 200,\n    body: JSON.stringify({ url: result.data[0].url }),\n  };\n};\n";
        assert_has(
            &fixed(text, MARK),
            "JSON.stringify({ url: result.data[0].url, aiGenerated: true }),",
        );
    }

    #[test]
    fn typed_replies_of_python_are_refused() {
        let app = |mark: &str, back: &str| {
            format!(
                "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\nfrom pydantic import BaseModel\n\napp = FastAPI()\nclient = OpenAI()\n\nclass Reply(BaseModel):\n    url: str\n\n\
                 @app.post(\"/picture\"{mark})\ndef picture(prompt: str){back}:\n    image = client.images.generate(model=\"dall-e-2\", prompt=prompt)\n    return {{\"url\": image.data[0].url}}\n"
            )
        };
        for (mark, back) in [
            (", response_model=Reply", ""),
            ("", " -> Reply"),
            ("", " -> dict[str, str]"),
        ] {
            assert_has(&refused(&app(mark, back), MARK), "not in a function");
        }
        assert_has(&fixed(&app("", " -> dict"), MARK), "\"ai_generated\": True}");
    }
}
