"""The contents of a workspace as pandas DataFrames, for notebooks.

    from exports.dataframes import captions, labels, scores, verdicts

    frame = verdicts("workspace", "my evaluation")

Each function takes a workspace's folder, or the URL of its database. docs/dataframes.md describes the
columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from annotation.intake.names_of_videos import VideoNames
from annotation.records.decisions import Correction, ErrorSource, Person
from annotation.reports.evaluation_report import report
from annotation.store.opinion_rules import error_sources_of_people, verdicts_of_people
from annotation.store.store import Store
from annotation.texts.which_text_counts import Values
from annotation.texts.whose_texts import read_whose
from annotation.workspace.workspace import DATABASE
from backends.errors import UsageError
from exports.dataframe_columns import CAPTIONS, LABELS, SCORES, TEXTS
from exports.files.evaluations_and_corrections import load_evaluation
from exports.files.format_types import Wanted
from exports.generic.parquet import INTEGERS
from exports.generic.text_rows import text_rows
from exports.generic.verdict_rows import ALL, FLAGS, NUMBERS, caption_rows, verdict_rows
from exports.logs.evaluation_rows import Row, load_chain

NAMES_A_SERVER = ("http://", "https://")


def verdicts(where: str | Path, evaluation: str | None = None) -> pd.DataFrame:
    """Return a row per question of an evaluation: the judge's and the current values (columns `VERDICTS`).

    `evaluation` is a name or id; it is optional if there is only one. Raises UsageError, NotFound.
    """
    with _opened(where) as store:
        rows = list(verdict_rows(Wanted(store, _id(store, evaluation), "current")))
    found = pd.DataFrame(rows, columns=list(ALL))
    found = found.astype(dict.fromkeys(NUMBERS, "float64") | dict.fromkeys(INTEGERS, "Int64"))
    return found.astype(dict.fromkeys(FLAGS, "bool"))


def captions(where: str | Path, evaluation: str | None = None, values: Values = "current") -> pd.DataFrame:
    """Return a row per caption of an evaluation (columns `CAPTIONS`). Raises UsageError, NotFound."""
    with _opened(where) as store:
        rows = list(caption_rows(Wanted(store, _id(store, evaluation), values)))
    return pd.DataFrame(rows, columns=list(CAPTIONS)).astype({"baseline": "bool"})


def texts(
    where: str | Path, whose: str = "", kinds: Sequence[str] = (), values: Values = "current"
) -> pd.DataFrame:
    """Return a row per text that counts, with its writer (columns `TEXTS`).

    `whose`: `counting`, `references`, or a person's name. `kinds`: none for all. Raises UsageError, NotFound.
    """
    with _opened(where) as store:
        rows = list(text_rows(store, set(kinds) or None, read_whose(store, whose), values))
    return pd.DataFrame(rows, columns=list(TEXTS)).astype({"scene": "Int64", "baseline": "bool"})


def scores(
    where: str | Path,
    evaluation: str | None = None,
    by: Sequence[str] = ("aspect",),
    policies: Sequence[str] = (),
) -> pd.DataFrame:
    """Return a row per group, policy and metric, as in `score vdc` (columns `SCORES`).

    `by`: aspect, category, discipline, source, length. Raises UsageError, NotFound.
    """
    with _opened(where) as store:
        found = report(store, _id(store, evaluation), list(policies) or None, by)
    rows = [
        {**dict.fromkeys(by, ""), "evaluation": found["evaluation"], **row, **row["group"]}
        for row in found["rows"]
    ]
    return pd.DataFrame(rows, columns=[*by, *SCORES]).astype(
        dict.fromkeys(("value", "low", "high"), "float64")
    )


def labels(where: str | Path, evaluation: str | None = None) -> pd.DataFrame:
    """Return a row per verdict and person who labelled it, including opinions that do not count (`LABELS`).

    Raises UsageError, NotFound.
    """
    with _opened(where) as store:
        rows = list(_labels(store, _id(store, evaluation)))
    found = pd.DataFrame(rows, columns=list(LABELS))
    found["labelled_at"] = pd.to_datetime(found["labelled_at"], unit="s", utc=True)
    return found.astype(dict.fromkeys(("score", "judge_score"), "float64") | {"counts": "bool"})


@contextmanager
def _opened(where: str | Path) -> Iterator[Store]:
    """Open the store of an existing workspace. Raises UsageError if there is none."""
    if str(where).startswith(NAMES_A_SERVER):
        raise UsageError(f"{where} is a server; use gradio_client for it (docs/api.md), or give a folder")
    if "://" in str(where):
        store = Store(str(where))
    else:
        file = Path(where).expanduser().resolve() / DATABASE
        if not file.is_file():
            raise UsageError(f"{where} is not a workspace: it contains no {file.name}")
        store = Store(f"sqlite:///{file}")
    try:
        yield store
    finally:
        store.close()


def _id(store: Store, evaluation: str | None) -> str:
    return load_evaluation(store, evaluation).id


def _labels(store: Store, evaluation_id: str) -> Iterator[dict[str, Any]]:
    chain = load_chain(store, load_evaluation(store, evaluation_id))
    judged = {row.verdict.id: row for row in chain.rows if row.verdict}
    with store.reading() as conn:
        words = verdicts_of_people(conn, judged)
        sources = error_sources_of_people(conn, judged)
    people = {person.id: person for person in store.find(Person)}
    names = VideoNames(store, "vdc")
    for verdict_id, row in judged.items():
        word = {one.person_id: one for one in words.get(verdict_id, ())}
        source = {one.person_id: one for one in sources.get(verdict_id, ())}
        place = {
            "evaluation": chain.evaluation.name,
            "video_id": names.name(row.question.video_id, row.question.dataset_id),
            "aspect": row.aspect,
            "question": row.asked.value,
            "judge_label": row.label("machine"),
            "judge_score": row.score("machine"),
            "question_id": row.question.id,
            "verdict_id": verdict_id,
        }
        for person_id in dict.fromkeys([*word, *source]):
            yield place | _opinion(people[person_id], word.get(person_id), source.get(person_id), row)


def _opinion(person: Person, word: Correction | None, source: ErrorSource | None, row: Row) -> dict[str, Any]:
    value = word.value if word else {}
    times = [one.created_at for one in (word, source) if one]
    return {
        "person": person.name,
        "role": person.role,
        "label": str(value["label"]) if word else "",
        "score": value["score"] if word else None,
        "reason": word.reason if word else "",
        "labelled_at": max(times),
        "counts": word is not None and row.correction is not None and row.correction.id == word.id,
        "error_source": source.kind if source else "",
        "error_source_note": source.note if source else "",
    }
