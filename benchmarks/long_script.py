"""How long the Script page takes with a script of five hundred scenes.

    python -m benchmarks.long_script        # needs requirements-browser.txt and a Chromium

Three figures, each the median of several new pages: from the request to the first paint with scene cards,
to a page that can be used (a confirmed frame), and from "next scene" to the next card open. Prints a
Markdown table; the exit status is 1 when a limit is not kept.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.browsing import NoBrowser, chromium, dailies, served, table
from tests.long_script import long_script

SCENES = 500
PAINT_MS, USABLE_MS, NEXT_MS = 2000, 3000, 250
WATCH = """
window.seen = new Promise((resolve) => {
  let painted = null;
  const look = () => {
    const there = (part) => document.querySelector(part);
    if (painted === null && there('.dl-scenecard .dl-scenefold')) painted = performance.now();
    if (painted !== null && there('.dl-shown.dl-is-confirmed')) resolve([painted, performance.now()]);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
"""
NEXT = """() => new Promise((resolve) => {
  const open = () => document.querySelector('.dl-scenecard.dl-open').dataset.scene;
  const before = open();
  const begin = performance.now();
  const look = () => (open() === before ? requestAnimationFrame(look) : resolve(performance.now() - begin));
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
  look();
})"""


def measure(browser: Any, url: str, rounds: int) -> dict[str, list[float]]:
    """Milliseconds by what was waited for."""
    found: dict[str, list[float]] = {"painted": [], "usable": [], "next": []}
    for _ in range(rounds):
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(60_000)
        page.add_init_script(WATCH)
        page.goto(url)
        painted, usable = page.evaluate("() => window.seen")
        found["painted"].append(float(painted))
        found["usable"].append(float(usable))
        found["next"].append(float(page.evaluate(NEXT)))
        page.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scenes", type=int, default=SCENES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        video = long_script(Path(folder), options.scenes)
        try:
            with chromium() as browser, served(dailies(Path(folder) / "workspace"), "/api/me") as url:
                measure(browser, f"{url}/script?video={video.id}", 1)  # the first starts the server's caches
                found = measure(browser, f"{url}/script?video={video.id}", options.rounds)
        except NoBrowser as error:
            print(error, file=sys.stderr)
            return 2
    return _report(found, options.scenes)


def _report(found: dict[str, list[float]], scenes: int) -> int:
    rows = (
        ("first paint with scene cards", "painted", PAINT_MS),
        ("page usable", "usable", USABLE_MS),
        ("next scene open", "next", NEXT_MS),
    )
    cells, kept = [], True
    for what, name, limit in rows:
        values = found[name]
        middle = statistics.median(values)
        kept = kept and middle <= limit
        about = f"median of {len(values)}, {min(values):.0f} to {max(values):.0f}"
        verdict = "yes" if middle <= limit else "**no**"
        cells.append([f"{what}, {scenes} scenes", f"{middle:.0f} ms", f"at most {limit}", verdict, about])
    print(table(["what", "found", "limit", "kept", "about"], cells))
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
