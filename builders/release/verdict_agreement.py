"""Agreement: how far readers of options agree, and how verdicts of one reader or model compare with others'."""

import polars as pl

from blend.builders.saq.agreement import krippendorff_alpha
from blend.loaders.responses.verdicts import MODEL_KIND, NATIVE
from blend.schemas.recipe import McqOptions
from blend.schemas.reports import ANY_REFUSAL, EVERY, ComparedKind, ModelComparison, ModelReport
from blend.schemas.sheets import ALL_VERDICTS, ALSO_CORRECT, OK, SILLY, WRONG
from blend.schemas.summaries import Table

AGREEMENT = pl.Schema(
    {
        "locale": pl.String(),
        "options": pl.Int64(),
        "by_natives": pl.Int64(),
        "by_others": pl.Int64(),
        "by_models": pl.Int64(),
        "refused": pl.Int64(),
        "read_twice": pl.Int64(),
        "alike": pl.Float64(),
        "alpha": pl.Float64(),
    }
)
"""One row per locale asked about, in text order, and ``all`` first: ``options`` with a verdict, those that a
native of the region has read, those that only others have, and those that only models have; those that anybody
``refused``, a model only where no person has read it; those that several people have read (all counts), the
share of them on which all say ``alike`` whether it may be shown, and Krippendorff's alpha of that (fractions;
null where nobody read the same, alpha also where all say the same of everything)."""

_IS_MODEL = pl.col("kind") == MODEL_KIND
_OPTION = ("template_id", "locale", "question", "option")
_SEVERITY = (WRONG, SILLY, ALSO_CORRECT, OK)
"""Of several verdicts on an option, the first one here is what they say together."""
_RANKS = {kind: rank for rank, kind in enumerate((ANY_REFUSAL, *_SEVERITY))}


def verdict_agreement(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Say how far readers agree on whether an option may be shown.

    Args:
        verdicts: `frames.VERDICTS`.

    Returns:
        `AGREEMENT`.

    References:
        Krippendorff (2011), Computing Krippendorff's alpha-reliability; nominal.
    """
    given = _that_count(verdicts).with_columns(refused=pl.col("verdict") != OK)
    rows = pl.concat([given.with_columns(of=pl.lit(EVERY)), given.with_columns(of="locale")])
    options = rows.group_by("of", *_OPTION).agg(
        pl.col("refused").any(),
        by_natives=(pl.col("kind") == NATIVE).any(),
        by_models=_IS_MODEL.all(),
        read_twice=(~_IS_MODEL).sum() > 1,
        alike=pl.col("refused").n_unique() == 1,
    )
    found = options.group_by(locale="of").agg(
        pl.col("by_natives", "by_models", "refused", "read_twice").sum(),
        options=pl.len(),
        by_others=(~pl.col("by_natives") & ~pl.col("by_models")).sum(),
        alike=pl.col("alike").filter("read_twice").mean(),
    )
    # Alpha takes sets of labels; these have one each.
    labels = pl.concat_list(pl.col("refused").cast(pl.String))
    of_people = rows.filter(~_IS_MODEL).select("of", unit=pl.struct(_OPTION), labels=labels)
    tags = [EVERY, *given["locale"].unique().sort()]
    alphas = [krippendorff_alpha(of_people.filter(of=tag).drop("of")).alpha for tag in tags]
    return (
        pl.DataFrame({"locale": tags, "alpha": alphas}, {"locale": pl.String(), "alpha": pl.Float64()})
        .join(found, on="locale", how="left", maintain_order="left")
        .with_columns(pl.selectors.integer().fill_null(0))
        .select(pl.col(name).cast(dtype) for name, dtype in AGREEMENT.items())
    )


def _that_count(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Verdicts on options, without what models say where people have read: people overrule them."""
    on_options = verdicts.filter(pl.col("verdict").is_in(ALL_VERDICTS))
    read_by_people = (~_IS_MODEL).any().over(_OPTION)
    return on_options.filter(~(_IS_MODEL & read_by_people))


def compared_verdicts(
    verdicts: pl.DataFrame,
    others: pl.DataFrame,
    *,
    model_confidence: float = McqOptions().model_confidence,
) -> pl.DataFrame:
    """Compare a reader's verdicts, such as a model's, with what others say of the same options.

    Args:
        verdicts: The reader's, `frames.VERDICTS`; one refusal is enough.
        others: Those that count as true, likewise; without what the same model says there as well, and what any
            model says of options that people have read.
        model_confidence: Verdicts of a model that is less sure are left out, as a build leaves them out.

    Returns:
        The fields of `schemas.reports.ComparedKind`, one row per locale, ``all`` first, and kind of verdict,
        `ANY_REFUSAL` first; without rows where nobody has read the same.
    """
    is_sure = pl.col("confidence").fill_null(1.0) >= model_confidence
    itself = _IS_MODEL & pl.col("reader").is_in(verdicts["reader"].drop_nulls().unique().implode())
    own = _gravest(verdicts.filter(is_sure & pl.col("verdict").is_in(ALL_VERDICTS)))
    true = _gravest(_that_count(others.filter(~itself)))
    # A verdict that quotes no question has null in its place.
    both = own.join(true, on=_OPTION, nulls_equal=True, suffix="_of_others")
    rows = pl.concat([both.with_columns(locale=pl.lit(EVERY)), both]).with_columns(
        refused=pl.col("kind") != OK, refused_by_others=pl.col("kind_of_others") != OK
    )
    confirmed = (pl.col("refused") == pl.col("refused_by_others")).sum()
    found = []
    # By what others say, for the share that the reader finds as well (recall); and by what the reader says, for
    # the share that others confirm (precision).
    for column in ("kind_of_others", "kind"):
        refusals = rows.filter(pl.col(column) != OK).with_columns(pl.lit(ANY_REFUSAL).alias(column))
        by_kind = pl.concat([refusals, rows]).group_by("locale", kind=column)
        figures = by_kind.agg(options=pl.len(), refused=pl.col("refused").sum(), confirmed=confirmed)
        found.append(figures.cast(dict.fromkeys(("options", "refused", "confirmed"), pl.Int64)))
    of_others, of_reader = found[0].drop("confirmed"), found[1].drop("refused").rename({"options": "given"})
    share, precision = (
        pl.when(pl.col(total) > 0).then(pl.col(part) / pl.col(total))
        for part, total in (("refused", "options"), ("confirmed", "given"))
    )
    return (
        of_others.join(of_reader, on=["locale", "kind"], how="full", coalesce=True)
        .with_columns(pl.col("options", "refused", "given", "confirmed").fill_null(0))
        .with_columns(share=share, precision=precision)
        # False sorts before true: all locales together come first.
        .sort(pl.col("locale") != EVERY, "locale", pl.col("kind").replace_strict(_RANKS, return_dtype=pl.Int64))
        .select(list(ComparedKind.model_fields))
    )


def _gravest(verdicts: pl.DataFrame) -> pl.DataFrame:
    """One row per option: what all verdicts on it say together."""
    rank = pl.col("verdict").replace_strict(_RANKS, return_dtype=pl.Int64)
    return verdicts.group_by(_OPTION).agg(kind=pl.col("verdict").sort_by(rank).first())


_IN_ANY_WORDING = ("template_id", "locale", "option")


def model_report(beside: pl.DataFrame, verdicts: pl.DataFrame, options: McqOptions) -> ModelReport | None:
    """Compare every model, and all together, with the people who have read the same options.

    Args:
        beside: `mcq.verdicts.Verdicts.beside_models`.
        verdicts: `frames.VERDICTS`, which name the models, whether a verdict of theirs counts or not.
        options: Those of the questions; from ``model_confidence`` on a model is sure.

    Returns:
        The report; null without models, or in paper mode, where verdicts have no say.
    """
    models, model_confidence = _models_in(verdicts), options.model_confidence
    if not models or options.mode == "paper":
        return None
    is_model = pl.col("kind") == MODEL_KIND
    people = beside.filter(~is_model)

    def compared(name: str, verdicts: pl.DataFrame) -> ModelComparison:
        is_sure = pl.col("confidence") >= model_confidence
        sure = verdicts.filter(is_sure).unique(_IN_ANY_WORDING)
        unsure = verdicts.unique(_IN_ANY_WORDING).join(sure, on=_IN_ANY_WORDING, how="anti")
        readers = people.join(sure, on=_IN_ANY_WORDING, how="semi").group_by(_IN_ANY_WORDING)
        by_whom = readers.agg(native=(pl.col("kind") == NATIVE).any())
        rows = compared_verdicts(verdicts, people, model_confidence=model_confidence)
        return ModelComparison(
            reviewer=name,
            verdicts=len(sure),
            unsure=len(unsure),
            natives=by_whom.filter("native").height,
            others=by_whom.filter(~pl.col("native")).height,
            kinds=tuple(ComparedKind(**row) for row in rows.to_dicts()),
        )

    each = [compared(name, beside.filter(reader=name)) for name in models]
    together = [compared(EVERY, beside.filter(is_model))] if len(models) > 1 else []
    return ModelReport(confidence=model_confidence, models=(*together, *each))


def _models_in(verdicts: pl.DataFrame) -> list[str]:
    """List the models that have given verdicts on options, `frames.VERDICTS`, in text order."""
    on_options = verdicts.filter(pl.col("verdict").is_in(ALL_VERDICTS), kind=MODEL_KIND)
    return on_options["reader"].unique().sort().to_list()


# As tables for readers.


def agreement_table(found: pl.DataFrame) -> Table:
    """How far readers agree; ``found`` is `AGREEMENT`."""
    return Table(
        "Options that were read",
        found.rename({"read_twice": "by_several", "alike": "alike %"}).with_columns(pl.col("alike %") * 100),
        "By natives: read by at least one native of the region. By models: by no person. Refused: by anybody. "
        "Of those that several people read: the share on which all say alike whether they may be shown, and "
        "Krippendorff's alpha.",
    )
