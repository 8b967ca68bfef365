"""Before a run: the models that its stages need are started and looked at, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.stages.stage_context import Context, Engines
from annotation.stages.stage_spec import CHAT_ROLES, StageSpec, engines_of
from backends.protocols import ChatModel


def make_ready(context: Context, stages: Sequence[StageSpec]) -> None:
    """Raises BackendUnavailable for a model that cannot start, or takes no pictures and is to describe some;
    UsageError for one without a price where the cost is capped.

    One after the other: two servers that load at once would each take the memory that the other counted on.
    """
    if "embedder" in engines_of(spec for spec in stages if not spec.optional):
        context.engines.embedder().check()
    needed = list(_needed(context.engines, stages))
    for model, _ in needed:
        context.caller.spending.check(model)
    for model, pictures in needed:
        model.prepare(pictures=pictures, tell=context.tell, stop=context.stop)


def _needed(engines: Engines, stages: Sequence[StageSpec]) -> Iterator[tuple[ChatModel, bool]]:
    """Each model once, and whether it is shown pictures."""
    wanted: dict[int, tuple[ChatModel, bool]] = {}
    for spec in stages:
        for role in spec.engines:
            if role in CHAT_ROLES:
                model: ChatModel = getattr(engines, role)
                known = wanted.get(id(model), (model, False))
                wanted[id(model)] = (model, known[1] or role in spec.pictures)
    yield from wanted.values()
