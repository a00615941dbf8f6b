"""The price model of the building insurance: a table of rates and three factors."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Building:
    square_metres: int
    built: int
    zone: str
    sprinklers: bool


class PriceModel:
    """Multiplies a rate by what is known of the building. The actuaries set the numbers once a year."""

    def __init__(self, rates: dict[str, int], surcharge_before: int, surcharge: float, rebate: float) -> None:
        self.rates = rates
        self.surcharge_before = surcharge_before
        self.surcharge = surcharge
        self.rebate = rebate

    @classmethod
    def load(cls, path: Path) -> "PriceModel":
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def predict(self, building: Building) -> int:
        """Yearly price in cents."""
        price = building.square_metres * self.rates[building.zone]
        if building.built < self.surcharge_before:
            price = round(price * self.surcharge)
        if building.sprinklers:
            price = round(price * self.rebate)
        return price


def quote(building: Building, model_path: Path = Path("rates/model.json")) -> int:
    model = PriceModel.load(model_path)
    return model.predict(building)
