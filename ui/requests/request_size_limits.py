"""Size limits of requests, and where uploaded files are written."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

from fastapi import Request, UploadFile
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotation.intake.places_for_files import free_place
from annotation.records.errors import DiskFull, TooLarge
from annotation.workspace.limit_settings import Limits, short_name, size
from backends.errors import UsageError
from backends.text.storable_text import mended

DEEPEST = 20
"""Deepest folder nesting of an upload."""
MOST_FILES = 1000
"""Most files in one request."""
DEMO = "/demo"
"""Path of the Demo page."""
UPLOADS = ("/api/files", "/gradio_api/upload", f"{DEMO}/gradio_api/upload")
"""Routes that receive files; all other requests are short."""
HEAPS = re.compile(r"/api/incoming/[\w-]+/files")
"""Routes that receive files for a preview."""


class _TooLong(Exception):
    """Stops reading a request."""


class ShortRequests:
    """ASGI middleware that refuses long requests other than uploads, before or while they are read."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self.most = app, limits.request
        self._refused = JSONResponse(
            {"error": f"requests are limited to {size(self.most)} (request_mb in settings.toml); send less"},
            413,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in UPLOADS or HEAPS.fullmatch(scope["path"]):
            await self.app(scope, receive, send)
        elif _length(Headers(scope=scope)) > self.most:
            await self._refused(scope, receive, send)
        else:
            await self._counted(scope, receive, send)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        came, answered = 0, False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > self.most:
                raise _TooLong
            return message

        async def answer(message: Message) -> None:
            nonlocal answered
            if came <= self.most or answered:  # otherwise the error is about unreadable content
                answered = True
                await send(message)

        with suppress(_TooLong):
            await self.app(scope, counted, answer)
        if came > self.most and not answered:
            await self._refused(scope, receive, send)


def _length(headers: Headers) -> int:
    """The request's Content-Length in bytes; 0 if it is missing."""
    given = headers.get("content-length", "")
    return int(given) if given.isdecimal() and len(given) < 20 else 0


async def take_files(
    request: Request, folder: Path, limits: Limits, *, keep_folders: bool = False
) -> list[Path]:
    """Write the files of a form into separate new folders under `folder`; other form fields are ignored.

    With `keep_folders` their names give the folders, so that files that belong together stay together. Raises
    UsageError, TooLarge and DiskFull (before reading if the client sends a Content-Length).
    """
    length = _length(request.headers)
    if length > limits.upload:
        raise TooLarge.of("this upload", length, limits.upload)
    free = shutil.disk_usage(folder).free
    if length > free:
        raise DiskFull(
            f"this upload needs {size(length)}, but only {size(free)} are free; free some space first"
        )
    if "multipart/form-data" not in request.headers.get("content-type", ""):
        raise UsageError("send the files as a form (multipart/form-data)")
    parser = _ToDisk(request.headers, request.stream(), folder, limits, keep_folders)
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise UsageError(f"cannot read the form ({error.message}); send it again") from error
    await form.close()
    if not parser.paths:
        raise UsageError("choose at least one file")
    return parser.paths


class _ToDisk(MultiPartParser):
    """Writes files directly to their destination, and counts their bytes."""

    def __init__(
        self,
        headers: Headers,
        stream: AsyncGenerator[bytes, None],
        folder: Path,
        limits: Limits,
        keep_folders: bool,
    ) -> None:
        # A dropped folder has many small files.
        super().__init__(headers, stream, max_files=MOST_FILES)
        self.paths: list[Path] = []
        self._folder, self._limits, self._came = folder, limits, 0
        self._keep_folders = keep_folders

    def on_headers_finished(self) -> None:
        super().on_headers_finished()
        part = self._current_part
        if part.file is None:
            return
        path = self._place(part.file.filename)
        path.parent.mkdir(parents=True, exist_ok=True)
        opened = path.open("w+b")
        self._files_to_close_on_error.append(opened)  # type: ignore[arg-type]  # closed, like the others
        part.file = UploadFile(opened, filename=path.name)
        self.paths.append(path)
        self._came = 0

    def _place(self, given: str | None) -> Path:
        if not self._keep_folders:
            return self._folder / str(len(self.paths)) / file_name(given, self._limits)
        *folders, name = folder_names(given, self._limits)
        return free_place(self._folder, *folders, name)

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        super().on_part_data(data, start, end)
        self._came += end - start
        if self._current_part.file is not None and self._came > self._limits.upload:
            raise TooLarge.of(self.paths[-1].name, self._came, self._limits.upload)


def folder_names(given: str | None, limits: Limits) -> list[str]:
    """The client's path as safe folder names: without dot segments and hidden names."""
    parts = mended(given or "upload").replace("\\", "/").split("/")
    return [file_name(part, limits) for part in parts if part.strip(".")][-DEEPEST:] or ["upload"]


def file_name(given: str | None, limits: Limits) -> str:
    """Return a safe file name, from the last part of the client's name."""
    name = Path(mended(given or "upload").replace("\\", "/")).name.lstrip(".") or "upload"
    return short_name(name, limits.name_bytes)
