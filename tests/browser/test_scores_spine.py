"""A low score taken apart: a peer's log comes in, is judged, and leads to the wrong verdict behind it."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, open_page, serve, until
from tests.browser.drops import take
from tests.browser.slow import without_first_answers
from tests.chat_server import ChatServer, Seen

SAMPLE = Path(__file__).resolve().parents[2] / "sample"
CAPTION = (
    "The film opens with a static wide shot of a stream at dawn. Over the valley the camera pans to the "
    "right. In the harbour the camera looks up at a lighthouse. A black cat is shown in a medium shot."
)
PREDICTED = (
    "A static wide shot",
    "The boat",
    "To the right",
    "A medium shot",
    "Unknown",
    "The camera looks up at a lighthouse",
    "Unknown",
    "Hard cuts",
)
"""What the log's extractor answered to the camera questions of the sample, in their order."""


def judge(seen: Seen) -> str:
    """Strict: an answer counts when it is word for word the reference, but for its case."""
    said = dict(line.split(": ", 1) for line in seen.user.splitlines() if ": " in line)
    same = said["Correct Answer"].casefold().removeprefix("as ") == said["Predicted Answer"].casefold()
    return str({"pred": "yes" if same else "no", "score": 5 if same else 1})


@pytest.fixture
def judged_server(filled: Path, tmp_path: Path) -> Iterator[Server]:
    """The app on a copy of the sample workspace, with a judge that answers."""
    workspace = tmp_path / "workspace"
    shutil.copytree(filled, workspace)
    with ChatServer(judge) as chat:
        yield from serve(workspace, "--judge", chat.spec)


def peer_log(folder: Path) -> Path:
    """A sample file as lmms-eval v0.3 writes it: answers per question, but only means of the verdicts."""
    (line,) = (SAMPLE / "vdc_qa/camera.jsonl").read_text(encoding="utf-8").splitlines()
    (asked,) = json.loads(line).values()
    pairs = [
        {"question": one["question"], "answer": one["answer"], "pred_answer": answer}
        for one, answer in zip(asked, PREDICTED, strict=True)
    ]
    doc = {"video_name": "paper-boat", "caption": "", "qa_list": pairs, "pred": CAPTION}
    mean = {"video_name": "paper-boat", "caption": "", "pred": CAPTION}
    row = {
        "doc_id": 0,
        "doc": doc,
        "target": "",
        "arguments": {"0": "max_new_tokens"},
        "resps": [[CAPTION]],
        "filtered_resps": [CAPTION],
        "doc_hash": "0",
        "llmms_eval_score": mean | {"score": 1.5},
        "llmms_eval_acc": mean | {"acc": 0.25},
        "input": "Describe the camera.",
    }
    file = folder / "20260101_120000_samples_camera_test.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return file


def test_a_low_score_is_taken_apart(judged_server: Server, page, tmp_path: Path) -> None:
    _import(judged_server, page, peer_log(tmp_path))
    _fill_the_verdicts(page)
    before = _corrected_figure(page)
    _open_the_worst_cell(page)
    _find_the_wrong_verdict(page)
    _error_source_and_correct(page)
    page.get_by_role("link", name="Scores").click()
    page.locator(".dl-scoretable").wait_for()
    figure = page.locator("[data-policy=corrected][data-group=camera] .dl-scorecell > b")
    expect(figure).not_to_have_text(before)
    # One label, against the judge: they agree on none.
    expect(page.locator(".dl-scoreright")).to_contain_text("0 of 1 agree")
    confusion = page.locator(".dl-confusion td.dl-differs").all_inner_texts()
    assert sorted(confusion) == ["0", "1"]


def test_what_was_judged_before_it_was_looked_at_shows(judged_server: Server, page, tmp_path: Path) -> None:
    """Eight verdicts take less time than the answer to their start where the machine is busy."""

    def late(route) -> None:
        answer = route.fetch()
        until(
            lambda: all(job["finished"] for job in page.request.get(f"{judged_server.url}/api/jobs").json()),
            page,
        )
        page.wait_for_timeout(1_500)  # the page is told of it
        route.fulfill(response=answer)

    _import(judged_server, page, peer_log(tmp_path))
    page.route("**/api/scoring/start", late)
    _fill_the_verdicts(page)
    page.unroute_all(behavior="wait")


def _import(server: Server, page, log: Path) -> None:
    open_page(page, server.url)
    page.set_input_files("input[type=file] >> nth=0", str(log))
    take(page)
    name = page.evaluate("""async () => {
      for (;;) {
        const { evaluations } = await (await fetch('/api/me')).json();
        const found = evaluations.find((e) => !e.baseline && !e.name.includes('hand-written'));
        if (found) return found.name;
        await new Promise((go) => setTimeout(go, 200));
      }
    }""")
    page.get_by_role("link", name="Scores").click()
    page.locator(".dl-scoretable").wait_for()
    page.get_by_label("Evaluation", exact=True).select_option(label=name)
    expect(page.locator("[data-policy=parsed][data-group=camera] .dl-scorecell > b")).to_have_text("0.250")


def _fill_the_verdicts(page) -> None:
    """The log has answers and no verdicts: just that stage runs, beside the log's own means."""
    page.locator("[data-name=judge-or-fill]").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[value=verdicts]").check()
    dialog.locator("[data-name=start-pass]:enabled").click()
    options = page.get_by_label("Evaluation", exact=True).locator("option", has_text="judged by")
    made = options.filter(has_not_text="hand-written")  # the sample's recorded evaluation
    made.wait_for(state="attached", timeout=60_000)
    name = made.inner_text()
    page.get_by_label("Evaluation", exact=True).select_option(label=name)
    # The figures of the log stand there until those of the new evaluation have come.
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator("[data-policy=parsed][data-group=camera] small").first).to_contain_text("8 of 8")


def _corrected_figure(page) -> str:
    return str(page.locator("[data-policy=corrected][data-group=camera] .dl-scorecell > b").inner_text())


def _open_the_worst_cell(page) -> None:
    page.locator("[data-policy=parsed][data-group=camera] a").click()
    page.wait_for_url("**/verdicts?*")
    page.wait_for_selector(".dl-verdict")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    assert page.locator(".dl-listpane [role=option]").first.inner_text()


SHOWN_IS_SELECTED = """() =>
  document.querySelector('[role=option][aria-selected=true] .dl-item-words')?.textContent ===
  document.querySelector('.dl-q')?.textContent"""


def _find_the_wrong_verdict(page) -> None:
    """Down the list, worst first, to the answer that the caption supports; its words are marked."""
    question = page.locator(".dl-verdict", has_text="What camera movement is used in the harbour?")
    for _ in PREDICTED:
        if question.count():
            break
        shown = page.url
        page.keyboard.press("j")
        page.wait_for_function("before => location.href !== before", arg=shown)
        page.wait_for_function(SHOWN_IS_SELECTED)
    question.wait_for()
    expect(page.locator(".dl-verdict mark").first).to_contain_text("camera looks up")


def _error_source_and_correct(page) -> None:
    page.keyboard.press("4")
    page.locator(".dl-verdict [aria-pressed=true]", has_text="judge").wait_for()
    page.keyboard.press("e")
    form = page.locator(".dl-verdictform")
    form.get_by_label("yes", exact=True).check()
    form.get_by_label("4", exact=True).check()
    form.locator("[data-name=save-verdict]").click()
    page.locator(".dl-verdict .dl-verdictbox", has_text="yes").wait_for()


def test_the_sample_fills_the_scores_page(server: Server, page) -> None:
    open_page(page, f"{server.url}/scores")
    page.locator(".dl-scoretable").wait_for()
    name = (
        page.get_by_label("Evaluation", exact=True)
        .locator("option", has_text="hand-written")
        .first.inner_text()
    )
    page.get_by_label("Evaluation", exact=True).select_option(label=name)
    expect(page.locator(".dl-scoreright")).to_contain_text("of 24 agree")
    assert page.locator(".dl-confusion td").all_inner_texts().count("0") < 4
    cells = page.locator(".dl-scoretable td b").all_inner_texts()
    assert len(cells) >= 6 * 5 and ast.literal_eval(cells[0]) > 0
    page.locator(".dl-nextlist li").first.wait_for()


def test_a_page_that_opens_asks_for_each_figure_once(server: Server, page) -> None:
    page.route("**/scores?beside=other", without_first_answers)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("?")[0].rpartition("/")[2]))
    page.goto(f"{server.url}/scores?beside=other")
    expect(page.locator(".dl-besidetable")).to_be_visible()
    page.wait_for_timeout(1000)  # the list of jobs is looked at a moment later
    assert {name: asked.count(name) for name in ("table", "sound", "beside")} == {
        "table": 1,
        "sound": 1,
        "beside": 1,
    }


def test_questions_that_are_not_read_yet_have_no_link(server: Server, page) -> None:
    """No filter of the list finds them; the moment before they are read is kept here."""

    def before(route) -> None:
        response = route.fetch()
        found = response.json()
        for row in found["rows"]:
            if not row["group"]:
                row |= {"cause": "unread", "basis": ""}
        route.fulfill(response=response, json=found)

    page.route("**/api/scoring/causes*", before)
    open_page(page, f"{server.url}/scores")
    unread = page.locator(".dl-causecell[data-cause=unread]")
    unread.first.wait_for()
    assert unread.first.evaluate("cell => [cell.tagName, cell.getAttribute('href')]") == ["SPAN", None]
    assert "/verdicts?" in (page.locator("a.dl-causecell").first.get_attribute("href") or "")
