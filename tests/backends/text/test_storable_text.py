"""Characters that no database holds: found, replaced, refused."""

from __future__ import annotations

import pytest

from backends.errors import UsageError
from backends.text.storable_text import (
    check_storable,
    count,
    is_storable,
    mended,
    mended_value,
    unstorable_places,
)

HALF = "a \ud83d b"


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
