"""An evaluation in the form of other tools: one sample per video and aspect, with all its questions."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from annotation.intake.names_of_videos import VideoNames
from annotation.records.allowed_values import ResultState
from annotation.records.captions_to_verdicts import Question
from annotation.records.ids import Json
from annotation.store.bulk_rows import chunks
from annotation.texts.which_text_counts import REFERENCES, counting_texts
from exports.files.evaluations_and_corrections import pick
from exports.files.format_types import Wanted
from exports.logs.aspect_verdicts import AspectVerdict
from exports.logs.evaluation_rows import KIND_ORDER, Chain, Row


@dataclass(frozen=True, slots=True)
class Sample:
    """One caption with its questions."""

    video: str
    """The video's name in its dataset."""
    aspect: str
    caption: str
    state: ResultState
    """State of the caption."""
    reference: str
    rows: tuple[Row, ...]
    asked: tuple[dict[str, str], ...]
    """`{"question", "answer"}` of the rows; if there are none, of the video's known questions."""
    whole: AspectVerdict | None
    """The log's mean or verdict on the whole sample, if no question has a verdict."""


def samples(wanted: Wanted, chain: Chain) -> Iterator[Sample]:
    """Yield samples that have a caption, a question or a verdict, ordered by aspect and video."""
    references = counting_texts(wanted.store, KIND_ORDER, REFERENCES, wanted.values)
    names, rows = VideoNames(wanted.store, "vdc"), _by_place(chain)
    whole = {one.place: one for one in chain.aspect_verdicts if one.place[1] in KIND_ORDER}
    places = {*rows, *whole} | {
        (video, kind)
        for video, kinds in chain.captions.items()
        for kind, shown in kinds.items()
        if kind in KIND_ORDER and shown.text.state == "done"
    }
    unanswered = _unanswered(wanted, chain, places - rows.keys())
    for video, kind in sorted(places, key=lambda place: (KIND_ORDER[place[1]], names.name(place[0]))):
        shown = chain.captions.get(video, {}).get(kind)
        reference = references.get(video, {}).get(kind)
        mine = tuple(rows[video, kind])
        yield Sample(
            video=names.name(video),
            aspect=kind.removeprefix("vdc:"),
            caption=shown.of(wanted.values) if shown else "",
            state=shown.text.state if shown else "missing",
            reference=reference.value if reference else "",
            rows=mine,
            asked=tuple(_asked_of(wanted, row) for row in mine) or tuple(unanswered[video, kind]),
            whole=None if any(row.verdict for row in mine) else whole.get((video, kind)),
        )


def _unanswered(
    wanted: Wanted, chain: Chain, places: Collection[tuple[str, str]]
) -> defaultdict[tuple[str, str], list[dict[str, str]]]:
    """Return questions of a log without answers: its own, and those matched to a dataset."""
    runs = {run.id for run in chain.runs["questions"]}
    order = ["video_id", "kind", "index", "id"]
    videos = sorted({video for video, _ in places})
    questions = [
        q
        for ids in chunks(videos)
        for q in wanted.store.find(Question, video_id=list(ids), order_by=order)
        if (q.video_id, q.kind) in places and (q.run_id in runs or q.dataset_id)
    ]
    ids = [q.id for q in questions]
    texts, references = (wanted.store.currents("question", ids, field) for field in ("text", "reference"))
    found: defaultdict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for q in questions:
        words = str(pick(texts[q.id], wanted.values)), str(pick(references[q.id], wanted.values))
        found[q.video_id, q.kind].append({"question": words[0], "answer": words[1]})
    return found


def _by_place(chain: Chain) -> defaultdict[tuple[str, str], list[Row]]:
    found: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in chain.rows:
        if row.question.kind in KIND_ORDER:
            found[row.question.video_id, row.question.kind].append(row)
    return found


def _asked_of(wanted: Wanted, row: Row) -> dict[str, str]:
    """Return question and reference answer under the names that other tools use."""
    return {
        "question": str(pick(row.asked, wanted.values)),
        "answer": str(pick(row.reference, wanted.values)),
    }


def verdict_of(wanted: Wanted, row: Row) -> dict[str, Json]:
    """Return the verdict with its state; empty if there is none yet."""
    if row.verdict is None:
        return {}
    return {
        "state": row.state(wanted.values),
        "pred": row.label(wanted.values),
        "score": row.score(wanted.values),
        "reason": row.verdict.reason,
        "raw": row.verdict.raw,
    }


def about(wanted: Wanted, chain: Chain) -> dict[str, Json]:
    """Return data that other tools' formats lack: the evaluation, and the stages run by the baseline."""
    evaluation, stages = chain.evaluation, ("captions", "answers", "verdicts")
    return {
        "name": evaluation.name,
        "created": evaluation.created_at,
        "note": evaluation.note,
        "values": wanted.values,
        "models": {role: model_of(chain, role) for role in stages if chain.runs[role]},
        "baseline_stages": [role for role in stages if any(run.baseline for run in chain.runs[role])],
    }


def model_of(chain: Chain, role: str) -> str:
    return "+".join(dict.fromkeys(run.model for run in chain.runs[role])) or "not recorded"


def stamp(chain: Chain) -> str:
    """Return the evaluation's creation time as in lmms-eval's file names: `20260101_120000`, UTC."""
    seconds = chain.evaluation.created_at
    return time.strftime("%Y%m%d_%H%M%S", time.gmtime(seconds if 0 <= seconds < 2**35 else 0))
