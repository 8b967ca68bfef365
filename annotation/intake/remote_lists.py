"""Lists of URLs and of paths, and the videos of datasets that they are the files of."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from annotation.intake.add_video import add_video
from annotation.intake.attach_videos import Attached, attach_files
from annotation.intake.films_by_second import by_second, film_from_clip
from annotation.intake.match_files import match
from annotation.intake.remote_videos import Progress, fetched, naming, registered, urls_in
from annotation.intake.video_files import video_files
from annotation.intake.waiting_videos import names_of_waiting
from annotation.records.videos import Video
from annotation.store.import_log import ImportLog
from annotation.workspace.workspace import Workspace
from backends.errors import MediaError, UsageError
from backends.remote.url_rules import RemoteUrl
from backends.text.file_encoding import read_text

LONGEST_LIST = 1 << 26
"""Bytes."""
Tell = Callable[[str, int, int], None]


def read_list(file: Path) -> list[str]:
    """The lines of a list: a URL or a path, or `name<tab>` before it; # begins a comment.

    Raises UsageError for a file that cannot be read.
    """
    try:
        if file.stat().st_size > LONGEST_LIST:
            raise UsageError(f"{file}: too large for a list; give a text file, one URL or path a line")
        lines = read_text(file).splitlines()
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file}: cannot be read; give a text file, one URL or path a line") from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def attach_place(workspace: Workspace, text: str, tell: Tell, log: ImportLog | None = None) -> Attached:
    """As `attach_list`, for one URL, of a file or of a folder in a store. Raises as `urls_in`."""
    urls = {_here(url): url for url in urls_in(workspace, text)}
    return _attach_all(workspace, urls, Attached(), tell, log)


def attach_list(workspace: Workspace, file: Path, tell: Tell, log: ImportLog | None = None) -> Attached:
    """As `attach_folder`, of the URLs, files and folders that a text file names, each called as it says.

    Paths are those from the list's folder. Only URLs that fit a video without a file are fetched.
    `tell` receives (name, bytes done, bytes in all) and may raise Stopped.
    """
    lines = read_list(file)
    found = Attached()
    named = _named_paths([line for line in lines if "://" not in line], file.absolute().parent, found)
    if named:
        here = attach_files(workspace.store, workspace.media, list(named), named=named, log=log)
        found.attached, found.rest = here.attached, here.rest
        found.problems += here.problems
        found.same += here.same
    urls = _named_urls(workspace, [line for line in lines if "://" in line], found)
    return _attach_all(workspace, urls, found, tell, log)


def _named_paths(lines: list[str], base: Path, found: Attached) -> dict[Path, Path]:
    """Where each lies, by its own path, or by one with the name that the list gives it."""
    named: dict[Path, Path] = {}
    for line in lines:
        name, _, text = line.rpartition("\t")
        name = re.sub(r"[/\\]", "_", name.strip())
        try:
            path = base / Path(text).expanduser()
            files = video_files(path)
            here = {one: one for one in files}
            if name and not path.is_dir():
                here = {path.with_name(name): path}
        except MediaError as error:
            found.problems.append((text, str(error).removeprefix(f"{path}: ")))
            continue
        except (OSError, RuntimeError, ValueError) as error:  # no such user, too long, no name
            found.problems.append(
                (text[:200], f"cannot be read ({getattr(error, 'strerror', None) or error})")
            )
            continue
        for called, place in here.items():
            if named.setdefault(called, place) != place:
                what = f"{called.name} is {named[called]} already in this list; this one is not taken"
                found.problems.append((text, what))
    return named


def _attach_all(
    workspace: Workspace, urls: dict[Path, RemoteUrl], found: Attached, tell: Tell, log: ImportLog | None
) -> Attached:
    store = workspace.store
    waiting = {video.id: video for video in store.find(Video, path=None)}
    matched = match(names_of_waiting(store, waiting.values()), waiting, urls)
    found.rest += matched.rest
    found.problems += matched.problems
    for video_id, name in matched.chosen.items():
        url = urls[name]
        try:
            with log.watching_file(store, video_id) if log else nullcontext():
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
    if by_second(video):
        with naming(workspace, url, found.path):
            film = film_from_clip(video, workspace.media, found.path)
        return add_video(workspace.store, workspace.media, film, waiting=video).title
    made = registered(workspace, url, found, waiting=video)
    if made.id != video.id:
        raise MediaError(f"{url.shown}: the same file as {made.title!r}, which has it already; join the two")
    return made.title


def _here(url: RemoteUrl, name: str = "") -> Path:
    """What a URL is found by: two files of one name in two folders stay two."""
    return Path(url.key) / (re.sub(r"[/\\]", "_", name) or url.name)
