"""Read the startup progress of a server from its log."""

from __future__ import annotations

import re
import time
from collections import deque
from pathlib import Path

from backends.protocols import Loading, Tell

SHOWN = 12
"""Number of log lines shown during startup."""
TELL_EVERY_S = 1.0
_LONGEST = 400

_PHASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), phase)
    for pattern, phase in (
        (
            r"application startup complete|starting vllm (api )?server on http|listening on http",
            "answering the first request",
        ),
        (r"captur\w* .*graphs?", "capturing CUDA graphs"),
        (
            r"warm\w* ?up|init engine|kv cache (size|memory)|available kv|profil\w+",
            "allocating memory for requests",
        ),
        (r"torch\.compile|compil\w+ (a )?graph|dynamo bytecode|compilation", "compiling"),
        (r"loading weights took|model loading took", "weights are loaded"),
        (r"loading .*(checkpoint|shards?|weights)|starting to load model", "loading weights"),
        (r"download\w*|fetching \d+ files|\.gguf: +\d+%", "downloading the model"),
        (r"initializ\w+ .*engine|non-default args|vllm api server version", "starting"),
    )
)
_share = re.compile(r"(\d{1,3})\s?%")
_prefix = re.compile(
    r"^(\([^)]*pid=\d+\)\s*)*((INFO|WARNING|ERROR|DEBUG)\s+\d\d-\d\d \d\d:\d\d:\d\d\s+\[[^\]]*\]\s*)?"
    r"(\d+\.\d\d\.\d{3}\.\d{3} [A-DF-Z] )?"  # llama.cpp; its errors keep the mark
)
_error = re.compile(r"^(?:[\w.]*\.)?([A-Z]\w*(?:Error|Exception)): (.+)|\berror: (.+)|^[\d.]+ E (.+)")
_NOT_THE_CAUSE = (
    "Engine core initialization failed",
    "See root cause",
    "CalledProcessError",
    "in subprocess:",
)


def phase_of(line: str) -> tuple[str, float | None] | None:
    """Return the current phase and its progress (0 to 1, or None); None if the line has no phase."""
    for pattern, phase in _PHASES:
        if pattern.search(line):
            share = _share.search(line)
            return phase, min(100, int(share[1])) / 100 if share else None
    return None


def plain(line: str) -> str:
    """Return a line of the log without process, level and time."""
    text = _prefix.sub("", line.strip())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def cause_of(lines: list[str]) -> str:
    """Return why the server ended: its first error that names a cause, else the last line of its log."""
    errors = [found for line in lines if (found := _error.search(plain(line)))]
    said = [": ".join(part for part in error.groups() if part) for error in errors]
    causes = [text for text in said if not any(words in text for words in _NOT_THE_CAUSE)]
    rest = [plain(line) for line in lines if line.strip()]
    return (causes or said or rest[-1:] or ["its log is empty"])[0]


class LogReader:
    """Reads a growing log file and reports the progress of its server. Not thread-safe."""

    def __init__(self, what: str, file: Path, tell: Tell) -> None:
        self._what, self._file, self._tell = what, file, tell
        self._at = 0
        self._rest = ""
        self._began = time.monotonic()
        self._told = 0.0
        self._phase: tuple[str, float | None] = ("starting", None)
        self.lines: deque[str] = deque(maxlen=400)

    def look(self) -> None:
        """Read new lines; report every new phase, otherwise about once per second."""
        for line in self._new_lines():
            self.lines.append(line)
            before, self._phase = self._phase, phase_of(line) or self._phase
            if self._phase[0] != before[0]:
                self.say(*self._phase)
        if time.monotonic() - self._told >= TELL_EVERY_S:
            self.say(*self._phase)

    def say(self, phase: str, share: float | None = None, *, ready: bool = False) -> None:
        self._told = time.monotonic()
        shown = tuple(plain(line) for line in list(self.lines)[-SHOWN:])
        self._tell(Loading(self._what, phase, share, self._told - self._began, shown, ready))

    def _new_lines(self) -> list[str]:
        """Return the complete lines since the last call. Each update of a progress bar is a line."""
        try:
            with self._file.open("rb") as file:
                file.seek(self._at)
                data = file.read()
        except OSError:
            return []
        self._at += len(data)
        text = self._rest + data.decode("utf-8", "replace").replace("\r", "\n")
        *lines, self._rest = text.split("\n")
        return [line for line in lines if line.strip()]
