"""Vript-Hard on a video: the captioner answers its items, and the released rules parse the replies.

Runs only if requested: `run VIDEO --stages vript_hard`. Every item of the video is sent with 16 frames
of the whole video (Vript-Hard's number for video models) and the released prompts. Questions of RR are
also, or only, sent with the same number of frames of their scene alone. The judge rates open answers of
RR. Each kind of item, and each setting of RR, has a separate evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotation.records.allowed_values import ResultState, ValueType
from annotation.records.captions_to_verdicts import BenchmarkItem, Text, Verdict
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Video
from annotation.replies.echoes_and_refusals import ends_like_prompt, text_refusal
from annotation.replies.loose_json import strip_reasoning
from annotation.stages.facts_for_baseline import video_facts
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_text, new_verdict, sample_id, work_off
from annotation.stages.stage_context import Context, make_run, model_run
from annotation.stages.stage_results import StageResults
from annotation.systems.vript.hard_frames import FRAMES, Given, items_shown_by, scene_given, whole_given
from annotation.systems.vript.hard_replies import (
    SETTING_WORDS,
    HardTask,
    Kind,
    options_text,
    read_rating,
    reading,
)
from annotation.systems.vript.rr_settings import RrOptions, Setting
from backends.digest import digest
from backends.errors import UsageError
from backends.protocols import ChatReply, ChatRequest

NO_PICTURES = "the baseline cannot answer questions about pictures; choose a model with --captioner"
MAX_TOKENS = 1024
JUDGE_TOKENS = 2048
"""Token limit of the released judge."""


@dataclass(frozen=True, slots=True)
class _Task:
    kind: Kind
    task: HardTask
    words: str
    prompt: str
    value_type: ValueType


TASKS = (
    _Task("vript:hal", "hal", "Vript-HAL", "vript_hal", "score_only"),
    _Task("vript:rr", "rr", "Vript-RR, multiple choice", "vript_rr_choice", "letter"),
    _Task("vript:rr_open", "rr", "Vript-RR, open", "vript_rr_open", "yes_no_score"),
    _Task("vript:ero", "ero", "Vript-ERO", "vript_ero", "order"),
)


def run_hard(context: Context, video: Video) -> StageResults:
    """Answer every item of the video; those of RR in the requested settings.

    Raises UsageError if the video has no items, and, after all other items, for scenes without a position.
    """
    items = context.store.find(BenchmarkItem, video_id=video.id, order_by=["index", "id"])
    shown = items_shown_by(context.store, video) if "scene" in context.option(RrOptions).settings else []
    if not items and not shown:
        raise UsageError(f"{video.title} has no items of Vript-Hard; import its annotations first")
    scenes, unplaced = _scenes(context, video, [*items, *shown])
    results = StageResults()
    for task in TASKS:
        whole = [(item, whole_given(video)) for item in items if item.task == task.task]
        settings: Sequence[Setting | Literal[""]] = (
            context.option(RrOptions).settings if task.task == "rr" else ("",)
        )
        for setting in settings:
            mine = scenes if setting == "scene" else whole
            if mine:
                results += _replies(context, video, _Chain.of(context, task, setting), mine)
    failed = results.failed
    why = unplaced or (NO_PICTURES if failed and context.engines.captioner.baseline else "")
    if why:
        raise UsageError(f"{why}; {failed} requests failed" if failed else why)
    return results


def _scenes(
    context: Context, video: Video, items: Sequence[BenchmarkItem]
) -> tuple[list[tuple[BenchmarkItem, Given]], str]:
    """Questions with their scenes, and, in words, the questions whose scene cannot be located."""
    wanted = [item for item in items if item.task == "rr" and "scene" in context.option(RrOptions).settings]
    found, lost = [], []
    for item in wanted:
        try:
            found.append((item, scene_given(context.store, video, item)))
        except UsageError as error:
            lost.append(str(error))
    return found, f"{len(lost)} of {len(wanted)} scenes cannot be asked about: {lost[0]}" if lost else ""


@dataclass(frozen=True, slots=True)
class _Chain:
    """The runs of one kind of item."""

    task: _Task
    setting: Setting | Literal[""]
    replies: Run
    verdicts: Run

    @classmethod
    def of(cls, context: Context, task: _Task, setting: Setting | Literal[""]) -> _Chain:
        model, prompt = context.engines.captioner, context.prompts[task.prompt]
        about: dict[str, Any] = {"system": f"vript-{task.task}", "kind": task.kind, "setting": setting}
        replies = model_run(
            "vript_hard",
            model,
            prompt.hash,
            frames=FRAMES,
            max_tokens=MAX_TOKENS,
            **about,
            **context.reader_params,
        )
        verdicts = make_run(
            "verdicts",
            backend="rule",
            model="the released rule",
            upstream=(replies.id,),
            baseline=model.baseline,
            params=about,
        )
        return cls(task, setting, replies, verdicts)

    @property
    def words(self) -> str:
        return ", ".join(part for part in (self.task.words, SETTING_WORDS.get(self.setting, "")) if part)


def _replies(
    context: Context, video: Video, chain: _Chain, asked: Sequence[tuple[BenchmarkItem, Given]]
) -> StageResults:
    context.start_run(chain.replies)
    work = [_reply_item(context, chain, given, item) for item, given in asked]
    with context.store.writing():  # another process may use the same name
        context.store.add([chain.verdicts, *_evaluation(context, chain)])
    results = work_off(context, video, "vript_hard", chain.replies, context.engines.captioner, Text, work)
    if chain.task.kind == "vript:rr_open":
        results += _rate(context, chain, video, asked)
    return results


def _evaluation(context: Context, chain: _Chain) -> list[Record]:
    """The evaluation of these runs; it exists already if another video was processed before."""
    evaluation_id = record_id("evl", "vript-hard", chain.replies.id)
    name = f"{chain.replies.model} · {chain.words}, run here"
    taken = context.store.find(Evaluation, name=name)
    if any(evaluation.id != evaluation_id for evaluation in taken):
        name = f"{name} ({chain.replies.id[-4:]})"
    found: list[Record] = [
        Evaluation(id=evaluation_id, name=name, created_at=time.time(), baseline=chain.replies.baseline)
    ]
    return [
        *found,
        _link(evaluation_id, "captions", chain.replies),
        _link(evaluation_id, "verdicts", chain.verdicts),
    ]


def _link(evaluation_id: str, role: Literal["captions", "verdicts"], run: Run) -> EvaluationRun:
    return EvaluationRun(
        id=record_id("evr", evaluation_id, role, run.id),
        evaluation_id=evaluation_id,
        role=role,
        run_id=run.id,
    )


def _values(item: BenchmarkItem) -> dict[str, str]:
    """Values that the prompts require."""
    value = item.value
    return {
        "question": str(value.get("question", "")),
        "hint": str(value.get("hint", "")),
        "options": options_text(value.get("multiple_choice") or ()),
    }


def _reply_item(context: Context, chain: _Chain, given: Given, item: BenchmarkItem) -> Item:
    video, frames = given.video, given.frames
    values, run = _values(item), chain.replies
    file = () if video.id == item.video_id else (video.id,)
    parts = ("txt", run.id, item.id, digest(frames, values), *file)

    def build() -> ChatRequest:
        prompt = context.prompts[chain.task.prompt]
        return ChatRequest(
            # The embedded engine can describe a video but not answer questions about one.
            stage="vdc:detailed" if chain.task.task == "hal" else chain.task.kind,
            system=prompt.system,
            user=prompt.parts(values, context.pictures(video, frames)),
            facts=video_facts(context, video),
            max_tokens=MAX_TOKENS,
            frames=frames,
            prefix=digest("vript-hard", video.id, frames),
        )

    def read(called: Called, sample: int) -> Sequence[Record]:
        values = read_words(called.reply) if called.reply else FAILED
        record, subject = sample_id(parts, sample), (_subject(chain), item.id)
        text = new_text(record, called, run, video, chain.task.kind, subject, values, frames=frames)
        return [text, _verdict(chain, item, text, given)]

    return Item(parts, build, read)


def read_words(reply: ChatReply) -> tuple[ResultState, str, str]:
    """The reply without reasoning; the text of a reply that was cut off is kept.

    `unparsed` if it is empty, a refusal, or the end of the prompt: the released rule for ERO would read
    an order from the prompt's own words.
    """
    words = strip_reasoning(reply.text).strip()
    if not words:
        return "unparsed", "", "the reply has no words"
    if ends_like_prompt(words, reply.prompt):
        return "unparsed", words, "the reply repeats the prompt"
    if refused := text_refusal(words, reply.prompt):
        return "unparsed", words, f"the reply is a refusal: '{refused}'"
    return "done", words, ""


def _subject(chain: _Chain) -> Any:
    return f"{chain.task.task}_item"


def _verdict(chain: _Chain, item: BenchmarkItem, text: Text, given: Given) -> Verdict:
    """The verdict of the released rule on the reply."""
    state, label, reason = (
        reading(chain.task.kind, text.value)
        if text.state == "done"
        else ("failed" if text.state == "failed" else "missing", "", text.reason)
    )
    return Verdict(
        id=record_id("jdg", chain.verdicts.id, text.id),
        video_id=item.video_id,
        run_id=chain.verdicts.id,
        subject_type=_subject(chain),
        subject_id=item.id,
        value_type=chain.task.value_type,
        created_at=text.created_at,
        state=state,
        label=label,
        reason=reason,
        kind=chain.task.kind,
        baseline=text.baseline,
        extra=_extra(chain, item, given),
    )


def _extra(chain: _Chain, item: BenchmarkItem, given: Given) -> dict[str, Any]:
    """The setting, the item's name in tables of replies, and the position of the scene."""
    of_video = chain.task.task == "ero" or chain.setting == "whole"
    name = str(item.value.get("video_id", item.name)) if of_video else item.name
    found: dict[str, Any] = {"setting": chain.setting, "id": name, "columns": ["gt", "meta"]}
    return found | ({"scene": dict(given.about)} if given.about else {})


# --- open answers ---------------------------------------------------------------------


def _rate(
    context: Context, chain: _Chain, video: Video, asked: Sequence[tuple[BenchmarkItem, Given]]
) -> StageResults:
    """Let the judge compare the open answers with the right ones."""
    model, prompt = context.engines.judge, context.prompts["vript_rr_judge"]
    params: Mapping[str, Any] = {"system": "vript-rr", "kind": chain.task.kind, "setting": chain.setting}
    run = model_run("verdicts", model, prompt.hash, (chain.replies.id,), max_tokens=JUDGE_TOKENS, **params)
    context.caller.keep([run, _link(record_id("evl", "vript-hard", chain.replies.id), "verdicts", run)])
    known = {item.id: (item, given) for item, given in asked}
    texts = context.store.find(
        Text, run_id=chain.replies.id, subject_id=list(known), order_by=["created_at", "id"]
    )
    answers = {text.subject_id: text for text in texts if text.state == "done"}
    work = [_rating_item(context, chain, run, *known[subject], text) for subject, text in answers.items()]
    return work_off(context, video, "vript_hard", run, model, Verdict, work)


def _rating_item(
    context: Context, chain: _Chain, run: Run, item: BenchmarkItem, given: Given, text: Text
) -> Item:
    value = item.value
    values = {
        "hint": str(value.get("hint", "")),
        "question": str(value.get("question", "")),
        "response": text.value,
        "answer": str(value.get("open_answer", "")),
    }
    parts = ("jdg", run.id, text.id, digest(values))

    def build() -> ChatRequest:
        prompt = context.prompts["vript_rr_judge"]
        return ChatRequest(
            stage="vript:rr_judge",
            system=prompt.system,
            user=prompt.parts(values, ()),
            facts=values,
            max_tokens=JUDGE_TOKENS,
            prefix=digest("vript-rr-judge"),
        )

    def read(called: Called, sample: int) -> Sequence[Record]:
        rating = read_rating(called.reply.text, called.reply.prompt) if called.reply else None
        return [
            new_verdict(
                sample_id(parts, sample),
                called,
                run,
                item.video_id,
                ("rr_item", item.id),
                "yes_no_score",
                (rating.state, rating.label, rating.reason) if rating else FAILED,
                raw=called.raw,
                kind="vript:rr_open",
                extra=_extra(chain, item, given),
            )
        ]

    return Item(parts, build, read)
