"""The conversation with a client that is replaced: no model is called here."""

import asyncio
from types import SimpleNamespace
from unittest.mock import AsyncMock, patch

import httpx
import numpy as np
import openai

from api.chat import APOLOGY, ChatRequest, answer
from api.retrieval import Article, HelpCentre

CENTRE = HelpCentre([Article(1, "Meter reading", "Send it by the third.")], np.ones((1, 3), dtype=np.float32))
REQUEST = ChatRequest(conversation="conversation-1", turns=[{"role": "user", "content": "When is my reading due?"}])


def fake_client(create: AsyncMock) -> SimpleNamespace:
    embedding = SimpleNamespace(data=[SimpleNamespace(embedding=[1.0, 1.0, 1.0])])
    return SimpleNamespace(
        embeddings=SimpleNamespace(create=AsyncMock(return_value=embedding)),
        chat=SimpleNamespace(completions=SimpleNamespace(create=create)),
    )


async def stream(*pieces: str):
    for piece in pieces:
        yield SimpleNamespace(choices=[SimpleNamespace(delta=SimpleNamespace(content=piece))])


async def collect(client: SimpleNamespace) -> str:
    return "".join([piece async for piece in answer(client, CENTRE, REQUEST)])


def test_the_answer_is_streamed_piece_by_piece() -> None:
    create = AsyncMock(return_value=stream("By ", "the ", "third."))
    assert asyncio.run(collect(fake_client(create))) == "By the third."
    assert create.await_args.kwargs["stream"] is True


def test_the_articles_reach_the_system_prompt() -> None:
    create = AsyncMock(return_value=stream("ok"))
    asyncio.run(collect(fake_client(create)))
    assert "Send it by the third." in create.await_args.kwargs["messages"][0]["content"]


def test_a_failing_provider_becomes_an_apology() -> None:
    failure = openai.APIConnectionError(request=httpx.Request("POST", "http://test.invalid"))
    assert asyncio.run(collect(fake_client(AsyncMock(side_effect=failure)))) == APOLOGY


def test_the_key_comes_from_the_environment_only() -> None:
    with patch("openai.AsyncOpenAI") as build:
        client = openai.AsyncOpenAI()
        client.chat.completions.create(model="gpt-4.1-mini", messages=[])
        build.assert_called_once_with()
