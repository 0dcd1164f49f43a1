"""Limits: how much a table may unpack to, so that a small file from elsewhere cannot fill the memory."""

from pathlib import Path

from blend.schemas.errors import InputError

GROUP_BYTES = 1 << 30
"""Bytes that a row group may take once it is unpacked; those that builds write take some megabytes."""


def check_unpacked_size(path: Path) -> None:
    """Refuse a parquet file of which one row group, which is read as a whole, would take too much memory.

    Raises:
        InputError: If it would; names the file and the sizes.
        OSError: If the file is missing or cannot be read.
        pyarrow.ArrowException: If it is not parquet.
    """
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    sizes = [metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups)]
    if sizes and max(sizes) > GROUP_BYTES:
        raise InputError(
            f"{path}: {path.stat().st_size:,} bytes that unpack to {max(sizes):,} in one row group, and more "
            f"than {GROUP_BYTES:,} is not read; do not use it, and tell who made it"
        )
