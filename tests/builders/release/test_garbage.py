"""Collection of garbage waits for the end of a build, and is then as it was."""

import gc

import pytest

from blend.builders.release import gc_paused


def broken_off():
    with gc_paused():
        raise KeyboardInterrupt


@pytest.mark.parametrize("enabled", [True, False])
def test_collection_is_as_before_whatever_happens(enabled: bool):
    try:
        (gc.enable if enabled else gc.disable)()
        with gc_paused():
            assert not gc.isenabled()
        assert gc.isenabled() is enabled
        with pytest.raises(KeyboardInterrupt):
            broken_off()
        assert gc.isenabled() is enabled
    finally:
        gc.enable()
