"""`label-studio`: tasks with the judge's verdict as a prediction, and the labelling configuration that fits.

`tasks.json` is a list of tasks `{"data", "predictions", "annotations"}`; `config.xml` is pasted into a
project's labelling interface. A completed export of such a project comes back as people's verdicts.
Source: Label Studio's documentation, "Label Studio JSON format of annotated tasks" and "Import pre-annotated
data". A rating has whole stars: a verdict of 4.8 is shown as 5, and the number itself stays in `data`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from annotation.records import Json
from exports.batch import Output, Wanted
from exports.reading import Head
from exports.verdict_rows import verdict_rows

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
    first = head.first
    data = first.get("data") if isinstance(first, dict) else None
    return isinstance(data, dict) and "judgement_id" in data


def write(wanted: Wanted) -> Iterator[Output]:
    """A task per verdict. Raises UsageError or NotFound."""
    tasks = [
        _task(number, row, wanted.values == "current") for number, row in enumerate(verdict_rows(wanted), 1)
    ]
    if not tasks:
        return
    yield TASKS, [json.dumps(tasks, ensure_ascii=False, indent=1, allow_nan=False), "\n"]
    yield CONFIG, [XML]


def _task(number: int, row: dict[str, Json], current: bool) -> dict[str, Json]:
    before = "" if current else "machine_"
    data = {
        "question": row["question"], "reference": row["reference_answer"],
        "answer": row[f"{before}predicted_answer"], "caption": row[f"{before}caption"],
        "video": f"/data/local-files/?d={row['video_id']}.mp4", "video_id": row["video_id"],
        "aspect": row["aspect"], "index": row["index"], "category": row["category"],
        "evaluation": row["evaluation"], "state": row["machine_state"], "judge_score": row["machine_score"],
        "raw": row["raw"], "judgement_id": row["judgement_id"], "question_id": row["question_id"],
    }  # fmt: skip
    task: dict[str, Json] = {"id": number, "data": data, "predictions": [], "annotations": []}
    if row["machine_state"] == "done":
        result = _result(row["machine_pred"], row["machine_score"], row["judge_reason"])
        task["predictions"] = [{"model_version": row["judge"], "result": result}]
    if current and row["corrected"]:
        result = _result(row["pred"], row["score"], row["correction_reason"])
        task["annotations"] = [{"completed_by": {"email": row["corrected_by"]}, "result": result}]
    return task


def _result(label: str, score: float | None, reason: str) -> list[Json]:
    found: list[Json] = [_region("verdict", "choices", {"choices": [label]})]
    if score is not None:
        found.append(_region("score", "rating", {"rating": int(score + 0.5)}))
    if reason:
        found.append(_region("reason", "textarea", {"text": [reason]}))
    return found


def _region(name: str, kind: str, value: dict[str, Json]) -> dict[str, Json]:
    return {"from_name": name, "to_name": "answer", "type": kind, "value": value}
