//! What is joined, looked up or bounded so that one file costs little: the same must be found as by looking one by one.

use engine_model::{Effect, ErrorHandling, Logging, Sends};
use engine_syntax::ir::{ExprId, FunctionId};

use super::scan;
use crate::index::{Index, NONE, ScopeKind};

/// A line for each number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn what_stands_inside_a_function_is_what_has_its_scope_above() {
    let text = "import a\nx = [f(1) for f in g]\ndef one(p=h(lambda: k(2))):\n    @deco(3)\n    class C:\n        y = m(4)\n        def two(self):\n            def three():\n                return n(5)\n            return (lambda z: o(z))(6)\n    return q(7)\nr(8)\n";
    let module = engine_syntax::lower(engine_model::Language::Python, text).unwrap();
    let index = Index::new(&module);
    let walked = |expr: ExprId, function: FunctionId| {
        let mut scope = index.expr_scope[expr.0 as usize];
        while scope != NONE {
            if index.scopes[scope as usize].kind == ScopeKind::Function(function) {
                return true;
            }
            scope = index.scopes[scope as usize].parent;
        }
        false
    };
    assert!(module.functions.len() >= 4);
    for function in 0..module.functions.len() {
        let function = FunctionId(u32::try_from(function).unwrap());
        let calls = index.calls_of(Some(function));
        let expected: Vec<ExprId> = index
            .calls
            .iter()
            .copied()
            .filter(|call| walked(*call, function))
            .collect();
        assert_eq!(calls, expected, "{function:?}");
        for expr in 0..module.exprs.len() {
            let expr = ExprId(u32::try_from(expr).unwrap());
            assert_eq!(
                index.within(expr, function),
                walked(expr, function),
                "{expr:?} {function:?}"
            );
        }
    }
    let top: Vec<ExprId> = index
        .calls
        .iter()
        .copied()
        .filter(|call| index.function_of(*call).is_none())
        .collect();
    assert_eq!(index.calls_of(None), top);
    assert!(!top.is_empty() && top.len() < index.calls.len());
}

#[test]
fn a_name_that_is_set_many_times_joins_all_its_values() {
    // The first and the last of many ways count, however many lie between them.
    let tree = |first: &str, last: &str| {
        let between = lines(300, |at| format!("    v = other{at}(1)\n"));
        format!(
            "//- a.py\nimport openai\nc = openai.OpenAI()\ndef run(request):\n    v = {first}\n{between}    v = {last}\n    return c.responses.create(model='m', input=v)\n"
        )
    };
    let sends = |tree: &str| scan(tree).calls.pop().unwrap().sends;
    assert_eq!(sends(&tree("input('?')", "1")), [Sends::UserInput]);
    assert_eq!(sends(&tree("1", "input('?')")), [Sends::UserInput]);
    assert_eq!(
        sends(&tree("open('x')", "cursor.fetchall()")),
        [Sends::File, Sends::Database]
    );
    assert!(!sends(&tree("1", "2")).contains(&Sends::UserInput));
}

#[test]
fn a_client_is_found_behind_many_other_values_of_its_name() {
    let tree = |client: &str| {
        let before = lines(200, |_| "c = None\n".to_owned());
        format!("//- a.py\nimport openai\nc = {client}\n{before}c.responses.create(model='m', input='x')\n")
    };
    assert_eq!(
        scan(&tree("openai.OpenAI()"))
            .calls
            .iter()
            .filter(|call| call.symbol.ends_with("responses.create"))
            .count(),
        1
    );
    assert!(
        scan(&tree("other()"))
            .calls
            .iter()
            .all(|call| !call.symbol.ends_with("responses.create"))
    );
}

#[test]
fn answers_in_a_circle_of_names_reach_every_effect() {
    let unit = lines(20, |_| {
        "v = c.responses.create(model='m', input=v)\nv = v.output_text\n".to_owned()
    });
    let tree = format!("//- a.py\nimport os\nimport openai\nc = openai.OpenAI()\nv = 'x'\n{unit}os.system(v)\n");
    let calls: Vec<_> = scan(&tree)
        .calls
        .into_iter()
        .filter(|call| call.symbol.ends_with("create"))
        .collect();
    assert_eq!(calls.len(), 20);
    assert!(calls.iter().all(|call| call.effects.contains(&Effect::Shell)));
}

#[test]
fn entry_points_lead_through_circles_and_long_ways() {
    let count = 1_500;
    let way = lines(count, |at| format!("def f{}(q):\n    return f{at}(q)\n", at + 1));
    let tree = format!(
        "//- a.py\nimport openai\nfrom fastapi import FastAPI\napp = FastAPI()\ndef f0(q):\n    g(q)\n    return openai.OpenAI().responses.create(model='m', input=q)\ndef g(q):\n    return f0(q)\n{way}@app.get('/x')\ndef x(q):\n    return f{count}(q)\n@app.get('/y')\ndef y(q):\n    return g(q)\n@app.get('/z')\ndef z(q):\n    return h(q)\n"
    );
    let join = scan(&tree);
    let led: Vec<&str> = join
        .entry_points
        .iter()
        .filter(|entry| !entry.calls.is_empty())
        .map(|entry| entry.entry.name.as_str())
        .collect();
    assert_eq!(led, ["/x", "/y"]);
}

#[test]
fn an_error_that_is_kept_under_the_name_of_its_stream_ends() {
    let tree = |line: &str| {
        format!(
            "//- main.go\npackage main\n\nimport \"github.com/openai/openai-go\"\n\nfunc run(c *openai.Client) {{\n\ts := c.Responses.NewStreaming(ctx, p)\n\t{line}\n}}\n"
        )
    };
    let handled = |line: &str| scan(&tree(line)).calls.pop().unwrap().error_handling;
    assert_eq!(handled("s = s.Err()"), ErrorHandling::No);
    assert_eq!(
        handled("if err := s.Err(); err != nil {\n\t\tlog.Println(err)\n\t}"),
        ErrorHandling::Yes
    );
}

#[test]
fn rows_and_logs_are_found_for_the_answer_that_they_hold() {
    let tree = |line: &str| {
        format!(
            "//- a.py\nimport openai\nc = openai.OpenAI()\ndef run(q):\n    r = c.responses.create(model='m', input=q)\n    s = c.responses.create(model='m', input='fixed')\n    {line}\n"
        )
    };
    let logged = |line: &str| -> Vec<Logging> {
        let join = scan(&tree(line));
        join.calls
            .iter()
            .filter(|call| call.symbol.ends_with("create"))
            .map(|call| call.logging)
            .collect()
    };
    assert_eq!(
        logged("Conversation.objects.create(question=q, answer=r)"),
        [Logging::Yes, Logging::No]
    );
    assert_eq!(logged("row.reply = s; row.save()"), [Logging::No, Logging::Yes]);
    assert_eq!(
        logged("Conversation.objects.create(question='x', answer=r)"),
        [Logging::No, Logging::No]
    );
    assert_eq!(logged("print('request failed')"), [Logging::Console, Logging::Console]);
}

#[test]
fn a_decorator_that_retries_is_seen_and_one_that_only_calls_is_not() {
    let tree = |body: &str| {
        format!(
            "//- a.py\nimport openai\ndef again(f):\n    def w(*a):\n{body}    return w\n@again\ndef run(q):\n    return openai.OpenAI().responses.create(model='m', input=q)\n"
        )
    };
    let handled = |body: &str| scan(&tree(body)).calls.pop().unwrap().error_handling;
    assert_eq!(
        handled("        try:\n            return f(*a)\n        except Exception:\n            wait()\n"),
        ErrorHandling::Yes
    );
    assert_eq!(handled("        return f(*a)\n"), ErrorHandling::No);
    assert_eq!(
        handled("        try:\n            return g(*a)\n        except Exception:\n            wait()\n"),
        ErrorHandling::No
    );
}

#[test]
fn a_large_map_has_the_same_keys_as_a_small_one() {
    let tree = |padding: usize, tail: &str| {
        let entries = lines(padding, |at| format!("'k{at}': {at}, "));
        format!(
            "//- a.py\nimport openai\no = {{'model': 'gpt-4.1', {entries}'model': 'gpt-4o'{tail}}}\nopenai.OpenAI().responses.create(**o)\n"
        )
    };
    for padding in [0, 500] {
        let model = |tail: &str| scan(&tree(padding, tail)).calls.pop().unwrap().model;
        assert_eq!(
            model("").as_deref(),
            Some("gpt-4o"),
            "the last entry of a key counts, {padding}"
        );
        assert_eq!(model(", **x").as_deref(), Some("gpt-4o"), "{padding}");
    }
}

#[test]
fn maps_that_are_spread_too_often_are_named_and_others_are_not() {
    let tree = |count: usize| {
        let unit = lines(count, |at| format!("d{} = {{**d{at}, 'k{at}': 1}}\n", at + 1));
        format!(
            "//- a.py\nimport openai\nd0 = {{'model': 'gpt-4.1'}}\n{unit}openai.OpenAI().responses.create(**d{count})\n"
        )
    };
    let near = scan(&tree(40));
    assert_eq!(near.calls.last().unwrap().model.as_deref(), Some("gpt-4.1"));
    assert_eq!(near.cut, Vec::<String>::new());
    assert_eq!(scan(&tree(400)).cut, ["a.py"]);
}

#[test]
fn more_places_than_one_file_may_have_are_cut_and_the_file_named() {
    let tree = |calls: usize| {
        let data = lines(600, |at| format!("    d = [d, candidate.f{at}, rows['g{at}']]\n"));
        let calls = lines(calls, |at| {
            format!("    c.responses.create(model='m', input=[d, {at}, candidate.cv])\n")
        });
        format!("//- a.py\nimport openai\nc = openai.OpenAI()\ndef run(candidate, rows, d):\n{data}{calls}")
    };
    let near = scan(&tree(3));
    assert_eq!((near.calls.len(), near.cut.as_slice()), (4, &[][..]));
    let far = scan(&tree(110));
    assert_eq!((far.calls.len(), far.cut.as_slice()), (100, &["a.py".to_owned()][..]));
    assert_eq!(far, scan(&tree(110)), "the same file gives the same answer");
}

#[test]
fn words_of_one_command_beyond_the_limit_name_the_file() {
    let tree = |count: usize| {
        let words = lines(count, |at| format!("-H 'x: {at}' "));
        format!(
            "//- run.sh\ncurl {words} https://api.openai.com/v1/chat/completions -d '{{}}'\ncurl https://api.openai.com/v1/chat/completions -d '{{}}'\n"
        )
    };
    assert_eq!((scan(&tree(5)).calls.len(), scan(&tree(5)).cut.len()), (2, 0));
    assert_eq!(
        (scan(&tree(500)).calls.len(), scan(&tree(500)).cut.as_slice()),
        (1, &["run.sh".to_owned()][..])
    );
}

#[test]
fn classes_of_one_name_are_joined_where_they_may_be_parts_and_nowhere_else() {
    let tree = |second: &str| {
        format!(
            "//- a/One.cs\nusing OpenAI.Chat;\npartial class A {{ public object Ask(object q) => c.CompleteChat(q); }}\n//- {second}\nusing OpenAI.Chat;\npartial class A {{ ChatClient c = new ChatClient(\"gpt-4o\"); }}\n"
        )
    };
    let found = |tree: &str| {
        scan(tree)
            .calls
            .iter()
            .filter(|call| call.symbol.ends_with("CompleteChat"))
            .count()
    };
    assert_eq!(found(&tree("b/Two.cs")), 1, "parts of a class of C# lie anywhere");
    let kotlin = |second: &str| {
        format!(
            "//- a/One.kt\npackage a\nimport com.openai.client.OpenAIClient\nclass A {{ fun ask(q: Any) = c.responses().create(q) }}\n//- {second}\npackage b\nimport com.openai.client.OpenAIClient\nclass A {{ val c: OpenAIClient = make() }}\n"
        )
    };
    let found = |tree: &str| scan(tree).calls.iter().filter(|call| call.file == "a/One.kt").count();
    assert_eq!(found(&kotlin("b/Two.kt")), 0);
}

#[test]
fn wildcard_imports_are_resolved() {
    let stars = lines(300, |at| format!("from other{at} import *\n"));
    let tree = |name: &str| {
        format!(
            "//- a.py\n{stars}from tools import *\n{stars}{name}.responses.create(model='m', input='x')\n//- tools.py\nimport openai\nclient = openai.OpenAI()\n"
        )
    };
    let found = |name: &str| {
        scan(&tree(name))
            .calls
            .iter()
            .filter(|call| call.file == "a.py")
            .count()
    };
    assert_eq!((found("client"), found("stranger")), (1, 0));
}

#[test]
fn providers_of_a_folder_settle_what_a_file_leaves_open() {
    // The file's own provider wins, then the only one of the folder.
    let tree = |second: &str| {
        format!(
            "//- a/one.py\nfrom langchain_openai import ChatOpenAI\nChatOpenAI(model='gpt-4.1').invoke('x')\n//- a/two.py\nfrom langchain.chains import LLMChain\nLLMChain(llm=m).invoke('x')\n{second}"
        )
    };
    let provider = |tree: &str| {
        let join = scan(tree);
        join.calls
            .iter()
            .rfind(|call| call.file == "a/two.py")
            .unwrap()
            .provider
            .clone()
    };
    assert_eq!(provider(&tree("")).as_deref(), Some("openai"));
    let other = "//- a/three.py\nimport anthropic\nanthropic.Anthropic().messages.create(model='claude-sonnet-4-5', messages=m)\n";
    assert_eq!(provider(&tree(other)), None);
    // Who makes pictures at a host of many models answers nothing.
    let chain = |beside: &str| {
        format!(
            "//- a/two.py\nfrom langchain.chains import LLMChain\nLLMChain(llm=m).invoke('x')\n//- a/one.py\nimport replicate\nreplicate.run('{beside}', input={{'prompt': q}})\n"
        )
    };
    assert_eq!(provider(&chain("stability-ai/stable-diffusion:db21e45d")), None);
    assert_eq!(
        provider(&chain("meta/meta-llama-3-70b-instruct")).as_deref(),
        Some("replicate")
    );
}

#[test]
fn self_nested_lists_terminate_and_model_is_found() {
    let tree = |count: usize| {
        let unit = lines(count, |_| "d = {**d, **d, 'k': d, 'l': [d, d]}\n".to_owned());
        format!(
            "//- a.py\nimport openai\nc = openai.OpenAI()\nd = {{'input': 'x'}}\n{unit}c.responses.create(model='gpt-4.1', **d)\nc.responses.create(d)\n"
        )
    };
    for count in [2, 200] {
        let calls = scan(&tree(count)).calls;
        let models: Vec<_> = calls.iter().map(|call| call.model.as_deref()).collect();
        assert_eq!(models, [None, Some("gpt-4.1"), None], "{count}");
    }
}

#[test]
fn a_result_that_is_given_back_under_its_name_reaches_what_stands_behind() {
    let tree = |count: usize, last: &str| {
        let unit = lines(count, |at| format!("r = ask(r, {at})\n"));
        format!(
            "//- a.py\nimport os\nimport openai\nc = openai.OpenAI()\ndef ask(q, n):\n    return c.responses.create(model='m', input=q).output_text\nr = input('?')\n{unit}{last}\n"
        )
    };
    let call = |tree: &str| scan(tree).calls.pop().unwrap();
    for count in [3, 300] {
        let found = call(&tree(count, "os.system(r)"));
        assert!(found.effects.contains(&Effect::Shell), "{count}");
        assert!(found.sends.contains(&Sends::UserInput), "{count}");
        assert!(
            !call(&tree(count, "os.system('ls')")).effects.contains(&Effect::Shell),
            "{count}"
        );
    }
}

#[test]
fn places_of_all_files_together_are_held_to_the_size_of_the_project() {
    let tree = |files: usize, calls: usize| {
        lines(files, |at| {
            let calls = lines(calls, |_| "c.responses.create(model='m', input='x')\n".to_owned());
            format!("//- m{at}/app.py\nimport openai\nc = openai.OpenAI()\n{calls}")
        })
    };
    // One file of many calls, or many files of some, are what people write.
    for (files, calls) in [(1, 90), (90, 10)] {
        let near = scan(&tree(files, calls));
        assert_eq!((near.calls.len(), near.cut.len()), (files * (calls + 1), 0));
    }
    let far = scan(&tree(60, 60));
    assert!((1_500..3_000).contains(&far.calls.len()), "{}", far.calls.len());
    assert!(!far.cut.is_empty());
    // Each file keeps its first places.
    for at in 0..60 {
        let own = far.calls.iter().filter(|call| call.file == format!("m{at}/app.py"));
        assert!(own.count() >= 8, "{at}");
    }
}

#[test]
fn a_file_that_imports_a_name_from_itself_is_looked_into_once() {
    // `utils.py` in many folders: the import may mean the file itself, and the name is told by the one that defines it.
    let tree = lines(30, |at| {
        format!(
            "//- a/b{at}/utils.py\nfrom utils import f, g\nfrom .utils import h\nfrom b{}.utils import f\nimport openai\nopenai.OpenAI().responses.create(model='m', input=f(g))\n{}",
            (at * 7 + 1) % 30,
            "f(g(h))\n".repeat(300)
        )
    });
    let timed = |tree: &str| {
        let started = std::time::Instant::now();
        (scan(tree), started.elapsed())
    };
    let (found, took) = timed(&tree);
    assert_eq!(
        found
            .calls
            .iter()
            .filter(|call| call.symbol.ends_with("create"))
            .count(),
        30
    );
    // What does not end soon is compared with the same files under a name that none of them imports. Other work on the
    // machine may stop one attempt for a while, and hardly all.
    let elsewhere = tree.replace("/utils.py\n", "/tools.py\n");
    let cheap = took.as_secs() < 2 || (0..4).any(|_| timed(&tree).1 < timed(&elsewhere).1 * 40);
    assert!(cheap, "{took:?}");
    let one = "//- utils.py\nfrom utils import client\nimport openai\nclient = openai.OpenAI()\nclient.responses.create(model='m', input='x')\n";
    assert!(
        scan(one)
            .calls
            .iter()
            .any(|call| call.symbol.ends_with("responses.create"))
    );
}

#[test]
fn a_map_that_is_spread_into_itself_is_asked_once_for_each_key() {
    let unit = "d = {**d, **d, 'k': d}\nc.responses.create(**d)\n".repeat(90);
    let tree = format!(
        "//- a.py\nimport openai\nc = openai.OpenAI()\nd = {{'model': 'gpt-4.1', 'input': 'x'}}\n{unit}d = {{'model': 'gpt-4o', 'temperature': 0}}\nc.responses.create(**d)\n"
    );
    let found = scan(&tree);
    let models: std::collections::BTreeSet<_> = found
        .calls
        .iter()
        .filter(|call| call.symbol.ends_with("create"))
        .map(|call| call.model.clone())
        .collect();
    assert_eq!(models, [Some("gpt-4o".to_owned())].into());
}
