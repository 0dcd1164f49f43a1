"""Small sets of answers for tests of multiple-choice questions, and looks at what was built from them."""

import polars as pl

from blend.builders.judges import Verdict
from blend.builders.mcq import build_mcq
from blend.builders.mcq.to_review import offered_options
from blend.builders.mcq.verdicts import Verdicts
from blend.schemas.frames import ANNOTATIONS, QUESTIONS, VERDICTS
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions

RULES = ()
"""No judge: only the words of answers count."""
DEFAULT = McqOptions()


class Says:
    """A judge with the given opinions on pairs, in either order, and no others; remembers what it was asked."""

    def __init__(self, name, opinions=()):
        self.name = name
        self.opinions = {frozenset(pair): same for pair, same in dict(opinions).items()}
        self.asked = []

    def verdicts(self, pairs):
        self.asked += pairs
        said = [self.opinions.get(frozenset(pair)) for pair in pairs]
        return [None if same is None else Verdict(same, self.name) for same in said]


FRUIT = {"en-GB": [("apple", 4)], "en-US": [("pear", 3)], "ko-KR": [("plum", 3)], "ar-DZ": [("dates", 5)]}


def frames_of(templates, *, idks=None, answer_format="text"):
    """Questions and annotations: by template and locale, answers (a text or variants) with their votes."""
    asked, annotated = [], []
    for template_id, answers in templates.items():
        for tag, groups in answers.items():
            key = {"template_id": template_id, "locale": tag}
            texts = {"question": f"question in {tag}", "en_question": f"What do people eat? ({template_id})"}
            of = {"topic": "Food", "language": tag.split("-")[0], "answer_format": answer_format}
            asked.append({**key, **texts, **of, "source_label": ""})
            held = [
                {
                    "answers": ["-"],
                    "en_answers": [text] if isinstance(text, str) else list(text),
                    "count": count,
                }
                for text, count in groups
            ]
            none = {"idk": 0, "no-answer": 0, "not-applicable": 0, "others": [], **(idks or {}).get(tag, {})}
            annotated.append({**key, "annotations": held, "idks": none, "grouping": "upstream"})
    return pl.DataFrame(asked, schema=QUESTIONS), pl.DataFrame(annotated, schema=ANNOTATIONS)


def build_of(answers, *, options=DEFAULT, seed=0, judges=RULES, verdicts=None, **more):
    frames = frames_of({"T-1": answers}, **more)
    chosen = {"options": options, "seed": seed, "judges": judges}
    return build_mcq(*frames, **chosen, verdicts=verdicts)


def verdicts_of(*rows):
    """Verdicts of a table: each a mapping, of a person unless it says otherwise."""
    usual = {"template_id": "T-1", "reader": "r1", "kind": "other", "source": "verdicts.tsv:2"}
    return pl.DataFrame([dict.fromkeys(VERDICTS) | usual | row for row in rows], VERDICTS, orient="row")


def offered_to(answers, tag, *, verdicts=None, **more):
    """What a locale's question may show as wrong, by locale of origin."""
    questions, annotations = frames_of({"T-1": answers}, **more)
    rows = offered_options(
        questions,
        annotations,
        options=DEFAULT,
        seed=0,
        judges=RULES,
        verdicts=Verdicts(verdicts, questions, registry(), shipped=False),
        locales=registry(),
    )
    wrong = rows.filter(locale=tag, role="distractor").explode("regions")
    return set(wrong.select("regions", "option").iter_rows())


def shown_to(build, tag):
    """The distractors that a locale's questions show, by locale of origin."""
    shown = set()
    for row in build.mcqs.filter(pl.col("locale") == tag).iter_rows(named=True):
        options = zip(row["option_locales"], row["options"], strict=True)
        shown |= {option for i, option in enumerate(options) if i != row["answer"]}
    return shown


def right_answers(build, tag):
    rows = build.mcqs.filter(pl.col("locale") == tag).iter_rows(named=True)
    return {row["options"][row["answer"]] for row in rows}


def loss_of(build, tag):
    return build.dropped.filter(pl.col("locale") == tag).select("reason", "detail").row(0)
