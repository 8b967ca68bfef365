"""Endpoints for verdicts: the list, one question with its frames, and people's decisions about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from annotation.editing.edits import LONGEST_REASON
from annotation.records.allowed_values import ErrorSourceKind
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.errors import NotFound
from annotation.records.videos import Video
from annotation.store.verdicts.filter_and_order import Flag, Sort
from annotation.store.verdicts.state_filter import StateName
from backends.errors import UsageError
from ui.api import edits, findings
from ui.api.endpoints.videos import Offset
from ui.api.files_of_programs import picture_file
from ui.api.gradio_api import Asker
from ui.pages.split.view import split_json
from ui.pages.verdicts.blind_view import seen_detail
from ui.pages.verdicts.evidence_view import evidence_json
from ui.pages.verdicts.one_verdict_view import detail_json
from ui.pages.verdicts.routes import MOST_BESIDE, MOST_ROWS, VerdictQuery, verdict_rows
from ui.systems.system_list import QUESTION_KINDS

if TYPE_CHECKING:
    Aspect = str
else:
    Aspect = Literal[(*(kind.partition(":")[2] for kind in QUESTION_KINDS), "")]
Reason = Annotated[str, Field(max_length=LONGEST_REASON)]
Words = Annotated[str, Field(max_length=findings.MOST)]


def verdicts(
    asker: Asker,
    evaluation: str = "",
    video: str = "",
    aspect: Aspect = "",
    state: list[StateName] | None = None,
    search: str = "",
    category: str = "",
    error_source: Literal[ErrorSourceKind, "any", "none", ""] = "",
    flag: Flag = "",
    sort: Sort = "mean",
    beside: Annotated[list[str], Field(max_length=MOST_BESIDE)] | None = None,
    offset: Offset = 0,
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 50,
) -> dict[str, Any]:
    """Lists questions with their verdicts, filtered, sorted and paged; the video with the lowest mean first.

    Args:
        evaluation: name or id; empty: the one that the pages open by default
        video: id of a video; empty: all
        aspect: camera, short, background, main_object, detailed; for Video-MMLU notes, reasoning; empty: all
        state: one or more of the states below; none: all
        search: words in the question, reference or answer
        category: words in the question's category
        error_source: caption_omits, caption_wrong, extraction, judge or question, any, or none; empty: all
        flag: suspect (a check or a person doubts the question), sound or excluded; empty: all
        sort: need, mean, aspect, title, verdict, newest, unsure, inconsistent or differs (below)
        beside: names or ids of at most two other evaluations, for sort differs and the field `beside`
        offset: the first row, counted from 0
        limit: number of rows, at most 500

    Returns:
        `total`, `counts` by state, and `rows`: verdict_id, video_title, kind, question, label, score, state,
        corrected, error_source. States: yes, no, unparsed, failed, missing, stale, open, corrected,
        confirmed, labelled (corrected or confirmed), error_source (a person named one), disputed (people
        differ), contradicts (label and score do not fit). Sorts by video: need (a stage failed, then mean),
        mean (lowest first), aspect (lowest aspect first), title. Sorts by question: verdict ("no" first,
        then by score), newest (judged or labelled last), unsure (scores of 2 to 3), inconsistent (the
        judge's repeats differ most), differs (largest difference from the evaluations in `beside`). While
        you label blind, label and score are empty until you give your own.
    """
    if video and not asker.store.find(Video, id=video):
        raise NotFound(f"video {video!r} not found; /videos lists all videos")
    words = {"video": video, "aspect": aspect, "state": state or [], "q": search, "category": category}
    chosen = {"evaluation": asker.evaluation(evaluation, video), "error_source": error_source, "flag": flag}
    others = {"with": [asker.evaluation(other) for other in beside or []]}
    wanted = VerdictQuery.model_validate(
        words | chosen | others | {"sort": sort, "offset": offset, "limit": limit}
    )
    return dict(verdict_rows(asker.parts, wanted, asker.sight))


def question(asker: Asker, verdict: str) -> dict[str, Any]:
    """Returns all details of one question, to explain its verdict.

    Args:
        verdict: id of its verdict, the verdict_id of a row of /verdicts

    Returns:
        question, reference, answer, caption with the supporting `span`, verdict, raw reply, reason,
        error_source with the proposed one, opinions and history. Values have the `subject` and `revision`
        that /correct takes.
    """
    return dict(seen_detail(detail_json(asker.store, verdict), asker.sight))


def evidence(asker: Asker, verdict: str) -> dict[str, Any]:
    """Returns the frames of the video that are relevant to a question as JPEGs, best first, with reasons.

    Args:
        verdict: id of its verdict, the verdict_id of a row of /verdicts

    Returns:
        `video`, `found` (whether any evidence supports these frames) and `frames`: frame index, at_s in
        seconds, reasons, who pinned it, and `picture`, which gradio_client downloads as a file.
    """
    found = evidence_json(asker.store, asker.parts.media, verdict)
    video = asker.store.get(Verdict, verdict).video_id
    rows = [{**row, "picture": picture_file(asker.base, video, row["frame"])} for row in found["frames"]]
    return {"video": video, "found": found["found"], "frames": rows}


def correct(
    asker: Asker,
    subject: list[str],
    value: Any,
    revision: int,
    reason: Reason = "",
    clear: bool = False,
) -> dict[str, Any]:
    """Corrects a value. The machine's value stays visible, and open pages of others show yours at once.

    Args:
        subject: type, id and field: the `subject` in a response of /question, /captions or /transcript
        value: the new value: a text, or for a verdict {"label": "no", "score": 1}
        revision: the `revision` that you have read; the call fails if the value has changed since
        reason: why, for the history
        clear: true withdraws your value, so that the machine's counts again

    Returns:
        The current value, its new `revision`, and the time of saving (Unix seconds).
    """
    if len(subject) != 3:
        raise UsageError("subject: give type, id and field, as in a response of /question")
    body = edits.EditBody.model_validate(
        {"subject": subject, "value": value, "base_revision": revision, "reason": reason, "cleared": clear}
    )
    return dict(edits.edit(body, asker.parts, asker.person, asker.sight))


def set_error_source(
    asker: Asker, verdict: str, error_source: Literal[ErrorSourceKind, ""], note: Reason = ""
) -> dict[str, Any]:
    """Sets your opinion on why an answer failed.

    Args:
        verdict: id of a verdict, the verdict_id of a row of /verdicts
        error_source: caption_omits, caption_wrong, extraction, judge or question; empty withdraws yours
        note: free text

    Returns:
        The error source that counts now, and each person's error source that you may see.
    """
    body = edits.ErrorSourceBody(verdict_id=verdict, kind=error_source, note=note)
    return dict(edits.set_error_source(body, asker.parts, asker.person, asker.sight))


def check_split(
    asker: Asker, video: str, full: Words = "", spatial: Words = "", temporal: Words = ""
) -> dict[str, Any]:
    """Checks the split of a full caption into a spatial and a temporal one, without storing anything.

    Args:
        video: id of the video, as in /videos
        full: the full caption; all three empty: the texts stored in the workspace
        spatial: what does not change over time
        temporal: what happens, in order

    Returns:
        `findings`: check, side, start and end (characters), text, why, fix, dismissal, and the `finding`
        that /dismiss takes; `rows`, the texts aligned by clause.
    """
    parts = asker.parts
    if not (full or spatial or temporal):
        found = split_json(parts.store, parts.media, video, player=False, sight=asker.texts)
        return {"rows": found["rows"], "findings": found["findings"], "texts": found["texts"]}
    body = findings.TypedBody(full=full, spatial=spatial, temporal=temporal)
    return dict(findings.check(video, body, parts, asker.texts))


def dismiss(asker: Asker, finding: dict[str, Any], reason: Reason = "") -> dict[str, Any]:
    """Dismisses a finding of a check, so that it is not listed as open any more.

    Args:
        finding: the `finding` of a row of /check_split
        reason: why the text is correct; empty withdraws the dismissal

    Returns:
        The id of the finding and its current dismissal: who, why, when; null if the finding is open.
    """
    body = findings.DismissBody.model_validate({"finding": finding, "reason": reason})
    return dict(findings.dismiss(body, asker.parts, asker.person))
