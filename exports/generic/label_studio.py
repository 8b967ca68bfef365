"""`label-studio`: tasks with the judge's verdict as a prediction, and the matching labelling configuration.

`tasks.json` is a list of tasks `{"data", "predictions", "annotations"}`; `config.xml` is pasted into a
project's labelling interface. `exports.generic.label_studio_reader` imports a completed export of such a
project as people's verdicts.
Source: Label Studio's documentation, "Label Studio JSON format of annotated tasks" and "Import pre-annotated
data". Ratings are whole stars: a verdict of 4.8 is shown as 5, and `data` keeps the exact number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from annotation.records.decisions import Correction
from annotation.records.ids import Json
from annotation.store.opinion_rules import verdicts_of_people
from annotation.store.store import Store
from exports.files.evaluations_and_corrections import people
from exports.files.file_bundles import Bundle, Candidate, by_folder, of_files
from exports.files.format_types import Output, Wanted
from exports.files.read_text_and_json import Head
from exports.generic.verdict_rows import verdict_rows

NAME = "label-studio"
TASKS, CONFIG = "tasks.json", "config.xml"
XML = """<View>
  <Header value="$question"/>
  <Text name="reference" value="Reference: $reference"/>
  <Text name="answer" value="Answer: $answer"/>
  <Text name="caption" value="$caption"/>
  <Video name="video" value="$video"/>
  <Choices name="verdict" toName="answer" choice="single-radio" required="true">
    <Choice value="yes"/>
    <Choice value="no"/>
  </Choices>
  <Rating name="score" toName="answer" maxRating="5"/>
  <TextArea name="reason" toName="answer" placeholder="Why" maxSubmissions="1"/>
</View>
"""


def recognise(head: Head) -> bool:
    if head.folder:
        return {TASKS, CONFIG} <= head.names
    return _is_task(head.first)


def bundles(files: Sequence[Candidate]) -> list[Bundle]:
    """Return pairs of the two files that this module writes into a folder."""
    found = []
    for beside in by_folder(files).values():
        named = {file.path.name: file for file in beside}
        if {TASKS, CONFIG} <= named.keys() and _is_task(named[TASKS].first):
            found.append(of_files([named[TASKS].path, named[CONFIG].path]))
    return found


def _is_task(value: Json) -> bool:
    data = value.get("data") if isinstance(value, dict) else None
    return isinstance(data, dict) and "verdict_id" in data


def write(wanted: Wanted) -> Iterator[Output]:
    """Write a task per verdict. Raises UsageError or NotFound."""
    current = wanted.values == "current"
    rows = [row for row in verdict_rows(wanted) if row["question_id"]]
    given = _annotations(wanted.store, rows) if current else {}
    tasks = [_task(n, row, current, given.get(row["verdict_id"], [])) for n, row in enumerate(rows, 1)]
    if not tasks:
        return
    yield TASKS, [json.dumps(tasks, ensure_ascii=False, indent=1, allow_nan=False), "\n"]
    yield CONFIG, [XML]


def note(wanted: Wanted) -> str:
    """Return a note on scores without an answer to label."""
    whole = sum(not row["question_id"] for row in verdict_rows(wanted))
    return f"{whole} scores of a whole video and aspect have no answer to label and no task" if whole else ""


def _annotations(store: Store, rows: list[dict[str, Json]]) -> dict[Json, list[Json]]:
    """Return each person's verdict by verdict id, oldest first, including verdicts that do not count."""
    names = people(store)
    ids = [row["verdict_id"] for row in rows if row["verdict_id"]]
    with store.reading() as conn:
        opinions = verdicts_of_people(conn, ids)
    return {key: [_annotation(one, names[one.person_id]) for one in given] for key, given in opinions.items()}


def _annotation(opinion: Correction, person: str) -> Json:
    value = opinion.value
    return {
        "completed_by": {"email": person},
        "created_at": datetime.fromtimestamp(opinion.created_at, UTC).isoformat(),
        "result": _result(value["label"], value["score"], opinion.reason),
    }


def _task(number: int, row: dict[str, Json], current: bool, annotations: list[Json]) -> dict[str, Json]:
    before = "" if current else "machine_"
    data = {
        "question": row["question"],
        "reference": row["reference_answer"],
        "answer": row[f"{before}predicted_answer"],
        "caption": row[f"{before}caption"],
        "video": f"/data/local-files/?d={row['video_id']}.mp4",
        "video_id": row["video_id"],
        "aspect": row["aspect"],
        "index": row["index"],
        "category": row["category"],
        "evaluation": row["evaluation"],
        "state": row["machine_state"],
        "judge_score": row["machine_score"],
        "raw": row["raw"],
        "verdict_id": row["verdict_id"],
        "question_id": row["question_id"],
        "pinned_frames": json.loads(row["pinned_frames"] or "[]"),
    }
    task: dict[str, Json] = {"id": number, "data": data, "predictions": [], "annotations": annotations}
    if row["machine_state"] == "done":
        result = _result(row["machine_pred"], row["machine_score"], row["judge_reason"])
        task["predictions"] = [{"model_version": row["judge"], "result": result}]
    return task


def _result(label: str, score: float | None, reason: str) -> list[Json]:
    found: list[Json] = [_region("verdict", "choices", {"choices": [label]})]
    if score is not None:
        found.append(_region("score", "rating", {"rating": stars(score)}))
    if reason:
        found.append(_region("reason", "textarea", {"text": [reason]}))
    return found


def stars(score: float | None) -> int | None:
    """Round a score to whole stars."""
    return None if score is None else int(score + 0.5)


def _region(name: str, kind: str, value: dict[str, Json]) -> dict[str, Json]:
    return {"from_name": name, "to_name": "answer", "type": kind, "value": value}
