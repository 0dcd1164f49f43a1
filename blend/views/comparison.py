"""A comparison of models, for a terminal."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from blend.eval.registry import task_of
from blend.eval.report.model_comparison import Difference, ModelComparison, Pair
from blend.eval.scores_json import FEW_MARK
from blend.eval.statistics.estimates import Estimate
from blend.schemas.summaries import Table
from blend.schemas.texts import agreeing, pluralise
from blend.views.frames import table_of
from blend.views.safe import shown
from blend.views.scores import FEW_NOTE

_STYLES = {"better": "green", "worse": "red", "no difference shown": "dim"}


def comparison_views(found: ModelComparison) -> Iterator[RenderableType]:
    """The parts of a comparison: places, what differs between each pair, the signature."""
    yield _standings(found)
    for pair in found.pairs:
        yield _verdict(pair)
        yield _regions(pair)
    if any(estimate.is_over_few for estimate in _estimates(found)):
        yield Text(FEW_NOTE)
    # In one line, however narrow the terminal, to be copied; a bare text would be wrapped all the same.
    yield Group(Text(found.signature, style="dim", overflow="ignore", no_wrap=True))


def interval(estimate: Estimate, *, signed: bool = False) -> str:
    """A figure with its interval, for example ``61.3 [58.0, 64.5]``."""
    form = "{:+.1f}".format if signed else "{:.1f}".format
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return form(estimate.value)
    mark = FEW_MARK if estimate.is_over_few else ""
    return f"{form(estimate.value)} [{form(estimate.low)}, {form(estimate.high)}]{mark}"


def _estimates(found: ModelComparison) -> Iterator[Estimate]:
    yield from (standing.macro for standing in found.standings)
    for pair in found.pairs:
        yield from (difference.estimate for difference in (pair.macro, *pair.regions.values()))


def _p_text(p_value: float) -> str:
    """A p-value, for example ``p = 0.031`` or ``p < 0.001``."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def _standings(found: ModelComparison) -> RenderableType:
    rows = []
    for standing in found.standings:
        rank = standing.rank
        possible = str(rank.best) if rank.best == rank.worst else f"{rank.best}–{rank.worst}"
        rows.append((rank.place, possible, shown(standing.model), interval(standing.macro)))
    columns = ("place", "possible", "model", "95 % interval")
    corrected = ", corrected by people's labels" if any(one.is_corrected for one in found.standings) else ""
    title = f"Mean over regions, {task_of(found.task).compared_by}{corrected}"
    return table_of(Table.of(title, columns, rows))


def _verdict(pair: Pair) -> Text:
    macro = pair.macro
    first, second = shown(pair.first), shown(pair.second)
    figures = f"{interval(macro.estimate, signed=True)} points, {_p_text(macro.p_value)}"
    text = Text()
    if macro.verdict == "no difference shown":
        text.append(f"{second} less {first}: no difference shown", style="bold")
    else:
        text.append(f"{second} is {macro.verdict} than {first}", style=f"bold {_STYLES[macro.verdict]}")
    corrected = ", corrected by people's labels" if pair.is_corrected else ""
    text.append(f" in the mean over regions ({figures}{corrected}).")
    if pair.corrected and not pair.is_corrected:
        named = ", ".join(map(shown, pair.corrected))
        text.append(f" Corrected by people's labels in {named} alone.")
    text.append(f" Of {pluralise(pair.n_items, 'item')}, {pair.n_fixed:,} fixed and {pair.n_broken:,} broken.")
    if pair.n_left_out:
        verb = agreeing(pair.n_left_out, "is", "are")
        text.append(f" {pluralise(pair.n_left_out, 'item')} that only one of them answered {verb} left out.")
    return text


def _regions(pair: Pair) -> RenderableType:
    rows = [
        (
            shown(region),
            difference.verdict,
            interval(difference.estimate, signed=True),
            _p_text(difference.p_value),
        )
        for region, difference in sorted(pair.regions.items(), key=_largest_first)
    ]
    columns = ("region", f"{shown(pair.second)} is", "points", "corrected p")
    return table_of(Table.of("", columns, rows))


def _largest_first(entry: tuple[str, Difference]) -> tuple[float, str]:
    return -(entry[1].estimate.value or 0.0), entry[0]
