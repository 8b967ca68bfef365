"""Reads `label-studio`: people's choices in a project of our tasks, as their verdicts.

Tasks with `annotations` are read, as in Label Studio's JSON export (a file, or `tasks.json` in our folder).
A task names its verdict, so it can only be imported into the workspace it was exported from, or one with
the same evaluation. Source: Label Studio's documentation, "Label Studio JSON format of annotated tasks".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Correction, Person
from annotation.records.errors import FormatError
from annotation.records.ids import Json, record_id
from annotation.store.store import Store
from exports.files.evaluations_and_corrections import by_ids
from exports.files.format_types import Batch, Source
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import json_items
from exports.generic.label_studio import NAME, TASKS, stars
from exports.logs.roundtrip_fields import score_of


@dataclass(frozen=True, slots=True)
class _Choice:
    """One person's choice in one task."""

    where: str
    verdict: str
    person: str
    label: str
    score: float | None
    reason: str
    at: float | None
    """UTC seconds; None if the file has no time."""


def read(source: Source) -> Batch:
    """Return a correction for each annotation with a new value. Raises FormatError."""
    intake = Intake(source, NAME, system="vdc")
    path = source.path / TASKS if source.path.is_dir() else source.path
    choices = [choice for item in json_items(path) for choice in _choices(intake, item.where, item.value)]
    if source.store is None:
        raise FormatError(
            f"{path.name}: labels need the workspace that contains their verdicts; import them there"
        )
    known = by_ids(source.store, Verdict, {choice.verdict for choice in choices})
    lost = sorted({choice.where for choice in choices if choice.verdict not in known})
    for where in lost:
        intake.problem(where, "its verdict is not in this workspace; import the evaluation first")
    _NewCorrections(intake, source.store).add([choice for choice in choices if choice.verdict in known])
    return intake.batch()


def _choices(intake: Intake, where: str, task: Json) -> Iterator[_Choice]:
    data = task.get("data") if isinstance(task, dict) else None
    verdict = data.get("verdict_id") if isinstance(data, dict) else None
    if not isinstance(task, dict) or not isinstance(verdict, str):
        intake.problem(where, "not a task exported by Dailies: data has no verdict_id; left out")
        return
    annotations = task.get("annotations")
    for annotation in annotations if isinstance(annotations, list) else ():
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            continue
        found = _regions(annotation)
        label = _first(found.get("verdict"), "choices")
        if label not in ("yes", "no"):
            intake.problem(where, "the annotation has neither yes nor no; left out")
            continue
        yield _Choice(
            where,
            verdict,
            _person(annotation.get("completed_by")),
            label,
            score_of(found.get("score", {}).get("rating")),
            _first(found.get("reason"), "text"),
            _time(annotation.get("updated_at") or annotation.get("created_at")),
        )


def _regions(annotation: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return `{name of the control: value}`."""
    result = annotation.get("result")
    return {
        str(region.get("from_name")): region["value"]
        for region in (result if isinstance(result, list) else ())
        if isinstance(region, dict) and isinstance(region.get("value"), dict)
    }


def _first(value: Mapping[str, Any] | None, key: str) -> str:
    found = value.get(key) if value else None
    found = found[0] if isinstance(found, list) and found else found
    return found if isinstance(found, str) else ""


def _person(who: Json) -> str:
    """Return the person's name in Label Studio: the email address, user name or number."""
    if isinstance(who, dict):
        who = who.get("email") or who.get("username") or who.get("id")
    name = who.strip() if isinstance(who, str) else f"user {who}" if isinstance(who, int) else ""
    return name[:80] or "unknown person (Label Studio)"


def _time(value: Json) -> float | None:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


class _NewCorrections:
    """Adds choices as corrections, oldest first, except those that are already known."""

    def __init__(self, intake: Intake, store: Store) -> None:
        self.intake, self.store = intake, store
        self.people = {person.name: person for person in store.find(Person)}

    def add(self, choices: list[_Choice]) -> None:
        ids = {choice.verdict for choice in choices}
        now = self.store.currents("verdict", ids, "verdict")
        revisions = {key: current.revision for key, current in now.items()}
        given: dict[str, list[Correction]] = {}
        for one in self.store.find(Correction, subject_type="verdict", order_by=["revision"]):
            given.setdefault(one.subject_id, []).append(one)
        for choice in sorted(choices, key=lambda choice: choice.at or 0.0):
            before = given.setdefault(choice.verdict, [])
            person = self._person(choice.person)
            if self._is_new(choice, person, before):
                revisions[choice.verdict] += 1
                before.append(self._correction(choice, person, revisions[choice.verdict]))

    def _is_new(self, choice: _Choice, person: Person, before: list[Correction]) -> bool:
        mine = [one for one in before if one.person_id == person.id]
        if not mine:
            return True
        if _same(choice, mine[-1]):
            return False
        if choice.at is not None and choice.at <= mine[-1].created_at:
            what = f"{choice.person} chose {choice.label!r} before their latest change in Dailies"
            self.intake.problem(choice.where, f"{what}; the latest is kept")
            return False
        return True

    def _person(self, name: str) -> Person:
        if name not in self.people:
            made = Person(id=record_id("per", name), name=name, role="annotator", created_at=self.intake.now)
            self.people[name] = made
            self.intake.add(made)
        return self.people[name]

    def _correction(self, choice: _Choice, person: Person, revision: int) -> Correction:
        made = Correction(
            id=record_id("cor", choice.verdict, person.id, choice.label, choice.score, choice.at),
            subject_type="verdict",
            subject_id=choice.verdict,
            field="verdict",
            value={"label": choice.label, "score": choice.score},
            cleared=False,
            revision=revision,
            person_id=person.id,
            reason=choice.reason,
            created_at=choice.at or self.intake.now,
        )
        self.intake.corrections[made.id] = made
        return made


def _same(choice: _Choice, correction: Correction) -> bool:
    """Return whether Label Studio would show the correction as this choice."""
    value = correction.value
    if correction.cleared or not isinstance(value, dict) or value["label"] != choice.label:
        return False
    return stars(value["score"]) == stars(choice.score)
