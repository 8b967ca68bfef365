"""extractions of events and objects; elements can be corrected

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

LINKS = (("call_id", "model_call"), ("run_id", "run"), ("text_id", "text"), ("video_id", "video"))


def upgrade() -> None:
    op.create_table(
        "element_list",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("video_id", sa.String(length=64), nullable=False),
        sa.Column("text_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("call_id", sa.String(length=64), nullable=True),
        sa.Column("baseline", sa.Boolean(), nullable=False),
        *(
            sa.ForeignKeyConstraint([name], [f"{table}.id"], name=op.f(f"fk_element_list_{name}_{table}"))
            for name, table in LINKS
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_element_list")),
    )
    with op.batch_alter_table("element_list", schema=None) as batch_op:
        for name in ("run_id", "text_id", "video_id"):
            batch_op.create_index(batch_op.f(f"ix_element_list_{name}"), [name], unique=False)
    with op.batch_alter_table("element", schema=None) as batch_op:
        batch_op.add_column(sa.Column("list_id", sa.String(length=64), nullable=True))
        batch_op.create_index(batch_op.f("ix_element_list_id"), ["list_id"], unique=False)
    _lay_values()


def _lay_values() -> None:
    """Each element that is there gets the value that a person can correct."""
    meta, bind = sa.MetaData(), op.get_bind()
    current = sa.Table("current", meta, autoload_with=bind)
    e = sa.Table("element", meta, autoload_with=bind).c
    found = bind.execute(sa.select(e.id, e.video_id, e.run_id, e.value, e.created_at)).all()
    rows = [
        {
            "subject_type": "element", "subject_id": row.id, "field": "value", "video_id": row.video_id,
            "run_id": row.run_id, "question_id": None, "kind": None, "slot": f"element-{row.id}"[:64],
            "value": row.value, "state": "done", "label": "", "score": None, "revision": 0,
            "corrected": False, "stale": False, "superseded": False, "blame": "",
            "updated_at": row.created_at, "baseline": False,
        }
        for row in found
    ]  # fmt: skip
    if rows:
        bind.execute(current.insert(), rows)


def downgrade() -> None:
    op.execute("DELETE FROM current WHERE subject_type = 'element'")
    with op.batch_alter_table("element", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_element_list_id"))
        batch_op.drop_column("list_id")
    op.drop_table("element_list")
