"""Default mode on all 16 regions: what readers of the dataset may rely on, and the figures of docs/mcq.md."""

import os
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from zlib import crc32

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.builders.audit import audit_questions
from blend.builders.judges.equivalence import LexicalJudge, Verdict, overlaps
from blend.builders.mcq import build_mcq
from blend.builders.mcq.answers import template_formats
from blend.builders.mcq.typical import Said, Typicality
from blend.builders.mcq.values import is_latin, shown
from blend.loaders.responses.decisions import pair_key
from blend.loaders.responses.shipped import shipped_decisions
from blend.schemas.formats import AnswerFormat, canonical, magnitude, understood
from blend.schemas.locales import registry
from blend.schemas.mentions import names_any
from blend.schemas.recipe import McqOptions

pytestmark = pytest.mark.integration

REGION = {locale.tag: locale.region for locale in registry()}


@pytest.fixture(scope="module")
def published(clean_tables):
    return clean_tables


@pytest.fixture(scope="module")
def build(published):
    return build_mcq(published.questions, published.annotations, options=McqOptions(), seed=0)


@pytest.fixture(scope="module")
def mcqs(build):
    return build.frame()


@pytest.fixture(scope="module")
def acceptable(published):
    """By template and region, every English variant of every answer."""
    variants = (
        published.annotations.explode("annotations")
        .select("template_id", "locale", text=pl.col("annotations").struct.field("en_answers"))
        .explode("text")
        .drop_nulls()
    )
    found: dict[tuple[str, str], set[str]] = {}
    for template_id, tag, text in variants.iter_rows():
        found.setdefault((template_id, tag), set()).add(shown(text))
    return found


def positions(rows):
    return [rows.filter(pl.col("answer") == position).height for position in range(4)]


def test_the_right_answer_stands_everywhere_equally_often(mcqs):
    for tag, rows in mcqs.group_by("locale"):
        counts = positions(rows)
        assert max(counts) - min(counts) <= 1, tag


def test_no_position_answers_all_variants_of_a_question(mcqs):
    for _, rows in mcqs.group_by("template_id", "locale"):
        if len(rows) >= 4:
            assert min(positions(rows)) >= 1


def test_no_wrong_option_overlaps_an_acceptable_answer_or_another_option(mcqs, acceptable, published):
    formats = template_formats(published.questions)
    compared = 0
    for row in mcqs.iter_rows(named=True):
        answer_format = formats[row["template_id"]]
        right = row["options"][row["answer"]]
        own = acceptable[row["template_id"], row["locale"]]
        if answer_format is AnswerFormat.TEXT:
            assert not any(overlaps(a, b) for a, b in combinations(row["options"], 2))
            assert right in own
        else:
            assert len(set(row["options"])) == 4
            assert all(canonical(option, answer_format) == option for option in row["options"])
            own = {understood(text, answer_format) or "" for text in own}
            assert right in own
        for i, option in enumerate(row["options"]):
            if i == row["answer"]:
                continue
            compared += len(own)
            if answer_format is AnswerFormat.TEXT:
                assert not any(overlaps(option, text) for text in own), row
            else:
                assert option not in own, row
    assert compared > 50_000


def test_no_distractor_is_decided_to_be_right_as_well(mcqs, acceptable, published):
    formats = template_formats(published.questions)
    same = {pair_key(d.answer_a, d.answer_b) for d in shipped_decisions() if d.verdict == "same"}
    for row in mcqs.iter_rows(named=True):
        if formats[row["template_id"]] is AnswerFormat.TEXT:
            own = acceptable[row["template_id"], row["locale"]]
            wrong = [text for i, text in enumerate(row["options"]) if i != row["answer"]]
            assert not [(a, b) for a in wrong for b in own if pair_key(a, b) in same], row
            assert not [two for two in combinations(row["options"], 2) if pair_key(*two) in same], row


def test_every_wrong_option_is_a_well_voted_answer_of_its_own_region(mcqs, published):
    votes: Counter[tuple[str, str, str]] = Counter()
    formats = template_formats(published.questions)
    for row in published.annotations.iter_rows(named=True):
        for group in row["annotations"]:
            for text in group["en_answers"]:
                spelled = understood(shown(text), formats[row["template_id"]])
                if spelled is not None:
                    key = (row["template_id"], row["locale"], spelled)
                    votes[key] = max(votes[key], group["count"])
    for row in mcqs.iter_rows(named=True):
        for i, (option, tag) in enumerate(zip(row["options"], row["option_locales"], strict=True)):
            assert votes[row["template_id"], tag, option] >= (3 if i == row["answer"] else 2)


def test_four_regions_and_the_right_one_among_them(mcqs):
    for row in mcqs.iter_rows(named=True):
        assert len({REGION[tag] for tag in row["option_locales"]}) == 4
        assert row["option_locales"][row["answer"]] == row["locale"]


def test_ids_are_unique_and_rows_ordered(mcqs):
    assert mcqs["mcq_id"].is_unique().all()
    rank = {tag: i for i, tag in enumerate(registry().tags)}
    keys = [(template_id, rank[tag]) for template_id, tag in mcqs.select("template_id", "locale").iter_rows()]
    assert keys == sorted(keys)
    assert all(re.fullmatch(r".+_[A-Z]{2}_[0-9a-f]{8}", mcq_id) for mcq_id in mcqs["mcq_id"])


def test_every_question_is_accounted_for(build):
    assert build.summary.select(total=pl.col("questions") + pl.col("dropped"))["total"].to_list() == [500] * 16
    assert build.dropped.select("template_id", "locale").is_unique().all()
    assert build.outcomes["answers"].sum() == 28_293


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


PROGRAM = """
import hashlib, sys
from pathlib import Path
from blend.builders.mcq import build_mcq
from blend.loaders.upstream.blend import read_blend
from blend.schemas.recipe import McqOptions
tables = read_blend(Path(sys.argv[1]))
build = build_mcq(tables.questions, tables.annotations, options=McqOptions(), seed=0)
digest = hashlib.sha256()
for batch in build.batches():
    digest.update(batch.write_json().encode())
print(digest.hexdigest())
"""


def test_another_process_with_another_hash_seed_makes_the_same(blend_data):
    digests = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(blend_data)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(digests) == 1


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


# Questions that cannot be guessed, by the audit's own definitions


def of_question(mcqs):
    """Template and locale, right answers with their distractors (text and locale), question by question."""
    for (template_id, tag), rows in mcqs.group_by("template_id", "locale", maintain_order=True):
        asked: dict[str, list[list[Said]]] = {}
        for options, tags, answer in rows.select("options", "option_locales", "answer").iter_rows():
            said = [Said(*option) for option in zip(options, tags, strict=True)]
            asked.setdefault(said.pop(answer).text, []).append(said)
        yield template_id, tag, asked


@pytest.fixture(scope="module")
def figures(build, published):
    questions = pl.concat(list(build.batches())).select(
        "question", "options", "answer", "topic", group="locale", template="template_id"
    )
    return audit_questions(questions, annotations=published.annotations)


def test_the_audit_finds_what_was_aimed_at(figures):
    found = {row["baseline"]: row["accuracy"] for row in figures.baselines.iter_rows(named=True)}
    assert found["typical"] <= 0.50
    assert found["recurring"] <= 0.45
    for by_value in ("largest", "smallest", "nearest-mean"):
        assert abs(found[by_value] - 0.25) <= 0.04, by_value
    leaks = {row["cause"]: row["share"] for row in figures.leaks.iter_rows(named=True)}
    assert leaks["names-region"] <= 0.01
    assert leaks["names-another"] <= 0.01
    assert leaks["script"] == leaks["repeated-option"] == 0
    assert figures.synonyms.is_empty()


def test_at_least_3000_questions_are_kept(build):
    assert build.summary["questions"].sum() >= 3000


def test_no_wrong_option_names_a_region_or_has_foreign_letters(mcqs):
    for row in mcqs.iter_rows(named=True):
        for i, option in enumerate(row["options"]):
            assert is_latin(option), row
            assert i == row["answer"] or not names_any(option, registry()), row


def test_right_answers_that_name_a_region_are_asked_once_or_by_option_never(published, mcqs):
    named = 0
    for _, _, asked in of_question(mcqs):
        for gold, questions in asked.items():
            if names_any(gold, registry()):
                named += 1
                assert len(questions) == 1
    assert named > 50
    options = McqOptions(target_drop_named=True)
    without = build_mcq(published.questions, published.annotations, options=options, seed=0).frame()
    for options, answer in without.select("options", "answer").iter_rows():
        assert not names_any(options[answer], registry())


def test_the_right_answer_does_not_stand_out_by_recurring(mcqs):
    for _, _, asked in of_question(mcqs):
        for questions in asked.values():
            if len(questions) > 1:
                often = Counter(option for others in questions for option in others)
                assert sum(n == len(questions) for n in often.values()) >= 2


def test_numbers_stand_at_one_place_in_all_variants_of_a_question(mcqs, published):
    formats = template_formats(published.questions)
    places: Counter[int] = Counter()
    for template_id, _, asked in of_question(mcqs):
        answer_format = formats[template_id]
        if answer_format is AnswerFormat.TEXT:
            continue
        for gold, questions in asked.items():
            value = magnitude(gold, answer_format)
            larger = {sum(magnitude(o.text, answer_format) > value for o in others) for others in questions}
            assert len(larger) == 1
            places[larger.pop()] += len(questions)
    assert min(places.values()) > 0.2 * places.total()


def test_a_question_whose_answer_is_the_most_typical_is_asked_once(mcqs, published):
    formats = template_formats(published.questions)
    known = Typicality(published.annotations)
    checked = 0
    for template_id, tag, asked in of_question(mcqs):
        if formats[template_id] is not AnswerFormat.TEXT:
            continue
        for gold, questions in asked.items():
            if len(questions) == 1 or any(magnitude(gold, scale) is not None for scale in AnswerFormat):
                continue
            # Once one of the first three is no less typical than it is, the others only follow.
            assert known.compared(template_id, [Said(gold, tag)], questions[0]).max() >= 0
            checked += 1
    assert checked > 500


# The figures of docs/mcq.md: a change here is a change of the published data

YIELD = {5: (430, 3016, 5376), "all": (425, 2910, 167_463)}
REASONS = {"few-votes": 2153, "non-answers": 542, "not-applicable": 1005, "out-of-format": 1}
SHORT = {5: 1283, "all": 1389}
DISTRACTORS = (721, 1808)
# Questions before, kept of them, moved of the kept; the same for those that the locale is not drawn into.
JOINING = {"ko-KP": (4922, 4235, 159, 3805, 83), "as-AS": (4507, 3269, 252, 2535, 99)}


@pytest.mark.parametrize("joining", ["ko-KP", "as-AS"])
def test_a_joining_locale_leaves_what_it_is_not_drawn_into(published, mcqs, joining):
    others = pl.col("locale") != joining
    before = build_mcq(
        published.questions.filter(others), published.annotations.filter(others), options=McqOptions(), seed=0
    ).frame()
    after = mcqs.filter(others)
    key = ["template_id", "locale"]
    drawn = after.filter(pl.col("option_locales").list.contains(joining)).select(key).unique()
    untouched = after.join(drawn, on=key, how="anti", maintain_order="left")
    same = before.join(untouched.select(key).unique(), on=key, how="semi", maintain_order="left")
    assert same["mcq_id"].to_list() == untouched["mcq_id"].to_list()
    moved = (same["answer"] != untouched["answer"]).sum()
    kept = before.join(after, on="mcq_id")
    figures = (len(before), len(kept), (kept["answer"] != kept["answer_right"]).sum(), len(untouched), moved)
    assert figures == JOINING[joining]


def test_distractors_by_region(mcqs):
    wrong = mcqs.explode("option_locales").filter(pl.col("option_locales") != pl.col("locale"))
    uses = dict(wrong["option_locales"].value_counts().iter_rows())
    assert sum(uses.values()) == 3 * len(mcqs)
    assert (min(uses.values()), max(uses.values())) == (uses["az-AZ"], uses["as-AS"]) == DISTRACTORS


@pytest.mark.parametrize("variants", [5, "all"])
def test_yield(published, variants):
    options = McqOptions(variants=variants)
    build = build_mcq(published.questions, published.annotations, options=options, seed=0)
    counts = build.summary
    figures = (len(build.plans), int(counts["questions"].sum()), build.n_mcqs)
    assert figures == YIELD[variants]
    reasons = dict(build.dropped["reason"].value_counts().iter_rows())
    assert reasons == REASONS | {"short": SHORT[variants]}


THRESHOLDS = [
    ({"target_min_votes": 2}, 4416),
    ({"target_min_votes": 4}, 1840),
    ({"target_max_non_answers": 1}, 2884),
    ({"distractor_min_votes": 3}, 1830),
    ({"target_drop_named": True}, 2860),
]


@pytest.mark.parametrize(("thresholds", "questions"), THRESHOLDS)
def test_other_thresholds(published, thresholds, questions):
    options = McqOptions(**thresholds)
    build = build_mcq(published.questions, published.annotations, options=options, seed=0)
    assert build.summary["questions"].sum() == questions


def test_the_table_of_regions_in_the_documentation(root, raw_tables, build, mcqs):
    paper = build_mcq(raw_tables.questions, raw_tables.annotations, options=McqOptions(mode="paper"), seed=0)
    published = {tag: (questions, n) for tag, questions, _, n in paper.summary.iter_rows()}
    wrong = mcqs.explode("option_locales").filter(pl.col("option_locales") != pl.col("locale"))
    uses = dict(wrong["option_locales"].value_counts().iter_rows())
    lines = (root / "docs" / "mcq.md").read_text(encoding="utf-8").splitlines()
    for tag, questions, _, n in build.summary.iter_rows():
        counts = positions(mcqs.filter(pl.col("locale") == tag))
        figures = (*published[tag], questions, n, *counts, uses[tag])
        assert f"| {tag} | {' | '.join(map(str, figures))} |" in lines
