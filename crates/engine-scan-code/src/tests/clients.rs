//! Clients and addresses with few identifying features.

use super::{check, scan};

#[test]
fn catalogue_client_is_found_by_common_method_names() {
    check(
        "//- main.go\npackage main\n\nimport hf \"github.com/hupe1980/go-huggingface\"\n\nfunc run() {\n\tclient, _ := hf.NewClient()\n\tclient.CreateMessage(nil, nil)\n\tclient.ListModels(nil)\n}\n",
        "main.go:7 huggingface -",
    );
    // What only has such a method, and what the library does not make, is none.
    for tree in [
        "//- main.go\npackage main\n\nimport \"example.com/shop/client\"\n\nfunc run() {\n\tc := client.New()\n\tc.CreateMessage(nil, nil)\n}\n",
        "//- main.go\npackage main\n\nimport hf \"github.com/hupe1980/go-huggingface\"\n\nfunc run() {\n\thf.CreateMessage(nil, nil)\n}\n",
    ] {
        check(tree, "");
    }
}

#[test]
fn a_path_is_set_on_the_object_of_an_address() {
    let tool = "//- src/bot.js\nimport axios from 'axios';\nconst servers = process.env.SERVERS.split(',').map(url => ({ url: new URL(url) }));\nasync function send(path, method, data) {\n  const url = new URL(servers[0].url);\n  if (path.startsWith('/')) path = path.substring(1);\n  url.pathname += path;\n  const result = await axios({ method, url, data });\n  return result.data;\n}\n";
    check(
        &format!(
            "{tool}export const ask = (text) => send('/api/generate', 'post', {{ model: process.env.MODEL, prompt: text }});\n"
        ),
        "src/bot.js:7 ollama -",
    );
    check(
        &format!("{tool}export const order = (id) => send('/api/orders', 'post', {{ id }});\n"),
        "",
    );
}

#[test]
fn inline_type_names_parameter_fields() {
    check(
        "//- a.ts\nimport type { ChatGPTAPI } from 'chatgpt';\nexport async function ask({ text }: { text: string }, { api }: { api: ChatGPTAPI }) {\n  return api.sendMessage(text);\n}\n",
        "a.ts:3 openai -",
    );
    check(
        "//- a.ts\nimport type { ChatGPTAPI } from 'chatgpt';\nexport async function tell({ bus }: { bus: Bus; api: ChatGPTAPI }, text: string) {\n  return bus.sendMessage(text);\n}\n",
        "",
    );
}

#[test]
fn request_class_named_after_service_gives_provider() {
    let body = |fields: &str| {
        format!(
            "//- A.cs\nusing System.Net.Http;\nusing System.Text.Json;\npublic class Payload {{ {fields} }}\npublic class OpenAiTranslator {{\n  private const string Docs = \"https://api.openai.com/v1/chat/completions\";\n  private readonly HttpClient client = new HttpClient();\n  public async Task Run(Config config, Payload payload) {{\n    var content = new StringContent(JsonSerializer.Serialize(payload));\n    var r = await client.PostAsync(config.ApiUrl, content);\n  }}\n}}\n"
        )
    };
    check(
        &body("public string model { get; set; } public List<Message> messages { get; set; }"),
        "A.cs:9 openai-compatible -",
    );
    check(
        &body("public string id { get; set; } public int amount { get; set; }"),
        "",
    );
}

#[test]
fn setting_named_after_service_output_marks_model_call() {
    let tree = |name: &str, key: &str| {
        format!(
            "//- src/main.rs\nasync fn speak(text: &str) {{\n    let client = reqwest::Client::new();\n    let body = serde_json::json!({{ \"{key}\": text }});\n    client.post(std::env::var(\"{name}\").unwrap_or_default()).json(&body).send().await;\n}}\n"
        )
    };
    let found = scan(&tree("TTS_PATH", "text"));
    let symbols: Vec<&str> = found.calls.iter().map(|call| call.symbol.as_str()).collect();
    assert_eq!(symbols, ["reqwest.Client.new().post().json().send"]);
    check(
        "//- a.ts\nexport const embed = (text: string) => fetch(import.meta.env.VITE_EMBEDDING_URL, { method: 'POST', body: JSON.stringify({ input: text, model: 'bge-m3' }) });\n",
        "a.ts:1 openai-compatible bge-m3",
    );
    for (name, key) in [("REPORT_URL", "text"), ("TTS_PATH", "id"), ("TTS_MODEL", "text")] {
        check(&tree(name, key), "");
    }
}

#[test]
fn retrofit_interface_with_unknown_address_is_identified_by_package() {
    let tree = |package: &str, path: &str| {
        format!(
            "//- src/{package}/Api.java\npackage {package};\nimport retrofit2.http.Body;\nimport retrofit2.http.POST;\npublic interface Api {{\n  @POST(\"{path}\")\n  Single<Reply> send(@Body Ask ask);\n}}\n//- src/{package}/Service.java\npackage {package};\nimport retrofit2.Retrofit;\npublic class Service {{\n  private final Api api;\n  Service(Account account) {{ this.api = new Retrofit.Builder().baseUrl(account.getBaseUrl()).build().create(Api.class); }}\n  Reply ask(Ask ask) {{ return api.send(ask).blockingGet(); }}\n}}\n"
        )
    };
    check(
        &tree("sdk.ollama", "/api/chat"),
        "src/sdk.ollama/Service.java:6 ollama -",
    );
    check(
        &tree("sd", "/sdapi/v1/txt2img"),
        "src/sd/Service.java:6 stable-diffusion-webui -",
    );
    check(&tree("support", "/api/chat"), "");
}

#[test]
fn package_object_is_found_despite_unknown_base_class() {
    let tree = |base: &str, call: &str| {
        format!(
            "//- a/Api.kt\npackage a\nimport retrofit2.http.Body\nimport retrofit2.http.POST\ninterface Api {{\n  @POST(\"v1/chat/completions\")\n  suspend fun send(@Body ask: Ask): Reply\n}}\n//- a/Clients.kt\npackage a\nimport retrofit2.Retrofit\nobject Clients {{\n  val api: Api by lazy {{ Retrofit.Builder().baseUrl(\"https://api.openai.com/\").build().create(Api::class.java) }}\n}}\n//- a/Main.kt\npackage a\nimport androidx.appcompat.app.AppCompatActivity\nclass Main{base} {{\n  suspend fun ask(text: String) {{\n    show({call}.api.send(Ask(text)))\n  }}\n}}\n"
        )
    };
    for base in ["", " : AppCompatActivity()"] {
        check(&tree(base, "Clients"), "a/Main.kt:5 openai -");
    }
    // A name that no file of the project holds comes from the base.
    check(&tree(" : AppCompatActivity()", "Rooms"), "");
}

#[test]
fn a_coroutine_is_run_to_its_end() {
    check(
        "//- a.py\nimport asyncio\nfrom EdgeGPT.EdgeGPT import Chatbot\nclass Bot:\n    def start(self):\n        self.bot = asyncio.run(Chatbot.create(cookies=[]))\n    async def ask(self, text):\n        async for done, data in self.bot.ask_stream(prompt=text):\n            print(data)\n",
        "a.py:7 microsoft -",
    );
    check(
        "//- a.py\nimport asyncio\nfrom EdgeGPT.EdgeGPT import Chatbot\nasync def nothing():\n    return None\nbot = asyncio.run(nothing())\nbot.ask_stream('x')\n",
        "",
    );
}

#[test]
fn image_service_gives_no_chat_call() {
    check(
        "//- src/a/Draw.java\npackage a;\nimport ai.fal.client.FalClient;\nclass Draw {\n  private final FalClient fal;\n  Draw(FalClient fal) { this.fal = fal; }\n  Object draw(Object o) { return fal.subscribe(\"fal-ai/flux/dev\", o); }\n}\n//- src/a/Ask.java\npackage a;\nimport org.springframework.ai.chat.model.ChatModel;\nclass Ask {\n  private final ChatModel model;\n  Ask(ChatModel model) { this.model = model; }\n  String ask(String q) { return model.call(q); }\n}\n",
        "src/a/Ask.java:6 - -\nsrc/a/Draw.java:6 fal fal-ai/flux/dev",
    );
}

#[test]
fn tool_named_by_output_is_not_a_model_call() {
    let head = "//- A.cs\nusing Microsoft.SemanticKernel;\nclass A {\n  async Task Run(Kernel kernel, Call call, string text) {\n";
    check(
        &format!(
            "{head}    KernelFunction tool = null;\n    kernel.Plugins.TryGetFunction(call.Plugin, call.Name, out tool);\n    var r = await tool.InvokeAsync(kernel, call.Arguments);\n  }}\n}}\n"
        ),
        "",
    );
    check(
        &format!(
            "{head}    KernelFunction summary = Load();\n    var r = await summary.InvokeAsync(kernel);\n  }}\n}}\n"
        ),
        "A.cs:5 - -",
    );
}

#[test]
fn what_is_made_without_its_name_is_no_member_of_a_base() {
    check(
        "//- A.cs\nusing Microsoft.SemanticKernel.TextGeneration;\nusing Sdcb.SparkDesk;\nclass A : ITextGenerationService {\n  private readonly SparkDeskClient _client;\n  A() { _client = new(\"a\", \"b\", \"c\"); }\n  async Task Run(ChatMessage[] m) {\n    var r = await _client.ChatAsync(ModelVersion.V3, m);\n  }\n}\n",
        "A.cs:7 iflytek -",
    );
}

#[test]
fn a_path_is_written_without_a_slash_behind_a_base_that_has_one() {
    let tree = |setting: &str, path: &str| {
        format!(
            "//- A.cs\nusing Azure.AI.OpenAI;\nusing System.Net.Http;\nclass A {{\n  private readonly HttpClient _http;\n  private readonly string _base = _configuration[\"{setting}\"];\n  async Task Run(string text) {{\n    var body = new {{ prompt = text, max_tokens = 9 }};\n    var content = new StringContent(JsonSerializer.Serialize(body));\n    await _http.PostAsync($\"{{_base}}{path}\", content);\n  }}\n}}\n"
        )
    };
    check(
        &tree("AzureOpenAI:Endpoint", "v1/engines/davinci/completions"),
        "A.cs:9 openai-compatible davinci",
    );
    check(&tree("Shop:Endpoint", "v1/engines/diesel/parts"), "");
}

#[test]
fn self_hosted_server_is_identified_by_code_name() {
    let tree = |function: &str, key: &str| {
        format!(
            "//- A.cs\nusing System.Net.Http;\npublic class Translate {{\n  private const string Docs = \"https://api.openai.com/v1/chat/completions\";\n  private readonly HttpClient client = new HttpClient();\n  public async Task {function}(Config config, string text) {{\n    var data = new {{ model = config.Model, {key} = text, temperature = config.Temperature }};\n    string url = Normal(config.Url) + \"/chat\";\n    var content = new StringContent(JsonSerializer.Serialize(data));\n    var r = await client.PostAsync(url, content);\n  }}\n}}\n"
        )
    };
    check(&tree("LMStudio", "system_prompt"), "A.cs:9 local -");
    check(&tree("LMStudio", "order"), "");
    check(&tree("Support", "system_prompt"), "");
}

#[test]
fn the_name_of_a_field_is_no_model() {
    for (given, model) in [
        ("form.get('model_id', 'model_id')", "-"),
        ("'model_name'", "-"),
        ("'gpt-4o'", "gpt-4o"),
        ("'my_model_name_2'", "my_model_name_2"),
    ] {
        check(
            &format!(
                "//- a.py\nimport openai\nclient = openai.OpenAI()\ndef ask(form, m):\n    return client.chat.completions.create(model={given}, messages=m)\n"
            ),
            &format!("a.py:4 openai {model}"),
        );
    }
}

#[test]
fn a_list_of_names_is_no_model() {
    for (file, loads) in [
        ("feature_names.pkl", 0),
        ("models/train-columns.joblib", 0),
        ("names_model.pkl", 1),
        ("credit.joblib", 1),
    ] {
        let found = scan(&format!("//- a.py\nimport joblib\nx = joblib.load('{file}')\n"));
        assert_eq!(found.calls.len(), loads, "{file}");
    }
}

#[test]
fn conversation_comment_is_not_a_model_call() {
    let tool = "//- a.ts\nexport const send = (data: unknown, id: string) =>\n  fetch(";
    let rest = ", { method: 'POST', body: JSON.stringify(data) });\n";
    for address in [
        "'https://chat.openai.com/backend-api/conversation/message_feedback'",
        "`https://chat.openai.com/backend-api/conversation/${id}`",
    ] {
        check(&format!("{tool}{address}{rest}"), "");
    }
    check(
        &format!("{tool}'https://chat.openai.com/backend-api/conversation'{rest}"),
        "a.ts:2 openai -",
    );
}

#[test]
fn chat_ui_component_declares_no_model() {
    for (name, places) in [("useLocalRuntime", 0), ("useChatRuntime", 1)] {
        let found = scan(&format!(
            "//- a.tsx\nimport {{ {name} }} from '@assistant-ui/react';\nexport const Chat = () => {name}(adapter);\n"
        ));
        assert_eq!(found.calls.len(), places, "{name}");
    }
}

#[test]
fn hosts_of_speech_and_pictures_are_known() {
    for (address, wanted) in [
        (
            "https://stt.api.cloud.yandex.net/speech/v1/stt:recognize",
            "a.js:3 yandex -",
        ),
        (
            "https://tts.api.cloud.yandex.net/speech/v1/tts:synthesize",
            "a.js:3 yandex -",
        ),
        ("https://api.segmind.com/v1/ssd-1b", "a.js:3 segmind -"),
        ("https://storage.api.cloud.yandex.net/speech/v1/list", ""),
        ("https://www.segmind.com/v1/prices", ""),
    ] {
        check(
            &format!(
                "//- a.js\nimport axios from 'axios';\nconst config = {{ method: 'POST', url: '{address}', data: 'x' }};\nexport const send = () => axios(config);\n"
            ),
            wanted,
        );
    }
}

#[test]
fn shapes_match_calls_and_not_preparation() {
    for (tree, wanted) in [
        (
            "//- main.go\npackage main\n\nimport \"github.com/PullRequestInc/go-gpt3\"\n\ntype app struct{ client gpt3.Client }\n\nfunc (a *app) run() error {\n\ta.client.Engines(nil)\n\treturn a.client.CompletionStreamWithEngine(nil, \"text-davinci-003\", gpt3.CompletionRequest{}, nil)\n}\n",
            "main.go:9 openai text-davinci-003",
        ),
        (
            "//- a.ts\nimport * as sdk from 'microsoft-cognitiveservices-speech-sdk';\nconst voice = new sdk.SpeechSynthesizer(config);\nvoice.speakTextAsync('x');\nvoice.close();\n",
            "a.ts:3 azure-ai -",
        ),
        (
            "//- a.ts\nimport { TextToSpeechClient } from '@google-cloud/text-to-speech';\nconst tts = new TextToSpeechClient();\ntts.listVoices({});\ntts.synthesizeSpeech({});\n",
            "a.ts:4 google -",
        ),
        (
            "//- a.ts\nimport { GoogleGenAI } from '@google/genai';\nconst ai = new GoogleGenAI({});\nai.caches.create({ model: 'gemini-2.5-flash' });\nai.caches.list();\n",
            "a.ts:3 google gemini-2.5-flash",
        ),
        (
            "//- src/main.rs\nuse whisper_rs::WhisperContext;\nfn run() {\n    let ctx = WhisperContext::new(\"m.bin\").context(\"x\").unwrap();\n    let mut state = ctx.create_state().context(\"y\").unwrap();\n    state.full(params, &audio);\n    state.full_n_segments();\n}\n",
            "src/main.rs:5 local m.bin",
        ),
        (
            "//- a.py\nimport cv2\nfaces = cv2.CascadeClassifier('f.xml')\nfaces.empty()\ngray = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)\nfaces.detectMultiScale(gray)\n",
            "a.py:5 local f.xml",
        ),
        (
            "//- a.py\nfrom sklearn.decomposition import TruncatedSVD\nfrom sklearn.preprocessing import StandardScaler\nx = StandardScaler().fit_transform(rows)\ny = TruncatedSVD(n_components=2).fit_transform(x)\n",
            "a.py:4 local -",
        ),
    ] {
        check(tree, wanted);
    }
}

/// An interface of Java with its one user.
fn declared(imports: &str, of_class: &str, of_method: &str, more: &str) -> String {
    format!(
        "//- src/Api.java\npackage shop;\n{imports}\n{of_class}\npublic interface Api {{\n  {of_method}\n  Reply send(Ask ask);\n}}\n//- src/Desk.java\npackage shop;\npublic class Desk {{\n  private final Api api;\n  Desk(Api api) {{ this.api = api; }}\n  Reply ask(Ask ask) {{ return api.send(ask); }}\n}}\n{more}"
    )
}

#[test]
fn a_request_is_declared_by_an_interface_that_a_library_implements() {
    let found = "src/Desk.java:5 mistral -";
    let host = "https://api.mistral.ai";
    let feign = "import org.springframework.cloud.openfeign.FeignClient;\nimport org.springframework.web.bind.annotation.PostMapping;";
    check(
        &declared(
            feign,
            &format!("@FeignClient(name = \"m\", url = \"{host}\")"),
            "@PostMapping(\"/v1/chat/completions\")",
            "",
        ),
        found,
    );
    check(
        &declared(
            feign,
            "@FeignClient(name = \"m\", url = \"${mistral.url}\", path = \"/v1\")",
            "@PostMapping(\"/chat/completions\")",
            &format!("//- src/main/resources/application.yml\nmistral:\n  url: {host}\n"),
        ),
        found,
    );
    check(
        &declared(
            "import org.springframework.web.service.annotation.PostExchange;",
            "",
            "@PostExchange(\"/v1/chat/completions\")",
            &format!(
                "//- src/Clients.java\npackage shop;\nimport org.springframework.web.service.annotation.HttpExchange;\nclass Clients {{\n  Api api() {{ return of(RestClient.builder().baseUrl(\"{host}\").build()).createClient(Api.class); }}\n}}\n"
            ),
        ),
        found,
    );
    check(
        &declared(
            "import jakarta.ws.rs.POST;\nimport jakarta.ws.rs.Path;\nimport org.eclipse.microprofile.rest.client.inject.RegisterRestClient;",
            &format!("@Path(\"/v1\")\n@RegisterRestClient(baseUri = \"{host}\")"),
            "@POST @Path(\"/chat/completions\")",
            "",
        ),
        found,
    );
    check(
        &declared(
            "import io.micronaut.http.annotation.Post;\nimport io.micronaut.http.client.annotation.Client;",
            &format!("@Client(\"{host}\")"),
            "@Post(\"/v1/chat/completions\")",
            "",
        ),
        found,
    );
    check(
        &declared(
            "import feign.RequestLine;",
            "",
            "@RequestLine(\"POST /v1/chat/completions\")",
            &format!(
                "//- src/Clients.java\npackage shop;\nimport feign.Feign;\nclass Clients {{\n  Api api() {{ return Feign.builder().target(Api.class, \"{host}\"); }}\n}}\n"
            ),
        ),
        found,
    );
    // Another server's path, a reading of lists, and an interface that no library implements.
    for (imports, of_class, of_method) in [
        (
            feign,
            "@FeignClient(name = \"m\", url = \"https://api.shop.example\")",
            "@PostMapping(\"/v1/orders\")",
        ),
        (
            feign,
            "@FeignClient(name = \"m\", url = \"https://api.mistral.ai\")",
            "@GetMapping(\"/v1/models\")",
        ),
        (
            "",
            "@FeignClient(name = \"m\", url = \"https://api.mistral.ai\")",
            "@PostMapping(\"/v1/chat/completions\")",
        ),
        (
            "import io.micronaut.http.annotation.Post;",
            "@Client(\"https://api.shop.example\")",
            "@Post(\"/orders\")",
        ),
    ] {
        check(&declared(imports, of_class, of_method, ""), "");
    }
}

#[test]
fn refit_and_ktor_take_address_from_client_constructor() {
    let refit = |host: &str, path: &str| {
        format!(
            "//- Api.cs\nusing Refit;\npublic interface IApi {{\n  [Post(\"{path}\")]\n  Task<Reply> Send([Body] Ask ask);\n}}\n//- Startup.cs\nusing Refit;\npublic static class Startup {{\n  public static void Add(IServiceCollection services) => services.AddRefitClient<IApi>().ConfigureHttpClient(c => c.BaseAddress = new Uri(\"{host}\"));\n}}\n//- Desk.cs\npublic class Desk(IApi api) {{\n  public async Task<Reply> Ask(Ask ask) {{\n    return await api.Send(ask);\n  }}\n}}\n"
        )
    };
    check(
        &refit("https://api.mistral.ai", "/v1/chat/completions"),
        "Desk.cs:3 mistral -",
    );
    check(&refit("https://api.shop.example", "/v1/orders"), "");
    let ktor = |host: &str, path: &str| {
        format!(
            "//- Facts.kt\nimport io.ktor.client.HttpClient\nimport io.ktor.client.plugins.defaultRequest\nimport io.ktor.client.request.post\nimport io.ktor.client.request.setBody\nprivate val http = HttpClient {{\n  defaultRequest {{ url(\"{host}\") }}\n}}\nsuspend fun ask(text: String) = http.post(\"{path}\") {{ setBody(Ask(text)) }}\n"
        )
    };
    check(
        &ktor("https://api.perplexity.ai/", "chat/completions"),
        "Facts.kt:8 perplexity -",
    );
    check(&ktor("https://shop.example/", "orders"), "");
}

#[test]
fn what_a_call_of_go_fills_comes_from_where_it_reads() {
    let tree = |fill: &str| {
        format!(
            "//- main.go\npackage main\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"github.com/gin-gonic/gin\"\n\topenai \"github.com/sashabaranov/go-openai\"\n)\n\ntype question struct {{ Text string }}\n\nfunc ask(c *gin.Context) {{\n\tvar q question\n\t{fill}\n\tclient := openai.NewClient(\"k\")\n\tclient.CreateChatCompletion(context.Background(), openai.ChatCompletionRequest{{Model: \"gpt-4o\", Messages: []openai.ChatCompletionMessage{{{{Role: \"user\", Content: q.Text}}}}}})\n}}\n\nfunc main() {{ r := gin.Default(); r.POST(\"/ask\", ask); r.Run() }}\n"
        )
    };
    let sends = |fill: &str| {
        let calls = scan(&tree(fill)).calls;
        let call = calls.iter().find(|call| call.line == 16);
        call.map(|call| format!("{:?}", call.sends)).unwrap_or_default()
    };
    for fill in ["c.ShouldBindJSON(&q)", "json.NewDecoder(c.Request.Body).Decode(&q)"] {
        assert!(sends(fill).contains("UserInput"), "{fill}: {}", sends(fill));
    }
    assert!(!sends("c.Header(\"a\", \"b\")").contains("UserInput"));
}

#[test]
fn a_form_that_a_helper_makes_names_the_model() {
    let tree = |model: &str| {
        format!(
            "//- main.go\npackage main\n\nimport (\n\t\"bytes\"\n\t\"mime/multipart\"\n\t\"net/http\"\n)\n\nconst whisper = \"whisper-1\"\n\nfunc form(path, model string) (*bytes.Buffer, string, error) {{\n\tvar body bytes.Buffer\n\tw := multipart.NewWriter(&body)\n\tif err := w.WriteField(\"model\", {model}); err != nil {{\n\t\treturn nil, \"\", err\n\t}}\n\treturn &body, w.FormDataContentType(), nil\n}}\n\nfunc hear(path string) {{\n\tbody, kind, _ := form(path, whisper)\n\treq, _ := http.NewRequest(\"POST\", \"https://api.openai.com/v1/audio/transcriptions\", body)\n\treq.Header.Set(\"Content-Type\", kind)\n\thttp.DefaultClient.Do(req)\n}}\n"
        )
    };
    check(&tree("model"), "main.go:24 openai whisper-1");
    check(&tree("\"gpt-4o-transcribe\""), "main.go:24 openai gpt-4o-transcribe");
    // The request may be sent by a third function.
    let sent = tree("model").replace(
        "http.DefaultClient.Do(req)\n}",
        "do(req)\n}\n\nfunc do(req *http.Request) {\n\thttp.DefaultClient.Do(req)\n}",
    );
    check(&sent, "main.go:28 openai whisper-1");
    // A field of the file is none of the model.
    check(&tree("path"), "main.go:24 openai -");
}

#[test]
fn proxy_object_forwards_its_target() {
    let of = |handler: &str| {
        let tree = format!(
            "//- lib.ts\nimport OpenAI from 'openai';\nfunction getClient(): OpenAI {{ return new OpenAI(); }}\nexport const openai = new Proxy({{}} as any, {handler});\n//- app.ts\nimport {{ openai }} from './lib';\nopenai.responses.create({{ model: 'gpt-5', input: q }});\n"
        );
        let calls = scan(&tree).calls;
        calls.iter().filter(|call| call.file == "app.ts").count()
    };
    assert_eq!(of("{ get(_t, name) { return getClient()[name as keyof OpenAI]; } }"), 1);
    assert_eq!(of("{ get: (_t, name) => Reflect.get(getClient(), name) }"), 1);
    assert_eq!(of("{ set(_t, name) { return getClient()[name]; } }"), 0);
}

#[test]
fn super_call_reaches_parent_class() {
    for (tree, file) in [
        (
            "//- base.py\nfrom openai import OpenAI\nclass Base:\n    def ask(self, q):\n        return OpenAI().responses.create(model='gpt-5', input=q)\n//- app.py\nfrom flask import Flask, request\nfrom base import Base\napp = Flask(__name__)\nclass Sub(Base):\n    def ask(self, q):\n        return super().ask(q)\n@app.post('/chat')\ndef chat():\n    return Sub().ask(request.json['q'])\n",
            "base.py",
        ),
        (
            "//- base.ts\nimport OpenAI from 'openai';\nexport class Base {\n  client = new OpenAI();\n  async ask(q: string) { return this.client.responses.create({ model: 'gpt-5', input: q }); }\n}\n//- app.ts\nimport express from 'express';\nimport { Base } from './base';\nclass Sub extends Base {\n  async ask(q: string) { return super.ask(q); }\n}\nconst app = express();\napp.post('/chat', async (req, res) => { res.json(await new Sub().ask(req.body.q)); });\n",
            "base.ts",
        ),
        (
            "//- Base.kt\npackage x\nimport com.aallam.openai.client.OpenAI\nimport com.aallam.openai.api.chat.*\nabstract class Base {\n  val client = OpenAI(token = \"k\")\n  open suspend fun ask(q: String): String = client.chatCompletion(ChatCompletionRequest(messages = listOf(ChatMessage(content = q)))).choices.first().message.content\n}\n//- C.kt\npackage x\nimport org.springframework.web.bind.annotation.*\n@RestController\nclass C : Base() {\n  @PostMapping(\"/ask\") suspend fun reply(@RequestBody q: String): String = super.ask(q)\n}\n",
            "Base.kt",
        ),
        (
            "//- Base.cs\nusing OpenAI.Chat;\nnamespace X;\npublic abstract class Base {\n  protected readonly ChatClient _client = new ChatClient(\"gpt-5\", \"k\");\n  protected async Task<string> AskAI(string q) { var r = await _client.CompleteChatAsync(q); return r.Value.Content[0].Text; }\n}\n//- C.cs\nusing Microsoft.AspNetCore.Mvc;\nnamespace X;\n[ApiController]\npublic class ChatController : Base {\n  [HttpPost(\"ask\")] public async Task<IActionResult> Ask([FromBody] string q) { return Ok(await base.AskAI(q)); }\n}\n",
            "Base.cs",
        ),
    ] {
        let calls = scan(tree).calls;
        let asked = calls
            .iter()
            .find(|call| call.file == file && call.kind == engine_model::CallKind::Call)
            .unwrap_or_else(|| panic!("{file}"));
        assert_eq!(asked.sends, [engine_model::Sends::UserInput], "{file}");
        assert!(asked.effects.contains(&engine_model::Effect::Page), "{file}");
    }
}

#[test]
fn a_project_may_be_called_like_a_service() {
    let provider = |import: &str| {
        let tree = format!(
            "//- src/main/java/com/acme/spring_openai/Chats.java\npackage com.acme.spring_openai;\nimport {import};\nimport org.springframework.ai.chat.client.ChatClient;\nclass Chats {{\n  private final ChatClient chat;\n  Chats(ChatClient.Builder b) {{ this.chat = b.build(); }}\n  String ask(String q) {{ return chat.prompt().user(q).call().content(); }}\n}}\n//- src/main/java/com/acme/spring_openai/service/Answers.java\npackage com.acme.spring_openai.service;\ninterface Answers {{}}\n"
        );
        let calls = scan(&tree).calls;
        calls
            .iter()
            .find(|call| call.kind == engine_model::CallKind::Call)
            .unwrap()
            .provider
            .clone()
    };
    assert_eq!(provider("com.acme.spring_openai.service.Answers"), None);
    assert_eq!(
        provider("org.springframework.ai.openai.OpenAiChatOptions").as_deref(),
        Some("openai")
    );
}

#[test]
fn open_weight_model_name_gives_no_spring_provider() {
    let tree = "//- A.java\npackage a;\nimport org.springframework.ai.chat.client.ChatClient;\nimport org.springframework.ai.chat.prompt.ChatOptions;\nclass A {\n  private final ChatClient chat;\n  A(ChatClient.Builder b) { this.chat = b.build(); }\n  String see(String q) { return chat.prompt().options(ChatOptions.builder().model(\"llava\").build()).user(q).call().content(); }\n  String ask(String q) { return chat.prompt().user(q).call().content(); }\n}\n";
    let calls = scan(tree).calls;
    let told: Vec<(Option<&str>, Option<&str>)> = calls
        .iter()
        .filter(|call| call.kind == engine_model::CallKind::Call)
        .map(|call| (call.provider.as_deref(), call.model.as_deref()))
        .collect();
    assert_eq!(told, [(None, Some("llava")), (None, None)]);
}

#[test]
fn the_first_argument_of_an_old_transcription_is_its_model() {
    check(
        "//- a.py\nimport openai\nwith open('v.ogg', 'rb') as f:\n    print(openai.Audio.transcribe('whisper-1', f).text)\n    print(openai.Audio.transcribe(file=f, model='whisper-1').text)\n",
        "a.py:3 openai whisper-1\na.py:4 openai whisper-1",
    );
}

#[test]
fn a_setting_that_may_be_empty_hides_no_server() {
    let tree = |address: &str| {
        format!(
            "//- src/main.rs\nmod config;\nuse crate::config::get;\n#[derive(serde::Serialize)]\nstruct Ask {{ model: String, prompt: String }}\npub async fn ask(text: String) -> reqwest::Result<String> {{\n    let body = Ask {{ model: \"llama3\".to_string(), prompt: text }};\n    reqwest::Client::new().post(format!(\"{{}}/api/generate\", {address})).json(&body).send().await?.text().await\n}}\n//- src/config.rs\npub fn get(key: &str) -> String {{\n    if let Some(value) = KNOWN.get(key) {{\n        return value.to_string();\n    }}\n    return \"\".to_string();\n}}\n"
        )
    };
    check(&tree("get(\"ollama-url\")"), "src/main.rs:7 ollama llama3");
    check(&tree("get(\"shop-url\")").replace("/api/generate", "/api/orders"), "");
}

#[test]
fn kernel_chat_service_is_not_an_embedding() {
    let tree = |registered: &str, asked: &str| {
        format!(
            "//- Program.cs\nusing Microsoft.SemanticKernel;\nvar builder = Host.CreateApplicationBuilder(args);\nbuilder.{registered};\n//- Search.cs\nusing Microsoft.SemanticKernel.ChatCompletion;\nusing Microsoft.SemanticKernel.Embeddings;\nclass Search(ITextEmbeddingGenerationService embedder, IChatCompletionService chat)\n{{\n    public async Task<object> Find(string query) => await {asked};\n}}\n"
        )
    };
    let vectors = "embedder.GenerateEmbeddingAsync(query)";
    let answer = "chat.GetChatMessageContentAsync(query)";
    check(
        &tree("AddOpenAIChatCompletion(\"gpt-4.1\", key)", answer),
        "Search.cs:5 openai gpt-4.1",
    );
    check(
        &tree("AddOpenAIChatCompletion(\"gpt-4.1\", key)", vectors),
        "Search.cs:5 - -",
    );
    // The name of a service of the host of the program is no model.
    check(
        &tree("AddOpenAIChatCompletion(\"chatcompletion\")", answer),
        "Search.cs:5 openai -",
    );
}

#[test]
fn address_with_trimmed_end_keeps_host() {
    let tree = |base: &str, cut: &str| {
        format!(
            "//- src/ask.ts\nconst base = (import.meta.env.API_URL || '{base}').trim(){cut}\nexport const ask = (m: unknown) =>\n  fetch(`${{base}}/v1/chat/completions`, {{ method: 'POST', body: JSON.stringify({{ model: 'gpt-3.5-turbo', messages: m }}) }})\n"
        )
    };
    for cut in ["", ".replace(/\\/$/, '')", ".replace(/\\/+$/g, \"\")"] {
        for base in ["https://api.openai.com", "https://api.openai.com/"] {
            if !cut.is_empty() || !base.ends_with('/') {
                check(&tree(base, cut), "src/ask.ts:3 openai gpt-3.5-turbo");
            }
        }
    }
    // What is put in its place says where the request goes.
    check(
        &tree("https://api.openai.com", ".replace(/api.openai.com/, proxy)"),
        "src/ask.ts:3 openai-compatible gpt-3.5-turbo",
    );
}

#[test]
fn a_prompt_that_lies_in_a_file_of_its_own_is_sent() {
    check(
        "//- api/chat.py\nimport prompty\nfrom prompty.tracer import trace\n\n@trace\ndef answer(question):\n    return prompty.execute('chat.prompty', inputs={'question': question})\n",
        "api/chat.py:6 - -",
    );
    check("//- api/chat.py\nimport prompty\nprompty.load('chat.prompty')\n", "");
}
