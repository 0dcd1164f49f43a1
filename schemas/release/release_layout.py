"""The layout of a release directory: what its files are called, and which paths cannot be in one."""

import unicodedata

MANIFEST_NAME = "release.json"
"""The manifest: what is in the release, what made it, how to check it."""

RECIPE_NAME = "recipe.toml"
"""The recipe that made it, every source pinned."""

CARD_NAME = "README.md"
"""The dataset card, which the Hub shows."""

CARD_PAGE_NAME = "reports/details.md"
"""What is too long for the card: every column, and the figures behind the first ones."""

DATASHEET_NAME = "DATASHEET.md"
"""The datasheet, for people."""

ANSWERS_NAME = "datasheet.toml"
"""The datasheet's answers, where the release's recipe finds them again; only where there are any."""

LOCALES_NAME = "locales.toml"
"""The release's own locales; only where it has any."""

DECISIONS_NAME = "decisions.tsv"
"""What people and models decided about pairs of answers; only where the recipe names such a file."""

DOMAINS_NAME = "domains.toml"
"""The domain of the tables from Wikidata; only where the package does not have it."""

PROMPT_TEMPLATES_NAME = "templates.toml"
"""The prompt templates of that domain; only where it has any."""

CHANGELOG_NAME = "CHANGELOG.md"
"""What changed from version to version."""

CITATION_NAME = "CITATION.cff"
"""Whom to cite, for programs; only in a release from many contributors."""

CROISSANT_NAME = "croissant.json"
"""Metadata for machines."""

BENCHMARK_NAME = "eval.yaml"
"""What the Hub and Inspect need to run the release as a benchmark; only with multiple-choice questions."""

FINDINGS_NAME = "reports/findings.jsonl"
"""Every oddity of the input and every row left out, one JSON object per line."""

AGREEMENT_NAME = "reports/agreement.json"
"""How far annotators agree, by locale; only in a release that was made from their responses."""

ANNOTATOR_GROUPS_NAME = "reports/annotator_groups.json"
"""The same by what annotators tell about themselves; only where enough of them have agreed to that."""

AUDIT_NAME = "reports/audit.json"
"""What simple rules get right in the multiple-choice questions; not in paper mode."""

MODEL_VERDICTS_NAME = "reports/model_verdicts.json"
"""How models' verdicts on options compare with people's; only where the recipe's exclusions hold any."""

_HUB_FOLDERS = (".git", ".cache", ".huggingface")

HUB_FILE = ".gitattributes"
"""The Hub's own file in every repository: which files are stored as large ones. It belongs to no release."""


def is_the_hubs(path: str) -> bool:
    """Whether a file beside a release is one that git or the Hub's own tools put there."""
    return path == HUB_FILE or path.partition("/")[0] in _HUB_FOLDERS


# Windows opens a device instead of a file of such a name, whatever its ending.
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)}


def leads_out(path: str) -> bool:
    r"""Whether a path of a manifest leads out of the release, or to no file in it, on any system.

    A path in a release is relative, has forward slashes, and names every step: ``../x``, ``/x``, ``C:/x``,
    ``a//b``, ``a\\b``, the empty path, control characters and ``NUL`` are all refused, since a manifest comes
    from whoever published it and is written to disk by whoever pulls it.
    """
    if any(char in ":\\" or unicodedata.category(char) in ("Cc", "Cs") for char in path):
        return True
    steps = path.split("/")
    return any(step in ("", ".", "..") or step.partition(".")[0].lower() in _DEVICES for step in steps)
