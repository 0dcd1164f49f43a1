"""A question with its accepted answers, and the decision on a reply to it."""

from typing import Any

import polars as pl

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers
from blend.schemas.frames import ANNOTATIONS
from helpers.questions.saq_inputs import KINDS

Accepted = str | tuple[list[str], list[str]]
"""An accepted answer, or all of a group: in the language of the question, and in English."""


def annotated(
    *groups: Accepted, locale: str = "en-US", question: str = "What?", votes: int | None = 1
) -> pl.DataFrame:
    """The annotations of a question; ``votes`` of each group, null where nobody knows them."""
    pairs = [([group], []) if isinstance(group, str) else group for group in groups]
    row = {"template_id": "t", "locale": locale, "language": locale.partition("-")[0], "en_question": question}
    row["annotations"] = [{"answers": own, "en_answers": english, "count": votes} for own, english in pairs]
    row["idks"] = {**dict.fromkeys(KINDS, votes and 0), "others": []}
    return pl.DataFrame([row], schema_overrides={name: ANNOTATIONS[name] for name in ("annotations", "idks")})


def decision(
    reply: str | None,
    annotations: pl.DataFrame,
    *,
    template_id: str = "t",
    prompt: str = "What?",
    language: str = "local",
    **how: Any,
) -> dict[str, Any]:
    """What is decided on a reply to the question of the annotations, or to another one."""
    asked = {"template_id": template_id, "locale": annotations["locale"].item(), "item_id": "i"}
    asked["asked_in"] = language
    asked |= {"prompt_id": "p", "prompt": prompt, "response": reply}
    replies = pl.DataFrame([asked], schema_overrides={"response": pl.String})
    return decide_short_answers(replies, annotations, **how).row(0, named=True)
