"""Model report: how the verdicts of models, which a build goes by, compare with what people say."""

from collections.abc import Sequence

import polars as pl

from blend.builders.release.verdict_agreement import compared_verdicts
from blend.schemas.reports import EVERY, ComparedKind, ModelComparison, ModelReport

_OPTION = ("template_id", "locale", "option")


def model_report(beside: pl.DataFrame, models: Sequence[str], *, model_confidence: float) -> ModelReport:
    """Compare every model, and all together, with the people who have read the same options.

    Args:
        beside: `mcq.exclusions.Exclusions.beside_models`.
        models: Names of the models, at least one, whether a verdict of theirs counts or not.
        model_confidence: From where on a model is sure.
    """
    is_model = pl.col("reviewer").is_in(models)
    people = beside.filter(~is_model)

    def compared(name: str, verdicts: pl.DataFrame) -> ModelComparison:
        is_sure = pl.col("confidence") >= model_confidence
        sure = verdicts.filter(is_sure).unique(_OPTION)
        unsure = verdicts.unique(_OPTION).join(sure, on=_OPTION, how="anti")
        readers = people.join(sure, on=_OPTION, how="semi").group_by(_OPTION)
        by_whom = readers.agg(native=(pl.col("native") == "yes").fill_null(value=False).any())
        rows = compared_verdicts(verdicts, people, model_confidence=model_confidence)
        return ModelComparison(
            reviewer=name,
            verdicts=len(sure),
            unsure=len(unsure),
            natives=by_whom.filter("native").height,
            others=by_whom.filter(~pl.col("native")).height,
            kinds=tuple(ComparedKind(**row) for row in rows.to_dicts()),
        )

    each = [compared(name, beside.filter(reviewer=name)) for name in models]
    together = [compared(EVERY, beside.filter(is_model))] if len(models) > 1 else []
    return ModelReport(confidence=model_confidence, models=(*together, *each))
