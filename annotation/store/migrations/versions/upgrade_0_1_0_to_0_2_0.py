"""rename verdicts, error sources and dismissals; record the owners of decisions; clips of films

Revision ID: 0.2.0
Revises: 0012
"""

import json
import logging
import re
import time
import uuid

import sqlalchemy as sa
from alembic import op

from annotation.store.opinions_of_0_1_0 import given_blind, taken_back_for_others

revision = "0.2.0"
down_revision = "0012"
branch_labels = None
depends_on = None

log = logging.getLogger("annotation.store.database")

TABLES = {"judgement": "verdict", "blame": "error_source", "waiver": "dismissal"}
COLUMNS = (("error_source", "judgement_id", "verdict_id"), ("current", "blame", "error_source"))
TIED = (
    "split a line of speech",
    "merged two lines of speech",
    "moved a line of speech",
    "brought back speech as it was heard",
)
"""Decisions whose changes are undone together."""
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""NUL and unpaired surrogates. 0.1.0 accepted them in JSON columns, and NUL in all texts on SQLite."""
LONGEST = 2000


def upgrade() -> None:
    _add_columns()
    _add_tables()
    _add_text_on_screen()
    _add_pinned_frames()
    _add_prompt_versions()
    _add_personal_tokens()
    _mark_confirmed()
    _rename()
    _give_opinions_owners()
    _mend_texts()


def _add_columns() -> None:
    # Changing the default would make SQLite recreate these tables, and other tables refer to their rows.
    op.add_column("model_call", sa.Column("note", sa.Text(), nullable=False, server_default=""))
    op.add_column("video", _json("clips", "[]"))
    op.add_column("run", _json("took", "{}"))
    for table, column in (
        ("action", sa.Column("whole", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("action", _json("left_alone", "[]")),
        ("current", sa.Column("confirmed", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("current", sa.Column("disputed", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("assignment", _json("versions", "{}")),
        ("correction", sa.Column("blind", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("blame", sa.Column("proposed", sa.String(length=64), nullable=False, server_default="")),
    ):
        with op.batch_alter_table(table) as batch:
            batch.add_column(column)
        with op.batch_alter_table(table) as batch:
            batch.alter_column(column.name, server_default=None)
    with op.batch_alter_table("current") as batch:
        batch.add_column(sa.Column("correction_id", sa.String(length=64), nullable=True))
    action = sa.table("action", sa.column("what", sa.Text), sa.column("whole", sa.Boolean))
    op.execute(action.update().where(action.c.what.in_(TIED)).values(whole=True))


def _json(name, empty):
    return sa.Column(name, sa.JSON(none_as_null=True), nullable=False, server_default=empty)


def _add_tables() -> None:
    op.create_table(
        "mended_text",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("table_name", sa.String(length=64), nullable=False),
        sa.Column("column_name", sa.String(length=64), nullable=False),
        sa.Column("row_key", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mended_text")),
    )
    op.create_table(
        "import_part",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("import_id", sa.String(length=64), nullable=False),
        sa.Column("table_name", sa.String(length=64), nullable=False),
        sa.Column("added", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("changed", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_part")),
    )
    op.create_index(op.f("ix_import_part_import_id"), "import_part", ["import_id"])
    table = op.create_table(
        "workspace",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.Column("opinion_rule", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspace")),
    )
    row = {"id": f"wsp-{uuid.uuid4().hex}", "created_at": time.time(), "opinion_rule": "latest"}
    op.bulk_insert(table, [row])


def _add_text_on_screen() -> None:
    short, big, real = sa.String(length=64), sa.BigInteger(), sa.Float(precision=53)
    op.create_table(
        "screen_text",
        sa.Column("id", short, nullable=False),
        sa.Column("video_id", short, nullable=False),
        sa.Column("run_id", short, nullable=False),
        sa.Column("index", big, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("score", real, nullable=False),
        sa.Column("box", sa.JSON(none_as_null=True), nullable=False),
        *(sa.Column(name, big, nullable=False) for name in ("frame", "pts", "first_frame", "last_frame")),
        *(sa.Column(name, real, nullable=False) for name in ("start_s", "end_s")),
        *(
            sa.ForeignKeyConstraint(
                [f"{name}_id"], [f"{name}.id"], name=op.f(f"fk_screen_text_{name}_id_{name}")
            )
            for name in ("video", "run")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_screen_text")),
    )
    for name in ("video_id", "run_id"):
        op.create_index(op.f(f"ix_screen_text_{name}"), "screen_text", [name])


def _add_pinned_frames() -> None:
    name = "pinned_frames"
    references = {"question_id": "question", "video_id": "video", "person_id": "person"}
    op.create_table(
        name,
        sa.Column("id", sa.String(length=64), nullable=False),
        *(sa.Column(column, sa.String(length=64), nullable=False) for column in references),
        sa.Column("frames", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        *(
            sa.ForeignKeyConstraint([column], [f"{table}.id"], name=op.f(f"fk_{name}_{column}_{table}"))
            for column, table in references.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
    )
    for column in references:
        op.create_index(op.f(f"ix_{name}_{column}"), name, [column])


def _add_prompt_versions() -> None:
    short = sa.String(length=64)
    about = {
        "prompt_version": (
            *(sa.Column(name, sa.Text(), nullable=False) for name in ("label", "system", "user")),
            sa.Column("hash", short, nullable=False),
        ),
        "prompt_use": (),
        "prompt_look": (sa.Column("questions", sa.JSON(none_as_null=True), nullable=False),),
    }
    references = {
        "prompt_version": {},
        "prompt_use": {"version_id": "prompt_version"},
        "prompt_look": {"version_id": "prompt_version", "evaluation_id": "evaluation"},
    }
    for name, columns in about.items():
        refers = references[name] | {"person_id": "person"}
        optional = ("version_id",) if name == "prompt_use" else ()
        op.create_table(
            name,
            *(sa.Column(column, short, nullable=False) for column in ("id", "prompt")),
            *columns,
            *(sa.Column(column, short, nullable=column in optional) for column in refers),
            sa.Column("created_at", sa.Float(precision=53), nullable=False),
            *(
                sa.ForeignKeyConstraint([column], [f"{table}.id"], name=op.f(f"fk_{name}_{column}_{table}"))
                for column, table in refers.items()
            ),
            sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
        )
        op.create_index(op.f(f"ix_{name}_prompt"), name, ["prompt"])


def _add_personal_tokens() -> None:
    name, short, real = "personal_token", sa.String(length=64), sa.Float(precision=53)
    op.create_table(
        name,
        *(sa.Column(column, short, nullable=False) for column in ("id", "hash", "person_id")),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", short, nullable=False),
        sa.Column("with_accounts", sa.Boolean(), nullable=False),
        *(sa.Column(column, real, nullable=False) for column in ("created_at", "until")),
        *(sa.Column(column, real, nullable=True) for column in ("used_at", "revoked_at")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f(f"fk_{name}_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
        sa.UniqueConstraint("hash", name=op.f(f"uq_{name}_hash")),
    )
    op.create_index(op.f(f"ix_{name}_person_id"), name, ["person_id"])


def _mark_confirmed() -> None:
    """Mark corrections that equal the machine's value as confirmations."""
    current, verdict = (
        sa.table(name, *(sa.column(field) for field in fields))
        for name, fields in (
            ("current", ("subject_type", "subject_id", "corrected", "confirmed", "label", "score")),
            ("judgement", ("id", "state", "label", "score")),
        )
    )
    v = verdict.c
    as_judged = sa.select(v.id).where(
        v.id == current.c.subject_id,
        v.state == "done",
        v.label == current.c.label,
        sa.or_(v.score == current.c.score, sa.and_(v.score.is_(None), current.c.score.is_(None))),
    )
    laid = sa.and_(current.c.subject_type == "judgement", current.c.corrected == sa.true())
    op.execute(current.update().where(laid, sa.exists(as_judged)).values(confirmed=sa.true()))


def _rename() -> None:
    known = sa.inspect(op.get_bind())
    for name in known.get_table_names():
        if any(column["name"] == "subject_type" for column in known.get_columns(name)):
            kind = sa.table(name, sa.column("subject_type"))
            op.execute(kind.update().where(kind.c.subject_type == "judgement").values(subject_type="verdict"))
    indexes = {name: known.get_indexes(name) for name in TABLES}
    for old, new in TABLES.items():
        for index in indexes[old]:
            op.drop_index(index["name"], old)
        op.rename_table(old, new)
    for table, old, new in COLUMNS:
        op.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{old}" TO "{new}"')
    renamed = {old: new for _, old, new in COLUMNS}
    for old, new in TABLES.items():
        for index in indexes[old]:
            columns = [renamed.get(name, name) for name in index["column_names"]]
            op.create_index(op.f(f"ix_{new}_{'_'.join(columns)}"), new, columns, unique=index["unique"])
    _rename_constraints()
    _rename_changes()


def _rename_constraints() -> None:
    """Rename constraints on PostgreSQL. On SQLite their names are only part of the table's SQL text."""
    conn = op.get_bind()
    if conn.dialect.name == "sqlite":
        return
    for old, new in TABLES.items():
        key = sa.inspect(conn).get_pk_constraint(new)["name"]
        names = [key, *(one["name"] for one in sa.inspect(conn).get_foreign_keys(new))]
        for name in names:
            wanted = name.replace(old, new).replace("judgement", "verdict")
            op.execute(f'ALTER TABLE "{new}" RENAME CONSTRAINT "{name}" TO "{wanted}"')


def _rename_changes() -> None:
    """Rename the kinds of record in the stored changes that undo reads."""
    action = sa.table("action", sa.column("id"), sa.column("changes", sa.JSON))
    conn = op.get_bind()
    words = sa.cast(action.c.changes, sa.Text)
    about = sa.or_(*(words.like(f'%"{old}"%') for old in TABLES))
    for key, changes in conn.execute(sa.select(action.c.id, action.c.changes).where(about)).all():
        text = json.dumps(changes)
        for old, new in TABLES.items():
            text = text.replace(f'"{old}"', f'"{new}"')
        conn.execute(action.update().where(action.c.id == key).values(changes=json.loads(text)))


def _give_opinions_owners() -> None:
    """Record which correction counts, where people disagree, and whose opinion undo restores."""
    conn = op.get_bind()
    made = sa.MetaData()
    made.reflect(conn, only=["correction", "current", "action"])
    correction, current, action = (made.tables[name] for name in ("correction", "current", "action"))
    k, c = correction.c, current.c
    same = (k.subject_type == c.subject_type, k.subject_id == c.subject_id, k.field == c.field)
    counts = sa.select(k.id).where(*same, k.revision == c.revision).scalar_subquery()
    conn.execute(current.update().where(c.revision > 0).values(correction_id=counts))
    verdict = (c.subject_type == "verdict", c.corrected == sa.false())
    conn.execute(current.update().where(*verdict).values(correction_id=None))
    said: dict[str, dict[str, str]] = {}
    own: dict[tuple[str, str], list[dict]] = {}
    rows = sa.select(k.subject_id, k.person_id, k.cleared, k.value).where(k.subject_type == "verdict")
    for subject, person, cleared, value in conn.execute(rows.order_by(k.revision)).all():
        words = said.setdefault(subject, {})
        if cleared:
            words.clear()
        else:
            words[person] = value["label"]
        own.setdefault((subject, person), []).append({"cleared": cleared, "value": value})
    for key in [key for key, words in said.items() if len(set(words.values())) > 1]:
        where = (c.subject_type == "verdict", c.subject_id == key)
        conn.execute(current.update().where(*where).values(disputed=True))
    _mark_blind_labels(conn, correction)
    _take_back_verdicts(conn, correction, current)
    _take_back_error_sources(conn)
    for key, person, *lists in conn.execute(
        sa.select(action.c.id, action.c.person_id, action.c.changes, action.c.left_alone)
    ).all():
        owned = [[_owned(change, person, own) for change in changes] for changes in lists]
        if owned != lists:
            values = {"changes": owned[0], "left_alone": owned[1]}
            conn.execute(action.update().where(action.c.id == key).values(**values))


def _mark_blind_labels(conn, correction) -> None:
    made = sa.MetaData()
    made.reflect(conn, only=["blind_mode"])
    b, k = made.tables["blind_mode"].c, correction.c
    modes = conn.execute(sa.select(b.person_id, b.on, b.created_at).order_by(b.created_at, b.id)).all()
    labels = sa.select(k.id, k.subject_id, k.person_id, k.cleared, k.created_at)
    labels = labels.where(k.subject_type == "verdict").order_by(k.revision)
    for key in given_blind(modes, conn.execute(labels).all()):
        conn.execute(correction.update().where(k.id == key).values(blind=True))


def _take_back_verdicts(conn, correction, current) -> None:
    """In 0.1.0, withdrawing a verdict withdrew it for everyone: add withdrawals for the others."""
    k, c = correction.c, current.c
    rows = sa.select(k.subject_id, k.person_id, k.cleared, k.created_at).where(k.subject_type == "verdict")
    for subject, person, at in taken_back_for_others(conn.execute(rows.order_by(k.revision)).all()):
        about = {"subject_type": "verdict", "subject_id": subject, "field": "verdict"}
        of_subject = sa.select(sa.func.max(k.revision)).where(*(k[name] == x for name, x in about.items()))
        row = {
            "id": f"cor-{uuid.uuid4().hex}",
            "value": None,
            "cleared": True,
            "revision": conn.scalar(of_subject) + 1,
            "person_id": person,
            "reason": "",
            "created_at": at,
            "blind": False,
        }
        conn.execute(correction.insert(), [row | about])
        where = (c[name] == x for name, x in about.items())
        conn.execute(current.update().where(*where).values(revision=row["revision"]))


def _take_back_error_sources(conn) -> None:
    """Add the same withdrawals for error sources."""
    made = sa.MetaData()
    made.reflect(conn, only=["error_source"])
    table = made.tables["error_source"]
    s = table.c
    found = conn.execute(sa.select(table).order_by(s.created_at, s.id)).mappings().all()
    videos = {row["verdict_id"]: row["video_id"] for row in found}
    rows = ((row["verdict_id"], row["person_id"], not row["kind"], row["created_at"]) for row in found)
    for verdict, person, at in taken_back_for_others(rows):
        about = {"verdict_id": verdict, "video_id": videos[verdict], "person_id": person}
        row = {"id": f"blm-{uuid.uuid4().hex}", "kind": "", "note": "", "proposed": "", "created_at": at}
        conn.execute(table.insert(), [row | about])


def _owned(change, person, own):
    """Return the change as one of the person's own opinion, so that undo restores their earlier opinion."""
    kind, subject = change["kind"], change["subject"]
    if kind == "error_source":
        return change | {"subject": [*subject, person]}
    if kind == "value" and subject[0] == "verdict":
        before, after = (
            {name: change[side][name] for name in ("cleared", "value")} for side in ("before", "after")
        )
        rows = own.get((subject[1], person), [])
        if after in rows:
            at = len(rows) - 1 - rows[::-1].index(after)
            before = rows[at - 1] if at else {"cleared": True, "value": None}
        return change | {"before": before, "after": after, "kind": "opinion", "subject": [subject[1], person]}
    return change


def _mend_texts() -> None:
    """Replace characters that cannot be stored, and list the affected texts."""
    conn = op.get_bind()
    if conn.dialect.name == "sqlite":
        conn.exec_driver_sql("PRAGMA defer_foreign_keys=ON")  # ids are repaired in place, one by one
    known = sa.MetaData()
    known.reflect(conn)
    for table in known.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, sa.String | sa.JSON):
                _mend(conn, table, column, known.tables["mended_text"])


def _mend(conn, table, column, listed):
    key = list(table.primary_key.columns)
    if not key:
        return
    is_json = isinstance(column.type, sa.JSON)
    read = sa.cast(column, sa.Text) if is_json else column
    for *where, value in conn.execute(sa.select(*key, read).where(_suspect(conn, column))).all():
        value = json.loads(value) if is_json else value
        if (mended := _mended(value)) == value:
            continue
        here = sa.and_(*(one == at for one, at in zip(key, where, strict=True)))
        conn.execute(sa.update(table).where(here).values({column: mended}))
        row = {
            "id": uuid.uuid4().hex,
            "table_name": table.name,
            "column_name": column.name,
            "row_key": _mended(" ".join(map(str, where))),
            "before": ascii(value)[:LONGEST],
        }
        conn.execute(sa.insert(listed), [row])
        log.warning(
            "mended: %s %s, %s: replaced a character that cannot be stored with U+FFFD",
            table.name,
            row["row_key"],
            column.name,
        )


def _suspect(conn, column):
    """Return the condition for rows that may need a repair. JSON columns hold such characters as escapes."""
    find = sa.func.instr if conn.dialect.name == "sqlite" else sa.func.strpos
    words = sa.cast(column, sa.Text)
    if isinstance(column.type, sa.JSON):
        return sa.or_(find(words, "\\u0000") > 0, find(words, "\\ud") > 0)
    # PostgreSQL rejects both in texts; SQLite's driver accepts NUL.
    return find(column, sa.func.char(0)) > 0 if conn.dialect.name == "sqlite" else sa.false()


def _mended(value):
    if isinstance(value, str):
        return UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_mended(part) for part in value]
    return value
