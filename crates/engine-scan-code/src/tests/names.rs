//! Names between code and package, and calls through extension methods, containers and executors.

use engine_model::{CallKind, Effect, Sends};

use super::{check, scan};

const ASK: &str = "import LLM from \"$\";\nexport async function ask(q: string) {\n  return new LLM().responses.create({ model: \"gpt-4.1-2025-04-14\", input: q });\n}\n";

fn script(manifest: &str, name: &str) -> String {
    format!("//- {manifest}\n//- src/ask.ts\n{}", ASK.replace('$', name))
}

#[test]
fn manifest_alias_names_the_package() {
    let found = "src/ask.ts:3 openai gpt-4.1-2025-04-14";
    check(
        &script(
            "package.json\n{\"dependencies\": {\"llm\": \"npm:openai@^6.9.0\"}}",
            "llm",
        ),
        found,
    );
    check(
        &script(
            "package.json\n{\"imports\": {\"#llm\": {\"default\": \"openai\"}}}",
            "#llm",
        ),
        found,
    );
    check(
        &script(
            "tsconfig.json\n{\"compilerOptions\": {\"paths\": {\"@llm\": [\"./node_modules/openai/index.d.ts\"],}}} // x",
            "@llm",
        ),
        found,
    );
    check(
        &script("deno.json\n{\"imports\": {\"llm\": \"npm:openai@6\"}}", "llm"),
        found,
    );
    // Names of a configuration that another one extends, over two steps and a list.
    let base = "{\"compilerOptions\": {\"paths\": {\"@llm\": [\"../node_modules/openai/index.d.ts\"]}}}";
    let extends = |base: &str, path: &str, own: &str| {
        script(
            &format!(
                "{path}\n{base}\n//- tsconfig.json\n{{\"extends\": {own}}}\n//- configs/tsconfig.app.json\n{{\"extends\": \"./tsconfig.base\"}}"
            ),
            "@llm",
        )
    };
    for own in [
        "\"./configs/tsconfig.base.json\"",
        "\"./configs/tsconfig.app\"",
        "[\"@tsconfig/strictest\", \"./configs/tsconfig.app.json\", \"./configs/none.json\"]",
    ] {
        check(&extends(base, "configs/tsconfig.base.json", own), found);
    }
    check(&extends(base, "tsconfig/base.json", "\"./tsconfig/base.json\""), found);
    // A file that is not extended, one that takes back the names, and two that extend each other.
    check(
        &extends(base, "configs/tsconfig.base.json", "\"./configs/other.json\""),
        "",
    );
    check(
        &extends(
            base,
            "configs/tsconfig.base.json",
            "\"./configs/tsconfig.base.json\", \"compilerOptions\": {\"paths\": {}}",
        ),
        "",
    );
    check(
        &extends(
            "{\"extends\": \"./tsconfig.app.json\"}",
            "configs/tsconfig.base.json",
            "\"./configs/tsconfig.app.json\"",
        ),
        "",
    );
    // A package of that name that is no alias, and an alias of another package.
    check(
        &script("package.json\n{\"dependencies\": {\"llm\": \"1.0.0\"}}", "llm"),
        "",
    );
    check(
        &script("package.json\n{\"dependencies\": {\"llm\": \"npm:left-pad@1\"}}", "llm"),
        "",
    );
    // A name of one folder says nothing in another.
    check(
        &script(
            "tools/package.json\n{\"dependencies\": {\"llm\": \"npm:openai@6\"}}",
            "llm",
        ),
        "",
    );
}

#[test]
fn manifest_alias_names_a_file() {
    let tree = |manifest: &str, name: &str| {
        format!(
            "//- {manifest}\n//- core/deep/model.ts\nimport OpenAI from 'openai';\nexport const client = new OpenAI();\n//- src/ask.ts\nimport {{ client }} from '{name}';\nexport const ask = (q: string) => client.responses.create({{ model: 'gpt-4.1', input: q }});\n"
        )
    };
    let found = "src/ask.ts:2 openai gpt-4.1";
    check(
        &tree(
            "package.json\n{\"imports\": {\"#model\": \"./core/deep/model.js\"}}",
            "#model",
        ),
        found,
    );
    check(
        &tree(
            "tsconfig.json\n{\"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"core-*\": [\"core/deep/*\"]}}}",
            "core-model",
        ),
        found,
    );
}

#[test]
fn renamed_crate_is_the_crate() {
    let main = "//- src/main.rs\nuse llm::Client;\nuse llm::types::CreateChatCompletionRequestArgs;\n\nasync fn ask() {\n    let client = Client::new();\n    let request = CreateChatCompletionRequestArgs::default().model(\"gpt-4.1\").build().unwrap();\n    client.chat().create(request).await.unwrap();\n}\n";
    let renamed = "//- Cargo.toml\n[dependencies]\nllm = { package = \"async-openai\", version = \"0.30\" }\n";
    let found = "src/main.rs:7 openai gpt-4.1";
    check(&format!("{renamed}{main}"), found);
    // Without an import, and from the manifest of the workspace.
    let whole = main
        .replace("use llm::Client;", "")
        .replace("= Client::new", "= llm::Client::new");
    check(&format!("{renamed}{whole}"), found);
    let workspace = renamed.replace("[dependencies]", "[workspace.dependencies]");
    check(
        &format!(
            "{workspace}//- app/Cargo.toml\n[dependencies]\nllm.workspace = true\n{}",
            main.replace("src/", "app/src/")
        ),
        "app/src/main.rs:7 openai gpt-4.1",
    );
    check(&format!("//- Cargo.toml\n[dependencies]\nllm = \"1\"\n{main}"), "");
}

#[test]
fn replaced_module_of_go_is_the_module() {
    let main = "//- main.go\npackage main\n\nimport (\n\t\"context\"\n\tllm \"example.org/llm\"\n)\n\nfunc ask() {\n\tclient := llm.NewClient(\"\")\n\tclient.CreateChatCompletion(context.Background(), llm.ChatCompletionRequest{Model: \"gpt-4.1\"})\n}\n";
    check(
        &format!(
            "//- go.mod\nmodule a\n\nreplace example.org/llm => github.com/sashabaranov/go-openai v1.41.0\n{main}"
        ),
        "main.go:10 openai gpt-4.1",
    );
    check(
        &format!("//- go.mod\nmodule a\n\nrequire example.org/llm v1.0.0\n{main}"),
        "",
    );
}

#[test]
fn extension_method_of_csharp_joins_its_caller() {
    let of = |extension: &str| {
        format!(
            "//- Asking.cs\nusing Microsoft.Extensions.AI;\nnamespace A;\npublic static class Asking {{\n{extension}}}\n//- Program.cs\nusing Microsoft.Extensions.AI;\nusing OpenAI;\nusing A;\nvar app = WebApplication.CreateBuilder(args).Build();\nIChatClient client = new OpenAIClient(\"key\").GetChatClient(\"gpt-4.1-mini\").AsIChatClient();\napp.MapPost(\"/ask\", async (HttpRequest request) => {{\n  var form = await request.ReadFormAsync();\n  return Results.Text(await client.AskAsync(form[\"q\"]));\n}});\napp.Run();\n"
        )
    };
    for extension in [
        "  public static async Task<string> AskAsync(this IChatClient chat, string q) => (await chat.GetResponseAsync(q)).Text;\n",
        "  extension(IChatClient chat) {\n    public async Task<string> AskAsync(string q) => (await chat.GetResponseAsync(q)).Text;\n  }\n",
    ] {
        let found = scan(&of(extension));
        let call = found
            .calls
            .iter()
            .find(|call| call.kind == CallKind::Call)
            .expect("a call");
        assert_eq!(call.model.as_deref(), Some("gpt-4.1-mini"), "{extension}");
        assert_eq!(call.sends, [Sends::UserInput], "{extension}");
        assert!(call.effects.contains(&Effect::Page), "{extension}: {:?}", call.effects);
        let reached = found.entry_points.iter().any(|entry| !entry.calls.is_empty());
        assert!(reached, "{extension}: {:?}", found.entry_points);
    }
}

#[test]
fn extension_function_of_kotlin_joins_its_caller() {
    let found = scan(
        "//- src/A.kt\npackage a\nimport dev.langchain4j.model.chat.ChatModel\nimport dev.langchain4j.model.openai.OpenAiChatModel\nimport io.ktor.server.application.*\nimport io.ktor.server.request.*\nimport io.ktor.server.response.*\nimport io.ktor.server.routing.*\n\nfun ChatModel.ask(text: String) = chat(text)\n\nval model: ChatModel = OpenAiChatModel.builder().modelName(\"gpt-4.1-mini\").build()\n\nfun Application.module() {\n    routing {\n        post(\"/ask\") {\n            val q = call.receiveText()\n            call.respondText(model.ask(q))\n        }\n    }\n}\n",
    );
    let call = found
        .calls
        .iter()
        .find(|call| call.kind == CallKind::Call)
        .expect("a call");
    assert_eq!(call.model.as_deref(), Some("gpt-4.1-mini"));
    assert_eq!(call.sends, [Sends::UserInput]);
    assert!(call.effects.contains(&Effect::Page), "{:?}", call.effects);
    assert!(
        found.entry_points.iter().any(|entry| !entry.calls.is_empty()),
        "{:?}",
        found.entry_points
    );
}

#[test]
fn registration_in_a_container_names_the_model() {
    let tree = |registration: &str| {
        format!(
            "//- Program.cs\nusing Microsoft.Extensions.AI;\nusing OpenAI;\nvar builder = WebApplication.CreateBuilder(args);\n{registration}\nbuilder.Build().Run();\n//- Desk.cs\nusing Microsoft.Extensions.AI;\npublic class Desk {{\n  private readonly IChatClient _client;\n  public Desk(IChatClient client) {{ _client = client; }}\n  public async Task<string> Ask(string q) => (await _client.GetResponseAsync(q)).Text;\n}}\n"
        )
    };
    let made = "new OpenAIClient(key).GetChatClient(\"gpt-4.1-mini\").AsIChatClient()";
    let found = "Desk.cs:5 openai gpt-4.1-mini";
    check(
        &tree(&format!("builder.Services.AddSingleton<IChatClient>({made});")),
        found,
    );
    check(
        &tree(&format!("builder.Services.AddScoped<IChatClient>(_ => {made});")),
        found,
    );
    check(&tree(&format!("builder.Services.AddChatClient({made});")), found);
    // Of two registered models it is open which one is handed in.
    let other = made.replace("mini", "nano");
    check(
        &tree(&format!(
            "builder.Services.AddKeyedSingleton<IChatClient>(\"a\", {made});\nbuilder.Services.AddKeyedSingleton<IChatClient>(\"b\", {other});"
        )),
        "Desk.cs:5 openai -",
    );
}

#[test]
fn bound_method_handed_to_an_executor_is_called() {
    check(
        "//- app/clients.py\ndef make(e, k):\n    from azure.ai.projects import AIProjectClient\n    return AIProjectClient(endpoint=e, credential=k)\n//- app/main.py\nimport asyncio\nfrom app.clients import make\n\nasync def answer(e, k, m, q):\n    c = make(e, k)\n    oc = c.get_openai_client()\n    return await asyncio.to_thread(oc.responses.create, model=m, input=q)\n",
        "app/main.py:7 azure-ai -",
    );
    for (call, line) in [
        (
            "asyncio.to_thread(client.responses.create, model='gpt-4.1', input=q)",
            true,
        ),
        ("pool.submit(client.responses.create, model='gpt-4.1', input=q)", true),
        (
            "loop.run_in_executor(None, functools.partial(client.responses.create, model='gpt-4.1', input=q))",
            true,
        ),
        (
            "loop.run_in_executor(None, lambda: client.responses.create(model='gpt-4.1', input=q))",
            true,
        ),
        (
            "anyio.to_thread.run_sync(functools.partial(client.responses.create, model='gpt-4.1', input=q))",
            true,
        ),
        ("show(client.responses)", false),
    ] {
        check(
            &format!(
                "//- a.py\nimport asyncio, functools, anyio\nfrom openai import OpenAI\nclient = OpenAI()\n\nasync def ask(q, loop, pool):\n    return {call}\n"
            ),
            if line { "a.py:6 openai gpt-4.1" } else { "" },
        );
    }
}

#[test]
fn opened_conversation_of_realtime_is_a_call() {
    for (made, client) in [
        ("client = AsyncOpenAI()", "client.realtime"),
        ("client = AsyncOpenAI()", "client.beta.realtime"),
    ] {
        check(
            &format!(
                "//- a.py\nfrom openai import AsyncOpenAI\n{made}\n\nasync def talk(q):\n    async with {client}.connect(model=\"gpt-realtime\") as conn:\n        await conn.session.update(session={{\"type\": \"realtime\"}})\n"
            ),
            "a.py:5 openai gpt-realtime",
        );
    }
    check(
        "//- a.py\nfrom openai import AsyncOpenAI\n\nclass Desk:\n    def __init__(self):\n        self.client = AsyncOpenAI()\n\n    async def talk(self, q):\n        async with self.client.realtime.connect(model=\"gpt-realtime\") as conn:\n            await conn.response.create()\n",
        "a.py:8 openai gpt-realtime",
    );
}
