"""A long video: scenes proposed from keyframes, replaced in the open page when detection is through."""

from __future__ import annotations

from pathlib import Path

import av

from tests.backends.clips import textured, write_clip
from tests.browser.conftest import Server, expect, open_page
from tests.browser.drops import run_added, take
from tests.browser.test_script import CONFIRMED, wait_held, wait_open

LOOP, LOOPS = 1000, 30
KEYFRAMES, SHOT = 250, 200
SLOW_MS = 180_000


def long_clip(folder: Path) -> Path:
    """Twenty minutes of small pictures: detection takes as long as somebody needs to type a line.

    A shot begins at 150, 350, 550, 750, 950 and 1000 of every thousand frames, a keyframe at every 250.
    """
    pictures = [textured(seed, width=80, height=48) for seed in range(LOOP // SHOT + 1)]
    loop = write_clip(
        folder / "loop.mp4", (pictures[(n + 50) // SHOT] for n in range(LOOP)), keyint=KEYFRAMES, bframes=0
    )
    with av.open(str(loop)) as source, av.open(str(folder / "long.mp4"), "w") as out:
        video = source.streams.video[0]
        copy = out.add_stream_from_template(video)
        packets = [packet for packet in source.demux(video) if packet.dts is not None]
        step = packets[1].pts - packets[0].pts
        data = [(bytes(p), p.is_keyframe, p.time_base) for p in packets]
        for number in range(LOOP * LOOPS):
            content, is_keyframe, time_base = data[number % LOOP]
            packet = av.Packet(content)
            packet.stream, packet.time_base, packet.is_keyframe = copy, time_base, is_keyframe
            packet.pts = packet.dts = number * step
            out.mux(packet)
    return folder / "long.mp4"


def top_of(node) -> float:
    return float(node.evaluate("node => node.getBoundingClientRect().top"))


def test_what_is_typed_under_a_proposal_outlasts_it(empty_server: Server, page, tmp_path: Path) -> None:
    clip = long_clip(tmp_path)
    open_page(page, empty_server.url)
    page.set_input_files("input[type=file] >> nth=0", str(clip))
    take(page)
    run_added(page)
    page.locator(".dl-jobhead", has_text="long").wait_for(timeout=SLOW_MS)
    open_page(page, f"{empty_server.url}/script?frame=4100")
    note = page.locator(".dl-cutsnote")
    expect(note).to_contain_text("proposal", timeout=SLOW_MS)
    expect(note).to_contain_text("from keyframes, detection", timeout=60_000)
    wait_open(page, 17)
    page.wait_for_selector(CONFIRMED)
    title = page.get_by_role("textbox", name="title")
    title.focus()
    page.keyboard.type("Saved by itself")
    card, lane = page.locator(".dl-scenecard.dl-open"), page.locator(".dl-lane-scenes")
    proposed, before = page.locator(".dl-scenecard").count(), top_of(title)
    assert proposed == LOOP * LOOPS // KEYFRAMES and "dl-lane-proposal" in lane.get_attribute("class")
    page.evaluate("window.sameDocument = true")

    expect(note).to_be_hidden(timeout=SLOW_MS)
    page.locator(".dl-notice", has_text="replace the proposal").wait_for()
    assert page.locator(".dl-scenecard").count() > proposed
    assert "dl-lane-proposal" not in lane.get_attribute("class")
    assert page.evaluate("window.sameDocument") is True
    expect(page.locator(".dl-frameline b")).to_have_text("#4,100", use_inner_text=True)
    assert "frames #4,000 to #4,149" in card.inner_text() and abs(top_of(title) - before) < 24
    expect(title).to_be_focused(timeout=60_000)
    page.keyboard.type(", and typed on")
    expect(title).to_have_value("Saved by itself, and typed on")
    wait_held(page, "Saved by itself, and typed on")
