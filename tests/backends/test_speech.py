"""Whisper base on real speech, and sound aligned with the player's time axis."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, replace
from fractions import Fraction
from importlib import resources
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest
from faster_whisper.transcribe import Segment, Word

from backends.errors import MediaError, Stopped, UsageError
from backends.protocols import SpeechEngine, Transcript
from backends.speech import faster_whisper_engine
from backends.speech.faster_whisper_engine import speech_engine
from backends.speech.long_audio import complement
from backends.speech.whisper_weights import packaged_files
from backends.video.audio import RATE
from tests.backends.sound import read_sound

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "videos"
CLIP = Path(str(resources.files("gradio"))) / "media_assets" / "audio" / "heath_ledger.mp3"
"""Three seconds of speech from the Gradio package."""
SAMPLE = Path(__file__).parents[2] / "sample" / "clip.mp4"
SAID = "if you re good at something never do it for free"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("weights")


@pytest.fixture(scope="module")
def engine(cache: Path) -> SpeechEngine:
    if not packaged_files():
        pytest.skip("requirements-weights.txt is not installed")
    return speech_engine("base", cache)


Heard = tuple[Transcript, list[tuple[int, int]]]


@pytest.fixture(scope="module")
def heard(engine: SpeechEngine) -> Heard:
    """Transcript of the clip, and the reported progress."""
    seen: list[tuple[int, int]] = []
    return engine.transcribe(CLIP, lambda done, total: seen.append((done, total))), seen


def plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z]+", text.lower()))


def spoken(transcript: Transcript) -> str:
    return plain(" ".join(segment.text for segment in transcript.segments))


def check_times(transcript: Transcript) -> None:
    assert json.loads(json.dumps(asdict(transcript)))["language"] == transcript.language
    for segment in transcript.segments:
        assert segment.words and type(segment.start_s) is float
        assert [w.start_s for w in segment.words] == sorted(w.start_s for w in segment.words)
        for word in segment.words:
            assert segment.start_s <= word.start_s <= word.end_s <= segment.end_s
            assert 0 <= word.probability <= 1 and type(word.probability) is float
    for before, after in pairwise(transcript.segments):
        assert before.start_s <= after.start_s
    assert all(segment.end_s <= transcript.duration_s + 0.1 for segment in transcript.segments)


def need(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not beside this checkout")
    return DATA / name


# --- recognition ----------------------------------------------------------------------


def test_clip_of_gradio(heard: Heard) -> None:
    transcript, seen = heard
    assert spoken(transcript) == SAID
    assert transcript.language == "en" and transcript.language_probability > 0.8
    assert transcript.model == "base" and transcript.params["batched"] is False
    assert transcript.duration_s == pytest.approx(3.0, abs=0.1)
    check_times(transcript)
    total = round(transcript.duration_s * 1000)
    assert seen[0] == (0, total) and seen[-1] == (total, total) and len(seen) >= 3
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_same_again(engine: SpeechEngine, heard: Heard) -> None:
    assert engine.transcribe(CLIP) == heard[0]


def test_speech_of_a_president(engine: SpeechEngine) -> None:
    transcript = engine.transcribe(need("speech_jfk_bikes.mp4"))
    assert "ask not what your country can do for you" in spoken(transcript)
    check_times(transcript)
    words = [w for s in transcript.segments for w in s.words]
    ask = next(w for w in words if plain(w.text) == "ask")
    # The pause before it ends at about four seconds; on some processors the word includes part of it.
    assert 2.5 < ask.start_s < 6.0


def test_batched_says_so(cache: Path, heard: Heard) -> None:
    transcript = speech_engine("batched:base", cache, language="en").transcribe(CLIP)
    assert transcript.model == "batched:base"
    assert spoken(transcript) == SAID
    assert "may drop speech" in transcript.params["warning"]
    assert "warning" not in heard[0].params
    check_times(transcript)


def test_a_segment_of_a_batch_is_one_sentence(cache: Path) -> None:
    """Batched windows are up to 30 s long, and so are their segments."""
    transcript = speech_engine("batched:base", cache, language="en").transcribe(SAMPLE)
    assert sum(s.text.endswith(".") for s in transcript.segments) >= 7
    assert not [s.text for s in transcript.segments if "." in s.text[:-1]]
    assert max(s.end_s - s.start_s for s in transcript.segments) < 10
    check_times(transcript)


def test_a_sentence_of_a_batch_is_not_cut_at_an_abbreviation() -> None:
    def segment(text: str) -> Segment:
        words = [Word(n, n + 1, word, 0.9) for n, word in enumerate(re.findall(r"\s*\S+", text))]
        return Segment(0, 0, 0, 9, text, [], 0.0, 1.0, 0.0, words, 0.0)

    given = segment(' Dr. Smith paid 3.5 U.S. dollars. He said "Go." Then left.')
    said = [" Dr. Smith paid 3.5 U.S. dollars.", ' He said "Go."', " Then left."]
    assert [one.text for one in faster_whisper_engine._by_sentence([given])] == said
    wordless = replace(given, words=[])
    assert list(faster_whisper_engine._by_sentence([wordless])) == [wordless]


def test_person_stops(engine: SpeechEngine) -> None:
    def stop(done: int, total: int) -> None:
        if done:
            raise Stopped("stopped")

    with pytest.raises(Stopped):
        engine.transcribe(CLIP, stop)


def test_unknown_language(cache: Path, engine: SpeechEngine) -> None:
    with pytest.raises(UsageError, match="klingon"):
        speech_engine("base", cache, language="klingon").transcribe(CLIP)


def test_none_and_misspelt(cache: Path) -> None:
    transcript = speech_engine("none", cache).transcribe(CLIP)
    assert transcript.segments == () and transcript.gaps == () and transcript.model == "none"
    with pytest.raises(UsageError, match="bse"):
        speech_engine("bse", cache)


# --- silence, files without sound, damage -----------------------------------------------


def write(
    path: Path, samples: npt.NDArray[np.float32] | None, *, late_s: float = 0.0, picture_s: float = 0.0
) -> Path:
    """A file whose sound starts `late_s` after the picture."""
    with av.open(str(path), "w") as out:
        video = out.add_stream("mpeg4", rate=10) if picture_s else None
        audio = out.add_stream("aac" if path.suffix != ".wav" else "pcm_s16le", rate=RATE, layout="mono")
        if samples is None:
            raise AssertionError("sound is needed")
        if video is not None:
            video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
            for i in range(round(picture_s * 10)):
                image = av.VideoFrame.from_ndarray(np.full((48, 64, 3), i % 200, np.uint8), format="rgb24")
                image.pts, image.time_base = i, Fraction(1, 10)
                out.mux(video.encode(image))
            out.mux(video.encode(None))
        ints = (samples * 32767).astype(np.int16)
        for at in range(0, len(ints), 1024):
            frame = av.AudioFrame.from_ndarray(ints[None, at : at + 1024], format="s16", layout="mono")
            frame.sample_rate, frame.time_base = RATE, Fraction(1, RATE)
            frame.pts = at + round(late_s * RATE)
            out.mux(audio.encode(frame))
        out.mux(audio.encode(None))
    return path


def tone(seconds: float, hertz: float = 440.0) -> npt.NDArray[np.float32]:
    t = np.arange(round(seconds * RATE)) / RATE
    return (0.5 * np.sin(2 * math.pi * hertz * t)).astype(np.float32)


def onset(samples: npt.NDArray[np.float32]) -> float:
    return float(np.argmax(np.abs(samples) > 0.2)) / RATE


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts"])
@pytest.mark.parametrize("late_s", [0.0, 1.5])
def test_sound_that_starts_after_the_picture(tmp_path: Path, suffix: str, late_s: float) -> None:
    path = write(tmp_path / f"clip{suffix}", tone(1.0), late_s=late_s, picture_s=4.0)
    sound = read_sound(path)
    # A transport stream does not mark the 64 ms of silence before AAC: its clock starts there.
    assert onset(sound.samples) == pytest.approx(late_s, abs=0.07 if suffix == ".ts" else 0.03)
    assert sound.duration_s == pytest.approx(late_s + 1.0, abs=0.1)
    assert sound.errors == 0 and sound.samples.dtype == np.float32


def test_hole_in_the_sound(tmp_path: Path) -> None:
    path = tmp_path / "hole.mkv"
    with av.open(str(path), "w") as out:
        audio = out.add_stream("pcm_s16le", rate=RATE, layout="mono")
        for start in (0.0, 3.0):
            ints = (tone(1.0) * 32767).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(ints[None], format="s16", layout="mono")
            frame.sample_rate, frame.time_base, frame.pts = RATE, Fraction(1, RATE), round(start * RATE)
            out.mux(audio.encode(frame))
    samples = read_sound(path).samples
    assert len(samples) == pytest.approx(4 * RATE, abs=RATE // 20)
    assert np.abs(samples[int(1.2 * RATE) : int(2.8 * RATE)]).max() == 0
    assert np.abs(samples[int(3.1 * RATE) : int(3.9 * RATE)]).max() > 0.4


def test_words_of_late_speech_and_gaps(tmp_path: Path, engine: SpeechEngine, heard: Heard) -> None:
    speech = read_sound(CLIP).samples
    late = write(tmp_path / "late.mp4", speech, late_s=4.0, picture_s=8.0)
    transcript = engine.transcribe(late)
    usual, _ = heard
    assert spoken(transcript) == SAID
    first, last = transcript.segments[0].words[0], transcript.segments[-1].words[-1]
    assert first.start_s > 3.5
    assert last.start_s == pytest.approx(usual.segments[-1].words[-1].start_s + 4.0, abs=0.25)
    assert transcript.gaps[0][0] == 0.0 and 3.0 < transcript.gaps[0][1] <= 4.1
    check_times(transcript)


def test_silence_is_one_gap(tmp_path: Path, engine: SpeechEngine) -> None:
    transcript = engine.transcribe(write(tmp_path / "s.wav", np.zeros(3 * RATE, np.float32)))
    assert transcript.segments == () and transcript.language == ""
    assert transcript.gaps == ((0.0, pytest.approx(3.0)),)


def test_video_without_sound_needs_no_weights(tmp_path: Path) -> None:
    path = tmp_path / "mute.mp4"
    with av.open(str(path), "w") as out:
        video = out.add_stream("mpeg4", rate=10)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        out.mux(video.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")))
        out.mux(video.encode(None))
    transcript = speech_engine(str(tmp_path / "absent"), tmp_path).transcribe(path)
    assert transcript.segments == () and transcript.language == "" and transcript.params["audio"] is False


def test_not_a_video(tmp_path: Path, engine: SpeechEngine) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_text("this is text")
    with pytest.raises(MediaError, match=r"bad\.mp4"):
        engine.transcribe(bad)
    with pytest.raises(MediaError, match="absent"):
        engine.transcribe(tmp_path / "absent.mp4")


def test_damaged_packets_are_counted() -> None:
    sound = read_sound(need("odd_corrupt_bytes.mp4"))
    assert sound.errors > 0 and sound.duration_s == pytest.approx(5.3, abs=0.1)


def test_complement() -> None:
    assert complement([(1.0, 2.0), (1.5, 3.0)], 5.0) == ((0.0, 1.0), (3.0, 5.0))
    assert complement([(0.0, 5.0)], 5.0) == ()
    assert complement([], 2.0) == ((0.0, 2.0),)
