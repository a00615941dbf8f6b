//! Sources that want to do harm: nested deep, endless, broken, random.

use engine_model::Language;
use proptest::prelude::*;

use super::dump::dump;
use super::module;
use crate::ir::{Expr, Module};
use crate::{lower, supports};

const LANGUAGES: [Language; 6] = [
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Shell,
    Language::Notebook,
];

const SAMPLES: [&str; 5] = [
    "import openai\n@d(x)\nasync def f(a: List[int] = 1, *b, **c) -> X:\n    try:\n        async with g() as h, i:\n            \
     r = await h.chat.create(model=f\"gpt-{v!r:>{w}}\", **k)\n    except (A, B) as e:\n        raise E() from e\n    \
     return [x for x in r if x] or {**a, 'b': \"c\" 'd'}\nclass K(B, metaclass=M):\n    x: int = 1\n    def m(self): \
     match self.x:\n            case {\"a\": b}: pass\n",
    "import A, { b as c } from 'x';\nexport default class K extends B { #p = 1; constructor(private a) { super(); } \
     static { x(); } async *m({ d = 1, ...e }) { for await (const f of g) yield `t${f}`; } }\nconst h = a?.b ?? (c && d) \
     ? new E(...f) : (i, j) => ({ i, [k]: 1, ...l });\nmodule.exports = { h };\nswitch (x) { case 'é': y(); default: }\n",
    "const v = <A b=\"c\" {...d}>text &amp; {e.map(f => <G key={f} />)}<></></A>;\ninterface I<T> extends J { a?: T[] | \
     null; }\nenum E { A = 1 }\ndeclare module 'm' { export const x: Map<string, () => void>; }\nlet w = y as unknown as Z;\n",
    "set -e\nexport A=\"x $(curl -d \"{\\\"q\\\": \\\"$Q\\\"}\" url | jq .a)\"\nif [ -z \"$A\" ]; then b || c && d; elif e; then f; \
     fi\ncat <<EOF | g\nH $I ${J:-k}\nEOF\nfor x in a b; do case $x in a) y ;; *) z ;; esac; done\nl() { m >n 2>&1; }\n",
    "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"import a\\n\", \"%magic\\n\", \"x = f('\\\\u00e9')\"]}, \
     {\"source\": \"y\", \"cell_type\": \"code\"}], \"metadata\": {\"kernelspec\": {\"language\": \"python\"}}}",
];

/// Lowers on a thread with a stack as small as one may meet.
fn on_small_stack(language: Language, source: String) -> Module {
    let lowering = std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(move || lower(language, &source).expect("the language has a lowering"));
    lowering
        .expect("a thread starts")
        .join()
        .expect("the lowering does not panic")
}

fn nested(open: &str, inside: &str, close: &str, times: usize) -> String {
    format!("{}{inside}{}\n", open.repeat(times), close.repeat(times))
}

#[test]
fn every_language_with_a_lowering_is_supported() {
    for language in LANGUAGES {
        assert!(supports(language), "{language:?}");
    }
    assert!(!supports(Language::Markup));
    assert_eq!(lower(Language::Markup, "# x"), None);
}

#[test]
fn binary_text_has_no_module() {
    assert_eq!(lower(Language::Python, "x = 1\0"), None);
}

#[test]
fn empty_text_is_an_empty_module() {
    for language in LANGUAGES {
        assert_eq!(module(language, ""), Module::new(language));
    }
}

#[test]
fn a_hundred_thousand_brackets_end_without_harm() {
    for language in LANGUAGES {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("f(", ")"),
            ("a[", "]"),
            ("-", ""),
            ("!", ""),
            ("<a>", "</a>"),
        ] {
            on_small_stack(language, nested(open, "x", close, 100_000));
            on_small_stack(language, nested(open, "x", "", 100_000));
        }
    }
}

#[test]
fn nesting_of_every_kind_is_cut_and_said() {
    for (language, open, inside, close) in [
        (Language::Python, "[", "x", "]"),
        (Language::Python, "lambda: ", "x", ""),
        (Language::Python, "f(a=", "x", ")"),
        (Language::Python, "x if y else ", "z", ""),
        (Language::Python, "{'k': ", "x", "}"),
        (Language::JavaScript, "{", "x", "}"),
        (Language::JavaScript, "x = [", "y", "]"),
        (Language::JavaScript, "() => ", "x", ""),
        (Language::JavaScript, "a ? b : ", "c", ""),
        (Language::JavaScript, "`${", "x", "}`"),
        (Language::JavaScript, "if (a) ", "b", ""),
        (Language::JavaScript, "function f() {", "x", "}"),
        (Language::JavaScript, "class A { x = ", "y", "}"),
        (Language::JavaScript, "f({a: ", "x", "})"),
        (Language::Tsx, "<a>", "x", "</a>"),
        (Language::Shell, "$(", "x", ")"),
        (Language::Shell, "{ ", "x", "; }"),
    ] {
        let lowered = on_small_stack(language, nested(open, inside, close, 400));
        assert!(lowered.truncated, "{language:?} {open}");
        assert!(!dump(&lowered).is_empty());
    }
}

#[test]
fn nested_blocks_of_python_are_cut() {
    let mut source = String::new();
    for depth in 0..400 {
        source.push_str(&" ".repeat(depth));
        source.push_str("if x:\n");
    }
    source.push_str(&" ".repeat(400));
    source.push_str("y\n");
    assert!(on_small_stack(Language::Python, source).truncated);
}

#[test]
fn brackets_around_a_value_cost_no_depth() {
    let lowered = on_small_stack(Language::Python, format!("x = {}", nested("(", "y", ")", 900)));
    assert_eq!(dump(&lowered), "x = y");
    let lowered = on_small_stack(Language::TypeScript, format!("x = {}", nested("(", "y", ")", 900)));
    assert_eq!(dump(&lowered), "x = y");
}

#[test]
fn long_chains_of_calls_are_whole() {
    for language in [Language::Python, Language::JavaScript, Language::TypeScript] {
        let lowered = on_small_stack(language, format!("a{}\n", ".b()".repeat(5_000)));
        assert!(!lowered.truncated);
        let calls = lowered
            .exprs
            .iter()
            .filter(|node| matches!(node.kind, Expr::Call { .. }))
            .count();
        assert_eq!(calls, 5_000);
    }
}

#[test]
fn long_sums_of_texts_are_one_text() {
    for language in [Language::Python, Language::JavaScript, Language::TypeScript] {
        let lowered = on_small_stack(language, format!("x = \"a\"{}\n", " + \"b\"".repeat(10_000)));
        assert_eq!(dump(&lowered).len(), 10_001 + 6);
        let lowered = on_small_stack(language, format!("x = a{}\n", " + b".repeat(10_000)));
        let parts = lowered.exprs.iter().find_map(|node| match &node.kind {
            Expr::Template(parts) => Some(parts.len()),
            _ => None,
        });
        assert_eq!(parts, Some(10_001));
    }
}

/// Lowers chains of each kind: short links so often, long links a fifth of it.
fn lower_chains(links: usize) {
    on_small_stack(Language::Python, format!("x = a{}\n", " or b".repeat(links)));
    on_small_stack(Language::Python, format!("x = a{}\n", " and b > 1".repeat(links)));
    on_small_stack(
        Language::JavaScript,
        format!("if (a) b();{}\n", " else if (c) d();".repeat(links / 5)),
    );
    on_small_stack(
        Language::Python,
        format!("if a:\n  b\n{}", "elif c:\n  d\n".repeat(links / 5)),
    );
    on_small_stack(Language::Shell, format!("a{}\n", " && b || c".repeat(links / 5)));
    on_small_stack(Language::Shell, format!("a{}\n", " | b".repeat(links / 5)));
    on_small_stack(
        Language::Shell,
        format!("if a; then b\n{}fi\n", "elif c; then d\n".repeat(links / 5)),
    );
    on_small_stack(Language::JavaScript, format!("a{}\n", ", b".repeat(links)));
    on_small_stack(Language::JavaScript, format!("a{}\n", " = b".repeat(links)));
    on_small_stack(Language::Python, format!("a{}\n", " = b".repeat(links)));
    on_small_stack(Language::TypeScript, format!("type A = a{}\n", " | b".repeat(links)));
}

#[test]
fn chains_of_conditions_do_not_nest() {
    lower_chains(5_000);
}

#[test]
#[ignore = "slow: a minute for 100,000 links"]
fn long_chains_of_conditions_do_not_nest() {
    lower_chains(100_000);
}

#[test]
fn long_chains_of_conditions_become_branches() {
    let lowered = module(
        Language::Python,
        &format!("if a:\n  b\n{}else:\n  e\n", "elif c:\n  d\n".repeat(50)),
    );
    assert!(dump(&lowered).starts_with("match\n  arm\n    a\n    b\n  arm\n    c\n    d\n"));
}

#[test]
fn a_table_of_data_is_cut_and_said() {
    let lowered = module(Language::JavaScript, &format!("x = [{}]", "1,".repeat(500_000)));
    assert!(lowered.truncated);
    assert!(lowered.exprs.len() < 1_100_000);
}

#[test]
fn a_wide_character_behind_a_brace_of_a_shell_script_is_harmless() {
    for wide in ["\u{10fffd}", "\u{fffff}", "\u{80000}", "\u{1f600}", "é"] {
        for brace in ["{", "{1", "{1..", "{1..2", "\n{"] {
            let lowered = module(Language::Shell, &format!("echo {brace}{wide}}} '{wide}'\n"));
            let kept = lowered
                .exprs
                .iter()
                .any(|node| matches!(&node.kind, Expr::Str(text) if text.contains(wide)));
            assert!(kept, "{brace}{wide}");
        }
    }
}

#[test]
fn a_scanner_that_reads_far_ahead_is_stopped() {
    let lowered = module(Language::Shell, &"<a>".repeat(100_000));
    assert!(lowered.truncated);
}

/// Damage to a text: characters are replaced, removed, doubled, or the rest is cut off.
fn damaged(sample: &str, damage: &[(usize, u8, char)]) -> String {
    let mut chars: Vec<char> = sample.chars().collect();
    for (place, kind, ch) in damage {
        if chars.is_empty() {
            break;
        }
        let place = place % chars.len();
        match kind % 5 {
            0 => chars[place] = *ch,
            1 => {
                chars.remove(place);
            }
            2 => chars.insert(place, *ch),
            3 => {
                let piece: Vec<char> = chars[place..chars.len().min(place + 12)].to_vec();
                chars.splice(place..place, piece);
            }
            _ => chars.truncate(place.max(chars.len() / 2)),
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_sources_never_panic(
        sample in 0..SAMPLES.len(),
        language in 0..LANGUAGES.len(),
        damage in proptest::collection::vec(
            (any::<usize>(), any::<u8>(), proptest::sample::select("(){}[]<>\"'`\\$#:;,.=+-*/%!?&|@~\n\t aé\u{1F600}".chars().collect::<Vec<_>>())),
            0..24,
        ),
    ) {
        let source = damaged(SAMPLES[sample], &damage);
        let lowered = lower(LANGUAGES[language], &source).expect("there is no zero byte");
        // Every id must point into its arena, which the dump walks.
        let _ = dump(&lowered);
        prop_assert_eq!(lower(LANGUAGES[language], &source), Some(lowered));
    }

    #[test]
    fn any_text_lowers_in_any_language(source in "\\PC{0,200}", language in 0..LANGUAGES.len()) {
        let _ = dump(&lower(LANGUAGES[language], &source).expect("there is no zero byte"));
    }
}

#[test]
fn python_headers_that_never_end_are_not_parsed() {
    let text = "import openai\n".to_owned() + &"with ~//a\n".repeat(20_000);
    let module = lower(Language::Python, &text).unwrap();
    assert!(module.truncated && module.body.is_empty());
    let prose = "if you read this\n".repeat(100) + "import openai\n";
    assert!(!lower(Language::Python, &prose).unwrap().truncated);
}
