"""Gradio's queue, without its loops while it holds no call.

From the first request until the server ends, Gradio polls for work a thousand times a second, and for
progress a hundred times. Here its two loops run only while there are calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

LOOPS = ("start_processing", "start_progress_updates")
"""Methods of `gradio.queueing.Queue` that `Queue.start` runs in the background."""
LINGER_S = 0.5
"""How long the loops continue without a call, in seconds."""


class _QueueOfLoop:
    """The queue as one of its loops sees it. The end of a loop does not mark the queue as stopped.

    A queue that is marked as stopped refuses new calls and ends the streams of all others.
    """

    def __init__(self, queue: Any) -> None:
        self._queue = queue

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def stopped(self) -> bool:
        return bool(self._queue.stopped)

    @stopped.setter
    def stopped(self, _value: bool) -> None:
        pass


class IdleQueue:
    """Wraps a queue that has not been started. A call starts at once, as before."""

    def __init__(self, queue: Any) -> None:
        self._queue, self._push, self._calls = queue, queue.push, asyncio.Event()
        queue.push = self._pushed
        for name in LOOPS:
            loop = partial(getattr(type(queue), name), _QueueOfLoop(queue))
            setattr(queue, name, partial(self._while_needed, loop))

    async def _pushed(self, *given: Any, **named: Any) -> Any:
        found = await self._push(*given, **named)
        self._calls.set()
        return found

    async def _while_needed(self, loop: Callable[[], Awaitable[None]]) -> None:
        while not self._queue.stopped:
            await self._calls.wait()
            running = asyncio.ensure_future(loop())
            try:
                await self._no_calls()
            finally:
                running.cancel()
            # Not `await running`: its cancellation could not be told from that of this task.
            await asyncio.wait([running])

    async def _no_calls(self) -> None:
        while self._calls.is_set():
            await asyncio.sleep(LINGER_S)
            if len(self._queue) == 0 and self._queue.get_active_worker_count() == 0:
                self._calls.clear()
