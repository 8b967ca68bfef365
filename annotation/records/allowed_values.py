"""Allowed values of record fields: kinds of text, states of results, stages, roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SubjectType = Literal[
    "video",
    "scene",
    "frame",
    "segment",
    "text",
    "question",
    "answer",
    "verdict",
    "element",
    "frame_pair",
    "frame_match",
    "ero_item",
    "rr_item",
    "hal_item",
    "video_aspect",
    "selection",
    "frame_change",
    "frame_sequence",
]
"""Types of subject of a text, measurement, verdict, correction or finding."""

VdcAspect = Literal["camera", "short", "background", "main_object", "detailed"]
"""The five parts of a VDC caption (AuroraCap, section 3)."""

TextKind = str
"""Kind of a text: `SYSTEM:PART`, `frame` or `speech`. See `annotation.records.system_facts`."""

OpinionRule = Literal["latest", "majority", "adjudicated"]
"""Which of several people's opinions on a verdict counts (`annotation.store.opinion_rules`)."""

USUAL_OPINION_RULE: OpinionRule = "latest"

ResultState = Literal["done", "unparsed", "failed", "missing"]
"""`unparsed`: the reply could not be read. `failed`: there was no reply. `missing`: no request was made.

Results in the last three states have no score and do not count as zero.
"""

Stage = str
"""Name of one step of the pipeline. `annotation.pipeline.stage_registry` lists them and refuses others."""

ErrorSourceKind = Literal["caption_omits", "caption_wrong", "extraction", "judge", "question"]

Role = Literal["annotator", "expert", "researcher", "admin"]

AssignmentState = Literal[
    "open", "working", "done", "skipped", "flagged", "returned", "approved", "withdrawn"
]
"""`flagged`: the person asks for a review. `returned`: a reviewer asks for changes."""

ValueType = Literal[
    "yes_no_score", "entailment", "progression", "letter", "order", "rank", "score_only", "match"
]
"""How to read `Verdict.label` and `Verdict.score`."""

VERDICT_LABELS: Mapping[ValueType, tuple[str, ...]] = {
    "yes_no_score": ("yes", "no"),
    "entailment": ("entailment", "neutral", "contradiction"),
}
"""Labels that scores count, by type of value; other labels depend on the item."""

VDC_ASPECTS: tuple[VdcAspect, ...] = ("camera", "short", "background", "main_object", "detailed")

SCRIPT_FIELDS = ("shot_type", "camera_movement", "content", "scene_title")
