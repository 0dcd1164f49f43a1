"""Options in which a slip was put right are answers of their region; after any other change, none is."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.builders.parquet import schema_digest
from blend.builders.validate.answers import check_options
from blend.builders.validate.checked_release import Release
from blend.loaders.recipes import sample_recipe
from blend.loaders.responses.verdicts import shipped_verdicts
from blend.schemas.arrow_types import arrow_schema
from blend.schemas.locales import registry
from blend.schemas.manifest import ReleaseManifest, TableInfo
from blend.schemas.recipe import JudgeOptions, McqOptions
from blend.schemas.rows import ANNOTATIONS, CONFIGS, SHORT_ANSWER_QUESTIONS

MCQS = "multiple-choice-questions"


def put_right() -> tuple[str, str, str, str]:
    """A template, a question of it that was read, an answer with a slip, and what is shown in its place."""
    verdicts = shipped_verdicts()
    asked = verdicts.filter(verdict="read", locale="en-GB").select("template_id", "question")
    slips = verdicts.filter(verdict="slip").drop_nulls("option").select("template_id", "option", "with")
    template_id, answer, shown, question = slips.join(asked, on="template_id").sort(slips.columns).row(0)
    return template_id, question, answer, shown


TEMPLATE, QUESTION, ANSWER, CORRECTED = put_right()


def release_of(path: Path, option: str, *, question: str = QUESTION, **mcq: Any) -> Release:
    """A release in which the UK and the US gave one answer; a question shows an option of both."""
    key = {"ID": TEMPLATE, "locale": "en-GB"}
    asked = {"question": question, "en_question": question, "language": "en", "topic": "Food", "source": None}
    annotation = {"answers": [ANSWER], "en_answers": [ANSWER], "count": 3}
    none = {"idk": 0, "no-answer": 0, "not-applicable": 0, "others": []}
    rows = {
        SHORT_ANSWER_QUESTIONS: [
            {**key, "Translation": question, "Question": question, "Topic": "Food", "Source": ""}
            | {"language": "en", "answer_format": "text"},
        ],
        ANNOTATIONS: [
            {**key, **asked, "locale": tag, "annotations": [annotation], "idks": none, "grouping": "reviewed"}
            for tag in ("en-GB", "en-US")
        ],
        # Two of the options are of people who were not asked.
        MCQS: [
            {**key, **asked, "MCQID": "1", "options": [option, option.upper(), "b", "c"], "answer": 0}
            | {"option_regions": ["GB", "US", "KR", "CN"], "answer_idx": "A", "country": "UK"}
            | {"prompt": "?", "choices": "?"}
        ],
    }
    tables = []
    for config, of_config in rows.items():
        schema = arrow_schema(CONFIGS[config])
        pq.write_table(pa.Table.from_pylist(of_config, schema), path / f"{config}.parquet")
        digests = {"content_sha256": "0" * 64, "schema_sha256": schema_digest(schema)}
        files = (f"{config}.parquet",)
        tables.append(TableInfo(config=config, split="GB", rows=len(of_config), files=files, **digests))
    recipe = sample_recipe().model_copy(update={"mcq": McqOptions(**mcq)})
    manifest = ReleaseManifest(
        name="few", version="1.0.0", sdk_version="1", writers={}, recipe=recipe, sources=(),
        tables=tuple(tables), files=(), report=(),
    )  # fmt: skip
    return Release(path, manifest, registry())


def refused(release: Release) -> list[str]:
    return [problem.what for problem in check_options(release) if "overlap" not in problem.what]


@pytest.mark.parametrize("option", [ANSWER, CORRECTED])
def test_an_answer_and_what_stands_in_its_place_are_given(tmp_path: Path, option: str):
    assert ANSWER != CORRECTED
    assert refused(release_of(tmp_path, option)) == []


def test_no_other_change_of_text_is(tmp_path: Path):
    other = f"{CORRECTED}s"
    assert refused(release_of(tmp_path, other)) == [
        f"the correct option {other!r} is not an answer of en-GB to {TEMPLATE}",
        f"the distractor {other.upper()!r} is not an answer of region US to {TEMPLATE}",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        {"question": "What do people do?"},
        {"mode": "paper"},
        {"judge": JudgeOptions(shipped=False)},
    ],
    ids=["another-dataset", "paper", "not-shipped"],
)
def test_nor_what_was_put_right_where_a_build_shows_the_answer_as_given(tmp_path: Path, other: dict[str, Any]):
    assert len(refused(release_of(tmp_path, CORRECTED, **other))) == 2
    assert refused(release_of(tmp_path, ANSWER, **other)) == []
