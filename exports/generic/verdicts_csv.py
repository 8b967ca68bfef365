"""`verdicts-csv`: one row per verdict of an evaluation, for a spreadsheet.

UTF-8 with a byte order mark, because Excel otherwise assumes the local encoding; CSV readers skip the mark.
A cell that a spreadsheet would run as a formula starts with an apostrophe (OWASP, CSV injection).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from annotation.intake.names_of_videos import VideoNames
from annotation.records.ids import Json
from annotation.replies.verdict_reply import contradicts_itself
from exports.files.evaluations_and_corrections import load_evaluation, people
from exports.files.format_types import Output, Wanted
from exports.files.read_text_and_json import Head
from exports.logs.aspect_verdicts import AspectVerdict
from exports.logs.evaluation_rows import Row, load_chain

NAME = "verdicts-csv"
COLUMNS = (
    "evaluation",
    "video_id",
    "title",
    "aspect",
    "index",
    "category",
    "question",
    "reference_answer",
    "machine_predicted_answer",
    "predicted_answer",
    "machine_state",
    "machine_pred",
    "machine_score",
    "state",
    "pred",
    "score",
    "corrected",
    "confirmed",
    "corrected_by",
    "correction_reason",
    "judge_reason",
    "raw",
    "error_source",
    "error_source_by",
    "error_source_note",
    "stale",
    "baseline",
    "contradicts_itself",
    "accuracy",
    "questions",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
LONGEST_CELL = 32_000
"""Characters; a spreadsheet cell holds 32767."""


def recognise(head: Head) -> bool:
    return head.text.startswith(",".join(COLUMNS[:4]))


def write(wanted: Wanted) -> Iterator[Output]:
    """Write machine and current values, whatever `values` is. Raises UsageError or NotFound."""
    store = wanted.store
    evaluation = load_evaluation(store, wanted.evaluation_id)
    chain = load_chain(store, evaluation)
    names, who = VideoNames(store, "vdc"), people(store)
    rows = (cells(row, evaluation.name, names, who) for row in chain.rows)
    whole = (aspect_cells(one, evaluation.name, names, who) for one in chain.aspect_verdicts)
    yield "", _lines([COLUMNS, *rows, *whole])


def cells(row: Row, evaluation: str, names: VideoNames, who: dict[str, str]) -> tuple[Json, ...]:
    """Return one row in the order of COLUMNS, without protection against formulas."""
    q, verdict, correction, error_source = row.question, row.verdict, row.correction, row.error_source
    return (
        evaluation,
        names.name(q.video_id, q.dataset_id),
        names.video(q.video_id).title,
        row.aspect,
        q.index,
        q.category,
        row.asked.value,
        row.reference.value,
        row.said.machine,
        row.said.value,
        row.state("machine"),
        row.label("machine"),
        row.score("machine"),
        row.state("current"),
        row.label("current"),
        row.score("current"),
        _yes(row.current is not None and row.current.changed),
        _yes(row.current is not None and row.current.confirmed),
        who[correction.person_id] if correction else "",
        correction.reason if correction else "",
        verdict.reason if verdict else "",
        verdict.raw if verdict else "",
        error_source.kind if error_source else "",
        who[error_source.person_id] if error_source else "",
        error_source.note if error_source else "",
        _yes(row.current is not None and row.current.stale),
        _yes(verdict is not None and verdict.baseline),
        _yes(contradicts_itself(str(row.label("current")), row.score("current"))),
        float(row.label("current") == "yes") if row.state("current") == "done" else None,
        1,
    )


def aspect_cells(
    one: AspectVerdict, evaluation: str, names: VideoNames, who: dict[str, str]
) -> tuple[Json, ...]:
    """Return a log's value of a video and aspect: no question, and the accuracy over `questions`."""
    verdict, correction, video_id = one.verdict, one.correction, one.place[0]
    return (
        evaluation,
        names.name(video_id),
        names.video(video_id).title,
        one.aspect,
        None,
        "",
        "",
        "",
        one.answer,
        one.answer,
        verdict.state,
        one.label("machine"),
        one.score("machine"),
        one.state("current"),
        one.label("current"),
        one.score("current"),
        _yes(one.now.changed),
        _yes(one.now.confirmed),
        who[correction.person_id] if correction else "",
        correction.reason if correction else "",
        verdict.reason,
        verdict.raw,
        "",
        "",
        "",
        _yes(one.now.stale),
        _yes(verdict.baseline),
        "",
        one.accuracy("current"),
        one.questions,
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _lines(rows: Iterable[Iterable[Json]]) -> Iterator[str]:
    yield "\ufeff"
    for row in rows:
        line = io.StringIO()
        csv.writer(line).writerow([neutral(cell) for cell in row])
        yield line.getvalue()


def neutral(cell: Json) -> Json:
    """Return the cell in a form that spreadsheets do not evaluate. Numbers are kept; None is empty."""
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\0", "")
    if len(text) > LONGEST_CELL:
        text = text[:LONGEST_CELL] + " [cut]"
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text
