"""Pages read one snapshot of the store, over one connection and each record once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from tests.bench import Bench
from ui.web_app import build_app

MOST_TRANSACTIONS = 8
"""Of the request itself: who asks, what that person may see, and the page."""


@pytest.mark.parametrize(
    "path",
    [
        "/api/script/{video}",
        "/api/split/{video}",
        "/api/keyframes/{video}",
        "/api/player/{video}",
        "/api/verdicts/{verdict}",
    ],
)
def test_a_page_reads_in_one_transaction(bench: Bench, path: str) -> None:
    asked: Counter[tuple[str, str]] = Counter()

    def noted(_conn: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        asked[statement, repr(values)] += 1

    with TestClient(build_app(bench.workspace, bench.engines)) as client:
        verdict = client.get("/api/verdicts").json()["rows"][0]
        address = path.format(video=verdict["video_id"], verdict=verdict["verdict_id"])
        client.get(address)
        event.listen(bench.store.engine, "before_cursor_execute", noted)
        assert client.get(address).status_code == 200
    begun = sum(n for (statement, _), n in asked.items() if statement == "BEGIN")
    assert begun <= MOST_TRANSACTIONS
    records = [n for (statement, _), n in asked.items() if statement.startswith("SELECT scene.")]
    assert max(records, default=1) == 1
