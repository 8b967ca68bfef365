"""Ids of records: derived from the inputs of a machine result, or random for decisions of people."""

from __future__ import annotations

import secrets
from typing import Any

from backends.digest import digest

Json = Any
"""Any JSON value."""


def record_id(prefix: str, *parts: Json) -> str:
    """Return the id of a record that is determined by `parts`."""
    return f"{prefix}-{digest(*parts)}"


def new_id(prefix: str) -> str:
    """Return a random id for the record of a person's decision."""
    return f"{prefix}-{secrets.token_hex(10)}"
