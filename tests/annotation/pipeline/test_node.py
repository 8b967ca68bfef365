"""What a node of a cluster is asked before it works, and what is refused before a cluster is asked at all."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.intake.add_video import add_video
from annotation.pipeline.distributed import ray_cluster
from annotation.pipeline.distributed.video_worker import Job
from annotation.pipeline.distributed.work_on_ray_node import (
    Ticket,
    difference,
    do_video,
    hire,
    unfit,
    versions,
)
from annotation.pipeline.engines import EngineChoice
from annotation.records.runs import RunVideo
from annotation.records.videos import SceneList
from annotation.workspace.workspace import Workspace
from backends.errors import BackendUnavailable, MediaError, UsageError
from tests.bench import clip, workspace

__all__ = ["clip", "workspace"]


@pytest.fixture
def ticket(workspace: Workspace, clip: Path) -> Ticket:
    video = add_video(workspace.store, workspace.media, clip)
    job = Job(workspace.path, workspace.store.url, EngineChoice(speech="none"), ("probe", "scenes"))
    (workspace.media / ".proof").touch()
    return Ticket(job, ".proof", tuple(versions().items()), video.id)


def test_a_node_that_has_everything_does_the_stages(ticket: Ticket, workspace: Workspace) -> None:
    assert unfit(ticket) == ""
    answer, said = do_video(ticket, ticket.video_id)
    assert (answer.kind, answer.problems) == ("done", ())
    assert [(stage, state) for stage, state, *_ in said] == [("probe", "done"), ("scenes", "done")]
    assert workspace.store.find(SceneList, video_id=ticket.video_id)
    assert {row.state for row in workspace.store.find(RunVideo)} == {"done"}


def test_what_does_not_fit_is_said(ticket: Ticket, tmp_path: Path) -> None:
    older = tuple(("av", "1.0") if name == "av" else (name, found) for name, found in ticket.versions)
    for wrong, words in (
        (replace(ticket, versions=older), "here 1.0"),
        (replace(ticket, token=".other"), "share it"),
        (replace(ticket, video_id="vid-elsewhere"), "another database"),
        (replace(ticket, job=replace(ticket.job, folder=tmp_path / "none")), "share it"),
        (replace(ticket, job=replace(ticket.job, choice=EngineChoice(detector="eyes"))), "eyes"),
    ):
        assert words in unfit(wrong)
    assert not (tmp_path / "none").exists(), "a folder that is not there is not made"
    late, _ = do_video(replace(ticket, token=".other"), ticket.video_id)
    assert late.kind == "unavailable" and "share it" in late.why


def test_a_node_that_does_not_see_the_file_says_which(
    workspace: Workspace, tmp_path: Path, clip: Path
) -> None:
    copy = tmp_path / "copy.mp4"
    copy.write_bytes(clip.read_bytes())
    video = add_video(workspace.store, workspace.media, copy)
    copy.unlink()
    (workspace.media / ".proof").touch()
    job = Job(workspace.path, workspace.store.url, EngineChoice(speech="none"), ("scenes",))
    with pytest.raises(MediaError, match=r"copy\.mp4"):
        hire(Ticket(job, ".proof", tuple(versions().items()), video.id))


def test_versions_change_with_the_code() -> None:
    here = versions()
    assert here == versions() and len(here["code"]) == 12
    assert difference(here, here) == ""
    assert difference({"av": "18"}, {"decord": "1"}) == "av none (here 18), decord 1 (here none)"


POSTGRES = "postgresql://u@h/d"


@pytest.mark.parametrize(
    ("address", "database", "processes", "words"),
    [
        ("auto", "sqlite:///x.db", 1, "--database postgresql://"),
        ("auto", POSTGRES, 2, "--processes"),
        ("http://host:1", POSTGRES, 1, "ray://HOST:10001"),
        ("host", POSTGRES, 1, "HOST:6379"),
        ("ray://host:port", POSTGRES, 1, "auto"),
    ],
)
def test_what_does_not_go_together_is_refused(
    address: str, database: str, processes: int, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        ray_cluster.check_choice(address, database, processes)


@pytest.mark.parametrize("address", ["auto", "host:6379", "ray://host:10001", "ray://[::1]:10001"])
def test_addresses_of_a_cluster(address: str) -> None:
    ray_cluster.check_choice(address, POSTGRES, 1)


def test_without_ray_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BackendUnavailable, match=r"pip install -r requirements-ray\.txt"):
        ray_cluster.connect("auto")


class StartingCluster:
    """Ray's module, where a cluster breaks off so many greetings."""

    def __init__(self, breaks: int) -> None:
        self.left = breaks

    def init(self, *_: object, **__: object) -> None:
        self.left -= 1
        if self.left >= 0:
            raise ConnectionAbortedError("Initialization failure from server:\nTraceback:\n  x\nno agent yet")


def test_a_cluster_that_is_just_starting_is_greeted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "_AGAIN_S", 0.0)
    ray_cluster._greet(StartingCluster(2), "ray://there:1")
    with pytest.raises(BackendUnavailable, match=r"at ray://there:1 \(no agent yet\)"):
        ray_cluster._greet(StartingCluster(3), "ray://there:1")
