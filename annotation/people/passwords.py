"""Passwords as scrypt hashes, tokens as SHA-256: whoever reads the database cannot log in with them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode

from backends.errors import UsageError

SHORTEST, LONGEST = 8, 1024
"""Characters of a password."""
SCRYPT = {"n": 2**14, "r": 8, "p": 1}
UNKNOWN = "scrypt$" + b64encode(b"0" * 16).decode() + "$" + b64encode(b"0" * 64).decode()
"""Checked for names that do not exist, so that they take as long as those that do."""


def hash_password(password: str) -> str:
    """`scrypt$salt$hash`, both base64. Raises UsageError for one that is too short."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"a password has {SHORTEST} to {LONGEST:,} characters")
    salt = secrets.token_bytes(16)
    derived = hashlib.scrypt(password.encode(), salt=salt, **SCRYPT)
    return f"scrypt${b64encode(salt).decode()}${b64encode(derived).decode()}"


def check_password(password: str, stored: str) -> bool:
    _, salt, expected = stored.split("$")
    derived = hashlib.scrypt(password[:LONGEST].encode(), salt=b64decode(salt), **SCRYPT)
    return hmac.compare_digest(derived, b64decode(expected))


def hash_token(token: str) -> str:
    """Of a random token, which nobody can guess: it needs no salt and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()
