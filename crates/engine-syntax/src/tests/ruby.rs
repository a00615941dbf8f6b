//! What Ruby sources become, and that none does harm.

use engine_model::Language;
use proptest::prelude::*;

use super::dump::dump;
use super::hostile_typed::{damaged, nested, on_small_stack};
use super::{check_in, module};
use crate::ir::{Expr, Module};
use crate::{lower, supports};

#[track_caller]
fn check(source: &str, expected: &str) {
    check_in(Language::Ruby, source, expected);
}

#[test]
fn classes_keep_what_is_around_them_and_what_they_include() {
    check(
        r#"require "openai"
require_relative "base/client"
module Chat
  class Reply < ApplicationService
    include Logs
    MODEL = "gpt-4o".freeze
    attr_reader :text
    before_action :find
    def initialize(text, model: MODEL, **rest)
      @text = text
      super(text)
    end
    def self.call(...) = new(...).call
    def call
      client.chat(parameters: { model: MODEL, "n" => 1, **extra }, user:)
    end
    private
    def client
      @client ||= ::OpenAI::Client.new(access_token: ENV.fetch("OPENAI_API_KEY"))
    end
    Failed = Class.new(StandardError)
  end
end
"#,
        r#"
import openai *
import ./base/client *
class Reply(ApplicationService, Logs)
  .MODEL = "gpt-4o"
  .text
  fn text()
    return self.text
  fn <init>(text, model = MODEL, ...rest)
    self.text = text
    super(text)
  fn call(..._)
    return new Reply().call()
  fn call()
    return client().chat(parameters={"model": MODEL, "n": 1, ...extra()}, user=user())
  fn client()
    self.client = choice(self.client | new ::OpenAI.Client(access_token=ENV.fetch("OPENAI_API_KEY")))
    return self.client
  fn <clinit>()
    before_action("find")
class Failed(StandardError)
import ApplicationService
import Logs
import OpenAI::Client
import ENV
import StandardError
"#,
    );
}

#[test]
fn calls_blocks_and_texts() {
    check(
        r#"def ask(question, &block)
  answer = client&.chat(question) { |chunk, _size| yield chunk }
  list = names.map(&:to_s).select { it.ok? }
  text = <<~TEXT.strip
    Say #{answer.content}
      twice
  TEXT
  list << "Hi #{list.first}: " "there"
  puts "done" unless answer.nil?
  handler = ->(x) { x + 1 }
  handler.call(2)
  model.public_send(:ask, text, stream: true)
  a, (b, *c) = one, two
  kind = if a then "x" else "y" end
  `ls #{a}`
  %w[a b].each_with_index { |word, at| say word, at }
  answer[:choices][0]
end
"#,
        r#"
fn ask(question, block)
  answer = client().chat(question, block=(fn (chunk, _size) => {return block(chunk)}))
  list = names().map(block="to_s").select(block=(fn (it) => {return it.ok?()}))
  text = tpl("Say ", answer.content(), "\ntwice\n")
  list.push(tpl("Hi ", list.first(), ": ", "there"))
  if test(answer.nil?())
    puts("done")
  handler = (fn (x) => {return other(x, 1)})
  handler(2)
  model().ask(text, stream=true)
  [a, [b, c]] = [one(), two()]
  kind = block{if a; "x"; else; "y"}
  system(tpl("ls ", a))
  loop word in ["a", "b"]
    at
    say(word, at)
  return answer["choices"][0]
"#,
    );
}

#[test]
fn failures_and_cases() {
    check(
        r#"def run
  tries ||= 0
  fetch!
rescue Net::ReadTimeout, Timeout::Error => e
  retry if (tries += 1) < 3
  Rails.logger.error("no: #{e.message}")
  nil
rescue StandardError
  raise Failed, "x"
else
  ok
ensure
  close
end
value = JSON.parse(body) rescue nil
case kind
when "a", :b then one
when Integer
  two
else three
end
case reply
in { content: String => text, id: }
  say(text)
in [first, *]
  first
end
begin
  risky
end while again?
loop do
  break if done
end
"#,
        r#"
fn run()
  try
    tries = choice(tries | 0)
    fetch!()
    return ok()
  catch Net.ReadTimeout Timeout.Error as e
    if test((tries := other(tries, 1)), 3)
      retry()
    Rails.logger().error(tpl("no: ", e.message()))
    return null
  catch
    raise new Failed("x")
  finally
    close()
value = block{try; JSON.parse(body()); catch; null}
match kind()
  arm
    one()
  arm
    two()
  arm
    three()
match reply()
  arm
    {content: text, id: id} = reply
    say(text)
  arm
    [first, _] = reply
    first
loop again?()
  risky()
loop
  if done()
import Rails
import Failed
import JSON
"#,
    );
}

#[test]
fn records_and_reopened_classes_have_members() {
    check(
        r"Reply = Struct.new(:text, :score, keyword_init: true) do
  def ok? = score > 1
end
class Chat < ApplicationRecord
  acts_as_chat
  class << self
    def open(...) = new(...)
  end
  private def hidden = 1
end
module Tools
  included do
    rescue_from Failed do |e|
      log e
    end
  end
end
",
        r"
class Reply()
  .text
  .score
  fn ok?()
    return test(score(), 1)
  fn text()
    return self.text
  fn score()
    return self.score
class Chat(ApplicationRecord, RubyLLM.ActsAsChat)
  fn open(..._)
    return new Chat()
  fn hidden()
    return 1
  fn <clinit>()
    acts_as_chat()
class Tools()
  fn <clinit>()
    rescue_from(Failed, block=(fn (e) => {return log(e)}))
import ApplicationRecord
import RubyLLM::ActsAsChat
import Failed
",
    );
}

#[test]
fn hostile_nesting_is_left_out() {
    for (open, inside, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{ a: ", "1", " }"),
        ("f(", "1", ")"),
        ("f { |x| ", "x", " }"),
        ("\"#{", "x", "}\""),
        ("if a\n", "f\n", "end\n"),
        ("class A\n", "f\n", "end\n"),
        ("module A\n", "def f = 1\n", "end\n"),
        ("def f\n", "g\n", "end\n"),
        ("begin\n", "f\n", "rescue E\nend\n"),
        ("->(x) { ", "x", " }"),
        ("x = ", "1", "\n"),
        ("a ? b : ", "c", ""),
        ("!", "a", ""),
    ] {
        for times in [400, 5_000] {
            on_small_stack(Language::Ruby, nested(open, inside, close, times));
        }
    }
    let deep = on_small_stack(Language::Ruby, format!("x = {}", nested("[", "1", "]", 400)));
    assert!(deep.truncated);
}

#[test]
fn long_chains_are_whole() {
    let chain = |calls: usize| on_small_stack(Language::Ruby, format!("a = 1\na{}", ".b(1)".repeat(calls)));
    // One that nobody writes may be cut, and needs no more of the stack.
    chain(10_000);
    let lowered = chain(3_000);
    assert!(!lowered.truncated);
    let calls = lowered
        .exprs
        .iter()
        .filter(|expr| matches!(expr.kind, Expr::Call { .. }));
    assert_eq!(calls.count(), 3_000);
    let text = on_small_stack(Language::Ruby, format!("b = 1\na = 'x'{}", " + b".repeat(10_000)));
    assert!(!text.truncated);
    on_small_stack(
        Language::Ruby,
        format!("if a\n b\n{}end", "elsif c\n d\n".repeat(5_000)),
    );
}

#[test]
fn places_are_those_of_the_text() {
    let lowered = module(Language::Ruby, "# é\nr = c.chat(\n  text: <<~T\n    Hello\n  T\n)\n");
    let spans: Vec<(u32, u32)> = lowered
        .exprs
        .iter()
        .filter(|expr| matches!(&expr.kind, Expr::Member { name, .. } if &**name == "chat"))
        .map(|expr| (expr.span().line, expr.span().end_column))
        .collect();
    assert_eq!(spans, [(2, 11)]);
    assert!(
        lowered
            .exprs
            .iter()
            .any(|expr| matches!(&expr.kind, Expr::Str(text) if &**text == "Hello"))
    );
}

#[test]
fn every_heredoc_has_its_own_text() {
    let texts = |module: &Module| -> Vec<String> {
        let texts = module.exprs.iter().filter_map(|expr| match &expr.kind {
            Expr::Str(text) => Some(text.to_string()),
            _ => None,
        });
        texts.collect()
    };
    assert!(supports(Language::Ruby));
    let lowered = module(Language::Ruby, "f(<<~A, <<-'B')\n  one\nA\n  t\\wo\n  B\n");
    assert_eq!(texts(&lowered), ["one", "t\\wo"]);
}

const SAMPLE: &str = "require 'a'\nmodule A\n  class B < C::D\n    include E\n    K = %w[a b].freeze\n    attr_reader :x, :y\n    before_action :f, only: [:g]\n\
    def initialize(a, b = 1, *c, d:, e: 2, **f, &g)\n      @x ||= a&.b(d:, **f) { |h, (i, j)| yield h }\n      super\n    rescue F, G => e\n      retry if (n += 1) < 3\n      raise H, \"é #{e}\" unless k\n    ensure\n      l\n    end\n\
    def self.m(...) = new(...)\n    private\n    def n\n      case o\n      when 1, :p then q\n      else r\n      end\n      case s\n      in { t:, u: [v, *] } then w\n      end\n    end\n  end\nend\n\
    x = <<~T.strip + <<-'U'\n  a #{b}\nT\n  c\n  U\ny = ->(z) { z ? 1 : nil }\na, (b, *c) = d, e\nputs `ls #{f}` rescue nil\nloop do break if g end\nh[:i][0] <<= j\nk.public_send(:l, \"m\" => 1, n: 2)\n__END__\nrest\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_sources_never_panic(
        damage in prop::collection::vec((0..2_000_usize, 0..5_u8, prop_oneof![
            any::<char>(), prop::sample::select("(){}[]<>\"'`$\\#@!?.,;:=+-*/&|~%\n é".chars().collect::<Vec<_>>())
        ]), 0..8),
    ) {
        if let Some(module) = lower(Language::Ruby, &damaged(SAMPLE, &damage)) {
            dump(&module);
        }
    }
}
