"""Every kind of record as one type; the nouns themselves stand in the modules beside it.

Every record is frozen; machine output and human correction are different records.

Ids of machine output are made from what the output was made of (`record_id`), so
that work which was interrupted and repeated gives the same rows. Ids of what people
do are random (`new_id`). Times of day are UTC seconds since 1970.
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
"""Everything that the store holds, in an order in which each may be written."""
