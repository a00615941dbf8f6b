"""One small interface in front of several providers of language models."""

from .base import Backend, BackendError, Message, Reply
from .registry import backend, register

__all__ = ["Backend", "BackendError", "Message", "Reply", "backend", "register"]
__version__ = "1.2.0"
