"""Text that every database and every file here can hold: no NUL, and no half of a surrogate pair.

PostgreSQL takes neither, SQLite and UTF-8 no half pairs. JSON can name both (`\\u0000`, `\\ud800`), so both
are looked for wherever text enters: requests, files, replies of models, URLs and names of files. Text from a
person is refused with the place that holds it; in a reply, and in a long file, such a character is replaced.
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
    """The text with U+FFFD in the place of each character that cannot be stored."""
    return text if is_storable(text) else _unstorable.sub(REPLACEMENT, text)


def mended_value(value: Any) -> Any:
    """The same for every text of a JSON value, keys too."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, Mapping):
        return {mended(key): mended_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [mended_value(part) for part in value]
    return value


def count(text: str) -> int:
    """How many characters of it cannot be stored."""
    return len(_unstorable.findall(text))


def unstorable_places(value: Any, where: str = "") -> Iterator[str]:
    """Where a JSON value holds text that cannot be stored: `captions.3.text`."""
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
    """Raises UsageError, in one line that names the place."""
    for place in unstorable_places(value, where):
        raise UsageError(f"{place}: the text holds {WHAT}, which cannot be stored; type it anew")
