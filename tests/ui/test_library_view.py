"""The Library page's data: what stands in a row, in which order, and what a job tells."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from fastapi.testclient import TestClient

from annotation.editing import edits as services
from annotation.editing.assignments import Place, assign, set_state
from annotation.editing.edits import Edit, OwnText
from annotation.pipeline.jobs_across_processes import Job
from annotation.pipeline.stage_registry import SHOWN_ONCE_RUN, STAGES, USUAL
from annotation.records.captions_to_verdicts import Answer, Text, Verdict
from annotation.records.runs import Evaluation, Run, RunVideo
from annotation.records.videos import Alias, Dataset, Video
from annotation.stages.media_library import strip_of
from annotation.stages.stage_spec import names_of
from annotation.store.store import Store
from exports.files.format_types import Group
from tests.bench import Bench
from ui.auth.current_person import COOKIE
from ui.pages.library.video_list import (
    LibraryRequest,
    job_json,
    library_json,
    order_json,
    pace,
)
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def evaluation(bench: Bench) -> str:
    return bench.store.find(Evaluation)[0].id


def video(store: Store, title: str, **more: object) -> Video:
    made = Video(id=f"vid-{title}", title=title, created_at=1.0, **more)  # type: ignore[arg-type]
    store.add([made])
    return made


def stage(store: Store, of: Video, name: str, state: str, message: str = "", at: float = 1.0) -> None:
    run = store.find(Run, stage=name)[0]
    row = RunVideo(
        id=f"rv-{of.id}-{name}-{at}",
        run_id=run.id,
        video_id=of.id,
        stage=name,
        state=state,  # type: ignore[arg-type]
        message=message,
        updated_at=at,
    )
    store.put(row)


def test_a_row_has_what_the_page_shows(bench: Bench, evaluation: str) -> None:
    row = library_json(bench.store, LibraryRequest(evaluation))["videos"][0]
    assert row["file"] and row["why_no_file"] == "" and row["frames"] == 100
    assert row["poster"] in strip_of(100) and row["duration_s"] == pytest.approx(4.0)
    assert [s["stage"] for s in row["stages"]] == [s for s in names_of(STAGES) if s not in SHOWN_ONCE_RUN]
    assert {s["state"] for s in row["stages"] if s["stage"] not in ("speech", "text", "split")} == {"done"}
    verdicts = bench.store.find(Verdict, subject_type="answer")
    assert sum(row["verdicts"].values()) == len(verdicts)
    assert sum(aspect["of"] for aspect in row["aspects"]) == len(verdicts)
    assert row["worst"] == min(row["aspects"], key=lambda aspect: aspect["score"])


def test_verdicts_of_another_evaluation_are_not_counted(bench: Bench) -> None:
    bench.store.add([Evaluation(id="evl-empty", name="nothing judged", created_at=9.0)])
    row = library_json(bench.store, LibraryRequest("evl-empty"))["videos"][0]
    assert row["verdicts"] == {} and row["worst"] is None and row["aspects"] == []
    assert library_json(bench.store, LibraryRequest(""))["videos"][0]["verdicts"] == {}


def test_failed_stages_come_first_then_low_scores_then_titles(bench: Bench, evaluation: str) -> None:
    for title in ("zebra", "Apple", "broken"):
        video(bench.store, title)
    stage(bench.store, bench.store.get(Video, "vid-broken"), "captions", "failed", "no answer")
    page = library_json(bench.store, LibraryRequest(evaluation))["videos"]
    titles = [row["title"] for row in page]
    assert titles == ["broken", bench.video.title, "Apple", "zebra"]
    assert order_json(bench.store, LibraryRequest(evaluation)) == [row["id"] for row in page]


def test_a_failed_stage_says_why_until_a_newer_run_is_done(bench: Bench, evaluation: str) -> None:
    of = video(bench.store, "boat")

    def captions() -> dict[str, object]:
        rows = library_json(bench.store, LibraryRequest(evaluation, "boat"))["videos"]
        return next(s for s in rows[0]["stages"] if s["stage"] == "captions")

    assert captions()["state"] == "none"
    stage(bench.store, of, "captions", "failed", "2 requests failed", at=1.0)
    assert (captions()["state"], captions()["message"]) == ("failed", "2 requests failed")
    other = replace(bench.store.find(Run, stage="captions")[0], id="run-later")
    bench.store.add([other])
    bench.store.put(
        RunVideo(
            id="rv-later", run_id=other.id, video_id=of.id, stage="captions", state="done", updated_at=2.0
        )
    )
    assert captions()["state"] == "done"


def test_a_video_without_its_file_says_so(bench: Bench, evaluation: str) -> None:
    video(bench.store, "named", path=None)
    video(bench.store, "gone", path="/nowhere/gone.mp4")
    rows = {row["title"]: row for row in library_json(bench.store, LibraryRequest(evaluation))["videos"]}
    assert not rows["named"]["file"] and "imported" in rows["named"]["why_no_file"]
    assert not rows["gone"]["file"] and "moved or deleted" in rows["gone"]["why_no_file"]
    assert "/nowhere" not in rows["gone"]["why_no_file"]


def test_search_takes_all_words_from_title_and_category(bench: Bench, evaluation: str) -> None:
    video(bench.store, "Paper boat", category="Animation")
    video(bench.store, "Stone boat", discipline="Physics")

    def found(words: str) -> list[str]:
        data = library_json(bench.store, LibraryRequest(evaluation, words))
        assert data["total"] == 3
        return sorted(row["title"] for row in data["videos"])

    assert found("boat") == ["Paper boat", "Stone boat"]
    assert found("ANIM boat") == ["Paper boat"]
    assert found("physics") == ["Stone boat"]
    assert found("%") == []


def test_corrections_are_counted(bench: Bench, evaluation: str) -> None:
    text = bench.store.find(Text, kind="vdc:short")[0]
    owner = bench.workspace.owner()
    services.apply_edit(bench.store, owner, Edit("text", text.id, "value", "Mine.", 0))
    assert library_json(bench.store, LibraryRequest(evaluation))["videos"][0]["corrected"] == 1
    services.apply_edit(bench.store, owner, Edit("text", text.id, "value", None, 1, cleared=True))
    assert library_json(bench.store, LibraryRequest(evaluation))["videos"][0]["corrected"] == 0


def test_a_persons_changes_of_their_own_text_are_not_counted_as_corrections(
    bench: Bench, evaluation: str
) -> None:
    def counted() -> int:
        count: int = library_json(bench.store, LibraryRequest(evaluation))["videos"][0]["corrected"]
        return count

    owner, other = bench.workspace.owner(), bench.workspace.add_person("other", "expert")
    own = services.write_text(bench.store, owner, OwnText(bench.video.id, "vdc:camera", "I wrote this."))
    assert counted() == 0
    base = bench.store.current("text", own.subject_id, "value").revision
    services.apply_edit(bench.store, owner, Edit("text", own.subject_id, "value", "Better.", base))
    assert counted() == 0
    services.apply_edit(bench.store, other, Edit("text", own.subject_id, "value", "Best.", base + 1))
    assert counted() == 1


# --- jobs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("done", "total", "elapsed", "rate", "left"),
    [
        (10, 40, 5.0, 2.0, 15.0),
        (40, 40, 8.0, 5.0, 0.0),
        (0, 40, 60.0, None, None),
        (3, 40, 0.5, None, None),
        (7, 0, 7.0, 1.0, 0.0),
    ],
)
def test_pace(done: int, total: int, elapsed: float, rate: float | None, left: float | None) -> None:
    assert pace(done, total, elapsed) == (rate, left)


def test_a_job_tells_where_it_is_and_keeps_the_last_problems(bench: Bench) -> None:
    job = Job(id="job-1", videos=(bench.video,), stages=("scenes", "captions"), started=time.time() - 20)
    job.state, job.video_id, job.stage, job.done, job.total = "running", bench.video.id, "captions", 20, 80
    job.stage_started = time.time() - 10
    job.problems = [f"problem {n}" for n in range(8)]
    told = job_json(job)
    assert (told["video"], told["stage"], told["stages"]) == (
        bench.video.title,
        "captions",
        ["scenes", "captions"],
    )
    assert told["rate"] == pytest.approx(2.0, rel=0.1) and told["left_s"] == pytest.approx(30.0, rel=0.1)
    assert told["problems"] == [f"problem {n}" for n in range(3, 8)] and told["problems_total"] == 8
    assert told["video_ids"] == [bench.video.id] and told["elapsed_s"] == pytest.approx(20.0, abs=1.0)


def test_a_job_counts_the_stages_that_a_row_counts(bench: Bench, evaluation: str) -> None:
    shown = [s["stage"] for s in library_json(bench.store, LibraryRequest(evaluation))["videos"][0]["stages"]]
    job = Job("job-1", (bench.video,), names_of(USUAL), time.time())
    assert job_json(job)["stages"] == shown
    job.stage = "capst"
    assert job_json(job)["stages"] == [*shown, "capst"]
    job.finished = time.time()
    assert job_json(job)["stages"] == shown
    assert "capst" in job_json(Job("job-2", (bench.video,), ("captions", "capst"), time.time()))["stages"]


# --- routes ---------------------------------------------------------------------------


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    with TestClient(build_app(bench.workspace, bench.engines), headers=SAME_SITE) as found:
        yield found


def test_removing_takes_everything_but_the_file(client: TestClient, bench: Bench) -> None:
    store, gone = bench.store, bench.video
    client.get(f"/media/{gone.id}/strip/3.jpg")
    pictures = bench.workspace.media / gone.id
    assert pictures.is_dir()
    assert client.delete(f"/api/videos/{gone.id}").json()["removed"] == gone.id
    assert [store.count(kind) for kind in (Video, Text, Answer, Verdict, RunVideo)] == [0] * 5
    assert Path(gone.path or "").is_file() and not pictures.exists()
    assert client.get("/api/library").json()["total"] == 0
    assert client.delete(f"/api/videos/{gone.id}").status_code == 404


def test_only_an_admin_removes(client: TestClient, bench: Bench) -> None:
    client.cookies.set(COOKIE, bench.workspace.add_person("researcher", "researcher").id)
    answer = client.delete(f"/api/videos/{bench.video.id}")
    assert answer.status_code == 403 and "may not remove" in answer.json()["error"]
    assert bench.store.count(Video) == 1


def test_formats_say_whether_they_need_an_evaluation(client: TestClient) -> None:
    rows = client.get("/api/formats").json()["formats"]
    rules = {row["name"]: row["evaluation"] for row in rows}
    groups = {row["name"]: row["group"] for row in rows}
    assert list(dict.fromkeys(groups.values())) == list(get_args(Group)) and groups["report"] != groups["srt"]
    assert {name for name, group in groups.items() if group == "training data"} == {
        "vriptor",
        "framecap-sft",
        "framecap-dpo",
    }
    assert rules["loveu"] == "needed" and rules["vdc-qa"] == "optional" and rules["srt"] == "none"


def test_the_order_of_videos_follows_the_library(client: TestClient, bench: Bench) -> None:
    video(bench.store, "another")
    rows = client.get("/api/library").json()["videos"]
    order = client.get("/api/videos").json()
    assert order["videos"] == [row["id"] for row in rows] and order["evaluation"]


def test_a_page_at_a_time_in_every_order(client: TestClient, bench: Bench) -> None:
    titles = ["clip 10", "Clip 9", "clip", "9", "10 and more", "", "clip 9a"]
    for number, title in enumerate(titles):
        bench.store.add([Video(id=f"vid-{number}", title=title, created_at=10.0 + number)])
    bench.store.add(
        [
            Dataset(id="dst-a", name="a", format="x"),
            Alias(id="als-a", dataset_id="dst-a", alias="v_Known-As", video_id="vid-2"),
        ]
    )

    def ask(query: str) -> list[str]:
        answer = client.get(f"/api/library?{query}").json()
        assert answer["total"] == 8
        return [row["title"] for row in answer["videos"]]

    by_title = ["", "9", "10 and more", "clip", "Clip 9", "clip 9a", "clip 10", bench.video.title]
    assert ask("sort=title") == by_title
    assert ask("sort=title&offset=2&limit=3") == by_title[2:5]
    assert ask("sort=newest")[1:4] == ["clip 9a", "", "10 and more"]
    assert ask("q=known-as") == ["clip"] and ask("q=VID-1") == ["Clip 9"]
    assert client.get("/api/library", params={"q": "clip 9", "limit": 1}).json()["fit"] == 2
    assert client.get("/api/videos", params={"q": "clip 9"}).json()["videos"] == ["vid-1", "vid-6"]


def test_work_is_a_filter_of_the_server(client: TestClient, bench: Bench) -> None:
    me, other = bench.workspace.owner(), bench.workspace.add_person("other", "annotator")
    for number in range(3):
        bench.store.add([Video(id=f"vid-{number}", title=f"v{number}", created_at=10.0)])
    assign(bench.store, me, ["vid-0", "vid-1"], me.id, "script")
    assign(bench.store, me, ["vid-2"], other.id, "script")
    set_state(bench.store, me, Place("vid-0", me.id, "script"), "flagged", "no sound")

    def ask(work: str) -> list[str]:
        return [row["id"] for row in client.get("/api/library", params={"work": work}).json()["videos"]]

    assert (ask("flagged"), ask("left"), ask(other.id)) == (["vid-0"], ["vid-1"], ["vid-2"])
    assert ask("nobody") == [bench.video.id] and ask(me.id) == ["vid-0", "vid-1"]
    names = [one["name"] for one in client.get("/api/library").json()["workers"]]
    assert names == sorted([me.name, "other"])


def test_rows_follow_what_changes(client: TestClient, bench: Bench, evaluation: str) -> None:
    other = video(bench.store, "zebra")
    ids = [row["id"] for row in client.get("/api/library").json()["videos"]]
    assert ids == [bench.video.id, other.id]
    stage(bench.store, other, "captions", "failed", "no answer")
    assert [row["id"] for row in client.get("/api/library").json()["videos"]] == [other.id, bench.video.id]
    [failed] = bench.store.find(RunVideo, video_id=other.id)
    bench.store.put(replace(failed, state="done"))
    assert [row["id"] for row in client.get("/api/library").json()["videos"]] == ids
    bench.store.put(replace(other, title="another"))
    rows = client.get("/api/library", params={"sort": "title"}).json()["videos"]
    assert [row["title"] for row in rows] == sorted(["another", bench.video.title], key=str.lower)
    bench.store.remove_video(other.id)
    assert client.get("/api/library").json()["total"] == 1
