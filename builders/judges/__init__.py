"""Judges: who is asked whether two answers mean the same, in which order, and about which pairs."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from rapidfuzz.distance import Levenshtein

from blend.builders.judges.panel import DecisionsJudge, Judge
from blend.loaders.responses.verdicts import Decision, GivenVerdict, shipped_decisions
from blend.schemas.errors import InputError
from blend.schemas.recipe import JudgeOptions, McqOptions
from blend.schemas.texts import words


def make_judges(
    options: JudgeOptions,
    *,
    decisions: Iterable[Decision] = (),
    shipped: Iterable[Decision] = (),
    record: Callable[[Sequence[GivenVerdict]], None] | None = None,
) -> tuple[Judge, ...]:
    """The judges that a recipe asks for, in order: decisions, shipped decisions, model.

    A server is called with the first pair that comes to it.

    Args:
        options: The recipe's choice; paths already relative to the working directory.
        decisions: Reviewed and kept decisions (`loaders.responses.verdicts.decisions_in`).
        shipped: Decisions that come with the package (`loaders.responses.verdicts.shipped_decisions`). They
            spare a model the question.
        record: Takes every verdict of a chat model as soon as it is there, to be kept
            (`loaders.responses.verdicts.append_verdicts`); needed for one.

    Raises:
        InputError: If an option that the kind of judge needs is missing, or one is given that it has no use
            for.
        RowError: If the decisions contradict each other; names both.
    """
    if options.kind == "lexical" and options.model is not None:
        raise InputError(
            f"mcq.judge: model {options.model!r} is given, but kind = 'lexical' asks no model; "
            "write kind = 'chat', or remove model"
        )
    decided = [DecisionsJudge(known) for known in (tuple(decisions), tuple(shipped)) if known]
    return (*decided, *(() if options.kind == "lexical" else (_chat_judge(options, record),)))


def _chat_judge(options: JudgeOptions, record: Callable[[Sequence[GivenVerdict]], None] | None) -> Judge:
    # It brings a client along, which a build without a model need not load.
    from blend.builders.judges.chat import ChatJudge

    if options.model is None:
        raise InputError("mcq.judge: kind = 'chat' needs a model; add its name as the server knows it")
    if record is None:
        raise InputError(
            "mcq.judge: kind = 'chat' needs a table of verdicts, which keeps every one so that a rebuild asks "
            "nothing again; add verdicts = 'verdicts.tsv' to [mcq]"
        )
    return ChatJudge(options.model, record=record, concurrency=options.concurrency)


def default_judges(options: McqOptions) -> tuple[Judge, ...]:
    """Return the judges where nobody else is named: the shipped decisions."""
    return make_judges(JudgeOptions(), shipped=shipped_for(options))


def shipped_for(options: McqOptions) -> tuple[Decision, ...]:
    """The shipped decisions where they count: unless the recipe does without them."""
    return shipped_decisions() if options.judge.shipped else ()


_ONE_SPELLING = 0.75
"""Share of letters in common from which two answers may be one in two spellings: nezāmi and nizami."""
_SHORTEST = 4
"""Letters of the shortest word whose parts or spellings say anything."""


def why_suspected(a: str, b: str) -> str:
    """Say in a few words why two answers may mean the same; empty if nothing speaks for it.

    Errs towards suspicion: a reader turns a wrong one down in a second, and never sees a pair that is missing.
    """
    for one, other in product(words(a), words(b)):
        short, long = sorted((one, other), key=len)
        # A word with which another begins or ends: ball and basketball.
        if len(short) >= _SHORTEST and long != short and (long.startswith(short) or long.endswith(short)):
            return f"{short} is part of {long}"
    one, other = "".join(words(a)), "".join(words(b))
    is_long = min(len(one), len(other)) >= _SHORTEST
    is_alike = is_long and Levenshtein.normalized_similarity(one, other, score_cutoff=_ONE_SPELLING) > 0
    return "spelling" if is_alike else ""
