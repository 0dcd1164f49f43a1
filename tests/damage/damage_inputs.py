"""Inputs to damage: a folder with a small, sound file of every kind that a command reads.

Everything is made by the commands themselves where there is one for it, so that what they write is damaged as
well: a release with every configuration, scored runs of every task, sheets as they come back, a project file
with what was pulled.
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

from damage_annotation import make_annotation, make_imports
from damage_texts import COUNTRIES, DIRECT, DISHES, ENTITY, LABEL, LOCALE, PARTS, RECIPE, run_blend

N_TEMPLATES = 3
LOCALES = ("ko-KR", "en-US", "es-MX", "fa-IR")


def make_inputs(folder: Path) -> None:
    """Make the folder, which must not be there; the commands' working folder is changed to it."""
    folder.mkdir(parents=True)
    os.chdir(folder)
    _collected()
    _beside_the_recipe()
    _topics()
    Path("dishes.nt").write_text(_triples(), encoding="utf-8")
    run_blend("build", "bare.toml", "--out", "before")
    run_blend("build", "recipe.toml", "--out", "release")
    _upstream()
    _sheets()
    _tables()
    run_blend("eval", "tiny-model", "model")
    _runs()
    make_annotation()
    make_imports()


def _collected() -> None:
    from blend.loaders.sample import sample_path

    folder = Path("collected")
    with sample_path() as sample:
        names = ["templates.csv", "questions.csv", "prompts.csv"]
        for name in names:
            _copy_rows(sample / name, folder / name)
        for locale in LOCALES:
            _copy_rows(sample / "responses" / f"{locale}.csv", folder / "responses" / f"{locale}.csv")
            _copy_rows(sample / "reviews" / f"{locale}.jsonl", folder / "reviews" / f"{locale}.jsonl")
        shutil.copy(sample / "datasheet.toml", "datasheet.toml")
    rows = list(csv.DictReader((folder / "responses" / "en-US.csv").open(encoding="utf-8")))
    (folder / "responses" / "en-US.csv").unlink()
    lines = [json.dumps({key: value for key, value in row.items() if value}) for row in rows]
    (folder / "responses" / "en-US.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _copy_rows(source: Path, target: Path) -> None:
    """Copy the rows of a file that are about the first templates and of the four locales."""
    wanted = [f"food-0{number}" for number in range(1, N_TEMPLATES + 1)]
    target.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".jsonl":
        kept = [line for line in text.splitlines() if json.loads(line)["template_id"] in wanted]
        target.write_text("\n".join(kept) + "\n", encoding="utf-8")
        return
    header, *rows = csv.reader(io.StringIO(text))
    kept_rows = [
        row
        for row in rows
        if (header[0] != "template_id" or row[0] in wanted)
        and ("locale" not in header or row[header.index("locale")] in LOCALES)
    ]
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *kept_rows])


def _beside_the_recipe() -> None:
    texts = {
        "recipe.toml": RECIPE,
        "bare.toml": 'name = "everything"\nversion = "0.9.0"\nlicense = "cc-by-4.0"\n'
        '[[sources]]\nkind = "responses"\nlocation = "collected"\n',
        "locales.toml": LOCALE,
        "suspects.csv": "template_id,locale,item_id\nfood-01,ko-KR,food-01_KR_1\n",
        "verdicts.jsonl": json.dumps(
            {
                "template_id": "food-01",
                "locale": "ko-KR",
                "option": "soup",
                "verdict": "also_correct",
                "reader": "r01",
            }
        )
        + "\n",
        "forms.tsv": "de\tBrazilian\tBrasilianer\tein\nde\tJapanese\tJapaner\tein\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    from blend.loaders.files.toml import domain_toml
    from blend.schemas.recipe import domains

    meal = domains()["dish"].model_copy(update={"name": "meal"})
    Path("domains.toml").write_text(domain_toml(meal), encoding="utf-8")


def _topics() -> None:
    for kind, topic in {"qa": "physics\tgravity\nphysics\tsound\n", "stories": "feelings\tpride\n"}.items():
        folder = Path("topics") / kind
        folder.mkdir(parents=True)
        (folder / "topics.tsv").write_text(topic, encoding="utf-8")
        (folder / "templates.tsv").write_text("_\t_\tExplain {topic} to {article} {nationality}.\n")


def _triples() -> str:
    lines = []
    for qid, names in {**DISHES, **PARTS, **COUNTRIES}.items():
        for language, name in zip(("en", "ko"), names, strict=False):
            lines.append(f'<{ENTITY}{qid}> <{LABEL}> "{name}"@{language} .')
    for qid, (*_, origin) in DISHES.items():
        lines += [
            f"<{ENTITY}{qid}> <{DIRECT}P31> <{ENTITY}Q746549> .",
            f"<{ENTITY}{qid}> <{DIRECT}P495> <{ENTITY}{origin}> .",
            *(f"<{ENTITY}{qid}> <{DIRECT}P527> <{ENTITY}{part}> ." for part in PARTS),
        ]
    lines += [f"<{ENTITY}{qid}> <{DIRECT}P31> <{ENTITY}Q6256> ." for qid in COUNTRIES]
    return "\n".join(lines) + "\n"


def _upstream() -> None:
    valid = Path(__file__).parents[1] / "loaders" / "valid" / "blend"
    shutil.copytree(valid, "published")


def _sheets() -> None:
    run_blend("reviews", "propose", "recipe.toml", "--all", "--out", "sheet.csv")
    run_blend("reviews", "propose", "recipe.toml", "--pairs", "--all", "--out", "pairs.csv")
    run_blend("questions", "options", "recipe.toml", "--out", "options.csv")
    _fill("options.csv", {"verdict": "ok"})
    Path("verdicts.tsv").write_text(
        "template_id\tlocale\toption\tkind\treviewer\nfood-01\tko-KR\tsoup\tok\tr02\n", encoding="utf-8"
    )
    _fill("pairs.csv", {"verdict": "different", "who": "r01", "when": "2026-11-20"})
    Path("natives.csv").write_text(
        "id,topic,locale,text\nKR-01,Food,ko-KR,Which Korean dish is eaten on birthdays?\n"
        "KR-02,Sport,ko-KR,What is the most popular water sport in Korea?\n",
        encoding="utf-8",
    )
    run_blend("templates", "propose", "natives.csv", "--out", "reviewed.csv")
    _fill("reviewed.csv", {"decision": "keep"})
    Path("translations.csv").write_text(
        "template_id,locale,question\nKR-01,ko-KR,생일에 먹는 음식은?\nKR-02,ko-KR,인기 있는 스포츠는?\n",
        encoding="utf-8",
    )


def _fill(name: str, values: Mapping[str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(Path(name).read_text(encoding="utf-8-sig"))))
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, **{key: value for key, value in values.items() if key in row}} for row in rows)


def _tables() -> None:
    groups = [f"{group},rain,{n},{group} rain is {n}" for group in ("Brazilian", "Japanese") for n in (0, 1)]
    texts = {
        "texts.csv": "group,topic,sample,text\n" + "\n".join(groups) + "\n",
        "values.csv": "Demonym,power,joy\nBrazilian,1,2\nJapanese,3,9\nUzbek,4,4\n",
        "stop.txt": "a\nthe\n",
        "candidates.csv": "language,candidate\nen,rice\nen,egg\nen,flour\nko,쌀\nko,달걀\nko,밀가루\n",
        "vectors.vec": "3 2\nrice 0.1 0.2\negg 0.3 0.1\nflour 0.5 0.5\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")


def _runs() -> None:
    for task, name, response in (
        ("multiple-choice", "choices", '{{"answer_choice": "A"}}'),
        ("short-answer", "short", "rice"),
        ("free-listing", "lists", "rice, egg"),
    ):
        options = [] if task != "free-listing" else ["-T", "config=food-aligned", "-T", "languages=en"]
        file = f"{name}.csv"
        ids = _item_ids(task, options)
        response = response.replace("{{", "{").replace("}}", "}")
        with Path(file).open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows(
                [("item_id", "response"), *((i, response) for i in ids)]
            )
        run = f"runs/{name}"
        run_blend("eval", "run", "release", "--task", task, *options, "--answers", file, "--out", run)
        run_blend("eval", "score", run)
    run_blend("eval", "run", "--task", "cultural-prompts", "--answers", "texts.csv", "--out", "runs/texts")
    run_blend("eval", "score", "runs/texts", "-T", "surveys=own=values.csv")
    asked = ("--task", "probing", "-T", "config=food-aligned", "-T", "languages=en", "--model", "model")
    run_blend("eval", "run", "release", *asked, "-M", "device=cpu", "--out", "runs/probe")
    run_blend("eval", "score", "runs/probe")
    run_blend("eval", "judge-sheet", "runs/lists", "--out", "judged.csv")
    _fill("judged.csv", {"correct_ingredients": "1", "annotator": "p1"})
    # Each case has a copy of everything.
    for path in Path("runs").glob("*/run.json"):
        run = json.loads(path.read_text(encoding="utf-8"))
        if run["release"]["location"] is not None:
            run["release"]["location"] = "release"
        path.write_text(json.dumps(run), encoding="utf-8")
    shutil.copytree("runs/choices", "runs/other")
    shutil.copytree("runs/short", "runs/begun")
    _begun(Path("runs/begun"))


def _item_ids(task: str, options: list[str]) -> list[str]:
    from blend.eval.registry import task_of
    from blend.eval.release_items import read_items

    more = {} if not options else {"config": "food-aligned", "languages": ("en",)}
    if task == "multiple-choice":
        more = {"style": "json"}
    return read_items("release", task_of(task), **more).asked.items["item_id"].to_list()


def _begun(run: Path) -> None:
    """Turn a complete run into one that was killed: some answers of two machines, the last line torn."""
    answers = run / "answers" / "main.jsonl"
    lines = answers.read_text(encoding="utf-8").splitlines(keepends=True)
    answers.write_text("".join(lines[:4]) + lines[4][:20], encoding="utf-8")
    (run / "answers" / "2of2.jsonl").write_text("".join(lines[5:7]), encoding="utf-8")


if __name__ == "__main__":
    make_inputs(Path(sys.argv[1]))
