"""Cultural prompts as items: every sample of every prompt, topic by topic, and what can be chosen."""

import polars as pl
import pytest

from blend.eval.items import ITEMS
from blend.eval.task import checked_options
from blend.eval.tasks.cultural_prompts.cultural_items import GOLD, CulturalPromptOptions, cultural_items
from blend.schemas.frames import CULTURAL_PROMPT_ROWS
from blend.schemas.rows import CULTURAL_PROMPTS
from helpers.messages import wrong

PEOPLE = {"Brazilian": ["BR"], "Dominican": ["DM", "DO"], "Thai": ["TH"]}


@pytest.fixture(scope="module")
def tables() -> dict[str, pl.DataFrame]:
    rows = [
        {"prompt_id": f"t1/c/{topic}/{one}", "prompt": f"Tell a {one} of {topic}.", "kind": kind}
        | {"category": "c", "topic": topic, "nationality": one, "country_codes": codes}
        | {"region": "r", "language": "en", "template_id": "t1"}
        for kind in ("qa", "stories")
        for topic in ("rain", "snow", "wind")
        for one, codes in PEOPLE.items()
    ]
    return {CULTURAL_PROMPTS: pl.DataFrame(rows, schema=CULTURAL_PROMPT_ROWS)}


def asked(tables, **options):
    checked = checked_options(CulturalPromptOptions, options, task="cultural-prompts")
    return cultural_items(tables, checked)


def test_texts_of_a_topic_stand_together(tables):
    found = asked(tables, samples=2)
    assert found.items.schema == ITEMS
    assert found.gold.schema == GOLD
    assert found.items["item_id"].head(3).to_list() == [
        "qa/t1/c/rain/Brazilian~0",
        "qa/t1/c/rain/Brazilian~1",
        "qa/t1/c/rain/Dominican~0",
    ]
    assert found.gold.select("split", "topic").unique(maintain_order=True).height == 6
    assert found.items["item_id"].n_unique() == found.items.height == 2 * 2 * 3 * 3
    assert found.prompts == {"qa/t1": "Tell a Brazilian of rain.", "stories/t1": "Tell a Brazilian of rain."}


def test_kinds_nationalities_and_topics_are_chosen(tables):
    found = asked(tables, samples=1, kinds=("stories",), nationalities=("DO", "Thai"), limit=2)
    assert found.gold["split"].unique().to_list() == ["stories"]
    assert found.gold["group"].unique(maintain_order=True).to_list() == ["Dominican", "Thai"]
    assert found.gold["topic"].n_unique() == 2
    # A larger limit asks about the same topics and more.
    more = asked(tables, samples=1, kinds=("stories",), limit=3)
    assert set(found.gold["topic"]) < set(more.gold["topic"])


REFUSED = {
    "unknown kind of text 'poems'; choose one of: qa, stories": {"kinds": ("poems",)},
    "unknown nationality 'Tai'; did you mean 'Thai'? choose one of: BR, Brazilian, DM, DO, Dominican, TH, "
    "Thai": {"nationalities": ("Tai",)},
    "cultural prompts are for nationalities and have no locales; leave `locales` out": {"locales": ("ko-KR",)},
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_asked_is_told(tables, message):
    assert wrong(lambda: asked(tables, **REFUSED[message])) == message
