"""Retrieval from an embedder: figures that are known, what is asked twice, what is left out, a stop."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.intake.add_video import add_video
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.stage_runner import new_context
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Evaluation, Run
from annotation.records.videos import Dataset, Video
from annotation.reports.report_type import Options
from annotation.stages.media_library import MediaLibrary
from annotation.stages.start_models import make_ready
from annotation.stages.vector_files import KeptVectors
from annotation.store.store import Store
from annotation.systems.carebench.retrieval_vectors import frame_width, middle_frames
from annotation.workspace.workspace import Workspace
from backends.errors import BackendUnavailable, Stopped, UsageError
from exports.carebench.retrieval_measured import find_subjects, plan_retrieval
from exports.carebench.retrieval_report import lines, rebias_reports, retrieval_reports
from tests.app_process import run_app
from tests.backends.clips import write_clip
from tests.chat_server import ChatServer, Reply, Seen
from tests.databases import new_workspace
from tests.embeddings_server import COLOURS, axis, colours, flat
from ui.pages.scores.benchmarks_view import system_json

FRAMES = 4


def temporal(n: int) -> str:
    return f"First it waits, then it goes {n} steps."


def shifted() -> dict[str, list[float]]:
    """Each temporal text is nearest to the next video, and its own comes second."""
    names = list(COLOURS)
    following = names[1:] + names[:1]
    return {
        temporal(n): list(axis(after) + 0.5 * axis(own))
        for n, (own, after) in enumerate(zip(names, following, strict=True))
    }


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    for name in COLOURS:
        write_clip(folder / f"{name}.mp4", [flat(name)] * 12)
    return folder


class World:
    """Six clips of one colour each, with the three captions of CaReBench."""

    def __init__(self, folder: Path, clips: Path) -> None:
        self.space = new_workspace(folder)
        self.store: Store = self.space.store
        self.media = MediaLibrary(self.space.media)
        self.store.add([Dataset(id="d", name="CaReBench", format="carebench")])
        for n, name in enumerate(COLOURS):
            video = add_video(self.store, self.space.media, clips / f"{name}.mp4")
            words = (
                ("full", f"A {name} wall. {temporal(n)}"),
                ("spatial", f"A {name} wall."),
                ("temporal", temporal(n)),
            )
            for kind, text in words:
                self.write(video, kind, text)

    def write(self, video: Video, kind: str, value: str, at: float = 1.0) -> None:
        self.store.add(
            [
                Text(
                    id=f"txt-{video.id}-{kind}-{at}",
                    video_id=video.id,
                    kind=f"carebench:{kind}",  # type: ignore[arg-type]
                    subject_type="video",
                    subject_id=video.id,
                    value=value,
                    created_at=at,
                    dataset_id="d",
                )
            ]
        )

    def measure(
        self, spec: str, stop: threading.Event | None = None, **more: Any
    ) -> tuple[list[Evaluation], list[str]]:
        """The evaluations that came of it, and what went wrong."""
        plan = plan_retrieval(self.store, more.pop("frames", FRAMES), **more)
        engines = make_engines(EngineChoice(speech="none", embedder=spec), self.space)
        context = new_context(self.space, engines, self.media, lambda *_: None, stop)
        make_ready(context, plan.stages)
        found, problems = dict[str, Evaluation](), list[str]()
        for result, evaluation in work_all(context, plan):
            problems += result.problems
            # Two videos that end at the same moment both report the evaluation.
            found |= {evaluation.id: evaluation} if evaluation else {}
        return list(found.values()), problems

    def close(self) -> None:
        self.media.close()
        self.space.close()


@pytest.fixture
def world(tmp_path: Path, clips: Path) -> Iterator[World]:
    made = World(tmp_path / "w", clips)
    yield made
    made.close()


def figures(report: dict[str, Any], setting: str) -> dict[str, float]:
    """`{"t R@1": ...}` by the first letter of the direction, ties by chance."""
    rows = [row for row in report["rows"] if row["policy"] == "expected" and "direction" in row["group"]]
    return {
        f"{row['group']['direction'][0]} {row['metric']}": row["value"]
        for row in rows
        if row["group"]["setting"] == setting
    }


def test_the_figures_are_those_that_the_vectors_give(world: World, tmp_path: Path) -> None:
    out = tmp_path / "vectors.npz"
    with ChatServer(colours(shifted())) as server:
        (evaluation,), problems = world.measure(server.spec, npz=out)
    assert problems == [] and evaluation.name == "retrieval: tiny" and not evaluation.baseline
    (report,) = retrieval_reports(world.store, Options(evaluation=evaluation.id))
    whole = {"t R@1": 1.0, "t R@5": 1.0, "t R@10": 1.0, "v R@1": 1.0, "v R@5": 1.0, "v R@10": 1.0}
    assert figures(report, "spatial") == figures(report, "general") == whole
    assert figures(report, "temporal") == whole | {"t R@1": 0.0, "v R@1": 0.0}
    assert {(row["n"], row["of"]) for row in report["rows"] if "direction" in row["group"]} == {(6, 6)}
    (rebias,) = rebias_reports(world.store, Options(evaluation=evaluation.id))
    value = next(
        r["value"]
        for r in rebias["rows"]
        if r["metric"] == "ReBias"
        and r["policy"] == "expected"
        and r["group"]["orientation"].startswith("temporal")
    )
    assert value == pytest.approx(1 - (4 / 6) / 1)
    assert sorted(one["title"] for one in rebias["missed"]) == sorted(COLOURS)
    assert all(one["video_id"] for one in rebias["missed"])
    # The file gives the same figures, and so does the page.
    (read,) = retrieval_reports(world.store, Options(files=(out,)))
    assert [(r["group"], r["value"]) for r in read["rows"]] == [
        (r["group"], r["value"]) for r in report["rows"]
    ]
    page = system_json(world.store, "retrieval", evaluation.id)
    assert {"ReBias", "R@1"} <= {row["metric"] for row in page["rows"]}
    assert len(page["lists"][0]["items"]) == 6 and f"{FRAMES} frames" in page["about"]


def test_what_is_kept_is_not_asked_for_again(world: World) -> None:
    with ChatServer(colours(shifted())) as server:
        (first,), _ = world.measure(server.spec)
        asked = len(server.seen)
        assert asked == 6 + 18 and {len(seen.images) for seen in server.seen} == {0, FRAMES}
        assert world.measure(server.spec) == ([first], []) and len(server.seen) == asked
        # Other frames, another text, another model: only what differs is asked.
        world.measure(server.spec, frames=3)
        assert len(server.seen) == asked + 6
        video = world.store.find(Video, title="red")[0]
        world.write(video, "spatial", "A red door.", 2.0)
        (second,), _ = world.measure(server.spec)
        assert len(server.seen) == asked + 7 and second.id != first.id
        assert second.name.startswith("retrieval: tiny (")


def test_a_stopped_pass_goes_on_where_it_stopped(world: World) -> None:
    stop = threading.Event()
    behave = colours(shifted())

    def until_ten(seen: Seen) -> Reply | str:
        if seen.number == 10:
            stop.set()
        return behave(seen)

    with ChatServer(until_ten) as server:
        with pytest.raises(Stopped):
            world.measure(server.spec, stop)
        asked = len(server.seen)
        assert 10 <= asked < 24 and world.store.count(Evaluation) == 0
        (found,), _ = world.measure(server.spec)
        assert len(server.seen) == 24 and world.store.find(Evaluation) == [found]


def test_a_server_that_fails_gives_no_figures_and_one_that_is_back_does(world: World) -> None:
    behave = colours(shifted())
    bad = Reply(status=400, error="This text is not to my liking.")
    with ChatServer(behave) as server:
        server.behaviour = lambda seen: Reply(raw=b"{}") if "red wall" in seen.user else behave(seen)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("backends.chat.retries.wait_s", lambda *_: 0.0)
            patch.setattr("backends.chat.openai_connection.wait_s", lambda *_: 0.0)
            found, problems = world.measure(server.spec)
        assert found == [] and len(problems) == 1 and "the scores need this video" in problems[0]
        # What is refused for good is left out, and named with its reason.
        server.behaviour = lambda seen: bad if seen.user.startswith("A red wall.\n") else behave(seen)
        (evaluation,), problems = world.measure(server.spec)
        assert len(problems) == 1
        (report,) = retrieval_reports(world.store, Options(evaluation=evaluation.id))
        assert {row["of"] for row in report["rows"] if "direction" in row["group"]} == {5}
        (name,) = report["left_out"]
        assert name == "red.mp4" and "not to my liking" in report["left_out"][name]
        assert any("red.mp4: " in line for line in lines(report))
    with pytest.raises(BackendUnavailable, match="--runner pooling"):
        world.measure(server.spec)


def test_videos_without_a_file_or_a_caption_are_named(world: World, tmp_path: Path) -> None:
    gone = world.store.find(Video, title="blue")[0]
    world.store.put(replace(gone, path=str(tmp_path / "no.mp4")))
    world.store.add(
        [
            Video(id="vid-a", title="only told of", created_at=5.0),
            Video(id="vid-b", title="bare", created_at=6.0),
        ]
    )
    world.write(world.store.get(Video, "vid-a"), "full", "A tall tree.")
    half = add_video(
        world.store, world.space.media, write_clip(tmp_path / "half.mp4", [flat("red", 96, 64)] * 9)
    )
    world.write(half, "spatial", "A red half.")
    (evaluation,), problems = world.measure("baseline")
    assert evaluation.baseline and len(problems) == 1 and "no.mp4 not found" in problems[0]
    (report,) = rebias_reports(world.store, Options(evaluation=evaluation.id))
    assert report["baseline"] and "embedded baseline" in lines(report)[0]
    assert {name: why.split(":")[0] for name, why in report["left_out"].items()} == {
        "only told of": "no file",
        "bare": "no CaReBench caption",
        "blue.mp4": "blue",
        "half.mp4: full caption": "not written",
        "half.mp4: temporal caption": "not written",
    }
    (report,) = retrieval_reports(world.store, Options(evaluation=evaluation.id))
    asked = {
        (r["group"]["setting"], r["group"]["direction"]): (r["n"], r["of"])
        for r in report["rows"]
        if "direction" in r["group"]
    }
    assert asked["spatial", "video to text"] == asked["spatial", "text to video"] == (6, 6)
    assert asked["temporal", "text to video"] == (5, 5) and asked["temporal", "video to text"] == (5, 6)


def test_nothing_to_measure_says_what_to_type(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match=r"import metadata\.json --videos FOLDER"):
        plan_retrieval(workspace.store)
    assert find_subjects(workspace.store) == ([], {})


def test_frames_stand_in_the_middle_of_equal_stretches() -> None:
    """As `get_frame_indices(32, n, sample="middle")` of the benchmark's `utils/video.py`."""
    assert middle_frames(8, 4) == (0, 2, 4, 6)
    assert middle_frames(100, 4) == (12, 37, 62, 87)
    assert middle_frames(3, 32) == (0, 1, 2)
    assert len(set(middle_frames(359, 32))) == 32
    facts = add_facts(1920, 1080)
    assert frame_width(facts) == 640 and frame_width(add_facts(320, 180)) == 320


def add_facts(width: int, height: int) -> Any:
    class Facts:
        pass

    found = Facts()
    found.width, found.height = width, height  # type: ignore[attr-defined]
    return found


def test_a_broken_file_of_a_vector_is_made_again(tmp_path: Path) -> None:
    kept = KeptVectors(tmp_path)
    row, cut = kept.put("a", np.array([1.0, 2.0]), True)
    again = kept.get("a")
    assert again is not None and cut and again[1] and (again[0] == row).all()
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 half")
    assert kept.get("a") is None and kept.get("b") is None
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]


def app(world: World, *words: str) -> subprocess.CompletedProcess[str]:
    return run_app("score", *words, "--workspace", world.space.path)


def test_a_file_that_is_gone_is_named_and_the_rest_is_measured(world: World, tmp_path: Path) -> None:
    gone = world.store.find(Video, title="blue")[0]
    world.store.put(replace(gone, path=str(tmp_path / "no.mp4")))
    done = app(world, "retrieval", "--embedder", "baseline", "--frames", "2")
    assert done.returncode == 1 and "no.mp4 not found" in done.stdout, done.stderr


def test_from_the_command_line(world: World, tmp_path: Path) -> None:
    out = tmp_path / "base.npz"
    done = app(world, "rebias", "--embedder", "baseline", "--frames", "3", "--npz", str(out), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    mean = {
        row["group"]["setting"]: row["value"]
        for row in found["rows"]
        if row["policy"] == "expected" and row["metric"] == "mean recall"
    }
    assert mean["spatial"] == 1.0 > mean["temporal"]
    assert world.store.find(Run, stage="retrieval")[0].params["frames"] == 3
    done = app(world, "retrieval", str(out))
    assert done.returncode == 0 and "R@5" in done.stdout, done.stderr
    for words, why in (
        (("vdc", "--embedder", "baseline"), "--embedder applies to retrieval and rebias"),
        (("retrieval", str(out), "--embedder", "baseline"), "remove the files"),
        (("retrieval", "--frames", "3"), "need --embedder"),
        (("retrieval", "--embedder", "vllm:m"), "vllm serve m --runner pooling"),
        (("retrieval", "--embedder", "no-such-model"), "no-such-model"),
        (("retrieval", "--embedder", "baseline", "--npz", f"{out}/x.npz"), "create the folder first"),
    ):
        done = app(world, *words)
        assert done.returncode == 2 and why in done.stderr and "Traceback" not in done.stderr, done.stderr
