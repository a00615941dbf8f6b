//! Sources of sent data: a value of several parts comes from all of them, and is constant only if each part is.

use super::scan;

/// The sources of the first call of a tree.
fn sends(tree: &str) -> String {
    let calls = scan(tree).calls;
    let call = calls.iter().find(|call| !call.sends.is_empty());
    call.map_or_else(|| "no call".to_owned(), |call| format!("{:?}", call.sends))
}

/// Asserts what is sent for each of several bodies that are put into a frame.
fn all(frame: &str, want: &str, bodies: &[&str]) {
    for body in bodies {
        assert_eq!(sends(&frame.replace("BODY", body)), want, "{body}");
    }
}

const USER: &str = "[UserInput]";
const CONSTANT: &str = "[Constant]";
const UNKNOWN: &str = "[Unknown]";

#[test]
fn texts_of_java_come_from_their_parts() {
    let frame = "//- A.java\npackage a;\nimport dev.langchain4j.model.openai.OpenAiChatModel;\nimport org.springframework.web.bind.annotation.*;\nimport com.acme.Clock;\nimport java.util.*;\n@RestController\npublic class A {\n  private static final String T = \"Answer: %s\";\n  private final OpenAiChatModel model = OpenAiChatModel.builder().modelName(\"gpt-4o\").build();\n  private final List<String> turns = new ArrayList<>();\n  private String last;\n  @PostMapping(\"/a\")\n  public String ask(@RequestBody String q, @RequestBody Question dto) {\n    BODY\n  }\n  private void fill(StringBuilder out, String x) { out.append(\"q: \").append(x); }\n}\nclass Question { private String text; public String getText() { return text; } }\n";
    all(
        frame,
        USER,
        &[
            "return model.chat(String.format(T, q));",
            "return model.chat(T.formatted(q));",
            "StringBuilder sb = new StringBuilder(); sb.append(\"a\").append(q); sb.append(\"b\"); return model.chat(sb.toString());",
            "StringBuilder sb = new StringBuilder(); List.of(q).forEach(x -> sb.append(x)); return model.chat(sb.toString());",
            "StringBuilder sb = new StringBuilder(); fill(sb, q); return model.chat(sb.toString());",
            "StringWriter w = new StringWriter(); PrintWriter p = new PrintWriter(w); p.printf(\"a %s\", q); return model.chat(w.toString());",
            "this.last = q; return model.chat(last);",
            "this.turns.add(q); return model.chat(this.turns);",
            "return model.chat(String.format(T, dto.getText()));",
        ],
    );
    all(
        frame,
        CONSTANT,
        &[
            "return model.chat(String.format(T, \"b\"));",
            "StringBuilder sb = new StringBuilder(); sb.append(\"a\"); fill(sb, \"b\"); return model.chat(sb.toString());",
        ],
    );
    all(
        frame,
        UNKNOWN,
        &["return model.chat(T + Clock.now());", "return model.chat(T + last);"],
    );
}

#[test]
fn texts_of_kotlin_come_from_their_parts() {
    let frame = "//- A.kt\npackage a\nimport com.aallam.openai.client.OpenAI\nimport com.aallam.openai.api.chat.*\nimport com.acme.Clock\nimport io.ktor.server.routing.*\nimport io.ktor.server.request.*\nconst val T = \"Answer: %s\"\nval ai = OpenAI(\"k\")\nfun Route.a() {\n  post(\"/a\") {\n    val q = call.receiveText()\n    BODY\n    ai.chatCompletion(ChatCompletionRequest(messages = ms))\n  }\n}\n";
    all(
        frame,
        USER,
        &[
            "val ms = buildString { append(T); append(q) }",
            "val ms = T.format(q)",
            "val ms = StringBuilder().apply { append(q) }.toString()",
            "val ms = mutableListOf<String>()\n    ms.add(q)",
            "val ms = T + call.parameters[\"x\"]",
        ],
    );
    all(frame, CONSTANT, &["val ms = buildString { append(T); append(\"b\") }"]);
    all(frame, UNKNOWN, &["val ms = \"a ${Clock.now()}\""]);
}

#[test]
fn texts_of_csharp_come_from_their_parts() {
    let frame = "//- A.cs\nusing Microsoft.AspNetCore.Mvc;\nusing OpenAI.Chat;\nusing System.Text;\nusing Acme;\nnamespace A;\n[ApiController]\npublic class AController : ControllerBase\n{\n  private readonly ChatClient client = new ChatClient(\"gpt-4o\", \"k\");\n  private readonly ICleaner cleaner;\n  [HttpPost(\"/a\")]\n  public string Ask([FromBody] string q, CancellationToken token)\n  {\n    BODY\n  }\n  private static void Fill(List<ChatMessage> all, string x) { all.Add(new UserChatMessage(x)); }\n}\n";
    all(
        frame,
        USER,
        &[
            "return client.CompleteChat(string.Format(\"a {0}\", q)).Text;",
            "var ms = new List<ChatMessage>(); Fill(ms, q); return client.CompleteChat(ms).Text;",
            "return client.CompleteChat(cleaner.Shrink(q)).Text;",
        ],
    );
    all(
        frame,
        CONSTANT,
        &[
            "return client.CompleteChat(string.Format(\"a {0}\", \"b\")).Text;",
            "return client.CompleteChat(\"a\", token).Text;",
        ],
    );
    all(
        frame,
        UNKNOWN,
        &["return client.CompleteChat($\"a {cleaner.Now()}\").Text;"],
    );
}

#[test]
fn texts_of_go_come_from_their_parts() {
    let frame = "//- main.go\npackage main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"net/http\"\n\t\"strings\"\n\topenai \"github.com/sashabaranov/go-openai\"\n\t\"github.com/acme/tidy\"\n)\n\nvar client = openai.NewClient(\"k\")\n\nfunc ask(w http.ResponseWriter, r *http.Request) {\n\tq := r.FormValue(\"q\")\n\tBODY\n\tclient.CreateChatCompletion(r.Context(), openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, Content: p}}})\n\t_ = q\n}\n\nfunc fill(sb *strings.Builder, x string) { sb.WriteString(x) }\n\nfunc main() { http.HandleFunc(\"/a\", ask) }\n";
    all(
        frame,
        USER,
        &[
            "p := fmt.Sprintf(\"a %s\", q)",
            "var sb strings.Builder\n\tfmt.Fprintf(&sb, \"a %s\", q)\n\tp := sb.String()",
            "var sb strings.Builder\n\tfill(&sb, q)\n\tp := sb.String()",
            "tm := template.Must(template.New(\"x\").Parse(\"a\"))\n\tvar buf bytes.Buffer\n\tif err := tm.Execute(&buf, q); err != nil {\n\t\treturn\n\t}\n\tp := buf.String()",
            "var body bytes.Buffer\n\tform := multipart.NewWriter(&body)\n\tform.WriteField(\"text\", q)\n\tp := body.String()",
            "p := tidy.Clean(q)",
        ],
    );
    all(
        frame,
        CONSTANT,
        &[
            "p := fmt.Sprintf(\"a %s\", \"b\")",
            "var sb strings.Builder\n\tfill(&sb, \"a\")\n\tp := sb.String()",
            // What is written to the other side is in no text.
            "p := \"a\"\n\tfmt.Fprintf(w, \"%s\", q)",
        ],
    );
    all(frame, UNKNOWN, &["p := \"a\" + tidy.Weather()"]);
}

#[test]
fn texts_of_scripts_come_from_their_parts() {
    let python = "//- app.py\nimport io\nfrom fastapi import FastAPI\nfrom openai import OpenAI\nimport tidy\nfrom things import GREETING\napp = FastAPI()\nclient = OpenAI()\ndef fill(ms, x):\n    ms.append({'role': 'user', 'content': x})\n@app.post('/a')\ndef ask(q: str):\n    BODY\n    return client.chat.completions.create(model='gpt-4o', messages=p)\n";
    all(
        python,
        USER,
        &[
            "p = []\n    fill(p, q)",
            "b = io.StringIO()\n    print(q, file=b)\n    p = b.getvalue()",
            "p = 'a %s' % tidy.clean(q)",
        ],
    );
    all(
        python,
        CONSTANT,
        &["p = []\n    fill(p, 'a')", "p = 'a {}'.format('b')"],
    );
    all(python, UNKNOWN, &["p = 'a' + tidy.weather()", "p = f'{GREETING} a'"]);
    let script = "//- a.js\nimport OpenAI from 'openai';\nimport express from 'express';\nimport tidy from 'tidy';\nconst app = express();\nconst client = new OpenAI();\nfunction fill(ms, x) { ms.push({ role: 'user', content: x }); }\napp.post('/a', async (req, res) => {\n  const q = req.body.q;\n  BODY\n  res.send(await client.chat.completions.create({ model: process.env.MODEL, messages: p }));\n});\n";
    all(
        script,
        USER,
        &[
            "const p = []; fill(p, q);",
            "const p = {}; Object.assign(p, { q });",
            "const p = []; [q].forEach((x) => p.push(x));",
        ],
    );
    all(
        script,
        CONSTANT,
        &["const p = []; fill(p, 'a');", "const p = ['a', 'b'].join(' ');"],
    );
    all(script, UNKNOWN, &["const p = 'a' + tidy.weather();"]);
    let php = "//- a.php\n<?php\nuse Acme\\Tidy;\nfunction fill(array &$ms, $x) { $ms[] = ['role' => 'user', 'content' => $x]; }\n$client = OpenAI::client('k');\n$q = $_POST['q'];\nBODY\necho $client->chat()->create(['messages' => $p])->text;\n";
    all(php, USER, &["$p = []; fill($p, $q);", "$p = []; array_push($p, $q);"]);
    all(php, CONSTANT, &["$p = []; fill($p, 'a');"]);
    all(php, UNKNOWN, &["$p = 'a' . Tidy::weather();"]);
    let ruby = "//- a.rb\nrequire 'openai'\nrequire 'tidy'\nclass Bot\n  def fill(ms, x)\n    ms << { role: 'user', content: x }\n  end\n  def ask\n    client = OpenAI::Client.new(access_token: 'k')\n    BODY\n    client.chat(parameters: { model: 'gpt-4o', messages: p })\n  end\nend\n";
    all(
        ruby,
        USER,
        &[
            "p = []\n    fill(p, STDIN.gets)",
            "p = +'a'\n    p << 'b' << STDIN.gets",
        ],
    );
    all(ruby, CONSTANT, &["p = []\n    fill(p, 'a')"]);
    all(ruby, UNKNOWN, &["p = \"a #{Tidy.weather}\""]);
}

#[test]
fn texts_of_rust_come_from_their_parts() {
    let frame = "//- src/main.rs\nuse async_openai::{Client, types::*};\nuse axum::{Router, routing::post};\nuse std::fmt::Write;\nfn fill(s: &mut String, x: &str) { s.push_str(x); }\nasync fn ask(q: String) -> String {\n    let client = Client::new();\n    BODY\n    let request = CreateChatCompletionRequestArgs::default().messages([ChatCompletionRequestUserMessageArgs::default().content(p).build().unwrap().into()]).build().unwrap();\n    client.chat().create(request).await.unwrap().text\n}\n#[tokio::main]\nasync fn main() { let app = Router::new().route(\"/a\", post(ask)); }\n";
    all(
        frame,
        USER,
        &[
            "let p = format!(\"a {q}\");",
            "let mut p = String::new(); write!(&mut p, \"a {}\", q).unwrap();",
            "let mut p = String::new(); let _ = writeln!(p, \"a {q}\");",
            "let mut p = String::new(); fill(&mut p, &q);",
        ],
    );
    all(frame, CONSTANT, &["let mut p = String::new(); fill(&mut p, \"a\");"]);
    all(frame, UNKNOWN, &["let p = format!(\"a {}\", tidy::weather());"]);
}
