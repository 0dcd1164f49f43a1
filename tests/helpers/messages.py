"""Messages of errors, to be compared as a whole."""

from collections.abc import Callable

import pytest

from blend.schemas.errors import BlendError


def wrong(call: Callable[[], object]) -> str:
    """What is said of a call that cannot be."""
    with pytest.raises(BlendError) as caught:
        call()
    return str(caught.value)
