//! Names that several blocks of one function declare.

use super::check;

/// A function of which each branch declares its own model.
fn branches(word: &str) -> String {
    format!(
        "//- a.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function ask(fast: boolean, input: string) {{\n  if (fast) {{\n    {word} model = 'gpt-4.1-mini';\n    return client.responses.create({{ model, input }});\n  }}\n  {word} model = 'gpt-4.1';\n  return client.responses.create({{ model, input }});\n}}\n"
    )
}

#[test]
fn each_block_has_its_own_name() {
    check(&branches("const"), "a.ts:6 openai gpt-4.1-mini\na.ts:9 openai gpt-4.1");
    check(
        "//- a.go\npackage main\nimport (\n\t\"context\"\n\topenai \"github.com/sashabaranov/go-openai\"\n)\nfunc ask(fast bool, c *openai.Client) {\n\tif fast {\n\t\tmodel := \"gpt-4.1-mini\"\n\t\tc.CreateChatCompletion(context.TODO(), openai.ChatCompletionRequest{Model: model})\n\t} else {\n\t\tmodel := \"gpt-4.1\"\n\t\tc.CreateChatCompletion(context.TODO(), openai.ChatCompletionRequest{Model: model})\n\t}\n}\nfunc main() { ask(true, openai.NewClient(\"k\")) }\n",
        "a.go:9 openai gpt-4.1-mini\na.go:12 openai gpt-4.1",
    );
    check(
        "//- A.java\nimport com.openai.client.OpenAIClient;\nimport com.openai.client.okhttp.OpenAIOkHttpClient;\nimport com.openai.models.responses.ResponseCreateParams;\nclass A {\n  OpenAIClient client = OpenAIOkHttpClient.fromEnv();\n  void ask(boolean fast, String text) {\n    if (fast) {\n      String model = \"gpt-4.1-mini\";\n      client.responses().create(ResponseCreateParams.builder().model(model).input(text).build());\n    } else {\n      String model = \"gpt-4.1\";\n      client.responses().create(ResponseCreateParams.builder().model(model).input(text).build());\n    }\n  }\n}\n",
        "A.java:9 openai gpt-4.1-mini\nA.java:12 openai gpt-4.1",
    );
}

#[test]
fn a_name_of_the_whole_function_is_seen_behind_its_blocks() {
    check(
        "//- a.js\nconst OpenAI = require('openai');\nconst client = new OpenAI();\nasync function ask(fast, input) {\n  if (fast) {\n    var model = 'gpt-4.1-mini';\n  } else {\n    var model = 'gpt-4.1-mini';\n  }\n  return client.responses.create({ model, input });\n}\n",
        "a.js:9 openai gpt-4.1-mini",
    );
    // What a block gives to a name around it is seen there.
    check(
        "//- a.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function ask(fast: boolean, input: string) {\n  let model;\n  if (fast) {\n    const text = input;\n    model = 'gpt-4.1-mini';\n    log(text);\n  } else {\n    const text = input + '!';\n    log(text);\n  }\n  return client.responses.create({ model, input });\n}\n",
        "a.ts:13 openai gpt-4.1-mini",
    );
    // Each round of two loops has its own.
    check(
        "//- a.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function ask(input: string) {\n  for (const model of ['gpt-4.1-mini']) {\n    await client.responses.create({ model, input });\n  }\n  for (const model of ['gpt-4.1']) {\n    await client.responses.create({ model, input });\n  }\n}\n",
        "a.ts:5 openai gpt-4.1-mini\na.ts:8 openai gpt-4.1",
    );
}
