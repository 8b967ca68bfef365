"""Versions of the judge's and the extractor's prompt: saving, testing on labelled verdicts, using."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from annotation.editing.write_prompt_versions import add_version, known_prompt, put_into_use
from annotation.people.permissions import require
from annotation.pipeline.prompt_trials import EXTRACTION, trial_of
from annotation.records.prompt_versions import PromptVersion
from annotation.reports.prompt_versions_report import workshop
from annotation.workspace.prompts_in_use import find_version
from ui.pages.library.video_list import job_json
from ui.pages.library.wire_types import JobFacts
from ui.pages.scores.prompt_wire_types import PromptKept, PromptWorkshop
from ui.requests.dependencies import Parts, PartsOf, Who, require_not_blind

router = APIRouter(prefix="/api/scoring/prompts")
BASELINE = "the embedded baseline, which uses no prompt: all versions give the same result"


class VersionBody(BaseModel):
    prompt: str
    label: str = Field(max_length=200)
    system: str
    user: str


class UseBody(BaseModel):
    prompt: str
    version: str = ""
    """Empty: the usual prompt."""


class TrialBody(UseBody):
    evaluation: str
    held_back: bool = False


@router.get("", dependencies=[Depends(require_not_blind)])
def versions(parts: PartsOf, who: Who, evaluation: str, prompt: str) -> PromptWorkshop:
    """The versions of a prompt, and the judge's agreement with people under each."""
    require(who, "run")
    return _workshop(parts, evaluation, prompt)


@router.post("")
def add(body: VersionBody, parts: PartsOf, who: Who) -> PromptKept:
    """Save another wording; the usual prompt is not changed."""
    require(who, "run")
    space = parts.workspace
    made = add_version(parts.store, who, space.prompts, body.prompt, body.label, body.system, body.user)
    return {"id": made.id}


@router.post("/trial")
def trial(body: TrialBody, parts: PartsOf, who: Who) -> JobFacts:
    """Judge or extract again for the labelled verdicts of one half, in the background."""
    require(who, "run")
    plan = trial_of(
        parts.workspace, who, body.evaluation, body.prompt, _version(parts, body), held_back=body.held_back
    )
    return job_json(parts.jobs.start_plan(plan))


@router.post("/use")
def use(body: UseBody, parts: PartsOf, who: Who) -> PromptKept:
    """Use this version from the next run on."""
    require(who, "run")
    put_into_use(parts.store, who, body.prompt, _version(parts, body))
    return {"id": body.version}


def _version(parts: Parts, body: UseBody) -> PromptVersion | None:
    return find_version(parts.store, known_prompt(body.prompt), body.version) if body.version else None


def _workshop(parts: Parts, evaluation: str, prompt: str) -> PromptWorkshop:
    found = workshop(parts.store, parts.workspace.prompts, evaluation, prompt)
    engines = parts.engines()
    asked = [engines.extractor, engines.judge] if prompt == EXTRACTION else [engines.judge]
    names = [BASELINE if engine.baseline else engine.model for engine in asked]
    return cast(PromptWorkshop, {**found, "engines": list(dict.fromkeys(names))})
