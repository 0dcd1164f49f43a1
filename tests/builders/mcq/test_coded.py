"""Rows written out from numbers are those of the plain definition, question by question."""

from itertools import chain, combinations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from mcq_inputs import FRUIT, RULES, frames_of
from polars.testing import assert_frame_equal

from blend.builders.mcq import build_mcq
from blend.builders.mcq.coded import mcq_frame
from blend.builders.mcq.default import Block, DefaultPlan
from blend.builders.mcq.digests import digest
from blend.builders.mcq.paper import PaperPlan
from blend.builders.mcq.positions import arranged, shared_out, split_off
from blend.schemas.frames import MCQS
from blend.schemas.recipe import McqOptions

SEED = 3
WORDS = ["apple", "pear", "plum", "dates", "grape", "fig", "quince", "red apple", "𝔞", "ｆig"]
TAGS = ["en-GB", "en-US", "ko-KR", "ar-DZ", "zh-CN", "id-ID", "el-GR"]
ANSWERS = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(2, 4)), min_size=1, max_size=3, unique=True)
ANSWERED = st.dictionaries(st.sampled_from(TAGS), ANSWERS, min_size=4)


def built(answered, options):
    ordered = {tag: sorted(groups, key=lambda group: -group[1]) for tag, groups in answered.items()}
    return build_mcq(*frames_of({"T-1": ordered}), options=options, seed=SEED, judges=RULES)


def plain_paper_rows(plan: PaperPlan) -> pl.DataFrame:
    rows = []
    for part in plan.parts:
        for answer in part.answers:
            right = (answer, part.locale.tag)
            for distractors in combinations(part.options, 3):
                options = sorted((*distractors, right), key=lambda option: (option[0], plan.names[option[1]]))
                texts, tags = zip(*options, strict=True)
                mcq_id = f"{plan.template_id}_{len(rows)}"
                rows.append((mcq_id, "T-1", part.locale.tag, texts, tags, options.index(right)))
    return pl.DataFrame(rows, MCQS, orient="row")


def plain_default_rows(plan: DefaultPlan) -> pl.DataFrame:
    rows = []
    for block in plan.blocks:
        tag = block.locale.tag
        ids = block.ids("T-1")
        digests = [digest(SEED, mcq_id) for mcq_id in ids]
        in_groups = [shared_out(digests[i : i + 4]) for i in range(0, split_off(len(ids)), 4)]
        positions = [p for group in in_groups for p in group] + list(plan.rest.get(("T-1", tag), ()))
        for mcq_id, key, position, pick in zip(ids, digests, positions, block.picks.tolist(), strict=True):
            gold, *distractors = pick
            options = arranged([block.distractors[i] for i in distractors], key)
            options.insert(position, (block.golds[gold], tag))
            texts, tags = zip(*options, strict=True)
            rows.append((mcq_id, "T-1", tag, texts, tags, position))
    return pl.DataFrame(rows, MCQS, orient="row")


def plain_digests(block: Block) -> list[int]:
    found = []
    for gold, *distractors in block.picks.tolist():
        right = (block.golds[gold], block.locale.tag)
        options = sorted([right, *(block.distractors[i] for i in distractors)])
        found.append(digest(right[0], *chain(*options)))
    return found


@settings(max_examples=60)
@given(ANSWERED)
def test_paper_rows(answered):
    for plan in built(answered, McqOptions(mode="paper")).plans:
        assert_frame_equal(mcq_frame([plan.rows()]), plain_paper_rows(plan))


@settings(max_examples=60)
@given(ANSWERED, st.sampled_from([1, 3, 5, "all"]))
def test_default_rows(answered, limit):
    for plan in built(answered, McqOptions(variants=limit)).plans:
        assert_frame_equal(mcq_frame([plan.rows()]), plain_default_rows(plan))
        for block in plan.blocks:
            assert block.digests.tolist() == plain_digests(block)


def test_templates_one_after_the_other():
    plans = [plan for mode in ("default", "paper") for plan in built(FRUIT, McqOptions(mode=mode)).plans]
    frames = [mcq_frame([plan.rows()]) for plan in plans]
    assert len({tuple(frame.row(0)[3]) for frame in frames}) == len(frames) == 2
    assert_frame_equal(mcq_frame([plan.rows() for plan in plans]), pl.concat(frames))


def test_there_is_something_to_compare():
    for options in (McqOptions(mode="paper"), McqOptions()):
        assert built(FRUIT, options).n_mcqs == 4
