import numpy as np

from api.retrieval import Article, HelpCentre


def test_the_nearest_article_comes_first() -> None:
    articles = [Article(1, "Bills", "..."), Article(2, "Meters", "...")]
    centre = HelpCentre(articles, np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32))
    assert [found.id for found in centre.nearest(np.array([0.1, 0.9]))] == [2, 1]


def test_an_empty_help_centre_finds_nothing() -> None:
    assert HelpCentre([], np.zeros((0, 2))).nearest(np.array([1.0, 0.0])) == []
