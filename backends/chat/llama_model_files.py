"""Choose which files llama.cpp loads from a folder or a repository on the model hub."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from backends.digest import digest
from backends.errors import UsageError

USUAL = ("Q4_K_M", "Q5_K_M", "Q4_0", "Q8_0", "BF16", "F16")
"""Order of preference if a repository has several quantisations and the user names none."""
_shard = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)", re.IGNORECASE)
_repository = re.compile(r"[^\W_][\w.-]*/[^\W_][\w.-]*")
SAMPLED = 1 << 20
"""Bytes read at each end of a file, to distinguish files of the same name."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Files of one model."""

    model: str
    """The file to load; for a model of several parts the first one, beside which llama.cpp finds the rest."""
    parts: tuple[str, ...]
    """All required files, including `model`."""
    mmproj: str | None
    """Projector that converts pictures into tokens; without it the model does not accept pictures."""

    @property
    def name(self) -> str:
        return _shard.sub("", Path(self.model).name).removesuffix(".gguf")


def choose_files(names: Iterable[str], wanted: str, where: str) -> ModelFiles:
    """Choose a model from the file names of `where`; `wanted` is a name, a part of one (`Q8_0`), or empty.

    Raises UsageError if there is no model, or more than one to choose from.
    """
    files = sorted(name for name in names if name.lower().endswith(".gguf"))
    pictures = [name for name in files if "mmproj" in Path(name).name.lower()]
    models = [name for name in files if name not in pictures and _is_first(name)]
    if not models:
        raise UsageError(f"{where} contains no model in GGUF files; llama.cpp reads only GGUF")
    fitting = _fitting(models, wanted)
    if len(fitting) != 1:
        said = f"no file {wanted!r}" if wanted and not fitting else "several models"
        raise UsageError(f"{where} has {said}; name one of: {', '.join(Path(m).name for m in models[:8])}")
    model = fitting[0]
    parts = tuple(name for name in files if _shard.sub("", name) == _shard.sub("", model))
    _check_whole(model, parts, where)
    return ModelFiles(model, parts, _projector(pictures))


def _is_first(name: str) -> bool:
    shard = _shard.search(name)
    return shard is None or int(shard[1]) == 1


def _fitting(models: Sequence[str], wanted: str) -> list[str]:
    if not wanted:
        usual = (name for kind in USUAL for name in models if kind.lower() in name.lower())
        return list(models) if len(models) == 1 else list(usual)[:1]
    exact = [name for name in models if wanted in (name, Path(name).name, Path(name).stem)]
    return exact or [name for name in models if wanted.lower() in Path(name).name.lower()]


def _check_whole(model: str, parts: Sequence[str], where: str) -> None:
    shard = _shard.search(model)
    if shard and len(parts) != int(shard[2]):
        raise UsageError(
            f"{where} contains only {len(parts)} of the {int(shard[2])} parts of {Path(model).name}; "
            "download the others"
        )


def _projector(pictures: Sequence[str]) -> str | None:
    """Choose a projector: they differ in precision only, and all machines support half precision."""
    half = [name for name in pictures if re.search(r"(?<!b)f16", Path(name).name, re.IGNORECASE)]
    return next(iter([*half, *pictures]), None)


def is_on_hub(model: str) -> bool:
    """Return whether `model` means `ORG/REPO` or `ORG/REPO:FILE` rather than a local file."""
    repository, _, _ = model.partition(":")
    return (
        not Path(model).expanduser().exists()
        and bool(_repository.fullmatch(repository))
        and not repository.lower().endswith(".gguf")
    )


def local_files(model: str) -> ModelFiles:
    """Return the files of a model file or folder, as full paths. Raises UsageError if there are none."""
    path = Path(model).expanduser().absolute()
    if not path.exists():
        raise UsageError(f"no file {path}; write llama:FILE.gguf, llama:FOLDER or llama:ORG/REPO[:FILE]")
    folder, wanted = (path, "") if path.is_dir() else (path.parent, path.name)
    if wanted and not wanted.lower().endswith(".gguf"):
        raise UsageError(f"{path} is not a GGUF file; llama.cpp reads only GGUF")
    found = choose_files((file.name for file in folder.iterdir()), wanted, str(folder))
    projector = found.mmproj if not wanted else None
    return ModelFiles(
        str(folder / found.model),
        tuple(str(folder / part) for part in found.parts),
        str(folder / projector) if projector else None,
    )


def fingerprint(files: ModelFiles) -> str:
    """Return a short hash of the files' first and last bytes: a file of the same name may have changed."""
    samples: list[object] = []
    for part in files.parts:
        with Path(part).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            head = file.read(SAMPLED)
            file.seek(max(0, size - SAMPLED))
            samples += [size, head.hex(), file.read().hex()]
    return digest(*samples)[:10]
