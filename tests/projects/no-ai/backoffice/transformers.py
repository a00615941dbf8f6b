"""Electrical transformers that are rented out, and the line of tests each one passes on its return."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Transformer:
    serial: str
    kilovolt_ampere: int
    oil_litres: int
    attention_heads: int = 0  # bushings that need attention


Check = Callable[[Transformer], bool]

CHECKS: dict[str, list[Check]] = {
    "cooling": [lambda unit: unit.oil_litres >= unit.kilovolt_ampere // 4],
    "sentiment-analysis": [lambda unit: not unit.serial.endswith("-GRUMPY")],
    "bushings": [lambda unit: unit.attention_heads == 0],
}


def pipeline(task: str) -> Check:
    checks = CHECKS[task]
    return lambda unit: all(check(unit) for check in checks)


def ready(unit: Transformer) -> bool:
    return all(pipeline(task)(unit) for task in CHECKS)
