"""Several people judge one verdict: nobody overwrites another's opinion, and a rule says which counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from annotation.editing import edits, undo_and_redo
from annotation.editing.edits import Edit
from annotation.people import accounts
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Correction, Person
from annotation.records.errors import FormatError, NotAllowed, StaleEdit
from annotation.records.runs import Evaluation, EvaluationRun
from annotation.store import opinion_rules
from annotation.store import tables as t
from annotation.store.store import Current, Store
from annotation.store.verdicts.filter_and_order import VerdictFilter
from backends.errors import UsageError
from tests.annotation.store.test_store import chain
from tests.annotation.store.verdict_pages import verdicts
from tests.databases import new_store

PEOPLE = tuple(
    Person(id=f"per-{name}", name=name, role=role, created_at=1.0)  # type: ignore[arg-type]
    for name, role in (("ana", "annotator"), ("ben", "annotator"), ("cem", "annotator"), ("eva", "expert"))
)
ANA, BEN, CEM, EVA = PEOPLE
JUDGE = {"label": "yes", "score": 4.8}
NO = {"label": "no", "score": 1.0}
YES = {"label": "yes", "score": 5.0}


@pytest.fixture(autouse=True)
def judged(store: Store) -> None:
    links = EvaluationRun(id="evr-1", evaluation_id="evl-1", role="verdicts", run_id="run-1")
    store.add([*chain(), *PEOPLE, Evaluation(id="evl-1", name="one", created_at=1.0), links])


def now(store: Store) -> Current:
    return store.current("verdict", "jdg-1", "verdict")


def say(store: Store, person: Person, value: object, base: int | None = None) -> None:
    base = now(store).revision if base is None else base
    cleared = value is None
    edits.apply_edit(store, person, Edit("verdict", "jdg-1", "verdict", value, base, cleared=cleared))


def said(store: Store) -> dict[str, str]:
    with store.reading() as conn:
        given = opinion_rules.verdicts_of_people(conn, ["jdg-1"])["jdg-1"]
    return {one.person_id.removeprefix("per-"): one.value["label"] for one in given}


def by(store: Store, rule: str) -> tuple[str, str, bool]:
    """What counts by a rule: the label, whose it is, and whether people differ."""
    edits.set_opinion_rule(store, EVA, rule)
    found = now(store)
    return found.value["label"], found.by.removeprefix("per-"), found.disputed


def test_two_people_judge_one_verdict_and_neither_overwrites_the_other(store: Store) -> None:
    say(store, ANA, NO, base=0)
    say(store, BEN, YES, base=0)  # seen before Ana's: it is no conflict
    assert said(store) == {"ana": "no", "ben": "yes"}
    assert (now(store).value, now(store).by, now(store).disputed) == (YES, "per-ben", True)


def test_the_same_person_in_two_windows_is_told(store: Store) -> None:
    say(store, ANA, NO, base=0)
    with pytest.raises(StaleEdit):
        say(store, ANA, YES, base=0)
    assert said(store) == {"ana": "no"}


def test_who_takes_theirs_back_brings_the_other_one_back(store: Store) -> None:
    say(store, ANA, NO)
    say(store, BEN, YES)
    say(store, BEN, None)
    assert (now(store).value, now(store).by, now(store).disputed) == (NO, "per-ana", False)
    say(store, ANA, None)
    assert (now(store).value, now(store).corrected, now(store).state) == (JUDGE, False, "done")


def test_nobody_takes_back_what_is_not_theirs(store: Store) -> None:
    say(store, ANA, NO)
    with pytest.raises(UsageError, match="no verdict to clear"):
        say(store, BEN, None)
    assert now(store).value == NO


def test_undo_takes_back_ones_own_although_another_has_judged_since(store: Store) -> None:
    say(store, ANA, NO)
    say(store, BEN, YES)
    turn = undo_and_redo.undo(store, ANA)
    assert turn is not None and not turn.left
    assert said(store) == {"ben": "yes"}
    undo_and_redo.redo(store, ANA)
    assert said(store) == {"ana": "no", "ben": "yes"}
    assert now(store).by == "per-ana"  # the latest of them


@pytest.mark.parametrize(
    ("given", "latest", "majority", "adjudicated"),
    [
        ([(ANA, NO)], ("no", "ana"), ("no", "ana"), ("no", "ana")),
        ([(ANA, NO), (BEN, YES)], ("yes", "ben"), ("yes", ""), ("yes", "")),
        ([(ANA, NO), (BEN, YES), (CEM, NO)], ("no", "cem"), ("no", "cem"), ("yes", "")),
        ([(ANA, NO), (CEM, NO), (BEN, YES)], ("yes", "ben"), ("no", "cem"), ("yes", "")),
        ([(EVA, NO), (ANA, YES), (BEN, YES)], ("yes", "ben"), ("yes", "ben"), ("no", "eva")),
        ([(ANA, NO), (BEN, NO)], ("no", "ben"), ("no", "ben"), ("no", "ben")),
    ],
)
def test_what_counts_by_each_rule(
    store: Store,
    given: list[tuple[Person, dict[str, object]]],
    latest: tuple[str, str],
    majority: tuple[str, str],
    adjudicated: tuple[str, str],
) -> None:
    for person, value in given:
        say(store, person, value)
    disputed = len({str(value["label"]) for _, value in given}) > 1
    assert by(store, "majority") == (*majority, disputed)
    assert by(store, "adjudicated") == (*adjudicated, disputed)
    assert by(store, "latest") == (*latest, disputed)


def test_where_nothing_counts_the_judges_verdict_stays_whole(store: Store) -> None:
    say(store, ANA, NO)
    say(store, BEN, YES)
    by(store, "majority")
    assert (now(store).value, now(store).corrected, now(store).changed) == (JUDGE, False, False)


def test_a_role_that_changes_decides_anew(store: Store) -> None:
    say(store, ANA, NO)
    say(store, BEN, YES)
    assert by(store, "adjudicated")[:2] == ("yes", "")
    accounts.set_role(store, ANA.id, "expert")
    assert (now(store).value, now(store).by) == (NO, "per-ana")


def test_the_rule_is_for_those_who_give_work(store: Store) -> None:
    with pytest.raises(NotAllowed):
        edits.set_opinion_rule(store, ANA, "majority")
    with pytest.raises(UsageError, match="latest, majority, adjudicated"):
        edits.set_opinion_rule(store, EVA, "loudest")


def test_error_sources_have_owners_too(store: Store) -> None:
    edits.set_error_source(store, ANA, "jdg-1", "judge")
    edits.set_error_source(store, BEN, "jdg-1", "question")
    assert now(store).error_source == "question"
    edits.set_error_source(store, CEM, "jdg-1", "judge")
    edits.set_opinion_rule(store, EVA, "majority")
    assert now(store).error_source == "judge"
    turn = undo_and_redo.undo(store, ANA)
    assert turn is not None and now(store).error_source == ""  # one says judge, one question
    edits.set_opinion_rule(store, EVA, "latest")
    edits.set_error_source(store, CEM, "jdg-1", "")
    assert now(store).error_source == "question"


def test_lists_know_where_people_differ(store: Store) -> None:
    def rows(state: str) -> list[str]:
        page = verdicts(store, VerdictFilter("evl-1", states=(state,)))
        return [row.verdict_id for row in page.rows if row.disputed == (state == "disputed")]

    say(store, ANA, NO)
    assert rows("disputed") == []
    say(store, BEN, YES)
    assert rows("disputed") == ["jdg-1"]


def test_a_summary_says_how_far_people_agree(store: Store) -> None:
    say(store, ANA, NO)
    with store.reading() as conn:
        assert opinion_rules.summary(conn, ["run-1"]).people == 1
    say(store, EVA, YES)
    with store.reading() as conn:
        found = opinion_rules.summary(conn, ["run-1"])
    assert (found.rule, found.people, found.several, found.disputed) == ("latest", 2, 1, 1)


def test_the_log_says_who_changed_the_rule(store: Store) -> None:
    edits.set_opinion_rule(store, EVA, "majority")
    edits.set_opinion_rule(store, EVA, "majority")
    with store.reading() as conn:
        a = t.audit_entry.c
        lines = conn.execute(select(a.person_id, a.about).where(a.what == "opinion rule")).all()
    assert lines == [("per-eva", "latest to majority")]


def test_the_same_rule_again_touches_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    say(store, ANA, NO)
    monkeypatch.setattr(opinion_rules, "count_anew", lambda conn: pytest.fail("counted anew"))
    edits.set_opinion_rule(store, EVA, "latest")


def test_opinions_of_two_workspaces_come_together(store: Store, tmp_path: Path) -> None:
    """Both number their first opinion 1."""
    other = new_store(tmp_path, "other")
    links = EvaluationRun(id="evr-1", evaluation_id="evl-1", role="verdicts", run_id="run-1")
    other.add([*chain(), *PEOPLE, Evaluation(id="evl-1", name="one", created_at=1.0), links])
    say(store, ANA, NO)
    say(other, BEN, YES)
    older = replace(other.find(Correction)[0], created_at=5.0)
    assert store.restore([], [older])["Correction"] == 1
    assert said(store) == {"ana": "no", "ben": "yes"}
    assert (now(store).value["label"], now(store).disputed) == ("no", True), "Ana's is the later one"
    assert store.find(Verdict)[0].id == "jdg-1" and now(store).revision == 2
    assert store.restore([], [older])["Correction"] == 0


def test_an_opinion_on_a_verdict_that_is_not_here_is_refused(store: Store) -> None:
    say(store, ANA, NO)
    stray = replace(store.find(Correction)[0], id="cor-x", subject_id="jdg-none")
    with pytest.raises(FormatError, match="jdg-none"):
        store.restore([], [stray])


def test_the_time_of_a_verdict_does_not_go_back(store: Store) -> None:
    say(store, ANA, NO)
    at = store.find(Correction)[0].created_at
    store.restore([], [replace(store.find(Correction)[0], id="cor-x", person_id="per-ben", created_at=5.0)])
    with store.reading() as conn:
        c = t.current.c
        kept = conn.scalar(select(c.updated_at).where(c.subject_type == "verdict", c.subject_id == "jdg-1"))
    assert kept == at
