"""Parse `KIND:MODEL?option=value&...`: the model of a server to start, and its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from urllib.parse import parse_qsl

from backends.errors import UsageError


@dataclass(frozen=True, slots=True)
class Wanted:
    """A model to serve, with options."""

    model: str
    """As the user typed it: a name on the model hub, a folder or a file."""
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpecForm:
    """Form of the specs of a kind of server."""

    title: str
    """Name for users: vLLM, llama.cpp."""
    example: str
    """An example of a model."""
    options: Mapping[str, str]
    """Names and descriptions. Other options are refused, because some load code or open the server to other
    machines."""
    counts: frozenset[str]
    """Options that must be whole numbers."""

    def read(self, spec: str) -> Wanted:
        """Parse a spec. Raises UsageError for a missing model and for unknown options."""
        kind, _, rest = spec.partition(":")
        model, _, query = rest.partition("?")
        if not model.strip():
            raise UsageError(f"name the model: {kind}:MODEL, such as {kind}:{self.example}")
        if model.startswith("-"):
            raise UsageError(f"'{model}' is not a model; write {kind}:MODEL")
        options = dict(parse_qsl(query, keep_blank_values=True))
        for name, value in options.items():
            self._check(name, value)
        return Wanted(model.strip(), options)

    def _check(self, name: str, value: str) -> None:
        if name not in self.options:
            near = get_close_matches(name.replace("-", "_"), self.options, n=1)
            advice = f"did you mean {near[0]}?" if near else f"use {', '.join(self.options)}"
            raise UsageError(f"{self.title}: unknown option {name!r}; {advice}")
        if not value or value.startswith("-"):
            raise UsageError(f"{self.title}: {name} needs a value ({self.options[name]})")
        if name in self.counts and not (value.isascii() and value.isdigit()):
            raise UsageError(f"{self.title}: {name} must be a number ({self.options[name]}), like {name}=8")
