"""Every video plays in Chromium, from its file or from a copy, and a seek shows the frame that it names."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from annotation.records.videos import Video
from annotation.workspace.workspace import Workspace
from tests.app_process import run_app
from tests.backends.clips import number_of, numbered, real_videos, write_clip
from tests.browser.conftest import Server, expect, once, open_page, serve

COUNT = 60
UNEVEN = np.cumsum([2, 3, 11, 4] * (COUNT // 4)).tolist()
WIDTH, HEIGHT = 320, 192
UNREADABLE = {"odd_empty", "odd_text", "odd_no_moov", "odd_truncated_60pct", "odd_audio_only", "jfk"}
DAMAGED = {"odd_corrupt_bytes", "odd_truncated_faststart"}
REAL = real_videos()

FAST = {"movflags": "faststart"}

GRAB = """([width, height]) => {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  context.drawImage(document.querySelector('.dl-screen video'), 0, 0, width, height);
  return [...context.getImageData(0, 0, width, height).data];
}"""
"""The picture that the video element shows, as RGBA."""

DIFFERENCE = """async (url) => {
  const image = Object.assign(new Image(), { src: url });
  await image.decode();
  const [shown, wanted] = [document.querySelector('.dl-screen video'), image].map((source) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 36 });
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(source, 0, 0, 64, 36);
    return context.getImageData(0, 0, 64, 36).data;
  });
  return shown.reduce((sum, value, at) => sum + Math.abs(value - wanted[at]), 0) / shown.length;
}"""
"""Mean difference between the video on screen and a picture of a frame, 0 to 255."""


def confirmed(page, index: int) -> None:
    """Wait until the player says that this very frame is on screen."""
    page.wait_for_function(
        """(words) => document.querySelector('.dl-frameline b')?.textContent === words
                      && document.querySelector('.dl-shown.dl-is-confirmed')""",
        arg=f"#{index:,}",
    )


def shown_number(page) -> int:
    data = np.array(page.evaluate(GRAB, [WIDTH, HEIGHT]), np.uint8).reshape(HEIGHT, WIDTH, 4)
    return number_of(data[:, :, :3])


def added(server: Server, file: Path, stages: str) -> str:
    """The id of the video after these stages."""
    done = server.command("run", str(file), "--stages", stages, "--speech", "none")
    assert done.returncode == 0, done.stderr
    space = Workspace(server.workspace)
    try:
        return space.store.find(Video, title=file.stem)[0].id
    finally:
        space.close()


def numbered_hevc(folder: Path) -> Path:
    pictures = [numbered(i, WIDTH, HEIGHT) for i in range(COUNT)]
    return write_clip(
        folder / "numbers.mp4", pictures, codec="libx265", pts=UNEVEN, time_base=Fraction(1, 100)
    )


def test_a_copy_made_from_the_page_shows_the_right_frames(empty_server: Server, page, tmp_path: Path) -> None:
    video = added(empty_server, numbered_hevc(tmp_path), "scenes")
    url = f"{empty_server.url}/script?video={video}"
    open_page(page, f"{url}&frame=7")
    note = page.locator(".dl-copynote")
    assert note.inner_text().startswith("Browsers do not show hevc video. Frames are shown as pictures.")
    page.wait_for_selector(f".dl-still[src='/media/{video}/preview/7.jpg']:not([hidden])")
    assert page.get_by_role("button", name="Play", exact=True).is_disabled()

    note.get_by_role("button", name="Make a playable copy").press("Enter")
    note.wait_for(state="detached", timeout=60_000)
    confirmed(page, 7)
    assert shown_number(page) == 7
    assert page.locator(".dl-still").is_hidden()
    assert page.get_by_role("button", name="Play", exact=True).is_enabled()

    for index in random.Random(5).sample(range(COUNT), 10):
        open_page(page, f"{url}&frame={index}")
        confirmed(page, index)
        assert shown_number(page) == index
    assert page.locator(".dl-copynote").count() == 0
    for key, by in ((".", 1), (".", 2), (",", 1), (",", 0), (",", -1)):
        page.keyboard.press(key)
        confirmed(page, index + by)
        assert shown_number(page) == index + by


def test_a_copy_can_be_stopped_and_the_note_says_so(empty_server: Server, page, tmp_path: Path) -> None:
    pictures = (numbered(i % COUNT, 1280, 768) for i in range(150))
    video = added(empty_server, write_clip(tmp_path / "long.avi", pictures, codec="mpeg4"), "scenes")
    open_page(page, f"{empty_server.url}/script?video={video}")
    page.get_by_role("button", name="Make a playable copy").click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Try again").wait_for()
    expect(page.locator(".dl-copynote")).to_contain_text("No copy: stopped", use_inner_text=True)
    assert not list((empty_server.workspace / "media" / video).glob("*playable*"))


def cut_off(folder: Path) -> Path:
    """A file that Chromium opens, and gives up in the middle of."""
    whole = write_clip(folder / "whole.mp4", [numbered(i, WIDTH, HEIGHT) for i in range(COUNT)], muxer=FAST)
    cut = folder / "cut.mp4"
    cut.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * 0.7)])
    return cut


def test_a_damaged_file_says_so_and_its_copy_plays_to_the_end(
    empty_server: Server, page, tmp_path: Path
) -> None:
    video = added(empty_server, cut_off(tmp_path), "scenes")
    open_page(page, f"{empty_server.url}/script?video={video}")
    confirmed(page, 0)
    page.keyboard.press("End")
    note = page.locator(".dl-copynote")
    offer = note.get_by_role("button", name="Make a playable copy")
    offer.wait_for()
    assert note.inner_text().startswith("This browser stopped: the file is damaged.")
    offer.click()
    note.wait_for(state="detached", timeout=60_000)
    last = int(page.locator(".dl-frameline b").inner_text().removeprefix("#"))
    confirmed(page, last)
    assert 20 < last < COUNT - 1 and shown_number(page) == last


# --- the real set ---------------------------------------------------------------------


def probe_all(folder: Path) -> None:
    """A workspace with every real file, and what the command line said."""
    done = run_app("run", *map(str, REAL), "--stages", "probe", "--workspace", str(folder / "workspace"))
    (folder / "said.txt").write_text(done.stderr)


@pytest.fixture(scope="module")
def all_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str, dict[str, Video]]]:
    """A server with every real file: what the command line said, and the videos by their titles."""
    if not REAL:
        pytest.skip("the real videos are not beside this checkout")
    made = once(tmp_path_factory, "real", probe_all)
    workspace = tmp_path_factory.mktemp("real") / "workspace"
    shutil.copytree(made / "workspace", workspace)
    space = Workspace(workspace)
    videos = {video.title: video for video in space.store.find(Video)}
    space.close()
    for server in serve(workspace):
        yield server, (made / "said.txt").read_text(), videos


@pytest.mark.skipif(not REAL, reason="the real videos are not beside this checkout")
def test_files_that_are_no_videos_say_why(all_files: tuple[Server, str, dict[str, Video]]) -> None:
    _, said, videos = all_files
    assert UNREADABLE.isdisjoint(videos) and len(videos) == len(REAL) - len(UNREADABLE)
    for name in UNREADABLE:
        line = next(line for line in said.splitlines() if f"error: {name}." in line)
        assert len(line.split(": ", 2)[2]) > 20, line


@pytest.mark.parametrize(
    "file", [f for f in REAL if f.stem not in UNREADABLE] or [None], ids=lambda f: f and f.name
)
def test_every_real_video_plays(
    file: Path | None, all_files: tuple[Server, str, dict[str, Video]], page
) -> None:
    assert file is not None
    server, _, videos = all_files
    video = videos[file.stem]
    assert video.facts is not None
    last = video.facts.frames - 1
    index = random.Random(file.name).randrange(last + 1)
    open_page(page, f"{server.url}/script?video={video.id}&frame={index}")
    assert page.locator(".dl-copynote").count() == 0
    confirmed(page, index)
    shows(page, server, video, index, file)
    for key, end in (("End", last), ("Home", 0)):
        page.keyboard.press(key)
        confirmed(page, end)
        shows(page, server, video, end, file)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function(
        "() => { const v = document.querySelector('video'); return v.ended || v.currentTime > 0.4; }"
    )


def shows(page, server: Server, video: Video, index: int, file: Path) -> None:
    """The element shows the frame that the reader gives for this index."""
    assert page.evaluate("() => document.querySelector('.dl-screen video').videoWidth") > 0
    assert page.locator(".dl-still").is_hidden()
    if file.stem not in DAMAGED:
        url = f"{server.url}/media/{video.id}/preview/{index}.jpg"
        assert page.evaluate(DIFFERENCE, url) < 6, index


@pytest.mark.expect_console("404")
def test_a_video_that_breaks_on_the_screen_is_shown_as_pictures(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?frame=40")
    expect(page.locator(".dl-shown.dl-is-confirmed")).to_be_visible()
    page.evaluate("() => { document.querySelector('.dl-player video').src = '/media/vid-none/file'; }")
    expect(page.locator(".dl-still")).to_be_visible()
    expect(page.locator(".dl-shown.dl-is-picture")).to_be_visible()
    expect(page.locator(".dl-frameline b").first).to_have_text("#40")
