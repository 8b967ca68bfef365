"""The installed command: `pip install .` gives `dailies`, with every file that the program reads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata

from annotation.records.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("annotation", "backends", "exports", "ui", "sample")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built from a copy: building leaves folders behind."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("app.py", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, source / name)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    flags = ["-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *flags, "-w", out, source], check=True)
    (found,) = out.glob("dailies-*.whl")
    return found


def test_the_package_holds_every_file_of_the_program(wheel: Path) -> None:
    assert wheel.name.startswith(f"dailies-{VERSION}-")
    held = set(zipfile.ZipFile(wheel).namelist())
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.is_file()]
    names = [file.relative_to(ROOT).as_posix() for file in files if "__pycache__" not in file.parts]
    missing = [name for name in names if name not in held]
    assert missing == []


def test_decord_is_needed_only_where_it_has_wheels(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        needs = Metadata.from_email(archive.read(name)).requires_dist or []
    (marker,) = (need.marker for need in needs if need.name == "decord")
    assert marker
    for system, machine, wanted in (
        ("Linux", "x86_64", True),
        ("Linux", "aarch64", False),
        ("Darwin", "arm64", False),
    ):
        assert marker.evaluate({"platform_system": system, "platform_machine": machine}) is wanted
    assert not [need.name for need in needs if need.name in ("vllm", "torch")]


def test_the_installed_command_runs_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, wheel]
    subprocess.run(install, check=True)
    environment = {**os.environ, "PYTHONPATH": str(site)}
    clip = ["import", str(ROOT / "sample" / "vdc_captions.jsonl"), "-w", str(tmp_path / "w"), "--json"]
    done = subprocess.run(
        [site / "bin" / "dailies", *clip], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, '"format": "vdc-captions"' in done.stdout) == (0, True), done.stderr
