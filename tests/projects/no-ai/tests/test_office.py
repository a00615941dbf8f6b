from pathlib import Path

from backoffice.agents import SENIOR, commission, show
from backoffice.app import app
from backoffice.pricing.model import Building, PriceModel
from backoffice.stock.prediction import Article, inference
from backoffice.transformers import Transformer, ready

MODEL = Path(__file__).parent.parent / "rates" / "model.json"


def test_old_buildings_cost_more() -> None:
    model = PriceModel.load(MODEL)
    assert model.predict(Building(100, 1960, "B", False)) == 30_000
    assert model.predict(Building(100, 1990, "B", False)) == 24_000


def test_an_article_that_runs_out_is_ordered() -> None:
    fuses = Article("fuses", 10, [4, 6, 5], 2)
    lamps = Article("lamps", 90, [4, 6, 5], 2)
    assert inference([fuses, lamps]) == ["fuses"]


def test_an_agent_who_showed_the_flat_is_paid() -> None:
    show("Quay 3")
    assert commission(SENIOR, 1_000_00) == 3_000


def test_a_transformer_without_oil_is_not_ready() -> None:
    assert not ready(Transformer("T-1", 400, 10))


def test_a_chat_is_completed_by_a_person() -> None:
    body = {"chat": 7, "clerk": "Ann", "messages": ["Thank you!"]}
    assert app.test_client().post("/v1/chat/completions", json=body).get_json()["outcome"] == "solved"
