//! What shell scripts become.

use engine_model::Language;

use super::check_in;

#[test]
fn commands_are_calls() {
    check_in(
        Language::Shell,
        r#"#!/usr/bin/env bash
set -euo pipefail
curl -s https://api.openai.com/v1/chat/completions -H "Authorization: Bearer $OPENAI_API_KEY" -d '{"model": "gpt-4o"}'
./run.sh --x=1 a\ b "$1" ${2}
"$PYTHON" main.py
"#,
        r#"
set("-euo", "pipefail")
curl("-s", "https://api.openai.com/v1/chat/completions", "-H", tpl("Authorization: Bearer ", OPENAI_API_KEY), "-d", "{\"model\": \"gpt-4o\"}")
./run.sh("--x=1", "a b", 1, 2)
PYTHON("main.py")
"#,
    );
}

#[test]
fn texts_resolve_what_the_shell_resolves() {
    check_in(
        Language::Shell,
        r#"echo "a \"b\" \$c \n" 'raw $x' $'tab\t' "pre$x ${y}z $(date +%s)"
"#,
        r#"
echo("a \"b\" $c \\n", "raw $x", "tab\t", tpl("pre", x, y, "z ", date("+%s")))
"#,
    );
}

#[test]
fn assignments_and_exports() {
    check_in(
        Language::Shell,
        r#"X=1
export KEY="$(cat key)" B=2
local z
readonly R=a
A=(a b "$c")
arr[0]=x
export Y
D=${M:-gpt-4o} E=${M:-$N}
FOO=bar cmd x
unset X
"#,
        r#"
X = "1"
KEY = cat("key")
B = "2"
let z
R = "a"
A = ["a", "b", c]
arr["0"] = "x"
export(Y)
cmd("x", D=choice(M | "gpt-4o"), E=choice(M | N), FOO="bar")
other(X)
"#,
    );
}

#[test]
fn pipelines_feed_the_next_command() {
    check_in(
        Language::Shell,
        r"cat f | jq .x | tee out > log.txt 2>&1
ls | while read line; do echo $line; done
",
        r#"
tee("out", |=jq(".x", |=cat("f")), >="log.txt")
ls()
loop read("line")
  echo(line)
"#,
    );
}

#[test]
fn failures_have_handlers() {
    check_in(
        Language::Shell,
        r#"curl x || echo failed
a && b || exit 1
a || b || c
[ -z "$X" ] && echo none
test -f x || { log; exit 1; }
! grep x f
"#,
        r#"
try
  curl("x")
catch
  echo("failed")
try
  a()
  b()
catch
  exit("1")
try
  a()
catch
  b()
catch
  c()
if test(X)
  echo("none")
try
  test("-f", "x")
catch
  block
    log()
    exit("1")
test(grep("x", "f"))
"#,
    );
}

#[test]
fn control_flow_keeps_its_branches() {
    check_in(
        Language::Shell,
        r#"if [ "$a" = "b" ]; then x; elif y; then z; else w; fi
for f in a *.txt "$c"; do run $f; done
while true; do x; done
until y; do z; done
for ((i=0; i<3; i++)); do q; done
case "$1" in
  start|run) s ;;
  *) t; u ;;
esac
f() { echo "$1"; return 1; }
function g { h; }
(cd x; y)
[[ $a == b* && -n $c ]]
"#,
        r#"
if test(a, "b")
  x()
else
  if y()
    z()
  else
    w()
loop f in ["a", "*.txt", c]
  run(f)
loop true()
  x()
loop y()
  z()
loop
  q()
match 1
  arm
    s()
  arm
    t()
    u()
fn f(1)
  echo(1)
  return("1")
fn g()
  h()
block
  cd("x")
  y()
test(test(a, "b*"), test(c))
"#,
    );
}

#[test]
fn here_documents_are_arguments() {
    check_in(
        Language::Shell,
        r#"cat <<EOF > out
Hello $NAME
EOF
curl -d @- url <<'END' | jq .
{"model": "$x"}
END
cat <<<"text"
"#,
        r#"
cat(<<=tpl("Hello ", NAME, "\n"), >="out")
jq(".", |=curl("-d", "@-", "url", <<="{\"model\": \"$x\"}\n"))
cat(<<<="text")
"#,
    );
}

#[test]
fn command_substitution_is_a_nested_call() {
    check_in(
        Language::Shell,
        r#"R=$(curl -s -d "{\"q\": \"$Q\"}" url | jq -r .a)
echo `date`
diff <(a) <(b)
x=$(a; b)
"#,
        r#"
R = jq("-r", ".a", |=curl("-s", "-d", tpl("{\"q\": \"", Q, "\"}"), "url"))
echo(date())
diff(a(), b())
x = block{a(); b()}
"#,
    );
}

#[test]
fn broken_text_gives_what_is_understood() {
    check_in(
        Language::Shell,
        r"curl x
if [ a; then
echo done
",
        r#"
curl("x")
a(other(), "echo", "done")
"#,
    );
}
