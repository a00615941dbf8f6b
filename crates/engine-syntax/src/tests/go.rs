//! What Go sources become.

use engine_model::Language;

use super::check_in;

#[track_caller]
fn check(source: &str, expected: &str) {
    check_in(Language::Go, source, expected);
}

#[test]
fn imports_bind_the_names_that_the_package_may_have() {
    check(
        r#"package main

import "fmt"
import (
	"context"
	ai "github.com/a/openai"
	. "math"
	_ "embed"
	"github.com/sashabaranov/go-openai"
	"github.com/openai/openai-go/v2"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go"
	"gopkg.in/yaml.v3"
)
"#,
        r"
import fmt fmt=#
import context context=#
import github.com/a/openai ai=#
import math *
import embed
import github.com/sashabaranov/go-openai go-openai=# openai=#
import github.com/openai/openai-go/v2 openai-go=# openai=#
import github.com/anthropics/anthropic-sdk-go/option option=#
import github.com/anthropics/anthropic-sdk-go anthropic-sdk-go=# anthropic-sdk=# anthropic=#
import gopkg.in/yaml.v3 yaml=#
",
    );
}

#[test]
fn methods_belong_to_the_type_of_their_receiver() {
    check(
        r#"package p

func (s *Server) Handle(w http.ResponseWriter, r *http.Request) error { return s.next(w) }

type Server struct {
	*Base
	client, spare *openai.Client `json:"client"`
	mu     sync.Mutex
	cache  map[string][]Item
}

func (Server) Name() string { return "s" }
func (o *Other[T]) Do(_ int, parts ...string) (T, error) { return o.x, nil }
func free(a, b int) {}
"#,
        r#"
class Server(Base)
  .Base: Base
  @"json:\"client\"" .client: openai.Client
  @"json:\"client\"" .spare: openai.Client
  .mu: sync.Mutex
  .cache: map<string, []<Item>>
  fn Handle[s](w: http.ResponseWriter, r: http.Request) -> error
    return s.next(w)
  fn Name() -> string
    return "s"
fn free(a: int, b: int)
class Other()
  fn Do[o](_: int, ...parts: string) -> ()<T, error>
    return [o.x, null]
"#,
    );
}

#[test]
fn several_values_are_tuples_and_lists() {
    check(
        r#"package p
func f() (reply string, err error) {
	resp, err := c.Create(ctx, req)
	a, b = b, a
	_, ok := m["k"]
	var x, y int = 1, 2
	var z *Client
	total += n
	text += "more"
	x++
	return
}
func g() (r string) { return }
func h() (string, error) { return "a", nil }
"#,
        r#"
fn f() -> ()<string, error>
  let reply: string
  let err: error
  let [resp, err] = c.Create(ctx, req)
  [a, b] = [b, a]
  let [_, ok] = m["k"]
  let [x, y]: int = [1, 2]
  let z: Client
  total = tpl(total, n)
  text = tpl(text, "more")
  x
  return [reply, err]
fn g() -> string
  let r: string
  return r
fn h() -> ()<string, error>
  return ["a", null]
"#,
    );
}

#[test]
fn statements_before_a_condition_stand_in_a_block_with_it() {
    check(
        r"package p
func f() {
	if err := g(); err != nil && !ok {
		panic(err)
	} else if v, ok := h(); ok {
		use(v)
	} else {
		k()
	}
}
",
        r"
fn f()
  block
    let err = g()
    if test(test(err, null), test(ok))
      raise err
    else
      block
        let [v, ok] = h()
        if ok
          use(v)
        else
          k()
",
    );
}

#[test]
fn loops_bind_what_they_range_over() {
    check(
        r"package p
func f() {
	for i := 0; i < n; i++ { a(i) }
	for _, choice := range resp.Choices { b(choice) }
	for k, v := range m { c(k, v) }
	for msg := range ch { d(msg) }
	for ok { e() }
	for { g() }
	for range 3 { h() }
}
",
        r"
fn f()
  block
    let i = 0
    loop test(i, n)
      a(i)
      i
  loop choice in resp.Choices
    b(choice)
  loop v in m
    let k = other(m)
    c(k, v)
  loop msg in ch
    d(msg)
  loop ok
    e()
  loop
    g()
  loop 3
    h()
",
    );
}

#[test]
fn literals_of_structs_are_constructions_with_named_arguments() {
    check(
        r#"package p
var req = openai.ChatCompletionRequest{
	Model: openai.GPT4,
	Messages: []openai.ChatCompletionMessage{
		{Role: "user", Content: prompt},
		openai.ChatCompletionMessage{"a", b},
	},
}
var p = &Point{1, 2}
var m = map[string]*Point{"a": {X: 1}, key: nil}
var h = gin.H{"error": err.Error()}
var t = []struct{ name string }{{"a"}, {name: "b"}}
var n = [...]int{2: 1}
var g = Box[int]{v: 1}
"#,
        r#"
let req = new openai.ChatCompletionRequest(Model=openai.GPT4, Messages=[new openai.ChatCompletionMessage(Role="user", Content=prompt), new openai.ChatCompletionMessage("a", b)])
let p = new Point(1, 2)
let m = {"a": new Point(X=1), key: null}
let h = new gin.H(error=err.Error())
let t = [["a"], {"name": "b"}]
let n = [1]
let g = new Box(v=1)
"#,
    );
}

#[test]
fn texts_and_operators_are_told_apart() {
    check(
        "package p\nvar s = \"a\\n\" + name + `raw\\n` + string(x)\nvar c = \"a\" + \"b\"\nvar n = 1 + i + j\nvar t = a == b && c < d || e\nvar r = 'x'\nvar o = a*b%c\nvar neg = -1\nvar not = !x\n",
        r#"
let s = tpl("a\n", name, "raw\\n", (x as string))
let c = "ab"
let n = other(1, i, j)
let t = test(test(a, b), test(c, d), e)
let r = "x"
let o = other(a, b, c)
let neg = -1
let not = test(x)
"#,
    );
}

#[test]
fn function_literals_are_functions_and_go_and_defer_are_effects() {
    check(
        r#"package p
func f() {
	go func(q string) { ch <- ask(q) }(text)
	defer resp.Body.Close()
	h := func(a int) int { return a }
	r.POST("/chat", func(c *gin.Context) { c.JSON(200, x) })
	v := <-ch
	args(a, rest...)
}
"#,
        r#"
fn f()
  (fn (q: string) => {other(ch, ask(q))})(text)
  resp.Body.Close()
  let h = (fn (a: int) -> int => {return a})
  r.POST("/chat", (fn (c: gin.Context) => {c.JSON(200, x)}))
  let v = other(ch)
  args(a, ...rest)
"#,
    );
}

#[test]
fn switches_and_selects_are_choices_between_branches() {
    check(
        r#"package p
func f() {
	switch x := g(); x.Kind {
	case "a", "b": one()
	case h(): two()
	default: three()
	}
	switch v := any.(type) {
	case *openai.Client: use(v)
	case A, B: use(v)
	case nil:
	}
	switch {
	case a > 1: p()
	}
	select {
	case m, ok := <-ch: q(m)
	case out <- v:
	default:
	}
}
"#,
        r"
fn f()
  block
    let x = g()
    match x.Kind
      arm
        one()
      arm
        h()
        two()
      arm
        three()
  match any
    arm
      let v = (any as openai.Client)
      use(v)
    arm
      let v = any
      use(v)
    arm
      let v = any
  match
    arm
      test(a, 1)
      p()
  match
    arm
      let [m, ok] = other(ch)
      q(m)
    arm
      other(out, v)
    arm
",
    );
}

#[test]
fn conversions_and_allocations_name_their_types() {
    check(
        r"package p
var a = x.(*openai.Client)
var b = []byte(text)
var c = new(Client)
var d = make(map[string]int)
var e = make([]string, 0, n)
var f = make(chan int, 1)
var g = (*T)(p)
var h = Map[string, int](xs, f)
var i = xs[1:n]
var j = llms.GenerateFromSinglePrompt(ctx, llm, prompt, llms.WithTemperature(0.8))
",
        r"
let a = (x as openai.Client)
let b = (text as []<byte>)
let c = new Client()
let d = {}
let e = []
let f = other(1)
let g = (p as T)
let h = Map(xs, f)
let i = other(xs, 1, n)
let j = llms.GenerateFromSinglePrompt(ctx, llm, prompt, llms.WithTemperature(0.8))
",
    );
}

#[test]
fn interfaces_describe_and_other_types_derive() {
    check(
        r#"package p
type Model interface {
	Base
	Generate(ctx context.Context, prompt string) (string, error)
}
type Handler func(a int) error
type Alias = openai.Client
type Set[T comparable] map[T]struct{}
const (
	A = iota
	B
	C string = "c"
)
"#,
        r#"
interface Model(Base)
  fn Generate(ctx: context.Context, prompt: string) -> ()<string, error>
class Handler(func<error>)
class Alias(openai.Client)
class Set(map<T, struct>)
let A = iota
let B
let C: string = "c"
"#,
    );
}

#[test]
fn what_does_not_parse_is_left_out_and_the_rest_stays() {
    check(
        r#"package p
func f() {
	a := g(
	b := h("x")
}
func k() { m() }
"#,
        r#"
fn f()
  let a = g(other(b), h("x"))
fn k()
  m()
"#,
    );
}
