"""CaReBench as a system, with CapST: its stages."""

from __future__ import annotations

from annotation.stages.stage_spec import StageSpec
from annotation.systems.carebench.capst_stages import run_capst, run_elements
from annotation.systems.carebench.split_stage import run_split

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
