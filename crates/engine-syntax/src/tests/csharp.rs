//! What C# sources become.

use engine_model::Language;

use super::check_in;

#[track_caller]
fn check(source: &str, expected: &str) {
    check_in(Language::CSharp, source, expected);
}

#[test]
fn using_directives_bring_namespaces_into_scope() {
    check(
        r"using System;
global using Azure.AI.OpenAI;
using static System.Math;
using Chat = OpenAI.Chat.ChatClient;
using Dict = System.Collections.Generic.Dictionary<string, int>;
namespace Acme.Chat;
class A { }
",
        r"
import System *
import Azure.AI.OpenAI *
import System.Math *
import OpenAI.Chat Chat=#ChatClient
import System.Collections.Generic Dict=#Dictionary
class A()
",
    );
}

#[test]
fn classes_keep_fields_properties_and_constructors() {
    check(
        r#"namespace Acme { namespace Inner {
[ApiController, Route("api/[controller]", Name = "x")]
public class ChatController : ControllerBase, IChat<string> {
    private readonly ILogger<ChatController>? _log = null;
    static int a = 1, b;
    public string Name { get; set; } = "n";
    public int Size => items.Count;
    public string Text { get { return _t; } set => _t = value; }
    static ChatController() { a = 2; }
    public ChatController(ILogger<ChatController> log) : base(log) { _log = log; }
    [HttpPost("ask")]
    public async Task<IActionResult> Ask([FromBody] Question q, int n = 3, params string[] more) {
        return Ok(await client.CompleteChatAsync(q.Text));
    }
    public void Quiet() => Log("x");
    int this[int i] => items[i];
    class Nested { }
} } }
"#,
        r#"
@ApiController
@Route("api/[controller]", Name="x")
class ChatController(ControllerBase, IChat<string>)
  ._log: ILogger<ChatController> = null
  .a: int = 1
  .b: int
  .Name: string = "n"
  .Size: int
  .Text: string
  fn get_Size() -> int
    return items.Count
  fn get_Text() -> string
    return _t
  fn set_Text(value: string)
    _t = value
  fn <clinit>()
    a = 2
  fn <init>(log: ILogger<ChatController>)
    base(log)
    _log = log
  @HttpPost("ask") async fn Ask(@FromBody q: Question, n: int = 3, ...more: []<string>) -> Task<IActionResult>
    return Ok(await client.CompleteChatAsync(q.Text))
  fn Quiet()
    return Log("x")
  fn get_Item(i: int) -> int
    return items[i]
class Nested()
"#,
    );
}

#[test]
fn primary_constructors_give_fields() {
    check(
        r#"public record Point(int X, [property: Key] string Y = "a") : Base(X), IShape;
class Service(IChatClient client, ILogger log) : Base(log) { Task F() => client.Go(); }
record struct P(int A);
interface IThing { string Get(int id); int N { get; } }
enum Level { Low = 1, High }
struct S { public int X; }
delegate string Maker(int n);
"#,
        r#"
class Point(Base, IShape)
  .X: int
  @Key .Y: string = "a"
  fn <init>(X: int, @Key Y: string = "a")
    base(X)
class Service(Base)
  .client: IChatClient
  .log: ILogger
  fn <init>(client: IChatClient, log: ILogger)
    base(log)
  fn F() -> Task
    return client.Go()
class P()
  .A: int
interface IThing()
  .N: int
  fn Get(id: int) -> string
class Level()
  .Low = 1
  .High
class S()
  .X: int
interface Maker()
  fn Invoke(n: int) -> string
"#,
    );
}

#[test]
fn top_level_statements_are_the_body() {
    check(
        r#"using OpenAI.Chat;
var builder = WebApplication.CreateBuilder(args);
ChatClient client = new("gpt-4o", Environment.GetEnvironmentVariable("KEY"));
app.MapPost("/chat", async (Question q, [FromServices] IChat c) => await c.Ask(q));
app.Run();
string Local(int x) => x.ToString();
"#,
        r#"
import OpenAI.Chat *
let builder = WebApplication.CreateBuilder(args)
let client: ChatClient = new new("gpt-4o", Environment.GetEnvironmentVariable("KEY"))
app.MapPost("/chat", (async fn (q: Question, @FromServices c: IChat) => {return await c.Ask(q)}))
app.Run()
fn Local(x: int) -> string
  return x.ToString()
"#,
    );
}

#[test]
fn initialisers_are_named_arguments_lists_or_maps() {
    check(
        r#"var o = new ChatOptions { Model = "m", Temperature = 0.1f };
var l = new List<ChatMessage> { new SystemChatMessage("s"), user };
var d = new Dictionary<string, object> { ["a"] = x, ["b"] = 1 };
var e = new Dictionary<string, int> { { "a", 1 }, { "b", 2 } };
var n = new { Name = q, p.Size, z };
Options t = new() { A = 1 };
var a = new[] { 1, 2 }; int[] b = { 3 }; var c = new string[2] { "x", "y" };
List<int> f = [1, .. rest, 2];
var r = point with { X = 1 };
var g = new Client(key) { new Item() };
var u = new A.B.Client<T>(options: opts, x);
"#,
        r#"
let o = new ChatOptions(Model="m", Temperature=0.1f)
let l = [new SystemChatMessage("s"), user]
let d = {"a": x, "b": 1}
let e = {"a": 1, "b": 2}
let n = {"Name": q, "Size": p.Size, "z": z}
let t: Options = new new(A=1)
let a = [1, 2]
let b: []<int> = [3]
let c = ["x", "y"]
let f: List<int> = [1, rest, 2]
let r = new point.with(X=1)
let g = new Client(key, [new Item()])
let u = new A.B.Client(options=opts, x)
"#,
    );
}

#[test]
fn texts_are_resolved_and_interpolated() {
    check(
        "var a = \"x\\n\\u0041\" + name + \"y\";\nvar b = $\"Hi {name,5:N2} {{ok}} {user.Name}\";\nvar c = @\"c:\\dir \"\"q\"\"\";\nvar d = \"\"\"\n    You are\n      kind\n    \"\"\";\nvar e = $@\"a\\{x}\"\"b\";\nvar f = $$\"\"\"\n  {{x}} raw\n  \"\"\";\nvar g = 'c';\nvar h = \"a\" + \"b\";\nvar i = $\"plain\";\nvar j = \"u8\"u8;\n",
        r#"
let a = tpl("x\nA", name, "y")
let b = tpl("Hi ", name, " {ok} ", user.Name)
let c = "c:\\dir \"q\""
let d = "You are\n  kind"
let e = tpl("a\\", x, "\"b")
let f = tpl("\n  ", x, " raw\n  ")
let g = "c"
let h = "ab"
let i = "plain"
let j = "u8"
"#,
    );
}

#[test]
fn operators_are_choices_tests_and_casts() {
    check(
        r#"var a = x ?? y ?? "z";
a ??= b;
var c = ok ? p : q;
var d = o?.Inner?.Call(1)?[0];
var e = (string)o; var f = o as Client; var g = o!;
if (o is Client cl && cl.Ok || o is not null) { }
if (o is { Name: var nm, Age: > 3 }) { }
var t = typeof(Chat.Client); var z = default(int); var neg = -1; var no = !x;
button.Click += OnClick; total += 2; s += "x";
(m, n) = f(); var (k, l) = g(); (int i, var j) = h();
obj.Prop["k"] = this;
var y = items[^1]; Get(out var result, ref x, name: this);
Foo<Bar>(1); svc.Get<IChat>();
"#,
        r#"
let a = choice(x | y | "z")
a = choice(a | b)
let c = choice(ok ? p | q)
let d = o.Inner.Call(1)[0]
let e = (o as string)
let f = (o as Client)
let g = o
if test(test((cl := (o as Client))), cl.Ok, test(o))
if test(({Name: nm} := o))
let t = typeof(Chat.Client)
let z = null
let neg = -1
let no = test(x)
button.Click = tpl(button.Click, OnClick)
total = other(total, 2)
s = tpl(s, "x")
[m, n] = f()
let [k, l] = g()
[i, j] = h()
obj.Prop["k"] = this
let y = items[1]
Get(result, x, name=this)
Foo(1)
svc.Get()
"#,
    );
}

#[test]
fn statements_of_control_keep_their_order() {
    check(
        r#"void F() {
  for (int i = 0, k = 1; i < n; i++) a(i);
  foreach (var m in messages) b(m);
  await foreach (var (x, y) in pairs) c(x);
  while (go) d(); do e(); while (!done);
  if (a) b(); else if (c == null) { d(); } else e();
  lock (gate) { g(); }
  yield return 1;
  throw new X("m");
}
"#,
        r#"
fn F()
  block
    let i: int = 0
    let k: int = 1
    loop test(i, n)
      a(i)
      i
  loop m in messages
    b(m)
  loop [x, y] in pairs
    c(x)
  loop go
    d()
  loop test(done)
    e()
  if a
    b()
  else
    if test(c, null)
      d()
    else
      e()
  gate
  block
    g()
  1
  raise new X("m")
"#,
    );
}

#[test]
fn resources_and_failures_are_blocks() {
    check(
        r"async Task F() {
  using var c = new Client();
  await using (var s = Open()) { use(s); }
  using (x) y();
  try { a(); } catch (HttpException e) when (e.Code == 4) { b(e); } catch (A.B) { throw; } catch { } finally { d(); }
}
",
        r"
async fn F() -> Task
  with new Client() as c
  with Open() as s
    use(s)
  with x
    y()
  try
    a()
  catch HttpException as e
    test(e.Code, 4)
    b(e)
  catch A.B
    raise
  catch
  finally
    d()
",
    );
}

#[test]
fn switches_are_choices_between_branches() {
    check(
        r#"string F(object o) {
  switch (o) {
    case Foo f when f.Ok: one(f); break;
    case "a": case 1: two(); break;
    default: three(); break;
  }
  return o switch { Foo { X: var x } => x, int n when n > 1 => Name(n), null => throw new E(), _ => "d" };
}
"#,
        r#"
fn F(o: object) -> string
  match o
    arm
      let f = (o as Foo)
      f.Ok
      one(f)
    arm
    arm
      two()
    arm
      three()
  return block{match o; arm; let {X: x} = (o as Foo); x; arm; let n = (o as int); test(n, 1); Name(n); arm; raise new E(); arm; "d"}
"#,
    );
}

#[test]
fn lambdas_and_queries_are_functions_and_comprehensions() {
    check(
        r"var a = xs.Select(x => x.Text).Where((y, i) => { return y; });
Func<int, Task> b = async x => await f(x);
var c = delegate (int n) { return n; };
var q = from m in messages where m.Ok let t = m.Text join z in zs on m.Id equals z.Id orderby t select new { t, z };
var d = static () => throw new E();
",
        r#"
let a = xs.Select((fn (x) => {return x.Text})).Where((fn (y, i) => {return y}))
let b: Func<int, Task> = (async fn (x) => {return await f(x)})
let c = (fn (n: int) => {return n})
let q = each(m in messages; _ in m.Ok; t in [m.Text]; z in zs; {"t": t, "z": z})
let d = (fn () => {raise new E()})
"#,
    );
}

#[test]
fn a_file_that_does_not_parse_keeps_what_is_understood() {
    check(
        r"class A {
  void F() { a(b; }
#if DEBUG
  int G() { return h(1); }
#else
  int K() { return 2; }
#endif
  @@
}
",
        r"
class A()
  fn F()
    a
    b
  fn G() -> int
    return h(1)
  fn K() -> int
    return 2
",
    );
}

#[test]
fn a_container_that_is_asked_for_a_type_hands_it_out() {
    check(
        r"class A {
    void Run() {
        var chat = services.GetRequiredService<IChat>();
        var other = services?.GetService<Other>();
        var all = items.OfType<IChat>();
    }
}
",
        r"
class A()
  fn Run()
    let chat = (services.GetRequiredService() as IChat)
    let other = (services.GetService() as Other)
    let all = items.OfType()
",
    );
}

#[test]
fn what_a_condition_never_lets_be_compiled_is_no_code() {
    check(
        r"class A {
    void Run() {
#if false
        a();
#elif DEBUG
        b();
#else
        c();
#endif
    }
#if true
    void On() { d(); }
#else
    void Off() { e(); }
#endif
#if false
    void Old() { f(); }
#endif
}
",
        r"
class A()
  fn Run()
    b()
    c()
  fn On()
    d()
",
    );
}
