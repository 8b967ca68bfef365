"""Starts and checks the models that the stages of a run need, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.stages.stage_context import Context, Engines
from annotation.stages.stage_spec import CHAT_ROLES, StageSpec, engines_of
from backends.protocols import ChatModel


def make_ready(context: Context, stages: Sequence[StageSpec]) -> None:
    """Start and check the models of these stages.

    Raises BackendUnavailable if a model cannot start, or must describe pictures and does not accept any;
    UsageError if the cost is capped and a model has no price.

    Models start one after the other, because two servers that load at once would both count on the same
    memory.
    """
    if "embedder" in engines_of(spec for spec in stages if not spec.optional):
        context.engines.embedder().check()
    needed = list(_needed(context.engines, stages))
    for model, _ in needed:
        context.caller.spending.check(model)
    for model, pictures in needed:
        model.prepare(pictures=pictures, tell=context.tell, stop=context.stop)


def _needed(engines: Engines, stages: Sequence[StageSpec]) -> Iterator[tuple[ChatModel, bool]]:
    """Yield each model once, and whether it receives pictures."""
    wanted: dict[int, tuple[ChatModel, bool]] = {}
    for spec in stages:
        for role in spec.engines:
            if role in CHAT_ROLES:
                model: ChatModel = getattr(engines, role)
                known = wanted.get(id(model), (model, False))
                wanted[id(model)] = (model, known[1] or role in spec.pictures)
    yield from wanted.values()
