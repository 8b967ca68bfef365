"""people's labels of frame pairs, and blind studies of frame captions

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "frame_label",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("video_id", sa.String(length=64), nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("second", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.String(length=64), nullable=False),
        sa.Column("label", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_frame_label_person_id_person")),
        sa.ForeignKeyConstraint(["video_id"], ["video.id"], name=op.f("fk_frame_label_video_id_video")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_frame_label")),
    )
    _index("frame_label", "person_id", "video_id")
    op.create_table(
        "study",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("runs", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("sequences", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.Column("closed_at", sa.Float(precision=53), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_study_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
        sa.UniqueConstraint("name", name=op.f("uq_study_name")),
    )
    op.create_table(
        "study_choice",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("study_id", sa.String(length=64), nullable=False),
        sa.Column("video_id", sa.String(length=64), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("frame", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.String(length=64), nullable=False),
        sa.Column("best", sa.String(length=64), nullable=True),
        sa.Column("second", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_study_choice_person_id_person")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_study_choice_study_id_study")),
        sa.ForeignKeyConstraint(["video_id"], ["video.id"], name=op.f("fk_study_choice_video_id_video")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_choice")),
    )
    _index("study_choice", "person_id", "study_id", "video_id")


def _index(table: str, *columns: str) -> None:
    with op.batch_alter_table(table, schema=None) as batch_op:
        for column in columns:
            batch_op.create_index(batch_op.f(f"ix_{table}_{column}"), [column], unique=False)


def downgrade() -> None:
    for table in ("study_choice", "study", "frame_label"):
        op.drop_table(table)
