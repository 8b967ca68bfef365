"""Writes `vlmevalkit`: the table of predictions, the table of verdicts, and the rating.

VLMEvalKit keeps one verdict per video and aspect. Our table of verdicts has the same columns and one row per
question, each with its answer (`pred_response`) and verdict (`score`), so that VLMEvalKit can rate it and
nothing is lost. A verdict on a video and aspect, the kind that VLMEvalKit writes, has one row. A mean, the
kind that lmms-eval writes, has one row with only our column `verdict`, which the rating ignores. A table with
a text that does not fit into a spreadsheet cell is written as JSON, which VLMEvalKit reads and writes with
`PRED_FORMAT=json`. Source: `vlmeval/dataset/vdc.py` of e8e78f0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from io import BytesIO

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.ids import Json
from annotation.scores.replies_as_peers_read_them import vlmevalkit_rating
from exports.files.evaluations_and_corrections import load_evaluation, pick
from exports.files.format_types import Output, Wanted
from exports.files.read_tables import CELL
from exports.logs.aspect_verdicts import AspectVerdict, json_of
from exports.logs.evaluation_rows import Chain, load_chain
from exports.logs.samples_for_writers import Sample, about, model_of, samples, verdict_of

COLUMNS = ("index", "video", "caption_type", "question", "prediction")
JUDGED = (*COLUMNS, "pred_response", "category", "score", "verdict")
FAILED = "Failed to obtain answer"
_UNFIT = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
"""Characters that XML cannot hold, carriage returns (they become line feeds), and texts like escapes."""
Cells = Sequence[Json]


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the tables and the rating. Raises UsageError or NotFound."""
    chain = load_chain(wanted.store, load_evaluation(wanted.store, wanted.evaluation_id))
    found = list(samples(wanted, chain))
    if not found:
        return
    prefix = f"{_file_word(model_of(chain, 'captions'))}_VDC_8frame"
    yield _table(prefix, COLUMNS, [_prediction(n, sample) for n, sample in enumerate(found)])
    judged = [row for n, sample in enumerate(found) for row in _judged(wanted, n, sample)]
    beside = f"{prefix}_{_file_word(model_of(chain, 'verdicts')).replace('_', '-')}"
    if judged:
        yield _table(f"{beside}_score", JUDGED, judged)
    rating = {**_rating(judged), "dailies": about(wanted, chain)}
    yield f"{beside}_rating.json", [json.dumps(rating, ensure_ascii=False, indent=4, allow_nan=False), "\n"]


def note(wanted: Wanted) -> str:
    """Return a note on tables written as JSON and on values missing in the rating."""
    chain: Chain = load_chain(wanted.store, load_evaluation(wanted.store, wanted.evaluation_id))
    found = list(samples(wanted, chain))
    long = sum(len(sample.caption) >= CELL for sample in found)
    means = sum(sample.whole is not None and sample.whole.is_mean for sample in found)
    parts = [f"{long} captions exceed a cell ({CELL:,} characters): their table is JSON"] if long else []
    if means:
        parts.append(
            f"{means} means of videos are only in the column verdict: VLMEvalKit keeps one verdict per "
            "video and aspect, so its rating does not count them"
        )
    return "; ".join(parts)


def _prediction(number: int, sample: Sample) -> Cells:
    caption = sample.caption or (FAILED if sample.state == "failed" else "")
    return number, f"{sample.video}.mp4", sample.aspect, str(list(sample.asked)), caption


def _judged(wanted: Wanted, number: int, sample: Sample) -> Iterator[Cells]:
    if sample.whole:
        yield (*_prediction(number, sample), *_whole(wanted, sample.whole))
    for place, (row, asked) in enumerate(zip(sample.rows, sample.asked, strict=False)):
        verdict = verdict_of(wanted, row)
        read = verdict.get("state") == "done"
        given = str({"pred": verdict["pred"], "score": verdict["score"]}) if read else verdict.get("raw", "")
        caption = sample.caption if place == 0 and not sample.whole else ""
        answer = str(pick(row.said, wanted.values))
        yield (
            number,
            f"{sample.video}.mp4",
            sample.aspect,
            str([asked]),
            caption,
            answer,
            row.question.category,
            given,
            json.dumps(verdict, ensure_ascii=False) if verdict else "",
        )


def _whole(wanted: Wanted, whole: AspectVerdict) -> Cells:
    """Return answer, category, score and verdict of a video and aspect."""
    given = "" if whole.is_mean else whole.verdict.raw
    if not whole.is_mean and whole.now.corrected and wanted.values == "current":
        given = str({"pred": whole.label("current"), "score": whole.score("current")})
    return whole.answer, "", given, json.dumps(json_of(whole, wanted.values), ensure_ascii=False)


def _rating(judged: Sequence[Cells]) -> dict[str, dict[str, str]]:
    """Return VLMEvalKit's rating as text with two decimals; without values "nan" and "0.00"."""
    rating: dict[str, dict[str, str]] = {"coarse_valid": {}, "coarse_accuracy": {}}
    for aspect in (*VDC_ASPECTS, "overall"):
        accuracy, score = vlmevalkit_rating(str(row[7]) for row in judged if aspect in (row[2], "overall"))
        rating["coarse_valid"][aspect] = "nan" if score is None else f"{score:.2f}"
        rating["coarse_accuracy"][aspect] = f"{accuracy or 0:.2f}"
    return rating


def _table(name: str, columns: Sequence[str], rows: Sequence[Cells]) -> Output:
    if all(_fits(cell) for row in rows for cell in row):
        return f"{name}.xlsx", _workbook(columns, rows)
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    return f"{name}.json", [json.dumps(named, ensure_ascii=False, indent=1, allow_nan=False), "\n"]


def _fits(cell: Json) -> bool:
    return not isinstance(cell, str) or (len(cell) < CELL and not _UNFIT.search(cell))


def _workbook(columns: Sequence[str], rows: Sequence[Cells]) -> bytes:
    """Write texts as text cells, so that none becomes a formula and each is read back unchanged."""
    import openpyxl  # takes half a second to import
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in (columns, *rows):
        cells = [WriteOnlyCell(sheet, value=cell if isinstance(cell, int) else None) for cell in row]
        for made, cell in zip(cells, row, strict=True):
            if isinstance(cell, str) and cell:
                made.value, made.data_type = cell, "s"
        sheet.append(cells)
    whole = BytesIO()
    book.save(whole)
    return whole.getvalue()


def _file_word(name: str) -> str:
    """Return a model's name in a form for file names."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.")[:80] or "model"
