"""A group of commands that says which there are."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from typer.core import TyperGroup

from backends.errors import UsageError


class CommandGroup(TyperGroup):
    """Of an unknown command the nearest are named (by Typer), or all where none is near."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Raises UsageError."""
        if args[0] not in self.commands and not get_close_matches(args[0], list(self.commands)):
            raise UsageError(f"no command {args[0]!r}; there are {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)
