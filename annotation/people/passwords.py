"""Hashes of passwords (scrypt) and tokens (SHA-256), which cannot be used to log in."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode

from backends.errors import UsageError

SHORTEST, LONGEST = 8, 1024
"""Length of a password in characters."""
SCRYPT = {"n": 2**14, "r": 8, "p": 1}
UNKNOWN = "scrypt$" + b64encode(b"0" * 16).decode() + "$" + b64encode(b"0" * 64).decode()
"""Checked for unknown names, so that they take as long as known names."""


def hash_password(password: str) -> str:
    """Return `scrypt$salt$hash`, both in base64. Raises UsageError for a password of invalid length."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"a password must have {SHORTEST} to {LONGEST:,} characters")
    salt = secrets.token_bytes(16)
    derived = hashlib.scrypt(password.encode(), salt=salt, **SCRYPT)
    return f"scrypt${b64encode(salt).decode()}${b64encode(derived).decode()}"


def check_password(password: str, stored: str) -> bool:
    _, salt, expected = stored.split("$")
    derived = hashlib.scrypt(password[:LONGEST].encode(), salt=b64decode(salt), **SCRYPT)
    return hmac.compare_digest(derived, b64decode(expected))


def hash_token(token: str) -> str:
    """Return the hash of a random token. It cannot be guessed, so a fast hash without salt is safe."""
    return hashlib.sha256(token.encode()).hexdigest()
