"""Attaches lists of URLs and paths to the videos of datasets."""

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
"""Maximum size in bytes."""
ListProgress = Callable[[str, int, int], None]


def read_list(file: Path) -> list[str]:
    """Return the lines of a list: a URL or a path, optionally after `name<tab>`; # starts a comment.

    Raises UsageError if the file cannot be read.
    """
    try:
        if file.stat().st_size > LONGEST_LIST:
            raise UsageError(f"{file}: too large for a list; give a text file, one URL or path a line")
        lines = read_text(file).splitlines()
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file}: cannot be read; give a text file, one URL or path a line") from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def attach_place(
    workspace: Workspace, text: str, on_progress: ListProgress, log: ImportLog | None = None
) -> Attached:
    """Same as `attach_list`, for the URL of a file or of an object store folder. Raises as `urls_in`."""
    urls = {_here(url): url for url in urls_in(workspace, text)}
    return _attach_all(workspace, urls, Attached(), on_progress, log)


def attach_list(
    workspace: Workspace, file: Path, on_progress: ListProgress, log: ImportLog | None = None
) -> Attached:
    """Same as `attach_folder`, for the URLs, files and folders in a text file, with the names it gives them.

    Relative paths start at the list's folder. URLs are fetched only if they match a video without a file.
    `on_progress` receives (name, bytes done, total bytes) and may raise Stopped.
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
    return _attach_all(workspace, urls, found, on_progress, log)


def _named_paths(lines: list[str], base: Path, found: Attached) -> dict[Path, Path]:
    """Return the path of each file, keyed by that path, or by a path with the name from the list."""
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
        except (OSError, RuntimeError, ValueError) as error:  # unknown user, path too long, or empty name
            found.problems.append(
                (text[:200], f"cannot be read ({getattr(error, 'strerror', None) or error})")
            )
            continue
        for called, place in here.items():
            if named.setdefault(called, place) != place:
                what = f"{called.name} is {named[called]} already in this list; this one is skipped"
                found.problems.append((text, what))
    return named


def _attach_all(
    workspace: Workspace,
    urls: dict[Path, RemoteUrl],
    found: Attached,
    on_progress: ListProgress,
    log: ImportLog | None,
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
                title = _attach(
                    workspace, waiting[video_id], url, lambda *far, of=name.name: on_progress(of, *far)
                )
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


def _attach(workspace: Workspace, video: Video, url: RemoteUrl, on_progress: Progress) -> str:
    """Fetch and attach the file; return the title of its video."""
    found = fetched(workspace, url, on_progress)
    if by_second(video):
        with naming(workspace, url, found.path):
            film = film_from_clip(video, workspace.media, found.path)
        return add_video(workspace.store, workspace.media, film, waiting=video).title
    made = registered(workspace, url, found, waiting=video)
    if made.id != video.id:
        raise MediaError(f"{url.shown}: the same file as that of {made.title!r}; join the two")
    return made.title


def _here(url: RemoteUrl, name: str = "") -> Path:
    """Return a path to match a URL by name; files with one name in two folders get different paths."""
    return Path(url.key) / (re.sub(r"[/\\]", "_", name) or url.name)
