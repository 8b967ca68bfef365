"""Long sound is transcribed in pieces; an interrupted transcription resumes at the current piece."""

from __future__ import annotations

import difflib
import re
import wave
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from backends.errors import Stopped
from backends.protocols import Transcript
from backends.speech.faster_whisper_engine import speech_engine
from backends.speech.long_audio import pieces, quiet_place
from backends.speech.whisper_weights import packaged_files
from backends.video.audio import RATE, SoundFile
from tests.backends.sound import read_sound

SAMPLE = Path(__file__).resolve().parents[2] / "sample" / "clip.mp4"
LONGEST_S = 14.0
HEARD_S = 32
"""Length of the sample that is transcribed: three pieces."""

needs_weights = pytest.mark.skipif(packaged_files() is None, reason="no Whisper weights are installed")


def _words(transcript: Transcript) -> list[str]:
    text = " ".join(segment.text for segment in transcript.segments).lower()
    return re.findall(r"[a-z']+", text)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("weights")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The beginning of the sample."""
    path = tmp_path_factory.mktemp("sound") / "sound.wav"
    samples = read_sound(SAMPLE).samples[: HEARD_S * RATE]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return path


def _transcribe(sound: Path, cache: Path, notes: Path | None = None, stop_ms: int = 0) -> Transcript | None:
    """Transcribe in pieces of at most 14 s; stop after `stop_ms`."""

    def progress(done: int, total: int) -> None:
        assert 0 <= done <= total
        if stop_ms and done >= stop_ms:
            raise Stopped("stopped")

    engine = speech_engine("base", cache, longest_s=LONGEST_S)
    try:
        return engine.transcribe(sound, progress, notes)
    except Stopped:
        return None


@pytest.mark.long
@needs_weights
def test_in_pieces_the_same_is_heard_and_stopped_it_goes_on(sound: Path, cache: Path, tmp_path: Path) -> None:
    whole = speech_engine("base", cache).transcribe(sound)
    alone = _transcribe(sound, cache)
    assert alone is not None
    likeness = difflib.SequenceMatcher(None, _words(whole), _words(alone)).ratio()
    assert likeness > 0.97, (_words(whole), _words(alone))
    assert alone.duration_s == whole.duration_s and alone.language == whole.language == "en"
    for before, after in pairwise(alone.segments):
        assert before.start_s <= after.start_s
    ends = [segment.words[-1].end_s for segment in whole.segments]
    assert abs(alone.segments[-1].words[-1].end_s - ends[-1]) < 0.5

    assert _transcribe(sound, cache, tmp_path, stop_ms=12_000) is None
    kept = sorted(tmp_path.glob("*.npz"))
    assert len(kept) >= 1
    written = [file.stat().st_mtime_ns for file in kept]
    assert _transcribe(sound, cache, tmp_path) == alone
    assert [file.stat().st_mtime_ns for file in kept] == written, "pieces that were heard are not heard again"


def test_blocks_are_the_whole_sound() -> None:
    file = SoundFile(SAMPLE)
    blocks = list(file.blocks())
    assert max(map(len, blocks)) <= 10 * RATE
    np.testing.assert_array_equal(np.concatenate(blocks), read_sound(SAMPLE).samples)
    assert file.present and abs(file.length_s - 54) < 1


def test_pieces_are_the_whole_sound_and_are_cut_in_pauses() -> None:
    samples = read_sound(SAMPLE).samples
    blocks = np.array_split(samples, 300)
    found = list(pieces(blocks, 0, LONGEST_S))
    np.testing.assert_array_equal(np.concatenate([piece for _, piece, _ in found]), samples)
    assert [last for _, _, last in found] == [False] * (len(found) - 1) + [True]
    assert max(len(piece) for _, piece, _ in found) <= LONGEST_S * RATE
    loud = float(np.abs(samples).mean())
    for start, _, _ in found[1:]:
        assert np.abs(samples[start - 800 : start + 800]).mean() < loud / 4
    start = found[2][0]
    again = list(pieces(blocks, start, LONGEST_S))
    assert [at for at, _, _ in again] == [at for at, _, _ in found[2:]]
    np.testing.assert_array_equal(again[0][1], found[2][1])


def test_without_a_pause_the_cut_is_at_the_quietest_moment() -> None:
    noise = np.random.default_rng(0).normal(0, 0.3, 12 * RATE).astype(np.float32)
    noise[10 * RATE : 10 * RATE + RATE // 2] *= 0.2
    assert 8 * RATE <= quiet_place(noise) <= 12 * RATE
