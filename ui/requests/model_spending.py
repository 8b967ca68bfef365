"""The cost limit of a pass that a page starts, and the estimate of its model calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, cast

from pydantic import BaseModel, Field

from annotation.pipeline.estimate import estimate, estimate_json
from annotation.records.videos import Video
from annotation.stages.spending import Cap
from annotation.stages.stage_context import Context
from annotation.stages.stage_spec import StageSpec
from ui.lib.shared_wire_types import JobEstimate

MOST_ESTIMATED = 20
"""Most videos of an estimate: the database is locked for writing during an estimate."""


class CapBody(BaseModel):
    most_calls: Annotated[int | None, Field(ge=1)] = None
    most_cost: Annotated[float | None, Field(gt=0, allow_inf_nan=False)] = None

    @property
    def cap(self) -> Cap:
        return Cap(self.most_calls, self.most_cost)


def estimate_of(context: Context, videos: Sequence[Video], stages: Sequence[StageSpec]) -> JobEstimate:
    """Estimate the model calls. Writes nothing and calls no model."""
    found = estimate(context, videos, stages, most=MOST_ESTIMATED)
    return cast(JobEstimate, estimate_json(found))
