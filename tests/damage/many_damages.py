"""Run many damaged inputs through the command line, and say what came of them.

``python tests/damage/many_damages.py --count 2000 --jobs 2`` needs the extras ``eval``, ``annotate`` and
``wikidata`` for its inputs. Every case follows from ``--seed`` and its number: ``--only 17 --keep DIR`` runs
one again.
"""

import argparse
import collections
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import traceback
from functools import partial
from pathlib import Path

from damage_cases import Case, load_all, run_case
from damage_commands import COMMANDS, SLOW_COMMANDS


def main() -> None:
    """Make the inputs, run the cases, print a summary; exit code 1 if one had a fault."""
    options = _options()
    os.environ.setdefault("USE_TORCH", "0")
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # side by side are the cases
    folder = Path(options.keep or tempfile.mkdtemp(prefix="damages-")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    inputs = folder / "inputs"
    if not inputs.exists():
        make = Path(__file__).with_name("damage_inputs.py")
        subprocess.run([sys.executable, make, folder / "making"], check=True, stdout=subprocess.DEVNULL)
        (folder / "making").rename(inputs)
    commands = [one for one in (*COMMANDS * 4, *SLOW_COMMANDS) if options.command in one.words]
    numbers = options.only or range(options.start, options.start + options.count)
    load_all()
    run = partial(_one, seed=options.seed, folder=folder, commands=commands)
    cases = []
    # Every worker is forked before anything was computed, and forks each case in turn.
    with (
        multiprocessing.get_context("fork").Pool(options.jobs) as pool,
        (folder / "cases.jsonl").open("a") as log,
    ):
        for case in pool.imap_unordered(run, numbers):
            cases.append(case)
            log.write(json.dumps({**vars(case), "faults": case.faults}) + "\n")
            log.flush()
            if case.faults or options.only:
                print(_told(case), flush=True)
    _summarise(cases)
    sys.exit(any(case.faults for case in cases))


def _one(number: int, *, seed: int, folder: Path, commands: list) -> Case:
    try:
        return run_case(number, seed, folder / "inputs", folder / f"case-{os.getpid()}", commands)
    except Exception:  # of the damaging, which must not stop all other cases
        return Case(number, [], "none", 99, told=traceback.format_exc())


def _told(case: Case) -> str:
    lines = [
        f"{case.number}: {', '.join(case.faults) or 'as it should be'} [{case.code}]",
        f"  blend {' '.join(case.words)[:150]!r}",
    ]
    lines += [f"  {case.damage}", *(f"  | {line[:300]}" for line in case.told.splitlines()[-3:])]
    lines += [f"  > {line}" for line in case.details.splitlines()[-7:]]
    return "\n".join(lines)


def _summarise(cases: list[Case]) -> None:
    codes = collections.Counter(case.code for case in cases)
    faults = collections.Counter(fault.split(" ")[0] for case in cases for fault in case.faults)
    n_faulty = sum(bool(case.faults) for case in cases)
    print(f"{len(cases)} damaged inputs; exit codes {dict(codes)}; {n_faulty} with faults")
    for fault, n in faults.most_common():
        print(f"  {fault}: {n}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many damaged inputs")
    parser.add_argument("--start", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of single cases")
    parser.add_argument("--command", default="", help="only commands whose words hold this")
    parser.add_argument("--keep", help="folder for inputs, cases and the log of all, cases.jsonl")
    return parser.parse_args()


if __name__ == "__main__":
    main()
