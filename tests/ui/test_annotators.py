"""Several annotators on one workspace over HTTP: no update is lost, no conflict is invented."""

from __future__ import annotations

from annotation.records.captions_to_verdicts import Text
from benchmarks.annotators import Log, Refusal, check, check_doubled, measure
from tests.bench import Bench


def test_nothing_is_lost_and_every_conflict_is_one(bench: Bench) -> None:
    report = measure(bench.workspace.path, 8, 3.0)
    assert (report.lost, report.doubled, report.false, report.errors) == ((), (), (), ())
    assert report.edits >= 8 and report.conflicts > 0


def test_a_lost_update_and_an_invented_conflict_are_seen(bench: Bench) -> None:
    store, owner = bench.store, bench.workspace.owner()
    text = store.find(Text, kind="vdc:short")[0]
    subject = ("text", text.id, "value")
    store.correct(*subject, "a w1", person_id=owner.id, base_revision=0)  # type: ignore[arg-type]
    store.correct(*subject, "a w2", person_id=owner.id, base_revision=1)  # type: ignore[arg-type]
    log = Log(confirmed=[(subject, "w1", 1), (subject, "w2", 2)], refused=[Refusal(subject, owner.id, 1)])
    lost, false = check(store, [log])
    assert lost == [f"w1 of {subject}"] and len(false) == 1
    assert check_doubled(store, [log]) == []


def test_a_doubled_edit_is_seen(bench: Bench) -> None:
    store, owner = bench.store, bench.workspace.owner()
    subject = ("text", store.find(Text, kind="vdc:short")[0].id, "value")
    store.correct(*subject, "a w1 w1", person_id=owner.id, base_revision=0)  # type: ignore[arg-type]
    store.correct(*subject, "a w1 w1", person_id=owner.id, base_revision=1)  # type: ignore[arg-type]
    log = Log(confirmed=[(subject, "w1", 1)])
    assert check_doubled(store, [log]) == [
        f"w1 stands 2 times in {subject}",
        "1 more in the history than were confirmed",
    ]
