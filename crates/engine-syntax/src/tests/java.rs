//! What Java sources become.

use engine_model::Language;

use super::check_in;

#[track_caller]
fn check(source: &str, expected: &str) {
    check_in(Language::Java, source, expected);
}

#[test]
fn imports_split_the_type_from_its_package() {
    check(
        r"package com.acme.chat;
import dev.langchain4j.model.chat.ChatModel;
import java.util.*;
import static java.util.List.of;
import static org.junit.Assert.*;
",
        r"
import dev.langchain4j.model.chat ChatModel=#ChatModel
import java.util *
import java.util.List of=#of
import org.junit.Assert *
",
    );
}

#[test]
fn classes_keep_fields_annotations_and_constructors() {
    check(
        r#"package p;
@RestController
@RequestMapping(value = "/api", produces = {"a", "b"})
public class Chat<T> extends Base<T> implements A, b.B {
    @Autowired private final ChatClient client = ChatClient.create(key());
    static int a = 1, b;
    private static final OpenAI AI;
    static { AI = new OpenAI(); }
    public Chat(ChatClient client) throws IOException { super(1); this.client = client; }
    @PostMapping("/chat")
    public Reply ask(@RequestBody final Question q, @RequestParam("x") String... more) throws A, b.C {
        return client.prompt().user(q.text()).call().content();
    }
    void quiet() {}
    class Inner { int z; }
}
"#,
        r#"
@RestController
@RequestMapping(value="/api", produces=["a", "b"])
class Chat(Base<T>, A, b.B)
  @Autowired .client: ChatClient = ChatClient.create(key())
  .a: int = 1
  .b: int
  .AI: OpenAI
  fn <clinit>()
    AI = new OpenAI()
  @throws(IOException) fn <init>(client: ChatClient)
    super(1)
    this.client = client
  @PostMapping("/chat") @throws(A, b.C) fn ask(@RequestBody q: Question, @RequestParam("x") ...more: String) -> Reply
    return client.prompt().user(q.text()).call().content()
  fn quiet()
class Inner()
  .z: int
"#,
    );
}

#[test]
fn interfaces_records_and_enumerations_are_classes() {
    check(
        r#"interface Assistant extends Base { @SystemMessage("You help") String chat(String message); int MAX = 3; default void x() { y(); } }
record Question(@NotNull String text, List<Message> history) implements Q { Question { check(text); } }
enum Level { HIGH("h", 1), LOW { void f() {} }, NONE; private final String s; Level(String s, int n) { this.s = s; } Level() {} }
@interface Marked { String value() default "x"; }
"#,
        r#"
interface Assistant(Base)
  .MAX: int = 3
  @SystemMessage("You help") fn chat(message: String) -> String
  fn x()
    y()
class Question(Q)
  @NotNull .text: String
  .history: List<Message>
  fn <init>()
    check(text)
class Level()
  .HIGH: Level = new Level("h", 1)
  .LOW: Level = new Level((class (Level); fn f()))
  .NONE: Level
  .s: String
  fn <init>(s: String, n: int)
    this.s = s
  fn <init>()
interface Marked()
  fn value() -> String
    return "x"
"#,
    );
}

#[test]
fn lambdas_and_references_are_functions_and_members() {
    check(
        r"class A { void f() {
  var xs = list.stream().map(x -> x.text()).filter(Objects::nonNull).toList();
  run((a, b) -> { use(a); return b; });
  make(String[]::new, () -> 1, (String s) -> s);
  Supplier<Foo> s = Foo::new;
} }
",
        r"
class A()
  fn f()
    let xs = list.stream().map((fn (x) => {return x.text()})).filter(Objects.nonNull).toList()
    run((fn (a, b) => {use(a); return b}))
    make(other().new, (fn () => {return 1}), (fn (s: String) => {return s}))
    let s: Supplier<Foo> = Foo.new
",
    );
}

#[test]
fn anonymous_classes_are_the_last_argument_of_their_construction() {
    check(
        r#"class A { Object f() {
  return new Handler<String>("x") { int n = 1; public void on(String s) { log(s); } };
} }
"#,
        r#"
class A()
  fn f() -> Object
    return new Handler("x", (class (Handler<String>); .n: int = 1; fn on(s: String); log(s)))
"#,
    );
}

#[test]
fn texts_are_resolved_and_joined() {
    check(
        "class A { String s = \"a\\tb\\u0041\" + name + 'c' + 1; String c = \"a\" + \"b\"; String t = \"\"\"\n      You are\n        \"kind\" \\\n      and brief.\n      \"\"\"; int n = 1 + 2; int m = i + 1 + j; String u = \"\"\"\n   x\"\"\"; String v = \"%s\".formatted(q); }",
        r#"
class A()
  .s: String = tpl("a\tbA", name, "c", 1)
  .c: String = "ab"
  .t: String = "You are\n  \"kind\" and brief.\n"
  .n: int = other(1, 2)
  .m: int = other(i, 1, j)
  .u: String = "x"
  .v: String = "%s".formatted(q)
"#,
    );
}

#[test]
fn resources_stand_in_a_block_within_the_try() {
    check(
        r#"class A { void f() {
  try (var a = open("x"); Reader r = b) { use(a); } catch (IOException | b.C e) { throw new X(e); } finally { done(); }
  try (client) { go(); }
  try { x(); } catch (final Exception e) { }
} }
"#,
        r#"
class A()
  fn f()
    try
      with open("x") as a, b as r
        use(a)
    catch IOException b.C as e
      raise new X(e)
    finally
      done()
    with client
      go()
    try
      x()
    catch Exception as e
"#,
    );
}

#[test]
fn switches_are_choices_between_branches() {
    check(
        r#"class A { int f() {
  switch (x) { case 1: case 2: one(); break; default: two(); }
  String r = switch (shape) {
    case Circle c when c.r() > 1 -> c.name();
    case Pair(A a, var b) -> { yield join(a, b); }
    case "x", "y" -> throw new E();
    default -> "none";
  };
  return r;
} }
"#,
        r#"
class A()
  fn f() -> int
    match x
      arm
      arm
        one()
      arm
        two()
    let r: String = block{match shape; arm; let c = (shape as Circle); test(c.r(), 1); c.name(); arm; let [a, b] = (shape as Pair); join(a, b); arm; raise new E(); arm; "none"}
    return r
"#,
    );
}

#[test]
fn loops_and_conditions_keep_their_order() {
    check(
        r#"class A { void f() {
  for (int i = 0, j = 1; i < n && j > 0; i++) a(i);
  for (i = 0; ; ) { break; }
  for (final Message m : messages) b(m);
  while (x = next()) { c(); }
  do d(); while (!done);
  if (a) b(); else if (c == null) { d(); } else e();
  synchronized (lock) { g(); }
  label: h();
  assert ok : "no";
} }
"#,
        r#"
class A()
  fn f()
    block
      let i: int = 0
      let j: int = 1
      loop test(test(i, n), test(j, 0))
        a(i)
        i
    block
      i = 0
      loop
    loop m in messages
      b(m)
    loop (x := next())
      c()
    loop test(done)
      d()
    if a
      b()
    else
      if test(c, null)
        d()
      else
        e()
    lock
    block
      g()
    h()
    test(ok, "no")
"#,
    );
}

#[test]
fn values_of_operators_are_choices_casts_and_tests() {
    check(
        r#"class A { void f() {
  Object v = ok ? a : b;
  v += "x";
  a.b = c[0] = (String) d;
  if (o instanceof Foo g && g.x() || o instanceof Bar) {}
  if (o instanceof Pair(A p, B q)) {}
  var t = Foo.class;
  int[] n = {1, 2}, k = new int[3];
  String[] w = new String[] {"a"};
  var neg = -1; var not = !x; var bits = a | b | c;
  var q = new a.b.Client.Builder<>().build();
  var gen = this.<T>make(x);
} }
"#,
        r#"
class A()
  fn f()
    let v: Object = choice(ok ? a | b)
    v = tpl(v, "x")
    a.b = (c[0] := (d as String))
    if test(test((g := (o as Foo))), g.x(), test(o))
    if test(([p, q] := (o as Pair)))
    let t = Foo.class
    let n: []<int> = [1, 2]
    let k: []<int> = []
    let w: []<String> = ["a"]
    let neg = -1
    let not = test(x)
    let bits = other(a, b, c)
    let q = new a.b.Client.Builder().build()
    let gen = this.make(x)
"#,
    );
}

#[test]
fn types_keep_their_arguments() {
    check(
        r"class A { Map<String, List<? extends Message>> m; @NonNull String s; int[][] x; a.b.C<D>.E e; ? y; Flux<ChatResponse> f(Optional<byte[]> o) { return null; } }
",
        r"
class A()
  .m: Map<String, List<Message>>
  @NonNull .s: String
  .x: []<int>
  .e: a.b.C
  fn f(o: Optional<[]<byte>>) -> Flux<ChatResponse>
    return null
y
",
    );
}

#[test]
fn a_class_that_does_not_parse_keeps_its_other_methods() {
    check(
        r"class A {
  void f() { a(b; }
  int g() { return h(1); }
  @Foo
}
",
        r"
class A()
  fn f()
    a(b)
  fn g() -> int
    return h(1)
Foo
",
    );
}
