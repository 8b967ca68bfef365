"""One unit of model work: a request that is built when it is sent, and the records made from its reply."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast

from annotation.records.allowed_values import ResultState, Stage, SubjectType, TextKind, ValueType
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.errors import FormatError
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.model_calls import Called
from annotation.stages.spending import Took
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.store.evaluation_by_name import add_took
from annotation.store.store import Store
from annotation.store.tables import TABLE_OF
from backends.errors import DailiesError
from backends.protocols import ChatModel, ChatRequest

IdParts = tuple[Any, ...]
"""The arguments of `record_id`."""
log = logging.getLogger(__name__)
FAILED: tuple[ResultState, str, str] = ("failed", "", "")
"""The reading of a failed request; the record states the reason."""
DONE: tuple[ResultState, str] = ("done", "")


@dataclass(frozen=True, slots=True)
class Item:
    """A request, and how to read its reply.

    A failed request creates a record with `failed_id`. Because `record_id` is then absent, the next run
    repeats the request.
    """

    parts: IdParts
    """Parts of the id of the record that a reply creates, readable or not."""
    build: Callable[[], ChatRequest]
    read: Callable[[Called, int], Sequence[Record]]
    """Takes the result and the sample number; the ids of its records are `sample_id` of their parts."""
    sample: int = 0
    """0 is the first request; 1, 2 ... repeat it, and each has a separate record."""
    of_none: Callable[[Called], tuple[ResultState, str]] = lambda _called: DONE
    """State and reason for a reply that creates no record itself, such as a list of questions."""

    @property
    def record_id(self) -> str:
        return sample_id(self.parts, self.sample)

    def request(self) -> ChatRequest:
        return replace(self.build(), sample=self.sample)


def sample_id(parts: IdParts, sample: int) -> str:
    """Return the id of the record of the n-th sample."""
    return record_id(*parts, *((sample,) if sample else ()))


def failed_id(record_id: str) -> str:
    """Return the id of the record that states that a request failed."""
    return f"{record_id}-failed"


def new_text(
    record: str,
    called: Called,
    run: Run,
    video: Video,
    kind: TextKind,
    subject: tuple[SubjectType, str],
    reading: tuple[ResultState, str, str],
    **more: Any,
) -> Text:
    """Create the text from a reply; `reading` is (state, value, reason)."""
    state, value, reason = reading if called.reply else ("failed", "", called.failure)
    if called.fewer:
        more["frames"], reason = called.frames, "; ".join(filter(None, (reason, called.fewer)))
    return Text(
        id=record if called.reply else failed_id(record),
        video_id=video.id,
        kind=kind,
        subject_type=subject[0],
        subject_id=subject[1],
        value=value,
        created_at=time.time(),
        state=state,
        reason=reason,
        run_id=run.id,
        call_id=called.call_id,
        baseline=run.baseline,
        **more,
    )


def new_answer(
    record: str,
    called: Called,
    run: Run,
    question: Question,
    source: Literal["caption", "video"],
    reading: tuple[ResultState, str, str],
    **more: Any,
) -> Answer:
    """Create the answer from a reply; `reading` is (state, value, reason)."""
    state, value, reason = reading if called.reply else ("failed", "", called.failure)
    return Answer(
        id=record if called.reply else failed_id(record),
        video_id=question.video_id,
        question_id=question.id,
        run_id=run.id,
        source=source,
        value=value,
        created_at=time.time(),
        state=state,
        reason=reason or called.fewer,
        call_id=called.call_id,
        baseline=run.baseline,
        **more,
    )


def new_verdict(
    record: str,
    called: Called,
    run: Run,
    video_id: str,
    subject: tuple[SubjectType, str],
    value_type: ValueType,
    reading: tuple[ResultState, str, str],
    **more: Any,
) -> Verdict:
    """Create the verdict from a reply; `reading` is (state, label, reason)."""
    state, label, reason = reading if called.reply else ("failed", "", called.failure)
    return Verdict(
        id=record if called.reply else failed_id(record),
        video_id=video_id,
        run_id=run.id,
        subject_type=subject[0],
        subject_id=subject[1],
        value_type=value_type,
        created_at=time.time(),
        state=state,
        label=label,
        reason=reason,
        call_id=called.call_id,
        baseline=run.baseline,
        **more,
    )


def work_off(
    context: Context,
    video: Video,
    stage: Stage,
    run: Run,
    model: ChatModel,
    kind: type[Record],
    items: Sequence[Item],
) -> StageResults:
    """Send the missing requests of a run; return the states of all items, old and new.

    Results are written when they arrive, so an interrupted run keeps them. Calls, tokens and cost are added
    to the run.
    """
    if context.again:
        items = [_not_unreadable(context.store, kind, item) for item in items]
    known = {record.id: record for record in context.store.find(kind, id=[item.record_id for item in items])}
    todo = [item for item in items if item.record_id not in known]
    done, results = len(items) - len(todo), _kept_states(context.store, kind, items, known)
    context.progress(video, stage, done, len(items))
    with _counted(context, run) as took:
        for finished in context.caller.ask_all(model, [item.request for item in todo]):
            took += [called.took for _, called in finished]
            results += _keep(context, [(todo[position], called) for position, called in finished])
            done += len(finished)
            context.progress(video, stage, done, len(items), results.failed)
    return results


def _kept_states(
    store: Store, kind: type[Record], items: Sequence[Item], known: Mapping[str, Record]
) -> StageResults:
    """Return the states of items with a record. For an unreadable reply, a later sample or a correction
    counts.
    """
    states = {key: _state_of(record) for key, record in known.items()}
    unread = [key for key, (state, _) in states.items() if state == "unparsed"]
    by_people = _corrected(store, kind, unread)
    for item in (one for one in items if states.get(one.record_id, DONE)[0] == "unparsed"):
        later = store.find(kind, id=_not_unreadable(store, kind, item).record_id)
        if later or item.record_id in by_people:
            states[item.record_id] = _state_of(later[0]) if later else DONE
    return StageResults.of(states.values())


def _corrected(store: Store, kind: type[Record], ids: Sequence[str]) -> set[str]:
    """Return the ids of records that a person has corrected."""
    table = TABLE_OF[kind].name
    if not ids or table not in ("text", "answer", "verdict"):
        return set()
    now = store.currents(cast(SubjectType, table), ids, "verdict" if table == "verdict" else "value")
    return {key for key, one in now.items() if one.corrected}


def _state_of(record: Record) -> tuple[ResultState, str]:
    return getattr(record, "state", "done"), getattr(record, "reason", "")


@contextmanager
def _counted(context: Context, run: Run) -> Iterator[list[Took]]:
    """Add calls, tokens and cost of the block to the run, even if the pass is stopped."""
    took: list[Took] = []
    try:
        with context.caller.spending.clock() as seconds:
            yield took
    finally:
        whole = sum(took, Took())
        if whole.calls:
            add_took(context.store, run.id, asdict(whole + Took(seconds=seconds[0])))


def _keep(context: Context, finished: Sequence[tuple[Item, Called]]) -> StageResults:
    """Write the records of replies; return their states. An error in a reply fails only its own item."""
    read = [(item, *_read(item, called)) for item, called in finished]
    try:
        context.caller.keep([record for _, _, records in read for record in records])
    except FormatError:
        read = [(item, *_kept_alone(context, item, called, records)) for item, called, records in read]
    return StageResults.of(_worst(item, called, records) for item, called, records in read)


def _worst(item: Item, called: Called, records: Sequence[Record]) -> tuple[ResultState, str]:
    """Return the state of an item: that of its first record that is not done."""
    if called.reply is None:
        return "failed", called.failure
    states = [_state_of(record) for record in records] or [item.of_none(called)]
    return next((one for one in states if one[0] != "done"), DONE)


def _read(item: Item, called: Called) -> tuple[Called, Sequence[Record]]:
    try:
        return called, item.read(called, item.sample)
    except DailiesError:
        raise
    except Exception as error:  # The run continues, whatever a reply contains.
        log.exception("the reply of call %s", called.call_id)
        why = f"a bug in Dailies ({type(error).__name__}) while reading the reply; the log has the traceback"
        return _failed(item, called, why)


def _kept_alone(
    context: Context, item: Item, called: Called, records: Sequence[Record]
) -> tuple[Called, Sequence[Record]]:
    try:
        context.caller.keep(records)
    except FormatError as error:
        called, records = _failed(item, called, str(error))
        context.caller.keep(records)
    return called, records


def _failed(item: Item, called: Called, why: str) -> tuple[Called, Sequence[Record]]:
    failed = Called(None, called.call_id, why, called.fewer, called.frames)
    return failed, item.read(failed, item.sample)


def _not_unreadable(store: Store, kind: type[Record], item: Item) -> Item:
    """Return the item with the first sample that has no unreadable reply stored."""
    while (kept := store.find(kind, id=item.record_id)) and getattr(kept[0], "state", "") == "unparsed":
        item = replace(item, sample=item.sample + 1)
    return item
