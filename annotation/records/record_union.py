"""The union of all record types. The other modules of this package define them.

Every record is frozen. Machine output and human corrections are different records.

Ids of machine output are derived from its inputs (`record_id`), so that repeating
interrupted work creates the same rows. Ids of people's decisions are random (`new_id`).
Timestamps are UTC seconds since 1970.
"""

from __future__ import annotations

from annotation.records.captions_to_verdicts import Answer, BenchmarkItem, Question, Text, Verdict
from annotation.records.decisions import (
    Assignment,
    Correction,
    Dismissal,
    ErrorSource,
    Exclusion,
    FrameLabel,
    Merge,
    Person,
    PinnedFrames,
    Selection,
    Study,
    StudyChoice,
)
from annotation.records.elements import Element, ElementList, Finding
from annotation.records.prompt_versions import PromptLook, PromptUse, PromptVersion
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall, Run, RunVideo
from annotation.records.videos import (
    Alias,
    Dataset,
    Frame,
    Measurement,
    Scene,
    SceneList,
    ScreenText,
    Segment,
    Video,
)

Record = (
    Dataset
    | Video
    | Alias
    | Person
    | Run
    | RunVideo
    | Evaluation
    | EvaluationRun
    | SceneList
    | Scene
    | Segment
    | ScreenText
    | Frame
    | Measurement
    | ModelCall
    | Text
    | Question
    | Answer
    | Verdict
    | Correction
    | Selection
    | FrameLabel
    | Study
    | StudyChoice
    | ElementList
    | Element
    | Finding
    | Dismissal
    | ErrorSource
    | PinnedFrames
    | Exclusion
    | Assignment
    | Merge
    | BenchmarkItem
    | PromptVersion
    | PromptUse
    | PromptLook
)
"""All records of the store. A record comes after the records that it refers to."""
