"""The spoken words: espeak-ng for each line, laid on a silent track."""

from __future__ import annotations

import subprocess
import tempfile
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

RATE = 22_050
VOICE, WORDS_PER_MINUTE, PITCH, WORD_GAP = "en-us", 128, 42, 2


def read_lines(path: Path) -> list[tuple[float, str]]:
    """(start second, sentence) of every line of `narration.txt`."""
    rows = [row.split("\t", 1) for row in path.read_text(encoding="utf-8").splitlines() if row.strip()]
    return [(float(start), text) for start, text in rows]


def speak(text: str) -> npt.NDArray[np.float32]:
    """One sentence as samples at `RATE`, loudest at 1. Needs espeak-ng (Debian: apt install espeak-ng)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "line.wav"
        options = [
            "-v",
            VOICE,
            "-s",
            str(WORDS_PER_MINUTE),
            "-p",
            str(PITCH),
            "-g",
            str(WORD_GAP),
            "-w",
            str(out),
        ]
        subprocess.run(["espeak-ng", *options, text], check=True)
        with wave.open(str(out)) as sound:
            samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16).astype(np.float32)
    return samples / max(1.0, float(np.abs(samples).max()))


def narration(lines: list[tuple[float, str]], seconds: float) -> npt.NDArray[np.int16]:
    """(samples,) the whole track, with silence where nobody speaks."""
    track = np.zeros(round(seconds * RATE), np.float32)
    for start, text in lines:
        voice = speak(text)
        at = round(start * RATE)
        part = track[at : at + len(voice)]
        part += voice[: len(part)]
    return (track * 0.7 * 32767).astype(np.int16)
