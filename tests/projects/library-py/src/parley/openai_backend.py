"""Backend for OpenAI."""

from __future__ import annotations

import logging

import openai

from .base import Backend, BackendError, Message, Reply
from .registry import register

log = logging.getLogger(__name__)


@register
class OpenAIBackend(Backend):
    name = "openai"

    def __init__(self, *, client: openai.OpenAI | None = None, attempts: int = 3, pause: float = 0.5) -> None:
        super().__init__(attempts=attempts, pause=pause)
        self._client = client or openai.OpenAI()

    def _send(self, messages: list[Message], model: str) -> Reply:
        try:
            answer = self._client.chat.completions.create(
                model=model,
                messages=[{"role": message.role, "content": message.text} for message in messages],  # type: ignore[misc]
            )
        except (openai.RateLimitError, openai.APIConnectionError) as error:
            raise BackendError(str(error), passing=True) from error
        except openai.OpenAIError as error:
            raise BackendError(str(error)) from error
        tokens = answer.usage.total_tokens if answer.usage else 0
        log.debug("model=%s tokens=%d", answer.model, tokens)
        return Reply(answer.choices[0].message.content or "", tokens, answer.model)
