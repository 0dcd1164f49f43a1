"""True or false in the report: what questions show."""

from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import Candidate, KnownQuestion, KnownQuestions


def asked_options(run: ScoredRun) -> KnownQuestions:
    """List what is known of each option by ``item_id``: whether it is the correct one."""
    gold = run.run.gold("item_id", "option", "answer", "option_texts")
    rows = run.run.items("item_id", "prompt").join(gold, on="item_id")
    return {
        item_id: KnownQuestion(
            tuple(Candidate(word, index == answer) for index, word in enumerate(words)),
            f"{prompt.partition(chr(10))[0]} {option}",
        )
        for item_id, prompt, option, answer, words in rows.iter_rows()
    }
