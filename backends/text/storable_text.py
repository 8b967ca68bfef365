"""Check texts for characters that cannot be stored: NUL and unpaired surrogates.

PostgreSQL accepts neither; SQLite and UTF-8 do not accept unpaired surrogates. JSON can contain both as
escapes (`\\u0000`, `\\ud800`), so every input is checked: requests, files, replies of models, URLs and file
names. Text from a person is rejected with the place of the character; in replies and long files the character
is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from backends.errors import UsageError

REPLACEMENT = "\ufffd"
WHAT = "a NUL character or half a surrogate pair"
_unstorable = re.compile("[\0\ud800-\udfff]")


def is_storable(text: str) -> bool:
    return (text.isascii() and "\0" not in text) or _unstorable.search(text) is None


def mended(text: str) -> str:
    """Return the text with every character that cannot be stored replaced by U+FFFD."""
    return text if is_storable(text) else _unstorable.sub(REPLACEMENT, text)


def mended_value(value: Any) -> Any:
    """Apply `mended` to every text of a JSON value, including keys."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, Mapping):
        return {mended(key): mended_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [mended_value(part) for part in value]
    return value


def count(text: str) -> int:
    """Return the number of characters that cannot be stored."""
    return len(_unstorable.findall(text))


def unstorable_places(value: Any, where: str = "") -> Iterator[str]:
    """Yield the places in a JSON value with text that cannot be stored, such as `captions.3.text`."""
    waiting = [(where, value)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, str):
            if not is_storable(part):
                yield place
        elif isinstance(part, Mapping):
            waiting += [(_inside(place, key), inner) for key, inner in part.items()]
            if not all(is_storable(key) for key in part):
                yield _inside(place, "a key")
        elif isinstance(part, list | tuple):
            waiting += [(_inside(place, str(number)), inner) for number, inner in enumerate(part, 1)]


def _inside(place: str, name: str) -> str:
    return mended(f"{place}.{name}" if place else name)[:100]


def check_storable(value: Any, where: str) -> None:
    """Raise UsageError with the place, if a text of the value cannot be stored."""
    for place in unstorable_places(value, where):
        raise UsageError(f"{place}: the text contains {WHAT}, which cannot be stored; remove it")
