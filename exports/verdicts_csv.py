"""`verdicts-csv`: one row per verdict of an evaluation, for a spreadsheet.

UTF-8 with a byte order mark, since the commonest spreadsheet takes anything else for its
local encoding; readers of CSV skip the mark. A cell that would be taken for a formula gets
an apostrophe in front (OWASP, CSV injection).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from annotation.records import Json
from exports.batch import Output, Wanted
from exports.chain import Row, load_chain
from exports.reading import Head
from exports.values import find_evaluation, people
from exports.videos import VideoNames

NAME = "verdicts-csv"
COLUMNS = (
    "evaluation", "video_id", "title", "aspect", "index", "category", "question", "reference_answer",
    "machine_predicted_answer", "predicted_answer", "machine_state", "machine_pred", "machine_score", "state",
    "pred", "score", "corrected", "corrected_by", "correction_reason", "judge_reason", "raw", "blame",
    "blamed_by", "blame_note", "stale", "baseline",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
LONGEST_CELL = 32_000
"""Characters; a spreadsheet cell holds 32767."""


def recognise(head: Head) -> bool:
    return head.text.startswith(",".join(COLUMNS[:4]))


def write(wanted: Wanted) -> Iterator[Output]:
    """Machine and current values both, whatever `values` says. Raises UsageError or NotFound."""
    store = wanted.store
    evaluation = find_evaluation(store, wanted.evaluation_id)
    chain = load_chain(store, evaluation)
    names, who = VideoNames(store, "vdc"), people(store)
    rows = (cells(row, evaluation.name, names, who) for row in chain.rows)
    yield "", _lines([COLUMNS, *rows])


def cells(row: Row, evaluation: str, names: VideoNames, who: dict[str, str]) -> tuple[Json, ...]:
    """One row, in the order of COLUMNS, as it stands."""
    q, judgement, correction, blame = row.question, row.judgement, row.correction, row.blame
    return (
        evaluation, names.name(q.video_id, q.dataset_id), names.video(q.video_id).title, row.aspect, q.index,
        q.category, row.asked.value, row.reference.value, row.said.machine, row.said.value,
        row.state("machine"), row.label("machine"), row.score("machine"),
        row.state("current"), row.label("current"), row.score("current"),
        _yes(row.verdict is not None and row.verdict.corrected),
        who[correction.person_id] if correction else "", correction.reason if correction else "",
        judgement.reason if judgement else "", judgement.raw if judgement else "",
        blame.kind if blame else "", who[blame.person_id] if blame else "", blame.note if blame else "",
        _yes(row.verdict is not None and row.verdict.stale),
        _yes(judgement is not None and judgement.baseline),
    )  # fmt: skip


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _lines(rows: Iterable[Iterable[Json]]) -> Iterator[str]:
    yield "\ufeff"
    for row in rows:
        line = io.StringIO()
        csv.writer(line).writerow([neutral(cell) for cell in row])
        yield line.getvalue()


def neutral(cell: Json) -> Json:
    """The cell so that no spreadsheet computes it. Numbers stay numbers; None is empty."""
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\0", "")
    if len(text) > LONGEST_CELL:
        text = text[:LONGEST_CELL] + " [cut]"
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text
