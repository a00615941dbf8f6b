//! What is read around an error, and what is noted as not read.

use engine_model::Language;

use crate::ir::Expr;
use crate::lower;

/// Names of methods that are called, and the lines that were not read.
fn check(language: Language, text: &str, called: &[&str], unparsed: &[(u32, u32)]) {
    let module = lower(language, text).unwrap();
    let mut found: Vec<&str> = Vec::new();
    for node in &module.exprs {
        if let Expr::Call { callee, .. } = &node.kind
            && let Expr::Member { name, .. } | Expr::Name(name) = module.expr(*callee)
        {
            found.push(name);
        }
    }
    for name in called {
        assert!(found.contains(name), "{name} of {found:?} in {language:?}\n{text}");
    }
    let lines: Vec<_> = module.unparsed.iter().map(|lines| (lines.first, lines.last)).collect();
    assert_eq!(lines, unparsed, "{language:?}\n{text}");
}

#[test]
fn an_error_costs_its_own_statement() {
    check(
        Language::Python,
        "import a\n\ndef one(q):\n    return a.first(q)\n\ndef broken(x):\n    if x ==:\n        return (1, 2)\n    return x\n\ndef two(q):\n    return a.second(q)\n",
        &["first", "second"],
        &[(7, 7)],
    );
    check(
        Language::Java,
        "class A {\n  void one() { a.first(); }\n  void broken( { int x = = 3; }\n  void two() { a.second(); }\n}\n",
        &["first", "second"],
        &[(3, 3)],
    );
    check(
        Language::TypeScript,
        "function one() { a.first(); }\nfunction broken( { const x = ; }\nfunction two() { a.second(); }\n",
        &["first", "second"],
        &[(2, 2)],
    );
    check(
        Language::Kotlin,
        "fun one() { a.first() }\nfun broken( { val x = = 3 }\nfun two() { a.second() }\n",
        &["first", "second"],
        &[(2, 2)],
    );
    check(
        Language::Go,
        "package a\n\nfunc one() { b.first() }\n\nfunc broken( { x := := 3 }\n\nfunc two() { b.second() }\n",
        &["first", "second"],
        &[(5, 5)],
    );
    check(
        Language::CSharp,
        "class A {\n  void One() { a.First(); }\n  void Broken( { int x = = 3; }\n  void Two() { a.Second(); }\n}\n",
        &["First", "Second"],
        &[(3, 3)],
    );
    check(
        Language::Rust,
        "fn one() { a.first(); }\nfn broken( { let x = = 3; }\nfn two() { a.second(); }\n",
        &["first", "second"],
        &[(2, 2)],
    );
    check(
        Language::Php,
        "<?php\nfunction one() { $a->first(); }\nfunction broken( { $x = = 3; }\nfunction two() { $a->second(); }\n",
        &["first", "second"],
        &[(3, 3)],
    );
    check(
        Language::Ruby,
        "def one\n  a.first(1)\nend\n\ndef broken(\n  x = = 3\nend\n\ndef two\n  a.second(1)\nend\n",
        &["first", "second"],
        &[(5, 7)],
    );
}

#[test]
fn strings_and_comments_are_not_rewritten() {
    // The error makes the rewritings run; what stands in texts stays as it is.
    let text = "class A { string S = \"x?.y = z\"; // seen?.Last = q;\n  void B() { seen?.Last = q; } }\n";
    let module = lower(Language::CSharp, text).unwrap();
    assert!(module.unparsed.is_empty());
    assert!(
        module
            .exprs
            .iter()
            .any(|node| matches!(&node.kind, Expr::Str(text) if text == "x?.y = z"))
    );
}

#[test]
fn an_extension_block_gives_methods_that_extend() {
    let text = "static class A {\n  extension(IChatClient client) {\n    public string Ask(string q) => client.Get(q);\n    public static int Count() => 1;\n  }\n}\n";
    let module = lower(Language::CSharp, text).unwrap();
    let class = module
        .classes
        .iter()
        .find(|class| class.name.as_deref() == Some("A"))
        .unwrap();
    let methods: Vec<_> = class.methods.iter().map(|at| module.function(*at)).collect();
    let told: Vec<_> = methods
        .iter()
        .map(|method| {
            (
                method.name.as_deref().unwrap(),
                method.params.len(),
                method.extends.is_some(),
            )
        })
        .collect();
    assert_eq!(told, [("Ask", 2, true), ("Count", 0, false)]);
}

#[test]
fn what_stands_before_a_pipe_is_the_argument() {
    let module = lower(Language::Php, "<?php\n$r = $p |> $c->create(...);\n").unwrap();
    let args = module.exprs.iter().find_map(|node| match &node.kind {
        Expr::Call { args, .. } => Some(
            args.iter()
                .map(|arg| module.expr(arg.value).clone())
                .collect::<Vec<_>>(),
        ),
        _ => None,
    });
    assert_eq!(args, Some(vec![Expr::Name("p".into())]));
}

#[test]
fn a_broken_cell_of_a_notebook_is_named_and_costs_no_other() {
    // A text cell counts too: people count cells as they see them.
    let cells = |kernel: &str, broken: &str| {
        format!(
            "{{\"metadata\": {{\"kernelspec\": {{\"language\": \"{kernel}\"}}}},\n\"cells\": [\n{{\"cell_type\": \"markdown\", \"source\": [\"# A\"]}},\n\
             {{\"cell_type\": \"code\", \"source\": [\"a.first(1)\"]}},\n\
             {{\"cell_type\": \"code\", \"source\": [\n\"x = 1\\n\",\n\"{broken}\"\n]}},\n\
             {{\"cell_type\": \"code\", \"source\": [\"a.second(1)\"]}}\n]}}\n"
        )
    };
    for (kernel, broken) in [
        ("python", "y = = 2\\n"),
        ("python", "def f(:\\n"),
        ("python", "while (\\n"),
        ("typescript", "let y = = 2;\\n"),
    ] {
        let text = cells(kernel, broken);
        check(Language::Notebook, &text, &["first", "second"], &[(7, 7)]);
        let module = lower(Language::Notebook, &text).unwrap();
        assert_eq!(module.unparsed[0].cell, Some(3), "{text}");
        // All on one line, as some programs write it: only the cell tells where it is.
        let module = lower(Language::Notebook, &text.replace('\n', " ")).unwrap();
        let told: Vec<_> = module.unparsed.iter().map(|lines| (lines.first, lines.cell)).collect();
        assert_eq!(told, [(1, Some(3))], "{text}");
    }
}

#[test]
fn a_text_that_nothing_closes_costs_its_row() {
    for (language, text, line) in [
        (
            Language::Java,
            "class A {\n  String broken() { return \"a (b; }\n  void one() { a.first(\"x\"); }\n  void two() { a.second(\"y\"); }\n}\n",
            2,
        ),
        (
            Language::Java,
            "class A {\n  void one() { a.first(\"x\"); }\n  void broken() {\n    log(\"it's so);\n    int y = 1;\n  }\n  void two() { a.second(\"y\"); }\n}\n",
            4,
        ),
        (
            Language::CSharp,
            "class A {\n  string Broken() { return \"a; }\n  void One() { a.first(\"x\"); }\n  void Two() { a.second(\"y\"); }\n}\n",
            2,
        ),
        (
            Language::Kotlin,
            "fun broken() {\n  log(\"a)\n}\nfun one() { a.first(\"x\") }\nfun two() { a.second(\"y\") }\n",
            2,
        ),
        (
            Language::Go,
            "package a\n\nfunc broken() {\n\tlog(\"a)\n}\n\nfunc one() { b.first(\"x\") }\n\nfunc two() { b.second(\"y\") }\n",
            4,
        ),
        (
            Language::TypeScript,
            "function broken() { log('a); }\nfunction one() { a.first('x'); }\nfunction two() { a.second('y'); }\n",
            1,
        ),
        (
            Language::Python,
            "def broken():\n    log('a)\n\ndef one():\n    a.first('x')\n\ndef two():\n    a.second('y')\n",
            2,
        ),
    ] {
        check(language, text, &["first", "second"], &[(line, line)]);
    }
}

#[test]
fn a_union_of_csharp_costs_nothing() {
    for union in [
        "public union Reply(string, Error);",
        "union Reply<T>(T, Exception, List<(int, string)>);",
        "internal partial union Reply(Text, Refused) : ISeen { public bool IsText => Value is Text; }",
    ] {
        for text in [
            format!("{union} class A {{ void One() {{ a.First(); }} void Two() {{ a.Second(); }} }}\n"),
            format!("class A {{\n  {union}\n  void One() {{ a.First(); }}\n  void Two() {{ a.Second(); }}\n}}\n"),
        ] {
            check(Language::CSharp, &text, &["First", "Second"], &[]);
            let module = lower(Language::CSharp, &text).unwrap();
            let methods: Vec<_> = module
                .functions
                .iter()
                .filter_map(|function| function.name.as_deref())
                .collect();
            assert!(
                methods.contains(&"One") && methods.contains(&"Two"),
                "{methods:?}\n{text}"
            );
        }
    }
    // A method of a type with that name stays what it is.
    let module = lower(
        Language::CSharp,
        "class A { union Reply(Text text, int = 3) { b.First(); } }\n",
    )
    .unwrap();
    assert!(
        module
            .functions
            .iter()
            .any(|function| function.name.as_deref() == Some("Reply"))
    );
}
