"""One typed row per verdict with its context, for formats that programs read.

A row without `question_id` is a log's value for a whole video and aspect.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from annotation.editing.pinned_frames import pinned_frames
from annotation.intake.names_of_videos import VideoNames
from annotation.records.decisions import PinnedFrames
from annotation.records.ids import Json
from exports.files.evaluations_and_corrections import load_evaluation, people
from exports.files.format_types import Wanted
from exports.generic.verdicts_csv import COLUMNS, aspect_cells, cells
from exports.logs.aspect_verdicts import AspectVerdict
from exports.logs.evaluation_rows import KIND_ORDER, Row, load_chain
from exports.logs.samples_for_writers import model_of

FLAGS = ("corrected", "confirmed", "stale", "baseline", "contradicts_itself")
NUMBERS = ("machine_score", "score", "accuracy")
EXTRA = (
    "caption",
    "machine_caption",
    "captioner",
    "extractor",
    "judge",
    "question_id",
    "answer_id",
    "verdict_id",
    "error_source_proposed",
    "pinned_frames",
)
ROLES = {"captioner": "captions", "extractor": "answers", "judge": "verdicts"}
ALL = (*COLUMNS, *EXTRA)


def verdict_rows(wanted: Wanted) -> Iterator[dict[str, Json]]:
    """Yield the rows in the order of the evaluation. Raises UsageError or NotFound."""
    store = wanted.store
    chain = load_chain(store, load_evaluation(store, wanted.evaluation_id))
    names, who = VideoNames(store, "vdc"), people(store)
    models = {name: model_of(chain, role) for name, role in ROLES.items()}
    name = chain.evaluation.name
    found: list[tuple[str, str, tuple[Json, ...], dict[str, Json]]] = []
    pinned = pinned_frames(store, {one.question.id for one in chain.rows})
    for one in chain.rows:
        pins = _pins(pinned.get(one.question.id, ()), who)
        more = _ids(one) | {"pinned_frames": pins}
        found.append((one.question.video_id, one.question.kind, cells(one, name, names, who), more))
    for whole in chain.aspect_verdicts:
        found.append((*whole.place, aspect_cells(whole, name, names, who), _aspect_ids(whole)))
    for video_id, kind, row, ids in found:
        made = dict(zip(COLUMNS, row, strict=True))
        made |= {flag: made[flag] == "yes" for flag in FLAGS}
        made |= {number: None if made[number] is None else float(made[number]) for number in NUMBERS}
        shown = chain.captions.get(video_id, {}).get(kind)
        made |= {
            "caption": shown.of("current") if shown else "",
            "machine_caption": shown.of("machine") if shown else "",
        }
        yield made | models | ids


def caption_rows(wanted: Wanted) -> Iterator[dict[str, Json]]:
    """Yield a row per caption of the evaluation."""
    store = wanted.store
    chain = load_chain(store, load_evaluation(store, wanted.evaluation_id))
    names = VideoNames(store, "vdc")
    for video_id, texts in sorted(chain.captions.items()):
        for kind in sorted(texts.keys() & KIND_ORDER.keys(), key=KIND_ORDER.__getitem__):
            text = texts[kind].text
            yield {
                "video_id": names.name(video_id),
                "aspect": kind.removeprefix("vdc:"),
                "caption": texts[kind].of(wanted.values),
                "state": text.state,
                "reason": text.reason,
                "captioner": model_of(chain, "captions"),
                "baseline": text.baseline,
            }


def _ids(row: Row) -> dict[str, Json]:
    verdict = row.verdict.id if row.verdict else None
    return {
        "question_id": row.question.id,
        "answer_id": row.answer.id,
        "verdict_id": verdict,
        "error_source_proposed": row.error_source.proposed if row.error_source else "",
    }


def _pins(pinned: Sequence[PinnedFrames], who: Mapping[str, str]) -> str:
    """Return JSON, a list of `{"frame", "by"}` by frame; empty if no frames are pinned."""
    found = sorted((frame, who[one.person_id]) for one in pinned for frame in one.frames)
    return json.dumps([{"frame": frame, "by": by} for frame, by in found]) if found else ""


def _aspect_ids(one: AspectVerdict) -> dict[str, Json]:
    return {
        "question_id": None,
        "answer_id": None,
        "verdict_id": one.verdict.id,
        "error_source_proposed": "",
        "pinned_frames": "",
    }
