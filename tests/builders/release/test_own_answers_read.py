"""Readers of options who are annotators of the region as well: told once each."""

from pathlib import Path

from blend.builders.release.tables import build_tables
from blend.loaders.recipes.ready import sample_recipe


def test_an_annotator_who_reads_options(tmp_path: Path):
    rows = ["food-01\tko-KR\tramen\tok\ta01", "food-02\tko-KR\trice\tok\ta01", "food-01\tko-KR\tramen\tok\tr9"]
    text = "\n".join(
        ["template_id\tlocale\toption\tverdict\treader", *rows, "food-01\ten-US\tramen\tok\tnobody"]
    )
    (tmp_path / "verdicts.tsv").write_text(text, encoding="utf-8")
    sample = sample_recipe()
    mcq = sample.mcq.model_copy(update={"verdicts": "verdicts.tsv"})
    recipe = sample.model_copy(update={"mcq": mcq, "locales": ("ko-KR", "en-US")})
    found = build_tables(recipe, base=tmp_path).findings().filter(kind="own-answers-read")
    assert found.select("source", "locale", "template_id", "detail").rows() == [
        (
            "verdicts.tsv:2",
            "ko-KR",
            None,
            "reader a01 of options is an annotator of ko-KR too; all 2 verdicts count",
        )
    ]
