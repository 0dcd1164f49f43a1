"""Files of the shape of SemEval-2026 Task 7's with invented content and every irregularity that theirs have.

Nothing here is of the task: its terms forbid to pass its data on.
"""

import unicodedata
from pathlib import Path

N_MCQS = 24
"""Multiple-choice questions of each of `MCQ_CODES`."""

MCQ_CODES = ("am-ET", "ga-IE", "ms-SG")

_QUESTIONS = {
    "am-ET": ["ቡና ከምን ጋር ይጠጣል?", "ስንት ልጆች?", "የትኛው ስፖርት?"],
    "en-ET": [
        "What is coffee had with in Ethiopia?",
        "How many children in Ethiopia?",
        "Which sport in Ethiopia?",
    ],
    "ga-IE": ["Cad a óltar?", "Cé mhéad?", "Cén spórt?"],
    "en-IE": ["What is drunk in Ireland?", "How many pets in Ireland?", "Which sport in Ireland?"],
    "en-SG": ["What is drunk in Singapore?", "How many rooms in Singapore?", "Which sport in Singapore?"],
    "msa-SG": ["Apa yang diminum di Singapura?", "Berapa bilik di Singapura?", "Sukan apa di Singapura?"],
    "en-AU": ["What is drunk in Australia?", "How many pets in Australia?", "Which sport in Australia?"],
}

_ANSWERS = {
    "am-ET": ["ፈንዲሻ;ስኳር", "3;4", "no answer"],
    "en-ET": ["popcorn;sugar", "3;4", "no answer;running"],
    "ga-IE": ["tae;uisce", "2", "iománaíocht;not applicable"],
    "en-IE": ["tea;water", "2", "hurling"],
    "en-SG": ["kopi;tea", "3", "badminton"],
    "msa-SG": ["kopi;teh", "3", "idk;I don't know"],
    "en-AU": ["tea;flat white", "1;2", "cricket;footy"],
}


def write_semeval(folder: Path, *, gold: bool = True) -> Path:
    """Write the organisers' four files, with or without the two of gold, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = [
        f"{code}_{number:03}\t{text}"
        for code, texts in _QUESTIONS.items()
        for number, text in enumerate(texts, start=1)
    ]
    accepted = [
        f"{code}_{number:03}\t{text}"
        for code, texts in _ANSWERS.items()
        for number, text in enumerate(texts, start=1)
    ]
    # A quotation mark that nothing closes and a line break in one row, a carriage return in another.
    accepted[0] = 'am-ET_001\tፈንዲሻ;"ስኳር\nወይም ማር'
    accepted[6] = "ga-IE_001\ttae;\ruisce"
    # One question twice, and one accepted answer without a question.
    asked.append(asked[-1])
    accepted.append("ga-IE_009\tbainne")
    # A text that is not composed, and a control character.
    accepted = [unicodedata.normalize("NFD", row) if row.startswith("ga-IE_003") else row for row in accepted]
    accepted[7] = "ga-IE_002\t2\x1c;2"
    _write(folder / "track_1_saq_input.tsv", ["id\ttext", *asked])
    _write(folder / "track_2_mcq_input.tsv", [" id\tquestion \t" + "\t".join(_OPTIONS), *_choices()])
    if gold:
        _write(folder / "final_1_saq_reference.tsv", ["id\tanswer", *accepted])
        _write(folder / "final_2_mcq_reference.tsv", ["id\tanswer", *(f"{i}\t{k}" for i, k in keys().items())])
    return folder


def write_trial(folder: Path) -> Path:
    """Write the two files of trial data alone, and return the folder.

    Few questions have an English one, numbers have no zeros, one question has three options.
    """
    folder.mkdir(parents=True, exist_ok=True)
    saq = ["index\tlang_reg\tquestion\tcorrect_answer", "8\tta-SG\tஎன்ன குடிப்பார்கள்?\tகாபி;\x08தேநீர்"]
    # A quotation mark that nothing closes.
    saq.append('12\tta-SG\t"என்ன உண்பார்கள்?\tதோசை')
    for code in ("am-ET", "en-AU", "en-SG", "ga-IE", "ms-SG"):
        of = "msa-SG" if code == "ms-SG" else code
        saq.append(f"1\t{code}\t{_QUESTIONS[of][0]}\t{_ANSWERS[of][0]}")
    _write(folder / "trial_data_unique_answer.tsv", saq)
    rows = ['1\tga-IE\tWhat is drunk in Ireland?\t"A. tea\nB. kvass\nC. mate\nD. sake"\tA']
    rows += ['2\tga-IE\tWhich sport in Ireland?\t"sumo\nhurling\npelota\x1cvasca\nkabaddi"\thurling']
    rows += ['3\tga-IE\tWhich bread in Ireland?\t"soda bread\nnaan\npita"\tsoda bread']
    header = "index\tlang_reg\tquestion\tmultiple_choice_options\tcorrect_answer"
    _write(folder / "trial_data_multiple_choice.tsv", [header, *rows])
    return folder


def write_development(folder: Path) -> Path:
    """Write the questions of the development phase: those of the trial under the task's own ids, no gold."""
    folder.mkdir(parents=True, exist_ok=True)
    saq = ["id\tquestion", "ta-SG_008\tஎன்ன குடிப்பார்கள்?"]
    saq += [f"{code}_001\t{_QUESTIONS[code][0]}" for code in ("am-ET", "en-AU", "en-SG", "ga-IE")]
    _write(folder / "track_1_saq_input.tsv", saq)
    rows = ["ga-IE_001\tWhat is drunk in Ireland?\ttea\tkvass\tmate\tsake"]
    rows += ["ga-IE_003\tWhich bread in Ireland?\tsoda bread\tnaan\tpita"]
    _write(folder / "track_2_mcq_input.tsv", ["id\tquestion\t" + "\t".join(_OPTIONS), *rows])
    _write(folder / "final_2_mcq_reference.tsv", ["id\tanswer", "ga-IE_001\tA", "ga-IE_003\tA"])
    return folder


def keys() -> dict[str, str]:
    """Id to the correct letter: in Ireland always D, elsewhere one after the other."""
    return {
        f"{code}_{number:04}": "D" if code == "ga-IE" else "ABCD"[number % 4]
        for code in MCQ_CODES
        for number in range(1, N_MCQS + 1)
    }


_OPTIONS = ("option_A", "option_B", "option_C", "option_D")


def _choices() -> list[str]:
    rows = []
    for code in MCQ_CODES:
        for number in range(1, N_MCQS + 1):
            # Each question with four sets of options; the first is that of a short answer.
            asked = _QUESTIONS[f"en-{code[-2:]}"][0] if number <= 4 else f"What is had at {number // 4}?"
            options = [f"thing {number}{letter}" for letter in "abcd"]
            rows.append("\t".join([f"{code}_{number:04}", asked, *options]))
    # Two options of one question are the same.
    rows[-1] = rows[-1].replace(f"thing {N_MCQS}b", f"thing {N_MCQS}a")
    return rows


def _write(path: Path, lines: list[str]) -> None:
    path.write_bytes(("\n".join(lines) + "\n").encode())
