"""Convert opinions of 0.1.0, which did not record which labels were given blind.

In 0.1.0, withdrawing a verdict or an error source withdrew it for everyone. Since 0.2.0, people withdraw
only their own opinions. To keep withdrawn opinions withdrawn, every other person who had given one gets a
row that withdraws it at the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def taken_back_for_others(rows: Iterable[tuple[str, str, bool, float]]) -> Iterator[tuple[str, str, float]]:
    """Yield (subject, person, time) of the withdrawals to add.

    `rows`, oldest first: (subject, person, whether the row withdraws, time).
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
    """Yield the ids of the labels that were given before the judge was shown.

    That is the first label of each person on each verdict, if the person labelled blind at that time.
    `modes`, oldest first: (person, whether blind labelling is on from then, time). `labels`, oldest first:
    (id, verdict, person, whether the label is withdrawn, time).
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
