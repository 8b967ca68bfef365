"""Fixtures of these tests: a workspace that every stage has gone over, copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotation.workspace.workspace import Workspace
from tests.bench import Bench, clip
from tests.databases import new_workspace
from tests.ui.oidc_desk import BO, Desk
from tests.ui.oidc_provider import OpenIdProvider, running_provider

__all__ = ["clip"]


@pytest.fixture(scope="session")
def processed(tmp_path_factory: pytest.TempPathFactory, clip: Path) -> Path:
    """The workspace, made once."""
    folder = tmp_path_factory.mktemp("processed") / "workspace"
    space = new_workspace(folder)
    made = Bench(space, clip)
    made.run()
    made.media.close()
    space.close()
    return folder


@pytest.fixture
def bench(processed: Path, tmp_path: Path, clip: Path) -> Iterator[Bench]:
    """A copy of it."""
    with _copied(processed, tmp_path, clip) as made:
        yield made


@pytest.fixture(scope="module")
def module_bench(processed: Path, tmp_path_factory: pytest.TempPathFactory, clip: Path) -> Iterator[Bench]:
    """One for all tests of a module, for those that change nothing."""
    with _copied(processed, tmp_path_factory.mktemp("module"), clip) as made:
        yield made


@contextmanager
def _copied(processed: Path, folder: Path, clip: Path) -> Iterator[Bench]:
    shutil.copytree(processed, folder / "workspace")
    space = Workspace(folder / "workspace")
    made = Bench(space, clip)
    yield made
    made.media.close()
    space.close()


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    """An OpenID provider on this machine that knows one person."""
    with running_provider() as found:
        found.people["bo"] = dict(BO)
        yield found


@pytest.fixture
def desk(bench: Bench, provider: OpenIdProvider) -> Desk:
    """An app at its door."""
    return Desk(bench, provider)
