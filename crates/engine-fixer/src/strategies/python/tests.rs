//! Forms that are changed, and near misses that are not.

use std::collections::BTreeMap;

use engine_model::{Date, Finding, FindingType, MemoryTree, SourceFile, SourceText, fixture};
use engine_scanner::{Evaluation, Settings, StatedClass, scan_memory};

use super::greeting::tests_of_surfaces as surfaces;
use crate::code::Code;
use crate::{FileChange, FixInput, NoFix, Plan, merged, plan};

const FAILURE: &str = "l4-unhandled-model-failure";
const LOG: &str = "l4-unlogged-model-call";
const TALK: &str = "l4-undisclosed-interaction";
const SHELL: &str = "l4-answer-reaches-shell";
const WEIGHTS: &str = "l4-deserialised-model";

/// A web application that hands a text to `ask`, which each test defines.
const WEB: &str = "\n\n@app.post(\"/rank\")\ndef rank():\n    return ask(request.json[\"text\"])\n";
const HEAD: &str =
    "from flask import Flask, request\nfrom openai import OpenAI\n\napp = Flask(__name__)\nclient = OpenAI()\n";

fn scan(tree: &MemoryTree) -> Evaluation {
    let settings = Settings {
        risk_class: Some(StatedClass::High),
        ..Settings::on(Date::constant(2026, 11, 20))
    };
    scan_memory(tree, &settings)
}

fn open<'e>(evaluation: &'e Evaluation, check: &str) -> Option<&'e Finding> {
    let mut all = evaluation.findings.iter();
    all.find(|finding| finding.kind != FindingType::Pass && finding.check_id == check)
}

fn planned(tree: &MemoryTree, check: &str) -> Result<Plan, NoFix> {
    let evaluation = scan(tree);
    let finding = open(&evaluation, check).unwrap_or_else(|| panic!("no finding of {check}"));
    let paths: Vec<String> = tree.files().map(|file| file.path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    plan(FixInput {
        finding,
        inventory: &evaluation.inventory,
        systems: &evaluation.systems,
        as_of: Date::constant(2026, 11, 20),
        paths: &paths,
        source: tree,
        documents: &crate::tests::NoDrafts,
    })
}

/// The files that the fix of the first finding of a check changes; the finding must be gone then.
fn fixed(files: &str, check: &str) -> BTreeMap<String, String> {
    let tree = fixture(files).unwrap();
    let plan = planned(&tree, check).unwrap_or_else(|why| panic!("{why}"));
    let mut after = tree.clone();
    let mut out = BTreeMap::new();
    for change in &plan.files {
        let before = tree.file(&change.path).unwrap().bytes.into_owned();
        let text = change.apply(&before).unwrap();
        out.insert(change.path.clone(), String::from_utf8(text.clone()).unwrap());
        after.insert(change.path.clone(), text);
    }
    let next = scan(&after);
    assert!(
        next.findings
            .iter()
            .all(|finding| finding.id != plan.finding_id || finding.kind == FindingType::Pass),
        "{out:?}"
    );
    out
}

fn fixed_file(text: &str, check: &str) -> String {
    fixed(&format!("//- app.py\n{text}"), check).remove("app.py").unwrap()
}

fn refused(text: &str, check: &str) -> String {
    let files = if text.starts_with("//- ") {
        text.to_owned()
    } else {
        format!("//- app.py\n{text}")
    };
    match planned(&fixture(&files).unwrap(), check) {
        Ok(plan) => panic!("a plan: {plan:?}"),
        Err(why) => why.to_string(),
    }
}

fn code(text: &str) -> Code {
    Code::of(&SourceFile::new("app.py", text.as_bytes())).unwrap()
}

/// What a function of a web application is turned into.
fn ask_fixed(ask: &str, check: &str) -> String {
    let text = fixed_file(&format!("{HEAD}\n\n{ask}{WEB}"), check);
    let start = text.find("def ask").unwrap();
    text[start..].strip_suffix(WEB).unwrap().to_owned()
}

#[test]
fn call_that_runs_elsewhere_is_left_alone() {
    for (ask, why) in [
        (
            "ask = lambda text: client.responses.create(model=\"gpt-4.1\", input=text).output_text",
            "lambda",
        ),
        (
            "def ask(text):\n    return \"\".join(client.responses.create(model=\"gpt-4.1\", input=t).output_text for t in text)",
            "generator expression",
        ),
        (
            "def ask(text):\n    return [client.responses.create(model=\"gpt-4.1\", input=t).output_text for t in text]",
            "comprehension",
        ),
        (
            "def ask(text):\n    if text: return client.responses.create(model=\"gpt-4.1\", input=text).output_text",
            "shares its line",
        ),
        (
            "def ask(text):\n    text = text.strip(); answer = client.responses.create(model=\"gpt-4.1\", input=text)\n    return answer.output_text",
            "shares its line",
        ),
        (
            "def ask(text):\n    while client.responses.create(model=\"gpt-4.1\", input=text).output_text != \"yes\":\n        pass\n    return \"yes\"",
            "condition",
        ),
    ] {
        let text = format!("{HEAD}\n\n{ask}{WEB}");
        for check in [FAILURE, LOG] {
            if open(&scan(&fixture(&format!("//- app.py\n{text}")).unwrap()), check).is_some() {
                let said = refused(&text, check);
                assert!(said.contains(why), "{ask}: {said}");
            }
        }
    }
}

#[test]
fn coroutine_that_is_awaited_elsewhere_is_left_alone() {
    let head = "import asyncio\nfrom fastapi import FastAPI\nfrom openai import AsyncOpenAI\n\napp = FastAPI()\nclient = AsyncOpenAI()\n";
    let text = format!(
        "{head}\n\ndef ask(text):\n    return client.responses.create(model=\"gpt-4.1\", input=text)\n\n\n@app.post(\"/rank\")\nasync def rank(text: str):\n    return (await ask(text)).output_text\n"
    );
    assert!(refused(&text, FAILURE).contains("awaited elsewhere"));
    let text = format!(
        "{head}\n\n@app.post(\"/rank\")\nasync def rank(a: str):\n    task = asyncio.create_task(client.responses.create(model=\"gpt-4.1\", input=a))\n    return (await task).output_text\n"
    );
    assert!(refused(&text, FAILURE).contains("awaited elsewhere"));
}

#[test]
fn name_of_the_exception_hides_no_other_name() {
    let head = "import logging\nfrom flask import Flask, request\nfrom openai import OpenAI\nfrom messages import error\n\nlog = logging.getLogger(__name__)\napp = Flask(__name__)\nclient = OpenAI()\n";
    let text = format!(
        "{head}\n\ndef ask(text):\n\tif not text:\n\t\treturn error(\"no text\")\n\tanswer = client.responses.create(model=\"gpt-4.1\", input=text)\n\treturn answer.output_text{WEB}"
    );
    let text = fixed_file(&text, FAILURE);
    assert!(
        text.contains("\ttry:\n\t\tanswer = client.responses.create(model=\"gpt-4.1\", input=text)\n\texcept OpenAIError as exc:\n\t\tlog.error(\"Model call failed: %s\", exc)\n\t\traise\n\treturn"),
        "{text}"
    );
}

#[test]
fn block_that_the_call_opens_is_wrapped_as_a_whole() {
    let ask = "def ask(text):\n    for event in client.responses.create(model=\"gpt-4.1\", input=text, stream=True):\n        if event.type == \"response.output_text.delta\":\n            yield event.delta";
    let after = ask_fixed(ask, FAILURE);
    assert_eq!(
        after,
        "def ask(text):\n    try:\n        for event in client.responses.create(model=\"gpt-4.1\", input=text, stream=True):\n            if event.type == \"response.output_text.delta\":\n                yield event.delta\n    except OpenAIError as error:\n        logger.error(\"Model call failed: %s\", error)\n        raise"
    );
}

#[test]
fn status_check_of_a_request_goes_into_the_block() {
    let text = "import requests\nfrom flask import Flask, request\n\napp = Flask(__name__)\nURL = \"https://api.openai.com/v1/responses\"\n\n\ndef ask(text):\n    reply = requests.post(URL, json={\"model\": \"gpt-4.1\", \"input\": text}, timeout=60)\n    reply.raise_for_status()\n    return reply.json()[\"output\"]";
    let text = fixed_file(&format!("{text}{WEB}"), FAILURE);
    assert!(
        text.contains("        reply.raise_for_status()\n    except requests.RequestException as error:\n"),
        "{text}"
    );
}

#[test]
fn log_has_no_address_with_a_key() {
    let text = "import os\nimport requests\nfrom flask import Flask, request\n\napp = Flask(__name__)\nURL = \"https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent?key=\" + os.environ[\"KEY\"]\n\n\ndef ask(text):\n    reply = requests.post(URL, json={\"contents\": text})\n    return reply.json()[\"candidates\"][0]";
    let tree = fixture(&format!("//- app.py\n{text}{WEB}")).unwrap();
    let plan = planned(&tree, FAILURE).unwrap();
    assert!(
        plan.manual.iter().any(|step| step.contains("status")),
        "{:?}",
        plan.manual
    );
    let text = fixed_file(&format!("{text}{WEB}"), FAILURE);
    assert!(
        text.contains("logger.error(\"Model call failed: %s\", type(error).__name__)"),
        "{text}"
    );
}

#[test]
fn logger_of_the_file_is_used_in_its_style() {
    for (import, made, line) in [
        (
            "from loguru import logger",
            "",
            "logger.error(\"Model call failed: {}\", error)",
        ),
        (
            "import structlog",
            "log = structlog.get_logger()",
            "log.error(\"model_call_failed\", error=str(error))",
        ),
        (
            "import logging",
            "LOG = logging.getLogger(\"x\")\nLOG.info(f\"ready {__name__}\")",
            "LOG.error(f\"Model call failed: {error}\")",
        ),
        (
            "import logging",
            "logging.info(\"ready\")",
            "logging.error(\"Model call failed: %s\", error)",
        ),
        (
            "import os",
            "app.logger.info(\"ready\")",
            "app.logger.error(\"Model call failed: %s\", error)",
        ),
    ] {
        let text = format!(
            "{import}\n{HEAD}{made}\n\n\ndef ask(text):\n    return client.responses.create(model=\"gpt-4.1\", input=text).output_text{WEB}"
        );
        let text = fixed_file(&text, FAILURE);
        assert!(text.contains(line), "{text}");
        assert!(!text.contains("getLogger(__name__)"), "{text}");
    }
}

#[test]
fn logger_that_a_function_cannot_see_is_not_used() {
    // The function has a name of its own for something else.
    let text = format!(
        "import logging\n{HEAD}log = logging.getLogger(__name__)\n\n\ndef ask(text):\n    answer = client.responses.create(model=\"gpt-4.1\", input=text).output_text\n    log = [answer]\n    return log{WEB}"
    );
    let text = fixed_file(&text, FAILURE);
    assert!(text.contains("logger = logging.getLogger(__name__)\n"), "{text}");
    assert!(text.contains("        logger.error("), "{text}");
}

#[test]
fn imports_keep_their_order() {
    for (head, expected) in [
        ("import os\nimport sys\n\n", "import logging\nimport os\nimport sys\n\n"),
        (
            "import json\nfrom datetime import date\n\n",
            "import json\nimport logging\nfrom datetime import date\n\n",
        ),
        (
            "from datetime import date\n\n",
            "import logging\nfrom datetime import date\n\n",
        ),
        ("# A tool.\n", "# A tool.\nimport logging\n\n"),
        (
            "#!/usr/bin/env python\n\"\"\"A tool.\"\"\"\n\n# Libraries\n",
            "#!/usr/bin/env python\n\"\"\"A tool.\"\"\"\n\nimport logging\n\n# Libraries\n",
        ),
        ("import logging.config\n", "import logging.config\n"),
    ] {
        let text = format!(
            "{head}{HEAD}\n\ndef ask(text):\n    return client.responses.create(model=\"gpt-4.1\", input=text).output_text{WEB}"
        );
        let text = fixed_file(&text, FAILURE);
        assert!(text.starts_with(&format!("{expected}from flask")), "{text}");
        assert!(
            text.contains("OpenAIError\n\nlogger = logging.getLogger(__name__)\n\napp ="),
            "{text}"
        );
    }
}

#[test]
fn only_import_is_followed_by_import_and_logger() {
    let text = "import openai\n\n\ndef ask(text):\n    return openai.OpenAI().responses.create(model=\"gpt-4.1\", input=text).output_text\n\n\nprint(ask(input()))\n";
    let text = fixed_file(text, FAILURE);
    assert!(
        text.starts_with("import logging\n\nimport openai\n\nlogger = logging.getLogger(__name__)\n\n\ndef ask"),
        "{text}"
    );
    let text = "import importlib\n\nsdk = importlib.import_module(\"anthropic\")\n\n\ndef ask(text):\n    return sdk.Anthropic().messages.create(model=\"claude-sonnet-4-5\", max_tokens=9, messages=[]).content[0].text\n\n\nprint(ask(input()))\n";
    let text = fixed_file(text, FAILURE);
    assert!(
        text.starts_with("import importlib\nimport logging\n\nlogger = logging.getLogger(__name__)\n\nsdk ="),
        "{text}"
    );
}

#[test]
fn windows_line_ends_stay() {
    let text = format!(
        "{HEAD}\n\ndef ask(text):\n    return client.responses.create(model=\"gpt-4.1\",\n        input=text).output_text{WEB}"
    );
    let mut tree = MemoryTree::default();
    tree.insert("app.py", text.replace('\n', "\r\n"));
    let plan = planned(&tree, FAILURE).unwrap();
    let after = plan.files[0].apply(&tree.file("app.py").unwrap().bytes).unwrap();
    let after = String::from_utf8(after).unwrap();
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
    assert!(!after.contains("\r\r"));
    assert!(
        after.contains("        return client.responses.create(model=\"gpt-4.1\",\r\n            input=text)"),
        "{after}"
    );
}

#[test]
fn handler_of_the_library_gets_the_log_line() {
    let ask = "def ask(text):\n    try:\n        return client.responses.create(model=\"gpt-4.1\", input=text).output_text\n    except openai.APIError:\n        raise";
    let text = fixed_file(&format!("import openai\n{HEAD}\n\n{ask}{WEB}"), FAILURE);
    assert!(
        text.contains("    except openai.APIError:\n        logger.exception(\"Model call failed\")\n        raise\n"),
        "{text}"
    );
    // One for something else does not catch the failure.
    let ask = "def ask(text):\n    try:\n        return client.responses.create(model=\"gpt-4.1\", input=text).output_text\n    except KeyError:\n        raise";
    let text = ask_fixed(ask, FAILURE);
    assert!(text.contains("        try:\n            return client"), "{text}");
}

#[test]
fn calls_in_several_files_are_handled_together() {
    let files = "//- one.py\nfrom openai import OpenAI\n\nclient = OpenAI()\n\n\ndef one(text):\n    return client.responses.create(model=\"gpt-4.1\", input=text).output_text\n//- two.py\nimport anthropic\n\napi = anthropic.Anthropic()\n\n\ndef two(text):\n    return api.messages.create(model=\"claude-sonnet-4-5\", max_tokens=9, messages=[{\"role\": \"user\", \"content\": text}]).content[0].text\n//- app.py\nfrom flask import Flask, request\nfrom one import one\nfrom two import two\n\napp = Flask(__name__)\n\n\n@app.post(\"/rank\")\ndef rank():\n    return one(request.json[\"text\"]) + two(request.json[\"text\"])\n";
    let changed = fixed(files, FAILURE);
    assert_eq!(changed.keys().collect::<Vec<_>>(), ["one.py", "two.py"]);
}

#[test]
fn response_gets_a_name_where_nothing_runs_before_it() {
    for (ask, expected) in [
        (
            "def ask(text):\n    return \"x\", client.responses.create(model=\"gpt-4.1\", input=str(text)).output_text, 200",
            "    return \"x\", response.output_text, 200",
        ),
        // A name that is taken, and a call before.
        (
            "def ask(text):\n    response = text\n    return len(response), client.responses.create(model=\"gpt-4.1\", input=response).output_text",
            "    logger.info(\"Model call finished\")\n    return result",
        ),
        (
            "def ask(text):\n    return client.responses.create(model=\"gpt-4.1\", input=text).output_text if text else \"\"",
            "    logger.info(\"Model call finished\")\n    return result",
        ),
        (
            "def ask(text):\n    return client.chat.completions.create(model=MODEL, stream=True, messages=text)",
            "    logger.info(\"Model call finished: model=%s\", MODEL)\n    return result",
        ),
        (
            "def ask(text):\n    return client.responses.create(model=\"gpt-4.1\",\n                                   input=text).output_text",
            "    response = client.responses.create(model=\"gpt-4.1\",\n                                       input=text)\n",
        ),
    ] {
        let after = ask_fixed(ask, LOG);
        assert!(after.contains(expected), "{after}");
    }
}

#[test]
fn log_needs_a_place_where_it_is_reached() {
    let text = "import anthropic\nfrom flask import Flask, request\n\napp = Flask(__name__)\napi = anthropic.Anthropic()\n\n\ndef ask(text):\n    with api.messages.stream(model=\"claude-sonnet-4-5\", max_tokens=9, messages=[{\"role\": \"user\", \"content\": text}]) as stream:\n        return stream.get_final_text()";
    assert!(refused(&format!("{text}{WEB}"), LOG).contains("several ways"));
}

#[test]
fn log_of_a_stream_of_words_follows_its_end() {
    let ask = "def ask(text):\n    for event in client.responses.create(model=\"gpt-4.1\", input=text, stream=True):\n        yield event.delta";
    let after = ask_fixed(ask, LOG);
    assert!(
        after.ends_with("        yield event.delta\n    logger.info(\"Model call finished\")"),
        "{after}"
    );
}

#[test]
fn command_is_not_run_without_a_yes() {
    let text = "import subprocess\nfrom openai import OpenAI\n\nclient = OpenAI()\n\n\ndef main():\n    answer = client.responses.create(model=\"gpt-4.1\", input=input(\"task: \"))\n    code = answer.output_text\n    exec(code)\n\n\nif __name__ == \"__main__\":\n    main()\n";
    let text = fixed_file(text, SHELL);
    assert!(
        text.contains(
            "    print(code)\n    if input(\"Run this code? [y/N] \").strip().lower() == \"y\":\n        exec(code)\n"
        ),
        "{text}"
    );
}

#[test]
fn command_of_a_server_is_not_asked_about() {
    let text = "import subprocess\nfrom flask import Flask, request\nfrom openai import OpenAI\n\napp = Flask(__name__)\nclient = OpenAI()\n\n\n@app.post(\"/do\")\ndef run_task():\n    answer = client.responses.create(model=\"gpt-4.1\", input=request.json[\"task\"])\n    return subprocess.check_output(answer.output_text, shell=True)\n\n\nif __name__ == \"__main__\":\n    app.run()\n";
    assert!(refused(text, SHELL).contains("terminal"));
}

#[test]
fn command_that_is_put_together_is_not_shown() {
    let text = "import subprocess\nfrom openai import OpenAI\n\nclient = OpenAI()\nanswer = client.responses.create(model=\"gpt-4.1\", input=input(\"task: \"))\nsubprocess.run(\"cd /srv && \" + answer.output_text, shell=True)\n";
    assert!(refused(text, SHELL).contains("put together"));
}

#[test]
fn whole_model_is_not_loaded_as_weights() {
    let text = "import torch\nfrom flask import Flask, request\n\napp = Flask(__name__)\nmodel = torch.load(\"/srv/weights/rank.pt\", weights_only=False)\nmodel.eval()\n\n\n@app.post(\"/rank\")\ndef rank():\n    return {\"score\": float(model(torch.tensor(request.json[\"values\"])))}\n";
    assert!(refused(text, WEIGHTS).contains("whole model"));
    let text = "import joblib\n\nmodel = joblib.load(\"credit.joblib\")\n\nif __name__ == \"__main__\":\n    print(model.predict([[1, 2]]))\n";
    assert!(refused(text, WEIGHTS).contains("`torch.load`"));
    // A version that does not know the argument.
    let text = "//- requirements.txt\ntorch==1.9.1\n//- app.py\nimport torch\nfrom flask import Flask, request\nfrom net import Net\n\napp = Flask(__name__)\nmodel = Net()\nmodel.load_state_dict(torch.load(\"/srv/weights/rank.pt\"))\n\n\n@app.post(\"/rank\")\ndef rank():\n    return {\"score\": float(model(torch.tensor(request.json[\"values\"])))}\n";
    assert!(refused(text, WEIGHTS).contains("version of torch"));
}

#[test]
fn weights_in_several_lines_get_a_line() {
    let text = "import torch\nfrom flask import Flask, request\nfrom net import Net\n\napp = Flask(__name__)\ncheckpoint = torch.load(\n    \"/srv/weights/rank.pt\",\n    map_location=\"cpu\",\n)\nnet = Net()\nnet.load_state_dict(checkpoint[\"model\"])\n\n\n@app.post(\"/rank\")\ndef rank():\n    return {\"score\": float(net(torch.tensor(request.json[\"values\"])))}\n";
    let text = fixed_file(text, WEIGHTS);
    assert!(
        text.contains("    map_location=\"cpu\",\n    weights_only=True,\n)"),
        "{text}"
    );
}

const BOT: &str = "from openai import AsyncOpenAI\nfrom telegram.ext import Application, CommandHandler, MessageHandler, filters\n\nclient = AsyncOpenAI()\n\n\nasync def start(update, context):\n    START\n\n\nasync def reply(update, context):\n    answer = await client.responses.create(model=\"gpt-4.1-2025-04-14\", input=update.message.text)\n    await update.message.reply_text(answer.output_text)\n\n\napp = Application.builder().token(\"x\").build()\napp.add_handler(CommandHandler(\"start\", start))\napp.add_handler(MessageHandler(filters.TEXT, reply))\napp.run_polling()\n";

#[test]
fn greeting_gets_a_sentence_in_its_language() {
    for (start, expected) in [
        (
            "await update.message.reply_text('Привет! Напиши мне вопрос.')",
            "'Привет! Я ИИ-ассистент. Напиши мне вопрос.'",
        ),
        (
            "await update.message.reply_text('Привіт! Напиши питання.')",
            "'Привіт! Я ШІ-асистент. Напиши питання.'",
        ),
        (
            "await update.message.reply_text(\"Bonjour ! Posez votre question.\")",
            "\"Bonjour ! Je suis un assistant IA. Posez",
        ),
        (
            "await update.message.reply_text(\"¡Hola! ¿Qué puedo hacer por ti?\")",
            "\"¡Hola! Soy un asistente de IA. ¿Qué",
        ),
        (
            "await update.message.reply_text(\"Ciao! Sono il bot della mensa.\")",
            "\"Ciao! Sono un assistente IA. Sono",
        ),
        (
            "await update.message.reply_text(\"Olá! Como posso ajudar?\")",
            "\"Olá! Sou um assistente de IA. Como",
        ),
        (
            "await update.message.reply_text(\"Hoi! Stel je vraag.\")",
            "\"Hoi! Ik ben een AI-assistent. Stel",
        ),
        (
            "await update.message.reply_text(\"Cześć! Zadaj pytanie.\")",
            "\"Cześć! Jestem asystentem AI. Zadaj",
        ),
        (
            "name = update.effective_user.first_name\n    await update.message.reply_text(f\"Hello {name}, welcome to the shop\")",
            "f\"Hello {name}, welcome to the shop. I am an AI assistant.\"",
        ),
        (
            "if update.message.chat_id in BLOCKED:\n        await update.message.reply_text(\"You are blocked.\")\n        return\n    text = (\n        \"Hi there 👋\\n\"\n        \"Ask Dr. Jones a question.\\n\"\n    )\n    await update.message.reply_text(text)",
            "\"Ask Dr. Jones a question. I am an AI assistant.\\n\"",
        ),
    ] {
        let text = fixed_file(&BOT.replace("START", start), TALK);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn greeting_that_is_not_understood_is_left_alone() {
    for (start, why) in [
        (
            "await update.message.reply_text(\"Merhaba! Nasıl yardımcı olabilirim?\")",
            "language",
        ),
        (
            "await update.message.reply_text(get_text(\"greeting\"))",
            "not a string",
        ),
        (
            "await update.message.reply_text(\"Hi\\\\! Ask me\\\\.\", parse_mode=\"MarkdownV2\")",
            "MarkdownV2",
        ),
        ("await update.message.reply_text(HELP_TEXT)", "not a string"),
    ] {
        let text = BOT.replace("START", start);
        let tree = fixture(&format!("//- app.py\n{text}")).unwrap();
        assert!(planned(&tree, TALK).is_err(), "{start}");
        let said = surfaces::bot(&code(&text))
            .err()
            .map(|why| why.to_string())
            .unwrap_or_default();
        assert!(said.contains(why), "{start}: {said}");
    }
}

#[test]
fn greetings_of_other_messengers_get_a_sentence() {
    for (text, expected) in [
        (
            "import telebot\nfrom openai import OpenAI\n\nbot = telebot.TeleBot(\"x\")\nclient = OpenAI()\n\n@bot.message_handler(commands=['start', 'help'])\ndef welcome(message):\n    bot.reply_to(message, \"Hello! Ask me.\")\n\n@bot.message_handler(func=lambda message: True)\ndef talk(message):\n    answer = client.responses.create(model=\"gpt-4.1\", input=message.text)\n    bot.reply_to(message, answer.output_text)\n\nbot.infinity_polling()\n",
            "bot.reply_to(message, \"Hello! I am an AI assistant. Ask me.\")",
        ),
        (
            "import os\nfrom openai import OpenAI\nfrom slack_bolt import App, Assistant\n\napp = App(token=os.environ[\"T\"])\nassistant = Assistant()\nclient = OpenAI()\n\n@assistant.thread_started\ndef start(say):\n    say(\"Hi! How can I help you?\")\n\n@assistant.user_message\ndef answer(payload, say):\n    reply = client.responses.create(model=\"gpt-4.1\", input=payload[\"text\"])\n    say(reply.output_text)\n\napp.use(assistant)\napp.start(3000)\n",
            "say(\"Hi! I am an AI assistant. How can I help you?\")",
        ),
        (
            "from aiogram import Dispatcher\nfrom aiogram.types import Message\nfrom aiogram.filters import CommandStart\nfrom openai import AsyncOpenAI\n\nclient = AsyncOpenAI()\ndp = Dispatcher()\n\nasync def begin(message: Message):\n    await message.answer(\"Hi there!\\n\\n\" \"Write your question.\")\n\nasync def talk(message: Message):\n    answer = await client.responses.create(model=\"gpt-4.1\", input=message.text)\n    await message.answer(answer.output_text)\n\ndp.message.register(begin, CommandStart())\ndp.message.register(talk)\n",
            "\"Hi there! I am an AI assistant.\\n\\n\" \"Write",
        ),
        (
            "import discord\nfrom discord.ext import commands\nfrom openai import AsyncOpenAI\n\nbot = commands.Bot(command_prefix=\"!\", intents=discord.Intents.all())\nclient = AsyncOpenAI()\n\n@bot.event\nasync def on_member_join(member):\n    await member.send(f\"Welcome {member.name}! Write to me at any time.\")\n\n@bot.event\nasync def on_message(message):\n    answer = await client.responses.create(model=\"gpt-4.1\", input=message.content)\n    await message.channel.send(answer.output_text)\n\nbot.run(\"x\")\n",
            "f\"Welcome {member.name}! I am an AI assistant. Write",
        ),
    ] {
        let text = fixed_file(text, TALK);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn bot_without_a_greeting_is_left_alone() {
    let text = "import discord\nfrom openai import AsyncOpenAI\n\nbot = discord.Client(intents=discord.Intents.all())\nclient = AsyncOpenAI()\n\n@bot.event\nasync def on_message(message):\n    answer = await client.responses.create(model=\"gpt-4.1\", input=message.content)\n    await message.channel.send(answer.output_text)\n\nbot.run(\"x\")\n";
    assert!(!refused(text, TALK).is_empty());
    let said = surfaces::bot(&code(text))
        .err()
        .map(|why| why.to_string())
        .unwrap_or_default();
    assert!(said.contains("no greeting"), "{said}");
}

#[test]
fn constant_of_another_file_gets_the_sentence() {
    let files = "//- bot/texts.py\nSTART = \"\"\"\n<b>Hi!</b>\nSend me your question about shipping.\n\"\"\"\n//- bot/main.py\nfrom aiogram import Dispatcher, types, F\nfrom aiogram.filters import Command\nfrom openai import AsyncOpenAI\nfrom . import texts\n\ndp = Dispatcher()\nclient = AsyncOpenAI()\n\n@dp.message(Command(\"start\"))\nasync def start(message: types.Message):\n    await message.answer(texts.START, parse_mode=\"HTML\")\n\n@dp.message(F.text)\nasync def talk(message: types.Message):\n    answer = await client.responses.create(model=\"gpt-4o\", input=message.text)\n    await message.answer(answer.output_text)\n";
    let changed = fixed(files, TALK);
    assert!(
        changed["bot/texts.py"].contains("Send me your question about shipping. I am an AI assistant.\n"),
        "{changed:?}"
    );
}

#[test]
fn pages_get_a_line_below_their_title() {
    let client = "from openai import OpenAI\n\nclient = OpenAI()\n\ndef reply(message, history):\n    answer = client.responses.create(model=\"gpt-4.1\", input=message)\n    return answer.output_text\n\n";
    for (page, expected) in [
        (
            "gr.ChatInterface(reply, title=\"Our desk\").launch()\n",
            "gr.ChatInterface(reply, title=\"Our desk\", description=\"Answers are written by an AI system.\").launch()",
        ),
        (
            "gr.ChatInterface(\n    fn=reply,\n    description=\"Ask your question to the desk\",\n).launch()\n",
            "    description=\"Ask your question to the desk. Answers are written by an AI system.\",\n",
        ),
        (
            "gr.ChatInterface(\n    fn=reply,\n    title=\"Our desk\"\n).launch()\n",
            "    title=\"Our desk\",\n    description=\"Answers are written by an AI system.\"\n)",
        ),
    ] {
        let text = fixed_file(&format!("import gradio as gr\n{client}{page}"), TALK);
        assert!(text.contains(expected), "{text}");
    }
    // What comes from a mapping may have a description already.
    let text = format!("import gradio as gr\n{client}gr.ChatInterface(reply, **SETTINGS).launch()\n");
    assert!(surfaces::page(&code(&text)).is_err());
    let text = format!("import gradio as ui\n{client}ui.ChatInterface(reply).launch()\n");
    assert!(surfaces::page(&code(&text)).is_err());
    let blocks = format!(
        "import gradio as gr\n{client}with gr.Blocks() as page:\n    gr.Markdown(\"# Our desk\")\n    chat = gr.Chatbot()\n"
    );
    assert!(
        surfaces::page(&code(&blocks))
            .unwrap()
            .contains("    gr.Markdown(\"# Our desk\")\n    gr.Markdown(\"Answers are written by an AI system.\")\n")
    );
}

#[test]
fn title_of_the_talk_is_told_from_others() {
    let text = "import streamlit as st\nfrom openai import OpenAI\n\nclient = OpenAI()\n\ndef login():\n    st.title(\"Login\")\n    return st.text_input(\"Name\")\n\ndef main():\n    with st.sidebar:\n        st.title(\"Menu\")\n    st.title(\"Frag unser Buero\")\n    st.write(\"Stell hier deine Frage zum Versand.\")\n    question = st.chat_input(\"Frage\")\n    if question:\n        answer = client.responses.create(model=\"gpt-4.1\", input=question)\n        st.write(answer.output_text)\n\nif login():\n    main()\n";
    let text = fixed_file(text, TALK);
    assert!(
        text.contains("    st.title(\"Frag unser Buero\")\n    st.caption(\"Hier antwortet ein KI-System.\")\n"),
        "{text}"
    );
}

#[test]
fn chats_of_chainlit_begin_with_the_sentence() {
    let head = "import chainlit as cl\nfrom openai import AsyncOpenAI\n\nclient = AsyncOpenAI()\n\n\n";
    let talk = "@cl.on_message\nasync def main(message: cl.Message):\n    answer = await client.responses.create(model=\"gpt-4.1\", input=message.content)\n    await cl.Message(content=answer.output_text).send()\n";
    let text = fixed_file(&format!("{head}{talk}"), TALK);
    assert!(
        text.contains("@cl.on_chat_start\nasync def on_chat_start():\n    await cl.Message(content=\"I am an AI assistant.\").send()\n\n\n@cl.on_message"),
        "{text}"
    );
    let start = "@cl.on_chat_start\nasync def start():\n    await cl.Message(content=\"Bonjour ! Posez votre question.\").send()\n\n\n";
    let text = fixed_file(&format!("{head}{start}{talk}"), TALK);
    assert!(
        text.contains("\"Bonjour ! Je suis un assistant IA. Posez votre question.\""),
        "{text}"
    );
}

#[test]
fn terminal_programs_say_it_before_the_talk() {
    let head = "from openai import OpenAI\n\nclient = OpenAI()\n\n\n";
    for (talk, expected) in [
        (
            "def main():\n    print(\"Type 'exit' to quit.\")\n    while True:\n        text = input(\"You: \")\n        answer = client.responses.create(model=\"gpt-4.1\", input=text)\n        print(answer.output_text)\n\n\nmain()\n",
            "    print(\"You are talking to an AI system.\")\n    while True:\n",
        ),
        (
            "print('Willkommen bei der Beratung!')\nwhile True:\n    frage = input('Ihre Frage: ')\n    antwort = client.responses.create(model='gpt-4.1', input=frage)\n    print(antwort.output_text)\n",
            "print('Hier antwortet ein KI-System.')\nwhile True:\n",
        ),
        (
            "text = input(\"Ask the desk: \")\nprint(client.responses.create(model=\"gpt-4.1\", input=text).output_text)\n",
            "print(\"You are talking to an AI system.\")\ntext = input(",
        ),
    ] {
        let text = surfaces::terminal(&code(&format!("{head}{talk}"))).unwrap();
        assert!(text.contains(expected), "{text}");
        let mut tree = MemoryTree::default();
        tree.insert("app.py", text.clone());
        let told = scan(&tree)
            .inventory
            .calls
            .iter()
            .any(|call| call.disclosure == Some(true));
        assert!(told, "{text}");
    }
    assert!(surfaces::terminal(&code(&format!("{head}a = input(\"A: \")\nb = input(\"B: \")\n"))).is_err());
}

#[test]
fn every_sentence_is_taken_for_a_disclosure() {
    for (question, phrases) in super::phrases::samples() {
        for sentence in [phrases.terminal, phrases.page, phrases.bot] {
            let text = format!(
                "from openai import OpenAI\n\nclient = OpenAI()\nprint(\"{sentence}\")\ntext = input(\"{question}\")\nprint(client.responses.create(model=\"gpt-4.1\", input=text).output_text)\n"
            );
            let mut tree = MemoryTree::default();
            tree.insert("app.py", text);
            let told = scan(&tree)
                .inventory
                .calls
                .iter()
                .any(|call| call.disclosure == Some(true));
            assert!(told, "{sentence}");
        }
    }
}

#[test]
fn error_handling_and_log_line_fit_together() {
    let text = format!(
        "{HEAD}\n\ndef ask(text):\n    answer = client.responses.create(model=\"gpt-4.1\", input=text)\n    return answer.output_text{WEB}"
    );
    let tree = fixture(&format!("//- app.py\n{text}")).unwrap();
    let (first, second) = (planned(&tree, FAILURE).unwrap(), planned(&tree, LOG).unwrap());
    let edits = merged([&first.files[0].edits[..], &second.files[0].edits[..]]).unwrap();
    let both = FileChange {
        edits,
        ..first.files[0].clone()
    };
    let after = String::from_utf8(both.apply(text.as_bytes()).unwrap()).unwrap();
    assert_eq!(after.matches("import logging").count(), 1);
    assert!(
        after.contains("        raise\n    logger.info(\n        \"Model call: id=%s, model=%s, usage=%s\", answer.id, answer.model, answer.usage\n    )\n    return"),
        "{after}"
    );
}

#[test]
fn text_that_is_put_together_is_left_alone() {
    for start in [
        "await update.message.reply_text(\"Hello \" + update.effective_user.first_name)",
        "text = (text)\n    await update.message.reply_text(text)",
    ] {
        assert!(surfaces::bot(&code(&BOT.replace("START", start))).is_err(), "{start}");
    }
    let start = "await update.message.reply_text(\"Hello %s! Ask me.\" % update.effective_user.first_name)";
    let text = surfaces::bot(&code(&BOT.replace("START", start))).unwrap();
    assert!(text.contains("\"Hello %s! I am an AI assistant. Ask me.\" %"), "{text}");
}

#[test]
fn attribute_of_loguru_is_a_logger() {
    let text = format!(
        "import loguru\n{HEAD}logger = loguru.logger\n\n\ndef ask(text):\n    return client.responses.create(model=\"gpt-4.1\", input=text).output_text{WEB}"
    );
    let text = fixed_file(&text, FAILURE);
    assert!(
        text.contains("logger.error(\"Model call failed: {}\", error)"),
        "{text}"
    );
}

#[test]
fn failure_that_the_product_handles_elsewhere_is_left_alone() {
    let ask = "def ask(text):\n    return client.responses.create(model=\"gpt-4.1\", input=text).output_text";
    let central = "\n\n@app.errorhandler(Exception)\ndef failed(error):\n    app.logger.exception(error)\n    return \"Try again later.\", 500\n";
    assert!(refused(&format!("{HEAD}\n\n{ask}{WEB}{central}"), FAILURE).contains("`app.py:"));
    // In a comment it does nothing.
    let comment = "\n\n# @app.errorhandler(Exception)\n";
    fixed_file(&format!("{HEAD}\n\n{ask}{WEB}{comment}"), FAILURE);
}

#[test]
fn call_before_a_fallback_is_left_to_a_person() {
    let ask = |handler: &str| {
        format!(
            "import json\n{HEAD}\n\ndef ask(text):\n    answer = client.responses.create(model=\"gpt-4.1\", input=text)\n    try:\n        return json.loads(answer.output_text)\n    except {handler}\n{WEB}"
        )
    };
    assert!(refused(&ask("Exception:\n        return {}"), FAILURE).contains("fallback"));
    fixed_file(&ask("ValueError:\n        return {}"), FAILURE);
}
