"""Commands that read the inputs, what each reads, and what it may replace when it succeeds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command line over the folder of inputs."""

    words: str
    """As typed behind ``blend``."""
    reads: tuple[str, ...]
    """Patterns of the files that it reads; they are damaged."""
    replaces: tuple[str, ...] = ()
    """Patterns of the files that it may change when it succeeds; none otherwise."""
    folders: tuple[str, ...] = ()
    """Folders that it reads or writes; they are taken away, made read-only, replaced."""
    adds: tuple[str, ...] = ()
    """Patterns of the files that only grow, also where it fails."""

    def tops(self) -> set[str]:
        """Names in the folder of inputs that the command line or its patterns begin with."""
        named = {part for word in self.words.split() for part in word.split("=")}
        tops = {path.partition("/")[0] for path in (*named, *self.reads, *self.folders)}
        if named & {"recipe.toml", "project", "release/recipe.toml"} or any(
            "recipe.toml" in one for one in tops
        ):
            tops |= {path.partition("/")[0] for path in (*_RECIPE, "before")}
        if "runs" in tops:
            return (tops - {"runs"}) | {
                "/".join(part.split("/")[:2]) for part in (*named, *self.reads) if part.startswith("runs/")
            }
        return tops


_RECIPE = (
    "recipe.toml",
    "locales.toml",
    "datasheet.toml",
    "verdicts.jsonl",
    "domains.toml",
    "forms.tsv",
    "dishes.nt",
    "topics/*/*.tsv",
    "collected/**/*",
)
_RELEASE = (
    "release/release.json",
    "release/README.md",
    "release/recipe.toml",
    "release/croissant.json",
    "release/CHANGELOG.md",
    "release/locales.toml",
    "release/domains.toml",
    "release/reports/*",
    "release/data/*/*.parquet",
)
_RELEASE_TABLES = ("release/release.json", "release/data/*/*.parquet")
_PROJECT = (
    "project/project.toml",
    "project/ko.md",
    "project/annotators.key",
    "project/collected/**/*",
    "project/pulled/**/*",
    "locales.toml",
)
_SCORED = ("scores.json", "decisions.parquet", "decisions.parquet.sha256")


def _run(name: str) -> tuple[str, ...]:
    return (f"runs/{name}/*", f"runs/{name}/answers/*")


def _scores(name: str) -> tuple[str, ...]:
    return tuple(f"runs/{name}/{file}" for file in (*_SCORED, "analysis/*"))


COMMANDS = (
    Command(
        "build recipe.toml --out new", (*_RECIPE, "before/**/*"), folders=("collected", "before", "topics")
    ),
    Command("build recipe.toml --out release", _RECIPE, ("release/**",), ("release", "collected/responses")),
    Command(
        "build release/recipe.toml --source-path collected=collected --source-path dishes.nt=dishes.nt "
        "--source-path topics=topics --source-path before=before --out new",
        ("release/recipe.toml", "release/*.tsv", "release/*.jsonl", "release/*.toml"),
        folders=("release",),
    ),
    Command("build --blend published --out new", ("published/*/*",), folders=("published/annotations",)),
    Command("build --food dishes.nt --out new", ("dishes.nt",)),
    Command("build --food dishes.nt --domain meal --domain-file domains.toml --out new", ("domains.toml",)),
    Command("stats release --out figures", _RELEASE, folders=("release", "release/data/annotations")),
    Command("stats --blend published", ("published/*/*",)),
    Command("status recipe.toml", _RECIPE, folders=("collected",)),
    Command("locales gn-PY --locale-file locales.toml", ("locales.toml",)),
    Command("audit release", _RELEASE_TABLES, folders=("release",)),
    Command("diff before release", (*_RELEASE, "before/**/*"), folders=("before", "release")),
    Command("diff release release", _RELEASE),
    Command("validate release --skip loading", _RELEASE, folders=("release", "release/reports")),
    Command("publish release org/x --dry-run", _RELEASE, folders=("release",)),
    Command("templates propose natives.csv --out new.csv --locale-file locales.toml", ("natives.csv",)),
    Command("templates accept reviewed.csv --out new.csv", ("reviewed.csv",)),
    Command(
        "templates localise reviewed.csv translations.csv --out new.csv --locale-file locales.toml",
        ("reviewed.csv", "translations.csv", "locales.toml"),
    ),
    Command("reviews propose recipe.toml --all --out new.csv", _RECIPE),
    Command("reviews accept sheet.csv --out reviews", ("sheet.csv",)),
    Command(
        "reviews accept sheet.csv --out collected/reviews --update",
        ("sheet.csv", "collected/reviews/*"),
        ("collected/reviews/*",),
        ("collected/reviews",),
    ),
    Command("review-pairs propose recipe.toml --out new.csv", _RECIPE),
    Command(
        "review-pairs accept pairs.csv --out verdicts.tsv --reviewer r01",
        ("pairs.csv", "verdicts.tsv"),
        ("verdicts.tsv",),
    ),
    Command("questions options recipe.toml --out new.csv", _RECIPE),
    Command("questions options recipe.toml --suspects suspects.csv --out new.csv", ("suspects.csv",)),
    Command("questions agreement verdicts.tsv", ("verdicts.tsv",)),
    Command(
        "questions accept options.csv --out verdicts.tsv --reviewer r01",
        ("options.csv", "verdicts.tsv"),
        ("verdicts.tsv",),
    ),
    Command("wikidata snapshot --dump dishes.nt --out new.nt.gz", ("dishes.nt",)),
    Command(
        "eval run release --task multiple-choice --answers choices.csv --out new",
        ("choices.csv", *_RELEASE_TABLES),
    ),
    Command(
        "eval run release --task short-answer --answers short.csv --out new", ("short.csv", *_RELEASE_TABLES)
    ),
    Command(
        "eval run release --task short-answer --answers short.csv --out runs/begun",
        ("short.csv", *_run("begun")),
        ("runs/begun/**",),
        ("runs/begun", "runs/begun/answers"),
    ),
    Command(
        "eval run release --task free-listing -T config=food-aligned -T languages=en --answers lists.csv "
        "--out new",
        ("lists.csv", "release/data/food-*/*", "release/release.json", "release/domains.toml"),
    ),
    Command("eval run --task cultural-prompts --answers texts.csv --out new", ("texts.csv",)),
    *(
        Command(f"eval score runs/{name}", _run(name), _scores(name), (f"runs/{name}", f"runs/{name}/answers"))
        for name in ("choices", "short", "lists", "probe", "begun")
    ),
    Command(
        "eval score runs/texts -T surveys=own=values.csv -T stop_words=stop.txt",
        (*_run("texts"), "values.csv", "stop.txt"),
        _scores("texts"),
        ("runs/texts",),
    ),
    Command("eval score runs/probe -T vectors=vectors.vec", ("vectors.vec",), _scores("probe")),
    Command(
        "eval compare runs/choices runs/other",
        (*_run("choices"), *_run("other")),
        folders=("runs/choices", "runs/other"),
    ),
    Command("items runs/choices runs/other", (*_run("choices"), *_run("other"))),
    Command("eval judge-sheet runs/lists --out new.csv", _run("lists")),
    Command(
        "eval judged runs/lists judged.csv",
        (*_run("lists"), "judged.csv"),
        ("runs/lists/judged.json",),
        ("runs/lists",),
    ),
    Command("eval export release --to lm-eval --out new", _RELEASE_TABLES, folders=("release",)),
    Command("eval push runs/choices --model org/m --dataset org/d --dry-run", _run("choices")),
    Command("annotate check project/project.toml", _PROJECT, folders=("project/collected", "project/pulled")),
    Command(
        "annotate status project/project.toml --offline --html new.html", _PROJECT, folders=("project/pulled",)
    ),
    Command("annotate sync project/project.toml --dry-run", _PROJECT),
    Command("annotate sync project/project.toml", _PROJECT, adds=("project/pulled/events.jsonl",)),
    Command("annotate forget project/project.toml mina@example.org", _PROJECT, ("project/**",)),
    Command("annotate sync project/project.toml --to new", _PROJECT, folders=("project/collected",)),
    Command("responses import foreign.json --map new.toml --out asked", ("foreign.json", "asked/*")),
    *(
        Command(f"{words} --out asked", (*words.split()[2::2], "annotators.key", "asked/*"), folders=("asked",))
        for words in (
            "responses import foreign.json --map foreign.toml",
            "responses import foreign.csv --map foreign.toml",
            "responses import form.xlsx --map form.toml",
            "responses import form.csv --map form.toml",
        )
    ),
)
"""Commands that read files."""

SLOW_COMMANDS = (
    Command("show release", _RELEASE, folders=("release", "release/data")),
    Command("validate release", _RELEASE, folders=("release", "release/reports")),
    *(
        Command(f"eval report runs/{name} --out new.html", _run(name), folders=(f"runs/{name}",))
        for name in ("choices", "short", "lists", "probe", "texts")
    ),
    Command(
        "eval run release --task multiple-choice --model model -M device=cpu --limit 1 --out new",
        ("model/*",),
        (),
        ("model",),
    ),
    Command(
        "eval run release --task probing -T config=food-aligned -T languages=en -T candidates=candidates.csv "
        "--model model -M device=cpu --out new",
        ("candidates.csv", "model/*.json"),
    ),
)
"""Those that take seconds: they load a release with `datasets`, draw charts, or load a model."""
