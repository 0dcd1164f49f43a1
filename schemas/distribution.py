"""The distribution: what the installed package is called, and how its optional parts are installed.

No package index has it: it is installed from a checkout, and so is every optional part.
"""

DISTRIBUTION = "blend-sdk"
"""Name of the installed package; ``pyproject.toml`` says the same."""


def how_to_install(extra: str) -> str:
    """Say where to be and what to type to install an optional part (an extra of ``pyproject.toml``)."""
    return f'in a checkout of {DISTRIBUTION}: pip install -e ".[{extra}]"'
