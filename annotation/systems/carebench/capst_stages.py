"""Stages of CapST: extract the events and objects of two captions, and judge each by the other caption.

The reference's elements are extracted once and stored, so that people can correct them and all models
use the same elements. They are extracted again only if the reference has changed and no person
has edited them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from annotation.records import fingerprints
from annotation.records.allowed_values import Stage
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.elements import Element, ElementList
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, Run, RunRole
from annotation.records.videos import Video
from annotation.stages.link_evaluation import default_name, link_evaluation
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, IdParts, Item, failed_id, new_verdict, sample_id, work_off
from annotation.stages.stage_context import Context, model_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.systems.carebench import capst_requests
from annotation.systems.carebench.capst_requests import KINDS, SYSTEM, ElementKind
from annotation.systems.carebench.current_elements import (
    ElementNow,
    Elements,
    elements_of,
    predicted_captions,
    reference_caption,
)
from backends.protocols import ChatRequest

TITLE = "CapST"
NO_PAIR = "no CaReBench reference, or no caption of this run to compare with it"
"""Reason why there is nothing to judge."""


def run_elements(context: Context, video: Video) -> StageResults:
    """Extract the elements of the predicted caption, and of the reference if it has no current ones."""
    pair = _pair(context, video)
    if pair is None:
        return skipped(NO_PAIR)
    prompts = context.prompts.hash(*capst_requests.PROMPTS.values())
    model = context.engines.extractor
    run = context.start_run(
        model_run("elements", model, prompts, system=SYSTEM, max_tokens=capst_requests.EXTRACT_TOKENS)
    )
    reference, predicted = pair
    known = elements_of(context.store, [reference.id])
    wanted = [(reference, kind) for kind in KINDS if _needs(known.get((reference.id, kind)))]
    wanted += [(predicted, kind) for kind in KINDS if predicted.state == "done"]
    values = context.store.currents("text", [reference.id, predicted.id], "value")
    items = [_list_item(context, run, text, kind, str(values[text.id].value)) for text, kind in wanted]
    return work_off(context, video, "elements", run, model, ElementList, items)


def _pair(context: Context, video: Video) -> tuple[Text, Text] | None:
    """Reference and predicted caption; None if either is missing."""
    captions = context.runs.get("captions")
    reference = reference_caption(context.store, video.id)
    predicted = predicted_captions(context.store, [captions.id]).get(video.id) if captions else None
    return (reference, predicted) if reference and predicted else None


def _needs(known: Elements | None) -> bool:
    if known is None:
        return True
    if known.found is not None and known.found.state != "done":
        return True
    return known.stale and not known.touched


def _list_item(context: Context, run: Run, text: Text, kind: ElementKind, caption: str) -> Item:
    inputs = fingerprints.of_text(caption)
    parts = ("ell", run.id, text.id, kind, inputs)

    def build() -> ChatRequest:
        return capst_requests.extract_request(context.prompts, kind, caption)

    def read(called: Called, sample: int) -> Sequence[Record]:
        record = sample_id(parts, sample)
        reading = capst_requests.read_elements(called.reply, kind) if called.reply else None
        made = ElementList(
            id=record if called.reply else failed_id(record),
            video_id=text.video_id,
            text_id=text.id,
            kind=kind,
            created_at=time.time(),
            state=reading.state if reading else "failed",
            reason=(reading.reason or "; ".join(reading.problems)) if reading else called.failure,
            run_id=run.id,
            source_hash=inputs,
            call_id=called.call_id,
            baseline=run.baseline,
        )
        elements = [
            Element(
                id=record_id("elm", made.id, index),
                video_id=text.video_id,
                text_id=text.id,
                kind=kind,
                index=index,
                value=words,
                created_at=made.created_at,
                run_id=run.id,
                list_id=made.id,
            )
            for index, words in enumerate(reading.elements if reading else ())
        ]
        return [made, *elements]

    return Item(parts, build, read)


# --- verdicts -----------------------------------------------------------------------------


def run_capst(context: Context, video: Video) -> StageResults:
    """Judge each element of one caption by the other one."""
    pair, elements = _pair(context, video), context.runs.get("elements")
    if pair is None or elements is None:
        return skipped(NO_PAIR)
    store, model = context.store, context.engines.judge
    prompt = context.prompts[capst_requests.ENTAILMENT_PROMPT]
    upstream = (context.runs["captions"].id, elements.id)
    run = context.start_run(
        model_run(
            "capst", model, prompt.hash, upstream, system=SYSTEM, max_tokens=capst_requests.ENTAILMENT_TOKENS
        )
    )
    values = {k: str(now.value) for k, now in store.currents("text", [t.id for t in pair], "value").items()}
    found = elements_of(store, [text.id for text in pair], [elements.id])
    items: list[Item] = []
    for own, other in (pair, pair[::-1]):
        if other.state != "done":
            continue
        for kind in KINDS:
            members = found[own.id, kind].kept if (own.id, kind) in found else []
            items += _verdict_items(context, run, members, values[other.id])
    work_off(context, video, "capst", run, model, Verdict, items)
    name_evaluation(context)
    kept = [one for one, _ in store.not_superseded(store.find(Verdict, run_id=run.id, video_id=video.id))]
    wanted = {one.element.id for sides in found.values() for one in sides.kept}
    return StageResults.of((one.state, one.reason) for one in kept if one.subject_id in wanted)


def _verdict_items(context: Context, run: Run, members: Sequence[ElementNow], description: str) -> list[Item]:
    """One request for elements without a verdict; with `again`, also one for unreadable verdicts."""
    ids = {record_id(*_verdict_parts(run, one, description)): one for one in members}
    kept = {j.id: j for j in context.store.find(Verdict, id=list(ids))} if ids else {}
    new = [one for key, one in ids.items() if key not in kept]
    unread = [one for key, one in ids.items() if key in kept and kept[key].state == "unparsed"]
    groups = [new, unread] if context.again else [new]
    return [_verdict_item(context, run, group, description) for group in groups if group]


def _verdict_parts(run: Run, one: ElementNow, description: str) -> IdParts:
    return ("jdg", run.id, one.element.id, fingerprints.of_entailment(one.words, description))


def _verdict_item(context: Context, run: Run, group: Sequence[ElementNow], description: str) -> Item:
    words = [one.words for one in group]

    def build() -> ChatRequest:
        return capst_requests.entailment_request(context.prompts, words, description)

    def read(called: Called, sample: int) -> Sequence[Record]:
        readings = capst_requests.read_entailment(called.reply, words) if called.reply else None
        return [
            _verdict(run, one, description, called, readings[n] if readings else None, sample)
            for n, one in enumerate(group)
        ]

    return Item(_verdict_parts(run, group[0], description), build, read)


def _verdict(
    run: Run,
    one: ElementNow,
    description: str,
    called: Called,
    reading: capst_requests.EntailmentReading | None,
    sample: int,
) -> Verdict:
    return new_verdict(
        sample_id(_verdict_parts(run, one, description), sample),
        called,
        run,
        one.element.video_id,
        ("element", one.element.id),
        "entailment",
        (reading.state, reading.label, reading.reason) if reading else FAILED,
        source_hash=fingerprints.of_entailment(one.words, description),
    )


# --- evaluations --------------------------------------------------------------------------

_ROLES: tuple[tuple[RunRole, Stage], ...] = (
    ("captions", "captions"),
    ("elements", "elements"),
    ("verdicts", "capst"),
)


def name_evaluation(context: Context, name: str = "") -> Evaluation:
    """Name the chain of captions, elements and verdicts."""
    runs = [(role, context.runs[stage]) for role, stage in _ROLES]
    wanted = name or default_name(TITLE, context.runs["captions"], context.runs["capst"])
    return link_evaluation(context.store, runs, wanted)
