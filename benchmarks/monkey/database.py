"""What people have written, read from the database itself: SQLite or PostgreSQL, by plain SQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import create_engine, select, text

from annotation.store import tables as t

Row = dict[str, Any]
PERSONAL: dict[str, str] = {
    "correction": "person_id",
    "text": "person_id",
    "error_source": "person_id",
    "exclusion": "person_id",
    "pinned_frames": "person_id",
    "selection": "person_id",
    "scene_list": "person_id",
    "assignment": "person_id",
    "dismissal": "person_id",
    "frame_label": "person_id",
    "study": "person_id",
    "study_choice": "person_id",
    "element": "person_id",
    "merged_caption": "person_id",
    "blind_mode": "by_id",
    "action": "person_id",
}
"""Tables that people write to, with the column that says who."""
MAY_CHANGE = {"action", "study"}
"""Rows that are changed in place; those of the other tables are only added."""
MAY_GO = {"dismissal"}
"""Rows that are there or not: whoever takes a dismissal back, or undoes it, removes it."""
LOOKED_UP: dict[str, tuple[str, ...]] = {
    "person": ("name", "role"),
    "video": ("title", "action"),
    "answer": ("video_id", "question_id", "value"),
    "question": ("video_id", "text", "reference"),
    "verdict": ("video_id", "subject_id", "label", "score"),
    "segment": ("video_id", "start_s", "text"),
    "scene": ("key", "index", "scene_list_id"),
    "frame": ("index",),
    "finding": ("video_id",),
}
"""Tables that say what a row of the others is about, with the columns that do."""


@dataclass(frozen=True)
class Change:
    """A row that was not there before, or is another one now (`before`); `row` is empty when it is gone."""

    table: str
    id: str
    row: Row
    before: Row

    @property
    def person(self) -> str:
        return str((self.row or self.before).get(PERSONAL[self.table]) or "")

    def words(self) -> str:
        """Everything that the row holds, as text."""
        return " ".join(_strings(self.row))


@dataclass(frozen=True)
class Place:
    """What a row is about, as a page would name it. Empty: says nothing about that."""

    video: str = ""
    kind: str = ""
    """Kind of caption, or `speech`, `question`, `reference`, `answer`, `verdict`."""
    author: str | None = None
    """Person who wrote the text that was changed; empty for a model's."""
    scenes: frozenset[int] = frozenset()
    """Numbers of its scene from 1, in the newest versions of the cuts."""
    frame: int | None = None
    verdicts: frozenset[str] = frozenset()
    start_s: float | None = None


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
    return [word for part in parts for word in _strings(part)]


class Database:
    """The database of a running app, from outside."""

    def __init__(self, url: str) -> None:
        self.engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        self.sqlite = self.engine.dialect.name == "sqlite"
        self.watching = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        self.seen: Any = None
        self.rows: dict[str, dict[str, Row]] = {}
        self.about: dict[str, dict[str, Row]] = {}
        self.values: dict[tuple[str, ...], Any] = {}
        self.read()

    def close(self) -> None:
        self.watching.close()
        self.engine.dispose()

    def changed(self) -> bool:
        """Whether anybody has written since it was last read."""
        if self.sqlite:
            return bool(self.watching.execute(text("PRAGMA data_version")).scalar() != self.seen)
        return bool(self.watching.execute(text(NUMBER)).scalar() != self.seen)

    def read(self) -> list[Change]:
        """Read what people have written; returns what is not as it was the last time."""
        self.seen = self.watching.execute(text("PRAGMA data_version" if self.sqlite else NUMBER)).scalar()
        before, values = self.rows, self.values
        level = "SERIALIZABLE" if self.sqlite else "REPEATABLE READ"
        with self.engine.connect().execution_options(isolation_level=level) as conn:
            if self.sqlite:
                conn.exec_driver_sql("BEGIN")  # one state, not one of each table
            tables = {table.name: table for table in t.metadata.tables.values()}
            self.rows = {name: _by_id(conn, select(tables[name])) for name in PERSONAL}
            self.about = {
                name: _by_id(conn, select(tables[name].c.id, *(tables[name].c[column] for column in columns)))
                for name, columns in LOOKED_UP.items()
            }
            current = [t.current.c[name] for name in ("subject_type", "subject_id", "field", "value")]
            where = t.current.c.revision > 0
            self.values = {tuple(row[:3]): row[3] for row in conn.execute(select(*current).where(where))}
        self._index()
        if not before:
            return []
        self.moved = {key for key in self.values | values if self.values.get(key) != values.get(key)}
        return [change for name in PERSONAL for change in _changes(name, before[name], self.rows[name])]

    # --- what rows are about --------------------------------------------------------------

    def confirms(self, change: Change) -> bool:
        """Whether it is a correction of a verdict that leaves label and score as they were."""
        row = change.row
        if change.table != "correction" or row.get("field") != "verdict" or row["cleared"]:
            return False
        given = self.about["verdict"].get(row["subject_id"], {})
        machine = {"label": given.get("label"), "score": given.get("score")}
        before = [one for one in self._corrected(row) if not one["cleared"]]
        last = max(before, key=lambda one: int(one["revision"]))["value"] if before else machine
        return all(last.get(name) == row["value"].get(name) for name in machine)

    def _corrected(self, row: Row) -> list[Row]:
        """Earlier corrections of the same value."""
        subject = (row["subject_type"], row["subject_id"], row["field"])
        return [
            other
            for other in self.rows["correction"].values()
            if (other["subject_type"], other["subject_id"], other["field"]) == subject
            and other["revision"] < row["revision"]
        ]

    def earlier(self, change: Change) -> list[str]:
        """What a text was before, the newest version first; nothing where that is not known."""
        row = change.row
        if change.table == "text" and not change.before:
            return [""]
        if change.table == "exclusion":
            return self._reasons_before(row)
        if change.table != "correction" or row["revision"] < 1:
            return []
        same = [other for other in self._corrected(row) if not other["cleared"]]
        values = [
            other["value"] for other in sorted(same, key=lambda other: int(other["revision"]), reverse=True)
        ]
        table = self.texts if row["subject_type"] == "text" else self.about.get(row["subject_type"], {})
        field = {"text": "value", "answer": "value"}.get(row["subject_type"], row["field"])
        values.append(table.get(row["subject_id"], {}).get(str(field)))
        return [value for value in values if isinstance(value, str)]

    def _reasons_before(self, row: dict[str, Any]) -> list[str]:
        """Whoever gives another reason for an exclusion begins with the one that is there."""
        same = [one for one in self.rows["exclusion"].values() if one["question_id"] == row["question_id"]]
        earlier = [one for one in same if one["created_at"] < row["created_at"]]
        return [one["reason"] for one in sorted(earlier, key=lambda one: -one["created_at"])]

    def titled(self, title: str) -> set[str]:
        """The ids of the videos of a title; none where it is the title of none."""
        return {row["id"] for row in self.about["video"].values() if title and row["title"] == title}

    def wordings(self, verdicts: Iterable[str]) -> set[str]:
        """Everything that the questions of these verdicts have ever said."""
        answers, judged = self.about["answer"], self.about["verdict"]
        subjects = [str(judged.get(verdict, {}).get("subject_id")) for verdict in verdicts]
        questions = {answers[one]["question_id"] for one in subjects if one in answers}
        texts = [row["text"] for key, row in self.about["question"].items() if key in questions]
        texts += [
            str(row["value"])
            for row in self.rows["correction"].values()
            if row["subject_id"] in questions and row["field"] != "reference"
        ]
        return {" ".join(text.split()) for text in texts}

    def person(self, name: str) -> str:
        """The id of a person; empty when there is nobody of that name."""
        return next((p["id"] for p in self.about["person"].values() if p["name"] == name), "")

    def name(self, person_id: str) -> str:
        return str(self.about["person"].get(person_id, {}).get("name", person_id))

    def place(self, change: Change) -> Place:
        row = change.row or change.before
        if change.table == "correction":
            return self.subject(row["subject_type"], row["subject_id"], row["field"])
        if change.table == "text":
            return self._text(row)
        if change.table == "error_source":
            return Place(row["video_id"], "error_source", verdicts=frozenset([row["verdict_id"]]))
        if change.table == "pinned_frames":
            return Place(row["video_id"], "pinned_frames", verdicts=self._verdicts_of(row["question_id"]))
        if change.table == "exclusion":
            return Place(row["video_id"], "exclusion", verdicts=self._verdicts_of(row["question_id"]))
        if change.table == "dismissal":
            return Place(self.about["finding"].get(row["finding_id"], {}).get("video_id", ""))
        return Place(str(row.get("video_id") or ""))

    def subject(self, kind: str, subject_id: str, about: str) -> Place:
        """What a corrected value is about."""
        if kind == "text":
            return self._text(self.texts.get(subject_id, {}))
        row = self.about.get(kind, {}).get(subject_id, {})
        video = str(row.get("video_id", ""))
        if kind == "segment":
            return Place(video, "speech", start_s=row.get("start_s"))
        if kind == "question":
            return Place(
                video, "reference" if about == "reference" else kind, verdicts=self._verdicts_of(subject_id)
            )
        if kind == "answer":
            return Place(video, kind, verdicts=self._verdicts_of(str(row.get("question_id"))))
        if kind == "verdict":
            same = self._verdicts_of(
                str(self.about["answer"].get(str(row.get("subject_id")), {}).get("question_id"))
            )
            return Place(video, "verdict", verdicts=same | {subject_id})
        return Place(video)

    def on_two_frames(self, place: Place) -> bool:
        """Whether it is a verdict on progress between two frames, which no address names."""
        subjects = {str(self.about["verdict"].get(one, {}).get("subject_id")) for one in place.verdicts}
        return place.kind == "verdict" and not subjects & self.about["answer"].keys()

    @property
    def texts(self) -> dict[str, Row]:
        return self.rows["text"]

    def _text(self, row: Row) -> Place:
        about, subject = row.get("subject_type"), row.get("subject_id", "")
        frame = self.about["frame"].get(subject, {}).get("index") if about == "frame" else None
        scenes = self.numbers(subject) if about == "scene" else frozenset()
        return Place(
            str(row.get("video_id", "")),
            str(row.get("kind", "")),
            str(row.get("person_id") or ""),
            scenes,
            frame,
        )

    def numbers(self, key: str) -> frozenset[int]:
        """The numbers that a scene had in the newest versions of the cuts, from 1."""
        lists = sorted(self.rows["scene_list"].values(), key=lambda row: -row["created_at"])[:NEWEST]
        newest = {row["id"] for row in lists}
        rows = self.about["scene"].values()
        return frozenset(s["index"] + 1 for s in rows if s["key"] == key and s["scene_list_id"] in newest)

    def _index(self) -> None:
        answers = {row["id"]: row["question_id"] for row in self.about["answer"].values()}
        self.asked: dict[str, set[str]] = {}
        for row in self.about["verdict"].values():
            self.asked.setdefault(answers.get(row["subject_id"], ""), set()).add(row["id"])

    def _verdicts_of(self, question_id: str) -> frozenset[str]:
        return frozenset(self.asked.get(question_id, ())) if question_id else frozenset()

    def versions(self) -> list[tuple[Place, str, Any]]:
        """Every value that was ever given to anything, with what it is about and who gave it."""
        given = [
            (self._text(row), str(row.get("person_id") or ""), row["value"]) for row in self.texts.values()
        ]
        for row in self.rows["correction"].values():
            place = self.subject(row["subject_type"], row["subject_id"], row["field"])
            given.append((place, row["person_id"], row["value"]))
        for row in self.about["segment"].values():
            given.append((Place(row["video_id"], "speech", start_s=row["start_s"]), "", row["text"]))
        for row in self.about["question"].values():
            same = self._verdicts_of(row["id"])
            given.append((Place(row["video_id"], "question", verdicts=same), "", row["text"]))
            given.append((Place(row["video_id"], "reference", verdicts=same), "", row["reference"]))
        for row in self.about["answer"].values():
            same = self._verdicts_of(row["question_id"])
            given.append((Place(row["video_id"], "answer", verdicts=same), "", row["value"]))
        return given


NEWEST = 4
NUMBER = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"


def _by_id(conn: Any, query: Any) -> dict[str, Row]:
    return {row["id"]: dict(row) for row in conn.execute(query).mappings()}


def _changes(table: str, before: dict[str, Row], now: dict[str, Row]) -> list[Change]:
    ids = [one for one in before | now if before.get(one) != now.get(one)]
    return [Change(table, one, now.get(one, {}), before.get(one, {})) for one in ids]
