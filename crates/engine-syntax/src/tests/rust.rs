//! What Rust sources become.

use engine_model::Language;

use super::check_in;

#[track_caller]
fn check(source: &str, expected: &str) {
    check_in(Language::Rust, source, expected);
}

#[test]
fn trees_of_use_are_flattened() {
    check(
        r"use std::fmt;
use async_openai::{Client, types::{CreateRequest as Req, Message}, config::*, self};
pub use crate::llm::{self, ask as query};
pub use other::*;
use serde;
extern crate foo as bar;
mod tools;
mod inner { use super::*; fn f() {} }
",
        r"
import std fmt=#fmt
import async_openai Client=#Client
import async_openai::types Req=#CreateRequest Message=#Message
import async_openai::config *
import async_openai async_openai=#
import crate::llm llm=# query=#ask
import other *
import serde serde=#
import foo bar=#
import self::tools tools=#
block
  import super *
  fn f()
export llm = crate::llm#
export query = crate::llm#ask
export * = other#*
",
    );
}

#[test]
fn impl_blocks_belong_to_their_type() {
    check(
        r#"#[derive(Debug, Clone)]
pub struct Agent<T> { #[serde(rename = "c")] client: Client<T>, pub name: Option<String> }
impl<T> Agent<T> {
    pub const MAX: usize = 3;
    pub async fn ask(&self, q: &str, mut n: Vec<u8>) -> Result<String, Error> { self.client.chat(q).await }
    fn new() -> Self { Self { client: make(), name: None } }
}
impl Display for Agent<u8> { fn fmt(&mut self, f: &mut Formatter<'_>) -> fmt::Result { Ok(()) } }
pub trait Model: Send + Base<u8> { fn run(self: Arc<Self>, x: impl Fn(u8) -> u8); fn def(&self) -> bool { true } }
enum Kind { A, B(u8), C { x: u8 } = 3 }
struct Pair(pub u8, &'static str);
type Alias = Box<dyn Model + Send>;
"#,
        r#"
@derive(Debug, Clone)
class Agent(Display)
  @serde(rename="c") .client: Client<T>
  .name: Option<String>
  .MAX: usize = 3
  async fn ask[self](q: str, n: Vec<u8>) -> Result<String, Error>
    await self.client.chat(q)
  fn new() -> Self
    new Self(client=make(), name=None)
  fn fmt[self](f: Formatter) -> fmt::Result
    Ok([])
interface Model(Send, Base<u8>)
  fn run[self](x: Fn<u8>)
  fn def[self]() -> bool
    true
class Kind()
  .A
  .B
  .C = 3
class Pair()
  .0: u8
  .1: str
class Alias(Box<Model>)
"#,
    );
}

#[test]
fn values_at_the_end_are_expressions() {
    check(
        r"fn f(x: Option<u8>) -> u8 {
    if x.is_none() { return 1; }
    match x {
        Some(n) if n > 3 => n,
        Some(0 | 1) => { log(); 2 }
        None => return 0,
        Other::B { a, b: Pair(c, _), .. } => g(a, c),
        k @ (1..=3) => k,
    }
}
fn g(a: bool) -> u8 { if a { 1 } else { let b = 2; b } }
fn h(a: bool) { let x = if a { p } else if b { q } else { r }; if a { s() } else { t() } }
",
        r"
fn f(x: Option<u8>) -> u8
  if x.is_none()
    return 1
  block{match x; arm; let n = x; test(n, 3); n; arm; log(); 2; arm; return 0; arm; let {a: a, b: c} = x; g(a, c); arm; let k = x; k}
fn g(a: bool) -> u8
  block{if a; 1; else; let b = 2; b}
fn h(a: bool)
  let x = block{if a; p; else; if b; q; else; r}
  choice(a ? s() | t())
",
    );
}

#[test]
fn bindings_take_values_apart() {
    check(
        r#"fn f() -> Result<()> {
    let (a, mut b): (u8, u8) = pair()?;
    let Some(client) = make() else { return Ok(()); };
    let Config { model, key: ref k, .. } = config;
    if let Some(x) = opt && let Ok(y) = res { use_(x, y); } else if let None = z { }
    while let Some(item) = stream.next().await { item?; }
    for (i, c) in list.iter().enumerate() { c.run(i); }
    a += 1; s += "x"; self.x = y; (p, q) = r; _ = t; *m = 1;
    Ok(())
}
"#,
        r#"
fn f() -> Result<()>
  let [a, b]: ()<u8, u8> = pair()?
  let client = make()
  if test()
    return Ok([])
  let {model: model, key: k} = config
  if test((x := opt), (y := res))
    use_(x, y)
  else
    if test(z)
  loop test((item := await stream.next()))
    item?
  loop [i, c] in list.iter().enumerate()
    c.run(i)
  a = other(a, 1)
  s = tpl(s, "x")
  self.x = y
  [p, q] = r
  _ = t
  m = 1
  Ok([])
"#,
    );
}

#[test]
fn formats_are_templates() {
    check(
        r##"fn f() {
    let a = format!("Hi {name}, {} of {1:?} {n:>4} {{x}}", first, second(q), n = 3);
    let b = format!("plain");
    println!("got {x} and {}", y);
    tracing::info!(target: "t", user = %id, "asked {question}");
    bail!("no {}", key);
    panic!("bad {e}");
    let v = vec![Message::user(q), system]; let w = vec![0; n];
    assert_eq!(a, b.len());
    let m = matches!(x, Some(_));
    let s = "a \
             b\n" .to_owned() + name + r#"a "raw" q"#;
    let n = format!(concat!("a", "b"), z);
}
"##,
        r#"
fn f()
  let a = tpl("Hi ", name, ", ", first, " of ", second(q), " ", 3, " {x}")
  let b = "plain"
  println!(tpl("got ", x, " and ", "{}"), y)
  tracing.info!(target, "t", other(user, id), tpl("asked ", question))
  raise bail!("no {}", key)
  raise panic!(tpl("bad ", e))
  let v = [Message.user(q), system]
  let w = [0]
  assert_eq!(a, b.len())
  let m = test(x)
  let s = tpl("a b\n".to_owned(), name, "a \"raw\" q")
  let n = tpl(concat!("a", "b"), z)
"#,
    );
}

#[test]
fn json_is_what_it_spells() {
    check(
        r#"fn f() {
    let body = json!({ "model": model, "messages": [{ "role": "user", "content": format!("Q: {q}") }], "n": 1 + 2, "x": null, (key): self.get(1)?, "neg": -1, "e": [] });
    let s = serde_json::json!("a");
}
"#,
        r#"
fn f()
  let body = {"model": model, "messages": [{"role": "user", "content": tpl("Q: ", q)}], "n": other(1, 2), "x": null, key: self.get(1)?, "neg": -1, "e": []}
  let s = "a"
"#,
    );
}

#[test]
fn other_macros_are_calls_with_an_exclamation_mark() {
    check(
        r#"lazy_static! { static ref CLIENT: Client = Client::new(); }
thread_local! { static N: u8 = 1; }
fn f() {
    tokio::select! { r = ask(q) => done(r), _ = stop() => {} }
    my::mac!(a => b; c);
    write!(out, "{x}")?;
    sqlx::query!("select 1", id).fetch(&db).await;
    outer!(inner!(deep!(x)));
    unit!();
}
macro_rules! m { ($x:expr) => { $x + 1 }; }
"#,
        r#"
let CLIENT: Client = Client.new()
let N: u8 = 1
fn f()
  tokio.select!(block{test((test((r := ask(q)), done(r)) := stop()), block{})})
  my.mac!(test(a, b), c)
  write!(out, tpl(x))?
  await sqlx.query!("select 1", id).fetch(db)
  outer!(inner!(deep!(x)))
  unit!()
"#,
    );
}

#[test]
fn expressions_keep_their_shape() {
    check(
        r#"const KEY: &str = "k";
static mut N: u8 = 1;
fn f() {
    let c = Client::<Http>::builder().key(env::var("K")?).timeout(5).build().await?;
    let r = CreateRequest { model: "m".into(), messages, ..Default::default() };
    let x = &mut a.b[0].1; let y = (v as f64) * -1.0; let z = !ok && a == b || c;
    let t = (1, 'c', ()); let arr = [0u8; 4]; let rng = 1..n;
    let p = Vec::<u8>::new(); let q = <T as Default>::default(); let w = parse::<u8>(s);
    let b = unsafe { go() }; let d = async move { ask().await }; let e = { let k = 1; k };
    let l = loop { break 5; };
}
"#,
        r#"
let KEY: str = "k"
let N: u8 = 1
fn f()
  let c = await Client.builder().key(env.var("K")?).timeout(5).build()?
  let r = new CreateRequest(model="m".into(), messages=messages, ...Default.default())
  let x = a.b[0].1
  let y = other((v as f64), -1.0)
  let z = test(test(ok), test(a, b), c)
  let t = [1, "c", []]
  let arr = [0u8]
  let rng = other(1, n)
  let p = Vec.new()
  let q = T.default()
  let w = parse(s)
  let b = block{go()}
  let d = block{await ask()}
  let e = block{let k = 1; k}
  let l = block{loop; 5}
"#,
    );
}

#[test]
fn closures_are_functions() {
    check(
        r"fn f() {
    xs.iter().map(|x| x.text).filter(|&(a, ref b)| a).for_each(|x: Item| { use_(x); });
    spawn(async move { run().await });
    let g = move |q| async move { ask(q).await };
    let h = || y = 1;
    let i = async |x| x;
}
",
        r"
fn f()
  xs.iter().map((fn (x) => {return x.text})).filter((fn ([a, b]) => {return a})).for_each((fn (x: Item) => {use_(x)}))
  spawn(block{await run()})
  let g = (async fn (q) => {await ask(q)})
  let h = (fn () => {y = 1})
  let i = (async fn (x) => {return x})
",
    );
}

#[test]
fn attributes_are_decorators() {
    check(
        r#"#![allow(dead_code)]
/// Docs.
#[tokio::main]
#[tool(description = "Adds", x(y = 1))]
pub(crate) async fn main(#[body] q: Json<Q>) -> impl IntoResponse {}
#[doc = "d"] #[cfg(test)]
mod tests { #[test] fn t() {} }
"#,
        r#"
@tokio.main @tool(description="Adds", x((y := 1))) async fn main(@body q: Json<Q>) -> IntoResponse
block
  @test @cfg_test fn t()
"#,
    );
}

#[test]
fn types_lose_references_and_lifetimes() {
    check(
        r"fn f<'a>(a: &'a mut dyn Model, b: Arc<Mutex<Vec<&str>>>, c: [u8; 4], d: fn(u8) -> u8, e: std::io::Result<()>, f: impl Iterator<Item = u8> + 'a, g: *const T, h: Box<dyn Fn(A) -> B + Send>) {}
",
        r"
fn f(a: Model, b: Arc<Mutex<Vec<str>>>, c: []<u8>, d: fn<u8>, e: std::io::Result<()>, f: Iterator<u8>, g: T, h: Box<Fn<B>>)
",
    );
}

#[test]
fn what_does_not_parse_is_left_out_and_the_rest_stays() {
    check(
        r#"fn f() { let a = g(; h("x"); }
fn k() { m() }
"#,
        r#"
fn f()
  let a = g
  h("x")
fn k()
  m()
"#,
    );
}
