"""Files of the Demo page: each lies under a name that only who sent it, or asked for it, is told."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotation.workspace.limit_settings import Limits

UPLOAD = "/gradio_api/upload"
FILE = "/gradio_api/file="
CLOSED = re.compile(r"/gradio_api/(file/|stream|proxy|component_server|deep_link|process_recording|dev/)")
"""Routes of Gradio that the page has no use for."""


class OwnFiles:
    """A folder with one folder for each upload and each run; what is old in it is removed."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder, self.limits = folder, limits
        self.for_all = folder / "for_all"
        """What is put there stays, and everybody may have it."""
        self.for_all.mkdir(parents=True)
        self.folder.chmod(0o700)

    def new(self) -> Path:
        """A folder with a name that nobody can guess."""
        self._sweep()
        made = self.folder / secrets.token_hex(16)
        made.mkdir(mode=0o700)
        return made

    def take(self, uploaded: Sequence[str]) -> list[str]:
        """Uploaded files in folders of their own: Gradio names a file's folder after its content."""
        found = []
        for name in uploaded:
            place = self.new() / Path(name).name
            shutil.move(name, place)
            found.append(str(place))
        return found

    def has(self, file: str) -> bool:
        return Path(file).is_relative_to(self.folder) and ".." not in Path(file).parts

    def full(self) -> bool:
        """Whether the disk has no room for another clip."""
        self._sweep()
        return shutil.disk_usage(self.folder).free < self.limits.demo + self.limits.free

    def _sweep(self) -> None:
        for old in {*self.folder.iterdir()} - {self.for_all}:
            with suppress(OSError):  # another request removes it too
                if old.stat().st_mtime < time.time() - 60 * self.limits.demo_minutes:
                    shutil.rmtree(old)

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class Uploads:
    """ASGI around Gradio's app: an upload's answer names the file where `OwnFiles` has put it.

    Files from anywhere else are not given, nor anything of the routes in `CLOSED`.
    """

    def __init__(self, app: ASGIApp, files: OwnFiles) -> None:
        self.app, self.files = app, files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self._closed(scope["path"]):
            await JSONResponse({"error": "there is nothing here"}, 404)(scope, receive, send)
        elif scope["method"] == "POST" and scope["path"].endswith(UPLOAD):
            await self._upload(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _closed(self, path: str) -> bool:
        _, is_file, file = path.partition(FILE)
        return bool(CLOSED.search(path)) or (bool(is_file) and not self.files.has(file))

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await run_in_threadpool(self.files.full):
            await JSONResponse({"error": "the disk is full here; come back later"}, 507)(scope, receive, send)
            return
        told: list[Message] = []

        async def hear(message: Message) -> None:
            told.append(message)

        await self.app(scope, receive, hear)  # to its end: it may move files after it has answered
        body = b"".join(message.get("body", b"") for message in told)
        if told[0]["status"] != 200:
            for message in told:
                await send(message)
            return
        names = await run_in_threadpool(self.files.take, json.loads(body))
        await JSONResponse(names)(scope, receive, send)
