//! Retired models: place of the name, and dates of the provider.

use engine_model::{FindingType, Impact, Severity, fixture};

use super::{on, today};
use crate::scan_memory;

/// What is told of models that end: kind, place and message.
fn told(tree: &str) -> Vec<(FindingType, String, String)> {
    scan_memory(&fixture(tree).unwrap(), &today())
        .findings
        .iter()
        .filter(|finding| finding.check_id == "l3-retired-model")
        .map(|finding| {
            let place = format!(
                "{}:{}",
                finding.file.as_deref().unwrap_or(""),
                finding.line.unwrap_or(0)
            );
            (finding.kind, place, finding.message.clone())
        })
        .collect()
}

fn places(tree: &str) -> Vec<String> {
    told(tree).into_iter().map(|(_, place, _)| place).collect()
}

/// The models of all calls.
fn models(tree: &str) -> Vec<(String, Option<String>)> {
    scan_memory(&fixture(tree).unwrap(), &today())
        .inventory
        .calls
        .iter()
        .map(|call| (call.symbol.clone(), call.model.clone()))
        .collect()
}

#[test]
fn settings_file_is_place_of_model_name() {
    let route = "//- src/ask.ts\nimport OpenAI from 'openai';\nimport { config } from './config';\nconst client = new OpenAI();\nexport async function ask(text: string) {\n  return client.chat.completions.create({ model: config.ai.model, messages: [{ role: 'user', content: text }] });\n}\nask(process.argv[2]);\n";
    let code = format!(
        "{route}//- src/config.ts\nexport const config = {{\n  port: 80,\n  ai: {{\n    model: process.env.MODEL || 'gpt-3.5-turbo',\n  }},\n}};\n"
    );
    let found = told(&code);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, "src/config.ts:4");
    assert!(
        found[0].2.contains("(src/config.ts:4, called at src/ask.ts:5)"),
        "{}",
        found[0].2
    );
    // A name at the call itself is named once.
    let own = told(&code.replace("model: config.ai.model", "model: 'gpt-3.5-turbo-0125'"));
    assert_eq!(own[0].1, "src/ask.ts:5");
    assert!(!own[0].2.contains("called at"), "{}", own[0].2);
}

#[test]
fn properties_yaml_and_json_are_place_of_model_name() {
    let spring = "//- pom.xml\n<project><dependencies><dependency><groupId>org.springframework.ai</groupId><artifactId>spring-ai-starter-model-openai</artifactId><version>1.0.0</version></dependency></dependencies></project>\n//- src/main/java/app/Chat.java\npackage app;\nimport org.springframework.ai.chat.client.ChatClient;\nimport org.springframework.web.bind.annotation.*;\n@RestController\npublic class Chat {\n  private final ChatClient client;\n  public Chat(ChatClient.Builder builder) { this.client = builder.build(); }\n  @PostMapping(\"/ask\")\n  public String ask(@RequestBody String text) { return client.prompt().user(text).call().content(); }\n}\n";
    let properties = format!(
        "{spring}//- src/main/resources/application.properties\nserver.port=80\nspring.ai.openai.chat.options.model=gpt-3.5-turbo\n"
    );
    assert_eq!(places(&properties), ["src/main/resources/application.properties:2"]);
    let yaml = format!(
        "{spring}//- src/main/resources/application.yml\nspring:\n  ai:\n    openai:\n      chat:\n        options:\n          model: ${{CHAT_MODEL:gpt-3.5-turbo}}\n"
    );
    assert_eq!(places(&yaml), ["src/main/resources/application.yml:6"]);
    let json = "//- app.py\nimport json\nfrom openai import OpenAI\nsettings = json.load(open('config.json'))\nprint(OpenAI().responses.create(model=settings['chat']['model'], input=input()).output_text)\n//- config.json\n{\n  \"other\": {\"model\": \"none\"},\n  \"chat\": {\n    \"model\": \"gpt-3.5-turbo\"\n  }\n}\n";
    assert_eq!(places(json), ["config.json:4"]);
}

#[test]
fn reader_of_model_output_has_no_model_name() {
    let speaks = "//- app.py\nimport google.generativeai as genai\nfrom gtts import gTTS\nmodel = genai.GenerativeModel('gemini-2.0-flash')\ndef answer(question):\n    text = model.generate_content(question).text\n    gTTS(text=text, lang='en').save('reply.mp3')\nanswer(input())\n";
    for (symbol, model) in models(speaks) {
        assert_eq!(model.is_some(), symbol.contains("generativeai"), "{symbol}: {model:?}");
    }
    assert_eq!(places(speaks), ["app.py:3"]);
    // An assistant is asked by its number, and stands for the model that it was made with.
    let assistant = "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\nassistant = client.beta.assistants.create(model='gpt-4o', name='a')\nrun = client.beta.threads.runs.create_and_poll(thread_id='t', assistant_id=assistant.id)\nprint(run)\n";
    assert!(
        models(assistant)
            .iter()
            .any(|(symbol, model)| symbol.contains("runs") && model.as_deref() == Some("gpt-4o")),
        "{:?}",
        models(assistant)
    );
}

#[test]
fn self_hosted_runtime_has_no_served_only_model() {
    let tree = "//- app.py\nimport os\nfrom langchain_ollama import ChatOllama\nMODEL = os.environ.get('MODEL', 'gpt-4o')\nllm = ChatOllama(model=MODEL)\nprint(llm.invoke(input()))\n";
    assert!(
        models(tree).iter().all(|(_, model)| model.is_none()),
        "{:?}",
        models(tree)
    );
    assert!(places(tree).is_empty());
    let open = tree.replace("gpt-4o", "llama3.1");
    assert!(
        models(&open)
            .iter()
            .any(|(_, model)| model.as_deref() == Some("llama3.1"))
    );
    assert_eq!(
        places(
            &tree
                .replace(
                    "langchain_ollama import ChatOllama",
                    "langchain_openai import ChatOpenAI"
                )
                .replace("ChatOllama(", "ChatOpenAI(")
        ),
        ["app.py:3"]
    );
}

#[test]
fn provider_dates_apply_to_calls_of_that_provider() {
    let ask = |address: &str| {
        format!(
            "//- app.py\nimport os\nimport requests\n{address}\ndef ask(text):\n    reply = requests.post(URL + '/chat/completions', headers={{'api-key': os.environ['KEY']}}, json={{'model': 'gpt-4o', 'messages': [{{'role': 'user', 'content': text}}]}})\n    return reply.json()['choices'][0]['message']['content']\nprint(ask(input()))\n"
        )
    };
    let unknown = ask("URL = os.environ['LLM_ENDPOINT']");
    assert!(!models(&unknown).is_empty());
    assert!(places(&unknown).is_empty(), "whose days hold is not known");
    assert_eq!(
        places(&ask(
            "URL = os.environ.get('LLM_ENDPOINT', 'https://api.openai.com/v1')"
        ))
        .len(),
        1
    );
    assert_eq!(places(&ask("URL = 'https://api.openai.com/v1'")).len(), 1);
    let plain = "//- app.py\nfrom openai import OpenAI\nprint(OpenAI().responses.create(model='gpt-4o', input=input()).output_text)\n";
    assert_eq!(places(plain).len(), 1);
    let optional = "//- app.py\nimport os\nfrom openai import OpenAI\nurl = os.getenv('OPENAI_BASE_URL')\nclient = OpenAI(base_url=url) if url else OpenAI()\nprint(client.responses.create(model='gpt-4o', input=input()).output_text)\n";
    assert_eq!(places(optional).len(), 1, "without an address its maker is asked");
    assert!(places(&optional.replace(" if url else OpenAI()", "")).is_empty());
}

#[test]
fn tuned_weights_do_not_inherit_retirement_date() {
    let tree = "//- app.py\nfrom openai import OpenAI\nprint(OpenAI().responses.create(model='ft:gpt-3.5-turbo-0613:shop:reviews:8dWQ9vUC', input=input()).output_text)\n";
    assert!(places(tree).is_empty());
    assert_eq!(
        places(&tree.replace(":shop:reviews:8dWQ9vUC", "").replace("ft:", "")).len(),
        1
    );
}

#[test]
fn sibling_retired_models_are_listed_together() {
    let tree = "//- app.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconst MODELS = {\n  small: 'dall-e-2',\n  large: 'dall-e-3',\n  next: 'gpt-image-2',\n};\nexport async function draw(text: string) {\n  return client.images.generate({ model: MODELS.small, prompt: text });\n}\ndraw(process.argv[2]);\n";
    let found = told(tree);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0]
            .2
            .contains("`dall-e-3` next to it (app.ts:5) was retired on 2026-05-12"),
        "{}",
        found[0].2
    );
    assert!(!found[0].2.contains("gpt-image-2"));
}

#[test]
fn disabled_branch_calls_no_model() {
    let tree = |value: &str| {
        format!(
            "//- app.py\nfrom openai import OpenAI\nfrom anthropic import Anthropic\nUSE_OPENAI = {value}\ndef ask(text):\n    if USE_OPENAI:\n        return OpenAI().responses.create(model='gpt-4o', input=text).output_text\n    return Anthropic().messages.create(model='claude-opus-5', messages=[{{'role': 'user', 'content': text}}]).content\nprint(ask(input()))\n"
        )
    };
    assert!(places(&tree("False")).is_empty());
    assert_eq!(places(&tree("True")).len(), 1);
}

#[test]
fn calls_of_removed_api_are_reported() {
    let tree = |call: &str| {
        format!(
            "//- bot.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef answer(text):\n    return client.{call}\nprint(answer(input()))\n"
        )
    };
    let found = told(&tree(
        "beta.threads.create_and_run_poll(assistant_id='a', thread={'messages': []})",
    ));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, "bot.py:4");
    assert!(
        found[0]
            .2
            .starts_with("The Assistants API of OpenAI (bot.py:4) was switched off on 2026-08-26: calls fail"),
        "{}",
        found[0].2
    );
    assert!(told(&tree("beta.chat.completions.parse(model='gpt-5.5', messages=[])")).is_empty());
}

#[test]
fn calls_of_removed_host_are_reported() {
    let tree = |host: &str| {
        format!(
            "//- bot.py\nimport requests\ndef answer(text):\n    return requests.post('https://{host}/models/google/flan-t5-base', json={{'inputs': text}}).json()\nprint(answer(input()))\n"
        )
    };
    let found = told(&tree("api-inference.huggingface.co"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, "bot.py:3");
    assert!(
        found[0].2.starts_with(
            "The old Inference API of Hugging Face (bot.py:3) was switched off by 2025-12-11 at the latest: calls fail"
        ),
        "{}",
        found[0].2
    );
    assert!(told(&tree("router.huggingface.co/hf-inference")).is_empty());
}

#[test]
fn model_choice_is_reported_once() {
    let branches = "//- src/main.rs\nuse async_openai::{Client, types::CreateCompletionRequest};\nenum Engine { Ada, Curie, Davinci }\nfn model(engine: Engine) -> String {\n    match engine {\n        Engine::Ada => \"text-ada-001\".to_string(),\n        Engine::Curie => \"text-curie-001\".to_string(),\n        Engine::Davinci => \"text-davinci-003\".to_string(),\n    }\n}\n#[tokio::main]\nasync fn main() {\n    let client = Client::new();\n    let request = CreateCompletionRequest { model: model(Engine::Ada), prompt: \"Hello\".into(), ..Default::default() };\n    println!(\"{:?}\", client.completions().create(request).await);\n}\n";
    let found = told(branches);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, "src/main.rs:5");
    assert!(
        found[0].2.contains(
            "; `text-curie-001` next to it (src/main.rs:6) was retired on 2024-01-04; `text-davinci-003` next to it"
        ),
        "{}",
        found[0].2
    );
    let table = "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\nMODELS = {\n    'default': 'gpt-4',\n    'a': 1,\n    'b': 2,\n    'c': 3,\n    'd': 4,\n    'e': 5,\n    'f': 6,\n    'g': 7,\n    'h': 8,\n    'turbo': 'gpt-4-turbo-preview',\n}\ndef ask(text, size):\n    if size == 'big':\n        return client.responses.create(model=MODELS['turbo'], input=text)\n    return client.responses.create(model=MODELS['default'], input=text)\nprint(ask(input(), input()))\n";
    assert_eq!(places(table).len(), 1, "{:?}", told(table));
    // Two calls of their own are two things to change.
    let two = "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef ask(text):\n    return client.responses.create(model='gpt-4', input=text)\ndef draw(text):\n    return client.responses.create(model='gpt-4-turbo-preview', input=text)\nprint(ask(input()), draw(input()))\n";
    assert_eq!(places(two), ["app.py:4", "app.py:6"]);
}

#[test]
fn model_name_does_not_match_other_provider() {
    let tree = |other: &str| {
        format!(
            "//- app.py\nfrom openai import OpenAI\nfrom {other}\ndef by_maker(text, model):\n    return OpenAI().responses.create(model=model, input=text).output_text\ndef by_other(text, model):\n    return client.messages.create(model=model, max_tokens=9, messages=[{{'role': 'user', 'content': text}}]).content\ndef ask(text, model):\n    if model.startswith('claude'):\n        return by_other(text, model)\n    return by_maker(text, model)\nprint(ask(input(), 'gpt-4o'))\n"
        )
    };
    let calls = models(&tree("anthropic import Anthropic\nclient = Anthropic()"));
    let model = |symbol: &str| {
        calls
            .iter()
            .find(|(known, _)| known.contains(symbol))
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(model("messages"), None, "{calls:?}");
    assert_eq!(model("responses").as_deref(), Some("gpt-4o"));
    let calls = models(
        "//- app.py\nfrom anthropic import AnthropicBedrock\nclient = AnthropicBedrock()\nprint(client.messages.create(model='claude-3-opus-20240229', max_tokens=9, messages=[{'role': 'user', 'content': input()}]).content)\n",
    );
    assert!(calls.iter().any(|(_, model)| model.is_some()), "{calls:?}");
}

#[test]
fn library_constants_are_model_names() {
    let tree = |constant: &str| {
        format!(
            "//- go.mod\nmodule example.com/bot\nrequire github.com/sashabaranov/go-openai v1.20.0\n//- main.go\npackage main\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"os\"\n\topenai \"github.com/sashabaranov/go-openai\"\n)\nfunc main() {{\n\tclient := openai.NewClient(os.Getenv(\"KEY\"))\n\tanswer, err := client.CreateChatCompletion(context.Background(), openai.ChatCompletionRequest{{\n\t\tModel: {constant},\n\t\tMessages: []openai.ChatCompletionMessage{{{{Role: \"user\", Content: os.Args[1]}}}},\n\t}})\n\tfmt.Println(answer, err)\n}}\n"
        )
    };
    assert_eq!(places(&tree("openai.GPT3Dot5Turbo")).len(), 1);
    assert!(places(&tree("openai.ChatModelOfOurs3")).is_empty());
}

#[test]
fn notice_in_dead_code_is_not_shown() {
    let tree = |more: &str| {
        format!(
            "//- services.py\nimport google.generativeai as genai\ndef generate_exam(topic):\n    model = genai.GenerativeModel('gemini-pro')\n    return model.generate_content(topic).text\n//- main.py\nfrom openai import OpenAI\n{more}\nprint(OpenAI().responses.create(model='gpt-5.5', input=input()).output_text)\n"
        )
    };
    assert!(places(&tree("")).is_empty(), "{:?}", told(&tree("")));
    let called = tree("from services import generate_exam\nprint(generate_exam(input()))");
    assert_eq!(places(&called), ["services.py:3"]);
}

#[test]
fn key_test_scripts_and_obsolete_folders_are_ignored() {
    let tree = |path: &str| {
        format!(
            "//- {path}\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconsole.log(await client.responses.create({{ model: 'gpt-4', input: 'hi' }}));\n//- server.js\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nconsole.log(await client.responses.create({{ model: 'gpt-5.5', input: process.argv[2] }}));\n"
        )
    };
    for path in [
        "backend/tryApiKey.js",
        "listModels.js",
        "Obsolete Workflows/ask.js",
        "app_old/ask.js",
    ] {
        assert!(places(&tree(path)).is_empty(), "{path}");
    }
    for path in [
        "backend/checkAnswer.js",
        "backend/listing.js",
        "archive-service/ask.js",
        "gold/ask.js",
    ] {
        assert_eq!(places(&tree(path)).len(), 1, "{path}");
    }
}

#[test]
fn client_container_is_no_model_call() {
    let spring = "//- pom.xml\n<project><dependencies><dependency><groupId>org.springframework.ai</groupId><artifactId>spring-ai-starter-model-openai</artifactId><version>1.0.0</version></dependency></dependencies></project>\n//- src/main/java/app/Pick.java\npackage app;\nimport org.springframework.ai.chat.client.ChatClient;\nimport org.springframework.beans.factory.ObjectProvider;\n@Service\npublic class Pick {\n  private final ObjectProvider<ChatClient> clients;\n  public Pick(ObjectProvider<ChatClient> clients) { this.clients = clients; }\n  public ChatClient pick() {\n    return clients.stream().findFirst().orElseThrow();\n  }\n}\n//- src/main/java/app/Chat.java\npackage app;\nimport org.springframework.ai.chat.client.ChatClient;\n@RestController\npublic class Chat {\n  private final Pick pick;\n  public Chat(Pick pick) { this.pick = pick; }\n  @PostMapping(\"/ask\")\n  public String ask(@RequestBody String text) {\n    ChatClient client = pick.pick();\n    return client.prompt().user(text).call().content();\n  }\n}\n";
    let calls = models(spring);
    assert!(
        calls.iter().any(|(symbol, _)| symbol.ends_with("prompt().user().call")),
        "{calls:?}"
    );
    assert!(
        calls.iter().all(|(symbol, _)| !symbol.ends_with(".stream")),
        "{calls:?}"
    );
}

#[test]
fn reachable_call_is_reported_before_dead_code() {
    let tree = |used: &str| {
        format!(
            "//- requirements.txt\nfastapi==0.115.0\nopenai==1.51.0\n\
             //- chat.py\nfrom openai import OpenAI\nclient = OpenAI()\nMODEL = 'gpt-3.5-turbo'\n\
             def rewrite(text):\n    return client.responses.create(model='gpt-3.5-turbo', input=text).output_text\n\
             \n\n\n\n\n\n\n\n\n\n\n\n\n\n\ndef answer(text):\n    return client.responses.create(model=MODEL, input=text).output_text\n\
             //- app.py\nfrom fastapi import FastAPI\nfrom chat import answer, rewrite\napp = FastAPI()\n@app.post('/ask')\ndef ask(text: str):\n    return {{'reply': {used}}}\n"
        )
    };
    assert_eq!(places(&tree("answer(text)")), ["chat.py:3"]);
    assert_eq!(places(&tree("rewrite(text)")), ["chat.py:5"]);
}

#[test]
fn price_table_calls_no_model() {
    let code = "//- app.py\nfrom openai import OpenAI\nPRICES = {\n    'gpt-4o': {'input': 0.0025, 'output': 0.01},\n}\nclient = OpenAI()\ndef ask(text, hard):\n    model = 'gpt-4o-mini'\n    if hard:\n        model = 'gpt-4o'\n    return client.responses.create(model=model, input=text).output_text\nprint(ask(input(), True), PRICES)\n";
    let found = told(code);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(!found[0].2.contains("app.py:3"), "{}", found[0].2);
    assert!(found[0].2.contains("`gpt-4o`"), "{}", found[0].2);
    // What is looked up under a name is not asked of that name.
    let limit = "//- app.py\nfrom openai import OpenAI\nfrom limits import LIMITS\nprint(OpenAI().responses.create(model='gpt-4o', max_output_tokens=LIMITS['gpt-4-turbo-preview'].output, input=input()).output_text)\n//- limits.py\nLIMITS = load()\n";
    let found = told(limit);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(!found[0].2.contains("turbo"), "{}", found[0].2);
    // A table that says what is asked is one all the same.
    let chosen = "//- app.py\nfrom openai import OpenAI\nMODELS = {'hard': 'gpt-4o'}\nprint(OpenAI().responses.create(model=MODELS[input()], input=input()).output_text)\n";
    assert_eq!(places(chosen), ["app.py:2"]);
}

#[test]
fn model_name_of_one_module_is_not_used_by_another() {
    let module = |name: &str, model: &str| {
        format!(
            "//- {name}/pom.xml\n<project><dependencies><dependency><groupId>org.springframework.ai</groupId><artifactId>spring-ai-starter-model-openai</artifactId><version>1.0.0</version></dependency><dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId><version>3.4.0</version></dependency></dependencies></project>\n//- {name}/src/main/java/app/{name}/Chat.java\npackage app.{name};\nimport org.springframework.ai.chat.client.ChatClient;\nimport org.springframework.web.bind.annotation.*;\n@RestController\npublic class Chat {{\n  private final ChatClient client;\n  public Chat(ChatClient.Builder builder) {{ this.client = builder.build(); }}\n  @PostMapping(\"/{name}\")\n  public String ask(@RequestBody String text) {{ return client.prompt().user(text).call().content(); }}\n}}\n//- {name}/src/main/resources/application.properties\nspring.ai.openai.chat.options.model={model}\n"
        )
    };
    let found = told(&format!("{}{}", module("first", "gpt-4o"), module("second", "gpt-4o")));
    for (_, place, message) in &found {
        let module = place.split('/').next().unwrap();
        let asked = message.split("called at ").nth(1);
        assert!(
            asked.is_none_or(|asked| asked.starts_with(module)),
            "{place}: {message}"
        );
    }
    assert!(!found.is_empty());
}

#[test]
fn overridden_default_model_is_not_called() {
    let app = |given: &str| {
        format!(
            "//- requirements.txt\nrequests==2.32.0\n\
             //- desk.py\nimport os, sys\nimport requests\nclass Desk:\n    @property\n    def model(self):\n        name = {given}\n        return name\n    \
             def ask(self, text, model=None):\n        name = model or self.model or 'gemini-2.0-flash'\n        \
             url = f'https://generativelanguage.googleapis.com/v1beta/models/{{name}}:generateContent'\n        \
             return requests.post(url, json={{'contents': [{{'parts': [{{'text': text}}]}}]}}).json()\nprint(Desk().ask(sys.argv[1]))\n"
        )
    };
    assert!(told(&app("os.environ.get('MODEL') or 'gemini-3.1-pro-preview'")).is_empty());
    let open = told(&app("os.environ.get('MODEL')"));
    assert_eq!(open.len(), 1, "{open:?}");
    assert!(open[0].2.contains("gemini-2.0-flash"), "{}", open[0].2);
}

#[test]
fn unimported_file_is_not_first_place_despite_dynamic_loading() {
    let app = |brought_in: &str| {
        format!(
            "//- requirements.txt\nopenai==1.51.0\n\
             //- a_model.py\nfrom abc import abstractmethod\nfrom dotenv import load_dotenv\nfrom openai import OpenAI\nload_dotenv()\nclass First:\n    @abstractmethod\n    def name(self):\n        pass\n    \
             def ask(self, text):\n        return OpenAI().chat.completions.create(model='gpt-4o-mini', messages=[{{'role': 'user', 'content': text}}])\n\
             //- desk.py\nimport importlib, sys\n{brought_in}\nfrom openai import OpenAI\n# from a_model import First\nstyle = importlib.import_module(sys.argv[2])\n\
             def ask(text):\n    return OpenAI().chat.completions.create(model='gpt-4o-mini', messages=[{{'role': 'user', 'content': text}}])\nprint(ask(sys.argv[1]), style)\n"
        )
    };
    assert_eq!(places(&app("import os")), ["desk.py:7"]);
    assert_eq!(places(&app("from a_model import First")), ["a_model.py:10"]);
}

#[test]
fn retirement_within_a_month_is_as_severe_as_a_past_one() {
    let called = "//- app.py\nfrom openai import OpenAI\nprint(OpenAI().responses.create(model='gpt-4o-mini', input=input()).output_text)\n";
    let at = |tree: &str, (year, month, day): (i16, i8, i8)| {
        let evaluation = scan_memory(&fixture(tree).unwrap(), &on(year, month, day));
        let found: Vec<_> = evaluation
            .findings
            .iter()
            .filter(|finding| finding.check_id == "l3-retired-model")
            .map(|finding| (finding.kind, finding.severity, finding.impact))
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found[0]
    };
    let breaks = Some(Impact::Breaks);
    // It ends on 14 January 2027.
    assert_eq!(
        at(called, (2026, 11, 20)),
        (FindingType::Info, Severity::Medium, breaks)
    );
    assert_eq!(
        at(called, (2026, 12, 13)),
        (FindingType::Info, Severity::Medium, breaks)
    );
    assert_eq!(at(called, (2026, 12, 14)), (FindingType::Info, Severity::High, breaks));
    assert_eq!(at(called, (2027, 1, 14)), (FindingType::Fail, Severity::High, breaks));
    // Of two models that end, the one in use that ends within a month comes first.
    let two = "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\nprint(client.responses.create(model='gpt-5.1', input=input()).output_text)\nprint(client.responses.create(model='gpt-4o-mini', input=input()).output_text)\n";
    assert_eq!(at(two, (2027, 1, 4)), (FindingType::Info, Severity::High, breaks));
}

#[test]
fn experimental_name_of_gemini_is_retired() {
    let tree = "//- app.py\nimport google.generativeai as genai\nmodel = genai.GenerativeModel('gemini-2.0-flash-exp')\ndef answer(question):\n    return model.generate_content(question).text\nprint(answer(input()))\n";
    let found = told(tree);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].2.starts_with(
            "The model `gemini-2.0-flash-exp` (app.py:2) was retired by its provider on 2025-12-09: calls fail"
        ),
        "{}",
        found[0].2
    );
}
