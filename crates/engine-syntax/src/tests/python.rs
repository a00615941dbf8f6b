//! What Python sources become.

use engine_model::Language;

use super::check_in;

#[test]
fn imports_bind_what_python_binds() {
    check_in(
        Language::Python,
        r"import os
import a.b.c
import a.b as ab, openai
from openai import OpenAI, AsyncOpenAI as AO
from . import x
from ..pkg.mod import (y, z as w)
from m import *
from __future__ import annotations
",
        r"
import os os=#
import a.b.c a=a#
import a.b ab=#
import openai openai=#
import openai OpenAI=#OpenAI AO=#AsyncOpenAI
import . x=#x
import ..pkg.mod y=#y w=#z
import m *
import __future__ annotations=#annotations
",
    );
}

#[test]
fn an_import_in_a_try_that_catches_its_failure_is_optional() {
    check_in(
        Language::Python,
        r"try:
    import openai
except ImportError:
    openai = None
try:
    import b
except (ModuleNotFoundError, OSError) as e:
    pass
else:
    use(b)
finally:
    done()
try:
    import c
except ValueError:
    raise
try:
    import d
except:
    pass
",
        r"
try
  import openai openai=# (optional)
catch ImportError
  openai = null
try
  import b b=# (optional)
  use(b)
catch ModuleNotFoundError OSError as e
finally
  done()
try
  import c c=#
catch ValueError
  raise
try
  import d d=# (optional)
catch
",
    );
}

#[test]
fn imports_for_type_checkers_are_types_only() {
    check_in(
        Language::Python,
        r"from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from openai import OpenAI
else:
    import x
",
        r"
import typing TYPE_CHECKING=#TYPE_CHECKING
if TYPE_CHECKING
  import openai type OpenAI=#OpenAI (types)
else
  import x x=#
",
    );
}

#[test]
fn imports_at_run_time_with_constant_names_are_imports() {
    check_in(
        Language::Python,
        r#"m = importlib.import_module("openai")
n = __import__("anthropic")
o = importlib.import_module(name)
"#,
        r#"
m = import("openai")
n = import("anthropic")
o = importlib.import_module(name)
"#,
    );
}

#[test]
fn functions_keep_parameters_defaults_and_types() {
    check_in(
        Language::Python,
        r#"@app.post("/chat", tags=["x"])
async def chat(req: Request, n: int = 3, *args, db: Session = Depends(get_db), **kw: Any) -> dict[str, str]:
    """Doc."""
    return await run(req, *args, **kw)
def _hidden(a, /, b=None, *, c): pass
"#,
        r#"
@app.post("/chat", tags=["x"]) async fn chat(req: Request, n: int = 3, ...args, db: Session = Depends(get_db), ...kw: Any) -> dict<str, str>
  "Doc."
  return await run(req, ...args, ...kw)
fn _hidden(a, b = null, c)
"#,
    );
}

#[test]
fn methods_lose_their_receiver_but_static_ones_have_none() {
    check_in(
        Language::Python,
        r#"class A(Base, Generic[T], metaclass=M):
    """About A."""
    client: OpenAI = OpenAI()
    name: str
    x = y = 1
    def __init__(self, client):
        self.client = client
    @staticmethod
    def s(a): return a
    @classmethod
    async def c(cls, a): return cls(a)
    class Inner: pass
    if DEBUG:
        z = 2
        def dbg(self): pass
"#,
        r#"
class Inner()
class A(Base, Generic<T>)
  .__doc__ = "About A."
  .client: OpenAI = OpenAI()
  .name: str
  .x = 1
  .y = 1
  .z = 2
  fn __init__[self](client)
    self.client = client
  @staticmethod fn s(a)
    return a
  @classmethod async fn c[cls](a)
    return cls(a)
  fn dbg[self]()
"#,
    );
}

#[test]
fn a_protocol_is_an_interface() {
    check_in(
        Language::Python,
        r"class P(Protocol):
    def call(self, x: str) -> str: ...
",
        r"
interface P(Protocol)
  fn call[self](x: str) -> str
    other()
",
    );
}

#[test]
fn chains_of_assignments_share_a_value() {
    check_in(
        Language::Python,
        r#"a = b = f()
c, (d, *e) = g()
self.x[0], y = h()
x: int
x: Optional["OpenAI"] = None
a.b["k"] = 1
total += x
n += 1
n -= 1
del a, b
global client
nonlocal other
"#,
        r#"
a = f()
b = f()
[c, [d, e]] = g()
[self.x[0], y] = h()
x: int
x: Optional<OpenAI> = null
a.b["k"] = 1
total = tpl(total, x)
n = other(n, 1)
n = other(n, 1)
other([a, b])
global(client)
nonlocal(other)
"#,
    );
}

#[test]
fn strings_resolve_escapes_and_prefixes() {
    check_in(
        Language::Python,
        r#"a = 'it\'s\n\x41\u00e9\U0001F600 \d'
b = r"\n\d"
c = b"bytes"
d = """two
lines"""
e = "a" 'b' "c"
f = rb'\x'
g = ""
"#,
        r#"
a = "it's\nAé😀 \\d"
b = "\\n\\d"
c = "bytes"
d = "two\nlines"
e = "abc"
f = "\\x"
g = ""
"#,
    );
}

#[test]
fn texts_put_together_are_templates() {
    check_in(
        Language::Python,
        r#"a = f"Hello {name!r:>{width}} {{x}}"
b = f"const"
c = "a" + name + f"{x}y" + "z"
d = "%s and %d" % (a, b)
e = "%s" % name
g = "{} {}".format(a, b)
h = "a" + "b"
i = "pre " f"{x}"
j = 1 + x
k = messages + [m]
l = a * b
m = "%(a)s" % {"a": v}
"#,
        r#"
a = tpl("Hello ", name, width, " {x}")
b = "const"
c = tpl("a", name, x, "y", "z")
d = tpl("%s and %d", a, b)
e = tpl("%s", name)
g = "{} {}".format(a, b)
h = "ab"
i = tpl("pre ", x)
j = other(1, x)
k = tpl(messages, [m])
l = other(a, b)
m = tpl("%(a)s", v)
"#,
    );
}

#[test]
fn tests_and_choices_are_told_apart() {
    check_in(
        Language::Python,
        r#"a = x or y or z
b = x and y
c = x and y > 1
d = p if q else r
e = not x
f = a < b < c
if a and b or c: pass
while x or y: pass
assert x, "message"
"#,
        r#"
a = choice(x | y | z)
b = choice(x ? y)
c = test(x, test(y, 1))
d = choice(q ? p | r)
e = test(x)
f = test(a, b, c)
if test(choice(a ? b), c)
loop test(x, y)
test(x, "message")
"#,
    );
}

#[test]
fn control_flow_keeps_its_branches() {
    check_in(
        Language::Python,
        r"if a:
    x
elif b:
    y
elif c:
    z
else:
    w
for i, j in items:
    f(i)
else:
    g()
while True:
    break
async def f():
    async with a() as b, c as (d, e):
        pass
    async for x in y:
        yield x
with (open(p) as f, q):
    pass
",
        r"
if a
  x
else
  if b
    y
  else
    if c
      z
    else
      w
loop [i, j] in items
  f(i)
g()
loop true
async fn f()
  with a() as b, c as [d, e]
  loop x in y
    other(x)
with open(p) as f, q
",
    );
}

#[test]
fn failures_are_handled_or_raised() {
    check_in(
        Language::Python,
        r#"try:
    f()
except (A, b.C) as e:
    log(e)
except* D:
    raise E("x") from e
raise
"#,
        r#"
try
  f()
catch A b.C as e
  log(e)
catch D
  raise E("x")
raise
"#,
    );
}

#[test]
fn match_binds_names() {
    check_in(
        Language::Python,
        r#"match command:
    case "go":
        a()
    case {"text": t, "n": 1} if t:
        b(t)
    case Point(x=px, y=0):
        c()
    case [first, *rest]:
        d()
    case str() as s:
        e()
    case _:
        f()
"#,
        r"
match command
  arm
    a()
  arm
    {text: t} = command
    t
    b(t)
  arm
    {x: px, y: _} = command
    c()
  arm
    [first, rest] = command
    d()
  arm
    s = command
    e()
  arm
    f()
",
    );
}

#[test]
fn comprehensions_say_what_they_loop_over() {
    check_in(
        Language::Python,
        r"a = [f(x) for x in xs if x.ok for y in x]
b = {k: v for k, v in d.items()}
c = sum(x for x in y)
d = {f(x) for x in y}
",
        r"
a = each(x in xs; _ in x.ok; y in x; f(x))
b = each([k, v] in d.items(); {k: v})
c = sum(each(x in y; x))
d = each(x in y; f(x))
",
    );
}

#[test]
fn literals_lower_to_lists_maps_and_numbers() {
    check_in(
        Language::Python,
        r#"a = [1, -2.5, *rest]
b = {"k": v, **more, 1: None}
c = (1, True, ...)
d = {1, 2}
e = x[1:2], x[a, b]
f = lambda x, *y, k=1: x + y
g = (n := len(a))
f(*a, k=v, **kw)
"#,
        r#"
a = [1, -2.5, other(rest)]
b = {"k": v, ...more, 1: null}
c = [1, true, other()]
d = [1, 2]
e = [x[other(1, 2)], x[[a, b]]]
f = (fn (x, ...y, k = 1) => {return tpl(x, y)})
g = (n := len(a))
f(...a, k=v, ...kw)
"#,
    );
}

#[test]
fn chains_of_calls_are_nested_calls() {
    check_in(
        Language::Python,
        r#"r = client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": q}]).choices[0].message.content
x = (await c.a()).b
"#,
        r#"
r = client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": q}]).choices[0].message.content
x = await c.a().b
"#,
    );
}

#[test]
fn broken_text_gives_what_is_understood() {
    check_in(
        Language::Python,
        r"import openai
def f(:
    x = openai.OpenAI(
y = g(1)
class
",
        r"
import openai openai=#
f
x
openai.OpenAI
other(y, g(1))
class
",
    );
}

#[test]
fn types_are_read_with_their_arguments() {
    check_in(
        Language::Python,
        r#"def f(a: Union[A, B], b: A | None, c: Callable[[X], Y], d: list["m.Z"], e: Annotated[str, Depends(x)]) -> "Fwd": pass
"#,
        r"
fn f(a: Union<A, B>, b: A, c: Callable<[]<X>, Y>, d: list<m.Z>, e: Annotated<str, Depends, x>) -> Fwd
",
    );
}

#[test]
fn old_print_statements_are_calls() {
    check_in(
        Language::Python,
        r#"print "x", y
exec code
"#,
        r#"
print("x", y)
exec(code)
"#,
    );
}
