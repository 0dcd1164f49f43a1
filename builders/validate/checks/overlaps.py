"""Check of overlaps: a distractor says nothing that an acceptable answer or another distractor says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.mcq.overlap import values
from blend.builders.validate.checked_release import Release
from blend.builders.validate.checks.answers import GoldAnswers
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, warning
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.language.text_comparison import words
from blend.schemas.rows.published_rows import LETTERS

_COLUMNS = ("ID", "locale", "options", "answer")


def check_overlaps(release: Release) -> Iterator[Problem]:
    """Distractors are really wrong.

    None overlaps an acceptable answer of the locale, or another distractor.

    * error: a distractor shares a word with an acceptable answer of the locale or with another distractor
      (`builders.judges.equivalence.overlaps`); for numbers, times and dates, can mean the same value
      (`builders.mcq.overlap.values`)
    * warning instead: in paper mode, and where a decisions file may have said so
    """
    recipe = release.manifest.recipe.mcq
    found, fix = error, CORRECT_AND_REBUILD
    if recipe.mode == "paper":
        found, fix = warning, "paper mode lets it through, default mode does not"
    elif recipe.judge.decisions is not None:
        found, fix = warning, f"look whether a reviewer decided so in {recipe.judge.decisions}"
    questions = _Questions(release.once(GoldAnswers.read))
    for batch in release.made_here(_COLUMNS):
        rows = batch.complete().rows
        suspects = rows.filter(~_clear(rows, questions))
        asked = suspects.group_by("ID", "locale", maintain_order=True).agg("MCQID", "options", "answer")
        for row in asked.iter_rows(named=True):
            rivals = questions.rivals(row["ID"], row["locale"])
            for mcq_id, options, answer in zip(row["MCQID"], row["options"], row["answer"], strict=True):
                for what in rivals.problems([text for i, text in enumerate(options) if i != answer]):
                    yield found(batch.location(mcq_id), what, fix)


class _Rivals:
    """What the distractors of one question may not overlap."""

    def __init__(self, acceptable: Iterable[str], answer_format: AnswerFormat) -> None:
        self._format = answer_format
        self._acceptable = {meaning: text for text in acceptable for meaning in self.meanings(text)}

    def problems(self, wrong: Sequence[str]) -> Iterator[str]:
        """What is wrong with the distractors of a multiple-choice question."""
        for text in wrong:
            meanings = self.meanings(text)
            if not meanings:
                yield f"the distractor {text!r} has no letter or digit, so that nothing can be said about it"
            for rival in sorted({self._acceptable[m] for m in meanings if m in self._acceptable}):
                yield f"the distractor {text!r} overlaps the acceptable answer {rival!r}"
        for one, other in combinations(wrong, 2):
            if self.meet(one, other):
                yield f"the distractors {one!r} and {other!r} overlap"

    def stands_apart(self, text: str) -> bool:
        """Whether a distractor says something, and nothing that an acceptable answer says."""
        meanings = self.meanings(text)
        return bool(meanings) and self._acceptable.keys().isdisjoint(meanings)

    def meet(self, one: str, other: str) -> bool:
        """Whether two distractors overlap."""
        return not self.meanings(one).isdisjoint(self.meanings(other))

    def meanings(self, text: str) -> frozenset[str]:
        """What two overlapping answers share: words, as `equivalence.overlaps` has it, or numbers and times."""
        return _words(text) if self._format is AnswerFormat.TEXT else values(text, self._format)


@lru_cache(maxsize=1 << 16)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


class _Questions:
    """The rivals of every question, made when they are asked for."""

    def __init__(self, given: GoldAnswers) -> None:
        self._formats = given.formats
        self._made: dict[tuple[str, str], _Rivals] = {}
        self._acceptable: Mapping[tuple[str, str], list[str]] = {
            (template_id, tag): texts
            for template_id, tag, texts in given.answers.group_by("ID", "locale").agg("text").iter_rows()
        }

    def rivals(self, template_id: str, tag: str) -> _Rivals:
        """Those of one question."""
        key = (template_id, tag)
        if key not in self._made:
            answer_format = self._formats.get(template_id, AnswerFormat.TEXT)
            self._made[key] = _Rivals(self._acceptable.get(key, ()), answer_format)
        return self._made[key]


Numbers = npt.NDArray[np.int64]


def _clear(rows: pl.DataFrame, questions: _Questions) -> pl.Series:
    """Whether a row's three distractors surely overlap nothing; the order is that of the rows.

    The same distractors stand in hundreds of rows of a question. Here each is compared once with the acceptable
    answers, and each two of them once with one another.
    """
    correct = pl.col("answer")
    usual = (pl.col("options").list.len() == len(LETTERS)) & correct.is_between(0, len(LETTERS) - 1)
    is_usual = rows.select(usual).to_series().to_numpy()
    usual_rows = rows.filter(is_usual)
    # Behind the correct option, the k-th distractor is option k + 1.
    locations = ((k + (correct <= k).cast(pl.Int64)) for k in range(len(LETTERS) - 1))
    shown = usual_rows.select(
        pl.concat_list(pl.col("options").list.get(location) for location in locations).explode()
    )
    texts, text = _numbered(shown)
    asked, question = _numbered(usual_rows.select("ID", "locale"))
    wrong = text.reshape(len(usual_rows), len(LETTERS) - 1)
    # Question and text in one number, shape ``(n_rows, 3)``; each different one is looked at once.
    shown_at = question[:, None] * len(texts) + wrong
    used, location = np.unique(shown_at, return_inverse=True)
    rivals = [questions.rivals(*asked[number]) for number in (used // len(texts)).tolist()]
    options = [texts[number][0] for number in (used % len(texts)).tolist()]
    apart = [of.stands_apart(option) for of, option in zip(rivals, options, strict=True)]
    clear = np.array(apart, bool)[location.reshape(shown_at.shape)].all(axis=1)
    meeting = _meeting(used // len(texts), [of.meanings(o) for of, o in zip(rivals, options, strict=True)])
    for i, j in combinations(range(wrong.shape[1]), 2):
        together = location.reshape(shown_at.shape)[:, [i, j]]
        # The smaller number first, as in the pairs of `_meeting`.
        together.sort(axis=1)
        clear &= ~np.isin(together[:, 0] * len(used) + together[:, 1], meeting)
    found = np.zeros(len(rows), bool)
    found[is_usual] = clear
    return pl.Series(found)


def _meeting(question: Numbers, meanings: Sequence[frozenset[str]]) -> Numbers:
    """Pairs of options of one question that have a meaning in common, each as one number.

    Args:
        question: The question of every option, by number.
        meanings: The meanings of every option.

    Returns:
        ``i * n + j`` for options ``i`` up to ``j`` of ``n``; an option with any meaning meets itself.
    """
    held = pl.DataFrame(
        {
            "question": np.repeat(question, [len(of) for of in meanings]),
            "option": np.repeat(np.arange(len(meanings)), [len(of) for of in meanings]),
            "meaning": pl.Series([meaning for of in meanings for meaning in of], dtype=pl.String),
        }
    )
    pairs = held.join(held, on=["question", "meaning"], suffix="_other")
    number = pl.col("option") * len(meanings) + pl.col("option_other")
    return pairs.filter(pl.col("option") <= pl.col("option_other")).select(number).to_series().to_numpy()


def _numbered(rows: pl.DataFrame) -> tuple[list[tuple[str, ...]], Numbers]:
    """The different rows, and for every row the number of its like."""
    different = rows.unique(maintain_order=True).with_row_index("number")
    numbers = rows.join(different, on=rows.columns, how="left", maintain_order="left")["number"]
    return different.drop("number").rows(), numbers.to_numpy().astype(np.int64)
