"""Projects that blend did not make: whatever the server exports of one, the same responses come in."""

from pathlib import Path

import pytest

from blend.builders.annotation.project import pseudonym, read_key
from blend.loaders.responses import read_responses
from helpers.in_process import run
from helpers.label_studio.annotation_projects import LOCALES, write_questions
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

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
ANSWERS = 'answers = ["pass", "said_2", "said_10"]\n'


def said(control: str, *texts: str) -> dict[str, object]:
    return {**typed(*texts, control=control), "to_name": "prompt"}


def exported(studio: StudioForTests, title: str, kind: str) -> tuple[bytes, list[int]]:
    """What two people have answered in a project of another team; and their numbers."""
    sdk, people = studio.sdk, [studio.person("mina"), studio.person("jun")]
    made = sdk.projects.create(title=title, label_config=CONFIG)
    asked = [{"asked": text, "batch": "b1"} for text in (FOOD, WORK, COLOUR)]
    sdk.projects.import_tasks(made.id, request=asked)
    tasks = {task.data["asked"]: task.id for task in sdk.tasks.list(project=made.id, fields="task_only")}
    mina, jun = people
    studio.annotate(tasks[FOOD], mina, said("said_10", "국"), said("said_2", "밥"))
    studio.annotate(tasks[FOOD], jun, said("said_2", "빵, 우유"))
    studio.annotate(tasks[WORK], mina, said("said_2", "18:00", "18:30"), said("said_10", "19:00"))
    studio.annotate(tasks[WORK], jun, {**chosen("모르겠다", control="pass"), "to_name": "prompt"})
    studio.annotate(tasks[COLOUR], jun, said("said_2", "blue"))
    studio.annotate(tasks[COLOUR], mina, skipped=True)
    return b"".join(sdk.projects.exports.download_sync(made.id, export_type=kind)), people


@pytest.mark.parametrize("kind", ["JSON", "JSON_MIN", "CSV", "TSV"])
def test_every_export_of_another_project_gives_the_same_responses(
    kind: str, label_studio: StudioForTests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    content, people = exported(label_studio, tmp_path.name[-40:], kind)
    file = Path(f"export.{kind.removesuffix('_MIN').lower()}")
    file.write_bytes(content)
    write_questions(Path("collected"))
    command = ("responses", "import", file)
    first, *others = run(*command).splitlines()
    assert first == "map.toml: a draft: 2 questions of ko-KR. Nothing is imported yet."
    assert {f"  left out: {name}" for name in ("batch", "pass", "said_2", "said_10", COLOUR)} <= {*others}
    draft = Path("map.toml").read_text("utf-8")
    for name in ("pass", "said_2", "said_10"):
        draft = draft.replace(f'    "{name}",\n', "")
    Path("map.toml").write_text(ANSWERS + draft, "utf-8")
    imported, *notes = run(*command).splitlines()
    assert imported == "collected/responses/ko-KR.csv: 4 responses of 2 annotators."
    assert notes == ["Pseudonyms are by annotators.key: keep it for later tables, and give it to nobody."]
    # The key is made by the first import.
    mina, jun = (pseudonym(str(one), read_key(Path("annotators.key"))) for one in people)
    responses = read_responses(Path("collected")).responses
    found = responses.select("template_id", "annotator", "answers", "non_answer").iter_rows()
    assert {(name, who): list(answers or [idk]) for name, who, answers, idk in found} == {
        ("food-01", mina): ["밥", "국"],
        ("food-01", jun): ["빵, 우유"],
        ("work-01", mina): ["18:00", "18:30", "19:00"],
        ("work-01", jun): ["idk"],
    }
