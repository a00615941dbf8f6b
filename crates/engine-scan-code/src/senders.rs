//! Requests that a project function sends on behalf of its callers: the callers determine the service.

use std::collections::BTreeSet;

use engine_syntax::ir::Expr;

use crate::arguments::Site;
use crate::identity::Identity;
use crate::project::is_script;
use crate::shapes::{Match, Output};
use crate::values::{ExprRef, FunctionRef, Part, Root, Value, render};
use crate::world::World;

/// How many functions may hand an address on to one another.
const STEPS_MAX: usize = 3;

/// Calls of one such function, those of the functions around them included.
const CALLS_MAX: usize = 48;

/// Names of settings that only requests for an answer of a language model carry.
const SAMPLING: [&str; 12] = [
    "max_tokens",
    "temperature",
    "top_p",
    "stream",
    "max_completion_tokens",
    "MaxTokens",
    "Temperature",
    "Stream",
    "presence_penalty",
    "response_format",
    "max_tokens_to_sample",
    "stop_sequences",
];

/// Names of services in code that speaks to one of them at an address of the operator, with the protocol that is spoken.
const SPOKEN: [(&str, &str); 9] = [
    ("ollama", "ollama"),
    ("lmstudio", "local"),
    ("openai", "openai-compatible"),
    ("chatgpt", "openai-compatible"),
    ("anthropic", "anthropic"),
    ("claude", "anthropic"),
    ("mistral", "openai-compatible"),
    ("deepseek", "openai-compatible"),
    ("openrouter", "openai-compatible"),
];

/// The model service after which a setting for an address is named: `OPENAI_API_URL`, `OpenAi:ChatGPTApiUrl`.
pub(crate) fn told_by_setting(name: &str) -> Option<&'static str> {
    const SERVICES: [(&str, &str); 11] = [
        ("openai", "openai"),
        ("chatgpt", "openai"),
        ("anthropic", "anthropic"),
        ("claude", "anthropic"),
        ("ollama", "ollama"),
        ("gemini", "google"),
        ("mistral", "mistral"),
        ("groq", "groq"),
        ("deepseek", "deepseek"),
        ("litellm", "openai-compatible"),
        ("llm_", "openai-compatible"),
    ];
    let lower = name.to_ascii_lowercase();
    let address = ["url", "uri", "endpoint"].iter().any(|word| lower.contains(word));
    let found = SERVICES.iter().find(|(word, _)| {
        lower
            .match_indices(word)
            .any(|(at, _)| !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) || word.len() > 5)
    });
    found.filter(|_| address).map(|(_, provider)| *provider)
}

/// Whether a setting is named after a model service, or after what one gives, and after an address.
pub(crate) fn names_service(name: &str) -> bool {
    told_by_setting(name).is_some()
        || kind_of_service(name).is_some()
        || crate::automation::names_flow(name)
        || crate::automation::names_header(name)
}

/// What a service gives after which a setting for an address is named, with the keys of which a request holds one: `TTS_URL`,
/// `EMBEDDING_ENDPOINT`.
fn kind_of_service(name: &str) -> Option<(&'static [&'static str], Output)> {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let address = ["url", "uri", "endpoint", "path", "host", "server", "api"];
    if !words.iter().any(|word| address.contains(word)) {
        return None;
    }
    if words.contains(&"tts") {
        return Some((&["text", "input", "ssml"], Output::Audio));
    }
    let embeds = |word: &&str| matches!(*word, "embedding" | "embeddings" | "embedder");
    words
        .iter()
        .any(embeds)
        .then_some((&["input", "inputs", "text", "texts", "prompt"], Output::Vector))
}

/// A call that hands in what a request is made of.
struct Sent {
    from: ExprRef,
    identity: Option<Identity>,
    /// Whether it tells the whole address, or what is asked.
    told: bool,
}

impl World<'_> {
    /// The calls that make a request of what they hand to the function around it, with who answers each.
    ///
    /// None where the function asks by itself; where all its callers ask the same, the request stands for them, and who answers
    /// is told beside.
    pub(crate) fn senders(&self, site: &Site<'_>, hit: Match) -> (Vec<(ExprRef, Identity)>, Option<Identity>) {
        if hit.shape.url.iter().any(|reference| reference == "near")
            || self.open_functions(site, hit, site.at).is_empty()
        {
            return (Vec::new(), None);
        }
        self.left_open.set(true);
        let by_itself = self.request(site, hit).is_some();
        self.left_open.set(false);
        if by_itself {
            return (Vec::new(), None);
        }
        let mut out = Vec::new();
        self.spread(site, hit, site.at, &mut out);
        let told = out.iter().all(|sent| sent.told);
        let out: Vec<(ExprRef, Option<Identity>)> = out.into_iter().map(|sent| (sent.from, sent.identity)).collect();
        let asking = out.iter().filter_map(|(_, identity)| identity.as_ref());
        let who: BTreeSet<(Option<&str>, Option<&str>)> = asking
            .map(|identity| (identity.provider.as_deref(), identity.address.as_deref()))
            .collect();
        let all = out.iter().all(|(_, identity)| identity.is_some());
        // A function that sends whatever to wherever is a tool of those who call it.
        let tool = told && self.is_handed_whole(site, hit);
        if who.is_empty() || (who.len() == 1 && !tool || !told) && all {
            let same = who.len() == 1;
            let first = out.into_iter().find_map(|(_, identity)| identity);
            let here = if same { first } else { self.request(site, hit).or(first) };
            return (Vec::new(), here);
        }
        let there = out.into_iter().filter_map(|(at, identity)| Some((at, identity?)));
        (there.collect(), None)
    }

    /// The functions that run a place when they are called: a function within another that is only handed back does not count.
    fn running_around(&self, at: ExprRef) -> Vec<engine_syntax::ir::FunctionId> {
        let index = self.index(at.0);
        let mut out = Vec::new();
        for function in index.functions_around(at.1) {
            out.push(function);
            let handed = index.function_expr[function.0 as usize]
                .and_then(|lambda| self.parent(ExprRef(at.0, lambda)))
                .is_some_and(|parent| matches!(self.expr(parent), Expr::Call { .. } | Expr::Await(_)));
            if !handed {
                break;
            }
        }
        out
    }

    /// Functions around `from` that are given what the address of a request is made of.
    fn open_functions(&self, site: &Site<'_>, hit: Match, from: ExprRef) -> BTreeSet<FunctionRef> {
        let around = self.running_around(from);
        let mut out = BTreeSet::new();
        let mut note = |root: Root| {
            if let Root::Param(function, _) = root
                && function.0 == from.0
                && around.contains(&function.1)
            {
                out.insert(function);
            }
        };
        self.left_open.set(true);
        for reference in &hit.shape.url {
            // An address inside of an object, or of a request that was made before, comes with it.
            let first = reference.split('>').next().unwrap_or(reference);
            let first = if first.starts_with('#') {
                first.split('.').next().unwrap_or(first)
            } else {
                first
            };
            let mut given = self.refer(site, first);
            if first != reference {
                given.extend(self.refer(site, reference));
            }
            let set = self.paths_set_on(site).concat();
            for part in &set {
                if let Part::Open(path) = part {
                    note(path.root);
                }
            }
            for value in given {
                match &value {
                    Value::Path(path) => note(path.root),
                    Value::Text(parts) => {
                        for part in self.texts(&[Value::Text(parts.clone())]).concat() {
                            if let Part::Open(path) = part {
                                note(path.root);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        self.left_open.set(false);
        out
    }

    /// Whether the function around a request is given the address, or its path, and the body of it as they are.
    fn is_handed_whole(&self, site: &Site<'_>, hit: Match) -> bool {
        self.left_open.set(true);
        let addresses = self.addresses(site, hit);
        self.left_open.set(false);
        let plain = |parts: &Vec<Part>| parts.iter().all(|part| matches!(part, Part::Open(_) | Part::Unknown));
        !addresses.is_empty() && addresses.iter().all(plain)
    }

    /// Whether what is known from the callers that are looked at tells the whole address, or what is asked.
    fn is_told(&self, site: &Site<'_>, hit: Match) -> bool {
        self.left_open.set(true);
        let addresses = self.addresses(site, hit);
        let whole = !addresses.is_empty()
            && addresses.iter().all(|parts| {
                parts.iter().any(|part| matches!(part, Part::Known(_)))
                    && !parts.iter().any(|part| matches!(part, Part::Open(_)))
            });
        let bodies: Vec<Value> = hit
            .shape
            .body
            .iter()
            .flat_map(|reference| self.refer(site, reference))
            .collect();
        let asked = ["messages", "Messages", "prompt", "Prompt", "contents", "inputs"]
            .iter()
            .any(|key| bodies.iter().any(|body| self.holds_key(body, key)));
        self.left_open.set(false);
        whole || asked
    }

    /// Goes back along the callers until the address is told, or nobody hands it in.
    fn spread(&self, site: &Site<'_>, hit: Match, from: ExprRef, out: &mut Vec<Sent>) {
        for function in self.open_functions(site, hit, from) {
            let known = self.seen_from.borrow().iter().any(|(of, _)| *of == function);
            if known || self.seen_from.borrow().len() >= STEPS_MAX {
                continue;
            }
            for caller in self.callers_of(function).iter().copied() {
                if out.len() >= CALLS_MAX {
                    return;
                }
                if self.index(caller.0).functions_around(caller.1).contains(&function.1) && caller.0 == function.0 {
                    continue;
                }
                self.seen_from.borrow_mut().push((function, caller));
                let before = out.len();
                let told = self.is_told(site, hit);
                if !told {
                    self.spread(site, hit, caller, out);
                }
                if out.len() == before {
                    let mut identity = self.request(site, hit);
                    // The body may go to the request by another way than the address: who asks names the model in it.
                    if let Some(known) = &mut identity
                        && known.model.is_none()
                        && let Expr::Call { args, .. } = self.expr(caller)
                    {
                        let bodies = args.iter().map(|arg| self.eval(ExprRef(caller.0, arg.value)));
                        known.model = bodies
                            .filter(|values| values.iter().any(|value| self.holds_key(value, "model")))
                            .find_map(|values| self.body_model(&values))
                            .or_else(|| self.model_of_form(caller));
                    }
                    out.push(Sent {
                        from: caller,
                        identity,
                        told,
                    });
                }
                self.seen_from.borrow_mut().pop();
            }
        }
    }

    /// Who answers a request whose address no code tells: a body of that form, beside what only such a protocol has, is proof.
    pub(crate) fn asks_by_its_body(&self, site: &Site<'_>, hit: Match, addresses: &[Vec<Part>]) -> Option<Identity> {
        let opaque = addresses
            .iter()
            .all(|parts| !render(parts).contains(|c: char| c.is_alphanumeric()));
        // A page asks its own server at such an address; a program of another kind asks a server of the operator.
        let open_base = !is_script(self.unit(site.at.0).language)
            && addresses.iter().all(|parts| {
                let text = render(parts);
                text.starts_with("{}") && !text.contains("://")
            });
        if !(opaque || open_base) || matches!(site.path.last_name(), Some("get" | "Get" | "GetAsync")) {
            return None;
        }
        let bodies: Vec<Value> = hit
            .shape
            .body
            .iter()
            .flat_map(|reference| self.refer(site, reference))
            .collect();
        let has = |key: &str| bodies.iter().any(|body| self.holds_key(body, key));
        let turns = bodies.iter().any(|body| {
            ["messages", "Messages"].iter().any(|key| {
                self.key(body, key).iter().any(|messages| {
                    self.elements(messages).into_iter().any(|part| {
                        self.eval(part)
                            .iter()
                            .any(|message| ["role", "Role"].iter().any(|key| !self.key(message, key).is_empty()))
                    })
                })
            })
        });
        let messages = turns || has("messages") || has("Messages");
        if messages && self.holds_near(site.at, &|text| text.eq_ignore_ascii_case("anthropic-version")) {
            return Some(self.told_by_body("anthropic", &bodies));
        }
        // Only a server of pictures is told what a picture must not show, with which sampler and how closely.
        if has("prompt") && has("negative_prompt") && has("cfg_scale") && (has("sampler_name") || has("sampler_index"))
        {
            return Some(Identity {
                output: Some(Output::Image),
                ..self.told_by_body("stable-diffusion-webui", &bodies)
            });
        }
        let named = has("model") || has("Model");
        let sampled = SAMPLING.iter().filter(|key| has(key)).count();
        let answered = self.holds_near(site.at, &|text| text == "choices")
            && self.holds_near(site.at, &|text| {
                matches!(text, "message" | "delta" | "Message" | "Delta")
            });
        let asked = messages || ["prompt", "system_prompt", "systemPrompt"].iter().any(|key| has(key));
        // Whoever names the code after a service sends such a body to it, or to one that speaks as it does.
        if named
            && asked
            && let Some((_, provider)) = SPOKEN.iter().find(|(name, _)| self.named_around(site.at, name))
        {
            return Some(self.told_by_body(provider, &bodies));
        }
        let asks = opaque && named && (turns && sampled > 0 || messages && answered || asked && sampled > 1);
        asks.then(|| self.told_by_body("openai-compatible", &bodies))
    }

    /// Whether the function, class or file around a place, or around one that sends by it just now, is named after something.
    pub(crate) fn named_around(&self, at: ExprRef, name: &str) -> bool {
        let mut places = vec![at];
        places.extend(self.seen_from.borrow().iter().map(|(_, caller)| *caller));
        places.into_iter().any(|place| {
            let index = self.index(place.0);
            let holds = |text: &str| text.to_ascii_lowercase().contains(name);
            let class = index
                .class_of_scope(index.expr_scope[place.1.0 as usize])
                .and_then(|class| index.module.class(class).name.as_deref());
            let function = index
                .named_function_of(place.1)
                .and_then(|function| index.module.function(function).name.as_deref());
            class.is_some_and(holds)
                || function.is_some_and(holds)
                || holds(crate::project::stem(self.unit(place.0).path))
        })
    }

    /// Who answers a request whose address is a setting that is named after a model service.
    pub(crate) fn asks_by_its_setting(&self, site: &Site<'_>, hit: Match, addresses: &[Vec<Part>]) -> Option<Identity> {
        if matches!(site.path.last_name(), Some("get" | "Get" | "GetAsync" | "put" | "Put")) {
            return None;
        }
        let bodies: Vec<Value> = hit
            .shape
            .body
            .iter()
            .flat_map(|reference| self.refer(site, reference))
            .collect();
        let kind = addresses.iter().flatten().find_map(|part| match part {
            Part::Env(name) => kind_of_service(name),
            _ => None,
        });
        if let Some((keys, output)) = kind
            && keys
                .iter()
                .any(|key| bodies.iter().any(|body| self.holds_key(body, key)))
        {
            return Some(Identity {
                provider: Some("openai-compatible".to_owned()).filter(|_| output == Output::Vector),
                model: self.body_model(&bodies),
                output: Some(output),
                ..Identity::default()
            });
        }
        let provider = addresses.iter().find_map(|parts| {
            // Whatever a query adds, the address itself stands in the setting: `apiUrl + "?key=" + apiKey`.
            let whole = render(parts);
            let known = whole
                .split('?')
                .next()
                .unwrap_or(&whole)
                .contains(|c: char| c.is_alphanumeric());
            parts.iter().filter(|_| !known).find_map(|part| match part {
                Part::Env(name) => told_by_setting(name),
                _ => None,
            })
        })?;
        // A request without a body asks nothing; clients that are handed a request hide theirs.
        let hidden = hit.shape.url.iter().any(|reference| reference.contains('>'));
        (hidden || !bodies.is_empty()).then(|| self.told_by_body(provider, &bodies))
    }

    fn told_by_body(&self, provider: &str, bodies: &[Value]) -> Identity {
        Identity {
            provider: Some(provider.to_owned()),
            model: self.body_model(bodies),
            ..Identity::default()
        }
    }

    /// Whether the function around a place, or one that sends by it just now, names such a text, member or key.
    fn holds_near(&self, at: ExprRef, wanted: &dyn Fn(&str) -> bool) -> bool {
        let mut places = vec![at];
        places.extend(self.seen_from.borrow().iter().map(|(_, caller)| *caller));
        places.into_iter().any(|place| {
            let index = self.index(place.0);
            let function = index.named_function_of(place.1);
            index.module.exprs.iter().enumerate().any(|(at, expr)| {
                let fits = match &expr.kind {
                    Expr::Str(text) => wanted(text),
                    Expr::Member { name, .. } => wanted(name),
                    _ => false,
                };
                fits && index.expr_scope[at] != crate::index::NONE
                    && index.named_function_of(engine_syntax::ir::ExprId(crate::values::id(at))) == function
            })
        })
    }
}
