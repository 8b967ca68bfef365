"""Long videos get scenes from keyframes at once; the detector's replace them."""

from __future__ import annotations

from threading import Event

import pytest

from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import run_video
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Run
from annotation.records.videos import SceneList
from annotation.stages import probe_scenes_speech
from backends.errors import Stopped
from tests.bench import Bench


def _lists(bench: Bench) -> list[SceneList]:
    found: list[SceneList] = bench.store.find(SceneList, video_id=bench.video.id, order_by=["created_at"])
    return found


def test_short_videos_need_no_proposal(bench: Bench) -> None:
    bench.run("scenes")
    assert [one.detector["name"] for one in _lists(bench)] == ["default"]


def test_the_detectors_list_replaces_the_proposal(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe_scenes_speech, "PROPOSE_FROM_S", 1.0)
    bench.run("scenes")
    proposal, full = _lists(bench)
    assert (proposal.note, proposal.detector["name"]) == ("proposal", "keyframes")
    assert (full.note, full.detector["name"]) == ("", "default")
    assert bench.store.scene_list(bench.video.id) == full
    assert {run.backend for run in bench.store.find(Run, stage="scenes")} == {"keyframes", "default"}
    bench.run("scenes", detector="content")
    assert [one.detector["name"] for one in _lists(bench)] == ["keyframes", "default", "content"]


def test_stopped_in_the_full_pass_the_proposal_counts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe_scenes_speech, "PROPOSE_FROM_S", 1.0)
    stop = Event()
    stop.set()
    with pytest.raises(Stopped):
        run_video(bench.context(bench.engines(), stop), bench.video, chosen_stages(["scenes"]))
    assert len(probe_scenes_speech.current_scenes(bench.store, bench.video.id)) == 2
    bench.run("scenes")
    current = bench.store.scene_list(bench.video.id)
    assert current is not None and current.detector["name"] == "default"


def test_what_was_written_on_the_proposal_is_found_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe_scenes_speech, "PROPOSE_FROM_S", 1.0)
    stop = Event()
    stop.set()
    with pytest.raises(Stopped):
        run_video(bench.context(bench.engines(), stop), bench.video, chosen_stages(["scenes"]))
    last = probe_scenes_speech.current_scenes(bench.store, bench.video.id)[-1]
    bench.store.add(
        [
            Text(
                id="txt-mine",
                video_id=bench.video.id,
                kind="script:content",
                subject_type="scene",
                subject_id=last.key,
                value="Mine.",
                created_at=1.0,
            )
        ]
    )
    bench.run("scenes")
    first, *others = probe_scenes_speech.current_scenes(bench.store, bench.video.id)
    assert last.key != first.key and last.key in {scene.key for scene in others}
    assert len({scene.key for scene in (first, *others)}) == 1 + len(others)
