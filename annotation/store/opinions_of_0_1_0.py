"""Opinions as 0.1.0 kept them: who took a verdict back, or an error source, took it back for all.

Since 0.2.0 everybody takes back their own alone. So that what had been taken back stays so, those who had
said something before get a row in which they take it back too, of the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def taken_back_for_others(rows: Iterable[tuple[str, str, bool, float]]) -> Iterator[tuple[str, str, float]]:
    """`rows`, oldest first: subject, person, whether this takes back, time.

    Gives subject, person and time of the rows to add.
    """
    said: dict[str, dict[str, float | None]] = {}
    for subject, person, takes_back, at in rows:
        people = said.setdefault(subject, {})
        if takes_back:
            people.update({other: at for other, since in people.items() if since is None})
            people.pop(person, None)
        else:
            people[person] = None
    for subject, people in said.items():
        yield from ((subject, person, at) for person, at in people.items() if at is not None)
