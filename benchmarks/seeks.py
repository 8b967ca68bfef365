"""Whether the frame that the player names is the frame that it shows, in Chromium.

    python -m benchmarks.seeks              # needs requirements-browser.txt and a Chromium

Five clips carry each frame's number as a barcode in its picture. Sixty random frames of each are asked for
through the player; what its line says is compared with the barcode of the picture on the screen. Beside it
the same frames are asked for by the ways of other tools, `i / fps` and `(i + 0.5) / fps`, on the same
video element. Then the player is hurried: ten quick steps, and a pause in the middle of playing. Prints
Markdown tables; the exit status is 1 when a number on the screen was wrong.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from annotation.records.videos import Video
from annotation.workspace.workspace import Workspace
from benchmarks.browsing import NoBrowser, app, chromium, dailies, served, table
from tests.backends.clips import numbered, write_clip

FRAMES = 300
WIDTH, HEIGHT = 320, 192
SEED = 11
QUICK_STEPS = 10
BARCODE_BITS = 10

READ = """
window.barcode = () => {
  const still = document.querySelector('.dl-still:not([hidden])');
  const video = document.querySelector('.dl-screen video');
  const canvas = window.barcodeCanvas ||= document.createElement('canvas');
  [canvas.width, canvas.height] = still ? [still.naturalWidth, still.naturalHeight] : [video.videoWidth, video.videoHeight];
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(still || video, 0, 0);
  const row = context.getImageData(0, Math.floor(canvas.height / 6), canvas.width, 1).data;
  let number = 0;
  for (let bit = 0; bit < BITS; bit += 1) {
    const at = 4 * Math.floor(((bit + 0.5) * canvas.width) / BITS);
    if (row[at] + row[at + 1] + row[at + 2] > 375) number += 2 ** bit;
  }
  return number;
};
window.named = () => Number(document.querySelector('.dl-frameline b').textContent.replace(/\\D/g, ''));
window.sure = () => Boolean(document.querySelector('.dl-shown.dl-is-confirmed'));
window.still = () => Boolean(document.querySelector('.dl-still:not([hidden])'));
""".replace("BITS", str(BARCODE_BITS))  # noqa: E501
"""The number in the picture on the screen, the number in the line under it, and whether it is confirmed."""

STANDING = "(wanted) => window.sure() && (wanted === null || window.named() === wanted)"
PATIENCE_MS = 60_000
STATE = """() => {
  const video = document.querySelector('.dl-screen video');
  const line = document.querySelector('.dl-frameline').innerText;
  return `${line}, at ${video.currentTime}, seeking ${video.seeking}, ready ${video.readyState}, focus ${document.activeElement.className}`;
}"""  # noqa: E501
BOTH = "() => [window.named(), window.barcode(), window.still()]"
DIRECT = """async (times) => {
  const video = document.querySelector('.dl-screen video');
  const found = [];
  for (const time of times) {
    await new Promise((resolve) => {
      const late = setTimeout(resolve, 2000);
      const shown = () => { clearTimeout(late); resolve(); };
      video.addEventListener('seeked', () => video.requestVideoFrameCallback(shown), { once: true });
      video.currentTime = time;
    });
    found.push(window.barcode());
  }
  return found;
}"""
"""What other players do: set the time, wait until it is reached and a picture has come."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A made film."""

    name: str
    path: Path
    pts_s: tuple[float, ...]
    """Times of its frames."""
    fps: float
    """The rate that the file declares; the nominal one where it varies."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the player's line said and what the picture held after one request."""

    wanted: int
    named: int
    pictured: int
    still: bool
    """Whether the player showed a picture made from the file, since the browser does not show the frame."""

    @property
    def right(self) -> bool:
        return self.wanted == self.named == self.pictured


def make_clips(folder: Path, frames: int = FRAMES) -> list[Clip]:
    """25, 29.97, 12 frames a second and a changing rate in MP4, 29.97 in WebM."""
    ntsc = Fraction(1001, 30000)
    third = frames // 3
    # Thirty a second, then twelve, then thirty again, in units of 1/600 s.
    steps = [20] * third + [50] * third + [20] * (frames - 2 * third)
    uneven = [sum(steps[:i]) for i in range(frames)]
    even = list(range(frames))
    return [
        _clip(folder / "cfr25.mp4", "25", even, Fraction(1, 25), 25),
        _clip(folder / "ntsc.mp4", "29.97", even, ntsc, float(1 / ntsc)),
        _clip(folder / "twelve.mp4", "12", even, Fraction(1, 12), 12),
        _clip(folder / "varying.mp4", "varying, 30 and 12", uneven, Fraction(1, 600), 30),
        _clip(folder / "ntsc.webm", "29.97, WebM", even, ntsc, float(1 / ntsc), codec="libvpx"),
    ]


def _clip(
    path: Path, name: str, pts: Sequence[int], base: Fraction, fps: float, codec: str = "libx264"
) -> Clip:
    pictures = (numbered(i, WIDTH, HEIGHT) for i in range(len(pts)))
    path = path.with_stem(f"{path.stem}-{path.suffix[1:]}")
    write_clip(path, pictures, pts=pts, time_base=base, codec=codec, keyint=48)
    with av.open(str(path)) as made:
        stream = made.streams.video[0]
        times = sorted(float(p.pts * stream.time_base) for p in made.demux(stream) if p.pts is not None)
    return Clip(name, path, tuple(times), fps)


def add_clips(workspace: Path, clips: Sequence[Clip]) -> dict[str, str]:
    """Clip name -> the id of its video, once they are in the workspace."""
    app("run", *(str(c.path) for c in clips), "--stages", "probe", "--workspace", str(workspace))
    space = Workspace(workspace)
    try:
        ids = {video.title: video.id for video in space.store.find(Video)}
    finally:
        space.close()
    return {clip.name: ids[clip.path.stem] for clip in clips}


def open_player(page: Any, url: str, video: str) -> None:
    """The Script page with its player standing on a confirmed frame."""
    page.goto(f"{url}/script?video={video}")
    page.wait_for_selector(".dl-shown.dl-is-confirmed", timeout=60_000)
    page.evaluate(READ)


def go(page: Any, index: int) -> None:
    """Ask for a frame by its number, as a person does, and wait until the player is sure of one."""
    page.keyboard.press("g")
    page.get_by_role("textbox", name="Go to").fill(str(index))
    page.keyboard.press("Enter")
    try:
        page.wait_for_function(STANDING, arg=index, timeout=PATIENCE_MS)
    except Exception as error:
        raise RuntimeError(f"frame {index} was not confirmed: {page.evaluate(STATE)}") from error


def through_player(page: Any, wanted: Sequence[int]) -> tuple[list[Seen], list[float]]:
    """One request after the other; what was seen, and milliseconds from the key to the confirmed frame."""
    seen, taken = [], []
    for index in wanted:
        begin = time.perf_counter()
        go(page, index)
        taken.append(1000 * (time.perf_counter() - begin))
        seen.append(Seen(index, *page.evaluate(BOTH)))
    return seen, taken


def hurried(page: Any, frames: int, rounds: int, seed: int) -> list[Seen]:
    """Ten quick steps from a random frame, without waiting for any of them."""
    seen, dice = [], random.Random(seed)
    for _ in range(rounds):
        start = dice.randrange(QUICK_STEPS, frames - QUICK_STEPS)
        go(page, start)
        key, by = dice.choice([(".", 1), (",", -1)])
        for _ in range(QUICK_STEPS):
            page.keyboard.press(key)
        end = start + by * QUICK_STEPS
        page.wait_for_function(STANDING, arg=end)
        seen.append(Seen(end, *page.evaluate(BOTH)))
    return seen


def paused(page: Any, frames: int, rounds: int, seed: int) -> list[Seen]:
    """Play from a random frame, pause at some moment: nothing is wanted but that number and picture agree."""
    seen, dice = [], random.Random(seed)
    for _ in range(rounds):
        go(page, dice.randrange(frames // 2))
        page.keyboard.press(" ")
        page.wait_for_timeout(dice.uniform(200, 700))
        page.keyboard.press(" ")
        page.wait_for_function("() => document.querySelector('.dl-screen video').paused")
        page.wait_for_timeout(300)  # a last picture may still be on its way to the screen
        named, pictured, still = page.evaluate(BOTH)
        seen.append(Seen(named, named, pictured, still))
    return seen


def draw(frames: int, count: int, seed: int) -> list[int]:
    """Random frames, the first and the last among them."""
    return [0, frames - 1, *random.Random(seed).sample(range(1, frames - 1), count - 2)]


def _row(page: Any, clip: Clip, count: int, rounds: int) -> tuple[list[str], list[str], int]:
    wanted = draw(len(clip.pts_s), count, SEED)
    seen, taken = through_player(page, wanted)
    others = {
        "i / fps": [i / clip.fps for i in wanted],
        "(i + 0.5) / fps": [(i + 0.5) / clip.fps for i in wanted],
    }
    quick = hurried(page, len(clip.pts_s), rounds, SEED)
    stops = paused(page, len(clip.pts_s), rounds, SEED)
    direct = {way: page.evaluate(DIRECT, times) for way, times in others.items()}
    hits = [sum(a == b for a, b in zip(wanted, found, strict=True)) for found in direct.values()]
    wrong = [one for one in [*seen, *quick, *stops] if not one.right]
    for one in wrong:
        print(
            f"{clip.name}: wanted {one.wanted}, named {one.named}, in the picture {one.pictured}",
            file=sys.stderr,
        )
    seeks = [clip.name, _of(seen), str(sum(one.still for one in seen)), *(f"{hit}/{count}" for hit in hits)]
    return seeks, [clip.name, _of(quick), _of(stops), f"{statistics.median(taken):.0f}"], len(wrong)


def _of(seen: Sequence[Seen]) -> str:
    return f"{sum(one.right for one in seen)}/{len(seen)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeks", type=int, default=60, help="random frames per clip")
    parser.add_argument("--rounds", type=int, default=20, help="quick steps and pauses per clip")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clips = make_clips(Path(folder))
        workspace = Path(folder) / "workspace"
        ids = add_clips(workspace, clips)
        try:
            rows = _measure(workspace, clips, ids, options.seeks, options.rounds)
        except NoBrowser as error:
            print(error, file=sys.stderr)
            return 2
    print(
        table(
            ["clip", "Dailies", "of them by a picture", "`i / fps`", "`(i + 0.5) / fps`"],
            [seeks for seeks, _, _ in rows],
        )
    )
    print()
    print(
        table(
            ["clip", f"{QUICK_STEPS} quick steps", "pause while playing", "key to confirmed frame, ms"],
            [rest for _, rest, _ in rows],
        )
    )
    return int(any(wrong for _, _, wrong in rows))


def _measure(
    workspace: Path, clips: Sequence[Clip], ids: dict[str, str], seeks: int, rounds: int
) -> list[tuple[list[str], list[str], int]]:
    rows = []
    with served(dailies(workspace), "/api/me") as url, chromium() as browser:
        for clip in clips:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            open_player(page, url, ids[clip.name])
            rows.append(_row(page, clip, seeks, rounds))
            page.close()
    return rows


if __name__ == "__main__":
    sys.exit(main())
