"""How large a report on three models with every answer is, and how soon a browser shows the first questions.

    python benchmarks/question_browser_scale.py --blend path/to/BLEnD/data
    python benchmarks/question_browser_scale.py --blend path/to/BLEnD/data --thought 100 --page report.html

The models are those of ``report_scale.py``. They answer about 42,000 items, questions in four of BLEnD's
prompts, in forms that chat models use; the last of them thinks before it answers. Words of thoughts are drawn
from those of all questions, which compresses a little worse than prose. Without BLEnD's files the sample is
asked.

The page is opened in new tabs of chromium (playwright), in turns with a page of as many bytes that holds one
text and no script: what reading so large a file takes by itself. Times are medians; the opening that warms up
is left out. Beside the clock, which other processes slow, stands the processor time of the process that reads
and draws the page, all its threads, and a little of what it does after. Without chromium there are none.
"""

import argparse
import base64
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from report_scale import MODELS, Row, built_release, knows, number, scored

from blend.eval.evaluation import write_report
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items

PROMPTS = ("inst-3", "inst-4", "pers-1", "pers-3")
"""Those that, with the questions in both languages, make about 42,000 items."""

FORMS = ("{0}", "{0}", "{0}.", "**{0}**", '["{0}", "{1}"]', "{0}, {1}", "{2} {0}.")
"""How models write an answer: alone, as list, behind the question."""

ROWS_DRAWN = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".list tbody tr")) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.rowsDrawn = performance.now(); });
}).observe(document, { childList: true, subtree: true });
"""
"""Notes the milliseconds from the start of the opening to the frame that holds the first questions."""

LOADED = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def main() -> None:
    """Build, answer, report, open, and print size and seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blend", type=Path, help="BLEnD's files; the sample when absent")
    parser.add_argument("--templates", type=int, help="templates per region at most; all when absent")
    parser.add_argument("--thought", type=int, default=0, help="words that the last model thinks (%(default)s)")
    parser.add_argument("--openings", type=int, default=5, help="times that each page is opened (%(default)s)")
    parser.add_argument("--page", type=Path, help="where the report is kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        release = built_release(options.blend, folder)
        chosen = {"prompts": PROMPTS} if options.blend is not None else {}
        asked = read_items(str(release), TASKS["short-answer"], limit=options.templates, **chosen)
        answers = replies(asked.asked.gold["en_question"].to_list())
        thoughts = [0] * (len(MODELS) - 1) + [options.thought]
        runs = [
            scored(folder / model, asked, model, answers(n_words), share)
            for (model, share), n_words in zip(MODELS.items(), thoughts, strict=True)
        ]
        page = options.page or folder / "report.html"
        wall, cpu = time.perf_counter(), time.process_time()
        write_report(runs, page)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(
            f"{len(MODELS)} models, {asked.asked.items.height:,} items: {page.stat().st_size:,} bytes,", end=" "
        )
        print(f"{cpu:.1f} s of processor time, {wall:.1f} s by the clock; load {os.getloadavg()[0]:.1f}")
        print(" ".join(left_out(page)) or "Nothing is left out or cut.")
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        if chromium is not None and options.openings:
            print_openings(page, folder / "plain.html", chromium, options.openings)


def replies(questions: Sequence[str]) -> Callable[[int], Callable[[Row, float, str], str]]:
    """How a model answers that thinks so many words, drawn from the words of the questions."""
    vocabulary = [word for question in questions for word in question.split()]

    def answers(n_words: int) -> Callable[[Row, float, str], str]:
        def reply(row: Row, share: float, model: str) -> str:
            drawn = (int(number(model, row["item_id"], str(i)) * len(vocabulary)) for i in range(n_words))
            thought = " ".join(vocabulary[place] for place in drawn)
            return f"<think>{thought}</think>{said(row, share, model)}" if thought else said(row, share, model)

        return reply

    return answers


def said(row: Row, share: float, model: str) -> str:
    """An answer of the natives, or one of fewer of them that lacks its first half, in one of the forms."""
    is_english = row["language"] == "en"
    known = [text for group in row["annotations"] for text in group["en_answers" if is_english else "answers"]]
    if not known:
        return "?"
    place = int(number(model, "place", row["item_id"]) * len(known))
    first, second = known[place], known[place - 1]
    if not knows(row, share, model):
        first = second = first[len(first) // 2 :]
    form = FORMS[int(number(model, "form", row["item_id"]) * len(FORMS))]
    return form.format(first, second, row["en_question" if is_english else "question"])


def left_out(page: Path) -> list[str]:
    """What the page says that it lacks."""
    lines = page.read_text(encoding="utf-8").splitlines()
    words = ("are cut at", "are left out", "are here, taken")
    return [line.strip().removesuffix("</p>") for line in lines if any(one in line for one in words)]


def print_openings(page: Path, plain: Path, chromium: str, n_openings: int) -> None:
    """Open a page and a plain one of as many bytes in turns, and print the medians."""
    from playwright.sync_api import sync_playwright

    head, foot = b"<!doctype html><meta charset=utf-8><script type=text/plain>", b"</script>"
    n_bytes = page.stat().st_size - len(head) - len(foot)
    plain.write_bytes(head + base64.b64encode(os.urandom(n_bytes))[:n_bytes] + foot)
    of_page, of_plain = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(n_openings + 1):
            of_plain.append(opened(browser, plain, f"[{LOADED}]"))
            of_page.append(opened(browser, page, f"window.rowsDrawn && [{LOADED}, window.rowsDrawn]"))
        browser.close()
    floor, floor_cpu = medians(of_plain)
    loaded, rows, cpu = medians(of_page)
    print(f"plain page: DOMContentLoaded after {floor:.2f} s, {floor_cpu:.2f} s of processor time")
    print(f"report: DOMContentLoaded after {loaded:.2f} s, {loaded / floor:.1f} of plain;", end=" ")
    print(f"first questions after {rows:.2f} s, {rows / floor:.1f} of plain;", end=" ")
    print(f"{cpu:.2f} s of processor time, {cpu / floor_cpu:.1f} of plain; load {os.getloadavg()[0]:.1f}")


def medians(openings: Sequence[Sequence[float]]) -> list[float]:
    """The median of each figure, without the first opening."""
    return [statistics.median(values) for values in zip(*openings[1:], strict=True)]


def opened(browser: Any, page: Path, expression: str) -> list[float]:
    """Open a page in a new tab: what an expression gives in milliseconds, and processor time; as seconds."""
    session = browser.new_browser_cdp_session()
    before = renderer_seconds(session)
    tab = browser.new_page()
    tab.add_init_script(ROWS_DRAWN)
    tab.goto(page.resolve().as_uri())
    found = tab.wait_for_function(expression).json_value()
    # Navigation may take another process than the empty tab had; the one that reads the page has most to do.
    busiest = max(spent - before.get(process, 0.0) for process, spent in renderer_seconds(session).items())
    tab.close()
    session.detach()
    return [*(milliseconds / 1000 for milliseconds in found), busiest]


def renderer_seconds(session: Any) -> dict[int, float]:
    """Processor seconds of the processes that read and draw pages, by process id."""
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return {process["id"]: process["cpuTime"] for process in processes if process["type"] == "renderer"}


if __name__ == "__main__":
    main()
