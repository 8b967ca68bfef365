"""Short fingerprints of JSON-like values."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode

_quoted = json.encoder.encode_basestring
"""As `_canonical` of a text, without a look at what it is: imports ask for a million digests."""


def digest(*parts: Any) -> str:
    """A short stable fingerprint of JSON-like values (80 bits, hexadecimal)."""
    canonical = f"[{','.join([_quoted(p) if type(p) is str else _canonical(p) for p in parts])}]"
    return hashlib.blake2b(canonical.encode(), digest_size=10).hexdigest()
