//! Files that are written to cost as much as they can: deep, endless, broken, and code that calls itself in circles.

/// Bytes of each file.
const BYTES: usize = 1024 * 1024;

use crate::shapes::SHAPES;

/// One file to be, or one tree.
#[derive(Clone, Debug)]
pub struct Case {
    /// Language and pattern.
    pub name: String,
    content: Content,
}

#[derive(Clone, Copy, Debug)]
enum Content {
    /// A path, by which the language is told, what stands first, and what is repeated.
    Pattern(&'static str, &'static str, Pattern),
    /// Files with their paths.
    Files(fn() -> Vec<(String, String)>),
}

/// A name, what stands first, what is repeated, and what stands last. In the repeated part `«i»` is the number of the
/// repetition, `«p»` the one before and `«n»` the one behind.
type Pattern = (&'static str, &'static str, &'static str, &'static str);

impl Case {
    /// The files with their paths, 1 MiB together.
    pub fn files(&self) -> Vec<(String, String)> {
        match self.content {
            Content::Pattern(path, head, pattern) => vec![(path.to_owned(), Self::text(head, pattern))],
            Content::Files(make) => make(),
        }
    }

    /// The text: a use of a model, so that no prefilter passes over it, and the pattern up to 1 MiB.
    fn text(head: &str, (_, first, unit, last): Pattern) -> String {
        let mut out = String::with_capacity(BYTES + unit.len());
        out.push_str(head);
        out.push_str(first);
        let numbered = unit.contains('«');
        let mut number = 0_u32;
        while out.len() + last.len() < BYTES {
            if numbered {
                let text = unit
                    .replace("«i»", &number.to_string())
                    .replace("«p»", &number.saturating_sub(1).to_string())
                    .replace("«n»", &(number + 1).to_string());
                out.push_str(&text);
            } else {
                out.push_str(unit);
            }
            number += 1;
        }
        out.push_str(last);
        out
    }
}

/// All cases: patterns language by language, and shapes.
pub fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    for (path, head, own) in LANGUAGES {
        for pattern in COMMON.iter().chain(*own) {
            let ending = path.rsplit('.').next().unwrap_or(path);
            out.push(Case {
                name: format!("{ending}-{}", pattern.0),
                content: Content::Pattern(path, head, *pattern),
            });
        }
    }
    out.extend(SHAPES.iter().map(|(name, make)| Case {
        name: (*name).to_owned(),
        content: Content::Files(*make),
    }));
    out
}

/// The path, a use of a model, and the patterns of each language.
const LANGUAGES: &[(&str, &str, &[Pattern])] = &[
    (
        "app.py",
        "import openai\nc = openai.OpenAI()\nr = c.responses.create(model='gpt-4.1', input='x')\n",
        PYTHON,
    ),
    (
        "app.js",
        "import OpenAI from 'openai';\nconst c = new OpenAI();\nconst r = await c.responses.create({model:'gpt-4.1',input:'x'});\n",
        SCRIPT,
    ),
    (
        "app.ts",
        "import OpenAI from 'openai';\nconst c = new OpenAI();\nconst r = await c.responses.create({model:'gpt-4.1',input:'x'});\n",
        SCRIPT,
    ),
    (
        "app.tsx",
        "import OpenAI from 'openai';\nconst c = new OpenAI();\nconst r = await c.responses.create({model:'gpt-4.1',input:'x'});\n",
        SCRIPT,
    ),
    (
        "main.go",
        "package main\nimport \"github.com/openai/openai-go\"\nfunc main() { c := openai.NewClient(); c.Responses.New(nil, openai.P{}) }\n",
        GO,
    ),
    (
        "main.rs",
        "use async_openai::Client;\nfn main() { let c = async_openai::Client::new(); c.chat().create(1); }\n",
        RUST,
    ),
    (
        "Main.java",
        "import com.openai.client.OpenAIClient;\nclass Main { void m() { OpenAIClient c = com.openai.client.okhttp.OpenAIOkHttpClient.fromEnv(); c.responses().create(p); } }\n",
        JAVA,
    ),
    (
        "Main.kt",
        "import com.openai.client.OpenAIClient\nfun main() { val c = com.openai.client.okhttp.OpenAIOkHttpClient.fromEnv(); c.responses().create(p) }\n",
        KOTLIN,
    ),
    (
        "Main.cs",
        "using OpenAI.Chat;\nclass Main0 { void M() { var c = new ChatClient(\"gpt-4o\"); c.CompleteChat(\"x\"); } }\n",
        CSHARP,
    ),
    (
        "main.php",
        "<?php\nfunction main0() { $c = OpenAI::client('k'); $c->chat()->create(['model' => 'gpt-4o', 'messages' => []]); }\n",
        PHP,
    ),
    (
        "main.rb",
        "def main0\n  c = OpenAI::Client.new(access_token: 'k')\n  c.chat(parameters: { model: 'gpt-4o', messages: [] })\nend\n",
        RUBY,
    ),
    (
        "run.sh",
        "curl https://api.openai.com/v1/chat/completions -d \"{}\"\n",
        SHELL,
    ),
];

const COMMON: &[Pattern] = &[
    ("openparen", "", "(", ""),
    ("openbracket", "", "[", ""),
    ("openbrace", "", "{", ""),
    ("closeparen", "", ")", ""),
    ("closebrace", "", "}", ""),
    ("parenmix", "", "([{", ""),
    ("lt", "", "<", ""),
    ("gt", "", ">", ""),
    ("ltname", "", "a<", ""),
    ("quote", "", "\"", ""),
    ("squote", "", "'", ""),
    ("backtick", "", "`", ""),
    ("dollarbrace", "", "`${", ""),
    ("slashstar", "", "/*", ""),
    ("chain", "x = a", ".b", ""),
    ("callchain", "x = a", ".b()", ""),
    ("callnest", "", "f(", ""),
    ("binop", "x = 1", "+1", ""),
    ("cmp", "x = 1", "<1", ""),
    ("not", "x = ", "!", "1"),
    ("minus", "x = ", "- ", "1"),
    ("bigstring", "x = \"", "a", "\"\n"),
    ("biglist", "x = [", "1,", "1]\n"),
    ("strlist", "x = [", "\"ab\",", "1]\n"),
    ("ident", "", "a", ""),
    ("idents", "", "a ", ""),
    ("lines", "", "a\n", ""),
    ("assigns", "", "v«i» = v«p»\n", ""),
    ("selfassign", "", "v = v + «i»\n", ""),
    ("ifs", "", "if (x) ", ""),
    ("elseif", "if (x) {} ", "else if (x) {} ", ""),
    ("ternary", "x = ", "a ? b : ", ""),
    ("colon", "", ":", ""),
    ("semi", "", ";", ""),
    ("comma", "", ",", ""),
    ("at", "", "@a\n", ""),
    ("hash", "", "#a ", ""),
    ("arrow", "", "x=>", ""),
    ("nul", "", "«i»", ""),
    ("nonascii", "", "é", ""),
    ("garbage", "", "}{)(][;:,.=<>!@#$%^&*", ""),
    ("eq", "", "a=", ""),
    ("cascade", "", "a,b=", ""),
    ("template", "", "`a${b}`+", ""),
    ("backslash", "", "\\\n", ""),
    ("heredoc", "", "<<EOF\n", ""),
    ("subshell", "", "$(", ""),
    ("pipe", "", "a|", ""),
    ("amp", "", "a&&", ""),
];

const PYTHON: &[Pattern] = &[
    ("defs", "", "def f«i»(x):\n    return f«n»(x)\n", ""),
    ("defsback", "", "def f«i»(x):\n    return f«p»(f«p»(x))\n", ""),
    ("samedef", "", "def f(x):\n    return f(x)\n", ""),
    (
        "sameclass",
        "",
        "class A:\n    def f(self):\n        return self.f()\n",
        "",
    ),
    (
        "subclass",
        "",
        "class A«i»(A«p»):\n    def f(self):\n        return super().f()\n",
        "",
    ),
    ("headers", "", "def f(x)\n", ""),
    ("headers2", "", "if x\n", ""),
    ("headers3", "", "class A\n", ""),
    ("imports", "", "import m«i»\n", ""),
    ("importfrom", "", "from m«i» import a«i» as b«i»\n", ""),
    ("importopenai", "", "from openai import OpenAI\n", ""),
    ("lambda", "x = ", "lambda: ", ""),
    ("lambdas", "", "v«i» = lambda x: v«p»(x)\n", ""),
    ("deco", "", "@f\n", ""),
    ("fstr", "", "f\"{", ""),
    ("fstr2", "", "f\"{a}\" ", ""),
    ("triple", "", "\"\"\"", ""),
    ("calls", "", "r = c.responses.create(model=\"gpt-4.1\", input=r)\n", ""),
    (
        "calls2",
        "",
        "def g«i»(q):\n    return c.responses.create(model=\"gpt-4.1\", input=q)\n",
        "",
    ),
    ("comp", "x = ", "[a for a in ", ""),
    ("dict", "x = ", "{\"a\":", ""),
    ("kwargs", "f(", "a«i»=1,", ")"),
    ("params", "def f(", "a«i»,", "):\n    pass\n"),
    ("with", "", "with a as b:\n", ""),
    ("try", "", "try:\n  a\n", ""),
    ("tryexc", "try:\n a\n", "except A:\n a\n", ""),
    ("attrs", "", "a.b«i» = a.b«p»\n", ""),
    (
        "selfattrs",
        "class A:\n  def __init__(self):\n",
        "    self.b«i» = self.b«p»\n",
        "",
    ),
    ("globalfan", "", "def f«i»():\n  f«p»()\n  f«p»()\n", ""),
    ("reassign", "", "c = c if x else d«i»\n", ""),
    ("orchain", "x = a", " or b", ""),
    ("await", "x = ", "await ", ""),
    ("star", "x = ", "*", ""),
    ("matchcase", "match x:\n", "  case 1:\n    a\n", ""),
    ("allnames", "__all__ = [", "\"n«i»\",", "]\n"),
];

const SCRIPT: &[Pattern] = &[
    ("funcs", "", "function f«i»(x){return f«n»(x)}\n", ""),
    (
        "funcsback",
        "function f0(x){return c.responses.create({model:x})}\n",
        "function f«n»(x){return f«i»(f«i»(x))}\n",
        "",
    ),
    ("samefunc", "", "function f(x){return f(x)}\n", ""),
    ("sameclass", "", "class A{f(){return this.f()}}\n", ""),
    ("arrows", "", "const f«i» = (x) => f«p»(x);\n", ""),
    ("imports", "", "import a«i» from 'm«i»';\n", ""),
    (
        "calls",
        "",
        "r = await c.responses.create({model:\"gpt-4.1\", input: r});\n",
        "",
    ),
    (
        "calls2",
        "",
        "async function g«i»(q){return await c.responses.create({model:\"gpt-4.1\",input:q})}\n",
        "",
    ),
    ("jsx", "", "<a>", ""),
    ("jsx2", "", "<a b={", ""),
    ("headers", "", "function f(x)\n", ""),
    ("classhead", "", "class A\n", ""),
    ("funcnest", "", "function f(){", ""),
    ("arrownest", "", "()=>{", ""),
    ("objnest", "x=", "{a:", ""),
    ("then", "x", ".then(a=>a)", ""),
    ("regex", "", "/a", ""),
    ("export", "", "export const a«i» = a«p»;\n", ""),
    ("generic", "", "a<b,", ""),
    ("typenest", "type X = ", "A<", ""),
    ("union", "type X = A", "|A", ""),
    ("iface", "", "interface A«i» extends A«p» {}\n", ""),
];

const GO: &[Pattern] = &[
    ("funcs", "", "func f«i»(x int) int { return f«n»(x) }\n", ""),
    ("funcsback", "", "func f«i»(x int) int { return f«p»(f«p»(x)) }\n", ""),
    ("same", "", "func f(x int) int { return f(x) }\n", ""),
    ("imports", "import (\n", "\"m«i»\"\n", ")\n"),
    ("calls", "func g() {\n", "r, err := c.Responses.New(ctx, p)\n", "}\n"),
    (
        "calls2",
        "",
        "func g«i»() { c := openai.NewClient(); c.Responses.New(nil, 1) }\n",
        "",
    ),
    ("structs", "", "type T«i» struct { T«p» }\n", ""),
    ("headers", "", "func f(x int)\n", ""),
    ("funcnest", "", "func() {", ""),
    ("type", "", "type A struct {", ""),
    ("methods", "", "func (t T) M«i»() { t.M«p»() }\n", ""),
];

const RUST: &[Pattern] = &[
    ("funcs", "", "fn f«i»(x: u8) -> u8 { f«n»(x) }\n", ""),
    ("funcsback", "", "fn f«i»(x: u8) -> u8 { f«p»(f«p»(x)) }\n", ""),
    ("same", "", "fn f(x: u8) -> u8 { f(x) }\n", ""),
    ("uses", "", "use m«i»::a«i»;\n", ""),
    ("usetree", "use ", "a::{", ""),
    ("macro", "", "m!(", ""),
    ("macro2", "", "m!(a);\n", ""),
    ("macro3", "m!(", "a.b(c).await,", ");\n"),
    ("calls", "fn g(){\n", "let r = c.chat().create(q).await?;\n", "}\n"),
    (
        "calls2",
        "",
        "fn g«i»() { let c = async_openai::Client::new(); c.chat().create(1); }\n",
        "",
    ),
    ("headers", "", "fn f(x: u8)\n", ""),
    ("impl", "", "impl A { fn f(&self) { self.f() } }\n", ""),
    ("closure", "let x = ", "|a| ", ""),
    ("q", "let x = a", "?", ""),
    ("mods", "", "mod a { ", ""),
    ("attr", "", "#[a]\n", ""),
    ("types", "type X = ", "A<", ""),
    ("rawstr", "", "r#\"", ""),
];

const JAVA: &[Pattern] = &[
    ("methods", "class A {\n", "int f«i»(int x) { return f«n»(x); }\n", "}\n"),
    (
        "methodsback",
        "class A {\n",
        "int f«i»(int x) { return f«p»(f«p»(x)); }\n",
        "}\n",
    ),
    ("classes", "", "class A { int f() { return f(); } }\n", ""),
    (
        "subclasses",
        "",
        "class A«i» extends A«p» { int f() { return super.f(); } }\n",
        "",
    ),
    ("imports", "", "import a.b«i»;\n", ""),
    (
        "calls",
        "class A { void f() {\n",
        "Object r = c.responses().create(p);\n",
        "}}\n",
    ),
    (
        "calls2",
        "class A {\n",
        "void g«i»(OpenAIClient c) { c.responses().create(p); }\n",
        "}\n",
    ),
    ("headers", "", "void f(int x)\n", ""),
    ("classhead", "", "class A\n", ""),
    ("classnest", "", "class A {", ""),
    ("generic", "A", "<A", ""),
    ("anno", "", "@A(b=", ""),
    ("lambda", "class A { Object x = ", "a -> ", "1; }"),
    ("fields", "class A {\n", "Object a«i» = a«p»;\n", "}\n"),
    ("new", "", "new A() {", ""),
    ("cast", "class A { Object x = ", "(A) ", "1; }"),
];

const KOTLIN: &[Pattern] = &[
    ("funcs", "", "fun f«i»(x: Int): Int = f«n»(x)\n", ""),
    ("funcsback", "", "fun f«i»(x: Int): Int { return f«p»(f«p»(x)) }\n", ""),
    ("classes", "", "class A { fun f() { f() } }\n", ""),
    ("imports", "", "import a.b«i»\n", ""),
    ("calls", "fun f() {\n", "val r = c.responses().create(p)\n", "}\n"),
    (
        "calls2",
        "",
        "fun g«i»(c: OpenAIClient) { c.responses().create(p) }\n",
        "",
    ),
    ("headers", "", "fun f(x: Int)\n", ""),
    ("classhead", "", "class A\n", ""),
    ("lambda", "", "{ a -> ", ""),
    ("lambda2", "", "f { ", ""),
    ("when", "val x = when (a) {\n", "1 -> 2\n", "}\n"),
    ("elvis", "val x = a", " ?: b", ""),
    ("str", "", "\"${", ""),
    ("vals", "", "val v«i» = v«p»\n", ""),
    ("generic", "val x: A", "<A", ""),
];

const PHP: &[Pattern] = &[
    ("funcs", "<?php\n", "function f«i»($x) { return f«n»($x); }\n", ""),
    (
        "funcsback",
        "<?php\n",
        "function f«i»($x) { return f«p»(f«p»($x)); }\n",
        "",
    ),
    ("classes", "<?php\n", "class A { function f() { $this->f(); } }\n", ""),
    ("uses", "<?php\n", "use A\\B«i»;\n", ""),
    ("qualified", "<?php\n", "\\A\\B«i»::f();\n", ""),
    (
        "calls",
        "<?php function f($c) {\n",
        "$r = $c->chat()->create($p);\n",
        "}\n",
    ),
    (
        "calls2",
        "<?php\n",
        "function g«i»(OpenAI\\Client $c) { $c->chat()->create($p); }\n",
        "",
    ),
    (
        "curl",
        "<?php\n",
        "curl_setopt($ch, CURLOPT_URL, $u«i»); $r«i» = curl_exec($ch);\n",
        "",
    ),
    (
        "curlback",
        "<?php\n",
        "$ch«i» = curl_init($u«p»); $u«i» = curl_exec($ch«p»);\n",
        "",
    ),
    ("tags", "", "<p>a</p><?php f(); ?>\n", ""),
    ("opentags", "", "<?= ", ""),
    ("html", "", "<p>a", ""),
    ("concat", "<?php $x = 'a'", " . $b", ";"),
    ("coalesce", "<?php $x = $a", " ?? $b", ";"),
    ("closures", "<?php $x = ", "fn($a) => ", "1;"),
    ("str", "<?php $x = ", "\"{$", ""),
    ("heredoc", "<?php\n", "$x = <<<T\n", ""),
    ("vars", "<?php\n", "$v«i» = $v«p»;\n", ""),
    ("arrays", "<?php $x = ", "['a' => ", "1"),
    ("attributes", "<?php\n", "#[A(", ""),
];

const RUBY: &[Pattern] = &[
    ("funcs", "", "def f«i»(x)\n  f«n»(x)\nend\n", ""),
    ("funcsback", "", "def f«i»(x) = f«p»(f«p»(x))\n", ""),
    ("classes", "", "class A\n  def f = self.f\nend\n", ""),
    ("modules", "", "module A«i»\n", ""),
    ("constants", "", "x = A«i»::B«p»\n", ""),
    (
        "calls",
        "def f(c)\n",
        "r = c.chat.completions.create(model: m)\n",
        "end\n",
    ),
    ("words", "", "a«i» b«i» c«i»\n", ""),
    ("chain", "x = a", ".b(1)", "\n"),
    ("blocks", "", "a.map { |x| ", "x"),
    ("doblocks", "", "a.each do |x|\n", "x\n"),
    ("hashes", "x = ", "{ a: ", "1"),
    ("arrays", "x = ", "[", "1"),
    ("heredocs", "", "x = <<~T\n#{", ""),
    ("heredocline", "f(", "<<~A, ", ")\n"),
    ("heredocwhole", "", "x = <<~T\n  a #{b} c\nT\n", ""),
    ("str", "x = ", "\"#{", ""),
    ("percent", "", "%w[", ""),
    ("or", "x = a", " || b", "\n"),
    ("concat", "x = 'a'", " + b", "\n"),
    ("elsif", "if a\n", "elsif b\n", "end\n"),
    ("fields", "class A\n", "def f«i» = @f«p»\nattr_reader :f«i»\n", "end\n"),
    ("vars", "", "v«i» = v«p»\n", ""),
    ("lambdas", "x = ", "->(a) { ", "1"),
    ("rescue", "", "begin\n", "a\n"),
    ("regex", "", "x = /(", ""),
];

const CSHARP: &[Pattern] = &[
    ("methods", "class A {\n", "int F«i»(int x) { return F«n»(x); }\n", "}\n"),
    (
        "methodsback",
        "class A {\n",
        "int F«i»(int x) { return F«p»(F«p»(x)); }\n",
        "}\n",
    ),
    ("classes", "", "class A { int F() { return F(); } }\n", ""),
    ("usings", "", "using A.B«i»;\n", ""),
    (
        "calls",
        "class A { void F() {\n",
        "var r = c.CompleteChat(p);\n",
        "}}\n",
    ),
    (
        "calls2",
        "class A {\n",
        "void G«i»(ChatClient c) { c.CompleteChat(p); }\n",
        "}\n",
    ),
    ("headers", "", "void F(int x)\n", ""),
    ("classhead", "", "class A\n", ""),
    ("ns", "", "namespace A {", ""),
    ("generic", "A", "<A", ""),
    ("interp", "", "$\"{", ""),
    ("lambda", "class A { object x = ", "a => ", "1; }"),
    ("preproc", "", "#if A\n", ""),
    ("cast", "class A { object x = ", "(A) ", "1; }"),
    ("linq", "class A { object x = ", "from a in b select ", "1; }"),
    ("isis", "class A { bool x = a", " is A", "; }"),
];

const SHELL: &[Pattern] = &[
    ("funcs", "", "f«i»() { f«p» \"$1\"; }\n", ""),
    ("vars", "", "V«i»=\"$V«p»\"\n", ""),
    ("vars2", "", "V«i»=\"$V«p»$V«p»\"\n", ""),
    (
        "curls",
        "",
        "curl https://api.openai.com/v1/chat/completions -d \"{}\"\n",
        "",
    ),
    (
        "curlvar",
        "U=https://api.openai.com/v1/chat/completions\n",
        "curl $U -d \"{}\"\n",
        "",
    ),
    ("longcurl", "curl ", "-H \"a: b\" ", ""),
    ("case", "case x in\n", "a) b ;;\n", ""),
    ("caseopen", "", "case x in ", ""),
    ("ifthen", "", "if a; then ", ""),
    ("paramexp", "", "${a:-", ""),
    ("arith", "", "$((", ""),
    ("heredocs", "", "cat <<E«i»\n", ""),
    ("bquote", "", "`a", ""),
    ("brackets", "", "[[ a ", ""),
];
