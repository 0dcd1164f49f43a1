"""Projects for the tests of annotation: two questions in Korean and Persian, or all stages on the sample."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from blend.builders.annotation.project import ProjectFile, new_key, read_project
from blend.builders.annotation.syncing import sync_project
from blend.loaders.label_studio.push import ProjectPlan
from blend.loaders.recipes import sample_path

QUESTIONS = {
    "food-01": ("Food", "What do people in {country} eat for breakfast?"),
    "work-01": ("Work life", "When does the working day end in {country}? (e.g., HH:MM)"),
}
LOCALES = {
    "ko-KR": (
        "South Korea",
        {
            "food-01": "대한민국 사람들은 아침으로 무엇을 먹나요?",
            "work-01": "대한민국에서는 몇 시에 퇴근하나요?",
        },
    ),
    "fa-IR": (
        "Iran",
        {"food-01": "مردم ایران برای صبحانه چه می‌خورند؟", "work-01": "در ایران کار چه ساعتی تمام می‌شود؟"},
    ),
}


def write_questions(
    folder: Path, questions: dict[str, tuple[str, str]] = QUESTIONS, locales: Sequence[str] = tuple(LOCALES)
) -> None:
    """Templates and questions, nothing else, of a directory of raw responses."""
    folder.mkdir(parents=True, exist_ok=True)
    templates = [f'{name},{topic},,"{text}"' for name, (topic, text) in questions.items()]
    (folder / "templates.csv").write_text("\n".join(["template_id,topic,source_locale,text", *templates, ""]))
    rows = [
        f'{name},{tag},"{local.get(name, local["food-01"])}","{text.format(country=country)}"'
        for tag in locales
        for country, local in [LOCALES[tag]]
        for name, (_, text) in questions.items()
    ]
    (folder / "questions.csv").write_text("\n".join(["template_id,locale,question,en_question", *rows, ""]))


def write_project(
    folder: Path, name: str, url: str, locales: Sequence[str] = tuple(LOCALES), **settings: str
) -> ProjectFile:
    """A project file beside its questions and its key; ``settings`` are further keys as TOML."""
    write_questions(folder / "collected")
    keys = {"name": f'"{name}"', "stages": '["answer"]', **settings}
    lines = [f"{key} = {value}" for key, value in keys.items()]
    lines += [f'[[locales]]\nlocale = "{tag}"' for tag in locales]
    path = folder / "project.toml"
    path.write_text("\n".join([*lines, f'[server]\nurl = "{url}"', ""]))
    (folder / "annotators.key").write_text(new_key())
    return read_project(path)


SHEETS = {
    "equivalence": (
        "check,answer_a,answer_b,template_id,question\nc1,soccer,football,spo-01,What do people watch?\n"
    ),
    "replies": "id,locale,question,reply\nd1,{tag},What is for lunch?,Soup\n",
    "statements": "id,locale,question,options\nd1,{tag},Is soup for lunch?,yes|no\n",
}


def push_sample(
    folder: Path,
    name: str,
    url: str,
    tag: str,
    stages: Sequence[str],
    *,
    keys: str = "",
    answered: bool = False,
) -> None:
    """Bring a project of the sample to a server; its answers to edu-01 are still to come, or to be reviewed."""
    with sample_path() as sample:
        shutil.copytree(sample, folder / "collected")
    for given in (folder / "collected").glob(f"re*/{tag}.*"):
        if not (answered and given.parent.name == "responses"):
            rows = given.read_text(encoding="utf-8").splitlines(keepends=True)
            given.write_text("".join(row for row in rows if "edu-01" not in row), encoding="utf-8")
    (folder / "annotators.key").write_text(new_key())
    for stage, text in SHEETS.items():
        (folder / f"{stage}.csv").write_text(text.format(tag=tag))
    sheets = ", ".join(f'{stage} = "{stage}.csv"' for stage in SHEETS)
    path = folder / "project.toml"
    path.write_text(
        f'name = "{name}"\nstages = {list(stages)}\ncollected = "collected"\ntopics = ["Education"]\n'
        f'recipe = "collected/recipe.toml"\nsheets = {{ {sheets} }}\n{keys}\n'
        f'[server]\nurl = "{url}"\n[[locales]]\nlocale = "{tag}"\n'
    )
    push(path)


def push(path: Path) -> list[ProjectPlan]:
    """Bring a project to its server."""
    plans = sync_project(path, only="push").plans
    assert plans is not None
    return list(plans)
