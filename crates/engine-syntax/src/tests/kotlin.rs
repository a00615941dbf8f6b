//! What Kotlin sources become.

use engine_model::Language;

use super::check_in;

#[track_caller]
fn check(source: &str, expected: &str) {
    check_in(Language::Kotlin, source, expected);
}

#[test]
fn imports_split_the_name_from_its_package() {
    check(
        r#"@file:JvmName("X")
package com.acme
import dev.langchain4j.model.chat.ChatModel
import com.aallam.openai.client.OpenAI as Ai
import kotlinx.coroutines.*
"#,
        r"
import dev.langchain4j.model.chat ChatModel=#ChatModel
import com.aallam.openai.client Ai=#OpenAI
import kotlinx.coroutines *
",
    );
}

#[test]
fn classes_keep_constructor_parameters_and_companions() {
    check(
        r#"@Service("chat")
data class Chat(private val client: OpenAI, @Value("k") var key: String? = null, n: Int) : Base(client, 1), Tool<String> {
    val name: String = "n"
    lateinit var other: Foo
    val size get() = items.size
    var text: String = ""
        set(value) { field = value }
    init { setup() }
    constructor(x: Int) : this(make(x)) { log() }
    companion object { const val MAX = 3; fun create() = Chat() }
    @Tool suspend fun ask(@P("q") q: String, vararg more: String, n: Int = 2): Reply? { return client.chat(q) }
    private fun quiet() {}
    class Nested(val z: Int)
}
"#,
        r#"
@Service("chat")
class Chat(Base, Tool<String>)
  .client: OpenAI
  @Value("k") .key: String = null
  .n: Int
  .name: String = "n"
  .other: Foo
  .size
  .text: String = ""
  .MAX = 3
  fn <init>(client: OpenAI, key: String = null, n: Int)
    super(client, 1)
  fn get_size()
    return items.size
  fn set_text(value)
    field = value
  fn <init>()
    setup()
  fn <init>(x: Int)
    this(make(x))
    log()
  fn create()
    return Chat()
  @Tool async fn ask(@P("q") q: String, ...more: String, n: Int = 2) -> Reply
    return client.chat(q)
  fn quiet()
class Nested()
  .z: Int
"#,
    );
}

#[test]
fn objects_interfaces_and_enumerations_are_classes() {
    check(
        r#"interface Model : Base {
    fun run(x: Int): String
    val n: Int
}
object Single {
    val client by lazy { OpenAI(key) }
}
enum class Level(val s: String) {
    HIGH("h"), LOW("l");
    fun f() = s
}
typealias Handler = (String) -> Unit
sealed class S
val o = object : Listener(1) {
    override fun on() { go() }
}
"#,
        r#"
interface Model(Base)
  .n: Int
  fn run(x: Int) -> String
class Single()
  .client = lazy((fn () => {return OpenAI(key)}))
class Level()
  .s: String
  .HIGH: Level = new Level("h")
  .LOW: Level = new Level("l")
  fn f()
    return s
class Handler(fn<Unit>)
class S()
let o = (class (Listener); fn <init>(); super(1); fn on(); go())
"#,
    );
}

#[test]
fn functions_stand_at_the_top_and_extend() {
    check(
        r#"fun main() = runBlocking { ask("x") }
fun String.shout(n: Int): String = this + n
suspend fun <T> List<T>.each(f: (T) -> Unit) { for (x in this) f(x) }
val String.last: Char get() = this[0]
private val KEY: String = System.getenv("KEY") ?: error("none")
"#,
        r#"
fn main()
  return runBlocking((fn () => {return ask("x")}))
fn shout[this](n: Int) -> String
  return tpl(this, n)
async fn each[this](f: fn<Unit>)
  loop x in this
    f(x)
let last: Char
fn get_last()
  return this[0]
let KEY: String = choice(System.getenv("KEY") | error("none"))
"#,
    );
}

#[test]
fn texts_are_resolved_and_interpolated() {
    check(
        "val a = \"Hi $name, ${user.name}!\\n\\u0041\" + x + \"y\"\nval b = \"plain\"\nval c = \"\"\"\n  Raw $q\n\"\"\".trimIndent()\nval d = 'c'\nval e = \"a\" + \"b\"\nval f = \"\\$5\"\nval g = \"\"\n",
        r#"
let a = tpl("Hi ", name, ", ", user.name, "!\nA", x, "y")
let b = "plain"
let c = tpl("\n  Raw ", q, "\n").trimIndent()
let d = "c"
let e = "ab"
let f = "$5"
let g = ""
"#,
    );
}

#[test]
fn lambdas_are_last_arguments_and_return_their_last_value() {
    check(
        r#"fun f() {
    xs.map { it.text }.filter { x -> x.ok }.forEach { (a, b) -> use(a); b }
    client.chat(model = "m", *rest) { user(q); if (a) b else c }
    val g = fun(x: Int): Int { return x }
    with(config) { go() }
    run(::handler, Foo::bar, Foo::class)
    launch(Dispatchers.IO) { try { a() } catch (e: Exception) { b() } }
}
"#,
        r#"
fn f()
  xs.map((fn (it) => {return it.text})).filter((fn (x) => {return x.ok})).forEach((fn ([a, b]) => {use(a); return b}))
  client.chat(model="m", ...rest, (fn () => {user(q); return block{if a; b; else; c}}))
  let g = (fn (x: Int) -> Int => {return x})
  with(config, (fn () => {return go()}))
  run(handler, Foo.bar, Foo.class)
  launch(Dispatchers.IO, (fn () => {return block{try; a(); catch Exception as e; b()}}))
"#,
    );
}

#[test]
fn branches_for_their_value_are_choices_or_blocks() {
    check(
        r#"fun f(x: Any): String {
    val a = if (ok) p else q
    val b = if (ok) { log(); p } else if (c) q else r
    val c = when (x) { is Foo -> x.name; 1, "a" -> one(); in 1..3 -> { two() }; else -> throw E() }
    val d = try { g() } catch (e: IOException) { null } finally { h() }
    when (val y = g()) { null -> return "n" }
    when { a > 1 -> p(); else -> {} }
    if (a == null) return "x" else if (b) { go() } else stop()
    return when (x) { else -> "z" }
}
"#,
        r#"
fn f(x: Any) -> String
  let a = choice(ok ? p | q)
  let b = block{if ok; log(); p; else; if c; q; else; r}
  let c = block{match x; arm; x.name; arm; one(); arm; other(other(1, 3)); two(); arm; raise E()}
  let d = block{try; g(); catch IOException as e; null; finally; h()}
  let y = g()
  match y
    arm
      return "n"
  match
    arm
      test(a, 1)
      p()
    arm
  if test(a, null)
    return "x"
  else
    if b
      go()
    else
      stop()
  return block{match x; arm; "z"}
"#,
    );
}

#[test]
fn loops_and_failures_keep_their_order() {
    check(
        r"fun f() {
    for ((k, v) in map) a(k)
    for (m: Message in list) { b(m) }
    while (x != null) { c() }
    do { d() } while (go)
    try { e() } catch (e: A) { throw X(e) } catch (t: b.B) { } finally { g() }
    outer@ for (i in 0..n) { g() }
}
",
        r"
fn f()
  loop [k, v] in map
    a(k)
  loop m in list
    b(m)
  loop test(x, null)
    c()
  loop go
    d()
  try
    e()
  catch A as e
    raise X(e)
  catch b.B as t
  finally
    g()
  loop i in other(0, n)
    g()
",
    );
}

#[test]
fn operators_are_choices_tests_and_casts() {
    check(
        r#"fun f() {
    val a = x ?: y ?: "z"
    val b = o?.inner?.call(1)!!.last[0, 1]
    val c = o as Client; val d = o as? Client
    val e = o is Client && !ok || n in list
    val m = mapOf("a" to b, "c" to 1)
    val n = 1 + 2 * k; val neg = -1; val r = 0..n
    s += "x"; i += 1; this.x = y; a["k"] = null; i++
    val (p, q) = pair
    val t: List<Map<String, Foo?>> = listOf(true)
}
"#,
        r#"
fn f()
  let a = choice(x | y | "z")
  let b = o.inner.call(1).last[[0, 1]]
  let c = (o as Client)
  let d = (o as Client)
  let e = test(test(o), test(ok), test(n, list))
  let m = mapOf("a".to(b), "c".to(1))
  let n = other(1, other(2, k))
  let neg = -1
  let r = other(0, n)
  s = tpl(s, "x")
  i = other(i, 1)
  this.x = y
  a["k"] = null
  i
  let [p, q] = pair
  let t: List<Map<String, Foo>> = listOf(true)
"#,
    );
}

#[test]
fn delegates_are_values() {
    check(
        r"class A { private val client: OpenAI by lazy { OpenAI(token = key) }
  var n by Delegates.observable(1) { _, _, new -> log(new) } }
",
        r"
class A()
  .client: OpenAI = lazy((fn () => {return OpenAI(token=key)}))
  .n = Delegates.observable(1, (fn (_, _, new) => {return log(new)}))
",
    );
}

#[test]
fn annotations_are_decorators() {
    check(
        r#"@RestController @RequestMapping(path = ["/a"]) class C(@field:Inject val x: X) {
  @PostMapping("/chat") fun chat(@RequestBody body: Q): Flux<String> = client.stream(body)
}
"#,
        r#"
@RestController
@RequestMapping(path=["/a"])
class C()
  @Inject .x: X
  @PostMapping("/chat") fn chat(@RequestBody body: Q) -> Flux<String>
    return client.stream(body)
"#,
    );
}

#[test]
fn what_does_not_parse_is_left_out_and_the_rest_stays() {
    check(
        r"class A {
  fun f() { a(b; }
  fun g(): Int { return h(1) }
}
",
        r"
class A()
  fn f()
    a
    b
  fn g() -> Int
    return h(1)
",
    );
}
