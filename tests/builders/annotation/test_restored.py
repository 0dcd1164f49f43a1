"""Restored annotations count as of when they were given, until their author sends them again."""

from pathlib import Path
from typing import Any

import pytest

from blend.builders.annotation.server.restored import as_given, forget_given, remember_given
from blend.schemas.errors import InputError

GIVEN, RESTORED, LATER = "2026-01-02T09:00:00.5Z", "2026-03-01T10:00:00.1Z", "2026-03-01T10:00:09Z"
THEN, NOW = ({"question": text, "en_question": text, "blend_id": "a"} for text in ("Then?", "Now?"))


def task(created: str, updated: str, data: dict[str, str], **others: Any) -> dict[str, Any]:
    one = {"id": 1, "unique_id": "u1", "created_at": created, "updated_at": updated}
    return {"id": 7, "data": data, "annotations": [{**one, "completed_by": {"pseudonym": "p-1"}, **others}]}


def test_a_restored_annotation_is_of_then_until_it_is_sent_again(tmp_path: Path):
    restored = task(RESTORED, RESTORED, NOW)
    assert as_given(tmp_path, [restored]) == [restored]
    remember_given(tmp_path, [task(GIVEN, GIVEN, THEN)])
    words = {"question": "Then?", "en_question": "Then?"}
    expected = task(GIVEN, GIVEN, NOW, answered=words)
    assert as_given(tmp_path, [restored]) == [expected]
    assert as_given(tmp_path, [task(RESTORED, LATER, NOW)]) == [task(RESTORED, LATER, NOW)]
    # Restored twice, it still is of then.
    remember_given(tmp_path, as_given(tmp_path, [restored]))
    assert as_given(tmp_path, [restored]) == [expected]
    forget_given(tmp_path, "p-1")
    assert as_given(tmp_path, [restored]) == [restored]


def test_damage_is_told(tmp_path: Path):
    path = tmp_path / "restored.json"
    path.write_text("[")
    with pytest.raises(InputError) as raised:
        as_given(tmp_path, [])
    assert str(raised.value) == (
        f"{path}: is damaged; bring it back from a backup, or delete it: annotations that were restored then "
        "count as given on that day, in answer to what their tasks show now"
    )
