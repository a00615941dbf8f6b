from types import SimpleNamespace
from unittest.mock import MagicMock

from parley import Message
from parley.openai_backend import OpenAIBackend


def test_the_reply_holds_text_and_tokens() -> None:
    client = MagicMock()
    client.chat.completions.create.return_value = SimpleNamespace(
        model="some-model",
        usage=SimpleNamespace(total_tokens=7),
        choices=[SimpleNamespace(message=SimpleNamespace(content="Hello"))],
    )
    reply = OpenAIBackend(client=client).complete([Message("user", "hi")], model="some-model")
    assert (reply.text, reply.tokens) == ("Hello", 7)
    assert client.chat.completions.create.call_args.kwargs["model"] == "some-model"
