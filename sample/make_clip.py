"""Draws and voices `clip.mp4`, the film that Dailies opens with: `python -m sample.make_clip`.

It needs NumPy, OpenCV, PyAV with x264, and espeak-ng (Debian: `apt install espeak-ng`).
The clip is in the repository, so nobody has to run this to use it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt

from sample.film.paint import FPS, HEIGHT, WIDTH, Picture, noise, smooth
from sample.film.shots import FILM, Cue
from sample.film.voice import RATE, narration, read_lines

HERE = Path(__file__).resolve().parent
Frame = npt.NDArray[np.uint8]


def finish() -> Picture:
    """(720, 1280, 1) what every frame is multiplied by: paper grain and darker corners."""
    paper = (
        1
        + 0.035 * (noise(WIDTH, HEIGHT, (7, 7), 99, 2) - 0.5)
        + 0.03 * (noise(WIDTH, HEIGHT, (180, 180), 98) - 0.5)
    )
    x, y = np.meshgrid(np.linspace(-1, 1, WIDTH), np.linspace(-1, 1, HEIGHT))
    corners = 1 - 0.22 * smooth((x * x + 0.8 * y * y).astype(np.float32), 0.7, 1.9)
    return np.asarray(paper * corners, np.float32)[..., None]


def shot_frames(cue: Cue, paper: Picture, every: int = 1) -> Iterator[Frame]:
    """The frames of one shot, (720, 1280, 3) RGB."""
    shot = cue.make()
    for n in range(0, round(cue.seconds * FPS), every):
        t = n / FPS
        light = 1.0
        if cue.fade_out:
            light *= float(1 - smooth(t, cue.seconds - cue.fade_out, cue.seconds - 1.5 / FPS))
        if cue.fade_in:
            light *= float(smooth(t, 0.5 / FPS, cue.fade_in))
        picture = np.clip(shot.picture(t), 0, 1) * paper * light
        yield (np.clip(picture, 0, 1) * 255 + 0.5).astype(np.uint8)


def seconds() -> float:
    return sum(cue.seconds for cue in FILM)


def encode(path: Path, crf: float, audio: npt.NDArray[np.int16]) -> None:
    """Write H.264 (yuv420p, 4:2:0) and AAC with the index in front."""
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as out:
        video = out.add_stream("libx264", rate=FPS)
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        video.options = {
            "crf": str(crf),
            "preset": "slower",
            "tune": "animation",
            "x264-params": "aq-mode=3:threads=2",
        }
        cc = video.codec_context
        cc.color_range, cc.colorspace, cc.color_primaries, cc.color_trc = 1, 1, 1, 1
        sound = out.add_stream("aac", rate=RATE, layout="mono")
        sound.bit_rate = 48_000
        paper = finish()
        n = 0
        for cue in FILM:
            for picture in shot_frames(cue, paper):
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(
                    format="yuv420p", dst_colorspace=1
                )
                frame.pts, frame.time_base = n, Fraction(1, FPS)
                out.mux(video.encode(frame))
                n += 1
            print(f"{cue.name}: {n} frames", flush=True)
        out.mux(video.encode(None))
        for k in range(0, len(audio), 1024):
            part = av.AudioFrame.from_ndarray(audio[None, k : k + 1024], format="s16", layout="mono")
            part.rate, part.pts, part.time_base = RATE, k, Fraction(1, RATE)
            out.mux(sound.encode(part))
        out.mux(sound.encode(None))


def sheet(path: Path, names: list[str], columns: int = 3) -> None:
    """A contact sheet: `columns` frames of each named shot, half size."""
    paper, rows = finish(), []
    for cue in FILM:
        if names and cue.name not in names:
            continue
        step = max(1, round(cue.seconds * FPS) // columns)
        pictures = [
            cv2.resize(p, (640, 360), interpolation=cv2.INTER_AREA) for p in shot_frames(cue, paper, step)
        ]
        rows.append(np.hstack(pictures[:columns]))
    cv2.imwrite(str(path), cv2.cvtColor(np.vstack(rows), cv2.COLOR_RGB2BGR))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "clip.mp4")
    parser.add_argument("--crf", type=float, default=31, help="x264 quality; higher is smaller")
    parser.add_argument("--sheet", type=Path, help="write a contact sheet (PNG) instead of the clip")
    parser.add_argument("--shots", nargs="*", default=[], help="names of the shots for --sheet")
    chosen = parser.parse_args()
    if chosen.sheet:
        sheet(chosen.sheet, chosen.shots)
        return
    encode(chosen.out, chosen.crf, narration(read_lines(HERE / "narration.txt"), seconds()))
    print(f"{chosen.out}: {chosen.out.stat().st_size:,} bytes, {seconds():.1f} s")


if __name__ == "__main__":
    main()
