"""A run of the Demo page: the message of each stage that has ended."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path

from annotation.pipeline.stage_registry import stages_named
from tests.bench import Bench
from tests.chat_server import ChatServer, cut_off
from ui.demo.clips.clip_run import ClipRun
from ui.demo.clips.demo_clips import DemoClip

WAIT_S = 60.0


def test_a_stage_with_unreadable_replies_has_ended_and_says_so(
    bench: Bench, clip: Path, tmp_path: Path
) -> None:
    """Its readable results are shown then; other stages follow."""
    demo = DemoClip(tmp_path / "home", clip)
    try:
        with ChatServer(cut_off("A boat and")) as server:
            engines = bench.engines(captioner=server.spec)
            stages = stages_named(["probe", "captions", "keyframes"])
            run = ClipRun(demo, stages, lambda: nullcontext(engines), lambda one: one.add())
            run.start()
            until = time.monotonic() + WAIT_S
            while run.running:
                assert time.monotonic() < until
                time.sleep(0.02)
        told = {one.ended: one for one in run.messages() if one.ended}
        assert run.failed == ""
        assert told["captions"].problem == "5 of 5 unparsed (cut off at 7 tokens)"
        assert list(told) == ["probe", "captions", "keyframes"]
    finally:
        demo.close()
