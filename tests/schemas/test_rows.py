"""Row models: what a row may be, and the column types that follow from it."""

import pyarrow as pa
import pytest
from pydantic import ValidationError

from blend.schemas.arrow_types import arrow_schema, frame_schema, published_names
from blend.schemas.models import field_sentences
from blend.schemas.rows import CONFIGS, MultipleChoiceQuestion


def mcq(**changes: object) -> MultipleChoiceQuestion:
    row = {
        "MCQID": "t1_KR_0",
        "ID": "t1",
        "country": "South_Korea",
        "prompt": "?",
        "choices": "{}",
        "choice_countries": "{}",
        "answer_idx": "B",
        "question": "?",
        "options": ("a", "b", "c", "d"),
        "option_regions": ("US", "KR", "MX", "JB"),
        "answer": 1,
        "locale": "ko-KR",
        "topic": "Food",
        "answer_spread": "shared",
    }
    return MultipleChoiceQuestion.model_validate({**row, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": ("a", "b", "a", "d")}, "options are not distinct"),
        ({"option_regions": ("US", "KR", "US", "JB")}, "regions are not distinct"),
        ({"answer_idx": "A"}, "letter A is not option 1"),
        ({"answer": 4}, "less than 4"),
        ({"options": ("a", "b", "c")}, "at least 4 items"),
        ({"answer_spread": "common"}, "'universal', 'shared' or 'specific'"),
    ],
)
def test_what_a_multiple_choice_question_may_not_be(changes: dict[str, object], message: str):
    with pytest.raises(ValidationError, match=message):
        mcq(**changes)


@pytest.mark.parametrize("config", CONFIGS)
def test_every_published_column_is_described(config: str):
    described = {name: field_sentences(CONFIGS[config]).get(name) for name in CONFIGS[config].model_fields}
    assert all(described.values()), described


@pytest.mark.parametrize("config", CONFIGS)
def test_one_model_gives_columns_and_frame(config: str):
    model = CONFIGS[config]
    assert list(frame_schema(model)) == list(model.model_fields)
    assert arrow_schema(model).names == list(published_names(model).values())


def test_upstream_columns_keep_their_names_and_types():
    # The columns of the public dataset, so that changing the repository id is the only edit.
    annotations = arrow_schema(CONFIGS["annotations"])
    assert annotations.field("annotations").type == pa.list_(
        pa.struct(
            [
                pa.field("answers", pa.list_(pa.string())),
                pa.field("en_answers", pa.list_(pa.string())),
                pa.field("count", pa.int64()),
            ]
        )
    )
    assert [f.name for f in annotations.field("idks").type] == ["idk", "no-answer", "not-applicable", "others"]
    questions = arrow_schema(CONFIGS["short-answer-questions"])
    assert questions.names[:5] == ["ID", "Topic", "Source", "Question", "Translation"]
    mcqs = arrow_schema(CONFIGS["multiple-choice-questions"])
    assert mcqs.names[:7] == ["MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx"]
