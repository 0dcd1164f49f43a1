"""Charts of texts for readers of many nationalities, as Vega-Lite specifications; see `score_charts`."""

from collections.abc import Sequence

from blend.eval.report.vega_lite import Rows, Spec, load_altair, spec_of

_COLOURS = ("#3b82c4", "#d9730d", "#2a9d6a", "#c2559d")


def variance_chart(rows: Rows, *, title: str) -> Spec:
    """One mark per topic: variance within groups, and between them, with both intervals.

    Args:
        rows: ``topic``, ``split``, ``within``, ``across`` and ``within_low`` … of both.
        title: What is shown.
    """
    alt = load_altair()
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        color=alt.Color(
            "split:N", scale=alt.Scale(range=list(_COLOURS)), legend=alt.Legend(orient="top", title=None)
        ),
        tooltip=[
            alt.Tooltip("topic:N"),
            alt.Tooltip("across:Q", format=".3f"),
            alt.Tooltip("within:Q", format=".3f"),
        ],
    )
    x = alt.X("within:Q", title="variance within nationalities")
    y = alt.Y("across:Q", title="variance between nationalities")
    marks = base.mark_point(filled=True, size=45, opacity=0.9).encode(x=x, y=y)
    upright = base.mark_rule(opacity=0.35).encode(x=x, y=alt.Y("across_low:Q"), y2="across_high:Q")
    level = base.mark_rule(opacity=0.35).encode(x=alt.X("within_low:Q"), x2="within_high:Q", y=y)
    largest = max(max(row["within_high"] or row["within"], row["across_high"] or row["across"]) for row in rows)
    equal = (
        alt.Chart(alt.Data(values=[{"v": 0}, {"v": largest}]))
        .mark_line(strokeDash=[4, 4], color="#808a94", strokeWidth=1)
        .encode(x="v:Q", y="v:Q")
    )
    return spec_of(
        equal + upright + level + marks, f"Variance between and within nationalities: {title}", height=340
    )


def anchor_chart(rows: Rows, anchors: Sequence[str], *, title: str) -> Spec:
    """The rank correlation of every anchor with its interval over topics, one colour per kind of text.

    Args:
        rows: ``anchor``, ``split``, ``value``, ``low``, ``high``.
        anchors: From top to bottom.
        title: What is shown.
    """
    alt = load_altair()
    splits = list(dict.fromkeys(row["split"] for row in rows))
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        y=alt.Y("anchor:N", sort=list(anchors), title=None, axis=alt.Axis(labelLimit=0)),
        yOffset=alt.YOffset("split:N", sort=splits),
        color=alt.Color(
            "split:N",
            sort=splits,
            scale=alt.Scale(range=list(_COLOURS)),
            legend=alt.Legend(orient="top", title=None) if len(splits) > 1 else None,
        ),
        tooltip=[alt.Tooltip("anchor:N"), alt.Tooltip("split:N"), alt.Tooltip("value:Q", format=".3f")],
    )
    x = alt.X("value:Q", title=title)
    marks = base.mark_point(filled=True, size=40, opacity=1).encode(x=x)
    lines = base.mark_rule(strokeWidth=1.2).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    zero = alt.Chart(alt.Data(values=[{"v": 0}])).mark_rule(color="#808a94").encode(x="v:Q")
    height = (10 * len(splits) + 6) * len(anchors)
    return spec_of(zero + lines + marks, f"{title}, by nationality", height=height)
