"""Short fingerprints of JSON-like values."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode

_quoted = json.encoder.encode_basestring
"""Encode a string like `_canonical`, without its type checks: imports compute a million digests."""


def digest(*parts: Any) -> str:
    """Return a short stable fingerprint of JSON-like values (80 bits, hexadecimal)."""
    canonical = f"[{','.join([_quoted(p) if type(p) is str else _canonical(p) for p in parts])}]"
    return hashlib.blake2b(canonical.encode(), digest_size=10).hexdigest()
