"""What commands print of a release for people to read: its lines, what is odd in them, and first rows."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.mcq.result import STAGE
from blend.cli.options import evenly
from blend.cli.terminal import show_tables, shown
from blend.loaders.releases import check_complete, read_manifest
from blend.loaders.releases.tables import read_config, read_findings, release_locales, scan_config, table_rows
from blend.loaders.responses.verdicts import read_verdicts
from blend.schemas.frames import KEY
from blend.schemas.languages import country_name
from blend.schemas.locales import Locale, registry
from blend.schemas.manifest import FINDINGS_NAME, ReleaseManifest, TableInfo
from blend.schemas.reports import finding_kinds
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS, SHORT_ANSWER_PROMPTS, Grouping
from blend.schemas.sheets import ALSO_CORRECT, SILLY, WRONG
from blend.schemas.summaries import Table
from blend.schemas.texts import fold, pluralise

_SHOWN_CHARACTERS = 400
"""Characters of a value before it is cut: a list of answers can be long."""
_LINE_CHARACTERS = 4_000
"""Characters of a text on a line for people to read."""
_LINES = 100
"""Questions, and oddities, that are printed for people to read, at most: who asks as many reads them all."""
RAW = ("read responses ", "read contributions ")
"""How the steps are called that read tables of one's own."""


def lines_to_read(release: Path, manifest: ReleaseManifest, recipe: str = "") -> Iterator[str]:
    """What only people can tell of tables of their own, and everything odd in these, as lines.

    ``recipe`` is what commands call the recipe.

    No program knows whether the English beside a question is its own, or answers or a topic stand beside
    another question than theirs; who reads a line sees it.
    """
    own = [tag for stage in manifest.report if stage.stage.startswith(RAW) for tag in stage.kept]
    if not own:
        return
    every = list(read_findings(release / FINDINGS_NAME))
    found = [one for one in every if one["stage"].startswith(RAW)]
    here = pl.col("locale").is_in(own)
    # BLEnD's own questions stand beside them in its regions.
    is_own = here & (pl.col("grouping") != Grouping.UPSTREAM.value)
    questions = scan_config(release, ANNOTATIONS).filter(is_own).collect()
    if any(table.config == MULTIPLE_CHOICE_QUESTIONS for table in manifest.tables):
        made = scan_config(release, MULTIPLE_CHOICE_QUESTIONS).filter(here).select(KEY).collect()
        yield from _where_few_were_made(questions.select(KEY), made, every, recipe)
    yield from odd_lines(found, f"all in {release / FINDINGS_NAME}")
    verdicts = manifest.recipe.mcq.verdicts
    refused = {} if verdicts is None else _refused(release / verdicts)
    yield (
        f"{manifest.recipe.title or manifest.name}: do topic, question, English and answers fit together? "
        f"Read the {_some_of(len(questions))} of questions, all with `blend show {release} --html FILE`:"
    )
    known = release_locales(release)
    yield from (f"  {_in_words(known.get(tag))}" for tag in own if tag not in registry())
    if any(table.config == SHORT_ANSWER_PROMPTS for table in manifest.tables):
        prompts = read_config(release, SHORT_ANSWER_PROMPTS).filter(here)
        for row in prompts.head(_LINES).iter_rows(named=True):
            yield _line(row, "prompt_id", row["prompt"], row["en_prompt"])
    # Evenly from all of them: what was moved or sorted alone shows anywhere.
    for row in evenly(questions.to_dicts(), _LINES):
        # All answers: the wrong English of a rare one shows nowhere else.
        given = [*map(_group_with_english, row["annotations"]), *_non_answers(row["idks"])]
        answers = "; ".join(given) or "no answer"
        texts = row["topic"], row["question"], row["en_question"], answers
        yield _line(row, "template_id", *texts, *refused.get((row["template_id"], row["locale"]), ()))


def _where_few_were_made(
    asked: pl.DataFrame, made: pl.DataFrame, findings: Sequence[Mapping[str, Any]], recipe: str
) -> Iterator[str]:
    """Locales of which less than half of the questions became multiple-choice questions, and why."""
    kinds = {(one["template_id"], one["locale"]): one["kind"] for one in findings if one["stage"] == STAGE}
    for (tag,), lost in asked.join(made, KEY, "anti").group_by("locale", maintain_order=True):
        n_asked = asked.filter(locale=tag).height
        if lost.height * 2 > n_asked:
            counts = Counter(kinds[key] for key in lost.select(KEY).iter_rows() if key in kinds).most_common()
            causes = "".join(f"; {kind} {count:,}" for kind, count in counts)
            # What no review has put into English, none has put together either, so that few agree.
            counts.sort(key=lambda count: count[0] != "no-english")
            remedy = finding_kinds()[counts[0][0]].remedy if counts else ""
            command = "blend reviews propose"
            yield (
                f"{tag}: {n_asked - lost.height:,} of {pluralise(n_asked, 'question')} became multiple-choice "
                f"questions{causes}. {remedy.replace(command, f'{command} {recipe}'.strip())}".rstrip()
            )


def _non_answers(idks: Mapping[str, Any]) -> Iterator[str]:
    """How many people gave which reason for no answer: one kind may have been filled down for another."""
    counts = {**idks, "others": sum(other["count"] for other in idks["others"] or ())}
    yield from (f"{kind} {n}" for kind, n in counts.items() if n)


def _line(row: Mapping[str, Any], key: str, *texts: str) -> str:
    # Of a question with many answers the last ones count as well.
    parts = (shown(text, characters=_LINE_CHARACTERS) for text in texts)
    return f"  {row[key]} {row['locale']}: {' | '.join(parts)}"


def _refused(verdicts: Path) -> dict[tuple[str, str], list[str]]:
    """By question, what one's own table says against options: who reads it sees verdicts that moved."""
    rows = read_verdicts(verdicts).filter(pl.col("verdict").is_in([ALSO_CORRECT, SILLY, WRONG]))
    listed = rows.group_by("template_id", "locale", maintain_order=True).agg(
        pl.format("{} {}", "option", "verdict").unique(maintain_order=True).str.join("; ")
    )
    return {(template_id, tag): [f"verdicts: {text}"] for template_id, tag, text in listed.iter_rows()}


def odd_lines(found: Sequence[Mapping[str, Any]], where_all_are: str) -> Iterator[str]:
    """Findings about tables of one's own, as lines, at most `_LINES`."""
    if found:
        # Whole sentences: what differs may stand at their end.
        yield f"Odd in your tables, {_some_of(len(found))}, {where_all_are}:"
        yield from (
            f"  {shown(one['source'])}: {shown(one['detail'], characters=_SHOWN_CHARACTERS)}"
            for one in found[:_LINES]
        )


def _some_of(n: int) -> str:
    return f"{_LINES} of {n:,} lines" if n > _LINES else pluralise(n, "line")


def _group_with_english(group: dict[str, Any]) -> str:
    """An answer group on a line: all its texts but spellings, its English, its votes."""
    # All that was grouped, so that an answer in a wrong group is seen; not its spellings.
    answers = {fold(text): text for text in reversed(group["answers"])}
    english = " | ".join(group["en_answers"]) or "no English"
    return f"{' / '.join([*answers.values()][::-1])} = {english} ({group['count'] or 0})"


def _in_words(locale: Locale) -> str:
    """All that a locale of one's own says, so that what was left from a copied entry is seen."""
    names = ", ".join((locale.prompt_name, *locale.aliases, locale.native_name))
    return (
        f"{locale.tag}: {locale.language_name} in {names}; its people: {', '.join(locale.nationalities)}; "
        f"{locale.script}, {locale.direction}; in {country_name(locale.parent)}; "
        f"{locale.upstream} in column country"
    )


def show_release(release: Path) -> None:
    """Print what a release holds, and the first row of every configuration.

    Raises:
        BlendError: If the directory is not a release, or its files are not those of the manifest.
    """
    check_complete(release)
    manifest = read_manifest(release)
    first = {table.config: table for table in reversed(manifest.tables)}
    rows = [_first_row(release, table) for table in reversed(first.values())]
    show_tables([manifest.as_tables()[0], *rows], everything=True)


def _first_row(release: Path, table: TableInfo) -> Table:
    """The first row of a table; without columns if it has no rows."""
    row = next(iter(table_rows(release, table).head(1).to_dicts()), {})
    line = f'load_dataset("{release}", "{table.config}", split="{table.split}")[0]'
    return Table.of(line, ("column", "value"), [(column, _short(value)) for column, value in row.items()])


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + " …"
