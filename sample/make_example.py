"""Make `example.jsonl`: the sample with the results of every stage, which the Demo page opens with.

    python -m sample.make_example

It needs the weights for speech (`requirements-weights.txt`) and takes a minute. Run it after changes of the
stages, of the sample's files, or of the format `dailies-jsonl`.
"""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from threading import Event

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from exports.sample import SAMPLE, fill_sample

OUT = SAMPLE / "example.jsonl"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, closing(Workspace(Path(folder))) as space:
        fill_sample(space, make_engines(EngineChoice(), space), lambda *_: None, Event())
        formats.write(space.store, "dailies-jsonl", OUT)


if __name__ == "__main__":
    main()
