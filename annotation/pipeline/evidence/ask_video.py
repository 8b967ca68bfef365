"""Asks a vision model a question about its relevant frames: a second opinion outside of evaluations."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.people.permissions import require
from annotation.records.captions_to_verdicts import Answer, Question
from annotation.records.decisions import Person
from annotation.records.ids import record_id
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.model_items import new_answer
from annotation.stages.stage_context import Context, model_run
from annotation.store.store import Store
from annotation.systems.vdc.requests import read_answer
from annotation.systems.video_mmlu.requests import DIRECT_PROMPT, DIRECT_TOKENS, direct_request
from backends.errors import RequestFailed, UsageError

TASK = "second opinion"
"""Value of `task` in the parameters of runs of such answers."""
NO_MODEL = (
    "no vision model is connected; choose “Connect a model” in the menu at your name, or type: "
    "python app.py serve --captioner http://HOST:PORT/v1#MODEL"
)


def ask_video(context: Context, person: Person | None, question: Question, frames: Sequence[int]) -> Answer:
    """Return the captioner's answer to the current question, given only these frames.

    It is stored with its request, frames and raw reply. Raises NotAllowed, UsageError if no vision model is
    connected or there is no frame, BackendUnavailable, RequestFailed, MediaError, Stopped.
    """
    require(person, "run")
    model, store = context.engines.captioner, context.store
    if model.baseline:
        raise UsageError(NO_MODEL)
    if not frames:
        raise UsageError("no frame to ask about: the video has no file yet; add it first")
    model.prepare(pictures=True, tell=context.tell, stop=context.stop)
    prompt = context.prompts[DIRECT_PROMPT]
    params = {"task": TASK, "max_tokens": DIRECT_TOKENS, **context.reader_params}
    run = model_run("answers", model, prompt.hash, **params)
    asked = str(store.current("question", question.id, "text").value)
    shown = tuple(sorted(set(frames)))
    pictures = context.pictures(store.get(Video, question.video_id), shown)
    called = context.caller.ask(model, direct_request(context.prompts, pictures, shown, asked, {}))
    if called.reply is None:
        raise RequestFailed(called.failure)
    reading = read_answer(called.reply)
    record = record_id("ans", run.id, question.id, called.call_id)
    values = (reading.state, reading.value, reading.reason)
    answer = new_answer(record, called, run, question, "video", values)
    context.caller.keep([run, answer])
    return answer


def second_opinions(store: Store, question_id: str) -> list[tuple[Answer, Run]]:
    """Return the stored answers of vision models, newest first."""
    answers = store.find(Answer, question_id=question_id, source="video")
    runs = {run.id: run for run in store.find(Run, id=[answer.run_id for answer in answers])}
    found = [(answer, runs[answer.run_id]) for answer in answers]
    asked = [one for one in found if one[1].params.get("task") == TASK]
    return sorted(asked, key=lambda one: -one[0].created_at)
