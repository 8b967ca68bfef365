"""Before a run: the models that its stages need are started and looked at, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from annotation.records.allowed_values import Stage
from annotation.stages.stage_context import Context, Engines
from backends.protocols import ChatModel

ROLES: Mapping[Stage, tuple[str, ...]] = {
    "script": ("captioner",),
    "captions": ("captioner",),
    "frames": ("captioner",),
    "questions": ("writer",),
    "split": ("writer",),
    "answers": ("extractor",),
    "elements": ("extractor",),
    "verdicts": ("judge",),
    "keyframes": ("judge",),
    "changes": ("judge",),
    "matching": ("judge",),
    "capst": ("judge",),
    "vript_hard": ("captioner", "judge"),
}
"""Whose models a stage asks."""
PICTURED: frozenset[tuple[Stage, str]] = frozenset(
    (
        ("script", "captioner"),
        ("captions", "captioner"),
        ("frames", "captioner"),
        ("matching", "judge"),
        ("vript_hard", "captioner"),
    )
)
"""Which of them are shown pictures there."""


def make_ready(context: Context, stages: Sequence[Stage]) -> None:
    """Raises BackendUnavailable for a model that cannot start, or takes no pictures and is to describe some;
    UsageError for one without a price where the cost is capped.

    One after the other: two servers that load at once would each take the memory that the other counted on.
    """
    if "retrieval" in stages:
        context.engines.embedder().check()
    needed = list(_needed(context.engines, stages))
    for model, _ in needed:
        context.caller.spending.check(model)
    for model, pictures in needed:
        model.prepare(pictures=pictures, tell=context.tell, stop=context.stop)


def _needed(engines: Engines, stages: Sequence[Stage]) -> Iterator[tuple[ChatModel, bool]]:
    """Each model once, and whether it is shown pictures."""
    wanted: dict[int, tuple[ChatModel, bool]] = {}
    for stage in stages:
        for role in ROLES.get(stage, ()):
            model: ChatModel = getattr(engines, role)
            known = wanted.get(id(model), (model, False))
            wanted[id(model)] = (model, known[1] or (stage, role) in PICTURED)
    yield from wanted.values()
