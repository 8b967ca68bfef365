"""Characters that no database holds: refused, replaced, mended; one of them costs nothing else."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import FormatError
from annotation.records.storable_text import (
    check_storable,
    count,
    is_storable,
    mended,
    mended_value,
    unstorable_places,
)
from annotation.records.videos import Video
from annotation.store.store import Store
from backends.errors import UsageError

HALF = "a \ud83d b"
VIDEO = Video(id="v", title="v", created_at=1.0)


def test_what_is_storable() -> None:
    assert is_storable("plain")
    assert is_storable("\U0001f600 é \x01 \ufffe")
    assert not is_storable("a\0")
    assert not is_storable(HALF)
    assert mended(HALF + "\0") == "a \ufffd b\ufffd"
    assert count(HALF + "\0") == 2
    assert mended_value({"a\0": [HALF, {"b": 1}]}) == {"a\ufffd": ["a \ufffd b", {"b": 1}]}
    assert list(unstorable_places({"a": [{"b": HALF}], "c": "x"}, "body")) == ["body.a.1.b"]
    with pytest.raises(UsageError, match=r"^body\.a: the text contains a NUL"):
        check_storable({"a": "\0"}, "body")


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
