"""Finds a backend by its name and imports it only then."""

from __future__ import annotations

from importlib import import_module

from .base import Backend, BackendError

_BUILT_IN = {"openai": "parley.openai_backend", "anthropic": "parley.anthropic_backend"}
_registered: dict[str, type[Backend]] = {}


def register(cls: type[Backend]) -> type[Backend]:
    _registered[cls.name] = cls
    return cls


def backend(name: str, **options: float) -> Backend:
    if name not in _registered and name in _BUILT_IN:
        try:
            import_module(_BUILT_IN[name])
        except ImportError as error:
            raise BackendError(f'install "parley-client[{name}]" to use this backend') from error
    if name not in _registered:
        raise BackendError(f"there is no backend {name!r}")
    return _registered[name](**options)  # type: ignore[arg-type]
