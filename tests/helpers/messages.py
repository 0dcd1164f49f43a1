"""Messages of errors, to be compared as a whole."""

from collections.abc import Callable

import pytest

from blend.schemas.errors import BlendError


def wrong(call: Callable[[], object]) -> str:
    """What is said of a call that cannot be."""
    return message_of(BlendError, call)


def message_of(error: type[Exception], call: Callable[[], object]) -> str:
    """What is said of a call that raises an error of this type."""
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)
