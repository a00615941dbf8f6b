//! Rules from later evaluations on real applications: each with its near miss.

use engine_model::{Call, CallKind, Capability, Effect};

use super::{check, scan};

fn calls(tree: &str) -> Vec<Call> {
    let join = scan(tree);
    join.calls
        .into_iter()
        .filter(|call| call.kind == CallKind::Call)
        .collect()
}

#[test]
fn the_first_semantic_kernel_is_read() {
    let tree = |using: &str| {
        format!(
            "//- A.cs\n{using}\nclass A {{\n  async Task<string> Ask(string q) {{\n    var kernel = new KernelBuilder().WithOpenAIChatCompletionService(\"gpt-4-0613\", \"k\").Build();\n    var tell = kernel.CreateSemanticFunction(\"{{{{$input}}}}\");\n    var said = await kernel.RunAsync(q, tell);\n    return said.ToString();\n  }}\n}}\n"
        )
    };
    let found = calls(&tree("using Microsoft.SemanticKernel;"));
    assert!(
        found
            .iter()
            .any(|call| call.line == 6 && call.provider.as_deref() == Some("openai")),
        "{found:?}"
    );
    assert_eq!(calls(&tree("using Own.Build;")), []);
}

#[test]
fn an_argument_chooses_the_service_of_laravel() {
    let tree = |chosen: &str| {
        format!(
            "//- app/Desk.php\n<?php\nnamespace App;\nuse Laravel\\Ai\\Contracts\\Agent;\nuse Laravel\\Ai\\Promptable;\nclass Desk implements Agent {{\n  use Promptable;\n  public function instructions(): string {{ return 'x'; }}\n}}\n//- app/Ask.php\n<?php\nnamespace App;\nclass Ask {{\n  public function ask(string $q) {{\n    return (new Desk)->prompt($q{chosen});\n  }}\n}}\n"
        )
    };
    let provider = |chosen: &str| {
        calls(&tree(chosen))
            .into_iter()
            .find(|call| call.file == "app/Ask.php")
            .and_then(|call| call.provider)
    };
    assert_eq!(provider(", provider: 'ollama'").as_deref(), Some("ollama"));
    assert_ne!(provider(", model: 'ollama'").as_deref(), Some("ollama"));
}

#[test]
fn what_a_block_sets_up_is_handed_back() {
    let tree = |block: &str| {
        format!(
            "//- A.kt\npackage a\nimport com.google.ai.client.generativeai.GenerativeModel\nclass A {{\n  private val model = GenerativeModel(\"gemini-2.0-flash\", \"k\").{block}\n  suspend fun ask(q: String): String? {{\n    return model.generateContent(q).text\n  }}\n}}\n"
        )
    };
    check(&tree("apply { warm(this) }"), "A.kt:6 google gemini-2.0-flash");
    check(&tree("also { warm(it) }"), "A.kt:6 google gemini-2.0-flash");
    check(&tree("let { Own(4) }"), "");
}

#[test]
fn what_a_map_makes_where_nothing_is_kept_is_its_value() {
    let tree = |made: &str| {
        format!(
            "//- A.java\nimport com.theokanning.openai.service.OpenAiService;\nimport java.util.Map;\nimport java.util.concurrent.ConcurrentHashMap;\nclass A {{\n  private final Map<String, Object> kept = new ConcurrentHashMap<>();\n  String ask(String key, Object request) {{\n    var one = kept.computeIfAbsent(key, k -> {made});\n    return one.createChatCompletion(request).toString();\n  }}\n}}\n"
        )
    };
    check(&tree("new OpenAiService(k)"), "A.java:8 openai -");
    check(&tree("new Desk(k)"), "");
}

#[test]
fn a_prefix_before_an_unknown_name_tells_the_service_alone() {
    let tree = |name: &str| {
        format!(
            "//- a.py\nfrom pydantic_ai import Agent\ndef ask(name, q):\n    agent = Agent(f'{name}')\n    return agent.run_sync(q)\n"
        )
    };
    check(&tree("anthropic:{name}"), "a.py:4 anthropic -");
    check(&tree("openai:gpt-4o-2024-08-06"), "a.py:4 openai gpt-4o-2024-08-06");
}

#[test]
fn what_was_cut_short_is_looked_for_again_from_nearer() {
    // The far end of a chain is asked first; nine functions lie between it and the model, two between the model and the reply.
    let mut text = String::from(
        "//- a.js\nimport OpenAI from 'openai';\nimport { Telegraf } from 'telegraf';\nconst client = new OpenAI();\nconst bot = new Telegraf(process.env.TOKEN);\nfunction f9(ctx, said) { ctx.reply(said); }\n",
    );
    let chain = (1..9).rev().map(|step| {
        let reply = if step == 3 { "ctx.reply(said); " } else { "" };
        format!(
            "function f{step}(ctx, said) {{ {reply}f{}(ctx, trim(said)); }}\n",
            step + 1
        )
    });
    text.extend(chain);
    text += "function trim(text) { return text.trim(); }\nbot.on('text', async (ctx) => {\n  const r = await client.chat.completions.create({ model: 'gpt-4o-2024-08-06', messages: [{ role: 'user', content: ctx.message.text }] });\n  f1(ctx, r.choices[0].message.content);\n});\n";
    let found = calls(&text);
    assert!(found[0].effects.contains(&Effect::Mail), "{:?}", found[0]);
    let silent = text.replace("f1(ctx, r.choices[0].message.content)", "f1(ctx, 'done')");
    let found = calls(&silent);
    assert!(!found[0].effects.contains(&Effect::Mail), "{:?}", found[0]);
}

#[test]
fn image_server_is_identified_by_request() {
    let tree = |keys: &str| {
        format!(
            "//- a.py\nimport os\nimport requests\ndef draw(prompt, payload=None):\n    url = os.getenv('URL')\n    if payload is None:\n        payload = {{'prompt': prompt, {keys}}}\n    return requests.post(url, json=payload)\ndraw('x')\n"
        )
    };
    let found = calls(&tree("'negative_prompt': '', 'cfg_scale': 7, 'sampler_index': 'Euler'"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].provider.as_deref(), Some("stable-diffusion-webui"));
    assert_eq!(found[0].capabilities, [Capability::ImageGeneration]);
    assert_eq!(calls(&tree("'title': '', 'cfg_scale': 7")), []);
}

#[test]
fn models_of_qwen_speak_and_listen() {
    let tree = |library: &str, class: &str, method: &str| {
        format!(
            "//- a.py\nfrom {library} import {class}\nmodel = {class}.from_pretrained('Qwen/Own')\ndef work(x):\n    return model.{method}(x)\nwork('x')\n"
        )
    };
    let can = |library, class, method| {
        let mut found = calls(&tree(library, class, method));
        found.pop().map(|call| call.capabilities)
    };
    assert_eq!(
        can("qwen_tts", "Qwen3TTSModel", "generate_voice_clone"),
        Some(vec![Capability::VoiceCloning])
    );
    assert_eq!(
        can("qwen_tts", "Qwen3TTSModel", "generate_custom_voice"),
        Some(vec![Capability::TextToSpeech])
    );
    assert_eq!(
        can("qwen_asr", "Qwen3ASRModel", "transcribe"),
        Some(vec![Capability::Transcription])
    );
    assert_eq!(can("qwen_tts", "Qwen3TTSModel", "get_supported_speakers"), None);
}

#[test]
fn vector_store_is_not_a_text_model_call() {
    let tree = |field: &str, asked: &str| {
        format!(
            "//- src/main/resources/application.properties\nspring.ai.openai.chat.options.model=gpt-4-turbo-preview\n//- src/main/java/a/A.java\npackage a;\nimport org.springframework.ai.chat.model.ChatModel;\nimport org.springframework.ai.vectorstore.VectorStore;\n@Service\nclass A {{\n  private final {field};\n  A({field}) {{ }}\n  Object ask(String q) {{ return {asked}; }}\n}}\n"
        )
    };
    let model = |field: &str, asked: &str| calls(&tree(field, asked)).pop().map(|call| call.model);
    assert_eq!(model("VectorStore store", "store.similaritySearch(q)"), Some(None));
    assert_eq!(
        model("ChatModel chat", "chat.call(q)"),
        Some(Some("gpt-4-turbo-preview".to_owned()))
    );
}

#[test]
fn abstract_python_method_resolves_to_subclasses() {
    let tree = |base: &str| {
        format!(
            "//- models.py\nfrom openai import OpenAI\nclass Model:\n    def ask(self, text):\n        {base}\nclass Own(Model):\n    def __init__(self):\n        self.client = OpenAI()\n    def ask(self, text):\n        return self.client.responses.create(model='gpt-4.1', input=text).output_text\n\
             //- desk.py\nfrom models import Model\nclass Desk:\n    def __init__(self, model: Model):\n        self.model = model\n    def answer(self, text):\n        return self.model.ask(text)\n\
             //- app.py\nfrom flask import Flask, request\nfrom desk import Desk\nfrom models import Own\napp = Flask(__name__)\ndesk = Desk(Own())\n@app.post('/chat')\ndef chat():\n    return {{'reply': desk.answer(request.json['question'])}}\n"
        )
    };
    let shown = |base: &str| {
        calls(&tree(base))
            .iter()
            .any(|call| call.effects.contains(&Effect::Page))
    };
    for base in ["pass", "...", "raise NotImplementedError", "\"\"\"Asks.\"\"\""] {
        assert!(shown(base), "{base}");
    }
    // What has a body of its own is what it says.
    assert!(!shown("return 'closed'"));
}

#[test]
fn the_model_that_finds_is_not_the_one_that_writes() {
    let tree = |llm: &str| {
        format!(
            "//- app.py\nimport os\nfrom langchain.chains import ConversationalRetrievalChain\nfrom langchain_openai import ChatOpenAI, OpenAIEmbeddings\nfrom langchain_pinecone import PineconeVectorStore\n\
             store = PineconeVectorStore.from_existing_index(index_name='desk', embedding=OpenAIEmbeddings(model='text-embedding-3-small'))\nretriever = store.as_retriever()\n\
             def chat(pick, query):\n    bot = ConversationalRetrievalChain.from_llm({llm}, retriever)\n    return bot.invoke({{'question': query}})\nprint(chat(input(), input()))\n"
        )
    };
    let model = |llm: &str| {
        let found = calls(&tree(llm));
        found.into_iter().find(|call| call.line == 9).unwrap().model
    };
    assert_eq!(model("ChatOpenAI(model='gpt-4.1')").as_deref(), Some("gpt-4.1"));
    assert_eq!(model("pick"), None);
}

#[test]
fn a_function_that_starts_programs_is_handed_their_words() {
    let tree = |bin: &str, words: &str| {
        format!(
            "//- run.py\nimport asyncio\nimport os\nBIN = {bin}\nclass Runner:\n    async def start(self, words):\n        made = await asyncio.create_subprocess_exec(*words, stdout=-1)\n        out, _ = await made.communicate()\n        return out\n    async def ask(self, text):\n        return await self.start({words})\nprint(asyncio.run(Runner().ask(input())))\n"
        )
    };
    let provider = |bin: &str, words: &str| calls(&tree(bin, words)).pop().map(|call| call.provider);
    let anthropic = Some(Some("anthropic".to_owned()));
    assert_eq!(provider("'claude'", "[BIN, '-p', text]"), anthropic);
    assert_eq!(
        provider("os.environ.get('BIN', 'claude')", "[BIN, '-p', text]"),
        anthropic
    );
    // A name that only the environment knows, with flags of one program.
    let flags = "[BIN, '-p', text, '--output-format', 'stream-json']";
    assert_eq!(provider("os.environ['BIN']", flags), anthropic);
    assert_eq!(provider("os.environ['BIN']", "[BIN, '-p', text]"), None);
    assert_eq!(provider("'grep'", "[BIN, '-p', text]"), None);
}

#[test]
fn the_model_that_streams_is_named_where_no_other_is() {
    let tree = |settings: &str| {
        format!(
            "//- src/main/resources/application.yml\nlangchain4j:\n  open-ai:\n{settings}//- src/main/java/a/A.java\npackage a;\nimport dev.langchain4j.model.chat.ChatLanguageModel;\nimport org.springframework.web.bind.annotation.*;\n@RestController\nclass A {{\n  private final ChatLanguageModel model;\n  A(ChatLanguageModel model) {{ this.model = model; }}\n  @PostMapping(\"/ask\")\n  String ask(@RequestBody String q) {{ return model.generate(q); }}\n}}\n"
        )
    };
    let plain = "    chat-model:\n      model-name: gpt-4o-mini\n";
    let streaming = "    streaming-chat-model:\n      model-name: gpt-4.1\n";
    let model = |settings: &str| calls(&tree(settings)).pop().and_then(|call| call.model);
    assert_eq!(model(&format!("{plain}{streaming}")).as_deref(), Some("gpt-4o-mini"));
    assert_eq!(model(&format!("{streaming}{plain}")).as_deref(), Some("gpt-4o-mini"));
}

#[test]
fn a_package_that_is_named_after_a_service_is_asked_by_methods_of_its_kind() {
    let rust = |package: &str, method: &str| {
        let tree = format!(
            "//- src/main.rs\nuse {package}::{{ChatGpt, Turns}};\nfn main() {{\n    let client = ChatGpt::new(\"k\");\n    let asked = Turns::new(\"gpt-4\", vec![]);\n    let said = client.{method}(&asked);\n    println!(\"{{}}\", said);\n}}\n"
        );
        let names = crate::ManifestNames::from_iter([(engine_model::Ecosystem::Cargo, package.to_owned())]);
        let join = super::scan_with(&tree, &names);
        let mut calls = join.calls.into_iter().filter(|call| call.kind == CallKind::Call);
        calls.next().map(|call| (call.provider, call.model))
    };
    assert_eq!(
        rust("openai_chatgpt_own", "chat_completions"),
        Some((Some("openai".to_owned()), Some("gpt-4".to_owned())))
    );
    assert_eq!(rust("openai_chatgpt_own", "describe"), None);
    assert_eq!(rust("desk_own", "chat_completions"), None);
}

#[test]
fn the_name_of_a_program_may_stand_in_the_settings() {
    let tree = |key: &str| {
        format!(
            "//- config.py\nimport os\ndef _s(key, default=''):\n    return (os.environ.get(key, default) or '').strip()\nclass Settings:\n    {key} = _s('BIN', 'claude')\nsettings = Settings()\n\
             //- app.py\nimport asyncio\nfrom config import settings\nasync def ask(text):\n    made = await asyncio.create_subprocess_exec(settings.{key}, '-p', text, stdout=-1)\n    out, _ = await made.communicate()\n    return out\nprint(asyncio.run(ask(input())))\n"
        )
    };
    let asked = |key: &str| calls(&tree(key)).pop().and_then(|call| call.provider);
    assert_eq!(asked("claude_bin").as_deref(), Some("anthropic"));
}

#[test]
fn pictures_of_langchain_and_the_client_under_its_other_name_are_found() {
    let drawn = calls(
        "//- app.py\nfrom langchain_community.utilities.dalle_image_generator import DallEAPIWrapper\ndraw = DallEAPIWrapper(model='dall-e-3')\nprint(draw.run(input()))\n",
    );
    assert!(
        drawn
            .iter()
            .any(|call| call.line == 3 && call.capabilities == [Capability::ImageGeneration]),
        "{drawn:?}"
    );
    check(
        "//- app.ts\nimport { OpenAI } from '@openai/openai';\nconst client = new OpenAI();\nexport async function ask(q: string) {\n  return client.responses.create({ model: 'gpt-5.5', input: q });\n}\n",
        "app.ts:4 openai gpt-5.5",
    );
}

#[test]
fn a_handler_that_a_cloud_runs_starts_a_program() {
    let tree = |base: &str| {
        format!(
            "//- src/main/java/a/Handler.java\npackage a;\nimport com.amazonaws.services.lambda.runtime.RequestHandler;\nimport com.openai.client.OpenAIClient;\nimport com.openai.client.okhttp.OpenAIOkHttpClient;\npublic class Handler implements {base} {{\n  private final OpenAIClient client = OpenAIOkHttpClient.fromEnv();\n  public Object handleRequest(Map<String, String> event, Context context) {{\n    return client.responses().create(ResponseCreateParams.builder().input(event.get(\"q\")).build());\n  }}\n}}\n"
        )
    };
    let started = |base: &str| {
        let join = scan(&tree(base));
        assert!(!join.calls.is_empty());
        join.entry_points
            .iter()
            .any(|entry| entry.entry.name == "Handler.handleRequest")
    };
    assert!(started("RequestHandler<Map<String, String>, Object>"));
    assert!(!started("Runnable"));
}

#[test]
fn what_refuses_a_missing_value_hands_on_the_one_that_is_there() {
    let java = |guard: &str| {
        format!(
            "//- A.java\nimport java.util.Objects;\nimport org.springframework.ai.chat.client.ChatClient;\nclass A {{\n  private final ChatClient client;\n  A(ChatClient client) {{ this.client = {guard}(client); }}\n  \
             String ask(String q) {{ return client.prompt().user(q).call().content(); }}\n}}\n"
        )
    };
    assert_eq!(calls(&java("Objects.requireNonNull")).len(), 1);
    assert_eq!(calls(&java("Objects.hashCode")), []);
    // A guard of the project's own in a file that is not there.
    let net = "//- A.cs\nusing Microsoft.SemanticKernel;\nusing Own.Guards;\nclass A {\n  private readonly Kernel _kernel;\n  A(Kernel kernel) { _kernel = Guard.ThrowIfNull(kernel); }\n  \
               async Task<string> Ask(string q) {\n    var r = await _kernel.InvokePromptAsync(q);\n    return r.ToString();\n  }\n}\n";
    assert_eq!(calls(net).len(), 1);
}

#[test]
fn the_client_of_the_pages_of_chatgpt_is_read() {
    let tree = |library: &str| {
        format!(
            "//- bot.py\nfrom {library} import AsyncChatbot as Bot\nclass Talk:\n    def __init__(self, token):\n        self.bot = Bot(config={{'access_token': token}})\n    async def ask(self, text):\n        async for part in self.bot.ask(text):\n            yield part['message']\n"
        )
    };
    let found = calls(&tree("revChatGPT.V1"));
    assert!(
        found.iter().any(|call| call.provider.as_deref() == Some("openai")),
        "{found:?}"
    );
    assert_eq!(calls(&tree("own.talk")), []);
}

#[test]
fn a_client_of_ollama_with_layers_around_it_is_read() {
    let net = |built: &str| {
        format!(
            "//- Program.cs\nusing Microsoft.Extensions.AI;\nusing OllamaSharp;\nvar ollama = new OllamaApiClient(\"http://localhost:11434\") {{ SelectedModel = \"qwen2.5:7b\" }};\n\
             IChatClient client = ((IChatClient)ollama).AsBuilder().UseFunctionInvocation(){built};\nawait foreach (var part in client.GetStreamingResponseAsync(Console.ReadLine())) Console.Write(part);\n"
        )
    };
    let found = calls(&net(".Build()"));
    assert!(
        found
            .iter()
            .any(|call| call.line == 5 && call.provider.as_deref() == Some("ollama")),
        "{found:?}"
    );
}

#[test]
fn what_stands_under_a_key_of_a_record_that_is_handed_over_is_that_and_no_other() {
    let tree = |asked: &str| {
        format!(
            "//- helper.py\nimport openai\n\n\nclass Helper:\n    def __init__(self, config: dict):\n        self.client = openai.OpenAI(api_key='x')\n        self.config = config\n\n    def ask(self, q):\n        \
             return self.client.chat.completions.create(model={asked}, messages=[{{'role': 'user', 'content': q}}])\n//- main.py\nimport os\nfrom helper import Helper\n\nconfig = {{'picture': os.environ.get('P', 'dall-e-2'), 'model': 'gpt-4o-mini'}}\nHelper(config=config).ask(input())\n"
        )
    };
    let model = |asked: &str| {
        let found = calls(&tree(asked));
        found[0].model.clone()
    };
    assert_eq!(model("self.config['model']").as_deref(), Some("gpt-4o-mini"));
    assert_eq!(model("self.config['picture']").as_deref(), Some("dall-e-2"));
}

#[test]
fn key_of_custom_record_is_not_a_value() {
    let tree = |above: &str| {
        format!(
            "//- config.py\nclass Config(dict):\n    def get(self, key, default=None):\n        return {above}\n\n\nconfig = Config()\n\n\ndef conf():\n    return config\n//- bot.py\nimport openai\nfrom config import conf\n\nclient = openai.OpenAI(api_key='x')\nlimit = conf().get('max_turns')\n\n\n\
             def ask(q):\n    return client.chat.completions.create(model=conf().get('model'), messages=[{{'role': 'user', 'content': q}}])\n"
        )
    };
    let model = |above: &str| calls(&tree(above))[0].model.clone();
    assert_eq!(model("super().get(key, default)"), None);
    assert_eq!(model("super().__getitem__(key)"), None);
    assert_eq!(model("super().get(key, 'gpt-4o-mini')").as_deref(), Some("gpt-4o-mini"));
}
