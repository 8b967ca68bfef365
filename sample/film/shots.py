"""The nine shots in order. Each is built once, then asked for its picture at a time in seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sample.film.afternoon import Harbour, RainStreet
from sample.film.evening import Balloon, Home, Night
from sample.film.morning import CloseUp, Dawn, Hills, Wall
from sample.film.paint import Picture


class Shot(Protocol):
    seconds: float

    def picture(self, t: float) -> Picture:
        """(720, 1280, 3) at `t` seconds into the shot."""
        ...


@dataclass(frozen=True, slots=True)
class Cue:
    """A shot and how it gives way to the next one."""

    name: str
    make: Callable[[], Shot]
    seconds: float
    fade_out: float = 0.0
    """Seconds of fade to black at its end."""
    fade_in: float = 0.0


FILM = (
    Cue("dawn", Dawn, Dawn.seconds),
    Cue("close-up", CloseUp, CloseUp.seconds),
    Cue("hills", Hills, Hills.seconds),
    Cue("wall", Wall, Wall.seconds),
    Cue("rain", RainStreet, RainStreet.seconds, fade_out=0.8),
    Cue("harbour", Harbour, Harbour.seconds, fade_in=0.8),
    Cue("balloon", Balloon, Balloon.seconds),
    Cue("night", Night, Night.seconds),
    Cue("home", Home, Home.seconds),
)
