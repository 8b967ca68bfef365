"""VDC's pool of caption prompts: one is drawn per video and aspect, as the public evaluation code does.

Source: lmms-eval `tasks/vdc/utils.py` (24 prompts for the detailed caption, 16 for each other aspect). It
draws with `random.choice` without a seed; here the draw depends only on the video and the aspect, so
repeated runs send the same requests.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast

from annotation.prompts.prompt_files import Prompt, Prompts
from annotation.records.allowed_values import VDC_ASPECTS, VdcAspect
from annotation.records.videos import Video
from backends.digest import digest

FILE = Path(__file__).with_name("prompts") / "vdc_caption_pool.csv"


@cache
def pool() -> Mapping[VdcAspect, tuple[str, ...]]:
    """The prompts of each aspect, in the order of the published list."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [(cast(VdcAspect, row["aspect"]), row["prompt"]) for row in csv.DictReader(file)]
    return {aspect: tuple(prompt for a, prompt in rows if a == aspect) for aspect in VDC_ASPECTS}


def pool_hash() -> str:
    """Hash of the whole list; stored with a run that drew from it."""
    return digest("vdc caption pool", *(list(pool()[aspect]) for aspect in VDC_ASPECTS))


def drawn(prompts: Prompts, video: Video) -> Prompts:
    """`prompts` with the five caption prompts replaced by those drawn for this video."""
    return prompts.with_(_draw(aspect, video.sha256 or video.id) for aspect in VDC_ASPECTS)


def _draw(aspect: VdcAspect, key: str) -> Prompt:
    choices = pool()[aspect]
    words = choices[int(digest("vdc caption pool", aspect, key), 16) % len(choices)]
    user = f"{{pictures}}\n{words}"
    return Prompt(f"vdc_caption_{aspect}", "", user, digest("prompt", "", user))
