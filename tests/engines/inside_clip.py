"""Run by `test_embeddings.py` with the Python that has sentence-transformers: the contract, what is cut."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from backends.embeddings.registry import joint_embeddings
from backends.errors import BackendUnavailable
from backends.protocols import Asked
from tests.backends.embeddings.contract import BLUE, LONG, RED, TEXTS, obey

UNUSED = Asked(lambda text: ("", ()), lambda frames: ("", ()), "")
"""CLIP is asked without words."""


def main(folder: Path) -> dict[str, object]:
    engine = joint_embeddings(str(folder), UNUSED)
    obey(engine)
    both = engine.videos([[RED, BLUE]]).rows[0]
    alone = [engine.videos([[picture]]).rows[0] for picture in (RED, BLUE)]
    return {
        "says": engine.check(),
        "cut": engine.texts([TEXTS[0], LONG]).cut,
        "mean": bool(abs(both - (alone[0] + alone[1]) / 2).max() < 1e-6),
        "same key": engine.key == joint_embeddings(str(folder), UNUSED).key,
        "refused": [refusal(str(folder.parent / "small")), refusal("no-such-model")],
    }


def refusal(spec: str) -> str:
    try:
        joint_embeddings(spec, UNUSED)
    except BackendUnavailable as error:
        return str(error)
    return ""


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))), flush=True)
