"""Who may import whom, and what modules look like."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("annotation", "backends", "exports", "ui", "sample", "benchmarks", "tests")
LAYERS = (
    "backends",
    "annotation.records",
    "annotation.checks",
    "annotation.prompts",
    "annotation.replies",
    "annotation.scores",
    "annotation.store",
    "annotation.texts",
    "annotation.workspace",
    "annotation.people",
    "annotation.stages",
    "annotation.intake",
    "annotation.editing",
    "annotation.systems",
    "annotation.pipeline",
    "annotation.reports",
    "exports",
    "ui",
    "app",
)
"""From the ground up: a folder imports none that stands after it."""
WITHOUT_ENGINES = (
    "annotation.records",
    "annotation.checks",
    "annotation.replies",
    "annotation.scores",
    "annotation.store",
    "annotation.people",
)
PLAIN = (
    "backends.protocols",
    "backends.errors",
    "backends.digest",
    "backends.video_and_word_types",
    "backends.atomic_files",
    "backends.sqlite_file",
    "backends.text",
)
"""Modules of `backends` that call no engine."""
MOST_FILES = 24
ONLY_IN = {
    "gradio": ("ui.", "tests."),
    "fastapi": ("ui.", "tests."),
    "alembic": ("annotation.store.", "tests."),
    "openai": ("benchmarks.",),
    "ray": ("annotation.pipeline.distributed.", "tests."),
    "urllib3": ("backends.",),
    "av": ("backends.", "benchmarks.", "sample.", "ui.gradio_parts.", "tests."),
    "backends.chat.baseline_rules": ("backends.chat.", "tests."),
}
"""Packages and folders, and the only modules that import them."""
OWN_PACKAGE = "ui.gradio_parts"
"""Installed as a package of its own, under another name: it exports names, and imports relatively."""
LONGEST = 425
"""Lines; a module that comes near is split."""


def modules() -> Iterator[tuple[str, Path]]:
    for file in sorted([ROOT / "app.py", *(f for p in PACKAGES for f in (ROOT / p).rglob("*.py"))]):
        parts = file.relative_to(ROOT).with_suffix("").parts
        # Migrations are written by a program, the toy benchmark belongs into a copy of this one, and pip
        # leaves a copy of a package that it has built.
        if not {"versions", "toy_benchmark", "build"} & set(parts):
            yield ".".join(parts).removesuffix(".__init__"), file


MODULES = dict(modules())


@cache
def imports(file: Path) -> tuple[str, ...]:
    return tuple(_imports(file))


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module)
            if node.level:
                home = ".".join(file.parent.relative_to(ROOT).parts)
                assert home == OWN_PACKAGE, f"{file}: relative import"
                module = f"{home}.{module}"
            whole = [f"{module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else module for name in whole)


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def layer(name: str) -> int:
    """-1: none of ours, or above them all."""
    return next((i for i, folder in enumerate(LAYERS) if within(name, (folder,))), -1)


def folder(name: str) -> str:
    return name.rpartition(".")[0]


EDGES = {
    name: {target for target in imports(file) if target in MODULES and target != name}
    for name, file in MODULES.items()
    if layer(name) >= 0
}
"""Which module imports which, imports inside of functions too."""


def cycles(graph: dict[str, set[str]]) -> list[str]:
    """Nodes that a cycle runs through: what is left when those without successors are taken away."""
    left = dict(graph)
    while gone := {node for node, targets in left.items() if not targets & set(left)}:
        left = {node: targets for node, targets in left.items() if node not in gone}
    return sorted(left)


def test_imports_go_down() -> None:
    wrong = [f"{a} imports {b}" for a, targets in EDGES.items() for b in targets if layer(b) > layer(a)]
    assert wrong == []


def test_neither_modules_nor_folders_import_in_a_circle() -> None:
    folders: dict[str, set[str]] = {folder(name): set() for name in EDGES}
    for name, targets in EDGES.items():
        folders[folder(name)] |= {folder(target) for target in targets} - {folder(name)}
    assert cycles({"a": {"b"}, "b": {"a"}, "c": set()}) == ["a", "b"]
    assert cycles(EDGES) == [] and cycles(folders) == []


def test_folders_are_small() -> None:
    modules = [file for name, file in MODULES.items() if layer(name) >= 0 and file.name != "__init__.py"]
    of_pages = [file for file in (ROOT / "ui").rglob("*") if file.suffix in (".js", ".css")]
    files = Counter(file.parent.relative_to(ROOT).as_posix() for file in (*modules, *of_pages))
    assert files["ui/lib/parts"] and {name: n for name, n in files.items() if n > MOST_FILES} == {}


def test_what_is_no_stage_calls_no_engine() -> None:
    wrong = [
        f"{name} imports {target}"
        for name, targets in EDGES.items()
        for target in targets
        if within(name, WITHOUT_ENGINES) and within(target, ("backends",)) and not within(target, PLAIN)
    ]
    assert wrong == []


@pytest.mark.parametrize(("package", "homes"), ONLY_IN.items())
def test_some_packages_stay_where_they_belong(package: str, homes: tuple[str, ...]) -> None:
    users = [name for name, file in MODULES.items() if any(within(i, (package,)) for i in imports(file))]
    assert users
    assert [name for name in users if not name.startswith(homes)] == []


def test_a_wrong_import_is_seen() -> None:
    assert layer("backends.scenes.scene_detectors") < layer("annotation.store.store") < layer("ui.web_app")
    assert layer("numpy") == -1


def test_package_files_are_empty() -> None:
    full = [name for name, f in MODULES.items() if f.name == "__init__.py" and f.read_text()]
    assert full == [OWN_PACKAGE]


def test_no_module_is_named_like_one_of_pythons() -> None:
    names = {part for name in MODULES for part in name.split(".")}
    assert names & (set(sys.stdlib_module_names) | set(ONLY_IN) | {"numpy", "pytest"}) == set()


def test_modules_are_short() -> None:
    lines = {name: len(file.read_text(encoding="utf-8").splitlines()) for name, file in MODULES.items()}
    assert {name: n for name, n in lines.items() if n > LONGEST} == {}


def test_modules_that_texts_name_are_there() -> None:
    """Programs that stand in a string, and commands in docs, are not renamed by a tool."""
    texts = [*MODULES.values(), ROOT / "README.md", ROOT / "Makefile", *(ROOT / "docs").glob("*.md")]
    ours = "|".join(PACKAGES)
    named = re.compile(rf"(?:^from|^import|python -m) ((?:{ours})\.[a-z_0-9.]+)", re.MULTILINE)
    folders = {folder(name) for name in MODULES}
    wrong = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in texts
        for name in named.findall(file.read_text(encoding="utf-8"))
        if name.rstrip(".") not in MODULES and name not in folders
    ]
    assert wrong == []
