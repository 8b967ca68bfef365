"""Events for open pages: one thread per app process polls for changes on behalf of all listening pages.

While there are listeners, the thread polls the number of the last change in the store, the runs of all
processes, and the model that is being started, and sends changes to every listener. Because it polls the
database, it works across processes and databases without messages between them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from annotation.people.who_labels_blind import mode_of
from annotation.records.decisions import Person
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.store import Store
from backends.errors import DailiesError

log = logging.getLogger(__name__)
POLL_S = 0.5
RUNS_S = 1.0
"""Interval for polling the state of runs, in seconds."""
PERSON_S = 5.0
"""Interval for looking whether a session has ended or its person has changed, in seconds."""
OPEN_S = 60.0
"""Interval of the calls of `while_open`, in seconds."""
BEAT_S = 15.0
"""Seconds of silence after which a keep-alive line is sent: proxies close silent connections."""
QUEUE_SIZE = 64
"""Events in the queue of a slow page; when it is full the stream ends, and the page reconnects."""
MANY = 64
"""If more videos have changed, none are listed: pages then assume that any may have changed."""


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    data: Mapping[str, object]

    def text(self) -> str:
        """The event in the text format of server-sent events."""
        return f"event: {self.name}\ndata: {json.dumps(self.data, ensure_ascii=False, default=asdict)}\n\n"


OVER = Event("over", {})
"""The session has ended, or belongs to another person now."""
CHANGED_PERSON = Event("person", {})
"""The person's role or name has changed."""


@dataclass(eq=False, slots=True)
class Listener:
    """One open page."""

    person: Person
    now: Callable[[], Person | None]
    """Returns the person that the session belongs to now."""
    loop: asyncio.AbstractEventLoop
    events: asyncio.Queue[Event | None] = field(default_factory=lambda: asyncio.Queue(QUEUE_SIZE))

    def send(self, event: Event | None) -> None:
        """Queue an event; None ends the stream. Can be called from any thread."""
        with suppress(RuntimeError):  # the server has shut down
            self.loop.call_soon_threadsafe(self._put, event)

    def _put(self, event: Event | None) -> None:
        if self.events.full():
            while not self.events.empty():
                self.events.get_nowait()
            event = None
        self.events.put_nowait(event)


class EventWatch:
    """The events of one app process.

    `runs` and `loading` return the state of runs and the model being started. `while_open` is called every
    minute while pages are open, and must return at once.
    """

    def __init__(
        self,
        store: Store,
        runs: Callable[[], Sequence[Mapping[str, object]]],
        loading: Callable[[], object],
        version: str,
        while_open: Callable[[], None] = lambda: None,
    ) -> None:
        self.store, self.version = store, version
        self._while_open = while_open
        self._runs, self._loading = runs, loading
        self._listeners: set[Listener] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self._number = 0
        self._last_states: dict[str, Event] = {}
        self._runs_at = self._people_at = self._open_at = 0.0

    @property
    def listening(self) -> int:
        return len(self._listeners)

    @property
    def working(self) -> bool:
        """Whether the thread is polling."""
        return self._thread is not None

    async def stream(
        self, person: Person, now: Callable[[], Person | None], after: int | None
    ) -> AsyncGenerator[str, None]:
        """Lines of the stream, until the page is closed, its session ends, or the server shuts down.

        `after` is the number of the last change that the page has received.
        """
        here = Listener(person, now, asyncio.get_running_loop())
        await asyncio.to_thread(self._subscribe, here, after)
        try:
            while True:
                try:
                    event = await asyncio.wait_for(here.events.get(), BEAT_S)
                except TimeoutError:
                    yield ": here\n\n"
                    continue
                if event is None:
                    return
                yield event.text()
                if event is OVER:
                    return
        finally:
            self._listeners.discard(here)

    def close(self) -> None:
        """Shut down: end all streams."""
        self._closed.set()
        for listener in tuple(self._listeners):
            listener.send(None)

    def _subscribe(self, here: Listener, after: int | None) -> None:
        with self._lock:
            if not self._listeners:
                self._number = self.newest()
                self._last_states = {}
            here.send(Event("hello", {"version": self.version, "number": self._number}))
            if after is not None and after < self._number:
                here.send(Event("changed", self._changed(after, self._number, names=False)))
            for event in self._last_states.values():
                here.send(event)
            self._listeners.add(here)
            if self._closed.is_set():
                here.send(None)
            elif self._thread is None:
                self._thread = threading.Thread(target=self._work, name="events", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while not self._closed.wait(POLL_S):
            with self._lock:
                if not self._listeners:
                    self._thread = None
                    return
                try:
                    self._poll()
                except (DailiesError, SQLAlchemyError, OSError) as error:
                    log.warning("could not send updates to open pages: %s", error)

    def _poll(self) -> None:
        number = self.newest()
        if number > self._number:
            self._send_change(number)
        now = time.monotonic()
        if now - self._runs_at >= RUNS_S:
            self._runs_at = now
            self._send_state(Event("jobs", {"jobs": list(self._runs())}))
        self._send_state(Event("loading", {"loading": self._loading()}))
        if now - self._people_at >= PERSON_S:
            self._people_at = now
            self._compare_people()
        if now - self._open_at >= OPEN_S:
            self._open_at = now
            self._while_open()

    def newest(self) -> int:
        """The number of the last change."""
        with self.store.reading() as conn:
            return changed_videos.newest(conn)

    def _send_change(self, number: int) -> None:
        before, self._number = self._number, number
        named = Event("changed", self._changed(before, number, names=True))
        bare = Event("changed", {**named.data, "by": []})
        blind = {
            person
            for person in {listener.person.id for listener in tuple(self._listeners)}
            if named.data["by"] and mode_of(self.store, person).on
        }
        for listener in tuple(self._listeners):
            listener.send(bare if listener.person.id in blind else named)

    def _changed(self, before: int, number: int, *, names: bool) -> dict[str, object]:
        """Data of a change; an empty `videos` means any video.

        `by` names people with recent decisions on them.
        """
        with self.store.reading() as conn:
            videos = changed_videos.since(conn, before)
            few = videos if len(videos) <= MANY else []
            a, p = t.action.c, t.person.c
            query = select(p.name).join(t.action, a.person_id == p.id).distinct()
            query = query.where(a.video_id.in_(few), a.updated_at > time.time() - 4 * POLL_S)
            by = sorted(conn.scalars(query)) if names and few else []
        return {"number": number, "videos": few, "by": by}

    def _send_state(self, event: Event) -> None:
        """Send the event to all listeners if it has changed, and keep it for later ones."""
        if self._last_states.get(event.name) == event:
            return
        self._last_states[event.name] = event
        for listener in tuple(self._listeners):
            listener.send(event)

    def _compare_people(self) -> None:
        for listener in tuple(self._listeners):
            person = listener.now()
            if person is None or person.id != listener.person.id:
                listener.send(OVER)
            elif person != listener.person:
                listener.person = person
                listener.send(CHANGED_PERSON)
