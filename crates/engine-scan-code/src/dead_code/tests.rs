//! Dead code, and near misses of it.

use std::sync::Arc;

use engine_model::{FileInfo, MemoryTree, SourceText, TraceKind, fixture};

use crate::{CodeFacts, CodeJoin, ManifestNames, Modules, join, join_again, read};

fn read_all(tree: &MemoryTree) -> Vec<(FileInfo, Arc<CodeFacts>)> {
    tree.files().map(|file| (file.info(), Arc::new(read(&file)))).collect()
}

fn joined(tree: &MemoryTree) -> CodeJoin {
    join(&read_all(tree), &ManifestNames::default(), tree)
}

/// Files and lines of the records that nothing runs.
fn idle(tree: &str) -> Vec<String> {
    let join = joined(&fixture(tree).unwrap());
    join.calls
        .iter()
        .filter(|call| !call.runs())
        .map(|call| format!("{}:{}", call.file, call.line))
        .collect()
}

const CLIENTS: &str = "//- Program.cs
using App;
var key = \"x\";
var client = new GeminiClient(key);
Console.WriteLine(await client.AskAsync(\"hi\"));
{PROGRAM}
//- ILlm.cs
namespace App;
public interface ILlm { Task<string> AskAsync(string text); }
//- GeminiClient.cs
using System.Net.Http.Json;
namespace App;
public class GeminiClient : ILlm
{
    private readonly HttpClient _http = new();
    public GeminiClient(string key) { }
    public async Task<string> AskAsync(string text)
    {
        var reply = await _http.PostAsJsonAsync(\"https://generativelanguage.googleapis.com/v1beta/models/gemini-2.0-flash:generateContent\", text);
        return await reply.Content.ReadAsStringAsync();
    }
}
//- OpenAiLlmClient.cs
using System.Net.Http.Json;
namespace App;
{MARK}public sealed class OpenAiLlmClient : {BASE}
{
    private readonly HttpClient _http = new();
    public OpenAiLlmClient(string key) { }
    public async Task<string> AskAsync(string text)
    {
        var reply = await _http.PostAsJsonAsync(\"https://api.openai.com/v1/chat/completions\", text);
        return await reply.Content.ReadAsStringAsync();
    }
}
";

fn clients(program: &str, mark: &str, base: &str) -> Vec<String> {
    idle(
        &CLIENTS
            .replace("{PROGRAM}", program)
            .replace("{MARK}", mark)
            .replace("{BASE}", base),
    )
}

#[test]
fn a_class_that_nothing_names_is_idle() {
    assert_eq!(clients("", "", "ILlm"), ["OpenAiLlmClient.cs:9"]);
    assert_eq!(
        clients("// var other = new OpenAiLlmClient(key);", "", "ILlm"),
        ["OpenAiLlmClient.cs:9"]
    );
    assert_eq!(
        clients(
            "//- README.md\nThe clients are GeminiClient.cs and OpenAiLlmClient.cs.",
            "",
            "ILlm"
        ),
        ["OpenAiLlmClient.cs:9"]
    );
}

#[test]
fn possibly_constructed_class_is_not_dead() {
    for (program, mark, base) in [
        ("services.AddSingleton<ILlm, OpenAiLlmClient>();", "", "ILlm"),
        (
            "//- appsettings.json\n{\"Llm\": {\"Type\": \"App.OpenAiLlmClient\"}}",
            "",
            "ILlm",
        ),
        ("var all = typeof(ILlm).Assembly.GetTypes();", "", "ILlm"),
        ("", "[Export(typeof(ILlm))]\n", "ILlm"),
        ("", "", "BackgroundService"),
    ] {
        assert!(clients(program, mark, base).is_empty(), "{program}{mark}{base}");
    }
}

#[test]
fn method_only_declared_by_interface_is_dead() {
    let tree = |program: &str| {
        CLIENTS
            .replace("{PROGRAM}", program)
            .replace("{MARK}", "")
            .replace("{BASE}", "ILlm")
            .replace("ILlm { ", "ILlm { Task<string> JudgeAsync(string text);\n")
            .replace(
                "    public OpenAiLlmClient(string key) { }\n",
                "    public OpenAiLlmClient(string key) { }\n    public async Task<string> JudgeAsync(string text)\n    {\n        var reply = await _http.PostAsJsonAsync(\"https://api.openai.com/v1/responses\", text);\n        return await reply.Content.ReadAsStringAsync();\n    }\n",
            )
    };
    let made = "var other = new OpenAiLlmClient(key); Console.WriteLine(await other.AskAsync(\"hi\"));";
    assert_eq!(idle(&tree(made)), ["OpenAiLlmClient.cs:9"]);
    assert!(
        idle(&tree(&format!(
            "{made}\nConsole.WriteLine(await other.JudgeAsync(\"hi\"));"
        )))
        .is_empty()
    );
}

const EXTENSION: &str = "//- manifest.json
{\"manifest_version\": 3, \"background\": {\"service_worker\": \"background.js\"}, \"action\": {\"default_popup\": \"popup.html\"}}
//- background.js
chrome.runtime.onMessage.addListener(async (message, sender, reply) => {
  const answer = await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: message.text }] }) });
  reply(await answer.json());
});
{BACKGROUND}
//- popup.html
<html><body><script src=\"popup.js\"></script></body></html>
//- popup.js
document.title = 'x';
//- utils/ai-service.js
class AIService {
  async ask(text) {
    const answer = await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'gpt-4', messages: [{ role: 'user', content: text }] }) });
    return answer.json();
  }
}
if (typeof module !== 'undefined' && module.exports) {
  module.exports = AIService;
}
{SERVICE}";

fn extension(background: &str, service: &str) -> Vec<String> {
    idle(
        &EXTENSION
            .replace("{BACKGROUND}", background)
            .replace("{SERVICE}", service),
    )
}

#[test]
fn unloaded_definitions_file_is_dead() {
    assert_eq!(extension("", ""), ["utils/ai-service.js:3"]);
    assert_eq!(
        extension("// importScripts('utils/ai-service.js');", ""),
        ["utils/ai-service.js:3"]
    );
    // What only another idle file brings in is idle as well.
    assert_eq!(
        extension(
            "",
            "//- utils/helper.js\nconst AIService = require('./ai-service');\nfunction help(text) {\n  return new AIService().ask(text);\n}\nmodule.exports = { help };\n"
        ),
        ["utils/ai-service.js:3"]
    );
    assert_eq!(
        extension(
            "",
            "//- tests/ai.test.js\nconst AIService = require('../utils/ai-service');\n"
        ),
        ["utils/ai-service.js:3"]
    );
}

#[test]
fn possibly_loaded_file_is_not_dead() {
    for (background, service) in [
        ("importScripts('utils/ai-service.js');", ""),
        ("const part = await import(`./utils/${name}.js`);", ""),
        ("", "//- options.html\n<script src=\"utils/ai-service.js\"></script>\n"),
        ("", "//- README.md\nRun `node utils/ai-service.js` to try it.\n"),
        ("", "//- gulpfile.js\nconst all = require.context('./utils');\n"),
        ("", "new AIService().ask('hi');\n"),
        ("const service = new AIService();", ""),
        ("", "//- package.json\n{\"dependencies\": {\"moleculer\": \"1\"}}\n"),
        ("", "document.addEventListener('click', () => 1);\n"),
    ] {
        assert!(extension(background, service).is_empty(), "{background}{service}");
    }
    // Others know what a file hands out as a whole by names of their own.
    let whole = "//- app.js\nimport Helper from './service.js';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport const helper = new Helper();\nconsole.log(await helper.ask('x'));\nconsole.log(await client.responses.create({ model: 'gpt-5.5', input: 'x' }));\n//- service.js\nimport OpenAI from 'openai';\nexport default class AIService {\n  async ask(text) {\n    return new OpenAI().responses.create({ model: 'gpt-5.5', input: text });\n  }\n}\n";
    assert!(idle(whole).is_empty());
    assert!(
        !idle(
            &whole
                .replace("export default class", "export class")
                .replace("import Helper", "import { Helper }")
        )
        .is_empty()
    );
    // Folders that a framework or a loop takes for handlers.
    for folder in ["commands", "api", "plugins", "functions"] {
        let tree = EXTENSION
            .replace("{BACKGROUND}", "")
            .replace("{SERVICE}", "")
            .replace("utils/", &format!("{folder}/"));
        assert!(idle(&tree).is_empty(), "{folder}");
    }
}

const PYTHON: &str = "//- bot.py
import google.generativeai as genai
from helper import ask
main_model = genai.GenerativeModel('gemini-1.5-pro')
backup_model = genai.GenerativeModel('gemini-1.5-flash')
def reply(text):
    return backup_model.generate_content(text)
print(reply(input()))
{BOT}
//- helper.py
def ask():
    return 1
{HELPER}";

#[test]
fn unreferenced_value_is_dead() {
    let tree = |bot: &str, helper: &str| PYTHON.replace("{BOT}", bot).replace("{HELPER}", helper);
    assert_eq!(idle(&tree("", "")), ["bot.py:3"]);
    assert_eq!(idle(&tree("# main_model is too dear", "")), ["bot.py:3"]);
    for (bot, helper) in [
        ("print(main_model.generate_content('x'))", ""),
        ("__all__ = ['main_model']", ""),
        (
            "",
            "def other():\n    from bot import main_model\n    return main_model\nprint(other())\n",
        ),
    ] {
        assert!(idle(&tree(bot, helper)).is_empty(), "{bot}{helper}");
    }
}

#[test]
fn abandoned_copy_is_dead_unless_its_folder_is_named() {
    let tree = |more: &str| {
        format!(
            "//- api/ask.py\nfrom openai import OpenAI\nprint(OpenAI().responses.create(model='gpt-5.5', input=input()))\n//- old/ask.py\nfrom openai import OpenAI\nprint(OpenAI().responses.create(model='gpt-4', input=input()))\n{more}"
        )
    };
    let found = idle(&tree(""));
    assert!(
        found.iter().all(|place| place.starts_with("old/")) && !found.is_empty(),
        "{found:?}"
    );
    assert!(idle(&tree("//- docker-compose.yml\nservices:\n  ask:\n    build: ./old/\n")).is_empty());
}

#[test]
fn tree_with_only_dead_code_counts_as_run() {
    let lone = "//- utils/ask.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(text):\n    return client.responses.create(model='gpt-5.5', input=text)\n";
    assert!(idle(lone).is_empty());
    assert!(idle(&lone.replace("utils/", "old/")).is_empty());
}

#[test]
fn a_library_that_may_be_missing_is_told() {
    let optional = |text: &str| {
        let join = joined(&fixture(text).unwrap());
        join.calls.iter().any(|call| call.traced(TraceKind::Optional).is_some())
    };
    let tree = "//- app.py\ntry:\n    import openai\nexcept ImportError:\n    openai = None\nclient = openai.OpenAI()\nprint(client.responses.create(model='gpt-5.5', input=input()))\n";
    assert!(optional(tree));
    assert!(!optional(&tree.replace(
        "try:\n    import openai\nexcept ImportError:\n    openai = None\n",
        "import openai\n"
    )));
}

#[test]
fn a_remembered_join_sees_what_a_text_begins_to_name() {
    let before = fixture(&PYTHON.replace("{BOT}", "").replace("{HELPER}", "")).unwrap();
    let after = fixture(
        &PYTHON
            .replace("{BOT}", "")
            .replace("{HELPER}", "NAMES = ['main_model']\n"),
    )
    .unwrap();
    let again = |tree: &MemoryTree, before: Option<_>| {
        join_again(
            &mut read_all(tree),
            &ManifestNames::default(),
            tree as &dyn SourceText,
            before.map(Arc::new),
            &Modules::default(),
        )
        .0
    };
    let first = again(&before, None);
    assert_eq!(first.join(), joined(&before));
    let second = again(&after, Some(first));
    assert_eq!(second.join(), joined(&after));
    let third = again(&before, Some(second));
    assert_eq!(third.join(), joined(&before));
    assert_ne!(joined(&before), joined(&after));
}

const SWITCHED: &str = "//- chat.ts
const USE_OPENAI = {VALUE};
const OPENAI_API_KEY = process.env.OPENAI_API_KEY || '';
export default async function handler(request) {
  let reply;
  if ({CONDITION}) {
    reply = await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body: '{}' });
  } else {
    reply = await fetch('https://api.mistral.ai/v1/chat/completions', { method: 'POST', body: '{}' });
  }
  {MORE}
  return reply;
}
";

#[test]
fn branch_disabled_by_file_constant_is_dead() {
    let tree = |value: &str, condition: &str, more: &str| {
        let tree = SWITCHED.replace("{VALUE}", value).replace("{CONDITION}", condition);
        idle(&tree.replace("{MORE}", more))
    };
    for condition in [
        "USE_OPENAI",
        "USE_OPENAI && OPENAI_API_KEY",
        "OPENAI_API_KEY && USE_OPENAI && request.ok",
        "OPENAI_API_KEY.length > 3 && USE_OPENAI",
    ] {
        assert_eq!(tree("false", condition, ""), ["chat.ts:6"], "{condition}");
    }
    assert_eq!(tree("true", "USE_OPENAI", ""), ["chat.ts:8"]);
    assert_eq!(tree("false", "!USE_OPENAI", ""), ["chat.ts:8"]);
    for condition in [
        "USE_OPENAI || OPENAI_API_KEY",
        "USE_OPENAI === request.off",
        "(USE_OPENAI && request.ok) || OPENAI_API_KEY",
        "request.allows(USE_OPENAI && OPENAI_API_KEY)",
        "!(USE_OPENAI && OPENAI_API_KEY)",
    ] {
        assert!(tree("false", condition, "").is_empty(), "{condition}");
    }
    assert!(tree("process.env.OPENAI === 'on'", "USE_OPENAI", "").is_empty());
    assert!(tree("false", "USE_OPENAI", "USE_OPENAI = request.openai;").is_empty());
}

#[test]
fn a_constant_switches_off_in_python_too() {
    let python = "//- app.py\nimport openai\nUSE_GPT = False\ndef ask(text):\n    if USE_GPT and text:\n        return openai.OpenAI().responses.create(input=text)\n    return openai.OpenAI().responses.create(input=text[1:])\nprint(ask(input()))\n";
    assert_eq!(idle(python), ["app.py:5", "app.py:5"]);
    assert!(
        idle(&python.replace(
            "def ask(text):",
            "def ask(text):\n    global USE_GPT\n    USE_GPT = bool(text)"
        ))
        .is_empty()
    );
}

const FUNCTIONS: &str = "//- main.py
from services import tell
import registry
print(tell(input()))
{MAIN}
//- services.py
from openai import OpenAI
client = OpenAI()
def tell(text):
    return client.responses.create(model='gpt-5.5', input=text)
{MARK}def generate_exam({PARAM}):
    return client.responses.create(model='gpt-4', input='x')
{MORE}
//- registry.py
NAMES = []
";

fn functions(main: &str, mark: &str, param: &str, more: &str) -> Vec<String> {
    idle(
        &FUNCTIONS
            .replace("{MAIN}", main)
            .replace("{MARK}", mark)
            .replace("{PARAM}", param)
            .replace("{MORE}", more),
    )
}

#[test]
fn uncalled_function_is_dead() {
    assert_eq!(functions("", "", "topic", ""), ["services.py:6"]);
    assert_eq!(functions("# generate_exam('x')", "", "topic", ""), ["services.py:6"]);
    assert_eq!(functions("", "@retry(stop=3)\n", "topic", ""), ["services.py:7"]);
    // What only an idle function calls is idle as well.
    assert_eq!(
        functions(
            "",
            "",
            "topic",
            "def print_exam(topic):\n    print(generate_exam(topic))"
        ),
        ["services.py:6"]
    );
    // Tests are no product.
    assert_eq!(
        functions(
            "//- tests/test_exam.py\nfrom services import generate_exam\nprint(generate_exam('x'))",
            "",
            "topic",
            ""
        ),
        ["services.py:6"]
    );
}

#[test]
fn possibly_called_function_is_not_dead() {
    for (main, mark, param, more) in [
        (
            "from services import generate_exam\nprint(generate_exam('x'))",
            "",
            "topic",
            "",
        ),
        ("registry.NAMES.append('generate_exam')", "", "topic", ""),
        ("print(getattr(registry, input())(1))", "", "topic", ""),
        ("", "@app.task\n", "topic", ""),
        ("", "", "request", ""),
        ("", "", "topic", "__all__ = ['generate_exam']"),
        ("", "", "topic", "TOOLS = [generate_exam]"),
        (
            "//- pyproject.toml\n[project]\nname = 'exams'\nclassifiers = ['Topic :: Education']",
            "",
            "topic",
            "",
        ),
        (
            "//- setup.py\nfrom setuptools import setup\nsetup(name='exams')",
            "",
            "topic",
            "",
        ),
        (
            "//- serverless.yml\nfunctions:\n  exam:\n    handler: services.generate_exam",
            "",
            "topic",
            "",
        ),
        (
            "",
            "",
            "topic",
            "def print_exam(topic):\n    print(generate_exam(topic))\nprint_exam('x')",
        ),
    ] {
        assert!(
            functions(main, mark, param, more).is_empty(),
            "{main}{mark}{param}{more}"
        );
    }
    // An attribute that a constant names is one.
    assert!(!functions("print(getattr(registry, 'NAMES', None))", "", "topic", "").is_empty());
}

const SCRIPTS: &str = "//- index.js
const { tell } = require('./services/tell');
tell(process.argv[2]).then(console.log);
{MAIN}
//- services/tell.js
const OpenAI = require('openai');
const client = new OpenAI();
async function tell(text) {
  return client.responses.create({ model: 'gpt-5.5', input: text });
}
async function summarize(text) {
  return client.responses.create({ model: 'gpt-4', input: text });
}
{EXPORT}
";

#[test]
fn unused_script_export_is_dead() {
    let tree = |main: &str, export: &str| idle(&SCRIPTS.replace("{MAIN}", main).replace("{EXPORT}", export));
    for export in [
        "module.exports = { tell, summarize };",
        "module.exports = {\n  tell,\n  summarize,\n};",
        "export { tell, summarize };",
        "export default {\n  tell,\n  summarize,\n};",
        "exports.tell = tell;\nexports.summarize = summarize;",
        "const all = {\n  tell,\n  summarize\n};\nexport default all;",
    ] {
        assert_eq!(tree("", export), ["services/tell.js:7"], "{export}");
        assert!(tree("const t = require('./services/tell');\nt.summarize('x');", export).is_empty());
    }
    for (main, export) in [
        (
            "import * as all from './services/tell';",
            "module.exports = { tell, summarize };",
        ),
        ("", "module.exports = { tell, short: summarize };"),
        ("", "export default { tell, short: summarize };"),
        ("", "const all = { tell, summarize };\nrun(all);"),
        (
            "import all from './services/tell';\nall.summarize('x');",
            "const all = { tell, summarize };\nexport default all;",
        ),
        ("tell('summarize');", "module.exports = { tell, summarize };"),
        ("", "module.exports = { tell };\nsetInterval(summarize, 1000);"),
        (
            "//- page.html\n<button onclick=\"summarize('x')\">Go</button>",
            "module.exports = { tell, summarize };",
        ),
        (
            "//- package.json\n{\"name\": \"tell\", \"exports\": {\".\": \"./services/tell.js\"}}",
            "module.exports = { tell, summarize };",
        ),
    ] {
        assert!(tree(main, export).is_empty(), "{main}{export}");
    }
    // A step of an address is no function, and files that are brought in by themselves are still called by names.
    for main in [
        "fetch(`${host}/summarize`);",
        "fetch('https://a.example/v1/summarize?x=1');",
        "//- vite.config.ts\nimport AutoImport from 'unplugin-auto-import/vite';\nexport default { plugins: [AutoImport({})] };",
    ] {
        assert!(
            !tree(main, "module.exports = { tell, summarize };").is_empty(),
            "{main}"
        );
    }
    // A library of others that is brought in as a whole leads to none of these.
    assert!(!tree("import * as fs from 'fs';", "module.exports = { tell, summarize };").is_empty());
}

#[test]
fn class_constructed_only_by_dead_class_is_dead() {
    let factory = "//- Factory.cs\nnamespace App;\npublic class ClientFactory\n{\n    public ILlm Make(string key)\n    {\n        return new OpenAiLlmClient(key);\n    }\n}\n";
    assert_eq!(clients(factory, "", "ILlm"), ["OpenAiLlmClient.cs:9"]);
    assert!(
        clients(
            &format!("{factory}//- Start.cs\nservices.AddSingleton<ClientFactory>();"),
            "",
            "ILlm"
        )
        .is_empty()
    );
    assert!(
        clients(
            &factory.replace("class ClientFactory", "class ClientFactory : BackgroundService"),
            "",
            "ILlm"
        )
        .is_empty()
    );
}

#[test]
fn unnamed_php_class_is_dead() {
    let tree = |place: &str, base: &str, bot: &str| {
        idle(&format!(
            "//- bot.php\n<?php\nuse Desk\\Bot;\n$update = json_decode(file_get_contents('php://input'), true);\n$bot = new Bot('k');\n{bot}\necho $bot->answer($update['text']);\n\
             //- src/Bot.php\n<?php\nnamespace Desk;\nuse OpenAI;\nclass Bot\n{{\n    public function __construct(private string $key) {{}}\n    public function answer(string $text)\n    {{\n        $client = OpenAI::client($this->key);\n        $said = $client->chat()->create(['model' => 'gpt-4o-2024-08-06', 'messages' => [['role' => 'user', 'content' => $text]]]);\n        return $said->choices[0]->message->content;\n    }}\n}}\n\
             //- {place}\n<?php\nnamespace Desk;\nuse OpenAI;\n// Davinci was first.\nclass Davinci{base}\n{{\n    public function complete(string $text)\n    {{\n        return OpenAI::client('k')->completions()->create(['model' => 'gpt-3.5-turbo-instruct', 'prompt' => $text]);\n    }}\n}}\n"
        ))
    };
    let dead = |seen: Vec<String>| seen.iter().any(|place| place.contains("Davinci.php"));
    assert!(dead(tree("src/Davinci.php", "", "")));
    assert!(dead(tree("src/Davinci.php", "", "// $bot = new Davinci();")));
    for (place, base, bot) in [
        ("src/Davinci.php", "", "$other = new \\Desk\\Davinci();"),
        ("src/Davinci.php", "", "$kinds = ['old' => Davinci::class];"),
        ("src/Davinci.php", "", "$other = new $kind();"),
        ("src/Davinci.php", " extends \\Frame\\Step", ""),
        ("app/Listeners/Davinci.php", "", ""),
    ] {
        let seen = tree(place, base, bot);
        assert!(!dead(seen.clone()), "{place} {base} {bot}: {seen:?}");
    }
}

#[test]
fn class_shadowed_by_same_name_is_dead() {
    let tree = |between: &str, second: &str| {
        idle(&format!(
            "//- embed.py\nfrom openai import OpenAI\nclient = OpenAI()\n\nclass Embedder:\n    def embed(self, text):\n        return client.responses.create(model='gpt-4', input=text)\n\n{between}\
             {second}:\n    def embed(self, text):\n        return client.responses.create(model='gpt-5.5', input=text)\n//- app.py\nfrom embed import Embedder\nprint(Embedder().embed('x'))\n"
        ))
    };
    assert_eq!(tree("", "class Embedder"), ["embed.py:6"]);
    assert!(tree("old = Embedder()\nprint(old.embed('x'))\n", "class Embedder").is_empty());
    assert!(tree("", "class Embedder(Embedder)").is_empty());
}

#[test]
fn script_replaced_by_other_provider_file_is_dead() {
    let tree = |folder: &str, brought: &str| {
        let bot = |model: &str| {
            format!(
                "const OpenAI = require('openai');\nconst client = new OpenAI();\nasync function answerAll(text) {{\n  return client.responses.create({{ model: '{model}', input: text }});\n}}\nmodule.exports = {{ answerAll }};\n"
            )
        };
        idle(&format!(
            "//- package.json\n{{\"name\": \"bot\", \"dependencies\": {{\"openai\": \"4\"}}}}\n//- index.js\nconst {{ answerAll }} = require('{brought}');\nanswerAll('x').then(console.log);\n\
             //- src/bot.js\n{}//- {folder}/bot-v37.js\n{}",
            bot("gpt-5.5"),
            bot("gpt-4")
        ))
    };
    assert_eq!(
        tree("src/copies", "./src/bot"),
        ["src/copies/bot-v37.js:2", "src/copies/bot-v37.js:4"]
    );
    assert_eq!(
        tree("src/Versões anteriores", "./src/bot"),
        [
            "src/Versões anteriores/bot-v37.js:2",
            "src/Versões anteriores/bot-v37.js:4"
        ]
    );
    assert_eq!(tree("src/copies", "./src/copies/bot-v37"), ["src/bot.js:4"]);
}

#[test]
fn container_entry_is_referenced_by_its_name() {
    let tree = |asked: &str| {
        idle(&format!(
            "//- app/Module.kt\npackage a\nimport com.google.ai.client.generativeai.GenerativeModel\nimport dagger.Module\nimport dagger.Provides\nimport javax.inject.Named\n@Module\nobject AppModule {{\n  @Provides\n  @Named(\"Default\")\n  fun provideFirst(): GenerativeModel {{\n    return GenerativeModel(\"gemini-pro\", \"k\")\n  }}\n  @Provides\n  @Named(\"Pro\")\n  fun provideOther(): GenerativeModel {{\n    return GenerativeModel(\"gemini-2.5-pro\", \"k\")\n  }}\n}}\n\
             //- app/Talk.kt\npackage a\nimport com.google.ai.client.generativeai.GenerativeModel\nimport javax.inject.Inject\nimport javax.inject.Named\nclass TalkViewModel @Inject constructor(@Named(\"Pro\") private val model: GenerativeModel{asked}) {{\n  suspend fun ask(q: String): String? {{\n    return model.generateContent(q).text\n  }}\n}}\n\
             //- app/Main.kt\npackage a\nfun main() {{\n  TalkViewModel(other()).ask(\"x\")\n}}\n"
        ))
    };
    assert_eq!(tree(""), ["app/Module.kt:11"]);
    assert!(tree(", @Named(\"Default\") private val first: GenerativeModel").is_empty());
}

#[test]
fn uncalled_route_is_dead_if_pages_call_other_routes() {
    let route = |name: &str| {
        format!(
            "//- app/api/{name}/route.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function POST(request: Request) {{\n  const reply = await client.responses.create({{ model: 'gpt-5.5', input: await request.text() }});\n  return Response.json({{ text: reply.output_text }});\n}}\n"
        )
    };
    let page = |asks: &str| {
        format!(
            "//- app/page.tsx\nexport default function Page() {{\n  const ask = () => {asks};\n  return <button onClick={{ask}}>Go</button>;\n}}\n"
        )
    };
    let of = |names: &[&str], asks: &str| {
        let tree: String = names.iter().map(|name| route(name)).chain([page(asks)]).collect();
        idle(&tree)
    };
    let lines = |name: &str| {
        vec![
            format!("app/api/{name}/route.ts:2"),
            format!("app/api/{name}/route.ts:4"),
        ]
    };
    assert_eq!(of(&["story", "poem"], "fetch('/api/story')"), lines("poem"));
    // A longer word is another path.
    assert_eq!(
        of(&["story", "story-image"], "fetch('/api/story-image')"),
        lines("story")
    );
    // Near misses: the last step stands in a call of one's own, the path is put together, nothing is asked for in a way that is known, and
    // somebody else asks.
    assert!(of(&["story", "poem"], "[fetch('/api/story'), post('poem')]").is_empty());
    assert!(of(&["story", "poem"], "fetch(`/api/${kind}`)").is_empty());
    assert!(of(&["story", "poem"], "client.ask()").is_empty());
    assert!(of(&["story", "cron/poem"], "fetch('/api/story')").is_empty());
    assert!(of(&["story", "chat"], "fetch('/api/story')").is_empty());
}

#[test]
fn unread_local_value_is_dead() {
    let app = |next: &str| {
        format!(
            "//- app.py\nfrom langchain_openai import ChatOpenAI\nclass Keeper:\n    def __init__(self, llm):\n        self.llm = llm\n\
             def gather(text):\n    keeper = Keeper(llm=ChatOpenAI(model='gpt-4o'))\n    {next}\n    return text\n\
             def ask(text):\n    keeper = Keeper(llm=ChatOpenAI(model='gpt-5.1'))\n    return keeper.llm.invoke(text)\nprint(ask(gather('x')))\n"
        )
    };
    assert_eq!(idle(&app("pass")), ["app.py:6"]);
    assert_eq!(idle(&app("text = keeper.llm.invoke(text)")), Vec::<String>::new());
    // Who is handed to something else may be asked there.
    assert_eq!(idle(&app("register(keeper)")), Vec::<String>::new());
    assert_eq!(idle(&app("text = f'{keeper}'")), Vec::<String>::new());
    let global = app("pass").replace("def gather(text):\n", "def gather(text):\n    global keeper\n");
    assert_eq!(idle(&global), Vec::<String>::new());
}
