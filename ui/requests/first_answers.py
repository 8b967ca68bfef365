"""The answers to a page's first requests: in its document, or in one response before the page is opened.

Each request costs a browser about as much time as its answer costs the server, and some depend on others. The
app answers them itself as the person who requests the page, so the response holds only what that person may
see. `request` in requests.js reads the answers from there; the page requests missing ones as
usual.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.types import Message

from ui.auth.current_person import token_in
from ui.lib.page_spec import Ask, PageAnswers
from ui.requests.dependencies import parts

log = logging.getLogger(__name__)

WAIT_S = 0.2
"""Longest wait for the answers, in seconds; then the document is sent with those available."""
SAME_SCOPE = ("type", "asgi", "http_version", "scheme", "server", "client", "root_path", "app")
"""Keys that the inner request copies from the outer one (ASGI)."""
NOT_SENT = (b"accept-encoding", b"range", b"if-none-match", b"if-modified-since")
"""Headers that concern the document, not an answer in it."""


async def first_answers(request: Request, page: PageAnswers | None) -> str:
    """An element with the answers by path, for `page` and the bar on top of it.

    "last change" is the number of the last change before them. Requests with a token do not come from a page,
    and get no answers.
    """
    answers: dict[str, bytes] = {}
    if token_in(request) is None:
        task = asyncio.create_task(_ask_all(request, page, answers))
        _under_way.add(task)
        task.add_done_callback(_over)
        await asyncio.wait({task}, timeout=WAIT_S)  # slower answers are still computed, and fill the caches
    escaped = _as_json(answers).replace("<", "\\u003c")  # no text can close the element
    return f'<script type="application/json" id="dl-first-answers">{escaped}</script>'


async def page_answers(request: Request, page: PageAnswers | None) -> str:
    """The answers for `page` by path, as JSON. Requests with a token get none, as in `first_answers`."""
    answers: dict[str, bytes] = {}
    if page is not None and token_in(request) is None:
        await page(_asker(request, answers), dict(request.query_params))
    return _as_json(answers)


async def _ask_all(request: Request, page: PageAnswers | None, answers: dict[str, bytes]) -> None:
    ask = _asker(request, answers)
    number = await run_in_threadpool(parts(request).events.newest)
    answers["last change"] = str(number).encode()
    if await ask("/api/me") and page is not None:
        await page(ask, dict(request.query_params))


def _asker(request: Request, answers: dict[str, bytes]) -> Ask:
    """A function that adds the answer of a path to `answers`."""

    async def ask(path: str) -> Any:
        body = await _answer(request, path)
        if body is None:
            return None
        answers[path] = body
        return json.loads(body)

    return ask


_under_way: set[asyncio.Task[None]] = set()
"""Tasks still running: the loop keeps only weak references to them."""


def _over(task: asyncio.Task[None]) -> None:
    _under_way.discard(task)
    if not task.cancelled() and (error := task.exception()):
        log.warning("could not prepare the first answers of a page: %s", error, exc_info=error)


def path_with(path: str, query: dict[str, str]) -> str:
    """The path with a query as URLSearchParams writes it: the page looks it up by the exact text."""
    return f"{path}?{urlencode(query, safe='*').replace('~', '%7E')}"


def _as_json(answers: dict[str, bytes]) -> str:
    pairs = (f"{json.dumps(path)}:{body.decode()}" for path, body in answers.items())
    return "{" + ",".join(pairs) + "}"


async def _answer(request: Request, path: str) -> bytes | None:
    """The body of a GET of `path` for the sender of `request`; None unless its status is 200."""
    url = urlsplit(path)
    scope = {name: request.scope[name] for name in SAME_SCOPE if name in request.scope} | {
        "method": "GET",
        "path": unquote(url.path),
        "raw_path": url.path.encode(),
        "query_string": url.query.encode(),
        "headers": [(name, value) for name, value in request.scope["headers"] if name not in NOT_SENT],
        "state": dict(request.scope.get("state", {})),
    }
    status, body = 0, bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)
        body.extend(message.get("body", b""))

    await request.app(scope, receive, send)
    return bytes(body) if status == 200 else None
