"""What a page of ours holds for its script: unpacked again."""

import base64
import itertools
import json
import zlib
from collections.abc import Sequence
from typing import Any


def unpacked(data: str) -> Any:
    """What `single_answers.packed` was given."""
    return json.loads(zlib.decompress(base64.b64decode(data), -15))


def texts_of(data: Any, numbers: Sequence[int]) -> list[str]:
    """The texts of a column that is stored as steps."""
    return [data["texts"][number] for number in itertools.accumulate(numbers)]
