"""An action clip: captioned, judged, its keyframes put right beside other rows, and taken away as files."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

from backends.protocols import Picture
from exports.progress_captioner.contact_sheet import NOTE, WIDTH
from tests.backends.clips import write_clip
from tests.browser.conftest import Server, expect, open_page

SECONDS = (2, 3, 1, 4)
"""How long each stage of the action lasts."""


def tank(stage: int) -> Picture:
    """A tank that is filled by a quarter per stage."""
    picture: Picture = np.full((180, 320, 3), 40, np.uint8)
    picture[180 - 45 * stage :, :] = (80, 160, 230)
    picture[20:60, 20 + 60 * stage : 60 + 60 * stage] = (230, 120, 60)
    return picture


def test_an_action_clip_becomes_keyframes_with_reasons_and_a_contact_sheet(
    empty_server: Server, page, tmp_path: Path
) -> None:
    server = empty_server
    clip = write_clip(tmp_path / "tank.mp4", [tank(s) for s, n in enumerate(SECONDS) for _ in range(25 * n)])
    done = server.command("run", str(clip), "--stages", "frames,keyframes", "--speech", "none")
    assert done.returncode == 0, done.stderr
    video = page.request.get(f"{server.url}/api/library").json()["videos"][0]["id"]

    def data():
        return page.request.get(f"{server.url}/api/keyframes/{video}?player=false").json()

    def row(name: str):
        return page.locator(f".dl-kf-row[data-name='{name}']")

    open_page(page, f"{server.url}/keyframes?video={video}")
    first = data()
    kept = first["rows"][0]["frames"]
    candidates = [frame["index"] for frame in first["frames"]]
    starts = [25 * sum(SECONDS[:n]) for n in range(len(SECONDS))]
    assert kept == [min(i for i in candidates if i >= start) for start in starts], "the first of each stage"
    second = candidates.index(kept[1])
    expect(row("progression")).to_contain_text(" neighbouring pairs show progress")
    expect(row("progression").locator(".dl-kf-lit")).to_have_count(6)
    page.keyboard.press("s")  # from the fixed size to progression's own
    for name in ("progression", "uniform", "clusters"):
        expect(row(name).locator(".dl-kf-lit")).to_have_count(len(kept))

    # Why, without a mouse: the gap before the second kept frame, and the line of every row.
    page.locator(f"[data-gap='{kept[1]}']").focus()
    expect(page.locator(".dl-kf-pop")).to_contain_text("A: action progression")
    expect(page.locator(".dl-kf-pop")).to_contain_text(
        f"the action has progressed since #{candidates[second - 1]}"
    )

    # Naming the action makes everything stale; one action makes it anew, and the old stays in the store.
    page.keyboard.press("a")
    page.keyboard.type("filling a tank")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-kf-stale")).to_contain_text(f"{len(first['frames'])} captions")
    page.locator("[data-name=again]").click()
    expect(page.locator(".dl-kf-stale")).to_have_count(0, timeout=90_000)
    expect(page.locator(".dl-kf-captions")).to_contain_text("filling a tank")

    # A corrected caption makes its verdicts stale; they are judged again in place.
    page.locator(f".dl-kf-frame[data-index='{kept[1]}']").click()
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("The tank is a quarter full.")
    expect(page.locator(".dl-editor .dl-saved-saved")).to_be_visible()
    expect(page.locator(".dl-kf-stale")).to_contain_text("2 verdicts stale")
    page.locator("[data-name=again]").click()
    expect(page.locator(".dl-kf-stale")).to_have_count(0, timeout=90_000)
    expect(page.locator(".dl-kf-captions")).to_contain_text("The tank is a quarter full.")

    # A person overrules the judge: the row follows, and the judge's own stays beside it.
    page.locator(f".dl-kf-frame[data-index='{candidates[second + 1]}']").click()
    page.keyboard.press("1")
    expect(row("progression").locator(".dl-kf-lit")).to_have_count(len(kept) + 1)
    expect(row("as judged").locator(".dl-kf-lit")).to_have_count(len(kept))
    expect(page.locator(".dl-kf-why")).to_contain_text("the judge said no")

    # One's own row, by keys.
    for index in (kept[0], kept[2]):
        page.locator(f".dl-kf-frame[data-index='{index}']").click()
        page.keyboard.press("x")
    expect(row("progression").locator(".dl-kf-agree")).to_have_text("F1 0.57")

    page.keyboard.press("Shift+e")
    with page.expect_download() as got:
        page.locator("[data-name=export-sheet]").click()
    sheet = Image.open(got.value.path())
    boxes = [tile["box"] for tile in json.loads(sheet.text[NOTE])["tiles"]]
    assert sheet.format == "PNG" and sheet.width == WIDTH and len(boxes) == len(kept) + 1
    colours = [sheet.convert("RGB").getpixel((x + w // 2, y + 2)) for x, y, w, _ in boxes]
    assert all(max(colour) < 100 for colour in colours), "the dark top of every picture"
    page.locator(".dl-modal select").select_option(label="your row · 2 frames")
    with page.expect_download() as got:
        page.locator("[data-name=export-pictures]").click()
    names = zipfile.ZipFile(io.BytesIO(Path(got.value.path()).read_bytes())).namelist()
    assert sum(name.endswith(".jpg") for name in names) == 2 and any("captions.txt" in name for name in names)
