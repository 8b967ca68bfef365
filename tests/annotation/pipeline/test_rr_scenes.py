"""Vript-RR with the scene alone: whose frames are given, both settings side by side, resuming."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from annotation.intake.add_video import add_video
from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import run_video
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import ModelCall
from annotation.records.videos import Scene, SceneList
from annotation.reports.report_type import Options
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.benchmark_of_evaluation import evaluations_of
from annotation.systems.vript.hard_items import hard_rows, rr_item
from backends.errors import Stopped
from exports.catalogue import format_registry as formats
from exports.vript.hard_report import rr_lines, rr_report, rr_reports
from tests.backends.clips import textured, write_clip
from tests.bench import Bench, failed_requests
from tests.chat_server import ChatServer, mentions, normal, scripted
from tests.exports.vript.test_vript_hard import rr_value, write_lines

TITLE = "two shots"
REPLIES = scripted(
    (mentions("impartial judge"), normal('So. {"rating": True}')),
    (mentions("Only give the best option"), normal("(A) A yellow trophy.")),
    (mentions("Hint:"), normal("A trophy.")),
)


def asked(bench: Bench, folder: Path, *scenes: int) -> None:
    """Questions about these scenes of the clip; the second scene's answer is B."""
    file = write_lines(folder / "RR_annotations.jsonl", [rr_value(TITLE, n, int(n == 2)) for n in scenes])
    formats.commit(bench.store, formats.read(file, bench.store))


def cut(bench: Bench, starts: tuple[int, ...], **about: object) -> SceneList:
    """Cuts that a dataset gives, or a person."""
    table = bench.media.table(bench.video)
    made = SceneList(id=f"scl-{starts}", video_id=bench.video.id, created_at=9e9, detector={"name": "Vript"})
    ends = (*starts[1:], len(table.pts))
    bench.store.add(
        [
            replace(made, **about),
            *(
                Scene(
                    id=f"scn-{made.id}-{n}",
                    scene_list_id=made.id,
                    video_id=bench.video.id,
                    key=f"{made.id}-{n}",
                    index=n,
                    start_frame=a,
                    end_frame=b,
                    start_pts=a,
                    end_pts=b,
                    start_s=a / 25,
                    end_s=b / 25,
                )
                for n, (a, b) in enumerate(zip(starts, ends, strict=True))
            ),
        ]
    )
    return made


def given(bench: Bench) -> dict[str, tuple[int, ...]]:
    """`{clip: frames}` of the multiple choice replies with the scene alone."""
    [evaluation] = [e for e in evaluations_of(bench.store, "vript-rr") if "choice, scene alone" in e.name]
    rows = hard_rows(bench.store, evaluation.id)
    return {row.item.name: row.text.frames for row in rows if row.item and row.text}


def test_frames_come_from_the_span_of_the_scene(bench: Bench, tmp_path: Path) -> None:
    bench.run("scenes")
    asked(bench, tmp_path, 1, 2)
    first, second = [(s.start_frame, s.end_frame) for s in current_scenes(bench.store, bench.video.id)]
    with ChatServer(REPLIES) as server:
        result, context = bench.run(
            "vript_hard", captioner=server.spec, judge=server.spec, rr_setting="scene"
        )
        assert (
            result.problems == []
            and failed_requests(result) == 0
            and context.caller.spending.taken.calls == 6
        )
        assert [len(one.images) for one in server.seen if one.images] == [16] * 4
    frames = given(bench)
    assert {name[-3:] for name in frames} == {"001", "002"}
    for (start, end), shown in zip((first, second), (frames[k] for k in sorted(frames)), strict=True):
        assert len(shown) == 16 and start <= min(shown) and max(shown) < end, shown
    calls = [call.frames for call in bench.store.find(ModelCall) if call.frames]
    assert {tuple(found) for found in calls} == set(frames.values())


def test_both_settings_stand_side_by_side(bench: Bench, tmp_path: Path) -> None:
    bench.run("scenes")
    asked(bench, tmp_path, 1, 2)
    with ChatServer(REPLIES) as server:
        _, context = bench.run("vript_hard", captioner=server.spec, judge=server.spec, rr_setting="both")
        assert context.caller.spending.taken.calls == 10  # the judge is asked once about the same words
        _, context = bench.run("vript_hard", captioner=server.spec, judge=server.spec, rr_setting="scene")
        assert context.caller.spending.taken.calls == 0
    names = [e.name.partition(" · ")[2] for e in evaluations_of(bench.store, "vript-rr")]
    assert sorted(names) == [
        f"Vript-RR, {kind}, {setting}, run here"
        for kind in ("multiple choice", "open")
        for setting in ("scene alone", "whole video")
    ]
    scene = next(e for e in evaluations_of(bench.store, "vript-rr") if "choice, scene" in e.name)
    report = rr_report(bench.store, scene)
    assert report["setting"] == "scene" and report["beside"]["setting"] == "whole"
    assert [row["value"] for row in report["rows"]] == [row["value"] for row in report["beside"]["rows"]]
    assert report["settings"][0]["n"] == 2 and report["settings"][0]["both"] == 1
    assert report["scenes"] == {"detector": 2}
    words = "\n".join(rr_lines(rr_reports(bench.store, Options(evaluation=scene.id))[0]))
    assert "scene alone, run here" in words and "whole video, run here" in words
    assert "2 of 2 scenes by the cuts of a detector here" in words
    rows = hard_rows(bench.store, scene.id)
    assert {row.verdict.extra["id"] for row in rows} == {f"{TITLE}-Scene-001", f"{TITLE}-Scene-002"}
    assert [rr_item(row).right for row in rows] == [True, False]


def test_what_the_dataset_cut_counts_before_a_detector(bench: Bench, tmp_path: Path) -> None:
    bench.run("scenes")
    asked(bench, tmp_path, 3)
    cut(bench, (0, 20, 60, 90))
    with ChatServer(REPLIES) as server:
        bench.run("vript_hard", captioner=server.spec, judge=server.spec, rr_setting="scene")
    assert all(60 <= frame < 90 for frame in given(bench)[f"{TITLE}-Scene-003"])
    [row] = hard_rows(bench.store, evaluations_of(bench.store, "vript-rr")[0].id)
    assert row.scene == {
        "number": 3,
        "source": "dataset",
        "cuts": "the cuts of Vript",
        "start_frame": 60,
        "end_frame": 90,
    }


def test_the_file_of_the_scene_is_shown_where_it_is_here(bench: Bench, tmp_path: Path) -> None:
    """As the released scripts do; from the whole video, or from that file itself."""
    asked(bench, tmp_path, 7)
    pictures = [textured(3 + i, 90.0) for i in range(10)]
    path = write_clip(tmp_path / f"{TITLE}-Scene-007.mp4", pictures)
    clip = add_video(bench.store, bench.workspace.media, path)
    with ChatServer(REPLIES) as server:
        bench.run("vript_hard", captioner=server.spec, judge=server.spec, rr_setting="scene")
        assert given(bench)[f"{TITLE}-Scene-007"] == tuple(range(10))
        context = bench.context(bench.engines(captioner=server.spec, judge=server.spec), rr_setting="scene")
        result = run_video(context, clip, chosen_stages(["vript_hard"]))
        assert result.problems == [] and context.caller.spending.taken.calls == 0
    [text] = bench.store.find(Text, kind="vript:rr")
    assert text.video_id == clip.id
    [row] = hard_rows(bench.store, evaluations_of(bench.store, "vript-rr")[0].id)
    assert row.verdict.video_id == bench.video.id and row.scene["source"] == "file"


@pytest.mark.parametrize(
    ("scenes", "starts", "words"),
    [((1, 9), None, "has no scenes yet"), ((2, 9), (0, 50), "have 2 scenes"), ((1, 2), (0, 100), "no frame")],
)
def test_scenes_that_nothing_places_are_named_and_the_others_asked(
    bench: Bench, tmp_path: Path, scenes: tuple[int, int], starts: tuple[int, ...] | None, words: str
) -> None:
    asked(bench, tmp_path, *scenes)
    if starts:
        cut(bench, starts)
    with ChatServer(REPLIES) as server:
        result, context = bench.run(
            "vript_hard", captioner=server.spec, judge=server.spec, rr_setting="scene"
        )
    assert words in result.problems[0] and context.caller.spending.taken.calls == (3 if starts else 0)
    assert ("2 of 2" if starts is None else "1 of 2") in result.problems[0]


def test_interrupted_between_the_settings_it_goes_on(bench: Bench, tmp_path: Path) -> None:
    bench.run("scenes")
    asked(bench, tmp_path, 1, 2)
    stop = Event()
    with ChatServer(REPLIES) as server:
        engines = bench.engines(captioner=server.spec, judge=server.spec)
        context = bench.context(engines, stop, rr_setting="both")
        report = context.report

        def until_the_scene(video, stage, state, done, total, message):  # type: ignore[no-untyped-def]
            report(video, stage, state, done, total, message)
            if len(server.seen) >= 3:
                stop.set()

        context.report = until_the_scene
        with pytest.raises(Stopped):
            run_video(context, bench.video, chosen_stages(["vript_hard"]))
        before = len(server.seen)
        result, again = bench.run("vript_hard", captioner=server.spec, judge=server.spec, rr_setting="both")
    assert result.problems == [] and before < 10 and before + again.caller.spending.taken.calls == 10


def test_a_table_of_these_replies_is_read_back_as_the_scene(bench: Bench, tmp_path: Path) -> None:
    bench.run("scenes")
    asked(bench, tmp_path, 1, 2)
    with ChatServer(REPLIES) as server:
        bench.run("vript_hard", captioner=server.spec, judge=server.spec, rr_setting="both")
    for evaluation in evaluations_of(bench.store, "vript-rr"):
        [out] = formats.write(
            bench.store, "vript-predictions", tmp_path / "RR_m.csv", evaluation_id=evaluation.id
        )
        runs = [r for r in formats.read(out, bench.store).records if getattr(r, "stage", "") == "captions"]
        assert json.dumps(dict(runs[0].params)).count("scene" if "scene" in evaluation.name else "whole") == 1
