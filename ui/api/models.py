"""Connecting a model: what this machine can run, a test call, and the setting."""

from __future__ import annotations

from threading import Event
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.people.permissions import require
from annotation.pipeline.model_connections import Role, TestCall, nameable
from annotation.pipeline.open_models import model_list
from backends.errors import BackendError
from ui.api.api_wire_types import ModelKept, ModelOffers
from ui.requests.dependencies import Parts, PartsOf, Who

router = APIRouter(prefix="/api/models")


class ModelBody(BaseModel):
    role: Role
    spec: Annotated[str, Field(min_length=1, max_length=500)]


@router.get("")
def offers(parts: PartsOf, who: Who) -> ModelOffers:
    """The models that can be connected, as in `python app.py models`, and the current settings."""
    require(who, "manage")
    found = model_list()
    specs = set(nameable([model["spec"] for model in found["models"]]))
    models = [model for model in found["models"] if model["spec"] in specs]
    return {**found, "models": models, "settings": parts.workspace.engine_settings()}


@router.post("/test")
def test(body: ModelBody, parts: PartsOf, who: Who) -> TestCall:
    """Send one request to a model; starts it first if needed."""
    require(who, "manage")
    try:
        return parts.models.try_out(body.role, body.spec, parts.waits.show_loading, Event())
    finally:
        parts.waits.loading = None


@router.post("/use")
def use(body: ModelBody, parts: PartsOf, who: Who) -> ModelKept:
    """Save a model that passed the test as this workspace's, from the next run on."""
    require(who, "manage")
    parts.models.keep(body.role, body.spec)
    return {"role": body.role, "spec": body.spec, "overruled_by": _overruling(parts, body)}


def _overruling(parts: Parts, body: ModelBody) -> str:
    """The engine that a command line flag sets instead; empty: none does."""
    try:
        engine = getattr(parts.engines(), body.role)
    except BackendError:
        return ""  # another role's server is down, which its next run reports
    return "" if engine.backend == body.spec.strip() else str(engine.backend)
