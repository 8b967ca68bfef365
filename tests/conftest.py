"""Rules for every test."""

from __future__ import annotations

import gc
import os
import secrets
from collections.abc import Iterator

import pytest

from tests.postgres import new_database, running_server

MAY_BE_MISSING = ("beside", "GPU")
"""Words of skip reasons that are in order everywhere: data that is not part of the checkout, a GPU."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--random-texts", default="0", help="how many random texts to try; 0: the usual few, fixed"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Servers and clusters first, the last file of them before the others: they take minutes each."""
    engines = [item for item in items if "engines" in item.path.parts]
    files = sorted({item.path for item in engines}, reverse=True)
    engines.sort(key=lambda item: files.index(item.path))
    items[:] = engines + [item for item in items if "engines" not in item.path.parts]


def pytest_collection_finish() -> None:
    """What is imported by now stays: looking through it for garbage took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """With DAILIES_NO_SKIPS=1 a skip is a failure, unless its reason names what may be missing."""
    report = yield
    if os.environ.get("DAILIES_NO_SKIPS") == "1" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(word in reason for word in MAY_BE_MISSING):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was not run: {reason}"
    return report


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A PostgreSQL server of this test run."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="module")
def postgres_module_database(postgres_server: str) -> Iterator[str]:
    """As `postgres_database`, for all tests of a module."""
    with new_database(postgres_server, f"test_{secrets.token_hex(6)}") as url:
        yield url


@pytest.fixture
def postgres_database(postgres_server: str) -> Iterator[str]:
    """The URL of a new, empty database on it."""
    with new_database(postgres_server, f"test_{secrets.token_hex(6)}") as url:
        yield url
