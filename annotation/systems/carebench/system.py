"""CaReBench as a system, with CapST and retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotation.records.errors import FormatError
from annotation.stages.stage_spec import StageSpec
from annotation.stages.system_spec import EvaluationPass, SystemSpec
from annotation.systems.carebench import capst_requests
from annotation.systems.carebench.capst_plan import plan_capst
from annotation.systems.carebench.capst_stages import run_capst, run_elements
from annotation.systems.carebench.split_stage import run_split
from backends.protocols import ChatReply

SPLIT = StageSpec("split", "spatial and temporal text", run_split, engines=("writer",))
ELEMENTS = StageSpec(
    "elements",
    "events and objects of the CaReBench captions",
    run_elements,
    engines=("extractor",),
    needs=("captions",),
    when="where_it_applies",
)
CAPST = StageSpec(
    "capst",
    "a verdict on each event and object",
    run_capst,
    engines=("judge",),
    needs=("captions", "elements"),
    when="where_it_applies",
)


def _capst(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    """Parse verdicts on `"elements"` if present; else the list of events (or `"kind": "object"`)."""
    elements = row.get("elements")
    if elements is None:
        kind: capst_requests.ElementKind = "object" if row.get("kind") == "object" else "event"
        return asdict(capst_requests.read_elements(reply, kind))
    if not isinstance(elements, list) or not all(isinstance(one, str) for one in elements):
        raise FormatError('"elements" is the list of texts that the verdicts are on')
    return {"verdicts": [asdict(one) for one in capst_requests.read_entailment(reply, elements)]}


SYSTEM = SystemSpec(
    name="carebench",
    label="CaReBench",
    stages=(SPLIT, ELEMENTS, CAPST),
    passes=(EvaluationPass((ELEMENTS, CAPST), plan_capst),),
    reply_kinds={"capst": _capst},
)
