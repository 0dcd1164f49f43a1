"""Commands that read the inputs of `damage_inputs`, and what each may change."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

_SCORED = ("scores.json", "decisions.parquet", "decisions.parquet.sha256", "analysis/*")


def _scores(name: str) -> tuple[str, ...]:
    return tuple(f"runs/{name}/{file}" for file in _SCORED)


COMMANDS: dict[str, tuple[str, ...]] = {
    "build recipe.toml --out new": (),
    "build recipe.toml --out release": ("release/**",),
    "build release/recipe.toml --source-path collected=collected --source-path dishes.nt=dishes.nt "
    "--source-path topics=topics --source-path before=before --out new": (),
    "build --blend published --out new": (),
    "build --food dishes.nt --out new": (),
    "stats release --out figures": (),
    "status recipe.toml": (),
    "locales gn-PY --locale-file locales.toml": (),
    "plan release": (),
    "audit release": (),
    "diff before release": (),
    "diff release release": (),
    "validate release --skip loading": (),
    "publish release org/x --dry-run": (),
    "templates propose natives.csv --out new.csv --locale-file locales.toml": (),
    "templates accept reviewed.csv --out new.csv": (),
    "templates localise reviewed.csv translations.csv --out new.csv --locale-file locales.toml": (),
    "reviews propose recipe.toml --all --out new.csv": (),
    "reviews accept sheet.csv --out reviews": (),
    "reviews accept sheet.csv --out collected/reviews --update": ("collected/reviews/*",),
    "reviews propose recipe.toml --pairs --all --out new.csv": (),
    "reviews accept pairs.csv --out pairs.tsv --reviewer r01": ("pairs.tsv",),
    "questions options recipe.toml --out new.csv": (),
    "questions options recipe.toml --suspects suspects.csv --out new.csv": (),
    "questions agreement verdicts.tsv": (),
    "questions accept options.csv --out verdicts.tsv --reviewer r01": ("verdicts.tsv",),
    "wikidata snapshot --dump dishes.nt --out new.nt.gz": (),
    "eval run release --task multiple-choice --answers choices.csv --out new": (),
    "eval run release --task short-answer --answers short.csv --out new": (),
    "eval run release --task short-answer --answers short.csv --out runs/begun": ("runs/begun/**",),
    "eval run release --task free-listing -T config=food-aligned -T languages=en --answers lists.csv "
    "--out new": (),
    "eval run --task cultural-prompts --answers texts.csv --out new": (),
    **{f"eval score runs/{name}": _scores(name) for name in ("choices", "short", "lists", "probe", "begun")},
    "eval score runs/texts -T surveys=own=values.csv -T stop_words=stop.txt": _scores("texts"),
    "eval score runs/probe -T vectors=vectors.vec": _scores("probe"),
    "eval compare runs/choices runs/other": (),
    "items runs/choices runs/other": (),
    "eval judge-sheet runs/lists --out new.csv": (),
    "eval judged runs/lists judged.csv": ("runs/lists/judged.json",),
    "eval export release --to lm-eval --out new": (),
    "eval push runs/choices --model org/m --dataset org/d --dry-run": (),
    "annotate check project/project.toml": (),
    "annotate status project/project.toml --offline --html new.html": (),
    "annotate sync project/project.toml --dry-run": (),
    "annotate sync project/project.toml": ("+project/pulled/events.jsonl",),
    "annotate forget project/project.toml mina@example.org": ("project/**",),
    "annotate sync project/project.toml --to new": (),
    "responses import foreign.json --map new.toml --out asked": (),
    "responses import foreign.json --map foreign.toml --out asked": (),
    "responses import foreign.csv --map foreign.toml --out asked": (),
    "responses import form.xlsx --map form.toml --out asked": (),
    "responses import form.csv --map form.toml --out asked": (),
}
"""Commands as typed behind ``blend``, with patterns of the inputs that they may change when they succeed.

Behind a ``+`` stands what only grows, also where they fail.
"""

SLOW_COMMANDS: dict[str, tuple[str, ...]] = {
    "show release": (),
    "validate release": (),
    **{
        f"eval report runs/{name} --out new.html": ()
        for name in ("choices", "short", "lists", "probe", "texts")
    },
    "eval run release --task multiple-choice --model model -M device=cpu --limit 1 --out new": (),
    "eval run release --task probing -T config=food-aligned -T languages=en -T candidates=candidates.csv "
    "--model model -M device=cpu --out new": (),
}
"""Those that take seconds: they load a release with `datasets`, draw charts, or load a model."""

REFUSED = (
    "publish",
    "annotate sync project/project.toml --dry-run",
    "annotate sync project/project.toml",
    "annotate forget",
    "eval score runs/begun",
)
"""Those that end with an error on undamaged inputs: no server, nobody to confirm, half of the answers."""

_BESIDE = {
    "recipe.toml": (
        *("locales.toml", "datasheet.toml", "verdicts.jsonl", "domains.toml", "forms.tsv", "dishes.nt"),
        *("topics", "collected", "before"),
    ),
    "project.toml": ("project", "locales.toml"),
    "form.toml": ("annotators.key",),
    "foreign.toml": ("annotators.key",),
}
"""What is read beside a file of a name."""


def named_inputs(command: str, here: Path) -> set[Path]:
    """Files and folders of the inputs that a command names, or that are read beside them."""
    words = [part for word in command.split() for part in word.split("=")]
    beside = [name for word in words for name in _BESIDE.get(Path(word).name, ())]
    return {here / name for name in (*words, *beside) if (here / name).exists()}


def read_files(command: str, here: Path) -> list[Path]:
    """The files that a command may read."""
    named = named_inputs(command, here)
    return sorted({path for one in named for path in (one, *one.rglob("*")) if path.is_file()})


def typed_options(words: Sequence[str]) -> list[str]:
    """Options of a command with a value that names no place."""
    import typer

    from blend.cli import app

    command: Any = typer.main.get_command(app)
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    return [
        option.opts[0]
        for option in getattr(command, "params", ())
        if not getattr(option, "is_flag", True) and "Path" not in str(option.type_descriptor.annotation)
    ] or ["--no-such-option"]
