"""Files of the Demo page: each has a random path, and is deleted after a while."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from fastapi import Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotation.records.errors import DiskFull, NotAllowed, TooLarge
from annotation.workspace.limit_settings import GB, MB, Limits, size
from backends.errors import DailiesError, UsageError
from ui.requests.request_size_limits import take_files

UPLOAD = "/gradio_api/upload"
FOLLOWED = "/gradio_api/upload_progress"
"""Gradio's page requests the upload's progress here, which only Gradio's own route could report."""
FILE = "/gradio_api/file="
CLOSED = re.compile(r"/gradio_api/(file/|stream|proxy|component_server|deep_link|process_recording|dev/)")
"""Routes of Gradio that the page does not need."""
STATUS: dict[type[DailiesError], int] = {NotAllowed: 403, TooLarge: 413, DiskFull: 507}


class OwnFiles:
    """A folder with one subfolder for each upload and each run."""

    def __init__(self, home: Path, limits: Limits) -> None:
        """Create the folder in `home`, and remove those of killed servers."""
        for left in home.glob("demo-*-*"):
            if not _runs(left.name.split("-")[1]):
                shutil.rmtree(left, ignore_errors=True)
        self.folder = home / f"demo-{os.getpid()}-{secrets.token_hex(8)}"
        self.limits = limits
        self.for_all = self.folder / "for_all"
        """Files for everyone, which are kept."""
        self.for_all.mkdir(parents=True)
        self.folder.chmod(0o700)
        self._in_use: list[Path] = []
        self._owners: dict[Path, str] = {}

    def new(self, owner: str) -> Path:
        """Create a folder of this owner, with a random name."""
        made = self.folder / secrets.token_hex(16)
        made.mkdir(mode=0o700)
        self._owners[made] = owner
        return made

    def has(self, file: str, owner: str) -> bool:
        """Whether the file belongs to this owner or is for everyone."""
        path = Path(file)
        if ".." in path.parts or not path.is_relative_to(self.folder) or path == self.folder:
            return False
        home = self.folder / path.relative_to(self.folder).parts[0]
        return home == self.for_all or self._owners.get(home) == owner

    def require(self, file: str | None, owner: str) -> Path:
        """The path of a file of this owner. Raises UsageError."""
        if not file:
            raise UsageError("choose a file first")
        if not self.has(file, owner) or not Path(file).is_file():
            raise UsageError("this file was deleted; choose it again")
        return Path(file)

    @contextmanager
    def used(self, file: Path) -> Iterator[None]:
        """Keep the file until the block ends, and for the usual time afterwards."""
        home = self.folder / file.relative_to(self.folder).parts[0]
        self._in_use.append(home)
        try:
            yield
        finally:
            self._in_use.remove(home)
            with suppress(OSError):
                os.utime(home)

    def is_used(self, home: Path) -> bool:
        return home in self._in_use

    def has_expired(self, home: Path) -> bool:
        """Whether a folder of a person was not used for the usual time, or was removed."""
        if self.is_used(home) or home.is_relative_to(self.for_all):
            return False
        try:
            return home.stat().st_mtime < time.time() - 60 * self.limits.demo_minutes
        except OSError:
            return True

    def sweep(self) -> None:
        """Remove expired folders."""
        for old in filter(self.has_expired, self.folder.iterdir()):
            with suppress(OSError):
                shutil.rmtree(old)
                self._owners.pop(old, None)

    def remove(self, home: Path) -> None:
        """Remove a person's folder now. Files for everyone stay."""
        if home in self._owners and home not in self._in_use:
            shutil.rmtree(home, ignore_errors=True)
            self._owners.pop(home, None)

    def require_space(self) -> None:
        """Check the space for one more clip. Raises DiskFull."""
        taken = _bytes_in(self.folder)
        free = shutil.disk_usage(self.folder).free
        if taken > self.limits.demo_gb * GB or free < self.limits.demo + self.limits.free:
            raise DiskFull("no space for another clip at the moment; try again in half an hour")

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _bytes_in(folder: Path) -> int:
    """Size of the files in the folder; some may be removed meanwhile."""
    found = 0
    for home, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += Path(home, name).stat().st_size
    return found


def _runs(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


class Uploads:
    """ASGI middleware around Gradio's app: uploads are written by `OwnFiles`.

    Files from other places, and the routes in `CLOSED`, are not served. `who` returns the name of the person,
    or raises a DailiesError if they may not send anything.
    """

    def __init__(self, app: ASGIApp, files: OwnFiles, who: Callable[[Request], str]) -> None:
        self.app, self.files, self.who = app, files, who

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def plain(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Content-Type-Options"] = "nosniff"
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif await run_in_threadpool(self._closed, Request(scope)):
            await JSONResponse({"error": "not found"}, 404)(scope, receive, plain)
        elif scope["path"].endswith(FOLLOWED):
            await Response('data: {"msg": "done"}\n\n', media_type="text/event-stream")(scope, receive, plain)
        elif scope["method"] == "POST" and scope["path"].endswith(UPLOAD):
            await (await self._upload(Request(scope, receive)))(scope, receive, plain)
        else:
            await self.app(scope, receive, plain)

    def _closed(self, request: Request) -> bool:
        path = request.scope["path"]
        _, is_file, file = path.partition(FILE)
        if not is_file:
            return bool(CLOSED.search(path))
        try:
            return not self.files.has(file, self.who(request))
        except DailiesError:
            return True

    async def _upload(self, request: Request) -> Response:
        """Replaces Gradio's own route, which names a file's folder after its content."""
        most = self.files.limits.demo
        try:
            who = await run_in_threadpool(self.who, request)
            await run_in_threadpool(self.files.require_space)
            taken = await self._taken(request, who, most + MB)  # the form adds a few lines to its file
        except TooLarge:
            words = (
                f"this clip is larger than {size(most)}; shorten it, or install Dailies, which takes any size"
            )
            return PlainTextResponse(words, 413)
        except DailiesError as error:
            return PlainTextResponse(str(error), STATUS.get(type(error), 400))
        return JSONResponse([str(file) for file in taken])

    async def _taken(self, request: Request, who: str, most: int) -> list[Path]:
        home = self.files.new(who)
        try:
            return await take_files(request, home, replace(self.files.limits, upload_gb=most / GB))
        except BaseException:  # also if the client disconnects
            shutil.rmtree(home, ignore_errors=True)
            raise
