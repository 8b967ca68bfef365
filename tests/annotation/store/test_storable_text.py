"""Characters that no database holds: refused, replaced, mended; one of them costs nothing else."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import FormatError
from annotation.records.videos import Video
from annotation.store.store import Store

HALF = "a \ud83d b"
VIDEO = Video(id="v", title="v", created_at=1.0)


def test_the_store_refuses_them_and_names_the_field(store: Store) -> None:
    store.add([VIDEO])
    for value in (HALF, "a\0b"):
        with pytest.raises(FormatError, match="Text value: the text contains a NUL character or half"):
            store.add(
                [
                    Text(
                        id="t",
                        video_id="v",
                        kind="vdc:short",
                        subject_type="video",
                        subject_id="v",
                        value=value,
                        created_at=1.0,
                    )
                ]
            )
        with pytest.raises(FormatError, match=r"Video extra\.note"):
            store.put(Video(id="w", title="w", created_at=1.0, extra={"note": value}))
    assert store.count(Text) == 0


def test_a_bad_value_is_read(store: Store) -> None:
    """Whoever wrote it: a page shows the rest."""
    store.add(
        [
            VIDEO,
            Text(
                id="t",
                video_id="v",
                kind="vdc:short",
                subject_type="video",
                subject_id="v",
                value="x",
                created_at=1.0,
            ),
        ]
    )
    with store.writing() as conn:
        bad = text("UPDATE current SET value = :bad WHERE subject_id = 't'")
        conn.execute(bad, {"bad": json.dumps(HALF)})
    assert store.current("text", "t", "value").value == "a \ufffd b"
