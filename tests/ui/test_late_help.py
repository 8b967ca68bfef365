"""The help of commands lists what the registries hold. It is made when it is shown."""

from __future__ import annotations

from annotation.pipeline.reply_kinds import KINDS
from exports.catalogue.report_registry import REPORTS
from tests.app_process import run_app


def shown(command: str) -> str:
    done = run_app(command, "--help")
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_score_names_the_benchmarks_and_those_that_an_option_is_for() -> None:
    found = shown("score")
    assert f"{', '.join(REPORTS)}. " in found
    assert "retrieval, rebias: frames per video" in found and "vript-hal: word vectors" in found


def test_read_replies_names_the_kinds() -> None:
    *others, last = KINDS
    assert f"{', '.join(others)} or {last}. " in shown("read-replies")
