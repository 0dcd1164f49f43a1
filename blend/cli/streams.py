"""Standard streams that may fail: the reader leaves, as ``head`` does after its lines, or the disk is full."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from blend.schemas.errors import StorageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Output(io.FileIO):
    """A file descriptor that takes everything once nobody reads it any more."""

    lost = False

    def write(self, data: "ReadableBuffer") -> int:
        if self.lost:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self.lost = True
            return memoryview(data).nbytes
        except OSError as error:
            self.lost = True
            raise StorageError(
                f"standard output: cannot write ({error.strerror}); make room, or send it elsewhere"
            ) from error


@contextmanager
def retrying_streams() -> Iterator[None]:
    """Let a command do its work to the end, with its own exit code, although its reader has left.

    ``blend stats release | head`` ends quietly; ``blend validate release | head`` still fails for a release
    that is not valid. Streams without a file descriptor (of a test, of a notebook) stay as they are.

    Raises:
        StorageError: If the last lines cannot be written for another reason.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _retrying(sys.stdout), _retrying(sys.stderr)
    try:
        yield
    finally:
        after = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = before
        for stream in after:
            stream.flush()


def _retrying(stream: TextIO) -> TextIO:
    try:
        number = stream.fileno()
        stream.flush()
    except (AttributeError, OSError, ValueError):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(_Output(number, "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream is sys.stderr or stream.isatty(),
    )
