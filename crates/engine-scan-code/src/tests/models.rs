//! Model resolution: overridden defaults, services wired to one of several models, chains with a retriever.

use super::{check, scan};

const CLIENT: &str = "//- src/client.ts\nexport class Client {\n  async chat(messages: any[], options?: any) {\n    return fetch('https://api.anthropic.com/v1/messages', { method: 'POST', body: JSON.stringify({ model: options?.model || 'claude-3-opus-20240229', messages }) });\n  }\n}\n//- src/factory.ts\nimport { Client } from './client';\nconst made: any = { anthropic: Client };\nexport const make = (model: any) => new made[model.maker]();\n";

#[test]
fn default_that_every_caller_overrides_is_not_called() {
    let service = "//- src/service.ts\nimport { make } from './factory';\nexport async function talk(id: string, messages: any[], options: any) {\n  const model = find(id);\n  const client = make(model);\n  return client.chat(messages, { ...options, model: model.id });\n}\n";
    check(&format!("{CLIENT}{service}"), "src/client.ts:3 anthropic -");
    // Somebody leaves it out, or hands on what may be missing.
    for other in [
        "//- src/other.ts\nimport { make } from './factory';\nexport const again = (client: any, messages: any[]) => client.chat(messages);\n",
        "//- src/other.ts\nimport { make } from './factory';\nexport const again = (client: any, req: any) => client.chat(req.body.messages, { model: req.body.model });\n",
        "//- src/other.ts\nimport { make } from './factory';\nexport const again = (client: any, messages: any[], options: any) => client.chat(messages, options);\n",
        "//- src/other.ts\nimport { make } from './factory';\nexport const again = (client: any, messages: any[]) => client.chat(messages, { model: process.env.MODEL });\n",
    ] {
        check(
            &format!("{CLIENT}{service}{other}"),
            "src/client.ts:3 anthropic claude-3-opus-20240229",
        );
    }
    // Nobody calls it that is seen.
    check(CLIENT, "src/client.ts:3 anthropic claude-3-opus-20240229");
}

#[test]
fn model_name_checked_against_provider_list_is_optional() {
    let tree = |names: &str, choice: &str| {
        format!(
            "//- app.py\nimport google.generativeai as genai\n{names}def make():\n    offered = [m.name for m in genai.list_models()]\n    chosen = None\n{choice}    return genai.GenerativeModel(chosen)\nprint(make().generate_content(input()).text)\n"
        )
    };
    let walk = "    for name in [\"gemini-1.5-pro\", \"gemini-pro\"]:\n        if name in offered:\n            chosen = name\n            break\n    if not chosen:\n        if offered:\n            chosen = offered[0]\n        else:\n            chosen = \"gemini-pro\"\n";
    check(&tree("", walk), "app.py:15 google -");
    let apart = walk.replace("[\"gemini-1.5-pro\", \"gemini-pro\"]", "WISHED");
    check(
        &tree("WISHED = [\"gemini-1.5-pro\", \"gemini-pro\"]\n", &apart),
        "app.py:16 google -",
    );
    // What is set whatever is listed is asked for.
    check(
        &tree("", "    chosen = \"gemini-1.5-pro\"\n"),
        "app.py:7 google gemini-1.5-pro",
    );
    check(
        &tree("", walk).replace("[m.name for m in genai.list_models()]", "[]"),
        "app.py:15 google gemini-pro",
    );
}

#[test]
fn caller_argument_overrides_default() {
    let head = "//- app.py\nfrom openai import OpenAI\nclient = OpenAI()\n";
    let ask = "def ask(question, **options):\n    model = options.get('model', 'gpt-4o')\n    return client.responses.create(model=model, input=question)\n";
    check(
        &format!("{head}{ask}print(ask('a', model='gpt-5.5'))\nprint(ask('b', model='gpt-5.4'))\n"),
        "app.py:5 openai gpt-5.5",
    );
    check(
        &format!("{head}{ask}print(ask('a', model='gpt-5.5'))\nprint(ask('b'))\n"),
        "app.py:5 openai gpt-4o",
    );
    let ask = "DEFAULT = 'gpt-4o'\ndef ask(question, model=DEFAULT):\n    return client.responses.create(model=model, input=question)\n";
    check(
        &format!("{head}{ask}def run(settings):\n    print(ask('a', settings.model))\n"),
        "app.py:5 openai -",
    );
    check(
        &format!("{head}{ask}def run(settings):\n    print(ask('a', settings.model))\n    print(ask('b'))\n"),
        "app.py:5 openai gpt-4o",
    );
}

#[test]
fn field_set_by_every_constructor_call_has_no_default() {
    let tree = |made: &str| {
        format!(
            "//- src/Request.kt\npackage a\nimport kotlinx.serialization.Serializable\n@Serializable\ndata class ChatRequest(\n  val model: String = \"gpt-4o\",\n  val messages: List<String>,\n)\n//- src/Client.kt\npackage a\nimport io.ktor.client.HttpClient\nimport io.ktor.client.request.post\nimport io.ktor.client.request.setBody\nclass Client(private val http: HttpClient) {{\n  suspend fun chat(request: ChatRequest): String {{\n    return http.post(\"https://api.openai.com/v1/chat/completions\") {{\n      setBody(request)\n    }}.body()\n  }}\n  suspend fun ask(name: String, text: String) = chat({made})\n}}\nsuspend fun main() {{\n  Client(HttpClient()).ask(\"gpt-5.5\", \"a\")\n}}\n"
        )
    };
    check(
        &tree("ChatRequest(model = name, messages = listOf(text))"),
        "src/Client.kt:7 openai gpt-5.5",
    );
    check(
        &tree("ChatRequest(messages = listOf(text))"),
        "src/Client.kt:7 openai gpt-4o",
    );
}

const SETTINGS: &str = "//- src/main/resources/application.properties\nlangchain4j.open-ai.chat-model.model-name=gpt-5-mini\nlangchain4j.ollama.chat-model.model-name=gemma3\nlangchain4j.community.dashscope.chat-model.model-name=qwen-max\nlangchain4j.community.dashscope.streaming-chat-model.model-name=qwen-plus\n";

fn service(annotation: &str) -> String {
    format!(
        "{SETTINGS}//- src/main/java/a/Agent.java\npackage a;\nimport dev.langchain4j.service.UserMessage;\nimport dev.langchain4j.service.spring.AiService;\nimport reactor.core.publisher.Flux;\n{annotation}\npublic interface Agent {{\n  Flux<String> chat(@UserMessage String text);\n}}\n//- src/main/java/a/Tools.java\npackage a;\nimport dev.langchain4j.agent.tool.Tool;\nimport org.springframework.stereotype.Component;\n@Component\npublic class BookingTools {{\n  @Tool(\"books\")\n  public String book(String day) {{ return day; }}\n  public String hidden() {{ return \"\"; }}\n}}\n//- src/main/java/a/Controller.java\npackage a;\nimport org.springframework.web.bind.annotation.*;\n@RestController\npublic class Controller {{\n  private final Agent agent;\n  public Controller(Agent agent) {{ this.agent = agent; }}\n  @PostMapping(\"/chat\")\n  public Object chat(@RequestBody String text) {{ return agent.chat(text); }}\n}}\n"
    )
}

#[test]
fn a_service_asks_the_bean_that_it_is_wired_to() {
    let wired = service(
        "@AiService(wiringMode = EXPLICIT, chatModel = \"qwenChatModel\", streamingChatModel = \"qwenStreamingChatModel\", tools = \"bookingTools\")",
    );
    check(&wired, "src/main/java/a/Controller.java:8 alibaba qwen-plus");
    let calls = scan(&wired).calls;
    assert!(calls.iter().any(|call| call.tools == ["book"]), "{calls:?}");
    check(
        &service("@AiService(wiringMode = EXPLICIT, chatModel = \"ollamaChatModel\")"),
        "src/main/java/a/Controller.java:8 ollama gemma3",
    );
    // A bean that a method of the project gives.
    let given = "//- src/main/java/a/Models.java\npackage a;\nimport dev.langchain4j.model.openai.OpenAiStreamingChatModel;\nimport org.springframework.context.annotation.*;\n@Configuration\npublic class Models {\n  @Bean\n  public OpenAiStreamingChatModel large() { return OpenAiStreamingChatModel.builder().modelName(\"gpt-5.5\").build(); }\n}\n";
    check(
        &(service("@AiService(wiringMode = EXPLICIT, streamingChatModel = \"large\")") + given),
        "src/main/java/a/Controller.java:8 openai gpt-5.5",
    );
    // A service that names none has the first of the settings.
    check(
        &service("@AiService"),
        "src/main/java/a/Controller.java:8 openai gpt-5-mini",
    );
}

#[test]
fn a_chain_has_the_model_that_writes_and_not_that_of_its_retriever() {
    let tree = |chain: &str| {
        format!(
            "//- bot.py\nfrom langchain_groq import ChatGroq\nfrom langchain_huggingface import HuggingFaceEmbeddings\nfrom langchain_pinecone import PineconeVectorStore\nfrom langchain.chains.combine_documents import create_stuff_documents_chain\nfrom langchain.chains.retrieval import create_retrieval_chain\nllm = ChatGroq(model='gemma2-9b-it')\nembedding = HuggingFaceEmbeddings(model_name='sentence-transformers/all-MiniLM-L6-v2')\nretriever = PineconeVectorStore.from_existing_index(index_name='a', embedding=embedding).as_retriever()\n{chain}\n"
        )
    };
    check(
        &tree(
            "chain = create_retrieval_chain(retriever, create_stuff_documents_chain(llm, prompt))\nprint(chain.invoke({'input': input()}))",
        ),
        "bot.py:10 groq gemma2-9b-it",
    );
    // A model of a retriever that is asked by itself keeps its name.
    check(
        &tree("print(embedding.embed_query(input()))"),
        "bot.py:9 huggingface sentence-transformers/all-MiniLM-L6-v2",
    );
}

#[test]
fn model_table_is_filtered_by_provider() {
    let tree = "//- main.py\nfrom openai import OpenAI\nimport google.generativeai as genai\nclient = OpenAI()\nDEFAULT = 'flash-of-old'\nMODELS = {\n    'flash': {'provider': 'gemini', 'api': 'gemini-1.5-flash'},\n    'mini': {'provider': 'openai', 'api': 'gpt-4o-mini'},\n    'big': {'provider': 'openai', 'api': 'gpt-4o'},\n}\ndef chosen(row):\n    if row:\n        return row[0]\n    return DEFAULT\ndef ask(row, text):\n    name = MODELS[chosen(row)]['api']\n    if MODELS[chosen(row)]['provider'] == 'openai':\n        return client.chat.completions.create(model=name, messages=text)\n    return genai.GenerativeModel(name).generate_content(text)\nask(load(), input())\n";
    check(
        tree,
        "main.py:17 openai gpt-4o-mini\nmain.py:18 google gemini-1.5-flash",
    );
    let found = scan(tree).models;
    let of = |name: &str| {
        let known = found.iter().filter(|model| model.name == name);
        known
            .map(|model| model.provider.clone().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("gpt-4o"), ["openai"]);
    assert_eq!(of("gemini-1.5-flash"), ["google"]);
}

#[test]
fn what_is_handed_on_through_another_function_is_given() {
    let tree = |call: &str| {
        format!(
            "{CLIENT}//- src/service.ts\nimport {{ make }} from './factory';\nexport async function talk(id: string, messages: any[]) {{\n  const model = find(id);\n  const all = {{ model: model.id, stream: true }};\n  const {{ options }} = await plugins.prepare({call});\n  return make(model).chat(messages, {{ ...options, onEnd }});\n}}\n"
        )
    };
    check(&tree("messages, all"), "src/client.ts:3 anthropic -");
    check(&tree("messages"), "src/client.ts:3 anthropic claude-3-opus-20240229");
}

#[test]
fn a_table_of_json_that_a_script_brings_in_names_the_model() {
    let table = "//- package.json\n{\"dependencies\":{\"openai\":\"5.0.0\"}}\n//- config.json\n{\"ask\": {\"model\": \"gpt-5.5\"}, \"other\": {\"model\": \"gpt-4.1\"}}\n";
    for brought in [
        "import config from './config.json' with { type: 'json' };",
        "const { default: config } = await import('./config.json', { with: { type: 'json' } });",
        "const config = require('./config.json');",
    ] {
        let tree = |key: &str| {
            format!(
                "{table}//- index.js\nimport OpenAI from 'openai';\n{brought}\nconst client = new OpenAI();\nconst answer = await client.responses.create({{ model: config.{key}.model, input: process.argv[2] }});\n"
            )
        };
        check(&tree("ask"), "index.js:4 openai gpt-5.5");
        check(&tree("missing"), "index.js:4 openai -");
    }
}

#[test]
fn full_address_gives_provider_for_any_sender() {
    // The sender is the program's own.
    let rust = |sent: &str| {
        format!(
            "//- src/main.rs\nfn ask(text: &str) -> Result<String, String> {{\n    let body = format!(\"{{}}\", text);\n    let answer = {sent}?;\n    Ok(answer)\n}}\nfn main() {{\n    println!(\"{{:?}}\", ask(\"a\"));\n}}\n"
        )
    };
    check(
        &rust("http_post_json(\"https://api.openai.com/v1/chat/completions\", &body)"),
        "src/main.rs:3 openai -",
    );
    // Or a client of another file of which nothing is known.
    check(
        "//- src/gpt/Gpt.kt\npackage gpt\nimport application.httpClient\nimport io.ktor.client.request.*\nclass Gpt {\n  suspend fun ask(text: String): String {\n    val answer = httpClient.post(\"https://api.openai.com/v1/chat/completions\") {\n      setBody(text)\n    }\n    return answer.toString()\n  }\n}\n",
        "src/gpt/Gpt.kt:6 openai -",
    );
    for none in [
        // What only reads the address, and what is no request to a model.
        "parse_url(\"https://api.openai.com/v1/chat/completions\", &body)",
        "http_post_json(\"https://api.openai.com/v1/dashboard/usage\", &body)",
        "http_post_json(\"https://example.org/v1/tickets\", &body)",
    ] {
        let join = scan(&rust(none));
        let asks = join
            .calls
            .iter()
            .filter(|call| call.kind == engine_model::CallKind::Call);
        assert_eq!(asks.count(), 0, "{none}");
    }
}

#[test]
fn chat_type_gives_provider() {
    let tree = |typed: &str| {
        format!(
            "//- package.json\n{{\"dependencies\":{{\"@google/genai\":\"1.0.0\"}}}}\n//- src/talk.ts\nimport {{ {typed}, Part }} from '@google/genai';\nexport async function talk(chat: {typed}, content: Part[]) {{\n  return await chat.sendMessage({{ message: content }});\n}}\n"
        )
    };
    check(&tree("Chat"), "src/talk.ts:3 google -");
    let other = scan(&tree("File"));
    assert!(other.calls.iter().all(|call| call.kind != engine_model::CallKind::Call));
}
