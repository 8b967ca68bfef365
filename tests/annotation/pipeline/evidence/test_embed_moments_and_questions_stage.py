"""Frames that look like a question, by an image-text model behind a real HTTP server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.pipeline.evidence.moments_from_store import PICTURES
from annotation.pipeline.evidence.question_frames import EvidenceFrames, question_frames
from annotation.pipeline.evidence.ranking import Query
from annotation.records.captions_to_verdicts import Question
from annotation.records.videos import Measurement, Video
from annotation.workspace.workspace import Workspace
from backends.chat import openai_connection
from tests.backends.clips import textured, write_clip
from tests.bench import Bench
from tests.chat_server import ChatServer, Reply
from tests.embeddings_server import axis, colours

SHOTS = ((70.0, 20), (110.0, 20), (160.0, 20), (210.0, 20))
ASKED = ("What stands on the shelf?", "a samovar")
WORDS = " ".join(ASKED)


@pytest.fixture
def shots(workspace: Workspace, tmp_path: Path) -> Iterator[Bench]:
    """Four shots in grey, the last two nearly white, and a question about something that nobody wrote of."""
    pictures = [textured(n, luma) for n, (luma, frames) in enumerate(SHOTS) for _ in range(frames)]
    made = Bench(workspace, write_clip(tmp_path / "shots.mp4", pictures))
    text, reference = ASKED
    question = Question(
        id="q-1",
        video_id=made.video.id,
        kind="vdc:camera",
        index=0,
        text=text,
        reference=reference,
        created_at=1.0,
    )
    made.store.add([question])
    made.run("probe", "scenes", "measurements")
    yield made
    made.media.close()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that fails is asked again without a wait."""
    monkeypatch.setattr(openai_connection, "wait_s", lambda *_: 0.0)


def opened(bench: Bench) -> EvidenceFrames:
    return question_frames(bench.store, bench.media, bench.store.get(Video, bench.video.id), Query(*ASKED))


def test_a_frame_that_looks_like_the_question_comes_first(shots: Bench) -> None:
    assert not opened(shots).found
    with ChatServer(colours({WORDS: list(axis("white"))})) as server:
        result, _ = shots.run("picture_vectors", embedder=server.spec)
        assert result.problems == []
        asked = len(server.seen)
        found = opened(shots)
        assert found.found and found.frames[0].at_s > 1.5
        assert found.frames[0].reasons[0].words.startswith("picture: similar, by ")
        assert {reason.source for frame in found.frames for reason in frame.reasons} == {"picture"}
        shots.run("picture_vectors", embedder=server.spec)
        assert len(server.seen) == asked  # neither opening nor a second run asks again


def test_without_an_image_text_model_it_says_what_to_type(shots: Bench) -> None:
    result, _ = shots.run("picture_vectors")
    (problem,) = result.problems
    assert "--embedder" in problem
    assert not opened(shots).found


@pytest.mark.usefixtures("at_once")
def test_a_model_that_is_gone_costs_this_stage_alone(shots: Bench) -> None:
    result, context = shots.run("picture_vectors", "script", embedder="http://127.0.0.1:9/v1#clip")
    assert len(result.problems) == 1 and result.problems[0].startswith("picture_vectors")
    assert "script" in context.runs


def test_pictures_are_those_of_the_file_and_the_cuts_of_now(shots: Bench) -> None:
    with ChatServer(colours({WORDS: list(axis("white"))})) as server:
        shots.run("picture_vectors", embedder=server.spec)
        video = shots.store.get(Video, shots.video.id)
        shots.store.put(replace(video, sha256="another file"))
        assert not opened(shots).found
        shots.run("picture_vectors", embedder=server.spec)
        assert opened(shots).found
        assert len(shots.store.find(Measurement, kind=PICTURES)) == 1
        shots.store.put(replace(video, path=f"{video.path}.gone"))
        result, _ = shots.run("picture_vectors", embedder=server.spec)
        assert "not found; put it back" in result.problems[0]


@pytest.mark.usefixtures("at_once")
def test_a_reply_of_no_vectors_leaves_what_is_there(shots: Bench) -> None:
    with ChatServer(colours({WORDS: list(axis("white"))})) as server:
        shots.run("picture_vectors", embedder=server.spec)
    with ChatServer(lambda _seen: Reply(raw=b'{"data": [{"index"')) as broken:
        result, _ = shots.run("picture_vectors", embedder=broken.spec)
    assert len(result.problems) == 1
    assert opened(shots).found
