"""The engine that turns off reading of text on screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backends.protocols import Picture, ScreenLine


class NoText:
    """Returns no lines for any picture."""

    name = "none"

    @property
    def params(self) -> Mapping[str, Any]:
        return {}

    def check(self) -> str:
        return "turned off"

    def read(self, picture: Picture) -> tuple[ScreenLine, ...]:  # noqa: ARG002 - the protocol has it
        return ()
