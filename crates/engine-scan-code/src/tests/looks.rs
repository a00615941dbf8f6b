//! Rules that later looks at real applications asked for: each with its near miss.

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
fn a_server_of_pictures_is_told_by_what_it_is_asked() {
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
fn a_store_of_vectors_asks_no_model_that_writes() {
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
