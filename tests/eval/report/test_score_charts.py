"""Charts: scales that show differences, the same for every model."""

import pytest

from blend.eval.report.score_charts import colour_domain


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
