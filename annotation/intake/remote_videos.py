"""Fetches videos from remote sources into the workspace, once, and again if the fetched file was deleted.

The store keeps the URL without its query, which may be a signature, because records are exported and backed
up. The full URL is stored beside the fetched file, readable by the server's account only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath

from sqlalchemy import Text, cast, select

from annotation.intake.add_video import add_video
from annotation.intake.video_files import VIDEO_SUFFIXES
from annotation.intake.waiting_videos import waiting_for_file
from annotation.records.videos import Video
from annotation.stages.media_library import REMOTE, path_of, remote_url
from annotation.stages.probe_scenes_speech import probe_run
from annotation.stages.stage_context import Context
from annotation.stages.stage_spec import StageSpec
from annotation.store import tables as t
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, MediaError, UsageError
from backends.remote import fetching
from backends.remote.fetching import Fetched, drop, fetch, remember, remembered
from backends.remote.object_stores import StoreSource
from backends.remote.settings import RemoteRules, read_rules
from backends.remote.source_protocol import Broken
from backends.remote.url_rules import SCHEMES, WEB, RemoteUrl, looks_remote, read_url
from backends.video.probe import probe

Progress = Callable[[int, int], None]
"""Receives (bytes done, total bytes or 0); may raise Stopped."""
MOST_AT_ONCE = 1000
"""Maximum number of URLs that a page may add at once."""

__all__ = ["looks_remote"]


def home_of(workspace: Workspace) -> Path:
    """Return the folder of fetched files. It can be deleted at any time."""
    return workspace.path / "remote"


def rules_of(workspace: Workspace) -> RemoteRules:
    """Return the rules for fetching. Raises UsageError for invalid settings."""
    return read_rules(workspace.settings)


def places(workspace: Workspace) -> dict[str, list[str]]:
    """Return the schemes and places that the settings allow, formatted for people."""
    return {"schemes": list(SCHEMES), "allow": [prefix.shown for prefix in rules_of(workspace).allow]}


# --- adding ----------------------------------------------------------------------------------


def add_remote(workspace: Workspace, url: RemoteUrl, on_progress: Progress) -> Video:
    """Fetch the file of a URL, unless it was fetched before, and register it as `add_video` does.

    Raises UsageError for a place that is not allowed, MediaError, BackendUnavailable, and errors of
    `on_progress`.
    """
    found = fetched(workspace, url, on_progress)
    return registered(workspace, url, found)


def announce(workspace: Workspace, text: str) -> Video:
    """Return a video whose file the next run will fetch: one without a file that has this name, or a new one.

    `text` is a URL, or `name<tab>URL` if the names differ. Raises UsageError if it is not an allowed URL.
    """
    called, _, address = text.rpartition("\t")
    url = rules_of(workspace).check(read_url(address))
    if url.folder:
        raise UsageError(f"{url.shown}: a folder; name the file, or use: python app.py run {url.shown}")
    remember(home_of(workspace), url)
    for video in workspace.store.find(Video, id=_with_key(workspace, url.key)):
        if _key(video) == url.key:
            return video
    name = PurePath(called.strip().replace("/", "_") or url.name)
    with workspace.store.writing():
        waiting = waiting_for_file(workspace.store, name)
        title = called.strip() or name.stem
        video = waiting[0] if waiting else Video(id=_announced_id(url), title=title, created_at=time.time())
        return _with_source(workspace, video, url)


def urls_in(workspace: Workspace, text: str) -> list[RemoteUrl]:
    """Return the URL itself, or the videos in a folder of an object store.

    Raises UsageError if it is not an allowed URL, MediaError if the folder cannot be listed.
    """
    url = rules_of(workspace).check(read_url(text))
    if not url.folder:
        return [url]
    if url.scheme in WEB:
        raise MediaError(
            f"{url.shown}: web servers do not list folders; name the files, or give a list of "
            "them to import --videos LIST.txt"
        )
    options = rules_of(workspace).options.get(url.scheme, {})
    try:
        return StoreSource(url, options).videos(VIDEO_SUFFIXES)
    except Broken as broken:
        raise MediaError(f"{url.shown}: {broken}; try again later") from None


def fetched(workspace: Workspace, url: RemoteUrl, on_progress: Progress) -> Fetched:
    """Call `fetch` with the settings of the workspace."""
    return fetch(url, rules_of(workspace), home_of(workspace), on_progress)


def registered(workspace: Workspace, url: RemoteUrl, found: Fetched, waiting: Video | None = None) -> Video:
    """Register a fetched file as `add_video` does. A file that is not a video is deleted."""
    with naming(workspace, url, found.path):
        made = add_video(workspace.store, workspace.media, found.path, waiting=waiting)
    return _with_source(workspace, made, url)


class naming:
    """Replace the file by its URL in error messages. A file that is not a video is deleted."""

    def __init__(self, workspace: Workspace, url: RemoteUrl, path: Path) -> None:
        self.workspace, self.url, self.path = workspace, url, path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, MediaError):
            return
        try:
            probe(self.path)
        except MediaError:
            drop(home_of(self.workspace), self.url)
        words = str(error).replace(str(self.path), "").removeprefix(f"{self.path.name}: ")
        raise MediaError(f"{self.url.shown}: {words}") from None


def _with_source(workspace: Workspace, video: Video, url: RemoteUrl) -> Video:
    source = {"url": url.shown, "key": url.key}
    with workspace.store.writing():
        now = workspace.store.find(Video, id=video.id)
        if now and now[0].extra.get(REMOTE) == source:
            return now[0]
        video = now[0] if now else video
        video = replace(video, extra={**video.extra, REMOTE: source})
        workspace.store.put(video)
    return video


def _announced_id(url: RemoteUrl) -> str:
    return f"vid-{url.key[:20]}"


def _with_key(workspace: Workspace, key: str) -> list[str]:
    """Return ids of videos whose source may have this key, without reading all videos."""
    v = t.video.c
    with workspace.store.reading() as conn:
        return list(conn.scalars(select(v.id).where(cast(v.extra, Text).contains(key))))


def _key(video: Video) -> str:
    source = video.extra.get(REMOTE)
    key = source.get("key") if isinstance(source, Mapping) else None
    return key if isinstance(key, str) else ""


def forget(workspace: Workspace, video: Video) -> None:
    """Delete the fetched file of a removed video, unless another video uses the same URL."""
    key = _key(video)
    if key and not any(_key(v) == key for v in workspace.store.find(Video, sha256=video.sha256)):
        fetching.forget(home_of(workspace), key)


# --- in a run ----------------------------------------------------------------------------------


def bring(context: Context, video: Video, stages: Sequence[StageSpec]) -> Video:
    """Return the video with its file, which is fetched if it is missing and a stage needs it.

    Raises as `add_remote`; MediaError also if the source has changed, or if another video has the file.
    """
    if not remote_url(video) or _has_file(video) or not any(spec.reads_file for spec in stages):
        return video
    url = _url_of(context.workspace, video)

    def on_progress(done: int, total: int) -> None:
        context.progress(video, "fetch", done, total)

    on_progress(0, 0)
    found = fetched(context.workspace, url, on_progress)
    if video.sha256 is None:
        return _first_file(context.workspace, video, url, found)
    if video.sha256 != found.sha256:
        raise MediaError(f"{url.shown}: the file has changed at this address; add it as a separate video")
    with context.store.writing():  # others may have edited the video while its file was fetched
        video = replace(context.store.get(Video, video.id), path=str(found.path))
        context.store.put(video)
    return video


def mark_unfetched(context: Context, video: Video, error: DailiesError) -> None:
    """Store in the video's row why there is no file."""
    context.report(video, "fetch", "failed", 0, 0, str(error))
    if context.store.find(Video, id=video.id):
        context.start_run(probe_run())
        context.mark(video, "probe", "failed", message=str(error))


def _first_file(workspace: Workspace, video: Video, url: RemoteUrl, found: Fetched) -> Video:
    made = registered(workspace, url, found, waiting=video)
    if made.id != video.id:
        if video.id == _announced_id(url):  # the video was created for this URL only
            workspace.store.remove_video(video.id)
        raise MediaError(
            f"{url.shown}: the same file as that of {made.title!r}, which is in the workspace already"
        )
    return made


def _has_file(video: Video) -> bool:
    with suppress(MediaError):
        return path_of(video).is_file()
    return False


def _url_of(workspace: Workspace, video: Video) -> RemoteUrl:
    """Return the full URL. Raises MediaError if it is only known without its query."""
    shown = remote_url(video)
    url = remembered(home_of(workspace), _key(video))
    if url and url.shown == shown:
        return url
    url = read_url(shown)
    if url.query or (_key(video) and url.key != _key(video)):
        raise MediaError(
            f"{url.shown}: its URL was signed and is not stored; add it again with the whole URL"
        )
    return url
