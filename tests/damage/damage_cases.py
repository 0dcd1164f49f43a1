"""Cases: one damage, one command in a process of its own, and what came of it.

A process that has loaded the package and computed nothing yet forks one for every case, which costs a fraction
of starting Python. Whatever chance decides follows from the seed and the number of the case.
"""

import ctypes
import gc
import hashlib
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path

from damage_commands import Command
from damages import damage_file, damage_folder

CPU_S = 90
"""Processor time after which a command is said to hang."""
WAIT_S = 400
"""Time by the clock after which one that computes nothing is; a busy machine is slow."""
MEMORY = 6 << 30

ODD_NUMBERS = ("0", "-1", str(10**30), "9" * 5000, "1.5", "nan", "all", "\x1b[31m", "", "1e9")
ODD_NAMES = (
    "x",
    "",
    "\x1b[31mko-KR",
    "a\u202eb",
    "a\x7f",
    "x" * 5000,
    "../..",
    "n\udcff",
    "[/bold]",
    "mina@example.org",
    " ",
)
OPTIONS = {
    "build": (
        ("--previous", ODD_NAMES),
        ("--source-path", ODD_NAMES),
    ),
    "stats": (("--table", ODD_NAMES),),
    "reviews propose": (("--locale", ODD_NAMES),),
    "reviews accept": (("--reviewer", ODD_NAMES),),
    "eval score": (
        ("--seed", ODD_NUMBERS),
        ("--rule", ODD_NAMES),
        ("-T", ODD_NAMES),
        ("-T lemmas", ODD_NAMES),
        ("-T top", ODD_NUMBERS),
    ),
    "eval run": (
        ("--limit", ODD_NUMBERS),
        ("--locales", ODD_NAMES),
        ("-T", ODD_NAMES),
        ("-T rotations", ODD_NUMBERS),
        ("--model", ODD_NAMES),
    ),
    "eval judge-sheet": (("--sample", ODD_NUMBERS), ("--language", ODD_NAMES), ("--seed", ODD_NUMBERS)),
    "eval export": (("--limit", ODD_NUMBERS), ("--locales", ODD_NAMES)),
}
"""Options that are given odd values."""


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
    seconds: float = 0.0

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
        if "Traceback (most recent" in self.told + self.printed or "Exception ignored" in self.told:
            found.append("traceback")
        if any(ord(letter) < 32 and letter not in "\n\t" for letter in self.told):
            found.append("control character in the message")
        return found


def run_case(number: int, seed: int, inputs: Path, scratch: Path, commands: Sequence[Command]) -> Case:
    """Copy the inputs, damage one, run a command over them, and look at what is left.

    Args:
        number: Of the case.
        seed: Of all chance.
        inputs: As `damage_inputs.make_inputs` makes them.
        scratch: Folder for the case; emptied first.
        commands: One of them is run, each as often as the others.
    """
    chance = random.Random(f"{seed}:{number}")
    command = commands[number % len(commands)]
    shutil.rmtree(scratch, onerror=_make_writable)
    here = scratch / "here"
    here.mkdir(parents=True)
    for name in command.tops():
        if (inputs / name).is_dir():
            (here / name).parent.mkdir(exist_ok=True)
            shutil.copytree(inputs / name, here / name)
        elif (inputs / name).exists():
            shutil.copy2(inputs / name, here / name)
    words, damage = _damage(command, here, chance)
    case = Case(number, words, damage)
    (scratch / "tmp").mkdir()
    before = _digests(here)
    started = time.monotonic()
    case.code = _run(words, scratch)
    case.seconds = time.monotonic() - started
    case.told = (scratch / "stderr").read_text(encoding="utf-8", errors="replace")
    case.printed = (scratch / "stdout").read_text(encoding="utf-8", errors="replace")
    case.details = "\n".join(
        path.read_text(errors="replace") for path in (scratch / "tmp").glob("blend-error-*")
    )
    case.destroyed = _destroyed(before, _digests(here), command, here, done=case.code == 0)
    return case


def _damage(command: Command, here: Path, chance: random.Random) -> tuple[list[str], str]:
    """Damage one of the command's inputs, or its words; the words then, and what was done."""
    words = command.words.split()
    options = next((found for name, found in OPTIONS.items() if command.words.startswith(name)), ())
    kind = chance.random()
    if options and kind < 0.08:
        option, values = chance.choice(options)
        value = chance.choice(values)
        flag, _, name = option.partition(" ")
        return [*words, flag, f"{name}={value}" if name else value], f"{option} {value[:20]!r}"
    folders = [folder for folder in command.folders if (here / folder).is_dir()]
    if folders and kind < 0.22:
        folder = chance.choice(folders)
        return words, f"{folder}: {damage_folder(here / folder, chance)}"
    files = sorted({path for pattern in command.reads for path in here.glob(pattern) if path.is_file()})
    path = chance.choice(files)
    done = damage_file(path, chance)
    return words, f"{path.relative_to(here)}: {done}"


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
    os.environ.update(
        HOME=str(scratch),
        TMPDIR=str(scratch / "tmp"),
        HF_HOME=str(scratch / "hub"),
        HF_HUB_OFFLINE="1",
        COLUMNS="100",
        LABEL_STUDIO_API_KEY="f" * 40,
    )
    os.environ.pop("BLEND_TRACEBACK", None)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(scratch / "here")
    _obey_permissions()
    _forget_the_parent(scratch)
    sys.argv = ["blend", *words]
    from blend.__main__ import main

    try:
        main()
        code = 0
    except SystemExit as stopped:
        code = stopped.code if isinstance(stopped.code, int) else int(stopped.code is not None)
        if isinstance(stopped.code, str):
            print(stopped.code, file=sys.stderr)
    except BaseException:
        import traceback

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
    import tempfile

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


def _destroyed(
    before: dict[str, str], after: dict[str, str], command: Command, here: Path, *, done: bool
) -> list[str]:
    found = []
    for name, digest in before.items():
        if after.get(name) == digest or Path(name).name == ".lock":
            continue
        if any(fnmatch(name, pattern) for pattern in command.adds):
            continue
        if not (done and any(fnmatch(name, pattern) for pattern in command.replaces)):
            found.append(name)
    return found


def _make_writable(function: object, path: str, _: object) -> None:
    """Remove what somebody forbade; what is not there is gone."""
    for one in (Path(path).parent, Path(path)):
        if one.exists() and not one.is_symlink():
            one.chmod(0o700)
    if Path(path).is_dir() and not Path(path).is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        Path(path).unlink(missing_ok=True)


def load_all() -> None:
    """Load what commands load, so that no case has to; threads of computing would not survive forking."""

    import blend.builders.release
    import blend.builders.validate
    import blend.cli
    import blend.eval.report.report_page
    import blend.eval.scoring
    import blend.loaders.releases.references  # noqa: F401

    # What takes seconds and only some commands need; without it, those cases fail in a way of their own.
    for name in (
        "altair",
        "label_studio_sdk",
        "pyoxigraph",
        "scipy.stats",
        "torch",
        "transformers",
        "vl_convert",
    ):
        with suppress(ImportError):
            import_module(name)
    gc.freeze()  # what is never looked at is never copied
