"""Every command, and what it does where there is no workspace: commands that only read never make one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

import app
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.workspace.workspace import Workspace
from tests.backends.clips import numbered, write_clip

CLIP, TEXT, OUT = "CLIP", "TEXT", "OUT"
"""Stand for a video, a file with words in it, and a file that is written."""


@dataclass(frozen=True)
class Kind:
    """How a command deals with a workspace."""

    reads: tuple[tuple[str, ...], ...] = ()
    """Arguments with which it works on a workspace that is there, and refuses a missing one."""
    makes: tuple[tuple[str, ...], ...] = ()
    """Arguments with which it makes a missing one."""
    apart: str = ""
    """Why it takes no workspace, or where else it is tried."""


KINDS = {
    "serve": Kind(apart="makes one: every test of the server"),
    "probe": Kind(apart="of a file"),
    "scenes": Kind(apart="of a file"),
    "models": Kind(apart="of this machine"),
    "password": Kind(apart="makes a line"),
    "read-replies": Kind(apart="of a file"),
    "check-split": Kind(apart="of a file"),
    "restore": Kind(apart="makes one: tests/annotation/workspace/test_archive.py"),
    "run": Kind(makes=((CLIP, "--stages", "probe"),)),
    "import": Kind(reads=(("--undo", "imp-1"),), makes=((TEXT,),)),
    "account": Kind(
        reads=(
            ("list",),
            ("role", "anna", "expert"),
            ("password", "anna"),
            ("disable", "anna"),
            ("enable", "anna"),
            ("tokens",),
            ("token", "anna", "mine"),
            ("revoke", "anna", "mine"),
            ("log",),
        ),
        makes=(("link", "anna", "expert", "--issuer", "https://id.example.org", "--subject", "1"),),
    ),
    "backup": Kind(reads=((OUT,),)),
    "copy-database": Kind(reads=((f"sqlite:///{OUT}",),)),
    "export": Kind(reads=(("dailies-jsonl", OUT),)),
    "lint": Kind(reads=((),)),
    "doctor": Kind(reads=((),)),
    "score": Kind(reads=(("vdc",), ("retrieval", "--embedder", "baseline"))),
    "compare": Kind(reads=(("one", "two"),)),
    "join": Kind(reads=(("one", "two"),)),
    "run-evaluation": Kind(reads=(("one",), ("one", "--estimate"))),
    "judge-captions": Kind(reads=(("progression",),)),
    "ceiling": Kind(reads=((), ("--estimate",))),
    "prompt show": Kind(reads=(("vdc_verdict", "one"),)),
    "prompt add": Kind(reads=(("vdc_verdict", "mine", TEXT),)),
    "prompt try": Kind(reads=(("vdc_verdict", "mine", "one"),)),
    "prompt use": Kind(reads=(("vdc_verdict", "usual"),)),
}


def commands(group: Any = None, above: str = "") -> Iterator[str]:
    """The names of all commands, those of groups with the group's name before them."""
    group = group or typer.main.get_command(app.cli)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}"


def test_every_command_is_classified() -> None:
    """A new command is put into the table: it reads, makes, or takes no workspace."""
    assert set(commands()) == set(KINDS)


def test_what_takes_no_workspace_has_no_flag_for_one() -> None:
    group: Any = typer.main.get_command(app.cli)
    for name, kind in KINDS.items():
        if " " not in name and not kind.reads and not kind.makes and name not in ("serve", "restore"):
            assert all(param.name != "workspace" for param in group.commands[name].params), name


def cases(which: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, given) for name, kind in KINDS.items() for given in getattr(kind, which)]


def called(name: str, given: Sequence[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of one command on `folder/w`."""
    for file, content in (("words.txt", "question: {question}"),):
        (folder / file).write_text(content, encoding="utf-8")
    places = {CLIP: folder / "clip.mp4", TEXT: folder / "words.txt", OUT: folder / "out.file"}
    if CLIP in given:
        write_clip(places[CLIP], map(numbered, range(5)))
    if name == "import" and TEXT in given:
        places[TEXT] = Path(__file__).resolve().parents[1] / "sample" / "vdc_captions.jsonl"
    arguments = list(given)
    for word, path in places.items():
        arguments = [one.replace(word, str(path)) for one in arguments]
    monkeypatch.setattr(sys, "argv", ["app.py", *name.split(), *arguments, "--workspace", str(folder / "w")])
    monkeypatch.setattr(sys, "stdin", None)
    return app.main()


@pytest.mark.parametrize(("name", "given"), cases("reads"))
def test_a_mistyped_workspace_is_refused_and_not_made(
    name: str,
    given: Sequence[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert called(name, given, tmp_path, monkeypatch) == 2
    assert f"there is no workspace at {tmp_path / 'w'}" in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "w").exists() and not (tmp_path / "out.file").exists()


@pytest.mark.parametrize(("name", "given"), cases("reads"))
def test_a_folder_without_a_workspace_stays_as_it_is(
    name: str, given: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w").mkdir()
    assert called(name, given, tmp_path, monkeypatch) == 2
    assert list((tmp_path / "w").iterdir()) == []


@pytest.mark.parametrize(("name", "given"), cases("makes"))
def test_what_brings_the_first_things_makes_one(
    name: str, given: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert called(name, given, tmp_path, monkeypatch) == 0
    space = Workspace.existing(tmp_path / "w")
    assert space.store.count(Video) or space.store.count(Person)
    space.close()


def test_an_estimate_makes_no_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert called("run", (CLIP, "--estimate"), tmp_path, monkeypatch) == 0
    assert not (tmp_path / "w").exists()


def test_doctor_looks_before_there_is_a_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DAILIES_WORKSPACE", raising=False)
    monkeypatch.setattr(sys, "argv", ["app.py", "doctor"])
    with chdir(tmp_path):
        assert app.main() == 0
    assert "workspace                none yet" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_is_named_wrongly_is_not_made(tmp_path: Path) -> None:
    Workspace(tmp_path / "w").close()
    wrong = f"sqlite:///{tmp_path / 'other.db'}"
    command = [sys.executable, "app.py", "lint", "-w", str(tmp_path / "w"), "--database", wrong]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "there is no workspace in sqlite" in done.stderr
    assert not (tmp_path / "other.db").exists()
