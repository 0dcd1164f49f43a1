"""Local variants: English texts that a locale means by the same words of its own."""

import polars as pl
import pytest

from blend.builders.judges.equivalence import LexicalJudge, Verdict
from blend.builders.mcq import build_mcq
from blend.builders.mcq.options import LOCAL_VARIANTS, LocalVariants
from blend.schemas.recipe.recipe import JudgeOptions, McqOptions
from helpers.questions.mcq_inputs import frames_of


def annotated(tag, *groups):
    rows = [{"answers": local, "en_answers": english, "count": 3} for local, english in groups]
    return pl.DataFrame([{"locale": tag, "annotations": rows}])


KOREAN = annotated(
    "ko-KR",
    (["축구"], ["Soccer"]),
    (["축구!", "풋볼"], ["football"]),
    (["농구"], ["basketball"]),
    (["-"], ["chess"]),
)


def test_texts_for_the_same_words_mean_the_same():
    known = LocalVariants(KOREAN)
    assert known.also("ko-KR", "soccer") == {"football"}
    assert known.also("ko-KR", "football") == {"soccer"}
    assert known.also("ko-KR", "basketball") == frozenset()


def test_what_one_locale_says_holds_for_no_other():
    assert LocalVariants(KOREAN).also("ko-KP", "soccer") == frozenset()


def test_a_variant_without_words_says_nothing():
    both = pl.concat([annotated("ko-KR", (["-"], ["rowing"])), KOREAN])
    assert LocalVariants(both).also("ko-KR", "rowing") == frozenset()


def made(said_in, *, judge=JudgeOptions(shipped=False), judges=None):  # noqa: B008
    """Four regions answer differently, but one of them means rowing and chess by the same word elsewhere."""
    answers = {"en-GB": "rowing", "en-US": "tennis", "ko-KR": "chess", "es-ES": "darts", "fa-IR": "polo"}
    templates = {"T-01": {tag: [(text, 4)] for tag, text in answers.items() if tag != "fa-IR"}}
    if said_in == "fa-IR":
        templates["T-01"]["fa-IR"] = []
    templates["T-02"] = {said_in: [("rowing", 1), ("chess", 1)]}
    questions, annotations = frames_of(templates)
    word = pl.struct(
        answers=pl.lit(["x1"], dtype=pl.List(pl.String)),
        en_answers=pl.element().struct.field("en_answers"),
        count=pl.element().struct.field("count"),
    )
    same_word = pl.col("annotations").list.eval(word)
    annotations = annotations.with_columns(
        pl.when(pl.col("template_id") == "T-02").then(same_word).otherwise("annotations").alias("annotations")
    )
    build = build_mcq(questions, annotations, options=McqOptions(judge=judge), seed=0, judges=judges)
    return dict(build.summary.select("locale", "mcqs").rows()), dict(
        build.deciders.select("judge", "same").iter_rows()
    )


@pytest.mark.slow
@pytest.mark.parametrize("said_in", ["en-GB", "ko-KR"])
def test_either_of_two_locales_may_say_that_its_answer_is_the_others(said_in):
    mcqs, deciders = made(said_in)
    # Rowing and chess cannot stand side by side, and every question needs all four answers.
    assert set(mcqs.values()) == {0}
    assert deciders[LOCAL_VARIANTS] == 2


def test_a_third_locale_has_no_say():
    mcqs, deciders = made("fa-IR")
    assert all(n for tag, n in mcqs.items() if tag != "fa-IR")
    assert LOCAL_VARIANTS not in deciders


def test_a_recipe_can_do_without():
    mcqs, deciders = made("ko-KR", judge=JudgeOptions(shipped=False, local_variants=False))
    assert all(mcqs.values())
    assert LOCAL_VARIANTS not in deciders


class Different:
    name = "decisions"

    def verdicts(self, pairs):
        return [Verdict(False, self.name) if pair == ("chess", "rowing") else None for pair in pairs]


def test_a_decision_overrules_it():
    mcqs, _ = made("ko-KR", judges=(Different(), LexicalJudge()))
    assert all(mcqs.values())
