//! Sources of Go, Java, C#, Rust and Kotlin that want to do harm: nested deep, endless, broken.

use engine_model::Language;
use proptest::prelude::*;

use super::dump::dump;
use crate::ir::{Expr, Module};
use crate::{lower, supports};

const LANGUAGES: [Language; 5] = [
    Language::Go,
    Language::Java,
    Language::CSharp,
    Language::Rust,
    Language::Kotlin,
];

/// Sources that hold most of what the languages have; each is read as each language.
const SAMPLES: [&str; 5] = [
    "package p\nimport (\n\tai \"x/go-y\"\n\t. \"z\"\n)\ntype S struct { *B; a, b map[string][]T `j:\"k\"` }\nfunc (s *S) M(a int, b ...T) (r R, \
     err error) {\n\tif v, ok := x.(T); ok && v != nil { return }\n\tfor k, v := range m { go func() { ch <- T{A: []U{{1}, {B: \"é\"}}} \
     }() }\n\tswitch t := a.(type) { case *X: t() }\n\tselect { case y := <-c: z(y...) }\n\treturn a + \"b\", nil\n}\n",
    "package p;\nimport static a.B.*;\n@A(x = {1, \"y\"}) public class C<T> extends D<T> implements E {\n  private final Map<String, T[]> f = new \
     HashMap<>() {{ put(\"k\", 1); }};\n  static { i(); }\n  C(@P int... a) throws X, Y { super(a); }\n  T m() { try (var r = o()) { return switch (x) { \
     case Foo f when f.a() -> { yield 1; } default -> \"\"\"\n    té\\n\n    \"\"\"; }; } catch (E | F e) { throw e; } finally { l = (a, b) -> a::b; } }\n}\n\
     record R(int a) {} enum N { A(1) { }, B; }\n",
    "using X = A.B;\nusing var z = q();\nnamespace N { [A(1, B = 2)] public record R(int X = 1) : P(X) { public int Y { get => x; set; } = 1; R() : \
     this(1) { } async Task<T?> M(this X x, params int[] a) { await foreach (var (p, q) in r) { s ??= $\"é{p,2:x} {{}}\" + @\"a\"\"b\"; } \
     return y switch { Foo { A: var b } => new() { C = 1, D = { 2 } }, _ => throw e }; } } }\nvar l = from a in b where c select new { a.D, e };\n#if X\nf?.g[1]\
     (out var h);\n#endif\n",
    "use a::{b as c, d::*, self};\n#[derive(X)] pub struct S<'a, T: U>(&'a T);\nimpl<T> V for S<'_, T> { const A: u8 = 1; async fn m(&self, (a, b): (u8, W)) -> \
     Result<X, Y> { let Some(x) = a else { return Err(e)?; }; match x { E::F { g, .. } | H(g) if let i = j => format!(\"é{g} {}\", k), _ => { loop { break \
     'l 1 } } } } }\nfn n() { json!({ \"a\": [1, b(c)], d: null }); select! { e = f => g, }; let h = |i| vec![S { j, ..k }; 2]; r#\"x\"#; }\nmacro_rules! m { () => {} }\n",
    "package p\nimport a.b as c\n@A(\"x\") data class C<T>(val a: T, @B var b: Int? = 1) : D(a), E by f {\n  companion object { const val G = \"é$h ${i.j}\" \
     }\n  val k by lazy { l(it) }\n  var m get() = 1\n    set(v) { field = v }\n  suspend fun <T> X.n(vararg o: T): T = when (val p = q) { is R -> s; in 1..2 \
     -> { t() } else -> throw u }\n  init { for ((v, w) in x) y?.z!![1] = a ?: b as C }\n}\nobject O { fun f() = try { g { h, i -> h } } catch (e: E) { null } }\n",
];

/// Lowers on a thread with a stack as small as one may meet.
pub(super) fn on_small_stack(language: Language, source: String) -> Module {
    let lowering = std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(move || lower(language, &source).expect("the language has a lowering"));
    lowering
        .expect("a thread starts")
        .join()
        .expect("the lowering does not panic")
}

pub(super) fn nested(open: &str, inside: &str, close: &str, times: usize) -> String {
    format!("{}{inside}{}", open.repeat(times), close.repeat(times))
}

/// Puts an expression where the language lets one stand.
fn within(language: Language, expression: &str) -> String {
    match language {
        Language::Go => format!("package p\nvar x = {expression}\n"),
        Language::Java => format!("class A {{ Object x = {expression}; }}\n"),
        Language::CSharp => format!("var x = {expression};\n"),
        Language::Rust => format!("fn f() {{ let x = {expression}; }}\n"),
        _ => format!("val x = {expression}\n"),
    }
}

#[test]
fn every_typed_language_has_a_lowering() {
    for language in LANGUAGES {
        assert!(supports(language), "{language:?}");
        assert_eq!(lower(language, ""), Some(Module::new(language)));
    }
}

#[test]
fn a_hundred_thousand_brackets_of_typed_languages_end_without_harm() {
    for language in LANGUAGES {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("f(", ")"),
            ("a[", "]"),
            ("-", ""),
            ("!", ""),
        ] {
            on_small_stack(language, within(language, &nested(open, "x", close, 100_000)));
            on_small_stack(language, nested(open, "x", "", 100_000));
        }
    }
}

#[test]
fn nesting_of_every_kind_in_typed_languages_is_cut_and_said() {
    for (language, open, inside, close) in [
        (Language::Go, "f(", "x", ")"),
        (Language::Go, "[]T{", "x", "}"),
        (Language::Go, "func() { return ", "x", "}"),
        (Language::Java, "f(", "x", ")"),
        (Language::Java, "() -> ", "x", ""),
        (Language::Java, "a ? b : ", "c", ""),
        (Language::Java, "new A() { Object y = ", "x", "; }"),
        (Language::CSharp, "f(", "x", ")"),
        (Language::CSharp, "() => ", "x", ""),
        (Language::CSharp, "new A { B = ", "x", "}"),
        (Language::Rust, "f(", "x", ")"),
        (Language::Rust, "|y| ", "x", ""),
        (Language::Rust, "{ ", "x", "}"),
        (Language::Rust, "if a { ", "x", "} else { y }"),
        (Language::Kotlin, "f(", "x", ")"),
        (Language::Kotlin, "f { ", "x", "}"),
        (Language::Kotlin, "object : A { val y = ", "x", "\n}"),
    ] {
        let lowered = on_small_stack(language, within(language, &nested(open, inside, close, 400)));
        assert!(lowered.truncated, "{language:?} {open}");
        assert!(!dump(&lowered).is_empty());
    }
}

#[test]
fn nested_blocks_and_types_of_typed_languages_end_without_harm() {
    for (language, open, inside, close) in [
        (Language::Go, "func f() {", "x", "}"),
        (Language::Go, "type A struct { b ", "int", "}"),
        (Language::Go, "var x []", "int", ""),
        (Language::Java, "class A {", "int x;", "}"),
        (Language::Java, "class A { void f() { if (a) {", "b();", "} } }"),
        (Language::CSharp, "namespace A {", "class B { }", "}"),
        (Language::CSharp, "class A { void F() {", "b();", "} }"),
        (Language::Rust, "mod a { fn f() {", "b();", "} }"),
        (Language::Rust, "use a::{", "b", "};"),
        (Language::Rust, "a!(", "x", ");"),
        (Language::Rust, "json!({\"a\": ", "1", "});"),
        (Language::Rust, "fn f(x: Vec<", "u8", ">) {}"),
        (Language::Kotlin, "class A { fun f() {", "b()", "} }"),
        (Language::Kotlin, "val x: List<", "Int", ">"),
        (Language::Kotlin, "\"${", "x", "}\""),
    ] {
        on_small_stack(language, nested(open, inside, close, 400));
        on_small_stack(language, nested(open, inside, close, 5_000));
    }
}

#[test]
fn long_chains_of_calls_in_typed_languages_are_whole() {
    for language in LANGUAGES {
        let chain = |calls: usize| on_small_stack(language, within(language, &format!("a{}", ".b()".repeat(calls))));
        // One that nobody writes may be cut, and needs no more of the stack.
        chain(10_000);
        let lowered = chain(3_000);
        assert!(!lowered.truncated, "{language:?}");
        let calls = lowered
            .exprs
            .iter()
            .filter(|node| matches!(node.kind, Expr::Call { .. }))
            .count();
        assert_eq!(calls, 3_000, "{language:?}");
    }
}

#[test]
fn long_sums_and_conditions_of_typed_languages_are_flat() {
    for language in LANGUAGES {
        let lowered = on_small_stack(
            language,
            within(language, &format!("\"a\"{}", " + \"b\"".repeat(10_000))),
        );
        assert!(
            dump(&lowered).contains(&format!("\"a{}\"", "b".repeat(10_000))),
            "{language:?}"
        );
        for operator in ["&&", "||", "*", "+"] {
            let lowered = on_small_stack(
                language,
                within(language, &format!("a{}", format!(" {operator} b").repeat(10_000))),
            );
            let widest = lowered.exprs.iter().map(|node| match &node.kind {
                Expr::Template(parts) | Expr::Test(parts) | Expr::Other(parts) => parts.len(),
                _ => 0,
            });
            assert_eq!(widest.max(), Some(10_001), "{language:?} {operator}");
        }
    }
}

#[test]
fn long_chains_of_branches_in_typed_languages_do_not_nest() {
    on_small_stack(
        Language::Go,
        format!(
            "func f() {{ if a {{ b() }}{} }}",
            " else if c := d(); c { e() }".repeat(5_000)
        ),
    );
    on_small_stack(
        Language::Java,
        format!(
            "class A {{ void f() {{ if (a) b();{} }} }}",
            " else if (c) d();".repeat(5_000)
        ),
    );
    on_small_stack(
        Language::CSharp,
        format!("if (a) b();{}", " else if (c) d();".repeat(5_000)),
    );
    on_small_stack(
        Language::Rust,
        format!(
            "fn f() {{ if a {{ b() }}{} }}",
            " else if let C = c { d() }".repeat(5_000)
        ),
    );
    on_small_stack(
        Language::Kotlin,
        format!("fun f() {{ if (a) b(){} }}", " else if (c) d()".repeat(5_000)),
    );
    on_small_stack(Language::CSharp, format!("var x = a{};", " ?? b".repeat(5_000)));
    on_small_stack(Language::Rust, format!("fn f(A{}: X) {{}}", " | B".repeat(5_000)));
}

#[test]
fn nested_macros_fit_a_small_stack() {
    on_small_stack(
        Language::Rust,
        format!("fn f() {{ {} }}", nested("a!(b, ", "c", ")", 3_000)),
    );
    on_small_stack(
        Language::Rust,
        format!("fn f() {{ {} }}", "info!(\"x {y}\", z = a.b());".repeat(2_000)),
    );
    on_small_stack(
        Language::Rust,
        format!("fn f() {{ json!([{}]) }}", "{\"a\": b(c) },".repeat(2_000)),
    );
}

/// Damage to a text: characters are replaced, removed, doubled, or the rest is cut off.
pub(super) fn damaged(sample: &str, damage: &[(usize, u8, char)]) -> String {
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
    fn damaged_sources_of_typed_languages_never_panic(
        sample in 0..SAMPLES.len(),
        language in 0..LANGUAGES.len(),
        damage in prop::collection::vec((0..2_000_usize, 0..5_u8, prop_oneof![
            any::<char>(), prop::sample::select("(){}[]<>\"'`$\\#@!?.,;:=+-*/&|\n é".chars().collect::<Vec<_>>())
        ]), 0..8),
    ) {
        // Half of the cases read a sample as its own language.
        for language in [LANGUAGES[language], LANGUAGES[sample]] {
            if let Some(module) = lower(language, &damaged(SAMPLES[sample], &damage)) {
                dump(&module);
            }
        }
    }
}

/// A name that differs for each number in more than digits.
fn name_of(at: usize) -> String {
    let mut rest = at.wrapping_mul(2_654_435_761) % 8_031_810_176;
    (0..7)
        .map(|_| {
            let letter = char::from(b'a' + u8::try_from(rest % 26).unwrap());
            rest /= 26;
            letter
        })
        .collect()
}

#[test]
fn errors_without_end_end_the_text_and_what_stands_before_is_kept() {
    let head = "use asked::Client;\nfn main() { Client::new(); }\n";
    let broken: String = (0..20_000).map(|at| ["@", &name_of(at), "\n"].concat()).collect();
    let lowered = lower(Language::Rust, &format!("{head}{broken}")).unwrap();
    assert!(lowered.truncated);
    assert_eq!(lowered.imports.len(), 1);
    assert_eq!(lowered.functions.len(), 1);
    assert_eq!(
        lower(Language::Rust, &format!("{head}{broken}")),
        Some(lowered),
        "the same text gives the same answer"
    );
    // The mark is taken back with the text that earned it.
    assert!(!lower(Language::Rust, head).unwrap().truncated);
    // Mistakes here and there end nothing.
    let mut ordinary = String::new();
    for at in 0..4_000 {
        let (wrong, name) = (if at % 20 == 0 { "@ " } else { "" }, name_of(at));
        ordinary.extend(["fn ", &name, "(x: u8) -> u8 { ", wrong, &name, "(x + 1) }\n"]);
    }
    let lowered = lower(Language::Rust, &ordinary).unwrap();
    assert!(!lowered.truncated);
    assert!(lowered.functions.len() > 3_500, "{}", lowered.functions.len());
}
