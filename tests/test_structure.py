"""Who may import whom, and what modules look like."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("annotation", "backends", "exports", "ui", "sample", "benchmarks", "tests")
FLOORS = (
    ("annotation.records", "annotation.timecode", "annotation.errors", "sample"),
    ("backends",),
    ("annotation",),  # stages, readers of replies, checks: functions of what they are given
    ("annotation.store", "annotation.workspace", "annotation.journal", "annotation.naming",
     "annotation.blinding", "annotation.archive", "annotation.accounts", "annotation.identities",
     "annotation.aspect_sight", "annotation.frame_embeddings",
     "annotation.frame_sequences",
     "annotation.element_edits",
     "annotation.speech_lines", "annotation.cut_history", "annotation.cut_marks", "annotation.waivers",
     "annotation.nominal_scenes", "annotation.scripts"),
    ("annotation.pipeline", "annotation.services", "annotation.jobs", "annotation.job_board",
     "annotation.doctor", "annotation.summary", "annotation.assignments", "annotation.speech_edits",
     "annotation.replacing", "annotation.aspects", "annotation.aspect_progress", "annotation.keyframe_work",
     "annotation.cut_edits",
     "annotation.cut_work", "annotation.frame_labels", "annotation.studies"),
    ("exports",),
    ("ui",),
    ("app",),
    ("benchmarks", "tests"),
)  # fmt: skip
"""From the ground up. A module may import its own floor and those below."""
PURE = ("backends.protocols", "backends.chat.rules")
"""What a module of `annotation` that calls no engine may use of `backends`."""
ONLY_IN = {
    "gradio": ("ui.", "tests."), "fastapi": ("ui.", "tests."), "alembic": ("annotation.store.", "tests."),
    "openai": ("benchmarks.",), "ray": ("annotation.pipeline.cluster", "tests."), "urllib3": ("backends.",),
    "av": ("backends.", "benchmarks.", "sample.", "tests."),
}  # fmt: skip
LONGEST = 400
"""Lines; a module that comes near is split."""
MAY_BE_LONG = {"annotation.records"}  # the nouns are one list


def modules() -> Iterator[tuple[str, Path]]:
    for file in sorted([ROOT / "app.py", *(f for p in PACKAGES for f in (ROOT / p).rglob("*.py"))]):
        if "versions" not in file.parts:  # migrations are written by a program
            yield ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), file


MODULES = dict(modules())


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else str(node.module) for name in whole)


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def floor(name: str) -> int:
    fits = [(len(p), i) for i, floor in enumerate(FLOORS) for p in floor if within(name, (p,))]
    return max(fits, default=(0, -1))[1]  # the longest prefix; -1: not ours


def test_imports_go_down() -> None:
    wrong = [
        f"{name} imports {target}"
        for name, file in MODULES.items()
        for target in imports(file)
        if floor(target) > floor(name)
    ]
    assert wrong == []


def test_only_the_pipeline_and_services_call_engines() -> None:
    """Pages and files reach engines through `annotation`; `app.py` asks two of them for facts."""
    callers = ("backends", *FLOORS[4], "app", "benchmarks", "tests")
    wrong = [
        f"{name} imports {target}"
        for name, file in MODULES.items()
        for target in imports(file)
        if within(target, ("backends",)) and not within(target, PURE) and not within(name, callers)
    ]
    assert wrong == []


@pytest.mark.parametrize(("package", "homes"), ONLY_IN.items())
def test_some_packages_stay_where_they_belong(package: str, homes: tuple[str, ...]) -> None:
    users = [name for name, file in MODULES.items() if any(within(i, (package,)) for i in imports(file))]
    assert users
    assert [name for name in users if not name.startswith(homes)] == []


def test_a_wrong_import_is_seen() -> None:
    assert floor("backends.scenes") < floor("annotation.vdc") < floor("annotation.store.store")
    assert floor("annotation.records") < floor("backends.protocols")
    assert floor("annotation.services") < floor("exports.jsonl") < floor("ui.app") < floor("app")
    assert floor("numpy") == -1


def test_package_files_are_empty() -> None:
    assert [str(f) for f in MODULES.values() if f.name == "__init__.py" and f.read_text()] == []


def test_no_module_is_named_like_one_of_pythons() -> None:
    names = {part for name in MODULES for part in name.split(".")}
    assert names & (set(sys.stdlib_module_names) | set(ONLY_IN) | {"numpy", "pytest"}) == set()


def test_modules_are_short() -> None:
    lines = {name: len(file.read_text(encoding="utf-8").splitlines()) for name, file in MODULES.items()}
    assert {name: n for name, n in lines.items() if n > LONGEST and name not in MAY_BE_LONG} == {}
