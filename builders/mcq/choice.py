"""Choice: which three answers of other regions stand beside a correct answer.

A correct answer stands out if it is always the one that sounds most like the region asked about, or always
the smallest number: so for each a quota is drawn, how many of its three distractors should be higher. Of all
triples that may stand together the first one is taken, in an order of regions that no further region changes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from blend.builders.judges import JudgePanel, Pair, pair, settle
from blend.builders.mcq.answers import Rules, TemplateAnswers
from blend.builders.mcq.offers import Keyness, Offered, Target, offers
from blend.builders.mcq.options import Option
from blend.schemas.formats import AnswerFormat, magnitude
from blend.schemas.texts import answer_key, digest

N_DISTRACTORS: Final = 3
"""Distractors of a question."""

_LONG_RATIO = 2
"""How many times as long a text is that is unlike the other one."""

_QUOTAS_OF_NUMBERS = (*(0,) * 6, *(1,) * 6, *(2,) * 6, 3)
"""Quotas that a number draws from. Few larger ones can be met more rarely than many, so that they are drawn
more often; on the 16 regions a correct answer is still the smallest in 30 % and the largest in 16 %."""
_QUOTAS_OF_TEXTS = (1, 2, 3)
"""Quotas that a text draws from; with none that has more keyness, it is the first that a guesser takes."""

_DOUBTFUL, _RESERVE, _FILLER = 1, 2, 4
"""Tiers, which add up: what may well be correct, what few people gave, and what reviewers proposed is shown
only where the tiers before it do not suffice. A number between those that the region gave may well be correct,
and a text that nobody has read and people of several regions gave."""


class Chosen(NamedTuple):
    """The questions of a pair of template and locale: their correct answer, and what stands beside it."""

    gold: Option
    distractors: tuple[Option, ...]
    """Those of the first question."""
    further: tuple[Option, ...]
    """Options with more keyness than the correct answer: each has the last place in a further question."""

    def triples(self) -> list[tuple[Option, ...]]:
        """List the distractors of every question."""
        kept = self.distractors[:-1]
        return [self.distractors, *((*kept, one) for one in self.further)]


class _Candidate(NamedTuple):
    """An option beside a correct answer. The smallest is tried first, by its fields in their order."""

    tier: int
    is_unlike: bool
    """Whether it is much longer or shorter than the correct answer."""
    is_foreign: bool
    """Whether the region uses none of its words, or nobody has read it: what sounds like the region may well be
    correct there."""
    region: int
    rank: int
    """As in `Offered`."""
    position: int
    """Its own place among the options offered, so that no two are equal up to here."""
    option: Option
    is_higher: bool
    """Whether it has more keyness for the region than the correct answer, or is a larger number."""


class Choice:
    """Choice of the questions of one template, one for each locale that is asked.

    Args:
        answers: What the locales bring.
        rules: What recipe and readers leave out.
        keyness: Words that the locales use in other templates.
        panel: The judges.
        with_proposed: Whether options that verdicts propose are there as well.
    """

    def __init__(
        self,
        answers: TemplateAnswers,
        rules: Rules,
        keyness: Keyness,
        panel: JudgePanel,
        *,
        with_proposed: bool = True,
    ) -> None:
        self._answers, self._rules, self._keyness = answers, rules, keyness
        self._is_text = answers.answer_format is AnswerFormat.TEXT
        # That numbers, times and dates differ needs no opinion.
        self._panel = panel.for_template() if self._is_text else JudgePanel(())
        self._reserve = {id(option) for one in answers.locales for option in one.reserve}
        self.targets = offers(answers, rules, with_proposed=with_proposed)
        """The locales asked about, in registry order."""
        self._on_file = self._decided()

    def made(self) -> Mapping[str, Chosen | None]:
        """Choose a question for every locale asked about, by tag; null where no three stand together."""
        return settle(self._panel, self._chosen, self._relied_on)

    def may_show(self, target: Target, chosen: Chosen | None) -> list[Option]:
        """List what a question can choose from; what few people gave only where it needs that."""
        shown = () if chosen is None else chosen.distractors
        needs_reserve = chosen is None or any(id(option) in self._reserve for option in shown)
        judged = _judged(target, {one for one, is_same in self._on_file.items() if is_same})
        return [
            one.option
            for one in target.offered
            if one.option.text not in judged and (needs_reserve or id(one.option) not in self._reserve)
        ]

    # Which three stand together

    def _chosen(self, known: Mapping[Pair, bool]) -> dict[str, Chosen | None]:
        same = {one for one, is_same in (*self._on_file.items(), *known.items()) if is_same}
        return {target.answers.locale.tag: self._of_target(target, same) for target in self.targets}

    def _of_target(self, target: Target, same: Set[Pair]) -> Chosen | None:
        """Choose the question of the first correct answer that does not stand out, or of the first one."""
        judged = _judged(target, same)
        offered = [one for one in target.offered if one.option.text not in judged]
        first: Chosen | None = None
        for gold in target.answers.golds:
            candidates = self._candidates(target, gold, offered)
            three = self._three(gold, candidates, same)
            if three is None:
                continue
            # What further questions replace stands last. They ask for no numbers: with larger ones alone the
            # correct one would too often be the smallest.
            three = sorted(three, key=lambda one: one.is_higher)
            further = _further(candidates, three, same) if self._is_text else ()
            chosen = Chosen(gold, tuple(one.option for one in three), further)
            if any(one.is_higher for one in three):
                return chosen
            first = first or chosen
        return first

    def _candidates(self, target: Target, gold: Option, offered: Sequence[Offered]) -> list[_Candidate]:
        """Compare the options with a correct answer; of those that show one text, as many as can differ."""
        answer_format, here = self._answers.answer_format, gold.locale.tag

        @cache
        def keyness_beside(there: str) -> tuple[Callable[[str], float], float]:
            keyness = self._keyness.between(self._answers.template_id, here, there)
            return keyness, keyness(gold.text)

        given = [n for text in target.acceptable if (n := magnitude(text, answer_format)) is not None]
        correct, found = magnitude(gold.text, answer_format) or 0.0, []
        for position, one in enumerate(offered):
            option, is_unlike, is_foreign = one.option, False, False
            tier = _RESERVE * (id(option) in self._reserve) + _FILLER * (not option.votes)
            if self._is_text:
                keyness, of_gold = keyness_beside(option.locale.tag)
                is_higher = keyness(option.text) > of_gold
                shorter, longer = sorted((len(option.text), len(gold.text)))
                is_unlike = longer >= _LONG_RATIO * shorter
                is_foreign = not (
                    one.is_read and self._keyness.uses(self._answers.template_id, here, option.text)
                )
                tier += _DOUBTFUL * one.is_doubtful
            else:
                number = magnitude(option.text, answer_format) or 0.0
                is_higher = number > correct
                # Who says 20:00 and 21:00 would not call 20:30 wrong.
                tier += _DOUBTFUL * (min(given, default=number) <= number <= max(given, default=number))
            of_option = one.region, one.rank, position, option
            found.append(_Candidate(tier, is_unlike, is_foreign, *of_option, is_higher))
        return _few_of_each(sorted(found))

    def _three(
        self, gold: Option, candidates: Sequence[_Candidate], same: Set[Pair]
    ) -> Sequence[_Candidate] | None:
        """Find the first triple with as low a tier as can be, then with the first quota that can be met.

        What few people gave is shown rather than a question whose correct answer stands out, and what may well
        be correct only where there is no other question.
        """
        # Tiers are sums: 0 and `_RESERVE` alone are neither doubtful nor proposed.
        drawn, tiers = self._quotas(gold), sorted({one.tier for one in candidates})
        sure = [tier for tier in tiers if tier in (0, _RESERVE)]
        # Of texts 0 is no quota, as the correct answer would stand out: allowed when nothing else can be met.
        for quotas, usable in ((drawn, sure), ((*drawn, 0), tiers)):
            for tier in usable:
                among = [one for one in candidates if one.tier in usable and one.tier <= tier]
                higher = [one for one in among if one.is_higher]
                others = [one for one in among if not one.is_higher]
                for n in quotas:
                    # A list for each place. Lists may be equal: no option is taken twice, as regions differ.
                    groups = [higher] * n + [others] * (N_DISTRACTORS - n)
                    if found := self._together(groups, (), same):
                        return found
        return None

    def _quotas(self, gold: Option) -> Sequence[int]:
        """Draw the different quotas, in the order of the digests of all of them."""
        quotas = _QUOTAS_OF_TEXTS if self._is_text else _QUOTAS_OF_NUMBERS
        key = (self._rules.seed, self._answers.template_id, "quota", gold.locale.tag, gold.text)
        drawn = sorted(range(len(quotas)), key=lambda i: digest(*key, i))
        # A quota that stands among them n times is n times as likely to come first.
        return tuple(dict.fromkeys(quotas[i] for i in drawn))

    def _together(
        self, groups: Sequence[Sequence[_Candidate]], chosen: tuple[_Candidate, ...], same: Set[Pair]
    ) -> tuple[_Candidate, ...] | None:
        """Find the first options, one of each group, that may stand beside those chosen and each other."""
        if not groups:
            return chosen
        # Depth first: the three found are the first that may stand together, in the order of the candidates.
        for one in groups[0]:
            if all(_may_stand(one.option, other.option, same) for other in chosen):
                found = self._together(groups[1:], (*chosen, one), same)
                if found is not None:
                    return found
        return None

    # What judges are asked

    def _decided(self) -> Mapping[Pair, bool]:
        """Look up what is decided about any two texts of the template, where judges keep to what is on file."""
        if self._panel.partners is None or not self._panel.judges:
            return {}
        texts = {one.option.text for target in self.targets for one in target.offered}
        texts.update(text for target in self.targets for text in target.acceptable)
        by_key: dict[str, list[str]] = {}
        for text in texts:
            by_key.setdefault(answer_key(text), []).append(text)
        pairs = {
            pair(text, other)
            for key, alike in by_key.items()
            for partner in self._panel.partners.get(key, frozenset()) & by_key.keys()
            for text in alike
            for other in by_key[partner]
        }
        return self._panel.same(pairs)

    def _relied_on(self, chosen: Mapping[str, Chosen | None]) -> Iterator[Pair]:
        """List the pairs that must be different for the choice to stand."""
        # Judges that keep to what is on file were asked beforehand, in `_decided`.
        if self._panel.partners is not None:
            return
        for target in self.targets:
            one = chosen[target.answers.locale.tag]
            texts = [] if one is None else [option.text for option in (*one.distractors, *one.further)]
            yield from (pair(text, answer) for text in texts for answer in target.acceptable if text != answer)
            yield from (pair(*two) for two in combinations(texts, 2))


def _may_stand(one: Option, other: Option, same: Set[Pair]) -> bool:
    return (
        one.locale.region != other.locale.region
        and one.values.isdisjoint(other.values)
        and pair(one.text, other.text) not in same
    )


def _judged(target: Target, same: Set[Pair]) -> Set[str]:
    """List the texts that judges find the same as an answer of the region asked about."""
    return {text for one in same if not target.acceptable.keys().isdisjoint(one) for text in one}


def _further(
    candidates: Iterable[_Candidate], three: Sequence[_Candidate], same: Set[Pair]
) -> tuple[Option, ...]:
    """List the higher options, not foreign, that may stand in place of the last of the three, none twice."""
    *kept, last = (one.option for one in three)
    tiers = {0, *(one.tier for one in three)}
    higher = [one.option for one in candidates if one.is_higher and not one.is_foreign and one.tier in tiers]
    found = [last]
    for option in higher:
        # Side by side they never stand, so that they may share a word.
        is_new = not any(
            option.text == one.text or option.values == one.values or pair(option.text, one.text) in same
            for one in found
        )
        if is_new and all(_may_stand(option, other, same) for other in kept):
            found.append(option)
    return tuple(found[1:])


def _few_of_each(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Keep the first three that show a text: two others beside it can be of its region, and no more."""
    counts: Counter[tuple[str, bool]] = Counter()
    found = []
    for one in candidates:
        counts[one.option.text, one.is_higher] += 1
        if counts[one.option.text, one.is_higher] <= N_DISTRACTORS:
            found.append(one)
    return found
