"""Commands in the process of a test, where an error of ours is the test's to look at."""

from pathlib import Path

from typer.testing import CliRunner

from blend.cli import app


def run(*arguments: str | Path, code: int = 0, columns: int | None = None) -> str:
    """What ``blend`` with these arguments prints to standard output.

    Args:
        arguments: As typed behind ``blend``.
        code: With which it has to end.
        columns: Width of the terminal; 80 when absent.

    Raises:
        BlendError: As the command meets it, before it is explained on standard error.
    """
    return both(*arguments, code=code, columns=columns)[0]


def both(*arguments: str | Path, code: int = 0, columns: int | None = None) -> tuple[str, str]:
    """What it prints to standard output and to standard error."""
    environment = {} if columns is None else dict.fromkeys(("COLUMNS", "TERMINAL_WIDTH"), str(columns))
    result = CliRunner(env=environment).invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr
