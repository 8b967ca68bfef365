"""Calls in Gradio's queue belong to the person who made them: others cannot read or cancel them.

Gradio answers any client that knows the id of a call or a session. Therefore each session name gets a prefix
for its person before it is passed to Gradio, and the ids of calls are checked: another person's call is
reported as not found.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from fastapi.responses import JSONResponse
from gradio.queueing import Queue
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.api.known_endpoints import with_body
from ui.auth.current_person import Door

ASKER = "dailies.asker"
"""Scope key under which a request keeps the id of its person."""
STREAM = re.compile(r"/gradio_api/call/(?:v2/)?[^/]+/(?P<event>[^/]+)$")
DATA = re.compile(r"/gradio_api/queue/data$")
HEARTBEAT = re.compile(r"(?P<before>/gradio_api/heartbeat/)(?P<session>[^/]+)$")
WITH_SESSION = re.compile(r"/gradio_api/(?:(?:run|api|call)/[^/]+|queue/join|cancel)/?$")
CANCEL = re.compile(r"/gradio_api/cancel/?$")


class OwnCalls:
    """ASGI middleware around Gradio's app."""

    def __init__(self, app: ASGIApp, door: Door, queue: Queue) -> None:
        self.app, self.door, self.queue, self._push = app, door, queue, queue.push
        queue.push = self._pushed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        person = await run_in_threadpool(self.door.person, Request(scope))
        if person is None:
            await JSONResponse({"error": "log in first"}, 401)(scope, receive, send)
            return
        scope = dict(scope) | {ASKER: person.id}
        if scope["method"] == "POST":
            await self._post(scope, receive, send)
        else:
            await self._get(_renamed(scope, person.id), receive, send)

    async def _get(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not (found := STREAM.search(scope["path"])):
            await self._listen(scope, receive, send)
            return
        sessions = self._sessions(found["event"])
        if not _are_of(sessions, scope[ASKER]):
            await _call_not_found(scope, receive, send)
            return
        try:
            await self.app(scope, receive, send)
        finally:
            for session in sessions:  # each such call has a separate session
                self._forget(session)

    async def _listen(self, scope: Scope, receive: Receive, send: Send) -> None:
        left = False

        async def watched_receive() -> Message:
            nonlocal left
            message = await receive()
            left = left or message["type"] == "http.disconnect"
            return message

        try:
            await self.app(scope, watched_receive, send)
        finally:
            if left and DATA.search(scope["path"]):
                for session in Request(scope).query_params.getlist("session_hash"):
                    self._forget(session)

    def _forget(self, session: str) -> None:
        """Remove ids of calls whose stream was dropped.

        Gradio keeps them, and the next stream would wait for them.
        """
        queue = self.queue
        alive = {event._id for event in queue.event_ids_to_events.values() if event.alive}
        if left := queue.pending_event_ids_session.get(session, set()) & alive:
            queue.pending_event_ids_session[session] = left
        else:
            queue.pending_event_ids_session.pop(session, None)
            queue.pending_messages_per_session.pop(session, None)

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not WITH_SESSION.search(scope["path"]):
            await self.app(scope, receive, send)
            return
        try:
            body = json.loads(await Request(scope, receive).body())
        except (ValueError, RecursionError):
            await JSONResponse({"error": "the body is not JSON"}, 400)(scope, receive, send)
            return
        if isinstance(body, dict) and isinstance(body.get("session_hash"), str):
            body["session_hash"] = own_name(scope[ASKER], body["session_hash"])
        if CANCEL.search(scope["path"]) and not _are_of(self._sessions(_event_in(body)), scope[ASKER]):
            await _call_not_found(scope, receive, send)
            return
        await self.app(*with_body(scope, receive, body), send)

    def _sessions(self, event_id: str) -> list[str]:
        """Sessions of a call that is waiting, running, or has an answer that was not fetched yet."""
        if event := self.queue.event_ids_to_events.get(event_id):
            return [event.session_hash]
        return [name for name, ids in self.queue.pending_event_ids_session.items() if event_id in ids]

    async def _pushed(self, body: Any, request: Request, username: str | None) -> Any:
        """Replaces the queue's `push`: a call without a session gets a new one."""
        if body.session_hash is None:
            body.session_hash = own_name(request.scope[ASKER], secrets.token_hex(16))
        return await self._push(body=body, request=request, username=username)


def own_name(person_id: str, session: str) -> str:
    """The name of a person's session in the queue; the prefix has the same length for everyone."""
    return f"{hashlib.sha256(person_id.encode()).hexdigest()}.{session}"


def _are_of(sessions: list[str], person_id: str) -> bool:
    return any(session.startswith(own_name(person_id, "")) for session in sessions)


def _renamed(scope: Scope, person_id: str) -> Scope:
    """The scope with session names as the queue knows them."""
    if found := HEARTBEAT.search(scope["path"]):
        path = scope["path"][: found.start()] + found["before"] + own_name(person_id, found["session"])
        return {**scope, "path": path, "raw_path": path.encode()}
    if DATA.search(scope["path"]):
        words = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        named = [(k, own_name(person_id, v) if k == "session_hash" else v) for k, v in words]
        return {**scope, "query_string": urlencode(named).encode()}
    return scope


def _event_in(body: object) -> str:
    event = body.get("event_id") if isinstance(body, Mapping) else None
    return event if isinstance(event, str) else ""


async def _call_not_found(scope: Scope, receive: Receive, send: Send) -> None:
    words = "call not found; it has ended, or belongs to another person"
    await JSONResponse({"error": words}, 404)(scope, receive, send)
