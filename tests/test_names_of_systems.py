"""Code outside the folders of a system does not name it, apart from the lists of systems and the files below.

Identifiers and string constants count, comments and docstrings do not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

LAYERS = ("annotation", "backends", "exports", "ui")
FOLDERS = {"carebench", "vdc", "video_mmlu", "vript", "progress_captioner", "loveu", "peers"}
LISTS = {
    "annotation/pipeline/system_list.py",
    "exports/catalogue/system_list.py",
    "ui/systems/system_list.py",
}
HOMES = {"annotation": "annotation/systems", "exports": "exports", "ui": "ui/systems"}
"""The folder that holds those of the systems, by layer."""
BASELINE = "backends/chat/baseline.py"
"""Answers requests of all systems from measurements, by the name of the request."""
ALLOWED = {
    "capst": {BASELINE, "exports/sample.py"},
    "mmlu": {
        BASELINE,
        "annotation/pipeline/evidence/ask_video.py",  # asks in the words of its direct questions
        "annotation/scores/scoring_policies.py",  # the rules of the peers' scorers
        "ui/commands/prompts.py",
    },
    "vript": {
        "annotation/pipeline/evidence/ranking.py",  # what a caption claims about the camera
        "annotation/reports/script_findings.py",
        "backends/scenes/cut_rules_per_picture.py",  # cuts as in the dataset
        "backends/scenes/scene_detectors.py",
        "exports/sample.py",
        "ui/commands/options.py",
        "ui/commands/run.py",
        "ui/pages/script/view.py",
        "ui/pages/script/wire_types.py",
    },
    "frame_?cap_?eval|framecap": {"ui/commands/frame_captions.py"},
}
"""By a pattern of the name."""
MOST = {"capst": 5, "mmlu": 10, "vript": 10, "frame_?cap_?eval|framecap": 5}


def words_of_python(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    docs = {
        id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.alias):
            yield node.name
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


def words(file: Path) -> Iterator[str]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        yield from words_of_python(text)
    else:
        yield re.sub(r"/\*.*?\*/|(?:^|\s)//[^\n]*", " ", text, flags=re.S)


def files() -> Iterator[Path]:
    yield ROOT / "app.py"
    for file in (file for layer in LAYERS for file in (ROOT / layer).rglob("*")):
        outside = (
            not FOLDERS & set(file.parts) and "migrations" not in file.parts and "vendor" not in file.parts
        )
        if file.suffix in (".py", ".js") and outside:
            yield file


def naming(pattern: str) -> set[str]:
    wanted = re.compile(pattern, re.IGNORECASE)
    found = {f.relative_to(ROOT).as_posix() for f in files() if any(map(wanted.search, words(f)))}
    return found - LISTS


@pytest.mark.parametrize("pattern", ALLOWED)
def test_a_system_is_named_in_its_folders(pattern: str) -> None:
    assert naming(pattern) == ALLOWED[pattern]
    assert len(ALLOWED[pattern]) <= MOST[pattern]


def test_names_in_docstrings_and_comments_do_not_count() -> None:
    text = '"""CapST."""\n# CapST\ndef of_capst(): ...\n'
    assert [word for word in words_of_python(text) if "capst" in word.lower()] == ["of_capst"]


def test_folders_of_systems_are_those_of_the_lists() -> None:
    for path in LISTS:
        text = (ROOT / path).read_text(encoding="utf-8")
        home = (
            ROOT
            / {"annotation": "annotation/systems", "exports": "exports", "ui": "ui/systems"}[
                path.split("/")[0]
            ]
        )
        there = {folder.name for folder in home.iterdir() if folder.name in FOLDERS}
        assert set(re.findall(r"^    (\w+)\.SYSTEM,", text, re.M)) == there, path
