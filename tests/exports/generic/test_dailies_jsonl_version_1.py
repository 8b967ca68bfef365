"""What 0.1.0 wrote: who took a verdict or an error source back took it back for all."""

from __future__ import annotations

from annotation.records.decisions import Correction, ErrorSource
from annotation.store.import_spool import Spool
from annotation.store.rows import to_row
from exports.generic.dailies_jsonl_version_1 import take_back_for_all


def correction(person: str, revision: int, cleared: bool) -> Correction:
    return Correction(
        id=f"cor-{revision}",
        subject_type="verdict",
        subject_id="jdg-1",
        field="verdict",
        value=None if cleared else {"label": "no", "score": 1.0},
        cleared=cleared,
        revision=revision,
        person_id=person,
        reason="",
        created_at=float(revision),
    )


def error_source(person: str, kind: str, at: float) -> ErrorSource:
    return ErrorSource(
        id=f"blm-{at}",
        video_id="vid-1",
        verdict_id="jdg-1",
        person_id=person,
        kind=kind,  # type: ignore[arg-type]
        created_at=at,
    )


def test_what_was_taken_back_stays_so() -> None:
    rows = {one.id: to_row(one) for one in (correction("ana", 1, False), correction("ben", 2, True))}
    spool = Spool.of([error_source("ana", "judge", 1.0), error_source("ben", "", 2.0)])
    take_back_for_all(spool, rows)
    [added] = [row for key, row in rows.items() if key not in ("cor-1", "cor-2")]
    assert (added["person_id"], added["cleared"], added["revision"]) == ("ana", True, 3)
    sources = {(one.person_id, one.kind, one.created_at) for one in spool.of_kind(ErrorSource)}
    assert sources == {("ana", "judge", 1.0), ("ben", "", 2.0), ("ana", "", 2.0)}
    before = dict(rows)
    take_back_for_all(spool, rows)
    assert rows == before, "what is taken back is taken back once"
