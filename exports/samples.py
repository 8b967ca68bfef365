"""An evaluation as peers keep it: one sample per video and aspect, with all that was asked about it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.records import Json, ResultState
from exports.batch import Wanted
from exports.chain import KIND_ORDER, Chain, Row
from exports.values import pick, reference_texts
from exports.videos import VideoNames


@dataclass(frozen=True, slots=True)
class Sample:
    """One caption with its questions."""

    video: str
    """The video's name in its dataset."""
    aspect: str
    caption: str
    state: ResultState
    """Of the caption."""
    reference: str
    rows: tuple[Row, ...]


def samples(wanted: Wanted, chain: Chain) -> Iterator[Sample]:
    """In order of aspect and video: whatever has a caption that came, or a question."""
    references = reference_texts(wanted.store, KIND_ORDER, wanted.values)
    names, asked = VideoNames(wanted.store, "vdc"), _by_place(chain)
    places = set(asked) | {
        (video, kind)
        for video, kinds in chain.captions.items()
        for kind, shown in kinds.items()
        if kind in KIND_ORDER and shown.text.state == "done"
    }
    for video, kind in sorted(places, key=lambda place: (KIND_ORDER[place[1]], names.name(place[0]))):
        shown = chain.captions.get(video, {}).get(kind)
        reference = references.get(video, {}).get(kind)
        yield Sample(
            video=names.name(video), aspect=kind.removeprefix("vdc:"),
            caption=shown.value(wanted.values) if shown else "",
            state=shown.text.state if shown else "missing",
            reference=reference.value(wanted.values) if reference else "", rows=tuple(asked[video, kind]),
        )  # fmt: skip


def _by_place(chain: Chain) -> defaultdict[tuple[str, str], list[Row]]:
    found: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in chain.rows:
        if row.question.kind in KIND_ORDER:
            found[row.question.video_id, row.question.kind].append(row)
    return found


def asked_of(wanted: Wanted, row: Row) -> dict[str, str]:
    """Question and reference answer, as peers call them."""
    return {
        "question": str(pick(row.asked, wanted.values)), "answer": str(pick(row.reference, wanted.values)),
    }  # fmt: skip


def verdict_of(wanted: Wanted, row: Row) -> dict[str, Json]:
    """The verdict with its state; empty where there is none yet."""
    if row.judgement is None:
        return {}
    return {
        "state": row.state(wanted.values), "pred": row.label(wanted.values),
        "score": row.score(wanted.values), "reason": row.judgement.reason, "raw": row.judgement.raw,
    }  # fmt: skip


def about(wanted: Wanted, chain: Chain) -> dict[str, Json]:
    """What peers keep nowhere: whose evaluation this is, and which stages the baseline did."""
    evaluation, stages = chain.evaluation, ("captions", "answers", "verdicts")
    return {
        "name": evaluation.name, "created": evaluation.created_at, "note": evaluation.note,
        "values": wanted.values,
        "models": {role: model_of(chain, role) for role in stages if chain.runs[role]},
        "baseline_stages": [role for role in stages if any(run.baseline for run in chain.runs[role])],
    }  # fmt: skip


def model_of(chain: Chain, role: str) -> str:
    return "+".join(dict.fromkeys(run.model for run in chain.runs[role])) or "not recorded"


def stamp(chain: Chain) -> str:
    """When the evaluation was made, as lmms-eval names files: `20260101_120000`, UTC."""
    seconds = chain.evaluation.created_at
    return time.strftime("%Y%m%d_%H%M%S", time.gmtime(seconds if 0 <= seconds < 2**35 else 0))
