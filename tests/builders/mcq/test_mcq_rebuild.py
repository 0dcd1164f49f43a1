"""Default mode on all 16 regions, built again: from rows in another order, from verdicts on file."""

from itertools import combinations
from zlib import crc32

import pytest
from polars.testing import assert_frame_equal

from blend.builders.judges.equivalence import LexicalJudge, Verdict
from blend.builders.mcq import build_mcq
from blend.builders.mcq.answers import template_formats
from blend.schemas.formats import AnswerFormat
from blend.schemas.recipe import McqOptions

pytestmark = [pytest.mark.integration, pytest.mark.nightly]


def test_the_order_of_the_input_is_irrelevant(published, mcqs):
    shuffled = build_mcq(
        published.questions.sample(fraction=1, shuffle=True, seed=1),
        published.annotations.sample(fraction=1, shuffle=True, seed=2),
        options=McqOptions(),
        seed=0,
    )
    assert_frame_equal(shuffled.frame(), mcqs)


def test_another_seed_makes_other_questions(published, mcqs):
    other = build_mcq(published.questions, published.annotations, options=McqOptions(), seed=1).frame()
    assert len(set(other["mcq_id"]) & set(mcqs["mcq_id"])) < len(mcqs) / 2


class Oracle:
    """Holds every fifth pair for the same, by checksum, and remembers what it said."""

    name = "chat:oracle"

    def __init__(self):
        self.said = {}

    def verdicts(self, pairs):
        verdicts = [Verdict(crc32("|".join(pair).encode()) % 5 == 0, self.name) for pair in pairs]
        self.said.update(zip(pairs, verdicts, strict=True))
        return verdicts


class OnFile:
    """What was said before."""

    name = "decisions"

    def __init__(self, said):
        self.said = said

    def verdicts(self, pairs):
        return [self.said.get(pair) for pair in pairs]


@pytest.mark.parametrize("mode", ["default", "paper"])
def test_a_rebuild_from_verdicts_on_file_asks_nothing_and_makes_the_same(published, mode):
    tables, options = (published.questions, published.annotations), McqOptions(mode=mode)
    oracle, silent = Oracle(), Oracle()
    first = build_mcq(*tables, options=options, seed=0, judges=(LexicalJudge(), oracle))
    on_file = OnFile(oracle.said)
    again = build_mcq(*tables, options=options, seed=0, judges=(on_file, LexicalJudge(), silent))
    assert oracle.said
    assert silent.said == {}
    assert_frame_equal(again.frame(), first.frame())
    assert_frame_equal(again.deciders, first.deciders)
    same = {frozenset(pair) for pair, verdict in oracle.said.items() if verdict.same}
    # Default mode asks nobody about numbers and times, which free text holds as well.
    formats = template_formats(published.questions) if mode == "default" else {}
    for template_id, texts in first.frame().select("template_id", "options").iter_rows():
        if formats.get(template_id, AnswerFormat.TEXT) is AnswerFormat.TEXT:
            assert not any(frozenset(pair) in same for pair in combinations(texts, 2))
