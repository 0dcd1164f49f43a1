"""``blend eval cluster``: what a run has no answer to, answered by many machines."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from blend.cli.eval_outcome import print_outcome, print_warning
from blend.cli.task_options import named_value
from blend.eval.models.chosen import Asking


def cluster(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of a run that --batch-out has begun.")],
    server: Annotated[
        str, typer.Option(metavar="URL|vllm", help="Server to ask, or vllm: an engine that each task starts.")
    ],
    executor: Annotated[
        Literal["local", "slurm", "ray"], typer.Option(help="Who schedules the tasks.")
    ] = "local",
    task_requests: Annotated[int, typer.Option(min=1, help="Requests of a task.")] = 5000,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Argument of datatrove's executor, or field of its InferenceConfig; can be repeated.",
        ),
    ] = None,
) -> None:
    """Have datatrove answer what a run has no answer to: here, on Slurm or on Ray.

    Stopped at any moment, the same command goes on where it stopped. With Slurm it submits the tasks; once they
    have ended, the same command reads their answers. Every node sees RUN under the same path.

    - `blend eval cluster RUN --server URL --set max_concurrent_generations=64` asks from this machine.
    - `blend eval cluster RUN --server vllm --executor slurm --set partition=gpu --set time=04:00:00 --set
      gpus_per_task=1 --set model_max_context=32768` starts vLLM for each task.
    """
    from blend.eval.cluster import run_on_cluster
    from blend.views.progress import interruptible

    typed = (named_value("--set", text, example="partition=gpu") for text in settings or ())
    chosen = {name: int(value) if value.isdecimal() else value for name, value in typed}
    with interruptible("interrupted; what was answered is kept, and the same command goes on from there"):
        kept = run_on_cluster(
            run, server=server, executor=executor, task_requests=task_requests, settings=chosen
        )
    if kept is None or kept.outcome is None:
        logs = run / "cluster" / "logs"
        typer.echo(f"Slurm has the tasks (logs in {logs}); run the same once they have ended.")
        return
    for warning in kept.outcome.warnings:
        print_warning(warning)
    print_outcome(kept, Asking(), score=str(run))
