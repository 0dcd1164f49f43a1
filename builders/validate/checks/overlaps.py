"""Check of overlaps: a distractor says nothing that an acceptable answer or another distractor says."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

from blend.builders.mcq.overlap import values
from blend.builders.validate.checked_release import Release
from blend.builders.validate.checks.answers import GoldAnswers
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, warning
from blend.schemas.formats import AnswerFormat
from blend.schemas.texts import words


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
    given = release.once(GoldAnswers.read)
    grouped = given.answers.group_by("ID", "locale").agg("text")
    acceptable = {(question, tag): texts for question, tag, texts in grouped.iter_rows()}

    # The same distractors stand in hundreds of rows.
    @cache
    def meanings(text: str, answer_format: AnswerFormat) -> frozenset[str]:
        """What two overlapping answers share: words, or numbers and times."""
        return frozenset(words(text)) if answer_format is AnswerFormat.TEXT else values(text, answer_format)

    @cache
    def acceptable_meanings(question: str, tag: str, answer_format: AnswerFormat) -> Mapping[str, str]:
        texts = acceptable.get((question, tag), ())
        return {meaning: text for text in texts for meaning in meanings(text, answer_format)}

    def overlaps(question: str, tag: str, wrong: Sequence[str]) -> Iterator[str]:
        answer_format = given.formats.get(question, AnswerFormat.TEXT)
        rivals = acceptable_meanings(question, tag, answer_format)
        for text in wrong:
            shared = meanings(text, answer_format)
            if not shared:
                yield f"the distractor {text!r} has no letter or digit, so that nothing can be said about it"
            for rival in sorted({rivals[meaning] for meaning in shared if meaning in rivals}):
                yield f"the distractor {text!r} overlaps the acceptable answer {rival!r}"
        for one, other in combinations(wrong, 2):
            if not meanings(one, answer_format).isdisjoint(meanings(other, answer_format)):
                yield f"the distractors {one!r} and {other!r} overlap"

    for batch in release.made_here(["ID", "locale", "options", "answer"]):
        for row in batch.complete().rows.iter_rows(named=True):
            wrong = [text for i, text in enumerate(row["options"]) if i != row["answer"]]
            for what in overlaps(row["ID"], row["locale"], wrong):
                yield found(batch.location(row["MCQID"]), what, fix)
