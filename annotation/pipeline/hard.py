"""Vript-Hard on a video: replies to its items by the captioner, read by the released rules.

Run where it is named: `run VIDEO --stages vript_hard`. Every item of the video is asked with 16 frames
of the whole video (Vript-Hard's number for video models), in the words of the released prompts. Open
answers of RR are rated by the judge. Each kind of item is an evaluation of its own.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from annotation.errors import UsageError
from annotation.loose_json import strip_reasoning
from annotation.pipeline.calls import Called
from annotation.pipeline.context import Context, make_run, model_run
from annotation.pipeline.footage import facts_of
from annotation.pipeline.items import Item, failed_id, sampled, vote, work_off
from annotation.pipeline.media import spread
from annotation.pipeline.writing import new_text, video_facts
from annotation.records import (
    BenchmarkItem,
    Evaluation,
    EvaluationRun,
    Judgement,
    Record,
    ResultState,
    Run,
    Text,
    ValueType,
    Video,
    digest,
    record_id,
)
from annotation.vript_hard import options_text, read_rating, reading
from backends.protocols import ChatReply, ChatRequest

FRAMES = 16
MAX_TOKENS = 1024
JUDGE_TOKENS = 2048
"""As the released judge."""
Kind = Literal["vript:hal", "vript:rr", "vript:rr_open", "vript:ero"]


@dataclass(frozen=True, slots=True)
class _Task:
    kind: Kind
    task: Literal["hal", "rr", "ero"]
    words: str
    prompt: str
    value_type: ValueType


TASKS = (
    _Task("vript:hal", "hal", "Vript-HAL", "vript_hal", "score_only"),
    _Task("vript:rr", "rr", "Vript-RR, multiple choice", "vript_rr_choice", "letter"),
    _Task("vript:rr_open", "rr", "Vript-RR, open", "vript_rr_open", "yes_no_score"),
    _Task("vript:ero", "ero", "Vript-ERO", "vript_ero", "order"),
)


def run_hard(context: Context, video: Video) -> int:
    """Replies to every item of the video. Raises UsageError where it has none."""
    items = context.store.find(BenchmarkItem, video_id=video.id, order_by=["index", "id"])
    if not items:
        raise UsageError(f"{video.title} has no item of Vript-Hard; import its annotations first")
    failed = 0
    for task in TASKS:
        mine = [item for item in items if item.task == task.task]
        if mine:
            failed += _replies(context, video, task, mine)
    return failed


@dataclass(frozen=True, slots=True)
class _Chain:
    """The runs of one kind of item."""

    task: _Task
    replies: Run
    verdicts: Run


def _replies(context: Context, video: Video, task: _Task, items: Sequence[BenchmarkItem]) -> int:
    model, prompt = context.engines.captioner, context.workspace.prompts[task.prompt]
    about: dict[str, Any] = {
        "system": f"vript-{task.task}",
        "kind": task.kind,
        "setting": "whole" if task.task == "rr" else "",
    }
    replies = context.start_run(
        model_run("vript_hard", model, prompt.hash, frames=FRAMES, max_tokens=MAX_TOKENS, **about,
                  **context.reader_params)
    )  # fmt: skip
    verdicts = make_run(
        "verdicts",
        backend="rule",
        model="the released rule",
        upstream=(replies.id,),
        baseline=model.baseline,
        params=about,
    )
    chain = _Chain(task, replies, verdicts)
    work = [_reply_item(context, chain, video, item) for item in items]
    context.caller.keep([verdicts, *_evaluation(context, chain)])
    failed = work_off(context, video, "vript_hard", model, Text, work)
    return failed + (_rate(context, chain, video, items) if task.kind == "vript:rr_open" else 0)


def _evaluation(context: Context, chain: _Chain) -> list[Record]:
    """The evaluation of these runs: there already when another video was asked before."""
    evaluation_id = record_id("evl", "vript-hard", chain.replies.id)
    name = f"{chain.replies.model} · {chain.task.words}, run here"
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
    """What the prompts ask for."""
    value = item.value
    return {
        "question": str(value.get("question", "")), "hint": str(value.get("hint", "")),
        "options": options_text(value.get("multiple_choice") or ()),
    }  # fmt: skip


def _reply_item(context: Context, chain: _Chain, video: Video, item: BenchmarkItem, sample: int = 0) -> Item:
    frames = spread(facts_of(video).frames, FRAMES)
    values, run = _values(item), chain.replies
    record = record_id("txt", run.id, item.id, digest(frames, values), *vote(sample))

    def build() -> ChatRequest:
        prompt = context.workspace.prompts[chain.task.prompt]
        request = ChatRequest(
            # The embedded engine can describe a video; it has no answer to questions about one.
            stage="vdc:detailed" if chain.task.task == "hal" else chain.task.kind, system=prompt.system,
            user=prompt.parts(values, context.pictures(video, frames)), facts=video_facts(context, video),
            max_tokens=MAX_TOKENS, frames=frames, prefix=digest("vript-hard", video.id, frames),
        )  # fmt: skip
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        state, words, reason = read_words(called.reply) if called.reply else ("failed", "", called.failure)
        text = new_text(record, called, run, video, chain.task.kind, (_subject(chain), item.id),
                        (state, words, reason), frames=frames)  # fmt: skip
        return [text, _verdict(chain, item, text)]

    return Item(record, build, read, partial(_reply_item, context, chain, video, item))


def read_words(reply: ChatReply) -> tuple[ResultState, str, str]:
    """The reply without reasoning. An empty one is `unparsed`; one that was cut off is kept as it is."""
    words = strip_reasoning(reply.text).strip()
    return ("done", words, "") if words else ("unparsed", "", "the reply holds no words")


def _subject(chain: _Chain) -> Any:
    return f"{chain.task.task}_item"


def _verdict(chain: _Chain, item: BenchmarkItem, text: Text) -> Judgement:
    """How the reply is read by the released rule."""
    state, label, reason = reading(chain.task.kind, text.value) if text.state == "done" else (
        "failed" if text.state == "failed" else "missing", "", text.reason
    )  # fmt: skip
    return Judgement(
        id=record_id("jdg", chain.verdicts.id, text.id), video_id=item.video_id, run_id=chain.verdicts.id,
        subject_type=_subject(chain), subject_id=item.id, value_type=chain.task.value_type,
        created_at=text.created_at, state=state, label=label, reason=reason, kind=chain.task.kind,
        baseline=text.baseline, extra=_extra(chain, item),
    )  # fmt: skip


def _extra(chain: _Chain, item: BenchmarkItem) -> dict[str, Any]:
    whole = chain.task.task in ("rr", "ero")
    name = str(item.value.get("video_id", item.name)) if whole else item.name
    return {"setting": chain.replies.params["setting"], "id": name, "columns": ["gt", "meta"]}


# --- open answers ---------------------------------------------------------------------


def _rate(context: Context, chain: _Chain, video: Video, items: Sequence[BenchmarkItem]) -> int:
    """Have the judge compare the open answers with the right ones."""
    model, prompt = context.engines.judge, context.workspace.prompts["vript_rr_judge"]
    params: Mapping[str, Any] = {"system": "vript-rr", "kind": chain.task.kind, "setting": "whole"}
    run = model_run("verdicts", model, prompt.hash, (chain.replies.id,), max_tokens=JUDGE_TOKENS, **params)
    context.caller.keep([run, _link(record_id("evl", "vript-hard", chain.replies.id), "verdicts", run)])
    known = {item.id: item for item in items}
    texts = context.store.find(
        Text, run_id=chain.replies.id, subject_id=list(known), order_by=["created_at", "id"]
    )
    answers = {text.subject_id: text for text in texts if text.state == "done"}
    work = [_rating_item(context, chain, run, known[subject], text) for subject, text in answers.items()]
    return work_off(context, video, "vript_hard", model, Judgement, work)


def _rating_item(
    context: Context, chain: _Chain, run: Run, item: BenchmarkItem, text: Text, sample: int = 0
) -> Item:
    value = item.value
    values = {
        "hint": str(value.get("hint", "")), "question": str(value.get("question", "")),
        "response": text.value, "answer": str(value.get("open_answer", "")),
    }  # fmt: skip
    record = record_id("jdg", run.id, text.id, digest(values), *vote(sample))

    def build() -> ChatRequest:
        prompt = context.workspace.prompts["vript_rr_judge"]
        request = ChatRequest(
            stage="vript:rr_judge", system=prompt.system, user=prompt.parts(values, ()), facts=values,
            max_tokens=JUDGE_TOKENS, prefix=digest("vript-rr-judge"),
        )  # fmt: skip
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        rating = read_rating(called.reply.text) if called.reply else None
        return [
            Judgement(
                id=record if called.reply else failed_id(record), video_id=item.video_id, run_id=run.id,
                subject_type="rr_item", subject_id=item.id, value_type="yes_no_score", created_at=time.time(),
                state=rating.state if rating else "failed", label=rating.label if rating else "",
                reason=rating.reason if rating else called.failure,
                raw=called.reply.text if called.reply else "", kind="vript:rr_open", call_id=called.call_id,
                baseline=run.baseline, extra=_extra(chain, item),
            )
        ]  # fmt: skip

    return Item(record, build, read, partial(_rating_item, context, chain, run, item, text))
