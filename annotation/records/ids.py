"""Ids of records: made from what a result was made of, or random for what people do."""

from __future__ import annotations

import secrets
from typing import Any

from backends.digest import digest

Json = Any
"""Anything that JSON can hold."""


def record_id(prefix: str, *parts: Json) -> str:
    """The id of a record that is determined by `parts`."""
    return f"{prefix}-{digest(*parts)}"


def new_id(prefix: str) -> str:
    """The id of something that a person did."""
    return f"{prefix}-{secrets.token_hex(10)}"
