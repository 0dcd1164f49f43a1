"""Run many damaged inputs through the command line, and say what came of them.

``python tests/damage/many_damages.py --count 2000 --jobs 2`` needs the extras ``eval``, ``annotate`` and
``wikidata`` for its inputs. Every case is one damage and one command, and follows from ``--seed`` and its
number: ``--only 17 --keep DIR`` runs one again. A process that has loaded the package and computed nothing yet
forks one for each, which costs a fraction of starting Python.
"""

import argparse
import collections
import ctypes
import gc
import hashlib
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from damages import damage_file, damage_folder

_FAST, _SLOW = (
    (Path(__file__).parent / "commands.txt").read_text(encoding="utf-8").split("\n# Those that take seconds")
)
_LINE = re.compile(r"^(! )?(\w.*?)(?:  ->  (.+))?$", re.MULTILINE)

MAY_CHANGE = {command: patterns.split() for _, command, patterns in _LINE.findall(_FAST + _SLOW)}
"""Every command to patterns of inputs that it may change when it succeeds, or, behind ``+``, in any case."""
REFUSED = {command for refused, command, _ in _LINE.findall(_FAST) if refused}
"""Those that end with an error on undamaged inputs."""
FAST = [command for _, command, _ in _LINE.findall(_FAST)]

_BESIDE = {
    "recipe.toml": "locales.toml datasheet.toml verdicts.jsonl domains.toml forms.tsv dishes.nt topics "
    "collected before",
    "project.toml": "project locales.toml",
    "form.toml": "annotators.key",
    "foreign.toml": "annotators.key",
}
"""What is read beside a file of a name."""

CPU_S = 90
"""Processor time after which a command is said to hang."""
WAIT_S = 400
"""Time by the clock after which one that computes nothing is; a busy machine is slow."""
MEMORY = 6 << 30

ODD_WORDS = (
    *("0", "-1", str(10**30), "9" * 5000, "1.5", "nan", "all", "1e9", "", " ", "x", "x" * 5000, "../.."),
    *("\x1b[31mko-KR", "a\u202eb", "a\x7f", "n\udcff", "[/bold]", "mina@example.org", "top=0", "lemmas=x"),
)
"""What an option is given, or stands where an input is named."""


@dataclass
class Case:
    """What was damaged, what was run, and what came of it."""

    number: int
    words: list[str]
    damage: str
    code: int | None = None
    """Exit code; negative for a signal, null for a command that hangs."""
    told: str = ""
    printed: str = ""
    details: str = ""
    """What a fault wrote into its file."""
    destroyed: list[str] = field(default_factory=list)
    """Files of the inputs that are not as they were, and that the command may not change."""

    @property
    def faults(self) -> list[str]:
        """What a user must never meet."""
        found = [f"destroyed {name}" for name in self.destroyed]
        if self.code is None:
            found.append("hang")
        elif self.code == 70 or "fault of blend" in self.told:
            found.append("fault of blend")
        elif self.code not in (0, 1, 2):
            found.append(f"ended with {self.code}")
        elif self.code and not self.told.strip():
            found.append("no message")
        elif self.code and self.damage == "none" and " ".join(self.words) not in REFUSED:
            found.append("refused what is not damaged")
        if "Traceback (most recent" in self.told + self.printed or "Exception ignored" in self.told:
            found.append("traceback")
        if any(ord(letter) < 32 and letter not in "\n\t" for letter in self.told):
            found.append("control character in the message")
        return found

    def __str__(self) -> str:
        lines = [f"{self.number}: {', '.join(self.faults) or 'as it should be'} [{self.code}]"]
        lines += [f"  blend {' '.join(self.words)[:150]!r}", f"  {self.damage}"]
        lines += [f"  | {line[:300]}" for line in self.told.splitlines()[-3:]]
        return "\n".join([*lines, *(f"  > {line}" for line in self.details.splitlines()[-7:])])


def main() -> None:
    """Make the inputs, run the cases, print a summary; exit code 1 if one had a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many damaged inputs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of single cases")
    parser.add_argument("--sound", action="store_true", help="damage nothing, and run every command once")
    parser.add_argument("--keep", help="folder for the inputs")
    options = parser.parse_args()
    os.environ.setdefault("USE_TORCH", "0")
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # side by side are the cases
    folder = Path(options.keep or tempfile.mkdtemp(prefix="damages-")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    if not (folder / "inputs").exists():
        make = Path(__file__).with_name("damage_inputs.py")
        subprocess.run([sys.executable, make, folder / "making"], check=True, stdout=subprocess.DEVNULL)
        (folder / "making").rename(folder / "inputs")
    numbers = options.only or range(len(MAY_CHANGE) if options.sound else options.count)
    _load_all()
    run = partial(_one, seed=None if options.sound else options.seed, folder=folder)
    # Every worker is forked before anything was computed, and forks each case in turn.
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        cases = list(pool.imap_unordered(run, numbers))
    for case in cases:
        if case.faults or options.only:
            print(case)
    codes = collections.Counter(case.code for case in cases)
    n_faulty = sum(bool(case.faults) for case in cases)
    print(f"{len(cases)} inputs; exit codes {dict(codes)}; {n_faulty} with faults")
    sys.exit(n_faulty > 0)


def _load_all() -> None:
    """Load what commands load, so that no case has to; threads of computing would not survive forking."""
    for name in (
        *("blend.builders.release", "blend.builders.validate", "blend.cli", "blend.eval.scoring"),
        *("blend.eval.report.pages", "blend.loaders.releases.references"),
        # What takes seconds and only some commands need; without it, those cases fail in a way of their own.
        *("altair", "label_studio_sdk", "pyoxigraph", "scipy.stats", "torch", "transformers", "vl_convert"),
    ):
        with suppress(ImportError):
            import_module(name)
    gc.freeze()  # what is never looked at is never copied


def _one(number: int, *, seed: int | None, folder: Path) -> Case:
    """Copy the inputs, damage one unless there is no seed, run a command over them, look at what is left."""
    chance = random.Random(f"{seed}:{number}")
    # Those that take seconds are run half as often.
    commands = [*MAY_CHANGE] if seed is None else [*FAST, *MAY_CHANGE]
    command, scratch = commands[number % len(commands)], folder / f"case-{os.getpid()}"
    try:
        shutil.rmtree(scratch, onerror=_make_writable)
        (scratch / "tmp").mkdir(parents=True)
        here = shutil.copytree(folder / "inputs", scratch / "here")
        case = Case(number, command.split(), "none")
        if seed is not None:
            case.words, case.damage = _damage(command, here, chance)
        before = _digests(here)
        case.code = _run(case.words, scratch)
        case.told = (scratch / "stderr").read_text(encoding="utf-8", errors="replace")
        case.printed = (scratch / "stdout").read_text(encoding="utf-8", errors="replace")
        reports = (scratch / "tmp").glob("blend-error-*")
        case.details = "\n".join(path.read_text(errors="replace") for path in reports)
        case.destroyed = list(_destroyed(before, _digests(here), command, done=case.code == 0))
    except Exception:  # of the damaging, which must not stop all other cases
        return Case(number, [command], "none", 99, told=traceback.format_exc())
    return case


def _damage(command: str, here: Path, chance: random.Random) -> tuple[list[str], str]:
    """Damage one of the command's inputs, or its words; the words then, and what was done."""
    words, kind = command.split(), chance.random()
    named = _named_inputs(command, here)
    odd = chance.choice(ODD_WORDS)
    if kind < 0.07:
        option = chance.choice(_typed_options(words))
        return [*words, option, odd], f"{option} {odd[:20]!r}"
    if kind < 0.1:
        at = chance.choice([n for n, word in enumerate(words) if here / word in named] or [len(words) - 1])
        return [*words[:at], odd, *words[at + 1 :]], f"{odd[:20]!r} in place of {words[at]}"
    folders = [path for one in named if one.is_dir() for path in (one, *one.rglob("*")) if path.is_dir()]
    if folders and kind < 0.22:
        path, done = chance.choice(sorted(folders)), damage_folder
    else:
        files = sorted({path for one in named for path in (one, *one.rglob("*")) if path.is_file()})
        path, done = chance.choice(files), damage_file
    return words, f"{path.relative_to(here)}: {done(path, chance)}"


def _named_inputs(command: str, here: Path) -> set[Path]:
    """Files and folders of the inputs that a command names, or that are read beside them."""
    words = [part for word in command.split() for part in word.split("=")]
    beside = [name for word in words for name in _BESIDE.get(Path(word).name, "").split()]
    return {here / name for name in (*words, *beside) if (here / name).exists()}


def _typed_options(words: Sequence[str]) -> list[str]:
    """Options of a command with a value that names no place."""
    import typer

    from blend.cli import app

    command: Any = typer.main.get_command(app)
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    return [
        option.opts[0]
        for option in getattr(command, "params", ())
        if not getattr(option, "is_flag", True) and "Path" not in str(option.type_descriptor.annotation)
    ] or ["--no-such-option"]


def _run(words: list[str], scratch: Path) -> int | None:
    child = os.fork()
    if child == 0:
        try:
            _become_blend(words, scratch)
        finally:
            os._exit(99)
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            code = os.waitstatus_to_exitcode(status)
            return None if code == -signal.SIGXCPU else code
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _become_blend(words: list[str], scratch: Path) -> None:
    """Run the command line in this process, as the shell would."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        file = os.open(scratch / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(file, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.update(HOME=str(scratch), TMPDIR=str(scratch / "tmp"), HF_HOME=str(scratch / "hub"))
    os.environ.update(HF_HUB_OFFLINE="1", COLUMNS="100", LABEL_STUDIO_API_KEY="f" * 40)
    os.environ.pop("BLEND_TRACEBACK", None)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(scratch / "here")
    _obey_permissions()
    _forget_the_parent(scratch)
    sys.argv = ["blend", *words]
    from blend.__main__ import main as blend

    code = 0
    try:
        blend()
    except SystemExit as stopped:
        code = stopped.code if isinstance(stopped.code, int) else int(stopped.code is not None)
        if isinstance(stopped.code, str):
            print(stopped.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _obey_permissions() -> None:
    """Give up what lets root read and write everything; the files are still root's own."""
    if os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3 of Linux's capabilities, this process
        nothing = (ctypes.c_uint32 * 6)()
        ctypes.CDLL(None).capset(header, nothing)


def _forget_the_parent(scratch: Path) -> None:
    """Point what modules noted of the environment when they were loaded to the case's own folder."""
    import datasets.config
    from huggingface_hub import constants

    tempfile.tempdir = None
    constants.HF_HUB_OFFLINE = True
    constants.HF_HUB_CACHE = str(scratch / "hub" / "hub")
    datasets.config.HF_HUB_OFFLINE = True
    datasets.config.HF_DATASETS_CACHE = scratch / "hub" / "datasets"


def _digests(here: Path) -> dict[str, str]:
    """What every name below a folder leads to, without following or opening anything strange."""
    found: dict[str, str] = {}
    for path in here.rglob("*"):
        name = str(path.relative_to(here))
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            try:
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                found[name] = str(error.errno)
        elif not path.is_dir():
            found[name] = "special"
    return found


def _destroyed(before: dict[str, str], after: dict[str, str], command: str, *, done: bool) -> list[str]:
    """Files that changed, but those that the command may change when it succeeds, or (``+``) in any case."""
    patterns = MAY_CHANGE[command]
    allowed = [one.removeprefix("+") for one in patterns if done or one.startswith("+")]
    changed = [name for name, digest in before.items() if after.get(name) != digest]
    return [
        name
        for name in changed
        if Path(name).name != ".lock" and not any(fnmatch(name, pattern) for pattern in allowed)
    ]


def _make_writable(function: object, path: str, _: object) -> None:
    """Remove what somebody forbade; what is not there is gone."""
    for one in (Path(path).parent, Path(path)):
        if one.exists() and not one.is_symlink():
            one.chmod(0o700)
    if Path(path).is_dir() and not Path(path).is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        Path(path).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
