"""How long a person waits on the pages: to the confirmed frame, to "Saved", to a page that can be used.

    python -m benchmarks.page_speed         # needs requirements-browser.txt and a Chromium

The film has sixty shots; the pipeline with the embedded baseline writes its script, captions and
questions. Four figures, each with its input and its limit:

* a click on a thumbnail to the confirmed frame, beside the way of a plain Gradio app (`gr.Gallery` ->
  Python -> `gr.Video(playback_position=...)`) with the same film and the same pictures in the same browser;
* a keystroke to "Saved";
* a page with sixty scenes, five captions and its questions in a new tab of a browser that has shown it
  before: from the request to the moment that it is drawn and answers keys, and to the confirmed frame, with
  the requests and bytes that it takes;
* the link from one page to the other, to its confirmed frame.

`--workspace FOLDER` measures the last two on that workspace (the sample) as well. Prints a Markdown table;
the exit status is 1 when a limit is not kept.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary, spread
from annotation.workspace.workspace import Workspace
from benchmarks.browsing import NoBrowser, app, chromium, dailies, served, table
from tests.backends.clips import textured, write_clip

SHOTS, SHOT_FRAMES = 60, 25
THUMBNAILS = 24
SEED = 3
CLICK_RATIO = 1 / 3
SAVED_MS = 1200
DRAWN_MS = 300
CHANGE_MS = 120
LONG_CHANGE_MS = 200  # of sixty scenes
PAGES = ("script", "verdicts")
VIEW = {"width": 1280, "height": 720}

CLICK_OURS = """(at) => new Promise((resolve) => {
  const cell = document.querySelectorAll('.dl-lane-frames [data-f]')[at];
  const words = '#' + Number(cell.dataset.f).toLocaleString('en');
  const begin = performance.now();
  const look = () => {
    const there = document.querySelector('.dl-shown.dl-is-confirmed') && document.querySelector('.dl-frameline b').textContent === words;
    if (there) resolve(performance.now() - begin);
    else requestAnimationFrame(look);
  };
  cell.click();
  look();
})"""  # noqa: E501
CLICK_GALLERY = """([at, from, to]) => new Promise((resolve) => {
  const video = document.querySelector('#film video');
  const begin = performance.now();
  const late = setTimeout(() => resolve(null), 15000);
  const shown = (_now, { mediaTime }) => {
    if (mediaTime >= from && mediaTime < to) { clearTimeout(late); resolve(performance.now() - begin); }
    else video.requestVideoFrameCallback(shown);
  };
  video.requestVideoFrameCallback(shown);
  document.querySelectorAll('#frames button.thumbnail-item')[at].click();
})"""
SAVED = """() => {
  const area = document.activeElement;
  const status = area.closest('.dl-editor').querySelector('.dl-saved');
  window.saved = new Promise((resolve) => {
    let begin = null;
    area.addEventListener('input', () => { begin = performance.now(); }, { once: true });
    new MutationObserver((_, watch) => {
      if (begin === null || !status.classList.contains('dl-saved-saved')) return;
      watch.disconnect();
      resolve(performance.now() - begin);
    }).observe(status, { attributes: true, attributeFilter: ['class'] });
  });
}"""
USABLE = """
window.usable = new Promise((resolve) => {
  let drawn = 0;
  const look = () => {
    if (!drawn && document.querySelector('.dl-root[data-ready]')) drawn = performance.now();
    if (drawn && document.querySelector('.dl-shown.dl-is-confirmed')) resolve([drawn, performance.now()]);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
"""
CHANGE = """(name) => new Promise((resolve) => {
  const begin = performance.now();
  const look = () => {
    const drawn = document.querySelector(`.dl-root[data-ready][data-page=${name.toLowerCase()}]`);
    if (drawn?.querySelector('.dl-shown.dl-is-confirmed')) resolve(performance.now() - begin);
    else requestAnimationFrame(look);
  };
  [...document.querySelectorAll('nav[aria-label=Pages] a')].find((link) => link.textContent === name).click();
  look();
})"""
LOADED = """() => {
  const all = performance.getEntriesByType('resource');
  const files = all.filter((entry) => /\\.(js|css)$/.test(entry.name.split('?')[0]));
  return [all.length, Math.round(files.reduce((sum, entry) => sum + entry.decodedBodySize, 0) / 1000)];
}"""

PEER = """
import json, sys
import gradio as gr
film, folder, port, times = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
pictures = [f"{folder}/{n}.jpg" for n in range(len(times))]

def pick(event: gr.SelectData):
    return gr.Video(playback_position=times[event.index])

with gr.Blocks(analytics_enabled=False) as demo:
    video = gr.Video(film, elem_id="film")
    gallery = gr.Gallery(pictures, elem_id="frames", columns=12, allow_preview=False)
    gallery.select(pick, None, video)
demo.launch(server_name="127.0.0.1", server_port=port, quiet=True, footer_links=[], allowed_paths=[folder])
"""
"""What a plain Gradio app does: the gallery tells Python, and Python moves the video."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a page loads."""

    requests: int
    kilobytes: int
    """Of scripts and styles, unpacked."""


@dataclass(frozen=True, slots=True)
class Film:
    """The film in a workspace, with what the baseline wrote of it."""

    workspace: Path
    path: Path
    video: str
    pictures: Path
    """Folder of the thumbnails `0.jpg`, `1.jpg` ... of `frames`."""
    frames: tuple[int, ...]
    pts_s: tuple[float, ...]
    """Times of all frames, then the end of the last one."""
    made: str
    """Scenes, captions and questions in words."""

    def interval(self, index: int) -> tuple[float, float]:
        return self.pts_s[index] - 1e-4, self.pts_s[index + 1] - 1e-4


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    value: float
    unit: str
    limit: float
    about: str

    @property
    def kept(self) -> bool:
        return self.value <= self.limit

    def cells(self) -> list[str]:
        limit = f"at most {self.limit:.4g}"
        value = f"{self.value:.2f}" if self.value < 10 and self.unit == "ratio" else f"{self.value:.0f}"
        return [self.what, f"{value} {self.unit}", limit, "yes" if self.kept else "**no**", self.about]


def make_film(folder: Path, shots: int = SHOTS) -> Film:
    """Shots of one second each, with everything that the pipeline writes of them."""
    path = folder / "shots.mp4"
    pictures = (
        textured(100 + i // SHOT_FRAMES, 70 + (i // SHOT_FRAMES * 37) % 110, 480, 288)
        for i in range(shots * SHOT_FRAMES)
    )
    write_clip(path, pictures)
    workspace = folder / "workspace"
    said = app("run", str(path), "--speech", "none", "--workspace", str(workspace), "--json")
    [done] = json.loads(said)
    made = f"{done['scenes']} scenes, {done['captions']['vdc']} captions, {done['questions']} questions"
    return _with_thumbnails(workspace, path, done["video"], folder / "thumbnails", made)


def _with_thumbnails(workspace: Path, path: Path, video_id: str, folder: Path, made: str) -> Film:
    folder.mkdir()
    space = Workspace(workspace)
    media = MediaLibrary(space.media)
    try:
        video = space.store.get(Video, video_id)
        times = media.table(video)
        frames = spread(len(times.pts), THUMBNAILS)
        for at, file in enumerate(media.thumbnails(video, frames)):
            (folder / f"{at}.jpg").write_bytes(file.read_bytes())
        seconds = (*map(float, times.seconds), float(times.end_s))
    finally:
        media.close()
        space.close()
    return Film(workspace, path, video_id, folder, frames, seconds, made)


def order(count: int, rounds: int) -> list[int]:
    """Which thumbnail is clicked when, never one twice in a row."""
    dice, found = random.Random(SEED), [0]
    while len(found) < rounds + 1:
        found.append(dice.choice([n for n in range(count) if n != found[-1]]))
    return found[1:]


def clicks(browser: Any, url: str, film: Film, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds from the click on a thumbnail to its frame, here and in the plain Gradio app.

    By turns, so that other work on the machine disturbs both alike. Clicks there that showed another frame
    are left out.
    """
    times = [(film.pts_s[i] + film.pts_s[i + 1]) / 2 for i in film.frames]
    command = [sys.executable, "-c", PEER, str(film.path), str(film.pictures), "{port}", json.dumps(times)]
    with served(command) as peer:
        ours, theirs = _player_page(browser, url, film), _gallery_page(browser, peer, len(times))
        cells = ours.locator(".dl-lane-frames [data-f]").count()
        found, others = [], []
        for cell, at in zip(order(cells, rounds), order(len(times), rounds), strict=True):
            ours.bring_to_front()
            found.append(float(ours.evaluate(CLICK_OURS, cell)))
            theirs.bring_to_front()
            others.append(theirs.evaluate(CLICK_GALLERY, [at, *film.interval(film.frames[at])]))
        ours.close()
        theirs.close()
    if not any(others):
        raise RuntimeError("no click on the gallery showed its frame: its parts have other names now")
    return found, [ms for ms in others if ms is not None]


def _player_page(browser: Any, url: str, film: Film) -> Any:
    page = _page(browser)
    page.goto(f"{url}/script?video={film.video}")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    return page


def _gallery_page(browser: Any, url: str, thumbnails: int) -> Any:
    page = _page(browser)
    page.goto(url)
    page.wait_for_function("() => document.querySelector('#film video')?.readyState >= 2")
    page.wait_for_function(
        f"() => document.querySelectorAll('#frames button.thumbnail-item').length === {thumbnails}"
    )
    return page


def our_clicks(browser: Any, url: str, film: Film, rounds: int) -> list[float]:
    """Milliseconds from the click on a thumbnail of the frames lane to the confirmed frame."""
    page = _player_page(browser, url, film)
    cells = page.locator(".dl-lane-frames [data-f]").count()
    found = [float(page.evaluate(CLICK_OURS, at)) for at in order(cells, rounds)]
    page.close()
    return found


def keystrokes(browser: Any, url: str, film: Film, rounds: int) -> list[float]:
    """Milliseconds from a typed letter in the detailed caption to "Saved"."""
    page = _page(browser)
    page.goto(f"{url}/script?video={film.video}&tab=detailed")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    page.locator(".dl-editor textarea").first.focus()
    found = []
    for _ in range(rounds):
        page.evaluate(SAVED)
        page.keyboard.type("x")
        found.append(float(page.evaluate("() => window.saved")))
    page.close()
    return found


def usable(browser: Any, url: str, path: str, rounds: int) -> tuple[list[float], list[float], Load]:
    """Milliseconds from the request to a drawn page that answers keys, and to its confirmed frame, in a new
    tab each time; and what the last of them loaded before. The first fills the browser's cache and does not
    count.
    """
    context = browser.new_context(viewport=VIEW)
    drawn, confirmed = [], []
    for _ in range(rounds + 1):
        page = context.new_page()
        page.add_init_script(USABLE)
        page.goto(url + path)
        times = page.evaluate("() => window.usable")
        drawn.append(float(times[0]))
        confirmed.append(float(times[1]))
        load = Load(*page.evaluate(LOADED))
        page.close()
    context.close()
    return drawn[1:], confirmed[1:], load


def changes(browser: Any, url: str, video: str, rounds: int) -> list[float]:
    """Milliseconds from the click on a link to the other page, by turns, to its confirmed frame."""
    page = _page(browser)
    page.goto(f"{url}/{PAGES[0]}?video={video}")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    names = [PAGES[(n + 1) % len(PAGES)].capitalize() for n in range(rounds * len(PAGES))]
    found = []
    for name in names:
        page.wait_for_timeout(200)  # what the page before asked for is here
        found.append(float(page.evaluate(CHANGE, name)))
    page.close()
    return found[len(PAGES) :]


def _page(browser: Any) -> Any:
    page = browser.new_page(viewport=VIEW)
    page.set_default_timeout(60_000)
    return page


def measure(browser: Any, film: Film, rounds: int) -> list[Row]:
    with served(dailies(film.workspace), "/api/me") as url:
        ours, gallery = clicks(browser, url, film, rounds)
        saved = keystrokes(browser, url, film, max(3, rounds // 2))
        found = pages(browser, url, film.video, film.made, rounds, LONG_CHANGE_MS)
    middle: Callable[[Sequence[float]], float] = statistics.median
    return [
        Row("click on a thumbnail to the confirmed frame", middle(ours), "ms", float("inf"), _spread(ours)),
        Row(
            "the same with gr.Gallery, Python and gr.Video",
            middle(gallery),
            "ms",
            float("inf"),
            f"{_spread(gallery)}, {len(gallery)} of {rounds} showed their frame",
        ),
        Row(
            "the first as a part of the second",
            middle(ours) / middle(gallery),
            "ratio",
            CLICK_RATIO,
            "medians",
        ),
        Row('keystroke to "Saved"', max(saved), "ms", SAVED_MS, f"the longest of {len(saved)}"),
        *found,
    ]


def pages(browser: Any, url: str, video: str, about: str, rounds: int, change: float) -> list[Row]:
    """Of the pages of one video, opened and changed."""
    found = []
    for name in PAGES:
        drawn, confirmed, load = usable(browser, url, f"/{name}?video={video}", max(3, rounds // 2))
        size = f"{load.requests} requests, {load.kilobytes} kB of scripts and styles"
        words = f"{name.capitalize()} in a new tab"
        found += [
            Row(
                f"{words}, drawn",
                statistics.median(drawn),
                "ms",
                DRAWN_MS,
                f"{about}; {_spread(drawn)}; {size}",
            ),
            Row(
                f"{words}, its frame confirmed",
                statistics.median(confirmed),
                "ms",
                float("inf"),
                _spread(confirmed),
            ),
        ]
    changed = changes(browser, url, video, max(4, rounds))
    return [
        *found,
        Row("Script to Verdicts and back", statistics.median(changed), "ms", change, _spread(changed)),
    ]


def pages_of(browser: Any, workspace: Path, rounds: int) -> list[Row]:
    """As `pages`, of the first video of a workspace."""
    space = Workspace(workspace)
    [video, *_] = space.store.find(Video, order_by=["created_at"])
    space.close()
    with served(dailies(workspace), "/api/me") as url:
        return pages(browser, url, video.id, workspace.name, rounds, CHANGE_MS)


def _spread(values: Sequence[float]) -> str:
    return f"median of {len(values)}, {min(values):.0f} to {max(values):.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="clicks on either side")
    parser.add_argument("--workspace", type=Path, help="of the sample, say: pages are measured on it too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            with chromium() as browser:
                rows = measure(browser, make_film(Path(folder)), options.rounds)
                if options.workspace:
                    rows += pages_of(browser, options.workspace, options.rounds)
        except NoBrowser as error:
            print(error, file=sys.stderr)
            return 2
    cells = [row.cells() for row in rows]
    for line in cells:
        line[2:4] = ["", ""] if "inf" in line[2] else line[2:4]
    print(table(["what", "found", "limit", "kept", "about"], cells))
    return int(not all(row.kept for row in rows))


if __name__ == "__main__":
    sys.exit(main())
