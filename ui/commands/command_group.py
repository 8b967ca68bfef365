"""A group of commands that lists its commands in the error about an unknown one."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from typer.core import TyperGroup

from backends.errors import UsageError


class CommandGroup(TyperGroup):
    """For an unknown command, Typer suggests similar ones; if there are none, all are listed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Raises UsageError."""
        if args[0] not in self.commands and not get_close_matches(args[0], list(self.commands)):
            raise UsageError(f"unknown command {args[0]!r}; choose from {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)
