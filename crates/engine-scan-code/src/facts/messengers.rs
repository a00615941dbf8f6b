//! Messaging platforms: the libraries by which a program takes part, and the calls that send or change a message.

use std::collections::BTreeSet;

use engine_catalogue::words_of;
use engine_model::{EntryPointKind, Language, Zone};
use engine_syntax::ir::Expr;

use super::{callee_name, object_name, symbols, texts_of};
use crate::entry::Entry;
use crate::values::{ExprRef, Part, Value, id};
use crate::world::World;

/// Beginnings of modules of libraries for such platforms.
const LIBRARIES: [&str; 134] = [
    // Discord
    "discordrb",
    "Discordrb",
    "discord",
    "discord.js",
    "@discordjs",
    "eris",
    "oceanic.js",
    "disnake",
    "nextcord",
    "hikari",
    "github.com/bwmarrin/discordgo",
    "github.com/disgoorg/disgo",
    "github.com/diamondburned/arikawa",
    "serenity",
    "poise",
    "twilight_http",
    "twilight_model",
    "twilight_gateway",
    "net.dv8tion.jda",
    "discord4j",
    "org.javacord",
    "dev.kord",
    "Discord",
    "DSharpPlus",
    "NetCord",
    // Telegram
    "Telegram::Bot",
    "telegram",
    "telebot",
    "aiogram",
    "pyrogram",
    "telethon",
    "telegraf",
    "grammy",
    "node-telegram-bot-api",
    "typegram",
    "gramio",
    "puregram",
    "github.com/go-telegram-bot-api/telegram-bot-api",
    "github.com/go-telegram/bot",
    "gopkg.in/telebot",
    "gopkg.in/tucnak/telebot",
    "github.com/tucnak/telebot",
    "github.com/mymmrac/telego",
    "github.com/PaulSonOfLars/gotgbot",
    "github.com/gotd/td",
    "github.com/celestix/gotgproto",
    "github.com/NicoNex/echotron",
    "teloxide",
    "frankenstein",
    "telegram_bot",
    "carapax",
    "tgbot",
    "grammers_client",
    "org.telegram",
    "com.pengrad.telegrambot",
    "com.github.kotlintelegrambot",
    "dev.inmo.tgbotapi",
    "eu.vendeli",
    "Telegram.Bot",
    "WTelegram",
    // Slack, Teams, Matrix, Mattermost, Zulip, Rocket.Chat
    "@slack",
    "Slack",
    "SlackRubyBot",
    "slack",
    "slack_bolt",
    "slack_sdk",
    "github.com/slack-go/slack",
    "slack_morphism",
    "com.slack.api",
    "SlackNet",
    "botbuilder",
    "Microsoft.Bot",
    "com.microsoft.bot",
    "nio",
    "simplematrixbotlib",
    "matrix-bot-sdk",
    "matrix-js-sdk",
    "matrix_sdk",
    "maunium.net/go/mautrix",
    "mattermostdriver",
    "mmpy_bot",
    "zulip",
    "zulip_bots",
    // LINE, WeChat, DingTalk, Lark, QQ, VK, KakaoTalk, Viber
    "linebot",
    "line/bot",
    "Line::Bot",
    "@line/bot-sdk",
    "github.com/line/line-bot-sdk-go",
    "com.linecorp.bot",
    "Line.Messaging",
    "itchat",
    "wechaty",
    "wechatpy",
    "github.com/eatmoreapple/openwechat",
    "github.com/silenceper/wechat",
    "me.chanjar.weixin",
    "dingtalk_stream",
    "github.com/open-dingtalk",
    "com.dingtalk",
    "lark_oapi",
    "@larksuiteoapi",
    "github.com/larksuite/oapi-sdk-go",
    "com.lark.oapi",
    "nonebot",
    "botpy",
    "koishi",
    "net.mamoe.mirai",
    "vkbottle",
    "vk_api",
    "VkNet",
    "viberbot",
    // WhatsApp, SMS, telephone
    "whatsapp-web.js",
    "@whiskeysockets/baileys",
    "@adiwajshing/baileys",
    "venom-bot",
    "@builderbot",
    "@bot-whatsapp",
    "pywa",
    "go.mau.fi/whatsmeow",
    "twilio",
    "com.twilio",
    "Twilio",
    "github.com/twilio/twilio-go",
    // Posts that answer posts, streams
    "twitter-api-v2",
    "twitter-api-sdk",
    "tmi.js",
    "twitchio",
    "TwitchLib",
    // Players of a game
    "org.bukkit",
    "io.papermc",
    "net.minecraft",
    "net.fabricmc",
    "net.minecraftforge",
    "org.spongepowered.api",
];

/// Addresses at which messages are posted without a library.
const ADDRESSES: [&str; 17] = [
    "api.telegram.org",
    "discord.com/api",
    "discordapp.com/api",
    "slack.com/api/chat.",
    "graph.facebook.com",
    "api.line.me",
    "oapi.dingtalk.com",
    "api.dingtalk.com",
    "open.feishu.cn",
    "open.larksuite.com",
    "api.twilio.com",
    "qyapi.weixin.qq.com",
    "api.weixin.qq.com",
    "api.twitter.com/2/tweets",
    "api.x.com/2/tweets",
    "/_matrix/client",
    "waba.360dialog.io",
];

/// What is done with a message so that people read it.
const VERBS: [&str; 14] = [
    "send",
    "sends",
    "reply",
    "respond",
    "edit",
    "post",
    "push",
    "update",
    "create",
    "answer",
    "say",
    "followup",
    "tweet",
    "broadcast",
];

/// Verbs that stand for sending a message also alone.
const ALONE: [&str; 8] = ["send", "reply", "respond", "edit", "answer", "say", "followup", "tweet"];

/// What people read or hear; the first ones also where it is only made or changed.
const MESSAGES: [&str; 32] = [
    "message",
    "messages",
    "msg",
    "reply",
    "response",
    "respond",
    "interaction",
    "interactions",
    "followup",
    "tweet",
    "status",
    "comment",
    "notice",
    "activity",
    "dm",
    "text",
    "caption",
    "voice",
    "photo",
    "audio",
    "document",
    "embed",
    "markdown",
    "html",
    "image",
    "video",
    "room",
    "card",
    "original",
    "sticker",
    "animation",
    "complex",
];

/// How many of these.
const LOOSE: usize = 15;

/// Objects that take something else under the same verbs: the reply of a web server, a queue inside of the program, a request.
const OTHERS: [&str; 20] = [
    "res",
    "tx",
    "sender",
    "queue",
    "worker",
    "process",
    "request",
    "req",
    "axios",
    "http",
    "httpclient",
    "db",
    "store",
    "repo",
    "repository",
    "prisma",
    "cache",
    "redis",
    "eventbus",
    "mutex",
];

/// Which files of a project take part in talks on a platform.
pub(crate) struct Messengers {
    units: BTreeSet<u32>,
    /// Whether any file of the product does.
    any: bool,
}

impl Messengers {
    pub(crate) fn new(world: &World<'_>) -> Self {
        let mut units = BTreeSet::new();
        let mut any = false;
        for unit in 0..id(world.units.len()) {
            let module = world.module(unit);
            let required = || {
                module
                    .exprs
                    .iter()
                    .any(|expr| matches!(&expr.kind, Expr::Import(name) if is_library(name)))
            };
            if module.imports.iter().any(|import| is_library(&import.module)) || required() {
                units.insert(unit);
                any |= world.unit(unit).zone == Zone::Product;
            }
        }
        Self { units, any }
    }

    /// Adds the files whose functions are handed to a library in another: `app.event("app_mention", answer)`.
    pub(crate) fn with(mut self, world: &World<'_>, entries: &[Entry]) -> Self {
        let handed: Vec<u32> = entries
            .iter()
            .filter(|entry| entry.kind == EntryPointKind::Message)
            .filter(|entry| self.units.contains(&entry.unit) || self.any && registers_at_a_parameter(world, entry))
            .flat_map(|entry| [Some(entry.unit), entry.function.map(|function| function.0)])
            .flatten()
            .collect();
        self.units.extend(handed);
        self
    }

    /// Whether a file takes part by a library.
    pub(crate) fn speaks(&self, unit: u32) -> bool {
        self.units.contains(&unit)
    }

    /// Whether a call sends a message to people, or changes one that they have.
    pub(crate) fn sends(&self, world: &World<'_>, at: ExprRef) -> bool {
        let name = callee_name(world, at);
        if name.is_empty() {
            return false;
        }
        if names_method(world, at) {
            return true;
        }
        // What a bot that is put together out of flows is handed to answer with.
        if matches!(name, "flowDynamic" | "endFlow" | "fallBack") && self.units.contains(&at.0) {
            return true;
        }
        let words = words_of(name);
        let may = words
            .iter()
            .any(|word| VERBS.contains(&word.as_str()) || matches!(word.as_str(), "message" | "execute" | "body"))
            || is_posting(name);
        if !may {
            return false;
        }
        let symbols = symbols(world, at);
        if symbols.iter().any(|symbol| is_library(symbol)) && is_sending(&words) {
            return true;
        }
        let object = object_name(world, at).to_ascii_lowercase();
        // Parts of a message that is built and then sent as a whole, and changes of one on Slack.
        let unit = self.units.contains(&at.0);
        let java = matches!(world.unit(at.0).language, Language::Java | Language::Kotlin);
        if unit
            && (java && matches!(name, "execute" | "executeAsync")
                || name == "chat_update"
                || object == "chat" && name == "update")
            || matches!(name, "message" | "body") && symbols.iter().any(|symbol| symbol.contains("MessagingResponse()"))
        {
            return true;
        }
        let other = OTHERS.contains(&object.as_str())
            // `interaction.response.send_message(…)` is no reply of a web server.
            || object == "response" && words.len() == 1
            || symbols.iter().any(|symbol| OF_MODELS.iter().any(|root| symbol.starts_with(root)));
        if other {
            return false;
        }
        let own = !world.callees(at).is_empty();
        if unit && !own && !is_free(world, at) && is_sending(&words) {
            return true;
        }
        // A function of the project that is named for it sends, whatever library lies behind.
        let named = matches!(words.first().map(String::as_str), Some("reply"))
            || matches!(words.first().map(String::as_str), Some("send" | "respond"))
                && words
                    .iter()
                    .any(|word| matches!(word.as_str(), "message" | "messages" | "msg" | "reply" | "text"));
        if self.any && named && words.len() > 1 {
            return true;
        }
        is_posting(name) && goes_to_platform(world, at)
    }
}

/// Whether a handler of messages is handed to what a function is given: `exports.register = (app) => { app.event("app_mention", answer); }`.
fn registers_at_a_parameter(world: &World<'_>, entry: &Entry) -> bool {
    let index = world.index(entry.unit);
    let module = index.module;
    index.calls.iter().any(|call| {
        let Expr::Call { callee, .. } = module.expr(*call) else {
            return false;
        };
        let Expr::Member { object, name } = module.expr(*callee) else {
            return false;
        };
        let Expr::Name(receiver) = module.expr(*object) else {
            return false;
        };
        module.span(*call).line == entry.line
            && matches!(
                &**name,
                "event" | "message" | "command" | "action" | "hears" | "on" | "shortcut"
            )
            && index.functions_around(*call).into_iter().any(|function| {
                let mut params = module.function(function).params.iter();
                params.any(|param| crate::flow::pattern_names(&param.pattern).contains(&&**receiver))
            })
    })
}

/// Methods of Telegram that put something before people.
const TELEGRAM: [&str; 8] = [
    "sendMessage",
    "editMessageText",
    "sendPhoto",
    "sendVoice",
    "sendAudio",
    "sendDocument",
    "sendVideo",
    "sendAnimation",
];

/// Whether a call names the method of a platform that is to be asked, and hands it a message for a chat: `request('sendMessage', ['chat_id' => …])`.
fn names_method(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    let module = world.module(at.0);
    let named = args
        .iter()
        .take(2)
        .any(|arg| matches!(module.expr(arg.value), Expr::Str(text) if TELEGRAM.contains(&&**text)));
    named
        && args.iter().any(|arg| {
            matches!(module.expr(arg.value), Expr::Map(entries) if entries.iter().any(|entry| {
                entry.key.is_some_and(|key| {
                    matches!(module.expr(key), Expr::Str(key) | Expr::Name(key) if &**key == "chat_id")
                })
            }))
        })
}

/// Clients of models, whose messages go to the model.
const OF_MODELS: [&str; 12] = [
    "openai",
    "anthropic",
    "@anthropic",
    "google.gen",
    "@google",
    "groq",
    "mistralai",
    "cohere",
    "ollama",
    "langchain",
    "@langchain",
    "github.com/sashabaranov",
];

/// Whether a path begins with a library for a platform.
pub(crate) fn is_library(path: &str) -> bool {
    LIBRARIES.iter().any(|library| {
        path.strip_prefix(library)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':', '-', '_', '(']))
    })
}

/// Whether the words of a name say that a message is sent or changed.
fn is_sending(words: &[String]) -> bool {
    let verb = words.iter().position(|word| VERBS.contains(&word.as_str()));
    let Some(verb) = verb else {
        return false;
    };
    if words.len() == 1 {
        return ALONE.contains(&words[0].as_str());
    }
    // `send_chat_action` shows that somebody types, and `create_thread` says nothing.
    if words.iter().any(|word| {
        matches!(
            word.as_str(),
            "action" | "typing" | "reaction" | "thread" | "commands" | "command" | "request"
        )
    }) {
        return false;
    }
    // What is made or put somewhere may be anything: `createAudioResource`, `updateDocument`.
    let loose = matches!(words[verb].as_str(), "create" | "update" | "post" | "push");
    let known: &[&str] = if loose { &MESSAGES[..LOOSE] } else { &MESSAGES };
    words
        .iter()
        .enumerate()
        .any(|(at, word)| at != verb && known.contains(&word.as_str()))
        // `follow_up`, `send_async`
        || words.iter().all(|word| ALONE.contains(&word.as_str()) || matches!(word.as_str(), "async" | "to" | "up" | "with" | "in" | "and" | "wait"))
}

/// Whether what is called stands for itself and is no method.
fn is_free(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { callee, .. } = world.expr(at) else {
        return true;
    };
    // `await say(answer)` is handed to a handler of Slack.
    matches!(world.module(at.0).expr(*callee), Expr::Name(name) if !matches!(&**name, "say" | "respond" | "reply"))
}

fn is_posting(name: &str) -> bool {
    matches!(
        name,
        "post"
            | "Post"
            | "fetch"
            | "request"
            | "put"
            | "Put"
            | "patch"
            | "PostAsync"
            | "PostAsJsonAsync"
            | "axios"
            | "urlopen"
            | "NewRequest"
            | "NewRequestWithContext"
            | "postForObject"
            | "postForEntity"
            | "exchange"
            | "$fetch"
            | "ofetch"
    )
}

/// Whether the address that a request is given is one of a platform.
fn goes_to_platform(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    args.iter().take(3).any(|arg| {
        let place = ExprRef(at.0, arg.value);
        let known = |text: &str| ADDRESSES.iter().any(|address| text.contains(address));
        texts_of(world.module(at.0), arg.value).iter().any(|text| known(text))
            || is_simple(world.module(at.0).expr(arg.value))
                && world.eval(place).iter().any(|value| match value {
                    Value::Text(parts) => parts
                        .iter()
                        .any(|part| matches!(part, Part::Known(text) if known(text))),
                    _ => false,
                })
    })
}

/// Whether an argument may be an address that stands elsewhere.
const fn is_simple(expr: &Expr) -> bool {
    matches!(expr, Expr::Name(_) | Expr::Member { .. } | Expr::Template(_))
}
