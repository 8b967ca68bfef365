"""Lists of URLs, and the videos of datasets that they are the files of."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from annotation.pipeline.attach_videos import Attached, by_name
from annotation.records.videos import Video
from annotation.stages.remote_videos import Progress, fetched, naming, registered, urls_in
from annotation.stages.video_stages import add_video
from annotation.systems.progress_captioner import films_by_second
from annotation.workspace.workspace import Workspace
from backends.errors import MediaError, UsageError
from backends.remote.urls import RemoteUrl

LONGEST_LIST = 1 << 26
"""Bytes."""
Tell = Callable[[str, int, int], None]


def read_list(file: Path) -> list[str]:
    """The lines of a list of URLs: `URL`, or `name<tab>URL`; # begins a comment.

    Raises UsageError for a file that cannot be read.
    """
    try:
        if file.stat().st_size > LONGEST_LIST:
            raise UsageError(f"{file}: too large for a list of URLs; give a text file, one URL a line")
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file}: cannot be read; give a text file, one URL a line") from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def attach_place(workspace: Workspace, text: str, tell: Tell) -> Attached:
    """As `attach_urls`, for one URL, of a file or of a folder in a store. Raises as `urls_in`."""
    return _attach_all(workspace, {_here(url): url for url in urls_in(workspace, text)}, Attached(), tell)


def attach_urls(workspace: Workspace, lines: list[str], tell: Tell) -> Attached:
    """As `attach_folder`, with URLs for files: only those that fit a video without a file are fetched.

    `tell` receives (name, bytes done, bytes in all) and may raise Stopped.
    """
    found = Attached()
    return _attach_all(workspace, _named_urls(workspace, lines, found), found, tell)


def _attach_all(workspace: Workspace, urls: dict[Path, RemoteUrl], found: Attached, tell: Tell) -> Attached:
    store = workspace.store
    waiting = {video.id: video for video in store.find(Video, path=None)}
    for video_id, name in by_name(store, waiting, list(urls), found).items():
        url = urls[name]
        try:
            title = _attach(workspace, waiting[video_id], url, lambda *far, of=name.name: tell(of, *far))
            found.attached.append(title)
        except (MediaError, UsageError) as error:
            found.problems.append((url.shown, str(error).removeprefix(f"{url.shown}: ")))
    found.missing = [video.title for video in store.find(Video, path=None, order_by=["title"])]
    return found


def _named_urls(workspace: Workspace, lines: list[str], found: Attached) -> dict[Path, RemoteUrl]:
    urls: dict[Path, RemoteUrl] = {}
    for number, line in enumerate(lines, 1):
        name, _, text = line.rpartition("\t")
        try:
            for url in urls_in(workspace, text):
                urls[_here(url, name.strip())] = url
        except (MediaError, UsageError) as error:
            found.problems.append((f"line {number}", str(error)))
    return urls


def _attach(workspace: Workspace, video: Video, url: RemoteUrl, tell: Progress) -> str:
    """Title of the video that has the file now."""
    found = fetched(workspace, url, tell)
    if films_by_second.by_second(video):
        with naming(workspace, url, found.path):
            film = films_by_second.film_from_clip(video, workspace.media, found.path)
        return add_video(workspace.store, workspace.media, film, waiting=video).title
    made = registered(workspace, url, found, waiting=video)
    if made.id != video.id:
        raise MediaError(f"{url.shown}: the same file as {made.title!r}, which has it already")
    return made.title


def _here(url: RemoteUrl, name: str = "") -> Path:
    """What a URL is found by: two files of one name in two folders stay two."""
    return Path(url.key) / (re.sub(r"[/\\]", "_", name) or url.name)
