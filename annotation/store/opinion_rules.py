"""Verdicts and error sources that people give: each is one person's opinion, and one of them counts.

People do not overwrite each other's opinions. A person's newest opinion on a verdict is in force until it is
withdrawn. `current` holds the opinion that counts by the rule of the workspace, so that lists need not read
all opinions. All functions run inside a transaction of the store.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, func, select, update

from annotation.records.allowed_values import USUAL_OPINION_RULE, OpinionRule
from annotation.records.decisions import Correction, ErrorSource
from annotation.records.errors import NotFound
from annotation.store import changed_videos, current_table
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks, insert_rows
from annotation.store.rows import from_row, to_row

RULES: Mapping[OpinionRule, str] = {
    "latest": "the latest opinion counts",
    "majority": "the opinion of most people counts; in a tie, the judge's verdict counts",
    "adjudicated": "the latest opinion of an expert, researcher or admin counts; without one, an opinion "
    "counts only if everyone agrees",
}
DECIDING = ("expert", "researcher", "admin")
"""Roles whose opinion decides under the rule `adjudicated`."""
Opinion = TypeVar("Opinion", Correction, ErrorSource)


def said_of(opinion: Correction | ErrorSource) -> str:
    """Return the value to compare between people: a verdict's label, an error source's kind, or empty.

    It is empty if the opinion is withdrawn.
    """
    if isinstance(opinion, ErrorSource):
        return opinion.kind
    return "" if opinion.cleared else str(opinion.value["label"])


def standing(rows: Sequence[Opinion]) -> list[Opinion]:
    """Return each person's latest opinion, without withdrawn ones, oldest first. `rows`: oldest first."""
    last = {row.person_id: row for row in rows}
    return sorted((row for row in last.values() if said_of(row)), key=lambda row: row.created_at)


def counting(opinions: Sequence[Opinion], rule: OpinionRule, deciding: frozenset[str]) -> Opinion | None:
    """Return the opinion that counts, or None if the judge's verdict counts. `deciding`: ids of people."""
    return cast("Opinion | None", _COUNTING[rule](opinions, deciding)) if opinions else None


def blind_labels(rows: Sequence[Correction]) -> dict[str, Correction]:
    """Return by person id the label given before the judge's verdict was shown. `rows`: oldest first."""
    return {row.person_id: row for row in reversed(rows) if row.blind}


def differ(opinions: Sequence[Correction] | Sequence[ErrorSource]) -> bool:
    """Whether people disagree."""
    return len({said_of(opinion) for opinion in opinions}) > 1


def _latest(opinions: Sequence[Opinion], _deciding: frozenset[str]) -> Opinion | None:
    return opinions[-1]


def _majority(opinions: Sequence[Opinion], _deciding: frozenset[str]) -> Opinion | None:
    (word, most), *others = Counter(said_of(opinion) for opinion in opinions).most_common(2)
    if others and others[0][1] == most:
        return None
    return [opinion for opinion in opinions if said_of(opinion) == word][-1]


def _adjudicated(opinions: Sequence[Opinion], deciding: frozenset[str]) -> Opinion | None:
    decided = [opinion for opinion in opinions if opinion.person_id in deciding]
    return decided[-1] if decided else None if differ(opinions) else opinions[-1]


_COUNTING: Mapping[OpinionRule, Callable[..., Correction | ErrorSource | None]] = {
    "latest": _latest,
    "majority": _majority,
    "adjudicated": _adjudicated,
}


# --- the rule of the workspace --------------------------------------------------------


def rule_of(conn: Connection) -> OpinionRule:
    """Return the rule of the workspace."""
    return cast(OpinionRule, conn.scalar(select(t.workspace.c.opinion_rule).limit(1)) or USUAL_OPINION_RULE)


def set_rule(conn: Connection, rule: OpinionRule) -> None:
    """Set the rule of the workspace, and update what counts."""
    if rule == rule_of(conn):
        return
    conn.execute(update(t.workspace).values(opinion_rule=rule))
    count_anew(conn)


def roles_changed(conn: Connection) -> None:
    """Update what counts after a change of a role, if the rule depends on roles."""
    if rule_of(conn) == "adjudicated":
        count_anew(conn)


def count_anew(conn: Connection) -> None:
    """Update what counts for all verdicts with opinions, after a change of the rule or of a role."""
    c = t.correction.c
    lay_verdicts(conn, conn.scalars(select(c.subject_id).where(c.subject_type == "verdict").distinct()).all())
    lay_error_sources(conn, conn.scalars(select(t.error_source.c.verdict_id).distinct()).all())


def _deciding(conn: Connection) -> frozenset[str]:
    return frozenset(conn.scalars(select(t.person.c.id).where(t.person.c.role.in_(DECIDING))))


# --- rows -----------------------------------------------------------------------------


def verdicts_of_people(conn: Connection, verdict_ids: Iterable[str]) -> dict[str, list[Correction]]:
    """Return by verdict id each person's opinion in force, oldest first."""
    return {verdict_id: standing(rows) for verdict_id, rows in _of_people(conn, verdict_ids).items()}


def _of_people(conn: Connection, verdict_ids: Iterable[str]) -> dict[str, list[Correction]]:
    """Return by verdict id all rows of people, oldest first."""
    c = t.correction.c
    found: dict[str, list[Correction]] = defaultdict(list)
    for group in chunks(verdict_ids):
        query = select(t.correction).where(c.subject_type == "verdict", among(c.subject_id, group))
        for row in conn.execute(query.order_by(c.created_at, c.revision)).mappings():
            found[row["subject_id"]].append(from_row(Correction, row))
    return found


def verdicts_as_given(conn: Connection, verdict_ids: Iterable[str]) -> dict[str, Correction | None]:
    """Return by verdict id the opinion that would count if blind labels had not been changed or withdrawn.

    Only verdicts with a blind label are included. None means that the judge's verdict counts.
    """
    rule, deciding, found = rule_of(conn), _deciding(conn), {}
    for verdict_id, rows in _of_people(conn, verdict_ids).items():
        if blind := blind_labels(rows):
            later = [row for row in standing(rows) if row.person_id not in blind]
            given = sorted([*blind.values(), *later], key=lambda row: row.created_at)
            found[verdict_id] = counting(given, rule, deciding)
    return found


def own_labels(conn: Connection, person_id: str, verdict_ids: Iterable[str]) -> dict[str, str]:
    """Return by verdict id the labels that this person has given."""
    found = verdicts_of_people(conn, verdict_ids)
    return {key: said_of(one) for key, given in found.items() for one in given if one.person_id == person_id}


def error_sources_of_people(conn: Connection, verdict_ids: Iterable[str]) -> dict[str, list[ErrorSource]]:
    """Return by verdict id each person's error source in force, oldest first."""
    c = t.error_source.c
    found: dict[str, list[ErrorSource]] = defaultdict(list)
    for group in chunks(verdict_ids):
        query = select(t.error_source).where(among(c.verdict_id, group)).order_by(c.created_at, c.id)
        for row in conn.execute(query).mappings():
            found[row["verdict_id"]].append(from_row(ErrorSource, row))
    return {verdict_id: standing(rows) for verdict_id, rows in found.items()}


def changed_since(conn: Connection, verdict_id: str, person_id: str, revision: int) -> bool:
    """Whether this person has changed their verdict since `revision`, in another window."""
    c = t.correction.c
    newer = select(c.id).where(
        c.subject_type == "verdict",
        c.subject_id == verdict_id,
        c.person_id == person_id,
        c.revision > revision,
    )
    return conn.scalar(newer.limit(1)) is not None


@dataclass(frozen=True, slots=True)
class Summary:
    """How far people agree on the verdicts of some runs."""

    rule: OpinionRule
    people: int
    """People with an opinion."""
    several: int
    """Verdicts on which more than one person has an opinion."""
    disputed: int
    """Those of them on which people disagree."""


def summary(conn: Connection, run_ids: Sequence[str]) -> Summary:
    """Summarize the opinions on the current verdicts of these runs. Means from logs are not verdicts."""
    c, verdict = t.current.c, t.verdict.c
    judged = (
        select(c.subject_id)
        .join(t.verdict, verdict.id == c.subject_id)
        .where(c.subject_type == "verdict", c.run_id.in_(run_ids), c.superseded.is_(False), c.revision > 0)
        .where(verdict.value_type != "score_only")
    )
    opinions = verdicts_of_people(conn, conn.scalars(judged).all()).values()
    people = {one.person_id for given in opinions for one in given}
    several = [given for given in opinions if len(given) > 1]
    return Summary(rule_of(conn), len(people), len(several), sum(map(differ, several)))


def after_all(conn: Connection, verdict_id: str) -> float:
    """Return the current time, or a time just after the last opinion if that lies in the future.

    Clocks of several machines may differ. Unix time in seconds.
    """
    c = t.correction.c
    last = select(func.max(c.created_at)).where(c.subject_type == "verdict", c.subject_id == verdict_id)
    return max(time.time(), (conn.scalar(last) or 0.0) + 1e-6)


# --- what counts ----------------------------------------------------------------------


def add_verdicts(conn: Connection, opinions: Sequence[Correction]) -> None:
    """Write opinions from a file after the existing ones, with the next revision numbers.

    New numbers are needed because every workspace numbers the opinions on a verdict from 1. Raises NotFound
    if a verdict does not exist.
    """
    c = t.correction.c
    ids = {one.subject_id for one in opinions}
    last = dict[str, int]()
    for group in chunks(sorted(ids)):
        _require_verdicts(conn, group)
        query = select(c.subject_id, func.max(c.revision)).where(
            c.subject_type == "verdict", among(c.subject_id, group)
        )
        last.update((key, revision) for key, revision in conn.execute(query.group_by(c.subject_id)))
    rows = []
    for one in sorted(opinions, key=lambda one: one.revision):
        last[one.subject_id] = last.get(one.subject_id, 0) + 1
        rows.append(to_row(replace(one, revision=last[one.subject_id])))
    insert_rows(conn, t.correction, rows)
    lay_verdicts(conn, sorted(ids))


def _require_verdicts(conn: Connection, ids: Sequence[str]) -> None:
    known = set(conn.scalars(select(t.verdict.c.id).where(among(t.verdict.c.id, ids))))
    for missing in sorted(set(ids) - known):
        raise NotFound(f"there is no verdict {missing!r}")


def lay_verdicts(conn: Connection, verdict_ids: Iterable[str]) -> None:
    """Write the values that count for these verdicts to `current`."""
    ids = list(verdict_ids)
    opinions, rule, deciding = verdicts_of_people(conn, ids), rule_of(conn), _deciding(conn)
    for verdict_id, judge in _judges_and_times(conn, ids).items():
        given = opinions.get(verdict_id, [])
        _lay_verdict(conn, judge, counting(given, rule, deciding), differ(given))


def _judges_and_times(conn: Connection, ids: Iterable[str]) -> Mapping[str, Any]:
    """Return by verdict id the judge's verdict, and the last revision and time of people's opinions."""
    v, c = t.verdict.c, t.correction.c
    said = (c.subject_type == "verdict") & (c.subject_id == v.id)
    last = (func.max(c.revision).label("revision"), func.max(c.created_at).label("at"))
    query = select(v.id, v.state, v.label, v.score, *last).join(t.correction, said)
    query = query.group_by(v.id, v.state, v.label, v.score)
    return {row.id: row for group in chunks(ids) for row in conn.execute(query.where(among(v.id, group)))}


def _lay_verdict(conn: Connection, judge: Any, opinion: Correction | None, disputed: bool) -> None:
    machine = {"label": judge.label, "score": judge.score}
    value = opinion.value if opinion else machine
    current_table.set_value(
        conn,
        "verdict",
        judge.id,
        "verdict",
        value=value,
        label=value["label"],
        score=value["score"],
        state="done" if opinion else judge.state,
        revision=judge.revision,
        correction_id=opinion.id if opinion else None,
        corrected=opinion is not None,
        confirmed=opinion is not None and judge.state == "done" and value == machine,
        disputed=disputed,
        updated_at=judge.at,
    )


def counting_error_sources(conn: Connection, verdict_ids: Iterable[str]) -> dict[str, ErrorSource]:
    """Return by verdict id the error source that counts."""
    rule, deciding = rule_of(conn), _deciding(conn)
    opinions = error_sources_of_people(conn, verdict_ids).items()
    found = {verdict_id: counting(given, rule, deciding) for verdict_id, given in opinions}
    return {verdict_id: source for verdict_id, source in found.items() if source}


def lay_error_sources(conn: Connection, verdict_ids: Iterable[str]) -> None:
    """Write the error sources that count for these verdicts to `current`."""
    ids = list(verdict_ids)
    sources, c = counting_error_sources(conn, ids), t.current.c
    for verdict_id in ids:
        source = sources.get(verdict_id)
        where = (c.subject_type == "verdict", c.subject_id == verdict_id)
        conn.execute(update(t.current).where(*where).values(error_source=source.kind if source else ""))
    for group in chunks(ids):
        videos = conn.scalars(select(t.verdict.c.video_id).where(among(t.verdict.c.id, group)).distinct())
        changed_videos.touch(conn, videos.all())
