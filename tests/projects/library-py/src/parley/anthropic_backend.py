"""Backend for Anthropic."""

from __future__ import annotations

import anthropic

from .base import Backend, BackendError, Message, Reply
from .registry import register


@register
class AnthropicBackend(Backend):
    name = "anthropic"
    max_tokens = 1024

    def __init__(self, *, client: anthropic.Anthropic | None = None, attempts: int = 3, pause: float = 0.5) -> None:
        super().__init__(attempts=attempts, pause=pause)
        self._client = client or anthropic.Anthropic()

    def _send(self, messages: list[Message], model: str) -> Reply:
        system = "\n".join(message.text for message in messages if message.role == "system")
        turns = [{"role": message.role, "content": message.text} for message in messages if message.role != "system"]
        try:
            answer = self._client.messages.create(
                model=model, max_tokens=self.max_tokens, system=system, messages=turns  # type: ignore[arg-type]
            )
        except (anthropic.RateLimitError, anthropic.APIConnectionError) as error:
            raise BackendError(str(error), passing=True) from error
        except anthropic.AnthropicError as error:
            raise BackendError(str(error)) from error
        text = "".join(block.text for block in answer.content if block.type == "text")
        return Reply(text, answer.usage.input_tokens + answer.usage.output_tokens, answer.model)
