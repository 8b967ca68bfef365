"""Queues: work is given, resumed, flagged, finished and given back without a mouse; the way to the worst."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.runs import Evaluation, EvaluationRun, RunVideo
from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk, Keys, work_as
from tests.browser.test_library import row, short_clip

SAMPLE = "A paper boat's day"


def add_clips(server: Server, folder: Path, *names: str) -> None:
    clips = [str(short_clip(folder, f"{name}.mp4", seed)) for seed, name in enumerate(names, 10)]
    done = server.command("run", *clips, "--stages", "scenes")
    assert done.returncode == 0, done.stderr


def test_work_goes_from_hand_to_hand_by_keyboard(server: Server, page, tmp_path: Path) -> None:
    add_clips(server, tmp_path, "aardvark", "beetle")
    with Desk(server) as desk:
        ada = desk.person("Ada")
        _give_two(server, page)
        assert desk.states(ada) == {"aardvark": "open", "beetle": "open"}
        page.goto("about:blank")  # a page of somebody else's follows no changes meanwhile
        work_as(page, server, ada)
        _flag_one_and_finish_one(server, page)
        assert desk.states(ada) == {"aardvark": "flagged", "beetle": "done"}
        page.goto("about:blank")
        work_as(page, server, desk.owner)
        _give_one_back(server, page)
        assert desk.states(ada) == {"aardvark": "returned", "beetle": "done"}


def _give_two(server: Server, page) -> None:
    open_page(page, server.url)
    for key in ("j", "x", "j", "x", "a"):
        page.keyboard.press(key)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 videos", use_inner_text=True)
    page.keyboard.type("Ada")
    assert dialog.get_by_label("Person").evaluate("s => s.selectedOptions[0].textContent") == "Ada"
    page.keyboard.press("Enter")
    row(page, "beetle").locator(".dl-work", has_text="Ada · script · open").wait_for()
    assert row(page, SAMPLE).locator(".dl-work", has_text="Ada").count() == 0
    page.keyboard.press("m")
    page.get_by_text("Nothing is assigned to you").wait_for()


def _flag_one_and_finish_one(server: Server, page) -> None:
    open_page(page, server.url)
    page.locator(".dl-resume", has_text="2 of 2 videos left").wait_for()
    page.keyboard.press("g")
    page.locator(".dl-queue-mine", has_text="script · working").wait_for()
    expect(page.locator("h1")).to_have_text("aardvark", use_inner_text=True)
    page.keyboard.press("f")
    page.get_by_role("dialog").wait_for()
    page.keyboard.type("Two films <b>in one</b>")
    page.keyboard.press("Enter")
    page.locator("h1", has_text="beetle").wait_for()
    page.locator(".dl-queue-mine", has_text="1 of 2 videos left").wait_for()
    page.get_by_role("textbox", name="title", exact=True).focus()
    page.keyboard.press("Control+Shift+Enter")
    page.get_by_text("Your queue is done").wait_for()
    page.locator(".dl-queue-mine", has_text="script · done").wait_for()


def _give_one_back(server: Server, page) -> None:
    open_page(page, server.url)
    row(page, "beetle").locator(".dl-work", has_text="Ada · script · done").wait_for()
    page.get_by_label("Whose work").select_option("flagged")
    expect(page.locator(".dl-videotitle")).to_have_text(["aardvark"], use_inner_text=True)
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    other = page.locator(".dl-queue-other", has_text="Ada · script · flagged")
    other.locator(".dl-queue-note", has_text="Two films <b>in one</b>").wait_for()
    other.get_by_role("button", name="Return").press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.type("Cut it in two")
    page.keyboard.press("Enter")
    page.locator(".dl-queue-other", has_text="Ada · script · returned").wait_for()


def test_ctrl_enter_on_the_last_scene_finishes_the_video(server: Server, page, tmp_path: Path) -> None:
    add_clips(server, tmp_path, "aardvark")
    with Desk(server) as desk:
        desk.give(desk.owner, [SAMPLE, "aardvark"])
        open_page(page, f"{server.url}/script?video={desk.video(SAMPLE).id}&scene=9")
        page.wait_for_selector(".dl-scenecard.dl-open[data-scene='9']")
        page.locator(".dl-queue-mine", has_text="script · working").wait_for()
        for key in ("e", "Tab", "Tab", "Tab", "End"):
            page.keyboard.press(key)
        page.keyboard.type(" Seen.")
        page.keyboard.press("Control+Enter")
        page.locator("h1", has_text="aardvark").wait_for()
        page.locator(".dl-queue-mine", has_text="script · working").wait_for()
        assert desk.states(desk.owner) == {SAMPLE: "done", "aardvark": "working"}
    open_page(page, server.url)
    page.locator(".dl-resume", has_text="1 of 2 videos left").wait_for()


def test_words_for_a_flag_are_given_back_where_the_video_is_handed_in_already(
    server: Server, page, tmp_path: Path
) -> None:
    add_clips(server, tmp_path, "aardvark", "beetle")
    begun: list[Any] = []
    with Desk(server) as desk:
        desk.give(desk.owner, ["aardvark", "beetle"])
        page.route("**/api/queue/begin", lambda route: route.continue_() if begun else begun.append(route))
        with page.expect_request("**/api/queue/begin"):
            open_page(page, f"{server.url}/script?video={desk.video('aardvark').id}")
        page.keyboard.press("Alt+s")
        page.keyboard.press("f")
        page.keyboard.type("Two films in one")
        page.keyboard.press("Enter")
        begun[0].continue_()
        expect(page.get_by_text("Not written: “Two films in one”")).to_be_visible()
        page.locator("h1", has_text="beetle").wait_for()
        page.locator(".dl-queue-mine", has_text="script · working").wait_for()
        assert desk.states(desk.owner) == {"aardvark": "skipped", "beetle": "working"}


def test_two_keys_lead_to_the_first_failing_question_of_the_worst_video(
    server: Server, page, tmp_path: Path
) -> None:
    add_clips(server, tmp_path, "broken", "worst")
    with Desk(server) as desk:
        wanted = _judge(desk, "worst", [("yes", 4.0), ("no", 0.0), ("no", 1.0)])
        _fail(desk, "broken")
    open_page(page, server.url)
    titles = page.locator(".dl-videotitle").all_inner_texts()
    assert titles[0] == "broken"  # the Library's first row is not the worst video
    keys = Keys(page)
    keys.press("w")
    page.wait_for_selector(".dl-verdict")
    assert page.locator(".dl-q").inner_text() == wanted
    assert page.locator(".dl-verdictline").inner_text().startswith("no")
    page.wait_for_selector(".dl-player[aria-label='Player: worst'] .dl-shown.dl-is-confirmed")
    page.wait_for_selector(".dl-cell img, .dl-frame img")
    assert keys.pressed <= 2


def _judge(desk: Desk, title: str, verdicts: list[tuple[str, float]]) -> str:
    """Verdicts on a video in the evaluation that is shown; returns the worst one's question."""
    video, now = desk.video(title), time.time()
    chain = desk.store.find(Evaluation, name="hand-written")[0].id
    runs = {link.role: link.run_id for link in desk.store.find(EvaluationRun, evaluation_id=chain)}
    records: list[object] = []
    for n, (label, score) in enumerate(verdicts):
        question = f"Which {title} thing is number {n}?"
        records += [
            Question(
                id=f"qst-{n}",
                video_id=video.id,
                kind="vdc:short",
                index=n,
                text=question,
                reference="this one",
                created_at=now,
            ),
            Answer(
                id=f"ans-{n}",
                video_id=video.id,
                question_id=f"qst-{n}",
                run_id=runs["answers"],
                source="imported",
                value="that one",
                created_at=now,
            ),
            Verdict(
                id=f"jdg-{n}",
                video_id=video.id,
                run_id=runs["verdicts"],
                subject_type="answer",
                subject_id=f"ans-{n}",
                value_type="yes_no_score",
                created_at=now,
                state="done",
                label=label,
                score=score,
                kind="vdc:short",
            ),
        ]
    desk.store.add(records)  # type: ignore[arg-type]
    worst = min(range(len(verdicts)), key=lambda n: verdicts[n][1])
    return f"Which {title} thing is number {worst}?"


def _fail(desk: Desk, title: str) -> None:
    video = desk.video(title)
    row = desk.store.find(RunVideo, video_id=video.id, stage="scenes")[0]
    desk.store.put(
        RunVideo(
            id="rv-broken",
            run_id=row.run_id,
            video_id=video.id,
            stage="captions",
            state="failed",
            message="2 requests failed",
            updated_at=time.time(),
        )
    )
