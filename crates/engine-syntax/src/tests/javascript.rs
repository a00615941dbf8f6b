//! What sources of the JavaScript family become.

use engine_model::Language;

use super::check_in;

#[test]
fn imports_bind_defaults_names_and_namespaces() {
    check_in(
        Language::Tsx,
        r#"import OpenAI from "openai";
import { a, b as c, default as d, type T } from './lib/llm';
import * as ns from "ns";
import def, { x } from "both";
import "side-effect";
import type { K } from "types";
import type D from "types2";
import fs = require("fs");
import Alias = ns.inner.Thing;
"#,
        r"
import openai OpenAI=#default
import ./lib/llm a=#a c=#b d=#default type T=#T
import ns ns=#
import both def=#default x=#x
import side-effect
import types type K=#K (types)
import types2 type D=#default (types)
import fs fs=#
let Alias = ns.inner.Thing
",
    );
}

#[test]
fn required_modules_are_imports_too() {
    check_in(
        Language::JavaScript,
        r#"const OpenAI = require("openai");
const { a, b: c, ...rest } = require("./lib");
const d = require("x").default;
const e = await import("y");
const { f } = await import("z");
require("side");
import("lazy").then(m => m.run());
const g = require(name);
try { const h = require("maybe"); } catch {}
"#,
        r#"
let OpenAI = import("openai")
let {a: a, b: c, ...: rest} = import("./lib")
let d = import("x").default
let e = await import("y")
let {f: f} = await import("z")
import("side")
import("lazy").then((fn (m) => {return m.run()}))
let g = require(name)
try
  let h = import("maybe")
catch
import openai OpenAI=#
import ./lib a=#a c=#b rest=#
import x d=#default
import y e=#
import z f=#f
import maybe h=# (optional)
"#,
    );
}

#[test]
fn exports_name_what_they_hand_out() {
    check_in(
        Language::Tsx,
        r#"export const a = 1, { b, c: [d] } = x;
export function f() {}
export class K {}
export default async function g() {}
export { h, i as j };
export { k, l as m } from "./other";
export * from "./all";
export * as ns from "./ns";
export type { T } from "./t";
export interface I { x: string }
const h = () => 1;
"#,
        r"
let a = 1
let {b: b, c: [d]} = x
fn f()
class K()
async fn g()
import ./other
import ./all
import ./ns
import ./t (types)
interface I()
  .x: string
let h = (fn () => {return 1})
export a = a
export b = b
export d = d
export f = f
export K = K
export default = g
export h = h
export j = i
export k = ./other#k
export m = ./other#l
export * = ./all#*
export ns = ./ns#
export T = ./t#T
export I = I
",
    );
}

#[test]
fn a_default_export_may_be_an_expression() {
    check_in(
        Language::Tsx,
        r"export default defineConfig({ a });
",
        r#"
defineConfig({"a": a})
export default = defineConfig({"a": a})
"#,
    );
}

#[test]
fn a_default_export_may_be_a_name() {
    check_in(
        Language::Tsx,
        r"const x = 1;
export default x;
export = y;
",
        r"
let x = 1
export default = x
export default = y
",
    );
}

#[test]
fn common_js_exports_are_exports() {
    check_in(
        Language::JavaScript,
        r"module.exports = { a, b: () => 1, c() {} };
exports.d = e;
module.exports.f = function () {};
exports.g = exports.h = i;
",
        r#"
module.exports = {"a": a, "b": (fn () => {return 1}), "c": (fn c() => {})}
exports.d = e
module.exports.f = (fn () => {})
exports.g = i
exports.h = i
export default = {"a": a, "b": (fn () => {return 1}), "c": (fn c() => {})}
export a = a
export b = (fn () => {return 1})
export c = (fn c() => {})
export d = e
export f = (fn () => {})
export g = i
export h = i
"#,
    );
}

#[test]
fn functions_arrows_and_parameters() {
    check_in(
        Language::JavaScript,
        r#"async function f(a, b = 1, { c, d: e = "x", ...r }, ...rest) { return a; }
const g = async x => await x;
const h = ({ model = "gpt-4o" } = {}) => ({ model });
function* gen() { yield x; }
const k = function named() {};
(() => { run(); })();
"#,
        r#"
async fn f(a, b = 1, {c: c, d: e, ...: r}, ...rest)
  e = choice(e | "x")
  return a
let g = (async fn (x) => {return await x})
let h = (fn ({model: model} = {}) => {model = choice(model | "gpt-4o"); return {"model": model}})
fn gen()
  other(x)
let k = (fn named() => {})
(fn () => {run()})()
"#,
    );
}

#[test]
fn typed_parameters_and_results() {
    check_in(
        Language::Tsx,
        r#"export async function f(this: Window, a: string, b?: OpenAI | null, c: Promise<Array<A | B>> = x, ...d: number[]): Promise<void> {}
const g = (x: typeof y, z: Foo["bar"]): x is string => true;
declare function h(a: string): void;
function o(a: string): void;
function o(a: any) { return a; }
"#,
        r"
async fn f(a: string, b: OpenAI, c: Promise<Array<|<A, B>>> = x, ...d: Array<number>) -> Promise<void>
let g = (fn (x: y, z: Foo) ->  => {return true})
fn o(a: any)
  return a
export f = f
",
    );
}

#[test]
fn classes_have_fields_methods_and_parameter_properties() {
    check_in(
        Language::Tsx,
        r#"@Injectable()
export class A extends Base<T> implements I, J {
  @Input() private client: OpenAI = new OpenAI({ apiKey: k });
  static x = 1;
  #secret = 2;
  constructor(private readonly db: Db, @Inject(X) public cfg, plain: string) { super(); this.y = plain; }
  @Get("/x")
  async run(@Body() q: Q): Promise<R> { return this.client.go(q); }
  private hid() {}
  #p() {}
  get v() { return 1; }
  set v(n) {}
  static { init(); }
  handler = async () => { go(); };
  abstract todo(): void;
}
"#,
        r#"
@Injectable()
class A(Base<T>, I, J)
  @Input() .client: OpenAI = new OpenAI({"apiKey": k})
  .x = 1
  .#secret = 2
  .db: Db
  .cfg
  .handler = (async fn () => {go()})
  fn constructor(db: Db, @Inject(X) cfg, plain: string)
    this.db = db
    this.cfg = cfg
    super()
    this.y = plain
  @Get("/x") async fn run(@Body() q: Q) -> Promise<R>
    return this.client.go(q)
  fn hid()
  fn #p()
  @get fn v()
    return 1
  fn v(n)
  fn static()
    init()
export A = A
"#,
    );
}

#[test]
fn javascript_classes_lower_alike() {
    check_in(
        Language::JavaScript,
        r#"class A extends mixin(B) { x = 1; static #y = 2; async m() { return this.x; } ["computed"]() {} static { s(); } }
const B = class extends A {};
"#,
        r"
class A(mixin)
  .x = 1
  .#y = 2
  async fn m()
    return this.x
  fn computed()
  fn static()
    s()
let B = (class (A))
",
    );
}

#[test]
fn interfaces_aliases_and_enums_are_described() {
    check_in(
        Language::Tsx,
        r#"interface I extends J<K>, L { a: string; b?: OpenAI[]; m(x: string): void; }
type T = { a: A; f: (x: B) => C };
type U = A | B | null;
enum E { A, B = "b" }
declare class D { x: string; }
declare const env: Env;
declare module "m" { export function f(): void; }
namespace N { export const x = f(); }
"#,
        r#"
interface I(J<K>, L)
  .a: string
  .b: Array<OpenAI>
interface T()
  .a: A
  .f: =><C>
interface U(|<A, B>)
class E()
  .A
  .B = "b"
interface D()
  .x: string
let env: Env
block
block
  let x = f()
"#,
    );
}

#[test]
fn object_literals_keep_their_keys() {
    check_in(
        Language::JavaScript,
        r#"const o = { a: 1, "b-c": 2, [k]: 3, d, ...rest, async m() { return 1; }, get g() { return 2; }, 5: f };
"#,
        r#"
let o = {"a": 1, "b-c": 2, k: 3, "d": d, ...rest, "m": (async fn m() => {return 1}), "g": (fn g() => {return 2}), 5: f}
"#,
    );
}

#[test]
fn templates_and_concatenation() {
    check_in(
        Language::JavaScript,
        r#"const a = `Hello ${name}, ${f(`in ${x}`)}\n!`;
const b = `plain`;
const c = "a" + b + 'c';
const d = "a" + "b\u{41}\x42\'";
const e = 1 + x;
s += "more";
const t = sql`select ${id}`;
"#,
        r#"
let a = tpl("Hello ", name, ", ", f(tpl("in ", x)), "\n!")
let b = "plain"
let c = tpl("a", b, "c")
let d = "abAB'"
let e = other(1, x)
s = tpl(s, "more")
let t = sql(tpl("select ", id))
"#,
    );
}

#[test]
fn chains_and_optional_chains() {
    check_in(
        Language::JavaScript,
        r#"const a = client?.chat?.completions.create({ model: "m" }).then(r => r.choices?.[0]?.message).catch(console.error);
const b = new (foo.Bar)(x, ...y).z;
const c = (await fetch(u)).json();
delete a.b; i++; typeof x;
"#,
        r#"
let a = client.chat.completions.create({"model": "m"}).then((fn (r) => {return r.choices[0].message})).catch(console.error)
let b = new foo.Bar(x, ...y).z
let c = await fetch(u).json()
other(a.b)
other(i)
other(x)
"#,
    );
}

#[test]
fn choices_and_tests() {
    check_in(
        Language::JavaScript,
        r"const a = x ?? y || z;
const b = x && y;
const c = p === q ? r : s ? t : u;
const d = !x;
const e = x && y > 1;
if (a && b || c) {}
k ??= v;
",
        r"
let a = choice(x | choice(y | z))
let b = choice(x ? y)
let c = choice(test(p, q) ? r | choice(s ? t | u))
let d = test(x)
let e = test(x, test(y, 1))
if test(choice(a ? b), c)
k = choice(k | v)
",
    );
}

#[test]
fn casts_and_non_null() {
    check_in(
        Language::Tsx,
        r"const a = x as unknown as OpenAI;
const c = z!.w satisfies T;
const d = [] as const;
",
        r"
let a = ((x as unknown) as OpenAI)
let c = z.w
let d = []
",
    );
}

#[test]
fn casts_in_plain_typescript() {
    check_in(
        Language::TypeScript,
        r"const b = <Foo<Bar>>y;
",
        r"
let b = (y as Foo<Bar>)
",
    );
}

#[test]
fn jsx_becomes_elements() {
    check_in(
        Language::Tsx,
        r#"const v = <Page title="A &amp; B" n={x} open {...props}>
  <h1>Hello, {name}
    there</h1>
  {/* note */}
  {list.map(i => <Item key={i.id} />)}
  {cond && <p>AI</p>}
  <><ui.Card /></>
</Page>;
"#,
        r#"
let v = <Page title="A & B" n=x open=true ...=props>[<h1>["Hello,", name, "there"], list.map((fn (i) => {return <Item key=i.id>[]})), choice(cond ? <p>["AI"]), <>[<ui.Card>[]]]
"#,
    );
}

#[test]
fn control_flow_keeps_its_branches() {
    check_in(
        Language::JavaScript,
        r#"if (a) b(); else if (c) { d(); } else e();
for (let i = 0; i < n; i++) f(i);
for (const [k, { v = 1 }] of Object.entries(o)) g(k, v);
for (key in o) h(key);
for await (const chunk of stream) process(chunk);
while (x) { y(); }
do { z(); } while (w);
outer: for (;;) { break outer; }
switch (k) { case "a": one(); break; case f(): default: two(); }
a(), b = c, d();
const s = (a(), b);
"#,
        r"
if a
  b()
else
  if c
    d()
  else
    e()
let i = 0
loop test(i, n)
  f(i)
  other(i)
loop [k, {v: v}] in Object.entries(o)
  v = choice(v | 1)
  g(k, v)
loop key in o
  h(key)
loop chunk in stream
  process(chunk)
loop x
  y()
loop w
  z()
loop
match k
  arm
    one()
  arm
  arm
    two()
a()
b = c
d()
let s = block{a(); b}
",
    );
}

#[test]
fn failures_are_handled_or_raised() {
    check_in(
        Language::JavaScript,
        r#"try { f(); } catch (err) { log(err); } finally { done(); }
try { g(); } catch { }
throw new Error("x");
"#,
        r#"
try
  f()
catch as err
  log(err)
finally
  done()
try
  g()
catch
raise new Error("x")
"#,
    );
}

#[test]
fn destructuring_keeps_names() {
    check_in(
        Language::JavaScript,
        r"const { default: OpenAI, a: { b }, ...rest } = x;
const [c, , d = 2, ...e] = y;
({ f, g: h.i } = z);
let j = k = l;
m = n = o;
var p;
",
        r"
let {default: OpenAI, a: {b: b}, ...: rest} = x
let [c, _, d, e] = y
d = choice(d | 2)
{f: f, g: h.i} = z
let j = (k := l)
m = o
n = o
let p
",
    );
}

#[test]
fn literals_lower_plainly() {
    check_in(
        Language::JavaScript,
        r"const a = [1, -2.5, ...rest, null, undefined, true, /re/g];
f(...a, async function () {});
",
        r"
let a = [1, -2.5, other(rest), null, null, true, other()]
f(...a, (async fn () => {}))
",
    );
}

#[test]
fn directives_and_comments_are_harmless() {
    check_in(
        Language::JavaScript,
        r#""use server";
// comment
/* more */ x(); ;
"#,
        r#"
"use server"
x()
"#,
    );
}

#[test]
fn broken_text_gives_what_is_understood() {
    check_in(
        Language::Tsx,
        r#"import OpenAI from "openai";
function f( {
const a = new OpenAI(;
export const b = c(1);
"#,
        r"
import openai OpenAI=#default
block
  let a = new OpenAI()
  let b = c(1)
export b = b
",
    );
}

#[test]
fn a_function_that_was_made_out_of_a_text_to_import_does_so() {
    check_in(
        Language::TypeScript,
        r#"const load = new Function("specifier", "return import(specifier)") as Load;
const other = new Function("specifier", "return run(specifier)");
const ai = await load<Ai>("ai");
const zod = await load("zod");
const b = other("ai");
const c = load(name);
"#,
        r#"
let load = (new Function("specifier", "return import(specifier)") as Load)
let other = new Function("specifier", "return run(specifier)")
let ai = import("ai")
let zod = await import("zod")
let b = other("ai")
let c = load(name)
import ai ai=#
import zod zod=#
"#,
    );
}
