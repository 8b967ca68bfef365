"""Retrieval of CaReBench: `ir` of `tasks/retrieval.py`, whole, on made embeddings of texts and videos."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from annotation.reports.report_type import Options
from annotation.store.store import Store
from benchmarks.peers import ours
from benchmarks.peers.figures import ENDS, Figure, NotRun
from benchmarks.peers.loading import Silent, file_of, load, quiet, standing_in, stub
from exports.carebench.retrieval_report import retrieval_reports

PEER = "carebench (retrieval)"
TIES = "Equal similarities in retrieval"
GAPS = "Videos without a text, and fewer than ten candidates, in retrieval"
PRINTED = {"image_retrieval": "text to video", "text_retrieval": "video to text"}
KS = (1, 5, 10)
Floats = NDArray[np.float32]
Found = Mapping[tuple[str, int], float | None]


@dataclass(frozen=True, slots=True)
class Made:
    """Embeddings, with the video that each text belongs to."""

    texts: Floats
    videos: Floats
    home: NDArray[np.int64]
    explained: str = ""


def retrieval(checkout: Path, folder: Path, seed: int) -> Iterator[Figure | NotRun]:
    """Each file is read as an npz; recalls go out as `retrieval` and are read again."""
    script = file_of(checkout, "tasks/retrieval.py")
    if not find_spec("torch"):
        yield NotRun(PEER, "torch is not installed")
        return
    for name, one in _files(np.random.default_rng(seed)).items():
        theirs = _theirs(script, one)
        here = folder / f"retrieval-{name.replace(' ', '-')}"
        store = ours.store_in(here)
        ours.brought(store, _npz(here / "made_general.npz", one))
        yield from _compared(name, theirs, _ours(store, "expected"), one.explained)
        if one.explained == TIES:
            yield from _within(name, theirs, store)
        again = ours.store_in(here / "again")
        ours.brought(again, ours.through(store, here, "retrieval"), "retrieval")
        yield from _compared(f"{name}: out and in again", theirs, _ours(again, "as given"), one.explained)


def _files(draw: np.random.Generator) -> dict[str, Made]:
    """One text per video; several; lengths other than 1; equal embeddings; videos without a text; few."""
    same = _made(draw, 60, np.arange(60))
    same.videos[30:] = same.videos[:30]
    return {
        "one text each": _made(draw, 300, np.arange(300)),
        "several texts each": _made(draw, 120, np.sort(np.r_[np.arange(120), draw.integers(0, 120, 200)])),
        "longer than 1": _made(draw, 150, draw.permutation(150), length=7.5),
        "equal videos": Made(same.texts, same.videos, same.home, TIES),
        "videos without a text": _made(draw, 50, draw.integers(0, 40, 90), explained=GAPS),
        "five videos": _made(draw, 5, np.arange(5), explained=GAPS),
    }


def _made(
    draw: np.random.Generator, videos: int, home: NDArray[np.int64], *, length: float = 1, explained: str = ""
) -> Made:
    """Vectors of texts near those of their videos, as far off as a model's are."""
    found = draw.normal(size=(videos, 24))
    texts = found[home] + draw.normal(scale=1.6, size=(len(home), 24))
    scale = length * draw.uniform(0.5, 2, size=(len(home), 1)) if length != 1 else 1
    return Made((texts * scale).astype(np.float32), found.astype(np.float32), home, explained)


def _npz(path: Path, one: Made) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = np.array([f"v{n}" for n in range(len(one.videos))])
    named = np.array([f"t{n}" for n in range(len(one.texts))])
    np.savez(
        path,
        text_embeddings=one.texts,
        video_embeddings=one.videos,
        video_ids=ids,
        text_ids=named,
        text_videos=ids[one.home],
    )
    return path


# --- its code ---------------------------------------------------------------------------------


class _Pairs:
    """As its `VideoTextDataset`: a row per text, or per video; what stands for both is their number."""

    def __init__(self, one: Made) -> None:
        self.return_text, self._sizes = False, (len(one.videos), len(one.texts))
        self.texts_vision_index = one.home.tolist()
        self.vision_texts_index: list[int] = []

    def __len__(self) -> int:
        return self._sizes[self.return_text]

    def __getitem__(self, number: int) -> dict[str, int]:
        return {"caption" if self.return_text else "video": number}


def _theirs(script: Path, one: Made) -> dict[tuple[str, int], float] | None:
    """`{(direction, k): R@k}`, 0 to 1; None where its run ends with an error."""
    torch = importlib.import_module("torch")
    texts, videos = (torch.from_numpy(rows) for rows in (one.texts, one.videos))
    encoder = SimpleNamespace(encode_text=lambda at: texts[at], encode_vision=lambda at: videos[at])
    stubs = _stubs(one)
    with standing_in(stubs):
        module = load(script, "carebench_retrieval", stubs)
        try:
            with quiet():
                found = module.ir(encoder, {}, "cpu")
        except RuntimeError:  # topk of more than there are
            return None
    return {(words, k): found[f"{name}_recall@{k}"] / 100 for name, words in PRINTED.items() for k in KS}


def _stubs(one: Made) -> dict[str, ModuleType]:
    """What it imports to read videos and to spread work over processors."""
    same = lambda value: value  # noqa: E731
    accelerator = SimpleNamespace(prepare=same, gather_for_metrics=same, device="cpu", is_main_process=True)
    return {
        "accelerate": stub("accelerate", Accelerator=lambda **_more: accelerator),
        "models": stub("models"),
        "models.modeling_encoders": stub("models.modeling_encoders", AutoEncoder=Silent()),
        "utils": stub("utils"),
        "utils.video": stub("utils.video", read_frames_decord=None),
        "decord": stub("decord", bridge=Silent()),
        "torchvision": stub("torchvision"),
        "torchvision.transforms": stub("torchvision.transforms"),
        "torchvision.transforms.v2": stub("torchvision.transforms.v2", PILToTensor=None),
        "dataset": stub("dataset"),
        "dataset.dataset": stub("dataset.dataset", VideoTextDataset=lambda **_more: _Pairs(one)),
    }


# --- ours -------------------------------------------------------------------------------------


def _ours(store: Store, ties: str) -> dict[tuple[str, int], float | None]:
    policies = () if ties == "as given" else (ties,)
    (report,) = retrieval_reports(store, Options(policies=policies))
    return {
        (row["group"]["direction"], int(row["metric"].removeprefix("R@"))): row["value"]
        for row in report["rows"]
        if row["metric"].startswith("R@")
    }


def _compared(name: str, theirs: Found | None, found: Found, explained: str) -> Iterator[Figure]:
    for (direction, k), value in found.items():
        stated = theirs[direction, k] if theirs else ENDS
        yield Figure(PEER, name, f"R@{k} {direction}", stated, value, explained)


def _within(name: str, theirs: Found | None, store: Store) -> Iterator[Figure]:
    """What its order of equals makes of them lies between our worst and our best."""
    worst, best = _ours(store, "pessimistic"), _ours(store, "optimistic")
    for place, value in (theirs or {}).items():
        nearest = min(max(value or 0.0, worst[place] or 0.0), best[place] or 0.0)
        yield Figure(PEER, f"{name}: from worst to best", f"R@{place[1]} {place[0]}", value, nearest)
