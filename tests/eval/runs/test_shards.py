"""Runs that several machines share: side by side, killed, and one after the other."""

from pathlib import Path

import polars as pl
import pytest

from blend.eval.items import TaskItems
from blend.eval.models.protocols import Decoding, Generation, ModelDescription
from blend.eval.runs.answers import Answers
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_description import AskedRelease, RunDescription
from blend.eval.runs.run_directory import Shard, open_run
from blend.eval.tasks.cultural_prompts.cultural_items import CulturalPromptOptions, cultural_items
from blend.schemas.errors import ConflictError
from blend.schemas.frames import CULTURAL_PROMPT_ROWS
from blend.schemas.rows import CULTURAL_PROMPTS

MODEL = ModelDescription(backend="server", id="tiny", chat=False, delimiter=" ")


class Echo:
    """Answers with prompt and draw, and stops like a killed process where it is told to."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.asked: list[tuple[str, int]] = []
        self._stop_after = stop_after

    def describe(self) -> ModelDescription:
        return MODEL

    def generate(self, prompts, *, samples=None, keep=None):
        for position, (prompt, sample) in enumerate(zip(prompts, samples, strict=True)):
            if self._stop_after is not None and len(self.asked) >= self._stop_after:
                raise KeyboardInterrupt
            self.asked.append((prompt, sample))
            keep([position], [Generation(f"{prompt} {sample}", 3, 4, "stop")])
        return []


def asked_of(n_topics: int = 4, samples: int = 3) -> TaskItems:
    rows = [
        {
            "prompt_id": f"t1/c/topic{topic}/{group}",
            "prompt": f"Tell a {group} of topic {topic}.",
            "kind": "qa",
            "category": "c",
            "topic": f"topic{topic}",
            "nationality": group,
            "country_codes": [group[:2].upper()],
            "region": "r",
            "language": "en",
            "template_id": "t1",
        }
        for topic in range(n_topics)
        for group in ("French", "Thai")
    ]
    frame = pl.DataFrame(rows, schema=CULTURAL_PROMPT_ROWS)
    return cultural_items({CULTURAL_PROMPTS: frame}, CulturalPromptOptions(samples=samples)).in_memory()


def description_of(asked: TaskItems) -> RunDescription:
    return RunDescription(
        sdk_version="0",
        release=AskedRelease(name="r", version="1.0.0", tables={}),
        task=CULTURAL_PROMPTS,
        options={"samples": 3},
        kind="text",
        n_items=asked.items.height,
        prompts={},
        model=MODEL,
        decoding=Decoding(temperature=0.5),
    )


def ran(folder: Path, asked: TaskItems, model: Echo, shard: Shard | None = None) -> None:
    with open_run(folder, description_of(asked), asked, shard=shard) as run:
        ask_model(run, model)


def texts(folder: Path) -> dict[str, str]:
    answers = Answers(folder / "answers").read()
    return dict(answers.select("item_id", "text").sort("item_id").iter_rows())


def test_every_sample_is_a_draw_of_its_own(tmp_path: Path):
    asked, model = asked_of(n_topics=1), Echo()
    ran(tmp_path / "run", asked, model)
    assert [sample for _, sample in model.asked] == [0, 1, 2, 0, 1, 2]
    assert texts(tmp_path / "run")["qa/t1/c/topic0/Thai~2"] == "Tell a Thai of topic 0. 2"


@pytest.mark.slow
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_shards_together_are_one_run(tmp_path: Path, order):
    asked = asked_of()
    ran(tmp_path / "one", asked, Echo())
    models = [Echo() for _ in order]
    for number, model in zip(order, models, strict=True):
        ran(tmp_path / "shards", asked, model, Shard(number, 3))
    assert [len(model.asked) for model in models] == [8, 8, 8]
    assert texts(tmp_path / "shards") == texts(tmp_path / "one")
    files = sorted(path.name for path in (tmp_path / "shards" / "answers").glob("*.jsonl"))
    assert files == [f"{number}of3.jsonl" for number in (1, 2, 3)]


def test_a_shard_asks_nothing_that_another_division_has_answered(tmp_path: Path):
    asked, first, second = asked_of(), Echo(), Echo()
    ran(tmp_path / "run", asked, first, Shard(1, 2))
    ran(tmp_path / "run", asked, second)
    assert len(first.asked) == len(second.asked) == 12
    assert not {*first.asked} & {*second.asked}


def test_a_file_of_answers_has_one_writer(tmp_path: Path):
    asked, folder = asked_of(), tmp_path / "run"
    with (
        open_run(folder, description_of(asked), asked, shard=Shard(1, 2)) as first,
        open_run(folder, description_of(asked), asked, shard=Shard(1, 2)) as again,
        open_run(folder, description_of(asked), asked, shard=Shard(2, 2)) as second,
        first.answer_file(),
        second.answer_file(),
    ):
        with pytest.raises(ConflictError) as caught:
            again.answer_file()
        assert str(caught.value) == (
            f"{folder}/answers/1of2.jsonl: another process writes its answers there; wait for it, or choose "
            "another `out`"
        )


@pytest.mark.parametrize("stop_after", [0, 1, 7, 23])
def test_a_killed_run_goes_on(tmp_path: Path, stop_after: int):
    asked, first, second = asked_of(), Echo(stop_after), Echo()
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path / "run", asked, first)
    ran(tmp_path / "run", asked, second)
    assert len(first.asked) + len(second.asked) == asked.items.height
    assert not {*first.asked} & {*second.asked}
    assert len(texts(tmp_path / "run")) == asked.items.height
