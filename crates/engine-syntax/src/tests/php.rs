//! What PHP sources become, and that none does harm.

use engine_model::Language;
use proptest::prelude::*;

use super::dump::dump;
use super::hostile_typed::{damaged, nested, on_small_stack};
use super::{check_in, module};
use crate::ir::{Expr, Module};
use crate::{lower, supports};

#[track_caller]
fn check(source: &str, expected: &str) {
    check_in(Language::Php, &format!("<?php\n{source}"), expected);
}

#[test]
fn names_are_brought_in_under_their_last_part() {
    check(
        r"namespace App\Services;
use OpenAI\Client;
use Prism\Prism\{Prism, Enums\Provider as P};
use function Laravel\Ai\agent;
$a = new \GuzzleHttp\Client();
$b = \Sentry\capture($a);
$c = P\Kind::Fast;
$d = namespace\Own::make();
",
        r"
import OpenAI Client=#Client
import Prism\Prism Prism=#Prism
import Prism\Prism\Enums P=#Provider
import Laravel\Ai agent=#agent
a = new \GuzzleHttp\Client()
b = capture(a)
c = Kind.Fast
d = Own.make()
import GuzzleHttp \GuzzleHttp\Client=#Client
import Sentry capture=#capture
import Prism\Prism\Enums\Provider Kind=#Kind
import App\Services Own=#Own
",
    );
}

#[test]
fn classes_keep_promoted_parameters_traits_and_constants() {
    check(
        r"#[Route('/ask', methods: ['POST'])]
final class Ask extends Base implements Handler {
    use Logs;
    public const MODEL = 'gpt-4o';
    protected static ?Client $shared = null;
    public function __construct(private readonly Client $client, ?string $tone = null) { parent::__construct($tone); }
    private function run(string|int $q, array &...$more): static { return self::MODEL . static::$shared; }
    abstract public function later(): void;
}
interface Handler { public function run($q); }
enum Kind: string { case Fast = 'fast'; case Slow = 'slow'; }
$o = new class($x) extends Base { public $y = 1; };
",
        r#"
@Route("/ask", methods=["POST"])
class Ask(Base, Handler, Logs)
  .MODEL = "gpt-4o"
  .shared: Client = null
  .client: Client
  fn <init>(client: Client, tone: string = null)
    this.client = client
    super(tone)
  fn run(q: |<string, int>, ...more: array) -> Ask
    return tpl(self.MODEL, self.shared)
  fn later() -> void
interface Handler()
  fn run(q)
class Kind()
  .Fast = "fast"
  .Slow = "slow"
o = new (class (Base); .y = 1)(x)
"#,
    );
}

#[test]
fn calls_members_and_arrays() {
    check(
        r"$r = $this->client->chat()->create(['model' => self::MODEL, 'n' => 1, ...$more]);
$t = OpenAI::client($key)?->images?->all;
$u = [1, 'a', ...$b];
$v = $x['k'][0] ?? getenv('K') ?: 'z';
[$a, ['k' => $b], , $c] = f();
$m = match(true) { $x > 1 => 'a', default => throw new E() };
$n = $f(...);
$p = make(name: $x, ...$rest);
$q = Kind::Fast->value;
$obj->{$name}($y);
",
        r#"
r = this.client.chat().create({"model": self.MODEL, "n": 1, ...more})
t = OpenAI.client(key).images.all
u = [1, "a", b]
v = choice(x["k"][0] | getenv("K") | "z")
[a, {k: b}, _, c] = f()
m = block{match true; arm; test(x, 1); "a"; arm; raise new E()}
n = f
p = make(name=x, ...rest)
q = Kind.Fast
obj[name](y)
"#,
    );
}

#[test]
fn texts_hold_what_is_written_into_them() {
    check(
        r#"$a = "Hi $name, {$user->first} and $row[k] \"q\" \n";
$b = 'it\'s \n' . PHP_EOL . $a;
$c = <<<TXT
  Say {$a}
  now
  TXT;
$d = <<<'RAW'
  $no
  RAW;
$b .= 'x';
$e = `ls $dir`;
"#,
        r#"
a = tpl("Hi ", name, ", ", user.first, " and ", row["k"], " \"q\" \n")
b = tpl("it's \\n", PHP_EOL, a)
c = tpl("  Say ", a, "  now")
d = "$no"
b = tpl(b, "x")
e = shell_exec(tpl("ls ", dir))
"#,
    );
}

#[test]
fn statements_keep_their_branches() {
    check(
        r"if ($a): echo 'x'; elseif ($b): f(); else: g(); endif;
if ($a) { f(); } else if ($b) { g(); } else { h(); }
foreach ($rows as $k => $row) { print $row; }
for ($i = 0, $j = 1; $i < 3; $i++) f($i);
while (f()) { break; }
do { g(); } while ($x);
switch ($x) { case 1: f(); break; case g($x): default: h(); }
try { f(); } catch (A | \B\C $e) { throw $e; } catch (\Throwable) { } finally { h(); }
global $wpdb, $x;
static $n = 0;
const LIMIT = 3;
define('KEY', 'v');
require_once __DIR__ . '/lib/llm.php';
$config = require 'config.php';
exit('bye');
",
        r#"
if a
  echo("x")
else
  if b
    f()
  else
    g()
if a
  f()
else
  if b
    g()
  else
    h()
loop row in rows
  k
  echo(row)
i = 0
j = 1
loop test(i, 3)
  f(i)
  other(i)
loop f()
loop x
  g()
match x
  arm
    f()
  arm
    g(x)
  arm
    h()
try
  f()
catch A C as e
  raise e
catch Throwable
finally
  h()
global(wpdb, x)
n = 0
LIMIT = 3
KEY = "v"
import ./lib/llm.php *
config = require("config.php")
exit("bye")
import B C=#C
import  Throwable=#Throwable
"#,
    );
}

#[test]
fn functions_closures_and_what_they_take_along() {
    check(
        r"function ask(string $q, ?Client $c = null): string { return $c->chat($q); }
$f = function ($x) use ($a, &$out) { $out[] = $x; };
$g = fn(int $x): int => $x + $a;
function gen() { yield 1; }
",
        r"
fn ask(q: string, c: Client = null) -> string
  return c.chat(q)
f = (fn (x) => {nonlocal(out); out[null] = x})
g = (fn (x: int) -> int => {return other(x, a)})
fn gen()
  other(1)
",
    );
}

#[test]
fn options_of_curl_are_put_into_the_handle() {
    check(
        r"$ch = curl_init($url);
curl_setopt($ch, CURLOPT_POSTFIELDS, json_encode($data));
curl_setopt_array($ch, [CURLOPT_URL => $url, CURLOPT_POST => true]);
curl_setopt_array($this->ch, $options);
$r = curl_exec($ch);
",
        r#"
ch = curl_init(url)
ch["CURLOPT_POSTFIELDS"] = json_encode(data)
ch["CURLOPT_URL"] = url
ch["CURLOPT_POST"] = true
this.ch["options"] = options
r = curl_exec(ch)
"#,
    );
}

#[test]
fn pages_are_read_as_people_see_them() {
    check_in(
        Language::Php,
        "<html>\n<style>p { color: red }</style>\n<p title=\"x\">You talk with an <b>AI</b>.</p>\n<?php if ($a): ?>\n<p>Yes</p>\n<?php endif; ?>\n\
         <?= $answer ?>\n<script>ask()</script><!-- note --> end\n",
        r#"
echo("You talk with an", "AI")
if a
  echo("Yes")
echo(answer)
echo("end")
"#,
    );
}

#[test]
fn the_language_has_a_lowering() {
    assert!(supports(Language::Php));
    assert_eq!(lower(Language::Php, ""), Some(Module::new(Language::Php)));
}

#[test]
fn nesting_ends_without_harm() {
    for (open, inside, close) in [
        ("(", "$x", ")"),
        ("[", "$x", "]"),
        ("f(", "$x", ")"),
        ("$a[", "$x", "]"),
        ("fn($a) => ", "$x", ""),
        ("$a ? $b : ", "$c", ""),
        ("$a = ", "$b", ""),
        ("!", "$x", ""),
        ("new class { public $y = ", "1", "; }"),
        ("function() { return ", "$x", "; }"),
        ("\"{$", "x", "}\""),
        ("match($x) { default => ", "$x", " }"),
    ] {
        for times in [400, 5_000, 100_000] {
            on_small_stack(
                Language::Php,
                format!("<?php $x = {};", nested(open, inside, close, times)),
            );
            on_small_stack(Language::Php, format!("<?php {}", nested(open, inside, "", times)));
        }
    }
    for (open, inside, close) in [
        ("{", "f();", "}"),
        ("if ($a) {", "f();", "}"),
        ("function f() {", "g();", "}"),
        ("class A { function f() {", "g();", "} }"),
        ("?><p><?php ", "f();", ""),
        ("namespace A {", "f();", "}"),
        ("try {", "f();", "} catch (E $e) {}"),
    ] {
        for times in [400, 5_000] {
            on_small_stack(Language::Php, format!("<?php {}", nested(open, inside, close, times)));
        }
    }
    let deep = on_small_stack(Language::Php, format!("<?php $x = {};", nested("[", "1", "]", 400)));
    assert!(deep.truncated);
}

#[test]
fn long_chains_are_whole() {
    let chain = |calls: usize| on_small_stack(Language::Php, format!("<?php $a{};", "->b()".repeat(calls)));
    // One that nobody writes may be cut, and needs no more of the stack.
    chain(10_000);
    let lowered = chain(3_000);
    assert!(!lowered.truncated);
    let calls = lowered
        .exprs
        .iter()
        .filter(|expr| matches!(expr.kind, Expr::Call { .. }));
    assert_eq!(calls.count(), 3_000);
    let text = on_small_stack(Language::Php, format!("<?php $a = 'x'{};", " . $b".repeat(10_000)));
    assert!(!text.truncated);
    on_small_stack(
        Language::Php,
        format!("<?php if ($a) b();{}", " elseif ($c) d();".repeat(5_000)),
    );
    on_small_stack(
        Language::Php,
        format!("<?php if ($a) b();{}", " else if ($c) d();".repeat(5_000)),
    );
}

#[test]
fn places_are_those_of_the_text() {
    let lowered = module(
        Language::Php,
        "<p>\n\n Hello</p>\n<?php\n$r = $c->chat()\n  ->create(['a' => 1]);\n",
    );
    let spans: Vec<(u32, u32, u32)> = lowered
        .exprs
        .iter()
        .filter(|expr| match &expr.kind {
            Expr::Member { name, .. } => &**name == "create",
            Expr::Str(text) => &**text == "Hello",
            _ => false,
        })
        .map(|expr| (expr.span().line, expr.span().end_line, expr.span().end_column))
        .collect();
    assert_eq!(spans[0].0, 3, "the text between the tags");
    assert_eq!(spans.last().map(|span| (span.0, span.1, span.2)), Some((5, 6, 11)));
}

const SAMPLE: &str = "<h1>Ask é</h1>\n<?php declare(strict_types=1);\nnamespace A\\B;\nuse X\\{Y, Z as W};\n#[R('/p')] final class C extends D implements E { use T; const K = 'k'; \
     private ?Y $y = null; public function __construct(private readonly Y $p, int ...$q) { parent::__construct($p); }\n function m(?A|B $a = [1, 'k' => 2]): static { try { \
     return $this->p?->chat()->create(['m' => self::K, ...$a])['x'][0] ?? \"é {$a->b[1]} $c[k]\"; } catch (E|F $e) { throw $e; } finally { exit; } } }\n\
     $f = function (&$x) use (&$y) { yield $x => $y; }; $g = fn($z) => match(true) { 1, 2 => $z, default => throw new E };\n$h = <<<T\n  a {$b}\n  T;\n[$a, 'k' => [$b]] = f(...);\
     \nforeach ($r as $k => [$v]): ?><p><?= $v ?></p><?php endforeach; switch ($x) { case 1: break; default: $x .= `ls $d`; }\ncurl_setopt_array($ch, [CURLOPT_URL => 'u']);\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_sources_never_panic(
        damage in prop::collection::vec((0..2_000_usize, 0..5_u8, prop_oneof![
            any::<char>(), prop::sample::select("(){}[]<>\"'`$\\#@!?.,;:=+-*/&|\n é".chars().collect::<Vec<_>>())
        ]), 0..8),
    ) {
        if let Some(module) = lower(Language::Php, &damaged(SAMPLE, &damage)) {
            dump(&module);
        }
    }
}
