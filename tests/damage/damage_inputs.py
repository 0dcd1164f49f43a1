"""Inputs to damage: a folder with a small, sound file of every kind that a command reads.

Everything is made by the commands themselves where there is one for it, so that what they write is damaged as
well: a release with every configuration, scored runs of every task, sheets as they come back, a project file
with what was pulled (`damage_annotation`).
"""

import csv
import io
import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import polars as pl
from damage_annotation import make_annotation, make_imports, run_blend

TEMPLATES = ("food-01", "food-02", "food-03")
LOCALES = ("ko-KR", "en-US", "es-MX", "fa-IR")
ENTITY, DIRECT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
DISHES = {"Q901": ("bibimbap", "비빔밥", "Q884"), "Q902": ("pancake", "팬케이크", "Q30")}
PARTS = {"Q911": ("rice", "쌀"), "Q912": ("egg", "달걀"), "Q913": ("flour", "밀가루")}
COUNTRIES = {"Q884": ("South Korea", "대한민국"), "Q30": ("United States", "미국")}

TEXTS = {
    "bare.toml": """\
name = "everything"
version = "0.9.0"
license = "cc-by-4.0"
[[sources]]
kind = "responses"
location = "collected"
""",
    "recipe.toml": """\
name = "everything"
version = "1.0.0"
title = "Everything"
license = "cc-by-4.0"
authors = ["Mina Kim"]
contact = "blend@example.org"
homepage = "https://example.org/blend"
datasheet = "datasheet.toml"
seed = 1
locale_file = "locales.toml"
previous = "before"

[[sources]]
kind = "responses"
location = "collected"

[[sources]]
kind = "wikidata"
location = "dishes.nt"

[[sources]]
kind = "topics"
location = "topics"

[saq]
wanted = 3
max_idk = 5

[mcq]
target_min_votes = 1
distractor_min_votes = 1
verdicts = "verdicts.jsonl"

[mcq.judge]
kind = "lexical"

[food]
domain = "dish"
domain_file = "domains.toml"
languages = ["en", "ko"]
aligned_languages = ["en", "ko"]

[cultural]
nationalities = ["BR", "JP", "UZ"]
forms = "forms.tsv"
""",
    "locales.toml": """\
[[locale]]
tag = "gn-PY"
language = "gn"
region = "PY"
region_name = "Paraguay"
upstream = "Paraguay"
prompt_name = "Paraguay"
nationalities = ["Paraguayan"]
aliases = []
native_name = "Paraguái"
direction = "ltr"
script = "Latn"
parent = "PY"
split = "PY"
""",
    "verdicts.jsonl": '{"template_id": "food-01", "locale": "ko-KR", "option": "soup", '
    '"verdict": "also_correct", "reader": "r01"}\n',
    "verdicts.tsv": "template_id\tlocale\toption\tverdict\treader\nfood-01\tko-KR\tsoup\tok\tr02\n",
    "suspects.csv": "template_id,locale,item_id\nfood-02,ko-KR,food-02_KR_1\n",
    "forms.tsv": "de\tBrazilian\tBrasilianer\tein\nde\tJapanese\tJapaner\tein\n",
    "topics/qa/topics.tsv": "physics\tgravity\nphysics\tsound\n",
    "topics/qa/templates.tsv": "_\t_\tExplain {topic} to {article} {nationality}.\n",
    "topics/stories/topics.tsv": "feelings\tpride\n",
    "topics/stories/templates.tsv": "_\t_\tExplain {topic} to {article} {nationality}.\n",
    "natives.csv": "id,topic,locale,text\nKR-01,Food,ko-KR,Which Korean dish is eaten on birthdays?\n"
    "KR-02,Sport,ko-KR,What is the most popular water sport in Korea?\n",
    "translations.csv": "template_id,locale,question\nKR-01,ko-KR,생일에 먹는 음식은?\nKR-02,ko-KR,스포츠는?\n",
    "texts.csv": "group,topic,sample,text\nBrazilian,rain,0,It rains\nBrazilian,rain,1,No rain\n"
    "Japanese,rain,0,It pours\nJapanese,rain,1,Rain again\n",
    "values.csv": "Demonym,power,joy\nBrazilian,1,2\nJapanese,3,9\nUzbek,4,4\n",
    "stop.txt": "a\nthe\n",
    "candidates.csv": "language,candidate\nen,rice\nen,egg\nen,flour\nko,쌀\nko,달걀\nko,밀가루\n",
    "vectors.vec": "3 2\nrice 0.1 0.2\negg 0.3 0.1\nflour 0.5 0.5\n",
}
"""Files that no command writes."""


def make_inputs(folder: Path) -> None:
    """Make the folder, which must not be there; the commands' working folder is changed to it."""
    folder.mkdir(parents=True)
    os.chdir(folder)
    for name, text in TEXTS.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    Path("dishes.nt").write_text("\n".join(_triples()) + "\n", encoding="utf-8")
    _collected()
    _domain()
    shutil.copytree(Path(__file__).parents[1] / "loaders" / "valid" / "blend", "published")
    run_blend("build bare.toml --out before")
    run_blend("build recipe.toml --out release")
    _sheets()
    run_blend("eval tiny-model model")
    _runs()
    make_annotation()
    make_imports()


def _collected() -> None:
    """The first templates in four locales of the sample; one file of responses as JSON Lines."""
    from blend.loaders.sample import sample_path

    folder = Path("collected")
    (folder / "responses").mkdir(parents=True)
    (folder / "reviews").mkdir()
    with sample_path() as sample:
        shutil.copy(sample / "datasheet.toml", "datasheet.toml")
        names = [f"{name}.csv" for name in ("templates", "questions", "prompts")]
        for name in [*names, *(f"responses/{locale}.csv" for locale in LOCALES)]:
            rows = pl.read_csv(sample / name, infer_schema=False)
            for column, wanted in (("template_id", TEMPLATES), ("locale", LOCALES)):
                rows = rows.filter(pl.col(column).is_in(wanted)) if column in rows.columns else rows
            rows.write_csv(folder / name)
        for locale in LOCALES:
            lines = (sample / "reviews" / f"{locale}.jsonl").read_text(encoding="utf-8").splitlines()
            kept = [line for line in lines if json.loads(line)["template_id"] in TEMPLATES]
            (folder / "reviews" / f"{locale}.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    path = folder / "responses" / "en-US.csv"
    rows = pl.read_csv(path, infer_schema=False).to_dicts()
    path.unlink()
    lines = [json.dumps({key: value for key, value in row.items() if value}) for row in rows]
    path.with_suffix(".jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _domain() -> None:
    from blend.loaders.files.toml import domain_toml
    from blend.schemas.recipe import domains

    meal = domains()["dish"].model_copy(update={"name": "meal"})
    Path("domains.toml").write_text(domain_toml(meal), encoding="utf-8")


def _triples() -> list[str]:
    said = [
        *((qid, LABEL, f'"{name}"@{language}') for qid, names in (DISHES | PARTS | COUNTRIES).items()
          for language, name in zip(("en", "ko"), names, strict=False)),
        *((qid, f"{DIRECT}P31", f"<{ENTITY}Q746549>") for qid in DISHES),
        *((qid, f"{DIRECT}P495", f"<{ENTITY}{origin}>") for qid, (*_, origin) in DISHES.items()),
        *((qid, f"{DIRECT}P527", f"<{ENTITY}{part}>") for qid in DISHES for part in PARTS),
        *((qid, f"{DIRECT}P31", f"<{ENTITY}Q6256>") for qid in COUNTRIES),
    ]  # fmt: skip
    return [f"<{ENTITY}{qid}> <{relation}> {what} ." for qid, relation, what in said]


def _sheets() -> None:
    run_blend("reviews propose recipe.toml --all --out sheet.csv")
    run_blend("reviews propose recipe.toml --pairs --all --out pairs.csv")
    run_blend("questions options recipe.toml --out options.csv")
    run_blend("templates propose natives.csv --out reviewed.csv")
    _fill("options.csv", {"verdict": "ok"})
    _fill("pairs.csv", {"verdict": "different", "who": "r01", "when": "2026-11-20"})
    _fill("reviewed.csv", {"decision": "keep"})


def _fill(name: str, values: Mapping[str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(Path(name).read_text(encoding="utf-8-sig"))))
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, **{key: value for key, value in values.items() if key in row}} for row in rows)


def _runs() -> None:
    dishes = " -T config=food-aligned -T languages=en"
    for name, task, options, response in (
        ("choices", "multiple-choice", {"style": "json"}, '{"answer_choice": "A"}'),
        ("short", "short-answer", {}, "rice"),
        ("lists", "free-listing", {"config": "food-aligned", "languages": ("en",)}, "rice, egg"),
    ):
        rows = pl.DataFrame({"item_id": _item_ids(task, options)})
        rows.with_columns(response=pl.lit(response)).write_csv(f"{name}.csv")
        typed = dishes if name == "lists" else ""
        run_blend(f"eval run release --task {task}{typed} --answers {name}.csv --out runs/{name}")
        run_blend(f"eval score runs/{name}")
    run_blend("eval run --task cultural-prompts --answers texts.csv --out runs/texts")
    run_blend("eval score runs/texts -T surveys=own=values.csv")
    run_blend(f"eval run release --task probing{dishes} --model model -M device=cpu --out runs/probe")
    run_blend("eval score runs/probe")
    run_blend("eval judge-sheet runs/lists --out judged.csv")
    _fill("judged.csv", {"verdict": "correct"})
    # Each case has a copy of everything.
    for path in Path("runs").glob("*/run.json"):
        run = json.loads(path.read_text(encoding="utf-8"))
        if run["release"]["location"] is not None:
            run["release"]["location"] = "release"
        path.write_text(json.dumps(run), encoding="utf-8")
    shutil.copytree("runs/choices", "runs/other")
    # A run that was killed: some answers of two machines, the last line torn.
    answers = Path(shutil.copytree("runs/short", "runs/begun")) / "answers"
    lines = (answers / "main.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (answers / "main.jsonl").write_text("".join(lines[:4]) + lines[4][:20], encoding="utf-8")
    (answers / "2of2.jsonl").write_text("".join(lines[5:7]), encoding="utf-8")


def _item_ids(task: str, options: dict[str, object]) -> list[str]:
    from blend.eval.registry import task_of
    from blend.eval.release_items import read_items

    return read_items("release", task_of(task), **options).asked.items["item_id"].to_list()


if __name__ == "__main__":
    make_inputs(Path(sys.argv[1]))
