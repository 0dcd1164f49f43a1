"""Charts: scales that show differences, the same for every model."""

import pytest

from blend.eval.report.score_charts import FEW, colour_domain
from blend.eval.scores_json import Score


@pytest.mark.parametrize(
    ("figures", "domain"),
    [
        ([23.1, 57.4], (20, 60)),
        ([0.0, 100.0], (0, 100)),
        ([0.31, 2.2], (0, 2.5)),
        ([41.0, 41.0], (41, 42)),
        ([100.0], (100, 101)),
    ],
)
def test_colours_span_the_figures(figures: list[float], domain: tuple[float, float]):
    assert colour_domain(figures) == domain


@pytest.mark.slow
def test_a_figure_of_few_answers_stretches_no_scale():
    pytest.importorskip("altair")
    from blend.eval.report.report_sections import heat_maps

    def score(key: str, value: float, n: int) -> Score:
        return Score(metric="accuracy", scope="region-topic", key=key, value=value, low=None, high=None, n=n)

    first = {("KR", "Food"): score("KR/Food", 41.0, FEW), ("KR", "Sport"): score("KR/Sport", 100.0, FEW - 1)}
    second = {("KR", "Food"): score("KR/Food", 58.0, FEW)}
    pictures, _ = heat_maps({"a": first, "b": second}, ["KR"], "accuracy, %")
    colours = [layer["encoding"]["color"] for picture in pictures for layer in picture.spec["layer"][:1]]
    assert [colour["scale"]["domain"] for colour in colours] == [[40, 60], [40, 60]]
    assert [colour["legend"]["values"] for colour in colours] == [[40, 60], [40, 60]]
