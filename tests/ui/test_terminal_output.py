"""What a command says of its progress where no bar can be drawn."""

from __future__ import annotations

import pytest

from annotation.records.videos import Video
from ui.commands import terminal_output
from ui.commands.terminal_output import Bars


def test_without_a_terminal_each_line_says_which_of_the_videos_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal_output, "PROGRESS_LINE_EVERY_S", 0.0)
    first, second = (Video(id=name, title=f"{name}.mp4", created_at=0.0) for name in ("boat", "bird"))
    with Bars(2) as bars:
        bars(first, "answers", "running", 3, 10, "")
        bars(second, "answers", "running", 1, 4, "")
        bars(first, "verdicts", "running", 5, 10, "")
    assert capsys.readouterr().err.splitlines() == [
        "video 1 of 2, boat.mp4: answers 3/10 (30%)",
        "video 2 of 2, bird.mp4: answers 1/4 (25%)",
        "video 1 of 2, boat.mp4: verdicts 5/10 (50%)",
    ]


def test_a_problem_is_one_line_of_any_length(capsys: pytest.CaptureFixture[str]) -> None:
    film = Video(id="boat", title="boat.mp4", created_at=0.0)
    why = f"no speech model; use {', '.join(['tiny'] * 60)}"
    with Bars() as bars:
        bars(film, "speech", "failed", 0, 1, why)
    assert capsys.readouterr().err == f"boat.mp4: speech: {why}\n"
