"""Help texts of parameters that are made from lists, whose modules are imported only if the help is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from typer.core import TyperCommand


def command_with_help(of: Callable[[Mapping[str, str]], Mapping[str, str]]) -> type[TyperCommand]:
    """Return the class of a command: `@cli.command(cls=command_with_help(of))`.

    `of` takes the declared help by name of a parameter, and returns the help texts to show instead.
    """

    class Command(TyperCommand):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            params: dict[str, Any] = {str(param.name): param for param in self.params}
            for name, text in of({name: param.help or "" for name, param in params.items()}).items():
                params[name].help = text
            super().format_help(ctx, formatter)

    return Command
