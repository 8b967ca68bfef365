"""Opinions as 0.1.0 kept them: which labels were given blind was not recorded.

Who took a verdict back, or an error source, took it back for all. Since 0.2.0 everybody takes back their own
alone. So that what had been taken back stays so, those who had
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


def given_blind(
    modes: Iterable[tuple[str, bool, float]], labels: Iterable[tuple[str, str, str, bool, float]]
) -> Iterator[str]:
    """Ids of the labels that were given before the judge was shown: of a person and verdict the first one, if
    the person labelled blind at that time.

    `modes`, oldest first: person, whether blind labelling is on from here, time. `labels`, oldest first: id,
    verdict, person, whether this takes back, time.
    """
    switches: dict[str, list[tuple[float, bool]]] = {}
    for person, on, at in modes:
        switches.setdefault(person, []).append((at, on))
    seen: set[tuple[str, str]] = set()
    for key, verdict, person, takes_back, at in labels:
        if takes_back or (person, verdict) in seen:
            continue
        seen.add((person, verdict))
        if [on for since, on in switches.get(person, []) if since <= at][-1:] == [True]:
            yield key
