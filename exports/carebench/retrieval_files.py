"""Retrieval files: similarities or embeddings (npz, Parquet), and published recalls (JSON).

**npz** (never pickles): `similarity` (texts x videos), or `text_embeddings` and `video_embeddings` (rows of
equal length, compared by cosine); `text_ids` and `video_ids`; `text_videos`, the video of each text, or
`positives` (texts x videos, true for matches). Without these two, a text matches the video with its id, or
without ids the video at its position. In a file with several settings, names begin with `general_`,
`spatial_` or `temporal_`; arrays without a prefix apply to all settings that have no own one.

**Parquet**: `text`, `video`, `similarity`, one row per pair, optionally `positive` and `setting`; or
`side` (`text` or `video`), `id`, `embedding`, optionally `video` (the video of a text) and `setting`.

**JSON**: `{"spatial": {...}, "temporal": {...}}` of recalls, in percent or as shares, or a list of such
objects with `model`. A setting is `{"t2v": {"R@1": 77.4, ...}, "v2t": {...}}`, the names that CaReBench's
code prints (`image_retrieval_recall@1` is text to video), a list of recalls, or their mean.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.records.errors import FormatError
from annotation.records.finite_numbers import finite_float
from annotation.records.ids import Json
from annotation.systems.carebench.recall_at_k import DIRECTIONS, KS, Direction, Setting, cosine
from backends.errors import UsageError
from exports.files.read_text_and_json import PARQUET, parse_document

SETTINGS = ("general", "spatial", "temporal")
_NAMES = (
    "similarity",
    "text_embeddings",
    "video_embeddings",
    "text_ids",
    "video_ids",
    "text_videos",
    "positives",
)
_AT = re.compile(r"(?:r(?:ecall)?[@_ ]?(?:at_?)?)(\d+)$", re.IGNORECASE)
_PRINTED: Mapping[str, Direction] = {"image_retrieval": "t2v", "text_retrieval": "v2t"}
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Recalls:
    """Published recalls of one setting, as shares of 1."""

    mean: float
    """Mean of all given recalls."""
    each: Mapping[tuple[Direction, int], float] = field(default_factory=dict)
    """Empty if the file has only a mean."""


@dataclass(frozen=True, slots=True)
class RecallSheet:
    """One model's published recalls by setting, and its captioning F1 if the file has one."""

    model: str
    settings: Mapping[str, Recalls]
    captioning_f1: float | None = None


def read_settings(path: Path) -> list[Setting]:
    """Read the settings of an npz or Parquet file. Raises FormatError."""
    with path.open("rb") as file:
        start = file.read(4)
    arrays = _parquet_settings(path) if start == PARQUET else _npz_settings(path)
    found = []
    for name, each in arrays.items():
        try:
            found.append(_setting(name, each))
        except UsageError as error:
            raise FormatError(f"{path.name} ({name}): {error}") from None
    if not found:
        raise FormatError(f"{path.name}: missing arrays: similarity, or text_embeddings and video_embeddings")
    return found


def is_recalls(path: Path) -> bool:
    """Return whether the file is JSON; other files are recognised by their first bytes."""
    with path.open("rb") as file:
        return file.read(4)[:1] in (b"{", b"[", b"\xef", b"\xff", b"\xfe", b" ", b"\n")


def setting_of_name(name: str) -> str:
    """Return the setting in a name, such as spatial for `CaRe_spatial.npz`; general without one."""
    return next((one for one in SETTINGS if one in name.lower()), "general")


def model_of(path: Path) -> str:
    """Return the model: `CaRe` for both `CaRe_spatial.npz` and `CaRe_temporal.npz`."""
    stem = re.sub("|".join(SETTINGS), "", path.stem, flags=re.IGNORECASE)
    return stem.strip("_- .") or path.parent.name or "retrieval"


# --- npz ------------------------------------------------------------------------------------


def _npz_settings(path: Path) -> dict[str, Arrays]:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile, EOFError):  # numpy's message suggests unpickling
        raise FormatError(
            f"{path.name}: not an npz of plain arrays, Parquet or JSON; write it with numpy.savez"
        ) from None
    plain = {name: arrays[name] for name in _NAMES if name in arrays}
    named = {
        setting: {name: arrays[f"{setting}_{name}"] for name in _NAMES if f"{setting}_{name}" in arrays}
        for setting in SETTINGS
    }
    found = {setting: {**plain, **own} for setting, own in named.items() if own}
    if not found and _whole(plain):
        return {setting_of_name(path.stem): plain}
    return {setting: each for setting, each in found.items() if _whole(each)}


def _whole(arrays: Arrays) -> bool:
    return "similarity" in arrays or {"text_embeddings", "video_embeddings"} <= arrays.keys()


def _setting(name: str, arrays: Arrays) -> Setting:
    """Return the setting. Raises UsageError if the arrays do not match."""
    if "similarity" in arrays:
        similarity = _numbers(arrays["similarity"])
    else:
        similarity = cosine(_numbers(arrays["text_embeddings"]), _numbers(arrays["video_embeddings"]))
    if similarity.ndim != 2 or not similarity.size:
        raise UsageError(f"similarity has the shape {similarity.shape}; it must be (texts, videos)")
    if np.isnan(similarity).any():
        row, column = np.argwhere(np.isnan(similarity))[0].tolist()
        raise UsageError(
            f"{int(np.isnan(similarity).sum()):,} of {similarity.size:,} similarities are not a number, the "
            f"first in row {row}, column {column} (from 0), so they cannot be ranked; write a number for each"
        )
    texts = _ids(arrays.get("text_ids"), similarity.shape[0], "text")
    videos = _ids(arrays.get("video_ids"), similarity.shape[1], "video")
    if len(set(videos)) < len(videos):
        raise UsageError("two videos have the same id; each column needs its own id")
    positive = _positives(arrays, texts, videos, similarity.shape)
    if not positive.any():
        raise UsageError("no text belongs to any video; give text_videos, positives or matching ids")
    return Setting(name, similarity, positive, texts, videos)


def _numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype.kind not in "fiub":
        raise UsageError(f"an array of {values.dtype}; give numbers")
    return values.astype(np.float64)


def _ids(values: NDArray[Any] | None, count: int, what: str) -> tuple[str, ...]:
    if values is None:
        return tuple(str(n) for n in range(count))
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    found = tuple(str(value) for value in values.tolist()) if values.ndim == 1 else ()
    if len(found) != count:
        raise UsageError(f"{what}_ids has {len(found)} names for {count} {what}s")
    return found


def _positives(
    arrays: Arrays, texts: Sequence[str], videos: Sequence[str], shape: tuple[int, ...]
) -> NDArray[np.bool_]:
    if "positives" in arrays:
        given = arrays["positives"]
        if given.shape != shape:
            raise UsageError(f"positives has the shape {given.shape}, similarity {shape}")
        return np.asarray(given.astype(bool))
    if "text_videos" in arrays:
        homes: Sequence[str] = _ids(arrays["text_videos"], len(texts), "text_video")
    elif "text_ids" in arrays or "video_ids" in arrays:
        homes = texts
    elif shape[0] != shape[1]:
        raise UsageError(f"{shape[0]} texts and {shape[1]} videos without ids; give text_videos or positives")
    else:
        return np.eye(shape[0], dtype=bool)
    column = {video: n for n, video in enumerate(videos)}
    positive = np.zeros(shape, dtype=bool)
    for row, home in enumerate(homes):
        if home in column:
            positive[row, column[home]] = True
    return positive


# --- Parquet --------------------------------------------------------------------------------


def _parquet_settings(path: Path) -> dict[str, Arrays]:
    try:
        from pyarrow import parquet
    except ImportError:
        raise UsageError(f"{path.name} needs pyarrow: pip install -r requirements-parquet.txt") from None
    try:
        table = parquet.read_table(path)
    except Exception as error:  # noqa: BLE001 - pyarrow has many kinds of errors for a broken file
        raise FormatError(f"{path.name}: not a readable Parquet file ({error})") from None
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    usual = setting_of_name(path.stem)
    names = columns.get("setting") or [usual] * table.num_rows
    make = _pairs if {"text", "video", "similarity"} <= columns.keys() else _vectors
    if make is _vectors and not {"side", "id", "embedding"} <= columns.keys():
        raise FormatError(f"{path.name}: the columns must be text, video, similarity or side, id, embedding")
    found: dict[str, Arrays] = {}
    for setting in dict.fromkeys(str(name) for name in names if name):
        rows = [n for n, name in enumerate(names) if not name or str(name) == setting]
        found[setting] = make({key: [column[n] for n in rows] for key, column in columns.items()}, path.name)
    return found


def _pairs(columns: Mapping[str, list[Any]], name: str) -> Arrays:
    texts, videos = (list(dict.fromkeys(map(str, columns[key]))) for key in ("text", "video"))
    row, column = ({one: n for n, one in enumerate(each)} for each in (texts, videos))
    similarity = np.full((len(texts), len(videos)), np.nan)
    positive = np.zeros(similarity.shape, dtype=bool)
    marks = columns.get("positive") or [None] * len(columns["text"])
    pairs = list(zip(map(str, columns["text"]), map(str, columns["video"]), strict=True))
    if len(set(pairs)) < len(pairs):
        text, video = next(pair for pair, times in Counter(pairs).items() if times > 1)
        raise FormatError(f"{name}: the pair {text}, {video} is repeated; give each pair once")
    for (text, video), value, mark in zip(pairs, columns["similarity"], marks, strict=True):
        if value is not None and not _is_number(value):
            raise FormatError(f"{name}: similarity contains {value!r}; give a number")
        similarity[row[text], column[video]] = np.nan if value is None else value
        positive[row[text], column[video]] = bool(mark)
    if np.isnan(similarity).any():
        missing = int(np.isnan(similarity).sum())
        raise FormatError(
            f"{name}: {missing:,} of {similarity.size:,} pairs have no similarity; give all of them"
        )
    ids: dict[str, NDArray[Any]] = {"text_ids": np.array(texts), "video_ids": np.array(videos)}
    return ids | {"similarity": similarity} | ({"positives": positive} if "positive" in columns else {})


def _vectors(columns: Mapping[str, list[Any]], name: str) -> Arrays:
    sides = columns["side"]
    if odd := set(sides) - {"text", "video"}:
        raise FormatError(f"{name}: side contains {sorted(map(str, odd))[0]!r}; use text or video")
    if missing := {"text", "video"} - set(sides):
        raise FormatError(f"{name}: no row has the side {min(missing)}; both sides are needed")
    at = {side: [n for n, one in enumerate(sides) if one == side] for side in ("text", "video")}
    try:
        vectors = {
            side: np.array([columns["embedding"][n] for n in at[side]], dtype=np.float64) for side in at
        }
    except (TypeError, ValueError) as error:
        raise FormatError(f"{name}: embeddings are not lists of numbers of equal length") from error
    found = {f"{side}_embeddings": vectors[side] for side in at}
    ids = {f"{side}_ids": np.array([str(columns["id"][n]) for n in at[side]]) for side in at}
    if "video" in columns:
        ids["text_videos"] = np.array([str(columns["video"][n]) for n in at["text"]])
    return {**found, **ids}


# --- recalls --------------------------------------------------------------------------------


def read_recalls(path: Path) -> list[RecallSheet]:
    """Return one sheet per model. Raises FormatError."""
    value = parse_document(path)
    sheets = [_sheet(each, path) for each in (value if isinstance(value, list) else [value])]
    if not sheets:
        raise FormatError(f"{path.name}: the file has no recalls")
    return sheets


def _sheet(value: Json, path: Path) -> RecallSheet:
    settings = value.get("recalls", value) if isinstance(value, dict) else {}
    given = {name: settings[name] for name in SETTINGS if isinstance(settings, dict) and name in settings}
    if not given:
        raise FormatError(f"{path.name}: {' or '.join(SETTINGS)} with recalls is missing")
    raw = {name: _values(each, f"{path.name} {name}") for name, each in given.items()}
    numbers = [number for values in raw.values() for number in values.values()]
    percent = max(numbers) > 1
    if percent and (shares := [name for name, values in raw.items() if 0 < max(values.values()) <= 1]):
        raise FormatError(
            f"{path.name}: recalls of {shares[0]} are at most 1, others larger; write all in percent "
            "or all as shares"
        )
    if max(numbers) > 100 or min(numbers) < 0:
        raise FormatError(f"{path.name}: recalls must be 0 to 1, or 0 to 100 percent")
    scale = 100.0 if percent else 1.0
    f1 = finite_float(value.get("captioning_f1"))
    return RecallSheet(
        str(value.get("model") or path.stem),
        {name: _recalls(values, scale) for name, values in raw.items()},
        None if f1 is None else f1 / (100.0 if f1 > 1 else 1.0),
    )


def _recalls(values: Mapping[Any, float], scale: float) -> Recalls:
    each = {key: value / scale for key, value in values.items() if isinstance(key, tuple)}
    return Recalls(sum(values.values()) / len(values) / scale, each)


def _values(value: Json, where: str) -> dict[Any, float]:
    """Return `{(direction, k): recall}`, or other keys if the file has no more detail."""
    if _is_number(value):
        return {"mean": float(value)}
    if isinstance(value, list) and value and all(_is_number(one) for one in value):
        if len(value) == len(KS) * len(DIRECTIONS):
            pairs = [(direction, k) for direction in DIRECTIONS for k in KS]
            return dict(zip(pairs, map(float, value), strict=True))
        return {n: float(one) for n, one in enumerate(value)}
    if isinstance(value, dict) and _is_number(value.get("mean")) and len(value) == 1:
        return {"mean": float(value["mean"])}
    found = _named(value) if isinstance(value, dict) else {}
    if not found:
        raise FormatError(f"{where}: no recalls; give t2v and v2t with R@1, R@5, R@10, a list, or a mean")
    return found


def _named(value: Mapping[str, Json]) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for key, each in value.items():
        direction: Direction | None = next((d for d in DIRECTIONS if key.lower().startswith(d)), None)
        direction = direction or next((d for name, d in _PRINTED.items() if key.startswith(name)), None)
        if isinstance(each, dict) and direction:
            found |= {(direction, k): number for k, number in _by_k(each).items()}
        elif _is_number(each) and direction and (match := _AT.search(key)):
            found[direction, int(match[1])] = float(each)
    return found


def _by_k(value: Mapping[str, Json]) -> dict[int, float]:
    numbers = {re.sub(r"\D", "", key): each for key, each in value.items()}
    return {int(k): float(each) for k, each in numbers.items() if k and _is_number(each)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def recalls_json(sheet: RecallSheet) -> str:
    """Return a sheet in the form that `read_recalls` reads, in percent."""
    settings = {name: _nested(found) for name, found in sheet.settings.items()}
    more = {"captioning_f1": round(100 * sheet.captioning_f1, 6)} if sheet.captioning_f1 is not None else {}
    return json.dumps({"model": sheet.model, **settings, **more}, ensure_ascii=False, indent=2)


def _nested(found: Recalls) -> Json:
    if not found.each:
        return round(100 * found.mean, 6)
    nested: dict[str, dict[str, float]] = {}
    for (direction, k), value in found.each.items():
        nested.setdefault(direction, {})[f"R@{k}"] = round(100 * value, 6)
    return nested
