"""Before a run: the models that its stages need are started and looked at, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from annotation.pipeline.context import Context, Engines
from annotation.records import Stage
from backends.protocols import ChatModel

ROLE: Mapping[Stage, str] = {
    "script": "captioner", "captions": "captioner", "frames": "captioner", "questions": "writer",
    "split": "writer", "answers": "extractor", "verdicts": "judge", "keyframes": "judge", "changes": "judge",
    "matching": "judge",
}  # fmt: skip
PICTURED: frozenset[Stage] = frozenset(("script", "captions", "frames", "matching"))


def make_ready(context: Context, stages: Sequence[Stage]) -> None:
    """Raises BackendUnavailable for a model that cannot start, or takes no pictures and is to describe some.

    One after the other: two servers that load at once would each take the memory that the other counted on.
    """
    if "retrieval" in stages:
        context.engines.embedder().check()
    for model, pictures in _needed(context.engines, stages):
        model.prepare(pictures=pictures, tell=context.tell, stop=context.stop)


def _needed(engines: Engines, stages: Sequence[Stage]) -> Iterator[tuple[ChatModel, bool]]:
    """Each model once, and whether it is shown pictures."""
    wanted: dict[int, tuple[ChatModel, bool]] = {}
    for stage in stages:
        if stage in ROLE:
            model: ChatModel = getattr(engines, ROLE[stage])
            known = wanted.get(id(model), (model, False))
            wanted[id(model)] = (model, known[1] or stage in PICTURED)
    yield from wanted.values()
