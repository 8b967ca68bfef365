"""Stages of the toy benchmark: a caption by the captioner, and a verdict on each event of the reference."""

from __future__ import annotations

import time
from collections.abc import Sequence

from annotation.systems.toy.events import KIND, SYSTEM, events, reference

from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.elements import Element
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.frames_shown_to_models import shown_frames
from annotation.stages.link_evaluation import default_name, link_evaluation
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_text, sample_id, work_off
from annotation.stages.stage_context import Context, make_run, model_run
from annotation.stages.stage_results import StageResults, skipped
from backends.protocols import ChatReply, ChatRequest

FRAMES = 4
PROMPT = "toy_caption"


def read_caption(reply: ChatReply) -> tuple[str, str, str]:
    """Return state, text and reason."""
    text = reply.text.strip()
    return ("done", text, "") if text else ("unparsed", "", "the reply is empty")


def run_captions(context: Context, video: Video) -> StageResults:
    """Write one caption."""
    model, prompt = context.engines.captioner, context.prompts[PROMPT]
    run = context.start_run(model_run("toy_captions", model, prompt.hash, system=SYSTEM))
    frames = shown_frames(video, FRAMES)
    parts = ("txt", run.id, video.id)

    def build() -> ChatRequest:
        user = prompt.parts({}, context.pictures(video, frames))
        return ChatRequest(KIND, prompt.system, user, frames=frames, fewer_frames=True)

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = read_caption(called.reply) if called.reply else FAILED
        record, about = sample_id(parts, sample), ("video", video.id)
        return [new_text(record, called, run, video, KIND, about, reading, frames=frames)]

    return work_off(context, video, "toy_captions", run, model, Text, [Item(parts, build, read)])


def run_verdicts(context: Context, video: Video) -> StageResults:
    """Look for the words of each event in the caption."""
    given, captions = reference(context.store, video.id), context.runs["toy_captions"]
    captioned = context.store.find(Text, run_id=captions.id, video_id=video.id, state="done")
    if given is None or not captioned:
        return skipped("no reference, or no caption to compare with it")
    upstream = (captions.id,)
    params = {"system": SYSTEM}
    run = context.start_run(
        make_run("toy_verdicts", backend="rule", model="words", upstream=upstream, params=params)
    )
    caption = str(context.store.current("text", captioned[0].id, "value").value)
    context.caller.keep([_verdict(run, one, caption) for one in events(context.store, given.id)])
    name = default_name("Toy", captions, run)
    link_evaluation(context.store, [("captions", captions), ("verdicts", run)], name)
    return StageResults()


def _verdict(run: Run, event: Element, caption: str) -> Verdict:
    missing = [word for word in event.value.split() if word.lower() not in caption.lower()]
    return Verdict(
        id=record_id("jdg", run.id, event.id, caption),
        video_id=event.video_id,
        run_id=run.id,
        subject_type="element",
        subject_id=event.id,
        value_type="entailment",
        created_at=time.time(),
        state="done",
        label="neutral" if missing else "entailment",
        reason=f"not in the caption: {', '.join(missing)}" if missing else "all words are in the caption",
    )
