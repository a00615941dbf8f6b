"""The office over HTTP, for the counter page."""

from pathlib import Path

from flask import Flask, jsonify, request
from user_agents import parse

from .agents import show
from .chat import client, close
from .pricing.model import Building, quote

app = Flask(__name__)


@app.post("/v1/chat/completions")
def complete_chat():
    body = request.get_json()
    completion = close(body["chat"], body["clerk"], body["messages"])
    return jsonify(outcome=completion.outcome, filed=len(client.chat.completions.filed))


@app.post("/prices")
def prices():
    return jsonify(cents=quote(Building(**request.get_json()), Path(app.root_path).parent / "rates" / "model.json"))


@app.post("/viewings")
def viewings():
    agent = parse(request.headers.get("User-Agent", ""))
    return jsonify(plan=show(request.get_json()["address"]), booked_on="phone" if agent.is_mobile else "desk")


def main() -> None:
    from prompt_toolkit import prompt

    port = prompt("Port: ", default="8070")
    app.run(port=int(port))
