//! What is told of calls beyond where they stand.

use engine_model::{CallKind, Effect, TraceKind, fixture};

use crate::{CodeJoin, ManifestNames, join, read};

fn scan(tree: &str) -> CodeJoin {
    let tree = fixture(tree).unwrap();
    let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
    join(&files, &ManifestNames::default(), &tree)
}

/// The kinds of traces of the first call of a tree.
fn traces(tree: &str) -> Vec<TraceKind> {
    let join = scan(tree);
    let call = join.calls.iter().find(|call| call.kind == CallKind::Call).unwrap();
    call.traces.iter().map(|trace| trace.kind).collect()
}

const BOT: &str = r#"//- package.json
{"name": "bot", "dependencies": {"openai": "4", "discord.js": "14"}}
//- src/ask.ts
import OpenAI from "openai";
const client = new OpenAI();
export async function answerQuestion(req: any) {
  const completion = await client.chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content: req.question }] });
  const answer = completion.choices[0].message.content ?? "No answer.";
  return { answer, citations: [] };
}
//- src/command.ts
import { answerQuestion } from "./ask";
function render(options: any) { return options.text.trim(); }
export async function handleAsk(interaction: any) {
  const question = interaction.options.getString("question");
  const { answer, citations } = await answerQuestion({ question });
  const rendered = render({ text: answer, citations });
  await interaction.editReply({ content: answer });
}
//- src/index.ts
import { Client } from "discord.js";
import { handleAsk } from "./command";
const bot = new Client({ intents: [] });
bot.on("interactionCreate", async (interaction) => { await handleAsk(interaction); });
"#;

#[test]
fn a_reply_on_a_platform_is_a_talk() {
    let join = scan(BOT);
    let call = join.calls.iter().find(|call| call.kind == CallKind::Call).unwrap();
    assert!(call.effects.contains(&Effect::Mail), "{:?}", call.effects);
    assert!(traces(BOT).contains(&TraceKind::Conversation));
}
