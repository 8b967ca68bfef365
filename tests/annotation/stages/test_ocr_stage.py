"""Text on screen: which frames are read, how lines are followed, and what the stage stores."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import cv2
import numpy as np
import pytest

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.ids import record_id
from annotation.records.runs import Run
from annotation.records.videos import Measurement, Scene, ScreenText
from annotation.stages import ocr_stage
from annotation.stages.newest_screen_texts import FRAMES_READ, screen_texts, shown_between, words_shown
from annotation.stages.ocr_stage import frames_to_read
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.stages.text_spans import ReadFrame, follow
from annotation.systems.vript.current_scripts import script_findings
from annotation.systems.vript.script_stage import scene_words
from annotation.workspace.workspace import Workspace
from backends.errors import Stopped, UsageError
from backends.protocols import Picture, PtsTable, ScreenLine
from exports.catalogue import format_registry as formats
from tests.backends.clips import textured, write_clip
from tests.bench import Bench
from tests.databases import new_workspace

BOX = (0.1, 0.1, 0.5, 0.2)
ELSEWHERE = (0.1, 0.7, 0.5, 0.8)
FPS = 25


def line(text: str, box: tuple[float, float, float, float] = BOX, score: float = 0.9) -> ScreenLine:
    return ScreenLine(text, score, box)


def spans(*frames: Sequence[ScreenLine] | None) -> list[tuple[str, int, int]]:
    """Frames 0, 10, 20 ... with these lines, followed."""
    read = [ReadFrame(10 * n, None if lines is None else tuple(lines)) for n, lines in enumerate(frames)]
    return [(span.best.text, span.first, span.last) for span in follow(read)]


def test_the_same_line_in_frames_that_follow_is_one() -> None:
    assert spans([line("Hello")], [line("hello ")], None, []) == [("Hello", 0, 20)]


def test_a_line_that_comes_back_is_another() -> None:
    assert spans([line("Hello")], [], [line("Hello")]) == [("Hello", 0, 0), ("Hello", 20, 20)]


def test_a_misread_letter_at_the_same_place_is_the_same_line_and_the_surer_reading_counts() -> None:
    assert spans([line("Introductlon", score=0.85)], [line("Introduction", score=0.99)]) == [
        ("Introduction", 0, 10)
    ]
    assert len(spans([line("Introductlon")], [line("Introduction", ELSEWHERE)])) == 2


def test_a_counter_that_goes_on_is_a_new_line_each_time() -> None:
    assert spans([line("Score 12:10")], [line("Score 12:11")]) == [
        ("Score 12:10", 0, 0),
        ("Score 12:11", 10, 10),
    ]


def test_the_same_words_twice_in_a_frame_are_two_lines_and_each_goes_on() -> None:
    both = [line("EXIT"), line("EXIT", ELSEWHERE)]
    assert spans(both, both[::-1]) == [("EXIT", 0, 10), ("EXIT", 0, 10)]


def table(frames: int, keyframes: Sequence[int]) -> PtsTable:
    pts = np.arange(frames, dtype=np.int64)
    return PtsTable(pts, pts[list(keyframes)], f"1/{FPS}", 0.0, frames / FPS)


def scene(start: int, end: int) -> Scene:
    return Scene(
        id=f"scn-{start}",
        scene_list_id="scl",
        video_id="vid",
        key=f"sck-{start}",
        index=0,
        start_frame=start,
        end_frame=end,
        start_pts=start,
        end_pts=end,
        start_s=start / FPS,
        end_s=end / FPS,
    )


def test_a_short_scene_gives_one_frame_and_a_long_one_one_for_every_stretch() -> None:
    assert frames_to_read([scene(0, 50)], table(50, [0])) == [0]
    step = ocr_stage.EVERY_S * FPS
    frames = frames_to_read([scene(0, 1000)], table(1000, [0]))
    assert len(frames) == 1000 / step and frames[0] == 0 and max(np.diff(frames)) < 2 * step


def test_keyframes_are_taken_where_a_stretch_has_some() -> None:
    assert frames_to_read([scene(0, 50), scene(50, 100)], table(100, [0, 20, 40])) == [20, 74]


# --- the stage ------------------------------------------------------------------------


def picture(seed: int, text: str) -> Picture:
    made = cv2.resize(textured(seed, 200.0), (640, 384), interpolation=cv2.INTER_LINEAR)
    if text:
        cv2.rectangle(made, (30, 150), (610, 230), (250, 250, 250), -1)
        cv2.putText(made, text, (50, 205), cv2.FONT_HERSHEY_DUPLEX, 1.4, (10, 10, 40), 3, cv2.LINE_AA)
    return np.asarray(made, np.uint8)


@pytest.fixture(scope="module")
def titled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Black, a plain scene, one with a title, and one with the title of the next chapter: 30 s."""
    shown = [
        np.zeros((384, 640, 3), np.uint8),
        picture(1, ""),
        picture(2, "Chapter 1"),
        picture(3, "Chapter 2"),
    ]
    pictures = [shown[0]] * 50 + [shown[1]] * 100 + [shown[2]] * 400 + [shown[3]] * 200
    return write_clip(tmp_path_factory.mktemp("titled") / "titled.mp4", pictures, keyint=100)


@pytest.fixture
def unread(workspace: Workspace, titled: Path) -> Bench:
    return Bench(workspace, titled)


@pytest.fixture(scope="module")
def once_read(tmp_path_factory: pytest.TempPathFactory, titled: Path) -> Path:
    """A workspace whose film has been read; it is copied."""
    space = new_workspace(tmp_path_factory.mktemp("read") / "workspace")
    bench = Bench(space, titled)
    read(bench)
    bench.media.close()
    space.close()
    return space.path


@pytest.fixture
def reading(once_read: Path, tmp_path: Path, titled: Path) -> Iterator[Bench]:
    shutil.copytree(once_read, tmp_path / "read")
    space = Workspace(tmp_path / "read")
    yield Bench(space, titled)
    space.close()


def read(bench: Bench) -> list[ScreenText]:
    bench.run("scenes", "text", ocr="rapidocr")
    return screen_texts(bench.store, bench.video.id)


def lines_of(bench: Bench) -> list[ScreenText]:
    return screen_texts(bench.store, bench.video.id)


def test_titles_are_kept_with_place_and_time(reading: Bench) -> None:
    first, second = lines_of(reading)
    assert (first.text, second.text) == ("Chapter 1", "Chapter 2")
    assert 150 <= first.first_frame <= first.frame <= first.last_frame < 550 <= second.first_frame < 750
    assert first.end_s - first.start_s > 8 and first.start_s == pytest.approx(first.first_frame / FPS)
    assert first.box[1] < 0.5 < first.box[3] and first.pts > 0
    assert shown_between([first, second], 0.0, 6.0) == []
    assert shown_between([first, second], 10.0, 11.0) == [first]


def test_frames_like_the_one_before_are_not_read(reading: Bench) -> None:
    (looked,) = reading.store.find(Measurement, kind=FRAMES_READ)
    frames, same = looked.value["read"], looked.value["same_as_before"]
    assert isinstance(frames, list) and isinstance(same, list)
    assert len(frames) <= 5 and len(same) >= 3 and not set(frames) & set(same)


def test_a_second_run_reads_nothing_again(reading: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    before = lines_of(reading)
    monkeypatch.setattr(ocr_stage, "_read_frames", lambda *_: pytest.fail("read again"))
    assert read(reading) == before


def test_what_was_stopped_goes_on_with_the_same_result(
    reading: Bench, unread: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [(one.text, one.first_frame, one.last_frame) for one in lines_of(reading)]
    monkeypatch.setattr(ocr_stage, "BATCH", 2)
    unread.run("scenes")
    stop = Event()
    context = unread.context(unread.engines(ocr="rapidocr"), stop)
    stop.set()
    for _ in range(3):  # each time one batch further
        with pytest.raises(Stopped):
            ocr_stage.run_text(context, unread.video)
    assert lines_of(unread) == []
    assert [(one.text, one.first_frame, one.last_frame) for one in read(unread)] == whole


def test_before_there_are_scenes_nothing_is_stored(unread: Bench) -> None:
    result, _ = unread.run("text", ocr="rapidocr")
    assert (
        result.stages["text"].state == "skipped"
        and "run the stage scenes first" in result.stages["text"].words
    )
    assert unread.store.count(Measurement, kind=FRAMES_READ) == 0
    assert [one.text for one in read(unread)] == ["Chapter 1", "Chapter 2"]


def test_what_was_stored_without_scenes_does_not_count(unread: Bench) -> None:
    """As earlier versions stored it: no frames were looked at."""
    _, context = unread.run("text", ocr="rapidocr")
    run = context.runs["text"] if "text" in context.runs else unread.store.find(Run, stage="text")[0]
    about = record_id("msr", run.id, unread.video.id, FRAMES_READ)
    empty = {"read": [], "same_as_before": []}
    unread.store.add([run, measurement(about, run.id, unread.video.id, empty)])
    assert [one.text for one in read(unread)] == ["Chapter 1", "Chapter 2"]


def measurement(about: str, run_id: str, video_id: str, value: dict[str, Any]) -> Measurement:
    return Measurement(
        id=about,
        video_id=video_id,
        run_id=run_id,
        subject_type="video",
        subject_id=video_id,
        kind=FRAMES_READ,
        value=value,
    )


def test_a_reading_of_0_1_0_still_counts(reading: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not say which frames were chosen, only which were looked at."""
    (looked,) = reading.store.find(Measurement, kind=FRAMES_READ)
    old = {name: looked.value[name] for name in ("read", "same_as_before")}
    reading.store.put(replace(looked, value=old))
    monkeypatch.setattr(ocr_stage, "_read_frames", lambda *_: pytest.fail("read again"))
    assert len(read(reading)) == 2


def test_after_a_new_detection_the_frames_of_the_new_scenes_are_read(reading: Bench) -> None:
    before = lines_of(reading)
    assert len(before) == 2
    reading.run("scenes", "text", ocr="rapidocr", detector="threshold")
    (looked,) = reading.store.find(Measurement, kind=FRAMES_READ)
    table = reading.media.table(reading.video)
    chosen = frames_to_read(current_scenes(reading.store, reading.video.id), table)
    assert looked.value["frames"] == chosen
    assert {line.frame for line in lines_of(reading)} <= set(chosen)
    assert reading.store.count(ScreenText) == len(lines_of(reading)), "lines of the old frames are gone"


def test_turned_off_the_stage_does_nothing(unread: Bench) -> None:
    unread.run("scenes", "text", ocr="none")
    assert unread.store.count(Measurement, kind=FRAMES_READ) == 0
    with pytest.raises(UsageError, match="no engine 'eyes'"):
        make_engines(EngineChoice(ocr="eyes"), unread.workspace)


def test_a_script_that_quotes_a_title_wrongly_has_a_finding(reading: Bench) -> None:
    store, video = reading.store, reading.video.id
    scenes = current_scenes(store, video)
    title = next(scene for scene in scenes if scene.start_frame <= 300 < scene.end_frame)
    store.add([Person(id="per-1", name="Ada", role="annotator", created_at=1.0)])
    words = 'A title reads "Chapter 3". A sign reads "Way out".'
    written = Text(
        id="txt-1",
        video_id=video,
        kind="script:content",
        subject_type="scene",
        subject_id=title.key,
        value=words,
        created_at=2.0,
        person_id="per-1",
    )
    store.add([written])
    found = [place.found for place in script_findings(store, [video])[video]]
    assert [(one.check, one.text) for one in found] == [
        ("text_misquoted", "Chapter 3"),
        ("text_not_shown", "Way out"),
    ]


def test_a_script_and_notes_are_asked_for_with_the_text_on_screen(reading: Bench) -> None:
    texts = lines_of(reading)
    words = [scene_words([], texts, one).on_screen for one in current_scenes(reading.store, reading.video.id)]
    assert [each for each in words if each] and set(filter(None, words)) <= {"Chapter 1", "Chapter 2"}
    assert words_shown([*texts, *texts]) == "Chapter 1\nChapter 2"
    assert words_shown(texts, most=12) == "Chapter 1"


@pytest.mark.parametrize("kind", ["script:content", "vdc:detailed"])
def test_the_baseline_tells_the_text_on_screen(reading: Bench, kind: str) -> None:
    reading.run("script", "captions")
    told = " ".join(text.value for text in reading.store.find(Text, video_id=reading.video.id, kind=kind))
    assert 'he picture reads: "Chapter 1"' in told


def test_lines_travel_in_a_dailies_file(reading: Bench, tmp_path: Path) -> None:
    lines = lines_of(reading)
    file = tmp_path / "all.jsonl"
    formats.write(reading.store, "dailies-jsonl", file)
    other = new_workspace(tmp_path / "other")
    formats.commit(other.store, formats.read(file, other.store))
    assert screen_texts(other.store, reading.video.id) == lines
    other.close()
