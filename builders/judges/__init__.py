"""Judges: who is asked whether two answers mean the same, in which order."""

from collections.abc import Callable, Iterable, Sequence, Set

from blend.builders.judges.equivalence import Judge, Pair, Verdict
from blend.loaders.responses.shipped import shipped_decisions
from blend.loaders.responses.verdicts import Decision, GivenVerdict
from blend.schemas.errors import InputError, RowError
from blend.schemas.personal_data import MODEL_PREFIX
from blend.schemas.recipe import JudgeOptions, McqOptions
from blend.schemas.texts import answer_key, pair_key


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
        shipped: Decisions that come with the package (`loaders.responses.shipped.shipped_decisions`). They
            spare a model the question.
        record: Takes every verdict of a chat model as soon as it is there, to be kept
            (`loaders.responses.verdicts.append_verdicts`); needed for one.

    Raises:
        InputError: If an option that the kind of judge needs is missing, or one is given that it has no use
            for.
        RowError: If the decisions contradict each other; names both.
    """
    _check(options)
    return (*_decided(decisions), *_decided(shipped), *_model_judge(options, record))


def default_judges(options: McqOptions) -> tuple[Judge, ...]:
    """Return the judges where nobody else is named: the shipped decisions."""
    return make_judges(JudgeOptions(), shipped=shipped_for(options))


def shipped_for(options: McqOptions) -> tuple[Decision, ...]:
    """The shipped decisions where they count: unless the recipe does without them."""
    return shipped_decisions() if options.judge.shipped else ()


class DecisionsJudge:
    """Judge that repeats earlier decisions, of people or a model; no opinion on other pairs."""

    name = "decisions"

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._decided: dict[Pair, Decision] = {}
        for decision in decisions:
            earlier = self._decided.setdefault(pair_key(decision.answer_a, decision.answer_b), decision)
            if earlier.same != decision.same:
                here, there = ("the same", "not") if decision.same else ("not the same", "are")
                raise RowError(
                    f"{decision.answer_a!r} and {decision.answer_b!r} are {here} here, but {there} in "
                    f"{earlier.location}",
                    where=f"{decision.location}, column verdict",
                    fix="delete one of the two rows",
                )
        self._partners: dict[str, set[str]] = {}
        for a, b in self._decided:
            self._partners.setdefault(a, set()).add(b)
            self._partners.setdefault(b, set()).add(a)

    def partners(self, text: str) -> Set[str]:
        """See `RecordingJudge.partners`."""
        return self._partners.get(answer_key(text), frozenset())

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        """See `Judge.verdicts`; a verdict names who decided: ``decisions:mina``, ``chat:gpt-5``."""
        decided = (self._decided.get(pair_key(a, b)) for a, b in pairs)
        return [None if one is None else Verdict(one.same, self._decider(one.who)) for one in decided]

    def _decider(self, who: str) -> str:
        # A model's verdict keeps the model's name: the rebuild that finds it here must record the same
        # decider as the build that asked, or the two releases would differ.
        return who if who.startswith(MODEL_PREFIX) else f"{self.name}:{who}"


def _decided(decisions: Iterable[Decision]) -> tuple[Judge, ...]:
    known = tuple(decisions)
    return (DecisionsJudge(known),) if known else ()


def _check(options: JudgeOptions) -> None:
    kind = options.kind
    if kind == "lexical" and options.model is not None:
        raise InputError(
            f"mcq.judge: model {options.model!r} is given, but kind = 'lexical' asks no model; "
            "write kind = 'chat', or remove model"
        )
    if kind == "chat" and options.model is None:
        raise InputError("mcq.judge: kind = 'chat' needs a model; add its name as the server knows it")


def _model_judge(
    options: JudgeOptions, record: Callable[[Sequence[GivenVerdict]], None] | None
) -> tuple[Judge, ...]:
    if options.kind == "lexical":
        return ()
    assert options.model is not None
    # It brings a client along, which a build without a model need not load.
    from blend.builders.judges.chat import ChatJudge

    if record is None:
        raise InputError(
            "mcq.judge: kind = 'chat' needs a table of verdicts, which keeps every one so that a rebuild asks "
            "nothing again; add verdicts = 'verdicts.tsv' to [mcq]"
        )
    return (ChatJudge(options.model, record=record, concurrency=options.concurrency),)
