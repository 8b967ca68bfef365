"""What the fields of records may hold: kinds of texts, states of results, stages, roles."""

from __future__ import annotations

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
"""What a text, measurement, verdict, correction or finding is about."""

VdcAspect = Literal["camera", "short", "background", "main_object", "detailed"]
"""The five parts of a VDC caption (AuroraCap, section 3)."""

MmluAspect = Literal["notes", "reasoning"]
"""What Video-MMLU asks about: the notes of a lecture, or the video itself."""

TextKind = Literal[
    "vdc:camera",
    "vdc:short",
    "vdc:background",
    "vdc:main_object",
    "vdc:detailed",
    "script:shot_type",
    "script:camera_movement",
    "script:content",
    "script:scene_title",
    "mmlu:notes",
    "mmlu:reasoning",
    "carebench:overview",
    "carebench:object",
    "carebench:action",
    "carebench:misc",
    "carebench:full",
    "carebench:spatial",
    "carebench:temporal",
    "frame",
    "speech",
    "vript:hal",
    "vript:rr",
    "vript:rr_open",
    "vript:ero",
]
"""What kind of caption a text is. Those of Vript-Hard are what a model replied to an item."""

OpinionRule = Literal["latest", "majority", "adjudicated"]
"""Which of several people's opinions on a verdict counts (`annotation.store.opinion_rules`)."""

USUAL_OPINION_RULE: OpinionRule = "latest"

ResultState = Literal["done", "unparsed", "failed", "missing"]
"""`unparsed`: a reply came and could not be read. `failed`: no reply came. `missing`: never asked.

None of the last three is a score, and none is zero.
"""

Stage = str
"""Name of one step of the pipeline. `annotation.pipeline.stage_registry` lists them and refuses others."""

ErrorSourceKind = Literal["caption_omits", "caption_wrong", "extraction", "judge", "question"]

HardTask = Literal["hal", "rr", "ero"]
"""Of Vript-Hard: captions against words of a reference, questions, order of scenes."""

WordKind = Literal["verb", "noun", "propn"]
"""Parts of speech that Vript-HAL compares."""

Role = Literal["annotator", "expert", "researcher", "admin"]

AssignmentState = Literal[
    "open", "working", "done", "skipped", "flagged", "returned", "approved", "withdrawn"
]
"""`flagged`: the person asks somebody else to look. `returned`: somebody else asks for it again."""

ValueType = Literal[
    "yes_no_score", "entailment", "progression", "letter", "order", "rank", "score_only", "match"
]
"""How `Verdict.value` is to be read."""

VDC_ASPECTS: tuple[VdcAspect, ...] = ("camera", "short", "background", "main_object", "detailed")

SCRIPT_FIELDS = ("shot_type", "camera_movement", "content", "scene_title")
