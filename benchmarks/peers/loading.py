"""Modules of the peers' repositories, run as they are, with stand-ins for servers and missing packages.

A stand-in does nothing, or gives a judge's replies that the caller chose; the code that scores is the peer's.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Judge = Callable[[str], str]
"""From the words of a question to the judge's raw reply."""


class PeerMissing(Exception):
    """What is not there, in a line."""


def file_of(folder: Path, *names: str) -> Path:
    """The first of these files that is there. Raises PeerMissing."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise PeerMissing(f"{folder} has no {names[0]}")


def load(path: Path, name: str, stubs: Mapping[str, types.ModuleType], **globals_: Any) -> types.ModuleType:
    """The module of a file. `globals_` are laid over its own names once it is loaded."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PeerMissing(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    with standing_in(stubs), quiet():
        spec.loader.exec_module(module)
    for key, value in globals_.items():
        setattr(module, key, value)
    return module


@contextlib.contextmanager
def standing_in(stubs: Mapping[str, types.ModuleType]) -> Iterator[None]:
    """These modules in place of those of the same names."""
    before = {name: sys.modules.get(name) for name in stubs}
    sys.modules.update(stubs)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def run_main(module: types.ModuleType, folder: Path, arguments: Sequence[str]) -> None:
    """A script's `main` with these arguments, in this folder. Raises what it raises."""
    before, where = sys.argv, Path.cwd()
    sys.argv = [str(module.__file__), *arguments]
    os.chdir(folder)
    try:
        with quiet():
            module.main()
    finally:
        sys.argv = before
        os.chdir(where)


def stub(name: str, **values: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    for key, value in values.items():
        setattr(module, key, value)
    return module


class Silent:
    """Takes every call and answers with nothing."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_args, **_more: None


class _Program:
    """A function of SGLang: its judge's reply, whatever the prompt says."""

    def __init__(self, function: Callable[..., Any], judge: Judge) -> None:
        self._scores, self._judge = "score" in function.__name__, judge

    def run(self, **given: Any) -> dict[str, str]:
        if not self._scores:
            return {"answer_1": f"answer to {given['q']}"}
        return {"answer_1": self._judge(given["qa"]["question"])}


def sglang(judge: Judge) -> types.ModuleType:
    """The front end of SGLang, whose server replies what `judge` says of a question."""
    nothing: Callable[..., None] = lambda *_args, **_more: None  # noqa: E731
    return stub(
        "sglang",
        function=lambda function: _Program(function, judge),
        system=nothing,
        user=nothing,
        assistant=nothing,
        gen=nothing,
        set_default_backend=nothing,
        RuntimeEndpoint=nothing,
    )


class Recording:
    """A module of which one function also keeps what it gave."""

    def __init__(self, module: Any, name: str) -> None:
        self._module, self._name, self.given = module, name, list[float]()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if name != self._name:
            return found

        def recorded(*args: Any, **more: Any) -> Any:
            value = found(*args, **more)
            self.given.append(float(value))
            return value

        return recorded
