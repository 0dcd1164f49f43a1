"""What the documentation site needs beyond its pages: a reference page per module, pictures without a network.

The pages are made while the site is built, so that no module can be forgotten; mkdocstrings fills them from the
docstrings. Diagrams are drawn by Mermaid in the reader's browser. The theme would fetch it from a server on the
internet; here it is the file that ``MERMAID`` names, and where none is named the diagram's text is shown.
"""

import os
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pymdownx.superfences import fence_code_format

LAYOUT = Path(__file__).resolve().parents[1] / "build" / "installed"
"""Made by ``installed_layout.py``, which the Makefile runs first."""

MERMAID = "assets/mermaid.min.js"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation gets the reference, the browser gets Mermaid if there is one."""
    assert config.nav is not None
    config.nav.append({"API reference": _entries("blend", _modules())})
    if "MERMAID" in os.environ:
        config.extra_javascript.append(MERMAID)
        fence = {"name": "mermaid", "class": "mermaid", "format": fence_code_format}
        config.mdx_configs.setdefault("pymdownx.superfences", {})["custom_fences"] = [fence]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """One page for every module."""
    for name in _modules():
        files.append(File.generated(config, _page(name), content=f"::: {name}\n"))
    if "MERMAID" in os.environ:
        files.append(File.generated(config, MERMAID, abs_src_path=os.environ["MERMAID"]))
    return files


def _modules() -> list[str]:
    """The dotted names of all modules, a package before what is in it."""
    found = []
    for folder, _, names in os.walk(LAYOUT / "blend", followlinks=True):
        package = ".".join(Path(folder).relative_to(LAYOUT).parts)
        stems = [name.removesuffix(".py") for name in names if name.endswith(".py")]
        found += [
            package if stem == "__init__" else f"{package}.{stem}" for stem in stems if stem != "__main__"
        ]
    return sorted(found)


def _page(name: str) -> str:
    return f"reference/{name.replace('.', '/')}.md" if name != "blend" else "reference/index.md"


def _entries(package: str, modules: list[str]) -> list[Any]:
    """The navigation below a package: its own page, then what is in it, packages with theirs."""
    entries: list[Any] = [_page(package)]
    for name in modules:
        if name.rpartition(".")[0] == package:
            label = name.rpartition(".")[2]
            is_package = any(other.startswith(f"{name}.") for other in modules)
            entries.append({label: _entries(name, modules) if is_package else _page(name)})
    return entries
