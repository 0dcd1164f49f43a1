"""Checking a whole frame tells the same rows apart as pydantic does, one by one."""

from pathlib import Path
from typing import Annotated, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator

from blend.schemas.base.arrow_types import frame_schema, published_names
from blend.schemas.rows.configs import CONFIGS
from blend.schemas.rows.published_rows import MultipleChoiceQuestion, ShortAnswerPrompt
from blend.schemas.rows.vectorised_validation import published, suspect_rows
from helpers.examples import examples

TEXTS = st.sampled_from(["", " ", "\u00a0", "\u200b", "a", "A", "B", "Q1", "Q-1", "text", "upstream"])
SOUND = {
    "MCQID": "T-1_0",
    "ID": "T-1",
    "country": "UK",
    "prompt": "?",
    "choices": "{}",
    "choice_countries": "{}",
    "answer_idx": "B",
    "question": "?",
    "options": ["a", "b", "c", "d"],
    "option_regions": ["GB", "US", "KR", "MX"],
    "answer": 1,
    "locale": "en-GB",
    "topic": "Food",
    "answer_spread": None,
    "source": None,
    "source_order": None,
}


def values(dtype: Any) -> st.SearchStrategy[Any]:
    """Any value of a column, right and wrong ones of about the same chance."""
    if isinstance(dtype, pl.List):
        return st.none() | st.lists(values(dtype.inner), max_size=5)
    if isinstance(dtype, pl.Struct):
        return st.none() | st.fixed_dictionaries({field.name: values(field.dtype) for field in dtype.fields})
    numbers = {pl.Int64: st.integers(-1, 5), pl.Float64: st.sampled_from([-1.0, 0.0, 0.5, 2.0])}
    given = {pl.String: TEXTS, pl.Boolean: st.booleans(), **numbers}[type(dtype)]
    return st.none() | given


def published_schema(model: type[BaseModel]) -> pl.Schema:
    return pl.Schema({alias: frame_schema(model)[name] for name, alias in published_names(model).items()})


def refused(row: dict[str, Any], model: type[BaseModel]) -> bool:
    try:
        model.model_validate(row)
    except ValidationError:
        return True
    return False


MODELS = [model for model in dict.fromkeys(CONFIGS.values()) if model is not ShortAnswerPrompt]


@pytest.mark.nightly
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@settings(max_examples=examples(40))
@given(data=st.data())
def test_exactly_the_rows_that_pydantic_refuses_are_doubtful(model: type[BaseModel], data: st.DataObject):
    schema = published_schema(model)
    columns = st.fixed_dictionaries({name: values(dtype) for name, dtype in schema.items()})
    rows = pl.DataFrame(data.draw(st.lists(columns, max_size=4)), schema=schema)
    assert suspect_rows(rows, model).to_dicts() == [row for row in rows.to_dicts() if refused(row, model)]


def one_change() -> st.SearchStrategy[dict[str, Any]]:
    schema = published_schema(MultipleChoiceQuestion)
    return st.one_of([values(schema[name]).map(lambda value, name=name: {name: value}) for name in schema])


@pytest.mark.slow
@given(st.lists(one_change() | st.just({}), max_size=6))
def test_a_single_wrong_value_is_found(changes: list[dict[str, Any]]):
    rows = pl.DataFrame([{**SOUND, **change} for change in changes], published_schema(MultipleChoiceQuestion))
    expected = [row for row in rows.to_dicts() if refused(row, MultipleChoiceQuestion)]
    assert suspect_rows(rows, MultipleChoiceQuestion).to_dicts() == expected


@pytest.mark.parametrize("config", ["annotations", "short-answer-questions", "multiple-choice-questions"])
def test_no_row_of_a_sound_release_is_doubtful(sample_release: Path, config: str):
    tables = [pl.read_parquet(path) for path in (sample_release / "data" / config).iterdir()]
    assert sum(map(len, tables)) > 0
    assert all(suspect_rows(rows, CONFIGS[config]).is_empty() for rows in tables)


def test_other_columns_make_all_rows_doubtful():
    sound = pl.DataFrame([SOUND], published_schema(MultipleChoiceQuestion))
    assert suspect_rows(sound, MultipleChoiceQuestion).is_empty()
    assert len(suspect_rows(sound.with_columns(further=1), MultipleChoiceQuestion)) == 1
    assert len(suspect_rows(sound.cast({"answer": pl.Int32}), MultipleChoiceQuestion)) == 1


class Nested(BaseModel):
    text: Annotated[str, AfterValidator(lambda text: text.strip())]


class WithNested(BaseModel):
    parts: tuple[Nested, ...]


class WithRule(BaseModel):
    count: int

    @model_validator(mode="after")
    def _odd(self) -> "WithRule":
        if self.count % 2 == 0:
            raise ValueError("even")
        return self


class WithMultiple(BaseModel):
    count: int = Field(multiple_of=3)


@pytest.mark.parametrize(
    ("model", "row"),
    [
        (WithNested, {"parts": [{"text": "a"}]}),
        (WithRule, {"count": 1}),
        (WithMultiple, {"count": 3}),
        (ShortAnswerPrompt, dict.fromkeys(published_schema(ShortAnswerPrompt), "{q}")),
    ],
)
def test_rules_that_only_pydantic_knows_leave_every_row_to_it(model: type[BaseModel], row: dict[str, Any]):
    rows = pl.DataFrame([row], published_schema(model))
    assert len(suspect_rows(rows, model)) == 1


def test_a_row_that_breaks_a_rule_of_its_models_own_is_not_written():
    names = {alias: name for name, alias in published_names(MultipleChoiceQuestion).items()}
    broken = pl.DataFrame([{**SOUND, "options": ["a", "b", "a", "d"]}]).rename(names)
    with pytest.raises(ValidationError, match="T-1_0: options are not distinct"):
        published(broken, MultipleChoiceQuestion)
