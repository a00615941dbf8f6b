"""The conversation itself: finds articles, asks the model, streams the answer."""

import logging
import time
from collections.abc import AsyncIterator
from typing import Literal

import openai
from openai import AsyncOpenAI
from pydantic import BaseModel, Field

from .retrieval import Article, HelpCentre, relevant_articles
from .settings import settings

log = logging.getLogger("helpdesk.chat")

APOLOGY = "I am having trouble looking that up right now. Please try again in a minute, or call us on weekdays from 8 to 6."


class Turn(BaseModel):
    role: Literal["user", "assistant"]
    content: str = Field(max_length=4000)


class ChatRequest(BaseModel):
    conversation: str = Field(min_length=8, max_length=64)
    turns: list[Turn] = Field(min_length=1)


def system_prompt(articles: list[Article]) -> str:
    base = (settings.prompts / "chat-system.md").read_text(encoding="utf-8")
    sources = "\n\n".join(f"## {article.title}\n{article.text}" for article in articles)
    return f"{base}\n\n# Articles\n{sources}"


async def answer(client: AsyncOpenAI, centre: HelpCentre, request: ChatRequest) -> AsyncIterator[str]:
    """Streams the words of the answer to the last question of the conversation."""
    started = time.monotonic()
    question = request.turns[-1].content
    articles = await relevant_articles(client, centre, question)
    messages = [{"role": "system", "content": system_prompt(articles)}]
    messages += [turn.model_dump() for turn in request.turns[-settings.max_turns:]]

    words = 0
    try:
        stream = await client.chat.completions.create(
            model=settings.chat_model,
            messages=messages,
            temperature=0.2,
            stream=True,
        )
        async for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                words += 1
                yield chunk.choices[0].delta.content
    except openai.RateLimitError:
        log.warning("conversation=%s rate limited", request.conversation)
        yield APOLOGY
    except openai.APIError:
        log.exception("conversation=%s failed", request.conversation)
        yield APOLOGY
    else:
        elapsed = time.monotonic() - started
        log.info("conversation=%s pieces=%d elapsed=%.2f", request.conversation, words, elapsed)
