"""``blend eval judge``, ``judge-sheet``, ``judged``: what a model or people say of answers."""

from pathlib import Path
from typing import Annotated

import typer

from blend.cli.application import UsageError, with_groups
from blend.cli.eval_options import ModelChoice, ModelName, Seed, print_outcome
from blend.cli.options import AsJson, NewSheet, print_lines, print_tables, reporting
from blend.eval.models.chosen import Asking, Decoding
from blend.schemas.texts import pluralise


@with_groups
def judge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of a run of short-answer.")],
    model: Annotated[str, ModelName],
    name: Annotated[
        str | None,
        typer.Option(help="What the judge is called in RUN/judges; the end of the model's name if absent."),
    ] = None,
    *,
    choice: ModelChoice,
    decoding: Decoding,
    asking: Asking,
) -> None:
    """Ask a model whether the replies of a run are correct, beside the accepted answers.

    Its verdicts are kept in RUN/judges. Stopped at any moment, the same command goes on where it stopped. What
    the default rule is sure of is not sent. The options are those of `blend eval run`.
    """
    from blend.eval.judging.judge_run import judge_run

    stopped = "what the judge said is kept, and the same command goes on from there"
    with reporting(stopped) as on_progress:
        kept = judge_run(
            run,
            model=choice.model(model, asking),
            name=name,
            decoding=decoding,
            asking=choice.planned(asking),
            on_progress=on_progress,
        )
    print_outcome(kept, asking, score=f"{run} --rule judge:{kept.directory.name}")


def judge_sheet(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN…",
            help="Directories of scored runs of short-answer, or of one of probing or free-listing.",
        ),
    ],
    out: NewSheet = Path("sheet.csv"),
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Dishes in the sheet, 50 if absent; or replies of each locale, 300."),
    ] = None,
    locales: Annotated[
        list[str] | None,
        typer.Option(
            "--locale",
            metavar="TAG",
            help="Replies of this locale only; of all if absent. Dishes have their names in its language.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed chooses others.")] = 0,
) -> None:
    """Write a sheet in which people say which replies, or predicted ingredients, of a model are correct.

    It names neither the model nor what a release says, and its order says nothing. Copy it for each annotator,
    or make it a project of Label Studio (`replies` in the project file of `blend annotate`).
    """
    from blend.eval.evaluation import read_scored
    from blend.eval.judging.reply_sheet import draw_replies, keep_drawn, write_replies
    from blend.eval.triples import TripleTask
    from blend.eval.triples.triple_results import make_sheet

    scored = read_scored(runs)
    if isinstance(scored[0].task, TripleTask):
        if len(scored) > 1 or (locales and len(locales) > 1):
            raise UsageError("a sheet of dishes is of one run, and for people of one locale")
        locale = locales[0] if locales else None
        sheet = make_sheet(scored[0], sample=sample or 50, locale=locale, seed=seed)
        write_replies(sheet, out)
    else:
        sheet = draw_replies(scored, sample=sample or 300, locales=locales, seed=seed)
        keep_drawn(scored, sheet, out)
    typer.echo(
        f"Wrote {pluralise(sheet.height, 'row')} to {out}. Fill in the column verdict with correct, partly, "
        "wrong or refused; leave it empty where you do not know. Then:"
    )
    for run in runs:
        typer.echo(f"  blend eval judged {run} {out} …")


def judged(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of the run whose sheet it is.")],
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET…", help="Sheets that came back, one per annotator.")
    ],
    ties: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Sheet to make of the replies on which people are divided, for a third one."
        ),
    ] = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Say how far people agree, and what they find right.

    Writes judged.json beside the scores of dishes, and labels.parquet beside those of replies. Tables as a
    project of Label Studio gives them, with id, annotator and verdict, can stand in place of sheets.
    """
    from blend.eval.evaluation import read_scored
    from blend.eval.judging.reply_sheet import LabelledReplies, label_replies
    from blend.eval.triples import TripleTask
    from blend.eval.triples.triple_results import JudgedByPeople, score_by_people
    from blend.stopping import interruptible

    found: JudgedByPeople | LabelledReplies
    with interruptible():
        [scored] = read_scored([run])
        if isinstance(scored.task, TripleTask):
            if ties is not None:
                raise UsageError("--ties is for replies; of dishes everybody counts the same")
            found = score_by_people(scored, sheets, seed=seed)
            about = scored.reword(pluralise(found.n_dishes, "dish"))
        else:
            found = label_replies(scored, sheets, ties=ties, seed=seed)
            about = found.in_words()
            if ties is not None:
                where = f"to {ties}" if found.n_ties else f"nowhere, since there are none: no {ties} is made"
                typer.echo(f"note: replies that divide people go {where}", err=True)
    if json:
        typer.echo(found.to_json(), nl=False)
        return
    from blend.eval.report import overall_table

    print_lines([f"{pluralise(len(found.annotators), 'annotator')}, {about}"])
    overall = [score for score in found.scores if score.scope == "overall"]
    if overall:
        print_tables([overall_table(overall, scored.task)])
    if isinstance(found, LabelledReplies):
        typer.echo(f"Score again, with these labels:\n  blend eval score {run} --rule {scored.scores.rule}")
