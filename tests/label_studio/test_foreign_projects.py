"""Projects that blend did not make: their exports come in; tasks as files go into a server by hand."""

import json
from pathlib import Path

import pytest

from blend.builders.annotation.project import pseudonym, read_key
from blend.loaders.responses import read_responses
from helpers.in_process import run
from helpers.label_studio.annotation_projects import LOCALES, write_questions
from helpers.label_studio.studio_fixtures import StudioForTests, typed

CONFIG = """\
<View>
  <Text name="prompt" value="$asked"/>
  <TextArea name="said_2" toName="prompt" maxSubmissions="1"/>
  <TextArea name="said_10" toName="prompt" maxSubmissions="1"/>
  <Choices name="pass" toName="prompt"><Choice value="모르겠다"/><Choice value="Other"/></Choices>
</View>
"""
FOOD, WORK = LOCALES["ko-KR"][1].values()
COLOUR = "What is your favourite colour?"
ANSWERS = ["pass", "said_2", "said_10"]
EXPORTS = {"JSON": "json.json", "JSON_MIN": "min.json", "CSV": "csv.csv", "TSV": "tsv.tsv"}


def said(control: str, *texts: str) -> dict[str, object]:
    return {**typed(*texts, control=control), "to_name": "prompt"}


def passed(option: str) -> dict[str, object]:
    return {"from_name": "pass", "to_name": "prompt", "type": "choices", "value": {"choices": [option]}}


@pytest.fixture
def people(label_studio: StudioForTests, tmp_path: Path) -> tuple[str, str]:
    """Two people who have answered in a project of another team, which is exported in every way to a folder."""
    sdk = label_studio.sdk
    made = sdk.projects.create(title=tmp_path.name[-40:], label_config=CONFIG)
    asked = [{"asked": text, "batch": "b1", "country": "South Korea"} for text in (FOOD, WORK, COLOUR)]
    sdk.projects.import_tasks(made.id, request=asked)
    tasks = {task.data["asked"]: task.id for task in sdk.tasks.list(project=made.id, fields="task_only")}
    mina, jun = label_studio.person("mina"), label_studio.person("jun")
    label_studio.annotate(tasks[FOOD], mina, said("said_10", "국"), said("said_2", "밥"))
    label_studio.annotate(tasks[FOOD], jun, said("said_2", "빵, 우유"))
    label_studio.annotate(tasks[WORK], mina, said("said_2", "18:00", "18:30"), said("said_10", "19:00"))
    label_studio.annotate(tasks[WORK], jun, passed("모르겠다"))
    label_studio.annotate(tasks[COLOUR], jun, said("said_2", "blue"))
    label_studio.annotate(tasks[COLOUR], mina, skipped=True)
    for kind, name in EXPORTS.items():
        content = b"".join(sdk.projects.exports.download_sync(made.id, export_type=kind))
        (tmp_path / name).write_bytes(content)
    return str(mina), str(jun)


@pytest.mark.integration
def test_every_export_of_another_project_gives_the_same_responses(
    people: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    for kind, export in EXPORTS.items():
        write_questions(Path(kind))
        command = ("responses", "import", export, "--map", f"{kind}.toml", "--out", kind)
        lines = run(*command).splitlines()
        assert lines[:2] == [
            f"{kind}.toml: a draft: 2 questions of ko-KR. Nothing is imported yet.",
            "  to be written into it: answers, the columns with answers, in their order",
        ]
        left_out = ["batch", "country", *ANSWERS, COLOUR]
        if kind != "JSON":
            left_out += ["annotation_id", "created_at", "id", "lead_time", "updated_at"]
        assert sorted(lines[2:-1]) == sorted(f"  left out: {name}" for name in left_out)
        draft = Path(f"{kind}.toml").read_text("utf-8")
        for name in ANSWERS:
            draft = draft.replace(f'    "{name}",\n', "")
        Path(f"{kind}.toml").write_text(f"answers = {json.dumps(ANSWERS)}\n{draft}", "utf-8")
        assert run(*command) == f"{kind}/responses/ko-KR.csv: 4 responses of 2 annotators.\n"
        # The key is made by the first import.
        mina, jun = (pseudonym(one, read_key(Path("annotators.key"))) for one in people)
        responses = read_responses(Path(kind)).responses
        assert set(responses["locale"]) == {"ko-KR"}
        found = responses.select("template_id", "annotator", "answers", "non_answer").rows()
        assert sorted((a, b, list(c or []), d) for a, b, c, d in found) == sorted(
            [
                ("food-01", mina, ["밥", "국"], None),
                ("food-01", jun, ["빵, 우유"], None),
                ("work-01", mina, ["18:00", "18:30", "19:00"], None),
                ("work-01", jun, [], "idk"),
            ]
        )
