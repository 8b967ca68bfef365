"""what people did, in order, so that it can be undone

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "action",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=64), nullable=False),
        sa.Column("video_id", sa.String(length=64), nullable=True),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("changes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("visit", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.Column("updated_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_action_person_id_person")),
        sa.ForeignKeyConstraint(["video_id"], ["video.id"], name=op.f("fk_action_video_id_video")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_action")),
    )
    with op.batch_alter_table("action", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_action_video_id"), ["video_id"], unique=False)
        batch_op.create_index("ix_action_stack", ["person_id", "state", "created_at"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("action", schema=None) as batch_op:
        batch_op.drop_index("ix_action_stack")
        batch_op.drop_index(batch_op.f("ix_action_video_id"))

    op.drop_table("action")
