"""A release made from responses says how far its annotators agree: in a file, in figures, on its card."""

from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from blend.builders.saq import aggregate
from blend.builders.stats.dataset import stats_of_release
from blend.builders.stats.tables import question_tables
from blend.loaders.releases.reports import read_agreement
from blend.loaders.responses import read_responses
from blend.loaders.sample import sample_path
from blend.schemas.errors import RowError
from blend.schemas.manifest import AGREEMENT_NAME
from blend.schemas.recipe import SaqOptions


@pytest.mark.slow
def test_what_is_released_is_what_the_responses_say(sample_release: Path):
    with sample_path() as folder:
        tables = read_responses(folder)
    made = aggregate(tables.questions, tables.responses, tables.reviews, options=SaqOptions()).agreement
    held = read_agreement(sample_release)
    assert held is not None
    assert_frame_equal(held.sort("locale"), made)
    stats = stats_of_release(sample_release).questions
    assert stats is not None
    assert_frame_equal(stats.annotator_agreement, held)
    assert "annotators" in {table.name for table in question_tables(stats)}


def test_the_card_tells_it_per_locale(sample_release: Path):
    details = (sample_release / "reports" / "details.md").read_text(encoding="utf-8")
    held = read_agreement(sample_release)
    assert held is not None
    for row in held.iter_rows(named=True):
        interval = f"{row['low']:.2f} | {row['high']:.2f}"
        counts = f"{row['questions']} | {row['answers']} | {row['annotators']}"
        assert f"| {row['locale']} | {row['alpha']:.2f} | {interval} | {counts} |\n" in details


def test_a_release_without_or_with_a_broken_file(tmp_path: Path):
    assert read_agreement(tmp_path) is None
    (tmp_path / "reports").mkdir()
    for text, why in (
        ("{", "the JSON ends in the middle"),
        ('[{"locale": 3, "alpha": []}]', "is not a list of figures per locale"),
        ('[{"locale": "ko-KR", "questions": 1e400}]', "is not a list of figures per locale"),
        ("[" * 100_000, "not usable as JSON: nested too deeply"),
    ):
        (tmp_path / AGREEMENT_NAME).write_text(text)
        with pytest.raises(RowError) as raised:
            read_agreement(tmp_path)
        where = tmp_path / AGREEMENT_NAME
        assert str(raised.value) == (f"{where}: {why}; copy or build the release again")
