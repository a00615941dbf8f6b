//! Ruby: how constants, methods and values are followed, and what surrounds a call.

use engine_model::{EntryPointKind, Language, Sends};

use super::{calls, check, facts, scan};

const ASKED: &str =
    "r = OpenAI::Client.new.chat(parameters: { model: 'gpt-4o', messages: [{ role: 'user', content: q }] })";

/// An action that asks a model and then does something with the answer.
fn action(then: &str) -> String {
    format!(
        "//- app/controllers/ask_controller.rb\nclass AskController < ApplicationController\ndef create\nq = params[:q]\n{ASKED}\nanswer = r.dig('choices', 0, 'message', 'content')\n{then}\nnil\nend\nend\n"
    )
}

#[test]
fn constants_are_found_in_the_modules_around_and_not_by_their_name() {
    check(
        "//- app/services/llm/client.rb\nmodule Llm\n  class Client\n    def initialize = @inner = ::OpenAI::Client.new\n    def ask(q) = @inner.chat(parameters: { model: Models::FAST, messages: q })\n  end\nend\n\
         //- app/services/llm/models.rb\nmodule Llm\n  module Models\n    FAST = 'gpt-4o-mini'\n  end\nend\n\
         //- app/services/shop/client.rb\nmodule Shop\n  class Client\n    def chat(parameters:) = parameters\n  end\nend\n\
         //- app/services/shop/orders.rb\nmodule Shop\n  class Orders\n    def run = Client.new.chat(parameters: { model: 'gpt-4o' })\n  end\nend\n",
        "app/services/llm/client.rb:4 openai gpt-4o-mini",
    );
    // A class of one's own that is named like a library.
    check(
        "//- a.rb\nmodule Providers\n  class OpenAI\n    def client = ::OpenAI::Client.new\n    def ask(q) = client.chat(parameters: { model: 'gpt-4', messages: q })\n  end\nend\nProviders::OpenAI.new.ask('x')\n",
        "a.rb:4 openai gpt-4",
    );
}

#[test]
fn clients_come_from_bases_concerns_readers_and_blocks() {
    check(
        "//- app/models/base.rb\nclass Base\n  private\n  def client = Anthropic::Client.new\nend\n//- app/models/talk.rb\nclass Talk < Base\n  def run(q)\n    client.messages.create(model: 'claude-sonnet-4-5', messages: q)\n  end\nend\n",
        "app/models/talk.rb:3 anthropic claude-sonnet-4-5",
    );
    check(
        "//- a.rb\nclass A\n  attr_reader :client\n  def initialize(client) = @client = client\n  def ask(q) = client.responses.create(model: ENV.fetch('M', 'gpt-4.1'), input: q)\nend\nA.new(OpenAI::Client.new).ask('x')\n",
        "a.rb:4 openai gpt-4.1",
    );
    check(
        "//- a.rb\nrequire 'net/http'\nuri = URI.join('https://api.mistral.ai', '/v1/chat/completions')\nNet::HTTP.start(uri.host, uri.port, use_ssl: true) do |http|\n  request = Net::HTTP::Post.new(uri)\n  request.body = \
         JSON.generate(model: 'mistral-large-latest', messages: [])\n  http.request(request)\nend\n",
        "a.rb:6 mistral mistral-large-latest",
    );
    // What a client hands out on the way asks nothing.
    assert_eq!(
        calls("//- a.rb\nopenai = OpenAI::Client.new\nchat = openai.chat\nputs openai.models.list\n"),
        ""
    );
    assert_eq!(
        calls(
            "//- a.rb\n# https://api.openai.com/v1/chat/completions\nFaraday.post('https://shop.example.org/v1/orders', { model: 'x1' }.to_json)\n"
        ),
        ""
    );
}

#[test]
fn rails_methods_give_output_effects() {
    for (then, words) in [
        ("render json: { answer: answer }", "unhandled unlogged page"),
        ("@answer = answer", "unhandled unlogged page"),
        ("system(answer)", "unhandled unlogged shell"),
        ("Open3.capture2(answer)", "unhandled unlogged shell"),
        (
            "AnswerMailer.with(text: answer).ready.deliver_later",
            "unhandled unlogged mail",
        ),
        ("@note.answers.create!(text: answer)", "unhandled unlogged database"),
        (
            "note = Note.find(3)\nnote.text = answer\nnote.save!",
            "unhandled logged database",
        ),
        (
            "Turbo::StreamsChannel.broadcast_append_to('a', html: answer)",
            "unhandled unlogged page",
        ),
        ("Rails.logger.info(\"asked: #{answer}\")", "unhandled logged"),
        ("n = answer.size", "unhandled unlogged"),
        ("digest.update(answer)", "unhandled unlogged"),
    ] {
        facts(&action(then), words);
    }
    facts(
        &action("head :ok").replace(
            "nil\nend",
            "nil\nrescue Faraday::Error => e\nSentry.capture_exception(e)\nnil\nend",
        ),
        "handled logged",
    );
    facts(
        &action("head :ok").replace("def create", "rescue_from Faraday::Error, with: :sorry\ndef create"),
        "handled unlogged",
    );
}

#[test]
fn what_is_sent_is_told_by_requests_rows_and_files() {
    let sent = |source: &str| {
        let tree = format!("//- a.rb\nclass Asks\ndef run(given)\nq = {source}\n{ASKED}\nend\nend\n");
        scan(&tree)
            .calls
            .iter()
            .find(|call| !call.sends.is_empty())
            .expect("a call")
            .sends
            .clone()
    };
    assert_eq!(sent("params[:q].strip"), [Sends::UserInput]);
    assert_eq!(sent("JSON.parse(request.body.read)['q']"), [Sends::UserInput]);
    assert_eq!(sent("Note.where(id: 3).first.text"), [Sends::Database]);
    assert_eq!(sent("File.read('notes.txt')"), [Sends::File]);
    assert_eq!(sent("'a fixed question'"), [Sends::Constant]);
    assert_eq!(sent("given"), [Sends::Unknown]);
}

#[test]
fn routes_jobs_tasks_and_scripts_lead_to_calls() {
    let tree = format!(
        "//- app/controllers/ask_controller.rb\nclass AskController < ApplicationController\n  def create\n    {ASKED}\n  end\n  private\n  def hidden = 1\nend\n//- app/jobs/ask_job.rb\nclass AskJob < ApplicationJob\n  def \
         perform(q)\n    {ASKED}\n  end\nend\n//- lib/tasks/ask.rake\ntask ask: :environment do\n  {ASKED}\nend\n//- web.rb\nrequire 'sinatra'\npost '/ask' do\n  {ASKED}\nend\n//- app/models/note.rb\nclass Note < ApplicationRecord\n  \
         after_create :ask\n  def ask\n    {ASKED}\n  end\nend\n"
    );
    let mut found: Vec<String> = scan(&tree)
        .entry_points
        .iter()
        .filter(|entry| entry.entry.kind != EntryPointKind::Main)
        .map(|entry| format!("{:?} {}", entry.entry.kind, entry.entry.name))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "Command ask",
            "Http /ask",
            "Http AskController.create",
            "Job AskJob.perform",
            "Job Note.ask",
        ]
    );
}

#[test]
fn imports_are_told_from_lines() {
    let found = crate::prefilter::imports(
        Language::Ruby,
        "require 'openai'\nrequire_relative \"../lib/llm\"\n# Comment::Only\nx = A::B.new(Chat, URL, \"👋 Hi\")\nclass Cat < Dog\n  acts_as_chat\nend\n",
    );
    assert_eq!(
        found,
        [
            "./../lib/llm",
            "A::B",
            "Cat",
            "Chat",
            "Dog",
            "Hi",
            "RubyLLM::ActsAsChat",
            "openai"
        ]
    );
}
